"""Features: missing values, names, categories as one-hot splits and as target statistics (ctr)."""

from __future__ import annotations

from typing import Any

import numpy as np

from golden_catboost_models import (
    FIRST,
    LENGTHS,
    NEWEST,
    OLD,
    OLDEST,
    SINCE_1,
    Library,
    Trained,
    case,
    mixed,
    narrow,
)
from golden_tables import ACCENTS, FLT_MAX, WORDS, Column, Table, numbers

# Numbers ------------------------------------------------------------------------------------


def small(seed: int, f: int = 2, missing: float = 0.08) -> Table:
    return narrow(numbers(seed, f=f, missing=missing, cells="sd"))


@case("value")
def nan_min(lib: Library) -> Trained:
    """Often missing: the lowest float is a border, and missing values are below it."""
    t = small(411, missing=0.3)
    y = np.where(np.isnan(t.columns[0].values), -4.0, t.y_real())
    return Trained(lib.regressor(t, y, nan_mode="Min"), t)


@case("value")
def nan_max(lib: Library) -> Trained:
    t = small(412, missing=0.3)
    y = np.where(np.isnan(t.columns[0].values), 4.0, t.y_real())
    return Trained(lib.regressor(t, y, nan_mode="Max"), t)


@case("value")
def nan_forbidden(lib: Library) -> Trained:
    """No comparison holds for a missing value."""
    t = small(413, missing=0.0)
    return Trained(lib.regressor(t, t.y_real(), nan_mode="Forbidden"), t)


@case("binary")
def nan_per_feature(lib: Library) -> Trained:
    t = small(414, f=3, missing=0.2)
    t.columns[2].values = np.nan_to_num(t.columns[2].values)
    quantization = ["0:nan_mode=Max", "1:nan_mode=Min"]
    m = lib.classifier(t, t.y_binary(), per_float_feature_quantization=quantization)
    return Trained(m, t)


@case("value")
def extremes(lib: Library) -> Trained:
    """Borders at the ends of float32, at denormals, at zero. (JSON takes no infinite border.)"""
    rng = np.random.RandomState(415)
    ends = [-FLT_MAX, -1e38, -1e-40, -0.0, 0.0, 1.4e-45, 1e-40, 1e38, FLT_MAX]
    columns = []
    score = np.zeros(400)
    for j in range(2):
        pick = rng.randint(0, len(ends), 400)
        columns.append(Column("f%d" % j, "real", np.array(ends)[pick]))
        score = score + rng.randn(len(ends))[pick] * 3
    t = narrow(Table(columns, score, rng=rng))
    m = lib.regressor(t, t.y_real(), iterations=8, depth=4, random_strength=0)
    return Trained(m, t, covers=["borders=extreme"])


@case("value")
def monotone(lib: Library) -> Trained:
    t = small(416, f=3)
    m = lib.regressor(t, t.y_real(), monotone_constraints=[1, -1, 0])
    return Trained(m, t, covers=["training=monotone_constraints"])


@case("value", SINCE_1)
def ignored(lib: Library) -> Trained:
    """Features that no tree uses keep their place: null until 1.0, an empty list since."""
    t = small(417, f=4)
    m = lib.regressor(t, t.y_real(), ignored_features=[0, 3])
    return Trained(m, t, covers=["training=ignored_features"])


@case("value", (OLD, NEWEST))
def names(lib: Library) -> Trained:
    """Names with a blank and outside ASCII; 1.0 writes them only with the pool."""
    t = small(418, f=3)
    for c, name in zip(t.columns, ["größe in m", 'a "b" c', "日本"]):
        c.name = name
    t.named = True
    return Trained(lib.regressor(t, t.y_real()), t, pool=True, covers=["names=non-ascii"])


@case("value", (OLD,))
def names_lost(lib: Library) -> Trained:
    """Trained with names and saved without a pool: 1.0 has no names."""
    t = small(419)
    t.named = True
    return Trained(lib.regressor(t, t.y_real()), t)


# One-hot ------------------------------------------------------------------------------------


@case("value", (FIRST, NEWEST))
def one_hot(lib: Library) -> Trained:
    t = mixed(431, [WORDS, ACCENTS])
    return Trained(lib.regressor(t, t.y_real(), one_hot_max_size=10), t, pool=True)


@case("binary")
def one_hot_integers(lib: Library) -> Trained:
    """Integers are hashed as their decimal digits."""
    t = mixed(432, [], [[-3, 0, 7, 12, 1000], [1, 2**31, 2**53 + 1, -(2**63)]])
    return Trained(lib.classifier(t, t.y_binary(), one_hot_max_size=10), t)


@case("value")
def one_hot_lengths(lib: Library) -> Trained:
    """Texts of every length that the hash treats by itself."""
    t = mixed(433, [LENGTHS], reals=1)
    params = {"one_hot_max_size": 30, "iterations": 16, "random_strength": 0, "depth": 2}
    m = lib.regressor(t, t.score * 3, **params)
    return Trained(m, t, pool=True, covers=["categories=all-lengths"])


