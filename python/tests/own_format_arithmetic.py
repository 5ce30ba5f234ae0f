"""The operators of own_format_reference.py that compute with numbers one by one, or find stored rows, just as
plainly."""

from __future__ import annotations

import math
import statistics
from typing import Any, Callable, Dict, List, Optional, Set, Tuple

import numpy as np

import own_format_solvers as solvers
from own_format_columns import decode

Op = Dict[str, Any]

OPTIONAL = {"numbers", "first", "yes", "no", "power"}
FIELDS = {
    "map": "function dtype",
    "combine": "function dtype numbers first",
    "choose": "yes no",
    "reduce": "function dtype terms",
    "pairwise": "metric power rows",
    "neighbours": "metric power k rows",
    "impute_nearest": "k weights rows fill",
    "top_k": "terms k largest",
    "look_up": "places stride first numbers",
    "coupling": "classes",
    "sparse_linear": "ends columns coef intercept",
    **solvers.FIELDS,
}

erf = np.vectorize(math.erf, otypes=[np.float64])


def quantile(p: float) -> float:
    """Quantiles of the normal distribution, by the standard library's own function."""
    if not 0.0 < p < 1.0:
        return {0.0: -math.inf, 1.0: math.inf}.get(p, math.nan)
    return statistics.NormalDist().inv_cdf(p)


MAPS: Dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "sigmoid": lambda x: 1.0 / (1.0 + np.exp(-x)),
    "softplus": lambda x: np.logaddexp(0.0, x),
    "erf": erf,
    "ndtri": np.vectorize(quantile, otypes=[np.float64]),
    "half": lambda x: x.astype(np.float16),
    "not": lambda x: x == 0.0,
    "truth": lambda x: x != 0.0,
}


def bessel_k(x: np.ndarray, order: np.ndarray) -> np.ndarray:
    from scipy.special import kv

    return np.asarray(kv(order, x))


COMBINES: Dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    "eq": np.equal,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
    "and": np.logical_and,
    "or": np.logical_or,
    "xor": np.logical_xor,
    "bessel_k": bessel_k,
}
REDUCES: Dict[str, Callable[..., np.ndarray]] = {
    "product": np.prod,
    "sum_abs": lambda x, axis: np.sum(np.abs(x), axis=axis),
    "sum_squares": lambda x, axis: np.sum(x * x, axis=axis),
    "length": lambda x, axis: np.sqrt(np.sum(x * x, axis=axis)),
    "logsumexp": np.logaddexp.reduce,
    "argmax_last": lambda x, axis: x.shape[axis] - 1 - np.flip(x, axis).argmax(axis=axis),
}


def wrapped(op: Op, x: float) -> float:
    """One number of a column of integers, by Python's own."""
    name, bits, signed = op["function"], 8 * int(op["dtype"][1]), op["dtype"][0] == "i"
    if math.isnan(x) or abs(x) <= 2.0**53 and not x.is_integer():
        return float({"abs": abs, "negative": lambda v: -v, "square": lambda v: v * v}.get(name, lambda v: 1.0 / v)(x))
    low = -(1 << bits - 1) if signed else 0
    if abs(x) > 2.0**53 or not low <= int(x) < low + (1 << bits) or (name == "reciprocal" and x == 0.0):
        return math.inf
    v = int(x)
    made = {"abs": abs(v), "negative": -v, "square": v * v, "reciprocal": v if abs(v) == 1 else 0}[name]
    return float((made - low) % (1 << bits) + low)


def rounded(op: Op, x: np.ndarray) -> np.ndarray:
    return x.astype(op["dtype"]).astype(np.float64)


def map_(op: Op, x: np.ndarray) -> np.ndarray:
    name = op["function"]
    if op["dtype"][0] != "f":
        return np.vectorize(lambda v: wrapped(op, float(v)), otypes=[np.float64])(x)
    return rounded(op, np.asarray((MAPS.get(name) or getattr(np, name))(x), dtype=np.float64))


def combine(op: Op, x: np.ndarray, y: Optional[np.ndarray] = None) -> np.ndarray:
    name = op["function"]
    assert (y is None) == ("numbers" in op) == ("first" in op)
    left, right = x, decode(op["numbers"])[np.newaxis, :] if y is None else y
    if op.get("first"):
        left, right = right, left
    made = (COMBINES.get(name) or getattr(np, name))(left, right)
    return rounded(op, np.asarray(made, dtype=np.float64))


