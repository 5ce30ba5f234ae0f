"""functions.py - the library inside the database: a Python function that SQLite calls for each row, and one in PL/Python."""

import sqlite3
import sysconfig
import time

import numpy

from hbsbench import figures, models
from hbsbench.errors import BenchError, Refused
from hbsbench.manifest import HERE
from suts import postgres, sqlite
from suts.databases import DatabaseSession
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
    return [f"library_{place}({columns})" for place in range(len(case.manifest["predict"]))]


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

    def session(self):
        connection = sqlite3.connect(self.path() / "data.db", check_same_thread=False, timeout=60)
        dtype = object if self.case.manifest.get("inputs") and any(i["type"] == "text" for i in self.case.manifest["inputs"]) else float
        for place in range(len(self.case.manifest["predict"])):
            connection.create_function(f"library_{place}", len(self.case.inputs), self.function(place, dtype))
        return DatabaseSession(self.case, PythonStatements(connection), self.make_statements())

    def function(self, place, dtype):
        outputs = self.outputs

        def library(*values):
            return float(outputs(numpy.array([values], dtype))[0, place])

        return library


class PlPython(postgres.Postgres):
    """A function in PL/Python that keeps the estimator in its session; the server's Python must be the harness's."""

    BODY = """
if "model" not in GD:
    import sys
    sys.path[:0] = {paths!r}
    from hbsbench.case import Case
    from suts.library import Sklearn
    library = Sklearn(Case.open({model!r}, {cache!r}), {{}})
    library.threads = 1
    GD["model"] = library.load()
import numpy
return float(GD["model"](numpy.array([[{arguments}]], float))[0, {place}])
"""

    def expressions(self):
        self.case.estimator_path()
        return calls(self.case)

    def register(self, connection):
        import psycopg

        paths = [str(HERE.parent), str(HERE.parent.parent / "python" / "src"), sysconfig.get_paths()["purelib"]]
        columns = ", ".join(f"{name} float8" for name in self.case.inputs)
        try:
            connection.execute("CREATE EXTENSION plpython3u")
            for place in range(len(self.case.manifest["predict"])):
                body = self.BODY.format(paths=paths, model=str(self.case.manifest.path.resolve()), cache=str(self.case.cache.resolve()),
                                        arguments=", ".join(self.case.inputs), place=place)
                connection.execute(f"CREATE FUNCTION library_{place}({columns}) RETURNS float8 LANGUAGE plpython3u AS $python${body}$python$")
            connection.execute(self.make_statements().one().replace("$1", "0"))
        except psycopg.Error as error:
            raise Refused(f"PL/Python: {' '.join(str(error).splitlines()[0].split())}") from None
