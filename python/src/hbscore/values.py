"""Values of Python, numpy and pandas as JSON, which is what options travel in.

Numbers keep every bit: a float32 becomes the double of the same value, and doubles are written in the
shortest form that reads back as the same double. What has no one meaning in SQL (dates, complex
numbers, bytes) is refused in words, never turned into text."""

from __future__ import annotations

import datetime
import json
import math
from typing import Any, Dict, List, Mapping, Union

import numpy

from .errors import InvalidValue, shown

Scalar = Union[None, bool, int, float, str]

_DATES = (datetime.date, datetime.time, datetime.timedelta)
_NAMES_OF_MISSING = ("NAType", "NaTType")  # pandas' own, told by name: pandas need not be there


def scalar(value: Any, what: str) -> Scalar:
    """A single value in a type of Python's own; what pandas calls missing is None. `what` names the
    value in errors. Raises InvalidValue."""
    if isinstance(value, (numpy.datetime64, numpy.timedelta64)):
        raise _date(value, what)
    if isinstance(value, numpy.generic):
        value = value.item()
    if value is None or type(value).__name__ in _NAMES_OF_MISSING:
        return None
    if isinstance(value, (bool, float)):
        return value
    if isinstance(value, str):
        return _encodable(str(value), what)
    if isinstance(value, int):
        if not -(2**63) <= value < 2**63:
            raise InvalidValue(f"{what}: {value} does not fit into 64 bits")
        return int(value)
    if isinstance(value, _DATES):
        raise _date(value, what)
    raise InvalidValue(
        f"{what}: a value of the type {type(value).__name__} is no number and no text"
    )


def _date(value: Any, what: str) -> InvalidValue:
    return InvalidValue(
        f"{what}: {value} is a date or a time, which has no one form in SQL: give a number or a text"
    )


def _encodable(text: str, what: str) -> str:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise InvalidValue(f"{what}: {shown(text)} is not valid Unicode") from None
    return text


def label(value: Any) -> Scalar:
    """A class label: a text, a finite number or a bool."""
    plain = scalar(value, "class label")
    if plain is None or (isinstance(plain, float) and not math.isfinite(plain)):
        raise InvalidValue(f"class label: {value} cannot be one")
    return plain


def cell(value: Any, what: str) -> Scalar:
    """A feature of a row as JSON rows have it: None where it is missing; a bool is 1 or 0, which a
    category takes too."""
    return number(bound(value, what))


def bound(value: Any, what: str) -> Scalar:
    """A feature of a row as a parameter of a statement: None where it is missing; a bool is 1 or 0."""
    plain = scalar(value, what)
    if isinstance(plain, bool):
        return int(plain)
    return None if isinstance(plain, float) and math.isnan(plain) else plain


def number(value: Scalar) -> Scalar:
    """A number that JSON has none for is a text, in the one spelling that hbscore reads."""
    if not isinstance(value, float) or math.isfinite(value):
        return value
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def items(values: Any) -> List[Any]:
    """The items of a list, an array, a pandas Series, Index or Categorical, one level deep."""
    dtype = getattr(values, "dtype", None)
    if isinstance(dtype, numpy.dtype) and dtype.kind in "mM":
        return list(values)  # tolist() would make integers of them
    return list(values.tolist() if hasattr(values, "tolist") else values)


def option(value: Any, what: str) -> Any:
    """The value of an option, lists and dicts too."""
    if isinstance(value, Mapping):
        return {str(key): option(item, f"{what}.{key}") for key, item in value.items()}
    if isinstance(value, (list, tuple)) or (hasattr(value, "tolist") and not numpy.isscalar(value)):
        return [option(item, what) for item in items(value)]
    plain = scalar(value, what)
    if isinstance(plain, float) and not math.isfinite(plain):
        raise InvalidValue(f"{what}: {plain} is no number of JSON")
    return plain


def options_text(options: Mapping[str, Any]) -> str:
    """The JSON object of hbscore_register's third argument. None means: not given. The option
    `missing` may be NaN: then nothing but NULL and NaN is missing, whatever the file says."""
    plain: Dict[str, Any] = {}
    for name, value in options.items():
        if value is None:
            continue
        if name == "classes":
            plain[name] = [label(item) for item in items(value)]
        elif name == "missing" and isinstance(value, (float, numpy.floating)) and value != value:
            plain[name] = None
        else:
            plain[name] = option(value, f"option {name}")
    return json.dumps(plain, ensure_ascii=False, allow_nan=False)
