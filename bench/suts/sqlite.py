"""sqlite.py - systems inside SQLite: hbscore's functions, and the same statements without a model."""

import contextlib
import os
import sqlite3
import time

from hbsbench import native, profile
from hbsbench.data import put
from hbsbench.errors import BenchError
from hbsbench.manifest import sha256
from hbsbench.statements import after_loading, create_table, floor_expressions
from hbsbench.writer import Connection
from suts.databases import Database, Scoring


def extension():
    return os.path.abspath(os.environ.get("HBSCORE_SO", "build/hbscore.so"))


def fill(case, connection):
    connection.execute(create_table(case, "sqlite"))
    marks = ", ".join("?" * (len(case.data.names) + 1))
    rows = ((key, *(None if value != value else value for value in row)) for key, row in enumerate(case.raw_rows().tolist()))
    connection.executemany(f"INSERT INTO {case.dataset['table']} VALUES ({marks})", rows)
    connection.executescript(after_loading(case, "sqlite") or "")


class Sqlite(Database):
    dialect = "sqlite"

    def path(self):
        digest = sha256(self.case.sample_set() + self.case.manifest.digest + str(os.path.getmtime(extension())) + self.others())
        return self.case.folder / f"{type(self).__name__.lower()}-{digest[:12]}"

    def prepare(self):
        if not self.path().exists():
            put(self.path(), self.make)

    def make(self, folder):
        try:
            connection = sqlite3.connect(folder / "data.db")
            connection.execute("PRAGMA journal_mode = WAL")
            fill(self.case, connection)
            self.register(connection)
            connection.commit()
            self.hooks(lambda sql: connection.executescript(sql), "before_preprocess", "before_postprocess")
            connection.commit()
            connection.close()
        except sqlite3.Error as error:
            raise BenchError(f"{self.case.manifest.path}: SQLite: {error}") from None

    def register(self, connection):
        pass

    def connected(self):
        return native.Statements("sqlite", str(self.path() / "data.db"), self.loaded())

    def writer(self):
        return SqliteWriter(self.case, sqlite3.connect(self.path() / "data.db", isolation_level=None, timeout=60, check_same_thread=False))

    def loaded(self):
        return ""


class SqliteWriter(Connection):
    """By SQLite's defaults: a commit waits until it is on the disk."""

    def __init__(self, case, connection):
        self.connection = connection
        super().__init__(case, connection.execute, ("?", "?"))

    def close(self):
        super().close()
        self.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        self.connection.close()


class Floor(Sqlite):
    """The statement of hbscore with the sum of the features in the place of predict."""

    scores = False

    def expressions(self):
        return floor_expressions(self.case, self.dialect)


class Hbscore(Scoring, Sqlite):
    def loaded(self):
        return extension()

    def register(self, connection):
        import hbscore

        hbscore.load(connection, extension())
        for case in self.cases():
            connection.execute("SELECT hbscore_register(?, ?, ?)",
                               (case.registered, case.file("hbscore").read_bytes(), case.options() or "{}")).fetchone()

    @contextlib.contextmanager
    def with_extension(self):
        import hbscore

        connection = sqlite3.connect(self.path() / "data.db")
        try:
            hbscore.load(connection, extension())
            yield connection
        finally:
            connection.close()

    def statement_span(self):
        """Level 1, with what SQLite counts of the statement, and its plan."""
        sql = self.make_statements().aggregate(self.case.rows)
        with self.with_extension() as connection:
            connection.execute(sql).fetchall()
            begun = time.perf_counter_ns()
            connection.execute(sql).fetchall()
            ns = time.perf_counter_ns() - begun
            plan = "; ".join(row[-1] for row in connection.execute(f"EXPLAIN QUERY PLAN {sql}"))
        return profile.span("statement", ns, {**self.counts(sql), "plan": plan})

    def counts(self, sql):
        connection = self.connected()
        try:
            number = connection.add(sql)
            connection.received(number)
            return dict(zip(native.COUNTS, connection.counts(number)))
        finally:
            connection.close()

    def profiled(self):
        """The rows of hbscore_profile, of the statement of a scan."""
        query = self.make_statements().rows_for_profile(self.case.rows)
        with self.with_extension() as connection:
            return connection.execute("SELECT operator, source, kernel, calls, rows, ns, bytes FROM hbscore_profile('model', ?, ?)",
                                      (query, profile.scoring_function(self.case.manifest))).fetchall()
