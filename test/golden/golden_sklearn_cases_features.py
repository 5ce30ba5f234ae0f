"""Encoders of categories, imputers of texts, and what makes new columns of numbers: bins, products,
norms, marks of missing values; alone, or with a small model behind them."""

from __future__ import annotations

from typing import Any, List, Sequence

import numpy as np
from sklearn import ensemble
from sklearn import linear_model as lm
from sklearn import preprocessing as pp
from sklearn import tree
from sklearn.compose import ColumnTransformer
from sklearn.decomposition import PCA
from sklearn.feature_selection import SelectKBest, f_regression
from sklearn.impute import MissingIndicator, SimpleImputer
from sklearn.pipeline import FeatureUnion, make_pipeline

from golden_cells import Value
from golden_sklearn_models import ALL, BOTH, LATE, Trained, case, clean, fitted, small
from golden_tables import Table, labelled, numbers

CODES = [-3, 0, 7, 12]
REALS = [-0.5, 0.25, 1.5, 1e10]
WORDS = ["basic", "gold", "plus", "Zürich", "", "12"]


def a_tree(depth: int = 3) -> Any:
    return tree.DecisionTreeRegressor(max_depth=depth, random_state=1)


# Encoders -------------------------------------------------------------------------------------


def table(
    seed: int,
    numeric: Sequence[Any] = CODES,
    dtype: str = "int64",
    missing: float = 0.0,
    words: Sequence[str] = WORDS,
) -> Table:
    """age, plan (texts), monthly fee, zone (numbers), color (texts)."""
    t = labelled(seed, words, numeric, n=160, missing=missing)
    for c in t.columns:
        if c.kind == "numcat":
            c.dtype = dtype
        if c.kind == "real":
            c.values = np.round(c.values, 2)
    return t


def rare(t: Table) -> Table:
    """With categories that few rows have."""
    for c in t.columns:
        if c.stored and c.categories:
            common = c.categories[:2]
            for i in range(t.rows):
                if i % 11 and c.values[i] is not None and c.values[i] not in common:
                    c.values[i] = common[i % 2]
    return t


def encoded(t: Table, encoder: Any, model: Any = None, only: Any = None, **more: Any) -> Trained:
    names = only or [c.name for c in t.columns if c.stored]
    columns = ColumnTransformer([("encoded", encoder, names)], remainder="passthrough")
    model = make_pipeline(columns, model or a_tree())
    return fitted(model, t, t.y_real(), **more)


@case(BOTH)
def feat_onehot() -> Trained:
    """A category that training has not seen is an error."""
    rows: List[List[Value]] = [[0.5, 12, 1.0, 7, "gold-2"], [0.5, "gold", 1.0, True, "plus-2"]]
    return encoded(table(801), pp.OneHotEncoder(), rows=rows)


@case()
def feat_onehot_ignore() -> Trained:
    covers = ["option=OneHotEncoder.handle_unknown=ignore", "option=category-None"]
    encoder = pp.OneHotEncoder(handle_unknown="ignore")
    t = table(802, missing=0.1)
    for c in t.columns:
        c.values = [7 if v is None and c.kind == "numcat" else v for v in c.values]
    return encoded(t, encoder, only=["plan", "color"], covers=covers, model=lm.Ridge())


@case(ALL)
def feat_onehot_missing() -> Trained:
    """NaN is a category, of texts and of numbers; where there was none it is refused."""
    t = table(803, REALS, "float64", missing=0.1)
    t.columns[1].values = [v or "plus" for v in t.columns[1].values]
    return encoded(t, pp.OneHotEncoder(), missing=np.nan, covers=["option=category-NaN"])


@case()
def feat_onehot_drop_first() -> Trained:
    encoder = pp.OneHotEncoder(drop="first", handle_unknown="ignore", dtype=np.float32)
    covers = ["option=OneHotEncoder.drop=first", "option=OneHotEncoder.dtype"]
    return encoded(table(804), encoder, covers=covers)


@case()
def feat_onehot_drop_binary() -> Trained:
    """Of booleans too, in a row of numbers."""
    encoder = pp.OneHotEncoder(drop="if_binary", sparse_output=False)
    t = table(805, [False, True], "bool", words=["no", "yes", "else"])
    return encoded(t, encoder, covers=["option=OneHotEncoder.drop=if_binary", "option=category-bool"])


