"""XGBoost: XGBClassifier, XGBRegressor, XGBRanker, the random forests, and Booster."""

from __future__ import annotations

import json
from typing import Any, Dict, List, Optional, Tuple

import numpy
import xgboost

from ..errors import UnsupportedModel
from .base import (
    CATEGORIES,
    LABELS,
    Answers,
    Array,
    Embedded,
    FittedModel,
    check_task,
    file_from,
    version_of,
)
from .xgboost_categories import repaired

_VERSION = version_of(xgboost)
_ENDING = "ubj" if _VERSION >= [2, 1] else "json"
_FORMAT = {"ubj": "ubjson", "json": "json"}[_ENDING]


def fitted(model: Any) -> FittedModel:
    if isinstance(model, xgboost.Booster):
        return XGBoostBooster(model)
    if isinstance(model, xgboost.XGBModel):
        return XGBoostEstimator(model)
    raise UnsupportedModel(f"xgboost's {type(model).__name__} is no fitted model")


class XGBoostBooster(FittedModel):
    """What xgboost.train gives. Its `predict` is another thing than an estimator's, so that only its
    raw scores are compared."""

    def file(self) -> bytes:
        return file_from(self.model.save_model, f"model.{_ENDING}")

    def file_for(self, sample: Any) -> bytes:
        if not hasattr(sample, "dtypes"):
            return self.file()
        return repaired(
            sample, self.file(), lambda: file_from(self.model.save_model, "model.json")
        )

    def names(self) -> Optional[List[str]]:
        names: Optional[List[str]] = self._booster().feature_names
        return names

    def classes(self) -> Optional[List[Any]]:
        return None

    def answers(self, data: Any) -> Answers:
        return Answers(decision=self._predict(data, output_margin=True))

    def _booster(self) -> Any:
        return self.model

    def _rounds(self) -> Tuple[int, int]:
        """The rounds that `predict` uses, as XGBoost's iteration_range: (0, 0) are all."""
        return 0, 0

    def _matrix_settings(self) -> Dict[str, Any]:
        return {}

    def _predict(self, data: Any, **more: Any) -> Array:
        """Through a DMatrix: up to 3.2 `inplace_predict`, which estimators call, gives other last
        bits for the booster dart."""
        settings = self._matrix_settings()
        if not hasattr(data, "columns"):  # an array has neither names nor types by itself
            settings["feature_names"] = self._booster().feature_names
            settings["feature_types"] = self._booster().feature_types
        matrix = xgboost.DMatrix(data, enable_categorical=True, **settings)
        if self._rounds() != (0, 0):
            more["iteration_range"] = self._rounds()
        return self._booster().predict(matrix, **more)


class XGBoostEstimator(XGBoostBooster):
    """An estimator of xgboost.sklearn. Its own save_model notes in the file that it is one."""

    def classes(self) -> Optional[List[Any]]:
        if not isinstance(self.model, xgboost.XGBClassifier):
            return None
        return list(numpy.asarray(self.model.classes_))

    def embedded(self) -> Embedded:
        objective = self._objective()
        family = objective.partition(":")[0]
        kinds = {"binary": "classifier", "multi": "classifier", "rank": "ranker"}
        task = "regressor"
        if isinstance(self.model, xgboost.XGBClassifier):
            task = "classifier"
        elif isinstance(self.model, xgboost.XGBRanker):
            task = "ranker"
        check_task(task, objective, kinds.get(family, "regressor"))
        targets = self._learner()["learner_model_param"].get("num_target", 1)
        if task == "classifier" and int(targets) > 1:
            raise UnsupportedModel(LABELS)
        given = getattr(self.model, "feature_types", None)  # then the data were codes already
        if given is None and "c" in (self._booster().feature_types or []):
            raise UnsupportedModel(CATEGORIES)
        likely = objective in ("binary:logistic", "multi:softprob")
        return Embedded(f"xgboost-{_FORMAT}", task, zero_is_missing=True, probabilities=likely)

    def options(self) -> Dict[str, Any]:
        options: Dict[str, Any] = {}
        missing = self.model.missing
        if missing is not None and missing == missing:
            options["missing"] = missing
        used = self._rounds()[1]
        if used and used < self._booster().num_boosted_rounds():
            options["rounds"] = used
        return options

    def answers(self, data: Any) -> Answers:
        value = self._predict(data)
        objective = self._objective()
        answers = Answers(decision=self._predict(data, output_margin=True))
        if self.classes() is not None:
            answers.own = self.model.predict(data)
            if objective in ("binary:logistic", "multi:softprob"):
                answers.probabilities = (
                    value if value.ndim == 2 else numpy.stack([1 - value, value], axis=1)
                )
        elif objective != "reg:quantileerror" or _VERSION >= [
            3,
            4,
        ]:  # before, quantiles are not sorted
            answers.own = value
        return answers

    def _booster(self) -> Any:
        return self.model.get_booster()

    def _rounds(self) -> Tuple[int, int]:
        """After early stopping those up to the best one, as the estimator's own predict does it."""
        best = self._booster().attr("best_iteration")
        return (0, 0) if best is None or self.model.booster == "gblinear" else (0, int(best) + 1)

    def _matrix_settings(self) -> Dict[str, Any]:
        missing = self.model.missing
        return {"missing": numpy.nan if missing is None else missing}

    def _objective(self) -> str:
        """The one in the file; the estimator's own may be a function."""
        return str(self._learner()["objective"]["name"])

    def _learner(self) -> Any:
        return json.loads(self._booster().save_config())["learner"]
