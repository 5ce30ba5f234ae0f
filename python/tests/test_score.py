"""score and score_rows in SQLite: the model's own answers, wherever the rows come from, and nothing left behind."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import subprocess
import sys
import tempfile
import unittest

import apsw
import numpy
import pandas
from lightgbm import LGBMClassifier
from sklearn.linear_model import LinearRegression
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeRegressor
from xgboost import XGBClassifier, XGBRegressor

import hbscore
from support import CHANCE, CONNECTIONS, DEMO, PASSENGER, ask, chosen, connect_apsw, connect_sqlite3, table, truth

TITANIC = DEMO / "titanic.json"
FEATURES = ["pclass", "sex", "age", "sibsp", "parch", "fare", "embarked"]
ERRORS = (sqlite3.Error, apsw.Error)
FRAME = table(1500)
NUMBERS = FRAME[["age", "monthly fee", "calls"]]


def stocked(connect):
    """Three passengers, in a transaction that is committed."""
    connection = connect()
    hbscore.register(connection, "titanic", TITANIC, classes=["died", "survived"], on_unseen="null")
    connection.execute(f"CREATE TABLE passengers (id INTEGER PRIMARY KEY, {', '.join(FEATURES)}, note)")
    rows = [
        (1, *PASSENGER, b"\x00\x01"),
        (2, 3, "male", 22, 1, 0, 7.25, "S", "a text"),
        (3, 2, "femme", None, 0, 0, 13, "C", None),
    ]
    for row in rows:
        connection.execute(f"INSERT INTO passengers VALUES ({', '.join('?' * len(row))})", row)
    if hasattr(connection, "commit"):
        connection.commit()
    return connection


def left(connection):
    """What a call has left in the connection."""
    return list(connection.execute("SELECT name FROM sqlite_temp_master")), in_transaction(connection)


def in_transaction(connection):
    return connection.in_transaction if hasattr(connection, "in_transaction") else not connection.getautocommit()


class Score(unittest.TestCase):
    def connections(self):
        for kind, connect in CONNECTIONS.items():
            with self.subTest(kind):
                connection = stocked(connect)
                yield connection
                self.assertEqual(left(connection), ([], False))
                connection.close()

    def test_a_query(self):
        for connection in self.connections():
            frame = hbscore.score(connection, "titanic", "SELECT * FROM passengers ORDER BY id DESC;")
            self.assertEqual(list(frame.columns), ["id", *FEATURES, "note", "prediction", "probability"])
            self.assertEqual(frame["id"].tolist(), [3, 2, 1])
            self.assertEqual(frame["note"].tolist(), [None, "a text", b"\x00\x01"])
            self.assertEqual(frame["prediction"].tolist(), [None, "died", "survived"])
            self.assertEqual(frame["probability"].tolist()[2], CHANCE)
            self.assertTrue(numpy.isnan(frame["probability"][0]))
            self.assertEqual(frame["probability"].dtype, "float64")

    def test_parameters(self):
        for connection in self.connections():
            sql = "SELECT * FROM passengers WHERE sex = {} AND fare > {} -- of whom?"
            frame = hbscore.score(connection, "titanic@1", sql.format("?", "?"), ("male", 5))
            self.assertEqual(frame["id"].tolist(), [2])
            frame = hbscore.score(connection, "titanic", sql.format(":sex", ":fare"), {"sex": "male", "fare": 5})
            self.assertEqual(frame["prediction"].tolist(), ["died"])

    def test_values_beside_parameters_keep_their_types(self):
        for connection in self.connections():
            connection.execute("CREATE TABLE codes (code INTEGER)")
            sql = "SELECT code, p.* FROM codes, passengers AS p UNION ALL SELECT '007', p.* FROM passengers AS p WHERE id = {}"
            for query, parameters in ((sql.format(1), None), (sql.format("?"), (1,))):
                frame = hbscore.score(connection, "titanic", query, parameters)
                self.assertEqual(frame["code"].tolist(), ["007"])

    def test_a_query_without_rows(self):
        for connection in self.connections():
            frame = hbscore.score(connection, "titanic", "SELECT * FROM passengers WHERE id > 5")
            self.assertEqual((len(frame), frame.columns[-1]), (0, "probability"))
            empty = FRAME[:0].assign(**dict.fromkeys(FEATURES, 0))
            self.assertEqual(len(hbscore.score(connection, "titanic", empty)), 0)

    def test_two_columns_of_one_name(self):
        for connection in self.connections():
            frame = hbscore.score(connection, "titanic", "SELECT p.*, p.note FROM passengers AS p WHERE id = 1")
            self.assertEqual(frame["prediction"].tolist(), ["survived"])
            self.assertEqual(len(frame.columns), 12)

    def test_by_position(self):
        for connection in self.connections():
            columns = ", ".join(f"{name} AS c{i}" for i, name in enumerate(FEATURES))
            frame = hbscore.score(connection, "titanic", f"SELECT {columns} FROM passengers WHERE id = 1")
            self.assertEqual(frame["probability"].tolist(), [CHANCE])

    def test_a_frame(self):
        frame = pandas.DataFrame(
            {
                "born": pandas.to_datetime(["1960-01-01", "1970-01-01", None]),
                "EMBARKED": pandas.Categorical(["S", "S", "C"]),
                "fare": [211.3375, 7.25, 13.0],
                "sex": ["female", "male", "femme"],
                "pclass": numpy.array([1, 3, 2], "uint8"),
                "age": pandas.array([29, 22, None], "Int64"),
                "sibsp": [False, True, False],
                "parch": numpy.zeros(3, "float32"),
            },
            index=["a", "b", "a"],
        )
        for connection in self.connections():
            scored = hbscore.score(connection, "titanic", frame)
            self.assertTrue(scored[frame.columns].equals(frame))
            self.assertEqual(scored.index.tolist(), ["a", "b", "a"])
            self.assertEqual(scored["prediction"].tolist(), ["survived", "died", None])
            self.assertEqual(scored["probability"].tolist()[0], CHANCE)
            self.assertEqual(list(frame.columns)[-1], "parch")

    def test_rows_of_many_blocks(self):
        """Thresholds and missing values of every kind: each row has the bits of the model's own answer."""
        model = XGBClassifier(n_estimators=30, n_jobs=1).fit(NUMBERS, chosen(FRAME, [0, 1, 2]))
        own = model.predict_proba(NUMBERS)
        for connection in self.connections():
            hbscore.register(connection, "m", model, sample=NUMBERS)
            scored = hbscore.score(connection, "m", FRAME)
            self.assertEqual(scored["prediction"].tolist(), model.predict(NUMBERS).tolist())
            self.assertEqual(scored["probability"].tolist(), own.max(axis=1).astype(float).tolist())
            if isinstance(connection, sqlite3.Connection):
                NUMBERS.to_sql("rows", connection)
                again = hbscore.score(connection, "m", "SELECT * FROM rows")
                self.assertEqual(again["prediction"].tolist(), scored["prediction"].tolist())
                self.assertEqual(again["probability"].tolist(), scored["probability"].tolist())

    def test_labels_keep_their_types(self):
        connection = stocked(connect_sqlite3)
        for labels in ([1.0, 2.0], [10, 20], [False, True], ["no", "yes"]):
            model = LGBMClassifier(n_estimators=3, n_jobs=1, verbose=-1).fit(NUMBERS, chosen(FRAME, labels))
            hbscore.register(connection, "m", model)
            scored = hbscore.score(connection, "m", NUMBERS.rename(columns={"monthly fee": "monthly_fee"}))
            self.assertEqual(scored["prediction"].tolist(), model.predict(NUMBERS).tolist())
            self.assertIsInstance(scored["prediction"].tolist()[0], type(labels[0]))
            connection.execute("CREATE TABLE IF NOT EXISTS rows AS SELECT 30 AS age, 1 AS monthly_fee, 2 AS calls")
            found = hbscore.score(connection, "m", "SELECT * FROM rows")["prediction"].tolist()[0]
            self.assertIsInstance(found, type(labels[0]))

    def test_models_of_numbers(self):
        connection = stocked(connect_sqlite3)
        model = XGBRegressor(n_estimators=5, n_jobs=1).fit(NUMBERS, truth(FRAME))
        hbscore.register(connection, "m", model)
        scored = hbscore.score(connection, "m", NUMBERS)
        self.assertEqual(list(scored.columns), [*NUMBERS.columns, "prediction"])
        self.assertEqual(scored["prediction"].tolist(), model.predict(NUMBERS).astype(float).tolist())

    def test_a_model_without_names_and_of_many_features(self):
        data = numpy.random.default_rng(0).normal(size=(50, 300))
        model = DecisionTreeRegressor(random_state=0).fit(data, data[:, 250] + data[:, 3])
        frame = pandas.DataFrame(data, columns=[f"wide {i}" for i in range(300)])
        for connection in self.connections():
            hbscore.register(connection, "wide", model)
            scored = hbscore.score(connection, "wide", frame)
            self.assertEqual(scored["prediction"].tolist(), model.predict(data).tolist())
            message = "has 299 columns, the model takes 300 features by position"
            with self.assertRaisesRegex(hbscore.InvalidValue, message):
                hbscore.score(connection, "wide", frame.iloc[:, 1:])

    def test_features_that_differ_in_case(self):
        data = pandas.DataFrame({"A": [1.0, 2.0, 3.0], "a": [5.0, 1.0, 0.0]})
        model = LinearRegression().fit(data, [1.0, 5.0, 2.0])
        connection = stocked(connect_sqlite3)
        hbscore.register(connection, "m", model)
        frame = data[["a", "A"]].assign(other="x")
        scored = hbscore.score(connection, "m", frame)["prediction"]
        self.assertTrue(numpy.allclose(scored, model.predict(data), rtol=1e-12))
        with self.assertRaisesRegex(hbscore.InvalidValue, 'no column "a"'):
            hbscore.score(connection, "m", frame[["A", "other"]].assign(b=1))

    def test_a_name_with_quotes(self):
        for connection in self.connections():
            hbscore.register(connection, 'it\'s, (a) "name"', TITANIC)
            scored = hbscore.score(connection, 'it\'s, (a) "name"', "SELECT * FROM passengers WHERE id = 1")
            self.assertEqual(scored["prediction"].tolist(), [1])

    def test_names_that_are_shown_otherwise(self):
        features = ['a"b', "a\nb", "0" * 300, "\\x22", "e", "f", "g"]
        for connection in self.connections():
            hbscore.register(connection, "m", TITANIC, features=features, classes=["\x7f", "n" * 300])
            frame = pandas.DataFrame([(0, *PASSENGER)], columns=["other", *features])
            self.assertEqual(hbscore.score(connection, "m", frame)["prediction"].tolist(), ["n" * 300])

    def test_takes_part_in_a_transaction(self):
        for connect in CONNECTIONS.values():
            connection = stocked(connect)
            if isinstance(connection, apsw.Connection):
                connection.execute("BEGIN")
            connection.execute("UPDATE passengers SET sex = 'female' WHERE id = 2")
            frame = hbscore.score(connection, "titanic", "SELECT * FROM passengers")
            self.assertEqual(frame["sex"].tolist()[1], "female")
            self.assertEqual(len(hbscore.score(connection, "titanic", frame[FEATURES])), 3)
            self.assertEqual(left(connection), ([], True))
            connection.execute("ROLLBACK")
            self.assertEqual(ask(connection, "SELECT sex FROM passengers WHERE id = 2"), "male")

    def test_whatever_the_isolation_level_is(self):
        for level in (None, "", "IMMEDIATE"):
            connection = stocked(lambda: connect_with(level))
            frame = hbscore.score(connection, "titanic", "SELECT * FROM passengers")
            self.assertEqual(len(hbscore.score(connection, "titanic", frame[FEATURES])), 3)
            self.assertEqual(left(connection), ([], False))

    def test_cursors_that_are_open_go_on(self):
        """SQLite drops no table meanwhile: those that are needed stay behind, without rows."""
        for connect in CONNECTIONS.values():
            connection = stocked(connect)
            cursor = connection.execute("SELECT id FROM passengers ORDER BY id")
            self.assertEqual(next(cursor), (1,))
            frame = hbscore.score(connection, "titanic", "SELECT * FROM passengers")
            self.assertEqual(left(connection), ([], False))
            hbscore.score(connection, "titanic", frame[FEATURES])
            hbscore.score(connection, "titanic", "SELECT * FROM passengers WHERE id > ?", (1,))
            self.assertEqual(list(cursor), [(2,), (3,)])
            tables, open_transaction = left(connection)
            self.assertEqual((len(tables), open_transaction), (2, False))
            for (name,) in tables:
                self.assertEqual(ask(connection, f"SELECT count(*) FROM temp.{name}"), 0)

    def test_rows_of_the_applications_own(self):
        connection = stocked(connect_sqlite3)
        connection.row_factory = sqlite3.Row
        self.assertEqual(len(hbscore.score(connection, "titanic", "SELECT * FROM passengers")), 3)
        connection = stocked(connect_apsw)
        connection.row_trace = lambda cursor, row: {"row": row}
        self.assertEqual(len(hbscore.score(connection, "titanic", "SELECT * FROM passengers")), 3)

    def test_a_read_only_file(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "data.db")
            with contextlib.closing(stocked(connect_sqlite3)) as source:
                source.execute("VACUUM INTO ?", (path,))
            reader = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
            hbscore.load(reader)
            frame = hbscore.score(reader, "titanic", "SELECT * FROM passengers")
            self.assertEqual(frame["probability"].tolist()[0], CHANCE)
            self.assertEqual(len(hbscore.score(reader, "titanic", frame[FEATURES])), 3)
            reader.close()


