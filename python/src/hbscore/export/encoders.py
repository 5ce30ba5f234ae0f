"""Encoders of categories, and the imputer of texts.

A column is a text column if the categories that training has seen in it are texts: where no sample
tells the types of the features, this does."""

from __future__ import annotations

import base64
from dataclasses import replace
from typing import Any, Dict, List, Optional, Sequence, Tuple

import numpy as np

from hbscore.errors import shown
from hbscore.export.document import DTYPES, array, texts
from hbscore.export.fitted import Fitted, is_text
from hbscore.export.graph import FLOAT64, Graph, Result, Value
from hbscore.export.registry import exporter


def is_nan(value: Any) -> bool:
    return isinstance(value, (float, np.floating)) and bool(value != value)


def is_missing(value: Any) -> bool:
    """None, NaN, or pandas.NA."""
    return value is None or is_nan(value) or type(value).__name__ == "NAType"


def split_missing(f: Fitted, graph: Graph, x: Value, categories: Any, j: int) -> Tuple[List[Any], bool]:
    """The categories of column j without a missing one, which stands last; and whether there is one. An imputer that
    looks for NaN leaves None as it is, and the other way round: both are NULL, which it would fill in."""
    kept = [v for v in categories if not is_missing(v)]
    missing = len(categories) - len(kept)
    if missing > 1 or any(is_missing(v) for v in categories[: len(kept)]):
        raise f.error("has None and NaN as categories of column %d, which are both NULL" % j)
    if missing and graph.filled(x.number)[j]:
        raise f.error(
            "has a missing category in column %d, behind an imputer: None and NaN are both NULL, unless the training table as"
            " sample has only one of them" % j
        )
    return kept, missing == 1


def as_values(f: Fitted, graph: Graph, x: Value, categories: Sequence[Any], j: int) -> Dict[str, Any]:
    """The document's `values`: texts, or numbers (bool as 0 and 1). Labels of an estimator are their places among all."""
    labels = graph.labels_of(x, j)
    if labels is not None:
        if list(categories) != [label for label in labels if label in set(categories)]:
            raise f.error("has categories of column %d that are not the labels of an estimator, in their order" % j)
        return array([float(list(labels).index(v)) for v in categories], "f8")
    if len(categories) and all(isinstance(v, str) for v in categories):
        if not all(is_text(v) for v in categories):
            raise f.error("has a category of column %d that is no text in UTF-8" % j)
        graph.mark_text(x, j, f)
        return texts([str(v) for v in categories])
    if all(isinstance(v, (bool, int, float, np.bool_, np.integer, np.floating)) for v in categories):
        if not graph.is_text(x, j):
            numbers = np.array(categories, dtype=np.float64)
            whole = [isinstance(v, (int, np.integer)) for v in categories]
            if any(w and int(v) != int(n) for v, n, w in zip(categories, numbers, whole)):
                raise f.error("has a category of column %d that a double does not hold" % j)
            return array(numbers, "f8")
    raise f.error("has categories of column %d that are neither all texts nor all numbers" % j)


def with_stand_ins(column: Dict[str, Any], replaced: Dict[str, str]) -> Dict[str, Any]:
    """A text for which another one stands becomes what that one becomes."""
    if not replaced or column["values"]["dtype"] != "str":
        return column
    known = column["values"]["data"]
    kind = DTYPES[column["map"]["dtype"]]
    numbers = np.frombuffer(base64.b64decode(column["map"]["data"]), dtype=kind)
    becomes = dict(zip(known, numbers))
    made = {text: number for text, number in becomes.items() if text not in replaced}
    made.update({text: becomes[other] for text, other in replaced.items() if other in becomes})
    numbers = np.append(np.array(list(made.values()), dtype=kind), numbers[len(known) :])
    return {**column, "values": texts(list(made)), "map": array(numbers, column["map"]["dtype"])}


def encoded(graph: Graph, op: str, x: Value, types: Sequence[Any], columns: Sequence[Dict[str, Any]]) -> Value:
    """op: onehot or ordinal."""
    found = [with_stand_ins(column, of) for column, of in zip(columns, graph.replaced(x.number))]
    return graph.add(op, [x], types, columns=found)


