"""Trees and ensembles of scikit-learn."""

from __future__ import annotations

from typing import List

import numpy as np
from sklearn import ensemble, tree
from sklearn.dummy import DummyClassifier, DummyRegressor

from golden_cells import Value
from golden_sklearn_models import ALL, BOTH, LATE, NEW, OLD, Trained, case, clean, fitted
from golden_tables import Table, numbers

WORDS = np.array(["no", "yes", "été"])


def table(seed: int, missing: bool = False) -> Table:
    """Ordinary columns; where the version takes them, with missing values."""
    return numbers(seed, n=200, f=4) if missing else clean(seed, n=200)


def forest(model: object, seed: int, y: str, missing: bool = False, **more: object) -> Trained:
    t = table(seed, missing)
    more.setdefault("count", 150)
    target = {"two": t.y_binary, "three": lambda: t.y_class(3), "real": t.y_real}[y]()
    if missing:
        covers = more.get("covers", [])
        more["covers"] = list(covers) + ["option=missing"]  # type: ignore[call-overload]
    return fitted(model, t, target, **more)  # type: ignore[arg-type]


# Single trees -------------------------------------------------------------------------------


@case(BOTH)
def decision_tree() -> Trained:
    return forest(tree.DecisionTreeClassifier(max_depth=5, random_state=1), 401, "three")


@case(LATE)
def decision_tree_missing() -> Trained:
    model = tree.DecisionTreeClassifier(max_depth=5, random_state=1)
    return forest(model, 402, "two", missing=True)


@case((OLD,))
def decision_tree_weights() -> Trained:
    """Counts before 1.4 are sums of weights."""
    t = table(403)
    weights = np.round(t.rng.rand(t.rows), 2) / 7 + 0.01
    model = tree.DecisionTreeClassifier(max_depth=4, random_state=1)
    model.fit(t.matrix(), WORDS[t.y_class(3)], sample_weight=weights)
    return Trained(model, t, covers=["option=sample-weight"], count=150)


def near_ties(count: int) -> List[List[float]]:
    """Numbers a < b next to each other, and c below them, so that a and b are the same share of the
    sum of all."""
    rng = np.random.RandomState(5)
    found: List[List[float]] = []
    while len(found) < count:
        c, a = np.sort(1.8 + 0.2 * rng.rand(2))
        b = float(np.nextafter(a, 2.0))
        if a / (a + b + c) == b / (a + b + c):
            found.append([a, b, c])
    return found


@case((OLD,))
def decision_tree_near_ties() -> Trained:
    """Leaves whose second class has most, though its probability is that of the first."""
    t = table(404)
    x = np.zeros((24, 4))
    x[:, 0] = np.repeat(np.arange(8.0), 3)
    model = tree.DecisionTreeClassifier(random_state=1, splitter="random")
    model.fit(x, np.tile([0, 1, 2], 8), sample_weight=np.ravel(near_ties(8)))
    rows: List[List[Value]] = [[v, 0.0, 0.0, 0.0] for v in np.arange(-1.0, 8.5, 0.25)]
    return Trained(model, t, covers=["option=near-tie"], count=100, rows=rows)


@case()
def decision_tree_regressor() -> Trained:
    return forest(
        tree.DecisionTreeRegressor(max_depth=5, random_state=1), 405, "real", missing=True
    )


@case(BOTH)
def decision_tree_targets() -> Trained:
    t = table(406)
    model = tree.DecisionTreeRegressor(max_depth=4, random_state=1)
    return fitted(model, t, t.y_many(3), covers=["option=targets"], count=150)


@case()
def decision_tree_leaf() -> Trained:
    """A tree that is one leaf."""
    t = table(407)
    return fitted(tree.DecisionTreeRegressor(), t, np.full(t.rows, 0.1), covers=["tree=one-leaf"])


@case()
def decision_tree_monotonic() -> Trained:
    model = tree.DecisionTreeRegressor(max_depth=4, random_state=1, monotonic_cst=[1, 0, 0, -1])
    return forest(model, 408, "real", covers=["option=monotonic_cst"])


@case(BOTH)
def extra_tree() -> Trained:
    return forest(tree.ExtraTreeClassifier(max_depth=6, random_state=1), 409, "two")


@case()
def extra_tree_regressor() -> Trained:
    return forest(tree.ExtraTreeRegressor(max_depth=5, random_state=1), 410, "real", missing=True)


# Forests ------------------------------------------------------------------------------------


@case(BOTH)
def random_forest() -> Trained:
    model = ensemble.RandomForestClassifier(8, max_depth=5, random_state=1)
    return forest(model, 420, "three")


@case(LATE)
def random_forest_missing() -> Trained:
    model = ensemble.RandomForestClassifier(6, max_depth=5, random_state=1, class_weight="balanced")
    return forest(model, 421, "two", missing=True, covers=["option=class_weight"])


