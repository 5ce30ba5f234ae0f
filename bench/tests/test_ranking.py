"""Models that rank: groups of rows, their metric, and the shipped one; what a data set's manifest says of its table."""

import os
import sqlite3
import unittest

import numpy

from hbsbench import accuracy, case, data, manifest, systems
from hbsbench.errors import BenchError, Refused
from support import CACHE, InFolder, model
from test_systems import WIDE_DATA, WIDE_MODEL

MADE = """
import numpy


def made(seed, rows, apart=False):
    x = numpy.random.default_rng(seed).normal(size=(2, rows)).round(3)
    groups = numpy.arange(rows) // 4
    return ["a", "b"], x, (x[0] > 0) + (x[1] > 0), groups % 3 if apart else groups


def train(x, y, seed, groups):
    from sklearn.linear_model import LinearRegression

    assert len(groups) == len(y)
    return LinearRegression().fit(x, y)
"""


class Metric(unittest.TestCase):
    def test_as_scikit_learn_has_it(self):
        from sklearn.metrics import ndcg_score

        random = numpy.random.default_rng(0)
        grades, scores, groups = random.integers(0, 5, 60).astype(float), random.normal(size=60), numpy.arange(60) // 20
        wanted = numpy.mean([ndcg_score([2 ** grades[groups == g] - 1], [scores[groups == g]]) for g in range(3)])
        self.assertAlmostEqual(accuracy.metric_of("ndcg", grades, scores, groups), wanted, places=12)

    def test_equal_values_and_groups_without_gain(self):
        groups = numpy.array([0, 0, 1, 1])
        self.assertEqual(accuracy.ndcg(numpy.array([1.0, 0, 0, 0]), numpy.zeros(4), groups), 1.0)
        self.assertAlmostEqual(accuracy.ndcg(numpy.array([0.0, 1, 0, 0]), numpy.zeros(4), groups), (1 / numpy.log2(3) + 1) / 2)
        self.assertEqual(accuracy.ndcg(numpy.array([0.0, 3]), numpy.array([1.0, 2]), numpy.array([7, 7])), 1.0)
        with self.assertRaisesRegex(BenchError, "in no groups"):
            accuracy.metric_of("ndcg", numpy.zeros(2), numpy.zeros(2))


class Groups(InFolder):
    def write(self, more="", **model_changes):
        (self.folder / "grouped.py").write_text(MADE)
        text = WIDE_DATA.replace("name: wide", "name: grouped").replace("hbsbench.generate:regression", "grouped:made").replace("rows: 200, features: 150", "rows: 80")
        (self.folder / "grouped.yaml").write_text(text + (more or "split: {test_size: 0.25, random_state: 1}\n"))
        path = self.folder / "line.yaml"
        text = WIDE_MODEL.replace("wide-line", "line").replace("ref: wide", "ref: grouped").replace("task: regression", "task: ranking").replace("r2", "ndcg")
        path.write_text(text.replace('"hbsbench.train:hist_boosting_regressor", args: {trees: 20}', '"grouped:train"'))
        for old, new in model_changes.values():
            path.write_text(path.read_text().replace(old, new))
        return path

    def test_groups_stay_whole(self):
        made = case.Case(model(self.write()), self.folder / "cache")
        train, test = data.load(made.data_folder / "train"), data.load(made.data_folder / "test")
        self.assertEqual((train.rows, test.rows), (60, 20))
        self.assertFalse(set(train.groups) & set(test.groups))
        self.assertEqual(set(numpy.bincount(test.groups)) - {0}, {4})
        case.check_metric(made)
        other = data.Data(test.names, test.columns, test.target, groups=test.groups + 1)
        self.assertNotEqual(other.digest(), test.digest())

    def test_what_is_wrong(self):
        for more, changes, words in (
                ("split: {test_size: 0.5, random_state: 1, stratify: true}\n", {}, "split: stratify: groups have no class"),
                ("rows: 81\n", {}, "grouped.yaml: rows: there are 80, not 81"),
                ("", {"metric": ("ndcg", "r2")}, "accuracy: metric r2 does not fit the task ranking, which has ndcg"),
                ("", {"task": ("task: ranking", "task: regression")}, "accuracy: metric ndcg does not fit the task regression, which has r2, rmse")):
            with self.subTest(words), self.assertRaisesRegex(BenchError, words):
                case.Case(model(self.write(more, **changes)), self.folder / words[:3])
        path = self.write()
        about = self.folder / "grouped.yaml"
        about.write_text(about.read_text().replace("rows: 80", "rows: 80, apart: true"))
        with self.assertRaisesRegex(BenchError, "the rows of a group do not stand together"):
            case.Case(model(path), self.folder / "cache")

    def test_a_file(self):
        text = "query,a,grade\n" + "".join(f"q{row // 3},{row},{row % 3}\n" for row in range(12))
        (self.folder / "rows.csv").write_text(text)
        about = self.folder / "rows.yaml"

        def read(group):
            about.write_text(f"schema: hbsbench/dataset/1\nname: rows\nversion: 1.0.0\ndescription: x\ntable: t\nsource: {{file: rows.csv, "
                             f"sha256: {manifest.sha256(text)}, target: grade, group: {group}}}\n")
            return data.make(manifest.read(about, "dataset"))[0]

        found = read("query")
        self.assertEqual((found.names, found.groups.tolist()), (["a"], [0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3]))
        for group, words in (("grade", 'source.group: "grade" is the target'), ("none", 'source.group: .* has no column "none"')):
            with self.assertRaisesRegex(BenchError, words):
                read(group)


