"""Estimators around one other, or several of one kind: bags, calibration, thresholds, one against the rest."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, List, Optional, Tuple

import numpy as np

from hbscore.export.arithmetic import combined, mapped
from hbscore.export.document import array
from hbscore.export.fitted import Fitted
from hbscore.export.graph import FLOAT32, FLOAT64, Graph, Result, Value
from hbscore.export.isotonic import isotonic
from hbscore.export.heads import both, head
from hbscore.export.linear import join
from hbscore.export.parts import Part, Scores, in_order, mean, mean_as_numpy, number_of
from hbscore.export.parts import probabilities, scores_of, votes
from hbscore.export.registry import exporter, run, step, transform
from hbscore.export.trees import bagging_classifier, bagging_regressor, is_tree

# Calibration ----------------------------------------------------------------------------------


def calibrate(f: Fitted, graph: Graph, calibrator: Any, score: Value) -> Value:
    """1 / (1 + exp(a x + b)), or straight lines."""
    inner = Fitted(calibrator, f.path)
    if inner.name == "IsotonicRegression":
        return isotonic(inner, graph, score)
    if inner.name != "_SigmoidCalibration":
        raise f.error("has a calibrator %s: not supported" % inner.name)
    if np.lib.NumpyVersion(np.__version__) >= "2.0.0":  # a product with numpy's own double is one
        score = replace(score, types=(FLOAT64,))
    scaled = graph.affine(score, "mul_add", [-inner.number("a_")], [-inner.number("b_")])
    return graph.floats("link", scaled, 1, kind="sigmoid")


def at_most_one(graph: Graph, proba: Value) -> Value:
    """A line may end a last bit above 1."""
    return graph.floats("clip", proba, proba.width, lo=array([-1.0], "f8"), hi=array([1.0], "f8"))


LEAST = 1e-12  # scikit-learn adds it before a logarithm of probabilities


def by_temperature(f: Fitted, graph: Graph, part: Any, scores: Scores) -> Value:
    """The softmax of scores, or of logarithms of probabilities, times a number."""
    model = Fitted(part.calibrators[0], f.path)
    beta = float(f.checked("beta_", np.asarray(model.get("beta_")), ()))
    if scores.raw is None:
        assert scores.probabilities is not None
        likely = combined(graph, "add", both(graph, scores.probabilities), LEAST)
        logits = mapped(graph, "log", likely)
    elif scores.raw.width == 1:
        logits = graph.concat([mapped(graph, "negative", scores.raw), scores.raw])
    else:
        logits = scores.raw
    logits = graph.check(graph.guard(logits, missing=False), missing=False)
    return graph.floats("link", combined(graph, "multiply", logits, beta), logits.width, kind="softmax")


def calibrated(f: Fitted, graph: Graph, part: Any, x: Value, count: int) -> Value:
    """A column for each class of one calibrated classifier."""
    if part.method not in ("sigmoid", "isotonic", "temperature"):
        raise f.error("with method=%s is not supported" % part.method)
    scores = scores_of(f, "estimator", part.estimator, graph, x)
    if scores.count != count:
        raise f.error("has an estimator that does not know all classes: not supported")
    given = scores.raw if scores.raw is not None else scores.probabilities
    if given is None:
        raise f.error("has an estimator without scores")
    if part.method == "temperature":
        return by_temperature(f, graph, part, scores)
    if count == 2 and given.width == 2:
        given = graph.select(given, [1])
    if given.width != len(part.calibrators):
        raise f.error("has %d calibrators of %d scores" % (len(part.calibrators), given.width))
    columns = [graph.select(given, [j]) for j in range(given.width)]
    made = [calibrate(f, graph, c, column) for c, column in zip(part.calibrators, columns)]
    made = [replace(column, types=(FLOAT64,)) for column in made]
    proba = both(graph, made[0]) if count == 2 else graph.floats("proportions", graph.concat(made), count)
    return at_most_one(graph, proba) if part.method == "isotonic" else proba


@exporter("calibration", "CalibratedClassifierCV")
def calibrated_classifier(f: Fitted, graph: Graph, x: Value) -> Result:
    count = len(f.get("classes_"))
    classes = f.classes(count)
    parts = [calibrated(f, graph, part, x, count) for part in f.children("calibrated_classifiers_")]
    proba = mean(graph, in_order(parts), count)
    return Result("classifier", head(graph, None, proba, proba, "argmax_proba"), classes)


# Thresholds -----------------------------------------------------------------------------------


def thresholded(f: Fitted, graph: Graph, x: Value, threshold: Optional[float], positive: Any) -> Result:
    """threshold: None for that of the method, 0.5 or 0. The label is the positive class, the second one if `positive`
    is None, where its score is not below it."""
    model = getattr(f.model, "estimator_", None) or f.get("estimator")
    classes = f.classes(2)
    at = 0 if positive is not None and positive == f.get("classes_")[0] else 1
    method = f.one_of("response_method", "auto", "predict_proba", "decision_function")
    by_proba = method == "predict_proba" or (method == "auto" and hasattr(model, "predict_proba"))
    scores = scores_of(f, "estimator", model, graph, x)
    score = scores.probabilities if by_proba else scores.raw
    if score is None:
        raise f.error("has an estimator without %s" % method)
    if by_proba:
        score = graph.select(both(graph, score), [at])
    elif at == 0:
        score = graph.affine(score, "mul_add", [-1.0], [0.0])
    least = (0.5 if by_proba else 0.0) if threshold is None else threshold
    if score.types == (FLOAT32,) and (type(least) is float or np.lib.NumpyVersion(np.__version__) < "2.0.0"):
        least = float(np.float32(least))  # as numpy compares float32 with a plain number
    below = array([np.nextafter(least, -np.inf)], "f8")
    label = graph.floats("binarize", score, 1, threshold=below)
    if at == 0:
        label = graph.affine(label, "mul_add", [-1.0], [1.0])
    rule = "gt0" if scores.probabilities is None else "half"
    return Result("classifier", head(graph, scores.raw, scores.probabilities, label, rule), classes)


def kept(given: Any, number: float) -> float:
    """The number, of numpy's type if it is one of numpy's."""
    return np.float64(number) if isinstance(given, np.floating) else number


@exporter("model_selection", "FixedThresholdClassifier")
def fixed_threshold(f: Fitted, graph: Graph, x: Value) -> Result:
    given = f.get("threshold")
    return thresholded(f, graph, x, None if given == "auto" else kept(given, f.number("threshold")), f.get("pos_label"))


@exporter("model_selection", "TunedThresholdClassifierCV")
def tuned_threshold(f: Fitted, graph: Graph, x: Value) -> Result:
    scorer = f.get("_curve_scorer")
    return thresholded(f, graph, x, kept(f.get("best_threshold_"), f.number("best_threshold_")), scorer._get_pos_label())


@exporter("frozen", "FrozenEstimator")
def frozen(f: Fitted, graph: Graph, x: Value) -> Result:
    return run(f.get("estimator"), join(f, "estimator"), graph, x)


@step("frozen", "FrozenEstimator")
def frozen_step(f: Fitted, graph: Graph, x: Value) -> Result:
    return Result("transformer", transform(f.get("estimator"), join(f, "estimator"), graph, x))


@exporter("semi_supervised", "SelfTrainingClassifier")
def self_training(f: Fitted, graph: Graph, x: Value) -> Result:
    name = "estimator_" if hasattr(f.model, "estimator_") else "base_estimator_"
    return run(f.get(name), join(f, name), graph, x)


# Several bags of rows -------------------------------------------------------------------------


def bagged(f: Fitted, graph: Graph, x: Value) -> List[Tuple[Any, Value]]:
    models, subsets = list(f.children("estimators_")), list(f.get("estimators_features_"))
    if len(models) != len(subsets):
        raise f.error("has %d estimators and columns for %d" % (len(models), len(subsets)))
    chosen = [f.integers("estimators_features_", s, len(s), 0, x.width).tolist() for s in map(np.asarray, subsets)]
    return [(model, graph.select(x, columns)) for model, columns in zip(models, chosen)]


def bagged_classifier(f: Fitted, graph: Graph, x: Value) -> Result:
    """Means of probabilities, or of votes where the estimator has none. An estimator may know some of the
    classes only, by their numbers."""
    count = len(f.get("classes_"))
    classes = f.classes(count)
    parts: List[Part] = []
    raws = []
    for model, columns in bagged(f, graph, x):
        scores = scores_of(f, "estimator", model, graph, columns)
        known = f.integers("classes_ of an estimator", model.classes_, scores.count, 0, count)
        proba = probabilities(graph, scores) if hasattr(model, "predict_proba") else None
        parts.append((proba if proba is not None else votes(graph, scores), known.tolist()))
        raws.append(scores.raw if scores.count == count else None)
    proba = mean(graph, parts, count)
    found = [raw for raw in raws if raw is not None]
    raw = mean(graph, in_order(found), found[0].width) if found and len(found) == len(raws) else None
    return Result("classifier", head(graph, raw, proba, proba, "argmax_proba"), classes)


def bagged_regressor(f: Fitted, graph: Graph, x: Value) -> Result:
    found = [number_of(f, "estimator", model, graph, columns) for model, columns in bagged(f, graph, x)]
    return Result("regressor", mean_as_numpy(graph, found))


def all_trees(f: Fitted, kind: str) -> bool:
    """Trees become one forest."""
    return all(is_tree(model, kind) for model in f.children("estimators_"))


@exporter("ensemble", "BaggingClassifier")
def bag_of_classifiers(f: Fitted, graph: Graph, x: Value) -> Result:
    numbers = list(range(len(f.get("classes_"))))
    whole = all(list(getattr(model, "classes_", ())) == numbers for model in f.children("estimators_"))
    return (bagging_classifier if whole and all_trees(f, "Classifier") else bagged_classifier)(f, graph, x)


@exporter("ensemble", "BaggingRegressor")
def bag_of_regressors(f: Fitted, graph: Graph, x: Value) -> Result:
    return (bagging_regressor if all_trees(f, "Regressor") else bagged_regressor)(f, graph, x)
