"""Trees and ensembles of trees: a forest operator, whose leaves hold what the library would add."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from typing import Any, Dict, List, Optional, Sequence

import numpy as np

from hbscore.export.document import array, library_version
from hbscore.export.fitted import Fitted
from hbscore.export.graph import FLOAT64, Graph, Result, Value
from hbscore.export.heads import several
from hbscore.export.packing import bits, covers, leaves, preorder, rounded_down, whole
from hbscore.export.registry import exporter
from hbscore.progress import Told

MAX_NODES = 2**31 - 1


@dataclass
class Tree:
    left: np.ndarray
    right: np.ndarray
    feature: np.ndarray
    threshold: np.ndarray
    missing_left: np.ndarray
    cover: np.ndarray
    values: np.ndarray  # [leaves, outputs, classes]: what the leaves hold
    #: Words of bits by node: categories that go to the other side than a missing value, and alone do.
    sets: Dict[int, np.ndarray] = field(default_factory=dict)


def read_tree(f: Fitted, model: Any, width: int) -> Tree:
    """model: a single tree's estimator, all of whose fields are checked."""
    tree = Fitted(model, f.path).get("tree_")
    nodes = int(tree.node_count)
    left = f.integers("children_left", tree.children_left, nodes, -1, nodes)
    right = f.integers("children_right", tree.children_right, nodes, -1, nodes)
    leaf = left == -1
    if nodes < 1 or not ((right == -1) == leaf).all():
        raise f.error("has a tree whose node has one child")
    feature = np.where(leaf, -1, np.asarray(tree.feature))
    threshold = np.where(leaf, 0.0, f.checked("threshold", tree.threshold, [nodes], finite=False))
    if np.isnan(threshold).any():
        raise f.error("has a threshold that is NaN")
    missing = np.asarray(getattr(tree, "missing_go_to_left", np.zeros(nodes, np.uint8)))
    cover = f.checked("weighted_n_node_samples", tree.weighted_n_node_samples, [nodes])
    return Tree(
        left=left,
        right=right,
        feature=f.integers("feature", feature, nodes, -1, width),
        threshold=threshold,
        missing_left=f.integers("missing_go_to_left", np.where(leaf, 0, missing), nodes, 0, 2),
        cover=np.maximum(cover, 0.0),  # weights may be negative; no answer depends on it
        values=f.checked("value", tree.value, [nodes, -1, -1])[leaf],
    )


def is_tree(model: Any, *kinds: str) -> bool:
    """By the exact class: a subclass may do anything. kinds: Classifier, Regressor."""
    module = sys.modules.get("sklearn.tree")
    names = [name + kind for name in ("DecisionTree", "ExtraTree") for kind in kinds or ("Classifier", "Regressor")]
    return any(type(model) is getattr(module, name, None) for name in names)


def read_trees(f: Fitted, models: Sequence[Any], width: int) -> List[Tree]:
    for model in models:
        if not is_tree(model):
            raise f.error("holds a %s: only trees are supported" % type(model).__name__)
    return [read_tree(f, model, width) for model in models]


def takes_missing(model: Any, x: Value) -> bool:
    """The estimator's own answer: it depends on version, splitter and constraints. A sparse matrix may
    hold no NaN."""
    if x.sparse:
        return False
    ask = getattr(model, "_support_missing_values", None)
    return ask is not None and bool(ask(np.zeros((1, model.n_features_in_), dtype=np.float32)))


def sets_of(trees: Sequence[Tree], start: np.ndarray) -> Dict[str, Any]:
    """The document's members for nodes that test categories; none where no node does."""
    found = [(first + i, t.sets[i]) for t, first in zip(trees, start) for i in sorted(t.sets)]
    if not found:
        return {}
    ends = np.cumsum([0] + [len(words) for _, words in found])
    return {
        "set_node": array([node for node, _ in found], "i4"),
        "set_start": array(ends, "i4"),
        "set_bits": array(np.concatenate([words for _, words in found]).view(np.int32), "i4"),
    }


def in_preorder(tree: Tree, values: np.ndarray) -> Tree:
    """The same tree with its nodes in another order; its leaves hold `values`."""
    order = preorder(tree.left, tree.right)
    place = np.argsort(order)
    leaf = tree.left == -1
    row = np.cumsum(leaf) - 1  # of a leaf, in `values`
    return Tree(
        left=np.where(leaf, -1, place[tree.left])[order],
        right=np.where(leaf, -1, place[tree.right])[order],
        feature=tree.feature[order],
        threshold=tree.threshold[order],
        missing_left=tree.missing_left[order],
        cover=tree.cover[order],
        values=values[row[order[leaf[order]]]],
        sets={int(place[i]): words for i, words in tree.sets.items()},
    )


def all_in_preorder(
    trees: Sequence[Tree], values: Sequence[np.ndarray], told: Told
) -> List[Tree]:
    moved = []
    for i, (tree, rows) in enumerate(zip(trees, values)):
        told(i / len(trees), "tree %d of %d" % (i + 1, len(trees)))
        moved.append(in_preorder(tree, rows))
    return moved


