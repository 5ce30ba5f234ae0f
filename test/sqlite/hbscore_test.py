"""What the Python tests of the SQLite extension share: counting, asking, golden models through SQL.

A connection is one of Python's own sqlite3 or of apsw. Programs run in the repository's root."""

from __future__ import annotations

import json
import math
import os
import struct
import sys
import urllib.parse
from typing import Any, Dict, List, Optional, Tuple, Set

GOLDEN = "test/golden"
MAX_ARGUMENTS = 120  # 127 in Debian's SQLite, with the reference and a class

passed = 0
failed = 0
classes: Dict[str, List[int]] = {}


def check(ok: bool, what: str, of: str = "") -> bool:
    """Counts one case, of a class of test/classes.txt if it is of one."""
    global passed, failed
    if ok:
        passed += 1
    else:
        failed += 1
        if failed <= 50:
            print(f"FAILED  {of + ': ' if of else ''}{what}")
    if of:
        counts = classes.setdefault(of, [0, 0])
        counts[0] += 1
        counts[1] += not ok
    return ok


def finish() -> bool:
    """Prints the sums; whether anything failed."""
    for name, (cases, failures) in sorted(classes.items()):
        print(f"class {name}: {cases} cases, {failures} failures")
    print(f"{passed} passed, {failed} failed")
    return failed > 0


def extension() -> str:
    """The path to load, without .so: the program's argument, or HBSCORE_SO."""
    path = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else os.environ.get("HBSCORE_SO", "build/hbscore.so"))
    return path[: -len(".so")] if path.endswith(".so") else path


def ask(connection: Any, sql: str, *values: Any) -> Any:
    row = connection.execute(sql, values).fetchone()
    return row[0] if row else None


def error_of(connection: Any, sql: str, *values: Any) -> str:
    """The text of SQLite's error: apsw puts the name of its class before it."""
    try:
        return f"no error but {connection.execute(sql, values).fetchall()!r}"
    except Exception as error:
        if type(error).__module__ not in ("sqlite3", "apsw"):
            raise
        return str(error).removeprefix(type(error).__name__ + ": ")


# ---------------------------------------------------------------------- golden files


def bits64(word: str) -> float:
    return struct.unpack(">d", bytes.fromhex(word.ljust(16, "0")))[0]


def bits32(word: str) -> float:
    return struct.unpack(">f", bytes.fromhex(word.ljust(8, "0")))[0]


def cells_of(word: str) -> List[Any]:
    """One cell, or several NULLs. Texts are bytes: Python cannot bind a text that is not UTF-8."""
    kind, rest = word[0], word[1:]
    if kind == "-":
        return [None] * int(rest or 1)
    if kind == "d":
        return [bits64(rest)]
    if kind in "sD":
        return [bits32(rest)]
    if kind == "i":
        return [int(rest)]
    if kind == "b":
        return [rest == "1"]
    assert kind == "t", word
    return [urllib.parse.unquote_to_bytes(rest)]


def number(word: str) -> float:
    return bits64(word[1:]) if word[0] == "d" else bits32(word[1:]) if word[0] == "s" else float(int(word))


class Golden:
    """A file's lines; README.md beside the goldens says what they mean."""

    def __init__(self, path: str) -> None:
        self.texts: Dict[str, str] = {}
        self.features: List[str] = []
        self.outputs: List[Tuple[str, str]] = []  # kind, rule
        self.rows: List[Tuple[List[Any], List[Any]]] = []  # cells, one list of numbers or a fate per output
        with open(path, encoding="utf-8") as lines:
            for line in lines:
                key, _, rest = line.rstrip("\n").partition(" ")
                if key == "feature":
                    self.features.append(rest.split()[0])
                elif key == "output":
                    words = rest.split() + ["exact"]
                    self.outputs.append((words[0], "exact" if words[0] == "label" else words[2]))
                elif key == "row":
                    cells, *groups = [part.split() for part in rest.split(" | ")]
                    self.rows.append(([c for word in cells for c in cells_of(word)], self.groups(groups)))
                else:
                    self.texts[key] = rest

    @staticmethod
    def groups(groups: List[List[str]]) -> List[Any]:
        """The numbers of each output, or its row's fate; `=` are the first one's."""
        answers: List[Any] = []
        for words in groups:
            if words == ["="]:
                answers.append(answers[0])
            else:
                answers.append(words[0] if words[0] in ("error", "null") else [number(w) for w in words])
        return answers


