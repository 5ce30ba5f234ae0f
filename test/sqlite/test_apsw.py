#!/usr/bin/python3
"""hbscore from apsw, the other SQLite module of Python: test_apsw.py [EXTENSION]

Some golden models with all their rows, and what is apsw's own: classes of errors, threads, closing. Needs
Debian's python3-apsw. HBSCORE_SO names the extension where no argument does."""

from __future__ import annotations

import os
import sys
import tempfile
import threading
from typing import Any, List, Type

import apsw

from hbscore_test import CHANCE, GOLDEN, PASSENGER, TITANIC, ask, chance, check, extension, finish, score_golden, titanic

MODELS = ["xgboost/classes_option_34", "xgboost/cats_text_34", "xgboost/targets_in_leaf_34", "lightgbm/pandas_text_33",
          "lightgbm/multiclass_47", "catboost/ctr_default_12", "catboost/classes_text_12"]
ONE_ROUND = '{"classes": ["died", "survived"], "rounds": 1}'


def connect(path: str = ":memory:", **options: Any) -> apsw.Connection:
    connection = apsw.Connection(path, **options)
    connection.enableloadextension(True)
    connection.loadextension(EXTENSION)
    connection.enableloadextension(False)
    connection.setbusytimeout(30000)
    return connection


def fails(connection: apsw.Connection, kind: Type[apsw.Error], code: int, words: str, sql: str, *values: Any, of: str = "L8") -> None:
    """The statement raises this class, with SQLite's code and a text that holds the words."""
    try:
        got = f"no error but {connection.execute(sql, values).fetchall()!r}"
        check(False, f"{sql}: {got}", of)
    except apsw.Error as error:
        ok = type(error) is kind and error.result == code and words in str(error)
        check(ok, f"{sql}: {type(error).__name__} {error.result} {error}, want {kind.__name__} {code} .. {words} ..", of)


def test_golden() -> None:
    connection = connect()
    rows = differences = 0
    for name in MODELS:
        scored, wrong = score_golden(connection, os.path.join(GOLDEN, name + ".golden"))
        check(scored > 0, f"{name} has rows")
        rows, differences = rows + scored, differences + wrong
    print(f"apsw: {len(MODELS)} golden models, {rows} rows, {differences} differences")
    connection.close()


def test_types_of_results() -> None:
    connection = connect()
    check(titanic(connection) == 1, "a version is an int")
    check(chance(connection) == CHANCE, "a probability is a float, to the last bit")
    check(ask(connection, "SELECT predict('titanic', ?, ?, ?, ?, ?, ?, ?)", *PASSENGER) == "survived", "a text label is a str")
    check(chance(connection, None) is None, "a NULL is None", "S3")
    named = {"class": 1, "age": 29.0}
    sql = "SELECT predict_probability('titanic', 'survived', :class, 'female', :age, 0, 0, 211.3375, 'S')"
    check(connection.execute(sql, named).fetchall() == [(CHANCE,)], "named parameters")
    many = list(connection.executemany("SELECT predict('titanic', ?, 'female', 29, 0, 0, 211, 'S')", [(1,), (2,), (3,)]))
    check(len(many) == 3 and many[0] == ("survived",), "executemany")
    connection.close()


def test_errors() -> None:
    connection = connect()
    fails(connection, apsw.SQLError, apsw.SQLITE_ERROR, 'unknown model "titanic"', "SELECT predict('titanic', 1)")
    titanic(connection)
    fails(connection, apsw.SQLError, apsw.SQLITE_ERROR, "takes 7 features", "SELECT predict('titanic', 1)", of="S1")
    fails(connection, apsw.SQLError, apsw.SQLITE_ERROR, 'model "bad": ', "SELECT hbscore_register('bad', ?)", b"\x00" * 100)
    fails(connection, apsw.SQLError, apsw.SQLITE_ERROR, 'unknown option "class"', "SELECT hbscore_register('bad', ?, ?)", b"{}", '{"class": 1}')
    ask(connection, "SELECT hbscore_set('max_model_size', 1000)")
    fails(connection, apsw.TooBigError, apsw.SQLITE_TOOBIG, "max_model_size (1000)", "SELECT hbscore_register(?, model) FROM hbscore_models", "again")
    ask(connection, "SELECT hbscore_set('max_model_size', 67108864)")
    check(chance(connection) == CHANCE, "all is well behind errors")
    connection.close()


