"""Shapes of trees, the ways they are grown, and categories."""

from __future__ import annotations

from typing import Any, List

import numpy as np

from golden_models import (
    EVERY,
    LAYOUTS,
    NEWEST,
    Library,
    Trained,
    case,
)
from golden_tables import ACCENTS, Column, Table, coded, labelled, numbers

REG = {"objective": "reg:squarederror"}


@case("value", ("1.7.6", NEWEST))
def depth_one(lib: Library) -> Trained:
    t = numbers(201)
    return Trained(
        lib.train(t, t.y_real(), rounds=8, max_depth=1, **REG), t, covers=["tree=depth-1"]
    )


@case("value", ("1.7.6", NEWEST), ubj=True)
def depth_six(lib: Library) -> Trained:
    t = numbers(202)
    return Trained(
        lib.train(t, t.y_real(), rounds=3, max_depth=6, **REG), t, covers=["tree=depth-6"]
    )


@case("binary", (NEWEST,), ubj=True)
def depth_eight(lib: Library) -> Trained:
    t = numbers(203, n=3000)
    b = lib.train(
        t, t.y_binary(), rounds=2, max_depth=8, min_child_weight=0, objective="binary:logistic"
    )
    return Trained(b, t, covers=["tree=depth-8"])


@case("value", (NEWEST,), ubj=True)
def lossguide(lib: Library) -> Trained:
    """Deep and uneven: 200 leaves, no limit of depth."""
    t = numbers(204, n=2500)
    b = lib.train(
        t,
        t.y_real() ** 3,
        rounds=2,
        max_depth=0,
        max_leaves=200,
        grow_policy="lossguide",
        tree_method="hist",
        min_child_weight=0,
        **REG,
    )
    return Trained(b, t, covers=["tree=lossguide"])


@case("value", ("1.7.6", NEWEST))
def chain(lib: Library) -> Trained:
    """A target that grows by powers: most splits take one row off (up to 31 levels)."""
    t = numbers(205, n=64, f=2, missing=0.0)
    t.columns[0].values = np.power(2.0, np.arange(64) - 20)
    y = np.power(2.5, np.arange(64) - 40)
    b = lib.train(
        t,
        y,
        rounds=2,
        max_depth=0,
        max_leaves=50,
        grow_policy="lossguide",
        tree_method="hist",
        min_child_weight=0,
        reg_lambda=0,
        **REG,
    )
    return Trained(b, t, covers=["tree=deep-chain", "tree=lossguide"])


@case("value", (NEWEST,), ubj=True)
def many_rounds(lib: Library) -> Trained:
    """More than 127 trees: untyped UBJSON integers change their width within one array."""
    t = numbers(221)
    b = lib.train(t, t.y_real(), rounds=130, max_depth=1, eta=0.1, **REG)
    return Trained(b, t, covers=["tree=depth-1", "feature=many-rounds"])


@case("binary", ("1.7.6", NEWEST))
def zero_rounds(lib: Library) -> Trained:
    t = numbers(206)
    b = lib.train(t, t.y_binary(), rounds=0, objective="binary:logistic", base_score=0.3)
    return Trained(b, t, covers=["tree=zero-rounds"])


@case("softprob", (NEWEST,), ubj=True)
def zero_rounds_multi(lib: Library) -> Trained:
    t = numbers(207)
    b = lib.train(t, t.y_class(3), rounds=0, objective="multi:softprob", num_class=3)
    return Trained(b, t, covers=["tree=zero-rounds"])


def unfitted(lib: Library, model: Any, t: Table) -> Trained:
    """Neither rounds nor a base score. 3.1 and newer start from a margin of 0.5, older ones from the
    link of 0.5: each what the version that wrote the file says, though newer ones load older files."""
    return Trained(
        model,
        t,
        rows=[[c.value(row) for c in t.columns] for row in range(3)] + [[None] * len(t.columns)],
        edges=False,
        covers=["tree=zero-rounds", "feature=zero-rounds-no-base-score"],
        answered_below="3.1" if lib.number < (3, 1) else None,
    )


def unfitted_booster(lib: Library, y: str, objective: str, **params: Any) -> Trained:
    t = numbers(214, f=2)
    labels = getattr(t, y)()
    return unfitted(lib, lib.train(t, labels, rounds=0, objective=objective, **params), t)


@case("binary", EVERY)
def unfitted_logistic(lib: Library) -> Trained:
    return unfitted_booster(lib, "y_binary", "binary:logistic")


