"""The features of a document: names and types of the columns that the model was trained on."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, Callable, Container, Dict, Iterable, Iterator, List, Optional, Set, Tuple

import numpy as np

from hbscore.errors import shown
from hbscore.export.compose import passes
from hbscore.export.errors import ExportError
from hbscore.export.fitted import is_text
from hbscore.export.registry import VECTORIZERS
from hbscore.libraries import fitted as library_model


TEXT = np.dtype(object)
NUMBERS = (bool, int, float, np.bool_, np.number)

#: The value that training had for SQL's NULL.
NONE, NAN = "none", "nan"


@dataclass(frozen=True)
class Column:
    """A feature. null: NONE or NAN where the sample has missing texts of one kind only. refused: why nothing may read it."""

    type: Any
    null: str = ""
    refused: str = ""


def parts_of(model: Any) -> Iterator[Any]:
    """The fitted estimators inside that get the table as it is, or may."""
    for name in ("best_estimator_", "estimator_", "regressor_"):
        if hasattr(model, name):
            yield getattr(model, name)
    named = [part for name in ("steps", "transformer_list") for _, part in getattr(model, name, [])]
    several = [*named, *getattr(model, "estimators_", [])]
    yield from (part for part in several if not passes(part) and not isinstance(part, str))
    yield from (part.estimator for part in getattr(model, "calibrated_classifiers_", []))


def first_of(model: Any) -> Any:
    """The estimator that the table reaches first and that knows its width and names."""
    if hasattr(model, "n_features_in_") or takes_text(model):
        return model
    found = (first_of(part) for part in parts_of(model))
    return next((first for first in found if first is not None), None)


def takes_of_target(model: Any) -> int:
    """The columns of an encoder of a target, or of isotonic regression: mostly one, and without names. 0: it is neither."""
    target = type(model).__name__ in ("LabelBinarizer", "LabelEncoder") and hasattr(model, "classes_")
    if target and getattr(model, "y_type_", None) == "multilabel-indicator":
        return len(model.classes_)
    return target or (type(model).__name__ == "IsotonicRegression" and hasattr(model, "X_thresholds_"))


def takes_text(model: Any) -> bool:
    """A vectorizer of texts, which are one column and have no name."""
    return type(model).__name__ in VECTORIZERS


def plain_type(dtype: Any) -> Any:
    """The numpy type of a column; pandas' own types (Int64, boolean) have one too, and so have the
    categories of a categorical column. None: its values are no numbers, bools or texts."""
    dtype = getattr(getattr(dtype, "categories", None), "dtype", dtype)
    try:
        plain = np.dtype(getattr(dtype, "numpy_dtype", dtype))
    except TypeError:
        return TEXT if type(dtype).__name__ == "StringDtype" else None
    if plain.kind in "OUT":
        return TEXT
    if plain.kind in "iub" or plain == np.float64 or (plain in (np.float16, np.float32) and plain is dtype):
        return plain
    return None


def refused(name: str, dtype: Any) -> Column:
    return Column(TEXT, refused="feature %s has the type %s: only numbers, bool and texts are supported" % (name, dtype))


def of_objects(name: str, values: Iterable[Any]) -> Column:
    """Objects are texts, or numbers where there are no others but missing ones."""
    kinds: Set[str] = set()
    missing: Set[str] = set()
    for value in values:
        if value is None or type(value).__name__ == "NAType":
            missing.add(NONE if value is None else NAN)
        elif isinstance(value, NUMBERS):
            (kinds if value == value else missing).add("number" if value == value else NAN)
        elif isinstance(value, str):
            kinds.add("text")
        else:
            return refused(name, type(value).__name__)
    null = missing.pop() if len(missing) == 1 else ""
    if kinds == {"number"} and not missing:
        return Column(np.dtype(np.float64), null if null == NONE else "")
    return Column(TEXT, null)


def column_of(name: str, dtype: Any, values: Callable[[], Iterable[Any]]) -> Column:
    plain = plain_type(dtype)
    if plain is None:
        return refused(name, dtype)
    return of_objects(name, values()) if dtype == TEXT else Column(plain)


def column_in(frame: Any, j: int) -> Iterable[Any]:
    return frame.iloc[:, j] if hasattr(frame, "iloc") else ()


def sample_columns(sample: Any) -> Optional[Tuple[Optional[List[Any]], List[Column]]]:
    """Names and columns of a DataFrame, columns of a matrix; None of a list of names."""
    if hasattr(sample, "columns") and hasattr(sample, "dtypes"):
        names, types = list(sample.columns), list(sample.dtypes)
        named = all(isinstance(n, str) for n in names)
        show = repr if named else str
        found = [column_of(show(n), t, partial(column_in, sample, j)) for j, (n, t) in enumerate(zip(names, types))]
        return names if named else None, found
    if isinstance(sample, np.ndarray) and sample.ndim == 2:
        return None, [column_of(str(j), sample.dtype, partial(sample.__getitem__, (slice(None), j))) for j in range(sample.shape[1])]
    return None


def check_names(names: List[Any], width: int) -> None:
    known = set()
    for name in names:
        if not isinstance(name, str) or not name or not is_text(name):
            raise ExportError("%s is no name of a feature" % shown(name))
        if name in known:
            raise ExportError("two features are named %s" % shown(name))
        known.add(name)
    if len(names) != width:
        raise ExportError("the model takes %d features, %d names are given" % (width, len(names)))


def names_of(first: Any) -> Optional[List[str]]:
    """Boosting libraries make up names where training had none."""
    library = library_model(first)
    if library is not None:
        return library.names()
    names = getattr(first, "feature_names_in_", None)
    if names is None or not all(isinstance(n, str) for n in names):  # category_encoders counts columns without names
        return None
    return [str(n) for n in names]


def given_width(given: Any) -> int:
    """Dummies of old versions do not say how many columns they were fitted on."""
    shape: Tuple[int, ...] = getattr(given, "shape", ())
    return int(shape[1]) if len(shape) == 2 else len(given) if isinstance(given, (list, tuple)) else 0


def read_features(model: Any, given: Any) -> Tuple[Optional[List[str]], List[Column]]:
    """Names, None where there are none, and columns: of float64 where no sample tells."""
    first = first_of(model)
    width = int(getattr(first, "n_features_in_", takes_of_target(model) or takes_text(first) or given_width(given)))
    if width < 1:
        raise ExportError(
            "%s does not say how many columns it takes: is it fitted?" % type(model).__name__
        )
    own = names_of(first)
    columns = [Column(TEXT if takes_text(first) else np.dtype(np.float64))] * width
    sample = None if given is None else sample_columns(given)
    if sample is not None:
        named, found = sample
        if own is not None and named is not None:  # any order of columns, and more of them
            if not set(own) <= set(named):
                raise ExportError(
                    "the sample lacks the column %s"
                    % shown(sorted(set(own) - set(named))[0])
                )
            at = {n: i for i, n in reversed(list(enumerate(named)))}  # of equal ones the first
            found = [found[at[n]] for n in own]
        elif len(found) != width:
            raise ExportError(
                "the model takes %d features, the sample has %d" % (width, len(found))
            )
        columns, own = found, own if own is not None else named
    elif given is not None:
        own = list(given)
    if own is not None:
        check_names(own, width)
    return own, columns


def word_of(dtype: Any, is_text: bool) -> str:
    if is_text:
        return "str"
    return "bool" if dtype.kind == "b" else "i8" if dtype.kind in "iu" else "f4" if dtype == np.float32 else "f8"


def entries(
    names: Optional[List[str]], columns: List[Column], texts: Container[int]
) -> List[Dict[str, str]]:
    """The document's `features`; `texts` are the places of those that are texts."""
    words = [word_of(c.type, j in texts) for j, c in enumerate(columns)]
    if names is None:
        return [{"type": w} for w in words]
    return [{"name": n, "type": w} for n, w in zip(names, words)]
