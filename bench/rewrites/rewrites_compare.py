"""rewrites_compare.py FOLDER CORE EXTENSION [--only ..] [--ways ..] [--rows N] [--rounds N]

The passes of the optimizer on and off: Hummingbird's Figures 9 and 10, CMLCompiler's ablation, and models with few
weights, in the core, in SQLite by hbscore_scan and by the plain call, and in PostgreSQL by the node, beside
scikit-learn. Each model is scored with all passes ("on"), with none ("off"), and without one pass alone, for each pass that changes it ("no PASS"); the ablation by
the strategy gemm with none, with dtype rewriting, with sparse weights and with both, and by hbscore's own choice. A round
measures each of them once, in turn; a ratio is of one round, and its median counts. Before anything is timed the labels
of all rows are compared with scikit-learn's, in each cell. PostgreSQL takes part where the environment names a server.
What comes out: rewrites_report.py. The status is 1 where a target is missed.
"""

from __future__ import annotations

import argparse
import os
import pathlib
import sys
from typing import Any, Dict, List

import rewrites_report
from rewrites_models import FIGURES, NOMAO_ROWS, Task
from rewrites_ways import Core, How, Node, Scalar, Scan, Sklearn, Sqlite, export, passes

WAYS = ("core", "scan", "scalar", "node")


def options() -> Any:
    parser = argparse.ArgumentParser(prog="bench-rewrites")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("core")
    parser.add_argument("extension")
    parser.add_argument("--only", default=",".join(FIGURES), help="figures, separated by commas")
    parser.add_argument("--ways", default=",".join(WAYS), help="beside scikit-learn, separated by commas")
    parser.add_argument("--rows", type=int, default=NOMAO_ROWS)
    parser.add_argument("--rounds", type=int, default=9)
    o = parser.parse_args()
    o.only, o.ways = o.only.split(","), o.ways.split(",")
    if not set(o.only) <= set(FIGURES) or not set(o.ways) <= set(WAYS) or o.rows < 1_000 or o.rounds < 1:
        parser.error("figures are %s; ways are %s; rows at least 1000" % (", ".join(FIGURES), ", ".join(WAYS)))
    if "HBSCORE_SERVER" not in os.environ and "node" in o.ways:
        print("bench-rewrites: no PostgreSQL server to measure beside")
        o.ways.remove("node")
    return o


def ways_of(o: Any, task: Task, table: Sqlite) -> Dict[str, Any]:
    make = {"core": lambda: Core(o.core, o.folder, task), "scan": lambda: Scan(table), "scalar": lambda: Scalar(table),
            "node": lambda: Node(o.folder, task)}
    return {way: make[way]() for way in o.ways}


def configurations(o: Any, task: Task, table: Sqlite) -> Dict[str, How]:
    known = passes(o.core)
    everything = ",".join(known)
    found = {"on": How("", task.strategy), "off": How(everything, task.strategy)}
    if task.only:
        for name, left in task.only.items():
            found[name] = How(",".join(p for p in known if p not in left), task.strategy)
        found["auto"] = How()
    else:
        found.update({"no " + name: How(name, task.strategy) for name in table.reports(found["on"])})
    return found


def check(task: Task, ways: Dict[str, Any], peer: Sklearn, cells: Dict[str, How]) -> Dict[str, int]:
    """Counts the labels of each cell that differ from scikit-learn's."""
    expected = peer.labels(How())
    found = {}
    for way, it in ways.items():
        for name, how in cells.items():
            labels = it.labels(how)
            found["%s/%s" % (name, way)] = int((labels != expected).sum()) if labels.shape == expected.shape else len(expected)
    print("  labels that differ from scikit-learn's: %d of %d in %d cells"
          % (sum(found.values()), len(expected), len(found)), flush=True)
    return found


def measure(o: Any, ways: Dict[str, Any], peer: Sklearn, cells: Dict[str, How]) -> List[Dict[str, Any]]:
    """Configurations of one way stand side by side: those are compared."""
    found = []
    for turn in range(o.rounds):
        order = list(cells.items())
        order = order[turn % len(order):] + order[: turn % len(order)]
        for way, it in ways.items():
            for name, how in order:
                found.append({"round": turn, "way": way, "configuration": name, "ns": it.time(how)})
        found.append({"round": turn, "way": "sklearn", "configuration": "on", "ns": peer.time(How())})
    return found


def bench(o: Any, task: Task) -> Dict[str, Any]:
    export(task, o.folder)
    table, peer = Sqlite(o.extension, o.folder, task), Sklearn(task)
    ways = {}
    try:
        cells = configurations(o, task, table)
        reports = table.reports(cells["on"])
        ways = ways_of(o, task, table)
        differ = check(task, ways, peer, cells)
        found = measure(o, ways, peer, cells)
    finally:
        for way in [*ways.values(), table]:
            way.close()
    return {"task": task, "configurations": cells, "reports": reports, "differ": differ, "measurements": found}


def main() -> int:
    o = options()
    results = []
    for figure in o.only:
        print("%s: training" % figure, flush=True)
        for task in FIGURES[figure](o.rows):
            print("%s: %s" % (task.title, task.note), flush=True)
            results.append(bench(o, task))
            task.data = task.model = None
    return rewrites_report.report(o, results, passes(o.core))


if __name__ == "__main__":
    sys.exit(main())
