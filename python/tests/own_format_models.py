"""The operators of own_format_reference.py that estimators of sums and exponentials become."""

from __future__ import annotations

from typing import Any, Callable, Dict

import numpy as np

FIELDS = {"gaussian_nb": "mean variance constant"}

LINKS: Dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "relu": lambda x: np.where(x < 0.0, 0.0, x),
    "tanh": np.tanh,
}


def gaussian_nb(decode: Callable[[Any], np.ndarray], op: Dict[str, Any], x: np.ndarray) -> np.ndarray:
    mean, variance = decode(op["mean"]), decode(op["variance"])
    with np.errstate(all="ignore"):
        parts = (x[:, np.newaxis] - mean) ** 2 / variance
        return decode(op["constant"]) - 0.5 * parts.sum(axis=2)
