"""Missing values, categories, linear trees, shapes of trees, and ways to write a LightGBM file."""

from __future__ import annotations

import ctypes
from typing import Any, List

import numpy as np

from golden_lightgbm_models import NEWEST, OLD, V3, ZERO, Library, Trained, case, up
from golden_tables import ACCENTS, WORDS, Column, Table, coded, labelled, numbers

# Missing values -----------------------------------------------------------------------------


@case("value")
def missing_none(lib: Library) -> Trained:
    """No missing value in training: a NaN is 0."""
    t = numbers(311, missing=0)
    return Trained(lib.train(t, t.y_real(), objective="regression"), t)


@case("value")
def missing_off(lib: Library) -> Trained:
    t = numbers(312)
    b = lib.train(t, t.y_real(), objective="regression", use_missing=False)
    return Trained(b, t, covers=["feature=use-missing-false"])


def zeros(t: Table, share: float = 0.3) -> Table:
    """Puts zeros and values that count as zero among the numbers."""
    for j, c in enumerate(t.columns):
        c.values = np.array(c.values)
        c.values[t.rng.rand(t.rows) < share] = 0.0
        c.values[t.rng.rand(t.rows) < 0.05] = ZERO * (0.5 if j % 2 else -1.0)
    t.score = t.score + 1.5 * (t.columns[0].values == 0) - (t.columns[1].values == 0)
    return t


@case("value", OLD)
def missing_zero(lib: Library) -> Trained:
    t = zeros(numbers(313))
    b = lib.train(t, t.y_real(), rounds=8, objective="regression", zero_as_missing=True)
    return Trained(b, t)


@case("value")
def missing_nan(lib: Library) -> Trained:
    """Missing values that tell much, of both directions."""
    t = numbers(314, missing=0.3)
    t.score = t.score + 2.0 * np.isnan(t.columns[0].values) - 2.0 * np.isnan(t.columns[1].values)
    return Trained(lib.train(t, t.y_real(), rounds=8, objective="regression"), t)


@case("value")
def missing_or_not(lib: Library) -> Trained:
    """Columns that say something by being missing alone: thresholds of 1e300, below infinity."""
    t = numbers(315, missing=0.4)
    y = t.rng.randn(t.rows) * 0.1
    for j in (0, 1, 2):
        y += (j + 1.0) * np.isnan(t.columns[j].values)
    b = lib.train(t, y, rounds=6, num_leaves=8, objective="regression")
    return Trained(b, t)


@case("value")
def tiny(lib: Library) -> Trained:
    """Columns on both sides of 1e-35, below which every value counts as zero."""
    t = numbers(316, missing=0.05)
    for j, scale in enumerate([1e-35, 3e-36, 1e-34, 1.0]):
        t.columns[j].values = t.columns[j].values / np.nanstd(t.columns[j].values) * scale
        t.columns[j].cell = "d"
    b = lib.train(t, t.y_real(), rounds=6, objective="regression", min_data_in_bin=1)
    return Trained(b, t, covers=["feature=tiny-values"])


@case("value")
def huge(lib: Library) -> Trained:
    """Columns of 1e300 and with infinities in training."""
    t = numbers(317, missing=0.05)
    for j, scale in enumerate([1e300, 1e305, 1e18, 1.0]):
        t.columns[j].values = t.columns[j].values / np.nanstd(t.columns[j].values) * scale
        t.columns[j].cell = "d"
    t.columns[3].values[::9] = np.inf
    t.columns[3].values[::11] = -np.inf
    t.score = t.score + 2.0 * np.isposinf(t.columns[3].values)
    b = lib.train(t, t.y_real(), rounds=6, num_leaves=8, objective="regression")
    return Trained(b, t, covers=["feature=huge-values", "feature=infinity-in-training"])


@case("value")
def zero_bin(lib: Library) -> Trained:
    """Sparse counts: thresholds of 1e-35 part zero from what is positive."""
    t = numbers(318, missing=0)
    for c in t.columns:
        c.values = np.maximum(np.round(c.values / np.std(c.values)), -1.0)
        c.cell = "i"
    b = lib.train(t, t.y_real(), rounds=6, objective="regression")
    return Trained(b, t, covers=["feature=zero-bin"])


