"""Exports networks by both of PyTorch's exporters, and asks ONNX Runtime and PyTorch for rows.

    python make_pytorch.py train WORK OUT [--only PART]

The answers of a golden are ONNX Runtime's, on one thread, each row by itself. PyTorch's own are checked here against
them, for rows that it takes. test/golden/README.md has the rules."""

from __future__ import annotations

import argparse
import logging
import os
import sys
import traceback
import warnings
from typing import Any, Callable, Dict, List, Optional, Tuple

import numpy as np
import onnx
import onnxruntime
import torch

from golden_cells import Output, Value, encode_row, write_golden
from golden_onnx_covers import find_covers
from golden_pytorch_cases import CASES, Network
import golden_pytorch_images  # noqa: F401  its cases stand behind the others

VERSION = "".join(torch.__version__.split(".")[:2])
WHOLE = torch.__version__.split("+")[0]


# Exporters --------------------------------------------------------------------------------------


def sample_of(network: Network) -> Tuple[torch.Tensor, ...]:
    """Some rows: an exporter may take a size of 1 for a constant."""
    return tuple(
        torch.ones((3,) + (network.shape or (width,)), dtype=getattr(torch, dtype)) for _, dtype, width in network.inputs
    )


def names_of(network: Network) -> Dict[str, Any]:
    return {"input_names": [name for name, _, _ in network.inputs], "output_names": list(network.outputs)}


def by_tracing(network: Network, opset: int, path: str) -> None:
    axes = {name: {0: "rows"} for name, _, _ in network.inputs}
    torch.onnx.export(
        network.module, sample_of(network), path, dynamo=False, opset_version=opset, dynamic_axes=axes, **names_of(network)
    )


def by_torch_export(network: Network, opset: int, path: str) -> None:
    rows = torch.export.Dim("rows")
    torch.onnx.export(
        network.module, sample_of(network), path, dynamo=True, opset_version=opset, external_data=False, verbose=False,
        dynamic_shapes=tuple({0: rows} for _ in network.inputs), **names_of(network)
    )  # fmt: skip


def without_traces(path: str) -> None:
    """Takes out where in Python each node was made: lines of these files, and folders of the machine."""
    model = onnx.load(path)
    for holder in [model, model.graph, *model.graph.node, *model.graph.value_info, *model.graph.input, *model.graph.output]:
        kept = [item for item in holder.metadata_props if not item.key.endswith("stack_trace")]
        del holder.metadata_props[:]
        holder.metadata_props.extend(kept)
    onnx.save(model, path)


#: In turn: the versions that an exporter writes by itself, and others.
EXPORTERS: Dict[str, Tuple[Callable[[Network, int, str], None], List[int]]] = {
    "torchscript": (by_tracing, [17, 11, 13, 15]),
    "dynamo": (by_torch_export, [18, 18, 20, 22]),
}


# Answers ----------------------------------------------------------------------------------------


def has_null(network: Network, row: List[Value]) -> bool:
    """True of a row that ONNX does not have: integers have no missing value, and hbscore gives none to products of float64."""
    types = [dtype for _, dtype, width in network.inputs for _ in range(width)]
    return any(v is None and dtype != "float32" for v, dtype in zip(row, types))


def tensors(network: Network, row: List[Value]) -> Dict[str, np.ndarray]:
    found, at = {}, 0
    with np.errstate(all="ignore"):
        for name, dtype, width in network.inputs:
            cells = [np.nan if v is None else v for v in row[at : at + width]]
            found[name] = np.array([cells]).astype(dtype).reshape((1,) + (network.shape or (width,)))
            at += width
    return found


class Runtime:
    def __init__(self, network: Network, path: str) -> None:
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 4
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        self.network = network
        self.session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])

    def ask(self, row: List[Value]) -> Optional[List[np.ndarray]]:
        """None where it has no answer: a code that no vector is there for."""
        if has_null(self.network, row):
            return None
        try:
            return [np.asarray(o) for o in self.session.run(None, tensors(self.network, row))]
        except onnxruntime.capi.onnxruntime_pybind11_state.InvalidArgument:
            return None


def collect(network: Network, found: List[Optional[List[np.ndarray]]]) -> Dict[str, np.ndarray]:
    """The outputs in hbscore's shapes; zeros where there is no answer."""
    first = next(f for f in found if f is not None)
    rows = [f if f is not None else [np.zeros_like(o) for o in first] for f in found]
    if network.outputs[0] == "label":
        return {
            "probabilities": np.concatenate([r[1] for r in rows]),
            "label": np.concatenate([r[0] for r in rows]).astype(np.int64),
        }
    values = np.stack([r[0].ravel() for r in rows])
    return {"value" if values.shape[1] == 1 else "values": values}


def is_steady(answers: Dict[str, np.ndarray]) -> np.ndarray:
    """Rows whose label does not turn on the last bits of a sum, and whose numbers are not huge: there the bound says
    nothing."""
    numbers = next(iter(answers.values())).astype(np.float64)
    with np.errstate(all="ignore"):
        keep = ~(np.isfinite(numbers) & (np.abs(numbers) > 1e6)).any(axis=1)
        if "label" in answers:
            best = np.sort(numbers, axis=1)
            keep &= ~(best[:, -1] - best[:, -2] < 1e-4)
    return keep


