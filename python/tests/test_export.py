"""hbscore.export: the file's answers, by a plain evaluator, are scikit-learn's own; what cannot be
exported is named with its place.

    python -m unittest discover python/tests       in an environment with scikit-learn 1.2 or newer
"""

from __future__ import annotations

import os
import subprocess
import sys
import unittest
from types import SimpleNamespace
from typing import Any, List

HERE = os.path.dirname(os.path.abspath(__file__))
GOLDEN = os.path.join(HERE, "../../test/golden")
sys.path[:0] = [os.path.join(HERE, "../src"), HERE, GOLDEN]

try:
    import numpy as np
    import pandas as pd
    import sklearn
except ImportError as e:
    raise unittest.SkipTest("needs numpy, pandas and scikit-learn: %s" % e) from e

from export_case import ExportCase
from own_format_reference import decode, evaluate, parse
from sklearn import dummy, ensemble, linear_model, tree
from sklearn import preprocessing as pp
from sklearn.compose import ColumnTransformer
from sklearn.experimental import enable_halving_search_cv, enable_iterative_imputer  # noqa: F401
from sklearn.feature_selection import SelectFromModel, SelectKBest, VarianceThreshold
from sklearn.impute import SimpleImputer
from sklearn.model_selection import GridSearchCV, HalvingGridSearchCV
from sklearn.pipeline import FeatureUnion, Pipeline, make_pipeline

from hbscore.errors import UnsupportedModel
from hbscore.export import EXPORTERS, ExportError, export
from hbscore.export.features import check_names, read_features
from hbscore.export.registry import ENCODERS

VERSION = tuple(int(part) for part in sklearn.__version__.split(".")[:2])


def data(seed: int = 0, n: int = 120, f: int = 4) -> np.ndarray:
    return np.random.RandomState(seed).randn(n, f)


class Counted(str):
    """A name that counts how often names are compared."""

    comparisons = 0
    __hash__ = str.__hash__

    def __eq__(self, other: object) -> bool:
        Counted.comparisons += 1
        return str.__eq__(self, other)


def classes(x: np.ndarray, k: int = 2) -> np.ndarray:
    score = x[:, 0] - 0.6 * x[:, 1]
    return np.searchsorted(np.quantile(score, np.linspace(0, 1, k + 1)[1:-1]), score)


def document(model: Any, sample: Any = None) -> Any:
    return parse(export(model, sample))


def frame(x: np.ndarray, names: str = "abcd") -> pd.DataFrame:
    return pd.DataFrame(x, columns=list(names))


