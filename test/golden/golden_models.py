"""The models of the golden files: what is trained, on what, and what each covers.

A case is a function that gets the library and returns a trained model with its table. Every case
names the versions that train it: those that write its file otherwise than the ones before. What
changes in every file is covered by the cases of ALL; what changed after LAYOUTS' versions is in
few files (vector leaves, stored categories, dart, rounds)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

import numpy as np

from golden_cells import Value
from golden_tables import Table

NEWEST = "3.4.1"
ALL = ("1.2.1", "1.7.6", "2.1.4", "3.0.5", "3.1.3", "3.2.0", "3.3.0", "3.4.1")
LAYOUTS = ("1.2.1", "1.7.6", "2.1.4", "3.4.1")
EVERY = ("1.0.2", "1.2.1", "1.7.6", "2.0.3", "2.1.4", "3.0.5", "3.1.3", "3.2.0", "3.3.0", "3.4.1")


@dataclass
class Trained:
    model: Any  # a Booster, or an estimator of the wrapper (then the estimator's file is written)
    table: Table
    options: Dict[str, Any] = field(default_factory=dict)
    covers: List[str] = field(default_factory=list)
    feature_names: Optional[List[str]] = None  # as hbscore shows them, where the file has none
    rows: List[List[Value]] = field(default_factory=list)  # rows of this case's own
    infinities: bool = True
    edges: bool = True  # False: rows of this case's own, and no others
    answered_below: Optional[str] = None  # versions from here on misread the file of this one


@dataclass
class Case:
    name: str
    task: str
    versions: Sequence[str]
    train: Callable[["Library"], Trained]
    extension: Callable[[str], str]


@dataclass
class Library:
    """The xgboost of this process, with the parameters that every case shares."""

    xgb: Any
    version: str

    @property
    def number(self) -> Tuple[int, int]:
        major, minor = self.version.split(".")[:2]
        return int(major), int(minor)

    def params(self, **more: Any) -> Dict[str, Any]:
        return {"nthread": 1, "seed": 1, "max_depth": 3, "eta": 0.4, "verbosity": 0, **more}

    def matrix(self, table: Table, y: Optional[np.ndarray] = None, **more: Any) -> Any:
        types = ["c" if c.kind == "code" else "q" for c in table.columns]
        if "c" in types and "feature_types" not in more:
            more["feature_types"] = types
            more["enable_categorical"] = True
        return self.xgb.DMatrix(table.matrix(), label=y, nthread=1, **more)

    def train(
        self,
        table: Table,
        y: np.ndarray,
        rounds: int = 4,
        matrix: Optional[Dict] = None,
        **params: Any,
    ) -> Any:
        d = self.matrix(table, y, **(matrix or {}))
        return self.xgb.train(self.params(**params), d, num_boost_round=rounds)

    def classifier(self, **params: Any) -> Any:
        return self.xgb.XGBClassifier(**self.wrapped(params))

    def regressor(self, **params: Any) -> Any:
        return self.xgb.XGBRegressor(**self.wrapped(params))

    def wrapped(self, params: Dict[str, Any]) -> Dict[str, Any]:
        out = {
            "n_estimators": 4,
            "max_depth": 3,
            "learning_rate": 0.4,
            "n_jobs": 1,
            "random_state": 1,
        }
        out["verbosity"] = 0
        out.update(params)
        return out


CASES: List[Case] = []


def json_file(version: str) -> str:
    return "json"


def ubj_file(version: str) -> str:
    """UBJSON came with 1.6."""
    return "json" if version.startswith(("1.0", "1.2")) else "ubj"


def case(
    task: str, versions: Sequence[str] = (NEWEST,), ubj: bool = False, name: Optional[str] = None
) -> Callable:
    def add(train: Callable[[Library], Trained]) -> Callable[[Library], Trained]:
        extension = ubj_file if ubj else json_file
        CASES.append(Case(name or train.__name__, task, tuple(versions), train, extension))
        return train

    return add
