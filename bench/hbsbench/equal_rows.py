"""equal_rows.py - the SQL and the Python form of a step must give the same rows: shown over the evaluation rows when a model is
locked, in SQLite, and once more in each PostgreSQL server."""

import sqlite3
import time

import numpy

from . import models
from .errors import BenchError
from .manifest import python_of, sql_of
from .statements import Statements, create_table

MOST_ROWS, TOLERANCE = 2000, 1e-12
SECONDS = 20  # of all statements in SQLite: one without an end has one


def check(case, dialect, run, fill):
    """`run`: SQL to rows. `fill`: makes a table of these columns and rows."""
    m = case.manifest
    statements = Statements(case, dialect, [], postprocess=False)
    rows = min(case.rows, MOST_ROWS)
    if sql_of(m, "preprocess", dialect) or not m.get("preprocess"):
        run(statements.rows_for_profile(1))  # the inputs by their names
    if two_forms(m, "preprocess", dialect):
        got = run(f"SELECT * FROM ({statements.features()}) AS features WHERE {statements.key} < {rows} ORDER BY {statements.key}")
        wanted = models.preprocessed(m, case.data)[:rows]
        compare(m, "preprocess", dialect, [row[1:] for row in got], wanted.tolist(), case.inputs)
    post = sql_of(m, "postprocess", dialect)
    if two_forms(m, "postprocess", dialect):
        names = [item["name"] for item in m["predict"]]
        predicted = numpy.asarray(case.array("predicted"))[:rows]
        fill("hbsbench_predicted", names, predicted.tolist())
        outputs = ", ".join(output["name"] for output in m["outputs"])
        got = run(f"SELECT {outputs} FROM (SELECT hbsbench_row, {post} FROM hbsbench_predicted) AS outputs ORDER BY hbsbench_row")
        compare(m, "postprocess", dialect, got, models.postprocessed(m, predicted).tolist(), [o["name"] for o in m["outputs"]])


def two_forms(manifest, step, dialect):
    """True where there is another form than this one: that of Python, else that of SQLite."""
    return bool(sql_of(manifest, step, dialect) and (python_of(manifest, step) or dialect != "sqlite"))


def compare(manifest, step, dialect, got, wanted, names):
    where = f"{manifest.path}: {step}: SQL for {dialect} and {'Python' if python_of(manifest, step) else 'SQLite'} differ"
    if len(got) != len(wanted):
        raise BenchError(f"{where}: {len(got)} rows and {len(wanted)}")
    for number, (one, other) in enumerate(zip(got, wanted)):
        if len(one) != len(other):
            raise BenchError(f"{where}: {len(one)} columns and {len(other)}")
        for name, a, b in zip(names, one, other):
            if not same(a, b):
                raise BenchError(f'{where}: row {number}, "{name}": {a!r} and {b!r}')


def same(a, b):
    missing_a, missing_b = a is None or a != a, b is None or b != b
    if missing_a or missing_b or isinstance(a, (str, bytes)) or isinstance(b, (str, bytes)):
        return missing_a == missing_b and (missing_a or a == b)
    return a == b or abs(float(a) - float(b)) <= TOLERANCE * abs(float(b))


def in_sqlite(case):
    connection = sqlite3.connect(":memory:")

    def fill(table, columns, rows):
        connection.execute(f"CREATE TABLE {table} (hbsbench_row INTEGER PRIMARY KEY, {', '.join(f'{c} REAL' for c in columns)})")
        connection.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * (len(columns) + 1))})",
                               ((number, *_nulls(row)) for number, row in enumerate(rows)))

    try:
        ends = time.monotonic() + SECONDS
        connection.set_progress_handler(lambda: time.monotonic() > ends, 100_000)
        connection.execute(create_table(case, "sqlite"))
        marks = ", ".join("?" * (len(case.data.names) + 1))
        connection.executemany(f"INSERT INTO {case.dataset['table']} VALUES ({marks})",
                               ((key, *_nulls(row)) for key, row in enumerate(case.raw_rows()[:MOST_ROWS].tolist())))
        check(case, "sqlite", lambda sql: connection.execute(sql).fetchall(), fill)
    except (sqlite3.Error, sqlite3.Warning, OverflowError) as error:
        slow = f"; a statement has {SECONDS} seconds" if "interrupted" in str(error) else ""
        raise BenchError(f"{case.manifest.path}: SQLite: {error}{slow}") from None
    finally:
        connection.close()


def in_postgres(case, connection):
    """The table of the data is there already."""

    def fill(table, columns, rows):
        connection.execute(f"CREATE TEMP TABLE {table} (hbsbench_row int8, {', '.join(f'{c} float8' for c in columns)})")
        with connection.cursor().copy(f"COPY {table} FROM STDIN") as copy:
            for number, row in enumerate(rows):
                copy.write_row((number, *_nulls(row)))

    # In binary: as a text, a float4 has the digits that tell it from other float4s, which are another float64.
    check(case, "postgres", lambda sql: connection.cursor(binary=True).execute(sql).fetchall(), fill)


def _nulls(row):
    return (None if value != value else value for value in row)
