"""Objectives and boosters of LightGBM."""

from __future__ import annotations

import numpy as np

from golden_lightgbm_models import ALL, OLD, V3, Library, Trained, case
from golden_tables import Table, coded, numbers

# One value a row ----------------------------------------------------------------------------


@case("value", ALL)
def regression(lib: Library) -> Trained:
    t = numbers(211)
    return Trained(lib.train(t, t.y_real(), objective="regression"), t)


@case("value")
def regression_sqrt(lib: Library) -> Trained:
    """Trained on roots: raw scores are squared, their sign is kept."""
    t = numbers(212, f=3)
    b = lib.train(t, t.y_real() * 10, objective="regression", reg_sqrt=True)
    return Trained(b, t, covers=["feature=sqrt"])


@case("value")
def regression_l1(lib: Library) -> Trained:
    t = numbers(213, f=3)
    return Trained(lib.train(t, t.y_real(), objective="mae"), t)


@case("value")
def huber(lib: Library) -> Trained:
    t = numbers(214, f=3)
    return Trained(lib.train(t, t.y_real(), objective="huber", alpha=1.5), t)


@case("value")
def fair(lib: Library) -> Trained:
    t = numbers(215, f=3)
    return Trained(lib.train(t, t.y_real(), objective="fair", fair_c=2.0), t)


@case("value")
def poisson(lib: Library) -> Trained:
    t = numbers(216, f=3)
    return Trained(lib.train(t, t.y_count(), objective="poisson"), t)


@case("value")
def quantile(lib: Library) -> Trained:
    t = numbers(217, f=3)
    return Trained(lib.train(t, t.y_real(), objective="quantile", alpha=0.8), t)


@case("value")
def mape(lib: Library) -> Trained:
    t = numbers(218, f=3)
    return Trained(lib.train(t, t.y_positive() * 100, objective="mape"), t)


@case("value")
def gamma(lib: Library) -> Trained:
    t = numbers(219, f=3)
    return Trained(lib.train(t, t.y_positive(), objective="gamma"), t)


@case("value")
def tweedie(lib: Library) -> Trained:
    t = numbers(220, f=3)
    y = np.where(t.score < 0, 0.0, t.y_positive())
    return Trained(lib.train(t, y, objective="tweedie", tweedie_variance_power=1.3), t)


@case("value")
def cross_entropy(lib: Library) -> Trained:
    t = numbers(221, f=3)
    return Trained(lib.train(t, t.y_unit(), objective="xentropy"), t)


@case("value")
def cross_entropy_lambda(lib: Library) -> Trained:
    t = numbers(222, f=3)
    return Trained(lib.train(t, t.y_unit(), objective="xentlambda"), t)


@case("value")
def cross_entropy_lambda_far(lib: Library) -> Trained:
    """Raw scores in the hundreds: exp overflows to infinity, or is a denormal."""
    t = numbers(223, f=3)
    y = (t.y_unit() > 0.5).astype(float)
    b = lib.train(t, y, rounds=3, objective="cross_entropy_lambda", learning_rate=400)
    return Trained(b, t, covers=["feature=far-raw"])


# Ranking ------------------------------------------------------------------------------------


