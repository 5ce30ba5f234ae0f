"""generate_ranking.py - made data of a search: queries, each with some documents that are graded 0 to 4."""

import numpy

from .generate import DECIMALS


def search(seed, queries, features, documents=(8, 24)):
    """(names, columns, grades, the query of each row)"""
    random = numpy.random.default_rng(seed)
    counts = random.integers(documents[0], documents[1] + 1, queries)
    query = numpy.repeat(numpy.arange(queries), counts)
    x = numpy.round(random.normal(size=(len(query), features)) + 0.5 * random.normal(size=(queries, features))[query], DECIMALS)
    worth = x[:, 0] + 0.7 * numpy.maximum(x[:, 1], x[:, 2]) - 0.5 * numpy.abs(x[:, 3]) + 0.4 * random.normal(size=len(query))
    grades = numpy.digitize(worth, [0.0, 0.8, 1.6, 2.4]).astype(float)
    return [f"f{i}" for i in range(features)], x.T, grades, query
