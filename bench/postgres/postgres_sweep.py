"""postgres_sweep.py - the sweep in PostgreSQL: rows as columns, as whole rows and as arrays; classes; trees."""

import json
import pathlib

import numpy
import psycopg

import sweep
import sweep_models
import sweep_report
from postgres_data import COPY_END, COPY_HEADER

# A table has at most 1,600 columns, and a call at most 100 arguments: more columns come as ARRAY[..].
MOST_COLUMNS, MOST_ARGUMENTS = 1_600, 99
FLOAT8_OID = 701
# Rows by features; the slower models score the first ones, in a table of their own.
ROWS = {10: 40_000, 100: 20_000, 1_000: 4_000, 2_000: 4_000}
FEW_ROWS = 4_000


class Tables:
    """c10: columns; a10: arrays; both of as many rows. c10_few: fewer rows. Made when they are first asked for."""

    def __init__(self, connection):
        self.connection = connection
        self.made = set()

    def name(self, form, features, rows):
        name = f"sweep_{form}{features}_{rows}"
        if name not in self.made:
            getattr(self, form)(name, features, rows)
            self.connection.execute(f"VACUUM (FREEZE, ANALYZE) {name}")
            self.made.add(name)
        return name

    def load(self, name, columns, x, record, fill):
        self.connection.execute(f"CREATE UNLOGGED TABLE {name} (id int4, {columns})")
        records = numpy.zeros(len(x), numpy.dtype([("columns", ">i2"), ("id_length", ">i4"), ("id", ">i4"), *record]))
        records["id_length"], records["id"] = 4, numpy.arange(len(x))
        fill(records)
        with self.connection.cursor().copy(f"COPY {name} FROM STDIN (FORMAT binary)") as copy:
            copy.write(COPY_HEADER + records.tobytes() + COPY_END)

    def c(self, name, features, rows):
        x = sweep_models.rows_of(sweep_models.Size(features=features), 0, rows)
        cell = numpy.dtype([("length", ">i4"), ("value", ">f8")])

        def fill(records):
            records["columns"], records["cells"]["length"], records["cells"]["value"] = 1 + features, 8, x

        self.load(name, ", ".join(f"f{i} float8" for i in range(features)), x, [("cells", cell, features)], fill)

    def a(self, name, features, rows):
        x = sweep_models.rows_of(sweep_models.Size(features=features), 0, rows)
        cell = numpy.dtype([("length", ">i4"), ("value", ">f8")])
        head = [(part, ">i4") for part in ("length", "dimensions", "nulls", "type", "size", "first")]

        def fill(records):
            records["columns"], records["length"], records["dimensions"] = 2, 20 + features * cell.itemsize, 1
            records["type"], records["size"], records["first"] = FLOAT8_OID, features, 1
            records["cells"]["length"], records["cells"]["value"] = 8, x

        self.load(name, "a float8[]", x, [*head, ("cells", cell, features)], fill)


class Sweep:
    def __init__(self):
        self.connection = psycopg.connect(autocommit=True, prepare_threshold=None)
        self.connection.execute("CREATE EXTENSION IF NOT EXISTS hbscore")
        self.connection.execute("SET max_parallel_workers_per_gather = 0")
        self.tables = Tables(self.connection)
        self.way = None
        self.schedule = pathlib.Path(f"/proc/{self.connection.info.backend_pid}/schedstat")

    def clock(self):
        """The kernel's count for the server's process, which has done all its work once it has answered."""
        return int(self.schedule.read_text().split()[0])

    def use(self, way):
        if way == self.way:
            return
        batch, required = ("on", "require") if way == "block" else ("off", "any")
        self.connection.execute(f"SET hbscore.batch = {batch}")
        self.connection.execute(f"SET hbscore.debug_require_batch = '{required}'")
        self.way = way

    def run(self, _, way, sql):
        self.use(way)
        self.connection.execute(sql).fetchone()

    def answers(self, _, way, sql):
        self.use(way)
        return [value for value, in self.connection.cursor(binary=True).execute(sql)]

    # ------------------------------------------------------------------ cells

    def cell(self, axis, form, x, size, rows, table, bare, given, function="predict", total="sum({})"):
        call = f"{function}('{size.name}', {given})"
        scored = f"SELECT {total.format(call)} FROM {table}"
        answers = f"SELECT {call} FROM {table} ORDER BY id"
        return sweep.Cell(axis, form, x, size, rows, {"bare": f"SELECT {bare} FROM {table}", "row": scored, "block": scored},
                          answers={"row": answers, "block": answers})

    def columns(self, axis, x, size, rows, form="columns", **how):
        names = [f"f{i}" for i in range(size.features)]
        given = ", ".join(names)
        if size.features > MOST_ARGUMENTS:
            given = f"ARRAY[{given}]"
        return self.cell(axis, form, x, size, rows, self.tables.name("c", size.features, rows), f"sum({' + '.join(names)})",
                         given, **how)

    def row(self, x, size, rows):
        """The table has a column more than the model has features: matched by name, and features need names."""
        table = self.tables.name("c", size.features, rows)
        return self.cell("features", "rows, as t.*", x, size, rows, f"{table} AS t", "count(t.*)", "t.*")

    def array(self, x, size, rows):
        return self.cell("features", "arrays", x, size, rows, self.tables.name("a", size.features, rows), "sum(a[1])", "a")

    def cells(self):
        for x, size in sweep_models.WITH_FEATURES.items():
            if x <= MOST_COLUMNS:
                yield self.columns("features", x, size, ROWS[x])
                yield self.row(x, size, ROWS[x])
            yield self.array(x, size, ROWS[x])
        for x, size in sweep_models.WITH_CLASSES.items():
            rows = ROWS[10] if x < 100 else FEW_ROWS
            yield self.columns("classes", x, size, rows, "predict")
            yield self.columns("classes", x, size, rows, "predict_proba", function="predict_proba", total="sum(({})[1])")
        for x, size in sweep_models.WITH_TREES.items():
            yield self.columns("trees", x, size, ROWS[10] if x < 1_000 else FEW_ROWS, "predict")


def run(folder, full):
    """1 where a cell misses its target."""
    models = sweep_models.make_models(folder.parent / "models", sweep_models.sizes())
    s = Sweep()
    for model in models.values():
        options = json.dumps({"features": [f"f{i}" for i in range(model.size.features)]})
        s.connection.execute("SELECT hbscore.register(%s, %s, options => %s::jsonb)",
                             (model.name, model.path.read_bytes(), options))
    results = sweep.measure_cells(sweep.Database(s.run, s.answers, s.clock), s.cells(), models, full)
    server = s.connection.execute("SHOW server_version").fetchone()[0].split()[0]
    return sweep_report.report(folder, "postgres_sweep", "PostgreSQL", results, {"database": server})
