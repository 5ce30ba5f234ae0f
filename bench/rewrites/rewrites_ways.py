"""rewrites_ways.py - the ways that are compared: the core in blocks, hbscore_scan and the plain call in SQLite, the node
of PostgreSQL, scikit-learn. A way is an object with `time(how)`: nanoseconds of CPU time a row, over all rows, with the
model compiled in that manner, and `labels(how)`: what it predicts for each row."""

from __future__ import annotations

import os
import pathlib
import sqlite3
import time
from typing import Any, Dict, List, NamedTuple, Tuple

import numpy as np
import psycopg

import hbscore
from driven import Driven, columns_of, write_rows

BLOCK = 1_000  # rows at once, of the core
SQL_TYPES = {"f": "REAL", "O": "TEXT"}
POSTGRES_TYPES = {"f4": "float4", "f8": "float8", "O": "text"}


class How(NamedTuple):
    """How a model is compiled."""

    off: str = ""  # passes that are left out, between commas
    strategy: str = "auto"


def passes(program: str) -> List[str]:
    """The optimizer's passes, as the library names them."""
    return os.popen("'%s' passes" % program).read().split()


def rows_of(data: Any) -> List[Tuple[Any, ...]]:
    """With None for a missing number."""
    columns = [[None if v != v else v for v in c.tolist()] for _, c in columns_of(data)]
    return list(zip(*columns))


class Core:
    """A program for each set of passes."""

    def __init__(self, program: str, folder: pathlib.Path, task: Any) -> None:
        self.program, self.folder = program, folder
        self.model, self.rows, self.all = folder / "model.json", folder / "rows", len(task.data)
        self.count = self.all // BLOCK * BLOCK
        self.programs: Dict[How, Driven] = {}
        write_rows(self.rows, task.data)

    def compiled(self, how: How) -> Driven:
        if how not in self.programs:
            more = ["strategy=" + how.strategy] + (["passes_off=" + how.off] if how.off else [])
            self.programs[how] = Driven(self.folder, [self.program, self.model, "{}", self.rows, "predict", *more])
        return self.programs[how]

    def time(self, how: How) -> float:
        ns, rows = self.compiled(how).time(BLOCK, self.count)
        return ns / rows

    def labels(self, how: How) -> np.ndarray:
        return self.compiled(how).results(self.all)[:, 0]

    def close(self) -> None:
        for program in self.programs.values():
            program.close()


class Sqlite:
    """The rows in SQLite, in memory, with the model registered beside them."""

    def __init__(self, extension: str, folder: pathlib.Path, task: Any) -> None:
        self.connection = sqlite3.connect(":memory:", isolation_level=None)
        self.connection.enable_load_extension(True)
        self.connection.load_extension(extension)
        columns = columns_of(task.data)
        self.count, self.names = len(task.data), ", ".join(name for name, _ in columns)
        types = ", ".join("%s %s" % (name, SQL_TYPES[c.dtype.kind]) for name, c in columns)
        self.connection.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, %s)" % types)
        self.connection.execute("BEGIN")
        marks = ", ".join("?" for _ in columns)
        self.connection.executemany("INSERT INTO t (%s) VALUES (%s)" % (self.names, marks), rows_of(task.data))
        self.connection.execute("COMMIT")
        self.connection.execute("SELECT hbscore_register('m', ?)", ((folder / "model.json").read_bytes(),))

    def set(self, how: How) -> None:
        self.connection.execute("SELECT hbscore_set('passes_off', ?), hbscore_set('strategy', ?)", how).fetchall()

    def compile(self, how: How) -> None:
        self.set(how)
        self.connection.execute("SELECT predict('m', %s) FROM t LIMIT 1" % self.names).fetchall()

    def reports(self, how: How) -> Dict[str, str]:
        """Gives the report of each pass that has changed something."""
        self.set(how)
        return dict(self.connection.execute("SELECT stage, note FROM hbscore_plan('m') WHERE operator = 'pass'"))

    def close(self) -> None:
        self.connection.close()


