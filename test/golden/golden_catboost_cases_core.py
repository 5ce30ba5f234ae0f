"""Losses, tree policies and what happens to the sum of the trees, on numeric features."""

from __future__ import annotations

from typing import Any, List, Tuple

import numpy as np

from golden_catboost_models import (
    ALL,
    FIRST,
    NEWEST,
    OLDEST,
    SINCE_1,
    Library,
    Trained,
    case,
    narrow,
)
from golden_tables import Column, Table, numbers


def small(seed: int, f: int = 2, missing: float = 0.08, n: int = 320) -> Table:
    return narrow(numbers(seed, n=n, f=f, missing=missing, cells="sd"))


def tiny(seed: int) -> Table:
    """One feature, for what differs only in the sums."""
    return small(seed, f=1)


#: For losses whose files differ only in the name.
FEW = {"iterations": 3, "depth": 2}


# One value a row ----------------------------------------------------------------------------


@case("value", ALL)
def rmse(lib: Library) -> Trained:
    """Starts from the average, in scale_and_bias since 0.22."""
    t = numbers(311, f=3)
    m = lib.regressor(t, t.y_real() + 5, loss_function="RMSE")
    return Trained(m, t, as_written=lib.version == NEWEST)


@case("value")
def rmse_no_average(lib: Library) -> Trained:
    t = small(312)
    return Trained(lib.regressor(t, t.y_real(), boost_from_average=False), t)


@case("value")
def mae(lib: Library) -> Trained:
    t = tiny(313)
    return Trained(lib.regressor(t, t.y_real(), loss_function="MAE", **FEW), t)


@case("value")
def quantile(lib: Library) -> Trained:
    t = tiny(314)
    return Trained(lib.regressor(t, t.y_real(), loss_function="Quantile:alpha=0.3", **FEW), t)


@case("value")
def log_lin_quantile(lib: Library) -> Trained:
    """Trained on the exponent, predicted without it."""
    t = tiny(315)
    m = lib.regressor(t, t.y_positive(), loss_function="LogLinQuantile:alpha=0.7")
    return Trained(m, t)


@case("value")
def mape(lib: Library) -> Trained:
    t = tiny(316)
    return Trained(lib.regressor(t, t.y_positive() + 1, loss_function="MAPE"), t)


@case("value")
def lq(lib: Library) -> Trained:
    t = tiny(317)
    return Trained(lib.regressor(t, t.y_real(), loss_function="Lq:q=1.5", **FEW), t)


@case("value")
def huber(lib: Library) -> Trained:
    t = tiny(318)
    return Trained(lib.regressor(t, t.y_real(), loss_function="Huber:delta=1", **FEW), t)


@case("value")
def expectile(lib: Library) -> Trained:
    t = tiny(319)
    return Trained(lib.regressor(t, t.y_real(), loss_function="Expectile:alpha=0.3", **FEW), t)


@case("value")
def log_cosh(lib: Library) -> Trained:
    t = tiny(320)
    return Trained(lib.regressor(t, t.y_real(), loss_function="LogCosh"), t)


@case("value")
def rmspe(lib: Library) -> Trained:
    t = tiny(321)
    return Trained(lib.regressor(t, t.y_positive() + 1, loss_function="RMSPE"), t)


@case("value")
def poisson(lib: Library) -> Trained:
    """The estimator's predict is the exponent."""
    t = small(322)
    return Trained(lib.regressor(t, t.y_count(), loss_function="Poisson"), t)


@case("value")
def tweedie(lib: Library) -> Trained:
    t = tiny(323)
    y = np.where(t.score < 0, 0.0, t.y_positive())
    return Trained(lib.regressor(t, y, loss_function="Tweedie:variance_power=1.3"), t)


@case("value")
def survival_aft(lib: Library) -> Trained:
    t = tiny(324)
    low = t.y_positive()
    y = np.stack([low, np.where(t.score > 0, -1.0, low + 1)], axis=1)
    return Trained(lib.regressor(t, y, loss_function="SurvivalAft:dist=Normal;scale=1"), t)


@case("value")
def cox(lib: Library) -> Trained:
    t = tiny(325)
    y = t.y_positive() * np.where(t.score > 1, -1.0, 1.0)
    return Trained(lib.regressor(t, y, loss_function="Cox"), t)


class Squared:
    def calc_ders_range(self, approxes: Any, targets: Any, weights: Any) -> List[Tuple]:
        return [(y - a, -1.0) for a, y in zip(approxes, targets)]


@case("rank")
def custom(lib: Library) -> Trained:
    """A loss in Python: the file names it, CatBoost's plain predict gives the raw value."""
    t = tiny(326)
    m = lib.cb.CatBoost(lib.params(loss_function=Squared(), eval_metric="RMSE"))
    return Trained(m.fit(lib.pool(t, t.y_real())), t)


