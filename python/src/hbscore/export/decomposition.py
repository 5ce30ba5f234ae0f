"""Projections: PCA and TruncatedSVD are a product of matrices, in the type of the data."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Optional

import numpy as np

from hbscore.export.document import array
from hbscore.export.fitted import Fitted, dense
from hbscore.export.graph import FLOAT32, FLOAT64, Graph, Result, Value
from hbscore.export.registry import exporter


def typed(x: Value, *parameters: Any) -> Value:
    """What is computed of x and the parameters is float32 only where all of them are."""
    narrow = x.dtype == "f4" and all(np.asarray(p).dtype == FLOAT32 for p in parameters)
    return replace(x, types=(FLOAT32 if narrow else FLOAT64,) * x.width)


def project(
    f: Fitted, graph: Graph, x: Value, intercept: Optional[np.ndarray], scale: Optional[np.ndarray]
) -> Result:
    """(x @ components_.T + intercept) / scale. Of float32 data the products are float32 too."""
    components = f.numbers("components_", -1, x.width)
    if len(components) == 0:
        raise f.error("keeps no component")
    known = replace(x, known=True)
    intercept = np.zeros(len(components)) if intercept is None else intercept
    made = graph.floats(
        "linear",
        known,
        len(components),
        coef=array(components, "f8"),
        intercept=array(intercept, "f8"),
    )
    if x.dtype == "f4":
        made = graph.rounded(replace(made, types=(FLOAT32,) * made.width))
    return Result("transformer", made if scale is None else graph.affine(made, "div", None, scale))


def whitening(f: Fitted) -> Optional[np.ndarray]:
    """What projections are divided by. Since 1.5, which projects first and shifts then, it is kept
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


@exporter("random_projection", "GaussianRandomProjection", "SparseRandomProjection")
def random_projection(f: Fitted, graph: Graph, x: Value) -> Result:
    return project(f, graph, typed(x, dense(f.get("components_"))), None, None)
