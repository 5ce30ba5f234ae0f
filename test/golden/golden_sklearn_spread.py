"""How far apart right answers may be where functions of numbers stand between the sums and the answers: kernels, distances,
votes, probabilities of pairs.

Each value of the plain evaluator has a spread: the error that is allowed, in units of `least`. A sum's is that of
golden_sklearn_bounds; any other operator's is found by moving its inputs by theirs. What a step makes of a number, such as
a vote or a place, is another one or the same: rows where it can turn are not asked for."""

from __future__ import annotations

from typing import Any, Dict, List, Optional

import numpy as np

import own_format_arithmetic as arithmetic
from own_format_reference import OPERATORS, Answers, decode

Op = Dict[str, Any]

LINEAR = 1e-12
NARROW = 1e-6  # where the library adds in float32

#: Rounding of one function of numbers, relative to LINEAR: 1e-15 of the result.
ROUNDING = 1e-3

#: What turns is off by more than all that is moved, in units of `least`.
TURNS = 1e5

#: Operators that compute nothing.
MOVES = {"choose", "look_up", "top_k"}

#: Operators whose numbers are those of their columns alone, so that all columns may be moved at once.
APART = {"map", "affine", "cast", "check", "clip", "guard", "impute", "binarize", "combine", "choose"}
EACH = {"sigmoid", "sigmoid2", "exp", "relu", "tanh"}  # kinds of `link`


#: Rules of a head whose label is not made of raw scores or probabilities alone, or that has several.
RULES = ("label", "flags", "flags_proba", "outputs")


def applies(document: Dict[str, Any]) -> bool:
    computes = any(op["op"] in arithmetic.OPERATORS and op["op"] not in MOVES for op in document["ops"])
    return computes or document["ops"][-1].get("rule") in RULES


def of_weights(weights: np.ndarray, intercept: np.ndarray, x: np.ndarray, size: np.ndarray) -> np.ndarray:
    own = np.abs(x) @ np.abs(weights).T + np.where(np.isinf(intercept), 0.0, np.abs(intercept))
    return size @ np.abs(weights).T + own


def of_pairwise(op: Op, x: np.ndarray, size: np.ndarray, made: np.ndarray) -> np.ndarray:
    rows = decode(op["rows"]).astype(np.float64)
    if op["metric"] == "dot":
        return of_weights(rows, np.zeros(len(rows)), x, size)
    apart = np.abs(x[:, np.newaxis] - rows)
    power = {"sqeuclidean": 2.0, "cityblock": 1.0}.get(op["metric"])
    if op["metric"] == "sqeuclidean":  # which the library may compute as x x - 2 x v + v v
        made = (x * x).sum(axis=1, keepdims=True) + (rows * rows).sum(axis=1)
    if op["metric"] == "minkowski":
        power = float(decode(op["power"])[0])
    if power is None:
        return np.abs(made) + size.sum(axis=1, keepdims=True)
    with np.errstate(all="ignore"):
        slope = power * apart ** (power - 1.0)
    return np.abs(made) + (slope * size[:, np.newaxis]).sum(axis=2)


def of_reduce(op: Op, x: np.ndarray) -> Any:
    """What a sum of several numbers adds by itself."""
    terms = np.abs(arithmetic.groups(x, op["terms"]))
    if op["function"] in ("sum", "mean", "sum_abs"):
        return terms.sum(axis=2)
    return (terms * terms).sum(axis=2) if op["function"] == "sum_squares" else 0.0


def moved(op: Op, inputs: List[np.ndarray], sizes: List[np.ndarray], made: np.ndarray, least: float) -> np.ndarray:
    """The inputs moved by their spread, each column by itself unless no two of them meet."""
    together = op["op"] in APART or (op["op"] == "link" and op["kind"] in EACH)
    total = np.zeros(made.shape)
    for i, size in enumerate(sizes):
        columns = [slice(None)] if together else [slice(j, j + 1) for j in range(size.shape[1])]
        for column in columns:
            if not size[:, column].any():
                continue
            most = np.zeros(made.shape)
            for sign in (-1.0, 1.0):
                others = list(inputs)
                others[i] = inputs[i].copy()
                others[i][:, column] += sign * np.maximum(least * size[:, column], 0.0)
                other = OPERATORS[op["op"]](op, *others)
                most = np.maximum(most, np.where(np.isnan(other) & np.isnan(made), 0.0, np.abs(other - made)))
            total += most
    return np.where(total > TURNS * least * np.maximum(1.0, np.abs(made)), np.inf, total / least)


