"""How far apart right answers may be where neighbours are chosen: what the plain evaluator answers if the numbers that
libraries may round or add otherwise are moved by as much as such an order may move them. (golden_sklearn_spread.py follows
errors from operator to operator, and cannot say whether another row would have been chosen.)

An error is a sign and a size: all of one sign, and some drawn ones. What turns on it, such as which of two equally near
rows is a neighbour, is not asked for."""

from __future__ import annotations

from typing import Any, Callable, Dict, List

import numpy as np

import own_format_arithmetic as arithmetic
import own_format_columns as columns
from golden_sklearn_bounds import LINEAR, NARROW, of_gaussian_nb, of_linear
from own_format_reference import OPERATORS, Answers, decode, parse

#: Moves of a number that are more than rounding: the row turns on it.
TURNS = 1e-7
DRAWN = 8
SAFETY = 3.0

ADDS = {"sum", "mean", "sum_abs", "sum_squares", "length", "logsumexp", "product"}
ROUNDS = {"exp", "log", "sigmoid", "tanh", "softplus", "erf", "log1p", "expm1", "log2", "log10", "exp2", "cbrt"}
ROUNDS |= {"sin", "cos", "tan", "arcsin", "arccos", "arctan"}
LINKED = {"sigmoid", "sigmoid2", "softmax", "softmax_pm", "ovr", "exp", "logsumexp", "tanh"}


def size_of_sum(op: Dict[str, Any], x: np.ndarray) -> np.ndarray:
    parts = arithmetic.groups(np.abs(x), op["terms"]).sum(axis=2)
    return parts / op["terms"] if op["function"] == "mean" else parts


def size_of(op: Dict[str, Any], inputs: List[np.ndarray], made: np.ndarray) -> np.ndarray:
    """What an operator's own error is relative to; 0: it makes none."""
    kind = op["op"]
    if kind in ("linear", "gaussian_nb"):
        of = of_linear if kind == "linear" else of_gaussian_nb
        return of(op, inputs[0], np.zeros(inputs[0].shape))
    if kind == "reduce" and op["function"] in ADDS:
        return size_of_sum(op, inputs[0]) if op["function"] not in ("length", "logsumexp", "product") else np.abs(made)
    if kind == "pairwise" and op["metric"] in ("dot", "cosine"):
        return np.abs(inputs[0]) @ np.abs(decode(op["rows"]).T)
    if kind == "pairwise":
        return np.abs(made)
    rounds = kind == "map" and op["function"] in ROUNDS or kind == "link" and op["kind"] in LINKED
    rounds |= kind in ("normalize", "proportions", "coupling", "topics", "factors", "pursuit", "descent", "least_angle", "barycentre") or (kind == "combine" and op["function"] in ("power", "bessel_k"))
    return np.abs(made) if rounds else np.zeros(made.shape)


def moved_neighbours(op: Dict[str, Any], x: np.ndarray, error: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    far = np.vstack([arithmetic.distances(op, row[np.newaxis]) for row in x])
    far = far + error(np.abs(far))
    places = np.argsort(far, axis=1, kind="stable")[:, : op["k"]]
    return np.hstack([np.take_along_axis(far, places, axis=1), places.astype(np.float64)])


def values_with(document: Dict[str, Any], rows: Any, error: Callable[[np.ndarray], np.ndarray]) -> List[np.ndarray]:
    values = [columns.table(document, rows)]
    for op in document["ops"]:
        inputs = [values[i] for i in op["in"]]
        if op["op"] == "head":
            made = np.empty((len(values[0]), 0))
        elif op["op"] == "neighbours":
            made = moved_neighbours(op, inputs[0], error)
        elif op["op"] == "impute_nearest":
            made = arithmetic.impute_nearest(op, inputs[0], error)
            made = made + np.where(np.isnan(inputs[0]), error(np.abs(made)), 0.0)
        else:
            made = columns.as_numbers(OPERATORS[op["op"]](op, *inputs))
            if made.dtype != object:
                size = size_of(op, inputs, made)
                made = made + np.where(size > 0.0, error(size), 0.0)
        values.append(made)
    return values


def outputs_of(answers: Answers, transform: bool) -> Dict[str, np.ndarray]:
    if transform:
        return {"transform": answers.transform}
    found = {"raw": answers.raw, "probabilities": answers.probabilities}
    if answers.label is None:
        found.update(value=answers.predict, values=answers.predict)
    else:
        found["label"] = answers.label[:, np.newaxis]
    return {name: v for name, v in found.items() if v is not None}


def signs(k: int, rng: np.random.RandomState) -> Callable[[np.ndarray], np.ndarray]:
    if k < 2:
        return lambda size: (1.0 - 2.0 * k) * size
    return lambda size: rng.choice([-1.0, 1.0], size=size.shape) * size


class Probe:
    """apart: for each output [rows, columns] by how much right answers may differ. steady: [rows]"""

    def __init__(self, document: bytes, rows: Any, reference: Answers, transform: bool) -> None:
        parsed = parse(document)
        narrow = any(op["op"] == "cast" or op.get("dtype") == "f4" for op in parsed["ops"])
        least = NARROW if narrow else LINEAR
        base = outputs_of(reference, transform)
        self.apart = {name: np.zeros(v.shape) for name, v in base.items()}
        rng = np.random.RandomState(1)
        with np.errstate(all="ignore"):
            for k in range(2 + DRAWN):
                sign = signs(k, rng)
                values = values_with(parsed, rows, lambda size: least * sign(np.nan_to_num(size)))
                other = outputs_of(Answers(values, parsed), transform)
                for name, v in base.items():
                    off = np.where(other[name] == v, 0.0, np.abs(other[name] - v))
                    self.apart[name] = np.maximum(self.apart[name], np.nan_to_num(off, nan=np.inf) * SAFETY)
            turns = max(TURNS, 1e3 * least)
            steady = [(self.apart[n] <= turns * (1.0 + np.abs(v))).all(axis=1) for n, v in base.items()]
        self.steady = np.all(steady, axis=0)

    def rules(self, results: Dict[str, np.ndarray], good: np.ndarray) -> Dict[str, str]:
        out = {}
        for name in results:
            most = 0.0 if name == "label" else float(self.apart[name][good].max())
            out[name] = "exact" if most == 0.0 else "abs:%.3g" % most
        return out
