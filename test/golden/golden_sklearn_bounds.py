"""How far apart right answers may be: sums of products are added in an order of their own by every
library and machine, so each is right within LINEAR of the magnitudes that are added.

The plain evaluator of python/tests says what these are, operator by operator: an error in the input
of a sum is multiplied by its weights and added to the sum's own."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Tuple

import numpy as np

import golden_sklearn_spread as spread
from own_format_reference import LINKS, Answers, decode, label, pair

#: Sums of products: relative to the largest sum of magnitudes of the file's rows.
LINEAR = 1e-12
NARROW = 1e-6  # where the library adds in float32
LINK = 1e-15

#: A sum of exponentials whose logarithm is rounded at the size of the raw scores.
LOGSUMEXP = 1e-14

#: Rows of a probability that may be off by more are not asked for, unless it is their raw score that is
#: as far off.
CORNER = 1e-9

#: From here on a bound for all rows says little of most.
LARGE = 1e6
CANCELS = 1e3

SUMS = ("linear", "gaussian_nb")


def of_linear(op: Dict[str, Any], x: np.ndarray, size: np.ndarray) -> np.ndarray:
    weights, intercept = np.abs(decode(op["coef"])), decode(op["intercept"])
    own = np.abs(x) @ weights.T + np.where(np.isinf(intercept), 0.0, np.abs(intercept))
    return size @ weights.T + own


def of_gaussian_nb(op: Dict[str, Any], x: np.ndarray, size: np.ndarray) -> np.ndarray:
    apart = np.abs(x[:, np.newaxis] - decode(op["mean"]))
    slope = apart / decode(op["variance"])
    constant = decode(op["constant"])
    own = 0.5 * (apart * slope).sum(axis=2) + np.where(np.isinf(constant), 0.0, np.abs(constant))
    return own + (slope * size[:, np.newaxis]).sum(axis=2)


def of_affine(op: Dict[str, Any], size: np.ndarray) -> np.ndarray:
    if op["kind"] == "mul_add":
        return size * np.abs(decode(op["a"]))
    return size / np.abs(decode(op["b"])) if "b" in op else size


def of_interpolate(op: Dict[str, Any], size: np.ndarray) -> np.ndarray:
    """Times the steepest line of each column."""
    ends = decode(op["ends"])[:-1]
    points = zip(np.split(decode(op["x"]), ends), np.split(decode(op["y"]), ends))
    steep = [np.abs(np.diff(y) / np.diff(x)).max() if len(x) > 1 else 0.0 for x, y in points]
    return size * np.array(steep)


def size_of(
    op: Dict[str, Any], value: np.ndarray, inputs: List[np.ndarray], sizes: List[np.ndarray]
) -> np.ndarray:
    """[rows, columns] of an operator's value. Links have no slope above 1 but the last one's, which is
    that of the rules; a tree's leaf is as exact as the path to it is right."""
    if op["op"] == "linear":
        return of_linear(op, inputs[0], sizes[0])
    if op["op"] == "gaussian_nb":
        return of_gaussian_nb(op, inputs[0], sizes[0])
    if op["op"] == "affine":
        return of_affine(op, sizes[0])
    if op["op"] == "select":
        return sizes[0][:, op["cols"]]
    if op["op"] == "forest" and len(sizes) > 1:  # what the sums start from
        return sizes[1] / decode(op["divide"])
    if op["op"] == "weighted_median":
        return sizes[0].max(axis=1, keepdims=True)
    if op["op"] == "interpolate":
        return of_interpolate(op, sizes[0])
    if op["op"] == "concat":
        return np.hstack(sizes)
    same = op["op"] in ("cast", "check", "clip", "guard", "impute", "link", "proportions") and sizes[0].shape == value.shape
    return sizes[0] if same else np.zeros(value.shape)


def scores(reference: Answers) -> int:
    """The number of the value that the last link, or no link, makes the answers of."""
    ops = reference.document["ops"]
    number = ops[-1]["in"][0] if ops[-1]["op"] == "head" else len(ops)
    return int(ops[number - 1]["in"][0]) if ops[number - 1]["op"] == "link" else number


def compared(reference: Answers, transform: bool) -> int:
    return int(reference.document["transform"]) if transform else scores(reference)


def last_link(reference: Answers) -> Optional[Dict[str, Any]]:
    found = [op for op in reference.document["ops"] if op["op"] == "link"]
    return found[-1] if found and found[-1]["in"] == [scores(reference)] else None


def answering(reference: Answers) -> Optional[Dict[str, Any]]:
    """The operator that makes the probabilities, or the number."""
    ops = reference.document["ops"]
    op = ops[ops[-1]["in"][-1] - 1] if ops[-1]["op"] == "head" else ops[-1]
    return op if op["op"] == "link" and op["kind"] != "difference" else None


def least(reference: Answers) -> float:
    """Of a sum, relative to the magnitudes that are added."""
    return spread.least_of(reference)


def keeps_order(reference: Answers) -> bool:
    """scikit-learn adds the numbers of sparse rows of float32 in their order, but before 1.4 those that are weighed by
    idf from the last one on."""
    document = reference.document
    version = [int(part) for part in document["writer"]["scikit-learn"].split(".")[:2]]
    return version >= [1, 4] or not any("idf" in op for op in document["ops"])


def adds(reference: Answers, op: Dict[str, Any]) -> bool:
    return op["op"] in SUMS and not ("dtype" in op and keeps_order(reference))


