"""Steps that a manifest does not time, and steps that it has in SQL alone; somebody who writes beside a session."""

import os
import pathlib
import shutil
import tempfile
import time
import types
import unittest

import numpy
from hbsbench import case, equal_rows, manifest, native, systems, writer
from hbsbench.case import Case
from hbsbench.errors import BenchError, Refused
from suts.bound import BoundSession
from suts.databases import DatabaseSession
from support import CACHE, HERE, InFolder, model

POSTGRES = "PGHOST" in os.environ and hasattr(native.library(), "pg_open")
IN_DATABASES = ["hbscore-sqlite", "sklearn-fetch-sqlite"] + ["hbscore-pg", "sklearn-fetch-pg"] * POSTGRES


class Steps(InFolder):
    """The rent of tests/outside."""

    @classmethod
    def setUpClass(cls):
        cls.cache = pathlib.Path(tempfile.mkdtemp(prefix="hbsbench-test-"))
        cls.addClassCleanup(shutil.rmtree, cls.cache, ignore_errors=True)

    def changed(self, *changes):
        if not (self.folder / "outside").exists():
            self.copy("outside")
        path = self.folder / "outside" / "rent.yaml"
        text = (HERE / "outside" / "rent.yaml").read_text()
        for old, new in changes:
            self.assertIn(old, text)
            text = text.replace(old, new)
        path.write_text(text)
        return model(path)

    def scanned(self, view, name):
        _, system = systems.load(name, view)
        system.prepare()
        system.open()
        session = system.session()
        self.addCleanup(session.close)
        out, one = numpy.zeros((view.rows, view.width)), numpy.zeros((4096, view.width))
        session.before_scan("client")
        session.scan("client", out)
        session.score([3], one)
        numpy.testing.assert_array_equal(one[0], out[3])
        return out

    def test_what_is_not_timed_is_done_before_and_after(self):
        found = self.changed(("outputs: [", 'timed: [predict]\noutputs: ['))
        whole, alone = Case(found, self.cache).views()
        self.assertEqual((whole.manifest.name, whole.width, alone.width, alone.rows), (found.name, 2, 1, whole.rows))
        self.assertEqual(alone.data.names, ["size", "room_size", "balcony"])
        numpy.testing.assert_array_equal(alone.raw_rows(), whole.features())
        for name in ["hbscore-core", "sklearn", "python-udf-sqlite", *IN_DATABASES]:
            with self.subTest(name):
                out = self.scanned(alone, name)
                numpy.testing.assert_array_equal(out, alone.expected())
                numpy.testing.assert_array_equal(alone.judged(out), alone.reference())
                numpy.testing.assert_allclose(self.scanned(whole, name), whole.expected(), rtol=1e-9)
        numpy.testing.assert_array_equal(alone.reference(), whole.expected())

    def test_one_of_two_steps(self):
        found = self.changed(("outputs: [", 'timed: [predict, postprocess]\noutputs: ['))
        alone = Case(found, self.cache).views()[-1]
        self.assertEqual((alone.width, alone.manifest.get("preprocess"), "sql" in alone.manifest["postprocess"]), (2, None, True))
        self.assertIsNone(alone.manifest.get("before_preprocess"))
        numpy.testing.assert_array_equal(self.scanned(alone, "hbscore-sqlite"), alone.expected())

    def test_all_steps_and_none(self):
        for old, new, expected in (("outputs: [", "timed: [preprocess, predict, postprocess]\noutputs: [", "timed: it leaves out no step of this model"),
                                   ("outputs: [", "timed: [preprocess]\noutputs: [", "timed: .*does not contain"),
                                   ("outputs: [", "timed: [predict, load]\noutputs: [", "timed.1: 'load' is not one of")):
            with self.assertRaisesRegex(BenchError, expected):
                self.changed((old, new))
        self.assertEqual(len(Case(self.changed(), self.cache).views()), 1)

    def test_steps_in_sql_alone(self):
        """The model is trained on the rows of such a preprocess, and its answers are those of such a postprocess."""
        both = Case(self.changed(), self.cache)
        alone = Case(self.changed(('\n  python: "flats:prepare"', ""), ('\n  python: "flats:finish"', "")), self.cache)
        numpy.testing.assert_array_equal(alone.features(), both.features())
        numpy.testing.assert_array_equal(alone.expected(), both.expected())
        numpy.testing.assert_array_equal(self.scanned(alone, "hbscore-sqlite"), both.expected())
        with self.assertRaisesRegex(Refused, "preprocess has no Python form"):
            systems.load("sklearn", alone)

    def test_steps_in_sql_that_fail(self):
        for changes, expected in (((("coalesce(rooms, 1)", "rooms +"),), "preprocess: SQLite: near"), ((("FROM flats", "FROM flats WHERE size > 50"),), "preprocess gives .* rows, or other keys, for"),
                                  ((("{common: \"SELECT number", "{postgres: \"SELECT number"),), "preprocess: it needs a Python form or one for SQLite"),
                                  ((("month * 12 AS year", "month * AS year"),), "postprocess: SQLite: near")):
            found = self.changed(('\n  python: "flats:prepare"', ""), ('\n  python: "flats:finish"', ""), *changes)
            with self.subTest(expected), self.assertRaisesRegex(BenchError, expected):
                case.write_lock(found, self.cache)
            self.assertFalse(found.lock_path.exists())

    def test_two_dialects(self):
        """Without a Python form, SQL for PostgreSQL is compared with what SQLite gives."""
        found = self.changed(('\n  python: "flats:prepare"', ""))
        self.assertEqual([equal_rows.two_forms(found, "preprocess", dialect) for dialect in ("sqlite", "postgres")], [False, True])
        self.assertEqual([equal_rows.two_forms(found, "postprocess", dialect) for dialect in ("sqlite", "postgres")], [True, True])


