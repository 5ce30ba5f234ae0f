"""What keeps a forest small in the document: preorder, narrow types, rows that are told once.

Nothing here changes a score: nodes and leaves only move, thresholds are rounded only where every float32
goes the same way, and distributions are the same bits."""

from __future__ import annotations

from typing import Any, Dict, Sequence, Tuple

import numpy as np

from hbscore.export.document import array
from hbscore.export.errors import ExportError

FLT_MAX = np.finfo(np.float32).max


def levels(left: np.ndarray, right: np.ndarray) -> Sequence[np.ndarray]:
    """The numbers of the nodes of each level, the root's first; leaves have the children -1."""
    found = [np.zeros(1, dtype=np.int64)]
    reached = 1
    while reached <= len(left):
        inner = found[-1][left[found[-1]] != -1]
        if len(inner) == 0:
            break
        found.append(np.concatenate([left[inner], right[inner]]))
        reached += len(found[-1])
    if reached != len(left) or len(np.unique(np.concatenate(found))) != reached:
        raise ExportError("a tree has nodes that are no tree")
    return found


def preorder(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """The numbers of the nodes, each followed by all below its left child, then by all below its right one."""
    sizes = np.ones(len(left), dtype=np.int64)
    places = np.zeros(len(left), dtype=np.int64)
    by_level = levels(left, right)
    inner = [level[left[level] != -1] for level in by_level]
    for nodes in reversed(inner):
        sizes[nodes] += sizes[left[nodes]] + sizes[right[nodes]]
    for nodes in inner:
        places[left[nodes]] = places[nodes] + 1
        places[right[nodes]] = places[nodes] + 1 + sizes[left[nodes]]
    order = np.empty(len(left), dtype=np.int64)
    order[places] = np.arange(len(left))
    return order


def rounded_down(numbers: np.ndarray) -> np.ndarray:
    """The largest float32 that is not above each number: x <= it is x <= the number, for a float32 x."""
    with np.errstate(over="ignore"):
        nearest = numbers.astype(np.float32)
    return np.where(nearest > numbers, np.nextafter(nearest, np.float32(-np.inf)), nearest)


def whole(numbers: np.ndarray) -> Dict[str, Any]:
    """Integers from 0 on, in the least type that holds them."""
    most = int(numbers.max()) if len(numbers) else 0
    return array(numbers, "u1" if most < 2**8 else "u2" if most < 2**16 else "i4")


def covers(weights: np.ndarray) -> Dict[str, Any]:
    """Counts as integers; other weights, on which no score depends, as float32."""
    counts = np.minimum(weights, 2.0**31 - 1).astype(np.int64)
    if (counts == weights).all():
        return whole(counts)
    return array(np.minimum(weights, FLT_MAX), "f4")


def distinct(rows: np.ndarray) -> Tuple[np.ndarray, np.ndarray]:
    """The different rows of [n, width] float64, by their bits; and for each row its place among them."""
    places = np.zeros(len(rows), dtype=np.int64)
    for column in np.ascontiguousarray(rows).view(np.int64).T:
        found, codes = np.unique(column, return_inverse=True)
        places = np.unique(places * len(found) + codes, return_inverse=True)[1]
    first = np.unique(places, return_index=True)[1]
    return rows[first], places


def leaves(rows: np.ndarray) -> Dict[str, Any]:
    """The members `leaf` and `value`, or `value` alone where rows told once would not be shorter."""
    different, places = distinct(rows)
    row = whole(places)
    value = array(different, "f8")
    if len(row["data"]) + len(value["data"]) < 4 * rows.size * 8 // 3:
        return {"leaf": row, "value": value}
    return {"value": array(rows, "f8")}


def bits(flags: np.ndarray) -> Dict[str, Any]:
    """Booleans, eight to a byte."""
    packed = array(np.packbits(flags.astype(bool), bitorder="little"), "u1")
    return {"dtype": "bit", "shape": [len(flags)], "data": packed["data"]}
