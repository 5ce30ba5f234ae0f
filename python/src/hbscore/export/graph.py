"""The operators of a document while it is made: a DAG by construction.

Value 0 is the table of features, operator k (from 1) makes value k from values before it. A value
knows the numpy type that each of its columns has in scikit-learn, since float32 input rounds there
after every step."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Dict, Iterator, List, Optional, Sequence, Tuple

import numpy as np

from hbscore.export.document import array
from hbscore.export.errors import ExportError
from hbscore.progress import Told, nothing

#: Operators that only move numbers, and those that make none but finite ones.
MOVES = {"select", "concat", "cast", "check", "guard", "impute"}
MAKES_LISTS = {"json_features", "json_hashes", "text_counts", "text_hashes", "tf_idf"}
MAKES_FINITE = {"argmax", "onehot", "binarize", "bins", "indicator"} | MAKES_LISTS

#: Operators of sparse matrices that leave the stored numbers of a row in their order.
KEEPS_ORDER = {"affine", "binarize", "cast", "check", "concat", "guard", "map", "select", "tf_idf"}

#: Operators whose value scikit-learn has as a dense array, whatever it is made of. Exporters of those few that are sparse
#: there say so.
MAKES_DENSE = {"barycentre", "booster", "descent", "factors", "forest", "gaussian_nb", "least_angle", "linear", "neighbours", "pairwise", "reduce", "sparse_linear", "topics"}

#: Operators that make no number of several columns' sum. Where others overflow to NaN depends on the order of a sum.
ADDS_NOTHING = MOVES | MAKES_FINITE | {"affine", "choose", "clip", "combine", "interpolate", "look_up", "map", "ordinal", "poly"}

FLOAT16 = np.dtype(np.float16)
FLOAT32 = np.dtype(np.float32)
FLOAT64 = np.dtype(np.float64)


@dataclass(frozen=True)
class Value:
    number: int
    types: Tuple[Any, ...]  # numpy's dtype of each column
    sources: Tuple[Optional[int], ...] = ()  # the feature that each column still is; (): of none
    known: bool = False  # a step before it has refused NaN: no later one may take it
    sparse: bool = False  # a scipy matrix: some estimators then compute otherwise, or refuse NaN
    stored_zeros: bool = False  # of a sparse one: it may hold zeros that are not left out
    labels: Tuple[Optional[Sequence[str]], ...] = ()  # of each column the texts for which its numbers stand; (): of none

    @property
    def width(self) -> int:
        return len(self.types)

    @property
    def dtype(self) -> str:
        """f4 or f8: what scikit-learn's float estimators compute this value in."""
        return "f4" if np.result_type(*set(self.types)) == FLOAT32 else "f8"

    @property
    def is_half(self) -> bool:
        """True where scikit-learn computes in float16, which the graph has as float64 that is rounded."""
        return bool(np.result_type(*set(self.types)) == FLOAT16)


@dataclass(frozen=True)
class Result:
    """The outcome of an exporter. task: transformer (a value to go on with), regressor,
    classifier or ranker."""

    task: str
    value: Value
    classes: Optional[Dict[str, Any]] = None
    outputs: Optional[List[Dict[str, Any]]] = None  # of a classifier with several outputs: the classes of each


STEP_BYTES = 255  # of a step's name in the format


def step_text(names: Sequence[str]) -> str:
    """ColumnTransformer "columns", in it "num", in it "scale": columns/num/scale. Only people read it, so a
    name that the format cannot hold is changed or cut."""
    path = "/".join(names).replace("\0", "?") or "?"
    return path.encode("utf-8", "replace")[:STEP_BYTES].decode("utf-8", "ignore")


def is_zero(numbers: Dict[str, Any]) -> bool:
    """True of a document's array of zeros."""
    return set(numbers["data"]) <= set("A=")


