"""Rounds, missing values, names, options, targets and the columns of a DataFrame."""

from __future__ import annotations

from typing import Any, List

import numpy as np

from golden_models import (
    NEWEST,
    Library,
    Trained,
    case,
)
from golden_tables import Column, Table, numbers

NAMED = ["age", "monthly fee", 'quote"d', "größe", "日本", "it's"]


# Rounds -------------------------------------------------------------------------------------


def stopped(lib: Library, make: Any, t: Table, y: np.ndarray, **params: Any) -> Any:
    """Fits until the second half of the table stops improving: noisy, so that it does early."""
    x, half = t.matrix(), t.rows // 2
    params = dict(n_estimators=40, learning_rate=0.8, **params)
    kept = {"eval_set": [(x[half:], y[half:])], "verbose": False}
    if lib.number >= (1, 6):
        m = make(early_stopping_rounds=3, **params)
        m.fit(x[:half], y[:half], **kept)
    else:
        m = make(**params)
        m.fit(x[:half], y[:half], early_stopping_rounds=3, **kept)
    booster = m.get_booster()
    held = len(booster.get_dump())
    best = int(booster.attr("best_iteration"))
    assert best + 1 < held, "did not stop early"
    return m


@case("binary", ("1.2.1", "1.7.6", "2.1.4", NEWEST))
def stopped_classifier(lib: Library) -> Trained:
    """hbscore follows the estimator: rounds 0..best_iteration."""
    t = numbers(101)
    m = stopped(lib, lib.classifier, t, t.y_binary())
    return Trained(m, t, covers=["feature=early-stopping-estimator", "feature=wrapper-classifier"])


@case("value", ("1.7.6", NEWEST), ubj=True)
def stopped_regressor(lib: Library) -> Trained:
    t = numbers(102)
    m = stopped(lib, lib.regressor, t, t.y_real() + t.rng.randn(t.rows))
    return Trained(m, t, covers=["feature=early-stopping-estimator", "feature=wrapper-regressor"])


@case("softprob", ("1.7.6", NEWEST))
def stopped_multi(lib: Library) -> Trained:
    """A round is a tree for each class."""
    t = numbers(103)
    m = stopped(lib, lib.classifier, t, t.y_class(3))
    return Trained(
        m, t, covers=["feature=early-stopping-estimator", "feature=early-stopping-classes"]
    )


@case("value", ("1.7.6", NEWEST))
def stopped_forest(lib: Library) -> Trained:
    """A round is num_parallel_tree trees."""
    t = numbers(104)
    m = stopped(
        lib, lib.regressor, t, t.y_real() + t.rng.randn(t.rows), num_parallel_tree=3, subsample=0.7
    )
    return Trained(m, t, covers=["feature=early-stopping-estimator", "feature=num_parallel_tree"])


def stopped_booster(lib: Library, t: Table) -> Any:
    y = t.y_binary()
    half = t.rows // 2
    x = t.matrix()
    d, e = (lib.xgb.DMatrix(x[s], label=y[s]) for s in (slice(None, half), slice(half, None)))
    p = lib.params(objective="binary:logistic", eta=0.8)
    return lib.xgb.train(p, d, 40, evals=[(e, "e")], early_stopping_rounds=3, verbose_eval=False)


@case("binary", ("1.7.6", "2.1.4", NEWEST))
def stopped_train(lib: Library) -> Trained:
    """Booster.predict uses all rounds, whatever best_iteration says."""
    t = numbers(105)
    return Trained(stopped_booster(lib, t), t, covers=["feature=early-stopping-train"])


@case("binary", ("1.7.6", NEWEST), ubj=True)
def rounds_option(lib: Library) -> Trained:
    t = numbers(106)
    b = stopped_booster(lib, t)
    return Trained(b, t, options={"rounds": int(b.best_iteration) + 1})


@case("softprob", ("2.1.4", NEWEST))
def rounds_multi(lib: Library) -> Trained:
    t = numbers(107)
    b = lib.train(
        t,
        t.y_class(3),
        rounds=3,
        objective="multi:softprob",
        num_class=3,
        num_parallel_tree=2,
        subsample=0.8,
    )
    return Trained(b, t, options={"rounds": 2}, covers=["feature=num_parallel_tree"])


