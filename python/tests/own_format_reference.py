"""A second, plain evaluator of hbscore's own format, for tests only: numpy, one obvious step an
operator, nothing shared with the exporter or with the C reader.

    answers = evaluate(document, rows)     rows: float64 [n, features], NaN is missing; where
                                           features are texts, objects: str, None, numbers

It also says which rows have no answer: those where scikit-learn would refuse the value that an
operator gets. That is infinity before any operator that computes, and NaN before one that cannot
take it, in a column that is made of features on which an output depends; and a category that an encoder does not know, which
hbscore makes an error (option on_unseen). The transform is an output by itself, with rows of its own
that have none."""

from __future__ import annotations

import json
from typing import Any, Callable, Dict, List, Set, Tuple

import numpy as np

import own_format_arithmetic as arithmetic
import own_format_boosters as boosters
import own_format_columns as columns
import own_format_forests as forests
import own_format_models as models
import own_format_texts as texts

ROOT = ["hbscore", "writer", "task", "features", "classes", "outputs", "transform", "ops"]
FIELDS = {
    "select": "cols",
    "cast": "to",
    "concat": "",
    "affine": "kind dtype a b",
    "clip": "lo hi",
    "check": "missing",
    "guard": "missing",
    "impute": "missing fill",
    "linear": "dtype coef intercept",
    "link": "kind",
    "head": "rule",
    "argmax": "",
    "proportions": "",
    **arithmetic.FIELDS,
    **boosters.FIELDS,
    **forests.FIELDS,
    **columns.FIELDS,
    **models.FIELDS,
    **texts.FIELDS,
}


decode = columns.decode


def check_order(found: Any, known: List[str], optional: Set[str]) -> None:
    """Members are the known ones in their order; only the optional ones may be absent."""
    assert list(found) == [k for k in known if k in found], list(found)
    assert set(known) - set(found) <= optional, list(found)


# Operators ------------------------------------------------------------------------------------


def select(op: Dict[str, Any], x: np.ndarray) -> np.ndarray:
    return x[:, op["cols"]]


def cast(op: Dict[str, Any], x: np.ndarray) -> np.ndarray:
    if op["to"] == "u1":
        return forests.codes(x)
    assert op["to"] == "f4"
    return x.astype(np.float32).astype(np.float64)


def concat(op: Dict[str, Any], *parts: np.ndarray) -> np.ndarray:
    return np.hstack(parts)


def affine(op: Dict[str, Any], x: np.ndarray) -> np.ndarray:
    steps: Dict[str, List[Any]] = {
        "sub_div": [(np.subtract, "a"), (np.divide, "b")],
        "sub": [(np.subtract, "a")],
        "div": [(np.divide, "b")],
        "mul_add": [(np.multiply, "a"), (np.add, "b")],
    }
    used = [name for _, name in steps[op["kind"]]]
    assert [n for n in ("a", "b") if n in op] == used
    for step, name in steps[op["kind"]]:
        x = step(x, decode(op[name]))
        if op["dtype"] == "f4":
            x = x.astype(np.float32).astype(np.float64)
    return x


def clip(op: Dict[str, Any], x: np.ndarray) -> np.ndarray:
    return np.clip(x, decode(op["lo"])[0], decode(op["hi"])[0])


def impute(op: Dict[str, Any], x: np.ndarray) -> np.ndarray:
    return np.where(columns.is_missing(op, x), decode(op["fill"]), x)


def linear(op: Dict[str, Any], x: np.ndarray) -> np.ndarray:
    if "dtype" in op:
        return texts.sums(op, x)
    return x @ decode(op["coef"]).T + decode(op["intercept"])


def expit(x: np.ndarray) -> np.ndarray:
    return 1.0 / (1.0 + np.exp(-x))


def softmax(x: np.ndarray) -> np.ndarray:
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def normalized(p: np.ndarray) -> np.ndarray:
    """Where all are zero, all are equal."""
    total = p.sum(axis=1, keepdims=True)
    return np.where(total == 0.0, 1.0 / p.shape[1], p / np.where(total == 0.0, 1.0, total))


