"""passes.py - offline: passes over all rows, each a LoadGen run of its own, until they fill the profile's duration.

The duration is that of all repeats together, so a repeat, which is a process, fills its part. `lat.bin` has a column for each pass.
LoadGen's log of the first pass lies beside it, and those of the others, one after the other, in passes.gz."""

import gzip
import pathlib
import shutil
import time
import zlib

import numpy

from . import logs, share, stats
from .errors import BenchError

FILE = "passes.gz"
LOG = "mlperf_log_detail.txt"


def run(cell, lg, folder, hint_ns):
    """(the record of all passes, the sums of an aggregate)"""
    ends, records, times, systems, others = time.monotonic() + cell.profile.pass_seconds(cell.spec.get("duration_ms")), [], [], [], []
    while len(records) < cell.profile.least_passes or time.monotonic() < ends:
        here = folder if not records else folder.with_name("pass")
        record, sums = cell.run(lg, here, False, hint_ns)
        records.append(record)
        times.append(numpy.fromfile(here / "lat.bin", "<i8").reshape(2, -1))
        systems.append(numpy.fromfile(here / share.FILE, "<i8"))
        if here is not folder:
            others.append((here / LOG).read_text())
            shutil.rmtree(here)
    return joined(records, numpy.concatenate(times, axis=1), numpy.concatenate(systems), others, folder), sums


def joined(records, times, system, others, folder):
    """The first record, with the numbers of all."""
    (folder / "lat.bin").write_bytes(times.tobytes())
    (folder / share.FILE).write_bytes(system.tobytes())
    (folder / FILE).write_bytes(gzip.compress("".join(others).encode(), mtime=0))
    found = {**records[0], "valid": all(record["valid"] for record in records), "passes": len(records),
             "latency": stats.percentiles(times[0]), "inner": stats.percentiles(times[1])}
    found["warnings"] = list(dict.fromkeys(warning for record in records for warning in record["warnings"]))
    found["harness"] = share.of({**found, "scenario": "offline"}, {}, times, system)
    return found


def breaches(where, record, first, queries):
    """Compares a record of several passes with LoadGen's logs of all of them. `first`: the log of the first."""
    if "passes" not in record:
        return []
    try:
        details = [first, *read(pathlib.Path(record["path"]) / FILE)]
    except BenchError as error:
        return [f"{where}: {error}"]
    found = [f"{where}: LoadGen's log of a pass has an error: {text}" for detail in details[1:] for text in detail.errors]
    if not len(details) == record["passes"] == queries:
        found.append(f"{where}: it has {record['passes']} passes, LoadGen's logs {len(details)}, and lat.bin {queries}")
    if record["valid"] and not all(detail.valid for detail in details):
        found.append(f"{where}: the record says VALID, and LoadGen's log of a pass does not")
    return found


def read(path):
    """The logs of all passes but the first. Each begins with LoadGen's version."""
    try:
        text = gzip.decompress(path.read_bytes()).decode()
    except (OSError, EOFError, zlib.error, UnicodeDecodeError) as error:
        raise BenchError(f"{path}: {getattr(error, 'strerror', None) or 'this is no file of logs'}") from None
    begin = f'{logs.MARK}{{"key": "loadgen_version"'
    parts = text.split(begin)
    return [logs.Detail(begin + part, str(path)) for part in parts[1:]]
