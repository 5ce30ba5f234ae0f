"""Transformers that make new columns of numbers: bins, products, norms, marks of missing values."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations, combinations_with_replacement
from typing import Any, Dict, Iterator, List, Tuple

import numpy as np

from hbscore.export.arithmetic import chosen, mapped
from hbscore.export.document import array, library_version
from hbscore.export.fitted import Fitted
from hbscore.export.graph import FLOAT32, FLOAT64, Graph, Result, Value
from hbscore.export.numeric import marks_of
from hbscore.export.registry import exporter
from hbscore.export.text import scaled

MOST_COLUMNS = 65536  # of one value of the format


def transformed(made: Value) -> Result:
    """A transformer that has checked its input as most do has refused NaN."""
    return Result("transformer", replace(made, known=True))


def refuse_sparse(f: Fitted, x: Value, why: str) -> None:
    if x.sparse:
        raise f.error(
            "gets a sparse matrix, %s: not supported (sparse_output=False of an encoder, or"
            " sparse_threshold=0 of a ColumnTransformer keeps it dense)" % why
        )


def above(f: Fitted, graph: Graph, x: Value, option: str) -> Value:
    """1 where a number is above the option, else 0: compared in the type that numpy gives both, and that
    of a Python number is the column's own. No number is above infinity, and all are above minus infinity."""
    threshold = float(f.checked(option, np.asarray(f.get(option)), (), finite=False))
    kind = np.dtype(x.dtype)
    if np.result_type(np.zeros(1, dtype=kind), f.get(option)) == FLOAT32:
        with np.errstate(over="ignore"):
            threshold = float(np.float32(threshold))
    if np.isinf(threshold):
        answer = float(threshold < 0.0)
        return replace(chosen(graph, mapped(graph, "isfinite", graph.check(x, missing=False)), answer, answer), types=x.types)
    threshold = float(f.checked(option, np.float64(threshold), ()))
    return graph.add("binarize", [x], x.types, threshold=array([threshold], "f8"))


@exporter("preprocessing", "Binarizer")
def binarizer(f: Fitted, graph: Graph, x: Value) -> Result:
    return transformed(above(f, graph, x, "threshold"))


@exporter("preprocessing", "Normalizer")
def normalizer(f: Fitted, graph: Graph, x: Value) -> Result:
    norm = f.one_of("norm", "l1", "l2", "max")
    if x.sparse:  # the sums are of what is not 0, one after the other
        return transformed(scaled(graph, x if x.known else graph.check(x, missing=False), norm))
    types = [np.dtype(x.dtype)] * x.width
    return transformed(graph.add("normalize", [x], types, norm=norm, dtype=x.dtype))


# Bins ---------------------------------------------------------------------------------------


def inner_edges(f: Fitted, width: int) -> List[np.ndarray]:
    """The outer ones have no effect: what is beyond them is in the first or last bin. The bins of a column that hardly
    changes may all be too narrow to be kept: then n_bins_ is 0, and every number is in bin 0."""
    edges = f.get("bin_edges_")
    if not isinstance(edges, np.ndarray) or edges.shape != (width,):
        raise f.error("has no bin_edges_ of %d columns" % width)
    found = [f.checked("bin_edges_", np.asarray(e)[1:-1], [-1]) for e in edges]
    counts = f.integers("n_bins_", f.get("n_bins_"), width, 0, MOST_COLUMNS)
    for e, count in zip(found, counts):
        if len(e) != max(count, 1) - 1 or (np.diff(e) < 0).any():
            raise f.error("has bin_edges_ that are not those of n_bins_")
    return found


def one_of_bins(count: int) -> Dict[str, Any]:
    """A column of an encoder whose categories are 0 .. count - 1."""
    return {
        "values": array(np.arange(count, dtype=np.float64), "f8"),
        "missing": 0,
        "map": array(np.arange(count, dtype=np.int32), "i4"),
        "width": count,
        "unknown": "error",
    }


