"""LightGBM: LGBMClassifier, LGBMRegressor, LGBMRanker, and Booster.

After early stopping the text holds the rounds up to the best one, which are those that `predict` uses.
"""

from __future__ import annotations

import re
from typing import Any, List, Optional

import lightgbm
import numpy

from ..errors import UnsupportedModel
from .base import CATEGORIES, Answers, Embedded, FittedModel, check_task


#: What the file's objective says that it predicts; all others are regressors'.
KINDS = {
    "binary": "classifier",
    "multiclass": "classifier",
    "multiclassova": "classifier",
    "lambdarank": "ranker",
    "rank_xendcg": "ranker",
}


def fitted(model: Any) -> FittedModel:
    if isinstance(model, lightgbm.Booster):
        return LightGBMBooster(model)
    if isinstance(model, lightgbm.LGBMModel):
        return LightGBMEstimator(model)
    raise UnsupportedModel(f"lightgbm's {type(model).__name__} is no fitted model")


class LightGBMBooster(FittedModel):
    """What lightgbm.train gives. Its `predict` is another thing than an estimator's, so that only its
    raw scores are compared."""

    def file(self) -> bytes:
        text: str = self._booster().model_to_string()
        return text.encode("utf-8")

    def names(self) -> Optional[List[str]]:
        names: List[str] = self._booster().feature_name()
        return None if all(re.fullmatch(r"Column_\d+", name) for name in names) else names

    def name_of(self, column: Any) -> str:
        return str(column).replace(" ", "_")

    def classes(self) -> Optional[List[Any]]:
        return None

    def answers(self, data: Any) -> Answers:
        return Answers(decision=self.model.predict(data, raw_score=True))

    def _booster(self) -> Any:
        return self.model


class LightGBMEstimator(LightGBMBooster):
    """An estimator of lightgbm.sklearn."""

    def classes(self) -> Optional[List[Any]]:
        if not isinstance(self.model, lightgbm.LGBMClassifier) or callable(self.model.objective_):
            return None  # with an objective of your own a classifier predicts raw scores
        return list(numpy.asarray(self.model.classes_))

    def embedded(self) -> Embedded:
        found = re.search(r"^objective=(\S+)", self.file().decode("utf-8"), re.MULTILINE)
        objective = found.group(1) if found else "none"
        task = "regressor"
        if self.classes() is not None:
            task = "classifier"
        elif isinstance(self.model, lightgbm.LGBMRanker):
            task = "ranker"
        check_task(task, objective, KINDS.get(objective, "regressor"))
        if self._booster().pandas_categorical:
            raise UnsupportedModel(CATEGORIES)
        return Embedded("lightgbm", task)

    def answers(self, data: Any) -> Answers:
        answers = Answers(
            own=self.model.predict(data), decision=self.model.predict(data, raw_score=True)
        )
        if self.classes() is not None:
            answers.probabilities = self.model.predict_proba(data)
        return answers

    def _booster(self) -> Any:
        return self.model.booster_
