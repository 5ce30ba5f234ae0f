"""Texts: counts of their words and characters, weighed, in front of models that read sparse rows."""

from __future__ import annotations

import random
from typing import Any, List

import numpy as np
import pandas as pd
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer, TransformedTargetRegressor
from sklearn.decomposition import TruncatedSVD
from sklearn.ensemble import RandomForestClassifier, VotingClassifier
from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer, TfidfTransformer, TfidfVectorizer
from sklearn.feature_extraction.text import strip_accents_unicode
from sklearn.feature_selection import SelectKBest
from sklearn.linear_model import LogisticRegression, Ridge, RidgeClassifier, SGDClassifier
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import ComplementNB, MultinomialNB
from sklearn.pipeline import FeatureUnion, make_pipeline, make_union
from sklearn.preprocessing import MaxAbsScaler, Normalizer, StandardScaler

from golden_sklearn_models import BOTH, Trained, case
from golden_tables import Column, Table

#: Of many scripts: letters with accents as one character and as two, both sigmas, dotted and dotless i, digits of other
#: scripts, ligatures, what combines, emoji.
WORDS = (
    "the cat sat on a mat of The CAT and not Stra\u00dfe STRASSE \u039f\u0394\u039f\u03a3 \u03a3\u03af\u03c3\u03c5\u03c6\u03bf\u03c2"
    " \u0130stanbul \u0131lgaz na\u00efve caf\u00e9 cafe\u0301 \u00c9clair \u6771\u4eac \u6771\u4eac\u90fd"
    " \u043f\u0440\u0438\u0432\u0435\u0442 \u041f\u0420\u0418\u0412\u0415\u0422 \U0001f600 \U0001f44d\U0001f3fd don't e-mail x y"
    " 42 3.14 _under A1 \ufb01ne \u2167 \u0939\u093f\u0928\u094d\u0926\u0940 \u0e44\u0e17\u0e22 \u05e9\u05dc\u05d5\u05dd"
    " \u0391\u03a3 \u0391\u03a3. \u03a3'\u0391 \u01c5 \u1e9e \uac01 \ufdfa \u0660\u0661"
).split()
SPACES = [" ", " ", " ", "  ", "\t", "\n\n", "\u00a0", ", "]


def texts(seed: int, n: int, most: int = 23) -> List[str]:
    rng = random.Random(seed)

    def one() -> str:
        words = [rng.choice(WORDS) for _ in range(rng.choice([1, 2, 5, 9, most]))]
        return "".join(word + rng.choice(SPACES) for word in words)

    return [one() for _ in range(n)]


#: Nothing, nothing but space, only stop words, words never seen, a very long one, characters by themselves.
EDGES = ["", " \t ", "the of and", "unseen words", "a" * 3000, "\u03a3", "\u0130", "\u0301", "x", "cat" + " cat" * 300,
         "\U0010ffff \ue000", "ca\u200dt", "CAT\u0000"[:3], None]


def of_texts(model: Any, seed: int, *covers: str, classes: int = 3, **more: Any) -> Trained:
    given = texts(seed, 120)
    y = np.arange(120) % classes
    model.fit(given, y)
    rows: List[List[Any]] = [[text] for text in texts(seed + 1000, 20) + EDGES]
    table = Table([Column("f0", "text", given)], y.astype(np.float64))
    return Trained(model, table, ["option=" + c for c in covers], rows=rows, count=0, texts=True, **more)


def logistic() -> Any:
    return LogisticRegression(max_iter=20)


@case(BOTH)
def text_tfidf() -> Trained:
    return of_texts(make_pipeline(TfidfVectorizer(), logistic()), 1501, classes=2, transform=True)


@case(BOTH)
def text_counts() -> Trained:
    return of_texts(make_pipeline(CountVectorizer(), MultinomialNB()), 1502)


@case()
def text_transformer() -> Trained:
    return of_texts(TfidfVectorizer(sublinear_tf=True, max_features=30), 1503)


@case(BOTH)
def text_two_steps() -> Trained:
    model = make_pipeline(CountVectorizer(binary=True), TfidfTransformer(sublinear_tf=True, norm="l1"), SGDClassifier(random_state=0))
    return of_texts(model, 1504)


@case()
def text_stop_words() -> Trained:
    model = make_pipeline(TfidfVectorizer(stop_words="english", ngram_range=(1, 2), max_features=60), logistic())
    return of_texts(model, 1505)


@case()
def text_stop_list() -> Trained:
    stops = ["the", "stra\u00dfe", "\u03b1\u03c2", "CAT"]
    return of_texts(make_pipeline(CountVectorizer(stop_words=stops, ngram_range=(2, 3), max_features=60), ComplementNB()), 1506)


