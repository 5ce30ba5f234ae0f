"""Estimators that ask several others about the same columns: votes, means, and stacks of answers."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Callable, List, Optional, Tuple

import numpy as np

from hbscore.export.fitted import Fitted
from hbscore.export.graph import FLOAT32, FLOAT64, Graph, Result, Value
from hbscore.export.heads import both, only_label
from hbscore.export.linear import join
from hbscore.export.parts import Scores, in_order, label_number, label_of, mean_as_numpy, number_of, probabilities
from hbscore.export.parts import scores_of, votes, weighted_sum
from hbscore.export.registry import exporter, run, step


def named_parts(f: Fitted) -> List[Tuple[str, Any]]:
    """The fitted estimators by their names; those that are dropped have none."""
    names = [name for name, model in f.children("estimators") if not (isinstance(model, str) and model == "drop")]
    models = list(f.children("estimators_"))
    if len(names) != len(models):
        raise f.error("has %d estimators and names of %d" % (len(models), len(names)))
    return list(zip(names, models))


def weights_of(f: Fitted, count: int) -> Optional[List[float]]:
    if f.get("weights") is None:
        return None
    weights = f.checked("weights", np.asarray(f.get("_weights_not_none")), [count])
    if weights.sum() == 0.0:
        raise f.error("has weights that sum to 0")
    return [float(weight) for weight in weights]


Answer = Callable[[Graph, Any, Scores], Optional[Value]]


def answers_of(f: Fitted, graph: Graph, x: Value, count: int, hard: Answer) -> List[Value]:
    """The probabilities that each estimator has of all classes; with voting="hard", the result of `hard` on its scores."""
    soft = f.one_of("voting", "hard", "soft") == "soft"
    parts = []
    for name, model in named_parts(f):
        with graph.step(name):
            scores = scores_of(f, "estimator '%s'" % name, model, graph, x)
            if scores.count != count:
                raise f.error("has an estimator '%s' that does not know all classes" % name)
            answer = probabilities(graph, scores) if soft else hard(graph, model, scores)
        if answer is None:
            raise f.error("has an estimator '%s' without probabilities" % name)
        parts.append(answer)
    return parts


@exporter("ensemble", "VotingClassifier")
def voting_classifier(f: Fitted, graph: Graph, x: Value) -> Result:
    count = len(f.get("classes_"))
    classes = f.classes(count, least=1)
    parts = answers_of(f, graph, x, count, lambda graph, _, scores: votes(graph, scores))
    weights = weights_of(f, len(parts))
    if f.get("voting") == "soft":
        proba = mean_as_numpy(graph, parts, weights)
        return Result("classifier", graph.add("head", [proba, proba], [], rule="argmax_proba"), classes)
    total = weighted_sum(graph, in_order(parts), weights or [1.0] * len(parts), count)
    return Result("classifier", only_label(graph, total, "argmax"), classes)


@step("ensemble", "VotingClassifier")
def voters(f: Fitted, graph: Graph, x: Value) -> Result:
    """All probabilities side by side, or the number of each estimator's label."""
    count = len(f.get("classes_"))
    parts = answers_of(f, graph, x, count, lambda graph, model, scores: label_number(f, graph, model, scores))
    made = graph.concat(parts)
    if f.get("voting") == "hard":
        return Result("transformer", replace(made, types=(np.dtype(np.int64),) * made.width))
    if not f.flag("flatten_transform"):
        raise f.error("with flatten_transform=False gives a table of three dimensions, which no step takes")
    return Result("transformer", made)


def numbers_of(f: Fitted, graph: Graph, x: Value) -> List[Value]:
    parts = []
    for name, model in named_parts(f):
        with graph.step(name):
            parts.append(number_of(f, "estimator '%s'" % name, model, graph, x))
    return parts


@exporter("ensemble", "VotingRegressor")
def voting_regressor(f: Fitted, graph: Graph, x: Value) -> Result:
    parts = numbers_of(f, graph, x)
    return Result("regressor", mean_as_numpy(graph, parts, weights_of(f, len(parts))))


@step("ensemble", "VotingRegressor")
def voting_numbers(f: Fitted, graph: Graph, x: Value) -> Result:
    return Result("transformer", graph.concat(numbers_of(f, graph, x)))


# Stacks ---------------------------------------------------------------------------------------


def stacked_classifier(f: Fitted, graph: Graph, part: str, model: Any, method: str, x: Value) -> Value:
    scores = scores_of(f, part, model, graph, x)
    if method == "predict":
        return label_of(f, graph, model, scores)
    if method == "decision_function":
        if scores.raw is None:
            raise f.error("has an %s without decision_function" % part)
        return scores.raw
    proba = scores.probabilities
    if method != "predict_proba" or proba is None:
        raise f.error("asks the %s for %s: not supported" % (part, method))
    if len(f.get("classes_")) != 2:
        return proba if scores.count == 1 else both(graph, proba)
    return proba if proba.width == 1 else graph.select(proba, [1])


def stack(f: Fitted, graph: Graph, x: Value, classifies: bool) -> Value:
    """The answers side by side, and behind them the columns themselves with passthrough."""
    named, methods = named_parts(f), list(f.get("stack_method_"))
    if len(methods) != len(named):
        raise f.error("has %d estimators and methods of %d" % (len(named), len(methods)))
    columns = []
    for (name, model), method in zip(named, methods):
        part = "estimator '%s'" % name
        with graph.step(name):
            if classifies:
                columns.append(stacked_classifier(f, graph, part, model, method, x))
            else:
                columns.append(number_of(f, part, model, graph, x))
    labels = [column for column in columns if graph.has_text(column)]
    if f.flag("passthrough"):
        columns.append(x)
    # Columns that hold texts make a table of objects, where numbers stay numbers.
    if labels and not all(graph.has_text(column) for column in columns):
        raise f.error("puts labels that are texts beside numbers, of which numpy makes texts: not supported")
    made = graph.concat(columns)
    kind = FLOAT32 if set(made.types) == {FLOAT32} else FLOAT64
    return replace(made, types=(kind,) * made.width, known=False)


@step("ensemble", "StackingRegressor")
def stacked_numbers(f: Fitted, graph: Graph, x: Value) -> Result:
    return Result("transformer", stack(f, graph, x, classifies=False))


@step("ensemble", "StackingClassifier")
def stacked_scores(f: Fitted, graph: Graph, x: Value) -> Result:
    return Result("transformer", stack(f, graph, x, classifies=True))


@exporter("ensemble", "StackingRegressor")
def stacking_regressor(f: Fitted, graph: Graph, x: Value) -> Result:
    made = stack(f, graph, x, classifies=False)
    return run(f.get("final_estimator_"), join(f, "final_estimator_"), graph, made)


@exporter("ensemble", "StackingClassifier")
def stacking_classifier(f: Fitted, graph: Graph, x: Value) -> Result:
    """The final estimator is trained with the numbers of the labels."""
    classes = f.classes(len(f.get("classes_")), least=1)
    made = stack(f, graph, x, classifies=True)
    final = f.get("final_estimator_")
    if len(getattr(final, "classes_", ())) != classes["shape"][0]:
        raise f.error("has a final estimator that is no classifier of all classes")
    result = run(final, join(f, "final_estimator_"), graph, made)
    return replace(result, classes=classes)
