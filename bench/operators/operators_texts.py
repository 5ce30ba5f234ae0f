"""operators_texts.py - what is benchmarked of texts: 23 words each, through vectorizers to a linear model."""

from __future__ import annotations

from typing import Any, List

import numpy as np
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.feature_extraction.text import HashingVectorizer, TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from operators_tasks import FEWER, TRAINED_ON, Task, spec

#: Nanoseconds of a text in batches, at most.
MOST_NS = 3_000.0


def texts(rows: int, terms: int, seed: int) -> Any:
    """Texts of 23 words each; few words are frequent, as in letters."""
    rng = np.random.RandomState(seed)
    letters = np.array(list("etaoinshrdlucmfwypvbgkqjxz"))
    words: List[str] = []
    while len(words) < terms:
        more = ["".join(letters[rng.randint(26, size=rng.randint(2, 10))]) for _ in range(terms)]
        words = sorted(set(words) | set(more))
    words = [words[i] for i in rng.permutation(len(words))[:terms]]
    chance = 1 / (np.arange(terms) + 10.0)
    picked = rng.choice(terms, size=(rows, 23), p=chance / chance.sum())
    return pd.DataFrame({"note": np.array([" ".join(words[i] for i in row) for row in picked], dtype=object)}), words


def fitted(vectorizer: Any, frame: pd.DataFrame, words: List[str]) -> Any:
    """Over some of the texts, and every word once."""
    all_words = pd.DataFrame({"note": [" ".join(words[i : i + 23]) for i in range(0, len(words), 23)]})
    learnt = pd.concat([frame[:TRAINED_ON], all_words], ignore_index=True)
    model = make_pipeline(make_column_transformer((vectorizer, "note")), LogisticRegression(max_iter=20))
    return model.fit(learnt, np.arange(len(learnt)) % 2)


@spec("text_words")
def text_words(name: str, rows: int) -> Task:
    """100,000 distinct texts, again and again."""
    frame, words = texts(min(rows, FEWER), 1_000, 15)
    model = fitted(TfidfVectorizer(), frame, words)
    again = frame.iloc[np.arange(rows) % len(frame)].reset_index(drop=True)
    title = "TfidfVectorizer of 1,000 terms, 23 words + LogisticRegression"
    return Task(name, title, "predict_proba", model, again, by_row_of_sklearn=20, most_ns=MOST_NS)


@spec("text_words_wide")
def text_words_wide(name: str, rows: int) -> Task:
    frame, words = texts(min(rows, 10_000), 100_000, 15)
    model = fitted(TfidfVectorizer(), frame, words)
    title = "TfidfVectorizer of 100,000 terms, 23 words + LogisticRegression"
    return Task(name, title, "predict_proba", model, frame, by_row_of_sklearn=20, most_ns=MOST_NS, memory=True, onnx_most=1_000)


@spec("text_hashed")
def text_hashed(name: str, rows: int) -> Task:
    frame, words = texts(min(rows, 10_000), 100_000, 16)
    model = fitted(HashingVectorizer(n_features=1 << 18), frame, words)
    title = "HashingVectorizer to 262,144 columns, 23 words + LogisticRegression"
    return Task(name, title, "predict_proba", model, frame, by_row_of_sklearn=20, most_ns=MOST_NS, memory=True)
