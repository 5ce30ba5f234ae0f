"""A regressor whose target was transformed: its answers go back through the inverse."""

from __future__ import annotations

from typing import Any, Callable, Dict

import numpy as np

from hbscore.errors import shown
from hbscore.export import quantiles
from hbscore.export.arithmetic import chosen, combined, look_up, mapped
from hbscore.export.document import array
from hbscore.export.fitted import Fitted
from hbscore.export.functions import apply
from hbscore.export.graph import Graph, Value, Result
from hbscore.export.linear import join
from hbscore.export.numeric import as_type_of
from hbscore.export.parts import number_of
from hbscore.export.registry import exporter

Inverse = Callable[[Fitted, Graph, Value], Value]


def stepped(graph: Graph, function: str, x: Value, numbers: np.ndarray) -> Value:
    """In place, as scikit-learn does it: what is float32 stays so, after each step."""
    made = combined(graph, function, x, numbers)
    return graph.add("cast", [made], x.types, to="f4") if x.dtype == "f4" else made


def scaled(f: Fitted, graph: Graph, x: Value) -> Value:
    """x * scale_ + mean_"""
    if f.get("scale_") is not None and f.flag("with_std"):
        x = stepped(graph, "multiply", x, as_type_of(x, f.numbers("scale_", x.width)))
    return stepped(graph, "add", x, as_type_of(x, f.numbers("mean_", x.width))) if f.flag("with_mean") else x


def robust(f: Fitted, graph: Graph, x: Value) -> Value:
    if f.flag("with_scaling"):
        x = stepped(graph, "multiply", x, f.numbers("scale_", x.width))
    return stepped(graph, "add", x, f.numbers("center_", x.width)) if f.flag("with_centering") else x


def min_max(f: Fitted, graph: Graph, x: Value) -> Value:
    return graph.affine(x, "sub_div", f.numbers("min_", x.width), f.numbers("scale_", x.width))


def max_abs(f: Fitted, graph: Graph, x: Value) -> Value:
    return stepped(graph, "multiply", x, f.numbers("scale_", x.width))


def box_cox(graph: Graph, x: Value, exponent: float) -> Value:
    if exponent == 0.0:
        return mapped(graph, "exp", x)
    made = combined(graph, "add", combined(graph, "multiply", x, exponent), 1.0)
    return combined(graph, "power", made, 1.0 / exponent)


def yeo_johnson(graph: Graph, x: Value, exponent: float) -> Value:
    """Numbers from 0 on by the exponent, others by 2 less the exponent; one of 0 means an exponential."""
    least = float(np.spacing(1.0))
    above = combined(graph, "subtract", box_cox(graph, x, 0.0 if abs(exponent) < least else exponent), 1.0)
    other = 2.0 - exponent
    below = box_cox(graph, mapped(graph, "negative", x), 0.0 if abs(other) <= least else other)
    return chosen(graph, combined(graph, "ge", x, 0.0), above, combined(graph, "subtract", 1.0, below))


def powered(f: Fitted, graph: Graph, x: Value) -> Value:
    lambdas = f.numbers("lambdas_", x.width)
    if f.flag("standardize"):
        x = scaled(Fitted(f.get("_scaler"), join(f, "_scaler")), graph, x)
    inverse_of = yeo_johnson if f.one_of("method", "yeo-johnson", "box-cox") == "yeo-johnson" else box_cox
    columns = [graph.select(x, [j]) for j in range(x.width)]
    made = graph.concat([inverse_of(graph, column, float(l)) for column, l in zip(columns, lambdas)])
    return graph.add("cast", [made], x.types, to="f4") if x.dtype == "f4" else made


def by_function(f: Fitted, graph: Graph, x: Value) -> Value:
    if f.flag("validate"):
        x = graph.check(graph.guard(x, missing=False), missing=False)
    return x if f.get("inverse_func") is None else apply(f, graph, x, inverse=True)


