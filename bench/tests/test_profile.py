"""Levels of a profile: trees of spans, Chrome traces, flame graphs; and those of hbscore in SQLite."""

import functools
import json
import os
import time
import unittest
from unittest import mock
from xml.etree import ElementTree

from hbsbench import kernels, manifest, profile, systems
from hbsbench.case import Case, check_lock
from hbsbench.errors import BenchError, Refused
from support import CACHE, InFolder

ROWS = [("fetch", None, None, 1, 10, 500, 80), ("encode", None, "avx2", 1, 10, 100, 80), ("matmul", "clf", "avx2 exact", 1, 10, 300, 90),
        ("greater", "clf", None, 0, 0, 0, 0), ("store", None, "avx2", 1, 10, 50, 80), ("all", None, None, 1, 10, 1000, 0)]
PLAN = [{"Plan": {"Node Type": "Aggregate", "Actual Total Time": 2.0, "Actual Loops": 1, "Plans": [
    {"Node Type": "Custom Scan", "Custom Plan Provider": "HbPredict", "Actual Total Time": 1.5, "Actual Loops": 1, "Shared Hit Blocks": 7}]},
    "Planning Time": 0.1, "Execution Time": 2.25}]


class Spans(unittest.TestCase):
    def test_operators(self):
        tree = profile.operator_spans(ROWS, 3)
        self.assertEqual(profile.folded(tree), [("scan;fetch", 500), ("scan;predict", 50), ("scan;predict;encode", 100),
                                                ("scan;predict;matmul (clf)", 300), ("scan;predict;store", 50)])
        self.assertEqual(tree["children"][1]["children"][1]["args"], {"kernel": "avx2 exact", "calls": 1, "rows": 10, "bytes": 90})

    def test_level_2_has_no_operators(self):
        self.assertEqual(profile.folded(profile.operator_spans(ROWS, 2)), [("scan;fetch", 500), ("scan;predict", 500)])

    def test_explain(self):
        tree = profile.explain_spans(PLAN)
        self.assertEqual(profile.folded(tree), [("statement", 250_000), ("statement;Aggregate", 500_000), ("statement;Aggregate;HbPredict", 1_500_000)])
        self.assertEqual(tree["children"][0]["children"][0]["args"]["Shared Hit Blocks"], 7)

    def test_a_trace_is_nested_and_whole(self):
        made = profile.trace("x", {0: profile.span("scan", 900), 3: profile.operator_spans(ROWS, 3)})
        made = json.loads(json.dumps(made))
        complete = [e for e in made["traceEvents"] if e["ph"] == "X" and e["tid"] == 4]
        self.assertEqual([e["name"] for e in complete], ["scan", "fetch", "predict", "encode", "matmul (clf)", "store"])
        scan, fetch, predict, *inner = complete
        for one in (fetch, predict):
            self.assertGreaterEqual(one["ts"], scan["ts"])
            self.assertLessEqual(one["ts"] + one["dur"], scan["ts"] + scan["dur"] + 1e-9)
        self.assertEqual(predict["ts"], fetch["ts"] + fetch["dur"])
        for one in inner:
            self.assertLessEqual(one["ts"] + one["dur"], predict["ts"] + predict["dur"] + 1e-9)
        self.assertEqual([e["args"]["name"] for e in made["traceEvents"] if e["name"] == "thread_name"], ["level 0: off", "level 3: operator"])

    def test_a_child_never_ends_behind_its_parent(self):
        found = profile.events(profile.span("a", 100, {}, [profile.span("b", 80), profile.span("c", 80)]))
        self.assertEqual([(e["ts"], e["dur"]) for e in found], [(0, 0.1), (0, 0.08), (0.08, 0.02)])

    def test_a_flame_graph(self):
        root = ElementTree.fromstring(profile.flame(profile.operator_spans(ROWS, 3), "a <title>"))
        widths = {g.find("{*}title").text.partition(":")[0]: float(g.find("{*}rect").get("width")) for g in root.findall("{*}g")}
        self.assertEqual(widths["scan"], 1000)
        self.assertEqual(widths["matmul (clf)"], 300)

    def test_samples_without_callers(self):
        samples = kernels.by_library("\n     7f66 hb_trees+0x1f (/a/hbscore.so)\n     7f67 hb_trees (/a/hbscore.so)\n     41 [unknown] (/lib/libc.so.6)\n")
        tree = kernels.tree(300, samples, "no unwinding", profile.span)
        self.assertEqual(profile.folded(tree), [("scan;hbscore.so;hb_trees", 200), ("scan;libc.so.6;[libc.so.6]", 100)])
        self.assertEqual(kernels.own_times(tree), {"hbscore.so: hb_trees": 200, "[libc.so.6]": 100})
        self.assertEqual(profile.without_callers(tree), "no unwinding")
        self.assertIsNone(profile.without_callers(profile.span("scan", 1)))

    def test_stacks(self):
        """perf says the innermost frame first; the frames that lead to the scan are left out, and those of one sample are not lost."""
        way = "      20 step (/a/db.so)\n      10 main (/bin/python)\n"
        stacks = kernels.stacks_of(f"\n      50 hb_trees (/a/hbscore.so)\n      40 score+0x1 (/a/hbscore.so)\n      41 score (/a/hbscore.so)\n{way}\n\n" * 30 +
                                   f"      30 read (/a/db.so)\n{way}\n" * 9 + "      70 [unknown] ([unknown])\n\n")
        self.assertEqual(sum(stacks.values()), 40)
        self.assertEqual(max(map(len, stacks)), 4)
        tree = kernels.tree(4000, kernels.inside(stacks), None, profile.span)
        self.assertEqual(profile.folded(tree), [("scan;score;hb_trees", 3000), ("scan;read", 900), ("scan;[unknown]", 100)])
        self.assertEqual(kernels.own_times(tree), {"hbscore.so: hb_trees": 3000, "db.so: read": 900, "[unknown]": 100})
        self.assertIsNone(profile.without_callers(tree))

    def test_stacks_that_are_all_the_way(self):
        one = (("a.so", "f"), ("a.so", "g"))
        self.assertEqual(kernels.inside({one: 10}), {one[1:]: 10})
        self.assertEqual(kernels.inside({one[:1]: 10}), {one[:1]: 10})
        self.assertEqual(kernels.inside({}), {})

    def test_many_functions(self):
        many = {(("a.so", f"f{place}"),): 100 - place for place in range(kernels.FUNCTIONS + 2)}
        tree = kernels.tree(1e6, many, None, profile.span)
        self.assertEqual([child["name"] for child in tree["children"]], [*(f"f{place}" for place in range(kernels.FUNCTIONS)), "others"])
        deep = {tuple(("a.so", f"f{place}") for place in range(kernels.MOST_DEPTH + 5)): 1}
        self.assertEqual(profile.depth(kernels.tree(1e6, deep, None, profile.span)), kernels.MOST_DEPTH + 1)
        with self.assertRaisesRegex(Refused, "took no sample"):
            kernels.tree(1, {}, None, profile.span)

    def test_overhead(self):
        self.assertEqual(profile.overhead({0: profile.span("s", 100), 3: profile.span("s", 130)}), {3: 0.30000000000000004})