@case()
def text_as_it_is() -> Trained:
    model = make_pipeline(TfidfVectorizer(lowercase=False, use_idf=False, norm=None), Ridge())
    return of_texts(model, 1507)


@case()
def text_split() -> Trained:
    """By functions that options say by name, too."""
    vectorizer = TfidfVectorizer(tokenizer=str.split, token_pattern=None, strip_accents=strip_accents_unicode, max_features=40)
    return of_texts(make_pipeline(vectorizer, logistic()), 1535, "Vectorizer.tokenizer")


@case()
def text_split_alone() -> Trained:
    return of_texts(make_pipeline(CountVectorizer(analyzer=str.split, max_features=40), MultinomialNB()), 1536, "Vectorizer.analyzer")


@case()
def text_lower() -> Trained:
    return of_texts(make_pipeline(HashingVectorizer(preprocessor=str.lower, n_features=64), Ridge()), 1537, "Vectorizer.preprocessor")


@case()
def text_vocabulary() -> Trained:
    terms = {"the cat": 2, "cat": 0, "never": 1, "on a": 3, "\u6771\u4eac": 4}
    return of_texts(make_pipeline(CountVectorizer(vocabulary=terms, ngram_range=(1, 2)), logistic()), 1508)


@case()
def text_svd() -> Trained:
    model = make_pipeline(TfidfVectorizer(), TruncatedSVD(3, random_state=0), logistic())
    return of_texts(model, 1509)


@case()
def text_forest() -> Trained:
    model = make_pipeline(TfidfVectorizer(), RandomForestClassifier(5, max_depth=5, random_state=0))
    return of_texts(model, 1510)


@case()
def text_union() -> Trained:
    words = TfidfVectorizer(max_features=30)
    characters = TfidfVectorizer(analyzer="char", ngram_range=(2, 3), max_features=40)
    model = make_pipeline(FeatureUnion([("words", words), ("characters", characters)]), logistic())
    return of_texts(model, 1511)


@case()
def text_scaled() -> Trained:
    model = make_pipeline(CountVectorizer(), MaxAbsScaler(), StandardScaler(with_mean=False), logistic())
    return of_texts(model, 1512)


@case()
def text_selected() -> Trained:
    return of_texts(make_pipeline(CountVectorizer(), SelectKBest(k=9), Normalizer(), logistic()), 1513)


@case(BOTH)
def text_accents() -> Trained:
    return of_texts(make_pipeline(TfidfVectorizer(strip_accents="unicode"), logistic()), 1521)


@case()
def text_ascii() -> Trained:
    return of_texts(make_pipeline(CountVectorizer(strip_accents="ascii", lowercase=False), logistic()), 1522)


@case(BOTH)
def text_characters() -> Trained:
    model = make_pipeline(TfidfVectorizer(analyzer="char", ngram_range=(1, 3), max_features=90), logistic())
    return of_texts(model, 1523)


@case()
def text_inside_words() -> Trained:
    model = make_pipeline(TfidfVectorizer(analyzer="char_wb", ngram_range=(3, 5), max_features=90, strip_accents="ascii"), logistic())
    return of_texts(model, 1524)


@case(BOTH)
def text_pattern() -> Trained:
    return of_texts(make_pipeline(CountVectorizer(token_pattern=r"[^\W\d_]+|\d+"), logistic()), 1525)


@case()
def text_pattern_group() -> Trained:
    return of_texts(make_pipeline(CountVectorizer(token_pattern=r"\b(\w)\w*?['-]?"), logistic()), 1526)


@case(BOTH)
def text_hashes() -> Trained:
    return of_texts(make_pipeline(HashingVectorizer(n_features=64), logistic()), 1541)


@case()
def text_hashes_of_characters() -> Trained:
    words = HashingVectorizer(n_features=37, analyzer="char_wb", ngram_range=(2, 3), alternate_sign=False, norm="l1")
    return of_texts(make_pipeline(words, TfidfTransformer(sublinear_tf=True), logistic()), 1542)


@case()
def text_hashes_binary() -> Trained:
    return of_texts(make_pipeline(HashingVectorizer(n_features=20, binary=True, norm=None), Ridge()), 1543, "Hashing.zeros")


def of_letters(model: Any, **more: Any) -> Trained:
    """Some come so often that a byte does not hold how often."""
    given = ["aab", "abc", "", "cab", "bb", "c a", "bca", "abab"] * 4
    given[::9] = ["a" * 127 + "b", "b" * 128, "a" * 300 + "bb", "c" * 256]
    model.fit(given, np.arange(32) % 3)
    table = Table([Column("f0", "text", given)], np.arange(32) % 3.0)
    return Trained(model, table, ["option=Vectorizer.small-integers"], rows=[[g] for g in given] + [[None]], count=0, texts=True, **more)


@case(BOTH)
def text_small_counts() -> Trained:
    return of_letters(make_pipeline(CountVectorizer(analyzer="char", dtype=np.int8), Ridge()))


