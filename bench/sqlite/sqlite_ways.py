"""sqlite_ways.py - the ways to score a table that are compared: statements in the database, or Python with the
model's own library. Each is a function of a Bench and a Model that scores the whole table, or for the slow one
a slice, and gives the number of rows and the sum of the predictions, or None where it has written them to the
table `scored`.
"""

import itertools
import json
import sqlite3

import numpy

from scan_models import COLUMNS, FEATURES

CHECKED_ROWS, SLICE, CHUNK = 10_000, 2_000, 10_000
FEATURE_LIST = ", ".join(COLUMNS)
SCAN_QUERY = f"SELECT id, {FEATURE_LIST} FROM t"


class Bench:
    """The database file with the table t, the models registered in it, and the extension."""

    def __init__(self, path, extension, models, rows):
        self.rows = rows
        self.connection = sqlite3.connect(path, isolation_level=None)
        # The models of the last run: the file would grow by them with each run.
        for table in ("hbscore_aliases", "hbscore_models", "scored"):
            self.connection.execute(f"DROP TABLE IF EXISTS {table}")
        self.connection.enable_load_extension(True)
        self.connection.load_extension(extension)
        self.connection.enable_load_extension(False)
        # By name, so that the virtual table can pass over the key.
        options = json.dumps({"features": COLUMNS})
        for model in models:
            self.ask("SELECT hbscore_register(?, ?, ?)", model.name, model.path.read_bytes(), options)
            self.connection.create_function(f"library_{model.name}", FEATURES, model.predict_row)

    def ask(self, sql, *values):
        return self.connection.execute(sql, values).fetchone()[0]

    def create_virtual_table(self, model):
        self.connection.execute(f"CREATE VIRTUAL TABLE temp.{model.name}_t "
                                f"USING hbscore(model='{model.name}', source='t')")

    def scored(self):
        """The sum of what a way has written, which is taken away again. Not timed."""
        rows, total = self.connection.execute("SELECT count(*), sum(prediction) FROM scored").fetchone()
        self.connection.execute("DROP TABLE scored")
        return rows, total


def bare(bench, model):
    return bench.rows, bench.ask(f"SELECT sum({' + '.join(COLUMNS)}) FROM t")


def scalar(bench, model):
    return bench.rows, bench.ask(f"SELECT sum(predict('{model.name}', {FEATURE_LIST})) FROM t")


def scan(bench, model):
    return bench.rows, bench.ask(f"SELECT sum(prediction) FROM hbscore_scan('{model.name}', '{SCAN_QUERY}')")


def table(bench, model):
    return bench.rows, bench.ask(f"SELECT sum(prediction) FROM {model.name}_t")


def udf(bench, model):
    return SLICE, bench.ask(f"SELECT sum(library_{model.name}({FEATURE_LIST})) FROM t WHERE id <= {SLICE}")


def write(bench, model):
    bench.connection.execute(f"CREATE TABLE scored AS SELECT id, predict('{model.name}', {FEATURE_LIST}) "
                             "AS prediction FROM t")
    return None


def write_scan(bench, model):
    bench.connection.execute(f"CREATE TABLE scored AS SELECT key AS id, prediction "
                             f"FROM hbscore_scan('{model.name}', '{SCAN_QUERY}')")
    return None


def fetch(bench, model):
    """As it is done by hand, and as fast as we know to: chunks that stay in the CPU's cache, the quickest way
    from tuples to an array, one transaction."""
    execute = bench.connection.execute
    execute("BEGIN")
    execute("CREATE TABLE scored (id INTEGER, prediction REAL)")
    cursor = execute(SCAN_QUERY)
    while rows := cursor.fetchmany(CHUNK):
        cells = itertools.chain.from_iterable(rows)
        x = numpy.fromiter(cells, float, len(rows) * (1 + FEATURES)).reshape(-1, 1 + FEATURES)
        predictions = model.predict(x[:, 1:]).tolist()
        bench.connection.executemany("INSERT INTO scored VALUES (?, ?)", zip((row[0] for row in rows), predictions))
    execute("COMMIT")
    return None


# In the order of a round. Name: function, title, whose it is.
WAYS = {
    "bare": (bare, "bare scan, sum(f0 + .. + f27)", "bare"),
    "scalar": (scalar, "scalar, sum(predict(..))", "hbscore"),
    "scan": (scan, "hbscore_scan, sum(prediction)", "hbscore"),
    "table": (table, "virtual table, sum(prediction)", "hbscore"),
    "write": (write, "scalar, written to a table", "hbscore"),
    "write_scan": (write_scan, "hbscore_scan, written to a table", "hbscore"),
    "udf": (udf, f"Python function per row ({SLICE:,} rows)", "library"),
    "fetch": (fetch, "fetch, library in Python, written back", "library"),
}


def checked_predictions(bench, model, way):
    """What one of hbscore's ways gives for the first rows, in their order."""
    where = f"WHERE id <= {CHECKED_ROWS} ORDER BY id"
    sql = {
        "scalar": f"SELECT predict('{model.name}', {FEATURE_LIST}) FROM t {where}",
        "scan": f"SELECT prediction FROM hbscore_scan('{model.name}', '{SCAN_QUERY} {where}')",
        "table": f"SELECT prediction FROM {model.name}_t {where}",
    }[way]
    return numpy.array([row[0] for row in bench.connection.execute(sql)], dtype=float)


def library_predictions(bench, model):
    rows = bench.connection.execute(f"SELECT {FEATURE_LIST} FROM t WHERE id <= {CHECKED_ROWS} ORDER BY id").fetchall()
    return model.predict(numpy.array(rows))