def unprojected(f: Fitted, graph: Graph, x: Value) -> Value:
    """The weighted sums of PCA's components, and the mean."""
    components = f.numbers("components_", x.width, -1)
    if f.flag("whiten"):
        components = np.sqrt(f.numbers("explained_variance_", x.width))[:, np.newaxis] * components
    return summed(graph, x, components, f.numbers("mean_", components.shape[1]))


def summed(graph: Graph, x: Value, components: np.ndarray, start: Any = None) -> Value:
    """x @ components, and the start."""
    width = components.shape[1]
    begin = np.zeros(width) if start is None else start
    return graph.floats("linear", x, width, coef=array(np.ascontiguousarray(components.T), "f8"), intercept=array(begin, "f8"))


def of_singular_values(f: Fitted, graph: Graph, x: Value) -> Value:
    return summed(graph, x, f.numbers("components_", x.width, -1))


def of_sparse_components(f: Fitted, graph: Graph, x: Value) -> Value:
    components = f.numbers("components_", x.width, -1)
    return summed(graph, x, components, f.numbers("mean_", components.shape[1]))


def mixed(f: Fitted, graph: Graph, x: Value) -> Value:
    mixing = f.numbers("mixing_", -1, x.width)
    return summed(graph, x, mixing.T, f.numbers("mean_", len(mixing)) if f.get("whiten") else None)


def of_random_projection(f: Fitted, graph: Graph, x: Value) -> Value:
    own = f.get("inverse_components_") if f.flag("compute_inverse_components") else f.model._compute_inverse_components()
    return summed(graph, x, f.checked("inverse_components_", own, [-1, x.width]).T)


def middles(f: Fitted, graph: Graph, x: Value) -> Value:
    """The middle of each column's bin. A number of a bin that is not there is refused."""
    f.one_of("encode", "ordinal")
    columns = []
    for j, edges in enumerate(f.children("bin_edges_")):
        known = f.checked("bin_edges_", np.asarray(edges), [-1])
        columns.append(look_up(graph, graph.select(x, [j]), (known[1:] + known[:-1]) * 0.5))
    return graph.check(graph.guard(graph.concat(columns), missing=False), missing=False)


def backwards(f: Fitted, graph: Graph, x: Value) -> Value:
    """From the last step to the first."""
    for name, step in reversed(f.children("steps")):
        if step is not None and step != "passthrough":
            x = inverse(f, step, graph, x, "step %s" % shown(name))
    return x


#: inverse_transform(), by the public name of the class.
INVERSES: Dict[str, Inverse] = {
    "FastICA": mixed,
    "FunctionTransformer": by_function,
    "GaussianRandomProjection": of_random_projection,
    "IncrementalPCA": unprojected,
    "KBinsDiscretizer": middles,
    "MaxAbsScaler": max_abs,
    "MinMaxScaler": min_max,
    "MiniBatchSparsePCA": of_sparse_components,
    "PCA": unprojected,
    "Pipeline": backwards,
    "PowerTransformer": powered,
    "QuantileTransformer": quantiles.back,
    "RobustScaler": robust,
    "SparsePCA": of_sparse_components,
    "SparseRandomProjection": of_random_projection,
    "StandardScaler": scaled,
    "TruncatedSVD": of_singular_values,
}


#: Those that check nothing themselves.
UNCHECKED = ("FunctionTransformer", "Pipeline")


def inverse(f: Fitted, model: Any, graph: Graph, x: Value, part: str = "transformer") -> Value:
    inner = Fitted(model, join(f, part))
    name = type(model).__name__
    if name not in INVERSES or not type(model).__module__.startswith("sklearn."):
        raise inner.error("as the transformer of a target is not supported")
    if name not in UNCHECKED:
        x = graph.check(graph.guard(x, missing=True), missing=True)
    return INVERSES[name](inner, graph, x)


@exporter("compose", "TransformedTargetRegressor")
def transformed_target(f: Fitted, graph: Graph, x: Value) -> Result:
    answer = number_of(f, "regressor", f.get("regressor_"), graph, x)
    return Result("regressor", inverse(f, f.get("transformer_"), graph, answer))
