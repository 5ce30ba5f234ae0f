"""Nearest neighbours: the k nearest stored rows or all that are near enough, and what those vote for."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, List, Optional, Sequence, Tuple

import numpy as np

from hbscore.errors import shown
from hbscore.export.arithmetic import chosen, combined, look_up, mapped, pairwise, reduced, top_k
from hbscore.export.decomposition import as_wide
from hbscore.export.distances import Space, finished, from_all, nearest, space, weights_of
from hbscore.export.document import array
from hbscore.export.fitted import Fitted
from hbscore.export.graph import FLOAT32, FLOAT64, Graph, Result, Value
from hbscore.export.heads import several
from hbscore.export.parts import mean32
from hbscore.export.registry import exporter

MAX_K = 4096
MAX_COLUMNS = 65536


def space_of(f: Fitted, graph: Graph, x: Value) -> Space:
    return space(f, graph, x, f.get("_fit_X"), f.get("effective_metric_"), f.get("effective_metric_params_"))


def by_distance(f: Fitted) -> bool:
    weights = f.get("weights")
    if callable(weights):
        raise f.error("with a function as weights is not supported")
    return weights is not None and f.one_of("weights", "uniform", "distance") == "distance"


def neighbours_count(f: Fitted, name: str, count: int) -> int:
    k = int(f.get(name))
    if not 1 <= k <= min(count, MAX_K):
        raise f.error("with %s=%d is not supported: of %d rows it may be 1 to %d" % (name, k, count, min(count, MAX_K)))
    return k


def nearest_of(
    f: Fitted, graph: Graph, x: Value, option: str = "n_neighbors", measures: bool = True
) -> Tuple[Value, Value]:
    """scikit-learn's distances of the nearest rows, from the nearest on, if they count; and their numbers."""
    if f.get("effective_metric_") == "precomputed":
        near = given(f, graph, x)
        return near.nearest(f, graph, neighbours_count(f, option, near.count))
    of = space_of(f, graph, x)
    measured, places = nearest(f, graph, of, neighbours_count(f, option, len(of.rows)), measures)
    if not measures:
        return measured, places
    return known_ones(graph, of, finished(graph, of, measured)), places


def known_ones(graph: Graph, of: Space, distances: Value) -> Value:
    """A neighbour that has no column in common with the row is at no distance."""
    if not of.takes_missing:
        return distances
    return chosen(graph, mapped(graph, "isfinite", distances), distances, np.nan)


def found(f: Fitted, graph: Graph, x: Value) -> Tuple[Value, Optional[Value]]:
    """The numbers of the nearest rows, and their weights; None: all weigh the same."""
    distances, places = nearest_of(f, graph, x, measures=by_distance(f))
    return places, weights_of(graph, distances) if by_distance(f) else None


def found_for_votes(f: Fitted, graph: Graph, x: Value) -> Tuple[Value, Optional[Value]]:
    """The same; a row that is at no distance from a neighbour has no result."""
    places, weights = found(f, graph, x)
    if weights is not None and f.get("effective_metric_") == "nan_euclidean":
        weights = graph.check(graph.guard(weights, missing=False), missing=False)
    return places, weights


def repeated(graph: Graph, x: Value, times: int) -> Value:
    """All columns, so many times one behind the other."""
    return graph.select(x, list(range(x.width)) * times)


# Classes --------------------------------------------------------------------------------------


def labels_of(f: Fitted, count: int) -> np.ndarray:
    """The place of each stored row's label among the classes."""
    return f.integers("_y", np.ravel(f.get("_y")), count, 0, len(f.get("classes_"))).astype(np.float64)


def summed_votes(graph: Graph, labels: Value, weights: Optional[Value], count: int) -> Value:
    """For each class the weights of the neighbours that have it, added from the nearest on."""
    k = labels.width
    votes = combined(graph, "eq", repeated(graph, labels, count), np.repeat(np.arange(float(count)), k))
    if weights is not None:
        votes = combined(graph, "multiply", votes, repeated(graph, weights, count))
    return reduced(graph, "sum", votes, k)


def voted(graph: Graph, classes: Any, votes: Value, exact: bool) -> Result:
    """exact: votes are whole numbers, so that their quotients say which is the largest too."""
    proba = graph.floats("proportions", votes, votes.width)
    inputs = [proba] if exact else [proba, proba, votes]
    return Result("classifier", graph.add("head", inputs, [], rule="argmax_proba"), classes)


