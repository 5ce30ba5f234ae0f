"""Transformers that make new columns: the file gives what transform() gives, by the plain evaluator; and
encoders and imputers where a sparse matrix or a missing value changes what scikit-learn does."""

from __future__ import annotations

import os
import sys
import unittest
from typing import Any, List

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "../src"), HERE]

try:
    import numpy as np
    import pandas as pd
    import sklearn
except ImportError as e:
    raise unittest.SkipTest("needs numpy, pandas and scikit-learn: %s" % e) from e

from export_case import ExportCase
from own_format_reference import decode, evaluate, parse
from sklearn import linear_model, tree
from sklearn import preprocessing as pp
from sklearn.compose import ColumnTransformer
from sklearn.feature_selection import SelectFromModel
from sklearn.impute import MissingIndicator, SimpleImputer
from sklearn.pipeline import FeatureUnion, make_pipeline

from hbscore.export import export

VERSION = tuple(int(part) for part in sklearn.__version__.split(".")[:2])


def data(seed: int = 0, n: int = 60, f: int = 4) -> np.ndarray:
    return np.random.RandomState(seed).randn(n, f)


def bins(count: Any, **more: Any) -> pp.KBinsDiscretizer:
    if VERSION >= (1, 3):
        more.setdefault("subsample", None)
    if VERSION >= (1, 7) and more.get("strategy", "quantile") == "quantile":
        more.setdefault("quantile_method", "linear")
    return pp.KBinsDiscretizer(count, **more)


class ExpandTest(ExportCase):
    def same(self, model: Any, x: Any, sample: Any = None, ulps: int = 0) -> Any:
        """What the fitted transformer alone makes of x."""
        answers = evaluate(export(model, sample), np.asarray(x))
        self.assertFalse(answers.null.any())
        want = model.transform(x)
        want = np.asarray(want.toarray() if hasattr(want, "toarray") else want)
        if ulps:
            apart = np.abs(answers.transform - want)
            self.assertLessEqual((apart / np.spacing(np.abs(want))).max(), ulps)
        else:
            np.testing.assert_array_equal(answers.transform, want.astype(np.float64))
        return answers.document


class Binarizers(ExpandTest):
    def test_the_threshold_is_of_the_column_s_type(self) -> None:
        x = np.full((4, 1), 0.1)
        x[1:3, 0] = [np.float32(0.1), np.nextafter(np.float64(np.float32(0.1)), 1)]
        for threshold in (0.1, np.float64(0.1), np.float32(0.1), 0, 1):
            for kind in (np.float64, np.float32, np.int64, np.int32):
                model = pp.Binarizer(threshold=threshold).fit(x.astype(kind))
                self.same(model, x.astype(kind), sample=x.astype(kind))

    def test_its_output_keeps_float32(self) -> None:
        x = data().astype(np.float32)
        model = make_pipeline(pp.Binarizer(threshold=0.2), pp.StandardScaler()).fit(x)
        self.assertEqual(self.same(model, x, sample=x)["ops"][-1]["dtype"], "f4")

    def test_thresholds_that_are_none(self) -> None:
        model = pp.Binarizer(threshold=float("nan"))
        model.n_features_in_ = 4
        self.refused(model, "Binarizer has a threshold that is not finite")
        narrow = data().astype(np.float32)
        self.same(pp.Binarizer(threshold=1e300).fit(narrow), narrow, sample=narrow)
        for threshold, answer in ((float("inf"), 0.0), (-float("inf"), 1.0)):  # which newer versions refuse to transform
            answers = evaluate(export(pp.Binarizer(threshold=threshold).fit(data())), data())
            self.assertTrue((answers.transform == answer).all())


