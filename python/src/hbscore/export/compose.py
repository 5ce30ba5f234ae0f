"""Estimators that are made of others: pipelines, unions, searches."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, List, Tuple

import numpy as np

from hbscore.export.arithmetic import combined
from hbscore.export.boosters import SEARCHES
from hbscore.export.decomposition import as_wide
from hbscore.export.fitted import Fitted
from hbscore.export.functions import apply
from hbscore.export.graph import Graph, Result, Value
from hbscore.export.linear import join
from hbscore.export.registry import exporter, gives_frame, of_one_type, run, step, transform


def passes(model: Any) -> bool:
    return model is None or (isinstance(model, str) and model == "passthrough")


def step_path(f: Fitted, kind: str, name: str) -> str:
    place = "%s '%s'" % (kind, name)
    return "%s, %s" % (f.path, place) if f.path else place


#: Columns of a transform: a wider one is sparse, and stays inside.
MOST_TRANSFORMED = 65536


def steps_of(f: Fitted) -> List[Tuple[str, Any]]:
    """Samplers of imbalanced-learn choose rows to train with, and no others."""
    steps = [(name, model) for name, model in f.children("steps") if not hasattr(model, "fit_resample")]
    if not steps:
        raise f.error("has no step that predicts or transforms")
    return steps


def before_last(f: Fitted, graph: Graph, x: Value, steps: List[Tuple[str, Any]]) -> Value:
    """The columns that the last step gets."""
    for (name, model), (_, following) in zip(steps, steps[1:]):
        if not passes(model):
            with graph.step(name):
                graph.feeds_neighbours = type(model).__name__ in GRAPHS and takes_distances(following)
                x = transform(model, step_path(f, "pipeline step", name), graph, x)
    return x


@exporter("pipeline", "Pipeline")
def pipeline(f: Fitted, graph: Graph, x: Value) -> Result:
    """transform() of the outermost pipeline gives what its last step gets, or gives if it predicts
    nothing. It gives numbers only."""
    steps = steps_of(f)
    outermost = set(graph.nesting[:-1]) <= set(SEARCHES)
    x = before_last(f, graph, x, steps)
    if outermost and x.number != graph.table.number and not graph.has_text(x) and x.width <= MOST_TRANSFORMED:
        near = graph.neighbours_in(x)
        made = x if near is None else near.as_columns(graph)
        graph.transform = graph.transform if made is None else made.number
    name, model = steps[-1]
    result = Result("transformer", x)
    if not passes(model):
        with graph.step(name):
            result = run(model, step_path(f, "pipeline step", name), graph, x)
    return result


@step("pipeline", "Pipeline")
def pipeline_as_step(f: Fitted, graph: Graph, x: Value) -> Result:
    """All its steps transform, the last one too, even if it also predicts."""
    steps = steps_of(f)
    x = before_last(f, graph, x, steps)
    name, model = steps[-1]
    if not passes(model):
        with graph.step(name):
            x = transform(model, step_path(f, "pipeline step", name), graph, x)
    return Result("transformer", x)


#: Transformers that make a graph of neighbours.
GRAPHS = ("KNeighborsTransformer", "RadiusNeighborsTransformer")


def takes_distances(model: Any) -> bool:
    """True of an estimator of neighbours that gets a graph of their distances."""
    return type(model).__module__.startswith("sklearn.neighbors.") and getattr(model, "metric", None) == "precomputed"


@exporter("model_selection", *SEARCHES)
def search(f: Fitted, graph: Graph, x: Value) -> Result:
    return run(f.get("best_estimator_"), join(f, "best_estimator_"), graph, x)


@step("model_selection", *SEARCHES)
def search_as_step(f: Fitted, graph: Graph, x: Value) -> Result:
    return Result("transformer", transform(f.get("best_estimator_"), join(f, "best_estimator_"), graph, x))


@exporter("preprocessing", "FunctionTransformer")
def function_transformer(f: Fitted, graph: Graph, x: Value) -> Result:
    """Without a function it is what newer versions put in the place of "passthrough". With validate=True it
    checks its input as others do."""
    if f.flag("validate") and not graph.has_text(x):
        x = of_one_type(f.model, graph.check(graph.guard(x, missing=False), missing=False))
    return Result("transformer", x if f.get("func") is None else apply(f, graph, x))


def weighted(f: Fitted, graph: Graph, name: str, part: Value) -> Value:
    """The transformer's columns times its weight, which is a number of Python or one of numpy with a type of its own."""
    weight = (f.get("transformer_weights") or {}).get(name)
    if weight is None:
        return part
    if graph.has_text(part):
        raise f.error("gives texts a weight")
    number = float(f.checked("transformer_weights", np.asarray(weight), ()))
    wide = isinstance(weight, np.generic) and np.result_type(part.dtype, weight) != np.float32
    if part.dtype == "f4" and not wide:  # numpy rounds it first
        number = float(np.float32(number))
    if graph.is_list(part.number):  # it stays one
        part = as_wide(part) if wide else part
        made = graph.affine(part, "mul_add", np.full(part.width, number), np.zeros(part.width))
    else:
        made = combined(graph, "multiply", part, number, "f8" if wide else part.dtype)
    return replace(made, stored_zeros=made.stored_zeros or number == 0.0)


def joined(f: Fitted, graph: Graph, parts: List[Value], sparse: bool) -> Result:
    if not parts:
        raise f.error("keeps no column")
    return Result("transformer", replace(graph.concat(parts, keep_types=gives_frame(f.model)), sparse=sparse))


@exporter("pipeline", "FeatureUnion")
def feature_union(f: Fitted, graph: Graph, x: Value) -> Result:
    parts = []
    for name, model in f.children("transformer_list"):
        if isinstance(model, str) and model == "drop":
            continue
        path = step_path(f, "transformer", name)
        with graph.step(name):
            part = x if passes(model) else transform(model, path, graph, x)
            parts.append(weighted(f, graph, name, part))
    return joined(f, graph, parts, any(part.sparse for part in parts))


@exporter("compose", "ColumnTransformer")
def column_transformer(f: Fitted, graph: Graph, x: Value) -> Result:
    """Columns by name, slice, mask or function have been resolved by fit to their numbers."""
    columns = f.get("_transformer_to_input_indices")
    transformers = f.children("transformers_")
    if len({t[0] for t in transformers}) != len(transformers):
        raise f.error("has two transformers of one name")
    parts = []
    for name, model, _ in transformers:
        path = step_path(f, "transformer", name)
        if isinstance(model, str) and model == "drop":
            continue
        if name not in columns:
            raise f.error("does not know the columns of the transformer '%s'" % name)
        chosen = np.asarray(columns[name], dtype=np.int64)
        if len(chosen) == 0:
            continue
        f.integers("list of columns", chosen, len(chosen), 0, x.width)
        with graph.step(name):
            part = graph.select(x, chosen.tolist())
            part = part if passes(model) else transform(model, path, graph, part)
            parts.append(weighted(f, graph, name, part))
    return joined(f, graph, parts, bool(getattr(f.model, "sparse_output_", False)))
