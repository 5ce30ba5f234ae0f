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


def known_classes(f: Fitted, model: Any) -> List[int]:
    """The numbers of the classes that training has shown to one estimator."""
    classes, known = np.asarray(f.get("classes_")), np.asarray(model.classes_)
    places = np.searchsorted(classes, known)
    if (places >= len(classes)).any() or not (classes[places] == known).all():
        raise f.error("has an estimator of other classes")
    return [int(place) for place in places]


def calibrated_scores(f: Fitted, graph: Graph, scores: Scores, count: int) -> List[Value]:
    """The columns of the calibrators, which are the first ones: of two classes the score of the second, but in 1.2 the
    probability of each where others know more than two. Scores of pairs of classes are more than the calibrators."""
    given = scores.raw if scores.raw is not None else scores.probabilities
    if given is None:
        raise f.error("has an estimator without scores")
    if scores.count == 2 and count == 2:
        given = both(graph, given)
    elif scores.count == 2 and given.width == 2:
        given = graph.select(given, [1])
    if not 0 < count <= min(scores.count, given.width):
        raise f.error("has %d calibrators of %d scores" % (count, given.width))
    return [graph.select(given, [j]) for j in range(count)]


def shares(graph: Graph, made: List[Value], known: List[int], count: int) -> Value:
    """The calibrated scores divided by their sum. Of a class without one, which `known` does not have, it is 0; the score
    of the second of two classes is that of the first, as scikit-learn counts."""
    nothing = [graph.affine(made[0], "mul_add", [0.0], [0.0])] if len(made) < count else []
    at = {place: j for j, place in enumerate(known[: len(made)])}
    columns = graph.select(graph.concat(made + nothing), [at.get(j, len(made)) for j in range(count)])
    return graph.floats("proportions", columns, count)


def calibrated(f: Fitted, graph: Graph, part: Any, x: Value, count: int) -> Value:
    """A column for each class of one calibrated classifier."""
    if part.method not in ("sigmoid", "isotonic", "temperature"):
        raise f.error("with method=%s is not supported" % part.method)
    scores = scores_of(f, "estimator", part.estimator, graph, x)
    if part.method == "temperature":
        proba = by_temperature(f, graph, part, scores)
        if proba.width != count:
            raise f.error("with method=temperature has an estimator that does not know all classes: its predict_proba fails")
        return proba
    columns = calibrated_scores(f, graph, scores, len(part.calibrators))
    made = [calibrate(f, graph, c, column) for c, column in zip(part.calibrators, columns)]
    made = [replace(column, types=(FLOAT64,)) for column in made]
    proba = both(graph, made[0]) if count == 2 else shares(graph, made, known_classes(f, part.estimator), count)
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
    classes = f.classes(count, least=1)
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