def outputs_of(f: Fitted) -> Tuple[List[np.ndarray], List[np.ndarray]]:
    """The classes of each output, and the place of each stored row's label among them."""
    classes = [np.asarray(found) for found in f.children("classes_")]
    table = np.asarray(f.get("_y"))
    if table.ndim != 2 or table.shape[1] != len(classes):
        raise f.error("has a _y of shape %s and %d outputs" % (table.shape, len(classes)))
    labels = [f.integers("_y", table[:, j], len(table), 0, len(known)) for j, known in enumerate(classes)]
    return classes, [numbers.astype(np.float64) for numbers in labels]


def voted_each(f: Fitted, graph: Graph, classes: Sequence[np.ndarray], votes: Sequence[Value]) -> Result:
    """Each output has classes and votes of its own."""
    chances = [graph.floats("proportions", value, value.width) for value in votes]
    labels = [graph.floats("argmax", value, 1) for value in votes]
    return several(f, graph, classes, graph.concat(chances), graph.concat(labels))


def of_outputs(f: Fitted, graph: Graph, x: Value) -> Result:
    classes, labels = outputs_of(f)
    places, weights = found_for_votes(f, graph, x)
    near = [look_up(graph, places, numbers) for numbers in labels]
    votes = [summed_votes(graph, of, weights, len(known)) for of, known in zip(near, classes)]
    return voted_each(f, graph, classes, votes)


@exporter("neighbors", "KNeighborsClassifier")
def classifier(f: Fitted, graph: Graph, x: Value) -> Result:
    if f.get("outputs_2d_"):
        return of_outputs(f, graph, x)
    count = len(f.get("classes_"))
    classes = f.classes(count, least=1)
    labels = labels_of(f, len(np.ravel(f.get("_y"))))
    places, weights = found_for_votes(f, graph, x)
    votes = summed_votes(graph, look_up(graph, places, labels), weights, count)
    return voted(graph, classes, votes, weights is None)


# Numbers --------------------------------------------------------------------------------------


def targets_of(f: Fitted, count: int) -> np.ndarray:
    """[rows, targets]"""
    targets = np.asarray(f.get("_y"))
    return f.checked("_y", targets.reshape(len(targets), -1), [count, -1])


def rows_of(graph: Graph, places: Value, table: np.ndarray) -> Value:
    """For each column of the table its numbers at the places."""
    k, width = places.width, table.shape[1]
    fields = {"places": len(table), "stride": width, "first": array(np.repeat(np.arange(width), k), "i4")}
    numbers = array(table.reshape(-1), "f8")
    return graph.floats("look_up", repeated(graph, places, width), k * width, **fields, numbers=numbers)


def as_targets(f: Fitted, graph: Graph, means: Value) -> Value:
    """numpy's means of float32 targets are of float32."""
    if np.asarray(f.get("_y")).dtype != FLOAT32:
        return means
    return graph.rounded(replace(means, types=(FLOAT32,) * means.width))


def means_of(f: Fitted, graph: Graph, near: Value, k: int) -> Value:
    """The mean of each k columns. Up to seven numbers of float32 are added in their order, each sum rounded."""
    if np.asarray(f.get("_y")).dtype == FLOAT32 and k < 8:
        return mean32(graph, [graph.select(near, range(i, near.width, k)) for i in range(k)])
    return as_targets(f, graph, reduced(graph, "mean", near, k))


@exporter("neighbors", "KNeighborsRegressor")
def regressor(f: Fitted, graph: Graph, x: Value) -> Result:
    """The mean of each target, by weight."""
    places, weights = found(f, graph, x)
    targets = targets_of(f, len(f.get("_y")))
    k, width = places.width, targets.shape[1]
    near = rows_of(graph, places, targets)
    if weights is None:
        return Result("regressor", means_of(f, graph, near, k))
    total = reduced(graph, "sum", combined(graph, "multiply", near, repeated(graph, weights, width)), k)
    return Result("regressor", combined(graph, "divide", total, reduced(graph, "sum", weights)))


# All within a radius --------------------------------------------------------------------------


def inside_of(f: Fitted, graph: Graph, x: Value) -> Tuple[Value, Space, Value]:
    """1 for each stored row within the radius; and how far all are, as the format measures it in this space."""
    of = space_of(f, graph, x)
    measured = from_all(f, graph, of)
    radius = f.number("radius")
    if of.name == "euclidean":  # squares are compared, as trees do
        inside = combined(graph, "le", measured, radius * radius)
    elif of.name == "minkowski":
        assert of.power is not None
        inside = combined(graph, "le", measured, radius**of.power)
    else:
        inside = combined(graph, "le", finished(graph, of, measured), radius)
    return inside, of, measured