class Shipped(unittest.TestCase):
    def test_every_system_ranks_alike(self):
        found = manifest.find("model", "search-ranker")
        case.check_lock(found, CACHE)
        made, taken = case.Case(found, CACHE), set()
        self.assertEqual(manifest.modalities(found), ("numbers", "an order within each group"))
        for name in ("hbscore-core", "hbscore-sqlite", "lightgbm", "sklearn", "sklearn-fetch-sqlite", "treelite-gtil", *["hbscore-pg"] * ("PGHOST" in os.environ)):
            try:
                _, system = systems.load(name, made)
            except Refused:
                continue
            system.prepare()
            system.open()
            session, out = system.session(), numpy.zeros((made.rows, 1))
            self.addCleanup(session.close)
            session.before_scan("client")
            session.scan("client", out)
            judged = accuracy.judge(found, out, made.reference(), made.data.target, True, groups=made.groups())
            self.assertEqual((judged["passed"], judged["reasons"]), (True, []), name)
            self.assertGreater(judged["value"], 0.8)
            taken.add(name)
        self.assertLessEqual({"hbscore-core", "hbscore-sqlite", "lightgbm", "sklearn", "sklearn-fetch-sqlite"}, taken)


class Tables(InFolder):
    """A data set may say how its table is made, and what is done when its rows are in it."""

    def test_ddl(self):
        (self.folder / "wide.yaml").write_text(WIDE_DATA.replace("features: 150", "features: 3") + """
ddl: {sqlite: "CREATE TABLE wide (id INTEGER PRIMARY KEY, f0 REAL NOT NULL, f1 REAL, f2 REAL) STRICT",
      postgres: "CREATE TABLE wide (id int8 PRIMARY KEY, f0 float8 NOT NULL, f1 float8, f2 float8)"}
load_sql: {common: "CREATE INDEX wide_by_f0 ON wide (f0)"}
""")
        path = self.folder / "wide-line.yaml"
        path.write_text(WIDE_MODEL)
        made = case.Case(model(path), self.folder / "cache")
        case.write_lock(made.manifest, self.folder / "cache")
        _, system = systems.load("hbscore-sqlite", made)
        system.prepare()
        connection = sqlite3.connect(system.path() / "data.db")
        self.addCleanup(connection.close)
        self.assertEqual([sql for (sql,) in connection.execute("SELECT sql FROM sqlite_master WHERE name LIKE 'wide%' ORDER BY name")],
                         ["CREATE TABLE wide (id INTEGER PRIMARY KEY, f0 REAL NOT NULL, f1 REAL, f2 REAL) STRICT", "CREATE INDEX wide_by_f0 ON wide (f0)"])
        if "PGHOST" in os.environ:
            from suts import postgres

            _, system = systems.load("hbscore-pg", made)
            system.prepare()
            with postgres.connect(system.database()) as server:
                self.assertEqual(server.execute("SELECT count(*) FROM pg_indexes WHERE indexname = 'wide_by_f0'").fetchone(), (1,))
                self.assertEqual(server.execute("SELECT attnotnull FROM pg_attribute WHERE attrelid = 'wide'::regclass AND attname = 'f0'").fetchone(), (True,))

    def test_sql_that_fails(self):
        (self.folder / "wide.yaml").write_text(WIDE_DATA.replace("features: 150", "features: 3") + 'load_sql: {common: "CREATE INDEX x ON nowhere (f0)"}\n')
        path = self.folder / "wide-line.yaml"
        path.write_text(WIDE_MODEL)
        _, system = systems.load("floor-sqlite", case.Case(model(path), self.folder / "cache"))
        with self.assertRaisesRegex(BenchError, "no such table: main.nowhere"):
            system.prepare()
