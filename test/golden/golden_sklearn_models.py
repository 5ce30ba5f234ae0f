"""What the golden cases of scikit-learn share: a fitted model with its table, and its rows.

A case is a function that returns a fitted model. Answers are those of that very object, so a case
is trained, exported and asked in one process, once for each version that it names."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Callable, Dict, List, Optional, Sequence

import numpy as np

from golden_cells import Value
from golden_tables import SPECIAL, Column, Table, edge_rows, numbers, to_float

OLD, LATER, NEW = "1.2.1", "1.5.2", "1.9.1"
BOTH, LATE, ALL = (OLD, NEW), (LATER, NEW), (OLD, LATER, NEW)

#: Asked of models whose answers are sums of products: nothing large, as the largest sum of the file
#: is the measure of what may differ.
SMALL: List[Value] = [
    float("inf"),
    float("-inf"),
    np.float32("inf"),
    -0.0,
    0.0,
    0,
    5e-324,
    -5e-324,
    1e-310,
    1e-40,
    np.float32(1e-40),
    True,
    False,
]

#: Asked of forests behind scalers. What overflows on the way is in goldens of its own.
MIDDLE: List[Value] = [v for v in SPECIAL if not 1e25 < abs(to_float(v)) < np.inf]

#: In goldens of their own.
HUGE: List[Value] = [v for v in SPECIAL if not isinstance(v, bool)] + [1e150, -1e150, 1e290]


@dataclass
class Trained:
    model: Any
    table: Table
    covers: List[str] = field(default_factory=list)
    sample: Any = None  # what export gets as feature_names
    types: Optional[Dict[str, str]] = None  # of a DataFrame's columns that are not float64
    missing: Any = None  # what stands in a DataFrame where a text is missing: None or NaN
    target: bool = False  # an encoder of a target, which is one column without a name
    narrow: bool = False  # trained on a float32 matrix
    doubles: bool = False  # the library adds in float64 all the same
    rows: List[List[Value]] = field(default_factory=list)  # rows of this case's own
    probed: bool = False  # golden_sklearn_probe.py says how far apart right answers may be
    nan: bool = False  # it answers NaN to some rows
    huge: bool = False  # asked for what overflows
    modest: bool = False  # asked for nothing large: products of it overflow
    count: int = 60  # of rows, at least; 0: those of this case's own only
    most: Optional[int] = None  # of rows beside its own; of more, some are left out all over
    transform: bool = False  # a golden of the transform beside that of the predictions
    texts: bool = False  # gets one column of texts, as a list
    json: bool = False  # of what the texts are as JSON
    rule: Optional[str] = None  # how the numbers of its transform are compared, if it is not told by its operators
    in_columns: bool = False  # its forests are written in columns, which export no longer does


@dataclass
class Case:
    name: str
    versions: Sequence[str]
    train: Callable[[], Trained]


CASES: List[Case] = []


def case(versions: Sequence[str] = (NEW,)) -> Callable:
    def add(train: Callable[[], Trained]) -> Callable[[], Trained]:
        CASES.append(Case(train.__name__, tuple(versions), train))
        return train

    return add


def clean(seed: int, f: int = 4, n: int = 160, named: bool = False) -> Table:
    """Numbers of different scales, none of them missing."""
    t = numbers(seed, n=n, f=f, missing=0.0)
    t.named = named
    return t


def small(seed: int, f: int = 4, n: int = 160, named: bool = False) -> Table:
    """Numbers of one scale, for solvers that need it."""
    rng = np.random.RandomState(seed)
    columns, score = [], np.zeros(n)
    for j in range(f):
        z = np.round(rng.randn(n), 3)
        score += z * (1.1 if j % 2 == 0 else -0.7)
        columns.append(Column("f%d" % j, "real", z, cell="dsdd"[j % 4]))
    return Table(columns, score, named=named, rng=rng)


def frame_with_texts(t: Trained) -> Any:
    """A DataFrame whose categories are plain columns: objects, or numbers of the table's type."""
    import pandas as pd

    data, types = {}, t.types or {}
    for c in t.table.columns:
        if c.kind == "text":
            cells = [t.missing if v is None else v for v in c.values]
            data[c.name] = pd.Series(cells, dtype=types.get(c.name, object))
        else:
            cells = [np.nan if v is None else v for v in c.values]
            kind = c.dtype if c.stored and None not in list(c.values) else "float64"
            data[c.name] = pd.Series(cells, dtype=types.get(c.name, kind))
    return pd.DataFrame(data)


def data_of(t: Trained) -> Any:
    """What the model is trained on."""
    if any(c.stored for c in t.table.columns):
        return frame_with_texts(t)
    if t.table.named:
        return t.table.frame(t.types)
    return t.table.matrix().astype(np.float32 if t.narrow else np.float64)


def fitted(model: Any, table: Table, y: Any, **more: Any) -> Trained:
    t = Trained(model, table, **more)
    data = data_of(t)
    model.fit(data, y)
    if t.types or t.narrow or any(c.stored for c in table.columns):
        t.sample = data
    return t


def rows_of(t: Trained, cuts: Dict[int, List[float]], forest: bool, seed: int) -> List[List[Value]]:
    """cuts: the thresholds of a forest that reads the table itself. forest: there is any."""
    special = SPECIAL if cuts else MIDDLE if forest and not t.modest else SMALL
    if t.huge:
        special = HUGE
    if t.count == 0:
        return t.rows
    rows = edge_rows(t.table, cuts, seed, count=t.count, special=special)
    if t.most is not None and t.most < len(rows):
        rows = [rows[i * len(rows) // t.most] for i in range(t.most)]
    return t.rows + rows
