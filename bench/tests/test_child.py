"""The settings that a run asks of LoadGen, and the search for the highest rate of queries."""

import pathlib
import tempfile
import time
import types
import unittest

import numpy

from hbsbench import child, driver, profiles, systems, writer
from hbsbench.errors import BenchError
from support import InFolder

LG = types.SimpleNamespace(
    TestSettings=types.SimpleNamespace,
    TestScenario=types.SimpleNamespace(SingleStream="SingleStream", MultiStream="MultiStream", Server="Server", Offline="Offline"),
    TestMode=types.SimpleNamespace(AccuracyOnly="AccuracyOnly", PerformanceOnly="PerformanceOnly", FindPeakPerformance="FindPeakPerformance"))


def settings(scenario, profile="standard", accuracy=False, **shorter):
    cell = {"scenario": scenario, "targets": {"target_latency_ms": 10}, "samples_per_query": 8}
    return child.settings_of(LG, cell, profiles.PROFILES[profile], accuracy, 5000, 300.0, shorter)


class Settings(unittest.TestCase):
    def test_single_stream(self):
        made, changed = settings(profiles.SINGLE)
        self.assertEqual((made.scenario, made.mode, made.min_duration_ms, made.min_query_count), ("SingleStream", "PerformanceOnly", 10_000, 100))
        self.assertEqual(changed["single_stream_expected_latency_ns"], 5000)

    def test_multi_stream(self):
        made, _ = settings(profiles.MULTI, "smoke")
        self.assertEqual((made.min_duration_ms, made.min_query_count, made.multi_stream_samples_per_query), (0, 662, 8))

    def test_multi_stream_walks_most_of_a_large_set(self):
        cell = {"scenario": profiles.MULTI, "targets": {}, "samples_per_query": 8}
        made, _ = child.settings_of(LG, cell, profiles.PROFILES["standard"], False, 5000, None, rows=16_384)
        self.assertGreater(made.min_query_count, 9_000)

    def test_many_queries_as_far_as_they_can_be_reached(self):
        """In five times the duration; never fewer than early stopping asks for."""
        def least(scenario, ns, profile="extended"):
            cell = {"scenario": scenario, "targets": {"target_latency_ms": 10}, "samples_per_query": 8}
            return child.settings_of(LG, cell, profiles.PROFILES[profile], False, ns, 1e9 / ns, rows=100)[0].min_query_count

        self.assertEqual([least(profiles.SINGLE, ns) for ns in (10_000, 100_000_000, 10**10)], [24_576, 3000, 64])
        self.assertEqual([least(profiles.MULTI, ns) for ns in (10_000, 100_000_000, 10**10)], [270_336, 3000, 662])
        self.assertEqual([least(profiles.SERVER, ns) for ns in (10_000, 100_000_000, 10**10)], [270_336, 3000, 459])
        self.assertEqual(least(profiles.SINGLE, 10**10, "standard"), 64)

    def test_a_duration_that_was_asked_for(self):
        cell = {"scenario": profiles.SINGLE, "targets": {}, "duration_ms": 50}
        self.assertEqual(child.settings_of(LG, cell, profiles.PROFILES["standard"], False, 5000, None)[1]["min_duration_ms"], 50)

    def test_a_stream_that_the_memory_does_not_hold(self):
        """LoadGen would be killed, and what else runs on the machine with it."""
        gigabyte = 10**9
        for scenario, changed, fits in ((profiles.SINGLE, {"single_stream_expected_latency_ns": 20_000}, 20),
                                        (profiles.MULTI, {"multi_stream_expected_latency_ns": 20_000, "multi_stream_samples_per_query": 8}, 40)):
            made = types.SimpleNamespace(min_duration_ms=600_000)
            with self.assertRaisesRegex(child.Refused, "600 seconds of queries that take 20 us: LoadGen makes 60,000,000 .* GB are free"):
                child.check_memory(made, changed, fits * gigabyte)
            child.check_memory(made, changed, 2 * fits * gigabyte)
        child.check_memory(types.SimpleNamespace(min_duration_ms=600_000), {"server_target_qps": 1e6}, 1)

    def test_server(self):
        made, _ = settings(profiles.SERVER)
        self.assertEqual((made.server_target_qps, made.server_target_latency_ns, made.min_query_count), (300.0, 10_000_000, 459))

    def test_offline_is_one_query_over_each_sample_once(self):
        made, _ = settings(profiles.OFFLINE)
        self.assertEqual((made.min_query_count, made.min_duration_ms, made.performance_issue_unique), (1, 0, True))

    def test_accuracy_mode(self):
        self.assertEqual(settings(profiles.SINGLE, accuracy=True)[0].mode, "AccuracyOnly")

    def test_seeds(self):
        for name, profile in profiles.PROFILES.items():
            made, changed = settings(profiles.SINGLE, name)
            for seed, value in profile.seeds.items():
                self.assertEqual((getattr(made, seed), changed[seed]), (value, value))
        self.assertEqual(profiles.PROFILES["rules"].seeds["qsl_rng_seed"], 2085463073848966840)

    def test_a_run_is_never_made_shorter_by_a_maximum(self):
        for name in profiles.PROFILES:
            for scenario in profiles.SCENARIOS:
                self.assertEqual([key for key in settings(scenario, name)[1] if key.startswith("max_") or "percentile" in key], [])


