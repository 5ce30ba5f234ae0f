"""Splines: the B-splines of each column at its number, which scipy computes by de Boor's recursion. Each step is that of
scipy, for all columns at once; the knots around a number are looked up by their interval."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import List, Optional, Tuple

import numpy as np

from hbscore.export.arithmetic import chosen, combined, look_up, mapped, reduced
from hbscore.export.document import array
from hbscore.export.expand import MOST_COLUMNS, refuse_sparse, transformed
from hbscore.export.fitted import Fitted
from hbscore.export.graph import FLOAT32, Graph, Result, Value
from hbscore.export.registry import exporter


@dataclass(frozen=True)
class Basis:
    """knots: [columns, knots] with those outside of the base interval. count: how many numbers each column becomes."""

    knots: np.ndarray
    degree: int
    count: int

    @property
    def width(self) -> int:
        return len(self.knots)

    @property
    def intervals(self) -> int:
        return int(self.knots.shape[1]) - 2 * self.degree - 1

    @property
    def first(self) -> np.ndarray:
        return self.knots[:, self.degree]

    @property
    def last(self) -> np.ndarray:
        return self.knots[:, -self.degree - 1]


def basis_of(f: Fitted, width: int, periodic: bool) -> Basis:
    splines = list(f.children("bsplines_"))
    degree = int(f.get("degree"))
    knots = f.checked("bsplines_", np.array([s.t for s in splines], dtype=np.float64), [width, -1])
    count = int(np.asarray(splines[0].c).shape[1])
    rows = knots.shape[1] - degree - 1
    if degree < 0 or rows <= degree or count != rows - (degree if periodic else 0):
        raise f.error("has bsplines_ that are not those of degree=%d" % degree)
    wanted = np.eye(rows, count)
    wanted[count:] = np.eye(count)[: rows - count]
    for spline in splines:
        if spline.k != degree or not np.array_equal(np.asarray(spline.c), wanted):
            raise f.error("has bsplines_ that are not those of degree=%d" % degree)
    if (np.diff(knots, axis=1) < 0).any():
        raise f.error("has knots that fall")
    if width * count * (degree + 1) > MOST_COLUMNS:
        raise f.error("with so many columns, knots and degrees is not supported: at most 65,536 in all")
    return Basis(knots, degree, count)


# Inside of the base interval ------------------------------------------------------------------


def interval_of(graph: Graph, basis: Basis, x: Value, infinite: bool) -> Value:
    """From 0 on, for each column. What is below the first one is in it, and so with the last one. infinite: such
    numbers are taken, which `bins` refuses."""
    inner = basis.knots[:, basis.degree + 1 : basis.degree + basis.intervals]
    if infinite and basis.intervals > 1:
        places = [c for c in range(basis.width) for _ in range(basis.intervals - 1)]
        above = combined(graph, "ge", graph.select(x, places), inner.reshape(-1))
        return reduced(graph, "sum", above, basis.intervals - 1)
    if infinite:
        return combined(graph, "lt", x, x)  # 0
    ends = array(np.cumsum([inner.shape[1]] * basis.width), "i4")
    return graph.floats("bins", x, x.width, ends=ends, edges=array(inner.reshape(-1), "f8"))


def de_boor(graph: Graph, basis: Basis, x: Value, place: Value) -> List[Value]:
    """The degree + 1 splines that are not 0 in the interval, each a value of all columns."""
    k = basis.degree
    table = {o: basis.knots[:, k + o :][:, : basis.intervals] for o in range(1 - k, k + 1)}
    knot = {o: look_up(graph, place, table[o].T) for o in table}
    above = {o: combined(graph, "subtract", knot[o], x) for o in range(1, k + 1)}
    below = {o: combined(graph, "subtract", x, knot[o]) for o in range(1 - k, 1)}
    made = [combined(graph, "eq", place, place)]  # 1
    for j in range(1, k + 1):
        before, made = made, []
        left: Optional[Value] = None  # what the step before left for the next spline
        for n in range(1, j + 1):
            length = combined(graph, "subtract", knot[n], knot[n - j])
            w = combined(graph, "divide", before[n - 1], length)
            if (table[n] == table[n - j]).any():
                w = chosen(graph, length, w, 0.0)
            part = combined(graph, "multiply", w, above[n])
            made.append(part if left is None else combined(graph, "add", left, part))
            left = combined(graph, "multiply", w, below[n - j])
        assert left is not None
        made.append(left)
    return made


def spread(graph: Graph, basis: Basis, place: Value, parts: List[Value], sparse: bool) -> Value:
    """Each spline in its column: a product of scipy's with coefficients of 0 and 1, so that one number that is not
    finite makes all of them NaN; in a sparse matrix it stays alone."""
    terms, width, count = basis.degree + 1, basis.width, basis.count
    rows = graph.select(place, [c for c in range(width) for _ in range(terms)])
    rows = combined(graph, "add", rows, np.tile(np.arange(terms), width))
    if basis.intervals + basis.degree > count:  # periodic: the last ones are the first ones again
        rows = combined(graph, "mod", rows, float(count))
    columns = [c * terms + a for c in range(width) for _ in range(count) for a in range(terms)]
    wanted = np.tile(np.repeat(np.arange(count), terms), width)
    here = combined(graph, "eq", graph.select(rows, columns), wanted)
    joined = graph.concat(parts)
    numbers = graph.select(joined, [a * width + c for c in range(width) for _ in range(count) for a in range(terms)])
    picked = chosen(graph, here, numbers, 0.0) if sparse else combined(graph, "multiply", numbers, here)
    return reduced(graph, "sum", picked, terms)


def splines(graph: Graph, basis: Basis, x: Value, sparse: bool, infinite: bool) -> Value:
    place = interval_of(graph, basis, x, infinite)
    return spread(graph, basis, place, de_boor(graph, basis, x, place), sparse)


def columns_of(graph: Graph, basis: Basis, x: Value) -> Value:
    """A number for each of its column's splines."""
    return graph.select(x, [c for c in range(basis.width) for _ in range(basis.count)])


