"""AdaBoost: votes of classifiers by weight, or the weighted median of regressors.

With two classes the library subtracts the sum of one from that of the other. Where a tree adds the
same to both but for the sign, half of the difference is either sum: one sum of doubled leaves."""

from __future__ import annotations

from typing import List, Tuple

import numpy as np

from hbscore.export.arithmetic import combined, mapped, reduced
from hbscore.export.document import array, library_version
from hbscore.export.fitted import Fitted
from hbscore.export.graph import Graph, Result, Value
from hbscore.export.parts import always, number_of, probabilities, scores_of
from hbscore.export.parts import votes as class_votes
from hbscore.export.registry import exporter
from hbscore.export.trees import Tree, distributions, forest, is_tree, read_trees


#: Numbers of which the median is taken; values of which a `concat` is made.
MAX_MEDIAN, MAX_PARTS = 65536, 4096


def read_boosted(f: Fitted, x: Value, kind: str) -> List[Tree]:
    models = f.children("estimators_")
    for model in models:
        if not type(model).__name__.endswith(kind):
            raise f.error("holds a %s: only trees are supported" % type(model).__name__)
        if kind == "Classifier" and list(model.classes_) != list(f.get("classes_")):
            raise f.error("has a tree that does not know all classes: not supported")
    return read_trees(f, models, x.width)


def weights_of(f: Fitted, count: int, finite: bool = True) -> np.ndarray:
    """One for each tree. The library's array is longer where boosting has ended early."""
    weights = f.numbers("estimator_weights_", -1, finite=finite)
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


def class_probabilities(graph: Graph, raw: Value) -> Value:
    """A softmax of the scores, divided by one less than their number; of two, of half their
    difference."""
    count = max(2, raw.width)
    scaled = graph.affine(raw, "div", b=np.full(raw.width, 2.0 if raw.width == 1 else count - 1.0))
    return graph.floats("link", scaled, count, kind="softmax_pm" if raw.width == 1 else "softmax")


def vote_kind(f: Fitted) -> Tuple[bool, int]:
    """True of SAMME.R; and the number of classes."""
    algorithm = "SAMME"
    if hasattr(f.model, "algorithm"):
        algorithm = f.one_of("algorithm", "SAMME", "SAMME.R", "deprecated")
    return algorithm == "SAMME.R", len(f.get("classes_"))


def of_trees(f: Fitted) -> bool:
    """Trees become one forest."""
    return all(is_tree(model) for model in f.children("estimators_"))


def raw_of_trees(f: Fitted, graph: Graph, x: Value, total: float) -> Value:
    trees = read_boosted(f, x, "Classifier")
    by_logs, count = vote_kind(f)
    values = log_votes(f, trees, count) if by_logs else votes(f, trees, count)
    return raw_scores(graph, x, trees, values, total)


def log_scores(graph: Graph, proba: Value, count: int) -> Value:
    """SAMME.R: logarithms of probabilities, less their mean."""
    least = combined(graph, "maximum", proba, float(np.finfo(np.float64).eps))
    logs = mapped(graph, "log", least)
    mean = combined(graph, "multiply", reduced(graph, "sum", logs), 1.0 / count)
    return combined(graph, "multiply", combined(graph, "subtract", logs, mean), float(count - 1))


def raw_of_any(f: Fitted, graph: Graph, x: Value, total: float) -> Value:
    """The estimators' scores in their order, each of which says all classes or some of them."""
    by_logs, count = vote_kind(f)
    models = f.children("estimators_")
    x = graph.check(x, missing=False)
    weights = weights_of(f, len(models))
    other = -1 / (count - 1) if library_version() >= (1, 3, 1) else 0.0
    parts, coef = [], []
    for i, model in enumerate(models):
        known = f.integers("classes_", np.searchsorted(f.get("classes_"), model.classes_), len(model.classes_), 0, count)
        with graph.step(i):
            scores = scores_of(f, "estimator %d" % i, model, graph, x)
            if by_logs:
                proba = probabilities(graph, scores)
                if proba is None or len(known) != count:
                    raise f.error("has an estimator without probabilities of all classes: not supported")
                parts.append(log_scores(graph, proba, count))
                coef.append(np.eye(count))
                continue
            parts.append(class_votes(graph, scores))
            chosen = known[np.newaxis, :] == np.arange(count)[:, np.newaxis]
            coef.append(np.where(chosen, weights[i], other * weights[i]))
    fields = {"coef": array(np.hstack(coef), "f8"), "intercept": array(np.zeros(count), "f8")}
    sums = graph.floats("linear", graph.concat(parts), count, **fields)
    raw = graph.affine(sums, "div", b=np.full(count, total))
    return graph.floats("link", raw, 1, kind="difference") if count == 2 else raw


@exporter("ensemble", "AdaBoostClassifier")
def adaboost_classifier(f: Fitted, graph: Graph, x: Value) -> Result:
    classes = f.classes(len(f.get("classes_")), least=1)
    if classes["shape"] == [1]:
        x = graph.check(x, missing=False)
        head = graph.add("head", [always(graph, x, 0.0), always(graph, x, 1.0)], [], rule="argmax")
        return Result("classifier", head, classes)
    total = float(np.asarray(f.get("estimator_weights_")).sum())
    if not (0.0 < total < np.inf):
        raise f.error("has estimator_weights_ that sum to %r" % total)
    raw = (raw_of_trees if of_trees(f) else raw_of_any)(f, graph, x, total)
    rule = "gt0" if raw.width == 1 else "argmax"
    head = graph.add("head", [raw, class_probabilities(graph, raw)], [], rule=rule)
    return Result("classifier", head, classes)


# Regressors ---------------------------------------------------------------------------------


def answers_of_trees(f: Fitted, graph: Graph, x: Value) -> Value:
    trees = read_boosted(f, x, "Regressor")
    if any(tree.values.shape[1:] != (1, 1) for tree in trees):
        raise f.error("has leaves that are no numbers")
    values = [tree.values[:, 0, :] for tree in trees]
    return forest(graph, x, trees, values, np.zeros(len(trees)), groups=list(range(len(trees))))


def median_weights(f: Fitted, count: int) -> np.ndarray:
    """They may be infinite, by a large learning rate. One that is NaN makes the library's comparisons of sums fail, which
    then takes the smallest answer, as it does where all weights are 0."""
    weights = weights_of(f, count, finite=False)
    return np.zeros(count) if np.isnan(weights).any() else weights


@exporter("ensemble", "AdaBoostRegressor")
def adaboost_regressor(f: Fitted, graph: Graph, x: Value) -> Result:
    models = f.children("estimators_")
    most = MAX_MEDIAN if of_trees(f) else MAX_PARTS
    if len(models) > most:
        raise f.error("has %d estimators: up to %d are supported" % (len(models), most))
    if of_trees(f):
        answers = answers_of_trees(f, graph, x)
    else:
        x = graph.check(x, missing=False)  # AdaBoost's own, whatever the estimators take
        answers = graph.concat([number_of(f, "estimator %d" % i, m, graph, x) for i, m in enumerate(models)])
    weights = array(median_weights(f, len(models)), "f8")
    return Result("regressor", graph.floats("weighted_median", answers, 1, weights=weights))
