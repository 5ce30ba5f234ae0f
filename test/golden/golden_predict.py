"""The library's own answers to the rows of a golden, and the text of the .golden file.

Nothing here re-creates the library's arithmetic: margins and values come from Booster.predict or,
for rows with infinities, which a DMatrix refuses, from Booster.inplace_predict, whose answers are
checked to have the same bits on all other rows. Probabilities of two classes and labels come from
XGBClassifier."""

from __future__ import annotations

import json
from typing import Any, Dict, List, Optional, Tuple

import numpy as np

from golden_cells import Output, Value, decode_row, encode, to_float32, write_golden
from golden_tables import FLT_MAX, categorical


class Rows:
    """Decoded rows, and what becomes of each: scored, an error, or NULL."""

    def __init__(self, spec: Dict[str, Any], unseen: str = "error") -> None:
        """unseen: what becomes of a category never seen where the option on_unseen is absent."""
        self.columns = spec["columns"]
        self.stored = any(c["kind"] in ("text", "numcat") for c in self.columns)
        self.values: List[List[Value]] = [decode_row(r) for r in spec["rows"]]
        self.fate: List[Optional[str]] = [None] * len(self.values)
        on_unseen = spec["options"].get("on_unseen", unseen)
        for i, row in enumerate(self.values):
            for j, v in enumerate(row):
                if self.unseen(j, v) and on_unseen != "missing":
                    self.fate[i] = on_unseen
        self.data = self.float32()

    def kinds(self) -> List[str]:
        """What the rows ask for, as words of `covers`."""
        found = {"row=" + {"error": "error", "null": "null-result"}[f] for f in self.fate if f}
        for row in self.values:
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

    def unseen(self, j: int, v: Value) -> bool:
        c = self.columns[j]
        if c["kind"] not in ("text", "numcat") or v is None:
            return False
        if isinstance(v, float) and np.isnan(v):
            return False
        return v not in c["categories"]

    def float32(self) -> np.ndarray:
        """Numbers as the library casts them. A stored category is NaN here; frame() holds it."""
        out = np.full((len(self.values), len(self.columns)), np.nan, dtype=np.float32)
        for i, row in enumerate(self.values):
            for j, v in enumerate(row):
                if self.columns[j]["kind"] in ("real", "code"):
                    out[i, j] = to_float32(v)
        return out

    def float64(self) -> Tuple[np.ndarray, np.ndarray]:
        """The same numbers before the cast, and which rows double holds exactly."""
        exact = np.ones(len(self.values), dtype=bool)
        out = np.full((len(self.values), len(self.columns)), np.nan)
        for i, row in enumerate(self.values):
            for j, v in enumerate(row):
                if v is None or self.columns[j]["kind"] in ("text", "numcat"):
                    continue
                out[i, j] = float(v)  # type: ignore[arg-type]
                if isinstance(v, int) and int(out[i, j]) != v:
                    exact[i] = False
        return out, exact

    def frame(self, pick: np.ndarray) -> Any:
        """A DataFrame of the picked rows, an unseen category as missing."""
        import pandas as pd

        data = {}
        for j, c in enumerate(self.columns):
            if c["kind"] in ("text", "numcat"):
                cells = [self.values[i][j] for i in pick]
                cells = [None if v is None or self.unseen(j, v) else v for v in cells]
                data[c["name"]] = categorical(cells, c["categories"], c["kind"], c["dtype"])
            else:
                data[c["name"]] = self.data[pick, j]
        return pd.DataFrame(data)

    def input(self, pick: np.ndarray) -> Any:
        return self.frame(pick) if self.stored else self.data[pick]


