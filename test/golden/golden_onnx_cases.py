"""Models that skl2onnx and onnxmltools convert, small, one function each, and graphs that no converter writes.

A case returns the fitted object and its table. What the graph's operators are is in the golden's `covers`."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import Any, Callable, Dict, List, Optional

import numpy as np
from sklearn.compose import make_column_transformer
from sklearn.ensemble import (
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.impute import SimpleImputer
from sklearn.linear_model import (
    ElasticNet,
    LinearRegression,
    LogisticRegression,
    Ridge,
    RidgeClassifier,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, RobustScaler, StandardScaler
from sklearn.svm import LinearSVC, LinearSVR
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from golden_tables import Column, Table, coded

WORDS = np.array(["high", "low", "middle"])


@dataclass
class Trained:
    model: Any
    table: Table
    options: Dict[str, Any] = field(default_factory=dict)  # of the conversion
    opset: Any = None
    rounds_thresholds: bool = False  # the conversion does
    missing: bool = False  # trained with missing numbers, which scikit-learn answers too
    graph: Optional[Any] = None  # the converted model, if it is not skl2onnx's to make
    every: int = 1  # rows: one of so many is kept


CASES: List[Callable[[], Trained]] = []


def case(train: Callable[[], Trained]) -> Callable[[], Trained]:
    CASES.append(train)
    return train


def table(seed: int, f: int = 4, n: int = 160, missing: float = 0.0, named: bool = False) -> Table:
    """Numbers of one scale, which float32 holds, so that scikit-learn and ONNX get the same ones."""
    rng = np.random.RandomState(seed)
    columns, score = [], np.zeros(n)
    for j in range(f):
        z = rng.randn(n).astype(np.float32).astype(np.float64)
        score += z * (1.1 if j % 2 == 0 else -0.7)
        z[rng.rand(n) < missing] = np.nan
        name = ["age", "monthly_fee", "visits", "days"][j] if named else "f%d" % j
        columns.append(Column(name, "real", z, cell="sD"[j % 2]))
    return Table(columns, score, named=named, rng=rng)


def fitted(model: Any, t: Table, y: Any, **more: Any) -> Trained:
    x = t.frame({c.name: "float32" for c in t.columns}) if t.named else t.matrix().astype(np.float32)
    return Trained(model.fit(x, y), t, **more)


# Linear models ----------------------------------------------------------------------------------


@case
def logistic_two() -> Trained:
    t = table(1)
    return fitted(LogisticRegression(), t, t.y_binary())


@case
def logistic_two_texts() -> Trained:
    t = table(2)
    return fitted(LogisticRegression(), t, np.array(["no", "yes"])[t.y_binary()])


@case
def logistic_three() -> Trained:
    t = table(3)
    return fitted(LogisticRegression(), t, t.y_class(3) * 10 - 5, options={"zipmap": False})


@case
def logistic_three_texts() -> Trained:
    t = table(4, f=7)
    return fitted(LogisticRegression(), t, WORDS[t.y_class(3)], opset=11)


@case
def linear_svc() -> Trained:
    t = table(5)
    return fitted(LinearSVC(), t, t.y_binary())


@case
def linear_svc_three() -> Trained:
    t = table(6)
    return fitted(LinearSVC(), t, t.y_class(3))


@case
def ridge_classifier() -> Trained:
    t = table(7)
    return fitted(RidgeClassifier(), t, t.y_class(4), opset=15)


@case
def linear_regression() -> Trained:
    t = table(8)
    return fitted(LinearRegression(), t, t.y_real())


@case
def ridge_targets() -> Trained:
    t = table(9)
    return fitted(Ridge(), t, t.y_many(3), opset=18)


@case
def linear_svr() -> Trained:
    t = table(10, f=1)
    return fitted(LinearSVR(), t, t.y_real())


@case
def wide_regression() -> Trained:
    t = table(11, f=70, n=240)
    return fitted(Ridge(alpha=3), t, t.y_real())


# Behind transformers ----------------------------------------------------------------------------


@case
def scaled_logistic() -> Trained:
    t = table(12, missing=0.1)
    model = make_pipeline(SimpleImputer(), StandardScaler(), LogisticRegression())
    return fitted(model, t, t.y_binary(), missing=True)


@case
def scaled_elastic_net() -> Trained:
    t = table(13)
    return fitted(make_pipeline(MaxAbsScaler(), ElasticNet(alpha=0.1)), t, t.y_real())


@case
def scaled_tree() -> Trained:
    t = table(14)
    return fitted(make_pipeline(RobustScaler(), DecisionTreeClassifier(max_depth=4)), t, t.y_class(3))


@case
def named_columns() -> Trained:
    t = table(15, missing=0.1, named=True)
    columns = make_column_transformer(
        (make_pipeline(SimpleImputer(), StandardScaler()), ["monthly_fee", "age"]),
        (SimpleImputer(strategy="median"), ["days"]),
    )
    model = make_pipeline(columns, LogisticRegression())
    return fitted(model, t, t.y_binary(), missing=True, options={"zipmap": False})


# Trees ------------------------------------------------------------------------------------------


@case
def tree_two() -> Trained:
    t = table(20)
    return fitted(DecisionTreeClassifier(max_depth=4), t, t.y_binary())


@case
def tree_three() -> Trained:
    t = table(21)
    return fitted(DecisionTreeClassifier(max_depth=4), t, WORDS[t.y_class(3)])


@case
def tree_regressor() -> Trained:
    t = table(22)
    return fitted(DecisionTreeRegressor(max_depth=5), t, t.y_real())


@case
def forest_two() -> Trained:
    t = table(23)
    model = RandomForestClassifier(7, max_depth=4, random_state=1)
    return fitted(model, t, t.y_binary())


@case
def forest_missing() -> Trained:
    """skl2onnx 1.20 does not write the branches that such trees have learned for missing numbers: the file means
    something else than scikit-learn, and its answers to NaN are ONNX Runtime's alone."""
    t = table(24, missing=0.2)
    model = RandomForestClassifier(5, max_depth=4, random_state=1)
    return fitted(model, t, t.y_binary())


