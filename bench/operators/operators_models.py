"""operators_models.py - what is benchmarked: fitted estimators and pipelines, each with the rows it is asked
about. The operators are those of Hummingbird's tables 11 and 12 (scikit-learn's, iris widened to 20 columns),
with SVC on data that keeps 1,000 support vectors; PCA stands for the other products of matrices, and a Gaussian process
for the other kernels."""

from __future__ import annotations

import pathlib
from dataclasses import dataclass
from typing import Any, Callable, List

import numpy as np
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_iris
from sklearn.decomposition import PCA
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.naive_bayes import BernoulliNB
from sklearn.neighbors import KNeighborsClassifier
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
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier

TRAINED_ON = 10_000
TITANIC = pathlib.Path(__file__).parent / "../../demo/data/titanic.csv"


@dataclass
class Task:
    name: str
    title: str
    function: str  # predict, predict_proba or transform
    model: Any
    data: Any  # an array or a DataFrame, as the model was fitted
    dense: bool = False  # mostly a product of matrices
    in_batches: float = 1.0  # how many times as fast as the faster peer it must be
    by_row: float = 1.0
    by_row_of_sklearn: float = 1.0  # the same of scikit-learn alone
    most: int = 0  # rows at once, where a peer needs memory for all of them; 0: any


@dataclass
class Spec:
    name: str
    make: Callable[[str, int], Task]


SPECS: List[Spec] = []


def spec(name: str) -> Callable:
    def add(make: Callable[[str, int], Task]) -> Callable:
        SPECS.append(Spec(name, make))
        return make

    return add


# Hummingbird's tables 11 and 12 ---------------------------------------------------------------


def widened_iris(rows: int) -> Any:
    """Distinct rows: each a row of iris, five times side by side, with noise."""
    rng = np.random.RandomState(11)
    iris = load_iris()
    picked = rng.randint(len(iris.target), size=rows)
    data = np.tile(iris.data[picked], 5) + rng.normal(0, 0.1, (rows, 20))
    return data.astype(np.float32), iris.target[picked]


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


# Kernels and neighbours -----------------------------------------------------------------------

#: Rows of the slowest ones: a million takes scikit-learn a minute.
FEWER = 100_000


def noisy(rows: int, columns: int) -> Any:
    """A product of two columns and noise."""
    rng = np.random.RandomState(15)
    x = rng.randn(min(rows, FEWER), columns).astype(np.float32)
    return x, x[:, 0] * x[:, 1] + 0.6 * rng.randn(len(x))


@spec("SVC")
def svc(name: str, rows: int) -> Task:
    x, y = noisy(rows, 20)
    model = SVC().fit(x[:1_100], y[:1_100] > 0)
    title = "SVC, rbf, %d support vectors of 20 columns" % len(model.support_vectors_)
    return Task(name, title, "predict", model, x, in_batches=2, by_row_of_sklearn=20)


@spec("GaussianProcessRegressor")
def gaussian_process(name: str, rows: int) -> Task:
    x, y = noisy(rows, 10)
    kernel = ConstantKernel(1.0) * RBF(2.0) + WhiteKernel(0.4)
    model = GaussianProcessRegressor(kernel, optimizer=None).fit(x[:500], y[:500])
    title = "GaussianProcessRegressor, 500 rows of 10 columns"
    return Task(name, title, "predict", model, x, by_row_of_sklearn=20)


@spec("KNeighborsClassifier")
def neighbours(name: str, rows: int) -> Task:
    """Brute force over 10,000 rows of 20 columns."""
    rng = np.random.RandomState(16)
    x = rng.randn(min(rows, FEWER), 20).astype(np.float32)
    y = (x[:, 0] > 0) * 1 + (x[:, 1] + x[:, 2] > 0.5)
    model = KNeighborsClassifier(algorithm="brute").fit(x[:TRAINED_ON], y[:TRAINED_ON])
    title = "KNeighborsClassifier, brute force over 10,000 rows of 20 columns"
    return Task(name, title, "predict", model, x, by_row=20, most=1_000)


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


def text_spec(name: str, terms: int) -> None:
    @spec(name)
    def make(title: str, rows: int) -> Task:
        """100,000 distinct texts, again and again."""
        frame, words = texts(min(rows, 100_000), terms, 15)
        again = frame.iloc[np.arange(rows) % len(frame)].reset_index(drop=True)
        all_words = pd.DataFrame({"note": [" ".join(words[i : i + 23]) for i in range(0, terms, 23)]})
        fitted = pd.concat([frame[:TRAINED_ON], all_words], ignore_index=True)
        y = np.arange(len(fitted)) % 2
        model = make_pipeline(make_column_transformer((TfidfVectorizer(), "note")), LogisticRegression(max_iter=20))
        title = "TfidfVectorizer of {:,} terms, 23 words + LogisticRegression".format(terms)
        return Task(name, title, "predict_proba", model.fit(fitted, y), again, by_row=20)


text_spec("text_words", 1_000)
text_spec("text_words_wide", 100_000)


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