def ranked(t: Table) -> dict:
    return {"group": [20] * (t.rows // 20)}


@case("value")
def lambdarank(lib: Library) -> Trained:
    t = numbers(224, f=3)
    b = lib.train(t, t.y_class(5), dataset=ranked(t), objective="lambdarank")
    return Trained(b, t)


@case("value")
def lambdarank_gains(lib: Library) -> Trained:
    t = numbers(225, f=3)
    gains = [0, 1, 3, 7.5, 20]
    b = lib.train(t, t.y_class(5), dataset=ranked(t), objective="lambdarank", label_gain=gains)
    return Trained(b, t, covers=["feature=label-gain"])


@case("value")
def rank_xendcg(lib: Library) -> Trained:
    t = numbers(226, f=3)
    b = lib.train(t, t.y_class(5), dataset=ranked(t), objective="rank_xendcg")
    return Trained(b, t)


# No objective in the file -------------------------------------------------------------------


def squared(predicted: np.ndarray, data: object) -> tuple:
    return predicted - data.get_label(), np.ones(len(predicted))  # type: ignore[attr-defined]


def softmax_loss(predicted: np.ndarray, data: object) -> tuple:
    """Gradients of three classes; the raw scores come flat up to 3.3, as a matrix since 4.0."""
    y = data.get_label().astype(int)  # type: ignore[attr-defined]
    flat = predicted.ndim == 1
    z = predicted.reshape(3, -1).T if flat else predicted
    p = np.exp(z - z.max(axis=1, keepdims=True))
    p /= p.sum(axis=1, keepdims=True)
    gradient = p - np.eye(3)[y]
    hessian = 2 * p * (1 - p)
    return (gradient.T.ravel(), hessian.T.ravel()) if flat else (gradient, hessian)


@case("value", V3)
def custom(lib: Library) -> Trained:
    t = numbers(227, f=3)
    return Trained(lib.custom(t, t.y_real(), squared), t)


@case("values")
def custom_three(lib: Library) -> Trained:
    """Three raw scores a row that nothing transforms."""
    t = numbers(228, f=3)
    return Trained(lib.custom(t, t.y_class(3), softmax_loss, num_class=3), t)


# Two classes --------------------------------------------------------------------------------


@case("binary", OLD)
def binary(lib: Library) -> Trained:
    t = numbers(231)
    return Trained(lib.train(t, t.y_binary(), objective="binary"), t)


@case("binary")
def binary_sigmoid(lib: Library) -> Trained:
    """The file rounds the factor to 1.23457: the loaded model differs from the trained one."""
    t = numbers(232, f=3)
    b = lib.train(t, t.y_binary(), objective="binary", sigmoid=1.23456789)
    return Trained(b, t, covers=["feature=sigmoid", "feature=sigmoid-rounded"])


@case("binary")
def binary_small_sigmoid(lib: Library) -> Trained:
    t = numbers(233, f=3)
    b = lib.train(
        t, t.y_binary(), objective="binary", sigmoid=0.00012345, min_sum_hessian_in_leaf=0
    )
    return Trained(b, t, covers=["feature=sigmoid"])


@case("binary")
def binary_scale_pos_weight(lib: Library) -> Trained:
    t = numbers(234, f=3)
    y = (t.score > 1).astype(int)
    b = lib.train(t, y, objective="binary", scale_pos_weight=4.5)
    return Trained(b, t, covers=["feature=scale-pos-weight"])


@case("binary")
def binary_unbalance(lib: Library) -> Trained:
    t = numbers(235, f=3)
    b = lib.train(t, (t.score > 1).astype(int), objective="binary", is_unbalance=True)
    return Trained(b, t, covers=["feature=is-unbalance"])


@case("binary")
def binary_tie(lib: Library) -> Trained:
    """As many of one class as of the other and no split: raw score 0, probability 0.5."""
    t = numbers(236, f=3)
    y = np.arange(t.rows) % 2
    b = lib.train(t, y, rounds=1, objective="binary", min_data_in_leaf=t.rows)
    return Trained(b, t, covers=["feature=tie"])


@case("binary")
def binary_near_half(lib: Library) -> Trained:
    """Raw scores of about 1e-16: on both sides of 0 the probability may still be 0.5."""
    t = numbers(237, f=3)
    y = (t.score > np.median(t.score)).astype(int)
    b = lib.train(
        t, y, rounds=12, objective="binary", learning_rate=2e-17, boost_from_average=False
    )
    return Trained(b, t, covers=["feature=near-tie"])


@case("binary")
def binary_far(lib: Library) -> Trained:
    """Raw scores in the hundreds: probabilities of exactly 0 and 1, and denormal ones."""
    t = numbers(238, f=3)
    b = lib.train(t, t.y_binary(), rounds=3, num_leaves=12, objective="binary", learning_rate=400)
    return Trained(b, t, covers=["feature=far-raw"])


# Several classes ----------------------------------------------------------------------------


@case("multi")
def multiclass(lib: Library) -> Trained:
    t = numbers(241, f=3)
    b = lib.train(t, t.y_class(3), rounds=3, objective="multiclass", num_class=3)
    return Trained(b, t)


@case("multi")
def multiclass_two(lib: Library) -> Trained:
    t = numbers(242, f=3)
    b = lib.train(t, t.y_class(2), rounds=3, objective="multiclass", num_class=2)
    return Trained(b, t, covers=["feature=two-of-multiclass"])


@case("multi")
def multiclass_absent(lib: Library) -> Trained:
    """A class that no row has: its trees are one leaf each."""
    t = numbers(243, f=3)
    y = np.array([0, 2])[t.y_class(2)]
    b = lib.train(t, y, rounds=3, objective="multiclass", num_class=3)
    return Trained(b, t, covers=["feature=absent-class", "tree=one-leaf"])


@case("multi")
def multiclass_tie(lib: Library) -> Trained:
    t = numbers(244, f=3)
    y = np.arange(t.rows) // 2 % 4
    b = lib.train(t, y, rounds=1, objective="multiclass", num_class=4, min_data_in_leaf=t.rows)
    return Trained(b, t, covers=["feature=tie"])


@case("multi")
def multiclass_far(lib: Library) -> Trained:
    t = numbers(245, f=3)
    b = lib.train(t, t.y_class(3), rounds=2, objective="multiclass", num_class=3, learning_rate=300)
    return Trained(b, t, covers=["feature=far-raw"])


@case("multi")
def multiclassova(lib: Library) -> Trained:
    t = numbers(247, f=3)
    b = lib.train(t, t.y_class(3), rounds=3, objective="multiclassova", num_class=3, sigmoid=0.7)
    return Trained(b, t, covers=["feature=sigmoid"])


# Boosters -----------------------------------------------------------------------------------


@case("value")
def dart(lib: Library) -> Trained:
    t = numbers(251, f=3)
    b = lib.train(t, t.y_real(), rounds=10, objective="regression", boosting="dart", drop_rate=0.5)
    return Trained(b, t)


@case("value", ("3.3.5",))
def goss(lib: Library) -> Trained:
    t = numbers(253, f=3)
    b = lib.train(t, t.y_real(), rounds=8, objective="regression", boosting="goss")
    return Trained(b, t)


@case("value")
def goss_strategy(lib: Library) -> Trained:
    t = numbers(254, f=3)
    b = lib.train(t, t.y_real(), rounds=8, objective="regression", data_sample_strategy="goss")
    return Trained(b, t, covers=["feature=data-sample-strategy"])


FOREST = {"boosting": "rf", "bagging_freq": 1, "bagging_fraction": 0.6}


@case("value", OLD)
def rf(lib: Library) -> Trained:
    """The raw score is the plain sum, the value its average."""
    t = numbers(255, f=3)
    return Trained(lib.train(t, t.y_real(), rounds=7, objective="regression", **FOREST), t)


@case("binary")
def rf_binary(lib: Library) -> Trained:
    t = numbers(256, f=3)
    b = lib.train(t, t.y_binary(), rounds=7, objective="binary", sigmoid=1.5, **FOREST)
    return Trained(b, t, covers=["feature=sigmoid"])


@case("multi")
def rf_multi(lib: Library) -> Trained:
    t = numbers(257, f=3)
    b = lib.train(t, t.y_class(3), rounds=3, objective="multiclass", num_class=3, **FOREST)
    return Trained(b, t)


@case("value")
def rf_poisson(lib: Library) -> Trained:
    """Averaged before exp."""
    t = numbers(258, f=3)
    return Trained(lib.train(t, t.y_count(), objective="poisson", rounds=3, **FOREST), t)


@case("value")
def rf_rounds(lib: Library) -> Trained:
    """Divided by the rounds that are asked for."""
    t = numbers(259, f=3)
    b = lib.train(t, t.y_real(), rounds=7, objective="regression", **FOREST)
    return Trained(b, t, options={"rounds": 3})


@case("value")
def extra_trees(lib: Library) -> Trained:
    t = numbers(261, f=3)
    return Trained(
        lib.train(t, t.y_real(), objective="regression", extra_trees=True),
        t,
        covers=["feature=extra-trees"],
    )


@case("value")
def monotone(lib: Library) -> Trained:
    t = numbers(262, f=3)
    b = lib.train(t, t.y_real(), objective="regression", monotone_constraints=[1, -1, 0])
    return Trained(b, t, covers=["feature=monotone"])


@case("value")
def constrained(lib: Library) -> Trained:
    t = coded(263, sizes=(6, 20))
    b = lib.train(
        t,
        t.y_real(),
        objective="regression",
        interaction_constraints=[[0, 1], [2, 3]],
        path_smooth=1.0,
        feature_fraction=0.7,
        lambda_l1=0.1,
        lambda_l2=0.5,
        max_delta_step=0.4,
    )
    return Trained(b, t, covers=["feature=interaction-constraints"])
