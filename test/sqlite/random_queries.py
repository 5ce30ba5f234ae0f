"""Random queries on a virtual table of hbscore and on a plain copy of its rows: the answers must be equal.

What goes into the source's own WHERE and ORDER BY is decided by rules about affinities and collations; a rule
that is wrong loses rows or puts them in a wrong order. The copy has the same declared types and collations,
and the scores as stored columns. Seeded: the same queries every time."""

from __future__ import annotations

import random
import re
from collections import Counter
from typing import Any, List, Optional, Tuple

from hbscore_test import check

ROWS = 240

# What a cell can hold; in each column SQLite converts it by the column's affinity, or keeps it.
CELLS: List[Any] = [
    None,
    0,
    1,
    -1,
    2,
    9,
    10,
    1.0,
    1.5,
    10.5,
    -0.0,
    "1",
    "1.0",
    "01",
    " 1",
    "1 ",
    "10",
    "9",
    "abc",
    "ABC",
    "abc ",
    "Abc",
    "ab",
    "",
    "gold",
    "GOLD",
    "Gold ",
    "é",
    "É",
    "10abc",
    "0x10",
    "1e3",
    "9007199254740993",
    b"1",
    b"",
    b"abc",
    1000,
    9007199254740992,
    9007199254740993,
    9007199254740992.0,
    9223372036854775807,
    9.3e18,
    -9.3e18,
    float("inf"),
    "%b_",
    "a*",
]

# Extra columns beside the model's features: name, type, collation.
COLUMNS: List[Tuple[str, str, str]] = [
    ("i", "INTEGER", ""),
    ("r", "REAL", ""),
    ("n", "NUMERIC", ""),
    ("t", "TEXT", ""),
    ("tn", "TEXT", "NOCASE"),
    ("tr", "VARCHAR(20)", "RTRIM"),
    ("b", "BLOB", ""),
    ("x", "", ""),
    ("xn", "", "NOCASE"),
    ("nn", "DECIMAL(9,2)", "NOCASE"),
    ("f", "FLOATING POINT", ""),
    ("a", "ANY", ""),
]
STRICT = [
    (name, {"DECIMAL(9,2)": "INT", "FLOATING POINT": "ANY", "": "ANY", "NUMERIC": "ANY", "VARCHAR(20)": "TEXT"}.get(kind, kind), collation)
    for name, kind, collation in COLUMNS
]
FEATURES = ("pclass INTEGER", "sex TEXT", "age", "sibsp NUMERIC", "parch TEXT", "fare REAL", "embarked TEXT")
NAMES = [name for name, _, _ in COLUMNS]
WHOLE = [*NAMES, "id", "pclass", "sex", "age", "sibsp", "parch", "fare", "embarked"]
COLLATIONS = ["BINARY", "NOCASE", "RTRIM"]


def declaration(columns: List[Tuple[str, str, str]]) -> str:
    return ", ".join(f"{name} {kind} {'COLLATE ' + collation if collation else ''}" for name, kind, collation in columns)


def fill(connection: Any, table: str, seed: int, strict: bool = False) -> None:
    """The first passengers, some of their cells mixed in type, and random cells behind them."""
    chance = random.Random(seed)
    marks = ", ".join("?" * (8 + len(COLUMNS)))
    for row in connection.execute("SELECT id, pclass, sex, age, sibsp, parch, fare, embarked FROM titanic WHERE id <= ?", [ROWS]).fetchall():
        passenger = list(row)
        passenger[3] = chance.choice([passenger[3], passenger[3], None if passenger[3] is None else str(passenger[3]), 9007199254740993])
        while True:
            try:
                connection.execute(f"INSERT INTO {table} VALUES ({marks})", [*passenger, *(chance.choice(CELLS) for _ in COLUMNS)])
                break
            except Exception as error:  # a STRICT column refuses the type
                if not strict or "cannot store" not in str(error):
                    raise
                for _ in range(50):  # column by column
                    cells = [strict_cell(chance, kind) for _, kind, _ in STRICT]
                connection.execute(f"INSERT INTO {table} VALUES ({marks})", [*passenger, *cells])
                break


