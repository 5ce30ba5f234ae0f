"""How each database's functions are called: SQLite's through sqlite3 or apsw, PostgreSQL's through psycopg or
psycopg2."""

from __future__ import annotations

from typing import Any, List, Sequence, Tuple

Rows = List[Tuple[Any, ...]]


class SQLite:
    """Connections of sqlite3, apsw and what is made like them."""

    register = "SELECT hbscore_register(?, ?, ?)"
    deploy = "SELECT hbscore_deploy(?, ?, ?)"
    drop = "SELECT hbscore_drop(?)"
    drop_version = "SELECT hbscore_drop(?, ?)"
    inspect = (
        "SELECT role, position, coalesce(name, ''), coalesce(type, ''), coalesce(note, '')"
        " FROM hbscore_inspect(?, ?)"
    )
    inspect_stored = (
        "SELECT role, position, coalesce(name, ''), coalesce(type, ''), coalesce(note, '')"
        " FROM hbscore_inspect(?)"
    )
    verify = "SELECT version, rows, max_abs_error, ok, coalesce(note, '') FROM hbscore_verify(?)"
    profile = (
        "SELECT position, operator, source, kernel, calls, rows, ns, share, bytes"
        " FROM hbscore_profile(?, ?, ?) ORDER BY position"
    )
    features = "SELECT coalesce(name, '') FROM hbscore_features(?) ORDER BY position"
    classes = (
        "SELECT CASE type WHEN 'boolean' THEN CASE label WHEN 0 THEN 'false' ELSE 'true' END"
        " ELSE CAST(label AS TEXT) END, type FROM hbscore_classes(?) ORDER BY position"
    )
    pin = "SELECT hbscore_pin(?)"
    tables = (
        "SELECT name FROM main.sqlite_master"
        " WHERE type = 'table' AND name IN ('hbscore_models', 'hbscore_aliases')"
    )
    versions = (
        "SELECT name, version, format, sha256, length(model), description, options, created_at, created_by"
        " FROM main.hbscore_models ORDER BY name, version"
    )
    aliases = "SELECT name, alias, version FROM main.hbscore_aliases ORDER BY name, alias"
    model = "SELECT model, sha256 FROM main.hbscore_models WHERE name = ? AND version = ?"
    get = "SELECT hbscore_get(?)"
    set = "SELECT hbscore_set(?, ?)"

    @staticmethod
    def cursor(connection: Any) -> Any:
        """One that gives rows as tuples, whatever the application makes of its own rows."""
        cursor = connection.cursor()
        if hasattr(cursor, "row_factory"):
            cursor.row_factory = None
        else:  # apsw; older ones spell it in one word
            trace = getattr(cursor, "set_row_trace", None) or cursor.setrowtrace
            trace(lambda _, row: row)
        return cursor

    @staticmethod
    def rows(connection: Any, sql: str, parameters: Sequence[Any]) -> Rows:
        """All rows of a statement, with texts as str, whatever the application makes of its own texts."""
        cursor = SQLite.cursor(connection)
        factory = getattr(connection, "text_factory", None)  # apsw has none
        try:
            if factory is not None:
                connection.text_factory = str
            return list(cursor.execute(sql, parameters))
        finally:
            if factory is not None:
                connection.text_factory = factory
            cursor.close()


class PostgreSQL:
    """Connections of psycopg (3) and psycopg2."""

    register = "SELECT hbscore.register(%s, %s, %s::jsonb)"
    deploy = "SELECT hbscore.deploy(%s, %s, %s)"
    drop = "SELECT hbscore.drop(%s)"
    drop_version = "SELECT hbscore.drop(%s, %s)"
    inspect = (
        'SELECT role, "position", coalesce(name, \'\'), coalesce(type, \'\'), coalesce(note, \'\')'
        " FROM hbscore.inspect(%s, %s::jsonb)"
    )
    inspect_stored = (
        'SELECT role, "position", coalesce(name, \'\'), coalesce(type, \'\'), coalesce(note, \'\')'
        " FROM hbscore.inspect(%s::text)"
    )
    verify = "SELECT version, rows, max_abs_error, ok, coalesce(note, '') FROM hbscore.verify(%s::text)"
    profile = (
        'SELECT "position", operator, source, kernel, calls, rows, ns, share, bytes'
        ' FROM hbscore.profile(%s::text, %s::text, %s::text) ORDER BY "position"'
    )
    features = "SELECT coalesce(name, '') FROM hbscore.features(%s::text) ORDER BY \"position\""
    classes = "SELECT label, type FROM hbscore.classes(%s::text) ORDER BY \"position\""
    pin = "SELECT hbscore.pin(%s::text)::text"
    tables = "SELECT 'hbscore_models' UNION ALL SELECT 'hbscore_aliases'"  # CREATE EXTENSION makes both
    versions = (
        "SELECT name, version, format, encode(sha256, 'hex'), octet_length(model), description, options::text,"
        " to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS'), created_by"
        " FROM hbscore.models ORDER BY name, version"
    )
    aliases = "SELECT name, alias, version FROM hbscore.aliases ORDER BY name, alias"
    model = "SELECT model, encode(sha256, 'hex') FROM hbscore.models WHERE name = %s AND version = %s"

    @staticmethod
    def cursor(connection: Any) -> Any:
        """One that gives rows as tuples, whatever the application makes of its own rows."""
        return connection.cursor(**_plain_rows(connection))

    @staticmethod
    def rows(connection: Any, sql: str, parameters: Any) -> Rows:
        """All rows of a statement. Without parameters (None) a % in it is nothing special."""
        cursor = PostgreSQL.cursor(connection)
        try:
            cursor.execute(sql, parameters)
            return [tuple(row) for row in cursor.fetchall()]
        finally:
            cursor.close()


def _plain_rows(connection: Any) -> Any:
    """The argument that makes a cursor give tuples."""
    if type(connection).__module__.partition(".")[0] == "psycopg2":
        from psycopg2.extensions import cursor

        return {"cursor_factory": cursor}
    from psycopg.rows import tuple_row

    return {"row_factory": tuple_row}


def is_postgresql(connection: Any) -> bool:
    """Told by the module of the connection's class or of one that it is derived from."""
    modules = {kind.__module__.partition(".")[0] for kind in type(connection).__mro__}
    return not modules.isdisjoint({"psycopg", "psycopg2"})


def dialect_of(connection: Any) -> Any:
    return PostgreSQL if is_postgresql(connection) else SQLite
