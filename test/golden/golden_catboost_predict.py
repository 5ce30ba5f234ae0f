"""CatBoost's own answers to the rows of a golden.

They are those of the model that wrote the JSON file: it is kept as a .cbm in the work folder, which
the newest version loads. A model that CatBoost loads from JSON is not the same: its reader misses
many leaf values by one bit, takes no bias that is a single number, and cuts the fractions of the
sums of BinarizedTargetMeanValue. Elsewhere it is checked to give these answers within 1e-12."""

from __future__ import annotations

from typing import Any, Dict, List

import numpy as np

from golden_cells import Output, Value, write_golden
from golden_catboost_models import frame
from golden_predict import Rows
from golden_tables import Column


class HashedRows(Rows):
    """An unseen category has a hash that no split and no table knows; a missing one is refused."""

    def __init__(self, spec: Dict[str, Any]) -> None:
        super().__init__(spec, unseen="missing")
        for i, row in enumerate(self.values):
            for j, c in enumerate(self.columns):
                if c["kind"] != "real" and (row[j] is None or row[j] != row[j]):
                    self.fate[i] = "null"
        self.wide, _ = self.float64()

    def kinds(self) -> List[str]:
        found = super().kinds()
        for j, c in enumerate(self.columns):
            if c["kind"] != "real":
                known = {str(v) for v in c["categories"]}
                cells = [row[j] for row in self.values if row[j] is not None]
                found += ["row=unseen-category"] if any(str(v) not in known for v in cells) else []
                found += ["row=integer-category"] if any(isinstance(v, int) for v in cells) else []
                found += ["row=empty-category"] if "" in cells else []
        return found

    def filled(self) -> List[List[Value]]:
        """Missing categories, whose rows are not answered, as a text."""
        out = []
        for i, row in enumerate(self.values):
            kinds = [c["kind"] for c in self.columns]
            out.append(
                [
                    float(self.data[i, j]) if k == "real" else "" if v is None or v != v else v
                    for j, (k, v) in enumerate(zip(kinds, row))
                ]
            )
        return out


class Model:
    """A loaded model, asked as an estimator of its task."""

    def __init__(self, cb: Any, spec: Dict[str, Any], path: str, binary: str) -> None:
        self.cb, self.spec, self.path = cb, spec, path
        task = spec["task"]
        kinds = {"value": cb.CatBoostRegressor, "values": cb.CatBoostRegressor, "rank": cb.CatBoost}
        self.model = kinds.get(task, cb.CatBoostClassifier)().load_model(binary)
        # Models of 0.22 hold a parameter twice, and 1.2 then refuses its own.
        self.model._init_params.pop("logging_level", None)

    def pool(self, rows: HashedRows, matrix: Any = None) -> Any:
        if not rows.stored:
            return rows.data if matrix is None else matrix
        kinds = [c["kind"] for c in self.spec["columns"]]
        columns = [Column(n, k, None) for n, k in zip(self.model.feature_names_, kinds)]
        cats = [j for j, c in enumerate(columns) if c.stored]
        return self.cb.Pool(frame(columns, rows.filled()), cat_features=cats)

    def raw(self, data: Any, model: Any = None) -> np.ndarray:
        asked = model or self.model
        out = asked.predict(data, prediction_type="RawFormulaVal", thread_count=1)
        return np.asarray(out, dtype=np.float64)

    def check_paths(self, rows: HashedRows, raw: np.ndarray) -> None:
        """Doubles, rows one by one, and the JSON file give the same."""
        if not rows.stored:
            same_bits(self.raw(rows.wide), raw, "float64 and float32")
            for i in range(0, len(raw), 9):
                same_bits(self.raw(rows.data[i : i + 1]), raw[i : i + 1], "one row and many")
        if self.spec["reloads"]:
            loaded = self.cb.CatBoost().load_model(self.path, format="json")
            reread = self.raw(self.pool(rows), loaded)
            finite = np.isfinite(raw)
            size = 1e-12 * (1 + np.abs(raw[finite]))
            assert (np.abs(reread[finite] - raw[finite]) <= size).all(), "JSON and model differ"

    def labels(self, data: Any) -> np.ndarray:
        names = [str(c) for c in self.model.classes_]
        given = np.asarray(self.model.predict(data, thread_count=1)).reshape(-1)
        return np.array([names.index(str(v)) for v in given], dtype=np.int64)


def same_bits(a: np.ndarray, b: np.ndarray, what: str) -> None:
    a, b = np.ascontiguousarray(a, np.float64), np.ascontiguousarray(b, np.float64)
    differ = a.view(np.uint64) != b.view(np.uint64)
    if a.shape != b.shape or differ.any():
        raise AssertionError("%s differ on %d of %d numbers" % (what, differ.sum(), a.size))


def value_output(model: Model, data: Any, raw: np.ndarray, kind: str) -> Output:
    """What the estimator's predict gives: the raw values, or transformed by the loss."""
    out = np.asarray(model.model.predict(data, thread_count=1), dtype=np.float64)
    same = out.shape == raw.shape and np.array_equal(out, raw)
    width = 1 if out.ndim == 1 else out.shape[1]
    return (kind, width, "exact" if same else "rel:1e-12", out)


def outputs(model: Model, rows: HashedRows) -> List[Output]:
    task = model.spec["task"]
    data = model.pool(rows)
    raw = model.raw(data)
    model.check_paths(rows, raw)
    width = 1 if raw.ndim == 1 else raw.shape[1]
    out: List[Output] = [("raw", width, "exact", raw)]
    if task in ("value", "rank", "values"):
        out.append(value_output(model, data, raw, "values" if task == "values" else "value"))
        return out
    proba = np.asarray(model.model.predict_proba(data, thread_count=1), dtype=np.float64)
    # Of a class without training data CatBoost's exponential makes a denormal, not 0.
    if np.isfinite(raw).all():
        out.append(("probabilities", proba.shape[1], "rel:1e-12", proba))
    if task == "multilabel":
        given = np.asarray(model.model.predict(data, thread_count=1), dtype=np.float64)
        out.append(("values", width, "exact", given))
    else:
        out.append(("label", 1, "", model.labels(data)))
    return out


def golden_text(cb: Any, spec: Dict[str, Any], path: str, binary: str) -> str:
    if spec["task"] == "refused":
        return write_golden("catboost", cb.__version__, spec, spec["covers"], [], [])
    rows = HashedRows(spec)
    model = Model(cb, spec, path, binary)
    results = outputs(model, rows)
    covers = spec["covers"] + ["output=" + kind for kind, _, _, _ in results] + rows.kinds()
    return write_golden("catboost", cb.__version__, spec, covers, results, rows.fate)
