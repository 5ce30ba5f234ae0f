"""QuantileTransformer: straight lines between the quantiles of each column, and the normal distribution's own."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import Tuple

import numpy as np

from hbscore.export.arithmetic import chosen, combined, mapped
from hbscore.export.document import array
from hbscore.export.expand import refuse_sparse
from hbscore.export.fitted import Fitted
from hbscore.export.graph import FLOAT64, Graph, Result, Value
from hbscore.export.registry import exporter

NEAR = 1e-7  # scikit-learn's BOUNDS_THRESHOLD


def lines(graph: Graph, x: Value, points: np.ndarray, heights: np.ndarray) -> Value:
    """points, heights: [numbers, columns]"""
    count, width = points.shape
    return graph.add(
        "interpolate",
        [x],
        [FLOAT64] * width,
        outside="ends",
        kind="slope",
        ends=array(np.arange(1, width + 1) * count, "i4"),
        x=array(points.T.reshape(-1), "f8"),
        y=array(heights.T.reshape(-1), "f8"),
    )


def shares(graph: Graph, x: Value, quantiles: np.ndarray, references: np.ndarray) -> Value:
    """The mean of both directions: where quantiles are equal, one has the first of them and one the last."""
    heights = np.tile(references[:, np.newaxis], (1, x.width))
    up = lines(graph, x, quantiles, heights)
    down = lines(graph, mapped(graph, "negative", x), -quantiles[::-1], -heights[::-1])
    return combined(graph, "multiply", combined(graph, "subtract", up, down), 0.5, x.dtype)


def with_ends(graph: Graph, x: Value, made: Value, first: np.ndarray, last: np.ndarray, normal: bool) -> Value:
    """0 at the first quantile and 1 at the last one; before a normal distribution near them and beside them too."""
    low, high = combined(graph, "eq", x, first), combined(graph, "eq", x, last)
    if normal:
        near = float(np.dtype(x.dtype).type(NEAR))
        low = combined(graph, "lt", combined(graph, "subtract", x, near, x.dtype), first)
        high = combined(graph, "gt", combined(graph, "add", x, near, x.dtype), last)
    return chosen(graph, low, 0.0, chosen(graph, high, 1.0, made))


def to_normal(graph: Graph, made: Value, dtype: str) -> Value:
    """Limited as scikit-learn limits it, so that nothing is infinite."""
    made = mapped(graph, "ndtri", made, dtype)
    ndtri = sys.modules["scipy.special"].ndtri
    ends = [float(ndtri(p)) for p in (NEAR - np.spacing(1), 1 - (NEAR - np.spacing(1)))]
    return graph.floats("clip", made, made.width, lo=array(ends[:1], "f8"), hi=array(ends[1:], "f8"))


def points_of(f: Fitted, width: int) -> Tuple[np.ndarray, np.ndarray, bool]:
    """The quantiles of each column, their shares of the rows, and whether these become normal ones."""
    quantiles = f.numbers("quantiles_", -1, width)
    references = f.numbers("references_", len(quantiles))
    if len(quantiles) == 0 or (np.diff(quantiles, axis=0) < 0).any() or (np.diff(references) < 0).any():
        raise f.error("has quantiles_ that fall")
    return quantiles, references, f.one_of("output_distribution", "uniform", "normal") == "normal"


def back(f: Fitted, graph: Graph, x: Value) -> Value:
    """inverse_transform()"""
    quantiles, references, normal = points_of(f, x.width)
    if x.dtype == "f4":
        raise f.error("as the transformer of a target is not supported behind a regressor of float32")
    if normal:  # the normal distribution's own share below x
        error = mapped(graph, "erf", combined(graph, "multiply", x, float(np.sqrt(0.5))))
        x = combined(graph, "multiply", combined(graph, "add", error, 1.0), 0.5)
    made = lines(graph, x, np.tile(references[:, np.newaxis], (1, x.width)), quantiles)
    low, high = combined(graph, "eq", x, 0.0), combined(graph, "eq", x, 1.0)
    if normal:
        low = combined(graph, "lt", combined(graph, "subtract", x, NEAR), 0.0)
        high = combined(graph, "gt", combined(graph, "add", x, NEAR), 1.0)
    return chosen(graph, low, quantiles[0], chosen(graph, high, quantiles[-1], made))


def without_negatives(graph: Graph, x: Value) -> Value:
    """scikit-learn refuses a sparse matrix with negative numbers: such a row has no result."""
    marked = replace(chosen(graph, combined(graph, "lt", x, 0.0), np.inf, x), types=x.types)
    return graph.check(graph.guard(marked, missing=True), missing=True)


@exporter("preprocessing", "QuantileTransformer")
def quantile_transformer(f: Fitted, graph: Graph, x: Value) -> Result:
    quantiles, references, normal = points_of(f, x.width)
    dtype, given = x.dtype, x
    if x.stored_zeros:
        refuse_sparse(f, x, "in which zeros may be stored")
    x = graph.check(x, missing=True)
    if x.sparse and not f.flag("ignore_implicit_zeros"):
        x = without_negatives(graph, x)
    made = shares(graph, x, quantiles, references)
    made = with_ends(graph, x, made, quantiles[0], quantiles[-1], normal)
    if normal:
        made = to_normal(graph, made, dtype)
    if given.sparse:  # what is not stored stays 0
        made = chosen(graph, given, made, 0.0)
    if dtype == "f4":
        return Result("transformer", graph.add("cast", [made], [np.dtype(np.float32)] * x.width, to="f4"))
    return Result("transformer", made)
