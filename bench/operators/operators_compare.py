"""operators_compare.py FOLDER CORE EXTENSION [--only ..] [--rows N] [--rounds N] [--seconds S]

scikit-learn's operators and pipelines: hbscore's core, its call in SQLite and hbscore_scan beside scikit-learn and ONNX
Runtime, one thread each, A and B in turn in one run, over distinct rows, in batches of 1, 1,000 and 100,000; and all of
the 1,000,000 at once where there is a prediction, which is what hbscore_scan gives. Products of
matrices are measured with dense = blas too, where libopenblas0-serial is installed. Before
anything is timed the core's answers are compared with scikit-learn's. A round is one measurement of each way;
ratios are those of one round, of which the median counts. What comes out: operators_report.py. The status is 1
where a target is missed.
"""

from __future__ import annotations

import argparse
import glob
import pathlib
import sys
from typing import Any, Dict, List

import numpy as np

import operators_report
from operators_models import SPECS, Task
from operators_ways import Call, Core, Imported, Scan, Sklearn, Table, onnx_or_none

OPENBLAS = "".join(glob.glob("/usr/lib/*-linux-gnu/openblas-serial/libopenblas.so.0")[:1])
BATCHES = (1, 1_000, 100_000)
ALL_ROUNDS = 3  # of all rows at once
CHECKED = 20_000


def options() -> Any:
    parser = argparse.ArgumentParser(prog="bench-operators")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("core")
    parser.add_argument("extension")
    parser.add_argument("--only", default="", help="names, separated by commas")
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--sql-rows", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=0.15, help="of one measurement, about")
    o = parser.parse_args()
    known = [s.name for s in SPECS]
    o.names = [n for n in known if not o.only or n in o.only.split(",")]
    if not o.names or min(o.rows, o.sql_rows) < BATCHES[-1]:
        parser.error("names are of %s; rows at least %d" % (", ".join(known), BATCHES[-1]))
    return o


def check(task: Task, core: Core, peer: Sklearn) -> None:
    """Labels equal but where two classes tie in scikit-learn's float32; numbers to 1e-4 of the largest."""
    ours, theirs = core.results(CHECKED), peer.results(CHECKED)
    if ours.shape != theirs.shape:
        raise SystemExit("bench-operators: %s: %s numbers, scikit-learn %s" % (task.name, ours.shape, theirs.shape))
    labels = task.function == "predict" and hasattr(task.model, "classes_")
    if labels:
        wrong = int((ours != theirs).sum())
        ok = wrong <= CHECKED // 10_000
    else:
        wrong = float(np.abs(ours - theirs).max() / max(1.0, np.abs(theirs).max()))
        ok = wrong <= 1e-4
    print("  %s against scikit-learn: %s %g" % (task.function, "labels" if labels else "off by", wrong))
    if not ok:
        raise SystemExit("bench-operators: %s: the answers are not scikit-learn's" % task.name)


def count_for(way: Any, batch: int, seconds: float) -> int:
    """Rows for about so many seconds; warms up too."""
    ns, rows = way.time(batch, batch)
    if ns > seconds * 1e9:
        return batch
    ns, rows = way.time(batch, int(max(batch, min(seconds * 1e8 / max(ns / rows, 1), 1e6))))
    return int(max(batch, seconds * 1e9 / max(ns / rows, 0.1)))


def measure(o: Any, task: Task, ways: Dict[str, Any]) -> List[Dict[str, Any]]:
    found = []
    all_rows = [min(o.rows, o.sql_rows, len(task.data))] if "scan" in ways else []
    for batch in sorted(b for b in {*BATCHES, *all_rows} if not task.most or b <= task.most):
        counts = {name: count_for(way, batch, o.seconds) for name, way in ways.items()}
        for turn in range(o.rounds if batch in BATCHES else ALL_ROUNDS):
            for name, way in ways.items():
                ns, rows = way.time(batch, counts[name])
                found.append({"task": task.name, "batch": batch, "round": turn, "way": name, "ns": ns / rows})
        line = ", ".join(
            "%s %.1f" % (name, float(np.median([f["ns"] for f in found if f["way"] == name and f["batch"] == batch])))
            for name in ways
        )
        print("  %7d rows at once, ns a row: %s" % (batch, line), flush=True)
    return found


def bench(o: Any, name: str) -> Any:
    make = next(s.make for s in SPECS if s.name == name)
    print("%s: training" % name, flush=True)
    task = make(name, o.rows)
    (o.folder / (task.name + ".rows")).unlink(missing_ok=True)
    core, peer, onnx = Core(o.core, o.folder, task), Sklearn(task), onnx_or_none(task)
    check(task, core, peer)
    table = Table(o.extension, o.folder, task, o.sql_rows)
    ways = {"core": core, "sqlite": Call(table), "sklearn": peer}
    if task.function != "transform":
        ways["scan"] = Scan(table)
    if task.dense and OPENBLAS:
        ways["blas"] = Core(o.core, o.folder, task, OPENBLAS)
        check(task, ways["blas"], peer)
    if onnx:
        ways["onnx"] = onnx
        ways["imported"] = Imported(o.core, o.folder, task, onnx.file)
        check(task, ways["imported"], peer)
    try:
        return task, measure(o, task, ways)
    finally:
        for way in ways.values():
            way.close()
        (o.folder / (task.name + ".rows")).unlink()


def main() -> int:
    o = options()
    tasks, found = [], []
    for i, name in enumerate(o.names):
        print("[%d of %d] " % (i + 1, len(o.names)), end="")
        task, measurements = bench(o, name)
        task.data = None
        tasks.append(task)
        found += measurements
    return operators_report.report(o, tasks, found)


if __name__ == "__main__":
    sys.exit(main())
