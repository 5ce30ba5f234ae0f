"""Encoders of categories by numbers that training found: means of the target, and others."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn import linear_model as lm
from sklearn import preprocessing as pp
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import make_pipeline

from golden_sklearn_cases_features import CODES, REALS, encoded, table
from golden_sklearn_models import ALL, Trained, case, fitted
from golden_tables import Table


def alone(t: Table, encoder: Any, y: Any, **more: Any) -> Trained:
    """transform() of the encoded columns beside the others."""
    names = [c.name for c in t.columns if c.stored]
    columns = ColumnTransformer([("encoded", encoder, names)], remainder="passthrough")
    return fitted(columns, t, y, **more)


# Codes of float16 -------------------------------------------------------------------------------


@case(ALL)
def enc_halves() -> Trained:
    """A scaler goes on in float16."""
    t = table(1305)
    for c in t.columns:
        c.values = [7 if v is None and c.kind == "numcat" else v for v in c.values]
    encoder = pp.OrdinalEncoder(dtype=np.float16, handle_unknown="use_encoded_value", unknown_value=-3)
    names = [c.name for c in t.columns if c.stored]
    model = make_pipeline(ColumnTransformer([("encoded", encoder, names)]), pp.StandardScaler(), pp.MinMaxScaler((-1, 2)))
    return fitted(model, t, None, most=32, covers=["option=OrdinalEncoder.float16"])


# Means of the target ----------------------------------------------------------------------------


@case()
def enc_target_continuous() -> Trained:
    """A category that training has not seen becomes the mean of all."""
    return alone(table(1301), pp.TargetEncoder(), table(1301).y_real(), covers=["option=TargetEncoder.continuous"])


@case()
def enc_target_binary() -> Trained:
    """None is a category of texts, NaN one of numbers."""
    t = table(1302, REALS, "float64", missing=0.1)
    encoder = pp.TargetEncoder(smooth=3.0)
    return alone(t, encoder, t.y_class(2), covers=["option=TargetEncoder.binary", "option=TargetEncoder.smooth"])


@case()
def enc_target_multiclass() -> Trained:
    """A column for each class and feature, of labels that are texts."""
    t = table(1303, missing=0.1)
    t.columns[3].values = [7 if v is None else v for v in t.columns[3].values]
    y = np.array(["low", "middle", "top"])[t.y_class(3)]
    covers = ["option=TargetEncoder.multiclass"]
    return alone(t, pp.TargetEncoder(target_type="multiclass"), y, missing=np.nan, covers=covers)


@case()
def enc_target_categories() -> Trained:
    """Categories that training has not seen, but the caller has named, before a model."""
    t = table(1304, CODES)
    words = [sorted(c.categories) + (["zz"] if c.kind == "text" else [99]) for c in t.columns if c.stored]
    encoder = pp.TargetEncoder(categories=words, smooth=0.0)
    model = make_pipeline(pp.StandardScaler(), lm.Ridge())
    return encoded(t, encoder, model, covers=["option=TargetEncoder.categories"])
