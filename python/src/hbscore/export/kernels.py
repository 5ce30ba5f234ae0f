"""Kernels between a row and stored rows: of sklearn.metrics.pairwise, and of Gaussian processes.

A kernel of a Gaussian process is a value with a column for each stored row, or a number that is the same for all."""

from __future__ import annotations

import math
from typing import Any, Callable, Dict, Optional, Union

import numpy as np

from hbscore.errors import shown
from hbscore.export.arithmetic import chosen, combined, mapped, pairwise, reduced
from hbscore.export.document import array
from hbscore.export.fitted import Fitted
from hbscore.export.graph import Graph, Value

Kernel = Union[Value, float]

MOST_ROWS = 65536  # columns of a value
MOST_ORDER = 171.0  # of a Matern kernel: the gamma function of more is infinite


def stored_rows(f: Fitted, name: str, width: int) -> np.ndarray:
    rows = f.numbers(name, -1, width)
    if not 0 < len(rows) <= MOST_ROWS:
        raise f.error("has %d rows in %s: 1 to %d are supported" % (len(rows), name, MOST_ROWS))
    return rows


def exponential(graph: Graph, distance: Value, factor: float) -> Value:
    return mapped(graph, "exp", combined(graph, "multiply", distance, factor))


# By name --------------------------------------------------------------------------------------


def of_length_1(rows: np.ndarray) -> np.ndarray:
    """As preprocessing.normalize has it."""
    lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows))
    lengths[lengths < 10 * np.finfo(np.float64).eps] = 1.0
    return np.asarray(rows / lengths[:, np.newaxis])


#: Kernels that are made of a distance, by the format's name of it.
DISTANCES = {"additive_chi2": "chi2", "chi2": "chi2", "laplacian": "cityblock", "rbf": "sqeuclidean"}


def named_kernel(f: Fitted, graph: Graph, x: Value, rows: np.ndarray, options: Dict[str, Any]) -> Value:
    """pairwise_kernels(x, rows). options: kernel, gamma, degree, coef0. gamma=None is 1 / columns, of chi2 1."""
    name = options["kernel"]
    if callable(name):
        raise f.error("with a kernel that is a function is not supported")
    if name == "precomputed":  # the columns are the kernel of the row and each stored one
        if x.width != len(rows):
            raise f.error("with kernel='precomputed' gets %d columns, and has %d rows" % (x.width, len(rows)))
        return x
    if name in DISTANCES:
        return of_distance(graph, x, rows, options)
    if name == "cosine":
        unit = graph.floats("normalize", x, x.width, norm="l2", dtype="f8")
        return pairwise(graph, "dot", unit, of_length_1(rows))
    return of_product(f, graph, pairwise(graph, "dot", x, rows), x.width, options)


def named_kernel_of_itself(f: Fitted, graph: Graph, x: Value, options: Dict[str, Any]) -> Kernel:
    """pairwise_kernels(x, x) of one row."""
    name = options["kernel"]
    if name in DISTANCES:
        return 0.0 if name == "additive_chi2" else 1.0
    if name == "cosine":
        x = graph.floats("normalize", x, x.width, norm="l2", dtype="f8")
        return reduced(graph, "sum_squares", x)
    return of_product(f, graph, reduced(graph, "sum_squares", x), x.width, options)


def gamma_of(width: int, options: Dict[str, Any]) -> float:
    given = options.get("gamma")
    usual = 1.0 if options["kernel"] == "chi2" else 1.0 / width
    return usual if given is None else float(given)


def of_distance(graph: Graph, x: Value, rows: np.ndarray, options: Dict[str, Any]) -> Value:
    """scikit-learn refuses negative numbers where it divides by sums of them: such a row has no result."""
    name = options["kernel"]
    if DISTANCES[name] == "chi2":
        x = chosen(graph, combined(graph, "lt", x, 0.0), np.nan, x)
        x = graph.check(graph.guard(x, missing=False), missing=False)
    far = pairwise(graph, DISTANCES[name], x, rows)
    if name == "additive_chi2":
        return mapped(graph, "negative", far)
    return exponential(graph, far, -gamma_of(x.width, options))