class Graph:
    def __init__(self, types: Sequence[Any], told: Told = nothing, columns: Sequence[Any] = ()) -> None:
        """columns: more about the features, as features.py knows them."""
        self.told = told
        self.refused = {j: c.refused for j, c in enumerate(columns) if c.refused}  # features that nothing may read
        self.nulls: Dict[Optional[int], str] = {j: c.null for j, c in enumerate(columns) if c.null}  # what NULL was in training: see stays_missing()
        self.ops: List[Dict[str, Any]] = []
        self.transform: Optional[int] = None  # the value that transform() gives
        self.nesting: List[str] = []  # classes of the estimators being exported, one inside the other
        self.steps: List[str] = []  # names of the pipeline steps being exported, one inside the other
        self.texts = {j for j, t in enumerate(types) if t.kind == "O"}  # features that are texts
        self.values: List[Value] = []  # by number
        self.added = [False]  # by number: sums of several columns went into the value
        self.stand_ins: Dict[int, List[Dict[str, str]]] = {}  # by the number of a value: see replaced()
        self.near: Dict[int, Any] = {}  # by the number of a value that stands for a graph of neighbours: what is in it
        self.feeds_neighbours = False  # the next transformer's graph is read by an estimator of precomputed distances
        table = Value(0, tuple(types), tuple(range(len(types))))
        self.values.append(table)
        self.table = self.rounded(self.rounded(table), FLOAT16)

    def add(self, op: str, inputs: Sequence[Value], types: Sequence[Any], **fields: Any) -> Value:
        """Fields are written in the order in which they are given."""
        for value in inputs if self.refused and op not in ("select", "concat") else ():
            self.refuse_unread(value)
        step = {"step": step_text(self.steps)} if self.steps else {}
        self.ops.append({"op": op, **step, "in": [v.number for v in inputs], **fields})
        known = all(v.known for v in inputs)
        sparse = op not in MAKES_DENSE and any(v.sparse for v in inputs)
        zeros = sparse and any(v.stored_zeros for v in inputs)
        made = Value(len(self.ops), tuple(types), known=known, sparse=sparse, stored_zeros=zeros)
        self.values.append(made)
        self.added.append(op not in ADDS_NOTHING or any(self.added[v.number] for v in inputs))
        return made

    def refuse_unread(self, x: Value) -> None:
        for source in x.sources:
            if source in self.refused:
                raise ExportError(self.refused[source])

    def stays_missing(self, x: Value, j: int, mark: Any) -> bool:
        """True of a text that is None where `mark`, what an imputer looks for, is NaN, or the other way round. pandas.NA
        looks for both."""
        null = self.nulls.get(x.sources[j]) if x.sources else None
        if null is None or type(mark).__name__ == "NAType":
            return False
        return null != ("none" if mark is None else "nan")

    def take_back(self) -> Dict[str, Any]:
        """The last operator, which nothing reads, is no part of the document any more."""
        self.values.pop()
        self.added.pop()
        return self.ops.pop()

    @contextmanager
    def step(self, name: Any) -> Iterator[None]:
        """Operators that are added meanwhile are a part of the step of this name."""
        self.steps.append(str(name))
        yield
        self.steps.pop()

    def with_sources(self, x: Value, sources: Sequence[Optional[int]]) -> Value:
        return replace(x, sources=tuple(sources))

    def is_text(self, x: Value, j: int) -> bool:
        return (bool(x.sources) and x.sources[j] in self.texts) or self.labels_of(x, j) is not None

    def labels_of(self, x: Value, j: int) -> Optional[Sequence[str]]:
        return x.labels[j] if x.labels else None

    def mark_text(self, x: Value, j: int, f: Any) -> None:
        """Column j, which an encoder has found to be of texts, is a feature of texts."""
        source = x.sources[j] if x.sources else None
        if source is None:
            raise f.error("gets texts in column %d that another step has made" % j)
        self.texts.add(source)

    def floats(self, op: str, x: Value, width: int, **fields: Any) -> Value:
        """An operator that reads one value and makes float64 numbers."""
        return self.add(op, [x], [FLOAT64] * width, **fields)

    def select(self, x: Value, cols: Sequence[int]) -> Value:
        picked = [int(c) for c in cols]
        if picked == list(range(x.width)):
            return x
        if self.is_list(x.number) and any(b <= a for a, b in zip(picked, picked[1:])):
            x = self.same(x)  # of a list columns are taken in their order, and once
        made = self.add("select", [x], [x.types[c] for c in picked], cols=picked)
        made = replace(made, labels=tuple(x.labels[c] for c in picked) if x.labels else ())
        return self.with_sources(made, [x.sources[c] for c in picked] if x.sources else ())

    def same(self, x: Value) -> Value:
        """A document has at least one operator, also where the columns stay as they are."""
        return self.add("select", [x], x.types, cols=list(range(x.width)))

    def concat(self, values: Sequence[Value], keep_types: bool = False) -> Value:
        """keep_types: columns stay as they are, as in a DataFrame; else all get one type."""
        types = [t for v in values for t in v.types]
        if not keep_types:
            types = [np.result_type(*set(types))] * len(types)
        if len(values) == 1:
            return replace(values[0], types=tuple(types))
        made = self.add("concat", values, types)
        sources = [s for v in values for s in (v.sources or (None,) * v.width)]
        if any(v.labels for v in values):
            made = replace(made, labels=tuple(of for v in values for of in (v.labels or (None,) * v.width)))
        return self.with_sources(made, sources)

    def check(self, x: Value, missing: bool) -> Value:
        """The same numbers; infinities are refused, and NaN unless `missing`."""
        made = self.add("check", [x], x.types, missing=int(missing))
        return replace(made, sources=x.sources, known=x.known or not missing)

    def is_computed(self, number: int, since_guard: bool = True) -> bool:
        """True if a value may hold infinities or NaN where the features hold none; since_guard: a guard
        has not looked at it yet."""
        if number == 0:
            return False
        op = self.ops[number - 1]
        if op["op"] in MAKES_FINITE or (since_guard and op["op"] == "guard"):
            return False
        since_guard = since_guard and op["op"] != "cast"  # which makes large numbers infinite
        return op["op"] not in MOVES or any(self.is_computed(i, since_guard) for i in op["in"])

    def is_nan_there(self, x: Value) -> None:
        """Says of a value that the library's number is NaN where it is, though sums made it."""
        self.added[x.number] = False

    def holds_no_nan(self, x: Value) -> bool:
        """True of a value in which no step may find NaN: one before it has refused it in the features, and none has
        computed any since but by sums. There scikit-learn's NaN and infinities depend on an order, and the row has no
        result."""
        return x.known and (not self.is_computed(x.number, since_guard=False) or self.added[x.number])

    def guard(self, x: Value, missing: bool) -> Value:
        """The same numbers; rows with computed ones that the next step refuses have no result."""
        if not self.is_computed(x.number):
            return x
        made = self.add("guard", [x], x.types, missing=int(missing))
        return replace(made, sources=x.sources, known=x.known)

    def is_list(self, number: int) -> bool:
        """True where hbscore keeps a value as a list of its numbers that are not 0."""
        if not number:
            return False
        op = self.ops[number - 1]
        if op["op"] == "affine":  # 0 stays 0
            keeps = op["kind"] == "div" or (op["kind"] == "mul_add" and is_zero(op["b"]))
        elif op["op"] == "binarize":
            keeps = is_zero(op["threshold"])
        else:
            keeps = op["op"] in ("check", "concat", "guard")
        return op["op"] in MAKES_LISTS or (keeps and any(self.is_list(i) for i in op["in"]))

    def is_backwards(self, x: Value) -> bool:
        """True if x is a sparse matrix whose rows scipy's product with the weights of a TF-IDF left out of order."""
        if not x.sparse or not x.number:
            return False
        op = self.ops[x.number - 1]
        if op["op"] == "tf_idf" and "idf" in op:
            return True
        return op["op"] in KEEPS_ORDER and any(self.is_backwards(self.values[i]) for i in op["in"])

    def sums(self, x: Value, coef: Any, intercept: Any) -> Value:
        """coef @ x + intercept. scipy adds rows of a float32 matrix in float32, one number after the other, if both
        are float32 too."""
        narrow = x.sparse and x.dtype == "f4" and coef.dtype == intercept.dtype == FLOAT32 and self.is_list(x.number)
        dtype = {"dtype": "f4"} if narrow else {}
        fields = {**dtype, "coef": array(coef, "f8"), "intercept": array(intercept, "f8")}
        return self.add("linear", [x], [FLOAT32 if narrow else FLOAT64] * len(coef), **fields)

    def neighbours_in(self, x: Value) -> Any:
        """The contents of the graph of neighbours that x stands for; None: x is no such graph."""
        number = x.number
        while number and self.ops[number - 1]["op"] in ("check", "guard"):
            number = self.ops[number - 1]["in"][0]
        return self.near.get(number)

    def filled(self, number: int) -> List[bool]:
        """For each column whether an imputer of texts has filled in what was missing."""
        if number == 0:
            return [False] * self.table.width
        op = self.ops[number - 1]
        if op["op"] == "impute":
            return [op["fill"]["dtype"] == "str"] * self.values[number].width
        found = [flag for i in op["in"] for flag in self.filled(i)] if op["op"] in MOVES else []
        if op["op"] == "select":
            return [found[c] for c in op["cols"]]
        return found or [False] * self.values[number].width

    def with_stand_ins(self, x: Value, mark: str, fill: Sequence[str]) -> Value:
        """The same texts; in each column another one stands for the mark from here on."""
        made = self.with_sources(self.same(x), x.sources)
        self.stand_ins[made.number] = [{mark: text} for text in fill]
        return made

    def replaced(self, number: int) -> List[Dict[str, str]]:
        """For each column the texts for which others stand, and these: what reads a text as a category looks there."""
        none: List[Dict[str, str]] = [{} for _ in self.values[number].types]
        if number == 0 or not self.stand_ins or self.ops[number - 1]["op"] not in MOVES:
            return none
        op = self.ops[number - 1]
        found = [of for i in op["in"] for of in self.replaced(i)]
        if op["op"] == "select":
            found = [found[c] for c in op["cols"]]
        for of, new in zip(found, self.stand_ins.get(number, none)):
            later = {text: new.get(other, other) for text, other in of.items()}
            of.update({**new, **later})
        return found

    def has_text(self, x: Value) -> bool:
        return any(self.is_text(x, j) for j in range(x.width))

    def affine(self, x: Value, kind: str, a: Any = None, b: Any = None) -> Value:
        """a and b: one number for each column, those that the kind has."""
        if x.is_half:
            return self.affine_of_halves(x, kind, a, b)
        dtype = x.dtype
        fields: Dict[str, Any] = {"kind": kind, "dtype": dtype}
        fields.update((n, array(v, "f8")) for n, v in (("a", a), ("b", b)) if v is not None)
        return self.add("affine", [x], [np.dtype(dtype)] * x.width, **fields)

    def affine_of_halves(self, x: Value, kind: str, a: Any, b: Any) -> Value:
        """Each step is rounded to float16."""
        nothing_ = np.zeros(x.width)
        steps = {
            "sub": [("sub", a, None)],
            "div": [("div", None, b)],
            "sub_div": [("sub", a, None), ("div", None, b)],
            "mul_add": [("mul_add", a, nothing_), ("mul_add", nothing_ + 1.0, b)],
        }[kind]
        for one, *numbers in steps:
            wide = replace(x, types=(FLOAT64,) * x.width)
            x = self.add("map", [self.affine(wide, one, *numbers)], [FLOAT16] * x.width, function="half", dtype="f8")
        return x

    def rounded(self, x: Value, kind: Any = FLOAT32) -> Value:
        """Columns that are float32 in training: SQL has doubles, which are rounded once."""
        narrow = [j for j, t in enumerate(x.types) if t == kind]
        others = [j for j, t in enumerate(x.types) if t != kind]
        if not narrow:
            return x
        part = self.select(x, narrow)
        how = ("cast", {"to": "f4"}) if kind == FLOAT32 else ("map", {"function": "half", "dtype": "f8"})
        part = self.with_sources(self.add(how[0], [part], part.types, **how[1]), part.sources)
        if not others:
            return part
        both = self.concat([part, self.select(x, others)], keep_types=True)
        return self.select(both, np.argsort(narrow + others).tolist())
