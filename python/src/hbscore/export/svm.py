"""Support vector machines, as libsvm has them: the kernel of the row and each support vector, and weighted sums of
these.

The label of several classes is that of votes between pairs of classes, whatever the probabilities say."""

from __future__ import annotations

from typing import List, Optional, Tuple

import numpy as np

from hbscore.errors import shown
from hbscore.export.arithmetic import combined, mapped, pairwise
from hbscore.export.document import array
from hbscore.export.fitted import Fitted, dense
from hbscore.export.graph import Graph, Result, Value
from hbscore.export.registry import exporter

MOST_VECTORS = 65536  # columns of a value
MOST_COUPLED = 128  # classes with probabilities

#: The least distance of a pair's probability from 0 and 1, as libsvm has it.
MARGIN = 1e-7


def read_kernel(f: Fitted) -> str:
    kernel = f.get("kernel")
    if callable(kernel):
        raise f.error("with a kernel that is a function is not supported")
    return str(f.one_of("kernel", "linear", "poly", "precomputed", "rbf", "sigmoid"))


def scaled(f: Fitted, graph: Graph, x: Value, vectors: np.ndarray) -> Value:
    """gamma x v + coef0 for each vector v."""
    value = combined(graph, "multiply", pairwise(graph, "dot", x, vectors), f.number("_gamma"))
    return combined(graph, "add", value, f.number("coef0"))


def kernel_of(f: Fitted, graph: Graph, x: Value, kernel: str, vectors: np.ndarray) -> Value:
    """A column for each support vector; not of a linear kernel."""
    if kernel == "rbf":
        distance = pairwise(graph, "sqeuclidean", x, vectors)
        return mapped(graph, "exp", combined(graph, "multiply", distance, -f.number("_gamma")))
    value = scaled(f, graph, x, vectors)
    if kernel == "sigmoid":
        return mapped(graph, "tanh", value)
    return combined(graph, "power", value, f.number("degree"))


def sparse_sums(graph: Graph, x: Value, coef: np.ndarray, intercept: np.ndarray, stored: np.ndarray) -> Value:
    """Weighted sums of the columns that are `stored` for an output."""
    columns = np.nonzero(stored)[1]
    fields = {
        "ends": array(np.cumsum(stored.sum(axis=1)), "i4"),
        "columns": array(columns, "i4"),
        "coef": array(coef[stored], "f8"),
        "intercept": array(intercept, "f8"),
    }
    return graph.floats("sparse_linear", x, len(coef), **fields)