def strict_cell(chance: random.Random, kind: str) -> Any:
    fits = {"INTEGER": int, "INT": int, "REAL": float, "TEXT": str, "BLOB": bytes, "ANY": object}[kind]
    return chance.choice([cell for cell in CELLS if cell is None or isinstance(cell, fits)])


SOURCES = ["plain", "indexed", "keyed", "strict", "seen"]


def add_source(connection: Any, name: str, strict: bool = False, without_rowid: bool = False, indexed: bool = True) -> None:
    """A table, the virtual table over it (name_v), and the copy of that (name_c)."""
    columns = STRICT if strict else COLUMNS
    features = [f.replace("NUMERIC", "ANY") if " " in f else f + " ANY" for f in FEATURES] if strict else FEATURES
    declared = f"id INTEGER PRIMARY KEY, {', '.join(features)}, {declaration(columns)}"
    kind = "STRICT" if strict else "WITHOUT ROWID" if without_rowid else ""
    connection.execute(f"CREATE TABLE {name}({declared}) {kind}")
    fill(connection, name, 5, strict)
    for column in [*NAMES, "age", "fare"] if indexed else []:
        connection.execute(f"CREATE INDEX {name}_{column} ON {name}({column})")
    connection.execute(f"CREATE VIRTUAL TABLE {name}_v USING hbscore(model='m', source='{name}')")
    connection.execute(f"CREATE TABLE {name}_c({declared}, prediction {'ANY' if strict else ''}, probability REAL) {kind}")
    connection.execute(f"INSERT INTO {name}_c SELECT * FROM {name}_v")


def prepare(connection: Any, register: Any, make_table: Any) -> None:
    register(connection, rounds=3)
    make_table(connection, "titanic")
    connection.execute(f"CREATE TABLE other(id INTEGER PRIMARY KEY, {', '.join(FEATURES)}, {declaration(COLUMNS)})")
    fill(connection, "other", 9)
    connection.execute("DELETE FROM other WHERE id > 25")
    add_source(connection, "plain", indexed=False)
    add_source(connection, "indexed")
    add_source(connection, "keyed", without_rowid=True)
    add_source(connection, "strict", strict=True)
    # A view's columns have their table's types, and no collation.
    connection.execute("CREATE VIEW seen AS SELECT * FROM indexed")
    connection.execute("CREATE VIRTUAL TABLE seen_v USING hbscore(model='m', source='seen')")
    plain = declaration([(name, kind, "") for name, kind, _ in COLUMNS])
    connection.execute(f"CREATE TABLE seen_c(id INTEGER PRIMARY KEY, {', '.join(FEATURES)}, {plain}, prediction, probability REAL)")
    connection.execute("INSERT INTO seen_c SELECT * FROM seen_v")


# ---------------------------------------------------------------------- the queries


def literal(value: Any) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, bytes):
        return f"x'{value.hex()}'"
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    return "9e999" if value == float("inf") else repr(value)