@case("binary", ("3.2.0", "3.3.0", NEWEST))
def rounds_dart(lib: Library) -> Trained:
    t = numbers(108)
    b = lib.train(
        t, t.y_binary(), rounds=5, objective="binary:logistic", booster="dart", rate_drop=0.5
    )
    return Trained(b, t, options={"rounds": 3})


@case("binary", ("2.1.4", NEWEST), ubj=True)
def stopped_dart(lib: Library) -> Trained:
    t = numbers(150)
    m = stopped(lib, lib.classifier, t, t.y_binary(), booster="dart", rate_drop=0.3)
    return Trained(m, t, covers=["feature=early-stopping-estimator", "feature=wrapper-classifier"])


@case("values", ("2.1.4", NEWEST))
def rounds_in_leaf(lib: Library) -> Trained:
    """With vector leaves a round is one tree, whatever the number of outputs."""
    t = numbers(151)
    b = lib.train(
        t,
        t.y_many(3),
        rounds=4,
        objective="reg:squarederror",
        tree_method="hist",
        multi_strategy="multi_output_tree",
    )
    return Trained(
        b, t, options={"rounds": 2}, covers=["feature=multi_output_tree", "feature=several-targets"]
    )


@case("values", ("1.7.6", NEWEST))
def rounds_targets(lib: Library) -> Trained:
    t = numbers(152)
    b = lib.train(t, t.y_many(2), rounds=4, objective="reg:squarederror")
    return Trained(b, t, options={"rounds": 3}, covers=["feature=several-targets"])


@case("binary", (NEWEST,))
def rounds_over_estimator(lib: Library) -> Trained:
    """The option wins over best_iteration."""
    t = numbers(109)
    m = stopped(lib, lib.classifier, t, t.y_binary())
    rounds = m.best_iteration + 3
    return Trained(m, t, options={"rounds": rounds}, covers=["feature=early-stopping-estimator"])


# Missing values -----------------------------------------------------------------------------


def with_marks(seed: int, mark: float) -> Table:
    """NaN and a mark, both missing in training."""
    t = numbers(seed, missing=0.05)
    for c in t.columns:
        c.values[t.rng.rand(t.rows) < 0.1] = mark
    return t


@case("value", ("1.2.1", "2.1.4", NEWEST))
def missing_option(lib: Library) -> Trained:
    t = with_marks(111, -999.0)
    b = lib.train(t, t.y_real(), matrix={"missing": -999.0}, objective="reg:squarederror")
    return Trained(b, t, options={"missing": -999})


@case("value", (NEWEST,), ubj=True)
def missing_fraction(lib: Library) -> Trained:
    """A mark that float32 rounds: 0.1. A column without it has thresholds near it."""
    t = with_marks(112, 0.1)
    b = lib.train(t, t.y_real(), matrix={"missing": 0.1}, objective="reg:squarederror")
    return Trained(b, t, options={"missing": 0.1})


@case("value", (NEWEST,))
def missing_zero(lib: Library) -> Trained:
    """0 as the mark: -0.0 and doubles that become 0 in float32 are missing too."""
    t = with_marks(113, 0.0)
    b = lib.train(t, t.y_real(), matrix={"missing": 0.0}, objective="reg:squarederror")
    return Trained(b, t, options={"missing": 0})


@case("binary", ("1.7.6",))
def missing_in_file(lib: Library) -> Trained:
    """The 1.7 wrapper writes `missing` into the file: no option needed."""
    t = with_marks(114, -999.0)
    m = lib.classifier(missing=-999.0)
    m.fit(t.matrix(), t.y_binary())
    return Trained(m, t, covers=["feature=missing-in-file", "feature=wrapper-classifier"])


