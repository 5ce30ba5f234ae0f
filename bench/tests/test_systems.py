"""The contract of hbsbench/systems.py, of every shipped system that takes the case, without LoadGen."""

import os
import pathlib
import shutil
import sqlite3
import tempfile
import types
import unittest

import numpy

from hbsbench import manifest, native, statements, systems
from hbsbench.case import Case, check_lock
from hbsbench.errors import BenchError, Refused
from support import CACHE, InFolder

# Systems that must be there wherever the tests run; PostgreSQL and PL/Python need a server.
ALWAYS = {"hbscore-core", "hbscore-sqlite", "hbscore-sqlite-bound", "sklearn", "sklearn-fetch-sqlite", "python-udf-sqlite", "onnxruntime", "null-callback",
          "null-ctypes", "floor-sqlite"}
TOLERANCE = {"rtol": 1e-5, "atol": 1e-6}
PASSES = 30  # more than a connection has places for statements, if each pass left its own


WIDE_DATA = """
schema: hbsbench/dataset/1
name: wide
version: 1.0.0
description: 150 columns
source: {generator: "hbsbench.generate:regression", seed: 3, args: {rows: 200, features: 150}}
table: wide
"""
WIDE_MODEL = """
schema: hbsbench/model/1
name: wide-line
version: 1.0.0
description: trees of 150 columns
task: regression
framework: {name: scikit-learn, version: ">=1.2,<2"}
model: {train: {function: "hbsbench.train:hist_boosting_regressor", args: {trees: 20}, seed: 3}}
dataset: {ref: wide}
predict: [{name: y, function: predict}]
outputs: [{name: y, role: score}]
accuracy: {metric: r2, tolerance: 1.0e-9, per_row: {rtol: 1.0e-9, atol: 1.0e-9}}
scenarios: {single_stream: {}, offline: {sink: [client]}}
"""


KINDS = """
import numpy


def made(seed, rows):
    x = numpy.random.default_rng(seed).normal(size=(3, rows)).round(3)
    return ["a", "b", "c"], x, numpy.array(["it's", "no", "yes"])[(x[0] > 0).astype(int) + (x[1] > 0)]
"""


class Contract(unittest.TestCase):
    rows = 40
    model, always = "breast-cancer-logreg", ALWAYS | {"sql-translation-sqlite"}

    @classmethod
    def setUpClass(cls):
        cls.case = cls.made()
        cls.expected = cls.case.expected()

    @classmethod
    def made(cls):
        found = manifest.find("model", cls.model)
        check_lock(found, CACHE)
        return Case(found, CACHE, most_rows=cls.rows)

    def same(self, got, keys, system):
        if system.scores:
            numpy.testing.assert_allclose(got, self.expected[list(keys)], **TOLERANCE)

    def check(self, system):
        system.prepare()
        system.open()
        session = system.session()
        self.addCleanup(session.close)
        out = numpy.zeros((4096, self.case.width))
        for keys in ([5], [3, 4, 5, 6], [9, 2], [7, 7], [self.rows - 2, self.rows - 1, 0, 1, 2]):
            session.score(keys, out)
            self.same(out[:len(keys)], keys, system)
        for sink in system.sinks:
            for _ in range(PASSES if sink == "table" and hasattr(session, "scans") else 2):  # a pass finds what the one before left
                session.before_scan(sink)
                out = numpy.zeros((self.case.rows, self.case.width))
                self.assertEqual(session.scan(sink, out), self.case.rows)
            if sink == "aggregate" and system.scores:
                session.read_back(sink, out[:1])
                numpy.testing.assert_allclose(out[0], self.expected.sum(axis=0), **TOLERANCE)
            elif system.scores:
                if sink == "table":
                    session.read_back(sink, out)
                self.same(out, range(self.case.rows), system)

    def test_every_system(self):
        taken, reasons = set(), {}
        for found in manifest.shipped("system"):
            with self.subTest(found.name):
                try:
                    _, system = systems.load(found.name, self.case)
                    self.check(system)
                except Refused as reason:
                    self.assertTrue(str(reason))
                    reasons[found.name] = str(reason)
                    continue
                taken.add(found.name)
        self.assertLessEqual(self.always, taken)
        if "PGHOST" in os.environ and hasattr(native.library(), "pg_open"):
            self.assertLessEqual({"hbscore-pg", "hbscore-pg-any", "hbscore-pg-bound", "hbscore-pg-workers-2", "floor-pg", "floor-pg-workers-1",
                                  "sklearn-fetch-pg", "sklearn-fetch-pg-copy"}, taken)
            if "plpython-pg" not in taken:  # where the server's user may not read the folder above the project
                self.assertIn("ermission", reasons["plpython-pg"])


