"""summary.py - records by cells: what a report shows of each. Every number is computed anew from LoadGen's log and lat.bin."""

import functools
import pathlib

import numpy

from . import check, figures, logs, schedule, share, stats, walked
from .errors import BenchError
from .profiles import MULTI, OFFLINE, SERVER, SINGLE, TRUSTED_TARGET

# The unit, whether more is better, and words.
HEADLINES = {SINGLE: ("us", False, "90th percentile"), MULTI: ("us", False, "99th percentile of a query"),
             SERVER: ("queries/s", True, "rate with 99 % under the target"), OFFLINE: ("rows/s", True, "rows a second")}
NEAR_FLOOR = 3


def times_of(path):
    """[2][queries]"""
    try:
        found = numpy.fromfile(path, "<i8").reshape(2, -1)
    except (OSError, ValueError):
        found = numpy.empty((2, 0))
    if not found.size or found[0].min() <= 0:
        raise BenchError(f"{path}: these are no times of queries")
    return found


class Summary:
    """A cell: its repeats, the headline of each, and the verdicts."""

    def __init__(self, records, accuracy):
        first = records[0]
        self.record, self.repeats = first, sorted(records, key=lambda r: r["repeat"])
        self.model, self.system, self.cell, self.scenario = first["model"], first["system"], first["cell"], first["scenario"]
        self.kind, self.division, self.floor = first["kind"], first["division"], first["floor"]
        self.accuracy, self.others = accuracy, [other["model"] for other in first.get("alternate") or []]
        self.times = [times_of(pathlib.Path(r["path"]) / "lat.bin") for r in self.repeats]
        self.details = [logs.read_detail(r["path"]) for r in self.repeats]
        self.values = [self.headline(*of_one) for of_one in zip(self.repeats, self.times, self.details)]
        self.harness = [share.read(r, detail.values, times) for r, detail, times in zip(self.repeats, self.details, self.times)]
        self.unit, self.more_is_better, _ = HEADLINES[self.scenario]
        self.at_floor = None

    def headline(self, record, times, detail):
        latencies = times[0]
        if self.scenario == OFFLINE:
            return self.record["rows"] / (float(latencies.mean()) / 1e9)
        if self.scenario == SERVER:
            return float(record["target_qps"])
        # LoadGen's estimate, which has to hold with a confidence of 99 %; it needs some queries more than the percentile does.
        found = detail.values.get("early_stopping_latency_ss" if self.scenario == SINGLE else "early_stopping_latency_ms")
        p = 0.9 if self.scenario == SINGLE else 0.99
        return (found or stats.early_stopping_estimate(latencies, p) or int(stats.percentile(numpy.sort(latencies), p))) / 1000

    @property
    def median(self):
        return float(numpy.median(self.values))

    @property
    def outliers(self):
        """The numbers of the repeats that are far from the others."""
        return [self.repeats[place]["repeat"] for place in stats.outliers(self.values)]

    @property
    def valid(self):
        return all(detail.valid for detail in self.details)

    @property
    def untrustworthy(self):
        """A target of server that the generator takes a part of; of older records too."""
        return self.scenario == SERVER and self.record["targets"].get("target_latency_ms", TRUSTED_TARGET) < TRUSTED_TARGET

    @property
    def passed(self):
        return self.kind == "floor" or bool(self.accuracy and self.accuracy["passed"])

    @functools.cached_property
    def own(self):
        """Percentiles of the harness's own times, in nanoseconds: of `server` they begin when a query leaves the queue."""
        return stats.percentiles(numpy.concatenate([times[0] for times in self.times]))

    @functools.cached_property
    def latency(self):
        """Percentiles as LoadGen counts: of `server` its own, from the scheduled arrival on, the medians of the repeats."""
        return {name: self.logged(name) for name in self.own} if self.scenario == SERVER else self.own

    def logged(self, name):
        found = [detail.values.get(f"result_{float(name[1:]):.2f}_percentile_latency_ns") for detail in self.details]
        return int(numpy.median(found)) if all(isinstance(value, (int, float)) for value in found) else self.own[name]

    @property
    def p99(self):
        return float(self.latency["p99"])

    @functools.cached_property
    def inner(self):
        found = stats.percentiles(numpy.concatenate([times[1] for times in self.times]))
        return found if found.get("p50") else None

    @functools.cached_property
    def issue_delay(self):
        """Percentiles of all repeats of `server`; None: they are not known."""
        found = [schedule.read(r, times.shape[1]) for r, times in zip(self.repeats, self.times)]
        return None if any(one is None for one in found) else stats.percentiles(numpy.concatenate(found))

    @property
    def share(self):
        """The harness's own of a query, the median of the repeats; None: the records are older than that."""
        return None if None in self.harness else float(numpy.median([part["share"] for part in self.harness]))

    @property
    def statement(self):
        """The database's own figures of a query's statement, medians of the repeats; None: there is no statement, or the records are
        older than that."""
        found = [r["statement"] for r in self.repeats if r.get("statement")]
        names = [name for name in (*figures.NAMES, *figures.BUFFERS, *figures.WORKERS) if all(name in one for one in found)]
        return {name: float(numpy.median([one[name] for one in found])) for name in names} if found else None

    @property
    def rows_walked(self):
        """The fewest different rows of a repeat of multi-stream, as a text that says if the set is a small one; "" where it is not known."""
        found = [r[walked.FIELD] for r in self.repeats if walked.FIELD in r]
        return f"{min(found)}{' of a small set' if self.record['rows'] < walked.WANTED else ''}" if found else ""

    @property
    def truncated_mean(self):
        """The mean of the repeats without the smallest and the largest, as in Hummingbird's paper."""
        return stats.truncated_mean(self.values)

    def cold(self, name):
        """The median of a fact of the first use, in nanoseconds: each repeat is a process of its own. None: it has none."""
        found = [r["facts"][name] for r in self.repeats if isinstance(r["facts"].get(name), (int, float))]
        return float(numpy.median(found)) if found else None

    @property
    def cold_first(self):
        """The first pass of offline, the first row of the others. Older records have no first pass."""
        return self.cold("cold_pass_ns" if self.scenario == OFFLINE else "cold_first_ns")

    @property
    def hot(self):
        """The same again, in nanoseconds; None where a query is not what was first: many rows, or one in a queue."""
        return float(self.latency["p50"]) if self.scenario in (SINGLE, OFFLINE) else None

    def key(self):
        return self.model, self.system, self.cell


