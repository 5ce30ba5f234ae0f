"""FunctionTransformer with a function of numpy or scipy.special that the format has: told by the object, not by
its name, since a function of one's own may have any name."""

from __future__ import annotations

import sys
from dataclasses import replace
from functools import partial
from operator import itemgetter, methodcaller
from typing import Any, Callable, Dict, List, Optional, Tuple

import numpy as np

from hbscore.errors import shown
from hbscore.export.arithmetic import chosen, combined, mapped
from hbscore.export.fitted import Fitted
from hbscore.export.graph import FLOAT32, FLOAT64, Graph, Value

BOOL = np.dtype(bool)

#: numpy's names of functions that `map` has by the name on the right. They compute in the columns' own type.
MAPS: Dict[str, str] = {
    "absolute": "abs",
    "fabs": "abs",
    "negative": "negative",
    "sign": "sign",
    "square": "square",
    "sqrt": "sqrt",
    "cbrt": "cbrt",
    "reciprocal": "reciprocal",
    "exp": "exp",
    "exp2": "exp2",
    "expm1": "expm1",
    "log": "log",
    "log2": "log2",
    "log10": "log10",
    "log1p": "log1p",
    "sin": "sin",
    "cos": "cos",
    "tan": "tan",
    "arcsin": "arcsin",
    "arccos": "arccos",
    "arctan": "arctan",
    "sinh": "sinh",
    "cosh": "cosh",
    "tanh": "tanh",
    "arcsinh": "arcsinh",
    "arccosh": "arccosh",
    "arctanh": "arctanh",
    "floor": "floor",
    "ceil": "ceil",
    "trunc": "trunc",
    "fix": "trunc",
    "rint": "rint",
}

#: Those of scipy.special.
SPECIAL: Dict[str, str] = {
    "expit": "sigmoid",
    "erf": "erf",
    "logit": "logit",
    "ndtri": "ndtri",
    "exp2": "exp2",
    "expm1": "expm1",
    "log1p": "log1p",
    "cbrt": "cbrt",
}

#: Degrees and radians are products with a quotient, of numbers of the columns' type.
FACTORS: Dict[str, Tuple[float, float]] = {
    "degrees": (180.0, np.pi),
    "rad2deg": (180.0, np.pi),
    "radians": (np.pi, 180.0),
    "deg2rad": (np.pi, 180.0),
}

#: scipy's matrices have these, and zeros stay zeros.
OF_SPARSE = {"absolute", "negative", "sign", "sqrt", "expm1", "log1p", "floor", "ceil", "trunc", "rint"}
OF_SPARSE |= {"sin", "tan", "arcsin", "arctan", "sinh", "tanh", "arcsinh", "arctanh"}


def marks(graph: Graph, made: Value) -> Value:
    """1 and 0 are numpy's bool."""
    return replace(made, types=(BOOL,) * made.width)


def is_above_all(graph: Graph, x: Value) -> Value:
    """1 of infinity; numbers of an operator are finite themselves."""
    return combined(graph, "gt", x, float(np.finfo(np.float64).max))


def by_type(graph: Graph, x: Value, types: List[str], function: Callable[[Value, str], Value]) -> Value:
    """`function` of the columns of each type in which they are computed with, as `map` has it."""
    if len(set(types)) == 1:
        return function(x, types[0])
    parts = []
    order: List[int] = []
    for dtype in sorted(set(types)):  # f4 before f8
        places = [j for j, t in enumerate(types) if t == dtype]
        parts.append(function(graph.select(x, places), dtype))
        order += places
    return graph.select(graph.concat(parts, keep_types=True), np.argsort(order).tolist())


def by_column(graph: Graph, x: Value, function: Callable[[Value, str], Value]) -> Value:
    """float32 columns are computed with in float32."""
    return by_type(graph, x, ["f4" if t == FLOAT32 else "f8" for t in x.types], function)


def limit(f: Fitted, options: Dict[str, Any], names: Tuple[str, str]) -> Optional[float]:
    """The bound that one of numpy's two names of it has; None: none."""
    found = [options.pop(n) for n in names if n in options]
    found = [v for v in found if v is not None]
    return float(f.checked("kw_args", np.asarray(found[0]), ())) if found else None


def clipped(f: Fitted, graph: Graph, x: Value, options: Dict[str, Any]) -> Value:
    """As numpy: min(max(x, low), high), where NaN stays."""
    low, high = limit(f, options, ("a_min", "min")), limit(f, options, ("a_max", "max"))

    def one(part: Value, dtype: str) -> Value:
        for function, bound in (("maximum", low), ("minimum", high)):
            if bound is not None:
                part = combined(graph, function, part, np.float64(np.dtype(dtype).type(bound)), dtype)
        return part

    return by_column(graph, x, one)


