"""Metrics of nearest neighbours: how columns and stored rows are prepared, which distance is measured between them, and
what scikit-learn's own is made of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, Optional, Tuple

import numpy as np

from hbscore.errors import shown
from hbscore.export.arithmetic import Operand, chosen, combined, look_up, mapped, pairwise, reduced, top_k
from hbscore.export.decomposition import as_wide, product
from hbscore.export.document import array
from hbscore.export.fitted import Fitted, dense
from hbscore.export.graph import Graph, Value
from hbscore.export.registry import allows_nan

#: Names of one metric.
SAME = {
    "cityblock": "manhattan",
    "infinity": "chebyshev",
    "l1": "manhattan",
    "l2": "euclidean",
    "matching": "hamming",
    "p": "minkowski",
    "sokalmichener": "rogerstanimoto",
}

#: By scikit-learn's name the format's, where columns are taken as they are.
PLAIN = {
    "braycurtis": "braycurtis",
    "canberra": "canberra",
    "chebyshev": "chebyshev",
    "euclidean": "sqeuclidean",
    "hamming": "hamming",
    "manhattan": "cityblock",
    "nan_euclidean": "nan_euclidean",
    "sqeuclidean": "sqeuclidean",
}

#: Metrics that only ask whether a number is 0.
OF_TRUTH = {
    "dice": "jaccard",
    "jaccard": "jaccard",
    "kulsinski": "dot",
    "rogerstanimoto": "hamming",
    "russellrao": "dot",
    "sokalsneath": "jaccard",
    "yule": "dot",
}

#: Metrics that no operator measures: the distances from all stored rows are made step by step, and each step is a value
#: with a column for each row.
IN_STEPS = ("haversine", "kulsinski", "russellrao", "yule")
MOST_IN_STEPS = 20000  # rows
MOST_ROWS = 65536


@dataclass(frozen=True)
class Space:
    """x: the prepared columns. rows: the prepared stored rows. name: scikit-learn's name of the metric, word: the
    format's, with its power."""

    x: Value
    rows: np.ndarray
    name: str
    word: str
    power: Optional[float] = None

    @property
    def fields(self) -> Dict[str, Any]:
        """The members of an operator that measures."""
        return {"metric": self.word, **({} if self.power is None else {"power": array([self.power], "f8")})}

    @property
    def stored(self) -> Dict[str, Any]:
        narrow = (self.rows.astype(np.float32) == self.rows).all()
        return array(self.rows, "f4" if narrow else "f8")

    @property
    def takes_missing(self) -> bool:
        return self.name == "nan_euclidean"


def space(f: Fitted, graph: Graph, x: Value, rows: Any, metric: Any, params: Any) -> Space:
    """rows: [rows, columns], as the estimator keeps them."""
    stored = f.checked("list of stored rows", dense(rows), [-1, x.width], finite=metric != "nan_euclidean")
    if len(stored) == 0:
        raise f.error("holds no rows")
    if not isinstance(metric, str):
        raise f.error("with a function as metric is not supported")
    given = {k: v for k, v in (params or {}).items() if v is not None and (k != "p" or metric in ("minkowski", "p"))}
    x = as_wide(x) if x.dtype == "f4" else x
    name = SAME.get(metric, metric)
    if name == "minkowski":
        return of_powers(f, graph, x, stored, given)
    if name in ("mahalanobis", "seuclidean"):
        return of_scaled(f, graph, x, stored, name, given)
    if given:
        raise f.error("with metric=%s and %s is not supported" % (metric, shown(", ".join(sorted(given)))))
    if name == "nan_euclidean":
        x = graph.check(x, missing=allows_nan(f.model))
    if name in PLAIN:
        return Space(x, stored, name, PLAIN[name])
    if name in OF_TRUTH:
        x = mapped(graph, "truth", graph.check(x, missing=False))
        return Space(x, (stored != 0).astype(np.float64), name, OF_TRUTH[name])
    if name in ("correlation", "cosine"):
        return of_angles(graph, x, stored, name)
    if name == "haversine" and x.width == 2:
        return Space(graph.check(x, missing=False), stored, name, "sqeuclidean")
    raise f.error("with metric=%s is not supported" % shown(metric))