def exactly(coef: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    """coef @ vectors, rounded once: of a linear kernel the weights of the columns themselves."""
    product = coef.astype(np.longdouble) @ vectors.astype(np.longdouble)
    return np.asarray(product, dtype=np.float64)


def machine(f: Fitted, graph: Graph, x: Value, coef: np.ndarray, intercept: np.ndarray, stored: np.ndarray) -> Value:
    """coef [outputs, support vectors], intercept [outputs]; coefficients that are not `stored` are 0."""
    kernel = read_kernel(f)
    checked = graph.check(x, missing=False)
    if coef.shape[1] > MOST_VECTORS:
        raise f.error("has %d support vectors: at most %d are supported" % (coef.shape[1], MOST_VECTORS))
    if kernel == "precomputed":  # a column for each row of training
        places = f.integers("support_", f.get("support_"), coef.shape[1], 0, x.width)
        value = graph.select(checked, places.tolist())
    else:
        vectors = f.numbers("support_vectors_", coef.shape[1], x.width)
        if kernel == "linear" or len(vectors) == 0:
            fields = {"coef": array(exactly(coef, vectors), "f8"), "intercept": array(intercept, "f8")}
            return graph.floats("linear", checked, len(coef), **fields)
        value = kernel_of(f, graph, checked, kernel, vectors)
    if len(coef) > 1:
        return sparse_sums(graph, value, coef, intercept, stored)
    fields = {"coef": array(coef, "f8"), "intercept": array(intercept, "f8")}
    return graph.floats("linear", value, 1, **fields)


def sums_of_one(f: Fitted, graph: Graph, x: Value) -> Value:
    coef = np.asarray(dense(f.get("_dual_coef_")))
    coef = f.checked("_dual_coef_", coef, [1, -1])
    intercept = f.numbers("_intercept_", 1)
    return machine(f, graph, x, coef, intercept, np.ones(coef.shape, dtype=bool))


# Numbers and outliers -------------------------------------------------------------------------


@exporter("svm", "SVR", "NuSVR")
def svr(f: Fitted, graph: Graph, x: Value) -> Result:
    return Result("regressor", sums_of_one(f, graph, x))


@exporter("svm", "OneClassSVM")
def one_class_svm(f: Fitted, graph: Graph, x: Value) -> Result:
    raw = sums_of_one(f, graph, x)
    return Result("classifier", graph.add("head", [raw], [], rule="gt0"), array([-1, 1], "i8"))


@exporter("linear_model", "SGDOneClassSVM")
def sgd_one_class_svm(f: Fitted, graph: Graph, x: Value) -> Result:
    coef = f.checked("coef_", np.reshape(f.get("coef_"), (1, -1)), [1, x.width])
    offset = f.checked("offset_", np.reshape(f.get("offset_"), -1), [1])
    raw = graph.floats("linear", x, 1, coef=array(coef, "f8"), intercept=array(-offset, "f8"))
    return Result("classifier", graph.add("head", [raw], [], rule="ge0"), array([-1, 1], "i8"))


# Classes --------------------------------------------------------------------------------------


def pairs_of(count: int) -> List[Tuple[int, int]]:
    return [(i, j) for i in range(count) for j in range(i + 1, count)]


def decisions(f: Fitted, graph: Graph, x: Value, count: int) -> Value:
    """A column for each pair of classes: above 0 for its first one. Row j - 1 of the coefficients has the weights of a
    vector of class i against class j > i, row j those against a class j < i."""
    sizes = f.integers("_n_support", f.get("_n_support"), count, 0, 2**31 - 1)
    ends = np.cumsum(sizes)
    starts = ends - sizes
    dual = f.checked("_dual_coef_", dense(f.get("_dual_coef_")), [count - 1, int(ends[-1])])
    pairs = pairs_of(count)
    coef = np.zeros((len(pairs), dual.shape[1]))
    stored = np.zeros(coef.shape, dtype=bool)
    for place, (i, j) in enumerate(pairs):
        for own, row in ((slice(starts[i], ends[i]), j - 1), (slice(starts[j], ends[j]), i)):
            coef[place, own], stored[place, own] = dual[row, own], True
    return machine(f, graph, x, coef, f.numbers("_intercept_", len(pairs)), stored)


def sums_of_pairs(graph: Graph, value: Value, count: int, first: float, second: float, start: np.ndarray) -> Value:
    """For each class the columns of its pairs, times a factor where it is the first of the pair, or the second."""
    pairs = pairs_of(count)
    coef = np.zeros((count, len(pairs)))
    for place, (i, j) in enumerate(pairs):
        coef[i, place], coef[j, place] = first, second
    return sparse_sums(graph, value, coef, start, coef != 0.0)


def votes(graph: Graph, decision: Value, count: int) -> Value:
    """As libsvm counts them: a decision of 0 is for the second class."""
    first = combined(graph, "gt", decision, 0.0)
    return sums_of_pairs(graph, first, count, 1.0, -1.0, np.arange(count, dtype=np.float64))


def one_against_rest(graph: Graph, decision: Value, count: int) -> Value:
    """scikit-learn's: votes, where a decision of 0 is for the first class, and less than a third for confidence."""
    sums = sums_of_pairs(graph, decision, count, 1.0, -1.0, np.zeros(count))
    return votes_and_confidence(graph, combined(graph, "lt", decision, 0.0), sums, count)


def votes_and_confidence(graph: Graph, second: Value, sums: Value, count: int) -> Value:
    """second: 1 for each pair whose vote is for its second class; sums: the confidence in each class."""
    counted = sums_of_pairs(graph, second, count, -1.0, 1.0, count - 1.0 - np.arange(count))
    size = combined(graph, "multiply", combined(graph, "add", mapped(graph, "abs", sums), 1.0), 3.0)
    return combined(graph, "add", counted, combined(graph, "divide", sums, size))


def coupled(f: Fitted, graph: Graph, decision: Value, count: int, sign: float) -> Optional[Value]:
    """libsvm's probabilities of the classes; sign: of the decisions, which are those of libsvm or turned."""
    if not hasattr(f.model, "predict_proba"):
        return None
    if count > MOST_COUPLED:
        raise f.error("has probabilities of %d classes: at most %d are supported" % (count, MOST_COUPLED))
    n = count * (count - 1) // 2
    a, b = f.numbers("_probA", -1), f.numbers("_probB", -1)
    if len(a) != n or len(b) != n:
        raise f.error("has no probabilities: it was fitted with probability=False")
    likely = graph.floats("link", graph.affine(decision, "mul_add", -sign * a, -b), n, kind="sigmoid")
    fields = {"lo": array([MARGIN], "f8"), "hi": array([1.0 - MARGIN], "f8")}
    return graph.floats("coupling", graph.floats("clip", likely, n, **fields), count, classes=count)


def two_classes(f: Fitted, graph: Graph, x: Value) -> Value:
    """scikit-learn turns the sign, so that what is above 0 is the second class. So is a decision of 0."""
    coef = f.checked("_dual_coef_", dense(f.get("_dual_coef_")), [1, -1])
    intercept = f.numbers("_intercept_", 1)
    raw = machine(f, graph, x, -coef, -intercept, np.ones(coef.shape, dtype=bool))
    proba = coupled(f, graph, raw, 2, -1.0)
    if f.get("kernel") == "poly":  # powers overflow, and a decision of NaN is not below 0
        decided = mapped(graph, "not", combined(graph, "lt", raw, 0.0))
        return graph.add("head", [raw, raw if proba is None else proba, decided], [], rule="gt0")
    return graph.add("head", [raw] if proba is None else [raw, proba], [], rule="ge0")


def several_classes(f: Fitted, graph: Graph, x: Value, count: int) -> Value:
    shape, breaks_ties = f.get("decision_function_shape"), f.flag("break_ties")
    decision = decisions(f, graph, x, count)
    raw = one_against_rest(graph, decision, count) if shape == "ovr" else decision
    proba = coupled(f, graph, decision, count, 1.0)
    if breaks_ties:
        return graph.add("head", [raw] if proba is None else [raw, proba], [], rule="argmax")
    counted = votes(graph, decision, count)
    return graph.add("head", [raw, raw if proba is None else proba, counted], [], rule="argmax")


@exporter("svm", "SVC", "NuSVC")
def svc(f: Fitted, graph: Graph, x: Value) -> Result:
    labels = f.get("classes_")
    count = len(labels)
    classes = f.classes(count)
    if f.one_of("decision_function_shape", "ovr", "ovo") == "ovo" and f.flag("break_ties"):
        raise f.error("with break_ties=True and decision_function_shape='ovo' predicts nothing")
    if count * (count - 1) // 2 > MOST_VECTORS:
        raise f.error("has %s classes: not supported" % shown(count))
    head = two_classes(f, graph, x) if count == 2 else several_classes(f, graph, x, count)
    return Result("classifier", head, classes)
