"""The harness's own share of a result: of a query, of a record, and of a record that is older than it."""

import json
import unittest

import made
import numpy
from hbsbench import check, publish, records, report, share, summary
from hbsbench.errors import BenchError
from support import InFolder
from test_logs import entry


class Share(unittest.TestCase):
    def of(self, scenario="single_stream", own_clock="harness", inner=(0, 0), system=(500, 700), **log):
        times = numpy.array([[1000, 1200], inner], "<i8")
        return share.of({"scenario": scenario, "own_clock": own_clock}, log, times, numpy.array(system, "<i8"))

    def test_by_the_mean_of_loadgen(self):
        self.assertEqual(self.of(result_mean_latency_ns=1500), {"whole_ns": 1500.0, "system_ns": 600.0, "share": 0.6})
        self.assertEqual(self.of("multi_stream", result_mean_query_latency_ns=2400, result_mean_latency_ns=1)["share"], 0.75)

    def test_by_the_callback(self):
        """LoadGen counts the queue of `server`, too."""
        for scenario in ("server", "offline"):
            self.assertAlmostEqual(self.of(scenario, result_mean_latency_ns=10**9)["share"], 1 - 600 / 1100)
        self.assertAlmostEqual(self.of(result_mean_latency_ns=None)["share"], 1 - 600 / 1100)

    def test_by_the_clock_of_c_code(self):
        self.assertEqual(self.of(own_clock="c", inner=(100, 200), result_mean_latency_ns=1500)["share"], 0.9)
        session = type("Session", (), {"python_steps": False})
        self.assertEqual([share.own_clock(session, numpy.array(inner)) for inner in ([0, 0], [0, 5])], ["harness", "c"])
        session.python_steps = True
        self.assertEqual(share.own_clock(session, numpy.array([5])), "harness")

    def test_never_less_than_nothing(self):
        self.assertEqual(self.of(result_mean_latency_ns=300)["share"], 0.0)


class Records(InFolder):
    def write(self, system="mine", repeat=1, own=500, **changed):
        folder = made.write(self.results, system, repeat, log=[entry("result_mean_latency_ns", 2000)], own_clock="harness",
                            harness={"whole_ns": 2000.0, "system_ns": float(own), "share": 1 - own / 2000}, **changed)
        numpy.full(100, own, "<i8").tofile(folder / share.FILE)
        return folder

    def cells(self):
        return summary.summaries(records.read_all(self.results))

    def test_the_median_of_the_repeats(self):
        for repeat, own in enumerate((500, 1000, 1500), 1):
            self.write(repeat=repeat, own=own)
        self.assertEqual(report.shares(self.cells())[1], [["model", "single_stream", "mine", "2", "1", "the harness", "50%"]])
        self.assertEqual(check.breaches(records.read_all(self.results))[1:], ["model, mine, single_stream: its floor, floor-mine, was not measured"])
        self.assertIn("| `mine` | 1e-06 | 2e-06 | 0.001 | 50% |", publish.first_use(self.cells(), "model")[1])

    def test_older_records_have_none(self):
        made.write(self.results, "mine")
        self.write(repeat=2)
        self.assertIsNone(self.cells()["model", "mine", "single_stream"].share)
        self.assertEqual(report.shares(self.cells())[1], [])
        self.assertIn("| `mine` | 1e-06 | 2e-06 | 0.001 |", publish.first_use(self.cells(), "model")[1])

    def test_a_share_that_was_changed(self):
        folder = self.write()
        path = folder / "result.json"
        path.write_text(json.dumps({**json.loads(path.read_text()), "harness": {"share": 0.1}}))
        self.assertIn("model, mine, single_stream, run 1: the harness's share is not that of system.bin", check.breaches(records.read_all(self.results)))
        (folder / share.FILE).write_bytes(b"12345678")
        with self.assertRaisesRegex(BenchError, "system.bin: it has 1 queries, and lat.bin 100"):
            self.cells()