def without_nan(f: Fitted, graph: Graph, x: Value, options: Dict[str, Any]) -> Value:
    """np.nan_to_num: infinities become the largest numbers of the columns' type, where no others are given."""
    options.pop("copy", None)
    given = {name: options.pop(name, None) for name in ("nan", "posinf", "neginf")}

    def fill(name: str, usual: float, dtype: str) -> float:
        value = usual if given[name] is None else float(f.checked("kw_args", np.asarray(given[name]), (), False))
        return float(np.dtype(dtype).type(value))

    def one(part: Value, dtype: str) -> Value:
        most = float(np.finfo(dtype).max)
        below = is_above_all(graph, mapped(graph, "negative", part))
        made = chosen(graph, is_above_all(graph, part), fill("posinf", most, dtype), part)
        made = chosen(graph, below, fill("neginf", -most, dtype), made)
        made = chosen(graph, mapped(graph, "isnan", part), fill("nan", 0.0, dtype), made)
        return replace(made, types=part.types)

    return by_column(graph, x, one)


def as_integers(graph: Graph, x: Value, kind: Any) -> Value:
    """Whole numbers as numpy casts doubles: modulo 2^8 or 2^16, while what becomes of one that 32 bits do not hold is the
    processor's matter, and no result. Integers have no -0."""
    low, count = float(np.iinfo(kind).min), 2.0 ** (8 * kind.itemsize)
    if kind.itemsize < 4:
        return combined(graph, "add", combined(graph, "mod", combined(graph, "subtract", x, low), count), low)
    made = combined(graph, "add", x, 0.0)
    if kind.itemsize == 8:
        return made
    held = combined(graph, "and", combined(graph, "ge", made, low), combined(graph, "lt", made, low + count))
    return whole_numbers(graph, chosen(graph, held, made, np.inf))


def to_decimals(f: Fitted, graph: Graph, x: Value, options: Dict[str, Any]) -> Value:
    """np.round: times a power of ten, to the nearest, and back."""
    decimals = options.pop("decimals", 0)
    if not isinstance(decimals, (int, np.integer)) or abs(int(decimals)) > 22:
        raise f.error("with decimals=%s in kw_args is not supported" % shown(decimals))
    if decimals >= 0 and all(t.kind in "iu" for t in x.types):  # whole numbers are round
        return x
    power, steps = float(10 ** abs(int(decimals))), ("multiply", "divide")

    def one(part: Value, dtype: str) -> Value:
        kind = "f4" if dtype == "f4" else "f8"
        if dtype[0] != "f" and decimals >= 0:
            return part
        if decimals == 0:
            return mapped(graph, "rint", part, kind)
        there, back = steps if decimals > 0 else steps[::-1]
        whole = mapped(graph, "rint", combined(graph, there, part, power, kind), kind)
        made = combined(graph, back, whole, power, kind)
        return made if dtype[0] == "f" else as_integers(graph, made, np.dtype(dtype))

    types = ["%s%d" % (t.kind, t.itemsize) if t.kind in "iu" else "f4" if t == FLOAT32 else "f8" for t in x.types]
    return by_type(graph, x, types, one)


def factor_of(name: str, dtype: str) -> float:
    above, below = (np.dtype(dtype).type(v) for v in FACTORS[name])
    return float(above / below)


def answer_type(f: Fitted, name: str, function: Callable[[Any], Any], kind: Any) -> Any:
    """numpy's own type of what the function makes of a column."""
    try:
        with np.errstate(all="ignore"):
            made = np.asarray(function(np.ones(1, dtype=kind))).dtype
    except Exception as e:
        raise f.error("with %s of %s columns is not supported: %s" % (name, kind, e)) from e
    if made.kind == "f" and made.itemsize < 4:
        raise f.error("with %s of %s columns is not supported: numpy computes it in %s" % (name, kind, made))
    return made


def computed_in(name: str, kind: Any, made: Any) -> str:
    """The type in which `map` has what numpy makes `made` of."""
    if kind.kind in "iu" and wraps(kind, name):
        return "%s%d" % (kind.kind, kind.itemsize)
    return "f4" if made == FLOAT32 else "f8"


def whole_numbers(graph: Graph, made: Value) -> Value:
    """A number that the type does not hold has no result: an integer that float64 rounds has another square."""
    return graph.check(graph.guard(made, missing=True), missing=True)