# Several values a row -----------------------------------------------------------------------


@case("values", (OLDEST, NEWEST))
def multi_rmse(lib: Library) -> Trained:
    """In 0.22 one bias stands for three, and is 0."""
    t = tiny(331)
    return Trained(lib.regressor(t, t.y_many(3) + 2, loss_function="MultiRMSE"), t)


@case("values")
def multi_rmse_missing_targets(lib: Library) -> Trained:
    t = tiny(332)
    y = t.y_many(2)
    y[::5, 1] = np.nan
    return Trained(lib.regressor(t, y, loss_function="MultiRMSEWithMissingValues"), t)


@case("values")
def rmse_with_uncertainty(lib: Library) -> Trained:
    """The mean, and the exponent of twice the second sum: the variance."""
    t = tiny(333)
    return Trained(lib.regressor(t, t.y_real(), loss_function="RMSEWithUncertainty"), t)


@case("values")
def multi_quantile(lib: Library) -> Trained:
    t = tiny(334)
    m = lib.regressor(t, t.y_real(), loss_function="MultiQuantile:alpha=0.1,0.5,0.9")
    return Trained(m, t)


# Classes ------------------------------------------------------------------------------------


@case("binary", ALL)
def logloss(lib: Library) -> Trained:
    t = numbers(341, f=3)
    return Trained(lib.classifier(t, t.y_binary()), t, as_written=lib.version == NEWEST)


@case("binary")
def cross_entropy(lib: Library) -> Trained:
    t = tiny(342)
    return Trained(lib.classifier(t, t.y_unit(), loss_function="CrossEntropy"), t)


@case("binary")
def focal(lib: Library) -> Trained:
    t = tiny(343)
    loss = "Focal:focal_alpha=0.25;focal_gamma=2"
    return Trained(lib.classifier(t, t.y_binary(), loss_function=loss), t)


@case("binary")
def classes_text(lib: Library) -> Trained:
    t = small(344)
    return Trained(lib.classifier(t, np.array(["nein", "ja gerne"])[t.y_binary()]), t)


@case("binary", SINCE_1)
def classes_bool(lib: Library) -> Trained:
    """Texts until 1.0, JSON's own since 1.2."""
    t = small(345)
    return Trained(lib.classifier(t, t.y_binary() > 0), t)


@case("binary")
def classes_float(lib: Library) -> Trained:
    t = tiny(346)
    return Trained(lib.classifier(t, np.array([0.25, 1.5])[t.y_binary()]), t)


@case("binary")
def classes_turned(lib: Library) -> Trained:
    """class_names gives the order: class 0 is 1."""
    t = tiny(347)
    m = lib.classifier(t, t.y_binary(), class_names=[1, 0])
    return Trained(m, t, covers=["classes=turned"])


@case("binary")
def class_weights(lib: Library) -> Trained:
    t = small(348)
    m = lib.classifier(t, (t.score > 1.5).astype(int), auto_class_weights="Balanced")
    return Trained(m, t, covers=["training=auto_class_weights"])


def with_threshold(lib: Library, seed: int, threshold: float) -> Trained:
    t = tiny(seed)
    m = lib.classifier(t, t.y_binary(), iterations=8, learning_rate=0.5)
    m.set_probability_threshold(threshold)
    return Trained(m, t)


@case("binary")
def threshold(lib: Library) -> Trained:
    return with_threshold(lib, 349, 0.3)


@case("binary")
def threshold_high(lib: Library) -> Trained:
    return with_threshold(lib, 350, 0.75)


@case("binary")
def threshold_half(lib: Library) -> Trained:
    return with_threshold(lib, 350, 0.5)


@case("binary")
def threshold_zero(lib: Library) -> Trained:
    """Every row is of the second class: its border is minus infinity."""
    return with_threshold(lib, 351, 0.0)


@case("binary")
def threshold_one(lib: Library) -> Trained:
    return with_threshold(lib, 351, 1.0)


