"""Products with the atoms of a dictionary, of which those below a threshold become 0. The other ways to code a row solve a
problem of their own for it."""

from __future__ import annotations

import numpy as np

from hbscore.errors import shown
from hbscore.export.arithmetic import combined, mapped
from hbscore.export.document import array
from hbscore.export.expand import refuse_sparse, transformed
from hbscore.export.fitted import Fitted
from hbscore.export.graph import Graph, Result, Value
from hbscore.export.registry import exporter


def threshold_of(f: Fitted) -> float:
    """SparseCoder has no alpha of its own."""
    given = f.get("transform_alpha")
    if given is None and hasattr(f.model, "alpha"):
        given = f.get("alpha")
    return 1.0 if given is None else float(f.checked("transform_alpha", np.asarray(given), ()))


@exporter("decomposition", "DictionaryLearning", "MiniBatchDictionaryLearning", "SparseCoder")
def sparse_coding(f: Fitted, graph: Graph, x: Value) -> Result:
    algorithm = f.get("transform_algorithm")
    if algorithm != "threshold":
        why = "solves an optimisation problem of its own for each row: not supported"
        raise f.error("with transform_algorithm=%s %s" % (shown(algorithm), why))
    refuse_sparse(f, x, "which it does not take")
    atoms = f.numbers("dictionary" if f.name == "SparseCoder" else "components_", -1, x.width)
    fields = {"coef": array(atoms, "f8"), "intercept": array(np.zeros(len(atoms)), "f8")}
    products = graph.floats("linear", graph.check(x, missing=False), len(atoms), **fields)
    size = combined(graph, "maximum", combined(graph, "subtract", mapped(graph, "abs", products), threshold_of(f)), 0.0)
    code = combined(graph, "multiply", mapped(graph, "sign", products), size)
    if f.flag("positive_code"):
        code = combined(graph, "maximum", code, 0.0)
    if f.flag("split_sign"):
        negative = mapped(graph, "negative", combined(graph, "minimum", code, 0.0))
        code = graph.concat([combined(graph, "maximum", code, 0.0), negative])
    return transformed(code)
