"""scikit-learn's own answers to the rows of a golden, one row at a time.

The answers are those of the fitted object itself. What it refuses with an exception is a row whose
result is NULL. The plain evaluator of the exported document (python/tests) only says how far apart
right answers may be, and is checked against the library here."""

from __future__ import annotations

import json
import warnings
from typing import Any, Dict, List, Optional, Tuple

import numpy as np

from golden_cells import Output, Value, encode
from golden_sklearn_bounds import magnitudes, rules, unsteady, within
from golden_sklearn_models import Trained
from golden_sklearn_probe import Probe
from golden_tables import FLT_MAX
from hbscore.export.registry import has_own_transform
from own_format_reference import Answers, evaluate


#: What scikit-learn says of a row that it does not take.
REFUSALS = (
    "neighbors per samples are required",  # of a graph with fewer
    "NaN",
    "np.nan is an invalid document",
    "infinity",
    "Found unknown categories",
    "have missing values in transform",
    "previously unseen labels",
    "type of target data is not known",
    "Multioutput target data is not supported",
    "Unknown label type",
    "beta_loss <= 0 and X contains zeros",
    "Negative values in data",
    "X contains negative values",
    "only accepts non-negative sparse matrices",
    "X may not contain entries smaller than",
    "the interpolation range",
    "values beyond the limits of the knots",
    "is out of bounds for axis",
    "can only be applied to strictly positive data",
    "No neighbors found",
    "cannot contain new values",
    "cannot contain null",
    "Unexpected categories found",
    "Unseen values",
    "Missing data found",
    "zero-size array to reduction operation",  # no row within the radius of Isomap
)


def to_float(value: Value) -> float:
    return float("nan") if value is None else float(value)


def is_nothing(value: Value) -> bool:
    return value is None or value != value


def ask_with(t: Trained, row: List[Value]) -> Any:
    """A row as the model wants it. Columns that were float32 in training are rounded to it;
    integers and bool may be missing in SQL, so they are asked for as float64. Texts are those of the
    table, missing ones as in training; a whole number stands for its text."""
    with np.errstate(all="ignore"):
        if t.json:
            return [json.loads(v) for v in row]
        if t.texts:
            return [np.nan if is_nothing(v) else v for v in row]
        if not t.table.named:
            x = np.array([[to_float(v) for v in row]], dtype=np.float64)
            return x.astype(np.float32) if t.narrow else x
        import pandas as pd

        data = {}
        for c, v in zip(t.table.columns, row):
            if c.kind == "text":
                cells = [t.missing if is_nothing(v) else str(v)]
                kind = (t.types or {}).get(c.name, object)  # one cell does not tell the categories
                data[c.name] = pd.Series(cells, dtype=object if kind == "category" else kind)
            else:
                narrow = (t.types or {}).get(c.name) == "float32"
                data[c.name] = np.array([to_float(v)], dtype=np.float32 if narrow else np.float64)
        return pd.DataFrame(data)


def rows_for(t: Trained, rows: List[List[Value]]) -> np.ndarray:
    """As the plain evaluator takes them."""
    if any(c.kind == "text" for c in t.table.columns):
        return np.array(rows, dtype=object)
    return np.array([[to_float(v) for v in row] for row in rows], dtype=np.float64)


METHODS = (
    ("raw", "predict_joint_log_proba"),
    ("raw", "decision_function"),
    ("probabilities", "predict_proba"),
)


def labels_of(model: Any) -> List[Any]:
    """Those of mixtures and of outliers have no array."""
    last = model[-1] if hasattr(model, "steps") else model
    numbers = range(last.n_components) if hasattr(last, "precisions_cholesky_") else [-1, 1]
    return list(getattr(model, "classes_", numbers))


def chances_of(model: Any, data: Any) -> Any:
    """A chain has no probabilities where a target has more than two classes: then each of its classifiers is asked."""
    if not hasattr(model, "order_") or all(len(found) == 2 for found in model.classes_):
        return model.predict_proba(data)
    chances: Dict[int, np.ndarray] = {}
    for target, link in zip(model.order_, model.estimators_):
        chances[int(target)] = link.predict_proba(data)
        data = np.hstack([data, link.predict(data)[:, np.newaxis]])
    return [chances[target] for target in sorted(chances)]


