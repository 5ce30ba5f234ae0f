"""Isomap: how far a row is from each stored row on the shortest way through its neighbours, projected as a kernel."""

from __future__ import annotations

from hbscore.export.arithmetic import combined, mapped, reduced
from hbscore.export.expand import transformed
from hbscore.export.fitted import Fitted
from hbscore.export.graph import Graph, Result, Value
from hbscore.export.kernel_maps import projected
from hbscore.export.neighbors import MAX_COLUMNS, nearest_of, repeated, rows_of
from hbscore.export.registry import exporter


@exporter("manifold", "Isomap")
def isomap(f: Fitted, graph: Graph, x: Value) -> Result:
    if f.get("n_neighbors") is None:
        raise f.error("with radius is not supported: n_neighbors is")
    near = Fitted(f.get("nbrs_"), f.path)
    count = len(f.get("dist_matrix_"))
    ways = f.numbers("dist_matrix_", count, count)
    distances, places = nearest_of(near, graph, x)
    if count * places.width > MAX_COLUMNS:
        raise f.error("with %d rows and %d neighbours is not supported: at most 65,536 ways" % (count, places.width))
    through = combined(graph, "add", rows_of(graph, places, ways), repeated(graph, distances, count))
    shortest = reduced(graph, "min", through, places.width)
    kernel = combined(graph, "multiply", mapped(graph, "square", shortest), -0.5)
    return transformed(projected(Fitted(f.get("kernel_pca_"), f.path), graph, x, kernel))
