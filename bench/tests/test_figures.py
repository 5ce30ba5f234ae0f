"""Statement figures: planning, execution and the bytes that reach a client, in records and tables."""

import os
import re
import tempfile
import unittest

import made
from hbsbench import case, check, figures, manifest, native, publish, records, report, summary, systems
from hbsbench.errors import BenchError
from suts import functions
from support import CACHE, InFolder

POSTGRES = "PGHOST" in os.environ and hasattr(native.library(), "pg_open")
ROWS, FEATURES, OUTPUTS = 40, 30, 2
TAKEN = {"statements": 1, "planning_ns": 20_000, "execution_ns": 3_000_000, "client_bytes": 1_190_000}


class Statements(unittest.TestCase):
    """The statements of breast-cancer-logreg, which answers with a label and a probability."""

    @classmethod
    def setUpClass(cls):
        found = manifest.find("model", "breast-cancer-logreg")
        case.check_lock(found, CACHE)
        cls.case = case.Case(found, CACHE, most_rows=ROWS)

    def session(self, name):
        _, system = systems.load(name, self.case)
        system.prepare()
        system.open()
        session = system.session()
        self.addCleanup(session.close)
        return session

    def bytes_of(self, session, sinks):
        """One row, four rows and a scan into each sink have all figures."""
        found = [session.figures(None, [3]), session.figures(None, [3, 4, 5, 6]), *(session.figures(sink, None) for sink in sinks)]
        for one in found:
            self.assertTrue(figures.well_formed(one), one)
            self.assertGreater(min(one["planning_ns"], one["execution_ns"]), 0)
            if not isinstance(session.connection, functions.PythonStatements):
                self.assertGreater(one["buffers_hit"] + one["buffers_read"], 0, one)
        return [one["client_bytes"] for one in found]

    def test_sqlite_counts_the_values_of_steps(self):
        scored = [8 * OUTPUTS, 4 * 8 * (1 + OUTPUTS), 8 * (1 + OUTPUTS), 0, ROWS * 8 * (1 + OUTPUTS)]
        fetched = [8 * FEATURES, 4 * 8 * FEATURES, *[ROWS * 8 * (1 + FEATURES)] * 3]
        for name, wanted in (("hbscore-sqlite", scored), ("python-udf-sqlite", scored), ("sklearn-fetch-sqlite", fetched)):
            with self.subTest(name):
                self.assertEqual(self.bytes_of(self.session(name), ("aggregate", "table", "client")), wanted)

    def test_the_table_is_written_once(self):
        """However often the statement is executed."""
        session = self.session("hbscore-sqlite")
        session.figures("table", None)
        session.read_back("table", self.case.expected().copy())

    def test_a_row_that_is_bound(self):
        session = self.session("hbscore-sqlite-bound")
        self.assertEqual(self.bytes_of(session, ("client",)), [8 * OUTPUTS] * 3)
        self.assertEqual([session.figures(None, [3, 4])["statements"], session.figures("client", None)["statements"]], [2, ROWS])

    def test_without_a_statement(self):
        for name in ("hbscore-core", "null-callback", "null-ctypes", "sklearn"):
            self.assertIsNone(self.session(name).figures(None, [3]))

    def test_sizes_of_values(self):
        self.assertEqual([figures.value_bytes(value) for value in (None, 1, 1.5, "h\u00e9", b"abc")], [0, 8, 8, 3, 3])

    @unittest.skipUnless(POSTGRES, "there is no PostgreSQL server, or no libpq")
    def test_postgres_counts_the_messages(self):
        """As libpq's own trace of them does."""
        for name in ("hbscore-pg", "sklearn-fetch-pg"):
            with self.subTest(name):
                session = self.session(name)
                found = self.bytes_of(session, ("aggregate", "table", "client"))
                self.assertGreater(found[-1], ROWS * 8 * (1 + OUTPUTS))
                if name == "hbscore-pg":
                    s = session.statements
                    queries = ((s.one(), [3]), (s.some(), [3, 6]), (s.aggregate(ROWS), []), (s.write(ROWS), []), (s.all(ROWS), []))
                else:
                    one, some, everything = session.statements(session.numbered)
                    queries = ((one, [3]), (some, [3, 6]), *[(everything, [])] * 3)
                self.assertEqual(found, [self.traced(session, *query) for query in queries])
        bound = self.session("hbscore-pg-bound")
        self.assertEqual(len(set(self.bytes_of(bound, ("client",)))), 1)

    def traced(self, session, sql, keys):
        """Lines of a trace have the time, F or B, the length without the byte of the type, and the message."""
        import psycopg
        from suts.postgres import SETTINGS

        database = session.connection.text("SELECT current_database()") if hasattr(session.connection, "text") else session.connection.info.dbname
        with psycopg.connect(f"dbname={database}", options=SETTINGS) as connection, tempfile.TemporaryFile() as file:
            raw = connection.pgconn
            raw.prepare(b"q", sql.encode(), [20] * len(keys))
            raw.trace(file.fileno())
            raw.exec_prepared(b"q", [key.to_bytes(8, "big") for key in keys], [1] * len(keys), 1)
            raw.untrace()
            file.seek(0)
            return sum(1 + int(length) for length in re.findall(rb"^[^\t\n]*\tB\t(\d+)\t", file.read(), re.M))


