"""The operators of own_format_reference.py that solve a problem of its own for each row, just as plainly."""

from __future__ import annotations

from typing import Any, Callable, Dict, Tuple

import numpy as np

from own_format_columns import decode

Op = Dict[str, Any]

FIELDS = {
    "topics": "dtype prior tolerance rounds weights",
    "factors": "rule dtype beta penalty least tolerance rounds weights",
    "pursuit": "k least gram",
    "descent": "rule positive penalty tolerance rounds gram",
    "least_angle": "path dtype positive penalty terms rounds gram",
    "barycentre": "part rows",
}

EULER = 0.577215664901532860606512090082402431


def digamma(x: Any) -> Any:
    """AS 103, each step in the type of x."""
    kind = type(x)
    if x <= 1e-6:
        return kind(-EULER - (1.0 / float(x) if x > 0.0 else np.inf))
    result = kind(0.0)
    while x < 6.0:
        result = kind(float(result) - 1.0 / float(x))
        x = kind(x + kind(1.0))
    r = kind(1.0 / float(x))
    result = kind(float(result) + (np.log(float(x)) - 0.5 * float(r)))
    r = float(kind(r * r))
    return kind(float(result) - r * (1.0 / 12.0 - r * (1.0 / 120.0 - r * (1.0 / 252.0))))


def shares(amounts: np.ndarray, total: Any) -> np.ndarray:
    of_total = digamma(total)
    return np.array([np.exp(float(digamma(a) - of_total)) for a in amounts]).astype(amounts.dtype)


def topics_of(op: Op, weights: np.ndarray, row: np.ndarray) -> np.ndarray:
    kind = row.dtype.type
    words = np.flatnonzero(row)
    counts, weights = row[words], weights[:, words]
    amounts = np.ones(len(weights), dtype=kind)
    share = shares(amounts, kind(len(weights)))
    for _ in range(op["rounds"]):
        before = amounts
        of_words = share @ weights + np.finfo(kind).eps
        amounts = share * (weights @ (counts / of_words)) + kind(decode(op["prior"])[0])
        share = shares(amounts, amounts.sum())
        if np.abs(before - amounts).astype(np.float64).mean() < decode(op["tolerance"])[0]:
            break
    return amounts / amounts.sum()


def topics(op: Op, x: np.ndarray) -> np.ndarray:
    rows, weights = x.astype(op["dtype"]), decode(op["weights"]).astype(op["dtype"])
    out = np.full((len(rows), len(weights)), np.nan)
    for i, row in enumerate(rows):
        if (row >= 0.0).all() and np.isfinite(row).all():
            out[i] = topics_of(op, weights, row)
    return out


EPSILON = float(np.finfo(np.float32).eps)


def divisors(made: np.ndarray, least: float) -> np.ndarray:
    return np.where((made == 0.0) | (made < least), EPSILON, made)


def divergence(beta: float, least: float, row: np.ndarray, made: np.ndarray) -> float:
    if beta == 2.0:
        return np.float64(np.sqrt(((row - made) ** 2).sum()))
    counts = row > EPSILON
    x, of = row[counts], divisors(made[counts], least)
    if beta == 1.0:
        result = (x * np.log(x / of)).sum() + made.sum() - x.sum()
    elif beta == 0.0:
        result = (x / of - np.log(x / of)).sum() - len(row)
    else:
        result = (x**beta - beta * x * of ** (beta - 1.0)).sum() + (made**beta).sum() * (beta - 1.0)
        result /= beta * (beta - 1.0)
    return np.float64(np.sqrt(2.0 * max(result, 0.0)))


def factors_of(op: Op, weights: np.ndarray, row: np.ndarray) -> np.ndarray:
    beta, least, tolerance = (float(decode(op[name])[0]) for name in ("beta", "least", "tolerance"))
    of_errors, (each, square) = op["rule"] == "error", decode(op["penalty"])
    gamma = 1.0 / (2.0 - beta) if beta < 1.0 else 1.0 / (beta - 1.0) if beta > 2.0 else 1.0
    w = np.full(len(weights), np.sqrt(row.mean() / len(weights))).astype(op["dtype"])
    before = first = divergence(beta, least, row, w @ weights)
    for k in range(1, op["rounds"] + 1):
        made = w @ weights
        safe = divisors(made, least) if beta < 2.0 else made
        above = np.where(row == 0.0, 0.0, row * safe ** (beta - 2.0)) if beta != 2.0 else row
        below = made if beta == 2.0 else (safe if beta < 1.0 else made) ** (beta - 1.0)
        penalty = each * k if of_errors and beta == 1.0 else each
        whole = weights @ below + penalty + square * w
        after = (w * (weights @ above / np.where(whole == 0.0, EPSILON, whole)) ** gamma).astype(op["dtype"])
        if of_errors and beta < 1.0:
            after[after < np.finfo(np.float64).eps] = 0.0
        changed, w = np.linalg.norm(after - w) / np.linalg.norm(after), after
        if of_errors and k % 10 == 0:
            error = divergence(beta, least, row, w @ weights)
            if tolerance > 0.0 and (before - error) / first < tolerance:
                break
            before = error
        elif not of_errors and tolerance > 0.0 and changed <= tolerance:
            break
    return w


