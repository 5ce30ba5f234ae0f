"""schedule.py - the issue delay of `server`: how much later than LoadGen scheduled it a query reached the harness. It is the
generator's own, and no system's; LoadGen's latencies, which count from the schedule, contain it.

LoadGen logs no such times. Its schedule follows from the seed and the rate, by std::mt19937 and std::exponential_distribution as
GCC's library has them, and the log says when it ends: a schedule that ends elsewhere is not LoadGen's, and then no delay is known. The
harness's clock begins elsewhere than LoadGen's. LoadGen's mean latency less that from arrival to answer is the mean delay, which
tells the difference of the clocks."""

import pathlib

import numpy

from . import stats
from .errors import BenchError

FILE = "issue.bin"  # beside lat.bin: nanoseconds, a number for each query
MEAN, COUNT, END = "result_mean_latency_ns", "generated_query_count", "generated_query_duration"
P99 = "result_99.00_percentile_latency_ns"


def scheduled(qps, seed, queries):
    """Nanoseconds from the first query on."""
    generator = numpy.random.MT19937()
    generator._legacy_seeding(seed & 0xFFFFFFFF)  # as std::mt19937 is seeded
    low, high = generator.random_raw(2 * (queries - 1)).astype(float).reshape(-1, 2).T
    gaps = -numpy.log(1 - (low + high * 2.0**32) / 2.0**64) / qps
    return numpy.concatenate([[0], numpy.cumsum((gaps * 1e9).astype(numpy.int64))])


def delays(arrivals, answers, values, qps, seed):
    """`arrivals`, `answers`: the harness's clock, of all queries; `values`: LoadGen's log. None: they are not known."""
    count, end, mean = (values.get(name) for name in (COUNT, END, MEAN))
    if not all(isinstance(value, (int, float)) for value in (count, end, mean)) or not 0 < len(arrivals) <= count:
        return None
    times = scheduled(qps, seed, int(count) + 1)
    if abs(int(times[-1]) - end) > count:  # a nanosecond a query, for logarithms that differ in their last bit
        return None
    arrivals = numpy.asarray(arrivals, numpy.int64)
    late = (arrivals - arrivals[0] - times[:len(arrivals)]).astype(float)
    mean -= float((numpy.asarray(answers, numpy.int64) - arrivals[0]).mean() - (arrivals - arrivals[0]).mean())
    return numpy.round(late - late.mean() + mean).astype("<i8")


def read(record, queries):
    """The delays beside a record; None: it has none, as older ones have."""
    if not record.get("issue_delay"):
        return None
    path = pathlib.Path(record["path"]) / FILE
    try:
        found = numpy.fromfile(path, "<i8")
    except OSError as error:
        raise BenchError(f"{path}: {error.strerror}") from None
    if len(found) != queries:
        raise BenchError(f"{path}: it has {len(found)} queries, and lat.bin {queries}")
    return found


def breaches(where, record, queries):
    try:
        found = read(record, queries)
    except BenchError as error:
        return [f"{where}: {error}"]
    return [] if found is None or stats.percentiles(found) == record["issue_delay"] else [f"{where}: the issue delays are not those of {FILE}"]
