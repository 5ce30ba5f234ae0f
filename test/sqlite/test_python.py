#!/usr/bin/python3
"""hbscore from Python's own sqlite3 module: test_python.py [EXTENSION]

Every golden model is registered and scored through SQL, in every form that a row can have; the answers
must be the training library's own, by the rule that the golden names; a model without rows must be refused.
Each folder of test/golden with a COVERAGE is one library. Then what an application does: bound references, cached statements, dumps, UTF-16.
Needs no packages. HBSCORE_SO names the extension where no argument does. GOLDEN=pattern: only those."""

from __future__ import annotations

import fnmatch
import glob
import json
import os
import sqlite3
import sys
import tempfile
from typing import Any

from hbscore_test import CHANCE, GOLDEN, PASSENGER, Golden, ask, chance, check, error_of, extension, finish, score_golden, titanic


def connect(path: str = ":memory:", **options: Any) -> sqlite3.Connection:
    connection = sqlite3.connect(path, isolation_level=None, **options)
    connection.enable_load_extension(True)
    connection.load_extension(EXTENSION)
    return connection


def test_library(folder: str) -> int:
    """The number of its models."""
    connection = connect()
    models = rows = differences = 0
    for path in sorted(glob.glob(os.path.join(folder, "*.golden"))):
        if not fnmatch.fnmatch(os.path.basename(path), os.environ.get("GOLDEN", "*")):
            continue
        scored, wrong = score_golden(connection, path)
        models, rows, differences = models + 1, rows + scored, differences + wrong
    print(f"sqlite: {os.path.basename(folder)}: {models} models, {rows} rows, {differences} differences")
    connection.close()
    return models


def test_golden() -> None:
    folders = sorted(os.path.dirname(path) for path in glob.glob(os.path.join(GOLDEN, "*", "COVERAGE")))
    models = {os.path.basename(folder): test_library(folder) for folder in folders}
    if "GOLDEN" in os.environ:
        check(sum(models.values()) > 0, "there are golden models of that name")
    else:
        check(bool(models) and all(models.values()), f"there are golden models: {models}")


# ---------------------------------------------------------------------- what applications do


def test_types_of_results() -> None:
    connection = connect()
    titanic(connection)
    check(chance(connection) == CHANCE, "a probability is a float")
    check(ask(connection, "SELECT predict('titanic', ?, ?, ?, ?, ?, ?, ?)", *PASSENGER) == "survived", "a text label is a str")
    check(titanic(connection, "{}") == 2, "a version is an int")
    label = ask(connection, "SELECT predict('titanic', ?, ?, ?, ?, ?, ?, ?)", *PASSENGER)
    check(label == 1 and isinstance(label, int), "a class number is an int")
    answer = json.loads(ask(connection, "SELECT predict_json('titanic@1', ?)", json.dumps(PASSENGER)))
    check(answer["model"] == "titanic@1" and answer["probabilities"]["survived"] == CHANCE, "predict_json is JSON")
    connection.close()


def test_bound_references() -> None:
    """A statement that Python keeps prepared sees the version of each execution."""
    connection = connect()
    titanic(connection)
    check(chance(connection) == CHANCE, "version 1", "L1")
    titanic(connection, '{"classes": ["died", "survived"], "rounds": 1}')
    other = chance(connection)
    check(other != CHANCE, "the same statement sees version 2", "L1")
    check(chance(connection, "titanic@1") == CHANCE and chance(connection, "titanic@2") == other, "versions by parameter", "L1")
    check(chance(connection, None) is None, "a NULL reference", "S3")
    text = error_of(connection, "SELECT predict(?, 1)", 5)
    check("a model reference is text" in text, text, "S2")
    text = error_of(connection, "SELECT predict(?, 1)", "x\0y")
    check("is not a model reference" in text, text, "S7")
    text = error_of(connection, "SELECT predict('titanic', ?)", b"{}")
    check("takes 7 features" in text, text, "S1")
    connection.close()