def choose(op: Op, condition: np.ndarray, *branches: np.ndarray) -> np.ndarray:
    rest = list(branches)
    yes = decode(op["yes"])[np.newaxis, :] if "yes" in op else rest.pop(0)
    no = decode(op["no"])[np.newaxis, :] if "no" in op else rest.pop(0)
    assert not rest
    return np.where(condition != 0.0, yes, no)


def groups(x: np.ndarray, terms: int) -> np.ndarray:
    return x.reshape(len(x), -1, terms)


def reduce(op: Op, x: np.ndarray) -> np.ndarray:
    name = op["function"]
    made = (REDUCES.get(name) or getattr(np, name))(groups(x, op["terms"]), axis=2)
    return rounded(op, np.asarray(made, dtype=np.float64))


def quotient(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return np.where(y == 0.0, 0.0, x / np.where(y == 0.0, 1.0, y))


def distances(op: Op, x: np.ndarray) -> np.ndarray:
    """Some rows at a time, as all of them by all columns may be large."""
    rows = decode(op["rows"]).astype(np.float64)
    found = [distances_of(op, x[i : i + 16, np.newaxis], rows) for i in range(0, len(x), 16)]
    return np.vstack(found) if found else np.zeros((0, len(rows)))


def distances_of(op: Op, x: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """x: [rows, 1, columns]"""
    metric, d = op["metric"], np.abs(x - rows)
    if metric == "dot":
        return x[:, 0] @ rows.T
    if metric == "cosine":
        return np.clip(1.0 - x[:, 0] @ rows.T, 0.0, 2.0)
    if metric == "braycurtis":
        return quotient(d.sum(axis=2), (np.abs(x) + np.abs(rows)).sum(axis=2))
    if metric == "jaccard":
        one, other = x != 0.0, rows != 0.0
        return quotient((one ^ other).sum(axis=2), (one | other).sum(axis=2))
    if metric == "canberra":
        return quotient(d, np.abs(x) + np.abs(rows)).sum(axis=2)
    if metric == "chi2":
        return quotient(d * d, x + rows).sum(axis=2)
    if metric == "nan_euclidean":
        known = (~np.isnan(d)).sum(axis=2)
        return np.where(np.isnan(d), 0.0, d * d).sum(axis=2) / known * rows.shape[1]
    if metric == "hamming":
        return (x != rows).sum(axis=2).astype(np.float64)
    if metric == "chebyshev":
        return d.max(axis=2)
    power = {"sqeuclidean": 2.0, "cityblock": 1.0}.get(metric) or decode(op["power"])[0]
    return (d**power).sum(axis=2)


def neighbours(op: Op, x: np.ndarray) -> np.ndarray:
    far = distances(op, x)
    far = np.where(np.isnan(far), np.inf, far)
    places = np.argsort(far, axis=1, kind="stable")[:, : op["k"]]
    return np.hstack([np.take_along_axis(far, places, axis=1), places.astype(np.float64)])


def filled_in(op: Op, row: np.ndarray, c: int, error: Callable[[np.ndarray], np.ndarray]) -> float:
    rows = decode(op["rows"])
    known = ~np.isnan(row) & ~np.isnan(rows)
    squares = np.where(known, (row - rows) ** 2, 0.0).sum(axis=1)
    far = squares / known.sum(axis=1) * len(row)
    far = np.where(~np.isnan(far) & ~np.isnan(rows[:, c]), far, np.inf)
    far = far + np.where(np.isfinite(far), error(np.where(np.isfinite(far), far, 0.0)), 0.0)
    near = [i for i in np.argsort(far, kind="stable")[: op["k"]] if far[i] < np.inf]
    if not near:
        return float(decode(op["fill"])[c])
    weights = np.ones(len(near))
    if op["weights"] == "distance":
        weights = (far[near] == 0.0) * 1.0 if (far[near] == 0.0).any() else 1.0 / np.sqrt(far[near])
    return float((weights * rows[near, c]).sum() / weights.sum())


def impute_nearest(
    op: Op, x: np.ndarray, error: Callable[[np.ndarray], np.ndarray] = lambda size: 0.0 * size
) -> np.ndarray:
    out = x.copy()
    for i, c in zip(*np.nonzero(np.isnan(x))):
        out[i, c] = filled_in(op, x[i], c, error)
    return out


def top_k(op: Op, x: np.ndarray) -> np.ndarray:
    given = groups(x, op["terms"])
    keys = np.where(np.isnan(given), np.inf, -given if op["largest"] else given)
    places = np.argsort(keys, axis=2, kind="stable")[:, :, : op["k"]]
    numbers = np.take_along_axis(given, places, axis=2)
    return np.hstack([numbers.reshape(len(x), -1), places.reshape(len(x), -1).astype(np.float64)])


def look_up(op: Op, *inputs: np.ndarray) -> np.ndarray:
    places = inputs[-1]
    n, first = op["places"], decode(op["first"])
    table = inputs[0] if len(inputs) == 2 else np.tile(decode(op["numbers"]), (len(places), 1))
    out = np.full(places.shape, np.nan)
    for i, row in enumerate(places):
        for o, p in enumerate(row):
            if -n <= p < n:
                out[i, o] = table[i, int(p + n if p < 0 else p) * op["stride"] + first[o]]
    return out


def coupled(r: np.ndarray) -> np.ndarray:
    """r[i, j]: how likely class i is if it is i or j; as libsvm's multiclass_probability."""
    k = len(r)
    q = -(r.T * r)
    np.fill_diagonal(q, 0.0)
    q[np.diag_indices(k)] = [sum(r[j, t] ** 2 for j in range(k) if j != t) for t in range(k)]
    p = np.full(k, 1.0 / k)
    for _ in range(max(100, k)):
        product = q @ p
        whole = p @ product
        if np.abs(product - whole).max() < 0.005 / k:
            break
        for t in range(k):
            step = (whole - product[t]) / q[t, t]
            p[t] += step
            whole = (whole + step * (step * q[t, t] + 2 * product[t])) / (1 + step) / (1 + step)
            product = (product + step * q[t]) / (1 + step)
            p /= 1 + step
    return p


def coupling(op: Op, x: np.ndarray) -> np.ndarray:
    k = op["classes"]
    first, second = np.triu_indices(k, 1)
    out = np.zeros((len(x), k))
    for i, row in enumerate(x):
        r = np.zeros((k, k))
        r[first, second], r[second, first] = row, 1.0 - row
        out[i] = coupled(r)
    return out


def weights_of(op: Op, width: int) -> np.ndarray:
    """Those of `linear`: a coefficient that is not stored is 0."""
    ends = decode(op["ends"])
    out = np.zeros((len(ends), width))
    outputs = np.repeat(np.arange(len(ends)), np.diff(np.concatenate([[0], ends])))
    out[outputs, decode(op["columns"])] = decode(op["coef"])
    return out


def sparse_linear(op: Op, x: np.ndarray) -> np.ndarray:
    return x @ weights_of(op, x.shape[1]).T + decode(op["intercept"])


OPERATORS: Dict[str, Callable[..., np.ndarray]] = {
    "map": map_,
    "combine": combine,
    "choose": choose,
    "reduce": reduce,
    "pairwise": distances,
    "neighbours": neighbours,
    "impute_nearest": impute_nearest,
    "top_k": top_k,
    "look_up": look_up,
    "coupling": coupling,
    "sparse_linear": sparse_linear,
    **solvers.OPERATORS,
}


def inputs_of(op: Op, widths: List[int], needed: Set[int]) -> List[Tuple[int, Set[int]]]:
    """For each input, a value, the columns on which the needed columns of the operator's value depend."""
    everything = [(i, set(range(widths[i])) if needed else set()) for i in op["in"]]
    if op["op"] in ("map", "combine", "choose"):
        return [(i, needed if widths[i] > 1 else {0} if needed else set()) for i in op["in"]]
    if op["op"] in ("reduce", "top_k"):
        terms, k, width = op["terms"], op.get("k", 1), widths[op["in"][0]]
        of = {j // k % (width // terms) for j in needed}
        return [(op["in"][0], {g * terms + t for g in of for t in range(terms)})]
    if op["op"] == "look_up":
        return everything[:-1] + [(op["in"][-1], set(needed))]
    return everything