@case
def forest_four() -> Trained:
    t = table(25)
    model = RandomForestClassifier(5, max_depth=4, random_state=1)
    return fitted(model, t, t.y_class(4), options={"zipmap": False}, opset=11)


@case
def extra_trees() -> Trained:
    t = table(26)
    model = ExtraTreesClassifier(5, max_depth=4, random_state=1)
    return fitted(model, t, t.y_class(3))


@case
def forest_regressor() -> Trained:
    t = table(27)
    model = RandomForestRegressor(9, max_depth=4, random_state=1)
    return fitted(model, t, t.y_real() * 1e4, opset=15)


@case
def forest_targets() -> Trained:
    t = table(28)
    model = RandomForestRegressor(5, max_depth=3, random_state=1)
    return fitted(model, t, t.y_many(2))


@case
def boosting_two() -> Trained:
    t = table(29)
    model = GradientBoostingClassifier(n_estimators=6, max_depth=3, random_state=1)
    return fitted(model, t, t.y_binary())


@case
def boosting_three() -> Trained:
    t = table(30)
    model = GradientBoostingClassifier(n_estimators=4, max_depth=3, random_state=1)
    return fitted(model, t, t.y_class(3), opset=18)


@case
def boosting_regressor() -> Trained:
    t = table(31)
    model = GradientBoostingRegressor(n_estimators=8, max_depth=3, random_state=1)
    return fitted(model, t, t.y_real())


HIST_CASE: Dict[str, Any] = {"missing": True, "rounds_thresholds": True}
HIST: Dict[str, Any] = {"max_iter": 5, "max_leaf_nodes": 7, "min_samples_leaf": 5}


@case
def hist_two() -> Trained:
    t = table(32, missing=0.15, n=300)
    return fitted(HistGradientBoostingClassifier(**HIST), t, t.y_binary(), **HIST_CASE)


@case
def hist_three() -> Trained:
    t = table(33, missing=0.15, n=300)
    return fitted(HistGradientBoostingClassifier(**HIST), t, t.y_class(3), **HIST_CASE)


@case
def hist_regressor() -> Trained:
    t = table(34, missing=0.15, n=300)
    return fitted(HistGradientBoostingRegressor(**HIST), t, t.y_real(), **HIST_CASE)


# Categories of boosters ---------------------------------------------------------------------------


def boosted(model: Any, t: Table, y: Any, convert: Any, **more: Any) -> Trained:
    """Categories become chains of BRANCH_EQ with one true child. The boosters cut 1.5 to the category 1, which the
    file does not."""
    from onnxmltools.convert.common.data_types import FloatTensorType

    model.fit(t.matrix().astype(np.float32), y, **more)
    graph = convert(model, initial_types=[("X", FloatTensorType([None, len(t.columns)]))])
    graph.graph.name = "boosted"  # else it has another one each time
    return Trained(model, t, missing=True, rounds_thresholds=True, graph=graph, every=3)


@case
def lightgbm_codes() -> Trained:
    from lightgbm import LGBMRegressor
    from onnxmltools.convert import convert_lightgbm

    t = coded(40, n=300, sizes=(5, 70))
    model = LGBMRegressor(
        n_estimators=3, num_leaves=5, min_child_samples=5, cat_smooth=1, min_data_per_group=5, max_cat_to_onehot=1,
        verbose=-1, n_jobs=1,
    )
    return boosted(model, t, t.y_real(), convert_lightgbm, categorical_feature=[0, 2])