def test_errors_of_the_file(path: str) -> None:
    """What SQLite says about the file has its own class."""
    writer = connect(path)
    titanic(writer)
    reader = connect(path, flags=apsw.SQLITE_OPEN_READONLY)
    check(chance(reader) == CHANCE, "read only", "R3")
    fails(reader, apsw.ReadOnlyError, apsw.SQLITE_READONLY, "readonly", "SELECT hbscore_drop('titanic')", of="R3")
    reader.close()
    other = connect(path)
    other.setbusytimeout(0)
    writer.execute("BEGIN IMMEDIATE")
    fails(other, apsw.BusyError, apsw.SQLITE_BUSY, "locked", "SELECT hbscore_drop('titanic')", of="R3")
    check(chance(other) == CHANCE, "it scores while another one writes", "R3")
    writer.execute("ROLLBACK")
    writer.execute("PRAGMA max_page_count = 1")
    with open(TITANIC, "rb") as file:
        fails(writer, apsw.FullError, apsw.SQLITE_FULL, "full", "SELECT hbscore_register('titanic', ?)", file.read(), of="R3")
    check(chance(writer) == CHANCE, "the old version scores", "R3")
    writer.setauthorizer(lambda action, a, *rest: apsw.SQLITE_DENY if a == "hbscore_models" else apsw.SQLITE_OK)
    fails(writer, apsw.AuthError, apsw.SQLITE_AUTH, "prohibited", "SELECT predict('titanic' || '@1', 1)", of="L7")
    writer.close()
    other.close()


def test_interrupt() -> None:
    connection = connect()
    titanic(connection)
    rows = ("WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 1000000)"
            " SELECT sum(predict_probability('titanic', 'survived', 1, 'female', i, 0, 0, 211, 'S')) FROM n")
    connection.setprogresshandler(lambda: True, 10000)
    fails(connection, apsw.InterruptError, apsw.SQLITE_INTERRUPT, "interrupt", rows, of="R2")
    connection.setprogresshandler(None)
    check(chance(connection) == CHANCE, "it scores afterwards", "R2")
    connection.close()


def test_two_connections(path: str) -> None:
    one, two = connect(path), connect(path)
    titanic(one)
    check(chance(two) == CHANCE, "the other connection sees the model", "L8")
    one.execute("BEGIN")
    titanic(one, ONE_ROUND)
    changed = chance(one)
    check(changed != CHANCE and chance(two) == CHANCE, "not what is uncommitted", "L2")
    one.execute("COMMIT")
    check(chance(two) == changed and chance(two, "titanic@1") == CHANCE, "what is committed", "L1")
    ask(one, "SELECT hbscore_set('plan_cache_size', 0)")
    check(ask(two, "SELECT hbscore_get('plan_cache_size')") == 67108864, "settings belong to one connection", "L8")
    one.close()
    check(chance(two) == changed, "the other one goes on", "L8")
    two.close()


def test_close_with_open_statements(path: str) -> None:
    """apsw finalizes what is open; then SQLite must find nothing of ours."""
    connection = connect(path)
    titanic(connection)
    connection.execute("CREATE TABLE n AS WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 100) SELECT i FROM n")
    sql = "SELECT predict_probability('titanic', 'survived', 1, 'female', 29, 0, 0, 211.3375, 'S') FROM n"
    whole = connection.execute(sql).fetchall()
    check(whole == [(CHANCE,)] * 100, "100 rows", "L8")
    begun: List[apsw.Cursor] = [connection.execute(sql) for _ in range(5)]
    check(all(next(cursor) == (CHANCE,) for cursor in begun), "five statements have begun", "L8")
    try:
        connection.close()
        check(True, "close", "L8")
    except apsw.Error as error:
        check(False, f"close: {error}", "L8")
    try:
        next(begun[0])
        check(False, "a row behind close", "L8")
    except (apsw.CursorClosedError, apsw.ConnectionClosedError, StopIteration):
        check(True, "no row behind close", "L8")
    begun = [connect(path).execute(sql)]
    check(next(begun[0]) == (CHANCE,), "a statement that holds its connection", "L8")
    begun.clear()  # both go without a close


def test_threads(path: str) -> None:
    """Threads with connections of their own on one file; then one connection from thread to thread."""
    failures: List[str] = []

    def work() -> None:
        try:
            connection = connect(path)
            for _ in range(5):
                version = titanic(connection)
                if chance(connection, f"titanic@{version}") != CHANCE:
                    failures.append(f"version {version}")
            connection.close()
        except Exception as error:  # reported by the thread that counts
            failures.append(repr(error))

    setup = connect(path)
    setup.execute("PRAGMA journal_mode = WAL")
    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    check(not failures, f"four threads: {failures}", "L8")
    numbers = setup.execute("SELECT count(*), max(version), count(DISTINCT version) FROM hbscore_models").fetchall()
    check(numbers == [(20, 20, 20)], f"each registration has a number: {numbers}", "L4")
    answers: List[float] = []
    for _ in range(3):
        thread = threading.Thread(target=lambda: answers.append(chance(setup)))
        thread.start()
        thread.join()
    check(answers == [CHANCE] * 3, f"from thread to thread: {answers}", "L8")
    setup.close()


def main() -> int:
    test_golden()
    test_types_of_results()
    test_errors()
    test_interrupt()
    with tempfile.TemporaryDirectory() as folder:
        for number, test in enumerate([test_errors_of_the_file, test_two_connections, test_close_with_open_statements, test_threads]):
            test(os.path.join(folder, f"{number}.db"))
    return finish()


if __name__ == "__main__":
    os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
    EXTENSION = extension()
    sys.exit(main())