def connect_with(level):
    connection = sqlite3.connect(":memory:", isolation_level=level)
    hbscore.load(connection)
    return connection


class Refused(unittest.TestCase):
    def refuses(self, message, *arguments, error=hbscore.InvalidValue):
        for kind, connect in CONNECTIONS.items():
            with self.subTest(kind):
                connection = stocked(connect)
                with self.assertRaisesRegex(error, message):
                    hbscore.score(connection, *arguments)
                self.assertEqual(left(connection), ([], False))

    def test_columns(self):
        query = "SELECT pclass, sex, 1 AS x FROM passengers"
        self.refuses('feature "age" is not among the columns', "titanic", query, error=ERRORS)
        query = "SELECT *, 1 AS Prediction FROM passengers"
        self.refuses('the query has a column "Prediction", as the scores', "titanic", query)
        frame = pandas.DataFrame([(*PASSENGER, 1)], columns=[*FEATURES, "probability"])
        self.refuses('the DataFrame has a column "probability"', "titanic", frame)
        self.refuses('no column "sex", which is a feature', "titanic", frame[["pclass", "age"]])
        self.refuses("not among the columns", "titanic", "SELECT 1 AS x, 2 AS y", error=ERRORS)
        self.refuses('3 columns, none of which .* the first is "pclass"', "titanic", pandas.DataFrame([[1, 2, 3]]))
        self.refuses("not in the model's order", "titanic", frame[["sex", "pclass", *FEATURES[2:]]].set_axis(
            ["sex", "pclass", *"abcde"], axis=1), error=ERRORS)
        self.refuses('two columns have the name of the feature "sex"', "titanic", frame[[*FEATURES, "sex"]])

    def test_cells(self):
        frame = pandas.DataFrame([PASSENGER], columns=FEATURES)
        self.refuses("column age: 2020-01-01 .* is a date", "titanic", frame.assign(age=pandas.Timestamp("2020-01-01")))
        self.refuses("column fare: .* does not fit into 64 bits", "titanic", frame.assign(fare=[2**64]))
        self.refuses('feature "pclass" takes a number', "titanic", frame.assign(pclass="first"), error=ERRORS)

    def test_queries(self):
        self.refuses("no such table: nowhere", "titanic", "SELECT * FROM nowhere", error=ERRORS)
        self.refuses("syntax error", "titanic", "DELETE FROM passengers", error=ERRORS)
        self.refuses("syntax error", "titanic", "SELECT * FROM passengers; SELECT 1", error=ERRORS)
        self.refuses("not an object of the type list", "titanic", [1, 2])
        frame = pandas.DataFrame([PASSENGER], columns=FEATURES)
        self.refuses("parameters belong to a query", "titanic", frame, (1,))

    def test_models(self):
        self.refuses('unknown model "titanc"; the nearest', "titanc", "SELECT * FROM passengers", error=ERRORS)
        self.refuses("has no version 7", "titanic@7", pandas.DataFrame([PASSENGER], columns=FEATURES), error=ERRORS)

    def test_models_without_one_prediction(self):
        connection = stocked(connect_sqlite3)
        data = NUMBERS.fillna(0.0)
        hbscore.register(connection, "several", DecisionTreeRegressor(max_depth=2).fit(data, data))
        hbscore.register(connection, "scaler", StandardScaler().fit(data))
        for name, message in (("several", "use predict_values"), ("scaler", "use transform")):
            for rows in (data, 'SELECT 1 AS age, 2 AS "monthly fee", 3 AS calls'):
                with self.assertRaisesRegex(sqlite3.Error, message):
                    hbscore.score(connection, name, rows)
                self.assertEqual(left(connection), ([], False))

    def test_an_error_in_a_row(self):
        connection = stocked(connect_sqlite3)
        hbscore.register(connection, "strict", TITANIC)
        with self.assertRaisesRegex(sqlite3.Error, '"femme", which training has not seen'):
            hbscore.score(connection, "strict", "SELECT * FROM passengers")
        self.assertEqual(left(connection), ([], False))


