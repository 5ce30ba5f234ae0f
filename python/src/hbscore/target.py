"""A stored model as scoring needs it, and what scoring adds to rows."""

from __future__ import annotations

from typing import Any, Callable, Dict, Generator, List, Mapping, NamedTuple, Sequence, Union

from .catalog import pinned
from .database import inspect
from .dialects import dialect_of
from .errors import InvalidValue

Parameters = Union[Sequence[Any], Mapping[str, Any], None]

SCORES = ("prediction", "probability")


class Target(NamedTuple):
    """A stored model as scoring needs it.

    reference      to one version and its bytes, whatever is deployed meanwhile
    features       names in the model's order
    classes        labels by the texts that name them, in the model's order; empty where the model does not classify
    probabilities  whether it has them"""

    reference: str
    features: List[str]
    classes: Dict[str, Any]
    probabilities: bool

    @property
    def scores(self) -> List[str]:
        """The columns that scoring adds."""
        return list(SCORES if self.probabilities else SCORES[:1])


class Scored(NamedTuple):
    """Columns, and their rows as tuples; the scores come last."""

    columns: List[str]
    rows: Generator[Any, None, None]


def target_of(connection: Any, name: str) -> Target:
    """The version that a reference means now, and what it takes and gives."""
    reference = pinned(connection, name)
    dialect = dialect_of(connection)
    lines = inspect(connection, reference)
    of_type: Dict[str, Callable[[str], Any]] = {"integer": int, "number": float, "boolean": "true".__eq__}
    outputs = {line.name: line.type for line in lines if line.role == "output"}
    # The names in `lines` are for people: a part of a long one, with some characters escaped.
    features = dialect.rows(connection, dialect.features, (reference,))
    classes = dialect.rows(connection, dialect.classes, (reference,))
    return Target(
        reference,
        [name for (name,) in features],
        {text: of_type.get(kind, str)(text) for text, kind in classes} if outputs.get("predict") == "class" else {},
        "predict_proba" in outputs and outputs.get("predict") == "class",
    )


def check_columns(columns: Sequence[str], of: str) -> None:
    """Columns of the caller's must not have the names of those that scoring adds."""
    for column in columns:
        if column.lower() in SCORES:
            raise InvalidValue(f'{of} has a column "{column}", as the scores have: give it another name')