def modified_huber(x: np.ndarray) -> np.ndarray:
    p = (np.clip(x, -1.0, 1.0) + 1.0) / 2.0
    return p if x.shape[1] == 1 else normalized(p)


def logsumexp(x: np.ndarray) -> np.ndarray:
    top = x.max(axis=1, keepdims=True)
    return np.exp(x - (np.log(np.exp(x - top).sum(axis=1, keepdims=True)) + top))


LINKS: Dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "sigmoid": expit,
    "sigmoid2": lambda x: expit(2.0 * x),
    "softmax": softmax,
    "softmax_pm": lambda x: softmax(np.hstack([-x, x])),
    "ovr": lambda x: normalized(expit(x)),
    "exp": np.exp,
    "logsumexp": logsumexp,
    "modified_huber": modified_huber,
    "difference": lambda x: x[:, 1:] - x[:, :1],
    **models.LINKS,
}


def pair(p: np.ndarray, count: int = 2) -> np.ndarray:
    """One probability is that of the second of two classes."""
    return np.hstack([1.0 - p, p]) if p.shape[1] == 1 and count == 2 else p


OPERATORS: Dict[str, Callable[..., np.ndarray]] = {
    "select": select,
    "cast": cast,
    "concat": concat,
    "affine": affine,
    "clip": clip,
    "check": lambda op, x: x,
    "guard": lambda op, x: x,
    "impute": impute,
    "linear": linear,
    "gaussian_nb": lambda op, x: models.gaussian_nb(decode, op, x),
    **arithmetic.OPERATORS,
    **boosters.OPERATORS,
    "interpolate": lambda op, x: models.interpolate(decode, op, x),
    **forests.OPERATORS,
    "link": lambda op, x: LINKS[op["kind"]](x),
    "argmax": lambda op, x: x.argmax(axis=1)[:, np.newaxis].astype(np.float64),
    "proportions": lambda op, x: normalized(x),
    **columns.OPERATORS,
    **texts.OPERATORS,
}


def label(rule: str, raw: np.ndarray, proba: np.ndarray) -> np.ndarray:
    if rule == "argmax_proba":
        return proba.argmax(axis=1)
    if rule in ("argmax", "label"):
        return raw.argmax(axis=1)
    if rule == "half":
        return (proba[:, 1] > 0.5).astype(np.int64)
    return ((raw[:, 0] > 0) if rule == "gt0" else (raw[:, 0] >= 0)).astype(np.int64)


# Which inputs count -----------------------------------------------------------------------------


EVERY = ("booster", "head", "link", "text_counts", "text_hashes", "json_features", "json_hashes", "tf_idf", "argmax", "proportions", "linear", "gaussian_nb", "neighbours", "impute_nearest", "weighted_median")  # weights of 0 count too


def own_needs(op: Dict[str, Any], width: int, needed: Set[int]) -> Set[int]:
    """The columns of the one input on which the needed columns of an operator's value depend."""
    if not needed:
        return set()
    if op["op"] == "select":
        return {op["cols"][j] for j in needed}
    if op["op"] == "forest":
        return set(forests.tested(op))
    if op["op"] in columns.OPERATORS:
        return columns.needs(op, width, needed)
    return set(range(width)) if op["op"] in EVERY else set(needed)


def inputs_of(op: Dict[str, Any], widths: List[int], needed: Set[int]) -> List[Tuple[int, Set[int]]]:
    """For each input, a value, the columns on which the needed columns of an operator's value depend."""
    if op["op"] == "forest":  # a second input is what the sums start from
        return [(op["in"][0], own_needs(op, 0, needed))] + [(i, needed) for i in op["in"][1:]]
    if op["op"] in arithmetic.OPERATORS:
        return arithmetic.inputs_of(op, widths, needed)
    if op["op"] != "concat":
        return [(i, own_needs(op, widths[i], needed)) for i in op["in"]]
    found, at = [], 0
    for i in op["in"]:
        found.append((i, {j - at for j in needed if at <= j < at + widths[i]}))
        at += widths[i]
    return found


