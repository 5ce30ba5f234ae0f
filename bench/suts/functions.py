"""functions.py - the library inside the database: a Python function that SQLite calls for each row, and one in PL/Python."""

import sqlite3
import sysconfig
import time

import numpy

from hbsbench import figures, models
from hbsbench.errors import BenchError, Refused
from hbsbench.manifest import HERE
from suts import postgres, sqlite
from suts.library import Sklearn


class PythonStatements:
    """Statements of Python's sqlite3 by the calls of hbsbench.native.Statements."""

    inner = 0

    def __init__(self, connection):
        self.connection, self.statements = connection, []

    def add(self, sql, parameters=0):
        self.statements.append(sql)
        return len(self.statements) - 1

    def run(self, statement, parameters, out, width):
        try:
            rows = self.connection.execute(self.statements[statement], [int(p) for p in parameters]).fetchall()
            self.connection.commit()
        except sqlite3.Error as error:
            raise BenchError(f"SQLite: {error}") from None
        if rows:
            out[:len(rows)] = numpy.array(rows, float)
        return len(rows)

    def drop(self, statement):
        pass

    def do(self, sql):
        return self.run(self.add(sql), (), None, 0)

    def times(self, statement, parameters=(), values=None):
        """EXPLAIN prepares its statement and executes nothing; a text that is new is prepared anew."""
        sql, begun = self.statements[statement], time.perf_counter_ns()
        cursor = self.connection.execute(f"EXPLAIN {sql} -- {begun}", parameters)
        prepared = time.perf_counter_ns()
        cursor.close()
        executed = time.perf_counter_ns()
        self.run_apart(sql, parameters)
        return [prepared - begun, time.perf_counter_ns() - executed]

    def received(self, statement, parameters=(), values=None):
        return sum(map(figures.value_bytes, (value for row in self.run_apart(self.statements[statement], parameters) for value in row)))

    def run_apart(self, sql, parameters):
        rows = self.connection.execute(sql, parameters).fetchall()
        self.connection.commit()
        return rows

    def close(self):
        self.connection.close()


def calls(case):
    """A call of a function for each item of predict, over the features."""
    if models.transforms(case.manifest):
        raise Refused("a function in Python that gives one number a row would transform it once for each column")
    columns = ", ".join(case.inputs)
    return [f"{name}({columns})" for name in names(case)]


def names(case):
    return [f"library_{case.registered}_{place}" for place in range(len(case.manifest["predict"]))]


class PythonFunction(sqlite.Sqlite):
    """create_function of Python's sqlite3, with the estimator of the model."""

    def check(self):
        super().check()
        self.case.estimator_path()

    def expressions(self):
        return calls(self.case)

    def open(self):
        library = Sklearn(self.case, self.options)
        library.threads = 1
        self.outputs = library.load()
        return {}

    def connected(self):
        return PythonStatements(sqlite3.connect(self.path() / "data.db", check_same_thread=False, timeout=60))

    def on(self, connection):
        dtype = object if self.case.manifest.get("inputs") and any(i["type"] == "text" for i in self.case.manifest["inputs"]) else float
        for place, name in enumerate(names(self.case)):
            connection.connection.create_function(name, len(self.case.inputs), self.function(place, dtype))
        return super().on(connection)

    def function(self, place, dtype):
        outputs = self.outputs

        def library(*values):
            return float(outputs(numpy.array([values], dtype))[0, place])

        return library


class PlPython(postgres.Postgres):
    """A function in PL/Python that keeps the estimator in its session; the server's Python must be the harness's."""

    BODY = """
if {name!r} not in GD:
    import sys
    sys.path[:0] = {paths!r}
    from hbsbench.case import Case
    from suts.library import Sklearn
    library = Sklearn(Case.open({model!r}, {cache!r}), {{}})
    library.threads = 1
    GD[{name!r}] = library.load()
import numpy
return float(GD[{name!r}](numpy.array([[{arguments}]], float))[0, {place}])
"""

    def expressions(self):
        self.case.estimator_path()
        return calls(self.case)

    def register(self, connection):
        import psycopg

        try:
            connection.execute("CREATE EXTENSION plpython3u")
            for case in self.cases():
                self.make_functions(connection, case)
            connection.execute(self.make_statements().one().replace("$1", "0"))
        except psycopg.Error as error:
            raise Refused(f"PL/Python: {' '.join(str(error).splitlines()[0].split())}") from None

    def make_functions(self, connection, case):
        paths = [str(HERE.parent), str(HERE.parent.parent / "python" / "src"), sysconfig.get_paths()["purelib"]]
        columns = ", ".join(f"{name} float8" for name in case.inputs)
        for place, name in enumerate(names(case)):
            body = self.BODY.format(name=case.registered, paths=paths, model=str(case.manifest.path.resolve()), cache=str(case.cache.resolve()),
                                    arguments=", ".join(case.inputs), place=place)
            connection.execute(f"CREATE FUNCTION {name}({columns}) RETURNS float8 LANGUAGE plpython3u AS $python${body}$python$")
