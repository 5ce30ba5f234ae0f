"""What somebody else would write for a data set and a model of their own."""

import numpy


def rents(seed, rows):
    random = numpy.random.default_rng(seed)
    size = numpy.round(random.uniform(20, 160, rows), 1)
    rooms = numpy.clip(numpy.round(size / 28 + random.normal(0, 0.6, rows)), 1, None)
    rooms[random.random(rows) < 0.1] = numpy.nan
    extras = numpy.array([(None, "balcony", "garden")[i] for i in random.integers(0, 3, rows)], object)
    month = size * 12 + 60 * (extras == "balcony") + random.normal(0, 40, rows)
    return ["size", "rooms", "extras"], [size, rooms, extras], (month > 1000).astype(float)


def prepare(ctx, data):
    size, rooms, extras = (data[:, ctx["columns"].index(name)] for name in ("size", "rooms", "extras"))
    size, rooms = size.astype(float), rooms.astype(float)
    return numpy.column_stack([size, size / numpy.where(numpy.isnan(rooms), 1, rooms), (extras == "balcony").astype(float)])


def train(x, y, seed, trees):
    from sklearn.ensemble import GradientBoostingRegressor

    return GradientBoostingRegressor(n_estimators=trees, max_depth=3, random_state=seed).fit(x, x[:, 0] * 12 + 60 * x[:, 2] + 5 * y)


def finish(ctx, data):
    month = data[:, 0]
    return numpy.column_stack([month * 12, month > 1000]).astype(float)


def begin(ctx, data):
    assert data is None and ctx["manifest"]["name"] == "rent"


end = begin
