"""Ensembles of trees that are no plain sums: histogram boosting with missing values and categories,
isolation forests, AdaBoost."""

from __future__ import annotations

from typing import Any, List, Optional, Sequence

import numpy as np
from sklearn import ensemble, tree

from golden_cells import Value
from golden_sklearn_models import ALL, BOTH, NEW, OLD, Trained, case, clean, fitted
from golden_tables import ODD_CODES, Column, Table, coded, labelled, numbers

WORDS = np.array(["no", "yes", "été"])
INFINITE = float("inf")


def hist(kind: str, **more: Any) -> Any:
    """Few small trees, which test many columns."""
    options = {"max_iter": 5, "max_leaf_nodes": 7, "min_samples_leaf": 8, "learning_rate": 0.4}
    options.update(more)
    return getattr(ensemble, "HistGradientBoosting" + kind)(**options)


def covered(*names: str) -> List[str]:
    return ["option=Hist." + name for name in names]


# Numbers ------------------------------------------------------------------------------------


@case(BOTH)
def ens_hist_regressor() -> Trained:
    """Missing values in all columns, sent to either side."""
    t = numbers(601, n=240)
    return fitted(hist("Regressor"), t, t.y_real(), covers=["option=missing"], most=72)


@case()
def ens_hist_columns() -> Trained:
    """The same in columns, which the Python package does not write any more."""
    t = numbers(634, n=240)
    return fitted(hist("Regressor"), t, t.y_real(), in_columns=True, most=72)


@case()
def ens_hist_known() -> Trained:
    """Columns that had no missing value in training."""
    t = clean(602, n=240)
    return fitted(hist("Regressor", max_iter=3), t, t.y_real(), most=72)


@case()
def ens_hist_absolute() -> Trained:
    t = numbers(603, n=160)
    model = hist("Regressor", loss="absolute_error", max_iter=4)
    return fitted(model, t, t.y_real(), covers=covered("loss=absolute_error"), most=72)


@case()
def ens_hist_quantile() -> Trained:
    t = numbers(604, n=160)
    model = hist("Regressor", loss="quantile", quantile=0.8, max_iter=4)
    return fitted(model, t, t.y_real(), covers=covered("loss=quantile"), most=72)


@case()
def ens_hist_poisson() -> Trained:
    t = numbers(605, n=160)
    model = hist("Regressor", loss="poisson", max_iter=4)
    return fitted(model, t, t.y_count(), covers=covered("loss=poisson"), most=72)


@case()
def ens_hist_gamma() -> Trained:
    t = numbers(606, n=160)
    model = hist("Regressor", loss="gamma", max_iter=4)
    return fitted(model, t, t.y_positive(), covers=covered("loss=gamma"), most=72)


@case()
def ens_hist_stopped() -> Trained:
    """Early stopping; rounds that did not help any more are kept, as the library does."""
    t = numbers(607, n=300)
    model = hist("Regressor", max_iter=40, learning_rate=0.6, early_stopping=True, n_iter_no_change=2, random_state=1)
    return fitted(model, t, t.y_real(), covers=covered("early_stopping"), most=72)


@case()
def ens_hist_constrained() -> Trained:
    """Constraints of training mean nothing to the answers; nor do columns of float32."""
    t = numbers(608, n=160)
    together = [[0, 1], [2, 3]]
    model = hist("Regressor", max_iter=4, monotonic_cst=[1, 0, 0, -1], interaction_cst=together)
    covers = covered("monotonic_cst", "interaction_cst")
    return fitted(model, t, t.y_real(), narrow=True, covers=covers, most=72)


@case(BOTH)
def ens_hist_binary() -> Trained:
    t = numbers(609, n=240)
    return fitted(hist("Classifier", learning_rate=0.2), t, WORDS[t.y_binary()], most=72)


@case(BOTH)
def ens_hist_several() -> Trained:
    t = numbers(610, n=240)
    model = hist("Classifier", max_iter=3, max_leaf_nodes=5)
    return fitted(model, t, WORDS[t.y_class(3)], most=72)