def spread(op: Op, inputs: List[np.ndarray], sizes: List[np.ndarray], made: np.ndarray, least: float) -> np.ndarray:
    """[rows, columns] of an operator's value."""
    name = op["op"]
    if name == "linear":
        return of_weights(decode(op["coef"]), decode(op["intercept"]), inputs[0], sizes[0])
    if name == "sparse_linear":
        weights = arithmetic.weights_of(op, inputs[0].shape[1])
        return of_weights(weights, decode(op["intercept"]), inputs[0], sizes[0])
    if name == "pairwise":
        return of_pairwise(op, inputs[0], sizes[0], made)
    if name == "select":
        return sizes[0][:, op["cols"]]
    if name == "concat":
        return np.hstack(sizes)
    if name in ("cast", "check", "guard"):
        return sizes[0]
    if name == "forest":  # a second input is what the sums start from
        return sizes[1] / decode(op["divide"]) if len(sizes) > 1 else np.zeros(made.shape)
    own = np.where(made == np.rint(made), 0.0, ROUNDING * np.abs(made))
    if name == "reduce":
        own = own + of_reduce(op, inputs[0])
    return moved(op, inputs, sizes, made, least) + own


def is_narrow(op: Op) -> bool:
    return op["op"] == "cast" or (op["op"] in ("json_features", "json_hashes", "tf_idf") and op.get("dtype") == "f4")


def least_of(reference: Answers) -> float:
    narrow = any(is_narrow(op) for op in reference.document["ops"]) and not getattr(reference, "adds_doubles", False)
    return NARROW if narrow else LINEAR


def spreads(reference: Answers) -> List[np.ndarray]:
    """Of each value of the document; a label has none."""
    if not hasattr(reference, "spreads"):
        least = least_of(reference)
        sizes = [np.zeros(reference.values[0].shape)]
        with np.errstate(all="ignore"):
            for op, made in zip(reference.document["ops"], reference.values[1:]):
                inputs = [reference.values[i] for i in op["in"]]
                of = [sizes[i] for i in op["in"]]
                sizes.append(np.zeros(made.shape) if op["op"] == "head" else spread(op, inputs, of, made, least))
        reference.spreads = sizes  # type: ignore[attr-defined]
    found: List[np.ndarray] = reference.spreads  # type: ignore[attr-defined]
    return found


# What the answers are made of -------------------------------------------------------------------


def outputs(reference: Answers, transform: bool) -> Dict[str, int]:
    """The value behind each answer."""
    ops = reference.document["ops"]
    if transform:
        return {"transform": int(reference.document["transform"])}
    head = ops[-1]
    if head["op"] != "head":
        return {"value": len(ops), "values": len(ops)}
    inputs = head["in"]
    if head["rule"] in ("label", "outputs"):
        known = {"label": inputs[-1]} if head["rule"] == "label" else {"values": inputs[-1]}
        return {**known, "probabilities": inputs[0]} if len(inputs) > 1 else known
    by_proba = head["rule"] in ("half", "argmax_proba", "flags_proba")
    decides = inputs[-1] if len(inputs) != 2 or by_proba else inputs[0]
    found = {"raw": inputs[0], "label": decides}
    if reference.probabilities is not None:
        found["probabilities"] = inputs[min(1, len(inputs) - 1)]
    return found


def sizes_of(reference: Answers, transform: bool) -> np.ndarray:
    """[rows, columns of all answers]"""
    sizes = spreads(reference)
    found = [sizes[i] for name, i in outputs(reference, transform).items() if name != "label"]
    return np.hstack(found) if found else np.zeros((len(reference.values[0]), 1))


def unsteady(reference: Answers) -> np.ndarray:
    """Rows whose label turns on an error that is allowed. Exact ties stay."""
    head = reference.document["ops"][-1]
    rows = len(reference.values[0])
    if head["op"] != "head":
        return np.zeros(rows, dtype=bool)
    known = outputs(reference, False)
    if head["rule"] == "outputs":  # places, which are the same or others
        return (spreads(reference)[known["values"]] > 0.0).any(axis=1)
    number = known["label"]
    value, size = reference.values[number], spreads(reference)[number]
    allowed = least_of(reference) * size
    if value.shape[1] == 1 or head["rule"].startswith("flags"):
        border = 0.5 if head["rule"] in ("half", "argmax_proba", "flags_proba") else 0.0
        found: np.ndarray = (np.abs(value - border) <= allowed) & (size > 0.0) & (value != border)
        return found.any(axis=1)
    order = np.argsort(-value, axis=1, kind="stable")[:, :2]
    first, second = (np.take_along_axis(value, order[:, k : k + 1], axis=1)[:, 0] for k in (0, 1))
    of = np.take_along_axis(allowed, order, axis=1).sum(axis=1)
    near: np.ndarray = (first - second <= of) & (first != second)
    return near


def rules(reference: Answers, names: Any, good: np.ndarray, transform: bool) -> Dict[str, str]:
    least, sizes = least_of(reference), spreads(reference)
    found: Dict[str, str] = {}
    numbers: Dict[str, Optional[int]] = dict(outputs(reference, transform))
    for name in names:
        number = numbers.get(name)
        if name == "label" or number is None:
            found[name] = "exact"
            continue
        size = sizes[number][good]
        largest = float(size.max()) if size.size else 0.0
        found[name] = "exact" if largest == 0.0 else "abs:%.3g" % (least * largest * 1.001 + 1e-15)
    return found
