"""The report of made records: tables, sentences, and the page."""

import base64
import contextlib
import csv
import gzip
import re
from unittest import mock

import made
import numpy
from hbsbench import pictures, profile, publish, records, report, summary
from support import InFolder, command
from test_logs import entry


class Report(InFolder):
    def table(self, name):
        with open(self.folder / "report" / f"{name}.csv", newline="") as file:
            return list(csv.reader(file))

    def report(self, plots=False):
        """Without plots, which take longer than all else, where a test does not ask for them."""
        with contextlib.nullcontext() if plots else mock.patch.multiple(pictures, draw=lambda cells: {}, draw_trend=lambda history: None):
            return report.write(self.results, self.folder / "report")

    def test_tables(self):
        made.write_all(self.results)
        text = self.report()
        self.assertEqual(text, ["model, single_stream: mine is 1.99 times faster than theirs (1.99 to 2.00 x)"])
        board = self.table("scoreboard")
        self.assertEqual(board[1:4], [
            ["model", "single_stream", "library", "floor-mine", "1.03", "us", "", "VALID", "", "", "5", "", "1.03"],
            ["model", "single_stream", "library", "mine", "5.03", "us", "1", "VALID", "yes", "", "5", "", "5.03"],
            ["model", "single_stream", "library", "theirs", "10.03", "us", "1.994", "VALID", "yes", "", "5", "", "10.03"]])
        self.assertEqual([row[3:7] for row in board[4:]], [["mine", "1", "geometric mean", "1"], ["theirs", "1.994", "geometric mean", "1.994"]])
        latency = self.table("latency")
        self.assertEqual(latency[2], ["model", "single_stream", "mine", "5.03", "5.05", "5.05", "5.05", "5.05", "5.05", "1.03", ""])
        self.assertEqual(self.table("accuracy")[1][:6], ["model", "single_stream", "mine", "accuracy", "0.9", "0.9"])
        self.assertEqual(self.table("memory")[1][3:7], ["1", "", "1", "0.5"])

    def test_the_page_needs_nothing_from_elsewhere(self):
        made.write_all(self.results)
        self.report(plots=True)
        page = (self.folder / "report" / "report.html").read_text()
        self.assertEqual(re.findall(r'(?:src|href)="(?!data:|#)', page), [])
        self.assertEqual([target for target in re.findall(r'href="#([^"]*)"', page) if f'id="{target}"' not in page], [])
        self.assertIn("LoadGen, unofficial", page)
        self.assertIn("a CPU", page)
        self.assertNotIn("Not to be published", page)
        self.assertTrue((self.folder / "report" / "ecdf-model.png").read_bytes().startswith(b"\x89PNG"))
        self.assertIn('<svg role="img" aria-label="ecdf-model"', page)
        self.assertNotIn("data:image/png", page)
        ids = re.findall(r'\bid="([^"]*)"', page)
        self.assertEqual(len(ids), len(set(ids)))

    def test_settings_are_one_click_away(self):
        made.write_all(self.results)
        self.report()
        page = (self.folder / "report" / "report.html").read_text()
        for name in ("mine", "theirs", "floor-mine"):
            (target,) = set(re.findall(rf'<tr><td><a href="#(settings-[0-9]+)">model</a></td><td>single_stream</td><td>{name}</td>', page))
            self.assertRegex(page, rf'<details id="{target}"><summary>model, {name}, single_stream</summary>')
        self.assertIn('<a href="#environment-env">env</a>', page)

    def test_the_board(self):
        """Systems by workloads: ratios to the best, their mean, what is wrong in grey, and why nothing stands there."""
        made.write_all(self.results)
        for repeat in range(1, 6):
            made.write(self.results, "mine", repeat, cell="offline-client", latencies=[2_000_000])
            made.write(self.results, "theirs", repeat, cell="offline-client", latencies=[8_000_000])
        made.write(self.results, "theirs", cell="offline-client", mode="accuracy")
        records.write_empty(self.results, "2026-01-01", {"id": "env"}, [("model", "mine", "no & reason")])
        made.write(self.results, "mine", cell="server", target_qps=300.0)
        made.write(self.results, "mine", cell="server", mode="accuracy")
        made.write(self.results, "mine", cell="offline-client", mode="accuracy")
        self.report()
        board = self.table("board")
        self.assertEqual(board[0], ["division", "system", "model, offline-client", "model, server", "model, single_stream", "geometric mean"])
        self.assertEqual(board[1:], [["library", "mine", "1.00x", "1.00x", "1.00x", "1.00x"], ["library", "theirs", "4.00x", "", "1.99x", "2.82x"]])
        page = (self.folder / "report" / "report.html").read_text()
        self.assertIn('<td title="not measured"></td>', page)

    def test_servers_count_from_the_scheduled_arrival(self):
        """As LoadGen does; the harness's own times begin when a query leaves the queue."""
        for repeat, ns in enumerate((40_000, 60_000, 50_000), 1):
            made.write(self.results, "mine", repeat, cell="server", latencies=[1000] * 100,
                       log=[entry(f"result_{p}_percentile_latency_ns", ns) for p in ("50.00", "90.00", "95.00", "97.00", "99.00", "99.90")])
        made.write(self.results, "theirs", cell="server", latencies=[1000] * 100, log=[entry("result_50.00_percentile_latency_ns", 7000)])
        rows = report.latencies(self.cells())[1]
        self.assertEqual(rows[0][3:9], ["50"] * 6)
        self.assertEqual(rows[1][3:9], ["7", "1", "1", "1", "1", "1"])

    def test_the_stack_is_in_the_page(self):
        made.write_all(self.results)
        folder = self.results / "day" / "env" / "data" / "model" / "mine" / "profile"
        folder.mkdir(parents=True)
        tree = profile.span("scan", 3e6, {}, [profile.span("fetch <rows>", 1e6)])
        profile.write(folder, "model, mine", {0: profile.span("scan", 2e6), 2: tree})
        self.report()
        self.assertEqual(self.table("stack")[1:], [["model, mine", "off", "2", "", ""], ["model, mine", "model", "3", "+50%", ""],
                                                   ["model, mine", "model", "2", "", "scan"], ["model, mine", "model", "1", "", "scan;fetch <rows>"]])
        page = (self.folder / "report" / "report.html").read_text()
        self.assertEqual(page.count("<svg xmlns"), 1)
        packed = re.search(r'href="data:application/gzip;base64,([^"]*)"', page).group(1)
        self.assertIn("thread_name", gzip.decompress(base64.b64decode(packed)).decode())
        self.assertNotIn("fetch <rows>", page)

    def test_smoke_numbers_get_no_plot_and_a_warning(self):
        made.write_all(self.results, profile="smoke")
        text = self.report(plots=True)
        self.assertIn("not to be published: model, mine, single_stream: the profile smoke is no measurement", text)
        self.assertEqual(list((self.folder / "report").glob("*.png")), [])
        self.assertIn("are no measurement", (self.folder / "report" / "report.html").read_text())

    def test_a_difference_within_the_interval_is_none(self):
        for system, values in (("mine", [10, 12, 9, 11, 10]), ("theirs", [11, 10, 10, 12, 9])):
            made.write(self.results, system, mode="accuracy")
            for repeat, value in enumerate(values, 1):
                made.write(self.results, system, repeat, latencies=[1000 * value] * 100)
        cells = summary.summaries(records.read_all(self.results))
        self.assertRegex(summary.words(*(cells["model", name, "single_stream"] for name in ("mine", "theirs"))),
                         "mine and theirs: no difference shown")

    def cells(self):
        return summary.summaries(records.read_all(self.results))

    def test_the_estimate_of_loadgen_is_the_headline(self):
        made.write(self.results, "theirs", latencies=[1000] * 100, log=[entry("result_90.00_percentile_latency_ns", 1000), entry("early_stopping_latency_ss", 1200)])
        made.write(self.results, "theirs", cell="multi_stream-8", latencies=[1000] * 100, log=[entry("early_stopping_latency_ms", 1300)])
        made.write(self.results, "mine", latencies=list(range(1, 65)), log=[entry("early_stopping_latency_ss", 0)])
        medians = {(s.system, s.cell): s.median for s in self.cells().values()}
        # Without an estimate in the log it is made here: of 64 queries, all but the slowest one.
        self.assertEqual(medians, {("theirs", "single_stream"): 1.2, ("theirs", "multi_stream-8"): 1.3, ("mine", "single_stream"): 0.064})

    def test_near_the_floor(self):
        """In every scenario: by its latency, else by its rate."""
        for cell, near, far in (("single_stream", 2999, 3000), ("multi_stream-8", 2999, 3000), ("offline-table", 2999, 3000)):
            for system, ns in (("floor-mine", 1000), ("mine", near), ("theirs", far)):
                made.write(self.results, system, cell=cell, latencies=[ns] * 100)
        for system, rate in (("floor-mine", 900.0), ("mine", 301.0), ("theirs", 300.0)):
            made.write(self.results, system, cell="server", target_qps=rate)
        found = self.cells()
        for cell in ("single_stream", "multi_stream-8", "offline-table", "server"):
            self.assertEqual([found["model", system, cell].at_floor for system in ("mine", "theirs", "floor-mine")], [True, False, None], cell)

    def test_a_target_that_the_generator_takes_a_part_of(self):
        for system, target in (("mine", 4.9), ("theirs", 5)):
            made.write(self.results, system, cell="server", targets={"target_latency_ms": target})
        found = self.cells()
        self.assertEqual([row[7] for row in report.scoreboard(found)[1][:2]], ["VALID, untrustworthy", "VALID"])
        self.assertEqual([row[7] for row in report.servers(found)[1]], ["VALID, untrustworthy", "VALID"])
        self.assertEqual([publish.shown(found["model", name, "server"]) for name in ("mine", "theirs")], ["500 (untrustworthy, wrong answers)", "500 (wrong answers)"])

    def test_a_repeat_that_is_far_from_the_others(self):
        for repeat, ns in enumerate((1000, 1010, 990, 1020, 9000), 1):
            made.write(self.results, "mine", repeat, latencies=[ns] * 100)
        (cell,) = self.cells().values()
        self.assertEqual(cell.outliers, [5])
        self.assertEqual(report.scoreboard(self.cells())[1][0][-2:], ["run 5", "1.01"])

    def test_a_wrong_system_is_compared_with_nothing(self):
        made.write_all(self.results)
        path = self.results / "2026-01-01/env/set/model/mine/single_stream/accuracy/result.json"
        path.write_text(path.read_text().replace('"passed": true', '"passed": false'))
        self.assertFalse(any("faster" in line for line in self.report()))
        self.assertIn('class="grey"', (self.folder / "report" / "report.html").read_text())
        self.assertEqual(self.table("scoreboard")[3][6], "1")

    def test_offline_server_and_batches(self):
        for system in made.KINDS:
            made.write(self.results, system, cell="offline-table", latencies=[2_000_000])
            made.write(self.results, system, cell="server", search=[{"qps": 100.0, "p99_us": 20.0, "valid": True}])
            made.write(self.results, system, cell="multi_stream-8", latencies=[8000] * 100)
            made.write(self.results, system)
        self.report(plots=True)
        self.assertEqual(self.table("offline")[2], ["model", "table", "mine", "library", "5e+05", "2", "1000", "5e+05"])
        self.assertEqual([row[-1] for row in self.table("server")[1:3]], ["search", "run"])
        self.assertIn(["model", "multi_stream-8", "mine", "8", "1", "1", ""], self.table("batches"))
        self.assertTrue((self.folder / "report" / "offline-model.png").exists())

    def test_cold_beside_hot(self):
        """The median of the repeats, each of which is a process of its own. Records of older runs have no first pass."""
        for repeat, first in enumerate((5_000_000, 9_000_000, 7_000_000), 1):
            made.write(self.results, "mine", repeat, facts={"cold_open_ns": 2_000_000, "cold_load_ns": 1_000_000, "cold_first_ns": first})
            made.write(self.results, "mine", repeat, cell="offline-table", latencies=[500_000],
                       facts={"cold_open_ns": 2_000_000, "cold_prepare_ns": 3_000_000, "cold_pass_ns": first})
        made.write(self.results, "theirs", cell="offline-table", latencies=[500_000])
        self.report()
        self.assertEqual(self.table("cold")[1:], [["model", "offline-table", "mine", "2", "", "3", "7", "0.5", "14"],
                                                  ["model", "offline-table", "theirs", "1e-06", "", "", "", "0.5", ""],
                                                  ["model", "single_stream", "mine", "2", "1", "", "7", "0.001", "7000"]])

    def test_some_steps_alone(self):
        made.write(self.results, "mine", latencies=[4000] * 100)
        made.write(self.results, "mine", cell="single_stream-predict", latencies=[1000] * 100, timed=["predict"])
        made.write(self.results, "mine", cell="server", target_qps=300.0)
        made.write(self.results, "mine", cell="server-predict", target_qps=400.0, timed=["predict"])
        made.write(self.results, "theirs", cell="server-predict", target_qps=400.0, timed=["predict"])
        self.assertEqual(report.steps(self.cells())[1], [["model", "server-predict", "mine", "queries/s", "300", "400", "25%"],
                                                         ["model", "single_stream-predict", "mine", "us", "4", "1", "75%"]])
        self.assertEqual(publish.title(self.cells()["model", "mine", "server-predict"]), "server, queries/s under 10 ms, predict alone")

    def test_places_of_a_curve(self):
        for n in (1, 2, 100, 3_000_000):
            places = pictures.curve(n)
            self.assertEqual((places[0], places[-1]), (0, n - 1))
            self.assertLessEqual(len(places), 1000)
            self.assertTrue((numpy.diff(places) > 0).all())

    def test_at_the_floor(self):
        for system, ns in (("mine", 2000), ("floor-mine", 1000)):
            made.write(self.results, system, latencies=[ns] * 100)
        self.assertTrue(summary.summaries(records.read_all(self.results))["model", "mine", "single_stream"].at_floor)

    def test_commands(self):
        made.write_all(self.results)
        status, out, _ = command("--results", self.results, "report", "--to", self.folder / "report")
        self.assertEqual(status, 0)
        self.assertIn("report.html", out)
        status, out, _ = command("compare", self.results, self.results)
        self.assertEqual(status, 0)
        self.assertRegex(out, r"model, mine, single_stream +after, times as fast as before: 1.00 \(1.00 to 1.00\)")
        status, trend, _ = command("compare", self.results, self.results, self.results)
        self.assertEqual((status, trend), (0, f"{self.results}\n{out}" * 2))
        status, _, err = command("--results", self.folder / "none", "report")
        self.assertEqual((status, err.count("\n")), (1, 1))
        self.assertIn("there are no results", err)
