"""Gradient boosting: sums that start from a constant, or from what another regressor predicts."""

from __future__ import annotations

from typing import Any, Optional, Tuple

import numpy as np

from hbscore.errors import shown
from hbscore.export.fitted import Fitted
from hbscore.export.graph import FLOAT32, Graph, Result, Value
from hbscore.export.linear import join
from hbscore.export.registry import exporter, run
from hbscore.export.trees import forest, read_trees

#: Of Dummy estimators: the same answer to every row.
CONSTANT = ("prior", "most_frequent", "mean", "median", "quantile", "constant")


def is_constant(init: Any) -> bool:
    if isinstance(init, str):
        return init == "zero"
    name = type(init).__name__
    return name in ("DummyClassifier", "DummyRegressor") and init.strategy in CONSTANT


def predicted(f: Fitted, graph: Graph, x: Value) -> Value:
    """The prediction of the init estimator, which gets float32, as the trees do. A classifier's would be a
    logarithm of probabilities."""
    init = f.get("init_")
    if f.name != "GradientBoostingRegressor" or not hasattr(init, "predict"):
        more = " with strategy=%s" % shown(init.strategy) if hasattr(init, "strategy") else ""
        raise f.error("with init=%s%s is not supported" % (type(init).__name__, more))
    x = graph.add("cast", [x], [FLOAT32] * x.width, to="f4")
    x = graph.check(x, missing=False)  # boosting refuses NaN, whatever init takes
    result = run(init, join(f, "init"), graph, x)
    if result.task != "regressor" or result.value.width != 1:
        raise f.error("with init=%s is not supported" % type(init).__name__)
    return result.value


def start_of(f: Fitted, graph: Graph, x: Value) -> Tuple[np.ndarray, Optional[Value]]:
    """What the sums start from: numbers, or a value of the row. The numbers are asked of the estimator:
    its clipping depends on the version."""
    if not is_constant(f.get("init_")):
        return np.zeros(1), predicted(f, graph, x)
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


@exporter("ensemble", "GradientBoostingClassifier")
def boosting_classifier(f: Fitted, graph: Graph, x: Value) -> Result:
    loss = type(f.get("_loss"))
    name = "%s.%s" % (loss.__module__.rpartition(".")[2], loss.__name__)
    if name not in LOSSES:
        raise f.error("with the loss %s is not supported" % name)
    link, rule = LOSSES[name]
    raw = boosted(f, graph, x)
    count = max(2, raw.width)
    classes = f.classes(count)
    proba = graph.floats("link", raw, raw.width, kind=link)
    return Result("classifier", graph.add("head", [raw, proba], [], rule=rule), classes)