@case("value")
def narrow_types(lib: Library) -> Trained:
    """Booleans, integers beyond 2^53 and floats."""
    t = numbers(319, missing=0.05)
    flag, big, small, real = t.columns
    t.score = t.score + (flag.values > 0)
    flag.values = np.where(np.isnan(flag.values), np.nan, flag.values > 0)
    flag.cell = "b"
    big.values = np.round(big.values / np.nanstd(big.values) * 2.0**52) * 2
    big.cell = "i"
    small.values = small.values.astype(np.float32).astype(np.float64)
    small.cell = real.cell = "s"
    b = lib.train(t, t.y_real(), rounds=6, objective="regression")
    return Trained(b, t, covers=["feature=narrow-types"])


# Categories given as codes ------------------------------------------------------------------


@case("value", OLD)
def codes(lib: Library) -> Trained:
    t = coded(321, sizes=(4, 12, 40))
    return Trained(lib.train(t, t.y_real(), objective="regression"), t)


@case("value")
def codes_onehot(lib: Library) -> Trained:
    """One category against all others."""
    t = coded(322, sizes=(3, 10))
    b = lib.train(t, t.y_real(), objective="regression", max_cat_to_onehot=10)
    return Trained(b, t, covers=["feature=one-hot"])


@case("value")
def codes_wide(lib: Library) -> Trained:
    t = coded(323, n=900, sizes=(70, 200))
    b = lib.train(t, t.y_real(), objective="regression", max_cat_threshold=64)
    return Trained(b, t)


@case("value")
def codes_far(lib: Library) -> Trained:
    """Few codes that lie far apart, so that bit sets are long and almost empty."""
    t = coded(325, sizes=(8, 6))
    for j, codes in ((0, [0, 1, 31, 32, 63, 64, 1000, 5000]), (2, [2, 5, 33, 300, 1023, 1024])):
        old = t.columns[j].values
        t.columns[j].values = np.array([v if v != v else float(codes[int(v)]) for v in old])
        t.columns[j].categories = codes
    b = lib.train(t, t.y_real(), objective="regression", max_cat_to_onehot=1)
    return Trained(b, t, covers=["feature=far-codes"])


@case("value")
def codes_negative(lib: Library) -> Trained:
    """Negative codes in training count as missing."""
    t = coded(326, sizes=(6, 12))
    t.columns[0].values = t.columns[0].values - 2
    return Trained(
        lib.train(t, t.y_real(), objective="regression"), t, covers=["feature=negative-codes"]
    )


@case("value")
def codes_zero_missing(lib: Library) -> Trained:
    t = coded(327, sizes=(4, 20))
    b = lib.train(t, t.y_real(), objective="regression", zero_as_missing=True)
    return Trained(b, t)


# Categories of a DataFrame ------------------------------------------------------------------


def with_category(t: Table, name: str, kind: str, values: List[Any], dtype: str = "int64") -> Table:
    code = t.rng.randint(0, len(values), t.rows)
    gone = t.rng.rand(t.rows) < 0.05
    t.score = t.score + (t.rng.randn(len(values)) * 1.5)[code]
    picked = [None if g else values[c] for g, c in zip(gone, code)]
    t.columns.append(Column(name, kind, picked, categories=values, dtype=dtype))
    return t


@case("value", ("2.3.1", "3.3.5", NEWEST))
def pandas_text(lib: Library) -> Trained:
    """2.3 writes no list [categorical_feature: ..]: there feature_infos tells the columns."""
    t = labelled(331)
    return Trained(lib.train(t, t.y_real(), data=t.frame(), objective="regression"), t)


@case("value")
def pandas_accents(lib: Library) -> Trained:
    """The file escapes what is not ASCII, beyond the BMP as two surrogates."""
    t = labelled(332, words=ACCENTS + ["🙂", 'quo"te', "back\\slash", "line\nend", "\x01"])
    b = lib.train(t, t.y_real(), data=t.frame(), objective="regression")
    return Trained(b, t, covers=["feature=pandas-escapes"])


