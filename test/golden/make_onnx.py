"""Converts fitted models by skl2onnx and onnxmltools, and asks ONNX Runtime and their libraries for rows.

    python make_onnx.py train WORK OUT [--only PART]

The answers of a golden are ONNX Runtime's, on one thread. The library's own are checked here against them: labels are
equal and numbers near, for rows that the library takes. test/golden/README.md has the rules."""

from __future__ import annotations

import argparse
import os
import sys
import traceback
import warnings
import zlib
from typing import Any, Dict, List, Tuple

import numpy as np
import onnxruntime
import skl2onnx
from skl2onnx import to_onnx

from golden_cells import Output, Value, encode_row, write_golden
from golden_onnx_answers import make_graph
from golden_onnx_cases import CASES, Trained
from golden_onnx_covers import MODES, attributes, find_covers, modes_and_values, trees
from golden_onnx_estimators import CASES as ESTIMATORS
from golden_onnx_estimators import NAMES as ESTIMATOR_NAMES
from golden_onnx_texts import CASES as GRAPHS
import golden_onnx_images  # noqa: F401  its cases stand behind the others
from golden_tables import SPECIAL, edge_rows, to_float

VERSION = skl2onnx.__version__
FLOAT32 = np.float32

#: Asked of models that are sums of products: of others the sum overflows, and its last bits say nothing.
SMALL: List[Value] = [float("inf"), float("-inf"), -0.0, 0.0, 0, 5e-324, 1e-40, FLOAT32(1e-40), True, False]


def thresholds(graph: Any) -> Dict[int, List[float]]:
    """Of trees that read the input itself."""
    found: Dict[int, List[float]] = {}
    for node in trees(graph):
        a = attributes(node)
        if node.input[0] != graph.input[0].name:
            continue
        modes, values = modes_and_values(node)
        for mode, feature, value in zip(modes, a["nodes_featureids"], values):
            if mode in MODES[:4] and abs(value) < 1e30:
                found.setdefault(feature, []).append(float(FLOAT32(value)))
    return {f: sorted(set(v)) for f, v in found.items()}


def matrix_of(rows: List[List[Value]]) -> np.ndarray:
    with np.errstate(all="ignore"):
        x = [[np.nan if v is None else to_float(v) for v in row] for row in rows]
        return np.array(x, dtype=np.float64).astype(FLOAT32)


class Runtime:
    """ONNX Runtime's answers, in the shapes of hbscore's outputs."""

    def __init__(self, t: Trained, model: Any) -> None:
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 3  # it warns of shapes that skl2onnx declares
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        self.session = onnxruntime.InferenceSession(
            model.SerializeToString(), options, providers=["CPUExecutionProvider"]
        )
        self.table, self.graph = t.table, model.graph

    def ask(self, x: np.ndarray) -> List[Any]:
        names = [i.name for i in self.session.get_inputs()]
        if len(names) == 1:
            return self.session.run(None, {names[0]: x})
        return self.session.run(None, {n: x[:, j : j + 1] for j, n in enumerate(names)})

    def answers(self, x: np.ndarray) -> Dict[str, np.ndarray]:
        """Row by row, as large batches may add in another order."""
        out = [self.ask(x[i : i + 1]) for i in range(len(x))]
        if len(out[0]) == 1:
            values = np.concatenate([o[0] for o in out]).astype(FLOAT32)
            return {"value" if values.shape[1] == 1 else "values": values}
        classes = self.classes()
        label = np.array([classes.index(o[0][0]) for o in out], dtype=np.int64)
        numbers = np.array(
            [list(o[1][0].values()) if isinstance(o[1], list) else o[1][0] for o in out], dtype=FLOAT32
        )
        if self.are_probabilities():
            return {"probabilities": numbers, "label": label}
        return {"raw": numbers, "label": label}

    def model_node(self) -> Any:
        ends = ("LinearClassifier", "TreeEnsembleClassifier")
        return [n for n in self.graph.node if n.op_type in ends][-1]

    def classes(self) -> List[Any]:
        a = attributes(self.model_node())
        texts = a.get("classlabels_strings")
        if texts:
            return [s.decode() for s in texts]
        return list(a.get("classlabels_ints") or a["classlabels_int64s"])

    def are_probabilities(self) -> bool:
        node = self.model_node()
        a = attributes(node)
        post = a.get("post_transform", b"NONE")
        return post != b"NONE" or (node.op_type[0] == "T" and min(a["class_weights"]) >= 0)


