"""One binary estimator for each class, for each pair of classes, or for each bit of the classes' codes."""

from __future__ import annotations

import copy
import sys
from dataclasses import dataclass
from typing import Any, List, Optional, Tuple

import numpy as np

from hbscore.export.arithmetic import chosen, combined, mapped, reduced
from hbscore.export.document import array
from hbscore.export.fitted import Fitted
from hbscore.export.graph import Graph, Result, Value
from hbscore.export.heads import both, flags, head, only_label
from hbscore.export.parts import constant, number_of, place, scores_of, sum32, votes_for
from hbscore.export.registry import exporter


@dataclass(frozen=True)
class Binary:
    """The answers of one estimator, a column each. score: the library compares it with the threshold. label: 0 or 1."""

    score: Value
    threshold: float
    label: Value
    raw: Optional[Value]
    proba: Optional[Value]


def of_second(graph: Graph, value: Optional[Value]) -> Optional[Value]:
    return value if value is None or value.width == 1 else graph.select(value, [1])


def binary(f: Fitted, part: str, model: Any, graph: Graph, x: Value) -> Binary:
    if type(model).__name__ == "_ConstantPredictor":  # training had one label
        number = constant(graph, x, Fitted(model, f.path).numbers("y_", 1))
        return Binary(number, 0.0, number, number, number)
    if sys.modules["sklearn.base"].is_regressor(model):
        number = number_of(f, part, model, graph, x)
        return Binary(number, 0.5, number, None, None)
    scores = scores_of(f, part, model, graph, x)
    raw = scores.raw
    proba = of_second(graph, scores.probabilities)
    score = proba if raw is None else raw
    if scores.count != 2 or score is None or score.width != 1:
        raise f.error("has an %s without a score of two classes" % part)
    return Binary(score, 0.5 if raw is None else 0.0, place(graph, scores), raw, proba)


def joined(graph: Graph, f: Fitted, method: str, columns: List[Optional[Value]]) -> Optional[Value]:
    """Side by side; None where the estimator has no such method."""
    found = [column for column in columns if column is not None]
    if not hasattr(f.model, method) or len(found) != len(columns):
        return None
    return graph.concat(found)


def binaries(f: Fitted, graph: Graph, x: Value) -> List[Binary]:
    found = []
    for i, model in enumerate(f.children("estimators_")):
        with graph.step(i):
            found.append(binary(f, "estimator %d" % i, model, graph, x))
    return found


# One for each class ---------------------------------------------------------------------------


def rules_of(f: Fitted, count: int, width: int) -> Tuple[bool, bool]:
    """Asked of the library, whose versions differ: whether the first of equal scores wins, and whether
    probabilities that are all 0 stay so."""
    probe = copy.copy(f.model)
    predictor = sys.modules["sklearn.multiclass"]._ConstantPredictor
    row = np.zeros((1, width))
    probe.estimators_ = [predictor().fit(row, np.array([0]))] * count
    with np.errstate(all="ignore"):
        first = probe.predict(row)[0] == f.get("classes_")[0]
        return bool(first), bool(np.isfinite(probe.predict_proba(row)).all())


MOST_ADDED = 1024  # classes whose float32 is added class by class: each is an operator


def shared(graph: Graph, proba: Value, zeros_stay: bool) -> Value:
    """Divided by their sum, which numpy rounds after each class if they are float32."""
    if proba.dtype == "f4" and proba.width <= MOST_ADDED:
        total = sum32(graph, [graph.select(proba, [j]) for j in range(proba.width)])
    else:
        total = reduced(graph, "sum", proba, dtype=proba.dtype)
    return combined(graph, "divide", proba, chosen(graph, total, total, 1.0) if zeros_stay else total, proba.dtype)


