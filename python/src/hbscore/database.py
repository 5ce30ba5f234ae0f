"""The SQL functions as functions of Python: register, deploy, drop, inspect, verify, profile."""

from __future__ import annotations

import os
from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

from . import values
from .dialects import dialect_of
from .errors import InvalidValue, UnsupportedModel
from .export import export
from .export.registry import check_estimator
from .libraries import FittedModel, fitted
from .onnx_file import with_data
from .progress import LARGE, Choice, Told, nothing, part, shown, size
from .sample import Sample, golden
from .transactions import warn_if_open


class Line(NamedTuple):
    """What `inspect` says, line by line.

    role      "model", "feature", "class", "output" or "operator"
    position  from 1, within its role
    name      of the feature, the class, the SQL function, ..
    type      "number", "text", "class", ..
    note      in words"""

    role: str
    position: int
    name: str
    type: str
    note: str


class Verification(NamedTuple):
    """The answer of `verify` for one version.

    version        its number
    rows           golden rows that were scored; 0: the version has none
    max_abs_error  the largest difference of a number; None without golden rows
    ok             whether all answers are the library's; None without golden rows
    note           the first difference, or why the version cannot be verified; empty where all is well"""

    version: int
    rows: int
    max_abs_error: Optional[float]
    ok: Optional[bool]
    note: str


class OperatorTime(NamedTuple):
    """What `profile` says of one operator.

    position  as in hbscore_plan; the first line is the query, the last one all of it
    operator  "fetch", "encode", those of the model, "store", "all"
    source    the step of the scikit-learn pipeline that it is from, "columns/num/scale", or the operator of the
              file, "forest"; None of the lines that are no operators of the model
    kernel    the instruction set, and how trees or products were computed; None where nothing was
    calls     how often it ran, over some rows at once
    rows      for so many rows
    ns        nanoseconds
    share     of all of it, in per cent
    bytes     that it read and wrote; None of the first line and the last"""

    position: int
    operator: str
    source: Optional[str]
    kernel: Optional[str]
    calls: int
    rows: int
    ns: int
    share: Optional[float]
    bytes: Optional[int]


def register(
    connection: Any,
    name: str,
    model: Any,
    sample: Any = None,
    *,
    progress: Choice = None,
    **options: Any,
) -> int:
    """Stores a model as the next version of `name` and gives the version's number.

    `model` is a fitted object of scikit-learn, XGBoost, LightGBM or CatBoost; or the bytes of any file
    that hbscore reads; or the path of one (str or os.PathLike). Tensors that an ONNX file has in another file
    beside it are put into the model, where the package onnx is installed.

    `options` are those of hbscore_register: features, classes, rounds, missing, on_missing, on_unseen,
    outputs, format, description, ... A fitted object fills in what its file does not say: the labels of its
    classes, the names of its features, the rounds that its own predict uses after early stopping, the
    value that it takes as missing. An option that is given goes first; None leaves one out.

    `sample` is data to check the registration with, a DataFrame or a two-dimensional array of the
    features: 100 rows at most, evenly taken, are stored with the object's own answers (golden rows),
    and the database refuses the model unless its own are the same. The types of its columns are those
    that a model of scikit-learn computes with: data like that of the training.

    `progress` None shows a bar on standard error while a registration takes longer than half a second, if
    that is a terminal; True shows it in any case, False never. A function gets the part that is done, from
    0 to 1, and a text that says the current step.

    `connection` is one of sqlite3 or apsw, or of psycopg or psycopg2. The registration takes part in the
    connection's transaction; outside of one it is committed at once, as any SELECT is. Call commit() after
    it: sqlite3 begins a transaction by itself before any INSERT, UPDATE or DELETE, and psycopg before any
    statement, unless it is told autocommit. Closing the connection takes back what is not committed.

    Warns by OpenTransaction where sqlite3 has begun one that is still open.
    Raises UnsupportedModel, InvalidValue; errors of the database, which say why a model is refused,
    and of the library pass through."""
    if isinstance(model, (bytes, bytearray, memoryview, str, os.PathLike)):
        if sample is not None:
            raise InvalidValue("sample needs the fitted object itself: a file cannot predict")
        data = read_model(model)
        with shown(progress, f"hbscore: {name}", at_once=len(data) >= LARGE) as told:
            version = _store(connection, name, data, options, told)
    else:
        with shown(progress, f"hbscore: {name}") as told:
            data, options = _with_filled_in(
                connection, model, sample, options, part(told, 0.0, 0.7)
            )
            version = _store(connection, name, data, options, part(told, 0.7, 1.0))
    warn_if_open(connection, f'model "{name}@{version}" is registered')
    return version


