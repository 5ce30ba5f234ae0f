"""What transform() gives: transformers alone, and the steps of pipelines before the last one, also of
rows that the last one refuses."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn import linear_model as lm
from sklearn import preprocessing as pp
from sklearn import tree
from sklearn.compose import ColumnTransformer
from sklearn.feature_selection import SelectFromModel, SelectKBest, VarianceThreshold, f_regression
from sklearn.impute import SimpleImputer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import FeatureUnion, make_pipeline

from golden_sklearn_models import BOTH, LATE, Trained, case, clean, fitted, small

FEW = 45  # rows: each is as wide as the transform


def alone(seed: int, model: Any, **more: Any) -> Trained:
    t = clean(seed)
    return fitted(model, t, t.y_real(), count=FEW, **more)


def holes(t: Any) -> Any:
    """The table with missing numbers in training too."""
    for j, column in enumerate(t.columns):
        column.values = np.where(np.arange(len(column.values)) % 7 == j, np.nan, column.values)
    return t


# Alone ----------------------------------------------------------------------------------------


@case(BOTH)
def trans_standard_scaler() -> Trained:
    return alone(901, pp.StandardScaler())


@case()
def trans_standard_scaler_none() -> Trained:
    """Nothing is computed, and infinities are refused all the same."""
    scaler = pp.StandardScaler(with_mean=False, with_std=False)
    return alone(902, scaler, covers=["option=StandardScaler.none"])


@case(BOTH)
def trans_min_max_scaler_float32() -> Trained:
    scaler = pp.MinMaxScaler(clip=True, feature_range=(0.1, 0.9))
    return alone(903, scaler, narrow=True, covers=["option=MinMaxScaler.clip"])


@case()
def trans_scalers() -> Trained:
    return alone(904, make_pipeline(pp.RobustScaler(), pp.MaxAbsScaler()))


@case(BOTH)
def trans_imputer() -> Trained:
    t = holes(clean(905))
    return fitted(SimpleImputer(strategy="median"), t, t.y_real(), count=FEW)


@case()
def trans_imputer_number() -> Trained:
    return alone(906, SimpleImputer(missing_values=0.0, strategy="most_frequent"))


@case(BOTH)
def trans_select_k_best() -> Trained:
    """It refuses missing numbers, and no other operator does."""
    return alone(907, SelectKBest(f_regression, k=2))


@case(BOTH)
def trans_variance_threshold() -> Trained:
    return alone(908, VarianceThreshold(0.5))


@case()
def trans_select_from_model() -> Trained:
    model = SelectFromModel(lm.Ridge(), max_features=2, threshold=-np.inf)
    return alone(909, make_pipeline(pp.StandardScaler(), model))


@case(BOTH)
def trans_column_transformer() -> Trained:
    """One column is scaled, one passes as it is with all that it holds, the others are dropped."""
    t = clean(910, named=True)
    columns = ColumnTransformer(
        [("scaled", pp.StandardScaler(), ["f0"]), ("same", "passthrough", ["f2"])]
    )
    return fitted(columns, t, t.y_real(), count=FEW, types={"f0": "float32"})


@case()
def trans_feature_union() -> Trained:
    """The same columns three times, of which the first ones refuse missing numbers."""
    best = SelectKBest(f_regression, k="all")
    union = FeatureUnion([("best", best), ("same", "passthrough"), ("s", pp.RobustScaler())])
    return alone(911, union)


# Before a model ---------------------------------------------------------------------------------


@case(BOTH)
def trans_pipeline_refused() -> Trained:
    """The last step refuses what the first one takes."""
    t = small(921)
    model = make_pipeline(pp.StandardScaler(), lm.LogisticRegression())
    return fitted(model, t, t.y_class(2), count=FEW, transform=True)


@case()
def trans_pipeline_imputed() -> Trained:
    t = holes(clean(922))
    model = tree.DecisionTreeClassifier(max_depth=3)
    steps = make_pipeline(SimpleImputer(), pp.MinMaxScaler(), model)
    return fitted(steps, t, t.y_class(3), count=FEW, transform=True)


@case(LATE)
def trans_search() -> Trained:
    t = small(923)
    steps = make_pipeline(SelectKBest(f_regression, k=2), pp.MaxAbsScaler(), lm.Ridge())
    search = GridSearchCV(steps, {"ridge__alpha": [0.5, 1.0]}, cv=2)
    return fitted(search, t, t.y_real(), count=FEW, transform=True)
