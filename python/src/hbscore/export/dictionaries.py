"""Vectorizers of dictionaries: a row is one JSON text, of which Python's json.loads makes what the vectorizer takes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Dict, Tuple

import numpy as np

from hbscore.export.document import texts
from hbscore.export.fitted import Fitted, is_text
from hbscore.export.graph import FLOAT32, FLOAT64, Graph, Result, Value
from hbscore.export.registry import exporter
from hbscore.export.text import MOST_COLUMNS, check_column, hash_columns, sparse, vocabulary


def check_json(f: Fitted, graph: Graph, x: Value) -> None:
    """An imputer fills in dictionaries of Python, and no texts."""
    check_column(f, graph, x)
    if graph.filled(x.number)[0] or graph.replaced(x.number)[0]:
        raise f.error("gets what an imputer has filled in: not supported")


def typed(f: Fitted) -> Tuple[Any, Dict[str, str]]:
    """The type that steps behind it compute in, and the member that says what becomes of numbers."""
    kind = np.dtype(f.get("dtype"))
    if kind == FLOAT64:
        return FLOAT64, {}
    if kind == FLOAT32:
        return FLOAT32, {"dtype": "f4"}
    if kind.kind not in "iu" or kind == np.uint64:
        raise f.error("with dtype=%s is not supported" % kind.name)
    return FLOAT64 if kind.itemsize == 8 else kind, {"dtype": "%s%d" % (kind.kind, kind.itemsize)}


@exporter("feature_extraction", "DictVectorizer")
def dict_vectorizer(f: Fitted, graph: Graph, x: Value) -> Result:
    """A column is a name, or a name and a text with the separator between them."""
    check_json(f, graph, x)
    kind, dtype = typed(f)
    separator = f.get("separator")
    if not isinstance(separator, str) or not is_text(separator):
        raise f.error("has a separator that is no text")
    terms = vocabulary(f)
    if not 1 <= len(terms) <= MOST_COLUMNS:
        raise f.error("with %d features is not supported" % len(terms))
    made = sparse(graph, "json_features", x, len(terms), kind, **dtype, separator=separator, vocabulary=texts(terms))
    return Result("transformer", replace(made, sparse=f.flag("sparse"), stored_zeros=True))


@exporter("feature_extraction", "FeatureHasher")
def feature_hasher(f: Fitted, graph: Graph, x: Value) -> Result:
    check_json(f, graph, x)
    kind, dtype = typed(f)
    form = f.one_of("input_type", "dict", "pair", "string")
    width, alternate = hash_columns(f), f.flag("alternate_sign")
    if alternate and dtype.get("dtype", "")[:1] == "u":
        raise f.error("with alternate_sign and dtype=%s is not supported: that has no numbers below 0" % kind.name)
    fields = {**dtype, "input": form, "columns": width, "alternate": int(alternate)}
    made = sparse(graph, "json_hashes", x, width, kind, **fields)
    return Result("transformer", replace(made, stored_zeros=True))
