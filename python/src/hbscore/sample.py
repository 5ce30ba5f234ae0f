"""Golden rows: a few rows of sample data with the model's own answers, which the database compares
with its own before it stores the model."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, Optional, Sequence

import numpy

from . import values
from .errors import InvalidValue, shown
from .libraries import Answers, FittedModel

MAX_ROWS = 100
MAX_CELLS = 200_000  # of wide tables fewer rows: golden rows have a limit of 16 MiB


class Sample:
    """Some rows of a DataFrame or a two-dimensional array, in the model's order of features.

    A DataFrame's columns are found by name, and others are ignored; by position where the model has no
    names."""

    def __init__(self, data: Any, fitted: FittedModel) -> None:
        names = fitted.names()
        data = _of_texts(data) if fitted.takes_one_text() else data
        self.columns: Optional[List[str]] = None  # as the DataFrame names those found by name
        self.is_frame = hasattr(data, "iloc") and hasattr(data, "columns")
        if self.is_frame and names is not None:
            data = data.iloc[:, _places(data, names, fitted)]
            self.columns = [str(column) for column in data.columns]
        elif self.is_frame:  # trained on an array: XGBoost and CatBoost would mind the names
            self.is_frame, data = False, data.to_numpy()
        elif not (isinstance(data, numpy.ndarray) and data.ndim == 2):
            raise InvalidValue("sample takes a pandas DataFrame or a two-dimensional numpy array")
        if 0 in data.shape:
            raise InvalidValue("sample has no rows or no columns")
        chosen = evenly(len(data), max(1, min(MAX_ROWS, MAX_CELLS // data.shape[1])))
        self.data = data.iloc[chosen] if self.is_frame else data[chosen]
        self.unread = fitted.unread(data)

    def rows(self) -> List[List[values.Scalar]]:
        """The cells as JSON has them, row by row."""
        if self.is_frame:
            columns = [self.data.iloc[:, i] for i in range(self.data.shape[1])]
            names: Sequence[Any] = self.data.columns
        else:
            columns = list(self.data.T)
            names = range(len(columns))
        cells = [
            [None if i in self.unread else values.cell(item, f"sample, column {name}") for item in values.items(column)]
            for i, (name, column) in enumerate(zip(names, columns))
        ]
        return [list(row) for row in zip(*cells)]


def _of_texts(data: Any) -> Any:
    """A list, an array or a Series of texts is a table of one column."""
    if hasattr(data, "to_frame"):
        data = data.to_numpy(dtype=object)
    flat = isinstance(data, (list, tuple)) or (isinstance(data, numpy.ndarray) and data.ndim == 1)
    return numpy.array(list(data), dtype=object).reshape(-1, 1) if flat else data


def _places(frame: Any, names: Sequence[str], fitted: FittedModel) -> List[int]:
    """Where the model's features stand in the frame."""
    wanted = set(names)
    at: Dict[str, int] = {}
    for i, column in enumerate(frame.columns):
        name = fitted.name_of(column)
        if name in at and name in wanted:
            raise InvalidValue(f"sample has two columns {shown(name)}")
        at[name] = i
    for name in names:
        if name not in at:
            raise InvalidValue(f"sample has no column {shown(name)}, which is a feature of the model")
    return [at[name] for name in names]


def evenly(count: int, most: int) -> List[int]:
    """At most `most` of the numbers 0 to count - 1, first and last among them, evenly spread."""
    return sorted({int(i) for i in numpy.linspace(0, count - 1, min(count, most)).round()})


def golden(
    sample: Sample, fitted: FittedModel, outputs: Mapping[str, str], labels: Optional[Sequence[Any]]
) -> Dict[str, Any]:
    """The option `golden`: the sample's rows, and those of the model's answers that hbscore gives too.
    `outputs` are hbscore's, name to type; `labels` those that the database will give, in the order of
    the model's own classes."""
    answers = fitted.answers(sample.data)
    option: Dict[str, Any] = {"rows": sample.rows()}
    predictions = _predictions(answers, fitted, outputs, labels)
    if predictions is not None:
        option["prediction"] = predictions
    if answers.own is not None and answers.own.ndim == 2 and "predict_values" in outputs:
        option["values"] = _table(answers.own)
    if answers.probabilities is not None and "predict_proba" in outputs:
        option["probabilities"] = _table(answers.probabilities)
    if answers.decision is not None and "decision_function" in outputs:
        option["decision"] = _table(answers.decision)
    if answers.transform is not None and "transform" in outputs:
        option["transform"] = _table(answers.transform)
        return _fewer(option, len(option["transform"][0]))
    return option


def _fewer(option: Dict[str, Any], width: int) -> Dict[str, Any]:
    """A transform may be much wider than the table."""
    chosen = evenly(len(option["rows"]), max(1, MAX_CELLS // width))
    return {name: [items[i] for i in chosen] for name, items in option.items()}


def _predictions(
    answers: Answers,
    fitted: FittedModel,
    outputs: Mapping[str, str],
    labels: Optional[Sequence[Any]],
) -> Optional[List[values.Scalar]]:
    """Of a classifier its labels in hbscore's words, of others their numbers. None where the two
    predict different things: XGBRegressor with objective="binary:logistic" gives probabilities."""
    if answers.own is None or answers.own.ndim != 1 or "predict" not in outputs:
        return None
    own = fitted.classes()
    if (outputs["predict"] == "class") != (own is not None):
        return None
    if own is None or labels is None:
        return [values.number(values.scalar(item, "prediction")) for item in answers.own]
    position = {str(item): i for i, item in enumerate(own)}
    return [values.label(labels[position[str(item)]]) for item in answers.own]


def _table(numbers: Any) -> List[List[values.Scalar]]:
    """One list a row, also where a row is one number. True and False are numbers there."""
    table = numpy.asarray(numbers)
    rows = table.reshape(len(table), -1).tolist()
    return [[values.number(values.scalar(+item if isinstance(item, bool) else item, "answer")) for item in row] for row in rows]