def ties(classes: int) -> Tuple[Table, np.ndarray]:
    """Where the first feature is -2 or 2 there are as many rows of each class: all sums are 0."""
    z = np.tile([-2.0, -1.0, 1.0, 2.0], 90)
    t = Table([Column("f0", "real", z), Column("f1", "real", np.repeat([0.0, 1.0], 180))], z)
    return t, np.where(np.abs(z) > 1.5, (np.arange(360) // 4) % classes, (z > 0) * 1)


TIES = {"iterations": 1, "depth": 2, "random_strength": 0, "bootstrap_type": "No"}


@case("binary")
def tie(lib: Library) -> Trained:
    t, y = ties(2)
    return Trained(lib.classifier(t, y, **TIES), t, covers=["row=tie"])


@case("multiclass")
def tie_multiclass(lib: Library) -> Trained:
    t, y = ties(3)
    m = lib.classifier(t, y, loss_function="MultiClass", **TIES)
    return Trained(m, t, covers=["row=tie-of-several"])


@case("multiclass", (FIRST, OLDEST, NEWEST))
def multiclass(lib: Library) -> Trained:
    """0.20 has multiclass_params, with every class as a text."""
    t = tiny(352)
    return Trained(lib.classifier(t, t.y_class(3), loss_function="MultiClass"), t)


@case("multiclass")
def multiclass_text(lib: Library) -> Trained:
    t = tiny(353)
    y = np.array(["c", "Ä", "b b", "日"])[t.y_class(4)]
    return Trained(lib.classifier(t, y, loss_function="MultiClass"), t)


@case("multiclass")
def multiclass_two(lib: Library) -> Trained:
    t = tiny(354)
    return Trained(lib.classifier(t, t.y_binary(), loss_function="MultiClass"), t)


@case("multiclass")
def one_vs_all(lib: Library) -> Trained:
    """Each probability is a sigmoid of its own."""
    t = tiny(355)
    y = np.array([3, 5, 9])[t.y_class(3)]
    return Trained(lib.classifier(t, y, loss_function="MultiClassOneVsAll"), t)


@case("multiclass")
def classes_count(lib: Library) -> Trained:
    """Classes 2 and 4 were never seen: their raw value is minus infinity, the file has 3 sums."""
    t = tiny(356)
    y = np.array([0, 1, 3])[t.y_class(3)]
    return Trained(lib.classifier(t, y, loss_function="MultiClass", classes_count=5), t)


@case("multilabel")
def multi_logloss(lib: Library) -> Trained:
    t = tiny(357)
    y = (t.y_many(2) > 0).astype(int)
    return Trained(lib.classifier(t, y, loss_function="MultiLogloss"), t)


@case("multilabel")
def multi_cross_entropy(lib: Library) -> Trained:
    t = tiny(358)
    y = 1 / (1 + np.exp(-t.y_many(2)))
    return Trained(lib.classifier(t, y, loss_function="MultiCrossEntropy"), t)


# Ranking: predict gives the raw value ---------------------------------------------------------


@case("rank")
def query_rmse(lib: Library) -> Trained:
    t = tiny(361)
    return Trained(lib.ranker(t, t.y_class(4), "QueryRMSE"), t)


@case("rank")
def query_softmax(lib: Library) -> Trained:
    t = tiny(362)
    return Trained(lib.ranker(t, t.y_binary(), "QuerySoftMax"), t)


@case("rank")
def yeti_rank(lib: Library) -> Trained:
    t = tiny(363)
    return Trained(lib.ranker(t, t.y_class(4) / 3.0, "YetiRank"), t)


@case("rank")
def yeti_rank_pairwise(lib: Library) -> Trained:
    t = tiny(364)
    return Trained(lib.ranker(t, t.y_class(4) / 3.0, "YetiRankPairwise"), t)


@case("rank")
def pair_logit(lib: Library) -> Trained:
    t = tiny(365)
    return Trained(lib.ranker(t, t.y_class(4), "PairLogit"), t)


@case("rank")
def pair_logit_pairwise(lib: Library) -> Trained:
    t = tiny(366)
    return Trained(lib.ranker(t, t.y_class(4), "PairLogitPairwise"), t)


@case("rank")
def stochastic_rank(lib: Library) -> Trained:
    t = tiny(367)
    return Trained(lib.ranker(t, t.y_class(4), "StochasticRank:metric=DCG"), t)


@case("rank")
def lambda_mart(lib: Library) -> Trained:
    t = tiny(368)
    return Trained(lib.ranker(t, t.y_class(4), "LambdaMart"), t)


# Trees --------------------------------------------------------------------------------------


@case("value", (OLDEST, NEWEST))
def lossguide(lib: Library) -> Trained:
    t = numbers(371, f=3)
    m = lib.regressor(t, t.y_real(), grow_policy="Lossguide", max_leaves=6, depth=6)
    return Trained(m, t, as_written=lib.version == OLDEST)


@case("binary")
def depthwise(lib: Library) -> Trained:
    t = small(372, f=3)
    return Trained(lib.classifier(t, t.y_binary(), grow_policy="Depthwise", depth=3), t)


@case("multiclass")
def lossguide_multiclass(lib: Library) -> Trained:
    t = small(373)
    params = {"loss_function": "MultiClass", "grow_policy": "Lossguide", "max_leaves": 5}
    return Trained(lib.classifier(t, t.y_class(3), **params), t)


@case("values")
def depthwise_values(lib: Library) -> Trained:
    t = tiny(374)
    params = {"loss_function": "MultiRMSE", "grow_policy": "Depthwise", "depth": 2}
    return Trained(lib.regressor(t, t.y_many(2), **params), t)


@case("value")
def lossguide_deep(lib: Library) -> Trained:
    """A chain of many levels."""
    z = np.round(2.0 ** np.linspace(0, 9, 320))
    t = Table([Column("f0", "real", z)], np.log2(z))
    params = {"grow_policy": "Lossguide", "max_leaves": 40, "depth": 16, "min_data_in_leaf": 1}
    m = lib.regressor(t, z**3, iterations=2, random_strength=0, **params)
    return Trained(m, t, covers=["tree=chain"])


@case("value")
def lossguide_one_leaf(lib: Library) -> Trained:
    """No split is allowed where each leaf needs most of the rows."""
    t = tiny(375)
    params = {"grow_policy": "Lossguide", "max_leaves": 4, "min_data_in_leaf": 300}
    return Trained(lib.regressor(t, t.y_real(), iterations=3, **params), t)


@case("value")
def depth_0(lib: Library) -> Trained:
    """Trees of one leaf, whose splits are null."""
    t = tiny(380)
    m = lib.regressor(t, t.y_real() + 2, depth=0, boost_from_average=False)
    return Trained(m, t)


@case("value")
def depth_1(lib: Library) -> Trained:
    t = small(376, f=3)
    return Trained(lib.regressor(t, t.y_real(), depth=1, iterations=9), t)


@case("value")
def depth_6(lib: Library) -> Trained:
    t = small(377, f=4)
    return Trained(lib.regressor(t, t.y_real(), depth=6, iterations=2), t)


@case("value")
def depth_9(lib: Library) -> Trained:
    """Leaf indices of more than one byte."""
    t = small(378, f=4)
    return Trained(lib.regressor(t, t.y_real(), depth=9, iterations=1), t)


@case("value")
def trees_60(lib: Library) -> Trained:
    """More than 255 borders of one feature: the library has two bytes for them."""
    rng = np.random.RandomState(379)
    x = rng.randn(3000)
    t = narrow(Table([Column("f0", "real", x)], np.sin(x * 9), rng=rng))
    params = {"depth": 5, "border_count": 1024, "random_strength": 40, "learning_rate": 0.1}
    return Trained(lib.regressor(t, t.y_real(), iterations=66, **params), t)


# Scale, bias, rounds ------------------------------------------------------------------------


@case("value", (OLDEST, NEWEST))
def scale_and_bias(lib: Library) -> Trained:
    t = tiny(381)
    m = lib.regressor(t, t.y_real())
    m.set_scale_and_bias(0.7, 0.11)
    return Trained(m, t)


@case("value")
def scale_alone(lib: Library) -> Trained:
    t = small(382)
    m = lib.regressor(t, t.y_real())
    m.set_scale_and_bias(-1.1, 0.0)
    return Trained(m, t)


@case("binary")
def bias_binary(lib: Library) -> Trained:
    """The label compares the sum after scale and bias."""
    t = small(383)
    m = lib.classifier(t, t.y_binary())
    m.set_scale_and_bias(1.3, -0.2)
    return Trained(m, t)


@case("multiclass")
def bias_multiclass(lib: Library) -> Trained:
    t = tiny(384)
    m = lib.classifier(t, t.y_class(3), loss_function="MultiClass")
    m.set_scale_and_bias(0.9, [0.1, -0.2, 0.3])
    return Trained(m, t)


@case("value")
def best_model(lib: Library) -> Trained:
    """Early stopping: the file holds the best trees only."""
    t = small(385, n=400)
    x, y = lib.data(t), t.y_real()
    params = lib.params(iterations=60, learning_rate=1.0, depth=2)
    m = lib.cb.CatBoostRegressor(**params)
    m.fit(x[:150], y[:150], eval_set=(x[150:], y[150:]), early_stopping_rounds=3)
    assert m.tree_count_ == m.best_iteration_ + 1 < 60
    return Trained(m, t, covers=["training=early-stopping"])


@case("value")
def shrunk(lib: Library) -> Trained:
    """The first trees only."""
    t = small(386)
    m = lib.regressor(t, t.y_real() + 3, iterations=7)
    m.shrink(4)
    return Trained(m, t, covers=["training=shrunk"])


@case("value")
def summed(lib: Library) -> Trained:
    """Two models in one: biases and trees together, and a file without parameters."""
    t = small(387)
    y = t.y_real() + 3
    models = [lib.regressor(t, y, random_seed=s, iterations=3) for s in (1, 2)]
    m = lib.cb.sum_models(models, weights=[0.25, 0.75])
    m._estimator_type = "regressor"
    return Trained(m, t, covers=["training=sum_models"])