def of_powers(f: Fitted, graph: Graph, x: Value, rows: np.ndarray, given: Dict[str, Any]) -> Space:
    """With weights w columns are multiplied by the root of them."""
    power = float(given.get("p", 2))
    weights = given.get("w")
    if not power > 0 or set(given) - {"p", "w"} or (weights is not None and power == np.inf):
        raise f.error("with metric=minkowski and %s is not supported" % shown(given))
    if weights is not None:
        factor = f.checked("w", np.asarray(weights, dtype=np.float64) ** (1.0 / power), [x.width])
        x, rows = graph.affine(x, "mul_add", factor, np.zeros(x.width)), rows * factor
    names = {1.0: "manhattan", 2.0: "euclidean", np.inf: "chebyshev"}
    if power in names:
        return Space(x, rows, names[power], PLAIN[names[power]])
    return Space(x, rows, "minkowski", "minkowski", power)


def of_scaled(f: Fitted, graph: Graph, x: Value, rows: np.ndarray, name: str, given: Dict[str, Any]) -> Space:
    """Euclidean distances of columns that are scaled, or projected by the root of a matrix."""
    if name == "seuclidean" and set(given) == {"V"}:
        scale = f.checked("V", np.sqrt(np.asarray(given["V"], dtype=np.float64)), [x.width])
        if not (scale > 0).all():
            raise f.error("has a V that is not above 0")
        return Space(graph.affine(x, "div", None, scale), rows / scale, "euclidean", "sqeuclidean")
    if name == "mahalanobis" and len(given) == 1 and set(given) <= {"V", "VI"}:
        matrix = f.checked("V", np.asarray(given.get("VI", given.get("V")), dtype=np.float64), [x.width, x.width])
        root = root_of(f, matrix if "VI" in given else np.linalg.inv(matrix))
        return Space(product(f, graph, x, root), rows @ root.T, "euclidean", "sqeuclidean")
    raise f.error("with metric=%s needs metric_params: %s" % (name, "V" if name == "seuclidean" else "VI"))


def root_of(f: Fitted, matrix: np.ndarray) -> np.ndarray:
    """r, where r.T @ r is the matrix, which is symmetric and has no negative eigenvalues."""
    values, vectors = np.linalg.eigh((matrix + matrix.T) / 2)
    if not (values >= -1e-10 * np.abs(values).max()).all():
        raise f.error("has a matrix with negative eigenvalues: it measures no distance")
    return np.ascontiguousarray((vectors * np.sqrt(np.maximum(values, 0.0))).T)


def of_angles(graph: Graph, x: Value, rows: np.ndarray, name: str) -> Space:
    """Rows of length 1."""
    if name == "correlation":
        x = graph.check(x, missing=False)
        x = combined(graph, "subtract", x, reduced(graph, "mean", x))
        rows = rows - rows.mean(axis=1, keepdims=True)
    x = graph.add("normalize", [x], x.types, norm="l2", dtype=x.dtype)
    length = np.sqrt((rows * rows).sum(axis=1, keepdims=True))
    return Space(x, rows / np.where(length == 0.0, 1.0, length), name, "cosine")


# Distances in steps ---------------------------------------------------------------------------


def on_sphere(graph: Graph, x: Value, latitudes: Operand, longitudes: Operand, cosines: Operand) -> Value:
    """The angle between a row's place on a sphere and others. cosines: of their latitudes."""
    cosine = mapped(graph, "cos", graph.select(x, [0]))
    up = combined(graph, "multiply", combined(graph, "subtract", graph.select(x, [0]), latitudes), 0.5)
    along = combined(graph, "multiply", combined(graph, "subtract", graph.select(x, [1]), longitudes), 0.5)
    first, second = (mapped(graph, "square", mapped(graph, "sin", half)) for half in (up, along))
    second = combined(graph, "multiply", combined(graph, "multiply", cosine, cosines), second)
    share = combined(graph, "minimum", combined(graph, "add", first, second), 1.0)
    return combined(graph, "multiply", mapped(graph, "arcsin", mapped(graph, "sqrt", share)), 2.0)


def of_counts(graph: Graph, of: Space) -> Value:
    """Distances by how many columns are not 0 in both rows, in one of them, and in none."""
    columns = float(of.x.width)
    both = pairwise(graph, "dot", of.x, of.rows)
    if of.name == "russellrao":
        return combined(graph, "divide", combined(graph, "subtract", columns, both), columns)
    here = combined(graph, "subtract", reduced(graph, "sum", of.x), both)
    there = combined(graph, "subtract", of.rows.sum(axis=1), both)
    differ = combined(graph, "add", here, there)
    not_both = combined(graph, "subtract", columns, both)
    if of.name == "kulsinski":
        return combined(graph, "divide", combined(graph, "add", differ, not_both), combined(graph, "add", differ, columns))
    crossed = combined(graph, "multiply", here, there)
    straight = combined(graph, "multiply", both, combined(graph, "subtract", not_both, differ))
    quotient = combined(graph, "divide", combined(graph, "multiply", crossed, 2.0), combined(graph, "add", straight, crossed))
    return chosen(graph, crossed, quotient, 0.0)


