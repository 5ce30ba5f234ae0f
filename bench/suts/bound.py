"""bound.py - the row comes with the query: an application that has it binds its columns as parameters of the statement, and the
database scores it without reading a table. The rows are in memory already, as those of libraries are."""

import numpy

from hbsbench import figures, native
from hbsbench.errors import BenchError, Refused
from hbsbench.systems import Session
from suts import postgres, sqlite


class Bound:
    sinks = ("client",)
    writer = None  # no table is read

    def check(self):
        super().check()
        if any(self.case.data.texts):
            raise Refused("texts among the features: the harness binds numbers only")

    def on(self, connection):
        return BoundSession(self.case, connection, self.make_statements().bound())


class BoundSession(Session):
    def __init__(self, case, connection, statement):
        self.connection, self.width = connection, case.width
        self.rows = numpy.ascontiguousarray(case.raw_rows(), float)
        self.at, self.columns = native.address(self.rows), self.rows.shape[1]
        self.statement = connection.add(statement)

    def score(self, keys, out):
        inner = 0
        for place, key in enumerate(keys):
            at = self.at + int(key) * self.columns * self.rows.itemsize
            if self.connection.run_values(self.statement, at, self.columns, out[place:place + 1], self.width) != 1:
                raise BenchError(f"the statement gave no row for that of the key {key}")
            inner += self.connection.inner
        self.inner = inner

    def scan(self, sink, out):
        self.score(range(len(self.rows)), out)
        return len(self.rows)

    def figures(self, sink, keys):
        """Each row is a statement of its own."""
        first, rows = (0, len(self.rows)) if keys is None else (keys[0], len(keys))
        return figures.taken(self.connection, lambda: self.statement, values=self.rows[first], statements=rows)

    def process(self):
        return self.connection.process()

    def close(self):
        self.connection.close()


class BoundSqlite(Bound, sqlite.Hbscore):
    pass


class BoundPostgres(Bound, postgres.Hbscore):
    pass
