"""Encoders of the package category_encoders, which turn each category of a column into numbers.

What becomes of a category is asked of the fitted encoder itself, for each category of each column, for a missing
value and for one that training has not seen: so every option counts, in every version of the package. That other
columns make no difference is asked, too."""

from __future__ import annotations

import contextlib
import io
import sys
import warnings
from dataclasses import dataclass
from typing import Any, Dict, List, Optional, Sequence, Tuple

import numpy as np

from hbscore.errors import shown
from hbscore.export.arithmetic import combined, look_up, reduced
from hbscore.export.document import array
from hbscore.export.encoders import as_values, encoded
from hbscore.export.fitted import Fitted
from hbscore.export.graph import FLOAT64, Graph, Result, Value
from hbscore.export.registry import exporter

NAMES = (
    "BackwardDifferenceEncoder",
    "BaseNEncoder",
    "BinaryEncoder",
    "CatBoostEncoder",
    "CountEncoder",
    "CountTargetEncoder",
    "GrayEncoder",
    "HelmertEncoder",
    "JamesSteinEncoder",
    "LeaveOneOutEncoder",
    "MEstimateEncoder",
    "OneHotEncoder",
    "OrdinalEncoder",
    "PolynomialEncoder",
    "QuantileEncoder",
    "RankHotEncoder",
    "SumEncoder",
    "SummaryEncoder",
    "TargetEncoder",
    "WOEEncoder",
)

REFUSED = 2  # `missing` of a column: a row without a value has no result
CHECKED = 64  # rows of any categories that the encoder is asked for at the end


@dataclass
class Table:
    """The numbers of the categories of column `place`: rows [categories, outputs]; `missing` and `unknown` are such
    rows, or None where the encoder refuses. outputs: their places in what the encoder gives."""

    place: int  # behind the columns those of combinations
    categories: List[Any]
    outputs: List[int]
    rows: np.ndarray
    missing: Optional[np.ndarray]
    unknown: Optional[np.ndarray]

    def all_rows(self) -> np.ndarray:
        """One for each code: those of the categories, of a missing value, of an unseen one."""
        nothing = np.zeros(self.rows.shape[1])
        more = [nothing if row is None else row for row in (self.missing, self.unknown)]
        return np.vstack([self.rows] + more)


@dataclass
class Combination:
    """Columns that are encoded as one, and what training has seen in them together."""

    name: str
    members: List[int]
    known: List[Tuple[Any, ...]]

    def outputs(self, names: Sequence[str]) -> List[int]:
        return [o for o, name in enumerate(names) if name == self.name or name.startswith(self.name + "_")]

    def numbers(self) -> List[float]:
        """One for each known combination: the places of its values, of which each column has its own digit."""
        places = [[self.values(i).index(v) for i, v in enumerate(found)] for found in self.known]
        return [float(sum(p * s for p, s in zip(row, self.strides()))) for row in places]

    def values(self, i: int) -> List[Any]:
        return list(dict.fromkeys(found[i] for found in self.known))

    def strides(self) -> List[int]:
        """A column has one place more, for what no combination has."""
        made = [1]
        for i in range(len(self.members) - 1):
            made.append(made[-1] * (len(self.values(i)) + 1))
        return made


def as_member(f: Fitted, text: str, dtype: Any) -> Any:
    """The value whose text stands in the name of a combination."""
    kind = getattr(dtype, "kind", "O")
    if kind == "b":
        return text == "True"
    try:
        return int(text) if kind in "iu" else float(text) if kind == "f" else text
    except ValueError as e:
        raise f.error("has a combination of columns with %s, which is no number" % shown(text)) from e


def combination(f: Fitted, name: str, members: Sequence[str], labels: List[Any]) -> Combination:
    """The package joins the values of a combination to one text by "|"."""
    places = [labels.index(member) for member in members]
    types = [f.get("feature_dtypes_in_")[place] for place in places]
    known = []
    for joined in categories_of(f, name):
        parts = str(joined).split("|")
        if len(parts) != len(members):
            raise f.error("combines columns %s with '|' in a value: not supported" % shown(name))
        known.append(tuple(as_member(f, part, dtype) for part, dtype in zip(parts, types)))
    found = Combination(name, places, sorted(known, key=str))
    if not known or found.strides()[-1] * (len(found.values(len(members) - 1)) + 1) >= 2**53:
        raise f.error("combines columns %s, which have no values or too many" % shown(name))
    return found


