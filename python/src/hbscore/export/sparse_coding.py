"""Rows as a few atoms of a dictionary: products with the atoms of which those below a threshold become 0, or weights
that are found for each row."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import Any

import numpy as np

from hbscore.errors import shown
from hbscore.export.arithmetic import combined, mapped, reduced
from hbscore.export.document import array, library_version
from hbscore.export.expand import refuse_sparse, transformed
from hbscore.export.fitted import Fitted
from hbscore.export.graph import FLOAT32, FLOAT64, Graph, Result, Value
from hbscore.export.registry import exporter

#: Atoms of a dictionary whose weights are found, and those that have one.
MOST_ATOMS, MOST_PURSUED = 1024, 256

#: When the weights that least angle regression finds among many atoms are there: they hardly change, or after so many rounds.
EXACTLY, ROUNDS = 1e-14, 100000


def threshold_of(f: Fitted) -> float:
    """SparseCoder has no alpha of its own."""
    given = f.get("transform_alpha")
    if given is None and hasattr(f.model, "alpha"):
        given = f.get("alpha")
    return 1.0 if given is None else float(f.checked("transform_alpha", np.asarray(given), ()))


def type_of_code(f: Fitted, atoms: Any, x: Value) -> Any:
    """The library's own answer: it changed with its versions."""
    encode = sys.modules["sklearn.decomposition"].sparse_encode
    zeros = np.zeros((1, x.width), dtype=x.dtype)
    try:
        return encode(zeros, atoms, algorithm=f.get("transform_algorithm"), n_nonzero_coefs=1).dtype
    except Exception as e:
        kinds = (shown(f.get("transform_algorithm")), atoms.dtype, zeros.dtype)
        raise f.error("with transform_algorithm=%s, atoms of %s and rows of %s has no answer from scikit-learn" % kinds) from e


def gram_of(f: Fitted, atoms: Any, x: Value) -> Any:
    """The products of all pairs of atoms, in the type in which the library goes on with them."""
    if len(atoms) > MOST_ATOMS:
        raise f.error("with %d atoms is not supported: at most %d are" % (len(atoms), MOST_ATOMS))
    return np.dot(atoms, atoms.T).astype(type_of_code(f, atoms, x))


def pursued(f: Fitted, graph: Graph, x: Value, atoms: Any, products: Value) -> Value:
    """Orthogonal matching pursuit."""
    count = asked_for(f, x, atoms)
    if count > len(atoms):
        raise f.error("asks for %d of %d atoms: scikit-learn cannot transform a row" % (count, len(atoms)))
    if count > MOST_PURSUED:
        raise f.error("with transform_n_nonzero_coefs=%d is not supported: at most %d are" % (count, MOST_PURSUED))
    gram = gram_of(f, atoms, x)
    fields = {"k": count, "least": array([np.finfo(gram.dtype).eps], "f8"), "gram": array(gram, "f8")}
    return in_type(graph, graph.floats("pursuit", products, len(atoms), **fields), gram.dtype)


def asked_for(f: Fitted, x: Value, atoms: Any) -> int:
    given = f.get("transform_n_nonzero_coefs")
    return int(min(max(x.width / 10, 1), len(atoms)) if given is None else given)


def grown(f: Fitted, graph: Graph, x: Value, atoms: Any, products: Value, penalty: float, rounds: int) -> Value:
    """Least angle regression, step by step."""
    if min(rounds, len(atoms)) > MOST_PURSUED:
        raise f.error("with %d atoms that may have a weight is not supported: at most %d are" % (min(rounds, len(atoms)), MOST_PURSUED))
    gram = gram_of(f, atoms, x)
    fields = {
        "path": "angle" if f.get("transform_algorithm") == "lars" else "lasso",
        "dtype": "f4" if atoms.dtype == FLOAT32 and x.dtype == "f4" else "f8",
        "positive": int(f.flag("positive_code")),
        "penalty": array([penalty / x.width], "f8"),
        "terms": x.width,
        "rounds": rounds,
    }
    return in_type(graph, graph.floats("least_angle", products, len(atoms), **fields, gram=array(gram, "f8")), gram.dtype)


