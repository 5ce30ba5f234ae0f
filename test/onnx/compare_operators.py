#!/usr/bin/env python3
"""Random nodes beside ONNX Runtime: compare_operators.py EXTENSION [--count N] [--seed S] [--only OPERATOR].

Each operator gets N random shapes, types and attributes. Inputs are rows or constants, with NaN and infinite numbers
where both say the same of them. Types and shapes must be equal, integers exactly so, numbers within 2e-5. What one of
the two does not read is counted and is no failure."""

from __future__ import annotations

import argparse
import collections
import json
import random
import sqlite3
import sys
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

import numpy as np
import onnxruntime
from onnx import TensorProto, ValueInfoProto, helper, numpy_helper

NUMPY = {"f": np.float32, "d": np.float64, "l": np.int64, "i": np.int32, "b": np.bool_, "s": object, "h": np.int16, "u": np.uint32}
ONNX = {
    "f": TensorProto.FLOAT, "d": TensorProto.DOUBLE, "l": TensorProto.INT64, "i": TensorProto.INT32,
    "b": TensorProto.BOOL, "s": TensorProto.STRING, "h": TensorProto.INT16, "u": TensorProto.UINT32,
}  # fmt: skip
NAMES = {"float32": "f", "float64": "d", "int64": "l", "int32": "i", "bool": "b", "int16": "h", "uint32": "u"}
ML = "ai.onnx.ml"
TEXTS = np.array(["", "a", "b", "cc", "ä"], dtype=object)
ODD = [np.nan, np.inf, -np.inf, 0.0, -0.0, 0.5, -0.5, 2.5, 1e30, -1e30, 100.0]
Shape = Tuple[int, ...]


def tensor_of(name: str, kind: str, values: np.ndarray) -> Any:
    if kind == "s":
        return helper.make_tensor(name, ONNX["s"], values.shape, [text.encode() for text in values.ravel()])
    return numpy_helper.from_array(values, name)


class Case:
    """One graph, in the making."""

    def __init__(self, seed: int) -> None:
        self.random, self.numpy = random.Random(seed), np.random.RandomState(seed)
        self.inputs: List[Tuple[str, str, np.ndarray]] = []
        self.constants: List[Any] = []
        self.nodes: List[Any] = []
        self.opset, self.ml = self.random.choice([11, 13, 15, 18, 21]), 2

    def shape(self, least: int = 0, most: int = 3) -> Shape:
        return tuple(self.random.choice([1, 2, 3, 4]) for _ in range(self.random.randint(least, most)))

    def values(self, kind: str, shape: Sequence[int], odd: bool = False, low: int = -4, high: int = 5) -> np.ndarray:
        if kind == "b":
            return np.asarray(self.numpy.rand(*shape) > 0.5)
        if kind in "li":
            return np.asarray(self.numpy.randint(low, high, size=shape)).astype(NUMPY[kind])
        if kind == "s":
            return np.asarray(self.numpy.choice(TEXTS, size=shape), dtype=object)
        numbers = np.asarray(self.numpy.randn(*shape) * self.random.choice([0.5, 1, 3]))
        if odd:
            numbers = np.where(self.numpy.rand(*shape) < 0.25, self.numpy.choice(ODD, size=shape), numbers)
        return np.asarray(numbers).astype(NUMPY[kind])

    def put(self, kind: str, values: np.ndarray, constant: Optional[bool] = None) -> str:
        name = "t%d" % (len(self.inputs) + len(self.constants))
        if self.random.random() < 0.3 if constant is None else constant:
            self.constants.append(tensor_of(name, kind, values))
        else:
            self.inputs.append((name, kind, values))
        return name

    def integers(self, *numbers: int) -> str:
        return self.put("l", np.array(numbers, dtype=np.int64), constant=True)

    def row(self, kinds: str, shape: Optional[Shape] = None, odd: bool = True) -> Tuple[str, Shape]:
        kind, shape = self.random.choice(kinds), self.shape() if shape is None else shape
        return self.put(kind, self.values(kind, shape, odd and kind in "fd"), constant=False), shape

    def node(self, op: str, inputs: Sequence[str], outputs: int = 1, domain: str = "", **attributes: Any) -> List[str]:
        names = ["y%d_%d" % (len(self.nodes), k) for k in range(outputs)]
        self.nodes.append(helper.make_node(op, inputs, names, domain=domain, **attributes))
        return names

    def axis(self, shape: Shape) -> int:
        return self.random.randint(-len(shape), len(shape) - 1)

    def model(self) -> bytes:
        graph = helper.make_graph(
            self.nodes, "graph",
            [helper.make_tensor_value_info(n, ONNX[k], list(v.shape)) for n, k, v in self.inputs],
            [ValueInfoProto(name=name) for name in self.nodes[-1].output], self.constants,
        )  # fmt: skip
        versions = [("", self.opset), (ML, self.ml), ("com.microsoft", 1)]
        imports = [helper.make_opsetid(domain, version) for domain, version in versions]
        return helper.make_model(graph, opset_imports=imports, ir_version=9).SerializeToString()