class Model:
    """A loaded file, asked for the rounds that hbscore uses."""

    def __init__(self, xgb: Any, spec: Dict[str, Any], path: str) -> None:
        self.xgb, self.spec, self.path = xgb, spec, path
        self.booster = xgb.Booster({"nthread": 1}, model_file=path)
        self.config = json.loads(self.booster.save_config())
        self.estimator = self.booster.attr("scikit_learn") is not None
        name = self.config["learner"]["gradient_booster"]["name"]
        self.linear = name == "gblinear"
        self.placed = hasattr(self.booster, "inplace_predict") and not self.linear  # since 1.1
        self.missing = np.nan if spec["missing"] is None else spec["missing"]
        self.range = (0, self.rounds()) if self.placed else (0, 0)

    def rounds(self) -> int:
        """The option, else the estimator's best iteration, else all that the file holds."""
        if "rounds" in self.spec["options"]:
            return self.spec["options"]["rounds"]
        best = self.booster.attr("best_iteration")
        if best is not None and self.estimator:
            return int(best) + 1
        return self.booster.num_boosted_rounds()

    def by_matrix(self, data: Any, margin: bool, missing: float) -> np.ndarray:
        kinds = {} if not hasattr(data, "columns") else {"enable_categorical": True}
        d = self.xgb.DMatrix(data, missing=missing, nthread=1, **kinds)
        more = {"iteration_range": self.range} if self.range != (0, 0) else {}
        return self.booster.predict(d, output_margin=margin, validate_features=False, **more)

    def in_place(self, data: Any, margin: bool) -> np.ndarray:
        return self.booster.inplace_predict(
            data,
            predict_type="margin" if margin else "value",
            missing=self.missing,
            validate_features=False,
            iteration_range=self.range,
        )

    def predict(self, rows: Rows, margin: bool) -> np.ndarray:
        """All rows. DMatrix is the reference; the in-place path answers for infinities."""
        every = np.arange(len(rows.values))
        high, low = np.isposinf(rows.data).any(1), np.isneginf(rows.data).any(1)
        finite = np.flatnonzero(~(high | low))
        first = self.by_matrix(rows.input(finite), margin, self.missing)
        out = np.zeros((len(every),) + first.shape[1:], dtype=np.float32)
        out[finite] = first
        if not self.placed:
            # No in-place prediction: a DMatrix takes one infinity when the other one is `missing`.
            for pick, other in ((high & ~low, -np.inf), (low & ~high, np.inf)):
                if pick.any():
                    out[pick] = self.by_matrix(rows.input(np.flatnonzero(pick)), margin, other)
            assert not (high & low).any(), "a row with both infinities"
            return out
        placed = self.in_place(rows.input(every), margin)
        same_bits(placed[finite], out[finite], "in-place and DMatrix")
        return placed

    def check_double(self, rows: Rows, margins: np.ndarray) -> None:
        """The library's own cast of doubles gives the same rows as ours."""
        if rows.stored:
            return
        wide, exact = rows.float64()
        pick = np.flatnonzero(exact & ~np.isinf(rows.data).any(1))
        same_bits(
            self.by_matrix(wide[pick], True, self.missing), margins[pick], "float64 and float32"
        )

    def check_rounds(self, rows: Rows, margins: np.ndarray) -> None:
        """The estimator, left to choose its rounds, chooses ours."""
        if not self.estimator or "rounds" in self.spec["options"] or self.linear:
            return
        kind = json.loads(self.booster.attr("scikit_learn")).get("_estimator_type")
        classes = {"regressor": self.xgb.XGBRegressor, "ranker": self.xgb.XGBRanker}
        m = self.loaded(classes.get(kind, self.xgb.XGBClassifier))
        data = rows.input(np.arange(len(rows.values)))
        same_bits(
            m.predict(data, output_margin=True, validate_features=False),
            margins,
            "estimator's rounds",
        )

    def loaded(self, kind: Any) -> Any:
        """set_params also gives a loaded model its own base_score, which changes what one without
        rounds answers, so it is called only where there is something to set."""
        m = kind(n_jobs=1)
        m.load_model(self.path)
        if not np.isnan(self.missing):
            m.set_params(missing=self.missing)
        return m

    def ask_classifier(self, rows: Rows, what: str) -> np.ndarray:
        clf = self.loaded(self.xgb.XGBClassifier)
        if not self.linear:
            data = rows.input(np.arange(len(rows.values)))
            ask = getattr(clf, what)
            return ask(data, validate_features=False, iteration_range=self.range)
        # gblinear: the wrapper builds a DMatrix itself, so infinities go in as in predict().
        high, low = np.isposinf(rows.data).any(1), np.isneginf(rows.data).any(1)
        out: Optional[np.ndarray] = None
        for pick, missing in (
            (~(high | low), self.missing),
            (high & ~low, -np.inf),
            (low & ~high, np.inf),
        ):
            if not pick.any():
                continue
            clf.set_params(missing=missing)
            part = getattr(clf, what)(rows.input(np.flatnonzero(pick)), validate_features=False)
            if out is None:
                out = np.zeros((len(rows.values),) + part.shape[1:], dtype=part.dtype)
            out[pick] = part
        assert out is not None
        return out

    def softprob(self, rows: Rows) -> np.ndarray:
        """The library's softprob transform of a multi:softmax model's margins."""
        self.booster.set_param({"objective": "multi:softprob"})
        out = self.predict(rows, margin=False)
        self.booster.set_param({"objective": "multi:softmax"})
        return out


def same_bits(a: np.ndarray, b: np.ndarray, what: str) -> None:
    a, b = np.asarray(a, dtype=np.float32), np.asarray(b, dtype=np.float32)
    differ = (a.view(np.uint32) != b.view(np.uint32)) & ~(np.isnan(a) & np.isnan(b))
    if differ.any():
        raise AssertionError("%s differ on %d of %d numbers" % (what, differ.sum(), a.size))


def outputs(model: Model, rows: Rows, task: str) -> List[Output]:
    raw = model.predict(rows, margin=True)
    model.check_double(rows, raw)
    model.check_rounds(rows, raw)
    width = 1 if raw.ndim == 1 else raw.shape[1]
    out: List[Output] = [("raw", width, "exact", raw)]
    if task in ("value", "values"):
        out.append((task, width, "exact", model.predict(rows, margin=False)))
        return out
    if task in ("binary", "softprob", "multilabel"):
        proba = model.ask_classifier(rows, "predict_proba")
        out.append(("probabilities", proba.shape[1], "exact", proba.astype(np.float32)))
        assert proba.dtype == np.float32
    elif task == "softmax":
        out.append(("probabilities", width, "exact", model.softprob(rows)))
    if task == "softprob" and width == 2:
        return out  # XGBClassifier.predict takes two softprob columns for two labels
    label = model.ask_classifier(rows, "predict")
    if task == "multilabel":
        out.append(("values", width, "exact", label.astype(np.float32)))
    else:
        out.append(("label", 1, "", label.astype(np.int64)))
    return out


def golden_text(xgb: Any, spec: Dict[str, Any], path: str) -> str:
    if spec["task"] == "refused":
        return write_golden("xgboost", xgb.__version__, spec, spec["covers"], [], [])
    rows = Rows(spec)
    model = Model(xgb, spec, path)
    results = outputs(model, rows, spec["task"])
    covers = list(spec["covers"])
    covers += ["output=" + kind for kind, _, _, _ in results]
    covers += rows.kinds()
    return write_golden("xgboost", xgb.__version__, spec, covers, results, rows.fate)
