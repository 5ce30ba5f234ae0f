"""postgres_ways.py - the ways to score a table that are compared: statements in the database, and a client in Python with
the model's own library. A way scores the whole table, or where a row takes long the first rows of it.
"""

import dataclasses
import pathlib
import sysconfig

import numpy
import psycopg

import postgres_data

# Rows of the slower ways; their keys are found by an index.
FETCHED_ROWS, PYTHON_ROWS = 100_000, 1_000

SCORED = numpy.dtype([("columns", ">i2"), ("id_length", ">i4"), ("id", ">i4"), ("length", ">i4"), ("prediction", ">f8")])
ANSWER = numpy.dtype([("columns", ">i2"), ("length", ">i4"), ("prediction", ">f8")])


class Bench:
    """The connection, the tables that the models score, and the models registered."""

    def __init__(self, models, rows):
        self.rows = rows
        self.models = models
        # By the environment, which the script that makes the server sets. A statement that is prepared would keep its plan
        # under another way's settings.
        self.connection = psycopg.connect(autocommit=True, prepare_threshold=None)
        self.run("CREATE EXTENSION hbscore")
        for table in {model.table.name: model.table for model in models}.values():
            self.load(table)
        for model in models:
            self.run("SELECT hbscore.register(%s, %s)", model.name, model.path.read_bytes())

    def run(self, sql, *values):
        return self.connection.execute(sql, values or None)

    def ask(self, sql, *values):
        return self.run(sql, *values).fetchone()[0]

    def load(self, table):
        print(f"loading the table {table.name}, {self.rows:,} rows", flush=True)
        columns = ", ".join(f"{name} {type_}" for name, type_ in zip(table.columns, table.types))
        self.run(f"CREATE UNLOGGED TABLE {table.name} (id int4, {columns})")
        with self.connection.cursor().copy(f"COPY {table.name} FROM STDIN (FORMAT binary)") as copy:
            table.load(copy, self.rows)
        self.run(f"CREATE UNIQUE INDEX ON {table.name} (id)")
        self.run(f"VACUUM (FREEZE, ANALYZE) {table.name}")

    def set(self, batch, workers, require="any"):
        self.run(f"SET hbscore.batch = {batch}")
        self.run(f"SET max_parallel_workers_per_gather = {workers}")
        self.run(f"SET hbscore.debug_require_batch = '{require}'")

    def scored(self):
        """What a way has written, by the key; it is taken away again."""
        answers = self.copied("SELECT prediction FROM scored ORDER BY id")
        self.run("DROP TABLE scored")
        return answers

    def copied(self, query):
        """A float8 column that is never NULL, as an array."""
        with self.connection.cursor().copy(f"COPY ({query}) TO STDOUT (FORMAT binary)") as copy:
            data = b"".join(copy)
        header, end = len(postgres_data.COPY_HEADER), len(postgres_data.COPY_END)
        return numpy.frombuffer(data, ANSWER, (len(data) - header - end) // ANSWER.itemsize, header)["prediction"].astype(float)


def predict(model):
    return f"predict('{model.name}', {', '.join(model.table.columns)})"


def first_rows(model, rows):
    return f"{model.table.name} WHERE id <= {rows}"


# ---------------------------------------------------------------------- statements


@dataclasses.dataclass
class Statement:
    """An expression of each row, of which the sum is asked."""

    expression: object
    batch: str = "off"
    workers: int = 0
    require: str = "any"
    rows: int = None  # the first ones

    def set(self, bench):
        bench.set(self.batch, self.workers, self.require)

    def rows_of(self, bench):
        return min(self.rows or bench.rows, bench.rows)

    def source(self, bench, model):
        return first_rows(model, self.rows) if self.rows else model.table.name

    def query(self, bench, model):
        return f"SELECT sum({self.expression(model)}) FROM {self.source(bench, model)}"

    def prepare(self, bench, model):
        """Why it cannot be run; None where it can. The plan must be what is to be measured."""
        self.set(bench)
        plan = "\n".join(line for line, in bench.run("EXPLAIN (VERBOSE, COSTS OFF) " + self.query(bench, model)))
        if ("HbPredict" in plan) != (self.require == "require"):
            raise SystemExit(f"bench-postgres: {model.name}: batched or not, against what was asked:\n{plan}")
        if (f"Workers Planned: {self.workers}" in plan) != bool(self.workers):
            raise SystemExit(f"bench-postgres: {model.name}: not planned with {self.workers} workers:\n{plan}")

    def measured(self, bench, model):
        bench.ask(self.query(bench, model))
        return self.rows_of(bench)

    def answers(self, bench, model):
        """By the key: rows need not lie in the order in which they came."""
        bench.run(f"CREATE UNLOGGED TABLE scored AS SELECT id, ({self.expression(model)})::float8 AS prediction "
                  f"FROM {self.source(bench, model)}")
        return bench.scored()


class Aggregate(Statement):
    def query(self, bench, model):
        return f"SELECT array_length({self.expression(model)}, 1) FROM {model.table.name}"

    def answers(self, bench, model):
        bench.run(f"CREATE UNLOGGED TABLE scored AS SELECT unnest(array_agg(id)) AS id, unnest({self.expression(model)}) "
                  f"AS prediction FROM {model.table.name}")
        return bench.scored()


class Written(Statement):
    def query(self, bench, model):
        return (f"CREATE UNLOGGED TABLE scored AS SELECT id, {self.expression(model)} AS prediction "
                f"FROM {self.source(bench, model)}")

    def measured(self, bench, model):
        bench.run(self.query(bench, model))
        return self.rows_of(bench)

    def answers(self, bench, model):
        self.measured(bench, model)
        return bench.scored()


def sum_of_columns(model):
    return model.table.total


def predict_agg(model):
    return f"predict_agg('{model.name}', {', '.join(model.table.columns)})"


# ---------------------------------------------------------------------- other ways


class Client(Written):
    """As it is done by hand, and as fast as we know to: chunks of rows that stay in the CPU's cache, the quickest way from
    what comes to an array, and scores that go back by binary COPY."""

    def __init__(self, chunks):
        super().__init__(None, rows=FETCHED_ROWS)
        self.chunks = chunks

    def prepare(self, bench, model):
        self.set(bench)

    def measured(self, bench, model):
        query = f"SELECT id, {', '.join(model.table.columns)} FROM {self.source(bench, model)}"
        done = []
        with bench.connection.transaction():
            bench.run("CREATE UNLOGGED TABLE scored (id int4, prediction float8)")
            for ids, rows in self.chunks(bench, model, query):
                done.append(scored_records(ids, model.predict(rows)))
            with bench.connection.cursor().copy("COPY scored FROM STDIN (FORMAT binary)") as copy:
                copy.write(postgres_data.COPY_HEADER)
                for records in done:
                    copy.write(records)
                copy.write(postgres_data.COPY_END)
        return self.rows_of(bench)


def scored_records(ids, predictions):
    records = numpy.zeros(len(ids), SCORED)
    records["columns"], records["id_length"], records["length"] = 2, 4, 8
    records["id"], records["prediction"] = ids, predictions
    return records.tobytes()


def chunks_by_copy(bench, model, query):
    with bench.connection.cursor().copy(f"COPY ({query}) TO STDOUT (FORMAT binary)") as copy:
        yield from model.table.from_copy(copy)


def chunks_by_select(bench, model, query):
    cursor = bench.connection.cursor(binary=True)
    cursor.execute(query)
    while tuples := cursor.fetchmany(postgres_data.CHUNK):
        yield model.table.from_tuples(tuples)


class PlPython(Statement):
    """A function in PL/Python for each row, which keeps the model."""

    BODY = """
if {name!r} not in GD:
    import sys
    sys.path[:0] = {paths!r}
    import pathlib, postgres_data
    GD[{name!r}] = postgres_data.make_models(pathlib.Path({folder!r}), [{name!r}])[0]
return GD[{name!r}].predict_row({arguments})
"""

    def prepare(self, bench, model):
        self.set(bench)
        here = pathlib.Path(__file__).resolve().parent
        paths = [str(path) for path in (here, here.parent / "common", here.parent.parent / "python" / "src",
                                        sysconfig.get_paths()["purelib"])]
        table = model.table
        body = self.BODY.format(paths=paths, folder=str(model.path.parent.resolve()), name=model.name,
                                arguments=", ".join(table.columns))
        columns = ", ".join(f"{name} {type_}" for name, type_ in zip(table.columns, table.types))
        try:
            bench.run("CREATE EXTENSION IF NOT EXISTS plpython3u")
            bench.run(f"CREATE OR REPLACE FUNCTION library_{model.name}({columns}) RETURNS float8 LANGUAGE plpython3u AS "
                      f"$python${body}$python$")
            bench.ask(self.query(bench, model))
        except psycopg.Error as error:
            return str(error).splitlines()[0]
        return None


def plpython_call(model):
    return f"library_{model.name}({', '.join(model.table.columns)})"


def case_of(model):
    return postgres_data.case_expression(model.booster)


# ---------------------------------------------------------------------- all of them

BATCH = {"batch": "on", "require": "require"}
# In the order of a round. Name: the way, title, whose it is.
WAYS = {
    "bare": (Statement(sum_of_columns), "bare scan, sum of all columns", "bare"),
    "bare_1": (Statement(sum_of_columns, workers=1), "bare scan, 1 worker", "bare"),
    "bare_2": (Statement(sum_of_columns, workers=2), "bare scan, 2 workers", "bare"),
    "row": (Statement(predict), "by row", "hbscore"),
    "row_1": (Statement(predict, workers=1), "by row, 1 worker", "hbscore"),
    "row_2": (Statement(predict, workers=2), "by row, 2 workers", "hbscore"),
    "batch": (Statement(predict, **BATCH), "by batch", "hbscore"),
    "batch_1": (Statement(predict, workers=1, **BATCH), "by batch, 1 worker", "hbscore"),
    "batch_2": (Statement(predict, workers=2, **BATCH), "by batch, 2 workers", "hbscore"),
    "agg": (Aggregate(predict_agg), "predict_agg", "hbscore"),
    "written": (Written(predict, **BATCH), "by batch, written to a table", "hbscore"),
    "case": (Statement(case_of), "CASE expressions", "library"),
    "plpython": (PlPython(plpython_call, rows=PYTHON_ROWS), f"PL/Python per row ({PYTHON_ROWS:,} rows)", "library"),
    "copy": (Client(chunks_by_copy), f"fetch by COPY, library, written back ({FETCHED_ROWS:,} rows)", "library"),
    "select": (Client(chunks_by_select), f"fetch by SELECT, library, written back ({FETCHED_ROWS:,} rows)", "library"),
}
FETCH = ("copy", "select")
# Only a small model is written as CASE expressions.
CASE_MODEL = "xgboost_10x4"


def is_of(model, way):
    return way != "case" or model.name == CASE_MODEL
