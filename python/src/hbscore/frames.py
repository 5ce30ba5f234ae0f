"""The columns of a DataFrame as lists of values that a database takes."""

from __future__ import annotations

from collections import Counter
from typing import Any, Dict, List, NamedTuple, Optional, Sequence

import numpy

from . import values
from .errors import InvalidValue


class Column(NamedTuple):
    """A feature of all rows: the name that the database shall match, and its values."""

    name: str
    cells: List[values.Scalar]


def feature_columns(frame: Any, features: Sequence[str]) -> List[Column]:
    """The features in the model's order. The columns are found by name; if not all are, there must be as many as
    features, and the database decides by their own names whether they are in the model's order."""
    names = [str(column) for column in frame.columns]
    places = by_name(names, features)
    if None not in places:
        found = zip(features, places)
    elif len(names) == len(features):
        found = zip(names, range(len(names)))
    else:
        raise missing("the DataFrame", names, features, places)
    return [Column(name, cells_of(frame.iloc[:, place], f"column {name}")) for name, place in found]


def missing(
    of: str, names: Sequence[str], features: Sequence[str], places: Sequence[Optional[int]]
) -> InvalidValue:
    """The error for columns in which the features do not find theirs."""
    if not any(features):
        return InvalidValue(f"{of} has {len(names)} columns, the model takes {len(features)} features by position")
    if len(names) != len(features) and all(place is None for place in places):
        return InvalidValue(
            f"{of} has {len(names)} columns, none of which has the name of a feature; the model takes "
            f'{len(features)} features, the first is "{features[0]}"'
        )
    return InvalidValue(f'{of} has no column "{features[places.index(None)]}", which is a feature of the model')


def by_name(names: Sequence[str], features: Sequence[str]) -> List[Optional[int]]:
    """The column of each feature: of the same name, else of the only name with the same ASCII letters in another
    case, if no other feature has them. None for a feature that finds none."""
    exact: Dict[str, List[int]] = {}
    folded: Dict[str, List[int]] = {}
    for place, name in enumerate(names):
        exact.setdefault(name, []).append(place)
        folded.setdefault(_fold(name), []).append(place)
    wanted = Counter(_fold(feature) for feature in features)
    places: List[Optional[int]] = []
    for feature in features:
        letters = _fold(feature)
        found = exact.get(feature) or (folded.get(letters, []) if wanted[letters] == 1 else [])
        if len(found) > 1:
            raise InvalidValue(f'two columns have the name of the feature "{feature}"')
        places.append(found[0] if found else None)
    return places


def cells_of(column: Any, what: str) -> List[values.Scalar]:
    """The cells of a Series as a database takes them: None where they are missing, a bool as 1 or 0. Raises
    InvalidValue for what is no number and no text."""
    dtype = getattr(column, "dtype", None)
    if hasattr(column, "cat"):
        labels = [values.bound(item, what) for item in values.items(column.cat.categories)]
        return [None if code < 0 else labels[code] for code in column.cat.codes.tolist()]
    if isinstance(dtype, numpy.dtype) and dtype.kind == "f" and dtype.itemsize <= 8:
        cells = column.to_numpy(dtype="float64")
        gaps = numpy.isnan(cells)
        if gaps.any():
            cells = cells.astype(object)
            cells[gaps] = None
        return list(cells.tolist())
    if isinstance(dtype, numpy.dtype) and (dtype.kind in "ib" or (dtype.kind == "u" and dtype.itemsize < 8)):
        return list(column.to_numpy(dtype="int64").tolist())
    return [values.bound(item, what) for item in values.items(column)]


def _fold(name: str) -> str:
    """Lower case of ASCII letters, as the database compares names."""
    return "".join(chr(ord(c) + 32) if "A" <= c <= "Z" else c for c in name)
