"""steps.py - Python forms of pre- and post-processing that manifests use: (ctx, data) -> data. `data` is an array of rows;
ctx is a dictionary with the manifest, and with the names of the columns."""

import numpy


def threshold(ctx, data):
    """A probability, as the label that one half separates, and the probability."""
    return numpy.column_stack([(data[:, 0] >= 0.5).astype(float), data])


def log_amount(ctx, data):
    """ln(1 + amount), with 0 for a missing amount, in the place of the column "amount"."""
    place = ctx["columns"].index("amount")
    data = numpy.array(data, float)
    data[:, place] = numpy.log(1 + numpy.nan_to_num(data[:, place], nan=0.0))
    return data
