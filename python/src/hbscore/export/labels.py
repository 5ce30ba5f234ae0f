"""Encoders of a target, which is one column: models of one feature."""

from __future__ import annotations

from typing import Any, Dict, List, Tuple

import numpy as np

from hbscore.export.arithmetic import chosen, combined, mapped, reduced
from hbscore.export.document import array
from hbscore.export.encoders import as_values, split_missing
from hbscore.export.fitted import Fitted
from hbscore.export.graph import FLOAT64, Graph, Result, Value
from hbscore.export.registry import exporter

REFUSED = 2  # `missing`: a row without a value has no result


def classes_of(f: Fitted, graph: Graph, x: Value) -> Tuple[List[Any], Dict[str, Any], bool]:
    """The classes but a missing one, the document's `values`, and whether there is a missing one."""
    if x.width != 1:
        raise f.error("takes one column and gets %d" % x.width)
    labels = f.get("classes_")
    if not isinstance(labels, np.ndarray) or labels.ndim != 1 or len(labels) == 0:
        raise f.error("has no classes_")
    kept, missing = split_missing(f, graph, x, labels.tolist(), 0)
    return kept, as_values(f, graph, x, kept, 0), missing


@exporter("preprocessing", "LabelEncoder")
def label_encoder(f: Fitted, graph: Graph, x: Value) -> Result:
    kept, values, missing = classes_of(f, graph, x)
    column = {
        "values": values,
        "missing": 1 if missing else 0,
        "map": array(np.arange(len(kept) + missing, dtype=np.float64), "f8"),
        "unknown": "error",
    }
    return Result("transformer", graph.add("ordinal", [x], [FLOAT64], columns=[column]))


@exporter("preprocessing", "LabelBinarizer")
def label_binarizer(f: Fitted, graph: Graph, x: Value) -> Result:
    """Two classes are one column, which is 1 in the second; one class is a column of zeros. Unknown labels are
    in none."""
    if f.get("y_type_") == "multilabel-indicator":
        return several_labels(f, graph, x)
    kept, values, missing = classes_of(f, graph, x)
    if missing:
        raise f.error("has a class that is missing")
    places = np.arange(len(kept)) if len(kept) > 2 else np.array([-1, 0])[: len(kept)]
    width = max(int(places.max()) + 1, 1)
    column = {
        "values": values,
        "missing": REFUSED,
        "map": array(places, "i4"),
        "width": width,
        "unknown": "zeros",
    }
    made = graph.add("onehot", [x], [FLOAT64] * width, columns=[column])
    low, high = f.number("neg_label"), f.number("pos_label")
    if (low, high) == (0.0, 1.0):
        return Result("transformer", made)
    steps = np.full(width, high - low), np.full(width, low)
    return Result("transformer", graph.affine(made, "mul_add", *steps))


def several_labels(f: Fitted, graph: Graph, x: Value) -> Result:
    """A row has whole numbers, of which no three differ: others are no labels to scikit-learn."""
    if x.width != len(f.get("classes_")):
        raise f.error("of %d labels a row gets %d columns" % (len(f.get("classes_")), x.width))
    x = graph.check(x, missing=False)
    least, most = (combined(graph, "eq", x, reduced(graph, name, x)) for name in ("min", "max"))
    is_whole = combined(graph, "eq", x, mapped(graph, "trunc", x))
    is_label = combined(graph, "and", combined(graph, "or", least, most), is_whole)
    low, high = f.number("neg_label"), f.number("pos_label")
    one = -low if high == 0.0 else high
    made = x if one == 1.0 else chosen(graph, x, one, 0.0)
    made = chosen(graph, made, made, low)
    if high == 0.0:
        made = chosen(graph, combined(graph, "eq", made, one), 0.0, made)
    guarded = graph.guard(chosen(graph, reduced(graph, "min", is_label), made, np.nan), missing=False)
    return Result("transformer", graph.check(guarded, missing=False))
