"""scikit-learn: whatever `hbscore.export` writes in hbscore's own format.

`fitted` of this package does not look for it, since its file is hbscore's and not the library's own."""

from __future__ import annotations

import sys
from typing import Any, List, Optional, Tuple

import joblib
import numpy

from ..export import export
from ..export.features import first_of, names_of, read_features, takes_text
from ..export.heads import is_zero_or_one
from ..export.registry import has_own_transform
from . import fitted
from .base import Answers, FittedModel


class ScikitLearn(FittedModel):
    """An estimator or a pipeline; `sample` is data like that of its training, whose types count."""

    def __init__(self, model: Any, sample: Any) -> None:
        super().__init__(model)
        self.sample = None if sample is not None and self.takes_one_text() and numpy.ndim(sample) == 1 else sample
        self.steps, self.last = _last_step(model)

    def file(self) -> bytes:
        return export(self.model, self.sample, progress=self.told)

    def names(self) -> Optional[List[str]]:
        return names_of(first_of(self.model))

    def takes_one_text(self) -> bool:
        first = first_of(self.model)
        return takes_text(first) and type(first).__name__ not in ("DictVectorizer", "FeatureHasher")

    def unread(self, sample: Any) -> List[int]:
        _, columns = read_features(self.model, sample)
        return [j for j, column in enumerate(columns) if column.refused]

    def classes(self) -> Optional[List[Any]]:
        """Of what finds outliers they are -1 and 1, which no attribute says; of mixtures the components' numbers."""
        if self.last is not None:
            return self.last.classes()
        classes = getattr(self.model, "classes_", None)
        mixture = _last_of(self.model)
        if classes is None and hasattr(mixture, "precisions_cholesky_"):
            classes = range(mixture.n_components)
        if classes is None and sys.modules["sklearn.base"].is_outlier_detector(self.model):
            classes = [-1, 1]
        return None if classes is None or isinstance(classes, list) else list(numpy.asarray(classes))

    def answers(self, data: Any) -> Answers:
        data = data[:, 0] if self.takes_one_text() and numpy.ndim(data) == 2 else data
        with _one_thread():
            if self.last is not None:  # it says more than the pipeline does
                answers = self.last.answers(self._before_last(data))
                answers.transform = self._transform(data)
                return answers
            return Answers(
                own=self._answer("predict", data),
                probabilities=_side_by_side(self.model, self._answer("predict_proba", data)),
                decision=self._answer("decision_function", data),
                transform=self._transform(data),
            )

    def _answer(self, name: str, data: Any) -> Any:
        """None of a method that the model, or the last step of the pipeline, has not. A chain with a target of more than
        two classes has only predict: other methods raise, or say less than hbscore does."""
        method = getattr(self.model, name, None)
        no_scores = name != "predict" and _is_chain_of_many(self.model)
        return None if method is None or no_scores else method(data)

    def _before_last(self, data: Any) -> Any:
        for step in self.steps:
            data = step.transform(data)
        return data

    def _transform(self, data: Any) -> Any:
        """Of a pipeline that predicts, that of the steps before the last one, unless that one has its own."""
        model = self.model
        while hasattr(model, "best_estimator_"):
            model = model.best_estimator_
        if hasattr(model, "predict") and not has_own_transform(_last_of(model)):
            model = model[:-1] if hasattr(model, "steps") and len(model.steps) > 1 else None
        made: Any = None if model is None else model.transform(data)
        made = made.toarray() if hasattr(made, "toarray") else made
        return None if made is not None and _measures(model) and _is_near_0(made) else made


def _measures(model: Any) -> bool:
    """True where the last step gives distances from centres."""
    return any(hasattr(_last_of(model), name) for name in ("cluster_centers_", "subcluster_centers_"))


def _is_near_0(distances: Any) -> bool:
    """scikit-learn makes squares of distances of products, which cancel where a row is a centre: what is left is chance."""
    numbers = numpy.asarray(distances, dtype=float)
    return bool((numbers < 1e-5 * numbers.max(axis=1, keepdims=True)).any())


def _side_by_side(model: Any, proba: Any) -> Any:
    """Of several outputs, as hbscore has them: the probabilities of 1 where classes are 0 and 1, else of all classes."""
    outputs = getattr(model, "classes_", None)
    if proba is None or not isinstance(outputs, list):
        return proba
    flags = all(is_zero_or_one(labels) for labels in outputs)
    if isinstance(proba, list):
        return numpy.hstack([part[:, 1:] if flags else part for part in proba])
    return proba if flags else numpy.stack([1.0 - proba, proba], axis=2).reshape(len(proba), -1)  # of a chain


def _is_chain_of_many(model: Any) -> bool:
    last = _last_of(getattr(model, "best_estimator_", model))
    return hasattr(last, "order_") and any(numpy.size(labels) > 2 for labels in getattr(last, "classes_", []))


def _last_of(model: Any) -> Any:
    return model.steps[-1][1] if hasattr(model, "steps") else model


def _last_step(model: Any) -> Tuple[List[Any], Optional[FittedModel]]:
    """Where the last step is an estimator of a boosting library: what its data go through, and it."""
    steps: List[Any] = []
    while model is not None:
        own = fitted(model)
        if own is not None:
            return steps, own
        if len(getattr(model, "steps", [])) > 1:
            steps.append(model[:-1])
        parts = getattr(model, "steps", None)
        model = parts[-1][1] if parts else getattr(model, "best_estimator_", None)
    return [], None


def _one_thread() -> Any:
    """Forests add their trees in any order with several threads, and so the last bits vary."""
    config = getattr(joblib, "parallel_config", None) or joblib.parallel_backend
    return config("sequential")