def within(f: Fitted, graph: Graph, x: Value, table: np.ndarray) -> Tuple[Value, Value]:
    """The sums of what stands in the table for each stored row, by the weights of those within the radius; and these
    weights."""
    if f.get("effective_metric_") == "precomputed":
        near = given(f, graph, x)
        inside, distances = near.within(graph, f.number("radius"))
        weights = weights_of(graph, distances, inside) if by_distance(f) else inside
        return sums_by(graph, weights, table, near.places), weights
    weights, of, measured = inside_of(f, graph, x)
    if by_distance(f):
        weights = weights_of(graph, finished(graph, of, measured), weights)
    return sums_by(graph, weights, table), weights


def sums_by(graph: Graph, weights: Value, table: np.ndarray, places: Optional[Value] = None) -> Value:
    """weights @ table, or the same of the table's rows at these places."""
    if places is not None:
        rows = rows_of(graph, places, table)
        return reduced(graph, "sum", combined(graph, "multiply", rows, repeated(graph, weights, table.shape[1])), weights.width)
    fields = {"coef": array(table.T, "f8"), "intercept": array(np.zeros(table.shape[1]), "f8")}
    return graph.floats("linear", weights, table.shape[1], **fields)


def one_hot(labels: np.ndarray, count: int) -> np.ndarray:
    return np.asarray(labels[:, np.newaxis] == np.arange(count)).astype(np.float64)


def with_outliers(f: Fitted, graph: Graph, votes: Value, classes: Any, output: int) -> Value:
    """A row without neighbours has the label for outliers, or no result if there is none."""
    outlier = f.get("outlier_label_")
    total = reduced(graph, "sum", votes)
    if outlier is None:
        shares = graph.guard(combined(graph, "divide", votes, total), missing=False)
        return graph.check(shares, missing=False)
    place = np.flatnonzero(np.asarray(classes) == outlier[output])
    if len(place) != 1:
        raise f.error("with outlier_label=%s, which is none of the classes, is not supported" % shown(outlier[output]))
    return chosen(graph, total, votes, one_hot(place, votes.width)[0])


def radius_of_outputs(f: Fitted, graph: Graph, x: Value) -> Result:
    classes, labels = outputs_of(f)
    counts = [len(known) for known in classes]
    sums, _ = within(f, graph, x, np.hstack([one_hot(numbers, n) for numbers, n in zip(labels, counts)]))
    ends = np.cumsum(counts)
    votes = [graph.select(sums, range(end - n, end)) for end, n in zip(ends, counts)]
    kept = [with_outliers(f, graph, value, known, j) for j, (value, known) in enumerate(zip(votes, classes))]
    return voted_each(f, graph, classes, kept)


@exporter("neighbors", "RadiusNeighborsClassifier")
def radius_classifier(f: Fitted, graph: Graph, x: Value) -> Result:
    if f.get("outputs_2d_"):
        return radius_of_outputs(f, graph, x)
    count = len(f.get("classes_"))
    classes = f.classes(count, least=1)
    labels = labels_of(f, len(np.ravel(f.get("_y"))))
    votes, _ = within(f, graph, x, one_hot(labels, count))
    votes = with_outliers(f, graph, votes, f.get("classes_"), 0)
    return voted(graph, classes, votes, not by_distance(f))


@exporter("neighbors", "RadiusNeighborsRegressor")
def radius_regressor(f: Fitted, graph: Graph, x: Value) -> Result:
    """A row without neighbours has a missing number. scikit-learn casts it to the type of integer targets, with a warning
    of numpy: the result is the processor's matter, and no prediction."""
    targets = targets_of(f, len(f.get("_y")))
    total, weights = within(f, graph, x, targets)
    means = combined(graph, "divide", total, reduced(graph, "sum", weights))
    return Result("regressor", means if by_distance(f) else as_targets(f, graph, means))


