"""Systems with a Python of their own: one that is not there, one that fails, and one whose libraries are not the harness's."""

import os
import subprocess
import sys
import types
from unittest import mock

from hbsbench import manifest, models, paper, pythons
from hbsbench.errors import BenchError
from support import InFolder

SMALL = paper.Size(rows=200, trees=2, singles=5, passes=2, seconds=0.5)
ENVIRONMENT = {"libraries": {"numpy": "2.0"}, "cpu": {"model": "a CPU", "cpus": 2}, "commit": "a" * 40, "changed_files": False}
# Libraries of another Python: Hummingbird answers as the estimator does, and says so where nobody listens.
LIBRARIES = {
    "torch.py": "",
    "hummingbird/__init__.py": "",
    "hummingbird/ml.py": """
print("a library that talks")


def convert(estimator, backend, rows, extra_config):
    assert rows.shape == (1, 20) and rows.dtype == "float32" and extra_config["n_threads"] == 1
    assert estimator.classes_.dtype.kind == "i", "Hummingbird takes integers only"
    if backend == "torch":
        estimator.predict = lambda rows: rows[:1, 0]
    return estimator
""",
    **{f"{name}-{version}.dist-info/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
       for name, version in (("torch", "1.13.0a0+gitunknown"), ("hummingbird_ml", "0.4.12"), ("scikit_learn", "1.2.1"))},
}


class Pythons(InFolder):
    def setUp(self):
        super().setUp()
        patch = mock.patch.dict(os.environ, {"BUILD": str(self.folder)})
        patch.start()
        self.addCleanup(patch.stop)
        self.table = {**paper.find("hummingbird-12"), "systems": ["hummingbird"]}
        self.table["workloads"] = [w for w in self.table["workloads"] if w["name"] in ("LogisticRegression", "LinearSVC")]
        self.lines = []

    def python(self, script):
        """Another Python that is this shell script."""
        path = self.folder / "bench-hummingbird-venv" / "bin" / "python"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)

    def measured(self):
        return [cells["hummingbird"] for cells in paper.measure(self.table, SMALL, self.folder / "cache", self.lines.append).values()]

    def test_without_it(self):
        for value in self.measured():
            self.assertEqual(value.reason, "hummingbird has a Python of its own, which is not there: install Debian 12's python3-torch, "
                                           "then make bench-optional")
        self.assertEqual(list((self.folder / "cache").glob("*")), [])

    def test_one_process_for_all_cells_until_it_fails(self):
        self.python("""read cell; echo '{"value": 1.5, "by": ["a 1"]}'; read cell; echo first >&2; echo last words >&2; exit 7""")
        self.table["workloads"] = self.table["workloads"] * 2
        with pythons.Pythons() as others:
            cells = [others.of(name) for name in ("hummingbird", "hummingbird-pytorch", "sklearn")]
            self.assertIs(cells[0], cells[1])
            self.assertIsNone(cells[2])
            asked = ("single", {}, "hummingbird", SMALL, {}, self.folder)
            self.assertEqual(cells[0].cell(*asked), {"value": 1.5, "by": ["a 1"]})
            with self.assertRaisesRegex(BenchError, "the process ended with status 7: last words$"):
                cells[0].cell(*asked)
            self.assertEqual(cells[0].cell(*asked)["value"], 1.5)

    def test_one_that_does_not_answer(self):
        self.python("sleep 100")
        with mock.patch.object(pythons, "CELL_SECONDS", 0.05):
            first, second = self.measured()
        self.assertEqual(first.reason, "no answer within 0.05 seconds; the process was ended")
        self.assertEqual(second.reason, first.reason)

    def test_its_models_are_its_own(self):
        libraries = self.folder / "libraries"
        for name, text in LIBRARIES.items():
            path = libraries / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        self.python(f'PYTHONPATH={libraries}:$PYTHONPATH exec {sys.executable} "$@"')
        cache, workload = self.folder / "cache", self.table["workloads"][0]
        with pythons.Pythons() as others:
            asked = [("batch", "hummingbird"), ("conversion", "hummingbird"), ("batch", "hummingbird-pytorch")]
            batch, conversion, short = (paper.cell(kind, paper.Opened(workload, SMALL, cache), name, SMALL, {}, others) for kind, name in asked)
        self.assertIsNotNone(batch.value, batch.reason)
        self.assertEqual(batch.wrong, 0)
        self.assertEqual(batch.by, [f"Python {sys.version.split()[0]}", "hummingbird-ml 0.4.12", "torch 1.13.0a0", "scikit-learn 1.2.1"])
        self.assertIsNotNone(conversion.value, conversion.reason)
        self.assertEqual(short.reason, "Hummingbird gives 1 answers for 100 rows")
        (theirs,), (_,) = (cache / "models").glob("*"), (cache / "datasets").glob("*")
        self.assertEqual(list(theirs.glob("model.*")), [])
        with mock.patch.object(models, "_make", lambda *_: None):
            ours, _ = models.cached(cache, manifest.read(*(cache / "papers").glob("*logisticregression.yaml"), "model"))
        self.assertNotEqual(ours, theirs)


