"""Factors that are not negative: how much of each component a row has."""

from __future__ import annotations

import numpy as np

from hbscore.export.arithmetic import chosen, combined
from hbscore.export.document import array
from hbscore.export.expand import refuse_sparse, transformed
from hbscore.export.fitted import Fitted
from hbscore.export.graph import Graph, Result, Value
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


@exporter("decomposition", "NMF")
def nmf(f: Fitted, graph: Graph, x: Value) -> Result:
    """The library stops where a whole table is good enough: here a row is a table of its own."""
    if f.get("solver") != "cd":
        raise f.error("with solver=mu begins with the mean of all rows that it gets: not supported")
    if f.flag("shuffle"):
        raise f.error("with shuffle=True draws random numbers: not supported")
    own = np.asarray(f.get("components_"))
    components = f.numbers("components_", -1, x.width)
    if np.dtype(x.dtype) != own.dtype:
        raise f.error("has components of %s and gets %s, which scikit-learn refuses" % (own.dtype, np.dtype(x.dtype)))
    if len(components) > MOST_ATOMS:
        raise f.error("with %d components is not supported: at most %d are" % (len(components), MOST_ATOMS))
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
