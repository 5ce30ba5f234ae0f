"""native.py - the shim of bench/native in Python. A call releases the interpreter's lock."""

import ctypes
import functools
import json
import os

import numpy

from .errors import BenchError, Refused

ERROR_SIZE, TEXT_SIZE = 1024, 1 << 20
COUNTS = ("Shared Hit Blocks", "Shared Read Blocks", "Full Scan Steps", "Sorts", "Virtual Machine Steps")  # buffers by the names of EXPLAIN
LONG, INT, POINTER, TEXT = ctypes.c_int64, ctypes.c_int32, ctypes.c_void_p, ctypes.c_char_p


@functools.lru_cache(maxsize=None)
def library():
    path = os.environ.get("HBSBENCH_NATIVE", "build/bench/native.so")
    try:
        found = ctypes.CDLL(os.path.abspath(path))
    except OSError as error:
        raise BenchError(f"{path}: `make build/bench/native.so` makes it: {error}") from None
    run = [POINTER, INT, POINTER, LONG, POINTER, LONG, LONG, POINTER]
    apart = [POINTER, INT, POINTER, POINTER, LONG]
    for name, result, arguments in (
            ("native_nothing", LONG, [POINTER, LONG, POINTER, POINTER]),
            ("core_open", POINTER, [TEXT, TEXT, POINTER, LONG, LONG, POINTER, POINTER, LONG, POINTER, POINTER, TEXT]),
            ("core_run", LONG, [POINTER, POINTER, LONG, POINTER, POINTER]),
            ("core_error", TEXT, [POINTER]), ("core_close", None, [POINTER]),
            ("sqlite_open", POINTER, [TEXT, TEXT, TEXT]), ("sqlite_add", INT, [POINTER, TEXT]), ("sqlite_drop", INT, [POINTER, INT]), ("pg_drop", INT, [POINTER, INT]), ("sqlite_run", LONG, run), ("sqlite_values", LONG, run),
            ("sqlite_times", LONG, [*apart, POINTER]), ("sqlite_counts", LONG, [*apart, POINTER]), ("sqlite_received", LONG, apart), ("pg_received", LONG, apart), ("pg_text", LONG, [POINTER, TEXT, TEXT, LONG]),
            ("sqlite_error", TEXT, [POINTER]), ("sqlite_close", None, [POINTER]),
            ("pg_open", POINTER, [TEXT, TEXT]), ("pg_add", INT, [POINTER, TEXT, LONG]), ("pg_run", LONG, run), ("pg_values", LONG, run), ("pg_array", LONG, run),
            ("pg_error", TEXT, [POINTER]), ("pg_close", None, [POINTER])):
        function = getattr(found, name, None)
        if function is not None:
            function.restype, function.argtypes = result, arguments
    return found


def address(array):
    return array.ctypes.data


def nodes(plan):
    yield plan
    for child in plan.get("Plans", []):
        yield from nodes(child)


class Keys:
    """The parameters of a call, and where the shim's own time goes."""

    def __init__(self, most):
        self.array = numpy.zeros(most, numpy.int64)
        self.inner = numpy.zeros(1, numpy.int64)
        self.at, self.inner_at = address(self.array), address(self.inner)