class Memory(InFolder):
    def test_more_than_there_is(self):
        code = "from hbsbench import pythons; free = pythons.free_memory(); pythons.limit_memory(0.2); bytearray(free // 3)"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
        self.assertEqual(done.stderr.splitlines()[-1:], ["MemoryError"])


class Added(InFolder):
    """Systems that are added to a table."""

    def run_table(self, systems, value, size=SMALL, environment=ENVIRONMENT, add=True, table="hummingbird-12", workloads="Normalizer"):
        o = types.SimpleNamespace(systems=systems, workloads=workloads, cache=None, to=self.folder, add=add)
        found = {name: value for name in systems.split(",")}
        with mock.patch.object(paper, "measure", lambda table, *_: {w["name"]: dict(found) for w in table["workloads"]}):
            text = paper.run({**paper.find(table), "settings": {}}, size, o, environment, lambda line: None)
        return text, [line for line in text.splitlines() if line.startswith("| Normalizer")]

    def test_they_stand_beside_the_others(self):
        self.run_table("hbscore-core,sklearn,hummingbird", paper.Value(2.0), add=False)
        later = {**ENVIRONMENT, "commit": "b" * 40, "libraries": {**ENVIRONMENT["libraries"], "catboost": "1.2"}}
        text, rows = self.run_table("hummingbird", paper.Value(4.0, by=["torch 1"]), environment=later)
        self.assertEqual(rows, ["| Normalizer | 2 | 4 | 2 | 0.11 | 0.063 | 0.072 | 0.1 | 1 x | 1.1 x |"])
        self.assertIn("the models too: torch 1. a CPU, 2 CPUs, commit aaaaaaaaaaaa. hummingbird: measured later, on a CPU, 2 CPUs, "
                      "commit bbbbbbbbbbbb.\n", text)
        text, rows = self.run_table("onnxruntime", paper.Value(8.0, wrong=3), environment=later)
        self.assertEqual(rows, ["| Normalizer | 2 | 8 (3 rows differ) | 4 | 2 | 0.11 | 0.063 | 0.072 | 0.1 | 1 x | 1.1 x |"])
        self.assertIn("the models too: torch 1.", text)

    def test_to_nothing_else(self):
        with self.assertRaisesRegex(BenchError, "there is no measurement that systems can be added to"):
            self.run_table("hummingbird", paper.Value(1.0))
        self.run_table("sklearn", paper.Value(1.0), add=False)
        for changed, words in (({"size": paper.Size(rows=300)}, "settings"), ({"environment": {**ENVIRONMENT, "kernel": "6"}}, "machine"),
                               ({"environment": {**ENVIRONMENT, "libraries": {"numpy": "3.0"}}}, "libraries"),
                               ({"workloads": "SVC"}, "workloads")):
            with self.assertRaisesRegex(BenchError, f"it was measured with other {words}$"):
                self.run_table("hummingbird", paper.Value(1.0), **changed)
        with self.assertRaisesRegex(BenchError, "--add is for tables that have a column for each system"):
            self.run_table("hbscore-core", paper.Value(1.0), table="mlharness-6", workloads="")
