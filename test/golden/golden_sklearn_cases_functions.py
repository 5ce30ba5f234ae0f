"""Functions of each number: FunctionTransformer with numpy's and scipy's own, and powers."""

from __future__ import annotations

from functools import partial
from typing import Any, Dict, Sequence

import numpy as np
import scipy.special
from sklearn import linear_model as lm
from sklearn import preprocessing as pp
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import make_pipeline

from golden_sklearn_models import BOTH, Trained, case, clean, fitted, small
from golden_tables import Table

FEW = 45  # rows
LAST_BITS = "rel:1e-15"  # four units of the last place
NARROW = "rel:5e-07"  # the same of float32

#: Without an elementary function, the same bits.
EXACT = (np.abs, np.fabs, np.negative, np.sign, np.square, np.sqrt, np.reciprocal, np.floor, np.ceil, np.trunc, np.rint)
ANGLES = (np.degrees, np.radians, np.rad2deg, np.deg2rad)
MARKS = (np.isnan, np.isfinite, np.isinf, np.logical_not)
EXPONENTIALS = (np.exp, np.exp2, np.expm1, np.tanh, scipy.special.expit, scipy.special.erf)
ANGULAR = (np.sin, np.cos, np.tan, np.arctan, np.sinh, np.cosh, np.arcsinh, np.arctanh)
LOGARITHMS = (np.log, np.log2, np.log10, np.log1p, np.cbrt, scipy.special.log1p)


def side_by_side(functions: Sequence[Any], t: Table, **more: Any) -> Trained:
    """Each function of each column."""
    names = [c.name for c in t.columns]
    parts = [("%02d" % i, pp.FunctionTransformer(function), names) for i, function in enumerate(functions)]
    return fitted(ColumnTransformer(parts), t, t.y_real(), count=FEW, **more)


def function_of(seed: int, function: Any, kw_args: Dict[str, Any], **more: Any) -> Trained:
    t = clean(seed, f=2)
    model = pp.FunctionTransformer(function, kw_args=kw_args)
    return fitted(model, t, t.y_real(), count=FEW, rule="exact", **more)


def shifted(seed: int, f: int = 2, least: float = 0.25) -> Table:
    """Numbers above 0."""
    t = small(seed, f=f, named=True)
    for c in t.columns:
        c.values = np.round(np.abs(c.values) + least, 3)
    return t


@case(BOTH)
def func_exact() -> Trained:
    """Infinities and missing numbers pass."""
    return side_by_side(EXACT + ANGLES, small(1401, f=2, named=True), rule="exact", covers=["option=FunctionTransformer.exact"])


@case()
def func_exact_float32() -> Trained:
    types = {"f0": "float32", "f1": "float32"}
    t = small(1402, f=2, named=True)
    return side_by_side(EXACT + ANGLES, t, types=types, rule="exact", covers=["option=FunctionTransformer.float32"])


@case()
def func_marks() -> Trained:
    return side_by_side(MARKS, small(1403, f=2, named=True), rule="exact", covers=["option=FunctionTransformer.marks"])


@case(BOTH)
def func_exponentials() -> Trained:
    covers = ["option=FunctionTransformer.exponentials", "option=FunctionTransformer.scipy"]
    return side_by_side(EXPONENTIALS, small(1404, f=2, named=True), rule=LAST_BITS, covers=covers)


@case()
def func_angular() -> Trained:
    covers = ["option=FunctionTransformer.angular"]
    return side_by_side(ANGULAR, small(1413, f=2, named=True), rule=LAST_BITS, covers=covers)


@case(BOTH)
def func_logarithms() -> Trained:
    """Of numbers above 0; those of others are NaN or infinite."""
    covers = ["option=FunctionTransformer.logarithms"]
    return side_by_side(LOGARITHMS, shifted(1405), rule=LAST_BITS, covers=covers)


@case()
def func_elementary_float32() -> Trained:
    types = {"f0": "float32", "f1": "float32"}
    return side_by_side((np.exp, np.log1p, np.tanh, np.cbrt), shifted(1406), types=types, rule=NARROW)


@case(BOTH)
def func_clip() -> Trained:
    limits = {"a_min": -0.5, "a_max": 0.75}
    return function_of(1407, np.clip, limits, covers=["option=FunctionTransformer.clip"])


@case()
def func_partial() -> Trained:
    """One bound, by functools.partial, of float32 columns."""
    covers = ["option=FunctionTransformer.partial"]
    return function_of(1408, partial(np.clip, a_min=0.1), {"a_max": None}, narrow=True, covers=covers)


@case(BOTH)
def func_nan_to_num() -> Trained:
    fills = {"nan": -1.0, "posinf": 7.0}
    return function_of(1409, np.nan_to_num, fills, covers=["option=FunctionTransformer.nan_to_num"])


@case()
def func_round() -> Trained:
    return function_of(1410, np.round, {"decimals": 2}, covers=["option=FunctionTransformer.round"])


@case()
def func_validated() -> Trained:
    """validate=True refuses missing numbers and infinities, and gives all columns one type."""
    t = small(1411, f=2)
    model = pp.FunctionTransformer(np.square, validate=True)
    return fitted(model, t, t.y_real(), count=FEW, rule="exact", covers=["option=FunctionTransformer.validate"])


@case(BOTH)
def func_log1p_ridge() -> Trained:
    """log(0) and of less is refused by the next step."""
    t = small(1412)
    model = make_pipeline(pp.FunctionTransformer(np.log1p), pp.StandardScaler(), lm.Ridge())
    for c in t.columns:
        c.values = np.abs(c.values)
    return fitted(model, t, t.y_real(), transform=True, rule="abs:5e-15")


