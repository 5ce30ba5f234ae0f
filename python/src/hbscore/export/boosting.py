"""Gradient boosting: sums that start from a constant, or from what another regressor predicts."""

from __future__ import annotations

import sys
from typing import Any, Optional, Tuple

import numpy as np

from hbscore.export.arithmetic import combined, mapped, reduced
from hbscore.export.document import array
from hbscore.export.fitted import Fitted
from hbscore.export.graph import FLOAT32, Graph, Result, Value
from hbscore.export.linear import join
from hbscore.export.parts import probabilities, scores_of
from hbscore.export.registry import exporter, run
from hbscore.export.trees import forest, read_trees

#: Strategies of Dummy estimators that give the same answer to every row.
CONSTANT = ("prior", "most_frequent", "mean", "median", "quantile", "constant")


def is_constant(init: Any) -> bool:
    if isinstance(init, str):
        return init == "zero"
    kinds = [getattr(sys.modules.get("sklearn.dummy"), name, None) for name in ("DummyClassifier", "DummyRegressor")]
    return type(init) in kinds and init.strategy in CONSTANT


def as_float32(graph: Graph, x: Value) -> Value:
    """The columns of the init estimator, as the trees get them; boosting refuses NaN, whatever init takes."""
    x = graph.add("cast", [x], [FLOAT32] * x.width, to="f4")
    return graph.check(x, missing=False)


def predicted(f: Fitted, graph: Graph, x: Value) -> Value:
    """The prediction of a regressor's init estimator."""
    init = f.get("init_")
    result = run(init, join(f, "init"), graph, as_float32(graph, x))
    if result.task != "regressor" or result.value.width != 1:
        raise f.error("with init=%s is not supported" % type(init).__name__)
    return result.value


class Sure:
    """Stands for an init estimator that is as sure as can be."""

    def predict_proba(self, x: Any) -> np.ndarray:
        return np.array([[1.0, 0.0, 0.0]])


def least_probability(f: Fitted) -> float:
    """Asked of the library: its versions keep probabilities from 0 by an epsilon of float32 or of float64."""
    loss, module = f.get("_loss"), sys.modules["sklearn.ensemble._gb"]
    row = np.zeros((1, 1))
    if hasattr(module, "_init_raw_predictions"):
        first = float(module._init_raw_predictions(row, Sure(), loss, True)[0, 0])
    else:
        first = float(loss.get_init_raw_predictions(row, Sure())[0, 0])
    wide = abs(first) > 20.0  # 24 or more, else at most 16
    return float(np.finfo(np.float64 if wide else np.float32).eps)


def log_odds(f: Fitted, graph: Graph, x: Value) -> Value:
    """The raw scores of a classifier's init estimator: its probabilities through the inverse of the loss's link."""
    scores = scores_of(f, "init", f.get("init_"), graph, as_float32(graph, x))
    proba = probabilities(graph, scores)
    if proba is None:
        raise f.error("with init=%s, which has no probabilities, is not supported" % type(f.get("init_")).__name__)
    link, _ = loss_of(f)
    least = least_probability(f)
    proba = graph.select(proba, [1]) if link.startswith("sigmoid") else proba
    proba = graph.floats("clip", proba, proba.width, lo=array([least], "f8"), hi=array([1.0 - least], "f8"))
    if not link.startswith("sigmoid"):
        logs = mapped(graph, "log", proba)
        return logs if link == "logsumexp" else combined(graph, "subtract", logs, reduced(graph, "mean", logs))
    odds = mapped(graph, "log", combined(graph, "divide", proba, combined(graph, "subtract", 1.0, proba)))
    return combined(graph, "multiply", odds, 0.5) if link == "sigmoid2" else odds


def start_of(f: Fitted, graph: Graph, x: Value) -> Tuple[np.ndarray, Optional[Value]]:
    """The start of the sums: numbers, or a value of the row. The numbers are asked of the estimator:
    its clipping depends on the version."""
    if not is_constant(f.get("init_")):
        begin = (predicted if f.name == "GradientBoostingRegressor" else log_odds)(f, graph, x)
        return np.zeros(begin.width), begin
    start = f.model._raw_predict_init(np.zeros((1, x.width), dtype=np.float32))
    return f.checked("init_", start, [1, -1])[0], None


def boosted(f: Fitted, graph: Graph, x: Value) -> Value:
    """The raw sums."""
    init, begin = start_of(f, graph, x)
    rounds = f.get("estimators_")
    if np.shape(rounds)[1:] != init.shape:
        raise f.error("has %s trees a round, expected %d" % (np.shape(rounds)[1:], len(init)))
    trees = read_trees(f, list(np.ravel(rounds)), x.width)
    rate = f.number("learning_rate")
    values = [rate * tree.values[:, 0, :] for tree in trees]
    if any(v.shape[1] != 1 for v in values):
        raise f.error("has leaves that are no numbers")
    groups = list(range(len(init))) * len(rounds)
    return forest(graph, x, trees, values, init, groups=groups, begin=begin)


@exporter("ensemble", "GradientBoostingRegressor")
def boosting_regressor(f: Fitted, graph: Graph, x: Value) -> Result:
    return Result("regressor", boosted(f, graph, x))


#: By the loss object: link and rule of labels. The first three are those of 1.2 and 1.3.
LOSSES = {
    "_gb_losses.BinomialDeviance": ("sigmoid", "argmax_proba"),
    "_gb_losses.MultinomialDeviance": ("logsumexp", "argmax_proba"),
    "_gb_losses.ExponentialLoss": ("sigmoid2", "ge0"),
    "loss.HalfBinomialLoss": ("sigmoid", "ge0"),
    "loss.HalfMultinomialLoss": ("softmax", "argmax"),
    "loss.ExponentialLoss": ("sigmoid2", "ge0"),
}


def loss_of(f: Fitted) -> Tuple[str, str]:
    loss = type(f.get("_loss"))
    name = "%s.%s" % (loss.__module__.rpartition(".")[2], loss.__name__)
    if name not in LOSSES:
        raise f.error("with the loss %s is not supported" % name)
    return LOSSES[name]


@exporter("ensemble", "GradientBoostingClassifier")
def boosting_classifier(f: Fitted, graph: Graph, x: Value) -> Result:
    link, rule = loss_of(f)
    raw = boosted(f, graph, x)
    count = max(2, raw.width)
    classes = f.classes(count)
    proba = graph.floats("link", raw, raw.width, kind=link)
    return Result("classifier", graph.add("head", [raw, proba], [], rule=rule), classes)
