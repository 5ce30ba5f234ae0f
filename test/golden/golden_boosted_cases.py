"""Pipelines of scikit-learn whose last step is an estimator of XGBoost, LightGBM or CatBoost, and estimators around such ones.

The columns of `plain` cases reach the estimator as they are, so that rows are made around its own
thresholds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, Dict, List

import numpy as np
from catboost import CatBoostClassifier, CatBoostRanker, CatBoostRegressor
from lightgbm import LGBMClassifier, LGBMRegressor
from sklearn.compose import make_column_transformer
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import BaggingRegressor, StackingClassifier, VotingClassifier
from sklearn.impute import SimpleImputer
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, OrdinalEncoder, StandardScaler
from xgboost import XGBClassifier, XGBRanker, XGBRegressor

from golden_sklearn_models import Trained, clean
from golden_tables import Column, Table, numbers

TREES: Dict[str, Any] = {"n_estimators": 5, "max_depth": 3, "learning_rate": 0.4, "n_jobs": 1}
LIGHT: Dict[str, Any] = {**TREES, "verbose": -1, "min_child_samples": 4, "deterministic": True}
CAT: Dict[str, Any] = {
    "iterations": 5,
    "depth": 3,
    "learning_rate": 0.4,
    "thread_count": 1,
    "random_seed": 1,
    "verbose": False,
    "allow_writing_files": False,
}
WORDS = np.array(["high", "low", "middle"])


@dataclass
class Case:
    name: str
    train: Callable[[], Trained]


CASES: List[Case] = []


def case(train: Callable[[], Trained]) -> Callable[[], Trained]:
    CASES.append(Case("boost_" + train.__name__, train))
    return train


def fitted(steps: List[Any], table: Table, y: Any, *covers: str, **more: Any) -> Trained:
    model = make_pipeline(*steps).fit(table.matrix(), y, **more)
    return Trained(model, table, list(covers), count=70)


def plain() -> Any:
    return FunctionTransformer()


def thirds(table: Table) -> Any:
    return table.score.argsort().argsort() * 3 // table.rows


def whole(seed: int, n: int = 240) -> Table:
    """Codes of two kinds, and a number that is often zero."""
    rng = np.random.RandomState(seed)
    codes = [rng.randint(0, k, n).astype(np.float64) for k in (4, 7)]
    z = np.where(rng.rand(n) < 0.4, 0.0, np.round(rng.randn(n), 2))
    columns = [Column("f%d" % j, "code", c, categories=list(range(k)))
               for j, (c, k) in enumerate(zip(codes, (4, 7)))]
    score = rng.randn(4)[codes[0].astype(int)] + rng.randn(7)[codes[1].astype(int)] + z
    return Table(columns + [Column("f2", "real", z)], score, rng=rng)


def encoded(threshold: float) -> Any:
    return make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore"), [0, 1]),
        ("passthrough", [2]),
        sparse_threshold=threshold,
    )


def codes() -> Any:
    encoder = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1)
    return make_column_transformer((encoder, [0, 1]), ("passthrough", [2]))


# XGBoost ------------------------------------------------------------------------------------


@case
def xgboost_plain() -> Trained:
    t = numbers(701, n=200)
    return fitted([plain(), XGBClassifier(**TREES)], t, t.y_binary(), "missing=nan")


@case
def xgboost_scaled() -> Trained:
    t = numbers(702, n=200)
    return fitted([StandardScaler(), XGBRegressor(**TREES)], t, t.y_real())


@case
def xgboost_classes() -> Trained:
    t = numbers(703, n=200)
    steps = [SimpleImputer(), StandardScaler(), XGBClassifier(**TREES)]
    return fitted(steps, t, thirds(t))


@case
def xgboost_sparse() -> Trained:
    """Zeros are not in the matrix, and so are missing."""
    t = whole(704)
    return fitted([encoded(1), XGBClassifier(**TREES)], t, t.y_binary(), "missing=zeros")


@case
def xgboost_dense() -> Trained:
    t = whole(704)
    return fitted([encoded(0), XGBClassifier(**TREES)], t, t.y_binary(), "missing=nan")


@case
def xgboost_missing() -> Trained:
    t = numbers(705, n=200)
    for c in t.columns:
        c.values = np.where(np.isnan(c.values), -999.9, c.values)
    trained = fitted([plain(), XGBRegressor(missing=-999.9, **TREES)], t, t.y_real(), "missing=number")
    near = np.nextafter(np.float32(-999.9), np.float32(0))
    trained.rows = [[v, 0.5, w, 1.0] for v in (-999.9, float(np.float32(-999.9)), float(near))
                    for w in (-999.9, None)]
    return trained


@case
def xgboost_rounds() -> Trained:
    """Early stopping: fewer rounds count than the file has."""
    t = clean(706)
    steps = [StandardScaler(), XGBRegressor(**{**TREES, "n_estimators": 12}, early_stopping_rounds=2)]
    x = StandardScaler().fit_transform(t.matrix())
    wrong = [(x[:40], -t.y_real()[:40])]
    return fitted(steps, t, t.y_real(), "rounds=fewer", xgbregressor__eval_set=wrong,
                  xgbregressor__verbose=False)


@case
def xgboost_linear() -> Trained:
    """gblinear refuses infinities, also those that rounding makes."""
    t = numbers(707, n=200)
    model = XGBClassifier(booster="gblinear", n_estimators=4, n_jobs=1, updater="coord_descent")
    return fitted([plain(), model], t, t.y_binary(), "booster=gblinear")


@case
def xgboost_ranker() -> Trained:
    t = numbers(708, n=200)
    groups = np.repeat(np.arange(10), 20)
    return fitted([StandardScaler(), XGBRanker(**TREES)], t, thirds(t), xgbranker__qid=groups)


@case
def xgboost_codes() -> Trained:
    t = whole(709)
    model = XGBClassifier(feature_types=["c", "c", "q"], enable_categorical=True, max_cat_to_onehot=1,
                          **TREES)
    return fitted([codes(), model], t, t.y_binary(), "codes=yes")


# LightGBM -----------------------------------------------------------------------------------


@case
def lightgbm_plain() -> Trained:
    t = numbers(711, n=200)
    return fitted([plain(), LGBMClassifier(**LIGHT)], t, t.y_binary())


@case
def lightgbm_classes() -> Trained:
    t = numbers(712, n=200)
    return fitted([StandardScaler(), LGBMClassifier(**LIGHT)], t, WORDS[thirds(t)])


@case
def lightgbm_sparse() -> Trained:
    t = whole(713)
    return fitted([encoded(1), LGBMRegressor(**LIGHT)], t, t.y_real())


@case
def lightgbm_codes() -> Trained:
    t = whole(714)
    model = LGBMClassifier(categorical_feature=[0, 1], cat_smooth=1, **LIGHT)
    return fitted([codes(), model], t, t.y_binary(), "codes=yes")


# CatBoost -----------------------------------------------------------------------------------


@case
def catboost_plain() -> Trained:
    t = numbers(721, n=200)
    return fitted([plain(), CatBoostClassifier(**CAT)], t, t.y_binary())


@case
def catboost_classes() -> Trained:
    t = numbers(722, n=200)
    return fitted([StandardScaler(), CatBoostClassifier(**CAT)], t, WORDS[thirds(t)])


@case
def catboost_poisson() -> Trained:
    t = whole(723)
    return fitted([encoded(1), CatBoostRegressor(loss_function="Poisson", **CAT)], t, thirds(t))


@case
def catboost_ranker() -> Trained:
    t = numbers(724, n=200)
    groups = np.repeat(np.arange(10), 20)
    model = CatBoostRanker(loss_function="QueryRMSE", **CAT)
    return fitted([StandardScaler(), model], t, thirds(t), catboostranker__group_id=groups)


# Inside other estimators --------------------------------------------------------------------

FEW: Dict[str, Any] = {**TREES, "n_estimators": 2, "max_depth": 2}
FEW_LIGHT: Dict[str, Any] = {**LIGHT, "n_estimators": 2, "max_depth": 2}
FEW_CAT: Dict[str, Any] = {**CAT, "iterations": 2, "depth": 2}


def around(model: Any, table: Table, y: Any, *covers: str) -> Trained:
    return Trained(model.fit(table.matrix(), y), table, list(covers), count=30)


@case
def part_voting() -> Trained:
    """float32 and float64 side by side."""
    t = clean(731)
    models = [("x", XGBClassifier(**FEW)), ("l", make_pipeline(StandardScaler(), LGBMClassifier(**FEW_LIGHT)))]
    return around(VotingClassifier(models, voting="soft"), t, thirds(t), "inside=voting")


@case
def part_float32() -> Trained:
    """numpy's mean of float32."""
    t = clean(732)
    return around(BaggingRegressor(XGBRegressor(**FEW), 3, random_state=1), t, t.y_real(), "inside=bagging")


