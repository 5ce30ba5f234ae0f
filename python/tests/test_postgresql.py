"""PostgreSQL's connections, of psycopg and psycopg2, beside a server that the environment names (PGHOST; the suite
runs beside tools/postgres_server.sh). Without one, the tests are skipped."""

from __future__ import annotations

import contextlib
import io
import os
import re
import unittest
from typing import Any, List

import numpy
from lightgbm import LGBMClassifier
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from xgboost import XGBClassifier, XGBRegressor

import hbscore
from support import CHANCE, DEMO, PASSENGER, ROOT, chosen, same_numbers, sql_cell, table, truth

try:
    import psycopg
    import psycopg2
except ImportError:
    psycopg = psycopg2 = None

TITANIC = DEMO / "titanic.json"
SERVER = os.environ.get("HBSCORE_SERVER") and psycopg


def connect(driver: Any) -> Any:
    connection = driver.connect("")
    connection.autocommit = True
    connection.cursor().execute("DROP EXTENSION IF EXISTS hbscore CASCADE")
    connection.cursor().execute("CREATE EXTENSION hbscore")
    return connection


def ask(connection: Any, sql: str, *values: Any) -> Any:
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
        return cursor.fetchone()[0]


def scored(connection: Any, function: str, name: str, frame: Any) -> List[Any]:
    """By name, through a table that has the frame's columns."""
    types = {"f": "float8", "i": "bigint", "b": "boolean"}
    columns = {c: types.get(frame[c].dtype.kind, "text") for c in frame.columns}
    with connection.cursor() as cursor:
        cursor.execute("DROP TABLE IF EXISTS cells")
        cursor.execute(
            "CREATE TABLE cells (id serial, %s)" % ", ".join(f'"{c}" {t}' for c, t in columns.items())
        )
        insert = "INSERT INTO cells (%s) VALUES (%s)" % (
            ", ".join(f'"{c}"' for c in columns),
            ", ".join(["%s"] * len(columns)),
        )
        for row in frame.itertuples(index=False):
            cursor.execute(insert, [sql_cell(cell) for cell in row])
        cursor.execute(f"SELECT {function}(%s::text, c.*) FROM cells AS c ORDER BY id", (name,))
        return [row[0] for row in cursor.fetchall()]


