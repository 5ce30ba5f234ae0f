#!/usr/bin/env python3
"""Golden files of pipelines that end in a boosting library's estimator, as hbscore.export writes them.

  make_boosted.py train WORK OUT      trains the cases; for each writes the model and its golden into
                                      OUT, and WORK/NAME.spec.json
  make_boosted.py predict WORK OUT    does nothing: a fitted model answers in the process that
                                      trained it

make_golden.sh runs it. Labels, probabilities and values are the pipeline's own predict and
predict_proba; raw scores those that its last step gives to what the steps before it make."""

from __future__ import annotations

import argparse
import json
import os
import sys
import traceback
import warnings
import zlib
from typing import Any, Dict, List, Optional

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "../../python", part) for part in ("src", "tests")]

import numpy as np
import pandas
import sklearn
from catboost import CatBoost
from sklearn.pipeline import Pipeline

from golden_boosted_cases import CASES, Case
from golden_cells import Output, Value, encode_row, write_golden
from golden_sklearn_models import MIDDLE, Trained
from golden_sklearn_predict import kinds
from golden_tables import SPECIAL, edge_rows
from hbscore.export import export
from hbscore.libraries.catboost import CatBoostModel

VERSION = sklearn.__version__

#: How far apart right answers may be where a library takes an exponential.
LINKS = {"xgboost": "exact", "lightgbm": "rel:1e-15", "catboost": "rel:1e-12"}

#: A sigmoid of scikit-learn, and what a mean adds to the errors of its terms.
LINK, MEAN = 1e-15, 1e-15


FILE_OF_CATBOOST = CatBoostModel.file


def fixed_file(model: CatBoostModel) -> bytes:
    """Without what CatBoost makes anew each time, and without what nobody reads."""
    document = json.loads(FILE_OF_CATBOOST(model))
    info = document["model_info"]
    for name in ("training", "output_options", "catboost_version_info"):
        info.pop(name, None)
    info["model_guid"], info["train_finish_time"] = "none", "no time"
    info["params"] = {"loss_function": info["params"]["loss_function"]}
    return json.dumps(document, separators=(",", ":")).encode()


def named(model: Any) -> str:
    """The library of a part, which may be the last step of a pipeline."""
    return type(model[-1] if isinstance(model, Pipeline) else model).__module__.partition(".")[0]


def rule_around(model: Any) -> str:
    """The rule of an estimator around others, by the class of exactness of its parts: means keep relative errors, a last estimator
    of trees answers with its own, sigmoids of raw scores are links, and XGBoost's float32 is added as numpy adds it."""
    name = type(model).__name__
    if name == "StackingClassifier":
        return LINKS[named(model.final_estimator_)]
    if name == "CalibratedClassifierCV":
        return "rel:%g" % (LINK + MEAN)
    worst = [LINKS[named(part)] for part in model.estimators_]
    found = max((float(rule[4:]) for rule in worst if rule != "exact"), default=0.0)
    if name == "OneVsRestClassifier" and found:  # divided by the sum of all
        return "rel:%g" % max(found, 2.0 * found + MEAN if found <= LINK else 0.0)
    return "rel:%g" % (found + MEAN) if found else "exact"


def matrix(rows: List[List[Value]]) -> np.ndarray:
    return np.array([[np.nan if v is None else float(v) for v in row] for row in rows])


def library_of(t: Trained) -> str:
    if not isinstance(t.model, Pipeline):  # an estimator around some
        return "parts"
    return type(t.model[-1]).__module__.partition(".")[0]


def thresholds(t: Trained) -> Dict[int, List[float]]:
    """Of an estimator that gets the columns as they are."""
    if library_of(t) == "parts":
        return {}
    own, found = t.model[-1], {}
    if type(t.model[0]).__name__ != "FunctionTransformer" or getattr(own, "booster", "") == "gblinear":
        return {}
    if library_of(t) == "catboost":
        borders = own.get_borders()
        return {j: list(map(float, cuts)) for j, cuts in borders.items() if cuts}
    trees = (own.get_booster() if library_of(t) == "xgboost" else own.booster_).trees_to_dataframe()
    names = ("Feature", "Split") if library_of(t) == "xgboost" else ("split_feature", "threshold")
    for feature, cut in zip(trees[names[0]], trees[names[1]]):
        if not pandas.isna(cut):
            found.setdefault(int(str(feature).lstrip("fColumn_")), set()).add(float(cut))
    return {j: sorted(cuts) for j, cuts in sorted(found.items())}


def raw_scores(t: Trained, x: Any) -> Any:
    if library_of(t) == "xgboost":
        return t.model[-1].predict(x, output_margin=True)
    if library_of(t) == "lightgbm":
        return t.model[-1].predict(x, raw_score=True)
    return CatBoost.predict(t.model[-1], x, prediction_type="RawFormulaVal")


