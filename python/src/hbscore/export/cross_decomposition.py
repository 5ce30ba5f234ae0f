"""Partial least squares: a product of centred columns, to targets or to scores."""

from __future__ import annotations

from hbscore.export.decomposition import as_wide, product
from hbscore.export.document import library_version
from hbscore.export.fitted import Fitted
from hbscore.export.graph import Graph, Result, Value
from hbscore.export.registry import exporter, transformer

NAMES = ("CCA", "PLSCanonical", "PLSRegression")


@exporter("cross_decomposition", *NAMES)
def predicted(f: Fitted, graph: Graph, x: Value) -> Result:
    """The coefficients are of scaled columns before 1.5, and have a name of their own before 1.3. Float32 columns
    are shifted and scaled as such, the products are of float64."""
    name = "_coef_" if hasattr(f.model, "_coef_") else "coef_"
    coef = f.numbers(name, -1, x.width)
    mean, scale = f.numbers("_x_mean", x.width), f.numbers("_x_std", x.width)
    if library_version() < (1, 5):
        x = graph.affine(x, "sub_div", mean, scale)
    else:
        x = graph.affine(x, "sub", mean)
    intercept = f.numbers("intercept_", len(coef))
    return Result("regressor", product(f, graph, as_wide(x), coef, intercept))


@transformer("cross_decomposition", *NAMES)
def scores(f: Fitted, graph: Graph, x: Value) -> Result:
    x = graph.affine(x, "sub_div", f.numbers("_x_mean", x.width), f.numbers("_x_std", x.width))
    return Result("transformer", product(f, graph, as_wide(x), f.numbers("x_rotations_", x.width, -1).T))


@exporter("cross_decomposition", "PLSSVD")
def singular_values(f: Fitted, graph: Graph, x: Value) -> Result:
    x = as_wide(x)  # whatever it is, the library has it in float64
    x = graph.affine(x, "sub_div", f.numbers("_x_mean", x.width), f.numbers("_x_std", x.width))
    return Result("transformer", product(f, graph, x, f.numbers("x_weights_", x.width, -1).T))