class Library:
    """The fitted object, asked for one row."""

    def __init__(self, t: Trained, document: Dict[str, Any]) -> None:
        self.t, self.model, self.task = t, t.model, document["task"]
        self.document = document
        self.classes = labels_of(t.model) if "classes" in document else []

    def answers(self, row: List[Value], transform: bool) -> Optional[Dict[str, np.ndarray]]:
        data = ask_with(self.t, row)
        try:
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                return self.transformed(data) if transform else self.predicted(data)
        except (ValueError, IndexError) as e:
            if not any(word in str(e) for word in REFUSALS):
                raise
            return None

    def predicted(self, data: Any) -> Dict[str, np.ndarray]:
        label = self.model.predict(data)
        out = {}
        if self.task == "classifier" and "classes" not in self.document:
            return self.of_several(data, np.asarray(label)[0])
        if self.task == "classifier":
            for kind, method in METHODS:
                if hasattr(self.model, method) and not self.refuses(method):
                    out[kind] = np.ravel(getattr(self.model, method)(data)).astype(np.float64)
            out["label"] = np.array([self.classes.index(label[0])], dtype=np.int64)
        else:
            values = np.ravel(label).astype(np.float64)
            out["value" if len(values) == 1 else "values"] = values
        return out

    def refuses(self, method: str) -> bool:
        """A Gaussian process of pairs of classes has the method, and no probabilities."""
        return method == "predict_proba" and getattr(self.model, "multi_class", "") == "one_vs_one"

    def of_several(self, data: Any, labels: np.ndarray) -> Dict[str, np.ndarray]:
        """Labels, or their places where some are texts; all probabilities, or those of 1 where labels are 0 and 1."""
        out, outputs = {}, "outputs" in self.document
        if hasattr(self.model, "decision_function") and not outputs:
            out["raw"] = np.ravel(self.model.decision_function(data)).astype(np.float64)
        if hasattr(self.model, "predict_proba"):
            proba = chances_of(self.model, data)
            if isinstance(proba, list):
                proba = [p[0] if outputs else p[0, 1:] for p in proba]
                out["probabilities"] = np.concatenate(proba).astype(np.float64)
            elif outputs:  # of a chain, the second class's
                out["probabilities"] = np.stack([1.0 - proba[0], proba[0]], axis=1).ravel()
            else:
                out["probabilities"] = np.ravel(proba).astype(np.float64)
        if outputs and any(array["dtype"] == "str" for array in self.document["outputs"]):
            labels = np.array([list(found).index(label) for found, label in zip(self.model.classes_, labels)])
        out["values"] = np.asarray(labels, dtype=np.float64)
        return out

    def transformed(self, data: Any) -> Dict[str, np.ndarray]:
        """Of a pipeline that predicts, that of the steps before the last one, unless that has its own."""
        model = getattr(self.model, "best_estimator_", self.model)
        if self.t.target:
            data = np.ravel(np.asarray(data))
        last = model[-1] if hasattr(model, "steps") else model
        whole = self.task == "transformer" or has_own_transform(last)
        made = (model if whole else model[:-1]).transform(data)
        made = made.toarray() if hasattr(made, "toarray") else made
        return {"transform": np.ravel(np.asarray(made)).astype(np.float64)}


# The rows ---------------------------------------------------------------------------------------


def keep_known(rows: List[List[Value]], needed: set) -> List[List[Value]]:
    """A feature on which no output depends makes no row NULL in SQL, but it does in scikit-learn:
    such features have ordinary numbers. Texts stay as they are."""
    texts = {j for row in rows for j, v in enumerate(row) if isinstance(v, str)}

    def plain(j: int, v: Value) -> Value:
        return v if j in needed or j in texts or abs(to_float(v)) <= FLT_MAX else 0.5

    return [[plain(j, v) for j, v in enumerate(row)] for row in rows]


def kinds(rows: List[List[Value]], fate: List[Optional[str]]) -> List[str]:
    """What the rows ask for, as words of `covers`."""
    found = {"row=null-result"} if "null" in fate else set()
    found |= {"row=unseen-category"} if "error" in fate else set()
    for row in rows:
        for v in row:
            found.add("cell=" + encode(v)[0].replace("-", "null"))
            if isinstance(v, float):
                size = abs(v)
                found |= {"row=nan"} if v != v else set()
                found |= {"row=infinity"} if size == np.inf else set()
                found |= {"row=beyond-float32"} if FLT_MAX * 1.001 < size < np.inf else set()
                found |= {"row=denormal"} if 0 < size < 1e-38 else set()
                found |= {"row=negative-zero"} if v == 0 and np.signbit(v) else set()
    return sorted(found)


