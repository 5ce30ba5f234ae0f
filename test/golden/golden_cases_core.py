"""Objectives and boosters."""

from __future__ import annotations

from typing import Any, Dict

import numpy as np

from golden_models import (
    ALL,
    LAYOUTS,
    NEWEST,
    Library,
    Trained,
    case,
)
from golden_tables import numbers


# One value a row ----------------------------------------------------------------------------


@case("value", ("1.0.2",) + LAYOUTS)
def reg_squarederror(lib: Library) -> Trained:
    t = numbers(11)
    return Trained(lib.train(t, t.y_real(), objective="reg:squarederror"), t)


@case("value", ("1.2.1", NEWEST))
def reg_linear(lib: Library) -> Trained:
    """The old alias: every version writes reg:squarederror for it."""
    t = numbers(12)
    b = lib.train(t, t.y_real(), objective="reg:linear", base_score=1.25)
    return Trained(b, t, covers=["feature=base_score-given"])


@case("value", ("2.1.4", NEWEST), ubj=True)
def reg_squaredlogerror(lib: Library) -> Trained:
    t = numbers(13)
    b = lib.train(t, t.y_positive(), objective="reg:squaredlogerror")
    return Trained(b, t)


@case("value", ("1.7.6", NEWEST))
def reg_logistic(lib: Library) -> Trained:
    t = numbers(14)
    return Trained(lib.train(t, t.y_unit(), objective="reg:logistic"), t)


@case("value", ("1.7.6", NEWEST))
def reg_pseudohubererror(lib: Library) -> Trained:
    t = numbers(15)
    b = lib.train(t, t.y_real(), objective="reg:pseudohubererror", huber_slope=1.5)
    return Trained(b, t)


@case("value", ("1.7.6", NEWEST), ubj=True)
def reg_absoluteerror(lib: Library) -> Trained:
    t = numbers(16)
    return Trained(lib.train(t, t.y_real(), objective="reg:absoluteerror"), t)


@case("value", ("2.0.3", NEWEST))
def reg_quantileerror(lib: Library) -> Trained:
    t = numbers(17)
    b = lib.train(t, t.y_real(), objective="reg:quantileerror", quantile_alpha=0.7)
    return Trained(b, t, covers=["feature=one-quantile"])


@case("values", ("2.1.4", "3.1.3", NEWEST))
def reg_quantileerror_many(lib: Library) -> Trained:
    """Noisy enough for quantiles to cross, so that sorting shows."""
    t = numbers(18)
    y = t.y_real() + 2.0 * t.rng.randn(t.rows)
    b = lib.train(
        t, y, rounds=5, objective="reg:quantileerror", quantile_alpha=[0.1, 0.5, 0.9], eta=0.9
    )
    return Trained(b, t, covers=["feature=several-quantiles"])


@case("values", (NEWEST,), ubj=True)
def reg_quantileerror_crossing(lib: Library) -> Trained:
    """Alphas so near each other that many rows' outputs cross (falling ones are refused)."""
    t = numbers(19)
    y = t.y_real() + 3.0 * t.rng.randn(t.rows)
    b = lib.train(
        t,
        y,
        rounds=4,
        objective="reg:quantileerror",
        quantile_alpha=[0.4, 0.45, 0.5, 0.55],
        eta=1.0,
    )
    return Trained(b, t, covers=["feature=several-quantiles"])


@case("value", (NEWEST,))
def reg_expectileerror(lib: Library) -> Trained:
    t = numbers(20)
    b = lib.train(t, t.y_real(), objective="reg:expectileerror", expectile_alpha=0.8)
    return Trained(b, t, covers=["feature=one-expectile"])


@case("values", ("3.3.0", NEWEST))
def reg_expectileerror_many(lib: Library) -> Trained:
    t = numbers(21)
    b = lib.train(
        t,
        t.y_real() + 2 * t.rng.randn(t.rows),
        objective="reg:expectileerror",
        expectile_alpha=[0.1, 0.5, 0.9],
    )
    return Trained(b, t, covers=["feature=several-expectiles"])


@case("value", ("1.7.6", NEWEST), ubj=True)
def reg_gamma(lib: Library) -> Trained:
    t = numbers(22)
    return Trained(lib.train(t, t.y_positive(), objective="reg:gamma"), t)


@case("value", ("1.7.6", NEWEST))
def reg_tweedie(lib: Library) -> Trained:
    t = numbers(23)
    y = np.where(t.score < 0, 0.0, t.y_positive())
    b = lib.train(t, y, objective="reg:tweedie", tweedie_variance_power=1.3)
    return Trained(b, t)


@case("value", ("1.2.1", "2.1.4", NEWEST))
def count_poisson(lib: Library) -> Trained:
    t = numbers(24, cells="ds")
    return Trained(lib.train(t, t.y_count(), objective="count:poisson", max_delta_step=0.7), t)


