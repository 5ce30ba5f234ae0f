"""Nearest neighbours: the k nearest stored rows or all that are near enough, and what those vote for."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Optional, Tuple

import numpy as np

from hbscore.errors import shown
from hbscore.export.arithmetic import chosen, combined, look_up, mapped, pairwise, reduced
from hbscore.export.distances import Space, finished, nearest, space, weights_of
from hbscore.export.document import array
from hbscore.export.fitted import Fitted
from hbscore.export.graph import Graph, Result, Value
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


def found(f: Fitted, graph: Graph, x: Value) -> Tuple[Value, Optional[Value]]:
    """The numbers of the nearest rows, and their weights; None: all weigh the same."""
    of = space_of(f, graph, x)
    measured, places = nearest(graph, of, neighbours_count(f, "n_neighbors", len(of.rows)))
    weights = weights_of(graph, finished(graph, of, measured)) if by_distance(f) else None
    return places, weights


def repeated(graph: Graph, x: Value, times: int) -> Value:
    """All columns, so many times one behind the other."""
    return graph.select(x, list(range(x.width)) * times)


# Classes --------------------------------------------------------------------------------------


def labels_of(f: Fitted, count: int) -> np.ndarray:
    """The place of each stored row's label among the classes."""
    if f.get("outputs_2d_"):
        raise f.error("has several outputs: only one is supported for classifiers")
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


@exporter("neighbors", "KNeighborsClassifier")
def classifier(f: Fitted, graph: Graph, x: Value) -> Result:
    count = len(f.get("classes_"))
    classes = f.classes(count)
    labels = labels_of(f, len(np.ravel(f.get("_y"))))
    places, weights = found(f, graph, x)
    votes = summed_votes(graph, look_up(graph, places, labels), weights, count)
    return voted(graph, classes, votes, weights is None)


# Numbers --------------------------------------------------------------------------------------


def targets_of(f: Fitted, count: int) -> np.ndarray:
    """[rows, targets]"""
    targets = np.asarray(f.get("_y"))
    return f.checked("_y", targets.reshape(len(targets), -1), [count, -1])


@exporter("neighbors", "KNeighborsRegressor")
def regressor(f: Fitted, graph: Graph, x: Value) -> Result:
    """The mean of each target, by weight."""
    places, weights = found(f, graph, x)
    targets = targets_of(f, len(f.get("_y")))
    k, width = places.width, targets.shape[1]
    wide = repeated(graph, places, width)
    fields = {"places": len(targets), "stride": width, "first": array(np.repeat(np.arange(width), k), "i4")}
    near = graph.floats("look_up", wide, k * width, **fields, numbers=array(targets.reshape(-1), "f8"))
    if weights is None:
        return Result("regressor", reduced(graph, "mean", near, k))
    total = reduced(graph, "sum", combined(graph, "multiply", near, repeated(graph, weights, width)), k)
    return Result("regressor", combined(graph, "divide", total, reduced(graph, "sum", weights)))


# All within a radius --------------------------------------------------------------------------


def within(f: Fitted, graph: Graph, x: Value, measures: bool = False) -> Value:
    """The weight of each stored row, or its distance if `measures`; 0 of those that are too far."""
    of = space_of(f, graph, x)
    if len(of.rows) > MAX_COLUMNS:
        raise f.error("with more than %d rows is not supported" % MAX_COLUMNS)
    if of.word in ("braycurtis", "cosine", "jaccard"):
        raise f.error("with metric=%s is not supported" % of.name)
    measured = pairwise(graph, of.word, graph.check(of.x, missing=False), of.rows, of.power)
    radius = f.number("radius")
    if of.name == "euclidean":  # squares are compared, as trees do
        inside = combined(graph, "le", measured, radius * radius)
    elif of.name == "minkowski":
        assert of.power is not None
        inside = combined(graph, "le", measured, radius**of.power)
    else:
        inside = combined(graph, "le", finished(graph, of, measured), radius)
    if measures:
        return chosen(graph, inside, finished(graph, of, measured), 0.0)
    if hasattr(f.model, "mode") or not by_distance(f):
        return inside
    return weights_of(graph, finished(graph, of, measured), inside)


def sums_by(graph: Graph, weights: Value, table: np.ndarray) -> Value:
    """weights @ table"""
    fields = {"coef": array(table.T, "f8"), "intercept": array(np.zeros(table.shape[1]), "f8")}
    return graph.floats("linear", weights, table.shape[1], **fields)


@exporter("neighbors", "RadiusNeighborsClassifier")
def radius_classifier(f: Fitted, graph: Graph, x: Value) -> Result:
    """A row without neighbours has the label for outliers, or no result if there is none."""
    count = len(f.get("classes_"))
    classes = f.classes(count)
    labels = labels_of(f, len(np.ravel(f.get("_y"))))
    weights = within(f, graph, x)
    votes = sums_by(graph, weights, (labels[:, np.newaxis] == np.arange(count)).astype(np.float64))
    outlier = f.get("outlier_label_")
    total = reduced(graph, "sum", votes)
    if outlier is None:
        shares = graph.guard(combined(graph, "divide", votes, total), missing=False)
        votes = graph.check(shares, missing=False)
    else:
        place = np.flatnonzero(np.asarray(f.get("classes_")) == outlier[0])
        if len(place) != 1:
            raise f.error("with outlier_label=%s, which is none of the classes, is not supported" % shown(outlier[0]))
        alone = (np.arange(count) == place[0]).astype(np.float64)
        votes = chosen(graph, total, votes, alone)
    return voted(graph, classes, votes, not by_distance(f))


