"""kernels_compare.py FOLDER PROGRAMS [--full | --smoke] [--only ..] [--batches ..] [--rounds N] [--seconds S] ..

Tree ensembles: hbscore's core beside the library that trained each model and those that convert it, one thread each,
A and B in turn in one run, over at least 16,384 distinct rows in batches of 1 to 1,048,576; raw scores, so that
nobody computes a sigmoid (of random forests probabilities, which are what they have). Before anything is timed the
core's scores and labels of 16,384 rows are compared with the library's own, bit for bit. A round is one measurement
of each way; ratios are those of one round, of which the median counts. A way that is too slow for that many rows
walks fewer in each round, new ones in the next; the report says which. Then the core alone, with each strategy
forced. What comes out: kernels_report.py. The status is 1 where a target is missed.
"""

from __future__ import annotations

import argparse
import pathlib
import sys
from typing import Any, Dict, List, Tuple

import numpy as np

import kernels_report
import kernels_strategies
from kernels_models import ANSWERS, SPECS, Spec, specs_of
from kernels_ways import WAYS, core_way, ways_of

BATCHES = (1, 10, 64, 1_000, 16_384)
MILLION = 1 << 20
LEAST = 1_024  # rows of a batch that a slow way gets instead of a larger one


def options() -> Any:
    parser = argparse.ArgumentParser(prog="bench-kernels")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("programs", type=pathlib.Path)
    parser.add_argument("--full", action="store_true", help="the whole grid")
    parser.add_argument("--smoke", action="store_true", help="tiny models, tiny times: whether it works")
    parser.add_argument("--only", default="", help="names of models, separated by commas")
    parser.add_argument("--batches", default="", help="rows at once, separated by commas")
    parser.add_argument("--rounds", type=int)
    parser.add_argument("--seconds", type=float, help="of one measurement, at least about")
    parser.add_argument("--most", type=float, help="seconds of one measurement, at most about")
    o = parser.parse_args()
    o.grid = "full" if o.full else "smoke" if o.smoke else "quick"
    rounds, seconds, most = {"full": (9, 0.1, 1.0), "quick": (7, 0.04, 0.2), "smoke": (3, 0.002, 0.02)}[o.grid]
    o.rounds, o.seconds, o.most = o.rounds or rounds, o.seconds or seconds, o.most or most
    o.asked = specs_of(o.grid, o.only)
    if not o.asked:
        parser.error("names are of %s" % ", ".join(s.name for s in SPECS))
    o.specs = [s for s in o.asked if s.what == "models"]
    return o


def batches_of(o: Any, spec: Spec) -> List[int]:
    """A million rows of every 28-feature model in the full grid, of two in the quick one."""
    if o.batches:
        return [int(b) for b in o.batches.split(",")]
    million = o.full if spec.features == 28 else False
    million = million or o.grid == "quick" and spec.name in ("xgboost_100x6", "lightgbm_100x31")
    return list(BATCHES) + [MILLION] * million


# Answers -----------------------------------------------------------------------------------


def answers(o: Any, spec: Spec, ways: Dict[str, Any]) -> Dict[str, Any]:
    """Rows of which the core's bits or labels are not the library's own; how far the others are off."""
    own = np.load(o.folder / (spec.name + ".npz"))
    raw, label = own["raw"].reshape(ANSWERS, -1), own["label"].reshape(ANSWERS)
    bits = (ways["core"].results(ANSWERS).view(np.uint64) != raw.astype(np.float64).view(np.uint64)).any(axis=1)
    labels = core_way(o, spec, ANSWERS, "predict_label")
    wrong = int((labels.results(ANSWERS).reshape(ANSWERS) != label).sum())
    labels.close()
    off = {}
    for name, way in ways.items():
        made = way.results(ANSWERS)[:, -raw.shape[1] :]  # of two classes some give two scores
        off[name] = int((np.abs(made - raw) > 1e-4 * (1 + np.abs(raw))).any(axis=1).sum())
    return {"bits": int(bits.sum()), "labels": wrong, "off": off}


# Time --------------------------------------------------------------------------------------


def plan_of(o: Any, name: str, way: Any, batch: int) -> Tuple[int, int]:
    """Rows at once and in all of one measurement: ANSWERS rows and o.seconds at least, but no more than o.most
    seconds of another library's, which then gets fewer rows."""
    probe = min(batch, LEAST)
    way.time(probe, probe)
    ns, rows = way.time(probe, min(4 * probe, LEAST) if probe > 1 else 8)
    cost = max(ns / rows, 0.1)
    wanted = max(ANSWERS, batch, int(o.seconds * 1e9 / cost))
    affordable = int(o.most * 1e9 / cost)
    if name == "core" or affordable >= wanted:
        return batch, (wanted + batch - 1) // batch * batch
    if batch <= LEAST:
        return batch, max(affordable // batch, 1) * batch
    rows = min(max(affordable, LEAST), batch)
    return rows, rows


def measure(o: Any, spec: Spec, ways: Dict[str, Any], batch: int) -> List[Dict[str, Any]]:
    found = []
    plans = {name: plan_of(o, name, way, batch) for name, way in ways.items()}
    for turn in range(o.rounds):
        for name, way in ways.items():
            ns, rows = way.time(*plans[name])
            found.append({"model": spec.name, "batch": batch, "round": turn, "way": name, "ns": ns / rows,
                          "at_once": plans[name][0], "rows": rows})
    median = {name: float(np.median([f["ns"] for f in found if f["way"] == name])) for name in ways}
    print("  %9s rows at once, ns a row: %s" % ("{:,}".format(batch), ", ".join(
        "%s %s" % (WAYS[name], kernels_report.short(ns)) for name, ns in median.items())), flush=True)
    return found


def bench(o: Any, spec: Spec) -> Tuple[Dict[str, Any], List[Dict[str, Any]]]:
    batches = batches_of(o, spec)
    ways, absent = ways_of(o, spec, max(ANSWERS, *batches))
    facts = kernels_report.facts_of(o, spec, ways["core"].facts(), absent, answers(o, spec, ways))
    print("  " + kernels_report.facts_line(facts), flush=True)
    for name, why in absent.items():
        print("  %s: %s" % (WAYS[name], why))
    try:
        return facts, [f for batch in batches for f in measure(o, spec, ways, batch)]
    finally:
        for way in ways.values():
            way.close()


def main() -> int:
    o = options()
    models, found = [], []
    for i, spec in enumerate(o.specs):
        print("[%d of %d] %s" % (i + 1, len(o.specs), spec.title), flush=True)
        facts, measurements = bench(o, spec)
        models.append(facts)
        found += measurements
    return kernels_report.report(o, models, found, kernels_strategies.measure(o))


if __name__ == "__main__":
    sys.exit(main())