@case("binary", (NEWEST,), ubj=True)
def missing_wrapper(lib: Library) -> Trained:
    """Later wrappers do not: the option says it again."""
    t = with_marks(115, -999.0)
    m = lib.classifier(missing=-999.0)
    m.fit(t.matrix(), t.y_binary())
    return Trained(m, t, options={"missing": -999}, covers=["feature=wrapper-classifier"])


@case("value", (NEWEST,))
def missing_gblinear(lib: Library) -> Trained:
    t = with_marks(116, -999.0)
    b = lib.train(
        t, t.y_real(), matrix={"missing": -999.0}, objective="reg:squarederror", booster="gblinear"
    )
    return Trained(b, t, options={"missing": -999}, infinities=False)


@case("value", (NEWEST,))
def never_missing(lib: Library) -> Trained:
    """Trained without a missing value: the default direction still has a meaning."""
    t = numbers(117, missing=0.0)
    return Trained(lib.train(t, t.y_real(), objective="reg:squarederror"), t)


# Base score ---------------------------------------------------------------------------------


@case("softprob", (NEWEST,))
def base_score_vector(lib: Library) -> Trained:
    """3.1+: one intercept a class, estimated from uneven classes."""
    t = numbers(121)
    y = np.searchsorted(np.quantile(t.score, [0.1, 0.4]), t.score)
    b = lib.train(t, y, rounds=3, objective="multi:softprob", num_class=3)
    return Trained(b, t, covers=["feature=base_score-vector"])


@case("values", (NEWEST,), ubj=True)
def base_score_given_vector(lib: Library) -> Trained:
    t = numbers(122)
    b = lib.train(
        t, t.y_many(3), rounds=3, objective="reg:squarederror", base_score=[1.0, -2.5, 0.125]
    )
    return Trained(
        b,
        t,
        covers=["feature=base_score-vector", "feature=base_score-given", "feature=several-targets"],
    )


@case("binary", ("1.7.6", NEWEST))
def base_score_given(lib: Library) -> Trained:
    t = numbers(123)
    b = lib.train(t, t.y_binary(), objective="binary:logistic", base_score=0.137)
    return Trained(b, t, covers=["feature=base_score-given"])


@case("value", ("1.7.6", NEWEST))
def base_score_gamma(lib: Library) -> Trained:
    t = numbers(124)
    b = lib.train(t, t.y_positive(), objective="reg:gamma", base_score=0.7)
    return Trained(b, t, covers=["feature=base_score-given"])


@case("value", ("2.1.4", NEWEST))
def base_score_none(lib: Library) -> Trained:
    """boost_from_average off, which 3.x takes only with a base score."""
    t = numbers(125)
    b = lib.train(
        t, t.y_real() + 3, objective="reg:squarederror", boost_from_average=0, base_score=0.0
    )
    return Trained(b, t)


# Targets ------------------------------------------------------------------------------------


@case("values", ("1.7.6", "2.1.4", NEWEST))
def targets_by_tree(lib: Library) -> Trained:
    t = numbers(131)
    b = lib.train(t, t.y_many(3), rounds=3, objective="reg:squarederror")
    return Trained(b, t, covers=["feature=several-targets", "feature=one_output_per_tree"])


@case("values", ("2.0.3", "2.1.4", "3.0.5", "3.1.3", "3.2.0", NEWEST))
def targets_in_leaf(lib: Library) -> Trained:
    t = numbers(132)
    b = lib.train(
        t,
        t.y_many(3),
        rounds=3,
        objective="reg:squarederror",
        tree_method="hist",
        multi_strategy="multi_output_tree",
    )
    return Trained(b, t, covers=["feature=several-targets", "feature=multi_output_tree"])


@case("softprob", ("2.1.4", "3.1.3", NEWEST), ubj=True)
def classes_in_leaf(lib: Library) -> Trained:
    t = numbers(133)
    b = lib.train(
        t,
        t.y_class(4),
        rounds=3,
        objective="multi:softprob",
        num_class=4,
        tree_method="hist",
        multi_strategy="multi_output_tree",
    )
    return Trained(b, t, covers=["feature=multi_output_tree"])