# Powers -----------------------------------------------------------------------------------------

POWERS = "abs:1e-13"


def powers(seed: int, t: Table, model: Any, lambdas: Sequence[float] = (), **more: Any) -> Trained:
    """lambdas: in the place of the fitted ones, before the scaler is fitted."""
    made = fitted(model, t, t.y_real(), count=FEW, **more)
    for j, value in enumerate(lambdas):
        model.lambdas_[j] = value
    return made


@case(BOTH)
def power_yeo_johnson() -> Trained:
    t = small(1421)
    return powers(1421, t, pp.PowerTransformer(), rule=POWERS, covers=["option=PowerTransformer.yeo-johnson"])


@case(BOTH)
def power_yeo_johnson_plain() -> Trained:
    """Lambdas for which logarithms take the place of powers, and the one that changes nothing."""
    model = pp.PowerTransformer(standardize=False)
    covers = ["option=PowerTransformer." + word for word in ("lambda=0", "lambda=2", "standardize")]
    return powers(1422, small(1422, f=5), model, (0.0, 2.0, 1.0, -1.5, 3.25), rule=POWERS, covers=covers)


@case(BOTH)
def power_yeo_johnson_float32() -> Trained:
    model = pp.PowerTransformer(standardize=False)
    return powers(1423, small(1423, f=3), model, (0.0, 2.0), narrow=True, rule="abs:5e-06")


@case(BOTH)
def power_box_cox() -> Trained:
    """A row with a number that is not above 0 has no result."""
    model = pp.PowerTransformer(method="box-cox")
    covers = ["option=PowerTransformer.box-cox"]
    return powers(1424, shifted(1424, 3), model, rule=POWERS, covers=covers)


@case()
def power_box_cox_plain() -> Trained:
    model = pp.PowerTransformer(method="box-cox", standardize=False)
    return powers(1425, shifted(1425, 3), model, (0.0, -0.5, 2.0), rule=POWERS)


@case()
def power_box_cox_float32() -> Trained:
    types = {"f0": "float32", "f1": "float32"}
    model = pp.PowerTransformer(method="box-cox")
    return powers(1426, shifted(1426), model, types=types, rule="abs:5e-06")


@case(BOTH)
def power_ridge() -> Trained:
    t = small(1427)
    return fitted(make_pipeline(pp.PowerTransformer(), lm.Ridge()), t, t.y_real())


# Quantiles --------------------------------------------------------------------------------------


def quantiles(seed: int, output: str, count: int = 24, t: Any = None, **more: Any) -> Trained:
    """Rows at the quantiles, between and beside them, and near the ends."""
    t = small(seed, f=3) if t is None else t
    model = pp.QuantileTransformer(n_quantiles=count, output_distribution=output)
    made = fitted(model, t, t.y_real(), count=FEW, **more)
    ends = model.quantiles_[[0, 0, -1, -1, 1, -2]] + np.array([[0], [3e-8], [0], [-3e-8], [0], [0]])
    beside = [model.quantiles_[0] - 1.0, model.quantiles_[-1] + 1.0]
    made.rows = [[float(v) for v in row] for row in [*ends, *beside]]
    return made


def repeated(t: Table) -> Table:
    """Many rows of a few numbers: quantiles that are equal."""
    for j, c in enumerate(t.columns):
        c.values = np.round(np.where(np.arange(len(c.values)) % 3 == j, c.values, np.clip(np.round(c.values), -1, 1)), 2)
    return t


@case(BOTH)
def quantile_uniform() -> Trained:
    t = repeated(small(1431, f=3))
    return quantiles(1431, "uniform", t=t, rule="exact", covers=["option=QuantileTransformer.uniform"])


@case(BOTH)
def quantile_normal() -> Trained:
    t = repeated(small(1432, f=3))
    return quantiles(1432, "normal", t=t, rule=LAST_BITS, covers=["option=QuantileTransformer.normal"])


@case()
def quantile_sparse() -> Trained:
    """What is not stored stays 0, and a negative number is refused."""
    t = small(1435, f=3)
    for j, c in enumerate(t.columns):
        c.values = np.maximum(np.round(c.values, 2 if j else 0), 0.0)
    parts = [("codes", pp.OneHotEncoder(handle_unknown="ignore"), [0]), ("rest", "passthrough", [1, 2])]
    columns = ColumnTransformer(parts, sparse_threshold=1.0)
    model = make_pipeline(columns, pp.QuantileTransformer(n_quantiles=12))
    return fitted(model, t, t.y_real(), count=FEW, rule="exact", covers=["option=QuantileTransformer.sparse"])


@case()
def quantile_float32() -> Trained:
    return quantiles(1433, "normal", narrow=True, rule=NARROW, covers=["option=QuantileTransformer.float32"])


@case()
def quantile_uniform_float32() -> Trained:
    return quantiles(1434, "uniform", narrow=True, rule="exact")


@case()
def quantile_constant() -> Trained:
    """Columns of one number, and one quantile."""
    t = small(1435, f=2)
    t.columns[0].values = np.full(len(t.columns[0].values), 0.25)
    return quantiles(1435, "uniform", 2, t=t, rule="exact")


@case()
def quantile_ridge() -> Trained:
    t = small(1436)
    steps = make_pipeline(pp.QuantileTransformer(n_quantiles=30, output_distribution="normal"), lm.Ridge())
    return fitted(steps, t, t.y_real())