def magnitudes(reference: Answers, transform: bool) -> Optional[np.ndarray]:
    """[rows, outputs]: the sum of magnitudes behind each raw score, or each number of the transform; None
    where nothing is added."""
    if spread.applies(reference.document):
        return spread.sizes_of(reference, transform)
    ops = reference.document["ops"]
    needed = reference.transform_needed if transform else reference.needed
    if not any(adds(reference, op) and needed[k] for k, op in enumerate(ops, 1)):
        return None
    sizes = [np.zeros(reference.values[0].shape)]
    with np.errstate(all="ignore"):
        for op, value in zip(ops, reference.values[1:]):
            inputs = [reference.values[i] for i in op["in"]]
            sizes.append(size_of(op, value, inputs, [sizes[i] for i in op["in"]]))
    return sizes[compared(reference, transform)]


def after_scores(reference: Answers, raw: np.ndarray) -> Dict[str, np.ndarray]:
    """All outputs again from other raw scores."""
    out = {"raw": raw}
    link, head = last_link(reference), reference.document["ops"][-1]
    with np.errstate(all="ignore"):
        if link:
            out["probabilities"] = pair(LINKS[link["kind"]](raw))
        elif head.get("rule") in ("half", "argmax_proba"):
            out["probabilities"] = pair(raw)
        if head["op"] == "head":
            out["label"] = label(head["rule"], raw, out.get("probabilities"))[:, np.newaxis]
    return out


def moved(reference: Answers, size: np.ndarray) -> Tuple[np.ndarray, np.ndarray]:
    """What an error in the raw scores that is allowed does to each row: whether its label is another
    one, and by how much its probabilities are off."""
    raw = reference.values[scores(reference)]
    base = after_scores(reference, raw)
    shift = least(reference) * size
    turned, apart = np.zeros(len(raw), dtype=bool), np.zeros(len(raw))
    for j in range(raw.shape[1]):
        most = np.zeros(len(raw))
        for sign in (-1.0, 1.0):
            other = raw.copy()
            other[:, j] += sign * shift[:, j]
            after = after_scores(reference, other)
            turned |= after["label"][:, 0] != base["label"][:, 0]
            if "probabilities" in base:
                off = np.abs(after["probabilities"] - base["probabilities"])
                most = np.maximum(most, off.max(axis=1))
        apart += most
    return turned, apart


def unsteady(reference: Answers, size: np.ndarray) -> np.ndarray:
    """Rows whose label or probabilities turn on an error in the raw scores that is allowed: between
    two classes, or near a corner of a link. Exact ties, sums of nothing but zeros, stay."""
    if spread.applies(reference.document):
        return spread.unsteady(reference)
    if reference.document["ops"][-1]["op"] != "head":
        return np.zeros(len(size), dtype=bool)
    turned, apart = moved(reference, size)
    far = apart > np.maximum(least(reference) * size.sum(axis=1), CORNER) + LINK
    return (turned | far) & (size.max(axis=1) > 0.0)


def of_sums(reference: Answers, sums: np.ndarray, size: np.ndarray, good: np.ndarray) -> str:
    """Relative where hardly anything cancels and rows are of very different sizes."""
    with np.errstate(all="ignore"):
        parts = size[good] / np.abs(sums[good])
    largest, part = float(size[good].max()), float(np.nan_to_num(parts, nan=np.inf).max())
    if largest > LARGE and part < CANCELS:
        return "rel:%.3g" % (least(reference) * part * 1.001)
    return "abs:%.3g" % (least(reference) * largest * 1.001)


def rules(
    reference: Answers,
    results: Dict[str, np.ndarray],
    size: Optional[np.ndarray],
    good: np.ndarray,
    transform: bool,
) -> Dict[str, str]:
    if spread.applies(reference.document):
        return spread.rules(reference, results, good, transform)
    link = None if transform else last_link(reference)
    kind = link["kind"] if link else ""
    out = {name: "exact" for name in results}
    linked = "probabilities" if "probabilities" in results else "value"
    if "raw" in results and any(op["op"] == "isolation" for op in reference.document["ops"]):
        out["raw"] = "abs:%g" % LINK  # a power, from which an offset is taken
    weighed = [op for op in reference.document["ops"] if op["op"] == "tf_idf"]
    if transform and any(op["sublinear"] or "dtype" not in op for op in weighed):
        # The order of its sums depends on the version.
        out["transform"] = "rel:%g" % (NARROW if least(reference) == NARROW else LOGSUMEXP)
    if size is None:
        last = None if transform else answering(reference)
        if last:
            out[linked] = "rel:%g" % (LOGSUMEXP if last["kind"] == "logsumexp" else LINK)
            if any(op["op"] in SUMS and "dtype" in op for op in reference.document["ops"]):  # its link is in float32
                out[linked] = "rel:%g" % NARROW
        return out
    sums = reference.values[compared(reference, transform)]
    out = {name: of_sums(reference, sums, size, good) for name in results}
    if kind == "exp":
        out["value"] = "rel:%.3g" % (least(reference) * float(size[good].max()) * 1.001 + LINK)
    elif link:
        apart = float(moved(reference, size)[1][good].max())
        out["probabilities"] = "abs:%.3g" % (apart * 1.001 + 10 * LINK)
    return out


def within(rule: str, got: np.ndarray, want: np.ndarray) -> bool:
    if rule == "exact":
        return same(got, want)
    kind, _, bound = rule.partition(":")
    size = np.abs(want) if kind == "rel" else 1.0
    missing = np.isnan(got) & np.isnan(want)
    return bool(((got == want) | missing | (np.abs(got - want) <= float(bound) * size)).all())


def same(got: np.ndarray, want: np.ndarray) -> bool:
    return bool(((got == want) | (np.isnan(got) & np.isnan(want))).all())
