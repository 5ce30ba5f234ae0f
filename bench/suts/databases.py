"""databases.py - what the systems inside SQLite and PostgreSQL share: prepared statements through the shim."""

import numpy

from hbsbench import figures, profile
from hbsbench.errors import BenchError
from hbsbench.manifest import sha256
from hbsbench.statements import Statements, predict_expressions
from hbsbench.systems import Session, System, runs_of


class DatabaseSession(Session):
    """`connection`: native.Statements."""

    def __init__(self, system, connection):
        self.system, self.connection, self.statements = system, connection, system.make_statements()
        self.rows, self.width, statements = system.case.rows, len(self.statements.outputs), self.statements
        self.one = connection.add(statements.one(), 1)
        self.some = connection.add(statements.some(), 2)
        self.pair = numpy.empty((4096, self.width + 1))
        self.scans = {}

    def score(self, keys, out):
        inner = 0
        for first, n in runs_of(keys):
            if n > 1:
                self.score_range(keys[first], n, out[first:first + n])
            elif self.connection.run(self.one, (keys[first],), out[first:first + 1], self.width) != 1:
                raise BenchError(f"there is no row with the key {keys[first]}")
            inner += self.connection.inner
        self.inner = inner

    def score_range(self, key, n, out):
        if self.connection.run(self.some, (key, key + n - 1), self.pair, self.width + 1) != n:
            raise BenchError(f"a statement gave other than {n} rows")
        out[:] = self.pair[:n, 1:]

    def scan_of(self, sink):
        """The statement, the room for its rows, and their width."""
        if sink not in self.scans:
            s = self.statements
            sql, rows, width = {"client": (s.all(self.rows), self.rows, self.width + 1),
                                "aggregate": (s.aggregate(self.rows), 1, self.width + 1),
                                "table": (s.write(self.rows), 0, 0)}[sink]
            self.scans[sink] = self.connection.add(sql), numpy.empty((rows, width)) if rows else None, width
        return self.scans[sink]

    def before_scan(self, sink):
        if sink == "table":
            self.connection.do("DROP TABLE IF EXISTS scored")
            self.connection.do(self.statements.make_scored())
            if sink in self.scans:
                self.connection.drop(self.scans.pop(sink)[0])
        self.scan_of(sink)

    def scan(self, sink, out):
        statement, room, width = self.scan_of(sink)
        rows = self.connection.run(statement, (), room, width)
        self.inner = self.connection.inner
        if sink == "client":
            if rows != self.rows:
                raise BenchError(f"the statement gave {rows} rows of {self.rows}")
            out[room[:, 0].astype(numpy.int64)] = room[:, 1:]
        elif sink == "aggregate":
            rows = int(room[0, 0])
        return self.rows if sink == "table" else rows

    def figures(self, sink, keys):
        if sink is None:
            statement, parameters = (self.some, (keys[0], keys[-1])) if len(keys) > 1 else (self.one, (keys[0],))
            return figures.taken(self.connection, lambda: statement, parameters)

        def ready():
            self.before_scan(sink)
            return self.scans[sink][0]

        return figures.taken(self.connection, ready)

    def read_back(self, sink, out):
        if sink == "aggregate":
            out[0] = self.scans[sink][1][0, 1:]
            return
        room = numpy.empty((self.rows, self.width + 1))
        number = self.connection.add(self.statements.read_back())
        rows = self.connection.run(number, (), room, self.width + 1)
        self.connection.drop(number)
        if rows != self.rows or len(numpy.unique(room[:, 0])) != rows:
            raise BenchError(f"the table has {rows} rows of {self.rows}, or rows with one key")
        out[room[:, 0].astype(numpy.int64)] = room[:, 1:]

    def parts(self, sink):
        return self.system.parts()

    def close(self):
        self.connection.close()


class Database(System):
    sinks = ("aggregate", "table", "client")
    dialect, session_type = None, DatabaseSession

    def expressions(self):
        raise NotImplementedError

    def connected(self):
        raise NotImplementedError

    def make_statements(self):
        return Statements(self.case, self.dialect, self.expressions())

    def check(self):
        self.make_statements()

    def session(self):
        return self.on(self.connected())

    def on(self, connection):
        return self.session_type(self, connection)

    def parts(self):
        """Those of a scan, as session.parts gives them."""
        return None

    def beside(self, case, session):
        other = type(self)(case, self.options)
        other.open()
        return other.on(session.connection)

    def cases(self):
        """Those whose models are in the database."""
        return (self.case, *self.case.others)

    def others(self):
        """A part of the database's name; "" without other models."""
        return sha256("".join(other.folder.name + other.manifest.digest for other in self.case.others))[:8] if self.case.others else ""

    def hooks(self, do, *steps):
        """The SQL that manifests have before and after. What two models have in common is done once."""
        for step in steps:
            for text in dict.fromkeys(case.sql(step, self.dialect) for case in self.cases()):
                if text:
                    do(text)


class Scoring:
    """hbscore in either database: predict in the statements, and its own profile of a scan. A database has statement_span(), the tree of
    level 1, and profiled(), the rows of hbscore_profile."""

    def expressions(self):
        self.case.file("hbscore")
        return predict_expressions(self.case, self.dialect)

    def parts(self):
        return profile.parts_of(self.profiled())

    def spans(self, level):
        """profile.py's levels."""
        if level == profile.KERNEL:
            return profile.kernel_spans(self)
        return profile.operator_spans(self.profiled(), level) if level > 1 else self.statement_span()