# The operators ------------------------------------------------------------------------------------

OPERATORS: Dict[str, Callable[[Case], None]] = {}


def operator(make: Callable[[Case], None]) -> Callable[[Case], None]:
    OPERATORS[make.__name__] = make
    return make


def each(names: str, make: Callable[[Case, str], None]) -> None:
    for name in names.split():
        OPERATORS[name] = lambda case, name=name: make(case, name)


def pair(case: Case) -> Tuple[Shape, Shape]:
    """Two shapes that are broadcast to one."""
    whole = case.shape()
    shapes = [tuple(d if case.random.random() < 0.7 else 1 for d in whole) for _ in range(2)]
    at = case.random.randrange(2)
    shapes[at] = shapes[at][case.random.randint(0, len(whole)) if case.random.random() < 0.4 else 0 :]
    return shapes[0], shapes[1]


def two(kinds: str) -> Callable[[Case, str], None]:
    def make(case: Case, name: str) -> None:
        kind = case.random.choice(kinds)
        case.node(name, [case.put(kind, case.values(kind, shape, kind in "fd")) for shape in pair(case)])

    return make


def reduced(kinds: str, odd: bool) -> Callable[[Case, str], None]:
    def make(case: Case, name: str) -> None:
        x, shape = case.row(kinds, odd=odd)
        axes = case.random.sample(range(len(shape)), case.random.randint(0, len(shape)))
        more: Dict[str, int] = {"keepdims": case.random.choice([0, 1])}
        if case.opset >= 18 or (name == "ReduceSum" and case.opset >= 13):
            more["noop_with_empty_axes"] = case.random.choice([0, 1])
            case.node(name, [x, case.integers(*axes)], **more)
        else:
            case.node(name, [x], **({"axes": axes} if axes else {}), **more)

    return make


each("Exp Log Sqrt Sigmoid Tanh Erf Floor Ceil Round Reciprocal Relu", lambda c, n: c.node(n, [c.row("fd")[0]]))
each("Abs Neg Sign", lambda c, n: c.node(n, [c.row("fdli")[0]]))
each("Add Sub Mul Equal Less Greater", two("fdli"))
each("Div", two("fd"))
each("And Or Xor", two("b"))
each("ReduceSum ReduceMean ReduceL1 ReduceSumSquare ReduceMax ReduceMin", reduced("fdli", odd=False))
each("ReduceL2 ReduceProd ReduceLogSumExp", reduced("fd", odd=False))


@operator
def ReduceConstants(case: Case) -> None:
    """Integers of the file, whose lengths and logarithms are cut."""
    name, shape = case.random.choice(["ReduceL2", "ReduceLogSum"]), case.shape(1)
    x = case.put("l", case.values(case.random.choice("li"), shape, low=1, high=9).astype(np.int64), constant=True)
    (y,) = case.node(name, [x], **({} if case.opset >= 18 else {"axes": [case.axis(shape)]}))
    case.node("Add", [y, case.put("l", case.values("l", ()), constant=False)])