@case("value")
def pandas_numbers(lib: Library) -> Trained:
    t = labelled(333, words=[], numeric=[-3, 2, 3, 7, 10, 2**40])
    t = with_category(t, "share", "numcat", [-0.5, 0.1, 0.25, 1.0, 1e22, 1e-7], "float64")
    t = with_category(t, "member", "numcat", [False, True], "bool")
    b = lib.train(t, t.y_real(), data=t.frame(), objective="regression")
    return Trained(b, t, covers=["feature=pandas-floats", "feature=pandas-bool"])


@case("value")
def pandas_large(lib: Library) -> Trained:
    """Whole numbers that no double holds, beside each other."""
    large = [-(2**53) - 1, 2**53, 2**53 + 1, 2**53 + 2, 2**60, 2**60 + 1, 2**63 - 2]
    t = labelled(350, words=[], numeric=large)
    b = lib.train(t, t.y_real(), data=t.frame(), objective="regression")
    return Trained(b, t, covers=["feature=pandas-large"])


@case("value")
def pandas_mixed(lib: Library) -> Trained:
    """Text and numbers, and a column that is constant: its info is `none`."""
    t = labelled(334, numeric=[1, 5, 9])
    t.columns.insert(1, Column("same", "text", ["only"] * t.rows, categories=["only"]))
    b = lib.train(t, t.y_real(), data=t.frame(), objective="regression")
    return Trained(b, t, covers=["feature=pandas-constant"])


@case("value")
def pandas_ordered(lib: Library) -> Trained:
    """An ordered category is no categorical feature, but in the list: counts differ, so that only
    codes can be given."""
    t = labelled(335, words=WORDS[:4])
    frame = t.frame()
    frame["plan"] = frame["plan"].cat.as_ordered()
    y = t.y_real()
    b = lib.train(t, y, data=frame, objective="regression")
    for j, c in enumerate(t.columns):
        if c.kind == "text":
            known = list(c.categories or [])
            values = np.array([np.nan if v is None else float(known.index(v)) for v in c.values])
            kind = "real" if c.name == "plan" else "code"
            t.columns[j] = Column(c.name, kind, values, categories=list(range(len(known))))
    return Trained(b, t, covers=["feature=pandas-ordered"])


@case("value")
def pandas_plain(lib: Library) -> Trained:
    """A DataFrame without categories: an empty list; columns of narrow types."""
    t = numbers(336)
    t.named = True
    t.columns[3].values = np.nan_to_num(t.columns[3].values)
    t.columns[3].cell = "i"
    frame = t.frame({"f0": "float32", "f3": "int16"})
    t.columns[0].values = np.asarray(frame["f0"], dtype=np.float64)
    t.columns[0].cell = "s"
    b = lib.train(t, t.y_real(), data=frame, objective="regression")
    return Trained(b, t, covers=["feature=pandas-empty"])


@case("value")
def unseen_error(lib: Library) -> Trained:
    t = labelled(337, numeric=[2, 4, 8])
    b = lib.train(t, t.y_real(), data=t.frame(), objective="regression")
    return Trained(b, t, options={"on_unseen": "error"})


@case("value")
def unseen_null(lib: Library) -> Trained:
    t = labelled(338, words=WORDS[:3])
    b = lib.train(t, t.y_real(), data=t.frame(), objective="regression")
    return Trained(b, t, options={"on_unseen": "null"})


# Linear trees -------------------------------------------------------------------------------


@case("value", V3)
def linear(lib: Library) -> Trained:
    t = numbers(341)
    b = lib.train(t, t.y_real(), objective="regression", linear_tree=True)
    return Trained(b, t)


@case("binary")
def linear_binary(lib: Library) -> Trained:
    t = numbers(342, missing=0.3)
    b = lib.train(t, t.y_binary(), objective="binary", linear_tree=True, linear_lambda=0.1)
    return Trained(b, t)


