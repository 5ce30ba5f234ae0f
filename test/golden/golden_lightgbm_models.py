"""The models of LightGBM's golden files: what is trained, on what, and what each covers.

A case is a function that gets the library and returns a trained model with its table. OLD and V3
stand for the text format v3 before and after linear trees came; NEWEST answers for every file."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

import numpy as np

from golden_cells import Value
from golden_tables import FLT_MAX, Table, edge_rows

NEWEST = "4.7.0"
ALL = ("2.3.1", "3.3.5", "4.0.0", "4.6.0", NEWEST)
OLD = ("2.3.1", NEWEST)
V3 = ("3.3.5", NEWEST)

#: Values of at most this size count as zero: 1e-35 as a float, widened.
ZERO = float(np.float32(1e-35))

#: A split of missing values from all others has this threshold, which infinity passes.
HIGHEST = float("1e300")

MAX = float(np.finfo(np.float64).max)


def up(v: float) -> float:
    return float(np.nextafter(v, np.inf))


def down(v: float) -> float:
    return float(np.nextafter(v, -np.inf))


#: Asked for in every numeric column.
SPECIAL: List[Value] = [
    float("inf"),
    float("-inf"),
    -0.0,
    0.0,
    ZERO,
    -ZERO,
    up(ZERO),
    down(-ZERO),
    down(ZERO),
    1e-35,
    -2e-35,
    5e-324,
    -5e-324,
    2.0**-1022,
    HIGHEST,
    up(HIGHEST),
    -HIGHEST,
    MAX,
    -MAX,
    FLT_MAX,
    2**24 + 1,
    2**53 + 1,
    -(2**53) - 1,
    2**63 - 1,
    np.float32("inf"),
    np.float32(1e-35),
    np.float32(0.1),
    True,
    False,
]


def neighbours(t: float) -> List[Value]:
    """A threshold, the doubles next to it, and values that a float32 comparison would confuse with
    it."""
    with np.errstate(all="ignore"):
        t32 = np.float32(t)
        low, high = np.nextafter(t32, np.float32("-inf")), np.nextafter(t32, np.float32("inf"))
    return [
        t,
        down(t),
        up(t),
        float(t32),
        t32,
        float(low),
        float(high),
        down(down(t)),
        up(up(t)),
        -t,
    ]


def rows_of(table: Table, thresholds: Dict[int, List[float]], seed: int) -> List[List[Value]]:
    return edge_rows(table, thresholds, seed, special=SPECIAL, near=neighbours)


@dataclass
class Trained:
    model: Any  # a Booster, or an estimator of the wrapper
    table: Table
    options: Dict[str, Any] = field(default_factory=dict)
    covers: List[str] = field(default_factory=list)
    rows: List[List[Value]] = field(default_factory=list)  # rows of this case's own
    save: Optional[Callable[[str], None]] = None  # where it is not booster.save_model(path)


@dataclass
class Case:
    name: str
    task: str
    versions: Sequence[str]
    train: Callable[["Library"], Trained]


@dataclass
class Library:
    """The lightgbm of this process, with the parameters that every case shares."""

    lgb: Any
    version: str

    @property
    def number(self) -> Tuple[int, int]:
        major, minor = self.version.split(".")[:2]
        return int(major), int(minor)

    def params(self, **more: Any) -> Dict[str, Any]:
        out = {
            "num_threads": 1,
            "seed": 1,
            "verbosity": -1,
            "num_leaves": 5,
            "learning_rate": 0.2,
            "min_data_in_leaf": 8,
            "min_data_per_group": 5,
            "cat_smooth": 1.0,
        }
        if self.number >= (3, 0):
            out.update(deterministic=True, force_row_wise=True)
        out.update(more)
        return out

    def dataset(self, data: Any, y: Any, params: Dict[str, Any], **more: Any) -> Any:
        return self.lgb.Dataset(data, label=y, params=params, free_raw_data=False, **more)

    def train(
        self,
        table: Table,
        y: Any,
        rounds: int = 5,
        data: Any = None,
        dataset: Optional[Dict[str, Any]] = None,
        call: Optional[Dict[str, Any]] = None,
        **params: Any,
    ) -> Any:
        """A Booster. data: a frame in place of the table's matrix."""
        more = dict(dataset or {})
        codes = [j for j, c in enumerate(table.columns) if c.kind == "code"]
        if data is None:
            data = table.matrix()
            more.setdefault("categorical_feature", codes)
            if table.named:
                more.setdefault("feature_name", table.names())
        p = self.params(**params)
        d = self.dataset(data, y, p, **more)
        return self.lgb.train(p, d, num_boost_round=rounds, **(call or {}))

    def custom(self, table: Table, y: Any, gradient: Callable, **params: Any) -> Any:
        """Trained with an objective of one's own: `fobj` until 3.3, a callable since 4.0."""
        if self.number < (4, 0):
            return self.train(table, y, call={"fobj": gradient}, objective="none", **params)
        return self.train(table, y, objective=gradient, **params)

    def wrapped(self, **params: Any) -> Dict[str, Any]:
        out = self.params(n_estimators=5, n_jobs=1, random_state=1)
        for gone in ("num_threads", "seed"):
            del out[gone]
        return {**out, **params}

    def classifier(self, **params: Any) -> Any:
        return self.lgb.LGBMClassifier(**self.wrapped(**params))

    def regressor(self, **params: Any) -> Any:
        return self.lgb.LGBMRegressor(**self.wrapped(**params))


CASES: List[Case] = []


def case(task: str, versions: Sequence[str] = (NEWEST,)) -> Callable:
    def add(train: Callable[[Library], Trained]) -> Callable[[Library], Trained]:
        CASES.append(Case(train.__name__, task, tuple(versions), train))
        return train

    return add