@case(BOTH)
def ens_hist_tie() -> Trained:
    """Raw scores of exactly 0, and next to it: where probabilities are equal but scores are not."""
    t = clean(611, f=1, n=64)
    x = np.repeat([0.0, 1.0, 2.0, 3.0], 16)[:, np.newaxis]
    y = np.concatenate([np.tile([0, 1], 8), np.tile([0, 1], 8), np.tile([1, 1, 0, 1], 4), np.zeros(16)])
    y[-4:] = 1
    model = hist("Classifier", max_iter=1, min_samples_leaf=4, learning_rate=1e-16)
    model.fit(x, y.astype(int))
    model._baseline_prediction = np.zeros_like(model._baseline_prediction)
    rows: List[List[Value]] = [[v] for v in (-1.0, 0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0)]
    return Trained(model, t, covers=["option=ties"], rows=rows, most=72)


# Categories ---------------------------------------------------------------------------------

#: Beyond a byte, fractions, what lies below 0: since 1.4 nothing that is no category is cut to one.
STRANGE: List[Value] = [255.0, 256.0, 257.0, 258.75, 511.0, 2147483647.0, 2147483649.0, 4294967297.0]


def codes(seed: int, y: str, kind: str, sizes: Sequence[int] = (5, 40), **more: Any) -> Trained:
    t = coded(seed, n=320, sizes=sizes)
    columns = [j for j, c in enumerate(t.columns) if c.kind == "code"]
    target = {"real": t.y_real, "two": t.y_binary, "three": lambda: t.y_class(3)}[y]()
    rows: List[List[Value]] = []
    for i, v in enumerate(STRANGE + ODD_CODES):
        row = [c.value(i) for c in t.columns]
        row[columns[i % len(columns)]] = v
        rows.append(row)
    model = hist(kind, categorical_features=columns, min_samples_leaf=4, **more)
    return fitted(model, t, target, rows=rows, covers=covered("categorical_features"), most=72)


@case(ALL)
def ens_hist_codes() -> Trained:
    return codes(620, "real", "Regressor")


@case(BOTH)
def ens_hist_codes_many() -> Trained:
    """Sets of several words."""
    return codes(621, "two", "Classifier", sizes=(3, 200), max_iter=4, max_bins=255)


@case(BOTH)
def ens_hist_codes_only() -> Trained:
    """No column is a number; codes that training has not seen are between those that it has."""
    t = coded(622, n=240, sizes=(9, 7))
    t.columns = [c for c in t.columns if c.kind == "code"]
    for c in t.columns:
        c.values = np.asarray(c.values) * 3 + 1
        c.categories = [3 * v + 1 for v in c.categories or []] + [0, 2, 3]
    model = hist("Regressor", categorical_features=[True, True], min_samples_leaf=4)
    return fitted(model, t, t.y_real(), covers=covered("categorical_features"), most=72)


@case((NEW,))
def ens_hist_words() -> Trained:
    """Texts and whole numbers by the names of their columns, missing ones as NaN."""
    t = labelled(623, WORDS_OF_PLANS, [3, 40, 700, -2], n=320)
    names = [c.name for c in t.columns if c.stored]
    model = hist("Classifier", categorical_features=names, min_samples_leaf=4)
    y = WORDS[t.y_class(3)]
    covers = covered("categorical_features", "texts")
    return fitted(model, t, y, missing=np.nan, covers=covers, most=72)


WORDS_OF_PLANS = ["basic", "gold", "plus", "Zürich", "", "12"]


@case((NEW,))
def ens_hist_words_none() -> Trained:
    """None is a category like others, NaN is not."""
    t = labelled(624, WORDS_OF_PLANS, n=280, missing=0.15)
    names = [c.name for c in t.columns if c.stored]
    model = hist("Regressor", categorical_features=names, min_samples_leaf=4)
    covers = covered("categorical_features", "texts")
    return fitted(model, t, t.y_real(), missing=None, covers=covers, most=72)