class Rules(unittest.TestCase):
    def test_a_run_that_complies(self):
        """By LoadGen's verdict and its settings, which test_rules.py has; a run of another profile was not asked."""
        for run, complies in (({"valid": True, "rules_breaches": []}, True), ({"valid": False, "rules_breaches": []}, False),
                              ({"valid": True, "rules_breaches": ["too short"]}, False), ({"valid": True}, False)):
            self.assertEqual(driver.Harness.rules_compliant(run), complies, run)

    def test_offline_is_one_query_that_lasts(self):
        """As many samples as LoadGen asks for, of scans one after the other; the table is made anew before each."""
        asked, answers = [], []
        session = types.SimpleNamespace(inner=5, scan=lambda sink, out: asked.append("scan") or 5, before_scan=lambda sink: asked.append("before"))
        lg = types.SimpleNamespace(QuerySamplesComplete=answers.extend, QuerySampleResponse=lambda id_, at, size: (id_, size))
        user = child.Offline(lg, session, 1, child.Failure(), 5, 2, "client", False)
        user.issue(list(range(10, 18)), [2, 0, 1, 0, 1, 2, 1, 1])
        self.assertEqual(asked, ["scan", *["before", "scan"] * 3])
        self.assertEqual((user.times.array().shape[1], answers[:3]), (4, [(10, 8), (11, 16), (12, 16)]))
        self.assertEqual(len(answers), 8)
        made, changed = child.settings_of(LG, {"scenario": profiles.OFFLINE, "targets": {}, "rows_per_sample": 512}, profiles.PROFILES["rules"], False, 10**9,
                                          None, by_rules=types.SimpleNamespace(min_duration_ms=600_000), rows=100_000)
        self.assertEqual((made.min_duration_ms, made.min_query_count, made.offline_expected_qps), (600_000, 196, 196.0))


class Session:
    inner = 0

    def __init__(self):
        self.asked = []

    def score(self, keys, out):
        self.asked.append(keys)
        out[:len(keys), 0] = keys


class Multi(unittest.TestCase):
    def test_a_query_is_of_neighbouring_rows(self):
        """Samples are neighbours in the order in which LoadGen loads them, which goes round."""
        answers, session = [], Session()
        lg = types.SimpleNamespace(QuerySamplesComplete=answers.extend, QuerySampleResponse=lambda id_, at, size: (id_, size))
        user = child.Neighbours(lg, session, 1, self.fail)
        user.load([4, 2, 0, 3, 1, 4])
        user.issue([10, 11, 12], [2, 0, 3])
        user.issue([13, 14, 15], [1, 4, 2])
        self.assertEqual(session.asked, [[1, 2, 3], [4, 0, 1]])
        self.assertEqual(answers, [(id_, 8) for id_ in range(10, 16)])
        self.assertEqual([systems.consecutive(keys) for keys in ([1, 2, 3], [7], [5, 9, 7], [3, 2], numpy.arange(4), numpy.array([5, 9, 7]))],
                         [True, True, False, False, True, False])
        self.assertEqual([systems.runs_of(keys) for keys in ([1, 2, 3], [4, 0, 1], [7], [], [3, 3])],
                         [[(0, 3)], [(0, 1), (1, 2)], [(0, 1)], [], [(0, 1), (1, 1)]])


