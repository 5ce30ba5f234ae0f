"""PowerTransformer: powers and logarithms of columns, each by its own lambda."""

from __future__ import annotations

from typing import Any

import numpy as np

from hbscore.export.arithmetic import Operand, chosen, combined, mapped
from hbscore.export.fitted import Fitted
from hbscore.export.graph import FLOAT64, Graph, Result, Value
from hbscore.export.linear import join
from hbscore.export.registry import exporter, run


def where(graph: Graph, flags: np.ndarray, yes: Value, no: Value) -> Value:
    """yes in the columns that are flagged."""
    if flags.all() or not flags.any():
        return yes if flags.all() else no
    order = np.where(flags, np.arange(yes.width), yes.width + np.arange(yes.width))
    return graph.select(graph.concat([yes, no]), order.tolist())


def by_logarithm(graph: Graph, logs: Value, exponents: Operand, dtype: str) -> Value:
    """(exp(exponent * log) - 1) / exponent"""
    made = mapped(graph, "expm1", combined(graph, "multiply", logs, exponents, dtype), dtype)
    return combined(graph, "divide", made, exponents, dtype)


def by_power(graph: Graph, size: Value, exponents: Operand, dtype: str) -> Value:
    """((size + 1) ^ exponent - 1) / exponent, as scikit-learn computed it itself up to 1.8."""
    made = combined(graph, "power", combined(graph, "add", size, 1.0, dtype), exponents, dtype)
    return combined(graph, "divide", combined(graph, "subtract", made, 1.0, dtype), exponents, dtype)


def yeo_johnson(f: Fitted, graph: Graph, x: Value, lambdas: np.ndarray) -> Value:
    """Numbers from 0 on have the exponent lambda, others 2 - lambda, of their magnitude. An exponent of 0 means
    the logarithm."""
    dtype, own = x.dtype, hasattr(f.model, "_yeo_johnson_transform")
    kind = np.dtype(dtype).type
    above = lambdas.astype(kind)
    below = (2.0 - lambdas).astype(kind) if own else kind(2) - above
    eps = np.finfo(np.float64 if own else kind).eps
    no_power = np.abs(above) < eps, np.abs(below) <= eps
    exponents = [np.where(z, kind(1), e).astype(np.float64) for z, e in zip(no_power, (above, below))]
    size, positive = mapped(graph, "abs", x, dtype), combined(graph, "ge", x, 0.0)
    exponent: Operand = chosen(graph, positive, *exponents)
    if (exponents[0] == exponents[1]).all():
        exponent = exponents[0]
    logs = mapped(graph, "log1p", size, dtype)
    made = by_power(graph, size, exponent, dtype) if own else by_logarithm(graph, logs, exponent, dtype)
    if np.any(no_power):
        zero = chosen(graph, positive, *(z.astype(np.float64) for z in no_power))
        made = chosen(graph, zero, logs, made)
    return chosen(graph, positive, made, mapped(graph, "negative", made, dtype))


def box_cox(f: Fitted, graph: Graph, x: Value, lambdas: np.ndarray) -> Value:
    """Takes numbers above 0 only. It is computed in float64, and of float32 columns rounded at the end."""
    lambdas = lambdas.astype(x.dtype).astype(np.float64)
    x = chosen(graph, combined(graph, "le", x, 0.0), np.inf, x)
    x = graph.check(graph.guard(x, missing=True), missing=True)
    logs = mapped(graph, "log", x)
    zero = np.abs(lambdas) < 1e-19
    return where(graph, zero, logs, by_logarithm(graph, logs, np.where(zero, 1.0, lambdas), "f8"))


@exporter("preprocessing", "PowerTransformer")
def power_transformer(f: Fitted, graph: Graph, x: Value) -> Result:
    method = f.one_of("method", "yeo-johnson", "box-cox")
    lambdas = f.numbers("lambdas_", x.width)
    narrow = x.dtype == "f4"
    x = graph.check(x, missing=True)
    made = (yeo_johnson if method == "yeo-johnson" else box_cox)(f, graph, x, lambdas)
    made = typed(graph, made, narrow)
    if f.flag("standardize"):
        made = run(f.get("_scaler"), join(f, "_scaler"), graph, made).value
    return Result("transformer", made)


def typed(graph: Graph, made: Value, narrow: bool) -> Value:
    """float32 columns stay what they are; `choose` and `log` have made float64 of them."""
    kind: Any = np.dtype(np.float32) if narrow else FLOAT64
    return graph.add("cast", [made], [kind] * made.width, to="f4") if narrow else made
