"""Scalers, imputers and selectors of numbers."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, List, Optional, Sequence

import numpy as np

from hbscore.errors import shown
from hbscore.export.arithmetic import chosen, combined, reduced
from hbscore.export.document import array, library_version
from hbscore.export.encoders import impute_texts, is_missing, is_nan, text_marks
from hbscore.export.fitted import Fitted
from hbscore.export.graph import FLOAT16, FLOAT64, Graph, Result, Value
from hbscore.export.linear import join
from hbscore.export.registry import exporter, run, transformer


def sub_div(graph: Graph, x: Value, a: Optional[np.ndarray], b: Optional[np.ndarray]) -> Result:
    if a is not None and b is not None:
        x = graph.affine(x, "sub_div", a, b)
    elif a is not None:
        x = graph.affine(x, "sub", a)
    elif b is not None:
        x = graph.affine(x, "div", None, b)
    return Result("transformer", x)


def times_reciprocal(f: Fitted, graph: Graph, x: Value) -> Result:
    """Scalers multiply a sparse matrix, which they cannot shift, by the reciprocal: this is rounded to the type of the
    scale first."""
    scale = np.asarray(f.get("scale_"))
    factor = f.checked("scale_", 1.0 / scale, [x.width])
    return Result("transformer", graph.affine(x, "mul_add", factor, np.zeros(x.width)))


def clip(graph: Graph, x: Value, low: float, high: float) -> Value:
    """Bounds are of the column's own type, as numpy.clip has them."""
    bounds = np.array([low, high], dtype=FLOAT16 if x.is_half else x.dtype).astype(np.float64)
    return graph.add("clip", [x], x.types, lo=array(bounds[:1], "f8"), hi=array(bounds[1:], "f8"))


def as_type_of(x: Value, numbers: np.ndarray) -> np.ndarray:
    """A StandardScaler's numbers: since 1.8 they are rounded to the type of the columns that they scale."""
    if library_version() < (1, 8):
        return numbers
    with np.errstate(over="ignore"):
        return np.asarray(numbers.astype(FLOAT16 if x.is_half else x.dtype).astype(np.float64))


@exporter("preprocessing", "StandardScaler")
def standard_scaler(f: Fitted, graph: Graph, x: Value) -> Result:
    a = f.numbers("mean_", x.width) if f.flag("with_mean") else None
    b = f.numbers("scale_", x.width) if f.flag("with_std") else None
    if x.sparse and b is not None:
        return times_reciprocal(f, graph, x)
    a, b = (v if v is None else as_type_of(x, v) for v in (a, b))
    return sub_div(graph, x, a, b)


@exporter("preprocessing", "RobustScaler")
def robust_scaler(f: Fitted, graph: Graph, x: Value) -> Result:
    a = f.numbers("center_", x.width) if f.flag("with_centering") else None
    b = f.numbers("scale_", x.width) if f.flag("with_scaling") else None
    if x.sparse and b is not None:
        return times_reciprocal(f, graph, x)
    return sub_div(graph, x, a, b)


@exporter("preprocessing", "MaxAbsScaler")
def max_abs_scaler(f: Fitted, graph: Graph, x: Value) -> Result:
    if x.sparse:
        x = times_reciprocal(f, graph, x).value
    else:
        x = sub_div(graph, x, None, f.numbers("scale_", x.width)).value
    if hasattr(f.model, "clip") and f.flag("clip"):
        x = clip(graph, x, -1.0, 1.0)
    return Result("transformer", x)


@exporter("preprocessing", "MinMaxScaler")
def min_max_scaler(f: Fitted, graph: Graph, x: Value) -> Result:
    x = graph.affine(x, "mul_add", f.numbers("scale_", x.width), f.numbers("min_", x.width))
    if f.flag("clip"):
        low, high = f.numbers("feature_range", 2)
        x = clip(graph, x, low, high)
    return Result("transformer", x)