class First(unittest.TestCase):
    def test_the_first_use_is_timed_apart(self):
        """The first use in offline is the scan: no row was asked for before. The pilot is a second one."""
        for scenario, facts, calls in ((profiles.OFFLINE, {"cold_prepare_ns", "cold_pass_ns"}, ["before_scan", "scan"] * 2), (profiles.SINGLE, {"cold_first_ns"}, ["score"])):
            called, cell = [], child.Cell.__new__(child.Cell)
            session = types.SimpleNamespace(**{name: lambda *_, name=name: called.append(name) for name in ("before_scan", "scan", "score")})
            cell.spec, cell.scenario, cell.facts, cell.hooks = {"sink": "client"}, scenario, {}, lambda *steps: None
            cell.case, cell.profile = types.SimpleNamespace(rows=3, width=1, others=()), types.SimpleNamespace(pilot_seconds=0)
            cell.system = types.SimpleNamespace(open=lambda: {"load_ns": 5, "model_bytes": 7}, session=lambda: session, threaded=False)
            cell.open()
            first = list(called) if scenario != profiles.OFFLINE else None
            cell.pilot()
            self.assertEqual(first or called, calls)
            self.assertEqual(set(cell.facts), {"cold_load_ns", "model_bytes", "cold_open_ns", *facts})


class Beside(unittest.TestCase):
    """Somebody who writes beside a server."""

    def run_for(self, seconds, write, rate=200):
        failed = child.Failure()
        made = writer.Writer(types.SimpleNamespace(write=write), rate, failed)
        made.start()
        time.sleep(seconds)
        made.stop()
        return made.told(), failed.text

    def test_a_steady_rate(self):
        numbers = []
        told, failed = self.run_for(0.1, numbers.append)
        self.assertIsNone(failed)
        self.assertEqual(numbers, list(range(told["transactions"])))
        self.assertGreaterEqual(told["transactions"], 1)
        self.assertLessEqual(told["per_second"], 210)
        self.assertIn("p99", told["latency"])

    def test_what_is_too_late_is_not_made_up_for(self):
        told, _ = self.run_for(0.1, lambda number: time.sleep(0.03))
        self.assertLessEqual(told["transactions"], 4)

    def test_a_writer_that_fails(self):
        _, failed = self.run_for(0.02, {}.__getitem__)
        self.assertEqual(failed, "KeyError: 0")

    def test_cells(self):
        """Server has a cell with a writer where there is a rate, and a table to write to."""
        library, database = types.SimpleNamespace(sinks=()), types.SimpleNamespace(sinks=(), writer=print)
        for rate, option, system, wanted in ((None, None, database, ["server"]), (5, None, database, ["server", "server-writes"]),
                                             (None, 7.5, database, ["server", "server-writes"]), (5, 7.5, library, ["server"])):
            model = {"scenarios": {"server": {"writes_per_second": rate} if rate else {}}}
            cells = driver.cells_of(model, "mine", system, profiles.SCENARIOS, option)
            self.assertEqual([cell.title for cell in cells], wanted)
            self.assertEqual([cell.targets.get("writes_per_second") for cell in cells], [None, rate or option][:len(cells)])


class FakeCell:
    def __init__(self, profile, highest):
        self.profile, self.highest, self.asked = profiles.PROFILES[profile], highest, []

    def run(self, lg, folder, accuracy, hint_ns, qps, shorter=None, measured=False):
        self.asked.append(qps)
        folder.mkdir(parents=True, exist_ok=True)
        return {"valid": qps <= self.highest, "latency": {"p99": 1000.0}, "results": {"result_completed_samples_per_sec": min(qps, self.highest * 1.2) if self.highest > 0 else qps}}, None


