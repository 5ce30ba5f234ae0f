"""share.py - the harness's own share of a result: what LoadGen, the callback in Python, and Python around C code take of it.

A query's whole time is LoadGen's, from its issue to its completion; of `server` and `offline` it is the callback's, because
LoadGen counts the time in the queue, and the answers that are read back. The system's part is by its own clock where C code
does all of its work, else by the harness's around the call of the system."""

import pathlib

import numpy

from .errors import BenchError
from .profiles import MULTI, SINGLE

MEANS = {SINGLE: "result_mean_latency_ns", MULTI: "result_mean_query_latency_ns"}
FILE = "system.bin"  # beside lat.bin: nanoseconds within the system, a number for each query


def of(record, values, times, system):
    """`values`: LoadGen's log. `times`: [2][queries], as in lat.bin. `system`: nanoseconds within the system. In a short run a
    clock may read more within the system than LoadGen's mean is; then the share is nothing."""
    own = times[1] if record["own_clock"] == "c" else system
    logged = values.get(MEANS.get(record["scenario"]))
    whole = float(logged) if isinstance(logged, (int, float)) and logged > 0 else float(times[0].mean())
    mean = float(own.mean())
    return {"whole_ns": whole, "system_ns": mean, "share": max(0.0, 1 - mean / whole)}


def own_clock(session, inner):
    return "c" if inner.any() and not session.python_steps else "harness"


def read(record, values, times):
    """The same from a record's folder; None: the record is older than the file."""
    if "own_clock" not in record:
        return None
    path = pathlib.Path(record["path"]) / FILE
    try:
        system = numpy.fromfile(path, "<i8")
    except OSError as error:
        raise BenchError(f"{path}: {error.strerror}") from None
    if len(system) != times.shape[1]:
        raise BenchError(f"{path}: it has {len(system)} queries, and lat.bin {times.shape[1]}")
    return of(record, values, times, system)
