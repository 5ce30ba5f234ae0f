"""scikit-learn pipelines over texts and numbers with missing values: SQL gives the pipeline's own answers."""

from __future__ import annotations

import csv
import json
import sqlite3
import unittest
from pathlib import Path
from typing import Any, List
from unittest import mock

import numpy
import pandas
from sklearn.cluster import Birch, KMeans
from sklearn.compose import make_column_transformer
from sklearn.decomposition import PCA
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.impute import MissingIndicator, SimpleImputer
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import BernoulliNB, GaussianNB
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler

import hbscore
from support import DEMO, ask, connect_sqlite3

TABLE = Path(DEMO).parent / "data" / "titanic.csv"

NUMBERS, TEXTS = ["age", "fare", "sibsp", "parch"], ["sex", "embarked"]
COLUMNS = ["pclass", "sex", "age", "sibsp", "parch", "fare", "embarked"]


def passengers() -> Any:
    """The demo's table as a DataFrame, its answers, and its rows as SQL has them."""
    with open(TABLE, newline="") as file:
        rows = list(csv.DictReader(file))
    frame = pandas.DataFrame(
        {
            c: [numpy.nan if r[c] == "" else r[c] if c in TEXTS else float(r[c]) for r in rows]
            for c in COLUMNS
        }
    )
    sql = [[None if v != v else v for v in row] for row in frame.values.tolist()]
    return frame, numpy.array([r["fate"] for r in rows]), sql


FRAME, FATES, ROWS = passengers()


def mixed(encoder: Any, imputer: Any, classifier: Any) -> Any:
    numbers = make_pipeline(SimpleImputer(strategy="median"), StandardScaler())
    texts = make_pipeline(imputer, encoder) if imputer else encoder
    columns = make_column_transformer(
        (numbers, NUMBERS), (texts, TEXTS), (OneHotEncoder(), ["pclass"])
    )
    return make_pipeline(columns, classifier).fit(FRAME, FATES)


class Pipelines(unittest.TestCase):
    def same(self, model: Any) -> sqlite3.Connection:
        """Every label, and every probability within a few last bits; the scan gives the same."""
        connection = connect_sqlite3()
        hbscore.register(connection, "m", model)
        connection.execute(f"CREATE TABLE t (id INTEGER PRIMARY KEY, {', '.join(COLUMNS)})")
        connection.executemany(
            f"INSERT INTO t ({', '.join(COLUMNS)}) VALUES (?, ?, ?, ?, ?, ?, ?)", ROWS
        )
        names = ", ".join(COLUMNS)
        got = connection.execute(
            f"SELECT predict('m', {names}), predict_probability('m', 'survived', {names}) FROM t"
        ).fetchall()
        chances = model.predict_proba(FRAME)[:, list(model.classes_).index("survived")]
        self.assertEqual([row[0] for row in got], model.predict(FRAME).tolist())
        numpy.testing.assert_allclose([row[1] for row in got], chances, rtol=1e-13)
        scanned = connection.execute(
            "SELECT prediction FROM hbscore_scan('m', 'SELECT * FROM t ORDER BY id')"
        ).fetchall()
        self.assertEqual([row[0] for row in scanned], [row[0] for row in got])
        return connection

    def answer(self, connection: sqlite3.Connection, *row: Any) -> Any:
        return connection.execute("SELECT predict('m', ?, ?, ?, ?, ?, ?, ?)", row).fetchone()[0]

    def test_the_usual_pipeline(self) -> None:
        encoder = OneHotEncoder(handle_unknown="ignore")
        frequent = SimpleImputer(strategy="most_frequent")
        connection = self.same(mixed(encoder, frequent, LogisticRegression(max_iter=500)))
        self.assertIn(self.answer(connection, 1, "other", 30, 0, 0, 7, "S"), ("died", "survived"))
        with self.assertRaisesRegex(sqlite3.OperationalError, 'feature "pclass" has the value "7.0"'):
            self.answer(connection, 7, "male", 30, 0, 0, 7, "S")
        self.assertIsNone(self.answer(connection, None, "male", 30, 0, 0, 7, "S"))
        self.assertIsNone(self.answer(connection, 1, "male", 9e999, 0, 0, 7, "S"))

    def test_options_of_encoders(self) -> None:
        constant = SimpleImputer(strategy="constant", fill_value="?")
        rare = OneHotEncoder(handle_unknown="infrequent_if_exist", min_frequency=300)
        codes = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1)
        boosted = GradientBoostingClassifier(n_estimators=10)
        forest = RandomForestClassifier(20, max_depth=6, random_state=0)
        self.same(mixed(OneHotEncoder(drop="first"), constant, LogisticRegression(max_iter=500)))
        self.same(mixed(OneHotEncoder(), None, LogisticRegression(max_iter=500)))
        self.same(mixed(rare, constant, boosted))
        self.same(mixed(codes, constant, forest))

    def test_an_unseen_text(self) -> None:
        connection = self.same(mixed(OneHotEncoder(), None, LogisticRegression(max_iter=500)))
        with self.assertRaisesRegex(sqlite3.OperationalError, 'feature "sex" has the value "other"'):
            self.answer(connection, 1, "other", 30, 0, 0, 7, "S")

    def test_types_are_found_without_a_sample(self) -> None:
        lines: List[Any] = []
        model = mixed(OneHotEncoder(), None, LogisticRegression(max_iter=500))
        for line in hbscore.inspect(connect_sqlite3(), hbscore.export(model)):
            if line.role == "feature":
                lines.append((line.name, line.type))
        self.assertEqual(
            lines, [(c, "text" if c in TEXTS else "number") for c in COLUMNS]
        )