@case("value", EVERY)
def unfitted_reg_logistic(lib: Library) -> Trained:
    return unfitted_booster(lib, "y_unit", "reg:logistic")


@case("value", EVERY)
def unfitted_poisson(lib: Library) -> Trained:
    return unfitted_booster(lib, "y_count", "count:poisson")


@case("value", EVERY)
def unfitted_cox(lib: Library) -> Trained:
    return unfitted_booster(lib, "y_positive", "survival:cox")


@case("value", EVERY[1:])
def unfitted_aft(lib: Library) -> Trained:
    t = numbers(214, f=2)
    d = lib.matrix(t)
    for bound in ("label_lower_bound", "label_upper_bound"):
        d.set_float_info(bound, t.y_positive())
    return unfitted(lib, lib.xgb.train(lib.params(objective="survival:aft"), d, 0), t)


@case("value", EVERY)
def unfitted_gamma(lib: Library) -> Trained:
    return unfitted_booster(lib, "y_positive", "reg:gamma")


@case("value", EVERY)
def unfitted_tweedie(lib: Library) -> Trained:
    return unfitted_booster(lib, "y_positive", "reg:tweedie")


@case("value", ("1.7.6", "3.0.5", "3.1.3", NEWEST), ubj=True)
def unfitted_identity(lib: Library) -> Trained:
    return unfitted_booster(lib, "y_real", "reg:squarederror")


@case("values", ("3.3.0", NEWEST))
def unfitted_expectiles(lib: Library) -> Trained:
    alphas = [0.1, 0.5, 0.9]
    return unfitted_booster(lib, "y_real", "reg:expectileerror", expectile_alpha=alphas)


@case("binary", ("3.1.3", NEWEST), ubj=True)
def unfitted_dart(lib: Library) -> Trained:
    """Up to 3.0 no dart without rounds is predicted in place."""
    return unfitted_booster(lib, "y_binary", "binary:logistic", booster="dart")


@case("value", ("1.2.1", "1.7.6", "3.0.5", "3.1.3", NEWEST))
def unfitted_gblinear(lib: Library) -> Trained:
    """No weights in the file."""
    return unfitted_booster(lib, "y_count", "count:poisson", booster="gblinear")


@case("binary", ("2.1.4", "3.1.3", NEWEST))
def unfitted_classifier(lib: Library) -> Trained:
    t = numbers(215, f=2)
    m = lib.classifier(n_estimators=0)
    m.fit(t.matrix(), t.y_binary())
    return unfitted(lib, m, t)


@case("value", ("1.7.6", "3.0.5", "3.1.3", NEWEST))
def unfitted_regressor(lib: Library) -> Trained:
    t = numbers(216, f=2)
    m = lib.regressor(n_estimators=0, objective="count:poisson")
    m.fit(t.matrix(), t.y_count())
    return unfitted(lib, m, t)


@case("value", ("1.7.6", "2.1.4", NEWEST))
def single_leaf(lib: Library) -> Trained:
    """No split is worth its cost: every tree is its root."""
    t = numbers(208)
    b = lib.train(t, t.y_real() + 2, rounds=4, tree_method="hist", gamma=1e9, base_score=0.5, **REG)
    return Trained(b, t, covers=["tree=single-leaf"])


def pruned_tree(lib: Library, method: str, seed: int, **params: Any) -> Trained:
    """gamma prunes what was grown: some growers leave deleted nodes in the arrays."""
    t = numbers(seed)
    params.update(REG, tree_method=method, gamma=6.0, max_depth=5)
    b = lib.train(t, t.y_real(), rounds=4, **params)
    return Trained(b, t, covers=["tree=pruned", "tree_method=" + method])


@case("value", ("1.0.2",) + LAYOUTS)
def pruned_exact(lib: Library) -> Trained:
    """1.0 does not write num_deleted, so that no version, itself included, reads its file. It adds
    the base score last, the others first: it is 0 here, where that is the same."""
    if lib.number != (1, 0):
        return pruned_tree(lib, "exact", 209)
    t = pruned_tree(lib, "exact", 209, base_score=0.0)
    t.covers.append("feature=num_deleted-absent")
    return t


@case("value", ("1.2.1", "1.7.6", NEWEST), ubj=True)
def pruned_approx(lib: Library) -> Trained:
    return pruned_tree(lib, "approx", 210)


@case("value", ("1.2.1", "1.7.6", NEWEST))
def pruned_hist(lib: Library) -> Trained:
    return pruned_tree(lib, "hist", 211)


