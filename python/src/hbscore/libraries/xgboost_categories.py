"""The names of categories that XGBoost 3.1 to 3.3 damage, put right.

These versions count the characters of a DataFrame's categories where they should count bytes. Names outside
ASCII, and all behind them, are shifted and cut: `Zürich`, `café` become `Züric`, `hcaf`. The database refuses
such a file. Which names were meant, the types of the sample's columns say: they are right if damaging them in
the same way gives what the file holds."""

from __future__ import annotations

import json
from itertools import accumulate
from typing import Any, Callable, Dict, List, Optional, Sequence

from ..errors import InvalidValue, shown

_MARK = "hbscore_category_names"  # an attribute of the model, which tells the database that they are right


def names_of(dtype: Any) -> Optional[List[str]]:
    """The categories of a column's type; None where it has none, or others than texts."""
    categories = getattr(dtype, "categories", None)
    if categories is None or not all(isinstance(name, str) for name in categories):
        return None
    return [str(name) for name in categories]


def repaired(sample: Any, file: bytes, as_json: Callable[[], bytes]) -> bytes:
    """The model's file with the true names of its categories. `sample` is a DataFrame of its features in
    their order, `as_json` writes the same model as JSON: it is asked for only if a name is not ASCII.

    Raises InvalidValue where the sample has other categories than the training had."""
    names = [names_of(dtype) for dtype in sample.dtypes]
    if all(name.isascii() for known in names for name in known or ()):
        return file
    model = json.loads(as_json())
    learner = model["learner"]
    booster = learner["gradient_booster"]
    categories = booster.get("gbtree", booster).get("model", {}).get("cats")
    if categories is None:
        return file
    for feature, encoding in enumerate(categories["enc"]):
        if any(value < 0 or value > 127 for value in _texts(encoding)):
            _check(encoding, names[feature], sample.columns[feature])
            _put(categories, feature, names[feature] or [])
    learner.setdefault("attributes", {})[_MARK] = "repaired"
    return json.dumps(model, ensure_ascii=False, separators=(",", ":")).encode()


def _texts(encoding: Dict[str, Any]) -> Sequence[int]:
    return encoding["values"] if "offsets" in encoding else ()


def _encoded(names: Sequence[str], length: Callable[[str], int]) -> Dict[str, Any]:
    """The bytes that XGBoost writes when it takes these lengths for the names'; bytes are signed."""
    offsets = [0, *accumulate(length(name) for name in names)]
    data = "".join(names).encode()[: offsets[-1]]
    return {"offsets": offsets, "values": [byte - 256 if byte > 127 else byte for byte in data]}


def _sound(names: Sequence[str]) -> Dict[str, Any]:
    return _encoded(names, lambda name: len(name.encode()))


def _check(encoding: Dict[str, Any], names: Optional[List[str]], column: Any) -> None:
    if names is not None and encoding in (_sound(names), _encoded(names, len)):
        return
    raise InvalidValue(
        f"sample, column {shown(column)}: its categories are not those of the training, whose names XGBoost 3.1 "
        "to 3.3 have damaged in the model: give the DataFrame that it was trained on"
    )


def _put(categories: Dict[str, Any], feature: int, names: List[str]) -> None:
    """The names, and their places in the order of XGBoost: that of signed bytes."""
    sound = _sound(names)
    ends, values = sound["offsets"], sound["values"]
    keys = [values[begin:end] for begin, end in zip(ends, ends[1:])]
    begin, end = categories["feature_segments"][feature : feature + 2]
    categories["enc"][feature] = sound
    categories["sorted_idx"][begin:end] = sorted(range(len(keys)), key=keys.__getitem__)