@case("multiclass")
def one_hot_multiclass(lib: Library) -> Trained:
    t = mixed(434, [ACCENTS], reals=1)
    params = {"one_hot_max_size": 10, "loss_function": "MultiClass"}
    return Trained(lib.classifier(t, t.y_class(3), **params), t)


@case("value")
def one_hot_lossguide(lib: Library) -> Trained:
    t = mixed(435, [WORDS, ACCENTS])
    params = {"one_hot_max_size": 10, "grow_policy": "Lossguide", "max_leaves": 7}
    return Trained(lib.regressor(t, t.y_real(), **params), t)


@case("value")
def one_hot_unused(lib: Library) -> Trained:
    """A categorical feature without a split is in the file, without values."""
    t = mixed(436, [WORDS, ["p", "q"]])
    score = t.score.copy()
    params = {"one_hot_max_size": 10, "ignored_features": [3]}
    return Trained(lib.regressor(t, score, **params), t)


@case("binary")
def categories_only(lib: Library) -> Trained:
    """No float feature."""
    t = mixed(437, [WORDS, ACCENTS], reals=0)
    m = lib.classifier(t, t.y_binary(), one_hot_max_size=10)
    return Trained(m, t, covers=["feature=no-floats"])


# Target statistics --------------------------------------------------------------------------


#: Combinations of two features, at no penalty.
PAIRS = {"max_ctr_complexity": 2, "model_size_reg": 0}


def turned(t: Table) -> np.ndarray:
    """A score in which the sign of the first real decides what each category means."""
    sign = np.where(np.nan_to_num(t.columns[0].values) > 0, 1.0, -1.0)
    known = t.columns[1].categories or []
    effect = np.array([known.index(v) - (len(known) - 1) / 2 for v in t.columns[1].values])
    return t.score + 3 * sign * effect


def ctr(
    lib: Library, t: Table, y: np.ndarray, kinds: str, model: str = "classifier", **more: Any
) -> Any:
    """The same kinds for single features and for combinations."""
    params = {
        "one_hot_max_size": 1,
        "simple_ctr": kinds.split(" "),
        "combinations_ctr": kinds.split(" "),
        "max_ctr_complexity": 1,
        "random_strength": 0.2,
        **more,
    }
    return getattr(lib, model)(t, y, **params)


@case("binary", (FIRST, NEWEST))
def ctr_default(lib: Library) -> Trained:
    """Borders with three priors and Counter, simple and combined, as nobody chose them."""
    t = mixed(441, [WORDS, ACCENTS])
    m = lib.classifier(t, t.y_binary(), iterations=8)
    return Trained(m, t, pool=True, as_written=lib.version == NEWEST)


@case("binary")
def ctr_borders(lib: Library) -> Trained:
    t = mixed(442, [ACCENTS], reals=1)
    return Trained(ctr(lib, t, t.y_binary(), "Borders"), t)


@case("value")
def ctr_borders_several(lib: Library) -> Trained:
    """Three borders of the target: four counts a bucket."""
    t = mixed(443, [WORDS])
    m = ctr(lib, t, t.y_real(), "Borders:TargetBorderCount=3", "regressor", iterations=8)
    return Trained(m, t)


@case("value")
def ctr_buckets(lib: Library) -> Trained:
    t = mixed(444, [WORDS])
    m = ctr(lib, t, t.y_real(), "Buckets:TargetBorderCount=2", "regressor", iterations=8)
    return Trained(m, t)


@case("value")
def ctr_mean(lib: Library) -> Trained:
    t = mixed(445, [WORDS, ACCENTS])
    return Trained(ctr(lib, t, t.y_real(), "BinarizedTargetMeanValue", "regressor"), t)


@case("value")
def ctr_mean_fractions(lib: Library) -> Trained:
    """Four classes of the target: the sums are fractions."""
    t = mixed(446, [WORDS, ACCENTS])
    kinds = "BinarizedTargetMeanValue:TargetBorderCount=3"
    return Trained(ctr(lib, t, t.y_real(), kinds, "regressor"), t)