@exporter("preprocessing", "KBinsDiscretizer")
def k_bins_discretizer(f: Fitted, graph: Graph, x: Value) -> Result:
    encode = f.one_of("encode", "onehot", "onehot-dense", "ordinal")
    edges = inner_edges(f, x.width)
    kind = np.dtype(x.dtype if f.get("dtype") is None else f.get("dtype"))
    if kind not in (FLOAT32, FLOAT64):
        raise f.error("with dtype=%s is not supported" % kind)
    if kind == FLOAT32 and x.dtype != "f4":
        x = graph.add("cast", [x], [FLOAT32] * x.width, to="f4")
    made = graph.add(
        "bins",
        [x],
        [kind] * x.width,
        ends=array(np.cumsum([len(e) for e in edges]), "i4"),
        edges=array(np.concatenate(edges), "f8"),
    )
    if encode != "ordinal":
        columns = [one_of_bins(len(e) + 1) for e in edges]
        width = sum(c["width"] for c in columns)
        made = graph.add("onehot", [made], [kind] * width, columns=columns)
    return transformed(replace(made, sparse=encode == "onehot"))


# Products -----------------------------------------------------------------------------------


def terms(f: Fitted, width: int, most: int) -> Iterator[Tuple[int, ...]]:
    """The columns of each product in scikit-learn's order, by degree; () is the bias."""
    choose = combinations if f.flag("interaction_only") else combinations_with_replacement
    for degree in range(0 if f.flag("include_bias") else 1, most + 1):
        yield from choose(range(width), degree)


@exporter("preprocessing", "PolynomialFeatures")
def polynomial_features(f: Fitted, graph: Graph, x: Value) -> Result:
    """A product of several columns is that of all but the first, times the first: so scikit-learn
    computes it, from each degree to the next. Lower degrees that it does not give are computed too. Of a sparse matrix it
    is that of all but the last, times the last."""
    most, least = int(f.number("_max_degree")), int(f.number("_min_degree"))
    if library_version() < (1, 4) and graph.is_backwards(x):
        refuse_sparse(f, x, "whose rows a TF-IDF turned round, so that scikit-learn puts products into other columns")
    of: List[int] = []
    column: List[int] = []
    place: Dict[Tuple[int, ...], int] = {}
    for term in terms(f, x.width, most):
        if len(place) == MOST_COLUMNS:
            raise f.error("makes more than %d products: not supported" % MOST_COLUMNS)
        others, one = (term[:-1], term[-1:]) if x.sparse else (term[1:], term[:1])
        of.append(-2 if not term else -1 if len(term) == 1 else place[others])
        column.append(one[0] if term else 0)
        place[term] = len(place)
    kept = [i for term, i in place.items() if not term or len(term) >= least]
    if len(kept) != int(f.number("n_output_features_")):
        raise f.error("makes %d columns, its options say %d" % (f.get("n_output_features_"), len(kept)))
    types = [np.dtype(x.dtype)] * len(of)
    made = graph.add("poly", [x], types, dtype=x.dtype, of=array(of, "i4"), column=array(column, "i4"))
    return transformed(graph.select(made, kept))


# Marks of missing values --------------------------------------------------------------------


@exporter("impute", "MissingIndicator")
def missing_indicator(f: Fitted, graph: Graph, x: Value) -> Result:
    """error_on_new refuses a row that misses what no row of training did."""
    f.one_of("features", "missing-only", "all")
    places = f.get("features_")
    cols = f.integers("features_", places, len(places), 0, x.width)
    if len(cols) == 0:
        raise f.error("makes no column: nothing was missing in training")
    others = sorted(set(range(x.width)) - set(cols.tolist())) if f.flag("error_on_new") else []
    sparse = x.sparse if f.one_of("sparse", "auto", True, False) == "auto" else f.flag("sparse")
    made = marks_of(f, graph, x, cols.tolist(), others)
    return Result("transformer", replace(made, sparse=sparse))
