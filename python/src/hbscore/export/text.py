"""Vectorizers of texts: each text becomes a sparse row of counts, and these are weighed."""

from __future__ import annotations

import sys
import unicodedata
from dataclasses import replace
from typing import Any, Dict, List, Optional

import numpy as np

from hbscore.errors import shown
from hbscore.export.document import array, library_version, texts
from hbscore.export.fitted import Fitted, is_text
from hbscore.export.graph import FLOAT32, FLOAT64, Graph, Result, Value
from hbscore.export.registry import exporter

#: Versions of Unicode whose tables hbscore has. Python's own decide what a word is.
UNICODES = ("13.0", "14.0", "15.0", "15.1")

#: Words or characters of a sequence.
MOST_TERM = 256


def sparse(graph: Graph, op: str, x: Value, width: int, kind: Any = FLOAT64, **fields: Any) -> Value:
    """An operator whose value is a scipy matrix of this type."""
    return replace(graph.add(op, [x], [kind] * width, **fields), sparse=True)


def type_of(f: Fitted) -> Any:
    """The dtype of counts. Wide integers become float64 in the steps behind a vectorizer."""
    kind = np.dtype(f.get("dtype"))
    if kind != FLOAT32 and kind != FLOAT64 and kind.kind not in "iub":
        raise f.error("with dtype=%s is not supported" % kind.name)
    return kind if kind == FLOAT32 or kind.itemsize < 4 else FLOAT64


def counted(f: Fitted, graph: Graph, op: str, x: Value, width: int, fields: Dict[str, Any], **more: Any) -> Value:
    """An operator that counts terms. Integers of less than 32 bits hold a count modulo their own range, and what becomes
    of 0 in them stays in the matrix; True and False hold that there is one."""
    kind = type_of(f)
    if kind.kind == "b":
        fields = {**fields, "binary": 1}
    elif kind.kind in "iu" and not fields["binary"]:
        fields = {**fields, "dtype": kind.kind + str(kind.itemsize)}
    made = sparse(graph, op, x, width, kind, **stand_ins(graph, x), **fields, **more)
    return replace(made, stored_zeros="dtype" in fields)


def check_column(f: Fitted, graph: Graph, x: Value) -> None:
    if x.width != 1:
        raise f.error("gets %d columns: it takes one, of texts" % x.width)
    if graph.labels_of(x, 0) is not None:
        raise f.error("gets labels of an estimator, which are not split: not supported")
    if not graph.is_text(x, 0):
        graph.mark_text(x, 0, f)


def stand_ins(graph: Graph, x: Value) -> Dict[str, Any]:
    """Texts in whose place an imputer has put others."""
    found = graph.replaced(x.number)[0]
    return {"marks": texts(list(found)), "fills": texts(list(found.values()))} if found else {}


#: The words that str.split finds: both ask the same table what is white space.
SPLIT = r"\S+"


def said_by(f: Fitted, name: str, *known: Any) -> bool:
    """True where the option is one of the functions that can be said without one; another function is refused."""
    given = f.get(name)
    if callable(given) and not any(given is function for function in known):
        raise f.error("with %s=%s is not supported: it is a function" % (name, shown(given)))
    return callable(given)


def accents_of(f: Fitted) -> str:
    module = sys.modules["sklearn.feature_extraction.text"]
    known = {name: getattr(module, "strip_accents_" + name) for name in ("ascii", "unicode")}
    if said_by(f, "strip_accents", *known.values()):
        return next(name for name, function in known.items() if f.get("strip_accents") is function)
    return f.one_of("strip_accents", None, "ascii", "unicode") or "keep"


def prepared(f: Fitted) -> Dict[str, Any]:
    """The steps that a text goes through before it is split; a preprocessor takes the place of all of them."""
    accents = accents_of(f)
    if said_by(f, "preprocessor", str.lower):
        return {"lowercase": 1, "accents": "keep"}
    return {"lowercase": int(f.flag("lowercase")), "accents": accents}


def unicode_version(f: Fitted) -> str:
    version = ".".join(unicodedata.unidata_version.split(".")[:2])
    if version not in UNICODES:
        raise f.error(
            "in a Python with Unicode %s is not supported: hbscore has the tables of %s" % (version, ", ".join(UNICODES))
        )
    return version


def pure(f: Fitted, what: str, terms: List[Any]) -> List[str]:
    for term in terms:
        if not isinstance(term, str) or not is_text(term):
            raise f.error("has %s that is no text: %s" % (what, shown(term)))
    return [str(term) for term in terms]


