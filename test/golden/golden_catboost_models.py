"""The models of CatBoost's golden files: what is trained, on what, and what each covers.

A case is a function that gets the library and returns a trained model with its table. FIRST stands
for the files without the classes of binary models, OLDEST for those with one bias for all outputs,
OLD for those without feature_id, and in which a feature without borders has null."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Callable, Dict, List, Optional, Sequence

import numpy as np

from golden_cells import Value, is_float32
from golden_tables import FLT_MAX, WORDS, Column, Table, edge_rows, neighbours

FIRST, OLDEST, OLD, NEWEST = "0.20.2", "0.22", "1.0.6", "1.2.10"
ALL = (FIRST, OLDEST, OLD, NEWEST)
SINCE_1 = (OLD, NEWEST)

#: Asked for in every numeric column.
SPECIAL: List[Value] = [
    float("inf"),
    float("-inf"),
    -0.0,
    0.0,
    5e-324,
    1e-40,
    -1.4e-45,
    FLT_MAX,
    -FLT_MAX,
    1e300,
    -1e300,
    3.4028235677973366e38,
    2**24 + 1,
    -(2**53) - 1,
    2**63 - 1,
    np.float32("-inf"),
    True,
    False,
]

#: Texts of all the lengths that CityHash64 treats differently, some with bytes above 127.
LENGTHS = [
    "",
    "a",
    "é",
    "日",
    "four",
    "eight888",
    "ni\u00f1o ocho",
    "sixteen-bytes-16",
    "seventeen-bytes-1",
    "thirty-two bytes, all of them: 32",
    "ü" * 20,
    "s" * 64,
    "t" * 65,
    "日本語" * 15,
    "v" * 193,
]


@dataclass
class Trained:
    model: Any
    table: Table
    covers: List[str] = field(default_factory=list)
    rows: List[List[Value]] = field(default_factory=list)  # rows of this case's own
    pool: bool = False  # the pool is given to save_model, which adds names and hashes to the file
    as_written: bool = False  # white space and training log stay in the file


@dataclass
class Case:
    name: str
    task: str
    versions: Sequence[str]
    train: Callable[["Library"], Trained]


def words(column: Column) -> List[str]:
    """What CatBoost hashes: the text of a category, the decimal digits of an integer."""
    return [str(c) for c in column.categories or []]


def frame(columns: Sequence[Column], values: Sequence[Sequence[Value]]) -> Any:
    """A DataFrame of rows: categories as Python objects, numbers as float32."""
    import pandas as pd

    data = {}
    for j, c in enumerate(columns):
        cells = [row[j] for row in values]
        if c.stored:
            data[c.name] = pd.Series(cells, dtype=object)
        else:
            data[c.name] = np.array([np.nan if v is None else v for v in cells], dtype=np.float32)
    return pd.DataFrame(data)


@dataclass
class Library:
    """The catboost of this process, with the parameters that every case shares."""

    cb: Any
    version: str

    def params(self, **more: Any) -> Dict[str, Any]:
        return {
            "iterations": 5,
            "depth": 3,
            "learning_rate": 0.3,
            "thread_count": 1,
            "random_seed": 1,
            "verbose": False,
            "allow_writing_files": False,
            **more,
        }

    def data(self, table: Table) -> Any:
        """A frame if it has names or categories, else a float32 matrix."""
        if table.named or any(c.stored for c in table.columns):
            rows = [[c.value(i) for c in table.columns] for i in range(table.rows)]
            return frame(table.columns, rows)
        return table.matrix().astype(np.float32)

    def pool(self, table: Table, y: Any, **more: Any) -> Any:
        cats = [j for j, c in enumerate(table.columns) if c.stored]
        return self.cb.Pool(self.data(table), label=y, cat_features=cats, **more)

    def fit(self, model: Any, table: Table, y: Any, fit: Optional[Dict] = None, **pool: Any) -> Any:
        return model.fit(self.pool(table, y, **pool), **(fit or {}))

    def regressor(self, table: Table, y: Any, pool: Optional[Dict] = None, **params: Any) -> Any:
        m = self.cb.CatBoostRegressor(**self.params(**params))
        return self.fit(m, table, y, **(pool or {}))

    def classifier(self, table: Table, y: Any, pool: Optional[Dict] = None, **params: Any) -> Any:
        m = self.cb.CatBoostClassifier(**self.params(**params))
        return self.fit(m, table, y, **(pool or {}))

    def ranker(self, table: Table, y: Any, loss: str, **params: Any) -> Any:
        groups = np.repeat(np.arange(table.rows // 20), 20)
        m = self.cb.CatBoost(self.params(loss_function=loss, **params))
        return self.fit(m, table, y, group_id=groups)


def rows_of(
    table: Table, thresholds: Dict[int, List[float]], seed: int, unused: Sequence[int]
) -> List[List[Value]]:
    """The rows of a golden. CatBoost takes no real numbers as categories: they become text. Unused
    categories are never missing: CatBoost refuses the row, the model does not need the feature."""
    rows = edge_rows(table, thresholds, seed, special=SPECIAL, near=neighbours)
    for j, c in enumerate(table.columns):
        if not c.stored:
            continue
        known = list(c.categories or [])
        for i, row in enumerate(rows):
            v = row[j]
            if v is None or v != v:
                row[j] = known[i % len(known)] if j in unused else None
            elif isinstance(v, (float, np.floating)):
                row[j] = repr(float(v))
    stored = [j for j, c in enumerate(table.columns) if c.stored]
    for j in stored:
        for v in odd_categories(table.columns[j]):
            row = list(rows[len(rows) % 40])
            row[j] = v
            rows.append(row)
    return rows


def odd_categories(column: Column) -> List[Value]:
    """Categories that are equal by their text, and some that are only nearly so."""
    known = words(column)
    out: List[Value] = [known[0] + " ", " " + known[-1], "nan", "None", 0, -1, 2**31, 2**63 - 1]
    if column.kind == "numcat":
        out += [known[0], known[-1], "+" + known[-1], "0" + known[-1]]
    return out


def narrow(table: Table) -> Table:
    """The table with numbers that a float holds, so that rows are short."""
    for c in table.columns:
        if not c.stored:
            c.values = np.asarray(c.values, dtype=np.float64).astype(np.float32).astype(np.float64)
            assert all(is_float32(v) for v in c.values if v == v)
    return table


def mixed(
    seed: int,
    texts: Sequence[Sequence[str]] = (WORDS,),
    codes: Sequence[Sequence[int]] = (),
    n: int = 400,
    reals: int = 2,
    missing: float = 0.06,
    named: bool = True,
) -> Table:
    """Categories with effects that depend on each other, beside reals with missing values."""
    rng = np.random.RandomState(seed)
    columns: List[Column] = []
    score = np.zeros(n)
    product = np.ones(n)
    for k in range(reals):
        z = rng.randn(n).astype(np.float32).astype(np.float64)
        score = score + z * 0.6
        z[rng.rand(n) < missing] = np.nan
        columns.append(Column("real %d" % k, "real", z, cell="ds"[k % 2]))
    for k, known in enumerate(list(texts) + list(codes)):
        picked = rng.randint(0, len(known), n)
        effect = rng.randn(len(known))
        score = score + effect[picked]
        product = product * effect[rng.permutation(len(known))][picked]
        kind = "text" if k < len(texts) else "numcat"
        column = Column("cat %d" % k, kind, [known[p] for p in picked], categories=list(known))
        columns.insert(2 * k + 1, column)
    return Table(columns, score + 1.5 * product, named=named, rng=rng)


CASES: List[Case] = []


def case(task: str, versions: Sequence[str] = (NEWEST,)) -> Callable:
    def add(train: Callable[[Library], Trained]) -> Callable[[Library], Trained]:
        CASES.append(Case(train.__name__, task, tuple(versions), train))
        return train

    return add