@case("value", ("1.2.1", "1.7.6", NEWEST), ubj=True)
def pruned_to_root(lib: Library) -> Trained:
    """Everything pruned: the root is the only node that counts, its old children are deleted."""
    t = numbers(212)
    b = lib.train(
        t, t.y_real() + 1, rounds=3, tree_method="exact", gamma=1e7, base_score=0.5, **REG
    )
    return Trained(b, t, covers=["tree=pruned", "tree=single-leaf"])


@case("value", ("1.7.6", NEWEST))
def updated_refresh(lib: Library) -> Trained:
    """process_type=update: leaves refreshed on other data, then pruned anew."""
    t = numbers(213)
    y = t.y_real()
    b = lib.train(t, y, rounds=3, max_depth=5, tree_method="exact", **REG)
    p = lib.params(
        process_type="update",
        updater="refresh,prune",
        refresh_leaf=1,
        gamma=4.0,
        max_depth=5,
        **REG,
    )
    half = lib.xgb.DMatrix(t.matrix()[::2], label=y[::2] + 0.5, nthread=1)
    return Trained(
        lib.xgb.train(p, half, 3, xgb_model=b),
        t,
        covers=["feature=process_type-update", "tree=pruned"],
    )


@case("value", ("1.7.6", NEWEST))
def continued(lib: Library) -> Trained:
    """Trained on in two steps, with another depth."""
    t = numbers(214)
    y = t.y_real()
    b = lib.train(t, y, rounds=3, **REG)
    p = lib.params(**dict(REG, max_depth=5))
    return Trained(
        lib.xgb.train(p, lib.matrix(t, y), 3, xgb_model=b), t, covers=["feature=continued"]
    )


@case("value", (NEWEST,), ubj=True)
def sliced(lib: Library) -> Trained:
    """Rounds 2..5 of a model: Booster slicing writes a file of its own."""
    t = numbers(215)
    b = lib.train(t, t.y_real(), rounds=8, **REG)
    return Trained(b[2:6], t, covers=["feature=sliced"])


@case("binary", ("1.7.6", NEWEST))
def monotone(lib: Library) -> Trained:
    t = numbers(216, f=6)
    b = lib.train(
        t,
        t.y_binary(),
        objective="binary:logistic",
        monotone_constraints="(1,-1,0,0,0,0)",
        interaction_constraints="[[0,1],[2,3,4,5]]",
        max_depth=4,
        tree_method="hist",
    )
    return Trained(
        b, t, covers=["feature=monotone", "feature=interaction-constraints", "tree_method=hist"]
    )


@case("value", ("1.7.6", NEWEST))
def forest_regressor(lib: Library) -> Trained:
    t = numbers(217)
    m = lib.xgb.XGBRFRegressor(
        **{**lib.wrapped({}), "n_estimators": 5, "learning_rate": 1.0, "max_depth": 4}
    )
    m.fit(t.matrix(), t.y_real())
    return Trained(m, t, covers=["feature=num_parallel_tree", "feature=random-forest"])


@case("softprob", ("1.7.6", NEWEST), ubj=True)
def forest_classifier(lib: Library) -> Trained:
    t = numbers(218)
    m = lib.xgb.XGBRFClassifier(**{**lib.wrapped({}), "n_estimators": 3, "learning_rate": 1.0})
    m.fit(t.matrix(), t.y_class(3))
    return Trained(m, t, covers=["feature=num_parallel_tree", "feature=random-forest"])


@case("value", ("1.2.1", "2.1.4", NEWEST))
def forest_boosted(lib: Library) -> Trained:
    t = numbers(219)
    b = lib.train(
        t, t.y_count(), rounds=3, objective="count:poisson", num_parallel_tree=3, subsample=0.7
    )
    return Trained(b, t, covers=["feature=num_parallel_tree"])


@case("value", (NEWEST,))
def equal_values(lib: Library) -> Trained:
    """Thresholds at extremes: denormals, 0, and values next to FLT_MAX."""
    t = numbers(220, f=4, missing=0.0)
    tiny = np.array([-1e-40, -1.4e-45, 0.0, 1.4e-45, 1e-40, 1.1754944e-38])
    huge = np.array([-3.4028235e38, -3.0e38, 0.0, 1.0, 3.0e38, 3.4028235e38])
    pick, other = t.rng.randint(0, 6, t.rows), t.rng.randint(0, 6, t.rows)
    t.columns[0].values, t.columns[1].values = tiny[pick], huge[other]
    y = t.y_real() + np.array([0, 3, 1, 5, 2, 7.0])[pick] + np.array([4, 0, 6, 1, 8, 2.0])[other]
    b = lib.train(t, y, rounds=4, max_depth=5, tree_method="exact", **REG)
    return Trained(b, t, covers=["tree=extreme-thresholds", "tree_method=exact"])