@case(BOTH)
def feat_onehot_drop_list() -> Trained:
    t = table(806, missing=0.1)
    t.columns[3].values = [7 if v is None else v for v in t.columns[3].values]
    encoder = pp.OneHotEncoder(drop=["gold", 7, np.nan])
    return encoded(t, encoder, missing=np.nan, covers=["option=OneHotEncoder.drop=list"])


@case(LATE)
def feat_onehot_infrequent() -> Trained:
    encoder = pp.OneHotEncoder(min_frequency=0.1, handle_unknown="infrequent_if_exist")
    return encoded(rare(table(807)), encoder, covers=["option=OneHotEncoder.min_frequency"])


@case()
def feat_onehot_infrequent_dropped() -> Trained:
    """An unknown category is an infrequent one, and where there is none nothing."""
    encoder = pp.OneHotEncoder(
        min_frequency=10, max_categories=3, drop="first", handle_unknown="infrequent_if_exist"
    )
    t = rare(table(808, [3, 4]))
    return encoded(t, encoder, model=lm.Ridge(), covers=["option=OneHotEncoder.max_categories"])


@case()
def feat_onehot_warn() -> Trained:
    encoder = pp.OneHotEncoder(max_categories=2, handle_unknown="warn")
    covers = ["option=OneHotEncoder.handle_unknown=warn"]
    return encoded(rare(table(809, missing=0.05)), encoder, only=["plan", "color"], covers=covers)


@case()
def feat_onehot_given() -> Trained:
    """Categories in the caller's order, some that training did not have."""
    plans = ["zinc", "gold", "basic", "plus", "Zürich", "", "12"]
    given = [plans, [-3, 0, 7, 8, 12], ["plus-2", "gold-2", "basic-2"]]
    encoder = pp.OneHotEncoder(categories=given)
    return encoded(table(810), encoder, covers=["option=encoder.categories"])


@case(BOTH)
def feat_onehot_sparse() -> Trained:
    """A sparse matrix goes on: a scaler multiplies by the reciprocal, and a tree takes no NaN."""
    t = table(811, missing=0.1)
    columns = ColumnTransformer(
        [("words", pp.OneHotEncoder(handle_unknown="ignore"), ["plan", "color"])],
        remainder="passthrough",
        sparse_threshold=1.0,
    )
    t.columns[3].values = [7 if v is None else v for v in t.columns[3].values]
    model = make_pipeline(columns, pp.StandardScaler(with_mean=False), pp.MaxAbsScaler(), a_tree())
    return fitted(model, t, t.y_real(), covers=["option=sparse-values"])


MANY = WORDS + ["iron", "tin", "zinc", "lead", "jade", "onyx"]


def summed(t: Table, encoder: Any, model: Any, y: Any, **more: Any) -> Trained:
    """Texts, each of which becomes many columns, behind numbers: a weighted sum of all."""
    numeric = make_pipeline(SimpleImputer(), pp.StandardScaler())
    columns = ColumnTransformer(
        [("numbers", numeric, ["age", "monthly fee"]), ("words", encoder, ["plan", "color"])],
        sparse_threshold=0.0,
    )
    covers = ["option=OneHotEncoder.many"] + more.pop("covers", [])
    return fitted(make_pipeline(columns, model), t, y, covers=covers, **more)


@case(BOTH)
def feat_onehot_sum() -> Trained:
    """NaN is a category, and an unseen one has no column."""
    t = table(813, words=MANY, missing=0.1)
    y = np.array(["no", "yes"])[t.y_binary()]
    encoder = pp.OneHotEncoder(handle_unknown="ignore")
    rows: List[List[Value]] = [[0.5, "iron-2", 1.0, 7, "lead"], [None, None, None, None, None]]
    return summed(t, encoder, lm.LogisticRegression(), y, missing=np.nan, rows=rows)


