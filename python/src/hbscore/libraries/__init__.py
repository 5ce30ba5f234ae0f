"""The libraries whose fitted objects are taken, each in a module of its own.

A library is told by the module that an object's class, or one that it inherits from, comes from; so
none is imported that the caller has not imported."""

from __future__ import annotations

from importlib import import_module
from typing import Any, Optional

from .base import Answers, FittedModel

__all__ = ["Answers", "FittedModel", "fitted"]

LIBRARIES = ("xgboost", "lightgbm", "catboost")


def fitted(model: Any) -> Optional[FittedModel]:
    """The model as hbscore sees it; None for an object of no library here. Raises UnsupportedModel
    for an object of one of them that is no model."""
    for kind in type(model).__mro__:
        library = kind.__module__.partition(".")[0]
        if library in LIBRARIES:
            found: FittedModel = import_module(f"{__name__}.{library}").fitted(model)
            return found
    return None