class Tables(InFolder):
    def written(self):
        for repeat, planning in enumerate((10_000, 20_000, 90_000), 1):
            made.write(self.results, "mine", repeat, cell="offline-client", latencies=[5_000_000], statement={**TAKEN, "planning_ns": planning})
        made.write(self.results, "mine", cell="offline-aggregate", latencies=[3_100_000], statement={**TAKEN, "client_bytes": 80})
        made.write(self.results, "theirs", cell="offline-client", latencies=[9_000_000], statement={**TAKEN, "statements": 1000})
        made.write(self.results, "floor-mine", cell="offline-client", statement=None)
        return summary.summaries(records.read_all(self.results))

    def test_the_report(self):
        self.assertEqual(report.statements(self.written())[1], [["model", "offline-aggregate", "mine", "1", "20", "3000", "3100", "80", "", "", ""],
                                                                ["model", "offline-client", "mine", "1", "20", "3000", "5000", "1190000", "", "", ""],
                                                                ["model", "offline-client", "theirs", "1000", "20", "3000", "9000", "1190000", "", "", ""]])
        made.write(self.results, "mine", cell="single_stream", statement={**TAKEN, "buffers_hit": 70, "buffers_read": 3, "workers_planned": 2, "workers_launched": 1})
        self.assertEqual(report.statements(summary.summaries(records.read_all(self.results)))[1][-1][-3:], ["70", "3", "1"])

    def test_the_page(self):
        """Columns of a single row, which nobody measured, are left out; a system whose pass is many statements has none of a pass."""
        about, table = publish.statements(self.written(), "model")
        self.assertIn("EXPLAIN", about)
        self.assertEqual(table.splitlines()[0], "| System | aggregate: execution, ms | aggregate: a pass, ms | aggregate: bytes to the client | "
                                                "client: execution, ms | client: a pass, ms | client: bytes to the client |")
        self.assertEqual(table.splitlines()[2:], ["| `mine` | 3 | 3.1 | 80 | 3 | 5 | 1,190,000 |"])
        self.assertEqual(publish.statements({}, "model"), [])

    def test_records_of_earlier_versions_have_none(self):
        made.write(self.results, "mine")
        self.assertIsNone(summary.summaries(records.read_all(self.results))["model", "mine", "single_stream"].statement)
        self.assertEqual(len(check.breaches(records.read_all(self.results))), 2)

    def test_figures_that_are_none(self):
        for wrong in ("many", [], {**TAKEN, "client_bytes": -1}, {**TAKEN, "planning_ns": 1.5}, {"client_bytes": 1}, {**TAKEN, "statements": True},
                      {**TAKEN, "buffers_hit": -1}, {**TAKEN, "buffers_read": None}):
            made.write(self.results, "mine", statement=wrong)
            with self.subTest(wrong), self.assertRaisesRegex(BenchError, "this is no record: statement is missing or is something else"):
                records.read_all(self.results)
            self.setUp()