def categories_of(f: Fitted, x: Value) -> List[Any]:
    categories = f.children("categories_")
    if len(categories) != x.width:
        raise f.error("has categories of %d columns and gets %d" % (len(categories), x.width))
    for j, found in enumerate(categories):
        if np.asarray(found).dtype.kind in "iufb" and (np.diff(np.asarray(found, dtype=np.float64)) < 0).any():
            raise f.error("has categories of column %d that do not rise" % j)
    return [list(c) for c in categories]


def grouped(f: Fitted, j: int, count: int) -> np.ndarray:
    """Which column each category becomes, where infrequent ones share the last one."""
    mappings = getattr(f.model, "_default_to_infrequent_mappings", None)
    if getattr(f.model, "_infrequent_enabled", False) and mappings is not None:
        if mappings[j] is not None:
            return np.asarray(mappings[j], dtype=np.int64)
    return np.arange(count)


def infrequent_column(f: Fitted, j: int, mapping: np.ndarray) -> Optional[int]:
    mappings = getattr(f.model, "_default_to_infrequent_mappings", None)
    if mappings is None or not getattr(f.model, "_infrequent_enabled", False):
        return None
    return int(mapping.max()) if mappings[j] is not None else None


def dropped(f: Fitted, j: int) -> Optional[int]:
    indexes = getattr(f.model, "_drop_idx_after_grouping", getattr(f.model, "drop_idx_", None))
    return None if indexes is None or indexes[j] is None else int(indexes[j])


def onehot_column(f: Fitted, graph: Graph, x: Value, categories: List[Any], j: int) -> Dict[str, Any]:
    rule = f.one_of("handle_unknown", "error", "ignore", "infrequent_if_exist", "warn")
    values, missing = split_missing(f, graph, x, categories, j)
    mapping = grouped(f, j, len(categories))
    width, drop = int(mapping.max()) + 1, dropped(f, j)
    rare = infrequent_column(f, j, mapping)
    if drop is not None:
        rare = None if rare == drop else rare - 1 if rare is not None and rare > drop else rare
        mapping = np.where(mapping == drop, -1, np.where(mapping > drop, mapping - 1, mapping))
        width -= 1
    unknown: Any = "error" if rule == "error" else "zeros"
    if rule in ("infrequent_if_exist", "warn") and rare is not None:
        unknown = rare
    return {
        "values": as_values(f, graph, x, values, j),
        "missing": int(missing),
        "map": array(mapping.astype(np.int32), "i4"),
        "width": width,
        "unknown": unknown,
    }


@exporter("preprocessing", "OneHotEncoder")
def one_hot_encoder(f: Fitted, graph: Graph, x: Value) -> Result:
    columns = [onehot_column(f, graph, x, c, j) for j, c in enumerate(categories_of(f, x))]
    width = sum(c["width"] for c in columns)
    if width == 0:
        raise f.error("makes no column")
    if output_type(f) == np.float16:
        raise f.error("with dtype=float16 is not supported: scipy has no matrix of that type, so that transform fails")
    made = encoded(graph, "onehot", x, [output_type(f)] * width, columns)
    return Result("transformer", replace(made, sparse=f.flag("sparse_output")))


def output_type(f: Fitted) -> Any:
    """The steps behind may round in float32, or compute with integers."""
    plain = np.dtype(f.get("dtype"))
    return plain if plain.kind in "iub" or (plain.kind == "f" and plain.itemsize <= 8) else FLOAT64


def in_type(numbers: Any, kind: Any) -> np.ndarray:
    """Codes as the encoder's own type holds them, which may be too small for many."""
    with np.errstate(all="ignore"):
        return np.asarray(numbers).astype(kind).astype(np.float64)


def checked_in_type(f: Fitted, name: str, kind: Any) -> np.ndarray:
    """An option that stands among the codes: numpy versions differ in what becomes of one that their type does not hold."""
    number = np.asarray(f.get(name), dtype=np.float64)
    if in_type(number, kind) != number and number == number:
        raise f.error("with %s=%s is not supported: %s does not hold it" % (name, shown(f.get(name)), kind))
    return number