# Rules ------------------------------------------------------------------------------------------


def is_linear(graph: Any) -> bool:
    return not trees(graph)


def rule_of(kind: str, graph: Any, values: np.ndarray) -> str:
    """Trees are defined bit by bit; a sum of products is in an order of ONNX Runtime's own, which depends on the CPU."""
    if kind == "label":
        return "exact"
    if any(n.op_type == "Conv" for n in graph.node):  # trees of such sums, whose leaves are the same
        return "abs:1e-05"
    if not is_linear(graph):
        return "exact"
    with np.errstate(all="ignore"):
        largest = np.nanmax(np.where(np.isfinite(values), np.abs(values), 0))
    return "abs:%.1g" % (1e-6 * max(1.0, float(largest)))


def unsteady(answers: Dict[str, np.ndarray], graph: Any) -> np.ndarray:
    """Rows of linear models whose label turns on the last bits of a sum."""
    numbers = answers.get("probabilities", answers.get("raw"))
    if numbers is None or not is_linear(graph):
        return np.zeros(len(next(iter(answers.values()))), dtype=bool)
    if numbers.shape[1] == 1:
        return np.abs(numbers[:, 0]) < 1e-5
    best = np.sort(numbers, axis=1)
    return best[:, -1] - best[:, -2] < 1e-5


def near_cuts(x: np.ndarray, cuts: Dict[int, List[float]]) -> np.ndarray:
    """Rows with a number beside a threshold. skl2onnx 1.20 rounds those of HistGradientBoosting to float32, so that
    scikit-learn takes the other branch for some."""
    near = np.zeros(len(x), dtype=bool)
    with np.errstate(all="ignore"):
        for j, values in cuts.items():
            for v in values:
                near |= np.abs(x[:, j] - FLOAT32(v)) <= 1e-6 * abs(v)
    return near


# scikit-learn -----------------------------------------------------------------------------------


def check_library(t: Trained, x: np.ndarray, answers: Dict[str, np.ndarray], runtime: Runtime, graph: Any) -> int:
    """How many rows scikit-learn was asked for. Sums of trees are in float64 there: numbers are near, and labels equal
    where two classes are not nearly the same."""
    good = np.isfinite(x) | (np.isnan(x) if t.missing else False)
    good = good.all(axis=1) & (np.abs(np.nan_to_num(x)) < 1e6).all(axis=1)
    for j, c in enumerate(t.table.columns):
        with np.errstate(all="ignore"):
            good &= np.isnan(x[:, j]) | ((x[:, j] >= 0) & (x[:, j] % 1 == 0)) if c.kind == "code" else True
    if t.model is None:
        return 0
    some = np.flatnonzero(good & ~near_cuts(x, thresholds(graph) if t.rounds_thresholds else {}))
    data = x[some]
    if t.table.named:
        import pandas as pd

        data = pd.DataFrame({c.name: x[some, j] for j, c in enumerate(t.table.columns)})
    if "label" not in answers:
        want = np.asarray(t.model.predict(data)).reshape(len(some), -1)
        got = answers.get("value", answers.get("values"))[some]
        assert np.allclose(got, want, rtol=1e-5, atol=1e-5 * np.abs(want).max()), "numbers differ from scikit-learn"
        return len(some)
    if "probabilities" in answers:
        got, want = answers["probabilities"][some], t.model.predict_proba(data)
    else:
        got = answers["raw"][some]
        want = np.asarray(t.model.decision_function(data)).reshape(got.shape)
    assert np.allclose(got, want, rtol=1e-4, atol=2e-5), "numbers differ from scikit-learn"
    best = np.sort(want, axis=1)
    steady = np.abs(best[:, -1]) > 1e-4 if want.shape[1] == 1 else best[:, -1] - best[:, -2] > 1e-4
    classes = [c.decode() if isinstance(c, bytes) else c for c in runtime.classes()]
    label = np.array(classes)[answers["label"][some]]
    assert (label == t.model.predict(data))[steady].all(), "labels differ from scikit-learn"
    return len(some)


# Files ------------------------------------------------------------------------------------------


