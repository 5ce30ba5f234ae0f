"""The operators of own_format_reference.py that read texts: Python's own `re` and `str`, as scikit-learn uses them. The
tables of Unicode are those of the Python that runs this, which must be the document's."""

from __future__ import annotations

import json
import re
import unicodedata
from typing import Any, Callable, Dict, List

import numpy as np

from own_format_columns import decode

Op = Dict[str, Any]

FIELDS = {
    "text_counts": "marks fills unicode lowercase accents analyzer pattern stop_words least most binary dtype vocabulary",
    "text_hashes": "marks fills unicode lowercase accents analyzer pattern stop_words least most binary dtype columns alternate",
    "json_features": "dtype separator vocabulary",
    "json_hashes": "dtype input columns alternate",
    "tf_idf": "dtype sublinear idf norm",
}
OPTIONAL = {"marks", "fills", "pattern", "stop_words", "idf"}

#: Of which the member `dtype` may be missing.
TYPED = {"json_features", "json_hashes", "linear", "text_counts", "text_hashes", "tf_idf"}


def typed(op: Op, numbers: Any) -> Any:
    """In float32, where each step is rounded, or as they are."""
    return np.asarray(numbers, dtype=np.dtype(op.get("dtype", "f8")))


def number_of(op: Op, value: Any) -> Any:
    """NaN: numpy has no whole number for it."""
    kind = np.dtype(op.get("dtype", "f8"))
    if kind.kind in "iu":
        cut = np.trunc(np.float64(value))
        return cut if float(np.iinfo(kind).min) <= cut < np.iinfo(kind).max + 1.0 else np.nan
    return typed(op, np.float64(value))


def sums_wrapped(op: Op, out: np.ndarray) -> np.ndarray:
    """Sums of small integers wrap round. NaN stays."""
    if op.get("dtype") in ("i1", "u1", "i2", "u2", "i4", "u4"):
        known = np.isfinite(out)
        out[known] = out[known].astype(np.int64).astype(op["dtype"])
    return out


def sums(op: Op, x: np.ndarray) -> np.ndarray:
    """Sums in float32, as scipy adds: the numbers that are not 0 in their order."""
    weights, out = typed(op, decode(op["coef"])), np.zeros((len(x), len(decode(op["intercept"]))))
    for row, given in zip(out, typed(op, x)):
        total = np.zeros(len(row), dtype=np.float32)
        for j in np.flatnonzero(given):
            total += given[j] * weights[:, j]
        row[:] = total + typed(op, decode(op["intercept"]))
    return out


def without_accents(op: Op, text: str) -> str:
    if op["accents"] == "keep":
        return text
    apart = unicodedata.normalize("NFKD", text)
    if op["accents"] == "ascii":
        return apart.encode("ascii", "ignore").decode("ascii")
    return "".join(c for c in apart if not unicodedata.combining(c))


def sequences(parts: Any, least: int, most: int, between: str) -> List[str]:
    return [
        between.join(parts[i : i + n])
        for n in range(least, most + 1)
        for i in range(len(parts) - n + 1)
    ]


def terms(op: Op, text: str) -> List[str]:
    assert op["unicode"] + ".0" == unicodedata.unidata_version and ("marks" in op) == ("fills" in op)
    if "marks" in op:
        assert len(set(decode(op["marks"]))) == len(decode(op["fills"]))
        text = dict(zip(decode(op["marks"]), decode(op["fills"]))).get(text, text)
    text = without_accents(op, text.lower() if op["lowercase"] else text)
    least, most = op["least"], op["most"]
    if op["analyzer"] == "word":
        stops = set(decode(op["stop_words"]))
        words = [w for w in re.findall(op["pattern"], text) if w not in stops]
        return sequences(words, least, most, " ")
    if op["analyzer"] == "char":
        return sequences(re.sub(r"\s\s+", " ", text), least, most, "")
    found = []
    for word in text.split():
        word = " %s " % word
        found += sequences(word, least, most, "") if len(word) >= least else [word]
    return found


def wrapped(op: Op, out: np.ndarray) -> np.ndarray:
    """As numpy's integers hold the counts."""
    assert op.get("dtype") in (None, "i1", "u1", "i2", "u2")
    return out.astype(np.int64).astype(op["dtype"]).astype(np.float64) if "dtype" in op else out


def text_counts(op: Op, x: np.ndarray) -> np.ndarray:
    places = {term: j for j, term in enumerate(decode(op["vocabulary"]))}
    assert len(places) == len(decode(op["vocabulary"])) and x.shape[1] == 1
    out = np.zeros((len(x), len(places)))
    for row, text in zip(out, x[:, 0]):
        for term in terms(op, text) if isinstance(text, str) else ():
            if term in places:
                row[places[term]] += 1
    return (out > 0).astype(np.float64) if op["binary"] else wrapped(op, out)


