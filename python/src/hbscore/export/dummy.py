"""Dummy estimators: the same answer to every row, whatever it holds."""

from __future__ import annotations

from typing import Any, List

import numpy as np

from hbscore.export.fitted import Fitted
from hbscore.export.graph import Graph, Result, Value
from hbscore.export.heads import several
from hbscore.export.parts import constant
from hbscore.export.registry import exporter


def likely(f: Fitted, labels: Any, prior: Any, answer: Any) -> np.ndarray:
    """Probabilities of the classes of one output, as the strategy has them."""
    strategy = f.one_of("strategy", "prior", "most_frequent", "constant")
    found = f.checked("class_prior_", np.asarray(prior), [len(labels)])
    if strategy == "prior":
        return found
    at = found.argmax() if strategy == "most_frequent" else int(np.flatnonzero(np.asarray(labels) == answer)[0])
    return np.asarray(np.eye(len(found))[at])


@exporter("dummy", "DummyClassifier")
def dummy_classifier(f: Fitted, graph: Graph, x: Value) -> Result:
    one = f.get("n_outputs_") == 1
    labels, priors, answers = f.get("classes_"), f.get("class_prior_"), f.get("constant")
    found: List[np.ndarray] = []
    if one:
        labels, priors, answers = [labels], [priors], [answers if np.ndim(answers) == 0 else answers[0]]
    elif answers is None:
        answers = [None] * len(labels)
    for labels_of, prior, answer in zip(labels, priors, answers):
        found.append(likely(f, labels_of, prior, answer))
    proba = constant(graph, x, np.concatenate(found))
    if one:
        classes = f.classes(len(found[0]), least=1)
        return Result("classifier", graph.add("head", [proba], [], rule="argmax_proba"), classes)
    return several(f, graph, labels, proba, constant(graph, x, [float(p.argmax()) for p in found]))


@exporter("dummy", "DummyRegressor")
def dummy_regressor(f: Fitted, graph: Graph, x: Value) -> Result:
    numbers = f.checked("constant_", np.ravel(np.asarray(f.get("constant_"))), [f.get("n_outputs_")])
    return Result("regressor", constant(graph, x, numbers))
