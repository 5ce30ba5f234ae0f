"""Gaussian processes and kernel ridge: sums of kernels by weight, and of classes the integral that scikit-learn
approximates."""

from __future__ import annotations

from typing import Any, List

import numpy as np

from hbscore.export.arithmetic import combined, mapped, reduced
from hbscore.export.document import array
from hbscore.export.fitted import Fitted
from hbscore.export.graph import Graph, Result, Value
from hbscore.export.kernels import Covariance, kernel_options, named_kernel, stored_rows, weighted
from hbscore.export.linear import join
from hbscore.export.multiclass import rules_of
from hbscore.export.parts import column_of
from hbscore.export.registry import exporter
from hbscore.export.svm import sums_of_pairs, votes_and_confidence

#: Williams and Barber's sum of five error functions in place of the logistic one, as scikit-learn has it.
LAMBDAS = np.array([0.41, 0.4, 0.37, 0.44, 0.39])
COEFS = np.array([-1854.8214151, 3516.89893646, 221.29346712, 128.12323805, -2010.49422654])


def by_output(f: Fitted, name: str, rows: int) -> np.ndarray:
    """[outputs, rows] of [rows] or [rows, outputs]."""
    given = np.asarray(f.get(name))
    found = f.checked(name, given.reshape(len(given), -1) if given.ndim else given, [rows, -1])
    return np.ascontiguousarray(found.T)


@exporter("kernel_ridge", "KernelRidge")
def kernel_ridge(f: Fitted, graph: Graph, x: Value) -> Result:
    rows = stored_rows(f, "X_fit_", x.width)
    checked = graph.check(x, missing=False)
    kernel = named_kernel(f, graph, checked, rows, kernel_options(f))
    return Result("regressor", weighted(graph, checked, kernel, by_output(f, "dual_coef_", len(rows))))


@exporter("gaussian_process", "GaussianProcessRegressor")
def gaussian_process_regressor(f: Fitted, graph: Graph, x: Value) -> Result:
    """The mean; its deviation is not a part of predict."""
    rows = stored_rows(f, "X_train_", x.width)
    checked = graph.check(x, missing=False)
    kernel = Covariance(f, graph, checked, rows).of(f.get("kernel_"))
    value = weighted(graph, checked, kernel, by_output(f, "alpha_", len(rows)))
    scale = f.checked("_y_train_std", np.reshape(f.get("_y_train_std"), -1), [-1])
    shift = f.checked("_y_train_mean", np.reshape(f.get("_y_train_mean"), -1), [-1])
    if (scale != 1.0).any() or (shift != 0.0).any():
        wide = (np.broadcast_to(a, (value.width,)) for a in (scale, shift))
        value = graph.affine(value, "mul_add", *wide)
    return Result("regressor", value)


# Two classes ----------------------------------------------------------------------------------


class Latent:
    """The latent function of two classes at a row: its mean, and the probability of the second class."""

    def __init__(self, f: Fitted, graph: Graph, model: Any, x: Value) -> None:
        self.f, self.graph = Fitted(model, join(f, "base_estimator_")), graph
        if type(model).__name__ != "_BinaryGaussianProcessClassifierLaplace":
            raise f.error("has a base_estimator_ that is no Laplace approximation")
        self.rows = stored_rows(self.f, "X_train_", x.width)
        self.x = x
        self.covariance = Covariance(self.f, graph, x, self.rows)
        self.kernel = self.covariance.of(self.f.get("kernel_"))
        targets = self.f.numbers("y_train_", len(self.rows)) - self.f.numbers("pi_", len(self.rows))
        self.mean = weighted(graph, x, self.kernel, targets[np.newaxis, :])

    def variance(self) -> Value:
        """k(x, x) less the square of what is known: L v = W^(1/2) k."""
        n = len(self.rows)
        lower, weights = self.f.numbers("L_", n, n), self.f.numbers("W_sr_", n)
        inverse = np.linalg.solve(np.tril(lower), np.diag(weights))
        known = reduced(self.graph, "sum_squares", weighted(self.graph, self.x, self.kernel, inverse))
        return combined(self.graph, "subtract", self.covariance.with_itself(self.f.get("kernel_")), known)

    def probability(self) -> Value:
        graph, variance = self.graph, self.variance()
        alpha = combined(graph, "divide", 1.0, combined(graph, "multiply", variance, 2.0))
        spread = mapped(graph, "sqrt", combined(graph, "divide", alpha, combined(graph, "add", alpha, LAMBDAS**2)))
        gamma = combined(graph, "multiply", self.mean, LAMBDAS)
        error = mapped(graph, "erf", combined(graph, "multiply", gamma, spread))
        root = mapped(graph, "sqrt", combined(graph, "divide", np.pi, alpha))
        deviation = mapped(graph, "sqrt", combined(graph, "multiply", variance, 2.0 * np.pi))
        width = combined(graph, "multiply", deviation, 2.0)
        integrals = combined(graph, "divide", combined(graph, "multiply", error, root), width)
        start = array([0.5 * COEFS.sum()], "f8")
        return graph.floats("linear", integrals, 1, coef=array(COEFS[np.newaxis, :], "f8"), intercept=start)

    def label(self) -> Value:
        """1 for the second class, by the mean alone."""
        return combined(self.graph, "gt", self.mean, 0.0)


# Classes --------------------------------------------------------------------------------------


def against_rest(several: Fitted, graph: Graph, latent: List[Latent], width: int) -> Value:
    """Far from all rows of training each class is as likely as the others: a OneVsRestClassifier has a rule for it."""
    count = len(latent)
    likely = graph.concat([one.probability() for one in latent])
    proba = graph.floats("proportions", likely, count)
    first_wins, _ = rules_of(several, count, width)
    label = column_of(graph, reduced(graph, "argmax" if first_wins else "argmax_last", likely), count)
    return graph.add("head", [proba, proba, label], [], rule="argmax_proba")


def in_pairs(graph: Graph, latent: List[Latent], count: int) -> Value:
    """Votes of the labels, and less than a third for the probabilities."""
    confidence = graph.concat([one.probability() for one in latent])
    second = graph.concat([one.label() for one in latent])
    sums = sums_of_pairs(graph, confidence, count, -1.0, 1.0, np.zeros(count))
    return graph.add("head", [votes_and_confidence(graph, second, sums, count)], [], rule="argmax")


@exporter("gaussian_process", "GaussianProcessClassifier")
def gaussian_process_classifier(f: Fitted, graph: Graph, x: Value) -> Result:
    count = len(f.get("classes_"))
    classes = f.classes(count)
    base = f.get("base_estimator_")
    checked = graph.check(x, missing=False)
    if count == 2:
        one = Latent(f, graph, base, checked)
        proba = one.probability()
        return Result("classifier", graph.add("head", [proba, proba, one.label()], [], rule="half"), classes)
    several = Fitted(base, join(f, "base_estimator_"))
    latent = [Latent(f, graph, model, checked) for model in list(several.get("estimators_"))]
    if f.one_of("multi_class", "one_vs_rest", "one_vs_one") == "one_vs_rest":
        return Result("classifier", against_rest(several, graph, latent, x.width), classes)
    return Result("classifier", in_pairs(graph, latent, count), classes)