def summaries(records):
    accuracy = {check.cell_of(r): r["accuracy"] for r in records if r["mode"] == "accuracy"}
    groups = {}
    for record in records:
        if record["mode"] == "performance":
            groups.setdefault(check.cell_of(record), []).append(record)
    found = {key: Summary(group, accuracy.get(key)) for key, group in groups.items()}
    for summary in found.values():
        floor = found.get((summary.model, summary.floor, check.floor_cell(summary.record)))
        if floor:
            summary.at_floor = near(summary, floor)
    return found


def ordered(cells, scenarios=None):
    return sorted((s for s in cells.values() if scenarios is None or s.scenario in scenarios), key=lambda s: (s.model, s.cell, s.division, s.system))


def by_themselves(cells):
    """Without cells of models that take turns."""
    return {key: s for key, s in cells.items() if not s.others}


def near(summary, floor):
    """True where most of a number is what its floor takes too, by the median latency of streams, else the time that a row takes."""
    if summary.scenario in (SINGLE, MULTI):
        return summary.latency["p50"] < NEAR_FLOOR * floor.latency["p50"]
    return NEAR_FLOOR * summary.median > floor.median


def ratio(one, other):
    """How many times as good `one` is as `other`, with its interval of 95 % if both have as many repeats."""
    ours, theirs = (one.values, other.values) if not one.more_is_better else (other.values, one.values)
    if len(ours) == len(theirs) and len(ours) > 1:
        return stats.ratio_interval(ours, theirs)
    middle = float(numpy.median(theirs) / numpy.median(ours))
    return middle, None, None


def words(one, other):
    """A sentence that claims no more than the interval does."""
    middle, low, high = ratio(one, other)
    if low is None:
        return f"{one.system} / {other.system}: {middle:.2f} x, of too few repeats for an interval"
    if low <= 1 <= high:
        return f"{one.system} and {other.system}: no difference shown ({middle:.2f} x, {low:.2f} to {high:.2f})"
    verb = "faster" if middle > 1 else "slower"
    return f"{one.system} is {max(middle, 1 / middle):.2f} times {verb} than {other.system} ({low:.2f} to {high:.2f} x)"