def answers(t: Trained, task: str, x: np.ndarray) -> Optional[Dict[str, np.ndarray]]:
    """None: the row is refused."""
    try:
        label = t.model.predict(x)
        out = {}
        if library_of(t) != "parts":
            out["raw"] = np.ravel(raw_scores(t, t.model[:-1].transform(x)))
        if task == "classifier":
            out["probabilities"] = np.ravel(t.model.predict_proba(x))
            place = list(t.model.classes_).index(np.ravel(label)[0])
            out["label"] = np.array([place], dtype=np.int64)
        else:
            out["value"] = np.ravel(label)
    except Exception as e:
        if not any(word in str(e) for word in ("NaN", "infinity", "`inf`")):
            raise
        return None
    return {k: v if k == "label" else v.astype(np.float64) for k, v in out.items()}


def rows_of(t: Trained, seed: int) -> List[List[Value]]:
    cuts = thresholds(t)
    special = SPECIAL if cuts else MIDDLE
    return t.rows + edge_rows(t.table, cuts, seed, count=t.count, special=special)


def outputs(t: Trained, all_answers: List[Any], objective_is_raw: bool) -> List[Output]:
    scored = next(a for a in all_answers if a)
    found = []
    for name, like in scored.items():
        exact = name in ("raw", "label") or (name == "value" and objective_is_raw)
        rule = "exact" if exact else LINKS.get(library_of(t), "")
        if library_of(t) == "parts" and name != "label":
            rule = rule_around(t.model)
        values = np.array([a[name] if a else np.zeros_like(like) for a in all_answers])
        found.append((name, len(like), rule, values))
    return found


def check_blocks(t: Trained, rows: List[List[Value]], each: List[Any]) -> None:
    """The library gives the same to a row alone and among others."""
    if library_of(t) == "parts":
        return
    good = [row for row, a in zip(rows, each) if a]
    together = np.asarray(raw_scores(t, t.model[:-1].transform(matrix(good))), dtype=np.float64)
    alone = np.array([a["raw"] for a in each if a])
    assert together.reshape(alone.shape).tobytes() == alone.tobytes(), "blocks differ from rows"


def find_covers(t: Trained, document: Dict[str, Any], results: List[Output]) -> List[str]:
    formats = sorted({op["format"] for op in document["ops"] if op["op"] in ("model", "booster")})
    assert formats
    covers = ["version=" + ".".join(VERSION.split(".")[:2]), "task=" + document["task"]]
    covers += ["estimator=" + type(t.model if library_of(t) == "parts" else t.model[-1]).__name__]
    covers += ["format=" + name for name in formats]
    covers += ["classes=" + document["classes"]["dtype"]] if "classes" in document else []
    return covers + t.covers + ["output=" + o[0] for o in results]


def make(case: Case, work: str, out: str) -> None:
    t = case.train()
    name = "%s_%s" % (case.name, "".join(VERSION.split(".")[:2]))
    data = export(t.model)
    assert data == export(t.model)
    document = json.loads(data)
    rows = rows_of(t, zlib.crc32(name.encode()) & 0x7FFFFFFF)
    each = [answers(t, document["task"], x[np.newaxis]) for x in matrix(rows)]
    check_blocks(t, rows, each)
    is_raw = all(a["value"].tobytes() == a.get("raw", a["value"]).tobytes() for a in each if a and "value" in a)
    results = outputs(t, each, is_raw)
    fate = [None if a else "null" for a in each]
    spec = {
        "trained": VERSION,
        "model": name + ".json",
        "options": {},
        "columns": [{"name": "f%d" % j, "kind": "real"} for j in range(len(document["features"]))],
        "rows": [encode_row(row) for row in rows],
    }
    covers = find_covers(t, document, results) + kinds(rows, fate)
    text = write_golden("boosted", VERSION, spec, covers, results, fate)
    with open(os.path.join(out, name + ".json"), "wb") as f:
        f.write(data)
    with open(os.path.join(out, name + ".golden"), "w", encoding="utf-8", newline="\n") as g:
        g.write(text)
    with open(os.path.join(work, name + ".spec.json"), "w", encoding="utf-8") as g:
        json.dump({}, g)


def train(work: str, out: str, only: str) -> int:
    failed = 0
    for case in CASES:
        if only and only not in case.name:
            continue
        try:
            make(case, work, out)
        except Exception as e:  # reported, not hidden
            print(
                "NOT TRAINED %s: %s: %s" % (case.name, type(e).__name__, str(e)[:300]), flush=True
            )
            if only:
                traceback.print_exc()
            failed = 1
    return failed


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("step", choices=["train", "predict"])
    parser.add_argument("work")
    parser.add_argument("out")
    parser.add_argument("--only", default="", help="part of a case's name")
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    os.makedirs(args.work, exist_ok=True)
    os.makedirs(args.out, exist_ok=True)
    CatBoostModel.file = fixed_file  # type: ignore[method-assign]
    return train(args.work, args.out, args.only) if args.step == "train" else 0


if __name__ == "__main__":
    sys.exit(main())