# Categories given as codes ------------------------------------------------------------------


@case("value", LAYOUTS[1:])
def codes_partition(lib: Library) -> Trained:
    t = coded(231)
    b = lib.train(t, t.y_real(), tree_method="hist", max_cat_to_onehot=1, max_depth=5, **REG)
    return Trained(b, t, covers=["feature=codes-partition", "feature=type-c"])


@case("value", ("1.7.6", "3.0.5", NEWEST), ubj=True)
def codes_onehot(lib: Library) -> Trained:
    t = coded(232)
    b = lib.train(t, t.y_real(), tree_method="hist", max_cat_to_onehot=100, max_depth=5, **REG)
    return Trained(b, t, covers=["feature=codes-onehot", "feature=type-c"])


@case("softprob", ("2.1.4", NEWEST), ubj=True)
def codes_multi(lib: Library) -> Trained:
    t = coded(233, sizes=(3, 70))
    b = lib.train(
        t,
        t.y_class(3),
        rounds=4,
        tree_method="approx",
        objective="multi:softprob",
        num_class=3,
        max_cat_to_onehot=5,
    )
    return Trained(
        b, t, covers=["feature=codes-partition", "feature=codes-onehot", "tree_method=approx"]
    )


@case("binary", ("2.1.4", "3.3.0", NEWEST))
def codes_dart(lib: Library) -> Trained:
    t = coded(234, sizes=(33, 5))
    b = lib.train(
        t,
        t.y_binary(),
        tree_method="hist",
        objective="binary:logistic",
        booster="dart",
        rate_drop=0.4,
        max_cat_to_onehot=1,
    )
    return Trained(b, t, covers=["feature=codes-partition"])


@case("values", (NEWEST,))
def codes_in_leaf(lib: Library) -> Trained:
    """Vector leaves over categorical splits, where that version grows them."""
    t = coded(235)
    b = lib.train(
        t,
        t.y_many(2),
        rounds=4,
        tree_method="hist",
        multi_strategy="multi_output_tree",
        max_cat_to_onehot=1,
        **REG,
    )
    return Trained(b, t, covers=["feature=codes-partition", "feature=multi_output_tree"])


def code_table(t: Table) -> Table:
    """Before 3.1 a file holds no categories: what was text in training is its position here."""
    for c in t.columns:
        if c.kind in ("text", "numcat"):
            known: List[Any] = list(c.categories or [])
            c.values = np.array(
                [np.nan if v is None else known.index(v) for v in c.values], dtype=np.float64
            )
            c.kind, c.categories = "code", list(range(len(known)))
    return t


@case("binary", ("1.7.6", "2.1.4", "3.0.5"))
def frame_codes_only(lib: Library) -> Trained:
    """A DataFrame with categories before 3.1: names and types are stored, categories are not."""
    t = labelled(236, numeric=[10, 20, 35])
    m = lib.classifier(tree_method="hist", enable_categorical=True, max_cat_to_onehot=3)
    m.fit(t.frame(), t.y_binary())
    return Trained(
        m,
        code_table(t),
        covers=["feature=frame-codes-only", "feature=names-stored", "feature=type-c"],
    )


# Categories stored in the file (3.1+) -------------------------------------------------------


def stored(lib: Library, t: Table, onehot: int, covers: List[str], **options: Any) -> Trained:
    y = t.y_binary()
    m = lib.classifier(
        tree_method="hist", enable_categorical=True, max_cat_to_onehot=onehot, max_depth=4
    )
    m.fit(t.frame(), y)
    return Trained(
        m, t, options=options, covers=covers + ["feature=names-stored", "feature=type-c"]
    )


@case("binary", ("3.1.3", NEWEST))
def cats_text(lib: Library) -> Trained:
    return stored(lib, labelled(241), 1, ["feature=cats-text"])


@case("binary", ("3.1.3", "3.3.0", NEWEST), ubj=True)
def cats_mixed(lib: Library) -> Trained:
    """Text, whole numbers and plain columns beside each other."""
    return stored(
        lib,
        labelled(242, numeric=[10, 20, 35, 2**31 + 5]),
        4,
        ["feature=cats-text", "feature=cats-int"],
    )


