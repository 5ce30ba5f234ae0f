"""Cells and records of a .golden file: the text form of SQL values and of the library's answers.

Every number is written as its bits, so that no decimal conversion stands between the library and
the test that reads the file. README.md describes the format."""

from __future__ import annotations

import json
import struct
from typing import Any, Dict, List, Optional, Sequence, Tuple, Union

import numpy as np

#: One SQL value. np.float32 and float are kept apart: they are written as `s` and `d` or `D` cells.
Value = Union[None, bool, int, float, np.float32, str]

#: One kind of answer: its name, width, rule of comparison, and the numbers of all rows.
Output = Tuple[str, int, str, np.ndarray]

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


def bits(kind: str, number: float) -> str:
    """The bits of a number: a kind and hex digits, zeros at the end left off."""
    data = struct.pack(">d" if kind == "d" else ">f", number)
    return kind + (data.hex().rstrip("0") or "0")


def is_float32(number: float) -> bool:
    with np.errstate(all="ignore"):
        return float(np.float32(number)) == number


def encode(value: Value) -> str:
    if value is None:
        return "-"
    if isinstance(value, (bool, np.bool_)):
        return "b1" if value else "b0"
    if isinstance(value, np.float32):
        return bits("s", value)
    if isinstance(value, (int, np.integer)):
        return "i%d" % int(value)
    if isinstance(value, (float, np.float64)):
        return bits("D" if is_float32(value) else "d", value)
    return "t" + percent(str(value))


def decode(cell: str) -> Value:
    kind, rest = cell[0], cell[1:]
    if kind == "-":
        return None
    if kind == "b":
        return rest == "1"
    if kind == "i":
        return int(rest)
    if kind == "d":
        return struct.unpack(">d", bytes.fromhex(rest.ljust(16, "0")))[0]
    if kind in "sD":
        number = struct.unpack(">f", bytes.fromhex(rest.ljust(8, "0")))[0]
        return np.float32(number) if kind == "s" else number
    return unpercent(rest)


def encode_row(row: Sequence[Value]) -> str:
    """The cells of a row. NULLs in a row are one cell with their number: `-3`."""
    cells: List[str] = []
    nulls = 0
    for value in list(row) + [False]:
        if value is None:
            nulls += 1
            continue
        if nulls:
            cells.append("-" if nulls == 1 else "-%d" % nulls)
        nulls = 0
        cells.append(encode(value))
    return " ".join(cells[:-1])


def decode_row(text: str) -> List[Value]:
    row: List[Value] = []
    for cell in text.split(" "):
        row += [None] * int(cell[1:] or 1) if cell[0] == "-" else [decode(cell)]
    return row


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
        else:
            out.append(bits("s" if isinstance(v, np.float32) else "d", float(v)))
    return " ".join(out)


def write_golden(
    library: str,
    version: str,
    spec: Dict[str, Any],
    covers: Sequence[str],
    results: Sequence[Output],
    fate: Sequence[Optional[str]],
) -> str:
    """The text of a .golden file. A row with a fate (`error`, `null`) has no numbers."""
    lines = [
        "golden 1",
        "library %s %s" % (library, version),
        "trained %s %s" % (library, spec["trained"]),
        "model " + spec["model"],
    ]
    if spec["options"]:
        lines.append(
            "options " + json.dumps(spec["options"], ensure_ascii=False, separators=(",", ":"))
        )
    lines.append("covers " + " ".join(dict.fromkeys(covers)))
    for c in spec["columns"]:
        lines.append(
            "feature %s %s" % (percent(c["name"]), "text" if c["kind"] == "text" else "number")
        )
    for kind, width, rule, _ in results:
        lines.append("output label" if kind == "label" else "output %s %d %s" % (kind, width, rule))
    lines.append("rows %d" % len(spec["rows"]))
    for i, cells in enumerate(spec["rows"]):
        groups = [fate[i] or encode_results(values[i]) for _, _, _, values in results]
        if not fate[i]:
            groups[1:] = ["=" if g == groups[0] else g for g in groups[1:]]
        lines.append("row %s | %s" % (cells, " | ".join(groups)))
    return "\n".join(lines) + "\n"