OUTPUTS = ("raw", "probabilities", "value", "values", "label", "transform")


def finite(answers: List[Optional[Dict[str, np.ndarray]]], nan: bool) -> np.ndarray:
    """Rows without an overflow. The score of a class that cannot be is always -infinity; of a transform, and
    where `nan`, a missing number is an answer."""
    scores = np.array([a["raw"] for a in answers if a and "raw" in a])
    never = np.isneginf(scores).all(axis=0) if len(scores) else False

    def is_good(kind: str, v: np.ndarray) -> bool:
        allowed = np.isnan(v) if nan or kind == "transform" else never if kind == "raw" else False
        return bool((np.isfinite(v) | allowed).all())

    return np.array([a is None or all(is_good(k, v) for k, v in a.items()) for a in answers])


class Asked:
    """The rows that are kept, what the library says to each, and how it is compared."""

    def __init__(
        self, t: Trained, document: bytes, rows: List[List[Value]], transform: bool = False
    ) -> None:
        first = evaluate(document, rows_for(t, rows[:1]))
        needed = (first.transform_needed if transform else first.needed)[0]
        rows = keep_known(rows, needed)
        library = Library(t, first.document)
        reference = evaluate(document, rows_for(t, rows))
        reference.adds_doubles = t.doubles  # type: ignore[attr-defined]
        null = reference.transform_null if transform else reference.null
        error = reference.transform_error if transform else reference.error
        answers = [library.answers(row, transform) for row in rows]
        refused = null | error
        null = null | self.refused_by_library_only(refused, answers)
        for i in np.flatnonzero((null | error) & ~refused):  # it takes the row with other cells that do not matter
            mended = [v if j in needed else w for j, (v, w) in enumerate(zip(rows[i], rows[0]))]
            assert library.answers(mended, transform), "row %d is refused" % i
        refused = null | error
        probe = Probe(document, rows_for(t, rows), reference, transform) if t.probed else None
        size = None if probe or (transform and t.rule) else magnitudes(reference, transform)
        keep = finite(answers, t.nan)
        if probe:
            keep &= refused | probe.steady
        if size is not None:
            keep &= refused | np.isfinite(size).all(axis=1)
            if not transform:
                keep &= refused | ~unsteady(reference, size)
        self.rows = [row for row, k in zip(rows, keep) if k]
        words = ["error" if e else "null" if n else None for e, n in zip(error, null)]
        self.fate = [word for word, k in zip(words, keep) if k]
        scored = [a for a, k in zip(answers, keep) if k and a]
        names = [n for n in OUTPUTS if n in scored[0]]
        self.dropped = len(rows) - len(self.rows)
        good = keep & ~refused
        if probe:
            self.rules = probe.rules(scored[0], good)
        elif transform and t.rule:
            self.rules = {"transform": t.rule}
        else:
            self.rules = rules(reference, scored[0], size, good, transform)
        self.reference, self.good = reference, good
        self.check_answers(scored, names)
        self.results = [self.output(name, answers, keep, scored[0][name]) for name in names]

    def output(self, name: str, answers: List[Any], keep: np.ndarray, like: np.ndarray) -> Output:
        blank = np.zeros_like(like)
        values = np.array([a[name] if a else blank for a, k in zip(answers, keep) if k])
        return name, len(like), self.rules[name], values

    @staticmethod
    def refused_by_library_only(expected: np.ndarray, answers: List[Any]) -> np.ndarray:
        refused = np.array([a is None for a in answers])
        wrong = np.flatnonzero(expected & ~refused)
        assert len(wrong) == 0, "row %d is not refused" % wrong[0]
        return refused & ~expected

    def check_answers(self, scored: List[Dict[str, np.ndarray]], names: List[str]) -> None:
        """The exported document gives the library's answers under the golden's own rules."""
        got: Dict[str, Any] = {
            "raw": self.reference.raw,
            "probabilities": self.reference.probabilities,
            "transform": self.reference.transform,
        }
        if "label" in names:
            got["label"] = self.reference.label[:, np.newaxis]
        elif "transform" not in names:
            got["value"] = got["values"] = self.reference.predict
        for name in names:
            want = np.array([a[name] for a in scored])
            rule = "exact" if name == "label" else self.rules[name]
            assert within(rule, got[name][self.good], want), "%s differs from the library" % name