def same(got: float, want: float, rule: str) -> bool:
    if got == want or (math.isnan(got) and math.isnan(want)):
        return True
    if rule == "ulp1":
        a, b = (struct.unpack(">i", struct.pack(">f", x))[0] for x in (got, want))
        return abs(a - b) <= 1
    if rule.startswith("abs:"):
        return abs(got - want) <= float(rule[4:])
    return rule.startswith("rel:") and abs(got - want) <= float(rule[4:]) * abs(want)


def from_json(value: Any) -> List[float]:
    numbers = (math.nan if x is None else x for x in json.loads(value))
    return [float(x.replace("Infinity", "inf")) if isinstance(x, str) else float(x) for x in numbers]


# ---------------------------------------------------------------------- rows in all forms


def as_json(cells: List[Any], names: Optional[List[str]]) -> Optional[str]:
    """None where JSON cannot hold the row: it knows no infinities and no bytes that are not UTF-8."""
    plain = []
    for c in cells:
        if isinstance(c, float) and math.isnan(c):
            c = None
        if isinstance(c, float) and math.isinf(c):
            return None
        if isinstance(c, bytes):
            try:
                c = c.decode()
            except UnicodeDecodeError:
                return None
        plain.append(c)
    if names is None:
        return json.dumps(plain)
    named = dict(zip(names, plain))
    return json.dumps({"not a feature": [1], **dict(reversed(list(named.items())))}, ensure_ascii=False)



def fate_of(groups: List[Any]) -> str:
    return groups[0] if isinstance(groups[0], str) else "scored"


def rows_unlike(golden: Golden) -> Set[int]:
    """Rows that the library refuses with a cell that it takes in no row. hbscore gives an answer if it depends on no such
    cell; the suite golden compares that answer with the one of the row without these cells."""
    taken = [cells for cells, groups in golden.rows if fate_of(groups) == "scored"]
    known = [{repr(cells[f]) for cells in taken} for f in range(len(golden.features))]
    return {
        i
        for i, (cells, groups) in enumerate(golden.rows)
        if fate_of(groups) != "scored" and any(repr(c) not in known[f] for f, c in enumerate(cells))
    }


def load_rows(connection: Any, golden: Golden, named: bool) -> None:
    """One table: the cells in columns of no type, and the row as JSON in both forms."""
    n = len(golden.features)
    columns = ", ".join(f"c{i}" for i in range(n))
    connection.execute("DROP TABLE IF EXISTS cells")
    connection.execute(f"CREATE TABLE cells(id INTEGER PRIMARY KEY, placed, named, fate, {columns})")
    names = [urllib.parse.unquote(f) for f in golden.features] if named else None
    for i, (cells, groups) in enumerate(golden.rows):
        marks = ", ".join("CAST(? AS TEXT)" if isinstance(c, bytes) else "?" for c in cells)
        fate = fate_of(groups)
        connection.execute(
            f"INSERT INTO cells VALUES (?, ?, ?, ?, {marks})",
            [i, as_json(cells, None), as_json(cells, names) if named else None, fate, *cells],
        )


FUNCTIONS = {
    "raw": "decision_function",
    "probabilities": "predict_proba",
    "values": "predict_values",
    "value": "predict",
    "label": "predict_label",
    "transform": "transform",
}


def compare(kind: str, rule: str, got: Any, want: List[float], labels: List[Any]) -> bool:
    if got is None:
        return all(math.isnan(w) for w in want)
    if kind == "label":
        return got == labels[int(want[0])]
    if kind == "value":
        return same(got, want[0], rule)
    numbers = from_json(got)
    return len(numbers) == len(want) and all(same(g, w, rule) for g, w in zip(numbers, want))


def labels_of(connection: Any, model: bytes, options: Optional[str]) -> List[Any]:
    """The classes in their own types, as hbscore_inspect names them."""
    rows = connection.execute("SELECT name, type FROM hbscore_inspect(?, ?) WHERE role = 'class'", (model, options))
    own = {"text": str, "integer": int, "number": float, "boolean": lambda name: int(name == "true")}
    return [own[kind](name) for name, kind in rows]