def test_special_numbers() -> None:
    connection = connect()
    titanic(connection)
    want = ask(connection, "SELECT predict_proba('titanic', 1, 'male', NULL, 0, 0, 10, 'S')")
    for missing in (float("nan"), "nan", None):
        check(ask(connection, "SELECT predict_proba('titanic', 1, 'male', ?, 0, 0, 10, 'S')", missing) == want,
              f"{missing!r} is missing", "S4")
    for big in (float("inf"), -float("inf"), 2**63 - 1, -(2**63), 5e-324, 1.7976931348623157e308, "1e308", -0.0):
        check(ask(connection, "SELECT predict_probability('titanic', 'died', 1, 'male', ?, 0, 0, ?, 'S')", big, big) is not None,
              f"{big!r} is a number", "S4")
    connection.close()


def test_wide_rows() -> None:
    """More features than SQLite passes as arguments go in as JSON; so does any count."""
    connection = connect()
    golden = Golden(os.path.join(GOLDEN, "xgboost/wide_sparse_34.golden"))
    n = len(golden.features)
    with open(os.path.join(GOLDEN, "xgboost", golden.texts["model"]), "rb") as file:
        connection.execute("SELECT hbscore_register('wide', ?)", (file.read(),))
    check(n > 126, f"{n} features", "S1")
    for count in (0, 1, 125, 126):
        text = error_of(connection, f"SELECT predict('wide'{', 1' * count})")
        check(f"takes {n} features, got {count}" in text, text, "S1")
    text = error_of(connection, f"SELECT predict('wide'{', 1' * 127})")
    check("too many arguments" in text or "got 127" in text, text, "S1")  # as SQLite was built
    text = error_of(connection, "SELECT predict('wide', ?)", json.dumps([1] * (n - 1)))
    check(f"got {n - 1}" in text, text, "S1")
    check(ask(connection, "SELECT predict('wide', ?)", json.dumps([None] * n)) is not None, "a JSON row", "S1")
    connection.close()


def test_utf16() -> None:
    connection = connect()
    connection.execute("PRAGMA encoding = 'UTF-16le'")
    titanic(connection)
    check(chance(connection) == CHANCE, "a database of UTF-16")
    connection.execute("CREATE TABLE row AS SELECT 'female' AS sex, 'titanic' AS model, 'survived' AS class")
    check(ask(connection, "SELECT predict_probability(model, class, 1, sex, 29, 0, 0, 211.3375, 'S') FROM row") == CHANCE,
          "texts from a table of UTF-16")
    text = error_of(connection, "SELECT predict('titanic', 1, sex || '🍷', 29, 0, 0, 1, 'S') FROM row")
    check('"female🍷"' in text, text)
    connection.close()


def test_copies(folder: str) -> None:
    """The models are rows: every way to copy a database copies them, with digest and scores."""
    path = os.path.join(folder, "original.db")
    original = connect(path)
    titanic(original)
    digest = ask(original, "SELECT sha256 FROM hbscore_models")
    check(ask(original, "SELECT hbscore_deploy('titanic', 1, 'champion')") == 1, "deployed", "R5")
    original.commit()
    original.execute("VACUUM INTO ?", (os.path.join(folder, "vacuumed.db"),))
    backup = sqlite3.connect(os.path.join(folder, "backup.db"))
    original.backup(backup)
    backup.close()
    dumped = sqlite3.connect(os.path.join(folder, "dumped.db"))
    dumped.executescript("\n".join(original.iterdump()))
    dumped.close()
    names = ["vacuumed", "backup", "dumped", "piped"]
    commands = {"piped": ".dump"}
    if "no such table" not in error_of(original, "SELECT 1 FROM sqlite_dbpage LIMIT 0"):
        commands["recovered"] = ".recover"  # Debian's SQLite is built without what it needs
        names.append("recovered")
    original.close()
    for name, command in commands.items():
        status = os.system(f"sqlite3 {path} {command} | sqlite3 {folder}/{name}.db")
        check(status == 0, command, "R5")
    for name in names:
        copy = connect(os.path.join(folder, name + ".db"))
        check(ask(copy, "SELECT sha256 FROM hbscore_models") == digest, f"{name}: the digest", "R5")
        check(chance(copy) == CHANCE, f"{name}: the score", "R5")
        check(chance(copy, "titanic@champion") == CHANCE, f"{name}: the alias", "R5")
        check(titanic(copy) == 2, f"{name}: the next version", "R5")
        copy.close()