class InSqlite:
    """A query that gives predictions in the order of their keys."""

    def __init__(self, table: Sqlite) -> None:
        self.table = table

    def time(self, how: How) -> float:
        self.table.compile(how)
        begin = time.process_time_ns()
        self.table.connection.execute("SELECT count(prediction) FROM (%s)" % self.query()).fetchall()
        return (time.process_time_ns() - begin) / self.table.count

    def labels(self, how: How) -> np.ndarray:
        self.table.compile(how)
        return np.array([label for label, in self.table.connection.execute(self.query())], dtype=np.float64)

    def query(self) -> str:
        raise NotImplementedError

    def close(self) -> None:
        pass


class Scan(InSqlite):
    def query(self) -> str:
        return "SELECT prediction FROM hbscore_scan('m', 'SELECT id, %s FROM t')" % self.table.names


class Scalar(InSqlite):
    def query(self) -> str:
        return "SELECT predict('m', %s) AS prediction FROM t" % self.table.names


class Node:
    """PostgreSQL's node, over rows as a whole, since a call has 99 scalars at most. CPU time of the backend."""

    QUERY = "SELECT predict('m', t.*) AS prediction FROM t"

    def __init__(self, folder: pathlib.Path, task: Any) -> None:
        self.connection = psycopg.connect(autocommit=True, prepare_threshold=None)  # by the environment
        self.count = len(task.data)
        columns = columns_of(task.data)
        types = [POSTGRES_TYPES["O" if c.dtype == object else c.dtype.str[1:]] for _, c in columns]
        self.run("DROP TABLE IF EXISTS t")
        self.run("CREATE EXTENSION IF NOT EXISTS hbscore")
        self.run("CREATE UNLOGGED TABLE t (%s)" % ", ".join("%s %s" % (n, k) for (n, _), k in zip(columns, types)))
        with self.connection.cursor().copy("COPY t FROM STDIN") as copy:
            for row in rows_of(task.data):
                copy.write_row(row)
        self.run("VACUUM (FREEZE, ANALYZE) t")
        if self.ask("SELECT count(*) FROM hbscore.models WHERE name = 'm'"):
            self.run("SELECT hbscore.drop('m')")
        self.run("SELECT hbscore.register('m', %s)", (folder / "model.json").read_bytes())
        self.run("SET hbscore.batch = on")
        self.run("SET hbscore.debug_require_batch = 'require'")
        self.clock = pathlib.Path("/proc/%d/schedstat" % self.ask("SELECT pg_backend_pid()"))

    def run(self, sql: str, *values: Any) -> Any:
        return self.connection.execute(sql, values or None)

    def ask(self, sql: str, *values: Any) -> Any:
        return self.run(sql, *values).fetchone()[0]

    def now(self) -> int:
        """Linux counts a process's nanoseconds; without that, the clock on the wall."""
        return int(self.clock.read_text().split()[0]) if self.clock.exists() else time.monotonic_ns()

    def compile(self, how: How) -> None:
        self.run("SELECT set_config('hbscore.passes_off', %s, false), set_config('hbscore.strategy', %s, false)", *how)
        self.run(self.QUERY + " LIMIT 1")

    def time(self, how: How) -> float:
        self.compile(how)
        begin = self.now()
        self.ask("SELECT count(prediction) FROM (%s) AS s" % self.QUERY)
        return (self.now() - begin) / self.count

    def labels(self, how: How) -> np.ndarray:
        self.compile(how)
        return np.array([label for label, in self.run(self.QUERY)], dtype=np.float64)

    def close(self) -> None:
        self.connection.close()


class Sklearn:
    """All rows at once; it has no passes."""

    def __init__(self, task: Any) -> None:
        self.model, self.data = task.model, task.data

    def time(self, how: How) -> float:
        begin = time.process_time_ns()
        self.model.predict(self.data)
        return (time.process_time_ns() - begin) / len(self.data)

    def labels(self, how: How) -> np.ndarray:
        return np.asarray(self.model.predict(self.data), dtype=np.float64)

    def close(self) -> None:
        pass


def export(task: Any, folder: pathlib.Path) -> None:
    (folder / "model.json").write_bytes(hbscore.export(task.model, task.data[:10]))