def score_form(connection: Any, golden: Golden, form: str, labels: List[Any], name: str) -> int:
    """All rows in one statement; the number of differences."""
    calls = ", ".join(f"{FUNCTIONS[kind]}(:m, {form})" for kind, _ in golden.outputs)
    where = "" if form.startswith("c0") else f"AND {form} IS NOT NULL"
    rows = connection.execute(f"SELECT id, {calls} FROM cells WHERE fate <> 'error' {where}", {"m": name})
    differences, unlike = 0, rows_unlike(golden)
    for i, *answers in rows:
        for (kind, rule), got, want in zip(golden.outputs, answers, golden.rows[i][1]):
            ok = got is None or i in unlike if want == "null" else compare(kind, rule, got, want, labels)
            if not ok and differences == 0:
                print(f"        {name}, row {i}, {kind}, {form[:20]}: {got!r}, want {want!r}")
            differences += not ok
    for (i,) in connection.execute(f"SELECT id FROM cells WHERE fate = 'error' {where}").fetchall():
        text = error_probe_row(connection, f"SELECT {calls} FROM cells WHERE id = :id", name, i)
        differences += not (text.startswith('model "') or (not text and i in unlike))
    return differences


def error_probe_row(connection: Any, query: str, name: str, i: int) -> str:
    """The error's text; "": there is none."""
    try:
        connection.execute(query, {"m": name, "id": i}).fetchall()
    except Exception:  # sqlite3's or apsw's
        return error_of(connection, query.replace(":m", "?1").replace(":id", "?2"), name, i)
    return ""


def score_golden(connection: Any, path: str) -> Tuple[int, int]:
    golden = Golden(path)
    options = golden.texts.get("options")
    folder = os.path.dirname(path)
    name = os.path.join(os.path.basename(folder), os.path.basename(path))
    with open(os.path.join(folder, golden.texts["model"]), "rb") as file:
        model = file.read()
    if not golden.rows:
        text = error_of(connection, "SELECT hbscore_register(?, ?, ?)", name, model, options)
        check(text.startswith(f'model "{name}": '), f"{name} is refused: {text}")
        return 0, 0
    version = ask(connection, "SELECT hbscore_register(?, ?, ?)", name, model, options)
    check(version == 1, f"{name} is registered")
    labels = labels_of(connection, model, options)
    only_transforms = golden.outputs[0][0] == "transform"
    named = "no names" not in error_probe(connection, name, "transform" if only_transforms else "predict_json")
    load_rows(connection, golden, named)
    forms = ["placed"] + (["named"] if named else [])
    if takes_one_text(connection, model):  # then a row is JSON only if a JSON function says so
        forms = [f"json({form})" for form in forms]
    if len(golden.features) <= MAX_ARGUMENTS:
        forms.append(", ".join(f"c{i}" for i in range(len(golden.features))))
    if "whose labels are texts" in error_probe(connection, name, "predict_values"):
        leave_out(golden, "values")
    differences = sum(score_form(connection, golden, form, labels, name) for form in forms) if golden.outputs else 0
    check(differences == 0, f"{name}: {differences} answers differ")
    return len(golden.rows), differences


def leave_out(golden: Golden, kind: str) -> None:
    """The answers of this kind: SQL has no numbers for labels that are texts."""
    kept = [i for i, output in enumerate(golden.outputs) if output[0] != kind]
    golden.outputs = [golden.outputs[i] for i in kept]
    if kept:
        golden.rows = [(cells, [groups[i] for i in kept]) for cells, groups in golden.rows]


def takes_one_text(connection: Any, model: bytes) -> bool:
    rows = connection.execute("SELECT type FROM hbscore_inspect(?) WHERE role = 'feature'", (model,)).fetchall()
    return [kind for (kind,) in rows] == ["text"]


def error_probe(connection: Any, name: str, function: str) -> str:
    return error_of(connection, f"SELECT {function}(?, json('{{}}'))", name)


# ---------------------------------------------------------------------- the Titanic's model

TITANIC = "demo/models/titanic.json"
CLASSES = '{"classes": ["died", "survived"]}'
PASSENGER = (1, "female", 29.0, 0, 0, 211.3375, "S")
CHANCE = 0.91241276264190674  # XGBoost's, from demo/expected/titanic.csv


def titanic(connection: Any, options: str = CLASSES) -> int:
    with open(TITANIC, "rb") as file:
        return ask(connection, "SELECT hbscore_register('titanic', ?, ?)", file.read(), options)


def chance(connection: Any, model: Any = "titanic") -> Any:
    return ask(connection, "SELECT predict_probability(?, 'survived', ?, ?, ?, ?, ?, ?, ?)", model, *PASSENGER)
