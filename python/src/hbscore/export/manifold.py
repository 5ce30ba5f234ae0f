"""Isomap: how far a row is from each stored row on the shortest way through its neighbours, projected as a kernel. Locally
linear embedding: the mean of where its neighbours lie, with the weights by which their mean is nearest to the row."""

from __future__ import annotations

from typing import Tuple

import numpy as np

from hbscore.export.arithmetic import chosen, combined, look_up, mapped, pairwise, reduced
from hbscore.export.distances import finished
from hbscore.export.document import array
from hbscore.export.expand import refuse_sparse, transformed
from hbscore.export.fitted import Fitted
from hbscore.export.graph import FLOAT64, Graph, Result, Value
from hbscore.export.kernel_maps import projected
from hbscore.export.neighbors import MAX_COLUMNS, given, inside_of, nearest_of, repeated, rows_of
from hbscore.export.registry import exporter


def through_nearest(near: Fitted, graph: Graph, x: Value, ways: np.ndarray) -> Value:
    distances, places = nearest_of(near, graph, x)
    count = len(ways)
    if count * places.width > MAX_COLUMNS:
        raise near.error("with %d rows and %d neighbours is not supported: at most 65,536 ways" % (count, places.width))
    through = combined(graph, "add", rows_of(graph, places, ways), repeated(graph, distances, count))
    return reduced(graph, "min", through, places.width)


def within_radius(near: Fitted, graph: Graph, x: Value) -> Tuple[Value, Value]:
    """1 for each stored row that is near enough, and the distances of all."""
    if near.get("effective_metric_") != "precomputed":
        inside, of, measured = inside_of(near, graph, x)
        return inside, finished(graph, of, measured)
    found = given(near, graph, x)
    if found.places is not None:
        raise near.error("with radius gets a graph of a number of neighbours: not supported")
    return found.within(graph, near.number("radius"))


def through_inside(near: Fitted, graph: Graph, x: Value, ways: np.ndarray) -> Value:
    """The least sum of a distance and a way from there is what is left of a number beyond all sums, less the largest
    of what these leave of it: |far - distance - way|. A row that is not inside leaves less than any that is. Without a row
    inside there is no way: scikit-learn refuses it."""
    inside, distances = within_radius(near, graph, x)
    longest = float(ways.max())
    far = 3.0 * (near.number("radius") + longest)
    left = chosen(graph, inside, combined(graph, "subtract", far, distances), longest / 2.0)
    most = pairwise(graph, "chebyshev", left, np.ascontiguousarray(ways.T))
    some = reduced(graph, "max", inside)
    shortest = chosen(graph, some, combined(graph, "subtract", far, most), np.nan)
    return graph.check(graph.guard(shortest, missing=False), missing=False)


@exporter("manifold", "Isomap")
def isomap(f: Fitted, graph: Graph, x: Value) -> Result:
    near = Fitted(f.get("nbrs_"), f.path)
    near.name = f.name
    count = len(f.get("dist_matrix_"))
    ways = f.numbers("dist_matrix_", count, count)
    through = through_inside if f.get("n_neighbors") is None else through_nearest
    shortest = through(near, graph, x, ways)
    kernel = combined(graph, "multiply", mapped(graph, "square", shortest), -0.5)
    return transformed(projected(Fitted(f.get("kernel_pca_"), f.path), graph, x, kernel))


MOST_WEIGHED = 256  # neighbours


@exporter("manifold", "LocallyLinearEmbedding")
def locally_linear_embedding(f: Fitted, graph: Graph, x: Value) -> Result:
    """Equations without a solution, which the library refuses, have no weights."""
    refuse_sparse(f, x, "which it does not take")
    near = Fitted(f.get("nbrs_"), f.path)
    count = int(f.number("n_neighbors"))
    rows = f.checked("_fit_X", near.get("_fit_X"), [-1, x.width])
    if not 1 <= count <= min(len(rows), MOST_WEIGHED):
        raise f.error("with n_neighbors=%d is not supported: of %d rows at most %d are" % (count, len(rows), MOST_WEIGHED))
    x = graph.check(x, missing=False)
    places = nearest_of(near, graph, x, measures=False)[1]
    fields = {"part": array([f.number("reg")], "f8"), "rows": array(rows, "f8")}
    weights = graph.guard(graph.add("barycentre", [x, places], [FLOAT64] * count, **fields), missing=False)
    weights = graph.check(weights, missing=False)
    embedding = f.numbers("embedding_", len(rows), -1)
    found = [combined(graph, "multiply", look_up(graph, places, np.ascontiguousarray(c)), weights) for c in embedding.T]
    return transformed(reduced(graph, "sum", graph.concat(found), count))