@case("values", (NEWEST,), ubj=True)
def targets_in_leaf_forest(lib: Library) -> Trained:
    """Vector leaves with several trees a round, deep enough for uneven trees."""
    t = numbers(134)
    b = lib.train(
        t,
        t.y_many(2),
        rounds=3,
        objective="reg:squarederror",
        tree_method="hist",
        max_depth=5,
        num_parallel_tree=2,
        subsample=0.8,
        multi_strategy="multi_output_tree",
    )
    return Trained(b, t, covers=["feature=multi_output_tree", "feature=num_parallel_tree"])


@case("values", ("1.7.6", NEWEST))
def targets_gblinear(lib: Library) -> Trained:
    t = numbers(138)
    b = lib.train(t, t.y_many(2), rounds=5, objective="reg:squarederror", booster="gblinear")
    return Trained(b, t, covers=["feature=several-targets", "feature=gblinear-groups"])


def many_labels(t: Table, k: int) -> np.ndarray:
    y = t.y_many(k)
    return (y > np.median(y, axis=0)).astype(np.int64)


@case("multilabel", ("1.7.6", NEWEST))
def multi_label(lib: Library) -> Trained:
    t = numbers(135)
    m = lib.classifier(n_estimators=3)
    m.fit(t.matrix(), many_labels(t, 3))
    return Trained(m, t, covers=["feature=multi-label"])


@case("multilabel", ("2.1.4", NEWEST), ubj=True)
def multi_label_two(lib: Library) -> Trained:
    """Two labels look like two classes: they are not."""
    t = numbers(136)
    m = lib.classifier(n_estimators=3)
    m.fit(t.matrix(), many_labels(t, 2))
    return Trained(m, t, covers=["feature=multi-label"])


@case("multilabel", ("3.0.5", NEWEST))
def multi_label_leaf(lib: Library) -> Trained:
    t = numbers(137)
    m = lib.classifier(n_estimators=3, tree_method="hist", multi_strategy="multi_output_tree")
    m.fit(t.matrix(), many_labels(t, 3))
    return Trained(m, t, covers=["feature=multi-label", "feature=multi_output_tree"])


# Names, types and labels --------------------------------------------------------------------


def typed(seed: int) -> Table:
    """One column of each type that a DataFrame gives a feature_types name: int, i, float."""
    rng = np.random.RandomState(seed)
    n = 320
    whole, flag = rng.randint(-50, 50, n), rng.randint(0, 2, n)
    small, wide, odd = rng.randn(n).astype(np.float32), rng.randn(n) * 100, rng.randint(0, 9, n)
    score = whole / 40.0 + flag + small + wide / 90.0 - odd / 5.0
    cols = [
        Column("age", "real", whole.astype(np.float64), cell="i"),
        Column("is new", "real", flag.astype(np.float64), cell="b"),
        Column('quote"d', "real", small.astype(np.float64), cell="s"),
        Column("größe", "real", wide),
        Column("日本", "real", odd.astype(np.float64), cell="i"),
    ]
    return Table(cols, score, named=True, rng=rng)


DTYPES = {
    "age": "int64",
    "is new": "bool",
    'quote"d': "float32",
    "größe": "float64",
    "日本": "int16",
}


@case("binary", ("1.7.6", "2.1.4", NEWEST))
def frame_types(lib: Library) -> Trained:
    t = typed(141)
    m = lib.classifier()
    m.fit(t.frame(DTYPES), t.y_binary())
    kinds = ["feature=names-stored", "feature=type-int", "feature=type-i", "feature=type-float"]
    return Trained(m, t, covers=kinds + ["feature=names-odd", "feature=wrapper-classifier"])


@case("value", ("1.7.6", NEWEST), ubj=True)
def matrix_names(lib: Library) -> Trained:
    """Names and types given to the DMatrix: q, float, int, i."""
    t = numbers(142, f=6)
    t.named = True
    for c, name in zip(t.columns, NAMED):
        c.name = name
    y = t.y_real()
    types = ["q", "float", "int", "i", "q", "float"]
    d = lib.xgb.DMatrix(t.matrix(), label=y, feature_names=NAMED, feature_types=types, nthread=1)
    kinds = [
        "feature=names-stored",
        "feature=names-odd",
        "feature=type-q",
        "feature=type-float",
        "feature=type-int",
        "feature=type-i",
    ]
    return Trained(lib.xgb.train(lib.params(objective="reg:squarederror"), d, 4), t, covers=kinds)