@case()
def random_forest_names() -> Trained:
    """A DataFrame of float32 columns, class labels of text."""
    t = clean(422, n=200, named=True)
    types = {c.name: "float32" for c in t.columns}
    model = ensemble.RandomForestClassifier(5, max_depth=4, random_state=1)
    return fitted(model, t, WORDS[t.y_binary()], types=types, count=120)


@case()
def random_forest_types() -> Trained:
    """Columns of several types."""
    t = clean(423, n=200, named=True)
    t.columns[1].values = np.round(np.asarray(t.columns[1].values))
    t.columns[2].values = (np.asarray(t.columns[2].values) > 0).astype(float)
    t.columns[2].cell = "b"
    types = {"f0": "float32", "f1": "int64", "f2": "bool"}
    model = ensemble.RandomForestRegressor(5, max_depth=4, random_state=1)
    return fitted(model, t, t.y_real(), types=types, count=120)


@case()
def random_forest_ties() -> Trained:
    """Two trees of pure leaves: probabilities of exactly one half."""
    model = ensemble.RandomForestClassifier(2, random_state=1, max_features=1)
    return forest(model, 424, "two", covers=["option=ties"], count=200)


@case()
def random_forest_larger() -> Trained:
    t = numbers(425, n=600, f=12, missing=0.05)
    model = ensemble.RandomForestClassifier(20, max_depth=8, random_state=1)
    return fitted(model, t, t.y_class(4), covers=["option=missing", "forest=larger"], count=220)


@case(BOTH)
def random_forest_regressor() -> Trained:
    model = ensemble.RandomForestRegressor(7, max_depth=5, random_state=1)
    return forest(model, 426, "real")


@case()
def random_forest_targets() -> Trained:
    t = table(427, missing=True)
    model = ensemble.RandomForestRegressor(4, max_depth=4, random_state=1)
    return fitted(model, t, t.y_many(2), covers=["option=targets", "option=missing"], count=120)


@case()
def random_forest_poisson() -> Trained:
    t = table(428)
    model = ensemble.RandomForestRegressor(4, max_depth=4, random_state=1, criterion="poisson")
    return fitted(model, t, t.y_count(), covers=["option=criterion=poisson"], count=120)


@case(BOTH)
def extra_trees() -> Trained:
    model = ensemble.ExtraTreesClassifier(6, max_depth=5, random_state=1)
    return forest(model, 429, "two")


@case()
def extra_trees_regressor() -> Trained:
    model = ensemble.ExtraTreesRegressor(5, max_depth=4, random_state=1)
    return forest(model, 430, "real", missing=True)


@case()
def random_forest_weights() -> Trained:
    """Weights of training rows that are no counts."""
    weights = {0: 0.3, 1: 1.7, 2: 1.0}
    model = ensemble.RandomForestClassifier(5, max_depth=4, class_weight=weights, random_state=1)
    t = table(431)
    return fitted(model, t, t.y_class(3), count=120)


@case()
def random_forest_best_first() -> Trained:
    """Nodes that are not in preorder in the library."""
    model = ensemble.RandomForestRegressor(4, max_leaf_nodes=12, random_state=1)
    return forest(model, 432, "real", missing=True)


@case()
def extra_trees_deep() -> Trained:
    """Leaves of one class each; more rows than a byte counts."""
    t = clean(433, n=700)
    model = ensemble.ExtraTreesClassifier(3, random_state=1, min_impurity_decrease=0.02)
    return fitted(model, t, t.y_class(3), count=120)


@case()
def random_forest_columns() -> Trained:
    """Forests in columns are read as before."""
    model = ensemble.RandomForestClassifier(4, max_depth=4, random_state=1)
    return forest(model, 434, "three", missing=True, in_columns=True)


@case()
def gradient_boosting_columns() -> Trained:
    model = ensemble.GradientBoostingClassifier(n_estimators=2, max_depth=2, random_state=1)
    return forest(model, 435, "three", in_columns=True)


# Bagging ------------------------------------------------------------------------------------


@case(BOTH)
def bagging() -> Trained:
    model = ensemble.BaggingClassifier(n_estimators=15, random_state=1)
    t = table(461)
    return fitted(model, t, WORDS[t.y_class(3)], count=150)


@case(BOTH)
def bagging_features() -> Trained:
    """Trees of some of the columns, one column more than once; no tree gets the last."""
    model = ensemble.BaggingClassifier(
        tree.DecisionTreeClassifier(max_depth=4),
        n_estimators=3,
        max_features=2,
        bootstrap_features=True,
        random_state=11,
    )
    return forest(model, 462, "two", covers=["option=Bagging.features"])


