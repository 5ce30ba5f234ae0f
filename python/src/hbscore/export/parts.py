"""The answers of parts for the estimators made of them: scores and probabilities as values of the graph.

A classifier's exporter ends in a head, which no operator reads. Here the head is taken back, and its inputs
are what the estimator around it goes on with."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, List, Optional, Sequence, Tuple, Union

import numpy as np

from hbscore.export.arithmetic import chosen, combined
from hbscore.export.document import array
from hbscore.export.fitted import Fitted
from hbscore.export.graph import FLOAT32, FLOAT64, Graph, Value
from hbscore.export.heads import ABOVE, BY_PROBABILITY, both
from hbscore.export.linear import join
from hbscore.export.registry import run
from hbscore.export.trees import Tree, forest


@dataclass(frozen=True)
class Scores:
    """raw, probabilities: as decision_function and predict_proba give them, but of two classes one column
    may stand for both; None where the estimator has no such method. decides: what `rule` makes the label of."""

    raw: Optional[Value]
    probabilities: Optional[Value]
    decides: Value
    rule: str
    count: int  # classes


def constant(graph: Graph, x: Value, numbers: Union[Sequence[float], np.ndarray]) -> Value:
    """The same numbers for every row, whatever it holds: a tree that is one leaf. It stands on no texts."""
    if graph.has_text(x):
        numeric = [j for j in range(x.width) if not graph.is_text(x, j)]
        x = graph.select(x, numeric[:1] or [0])
        if not numeric:
            x = graph.add("indicator", [x], [np.dtype(bool)], missing="nan", cols=[0], known=[])
    leaf = np.array([-1], dtype=np.int32)
    tree = Tree(leaf, leaf, leaf, np.zeros(1), np.zeros(1, dtype=np.int32), np.ones(1), np.zeros((1, 1, 1)))
    values = np.asarray(numbers, dtype=np.float64)[np.newaxis, :]
    return forest(graph, x, [tree], [values], np.zeros(values.shape[1]), missing=2, input="f8")


def scores_of(f: Fitted, part: str, model: Any, graph: Graph, x: Value) -> Scores:
    """f: the estimator around `model`, and `part` its name there."""
    path = join(f, part)
    result = run(model, path, graph, x)
    inner = Fitted(model, path)
    if result.task != "classifier":
        raise inner.error("is no classifier")
    if result.classes is None:
        raise inner.error("inside %s is not supported: it has several outputs" % f.name)
    head = graph.take_back()
    inputs = [graph.values[i] for i in head["in"]]
    first, second, decides = inputs[0], inputs[min(1, len(inputs) - 1)], inputs[-1]
    rule = head["rule"]
    count = len(inner.get("classes_"))
    if rule == "label":
        return Scores(None, None, first, "argmax", count)
    if len(inputs) < 3:
        decides = second if rule in BY_PROBABILITY else first
    likely = rule in BY_PROBABILITY or (len(inputs) > 1 and (len(inputs) == 2 or first != second))
    raw = first if hasattr(model, "decision_function") else None
    return Scores(raw, second if likely else None, decides, rule, count)


def number_of(f: Fitted, part: str, model: Any, graph: Graph, x: Value) -> Value:
    """The prediction of a regressor."""
    path = join(f, part)
    result = run(model, path, graph, x)
    if result.task != "regressor":
        raise Fitted(model, path).error("is no regressor")
    return result.value


def probabilities(graph: Graph, scores: Scores) -> Optional[Value]:
    """A column for each class."""
    if scores.probabilities is None or scores.count == 1:
        return scores.probabilities
    return both(graph, scores.probabilities)


def always(graph: Graph, x: Value, number: float) -> Value:
    """One column that is this number, of whatever x is."""
    return chosen(graph, graph.select(x, [0]), number, number)


def place(graph: Graph, scores: Scores) -> Value:
    """The label as its number, 0 for the first class."""
    if scores.count == 1:
        return always(graph, scores.decides, 0.0)
    if scores.rule in ABOVE:
        threshold = array([ABOVE[scores.rule]], "f8")
        return graph.floats("binarize", scores.decides, 1, threshold=threshold)
    if scores.decides.width == 1:
        return graph.floats("binarize", scores.decides, 1, threshold=array([0.5], "f8"))
    return graph.floats("argmax", scores.decides, 1)


def votes_for(graph: Graph, places: Value, columns: np.ndarray) -> Value:
    """1 in the column that is said for the place, else 0."""
    column = {
        "values": array(np.arange(len(columns), dtype=np.float64), "f8"),
        "missing": 0,
        "map": array(columns, "i4"),
        "width": len(columns),
        "unknown": "zeros",
    }
    return graph.add("onehot", [places], [FLOAT64] * len(columns), columns=[column])


def votes(graph: Graph, scores: Scores) -> Value:
    """A column for each class: 1 in that of the label, else 0."""
    if scores.count == 1:
        return always(graph, scores.decides, 1.0)
    label = place(graph, scores)
    return both(graph, label) if scores.count == 2 else column_of(graph, label, scores.count)


def column_of(graph: Graph, place: Value, count: int) -> Value:
    """1 in the column of this number, else 0."""
    return votes_for(graph, place, np.arange(count))


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


def sum32(graph: Graph, values: Sequence[Value]) -> Value:
    """numpy's sum of float32, one after the other."""
    total = values[0]
    for value in values[1:]:
        total = combined(graph, "add", total, value, "f4")
    return total


def mean32(graph: Graph, values: Sequence[Value]) -> Value:
    return combined(graph, "divide", sum32(graph, values), float(len(values)), "f4")


def mean_as_numpy(graph: Graph, values: Sequence[Value], weights: Optional[Sequence[float]] = None) -> Value:
    """numpy's average, in float32 if all values are."""
    if weights is None and all(set(value.types) == {FLOAT32} for value in values):
        return mean32(graph, values)
    return mean(graph, in_order(values), values[0].width, weights)


def mean(graph: Graph, parts: List[Part], width: int, weights: Optional[Sequence[float]] = None) -> Value:
    """The sum by weight of what the parts add to each output, divided by the sum of the weights."""
    factors = [1.0] * len(parts) if weights is None else [float(w) for w in weights]
    total = weighted_sum(graph, parts, factors, width)
    return graph.affine(total, "div", None, np.full(width, float(np.sum(factors))))


def label_of(f: Fitted, graph: Graph, model: Any, scores: Scores) -> Value:
    """The answers of predict, where the labels are numbers or texts."""
    labels = np.asarray(model.classes_).tolist()
    if all(isinstance(label, str) for label in labels):
        return replace(place(graph, scores), labels=(labels,))
    return label_number(f, graph, model, scores)


def label_number(f: Fitted, graph: Graph, model: Any, scores: Scores) -> Value:
    """The answers of predict, where the labels are numbers."""
    labels = np.asarray(model.classes_)
    if labels.dtype.kind not in "iufb":
        raise f.error("has an estimator whose labels are no numbers, and gives them to others: not supported")
    numbers = labels.astype(np.float64)
    label = place(graph, scores)
    if (numbers == np.arange(len(numbers))).all():
        return label
    return picked(graph, votes(graph, scores), numbers)


def picked(graph: Graph, parts: Value, numbers: np.ndarray) -> Value:
    """The number of the one column that is 1."""
    scaled = graph.affine(parts, "mul_add", numbers, np.zeros(parts.width))
    return weighted_sum(graph, [(scaled, [0] * scaled.width)], [1.0], 1)


def in_order(values: Sequence[Value]) -> List[Part]:
    return [(value, range(value.width)) for value in values]
