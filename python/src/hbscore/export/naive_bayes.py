"""Naive Bayes: the joint log likelihood of each class, which is the raw score; the label is that of
the largest one. Of counts and of yes or no it is a linear operator, of real numbers one of its own.

scikit-learn has no decision_function here; what hbscore's gives is predict_joint_log_proba."""

from __future__ import annotations

from typing import Sequence, Tuple

import numpy as np

from hbscore.export.arithmetic import chosen, combined, look_up, mapped, reduced
from hbscore.export.document import array
from hbscore.export.expand import above
from hbscore.export.fitted import Fitted
from hbscore.export.graph import Graph, Result, Value
from hbscore.export.registry import exporter


def head(f: Fitted, graph: Graph, raw: Value) -> Result:
    classes = f.classes(raw.width, least=1)
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


def is_never(f: Fitted, logs: np.ndarray) -> np.ndarray:
    """Where a probability is 0, whose logarithm is minus infinity."""
    if not (logs < np.inf).all():
        raise f.error("has a feature_log_prob_ that is no probability")
    return np.asarray(np.isinf(logs))


def unless(graph: Graph, never: Value, sums: Value) -> Value:
    """Minus infinity where something came that never does."""
    return chosen(graph, combined(graph, "gt", never, 0.0), -np.inf, sums)


@exporter("naive_bayes", "MultinomialNB")
def multinomial(f: Fitted, graph: Graph, x: Value) -> Result:
    """Zeros that are not stored are not multiplied by the logarithm of a probability of 0."""
    if x.sparse and not x.stored_zeros and np.isinf(f.get("feature_log_prob_")).any():
        return multinomial_without(f, graph, x)
    coef = weights(f, x)
    prior = log_priors(f, "class_log_prior_", f.get("class_log_prior_"), len(coef))
    return counted(f, graph, x, coef, prior)


def multinomial_without(f: Fitted, graph: Graph, x: Value) -> Result:
    logs = f.numbers("feature_log_prob_", -1, x.width, finite=False)
    never = is_never(f, logs)
    prior = log_priors(f, "class_log_prior_", f.get("class_log_prior_"), len(logs))
    zeros = array(np.zeros(len(logs)), "f8")
    sums = graph.floats("linear", x, len(logs), coef=array(np.where(never, 0.0, logs), "f8"), intercept=array(prior, "f8"))
    found = graph.floats("linear", x, len(logs), coef=array(never.astype(np.float64), "f8"), intercept=zeros)
    return head(f, graph, unless(graph, found, sums))


@exporter("naive_bayes", "ComplementNB")
def complement(f: Fitted, graph: Graph, x: Value) -> Result:
    """The priors count with one class only."""
    coef = weights(f, x)
    prior = log_priors(f, "class_log_prior_", f.get("class_log_prior_"), len(coef))
    return counted(f, graph, x, coef, prior if len(coef) == 1 else np.zeros(len(coef)))


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
    tables = [f.checked("feature_log_prob_", table, [-1, -1], finite=False) for table in f.children("feature_log_prob_")]
    never = [is_never(f, table).astype(np.float64) for table in tables]
    tables = [np.where(zero > 0.0, 0.0, table) for zero, table in zip(never, tables)]
    if len(tables) != x.width:
        raise f.error("has feature_log_prob_ of %d columns and gets %d" % (len(tables), x.width))
    count = len(tables[0])
    prior = log_priors(f, "class_log_prior_", f.get("class_log_prior_"), count)
    codes = codes_of(graph, x)
    sums = combined(graph, "add", sums_of(graph, codes, tables), prior)
    sums = graph.check(graph.guard(sums, missing=False), missing=False)
    if any(zero.any() for zero in never):
        sums = unless(graph, sums_of(graph, codes, never), sums)
    return head(f, graph, sums)


def sums_of(graph: Graph, codes: Value, tables: Sequence[np.ndarray]) -> Value:
    """For each class the sum of what the tables, [classes, categories] of each column, have of the row's categories."""
    shape = len(tables[0]), max(table.shape[1] for table in tables), len(tables)
    known = np.full(shape, np.nan)
    for j, table in enumerate(tables):
        known[:, : table.shape[1], j] = table
    return reduced(graph, "sum", graph.concat([look_up(graph, codes, rows) for rows in known]), len(tables))
