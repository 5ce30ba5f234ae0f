"""Heads: what the answers of a classifier are, of one output or of several."""

from __future__ import annotations

from typing import Any, Optional, Sequence

import numpy as np

from hbscore.export.document import array
from hbscore.export.fitted import Fitted, encode_labels
from hbscore.export.graph import Graph, Result, Value

#: Rules of a head that read probabilities.
BY_PROBABILITY = ("half", "argmax_proba", "flags_proba")

#: Rules of a head for one number: the second class is what is above.
ABOVE = {"gt0": 0.0, "ge0": -5e-324, "half": 0.5}


def both(graph: Graph, p: Value) -> Value:
    """The two columns 1 - p, p of one column p."""
    if p.width != 1:
        return p
    first = graph.affine(p, "mul_add", np.array([-1.0]), np.array([1.0]))
    return graph.concat([first, p])


def only_label(graph: Graph, decides: Value, rule: str) -> Value:
    """The head of a classifier that has neither raw scores nor probabilities."""
    if decides.width == 1 and rule in ABOVE:
        threshold = array([ABOVE[rule]], "f8")
        decides = both(graph, graph.floats("binarize", decides, 1, threshold=threshold))
    return graph.add("head", [decides], [], rule="label")


def head(graph: Graph, raw: Optional[Value], proba: Optional[Value], decides: Value, rule: str) -> Value:
    """The head of a classifier with these answers; `rule` reads `decides`."""
    if raw is None and proba is None:
        return only_label(graph, decides, rule)
    if rule in ("argmax", "argmax_proba"):  # by what there is: under a rule of raw scores one value is of these
        rule = "argmax_proba" if raw is None else "argmax" if proba is None else rule
    first = raw if raw is not None else proba
    second = proba if proba is not None else raw
    assert first is not None and second is not None
    if raw is None or proba is None:
        named = [first] if decides.number == first.number and (rule in BY_PROBABILITY) == (raw is None) else []
    else:
        named = [first, second] if decides.number == (second if rule in BY_PROBABILITY else first).number else []
    return graph.add("head", named or [first, second, decides], [], rule=rule)


# Several outputs ------------------------------------------------------------------------------


def flags(graph: Graph, raw: Optional[Value], proba: Optional[Value], scores: Value, threshold: float) -> Result:
    """Several labels a row: for each 1 if its score is above the threshold, 0 or a half, and else 0."""
    if raw is None and proba is None:
        return Result("regressor", graph.floats("binarize", scores, scores.width, threshold=array([threshold], "f8")))
    return Result("classifier", head(graph, raw, proba, scores, "flags_proba" if threshold and proba is not None else "flags"))


def is_zero_or_one(labels: Any) -> bool:
    """Classes that say no more than yes or no."""
    found = np.asarray(labels)
    return found.shape == (2,) and found.dtype.kind in "iufb" and found.tolist() == [0, 1]


def several(f: Fitted, graph: Graph, labels: Sequence[Any], proba: Optional[Value], places: Value) -> Result:
    """labels: the classes of each output. places: the number of each output's class. proba: those of all classes, one
    output after the other."""
    encoded = [encode_labels(np.asarray(found)) for found in labels]
    for found, made in zip(labels, encoded):
        if made is None:
            raise f.error("has an output whose classes are neither texts, numbers nor bools")
    if all(is_zero_or_one(found) for found in labels):
        likely = None if proba is None else graph.select(proba, range(1, proba.width, 2))
        return flags(graph, None, likely, places, 0.5)
    inputs = [places] if proba is None else [proba, places]
    head_ = graph.add("head", inputs, [], rule="outputs")
    return Result("classifier", head_, outputs=[made for made in encoded if made is not None])
