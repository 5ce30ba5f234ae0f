"""walked.py - how many rows a run of multi-stream walked: a small batch again and again flatters caches and branch predictors. At least
16,000 different rows are wanted; a data set that has not as many is exempt, and its records say how many it has."""

import math

import numpy

WANTED = 16_000
FIELD = "rows_walked"


def distinct(firsts, n, rows):
    """The number of different rows of queries that begin at these rows, `n` rows each; at the end they go on at the first row."""
    begins = numpy.bincount(numpy.asarray(firsts, numpy.int64) % rows, minlength=rows) if len(firsts) else numpy.zeros(rows, numpy.int64)
    n = min(n, rows)
    around = numpy.concatenate([begins[rows - n + 1:], begins]) if n > 1 else begins
    sums = numpy.concatenate([[0], numpy.cumsum(around)])
    return int((sums[n:] > sums[:-n]).sum())


def least_queries(rows, n):
    """So many that they are almost sure to walk the rows that are wanted: LoadGen draws where each query begins. With q queries a row is
    left out with the chance exp(-q n / rows). Half of the rows that may be left out are a margin for how uneven draws are."""
    if rows < WANTED:
        return 1
    allowed = max((rows - WANTED) / 2, 0.02)
    return math.ceil(rows / n * math.log(rows / allowed))


def breaches(where, record, queries):
    rows = record["rows"]
    if rows < WANTED:
        return []
    found, n = record.get(FIELD), record["samples_per_query"]
    if not isinstance(found, int):
        return [f"{where}: it does not say how many rows it walked"]
    if found < WANTED:
        return [f"{where}: it walked {found:,} of {rows:,} rows, and a batch needs {WANTED:,}"]
    return [] if found <= min(rows, queries * n) else [f"{where}: it walked {found:,} rows, and its {queries:,} queries have fewer"]