def needs(document: Dict[str, Any], widths: List[int], output: int) -> List[Set[int]]:
    """For each value the columns on which the output, a value, depends."""
    ops = document["ops"]
    needed: List[Set[int]] = [set() for _ in widths]
    needed[output] = set(range(widths[output])) or {0}
    for k in range(output, 0, -1):
        for i, found in inputs_of(ops[k - 1], widths, needed[k]):
            needed[i] |= found
    return needed


def made_of(document: Dict[str, Any], widths: List[int], features: Set[int]) -> List[np.ndarray]:
    """For each value which columns are made of one of these features."""
    live = [mask(widths[0], features)]
    for op, width in zip(document["ops"], widths[1:]):
        same = op["op"] in EVERY or op["op"] == "forest"  # in all columns
        one = [inputs_of(op, widths, {c}) for c in range(min(width, 1) if same else width)]
        found = [any(live[i][sorted(needed)].any() for i, needed in inputs) for inputs in one]
        live.append(np.resize(np.array(found, dtype=bool), width) if width else np.zeros(0, dtype=bool))
    return live


def refused(op: Dict[str, Any], x: np.ndarray) -> np.ndarray:
    """Rows that hold what scikit-learn's check of its input refuses."""
    if op["op"] in columns.OPERATORS:
        return columns.refused(op, x)
    if op["op"] in ("text_counts", "text_hashes"):
        return texts.refused(x)
    if op["op"] in ("json_features", "json_hashes"):
        return texts.refused(x) | ~np.isfinite(texts.OPERATORS[op["op"]](op, x)).all(axis=1)
    if op["op"] == "forest" and op["input"] == "f4":
        x = x.astype(np.float32)
    if op["op"] not in ("affine", "check", "guard", "impute", "linear", "forest", "gaussian_nb", "neighbours", "impute_nearest"):
        return np.zeros(len(x), dtype=bool)
    nan_passes = op["op"] in ("affine", "impute_nearest")
    nan_passes |= op["op"] == "impute" and op["missing"] == "nan"
    nan_passes |= op["op"] in ("forest", "check", "guard") and op["missing"] == 1
    nan_passes |= op["op"] == "neighbours" and op["metric"] == "nan_euclidean"
    if op["op"] == "forest" and op["missing"] == 2:
        return np.zeros(len(x), dtype=bool)
    return columns.infinite(x).any(axis=1) | (not nan_passes) & (x != x).any(axis=1)