def improved(f: Fitted, graph: Graph, x: Value, atoms: Any, products: Value) -> Value:
    """The lasso, as its coordinate descent finds it; least angle regression finds the same, step by step where room is for
    its steps."""
    penalty, exact = threshold_of(f), f.get("transform_algorithm") == "lasso_lars"
    rounds = int(f.number("transform_max_iter"))
    if exact and (penalty == 0.0 or f.flag("positive_code") or min(rounds, len(atoms)) <= MOST_PURSUED):
        return grown(f, graph, x, atoms, products, penalty, rounds)
    gram = gram_of(f, atoms, x)
    screens = library_version() >= (1, 8) and not exact and penalty > 0.0
    fields = {
        "rule": "still" if exact else "screened" if screens else "gap",
        "positive": int(f.flag("positive_code")),
        "penalty": array([penalty / x.width * x.width], "f8"),
        "tolerance": array([EXACTLY if exact else 1e-8 if library_version() >= (1, 8) else 1e-4], "f8"),
        "rounds": ROUNDS if exact else rounds,
    }
    inputs = [products]
    if not exact:
        inputs.append(reduced(graph, "sum_squares", replace(x, types=(FLOAT64,) * x.width)))
    made = graph.add("descent", inputs, [FLOAT64] * len(atoms), **fields, gram=array(gram, "f8"))
    return in_type(graph, made, gram.dtype)


def in_type(graph: Graph, code: Value, kind: Any) -> Value:
    return graph.add("cast", [code], [FLOAT32] * code.width, to="f4") if kind == FLOAT32 else code


def beyond(f: Fitted, graph: Graph, products: Value) -> Value:
    """By how much each product is beyond the threshold."""
    size = combined(graph, "subtract", mapped(graph, "abs", products), threshold_of(f))
    code = combined(graph, "multiply", mapped(graph, "sign", products), combined(graph, "maximum", size, 0.0))
    return combined(graph, "maximum", code, 0.0) if f.flag("positive_code") else code


@exporter("decomposition", "DictionaryLearning", "MiniBatchDictionaryLearning", "SparseCoder")
def sparse_coding(f: Fitted, graph: Graph, x: Value) -> Result:
    algorithm = f.get("transform_algorithm")
    f.one_of("transform_algorithm", "lars", "lasso_cd", "lasso_lars", "omp", "threshold")
    if algorithm in ("lars", "omp") and f.flag("positive_code"):
        raise f.error("with positive_code=True has no answer from scikit-learn, whose %s takes no such constraint" % algorithm)
    refuse_sparse(f, x, "which it does not take")
    name = "dictionary" if f.name == "SparseCoder" else "components_"
    atoms = f.numbers(name, -1, x.width)
    fields = {"coef": array(atoms, "f8"), "intercept": array(np.zeros(len(atoms)), "f8")}
    x = graph.check(x, missing=False)
    products = graph.floats("linear", x, len(atoms), **fields)
    if algorithm == "omp":
        code = pursued(f, graph, x, as_given(f, name), products)
    elif algorithm == "lars":
        given = as_given(f, name)
        code = grown(f, graph, x, given, products, 0.0, asked_for(f, x, given))
    elif algorithm != "threshold":
        code = improved(f, graph, x, as_given(f, name), products)
    else:
        code = beyond(f, graph, products)
    if f.flag("split_sign"):
        code = split(graph, code)
    return transformed(code)


def as_given(f: Fitted, name: str) -> Any:
    """The atoms in their own type: float32 stays, whole numbers become float64."""
    given = np.asarray(f.get(name))
    return given if given.dtype == FLOAT32 else given.astype(FLOAT64)


def split(graph: Graph, code: Value) -> Value:
    negative = mapped(graph, "negative", combined(graph, "minimum", code, 0.0))
    return graph.concat([combined(graph, "maximum", code, 0.0), negative])