@case((NEW,))
def ens_hist_from_dtype() -> Trained:
    """pandas' category type says which columns they are; that of one has no missing value."""
    t = labelled(625, WORDS_OF_PLANS[:4], [1, 2, 5, 9], n=280)
    types = {c.name: "category" for c in t.columns if c.stored}
    model = hist("Regressor", categorical_features="from_dtype", min_samples_leaf=4)
    covers = covered("from_dtype", "texts")
    return fitted(model, t, t.y_real(), types=types, missing=np.nan, covers=covers, most=72)


# Isolation forests --------------------------------------------------------------------------


def isolation(seed: int, covers: Sequence[str] = (), missing: bool = False, **more: Any) -> Trained:
    t = numbers(seed, n=201, f=4) if missing else clean(seed, n=201)
    options = {"n_estimators": 6, "max_samples": 32, "random_state": 1}
    options.update(more)
    model = ensemble.IsolationForest(**options)
    named = ["option=Isolation." + c for c in covers] + (["option=missing"] if missing else [])
    return fitted(model, t, None, covers=named, most=72)


@case(BOTH)
def ens_isolation() -> Trained:
    return isolation(630)


@case()
def ens_isolation_missing() -> Trained:
    return isolation(631, missing=True)


@case(ALL)
def ens_isolation_contamination() -> Trained:
    """The offset is the score of one of the rows, whose own answer is then exactly 0."""
    return isolation(632, ["contamination"], contamination=0.1)


@case()
def ens_isolation_features() -> Trained:
    return isolation(633, ["max_features"], max_features=2, bootstrap=True)


@case()
def ens_isolation_alone() -> Trained:
    """Trees of one row each: every row is as deep as the average."""
    return isolation(634, ["max_samples=1"], max_samples=1, n_estimators=2)


# Gradient boosting from another model ---------------------------------------------------------


@case(BOTH)
def ens_boosting_init() -> Trained:
    t = clean(636, n=160)
    init = ensemble.RandomForestRegressor(3, max_depth=4, random_state=1)
    model = ensemble.GradientBoostingRegressor(
        n_estimators=4, max_depth=2, init=init, random_state=1
    )
    return fitted(model, t, t.y_real(), covers=["option=GB.init=estimator"], most=72)


@case()
def ens_boosting_init_missing() -> Trained:
    """The model that it starts from would take missing values."""
    t = clean(637, n=160)
    model = ensemble.GradientBoostingRegressor(
        n_estimators=3, max_depth=2, loss="huber", init=hist("Regressor", max_iter=2), random_state=1
    )
    return fitted(model, t, t.y_real(), covers=["option=GB.init=estimator"], most=72)


# AdaBoost -----------------------------------------------------------------------------------


def boosted(seed: int, y: str, base: Optional[Any] = None, n: int = 7, **more: Any) -> Trained:
    t = clean(seed, n=200)
    covers = ["option=AdaBoost.SAMME"]
    if "learning_rate" in more:
        covers.append("option=AdaBoost.learning_rate")
    target = t.y_binary() if y == "two" else t.y_class(3)
    samme = {"algorithm": "SAMME"} if hasattr(ensemble.AdaBoostClassifier(), "algorithm") else {}
    model = ensemble.AdaBoostClassifier(base, n_estimators=n, random_state=1, **samme, **more)
    return fitted(model, t, WORDS[target], covers=covers, most=72)


def by_logs(seed: int, y: str, base: Optional[Any] = None, n: int = 6) -> Trained:
    t = clean(seed, n=200)
    target = t.y_binary() if y == "two" else t.y_class(3)
    model = ensemble.AdaBoostClassifier(base, n_estimators=n, random_state=1, algorithm="SAMME.R")
    return fitted(model, t, target, covers=["option=AdaBoost.SAMME.R"], most=72)


@case(ALL)
def ens_adaboost() -> Trained:
    return boosted(640, "two")