class Transforms(unittest.TestCase):
    """transform() in SQL is scikit-learn's own, bit by bit; a sparse result is compared as a dense one."""

    def same(self, model: Any, transformer: Any, frame: pandas.DataFrame, **options: Any) -> Any:
        """`transformer`: what transforms in Python; the model itself, or a part of it."""
        connection = connect_sqlite3()
        hbscore.register(connection, "m", model, sample=frame, **options)
        stored = connection.execute("SELECT golden FROM hbscore_models").fetchone()[0]
        self.assertEqual(len(json.loads(stored)["transform"]), min(100, len(frame)))
        rows = frame.astype(object).where(frame.notna(), None).values.tolist()
        marks = ", ".join("?" * frame.shape[1])
        got = [ask(connection, f"SELECT transform('m', {marks})", *row) for row in rows]
        want = transformer.transform(frame)
        want = want.toarray() if hasattr(want, "toarray") else numpy.asarray(want, dtype=float)
        numbers = [[numpy.nan if x is None else x for x in json.loads(row)] for row in got]
        numpy.testing.assert_array_equal(numpy.array(numbers), want)
        self.assertEqual(ask(connection, "SELECT min(ok) FROM hbscore_verify('m')"), 1)
        return connection

    def test_a_pipeline_without_its_last_step(self) -> None:
        model = mixed(OneHotEncoder(handle_unknown="ignore"), None, LogisticRegression(max_iter=500))
        self.same(model, model[:-1], FRAME)

    def test_a_transformer_alone(self) -> None:
        numbers = FRAME[NUMBERS]
        scaler = StandardScaler().fit(numbers)
        connection = self.same(scaler, scaler, numbers)  # it keeps what is missing
        with self.assertRaisesRegex(sqlite3.OperationalError, "a transformer without a prediction"):
            ask(connection, "SELECT predict('m', 1, 2, 3, 4)")
        lines = hbscore.inspect(connection, scaler)
        outputs = [line.name for line in lines if line.role == "output"]
        self.assertEqual(outputs, ["transform"])
        imputer = SimpleImputer(strategy="median").fit(numbers)
        self.same(imputer, imputer, numbers, on_missing="error")

    def test_texts_become_numbers(self) -> None:
        texts = FRAME[TEXTS]
        for encoder in (OneHotEncoder(), OneHotEncoder(drop="first"), OrdinalEncoder()):
            encoder.fit(texts)
            self.same(encoder, encoder, texts)

    def test_columns_in_a_search(self) -> None:
        numbers = FRAME[NUMBERS].fillna(0).astype({"fare": "float32"})
        columns = make_column_transformer((StandardScaler(), ["fare", "age"]), remainder="passthrough")
        search = GridSearchCV(make_pipeline(columns, Ridge()), {"ridge__alpha": [1, 2]}, cv=2)
        search.fit(numbers, numbers["fare"])
        self.same(search, search.best_estimator_[:-1], numbers)

    def test_a_wide_transform_has_fewer_rows(self) -> None:
        names = pandas.DataFrame({"name": [f"n{i}" for i in range(5000)]})
        encoder = OneHotEncoder().fit(names)
        connection = connect_sqlite3()
        hbscore.register(connection, "m", encoder, sample=names)
        stored = json.loads(ask(connection, "SELECT golden FROM hbscore_models"))
        self.assertEqual([len(stored["rows"]), len(stored["transform"])], [40, 40])
        self.assertEqual(ask(connection, "SELECT json_array_length(transform('m', 'n7'))"), 5000)