def rule_of(kind: str, values: np.ndarray) -> str:
    if kind == "label":
        return "exact"
    largest = float(np.nanmax(np.where(np.isfinite(values), np.abs(values), 0)))
    return "abs:%.1g" % ((1e-10 if values.dtype == np.float64 else 1e-5) * max(1.0, largest))


def check_torch(network: Network, rows: List[List[Value]], answers: Dict[str, np.ndarray], fate: List[Any]) -> int:
    """How many rows PyTorch was asked for: those with numbers and codes that it takes."""
    some = [i for i, row in enumerate(rows) if not fate[i] and all(v is not None and 0 <= abs(v) < 1e6 for v in row)]
    if any(dtype == "int64" for _, dtype, _ in network.inputs):  # a negative code counts from the end in ONNX alone
        some = [i for i in some if all(v >= 0 for v in rows[i] if isinstance(v, int))]
    data = [tensors(network, rows[i]) for i in some]
    inputs = [torch.tensor(np.concatenate([d[name] for d in data])) for name, _, _ in network.inputs]
    with torch.no_grad():
        wanted = network.module(*inputs)
    wanted = wanted if isinstance(wanted, tuple) else (wanted,)
    got = [answers["label"], answers["probabilities"]] if "label" in answers else [next(iter(answers.values()))]
    for ours, theirs in zip(got, wanted):
        close = np.allclose(ours[some].reshape(theirs.shape), theirs.numpy(), rtol=1e-4, atol=2e-5)
        assert close, "numbers differ from PyTorch"
    return len(some)


# Files ------------------------------------------------------------------------------------------


def columns_of(network: Network) -> List[str]:
    if len(network.inputs) == 1:
        return ["f%d" % j for j in range(network.inputs[0][2])]
    return [
        name if width == 1 else "%s[%d]" % (name, j) for name, _, width in network.inputs for j in range(width)
    ]  # as hbscore names them


def make(name: str, network: Network, out: str) -> Tuple[int, int]:
    """The golden of an exported file: its rows, and those that PyTorch was asked for."""
    path = os.path.join(out, name + ".onnx")
    runtime = Runtime(network, path)
    found = [runtime.ask(row) for row in network.rows]
    answers = collect(network, found)
    model = onnx.load(path)
    keep = is_steady(answers)
    if any(node.op_type == "LayerNormalization" for node in model.graph.node):  # of which the variance is infinite there
        keep &= np.array([all(v is None or not 1e18 < abs(v) < np.inf for v in row) for row in network.rows])
    if any(node.op_type == "MaxPool" for node in model.graph.node):  # of NaN its number depends on the place
        keep &= np.array([all(v is not None and abs(v) < np.inf for v in row) for row in network.rows])
    rows = [row for row, k in zip(network.rows, keep) if k]
    fate = [None if f is not None else "null" for f, k in zip(found, keep) if k]
    answers = {k: v[keep] for k, v in answers.items()}
    checked = check_torch(network, rows, answers, fate)
    results: List[Output] = [(k, v.shape[1] if v.ndim > 1 else 1, rule_of(k, v), v) for k, v in answers.items()]
    spec = {
        "trained": WHOLE,
        "model": name + ".onnx",
        "options": {},
        "columns": [{"name": c, "kind": "real"} for c in columns_of(network)],
        "rows": [encode_row(row) for row in rows],
    }
    covers = ["version=" + VERSION, "exporter=" + name.split("_")[-2]] + find_covers(model, rows, answers)
    covers += ["type=" + dtype for _, dtype, _ in network.inputs]
    text = write_golden("onnxruntime", onnxruntime.__version__, spec, sorted(set(covers)), results, fate)
    with open(os.path.join(out, name + ".golden"), "w", encoding="utf-8", newline="\n") as golden:
        golden.write(text)
    return len(rows), checked


def make_case(at: int, train: Callable[[], Network], out: str) -> None:
    network = train()
    for exporter, (export, opsets) in EXPORTERS.items():
        name = "%s_%s_%s" % (train.__name__, exporter, VERSION)
        export(network, opsets[at % len(opsets)], os.path.join(out, name + ".onnx"))
        without_traces(os.path.join(out, name + ".onnx"))
        print("%s: %d rows, %d of them by PyTorch too" % ((name,) + make(name, network, out)), flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("step", choices=["train", "predict"])
    parser.add_argument("work")
    parser.add_argument("out")
    parser.add_argument("--only", default="", help="part of a case's name")
    args = parser.parse_args()
    if args.step == "predict":  # training answers too
        return 0
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)  # the newer exporter's, of packages that nothing here needs
    torch.set_num_threads(1)
    os.makedirs(args.out, exist_ok=True)
    failed = 0
    for at, train in enumerate(CASES):
        if args.only not in train.__name__:
            continue
        try:
            make_case(at, train, args.out)
        except Exception as e:  # reported, not hidden
            print("NOT TRAINED %s: %s: %s" % (train.__name__, type(e).__name__, str(e)[:300]), flush=True)
            traceback.print_exc()
            failed = 1
    return failed


if __name__ == "__main__":
    sys.exit(main())
