"""The operators of own_format_reference.py that estimators of sums and exponentials become."""

from __future__ import annotations

from typing import Any, Callable, Dict

import numpy as np

FIELDS = {"gaussian_nb": "mean variance constant", "interpolate": "outside kind ends x y"}

LINKS: Dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "relu": lambda x: np.where(x < 0.0, 0.0, x),
    "tanh": np.tanh,
}


def gaussian_nb(decode: Callable[[Any], np.ndarray], op: Dict[str, Any], x: np.ndarray) -> np.ndarray:
    mean, variance = decode(op["mean"]), decode(op["variance"])
    with np.errstate(all="ignore"):
        parts = (x[:, np.newaxis] - mean) ** 2 / variance
        return decode(op["constant"]) - 0.5 * parts.sum(axis=2)


def on_lines(kind: str, x: np.ndarray, px: np.ndarray, py: np.ndarray) -> np.ndarray:
    """interp1d of float32, of several versions of scipy."""
    if len(px) == 1:
        return np.where(np.isnan(x), np.float32(np.nan), py[0])
    x, after = np.clip(x, px[0], px[-1]), np.searchsorted(px, x).clip(1, len(px) - 1)
    before, all_, left = x - px[after - 1], px[after] - px[after - 1], px[after] - x
    if kind == "slope32":
        return (py[after] - py[after - 1]) / all_ * before + py[after - 1]
    return before / all_ * py[after] + left / all_ * py[after - 1]


def interpolate(decode: Callable[[Any], np.ndarray], op: Dict[str, Any], x: np.ndarray) -> np.ndarray:
    ends = decode(op["ends"])
    out = np.empty(x.shape)
    for c, (px, py) in enumerate(zip(np.split(decode(op["x"]), ends[:-1]), np.split(decode(op["y"]), ends[:-1]))):
        if op["kind"] == "slope":
            out[:, c] = np.where(np.isnan(x[:, c]), np.nan, np.interp(x[:, c], px, py))
        else:
            out[:, c] = on_lines(op["kind"], *(v.astype(np.float32) for v in (x[:, c], px, py)))
        if op["outside"] == "nan":
            out[(x[:, c] < px[0]) | (x[:, c] > px[-1]), c] = np.nan
    return out