@case()
def feat_onehot_sum_classes() -> Trained:
    """Some categories are infrequent, as is an unseen one, and the first of each column is dropped."""
    t = table(814, words=MANY)
    plan = t.columns[1].values
    for i in range(t.rows):
        if plan[i] in ("", "12", "lead") and i % 5:
            plan[i] = "onyx"
    encoder = pp.OneHotEncoder(drop="first", min_frequency=5, handle_unknown="infrequent_if_exist")
    return summed(t, encoder, lm.LogisticRegression(), t.y_class(3))


@case()
def feat_onehot_sum_components() -> Trained:
    """The transform projects the columns, and a regression reads it. An unseen one is an error."""
    t = table(815, REALS, "float64", words=MANY, missing=0.1)
    columns = ColumnTransformer(
        [("words", pp.OneHotEncoder(), ["plan", "zone", "color"])], sparse_threshold=0.0
    )
    model = make_pipeline(columns, PCA(3), lm.Ridge())
    covers = ["option=OneHotEncoder.many", "option=category-NaN"]
    return fitted(model, t, t.y_real(), missing=np.nan, covers=covers, transform=True)


def isolation_behind(threshold: float, covers: Sequence[str], *steps: Any, **more: Any) -> Trained:
    """Missing values beside categories. In a sparse matrix (threshold 1) each goes right, in a dense one (threshold 0)
    to the side that its node has learned."""
    t = table(812, missing=0.2)
    columns = ColumnTransformer(
        [("words", pp.OneHotEncoder(handle_unknown="ignore"), ["plan", "color"])],
        remainder="passthrough",
        sparse_threshold=threshold,
    )
    t.columns[3].values = [7 if v is None else v for v in t.columns[3].values]
    forest = ensemble.IsolationForest(n_estimators=8, max_samples=64, random_state=1, **more)
    return fitted(make_pipeline(columns, *steps, forest), t, None, covers=covers)


@case()
def feat_isolation_sparse() -> Trained:
    return isolation_behind(1.0, ["option=sparse-isolation"])


@case()
def feat_isolation_sparse_features() -> Trained:
    """The trees get some of the columns, behind a scaler that keeps the matrix sparse."""
    return isolation_behind(1.0, ["option=sparse-isolation"], pp.MaxAbsScaler(), max_features=0.5)


@case()
def feat_isolation_dense() -> Trained:
    return isolation_behind(0.0, ["option=missing"])


@case()
def feat_ordinal() -> Trained:
    return encoded(table(820), pp.OrdinalEncoder())


@case(BOTH)
def feat_ordinal_unknown() -> Trained:
    """None is a category with a code of its own; a missing number was not seen."""
    encoder = pp.OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1)
    t = table(821, missing=0.1)
    t.columns[3].values = [7 if v is None else v for v in t.columns[3].values]
    covers = ["option=OrdinalEncoder.unknown_value", "option=category-None"]
    return encoded(t, encoder, covers=covers)


@case()
def feat_ordinal_unknown_nan() -> Trained:
    encoder = pp.OrdinalEncoder(
        handle_unknown="use_encoded_value", unknown_value=np.nan, dtype=np.float32
    )
    covers = ["option=OrdinalEncoder.unknown_value=NaN", "option=OrdinalEncoder.dtype"]
    return encoded(table(822, missing=0.1), encoder, missing=np.nan, covers=covers)


@case()
def feat_ordinal_missing() -> Trained:
    encoder = pp.OrdinalEncoder(encoded_missing_value=-2)
    covers = ["option=OrdinalEncoder.encoded_missing_value", "option=category-NaN"]
    return encoded(table(823, REALS, "float64", 0.1), encoder, missing=np.nan, covers=covers)


@case(LATE)
def feat_ordinal_infrequent() -> Trained:
    """Groups beside a missing category, which is in none."""
    encoder = pp.OrdinalEncoder(
        min_frequency=12,
        max_categories=3,
        handle_unknown="use_encoded_value",
        unknown_value=-5,
        encoded_missing_value=-2,
    )
    t = rare(table(824, REALS, "float64", 0.1))
    covers = ["option=OrdinalEncoder.min_frequency", "option=OrdinalEncoder.max_categories"]
    return encoded(t, encoder, missing=np.nan, covers=covers)


# Imputers of texts ----------------------------------------------------------------------------


