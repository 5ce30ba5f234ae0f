"""LightGBM's own answers to the rows of a golden.

Raw scores and values come from Booster.predict of a float64 matrix or, where the file has pandas
categories, of a DataFrame. Labels and the probabilities of classes come from LGBMClassifier, into
which the loaded booster is put: a text file holds no estimator. NaN answers are written with the
bits of numpy's NaN, as their sign depends on the machine."""

from __future__ import annotations

from typing import Any, Dict, List

import numpy as np

from golden_cells import Output, write_golden
from golden_lightgbm_models import ZERO
from golden_predict import Rows

#: Objectives whose value is a sum, an average or a square: no elementary function rounds it.
EXACT = {
    "",
    "fair",
    "huber",
    "lambdarank",
    "mape",
    "quantile",
    "rank_xendcg",
    "regression",
    "regression_l1",
}


def number(v: Any) -> Any:
    """A whole number that no double holds stays one."""
    return int(v) if isinstance(v, int) and float(v) != v else float(v)


class WideRows(Rows):
    """LightGBM takes doubles, and an unseen category is missing unless an option says otherwise."""

    def __init__(self, spec: Dict[str, Any]) -> None:
        super().__init__(spec, unseen="missing")
        self.wide, _ = self.float64()

    def whole_frame(self) -> Any:
        """Unseen values are among the categories given, so that the library itself drops them."""
        import pandas as pd

        data = {}
        for j, c in enumerate(self.columns):
            if c["kind"] not in ("text", "numcat"):
                data[c["name"]] = self.wide[:, j]
                continue
            cells = [row[j] for row in self.values]
            given = [v for v in cells if v is not None and v == v]
            if c["kind"] == "numcat" and c["dtype"] != "bool":
                given = [number(v) for v in given]
                cells = [None if v is None or v != v else number(v) for v in cells]
            elif c["dtype"] == "bool":
                given = []
                cells = [bool(v) if v in (0, 1) else None for v in cells]
            known = list(c["categories"])
            every = list(dict.fromkeys(known + sorted(set(given) - set(known))))
            codes = [-1 if v is None else every.index(v) for v in cells]
            large = any(isinstance(v, int) and float(v) != v for v in every)
            index = pd.Index(every, dtype=object) if large else pd.Index(every)
            data[c["name"]] = pd.Categorical.from_codes(codes, categories=index)
        return pd.DataFrame(data)

    def input(self, pick: Any = None) -> Any:
        return self.whole_frame() if self.stored else self.wide


class Model:
    """A loaded file, asked for the rounds that hbscore uses."""

    def __init__(self, lgb: Any, spec: Dict[str, Any], path: str) -> None:
        self.lgb, self.spec = lgb, spec
        self.booster = lgb.Booster(model_file=path)
        self.rounds = spec["options"].get("rounds", -1)
        self.quiet = {"num_threads": 1, "verbosity": -1}

    def predict(self, data: Any, raw: bool) -> np.ndarray:
        out = self.booster.predict(
            data, raw_score=raw, num_iteration=self.rounds, validate_features=False, **self.quiet
        )
        return canonical(np.asarray(out))

    def check_paths(self, rows: WideRows, raw: np.ndarray) -> None:
        """The library's other ways to take the same numbers: sparse, one by one, narrow."""
        import scipy.sparse

        if rows.stored:
            return
        # A sparse row keeps stored values that count as zero; a dense one, the reference, does not.
        large = np.where(np.abs(rows.wide) <= ZERO, 0.0, rows.wide)
        same_bits(self.predict(large, True), raw, "zero and what counts as zero")
        same_bits(self.predict(scipy.sparse.csr_matrix(large), True), raw, "sparse and dense")
        for i in range(0, len(raw), 7):
            same_bits(self.predict(rows.wide[i : i + 1], True)[0], raw[i], "one row and many")
        with np.errstate(all="ignore"):
            narrow = rows.wide.astype(np.float32)
        exact = ((narrow == rows.wide) | np.isnan(rows.wide)).all(1)
        same_bits(self.predict(narrow[exact], True), raw[exact], "float32 and float64")

    def classifier(self, task: str, width: int) -> Any:
        classes = 2 if task == "binary" else width
        more = {} if task == "binary" else {"num_class": width}
        clf = self.lgb.LGBMClassifier(n_jobs=1, verbosity=-1, **more)
        clf._Booster, clf.fitted_ = self.booster, True
        clf._objective = self.spec["objective"].split(" ")[0]
        clf._n_features = clf._n_features_in = len(self.spec["columns"])
        clf._n_classes, clf._classes = classes, np.arange(classes)
        clf._le = self.lgb.sklearn._LGBMLabelEncoder().fit(np.arange(classes))
        return clf


def canonical(values: np.ndarray) -> np.ndarray:
    return np.where(np.isnan(values), np.nan, values)


def same_bits(a: np.ndarray, b: np.ndarray, what: str) -> None:
    a, b = np.ascontiguousarray(a, np.float64), np.ascontiguousarray(b, np.float64)
    differ = a.view(np.uint64) != b.view(np.uint64)
    if a.shape != b.shape or differ.any():
        raise AssertionError("%s differ on %d of %d numbers" % (what, differ.sum(), a.size))


def outputs(model: Model, rows: WideRows, task: str) -> List[Output]:
    data = rows.input()
    raw = model.predict(data, True)
    model.check_paths(rows, raw)
    width = 1 if raw.ndim == 1 else raw.shape[1]
    out: List[Output] = [("raw", width, "exact", raw)]
    objective = model.spec["objective"].split(" ")[0]
    if task in ("value", "values"):
        rule = "exact" if objective in EXACT else "rel:1e-15"
        out.append((task, width, rule, model.predict(data, False)))
        return out
    clf = model.classifier(task, width)
    ask = {"num_iteration": model.rounds, "validate_features": False, **model.quiet}
    proba = np.asarray(clf.predict_proba(data, **ask))
    out.append(("probabilities", proba.shape[1], "rel:1e-15", canonical(proba)))
    out.append(("label", 1, "", np.asarray(clf.predict(data, **ask)).astype(np.int64)))
    return out


def golden_text(lgb: Any, spec: Dict[str, Any], path: str) -> str:
    rows = WideRows(spec)
    model = Model(lgb, spec, path)
    results = outputs(model, rows, spec["task"])
    covers = spec["covers"] + ["output=" + kind for kind, _, _, _ in results] + rows.kinds()
    if any(np.isnan(values).any() for _, _, _, values in results):
        covers.append("row=nan-answer")
    if any(np.isinf(values).any() for _, _, _, values in results):
        covers.append("row=infinite-answer")
    return write_golden("lightgbm", lgb.__version__, spec, covers, results, rows.fate)
