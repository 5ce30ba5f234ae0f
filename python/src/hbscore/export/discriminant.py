"""Discriminant analyses: of one covariance for all classes a linear model, which also projects."""

from __future__ import annotations

from hbscore.export.decomposition import product, typed
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