class SameTerms(unittest.TestCase):
    """Statements in PostgreSQL have the same terms, whoever executes them: one plan for rows and for ranges, one thread, and a table
    of one kind for scores."""

    ASKED = "SELECT coalesce(sum({})::float8, 0) FROM pg_prepared_statements WHERE statement LIKE '%$1%' AND statement NOT LIKE '%pg_prepared%'"

    @unittest.skipUnless("PGHOST" in os.environ and hasattr(native.library(), "pg_open"), "there is no PostgreSQL server, or no libpq")
    def test_rows_and_ranges(self):
        found = manifest.find("model", "breast-cancer-logreg")
        check_lock(found, CACHE)
        case = Case(found, CACHE, most_rows=40)
        for name in ("floor-pg", "hbscore-pg", "sklearn-fetch-pg"):
            with self.subTest(name):
                _, system = systems.load(name, case)
                system.prepare()
                system.open()
                session = system.session()
                self.addCleanup(session.close)
                out = numpy.zeros((8, case.width))
                for turn in range(12):
                    session.score([turn], out)
                    session.score(list(range(turn, turn + 8)), out)
                self.assertEqual((self.plans(session, "generic_plans"), self.plans(session, "custom_plans")), (24, 0))
                self.assertEqual(self.number(session, "SELECT current_setting('max_parallel_workers_per_gather')::float8"), 0)
                session.before_scan("table")
                self.assertEqual(self.number(session, "SELECT count(*)::float8 FROM pg_class WHERE relname = 'scored' AND relpersistence = 'u'"), 1)

    @unittest.skipUnless("PGHOST" in os.environ and hasattr(native.library(), "pg_open"), "there is no PostgreSQL server, or no libpq")
    def test_parallel_workers(self):
        """They are launched, and the figures say how many; a statement without them is refused."""
        found = manifest.find("model", "breast-cancer-logreg")
        check_lock(found, CACHE)
        case = Case(found, CACHE)
        for name in ("hbscore-pg-workers-1", "floor-pg-workers-2"):
            with self.subTest(name):
                _, system = systems.load(name, case)
                system.prepare()
                session = system.session()
                self.addCleanup(session.close)
                for sink in system.sinks:
                    told = session.figures(sink, None)
                    self.assertEqual((told["workers_planned"], told["workers_launched"]), (int(name[-1]), int(name[-1])), sink)
                    self.assertGreater(told["buffers_hit"] + told["buffers_read"], 0)
                session.connection.do("SET max_parallel_workers = 0")
                with self.assertRaisesRegex(Refused, "launched no parallel workers"):
                    session.figures("aggregate", None)

    @unittest.skipUnless("PGHOST" in os.environ and hasattr(native.library(), "pg_open"), "there is no PostgreSQL server, or no libpq")
    def test_a_list_of_keys(self):
        """Is one statement, whatever the keys are."""
        found = manifest.find("model", "breast-cancer-logreg")
        check_lock(found, CACHE)
        case = Case(found, CACHE, most_rows=40)
        _, system = systems.load("hbscore-pg-any", case)
        system.prepare()
        session = system.session()
        self.addCleanup(session.close)
        out = numpy.zeros((64, case.width))
        for keys in ([39, 0, 1], [3, 3], list(range(40)), [7]):
            session.score(keys, out)
            numpy.testing.assert_allclose(out[:len(keys)], case.expected()[keys], **TOLERANCE)
        self.assertEqual((self.plans(session, "generic_plans"), self.plans(session, "custom_plans")), (4, 0))
        with self.assertRaisesRegex(BenchError, "a statement gave other than 2 rows"):
            session.score([39, 100], out)

    def plans(self, session, kind):
        return self.number(session, self.ASKED.format(kind))

    @staticmethod
    def number(session, sql):
        if hasattr(session.connection, "execute"):
            return session.connection.execute(sql, prepare=False).fetchone()[0]
        number = numpy.empty((1, 1))
        session.connection.run(session.connection.add(sql), (), number, 1)
        return int(number[0, 0])


GAPS = """
import numpy


def made(seed, rows):
    x = numpy.random.default_rng(seed).normal(size=(3, rows))
    x[1, ::3] = numpy.nan
    return ["a", "b", "c"], x, x[0] - x[2]
"""


