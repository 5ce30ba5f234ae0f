"""Cells and records of a .golden file: the text form of SQL values and of the library's answers.

Every number is written as its bits, so that no decimal conversion stands between the library and
the test that reads the file. README.md describes the format."""

from __future__ import annotations

import struct
from typing import List, Optional, Sequence, Union

import numpy as np

#: One SQL value. np.float32 and float are kept apart: they are written as `s` and `d` cells.
Value = Union[None, bool, int, float, np.float32, str]

PLAIN = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-")


def percent(text: str) -> str:
    return "".join(chr(b) if b in PLAIN else "%%%02X" % b for b in text.encode("utf-8"))


def unpercent(text: str) -> str:
    out = bytearray()
    at = 0
    while at < len(text):
        if text[at] == "%":
            out.append(int(text[at + 1 : at + 3], 16))
            at += 3
        else:
            out.append(ord(text[at]))
            at += 1
    return out.decode("utf-8")


def encode(value: Value) -> str:
    if value is None:
        return "-"
    if isinstance(value, (bool, np.bool_)):
        return "b1" if value else "b0"
    if isinstance(value, np.float32):
        return "s" + struct.pack(">f", value).hex()
    if isinstance(value, (int, np.integer)):
        return "i%d" % int(value)
    if isinstance(value, (float, np.float64)):
        return "d" + struct.pack(">d", value).hex()
    return "t" + percent(str(value))


def decode(cell: str) -> Value:
    kind, rest = cell[0], cell[1:]
    if kind == "-":
        return None
    if kind == "b":
        return rest == "1"
    if kind == "i":
        return int(rest)
    if kind == "s":
        return np.float32(struct.unpack(">f", bytes.fromhex(rest))[0])
    if kind == "d":
        return struct.unpack(">d", bytes.fromhex(rest))[0]
    return unpercent(rest)


def to_float32(value: Value) -> np.float32:
    """What the library makes of a number in a column of that type: one rounding to float32."""
    if value is None:
        return np.float32("nan")
    if isinstance(value, (bool, np.bool_)):
        return np.float32(value)
    if isinstance(value, (int, np.integer)):
        return np.array([value], dtype=np.int64).astype(np.float32)[0]
    with np.errstate(all="ignore"):
        return np.array([value], dtype=np.float64).astype(np.float32)[0]


def encode_results(values: Sequence[np.ndarray]) -> str:
    """One group of outputs: float32 numbers as bits, labels as plain integers."""
    out: List[str] = []
    for v in np.asarray(values).reshape(-1):
        if isinstance(v, (np.integer, int)):
            out.append("%d" % int(v))
        elif isinstance(v, np.float32):
            out.append("s" + struct.pack(">f", v).hex())
        else:
            out.append("d" + struct.pack(">d", float(v)).hex())
    return " ".join(out)


def is_number(cell: str) -> Optional[bool]:
    """None for NULL, else whether the cell is a number."""
    return None if cell == "-" else cell[0] in "dsib"