class Query:
    """A statement on a table called @, with the values of its parameters."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        self.values: List[Any] = []
        self.joined = chance.random() < 0.2
        self.text = self.write()

    def one_of(self, *choices: Any) -> Any:
        return self.chance.choice(choices)

    def likely(self, probability: float) -> bool:
        return self.chance.random() < probability

    def column(self) -> str:
        return "v." + self.chance.choice(WHOLE if self.likely(0.4) else NAMES)

    def value(self) -> str:
        """A right side: literal, parameter, another table's column, a cast, a sub-query."""
        kind = self.chance.random()
        cell = self.chance.choice(CELLS)
        if self.joined and kind < 0.4:
            return "o." + self.chance.choice(NAMES)
        if kind < 0.7:
            return literal(cell)
        if kind < 0.9:
            self.values.append(cell)
            return "?"
        if kind < 0.95:
            return f"CAST({literal(cell)} AS {self.one_of('TEXT', 'INTEGER', 'NUMERIC', 'BLOB', 'REAL')})"
        return f"(SELECT {self.chance.choice(NAMES)} FROM other WHERE id = {self.chance.randrange(20)})"

    def collation(self) -> str:
        return f" COLLATE {self.chance.choice(COLLATIONS)}" if self.likely(0.15) else ""

    def compare(self) -> str:
        operator = self.one_of("=", "=", "<", "<=", ">", ">=", "IS", "IS NOT", "<>", "==")
        if self.likely(0.15):
            return f"{self.value()}{self.collation()} {operator} {self.column()}"
        return f"{self.column()}{self.collation()} {operator} {self.value()}{self.collation()}"

    def inside(self) -> str:
        no = self.one_of("", "", "", "NOT ")
        if self.likely(0.3):
            return f"{self.column()} {no}IN (SELECT {self.chance.choice(NAMES)} FROM other{self.one_of('', ' WHERE id < 5', ' LIMIT 3')})"
        if not self.joined and self.likely(0.2):
            return self.pairs()
        values = ", ".join(self.value() for _ in range(self.chance.randrange(1, 6)))
        return f"{self.column()}{self.collation()} {no}IN ({values})"

    def pairs(self) -> str:
        """For SQLite's own sake (3.40, any virtual table) without joins, and texts are looked for among texts: it
        finds rows twice under RIGHT JOIN, and a text '1' for the number 1."""
        left, right = self.one_of(("v.t", "tr"), ("v.tn", "t"), ("v.i", "xn"), ("v.n", "t")), self.one_of(
            ("v.b", "x"), ("v.id", "i"), ("v.r", "n"), ("v.tr", "tn")
        )
        return f"({left[0]}, {right[0]}) IN (SELECT {left[1]}, {right[1]} FROM other)"

    def matches(self) -> str:
        if self.likely(0.5):
            pattern = self.one_of("'a%'", "'%b%'", "'G_LD%'", "'1%'", "''", "NULL", "1", "x'31'", "'É'", "o_")
            return f"{self.column()} LIKE {self.value() if pattern == 'o_' else pattern}"
        return f"{self.column()} GLOB {self.one_of(repr('a*'), repr('*b*'), repr('[aA]*'), repr('1*'), 'NULL', '10')}"

    def score(self) -> str:
        return self.one_of(
            "v.prediction = 'survived'",
            "v.probability > 0.6",
            "v.prediction IN ('died', 1)",
            "v.probability IS NOT NULL",
            "v.prediction LIKE 'S%'",
            "v.probability BETWEEN 0.5 AND 0.7",
            "v.prediction = 'DIED' COLLATE NOCASE",
        )

    def term(self) -> str:
        kind = self.chance.random()
        if kind < 0.5:
            return self.compare()
        if kind < 0.65:
            return self.inside()
        if kind < 0.73:
            return self.matches()
        if kind < 0.8:
            return f"{self.column()} {self.one_of('IS NULL', 'IS NOT NULL', 'ISNULL', 'NOTNULL')}"
        if kind < 0.86:
            return f"{self.column()} {self.one_of('', '', 'NOT ')}BETWEEN {self.value()} AND {self.value()}"
        if kind < 0.9:
            return f"({self.column()}, {self.column()}) {self.one_of('<', '>=', '=', '<=')} ({self.value()}, {self.value()})"
        if kind < 0.93:
            return f"EXISTS (SELECT 1 FROM other AS e WHERE e.{self.chance.choice(NAMES)} = {self.column()})"
        return self.score()

    def where(self, depth: int = 0) -> str:
        n = self.one_of(1, 1, 2, 2, 3) if depth else self.one_of(0, 1, 1, 2, 2, 3, 4)
        terms = [f"({self.where(depth + 1)})" if depth < 2 and self.likely(0.3) else self.term() for _ in range(n)]
        text = self.one_of(" AND ", " AND ", " OR ").join(terms)
        return f"NOT ({text})" if terms and self.likely(0.05) else text

    def order(self, whole: bool) -> str:
        """`whole`: no two rows are equal in it."""
        terms = []
        for _ in range(self.one_of(0, 1, 1, 2, 3)):
            column = self.one_of("v.prediction", "v.probability") if self.likely(0.1) else self.column()
            terms.append(
                column
                + self.collation()
                + self.one_of("", "", " ASC", " DESC", " DESC")
                + self.one_of("", "", "", " NULLS LAST", " NULLS FIRST")
            )
        if whole:
            terms += ["v.id" + self.one_of("", " DESC")] + (["o.id"] if self.joined else [])
        return " ORDER BY " + ", ".join(terms) if terms else ""

    def source(self) -> str:
        if not self.joined:
            return "@ AS v"
        on = f" ON {self.term()}" if self.likely(0.8) else ""
        kind = self.one_of("JOIN", "JOIN", "LEFT JOIN", "CROSS JOIN", "RIGHT JOIN", "FULL JOIN")
        a, b = ("@ AS v", "other AS o") if self.likely(0.5) else ("other AS o", "@ AS v")
        return f"{a} {kind} {b}{on}"

    def write(self) -> str:
        source = self.source()
        where = self.where()
        where = f" WHERE {where}" if where else ""
        ids = "v.id, o.id" if self.joined else "v.id"
        kind = self.chance.random()
        if kind < 0.1:
            return f"SELECT count(*), count(v.prediction), min(v.id) FROM {source}{where}"
        if kind < 0.2:
            key = self.column()
            return f"SELECT count(*), min(v.id), max(v.id), sum(v.probability > 0.6) FROM {source}{where} GROUP BY {key}, {self.column()} ORDER BY 2, 1"
        if kind < 0.25:
            return f"SELECT count(*) FROM (SELECT DISTINCT {self.column()}, {self.column()} FROM {source}{where})"
        columns = ", ".join(
            [ids]
            + [self.column() for _ in range(self.chance.randrange(3))]
            + self.one_of([], ["v.prediction", "v.probability"], ["v.probability"])
        )
        if kind < 0.5:
            return f"SELECT {columns} FROM {source}{where}{self.order(True)} LIMIT {self.one_of(1, 3, 40, -1)} {self.one_of('', 'OFFSET 2', 'OFFSET 33')}"
        if kind < 0.9:
            return f"SELECT {columns} FROM {source}{where}{self.order(True)}"
        return f"SELECT {columns} FROM {source}{where}"