@case("value")
def linear_codes(lib: Library) -> Trained:
    """Leaves below categorical splits alone have no features."""
    t = coded(343, sizes=(6, 40))
    b = lib.train(t, t.y_real(), objective="regression", linear_tree=True)
    return Trained(b, t)


@case("value")
def linear_zero(lib: Library) -> Trained:
    """Zeros among the features of leaves; linear trees refuse zero_as_missing."""
    t = zeros(numbers(344))
    b = lib.train(t, t.y_real(), objective="regression", linear_tree=True)
    return Trained(b, t)


@case("value")
def linear_one_leaf(lib: Library) -> Trained:
    t = numbers(345)
    b = lib.train(t, t.y_real(), objective="regression", linear_tree=True, min_data_in_leaf=t.rows)
    return Trained(b, t, covers=["feature=linear-one-leaf"])


# Shapes of trees ----------------------------------------------------------------------------


@case("value", OLD)
def one_leaf(lib: Library) -> Trained:
    t = numbers(351, f=3)
    b = lib.train(t, t.y_real(), objective="regression", min_data_in_leaf=t.rows)
    return Trained(b, t)


@case("value")
def zero_trees(lib: Library) -> Trained:
    t = numbers(352, f=3)
    p = lib.params(objective="regression")
    return Trained(lib.lgb.Booster(p, lib.dataset(t.matrix(), t.y_real(), p)), t)


@case("binary")
def zero_trees_binary(lib: Library) -> Trained:
    t = numbers(353, f=3)
    p = lib.params(objective="binary")
    return Trained(lib.lgb.Booster(p, lib.dataset(t.matrix(), t.y_binary(), p)), t)


@case("value")
def deep(lib: Library) -> Trained:
    t = numbers(355, n=3000, f=4)
    b = lib.train(
        t, t.y_real(), rounds=1, num_leaves=255, min_data_in_leaf=2, objective="regression"
    )
    return Trained(b, t)


@case("value")
def chain(lib: Library) -> Trained:
    """Each split cuts off the largest rows only."""
    t = numbers(356, f=1, missing=0)
    y = 4.0 ** np.argsort(np.argsort(t.columns[0].values)).astype(float) ** 0.5
    b = lib.train(
        t, y, rounds=1, num_leaves=40, min_data_in_leaf=1, min_data_in_bin=1, objective="regression"
    )
    return Trained(b, t)


@case("value")
def few_bins(lib: Library) -> Trained:
    t = numbers(357)
    b = lib.train(t, t.y_real(), objective="regression", max_bin=3)
    return Trained(b, t, covers=["feature=max-bin"])


@case("value")
def many_bins(lib: Library) -> Trained:
    t = numbers(358, n=600)
    b = lib.train(
        t, t.y_real(), num_leaves=12, objective="regression", max_bin=1023, min_data_in_bin=1
    )
    return Trained(b, t, covers=["feature=max-bin"])


@case("value")
def wide_sparse(lib: Library) -> Trained:
    """As from a libsvm file: an absent entry is 0."""
    import scipy.sparse

    rng = np.random.RandomState(359)
    n, f = 500, 30
    columns, score = [], np.zeros(n)
    for j in range(f):
        v = np.where(rng.rand(n) < 0.12, np.round(rng.randn(n) * 4) / 2, 0.0)
        score += v * rng.randn()
        columns.append(Column("f%d" % j, "real", v))
    columns[7].values = np.zeros(n)
    t = Table(columns, score, rng=rng)
    b = lib.train(
        t,
        t.y_real(),
        rounds=8,
        data=scipy.sparse.csr_matrix(t.matrix()),
        objective="regression",
    )
    return Trained(b, t, covers=["feature=wide-sparse"])


# Names --------------------------------------------------------------------------------------


def renamed(t: Table, names: List[str]) -> Table:
    for c, name in zip(t.columns, names):
        c.name = name
    t.named = True
    return t