def texts_imputed(seed: int, imputer: Any, **more: Any) -> Trained:
    t = table(seed, missing=0.15)
    words = make_pipeline(imputer, pp.OneHotEncoder(handle_unknown="ignore"))
    columns = ColumnTransformer([("words", words, ["plan", "color"]), ("age", "passthrough", [0])])
    more.setdefault("covers", []).append("option=SimpleImputer.text")
    rows: List[List[Value]] = [[0.5, 12, 1.0, 7, None], [0.5, "12", 1.0, 7, "gold-2"]]
    return fitted(make_pipeline(columns, a_tree()), t, t.y_real(), rows=rows, **more)


@case()
def feat_impute_text() -> Trained:
    return texts_imputed(830, SimpleImputer(strategy="most_frequent"), missing=np.nan)


@case(BOTH)
def feat_impute_text_none() -> Trained:
    imputer = SimpleImputer(missing_values=None, strategy="most_frequent")
    return texts_imputed(831, imputer, covers=["option=SimpleImputer.missing_values=None"])


@case()
def feat_impute_text_constant() -> Trained:
    """By a text that training has not."""
    imputer = SimpleImputer(strategy="constant", fill_value="nothing")
    return texts_imputed(832, imputer, missing=np.nan)


def marked_table(seed: int, mark: str) -> Table:
    """Some texts are the mark; none is missing."""
    t = table(seed, missing=0.15)
    for c in t.columns:
        if c.kind == "text":
            c.values = [mark if v is None else v for v in c.values]
        else:
            c.values = [0 if v is None or v != v else v for v in c.values]
    return t


@case()
def feat_impute_text_mark() -> Trained:
    """A text marks a missing one; None is one more text, and a category that training has not seen."""
    imputer = SimpleImputer(missing_values="?", strategy="most_frequent", add_indicator=True)
    words = make_pipeline(imputer, pp.OneHotEncoder(handle_unknown="ignore"))
    marks = MissingIndicator(missing_values="?")
    columns = ColumnTransformer([("words", words, ["plan", "color"]), ("marks", marks, ["plan", "color"])])
    rows: List[List[Value]] = [[0.5, "?", 1.0, 7, "?"], [0.5, None, 1.0, 7, "?"]]
    covers = ["option=SimpleImputer.missing_values=text", "option=MissingIndicator.missing_values=text"]
    t = marked_table(834, "?")
    return fitted(make_pipeline(columns, lm.Ridge()), t, t.y_real(), rows=rows, covers=covers, most=36)


@case()
def feat_impute_both() -> Trained:
    """Texts and numbers are one table of objects there."""
    t = table(835, missing=0.15)
    columns = ColumnTransformer([("words", pp.OrdinalEncoder(), [1, 4]), ("numbers", pp.StandardScaler(), [0, 2, 3])])
    model = make_pipeline(SimpleImputer(strategy="most_frequent"), columns, a_tree())
    return fitted(model, t, t.y_real(), missing=np.nan, covers=["option=SimpleImputer.objects"], most=36)


@case()
def feat_text_types() -> Trained:
    """pandas' own type of texts."""
    t = table(833, missing=0.1)
    imputer = SimpleImputer(strategy="most_frequent")
    words = make_pipeline(imputer, pp.OneHotEncoder(handle_unknown="ignore"))
    columns = ColumnTransformer([("words", words, ["plan", "color"]), ("age", "passthrough", [0])])
    types = {"plan": "str", "color": "str"}
    return fitted(
        make_pipeline(columns, lm.Ridge()), t, t.y_real(), types=types, missing=np.nan
    )


# New columns of numbers -----------------------------------------------------------------------


def new_columns(seed: int, transformer: Any, f: int = 4, **more: Any) -> Trained:
    """A transformer alone."""
    t = clean(seed, f=f)
    return fitted(transformer, t, t.y_real(), count=45, **more)


@case()
def feat_binarizer() -> Trained:
    """Ties are 0."""
    rows: List[List[Value]] = [[0.25] * 4, [np.float32(0.25)] * 4, [0.25000000000000006] * 4]
    return new_columns(840, pp.Binarizer(threshold=0.25), rows=rows)


