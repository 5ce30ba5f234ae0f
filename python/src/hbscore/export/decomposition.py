"""Projections: a product of matrices, in the type of the data."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Optional

import numpy as np

from hbscore.export.fitted import Fitted, dense
from hbscore.export.graph import FLOAT32, FLOAT64, Graph, Result, Value
from hbscore.export.registry import exporter


def typed(x: Value, *parameters: Any) -> Value:
    """Computed in float32 only where x and all parameters are."""
    narrow = x.dtype == "f4" and all(np.asarray(p).dtype == FLOAT32 for p in parameters)
    return replace(x, types=(FLOAT32 if narrow else FLOAT64,) * x.width)


def as_wide(x: Value) -> Value:
    """Columns that the library computes with in float64, though they may hold float32 numbers."""
    return replace(x, types=(FLOAT64,) * x.width)


def project(
    f: Fitted, graph: Graph, x: Value, intercept: Optional[np.ndarray], scale: Optional[np.ndarray]
) -> Result:
    """(x @ components_.T + intercept) / scale. Of float32 data the products are float32 too."""
    made = product(f, graph, x, f.numbers("components_", -1, x.width), intercept)
    return Result("transformer", made if scale is None else graph.affine(made, "div", None, scale))


def product(
    f: Fitted, graph: Graph, x: Value, weights: np.ndarray, intercept: Optional[np.ndarray] = None
) -> Value:
    """x @ weights.T + intercept, in the type of x. weights: [outputs, columns], checked."""
    if len(weights) == 0:
        raise f.error("keeps no component")
    intercept = np.zeros(len(weights)) if intercept is None else intercept
    made = graph.sums(replace(x, known=True), weights.astype(x.dtype), intercept.astype(x.dtype))
    if x.dtype == "f4" and made.dtype == "f8":
        made = graph.rounded(replace(made, types=(FLOAT32,) * made.width))
    return made


def whitening(f: Fitted) -> Optional[np.ndarray]:
    """The divisors of projections. Since 1.5, which projects first and shifts then, it is kept
    above the smallest number that changes 1."""
    if not f.flag("whiten"):
        return None
    scale = np.sqrt(np.asarray(f.get("explained_variance_")))
    if projects_first(f):
        least = np.finfo(scale.dtype).eps
        scale = np.where(scale < least, least, scale)
    return f.checked("explained_variance_", scale, [-1])


def projects_first(f: Fitted) -> bool:
    return hasattr(f.model, "_transform")


@exporter("decomposition", "IncrementalPCA", "PCA")
def pca(f: Fitted, graph: Graph, x: Value) -> Result:
    mean, components = f.get("mean_"), np.asarray(f.get("components_"))
    x = typed(x, mean, components)
    f.numbers("components_", -1, x.width)
    shift = f.numbers("mean_", x.width)
    scale = whitening(f)
    if not projects_first(f):
        return project(f, graph, graph.affine(x, "sub", shift), None, scale)
    shifts = np.asarray(mean)[np.newaxis] @ components.T
    return project(f, graph, x, -f.checked("mean_", shifts, [1, len(components)])[0], scale)


@exporter("decomposition", "TruncatedSVD")
def truncated_svd(f: Fitted, graph: Graph, x: Value) -> Result:
    return project(f, graph, typed(x, f.get("components_")), None, None)


@exporter("decomposition", "FastICA")
def fast_ica(f: Fitted, graph: Graph, x: Value) -> Result:
    if not f.get("whiten"):
        return project(f, graph, typed(x, f.get("components_")), None, None)
    x = typed(x, f.get("mean_"), f.get("components_"))
    return project(f, graph, graph.affine(x, "sub", f.numbers("mean_", x.width)), None, None)


@exporter("neighbors", "NeighborhoodComponentsAnalysis")
@exporter("random_projection", "GaussianRandomProjection")
def random_projection(f: Fitted, graph: Graph, x: Value) -> Result:
    return project(f, graph, typed(x, dense(f.get("components_"))), None, None)


@exporter("random_projection", "SparseRandomProjection")
def sparse_random_projection(f: Fitted, graph: Graph, x: Value) -> Result:
    """The product of two sparse matrices is one too, unless it is asked to be dense. Of density 1 the weights are dense."""
    made = random_projection(f, graph, x).value
    weights = f.get("components_")
    sparse = x.sparse and weights is not dense(weights) and not f.flag("dense_output")
    return Result("transformer", replace(made, sparse=sparse))


@exporter("decomposition", "FactorAnalysis")
def factor_analysis(f: Fitted, graph: Graph, x: Value) -> Result:
    """Two products, as the library has them: its inverse is of the size of the components."""
    mean, components = f.numbers("mean_", x.width), f.numbers("components_", -1, x.width)
    noise = f.numbers("noise_variance_", x.width)
    weighted = f.checked("noise_variance_", components / noise, components.shape)
    inverse = np.linalg.inv(np.eye(len(components)) + weighted @ components.T)
    x = graph.affine(typed(x, f.get("mean_"), weighted), "sub", mean)
    made = product(f, graph, x, weighted)
    return Result("transformer", product(f, graph, made, f.checked("components_", inverse.T, [-1, made.width])))


@exporter("decomposition", "SparsePCA", "MiniBatchSparsePCA")
def sparse_pca(f: Fitted, graph: Graph, x: Value) -> Result:
    """A ridge regression of the row on the components, which is a product of matrices."""
    mean, components = f.get("mean_"), np.asarray(f.get("components_"))
    wide = f.numbers("components_", -1, x.width)
    gram = wide @ wide.T + f.number("ridge_alpha") * np.eye(len(wide))
    try:
        weights = np.linalg.solve(gram, wide)
    except np.linalg.LinAlgError as e:
        raise f.error("has components that depend on each other, and no ridge_alpha") from e
    x = graph.affine(typed(x, mean, components), "sub", f.numbers("mean_", x.width))
    return Result("transformer", product(f, graph, x, f.checked("components_", weights, wide.shape)))
