"""The schedule of LoadGen's queries in `server`, and how much later than it they were issued."""

import json
import unittest

import made
import numpy
from hbsbench import check, pictures, profiles, records, report, schedule, stats, summary
from hbsbench.errors import BenchError
from support import InFolder
from test_logs import entry

# From logs of LoadGen 6.0.17: the rate, generated_query_count, generated_query_duration; the seed is 0.
LOGGED = ((5000.0, 16384, 3261658448), (10215.316164035276, 102378, 10000039226), (1137.4432682616819, 11414, 10001702837))


class Schedule(unittest.TestCase):
    def test_it_is_that_of_loadgen(self):
        for qps, count, end in LOGGED:
            times = schedule.scheduled(qps, 0, count + 1)
            self.assertEqual((times[0], times[-1], len(times)), (0, end, count + 1))
            self.assertTrue((numpy.diff(times) >= 0).all())

    def test_seeds(self):
        """std::mt19937 takes the low 32 bits."""
        seed = profiles.RULES_SEEDS["schedule_rng_seed"]
        numpy.testing.assert_array_equal(schedule.scheduled(100.0, seed, 9), schedule.scheduled(100.0, seed % 2**32, 9))
        self.assertFalse(numpy.array_equal(schedule.scheduled(100.0, seed, 9), schedule.scheduled(100.0, 0, 9)))

    def made(self, count=2000, qps=1000.0, mean=None, end=None, began=10**15):
        """Arrivals that are late by known times, of a clock that began elsewhere, each answered after 300 us and some."""
        late = numpy.random.default_rng(1).integers(50_000, 900_000, count)
        times = schedule.scheduled(qps, 0, count + 1)
        arrivals = began + times[:-1] + late
        took = numpy.random.default_rng(2).integers(300_000, 400_000, count)
        values = {schedule.COUNT: count, schedule.END: int(times[-1]) if end is None else end, schedule.MEAN: float((late + took).mean()) if mean is None else mean}
        return late, schedule.delays(arrivals.tolist(), numpy.random.default_rng(3).permutation(arrivals + took), values, qps, 0)

    def test_the_delays(self):
        late, found = self.made()
        self.assertLessEqual(int(numpy.abs(found - late).max()), 1)
        self.assertEqual(found.dtype, numpy.dtype("<i8"))

    def test_another_schedule_has_none(self):
        for changed in ({"end": 1}, {"mean": "none"}):
            self.assertIsNone(self.made(**changed)[1])
        self.assertIsNone(schedule.delays([], [], {schedule.COUNT: 5, schedule.END: 9, schedule.MEAN: 1}, 10.0, 0))
        self.assertIsNone(schedule.delays([1], [2], {}, 10.0, 0))


class Records(InFolder):
    def write(self, system="mine", repeat=1, late=40_000, **changed):
        found = numpy.full(100, late, "<i8")
        folder = made.write(self.results, system, repeat, cell="server", issue_delay=stats.percentiles(found), **changed)
        found.tofile(folder / schedule.FILE)
        return folder

    def cells(self):
        return summary.summaries(records.read_all(self.results))

    def test_the_report(self):
        search = [{"qps": 100.0, "p99_us": 20.0, "valid": True, "issue_p99_us": 7.0}, {"qps": 200.0, "p99_us": 30.0, "valid": False}]
        self.write(late=40_000, search=search)
        self.write(repeat=2, late=60_000)
        made.write(self.results, "theirs", cell="server")
        self.assertEqual(report.servers(self.cells())[1], [
            ["model", "server", "mine", "100", "20", "7", "1e+04", "VALID", "search"], ["model", "server", "mine", "200", "30", "", "1e+04", "INVALID", "search"],
            ["model", "server", "mine", "500", "1", "60", "1e+04", "VALID", "run"], ["model", "server", "theirs", "500", "1", "", "1e+04", "VALID", "run"]])

    def test_the_picture(self):
        """It has a panel more where delays are known."""
        self.write(search=[{"qps": 100.0, "p99_us": 20.0, "valid": True, "issue_p99_us": 7.0}, {"qps": 200.0, "p99_us": 30.0, "valid": False, "issue_p99_us": -1.0}])
        cells, heights = self.cells(), []
        for _ in range(2):
            png = pictures.draw_server(cells).png
            self.assertTrue(png.startswith(b"\x89PNG"))
            heights.append(int.from_bytes(png[20:24], "big"))
            for step in cells["model", "mine", "server"].record["search"]:
                step.pop("issue_p99_us", None)
        self.assertGreater(heights[0], heights[1] + 100)

    def test_the_percentile_is_that_of_loadgen(self):
        made.write(self.results, "mine", cell="server", log=[entry(schedule.P99, 5_000_000)])
        self.assertEqual(report.servers(self.cells())[1][0][4], "5000")

    def test_delays_that_were_changed(self):
        folder = self.write()
        self.assertEqual([line for line in check.breaches(records.read_all(self.results)) if "issue" in line], [])
        path = folder / "result.json"
        path.write_text(json.dumps({**json.loads(path.read_text()), "issue_delay": {"p99": 1}}))
        self.assertIn("model, mine, server, run 1: the issue delays are not those of issue.bin", check.breaches(records.read_all(self.results)))
        (folder / schedule.FILE).write_bytes(b"12345678")
        with self.assertRaisesRegex(BenchError, "issue.bin: it has 1 queries, and lat.bin 100"):
            self.cells()["model", "mine", "server"].issue_delay
        (folder / schedule.FILE).unlink()
        self.assertIn("issue.bin: No such file or directory", "\n".join(check.breaches(records.read_all(self.results))))