@case("value", ("1.7.6", NEWEST))
def features_option(lib: Library) -> Trained:
    """A model without names is given them at registration."""
    t = numbers(143, f=6)
    b = lib.train(t, t.y_real(), objective="reg:squarederror")
    return Trained(b, t, options={"features": NAMED}, covers=["feature=names-absent"])


@case("binary", ("1.2.1", NEWEST))
def classes_option(lib: Library) -> Trained:
    t = numbers(144)
    b = lib.train(t, t.y_binary(), objective="binary:logistic")
    return Trained(b, t, options={"classes": ["no", "ja, größer"]}, covers=["feature=names-absent"])


@case("softprob", (NEWEST,), ubj=True)
def classes_option_multi(lib: Library) -> Trained:
    t = numbers(145)
    b = lib.train(t, t.y_class(3), rounds=3, objective="multi:softprob", num_class=3)
    return Trained(b, t, options={"classes": ["low", "mid", "high"]})


@case("softprob", ("1.7.6",))
def classes_in_file(lib: Library) -> Trained:
    """The 1.7 wrapper writes classes_; they are 0..k-1 by force."""
    t = numbers(146)
    m = lib.classifier(n_estimators=3)
    m.fit(t.matrix(), t.y_class(4))
    return Trained(m, t, covers=["feature=classes-in-file", "feature=wrapper-classifier"])


@case("softprob", ("1.2.1",))
def classes_text_in_file(lib: Library) -> Trained:
    """The 1.2 wrapper keeps text labels in the file, in a label encoder of its own."""
    t = numbers(147)
    m = lib.classifier(n_estimators=3)
    words = np.array(["low", "mid", "high"], dtype=object)
    m.fit(t.matrix(), words[t.y_class(3)])
    return Trained(m, t, covers=["feature=classes-text-in-file", "feature=wrapper-classifier"])


@case("value", (NEWEST,))
def wide_sparse(lib: Library) -> Trained:
    """300 features, most of them missing in most rows."""
    t = numbers(148, n=240, f=300, missing=0.95, cells="s")
    b = lib.train(t, t.y_real(), rounds=3, objective="reg:squarederror", max_depth=4, eta=0.9)
    return Trained(b, t, covers=["feature=wide"])


@case("value", (NEWEST,))
def whole_numbers(lib: Library) -> Trained:
    """Integers beyond 2**24 and 2**53: one rounding from int64 to float32, not two."""
    rng = np.random.RandomState(149)
    n = 200
    # 2**54 + 2**30 + 1 is just above a tie of float32: through a double it would fall down.
    big = np.where(rng.rand(n) < 0.5, 2**54, 2**54 + 2**31).astype(np.int64)
    mid = (2**24 + rng.randint(-6, 7, n)).astype(np.int64)
    y = (big > 2**54) * 4.0 + (mid > 2**24) * 2.0 + rng.randn(n) * 0.1
    cols = [
        Column("f0", "real", big.astype(np.float64), cell="i"),
        Column("f1", "real", mid.astype(np.float64), cell="i"),
        Column("f2", "real", rng.randn(n)),
    ]
    t = Table(cols, y, rng=rng)
    asked: List[List[Any]] = []
    for v in (
        2**54 + 2**30 + 1,
        2**54 + 2**30,
        2**54 + 2**30 - 1,
        2**54 + 3 * 2**30,
        2**54 + 2**31,
        2**54,
    ):
        for w in (2**24 - 1, 2**24, 2**24 + 1, 2**24 + 2, 2**24 + 3):
            asked.append([v, w, 0.5])
    b = lib.train(t, y, rounds=4, objective="reg:squarederror")
    return Trained(b, t, rows=asked, covers=["feature=int64-one-rounding"])