def logit(graph: Graph, x: Value, dtype: str) -> Value:
    """log(x / (1 - x)), and since scipy 1.14 near a half, where that cancels, log1p(s) - log1p(-s) of s = 2 (x - 1/2)."""
    far = mapped(graph, "log", combined(graph, "divide", x, combined(graph, "subtract", 1.0, x, dtype), dtype), dtype)
    half = 0.5 + 2.0**-40
    if sys.modules["scipy.special"].logit(half) == np.log(half / (1.0 - half)):
        return far
    s = combined(graph, "multiply", combined(graph, "subtract", x, 0.5, dtype), 2.0, dtype)
    below = mapped(graph, "log1p", mapped(graph, "negative", s, dtype), dtype)
    near = combined(graph, "subtract", mapped(graph, "log1p", s, dtype), below, dtype)
    is_near = combined(graph, "and", combined(graph, "ge", x, 0.3), combined(graph, "le", x, 0.65))
    return chosen(graph, is_near, near, far)


def ufunc(name: str, operator: str, graph: Graph, x: Value, types: List[Any]) -> Value:
    """types: numpy's own of the answers. operator: the function as `map` has it; "" of a factor."""

    def one(part: Value, dtype: str) -> Value:
        if not operator:
            return combined(graph, "multiply", part, factor_of(name, dtype), dtype)
        if operator == "logit":
            return logit(graph, part, dtype)
        made = mapped(graph, operator, part, dtype)
        return made if dtype[0] == "f" else whole_numbers(graph, made)

    made = by_type(graph, x, [computed_in(name, t, m) for t, m in zip(x.types, types)], one)
    return replace(made, types=tuple(types))


def tested(name: str, graph: Graph, x: Value) -> Value:
    """A question that numpy answers by bool."""
    if name == "isinf":
        return marks(graph, is_above_all(graph, mapped(graph, "abs", x)))
    return marks(graph, mapped(graph, {"logical_not": "not"}.get(name, name), x))


TESTS = ("isnan", "isfinite", "isinf", "logical_not")
WITH_OPTIONS = {"clip": clipped, "nan_to_num": without_nan, "round": to_decimals}


def name_of(function: Any) -> Optional[str]:
    """numpy's own name of a function of numpy's; "special.expit" of one of scipy.special."""
    own = getattr(function, "__name__", "")
    name = {"around": "round", "round_": "round"}.get(own, own)
    if name in WITH_OPTIONS or name in MAPS or name in FACTORS or name in TESTS:
        if function in (getattr(np, own, None), getattr(np, name, None)):
            return str(name)
    if name in SPECIAL and getattr(sys.modules.get("scipy.special"), name, None) is function:
        return "special." + str(name)
    return None


#: Functions and methods of numpy that make a list of one column, and their option. Whatever it says, the values stay.
LISTS = {"ravel": "order", "flatten": "order", "squeeze": "axis", "reshape": "shape"}

#: Arguments of one column that leave the rows as they are: `axis` and `shape`.
ONE_COLUMN = {"axis": (None, 1, -1, (1,), (-1,), "columns"), "shape": (-1, (-1,), (-1, 1)), "order": tuple("CFAK")}


def method_of(function: Any, options: Dict[str, Any]) -> Tuple[str, Dict[str, Any]]:
    """The method that operator.methodcaller calls, with its options by name."""
    made, given = function.__reduce__()[:2]
    words: List[Any] = [*getattr(made, "args", ()), *given]
    name, values = words[0], words[1:]
    named: Dict[str, Any] = dict(getattr(made, "keywords", {}))
    if name == "reshape" and len(values) > 1:
        values = [tuple(values)]
    for i, value in enumerate(values):
        named[LISTS.get(name, "") if i == 0 else "argument %d" % (i + 1)] = value
    return name, {**named, **options}


def list_function(function: Any, options: Dict[str, Any]) -> Tuple[str, Dict[str, Any]]:
    """The name in LISTS and the options; "" of another function."""
    name = getattr(function, "__name__", "")
    if type(function) is methodcaller:
        name, options = method_of(function, options)
    elif not any(function is getattr(owner, name, None) for owner in (np, np.ndarray)):
        return "", options
    if name == "reshape" and "newshape" in options:  # before numpy 2.1
        options = {"shape": options["newshape"], **{n: v for n, v in options.items() if n != "newshape"}}
    return (name if name in LISTS else ""), options


