"""What estimators made of others read of their parts: scores and probabilities as values of the graph.

A classifier's exporter ends in a head, which no operator reads. Here the head is taken back, and its inputs
are what the estimator around it goes on with."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, List, Optional, Sequence, Tuple

import numpy as np

from hbscore.export.document import array
from hbscore.export.fitted import Fitted
from hbscore.export.graph import FLOAT64, Graph, Value
from hbscore.export.linear import join
from hbscore.export.registry import run

#: Rules of a head that read probabilities.
BY_PROBABILITY = ("half", "argmax_proba")

#: Rules of a head for one number: the second class is what is above.
ABOVE = {"gt0": 0.0, "ge0": -5e-324, "half": 0.5}


@dataclass(frozen=True)
class Scores:
    """raw, probabilities: as decision_function and predict_proba give them, but of two classes one column
    may stand for both; None where the estimator has no such method. decides: what `rule` makes the label of."""

    raw: Optional[Value]
    probabilities: Optional[Value]
    decides: Value
    rule: str
    count: int  # classes


def scores_of(f: Fitted, part: str, model: Any, graph: Graph, x: Value) -> Scores:
    """f: the estimator around `model`, and `part` its name there."""
    path = join(f, part)
    result = run(model, path, graph, x)
    inner = Fitted(model, path)
    if result.task != "classifier":
        raise inner.error("is no classifier")
    if graph.ops[-1]["op"] != "head":
        raise inner.error("inside %s is not supported: its scores stand in a file of their own" % f.name)
    head = graph.take_back()
    inputs = [graph.values[i] for i in head["in"]]
    first, second, decides = inputs[0], inputs[min(1, len(inputs) - 1)], inputs[-1]
    rule = head["rule"]
    if len(inputs) < 3:
        decides = second if rule in BY_PROBABILITY else first
    likely = rule in BY_PROBABILITY or (len(inputs) > 1 and (len(inputs) == 2 or first != second))
    raw = first if hasattr(model, "decision_function") else None
    return Scores(raw, second if likely else None, decides, rule, len(inner.get("classes_")))


def number_of(f: Fitted, part: str, model: Any, graph: Graph, x: Value) -> Value:
    """What a regressor predicts."""
    path = join(f, part)
    result = run(model, path, graph, x)
    if result.task != "regressor":
        raise Fitted(model, path).error("is no regressor")
    if graph.ops[-1]["op"] == "model":
        raise Fitted(model, path).error("inside %s is not supported: its numbers stand in a file of their own" % f.name)
    return result.value


def both(graph: Graph, p: Value) -> Value:
    """Of one column p the two columns 1 - p, p."""
    if p.width != 1:
        return p
    first = graph.affine(p, "mul_add", np.array([-1.0]), np.array([1.0]))
    return graph.concat([first, p])


def probabilities(graph: Graph, scores: Scores) -> Optional[Value]:
    """A column for each class."""
    return None if scores.probabilities is None else both(graph, scores.probabilities)


def place(graph: Graph, scores: Scores) -> Value:
    """The label as its number, 0 for the first class."""
    if scores.rule in ABOVE:
        threshold = array([ABOVE[scores.rule]], "f8")
        return graph.floats("binarize", scores.decides, 1, threshold=threshold)
    if scores.decides.width == 1:
        return graph.floats("binarize", scores.decides, 1, threshold=array([0.5], "f8"))
    return graph.floats("argmax", scores.decides, 1)


def votes(graph: Graph, scores: Scores) -> Value:
    """A column for each class: 1 in that of the label, else 0."""
    label = place(graph, scores)
    return both(graph, label) if scores.count == 2 else column_of(graph, label, scores.count)


def column_of(graph: Graph, place: Value, count: int) -> Value:
    """1 in the column of this number, else 0."""
    column = {
        "values": array(np.arange(count, dtype=np.float64), "f8"),
        "missing": 0,
        "map": array(np.arange(count), "i4"),
        "width": count,
        "unknown": "zeros",
    }
    return graph.add("onehot", [place], [FLOAT64] * count, columns=[column])


#: A value, and for each of its columns the output that it adds to.
Part = Tuple[Value, Sequence[int]]


def weighted_sum(graph: Graph, parts: List[Part], weights: Sequence[float], width: int) -> Value:
    coef = np.zeros((width, sum(value.width for value, _ in parts)))
    at = 0
    for (value, outputs), weight in zip(parts, weights):
        for j, output in enumerate(outputs):
            coef[output, at + j] = weight
        at += value.width
    joined = graph.concat([value for value, _ in parts])
    zeros = array(np.zeros(width), "f8")
    return graph.floats("linear", replace(joined, known=True), width, coef=array(coef, "f8"), intercept=zeros)


def mean(graph: Graph, parts: List[Part], width: int, weights: Optional[Sequence[float]] = None) -> Value:
    """The sum by weight of what the parts add to each output, divided by the sum of the weights."""
    factors = [1.0] * len(parts) if weights is None else [float(w) for w in weights]
    total = weighted_sum(graph, parts, factors, width)
    return graph.affine(total, "div", None, np.full(width, float(np.sum(factors))))


def in_order(values: Sequence[Value]) -> List[Part]:
    return [(value, range(value.width)) for value in values]


def head(graph: Graph, raw: Optional[Value], proba: Optional[Value], decides: Value, rule: str) -> Value:
    """The head of a classifier with these answers, one of which it has; `rule` reads `decides`."""
    first = raw if raw is not None else proba
    second = proba if proba is not None else raw
    assert first is not None and second is not None
    if raw is None or proba is None:
        named = [first] if decides.number == first.number and (rule in BY_PROBABILITY) == (raw is None) else []
    else:
        named = [first, second] if decides.number == (second if rule in BY_PROBABILITY else first).number else []
    return graph.add("head", named or [first, second, decides], [], rule=rule)
