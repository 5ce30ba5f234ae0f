"""Systems that fail, hang, crash or answer wrongly; a model and a data set from outside; a model that is a file."""

import json
import pathlib
import subprocess
import sys
import time

import numpy

from hbsbench import binding, case, check, driver, environment, manifest, records
from hbsbench.errors import BenchError
from support import CACHE, HERE, InFolder, command, model


def state(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return "Z"


def children(pid):
    """Processes of hbsbench.child that it has started."""
    for path in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if int((path / "stat").read_text().rpartition(")")[2].split()[1]) == pid and b"hbsbench.child" in (path / "cmdline").read_bytes():
                yield int(path.name)
        except OSError:
            continue


class Broken(InFolder):
    """Each ends in one clear line, and leaves nothing half-written."""

    def broken(self, name, deadline=300):
        found = manifest.find("model", "breast-cancer-logreg")
        failed, lines, written, _ = self.run_cells(found, [str(HERE / "broken" / f"{name}.yaml")], deadline=deadline)
        self.nothing_half_written()
        return failed, [line for line in lines if line.startswith("FAILED")], written

    def test_a_callback_that_raises(self):
        failed, lines, written = self.broken("raises")
        self.assertEqual((failed, len(written)), (1, 0))
        self.assertEqual(lines, ["FAILED  breast-cancer-logreg, raises, single_stream: RuntimeError: the model has gone"])

    def test_a_system_that_never_answers(self):
        failed, lines, written = self.broken("hangs", deadline=4)
        self.assertEqual((failed, len(written)), (1, 0))
        self.assertEqual(lines, ["FAILED  breast-cancer-logreg, hangs, single_stream: no answer within 4 seconds; the process was ended"])

    def test_a_harness_that_is_killed(self):
        """Its child, which would wait for ever, ends too."""
        results = self.folder / "results"
        harness = subprocess.Popen([sys.executable, "-W", "ignore", "-m", "hbsbench", "--cache", str(CACHE), "--results", str(results), "run",
                                    "breast-cancer-logreg", "--profile", "smoke", "--systems", str(HERE / "broken" / "hangs.yaml"),
                                    "--scenarios", "single_stream"], stdout=subprocess.DEVNULL)
        try:
            child = self.soon(lambda: next(iter(children(harness.pid)), None))
        finally:
            harness.kill()
            harness.wait()
        self.soon(lambda: not pathlib.Path(f"/proc/{child}").exists() or state(child) == "Z")

    def soon(self, found, seconds=30):
        ends = time.monotonic() + seconds
        while time.monotonic() < ends:
            value = found()
            if value:
                return value
            time.sleep(0.05)
        self.fail("it did not happen in time")

    def test_a_crash(self):
        failed, lines, written = self.broken("crashes")
        self.assertEqual((failed, len(written)), (1, 0))
        self.assertIn("the process ended with status -6 and no answer", lines[0])

    def test_wrong_answers(self):
        failed, lines, written = self.broken("wrong")
        self.assertEqual(failed, 1)
        self.assertIn("accuracy: ", lines[0])
        self.assertIn("labels differ", lines[0])
        self.assertFalse(next(r for r in written if r["mode"] == "accuracy")["accuracy"]["passed"])

    def test_a_library_that_is_not_installed(self):
        found = manifest.find("model", "breast-cancer-logreg")
        _, lines, _, empty = self.run_cells(found, [str(HERE / "broken" / "absent.yaml")])
        self.assertEqual([reason for _, _, reason in empty], ["no_such_library is not installed"])
        self.assertIn("no_such_library is not installed", lines[0])

    def test_refused_in_the_process(self):
        found = manifest.find("model", "breast-cancer-logreg")
        failed, _, written, empty = self.run_cells(found, [str(HERE / "broken" / "refuseslate.yaml")])
        self.assertEqual((failed, len(written)), (0, 0))
        self.assertEqual(empty[0][2], "single_stream: this machine has no such device")

    def test_a_class_that_is_no_system(self):
        with self.assertRaisesRegex(BenchError, "broken:NoSystem is no hbsbench.systems.System"):
            self.broken("nosystem")


class Outside(InFolder):
    """A third party's folder: another data set, with texts and missing values, and steps in SQL and in Python."""

    SYSTEMS = ["hbscore-sqlite", "hbscore-pg", "hbscore-core", "sklearn"]

    def test_every_scenario_on_every_system(self):
        folder = self.copy("outside")
        found = model(folder / "rent.yaml")
        cache = self.folder / "cache"
        with self.assertRaisesRegex(BenchError, "is not locked"):
            self.run_cells(found, self.SYSTEMS, cache=cache)
        case.write_lock(found, cache)
        scenarios = ("single_stream", "multi_stream", "server", "offline")
        failed, lines, written, empty = self.run_cells(found, self.SYSTEMS, scenarios, cache=cache)
        self.assertEqual(failed, 0, lines)
        self.assertLessEqual({system for _, system, _ in empty}, {"hbscore-pg"})  # where there is no server
        cells = {(r["system"], r["cell"]) for r in written if r["mode"] == "accuracy" and r["accuracy"]["passed"]}
        for system in {"hbscore-sqlite", "hbscore-core", "sklearn"}:
            for cell in ("single_stream", "multi_stream-4", "server", "offline-client"):
                self.assertIn((system, cell), cells)
        self.assertIn(("hbscore-sqlite", "offline-table"), cells)
        for record in written:
            if record["mode"] == "accuracy" and record["sink"] != "aggregate":
                self.assertEqual(record["accuracy"]["labels_differ"], 0)

    def test_predict_alone_beside_a_writer(self):
        """One process shows both: the steps that are not timed are done around the run, and somebody writes while it serves."""
        folder = self.copy("outside")
        path = folder / "rent.yaml"
        path.write_text(path.read_text().replace("connections: 2", "connections: 2, writes_per_second: 50").replace("outputs: [", "timed: [predict]\noutputs: ["))
        found, lines, cache = model(path), [], self.folder / "cache"
        case.write_lock(found, cache)
        harness = driver.Harness(self.results, cache, "smoke", environment.environment(), "2026-01-01", lines.append)
        cells = harness.plan([found], ["hbscore-sqlite"], ["server"])
        self.assertEqual([cell.title for cell in cells], ["server", "server-writes", "server-predict", "server-writes-predict"])
        self.assertEqual(harness.run(cells[3:]), 0, lines)
        self.assertRegex(lines[0], "beside [0-9]+ writes/s.*harness [0-9]+%.* 0 labels")
        right, measured = sorted(records.read_all(self.results), key=lambda record: record["mode"])
        self.assertEqual((measured["cell"], measured["timed"], measured["own_clock"]), ("server-writes-predict", ["predict"], "c"))
        self.assertTrue(right["accuracy"]["passed"])
        self.assertGreater(measured["writes"]["transactions"], 0)
        self.assertGreater(measured["facts"]["cold_first_ns"], 0)
        self.assertEqual([line for line in check.breaches([right, measured]) if "floor" not in line and "written beside" not in line], [])

    def test_forms_that_differ(self):
        folder = self.copy("outside")
        path = folder / "rent.yaml"
        path.write_text(path.read_text().replace("month * 12 AS year", "month * 13 AS year"))
        with self.assertRaisesRegex(BenchError, 'postprocess: SQL for sqlite and Python differ: row 0, "year"'):
            case.write_lock(model(path), self.folder / "cache")
        self.assertFalse(path.with_suffix(".lock").exists())

    def test_sql_that_fails(self):
        folder = self.copy("outside")
        path = folder / "rent.yaml"
        path.write_text(path.read_text().replace("coalesce(rooms, 1)", "rooms +"))
        with self.assertRaisesRegex(BenchError, "rent.yaml: SQLite: near"):
            case.write_lock(model(path), self.folder / "cache")


POINTS = """
schema: hbsbench/dataset/1
name: points
version: 1.0.0
description: points
source: {file: points.csv, sha256: %s, target: y}
table: points
"""
LINE = """
schema: hbsbench/model/1
name: line
version: 1.0.0
description: a line
task: regression
framework: {name: hbscore, version: ">=0"}
model: {source: line.json, format: hbscore, sha256: %s, reference_outputs: answers.csv}
dataset: {ref: points}
predict: [{name: y, function: predict}]
outputs: [{name: y, role: score}]
accuracy: {metric: r2, tolerance: 1.0e-9, per_row: {rtol: 1.0e-12, atol: 1.0e-12}}
scenarios: {single_stream: {}, offline: {sink: [client]}}
"""


class FullDisk(InFolder):
    """A file system of some pages, which only this process sees: the run ends in one line, and leaves no record."""

    RUN = """
results=$1
shift
mount -t tmpfs -o size=20k none "$results" && "$@"
echo "status $?"
find "$results" -name "result.json" -o -name "*.making" -o -name ".hbsbench-*"
"""

    def test_a_run(self):
        if subprocess.run(["unshare", "--mount", "true"], capture_output=True, check=False).returncode:
            self.skipTest("this user may not mount")
        self.results.mkdir()
        done = subprocess.run(["unshare", "--mount", "sh", "-c", self.RUN, "sh", str(self.results), sys.executable, "-W", "ignore", "-m", "hbsbench",
                               "--cache", str(CACHE), "--results", str(self.results), "run", "breast-cancer-logreg", "--profile", "smoke",
                               "--systems", "null-callback", "--scenarios", "single_stream"], capture_output=True, text=True, check=False)
        self.assertRegex(done.stderr, r"^hbsbench: .*: No space left on device\n$")
        self.assertTrue(done.stdout.endswith("status 1\n"), done.stdout)


class File(InFolder):
    """A model that is a file, with its library's answers beside it."""

    def test_a_file_of_hbscore(self):
        import hbscore
        from sklearn.linear_model import LinearRegression

        random = numpy.random.default_rng(3)
        x = random.normal(size=(300, 4))
        fitted = LinearRegression().fit(x, x @ [1, 2, 3, 4.5] + 1)
        (self.folder / "line.json").write_bytes(hbscore.export(fitted))
        numpy.savetxt(self.folder / "answers.csv", fitted.predict(x))
        rows = "".join(",".join(map(repr, map(float, row))) + f",{y!r}\n" for row, y in zip(x, map(float, fitted.predict(x))))
        (self.folder / "points.csv").write_text("a,b,c,d,y\n" + rows)
        for name, text, file in (("points", POINTS, "points.csv"), ("line", LINE, "line.json")):
            (self.folder / f"{name}.yaml").write_text(text % manifest.sha256((self.folder / file).read_bytes()))
        path = self.folder / "line.yaml"
        cache = self.folder / "cache"
        case.write_lock(model(path), cache)
        failed, lines, written, empty = self.run_cells(model(path), ["hbscore-core", "hbscore-sqlite", "sklearn"], ("single_stream", "offline"), cache=cache)
        self.assertEqual(failed, 0, lines)
        self.assertEqual(len([r for r in written if r["mode"] == "performance"]), 4)
        self.assertEqual(empty, [("line", "sklearn", "the model is a file: there is no estimator")])

        facts = next((cache / "models").glob("line-*/facts.json"))
        facts.write_text(facts.read_text()[:20])
        with self.assertRaisesRegex(BenchError, "facts.json: this file of the cache is damaged .JSONDecodeError.: remove .*/models/line-[0-9a-f]*, and it is made anew"):
            case.Case(model(path), cache)

        (self.folder / "line.json").write_text("{}")
        with self.assertRaisesRegex(BenchError, "model.sha256: .*line.json has"):
            case.check_lock(model(path), self.folder / "other")


class Smoke(InFolder):
    """The smoke profile over our systems, the floors, and scikit-learn, which takes long to import and has its other scenarios in
    Outside; then what follows from its records."""

    SYSTEMS = "null-callback,null-ctypes,hbscore-core,floor-sqlite,hbscore-sqlite,floor-pg,hbscore-pg"

    def smoke(self, systems, *more):
        status, out, err = command("--results", self.results, "run", "breast-cancer-logreg", "--profile", "smoke", "--systems", systems, *more)
        self.assertEqual((status, err), (0, ""), out)

    def test_all_scenarios(self):
        self.smoke(self.SYSTEMS)
        self.smoke("sklearn", "--scenarios", "single_stream")
        self.nothing_half_written()
        written = records.read_all(self.results)
        performance = [r for r in written if r["mode"] == "performance"]
        for record in performance:
            self.assertEqual((record["label"], record["loadgen"].split()[0]), ("LoadGen, unofficial", "6.0.17"))
            self.assertFalse(record["rules_compliant"])
            self.assertEqual(record["settings"].get("effective_min_duration_ms"), 0)
            lat = numpy.fromfile(record["path"] + "/lat.bin", "<i8").reshape(2, -1)
            self.assertGreaterEqual(lat.shape[1], {"single_stream": 64, "multi_stream": 662, "server": 459, "offline": 1}[record["scenario"]])
            self.assertEqual("issue_delay" in record, record["scenario"] == "server", record["system"])
            self.assertEqual(record.get("passes"), lat.shape[1] if record["scenario"] == "offline" else None)
            if record["scenario"] == "offline":
                self.assertEqual(lat.shape[1], 5)
            if record["scenario"] == "multi_stream":
                self.assertEqual(record["rows_walked"], record["rows"], record["system"])
            processors, apart = binding.processors(), record["scenario"] == "server" or record["system"].endswith("-pg")
            self.assertEqual(record["facts"]["bound"], binding.planned(processors, apart), record["system"])
            if record["system"].endswith("-pg"):
                self.assertGreater(record["statement"]["buffers_hit"] + record["statement"]["buffers_read"], 0)
                self.assertEqual(record["statement"]["workers_launched"], 0)
            self.assertEqual(record["statement"] is not None, record["system"].endswith(("-sqlite", "-pg")), record["system"])
        accurate = {(r["system"], r["cell"]) for r in written if r["mode"] == "accuracy" and r["accuracy"]["passed"]}
        for record in performance:
            if record["kind"] != "floor":
                self.assertIn((record["system"], record["cell"]), accurate)
        self.assertLessEqual({"hbscore-core", "hbscore-sqlite", "sklearn"}, {r["system"] for r in performance})
        # One set of rows and one model for all.
        self.assertEqual(len({(r["sample_set"], r["recipe"]) for r in performance}), 1)
        self.assertFalse(any(path.name == "mlperf_log_trace.json" and path.stat().st_size for path in self.results.rglob("*")))
        self.assertEqual(json.loads(next(self.results.rglob("environment.json")).read_text())["libraries"]["mlcommons-loadgen"], "6.0.17")
        # Its records may be compared, but not published.
        status, out, _ = command("--results", self.results, "check")
        self.assertEqual(status, 0, out)
        status, out, _ = command("--results", self.results, "check", "--claims")
        self.assertEqual(status, 1)
        self.assertIn("the profile smoke is no measurement", out)
        status, _, _ = command("--results", self.results, "report", "--to", self.folder / "report")
        self.assertEqual(status, 0)
        self.assertIn("These numbers show that everything works, and are no measurement", (self.folder / "report" / "report.html").read_text())

    def test_an_audit(self):
        status, out, err = command("--results", self.results, "audit", "breast-cancer-logreg", "--profile", "smoke", "--systems", "floor-sqlite,hbscore-sqlite")
        self.assertEqual((status, err), (0, ""), out)
        self.assertIn("audit passed", out)
        found = json.loads(next(self.results.rglob("audit.json")).read_text())
        self.assertTrue(found["passed"])
        self.assertGreater(found["sampled"], 0)
