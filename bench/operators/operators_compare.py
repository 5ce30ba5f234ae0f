"""operators_compare.py FOLDER CORE EXTENSION [--only ..] [--rows N] [--rounds N] [--seconds S] [--smoke]

scikit-learn's operators and pipelines: hbscore's core, its call in SQLite and hbscore_scan beside scikit-learn and ONNX
Runtime, one thread each, A and B in turn in one run, over distinct rows, in batches of 1, 1,000 and 100,000; and all of
the 1,000,000 at once where there is a prediction, which is what hbscore_scan gives. Products of
matrices are measured with dense = blas too, where libopenblas0-serial is installed. Before
anything is timed the core's answers are compared with scikit-learn's. A round is one measurement of each way;
ratios are those of one round, of which the median counts. What comes out: operators_report.py. The status is 1
where a target is missed. --smoke: few rows, one short round: does everything work?
"""

from __future__ import annotations

import argparse
import glob
import pathlib
import sys
from typing import Any, Dict, List, Optional

import numpy as np

# The tasks are in this order.
import operators_models  # noqa: F401
import operators_vectors  # noqa: F401
import operators_combined  # noqa: F401
import operators_columns  # noqa: F401
import operators_texts  # noqa: F401
import operators_report
from operators_tasks import SPECS, TRAINED_ON, Task
from operators_ways import Call, Core, Imported, Scan, Sklearn, Table, onnx_or_none

OPENBLAS = "".join(glob.glob("/usr/lib/*-linux-gnu/openblas-serial/libopenblas.so.0")[:1])
BATCHES = (1, 1_000, 100_000)
ALL_ROUNDS = 3  # of all rows at once
CHECKED = 20_000
SMOKE_ROWS = TRAINED_ON


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
    parser.add_argument("--smoke", action="store_true", help="%d rows, one short round" % SMOKE_ROWS)
    o = parser.parse_args()
    if o.smoke:
        o.rows, o.sql_rows, o.rounds, o.seconds = SMOKE_ROWS, SMOKE_ROWS, 1, 0.001
    known = [s.name for s in SPECS]
    o.names = [n for n in known if not o.only or n in o.only.split(",")]
    if not o.names or (min(o.rows, o.sql_rows) < BATCHES[-1] and not o.smoke):
        parser.error("names are of %s; rows at least %d" % (", ".join(known), BATCHES[-1]))
    return o


def is_right(task: Task, core: Core, peer: Sklearn) -> bool:
    """Labels equal but where two classes tie in scikit-learn's float32; numbers to 1e-4 of the largest."""
    count = min(CHECKED, len(task.data))
    ours, theirs = core.results(count), peer.results(count)
    if ours.shape != theirs.shape:
        raise SystemExit("bench-operators: %s: %s numbers, scikit-learn %s" % (task.name, ours.shape, theirs.shape))
    if task.labels:
        wrong: float = int((ours != theirs).sum())
        right = wrong <= CHECKED // 10_000
    else:
        wrong = float(np.abs(ours - theirs).max() / max(1.0, np.abs(theirs).max()))
        right = wrong <= 1e-4
    print("  %s against scikit-learn: %s %g" % (task.function, "labels" if task.labels else "off by", wrong))
    return right


def check(task: Task, core: Core, peer: Sklearn) -> None:
    if not is_right(task, core, peer):
        raise SystemExit("bench-operators: %s: the answers are not scikit-learn's" % task.name)


def imported_or_none(o: Any, task: Task, file: bytes, peer: Sklearn) -> Optional[Imported]:
    """A file in float32 may not have scikit-learn's answers, in ONNX Runtime either."""
    way = Imported(o.core, o.folder, task, file)
    try:
        if is_right(task, way, peer):
            return way
    except RuntimeError as e:
        print("  the ONNX file in hbscore: %s" % e)
    way.close()
    return None


def count_for(way: Any, batch: int, seconds: float) -> int:
    """Rows for about so many seconds; warms up too."""
    ns, rows = way.time(batch, batch)
    if ns > seconds * 1e9:
        return batch
    ns, rows = way.time(batch, int(max(batch, min(seconds * 1e8 / max(ns / rows, 1), 1e6))))
    return int(max(batch, seconds * 1e9 / max(ns / rows, 0.1)))


def batches_of(task: Task, scanned: int) -> List[int]:
    """The most rows are all of a task that has few, and all that are scanned."""
    most = min(task.most or len(task.data), len(task.data))
    least = min(most, BATCHES[-1])
    return sorted({b for b in (*BATCHES, least, scanned) if 0 < b <= most})


def measure(o: Any, task: Task, ways: Dict[str, Any]) -> List[Dict[str, Any]]:
    found = []
    for batch in batches_of(task, min(o.rows, o.sql_rows, len(task.data)) if "scan" in ways else 0):
        counts = {name: count_for(way, batch, o.seconds) for name, way in ways.items()}
        for turn in range(o.rounds if batch <= BATCHES[-1] else ALL_ROUNDS):
            for name, way in ways.items():
                ns, rows = way.time(batch, counts[name])
                found.append({"task": task.name, "batch": batch, "round": turn, "way": name, "ns": ns / rows})
        line = ", ".join(
            "%s %.1f" % (name, float(np.median([f["ns"] for f in found if f["way"] == name and f["batch"] == batch])))
            for name in ways
        )
        print("  %7d rows at once, ns a row: %s" % (batch, line), flush=True)
    return found


def ways_of(o: Any, task: Task, core: Core, peer: Sklearn) -> Dict[str, Any]:
    ways: Dict[str, Any] = {"core": core}
    if task.in_sql:
        table = Table(o.extension, o.folder, task, o.sql_rows)
        ways["sqlite"] = Call(table)
    ways["sklearn"] = peer
    if task.in_sql and task.function in ("predict", "predict_proba"):
        ways["scan"] = Scan(table)
    if task.dense and OPENBLAS:
        ways["blas"] = Core(o.core, o.folder, task, OPENBLAS)
        check(task, ways["blas"], peer)
    onnx = onnx_or_none(task)
    if onnx:
        ways["onnx"] = onnx
        imported = imported_or_none(o, task, onnx.file, peer)
        ways.update({"imported": imported} if imported else {})
    return ways


def bench(o: Any, name: str) -> Any:
    make = next(s.make for s in SPECS if s.name == name)
    print("%s: training" % name, flush=True)
    task = make(name, o.rows)
    (o.folder / (task.name + ".rows")).unlink(missing_ok=True)
    core, peer = Core(o.core, o.folder, task), Sklearn(task)
    check(task, core, peer)
    ways = ways_of(o, task, core, peer)
    try:
        found = measure(o, task, ways)
        if task.memory:
            task.title += " (%s)" % core.memory()
            print("  memory: %s" % core.memory())
        return task, found
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
