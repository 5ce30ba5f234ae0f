"""Histogram gradient boosting: trees in float64, which take missing values and test categories.

A category is a code of 0 to 255. Since 1.4 the estimator has an encoder in front, which makes codes of
any categories; before, the codes are the numbers themselves, cut to a byte. In a node codes of the
set of its left side go left, other known ones go right, and all else goes where a missing value goes:
one set, of those that go to the other side, says the same."""

from __future__ import annotations

from typing import Any, List, Tuple

import numpy as np

from hbscore.export.compose import step_path
from hbscore.export.document import library_version
from hbscore.export.fitted import Fitted
from hbscore.export.graph import FLOAT64, Graph, Result, Value
from hbscore.export.registry import exporter, transform
from hbscore.export.trees import Tree, forest

TAKES_ALL = 2  # NaN and infinities

# Columns ------------------------------------------------------------------------------------


def check_numbers(f: Fitted, graph: Graph, x: Value) -> Value:
    if graph.has_text(x):
        raise f.error("gets texts in a column that is not among its categorical_features")
    return x


def encoded(f: Fitted, graph: Graph, x: Value) -> Value:
    """Codes of the categorical columns, then the other columns, as _preprocessor makes them."""
    parts, columns = [], f.get("_preprocessor")._transformer_to_input_indices
    for name, model, _ in f.get("_preprocessor").transformers_:
        chosen = columns.get(name, [])
        if len(chosen) == 0:
            continue
        part = graph.select(x, np.asarray(chosen, dtype=np.int64).tolist())
        if name == "encoder":
            parts.append(transform(model, step_path(f, "transformer", name), graph, part))
        else:
            parts.append(check_numbers(f, graph, part))
    return graph.concat(parts)


def cut(f: Fitted, graph: Graph, x: Value, categorical: np.ndarray) -> Tuple[Value, np.ndarray]:
    """The same where the numbers are the codes; and the place of each column there."""
    codes, others = np.flatnonzero(categorical).tolist(), np.flatnonzero(~categorical).tolist()
    part = graph.select(x, codes)
    parts = [graph.add("cast", [part], [FLOAT64] * part.width, to="u1")]
    if others:
        parts.append(graph.select(x, others))
    return graph.concat(parts), np.argsort(codes + others)


def prepared(f: Fitted, graph: Graph, x: Value) -> Tuple[Value, np.ndarray]:
    """The columns of the trees; and where each column that they know by a number stands there."""
    places = np.arange(x.width)
    if getattr(f.model, "_preprocessor", None) is not None:
        return encoded(f, graph, x), places
    check_numbers(f, graph, x)
    categorical = getattr(f.model, "is_categorical_", None)
    if categorical is None or not np.any(categorical):
        return x, places
    return cut(f, graph, x, np.asarray(categorical, dtype=bool))


# Trees --------------------------------------------------------------------------------------


def trimmed(words: np.ndarray) -> np.ndarray:
    """Without the zeros at the end, but for one word."""
    used = np.flatnonzero(words)
    return words[: used[-1] + 1 if len(used) else 1]


def read_predictor(f: Fitted, predictor: Any, width: int, known: np.ndarray) -> Tree:
    """known: for each column the bits of the codes that training has seen."""
    nodes = predictor.nodes
    n = len(nodes)
    leaf = nodes["is_leaf"] != 0
    feature = f.integers("feature_idx", np.where(leaf, 0, nodes["feature_idx"]), n, 0, width)
    threshold = np.where(leaf, 0.0, f.checked("threshold", nodes["num_threshold"], [n], False))
    missing = f.integers("missing_go_to_left", nodes["missing_go_to_left"], n, 0, 2)
    sets = {}
    for i in np.flatnonzero(~leaf & (nodes["is_categorical"] != 0)).tolist():
        left = np.asarray(predictor.raw_left_cat_bitsets[nodes["bitset_idx"][i]], dtype=np.uint32)
        sets[i] = trimmed(known[feature[i]] & ~left if missing[i] else left)
        threshold[i] = 0.0
    if np.isnan(threshold).any():
        raise f.error("has a threshold that is NaN")
    return Tree(
        left=np.where(leaf, -1, f.integers("left", nodes["left"].astype(np.int64), n, 0, n)),
        right=np.where(leaf, -1, f.integers("right", nodes["right"].astype(np.int64), n, 0, n)),
        feature=np.where(leaf, -1, feature),
        threshold=threshold,
        missing_left=np.where(leaf, 0, missing),
        cover=nodes["count"].astype(np.float64),
        values=f.checked("value", nodes["value"], [n])[leaf].reshape(-1, 1, 1),
        sets=sets,
    )


def known_codes(f: Fitted, width: int) -> np.ndarray:
    known = np.zeros((width, 8), dtype=np.uint32)
    categorical = getattr(f.get("_bin_mapper"), "is_categorical_", None)
    if categorical is not None and np.any(categorical):
        bits, places = f.get("_bin_mapper").make_known_categories_bitsets()
        for j in np.flatnonzero(categorical):
            known[j] = bits[places[j]]
    return known


def boosted(f: Fitted, graph: Graph, x: Value) -> Value:
    """The raw sums, of all iterations that training has kept."""
    start = np.atleast_1d(np.squeeze(np.asarray(f.get("_baseline_prediction"))))
    init = 0.0 + f.checked("_baseline_prediction", start, [-1])
    rounds = f.children("_predictors")
    known = known_codes(f, x.width)
    trees: List[Tree] = []
    for predictors in rounds:
        if len(predictors) != len(init):
            raise f.error("has %d trees a round, expected %d" % (len(predictors), len(init)))
        trees += [read_predictor(f, p, x.width, known) for p in predictors]
    x, places = prepared(f, graph, x)
    for tree in trees:
        tree.feature = np.where(tree.feature < 0, -1, places[tree.feature])
    groups = list(range(len(init))) * len(rounds)
    values = [tree.values[:, 0, :] for tree in trees]
    return forest(graph, x, trees, values, init, groups=groups, missing=TAKES_ALL, input="f8")


# Estimators ---------------------------------------------------------------------------------


@exporter("ensemble", "HistGradientBoostingRegressor")
def hist_boosting_regressor(f: Fitted, graph: Graph, x: Value) -> Result:
    link = type(getattr(f.get("_loss"), "link", None)).__name__
    if link not in ("IdentityLink", "LogLink"):
        raise f.error("with the link %s is not supported" % link)
    raw = boosted(f, graph, x)
    return Result("regressor", graph.floats("link", raw, 1, kind="exp") if link == "LogLink" else raw)


@exporter("ensemble", "HistGradientBoostingClassifier")
def hist_boosting_classifier(f: Fitted, graph: Graph, x: Value) -> Result:
    """Labels go by the raw scores since 1.5, before by the probabilities."""
    loss = type(f.get("_loss")).__name__
    if loss not in ("HalfBinomialLoss", "HalfMultinomialLoss"):
        raise f.error("with the loss %s is not supported" % loss)
    raw = boosted(f, graph, x)
    count = max(2, raw.width)
    classes = f.classes(count)
    proba = graph.floats("link", raw, raw.width, kind="sigmoid" if raw.width == 1 else "softmax")
    rule = "gt0" if raw.width == 1 else "argmax"
    if library_version() < (1, 5):
        rule = "argmax_proba"
    return Result("classifier", graph.add("head", [raw, proba], [], rule=rule), classes)
