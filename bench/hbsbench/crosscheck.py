"""crosscheck.py - server in PostgreSQL by another generator: pgbench -M prepared -R RATE -L TARGET, at the rate of the records of a
cell, with the same statement, settings and number of connections. Its arrivals are a Poisson process too, and its latencies count
from the scheduled one on. The record is crosscheck.json beside the cell's runs."""

import json
import os
import pathlib
import shutil
import subprocess
import tempfile

import numpy

from . import case, manifest, records, stats, summary, systems
from .errors import BenchError, Refused
from .profiles import PROFILES, SERVER

FILE = "crosscheck.json"
NAMES = ("rate", "transactions", "late", "p50_us", "p99_us", "lag_p99_us")


def run(folder, cache, seconds, told):
    """Each cell of a folder of results that it can do; the number of those that failed."""
    cells = [s for s in summary.summaries(records.read_all(folder)).values() if s.scenario == SERVER and not s.record["targets"].get("writes_per_second")]
    done = failed = 0
    for s in cells:
        try:
            found = measured(the_system(s.record, cache), s, seconds or max(1, PROFILES[s.record["profile"]].min_duration_ms / 1000))
        except Refused:
            continue
        except BenchError as error:
            told(f"FAILED  {s.model}, {s.system}: {error}")
            failed += 1
            continue
        done += 1
        records.write_whole(home(s) / FILE, json.dumps(found, indent=1, sort_keys=True))
        told(line(s, found))
    if not done + failed:
        raise BenchError(f"{folder}: it has no cell of server of a statement in PostgreSQL that this harness can make")
    return failed


def the_system(record, cache):
    """The system of a record, with its database; Refused where it executes no statement in PostgreSQL."""
    from suts import postgres

    model = manifest.find("model", record["model"])
    case.check_lock(model, cache)
    _, system = systems.load(record["system"], case.Case(model, cache, PROFILES[record["profile"]].most_rows))
    if not isinstance(system, postgres.Postgres) or not hasattr(system.make_statements(), "one") or record.get("timed"):
        raise Refused("it executes no statement for each row in PostgreSQL")
    system.prepare()
    return system


def script(system):
    """The statement of a row, whose key is drawn anew each time."""
    return f"\\set key random(0, {system.case.rows - 1})\n{system.make_statements().one().replace('$1', ':key')};\n"


def measured(system, s, seconds):
    from suts import postgres

    program = shutil.which("pgbench")
    if not program:
        raise BenchError("pgbench is not there: it comes with PostgreSQL's server, in Debian's postgresql-15")
    target = s.record["targets"]
    with tempfile.TemporaryDirectory(prefix="hbsbench-") as folder:
        folder = pathlib.Path(folder)
        (folder / "one.sql").write_text(script(system))
        command = [program, "-n", "-M", "prepared", "-f", "one.sql", "-c", str(target["connections"]), "-R", f"{s.median:.3f}",
                   "-L", f"{target['target_latency_ms']:g}", "-T", str(round(seconds)), "-l", system.database()]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False,
                              env={**os.environ, "PGOPTIONS": postgres.SETTINGS + system.settings})
        if done.returncode:
            raise BenchError(f"pgbench: {(done.stderr.strip().splitlines() or ['it gave no reason'])[-1]}")
        version = subprocess.run([program, "--version"], capture_output=True, text=True, check=False).stdout.strip()
        text = "".join(path.read_text() for path in sorted(folder.glob("pgbench_log.*")))
    return {"label": "pgbench", "version": version, "command": " ".join(["pgbench", *command[1:]]), "seconds": round(seconds), "loadgen_p99_us": s.p99 / 1000,
            **figures(text, target["target_latency_ms"], s.median)}


def figures(text, target_ms, rate):
    """The figures of pgbench's log: a line for each transaction, (client, number, microseconds, script, seconds, microseconds, microseconds of lag).
    One that was skipped, for it would begin after the target, is late."""
    rows = [text_row.split() for text_row in text.splitlines() if text_row.strip()]
    ran = numpy.array([[float(row[2]), float(row[6])] for row in rows if row[2] != "skipped"]).reshape(-1, 2)
    if not len(ran):
        raise BenchError("pgbench's log has no transaction")
    late = int((ran[:, 0] > target_ms * 1000).sum()) + len(rows) - len(ran)
    whole = numpy.concatenate([ran[:, 0], numpy.full(len(rows) - len(ran), numpy.inf)])
    p50, p99 = (float(stats.percentile(numpy.sort(whole), p)) for p in (0.5, 0.99))
    return {"rate": rate, "transactions": len(rows), "late": late, "p50_us": p50, "p99_us": p99 if numpy.isfinite(p99) else None,
            "lag_p99_us": float(stats.percentile(numpy.sort(ran[:, 1]), 0.99)), "holds": late < 0.01 * len(rows)}


def home(s):
    return pathlib.Path(s.repeats[0]["path"]).parent.parent


def read(s):
    """The record of a cross-check beside a cell; None: it was not done."""
    path = home(s) / FILE
    if not path.exists():
        return None
    found = records.read_json(path)
    if not isinstance(found, dict) or not all(isinstance(found.get(name), (int, float, type(None))) for name in NAMES):
        raise BenchError(f"{path}: this is no record of pgbench")
    return found


def line(s, found):
    p99 = "beyond the target" if found["p99_us"] is None else f"{found['p99_us']:.0f} us"
    return (f"{s.model}, {s.system}, server at {found['rate']:.0f} queries/s: p99 {p99} by pgbench ({found['late']} of {found['transactions']:,} over the "
            f"target, lag p99 {found['lag_p99_us']:.0f} us), {found['loadgen_p99_us']:.0f} us by LoadGen")
