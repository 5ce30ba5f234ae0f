"""by_sql.py - what the steps of a manifest give that it has in SQL alone, by SQLite: the model is trained on the rows of such a
preprocess, and the answers of systems are compared with those of such a postprocess."""

import contextlib
import sqlite3
import time
import types

import numpy

from . import models
from .errors import BenchError
from .manifest import sql_of
from .statements import create_table, features

SECONDS = 600  # of all statements of a step: one without an end has one


def preprocessed(manifest, data):
    """[rows][inputs]"""
    dataset, text = models.dataset_of(manifest), form(manifest, "preprocess")
    key, names = dataset.get("key", "id"), models.inputs(manifest, data.names)
    with database(manifest, "preprocess") as connection:
        connection.execute(create_table(types.SimpleNamespace(dataset=dataset, data=data), "sqlite"))
        insert(connection, dataset["table"], data.matrix())
        connection.executescript(sql_of(manifest, "before_preprocess", "sqlite") or "")
        query = features(text, dataset["table"], key, data.names)
        found = connection.execute(f"SELECT {key}, {', '.join(names)} FROM ({query}) AS features ORDER BY {key}").fetchall()
    if [row[0] for row in found] != list(range(data.rows)):
        raise BenchError(f"{manifest.path}: preprocess gives {len(found)} rows, or other keys, for {data.rows} rows")
    return matrix([row[1:] for row in found])


def postprocessed(manifest, predicted):
    """[rows][outputs]"""
    text, names = form(manifest, "postprocess"), [item["name"] for item in manifest["predict"]]
    outputs = ", ".join(output["name"] for output in manifest["outputs"])
    with database(manifest, "postprocess") as connection:
        connection.execute(f"CREATE TABLE predicted (hbsbench_row INTEGER PRIMARY KEY, {', '.join(f'{name} REAL' for name in names)})")
        insert(connection, "predicted", predicted)
        return matrix(connection.execute(f"SELECT {outputs} FROM (SELECT hbsbench_row, {text} FROM predicted) AS outputs ORDER BY hbsbench_row").fetchall())


def form(manifest, step):
    text = sql_of(manifest, step, "sqlite")
    if text is None:
        raise BenchError(f"{manifest.path}: {step}: it needs a Python form or one for SQLite, which the library's own answers follow from")
    return text


@contextlib.contextmanager
def database(manifest, step):
    connection, ends = sqlite3.connect(":memory:"), time.monotonic() + SECONDS
    connection.set_progress_handler(lambda: time.monotonic() > ends, 100_000)
    try:
        yield connection
    except (sqlite3.Error, sqlite3.Warning, OverflowError) as error:
        slow = f"; its statements have {SECONDS} seconds" if "interrupted" in str(error) else ""
        raise BenchError(f"{manifest.path}: {step}: SQLite: {error}{slow}") from None
    finally:
        connection.close()


def insert(connection, table, rows):
    """Rows with the keys 0, 1, 2, ...; NaN is NULL."""
    marks = ", ".join("?" * (rows.shape[1] + 1))
    connection.executemany(f"INSERT INTO {table} VALUES ({marks})",
                           ((key, *(None if value != value else value for value in row)) for key, row in enumerate(rows.tolist())))


def matrix(rows):
    texts = any(isinstance(value, str) for row in rows for value in row)
    return numpy.array(rows, object if texts else float)
