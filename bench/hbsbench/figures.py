"""figures.py - what a database says of the statement of a query: the time of its planning and of its execution, the buffers that it
found in memory and read, and the bytes that it sends to the client. They are taken behind a run, whose clocks they do not touch, of a system that is warm.

PostgreSQL's are EXPLAIN's (ANALYZE, TIMING OFF), in which the rows are computed and not sent, and the messages of the protocol.
SQLite's are the times of sqlite3_prepare and of all its steps, and the sizes of the values. So what a query takes beyond both
times is the way to the client, and the client.

PostgreSQL also tells how many parallel workers it launched."""

import time

import numpy

NAMES = ("statements", "planning_ns", "execution_ns", "client_bytes")
# Only some connections tell these; older records have none.
BUFFERS, WORKERS = ("buffers_hit", "buffers_read"), ("workers_planned", "workers_launched")
MOST, SECONDS = 5, 0.2


def taken(connection, ready, parameters=(), values=None, statements=1):
    """`connection`: with times() and received() of native.Statements, and with buffers() and workers() where it has them. `ready`: makes what an execution needs, and gives the
    number of the statement. `statements`: as many a query has, of which one is taken."""
    times, ends = [], time.monotonic() + SECONDS
    while not times or (len(times) < MOST and time.monotonic() < ends):
        times.append(connection.times(ready(), parameters, values))
    planning, execution = numpy.median(times, axis=0).tolist()
    return {**(dict(zip(WORKERS, connection.workers(ready(), parameters, values))) if hasattr(connection, "workers") else {}),
            "statements": statements, "planning_ns": round(planning), "execution_ns": round(execution),
            "client_bytes": connection.received(ready(), parameters, values),
            **(dict(zip(BUFFERS, connection.buffers(ready(), parameters, values))) if hasattr(connection, "buffers") else {})}


def value_bytes(value):
    """As sqlite.c counts them."""
    return 0 if value is None else len(value.encode()) if isinstance(value, str) else len(value) if isinstance(value, bytes) else 8


def well_formed(figures):
    return isinstance(figures, dict) and all(type(figures.get(name)) is int and figures[name] >= 0
                                             for name in (*NAMES, *(name for name in BUFFERS + WORKERS if name in figures)))
