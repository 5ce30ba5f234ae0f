"""sqlite_compare.py FOLDER EXTENSION [--ways ..] [--models ..] [--rows N] [--rounds N] [--minutes N] [--sweep ..]
        [--only-sweep]

Scoring a table of 1,000,000 rows in SQLite: hbscore's ways beside a bare scan of the same columns and beside
Python with the model's own library, all in this process, on one thread, on one file of SQLite's default
settings. Before anything is timed, the first predictions of each way must be the library's own, bit for bit.

A round of a model is one measurement of each way, the bare scan first; the models take turns, and ratios are
those of one round, of which the median counts: machines drift. Each model has at least 3 rounds, a fast one 5,
and more as long as the time lasts. What comes out: sqlite_report.py. Then the sweep: sqlite_sweep.py. The status
is 1 where a goal is missed.
"""

import argparse
import functools
import pathlib
import sys
import time

import numpy

import scan_models
import scan_rounds
import sqlite_data
import sqlite_report
import sqlite_sweep
import sqlite_ways
import sweep


def options():
    parser = argparse.ArgumentParser(prog="bench-sqlite")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("extension")
    parser.add_argument("--ways", default=",".join(sqlite_ways.WAYS), help="default: %(default)s")
    parser.add_argument("--models", default=",".join(sqlite_data.NAMES), help="default: %(default)s")
    scan_rounds.add_options(parser, minutes=14)
    sweep.add_options(parser)
    o = parser.parse_args()
    scan_rounds.check_names(parser, o.ways, sqlite_ways.WAYS)
    scan_rounds.check_names(parser, o.models, sqlite_data.NAMES)
    if o.rows < sqlite_ways.CHECKED_ROWS:
        parser.error(f"--rows is at least {sqlite_ways.CHECKED_ROWS}")
    # In the order of a round, and never without what they are compared with.
    o.ways = [way for way in sqlite_ways.WAYS if way == "bare" or way in o.ways.split(",")]
    o.models = [model for model in sqlite_data.NAMES if model in o.models.split(",")]
    return o


def differ(what):
    raise SystemExit(f"bench-sqlite: {what}")


class Checks:
    """What must hold for a time to count."""

    def __init__(self, bench):
        self.bench = bench
        self.totals = {}

    def predictions(self, model, ways):
        """The first rows, bit by bit; and what the Python function gives, which has no other answer."""
        expected = sqlite_ways.library_predictions(self.bench, model)
        for way in ways:
            got = sqlite_ways.checked_predictions(self.bench, model, way)
            if len(got) != len(expected):
                differ(f"{model.name}, {way}: {len(got)} predictions of {len(expected)} rows")
            wrong = numpy.flatnonzero(got.view(numpy.uint64) != expected.view(numpy.uint64))
            if len(wrong):
                row = wrong[0]
                differ(f"{model.name}, {way}: {len(wrong)} of {len(expected)} predictions are not the library's own: "
                       f"{got[row]!r} for {expected[row]!r} with id {row + 1}")
        self.totals[model.name, sqlite_ways.SLICE] = expected[:sqlite_ways.SLICE].sum()

    def measurement(self, model, m):
        """All ways of a model have scored the same rows: sums differ by the order of additions only."""
        key = ("bare" if m["way"] == "bare" else model.name, m["rows"])
        total = self.totals.setdefault(key, m["total"])
        if not abs(m["total"] - total) <= 1e-9 * m["rows"] * 100:
            differ(f"{model.name}, {m['way']}: the sum of the predictions is {m['total']!r}, not {total!r}")
        # Time of the CPU beyond time that has passed: more than one thread.
        if m["cpu_ns"] > 1.05 * m["ns"] + 20e6:
            differ(f"{model.name}, {m['way']}: {m['cpu_ns'] / m['ns']:.2f} s of CPU in a second: not one thread")


def measure(bench, model, way, number):
    begun, cpu_begun = time.perf_counter_ns(), time.process_time_ns()
    answer = sqlite_ways.WAYS[way][0](bench, model)
    ns, cpu_ns = time.perf_counter_ns() - begun, time.process_time_ns() - cpu_begun
    rows, total = answer or bench.scored()
    return {"model": model.name, "round": number, "way": way, "rows": rows, "ns": ns, "cpu_ns": cpu_ns, "total": total}


def compare(o):
    scan_models.train(o.folder.parent / "models", o.models)
    path = o.folder / f"table-{o.rows}.db"
    if not path.exists():
        print(f"making the table, {o.rows:,} rows (once)", flush=True)
        making = path.with_suffix(".making")
        sqlite_data.write_table(making, o.rows)
        making.rename(path)
    models = [scan_models.Model(o.folder.parent / "models", name) for name in o.models]
    bench = sqlite_ways.Bench(path, o.extension, models, o.rows)
    checks = Checks(bench)
    ours = [way for way in o.ways if way in ("scalar", "scan", "table")]
    for model in models:
        if "table" in o.ways:
            bench.create_virtual_table(model)
        checks.predictions(model, ours)
        print(f"{model.title}: {sqlite_ways.CHECKED_ROWS:,} predictions equal the library's: {', '.join(ours)}", flush=True)
    # The file into the page cache.
    sqlite_ways.bare(bench, models[0])

    measurements = []
    for model, m in scan_rounds.rounds(models, lambda model: o.ways, functools.partial(measure, bench), o):
        checks.measurement(model, m)
        measurements.append(m)
        print(f"{model.title + ',':<34} round {m['round']}: {sqlite_ways.WAYS[m['way']][1]:<40} "
              f"{m['ns'] / m['rows']:12,.0f} ns a row {m['ns'] / 1e9:8.2f} s", flush=True)
    return sqlite_report.report(o, models, measurements)


def main():
    o = options()
    missed = 0 if o.only_sweep else compare(o)
    return missed if o.sweep == "none" else max(missed, sqlite_sweep.run(o.folder, o.extension, o.sweep == "full"))


if __name__ == "__main__":
    sys.exit(main())
