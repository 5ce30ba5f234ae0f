"""Transformers of columns into groups of them, and of rows into leaves of trees."""

from __future__ import annotations

import numpy as np

from hbscore.errors import shown
from hbscore.export.decomposition import as_wide, product
from hbscore.export.fitted import Fitted
from hbscore.export.graph import Graph, Result, Value
from hbscore.export.linear import join
from hbscore.export.registry import exporter, run
from hbscore.export.trees import forest, forest_takes_missing, read_trees


@exporter("cluster", "FeatureAgglomeration")
def feature_agglomeration(f: Fitted, graph: Graph, x: Value) -> Result:
    """The mean of each cluster of columns: its sum, divided by how many they are."""
    if f.get("pooling_func") is not np.mean:
        raise f.error("with pooling_func=%s is not supported" % shown(f.get("pooling_func")))
    count = int(f.get("n_clusters_"))
    labels = f.integers("labels_", f.get("labels_"), x.width, 0, count)
    members = (labels == np.arange(count)[:, np.newaxis]).astype(np.float64)
    sizes = f.checked("labels_", members.sum(axis=1), [count])
    if x.sparse or not (sizes > 0).all():
        raise f.error("of a sparse matrix, or with a cluster without columns, is not supported")
    return Result("transformer", graph.affine(product(f, graph, as_wide(x), members), "div", None, sizes))


@exporter("ensemble", "RandomTreesEmbedding")
def random_trees_embedding(f: Fitted, graph: Graph, x: Value) -> Result:
    """Each tree gives the number of the row's leaf, and an encoder knows the leaves."""
    models = f.children("estimators_")
    trees = read_trees(f, models, x.width)
    leaves = [np.flatnonzero(tree.left == -1).astype(np.float64)[:, np.newaxis] for tree in trees]
    missing = forest_takes_missing(models, x)
    numbers = forest(graph, x, trees, leaves, np.zeros(len(trees)), groups=list(range(len(trees))), missing=missing)
    return run(f.get("one_hot_encoder_"), join(f, "one_hot_encoder_"), graph, numbers)
