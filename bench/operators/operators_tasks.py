"""operators_tasks.py - a task of the benchmark, the list of all, and the rows that several have."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, List

import numpy as np
from sklearn.datasets import load_iris

TRAINED_ON = 10_000

#: Rows of the families that are slow in a peer: a million would take it a minute.
FEWER = 100_000


@dataclass
class Task:
    name: str
    title: str
    function: str  # predict, predict_values, predict_proba or transform
    model: Any
    data: Any  # an array or a DataFrame, as the model was fitted
    dense: bool = False  # mostly a product of matrices
    in_batches: float = 1.0  # how many times as fast as the faster peer it must be
    by_row: float = 1.0
    by_row_of_sklearn: float = 1.0  # the same of scikit-learn alone
    most_ns: float = 0.0  # of a row in batches; 0: any
    most: int = 0  # rows at once, where a peer needs memory for all of them; 0: any
    onnx_most: int = 0  # of them ONNX Runtime gets in one call, where it makes a dense block of them; 0: all
    in_sql: bool = True  # a table of SQLite can have so many columns
    memory: bool = False  # that of the core's process is printed

    @property
    def method(self) -> str:
        """scikit-learn's name of the function."""
        return "predict" if self.function == "predict_values" else self.function

    @property
    def labels(self) -> bool:
        """True if the answer is a class, a cluster or a component."""
        known = ("classes_", "cluster_centers_", "precisions_cholesky_")
        return self.function == "predict" and any(hasattr(self.model, name) for name in known)


@dataclass
class Spec:
    name: str
    make: Callable[[str, int], Task]


SPECS: List[Spec] = []


def spec(name: str) -> Callable:
    def add(make: Callable[[str, int], Task]) -> Callable:
        SPECS.append(Spec(name, make))
        return make

    return add


def widened_iris(rows: int) -> Any:
    """Distinct rows: each a row of iris, five times side by side, with noise."""
    rng = np.random.RandomState(11)
    iris = load_iris()
    picked = rng.randint(len(iris.target), size=rows)
    data = np.tile(iris.data[picked], 5) + rng.normal(0, 0.1, (rows, 20))
    return data.astype(np.float32), iris.target[picked]


def noisy(rows: int, columns: int) -> Any:
    """A product of two columns and noise."""
    rng = np.random.RandomState(15)
    x = rng.randn(min(rows, FEWER), columns).astype(np.float32)
    return x, x[:, 0] * x[:, 1] + 0.6 * rng.randn(len(x))


def family(name: str, title: str, model: Any, function: str = "predict", trained_on: int = TRAINED_ON, **more: Any) -> None:
    """A family of estimators over widened iris. One row is 20 times as fast as scikit-learn's."""

    @spec(name)
    def make(_: str, rows: int) -> Task:
        x, y = widened_iris(min(rows, FEWER))
        fitted = model.fit(x[:trained_on], y[:trained_on])
        return Task(name, title, function, fitted, x, by_row_of_sklearn=20, **more)