# Graphs ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Near:
    """The neighbours of a row among `count` stored ones. places: their numbers, from the nearest on; None: there is a
    distance for each stored row, and `inside` says which are neighbours (None: all). distances: as the format measures
    them in the space `of` (None: they are scikit-learn's). measures: distances count, and not only who is a neighbour."""

    count: int
    distances: Value
    of: Optional[Space] = None
    places: Optional[Value] = None
    inside: Optional[Value] = None
    measures: bool = True

    def measured(self, graph: Graph) -> Value:
        """scikit-learn has 1 for each neighbour where distances do not count."""
        if not self.measures:
            return combined(graph, "ge", self.distances, 0.0)
        return self.distances if self.of is None else finished(graph, self.of, self.distances)

    def nearest(self, f: Fitted, graph: Graph, k: int) -> Tuple[Value, Value]:
        """A row that has fewer neighbours has no result."""
        distances = self.measured(graph)
        if self.inside is not None and not self.measures:
            raise f.error("gets a graph in which all neighbours are equally far: which are the nearest is chance there")
        if self.places is not None:
            if k > self.places.width:
                raise f.error("takes %d neighbours and gets %d" % (k, self.places.width))
            return graph.select(distances, range(k)), graph.select(self.places, range(k))
        if self.inside is not None:
            distances = chosen(graph, self.inside, distances, np.inf)
        least, places = top_k(graph, distances, k, largest=False)
        if self.inside is not None:
            places = chosen(graph, mapped(graph, "isfinite", least), places, np.nan)
            places = graph.check(graph.guard(places, missing=False), missing=False)
        return least, places

    def within(self, graph: Graph, radius: float) -> Tuple[Value, Value]:
        """1 for those within the radius, and all distances."""
        distances = self.measured(graph)
        inside = combined(graph, "le", distances, radius)
        return inside if self.inside is None else combined(graph, "multiply", inside, self.inside), distances

    def as_columns(self, graph: Graph) -> Optional[Value]:
        """A column for each stored row, 0 for those that are no neighbours; None: that would be too much."""
        if self.places is None:
            inside = self.inside
            assert inside is not None
            return chosen(graph, inside, self.measured(graph), 0.0) if self.measures else inside
        k = self.places.width
        if self.count * k > MAX_COLUMNS:
            return None
        made = combined(graph, "eq", repeated(graph, self.places, self.count), np.repeat(np.arange(float(self.count)), k))
        if self.measures:
            made = combined(graph, "multiply", made, repeated(graph, self.measured(graph), self.count))
        return reduced(graph, "sum", made, k)


def graph_of(f: Fitted, graph: Graph, near: Near) -> Result:
    """scikit-learn stores the columns of neighbours only, also distances of 0. An estimator of neighbours that comes
    next reads what is in the graph, and the columns need not be there."""
    feeds, graph.feeds_neighbours = graph.feeds_neighbours, False
    if feeds:
        stands = near.places or near.distances
        graph.near[stands.number] = near
        made = replace(stands, types=(FLOAT64,) * near.count)
    else:
        columns = near.as_columns(graph)
        if columns is None:
            raise f.error("with %d rows and their neighbours is not supported: at most 65,536 in all" % near.count)
        made = columns
    return Result("transformer", replace(made, sparse=True, stored_zeros=True))


def given(f: Fitted, graph: Graph, x: Value) -> Near:
    """The input of an estimator of precomputed distances: a graph, or the distances themselves, which are not below 0."""
    near: Optional[Near] = graph.neighbours_in(x)
    if near is not None:
        return near
    if x.sparse:
        raise f.error("with metric=precomputed gets a sparse matrix that is no step's graph of neighbours: not supported")
    x = graph.check(x, missing=False)
    x = chosen(graph, combined(graph, "lt", x, 0.0), np.nan, x)
    return Near(x.width, graph.check(graph.guard(x, missing=False), missing=False))


@exporter("neighbors", "KNeighborsTransformer")
def neighbors_transformer(f: Fitted, graph: Graph, x: Value) -> Result:
    """With distances one neighbour more, as a row of the training table is its own neighbour."""
    measures = f.one_of("mode", "distance", "connectivity") == "distance"
    of = space_of(f, graph, x)
    count, k = len(of.rows), neighbours_count(f, "n_neighbors", len(of.rows)) + int(measures)
    if k > count:
        raise f.error("with %d neighbours of %d rows is not supported" % (k, count))
    measured, places = nearest(f, graph, of, k, measures)
    return graph_of(f, graph, Near(count, measured, of, places, measures=measures))


