"""Estimators of XGBoost, LightGBM and CatBoost as the last step: their library's own file, inside ours."""

from __future__ import annotations

import base64
from typing import Any, Callable

import numpy as np

from hbscore.errors import UnsupportedModel, shown
from hbscore.export.document import array
from hbscore.export.fitted import Fitted
from hbscore.export.graph import Graph, Result, Value
from hbscore.libraries import FittedModel


def asked(f: Fitted, question: Callable[[], Any]) -> Any:
    """What the library says of its model, with its own errors in words of this place."""
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
    made = graph.add(
        "model",
        [x],
        [],
        format=kind.format,
        rounds=options.get("rounds", 0),
        missing=array([options["missing"]], "f8") if "missing" in options else "nan",
        zero_is_missing=int(kind.zero_is_missing and x.sparse),
        file=base64.b64encode(file).decode("ascii"),
    )
    return Result(kind.task, made, classes)
