"""Scoring in SQLite, in blocks of rows: a query through a virtual table over it, the columns of a DataFrame through
a scan of a temporary table."""

from __future__ import annotations

import uuid
from contextlib import suppress
from typing import Any, Generator, List, Sequence

from .dialects import SQLite
from .frames import Column
from .target import Parameters, Scored, Target, check_columns


def scored_query(connection: Any, target: Target, query: str, parameters: Parameters) -> Scored:
    """The query becomes a temporary view, or with parameters, which no view takes, a temporary table; a virtual
    table of hbscore gives its columns and the scores. None of these statements lets sqlite3 begin a transaction."""
    source = f"to_score_{uuid.uuid4().hex}"
    kind = "VIEW" if parameters is None else "TABLE"
    text = query.rstrip().rstrip(";")
    if parameters is None:
        _run(connection, f"CREATE TEMP VIEW {source} AS SELECT * FROM (\n{text}\n)")
    else:
        _store(connection, source, text, parameters)
    try:
        columns = _columns(connection, source)
        check_columns(columns, "the query")
        model = target.reference.replace("'", "''")
        _run(connection, f"CREATE VIRTUAL TABLE temp.{source}_scored USING hbscore(model='{model}', source='{source}')")
    except BaseException:
        _drop(connection, kind, source)
        raise
    columns += target.scores
    sql = f"SELECT {', '.join(_quoted(column) for column in columns)} FROM temp.{source}_scored"
    return Scored(columns, _rows(connection, target, sql, kind, source))


def _store(connection: Any, source: str, text: str, parameters: Parameters) -> None:
    """The rows of a query as a temporary table. A table takes the affinity of a query's column, which could make
    the text '007' the number 7; of +column it takes none."""
    values = [f"+{_quoted(name)} AS {_quoted(name)}" for name in _names(connection, text, parameters)]
    _run(connection, f"CREATE TEMP TABLE {source} AS SELECT {', '.join(values)} FROM (\n{text}\n)", parameters)


def _names(connection: Any, text: str, parameters: Parameters) -> List[str]:
    """The names of a query's columns. apsw tells them only beside a row, so the statement gives a row of NULLs."""
    empty = f"(SELECT * FROM (\n{text}\n) LIMIT 0)"
    cursor = SQLite.cursor(connection)
    try:
        cursor.execute(f"SELECT q.* FROM (SELECT 1) LEFT JOIN {empty} AS q ON 1", parameters)
        return [column[0] for column in cursor.description]
    finally:
        cursor.close()


def _columns(connection: Any, source: str) -> List[str]:
    listed = SQLite.rows(connection, "SELECT name FROM pragma_table_info(?, 'temp')", (source,))
    return [row[0] for row in listed]


def _rows(connection: Any, target: Target, sql: str, kind: str, source: str) -> Generator[Any, None, None]:
    """Row by row; the temporary objects go with the last one."""
    cursor = SQLite.cursor(connection)
    booleans = target.classes and isinstance(next(iter(target.classes.values())), bool)
    at = -len(target.scores)
    try:
        for row in cursor.execute(sql):
            if booleans and row[at] is not None:
                row = (*row[:at], bool(row[at]), *row[len(row) + at + 1 :])
            yield row
    finally:
        with suppress(Exception):  # the connection may be closed by now, and they are gone
            cursor.close()
            _drop(connection, kind, source)


def scored_columns(connection: Any, target: Target, columns: Sequence[Column]) -> List[List[Any]]:
    """The scores of columns of one length: one list for each score."""
    table = f"to_score_{uuid.uuid4().hex}"
    places = [f"c{i}" for i in range(len(columns))]
    # Inside a savepoint sqlite3 begins no transaction of its own before the INSERT. Its release commits where there was
    # no transaction before.
    _run(connection, f"SAVEPOINT {table}")
    try:
        _run(connection, f"CREATE TEMP TABLE {table} ({', '.join(places)})")
        _insert(connection, f"INSERT INTO temp.{table} VALUES ({', '.join('?' * len(places))})", columns)
        features = ", ".join(f"{place} AS {_quoted(column.name)}" for place, column in zip(places, columns))
        query = f"SELECT rowid, {features} FROM temp.{table} ORDER BY rowid"
        sql = f"SELECT {', '.join(target.scores)} FROM hbscore_scan(?, ?)"
        rows = SQLite.rows(connection, sql, (target.reference, query))
    finally:
        with suppress(Exception):  # an error may have ended the transaction, and the table with it
            _run(connection, f"RELEASE {table}")
            _drop(connection, "TABLE", table)
    scores = [list(score) for score in zip(*rows)] or [[] for _ in target.scores]
    if target.classes and isinstance(next(iter(target.classes.values())), bool):
        scores[0] = [None if label is None else bool(label) for label in scores[0]]
    return scores


def _insert(connection: Any, sql: str, columns: Sequence[Column]) -> None:
    cursor = SQLite.cursor(connection)
    try:
        cursor.executemany(sql, zip(*(column.cells for column in columns)))
    finally:
        cursor.close()


def _run(connection: Any, sql: str, parameters: Parameters = None) -> None:
    cursor = SQLite.cursor(connection)
    try:
        cursor.execute(sql, () if parameters is None else parameters)
    finally:
        cursor.close()


def _drop(connection: Any, kind: str, source: str) -> None:
    """Drops the temporary objects. SQLite drops no table while the connection has another statement that is being
    read: then it is emptied, and goes when the connection is closed."""
    _run(connection, f"DROP TABLE IF EXISTS temp.{source}_scored")
    try:
        _run(connection, f"DROP {kind} IF EXISTS temp.{source}")
    except Exception:
        _run(connection, f"SAVEPOINT {source}")  # see scored_columns
        _run(connection, f"DELETE FROM temp.{source}")
        _run(connection, f"RELEASE {source}")


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
