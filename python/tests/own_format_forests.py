"""The operators of own_format_reference.py that are trees, or make one answer of those of many trees,
just as plainly."""

from __future__ import annotations

import json
from typing import Any, Callable, Dict, List, Optional

import numpy as np

from own_format_columns import decode, encode

Op = Dict[str, Any]

OPTIONAL = {"set_node", "set_start", "set_bits", "leaf"}
SETS = "set_node set_start set_bits"
SUMS = "group init divide missing"
#: The members of a forest in columns, which the Python package does not write.
COLUMN_FIELDS = f"input start left right feature threshold {SETS} missing_left cover value {SUMS}"
FIELDS = {
    "forest": f"input node threshold {SETS} missing_left cover leaf value {SUMS}",
    "isolation": "offset border",
    "weighted_median": "weights",
}


def code(v: float) -> float:
    """As C cuts a double to a byte, on x86-64."""
    if not v >= 0.0:
        return float("nan")
    return float(int(v) % 256) if v < 2.0**31 else 0.0


def codes(x: np.ndarray) -> np.ndarray:
    return np.array([[code(v) for v in row] for row in x]).reshape(x.shape)


def members(op: Op) -> Dict[int, set]:
    """The categories of each node's set, by the number of the node among all."""
    if "set_node" not in op:
        return {}
    nodes, start = decode(op["set_node"]).tolist(), decode(op["set_start"]).tolist()
    words = decode(op["set_bits"]).view(np.uint32).tolist()
    assert start[0] == 0 and start[-1] == len(words) and nodes == sorted(set(nodes))
    return {
        node: {32 * i + b for i, w in enumerate(words[a:e]) for b in range(32) if w >> b & 1}
        for node, a, e in zip(nodes, start, start[1:])
    }


def goes_left(a: Dict[str, np.ndarray], node: int, sets: Dict[int, set], v: float) -> bool:
    missing_left = bool(a["missing_left"][node])
    if node in sets:
        return (v > -1.0 and v < 2.0**31 and int(v) in sets[node]) != missing_left
    return missing_left if np.isnan(v) else bool(v <= a["threshold"][node])


def leaf_of(a: Dict[str, np.ndarray], first: int, sets: Dict[int, set], row: np.ndarray) -> int:
    node = first
    while a["left"][node] != -1:
        left = goes_left(a, node, sets, row[a["feature"][node]])
        node = first + int(a["left" if left else "right"][node])
    return node


def unpacked(op: Op) -> Op:
    """The same forest in columns."""
    if "start" in op:
        return op
    node, cover = decode(op["node"]), decode(op["cover"]).astype(np.float64)
    leaf = node == 0
    start: List[int] = [0]
    left, right = np.full(len(node), -1), np.full(len(node), -1)
    covers, waiting = np.zeros(len(node)), []
    covers[leaf] = cover
    for i, is_leaf in enumerate(leaf):
        if not is_leaf:
            left[i] = i + 1 - start[-1]
            waiting.append(i)
        elif waiting:
            right[waiting.pop()] = i + 1 - start[-1]
        else:
            start.append(i + 1)
    assert start[-1] == len(node) and not waiting
    first = np.repeat(start[:-1], np.diff(start))
    for i in np.flatnonzero(~leaf)[::-1]:
        covers[i] = covers[first[i] + left[i]] + covers[first[i] + right[i]]

    def of_tests(numbers: np.ndarray, dtype: str) -> Dict[str, Any]:
        out = np.zeros(len(node))
        out[~leaf] = numbers
        return encode(out, dtype)

    value = decode(op["value"])
    made = {
        "op": "forest",
        "in": op["in"],
        "input": op["input"],
        "start": encode(np.array(start), "i4"),
        "left": encode(left, "i4"),
        "right": encode(right, "i4"),
        "feature": encode(node.astype(np.int64) - 1, "i4"),
        "threshold": of_tests(decode(op["threshold"]), "f8"),
        **{name: op[name] for name in SETS.split() if name in op},
        "missing_left": of_tests(decode(op["missing_left"]), "u1"),
        "cover": encode(covers, "f8"),
        "value": encode(value[decode(op["leaf"])] if "leaf" in op else value, "f8"),
    }
    return {**made, **{name: op[name] for name in SUMS.split()}}


def in_columns(document: bytes) -> bytes:
    """The same document with all its forests in columns."""
    parsed = json.loads(document.decode("ascii"))
    parsed["ops"] = [unpacked(op) if op["op"] == "forest" else op for op in parsed["ops"]]
    return json.dumps(parsed, separators=(",", ":")).encode("ascii")


def forest(op: Op, x: np.ndarray, start: Optional[np.ndarray] = None) -> np.ndarray:
    op = unpacked(op)
    names = "start left right feature threshold missing_left cover value group init divide".split()
    a = {name: decode(op[name]) for name in names}
    sets = members(op)
    if op["input"] == "f4":
        x = x.astype(np.float32).astype(np.float64)
    leaves = np.cumsum(a["left"] == -1) - 1  # the row in `value` of a leaf
    assert start is None or not a["init"].any()
    out = np.tile(a["init"], (len(x), 1)) if start is None else np.array(start)
    for t, first in enumerate(a["start"][:-1].tolist()):
        rows = a["value"][[leaves[leaf_of(a, first, sets, row)] for row in x]]
        group = a["group"][t]
        if group < 0:
            out += rows
        else:
            out[:, group] += rows[:, 0]
    return out / a["divide"][0]


def tested(op: Op) -> List[int]:
    """The columns that a forest tests."""
    return sorted(set(decode(unpacked(op)["feature"]).tolist()) - {-1})


def isolation(op: Op, x: np.ndarray) -> np.ndarray:
    score = -(2**-x) - decode(op["offset"])[0]
    inside = x >= decode(op["border"])[0]
    return np.where(inside, np.maximum(score, 0.0), np.minimum(score, -5e-324))


def weighted_median(op: Op, x: np.ndarray) -> np.ndarray:
    weights = decode(op["weights"])
    out = []
    for row in x:
        order = np.argsort(row, kind="stable")
        sums = np.cumsum(weights[order])
        out.append(row[order[np.flatnonzero(sums >= 0.5 * sums[-1])[0]]])
    return np.array(out)[:, np.newaxis]


OPERATORS: Dict[str, Callable[..., np.ndarray]] = {
    "forest": forest,
    "isolation": isolation,
    "weighted_median": weighted_median,
}