def as_floats(x: Value) -> Value:
    """Whole numbers become float64 where an estimator computes with floats alone."""
    return replace(x, types=tuple(FLOAT64 if t.kind in "iub" else t for t in x.types))


def missing_mark(f: Fitted, x: Value) -> Any:
    """The `missing` of an operator: NaN, or one number. A missing text is NULL, be it None or NaN."""
    mark = f.get("missing_values")
    if is_missing(mark):
        return "nan"
    if isinstance(mark, bool) or not isinstance(mark, (int, float, np.integer, np.floating)):
        raise f.error("with missing_values=%s is not supported" % shown(mark))
    number = f.number("missing_values")
    # How a double compares with float32 columns depends on the version of numpy.
    if number != mark or (x.dtype == "f4" and float(np.float32(number)) != number):
        raise f.error("with missing_values=%s is not supported for %s columns" % (shown(mark), x.dtype))
    return array([number], "f8")


def statistics(f: Fitted, x: Value) -> np.ndarray:
    """With a constant, newer versions keep Python's numbers."""
    values = np.asarray(f.get("statistics_"))
    if values.dtype.kind == "O" and all(
        isinstance(v, (int, float, np.number)) for v in values.flat
    ):
        values = values.astype(np.float64)
    return f.checked("statistics_", values, [x.width], finite=False)


def indicator(graph: Graph, x: Value, mark: Any, cols: List[int], known: List[int]) -> Value:
    """1 where a column of `cols` is missing; those of `known` must not be."""
    return graph.add("indicator", [x], [np.dtype(bool)] * len(cols), missing=mark, cols=cols, known=known)


def marks_of(f: Fitted, graph: Graph, x: Value, cols: List[int], known: Sequence[int] = ()) -> Value:
    """1 where a column of `cols` is what counts as missing. A row that misses one of `known`, which training did not,
    is refused."""
    if isinstance(f.get("missing_values"), str):
        marks = text_marks(f, graph, x, cols)
        new = text_marks(f, graph, x, known) if known else None
    else:
        mark = missing_mark(f, x)
        if mark == "nan":
            stays = {j for j in range(x.width) if graph.stays_missing(x, j, f.get("missing_values"))}
            marks = indicator(graph, x, mark, cols, [j for j in known if j not in stays])
            if not stays & set(cols):
                return marks
            counts = combined(graph, "multiply", marks, [float(j not in stays) for j in cols])
            return replace(counts, types=marks.types)
        marks = indicator(graph, x, mark, cols, [])
        new = indicator(graph, x, mark, list(known), []) if known else None
    if new is None:
        return marks
    made = chosen(graph, reduced(graph, "max", new), np.nan, marks)
    made = graph.check(graph.guard(made, missing=False), missing=False)
    return replace(made, types=marks.types)


@exporter("impute", "SimpleImputer")
def simple_imputer(f: Fitted, graph: Graph, x: Value) -> Result:
    """A strategy that is a function has found its statistics in training, as the others have."""
    if not callable(f.get("strategy")):
        f.one_of("strategy", "mean", "median", "most_frequent", "constant")
    return marked(f, graph, x, impute(f, graph, x).value)


def marked(f: Fitted, graph: Graph, x: Value, imputed: Value) -> Result:
    """With add_indicator columns follow that say what was missing."""
    if not f.flag("add_indicator"):
        return Result("transformer", imputed)
    inner = Fitted(f.get("indicator_"), f.path)
    places = inner.get("features_")
    cols = inner.integers("features_", places, len(places), 0, x.width).tolist()
    if not cols:
        return Result("transformer", imputed)
    marks = marks_of(f, graph, x, cols)
    return Result("transformer", graph.concat([imputed, replace(marks, known=imputed.known)]))