class Statements:
    """A connection of "sqlite" or "pg" with prepared statements."""

    def __init__(self, kind, *where):
        self.library, self.kind = library(), kind
        if getattr(self.library, f"{kind}_open", None) is None:
            raise Refused("the shim was built without libpq")
        error = ctypes.create_string_buffer(ERROR_SIZE)
        self.handle = getattr(self.library, f"{kind}_open")(*(text.encode() for text in where), error)
        if not self.handle:
            raise BenchError(" ".join(error.value.decode(errors="replace").split()))
        self.call, self.call_values = getattr(self.library, f"{kind}_run"), getattr(self.library, f"{kind}_values")
        self.keys, self.texts = Keys(4), {}

    def add(self, sql, parameters=0):
        arguments = [self.handle, sql.encode()] + ([parameters] if self.kind == "pg" else [])
        number = getattr(self.library, f"{self.kind}_add")(*arguments)
        if number < 0:
            raise BenchError(self.error())
        self.texts[number] = sql
        return number

    def drop(self, statement):
        """Its number is free for another one."""
        if getattr(self.library, f"{self.kind}_drop")(self.handle, statement) < 0:
            raise BenchError(self.error())

    def run(self, statement, parameters, out, width):
        """The rows that it gave; `out` is an array of float64 with room for them, or None."""
        keys = self.keys
        for place, parameter in enumerate(parameters):
            keys.array[place] = parameter
        at, most = (address(out), len(out)) if out is not None else (None, 0)
        rows = self.call(self.handle, statement, keys.at, len(parameters), at, most, width, keys.inner_at)
        if rows < 0:
            raise BenchError(self.error())
        return rows

    def run_values(self, statement, at, n, out, width):
        """The same with `n` numbers at an address as the parameters, of which NaN is NULL."""
        rows = self.call_values(self.handle, statement, at, n, address(out), len(out), width, self.keys.inner_at)
        if rows < 0:
            raise BenchError(self.error())
        return rows

    def run_array(self, statement, keys, out, width):
        """The same with whole numbers, an array of int64, as one parameter that is an array: of PostgreSQL alone."""
        rows = self.library.pg_array(self.handle, statement, address(keys), len(keys), address(out), len(out), width, self.keys.inner_at)
        if rows < 0:
            raise BenchError(self.error())
        return rows

    def do(self, sql):
        number = self.add(sql)
        try:
            return self.run(number, (), None, 0)
        finally:
            self.drop(number)

    # ------------------------------------------------------------------ apart from a run: figures.py

    def times(self, statement, parameters=(), values=None):
        """(nanoseconds of planning, of execution) of a statement that is planned anew, by the database's own clock; `values` as in
        run_values, an array."""
        if self.kind == "pg":
            plan = self.explained(self.texts[statement], parameters, values)
            return [round(plan[name] * 1e6) for name in ("Planning Time", "Execution Time")]
        times = numpy.zeros(2, numpy.int64)
        self.apart("times", statement, parameters, values, address(times))
        return times.tolist()

    def received(self, statement, parameters=(), values=None):
        """The bytes that reach the client: of the server's messages, or of SQLite's values."""
        return self.apart("received", statement, parameters, values)

    def buffers(self, statement, parameters=(), values=None):
        """[hit, read]: the buffers of the server that an execution found, and those that it read; the pages of SQLite's own cache."""
        if self.kind == "pg":
            node = self.explained(self.texts[statement], parameters, values, "BUFFERS,")["Plan"]
            return [node[f"Shared {kind} Blocks"] + node[f"Local {kind} Blocks"] for kind in ("Hit", "Read")]
        return self.counts(statement, parameters, values)[:2]

    def counts(self, statement, parameters=(), values=None):
        """SQLite's counters of an execution, by the names of COUNTS."""
        found = numpy.zeros(len(COUNTS), numpy.int64)
        self.apart("counts", statement, parameters, values, address(found))
        return found.tolist()

    def apart(self, name, statement, parameters, values, *more):
        keys = numpy.array(parameters, numpy.int64)
        places = (None, address(values), len(values)) if values is not None else (address(keys), None, len(keys))
        found = getattr(self.library, f"{self.kind}_{name}")(self.handle, statement, *places, *more)
        if found < 0:
            raise BenchError(self.error())
        return found

    def workers(self, statement, parameters=(), values=None):
        """[planned, launched]: parallel workers. SQLite has none."""
        if self.kind != "pg":
            return [0, 0]
        gathers = [node for node in nodes(self.explained(self.texts[statement], parameters, values)["Plan"]) if "Workers Launched" in node]
        return [sum(node[f"Workers {what}"] for node in gathers) for what in ("Planned", "Launched")]

    def explained(self, sql, parameters, values, options=""):
        """EXPLAIN of a prepared statement, as the run executes it. The clocks of rows and nodes, which cost more than both, are off.
        Counting buffers costs time at every row too, so it is done where no time is asked for."""
        types = f"({', '.join(['int8'] * len(parameters))})" if parameters else ""
        given = parameters if values is None else ["NULL" if value != value else f"'{value!r}'" for value in values.tolist()]
        self.text(f"PREPARE figures{types} AS {sql}")
        try:
            called = f"figures({', '.join(map(str, given))})" if len(given) else "figures"
            return json.loads(self.text(f"EXPLAIN (ANALYZE, TIMING OFF, {options} FORMAT JSON) EXECUTE {called}"))[0]
        finally:
            self.text("DEALLOCATE figures")

    def text(self, sql):
        """The first value of a query in PostgreSQL."""
        out = ctypes.create_string_buffer(TEXT_SIZE)
        if self.library.pg_text(self.handle, sql.encode(), out, TEXT_SIZE) < 0:
            raise BenchError(self.error())
        return out.value.decode()

    def process(self):
        """The process that executes the statements."""
        return int(self.text("SELECT pg_backend_pid()")) if self.kind == "pg" else os.getpid()

    def error(self):
        return " ".join(getattr(self.library, f"{self.kind}_error")(self.handle).decode(errors="replace").split())

    @property
    def inner(self):
        return int(self.keys.inner[0])

    def close(self):
        if self.handle:
            getattr(self.library, f"{self.kind}_close")(self.handle)
            self.handle = None