@exporter("neighbors", "RadiusNeighborsTransformer")
def radius_transformer(f: Fitted, graph: Graph, x: Value) -> Result:
    measures = f.one_of("mode", "distance", "connectivity") == "distance"
    inside, of, measured = inside_of(f, graph, x)
    return graph_of(f, graph, Near(len(of.rows), measured, of, inside=inside, measures=measures))


# Outliers -------------------------------------------------------------------------------------


LEAST = 1e-10  # scikit-learn adds it to a mean distance, whose reciprocal is a density


@exporter("neighbors", "LocalOutlierFactor")
def local_outlier_factor(f: Fitted, graph: Graph, x: Value) -> Result:
    """How much sparser a row's neighbourhood is than those of its neighbours: the mean of quotients of densities."""
    if not f.flag("novelty"):
        raise f.error("with novelty=False predicts nothing of other rows")
    if f.get("effective_metric_") == "nan_euclidean":  # which takes missing numbers in other estimators only
        x = graph.check(x, missing=False)
    distances, places = nearest_of(f, graph, x, "n_neighbors_")
    density = f.numbers("_lrd", -1)
    reach = f.numbers("_distances_fit_X_", len(density), -1)[:, places.width - 1]
    apart = combined(graph, "maximum", distances, look_up(graph, places, reach))
    own = combined(graph, "divide", 1.0, combined(graph, "add", reduced(graph, "mean", apart), LEAST))
    ratio = reduced(graph, "mean", combined(graph, "divide", look_up(graph, places, density), own))
    raw = graph.affine(mapped(graph, "negative", ratio), "sub", [f.number("offset_")])
    return Result("classifier", graph.add("head", [raw], [], rule="ge0"), array([-1, 1], "i8"))


# Centroids ------------------------------------------------------------------------------------


@exporter("neighbors", "NearestCentroid")
def nearest_centroid(f: Fitted, graph: Graph, x: Value) -> Result:
    """Since 1.6 there are scores and probabilities too, of columns divided by their deviation within classes; labels
    are by them only where classes have priors of their own."""
    centroids = f.numbers("centroids_", -1, x.width)
    count = len(centroids)
    classes = f.classes(count)
    metric = f.get("metric")
    prior = getattr(f.model, "class_prior_", None)
    alike = prior is None or bool(np.isclose(prior, 1.0 / count).all())
    if prior is not None and (metric == "euclidean" or not alike):
        scores = centroid_scores(f, graph, x, centroids)
        place = negative_distances(f, graph, x, centroids) if alike else scores
        if metric != "euclidean":
            return Result("classifier", graph.add("head", [place], [], rule="argmax"), classes)
        raw = graph.floats("link", scores, 1, kind="difference") if count == 2 else scores
        proba = graph.floats("link", scores, count, kind="logsumexp")
        return Result("classifier", graph.add("head", [raw, proba, place], [], rule="argmax"), classes)
    place = negative_distances(f, graph, x, centroids)
    return Result("classifier", graph.add("head", [place], [], rule="argmax"), classes)


def negative_distances(f: Fitted, graph: Graph, x: Value, centroids: np.ndarray) -> Value:
    if f.get("metric") == "braycurtis":  # as scipy has it, of the sums of a row and a centroid
        checked = graph.check(as_wide(x), missing=False)
        apart, together = (pairwise(graph, "cityblock", checked, sign * centroids) for sign in (1.0, -1.0))
        return mapped(graph, "negative", combined(graph, "divide", apart, together))
    of = space(f, graph, x, centroids, f.get("metric"), None)
    return mapped(graph, "negative", from_all(f, graph, of))


def centroid_scores(f: Fitted, graph: Graph, x: Value, centroids: np.ndarray) -> Value:
    """Minus the squared distance, and twice the logarithm of the prior."""
    deviation = f.numbers("within_class_std_dev_", x.width)
    scale = np.where(deviation == 0.0, 1.0, deviation)
    x = graph.affine(x, "div", None, scale)
    of = space(f, graph, x, centroids / scale, f.get("metric"), None)
    measured = from_all(f, graph, of)
    if of.name != "euclidean":
        measured = mapped(graph, "square", measured)
    with np.errstate(divide="ignore"):
        prior = 2.0 * np.log(f.numbers("class_prior_", len(centroids)))
    if not np.isfinite(prior).all():  # a class that cannot be
        fields = {"coef": array(-np.eye(len(prior)), "f8"), "intercept": array(prior, "f8")}
        return graph.floats("linear", measured, len(prior), **fields)
    return combined(graph, "subtract", prior, measured)
