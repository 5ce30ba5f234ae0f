"""fetch.py - what is done today: a client fetches the rows, predicts with the library, and writes the scores back."""

import sqlite3

import numpy

from hbsbench import figures
from hbsbench.errors import BenchError, Refused
from hbsbench.statements import make_scored
from hbsbench.systems import Session, runs_of
from suts import postgres, sqlite
from suts.library import Sklearn

CHUNK = 4096


class Fetch(Sklearn):
    """`tables`: the system whose table it reads."""

    sinks = ("aggregate", "table", "client")
    tables = None

    def table(self):
        return self.tables(self.case, {})

    def check(self):
        super().check()
        self.table().check()

    def prepare(self):
        self.table().prepare()

    def beside(self, case, session):
        other = type(self)(case, self.options)
        other.open()
        return type(session)(other, session.connection)

    def writer(self):
        return self.table().writer()


class FetchSession(Session):
    marks = numbered = ("?", "?")

    def __init__(self, system, connection):
        case = system.case
        self.system, self.connection, self.rows, self.width = system, connection, case.rows, case.width
        self.dtype = object if any(case.data.texts) else float
        self.one, self.some, self.all = self.statements(self.marks)
        self.make = make_scored(system.tables.dialect, self.width)

    def statements(self, marks):
        case = self.system.case
        table, key, columns = case.dataset["table"], case.dataset.get("key", "id"), ", ".join(case.data.names)
        return (f"SELECT {columns} FROM {table} WHERE {key} = {marks[0]}",
                f"SELECT {columns} FROM {table} WHERE {key} BETWEEN {marks[0]} AND {marks[1]} ORDER BY {key}",
                f"SELECT {key}, {columns} FROM {table} WHERE {key} < {case.rows}")

    def execute(self, sql, parameters=()):
        raise NotImplementedError

    def matrix(self, rows):
        """NULL is NaN, as libraries want it; among texts it stays None."""
        return numpy.array(rows, self.dtype)

    def score(self, keys, out):
        rows = []
        for first, n in runs_of(keys):
            key = int(keys[first])  # SQLite takes NumPy's integers for blobs
            rows += (self.execute(self.some, (key, key + n - 1)) if n > 1 else self.execute(self.one, (key,))).fetchall()
        if len(rows) != len(keys):
            raise BenchError(f"{len(rows)} rows were fetched for {len(keys)} keys")
        out[:len(keys)] = self.system.scored(self.matrix(rows))

    def before_scan(self, sink):
        if sink == "table":
            self.execute("DROP TABLE IF EXISTS scored")
            self.execute(self.make)
            self.commit()

    def chunks(self):
        cursor = self.execute(self.all)
        while rows := cursor.fetchmany(CHUNK):
            yield [row[0] for row in rows], self.system.scored(self.matrix([row[1:] for row in rows]))

    def scan(self, sink, out):
        self.sums, count = numpy.zeros(self.width), 0
        for keys, found in self.chunks():
            count += len(keys)
            if sink == "aggregate":
                self.sums += found.sum(axis=0)
            elif sink == "client":
                out[keys] = found
            else:
                self.write(keys, found)
        self.commit()
        return count

    def read_back(self, sink, out):
        if sink == "aggregate":
            out[0] = self.sums
            return
        rows = numpy.array(self.execute("SELECT * FROM scored").fetchall(), float)
        if len(rows) != self.rows or len(numpy.unique(rows[:, 0])) != self.rows:
            raise BenchError(f"the table has {len(rows)} rows of {self.rows}, or rows with one key")
        out[rows[:, 0].astype(numpy.int64)] = rows[:, 1:]

    def figures(self, sink, keys):
        """Figures of the statement that fetches, executed by C code: Python's part of it belongs to the client. None: the shim has no libpq."""
        one, some, everything = self.statements(self.numbered)
        sql, parameters = (everything, ()) if keys is None else (some, (keys[0], keys[-1])) if len(keys) > 1 else (one, (keys[0],))
        try:
            connection = self.system.table().connected()
        except Refused:
            return None
        try:
            number = connection.add(sql, len(parameters))
            return figures.taken(connection, lambda: number, parameters)
        finally:
            connection.close()

    def close(self):
        self.connection.close()


class SqliteSession(FetchSession):
    def execute(self, sql, parameters=()):
        return self.connection.execute(sql, parameters)

    def write(self, keys, found):
        marks = ", ".join("?" * (self.width + 1))
        self.connection.executemany(f"INSERT INTO scored VALUES ({marks})", ((key, *row) for key, row in zip(keys, found.tolist())))

    def commit(self):
        self.connection.commit()


class FetchSqlite(Fetch):
    tables = sqlite.Floor

    def session(self):
        path = self.table().path() / "data.db"
        return SqliteSession(self, sqlite3.connect(path, check_same_thread=False, timeout=60))


class PostgresSession(FetchSession):
    """Binary results; statements are prepared; scores go back by binary COPY."""

    marks, numbered = ("%s", "%s"), ("$1", "$2")

    def execute(self, sql, parameters=()):
        cursor = self.connection.cursor(binary=True)
        return cursor.execute(sql, parameters or None, prepare=sql.startswith("SELECT"))

    def write(self, keys, found):
        self.written.append((keys, found))

    def before_scan(self, sink):
        super().before_scan(sink)
        self.written = []

    def commit(self):
        """The scores are copied when all rows have been read: one connection does one of the two at a time."""
        if getattr(self, "written", None):
            with self.connection.cursor().copy("COPY scored FROM STDIN (FORMAT binary)") as copy:
                copy.set_types(["float8"] * (self.width + 1))
                for keys, found in self.written:
                    for key, row in zip(keys, found.tolist()):
                        copy.write_row((float(key), *row))
            self.written = []
        self.connection.commit()


class FetchPostgres(Fetch):
    tables = postgres.Floor

    def session(self):
        connection = postgres.connect(self.table().database(), prepares=True)
        connection.autocommit = False
        return PostgresSession(self, connection)