class Clock(unittest.TestCase):
    def test_the_clock_of_several_statements(self):
        """Rows that do not follow each other, and rows that are bound, are statements of their own."""
        connection = types.SimpleNamespace(inner=5, run=lambda statement, keys, out, width: 1 + (keys[-1] - keys[0]), run_values=lambda *arguments: 1)
        table, out = DatabaseSession.__new__(DatabaseSession), numpy.zeros((3, 1))
        table.connection, table.one, table.some, table.width, table.pair = connection, 0, 1, 1, numpy.zeros((3, 2))
        bound = BoundSession.__new__(BoundSession)
        bound.connection, bound.at, bound.columns, bound.rows, bound.statement, bound.width = connection, 0, 1, out, 0, 1
        for session, keys, inner in ((table, [1, 2], 5), (table, [4, 0, 1], 10), (bound, [1, 2, 0], 15)):
            session.score(keys, out)
            self.assertEqual(session.inner, inner)


class Writes(unittest.TestCase):
    """Rows come and go beside a session, whose answers do not change; the table is then as it was."""

    def test_beside_a_session(self):
        found = manifest.find("model", "breast-cancer-logreg")
        case.check_lock(found, CACHE)
        made = Case(found, CACHE, most_rows=40)
        for name in IN_DATABASES:
            with self.subTest(name):
                _, system = systems.load(name, made)
                system.prepare()
                system.open()
                session = system.session()
                connection, failures, out = system.writer(), [], numpy.zeros((4096, made.width))
                beside = writer.Writer(connection, 500, failures.append)
                beside.start()
                ends = time.monotonic() + 5
                while len(beside.times) < 10 and time.monotonic() < ends:
                    session.score([7], out)
                    numpy.testing.assert_allclose(out[0], made.expected()[7], rtol=1e-9)
                beside.stop()
                self.assertEqual(failures, [])
                self.assertGreaterEqual(beside.told()["transactions"], 10)
                self.assertGreater(self.rows(connection, made), 40)
                session.close()
                connection.clear()
                self.assertEqual(self.rows(connection, made), 40)
                connection.close()

    @staticmethod
    def rows(connection, made):
        return connection.execute(f"SELECT count(*) FROM {made.dataset['table']}").fetchone()[0]

    def test_without_a_table(self):
        found = manifest.find("model", "breast-cancer-logreg")
        _, system = systems.load("hbscore-core", Case(found, CACHE, most_rows=40))
        self.assertFalse(hasattr(system, "writer"))