@case("value", ("1.7.6", NEWEST))
def survival_cox(lib: Library) -> Trained:
    t = numbers(25)
    y = t.y_positive() * np.where(t.rng.rand(t.rows) < 0.3, -1, 1)  # negative: censored
    return Trained(lib.train(t, y, objective="survival:cox"), t)


@case("value", ("1.7.6", NEWEST), ubj=True)
def survival_aft(lib: Library) -> Trained:
    t = numbers(26)
    d = lib.matrix(t)
    low = t.y_positive()
    d.set_float_info("label_lower_bound", low)
    d.set_float_info("label_upper_bound", np.where(t.rng.rand(t.rows) < 0.3, np.inf, low))
    p = lib.params(
        objective="survival:aft", aft_loss_distribution="logistic", aft_loss_distribution_scale=1.2
    )
    return Trained(lib.xgb.train(p, d, 4), t)


def ranked(lib: Library, objective: str, seed: int) -> Trained:
    t = numbers(seed)
    y = t.y_class(2 if objective == "rank:map" else 4)
    d = lib.matrix(t, y)
    d.set_group([20] * (t.rows // 20))
    return Trained(lib.xgb.train(lib.params(objective=objective), d, 4), t)


@case("value", ("1.7.6", NEWEST))
def rank_pairwise(lib: Library) -> Trained:
    return ranked(lib, "rank:pairwise", 27)


@case("value", ("1.7.6", NEWEST))
def ranker(lib: Library) -> Trained:
    t = numbers(32)
    m = lib.xgb.XGBRanker(**lib.wrapped({"objective": "rank:ndcg"}))
    m.fit(t.matrix(), t.y_class(4), group=[20] * (t.rows // 20))
    return Trained(m, t, covers=["feature=wrapper-ranker"])


@case("value", ("2.1.4", NEWEST), ubj=True)
def rank_ndcg(lib: Library) -> Trained:
    return ranked(lib, "rank:ndcg", 28)


@case("value", ("1.2.1", NEWEST))
def rank_map(lib: Library) -> Trained:
    return ranked(lib, "rank:map", 29)


@case("value", ("1.7.6", NEWEST))
def custom_objective(lib: Library) -> Trained:
    """The file names the library's default objective, or the one in the parameters."""
    t = numbers(30)
    y = t.y_real()

    def squared(predt: np.ndarray, d: Any) -> Any:
        return predt - y, np.ones_like(y)

    p = lib.params(base_score=0.25)
    return Trained(
        lib.xgb.train(p, lib.matrix(t, y), 4, obj=squared), t, covers=["feature=custom-objective"]
    )


@case("value", ("1.7.6", NEWEST))
def regressor(lib: Library) -> Trained:
    """The wrapper, float32 columns, and a mean far from zero: the intercept matters."""
    t = numbers(31, cells="s")
    m = lib.regressor()
    m.fit(t.matrix().astype(np.float32), 1e4 + 50 * t.y_real())
    return Trained(m, t, covers=["feature=wrapper-regressor", "feature=intercept-estimated"])


# Two classes --------------------------------------------------------------------------------


@case("binary", ("1.0.2",) + ALL)
def binary_logistic(lib: Library) -> Trained:
    t = numbers(41)
    return Trained(lib.train(t, t.y_binary(), rounds=6, objective="binary:logistic"), t)


@case("binary", ("1.7.6", "2.1.4", NEWEST), ubj=True)
def binary_classifier(lib: Library) -> Trained:
    t = numbers(42, cells="dsdi")
    m = lib.classifier()
    m.fit(t.matrix(), t.y_binary())
    return Trained(m, t, covers=["feature=wrapper-classifier"])


@case("binary", ("2.1.4", NEWEST))
def binary_extreme_base(lib: Library) -> Trained:
    """A base score that 3.2+ clamps."""
    t = numbers(43)
    b = lib.train(t, t.y_binary(), objective="binary:logistic", base_score=1e-7)
    return Trained(b, t, covers=["feature=base_score-clamped", "feature=base_score-given"])


@case("binary", ("1.7.6", NEWEST))
def binary_scale_pos_weight(lib: Library) -> Trained:
    t = numbers(44)
    y = (t.score > 1.5).astype(int)
    b = lib.train(t, y, objective="binary:logistic", scale_pos_weight=4.0)
    return Trained(b, t, covers=["feature=scale_pos_weight"])


@case("binary", ("3.0.5", NEWEST), ubj=True)
def binary_near_half(lib: Library) -> Trained:
    """Margins within (0, 8.94e-8) give exactly 0.5 and so the first class."""
    t = numbers(45)
    y = t.y_binary()
    b = lib.train(
        t, y, rounds=1, objective="binary:logistic", base_score=0.5, eta=2e-8, max_depth=6
    )
    return Trained(b, t, covers=["feature=margin-near-zero", "feature=base_score-given"])


@case("label", ("1.2.1", "1.7.6", "2.1.4", NEWEST))
def binary_logitraw(lib: Library) -> Trained:
    """Margins in (0, 0.5] are the second class by sign, the first by the wrapper's rule."""
    t = numbers(46)
    b = lib.train(t, t.y_binary(), objective="binary:logitraw", base_score=0.3)
    return Trained(b, t, covers=["feature=base_score-given"])


@case("label", ("1.7.6", NEWEST), ubj=True)
def binary_hinge(lib: Library) -> Trained:
    t = numbers(47)
    return Trained(lib.train(t, t.y_binary(), objective="binary:hinge", base_score=-0.2), t)


# Several classes ----------------------------------------------------------------------------


@case("softprob", ("1.0.2",) + LAYOUTS)
def multi_softprob(lib: Library) -> Trained:
    t = numbers(51)
    b = lib.train(t, t.y_class(3), rounds=3, objective="multi:softprob", num_class=3)
    return Trained(b, t)


@case("softprob", ("1.7.6", NEWEST), ubj=True)
def multi_softprob_seven(lib: Library) -> Trained:
    t = numbers(52)
    m = lib.classifier(n_estimators=2)
    m.fit(t.matrix(), t.y_class(7))
    return Trained(m, t, covers=["feature=wrapper-classifier"])


@case("softmax", ("1.2.1", "1.7.6", NEWEST))
def multi_softmax(lib: Library) -> Trained:
    t = numbers(53)
    b = lib.train(t, t.y_class(3), rounds=3, objective="multi:softmax", num_class=3)
    return Trained(b, t)


@case("softmax", (NEWEST,), ubj=True)
def multi_softmax_seven(lib: Library) -> Trained:
    t = numbers(54)
    b = lib.train(t, t.y_class(7), rounds=2, objective="multi:softmax", num_class=7, base_score=0.7)
    return Trained(b, t, covers=["feature=base_score-given"])


@case("softprob", ("1.7.6", NEWEST))
def multi_softprob_two(lib: Library) -> Trained:
    """Two classes, two margins. No label here: the wrapper takes the columns for two labels."""
    t = numbers(55)
    b = lib.train(t, t.y_class(2), rounds=3, objective="multi:softprob", num_class=2)
    return Trained(b, t, covers=["feature=softprob-two-classes"])


@case("softmax", (NEWEST,))
def multi_softmax_two(lib: Library) -> Trained:
    t = numbers(56)
    b = lib.train(t, t.y_class(2), rounds=3, objective="multi:softmax", num_class=2)
    return Trained(b, t)


@case("softprob", (NEWEST,), ubj=True)
def multi_ties(lib: Library) -> Trained:
    """Stumps on two columns: many rows where two classes have the same probability."""
    t = numbers(57, n=60)
    y = t.y_class(3)
    b = lib.train(
        t,
        y,
        rounds=1,
        objective="multi:softprob",
        num_class=3,
        max_depth=1,
        eta=1e-7,
        base_score=0.5,
    )
    return Trained(b, t, covers=["feature=probability-ties"])


# dart and gblinear --------------------------------------------------------------------------

DART: Dict[str, Any] = dict(booster="dart", rate_drop=0.4, skip_drop=0.1)


@case("binary", LAYOUTS[:3] + ("3.2.0", "3.3.0", NEWEST))
def dart_binary(lib: Library) -> Trained:
    t = numbers(61)
    return Trained(lib.train(t, t.y_binary(), rounds=6, objective="binary:logistic", **DART), t)


@case("softprob", ("1.7.6", "3.2.0", "3.3.0", NEWEST), ubj=True)
def dart_multi(lib: Library) -> Trained:
    t = numbers(62)
    b = lib.train(
        t,
        t.y_class(3),
        rounds=4,
        objective="multi:softprob",
        num_class=3,
        normalize_type="forest",
        **DART,
    )
    return Trained(b, t)


@case("value", ("2.1.4", "3.3.0", NEWEST))
def dart_regression(lib: Library) -> Trained:
    t = numbers(63)
    b = lib.train(t, t.y_real(), rounds=6, objective="reg:squarederror", one_drop=True, **DART)
    return Trained(b, t)


@case("value", ("1.2.1", "1.7.6", NEWEST))
def gblinear_regression(lib: Library) -> Trained:
    t = numbers(64)
    b = lib.train(
        t, t.y_real(), rounds=8, booster="gblinear", objective="reg:squarederror", eta=0.5
    )
    return Trained(b, t, covers=["feature=gblinear-missing-skipped"])


@case("binary", ("1.7.6", NEWEST), ubj=True)
def gblinear_binary(lib: Library) -> Trained:
    t = numbers(65)
    b = lib.train(t, t.y_binary(), rounds=8, booster="gblinear", objective="binary:logistic")
    return Trained(b, t, covers=["feature=gblinear-missing-skipped"])


@case("softprob", ("1.7.6", NEWEST))
def gblinear_multi(lib: Library) -> Trained:
    t = numbers(66)
    b = lib.train(
        t, t.y_class(3), rounds=8, booster="gblinear", objective="multi:softprob", num_class=3
    )
    return Trained(b, t, covers=["feature=gblinear-missing-skipped", "feature=gblinear-groups"])