def _store(
    connection: Any, name: str, data: bytes, options: Mapping[str, Any], told: Told
) -> int:
    told(0.0, f"storing {size(data)}")
    version = register_text(connection, name, data, values.options_text(options))
    told(1.0, "stored")
    return version


def register_text(connection: Any, name: str, data: bytes, options: str) -> int:
    """The registration with its options as JSON."""
    dialect = dialect_of(connection)
    return int(dialect.rows(connection, dialect.register, (name, data, options))[0][0])


def deploy(connection: Any, name: str, version: int, alias: str = "default") -> int:
    """Lets an alias name a version; "default" is what the name alone means. Gives the version. Takes
    part in the connection's transaction, as `register` does, and warns as it does."""
    deployed = deploy_version(connection, name, version, alias)
    warn_if_open(connection, f'model "{name}@{deployed}" is deployed')
    return deployed


def deploy_version(connection: Any, name: str, version: int, alias: str) -> int:
    """Deploys without the warning of `deploy`."""
    dialect = dialect_of(connection)
    return int(dialect.rows(connection, dialect.deploy, (name, version, alias))[0][0])


def drop(connection: Any, name: str, version: Optional[int] = None) -> int:
    """Drops a version, or all versions of a model with its aliases. Gives how many were dropped. Takes part
    in the connection's transaction, as `register` does, and warns as it does."""
    dialect = dialect_of(connection)
    if version is None:
        rows = dialect.rows(connection, dialect.drop, (name,))
    else:
        rows = dialect.rows(connection, dialect.drop_version, (name, version))
    dropped = int(rows[0][0])
    if dropped:
        warn_if_open(connection, f'model "{name}" is dropped')
    return dropped


def inspect(connection: Any, model: Any, **options: Any) -> List[Line]:
    """Lists what a model takes and gives. Nothing is stored.

    A text is the reference of a stored model, as in SQL: "churn", "churn@2", "churn@champion". A file is given
    as its bytes or as an os.PathLike (pathlib.Path), a fitted object as itself; both with `options` as in
    `register`. A stored model has options of its own.

    Raises InvalidValue for a text that names a file and no model; errors of the database pass through."""
    if isinstance(model, str):
        return _inspect_stored(connection, model, options)
    if isinstance(model, (bytes, bytearray, memoryview, os.PathLike)):
        data = read_model(model)
    else:
        data, options = _with_filled_in(connection, model, None, options)
    return inspect_text(connection, data, values.options_text(options))


def _inspect_stored(connection: Any, reference: str, options: Mapping[str, Any]) -> List[Line]:
    if options:
        raise InvalidValue(
            f'"{reference}" is a stored model, which has options of its own: inspect takes options with bytes, '
            "a pathlib.Path or a fitted object"
        )
    dialect = dialect_of(connection)
    try:
        return [Line(*row) for row in dialect.rows(connection, dialect.inspect_stored, (reference,))]
    except Exception as error:
        if not os.path.isfile(reference):
            raise
        raise InvalidValue(
            f'"{reference}" names a file and no stored model: give a file as pathlib.Path("{reference}") ({error})'
        ) from error


def inspect_text(connection: Any, data: bytes, options: str) -> List[Line]:
    """The inspection with its options as JSON."""
    dialect = dialect_of(connection)
    return [Line(*row) for row in dialect.rows(connection, dialect.inspect, (data, options))]


def read_model(model: Union[bytes, bytearray, memoryview, str, "os.PathLike[str]"]) -> bytes:
    """The bytes of a model that is given as bytes or as a path."""
    if isinstance(model, (bytes, bytearray, memoryview)):
        return bytes(model)
    with open(model, "rb") as file:
        return with_data(model, file.read())