class Answers(ExportCase):
    def same(self, model: Any, x: np.ndarray, tolerance: float = 1e-12) -> Any:
        answers = evaluate(export(model), x)
        self.assertFalse(answers.null.any())
        if answers.label is None:
            want = np.asarray(model.predict(x)).reshape(len(x), -1)
            np.testing.assert_allclose(answers.predict, want, rtol=tolerance, atol=tolerance)
            return answers
        self.assertEqual(list(answers.predict), list(model.predict(x)))
        if hasattr(model, "predict_proba"):
            want = model.predict_proba(x)
            np.testing.assert_allclose(answers.probabilities, want, rtol=0, atol=tolerance)
        return answers

    def test_golden_cases_of_this_version_and_of_any_other(self) -> None:
        """Half of those that the installed version can train, with rows of NaN, infinities and ties. Making the golden
        files has asked the same of all of them."""
        import golden_sklearn_cases_combined  # noqa: F401
        import golden_sklearn_cases_ensembles  # noqa: F401
        import golden_sklearn_cases_estimators  # noqa: F401
        import golden_sklearn_cases_features  # noqa: F401
        import golden_sklearn_cases_linear  # noqa: F401
        import golden_sklearn_cases_pipelines  # noqa: F401
        import golden_sklearn_cases_transform  # noqa: F401
        import golden_sklearn_cases_trees  # noqa: F401
        import golden_sklearn_cases_wrappers  # noqa: F401
        from golden_sklearn_models import CASES, rows_of
        from golden_sklearn_predict import Asked

        trained = 0
        for case in CASES[::2]:
            with self.subTest(case.name):
                try:
                    t = case.train()
                except (ValueError, TypeError):  # NaN or an option that this version does not take
                    self.assertNotIn(sklearn.__version__, case.versions)
                    continue
                data = export(t.model, t.sample)
                forest = any(op["op"] == "forest" for op in parse(data)["ops"])
                only = parse(data)["task"] == "transformer"
                for transform in {only, only or t.transform}:
                    asked = Asked(t, data, rows_of(t, {}, forest, 1), transform)
                    self.assertGreater(len(asked.rows), 30 if t.count else 2)
                trained += 1
        self.assertGreater(trained, 50)

    def test_forests_give_the_same_bits(self) -> None:
        x = data(1, 300)
        for model in (
            ensemble.RandomForestClassifier(20, random_state=1),
            ensemble.ExtraTreesClassifier(20, random_state=1),
            tree.DecisionTreeClassifier(random_state=1),
        ):
            answers = self.same(model.fit(x, classes(x, 5)), x)
            np.testing.assert_array_equal(answers.probabilities, model.predict_proba(x))
        for model in (
            ensemble.RandomForestRegressor(20, random_state=1),
            ensemble.GradientBoostingRegressor(random_state=1),
        ):
            self.same(model.fit(x, x[:, 0] ** 2), x, tolerance=0.0)

    def test_transform_is_that_of_the_pipeline_without_its_last_step(self) -> None:
        x = data(2)
        x[::7, 1] = np.nan
        model = make_pipeline(SimpleImputer(), pp.RobustScaler(), linear_model.LogisticRegression())
        model.fit(x, classes(data(2)))
        answers = evaluate(export(model), x)
        np.testing.assert_array_equal(answers.transform, model[:-1].transform(x))

    def test_a_transformer_alone(self) -> None:
        x = data(3)
        model = make_pipeline(pp.StandardScaler(), pp.MinMaxScaler(clip=True)).fit(x)
        answers = evaluate(export(model), x)
        self.assertEqual(answers.document["task"], "transformer")
        np.testing.assert_array_equal(answers.transform, model.transform(x))

    def test_a_pipeline_in_a_pipeline_keeps_the_outer_transform(self) -> None:
        x = data(4)
        inner = make_pipeline(pp.MinMaxScaler(), linear_model.Ridge())
        model = make_pipeline(pp.StandardScaler(), inner).fit(x, x[:, 0])
        answers = evaluate(export(model), x)
        np.testing.assert_array_equal(answers.transform, model[:-1].transform(x))

    def test_a_transformer_that_changes_nothing(self) -> None:
        x = data(18)
        for nothing in (pp.FunctionTransformer(), VarianceThreshold()):
            answers = evaluate(export(nothing.fit(x)), x)
            np.testing.assert_array_equal(answers.transform, x)
            self.assertFalse(answers.transform_null.any())

    def test_a_transform_of_texts_is_none(self) -> None:
        """A file has numbers only; what predicts behind it is not touched by that."""
        x = pd.DataFrame({"a": ["x", "y"] * 10, "b": np.arange(20.0)})
        columns = ColumnTransformer([("a", pp.OneHotEncoder(), ["a"])], remainder="passthrough")
        same = ColumnTransformer(
            [("all", "passthrough", ["a", "b"])], verbose_feature_names_out=False
        ).set_output(transform="pandas")
        model = make_pipeline(same, make_pipeline(columns, linear_model.Ridge()))
        self.assertNotIn(b'"transform"', export(model.fit(x, x["b"]), x))
        self.assertIn(b'"transform"', export(model[1].fit(x, x["b"]), x))

    def test_a_transformer_refuses_what_it_checks(self) -> None:
        """Also where it computes nothing; a selector that takes NaN takes infinities too."""
        x = data(16)
        rows = np.array([[0.5, 1.0], [np.nan, 1.0], [np.inf, 1.0]])
        for transformer in (
            pp.StandardScaler(with_mean=False, with_std=False),
            pp.StandardScaler(),
            SelectKBest(k=2),
            VarianceThreshold(0.1),
            SelectFromModel(linear_model.Ridge(), threshold=-np.inf),
            SelectFromModel(tree.DecisionTreeRegressor(), threshold=-np.inf),
            make_pipeline(SelectKBest(k=2), pp.FunctionTransformer()),
            make_pipeline(pp.FunctionTransformer(), pp.MaxAbsScaler()),
            make_pipeline(SimpleImputer(missing_values=-1), SimpleImputer()),
            FeatureUnion([("a", SelectKBest(k=2)), ("b", "passthrough")]),
            ColumnTransformer([("a", SelectKBest(k=1), [0]), ("b", "passthrough", [0])]),
        ):
            with self.subTest(str(transformer)):
                model = transformer.fit(x[:, :2], x[:, 0])
                answers = evaluate(export(model), rows)
                for i, row in enumerate(rows):
                    try:
                        want = model.transform(row[np.newaxis])
                    except ValueError:
                        self.assertTrue(answers.transform_null[i])
                    else:
                        self.assertFalse(answers.transform_null[i])
                        np.testing.assert_array_equal(answers.transform[i], want[0])

    def test_only_the_outermost_pipeline_transforms(self) -> None:
        x = data(17)
        part = make_pipeline(pp.StandardScaler(), linear_model.Ridge())
        for kind in (GridSearchCV, HalvingGridSearchCV):
            search = kind(part, {"ridge__alpha": [1.0]}, cv=2).fit(x, x[:, 0])
            answers = evaluate(export(search), x)
            np.testing.assert_array_equal(answers.transform, search.best_estimator_[:-1].transform(x))
        for model in (linear_model.Ridge(), make_pipeline("passthrough", linear_model.Ridge())):
            self.assertNotIn("transform", document(model.fit(x, x[:, 0])))

    def test_float32_pipelines_give_the_same_bits(self) -> None:
        x = data(5).astype(np.float32)
        for scaler in (
            pp.StandardScaler(),
            pp.MinMaxScaler(feature_range=(0.1, 0.9), clip=True),
            pp.MaxAbsScaler(),
            pp.RobustScaler(),
            SimpleImputer(strategy="constant", fill_value=0.1),
        ):
            holes = x.copy()
            holes[::5, 2] = np.nan
            model = make_pipeline(scaler).fit(holes)
            answers = evaluate(export(model, holes), holes)
            self.assertEqual(answers.document["ops"][0], {"op": "cast", "in": [0], "to": "f4"})
            np.testing.assert_array_equal(answers.transform, model.transform(holes))

    def test_mixed_types_are_computed_column_by_column(self) -> None:
        x = frame(data(6) * 100).astype({"a": "float32", "c": "float32", "d": "int64"})
        model = ColumnTransformer(
            [("n", pp.StandardScaler(), ["a", "c"]), ("w", pp.StandardScaler(), ["a", "b", "d"])]
        ).fit(x)
        answers = evaluate(export(model, x), x.to_numpy(np.float64))
        types = [f["type"] for f in answers.document["features"]]
        self.assertEqual(types, ["f4", "f8", "f4", "i8"])
        np.testing.assert_array_equal(answers.transform, np.asarray(model.transform(x)))

    def test_class_labels_of_any_type(self) -> None:
        x = data(7)
        y = classes(x)
        for labels, dtype in (
            (np.array(["no", "ja é"]), "str"),
            (np.array(["no", "yes"], dtype=object), "str"),
            (np.array([-5, 2**60]), "i8"),
            (np.array([7, 200], dtype=np.uint8), "i8"),
            (np.array([False, True]), "b1"),
            (np.array([-1.0, 3.0]), "f8"),
        ):
            model = tree.DecisionTreeClassifier(max_depth=2).fit(x, labels[y])
            answers = self.same(model, x)
            self.assertEqual(answers.document["classes"]["dtype"], dtype)

    def test_sparse_parameters(self) -> None:
        x = data(8)
        model = linear_model.SGDClassifier(penalty="l1", random_state=1).fit(x, classes(x, 3))
        before = export(model)
        self.assertEqual(export(model.sparsify()), before)

    def test_a_tree_that_takes_nan(self) -> None:
        x = data(9)
        x[::3, 0] = np.nan
        model = make_pipeline(pp.StandardScaler(), tree.DecisionTreeClassifier(max_depth=3))
        y = (np.nan_to_num(x[:, 0], nan=2.0) > 0.5).astype(int)
        if VERSION < (1, 3):
            with self.assertRaises(ValueError):
                model.fit(x, y)
            return
        model.fit(x, y)
        self.assertEqual(document(model)["ops"][-2]["missing"], 1)
        self.same(model, x)

    def test_what_has_refused_nan_keeps_it_from_trees(self) -> None:
        x = data(10)
        for first in (SelectKBest(k=3), SimpleImputer(missing_values=-1)):
            model = make_pipeline(first, tree.DecisionTreeClassifier(max_depth=3))
            model.fit(x, classes(x))
            self.assertEqual(document(model)["ops"][-2]["missing"], 0)