class Answers:
    def __init__(self, values: List[np.ndarray], document: Dict[str, Any]) -> None:
        self.values = values  # by number; that of a head is empty
        self.document = document
        widths = [v.shape[1] for v in values]
        self.needed = needs(document, widths, len(values) - 1)
        self.null, self.error = self.refusals(self.needed, len(values) - 1)
        last = document["ops"][-1]
        self.raw = self.probabilities = self.label = None
        if last["op"] == "head" and last["rule"] == "outputs":
            self.of_outputs([values[i] for i in last["in"]])
        elif last["op"] == "head" and last["rule"].startswith("flags"):
            self.of_flags(last, [values[i] for i in last["in"]])
        elif last["op"] == "head":
            self.of_head(last, [values[i] for i in last["in"]])
            self.classes = decode(document["classes"])
            self.predict = self.classes[self.label]
        else:
            self.predict = values[-1]
        self.transform = None
        if "transform" in document:
            self.transform = values[document["transform"]]
            self.transform_needed = needs(document, widths, document["transform"])
            self.transform_null, self.transform_error = self.refusals(
                self.transform_needed, document["transform"]
            )

    def of_outputs(self, inputs: List[np.ndarray]) -> None:
        """The probabilities of all labels, where there are any, and the places of the labels. Texts stay places."""
        labels = [decode(array) for array in self.document["outputs"]]
        self.probabilities = inputs[0] if len(inputs) > 1 else None
        self.predict = places = inputs[-1]
        if not any(found.dtype == object for found in labels):
            numbers = [found[p.astype(np.int64)] for found, p in zip(labels, places.T)]
            self.predict = np.stack(numbers, axis=1).astype(np.float64)

    def of_flags(self, op: Dict[str, Any], inputs: List[np.ndarray]) -> None:
        by_proba = op["rule"] == "flags_proba"
        only_raw = len(op["in"]) == 3 and op["in"][0] == op["in"][1] and not by_proba
        if by_proba or (len(inputs) > 1 and not only_raw):
            self.probabilities = inputs[min(1, len(inputs) - 1)]
        self.raw = inputs[0]
        read = inputs[-1] if by_proba or len(inputs) == 3 else inputs[0]
        self.predict = (read > (0.5 if by_proba else 0.0)).astype(np.float64)

    def of_head(self, op: Dict[str, Any], inputs: List[np.ndarray]) -> None:
        """A third input is what the rule reads; the first two may then be one value."""
        self.raw = inputs[0]
        count = self.document["classes"]["shape"][0]
        by_proba = op["rule"] in ("half", "argmax_proba")
        only_raw = len(op["in"]) == 3 and op["in"][0] == op["in"][1] and not by_proba
        if by_proba or (len(op["in"]) > 1 and not only_raw):
            self.probabilities = pair(inputs[min(1, len(inputs) - 1)], count)
        decides = inputs[2] if len(inputs) == 3 else None
        raw, proba = (self.raw, self.probabilities) if decides is None else (decides, pair(decides, count))
        self.label = label(op["rule"], raw, proba)

    def refusals(self, needed: List[Set[int]], output: int) -> Tuple[np.ndarray, np.ndarray]:
        """Rows that an operator on the way to the output refuses: NULL, and errors."""
        null = np.zeros(len(self.values[0]), dtype=bool)
        read = columns.read_by(self.document["ops"], output)
        live = made_of(self.document, [v.shape[1] for v in self.values], needed[0])
        for k, op in enumerate(self.document["ops"], 1):
            i = op["in"][0]
            x, looks_at = self.values[i], live[i]
            if not read[k] or op["op"] == "concat":
                continue
            if op["op"] == "forest":
                looks_at = looks_at & mask(x.shape[1], set(forests.tested(op)))
            elif op["op"] == "guard":
                looks_at = mask(x.shape[1], needed[i])
            null |= refused(op, np.where(looks_at, x, 0.0))
        return columns.with_errors(self, read, live, null)


def parse(document: bytes) -> Dict[str, Any]:
    parsed = json.loads(document.decode("ascii"))
    assert json.dumps(parsed, separators=(",", ":")).encode() == document
    check_order(parsed, ROOT, {"classes", "outputs", "transform"})
    classifies, rule = parsed["task"] == "classifier", parsed["ops"][-1].get("rule", "")
    assert parsed["hbscore"] == 1 and ("outputs" in parsed) == (rule == "outputs")
    assert ("classes" in parsed) == (classifies and rule not in ("outputs", "flags", "flags_proba"))
    assert "transform" in parsed or parsed["task"] != "transformer"
    for feature in parsed["features"]:
        check_order(feature, ["name", "type"], {"name"})
    for k, op in enumerate(parsed["ops"], 1):
        fields = forests.COLUMN_FIELDS if "start" in op else FIELDS[op["op"]]
        optional = {"a", "b", "step"} | forests.OPTIONAL | arithmetic.OPTIONAL | texts.OPTIONAL
        optional = optional | ({"dtype"} if op["op"] in texts.TYPED else set())
        check_order(op, ["op", "step", "in"] + fields.split(), optional)
        assert 1 <= len(op.get("step", "-").encode()) <= 255 and "\0" not in op.get("step", "")
        assert all(0 <= i < k for i in op["in"])
    return parsed


def evaluate(document: bytes, rows: np.ndarray) -> Answers:
    parsed = parse(document)
    assert rows.shape[1] == len(parsed["features"])
    values = [columns.table(parsed, rows)]
    with np.errstate(all="ignore"):
        for op in parsed["ops"]:
            inputs = [values[i] for i in op["in"]]
            head = op["op"] == "head"
            made = np.empty((len(rows), 0)) if head else OPERATORS[op["op"]](op, *inputs)
            values.append(columns.as_numbers(made))
        return Answers(values, parsed)


def mask(width: int, columns: Set[int]) -> np.ndarray:
    out = np.zeros(width, dtype=bool)
    out[sorted(columns)] = True
    return out