@exporter("multiclass", "OneVsRestClassifier")
def one_vs_rest(f: Fitted, graph: Graph, x: Value) -> Result:
    parts = binaries(f, graph, x)
    kind = str(getattr(f.get("label_binarizer_"), "y_type_", ""))
    threshold = parts[0].threshold
    raw = joined(graph, f, "decision_function", [part.raw for part in parts])
    proba = joined(graph, f, "predict_proba", [part.proba for part in parts])
    scores = graph.concat([part.score for part in parts])
    if kind.startswith("multilabel"):
        return flags(graph, raw, proba, scores, threshold)
    if len(f.get("classes_")) == 1:
        raise f.error("has one class: its predict_proba is of two, which is not supported")
    classes = f.classes(max(2, len(parts)))
    first_wins, zeros_stay = rules_of(f, len(parts), x.width)
    if proba is not None:
        proba = shared(graph, both(graph, proba), zeros_stay)
    if len(parts) == 1:
        rule = "half" if threshold else "gt0"
        return Result("classifier", head(graph, raw, proba, scores, rule), classes)
    if not first_wins:  # the last of the largest
        backwards = graph.select(scores, range(len(parts) - 1, -1, -1))
        from_end = graph.floats("argmax", backwards, 1)
        scores = votes_for(graph, from_end, np.arange(len(parts) - 1, -1, -1))
    return Result("classifier", head(graph, raw, proba, scores, "argmax"), classes)


# One for each pair ----------------------------------------------------------------------------


def pairs_of(f: Fitted, graph: Graph, x: Value) -> List[Binary]:
    """An estimator of distances between rows gets the columns of its pair's rows."""
    indices = f.get("pairwise_indices_")
    if indices is None:
        return binaries(f, graph, x)
    found = []
    for model, chosen_rows in zip(f.children("estimators_"), indices):
        columns = f.integers("pairwise_indices_", chosen_rows, len(chosen_rows), 0, x.width)
        found.append(binary(f, "estimator", model, graph, graph.select(x, columns.tolist())))
    return found


def summed(graph: Graph, parts: List[Value], weights: np.ndarray, start: np.ndarray) -> Value:
    joined_ = graph.concat(parts)
    return graph.floats("linear", joined_, len(weights), coef=array(weights, "f8"), intercept=array(start, "f8"))


@exporter("multiclass", "OneVsOneClassifier")
def one_vs_one(f: Fitted, graph: Graph, x: Value) -> Result:
    """Votes of the pairs, and less than a third for how sure the estimators are, which decides between equal votes."""
    count = len(f.get("classes_"))
    classes = f.classes(count)
    parts = pairs_of(f, graph, x)
    if len(parts) != count * (count - 1) // 2:
        raise f.error("has %d estimators of %d classes" % (len(parts), count))
    second, first = np.zeros((count, len(parts))), np.zeros((count, len(parts)))
    for k, (i, j) in enumerate((i, j) for i in range(count) for j in range(i + 1, count)):
        first[i, k], second[j, k] = 1.0, 1.0
    labels = graph.concat([part.label for part in parts])
    won = [combined(graph, "eq", labels, 0.0), combined(graph, "eq", labels, 1.0)]
    votes = summed(graph, won, np.hstack([first, second]), np.zeros(count))
    sure = summed(graph, [part.score for part in parts], second - first, np.zeros(count))
    size = combined(graph, "multiply", combined(graph, "add", mapped(graph, "abs", sure), 1.0), 3.0)
    total = combined(graph, "add", votes, combined(graph, "divide", sure, size))
    if count > 2:
        return Result("classifier", head(graph, total, None, total, "argmax"), classes)
    raw = graph.select(total, [1])
    above = graph.floats("binarize", raw, 1, threshold=array([parts[0].threshold], "f8"))
    return Result("classifier", head(graph, raw, None, above, "gt0"), classes)


# Codes ----------------------------------------------------------------------------------------


@exporter("multiclass", "OutputCodeClassifier")
def output_code(f: Fitted, graph: Graph, x: Value) -> Result:
    """The nearest code: all have the row's own length in common, so the largest 2 x c - c c is nearest."""
    parts = binaries(f, graph, x)
    codes = f.numbers("code_book_", -1, len(parts))
    classes = f.classes(len(codes), least=1)
    near = summed(graph, [part.score for part in parts], 2.0 * codes, -(codes * codes).sum(axis=1))
    return Result("classifier", only_label(graph, near, "argmax"), classes)