def verify(connection: Any, model: str) -> List[Verification]:
    """Scores the golden rows that are stored with a model and compares the answers with the library's own. `model`
    is a name, for all versions that were not dropped, or a reference to one version. Each version is read from
    the database again. Errors of the database pass through; a version that gives other answers is none: look at
    `ok`."""
    dialect = dialect_of(connection)
    return [
        Verification(version, rows, worst, None if ok is None else bool(ok), note)
        for version, rows, worst, ok, note in dialect.rows(connection, dialect.verify, (model,))
    ]


def profile(
    connection: Any, model: str, query: str, function: str = "predict"
) -> List[OperatorTime]:
    """Runs a query and scores its rows in blocks, and tells how long each operator of the model took. The query's
    first column is a key, the others are features, as in hbscore_scan. `function` is the scoring function whose
    answers are computed: "predict_proba", "transform", .. Errors of the database pass through."""
    dialect = dialect_of(connection)
    rows = dialect.rows(connection, dialect.profile, (model, query, function))
    return [OperatorTime(*row) for row in rows]


# ------------------------------------------------------------------ what a fitted object fills in


def _with_filled_in(
    connection: Any, model: Any, sample: Any, given: Mapping[str, Any], told: Told = nothing
) -> Tuple[bytes, Dict[str, Any]]:
    """The object's file, and the options with those that its file lacks."""
    told(0.0, "writing the file")
    own = fitted(model)
    if own is None and sample is None:
        return export(model, progress=told), dict(given)
    own = own or _of_scikit_learn(model, sample)
    own.told = part(told, 0.0, 0.8)
    rows = Sample(sample, own) if sample is not None else None
    data = own.file() if rows is None else own.file_for(rows.data)
    told(0.8, f"reading {size(data)}")
    in_file = inspect_text(connection, data, "{}")
    outputs = {line.name: line.type for line in in_file if line.role == "output"}
    _check_meaning(own, outputs)
    options = {**own.options(), **_names(own, rows, in_file), **_labels(own, in_file), **given}
    if rows is not None:
        if given.get("golden") is not None:
            raise InvalidValue("sample and the option golden are two ways to give the same")
        told(0.9, "asking the model about the sample")
        options["golden"] = golden(rows, own, outputs, _shown_labels(own, options))
    return data, options


def _of_scikit_learn(model: Any, sample: Any) -> FittedModel:
    """Imported here: the module needs a package that scikit-learn brings."""
    check_estimator(model, "")
    from .libraries.scikit_learn import ScikitLearn

    return ScikitLearn(model, sample)


def _check_meaning(own: FittedModel, outputs: Mapping[str, str]) -> None:
    """A classifier whose file does not say that it is one would be scored as something else."""
    if own.classes() is not None and outputs.get("predict", "class") != "class":
        raise UnsupportedModel(
            f"{type(own.model).__name__} predicts labels, and its file does not say how (an objective of "
            "your own, or one of regression): register the file itself to score its values"
        )


def _names(own: FittedModel, rows: Optional[Sample], in_file: Sequence[Line]) -> Dict[str, Any]:
    """The DataFrame's names, where the file has none or has changed them."""
    names = (rows.columns if rows is not None else None) or own.names()
    if names is None or names == [line.name for line in in_file if line.role == "feature"]:
        return {}
    return {"features": names}


def _labels(own: FittedModel, in_file: Sequence[Line]) -> Dict[str, Any]:
    """The estimator's labels, where the file has others: most have numbers only."""
    in_type: Dict[str, Callable[[str], Any]] = {"text": str, "integer": int, "number": float}
    in_type["boolean"] = "true".__eq__
    stored = [in_type[line.type](line.name) for line in in_file if line.role == "class"]
    classes = own.classes()
    if not stored or classes is None:
        return {}
    labels = [values.label(item) for item in classes]
    same = [(type(item), item) for item in labels] == [(type(item), item) for item in stored]
    return {} if same else {"classes": labels}


def _shown_labels(own: FittedModel, options: Mapping[str, Any]) -> Optional[List[Any]]:
    """What the database will call the estimator's classes."""
    classes, given = own.classes(), options.get("classes")
    if classes is None or given is None:
        return classes
    labels = values.items(given)
    if len(labels) != len(classes):
        raise InvalidValue(
            f"option classes has {len(labels)} labels, the model {len(classes)} classes"
        )
    return labels
