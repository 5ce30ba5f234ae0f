"""The operators of own_format_reference.py that make columns of categories, texts or several columns,
just as plainly. A value with texts in it is an array of objects: str, and float for all else."""

from __future__ import annotations

import base64
from typing import Any, Callable, Dict, List, Set, Tuple

import numpy as np

Array = Dict[str, Any]
Op = Dict[str, Any]

DTYPES = {"f8": "<f8", "f4": "<f4", "i4": "<i4", "i8": "<i8", "u1": "|u1", "u2": "<u2", "b1": "|b1"}
FIELDS = {
    "indicator": "missing cols known",
    "binarize": "threshold",
    "normalize": "norm dtype",
    "bins": "ends edges",
    "poly": "dtype of column",
    "onehot": "columns",
    "ordinal": "columns",
}


def decode(array: Array) -> np.ndarray:
    assert list(array) == ["dtype", "shape", "data"]
    if array["dtype"] == "str":
        assert array["shape"] == [len(array["data"])]
        return np.array(array["data"], dtype=object)
    data = base64.b64decode(array["data"], validate=True)
    if array["dtype"] == "bit":
        (n,) = array["shape"]
        flags = np.unpackbits(np.frombuffer(data, dtype=np.uint8), bitorder="little")
        assert len(data) == (n + 7) // 8 and not flags[n:].any()
        return flags[:n]
    return np.frombuffer(data, dtype=DTYPES[array["dtype"]]).reshape(array["shape"])


def encode(numbers: np.ndarray, dtype: str) -> Array:
    data = base64.b64encode(numbers.astype(DTYPES[dtype]).tobytes()).decode("ascii")
    return {"dtype": dtype, "shape": list(numbers.shape), "data": data}


# Texts ----------------------------------------------------------------------------------------


def cell(value: Any, text: bool) -> Any:
    """A missing value is NaN; a whole number stands for its text in a column of texts."""
    if value is None or value != value:
        return np.nan
    if text:
        assert isinstance(value, (str, int)), value
        return str(value)
    return float(value)


def table(document: Dict[str, Any], rows: Any) -> np.ndarray:
    texts = [f["type"] == "str" for f in document["features"]]
    if not any(texts):
        return np.asarray(rows, dtype=np.float64)
    out = np.empty((len(rows), len(texts)), dtype=object)
    for i, row in enumerate(rows):
        out[i] = [cell(v, t) for v, t in zip(row, texts)]
    return out


def as_numbers(x: np.ndarray) -> np.ndarray:
    if x.dtype != object or any(isinstance(v, str) for v in x.flat):
        return x
    return x.astype(np.float64)


def is_missing(op: Op, x: np.ndarray) -> np.ndarray:
    return x != x if op["missing"] == "nan" else x == decode(op["missing"])[0]


def infinite(x: np.ndarray) -> np.ndarray:
    return (x == np.inf) | (x == -np.inf)


# Encoders -------------------------------------------------------------------------------------


def places(column: Dict[str, Any], x: np.ndarray) -> List[int]:
    """Where each value stands in `map`; -1: nowhere."""
    known = {v: i for i, v in enumerate(decode(column["values"]).tolist())}
    assert len(known) == len(decode(column["values"]))
    behind = len(known) if column["missing"] == 1 else -1
    return [behind if v != v else known.get(v, -1) for v in x.tolist()]


def onehot(op: Op, x: np.ndarray) -> np.ndarray:
    parts = []
    for j, column in enumerate(op["columns"]):
        assert list(column) == ["values", "missing", "map", "width", "unknown"]
        out, targets = np.zeros((len(x), column["width"])), decode(column["map"])
        unknown = column["unknown"] if isinstance(column["unknown"], int) else -1
        for i, place in enumerate(places(column, x[:, j])):
            target = targets[place] if place >= 0 else unknown
            if target >= 0:
                out[i, target] = 1.0
        parts.append(out)
    return np.hstack(parts)


def ordinal(op: Op, x: np.ndarray) -> np.ndarray:
    out = np.zeros(x.shape)
    for j, column in enumerate(op["columns"]):
        assert list(column) == ["values", "missing", "map", "unknown"]
        unknown = 0.0 if column["unknown"] == "error" else decode(column["unknown"])[()]
        targets = decode(column["map"])
        out[:, j] = [targets[p] if p >= 0 else unknown for p in places(column, x[:, j])]
    return out


def unknown_cells(op: Op, x: np.ndarray) -> np.ndarray:
    """[rows, columns]: what an encoder refuses because training has not seen it."""
    out = np.zeros(x.shape, dtype=bool)
    for j, column in enumerate(op["columns"]):
        if column["unknown"] == "error":
            out[:, j] = np.array(places(column, x[:, j])) < 0
    return out


