"""register, deploy, drop, inspect and export, with files and with what cannot be registered."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import apsw
import numpy
import pandas
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import hbscore
from support import (
    CHANCE,
    CONNECTIONS,
    DEMO,
    PASSENGER,
    ask,
    connect_apsw,
    connect_sqlite3,
    stored_options,
)

TITANIC = DEMO / "titanic.json"
SURVIVED = "SELECT predict_probability(?, 1, ?, ?, ?, ?, ?, ?, ?)"


class Files(unittest.TestCase):
    def test_bytes_and_paths(self):
        data = TITANIC.read_bytes()
        for kind, connect in CONNECTIONS.items():
            with self.subTest(kind):
                connection = connect()
                given = [data, bytearray(data), memoryview(data), TITANIC, str(TITANIC)]
                for version, model in enumerate(given, 1):
                    self.assertEqual(hbscore.register(connection, "titanic", model), version)
                self.assertEqual(ask(connection, SURVIVED, "titanic@5", *PASSENGER), CHANCE)
                self.assertEqual(
                    ask(connection, "SELECT count(DISTINCT sha256) FROM hbscore_models"), 1
                )

    def test_options(self):
        connection = connect_sqlite3()
        hbscore.register(
            connection,
            "m",
            TITANIC,
            classes=("died", "survived"),
            on_unseen="null",
            description=None,
        )
        self.assertEqual(
            stored_options(connection), {"classes": ["died", "survived"], "on_unseen": "null"}
        )

    def test_versions(self):
        for kind, connect in CONNECTIONS.items():
            with self.subTest(kind):
                connection = connect()
                for _ in range(3):
                    hbscore.register(connection, "m", TITANIC)
                self.assertEqual(hbscore.deploy(connection, "m", 2), 2)
                self.assertEqual(hbscore.deploy(connection, "m", 1, "champion"), 1)
                self.assertEqual(hbscore.drop(connection, "m", 3), 1)
                aliases = list(
                    connection.execute("SELECT alias, version FROM hbscore_aliases ORDER BY 1")
                )
                self.assertEqual(aliases, [("champion", 1), ("default", 2)])
                self.assertEqual(hbscore.drop(connection, "m"), 2)

    def test_inspect(self):
        for connect in CONNECTIONS.values():
            connection = connect()
            lines = hbscore.inspect(connection, TITANIC, classes=["died", "survived"])
            self.assertIn(
                hbscore.Line("feature", 2, "sex", "text", "2 categories: female, male"), lines
            )
            self.assertIn(("class", 2, "survived", "text", ""), lines)
            self.assertEqual(ask(connection, "SELECT count(*) FROM sqlite_master"), 0)

    def test_rows_of_the_applications_own(self):
        connection = connect_sqlite3()
        connection.row_factory = lambda cursor, row: dict(
            zip([d[0] for d in cursor.description], row)
        )
        self.assertEqual(hbscore.register(connection, "m", TITANIC), 1)
        self.assertEqual(hbscore.inspect(connection, TITANIC)[0].role, "model")
        connection = connect_apsw()
        connection.row_trace = lambda cursor, row: {"row": row}
        self.assertEqual(hbscore.register(connection, "m", TITANIC), 1)

    def test_transactions(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "data.db")
            connection = sqlite3.connect(path)
            hbscore.load(connection)
            hbscore.register(connection, "kept", TITANIC)
            connection.execute("BEGIN")
            hbscore.register(connection, "gone", TITANIC)
            connection.rollback()
            connection.close()
            self.assertEqual(
                sqlite3.connect(path).execute("SELECT name FROM hbscore_models").fetchall(),
                [("kept",)],
            )


class Errors(unittest.TestCase):
    def test_the_databases_pass_through(self):
        connection = connect_sqlite3()
        with self.assertRaisesRegex(sqlite3.OperationalError, 'model "m": this is a Python pickle'):
            hbscore.register(connection, "m", b"\x80\x04\x95\x00")
        with self.assertRaisesRegex(sqlite3.OperationalError, 'unknown option "class"'):
            hbscore.register(connection, "m", TITANIC, **{"class": ["a", "b"]})
        with self.assertRaisesRegex(sqlite3.OperationalError, "no such function"):
            hbscore.register(sqlite3.connect(":memory:"), "m", TITANIC)
        with self.assertRaises(apsw.SQLError):
            hbscore.register(connect_apsw(), "m@1", TITANIC)
        with self.assertRaises(FileNotFoundError):
            hbscore.register(connection, "m", "nowhere.json")

    def test_scikit_learn(self):
        """A pipeline scores in SQL as in Python; what cannot be exported is named."""
        random = numpy.random.default_rng(3)
        x = random.normal(size=(200, 3))
        y = numpy.where(x[:, 0] + x[:, 1] > 0, "up", "down")
        pipeline = make_pipeline(StandardScaler(), LogisticRegression()).fit(x, y)
        forest = RandomForestClassifier(5, max_depth=4, random_state=1).fit(x, y)
        connection = connect_sqlite3()
        for model in (pipeline, forest):
            hbscore.register(connection, "m", model)
            for row, label, chance in zip(x, model.predict(x), model.predict_proba(x)[:, 1]):
                got = connection.execute(
                    "SELECT predict('m', ?, ?, ?), predict_probability('m', 'up', ?, ?, ?)", [*row, *row]
                ).fetchone()
                self.assertEqual(got[0], label)
                self.assertAlmostEqual(got[1], chance, delta=1e-14)
        with self.assertRaisesRegex(hbscore.UnsupportedModel, "SVC with a kernel that is a function is not supported"):
            hbscore.export(SVC(kernel=lambda a, b: a @ b.T).fit(x, y), x)

    def test_other_objects(self):
        for thing in (None, 3, [1], object(), Path):
            with self.assertRaisesRegex(hbscore.UnsupportedModel, "is not a fitted"):
                hbscore.export(thing)

    def test_tables_and_models_are_not_printed(self):
        """Data of the application would end up in logs."""
        secret = "8273645"
        table = pandas.DataFrame({"salary": [int(secret)] * 3, "name": ["x" * 50 + secret] * 3})
        model = LogisticRegression().fit(numpy.eye(4), [0, 1, 0, 1])
        model.random_state = int(secret)
        connection = connect_sqlite3()
        calls = [
            lambda: hbscore.register(connection, "m", table),
            lambda: hbscore.register(connection, "m", table, sample=table),
            lambda: hbscore.register(connection, "m", table.to_numpy()),
            lambda: hbscore.register(connection, "m", [table]),
            lambda: hbscore.register(connection, "m", {"model": model}),
            lambda: hbscore.register(connection, "m", model, features=table),
            lambda: hbscore.register(connection, "m", model, classes=[table, table]),
            lambda: hbscore.register(connection, "m", model, golden={"rows": model}),
            lambda: hbscore.register(connection, "m", model, sample=[table]),
            lambda: hbscore.register(connection, "m", TITANIC, sample=table),
            lambda: hbscore.export(model, [table] * 4),
            lambda: hbscore.export(make_pipeline(StandardScaler(), table)),
            lambda: hbscore.inspect(connection, table),
        ]
        for i, call in enumerate(calls):
            with self.subTest(i), self.assertRaises(Exception) as caught:
                call()
            self.assertNotIn(secret, str(caught.exception))
            self.assertLess(len(str(caught.exception)), 400)

    def test_all_are_one_class(self):
        for kind in (hbscore.LoadError, hbscore.UnsupportedModel, hbscore.InvalidValue):
            self.assertTrue(issubclass(kind, hbscore.Error))


class Imports(unittest.TestCase):
    def test_only_numpy_is_imported(self):
        others = ("pandas", "sklearn", "xgboost", "lightgbm", "catboost", "apsw")
        code = f"import sys, hbscore; print([m for m in {others} if m in sys.modules])"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        self.assertEqual(done.stdout, "[]\n", done.stderr)


if __name__ == "__main__":
    unittest.main()