def packed(trees: Sequence[Tree], input: str) -> Dict[str, Any]:
    """The document's members from `node` to `value`, of trees in preorder."""
    start = np.cumsum([0] + [len(t.left) for t in trees])
    if start[-1] > MAX_NODES:
        raise ValueError("more than %d nodes" % MAX_NODES)

    def column(name: str) -> np.ndarray:
        return np.concatenate([getattr(t, name) for t in trees])

    leaf = column("left") == -1
    threshold = column("threshold")[~leaf]
    narrow = input == "f4"
    return {
        "node": whole(np.where(leaf, 0, column("feature") + 1)),
        "threshold": array(rounded_down(threshold) if narrow else threshold, "f4" if narrow else "f8"),
        **sets_of(trees, start),
        "missing_left": bits(column("missing_left")[~leaf]),
        "cover": covers(column("cover")[leaf]),
        **leaves(column("values")),
    }


def forest(
    graph: Graph,
    x: Value,
    trees: Sequence[Tree],
    values: Sequence[np.ndarray],
    init: np.ndarray,
    divide: float = 1.0,
    groups: Optional[Sequence[int]] = None,
    missing: int = 0,
    input: str = "f4",
    begin: Optional[Value] = None,
) -> Value:
    """values: for each tree [leaves, outputs], or [leaves, 1] where a tree adds to one output.
    missing: 1 takes NaN, 2 infinities too. begin: what the sums start from, in place of init."""
    takes = 0 if graph.holds_no_nan(x) else int(missing)
    if input == "f4" and graph.is_computed(x.number, since_guard=False):  # it may be infinite there
        x = graph.guard(graph.add("cast", [x], x.types, to="f4"), bool(takes))
    fields: Dict[str, Any] = {"input": input, **packed(all_in_preorder(trees, values, graph.told), input)}
    fields["group"] = array([-1] * len(trees) if groups is None else groups, "i4")
    fields["init"] = array(init, "f8")
    fields["divide"] = array([divide], "f8")
    fields["missing"] = takes
    inputs = [x] if begin is None else [x, begin]
    return graph.add("forest", inputs, [FLOAT64] * len(init), **fields)


# Averages -----------------------------------------------------------------------------------


def distributions(f: Fitted, tree: Tree) -> np.ndarray:
    """Each leaf's probabilities. Before 1.4 a tree holds weighted counts."""
    if tree.values.shape[1] != 1:
        raise f.error("has several outputs: only one is supported for classifiers")
    values: np.ndarray = tree.values[:, 0, :]
    if library_version() >= (1, 4):
        return values
    total = values.sum(axis=1)[:, np.newaxis]
    total[total == 0.0] = 1.0
    fractions: np.ndarray = values / total
    return fractions


def distributions_of_all(tree: Tree, counts: Sequence[int]) -> np.ndarray:
    """Each leaf's probabilities of all outputs' classes, one output after the other."""
    parts = []
    for k, count in enumerate(counts):
        values = tree.values[:, k, :count]
        total = values.sum(axis=1)[:, np.newaxis]
        total[total == 0.0] = 1.0
        parts.append(values if library_version() >= (1, 4) else values / total)
    return np.hstack(parts)


def several_classifier(f: Fitted, graph: Graph, x: Value, trees: Sequence[Tree], missing: bool) -> Result:
    """Several outputs have their probabilities side by side in each leaf."""
    labels = [np.asarray(found) for found in f.get("classes_")]
    counts = [len(found) for found in labels]
    values = [distributions_of_all(tree, counts) for tree in trees]
    proba = forest(graph, x, trees, values, np.zeros(sum(counts)), len(trees), missing=missing)
    decides = proba
    if f.name in ("DecisionTreeClassifier", "ExtraTreeClassifier"):  # a single tree labels by what it holds
        held = [np.hstack([tree.values[:, k, :count] for k, count in enumerate(counts)]) for tree in trees]
        if (held[0] != values[0]).any():
            decides = forest(graph, x, trees, held, np.zeros(sum(counts)), missing=missing)
    ends = np.cumsum([0] + counts)
    groups = [graph.select(decides, range(ends[k], ends[k + 1])) for k in range(len(counts))]
    return several(f, graph, labels, proba, graph.concat([graph.floats("argmax", g, 1) for g in groups]))


def average_classifier(
    f: Fitted,
    graph: Graph,
    x: Value,
    trees: Sequence[Tree],
    values: Sequence[np.ndarray],
    missing: bool,
) -> Result:
    """values: for each tree the probabilities of its leaves, [leaves, classes]."""
    classes = f.classes(values[0].shape[1], least=1)
    zeros = np.zeros(values[0].shape[1])
    proba = forest(graph, x, trees, values, zeros, len(trees), missing=missing)
    raw, rule = proba, "argmax_proba"
    counts = trees[0].values[:, 0, :]
    if f.name in ("DecisionTreeClassifier", "ExtraTreeClassifier"):
        # A single tree labels by what it holds, and division can make a tie of two counts.
        if (counts.argmax(axis=1) != values[0].argmax(axis=1)).any():
            raw, rule = forest(graph, x, trees, [counts], zeros, missing=missing), "argmax"
    return Result("classifier", graph.add("head", [raw, proba], [], rule=rule), classes)