@case(BOTH)
def feat_binarizer_float32() -> Trained:
    """The threshold is a float32 then."""
    narrow = float(np.float32(0.1))
    rows: List[List[Value]] = [[0.1] * 4, [narrow] * 4, [np.nextafter(narrow, 1)] * 4, [-0.0] * 4]
    return new_columns(841, pp.Binarizer(threshold=0.1), narrow=True, rows=rows)


@case()
def feat_binarizer_numpy() -> Trained:
    """A threshold of numpy's float64 is not rounded, since numpy 2."""
    rows: List[List[Value]] = [[0.1] * 4, [float(np.float32(0.1))] * 4, [np.float32(0.1)] * 4]
    return new_columns(842, pp.Binarizer(threshold=np.float64(0.1)), narrow=True, rows=rows)


ZEROS: List[List[Value]] = [
    [0.0, -0.0, 0, 0.0],
    [1e-15, 1e-15, -1e-16, 1e-15],  # less than 10 epsilons
    [2.220446049250313e-15, 0.0, 0.0, -0.0],
    [1e-200, 1e-200, 3e-200, 1e-160],
    [1e-6, 1e-7, 1e-7, 0.0],
    [np.float32(1.1920929e-06), 0.0, 0.0, 0.0],
    [1e20, 1e19, -1e20, 1.0],
]


@case()
def feat_normalizer_l1() -> Trained:
    return new_columns(843, pp.Normalizer("l1"), rows=ZEROS, covers=["option=Normalizer.l1"])


@case(ALL)
def feat_normalizer_l2() -> Trained:
    return new_columns(844, pp.Normalizer(), rows=ZEROS, covers=["option=Normalizer.l2"], f=4)


@case()
def feat_normalizer_max() -> Trained:
    return new_columns(845, pp.Normalizer("max"), rows=ZEROS, covers=["option=Normalizer.max"])


@case(BOTH)
def feat_normalizer_float32() -> Trained:
    """Columns enough, so that vectors and what is left of them are added."""
    t = clean(846, f=11)
    union = FeatureUnion([("l1", pp.Normalizer("l1")), ("l2", pp.Normalizer())])
    model = make_pipeline(union, SelectKBest(f_regression, k=3))
    return fitted(model, t, t.y_real(), narrow=True, covers=["option=Normalizer.float32"], count=45)


@case()
def feat_bins() -> Trained:
    bins = pp.KBinsDiscretizer(4, encode="ordinal", strategy="uniform")
    return new_columns(850, bins, covers=["option=KBinsDiscretizer.ordinal"])


@case(ALL)
def feat_bins_onehot() -> Trained:
    """A constant column has one bin, one of few values fewer than were asked for."""
    t = clean(851)
    t.columns[1].values = np.full(t.rows, 2.5)
    t.columns[3].values = np.where(np.asarray(t.columns[3].values) > 0, 1.0, 0.0)
    model = make_pipeline(pp.KBinsDiscretizer([5, 3, 40, 4], strategy="quantile"), lm.Ridge())
    return fitted(model, t, t.y_real(), covers=["option=KBinsDiscretizer.onehot"])


@case()
def feat_bins_float32() -> Trained:
    bins = pp.KBinsDiscretizer(3, encode="onehot-dense", strategy="kmeans", dtype=np.float32)
    t = clean(852)
    covers = ["option=KBinsDiscretizer.onehot-dense", "option=KBinsDiscretizer.dtype"]
    edges = bins.fit(t.matrix()).bin_edges_
    rows: List[List[Value]] = [[float(e[1]) for e in edges], [np.float32(e[2]) for e in edges]]
    return fitted(make_pipeline(bins, a_tree()), t, t.y_real(), covers=covers, rows=rows)


@case(BOTH)
def feat_poly() -> Trained:
    """Third powers show in which order products are multiplied."""
    return new_columns(860, pp.PolynomialFeatures(3), f=3, modest=True)


@case()
def feat_poly_interaction() -> Trained:
    poly = pp.PolynomialFeatures((2, 3), interaction_only=True, include_bias=False)
    covers = ["option=PolynomialFeatures.interaction_only", "option=PolynomialFeatures.degree=range"]
    return new_columns(861, poly, f=4, modest=True, covers=covers)


