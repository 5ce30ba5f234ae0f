"""One estimator for each target: side by side, or each with the answers of those before it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, List, Optional

import numpy as np

from hbscore.export.decomposition import as_wide
from hbscore.export.fitted import Fitted
from hbscore.export.graph import Graph, Result, Value
from hbscore.export.heads import both, flags, is_zero_or_one, several
from hbscore.export.log_probabilities import log_probabilities
from hbscore.export.parts import Scores, label_number, number_of, place
from hbscore.export.parts import probabilities, scores_of
from hbscore.export.registry import allows_nan, exporter


@exporter("multioutput", "MultiOutputRegressor")
def multi_output_regressor(f: Fitted, graph: Graph, x: Value) -> Result:
    models = f.children("estimators_")
    return Result("regressor", graph.concat([number_of(f, "estimator", m, graph, x) for m in models]))


@exporter("multioutput", "MultiOutputClassifier")
def multi_output_classifier(f: Fitted, graph: Graph, x: Value) -> Result:
    models = f.children("estimators_")
    places: List[Value] = []
    found: List[Optional[Value]] = []
    for i, model in enumerate(models):
        with graph.step(i):
            scores = scores_of(f, "estimator %d" % i, model, graph, x)
            places.append(place(graph, scores))
            found.append(probabilities(graph, scores) if hasattr(f.model, "predict_proba") else None)
    known = [p for p in found if p is not None]
    proba = graph.concat(known) if len(known) == len(models) else None
    return several(f, graph, [model.classes_ for model in models], proba, graph.concat(places))


# Chains ---------------------------------------------------------------------------------------


def checked_by(f: Fitted, graph: Graph, x: Value) -> Value:
    """A chain refuses what its own check of the input refuses, whatever its estimators take. The answers that it puts
    behind the columns are float64, so all columns are."""
    return as_wide(graph.check(x, missing=allows_nan(f.model)))


def order_of(f: Fitted, count: int) -> List[int]:
    """For each target its place in the chain."""
    places: List[int] = np.argsort(f.integers("order_", f.get("order_"), count, 0, count)).tolist()
    return places


@exporter("multioutput", "RegressorChain")
def regressor_chain(f: Fitted, graph: Graph, x: Value) -> Result:
    """Each regressor gets what those before it predict, behind the columns."""
    models = f.children("estimators_")
    x = checked_by(f, graph, x)
    found: List[Value] = []
    for model in models:
        wide = graph.concat([x, *found]) if found else x
        found.append(number_of(f, "estimator", model, graph, wide))
    return Result("regressor", graph.select(graph.concat(found), order_of(f, len(models))))


@dataclass
class Links:
    """The answers of a chain's classifiers so far, one after the other."""

    given: List[Value] = field(default_factory=list)  # to those behind them
    raws: List[Optional[Value]] = field(default_factory=list)
    likely: List[Optional[Value]] = field(default_factory=list)
    places: List[Value] = field(default_factory=list)

    def add(self, f: Fitted, graph: Graph, model: Any, scores: Scores, method: str) -> None:
        proba = scores.probabilities
        if scores.count == 1:  # the chain asks for the second class, and fails
            proba = None
        self.likely.append(proba if proba is None or scores.count > 2 or proba.width == 1 else graph.select(proba, [1]))
        self.raws.append(scores.raw)
        self.places.append(place(graph, scores))
        answer = {"predict_proba": self.likely[-1], "decision_function": self.raws[-1]}.get(method)
        if method == "predict":
            answer = label_number(f, graph, model, scores)
        if method == "predict_log_proba":
            logs = log_probabilities(graph, model, scores)
            answer = None if logs is None else graph.select(logs, [1])
        if answer is None:
            raise f.error("with chain_method=%s of a %s is not supported" % (method, type(model).__name__))
        self.given.append(answer)


def all_of(f: Fitted, graph: Graph, method: str, columns: List[Optional[Value]], order: List[int]) -> Optional[Value]:
    """In the order of the targets; None where the chain has no such method."""
    known = [column for column in columns if column is not None]
    if len(known) < len(columns) or not hasattr(f.model, method):
        return None
    return graph.select(graph.concat(known), order)


def of_all_classes(f: Fitted, graph: Graph, columns: List[Optional[Value]], order: List[int]) -> Optional[Value]:
    """The probabilities that each classifier gives. scikit-learn's own chain has those of the second classes, or since
    1.5 none where a target has more than two classes."""
    known = [both(graph, column) for column in columns if column is not None]
    if len(known) < len(columns) or not hasattr(f.model, "predict_proba"):
        return None
    return graph.concat([known[i] for i in order])


@exporter("multioutput", "ClassifierChain")
def classifier_chain(f: Fitted, graph: Graph, x: Value) -> Result:
    """Each classifier gets the labels, or the scores, of those before it."""
    models = f.children("estimators_")
    x = checked_by(f, graph, x)
    method = getattr(f.model, "chain_method_", "predict")
    links = Links()
    for i, model in enumerate(models):
        with graph.step(i):
            wide = graph.concat([x, *links.given]) if links.given else x
            scores = scores_of(f, "estimator %d" % i, model, graph, wide)
            if scores.count > 2 and method != "predict":
                raise f.error("with chain_method=%s of a target of %d classes predicts nothing: its own predict fails" % (method, scores.count))
            links.add(f, graph, model, scores, method)
    order = order_of(f, len(models))
    places = graph.select(graph.concat(links.places), order)
    labels = [models[i].classes_ for i in order]
    if any(len(found) > 2 for found in labels):
        return several(f, graph, labels, of_all_classes(f, graph, links.likely, order), places)
    proba = all_of(f, graph, "predict_proba", links.likely, order)
    if not all(is_zero_or_one(found) for found in labels):
        if proba is not None:  # of both classes of each target
            proba = graph.concat([both(graph, graph.select(proba, [j])) for j in range(proba.width)])
        return several(f, graph, labels, proba, places)
    return flags(graph, all_of(f, graph, "decision_function", links.raws, order), proba, places, 0.5)
