"""Estimators of XGBoost, LightGBM and CatBoost: their library's own file, inside ours, as the last step or as a part of
other estimators."""

from __future__ import annotations

import base64
from typing import Any, Callable, Dict

import numpy as np

from hbscore.errors import UnsupportedModel, shown
from hbscore.export.document import array
from hbscore.export.fitted import Fitted
from hbscore.export.graph import FLOAT32, FLOAT64, Graph, Result, Value
from hbscore.libraries import FittedModel
from hbscore.libraries.base import Embedded

#: They predict what their best estimator does.
SEARCHES = ("GridSearchCV", "HalvingGridSearchCV", "HalvingRandomSearchCV", "RandomizedSearchCV")

#: An estimator inside these alone answers for the whole model.
OUTERMOST = {"FrozenEstimator", "Pipeline", *SEARCHES}


def asked(f: Fitted, question: Callable[[], Any]) -> Any:
    """The library's answer about its model; its own errors become errors of this place."""
    try:
        return question()
    except UnsupportedModel as e:
        raise f.error(str(e)) from e
    except Exception as e:
        raise f.error("gives no file: is it fitted?") from e


def booster(f: Fitted, graph: Graph, x: Value, own: FittedModel) -> Result:
    """The rounds and the missing number are the estimator's, whatever its file says."""
    kind = asked(f, own.embedded)
    file = asked(f, own.file)
    options = asked(f, own.options)
    classes = None
    if np.isinf(options.get("missing", 0)):
        raise f.error("with missing=%s is not supported" % shown(options["missing"]))
    if kind.task == "classifier":
        classes = f.classes(len(own.classes() or []))
    if kind.zero_is_missing and x.sparse and x.stored_zeros:
        raise f.error(
            "gets a sparse matrix that a step has computed with: which zeros are stored in it, and so"
            " not missing, is not known (sparse_output=False or sparse_threshold=0 avoid it)"
        )
    members = {
        "format": kind.format,
        "rounds": options.get("rounds", 0),
        "missing": array([options["missing"]], "f8") if "missing" in options else "nan",
        "zero_is_missing": int(kind.zero_is_missing and x.sparse),
    }
    encoded = base64.b64encode(file).decode("ascii")
    if set(graph.nesting[:-1]) <= OUTERMOST:
        return Result(kind.task, graph.add("model", [x], [], **members, file=encoded), classes)
    return part(f, graph, x, kind, classes, {**members, **parts_of(f, classes), "file": encoded})


def parts_of(f: Fitted, classes: Any) -> Dict[str, int]:
    """The answers that other estimators read: LightGBM's estimators have decision_function, the others have not."""
    return {"classes": classes["shape"][0] if classes else 0, "raw": int(classes is not None and hasattr(f.model, "decision_function"))}


def part(f: Fitted, graph: Graph, x: Value, kind: Embedded, classes: Any, members: Dict[str, Any]) -> Result:
    """Answers that other estimators go on with: a number, or probabilities, the label's number and raw scores."""
    number = FLOAT32 if kind.format.startswith("xgboost") else FLOAT64
    if kind.task == "ranker":
        raise f.error("is a ranker, which is not supported inside other estimators")
    if classes is None:
        return Result("regressor", graph.add("booster", [x], [number], **members))
    if not kind.probabilities:
        raise f.error("gives no probabilities, which is not supported inside other estimators")
    count = members["classes"]
    width = count + 1 + (0 if not members["raw"] else 1 if count == 2 else count)
    made = graph.add("booster", [x], [number] * count + [FLOAT64] * (width - count), **members)
    proba, label = graph.select(made, range(count)), graph.select(made, [count])
    raw = graph.select(made, range(count + 1, width)) if members["raw"] else proba
    if count == 2:
        return Result("classifier", graph.add("head", [raw, proba, label], [], rule="half"), classes)
    one = {"values": array(np.arange(count, dtype=np.float64), "f8"), "missing": 0, "map": array(np.arange(count), "i4")}
    votes = graph.add("onehot", [label], [FLOAT64] * count, columns=[{**one, "width": count, "unknown": "zeros"}])
    return Result("classifier", graph.add("head", [raw, proba, votes], [], rule="argmax_proba"), classes)
