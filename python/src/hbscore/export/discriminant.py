"""Discriminant analyses: of one covariance for all classes a linear model, which also projects; of one for each class the
squares of projections."""

from __future__ import annotations

import numpy as np

from hbscore.export.arithmetic import combined, reduced
from hbscore.export.decomposition import as_wide, product, typed
from hbscore.export.fitted import Fitted
from hbscore.export.graph import Graph, Result, Value
from hbscore.export.linear import classifier
from hbscore.export.registry import exporter, transformer


@exporter("discriminant_analysis", "LinearDiscriminantAnalysis")
def linear(f: Fitted, graph: Graph, x: Value) -> Result:
    return classifier(f, graph, x, "sigmoid" if len(f.get("classes_")) <= 2 else "softmax")


@transformer("discriminant_analysis", "LinearDiscriminantAnalysis")
def projected(f: Fitted, graph: Graph, x: Value) -> Result:
    solver = f.get("solver")
    if solver not in ("svd", "eigen"):
        raise f.error("with solver=%s has no transform" % solver)
    count = int(f.get("_max_components"))
    scalings = f.numbers("scalings_", x.width, -1)[:, :count]
    x = typed(x, f.get("scalings_"), *([f.get("xbar_")] if solver == "svd" else []))
    if solver == "svd":
        x = graph.affine(x, "sub", f.numbers("xbar_", x.width))
    return Result("transformer", product(f, graph, x, scalings.T))


@exporter("discriminant_analysis", "QuadraticDiscriminantAnalysis")
def quadratic(f: Fitted, graph: Graph, x: Value) -> Result:
    """Minus half the squared distance from each class's mean, in units of its covariance, and logarithms."""
    means = f.numbers("means_", -1, x.width)
    count = len(means)
    classes = f.classes(count)
    x = as_wide(x)
    parts, constant = [], np.log(f.numbers("priors_", count))
    for i, (rotation, scaling) in enumerate(zip(f.children("rotations_"), f.children("scalings_"))):
        scale = f.checked("scalings_", scaling, [-1])
        turned = f.checked("rotations_", rotation, [x.width, len(scale)]) * scale**-0.5
        constant[i] -= 0.5 * np.log(scale).sum()
        apart = product(f, graph, graph.affine(x, "sub", means[i]), f.checked("scalings_", turned.T, [-1, x.width]))
        parts.append(reduced(graph, "sum_squares", apart))
    squares = combined(graph, "multiply", graph.concat(parts), -0.5)
    scores = combined(graph, "add", squares, f.checked("priors_", constant, [count]))
    proba = graph.floats("link", scores, count, kind="softmax")
    raw = graph.floats("link", scores, 1, kind="difference") if count == 2 else scores
    return Result("classifier", graph.add("head", [raw, proba, scores], [], rule="argmax"), classes)