def convert(t: Trained) -> Any:
    if t.graph is not None:
        return t.graph
    x = t.table.frame({c.name: "float32" for c in t.table.columns}) if t.table.named else t.table.matrix()
    sample = x[:1] if t.table.named else x[:1].astype(FLOAT32)
    options = {id(t.model): t.options} if t.options else None
    model = to_onnx(t.model, sample, options=options, target_opset=t.opset)
    del model.graph.value_info[:]
    return model


def make(train: Any, out: str) -> Tuple[str, int, int]:
    t = train()
    name = "%s_%s" % (train.__name__, "".join(VERSION.split(".")[:2]))
    model = convert(t)
    cuts = thresholds(model.graph)
    special = SPECIAL if trees(model.graph) and cuts else SMALL
    seed = zlib.crc32(name.encode()) & 0x7FFFFFFF
    rows = edge_rows(t.table, cuts, seed, count=60, special=special)
    if len(t.table.columns) > 40:
        rows = rows[:50]
    rows = rows[:: t.every]
    runtime = Runtime(t, model)
    answers = runtime.answers(matrix_of(rows))
    keep = ~unsteady(answers, model.graph)
    rows = [row for row, k in zip(rows, keep) if k]
    answers = {k: v[keep] for k, v in answers.items()}
    checked = check_library(t, matrix_of(rows), answers, runtime, model.graph)
    results: List[Output] = [(k, v.shape[1] if v.ndim > 1 else 1, rule_of(k, model.graph, v), v) for k, v in answers.items()]
    spec = {
        "trained": VERSION,
        "model": name + ".onnx",
        "options": {},
        "columns": [{"name": c.name, "kind": "real"} for c in t.table.columns],
        "rows": [encode_row(row) for row in rows],
    }
    with open(os.path.join(out, name + ".onnx"), "wb") as f:
        f.write(model.SerializeToString())
    covers = sorted(["version=1.20"] + find_covers(model, rows, answers))
    text = write_golden("onnxruntime", onnxruntime.__version__, spec, covers, results, [None] * len(rows))
    with open(os.path.join(out, name + ".golden"), "w", encoding="utf-8", newline="\n") as g:
        g.write(text)
    return name, len(rows), checked


def outcome_of(train: Any, out: str) -> str:
    """"equal", or why there is no golden: skl2onnx does not convert it, or ONNX Runtime does not take what it makes."""
    try:
        name, n, checked = make_graph(train, out)
    except AssertionError:  # it is another model than scikit-learn's: to be looked at
        raise
    except Exception as e:
        first = str(e).split("\n")[0]
        return "not converted: %s: %s" % (type(e).__name__, first[:160])
    print("%s: %d rows, %d of them by its library too" % (name, n, checked), flush=True)
    return "equal" if checked else "as ONNX Runtime, not as scikit-learn"


def write_estimators(out: str, only: str) -> None:
    """The sweep over scikit-learn's estimators, and what became of each: a line "case<TAB>type<TAB>outcome"."""
    lines = []
    for name, train in zip(ESTIMATOR_NAMES, ESTIMATORS):
        if only in train.__name__:
            kind = "float64" if train.__name__.endswith("_d") else "float32"
            lines.append("%s\t%s\t%s\n" % (name, kind, outcome_of(train, out)))
    if not only:
        with open(os.path.join(out, "ESTIMATORS"), "w", encoding="utf-8") as f:
            f.writelines(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("step", choices=["train", "predict"])
    parser.add_argument("work")
    parser.add_argument("out")
    parser.add_argument("--only", default="", help="part of a case's name")
    args = parser.parse_args()
    failed = 0
    if args.step == "predict":  # training answers too
        return 0
    warnings.simplefilter("ignore")
    for folder in (args.work, args.out):
        os.makedirs(folder, exist_ok=True)
    write_estimators(args.out, args.only)
    jobs = [(train, make) for train in CASES] + [(train, make_graph) for train in GRAPHS]
    for train, maker in jobs:
        if args.only not in train.__name__:
            continue
        try:
            name, n, checked = maker(train, args.out)
            print("%s: %d rows, %d of them by its library too" % (name, n, checked), flush=True)
        except Exception as e:  # reported, not hidden
            print("NOT TRAINED %s: %s: %s" % (train.__name__, type(e).__name__, str(e)[:300]), flush=True)
            traceback.print_exc()
            failed = 1
    return failed


if __name__ == "__main__":
    sys.exit(main())