def rule(f: Fitted) -> Dict[str, Any]:
    """How texts are split, as members of the operator."""
    f.one_of("input", "content")
    fields: Dict[str, Any] = {"unicode": unicode_version(f), **prepared(f)}
    splits = said_by(f, "tokenizer", str.split)
    if said_by(f, "analyzer", str.split):  # which takes the place of everything
        plain = {"lowercase": 0, "accents": "keep", "analyzer": "word", "pattern": SPLIT, "stop_words": texts([])}
        return {**fields, **plain, "least": 1, "most": 1, "binary": int(f.flag("binary"))}
    analyzer = f.one_of("analyzer", "word", "char", "char_wb")
    least, most = (int(n) for n in f.get("ngram_range"))
    if not 1 <= least <= most <= MOST_TERM:
        raise f.error("with ngram_range=%s is not supported" % shown(f.get("ngram_range")))
    fields["analyzer"] = analyzer
    if analyzer == "word":
        stops = f.model.get_stop_words() or ()
        fields["pattern"] = SPLIT if splits else pure(f, "a token_pattern", [f.get("token_pattern")])[0]
        fields["stop_words"] = texts(sorted(pure(f, "a stop word", list(stops))))
    return {**fields, "least": least, "most": most, "binary": int(f.flag("binary"))}


def vocabulary(f: Fitted) -> List[str]:
    """The terms in the order of their columns."""
    found = f.get("vocabulary_")
    terms = sorted(found, key=found.__getitem__)
    if [int(found[term]) for term in terms] != list(range(len(terms))):
        raise f.error("has a vocabulary_ that does not number its terms from 0 on")
    return pure(f, "a term", terms)


def counts(f: Fitted, graph: Graph, x: Value) -> Value:
    check_column(f, graph, x)
    terms = vocabulary(f)
    return counted(f, graph, "text_counts", x, len(terms), rule(f), vocabulary=texts(terms))


@exporter("feature_extraction.text", "CountVectorizer")
def count_vectorizer(f: Fitted, graph: Graph, x: Value) -> Result:
    return Result("transformer", counts(f, graph, x))


def weighed(f: Fitted, graph: Graph, x: Value, idf: Any) -> Value:
    """f: what has the options of a TfidfTransformer."""
    if f.flag("sublinear_tf") and x.stored_zeros:
        raise f.error("with sublinear_tf of counts that may be 0 or less is not supported: there is no logarithm of them")
    norm = f.one_of("norm", None, "l1", "l2")
    if idf is None:
        return scaled(graph, x, norm, f.flag("sublinear_tf"))
    kind = np.asarray(idf).dtype if library_version() < (1, 4) else FLOAT32  # since then it is multiplied in place
    x = replace(x, types=(np.result_type(x.dtype, kind),) * x.width)
    return scaled(graph, x, norm, f.flag("sublinear_tf"), idf=array(f.checked("idf_", idf, (x.width,)), "f8"))


def scaled(graph: Graph, x: Value, norm: Optional[str], sublinear: bool = False, **idf: Any) -> Value:
    """Rows divided by their norm, in the type of x."""
    dtype = {"dtype": "f4"} if x.dtype == "f4" else {}
    fields = {**dtype, "sublinear": int(sublinear), **idf, "norm": norm or "none"}
    return sparse(graph, "tf_idf", x, x.width, np.dtype(x.dtype), **fields)


#: Columns of a sparse value of the format.
MOST_COLUMNS = 1 << 22


def hash_columns(f: Fitted) -> int:
    columns = int(f.get("n_features"))
    if columns > MOST_COLUMNS:
        raise f.error("with n_features=%d is not supported: at most %d" % (columns, MOST_COLUMNS))
    return columns


@exporter("feature_extraction.text", "HashingVectorizer")
def hashing_vectorizer(f: Fitted, graph: Graph, x: Value) -> Result:
    check_column(f, graph, x)
    width, alternate = hash_columns(f), f.flag("alternate_sign")
    if alternate and type_of(f).kind == "u" and np.lib.NumpyVersion(np.__version__) >= "2.0.0":
        raise f.error("with alternate_sign and dtype=%s fails: numpy has no -1 of that type" % type_of(f))
    made = counted(f, graph, "text_hashes", x, width, rule(f), columns=width, alternate=int(alternate))
    zeros = made.stored_zeros or alternate
    norm = f.one_of("norm", None, "l1", "l2")
    if norm is not None:
        made = scaled(graph, made, norm)
    return Result("transformer", replace(made, stored_zeros=zeros))


@exporter("feature_extraction.text", "TfidfTransformer")
def tfidf_transformer(f: Fitted, graph: Graph, x: Value) -> Result:
    idf = f.get("idf_") if f.flag("use_idf") else None
    return Result("transformer", weighed(f, graph, x, idf))


@exporter("feature_extraction.text", "TfidfVectorizer")
def tfidf_vectorizer(f: Fitted, graph: Graph, x: Value) -> Result:
    """The estimator inside weighs, whose options are those of the fit."""
    inner = Fitted(f.get("_tfidf"), f.path)
    idf = inner.get("idf_") if inner.flag("use_idf") else None
    return Result("transformer", weighed(inner, graph, counts(f, graph, x), idf))
