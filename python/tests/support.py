"""What the tests share: tables to train on, connections of both kinds, and the comparison of a model's
own answers with those of SQL."""

from __future__ import annotations

import atexit
import json
import math
import shutil
import sqlite3
import tempfile
import unittest
from pathlib import Path
from typing import Any, Dict, List, Optional, Sequence, Tuple

import apsw
import numpy
import pandas

import hbscore
from hbscore import loading

ROOT = Path(__file__).resolve().parents[2]
DEMO = ROOT / "demo" / "models"
PASSENGER = (1, "female", 29.0, 0, 0, 211.3375, "S")
CHANCE = 0.91241276264190674  # XGBoost's, from demo/expected/titanic.csv


def connect_sqlite3() -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:")
    hbscore.load(connection)
    return connection


def copy_of_extension() -> str:
    """One for apsw's own SQLite."""
    folder = tempfile.mkdtemp()
    atexit.register(shutil.rmtree, folder)
    return shutil.copy(loading.extension_path(), folder)


COPY = copy_of_extension()


def connect_apsw() -> apsw.Connection:
    connection = apsw.Connection(":memory:")
    hbscore.load(connection, COPY)
    return connection


CONNECTIONS = {"sqlite3": connect_sqlite3, "apsw": connect_apsw}


def ask(connection: Any, sql: str, *values: Any) -> Any:
    return list(connection.execute(sql, values))[0][0]


def table(rows: int = 400, plans: Sequence[str] = ("gold", "silver", "café")) -> pandas.DataFrame:
    """Numbers with and without missing ones, integers, a text category, and a name with a space."""
    random = numpy.random.default_rng(1)
    frame = pandas.DataFrame(
        {
            "age": random.normal(40, 10, rows),
            "monthly fee": random.normal(size=rows).astype("float32"),
            "calls": random.integers(0, 50, rows),
            "plan": pandas.Categorical(random.choice(plans, rows)),
        }
    )
    frame.loc[frame.index % 7 == 0, "age"] = numpy.nan
    return frame


def truth(frame: pandas.DataFrame) -> numpy.ndarray:
    """A number to be learnt from the table."""
    noise = numpy.random.default_rng(2).normal(size=len(frame))
    return (
        frame["age"].fillna(30) / 10 + frame["monthly fee"] + (frame["plan"] == "gold") * 2 + noise
    ).to_numpy()


def chosen(frame: pandas.DataFrame, labels: List[Any]) -> numpy.ndarray:
    """One of the labels for each row, in equal parts by `truth`."""
    order = truth(frame).argsort().argsort()
    return numpy.array(labels)[order * len(labels) // len(frame)]


def sql_cell(value: Any) -> Any:
    """A cell as an application binds it."""
    if isinstance(value, numpy.generic):
        value = value.item()
    return None if isinstance(value, float) and math.isnan(value) else value


def cells(data: Any) -> List[Tuple[Any, ...]]:
    if isinstance(data, pandas.DataFrame):
        return [tuple(sql_cell(c) for c in row) for row in data.itertuples(index=False)]
    return [tuple(sql_cell(c) for c in row) for row in data]


def scored(connection: Any, function: str, name: str, data: Any) -> List[Any]:
    """One answer a row, through a table of the database; lists for the functions that give JSON."""
    rows = cells(data)
    columns = ", ".join(f"c{i}" for i in range(len(rows[0])))
    connection.execute("DROP TABLE IF EXISTS cells")
    connection.execute(f"CREATE TABLE cells (id INTEGER PRIMARY KEY, {columns})")
    for row in rows:
        connection.execute(
            f"INSERT INTO cells ({columns}) VALUES ({', '.join('?' * len(row))})", row
        )
    answers = [
        row[0]
        for row in connection.execute(
            f"SELECT {function}(?, {columns}) FROM cells ORDER BY id", (name,)
        )
    ]
    if function in ("predict", "predict_label"):
        return answers
    return [
        [float(str(x).replace("Infinity", "inf")) for x in json.loads(answer)] for answer in answers
    ]


def same_numbers(got: List[List[float]], want: Any, relative: float) -> bool:
    """Bit for bit, or within a part of the number; of two probabilities the smaller is off by as much
    as the larger."""
    wanted = numpy.asarray(want, dtype=float)
    wanted = wanted.reshape(len(wanted), -1)
    found = numpy.asarray(got, dtype=float)
    if found.shape != wanted.shape:
        return False
    scale = numpy.abs(wanted).max(axis=1, keepdims=True) if relative else 0.0
    return bool(((found == wanted) | (numpy.abs(found - wanted) <= relative * scale)).all())


class ModelCase(unittest.TestCase):
    """Cases that compare a fitted model with itself in the database."""

    def agrees(
        self,
        model: Any,
        data: Any,
        prediction: Any = None,
        probabilities: Any = None,
        values: Any = None,
        decision: Any = None,
        relative: float = 0.0,
        **options: Any,
    ) -> None:
        """Registers the model in both kinds of connection, where the database checks the golden rows, and
        compares all rows with what is given."""
        for kind, connect in CONNECTIONS.items():
            with self.subTest(kind):
                connection = connect()
                self.assertEqual(
                    hbscore.register(connection, "m", model, sample=data, **options), 1
                )
                if prediction is not None:
                    self.same_predictions(
                        scored(connection, "predict", "m", data), prediction, relative
                    )
                expected = {
                    "predict_proba": probabilities,
                    "predict_values": values,
                    "decision_function": decision,
                }
                for function, want in expected.items():
                    if want is not None:
                        got = scored(connection, function, "m", data)
                        self.assertTrue(
                            same_numbers(
                                got, want, 0.0 if function == "decision_function" else relative
                            ),
                            function,
                        )
                connection.close()

    def same_predictions(self, got: List[Any], want: Any, relative: float) -> None:
        own = [item.item() if isinstance(item, numpy.generic) else item for item in want]
        for found, wanted in zip(got, own):
            if relative and isinstance(wanted, float):
                self.assertLessEqual(abs(found - wanted), relative * abs(wanted))
            else:
                self.assertEqual(found, wanted)
                self.assertEqual(isinstance(found, str), isinstance(wanted, str))
                self.assertEqual(isinstance(found, float), isinstance(wanted, float))
        self.assertEqual(len(got), len(own))


def stored_options(connection: Any, name: str = "m") -> Dict[str, Any]:
    text: Optional[str] = ask(connection, "SELECT options FROM hbscore_models WHERE name = ?", name)
    return {} if text is None else json.loads(text)
