"""The JSON document of hbscore's own format, version 1: the same fitted model gives the same bytes.

Members are in a fixed order, without white space, other characters than ASCII escaped. Every real
number is in an array, as base64 of its little-endian bytes; JSON numbers are integers only."""

from __future__ import annotations

import base64
import json
import platform
import re
import sys
from typing import Any, Dict, List, Optional, Sequence, Tuple

import numpy as np

VERSION = 1
WRITER_VERSION = "0.1.0"

#: numpy's types of the arrays that a document may hold; `b1` is a bool as a byte 0 or 1. `bit`, eight to a
#: byte, is none of numpy's.
DTYPES = {"f8": "<f8", "f4": "<f4", "i4": "<i4", "i8": "<i8", "u1": "|u1", "u2": "<u2", "b1": "|b1"}


def array(values: Any, dtype: str) -> Dict[str, Any]:
    """{dtype, shape, data} of numbers; the caller has checked that they fit the type."""
    numbers = np.ascontiguousarray(values, dtype=DTYPES[dtype])
    data = base64.b64encode(numbers.tobytes()).decode("ascii")
    return {"dtype": dtype, "shape": list(np.shape(values)), "data": data}


def texts(values: Sequence[str]) -> Dict[str, Any]:
    return {"dtype": "str", "shape": [len(values)], "data": list(values)}


def library_version() -> Tuple[int, ...]:
    """The numbers of the scikit-learn that holds the model, such as 1, 2, 1: three, of a development
    version two."""
    found = re.match(r"(\d+)\.(\d+)(?:\.(\d+))?", sys.modules["sklearn"].__version__)
    return tuple(int(part) for part in found.groups() if part) if found else (0,)


def writer() -> Dict[str, str]:
    """Versions, for people only: nothing in a score depends on them."""
    return {
        "hbscore": WRITER_VERSION,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "scikit-learn": sys.modules["sklearn"].__version__,
    }


def encode(
    task: str,
    features: List[Dict[str, str]],
    classes: Optional[Dict[str, Any]],
    outputs: Optional[List[Dict[str, Any]]],
    transform: Optional[int],
    ops: List[Dict[str, Any]],
) -> bytes:
    document: Dict[str, Any] = {"hbscore": VERSION, "writer": writer(), "task": task}
    document["features"] = features
    if classes is not None:
        document["classes"] = classes
    if outputs is not None:
        document["outputs"] = outputs
    if transform is not None:
        document["transform"] = transform
    document["ops"] = ops
    return json.dumps(document, separators=(",", ":"), allow_nan=False).encode("ascii")