def is_one_column(f: Fitted, x: Value, function: Any, options: Dict[str, Any]) -> bool:
    """True of a function that makes a list of the one column, as a vectorizer takes texts: nothing else becomes of it."""
    name, options = list_function(function, options)
    if not name:
        return False
    known = (LISTS[name], "order") if name == "reshape" else (LISTS[name],)
    for option, value in options.items():
        value = tuple(value) if isinstance(value, list) else value
        if option not in known or not any(type(value) is type(one) and value == one for one in ONE_COLUMN[option]):
            raise f.error("with %s=%s in kw_args of %s is not supported" % (option, shown(value), name))
    if x.width != 1 or x.sparse:
        raise f.error("with %s of more than one column, or of a sparse matrix, is not supported" % name)
    return True


def columns_of(f: Fitted, graph: Graph, x: Value, function: Any) -> Value:
    """Those that operator.itemgetter takes of a DataFrame, by name."""
    (items,) = function.__reduce__()[1][:1]
    wanted = items if isinstance(items, list) else [items]
    names = list(getattr(f.model, "feature_names_in_", ()))
    if len(function.__reduce__()[1]) != 1 or not wanted or not all(isinstance(w, str) and w in names for w in wanted):
        raise f.error("with %s is not supported: it takes no columns of a DataFrame by their names" % shown(function))
    return graph.select(x, [names.index(w) for w in wanted])


def rearranged(f: Fitted, graph: Graph, x: Value, function: Any, options: Dict[str, Any]) -> Optional[Value]:
    """The result of functions that compute nothing: some of the columns, or a matrix that is not sparse. None: another one."""
    if type(function) is itemgetter and not options:
        return columns_of(f, graph, x, function)
    if type(function) is methodcaller and x.sparse and not options:
        if function.__reduce__()[1] in (("toarray",), ("todense",)):
            return replace(x, sparse=False, stored_zeros=False)
    if (function is np.asarray or function is np.array) and not options and not x.sparse:
        return x if graph.has_text(x) else replace(x, types=(np.result_type(*set(x.types)),) * x.width)
    return x if is_one_column(f, x, function, options) else None


def unfolded(f: Fitted, inverse: bool) -> Tuple[Any, Dict[str, Any]]:
    """The function and its options, those of functools.partial too."""
    names = ("inverse_func", "inv_kw_args") if inverse else ("func", "kw_args")
    function, options = f.get(names[0]), dict(f.get(names[1]) or {})
    while type(function) is partial and not function.args:
        options = {**function.keywords, **options}
        function = function.func
    return function, options


def wraps(kind: Any, name: str) -> bool:
    """True where numpy's integers are no doubles: those up to 2^53 can overflow, and then begin again at the other end, and
    they have no -0."""
    return name in ("square", "negative", "reciprocal") or (name == "absolute" and kind.kind == "i" and kind.itemsize < 8)


def types_of(f: Fitted, x: Value, name: str, function: Any, options: Dict[str, Any]) -> List[Any]:
    """numpy's own types of what it makes of the columns."""
    if name in WITH_OPTIONS and name != "clip":
        if name == "round" and any(t.kind == "b" for t in x.types):
            raise f.error("with round of bool columns is not supported: numpy computes it in float16")
        return [t if t.kind in "iub" else FLOAT32 if t == FLOAT32 else FLOAT64 for t in x.types]
    given = options if name == "clip" else {}
    found = {t: answer_type(f, name, lambda column: function(column, **given), t) for t in x.types if t.kind in "iub"}
    return [found.get(t, FLOAT32 if t == FLOAT32 else FLOAT64) for t in x.types]


def apply(f: Fitted, graph: Graph, x: Value, inverse: bool = False) -> Value:
    """A FunctionTransformer's function, or its inverse."""
    function, options = unfolded(f, inverse)
    same = rearranged(f, graph, x, function, options)
    if same is not None:
        return same
    name = name_of(function)
    if name is None:
        place = getattr(function, "__module__", None)
        raise f.error("with the function %s is not supported" % (shown(function) + (" of %s" % place if place else "")))
    if graph.has_text(x):
        raise f.error("with %s gets texts" % name)
    if x.sparse and name not in OF_SPARSE:
        raise f.error("with %s of a sparse matrix is not supported" % name)
    types = types_of(f, x, name, function, dict(options))
    if name in WITH_OPTIONS:
        made = WITH_OPTIONS[name](f, graph, x, options)
    elif name in TESTS:
        made = tested(name, graph, x)
    else:
        operator = SPECIAL[name[8:]] if name.startswith("special.") else MAPS.get(name, "")
        made = ufunc(name, operator, graph, x, types)
    if options:
        raise f.error("with %s in kw_args of %s is not supported" % (", ".join(sorted(options)), name))
    return made if name in TESTS else replace(made, types=tuple(types), stored_zeros=x.sparse)