@case(BOTH)
def feat_poly_float32() -> Trained:
    poly = pp.PolynomialFeatures((3, 4), order="F")
    covers = ["option=PolynomialFeatures.degree=range", "option=PolynomialFeatures.order=F"]
    return new_columns(862, poly, f=2, modest=True, narrow=True, covers=covers)


@case()
def feat_poly_linear() -> Trained:
    t = small(863, f=3)
    model = make_pipeline(pp.PolynomialFeatures(2, include_bias=False), lm.LogisticRegression())
    return fitted(model, t, t.y_binary(), covers=["option=PolynomialFeatures.include_bias"])


# Marks of missing values ----------------------------------------------------------------------


def holes(seed: int, whole: Sequence[int] = (1,)) -> Table:
    t = numbers(seed, n=200, missing=0.2)
    for j in whole:
        t.columns[j].values = np.nan_to_num(t.columns[j].values)
    return t


@case(BOTH)
def feat_indicator() -> Trained:
    """Beside an imputer. A column that missed nothing in training may not do so now."""
    t = holes(870)
    union = FeatureUnion([("filled", SimpleImputer()), ("marks", MissingIndicator())])
    covers = ["option=MissingIndicator.error_on_new"]
    return fitted(make_pipeline(union, a_tree(5)), t, t.y_real(), covers=covers)


@case()
def feat_indicator_all() -> Trained:
    t = holes(871)
    model = make_pipeline(MissingIndicator(features="all"), lm.Ridge())
    return fitted(model, t, t.y_real(), covers=["option=MissingIndicator.all"])


@case(BOTH)
def feat_indicator_number() -> Trained:
    """NaN is refused then; a mark in a column that had none is none."""
    t = holes(872, (0, 1, 2, 3))
    for j in (0, 2):
        t.columns[j].values = np.where(t.rng.rand(t.rows) < 0.2, -1.0, t.columns[j].values)
    marks = MissingIndicator(missing_values=-1, error_on_new=False)
    union = FeatureUnion([("same", "passthrough"), ("marks", marks)])
    rows: List[List[Value]] = [[-1, -1, -1, -1], [-1.0, 0.5, 0.5, 0.5], [0.5, -1.0, 0.5, 0.5]]
    covers = ["option=MissingIndicator.missing_values"]
    return fitted(make_pipeline(union, a_tree(5)), t, t.y_real(), covers=covers, rows=rows)


@case()
def feat_indicator_number_new() -> Trained:
    """A mark in a column that had none is refused."""
    t = holes(875, (0, 1, 2, 3))
    t.columns[0].values = np.where(t.rng.rand(t.rows) < 0.2, -1.0, t.columns[0].values)
    union = FeatureUnion([("same", "passthrough"), ("marks", MissingIndicator(missing_values=-1))])
    rows: List[List[Value]] = [[-1.0, 0.5, 0.5, 0.5], [0.5, -1.0, 0.5, 0.5], [0.5, 0.5, 0.5, -1]]
    covers = ["option=MissingIndicator.missing_values", "option=MissingIndicator.error_on_new"]
    return fitted(make_pipeline(union, a_tree(3)), t, t.y_real(), covers=covers, rows=rows, most=36)


@case(BOTH)
def feat_add_indicator() -> Trained:
    """One of the columns is empty in training: it is dropped, and its mark is not."""
    t = holes(873)
    t.columns[2].values = np.full(t.rows, np.nan)
    imputer = SimpleImputer(strategy="median", add_indicator=True)
    covers = ["option=SimpleImputer.add_indicator"]
    return fitted(make_pipeline(imputer, a_tree(5)), t, t.y_real(), covers=covers, narrow=True)


@case()
def feat_add_indicator_text() -> Trained:
    t = table(874, missing=0.15)
    imputer = SimpleImputer(strategy="most_frequent", add_indicator=True)
    words = make_pipeline(imputer, pp.OneHotEncoder(handle_unknown="ignore"))
    marks = MissingIndicator(missing_values=np.nan)
    columns = ColumnTransformer([("words", words, ["plan", "color"]), ("marks", marks, ["plan"])])
    covers = ["option=SimpleImputer.add_indicator", "option=MissingIndicator.text"]
    return fitted(
        make_pipeline(columns, lm.Ridge()), t, t.y_real(), missing=np.nan, covers=covers
    )
