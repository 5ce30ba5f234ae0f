"""Python's sqlite3 begins a transaction before any INSERT, UPDATE, DELETE or REPLACE, and close() takes back what
was not committed. A SELECT begins none, so a registration lasts at once, unless such a statement came before it."""

from __future__ import annotations

import warnings
from typing import Any

from .errors import OpenTransaction

_LEGACY = -1  # sqlite3.LEGACY_TRANSACTION_CONTROL, from Python 3.12 on


def warn_if_open(connection: Any, done: str) -> None:
    """To be called by a function of the package's users, whose call the warning then points to. `done` is a
    clause.

    Silent where the application rules transactions by itself: isolation_level=None, the attribute autocommit of
    Python 3.12, apsw. `with connection:` and a BEGIN of the application's own look like any open transaction."""
    rules_itself = (
        getattr(connection, "isolation_level", None) is None
        or getattr(connection, "autocommit", _LEGACY) != _LEGACY
    )
    if rules_itself or not getattr(connection, "in_transaction", False):
        return
    warnings.warn(
        f"{done}, but its transaction is still open: a statement before it has begun one "
        "(Python's sqlite3 does so before INSERT, UPDATE, DELETE and REPLACE). connection.commit() makes "
        "it last, close() takes it back",
        OpenTransaction,
        stacklevel=3,
    )
