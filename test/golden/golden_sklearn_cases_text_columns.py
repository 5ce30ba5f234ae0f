"""Texts in a table: a column that is split into terms and is a category too, and texts that an imputer fills in before a
vectorizer splits them."""

from __future__ import annotations

import random
from operator import methodcaller
from typing import Any, List, Optional

import numpy as np
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer, TfidfVectorizer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, OrdinalEncoder, StandardScaler

from golden_sklearn_models import BOTH, Trained, case
from golden_tables import Column, Table

TITLES = ["the cat", "The Cat", "a dog and a cat", "stra\u00dfe", "n/a", "\u03a3\u03af\u03c3\u03c5\u03c6\u03bf\u03c2 the dog", "cat", "na\u00efve cat dog"]
CITIES = ["Rome", "Oslo", "n/a"]
UNSEEN = ["", "dog", "CAT", "the  cat", " the cat", "cat" + " dog" * 9, "\u0130", "nothing said", None]


def table_of(seed: int, missing: bool) -> Table:
    rng = random.Random(seed)
    titles: List[Optional[str]] = [rng.choice(TITLES) for _ in range(140)]
    cities: List[Optional[str]] = [rng.choice(CITIES) for _ in range(140)]
    if missing:
        titles[3::7], cities[5::9] = [None] * len(titles[3::7]), [None] * len(cities[5::9])
    fee = np.round(np.random.RandomState(seed).randn(140), 3)
    y = fee + [len(title or "") % 5 - 2 for title in titles] + [len(city or "") - 4 for city in cities]
    columns = [Column("title", "text", titles), Column("city", "text", cities), Column("fee", "real", fee)]
    return Table(columns, np.asarray(y, dtype=np.float64), named=True)


def trained(last: Any, seed: int, cover: str, *parts: Any, missing: bool = False, **more: Any) -> Trained:
    t = table_of(seed, missing)
    frame = pd.DataFrame({c.name: [np.nan if v is None else v for v in c.values] for c in t.columns})
    model = make_pipeline(make_column_transformer(*parts, (StandardScaler(), ["fee"])), last)
    model.fit(frame, t.y_class(3) if isinstance(last, LogisticRegression) else t.y_real())
    cities: List[Any] = CITIES + ["Paris", "Oslo" if cover == "Texts.marked" else None]  # which that imputer may refuse
    fees = [0.5, -1.25, 0.0, 3, float("inf"), -0.0, 0.25]
    rows = [[title, cities[i % 5], fees[i % 7]] for i, title in enumerate(TITLES * 2 + UNSEEN * 2)]
    return Trained(model, t, ["option=" + cover], rows=rows, count=0, sample=frame, missing=np.nan, **more)


def logistic() -> Any:
    return LogisticRegression(max_iter=30)


def category() -> Any:
    return OneHotEncoder(handle_unknown="ignore")


@case(BOTH)
def text_and_category() -> Trained:
    words = TfidfVectorizer(max_features=9)
    return trained(logistic(), 1581, "Texts.category", (words, "title"), (category(), ["title", "city"]))


@case()
def text_and_strict_category() -> Trained:
    """The transform, too."""
    words = CountVectorizer(ngram_range=(1, 2), max_features=12)
    return trained(Ridge(), 1582, "Texts.category-error", (OrdinalEncoder(), ["city", "title"]), (words, "title"), transform=True)


@case()
def text_and_category_twice() -> Trained:
    """Both columns are split, and both are categories."""
    encoder = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1, encoded_missing_value=-2)
    parts = [(HashingVectorizer(n_features=8), "city"), (encoder, ["title", "city"]), (CountVectorizer(), "title")]
    return trained(logistic(), 1583, "Texts.category", *parts)


@case(BOTH)
def text_filled() -> Trained:
    words = make_pipeline(SimpleImputer(strategy="constant", fill_value=""), FunctionTransformer(np.ravel), TfidfVectorizer())
    return trained(logistic(), 1584, "Texts.filled", (words, ["title"]), (category(), ["city"]), missing=True)


@case()
def text_filled_by_the_most_frequent() -> Trained:
    flat = FunctionTransformer(np.squeeze, kw_args={"axis": 1})
    words = make_pipeline(SimpleImputer(strategy="most_frequent"), flat, CountVectorizer(analyzer="char", ngram_range=(2, 2)))
    return trained(Ridge(), 1585, "Texts.filled", (words, ["title"]), missing=True, transform=True)


@case(BOTH)
def text_filled_and_category() -> Trained:
    """A text that an imputer has filled in is split, and is a category."""
    both = SimpleImputer(strategy="constant", fill_value="nothing said")
    words = make_pipeline(FunctionTransformer(methodcaller("reshape", -1)), TfidfVectorizer(max_features=12))
    inner = make_pipeline(both, make_column_transformer((words, [0]), (category(), [0, 1])))
    return trained(logistic(), 1586, "Texts.filled-category", (inner, ["title", "city"]), missing=True)


@case()
def text_marked() -> Trained:
    """A text that stands for a missing one; one that is missing is refused then."""
    mark = SimpleImputer(missing_values="n/a", strategy="constant", fill_value="the cat said")
    words = make_pipeline(FunctionTransformer(np.ravel), HashingVectorizer(n_features=16))
    inner = make_pipeline(mark, make_column_transformer((words, [0]), (category(), [0, 1])))
    return trained(logistic(), 1587, "Texts.marked", (inner, ["title", "city"]))


@case()
def text_marked_and_filled() -> Trained:
    """The text that is filled in first is then a mark."""
    fills = SimpleImputer(strategy="constant", fill_value="n/a"), SimpleImputer(missing_values="n/a", strategy="most_frequent")
    words = make_pipeline(*fills, FunctionTransformer(np.ravel), TfidfVectorizer(binary=True))
    return trained(logistic(), 1588, "Texts.marked", (words, ["title"]), missing=True)
