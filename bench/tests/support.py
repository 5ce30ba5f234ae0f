"""support.py - folders for tests, and runs of the harness in them."""

import contextlib
import io
import os
import pathlib
import shutil
import tempfile
import unittest

from hbsbench import cli, driver, environment, manifest, records

HERE = pathlib.Path(__file__).resolve().parent
CACHE = pathlib.Path(os.environ.get("BUILD", "build")).resolve() / "bench" / "harness" / "cache"


class InFolder(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="hbsbench-test-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.results = self.folder / "results"

    def copy(self, name):
        """A folder of the tests, to be changed."""
        shutil.copytree(HERE / name, self.folder / name)
        return self.folder / name

    def run_cells(self, model, systems, scenarios=("single_stream",), deadline=300, cache=CACHE):
        """(number of failed cells, lines, records, empty cells)"""
        lines = []
        harness = driver.Harness(self.results, cache, "smoke", environment.environment(), "2026-01-01", lines.append, deadline)
        failed = harness.run(harness.plan([model], systems, scenarios))
        return failed, lines, records.read_all(self.results), harness.empty

    def nothing_half_written(self):
        for path in self.results.rglob("*"):
            self.assertNotRegex(path.name, r"making|\.old$")
            if path.is_dir() and path.name.startswith(("run_", "accuracy")):
                self.assertTrue((path / "result.json").exists(), path)


def command(*arguments):
    """(status, what it wrote to standard output, and to standard error)"""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = cli.main(["--cache", str(CACHE), *map(str, arguments)])
    return status, out.getvalue(), err.getvalue()


def model(path):
    return manifest.read(path, "model")
