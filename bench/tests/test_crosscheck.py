"""pgbench beside LoadGen."""

import json
import os
import types
import unittest

import made
from hbsbench import crosscheck, records, report, summary
from hbsbench.errors import BenchError, Refused
from support import CACHE, InFolder, command

POSTGRES = "PGHOST" in os.environ


class Figures(unittest.TestCase):
    def test_a_log(self):
        text = "".join(f"0 {n} {1000 + n} 0 1700000000 {n} {n}\n" for n in range(200))
        found = crosscheck.figures(text, 10, 100.0)
        self.assertEqual(found, {"rate": 100.0, "transactions": 200, "late": 0, "p50_us": 1100.0, "p99_us": 1198.0, "lag_p99_us": 198.0, "holds": True})

    def test_late_and_skipped(self):
        text = "".join(f"0 {n} 1000 0 1700000000 {n} 5\n" for n in range(96)) + "0 96 10001 0 1700000000 1 5\n" + "0 97 skipped 0 1700000000 1 11000\n" * 3
        found = crosscheck.figures(text, 10, 100.0)
        self.assertEqual((found["transactions"], found["late"], found["p99_us"], found["holds"]), (100, 4, None, False))
        with self.assertRaisesRegex(BenchError, "no transaction"):
            crosscheck.figures("0 0 skipped 0 1 1 1\n", 10, 1.0)


class Records(InFolder):
    def test_beside_a_cell(self):
        made.write(self.results, "mine", cell="server")
        (cell,) = summary.summaries(records.read_all(self.results)).values()
        self.assertIsNone(crosscheck.read(cell))
        found = {**crosscheck.figures("0 0 900 0 1 1 20\n", 10, 500.0), "loadgen_p99_us": 800.0}
        path = crosscheck.home(cell) / crosscheck.FILE
        path.write_text(json.dumps(found))
        self.assertEqual(path.parent.name, "server")
        self.assertEqual(crosscheck.read(cell), found)
        self.assertEqual(report.servers({cell.key(): cell})[1][-1][3:], ["500", "900", "20", "1e+04", "VALID", "pgbench"])
        self.assertIn("p99 900 us by pgbench (0 of 1 over the target, lag p99 20 us), 800 us by LoadGen", crosscheck.line(cell, found))
        path.write_text('{"rate": "much"}')
        with self.assertRaisesRegex(BenchError, "this is no record of pgbench"):
            crosscheck.read(cell)

    def test_nothing_to_do(self):
        """A library executes no statement."""
        path = made.write(self.results, "mine", cell="server") / "result.json"
        path.write_text(json.dumps({**json.loads(path.read_text()), "system": "sklearn", "model": "breast-cancer-logreg"}))
        status, _, err = command("--results", self.results, "crosscheck")
        self.assertEqual((status, err.count("\n")), (1, 1), err)
        self.assertIn("it has no cell of server of a statement in PostgreSQL", err)

    def test_a_model_of_elsewhere(self):
        made.write(self.results, "mine", cell="server")
        status, out, err = command("--results", self.results, "crosscheck")
        self.assertEqual((status, err), (1, ""), err)
        self.assertIn('FAILED  model, mine: there is no model "model"', out)


@unittest.skipUnless(POSTGRES, "there is no PostgreSQL server")
class Run(InFolder):
    def record(self, system):
        return {"model": "breast-cancer-logreg", "system": system, "profile": "smoke", "targets": {"target_latency_ms": 1000, "connections": 2}}

    def test_a_system(self):
        with self.assertRaises(Refused):
            crosscheck.the_system(self.record("sklearn-fetch-pg"), CACHE)
        for name in ("hbscore-pg", "floor-pg"):
            record = self.record(name)
            system = crosscheck.the_system(record, CACHE)
            found = crosscheck.measured(system, types.SimpleNamespace(record=record, median=300.0, p99=5e5), 1)
            self.assertTrue(100 < found["transactions"] < 600, found)
            self.assertTrue(found["holds"], found)
            self.assertIn("-M prepared", found["command"])
        self.assertRegex(crosscheck.script(system), r"^.set key random\(0, [0-9]+\)\nSELECT .* = :key.*;\n$")
