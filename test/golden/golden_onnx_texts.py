"""Models of texts, whose words are counted. skl2onnx splits by ASCII where scikit-learn's default pattern splits by
Unicode, so the models here have patterns in ASCII.

CASES has those of golden_onnx_graphs.py too."""

from __future__ import annotations

from typing import Any, List

import numpy as np
from golden_onnx_graphs import ARRAY, CASES, Graph, case
from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_extraction import FeatureHasher
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer, TfidfVectorizer
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

TEXTS = [
    "the cat sat on the mat",
    "A dog, a CAT and the mat: cat!",
    "naïve dogs bark at Über-cats",
    "mat mat cat mat",
    "one two three two one",
    "café at two, CAFÉ at three",
    "dogs and cats, cats and dogs",
    "nothing here is said twice",
]
ODD = [
    "", " ", "\t\n", "unseen words alone", "ÀÉÎ CAFÉ Ünder naïve", "cat\ncat\tCAT cat_cat 42", "İstanbul ẞ Σας ΣΑΣ ǅ",
    "cat " * 300, "日本語 cat 日本", "the the the", "#", "a", "🙂cat🙂", "dogs and cats and dogs and", None,
]  # fmt: skip


def texts(vectorizer: Any, model: Any, y: str = "class3", **more: Any) -> Graph:
    steps = [*vectorizer, model] if isinstance(vectorizer, list) else [vectorizer, model]
    classes = np.arange(len(TEXTS)) % 3
    pipeline = make_pipeline(*steps).fit(TEXTS, classes if y == "class3" else classes + 0.25)
    rows: List[List[Any]] = [[text] for text in TEXTS + ODD]
    return Graph(pipeline, ["text"], rows, names=["text"], **more)


@case
def words() -> Graph:
    return texts(CountVectorizer(token_pattern="[a-zA-Z0-9_]+"), LogisticRegression(), options=ARRAY)


@case
def words_pairs() -> Graph:
    vectorizer = CountVectorizer(token_pattern="[a-zA-Z0-9_]+", ngram_range=(1, 2), binary=True)
    return texts(vectorizer, MultinomialNB(), options=ARRAY)


@case
def words_tf_idf() -> Graph:
    return texts(TfidfVectorizer(token_pattern="[a-z]{2,}|é"), LogisticRegression(), options=ARRAY, opset=17)


@case
def words_sublinear() -> Graph:
    vectorizer = TfidfVectorizer(token_pattern="[a-zA-Z0-9_]+", sublinear_tf=True, lowercase=False, norm="l1")
    return texts(vectorizer, Ridge(), y="real", differs="skl2onnx writes log(1 + n) for 1 + log(n)")


@case
def words_trees() -> Graph:
    steps = [CountVectorizer(token_pattern="[a-zA-Z0-9_]+"), TfidfTransformer(norm=None)]
    return texts(steps, RandomForestClassifier(5, random_state=1), options=ARRAY)


@case
def words_characters() -> Graph:
    vectorizer = CountVectorizer(analyzer="char", ngram_range=(2, 3))
    return texts(vectorizer, LogisticRegression(), options=ARRAY, differs="the expression . matches no end of a line")


def beside_numbers(*more: Any) -> Graph:
    import pandas as pd

    rng = np.random.RandomState(3)
    frame = pd.DataFrame({"age": rng.randn(len(TEXTS)).astype(np.float32), "text": TEXTS})
    words = (TfidfVectorizer(token_pattern="[a-zA-Z0-9_]+"), "text")
    columns = make_column_transformer(words, (StandardScaler(), ["age"]), *more)
    model = make_pipeline(columns, LogisticRegression()).fit(frame, np.arange(len(TEXTS)) % 2)
    rows = [[float(frame.age[i % len(TEXTS)]), text] for i, text in enumerate(TEXTS + ODD)]
    return Graph(model, ["float32", "text"], rows, names=["age", "text"])


@case
def words_beside_numbers() -> Graph:
    return beside_numbers()


@case
def words_looked_up() -> Graph:
    """A text is split into words, and it is a category too."""
    return beside_numbers((OneHotEncoder(handle_unknown="ignore"), ["text"]))


@case
def texts_hashed() -> Graph:
    hasher = FeatureHasher(n_features=8, input_type="string")
    pipeline = make_pipeline(hasher, Ridge()).fit([[text] for text in TEXTS], np.arange(len(TEXTS)) % 3)
    rows: List[List[Any]] = [[text] for text in TEXTS + ODD]
    return Graph(pipeline, ["text"], rows, names=["text"], differs="it is asked with lists")


__all__ = ["CASES"]
