"""Clusters: the number of the nearest centre; transform() gives the distances from all of them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, List

import numpy as np

from hbscore.export.arithmetic import combined, look_up, mapped, pairwise, reduced
from hbscore.export.decomposition import as_wide, typed
from hbscore.export.fitted import Fitted
from hbscore.export.graph import FLOAT32, Graph, Result, Value
from hbscore.export.parts import constant
from hbscore.export.registry import exporter, transformer
from hbscore.export.trees import Tree, forest


def squares(graph: Graph, x: Value, centres: np.ndarray) -> Value:
    return pairwise(graph, "sqeuclidean", graph.check(as_wide(x), missing=False), centres)


def name_of(f: Fitted) -> str:
    return "subcluster_centers_" if f.name == "Birch" else "cluster_centers_"


def centres_of(f: Fitted, x: Value) -> np.ndarray:
    centres = f.numbers(name_of(f), -1, x.width)
    if len(centres) == 0:
        raise f.error("has no clusters: did it converge?")
    return centres


@exporter("cluster", "AffinityPropagation", "KMeans", "MeanShift", "MiniBatchKMeans")
def nearest_centre(f: Fitted, graph: Graph, x: Value) -> Result:
    return Result("regressor", reduced(graph, "argmin", squares(graph, x, centres_of(f, x))))


@exporter("cluster", "Birch")
def birch(f: Fitted, graph: Graph, x: Value) -> Result:
    centres = centres_of(f, x)
    labels = f.integers("subcluster_labels_", f.get("subcluster_labels_"), len(centres), -1, 2**31 - 1)
    place = reduced(graph, "argmin", squares(graph, x, centres))
    return Result("regressor", look_up(graph, place, labels.astype(np.float64)))


@transformer("cluster", "BisectingKMeans", "KMeans", "MiniBatchKMeans", "Birch")
def distances(f: Fitted, graph: Graph, x: Value) -> Result:
    made = mapped(graph, "sqrt", squares(graph, x, centres_of(f, x)))
    if typed(x, f.get(name_of(f))).dtype == "f4":
        made = graph.rounded(replace(made, types=(FLOAT32,) * made.width))
    return Result("transformer", made)


# Halves of halves -----------------------------------------------------------------------------


def nodes_in_preorder(node: Any) -> List[Any]:
    if node.left is None:
        return [node]
    return [node, *nodes_in_preorder(node.left), *nodes_in_preorder(node.right)]


@exporter("cluster", "BisectingKMeans")
def bisecting(f: Fitted, graph: Graph, x: Value) -> Result:
    """Each cluster with two parts asks which of their centres is nearer: a tree of these answers."""
    nodes = nodes_in_preorder(f.get("_bisecting_tree"))
    place = {id(node): i for i, node in enumerate(nodes)}
    inner = [node for node in nodes if node.left is not None]
    if not inner:
        return Result("regressor", constant(graph, graph.check(as_wide(x), missing=False), [float(nodes[0].label)]))
    shift = f.numbers("_X_mean", x.width) if hasattr(f.model, "_X_mean") else 0.0
    centres = np.array([part.center for node in inner for part in (node.left, node.right)]) + shift
    measured = squares(graph, x, f.checked("centres", centres, [-1, x.width]))
    left = graph.select(measured, range(0, measured.width, 2))
    right = graph.select(measured, range(1, measured.width, 2))
    is_right = combined(graph, "lt", right, left)
    number = {id(node): i for i, node in enumerate(inner)}
    zeros = np.zeros(len(nodes))
    tree = Tree(
        left=np.array([-1 if n.left is None else place[id(n.left)] for n in nodes]),
        right=np.array([-1 if n.left is None else place[id(n.right)] for n in nodes]),
        feature=np.array([number.get(id(n), -1) for n in nodes]),
        threshold=np.where([n.left is None for n in nodes], 0.0, 0.5),
        missing_left=zeros.astype(np.int32),
        cover=zeros,
        values=zeros,
    )
    labels = np.array([[float(n.label)] for n in nodes if n.left is None])
    return Result("regressor", forest(graph, is_right, [tree], [labels], np.zeros(1), input="f8", missing=1))
