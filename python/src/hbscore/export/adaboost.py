"""AdaBoost of trees: votes of classifiers by weight, or the weighted median of regressors.

With two classes the library subtracts the sum of one from that of the other. Where a tree adds the
same to both but for the sign, half of the difference is either sum: one sum of doubled leaves."""

from __future__ import annotations

from typing import List, Tuple

import numpy as np

from hbscore.export.document import array, library_version
from hbscore.export.fitted import Fitted
from hbscore.export.graph import Graph, Result, Value
from hbscore.export.registry import exporter
from hbscore.export.trees import Tree, distributions, forest, read_trees

MAX_MEDIAN = 1024


def read_boosted(f: Fitted, x: Value, kind: str) -> List[Tree]:
    models = f.children("estimators_")
    for model in models:
        if not type(model).__name__.endswith(kind):
            raise f.error("holds a %s: only trees are supported" % type(model).__name__)
        if kind == "Classifier" and list(model.classes_) != list(f.get("classes_")):
            raise f.error("has a tree that does not know all classes: not supported")
    return read_trees(f, models, x.width)


def weights_of(f: Fitted, count: int) -> np.ndarray:
    """One for each tree. The library's array is longer where boosting has ended early."""
    weights = f.numbers("estimator_weights_", -1)
    if len(weights) < count or (weights < 0).any():
        raise f.error("has estimator_weights_ that are negative or fewer than its trees")
    return weights[:count]


# Classifiers --------------------------------------------------------------------------------


def votes(f: Fitted, trees: List[Tree], count: int) -> List[np.ndarray]:
    """SAMME: [leaves, classes] of each tree. Since 1.3.1 a tree votes against the other classes."""
    out = []
    for tree, weight in zip(trees, weights_of(f, len(trees))):
        chosen = tree.values[:, 0, :].argmax(axis=1)[:, np.newaxis] == np.arange(count)
        other = -1 / (count - 1) * weight if library_version() >= (1, 3, 1) else 0.0
        out.append(np.where(chosen, weight, other))
    return out


def log_votes(f: Fitted, trees: List[Tree], count: int) -> List[np.ndarray]:
    """SAMME.R (up to 1.5): logarithms of the leaves' probabilities, each less their mean."""
    out = []
    for tree in trees:
        proba = distributions(f, tree)
        logs = np.log(np.clip(proba, np.finfo(proba.dtype).eps, None))
        out.append((count - 1) * (logs - (1.0 / count) * logs.sum(axis=1)[:, np.newaxis]))
    return out


def raw_scores(
    graph: Graph, x: Value, trees: List[Tree], values: List[np.ndarray], total: float
) -> Value:
    count = values[0].shape[1]
    if count == 2 and all((v[:, 0] == -v[:, 1]).all() for v in values):
        doubled = [2.0 * v[:, 1:] for v in values]
        return forest(graph, x, trees, doubled, np.zeros(1), total)
    raw = forest(graph, x, trees, values, np.zeros(count), total)
    return graph.floats("link", raw, 1, kind="difference") if count == 2 else raw


def probabilities(graph: Graph, raw: Value) -> Value:
    """A softmax of the scores, divided by one less than their number; of two, of half their
    difference."""
    count = max(2, raw.width)
    scaled = graph.affine(raw, "div", b=np.full(raw.width, 2.0 if raw.width == 1 else count - 1.0))
    return graph.floats("link", scaled, count, kind="softmax_pm" if raw.width == 1 else "softmax")


def vote_kind(f: Fitted) -> Tuple[bool, int]:
    """Whether it is SAMME.R; the number of classes."""
    algorithm = "SAMME"
    if hasattr(f.model, "algorithm"):
        algorithm = f.one_of("algorithm", "SAMME", "SAMME.R", "deprecated")
    return algorithm == "SAMME.R", len(f.get("classes_"))


@exporter("ensemble", "AdaBoostClassifier")
def adaboost_classifier(f: Fitted, graph: Graph, x: Value) -> Result:
    trees = read_boosted(f, x, "Classifier")
    by_logs, count = vote_kind(f)
    classes = f.classes(count)
    total = float(np.asarray(f.get("estimator_weights_")).sum())
    if not (0.0 < total < np.inf):
        raise f.error("has estimator_weights_ that sum to %r" % total)
    values = log_votes(f, trees, count) if by_logs else votes(f, trees, count)
    raw = raw_scores(graph, x, trees, values, total)
    rule = "gt0" if raw.width == 1 else "argmax"
    head = graph.add("head", [raw, probabilities(graph, raw)], [], rule=rule)
    return Result("classifier", head, classes)


# Regressors ---------------------------------------------------------------------------------


@exporter("ensemble", "AdaBoostRegressor")
def adaboost_regressor(f: Fitted, graph: Graph, x: Value) -> Result:
    trees = read_boosted(f, x, "Regressor")
    if len(trees) > MAX_MEDIAN:
        raise f.error("has %d trees: up to %d are supported" % (len(trees), MAX_MEDIAN))
    if any(tree.values.shape[1:] != (1, 1) for tree in trees):
        raise f.error("has leaves that are no numbers")
    values = [tree.values[:, 0, :] for tree in trees]
    zeros = np.zeros(len(trees))
    answers = forest(graph, x, trees, values, zeros, groups=list(range(len(trees))))
    weights = array(weights_of(f, len(trees)), "f8")
    return Result("regressor", graph.floats("weighted_median", answers, 1, weights=weights))
