"""Isotonic regression: straight lines between points that rise, or fall."""

from __future__ import annotations

import numpy as np

from hbscore.export.document import array
from hbscore.export.fitted import Fitted
from hbscore.export.graph import FLOAT32, FLOAT64, Graph, Result, Value
from hbscore.export.registry import exporter, step


def interpolate(graph: Graph, x: Value, points: np.ndarray, values: np.ndarray, outside: str, kind: str) -> Value:
    """The numbers of one column on the lines between points. outside: `ends` or `nan`, the rule beside them."""
    return graph.add(
        "interpolate",
        [x],
        [FLOAT64 if kind == "slope" else FLOAT32],
        outside=outside,
        kind=kind,
        ends=array([len(points)], "i4"),
        x=array(points, "f8"),
        y=array(values, "f8"),
    )


def by_slope(x: np.ndarray, px: np.ndarray, py: np.ndarray) -> np.ndarray:
    numbers: np.ndarray = (py[1:] - py[:-1]) / (px[1:] - px[:-1]) * (x - px[:-1]) + py[:-1]
    return numbers


def by_weights(x: np.ndarray, px: np.ndarray, py: np.ndarray) -> np.ndarray:
    all_ = px[1:] - px[:-1]
    numbers: np.ndarray = (x - px[:-1]) / all_ * py[1:] + (px[1:] - x) / all_ * py[:-1]
    return numbers


def kind_of(f: Fitted, points: np.ndarray, values: np.ndarray) -> str:
    """In float64 it is numpy that interpolates; the arithmetic of scipy, in float32, depends on the version, so it is
    asked for numbers on each line."""
    if points.dtype != FLOAT32:
        return "slope"
    parts = np.arange(1, 8, dtype=np.float32)[:, np.newaxis] / np.float32(8)
    x = points[:-1] + parts * (points[1:] - points[:-1])
    x = np.clip(x, np.nextafter(points[:-1], points[1:]), points[1:])
    with np.errstate(all="ignore"):
        found = np.asarray(f.model.predict(x.ravel())).reshape(x.shape)
        for kind, compute in (("slope32", by_slope), ("weights32", by_weights)):
            if (compute(x, points, values) == found).all():
                return kind
    raise f.error("of float32 computes in a way that is not known")


def isotonic(f: Fitted, graph: Graph, x: Value) -> Value:
    """The library converts its input to the type of its points, and then refuses NaN and infinities."""
    outside = f.one_of("out_of_bounds", "nan", "clip", "raise")
    points = f.numbers("X_thresholds_", -1)
    values = f.numbers("y_thresholds_", len(points))
    if len(points) == 0 or (np.diff(points) <= 0).any():
        raise f.error("has X_thresholds_ that do not rise")
    kind = kind_of(f, np.asarray(f.get("X_thresholds_")), np.asarray(f.get("y_thresholds_")))
    if kind != "slope" and x.dtype != "f4":
        x = graph.add("cast", [x], [FLOAT32], to="f4")
    x = graph.check(graph.guard(x, missing=False), missing=False)
    rule = "ends" if outside == "clip" or len(points) == 1 else "nan"  # one point is the answer to every number
    made = interpolate(graph, x, points, values, rule, kind)
    if outside == "raise" and rule == "nan":  # a row beside the points is refused
        made = graph.check(graph.guard(made, missing=False), missing=False)
    return made


def of_one_column(f: Fitted, graph: Graph, x: Value) -> Value:
    if x.width != 1:
        raise f.error("takes one column and gets %d" % x.width)
    return isotonic(f, graph, x)


@exporter("isotonic", "IsotonicRegression")
def isotonic_regression(f: Fitted, graph: Graph, x: Value) -> Result:
    return Result("regressor", of_one_column(f, graph, x))


@step("isotonic", "IsotonicRegression")
def on_lines(f: Fitted, graph: Graph, x: Value) -> Result:
    """The same numbers."""
    return Result("transformer", of_one_column(f, graph, x))