@case
def lightgbm_array() -> Trained:
    """Without ZipMap the converter multiplies the probabilities by 1."""
    from lightgbm import LGBMClassifier
    from onnxmltools.convert import convert_lightgbm

    model = LGBMClassifier(n_estimators=3, num_leaves=4, min_child_samples=5, verbose=-1, n_jobs=1)
    t = table(44, missing=0.15, n=200)
    return boosted(model, t, t.y_class(3), partial(convert_lightgbm, zipmap=False))


@case
def xgboost_codes() -> Trained:
    from onnxmltools.convert import convert_xgboost
    from xgboost import XGBClassifier

    t = coded(41, n=300, sizes=(6, 20))
    types = ["c", "float", "c", "float"]
    model = XGBClassifier(
        n_estimators=3, max_depth=3, enable_categorical=True, max_cat_to_onehot=1, feature_types=types, n_jobs=1
    )
    return boosted(model, t, t.y_binary(), convert_xgboost)


@case
def xgboost_codes_three() -> Trained:
    from onnxmltools.convert import convert_xgboost
    from xgboost import XGBClassifier

    t = coded(42, n=300, sizes=(4,))
    model = XGBClassifier(
        n_estimators=2, max_depth=2, enable_categorical=True, feature_types=["c", "float"], n_jobs=1
    )
    return boosted(model, t, t.y_class(3), convert_xgboost)


# Graphs by hand -----------------------------------------------------------------------------------


def by_hand(t: Table, op: str, domain_version: int, outputs: List[Any], **attributes: Any) -> Trained:
    from onnx import TensorProto, helper

    node = helper.make_node(op, ["X"], [o[0] for o in outputs], domain="ai.onnx.ml", **attributes)
    graph = helper.make_graph(
        [node],
        "by_hand",
        [helper.make_tensor_value_info("X", TensorProto.FLOAT, [None, len(t.columns)])],
        [helper.make_tensor_value_info(name, kind, [None] * rank) for name, kind, rank in outputs],
    )
    versions = [helper.make_opsetid("", 21), helper.make_opsetid("ai.onnx.ml", domain_version)]
    return Trained(None, t, graph=helper.make_model(graph, opset_imports=versions, ir_version=10), every=2)


NUMBERS = [("numbers", 1, 2)]


@case
def all_modes() -> Trained:
    """Each mode in a tree of its own, with a missing number that tracks true and one that does not."""
    t = coded(43, n=60, sizes=(4,))
    modes = ["BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT", "BRANCH_EQ", "BRANCH_NEQ"]
    tree: List[List[Any]] = []
    for k, mode in enumerate(modes):
        tree += [[k, 0, k % 2, 1.5 if k % 2 else 2.0, mode, 1, 2, 1], [k, 1, 0, 2.0, modes[-1 - k], 3, 4, 0]]
        tree += [[k, leaf, 0, 0.0, "LEAF", 0, 0, 0] for leaf in (2, 3, 4)]
    names = "treeids nodeids featureids values modes truenodeids falsenodeids missing_value_tracks_true".split()
    nodes = {"nodes_" + name: list(column) for name, column in zip(names, zip(*tree))}
    leaves = [(row[0], row[1]) for row in tree if row[4] == "LEAF"]
    return by_hand(
        t, "TreeEnsembleRegressor", 3, NUMBERS, n_targets=1, target_treeids=[k for k, _ in leaves],
        target_nodeids=[n for _, n in leaves], target_ids=[0] * len(leaves),
        target_weights=[0.1 * (i + 1) * (-1) ** i for i in range(len(leaves))], **nodes,
    )


def of_version_5(t: Table, splits: List[Any], roots: List[int], leaves: List[Any], members: List[float]) -> Trained:
    """splits: feature, mode, threshold, the true and the false branch, tracks true. A branch below 0 is leaf -1 - b."""
    from onnx import numpy_helper

    features, modes, values, yes, no, tracks = zip(*splits)
    number = lambda x, kind: numpy_helper.from_array(np.array(x, dtype=kind))  # noqa: E731
    more = {"membership_values": number(members, np.float32)} if members else {}
    return by_hand(
        t, "TreeEnsemble", 5, NUMBERS, tree_roots=roots, nodes_featureids=features, nodes_modes=number(modes, np.uint8),
        nodes_splits=number(values, np.float32), nodes_truenodeids=[b if b >= 0 else -1 - b for b in yes],
        nodes_falsenodeids=[b if b >= 0 else -1 - b for b in no], nodes_trueleafs=[int(b < 0) for b in yes],
        nodes_falseleafs=[int(b < 0) for b in no], nodes_missing_value_tracks_true=tracks,
        leaf_targetids=[target for target, _ in leaves], leaf_weights=number([w for _, w in leaves], np.float32),
        n_targets=max(target for target, _ in leaves) + 1, aggregate_function=1, post_transform=0, **more,
    )


