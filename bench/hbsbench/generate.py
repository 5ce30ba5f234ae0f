"""generate.py - made data of the shapes that the papers use. Each row comes from a seeded generator; nothing is downloaded.

Numbers are rounded to four decimals: products of matrices and exponentials differ between CPUs in their last bits, and the lock
of a model holds the digest of the rows."""

import numpy

DECIMALS = 4


def classification(seed, rows, features, informative, classes=2, weights=None, noise=0.01):
    from sklearn.datasets import make_classification

    x, y = make_classification(rows, features, n_informative=informative, n_redundant=features // 5, n_classes=classes,
                               weights=weights, flip_y=noise, random_state=seed)
    return [f"f{i}" for i in range(features)], numpy.round(x.T, DECIMALS), y


def fraud(seed, rows=284_807, features=28):
    """The shape of the card-fraud data: one row of 500 is a fraud; the last column is an amount of money, skewed, and
    sometimes missing."""
    names, columns, target = classification(seed, rows, features - 1, informative=12, weights=[0.998, 0.002], noise=0.0005)
    random = numpy.random.default_rng([seed, 1])
    amount = numpy.round(numpy.exp(random.normal(3.1, 1.6, rows)) * (1 + target), 2)
    amount[random.random(rows) < 0.01] = numpy.nan
    return names + ["amount"], [*columns, amount], target


def regression(seed, rows, features):
    random = numpy.random.default_rng(seed)
    x = random.normal(size=(rows, features))
    y = x @ random.normal(size=features) + 2 * x[:, 0] * x[:, 1] + numpy.sin(3 * x[:, 2]) + random.normal(size=rows)
    return [f"f{i}" for i in range(features)], numpy.round(x.T, DECIMALS), numpy.round(y, DECIMALS)
