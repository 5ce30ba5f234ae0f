"""Factors that are not negative: how much of each component a row has."""

from __future__ import annotations

import sys
from dataclasses import replace

import numpy as np

from hbscore.errors import shown
from hbscore.export.arithmetic import chosen, combined
from hbscore.export.document import array
from hbscore.export.expand import refuse_sparse, transformed
from hbscore.export.fitted import Fitted
from hbscore.export.graph import FLOAT32, FLOAT64, Graph, Result, Value
from hbscore.export.registry import exporter
from hbscore.export.sparse_coding import MOST_ATOMS, in_type


def may_be_negative(graph: Graph, x: Value) -> bool:
    """True of lists of numbers that a hash or a JSON text may have made negative."""
    numbers, seen = [x.number], {0}
    while numbers:
        number = numbers.pop()
        if number in seen:
            continue
        seen.add(number)
        op = graph.ops[number - 1]
        if op["op"] == "json_features" or op.get("alternate"):
            return True
        numbers += op["in"]
    return False


def not_negative(f: Fitted, graph: Graph, x: Value) -> Value:
    """The same row; one with a negative number, which the library refuses, has no result."""
    checked = graph.check(x, missing=False)
    if graph.is_list(x.number):
        if may_be_negative(graph, x):
            refuse_sparse(f, x, "in which numbers may be negative")
        return checked
    return graph.guard(chosen(graph, combined(graph, "lt", checked, 0.0), float("nan"), checked), missing=False)


def not_zero(f: Fitted, graph: Graph, x: Value) -> Value:
    """The same row; one with a 0, which the library refuses where it would take its logarithm, has no result."""
    refuse_sparse(f, x, "whose zeros beta_loss=%s refuses" % shown(f.get("beta_loss")))
    checked = graph.check(x, missing=False)
    return graph.guard(chosen(graph, combined(graph, "lt", 0.0, checked), checked, float("nan")), missing=False)


def beta_of(f: Fitted) -> float:
    known = {"frobenius": 2.0, "kullback-leibler": 1.0, "itakura-saito": 0.0}
    given = f.get("beta_loss")
    return known[given] if isinstance(given, str) and given in known else f.number("beta_loss")


def least_divisor() -> float:
    """From which number on a sum of components divides as it is. The library's own answer: at first it was all but 0."""
    update = sys.modules["sklearn.decomposition._nmf"]._multiplicative_update_w
    one, tiny = np.ones((1, 1)), np.full((1, 1), 1e-10)
    made = update(one, tiny, one, 1, 0.0, 0.0, 1.0)[0]
    return 0.0 if float(made[0, 0]) > 0.5 else float(np.finfo(np.float32).eps)


def components_of(f: Fitted, x: Value) -> np.ndarray:
    components = f.numbers("components_", -1, x.width)
    if len(components) > MOST_ATOMS:
        raise f.error("with %d components is not supported: at most %d are" % (len(components), MOST_ATOMS))
    return components


def multiplied(f: Fitted, graph: Graph, x: Value, rule: str, rounds: int) -> Value:
    """By multiplicative updates: from the mean of the row, which is a table of its own."""
    components, alpha, ratio = components_of(f, x), x.width * f.number("alpha_W"), f.number("l1_ratio")
    narrow = np.dtype(x.dtype) == FLOAT32
    return graph.add(
        "factors",
        [x],
        [FLOAT32 if narrow else FLOAT64] * len(components),
        rule=rule,
        dtype="f4" if narrow else "f8",
        beta=array([beta_of(f)], "f8"),
        penalty=array([alpha * ratio, alpha * (1.0 - ratio)], "f8"),
        least=array([least_divisor()], "f8"),
        tolerance=array([f.number("tol")], "f8"),
        rounds=rounds,
        weights=array(components, "f8"),
    )


@exporter("decomposition", "MiniBatchNMF")
def mini_batch_nmf(f: Fitted, graph: Graph, x: Value) -> Result:
    """It looks for no negative numbers, and refuses amounts that are not finite."""
    most = f.get("transform_max_iter")
    rounds = int(f.number("max_iter" if most is None else "transform_max_iter"))
    made = multiplied(f, graph, graph.check(x, missing=False), "change", rounds)
    return transformed(graph.check(graph.guard(made, missing=False), missing=False))


@exporter("decomposition", "NMF")
def nmf(f: Fitted, graph: Graph, x: Value) -> Result:
    """The library stops where a whole table is good enough: here a row is a table of its own."""
    own = np.asarray(f.get("components_"))
    if np.dtype(x.dtype) != own.dtype:
        raise f.error("has components of %s and gets %s, which scikit-learn refuses" % (own.dtype, np.dtype(x.dtype)))
    if f.get("solver") == "mu":
        row = not_negative(f, graph, x) if beta_of(f) > 0.0 else not_zero(f, graph, x)
        return transformed(multiplied(f, graph, replace(row, types=x.types), "error", int(f.number("max_iter"))))
    if f.get("solver") != "cd":
        raise f.error("with solver=%s is not supported" % shown(f.get("solver")))
    if f.flag("shuffle"):
        raise f.error("with shuffle=True draws random numbers: not supported")
    components = components_of(f, x)
    alpha, ratio = x.width * f.number("alpha_W"), f.number("l1_ratio")
    gram = np.dot(own, own.T).astype(np.float64) + alpha * (1.0 - ratio) * np.eye(len(own))
    zeros = array(np.zeros(len(own)), "f8")
    products = graph.floats("linear", not_negative(f, graph, x), len(own), coef=array(components, "f8"), intercept=zeros)
    made = graph.floats(
        "descent",
        products,
        len(own),
        rule="slope",
        positive=1,
        penalty=array([alpha * ratio], "f8"),
        tolerance=array([f.number("tol")], "f8"),
        rounds=int(f.number("max_iter")),
        gram=array(gram, "f8"),
    )
    return transformed(in_type(graph, made, own.dtype))
