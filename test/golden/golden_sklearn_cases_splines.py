"""Splines of columns, by each rule for what is outside of the knots."""

from __future__ import annotations

from typing import Any, List

import numpy as np
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import SplineTransformer

from golden_sklearn_models import BOTH, Trained, case, fitted, small
from golden_tables import Value

#: Far outside, at zero and nearly there, and what is no number.
EDGES: List[List[Value]] = [[1e3, -1e3], [-0.0, 5e-324], [1e200, 2.5], [-1e300, -1e308], [float("inf"), 0.0], [None, 0.5]]


def splines(seed: int, *covers: str, narrow: bool = False, **options: Any) -> Trained:
    t = small(seed, f=2, n=60)
    x = t.matrix()
    ends = [[float(v) for v in row] for row in (x.min(axis=0), x.max(axis=0), np.nextafter(x.max(axis=0), 9.0))]
    inside = [[float(v) for v in row] for row in x[:6]]
    more = {"covers": ["option=Spline." + c for c in covers], "rows": EDGES + ends + inside, "narrow": narrow}
    return fitted(SplineTransformer(**options), t, None, count=8, most=8, rule="exact", **more)


@case(BOTH)
def spline_constant() -> Trained:
    return splines(2301, "constant")


@case(BOTH)
def spline_linear() -> Trained:
    return splines(2302, "linear", n_knots=4, knots="quantile", extrapolation="linear")


@case(BOTH)
def spline_linear_of_degree_1() -> Trained:
    """scikit-learn raises the degree for the columns behind the first."""
    return splines(2303, "degree", degree=1, extrapolation="linear", include_bias=False)


@case(BOTH)
def spline_continue() -> Trained:
    return splines(2304, "continue", n_knots=3, degree=2, extrapolation="continue")


@case(BOTH)
def spline_periodic_float32() -> Trained:
    return splines(2305, "periodic", "float32", degree=2, extrapolation="periodic", narrow=True)


@case(BOTH)
def spline_error() -> Trained:
    """The knots are given."""
    knots = np.array([[-1.0, -0.5], [0.25, 0.0], [0.5, 0.75], [2.0, 1.5]])
    return splines(2306, "error", "array", knots=knots, extrapolation="error", include_bias=False)


@case()
def spline_missing() -> Trained:
    return splines(2307, "missing", "sparse", n_knots=3, handle_missing="zeros", sparse_output=True, extrapolation="linear")


@case()
def spline_step() -> Trained:
    t = small(2308, f=2, n=60)
    model = make_pipeline(SplineTransformer(n_knots=3, handle_missing="zeros", extrapolation="continue"), Ridge())
    return fitted(model, t, t.y_real(), rows=EDGES[:2] + EDGES[5:], count=8, most=8)