@case
def part_stacked() -> Trained:
    """The final estimator is one too."""
    t = clean(733)
    models = [("c", CatBoostClassifier(**FEW_CAT)), ("l", LGBMClassifier(**FEW_LIGHT))]
    model = StackingClassifier(models, XGBClassifier(**FEW), cv=2, passthrough=True)
    return around(model, t, t.y_binary(), "inside=stacking")


@case
def part_calibrated() -> Trained:
    """By LightGBM's raw scores."""
    t = clean(734)
    return around(CalibratedClassifierCV(LGBMClassifier(**FEW_LIGHT), cv=2), t, t.y_binary(), "inside=calibrated")


@case
def part_one_vs_rest() -> Trained:
    """float32, divided by a sum that numpy rounds after each class."""
    t = clean(735)
    return around(OneVsRestClassifier(XGBClassifier(**FEW)), t, thirds(t), "inside=one-vs-rest")


@case
def part_one_vs_rest_lightgbm() -> Trained:
    t = clean(736)
    return around(OneVsRestClassifier(LGBMClassifier(**FEW_LIGHT)), t, WORDS[thirds(t)], "inside=one-vs-rest")


@case
def part_one_vs_rest_catboost() -> Trained:
    t = clean(737)
    return around(OneVsRestClassifier(CatBoostClassifier(**FEW_CAT)), t, thirds(t), "inside=one-vs-rest")