# Asking ---------------------------------------------------------------------------------------


def same(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    equal: np.ndarray = (a == b) | (np.isnan(a) & np.isnan(b))
    return equal


class Asked:
    """The encoder, and rows for it. cells: of each column what stands in it where it is not asked for."""

    def __init__(self, f: Fitted, graph: Graph, x: Value) -> None:
        self.f = f
        self.labels: List[Any] = list(f.get("feature_names_in_"))
        self.names = [str(n) for n in f.model.get_feature_names_out()]
        if len(self.labels) != x.width:
            raise f.error("was fitted with %d columns and gets %d" % (len(self.labels), x.width))
        members = getattr(f.model, "composite_members_", None) or {}
        columns = [c for c in f.get("cols") or [] if c not in members]
        self.combinations = [combination(f, name, of, self.labels) for name, of in members.items()]
        self.places = [self.labels.index(c) for c in columns]
        self.objects = {*self.places, *(j for c in self.combinations for j in c.members)}
        self.known = {j: categories_of(f, self.labels[j]) for j in self.places}
        texts = [graph.is_text(x, j) for j in range(x.width)]
        cells: List[Any] = ["" if t else 0.0 for t in texts]
        for j in self.places:
            cells[j] = self.known[j][0] if self.known[j] else np.nan
        self.cells = cells
        for c in self.combinations:
            self.cells = self.together(c, c.known[0])
        passed = [j for j in range(x.width) if j not in self.places]
        self.passed = {self.names.index(str(self.labels[j])): j for j in passed if str(self.labels[j]) in self.names}

    def together(self, of: Combination, values: Sequence[Any]) -> List[Any]:
        """A row with these values in the combined columns."""
        found = dict(zip(of.members, values))
        return [found.get(j, cell) for j, cell in enumerate(self.cells)]

    def unseen(self, j: int) -> Any:
        return self.unseen_among(self.known[j])

    def unseen_among(self, known: List[Any]) -> Any:
        if known and not isinstance(known[0], str):
            return float(max(known)) + 1.5
        text = "unseen"
        while text in known:
            text += "?"
        return text

    def rows(self, rows: Sequence[Sequence[Any]]) -> Optional[np.ndarray]:
        """[rows, encoded outputs]; None where the encoder refuses one. The outputs that are columns as they are have
        no number of interest."""
        pandas = sys.modules["pandas"]
        frame = pandas.DataFrame(
            {
                label: pandas.Series([row[j] for row in rows], dtype=object if j in self.objects else None)
                for j, label in enumerate(self.labels)
            }
        )
        try:
            with warnings.catch_warnings(), np.errstate(all="ignore"), contextlib.redirect_stdout(io.StringIO()):
                warnings.simplefilter("ignore")
                made = np.asarray(self.f.model.transform(frame), dtype=object)
        except (ValueError, KeyError, TypeError):
            return None
        if made.shape != (len(rows), len(self.names)):
            raise self.f.error("gives %s numbers for %d rows of %d names" % (made.shape, len(rows), len(self.names)))
        numbers = np.zeros(made.shape)
        for o in range(made.shape[1]):
            if o not in self.passed:
                numbers[:, o] = [np.nan if v is None or v != v else float(v) for v in made[:, o]]
        return numbers

    def one(self, j: int, value: Any) -> List[Any]:
        """A row with this value in column j."""
        return [value if i == j else cell for i, cell in enumerate(self.cells)]


def lumped(f: Fitted, label: Any) -> List[Any]:
    """Categories that training has put together with others because few rows had them."""
    found: List[Any] = []
    for name in ("min_group_lumping_", "_min_group_categories"):
        found += list((getattr(f.model, name, None) or {}).get(label, {}))
    return found


def index_of(mapping: Any, label: Any) -> List[Any]:
    """The categories of a column in one of the forms that encoders keep them in."""
    if isinstance(mapping, dict):
        return list(mapping[label].index) if label in mapping else []
    return [v for m in mapping if m.get("col") == label for v in m["mapping"].index]


def categories_of(f: Fitted, label: Any) -> List[Any]:
    """Those that training has seen; encoders with an ordinal one inside have only codes themselves."""
    inner = (getattr(f.model, "encoder_list", None) or [f.model])[0]
    inner = getattr(inner, "ordinal_encoder", None) or inner
    found = index_of(getattr(inner, "mapping", None) or [], label) + lumped(f, label)
    kept = [v.item() if isinstance(v, np.generic) else v for v in found if not sys.modules["pandas"].isna(v)]
    return list(dict.fromkeys(kept))


def tables_of(asked: Asked) -> List[Table]:
    f = asked.f
    combined_ = {o for c in asked.combinations for o in c.outputs(asked.names)}
    encoded = [o for o in range(len(asked.names)) if o not in asked.passed and o not in combined_]
    found = []
    for j in asked.places:
        rows = asked.rows([asked.one(j, v) for v in asked.known[j]] or [asked.cells])
        if rows is None:
            raise f.error("refuses a category that it was fitted with")
        missing, unknown = asked.rows([asked.one(j, np.nan)]), asked.rows([asked.one(j, asked.unseen(j))])
        others = [row for row in (missing, unknown) if row is not None]
        changes: np.ndarray = np.logical_not(np.all(same(rows[:1], np.vstack([rows] + others)), axis=0))
        table = Table(j, asked.known[j], [o for o in encoded if changes[o]], rows[: len(asked.known[j])], None, None)
        table.missing, table.unknown = (row if row is None else row[0] for row in (missing, unknown))
        found.append(table)
    places = [o for table in found for o in table.outputs]
    if len(set(places)) != len(places):
        raise f.error("makes a number of several columns")
    if found:  # numbers that are the same for all rows
        found[0].outputs = sorted(found[0].outputs + [o for o in encoded if o not in places])
    found += [table_of(asked, c, len(asked.labels) + i) for i, c in enumerate(asked.combinations)]
    for table in found:
        table.rows = table.rows[:, table.outputs]
        table.missing, table.unknown = (
            row if row is None else row[table.outputs] for row in (table.missing, table.unknown)
        )
    return found


def table_of(asked: Asked, of: Combination, place: int) -> Table:
    """The parts of a combination, whose categories are numbers of their own."""
    rows = asked.rows([asked.together(of, values) for values in of.known])
    if rows is None:
        raise asked.f.error("refuses a combination that it was fitted with")
    first = of.known[0]
    missing = asked.rows([asked.together(of, (np.nan, *first[1:]))])
    unknown = asked.rows([asked.together(of, (asked.unseen_among(of.values(0)), *first[1:]))])
    made = Table(place, of.numbers(), of.outputs(asked.names), rows, None, None)
    made.missing, made.unknown = (row if row is None else row[0] for row in (missing, unknown))
    return made


def check_combinations(asked: Asked, tables: Sequence[Table]) -> None:
    """A combination takes no notice of the row's other values, nor of which of its columns is missing."""
    random = np.random.RandomState(1)
    for of, table in zip(asked.combinations, tables[len(asked.places) :]):
        rows, want = [], []
        for code in random.choice(len(of.known), CHECKED):
            values, row = list(of.known[code]), table.rows[code]
            if table.missing is not None and random.rand() < 0.2:
                values[random.randint(len(values))], row = np.nan, table.missing
            rows.append(asked.together(of, values))
            want.append(row)
        got = asked.rows(rows)
        if got is None or not same(got[:, table.outputs], np.array(want)).all():
            raise asked.f.error("encodes a combination of columns by what stands in others")


def check_tables(asked: Asked, tables: Sequence[Table]) -> None:
    """The tables together say of rows of any categories what the encoder does."""
    check_combinations(asked, tables)
    combined_ = {o for c in asked.combinations for o in c.outputs(asked.names)}
    kept = [o for o in range(len(asked.names)) if o not in combined_]
    random = np.random.RandomState(0)
    rows: List[List[Any]] = [list(asked.cells) for _ in range(CHECKED)]
    want = np.zeros((CHECKED, len(asked.names)))
    if any(table.unknown is None for table in tables[len(asked.places) :]):
        return  # rows of any categories are refused
    for table in tables[: len(asked.places)]:
        values = table.categories + [np.nan, asked.unseen(table.place)]
        answered = [True] * len(table.categories) + [table.missing is not None, table.unknown is not None]
        allowed = np.flatnonzero(answered)
        if len(allowed) == 0:
            raise asked.f.error("has no category of column %d" % table.place)
        codes = random.choice(allowed, CHECKED)
        for row, code in zip(rows, codes):
            row[table.place] = values[code]
        want[:, table.outputs] = table.all_rows()[codes]
    got = asked.rows(rows)
    if got is None or not same(got[:, kept], want[:, kept]).all():
        raise asked.f.error("encodes a column by what stands in others")


# Writing --------------------------------------------------------------------------------------


def is_flags(table: Table) -> bool:
    """Each category has one column of its own, or none."""
    rows = table.all_rows()
    return len(table.outputs) > 1 and bool(((rows == 0) | (rows == 1)).all() and (rows.sum(axis=1) <= 1).all())


def flag_of(row: np.ndarray) -> int:
    return int(row.argmax()) if row.any() else -1


def flags_column(f: Fitted, graph: Graph, x: Value, table: Table, j: int) -> Dict[str, Any]:
    rows = list(table.rows) + ([] if table.missing is None else [table.missing])
    unknown: Any = "error" if table.unknown is None else flag_of(table.unknown)
    return {
        "values": as_values(f, graph, x, table.categories, j),
        "missing": REFUSED if table.missing is None else 1,
        "map": array([flag_of(row) for row in rows], "i4"),
        "width": len(table.outputs),
        "unknown": "zeros" if unknown == -1 else unknown,
    }


def number_column(f: Fitted, graph: Graph, x: Value, table: Table, j: int) -> Dict[str, Any]:
    """Its number of each category; of a column that becomes several ones the place in the table of them."""
    count = len(table.categories)
    numbers = table.all_rows()[:, 0] if len(table.outputs) == 1 else np.arange(count + 2, dtype=np.float64)
    return {
        "values": as_values(f, graph, x, table.categories, j),
        "missing": REFUSED if table.missing is None else 1,
        "map": array(numbers[: count + (table.missing is not None)], "f8"),
        "unknown": "error" if table.unknown is None else array(numbers[-1], "f8"),
    }


def encode(f: Fitted, graph: Graph, x: Value, tables: Sequence[Table]) -> List[Value]:
    """A value for each table."""
    made: Dict[int, Value] = {}
    flags = [t for t in tables if is_flags(t)]
    numbers = [t for t in tables if not is_flags(t)]
    for some, column, op in ((flags, flags_column, "onehot"), (numbers, number_column, "ordinal")):
        if not some:
            continue
        part = graph.select(x, [t.place for t in some])
        columns = [column(f, graph, part, t, j) for j, t in enumerate(some)]
        width = sum(len(t.outputs) if op == "onehot" else 1 for t in some)
        whole, at = encoded(graph, op, part, [FLOAT64] * width, columns), 0
        for t in some:
            size = len(t.outputs) if op == "onehot" else 1
            made[t.place] = graph.select(whole, range(at, at + size))
            at += size
    for t in numbers:
        if len(t.outputs) > 1:
            codes = graph.select(made[t.place], [0] * len(t.outputs))
            made[t.place] = look_up(graph, codes, t.all_rows())
    return [made[t.place] for t in tables]


def with_combinations(asked: Asked, graph: Graph, x: Value) -> Value:
    """Behind the columns a number for each combination; NaN where one of its columns is missing."""
    parts = [x]
    for of in asked.combinations:
        part = graph.select(x, of.members)
        columns = []
        for i in range(len(of.members)):
            values = of.values(i)
            columns.append(
                {
                    "values": as_values(asked.f, graph, part, values, i),
                    "missing": 1,
                    "map": array([*range(len(values)), np.nan], "f8"),
                    "unknown": array(float(len(values)), "f8"),
                }
            )
        places = encoded(graph, "ordinal", part, [FLOAT64] * part.width, columns)
        parts.append(reduced(graph, "sum", combined(graph, "multiply", places, [float(s) for s in of.strides()])))
    return graph.concat(parts, keep_types=True)


@exporter("category_encoders", *NAMES)
def category_encoder(f: Fitted, graph: Graph, x: Value) -> Result:
    """Columns that it does not encode stay what they are, texts too."""
    if f.name == "OrdinalEncoder" and callable(f.get("handle_unknown")):
        raise f.error("with a function as handle_unknown is not supported: it is called with the category of the row")
    asked = Asked(f, graph, x)
    tables = tables_of(asked)
    check_tables(asked, tables)
    tables = [t for t in tables if t.outputs]
    parts = encode(f, graph, with_combinations(asked, graph, x), tables)
    places = [o for t in tables for o in t.outputs] + list(asked.passed)
    if asked.passed:
        parts.append(graph.select(x, list(asked.passed.values())))
    if not parts:
        raise f.error("makes no column")
    return Result("transformer", graph.select(graph.concat(parts, keep_types=True), np.argsort(places).tolist()))