LEQ, LT, GTE, GT, EQ, NEQ, MEMBER = range(7)


@case
def members() -> Trained:
    """All modes of version 5, a shared leaf, a tree of one leaf. ONNX Runtime 1.31 cuts numbers to integers for sets with
    members below 1 or above 32, and takes no members with a fraction."""
    t = coded(44, n=60, sizes=(5,))
    splits = [
        (0, MEMBER, 0.0, 1, 2, 0), (1, LEQ, 0.25, -1, -2, 1), (0, MEMBER, 0.0, -3, 3, 1), (1, GT, -0.5, -4, -1, 0),
        (0, EQ, 2.0, 5, 6, 0), (1, GTE, 0.5, -2, -3, 1), (0, NEQ, 3.0, -4, 7, 0), (1, LT, 0.125, -1, -4, 0),
        (0, LEQ, 0.0, -2, -2, 0),
    ]
    leaves = [(0, 0.1), (0, -0.3), (0, 1.7), (0, 1e-3)]
    return of_version_5(t, splits, [4, 0, 8], leaves, [1, 3, np.nan, 2, np.nan])


@case
def leaves_of_targets() -> Trained:
    t = coded(45, n=60, sizes=(5,))
    splits = [(1, LEQ, 0.5, -1, 1, 0), (0, EQ, 2.0, -2, -3, 1), (1, GTE, 0.0, -3, -1, 1)]
    return of_version_5(t, splits, [0, 2], [(0, 0.1), (2, 0.7), (1, -1.3)], [])


@case
def average_of_targets() -> Trained:
    t = coded(46, n=60, sizes=(4,))
    rows = [(k, n) for k in range(3) for n in (1, 2)]
    weights = [(k, n, target) for k, n in rows for target in range(2)]
    return by_hand(
        t, "TreeEnsembleRegressor", 3, NUMBERS, n_targets=2, aggregate_function="AVERAGE", post_transform="LOGISTIC",
        base_values=[0.3, -1.7], nodes_treeids=[k for k in range(3) for _ in range(3)], nodes_nodeids=[0, 1, 2] * 3,
        nodes_featureids=[0] * 3 + [1] * 6, nodes_values=[1.0, 0, 0, 0.25, 0, 0, -0.5, 0, 0],
        nodes_modes=["BRANCH_LEQ", "LEAF", "LEAF"] * 3, nodes_truenodeids=[1, 0, 0] * 3,
        nodes_falsenodeids=[2, 0, 0] * 3, target_treeids=[k for k, _, _ in weights],
        target_nodeids=[n for _, n, _ in weights], target_ids=[target for _, _, target in weights],
        target_weights=[0.1 * (i + 1) * (-1) ** i for i in range(len(weights))],
    )


def extreme(seed: int, aggregate: str, n_targets: int = 1) -> Trained:
    """Of several targets a leaf has a weight for every other one, so that for some rows no tree has any."""
    t = coded(seed, n=60, sizes=(4,))
    leaves = [(k, n) for k in range(3) for n in (1, 2)]
    targets = [i % n_targets for i in range(len(leaves))]
    return by_hand(
        t, "TreeEnsembleRegressor", 3, NUMBERS, n_targets=n_targets, aggregate_function=aggregate,
        post_transform="NONE", base_values=[0.3] if n_targets == 1 else [0.0] * n_targets, nodes_treeids=[k for k in range(3) for _ in range(3)], nodes_nodeids=[0, 1, 2] * 3,
        nodes_featureids=[0] * 3 + [1] * 6, nodes_values=[1.0, 0, 0, 0.25, 0, 0, -0.5, 0, 0],
        nodes_modes=["BRANCH_LEQ", "LEAF", "LEAF"] * 3, nodes_truenodeids=[1, 0, 0] * 3,
        nodes_falsenodeids=[2, 0, 0] * 3, target_treeids=[k for k, _ in leaves], target_nodeids=[n for _, n in leaves],
        target_ids=targets, target_weights=[0.1 * (i + 1) * (-1) ** i for i in range(len(leaves))],
    )


@case
def least_of_trees() -> Trained:
    return extreme(47, "MIN")


@case
def largest_of_trees() -> Trained:
    return extreme(48, "MAX")


@case
def least_of_two_targets() -> Trained:
    return extreme(49, "MIN", 2)


@case
def largest_of_three_targets() -> Trained:
    return extreme(50, "MAX", 3)