@unittest.skipUnless(SERVER, "no PostgreSQL server beside the tests, or no psycopg")
class PostgreSQL(unittest.TestCase):
    def connections(self) -> Any:
        """One of each driver, at its turn: each begins with an empty extension."""
        for driver in (psycopg, psycopg2):
            connection = connect(driver)
            self.addCleanup(connection.close)
            yield connection
            connection.close()

    def test_a_file_by_bytes_and_path(self):
        for connection in self.connections():
            for version, model in enumerate([TITANIC, str(TITANIC), TITANIC.read_bytes()], 1):
                self.assertEqual(hbscore.register(connection, "titanic", model), version)
            sql = (
                "SELECT predict_probability('titanic@3', 1, %s::int, %s::text, %s::float8, %s::int, %s::int,"
                " %s::float8, %s::text)"
            )
            self.assertEqual(ask(connection, sql, *PASSENGER), CHANCE)

    def test_options_are_stored(self):
        for connection in self.connections():
            hbscore.register(connection, "m", TITANIC, classes=("died", "survived"), description="80 rounds")
            stored = ask(connection, "SELECT options FROM hbscore.models")
            self.assertEqual(stored["classes"], ["died", "survived"])
            self.assertEqual(ask(connection, "SELECT description FROM hbscore.models"), "80 rounds")

    def test_deploy_and_drop(self):
        for connection in self.connections():
            for _ in range(3):
                hbscore.register(connection, "m", TITANIC)
            self.assertEqual(hbscore.deploy(connection, "m", 1), 1)
            self.assertEqual(hbscore.deploy(connection, "m", 2, "champion"), 2)
            self.assertTrue(ask(connection, "SELECT hbscore.pin('m')::text").startswith("m@1#"))
            self.assertEqual(hbscore.drop(connection, "m", 3), 1)
            self.assertEqual(hbscore.drop(connection, "m"), 2)

    def test_inspect_says_what_sqlite_says(self):
        lines = hbscore.inspect(connect_sqlite(), TITANIC, classes=["died", "survived"])
        for connection in self.connections():
            self.assertEqual(hbscore.inspect(connection, TITANIC, classes=["died", "survived"]), lines)

    def test_errors_of_the_database_pass_through(self):
        for connection in self.connections():
            with self.assertRaisesRegex(Exception, 'model "m": '):
                hbscore.register(connection, "m", b"tree")
            with self.assertRaisesRegex(Exception, 'unknown model "nosuch"'):
                hbscore.deploy(connection, "nosuch", 1)

    def test_takes_part_in_the_transaction(self):
        for connection in self.connections():
            connection.autocommit = False
            hbscore.register(connection, "m", TITANIC)
            connection.rollback()
            self.assertEqual(ask(connection, "SELECT count(*) FROM hbscore.models"), 0)
            connection.rollback()

    def test_rows_are_tuples_whatever_the_application_makes_of_its_own(self):
        connection = connect(psycopg)
        connection.row_factory = psycopg.rows.dict_row
        self.assertEqual(hbscore.register(connection, "m", TITANIC), 1)
        self.assertEqual(hbscore.inspect(connection, TITANIC)[0].role, "model")
        connection.close()

    def test_fitted_objects_with_golden_rows(self):
        frame = table()
        numbers = frame[["age", "monthly fee", "calls"]].fillna(0.0)
        labels = chosen(frame, ["high", "low", "none"])
        cases = [
            (XGBRegressor(n_estimators=5, n_jobs=1), numbers, truth(frame), 0.0),
            (LGBMClassifier(n_estimators=5, n_jobs=1, verbose=-1), numbers, labels, 1e-15),
            (RandomForestRegressor(5, random_state=0), numbers, truth(frame), 0.0),
            (make_pipeline(StandardScaler(), LogisticRegression()), numbers, labels, 1e-12),
        ]
        connection = connect(psycopg)
        for model, data, target, relative in cases:
            with self.subTest(type(model).__name__):
                model.fit(data, target)
                version = hbscore.register(connection, "m", model, sample=data)
                golden = ask(connection, "SELECT ok FROM hbscore.verify(%s)", f"m@{version}")
                self.assertIs(golden, True)
                self.same_answers(connection, f"m@{version}", model, data, relative)
        connection.close()

    def same_answers(self, connection: Any, name: str, model: Any, data: Any, relative: float) -> None:
        if hasattr(model, "predict_proba"):
            self.assertEqual(scored(connection, "predict_label", name, data), list(model.predict(data)))
            found = scored(connection, "predict_proba", name, data)
            self.assertTrue(same_numbers(found, model.predict_proba(data), relative), name)
            return
        found = [[value] for value in scored(connection, "predict", name, data)]
        self.assertTrue(same_numbers(found, numpy.asarray(model.predict(data)), relative), name)

    def test_a_typed_function_takes_parameters_without_types(self):
        """psycopg sends texts without a type, which a function of "any" arguments refuses."""
        connection = connect(psycopg)
        hbscore.register(connection, "titanic", TITANIC)
        given = [None if cell is None else str(cell) for cell in PASSENGER]
        marks = ", ".join(["%s"] * len(given))
        with self.assertRaises(psycopg.errors.IndeterminateDatatype):
            ask(connection, f"SELECT predict('titanic', {marks})", *given)
        ask(connection, "SELECT hbscore.create_predict_function('titanic', 'fate')")
        self.assertEqual(ask(connection, f"SELECT fate({marks})", *given), 1.0)
        self.assertEqual(ask(connection, "SELECT fate(sex => %s, pclass => %s, age => NULL, sibsp => NULL,"
                             " parch => NULL, fare => NULL, embarked => NULL)", "male", "3"), 0.0)
        connection.close()

    def test_the_example_of_the_documentation(self):
        page = (ROOT / "docs" / "python.md").read_text()
        found = re.search(r"^```python postgresql\n(.*?)^```\n\n```text\n(.*?)^```\n", page, re.M | re.S)
        connect(psycopg).close()
        printed = io.StringIO()
        before = os.getcwd()
        os.chdir(ROOT)
        try:
            with contextlib.redirect_stdout(printed):
                exec(compile(found[1], "python.md", "exec"), {"__name__": "page"})
        finally:
            os.chdir(before)
        self.assertEqual(printed.getvalue(), found[2])

    def test_labels_that_are_numbers(self):
        frame = table()
        numbers = frame[["age", "monthly fee", "calls"]]
        model = XGBClassifier(n_estimators=5, n_jobs=1).fit(numbers, chosen(frame, [0, 1]))
        for connection in self.connections():
            hbscore.register(connection, "m", model, sample=numbers)
            self.assertEqual(scored(connection, "predict", "m", numbers), list(model.predict(numbers)))


def connect_sqlite() -> Any:
    from support import connect_sqlite3

    return connect_sqlite3()


if __name__ == "__main__":
    unittest.main()
