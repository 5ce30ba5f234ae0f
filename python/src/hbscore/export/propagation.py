"""Labels that spread from stored rows to those near them."""

from __future__ import annotations

import numpy as np

from hbscore.errors import shown
from hbscore.export.arithmetic import combined, mapped, pairwise, reduced
from hbscore.export.decomposition import as_wide
from hbscore.export.distances import nearest
from hbscore.export.fitted import Fitted, dense
from hbscore.export.graph import Graph, Result, Value
from hbscore.export.neighbors import MAX_COLUMNS, neighbours_count, rows_of, space_of, sums_by
from hbscore.export.registry import exporter


def by_kernel(f: Fitted, graph: Graph, x: Value, shares: np.ndarray) -> Value:
    rows = f.checked("X_", dense(f.get("X_")), [len(shares), x.width])
    if len(rows) > MAX_COLUMNS:
        raise f.error("with more than %d rows is not supported" % MAX_COLUMNS)
    far = pairwise(graph, "sqeuclidean", graph.check(as_wide(x), missing=False), rows)
    return sums_by(graph, mapped(graph, "exp", combined(graph, "multiply", far, -f.number("gamma"))), shares)


def by_neighbours(f: Fitted, graph: Graph, x: Value, shares: np.ndarray) -> Value:
    inner = Fitted(f.get("nn_fit"), f.path)
    of = space_of(inner, graph, x)
    _, places = nearest(f, graph, of, neighbours_count(inner, "n_neighbors", len(of.rows)), measures=False)
    return reduced(graph, "sum", rows_of(graph, places, shares), places.width)


@exporter("semi_supervised", "LabelPropagation", "LabelSpreading")
def propagation(f: Fitted, graph: Graph, x: Value) -> Result:
    count = len(f.get("classes_"))
    classes = f.classes(count, least=1)
    shares = f.numbers("label_distributions_", -1, count)
    kernel = f.get("kernel")
    if callable(kernel) or kernel not in ("rbf", "knn"):
        raise f.error("with kernel=%s is not supported" % shown(kernel))
    sums = (by_kernel if kernel == "rbf" else by_neighbours)(f, graph, x, shares)
    proba = combined(graph, "divide", sums, reduced(graph, "sum", sums))
    return Result("classifier", graph.add("head", [proba], [], rule="argmax_proba"), classes)
