"""Keeps a forest small in the document: preorder, narrow types, equal rows written once.

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
    seen = np.zeros(len(left), dtype=bool)
    reached = 0
    while len(found[-1]) > 0 and reached < len(left):
        seen[found[-1]] = True
        reached += len(found[-1])
        inner = found[-1][left[found[-1]] != -1]
        found.append(np.concatenate([left[inner], right[inner]]))
    if reached != len(left) or len(found[-1]) > 0 or not seen.all():
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


def keys_of(bits: np.ndarray) -> np.ndarray:
    """A number for each row of [n, width] integers: equal for equal rows, different for nearly all others."""
    keys = np.zeros(len(bits), dtype=np.uint64)
    for column in bits.view(np.uint64).T:
        keys = (keys ^ column) * np.uint64(0x9E3779B97F4A7C15)
        keys ^= keys >> np.uint64(32)
    return keys


def distinct(rows: np.ndarray) -> Tuple[np.ndarray, np.ndarray]:
    """The different rows of [n, width] float64, by their bits and in their order; and for each row its place
    among them."""
    bits = np.ascontiguousarray(rows).view(np.int64)
    keys = bits[:, 0] if bits.shape[1] == 1 else keys_of(bits)
    _, first, places = np.unique(keys, return_index=True, return_inverse=True)
    for column in bits.T:  # rows of one key that differ after all have keys of their own
        same = column[first][places] == column
        if not same.all():
            _, first, places = np.unique(bits, axis=0, return_index=True, return_inverse=True)
            places = places.reshape(-1)  # of numpy 2.0 it has two dimensions
            break
    order = np.lexsort(bits[first].T[::-1])
    return rows[first[order]], np.argsort(order)[places]


def leaves(rows: np.ndarray) -> Dict[str, Any]:
    """The members `leaf` and `value`, or `value` alone if writing equal rows once would not be shorter."""
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
