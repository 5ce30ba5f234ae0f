"""Finding the extension and loading it into a connection."""

from __future__ import annotations

import errno
import os
import sqlite3
from pathlib import Path
from typing import Any, Callable, Optional, Tuple
from urllib.parse import quote

from .adapters import adapt_numpy
from .errors import LoadError

HERE = Path(__file__).resolve().parent

_WAYS_OUT = (
    "this Python's sqlite3 was built without extension loading. Ways out: Debian's own python3 "
    "(/usr/bin/python3) or another Python whose sqlite3 has it; the package apsw (apsw.Connection); "
    "the package pysqlite3-binary (pysqlite3.connect)"
)


def load(connection: Any, path: Optional[str] = None) -> None:
    """Loads hbscore into a connection of sqlite3 or apsw, which then has the SQL functions.

    From then on all connections of sqlite3 take scalars of numpy as parameters: it keeps adapters for the process.

    Extension loading is enabled for this call only, and off after it, whether it succeeds or not.
    Loading twice is harmless.

    The extension is the file at `path`; without one that which $HBSCORE_SO names, else the one that
    the installed package carries, else `build/hbscore.so` of the source tree that the package is run
    from. One file serves one SQLite library of a process: where sqlite3 and apsw have each their own
    (apsw's wheels do), the second one needs a copy of the file, by `path`.

    Raises LoadError where this Python's sqlite3 cannot load extensions, the connection is of another
    kind, or there is no extension; errors of the database pass through."""
    enable, load_file = _loaders(connection)
    file = os.path.abspath(
        path or extension_path()
    )  # without a folder it would be looked for elsewhere
    enable(True)
    try:
        load_file(file)
    finally:
        enable(False)
    adapt_numpy(connection)


def _loaders(connection: Any) -> Tuple[Callable[[bool], Any], Callable[[str], Any]]:
    """How to enable loading, and to load: older apsw spells them in one word."""
    for enable, load_file in (
        ("enable_load_extension", "load_extension"),
        ("enableloadextension", "loadextension"),
    ):
        if hasattr(connection, enable):
            return getattr(connection, enable), getattr(connection, load_file)
    if isinstance(connection, sqlite3.Connection):
        raise LoadError(_WAYS_OUT)
    raise LoadError(
        f"hbscore loads into connections of sqlite3 and apsw, not into a {_full_name(type(connection))}"
    )


def _full_name(kind: type) -> str:
    return (
        kind.__qualname__
        if kind.__module__ == "builtins"
        else f"{kind.__module__}.{kind.__qualname__}"
    )


def extension_path() -> str:
    """The file that `load` loads. Raises LoadError where there is none."""
    named = os.environ.get("HBSCORE_SO")
    if named:
        if os.path.isfile(named):
            return os.path.abspath(named)
        raise LoadError(f"HBSCORE_SO names {named}, which is not there")
    carried = HERE / "lib" / "hbscore.so"
    built = HERE.parents[2] / "build" / "hbscore.so"  # of python/src/hbscore
    for path in (carried, built):
        if path.is_file():
            return str(path)
    raise LoadError(
        "this package carries no extension (`make wheel` builds one that does), and HBSCORE_SO names "
        "none"
    )


def open_database(path: str, read_only: bool = False) -> Any:
    """A connection with hbscore in it, of the first module that can: sqlite3, apsw, pysqlite3. A file that is only
    read must be there; else it is made."""
    if read_only and not os.path.exists(path):
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
    mode = "?mode=ro" if read_only else ""
    name = path if path == ":memory:" else f"file:{quote(os.path.abspath(path))}{mode}"
    connection: Any = sqlite3.connect(name, uri=True)
    if not hasattr(connection, "enable_load_extension"):
        connection.close()
        connection = _open_elsewhere(name)
    load(connection)
    return connection


def _open_elsewhere(name: str) -> Any:
    try:
        import apsw

        flags = apsw.SQLITE_OPEN_URI | apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE
        return apsw.Connection(name, flags=flags)
    except ImportError:
        pass
    try:
        import pysqlite3

        return pysqlite3.connect(name, uri=True)
    except ImportError:
        raise LoadError(_WAYS_OUT) from None
