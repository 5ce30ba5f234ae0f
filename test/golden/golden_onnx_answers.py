"""Converts the models of golden_onnx_graphs.py by skl2onnx, and asks ONNX Runtime and scikit-learn for rows.

The answers of a golden are ONNX Runtime's, on one thread, within a bound: it adds in an order of its own. scikit-learn's
own are checked here against them, for rows that it takes. A row with NULL where ONNX has no missing value (texts,
integers) has no result; nor has one with a number that is not finite before a product of float64."""

from __future__ import annotations

import os
from typing import Any, Dict, Iterator, List, Optional, Tuple

import numpy as np
import onnx
import onnxruntime
import skl2onnx
from skl2onnx import to_onnx
from skl2onnx.common.data_types import (
    BooleanTensorType,
    DoubleTensorType,
    FloatTensorType,
    Int64TensorType,
    StringTensorType,
)

from golden_cells import Output, encode_row, write_golden
from golden_onnx_covers import attributes, find_covers
from golden_onnx_graphs import Graph

VERSION = skl2onnx.__version__
TYPES = {
    "float32": FloatTensorType,
    "float64": DoubleTensorType,
    "int64": Int64TensorType,
    "bool": BooleanTensorType,
    "text": StringTensorType,
}


def convert(g: Graph) -> Any:
    if g.names:
        types = [(name, TYPES[kind]([None, 1])) for name, kind in zip(g.names, g.kinds)]
    else:
        types = [("X", TYPES[g.kinds[0]]([None, len(g.kinds)]))]
    options = {id(g.model): g.options} if g.options else None
    try:
        model = to_onnx(g.model, initial_types=types, options=options, target_opset=g.opset)
    except NameError:  # the converter has no such option
        model = to_onnx(g.model, initial_types=types, target_opset=g.opset)
    del model.graph.value_info[:]
    set_locale(model)
    return model


def set_locale(model: Any) -> None:
    """skl2onnx writes none, and ONNX Runtime then wants en_US.UTF-8, which a machine may lack. Both change case alike."""
    for node in model.graph.node:
        if node.op_type == "StringNormalizer":
            node.attribute.append(onnx.helper.make_attribute("locale", "C.UTF-8"))


def cell(value: Any, kind: str) -> Any:
    if kind == "text":
        return value
    return np.nan if value is None else value


class Answers:
    """Row by row; None where ONNX has no answer."""

    def __init__(self, g: Graph, model: Any) -> None:
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 4
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        self.g = g
        self.session = onnxruntime.InferenceSession(
            model.SerializeToString(), options, providers=["CPUExecutionProvider"]
        )
        self.has_products64 = any(n.op_type in ("MatMul", "Gemm") for n in model.graph.node) and "float64" in g.kinds

    def feed(self, row: List[Any]) -> Dict[str, np.ndarray]:
        dtypes = {"text": object}
        with np.errstate(all="ignore"):
            cells = [np.array([[cell(v, k)]], dtype=dtypes.get(k, k)) for v, k in zip(row, self.g.kinds)]
        if self.g.names:
            return dict(zip(self.g.names, cells))
        return {"X": np.concatenate(cells, axis=1)}

    def is_refused(self, row: List[Any]) -> bool:
        for v, kind in zip(row, self.g.kinds):
            if v is None and kind in ("text", "int64", "bool"):
                return True
            if self.has_products64 and kind == "float64" and (v is None or not np.isfinite(v)):
                return True
        return False

    def row(self, row: List[Any]) -> Optional[List[np.ndarray]]:
        if self.is_refused(row):
            return None
        try:
            out = self.session.run(None, self.feed(row))
        except Exception:  # a category that the encoder refuses
            return None
        return [np.array([list(o[0].values())]) if isinstance(o, list) else np.asarray(o) for o in out]


def is_classifier(g: Graph) -> bool:
    last = g.model.steps[-1][1] if hasattr(g.model, "steps") else g.model
    return hasattr(last, "classes_")


def numbers_beside_label(outputs: List[np.ndarray], n_classes: int) -> np.ndarray:
    """The second output, or one of each class."""
    rest = [np.asarray(o) for o in outputs[1:]]
    return np.concatenate([o.ravel() for o in rest]) if len(rest) == n_classes > 1 else rest[0]


def collect(g: Graph, found: List[Optional[List[np.ndarray]]]) -> Dict[str, np.ndarray]:
    """The outputs in hbscore's shapes; zeros where there is no answer."""
    first = next(f for f in found if f is not None)
    rows = [f if f is not None else [np.zeros_like(o) for o in first] for f in found]
    if is_classifier(g):
        classes = list(g.model.classes_)
        label = np.array([classes.index(r[0].ravel()[0]) if f is not None else 0 for r, f in zip(rows, found)])
        numbers = np.concatenate([numbers_beside_label(r, len(classes)).reshape(1, -1) for r in rows])
        votes = getattr(g.model, "voting", "") == "hard" or type(g.model).__name__ == "OneVsOneClassifier"
        kind = "probabilities" if votes or hasattr(g.model, "predict_proba") else "raw"  # the name that skl2onnx gives votes
        return {kind: numbers, "label": label.astype(np.int64)}
    values = np.stack([np.concatenate([o.ravel().astype(np.float64) for o in r]) for r in rows])
    if values.shape[1] > 1 or len(first) > 1:
        return {"values": values}
    return {"value": values.astype(first[0].dtype)}


