"""The features of a document: names and types of the columns that the model was trained on."""

from __future__ import annotations

from typing import Any, Container, Dict, Iterator, List, Optional, Tuple

import numpy as np

from hbscore.errors import shown
from hbscore.export.compose import passes
from hbscore.export.errors import ExportError
from hbscore.export.fitted import is_text
from hbscore.export.registry import VECTORIZERS
from hbscore.libraries import fitted as library_model


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


def type_of(name: str, dtype: Any) -> Any:
    """The numpy type of a column; pandas' own types (Int64, boolean) have one too, and so have the
    categories of a categorical column."""
    dtype = getattr(getattr(dtype, "categories", None), "dtype", dtype)
    try:
        plain = np.dtype(getattr(dtype, "numpy_dtype", dtype))
    except TypeError:  # a category, a text
        plain = np.dtype(object)
    if plain.kind in "OUT":
        return np.dtype(object)
    if plain.kind in "iub" or plain == np.float64 or (plain == np.float32 and plain is dtype):
        return plain
    raise ExportError(
        "feature %s has the type %s: only numbers, bool and texts are supported" % (name, dtype)
    )


def sample_columns(sample: Any) -> Optional[Tuple[Optional[List[Any]], List[Any]]]:
    """Names and types of a DataFrame, types of a matrix; None of a list of names."""
    if hasattr(sample, "columns") and hasattr(sample, "dtypes"):
        names, types = list(sample.columns), list(sample.dtypes)
        if not all(isinstance(n, str) for n in names):
            return None, [type_of(str(n), t) for n, t in zip(names, types)]
        return names, [type_of(repr(n), t) for n, t in zip(names, types)]
    if isinstance(sample, np.ndarray) and sample.ndim == 2:
        return None, [type_of(str(j), sample.dtype) for j in range(sample.shape[1])]
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


def read_features(model: Any, given: Any) -> Tuple[Optional[List[str]], List[Any]]:
    """Names, None where there are none, and numpy types: float64 where no sample tells."""
    first = first_of(model)
    width = int(getattr(first, "n_features_in_", takes_of_target(model) or takes_text(first) or given_width(given)))
    if width < 1:
        raise ExportError(
            "%s does not say how many columns it takes: is it fitted?" % type(model).__name__
        )
    own = names_of(first)
    types: List[Any] = [np.dtype(object if takes_text(first) else np.float64)] * width
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
        types, own = found, own if own is not None else named
    elif given is not None:
        own = list(given)
    if own is not None:
        check_names(own, width)
    return own, types


def word_of(dtype: Any, is_text: bool) -> str:
    if is_text:
        return "str"
    return "bool" if dtype.kind == "b" else "i8" if dtype.kind in "iu" else "f%d" % dtype.itemsize


def entries(
    names: Optional[List[str]], types: List[Any], texts: Container[int]
) -> List[Dict[str, str]]:
    """The document's `features`; `texts` are the places of those that are texts."""
    words = [word_of(t, j in texts) for j, t in enumerate(types)]
    if names is None:
        return [{"type": w} for w in words]
    return [{"name": n, "type": w} for n, w in zip(names, words)]