# ---------------------------------------------------------------------- running them


def answer(connection: Any, query: Query, table: str) -> Any:
    try:
        rows = connection.execute(query.text.replace("@", table), query.values).fetchall()
    except Exception as error:
        if type(error).__module__ != "sqlite3":
            raise
        return str(error)
    return [repr(row) for row in rows] if " ORDER BY " in query.text else sorted(repr(row) for row in rows)


def plan(connection: Any, query: Query, table: str) -> str:
    rows = connection.execute("EXPLAIN QUERY PLAN " + query.text.replace("@", table), query.values)
    return "\n".join(row[3] for row in rows)


KINDS = ["WHERE", "ORDER BY", "IN (?..)", "IS ?", "COLLATE", "LIMIT", " < ", "IS NULL", "OR"]


def kinds_of(text: str) -> List[str]:
    """What of a query went to the source."""
    inner = " ".join(re.findall(r"VIRTUAL TABLE INDEX \d+:(.*)", text))
    kinds = [word for word in KINDS[:-1] if word in inner]
    return kinds + (["OR"] if "MULTI-INDEX OR" in text else [])


def run(connection: Any, table: str, copy: str, count: int, seed: int, what: str, seen: Counter, of: str = "") -> None:
    chance = random.Random(seed)
    wrong: Optional[str] = None
    nameless = table in ("keyed_v", "seen_v")  # a WITHOUT ROWID table, a view
    differences = errors = 0
    for _ in range(count):
        query = Query(chance)
        got, want = answer(connection, query, table), answer(connection, query, copy)
        errors += isinstance(want, str)
        seen.update(kinds_of(plan(connection, query, table)) if not isinstance(want, str) else [])
        if isinstance(got, str) and "have no rowid" in got and nameless and re.search("RIGHT|FULL", query.text):
            continue  # documented
        if got != want:
            differences += 1
            if wrong is None or len(query.text) < len(wrong.split("\n")[0]):
                wrong = f"{query.text}\n  {query.values}\n  {got if isinstance(got, str) else [r for r in got if r not in want][:3]} more,"
                wrong += f" {want if isinstance(want, str) else [r for r in want if r not in got][:3]} fewer\n{plan(connection, query, table)}"
    check(differences == 0, f"{what}: {differences} of {count} random queries differ, such as\n  {wrong}", of)
    check(errors < count // 10, f"{what}: {errors} of {count} random queries are no queries", of)
