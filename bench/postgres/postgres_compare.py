"""postgres_compare.py FOLDER [--ways ..] [--models ..] [--rows N] [--rounds N] [--minutes N] [--sweep ..] [--only-sweep]

Scoring a table of 1,000,000 rows in PostgreSQL: by row, in blocks (the node HbPredict), by predict_agg, with parallel
workers, beside a bare scan of the same columns, and beside what is done without hbscore: a client that fetches the rows
and writes scores of the model's own library back, PL/Python, CASE expressions. The server is the one that PGHOST names, a
new one (bench_postgres.sh). Before anything is timed, the answers of each way to all of its rows are compared with the
library's, bit for bit, and the plan of each statement must be the one that is to be measured.

A round of a model is one measurement of each way, the bare scan first; the models take turns, and ratios are those of
one round, of which the median counts: machines drift. What comes out: postgres_report.py. Then the sweep:
postgres_sweep.py. The status is 1 where a goal is missed.
"""

import argparse
import functools
import hashlib
import pathlib
import sys
import time

import numpy

import postgres_data
import postgres_memory
import postgres_report
import postgres_sweep
import postgres_ways
import scan_rounds
import sweep

LEAST_ROWS = 2_000
REPEATS, LONG_NS = 3, 2_000_000_000


def options():
    parser = argparse.ArgumentParser(prog="bench-postgres")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--ways", default=",".join(postgres_ways.WAYS), help="default: %(default)s")
    parser.add_argument("--models", default=",".join(postgres_data.NAMES), help="default: %(default)s")
    scan_rounds.add_options(parser, minutes=9)
    sweep.add_options(parser)
    o = parser.parse_args()
    scan_rounds.check_names(parser, o.ways, postgres_ways.WAYS)
    scan_rounds.check_names(parser, o.models, postgres_data.NAMES)
    if o.rows < LEAST_ROWS:
        parser.error(f"--rows is at least {LEAST_ROWS}")
    # In the order of a round, and never without what they are compared with.
    o.ways = [way for way in postgres_ways.WAYS if way == "bare" or way in o.ways.split(",")]
    o.models = [model for model in postgres_data.NAMES if model in o.models.split(",")]
    return o


def library_predictions(bench, model, folder):
    """Of all rows, as they come out of the database; they are kept, as the library takes its time."""
    content = hashlib.sha256(model.path.read_bytes()).hexdigest()[:16]
    path = folder / f"library-{model.name}-{content}-{bench.rows}.npy"
    if not path.exists():
        query = f"SELECT id, {', '.join(model.table.columns)} FROM {model.table.name} ORDER BY id"
        chunks = [model.predict(rows) for _, rows in postgres_ways.chunks_by_copy(bench, model, query)]
        numpy.save(path, numpy.concatenate(chunks).astype(float))
    return numpy.load(path)


def differing(expected, got, rows):
    """How many rows are not the library's own, by their bits."""
    if len(got) != rows:
        raise SystemExit(f"bench-postgres: {len(got)} predictions of {rows} rows")
    return int((got.view(numpy.uint64) != expected[:rows].view(numpy.uint64)).sum())


def check(bench, model, o, ways, not_run):
    """Ways that can be run, and how many of each one's rows differ."""
    differences = {}
    bench.set("auto", 0)
    expected = library_predictions(bench, model, o.folder)
    for name in ways:
        way, title, _ = postgres_ways.WAYS[name]
        reason = way.prepare(bench, model)
        if reason:
            not_run[f"{title}, {model.title}"] = reason
            print(f"{model.title}: not run: {title}: {reason}", flush=True)
        elif name.startswith("bare"):
            way.measured(bench, model)
        else:
            differences[model.name, name] = differing(expected, way.answers(bench, model), way.rows_of(bench))
            print(f"{model.title}: {title}: {way.rows_of(bench):,} rows compared with the library's, "
                  f"{differences[model.name, name]} differ", flush=True)
    return differences


def timed(bench, model, way):
    begun = time.perf_counter_ns()
    rows = way.measured(bench, model)
    ns = time.perf_counter_ns() - begun
    if isinstance(way, postgres_ways.Written):
        bench.run("DROP TABLE scored")
    return rows, ns


def measure(bench, model, name, number):
    """The least of a few times, if it does not take long: other work on the machine only adds to it."""
    way, title, _ = postgres_ways.WAYS[name]
    way.set(bench)
    found = [timed(bench, model, way)]
    while len(found) < REPEATS and sum(ns for _, ns in found) < LONG_NS:
        found.append(timed(bench, model, way))
    rows, ns = min(found, key=lambda one: one[1])
    print(f"{model.title + ',':<55} round {number}: {title:<52} {ns / rows:12,.0f} ns a row {ns / 1e9:8.2f} s", flush=True)
    return {"model": model.name, "round": number, "way": name, "rows": rows, "ns": ns}


def compare(o):
    models = postgres_data.make_models(o.folder.parent / "models", o.models)
    bench = postgres_ways.Bench(models, o.rows)
    differences, not_run, ways = {}, {}, {}
    for model in models:
        wanted = [way for way in o.ways if postgres_ways.is_of(model, way)]
        differences |= check(bench, model, o, wanted, not_run)
        ways[model.name] = [way for way in wanted if way.startswith("bare") or (model.name, way) in differences]

    def ways_of(model):
        return ways[model.name]

    measurements = [m for _, m in scan_rounds.rounds(models, ways_of, functools.partial(measure, bench), o)]
    memory = postgres_memory.flat_memory(o.rows, models[0])
    print(memory[0], flush=True)
    return postgres_report.report(o, bench, ways_of, differences, not_run, measurements, memory)


def main():
    o = options()
    missed = 0 if o.only_sweep else compare(o)
    return missed if o.sweep == "none" else max(missed, postgres_sweep.run(o.folder, o.sweep == "full"))


if __name__ == "__main__":
    sys.exit(main())