def of_product(f: Fitted, graph: Graph, product: Value, width: int, options: Dict[str, Any]) -> Value:
    name = options["kernel"]
    if name == "linear":
        return product
    if name in ("poly", "polynomial", "sigmoid"):
        scaled = combined(graph, "multiply", product, gamma_of(width, options))
        shift = options.get("coef0")
        scaled = combined(graph, "add", scaled, 1.0 if shift is None else float(shift))
        if name == "sigmoid":
            return mapped(graph, "tanh", scaled)
        degree = options.get("degree")
        return combined(graph, "power", scaled, 3.0 if degree is None else float(degree))
    raise f.error("with kernel=%s is not supported" % shown(name))


def kernel_options(f: Fitted, gamma: str = "gamma") -> Dict[str, Any]:
    found = {"kernel": f.get("kernel"), "gamma": f.get(gamma), "degree": f.get("degree"), "coef0": f.get("coef0")}
    for name in ("gamma", "degree", "coef0"):
        if found[name] is not None and not isinstance(found[name], (int, float, np.integer, np.floating)):
            raise f.error("with %s=%s is not supported" % (name, shown(found[name])))
    return found


# Gaussian processes ---------------------------------------------------------------------------


class Covariance:
    """k(row, each stored row), and k(row, row)."""

    def __init__(self, f: Fitted, graph: Graph, x: Value, rows: np.ndarray) -> None:
        self.f, self.graph, self.x, self.rows = f, graph, x, rows
        self.at_itself = False  # k(row, row)

    def both(self, function: str, left: Kernel, right: Kernel) -> Kernel:
        if not isinstance(left, Value) and not isinstance(right, Value):
            a, b = np.float64(left), np.float64(right)
            return float(a + b if function == "add" else a * b)
        return combined(self.graph, function, left, right)

    def power(self, base: Kernel, exponent: float) -> Kernel:
        return combined(self.graph, "power", base, exponent) if isinstance(base, Value) else float(base**exponent)

    def scaled(self, kernel: Any, metric: str) -> Value:
        """The distance after a division by the length scale, one or one for each column."""
        scale = np.broadcast_to(np.asarray(kernel.length_scale, dtype=np.float64), (self.x.width,))
        if (scale == 1.0).all():
            return pairwise(self.graph, metric, self.x, self.rows)
        divided = combined(self.graph, "divide", self.x, scale)
        return pairwise(self.graph, metric, divided, self.rows / scale)

    def rbf(self, kernel: Any) -> Kernel:
        return 1.0 if self.at_itself else exponential(self.graph, self.scaled(kernel, "sqeuclidean"), -0.5)

    def matern(self, kernel: Any) -> Kernel:
        if self.at_itself:
            return 1.0
        if kernel.nu == np.inf:
            return exponential(self.graph, self.scaled(kernel, "sqeuclidean"), -0.5)
        distance = mapped(self.graph, "sqrt", self.scaled(kernel, "sqeuclidean"))
        if kernel.nu not in (0.5, 1.5, 2.5):
            return self.matern_of_order(distance, float(kernel.nu))
        if kernel.nu == 0.5:
            return exponential(self.graph, distance, -1.0)
        k = combined(self.graph, "multiply", distance, math.sqrt(3.0 if kernel.nu == 1.5 else 5.0))
        polynomial = combined(self.graph, "add", k, 1.0)
        if kernel.nu == 2.5:
            square = combined(self.graph, "divide", mapped(self.graph, "square", k), 3.0)
            polynomial = combined(self.graph, "add", polynomial, square)
        return combined(self.graph, "multiply", polynomial, exponential(self.graph, k, -1.0))

    def matern_of_order(self, distance: Value, nu: float) -> Value:
        """As the library computes it, where a distance of 0 counts as the least that is none."""
        if not 0.0 < nu <= MOST_ORDER:
            raise self.f.error("with a Matern kernel of nu=%s is not supported: its gamma function overflows" % shown(nu))
        zero = combined(self.graph, "eq", distance, 0.0)
        distance = chosen(self.graph, zero, float(np.finfo(np.float64).eps), distance)
        scaled = combined(self.graph, "multiply", distance, math.sqrt(2.0 * nu))
        power = combined(self.graph, "power", scaled, nu)
        factor = combined(self.graph, "multiply", power, 2.0 ** (1.0 - nu) / math.gamma(nu))
        return combined(self.graph, "multiply", factor, combined(self.graph, "bessel_k", scaled, nu))

    def rational_quadratic(self, kernel: Any) -> Kernel:
        if self.at_itself:
            return 1.0
        squares = pairwise(self.graph, "sqeuclidean", self.x, self.rows)
        part = combined(self.graph, "divide", squares, 2.0 * kernel.alpha * kernel.length_scale**2)
        return self.power(combined(self.graph, "add", part, 1.0), -float(kernel.alpha))

    def exp_sine_squared(self, kernel: Any) -> Kernel:
        if self.at_itself:
            return 1.0
        distance = mapped(self.graph, "sqrt", pairwise(self.graph, "sqeuclidean", self.x, self.rows))
        sine = mapped(self.graph, "sin", combined(self.graph, "multiply", distance, np.pi / kernel.periodicity))
        square = mapped(self.graph, "square", combined(self.graph, "divide", sine, float(kernel.length_scale)))
        return exponential(self.graph, square, -2.0)

    def dot_product(self, kernel: Any) -> Kernel:
        if self.at_itself:
            product = reduced(self.graph, "sum_squares", self.x)
        else:
            product = pairwise(self.graph, "dot", self.x, self.rows)
        return combined(self.graph, "add", product, float(kernel.sigma_0) ** 2)

    def named(self, kernel: Any) -> Kernel:
        options = {"kernel": kernel.metric, "gamma": kernel.gamma, **(kernel.pairwise_kernels_kwargs or {})}
        if self.at_itself:
            return named_kernel_of_itself(self.f, self.graph, self.x, options)
        return named_kernel(self.f, self.graph, self.x, self.rows, options)

    def sum_of(self, kernel: Any) -> Kernel:
        return self.both("add", self.of(kernel.k1), self.of(kernel.k2))

    def product_of(self, kernel: Any) -> Kernel:
        return self.both("multiply", self.of(kernel.k1), self.of(kernel.k2))

    def of(self, kernel: Any) -> Kernel:
        """By the exact class, as the library has it."""
        known: Dict[str, Callable[[Any], Kernel]] = {
            "RBF": self.rbf,
            "Matern": self.matern,
            "RationalQuadratic": self.rational_quadratic,
            "ExpSineSquared": self.exp_sine_squared,
            "DotProduct": self.dot_product,
            "PairwiseKernel": self.named,
            "Sum": self.sum_of,
            "Product": self.product_of,
            "Exponentiation": lambda k: self.power(self.of(k.kernel), float(k.exponent)),
            "ConstantKernel": lambda k: float(k.constant_value),
            "WhiteKernel": lambda k: float(k.noise_level) if self.at_itself else 0.0,
        }
        kind = type(kernel)
        if kind.__module__ != "sklearn.gaussian_process.kernels" or kind.__name__ not in known:
            raise self.f.error("with the kernel %s is not supported" % shown(kind.__name__))
        return known[kind.__name__](kernel)

    def with_itself(self, kernel: Any) -> Kernel:
        self.at_itself = True
        found = self.of(kernel)
        self.at_itself = False
        return found


def weighted(graph: Graph, x: Value, kernel: Kernel, weights: np.ndarray, start: Optional[np.ndarray] = None) -> Value:
    """For each row of the weights, [outputs, stored rows], the sum of the kernels by weight."""
    outputs = len(weights)
    intercept = np.zeros(outputs) if start is None else start
    if isinstance(kernel, Value) and kernel.width == weights.shape[1]:
        return graph.floats("linear", kernel, outputs, coef=array(weights, "f8"), intercept=array(intercept, "f8"))
    assert not isinstance(kernel, Value)
    sums = np.full(weights.shape[1], kernel) @ weights.T + intercept
    none = array(np.zeros((outputs, x.width)), "f8")
    return graph.floats("linear", x, outputs, coef=none, intercept=array(sums, "f8"))