def ordinal_map(f: Fitted, categories: List[Any], missing: bool, j: int) -> np.ndarray:
    """The code of each category. None is one like the others, NaN has a code of its own and is in no
    group: since 1.3 the groups are those of the categories before it."""
    is_nan = missing and categories[-1] is not None
    kind = output_type(f)
    mapping = in_type(grouped(f, j, len(categories)), kind)
    if not is_nan:
        return mapping
    return np.append(mapping[: len(categories) - 1], checked_in_type(f, "encoded_missing_value", kind))


def ordinal_column(f: Fitted, graph: Graph, x: Value, categories: List[Any], j: int) -> Dict[str, Any]:
    rule = f.one_of("handle_unknown", "error", "use_encoded_value")
    values, missing = split_missing(f, graph, x, categories, j)
    unknown: Any = "error"
    if rule == "use_encoded_value":
        unknown = array(checked_in_type(f, "unknown_value", output_type(f)), "f8")
    return {
        "values": as_values(f, graph, x, values, j),
        "missing": int(missing),
        "map": array(ordinal_map(f, categories, missing, j), "f8"),
        "unknown": unknown,
    }


@exporter("preprocessing", "OrdinalEncoder")
def ordinal_encoder(f: Fitted, graph: Graph, x: Value) -> Result:
    columns = [ordinal_column(f, graph, x, c, j) for j, c in enumerate(categories_of(f, x))]
    made = encoded(graph, "ordinal", x, [output_type(f)] * x.width, columns)
    return Result("transformer", made)


def impute_texts(f: Fitted, graph: Graph, x: Value, fill: Sequence[str]) -> Result:
    """SimpleImputer of columns of texts; None and NaN are both NULL. Of a text that is the mark of missing ones only what
    comes next says what becomes of it."""
    mark = f.get("missing_values")
    for j in range(x.width):
        graph.mark_text(x, j, f)
    if isinstance(mark, str):
        return Result("transformer", graph.with_stand_ins(x, text_of(f, mark), fill))
    if not is_missing(mark):
        raise f.error("of texts with missing_values=%s is not supported" % shown(mark))
    if any(text in of for text, of in zip(fill, graph.replaced(x.number))):
        raise f.error("fills in a text that an imputer before it replaces: not supported")
    filled = [j for j in range(x.width) if not graph.stays_missing(x, j, mark)]
    if not filled:
        return Result("transformer", x)
    part = graph.select(x, filled)
    made = graph.add("impute", [part], part.types, missing="nan", fill=texts([str(fill[j]) for j in filled]))
    made = graph.with_sources(made, part.sources)
    if len(filled) == x.width:
        return Result("transformer", made)
    others = [j for j in range(x.width) if j not in filled]
    both = graph.concat([made, graph.select(x, others)], keep_types=True)
    return Result("transformer", graph.select(both, np.argsort(filled + others).tolist()))


def text_of(f: Fitted, mark: str) -> str:
    if not is_text(mark):
        raise f.error("with missing_values=%s is not supported: it is no text in UTF-8" % shown(mark))
    return str(mark)


def text_marks(f: Fitted, graph: Graph, x: Value, cols: Sequence[int]) -> Value:
    """1 where a column of `cols` is the text that marks missing ones; a number is not. Where no sample tells which
    columns are texts, all are."""
    if not graph.has_text(x):
        for j in range(x.width):
            graph.mark_text(x, j, f)
    part = graph.select(x, cols)
    mark = texts([text_of(f, f.get("missing_values"))])
    rest = {"missing": 0, "map": array([0], "i4"), "width": 1, "unknown": "zeros"}
    column = {"values": mark, **rest}
    number = {"values": array([], "f8"), **rest, "map": array([], "i4")}
    columns = [column if graph.is_text(part, j) else number for j in range(part.width)]
    return encoded(graph, "onehot", part, [np.dtype(bool)] * part.width, columns)