def average_regressor(
    f: Fitted, graph: Graph, x: Value, trees: Sequence[Tree], missing: bool
) -> Result:
    if any(tree.values.shape[2] != 1 for tree in trees):
        raise f.error("has leaves that are no numbers")
    values = [tree.values[:, :, 0] for tree in trees]
    zeros = np.zeros(values[0].shape[1])
    return Result("regressor", forest(graph, x, trees, values, zeros, len(trees), missing=missing))


@exporter("tree", "DecisionTreeClassifier", "ExtraTreeClassifier")
def tree_classifier(f: Fitted, graph: Graph, x: Value) -> Result:
    trees = read_trees(f, [f.model], x.width)
    if f.get("n_outputs_") > 1:
        return several_classifier(f, graph, x, trees, takes_missing(f.model, x))
    values = [distributions(f, trees[0])]
    return average_classifier(f, graph, x, trees, values, takes_missing(f.model, x))


@exporter("tree", "DecisionTreeRegressor", "ExtraTreeRegressor")
def tree_regressor(f: Fitted, graph: Graph, x: Value) -> Result:
    return average_regressor(f, graph, x, read_trees(f, [f.model], x.width), takes_missing(f.model, x))


def forest_takes_missing(models: Sequence[Any], x: Value) -> bool:
    """Single trees take NaN since 1.3, forests since 1.4."""
    return library_version() >= (1, 4) and takes_missing(models[0], x)


@exporter("ensemble", "RandomForestClassifier", "ExtraTreesClassifier")
def forest_classifier(f: Fitted, graph: Graph, x: Value) -> Result:
    models = f.children("estimators_")
    trees = read_trees(f, models, x.width)
    if f.get("n_outputs_") > 1:
        return several_classifier(f, graph, x, trees, forest_takes_missing(models, x))
    values = [distributions(f, tree) for tree in trees]
    return average_classifier(f, graph, x, trees, values, forest_takes_missing(models, x))


@exporter("ensemble", "RandomForestRegressor", "ExtraTreesRegressor")
def forest_regressor(f: Fitted, graph: Graph, x: Value) -> Result:
    models = f.children("estimators_")
    trees = read_trees(f, models, x.width)
    return average_regressor(f, graph, x, trees, forest_takes_missing(models, x))


# Bagging ------------------------------------------------------------------------------------


@dataclass
class Bag:
    """Trees of subsets of the columns, as trees of those columns that any of them gets."""

    x: Value
    models: List[Any]
    trees: List[Tree]

    @property
    def takes_missing(self) -> bool:
        return all(takes_missing(model, self.x) for model in self.models)


def read_bag(f: Fitted, graph: Graph, x: Value, kind: str) -> Bag:
    """kind: Classifier or Regressor, which the trees must be too: others vote, or give no numbers."""
    models = list(f.children("estimators_"))
    subsets = [np.asarray(columns) for columns in f.get("estimators_features_")]
    if len(subsets) != len(models):
        raise f.error("has %d trees and columns for %d" % (len(models), len(subsets)))
    trees = []
    for model, columns in zip(models, subsets):
        if not type(model).__name__.endswith(kind):
            raise f.error("holds a %s: only trees are supported" % type(model).__name__)
        f.integers("estimators_features_", columns, len(columns), 0, x.width)
        trees += read_trees(f, [model], len(columns))
    used = np.unique(np.concatenate(subsets))
    for tree, columns in zip(trees, subsets):
        places = np.searchsorted(used, columns).astype(np.int32)
        tree.feature = np.where(tree.feature < 0, -1, places[tree.feature]).astype(np.int32)
    return Bag(graph.select(x, used.tolist()), models, trees)


def check_classes(f: Fitted, models: Sequence[Any]) -> None:
    """Trees get samples by weights of 0 and so know all classes, by their numbers."""
    numbers = list(range(len(f.get("classes_"))))
    if any(list(model.classes_) != numbers for model in models):
        raise f.error("has a tree that does not know all classes: not supported")


def bagging_classifier(f: Fitted, graph: Graph, x: Value) -> Result:
    bag = read_bag(f, graph, x, "Classifier")
    check_classes(f, bag.models)
    values = [distributions(f, tree) for tree in bag.trees]
    return average_classifier(f, graph, bag.x, bag.trees, values, bag.takes_missing)


def bagging_regressor(f: Fitted, graph: Graph, x: Value) -> Result:
    bag = read_bag(f, graph, x, "Regressor")
    return average_regressor(f, graph, bag.x, bag.trees, bag.takes_missing)