@case(BOTH)
def bagging_small_samples() -> Trained:
    """A class of which a tree's sample holds none has the probability 0."""
    model = ensemble.BaggingClassifier(
        tree.ExtraTreeClassifier(), n_estimators=9, max_samples=5, random_state=1
    )
    return forest(model, 463, "three")


@case(LATE)
def bagging_missing() -> Trained:
    model = ensemble.BaggingClassifier(
        tree.DecisionTreeClassifier(max_depth=5), n_estimators=8, random_state=1
    )
    return forest(model, 464, "two", missing=True)


@case(BOTH)
def bagging_regressor() -> Trained:
    model = ensemble.BaggingRegressor(
        n_estimators=8, max_features=0.8, max_samples=0.5, random_state=1
    )
    return forest(model, 465, "real")


@case()
def bagging_regressor_missing() -> Trained:
    model = ensemble.BaggingRegressor(
        tree.DecisionTreeRegressor(max_depth=6), n_estimators=7, random_state=1
    )
    return forest(model, 466, "real", missing=True)


# Gradient boosting --------------------------------------------------------------------------


@case(BOTH)
def boosting_regressor() -> Trained:
    model = ensemble.GradientBoostingRegressor(n_estimators=12, random_state=1)
    return forest(model, 440, "real")


@case()
def boosting_regressor_quantile() -> Trained:
    model = ensemble.GradientBoostingRegressor(
        n_estimators=5, loss="quantile", alpha=0.8, random_state=1
    )
    return forest(model, 441, "real", covers=["option=GB.loss=quantile"])


@case(BOTH)
def boosting_regressor_huber() -> Trained:
    model = ensemble.GradientBoostingRegressor(n_estimators=5, loss="huber", random_state=1)
    return forest(model, 442, "real", covers=["option=GB.loss=huber"])


@case()
def boosting_regressor_absolute() -> Trained:
    model = ensemble.GradientBoostingRegressor(
        n_estimators=5, loss="absolute_error", random_state=1, subsample=0.7
    )
    return forest(model, 443, "real", covers=["option=GB.loss=absolute_error"])


@case(BOTH)
def boosting_zero() -> Trained:
    model = ensemble.GradientBoostingRegressor(n_estimators=4, init="zero", random_state=1)
    return forest(model, 444, "real", covers=["option=GB.init=zero"])


@case()
def boosting_dummy() -> Trained:
    init = DummyRegressor(strategy="constant", constant=3.25)
    model = ensemble.GradientBoostingRegressor(n_estimators=4, init=init, random_state=1)
    return forest(model, 445, "real", covers=["option=GB.init=dummy"])


@case(BOTH)
def boosting_binary() -> Trained:
    model = ensemble.GradientBoostingClassifier(n_estimators=10, random_state=1)
    return forest(model, 446, "two")


@case(BOTH)
def boosting_binary_tie() -> Trained:
    """Raw scores of exactly 0: the first class in 1.2, the second in 1.9."""
    t = clean(447, n=200)
    x = t.matrix()
    y = np.tile([0, 1], t.rows // 2)
    y[x[:, 0] > 1.0] = 1
    pure = np.flatnonzero(x[:, 0] <= 1.0)
    y[pure] = np.arange(len(pure)) % 2
    model = ensemble.GradientBoostingClassifier(
        n_estimators=1, init="zero", max_leaf_nodes=2, random_state=1
    )
    model.fit(np.column_stack([x[:, 0] > 1.0, x[:, 1:] * 0]).astype(float), y)
    rows = [[v, 0.0, 0.0, 0.0] for v in (0.0, 0.25, 0.5, 0.75, 1.0)]
    return Trained(model, t, covers=["option=ties", "option=GB.init=zero"], rows=rows, count=80)


@case(ALL)
def boosting_exponential() -> Trained:
    model = ensemble.GradientBoostingClassifier(n_estimators=6, loss="exponential", random_state=1)
    return forest(model, 448, "two", covers=["option=GB.loss=exponential"])


@case(ALL)
def boosting_several() -> Trained:
    model = ensemble.GradientBoostingClassifier(n_estimators=5, max_depth=2, random_state=1)
    t = table(449)
    return fitted(model, t, WORDS[t.y_class(3)], count=150)


@case(BOTH)
def boosting_several_dummy() -> Trained:
    init = DummyClassifier(strategy="most_frequent")
    model = ensemble.GradientBoostingClassifier(
        n_estimators=2, init=init, max_depth=2, random_state=1
    )
    return forest(model, 450, "three", covers=["option=GB.init=dummy"])


@case((NEW,))
def boosting_far() -> Trained:
    """Raw scores in the hundreds: probabilities of 0 and 1, and denormal ones."""
    model = ensemble.GradientBoostingClassifier(n_estimators=3, learning_rate=150.0, random_state=1)
    return forest(model, 451, "two", covers=["option=far-raw"])