class Held(InFolder):
    """A whole run at the rate that a short search found."""

    def held(self, highest, qps=1000.0, profile="standard"):
        cell = FakeCell(profile, highest)
        record, found = child.held(cell, LG, self.folder / "performance", 1, qps)
        self.assertTrue((self.folder / "performance").exists())
        self.assertEqual([one["qps"] for one in record["tries"]], cell.asked)
        return record["valid"], round(found), len(cell.asked)

    def test_the_rate_is_lowered_until_it_holds(self):
        self.assertEqual(self.held(1000), (True, 1000, 1))
        self.assertEqual(self.held(900), (True, 800, 2))
        self.assertEqual(self.held(700), (True, 672, 2))
        self.assertEqual(self.held(100), (True, round(0.8 * 120), 2))

    def test_not_for_ever(self):
        self.assertEqual(self.held(-1)[0::2], (False, child.MOST_TRIES))

    def test_smoke_has_one_try(self):
        self.assertEqual(self.held(100, profile="smoke"), (False, 1000, 1))


class Search(unittest.TestCase):
    def search(self, highest, hint_ns=1_000_000, profile="standard"):
        cell = FakeCell(profile, highest)
        with tempfile.TemporaryDirectory() as folder:
            return (*child.search(cell, LG, pathlib.Path(folder), hint_ns), cell.asked)

    def test_it_comes_near_from_below(self):
        found, steps, asked = self.search(1000)
        self.assertLessEqual(found, 900)
        self.assertGreater(found, 855)
        self.assertEqual([step["qps"] for step in steps], asked)

    def test_a_slow_system(self):
        """Down by quarters; what is slower than 20 queries a second is not searched for."""
        found, _, asked = self.search(60)
        self.assertTrue(51 <= found <= 54, found)
        self.assertEqual(asked[:3], [200.0, 200.0, 50.0])
        found, _, asked = self.search(3)
        self.assertEqual((found, asked[-2:]), (18.0, [20.0, 20.0]))

    def test_a_machine_that_halts_for_a_moment(self):
        """One run of two is INVALID, whatever the rate."""
        class Halting(FakeCell):
            def run(self, *arguments, **named):
                record, sums = super().run(*arguments, **named)
                return {**record, "valid": record["valid"] and len(self.asked) % 2 == 0}, sums

        with tempfile.TemporaryDirectory() as folder:
            found, _ = child.search(Halting("standard", 1000), LG, pathlib.Path(folder), 1_000_000)
        self.assertTrue(855 < found <= 900, found)

    def test_loadgens_own_search(self):
        """From a rate that holds: a quarter, where it does not; the rate stands in LoadGen's log."""
        class Peak(FakeCell):
            spec = {"scenario": profiles.SERVER, "targets": {"target_latency_ms": 10}, "find_peak": True}

            def started(self, lg, folder, accuracy, settings):
                self.asked.append((settings.server_target_qps, settings.mode, settings.min_duration_ms))
                folder.mkdir(parents=True)
                (folder / "mlperf_log_detail.txt").write_text("FindBoundaries: Checking fields\nFindPeakPerformanceBinarySearch: Testing the mid value\n")
                last = "Check validity" if settings.server_target_qps > self.highest else "FindPeakPerformance: Found peak performance field: 62.500000"
                return None, types.SimpleNamespace(values={"generic_message": last})

        for highest, wanted in ((100, [200.0, 50.0]), (200, [200.0])):
            with self.subTest(highest), tempfile.TemporaryDirectory() as folder:
                cell = Peak("standard", highest)
                found, told = child.peak(cell, LG, pathlib.Path(folder), 1_000_000)
                self.assertEqual(cell.asked, [(qps, "FindPeakPerformance", 1000) for qps in wanted])
                self.assertEqual((found, told["qps"], told["runs"]), (56.25, 62.5, 3))
        with tempfile.TemporaryDirectory() as folder, self.assertRaisesRegex(BenchError, "found no rate that holds"):
            child.peak(Peak("standard", 1), LG, pathlib.Path(folder), 1_000_000)

    def test_smoke_asks_for_one_easy_rate(self):
        found, steps, asked = self.search(1000, profile="smoke")
        self.assertEqual((found, steps, asked), (200.0, [], []))
        self.assertEqual(self.search(0, hint_ns=10, profile="smoke")[0], 2000.0)
        self.assertEqual(self.search(0, hint_ns=10**12, profile="smoke")[0], 20.0)
