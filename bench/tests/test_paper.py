"""The papers' tables: each is read, and one of each kind is measured with few rows."""

import dataclasses
import os
import pathlib
import shutil
import tempfile
import types

from hbsbench import paper
from hbsbench.errors import BenchError
from support import HERE, InFolder

SMALL = paper.Size(rows=300, trees=3, singles=20, passes=2, seconds=0.5)
PAGE = HERE.parent.parent / "docs" / "benchmarks.md"
ENVIRONMENT = {"cpu": {"model": "a CPU", "cpus": 2}, "commit": "c" * 40, "changed_files": False}


class Paper(InFolder):
    @classmethod
    def setUpClass(cls):
        cls.cache = pathlib.Path(tempfile.mkdtemp(prefix="hbsbench-test-"))
        cls.addClassCleanup(shutil.rmtree, cls.cache, ignore_errors=True)

    def measured(self, name, systems, workloads="XGBoost, Fraud"):
        table = {**paper.find(name), "systems": systems}
        table["workloads"] = [w for w in table["workloads"] if workloads in w["name"]]
        table.pop("settings", None)
        return table, paper.measure(table, SMALL, self.cache, lambda line: None)

    def test_every_table_is_whole_and_in_the_page(self):
        text = PAGE.read_text()
        self.assertIn(paper.listed(), text)
        for table in paper.all_tables():
            names = [w["name"] for w in table["workloads"]]
            self.assertEqual(len(names), len(set(names)))
            figures = table.get("figures", {"columns": [], "rows": {}})
            self.assertLessEqual(set(figures["rows"]), set(names), table["name"])
            for row in figures["rows"].values():
                self.assertEqual(len(row), len(figures["columns"]), table["name"])
            if table.get("ratio"):
                self.assertLessEqual({table["ratio"]["ours"], table["ratio"]["base"]}, set(table["systems"]))
            if table["kind"] != "program":
                self.assertIn(f"<!-- paper {table['name']}: begin -->", text)

    def test_batches_and_their_reasons(self):
        table, found = self.measured("hummingbird-7", ["sklearn", "lightgbm", "hbscore-core", "hbscore-core/tt", "hbscore-sqlite"])
        cells = found["XGBoost, Fraud"]
        self.assertRegex(cells["lightgbm"].reason, "there is no lightgbm file of this model")
        for name in ("sklearn", "hbscore-core", "hbscore-core/tt", "hbscore-sqlite"):
            self.assertGreater(cells[name].value, 0)
            self.assertEqual(cells[name].wrong, 0)

    def test_rows_conversions_and_memory(self):
        for name in ("hummingbird-8", "hummingbird-10", "hummingbird-9"):
            _, found = self.measured(name, ["hbscore-core"] + (["sklearn"] if name != "hummingbird-9" else []))
            cells = found["XGBoost, Fraud"]
            self.assertIsNotNone(cells["hbscore-core"].value, cells["hbscore-core"].reason)
            if "sklearn" in cells:
                self.assertEqual(cells["sklearn"].value is None, name == "hummingbird-10")

    def test_processor_time(self):
        size = dataclasses.replace(SMALL, cpu=True)
        table = {**paper.find("hummingbird-8"), "systems": ["hbscore-core", "hbscore-pg"]}
        table["workloads"] = [w for w in table["workloads"] if "XGBoost, Fraud" in w["name"]]
        cells = paper.measure(table, size, self.cache, lambda line: None)["XGBoost, Fraud"]
        self.assertGreater(cells["hbscore-core"].value, 0)
        self.assertIn("server", cells["hbscore-pg"].reason)

    def test_a_transformer(self):
        systems = ["sklearn", "onnxruntime", "hbscore-core", "hbscore-sqlite"] + (["hbscore-pg"] if "PGHOST" in os.environ else [])
        for table in ("hummingbird-11", "hummingbird-12"):
            for name in ("Normalizer", "PolynomialFeatures"):
                _, found = self.measured(table, systems, name)
                for system in systems:
                    value = found[name][system]
                    self.assertIsNotNone(value.value, (table, name, system, value.reason))
                    self.assertEqual(value.wrong, 0, (table, name, system))
        _, found = self.measured("hummingbird-12", ["python-udf-sqlite", "floor-sqlite"], "Normalizer")
        self.assertIn("once for each column", found["Normalizer"]["python-udf-sqlite"].reason)
        self.assertIn("several", found["Normalizer"]["floor-sqlite"].reason)

    def test_the_shape(self):
        table = {"paper": "P", "title": "Table 1", "unit": "seconds", "systems": ["sklearn", "mine"],
                 "ratio": {"ours": "mine", "base": "sklearn", "paper": ["TVM", "Sklearn"]},
                 "figures": {"columns": ["Sklearn", "TVM"], "rows": {"a": [2.0, 1.0], "b": [3.0, "timeout"]}}}
        found = {"a": {"sklearn": paper.Value(8.0), "mine": paper.Value(2.0)},
                 "b": {"sklearn": paper.Value(1.0, wrong=7), "mine": paper.Value(reason="no such file")}}
        self.assertEqual(paper.render(table, found, "Told."), "\n".join([
            "**P, Table 1** (seconds). Told.", "",
            "|  | sklearn | mine | paper: Sklearn | paper: TVM | mine / sklearn | paper: TVM / Sklearn |",
            "| --- | --- | --- | --- | --- | --- | --- |",
            "| a | 8 | 2 | 2.0 | 1.0 | 4 x | 2 x |",
            "| b | 1 (7 rows differ) | - [1] | 3.0 | timeout | - | - |", "",
            "[1] no such file."]))

    def test_what_is_smaller_is_told(self):
        table = paper.find("hummingbird-7")
        self.assertEqual(SMALL.told(table), "Made rows of the data sets' shapes: 300 to train on and as many to score (Epsilon 300); "
                                            "3 trees of depth 8")

    def test_run_writes_it(self):
        o = types.SimpleNamespace(systems="hbscore-core", workloads="XGBoost, Fraud", cache=self.cache, to=self.folder / "papers")
        text = paper.run(paper.find("hummingbird-8"), dataclasses.replace(SMALL), o, ENVIRONMENT, lambda line: None)
        self.assertIn("a CPU, 2 CPUs, commit cccccccccccc.", text)
        self.assertEqual((self.folder / "papers" / "hummingbird-8.md").read_text(), text + "\n")
        with self.assertRaisesRegex(BenchError, 'no workload has "Nothing" in its name'):
            paper.run(paper.find("hummingbird-8"), SMALL, types.SimpleNamespace(systems=None, workloads="Nothing"), ENVIRONMENT)
        with self.assertRaisesRegex(BenchError, 'there is no table "hummingbird-99"'):
            paper.find("hummingbird-99")