# Outside of it --------------------------------------------------------------------------------


def numpy_dtype(x: Value) -> str:
    """The type in which numpy computes with a column and a number of float64: before numpy 2 the column's own."""
    kind = np.dtype(x.dtype)
    return "f4" if np.result_type(np.zeros(1, dtype=kind), np.float64(0.1)) == FLOAT32 else "f8"


def rounded(numbers: np.ndarray, dtype: str) -> np.ndarray:
    with np.errstate(over="ignore"):
        return numbers.astype(dtype).astype(np.float64)


def ends_of(f: Fitted, basis: Basis, x: Value) -> Tuple[np.ndarray, np.ndarray, List[int]]:
    """Where the splines of each column end for scikit-learn, and of how many splines it changes the numbers there. With
    extrapolation="linear" and a degree below 2 it raises the degree from column to column, also for the next column's
    ends."""
    degree, low, high, counts = basis.degree, [], [], []
    linear = f.get("extrapolation") == "linear"
    for knots in basis.knots:
        if degree >= len(knots):
            raise f.error("with so few knots fails in scikit-learn too")
        low.append(knots[degree])
        high.append(knots[-degree - 1])
        degree += 1 if linear and degree <= 1 else 0
        counts.append(degree)
    first, last = np.array(low), np.array(high)
    if (first > last).any() or max(counts) > basis.count:
        raise f.error("with extrapolation=%s and so few knots is not supported" % f.get("extrapolation"))
    kind = numpy_dtype(x)
    if not (np.array_equal(rounded(first, kind), first) and np.array_equal(rounded(last, kind), last)):
        raise f.error("of float32 columns with knots that float32 does not hold is not supported by this version of numpy")
    return first, last, counts


def at(f: Fitted, places: np.ndarray, slope: int) -> np.ndarray:
    """[columns, splines]: scipy's splines, or their slopes, at one place of each column."""
    made = [s(place, nu=slope) for s, place in zip(f.get("bsplines_"), places)]
    return f.checked("bsplines_", np.array(made), [len(places), -1])


def change_of(counts: List[int], count: int, behind: bool) -> np.ndarray:
    """1 for the first, or last, splines of each column."""
    made = np.array([np.arange(count) < c for c in counts], dtype=np.float64)
    return (made[:, ::-1] if behind else made).reshape(-1)


def constant(f: Fitted, graph: Graph, basis: Basis, x: Value, inside: Value, sparse: bool) -> Value:
    """The numbers at the end. Of degree 0 scikit-learn leaves none, and fails above the last knot, but in a sparse matrix."""
    first, last, _ = ends_of(f, basis, x)
    degree, count = basis.degree, basis.count
    wide = columns_of(graph, basis, x)
    low = at(f, first, 0).reshape(-1) * change_of([degree] * basis.width, count, False)
    high = at(f, last, 0).reshape(-1) * change_of([degree or count * sparse] * basis.width, count, True)
    if degree == 0 and count > 1 and not sparse:
        high = np.full(high.shape, np.nan)
    made = chosen(graph, combined(graph, "lt", wide, np.repeat(first, count)), low, inside)
    made = chosen(graph, combined(graph, "gt", wide, np.repeat(last, count)), high, made)
    return refused(graph, made) if np.isnan(high).any() else made


