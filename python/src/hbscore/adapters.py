"""Lets numpy's scalars be bound as parameters of SQL, without a cast by the caller.

sqlite3 takes a numpy.int64 for bytes, because it has the buffer protocol, and refuses a numpy.float32. It keeps its
adapters for the whole process and not by connection. So `load` adds them, for those who use hbscore, and importing
the package alone changes nothing. Adapters that the application has registered itself stay. apsw takes numpy's
scalars for bytes too, and has no adapters: there a caller casts."""

from __future__ import annotations

import sys
from typing import Any

import numpy

_INTEGERS = (
    numpy.bool_,
    numpy.int8,
    numpy.int16,
    numpy.int32,
    numpy.int64,
    numpy.uint8,
    numpy.uint16,
    numpy.uint32,
    numpy.uint64,
    numpy.longlong,  # of 64 bits too, and a type of its own
    numpy.ulonglong,
)
_FLOATS = (numpy.float16, numpy.float32)  # a numpy.float64 is a float; no double holds every numpy.longdouble


def adapt_numpy(connection: Any) -> None:
    """For all connections of the module that this one is of. All values are kept exactly."""
    module = _module_of(connection)
    if module is None:
        return
    given = getattr(module, "adapters", {})
    for kinds, plain in ((_INTEGERS, int), (_FLOATS, float)):
        for kind in kinds:
            if (kind, module.PrepareProtocol) not in given:
                module.register_adapter(kind, plain)


def _module_of(connection: Any) -> Any:
    """sqlite3, or a module made like it, that the connection's class comes from."""
    for kind in type(connection).__mro__:
        module = sys.modules.get(kind.__module__.partition(".")[0])
        if hasattr(module, "register_adapter") and hasattr(module, "PrepareProtocol"):
            return module
    return None

