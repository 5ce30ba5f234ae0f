"""The papers' tables: each is read, and one of each kind is measured with few rows."""

import dataclasses
import os
import pathlib
import shutil
import tempfile
import types
from unittest import mock

import numpy
from hbsbench import models, paper, paper_cases, paper_figures, paper_harness, paper_networks, paper_pipelines, paper_timing, profile, publish
from hbsbench.errors import BenchError
from support import HERE, InFolder

SMALL = paper.Size(rows=300, trees=3, singles=20, passes=2, seconds=0.5)
PAGE = HERE.parent.parent / "docs" / "benchmarks.md"
ENVIRONMENT = {"id": "env", "libraries": {}, "cpu": {"model": "a CPU", "cpus": 2}, "commit": "c" * 40, "changed_files": False}


class Paper(InFolder):
    @classmethod
    def setUpClass(cls):
        cls.cache = pathlib.Path(tempfile.mkdtemp(prefix="hbsbench-test-"))
        cls.addClassCleanup(shutil.rmtree, cls.cache, ignore_errors=True)
        # Another Python that is installed in the build's folder is not asked.
        cls.enterClassContext(mock.patch.dict(os.environ, {"BUILD": str(cls.cache)}))

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
            if table["kind"] != "program":
                self.assertIn(f"<!-- paper {table['name']}: begin -->", text)
            if table["kind"] in paper_harness.TABLES:
                continue  # its rows are compared with its head when it is made
            figures = table.get("figures", {"columns": [], "rows": {}})
            self.assertLessEqual(set(figures["rows"]), set(names), table["name"])
            for row in figures["rows"].values():
                self.assertEqual(len(row), len(figures["columns"]), table["name"])
            if table.get("ratio"):
                self.assertLessEqual({table["ratio"]["ours"], table["ratio"]["base"]}, set(table["systems"]))

    def test_batches_and_their_reasons(self):
        table, found = self.measured("hummingbird-7", ["sklearn-fetch-sqlite", "sklearn", "lightgbm", "hbscore-core", "hbscore-core/tt", "hbscore-sqlite"])
        cells = found["XGBoost, Fraud"]
        self.assertRegex(cells["lightgbm"].reason, "there is no lightgbm file of this model")
        for name in ("sklearn-fetch-sqlite", "sklearn", "hbscore-core", "hbscore-core/tt", "hbscore-sqlite"):
            self.assertGreater(cells[name].value, 0)
            self.assertEqual(cells[name].wrong, 0)

    @mock.patch.object(paper, "LIBRARIES", ())  # which hbscore-core does not need, and whose import takes longer than all else here
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

    def run_table(self, name, systems=None, workloads="", add=False, **changed):
        o = types.SimpleNamespace(systems=systems, workloads=workloads, cache=self.cache, to=self.folder / "papers", add=add)
        table = {**paper.find(name), **changed}
        for settings in (table.get("settings", {}),):
            settings.pop("size", None)
        text = paper.run(table, SMALL, o, ENVIRONMENT, lambda line: None)
        rows = [[part.strip() for part in line.strip("|").split("|")] for line in text.splitlines() if line.startswith("|")]
        self.assertTrue((o.to / f"{name}.json").exists())
        return text, rows[0], rows[2:]

    def test_pipelines(self):
        text, head, rows = self.run_table("hummingbird-figure-12", "sklearn,hummingbird,hbscore-core", "wine, impute+minmax+select+D")
        self.assertEqual([row[0] for row in rows], ["hummingbird", "hbscore-core", "paper: TVM and TorchScript, CPU"])
        self.assertEqual(rows[1][1], "1 of 1")
        self.assertIn("hummingbird: 1 without a number: hummingbird has a Python of its own, which is not there", text)
        self.assertEqual((self.folder / "papers" / "hummingbird-figure-12.png").read_bytes()[:4], b"\x89PNG")
        self.assertEqual(len(paper.find("hummingbird-figure-12")["workloads"]), 200)
        with self.assertRaisesRegex(BenchError, "there is no data set nothing"):
            paper_cases.expanded({"name": "t", "grids": [{"data": ["nothing"], "steps": [], "models": []}]})

    @mock.patch.object(models, "_write_onnx", lambda *_: None)  # for others
    def test_steps_of_pipelines(self):
        """Missing values, codes, and each step and classifier that Figure 12 has, by hbscore."""
        table = paper.find("hummingbird-figure-12")
        left = {step for w in table["workloads"] for step in (*w["steps"], w["model"])}
        self.assertEqual(left, {*paper_pipelines.transformers(6, 0), *paper_pipelines.classifiers(0)})
        for w in sorted(table["workloads"], key=lambda w: -len(w["steps"])):
            new = left & {*w["steps"], w["model"]}
            if w["data"] in ("wine", "gaps-2000", "mixed-1000") and new:
                left -= new
                value = paper.cell("batch", paper.Opened(w, SMALL, self.cache), "hbscore-core", SMALL, {})
                self.assertEqual((value.reason, value.wrong), (None, 0), w["name"])
        self.assertEqual(left, set())
        _, columns, _ = paper_pipelines.mixed(5, 300, 9, 2)
        self.assertTrue(numpy.isnan(columns[:6]).any() and not numpy.isnan(columns[6:]).any())
        self.assertEqual([len(set(column)) for column in columns[6:].tolist()], [2, 3, 4])

    def test_an_onnx_file_of_a_pipeline_with_a_linear_machine(self):
        _, found = self.measured("hummingbird-figure-12", ["onnxruntime"], "wine, mean+robust+percentile+LinearSVC")
        ((value,),) = (cells.values() for cells in found.values())
        self.assertEqual((value.reason, value.wrong), (None, 0))

    def test_how_many_rows_at_a_time(self):
        """More than there are to train on: other rows, and the time of one of them."""
        table = paper.find("hummingbird-figure-4")
        self.assertEqual([w["settings"]["batch"] for w in table["workloads"]], [10 ** power for power in range(7)])
        few, many = table["workloads"][0], {**table["workloads"][-1], "score": 700}
        cells = {}
        for w in (few, many):
            opened = paper.Opened(w, SMALL, self.cache)
            cells[w["name"]] = paper.cell("batch", opened, "hbscore-core", SMALL, {**table["settings"], **w["settings"]})
            self.assertEqual(opened().rows, max(SMALL.rows, w.get("score", 0)))
            self.assertEqual(len(numpy.unique(opened().raw_rows(), axis=0)), opened().rows)
        for value in cells.values():
            self.assertEqual((value.reason, value.wrong), (None, 0))
            self.assertLess(value.value, 1e4)

    def test_tolerances(self):
        case = types.SimpleNamespace(expected=lambda: numpy.array([[1.0], [2.0], [0.0]]))
        out = numpy.array([[1.00005], [2.0], [5e-6]])
        self.assertEqual(paper_timing.differing(case, out), 1)
        self.assertEqual(paper_timing.differing(case, out, paper.find("cmlcompiler-frameworks")["settings"]), 1)
        self.assertEqual(paper_timing.differing(case, out, {"tolerance": {"rtol": 1e-4, "atol": 1e-5}}), 0)

    def test_a_summary(self):
        table = {"systems": ["a", "b"], "summary": {"base": "a"}}
        found = {f"w{i}": {"a": paper.Value(2.0), "b": paper.Value(4.0 / i, wrong=i == 4)} for i in range(1, 5)}
        self.assertEqual(paper_figures.gains(table, found, "b"), [(0.5, "w1"), (1.0, "w2"), (1.5, "w3")])
        self.assertEqual(paper_figures.row_of(paper_figures.gains(table, found, "b"), 4), ["3 of 4", "33%", "0.5 x", "1 x", "1.5 x"])
        self.assertEqual(paper_figures.reasons(table, found, "b"), {"other answers than the library's": 1})
        self.assertEqual(paper_figures.row_of([], 4), ["0 of 4", "-", "-", "-", "-"])

    def test_systems(self):
        _, head, rows = self.run_table("mlharness-1")
        self.assertEqual(head[0], "System")
        self.assertIn("`hbscore-pg`", [row[0] for row in rows])
        self.assertEqual(rows[-1][0], "paper: 9800-MX-RTX")

    def test_scenarios_by_the_harness_and_a_loop(self):
        settings = {"model": "breast-cancer-logreg", "profile": "smoke", "queries": 40}
        text, head, rows = self.run_table("mlharness-2", "hbscore-core,hummingbird", settings=settings)
        self.assertEqual([row[0] for row in rows], ["hbscore-core, harness", "hbscore-core, bare loop", "paper: MLHarness", "paper: MLCommons Inference"])
        self.assertNotIn("-", rows[0])
        self.assertEqual([place for place, part in enumerate(rows[1]) if part == "-"], [4, 5])
        self.assertIn("hummingbird: it has a Python of its own", text)

    def test_files_of_one_model(self):
        text, _, rows = self.run_table("mlharness-5")
        ours = {row[0]: row for row in rows if not row[0].startswith("paper")}
        self.assertEqual(len(ours), 7, text)
        for name in ("XGBoost, Fraud, xgboost-json", "XGBoost, Fraud, xgboost-ubjson", "Random forest, Fraud, hbscore", "LightGBM, Fraud, lightgbm"):
            self.assertEqual(ours[name][2], "0", name)
        self.assertEqual(len({row[1] for name, row in ours.items() if name.startswith("XGBoost")}), 1)

    def test_operators_that_take_most(self):
        _, head, rows = self.run_table("mlharness-6")
        self.assertEqual(head, ["LightGBM, Fraud", "ms", "A pipeline with an SVC", "ms"])
        self.assertEqual(len(rows), 6)
        self.assertTrue(any("tree_ensemble" in row[0] for row in rows[:3]), rows)

    def test_input_and_output(self):
        with mock.patch.dict(os.environ):
            os.environ.pop("PGHOST", None)
            text, head, rows = self.run_table("cmlcompiler-input-output", "hbscore-sqlite,hbscore-pg", "Random")
        self.assertEqual([row[0] for row in rows], ["Random forest, Year, hbscore-sqlite"])
        share = float(rows[0][1]) / (float(rows[0][1]) + float(rows[0][2]))
        self.assertAlmostEqual(float(rows[0][3].rstrip("%")) / 100, share, delta=0.02)
        self.assertIn("hbscore-pg: there is no PostgreSQL server", text)

    def test_functions_that_take_most(self):
        leaf = profile.span("hb_trees", 2e6, {"samples": 2, "library": "hbscore.so"})
        made = profile.span("scan", 3e6, {"samples": 3}, [profile.span("read", 3e6, {"samples": 3, "library": "libc.so.6"}, [leaf])])
        with mock.patch.object(profile, "kernel_spans", return_value=made):
            _, head, rows = self.run_table("mlharness-figure-6", workloads="LightGBM")
        self.assertEqual(head, ["LightGBM, Fraud", "ms"])
        self.assertEqual(rows[:3], [["hbscore.so: hb_trees", "2"], ["libc.so.6: read", "1"], ["-", "-"]])

    def test_where_the_time_of_a_query_goes(self):
        settings = {"model": "breast-cancer-logreg", "profile": "smoke", "queries": 40}
        _, _, rows = self.run_table("mlharness-figure-5", "hbscore-core,hbscore-sqlite", settings=settings)
        self.assertEqual([row[0] for row in rows], ["hbscore-core, harness", "hbscore-core, bare loop", "hbscore-sqlite, harness", "hbscore-sqlite, bare loop"])
        for row in rows:
            self.assertGreater(float(row[1].replace(",", "")), 0)
            self.assertGreater(float(row[2].replace(",", "")), 0)
        self.assertEqual((self.folder / "papers" / "mlharness-figure-5.png").read_bytes()[:4], b"\x89PNG")
        self.assertEqual(paper_harness.parts_of([3000.0, 5000.0], [1000.0, 2000.0]), ["1.5", "2.5", "62%"])

    def test_accuracy_of_systems(self):
        _, found = self.measured("mlharness-figure-7", ["sklearn", "hbscore-core", "hbscore-sqlite"], "XGBoost")
        for cells in found.values():
            self.assertEqual(len({round(value.value, 6) for value in cells.values()}), 1, cells)
        self.assertEqual(len(found), 3)

    def test_classical_and_neural(self):
        table, found = self.measured("cmlcompiler-mixed", ["sklearn", "hbscore-core", "hbscore-sqlite"], "to deep, Fraud")
        self.assertEqual(len(found), 2)
        for cells in found.values():
            for name in table["systems"]:
                self.assertIsNotNone(cells[name].value, cells[name].reason)
                self.assertEqual(cells[name].wrong, 0)
        self.assertNotIn("trees of depth", SMALL.told(table))

    @mock.patch.object(paper_networks, "BERT", paper_networks.Sizes(tokens=4, vocabulary=60, hidden=8, layers=1, heads=2, inner=8))
    def test_networks(self):
        systems = ["sklearn", "onnxruntime", "sklearn-fetch-sqlite", "hbscore-core", "hbscore-sqlite"]
        for part in ("Bert-tiny to", "CNN to"):
            _, found = self.measured("cmlcompiler-mixed", systems, part)
            self.assertEqual(len(found), 1)
            for name, value in ((name, cells[name]) for cells in found.values() for name in systems):
                self.assertIsNotNone(value.value, (part, name, value.reason))
                self.assertEqual(value.wrong, 0, (part, name))

    def test_pictures(self):
        found = {"a": {"x": paper.Value(2.0), "y": paper.Value(reason="no")}, "b": {"x": paper.Value(1.0), "y": paper.Value(3.0)}}
        table = {"paper": "P", "title": "T", "unit": "seconds", "kind": "batch", "systems": ["x", "y"], "plot": "lines",
                 "workloads": [{"name": "a", "settings": {"batch": 1}}, {"name": "b", "settings": {"batch": 100}}]}
        for changed in ({}, {"plot": "bars"}, {"kind": "accuracy", "plot": "bars"}):
            self.assertEqual(paper_figures.picture({**table, **changed}, found)[:4], b"\x89PNG")
        self.assertIsNone(paper_figures.picture(table, {"a": {"x": paper.Value(reason="no"), "y": paper.Value(reason="no")}}))
        self.assertIsNone(paper_figures.stacked(table, ["", "in", "out"], []))

    def test_a_picture_is_published(self):
        page, picture = self.folder / "docs" / "page.md", self.folder / "t.png"
        page.parent.mkdir()
        page.write_text("<!-- paper t: begin -->\n<!-- paper t: end -->\n")
        publish.paper(page, "t", "text", picture)
        self.assertNotIn("images", page.read_text())
        picture.write_bytes(b"png")
        publish.paper(page, "t", "text", picture)
        self.assertIn("text\n\n![t](images/paper-t.png)", page.read_text())
        self.assertEqual((page.parent / "images" / "paper-t.png").read_bytes(), b"png")

    def test_a_row_of_the_paper_that_does_not_fit(self):
        with self.assertRaisesRegex(BenchError, "figures: a row of 2 cells in a table of 5"):
            self.run_table("mlharness-1", figures={"rows": [["one", "two"]]})

    def test_the_shape(self):
        table = {"paper": "P", "title": "Table 1", "unit": "seconds", "systems": ["sklearn", "mine"],
                 "ratio": {"ours": "mine", "base": "sklearn", "paper": ["TVM", "Sklearn"]},
                 "figures": {"columns": ["Sklearn", "TVM"], "rows": {"a": [2.0, 1.0], "b": [3.0, "timeout"]}}}
        found = {"a": {"sklearn": paper.Value(8.0), "mine": paper.Value(2.0, wrong=1)},
                 "b": {"sklearn": paper.Value(1.0, wrong=7), "mine": paper.Value(reason="no such file")}}
        self.assertEqual(paper.render(table, found, "Told."), "\n".join([
            "**P, Table 1** (seconds). Told.", "",
            "|  | sklearn | mine | paper: Sklearn | paper: TVM | mine / sklearn | paper: TVM / Sklearn |",
            "| --- | --- | --- | --- | --- | --- | --- |",
            "| a | 8 | 2 (1 row differs) | 2.0 | 1.0 | 4 x | 2 x |",
            "| b | 1 (7 rows differ) | - [1] | 3.0 | timeout | - | - |", "",
            "[1] no such file."]))

    def test_what_is_smaller_is_told(self):
        table = paper.find("hummingbird-7")
        self.assertEqual(SMALL.told(table), "Made rows of the data sets' shapes: 300 to train on and as many to score (Epsilon 300); "
                                            "3 trees of depth 8")

    def test_run_writes_it(self):
        o = types.SimpleNamespace(systems="hbscore-core", workloads="XGBoost, Fraud", cache=self.cache, to=self.folder / "papers", add=False)
        text = paper.run(paper.find("hummingbird-8"), dataclasses.replace(SMALL), o, ENVIRONMENT, lambda line: None)
        self.assertIn("a CPU, 2 CPUs, commit cccccccccccc.", text)
        self.assertEqual((self.folder / "papers" / "hummingbird-8.md").read_text(), text + "\n")
        with self.assertRaisesRegex(BenchError, 'no workload has "Nothing" in its name'):
            paper.run(paper.find("hummingbird-8"), SMALL, types.SimpleNamespace(systems=None, workloads="Nothing"), ENVIRONMENT)
        with self.assertRaisesRegex(BenchError, 'there is no table "hummingbird-99"'):
            paper.find("hummingbird-99")
