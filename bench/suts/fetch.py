"""fetch.py - what is done today: a client fetches the rows, predicts with the library, and writes the scores back."""

import itertools
import sqlite3

import numpy

from hbsbench import figures, parts
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
        """(keys, rows), in chunks."""
        cursor = self.execute(self.all)
        while True:
            with self.clock("transfer"):
                rows = cursor.fetchmany(CHUNK)
            if not rows:
                return
            with self.clock("featurise"):
                found = [row[0] for row in rows], self.matrix([row[1:] for row in rows])
            yield found

    def scan(self, sink, out):
        self.clock = parts.Clock()
        self.sums, count = numpy.zeros(self.width), 0
        for keys, rows in self.chunks():
            found = self.system.scored(rows, self.clock)
            count += len(keys)
            with self.clock("write" if sink == "table" else "post"):
                if sink == "aggregate":
                    self.sums += found.sum(axis=0)
                elif sink == "client":
                    out[keys] = found
                else:
                    self.write(keys, found)
        with self.clock("write" if sink == "table" else "post"):
            self.commit()
        return count

    def parts(self, sink):
        """The scan itself is within the transfer: the statement that fetches tells it (summary.py)."""
        return self.clock.told()

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

    def process(self):
        return self.connection.info.backend_pid

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


class CopySession(PostgresSession):
    """COPY in the binary format both ways, of numbers alone, without an object in Python for each of them: the bytes of a chunk become an
    array at once. COPY takes no parameters, so each query is a statement of its own. NULL has no width: the server sends NaN for it."""

    HEADER, TRAILER = 19, 2  # the signature, flags and the length of nothing; a count of -1

    def __init__(self, system, connection):
        super().__init__(system, connection)
        self.number = numpy.dtype(">f4" if system.case.dataset.get("float32") else ">f8")

    def copied(self, where, keyed=False):
        """Chunks of the rows: arrays of [rows][key and columns, or columns]."""
        case = self.system.case
        table, key = case.dataset["table"], case.dataset.get("key", "id")
        columns = [f"coalesce({name}, 'NaN') AS {name}" for name in case.data.names]
        order = "" if keyed else f" ORDER BY {key}"
        query = f"SELECT {', '.join([f'{key}::int8', *columns] if keyed else columns)} FROM {table} WHERE {key} {where}{order}"
        size = 2 + keyed * 12 + len(columns) * (4 + self.number.itemsize)
        with self.connection.cursor().copy(f"COPY ({query}) TO STDOUT (FORMAT binary)") as copy:
            left, begin = b"", self.HEADER
            while True:
                with self.clock("transfer"):
                    data = b"".join([left, *itertools.islice(copy, CHUNK)])
                rows = (len(data) - begin) // size
                if not rows:
                    break
                with self.clock("featurise"):
                    found = self.array(data, begin, rows, size, keyed)
                yield found
                left, begin = data[begin + rows * size:], 0
        if len(data) - begin != self.TRAILER:
            raise BenchError(f"COPY gave {len(data) - begin} bytes that are no row")

    def array(self, data, begin, rows, size, keyed):
        """(keys or None, rows) of rows that each have a count, and of each value a length before it."""
        whole = numpy.frombuffer(data, numpy.uint8, rows * size, begin).reshape(rows, size)
        keys = numpy.ascontiguousarray(whole[:, 6:14]).view(">i8")[:, 0].astype(numpy.int64) if keyed else None
        values = whole[:, 2 + keyed * 12:].reshape(rows, -1, 4 + self.number.itemsize)[:, :, 4:]
        return keys, numpy.ascontiguousarray(values).view(self.number)[:, :, 0].astype(float)

    def score(self, keys, out):
        self.clock = parts.NONE
        found = []
        for first, n in runs_of(keys):
            key = int(keys[first])
            found += [rows for _, rows in self.copied(f"= {key}" if n == 1 else f"BETWEEN {key} AND {key + n - 1}")]
        if sum(map(len, found)) != len(keys):
            raise BenchError(f"{sum(map(len, found))} rows were fetched for {len(keys)} keys")
        out[:len(keys)] = self.system.scored(found[0] if len(found) == 1 else numpy.concatenate(found))

    def chunks(self):
        return self.copied(f"< {self.rows}", keyed=True)

    def commit(self):
        if getattr(self, "written", None):
            with self.connection.cursor().copy("COPY scored FROM STDIN (FORMAT binary)") as copy:
                copy.write(b"PGCOPY\n\xff\r\n\0" + bytes(8))
                for keys, found in self.written:
                    copy.write(self.packed(keys, found))
                copy.write(b"\xff\xff")
            self.written = []
        self.connection.commit()

    def packed(self, keys, found):
        """Rows of float8 in the format of COPY: the key, and the outputs."""
        rows = numpy.empty(len(keys), [("count", ">i2"), ("values", [("length", ">i4"), ("value", ">f8")], (self.width + 1,))])
        rows["count"], rows["values"]["length"] = self.width + 1, 8
        rows["values"]["value"][:, 0], rows["values"]["value"][:, 1:] = keys, found
        return rows.tobytes()


class FetchPostgresCopy(FetchPostgres):
    def check(self):
        super().check()
        if any(self.case.data.texts):
            raise Refused("texts among the columns: an array of numbers is copied")

    def session(self):
        connection = postgres.connect(self.table().database(), prepares=True)
        connection.autocommit = False
        return CopySession(self, connection)