class Document(ExportCase):
    def test_the_same_model_is_the_same_bytes(self) -> None:
        x = data()
        model = ensemble.GradientBoostingClassifier(n_estimators=3, random_state=1)
        first = export(model.fit(x, classes(x)))
        self.assertEqual(first, export(model.fit(x, classes(x))))
        self.assertTrue(first.startswith(b'{"hbscore":1,"writer":{"hbscore":"'))
        self.assertNotIn(b" ", first.replace(b"scikit-learn", b""))

    def test_names_come_from_the_data_frame_the_list_or_the_sample(self) -> None:
        x = data()
        bare = linear_model.Ridge().fit(x, x[:, 0])
        named = linear_model.Ridge().fit(frame(x), x[:, 0])
        features = [{"name": n, "type": "f8"} for n in "abcd"]
        self.assertEqual(document(bare)["features"], [{"type": "f8"}] * 4)
        self.assertEqual(document(named)["features"], features)
        self.assertEqual(document(bare, list("abcd"))["features"], features)
        self.assertEqual(document(bare, frame(x))["features"], features)
        self.assertEqual(document(named, list("wxyz"))["features"][0]["name"], "w")
        turned = frame(x).astype({"a": "float32", "b": "bool", "c": "int64"})[list("dcba")]
        types = [f["type"] for f in document(named, turned)["features"]]
        self.assertEqual(types, ["f4", "bool", "i8", "f8"])
        self.assertEqual(document(bare, pd.DataFrame(x))["features"], [{"type": "f8"}] * 4)
        self.assertEqual(document(bare, x.astype(np.float32))["features"], [{"type": "f4"}] * 4)

    def test_names_that_cannot_be(self) -> None:
        x = data()
        model = linear_model.Ridge().fit(x, x[:, 0])
        named = linear_model.Ridge().fit(frame(x), x[:, 0])
        self.refused(model, "takes 4 features, 3 names", sample=list("abc"))
        self.refused(model, "two features are named 'a'", sample=list("abca"))
        self.refused(model, "is no name", sample=["a", "b", "c", ""])
        self.refused(model, "is no name", sample=["a", "b", "c", 1])
        self.refused(model, "is no name", sample=["a", "b", "c", "\ud800"])
        self.refused(model, "the sample has 3", sample=x[:, :3])
        self.refused(named, "lacks the column 'd'", sample=frame(x)[list("abc")])
        text = frame(x).astype({"b": "str"})
        self.refused(model, "Ridge gets texts", sample=text)
        dates = frame(x).astype({"b": "datetime64[ns]"})
        self.refused(model, "feature 'b' has the type", "only numbers", sample=dates)

    def test_many_names_take_few_comparisons(self) -> None:
        """20,000 names took 8 s: each was compared with all."""
        names = [Counted("x%d" % j) for j in range(20000)]
        Counted.comparisons = 0
        check_names(names, len(names))
        x = np.zeros((3, len(names)))
        model = linear_model.Ridge().fit(x, x[:, 0])
        model.feature_names_in_ = np.array(names, dtype=object)
        turned = [Counted(n) for n in reversed(names)]
        sample = SimpleNamespace(columns=turned, dtypes=[np.dtype("f8")] * len(turned))
        self.assertEqual(read_features(model, sample)[0], names)
        self.assertLess(Counted.comparisons, 20 * len(names))
        with self.assertRaisesRegex(ExportError, "two features are named 'x7'"):
            check_names(names + ["x7"], len(names) + 1)

    def test_every_exporter_is_of_a_class_that_exists(self) -> None:
        for name in EXPORTERS:
            module, _, attribute = name.rpartition(".")
            if module == ENCODERS:  # tests of its own
                continue
            __import__("sklearn." + module)
            found = getattr(sys.modules["sklearn." + module], attribute)
            self.assertTrue(found.__module__.startswith("sklearn."), name)

    def test_scikit_learn_is_not_imported(self) -> None:
        code = "import sys, hbscore.export; assert 'sklearn' not in sys.modules"
        src = os.path.join(HERE, "../src")
        subprocess.run(
            [sys.executable, "-c", code], check=True, env={**os.environ, "PYTHONPATH": src}
        )


