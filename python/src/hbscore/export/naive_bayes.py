"""Naive Bayes: the joint log likelihood of each class, which is the raw score; the label is that of
the largest one. Of counts and of yes or no it is a linear operator, of real numbers one of its own.

scikit-learn has no decision_function here; what hbscore's gives is predict_joint_log_proba."""

from __future__ import annotations

from typing import Tuple

import numpy as np

from hbscore.export.arithmetic import chosen, combined, look_up, mapped, reduced
from hbscore.export.document import array
from hbscore.export.expand import above
from hbscore.export.fitted import Fitted
from hbscore.export.graph import Graph, Result, Value
from hbscore.export.registry import exporter


def head(f: Fitted, graph: Graph, raw: Value) -> Result:
    classes = f.classes(raw.width)
    proba = graph.floats("link", raw, raw.width, kind="logsumexp")
    return Result("classifier", graph.add("head", [raw, proba], [], rule="argmax"), classes)


def log_priors(f: Fitted, name: str, value: np.ndarray, count: int) -> np.ndarray:
    """-infinity of a class whose probability is 0."""
    priors = f.checked(name, value, [count], finite=False)
    if not (priors < np.inf).all():
        raise f.error("has a %s that is no probability" % name)
    return priors


@exporter("naive_bayes", "GaussianNB")
def gaussian(f: Fitted, graph: Graph, x: Value) -> Result:
    mean = f.numbers("theta_", -1, x.width)
    variance = f.numbers("var_", len(mean), x.width)
    if not (variance > 0.0).all():
        raise f.error("has a variance of 0 (var_smoothing): it has no likelihood")
    with np.errstate(divide="ignore", invalid="ignore"):
        prior = np.log(f.numbers("class_prior_", len(mean)))
    constant = log_priors(f, "class_prior_", prior, len(mean))
    constant = constant + -0.5 * np.sum(np.log(2.0 * np.pi * variance), axis=1)
    raw = graph.floats(
        "gaussian_nb",
        x,
        len(mean),
        mean=array(mean, "f8"),
        variance=array(variance, "f8"),
        constant=array(constant, "f8"),
    )
    return head(f, graph, raw)


def weights(f: Fitted, x: Value) -> np.ndarray:
    return f.numbers("feature_log_prob_", -1, x.width)


def counted(f: Fitted, graph: Graph, x: Value, coef: np.ndarray, intercept: np.ndarray) -> Result:
    fields = {"coef": array(coef, "f8"), "intercept": array(intercept, "f8")}
    return head(f, graph, graph.floats("linear", x, len(coef), **fields))


@exporter("naive_bayes", "MultinomialNB")
def multinomial(f: Fitted, graph: Graph, x: Value) -> Result:
    coef = weights(f, x)
    prior = log_priors(f, "class_log_prior_", f.get("class_log_prior_"), len(coef))
    return counted(f, graph, x, coef, prior)


@exporter("naive_bayes", "ComplementNB")
def complement(f: Fitted, graph: Graph, x: Value) -> Result:
    """The priors count with one class only, which is refused."""
    coef = weights(f, x)
    return counted(f, graph, x, coef, np.zeros(len(coef)))


def of_two(f: Fitted, x: Value) -> Tuple[np.ndarray, np.ndarray]:
    """The weight of a 1, and that of all being 0."""
    yes = weights(f, x)
    with np.errstate(divide="ignore"):
        no = np.log(1 - np.exp(yes))
    return f.checked("feature_log_prob_", yes - no, yes.shape), no.sum(axis=1)


@exporter("naive_bayes", "BernoulliNB")
def bernoulli(f: Fitted, graph: Graph, x: Value) -> Result:
    coef, none = of_two(f, x)
    prior = log_priors(f, "class_log_prior_", f.get("class_log_prior_"), len(coef))
    if f.get("binarize") is not None:
        x = above(f, graph, x, "binarize")
    return counted(f, graph, x, coef, prior + none)


def codes_of(graph: Graph, x: Value) -> Value:
    """Cut to whole numbers, as the library does; negative ones are refused, which a place that is none stands for."""
    x = mapped(graph, "trunc", graph.check(x, missing=False))
    return chosen(graph, combined(graph, "lt", x, 0.0), float("nan"), x)


@exporter("naive_bayes", "CategoricalNB")
def categorical(f: Fitted, graph: Graph, x: Value) -> Result:
    """The sum of what training found of each column's category. A category that it has not seen has no result."""
    tables = [f.checked("feature_log_prob_", table, [-1, -1]) for table in f.children("feature_log_prob_")]
    if len(tables) != x.width:
        raise f.error("has feature_log_prob_ of %d columns and gets %d" % (len(tables), x.width))
    count = len(tables[0])
    prior = log_priors(f, "class_log_prior_", f.get("class_log_prior_"), count)
    codes = codes_of(graph, x)
    known = np.full((count, max(table.shape[1] for table in tables), x.width), np.nan)
    for j, table in enumerate(tables):
        known[:, : table.shape[1], j] = table
    parts = graph.concat([look_up(graph, codes, rows) for rows in known])
    sums = combined(graph, "add", reduced(graph, "sum", parts, x.width), prior)
    return head(f, graph, graph.check(graph.guard(sums, missing=False), missing=False))
