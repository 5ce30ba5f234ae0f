"""Scores the rows of a query or of a DataFrame, in blocks: `score` gives a DataFrame, `score_rows` plain rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, Iterator, List

from . import scoring_postgresql, scoring_sqlite
from .dialects import is_postgresql
from .errors import Error, InvalidValue, shown
from .frames import feature_columns
from .target import Parameters, Scored, Target, check_columns, target_of

if TYPE_CHECKING:
    from pandas import DataFrame

def score(connection: Any, name: str, data: Any, parameters: Parameters = None) -> "DataFrame":
    """Scores rows with a stored model and gives a pandas DataFrame: the rows as they came, in their order, and
    behind them the column `prediction`, of classifiers with probabilities also `probability`, that of the predicted
    class. Rows that have no result have None or NaN there.

    `name` is any reference: "churn", "churn@2", "churn@champion". All rows are scored by one version.

    `data` is a SELECT, which runs in the database, with `parameters` as in execute(); or a DataFrame, whose index
    stays. Columns become features by their names: exactly, else without regard to the case of ASCII letters, if
    just one column and just one feature have those letters. Other columns pass through. If not all features are
    found by name, there must be as many columns as features, in the model's order.

    SQLite makes temporary tables or views for it, and drops them. What the connection's transaction has changed
    is seen, and the transaction stays as it is.

    Without pandas it is an Error: use `score_rows`. Raises InvalidValue for data that cannot be scored; errors of
    the database, which name model, feature and fix, pass through."""
    pandas = _pandas()
    if isinstance(data, str):
        target = target_of(connection, name)
        columns, rows = scored_query(connection, target, data, parameters)
        frame = pandas.DataFrame.from_records(list(rows), columns=columns, coerce_float=True)
        at = len(columns) - len(target.scores)
        scores = [frame.iloc[:, i].tolist() for i in range(at, len(columns))]
        return _with_scores(pandas, frame.iloc[:, :at], target, scores)
    if not (hasattr(data, "iloc") and hasattr(data, "columns")):
        raise InvalidValue(f"score takes the text of a query or a pandas DataFrame, not {shown(data)}")
    if parameters is not None:
        raise InvalidValue("parameters belong to a query, and a DataFrame has none")
    target = target_of(connection, name)
    check_columns([str(column) for column in data.columns], "the DataFrame")
    scores = _backend(connection).scored_columns(connection, target, feature_columns(data, target.features))
    return _with_scores(pandas, data, target, scores)


def score_rows(
    connection: Any, name: str, query: str, parameters: Parameters = None
) -> Iterator[Dict[str, Any]]:
    """Scores the rows of a query as `score` does, and gives them one by one as dicts, without pandas.

    SQLite reads and scores rows as they are asked for, so memory does not grow with the query. Until the last row
    is read, or the iterator is closed, its temporary view is there."""
    target = target_of(connection, name)
    columns, rows = scored_query(connection, target, query, parameters)
    for row in rows:
        yield dict(zip(columns, row))


def scored_query(connection: Any, target: Target, query: str, parameters: Parameters) -> Scored:
    """The rows of a query with their scores."""
    scored: Scored = _backend(connection).scored_query(connection, target, query, parameters)
    return scored


def _backend(connection: Any) -> Any:
    return scoring_postgresql if is_postgresql(connection) else scoring_sqlite


def _pandas() -> Any:
    try:
        import pandas
    except ImportError:
        raise Error(
            "score gives a pandas DataFrame, and pandas is not installed (pip install pandas); "
            "hbscore.score_rows gives the same rows as dicts and needs no pandas"
        ) from None
    return pandas


def _with_scores(pandas: Any, frame: Any, target: Target, scores: List[List[Any]]) -> Any:
    """A new DataFrame with the scores as its last columns. Labels keep their types also where some are None."""
    added = {}
    for name, column in zip(target.scores, scores):
        if name == "prediction" and target.classes:
            kept = object if any(label is None for label in column) else None
            added[name] = pandas.Series(column, index=frame.index, dtype=kept)
        else:
            added[name] = pandas.Series(column, index=frame.index, dtype="float64")
    return frame.assign(**added)