@case()
def text_small_hashes() -> Trained:
    return of_letters(HashingVectorizer(n_features=3, analyzer="char", dtype=np.int8))


# Estimators around texts ----------------------------------------------------------------------


@case(BOTH)
def text_svd_standardized() -> Trained:
    """A projection of a sparse matrix is dense: the scaler subtracts the mean."""
    model = make_pipeline(TfidfVectorizer(max_features=30), TruncatedSVD(3, random_state=0), StandardScaler(), logistic())
    return of_texts(model, 1571, "StandardScaler.projected")


@case(BOTH)
def text_calibrated() -> Trained:
    model = make_pipeline(TfidfVectorizer(max_features=30), RidgeClassifier())
    return of_texts(CalibratedClassifierCV(model, cv=2), 1572, "Calibrated.texts")


@case()
def text_votes() -> Trained:
    words, hashes = TfidfVectorizer(max_features=20), HashingVectorizer(n_features=16)
    parts = [("words", make_pipeline(words, logistic())), ("hashes", make_pipeline(hashes, logistic()))]
    return of_texts(VotingClassifier(parts, voting="soft"), 1573, "Voting.texts")


@case()
def text_against_rest() -> Trained:
    model = make_pipeline(CountVectorizer(max_features=20), logistic())
    return of_texts(OneVsRestClassifier(model), 1574, "OneVsRest.texts")


@case()
def text_target() -> Trained:
    model = make_pipeline(TfidfVectorizer(max_features=20), Ridge())
    return of_texts(TransformedTargetRegressor(model, transformer=StandardScaler()), 1575, "TransformedTarget.texts")


def columns_of(seed: int) -> Table:
    rng = np.random.RandomState(seed)
    given = texts(seed, 160)
    tenure, fee = np.round(rng.randn(160), 3), np.round(rng.randn(160), 3)
    y = tenure - fee
    return Table([Column("note", "text", given), Column("tenure", "real", tenure), Column("fee", "real", fee)], y, named=True)


def of_columns(model: Any, seed: int, **more: Any) -> Trained:
    t = columns_of(seed)
    frame = pd.DataFrame({c.name: c.values for c in t.columns})
    model.fit(frame, t.y_class(3))
    notes = texts(seed + 1000, 20) + [text for text in EDGES if text is not None]
    cells = [0.5, -1.25, 2.0 if more.get("transform") else None, float("inf"), 0.0, 3, -0.0]
    rows: List[List[Any]] = [[note, cells[i % 7] if i % 3 == 0 else 0.25, cells[i % 5] if i % 4 == 0 else -2.5]
                             for i, note in enumerate(notes)]
    return Trained(model, t, rows=rows + [[None, 0.5, 0.5]], count=0, sample=frame, missing=np.nan, **more)


# float32 -------------------------------------------------------------------------------------


@case(BOTH)
def text_float32() -> Trained:
    model = make_pipeline(TfidfVectorizer(dtype=np.float32, max_features=40), logistic())
    return of_texts(model, 1561, "Text.float32", classes=2)


@case(BOTH)
def text_float32_scaled() -> Trained:
    parts = make_union(HashingVectorizer(n_features=24, dtype=np.float32, norm="l1"),
                       make_pipeline(CountVectorizer(dtype=np.float32, max_features=20), StandardScaler(with_mean=False)))
    return of_texts(make_pipeline(parts, Normalizer(), Ridge(fit_intercept=False)), 1562, transform=True)


@case()
def text_float32_sublinear() -> Trained:
    return of_texts(TfidfVectorizer(dtype=np.float32, sublinear_tf=True, max_features=20), 1563)


@case()
def text_float32_svd() -> Trained:
    model = make_pipeline(TfidfVectorizer(dtype=np.float32, max_features=30), TruncatedSVD(2, random_state=0), logistic())
    return of_texts(model, 1564)


@case(BOTH)
def text_and_numbers() -> Trained:
    parts = ColumnTransformer([("text", TfidfVectorizer(), "note"), ("numbers", StandardScaler(), ["tenure", "fee"])])
    return of_columns(make_pipeline(parts, logistic()), 1531)


@case()
def text_and_numbers_transform() -> Trained:
    parts = ColumnTransformer([("text", TfidfVectorizer(max_features=9), "note"), ("numbers", StandardScaler(), ["tenure"])])
    return of_columns(make_pipeline(parts, logistic()), 1533, transform=True)


@case()
def text_and_numbers_dense() -> Trained:
    parts = ColumnTransformer([("numbers", "passthrough", ["fee"]), ("text", CountVectorizer(max_features=12), "note")],
                              sparse_threshold=0)
    return of_columns(make_pipeline(parts, StandardScaler(), logistic()), 1532)
