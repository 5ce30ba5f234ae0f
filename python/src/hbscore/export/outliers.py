"""Isolation forests: how deep the trees isolate a row; envelopes: how far it is from the middle. Labels are -1 (an
outlier) and 1."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import Any, List, Tuple

import numpy as np

from hbscore.export.arithmetic import combined, reduced
from hbscore.export.decomposition import as_wide, product
from hbscore.export.distances import root_of
from hbscore.export.document import array
from hbscore.export.fitted import Fitted
from hbscore.export.graph import Graph, Result, Value
from hbscore.export.registry import allows_nan, exporter
from hbscore.export.trees import Tree, forest, read_bag, read_trees

INFINITE = 0x7FF0000000000000  # the bits of infinity


def node_depths(tree: Tree) -> np.ndarray:
    """Nodes from the root to each node, both counted."""
    depths = np.ones(len(tree.left))
    for i in range(len(tree.left)):  # a child stands behind its parent
        for child in (tree.left[i], tree.right[i]):
            if child >= 0:
                depths[child] = depths[i] + 1.0
    return depths


def path_lengths(f: Fitted, model: Any, tree: Tree) -> np.ndarray:
    """[leaves, 1]: the path, and what more the rows of the leaf would take, as the library guesses."""
    guess = sys.modules[type(f.model).__module__]._average_path_length
    samples = np.asarray(model.tree_.n_node_samples)
    lengths = node_depths(tree) + guess(samples) - 1.0
    leaves: np.ndarray = f.checked("path length", lengths, [len(samples)])[tree.left == -1][:, np.newaxis]
    return leaves


def border(f: Fitted, offset: float) -> float:
    """The lowest depth whose score is not negative in the library's arithmetic, by its bits: scores
    rise with the depth. Infinity where none is."""

    def is_inside(bits: int) -> bool:
        depth = np.array([bits], dtype=np.uint64).view(np.float64)
        return bool((-(2**-depth) - offset)[0] >= 0.0)

    low, high = 0, INFINITE
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if is_inside(middle) else (middle + 1, high)
    return float(np.array([low], dtype=np.uint64).view(np.float64)[0])


def read_forest(f: Fitted, graph: Graph, x: Value) -> Tuple[Value, List[Any], List[Tree]]:
    """Where each tree gets all columns they stand in their order, whatever estimators_features_ says."""
    if f.get("_max_features") == x.width:
        models = list(f.children("estimators_"))
        return x, models, read_trees(f, models, x.width)
    bag = read_bag(f, graph, x, "Regressor")
    return bag.x, bag.models, bag.trees


@exporter("ensemble", "IsolationForest")
def isolation_forest(f: Fitted, graph: Graph, x: Value) -> Result:
    x, models, trees = read_forest(f, graph, x)
    if x.sparse:  # there the trees only compare, as nothing has checked the matrix: NaN goes right
        trees = [replace(tree, missing_left=np.zeros_like(tree.missing_left)) for tree in trees]
    samples = getattr(f.model, "_max_samples", getattr(f.model, "max_samples_", None))
    guess = sys.modules[type(f.model).__module__]._average_path_length
    longest = float(len(models) * guess([samples])[0])
    values = [path_lengths(f, model, tree) for model, tree in zip(models, trees)]
    start = np.zeros(1)
    if longest == 0.0:  # of one row each: every row is as deep as the average
        values, start, longest = [np.zeros_like(v) for v in values], np.ones(1), 1.0
    taken = 2 if allows_nan(f.model) else 0  # since 1.6 NaN, and what is or becomes infinite
    depth = forest(graph, x, trees, values, start, longest, missing=taken)
    offset = f.number("offset_")
    fields = {"offset": array([offset], "f8"), "border": array([border(f, offset)], "f8")}
    raw = graph.floats("isolation", depth, 1, **fields)
    classes = array([-1, 1], "i8")
    return Result("classifier", graph.add("head", [raw], [], rule="ge0"), classes)


@exporter("covariance", "EllipticEnvelope")
def elliptic_envelope(f: Fitted, graph: Graph, x: Value) -> Result:
    """Minus the squared distance from the middle, in units of the covariance."""
    try:
        precision = f.model.get_precision()
    except Exception as e:
        raise f.error("has no precision: is it fitted?") from e
    root = root_of(f, f.checked("precision_", precision, [x.width, x.width]))
    apart = product(f, graph, graph.affine(as_wide(x), "sub", f.numbers("location_", x.width)), root)
    squares = reduced(graph, "sum_squares", apart)
    raw = graph.affine(combined(graph, "multiply", squares, -1.0), "sub", [f.number("offset_")])
    return Result("classifier", graph.add("head", [raw], [], rule="ge0"), array([-1, 1], "i8"))
