"""Training data, and the rows that a golden file asks for.

All data come from seeded legacy generators (numpy.random.RandomState), whose streams are the same
in every numpy release, so that each version trains on the same numbers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Callable, Dict, List, Optional, Sequence

import numpy as np

from golden_cells import Value

FLT_MAX = float(np.finfo(np.float32).max)

#: Asked for in every numeric column. Infinite after the cast: 1e300. Denormal in float32: 1e-40 and
#: 1.4e-45; in float64: 5e-324, which float32 takes as 0.
SPECIAL: List[Value] = [
    float("inf"),
    float("-inf"),
    -0.0,
    0.0,
    5e-324,
    -5e-324,
    1e-40,
    1.4e-45,
    -1.4e-45,
    FLT_MAX,
    -FLT_MAX,
    1e300,
    -1e300,
    3.4028235677973366e38,
    2**24 + 1,
    -(2**24) - 1,
    2**53 + 1,
    -(2**53) - 1,
    2**63 - 1,
    2**54 + 2**30 + 1,
    True,
    False,
]

#: The first rows of each golden: training data with all their digits.
FULL_ROWS = 16

#: Codes that no category set holds, or that are cut to one that it may hold.
ODD_CODES: List[Value] = [
    -1.0,
    -0.5,
    -0.999,
    0.5,
    1.5,
    1.999999,
    2.75,
    31.0,
    32.0,
    33.0,
    63.5,
    64.0,
    1000.0,
    16777215.0,
    16777216.0,
    16777217.0,
    1e9,
    2147483648.0,
    -2147483649.0,
    1e300,
    float("inf"),
    float("-inf"),
    -0.0,
    5e-324,
    2**24,
    2**53 + 1,
    -7,
    True,
]


@dataclass
class Column:
    """One feature. kind: real (numbers), code (category codes given as numbers), text or numcat
    (categories that the file may store: text or numbers)."""

    name: str
    kind: str
    values: Any  # float64 array with NaN, or a list of category values with None
    categories: Optional[List[Any]] = None
    cell: str = "d"  # how ordinary values are written: d, s, i or b
    dtype: str = "int64"  # of a numcat column's categories

    @property
    def stored(self) -> bool:
        """Its categories are in the file, by value."""
        return self.kind in ("text", "numcat")

    def value(self, row: int) -> Value:
        v = self.values[row]
        if v is None or (isinstance(v, (float, np.floating)) and np.isnan(v)):
            return None
        if self.stored:
            return v
        if self.cell == "s":
            return np.float32(v)
        if self.cell == "i":
            return int(v)
        if self.cell == "b":
            return bool(v)
        return float(v)


def categorical(values: Sequence[Any], categories: Any, kind: str, dtype: str) -> Any:
    """A pandas column of category type; None is missing."""
    import pandas as pd

    if kind == "text":
        return pd.Categorical(values, categories=categories)
    known = [{"float64": float, "bool": bool}.get(dtype, int)(c) for c in categories]
    codes = [-1 if v is None or v != v else known.index(v) for v in values]
    return pd.Categorical.from_codes(codes, categories=pd.Index(known, dtype=dtype))


@dataclass
class Table:
    columns: List[Column]
    score: np.ndarray  # what targets are made of
    named: bool = False
    rng: np.random.RandomState = field(default_factory=lambda: np.random.RandomState(7))

    @property
    def rows(self) -> int:
        return len(self.score)

    def matrix(self) -> np.ndarray:
        out = np.empty((self.rows, len(self.columns)), dtype=np.float64)
        for j, c in enumerate(self.columns):
            out[:, j] = np.asarray(c.values, dtype=np.float64)
        return out

    def frame(self, dtypes: Optional[Dict[str, str]] = None) -> Any:
        import pandas as pd

        data = {}
        for c in self.columns:
            if c.kind in ("text", "numcat"):
                data[c.name] = pd.Series(categorical(c.values, c.categories, c.kind, c.dtype))
            else:
                s = pd.Series(np.asarray(c.values, dtype=np.float64))
                data[c.name] = s.astype((dtypes or {}).get(c.name, "float64"))
        return pd.DataFrame(data)

    def names(self) -> Optional[List[str]]:
        return [c.name for c in self.columns] if self.named else None

    # Targets. Each is a function of the score and a little noise from the table's own stream.
    def y_real(self) -> np.ndarray:
        return self.score + 0.3 * self.rng.randn(self.rows)

    def y_positive(self) -> np.ndarray:
        return np.exp(0.5 * self.y_real()) + 0.01

    def y_count(self) -> np.ndarray:
        return self.rng.poisson(np.exp(np.clip(0.4 * self.score, -3, 3))).astype(np.float64)

    def y_unit(self) -> np.ndarray:
        return 1.0 / (1.0 + np.exp(-self.y_real()))

    def y_binary(self) -> np.ndarray:
        return (self.y_real() > np.median(self.score)).astype(np.int64)

    def y_class(self, k: int) -> np.ndarray:
        y = self.y_real()
        return np.searchsorted(np.quantile(y, np.linspace(0, 1, k + 1)[1:-1]), y).astype(np.int64)

    def y_many(self, k: int) -> np.ndarray:
        cols = [self.y_real() * (1 - 0.3 * j) + j * np.sin(self.score + j) for j in range(k)]
        return np.stack(cols, axis=1)


SCALES = [1.0, 1000.0, 0.01, 5.0, 1e-6, 1e6, 40.0, 0.3]


def numbers(
    seed: int, n: int = 320, f: int = 4, missing: float = 0.08, cells: str = "dsdds"
) -> Table:
    """Real columns of very different scales, the fourth of each eight made of small integers."""
    rng = np.random.RandomState(seed)
    columns = []
    score = np.zeros(n)
    for j in range(f):
        z = rng.randn(n)
        score += z * (1.2 if j % 2 == 0 else -0.8) / (1 + j // 4) + (z > 0.5) * 0.4
        v = z * SCALES[j % 8]
        if j % 8 == 3:
            v = np.round(v)
        v[rng.rand(n) < missing] = np.nan
        columns.append(Column("f%d" % j, "real", v, cell=cells[j % len(cells)]))
    return Table(columns, score, rng=rng)


def coded(
    seed: int, n: int = 400, sizes: Sequence[int] = (4, 12, 40), missing: float = 0.06
) -> Table:
    """Category codes in the even columns, reals between them."""
    rng = np.random.RandomState(seed)
    columns, score = [], np.zeros(n)
    for k in sizes:
        code = rng.randint(0, k, n)
        effect = rng.randn(k) * 1.5
        score += effect[code]
        v = code.astype(np.float64)
        v[rng.rand(n) < missing] = np.nan
        columns.append(Column("f%d" % len(columns), "code", v, categories=list(range(k))))
        z = rng.randn(n)
        score += z * 0.7
        columns.append(Column("f%d" % len(columns), "real", z))
    return Table(columns, score, rng=rng)


WORDS = ["basic", "gold", "plus", "silver", "two words", "Zeta"]
ACCENTS = ["Zürich", "café", "naïve", "日本", "ascii", "Ωmega", "x"]


def labelled(
    seed: int,
    words: Sequence[str] = WORDS,
    numeric: Optional[Sequence[Any]] = None,
    n: int = 400,
    missing: float = 0.05,
) -> Table:
    """Columns of pandas' category type between real ones, as a DataFrame gives them."""
    rng = np.random.RandomState(seed)
    columns: List[Column] = []
    score = np.zeros(n)

    def real(name: str, cell: str = "d") -> None:
        z = rng.randn(n)
        nonlocal score
        score = score + z * 0.8
        columns.append(Column(name, "real", z, cell=cell))

    def category(name: str, kind: str, values: Sequence[Any]) -> None:
        code = rng.randint(0, len(values), n)
        nonlocal score
        score = score + (rng.randn(len(values)) * 1.5)[code]
        gone = rng.rand(n) < missing
        picked = [None if g else values[c] for g, c in zip(gone, code)]
        columns.append(Column(name, kind, picked, categories=list(values)))

    real("age")
    if words:
        category("plan", "text", words)
    real("monthly fee")
    if numeric is not None:
        category("zone", "numcat", numeric)
    if words and len(words) > 2:
        category("color", "text", [w + "-2" for w in words[: max(2, len(words) // 2)]])
    return Table(columns, score, named=True, rng=rng)


def neighbours(t: float) -> List[Value]:
    """A threshold, the float32 on each side, and doubles between them: a quarter step rounds back
    to the threshold, a half step is a tie, three quarters round to the neighbour."""
    t32 = np.float32(t)
    with np.errstate(all="ignore"):
        low, high = np.nextafter(t32, np.float32("-inf")), np.nextafter(t32, np.float32("inf"))
    a, b, c = float(low), float(t32), float(high)
    return [
        b,
        a,
        c,
        a + (b - a) * 0.25,
        a + (b - a) * 0.5,
        a + (b - a) * 0.75,
        b + (c - b) * 0.25,
        b + (c - b) * 0.5,
        b - abs(b) * 1e-15,
        t32,
    ]


def unseen_words(categories: Sequence[str]) -> List[str]:
    """Values never seen in training: before, between and after all categories, parts of one."""
    first = sorted(categories)[0]
    picks = [
        "",
        "!",
        first[:-1],
        first + "x",
        "mmm",
        "~~~",
        "zzzz",
        "é",
        "日",
        "￿",
        first.upper() + "?",
    ]
    return [p for p in picks if p not in categories]


def shorter(v: Value, marks: Sequence[float]) -> Value:
    """A fraction without the last 16 of its float32 bits, so that the golden stays small. Marks of
    missing values and the ends of the range are left alone."""
    if isinstance(v, (bool, int)) or not isinstance(v, (float, np.float32)) or v in marks:
        return v
    if v == np.floor(v) or not 1e-30 < abs(v) < 1e30:
        return v
    short = (np.array([v], dtype=np.float32).view(np.uint32) & 0xFFFF0000).view(np.float32)[0]
    return short if isinstance(v, np.float32) else float(short)


def edge_rows(
    table: Table,
    thresholds: Dict[int, List[float]],
    seed: int,
    count: int = 200,
    missing: Optional[float] = None,
    infinities: bool = True,
    special: Sequence[Value] = SPECIAL,
    near: Callable[[float], List[Value]] = neighbours,
) -> List[List[Value]]:
    """The rows of a golden: ordinary, then missing values, extremes, categories, thresholds. `near`
    gives ten values around a threshold, of which the first three are asked for most often."""
    rng = np.random.RandomState(seed)
    cols = table.columns
    wide = len(cols) > 40
    marks = [] if missing is None else [missing]
    rows: List[List[Value]] = []

    def brief(i: int) -> List[Value]:
        return [c.value(i) if c.stored else shorter(c.value(i), marks) for c in cols]

    def ordinary() -> List[Value]:
        return brief(rng.randint(table.rows))

    def one(j: int, v: Value) -> None:
        row = ordinary()
        row[j] = v
        rows.append(row)

    numeric = [j for j, c in enumerate(cols) if c.kind in ("real", "code")]
    real = [j for j, c in enumerate(cols) if c.kind == "real"]
    used = [j for j in sorted(thresholds) if thresholds[j]]
    for i in range(FULL_ROWS):
        rows.append([c.value(i) for c in cols])
    for i in range(FULL_ROWS, 40 if not wide else 20):
        rows.append(brief(i))
    for j in range(len(cols)) if not wide else used[:12]:
        one(j, None)
        if cols[j].kind in ("real", "code"):
            one(j, float("nan"))
    rows.append([None] * len(cols))
    rows.append([float("nan") if j in numeric else None for j in range(len(cols))])
    rows.append([None if rng.rand() < 0.5 else v for v in ordinary()])
    asked = [v for v in special if infinities or abs(to_float(v)) <= FLT_MAX]
    for k, v in enumerate(asked):
        row = ordinary()
        for j in used if wide else real:
            row[j] = v
        rows.append(row)
        if used or real:
            pool = [j for j in used if cols[j].kind == "real"] or real
            one(pool[k % len(pool)], v)
    if missing is not None:
        above = float(np.nextafter(np.float32(missing), np.float32("inf")))
        for k, v in enumerate(
            [missing, missing, missing + abs(missing) * 1e-12, above, int(missing)]
        ):
            for j in (real[k % len(real)], real[(k + 1) % len(real)]):
                one(j, v)
        rows.append([missing if j in real else None for j in range(len(cols))])
    for j, c in enumerate(cols):
        if c.kind == "code":
            for v in list(c.categories or [])[:10] + ODD_CODES:
                if infinities or abs(to_float(v)) <= FLT_MAX:
                    one(j, float(v) if isinstance(v, (int, np.integer)) and rng.rand() < 0.5 else v)
        elif c.kind == "text":
            for w in list(c.categories or []) + unseen_words(c.categories or []):
                one(j, w)
        elif c.kind == "numcat":
            known = list(c.categories or [])
            for v in known + [
                known[0] - 1,
                known[-1] + 1,
                known[0] + 0.25,
                2**24 + 1,
                float("nan"),
            ]:
                one(j, v)
            one(j, float(known[0]))
    pairs = [(j, t) for j in used for t in thresholds[j] if j in real]
    if pairs:
        order = rng.permutation(len(pairs))
        k = 0
        # At least the reserve: tables with many categories fill the count by themselves.
        limit = max(count, len(rows) + 48)
        while len(rows) < limit - 24:
            j, t = pairs[order[(k // 3) % len(pairs)]]
            ten = near(t)
            one(j, ten[k % 3] if k % 2 else ten[3 + (k // 2) % 7])
            k += 1
        while len(rows) < limit:
            row = ordinary()
            for j in used:
                if j in real:
                    row[j] = near(thresholds[j][rng.randint(len(thresholds[j]))])[rng.randint(10)]
            rows.append(row)
    while len(rows) < count:
        rows.append(ordinary())
    return rows


def to_float(v: Value) -> float:
    return 0.0 if v is None else float(v)  # type: ignore[arg-type]
