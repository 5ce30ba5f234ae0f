"""The operators of own_format_reference.py that are trees, or make one answer of those of many trees,
just as plainly."""

from __future__ import annotations

from typing import Any, Callable, Dict, Optional

import numpy as np

from own_format_columns import decode

Op = Dict[str, Any]

OPTIONAL = {"set_node", "set_start", "set_bits"}
FIELDS = {
    "forest": "input start left right feature threshold set_node set_start set_bits missing_left cover"
    " value group init divide missing",
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


def forest(op: Op, x: np.ndarray, start: Optional[np.ndarray] = None) -> np.ndarray:
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
