"""The settings of a connection: plan_cache_size, max_model_size, dense, strategy, passes_off; in PostgreSQL also
batch and batch_rows."""

from __future__ import annotations

from typing import Any, Union

from .dialects import dialect_of, is_postgresql
from .errors import InvalidValue

Value = Union[int, str]

_LISTED = "SELECT name, setting, unit, vartype FROM pg_settings WHERE name LIKE %s ORDER BY name"


def get(connection: Any, name: str) -> Value:
    """The value of a setting: a text, or a number; sizes are numbers of bytes in both databases."""
    if is_postgresql(connection):
        setting, unit, kind = _of_postgresql(connection, name)
        return int(setting) * (1024 if unit == "kB" else 1) if kind == "integer" else str(setting)
    dialect = dialect_of(connection)
    value: Value = dialect.rows(connection, dialect.get, (name,))[0][0]
    return value


def set(connection: Any, name: str, value: Value) -> Value:
    """Changes a setting for this connection and gives the new value. A size is a number of bytes or a text with a
    unit: "64MB". An unknown name and a value that the setting does not take are errors that say which there are.

    In PostgreSQL it is SET: a rollback takes it back."""
    dialect = dialect_of(connection)
    if is_postgresql(connection):
        unit = _of_postgresql(connection, name)[1]
        given = f"{value}B" if unit == "kB" and isinstance(value, int) else str(value)
        dialect.rows(connection, "SELECT set_config(%s, %s, false)", (f"hbscore.{name}", given))
    else:
        dialect.rows(connection, dialect.set, (name, value))
    return get(connection, name)


def _of_postgresql(connection: Any, name: str) -> Any:
    """The setting's value, unit and kind. The settings are there once the session has the library."""
    dialect = dialect_of(connection)
    dialect.rows(connection, "SELECT hbscore.version()", ())
    found = {row[0]: row[1:] for row in dialect.rows(connection, _LISTED, ("hbscore.%",))}
    if f"hbscore.{name}" not in found:
        names = ", ".join(full.partition(".")[2] for full in found)
        raise InvalidValue(f'unknown setting "{name}"; there are: {names}')
    return found[f"hbscore.{name}"]
