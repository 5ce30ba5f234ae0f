"""FunctionTransformer with a function of numpy or scipy.special that the format has: told by the object, not by
its name, since a function of one's own may have any name."""

from __future__ import annotations

import sys
from dataclasses import replace
from functools import partial
from operator import methodcaller
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

#: They keep integers, where the others make float64 of them.
KEEP_INTEGERS = {"absolute", "negative", "sign", "square", "reciprocal"}

#: scipy's matrices have these, and zeros stay zeros.
OF_SPARSE = {"absolute", "negative", "sign", "sqrt", "expm1", "log1p", "floor", "ceil", "trunc", "rint"}
OF_SPARSE |= {"sin", "tan", "arcsin", "arctan", "sinh", "tanh", "arcsinh", "arctanh"}


def is_small(kind: Any) -> bool:
    """Integers of which numpy makes float16 or float32, in which it then computes."""
    return kind.kind in "iub" and kind.itemsize < 4


def marks(graph: Graph, made: Value) -> Value:
    """1 and 0 are numpy's bool."""
    return replace(made, types=(BOOL,) * made.width)


def is_above_all(graph: Graph, x: Value) -> Value:
    """1 of infinity; numbers of an operator are finite themselves."""
    return combined(graph, "gt", x, float(np.finfo(np.float64).max))


def by_column(graph: Graph, x: Value, function: Callable[[Value, str], Value]) -> Value:
    """`function` of the columns of each type; float32 columns are computed with in float32."""
    narrow = [t == FLOAT32 for t in x.types]
    if all(narrow) or not any(narrow):
        return function(x, "f4" if narrow[0] else "f8")
    parts = []
    order = []
    for is_narrow, dtype in ((True, "f4"), (False, "f8")):
        places = [j for j, n in enumerate(narrow) if n == is_narrow]
        parts.append(function(graph.select(x, places), dtype))
        order += places
    return graph.select(graph.concat(parts, keep_types=True), np.argsort(order).tolist())


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


def to_decimals(f: Fitted, graph: Graph, x: Value, options: Dict[str, Any]) -> Value:
    """np.round: times a power of ten, to the nearest, and back."""
    decimals = options.pop("decimals", 0)
    if not isinstance(decimals, (int, np.integer)) or abs(int(decimals)) > 22:
        raise f.error("with decimals=%s in kw_args is not supported" % shown(decimals))
    if decimals >= 0 and all(t.kind in "iu" for t in x.types):  # whole numbers are round
        return x
    if decimals < 0 and any(t.kind in "iu" for t in x.types):
        raise f.error("with decimals=%d of whole numbers is not supported: numpy's integers overflow" % decimals)
    power, steps = float(10 ** abs(int(decimals))), ("multiply", "divide")

    def one(part: Value, dtype: str) -> Value:
        if decimals == 0:
            return mapped(graph, "rint", part, dtype)
        there, back = steps if decimals > 0 else steps[::-1]
        whole = mapped(graph, "rint", combined(graph, there, part, power, dtype), dtype)
        return combined(graph, back, whole, power, dtype)

    return by_column(graph, x, one)


def factor_of(name: str, dtype: str) -> float:
    above, below = (np.dtype(dtype).type(v) for v in FACTORS[name])
    return float(above / below)


def ufunc(name: str, graph: Graph, x: Value) -> Value:
    if name in FACTORS:
        return by_column(graph, x, lambda p, t: combined(graph, "multiply", p, factor_of(name, t), t))
    return by_column(graph, x, lambda p, t: mapped(graph, MAPS[name], p, t))


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


def unfolded(f: Fitted, inverse: bool) -> Tuple[Any, Dict[str, Any]]:
    """The function and its options, those of functools.partial too."""
    names = ("inverse_func", "inv_kw_args") if inverse else ("func", "kw_args")
    function, options = f.get(names[0]), dict(f.get(names[1]) or {})
    while type(function) is partial and not function.args:
        options = {**function.keywords, **options}
        function = function.func
    return function, options


def wraps(kind: Any, name: str) -> bool:
    """True where numpy's integers of the type can overflow, and then begin again at the other end."""
    unsigned = kind.kind in "ub"
    over = {"square": kind.kind != "b", "negative": unsigned or is_small(kind), "absolute": is_small(kind) and not unsigned}
    return bool(over.get(name, False))


def check_types(f: Fitted, x: Value, name: str) -> None:
    whole = [t for t in x.types if t.kind in "iub"]
    small = [t for t in whole if is_small(t)]
    if small and name not in KEEP_INTEGERS and name not in TESTS and name != "nan_to_num":
        raise f.error("with %s of %s columns is not supported: numpy computes it in a smaller type" % (name, small[0]))
    if whole and name == "reciprocal":
        raise f.error("with reciprocal of %s columns is not supported: it is a division of integers" % whole[0])
    over = [t for t in whole if wraps(t, name)]
    if over:
        raise f.error("with %s of %s columns is not supported: numpy's integers overflow" % (name, over[0]))
    if x.sparse and name not in OF_SPARSE:
        raise f.error("with %s of a sparse matrix is not supported" % name)


def apply(f: Fitted, graph: Graph, x: Value, inverse: bool = False) -> Value:
    """A FunctionTransformer's function, or its inverse."""
    function, options = unfolded(f, inverse)
    if is_one_column(f, x, function, options):
        return x
    name = name_of(function)
    if name is None:
        place = getattr(function, "__module__", None)
        raise f.error("with the function %s is not supported" % (shown(function) + (" of %s" % place if place else "")))
    if graph.has_text(x):
        raise f.error("with %s gets texts" % name)
    check_types(f, x, name)
    if name in WITH_OPTIONS:
        made = WITH_OPTIONS[name](f, graph, x, options)
    elif name.startswith("special."):
        made = by_column(graph, x, lambda p, t: mapped(graph, SPECIAL[name[8:]], p, t))
    else:
        made = tested(name, graph, x) if name in TESTS else ufunc(name, graph, x)
    if options:
        raise f.error("with %s in kw_args of %s is not supported" % (", ".join(sorted(options)), name))
    if name in TESTS:
        return made
    keeps = name in KEEP_INTEGERS or name == "nan_to_num"
    kinds = [t if t == FLOAT32 or (keeps and t.kind in "iub") else FLOAT64 for t in x.types]
    return replace(made, types=tuple(kinds), stored_zeros=x.sparse)