class Twice(pp.StandardScaler):
    """A user's subclass, which may do anything."""


class Own(linear_model.RidgeClassifier):
    """So may this one."""


class OwnRegressor(linear_model.Ridge):
    """And this one."""


def double(x: Any) -> Any:
    return 2 * x


class Refusals(ExportCase):
    def test_estimators_that_are_not_supported(self) -> None:
        x = data()
        y = classes(x)
        model = make_pipeline(pp.StandardScaler(), Own()).fit(x, y)
        self.refused(model, "pipeline step 'own': Own of ", "not supported")
        model = make_pipeline(Twice(), linear_model.Ridge()).fit(x, y)
        self.refused(model, "pipeline step 'twice': Twice of ", "not supported")

    def test_the_place_is_told_through_all_that_is_around_it(self) -> None:
        x = data()
        inner = make_pipeline(Twice())
        columns = ColumnTransformer([("num", inner, [0, 1])])
        model = Pipeline([("prep", columns), ("clf", linear_model.Ridge())]).fit(x, x[:, 0])
        place = "pipeline step 'prep', transformer 'num', pipeline step 'twice': "
        self.refused(model, place + "Twice")
        search = GridSearchCV(make_pipeline(Own()), {"own__alpha": [1.0]}, cv=2).fit(x, classes(x))
        self.refused(search, "GridSearchCV's best_estimator_, pipeline step 'own': Own")

    def test_what_is_not_fitted(self) -> None:
        x = data()
        self.refused(linear_model.Ridge(), "Ridge", "is it fitted?")
        model = make_pipeline(pp.StandardScaler(), linear_model.Ridge()).fit(x, x[:, 0])
        model.steps[1] = ("ridge", linear_model.Ridge())
        self.refused(model, "pipeline step 'ridge': Ridge has no coef_")
        self.refused(object(), "object")
        self.refused(linear_model.Ridge, "Ridge")
        self.refused(None, "None")
        self.refused("ridge", "'ridge' is not a fitted")

    def test_functions(self) -> None:
        x = data()
        model = make_pipeline(pp.FunctionTransformer(double), linear_model.Ridge()).fit(x, x[:, 0])
        self.refused(model, "pipeline step 'functiontransformer'", "function", "double")

    def test_options(self) -> None:
        x = data()
        y = x[:, 0]
        boosting = ensemble.GradientBoostingRegressor(n_estimators=2, init=OwnRegressor())
        self.refused(boosting.fit(data(), y), "GradientBoostingRegressor's init: OwnRegressor of ")
        random = dummy.DummyClassifier(strategy="stratified")
        boosting = ensemble.GradientBoostingClassifier(n_estimators=2, init=random)
        self.refused(boosting.fit(data(), classes(data())), "DummyClassifier with strategy='stratified'")

    def test_parts_that_are_of_another_kind(self) -> None:
        """Trees of numbers vote by rounding."""
        x = data()
        model = ensemble.BaggingClassifier(tree.DecisionTreeRegressor(max_depth=2), n_estimators=2)
        words = "BaggingClassifier's estimator: DecisionTreeRegressor is no classifier"
        self.refused(model.fit(x, classes(x)), words)
        hard = linear_model.RidgeClassifier()
        model = ensemble.VotingClassifier([("a", hard)], voting="soft")
        model = model.fit(x, classes(x))
        self.refused(model, "VotingClassifier has an estimator 'a' without probabilities")

    def test_one_class(self) -> None:
        """Where it has an answer of its own."""
        one = tree.DecisionTreeClassifier().fit(data(), np.zeros(120))
        self.assertEqual([1], document(one)["classes"]["shape"])
        several = ensemble.HistGradientBoostingClassifier(max_iter=1).fit(data(), np.zeros(120))
        self.refused(several, "HistGradientBoostingClassifier has one class, of which predict_proba makes two")

    def test_columns_and_types_that_cannot_be_scored(self) -> None:
        x = np.array([["a", 1], ["b", 2]] * 10, dtype=object)
        model = SimpleImputer(strategy="most_frequent").fit(x)
        self.refused(model, "SimpleImputer gives texts: transform() gives numbers")
        with_none = ColumnTransformer([("a", "drop", [0])]).fit(data())
        self.refused(with_none, "keeps no column")
        texts = pd.DataFrame({"a": ["x", "y", None] * 5, "b": ["u", "v", "u"] * 5})
        filled = SimpleImputer(strategy="most_frequent", missing_values=None).fit(texts)
        self.refused(filled, "SimpleImputer gives texts: transform() gives numbers", sample=texts)

    def test_spoiled_attributes(self) -> None:
        """What is read is checked: a spoiled model is no file with wrong answers."""
        x = data()
        y = classes(x)
        spoils: List[Any] = [
            (linear_model.LogisticRegression(), "coef_", np.ones((1, 3)), "shape (1, 3)"),
            (linear_model.LogisticRegression(), "coef_", np.full((1, 4), np.nan), "not finite"),
            (linear_model.LogisticRegression(), "coef_", np.ones((3, 4)), "intercept_ of shape"),
            (linear_model.LogisticRegression(), "coef_", np.array([["a"] * 4]), "no numbers"),
            (linear_model.LogisticRegression(), "intercept_", np.array([np.inf]), "not finite"),
            (linear_model.LogisticRegression(), "classes_", np.array([0, 1, 2]), "classes"),
            (linear_model.LogisticRegression(), "classes_", np.array([0, None]), "class labels"),
            (linear_model.SGDClassifier(), "loss", double, "with loss="),
            (pp.StandardScaler(), "mean_", np.ones(3), "mean_ of shape (3,)"),
            (pp.StandardScaler(), "with_mean", "yes", "with_mean='yes'"),
            (pp.MinMaxScaler(clip=True), "feature_range", (0.0, np.inf), "not finite"),
            (SimpleImputer(), "missing_values", "gone", "missing_values='gone'"),
            (SimpleImputer(), "strategy", "middle", "with strategy='middle'"),
            (ensemble.GradientBoostingRegressor(n_estimators=2), "learning_rate", np.nan, "learn"),
            (ensemble.RandomForestClassifier(2), "estimators_", [], "no estimators_"),
            (ensemble.BaggingClassifier(n_estimators=2), "estimators_", [None] * 3, "3 estimators and"),
            (ensemble.RandomForestClassifier(2), "estimators_", [linear_model.Ridge()], "a Ridge"),
        ]
        for model, name, value, words in spoils:
            with self.subTest("%s.%s" % (type(model).__name__, name)):
                model.fit(x, y)
                export(model)
                setattr(model, name, value)
                self.refused(model, type(model).__name__, words)

    def test_steps_that_do_not_fit_each_other(self) -> None:
        x = data()
        model = make_pipeline(pp.StandardScaler(), linear_model.Ridge()).fit(x, x[:, 0])
        model.steps[1] = ("ridge", linear_model.Ridge().fit(x[:, :2], x[:, 0]))
        self.refused(model, "pipeline step 'ridge'", "fitted with 2 columns and gets 4")
        model.steps = [
            ("a", linear_model.Ridge().fit(x, x[:, 0])),
            ("b", pp.StandardScaler().fit(x)),
        ]
        self.refused(model, "pipeline step 'a': Ridge has no transform")

    def test_errors_are_those_of_the_package(self) -> None:
        self.assertTrue(issubclass(ExportError, UnsupportedModel))


if __name__ == "__main__":
    unittest.main()
