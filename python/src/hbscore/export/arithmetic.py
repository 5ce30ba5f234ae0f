"""Functions of numbers as operators of a document: of one number, of two, of a row's, of stored rows.

An operand is a value of the graph or numbers of the model: one for all columns, or one for each."""

from __future__ import annotations

from typing import Any, Optional, Sequence, Tuple, Union

import numpy as np

from hbscore.export.document import array
from hbscore.export.graph import FLOAT64, Graph, Value

Operand = Union[Value, float, Sequence[float], np.ndarray]


def numbers(operand: Any) -> np.ndarray:
    return np.atleast_1d(np.asarray(operand, dtype=np.float64))


def mapped(graph: Graph, function: str, x: Value, dtype: str = "f8") -> Value:
    """function: as the format names it (docs/own-format.md), mostly numpy's name."""
    return graph.add("map", [x], [np.dtype(dtype)] * x.width, function=function, dtype=dtype)


def combined(graph: Graph, function: str, left: Operand, right: Operand, dtype: str = "f8") -> Value:
    """One of the operands is a value. A value of one column stands for as many as the other has."""
    fields = {"function": function, "dtype": dtype}
    if isinstance(left, Value) and isinstance(right, Value):
        types = [np.dtype(dtype)] * max(left.width, right.width)
        return graph.add("combine", [left, right], types, **fields)
    value, own, first = (left, numbers(right), 0) if isinstance(left, Value) else (right, numbers(left), 1)
    assert isinstance(value, Value)
    types = [np.dtype(dtype)] * max(value.width, len(own))
    return graph.add("combine", [value], types, **fields, numbers=array(own, "f8"), first=first)


def chosen(graph: Graph, condition: Value, yes: Operand, no: Operand) -> Value:
    """yes where the condition is not 0, else no."""
    branches = {"yes": yes, "no": no}
    inputs = [condition] + [v for v in branches.values() if isinstance(v, Value)]
    own = {n: numbers(v) for n, v in branches.items() if not isinstance(v, Value)}
    width = max([v.width for v in inputs] + [len(v) for v in own.values()])
    return graph.add("choose", inputs, [FLOAT64] * width, **{n: array(v, "f8") for n, v in own.items()})


def reduced(graph: Graph, function: str, x: Value, terms: Optional[int] = None, dtype: str = "f8") -> Value:
    """One number of each `terms` columns; None: of all columns."""
    terms = x.width if terms is None else terms
    types = [np.dtype(dtype)] * (x.width // terms)
    return graph.add("reduce", [x], types, function=function, dtype=dtype, terms=terms)


def pairwise(graph: Graph, metric: str, x: Value, rows: Any, power: Optional[float] = None) -> Value:
    """The distance from each stored row, or the product with it. Rows that float32 holds take half the room."""
    stored = np.asarray(rows)
    kind = "f4" if (stored.astype(np.float32) == stored).all() else "f8"
    fields = {} if power is None else {"power": array([power], "f8")}
    return graph.floats("pairwise", x, len(stored), metric=metric, **fields, rows=array(stored, kind))


def top_k(graph: Graph, x: Value, k: int, largest: bool, terms: Optional[int] = None) -> Tuple[Value, Value]:
    """The k smallest or largest numbers of each `terms` columns in their order, and their places."""
    terms = x.width if terms is None else terms
    count = x.width // terms * k
    made = graph.floats("top_k", x, 2 * count, terms=terms, k=k, largest=int(largest))
    return graph.select(made, range(count)), graph.select(made, range(count, 2 * count))


def look_up(graph: Graph, places: Value, table: Union[Value, np.ndarray]) -> Value:
    """table: [rows], or [rows, columns of places]: for each column the number at its place in this column.
    A value is one row's own numbers, [rows] of them."""
    width = places.width
    if isinstance(table, Value):
        fields = {"places": table.width, "stride": 1, "first": array(np.zeros(width), "i4")}
        return graph.add("look_up", [table, places], [FLOAT64] * width, **fields)
    stride = width if table.ndim == 2 else 1
    first = np.arange(width) if table.ndim == 2 else np.zeros(width)
    fields = {"places": len(table), "stride": stride, "first": array(first, "i4")}
    return graph.floats("look_up", places, width, **fields, numbers=array(table.reshape(-1), "f8"))
