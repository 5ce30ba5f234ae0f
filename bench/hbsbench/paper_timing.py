"""paper_timing.py - a cell of a paper's table, and how it is timed: passes over all rows, and the rows whose answers differ."""

import dataclasses
import os
import time

import numpy

from . import accuracy, stats, systems
from .errors import Refused
from .paper_cases import TOLERANCE
from .publish import number


@dataclasses.dataclass
class Value:
    value: float = None
    reason: str = None   # of an empty cell
    wrong: int = 0       # rows with other answers
    by: list = ()        # the versions of a Python of its own (pythons.py)

    def text(self):
        return f"- ({self.reason})" if self.value is None else number(self.value) + rows_that_differ(self.wrong)


def rows_that_differ(count):
    return f" ({count:,} row{'s' * (count > 1)} differ{'s' * (count == 1)})" if count else ""


def opened(case, name, size):
    """(system, session), or Refused. "hbscore-core/tt" forces a strategy for trees."""
    plain, _, strategy = name.partition("/")
    if size.cpu and plain.endswith("-pg"):
        raise Refused("the processor time of PostgreSQL's server is not that of the process")
    _, system = systems.load(plain, case)
    system.prepare()
    os.environ["HBSBENCH_STRATEGY"] = strategy
    try:
        system.open()
        return system, system.session()
    finally:
        del os.environ["HBSBENCH_STRATEGY"]


def passes(size, run):
    """Seconds of a pass: the truncated mean."""
    times, begun = [], time.monotonic()
    while len(times) < size.passes and (not times or time.monotonic() - begun < size.seconds):
        clock = time.process_time_ns if size.cpu else time.perf_counter_ns
        start = clock()
        run()
        times.append((clock() - start) / 1e9)
    return stats.truncated_mean(times)


def metric(case, out):
    """The metric that the model's manifest names, of these answers."""
    wanted = case.manifest
    return accuracy.metric_of(wanted["accuracy"]["metric"], case.data.target[:len(out)], out[:, accuracy.scored_column(wanted)])


def differing(case, out, settings=None):
    """Rows whose answers are not within the tolerance of the library's: that of the table's settings, else Hummingbird's."""
    expected = case.expected()[:len(out)]
    tolerance = (settings or {}).get("tolerance", {"rtol": TOLERANCE, "atol": TOLERANCE})
    return int((~numpy.isclose(out, expected, **tolerance, equal_nan=True)).any(axis=1).sum())