class Levels(InFolder):
    def system(self, name):
        found = manifest.find("model", "breast-cancer-logreg")
        check_lock(found, CACHE)
        _, system = systems.load(name, Case(found, CACHE, most_rows=100))
        system.prepare()
        return system

    def test_hbscore_in_sqlite(self):
        system, told = self.system("hbscore-sqlite"), []
        with mock.patch.dict(os.environ, {"PATH": str(self.folder)}):
            trees = profile.measure(system, [1, 2, 3, 4], told.append)
        self.assertEqual(told, ["level 4 is left out: perf is not installed (Debian: linux-perf)"])
        self.assertEqual(set(trees), {0, 1, 2, 3})
        self.assertTrue(all(tree["ns"] > 0 for tree in trees.values()))
        counts = trees[1]["args"]
        self.assertGreater(counts["Shared Hit Blocks"] + counts["Shared Read Blocks"], 0)
        self.assertGreater(counts["Virtual Machine Steps"], 100)
        self.assertIn("breast_cancer", counts["plan"])
        names = [stack.rpartition(";")[2] for stack, _ in profile.folded(trees[3])]
        self.assertTrue(any("logisticregression" in name for name in names), names)
        profile.write(self.folder, "x", trees)
        self.assertEqual({path.name for path in self.folder.iterdir()}, {"trace.json", "profile.json", *(
            f"{name}.{kind}" for name in ("off", "sql", "model", "operator") for kind in ("svg", "folded"))})

    @unittest.skipIf(kernels.why_not(), kernels.why_not())
    def test_functions_of_the_process(self):
        def spin():
            """By the processor's time: on a busy machine some tenths of a second may pass without a sample."""
            begun = time.process_time()
            while time.process_time() - begun < 0.2:
                sum(range(20_000))

        for _ in range(5):  # perf itself may get no processor for as long
            ns, stacks, why = kernels.sampled(os.getpid(), spin, 0)
            if stacks:
                break
        self.assertGreater(ns, 0)
        tree = kernels.tree(ns, stacks, why, profile.span)
        self.assertIn("python", " ".join(kernels.own_times(tree)))
        self.assertLessEqual(sum(child["ns"] for child in tree["children"]), tree["ns"])

    def test_without_perf(self):
        with mock.patch.dict(os.environ, {"PATH": str(self.folder)}), self.assertRaisesRegex(Refused, "perf is not installed"):
            kernels.sampled(os.getpid(), lambda: None)

    def test_perf_that_fails(self):
        perf = self.folder / "perf"
        perf.write_text("#!/bin/sh\necho 'Permission denied' >&2\nexit 255\n")
        perf.chmod(0o755)
        with mock.patch.dict(os.environ, {"PATH": str(self.folder)}), self.assertRaisesRegex(Refused, "perf record: Permission denied"):
            kernels.sampled(os.getpid(), lambda: None)

    PERF = """#!/bin/sh
if [ "$1" = script ]; then
    echo '     41 hb_trees (/a/hbscore.so)'
    exit
fi
for word; do
    if [ "$word" = --call-graph ]; then echo 'Error: no unwinding here' >&2; exit 129; fi
    file=$word
done
trap 'exit 0' TERM
echo data >"$file"
while :; do /bin/sleep 0.02; done
"""

    def test_perf_without_callers(self):
        """Functions are below their libraries, and the reason is told."""
        system, told = self.system("hbscore-sqlite"), []
        (self.folder / "perf").write_text(self.PERF)
        (self.folder / "perf").chmod(0o755)
        with mock.patch.dict(os.environ, {"PATH": str(self.folder)}), mock.patch.object(kernels, "sampled", functools.partial(kernels.sampled, seconds=0)):
            tree = profile.measure(system, [4], told.append)[4]
        self.assertEqual(told, ["level 4 has no callers of functions: perf record: Error: no unwinding here"])
        self.assertEqual([stack for stack, _ in profile.folded(tree)], ["scan;hbscore.so;hb_trees"])

    def test_levels_that_are_not_there(self):
        system = self.system("hbscore-sqlite")
        with self.assertRaisesRegex(BenchError, "there is no level 5; there are 0 to 4"):
            profile.measure(system, [5])
        with self.assertRaisesRegex(Refused, "its inside is not ours"):
            profile.measure(self.system("sklearn"), [1])
