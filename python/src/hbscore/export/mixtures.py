"""Mixtures of normal distributions: how likely each component is. Components are classes, by their number."""

from __future__ import annotations

import sys

import numpy as np

from hbscore.export.arithmetic import combined, reduced
from hbscore.export.decomposition import as_wide, product
from hbscore.export.document import array
from hbscore.export.fitted import Fitted
from hbscore.export.graph import Graph, Result, Value
from hbscore.export.registry import exporter


def log_determinants(chol: np.ndarray, kind: str, width: int) -> np.ndarray:
    """Half the logarithm of each precision's determinant: one, or one for each component."""
    if kind == "full":
        return np.asarray(np.log(np.diagonal(chol, axis1=1, axis2=2)).sum(axis=1))
    if kind == "tied":
        return np.asarray(np.log(np.diag(chol)).sum())
    return np.asarray(np.log(chol).sum(axis=1) if kind == "diag" else width * np.log(chol))


def log_weights(f: Fitted, count: int, width: int) -> np.ndarray:
    """The numbers that are added to each component's log likelihood. Those of Bayes are the estimator's own expectations."""
    with np.errstate(divide="ignore"):
        own = f.checked("weights_", f.model._estimate_log_weights(), [count], finite=False)
    if f.name == "BayesianGaussianMixture":
        freedom = np.broadcast_to(f.checked("degrees_of_freedom_", np.ravel(f.get("degrees_of_freedom_")), [-1]), (count,))
        precision = f.numbers("mean_precision_", count)
        halves = 0.5 * (freedom - np.arange(width)[:, np.newaxis])
        expected = width * np.log(2.0) + digamma(halves).sum(axis=0)
        own = own - 0.5 * width * np.log(freedom) + 0.5 * (expected - width / precision)
    if not (own < np.inf).all():
        raise f.error("has weights that are no probabilities")
    return own


def digamma(x: np.ndarray) -> np.ndarray:
    """That of scipy, which the estimator has imported."""
    return np.asarray(sys.modules["scipy.special"].digamma(x))


def likelihoods(f: Fitted, graph: Graph, x: Value, constant: np.ndarray) -> Value:
    """constant - 0.5 * the squared distance from each mean, in units of the component's covariance."""
    kind, means = f.one_of("covariance_type", "full", "tied", "diag", "spherical"), f.numbers("means_", -1, x.width)
    count, width = means.shape
    shape = {"full": [count, width, width], "tied": [width, width], "diag": [count, width], "spherical": [count]}[kind]
    chol = f.numbers("precisions_cholesky_", *shape)
    with np.errstate(divide="ignore", invalid="ignore"):
        half = log_determinants(chol, kind, width)
    if not (chol[..., :1] != 0).all() if kind in ("diag", "spherical") else not np.isfinite(half).all():
        raise f.error("has a covariance without an inverse")
    constant = constant - 0.5 * width * np.log(2.0 * np.pi) + half
    if kind in ("diag", "spherical"):
        variance = np.broadcast_to(1.0 / chol**2 if kind == "diag" else (1.0 / chol**2)[:, np.newaxis], means.shape)
        fields = {"mean": means, "variance": f.checked("precisions_", variance, means.shape), "constant": constant}
        return graph.floats("gaussian_nb", x, count, **{n: array(v, "f8") for n, v in fields.items()})
    parts = chol if kind == "full" else np.broadcast_to(chol, (count, width, width))
    weights = np.concatenate([part.T for part in parts])
    shift = np.concatenate([mean @ part for mean, part in zip(means, parts)])
    apart = product(f, graph, x, weights, -shift)
    squares = reduced(graph, "sum_squares", apart, width)
    return combined(graph, "add", combined(graph, "multiply", squares, -0.5), constant)


@exporter("mixture", "BayesianGaussianMixture", "GaussianMixture")
def mixture(f: Fitted, graph: Graph, x: Value) -> Result:
    count = len(f.numbers("means_", -1, x.width))
    constant = log_weights(f, count, x.width)
    if not np.isfinite(constant).all():
        raise f.error("has a component of weight 0")
    logs = likelihoods(f, graph, as_wide(x), constant)
    proba = graph.floats("link", logs, count, kind="logsumexp")
    head = graph.add("head", [proba, proba, logs], [], rule="argmax_proba")
    return Result("classifier", head, array(np.arange(count), "i8"))
