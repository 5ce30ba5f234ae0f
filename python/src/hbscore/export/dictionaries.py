"""Vectorizers of dictionaries: a row is one JSON text, of which Python's json.loads makes what the vectorizer takes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from hbscore.export.document import texts
from hbscore.export.fitted import Fitted, is_text
from hbscore.export.graph import Graph, Result, Value
from hbscore.export.registry import exporter
from hbscore.export.text import MOST_COLUMNS, check_column, hash_columns, sparse, vocabulary


def check_dtype(f: Fitted) -> None:
    if np.dtype(f.get("dtype")) != np.float64:
        raise f.error("with dtype=%s is not supported" % np.dtype(f.get("dtype")).name)


@exporter("feature_extraction", "DictVectorizer")
def dict_vectorizer(f: Fitted, graph: Graph, x: Value) -> Result:
    """A column is a name, or a name and a text with the separator between them."""
    check_column(f, graph, x)
    check_dtype(f)
    separator = f.get("separator")
    if not isinstance(separator, str) or not is_text(separator):
        raise f.error("has a separator that is no text")
    terms = vocabulary(f)
    if not 1 <= len(terms) <= MOST_COLUMNS:
        raise f.error("with %d features is not supported" % len(terms))
    made = sparse(graph, "json_features", x, len(terms), separator=separator, vocabulary=texts(terms))
    return Result("transformer", replace(made, sparse=f.flag("sparse"), stored_zeros=True))


@exporter("feature_extraction", "FeatureHasher")
def feature_hasher(f: Fitted, graph: Graph, x: Value) -> Result:
    check_column(f, graph, x)
    check_dtype(f)
    form = f.one_of("input_type", "dict", "pair", "string")
    width, alternate = hash_columns(f), f.flag("alternate_sign")
    made = sparse(graph, "json_hashes", x, width, input=form, columns=width, alternate=int(alternate))
    return Result("transformer", replace(made, stored_zeros=True))