class Rows(unittest.TestCase):
    def test_rows_are_dicts(self):
        for connect in CONNECTIONS.values():
            connection = stocked(connect)
            rows = list(hbscore.score_rows(connection, "titanic", "SELECT * FROM passengers WHERE id < ?", (3,)))
            self.assertEqual([row["prediction"] for row in rows], ["survived", "died"])
            self.assertEqual((rows[0]["probability"], rows[0]["note"]), (CHANCE, b"\x00\x01"))
            self.assertEqual(left(connection), ([], False))

    def test_rows_that_are_not_read(self):
        for connect in CONNECTIONS.values():
            connection = stocked(connect)
            rows = hbscore.score_rows(connection, "titanic", "SELECT * FROM passengers")
            self.assertEqual(next(rows)["id"], 1)
            rows.close()
            self.assertEqual(left(connection), ([], False))

    def test_one_version_for_all(self):
        """A deployment while rows are read."""
        connection = stocked(connect_sqlite3)
        rows = hbscore.score_rows(connection, "titanic", "SELECT * FROM passengers WHERE id < 3")
        first = next(rows)
        hbscore.register(connection, "titanic", TITANIC, classes=["0", "1"])
        self.assertEqual([first["prediction"], next(rows)["prediction"]], ["survived", "died"])

    def test_without_pandas(self):
        code = (
            "import sys; sys.modules['pandas'] = None\n"
            "import sqlite3, hbscore\n"
            "c = sqlite3.connect(':memory:'); hbscore.load(c)\n"
            f"hbscore.register(c, 'titanic', {str(TITANIC)!r})\n"
            f"cells = zip({PASSENGER!r}, {FEATURES!r})\n"
            "query = 'SELECT ' + ', '.join(f'{cell!r} AS {name}' for cell, name in cells)\n"
            f"print(next(hbscore.score_rows(c, 'titanic', query))['probability'] == {CHANCE!r})\n"
            "try: hbscore.score(c, 'titanic', query)\n"
            "except hbscore.Error as error: print(error)\n"
        )
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        self.assertRegex(done.stdout, "^True\nscore gives a pandas DataFrame, and pandas is not installed", done.stderr)
        self.assertIn("hbscore.score_rows", done.stdout)


if __name__ == "__main__":
    unittest.main()
