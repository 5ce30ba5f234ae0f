"""The parts of a pass of offline, as systems tell them."""

import os
import pathlib
import tempfile
import time
import unittest

import made
import numpy
import test_cells
from hbsbench import case, manifest, native, parts, profile, records, systems
from hbsbench.errors import BenchError
from support import CACHE, InFolder
from test_profile import ROWS

POSTGRES = "PGHOST" in os.environ and hasattr(native.library(), "pg_open")


class Clock(unittest.TestCase):
    def test_parts_add_up(self):
        clock = parts.Clock()
        begun = time.perf_counter_ns()
        for name in ("run", "post", "run"):
            with clock(name):
                time.sleep(0.002)
        whole = time.perf_counter_ns() - begun
        self.assertEqual(set(clock.told()), {"run", "post"})
        self.assertGreaterEqual(clock.told()["run"], 4_000_000)
        self.assertLessEqual(sum(clock.told().values()), whole)

    def test_the_profile_of_hbscore(self):
        self.assertEqual(profile.parts_of(ROWS), {"scan": 500, "featurise": 100, "run": 300, "post": 50})


class Systems(unittest.TestCase):
    """breast-cancer-logreg has a postprocess, and fetching clients have all parts."""

    @classmethod
    def setUpClass(cls):
        found = manifest.find("model", "breast-cancer-logreg")
        case.check_lock(found, CACHE)
        cls.case = case.Case(found, CACHE, most_rows=60)

    def parts_of(self, name, sink):
        _, system = systems.load(name, self.case)
        system.prepare()
        system.open()
        session = system.session()
        self.addCleanup(session.close)
        session.before_scan(sink)
        begun = time.perf_counter_ns()
        session.scan(sink, numpy.zeros((self.case.rows, self.case.width)))
        whole = time.perf_counter_ns() - begun
        found = session.parts(sink)
        if found is not None:
            self.assertTrue(parts.well_formed(found), found)
        return found, whole

    def test_those_in_python(self):
        wanted = {"hbscore-core": {"run", "post"}, "sklearn": {"run", "post"}, "sklearn-fetch-sqlite": {"transfer", "featurise", "run", "post", "write"}}
        wanted.update({name: wanted["sklearn-fetch-sqlite"] for name in ("sklearn-fetch-pg", "sklearn-fetch-pg-copy") if POSTGRES})
        for name, names in wanted.items():
            with self.subTest(name):
                sink = "table" if "fetch" in name else "client"
                found, whole = self.parts_of(name, sink)
                self.assertEqual({part for part, ns in found.items() if ns}, names)
                self.assertLessEqual(sum(found.values()), whole)

    def test_hbscore_in_databases(self):
        for name in ["hbscore-sqlite"] + ["hbscore-pg"] * POSTGRES:
            found, _ = self.parts_of(name, "aggregate")
            self.assertEqual(set(found), {"scan", "featurise", "run", "post"})
            self.assertGreater(min(found["scan"], found["run"]), 0)

    def test_a_model_with_names_of_its_own(self):
        """LightGBM calls the columns Column_0, Column_1, ..."""
        with tempfile.TemporaryDirectory(prefix="hbsbench-test-") as folder:
            folder = pathlib.Path(folder)
            test_cells.smaller(folder)
            found = manifest.find("model", "fraud-lightgbm", beside=folder)
            case.write_lock(found, folder / "cache")
            self.case = case.Case(found, folder / "cache", most_rows=60)
            for name in ["hbscore-sqlite"] + ["hbscore-pg"] * POSTGRES:
                self.assertGreater(self.parts_of(name, "client")[0]["run"], 0)

    def test_nobody_knows_them(self):
        for name in ("python-udf-sqlite", "null-callback", "floor-sqlite"):
            self.assertIsNone(self.parts_of(name, "client")[0])


class Records(InFolder):
    def test_parts_that_are_none(self):
        made.write(self.results, "mine", cell="offline-client", parts={"run": 1})
        made.write(self.results, "theirs", cell="offline-client", parts=None)
        self.assertEqual([r["parts"] for r in records.read_all(self.results)], [{"run": 1}, None])
        for wrong in ([], {"run": -1}, {"running": 1}, {"run": 1.5}):
            made.write(self.results, "mine", cell=f"offline-{len(str(wrong))}", parts=wrong)
            with self.subTest(wrong), self.assertRaisesRegex(BenchError, "this is no record: parts is missing or is something else"):
                records.read_all(self.results)
            self.setUp()
