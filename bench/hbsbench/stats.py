"""stats.py - LoadGen's percentiles and its rule of early stopping, and the statistics of the report."""

import functools

import numpy

CONFIDENCE = 0.99
PERCENTILES = (50.0, 90.0, 95.0, 97.0, 99.0, 99.9)


def percentile(ordered, p):
    """As LoadGen takes it: the element floor(n * p) of the sorted list. `p` is between 0 and 1."""
    return ordered[min(int(len(ordered) * p), len(ordered) - 1)]


def percentiles(values):
    ordered = numpy.sort(numpy.asarray(values))
    return {f"p{p:g}": int(percentile(ordered, p / 100)) for p in PERCENTILES} if len(ordered) else {}


@functools.lru_cache(maxsize=None)
def least_queries(p, t):
    """The smallest n for which at most `t` of n queries over the latency show, with 99 % confidence, that the share `p` is
    under it: P(Binomial(n, 1 - p) <= t) <= 0.01."""
    low, high = t + 1, t + 1
    while _at_most(high, 1 - p, t) > 1 - CONFIDENCE:
        high *= 2
    while low < high:
        middle = (low + high) // 2
        if _at_most(middle, 1 - p, t) <= 1 - CONFIDENCE:
            high = middle
        else:
            low = middle + 1
    return low


def _at_most(n, q, t):
    """P(Binomial(n, q) <= t), the terms by their logarithms: n may be large."""
    k = numpy.arange(min(t, n) + 1)
    logs = numpy.concatenate([[0.0], numpy.cumsum(numpy.log(n - k[:-1]) - numpy.log(k[1:]))])
    return float(numpy.exp(logs + k * numpy.log(q) + (n - k) * numpy.log1p(-q)).sum())


def early_stopping_estimate(latencies, p):
    """The latency that LoadGen reports for single-stream and multi-stream; None with too few queries."""
    queries = len(latencies)
    if queries < least_queries(p, 1):
        return None
    t = 1
    while least_queries(p, t + 1) <= queries:
        t += 1
    return int(numpy.sort(numpy.asarray(latencies))[queries - t])


def server_valid(queries, late, p):
    return queries >= least_queries(p, late)


def truncated_mean(values):
    """Without the smallest and the largest, as Hummingbird's paper has it."""
    ordered = sorted(values)
    kept = ordered[1:-1] if len(ordered) > 2 else ordered
    return sum(kept) / len(kept)


def ratio_interval(ours, theirs, rounds=2000, seed=0):
    """The median ratio of repeats that were taken in turn, and its bootstrap interval of 95 %."""
    ratios = numpy.asarray(theirs, float) / numpy.asarray(ours, float)
    picks = numpy.random.default_rng(seed).integers(0, len(ratios), (rounds, len(ratios)))
    medians = numpy.median(ratios[picks], axis=1)
    low, high = numpy.percentile(medians, [2.5, 97.5])
    return float(numpy.median(ratios)), float(low), float(high)


def outliers(values, limit=14.8):
    """Places whose modified Z-score is over the limit."""
    values = numpy.asarray(values, float)
    deviation = numpy.median(numpy.abs(values - numpy.median(values)))
    if deviation == 0:
        return []
    return numpy.flatnonzero(0.6745 * numpy.abs(values - numpy.median(values)) / deviation > limit).tolist()
