"""Scoring in PostgreSQL, whose planner scores plain calls in blocks of rows."""

from __future__ import annotations

from typing import Any, Generator, List, Optional, Sequence

from . import values
from .dialects import PostgreSQL
from .errors import InvalidValue
from .frames import Column, by_name, missing
from .target import Parameters, Scored, Target, check_columns

_BLOCK = 10_000  # rows of a DataFrame that travel in one statement


def scored_query(connection: Any, target: Target, query: str, parameters: Parameters) -> Scored:
    """The query stands in FROM, with columns of our own names, so that two of one name can be told apart."""
    text = query.rstrip().rstrip(";")
    columns = _columns(connection, text, parameters)
    check_columns(columns, "the query")
    row = ", ".join(f"q.c{place}" for place in _places(columns, target.features))
    model = _literal(target.reference)
    if parameters is not None:
        model = model.replace("%", "%%")
    named = ", ".join(f"c{i}" for i in range(len(columns)))
    sql = f"SELECT q.*, {_calls(target, model, f'ROW({row})')} FROM (\n{text}\n) AS q({named})"
    return Scored(columns + target.scores, _rows(connection, target, sql, parameters))


def _rows(connection: Any, target: Target, sql: str, parameters: Parameters) -> Generator[Any, None, None]:
    for row in PostgreSQL.rows(connection, sql, parameters):
        at = len(row) - len(target.scores)
        yield (*row[:at], *_scores(target, row[at:]))


def scored_columns(connection: Any, target: Target, columns: Sequence[Column]) -> List[List[Any]]:
    """The scores of columns of one length: one list for each score. They travel as arrays."""
    types = [_array_type(column) for column in columns]
    _places([column.name for column in columns], target.features)
    named = ", ".join(f"c{i}" for i in range(len(columns)))
    row = ", ".join(f"u.c{i}" for i in range(len(columns)))
    arrays = ", ".join(f"%s::{kind}[]" for kind in types)
    calls = _calls(target, _literal(target.reference).replace("%", "%%"), f"ROW({row})")
    sql = f"SELECT {calls} FROM unnest({arrays}) WITH ORDINALITY AS u({named}, n) ORDER BY n"
    scores: List[List[Any]] = [[] for _ in target.scores]
    for begin in range(0, len(columns[0].cells), _BLOCK):
        given = [_as(kind, column.cells[begin : begin + _BLOCK]) for kind, column in zip(types, columns)]
        for found in PostgreSQL.rows(connection, sql, given):
            for scored, value in zip(scores, _scores(target, found)):
                scored.append(value)
    return scores


def _calls(target: Target, model: str, features: str) -> str:
    """A label is asked for as a text, which is exact for every type of label."""
    if not target.classes:
        return f"predict({model}, {features})"
    label = f"predict_label({model}, {features})"
    return f"{label}, predict_proba({model}, {features})" if target.probabilities else label


def _scores(target: Target, found: Sequence[Any]) -> List[Any]:
    """The prediction in its own type, and the probability of the predicted class."""
    prediction = found[0]
    if not target.classes:
        return [prediction]
    scores = [None if prediction is None else target.classes[prediction]]
    if target.probabilities:
        place = None if prediction is None or found[1] is None else list(target.classes).index(prediction)
        scores.append(None if place is None else found[1][place])
    return scores


def _columns(connection: Any, query: str, parameters: Parameters) -> List[str]:
    """The names of a query's columns."""
    cursor = PostgreSQL.cursor(connection)
    try:
        cursor.execute(f"SELECT * FROM (\n{query}\n) AS q LIMIT 0", parameters)
        return [str(column[0]) for column in cursor.description]
    finally:
        cursor.close()


def _places(columns: Sequence[str], features: Sequence[str]) -> Sequence[Optional[int]]:
    """By name, else by position if there are as many columns as features and none stands in another's place."""
    places = by_name(columns, features)
    if None not in places:
        return places
    if len(columns) != len(features) or any(place not in (None, i) for i, place in enumerate(places)):
        raise missing("the query", columns, features, places)
    return range(len(columns))


def _array_type(column: Column) -> str:
    kinds = {type(cell) for cell in column.cells if cell is not None}
    if kinds <= {float}:
        return "float8"
    if kinds <= {int}:
        return "int8"
    if kinds <= {str}:
        return "text"
    if kinds <= {int, float}:
        return "numeric"
    raise InvalidValue(f"column {column.name} has numbers and texts: PostgreSQL's columns have one type")


def _as(kind: str, cells: Sequence[values.Scalar]) -> List[Any]:
    """Texts for numeric, which keeps each number whole."""
    return [None if cell is None else str(cell) for cell in cells] if kind == "numeric" else list(cells)


def _literal(text: str) -> str:
    return "E'" + text.replace("\\", "\\\\").replace("'", "''") + "'"
