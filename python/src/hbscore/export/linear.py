"""Linear models: coefficients, an intercept, and the library's own way to a probability."""

from __future__ import annotations

import numpy as np

from hbscore.export.fitted import Fitted, dense
from hbscore.export.graph import FLOAT32, Graph, Result, Value
from hbscore.export.heads import flags
from hbscore.export.registry import exporter, run

REGRESSORS = (
    "ARDRegression",
    "BayesianRidge",
    "ElasticNet",
    "ElasticNetCV",
    "HuberRegressor",
    "Lars",
    "LarsCV",
    "Lasso",
    "LassoCV",
    "LassoLars",
    "LassoLarsCV",
    "LassoLarsIC",
    "LinearRegression",
    "MultiTaskElasticNet",
    "MultiTaskElasticNetCV",
    "MultiTaskLasso",
    "MultiTaskLassoCV",
    "OrthogonalMatchingPursuit",
    "OrthogonalMatchingPursuitCV",
    "PassiveAggressiveRegressor",
    "QuantileRegressor",
    "Ridge",
    "RidgeCV",
    "SGDRegressor",
    "TheilSenRegressor",
)

#: Losses of SGDClassifier without probabilities.
MARGIN_LOSSES = (
    "epsilon_insensitive",
    "hinge",
    "huber",
    "perceptron",
    "squared_epsilon_insensitive",
    "squared_error",
    "squared_hinge",
)


def raw_scores(f: Fitted, graph: Graph, x: Value) -> Value:
    found = np.asarray(dense(f.get("coef_")))
    coef = f.checked("coef_", found.reshape(1, -1) if found.ndim == 1 else found, [-1, x.width])
    outputs = coef.shape[0]
    added = np.asarray(dense(f.get("intercept_")))
    if added.ndim == 0:  # without intercepts the number 0
        added = np.repeat(added, outputs)
    intercept = f.checked("intercept_", added, [outputs])
    if found.dtype == FLOAT32 and (added.dtype == FLOAT32 or not intercept.any()):
        coef, intercept = coef.astype(FLOAT32), intercept.astype(FLOAT32)
    return graph.sums(x, coef, intercept)


@exporter("linear_model", *REGRESSORS)
@exporter("svm", "LinearSVR")
def linear_regressor(f: Fitted, graph: Graph, x: Value) -> Result:
    return Result("regressor", raw_scores(f, graph, x))


@exporter("linear_model", "PoissonRegressor", "GammaRegressor", "TweedieRegressor")
def generalized_regressor(f: Fitted, graph: Graph, x: Value) -> Result:
    value = raw_scores(f, graph, x)
    link = type(getattr(f.get("_base_loss"), "link", None)).__name__
    if link == "LogLink":
        value = graph.floats("link", value, value.width, kind="exp")
    elif link != "IdentityLink":
        raise f.error("with the link %s is not supported" % link)
    return Result("regressor", value)


@exporter("linear_model", "RANSACRegressor")
def ransac_regressor(f: Fitted, graph: Graph, x: Value) -> Result:
    return run(f.get("estimator_"), join(f, "estimator"), graph, x)


def join(f: Fitted, part: str) -> str:
    """The path of an estimator inside this one."""
    place = "%s's %s" % (f.name, part)
    return "%s, %s" % (f.path, place) if f.path else place


def classifier(f: Fitted, graph: Graph, x: Value, link: str) -> Result:
    """One score for two classes, else one for each. link: "" where there are no probabilities."""
    raw = raw_scores(f, graph, x)
    if len(f.get("classes_")) == 1:  # only those without probabilities are trained on one
        return Result("classifier", graph.add("head", [raw], [], rule="argmax"), f.classes(raw.width, least=1))
    count = max(2, raw.width)
    classes = f.classes(count)
    inputs = [raw]
    if link:
        width = count if link == "softmax_pm" else raw.width  # one probability is that of the second class
        inputs.append(graph.floats("link", raw, width, kind=link))
    rule = "gt0" if raw.width == 1 else "argmax"
    return Result("classifier", graph.add("head", inputs, [], rule=rule), classes)


@exporter("linear_model", "LogisticRegression", "LogisticRegressionCV")
def logistic_regression(f: Fitted, graph: Graph, x: Value) -> Result:
    """multi_class went in 1.8; "deprecated" and "auto" mean what is left then."""
    two = len(f.get("classes_")) <= 2
    rule = "auto"
    if hasattr(f.model, "multi_class"):
        rule = f.one_of("multi_class", "auto", "deprecated", "ovr", "multinomial")
    if rule in ("auto", "deprecated"):
        rule = "ovr" if two or f.get("solver") == "liblinear" else "multinomial"
    if rule == "ovr":
        return classifier(f, graph, x, "sigmoid" if two else "ovr")
    return classifier(f, graph, x, "softmax_pm" if two else "softmax")


@exporter("linear_model", "SGDClassifier")
def sgd_classifier(f: Fitted, graph: Graph, x: Value) -> Result:
    loss = f.one_of("loss", "log_loss", "log", "modified_huber", *MARGIN_LOSSES)
    two = len(f.get("classes_")) <= 2
    if loss in ("log_loss", "log"):
        return classifier(f, graph, x, "sigmoid" if two else "ovr")
    return classifier(f, graph, x, "modified_huber" if loss == "modified_huber" else "")


@exporter("linear_model", "Perceptron", "PassiveAggressiveClassifier")
@exporter("linear_model", "RidgeClassifier", "RidgeClassifierCV")
@exporter("svm", "LinearSVC")
def margin_classifier(f: Fitted, graph: Graph, x: Value) -> Result:
    binarizer = getattr(f.model, "_label_binarizer", None)
    if str(getattr(binarizer, "y_type_", "")).startswith("multilabel"):
        raw = raw_scores(f, graph, x)
        return flags(graph, raw, None, raw, 0.0)
    return classifier(f, graph, x, "")