TRANSFORMS = ["NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT"]


def scores_for(case: Case, transform: str, shape: Sequence[int]) -> np.ndarray:
    scores = case.numpy.rand(*shape) if transform == "PROBIT" else case.numpy.randn(*shape) * 3
    return np.where(case.numpy.rand(*shape) < 0.2, case.numpy.choice([0.0, 1e-8, -1e-7, 1.0], size=shape), scores)


@operator
def PostTransformOfTrees(case: Case) -> None:
    """Sums of float32 and float64, of two leaves each."""
    transform, n = case.random.choice(TRANSFORMS), case.random.choice([1, 2, 3])
    kind, case.ml = case.random.choice("fd"), 3
    weights, values = scores_for(case, transform, (2 * n,)), [0.5, 0.0, 0.0]
    lists: Dict[str, Any] = {"nodes_values": values, "target_weights": [float(w) for w in weights]}
    if kind == "d":
        lists = {key + "_as_tensor": tensor_of(key, "d", np.array(some)) for key, some in lists.items()}
    x = case.put(kind, case.values(kind, (1, 2)), constant=False)
    case.node(
        "TreeEnsembleRegressor", [x], domain=ML, n_targets=n, post_transform=transform, nodes_treeids=[0, 0, 0],
        nodes_nodeids=[0, 1, 2], nodes_featureids=[1, 0, 0], nodes_modes=["BRANCH_LEQ", "LEAF", "LEAF"],
        nodes_truenodeids=[1, 0, 0], nodes_falsenodeids=[2, 0, 0], target_treeids=[0] * (2 * n),
        target_nodeids=[1] * n + [2] * n, target_ids=list(range(n)) * 2, **lists,
    )  # fmt: skip


