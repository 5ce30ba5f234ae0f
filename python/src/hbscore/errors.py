"""The errors and warnings of hbscore. Errors of the database (sqlite3's, apsw's) pass
through as they are."""

from __future__ import annotations

from typing import Any

import numpy

_LONGEST = 80


class Error(Exception):
    """All errors of this package."""


class LoadError(Error):
    """The extension cannot be loaded: into this kind of connection, or because it is not there."""


class UnsupportedModel(Error, TypeError):
    """The object is no fitted model that hbscore can register; the text names it."""


class InvalidValue(Error, ValueError):
    """A label, an option or a sample that the database cannot take; the text names it."""


class OpenTransaction(UserWarning):
    """A registration, deployment or drop waits for connection.commit(): Python's sqlite3 has begun a
    transaction by itself, and closing the connection takes the change back."""


def shown(value: Any) -> str:
    """A value for a message: numbers and texts are shown, and cut if they are long; functions by their names;
    tables, models and all else by their types only."""
    if isinstance(value, type):
        return f"the class {value.__name__}"
    if isinstance(value, int) and value.bit_length() > 64:
        return "a number beyond 64 bits"
    if value is None or isinstance(value, (bool, int, float, complex, str, bytes, numpy.generic)):
        text = repr(value[:_LONGEST] if isinstance(value, (str, bytes)) else value)
    elif callable(value) and isinstance(getattr(value, "__name__", None), str):
        text = value.__name__
    else:
        return f"an object of the type {type(value).__name__}"
    return text if len(text) <= _LONGEST else text[: _LONGEST - 2] + ".."