@case("binary", ("3.1.3", NEWEST))
def cats_int(lib: Library) -> Trained:
    """Whole numbers alone. Categories that are fractions are refused by every version."""
    t = labelled(243, words=[], numeric=[-15, 0, 3, 275])
    return stored(lib, t, 1, ["feature=cats-int"])


@case("binary", ("3.1.3", "3.3.0", NEWEST))
def cats_accents(lib: Library) -> Trained:
    """Names outside ASCII, which 3.1 to 3.3 cut short: their files are refused."""
    return stored(
        lib, labelled(244, words=ACCENTS), 1, ["feature=cats-text", "feature=cats-non-ascii"]
    )


@case("binary", (NEWEST,), ubj=True)
def cats_accents_binary(lib: Library) -> Trained:
    return stored(
        lib, labelled(245, words=ACCENTS), 4, ["feature=cats-text", "feature=cats-non-ascii"]
    )


@case("binary", (NEWEST,))
def unseen_missing(lib: Library) -> Trained:
    return stored(
        lib, labelled(246, numeric=[1, 2, 3]), 1, ["feature=cats-text"], on_unseen="missing"
    )


@case("binary", (NEWEST,), ubj=True)
def unseen_null(lib: Library) -> Trained:
    return stored(lib, labelled(247, numeric=[1, 2, 3]), 1, ["feature=cats-text"], on_unseen="null")


@case("binary", ("3.1.3", NEWEST), ubj=True)
def cats_dart(lib: Library) -> Trained:
    """Categories beside weight_drop: up to 3.2 both lie one level deeper."""
    t = labelled(249, numeric=[5, 6, 7])
    d = lib.xgb.DMatrix(t.frame(), label=t.y_binary(), enable_categorical=True, nthread=1)
    p = lib.params(tree_method="hist", booster="dart", rate_drop=0.5, objective="binary:logistic")
    return Trained(
        lib.xgb.train(p, d, 4),
        t,
        covers=["feature=cats-text", "feature=cats-int", "feature=cats-dart"],
    )


def integer_types(names: List[str], seed: int) -> Table:
    """A column of categories for each integer type that a file can hold."""
    rng = np.random.RandomState(seed)
    n, score, columns = 400, np.zeros(400), []
    for name in names:
        top = min(int(np.iinfo(name).max), 2**53)
        known = sorted({max(int(np.iinfo(name).min), -(2**53)), 0, 3, 77, top})
        code = rng.randint(0, len(known), n)
        score += (rng.randn(len(known)) * 1.5)[code]
        columns.append(
            Column(name, "numcat", [known[c] for c in code], categories=known, dtype=name)
        )
    columns.append(Column("x", "real", rng.randn(n)))
    return Table(columns, score + columns[-1].values, named=True, rng=rng)


@case("binary", (NEWEST,))
def cats_int_types(lib: Library) -> Trained:
    t = integer_types(
        ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"], 250
    )
    return stored(lib, t, 3, ["feature=cats-int", "feature=cats-int-types"])


@case("binary", (NEWEST,))
def cats_int_large(lib: Library) -> Trained:
    """Whole numbers that no double holds, beside each other."""
    large = [-(2**53) - 1, 2**53, 2**53 + 1, 2**53 + 2, 2**60, 2**60 + 1, 2**63 - 2]
    return stored(lib, labelled(254, words=[], numeric=large), 3, ["feature=cats-int-large"])


@case("binary", ("3.1.3", NEWEST), ubj=True)
def cats_int_types_binary(lib: Library) -> Trained:
    """3.1 cannot write unsigned types wider than a byte."""
    names = ["int8", "int16", "int32", "int64", "uint8"]
    if lib.version == NEWEST:
        names += ["uint16", "uint32", "uint64"]
    return stored(lib, integer_types(names, 251), 3, ["feature=cats-int", "feature=cats-int-types"])


@case("value", (NEWEST,))
def cats_many(lib: Library) -> Trained:
    """Sets of several words of bits."""
    t = labelled(248, words=["city-%03d" % i for i in range(75)], n=1200)
    b = lib.xgb.train(
        lib.params(tree_method="hist", max_cat_to_onehot=1, max_depth=4, **REG),
        lib.xgb.DMatrix(t.frame(), label=t.y_real(), enable_categorical=True, nthread=1),
        5,
    )
    return Trained(b, t, covers=["feature=cats-text", "feature=names-stored"])