# New columns of numbers -----------------------------------------------------------------------


def indicator(op: Op, x: np.ndarray) -> np.ndarray:
    return is_missing(op, x)[:, op["cols"]].astype(np.float64)


def binarize(op: Op, x: np.ndarray) -> np.ndarray:
    return (x > decode(op["threshold"])[0]).astype(np.float64)


def normalize(op: Op, x: np.ndarray) -> np.ndarray:
    """numpy's own sums, of each row by itself."""
    kind = np.dtype(op["dtype"])
    out = np.empty(x.shape)
    for i, row in enumerate(x.astype(kind)):
        one = row[np.newaxis]
        if op["norm"] == "l2":
            norm = np.sqrt(np.einsum("ij,ij->i", one, one))[0]
        else:
            norm = {"l1": np.sum, "max": np.max}[op["norm"]](np.abs(one), axis=1)[0]
        out[i] = row / (kind.type(1) if norm < 10 * np.finfo(kind).eps else norm)
    return out


def bins(op: Op, x: np.ndarray) -> np.ndarray:
    parts = np.split(decode(op["edges"]), decode(op["ends"])[:-1])
    return np.array([[(e <= v).sum() for e, v in zip(parts, row)] for row in x], dtype=np.float64)


def poly(op: Op, x: np.ndarray) -> np.ndarray:
    x = x.astype(op["dtype"])
    out: List[np.ndarray] = []
    for of, column in zip(decode(op["of"]), decode(op["column"])):
        one = np.ones(len(x), dtype=x.dtype)
        out.append(one if of == -2 else x[:, column] if of == -1 else out[of] * x[:, column])
    return np.stack(out, axis=1).astype(np.float64)


OPERATORS: Dict[str, Callable[..., np.ndarray]] = {
    "indicator": indicator,
    "binarize": binarize,
    "normalize": normalize,
    "bins": bins,
    "poly": poly,
    "onehot": onehot,
    "ordinal": ordinal,
}


# What is refused ------------------------------------------------------------------------------


def refused(op: Op, x: np.ndarray) -> np.ndarray:
    """Rows whose result is NULL."""
    missing = x != x
    if op["op"] in ("onehot", "ordinal"):
        never = np.array([column["missing"] == 2 for column in op["columns"]])
        missing &= unknown_cells(op, x) | never
    elif op["op"] == "indicator" and op["missing"] == "nan":
        missing = missing[:, op["known"]]
    return infinite(x).any(axis=1) | missing.any(axis=1)


def needs(op: Op, width: int, needed: Set[int]) -> Set[int]:
    """The columns of the input on which the needed ones of an operator's value depend."""
    if op["op"] == "onehot":
        ends = np.cumsum([column["width"] for column in op["columns"]])
        return {int(np.searchsorted(ends, j, side="right")) for j in needed}
    if op["op"] == "normalize":
        return set(range(width))
    if op["op"] == "indicator":  # that a known one is not missing is a part of the answer
        return {op["cols"][j] for j in needed} | set(op["known"])
    if op["op"] != "poly":
        return set(needed)
    of, column = decode(op["of"]), decode(op["column"])
    products, found = set(needed), set()
    for i in range(len(of) - 1, -1, -1):
        if i in products and of[i] != -2:
            found.add(int(column[i]))
            products |= {int(of[i])}
    return found


def read_by(ops: List[Op], output: int) -> List[bool]:
    """For each value whether the output, a value, is made of it: an estimator there checks all that it gets,
    if only of features on which the output depends."""
    read = [k == output for k in range(len(ops) + 1)]
    for k in range(output, 0, -1):
        for i in ops[k - 1]["in"] if read[k] else []:
            read[i] = True
    return read


def with_errors(
    answers: Any, read: List[bool], live: List[np.ndarray], null: np.ndarray
) -> Tuple[np.ndarray, np.ndarray]:
    """`live`: of each value which columns are made of features on which the output depends.
    Rows that are NULL, and those that are an error: of a category that is not known, as hbscore finds
    it. Texts are looked up before anything is computed, numbers only in rows that have a result."""
    text = np.zeros(len(null), dtype=bool)
    number = text.copy()
    for k, op in enumerate(answers.document["ops"], 1):
        if op["op"] not in ("onehot", "ordinal") or not read[k]:
            continue
        x = answers.values[op["in"][0]]
        new = unknown_cells(op, x) & (x == x) & live[op["in"][0]]
        texts = np.array([[isinstance(v, str) for v in row] for row in x.tolist()])
        text |= (new & texts.reshape(x.shape)).any(axis=1)
        number |= (new & ~texts.reshape(x.shape)).any(axis=1)
    null = null & ~text
    return null, text | (number & ~null)