def kept_columns(f: Fitted, fill: Sequence[Any]) -> List[int]:
    """Columns without any value in training are dropped: their statistic is NaN. Before 1.8 a constant keeps them all."""
    if f.flag("keep_empty_features") or (f.get("strategy") == "constant" and is_nan(f.get("fill_value"))):
        return list(range(len(fill)))
    return [j for j, v in enumerate(fill) if not is_nan(v)]


def impute(f: Fitted, graph: Graph, x: Value) -> Result:
    found = list(f.get("statistics_"))
    if len(found) != x.width:
        raise f.error("has statistics_ of %d columns and gets %d" % (len(found), x.width))
    kept = kept_columns(f, found)
    if len(kept) == 0:
        raise f.error("keeps no column")
    words = [j for j in kept if isinstance(found[j], str)]
    if len(words) == len(kept):
        return impute_texts(f, graph, graph.select(x, kept), [found[j] for j in kept])
    if words:
        return impute_both(f, graph, x, words, [j for j in kept if j not in words])
    fill = f.checked("statistics_", statistics(f, x)[kept], [len(kept)])
    x = graph.select(x, kept)
    if f.get("strategy") in ("mean", "median"):
        x = as_floats(x)
    elif any(graph.stays_missing(x, j, f.get("missing_values")) for j in range(x.width)):
        raise f.error("leaves None among numbers as it is: not supported")
    with np.errstate(over="ignore"):
        fill = fill.astype(FLOAT16 if x.is_half else x.dtype).astype(np.float64)
    mark = missing_mark(f, x)
    if mark == "nan" and graph.holds_no_nan(x):  # nothing is left to be imputed
        return Result("transformer", x)
    x = graph.with_sources(
        graph.add("impute", [x], x.types, missing=mark, fill=array(fill, "f8")), x.sources
    )
    return Result("transformer", x if mark == "nan" else replace(x, known=True))


def impute_both(f: Fitted, graph: Graph, x: Value, words: List[int], others: List[int]) -> Result:
    """Columns of texts and of numbers are one table of objects, whose numbers are doubles. A mark that is a text is none
    of them."""
    found = f.get("statistics_")
    made = impute_texts(f, graph, graph.select(x, words), [found[j] for j in words]).value
    numbers = graph.select(x, others)
    numbers = replace(numbers, types=(FLOAT64,) * numbers.width)
    if isinstance(f.get("missing_values"), str):
        numbers = graph.check(numbers, missing=False)
    else:
        fill = f.checked("statistics_", np.array([found[j] for j in others], dtype=np.float64), [len(others)])
        made_of = graph.add("impute", [numbers], numbers.types, missing=missing_mark(f, numbers), fill=array(fill, "f8"))
        numbers = graph.with_sources(made_of, numbers.sources)
    both = graph.concat([made, numbers], keep_types=True)
    return Result("transformer", graph.select(both, np.argsort(words + others).tolist()))


SELECTORS = (
    "GenericUnivariateSelect",
    "SelectFdr",
    "SelectFpr",
    "SelectFromModel",
    "SelectFwe",
    "SelectKBest",
    "SelectPercentile",
    "SequentialFeatureSelector",
    "VarianceThreshold",
)


@exporter("feature_selection", "RFE", "RFECV")
def recursive(f: Fitted, graph: Graph, x: Value) -> Result:
    """As a last step it predicts what its estimator says to the columns that it selects."""
    return run(f.get("estimator_"), join(f, "estimator_"), graph, selector(f, graph, x).value)


@transformer("feature_selection", "RFE", "RFECV")
@exporter("feature_selection", *SELECTORS)
def selector(f: Fitted, graph: Graph, x: Value) -> Result:
    try:
        mask = np.asarray(f.model.get_support())
    except Exception as e:
        raise f.error("does not say what it selects: is it fitted?") from e
    if mask.shape != (x.width,) or mask.dtype != bool:
        raise f.error("selects from %s columns and gets %d" % (mask.shape, x.width))
    if not mask.any():
        raise f.error("selects no column")
    return Result("transformer", graph.select(x, np.flatnonzero(mask).tolist()))