class Samples(unittest.TestCase):
    """`sample` stores golden rows of scikit-learn's own answers, which the database checks itself by."""

    def golden(self, connection: sqlite3.Connection) -> Any:
        return json.loads(connection.execute("SELECT golden FROM hbscore_models").fetchone()[0])

    def test_a_mixed_pipeline(self) -> None:
        frequent = SimpleImputer(strategy="most_frequent")
        model = mixed(OneHotEncoder(), frequent, LogisticRegression(max_iter=500))
        connection = connect_sqlite3()
        shuffled = FRAME[COLUMNS[::-1]].assign(fate=FATES)
        hbscore.register(connection, "m", model, sample=shuffled)
        stored = self.golden(connection)
        members = ["decision", "prediction", "probabilities", "rows", "transform"]
        self.assertEqual(sorted(stored), members)
        self.assertEqual(len(stored["rows"]), 100)
        self.assertEqual(stored["rows"][0], ROWS[0])
        verified = connection.execute("SELECT count(*) > 0, min(ok) FROM hbscore_verify('m')")
        self.assertEqual(verified.fetchone(), (1, 1))

    def registered(self, model: Any, sample: Any) -> sqlite3.Connection:
        connection = connect_sqlite3()
        hbscore.register(connection, "m", model, sample=sample)
        return connection

    def test_none_among_texts(self) -> None:
        """An imputer that looks for NaN leaves None as it is, which the encoder has as a category: NULL is that one, if the
        sample has None alone."""
        frame = FRAME[["embarked", "fare"]].iloc[:200].copy()
        frame["embarked"] = frame["embarked"].astype(object).where(frame.index % 7 > 0, None)
        frame["fare"] = frame["fare"].fillna(0.0)
        for mark in (numpy.nan, None):
            filled = make_pipeline(SimpleImputer(missing_values=mark, strategy="constant", fill_value="S"), OneHotEncoder())
            marked = MissingIndicator(missing_values=mark, features="all", error_on_new=False)
            columns = make_column_transformer((filled, ["embarked"]), (marked, ["embarked"]), remainder="passthrough")
            model = make_pipeline(columns, LogisticRegression()).fit(frame, FATES[:200])
            connection = self.registered(model, frame)
            want = columns.transform(frame.iloc[:1])
            got = ask(connection, "SELECT transform('m', NULL, ?)", frame["fare"][0])
            self.assertEqual(json.loads(got), want.tolist()[0])
            if mark is None:
                continue
            filled = make_pipeline(SimpleImputer(missing_values=pandas.NA, strategy="constant", fill_value="S"), OneHotEncoder())
            either = make_column_transformer((filled, ["embarked"])).fit(frame)
            got = ask(self.registered(either, frame), "SELECT transform('m', NULL, 1)")
            self.assertEqual(json.loads(got), either.transform(frame.iloc[:1]).tolist()[0])
            both = frame.assign(embarked=frame["embarked"].where(frame.index % 3 > 0, numpy.nan))
            for sample in (both, None):
                with self.assertRaisesRegex(hbscore.UnsupportedModel, "behind an imputer: None and NaN are both NULL, unless"):
                    hbscore.export(model, sample)

    def test_columns_that_nothing_reads(self) -> None:
        """They may have any type, which SQL has in any form."""
        frame = FRAME[["age", "fare"]].iloc[:60].fillna(1.0)
        periods = pandas.period_range("2020", periods=60, freq="D")
        wide = frame.assign(day=pandas.Timestamp("2020-01-01"), gone=pandas.Timedelta("1d"), period=periods, items=[[1]] * 60)
        columns = make_column_transformer((StandardScaler(), ["age", "fare"]))
        model = make_pipeline(columns, Ridge()).fit(wide, frame["age"])
        connection = self.registered(model, wide)
        got = ask(connection, "SELECT predict('m', ?, ?, '2020-01-01', 5, NULL, 'x')", *frame.iloc[3])
        self.assertAlmostEqual(got, model.predict(wide.iloc[3:4])[0], 12)
        for name, kind in (("day", "datetime64"), ("period", "period"), ("items", "list")):
            kept = make_column_transformer(("passthrough", [name]))
            with self.assertRaisesRegex(hbscore.UnsupportedModel, "feature '%s' has the type %s" % (name, kind)):
                hbscore.export(kept.fit(wide), wide)

    def test_numbers_in_columns_of_objects(self) -> None:
        frame = FRAME[["age", "fare", "pclass"]].iloc[:120].astype({"pclass": object, "fare": object})
        encoded = make_column_transformer((OneHotEncoder(handle_unknown="ignore"), ["pclass"]), (SimpleImputer(), ["age", "fare"]))
        model = make_pipeline(encoded, LogisticRegression()).fit(frame, FATES[:120])
        row = [22.0, 7.25, 3.0]
        self.assertEqual(ask(self.registered(model, frame), "SELECT predict('m', ?, ?, ?)", *row), model.predict(frame.iloc[[0]])[0])
        matrix = FRAME[["age", "sex"]].iloc[:120].to_numpy(dtype=object)
        columns = make_column_transformer((SimpleImputer(), [0]), (OneHotEncoder(), [1]))
        model = make_pipeline(columns, LogisticRegression()).fit(matrix, FATES[:120])
        self.assertEqual(ask(self.registered(model, matrix), "SELECT predict('m', 30, 'male')"), model.predict([[30.0, "male"]])[0])
        none = FRAME[["age"]].iloc[:120].astype(object).where(FRAME[["age"]].iloc[:120].notna(), None)
        model = make_pipeline(SimpleImputer(), Ridge()).fit(none, FRAME["pclass"][:120])
        self.assertAlmostEqual(ask(self.registered(model, none), "SELECT predict('m', NULL)"), model.predict([[None]])[0], 12)
        model = SimpleImputer(strategy="most_frequent").fit(none.fillna(1.0).astype(object))
        with self.assertRaisesRegex(hbscore.UnsupportedModel, "leaves None among numbers as it is"):
            hbscore.export(model, none)

    def test_columns_of_float16(self) -> None:
        """Doubles of SQL are rounded to it; scalers go on in float16, unless a column is wider."""
        frame = (FRAME[["age", "fare", "sibsp"]].iloc[:120].fillna(3.0) * 1.001).astype("float16")
        for narrow in (frame, frame.astype({"sibsp": "int8"}), frame.astype({"sibsp": "float32"}), frame.astype({"age": float})):
            for last in (Ridge(), RandomForestClassifier(3, random_state=0)):
                y = FRAME["pclass"][:120] if isinstance(last, Ridge) else FATES[:120]
                model = make_pipeline(StandardScaler(), last).fit(narrow, y)
                connection = self.registered(model, narrow)
                got = [json.loads(ask(connection, "SELECT transform('m', ?, ?, ?)", *row)) for row in narrow.astype(float).values.tolist()]
                numpy.testing.assert_array_equal(got, model[0].transform(narrow).astype(float))

    def test_rows_that_are_centres(self) -> None:
        """Their distance is 0, and scikit-learn's is a root of what products leave."""
        table = FRAME[["age", "fare"]].iloc[:120].fillna(1.0)
        for clusters in (Birch(n_clusters=3), KMeans(100, n_init=1, random_state=0)):
            model = make_pipeline(StandardScaler(), clusters).fit(table)
            connection = self.registered(model, table)
            got = [ask(connection, "SELECT predict('m', ?, ?)", *row) for row in table.to_numpy().tolist()]
            self.assertEqual(got, model.predict(table).tolist())

    def test_texts_by_themselves(self) -> None:
        texts = pandas.Series(["the cat sat", "a dog", "a cat and a dog", "the end"] * 5)
        model = make_pipeline(TfidfVectorizer(), LogisticRegression()).fit(texts, numpy.arange(20) % 2)
        for sample in (texts, texts.tolist(), texts.to_numpy(), texts.to_frame("note"), texts.astype("category")):
            self.assertEqual(ask(self.registered(model, sample), "SELECT predict('m', 'a dog')"), model.predict(["a dog"])[0])

    def test_a_forest_of_several_threads(self) -> None:
        """Its own sums vary in the last bits with the order in which threads add."""
        x = FRAME[NUMBERS].fillna(0).to_numpy()
        model = RandomForestClassifier(80, n_jobs=4, random_state=2).fit(x, FATES)
        for _ in range(5):
            hbscore.register(connect_sqlite3(), "m", model, sample=x)

    def test_the_samples_types_count(self) -> None:
        x = FRAME[NUMBERS].fillna(0).astype("float32")
        model = make_pipeline(StandardScaler(), Ridge()).fit(x, x["fare"] / 3)
        connection = connect_sqlite3()
        hbscore.register(connection, "m", model, sample=x)
        same = "SELECT predict('m', 1, ?, 1, 1) = predict('m', 1, ?, 1, 1)"
        self.assertEqual(connection.execute(same, (0.1, float(numpy.float32(0.1)))).fetchone()[0], 1)

    def test_several_targets_and_a_search(self) -> None:
        x = FRAME[NUMBERS].fillna(0)
        several = GridSearchCV(Ridge(), {"alpha": [1, 2]}).fit(x, x[["fare", "age"]])
        connection = connect_sqlite3()
        hbscore.register(connection, "m", several, sample=x)
        self.assertEqual(len(self.golden(connection)["values"][0]), 2)

    def test_naive_bayes_perceptrons_and_projections(self) -> None:
        """decision_function is predict_joint_log_proba, where scikit-learn has none."""
        x = FRAME[NUMBERS].fillna(0)
        scaled = StandardScaler().set_output(transform="pandas").fit_transform(x)
        names = ", ".join("?" * len(NUMBERS))
        for model in (
            GaussianNB(),
            make_pipeline(BernoulliNB(binarize=0.5)),
            MLPClassifier((8,), max_iter=30, random_state=1),
            make_pipeline(PCA(3, whiten=True), MLPClassifier((4,), activation="tanh", max_iter=30)),
        ):
            model.fit(scaled, FATES)
            connection = connect_sqlite3()
            hbscore.register(connection, "m", model, sample=scaled)
            rows = scaled.to_numpy().tolist()
            predict = f"SELECT predict('m', {names})"
            labels = [connection.execute(predict, row).fetchone()[0] for row in rows]
            self.assertEqual(labels, model.predict(scaled).tolist())
        connection = connect_sqlite3()
        model = GaussianNB().fit(scaled, FATES)
        hbscore.register(connection, "m", model)
        raw = connection.execute(f"SELECT decision_function('m', {names})", rows[5]).fetchone()[0]
        want = model.predict_joint_log_proba(scaled.iloc[5:6])[0]
        numpy.testing.assert_allclose(json.loads(raw), want, rtol=1e-12)

    def test_an_answer_that_differs(self) -> None:
        x = FRAME[NUMBERS].fillna(0)
        model = LogisticRegression(max_iter=500).fit(x, FATES)
        others = mock.patch.object(LogisticRegression, "predict", lambda self, data: numpy.array(["survived"] * len(data)))
        with others, self.assertRaisesRegex(sqlite3.OperationalError, "golden"):
            hbscore.register(connect_sqlite3(), "m", model, sample=x)

    def test_what_is_refused(self) -> None:
        model = LogisticRegression(max_iter=500).fit(FRAME[NUMBERS].fillna(0), FATES)
        cases = [
            (FRAME[["age"]], "sample has no column 'fare', which is a feature of the model"),
            ([[1, 2, 3, 4]], "sample takes a pandas DataFrame or a two-dimensional numpy array"),
        ]
        for sample, words in cases:
            with self.assertRaisesRegex(hbscore.InvalidValue, words):
                hbscore.register(connect_sqlite3(), "m", model, sample=sample)
        with self.assertRaisesRegex(ValueError, "NaN"):  # scikit-learn's own words
            hbscore.register(connect_sqlite3(), "m", model, sample=FRAME)
        with self.assertRaisesRegex(hbscore.UnsupportedModel, "is not a fitted"):
            hbscore.register(connect_sqlite3(), "m", object(), sample=FRAME)


if __name__ == "__main__":
    unittest.main()
