"""The answers of predict_log_proba, where another estimator reads them."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np

from hbscore.export.arithmetic import chosen, combined, mapped, reduced
from hbscore.export.boosters import SEARCHES
from hbscore.export.graph import Graph, Value
from hbscore.export.parts import Scores, probabilities

#: Their scores are joint logarithms; the logarithm of the summed likelihoods is taken off.
OF_LIKELIHOODS = {"BernoulliNB", "CategoricalNB", "ComplementNB", "GaussianNB", "MultinomialNB"}

#: Plain logarithms of the probabilities.
OF_PROBABILITIES = {
    "AdaBoostClassifier",
    "DecisionTreeClassifier",
    "DummyClassifier",
    "ExtraTreeClassifier",
    "ExtraTreesClassifier",
    "GradientBoostingClassifier",
    "LogisticRegression",
    "LogisticRegressionCV",
    "MLPClassifier",
    "NuSVC",
    "RandomForestClassifier",
    "SGDClassifier",
    "SVC",
}


def innermost(model: Any) -> Any:
    """The estimator that answers for pipelines, searches and others around one."""
    name = type(model).__name__
    if name == "Pipeline":
        return innermost(model.steps[-1][1])
    if name in SEARCHES:
        return innermost(model.best_estimator_)
    if name == "FrozenEstimator":
        return innermost(model.estimator)
    if name in ("FixedThresholdClassifier", "SelfTrainingClassifier", "TunedThresholdClassifierCV"):
        return innermost(getattr(model, "estimator_", None) or model.estimator)
    return model


def is_bag_of_probabilities(model: Any) -> bool:
    """The logarithm of the mean of exponentials of logarithms is that of the mean, unless a probability was too small for a
    number of its own: so it may be in naive Bayes."""
    if type(model).__name__ != "BaggingClassifier":
        return False
    parts = [innermost(part) for part in model.estimators_]
    return all(type(part).__name__ in OF_PROBABILITIES or not hasattr(part, "predict_log_proba") for part in parts)


def log_probabilities(graph: Graph, model: Any, scores: Scores) -> Optional[Value]:
    """A column for each class; None of an estimator that computes them in a way of its own."""
    inner = innermost(model)
    name = type(inner).__name__
    proba = probabilities(graph, scores)
    joint = name == "QuadraticDiscriminantAnalysis" and "predict_log_proba" not in vars(type(inner))
    if name in OF_LIKELIHOODS or joint:
        return combined(graph, "subtract", scores.decides, reduced(graph, "logsumexp", scores.decides))
    if proba is None:
        return None
    if name == "LinearDiscriminantAnalysis":
        return mapped(graph, "log", chosen(graph, proba, proba, float(np.finfo(np.float64).tiny)))
    known = name in OF_PROBABILITIES | {"QuadraticDiscriminantAnalysis"} or is_bag_of_probabilities(inner)
    return mapped(graph, "log", proba) if known else None
