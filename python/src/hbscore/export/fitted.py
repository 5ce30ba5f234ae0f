"""A fitted estimator that is only read with checks: what is read has the expected type and shape,
or the export ends with an error that names the estimator, its place in the pipeline and the fault.
"""

from __future__ import annotations

from typing import Any, Dict, Optional, Sequence

import numpy as np

from hbscore.export.document import array, texts
from hbscore.errors import shown
from hbscore.export.errors import ExportError


def in_words(path: str, text: str) -> ExportError:
    return ExportError("%s: %s" % (path, text) if path else text)


def dense(value: Any) -> Any:
    """Fitted parameters may be sparse (sparsify, sparse training data)."""
    return value.toarray() if hasattr(value, "toarray") else value


def holds_twice(value: Any) -> bool:
    """True of a sparse matrix with several numbers in one place, such as PolynomialFeatures makes of rows that are out of
    order. They are one number, their sum, but scikit-learn squares them one by one."""
    if not hasattr(value, "sum_duplicates") or getattr(value, "has_canonical_format", False):
        return False
    summed = value.copy()
    summed.sum_duplicates()
    return bool(summed.nnz < value.nnz)


class Fitted:
    """An estimator and its place, such as "pipeline step 'clf'"; "" is the outermost."""

    def __init__(self, model: Any, path: str) -> None:
        self.model = model
        self.path = path
        self.name = type(model).__name__

    def error(self, text: str) -> ExportError:
        """To be raised: `StandardScaler ` and what is wrong with it."""
        return in_words(self.path, "%s %s" % (self.name, text))

    def get(self, name: str) -> Any:
        try:
            value = getattr(self.model, name)
        except Exception as e:
            raise self.error("has no %s: is it fitted?" % name) from e
        if holds_twice(value):
            raise self.error("has a sparse matrix %s with several numbers in one place: not supported" % name)
        return value

    def one_of(self, name: str, *allowed: Any) -> Any:
        """An option whose value must be known here."""
        value = self.get(name)
        if not any(isinstance(value, type(a)) and value == a for a in allowed):
            raise self.error("with %s=%s is not supported" % (name, shown(value)))
        return value

    def flag(self, name: str) -> bool:
        value = self.get(name)
        if not isinstance(value, (bool, np.bool_)):
            raise self.error("with %s=%s is not supported" % (name, shown(value)))
        return bool(value)

    def checked(
        self, name: str, value: Any, shape: Sequence[int], finite: bool = True
    ) -> np.ndarray:
        """Real numbers as float64, of this shape; -1 stands for any size."""
        numbers = np.asarray(dense(value))
        if numbers.dtype.kind not in "fiub" or numbers.dtype.itemsize > 8:
            raise self.error("has a %s that holds no numbers: %s" % (name, numbers.dtype))
        if len(numbers.shape) != len(shape) or any(
            want not in (-1, got) for want, got in zip(shape, numbers.shape)
        ):
            raise self.error(
                "has a %s of shape %s, expected %s" % (name, numbers.shape, tuple(shape))
            )
        wide = np.array(numbers, dtype=np.float64, order="C")
        if finite and not np.isfinite(wide).all():
            raise self.error("has a %s that is not finite" % name)
        return wide

    def numbers(self, name: str, *shape: int, finite: bool = True) -> np.ndarray:
        return self.checked(name, self.get(name), shape, finite)

    def number(self, name: str) -> float:
        return float(self.checked(name, np.asarray(self.get(name)), ()))

    def integers(self, name: str, value: Any, size: int, low: int, high: int) -> np.ndarray:
        """One int32 for each of `size` items, low <= each < high."""
        numbers = np.asarray(value)
        if numbers.dtype.kind not in "iub" or numbers.shape != (size,):
            raise self.error("has a %s that is not %d integers" % (name, size))
        if size and not (low <= int(numbers.min()) and int(numbers.max()) < high):
            raise self.error("has a %s that is not from %d to %d" % (name, low, high - 1))
        return np.ascontiguousarray(numbers, dtype=np.int32)

    def children(self, name: str) -> Sequence[Any]:
        """A list of fitted estimators or of tuples that hold them."""
        value = self.get(name)
        if not isinstance(value, (list, tuple, np.ndarray)) or len(value) == 0:
            raise self.error("has no %s" % name)
        return list(value)

    def classes(self, count: int, least: int = 2) -> Dict[str, Any]:
        """The document's `classes`: labels of any one type. least: 1 where one class has an answer of its own."""
        labels = self.get("classes_")
        if not isinstance(labels, np.ndarray) or labels.ndim != 1:
            raise self.error("has several outputs: only one is supported for classifiers")
        if len(labels) < least:
            raise self.error("has one class, of which predict_proba makes two or fails: not supported")
        if len(labels) != count:
            raise self.error("has %d classes, its scores are of %d" % (len(labels), count))
        encoded = encode_labels(labels)
        if encoded is None:
            kinds = sorted({type(label).__name__ for label in labels})
            raise self.error(
                "has class labels that are neither text, numbers nor bool: %s"
                % shown(", ".join(kinds))
            )
        return encoded


def encode_labels(labels: Any) -> Optional[Dict[str, Any]]:
    if labels.dtype.kind == "O" and len({type(v) for v in labels}) == 1:
        if isinstance(labels[0], (str, bool, int, float, np.generic)):
            labels = np.array(labels.tolist())
    kind = labels.dtype.kind
    if kind == "U" and all(is_text(str(v)) for v in labels):
        return texts([str(v) for v in labels])
    if kind == "b":
        return array(labels, "b1")
    if kind in "iu" and int(labels.max()) < 2**63:
        return array(labels, "i8")
    if kind == "f" and labels.dtype.itemsize <= 8 and np.isfinite(labels).all():
        return array(labels, "f8")
    return None


def is_text(text: str) -> bool:
    """UTF-8 can hold it (a lone surrogate it cannot), and so can a database (a NUL it cannot)."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return "\0" not in text