def steady(answers: Dict[str, np.ndarray]) -> np.ndarray:
    """Rows whose label does not turn on the last bits of a sum, and whose numbers are not huge: there the bound says
    nothing."""
    numbers = next(iter(answers.values())).astype(np.float64)
    with np.errstate(all="ignore"):
        keep = ~(np.isfinite(numbers) & (np.abs(numbers) > 1e6)).any(axis=1)
        if "label" in answers:
            best = np.sort(numbers, axis=1)
            gap = np.abs(best[:, 0]) if best.shape[1] == 1 else best[:, -1] - best[:, -2]
            keep &= ~(gap < 1e-4)
    return keep


def rule_of(kind: str, values: np.ndarray, g: Graph) -> str:
    if kind == "label":
        return "exact"
    largest = float(np.nanmax(np.where(np.isfinite(values), np.abs(values.astype(np.float64)), 0)))
    bound = 1e-10 if set(g.kinds) == {"float64"} and values.dtype == np.float64 and not g.in_float32 else 1e-5
    return "abs:%.1g" % (bound * max(1.0, largest))


def is_near(got: np.ndarray, want: np.ndarray) -> bool:
    want = np.asarray(want.todense() if hasattr(want, "todense") else want)
    want = want.reshape(len(got), -1) if len(want) == len(got) and len(got) else want
    if want.shape != got.reshape(len(got), -1).shape:
        return False
    return np.allclose(got.reshape(want.shape), want, rtol=1e-3, atol=1e-4 * max(1, np.abs(want).max()))


def library_answers(model: Any, data: Any) -> Iterator[np.ndarray]:
    """What a converter may give of an object: one of its answers, or a label and one behind it."""
    answers = []
    for name in ("predict", "predict_proba", "decision_function", "transform", "score_samples"):
        try:
            answers.append(np.asarray(getattr(model, name)(data), dtype=np.float64))
        except (AttributeError, ValueError, TypeError):
            continue
    yield from answers
    for one in answers:
        yield -one
        if one.ndim == 1:
            yield np.stack([-one, one], axis=1)
            yield np.stack([one, -one], axis=1)
    for more in answers[1:]:
        first = answers[0].reshape(len(more), -1)
        yield np.concatenate([first, more.reshape(len(more), -1)], axis=1)
        yield np.concatenate([first, -more.reshape(len(more), -1)], axis=1)


def check_library(g: Graph, rows: List[List[Any]], answers: Dict[str, np.ndarray], fate: List[Any]) -> int:
    import pandas as pd

    if g.differs:
        return 0
    some = [
        i for i, row in enumerate(rows)
        if not fate[i] and all(v is not None and (isinstance(v, str) or np.isfinite(v)) for v in row)
        and all(isinstance(v, str) or abs(v) < 1e6 for v in row)
    ]
    if g.names:
        data: Any = pd.DataFrame([rows[i] for i in some], columns=g.names)
        for name, kind in zip(g.names, g.kinds):
            data[name] = data[name].astype("object" if kind == "text" else kind)
        if g.kinds == ["text"]:
            data = data[g.names[0]]
    else:
        data = np.array([rows[i] for i in some], dtype=np.float64).astype(g.kinds[0])
    if "label" in answers:
        labels = np.asarray(g.model.classes_)[answers["label"][some]]
        assert (labels == g.model.predict(data)).all(), "labels differ"
    got = answers[[k for k in answers if k != "label"][0]][some]
    assert any(is_near(got, want) for want in library_answers(g.model, data)), "numbers differ from scikit-learn"
    return len(some)


def make_graph(train: Any, out: str) -> Tuple[str, int, int]:
    g = train()
    name = "graph_%s_%s" % (train.__name__, "".join(VERSION.split(".")[:2]))
    model = convert(g)
    g.in_float32 |= any(n.op_type.startswith(("SVM", "Linear", "Tree", "Normalizer")) for n in model.graph.node)
    asked = Answers(g, model)
    found = [asked.row(row) for row in g.rows]
    answers = collect(g, found)
    strict = any(n.op_type == "OneHotEncoder" for n in model.graph.node)  # others refuse NaN, of which ONNX says nothing
    keep = steady(answers) & np.array([f is not None for f in found])
    if any(attributes(n).get("norm") == b"L2" for n in model.graph.node):  # ONNX Runtime squares it in float32: infinite
        keep &= np.array([not any(isinstance(v, float) and 1e18 < abs(v) < np.inf for v in row) for row in g.rows])
    keep |= np.array([f is None and (strict or asked.is_refused(r)) for f, r in zip(found, g.rows)])
    rows = [r for r, k in zip(g.rows, keep) if k]
    answers = {k: v[keep] for k, v in answers.items()}
    fate = [
        None if f is not None else "null" if asked.is_refused(r) else "error"
        for f, r, k in zip(found, g.rows, keep) if k
    ]
    checked = check_library(g, rows, answers, fate)
    results: List[Output] = [
        (k, v.shape[1] if v.ndim > 1 else 1, rule_of(k, v, g), v) for k, v in answers.items()
    ]
    columns = g.names or ["f%d" % j for j in range(len(g.kinds))]
    spec = {
        "trained": VERSION,
        "model": name + ".onnx",
        "options": {},
        "columns": [{"name": c, "kind": "text" if k == "text" else "real"} for c, k in zip(columns, g.kinds)],
        "rows": [encode_row(row) for row in rows],
    }
    with open(os.path.join(out, name + ".onnx"), "wb") as f:
        f.write(model.SerializeToString())
    covers = ["version=1.20"] + find_covers(model, rows, answers) + ["type=" + k for k in sorted(set(g.kinds))]
    text = write_golden("onnxruntime", onnxruntime.__version__, spec, sorted(set(covers)), results, fate)
    with open(os.path.join(out, name + ".golden"), "w", encoding="utf-8", newline="\n") as golden:
        golden.write(text)
    return name, len(rows), checked
