"""The operator `booster` of own_format_reference.py: the library that wrote the embedded file answers, and what the format
says of its answers is made here."""

from __future__ import annotations

import base64
import tempfile
from typing import Any, Dict, Tuple

import numpy as np

from own_format_columns import decode

Op = Dict[str, Any]

FIELDS = {"booster": "format rounds missing zero_is_missing classes raw file"}


def of_xgboost(op: Op, file: bytes, x: np.ndarray) -> Tuple[np.ndarray, np.ndarray]:
    import xgboost

    model = xgboost.Booster()
    model.load_model(bytearray(file))
    missing = np.nan if op["missing"] == "nan" else float(decode(op["missing"])[0])
    x = np.where((x == missing) | ((x == 0.0) & bool(op["zero_is_missing"])), np.nan, x).astype(np.float32)
    asked = {"iteration_range": (0, op["rounds"])}
    return model.inplace_predict(x, **asked), model.inplace_predict(x, predict_type="margin", **asked)


def of_lightgbm(op: Op, file: bytes, x: np.ndarray) -> Tuple[np.ndarray, np.ndarray]:
    import lightgbm

    model = lightgbm.Booster(model_str=file.decode())
    asked = {"num_iteration": op["rounds"] or None}
    return model.predict(x, **asked), model.predict(x, raw_score=True, **asked)


def of_catboost(op: Op, file: bytes, x: np.ndarray) -> Tuple[np.ndarray, np.ndarray]:
    """CatBoost's own reader of JSON misses leaf values by a last bit."""
    import catboost

    model = catboost.CatBoost()
    with tempfile.NamedTemporaryFile(suffix=".json") as place:
        place.write(file)
        place.flush()
        model.load_model(place.name, format="json")
    kind = "Probability" if op["classes"] else "RawFormulaVal"
    proba = model.predict(x, prediction_type=kind)
    return proba[:, 1] if op["classes"] == 2 else proba, model.predict(x, prediction_type="RawFormulaVal")


def booster(op: Op, x: np.ndarray) -> np.ndarray:
    """The number; or the probability of each class, the number of the label, and raw scores."""
    file = base64.b64decode(op["file"], validate=True)
    library = op["format"].partition("-")[0]
    answer, raw = {"xgboost": of_xgboost, "lightgbm": of_lightgbm, "catboost": of_catboost}[library](op, file, x)
    if not op["classes"]:
        return np.asarray(answer, dtype=np.float64).reshape(len(x), 1)
    if op["classes"] == 2:
        proba, label = np.stack([1 - answer, answer], axis=1), answer > 0.5
    else:
        proba, label = answer, answer.argmax(axis=1)
    columns = [proba, label.reshape(-1, 1)] + ([raw.reshape(len(x), -1)] if op["raw"] else [])
    assert proba.shape == (len(x), op["classes"])
    return np.hstack([np.asarray(part, dtype=np.float64) for part in columns])


OPERATORS = {"booster": booster}
