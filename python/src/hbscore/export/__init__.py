"""hbscore.export: a fitted model as the bytes of a file that hbscore reads."""

from __future__ import annotations

from typing import Any, Iterator, Optional, Sequence

from ..errors import InvalidValue, UnsupportedModel
from ..libraries import LIBRARIES, fitted
from .table import EXPORTERS, Exporter


def export(model: Any, feature_names: Optional[Sequence[str]] = None) -> bytes:
    """The bytes of a fitted XGBoost, LightGBM or CatBoost model in its library's own format.

    The labels of a classifier may not be in these bytes (LightGBM's never are): `hbscore.register`
    takes the object itself and hands them over as an option.

    Raises UnsupportedModel for every other object, scikit-learn's estimators among them for now; and
    InvalidValue where `feature_names` are given for a file that is the library's own."""
    own = fitted(model)
    if own is not None:
        if feature_names is not None:
            raise InvalidValue(
                "a library's own file has its own feature names: give others by the option `features`"
            )
        return own.file()
    return _exporter(model)(model, feature_names)


def _exporter(model: Any) -> Exporter:
    for kind in type(model).__mro__:
        for module in _modules(kind.__module__):
            exporter = EXPORTERS.get(f"{module}.{kind.__qualname__}")
            if exporter is not None:
                return exporter
    raise UnsupportedModel(_refusal(model))


def _modules(name: str) -> Iterator[str]:
    """Of "sklearn.svm._classes" also "sklearn.svm", which is where the class is imported from."""
    while name:
        yield name
        name = name.rpartition(".")[0]


def _refusal(model: Any) -> str:
    kind = type(model)
    if any(base.__module__.startswith("sklearn.") for base in kind.__mro__):
        what = f"scikit-learn's {_described(model)} is not supported yet"
    else:
        what = f"a {kind.__module__}.{kind.__qualname__} is no model that hbscore knows"
    return f"{what}; fitted models of {', '.join(LIBRARIES[:-1])} and {LIBRARIES[-1]} are"


def _described(model: Any) -> str:
    """A pipeline with its steps."""
    steps = getattr(model, "steps", None)
    if not isinstance(steps, list):
        return type(model).__name__
    return f"{type(model).__name__} of {', '.join(type(step[1]).__name__ for step in steps)}"
