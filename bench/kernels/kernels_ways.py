"""kernels_ways.py - the ways that are compared. A way has `time(batch, count)`: nanoseconds of CPU time for about
`count` rows in batches of `batch`, and how many rows that were; each call goes on where the last one ended, over
distinct rows, and what any caller would have anyway (rows in the library's form) is made outside of the time. The core
and what has a C API are programs (bench/common/driven.h), the others Python objects."""

from __future__ import annotations

import json
import pathlib
import time
from typing import Any, Callable, Dict, List, Optional, Tuple

import numpy as np

import kernels_data
from driven import Driven, write_rows
from kernels_models import Spec

# Name, words. The order is that of the tables; "core" is ours.
WAYS = {
    "core": "hbscore",
    "xgboost": "XGBoost, in place",
    "xgboost_matrix": "XGBoost, DMatrix given",
    "lightgbm": "LightGBM",
    "catboost": "CatBoost, from NumPy",
    "catboost_pool": "CatBoost, Pool given",
    "sklearn": "scikit-learn",
    "onnx": "ONNX Runtime",
    "lleaves": "lleaves",
    "tl2cgen": "TL2cgen",
}
OWN = {"xgboost": ("xgboost", "xgboost_matrix"), "lightgbm": ("lightgbm",), "catboost": ("catboost", "catboost_pool"),
       "forest": ("sklearn",), "hist": ("sklearn",)}
OTHERS = {"xgboost": ("onnx", "tl2cgen"), "lightgbm": ("onnx", "lleaves"), "catboost": ("onnx",), "forest": ("onnx",),
          "hist": ("onnx",)}
IN_C = ("core", "xgboost", "xgboost_matrix", "lightgbm", "onnx", "lleaves", "tl2cgen")
MOST_TURNS = 256  # inputs of a Python way that are made ready at once


def rows_file(folder: pathlib.Path, table: str, rows: int) -> pathlib.Path:
    path = folder / ("%s_%d.rows" % (table, rows))
    if not path.exists():
        made = folder / "made.rows"
        write_rows(made, np.ascontiguousarray(kernels_data.scored(folder, table, rows)))
        made.rename(path)
    return path


class InPython:
    """A function of a library, called with what `prepare` makes of rows."""

    def __init__(self, rows: np.ndarray, function: Callable, prepare: Callable, raw: Optional[Callable] = None) -> None:
        self.rows, self.function, self.prepare, self.raw = rows, function, prepare, raw or function
        self.next = 0

    def inputs(self, batch: int, turns: int) -> List[Any]:
        made = []
        for _ in range(turns):
            if self.next + batch > len(self.rows):
                self.next = 0
            made.append(self.prepare(self.rows[self.next : self.next + batch]))
            self.next += batch
        return made

    def time(self, batch: int, count: int) -> Tuple[int, int]:
        turns, ns, function = max(1, count // batch), 0, self.function
        for done in range(0, turns, MOST_TURNS):
            inputs = self.inputs(batch, min(MOST_TURNS, turns - done))
            begin = time.process_time_ns()
            for given in inputs:
                function(given)
            ns += time.process_time_ns() - begin
        return ns, turns * batch

    def results(self, count: int) -> np.ndarray:
        return np.asarray(self.raw(self.prepare(self.rows[:count])), dtype=np.float64).reshape(count, -1)

    def close(self) -> None:
        pass


def as_it_is(rows: np.ndarray) -> np.ndarray:
    return rows


def catboost_way(stem: str, rows: np.ndarray, pool: bool) -> InPython:
    import catboost

    model = catboost.CatBoostClassifier()
    model.load_model(stem + ".native")
    return InPython(rows, lambda x: model.predict(x, prediction_type="RawFormulaVal", thread_count=1),
                    catboost.Pool if pool else as_it_is)


def sklearn_way(spec: Spec, stem: str, rows: np.ndarray) -> InPython:
    """A forest takes float32 as it is, HistGradientBoosting wants float64; each gets what it needs not convert."""
    import joblib

    model = joblib.load(stem + ".native")
    if spec.library == "forest":
        return InPython(rows, model.predict_proba, as_it_is)
    return InPython(rows, model.decision_function, lambda x: x.astype(np.float64))


def library_of(way: str) -> str:
    import lightgbm
    import onnxruntime
    import xgboost

    if way == "onnx":
        return str(next(pathlib.Path(onnxruntime.__file__).parent.glob("capi/libonnxruntime.so*")))
    if way == "lightgbm":
        return str(pathlib.Path(lightgbm.__file__).parent / "lib/lib_lightgbm.so")
    return str(pathlib.Path(xgboost.__file__).parent / "lib/libxgboost.so")


def output_of(spec: Spec) -> str:
    return "predict_proba" if spec.library == "forest" else "decision_function"


def core_way(o: Any, spec: Spec, rows: int, output: str, *more: str) -> Driven:
    file = rows_file(o.folder, spec.table, rows)
    return Driven(o.folder, [o.programs / "score", o.folder / (spec.name + ".model"), "{}", file, output, *more])


def way_of(o: Any, spec: Spec, way: str, rows: int) -> Any:
    stem = str(o.folder / spec.name)
    if way == "core":
        return core_way(o, spec, rows, output_of(spec))
    if way in ("lleaves", "tl2cgen"):
        library, model = "%s.%s.so" % (stem, way), "-"
    elif way in IN_C:
        library, model = library_of(way), stem + (".onnx" if way == "onnx" else ".model")
    else:
        data = np.ascontiguousarray(kernels_data.scored(o.folder, spec.table, rows))
        return sklearn_way(spec, stem, data) if way == "sklearn" else catboost_way(stem, data, way == "catboost_pool")
    return Driven(o.folder, [o.programs / "peers", way, library, model, rows_file(o.folder, spec.table, rows)])


def missing_form(o: Any, spec: Spec, way: str) -> Optional[str]:
    """Why a way has no form of the model; None where it has."""
    if way not in OTHERS[spec.library]:
        return None
    form = json.loads((o.folder / (spec.name + ".forms.json")).read_text()).get(way)
    return "not compiled in this grid: of that size it takes many minutes" if form is None else form.get("no")


def ways_of(o: Any, spec: Spec, rows: int) -> Tuple[Dict[str, Any], Dict[str, str]]:
    """The ways of a model by name, and why others are not there."""
    ways: Dict[str, Any] = {}
    absent: Dict[str, str] = {}
    for way in ("core", *OWN[spec.library], *OTHERS[spec.library]):
        why = missing_form(o, spec, way)
        try:
            if why is None:
                ways[way] = way_of(o, spec, way, rows)
                ways[way].time(1, 1)
        except Exception as e:  # a library that cannot take the model: said in the table
            why = "%s: %s" % (type(e).__name__, str(e)[:120])
            ways.pop(way, None)
        if why is not None:
            absent[way] = why
    if "core" in absent:
        raise SystemExit("bench-kernels: %s: %s" % (spec.name, absent["core"]))
    return ways, absent