@case("value")
def names(lib: Library) -> Trained:
    """The library writes a space in a name as _."""
    t = renamed(numbers(361, f=6), ["monthly fee", "a=b", "Tree=0", "x.y/z", "it's", "50%"])
    return Trained(lib.train(t, t.y_real(), objective="regression"), t, covers=["feature=names"])


@case("value")
def names_accents(lib: Library) -> Trained:
    t = renamed(numbers(362), ["Größe", "日本", "né_e", "🙂"])
    b = lib.train(t, t.y_real(), objective="regression")
    return Trained(b, t, covers=["feature=names-accents"])


# Ways to train and to write -----------------------------------------------------------------


@case("value")
def init_score(lib: Library) -> Trained:
    """The given start is not in the file."""
    t = numbers(371, f=3)
    start = np.linspace(-2, 2, t.rows)
    b = lib.train(t, t.y_real(), dataset={"init_score": start}, objective="regression")
    return Trained(b, t, covers=["feature=init-score"])


@case("value")
def no_average(lib: Library) -> Trained:
    t = numbers(372, f=3)
    b = lib.train(t, t.y_real() + 5, objective="regression", boost_from_average=False)
    return Trained(b, t, covers=["feature=no-boost-from-average"])


@case("value")
def refit(lib: Library) -> Trained:
    t = numbers(373, f=3)
    b = lib.train(t, t.y_real(), objective="regression")
    again = b.refit(t.matrix(), t.y_real() * 1.5 + 1, decay_rate=0.4)
    return Trained(again, t, covers=["feature=refit"])


@case("value")
def continued(lib: Library) -> Trained:
    t = numbers(374, f=3)
    first = lib.train(t, t.y_real(), rounds=3, objective="regression")
    b = lib.train(t, t.y_real(), rounds=3, call={"init_model": first}, objective="regression")
    return Trained(b, t, covers=["feature=continued"])


def loaded(lib: Library, b: Any, drop: str = "") -> Any:
    """The booster read from its own text, of which the part from `drop` on is left out."""
    text = b.model_to_string()
    return lib.lgb.Booster(model_str=text[: text.index(drop)] if drop else text)


@case("value", V3)
def resaved(lib: Library) -> Trained:
    t = labelled(375, words=WORDS[:4])
    b = lib.train(t, t.y_real(), data=t.frame(), objective="regression")
    return Trained(loaded(lib, b), t, covers=["feature=resaved"])


@case("value")
def no_parameters(lib: Library) -> Trained:
    t = numbers(376, f=3)
    b = lib.train(t, t.y_real(), objective="regression")
    return Trained(loaded(lib, b, "\nparameters:"), t, covers=["feature=no-parameters"])


@case("value")
def no_pandas_line(lib: Library) -> Trained:
    """As the command line and other languages write it."""
    t = coded(377, sizes=(4, 12))
    b = lib.train(t, t.y_real(), objective="regression")

    def save(path: str) -> None:
        call = lib.lgb.basic._LIB.LGBM_BoosterSaveModel
        handle = getattr(b, "_handle", None) or b.handle
        all_rounds, by_splits = ctypes.c_int(-1), ctypes.c_int(0)
        name = ctypes.c_char_p(path.encode())
        assert call(handle, ctypes.c_int(0), all_rounds, by_splits, name) == 0

    return Trained(b, t, save=save, covers=["feature=no-pandas-line"])


@case("value")
def as_string(lib: Library) -> Trained:
    t = numbers(378, f=3)
    b = lib.train(t, t.y_real(), objective="regression")

    def save(path: str) -> None:
        with open(path, "w", encoding="utf-8", newline="\n") as f:
            f.write(b.model_to_string(importance_type="gain"))

    return Trained(b, t, save=save, covers=["feature=model-to-string"])


# Rounds -------------------------------------------------------------------------------------