class Copy(InFolder):
    """Rows by COPY in the binary format have the bits of those by a SELECT: of float4 and float8, with NULL, in one chunk and in several."""

    @unittest.skipUnless("PGHOST" in os.environ, "there is no PostgreSQL server")
    def test_the_bits_are_the_same(self):
        (self.folder / "gaps.py").write_text(GAPS)
        for name, more, rows in (("gaps", "", 9000), ("gaps-float32", "float32: true\n", 40)):
            (self.folder / f"{name}.yaml").write_text(WIDE_DATA.replace("name: wide", f"name: {name}").replace("hbsbench.generate:regression", "gaps:made")
                                                      .replace("rows: 200, features: 150", f"rows: {rows}") + more)
            path = self.folder / f"{name}-line.yaml"
            path.write_text(WIDE_MODEL.replace("wide-line", f"{name}-line").replace("ref: wide", f"ref: {name}"))
            case = Case(manifest.read(path, "model"), self.folder / "cache")
            self.assertEqual(scanned(self, case, ("sklearn-fetch-pg", "sklearn-fetch-pg-copy")), {"sklearn-fetch-pg", "sklearn-fetch-pg-copy"})
            _, system = systems.load("sklearn-fetch-pg-copy", case)
            system.open()
            session = system.session()
            self.addCleanup(session.close)
            session.before_scan("table")
            self.assertEqual(session.scan("table", None), rows)
            out = numpy.zeros((rows, 1))
            session.read_back("table", out)
            numpy.testing.assert_array_equal(out, case.expected())
            session.score([5, 6, 0], out)
            numpy.testing.assert_array_equal(out[:3], case.expected()[[5, 6, 0]])
            with self.assertRaisesRegex(BenchError, "0 rows were fetched for 1 keys"):
                session.score([rows], out)


class Forest(Contract):
    rows = 10
    model, always = "digits-forest", ALWAYS

    @classmethod
    def made(cls):
        """With few trees: those that become a program are compiled."""
        folder = pathlib.Path(tempfile.mkdtemp(prefix="hbsbench-test-"))
        cls.addClassCleanup(shutil.rmtree, folder, ignore_errors=True)
        text = manifest.find("model", cls.model).path.read_text()
        (folder / f"{cls.model}.yaml").write_text(text.replace("trees: 100, depth: 8", "trees: 8, depth: 4"))
        return Case(manifest.find("model", cls.model, beside=folder), folder / "cache", most_rows=cls.rows)

    def test_reasons(self):
        for name, words in (("xgboost", "there is no xgboost file of this model"), ("lightgbm", "there is no lightgbm file"),
                            ("sql-translation-sqlite", "the translation to SQL has no predict of RandomForestClassifier")):
            with self.assertRaisesRegex(Refused, words):
                systems.load(name, self.case)


def scanned(test, case, names):
    """Compares a scan of each system that takes the case with the library's answers, bit by bit; gives the names of those."""
    taken = set()
    for name in names:
        try:
            _, system = systems.load(name, case)
        except Refused:
            continue
        taken.add(name)
        system.prepare()
        system.open()
        session = system.session()
        test.addCleanup(session.close)
        out = numpy.zeros((case.rows, 1))
        session.before_scan("client")
        session.scan("client", out)
        numpy.testing.assert_array_equal(out, case.expected(), name)
    return taken


class Wide(InFolder):
    """More features than a call of a database takes as arguments."""

    def test_the_bits_are_the_same(self):
        (self.folder / "wide.yaml").write_text(WIDE_DATA)
        path = self.folder / "wide-line.yaml"
        path.write_text(WIDE_MODEL)
        case = Case(manifest.read(path, "model"), self.folder / "cache")
        taken = scanned(self, case, ("hbscore-core", "hbscore-sqlite", "hbscore-pg"))
        self.assertLessEqual({"hbscore-core", "hbscore-sqlite"} | ({"hbscore-pg"} if "PGHOST" in os.environ else set()), taken)

    def test_too_many(self):
        case = types.SimpleNamespace(inputs=["f"] * 2000, data=types.SimpleNamespace(texts=[False]))
        for dialect in ("sqlite", "postgres"):
            with self.assertRaisesRegex(Refused, f"2000 features: a statement of {dialect} takes"):
                statements.one_argument(case, dialect)


class Fence(unittest.TestCase):
    """predict is computed once for each row, however often postprocess names it."""

    def test_sqlite(self):
        sql = {"preprocess": None, "postprocess": "CASE WHEN p >= 1 THEN 1 ELSE 0 END AS label, p"}
        case = types.SimpleNamespace(manifest={"predict": [{"name": "p", "function": "predict"}], "outputs": [{"name": "label"}, {"name": "p"}]},
                                     dataset={"table": "t"}, data=types.SimpleNamespace(names=["a"]), sql=lambda step, dialect: sql[step])
        asked = statements.Statements(case, "sqlite", ["counted(a)"])
        connection, calls = sqlite3.connect(":memory:"), []
        connection.create_function("counted", 1, lambda a: calls.append(a) or a)
        connection.executescript("CREATE TABLE t (id INTEGER PRIMARY KEY, a); INSERT INTO t VALUES (0, 0), (1, 1), (2, 2), (3, 3)")
        for query, parameters, rows in ((asked.one(), (2,), [(1, 2)]), (asked.some(), (1, 2), [(1, 1, 1), (2, 1, 2)]),
                                        (asked.all(3), (), [(0, 0, 0), (1, 1, 1), (2, 1, 2)])):
            self.assertEqual(connection.execute(query, parameters).fetchall(), rows)
            self.assertEqual(len(calls), len(rows), query)
            calls.clear()