def murmur(data: bytes) -> int:
    """MurmurHash3 of 32 bits, as a signed number."""

    def turned(x: int, bits: int) -> int:
        return (x << bits | x >> (32 - bits)) & 0xFFFFFFFF

    def mixed(part: bytes) -> int:
        return turned(int.from_bytes(part, "little") * 0xCC9E2D51 & 0xFFFFFFFF, 15) * 0x1B873593 & 0xFFFFFFFF

    h, whole = 0, len(data) // 4 * 4
    for i in range(0, whole, 4):
        h = (turned(h ^ mixed(data[i : i + 4]), 13) * 5 + 0xE6546B64) & 0xFFFFFFFF
    h ^= mixed(data[whole:]) if whole < len(data) else 0
    h ^= len(data)
    h = (h ^ h >> 16) * 0x85EBCA6B & 0xFFFFFFFF
    h = (h ^ h >> 13) * 0xC2B2AE35 & 0xFFFFFFFF
    h ^= h >> 16
    return h - (1 << 32) if h >> 31 else h


def text_hashes(op: Op, x: np.ndarray) -> np.ndarray:
    out = np.zeros((len(x), op["columns"]))
    for row, text in zip(out, x[:, 0]):
        for term in terms(op, text) if isinstance(text, str) else ():
            h = murmur(term.encode())
            if op["binary"]:
                row[abs(h) % op["columns"]] = 1
            else:
                row[abs(h) % op["columns"]] += -1 if h < 0 and op["alternate"] else 1
    return wrapped(op, out)


def json_features(op: Op, x: np.ndarray) -> np.ndarray:
    """As DictVectorizer counts what json.loads gives."""
    places = {name: i for i, name in enumerate(decode(op["vocabulary"]))}
    out = np.zeros((len(x), len(places)), dtype=np.float32 if op.get("dtype") == "f4" else np.float64)
    for row, text in zip(out, x[:, 0]):
        for name, value in json.loads(text).items() if isinstance(text, str) else ():
            single = [value] if isinstance(value, str) else value
            for part in single if isinstance(single, list) else ():
                term = name + op["separator"] + part
                if term in places:
                    row[places[term]] += 1
            if not isinstance(single, list) and name in places:
                row[places[name]] += number_of(op, value)
    return sums_wrapped(op, out)


def json_hashes(op: Op, x: np.ndarray) -> np.ndarray:
    """As FeatureHasher does."""
    out = np.zeros((len(x), op["columns"]), dtype=np.float32 if op.get("dtype") == "f4" else np.float64)
    for row, text in zip(out, x[:, 0]):
        found = json.loads(text) if isinstance(text, str) else []
        pairs = found.items() if isinstance(found, dict) else found
        for name, value in ((f, 1) for f in pairs) if op["input"] == "string" else pairs:
            if isinstance(value, str):
                name, value = name + "=" + value, 1
            value = number_of(op, value)
            if value:
                h = murmur(name.encode())
                row[abs(h) % op["columns"]] += number_of(op, -value) if h < 0 and op["alternate"] else value
    return sums_wrapped(op, out)


def added(numbers: np.ndarray) -> Any:
    """One after the other, rounded each time. Python's sum() is more exact since 3.12."""
    return np.cumsum(numbers, dtype=np.float64)[-1] if len(numbers) else 0.0


def tf_idf(op: Op, x: np.ndarray) -> np.ndarray:
    """What is 0 is not there: sums are of the others, in their order."""
    out = np.zeros(x.shape)
    for row, given in zip(out, x):
        (there,) = np.nonzero(given)
        numbers = typed(op, given[there])
        numbers = typed(op, np.log(numbers.astype(np.float64))) + 1 if op["sublinear"] else numbers
        numbers = typed(op, numbers * decode(op["idf"])[there]) if "idf" in op else numbers
        size = {
            "none": lambda v: 1.0,
            "l1": lambda v: added(np.abs(v)),
            "l2": lambda v: np.sqrt(added(v * v)),
            "max": lambda v: max(np.abs(v), default=0.0),
        }[op["norm"]](numbers)
        row[there] = typed(op, numbers.astype(np.float64) / (size or 1.0))
    return out


OPERATORS: Dict[str, Callable[..., np.ndarray]] = {"text_counts": text_counts, "text_hashes": text_hashes, "tf_idf": tf_idf, "json_features": json_features, "json_hashes": json_hashes}


def refused(x: np.ndarray) -> np.ndarray:
    """Rows without a text."""
    return np.array([not isinstance(text, str) for text in x[:, 0]])
