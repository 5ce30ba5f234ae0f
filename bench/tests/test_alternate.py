"""Models in turn: sessions that share a process and a connection, cells, records, tables, and what is refused."""

import os
import pathlib
import shutil
import tempfile
import types

import made
import numpy
from hbsbench import alternate, case, check, cli, driver, environment, manifest, native, pictures, profiles, publish, records, report, summary, systems
from hbsbench.errors import BenchError
from support import InFolder, model

POSTGRES = "PGHOST" in os.environ and hasattr(native.library(), "pg_open")
SYSTEMS = ["hbscore-core", "hbscore-sqlite", "hbscore-sqlite-bound", "floor-sqlite", "sklearn", "sklearn-fetch-sqlite", "python-udf-sqlite", "null-ctypes"]
IN_POSTGRES = ["hbscore-pg", "hbscore-pg-bound", "floor-pg", "sklearn-fetch-pg"]

TREES = """
schema: hbsbench/model/1
name: breast-cancer-trees
version: 1.0.0
description: trees over the rows of breast-cancer-logreg
task: regression
framework: {name: scikit-learn, version: ">=1.2,<2"}
model: {train: {function: "hbsbench.train:hist_boosting_regressor", args: {trees: 5}, seed: 3}}
dataset: {ref: breast-cancer}
before_preprocess: {sql: {common: "ANALYZE"}}
predict: [{name: y, function: predict}]
outputs: [{name: y, role: score}]
accuracy: {metric: r2, tolerance: 1.0e-9, per_row: {rtol: 1.0e-9, atol: 1.0e-9}}
scenarios: {single_stream: {}}
"""


class InTurn(InFolder):
    """breast-cancer-logreg, which takes turns with trees over its table."""

    @classmethod
    def setUpClass(cls):
        cls.cache = pathlib.Path(tempfile.mkdtemp(prefix="hbsbench-test-"))
        cls.addClassCleanup(shutil.rmtree, cls.cache, ignore_errors=True)

    def setUp(self):
        super().setUp()
        (self.folder / "breast-cancer-trees.yaml").write_text(TREES)
        self.trees = model(self.folder / "breast-cancer-trees.yaml")

    def first(self, *changes, lock=True):
        text = (manifest.SHIPPED / "models" / "breast-cancer-logreg.yaml").read_text()
        for old, new in (("single_stream: {percentile: 0.90}", "single_stream: {alternate: [breast-cancer-trees]}"), *changes):
            self.assertIn(old, text)
            text = text.replace(old, new)
        path = self.folder / "breast-cancer-logreg.yaml"
        path.write_text(text)
        for found in (model(path), self.trees) if lock else ():
            case.write_lock(found, self.cache)
        return model(path)

    def plan(self, found, names, scenarios=(profiles.SINGLE,), **options):
        self.lines = []
        harness = driver.Harness(self.results, self.cache, "smoke", environment.environment(), "2026-01-01", self.lines.append, **options)
        return harness, harness.plan([found], names, scenarios)

    def test_every_system_answers_for_each(self):
        opened = case.Case(self.first(), self.cache, 40).beside([case.Case(self.trees, self.cache, 40)])
        (other,) = opened.others
        for name in SYSTEMS + IN_POSTGRES * POSTGRES:
            with self.subTest(name):
                _, system = systems.load(name, opened)
                system.prepare()
                system.open()
                session = system.session()
                turns, out = alternate.Other(system, other, session), numpy.zeros((4096, opened.width))
                for keys in ([5], [3, 4, 5], [5]):
                    session.score(keys, out)
                    turns.score(keys)
                    if system.scores:
                        numpy.testing.assert_allclose(out[:len(keys)], opened.expected()[keys], rtol=1e-5)
                        numpy.testing.assert_allclose(turns.out[:len(keys)], other.expected()[keys], rtol=1e-5)
                if hasattr(session, "connection"):
                    self.assertIs(turns.session.connection, session.connection)
                turns.session.close()
                session.close()

    def test_a_cell(self):
        """A run of LoadGen, with its accuracy, and a system that takes one of the models only."""
        harness, cells = self.plan(self.first(), ["hbscore-sqlite", "sql-translation-sqlite"])
        self.assertEqual([str(cell) for cell in cells], ["breast-cancer-logreg, hbscore-sqlite, single_stream", "breast-cancer-logreg, hbscore-sqlite, single_stream-alternating",
                                                         "breast-cancer-logreg, sql-translation-sqlite, single_stream"])
        self.assertEqual(harness.empty, [("breast-cancer-logreg", "sql-translation-sqlite",
                                          "in turn with breast-cancer-trees: the translation to SQL has no predict of HistGradientBoostingRegressor")])
        self.assertEqual(harness.run(cells[1:2]), 0, self.lines)
        right, measured = sorted(records.read_all(self.results), key=lambda record: record["mode"])
        self.assertTrue(right["accuracy"]["passed"])
        self.assertEqual((measured["cell"], measured["targets"]), ("single_stream-alternating", {"alternate": ["breast-cancer-trees"]}))
        self.assertEqual([other["model"] for other in measured["alternate"]], ["breast-cancer-trees"])
        self.assertEqual([line for line in check.breaches([right, measured]) if "floor" not in line], [])

    def test_which_cells(self):
        """The manifest's models, else those of the option; never the model itself."""
        found, system = self.first(lock=False), types.SimpleNamespace(sinks=())
        titles = lambda others=(): [cell.title for cell in driver.cells_of(found, "mine", system, profiles.SCENARIOS, others=others)]  # noqa: E731
        self.assertEqual(titles(), ["single_stream", "single_stream-alternating", "multi_stream-8", "server"])
        self.assertEqual(titles(["a"]), ["single_stream", "single_stream-alternating", "multi_stream-8", "multi_stream-8-alternating", "server"])
        harness = driver.Harness(self.results, self.cache, "smoke", {}, "", alternate=["breast-cancer-logreg", "breast-cancer-trees"])
        self.assertEqual(harness.others(found), ["breast-cancer-trees"])
        self.assertEqual(cli.parser().parse_args(["run", "--alternate", "a,b"]).alternate, "a,b")

    def test_what_is_refused(self):
        with self.assertRaisesRegex(BenchError, "scenarios: alternate: a model takes turns with others, not with itself"):
            self.first(("breast-cancer-trees", "breast-cancer-logreg"), lock=False)
        with self.assertRaisesRegex(BenchError, 'there is no model "nobody"'):
            self.plan(self.first(("breast-cancer-trees", "nobody")), ["hbscore-sqlite"])
        found, path = self.first(), self.folder / "breast-cancer-trees.yaml"
        path.write_text(TREES.replace("ref: breast-cancer", "ref: digits"))
        with self.assertRaisesRegex(BenchError, "breast-cancer-trees.yaml: the manifest has changed since it was locked"):
            self.plan(found, ["hbscore-sqlite"])
        case.write_lock(model(path), self.cache)
        with self.assertRaisesRegex(BenchError, "alternate: breast-cancer-trees is a model of other rows, those of digits"):
            self.plan(found, ["hbscore-sqlite"])

    def test_a_model_that_answers_wrongly(self):
        opened = case.Case(self.first(), self.cache, 40).beside([case.Case(self.trees, self.cache, 40)])
        system = types.SimpleNamespace(scores=True, beside=lambda other, session: types.SimpleNamespace(score=lambda keys, out: None))
        with self.assertRaisesRegex(BenchError, "breast-cancer-trees, in turn: its answers to 40 of 40 rows are not the library's"):
            alternate.opened(system, opened, None)


