"""Imputers that predict what is missing."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.experimental import enable_iterative_imputer  # noqa: F401
from sklearn.impute import IterativeImputer, KNNImputer
from sklearn.linear_model import Lasso, LogisticRegression, Ridge
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeRegressor

from golden_sklearn_cases_projections import model_of as probed
from golden_sklearn_models import BOTH, Trained, case, small
from golden_tables import Table


def model_of(model: object, t: Table, y: object, *covers: str, **more: object) -> Trained:
    return probed(model, t, y, *covers, probed=True, **more)


def gappy(seed: int, f: int = 4, n: int = 60, mark: Any = None) -> Table:
    """A fifth of the cells is missing, each column somewhere."""
    t = small(seed, f=f, n=n)
    rng = np.random.RandomState(seed)
    for c in t.columns:
        c.values = [mark if rng.rand() < 0.2 else v for v in c.values]
    return t


@case(BOTH)
def impute_knn() -> Trained:
    t = gappy(2301)
    return model_of(make_pipeline(KNNImputer(n_neighbors=3), LogisticRegression()), t, t.y_binary(), transform=True)


@case()
def impute_knn_marked() -> Trained:
    """1.2.1 leaves the marks out where nothing is missing."""
    t = gappy(2302)
    model = KNNImputer(n_neighbors=4, weights="distance", add_indicator=True)
    return model_of(model, t, None, "KNNImputer.distance")


@case()
def impute_knn_number() -> Trained:
    t = gappy(2303, mark=-1.0)
    return model_of(KNNImputer(missing_values=-1.0), t, None, "KNNImputer.missing_values")


def without_a_column(t: Table) -> Table:
    t.columns[1].values = [None] * t.rows
    return t


@case(BOTH)
def impute_knn_empty() -> Trained:
    """Distances count the column that training has not seen, which is dropped."""
    return model_of(KNNImputer(n_neighbors=2), without_a_column(gappy(2304)), None, "KNNImputer.empty")


@case()
def impute_knn_keeps_empty() -> Trained:
    model = KNNImputer(n_neighbors=2, keep_empty_features=True, add_indicator=True)
    return model_of(model, without_a_column(gappy(2305)), None, "KNNImputer.keep_empty_features", narrow=True)


@case(BOTH)
def impute_rounds() -> Trained:
    t = gappy(2306)
    model = make_pipeline(IterativeImputer(max_iter=3, random_state=1), Ridge())
    return model_of(model, t, t.y_real(), transform=True)


@case(BOTH)
def impute_rounds_limits() -> Trained:
    t = gappy(2307)
    model = IterativeImputer(
        Lasso(alpha=0.01),
        max_iter=2,
        n_nearest_features=2,
        initial_strategy="median",
        imputation_order="descending",
        min_value=[-1.0, -np.inf, -0.5, -2.0],
        max_value=0.9,
        add_indicator=True,
        random_state=1,
    )
    return model_of(model, t, None, "IterativeImputer.limits")


@case()
def impute_rounds_tree() -> Trained:
    t = gappy(2308)
    model = IterativeImputer(DecisionTreeRegressor(max_depth=3, random_state=1), max_iter=2, skip_complete=True, random_state=1)
    return model_of(model, t, None, "IterativeImputer.tree")


@case()
def impute_rounds_empty() -> Trained:
    model = IterativeImputer(max_iter=2, keep_empty_features=True, random_state=1)
    return model_of(model, without_a_column(gappy(2309)), None, "IterativeImputer.keep_empty_features")


@case(BOTH)
def impute_rounds_dropped() -> Trained:
    model = IterativeImputer(max_iter=2, imputation_order="roman", random_state=1)
    return model_of(model, without_a_column(gappy(2310)), None, "IterativeImputer.empty")


@case()
def impute_rounds_float32() -> Trained:
    return model_of(IterativeImputer(max_iter=2, random_state=1), gappy(2311), None, "IterativeImputer.float32", narrow=True)


@case()
def impute_rounds_none() -> Trained:
    return model_of(IterativeImputer(max_iter=0), gappy(2312), None, "IterativeImputer.max_iter=0")
