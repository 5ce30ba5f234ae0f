"""A regressor whose target was transformed: its answers go back through the inverse."""

from __future__ import annotations

from typing import Any, Callable, Dict

import numpy as np

from hbscore.export.arithmetic import combined, mapped
from hbscore.export.fitted import Fitted
from hbscore.export.graph import Graph, Value, Result
from hbscore.export.linear import join
from hbscore.export.parts import number_of
from hbscore.export.registry import exporter

Inverse = Callable[[Fitted, Graph, Value], Value]


def scaled(f: Fitted, graph: Graph, x: Value) -> Value:
    """x * scale_ + mean_"""
    if f.get("scale_") is not None and f.flag("with_std"):
        x = combined(graph, "multiply", x, f.numbers("scale_", x.width))
    return combined(graph, "add", x, f.numbers("mean_", x.width)) if f.flag("with_mean") else x


def robust(f: Fitted, graph: Graph, x: Value) -> Value:
    if f.flag("with_scaling"):
        x = combined(graph, "multiply", x, f.numbers("scale_", x.width))
    return combined(graph, "add", x, f.numbers("center_", x.width)) if f.flag("with_centering") else x


def min_max(f: Fitted, graph: Graph, x: Value) -> Value:
    return graph.affine(x, "sub_div", f.numbers("min_", x.width), f.numbers("scale_", x.width))


def max_abs(f: Fitted, graph: Graph, x: Value) -> Value:
    return combined(graph, "multiply", x, f.numbers("scale_", x.width))


#: numpy's functions by name, as the operator `map` has them.
FUNCTIONS = {
    "exp": "exp",
    "exp2": "exp2",
    "expm1": "expm1",
    "log": "log",
    "log2": "log2",
    "log10": "log10",
    "log1p": "log1p",
    "sqrt": "sqrt",
    "cbrt": "cbrt",
    "square": "square",
    "absolute": "abs",
    "negative": "negative",
    "reciprocal": "reciprocal",
    "tanh": "tanh",
}


def by_function(f: Fitted, graph: Graph, x: Value) -> Value:
    function = f.get("inverse_func")
    if f.get("inv_kw_args"):
        raise f.error("with inv_kw_args is not supported")
    if f.flag("validate"):
        x = graph.check(graph.guard(x, missing=False), missing=False)
    if function is None:
        return x
    name = getattr(function, "__name__", "")
    if not isinstance(function, np.ufunc) or name not in FUNCTIONS or getattr(np, name) is not function:
        raise f.error("with the function %r is not supported: numpy's own are, by name" % (function,))
    return mapped(graph, FUNCTIONS[name], x)


#: What inverse_transform() does, by the public name of the class.
INVERSES: Dict[str, Inverse] = {
    "FunctionTransformer": by_function,
    "MaxAbsScaler": max_abs,
    "MinMaxScaler": min_max,
    "RobustScaler": robust,
    "StandardScaler": scaled,
}


def inverse(f: Fitted, model: Any, graph: Graph, x: Value) -> Value:
    inner = Fitted(model, join(f, "transformer"))
    name = type(model).__name__
    if name not in INVERSES or type(model) is not getattr(np, name, type(model)):
        raise inner.error("as the transformer of a target is not supported")
    if name != "FunctionTransformer":
        x = graph.check(graph.guard(x, missing=True), missing=True)
    return INVERSES[name](inner, graph, x)


@exporter("compose", "TransformedTargetRegressor")
def transformed_target(f: Fitted, graph: Graph, x: Value) -> Result:
    answer = number_of(f, "regressor", f.get("regressor_"), graph, x)
    return Result("regressor", inverse(f, f.get("transformer_"), graph, answer))