@exporter("neighbors", "RadiusNeighborsRegressor")
def radius_regressor(f: Fitted, graph: Graph, x: Value) -> Result:
    """A row without neighbours has a missing number."""
    targets = targets_of(f, len(f.get("_y")))
    weights = within(f, graph, x)
    total = sums_by(graph, weights, targets)
    return Result("regressor", combined(graph, "divide", total, reduced(graph, "sum", weights)))


# Graphs ---------------------------------------------------------------------------------------


def graph_of(x: Value) -> Result:
    """A column for each stored row, and scikit-learn stores those of neighbours only, also distances of 0."""
    return Result("transformer", replace(x, sparse=True, stored_zeros=True))


@exporter("neighbors", "KNeighborsTransformer")
def neighbors_transformer(f: Fitted, graph: Graph, x: Value) -> Result:
    """With distances one neighbour more, as a row of the training table is its own neighbour."""
    measures = f.one_of("mode", "distance", "connectivity") == "distance"
    of = space_of(f, graph, x)
    count, k = len(of.rows), neighbours_count(f, "n_neighbors", len(of.rows)) + int(measures)
    if k > count or count * k > MAX_COLUMNS:
        raise f.error("with %d neighbours of %d rows is not supported: at most 65,536 in all" % (k, count))
    measured, places = nearest(graph, of, k)
    made = combined(graph, "eq", repeated(graph, places, count), np.repeat(np.arange(float(count)), k))
    if measures:
        made = combined(graph, "multiply", made, repeated(graph, finished(graph, of, measured), count))
    return graph_of(reduced(graph, "sum", made, k))


@exporter("neighbors", "RadiusNeighborsTransformer")
def radius_transformer(f: Fitted, graph: Graph, x: Value) -> Result:
    measures = f.one_of("mode", "distance", "connectivity") == "distance"
    return graph_of(within(f, graph, x, measures))


# Outliers -------------------------------------------------------------------------------------


@exporter("neighbors", "LocalOutlierFactor")
def local_outlier_factor(f: Fitted, graph: Graph, x: Value) -> Result:
    """How much sparser a row's neighbourhood is than those of its neighbours: the mean of quotients of densities."""
    if not f.flag("novelty"):
        raise f.error("with novelty=False predicts nothing of other rows")
    of = space_of(f, graph, x)
    k = neighbours_count(f, "n_neighbors_", len(of.rows))
    measured, places = nearest(graph, of, k)
    reach = f.numbers("_distances_fit_X_", len(of.rows), -1)[:, k - 1]
    density = f.numbers("_lrd", len(of.rows))
    apart = combined(graph, "maximum", finished(graph, of, measured), look_up(graph, places, reach))
    own = combined(graph, "divide", 1.0, combined(graph, "add", reduced(graph, "mean", apart), 1e-10))
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
    if f.name and prior is not None and (metric == "euclidean" or not alike):
        scores = centroid_scores(f, graph, x, centroids)
        if alike:
            place = negative_distances(f, graph, x, centroids)
        else:
            place = scores
        if metric != "euclidean":
            return Result("classifier", graph.add("head", [place], [], rule="argmax"), classes)
        raw = graph.floats("link", scores, 1, kind="difference") if count == 2 else scores
        proba = graph.floats("link", scores, count, kind="logsumexp")
        return Result("classifier", graph.add("head", [raw, proba, place], [], rule="argmax"), classes)
    place = negative_distances(f, graph, x, centroids)
    return Result("classifier", graph.add("head", [place], [], rule="argmax"), classes)


def negative_distances(f: Fitted, graph: Graph, x: Value, centroids: np.ndarray) -> Value:
    of = space(f, graph, x, centroids, f.get("metric"), None)
    return mapped(graph, "negative", measured_from_all(f, graph, of))


def measured_from_all(f: Fitted, graph: Graph, of: Space) -> Value:
    if of.word in ("braycurtis", "cosine", "jaccard"):
        raise f.error("with metric=%s is not supported" % of.name)
    return pairwise(graph, of.word, graph.check(of.x, missing=False), of.rows, of.power)


def centroid_scores(f: Fitted, graph: Graph, x: Value, centroids: np.ndarray) -> Value:
    """Minus the squared distance, and twice the logarithm of the prior."""
    deviation = f.numbers("within_class_std_dev_", x.width)
    scale = np.where(deviation == 0.0, 1.0, deviation)
    x = graph.affine(x, "div", None, scale)
    of = space(f, graph, x, centroids / scale, f.get("metric"), None)
    measured = measured_from_all(f, graph, of)
    if of.name != "euclidean":
        measured = mapped(graph, "square", measured)
    with np.errstate(divide="ignore"):
        prior = 2.0 * np.log(f.numbers("class_prior_", len(centroids)))
    if not np.isfinite(prior).all():
        raise f.error("with a prior of 0 is not supported")
    return combined(graph, "subtract", prior, measured)