def from_all(f: Fitted, graph: Graph, of: Space) -> Value:
    """How far each stored row is: the format's distances, or scikit-learn's own if they are made in steps."""
    most = MOST_IN_STEPS if of.name in IN_STEPS else MOST_ROWS
    if len(of.rows) > most:
        with_metric = " and metric=%s" % of.name if of.name in IN_STEPS else ""
        raise f.error("with more than %d rows%s is not supported" % (most, with_metric))
    if of.name == "haversine":
        latitudes, longitudes = of.rows.T
        return on_sphere(graph, of.x, latitudes, longitudes, np.cos(latitudes))
    if of.name in IN_STEPS:
        return of_counts(graph, of)
    x = of.x if of.takes_missing else graph.check(of.x, missing=False)
    return pairwise(graph, of.word, x, of.rows, of.power)


def finished(graph: Graph, of: Space, measured: Value) -> Value:
    """scikit-learn's distances of what the format measures."""
    if of.name in ("euclidean", "nan_euclidean"):
        return mapped(graph, "sqrt", measured)
    if of.name == "minkowski":
        assert of.power is not None
        return combined(graph, "power", measured, 1.0 / of.power)
    columns = float(of.x.width)
    if of.name == "hamming":
        return combined(graph, "divide", measured, columns)
    if of.name == "rogerstanimoto":  # 2 d / (n + d)
        return combined(graph, "divide", combined(graph, "multiply", measured, 2.0), combined(graph, "add", measured, columns))
    if of.name == "dice":  # j / (2 - j)
        return combined(graph, "divide", measured, combined(graph, "subtract", 2.0, measured))
    if of.name == "sokalsneath":  # 2 j / (1 + j)
        return combined(graph, "divide", combined(graph, "multiply", measured, 2.0), combined(graph, "add", measured, 1.0))
    return measured


def nearest(f: Fitted, graph: Graph, of: Space, k: int, measures: bool = True) -> Tuple[Value, Value]:
    """The distances of the k nearest rows as from_all has them, from the nearest on, and their numbers. measures: the
    distances count."""
    if of.name == "haversine":
        return nearest_on_sphere(graph, of, k, measures)
    if of.name in IN_STEPS:
        return top_k(graph, from_all(f, graph, of), k, largest=False)
    return found_by(graph, of, k)


def found_by(graph: Graph, of: Space, k: int) -> Tuple[Value, Value]:
    made = graph.floats("neighbours", of.x, 2 * k, **of.fields, k=k, rows=of.stored)
    return graph.select(made, range(k)), graph.select(made, range(k, 2 * k))


def nearest_on_sphere(graph: Graph, of: Space, k: int, measures: bool) -> Tuple[Value, Value]:
    """Found by the chord, which is the longer the larger the angle is."""
    latitudes, longitudes = of.rows.T
    cosines = np.cos(latitudes)
    rows = np.stack([cosines * np.cos(longitudes), cosines * np.sin(longitudes), np.sin(latitudes)], axis=1)
    cosine, sine = mapped(graph, "cos", of.x), mapped(graph, "sin", of.x)
    level = combined(graph, "multiply", graph.select(cosine, [0]), graph.concat([graph.select(v, [1]) for v in (cosine, sine)]))
    chord, places = found_by(graph, Space(graph.concat([level, graph.select(sine, [0])]), rows, "chord", of.word), k)
    if not measures:
        return chord, places
    return on_sphere(graph, of.x, *(look_up(graph, places, table) for table in (latitudes, longitudes, cosines))), places


def weights_of(graph: Graph, distances: Value, inside: Optional[Value] = None) -> Value:
    """The reciprocal of each distance; if one is 0, 1 for those that are and 0 for others. inside: 1 for distances
    that count; others weigh 0."""
    weights = mapped(graph, "reciprocal", distances)
    if inside is not None:
        weights = chosen(graph, inside, weights, 0.0)
    endless = combined(graph, "gt", weights, float(np.finfo(np.float64).max))
    return chosen(graph, reduced(graph, "max", endless), endless, weights)
