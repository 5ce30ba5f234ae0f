"""Imputers that predict what is missing: from the other columns, round by round, or from the nearest stored rows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from hbscore.export.arithmetic import chosen, combined, reduced
from hbscore.export.document import array, library_version
from hbscore.export.fitted import Fitted
from hbscore.export.graph import FLOAT32, Graph, Result, Value
from hbscore.export.numeric import as_floats, indicator, marked, missing_mark
from hbscore.export.parts import number_of
from hbscore.export.registry import exporter, transform

MAX_OPERATORS = 4000
MAX_K = 200


def limited(f: Fitted, graph: Graph, x: Value, column: int) -> Value:
    for name, function, none in (("_min_value", "maximum", -np.inf), ("_max_value", "minimum", np.inf)):
        limit = float(np.asarray(f.get(name))[column])
        if limit != none:
            x = combined(graph, function, x, limit)
    return x


@exporter("impute", "IterativeImputer")
def iterative_imputer(f: Fitted, graph: Graph, x: Value) -> Result:
    """Each regressor of the chain gets what those before it have filled in. A row in which all is missing keeps what
    the first imputer has filled in, as the library leaves it that gets such a row alone."""
    if f.flag("sample_posterior"):
        raise f.error("with sample_posterior=True draws random numbers: not supported")
    if f.flag("keep_empty_features") and library_version() < (1, 6):
        raise f.error("with keep_empty_features=True is supported from scikit-learn 1.6 on")
    x = as_floats(x)
    start = filled = transform(f.get("initial_imputer_"), f.path, graph, x)
    empty = np.isnan(np.asarray(f.get("initial_imputer_").statistics_, dtype=np.float64))
    kept = np.arange(x.width) if filled.width == x.width else np.flatnonzero(~empty)
    if len(kept) != filled.width:
        raise f.error("has an initial imputer that keeps other columns")
    sequence = f.get("imputation_sequence_") if int(f.get("n_iter_")) > 0 else []
    missing = indicator(graph, x, missing_mark(f, x), kept.tolist(), [])
    masks = {}
    for triplet in sequence:
        column = int(triplet.feat_idx)
        if column not in masks:
            masks[column] = combined(graph, "multiply", missing, (np.arange(filled.width) == column).astype(np.float64))
        used = triplet.neighbor_feat_idx
        others = graph.select(filled, f.integers("list of neighbours", used, len(used), 0, filled.width).tolist())
        guess = number_of(f, "estimator", triplet.estimator, graph, replace(others, known=True))
        guess = limited(f, graph, guess, column)
        if x.dtype == "f4":
            guess = graph.rounded(replace(guess, types=(FLOAT32,)))
        filled = replace(chosen(graph, masks[column], guess, filled), types=start.types, known=start.known)
        if len(graph.ops) > MAX_OPERATORS:
            raise f.error("has a chain of %d regressors, which is too long" % len(sequence))
    if masks:
        some = combined(graph, "lt", reduced(graph, "sum", missing), float(filled.width))
        filled = replace(chosen(graph, some, filled, start), types=start.types, known=start.known)
    return marked(f, graph, x, filled)


@exporter("impute", "KNNImputer")
def knn_imputer(f: Fitted, graph: Graph, x: Value) -> Result:
    """Columns that training has not seen are dropped, or become 0."""
    if f.get("metric") != "nan_euclidean" or callable(f.get("weights")):
        raise f.error("with a function as metric or weights is not supported")
    x = as_floats(x)
    known = ~np.asarray(f.get("_mask_fit_X"))
    rows = f.checked("_fit_X", np.asarray(f.get("_fit_X")), [-1, x.width], finite=False)
    if known.shape != rows.shape:
        raise f.error("has a mask of another shape than its rows")
    rows = f.checked("_fit_X", np.where(known, rows, 0.0), rows.shape)
    counts = known.sum(axis=0)
    fill = rows.sum(axis=0) / np.maximum(counts, 1)
    k = int(f.get("n_neighbors"))
    if not 1 <= k <= MAX_K:
        raise f.error("with n_neighbors=%d is not supported: it may be 1 to %d" % (k, MAX_K))
    fields = {
        "k": k,
        "weights": f.one_of("weights", "uniform", "distance"),
        "rows": array(np.where(known, rows, np.nan), "f8"),
        "fill": array(fill, "f8"),
    }
    made = graph.add("impute_nearest", [as_missing(f, graph, x)], x.types, **fields)
    if x.dtype == "f4":
        made = graph.rounded(made)
    valid = np.flatnonzero(counts)
    if f.flag("keep_empty_features") and len(valid) < x.width:
        both = graph.concat([made, replace(chosen(graph, made, 0.0, 0.0), types=made.types)])
        kept = np.where(counts > 0, np.arange(x.width), np.arange(x.width) + x.width)
        return marked(f, graph, x, graph.select(both, kept.tolist()))
    if len(valid) == 0:
        raise f.error("keeps no column")
    return marked(f, graph, x, graph.select(made, valid.tolist()))


def as_missing(f: Fitted, graph: Graph, x: Value) -> Value:
    """The number that stands for what is missing becomes NaN; NaN itself is refused then."""
    mark = missing_mark(f, x)
    if mark == "nan":
        return x
    x = graph.check(x, missing=False)
    is_mark = combined(graph, "eq", x, float(f.get("missing_values")))
    return replace(chosen(graph, is_mark, np.nan, x), types=x.types)
