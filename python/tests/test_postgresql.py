"""PostgreSQL's connections, of psycopg and psycopg2, beside a server that the environment names (PGHOST; the suite
runs beside tools/postgres_server.sh). Without one, the tests are skipped."""

from __future__ import annotations

import contextlib
import datetime
import hashlib
import io
import os
import re
import unittest
from typing import Any, List

import numpy
import pandas
from lightgbm import LGBMClassifier
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
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
FEATURES = ["pclass", "sex", "age", "sibsp", "parch", "fare", "embarked"]
SERVER = os.environ.get("HBSCORE_SERVER") and psycopg


def connect(driver: Any) -> Any:
    connection = driver.connect("")
    connection.autocommit = True
    connection.cursor().execute("DROP EXTENSION IF EXISTS hbscore CASCADE")
    connection.cursor().execute("CREATE EXTENSION hbscore")
    return connection


def stock(connection: Any) -> None:
    """Three passengers and the model that scores them."""
    hbscore.register(connection, "titanic", TITANIC, classes=["died", "survived"], on_unseen="null")
    types = ["int", "text", "float8", "int", "int", "numeric", "text"]
    columns = ", ".join(f"{name} {kind}" for name, kind in zip(FEATURES, types))
    with connection.cursor() as cursor:
        cursor.execute(f"CREATE TEMP TABLE passengers (id int, {columns}, note text)")
        for row in (
            (1, *PASSENGER, None),
            (2, 3, "male", 22, 1, 0, 7.25, "S", "a text"),
            (3, 2, "femme", None, 0, 0, 13, "C", "x"),
        ):
            cursor.execute(f"INSERT INTO passengers VALUES ({', '.join(['%s'] * len(row))})", row)


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

    def test_what_the_database_holds(self):
        for connection in self.connections():
            self.assertEqual(hbscore.models(connection), [])
            golden = {"rows": [[3, "male", 22, 1, 0, 7.25, "S"]], "prediction": ["died"]}
            classes = ["died", "survived"]
            hbscore.register(connection, "titanic", TITANIC, classes=classes, description="all", golden=golden)
            hbscore.register(connection, "titanic", TITANIC, classes=classes, rounds=10)
            hbscore.deploy(connection, "titanic", 1)
            (model,) = hbscore.models(connection)
            self.assertEqual((model.version, model.versions, model.aliases), (1, (1, 2), {"default": 1}))
            self.assertEqual(model.description, "all")
            age = datetime.datetime.now(datetime.timezone.utc) - model.created_at
            self.assertLess(abs(age.total_seconds()), 3600)
            first, second = hbscore.versions(connection, "titanic")
            data = TITANIC.read_bytes()
            self.assertEqual((first.sha256, first.size), (hashlib.sha256(data).hexdigest(), len(data)))
            self.assertEqual((first.aliases, second.options["rounds"]), (("default",), 10))
            self.assertTrue(first.created_by)
            self.assertEqual(hbscore.get_model(connection, "titanic@2"), data)
            self.assertIn(("class", 2, "survived", "text", ""), hbscore.inspect(connection, "titanic@1"))
            found = hbscore.verify(connection, "titanic")
            self.assertEqual(found, [(1, 1, 0.0, True, ""), (2, 0, None, None, "")])
            query = "SELECT 1, 3 AS pclass, 'male' AS sex, 22 AS age, 1 AS sibsp, 0 AS parch, 7.25 AS fare, 'S' AS embarked"
            lines = hbscore.profile(connection, "titanic@1", query, "predict_proba")
            self.assertEqual([lines[0].operator, lines[-1].operator], ["fetch", "all"])
            self.assertIn(("forest", 1), [(line.source, line.rows) for line in lines])
            hbscore.drop(connection, "titanic")
            self.assertEqual(hbscore.models(connection), [])
            self.assertEqual([row.size for row in hbscore.versions(connection, "titanic")], [None, None])
            with self.assertRaisesRegex(Exception, 'unknown model "nosuch"'):
                hbscore.versions(connection, "nosuch")

    def test_settings(self):
        for connection in self.connections():
            self.assertEqual(hbscore.get(connection, "strategy"), "auto")
            self.assertEqual(hbscore.set(connection, "strategy", "tt"), "tt")
            self.assertEqual(hbscore.get(connection, "passes_off"), "")
            self.assertEqual(hbscore.set(connection, "passes_off", "fold_constants"), "fold_constants")
            self.assertEqual(hbscore.set(connection, "passes_off", "all"), "all")
            self.assertEqual(hbscore.set(connection, "plan_cache_size", "1MB"), 1 << 20)
            self.assertEqual(hbscore.set(connection, "plan_cache_size", 1 << 21), 1 << 21)
            self.assertEqual(ask(connection, "SHOW hbscore.plan_cache_size"), "2MB")
            self.assertEqual(hbscore.set(connection, "batch_rows", 100), 100)
            self.assertEqual(hbscore.set(connection, "batch", "off"), "off")
            with self.assertRaisesRegex(hbscore.InvalidValue, 'unknown setting "cache"; there are: batch, '):
                hbscore.set(connection, "cache", 1)
            with self.assertRaisesRegex(Exception, 'invalid value for parameter "hbscore.strategy"'):
                hbscore.set(connection, "strategy", "fast")

    def test_score_of_a_query(self):
        for connection in self.connections():
            stock(connection)
            frame = hbscore.score(connection, "titanic", "SELECT * FROM passengers ORDER BY id DESC;")
            self.assertEqual(list(frame.columns[-3:]), ["note", "prediction", "probability"])
            self.assertEqual(frame["prediction"].tolist(), [None, "died", "survived"])
            self.assertEqual(frame["probability"].tolist()[2], CHANCE)
            sql = "SELECT p.*, p.id FROM passengers AS p WHERE note LIKE {} -- 100%"
            frame = hbscore.score(connection, "titanic", sql.format("'a%'"))
            self.assertEqual((frame["prediction"].tolist(), list(frame.columns).count("id")), (["died"], 2))
            frame = hbscore.score(connection, "titanic", sql.format("%s").replace("100%", ""), ("a%",))
            self.assertEqual(frame["prediction"].tolist(), ["died"])
            frame = hbscore.score(connection, "titanic", sql.format("%(note)s").replace("100%", ""), {"note": "z%"})
            self.assertEqual((len(frame), frame.columns[-1]), (0, "probability"))
            row = next(hbscore.score_rows(connection, "titanic@1", "SELECT * FROM passengers WHERE id = 1"))
            self.assertEqual((row["prediction"], row["probability"], row["id"]), ("survived", CHANCE, 1))
            columns = "pclass AS a, sex AS b, age AS c, sibsp AS d, parch AS e, fare AS f, embarked AS g"
            frame = hbscore.score(connection, "titanic", f"SELECT {columns} FROM passengers WHERE id = 1")
            self.assertEqual(frame["probability"].tolist(), [CHANCE])
            for wrong, message in (
                ("SELECT pclass, sex, 1 AS x FROM passengers", 'the query has no column "age"'),
                ("SELECT *, 1 AS prediction FROM passengers", 'the query has a column "prediction"'),
            ):
                with self.assertRaisesRegex(hbscore.InvalidValue, message):
                    hbscore.score(connection, "titanic", wrong)

    def test_score_of_a_frame(self):
        frame = table(12_000)
        frame["born"] = pandas.Timestamp("1970-01-01")
        features = ["age", "monthly fee", "calls", "plan"]
        model = XGBClassifier(n_estimators=5, n_jobs=1, enable_categorical=True)
        model.fit(frame[features], chosen(frame, [0, 1, 2]))
        own = model.predict_proba(frame[features])
        for connection in self.connections():
            hbscore.register(connection, "50% \\o'm", model, sample=frame[features])
            scored = hbscore.score(connection, "50% \\o'm", frame)
            self.assertEqual(scored["prediction"].tolist(), model.predict(frame[features]).tolist())
            self.assertEqual(scored["probability"].tolist(), own.max(axis=1).astype(float).tolist())
            self.assertTrue(scored[frame.columns].equals(frame))
            again = hbscore.score(connection, "50% \\o'm", frame[:0])
            self.assertEqual((len(again), again.columns[-1]), (0, "probability"))

    def test_score_with_names_that_are_shown_otherwise(self):
        features = ['a"b', "a\nb", "0" * 300, "\\x22", "e", "f", "g"]
        for connection in self.connections():
            hbscore.register(connection, "m", TITANIC, features=features, classes=["\x7f", 'n"' * 300])
            frame = pandas.DataFrame([(0, *PASSENGER)] * 2, columns=["other", *features])
            self.assertEqual(hbscore.score(connection, "m", frame)["prediction"].tolist(), ['n"' * 300] * 2)

    def test_score_of_cells_of_every_kind(self):
        for connection in self.connections():
            stock(connection)
            frame = pandas.DataFrame([(*PASSENGER, None)] * 2, columns=[*FEATURES, "other"])
            mixed = frame.assign(fare=pandas.Series([211, 211.3375], dtype=object), age=[None, None])
            self.assertEqual(len(hbscore.score(connection, "titanic", mixed)), 2)
            self.assertEqual(
                hbscore.score(connection, "titanic", frame.assign(fare=mixed["fare"]))["probability"][1], CHANCE
            )
            mixed = frame.assign(sex=pandas.Series(["male", 1], dtype=object))
            with self.assertRaisesRegex(hbscore.InvalidValue, "column sex has numbers and texts"):
                hbscore.score(connection, "titanic", mixed)

    def test_score_of_labels_and_numbers(self):
        frame = table()
        numbers = frame[["age", "monthly fee", "calls"]].fillna(0.0)
        connection = connect(psycopg)
        for labels in ([1.0, 2.0], [10, 20], [False, True]):
            model = RandomForestClassifier(3, random_state=0).fit(numbers, chosen(frame, labels))
            hbscore.register(connection, "m", model)
            scored = hbscore.score(connection, "m", numbers)["prediction"].tolist()
            self.assertEqual(scored, model.predict(numbers).tolist())
            self.assertIsInstance(scored[0], type(labels[0]))
        model = RandomForestRegressor(3, random_state=0).fit(numbers.to_numpy(), truth(frame))
        hbscore.register(connection, "m", model)
        scored = hbscore.score(connection, "m", numbers)
        self.assertEqual(scored["prediction"].tolist(), model.predict(numbers.to_numpy()).tolist())
        self.assertNotIn("probability", scored)
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
