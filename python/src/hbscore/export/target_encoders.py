"""Encoders of categories by what training saw of the target with them."""

from __future__ import annotations

from typing import Any, Dict, List

import numpy as np

from hbscore.export.document import array
from hbscore.export.encoders import as_values, categories_of, encoded, split_missing
from hbscore.export.fitted import Fitted
from hbscore.export.graph import FLOAT64, Graph, Result, Value
from hbscore.export.registry import exporter


def encoded_column(
    f: Fitted, graph: Graph, x: Value, categories: List[Any], j: int, means: np.ndarray, other: float
) -> Dict[str, Any]:
    """Each category of column j becomes its mean, and all else `other`."""
    values, missing = split_missing(f, graph, x, categories, j)
    return {
        "values": as_values(f, graph, x, values, j),
        "missing": int(missing),
        "map": array(means, "f8"),
        "unknown": array(np.float64(other), "f8"),
    }


@exporter("preprocessing", "TargetEncoder")
def target_encoder(f: Fitted, graph: Graph, x: Value) -> Result:
    """Three and more classes have a mean each, side by side. transform() has the means of all rows;
    those of fit_transform() are of parts of them."""
    kind = f.one_of("target_type_", "continuous", "binary", "multiclass")
    categories = categories_of(f, x)
    count = len(f.get("classes_")) if kind == "multiclass" else 1
    encodings = f.children("encodings_")
    others = f.checked("target_mean_", np.atleast_1d(f.get("target_mean_")), [count])
    if len(encodings) != x.width * count:
        raise f.error("has encodings_ of %d columns, expected %d" % (len(encodings), x.width * count))
    x = graph.select(x, np.repeat(np.arange(x.width), count).tolist())
    columns = []
    for i, encoding in enumerate(encodings):
        seen = categories[i // count]
        means = f.checked("encodings_", encoding, [len(seen)])
        columns.append(encoded_column(f, graph, x, seen, i, means, others[i % count]))
    return Result("transformer", encoded(graph, "ordinal", x, [FLOAT64] * x.width, columns))
