"""operators_models.py - what is benchmarked: fitted estimators and pipelines, each with the rows it is asked
about. The operators are those of Hummingbird's tables 11 and 12 (scikit-learn's, iris widened to 20 columns), and PCA; then
whole pipelines. A row for each other family stands in operators_vectors.py, operators_combined.py, operators_columns.py and
operators_texts.py."""

from __future__ import annotations

import pathlib
from typing import Any

import numpy as np
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.decomposition import PCA
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.naive_bayes import BernoulliNB
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    Binarizer,
    MinMaxScaler,
    Normalizer,
    OneHotEncoder,
    PolynomialFeatures,
    StandardScaler,
)
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from operators_tasks import TRAINED_ON, Task, spec, widened_iris

TITANIC = pathlib.Path(__file__).parent / "../../demo/data/titanic.csv"

# Hummingbird's tables 11 and 12 ---------------------------------------------------------------


def operator(name: str, model: Any, function: str = "predict", **more: Any) -> None:
    @spec(name)
    def make(title: str, rows: int) -> Task:
        x, y = widened_iris(rows)
        fitted = model.fit(x[:TRAINED_ON], y[:TRAINED_ON])
        return Task(name, title, function, fitted, x, **more)


operator("LogisticRegression", LogisticRegression())
operator("SGDClassifier", SGDClassifier(random_state=1))
operator("LinearSVC", LinearSVC())
operator("BernoulliNB", BernoulliNB(binarize=2.0))
operator("MLPClassifier", MLPClassifier(random_state=1, max_iter=30), dense=True)
operator("DecisionTreeClassifier", DecisionTreeClassifier(random_state=1))
operator("Binarizer", Binarizer(threshold=2.0), "transform")
operator("MinMaxScaler", MinMaxScaler(), "transform")
operator("Normalizer", Normalizer(), "transform")
operator("PolynomialFeatures", PolynomialFeatures(), "transform")
operator("StandardScaler", StandardScaler(), "transform")
operator("PCA", PCA(10), "transform", dense=True)


# Whole pipelines ------------------------------------------------------------------------------


@spec("scaler_logistic")
def scaler_logistic(name: str, rows: int) -> Task:
    rng = np.random.RandomState(12)
    x = (rng.randn(rows, 28) * rng.uniform(0.5, 20, 28)).astype(np.float32)
    y = x @ rng.randn(28).astype(np.float32) + rng.randn(rows) * 30 > 0
    model = make_pipeline(StandardScaler(), LogisticRegression()).fit(x[:TRAINED_ON], y[:TRAINED_ON])
    return Task(name, "StandardScaler + LogisticRegression, 28 float32", "predict_proba", model, x)


@spec("mixed")
def mixed(name: str, rows: int) -> Task:
    rng = np.random.RandomState(13)
    frame = pd.DataFrame({"n%d" % j: np.round(rng.gamma(2, 10, rows), 2) for j in range(8)})
    for j in range(8):
        frame.loc[rng.rand(rows) < 0.05, "n%d" % j] = np.nan
    for j, count in enumerate((4, 8, 20)):
        words = np.array(["kind %02d of %d" % (k, count) for k in range(count)], dtype=object)
        frame["t%d" % j] = words[rng.randint(count, size=rows)]
    y = frame["n0"].fillna(20) + 10 * (frame["t0"] == "kind 01 of 4") + rng.randn(rows) * 9 > 22
    numbers, texts = ["n%d" % j for j in range(8)], ["t0", "t1", "t2"]
    model = make_pipeline(
        make_column_transformer(
            (make_pipeline(SimpleImputer(strategy="median"), StandardScaler()), numbers),
            (OneHotEncoder(handle_unknown="ignore"), texts),
        ),
        LogisticRegression(max_iter=1000),
    ).fit(frame[:TRAINED_ON], y[:TRAINED_ON])
    title = "8 numbers imputed and scaled, 3 texts one-hot + LogisticRegression"
    return Task(name, title, "predict_proba", model, frame, in_batches=4, by_row=20)


@spec("titanic")
def titanic(name: str, rows: int) -> Task:
    """The passengers again and again, with noise in their ages and fares; a text that is missing is one of its own,
    as ONNX has no missing texts."""
    table = pd.read_csv(TITANIC, keep_default_na=True)
    numbers, texts = ["pclass", "age", "sibsp", "parch", "fare"], ["sex", "embarked"]
    rng = np.random.RandomState(14)
    frame = table[numbers].astype(np.float64).join(table[texts].fillna("?").astype(object))
    again = frame.iloc[rng.randint(len(frame), size=rows)].reset_index(drop=True)
    again["age"] += rng.normal(0, 0.5, rows)
    again["fare"] += np.abs(rng.normal(0, 0.5, rows))
    model = make_pipeline(
        make_column_transformer(
            (make_pipeline(SimpleImputer(strategy="median"), StandardScaler()), numbers),
            (OneHotEncoder(handle_unknown="ignore"), texts),
        ),
        LogisticRegression(),
    ).fit(frame, table["fate"])
    return Task(name, "Titanic: 5 numbers, 2 texts + LogisticRegression", "predict_proba", model, again)