class Labels(InFolder):
    """Labels that are texts are their places among the classes, in every system."""

    def test_texts(self):
        (self.folder / "kinds.yaml").write_text(WIDE_DATA.replace("name: wide", "name: kinds").replace("hbsbench.generate:regression", "kinds:made")
                                                .replace(", features: 150", ""))
        (self.folder / "kinds.py").write_text(KINDS)
        path = self.folder / "kinds-forest.yaml"
        path.write_text(WIDE_MODEL.replace("wide-line", "kinds-forest").replace("regression", "multiclass").replace("ref: wide", "ref: kinds")
                        .replace('"hbsbench.train:hist_boosting_regressor", args: {trees: 20}', '"hbsbench.train:forest", args: {trees: 5}')
                        .replace("role: score", "role: label").replace("r2", "accuracy"))
        case = Case(manifest.read(path, "model"), self.folder / "cache")
        self.assertEqual(case.facts["classes"], ["it's", "no", "yes"])
        self.assertEqual(set(numpy.unique(case.expected())), {0, 1, 2})
        taken = scanned(self, case, ("hbscore-core", "hbscore-sqlite", "hbscore-pg", "sklearn", "sklearn-fetch-sqlite", "python-udf-sqlite",
                                     "onnxruntime"))
        self.assertLessEqual({"hbscore-core", "hbscore-sqlite", "sklearn", "sklearn-fetch-sqlite", "python-udf-sqlite", "onnxruntime"}, taken)


class Translation(unittest.TestCase):
    """Expressions that SQLite computes, beside the estimator."""

    def check(self, estimator, x, item):
        import sqlite3

        from suts.translation import Translator

        made = Translator.__new__(Translator)
        made.columns, made.estimator, made.manifest = [f"f{i}" for i in range(x.shape[1])], estimator, None
        if hasattr(estimator, "steps"):
            made.scale(estimator.steps[0][1])
            made.estimator = estimator.steps[1][1]
        expression = made.one(item)
        connection = sqlite3.connect(":memory:")
        self.addCleanup(connection.close)
        connection.execute(f"CREATE TABLE t ({', '.join(made_column(i) for i in range(x.shape[1]))})")
        connection.executemany(f"INSERT INTO t VALUES ({', '.join('?' * x.shape[1])})", x.tolist())
        got = [row[0] for row in connection.execute(f"SELECT {expression} FROM t ORDER BY rowid")]
        wanted = estimator.predict_proba(x)[:, 1] if "class" in item else estimator.predict(x)
        numpy.testing.assert_allclose(got, wanted, rtol=1e-9)

    def setUp(self):
        random = numpy.random.default_rng(4)
        self.x = random.normal(size=(300, 3))
        self.y = self.x @ [1, -2, 0.5] + self.x[:, 0] * self.x[:, 1]

    def test_models(self):
        from sklearn.ensemble import GradientBoostingRegressor, RandomForestClassifier, RandomForestRegressor
        from sklearn.linear_model import LinearRegression, LogisticRegression
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import MinMaxScaler, StandardScaler
        from sklearn.tree import DecisionTreeRegressor

        value, chance = {"name": "v", "function": "predict"}, {"name": "p", "function": "predict_probability", "class": 1}
        for estimator in (LinearRegression(), make_pipeline(StandardScaler(), LinearRegression()), DecisionTreeRegressor(max_depth=4),
                          RandomForestRegressor(5, max_depth=4, random_state=1), GradientBoostingRegressor(n_estimators=5, random_state=1)):
            self.check(estimator.fit(self.x, self.y), self.x, value)
        for estimator in (make_pipeline(StandardScaler(), LogisticRegression()), RandomForestClassifier(5, max_depth=4, random_state=1)):
            self.check(estimator.fit(self.x, self.y > 0.5), self.x, chance)
        with self.assertRaisesRegex(Refused, "the translation to SQL has no MinMaxScaler"):
            self.check(make_pipeline(MinMaxScaler(), LinearRegression()).fit(self.x, self.y), self.x, value)


def made_column(place):
    return f"f{place} REAL"
