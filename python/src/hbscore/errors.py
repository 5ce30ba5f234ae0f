"""What hbscore raises by itself, and what it warns of. Errors of the database (sqlite3's, apsw's) pass through as they are."""

from __future__ import annotations


class Error(Exception):
    """All errors of this package."""


class LoadError(Error):
    """The extension cannot be loaded: into this kind of connection, or because it is not there."""


class UnsupportedModel(Error, TypeError):
    """The object is no fitted model that hbscore can register; the text names it."""


class InvalidValue(Error, ValueError):
    """A label, an option or a sample that the database cannot take; the text names it."""


class OpenTransaction(UserWarning):
    """What was registered, deployed or dropped waits for connection.commit(): Python's sqlite3 has begun a
    transaction by itself, and closing the connection takes it back."""
