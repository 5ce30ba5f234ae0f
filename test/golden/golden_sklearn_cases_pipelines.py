"""Scalers, imputers, selectors and what joins them, in front of small models."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn import ensemble, tree
from sklearn import linear_model as lm
from sklearn import preprocessing as pp
from sklearn.compose import ColumnTransformer, make_column_selector
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.feature_selection import (
    SelectFromModel,
    SelectKBest,
    SelectPercentile,
    VarianceThreshold,
    f_classif,
    f_regression,
)
from sklearn.impute import SimpleImputer
from sklearn.model_selection import GridSearchCV, HalvingGridSearchCV, HalvingRandomSearchCV, RandomizedSearchCV
from sklearn.pipeline import FeatureUnion, Pipeline, make_pipeline

from golden_sklearn_models import ALL, BOTH, LATE, Trained, case, clean, fitted, small
from golden_tables import Table, numbers


def a_tree(depth: int = 6) -> Any:
    """Its paths tell one bit in what it gets from another, so a scaler is seen exactly."""
    return tree.DecisionTreeRegressor(max_depth=depth, random_state=1)


def scaled(seed: int, scaler: Any, **more: Any) -> Trained:
    t = clean(seed)
    return fitted(make_pipeline(scaler, a_tree()), t, t.y_real(), count=110, **more)


# Scalers, seen by trees ---------------------------------------------------------------------


@case(BOTH)
def standard_scaler() -> Trained:
    return scaled(501, pp.StandardScaler())


@case()
def standard_scaler_mean() -> Trained:
    return scaled(502, pp.StandardScaler(with_std=False), covers=["option=StandardScaler.with_std"])


@case()
def standard_scaler_std() -> Trained:
    return scaled(
        503, pp.StandardScaler(with_mean=False), covers=["option=StandardScaler.with_mean"]
    )


@case()
def standard_scaler_none() -> Trained:
    scaler = pp.StandardScaler(with_mean=False, with_std=False)
    return scaled(504, scaler, covers=["option=StandardScaler.none"])


@case(BOTH)
def standard_scaler_float32() -> Trained:
    """Each step is rounded to float32; since 1.8 mean and scale too."""
    return scaled(505, pp.StandardScaler(), narrow=True)


@case(BOTH)
def min_max_scaler() -> Trained:
    return scaled(506, pp.MinMaxScaler(feature_range=(-0.3, 0.7)))


@case(ALL)
def min_max_scaler_clip() -> Trained:
    scaler = pp.MinMaxScaler(clip=True, feature_range=(0.1, 0.9))
    return scaled(507, scaler, covers=["option=MinMaxScaler.clip"])


@case()
def min_max_scaler_float32() -> Trained:
    scaler = pp.MinMaxScaler(clip=True, feature_range=(0.1, 0.9))
    return scaled(508, scaler, narrow=True, covers=["option=MinMaxScaler.clip"])


@case(BOTH)
def max_abs_scaler() -> Trained:
    return scaled(509, pp.MaxAbsScaler())


@case()
def max_abs_scaler_clip() -> Trained:
    return scaled(510, pp.MaxAbsScaler(clip=True), covers=["option=MaxAbsScaler.clip"])


@case()
def robust_scaler() -> Trained:
    return scaled(511, pp.RobustScaler())


@case()
def robust_scaler_centering() -> Trained:
    scaler = pp.RobustScaler(with_scaling=False)
    return scaled(512, scaler, covers=["option=RobustScaler.with_scaling"])


@case()
def robust_scaler_scaling() -> Trained:
    scaler = pp.RobustScaler(with_centering=False, unit_variance=True)
    return scaled(513, scaler, covers=["option=RobustScaler.with_centering"], narrow=True)


@case()
def scaler_missing() -> Trained:
    """NaN passes the scaler, and the tree takes it."""
    t = numbers(514, n=200)
    return fitted(
        make_pipeline(pp.RobustScaler(), a_tree()), t, t.y_real(), covers=["option=missing"]
    )


# Imputers -----------------------------------------------------------------------------------


def imputed(seed: int, imputer: Any, model: Any = None, **more: Any) -> Trained:
    t = numbers(seed, n=200, missing=0.15)
    return fitted(make_pipeline(imputer, model or a_tree(4)), t, t.y_real(), **more)


@case(BOTH)
def imputer_mean() -> Trained:
    return imputed(520, SimpleImputer(), covers=["option=SimpleImputer.mean"])


@case()
def imputer_median() -> Trained:
    imputer = SimpleImputer(strategy="median")
    return imputed(521, imputer, covers=["option=SimpleImputer.median"])


@case()
def imputer_most_frequent() -> Trained:
    imputer = SimpleImputer(strategy="most_frequent")
    return imputed(522, imputer, covers=["option=SimpleImputer.most_frequent"])


@case(BOTH)
def imputer_constant() -> Trained:
    imputer = SimpleImputer(strategy="constant", fill_value=-1.5)
    return imputed(523, imputer, covers=["option=SimpleImputer.constant"])


@case(BOTH)
def imputer_constant_of_nothing() -> Trained:
    """A column without any value in training, which is dropped since 1.8."""
    t = small(525)
    t.columns[2].values = np.full(t.rows, np.nan)
    model = make_pipeline(SimpleImputer(strategy="constant", fill_value=-1.5), lm.Ridge())
    return fitted(model, t, t.y_real(), covers=["option=SimpleImputer.constant-of-nothing"], count=20)


@case()
def imputer_float32() -> Trained:
    return imputed(524, SimpleImputer(), narrow=True)


def marked(seed: int, mark: float) -> Table:
    t = small(seed)
    for c in t.columns:
        c.values = np.where(t.rng.rand(t.rows) < 0.15, mark, np.asarray(c.values))
    return t


@case(BOTH)
def imputer_number() -> Trained:
    """A number stands for missing; NaN is refused, though the tree behind would take it."""
    t = marked(525, -999.0)
    model = make_pipeline(SimpleImputer(missing_values=-999), a_tree(4))
    rows = [[-999, -999.0, 0.5, -999.0], [-999.0] * 4, [np.float32(-999), 1.0, 2.0, -998.9999999]]
    return fitted(model, t, t.y_real(), rows=rows, covers=["option=SimpleImputer.missing_values"])


@case()
def imputer_zero() -> Trained:
    """-0.0 is 0 as well."""
    t = marked(526, 0.0)
    model = make_pipeline(SimpleImputer(missing_values=0, strategy="median"), lm.Ridge())
    rows = [[0, -0.0, 5e-324, 0.0], [-0.0] * 4]
    return fitted(model, t, t.y_real(), rows=rows, covers=["option=SimpleImputer.missing_values"])


def empty(seed: int) -> Table:
    t = numbers(seed, n=200, f=5, missing=0.1)
    t.columns[2].values = np.full(t.rows, np.nan)
    return t


@case(BOTH)
def imputer_empty_column() -> Trained:
    """A column without values is dropped: what stands there does not matter."""
    t = empty(527)
    model = make_pipeline(SimpleImputer(), lm.Ridge())
    return fitted(model, t, t.y_real(), covers=["option=SimpleImputer.empty"])


@case(ALL)
def imputer_keep_empty() -> Trained:
    t = empty(528)
    model = make_pipeline(SimpleImputer(keep_empty_features=True), a_tree(4))
    return fitted(model, t, t.y_real(), covers=["option=SimpleImputer.keep_empty"])


@case(BOTH)
def impute_scale_logistic() -> Trained:
    t = numbers(529, n=200, missing=0.1)
    t.named = True
    model = make_pipeline(
        SimpleImputer(strategy="median"), pp.StandardScaler(), lm.LogisticRegression()
    )
    return fitted(model, t, np.array(["no", "yes"])[t.y_binary()])


# Selectors ----------------------------------------------------------------------------------


@case(BOTH)
def variance_threshold() -> Trained:
    t = clean(540, f=5)
    model = make_pipeline(VarianceThreshold(0.5), lm.LinearRegression())
    return fitted(model, t, t.y_real())


@case()
def select_k_best() -> Trained:
    t = small(541, f=6)
    return fitted(
        make_pipeline(SelectKBest(f_classif, k=3), lm.LogisticRegression()), t, t.y_class(3)
    )


@case()
def select_percentile() -> Trained:
    t = small(542, f=6)
    model = make_pipeline(SelectPercentile(f_regression, percentile=50), a_tree(4))
    return fitted(model, t, t.y_real())


@case(ALL)
def select_from_model() -> Trained:
    t = small(543, f=6)
    chooser = SelectFromModel(ensemble.RandomForestRegressor(4, random_state=1), threshold="median")
    return fitted(make_pipeline(chooser, lm.Ridge()), t, t.y_real())


# What joins them ----------------------------------------------------------------------------


@case(BOTH)
def column_transformer() -> Trained:
    """By name, with everything else passed on or dropped."""
    t = numbers(550, n=200, f=6, missing=0.1)
    t.named = True
    columns = ColumnTransformer(
        [
            ("scaled", make_pipeline(SimpleImputer(), pp.StandardScaler()), ["f4", "f0"]),
            ("one", SimpleImputer(strategy="median"), [2]),
            ("gone", "drop", ["f5"]),
            ("kept", "passthrough", ["f3"]),
        ],
        remainder="drop",
    )
    model = make_pipeline(
        columns, SimpleImputer(), ensemble.RandomForestClassifier(4, max_depth=4, random_state=1)
    )
    return fitted(model, t, t.y_class(3), covers=["option=ColumnTransformer.names"], count=100)


@case(BOTH)
def column_transformer_remainder() -> Trained:
    t = clean(551, f=5)
    columns = ColumnTransformer(
        [("a", pp.MinMaxScaler(), slice(1, 3)), ("none", pp.MaxAbsScaler(), [])],
        remainder="passthrough",
    )
    model = make_pipeline(columns, a_tree(5))
    return fitted(model, t, t.y_real(), covers=["option=ColumnTransformer.remainder=passthrough"])


@case()
def column_transformer_estimator() -> Trained:
    """By a mask and by a function; the remainder goes to a scaler."""
    t = clean(552, f=5, named=True)
    columns = ColumnTransformer(
        [
            ("mask", pp.RobustScaler(), [True, False, False, False, True]),
            ("names", pp.MaxAbsScaler(), make_column_selector("f[13]")),
        ],
        remainder=pp.StandardScaler(),
    )
    model = make_pipeline(columns, lm.Ridge())
    covers = ["option=ColumnTransformer.mask", "option=ColumnTransformer.callable"]
    return fitted(
        model, t, t.y_real(), covers=covers + ["option=ColumnTransformer.remainder=estimator"]
    )


@case(LATE)
def column_transformer_types() -> Trained:
    """float32 columns beside others: each group is computed in its own type."""
    t = clean(553, f=5, named=True)
    t.columns[3].cell = "i"
    columns = ColumnTransformer(
        [
            ("narrow", pp.StandardScaler(), ["f0", "f2"]),
            ("both", pp.MinMaxScaler(), ["f1", "f2"]),
            ("integers", pp.MaxAbsScaler(), ["f3"]),
        ]
    )
    types = {"f0": "float32", "f2": "float32", "f3": "int64"}
    model = make_pipeline(columns, a_tree(6))
    return fitted(model, t, t.y_real(), types=types, count=100)


@case()
def column_transformer_selector() -> Trained:
    """The selector refuses NaN, and the columns beside it do not."""
    t = clean(558, f=5)
    columns = ColumnTransformer(
        [("best", SelectKBest(f_regression, k="all"), [0, 1])], remainder="passthrough"
    )
    return fitted(
        make_pipeline(columns, a_tree(5)), t, t.y_real(), covers=["option=NaN-refused-in-part"]
    )


@case()
def selector_imputer() -> Trained:
    """What the selector has refused, the imputer behind it cannot see."""
    t = clean(559, f=5)
    model = make_pipeline(SelectKBest(f_regression, k=3), SimpleImputer(), a_tree(5))
    return fitted(model, t, t.y_real(), covers=["option=NaN-refused-before-imputer"])


@case(BOTH)
def feature_union() -> Trained:
    t = clean(554)
    union = FeatureUnion(
        [
            ("standard", pp.StandardScaler()),
            ("gone", "drop"),
            ("same", "passthrough"),
            ("wide", make_pipeline(VarianceThreshold(0.5), pp.MinMaxScaler())),
        ]
    )
    return fitted(
        make_pipeline(union, a_tree(6)), t, t.y_real(), covers=["option=FeatureUnion.passthrough"]
    )


@case(BOTH)
def pipeline_steps() -> Trained:
    """Steps that do nothing, and a pipeline in a pipeline."""
    t = clean(555)
    inner = Pipeline([("nothing", None), ("scale", pp.MinMaxScaler())])
    model = Pipeline([("same", "passthrough"), ("inner", inner), ("last", a_tree(5))])
    return fitted(model, t, t.y_real(), covers=["option=Pipeline.passthrough"])


@case(BOTH)
def grid_search() -> Trained:
    t = small(556)
    model = make_pipeline(pp.StandardScaler(), lm.LogisticRegression())
    search = GridSearchCV(model, {"logisticregression__C": [0.1, 1.0]}, cv=2)
    return fitted(search, t, t.y_class(3))


@case()
def randomized_search() -> Trained:
    t = clean(557)
    search = RandomizedSearchCV(a_tree(), {"max_depth": [3, 5]}, n_iter=2, cv=2, random_state=1)
    return fitted(search, t, t.y_real())


@case()
def halving_search() -> Trained:
    t = clean(558)
    search = HalvingGridSearchCV(a_tree(3), {"max_depth": [2, 3]}, cv=2, random_state=1)
    return fitted(search, t, t.y_real(), count=20)


@case()
def halving_random_search() -> Trained:
    t = clean(559)
    search = HalvingRandomSearchCV(a_tree(3), {"max_depth": [2, 3]}, cv=2, random_state=1)
    return fitted(search, t, t.y_real(), count=20)


# What overflows on the way ----------------------------------------------------------------------


@case(BOTH)
def overflow_linear() -> Trained:
    """Finite numbers become infinite in the first scaler, which the second one refuses."""
    t = clean(590)
    model = make_pipeline(pp.MinMaxScaler(feature_range=(0, 1e300)), pp.RobustScaler(), lm.Ridge())
    return fitted(model, t, t.y_real(), huge=True, covers=["option=overflow"])


@case(BOTH)
def overflow_tree() -> Trained:
    """What float64 holds and float32 does not is refused by the tree."""
    t = clean(591)
    model = make_pipeline(pp.MinMaxScaler(feature_range=(0, 1e37)), a_tree())
    return fitted(model, t, t.y_real(), huge=True, covers=["option=overflow"])


def overflowing(seed: int, model: object, f: int = 4) -> Trained:
    """Trees that test all columns: what overflows in others is not refused."""
    t = clean(seed, f=f)
    return fitted(model, t, t.y_real(), huge=True, covers=["option=overflow"], most=32)


@case()
def overflow_splines() -> Trained:
    """Infinities less infinities, which trees take as missing."""
    splines = pp.SplineTransformer(n_knots=4, extrapolation="continue")
    return overflowing(592, make_pipeline(splines, a_tree(10)), f=2)


@case()
def overflow_embedding() -> Trained:
    splines = pp.SplineTransformer(n_knots=4, extrapolation="continue")
    return overflowing(593, make_pipeline(splines, ensemble.RandomTreesEmbedding(3, max_depth=3, random_state=0)))


@case()
def overflow_products() -> Trained:
    """Infinities, and 0 times them, behind an imputer, which fills in NaN and refuses infinities."""
    products = pp.PolynomialFeatures(3, interaction_only=True)
    return overflowing(594, make_pipeline(products, SimpleImputer(), a_tree(8)))


@case()
def overflow_histograms() -> Trained:
    """The same before trees that take all of them."""
    products = pp.PolynomialFeatures(3, interaction_only=True)
    return overflowing(595, make_pipeline(products, ensemble.HistGradientBoostingRegressor(max_iter=4, max_leaf_nodes=6)))