@operator
def PostTransformOfRootedTrees(case: Case) -> None:
    """A tree for each target; ONNX Runtime takes SOFTMAX's number for LOGISTIC, and the other way round."""
    transform, n = case.random.choice([0, 3, 4]), case.random.choice([1, 2, 3])
    kind, case.ml = case.random.choice("fd"), 5
    weights = scores_for(case, TRANSFORMS[transform], (2 * n,)).astype(NUMPY[kind])
    each = [[0] * n, [2 * k for k in range(n)], [2 * k + 1 for k in range(n)]]
    case.node(
        "TreeEnsemble", [case.put(kind, case.values(kind, (1, 1)), constant=False)], domain=ML, n_targets=n,
        post_transform=transform, aggregate_function=1, tree_roots=list(range(n)), nodes_featureids=each[0],
        nodes_modes=helper.make_tensor("modes", TensorProto.UINT8, [n], each[0]), nodes_trueleafs=[1] * n,
        nodes_falseleafs=[1] * n, nodes_truenodeids=each[1], nodes_falsenodeids=each[2],
        nodes_splits=tensor_of("splits", kind, np.full(n, 0.5, NUMPY[kind])), leaf_weights=tensor_of("w", kind, weights),
        leaf_targetids=[k // 2 for k in range(2 * n)],
    )  # fmt: skip


@operator
def PostTransformOfSums(case: Case) -> None:
    """Post_transforms of linear models and a support vector machine without vectors."""
    transform, n = case.random.choice(TRANSFORMS), case.random.choice([2, 3])
    base = [float(b) for b in scores_for(case, transform, (n,))]
    numbers: Dict[str, Any] = {"intercepts": base, "coefficients": [0.0] * n, "post_transform": transform}
    x = case.put("f", case.values("f", (1, 1)), constant=False)
    if case.random.random() < 0.5:
        case.node("LinearRegressor", [x], domain=ML, targets=n, **numbers)
        return
    _, scores = case.node("LinearClassifier", [x], 2, domain=ML, classlabels_ints=list(range(n)), **numbers)
    case.node("Identity", [scores])


@operator
def EqualTexts(case: Case) -> None:
    case.opset = 21
    case.node("Equal", [case.put("s", case.values("s", shape)) for shape in pair(case)])


@operator
def Where(case: Case) -> None:
    kind, shapes = case.random.choice("fdlib"), pair(case)
    condition = case.put("b", case.values("b", max(shapes, key=len)))
    case.node("Where", [condition] + [case.put(kind, case.values(kind, shape)) for shape in shapes])


@operator
def Clip(case: Case) -> None:
    kind = case.random.choice("fd")
    bounds = sorted(float(case.values(kind, ())) for _ in range(2))
    names = [case.put(kind, np.array(b, NUMPY[kind])) if case.random.random() < 0.7 else "" for b in bounds]
    case.node("Clip", [case.put(kind, case.values(kind, case.shape(), True), constant=False), *names])


@operator
def Cast(case: Case) -> None:
    case.node("Cast", [case.row("fdlib", odd=False)[0]], to=ONNX[case.random.choice("fdlib")])


@operator
def Slice(case: Case) -> None:
    x, shape = case.row("fdlib", case.shape(1))
    ends = [-(2**40), -10, -3, -2, -1, 0, 1, 2, 3, 10, 2**40]
    lists = [[case.random.choice(ends)] for _ in range(2)]
    step = case.random.choice([1, 1, 2, -1, -2])
    case.node("Slice", [x, *(case.integers(*n) for n in lists), case.integers(case.axis(shape)), case.integers(step)])


@operator
def Transpose(case: Case) -> None:
    x, shape = case.row("fdlib", case.shape(1))
    case.node("Transpose", [x], perm=case.random.sample(range(len(shape)), len(shape)))


@operator
def Gather(case: Case) -> None:
    x, shape = case.row("fdl", case.shape(1))
    axis = case.axis(shape)
    places = case.values("l", case.shape(0, 2), low=-shape[axis], high=shape[axis])
    case.node("Gather", [x, case.put("l", places)], axis=axis)


@operator
def ScatterElements(case: Case) -> None:
    case.opset = 18
    kind, shape = case.random.choice("fdli"), case.shape(1)
    axis = case.axis(shape)
    some = tuple(case.random.randint(1, d) for d in shape)
    places = case.put("l", case.values("l", some, low=-shape[axis], high=shape[axis]))
    data, updates = (case.put(kind, case.values(kind, s)) for s in (shape, some))
    case.node("ScatterElements", [data, places, updates], axis=axis, reduction=case.random.choice(["add", "mul", "max"]))


@operator
def TopK(case: Case) -> None:
    x, shape = case.row("fdl", case.shape(1), odd=False)
    axis = case.axis(shape)
    count = case.integers(case.random.randint(1, shape[axis]))
    case.node("TopK", [x, count], 2, axis=axis, largest=case.random.choice([0, 1]))


@operator
def Softmax(case: Case) -> None:
    x, shape = case.row("fd", case.shape(1), odd=False)
    case.node("Softmax", [x], axis=case.axis(shape))


@operator
def MatMul(case: Case) -> None:
    kind, (k, m, n) = case.random.choice("fd"), (case.random.choice([1, 2, 3, 5]) for _ in range(3))
    left, right = case.values(kind, case.shape(0, 1) + (m, k)), case.values(kind, (k, n))
    case.node("MatMul", [case.put(kind, left, constant=False), case.put(kind, right)])


@operator
def Scaler(case: Case) -> None:
    n = case.random.choice([1, 3])
    numbers = {name: [case.random.uniform(-2, 2) for _ in range(n)] for name in ("offset", "scale")}
    case.node("Scaler", [case.row("fdli", case.random.choice([(3,), (1, 3), (2, 3)]))[0]], domain=ML, **numbers)


@operator
def Imputer(case: Case) -> None:
    kind = case.random.choice("fl")
    x, _ = case.row(kind, (2, 3))
    if kind == "l":
        case.node("Imputer", [x], domain=ML, imputed_value_int64s=[7, 8, 9], replaced_value_int64=2)
    else:
        replaced = case.random.choice([float("nan"), 0.0, 0.5])
        case.node("Imputer", [x], domain=ML, imputed_value_floats=[0.25], replaced_value_float=replaced)


@operator
def Normalizer(case: Case) -> None:
    x, _ = case.row("fdli", case.random.choice([(3,), (1, 3)]), odd=False)
    case.node("Normalizer", [x], domain=ML, norm=case.random.choice(["MAX", "L1", "L2"]))


@operator
def FeatureVectorizer(case: Case) -> None:
    kind, rows, widths = case.random.choice("fdli"), case.random.randint(1, 2), [1, 3, 2]
    inputs = [case.put(kind, case.values(kind, (rows, w)), constant=False) for w in widths]
    case.node("FeatureVectorizer", inputs, domain=ML, inputdimensions=widths)


@operator
def LabelEncoder(case: Case) -> None:
    """Texts that it makes go through another one, which makes numbers of them."""
    keys = {"f": ("floats", [1.0, -2.0, 0.0, 0.5]), "l": ("int64s", [1, -2, 0, 3]), "s": ("strings", ["a", "", "cc", "ä"])}
    values = {"f": ("floats", [0.5, 2.0, 3.0, 7.0]), "l": ("int64s", [5, 6, 7, 8]), "s": ("strings", ["x", "y", "", "zz"])}
    kind, to = case.random.choice("fls"), case.random.choice("fls")
    lists = {"keys_" + keys[kind][0]: keys[kind][1], "values_" + values[to][0]: values[to][1]}
    numbers = case.values(kind, case.shape(1))
    x = case.put(kind, np.round(numbers) if kind == "f" else numbers, constant=False)
    (y,) = case.node("LabelEncoder", [x], domain=ML, **lists)
    if to == "s":
        case.node("LabelEncoder", [y], domain=ML, keys_strings=["x", "zz", "_Unused"], values_int64s=[1, 2, 3])


NUMBER_TEXTS = ["1", "0", "-0", "+2", " 7", "12abc", "1.5", "-2.5e3", "1e", "0x1p3", "0x.8z", ".5", "5.", "1e39", "1e-46", "0.1",
    "16777217", "2147483648", "-2147483649", "9007199254740992", "nan", "NaN(1)", "-INF", "infinit", "3.4028236e38", "1\x002",
    "\t\n\v4", "0b1", "1_0", "1,5", "00012", "0.00000000000000000000000000000000000000000001", "123456789012345678901234567890",
    "1" + "0" * 400 + "e-400", "0." + "0" * 400 + "1e401", "2.2250738585072014e-308", "9" * 800 + "e-790"]  # fmt: skip
NO_NUMBERS = ["", "abc", ".", "+-1", "1e400", "5e-324", "0x", "true", "9223372036854775808", "-", "e5", "99999999999999999999"]
OF_NUMBERS = [0.0, -0.0, 1.0, 0.1, -2.5, 1e30, 123456789.0, 1e8, 99999999.0, 1e-4, 1e-5, 1e-45, 1 / 3, np.nan, np.inf, -np.inf, 3e-39]


@operator
def CastToTexts(case: Case) -> None:
    """Texts of numbers get the numbers of those that a LabelEncoder knows."""
    kind = case.random.choice("fdlib")
    values = case.values(kind, case.shape(1))
    if kind in "fd":
        values = np.asarray(case.numpy.choice(OF_NUMBERS, size=values.shape)).astype(NUMPY[kind])
    elif kind in "li":
        values = np.asarray(case.numpy.choice([0, -1, 7, 2**31 - 1, -(2**31)], size=values.shape)).astype(NUMPY[kind])
    keys = ["0", "-0", "1", "-1", "7", "0.1", "-2.5", "1e+30", "1.2345679e+08", "1e+08", "99999999", "NaN", "INF", "-INF",
        "0.33333334", "0.33333333", "1.4012985e-45", "9.9999997e-05", "0.0001", "1e-05", "2147483647", "-2147483648"]  # fmt: skip
    (texts,) = case.node("Cast", [case.put(kind, values, constant=case.random.random() < 0.2)], to=ONNX["s"])
    known = case.random.sample(keys, 12)
    (y,) = case.node("LabelEncoder", [texts], domain=ML, keys_strings=known, values_int64s=list(range(12)))
    case.node("Add", [y, case.put("l", case.values("l", ()), constant=False)])


@operator
def CastFromTexts(case: Case) -> None:
    texts = NUMBER_TEXTS + (NO_NUMBERS if case.random.random() < 0.1 else [])
    values = np.asarray(case.numpy.choice(np.array(texts, dtype=object), size=case.shape(0, 2)), dtype=object)
    case.node("Cast", [case.put("s", values, constant=False)], to=ONNX[case.random.choice("fdlib")])


@operator
def CastKnownTexts(case: Case) -> None:
    """Texts that a LabelEncoder makes."""
    x = case.put("l", case.values("l", case.shape(1), low=0, high=6), constant=False)
    texts = case.random.sample([t for t in NUMBER_TEXTS if "\0" not in t], 6)
    (y,) = case.node("LabelEncoder", [x], domain=ML, keys_int64s=list(range(6)), values_strings=texts, default_string="3")
    case.node("Cast", [y], to=ONNX[case.random.choice("fdli")])


def numbers_of(case: Case, texts: str) -> List[str]:
    return case.node("LabelEncoder", [texts], domain=ML, keys_strings=["", "a", "cc", "x"], values_int64s=[1, 2, 3, 4])


@operator
def WhereTexts(case: Case) -> None:
    """Texts of two inputs, constants, or texts that a LabelEncoder has made."""
    shapes = pair(case)
    condition = case.put("b", case.values("b", max(shapes, key=len)))
    parts = [case.put("s", case.values("s", shape)) for shape in shapes]
    if case.random.random() < 0.4:
        (parts[0],) = case.node("LabelEncoder", [parts[0]], domain=ML, keys_strings=["a", "b"], values_strings=["x", ""])
    numbers_of(case, *case.node("Where", [condition] + parts))


@operator
def ConcatTexts(case: Case) -> None:
    parts = [case.put("s", case.values("s", (2, case.random.randint(1, 3)))) for _ in range(3)]
    numbers_of(case, *case.node("Concat", parts, axis=1))


@operator
def TextsTwice(case: Case) -> None:
    """Read as a whole, and looked up."""
    x, other = (case.put("s", case.values("s", (2, 3)), constant=False) for _ in range(2))
    (number,) = numbers_of(case, case.random.choice([x, *case.node("Where", [case.put("b", case.values("b", (2, 3))), x, other])]))
    (whole,) = case.node("MurmurHash3", [x], domain="com.microsoft", positive=0, seed=case.random.randint(0, 9))
    (same,) = case.node("Equal", [x, case.random.choice([other, case.put("s", case.values("s", ()), constant=True)])])
    casts = [case.node("Cast", [name], to=ONNX["l"])[0] for name in (whole, same)]
    case.opset = 21
    case.node("Sum", [case.node("Cast", [name], to=ONNX["d"])[0] for name in (number, *casts)])


@operator
def MurmurHash3(case: Case) -> None:
    """Hashes of texts and numbers; unsigned hashes are left as they are, cast, compared or divided."""
    x, shape = case.row("fdlis")
    positive = case.random.choice([0, 1])
    (y,) = case.node("MurmurHash3", [x], domain="com.microsoft", positive=positive, seed=case.random.randint(0, 99))
    then = case.random.choice(["", "Cast", "Mod", "Less", "MurmurHash3"]) if positive else ""
    if then == "Cast":
        case.node("Cast", [y], to=ONNX[case.random.choice("fdlib")])
    elif then == "MurmurHash3":
        case.node("MurmurHash3", [y], domain="com.microsoft")
    elif then:
        case.node(then, [y, case.put("u", np.array(case.random.choice([7, 1024, 2**31]), np.uint32))])


@operator
def LabelEncoderInt16(case: Case) -> None:
    case.ml, keys, values = 4, tensor_of("keys", "s", TEXTS[:4]), tensor_of("values", "h", np.array([-7, 300, 0, 9], np.int16))
    more = {"default_tensor": tensor_of("default", "h", np.array([5], np.int16))} if case.random.random() < 0.5 else {}
    x, _ = case.row("s", case.shape(1))
    (y,) = case.node("LabelEncoder", [x], domain=ML, keys_tensor=keys, values_tensor=values, **more)
    if case.random.random() < 0.7:
        case.node("Cast", [y], to=ONNX[case.random.choice("fdlib")])


# Windows --------------------------------------------------------------------------------------------


def halves(case: Case, shape: Sequence[int]) -> np.ndarray:
    """Numbers whose sums are exact in any order."""
    return (case.numpy.randint(-8, 9, size=shape) / 2).astype(np.float32)


def image(case: Case, kind: str = "f", channels: int = 0) -> Tuple[str, Shape]:
    shape = (case.random.randint(1, 2), channels or case.random.randint(1, 4))
    shape += tuple(case.random.randint(1, 7) for _ in range(case.random.randint(1, 3)))
    return case.put(kind, halves(case, shape).astype(NUMPY[kind]), constant=False), shape


def window(case: Case, axes: int, padded: bool = True) -> Dict[str, Any]:
    more: Dict[str, Any] = {}
    if case.random.random() < 0.6:
        more["strides"] = [case.random.randint(1, 3) for _ in range(axes)]
    if case.random.random() < 0.4:
        more["dilations"] = [case.random.randint(1, 2) for _ in range(axes)]
    how = case.random.choice(["", "pads", "pads", "SAME_UPPER", "SAME_LOWER", "VALID"]) if padded else ""
    if how == "pads":
        more["pads"] = [case.random.randint(0, 2) for _ in range(2 * axes)]
    elif how:
        more["auto_pad"] = how
    return more


def kernel_of(case: Case, axes: int) -> List[int]:
    return [case.random.randint(1, 4) for _ in range(axes)]


@operator
def Conv(case: Case) -> None:
    groups = case.random.choice([1, 1, 2, 3])
    x, shape = image(case, channels=groups * case.random.randint(1, 3))
    outputs, axes = groups * case.random.randint(1, 9), len(shape) - 2
    w = case.put("f", halves(case, (outputs, shape[1] // groups, *kernel_of(case, axes))), constant=True)
    b = [case.put("f", halves(case, (outputs,)), constant=True)] if case.random.random() < 0.5 else []
    (y,) = case.node("Conv", [x, w, *b], group=groups, **window(case, axes))
    if case.random.random() < 0.3:
        case.node("Relu", [y])


@operator
def ConvTranspose(case: Case) -> None:
    groups = case.random.choice([1, 1, 2])
    x, shape = image(case, channels=groups * case.random.randint(1, 2))
    axes, outputs = len(shape) - 2, case.random.randint(1, 3)
    w = case.put("f", halves(case, (shape[1], outputs, *kernel_of(case, axes))), constant=True)
    b = [case.put("f", halves(case, (groups * outputs,)), constant=True)] if case.random.random() < 0.5 else []
    more = window(case, axes)
    if "SAME" in more.get("auto_pad", ""):  # of windows smaller than strides ONNX Runtime makes less than ONNX says
        more.pop("strides", None)
    if "strides" in more and case.random.random() < 0.3:
        more["output_padding"] = [case.random.randint(0, s - 1) for s in more["strides"]]
    case.node("ConvTranspose", [x, w, *b], group=groups, **more)


def pools(case: Case, name: str) -> None:
    case.opset = case.random.choice([11, 13, 18, 22])
    x, shape = image(case, kind="fd"[name == "MaxPool" and case.random.random() < 0.2])
    more = window(case, len(shape) - 2)
    if (name != "MaxPool" and case.opset < 19) or "SAME" in more.get("auto_pad", ""):  # which ONNX Runtime leaves out there
        more.pop("dilations", None)
    if name == "AveragePool" and case.random.random() < 0.5:
        more["count_include_pad"] = 1
    if "auto_pad" not in more and case.random.random() < 0.4 and (name != "LpPool" or case.opset >= 18):
        more["ceil_mode"] = 1
    if name == "LpPool":
        more["p"] = case.random.choice([1, 2, 3])
    case.node(name, [x], kernel_shape=kernel_of(case, len(shape) - 2), **more)


each("MaxPool AveragePool LpPool", pools)
each("GlobalMaxPool GlobalAveragePool GlobalLpPool", lambda c, n: c.node(n, [image(c)[0]]))


@operator
def Pad(case: Case) -> None:
    case.opset = case.random.choice([11, 13, 18, 21])
    x, shape = case.row("fdl", tuple(case.random.randint(2, 4) for _ in range(case.random.randint(1, 3))), odd=False)
    kind = next(k for name, k, _ in case.inputs if name == x)
    mode = case.random.choice(["constant", "reflect", "edge"] + ["wrap"] * (case.opset >= 19))
    pads = [case.random.randint(-1 if mode == "constant" else 0, 1) for _ in range(2 * len(shape))]
    value = [case.put(kind, np.array(3, NUMPY[kind]), constant=True)] if case.random.random() < 0.5 else []
    case.node("Pad", [x, case.integers(*pads), *value], mode=mode)


# Both answers ---------------------------------------------------------------------------------------


def ask_onnxruntime(case: Case) -> Optional[List[np.ndarray]]:
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    try:
        session = onnxruntime.InferenceSession(case.model(), options, providers=["CPUExecutionProvider"])
        return [np.asarray(y) for y in session.run(None, {name: values for name, _, values in case.inputs})]
    except Exception:  # of its own types, one for each reason
        return None


def ask_hbscore(connection: sqlite3.Connection, case: Case) -> Optional[List[np.ndarray]]:
    tensors = [tensor_of(*given).SerializeToString() for given in case.inputs]
    marks = ", ".join("?" for _ in range(1 + len(tensors)))
    try:
        rows = connection.execute(
            "SELECT type, dims, numbers FROM hbscore_test_run(%s) ORDER BY position" % marks, [case.model(), *tensors]
        ).fetchall()
    except sqlite3.Error:
        return None
    return [
        np.array([float(v) for v in json.loads(numbers)]).astype(NUMPY[NAMES[kind]]).reshape(json.loads(dims))
        for kind, dims, numbers in rows
    ]


def is_near(got: np.ndarray, want: np.ndarray) -> bool:
    if got.dtype != want.dtype or got.shape != want.shape:
        return False
    if got.dtype.kind in "ibu":
        return bool(np.array_equal(got, want))
    with np.errstate(all="ignore"):
        return bool(np.allclose(got, want, rtol=2e-5, atol=2e-8, equal_nan=True))


def compare(connection: sqlite3.Connection, name: str, seed: int) -> str:
    case = Case(seed)
    OPERATORS[name](case)
    if not case.inputs:
        return "constant"
    want, got = ask_onnxruntime(case), ask_hbscore(connection, case)
    if want is None or got is None:
        return "not read" if want is None else "refused"
    if len(got) == len(want) and all(map(is_near, got, want)):
        return "equal"
    print("FAILED %s, seed %d: %s, expected %s" % (name, seed, got, want))
    return "differs"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("extension")
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="")
    asked = parser.parse_args()
    connection = sqlite3.connect(":memory:")
    connection.enable_load_extension(True)
    connection.load_extension(asked.extension)
    found: collections.Counter = collections.Counter()
    for name in sorted(OPERATORS):
        if asked.only in name:
            found.update(compare(connection, name, asked.seed * 1000 + k) for k in range(asked.count))
    print("random nodes beside ONNX Runtime %s: %s" % (onnxruntime.__version__, dict(found)))
    print("%d passed, %d failed" % (found["equal"], found["differs"]))
    return found["differs"] > 0


if __name__ == "__main__":
    sys.exit(main())