class Normalizers(ExpandTest):
    def test_every_norm_in_every_type(self) -> None:
        for f in (1, 3, 8, 17, 130, 300):
            x = data(1, 20, f) * 10.0 ** np.random.RandomState(2).randint(-3, 4, f)
            x[3] = 0.0
            x[4] *= 1e-16
            for norm in ("l1", "l2", "max"):
                for kind in (np.float64, np.float32):
                    y = np.ascontiguousarray(x.astype(kind))
                    self.same(pp.Normalizer(norm=norm).fit(y), y, sample=y)

    def test_columns_of_another_order_are_as_close_as_promised(self) -> None:
        x = np.asfortranarray(data(3, 50, 30))
        for norm in ("l1", "l2"):
            self.same(pp.Normalizer(norm=norm).fit(x), x, ulps=4)

    def test_it_refuses_nan_for_those_behind_it(self) -> None:
        x = data()
        model = make_pipeline(pp.Normalizer(), tree.DecisionTreeRegressor(max_depth=2))
        ops = parse(export(model.fit(x, x[:, 0])))["ops"]
        self.assertEqual(ops[-1]["missing"], 0)


class Bins(ExpandTest):
    def test_every_strategy_and_encoding(self) -> None:
        x = data(4)
        x[:, 2] = np.round(x[:, 2])
        for strategy in ("uniform", "quantile", "kmeans"):
            for encode in ("ordinal", "onehot", "onehot-dense"):
                for dtype in (None, np.float32, np.float64):
                    for kind in (np.float64, np.float32):
                        y = x.astype(kind)
                        model = bins([3, 5, 4, 7], strategy=strategy, encode=encode, dtype=dtype)
                        self.same(model.fit(y), y, sample=y)

    def test_edges_and_what_is_beyond_them(self) -> None:
        x = data(5)
        model = bins(4, encode="ordinal", strategy="uniform").fit(x)
        edges = np.array([list(e) + [-1e300, 1e300] for e in model.bin_edges_]).T
        self.same(model, np.vstack([edges, np.nextafter(edges, 9), np.nextafter(edges, -9)]))

    def test_a_column_of_one_value(self) -> None:
        x = data(6)
        x[:, 1] = 7.0
        for encode in ("ordinal", "onehot-dense"):
            self.same(bins(3, encode=encode).fit(x), x)

    def test_a_column_without_a_bin_that_is_wide_enough(self) -> None:
        x = data()
        x[:, 1] = 1.0 + 1e-11 * x[:, 1]
        model = bins(3, encode="ordinal", strategy="kmeans").fit(x)
        self.assertEqual(model.n_bins_[1], 0)
        self.same(model, x)

    def test_spoiled_edges(self) -> None:
        x = data()
        model = bins(3, encode="ordinal").fit(x)
        model.n_bins_ = model.n_bins_ + 1
        self.refused(model, "KBinsDiscretizer has bin_edges_ that are not those of n_bins_")
        model = bins(3, encode="ordinal").fit(x)
        model.bin_edges_ = model.bin_edges_[:2]
        self.refused(model, "KBinsDiscretizer has no bin_edges_ of 4 columns")


class Products(ExpandTest):
    def test_every_option(self) -> None:
        x = data(7, 40)
        degrees: List[Any] = [1, 2, 3, 4, (0, 2), (1, 3), (2, 3), (3, 3), (0, 0), 0]
        for degree in degrees:
            for only in (False, True):
                for bias in (True, False):
                    if not bias and degree in (0, (0, 0)):
                        continue
                    model = pp.PolynomialFeatures(degree, interaction_only=only, include_bias=bias)
                    for kind in (np.float64, np.float32):
                        y = x.astype(kind)
                        if model.fit(y).n_output_features_:
                            self.same(model, y, sample=y)

    def test_an_order_of_columns_changes_nothing(self) -> None:
        x = data(8, 40)
        self.same(pp.PolynomialFeatures(3, order="F").fit(x), x)

    def test_too_many(self) -> None:
        x = data(9, 3, 400)
        self.refused(pp.PolynomialFeatures(2).fit(x), "more than 65536 products")


