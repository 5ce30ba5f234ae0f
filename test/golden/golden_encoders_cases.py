"""Encoders of category_encoders: each with one way to take unseen and missing values, alone or before a model."""

from __future__ import annotations

from typing import Any

import category_encoders as ce
import numpy as np
from sklearn import linear_model as lm
from sklearn.pipeline import make_pipeline

from golden_sklearn_cases_features import CODES, a_tree, rare, table
from golden_sklearn_models import Trained, case, fitted

ALL = ["plan", "zone", "color"]  # texts, whole numbers, texts
MOST = 60  # rows


def encoder(name: str, unknown: str = "value", missing: str = "value", **options: Any) -> Any:
    cols = options.pop("cols", ALL)
    return getattr(ce, name)(cols=cols, handle_unknown=unknown, handle_missing=missing, **options)


def encodes(seed: int, made: Any, gone: float = 0.1, y: Any = None, few: bool = False, model: Any = None) -> Trained:
    """gone: how many values are missing in training."""
    t = table(seed, CODES, missing=gone)
    for c in t.columns:
        c.values = [7 if v is None and c.kind == "numcat" else v for v in c.values]
    t = rare(t) if few else t
    y = t.y_real() if y is None else y(t)
    covers = ["option=handle_unknown=%s" % made.handle_unknown, "option=handle_missing=%s" % made.handle_missing]
    model = made if model is None else make_pipeline(made, model)
    return fitted(model, t, y, missing=np.nan, most=MOST, covers=covers)


def two(t: Any) -> Any:
    return t.y_class(2)


@case()
def cats_ordinal() -> Trained:
    return encodes(1501, encoder("OrdinalEncoder"))


@case()
def cats_ordinal_error() -> Trained:
    return encodes(1502, encoder("OrdinalEncoder", "error", "error"), gone=0.0)


@case()
def cats_ordinal_nan() -> Trained:
    """What is missing is NaN, which the tree takes."""
    return encodes(1503, encoder("OrdinalEncoder", "return_nan", "return_nan"), model=a_tree())


@case()
def cats_ordinal_texts() -> Trained:
    """Columns by their type: texts are encoded, numbers stay."""
    return encodes(1504, encoder("OrdinalEncoder", cols=None), gone=0.0, few=True)


@case()
def cats_combined() -> Trained:
    """Several columns as one, beside the columns themselves."""
    made = encoder("TargetEncoder", composite_cols=[("plan", "zone"), ("color", "plan")], keep_components=True, cols=list(ALL))
    return encodes(1531, made)


@case()
def cats_onehot() -> Trained:
    return encodes(1505, encoder("OneHotEncoder"), model=lm.Ridge())


@case()
def cats_onehot_indicator() -> Trained:
    return encodes(1506, encoder("OneHotEncoder", "indicator", "indicator"), gone=0.0)


@case()
def cats_onehot_nan() -> Trained:
    return encodes(1507, encoder("OneHotEncoder", "return_nan", "return_nan", use_cat_names=True))


@case()
def cats_onehot_error() -> Trained:
    return encodes(1508, encoder("OneHotEncoder", "error", "value"), gone=0.0)


@case()
def cats_binary() -> Trained:
    return encodes(1509, encoder("BinaryEncoder"), model=a_tree())


@case()
def cats_base_n() -> Trained:
    return encodes(1510, encoder("BaseNEncoder", "return_nan", base=3))


@case()
def cats_gray() -> Trained:
    return encodes(1511, encoder("GrayEncoder"))


@case()
def cats_rank_hot() -> Trained:
    return encodes(1512, encoder("RankHotEncoder"), gone=0.0)


@case()
def cats_helmert() -> Trained:
    return encodes(1513, encoder("HelmertEncoder"), model=lm.Ridge())


@case()
def cats_sum() -> Trained:
    return encodes(1514, encoder("SumEncoder", "indicator", "indicator"))


@case()
def cats_polynomial() -> Trained:
    return encodes(1515, encoder("PolynomialEncoder", "return_nan", "return_nan"))


@case()
def cats_backward_difference() -> Trained:
    return encodes(1516, encoder("BackwardDifferenceEncoder", "error", "value"), gone=0.0)


@case()
def cats_target() -> Trained:
    return encodes(1517, encoder("TargetEncoder", smoothing=3.0, min_samples_leaf=5), model=a_tree())


@case()
def cats_target_few() -> Trained:
    """Categories that few rows have are one."""
    return encodes(1518, encoder("TargetEncoder", min_group_size=5), gone=0.0, few=True)


@case()
def cats_cat_boost() -> Trained:
    return encodes(1519, encoder("CatBoostEncoder", a=2.0))


@case()
def cats_leave_one_out() -> Trained:
    return encodes(1520, encoder("LeaveOneOutEncoder", "return_nan", "value", sigma=0.1))


@case()
def cats_james_stein() -> Trained:
    return encodes(1521, encoder("JamesSteinEncoder", model="binary"), y=two)


@case()
def cats_m_estimate() -> Trained:
    return encodes(1522, encoder("MEstimateEncoder", "error", "return_nan", m=3.0))


@case()
def cats_woe() -> Trained:
    return encodes(1523, encoder("WOEEncoder", drop_invariant=True), y=two, model=lm.LogisticRegression())


@case()
def cats_quantile() -> Trained:
    return encodes(1524, encoder("QuantileEncoder", quantile=0.3))


@case()
def cats_summary() -> Trained:
    return encodes(1525, encoder("SummaryEncoder", quantiles=(0.25, 0.75)))


@case()
def cats_count() -> Trained:
    return encodes(1526, encoder("CountEncoder"), gone=0.0)


@case()
def cats_count_few() -> Trained:
    made = encoder("CountEncoder", normalize=True, min_group_size=0.05)
    return encodes(1527, made, few=True)


@case()
def cats_count_target() -> Trained:
    return encodes(1528, encoder("CountTargetEncoder"), y=two)