class Tables(InFolder):
    OTHERS = [{"model": "other", "recipe": "r"}]

    def write(self, system="mine", ns=3000, others=OTHERS, repeat=1):
        made.write(self.results, system, repeat, cell="single_stream-alternating", latencies=[ns] * 100, alternate=others)

    def cells(self):
        return summary.summaries(records.read_all(self.results))

    def test_the_report(self):
        made.write(self.results, "mine", latencies=[1000] * 100)
        made.write(self.results, "mine", cell="multi_stream-8", latencies=[1000] * 100)
        self.write()
        self.write("theirs")
        self.assertEqual(report.alternating(self.cells())[1], [["model", "single_stream-alternating", "mine", "other", "1", "3", "3", "1", "3", "3"]])
        self.assertEqual([row[3] for row in report.batches(self.cells())[1]], [8, 1])
        self.assertTrue(pictures.draw_ecdf(self.cells()).png.startswith(b"\x89PNG"))
        self.assertEqual(publish.title(self.cells()["model", "theirs", "single_stream-alternating"]), "one row, 90th percentile, us, in turn with other")

    def test_records_of_other_turns(self):
        self.write()
        self.write("theirs", others=[{"model": "other", "recipe": "another"}])
        self.assertIn("model, single_stream-alternating: the models that take turns are not the same in all records", check.breaches(records.read_all(self.results)))

    def test_records_that_were_edited(self):
        for wrong in ("other", [], [{"model": 1, "recipe": "r"}], ["other"]):
            self.write(others=wrong)
            with self.subTest(wrong), self.assertRaisesRegex(BenchError, "this is no record: alternate is missing or is something else"):
                records.read_all(self.results)
            shutil.rmtree(self.results)
