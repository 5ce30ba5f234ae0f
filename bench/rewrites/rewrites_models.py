"""rewrites_models.py - what is benchmarked: pipelines of the shape of Hummingbird's Figures 9 and 10, tree ensembles of the
shape of CMLCompiler's ablation, and linear models of several classes with an L1 penalty. All data are
made; the shapes of the first two are those of the papers' data sets, Nomao and YearPredictionMSD."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Callable, Dict, List, Optional, Tuple

import numpy as np
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
from sklearn.feature_selection import SelectPercentile
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier, ExtraTreeClassifier

NOMAO_ROWS = 34_465
NUMBERS, TEXTS, VALUES = 89, 30, 3
MISSING = 0.05
COLUMNS = 90
CLASSES = 10
TOPICS, WORDS, TRAINED = 40, 120, 4_000
DEPTH = 4


@dataclass
class Task:
    name: str
    title: str
    figure: str
    model: Any
    data: Any  # a DataFrame
    note: str = ""
    # Configurations beside "on" and "off": the passes that are left on.
    only: Dict[str, Tuple[str, ...]] = field(default_factory=dict)
    strategy: str = "auto"
    # How many times as fast as "off" it must be: (configuration, way). What is not named must not be slower.
    faster: Dict[Tuple[str, str], float] = field(default_factory=dict)
    # The task of the same shape whose model needs all columns. "off" reads no column that does not matter either, so the
    # papers' "off", a pipeline that computes all of them, is that task's: `faster` counts against it too.
    of_all_columns: str = ""


# Hummingbird's Figures 9 and 10 ---------------------------------------------------------------


def nomao(rows: int) -> Tuple[pd.DataFrame, np.ndarray]:
    """89 numbers, of which 5 % are missing, and 30 texts of 3 values. The inputs matter by and by less."""
    rng = np.random.RandomState(9)
    numbers = rng.gamma(2.0, 10.0, (rows, NUMBERS)).round(3)
    texts = rng.randint(VALUES, size=(rows, TEXTS))
    score = ((numbers - 20) / 14) @ (1.5 * 0.87 ** np.arange(NUMBERS)) + (texts - 1) @ (1.0 * 0.75 ** np.arange(TEXTS))
    frame = {"n%d" % j: np.where(rng.rand(rows) < MISSING, np.nan, numbers[:, j]) for j in range(NUMBERS)}
    words = np.array(["none", "some", "many"], dtype=object)
    frame.update({"t%d" % j: words[texts[:, j]] for j in range(TEXTS)})
    return pd.DataFrame(frame), (score + 2 * rng.randn(rows) > np.median(score)).astype(int)


def featurizers() -> Any:
    return make_column_transformer(
        (make_pipeline(SimpleImputer(), StandardScaler()), ["n%d" % j for j in range(NUMBERS)]),
        (OneHotEncoder(), ["t%d" % j for j in range(TEXTS)]),
    )


def inputs_that_matter(weights: np.ndarray) -> int:
    """Counts inputs with a weight; encoded columns are the numbers, then VALUES columns for each text."""
    used = weights != 0
    return int(used[:NUMBERS].sum() + used[NUMBERS:].reshape(TEXTS, VALUES).any(axis=1).sum())


def same_in_all(times: float, scalar: Optional[float] = None) -> Dict[Tuple[str, str], float]:
    limits = {("on", way): times for way in ("core", "scan", "node")}
    if scalar:
        limits["on", "scalar"] = scalar
    return limits


def figure_9(rows: int) -> List[Task]:
    frame, y = nomao(rows)
    tasks = []
    for percent, faster in ((10, same_in_all(4, 2)), (25, same_in_all(2.2)), (100, {})):
        model = make_pipeline(featurizers(), SelectPercentile(percentile=percent), LogisticRegression(max_iter=300))
        model.fit(frame, y)
        weights = np.zeros(NUMBERS + VALUES * TEXTS)
        weights[model[1].get_support()] = model[2].coef_[0]
        tasks.append(Task("select_%d" % percent, "%d %% of the columns selected" % percent, "Figure 9", model, frame,
                          "%d of %d inputs matter" % (inputs_that_matter(weights), NUMBERS + TEXTS), faster=faster, of_all_columns="select_100"))
    return tasks


def figure_10(rows: int) -> List[Task]:
    frame, y = nomao(rows)
    tasks = []
    for name, c, faster in (("strongest", 0.00055, same_in_all(8)), ("strong", 0.0009, same_in_all(5)), ("weak", 0.3, {})):
        solver = LogisticRegression(l1_ratio=1, solver="liblinear", C=c * NOMAO_ROWS / rows)
        model = make_pipeline(featurizers(), solver).fit(frame, y)
        tasks.append(Task("l1_" + name, "L1, %s" % name, "Figure 10", model, frame,
                          "%d of %d inputs matter" % (inputs_that_matter(model[1].coef_[0]), NUMBERS + TEXTS), faster=faster,
                          of_all_columns="l1_weak"))
    return tasks


# CMLCompiler's ablation ------------------------------------------------------------------------

DTYPE, SPARSE = "rewrite_dtypes", "replace_sparse"


def year(rows: int) -> Tuple[pd.DataFrame, np.ndarray]:
    rng = np.random.RandomState(45)
    x = (rng.randn(rows, COLUMNS) * rng.uniform(1, 50, COLUMNS)).astype(np.float32)
    score = (x / x.std(axis=0)) @ rng.randn(COLUMNS) + np.abs(x[:, 0]) / 20
    frame = pd.DataFrame(x, columns=["f%d" % j for j in range(COLUMNS)])
    return frame, np.searchsorted(np.quantile(score, np.arange(1, CLASSES) / CLASSES), score)


def ablation(rows: int) -> List[Task]:
    frame, y = year(rows)
    tasks = []
    for make in (DecisionTreeClassifier, ExtraTreeClassifier, RandomForestClassifier, ExtraTreesClassifier):
        model = make(max_depth=DEPTH, random_state=1).fit(frame, y)
        only = {"dtype": (DTYPE,), "sparse": (SPARSE,), "both": (DTYPE, SPARSE)}
        faster = {("dtype", "core"): 3, ("sparse", "core"): 1.5}
        tasks.append(Task(make.__name__, "%s, depth %d" % (make.__name__, DEPTH), "Ablation", model, frame,
                          "%d columns of float32, %d classes" % (COLUMNS, CLASSES), only, "gemm", faster))
    return tasks


# Few weights ------------------------------------------------------------------------------------


def topics(rows: int) -> Tuple[pd.DataFrame, np.ndarray]:
    """Counts of words, as it were: a topic has words of its own, which matter by and by less."""
    rng = np.random.RandomState(43)
    x = rng.gamma(1.0, 1.0, (rows, WORDS)).round(3)
    score = np.stack([x[:, k::TOPICS] @ (2 * 0.8 ** np.arange(WORDS // TOPICS)) for k in range(TOPICS)], axis=1)
    return pd.DataFrame(x, columns=["w%d" % j for j in range(WORDS)]), (score + rng.randn(rows, TOPICS)).argmax(axis=1)


def sparse(rows: int) -> List[Task]:
    frame, y = topics(rows)
    tasks = []
    for name, c in (("strongest", 0.05), ("strong", 0.1), ("medium", 0.15), ("weak", 0.3)):
        model = LogisticRegression(l1_ratio=1, solver="saga", C=c, max_iter=100, tol=0.01, random_state=1)
        model.fit(frame[:TRAINED], y[:TRAINED])
        used = model.coef_ != 0
        density = used.sum() / (used.any(axis=0).sum() * TOPICS)
        tasks.append(Task("sparse_" + name, "L1 over %d classes, %s" % (TOPICS, name), "Sparse weights", model, frame,
                          "%.0f %% of the weights of %d columns" % (100 * density, used.any(axis=0).sum()),
                          faster={("on", "core"): 1.5} if density <= 0.3 else {}))
    return tasks


FIGURES: Dict[str, Callable[[int], List[Task]]] = {"figure9": figure_9, "figure10": figure_10, "ablation": ablation,
                                                 "sparse": sparse}