class Marks(ExpandTest):
    def holes(self, seed: int = 10) -> np.ndarray:
        x = data(seed)
        x[::5, 0] = x[1::7, 3] = np.nan
        return x

    def test_indicators(self) -> None:
        x = self.holes()
        for features in ("missing-only", "all"):
            self.same(MissingIndicator(features=features).fit(x), x)
        marked = np.nan_to_num(x, nan=-1.0)
        model = MissingIndicator(missing_values=-1, error_on_new=False).fit(marked)
        self.same(model, marked)
        ops = parse(export(make_pipeline(model, linear_model.Ridge()).fit(marked, marked[:, 1])))["ops"]
        self.assertEqual((ops[0]["cols"], ops[0]["known"]), ([0, 3], []))

    def test_what_was_never_missing_is_refused(self) -> None:
        x = self.holes()
        union = FeatureUnion([("filled", SimpleImputer()), ("marks", MissingIndicator())])
        model = make_pipeline(union, linear_model.Ridge()).fit(x, data()[:, 0])
        row = np.array([[0.0, np.nan, 0.0, 0.0]])
        self.assertTrue(evaluate(export(model), row).null[0])
        with self.assertRaises(ValueError):
            model.predict(row)

    def test_imputers_with_marks(self) -> None:
        x = self.holes()
        x[:, 2] = np.nan
        for keep in (False, True):
            imputer = SimpleImputer(add_indicator=True, keep_empty_features=keep).fit(x)
            self.same(imputer, x)
            narrow = x.astype(np.float32)
            self.same(imputer.fit(narrow), narrow, sample=narrow)
        whole = data(11)
        model = make_pipeline(SimpleImputer(add_indicator=True), pp.MinMaxScaler()).fit(whole)
        self.assertEqual(len(self.same(model, whole)["ops"]), 2)

    def test_marks_behind_what_refuses_nan(self) -> None:
        marked = np.where(data(12) > 1.0, -1.0, data(12))
        imputer = SimpleImputer(missing_values=-1, add_indicator=True)
        model = make_pipeline(imputer, tree.DecisionTreeRegressor(max_depth=3)).fit(marked, marked[:, 0])
        self.assertEqual(parse(export(model))["ops"][-1]["missing"], 0)

    def test_what_is_not_supported(self) -> None:
        x = data()
        self.refused(MissingIndicator().fit(x), "MissingIndicator makes no column: nothing was missing")


class Sparse(ExpandTest):
    """An encoder hands a sparse matrix on, and what follows then does something else."""

    def frame(self) -> Any:
        rng = np.random.RandomState(13)
        return pd.DataFrame({"a": rng.choice(list("uvw"), 80), "b": rng.randn(80), "c": rng.randn(80)})

    def sparse(self, *steps: Any, threshold: float = 1.0) -> Any:
        encoder = ("a", pp.OneHotEncoder(handle_unknown="ignore"), ["a"])
        columns = ColumnTransformer([encoder], remainder="passthrough", sparse_threshold=threshold)
        return make_pipeline(columns, *steps).fit(self.frame(), self.frame()["b"])

    def test_scalers_multiply(self) -> None:
        scalers = (pp.StandardScaler(with_mean=False), pp.MaxAbsScaler(), pp.RobustScaler(with_centering=False))
        for scaler in scalers:
            model = self.sparse(scaler)
            answers = evaluate(export(model, self.frame()), self.frame().to_numpy(object))
            np.testing.assert_array_equal(answers.transform, model.transform(self.frame()).toarray())
            self.assertEqual(answers.document["ops"][-1]["kind"], "mul_add")
        dense = parse(export(self.sparse(pp.MaxAbsScaler(), threshold=0.0), self.frame()))
        self.assertEqual(dense["ops"][-1]["kind"], "div")

    def test_norms_are_of_what_is_there(self) -> None:
        for norm in ("l1", "l2", "max"):
            model = self.sparse(pp.Normalizer(norm=norm))
            answers = evaluate(export(model, self.frame()), self.frame().to_numpy(object))
            np.testing.assert_array_equal(answers.transform, model.transform(self.frame()).toarray())

    def test_trees_take_no_nan(self) -> None:
        for threshold in (1.0, 0.0):
            model = self.sparse(tree.DecisionTreeRegressor(max_depth=3), threshold=threshold)
            row = self.frame()[:1].assign(b=np.nan)
            null = evaluate(export(model, self.frame()), row.to_numpy(object)).null[0]
            try:
                model.predict(row)
                self.assertFalse(null)
            except ValueError:
                self.assertTrue(null)

    def test_products_are_multiplied_from_the_first_column_on(self) -> None:
        """The columns of numbers show it: their products depend on the order."""
        for options in ({"degree": 2}, {"degree": 3}, {"degree": 3, "interaction_only": True}, {"degree": (3, 4)}, {"degree": 5}):
            with self.subTest(**options):
                model = self.sparse(pp.PolynomialFeatures(**options))
                answers = evaluate(export(model, self.frame()), self.frame().to_numpy(object))
                np.testing.assert_array_equal(answers.transform, model.transform(self.frame()).toarray())