def factors(op: Op, x: np.ndarray) -> np.ndarray:
    weights = decode(op["weights"]).astype(np.float64)
    out = np.full((len(x), len(weights)), np.nan)
    with np.errstate(all="ignore"):
        for i, row in enumerate(x.astype(np.float64)):
            if np.isfinite(row).all() and row.sum() >= 0.0:
                out[i] = factors_of(op, weights, row)
    return out


def pursued(op: Op, products: np.ndarray) -> np.ndarray:
    """As scikit-learn's, which swaps rows of the matrix: ties are taken in that order."""
    gram, least = decode(op["gram"]), decode(op["least"])[0]
    order, left, found, weights = np.arange(len(gram)), products, 0, np.zeros(0)
    while found < op["k"]:
        place = int(np.argmax(np.abs(left)))
        if place < found or left[place] ** 2 < least:
            break
        chosen = order[: found + 1].copy()
        chosen[found] = order[place]
        if found:
            known = gram[np.ix_(chosen[:found], chosen[:found])]
            with_known = gram[chosen[:found], chosen[found]]
            rest = gram[chosen[found], chosen[found]] - with_known @ np.linalg.solve(known, with_known)
            if rest <= least:
                break
        order[[found, place]] = order[[place, found]]
        found += 1
        weights = np.linalg.solve(gram[np.ix_(chosen, chosen)], products[chosen])
        left = products[order] - gram[np.ix_(order, chosen)] @ weights
    out = np.zeros(len(gram))
    out[order[:found]] = weights
    return out


def pursuit(op: Op, x: np.ndarray) -> np.ndarray:
    return np.array([pursued(op, row) for row in x]).reshape(x.shape)


def gap_of(op: Op, gram: np.ndarray, row: np.ndarray, square: float, w: np.ndarray) -> Tuple[float, np.ndarray]:
    """The duality gap, and what is left of the products, as a point of the dual problem."""
    penalty, left = decode(op["penalty"])[0], row - gram @ w
    largest = left.max() if op["positive"] else np.abs(left).max()
    rest = square + w @ gram @ w - 2.0 * w @ row
    scale = penalty / largest if largest > penalty else 1.0
    dual = -0.5 * scale**2 * rest + scale * (square - w @ row)
    return 0.5 * rest + penalty * np.abs(w).sum() - dual, left / max(penalty, largest)


def is_near(op: Op, gram: np.ndarray, gap: float, point: np.ndarray) -> np.ndarray:
    """Vectors that may have a weight."""
    squares = np.diag(gram)
    radius = np.sqrt(2.0 * abs(gap)) / decode(op["penalty"])[0]
    apart = (1.0 - np.abs(point)) / np.sqrt(np.where(squares == 0.0, 1.0, squares))
    return np.asarray((squares != 0.0) & (apart <= radius))


def penalized(op: Op, row: np.ndarray, square: float) -> np.ndarray:
    gram, penalty, tolerance = decode(op["gram"]), decode(op["penalty"])[0], decode(op["tolerance"])[0]
    w, screens = np.zeros(len(gram)), op["rule"] == "screened"
    known = np.diag(gram) != 0.0
    if screens:
        gap, point = gap_of(op, gram, row, square, w)
        if 0.0 <= gap <= tolerance * square:
            return w
        known &= is_near(op, gram, gap, point)
    for k in range(op["rounds"]):
        before = w.copy()
        for j in np.flatnonzero(known):
            best = row[j] - gram[j] @ w + w[j] * gram[j, j]
            w[j] = np.sign(best) * max(abs(best) - penalty, 0.0) / gram[j, j]
            w[j] = 0.0 if op["positive"] and best < 0.0 else w[j]
        changed, most = np.abs(w - before).max(), np.abs(w).max()
        if most == 0.0 or changed / most <= tolerance or k == op["rounds"] - 1:
            if op["rule"] == "still":
                break
            gap, point = gap_of(op, gram, row, square, w)
            if gap <= tolerance * square:
                break
            if screens:
                known &= is_near(op, gram, gap, point)
                w = np.where(known, w, 0.0)
    return w


def not_negative(op: Op, row: np.ndarray) -> np.ndarray:
    gram, penalty, tolerance = decode(op["gram"]), decode(op["penalty"])[0], decode(op["tolerance"])[0]
    w, first = np.zeros(len(gram)), 0.0
    for k in range(op["rounds"]):
        slopes = 0.0
        for j in range(len(gram)):
            slope = gram[j] @ w + penalty - row[j]
            slopes += abs(min(slope, 0.0) if w[j] == 0.0 else slope)
            w[j] = max(w[j] - slope / gram[j, j], 0.0) if gram[j, j] != 0.0 else w[j]
        first = slopes if k == 0 else first
        if first == 0.0 or slopes / first <= tolerance:
            break
    return w