@case("binary")
def ctr_counter(lib: Library) -> Trained:
    """Counter with the denominator of the file, for known and unknown categories."""
    t = mixed(447, [WORDS, ACCENTS])
    known = t.columns[1].values
    weights = np.array([min(8, known.count(v) // 40) for v in known])
    t.score = t.score + weights
    t.columns[1].values = [v if i % 3 else WORDS[0] for i, v in enumerate(known)]
    return Trained(ctr(lib, t, t.y_binary(), "Counter"), t)


@case("binary")
def ctr_counter_full(lib: Library) -> Trained:
    t = mixed(448, [WORDS], reals=1)
    t.columns[1].values = [v if i % 3 else WORDS[1] for i, v in enumerate(t.columns[1].values)]
    y = (np.array([v == WORDS[1] for v in t.columns[1].values]) ^ (t.score > 2)).astype(int)
    return Trained(ctr(lib, t, y, "Counter", counter_calc_method="Full"), t)


@case("binary")
def ctr_priors(lib: Library) -> Trained:
    """Priors of one's own, which change shift and scale, and fewer borders."""
    t = mixed(449, [WORDS, ACCENTS], reals=1)
    kinds = "Borders:CtrBorderCount=5:Prior=-0.7 "
    kinds += "BinarizedTargetMeanValue:CtrBorderCount=11:Prior=7"
    return Trained(ctr(lib, t, t.y_binary(), kinds), t, covers=["ctr=own-priors"])


@case("multiclass")
def ctr_multiclass(lib: Library) -> Trained:
    """As many counts a bucket as there are classes."""
    t = mixed(450, [WORDS, ACCENTS], reals=1)
    m = ctr(lib, t, t.y_class(3), "Buckets Borders", loss_function="MultiClass", iterations=6)
    return Trained(m, t)


@case("binary")
def ctr_pairs(lib: Library) -> Trained:
    """Combinations of two categorical features."""
    t = mixed(451, [WORDS, ACCENTS])
    m = ctr(lib, t, t.y_binary(), "Borders Counter", **PAIRS, iterations=8)
    return Trained(m, t, covers=["ctr=combination"])


@case("value", (OLDEST, NEWEST))
def ctr_many(lib: Library) -> Trained:
    """Combinations of categorical features, one-hot values and borders of floats."""
    t = mixed(452, [["r", "s", "t"], ["no", "yes"]], [[1, 2, 3, 4]])
    params = {"max_ctr_complexity": 4, "one_hot_max_size": 2, "iterations": 10, "depth": 4}
    kinds = "Borders BinarizedTargetMeanValue Counter"
    m = ctr(lib, t, turned(t), kinds, "regressor", model_size_reg=0, **params)
    return Trained(m, t)


@case("binary")
def ctr_floats(lib: Library) -> Trained:
    """Combinations with borders of floats, and rows in which the float is missing."""
    t = mixed(453, [["u", "v", "w"]], missing=0.25)
    y = (turned(t) > 0).astype(int)
    params = {"max_ctr_complexity": 3, "iterations": 8, "depth": 4, "model_size_reg": 0}
    return Trained(ctr(lib, t, y, "Borders", **params), t)


@case("binary")
def ctr_integers(lib: Library) -> Trained:
    t = mixed(454, [], [[-5, 0, 3, 40, 500, 2**40]])
    return Trained(ctr(lib, t, t.y_binary(), "Borders Counter", **PAIRS), t)


@case("binary")
def ctr_lengths(lib: Library) -> Trained:
    t = mixed(455, [LENGTHS], reals=1)
    m = ctr(lib, t, t.y_binary(), "Borders", iterations=8)
    return Trained(m, t, covers=["categories=all-lengths"])


@case("value")
def ctr_depthwise(lib: Library) -> Trained:
    t = mixed(456, [WORDS, ACCENTS])
    params = {"grow_policy": "Depthwise", **PAIRS}
    return Trained(ctr(lib, t, t.y_real(), "Borders Counter", "regressor", **params), t)


@case("binary")
def ctr_leaf_limit(lib: Library) -> Trained:
    """Only the largest buckets are kept: a category of the training data may be unknown."""
    t = mixed(457, [ACCENTS], reals=1)
    m = ctr(lib, t, t.y_binary(), "Borders", ctr_leaf_count_limit=4, iterations=8)
    return Trained(m, t, covers=["ctr=leaf-limit"])


@case("value")
def ctr_per_feature(lib: Library) -> Trained:
    t = mixed(458, [WORDS, ACCENTS])
    per = ["1:Borders:TargetBorderCount=2:Prior=0.5", "3:Counter:Prior=1"]
    params = {"one_hot_max_size": 1, "per_feature_ctr": per, "max_ctr_complexity": 1}
    return Trained(lib.regressor(t, t.y_real(), **params), t, covers=["ctr=per-feature"])


# Refused ------------------------------------------------------------------------------------


@case("refused", (OLD,))
def embedding(lib: Library) -> Trained:
    """1.0 writes a model with an embedding feature, whose splits nobody can read; 1.2 does not."""
    import pandas as pd

    t = small(471, f=3, missing=0.0)
    y = t.y_binary()
    x = t.matrix()
    data = pd.DataFrame({"x": x[:, 2], "e": [list(r) for r in x]})
    t.columns = [Column("x", "real", x[:, 2]), Column("e", "real", x[:, 0])]
    # One calculator: their order among several differs from run to run.
    calculators = {"embedding_processing": {"default": ["KNN:k=3"]}}
    params = lib.params(loss_function="Logloss", embedding_processing=calculators)
    pool = lib.cb.Pool(data, y, embedding_features=["e"])
    return Trained(lib.cb.CatBoost(params).fit(pool), t, covers=["refused=embedding-features"])


@case("refused")
def ctr_twice(lib: Library) -> Trained:
    """Two binarizations of the target for one kind of ctr: the file holds one of the two tables,
    under a name that stands for both. From the file CatBoost itself gives other answers."""
    t = mixed(472, [WORDS])
    kinds = "Borders:TargetBorderCount=1 Borders:TargetBorderCount=3"
    m = ctr(lib, t, t.y_real(), kinds, "regressor", iterations=8)
    return Trained(m, t, covers=["refused=ctr-twice"])
