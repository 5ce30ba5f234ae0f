"""CatBoost: CatBoostClassifier, CatBoostRegressor, CatBoostRanker, and the plain CatBoost.

With use_best_model the model itself has the trees up to the best one only."""

from __future__ import annotations

from functools import partial
from typing import Any, List, Optional

import catboost
import numpy

from ..errors import UnsupportedModel
from .base import CATEGORIES, LABELS, Answers, Embedded, FittedModel, check_task, file_from


def fitted(model: Any) -> FittedModel:
    if isinstance(model, catboost.CatBoost):
        return CatBoostModel(model)
    raise UnsupportedModel(f"catboost's {type(model).__name__} is no fitted model")


class CatBoostModel(FittedModel):
    """Any of CatBoost's classes. The plain one's `predict` gives raw values, so that only those are
    compared."""

    def file(self) -> bytes:
        return file_from(partial(self.model.save_model, format="json"), "model.json")

    def names(self) -> Optional[List[str]]:
        names: List[str] = self.model.feature_names_
        return None if names == [str(i) for i in range(len(names))] else names

    def classes(self) -> Optional[List[Any]]:
        if not isinstance(self.model, catboost.CatBoostClassifier):
            return None
        return list(numpy.asarray(self.model.classes_))

    def embedded(self) -> Embedded:
        if type(self.model) is catboost.CatBoost:
            raise UnsupportedModel(
                "predicts raw values in a pipeline, and its file does not say so: use "
                "CatBoostClassifier, CatBoostRegressor or CatBoostRanker"
            )
        if self.model.get_cat_feature_indices():
            raise UnsupportedModel(CATEGORIES)
        task = "regressor"
        if self.classes() is not None:
            task = "classifier"
            loss = str(self.model.get_all_params().get("loss_function", ""))
            if loss.startswith(("MultiLogloss", "MultiCrossEntropy")):
                raise UnsupportedModel(LABELS)
            if loss.startswith("PythonUserDefined"):
                check_task(task, loss, "regressor")
        elif isinstance(self.model, catboost.CatBoostRanker):
            task = "ranker"
        return Embedded("catboost", task)

    def answers(self, data: Any) -> Answers:
        answers = Answers(
            decision=catboost.CatBoost.predict(self.model, data, prediction_type="RawFormulaVal")
        )
        if type(self.model) is not catboost.CatBoost:
            own = numpy.asarray(self.model.predict(data))
            answers.own = own[:, 0] if own.ndim == 2 and own.shape[1] == 1 else own
        if self.classes() is not None:
            answers.probabilities = self.model.predict_proba(data)
        return answers
