"""What the tests of query shapes share: databases, one line of the shape table, what a shape's work is."""

from __future__ import annotations

import csv
import json
import re
import sqlite3
from typing import Any, List, Optional, Tuple, Union

from hbscore_test import CLASSES, TITANIC, ask, check, error_of, extension

FEATURES = ("pclass", "sex", "age", "sibsp", "parch", "fare", "embarked")
F = ", ".join(FEATURES)
P = f"predict('m', {F})"
CHANCE = f"predict_probability('m', {P}, {F})"  # of the predicted class
QUERY = f"SELECT id, {F} FROM t"
ROWS = 1000

Form = Union[str, Tuple[str, str]]  # a statement; the work it takes


def connect(path: str = ":memory:", uri: bool = False) -> sqlite3.Connection:
    connection = sqlite3.connect(path, isolation_level=None, uri=uri)
    connection.enable_load_extension(True)
    connection.load_extension(extension())
    return connection


def model_bytes() -> bytes:
    with open(TITANIC, "rb") as file:
        return file.read()


def register(connection: sqlite3.Connection, name: str = "m", rounds: int = 0) -> int:
    options = json.dumps({**json.loads(CLASSES), **({"rounds": rounds} if rounds else {})})
    return ask(connection, "SELECT hbscore_register(?, ?, ?)", name, model_bytes(), options)


def passengers() -> List[List[Any]]:
    """The Titanic's, with ages of all types: numbers, texts, whole numbers beyond 2^53, NULL."""
    rows: List[List[Any]] = []
    with open("demo/data/titanic.csv", encoding="utf-8") as file:
        for line in csv.DictReader(file):
            i, age = int(line["id"]), float(line["age"]) if line["age"] else None
            if age is not None:
                age = [age, str(age), int(age), 2**53 + 1, f" {age}"][i % 5 if i % 40 < 5 else 0]
            rows.append(
                [
                    i,
                    int(line["pclass"]),
                    line["sex"],
                    age,
                    int(line["sibsp"]),
                    int(line["parch"]),
                    float(line["fare"]) if line["fare"] else None,
                    line["embarked"] or None,
                ]
            )
    return rows[:ROWS]


DECLARED = "id INTEGER PRIMARY KEY, pclass INTEGER, sex TEXT COLLATE NOCASE, age, sibsp NUMERIC, parch INT, fare REAL, embarked TEXT"


def make_table(connection: sqlite3.Connection, name: str = "t", declared: str = DECLARED, rows: int = ROWS) -> None:
    connection.execute(f"CREATE TABLE {name}({declared})")
    connection.executemany(f"INSERT INTO {name} VALUES (?, ?, ?, ?, ?, ?, ?, ?)", passengers()[:rows])


def over(connection: sqlite3.Connection, source: str, name: Optional[str] = None) -> str:
    connection.execute(f"CREATE VIRTUAL TABLE {name or source + '_v'} USING hbscore(model='m', source='{source}')")
    return name or source + "_v"


def new_database(path: str = ":memory:", rows: int = ROWS) -> sqlite3.Connection:
    connection = connect(path)
    register(connection)
    make_table(connection, rows=rows)
    over(connection, "t", "v")
    connection.execute(f"SELECT {P} FROM t LIMIT 1").fetchall()  # the plan is made
    return connection


def scan(query: str = QUERY, model: str = "m") -> str:
    return "hbscore_scan('{}', '{}')".format(model, query.replace("'", "''"))


# ---------------------------------------------------------------------- one line of the table


def work_of(connection: sqlite3.Connection) -> str:
    """What happened since it was last asked: "1 resolve, 6 blocks of 1000 rows"."""
    found = re.fullmatch(r"(\d+) resolves, (\d+) loads, (\d+) calls, (\d+) blocks of (\d+) rows", ask(connection, "SELECT hbscore_counts()"))
    assert found
    resolves, loads, calls, blocks, rows = map(int, found.groups())
    words = [f"{n} {name if n == 1 else name + 's'}" for n, name in ((resolves, "resolve"), (loads, "load"), (calls, "call")) if n]
    if blocks:
        words.append(f"{blocks} block{'s' if blocks > 1 else ''} of {rows} rows")
    return ", ".join(words) or "nothing"


def bits(value: Any) -> Any:
    return value.hex() if isinstance(value, float) else value


def rows_of(connection: sqlite3.Connection, sql: str) -> Any:
    try:
        return [tuple(bits(value) for value in row) for row in connection.execute(sql).fetchall()]
    except sqlite3.Error as error:
        return f"error: {error}"


def line(group: str, name: str, result: str, details: str = "") -> None:
    print(f"shape | {group} | {name} | {result}{' | ' + details if details else ''}")


def shape(connection: sqlite3.Connection, group: str, name: str, of: str = "", want: Any = None, **forms: Form) -> None:
    """`want`: the rows, where they are not only compared with each other."""
    answers, details, right = [], [], True
    for form, written in forms.items():
        sql, expected = (written, None) if isinstance(written, str) else written
        work_of(connection)
        answer = rows_of(connection, sql)
        work = work_of(connection)
        answers.append(answer)
        details.append(f"{form}: {work}")
        if expected is not None and sqlite3.sqlite_version_info[:2] == (3, 40):
            right &= check(work == expected, f"{group}, {name}, {form}: {work}, expected {expected}\n  {sql}", of)
    first = answers[0] if want is None else want
    equal = all(answer == first for answer in answers) and not isinstance(first, str) and (want is not None or first != [])
    right &= check(equal, f"{group}, {name}: the answers differ: " + "\n  ".join(f"{len(a)}: {a!r:.300}" for a in [first, *answers]), of)
    line(group, name, ("equal" if len(forms) > 1 else "right") if right else "WRONG", " | ".join(details))


def fact(group: str, name: str, ok: bool, what: str = "", of: str = "") -> None:
    check(bool(ok), f"{group}, {name}: {what}", of)
    line(group, name, "right" if ok else "WRONG")


def refused(connection: sqlite3.Connection, group: str, name: str, sql: str, words: str, of: str = "") -> None:
    text = error_of(connection, sql)
    check(words in text, f"{group}, {name}: {text}", of)
    line(group, name, "refused" if words in text else "WRONG", text)