@case(BOTH)
def ens_adaboost_several() -> Trained:
    return boosted(641, "three", tree.DecisionTreeClassifier(max_depth=3), learning_rate=0.7)


@case(BOTH)
def ens_adaboost_tie() -> Trained:
    """Two trees of equal weights that contradict each other: a score of 0."""
    t = clean(642, n=200)
    x = t.matrix()
    y = (x[:, 0] > np.median(x[:, 0])).astype(int)
    model = ensemble.AdaBoostClassifier(n_estimators=1, random_state=1)
    if hasattr(model, "algorithm"):
        model.set_params(algorithm="SAMME")
    model.fit(x, y)
    other = tree.DecisionTreeClassifier(max_depth=1, random_state=1).fit(x, 1 - y)
    model.estimators_ = [model.estimators_[0], other]
    model.estimator_weights_ = np.array([0.7, 0.7])
    return Trained(model, t, covers=["option=ties", "option=AdaBoost.SAMME"], most=72)


@case()
def ens_adaboost_stopped() -> Trained:
    """A tree without an error ends it: the array of weights is longer than the list of trees."""
    t = clean(643, n=200)
    model = ensemble.AdaBoostClassifier(
        tree.ExtraTreeClassifier(random_state=1), n_estimators=5, random_state=1
    )
    if hasattr(model, "algorithm"):
        model.set_params(algorithm="SAMME")
    y = np.asarray(t.columns[0].values) > 0
    return fitted(model, t, y, covers=["option=AdaBoost.stopped"], most=72)


@case((OLD,))
def ens_adaboost_logs() -> Trained:
    return by_logs(644, "two", tree.DecisionTreeClassifier(max_depth=2))


@case((OLD,))
def ens_adaboost_logs_several() -> Trained:
    return by_logs(645, "three", tree.DecisionTreeClassifier(max_depth=2))


def median(seed: int, n: int = 12, **more: Any) -> Trained:
    t = clean(seed, n=200)
    covers = ["option=AdaBoost.loss=" + more["loss"]] if "loss" in more else []
    model = ensemble.AdaBoostRegressor(n_estimators=n, random_state=1, **more)
    return fitted(model, t, t.y_real(), covers=covers, most=72)


@case()
def ens_adaboost_regressor() -> Trained:
    return median(650, loss="linear")


@case()
def ens_adaboost_regressor_square() -> Trained:
    return median(651, loss="square", n=7)


@case()
def ens_adaboost_regressor_exponential() -> Trained:
    return median(652, loss="exponential", n=6)


@case(BOTH)
def ens_adaboost_regressor_ties() -> Trained:
    """Trees that say the same, and weights whose half is met exactly."""
    t = clean(653, n=200)
    model = ensemble.AdaBoostRegressor(
        tree.DecisionTreeRegressor(max_depth=1), n_estimators=8, random_state=1
    )
    model.fit(t.matrix(), np.round(t.y_real()))
    model.estimator_weights_ = np.array([1.0, 0.5, 2.0, 0.5, 1.0, 0.0, 2.0, 1.0])[
        : len(model.estimators_)
    ]
    return Trained(model, t, covers=["option=ties"], most=72)


@case()
def ens_adaboost_regressor_perfect() -> Trained:
    """One tree without an error."""
    t = Table([Column("f0", "real", np.arange(40.0))], np.arange(40.0))
    base = tree.DecisionTreeRegressor()
    model = ensemble.AdaBoostRegressor(base, n_estimators=3, random_state=3)
    return fitted(model, t, np.repeat([1.5, 2.5], 20), covers=["option=AdaBoost.stopped"], most=72)


@case(BOTH)
def ens_adaboost_regressor_infinite() -> Trained:
    """By its learning rate some weights are infinite."""
    t = clean(655, n=200)
    model = ensemble.AdaBoostRegressor(n_estimators=8, random_state=1, learning_rate=4e307)
    made = fitted(model, t, t.y_real(), covers=["option=AdaBoost.infinite"], most=72)
    assert np.isinf(model.estimator_weights_).sum() > 1
    return made
