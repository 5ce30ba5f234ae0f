"""Transformers of columns into groups of them, and of rows into leaves of trees."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from hbscore.errors import shown
from hbscore.export.arithmetic import combined, mapped, reduced, top_k
from hbscore.export.decomposition import as_wide, product
from hbscore.export.fitted import Fitted
from hbscore.export.graph import Graph, Result, Value
from hbscore.export.linear import join
from hbscore.export.registry import exporter, run
from hbscore.export.trees import forest, forest_takes_missing, read_trees


def median(graph: Graph, x: Value) -> Value:
    """The number in the middle of a row's, or the mean of the two there, in the type of the columns. A sum begins with 0."""
    k = x.width // 2 + 1
    least, _ = top_k(graph, x, k, largest=False)
    total = combined(graph, "add", graph.select(least, [k - 1]), 0.0, x.dtype)
    if x.width % 2:
        return total
    total = combined(graph, "add", graph.select(least, [k - 2]), total, x.dtype)
    return combined(graph, "divide", total, 2.0, x.dtype)


def spread(graph: Graph, x: Value, function: str) -> Value:
    """By how much the columns differ: from the least to the largest, or by squares around the mean."""
    if function == "ptp":
        return combined(graph, "subtract", reduced(graph, "max", x), reduced(graph, "min", x), x.dtype)
    mean = combined(graph, "divide", reduced(graph, "sum", x, dtype=x.dtype), float(x.width), x.dtype)
    around = combined(graph, "subtract", x, mean, x.dtype)
    squares = mapped(graph, "square", around, x.dtype)
    variance = combined(graph, "divide", reduced(graph, "sum", squares, dtype=x.dtype), float(x.width), x.dtype)
    return mapped(graph, "sqrt", variance, x.dtype) if function == "std" else variance


@exporter("cluster", "FeatureAgglomeration")
def feature_agglomeration(f: Fitted, graph: Graph, x: Value) -> Result:
    """The mean of each cluster of columns: its sum, divided by how many they are; or another function of them."""
    pooling = f.get("pooling_func")
    functions = {np.mean: "mean", np.sum: "sum", np.max: "max", np.min: "min", np.prod: "product"}
    spreads = {np.ptp: "ptp", np.var: "var", np.std: "std"}
    if not callable(pooling) or (pooling not in functions and pooling not in spreads and pooling is not np.median):
        raise f.error("with pooling_func=%s is not supported" % shown(pooling))
    count = int(f.get("n_clusters_"))
    labels = f.integers("labels_", f.get("labels_"), x.width, 0, count)
    members = (labels == np.arange(count)[:, np.newaxis]).astype(np.float64)
    sizes = f.checked("labels_", members.sum(axis=1), [count])
    if x.sparse or not (sizes > 0).all():
        raise f.error("of a sparse matrix, or with a cluster without columns, is not supported")
    if pooling is np.mean:
        return Result("transformer", graph.affine(product(f, graph, as_wide(x), members), "div", None, sizes))
    x = graph.check(x, missing=False)
    parts = [graph.select(x, np.flatnonzero(row).tolist()) for row in members]
    if pooling is np.median:
        made = graph.concat([median(graph, part) for part in parts])
    elif pooling in spreads:
        made = graph.concat([spread(graph, part, spreads[pooling]) for part in parts])
    else:
        made = graph.concat([reduced(graph, functions[pooling], part, dtype=x.dtype) for part in parts])
    return Result("transformer", replace(made, types=(np.dtype(x.dtype),) * made.width))


@exporter("ensemble", "RandomTreesEmbedding")
def random_trees_embedding(f: Fitted, graph: Graph, x: Value) -> Result:
    """Each tree gives the number of the row's leaf, and an encoder knows the leaves."""
    models = f.children("estimators_")
    trees = read_trees(f, models, x.width)
    leaves = [np.flatnonzero(tree.left == -1).astype(np.float64)[:, np.newaxis] for tree in trees]
    missing = forest_takes_missing(models, x)
    numbers = forest(graph, x, trees, leaves, np.zeros(len(trees)), groups=list(range(len(trees))), missing=missing)
    return run(f.get("one_hot_encoder_"), join(f, "one_hot_encoder_"), graph, numbers)
