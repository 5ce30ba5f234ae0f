"""Models whose ONNX graphs compute: products, activations, encoders of texts, reductions. One function each; a case
returns the fitted object, the types of its columns and rows. The graph's operators are in the golden's `covers`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, Dict, List, Optional

import numpy as np
from sklearn.cluster import KMeans
from sklearn.compose import make_column_transformer
from sklearn.decomposition import PCA, TruncatedSVD
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import SelectKBest
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, PoissonRegressor, Ridge, SGDClassifier
from sklearn.naive_bayes import BernoulliNB, GaussianNB, MultinomialNB
from sklearn.neural_network import MLPClassifier, MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    Binarizer,
    KBinsDiscretizer,
    MinMaxScaler,
    Normalizer,
    OneHotEncoder,
    OrdinalEncoder,
    PolynomialFeatures,
    RobustScaler,
    StandardScaler,
)

PLANS = ["basic", "grand", "größer", ""]
CITIES = ["aa", "b", "zoo"]


@dataclass
class Graph:
    model: Any
    kinds: List[str]  # of each column: float32, float64, int64, bool, text
    rows: List[List[Any]]  # as they are asked
    names: Optional[List[str]] = None  # None: one input for all columns
    options: Optional[Dict[str, Any]] = None  # of the conversion
    opset: Any = None
    in_float32: bool = False  # operators of ai.onnx.ml compute in it, whatever the inputs are
    differs: str = ""  # why scikit-learn's own answers are others; it is not asked then


CASES: List[Callable[[], Graph]] = []


def case(train: Callable[[], Graph]) -> Callable[[], Graph]:
    CASES.append(train)
    return train


def numbers(seed: int, f: int = 4, n: int = 150) -> np.ndarray:
    return np.random.RandomState(seed).randn(n, f).astype(np.float32)


def score_of(x: np.ndarray) -> np.ndarray:
    return x.astype(np.float64) @ (1 - 0.7 * np.arange(x.shape[1])) + 0.2 * np.sin(7 * x[:, 0])


def classes_of(x: np.ndarray, k: int) -> np.ndarray:
    s = score_of(x)
    return np.searchsorted(np.quantile(s, np.linspace(0, 1, k + 1)[1:-1]), s)


ODD = [float("nan"), None, float("inf"), float("-inf"), 0.0, -0.0, 1e-40, 1e30, -3.0, 1, True]


def rows_of(x: np.ndarray, finite: bool = False) -> List[List[Any]]:
    """Training rows, and rows in which one number is odd."""
    rows: List[List[Any]] = [[float(v) for v in row] for row in x[:24]]
    for i, odd in enumerate(ODD):
        if finite and odd is not None and not np.isfinite(odd):
            continue
        if finite and odd in (None, 1e30):
            continue
        row = [float(v) for v in x[30 + i]]
        row[i % len(row)] = odd
        rows.append(row)
    return rows


def plain(model: Any, seed: int, y: str = "class3", dtype: str = "float32", f: int = 4, **more: Any) -> Graph:
    x = numbers(seed, f)
    if y == "counts":
        x = np.abs(np.round(3 * x))
    target = {"class2": classes_of(x, 2), "class3": classes_of(x, 3), "real": score_of(x)}.get(y, classes_of(x, 3))
    if y == "words":
        target = np.array(["high", "low", "middle"])[target]
    if y == "positive":
        target = np.exp(0.3 * score_of(x))
    model.fit(x.astype(dtype), target)
    return Graph(model, [dtype] * f, rows_of(x), **more)


ARRAY = {"zipmap": False}

# Products and label tails -----------------------------------------------------------------------


@case
def mlp_three() -> Graph:
    return plain(MLPClassifier((9, 5), max_iter=60, random_state=1), 101, options=ARRAY)


@case
def mlp_words() -> Graph:
    return plain(MLPClassifier((6,), activation="tanh", max_iter=60, random_state=1), 102, y="words")


@case
def mlp_two_logistic() -> Graph:
    return plain(MLPClassifier((6,), activation="logistic", max_iter=60, random_state=1), 103, y="class2", opset=15)


@case
def mlp_regressor() -> Graph:
    return plain(MLPRegressor(hidden_layer_sizes=(8, 4), max_iter=80, random_state=1), 104, y="real")


@case
def logistic_float64() -> Graph:
    return plain(LogisticRegression(), 105, dtype="float64", options=ARRAY)


@case
def logistic_two_float64() -> Graph:
    return plain(LogisticRegression(), 106, y="class2", dtype="float64", options=ARRAY)


@case
def ridge_float64() -> Graph:
    return plain(make_pipeline(StandardScaler(), Ridge()), 107, y="real", dtype="float64")


@case
def poisson_regressor() -> Graph:
    return plain(PoissonRegressor(), 108, y="positive")


@case
def sgd_huber() -> Graph:
    return plain(SGDClassifier(loss="modified_huber", random_state=1), 109, options=ARRAY)


@case
def discriminant() -> Graph:
    return plain(LinearDiscriminantAnalysis(), 110, dtype="float64", options=ARRAY)


@case
def gaussian_bayes() -> Graph:
    return plain(GaussianNB(), 112)


@case
def gaussian_bayes_float64() -> Graph:
    return plain(GaussianNB(), 113, dtype="float64", y="words", options=ARRAY)


@case
def multinomial_bayes() -> Graph:
    return plain(MultinomialNB(), 114, y="counts", options=ARRAY)


@case
def bernoulli_bayes() -> Graph:
    return plain(BernoulliNB(binarize=0.1), 115, opset=18)


@case
def centres() -> Graph:
    return plain(KMeans(3, n_init=2, random_state=1), 116, y="real")


# Transformers -----------------------------------------------------------------------------------


@case
def polynomial() -> Graph:
    return plain(make_pipeline(PolynomialFeatures(2), Ridge()), 120, y="real", f=3)


@case
def bins() -> Graph:
    return plain(KBinsDiscretizer(4, encode="onehot-dense"), 121, y="real", f=3)


@case
def unit_rows() -> Graph:
    return plain(make_pipeline(Normalizer(), LogisticRegression()), 122, options=ARRAY)


@case
def largest_one() -> Graph:
    return plain(Normalizer("max"), 123, y="counts")  # ONNX takes the largest number, scikit-learn the largest magnitude


@case
def components() -> Graph:
    return plain(make_pipeline(PCA(2, whiten=True), LogisticRegression()), 124, options=ARRAY)


@case
def components_float64() -> Graph:
    return plain(TruncatedSVD(2, random_state=1), 125, y="real", dtype="float64")


@case
def scaled_to_range() -> Graph:
    return plain(make_pipeline(MinMaxScaler(clip=True), RobustScaler(), Binarizer(threshold=0.2)), 126, y="real")


@case
def selected() -> Graph:
    return plain(make_pipeline(SelectKBest(k=2), MLPRegressor(hidden_layer_sizes=(3,), max_iter=30, random_state=1)), 127, y="real", f=6)


@case
def imputed_number() -> Graph:
    x = numbers(128)
    x[::7, 1] = -9
    model = make_pipeline(SimpleImputer(missing_values=-9.0), Ridge()).fit(x, score_of(x))
    return Graph(model, ["float32"] * 4, rows_of(x))


# Texts, integers, several inputs ----------------------------------------------------------------


def mixed(model: Any, seed: int, kinds: List[str], y: str = "class2", **more: Any) -> Graph:
    """Columns age, fee (numbers), plan, city (texts), as many as there are kinds."""
    import pandas as pd

    n = 160
    rng = np.random.RandomState(seed)
    data: Dict[str, Any] = {}
    score = np.zeros(n)
    for name, kind in zip(["age", "fee", "plan", "city"], kinds):
        if kind == "text":
            words = PLANS if name == "plan" else CITIES
            places = rng.randint(len(words), size=n)
            data[name] = pd.Series([words[p] for p in places], dtype=object)
            score += places - 1
        elif kind == "int64":
            data[name] = rng.randint(-3, 4, size=n).astype(np.int64)
            score += data[name]
        elif kind == "bool":
            data[name] = rng.rand(n) > 0.5
            score += data[name]
        else:
            data[name] = rng.randn(n).astype(kind)
            score += data[name]
    frame = pd.DataFrame(data)
    score = score + 0.5 * rng.randn(n)
    model.fit(frame, (score > np.median(score)).astype(np.int64) if y == "class2" else score)
    rows = [[v.item() if hasattr(v, "item") else v for v in frame.iloc[i]] for i in range(24)]
    odd = {"text": ["unseen", "BASIC", "größer", "", None], "int64": [7, 0, None], "bool": [True, None]}
    for j, kind in enumerate(kinds):
        for v in odd.get(kind, ODD):
            row = list(rows[j])
            row[j] = v
            rows.append(row)
    return Graph(model, kinds, rows, names=list(data), **more)


def encoded(encoder: Any, **numeric: Any) -> Any:
    return make_column_transformer(
        (make_pipeline(SimpleImputer(), StandardScaler()), ["age", "fee"]), (encoder, ["plan", "city"])
    )


@case
def texts_one_hot() -> Graph:
    model = make_pipeline(encoded(OneHotEncoder(handle_unknown="ignore")), LogisticRegression())
    return mixed(model, 130, ["float32", "float32", "text", "text"])


@case
def texts_dropped() -> Graph:
    model = make_pipeline(encoded(OneHotEncoder(drop="first")), LogisticRegression())
    return mixed(model, 131, ["float32", "float32", "text", "text"], options=ARRAY)


@case
def texts_ordinal() -> Graph:
    encoder = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1)
    model = make_pipeline(encoded(encoder), MLPRegressor(hidden_layer_sizes=(4,), max_iter=40, random_state=1))
    return mixed(model, 132, ["float32", "float32", "text", "text"], y="real")


@case
def integers_one_hot() -> Graph:
    model = make_pipeline(
        make_column_transformer((OneHotEncoder(handle_unknown="ignore"), ["fee"]), (StandardScaler(), ["age"])),
        LogisticRegression(),
    )
    return mixed(model, 133, ["float32", "int64"])


# Named columns in front of a model, texts that are imputed ---------------------------------------


@case
def named_scaled() -> Graph:
    return mixed(make_pipeline(StandardScaler(), LogisticRegression()), 140, ["float32", "float32"])


@case
def named_integers() -> Graph:
    return mixed(make_pipeline(StandardScaler(), LogisticRegression()), 141, ["float32", "int64"], options=ARRAY, opset=15)


@case
def output_for_each_class() -> Graph:
    return mixed(make_pipeline(StandardScaler(), LogisticRegression()), 142, ["float32", "float32"], options={"zipmap": "columns"})


@case
def texts_imputed() -> Graph:
    imputer = make_pipeline(SimpleImputer(missing_values="", strategy="most_frequent"), OneHotEncoder(handle_unknown="ignore"))
    model = make_pipeline(encoded(imputer), LogisticRegression())
    return mixed(model, 143, ["float32", "float32", "text", "text"], options=ARRAY)


@case
def texts_filled() -> Graph:
    imputer = make_pipeline(
        SimpleImputer(missing_values="", strategy="constant", fill_value="none"),
        OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1),
    )
    model = make_pipeline(encoded(imputer), RandomForestClassifier(5, max_depth=4, random_state=1))
    return mixed(model, 144, ["float32", "float32", "text", "text"])
