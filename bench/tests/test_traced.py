"""Traced runs of LoadGen: their file, the harness's clocks within it, and one trace of all."""

import json
import unittest

from hbsbench import driver, environment, manifest, profile, traced
from hbsbench.errors import BenchError
from support import CACHE, InFolder

ORIGIN = 1795803137712667750
TEXT = """{"traceEvents":[
{"name":"IssueQuery","ph":"X","pid":7,"tid":7,"ts":50.000,"dur":100.000,"args":{}},
{"name":"Sample","cat":"default","ph":"b","pid":7,"id":0,"ts":50.000,"args":{"sample_idx":3}},
{"name":"Sample","cat":"default","ph":"e", "pid":7,"id":0,"ts":140.000},
{"name":"QuerySamplesComplete","ph":"X","pid":7,"tid":7,"ts":135.000,"dur":4.000,"args":{}},
{"name":"LogDetail","ph":"X","pid":7,"tid":8,"ts":200.000,"dur":0.500,"args":{"key":""num_errors""}},
{"name":"LastTrace"}
],
"displayTimeUnit":"ns",
"otherData":{
"ts":1795803137712667.750,
"version":"MLPerf LoadGen v1.0"
}
}
"""


def run(scenario, queries, arrivals=()):
    """`queries`: (begin, end, within the system, within C) in nanoseconds from LoadGen's origin."""
    noted = {"system_clock": ORIGIN + 5000, "own_clock": 1_000_000 + 5000, "queries": [(begin + 1_000_000, end + 1_000_000, *rest) for begin, end, *rest in queries],
             "arrivals": [arrival + 1_000_000 for arrival in arrivals]}
    return traced.Run(scenario, TEXT, noted)


def complete(found):
    return {event["name"]: event for event in found if event["ph"] == "X"}


