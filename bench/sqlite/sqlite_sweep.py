"""sqlite_sweep.py - the sweep in SQLite: rows as columns, by a virtual table and as JSON arrays; classes; trees.

By row is predict(). In blocks is hbscore_scan, or the virtual table, or for JSON arrays predict_agg, which writes its
answers as JSON: then so does the way by row. A call takes at most 127 arguments in many builds, so that more columns have no
way by row.
"""

import json
import sqlite3
import time

import sweep
import sweep_models
import sweep_report

MOST_ARGUMENTS = 126
# A table has at most 2,000 columns, and so has a query, whose first one is the key.
MOST_COLUMNS = 1_999
# Of the file: SQLite's default, and its largest. A wide row lies in overflow pages, which are read one by one.
SMALL_PAGE, LARGE_PAGE = 4_096, 65_536
ROWS = {10: 20_000, 100: 10_000, 1_000: 1_000, 2_000: 1_000}
FEW_ROWS = 2_000
# predict_proba of 1,000 classes is JSON text of 1,000 numbers.
MOST_PROBA_NS = {1_000: 100_000}
TERMS = 50


def total_of(names):
    """Their sum, in parts: an expression has at most 1,000 levels."""
    return " + ".join(f"({' + '.join(names[i:i + TERMS])})" for i in range(0, len(names), TERMS))


def columns_of(size):
    return [f"f{i}" for i in range(size.features)]


class Sweep:
    def __init__(self, folder, extension, models):
        self.models = models
        self.folder, self.extension = folder, extension
        self.connections = {page: self.open(page) for page in (SMALL_PAGE, LARGE_PAGE)}
        self.made = set()

    def open(self, page):
        path = self.folder / f"sweep-{page}.db"
        path.unlink(missing_ok=True)
        connection = sqlite3.connect(path, isolation_level=None)
        connection.execute(f"PRAGMA page_size = {page}")
        connection.execute("PRAGMA journal_mode = off")
        connection.execute("PRAGMA cache_size = -1000000")
        connection.enable_load_extension(True)
        connection.load_extension(self.extension)
        connection.enable_load_extension(False)
        for size, model in self.models.items():
            connection.execute("SELECT hbscore_register(?, ?, ?)",
                               (model.name, model.path.read_bytes(), json.dumps({"features": columns_of(size)})))
        return connection

    def table(self, form, size, rows, page=SMALL_PAGE):
        name = f"{form}{size.features}_{rows}"
        if (name, page) not in self.made:
            x = sweep_models.rows_of(size, 0, rows)
            columns = ", ".join(f"{column} REAL" for column in columns_of(size)) if form == "c" else "row TEXT"
            cells = x.tolist() if form == "c" else [[json.dumps(row)] for row in x.tolist()]
            connection = self.connections[page]
            connection.execute("BEGIN")
            connection.execute(f"CREATE TABLE {name} (id INTEGER PRIMARY KEY, {columns})")
            marks = ", ".join("?" * len(cells[0]))
            connection.executemany(f"INSERT INTO {name} VALUES (NULL, {marks})", cells)
            connection.execute("COMMIT")
            self.made.add((name, page))
        return name

    # ------------------------------------------------------------------ cells

    def columns(self, axis, x, size, rows, form="columns", page=SMALL_PAGE, function="predict", most_ns=None):
        table, names = self.table("c", size, rows, page), columns_of(size)
        given = ", ".join(names)
        ways = {"bare": f"SELECT sum({total_of(names)}) FROM {table}"}
        answers = {}
        if size.features <= MOST_ARGUMENTS:
            call = f"{function}('{size.name}', {given})"
            ways["row"] = f"SELECT sum({call if function == 'predict' else f'length({call})'}) FROM {table}"
            answers["row"] = f"SELECT {call} FROM {table} ORDER BY id"
        if function == "predict":
            scan = f"hbscore_scan('{size.name}', 'SELECT id, {given} FROM {table}')"
            ways["block"] = f"SELECT sum(prediction) FROM {scan}"
            answers["block"] = f"SELECT prediction FROM {scan} ORDER BY key"
        return sweep.Cell(axis, form, x, size, rows, ways, most_ns, answers, page)

    def virtual_table(self, x, size, rows):
        cell = self.columns("features", x, size, rows, "virtual table")
        table = self.table("c", size, rows)
        self.connections[SMALL_PAGE].execute(f"CREATE VIRTUAL TABLE temp.scored_{table} USING hbscore(model='{size.name}', "
                                             f"source='{table}')")
        cell.ways["block"] = f"SELECT sum(prediction) FROM scored_{table}"
        cell.answers["block"] = f"SELECT prediction FROM scored_{table} ORDER BY id"
        return cell

    def arrays(self, x, size, rows):
        table = self.table("j", size, rows)
        by_row, in_blocks = (f"{function}('{size.name}', row)" for function in ("predict", "predict_agg"))
        ways = {"bare": f"SELECT sum(length(row)) FROM {table}",
                "row": f"SELECT length(json_group_array({by_row})) FROM {table}",
                "block": f"SELECT length({in_blocks}) FROM {table}"}
        answers = {"row": f"SELECT {by_row} FROM {table}",
                   "block": f"SELECT value FROM json_each((SELECT {in_blocks} FROM {table}))"}
        return sweep.Cell("features", "JSON arrays", x, size, rows, ways, None, answers, SMALL_PAGE)

    def cells(self):
        for x, size in sweep_models.WITH_FEATURES.items():
            if x <= MOST_COLUMNS:
                yield self.columns("features", x, size, ROWS[x])
                yield self.columns("features", x, size, ROWS[x], "columns, pages of 64 KB", LARGE_PAGE)
                yield self.virtual_table(x, size, ROWS[x])
            yield self.arrays(x, size, ROWS[x])
        for x, size in sweep_models.WITH_CLASSES.items():
            rows = ROWS[10] if x < 100 else FEW_ROWS
            yield self.columns("classes", x, size, rows, "predict")
            yield self.columns("classes", x, size, rows, "predict_proba", function="predict_proba", most_ns=MOST_PROBA_NS.get(x))
        for x, size in sweep_models.WITH_TREES.items():
            yield self.columns("trees", x, size, ROWS[10] if x < 1_000 else FEW_ROWS, "predict")

    # ------------------------------------------------------------------ statements

    def run(self, cell, way, sql):
        self.connections[cell.of].execute(sql).fetchone()

    def answers(self, cell, way, sql):
        return [value if isinstance(value, str) else float(value) for value, in self.connections[cell.of].execute(sql)]


def run(folder, extension, full):
    """1 where a cell misses its target."""
    models = sweep_models.make_models(folder.parent / "models", sweep_models.sizes())
    s = Sweep(folder, extension, models)
    database = sweep.Database(s.run, s.answers, time.process_time_ns)
    results = sweep.measure_cells(database, s.cells(), models, full)
    return sweep_report.report(folder, "sqlite_sweep", "SQLite", results, {"database": sqlite3.sqlite_version})