def stopped(lib: Library, t: Table) -> Any:
    """Trained on noise until it got worse, with the rounds behind the best one still there: left
    alone, lgb.train and the estimators drop those in memory too."""
    y = t.y_real() + 3 * t.rng.randn(t.rows)
    half = np.arange(t.rows) < t.rows // 2
    p = lib.params(objective="regression", learning_rate=0.3)
    d = lib.dataset(t.matrix()[half], y[half], p)
    v = d.create_valid(t.matrix()[~half], y[~half])
    stop = lib.lgb.early_stopping(2, verbose=False)
    b = lib.lgb.train(p, d, 30, valid_sets=[v], callbacks=[stop], keep_training_booster=True)
    assert 1 < b.best_iteration < b.current_iteration()
    return b


@case("value")
def early_stop(lib: Library) -> Trained:
    """save_model writes the rounds up to the best one."""
    t = numbers(381, f=3)
    b = stopped(lib, t)
    return Trained(b, t, covers=["feature=early-stop"])


@case("value")
def early_stop_all(lib: Library) -> Trained:
    """All rounds written by demand: the booster's own answer needs the option."""
    t = numbers(382, f=3)
    b = stopped(lib, t)
    return Trained(
        b,
        t,
        options={"rounds": int(b.best_iteration)},
        save=lambda path: b.save_model(path, num_iteration=-1),
        covers=["feature=early-stop-all"],
    )


@case("binary")
def classifier_early_stop(lib: Library) -> Trained:
    t = numbers(383, f=3)
    y = np.where(t.y_real() + 3 * t.rng.randn(t.rows) > 0, "yes", "no")
    half = np.arange(t.rows) < t.rows // 2
    m = lib.classifier(learning_rate=0.3, n_estimators=30)
    x = t.matrix()
    stop = lib.lgb.early_stopping(2, verbose=False)
    m.fit(x[half], y[half], eval_set=[(x[~half], y[~half])], callbacks=[stop])
    assert 1 < m.best_iteration_ < 30
    return Trained(
        m,
        t,
        options={"classes": ["no", "yes"]},
        covers=["feature=early-stop", "feature=text-labels"],
    )


@case("multi")
def classifier(lib: Library) -> Trained:
    """The labels of training are not in the file."""
    t = numbers(384, f=3)
    m = lib.classifier(n_estimators=3).fit(t.matrix(), np.array(["bé", "a b", "c"])[t.y_class(3)])
    classes = [str(c) for c in m.classes_]
    return Trained(m, t, options={"classes": classes}, covers=["feature=text-labels"])


@case("value")
def ranker(lib: Library) -> Trained:
    t = numbers(385, f=3)
    m = lib.lgb.LGBMRanker(**lib.wrapped()).fit(
        t.matrix(), t.y_class(4), group=[16] * (t.rows // 16)
    )
    return Trained(m, t, covers=["feature=ranker"])


@case("value")
def rounds(lib: Library) -> Trained:
    t = numbers(386, f=3)
    b = lib.train(t, t.y_real(), rounds=8, objective="regression")
    return Trained(b, t, options={"rounds": 3})


@case("value")
def saved_first(lib: Library) -> Trained:
    t = numbers(388, f=3)
    b = lib.train(t, t.y_real(), rounds=8, objective="regression")
    return Trained(
        b, t, save=lambda path: b.save_model(path, num_iteration=3), covers=["feature=saved-part"]
    )


@case("multi")
def saved_middle(lib: Library) -> Trained:
    """Without the first rounds: the average that they hold is gone too."""
    t = numbers(389, f=3)
    b = lib.train(t, t.y_class(3), rounds=6, num_leaves=4, objective="multiclass", num_class=3)
    return Trained(
        b,
        t,
        save=lambda path: b.save_model(path, num_iteration=2, start_iteration=2),
        covers=["feature=saved-part"],
    )


@case("value")
def edge_of_zero(lib: Library) -> Trained:
    """One column whose only two values are the largest that counts as zero and the next one."""
    t = numbers(390, f=2, missing=0)
    first = t.columns[0].values > 0
    t.columns[0].values = np.where(first, up(ZERO), ZERO)
    t.columns[0].cell = "d"
    t.score = t.score + 3.0 * first
    b = lib.train(t, t.y_real(), objective="regression", min_data_in_bin=1)
    return Trained(b, t, covers=["feature=tiny-values"])
