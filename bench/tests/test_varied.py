"""A command varies threads of libraries, in every pool of the process, and batches."""

import contextlib
import io
import json
import os
import subprocess
import sys
import types
import unittest

import joblib
import made
import numpy
from hbsbench import check, cli, driver, manifest, pools, records, summary, systems
from hbsbench.case import Case, check_lock
from suts import library
from support import CACHE, InFolder


def shipped(name="breast-cancer-logreg"):
    found = manifest.find("model", name)
    check_lock(found, CACHE)
    return found


class Cells(InFolder):
    def planned(self, *threads, names=("hbscore-core", "onnxruntime")):
        harness = driver.Harness(self.results, CACHE, "smoke", {"id": "e", "commit": None, "changed_files": False}, "2026-01-01", print, threads=threads)
        return harness, harness.plan([shipped()], names, ["single_stream", "offline"])

    def test_each_number_has_cells(self):
        _, cells = self.planned(1, 2)
        self.assertEqual([(cell.system_name, cell.title) for cell in cells], [
            ("hbscore-core", "single_stream"), ("hbscore-core", "offline-aggregate"), ("hbscore-core", "offline-client"),
            ("onnxruntime", "single_stream"), ("onnxruntime", "offline-client"),
            ("onnxruntime", "single_stream-2-threads"), ("onnxruntime", "offline-client-2-threads")])
        self.assertEqual({cell.floor_title for cell in cells[3:]}, {"single_stream", "offline-client"})
        self.assertEqual([cell.pool for cell in cells[3:]], [1, 1, 2, 2])

    def test_two_alone(self):
        """Systems without a pool have one thread."""
        _, cells = self.planned(2)
        self.assertEqual([cell.title for cell in cells], ["single_stream", "offline-aggregate", "offline-client", "single_stream-2-threads", "offline-client-2-threads"])

    def test_a_record_says_the_pools(self):
        harness, cells = self.planned(2, names=["onnxruntime"])
        self.assertEqual(harness.run(cells[:1]), 0)
        found = [r for r in records.read_all(self.results) if r["mode"] == "performance"]
        self.assertEqual([(r["cell"], r["floor_cell"], r["threads"]) for r in found], [("single_stream-2-threads", "single_stream", 2)])
        self.assertTrue(found[0]["facts"]["thread_pools"])
        self.assertEqual({pool["threads"] for pool in found[0]["facts"]["thread_pools"]}, {2})


class Batches(InFolder):
    def test_a_sweep(self):
        """In the place of the manifest's batches. A query has no more rows than the data set."""
        harness = driver.Harness(self.results, CACHE, "smoke", {"id": "e", "commit": None, "changed_files": False}, "2026-01-01", print, batches=(1, 64, 64, 4096))
        cells = harness.plan([shipped()], ["hbscore-core"], ["multi_stream"])
        self.assertEqual([cell.title for cell in cells], ["multi_stream-1", "multi_stream-64"])
        self.assertEqual(harness.empty, [("breast-cancer-logreg", "hbscore-core", "multi_stream-4096: there are 114 rows")])
        self.assertIn("of 10 rows alone", harness.line(cells[1], 2, {"rows": 114, "runs": {"performance": {"valid": True, "rows_walked": 10}}}, None, None))

    def test_options(self):
        for options, words in ((["--threads", "0"], "is not between 1 and 1,024"), (["--batches", "8,4097"], "is not between 1 and 4,096"), (["--threads", "two"], "invalid")):
            with self.assertRaises(SystemExit) as ended, contextlib.redirect_stderr(io.StringIO()) as told:
                cli.parser().parse_args(["run", *options])
            self.assertEqual(ended.exception.code, 2)
            self.assertIn(words, told.getvalue())
        asked = cli.parser().parse_args(["run", "--threads", "1,2", "--batches", "1,8", "--find-peak"])
        self.assertEqual((asked.threads, asked.batches, asked.find_peak), ([1, 2], [1, 8], True))


class Pools(unittest.TestCase):
    PROGRAM = "import numpy, sklearn.utils._openmp_helpers, json; from hbsbench import pools; print(json.dumps(pools.set_to(2)))"

    def test_pools_that_are_there_already(self):
        done = subprocess.run([sys.executable, "-c", self.PROGRAM], capture_output=True, text=True, check=True, env={**os.environ, **pools.environment(1)})
        found = json.loads(done.stdout)
        self.assertGreaterEqual(len(found), 2, found)  # OpenMP's and BLAS's
        self.assertEqual({pool["threads"] for pool in found}, {2})

    def test_the_library_gets_them(self):
        case = Case(shipped("digits-forest"), CACHE, most_rows=10)
        for threads in (None, 2):
            _, system = systems.load("sklearn", case, threads=threads)
            system.open()
            self.assertEqual(system.threads, threads or 1)
        _, system = systems.load("hbscore-core", case, threads=2)
        self.assertFalse(system.threaded)

    def test_catboost_gets_them_with_each_call(self):
        calls = []

        class CatBoostClassifier:
            __module__ = "catboost.core"
            classes_ = numpy.array([0, 1])

            def get_params(self):
                return {}

            def predict_proba(self, rows, thread_count=-1):
                calls.append(thread_count)
                return numpy.zeros((len(rows), 2))

        made_ = {"predict": [{"name": "p", "function": "predict_probability", "class": 1}]}
        system = library.Sklearn.__new__(library.Sklearn)
        system.threads, system.case = 2, types.SimpleNamespace(manifest=manifest.Manifest("m.yaml", "model", {"name": "m", **made_}), estimator_path=lambda: None)
        load, joblib.load = joblib.load, lambda path: CatBoostClassifier()
        try:
            system.load()(numpy.zeros((3, 1)))
        finally:
            joblib.load = load
        self.assertEqual(calls, [2])


class Floors(InFolder):
    def test_a_floor_has_one_thread(self):
        """A cell of two threads is compared with the floor's own cell."""
        made.write(self.results, "floor-mine", latencies=[1000] * 100)
        made.write(self.results, "mine", mode="accuracy", cell="single_stream-2-threads")
        made.write(self.results, "mine", cell="single_stream-2-threads", latencies=[1500] * 100, floor_cell="single_stream", threads=2)
        found = records.read_all(self.results)
        self.assertEqual([line for line in check.breaches(found) if "floor" in line], [])
        self.assertTrue(summary.summaries(found)["model", "mine", "single_stream-2-threads"].at_floor)