def descent(op: Op, x: np.ndarray, *square: np.ndarray) -> np.ndarray:
    assert len(square) == (op["rule"] in ("gap", "screened"))
    out = np.full(x.shape, np.nan)
    finite = np.isfinite(np.hstack([x, *square])).all(axis=1)
    for i in np.flatnonzero(finite):
        out[i] = not_negative(op, x[i]) if op["rule"] == "slope" else penalized(op, x[i], square[0][i, 0] if square else 0.0)
    return out


def least_positive(numbers: Any) -> float:
    found = [v for v in np.ravel(numbers) if v > 0.0]
    return float(min(found)) if found else float(np.finfo(float).max)


def grown(op: Op, products: np.ndarray) -> np.ndarray:
    """As lars_path, with solutions of equations in the place of a factor that is kept."""
    gram, penalty, positive, lasso = decode(op["gram"]), decode(op["penalty"])[0], op["positive"], op["path"] == "lasso"
    n, almost, tiny = len(gram), float(np.finfo(np.float32).eps), float(np.finfo(np.float32).tiny)
    order, left, active, signs = list(range(n)), list(products), 0, []
    weights, last, before, rounds, dropped = np.zeros(n), np.zeros(n), 0.0, 0, False
    while True:
        sizes = [v if positive else abs(v) for v in left]
        place = int(np.argmax(sizes)) if sizes else 0
        most = sizes[place] if sizes else 0.0
        alpha = most / op["terms"]
        if alpha <= penalty + almost:
            if abs(alpha - penalty) > almost and rounds > 0:
                weights = last + (before - penalty) / (before - alpha) * (weights - last)
            return weights
        if rounds >= op["rounds"] or active >= n:
            return weights
        if not dropped:
            sign = 1.0 if positive else np.sign(left[place])
            order[active], order[active + place] = order[active + place], order[active]
            known, new = order[:active], order[active]
            rest = gram[new, new] - (gram[new, known] @ np.linalg.solve(gram[np.ix_(known, known)], gram[known, new]) if known else 0.0)
            if max(np.sqrt(abs(rest)), np.finfo(float).eps) < 1e-7:
                left[place] = 0.0
                continue
            left[0], left[place] = left[place], left[0]
            left = left[1:]
            signs.append(sign)
            active += 1
        if lasso and rounds > 0 and before < alpha:
            return weights
        found, others = order[:active], order[active:]
        steps = np.linalg.solve(gram[np.ix_(found, found)], np.array(signs))
        scale = 1.0 / np.sqrt(steps @ np.array(signs))
        steps = steps * scale
        direction = np.around(gram[np.ix_(found, others)].T @ steps, 6 if op["dtype"] == "f4" else 15)
        rest = np.array(left)
        lengths = [least_positive((most - rest) / (scale - direction + tiny)), most / scale]
        if not positive:
            lengths.append(least_positive((most + rest) / (scale + direction + tiny)))
        length, zeros = min(lengths), -weights[found] / (steps + tiny)
        dropped = least_positive(zeros) < length
        gone = np.flatnonzero(zeros == least_positive(zeros)) if dropped else []
        for i in gone:
            signs[i] = -signs[i]
        if dropped and lasso:
            length = least_positive(zeros)
        rounds, before, last, weights = rounds + 1, alpha, weights, np.zeros(n)
        weights[found] = last[found] + length * steps
        left = list(rest - length * direction)
        if dropped and lasso:
            if len(gone) > 1:
                return np.full(n, np.nan)
            vector = order.pop(gone[0])
            del signs[gone[0]]
            active -= 1
            order.insert(active, vector)
            left.insert(0, products[vector] - gram[vector] @ weights)


def least_angle(op: Op, x: np.ndarray) -> np.ndarray:
    return np.array([grown(op, row) if np.isfinite(row).all() else row * np.nan for row in x]).reshape(x.shape)


def barycentre(op: Op, x: np.ndarray, places: np.ndarray) -> np.ndarray:
    rows, part = decode(op["rows"]), decode(op["part"])[0]
    out = np.full(places.shape, np.nan)
    for i, (row, of) in enumerate(zip(x, places)):
        if not np.isfinite(row).all() or not ((of >= 0.0) & (of < len(rows))).all():
            continue
        between = rows[of.astype(np.int64)] - row
        products = between @ between.T
        trace = np.trace(products)
        products[np.diag_indices(len(of))] += part * trace if trace > 0.0 else part
        weights = np.linalg.solve(products, np.ones(len(of)))
        out[i] = weights / weights.sum()
    return out


OPERATORS: Dict[str, Callable[..., np.ndarray]] = {
    "topics": topics,
    "factors": factors,
    "pursuit": pursuit,
    "descent": descent,
    "least_angle": least_angle,
    "barycentre": barycentre,
}