class Trace(unittest.TestCase):
    def test_the_file_of_loadgen(self):
        events, origin = traced.loadgen(TEXT)
        self.assertEqual((len(events), origin), (5, ORIGIN))
        self.assertEqual(events[-1]["args"]["key"], "num_errors")
        for wrong in ("", "[]", TEXT.replace('"ts":1795803137712667.750,', ""), TEXT.replace("traceEvents", "events")):
            with self.assertRaisesRegex(BenchError, "this is no trace of LoadGen"):
                traced.loadgen(wrong)

    def test_the_clocks(self):
        """A query of the harness stands where LoadGen's clock has it, within the event that issued it, and is cut where the clocks differ."""
        found = complete(traced.of_run(run("single_stream", [(60_000, 150_400, 70_000, 50_000)]), 2, "single_stream"))
        self.assertEqual([(found[name]["ts"], found[name]["dur"]) for name in ("IssueQuery", "query", "system", "within C", "QuerySamplesComplete")],
                         [(50, 100), (60, 90), (60, 70), (80, 50), (135, 4)])
        self.assertEqual({found[name]["tid"] for name in ("IssueQuery", "query", "system")}, {7})

    def test_a_scan_has_the_operators(self):
        tree = profile.span("scan", 1000, {}, [profile.span("fetch", 400), profile.span("predict", 600, {}, [profile.span("forest", 300, {"rows": 9})])])
        found = complete(traced.of_run(run("offline", [(60_000, 140_000, 80_000, 0)]), 2, "offline", tree, profile.events))
        self.assertEqual([(name, found[name]["ts"], found[name]["dur"]) for name in ("system", "fetch", "predict", "forest")],
                         [("system", 60, 80), ("fetch", 60, 32), ("predict", 92, 48), ("forest", 92, 24)])
        self.assertEqual(found["forest"]["args"], {"rows": 9, "measured": "in a pass of its own"})

    def test_queries_that_overlap(self):
        queries = [(10_000, 40_000, 20_000, 0), (20_000, 60_000, 30_000, 0), (45_000, 90_000, 30_000, 0)]
        self.assertEqual(traced.lanes(queries), [0, 1, 0])
        found = traced.of_run(run("server", queries, arrivals=(5_000, 15_000, 30_000)), 3, "server")
        lanes = [event for event in found if event["ph"] == "X" and event["name"] == "query"]
        self.assertEqual(sorted((event["tid"], event["ts"], event["dur"]) for event in lanes), [(traced.LANES, 10, 30), (traced.LANES, 45, 45), (traced.LANES + 1, 20, 40)])
        pairs = [(event["id"], event["ph"], event["ts"]) for event in found if event.get("name") == "in the queue"]
        self.assertEqual(pairs, [("harness-0", "b", 5), ("harness-0", "e", 10), ("harness-1", "b", 15), ("harness-1", "e", 20),
                                 ("harness-2", "b", 30), ("harness-2", "e", 45)])
        self.assertEqual([event["args"]["queries"] for event in found if event["ph"] == "C"], [1, 2, 3, 2, 1, 0])
        self.assertEqual({event["pid"] for event in found}, {3})

    def test_each_thread_is_nested(self):
        found = traced.nested([traced.complete("a", 0, 100_000, 1, 1), traced.complete("b", 50_000, 120_000, 1, 1), traced.complete("c", 60_000, 130_000, 1, 1),
                               traced.complete("d", 60_000, 130_000, 1, 2)])
        self.assertEqual([(event["name"], event["ts"], event["dur"]) for event in found], [("a", 0, 100), ("b", 50, 50), ("c", 60, 40), ("d", 60, 70)])

    def test_at_most_so_many_events(self):
        pair = {"name": "q", "cat": "c", "pid": 1}
        many = [traced.named("process_name", "x", 1), *(traced.complete("e", n * 1000, n * 1000, 1, 1) for n in range(10)),
                {**pair, "ph": "b", "id": 0, "ts": 0.5}, {**pair, "ph": "e", "id": 0, "ts": 3}, {**pair, "ph": "b", "id": 1, "ts": 1}, {**pair, "ph": "e", "id": 1, "ts": 8.5}]
        found = traced.within(many, 9)
        self.assertLessEqual(len(found), 9)
        self.assertEqual([event["ph"] for event in found], ["M", "X", "b", "X", "X", "X", "e", "X"])
        self.assertEqual(len(traced.within(many)), len(many))
        whole = traced.within([traced.complete("e", n, n, 1, 1) for n in range(200_000)])
        self.assertEqual(len(whole), traced.MOST_EVENTS)

    def test_one_trace_of_all(self):
        """The runs stand behind the levels, as far apart as they were."""
        first, second = run("single_stream", [(60_000, 140_000, 70_000, 0)]), run("server", [(60_000, 140_000, 70_000, 0)], arrivals=(55_000,))
        second.origin += 1_000_000_000
        made = json.loads(json.dumps(profile.trace("x", {0: profile.span("scan", 900_000)}, [first, second])))
        begins = {(event["pid"], event["name"]): event["ts"] for event in made["traceEvents"] if event["ph"] == "X"}
        self.assertEqual([begins[key] for key in ((1, "scan"), (2, "IssueQuery"), (3, "IssueQuery"))], [0, 950, 1_000_950])
        self.assertEqual({event["args"]["name"] for event in made["traceEvents"] if event["name"] == "process_name"}, {"x", "LoadGen, single_stream", "LoadGen, server"})
        self.assertEqual(made["otherData"]["ts"][0], ORIGIN / 1000)

    def test_the_closest_pair_of_clocks(self):
        system, own = traced.both_clocks()
        later, own_later = traced.both_clocks()
        self.assertLess(abs((later - system) - (own_later - own)), 1_000_000)


class Runs(InFolder):
    def test_a_run_of_loadgen(self):
        """Each query of the harness lies within LoadGen's, by one clock."""
        harness = driver.Harness(self.results, CACHE, "smoke", environment.environment(), "2026-01-01", lambda line: None)
        model = manifest.find("model", "breast-cancer-logreg")
        single, server = traced.measure(harness, model, "hbscore-sqlite", ["single_stream", "server"])
        self.assertEqual([len(one.queries) for one in (single, server)], [traced.QUERIES] * 2)
        self.assertEqual(len(server.arrivals), traced.QUERIES)
        issues = sorted((event["ts"], event["ts"] + event["dur"]) for event in single.events if event["name"] == "IssueQuery")
        self.assertEqual(len(issues), traced.QUERIES)
        for (begin, end), (first, last, *_) in zip(issues, single.queries):
            # Within a millisecond, for the clock of the system may be set meanwhile; all queries take several.
            self.assertLess(begin - 1000, first / 1000)
            self.assertLess(last / 1000, end + 1000)
        made = profile.trace("x", {0: profile.span("scan", 1)}, [single, server])["traceEvents"]
        self.assertLess(len(made), traced.MOST_EVENTS)
        self.assertEqual({event["ph"] for event in made}, set("XbeCM"))
        self.assertEqual(list(self.results.rglob("run_*")), [])