def linear(f: Fitted, graph: Graph, basis: Basis, x: Value, inside: Value) -> Value:
    """The first, or last, splines go on by their slope; the others are 0."""
    first, last, counts = ends_of(f, basis, x)
    wide, kind, made = columns_of(graph, basis, x), numpy_dtype(x), inside
    for place, function, behind in ((first, "lt", False), (last, "gt", True)):
        border = np.repeat(place, basis.count)
        value, slope = (rounded(at(f, place, n).reshape(-1), kind) for n in (0, 1))
        steps = combined(graph, "multiply", combined(graph, "subtract", wide, border, kind), slope, kind)
        numbers = combined(graph, "add", value, steps, kind)
        outside = combined(graph, function, wide, border)
        goes_on = combined(graph, "and", outside, change_of(counts, basis.count, behind))
        made = chosen(graph, goes_on, numbers, chosen(graph, outside, 0.0, made))
    return made


def refused(graph: Graph, x: Value) -> Value:
    """A row with NaN has no result."""
    return graph.check(graph.guard(x, missing=False), missing=False)


def outside_refused(graph: Graph, basis: Basis, x: Value, inside: Value) -> Value:
    wide = columns_of(graph, basis, x)
    made = chosen(graph, combined(graph, "lt", wide, np.repeat(basis.first, basis.count)), np.nan, inside)
    return chosen(graph, combined(graph, "gt", wide, np.repeat(basis.last, basis.count)), np.nan, made)


def wrapped(f: Fitted, graph: Graph, basis: Basis, x: Value) -> Value:
    """Into the base interval. Newer versions take 0 where it has no length."""
    kind = numpy_dtype(x)
    first, period = rounded(basis.first, kind), rounded(basis.last - basis.first, kind)
    rest = combined(graph, "mod", combined(graph, "subtract", x, first, kind), period, kind)
    made = combined(graph, "add", first, rest, kind)
    if hasattr(f.model, "handle_missing") and (period == 0).any():
        alone = combined(graph, "or", mapped(graph, "isnan", x), (period == 0).astype(np.float64))
        made = chosen(graph, alone, 0.0, made)
    return made


def in_periods(f: Fitted, graph: Graph, basis: Basis, x: Value, sparse: bool, infinite: bool) -> Value:
    """NaN is what scipy makes of NaN, into which an infinite number is wrapped."""
    place = wrapped(f, graph, basis, x)
    nothing = mapped(graph, "isnan", place)
    made = splines(graph, basis, chosen(graph, nothing, basis.first, place), sparse, infinite)
    return chosen(graph, columns_of(graph, basis, nothing), np.nan, made)


@exporter("preprocessing", "SplineTransformer")
def spline_transformer(f: Fitted, graph: Graph, x: Value) -> Result:
    refuse_sparse(f, x, "which it does not take")
    rule = f.one_of("extrapolation", "error", "constant", "linear", "continue", "periodic")
    zeros = hasattr(f.model, "handle_missing") and f.one_of("handle_missing", "error", "zeros") == "zeros"
    sparse = hasattr(f.model, "sparse_output") and f.flag("sparse_output")
    if zeros and sparse and x.width > 1 and rule not in ("constant", "linear"):  # scikit-learn misses these columns
        raise f.error("with handle_missing=zeros, sparse_output=True and extrapolation=%s is not supported: there missing"
                      " numbers become what other rows of the table say" % rule)
    basis = basis_of(f, x.width, rule == "periodic")
    if sparse and rule == "periodic" and basis.degree == 0:
        raise f.error("with degree=0, sparse_output=True and extrapolation=periodic fails in scikit-learn too")
    if basis.count == 1 and not f.get("include_bias"):
        raise f.error("makes no column")
    kind = np.dtype(x.dtype)
    x = x if zeros else graph.check(x, missing=False)
    missing = mapped(graph, "isnan", x) if zeros else None
    if missing is not None:
        x = chosen(graph, missing, basis.first, x)
    if rule == "periodic":
        made = in_periods(f, graph, basis, x, sparse, zeros)
    else:
        made = splines(graph, basis, x, sparse, zeros)
    if rule == "constant":
        made = constant(f, graph, basis, x, made, sparse)
    elif rule == "linear":
        made = linear(f, graph, basis, x, made)
    elif rule == "error":
        made = outside_refused(graph, basis, x, made)
    if missing is not None:
        made = chosen(graph, columns_of(graph, basis, missing), 0.0, made)
    if rule == "error":
        made = refused(graph, made)
    if kind == FLOAT32 and not sparse:
        made = graph.add("cast", [made], [kind] * made.width, to="f4")
    if not f.get("include_bias"):
        made = graph.select(made, [c for c in range(made.width) if (c + 1) % basis.count])
    graph.is_nan_there(made)
    made = replace(made, sparse=sparse, stored_zeros=sparse)
    return Result("transformer", made) if zeros else transformed(made)