def test_python_own(folder: str) -> None:
    """Its statement cache keeps statements open until close; its threads check is off here."""
    connection = connect(os.path.join(folder, "cached.db"), cached_statements=100)
    titanic(connection)
    for i in range(50):
        check(ask(connection, f"SELECT predict_probability('titanic', 'survived', 1, 'female', 29, 0, 0, 211.3375, 'S'), {i}") == CHANCE, "cached")
    cursor = connection.execute("SELECT predict('titanic', 1, 'female', 29, 0, 0, 211, 'S') FROM hbscore_models")
    cursor.fetchone()
    connection.close()
    connection = connect(f"file:{folder}/cached.db?mode=ro", uri=True)
    check(chance(connection) == CHANCE, "read only", "R3")
    text = error_of(connection, "SELECT hbscore_drop('titanic')")
    check("readonly" in text, text, "R3")
    connection.close()


def test_every_type() -> None:
    """S8: every function with every type in every place; a value or an error of SQLite's, never a crash."""
    connection = connect()
    titanic(connection)
    values = ["NULL", "0", "-1", "9223372036854775807", "1.5", "9e999", "''", "'titanic'", "'titanic@1'", "'survived'", "'{}'",
              "'[1]'", "x''", "x'00ff'", "zeroblob(1000)", "json('[1,\"female\",29,0,0,211.3375,\"S\"]')", "char(0)", "'" + "y" * 300 + "'"]
    functions = ["predict", "predict_label", "predict_probability", "predict_proba", "predict_values", "decision_function",
                 "predict_json", "predict_probabilities", "predict_top", "transform", "hbscore_register", "hbscore_deploy", "hbscore_drop", "hbscore_drop_aliases", "hbscore_set",
                 "hbscore_get"]
    calls = [f"{f}({v})" for f in functions for v in values]
    calls += [f"{f}({v}, {w})" for f in functions for v in values for w in values]
    calls += [f"{f}('titanic', {v}, {w})" for f in functions for v in values for w in values]
    calls += [f"predict('titanic', 1, {v}, {w}, 0, 0, {v}, {w})" for v in values for w in values]
    seed = 12345
    for _ in range(1500):  # nested, by a generator that is the same everywhere
        call = values[seed % len(values)]
        for _ in range(4):
            seed = (seed * 1103515245 + 12345) % 2**31
            f, v = functions[seed // 7 % len(functions)], values[seed // 131 % len(values)]
            call = f"{f}({v}, {call})" if seed & 4096 else f"{f}({call}, {v})"
        calls.append(call)
    connection.execute("BEGIN")
    for call in calls:
        try:
            connection.execute(f"SELECT {call}").fetchall()
            check(True, call, "S8")
        except sqlite3.Error as error:
            check(str(error) not in ("", "not an error", "unknown error") and "internal" not in str(error), f"{call}: {error}", "S8")
    connection.execute("ROLLBACK")
    check(chance(connection) == CHANCE, "all is well afterwards", "S8")
    connection.close()


def test_values_that_are_read() -> None:
    """How often a function of the application is called for each column, by scans and virtual tables."""
    connection = connect()
    calls: dict[str, int] = {}

    def seen(name: str, value: Any) -> Any:
        calls[name] = calls.get(name, 0) + 1
        return value

    def counts(query: str, *values: Any) -> dict[str, int]:
        calls.clear()
        connection.execute(query, values).fetchall()
        return dict(calls)

    connection.create_function("seen", 2, seen)
    with open(os.path.join(GOLDEN, "xgboost", "regressor_34.json"), "rb") as file:
        model = json.load(file)
    trees = model["learner"]["gradient_booster"]["model"]["trees"]
    for tree in trees:  # of four features the first and the last stay in use
        tree["split_indices"] = [3 if i in (1, 2) else i for i in tree["split_indices"]]
    connection.execute("SELECT hbscore_register('two', ?, '{\"features\": [\"a\", \"b\", \"c\", \"d\"]}')", (json.dumps(model).encode(),))
    connection.execute("CREATE TABLE t(id INTEGER PRIMARY KEY, a, b, c, d)")
    connection.executemany("INSERT INTO t VALUES (?, ?, ?, ?, ?)", [(i, i % 3, i % 5, i % 7, i % 11) for i in range(100)])
    columns = ", ".join(f"seen('{c}', {c}) AS {c}" for c in "abcd")
    connection.execute(f"CREATE VIEW v AS SELECT id, {columns} FROM t")
    connection.execute("CREATE VIRTUAL TABLE s USING hbscore(model=two, source=v)")
    used = {"a": 100, "d": 100}
    scan = f"SELECT seen('id', id), {columns} FROM t"
    check(counts("SELECT prediction FROM hbscore_scan('two', ?)", scan) == used, f"a scan: {calls}")
    check(counts("SELECT * FROM hbscore_scan('two', ?)", scan) == {"id": 100, **used}, f"a scan with its key: {calls}")
    check(counts("SELECT key FROM hbscore_scan('two', ?)", scan) == {"id": 100}, f"a scan's key: {calls}")
    check(counts("SELECT prediction FROM hbscore_scan('two', ?)", f"{scan} ORDER BY c") == {"c": 100, **used}, f"a scan in an order: {calls}")
    check(counts("SELECT prediction FROM s") == used, f"a virtual table: {calls}")
    check(counts("SELECT b, prediction FROM s") == {"b": 100, **used}, f"a virtual table with a column: {calls}")
    check(counts("SELECT b FROM s WHERE id < 5") == {"b": 5}, f"a virtual table's column: {calls}")
    check(counts("SELECT prediction FROM s WHERE id < 5") == {"a": 5, "d": 5}, f"some rows of a virtual table: {calls}")
    check(counts(f"SELECT predict('two', {', '.join(f'seen({c!r}, {c})' for c in 'abcd')}) FROM t") == {c: 100 for c in "abcd"},
          f"SQLite computes the arguments of a function: {calls}")
    connection.close()


def test_instruction_set() -> None:
    """A name in the environment that is none is an error, and no guess."""
    connection = connect()
    titanic(connection)
    os.environ["HBSCORE_INSTRUCTION_SET"] = "avx3"
    for statement in (
        "SELECT * FROM hbscore_plan('titanic')",
        "SELECT prediction FROM hbscore_scan('titanic', 'SELECT 1, * FROM (VALUES (1, 2, 29, 0, 0, 211, 3))')",
    ):
        fault = error_of(connection, statement)
        check('HBSCORE_INSTRUCTION_SET is "avx3": it takes portable, avx2, avx512 or avx512vbmi' in fault, f"{statement}: {fault}")
    connection.close()
    connection = connect()
    fault = error_of(connection, "SELECT hbscore_register('m', ?)", open("demo/models/titanic.json", "rb").read())
    check('HBSCORE_INSTRUCTION_SET is "avx3"' in fault, f"register: {fault}")
    os.environ["HBSCORE_INSTRUCTION_SET"] = "portable"
    titanic(connection)
    check(chance(connection) == CHANCE, "a name that there is")
    del os.environ["HBSCORE_INSTRUCTION_SET"]
    connection.close()


def main() -> int:
    test_golden()
    test_types_of_results()
    test_bound_references()
    test_special_numbers()
    test_wide_rows()
    test_utf16()
    with tempfile.TemporaryDirectory() as folder:
        test_copies(folder)
        test_python_own(folder)
    test_values_that_are_read()
    test_every_type()
    test_instruction_set()
    return finish()


if __name__ == "__main__":
    os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
    EXTENSION = extension()
    sys.exit(main())