class Codes(ExpandTest):
    def test_none_is_a_category_and_nan_is_none(self) -> None:
        for missing, code in ((None, 2.0), (np.nan, -5.0)):
            x = pd.DataFrame({"a": pd.Series(["u", missing, "v"] * 4, dtype=object)})
            model = pp.OrdinalEncoder(encoded_missing_value=-5).fit(x)
            column = parse(export(make_pipeline(model), x))["ops"][0]["columns"][0]
            self.assertEqual(list(decode(column["map"])), [0.0, 1.0, code])
            self.assertEqual(model.transform(x)[1, 0], code)

    @unittest.skipIf(VERSION < (1, 3), "OrdinalEncoder has groups since 1.3")
    def test_a_missing_value_is_in_no_group(self) -> None:
        words = ["u"] * 9 + ["v"] * 8 + ["w", "x", np.nan]
        x = pd.DataFrame({"a": pd.Series(words, dtype=object)})
        model = pp.OrdinalEncoder(min_frequency=3, encoded_missing_value=-5).fit(x)
        answers = evaluate(export(make_pipeline(model), x), x.to_numpy(object))
        np.testing.assert_array_equal(answers.transform, model.transform(x))


class Weights(ExpandTest):
    def test_float32_columns_have_float32_weights(self) -> None:
        x = data().astype(np.float32)
        for weight in (0.1, np.float64(0.1), np.float32(0.1), 3):
            steps = [("a", pp.MaxAbsScaler()), ("b", "passthrough")]
            model = FeatureUnion(steps, transformer_weights={"a": weight}).fit(x)
            self.same(model, x, sample=x)


class Statistics(ExpandTest):
    """The result of training counts, however training has found it."""

    def gaps(self) -> np.ndarray:
        x = data()
        x[::5, 1] = np.nan
        x[:, 2] = np.nan
        return x

    @unittest.skipIf(VERSION < (1, 5), "SimpleImputer takes functions since 1.5")
    def test_a_function_as_strategy(self) -> None:
        x = self.gaps()
        self.same(SimpleImputer(strategy=lambda v: v.max() if len(v) else 0.0).fit(x), x)

    def test_a_constant_and_a_column_without_any_value(self) -> None:
        """Which is dropped since 1.8."""
        x = self.gaps()
        for keep in (True, False):
            self.same(SimpleImputer(strategy="constant", fill_value=7.0, keep_empty_features=keep).fit(x), x)

    def test_texts_and_a_column_without_any_value(self) -> None:
        x = pd.DataFrame({"a": ["u", np.nan, "u"] * 3, "b": pd.Series([np.nan] * 9, dtype=object), "c": ["w"] * 9})
        model = make_pipeline(SimpleImputer(strategy="most_frequent"), pp.OrdinalEncoder()).fit(x)
        self.assertEqual(model.n_features_in_ - 1, model[1].n_features_in_)
        answers = evaluate(export(model, x), x.to_numpy(object))
        np.testing.assert_array_equal(answers.transform, model.transform(x))

    def test_a_selector_by_a_function(self) -> None:
        x = data()
        chooser = SelectFromModel(linear_model.Ridge(), importance_getter=lambda m: abs(m.coef_))
        self.same(make_pipeline(chooser).fit(x, x[:, 0]), x)


if __name__ == "__main__":
    unittest.main()
