"""Histogram boosting, isolation forests and AdaBoost: SQL gives scikit-learn's own answers, and what is
not supported is named."""

from __future__ import annotations

import sqlite3
import unittest
import warnings
from typing import Any, List

import numpy
import pandas
import sklearn
from sklearn import ensemble, linear_model, tree
from sklearn.base import BaseEstimator
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

import hbscore
from support import connect_sqlite3, scored
from test_pipelines import COLUMNS, FATES, FRAME, NUMBERS, ROWS, TEXTS

VERSION = tuple(int(part) for part in sklearn.__version__.split(".")[:2])


def numbers(n: int = 300, f: int = 4, missing: float = 0.1) -> Any:
    rng = numpy.random.RandomState(3)
    x = rng.randn(n, f)
    x[rng.rand(n, f) < missing] = numpy.nan
    return x


X = numbers()
FULL = numbers(missing=0.0)
Y = numpy.nan_to_num(X) @ [1.0, -0.5, 0.3, 0.0]
THREE = numpy.digitize(FULL[:, 0] - FULL[:, 1], [-0.5, 0.7])


class Ensembles(unittest.TestCase):
    def setUp(self) -> None:
        warnings.simplefilter("ignore")

    def register(self, model: Any, sample: Any) -> sqlite3.Connection:
        connection = connect_sqlite3()
        hbscore.register(connection, "m", model, sample=sample)
        return connection

    def same(self, model: Any, x: Any, relative: float = 0.0) -> sqlite3.Connection:
        """Predictions, raw scores and probabilities of all rows; golden rows pass too."""
        connection = self.register(model, x)
        got = scored(connection, "predict", "m", x)
        want = model.predict(x)
        if relative:
            numpy.testing.assert_allclose(got, want, rtol=relative)
        else:
            self.assertEqual(got, want.tolist())
        for function, method, bound in (
            ("decision_function", "decision_function", 0.0),
            ("predict_proba", "predict_proba", 1e-14),
        ):
            if hasattr(model, method):
                found = numpy.array(scored(connection, function, "m", x))
                wanted = numpy.asarray(getattr(model, method)(x)).reshape(len(found), -1)
                numpy.testing.assert_allclose(found, wanted, rtol=0, atol=bound)
        return connection

    def answer(self, connection: sqlite3.Connection, *row: Any) -> Any:
        marks = ", ".join("?" * len(row))
        return connection.execute("SELECT predict('m', %s)" % marks, row).fetchone()[0]


class Histograms(Ensembles):
    def test_losses(self) -> None:
        model = ensemble.HistGradientBoostingRegressor
        self.same(model(max_iter=20).fit(X, Y), X)
        self.same(model(max_iter=20, loss="absolute_error").fit(X, Y), X)
        self.same(model(max_iter=20, loss="quantile", quantile=0.1).fit(X, Y), X)
        self.same(model(max_iter=20, loss="poisson").fit(X, numpy.exp(Y)), X, 1e-14)
        if VERSION >= (1, 3):
            self.same(model(max_iter=20, loss="gamma").fit(X, numpy.exp(Y)), X, 1e-14)
        for target in (FATES[: len(X)], THREE):
            self.same(ensemble.HistGradientBoostingClassifier(max_iter=10).fit(X, target), X)

    def test_infinities_and_null_have_answers(self) -> None:
        model = ensemble.HistGradientBoostingRegressor(max_iter=20).fit(X, Y)
        connection = self.register(model, X)
        for row in ([None] * 4, [9e999, -9e999, 1e300, None]):
            x = numpy.array([[numpy.nan if v is None else v for v in row]])
            self.assertEqual(self.answer(connection, *row), model.predict(x)[0])

    @unittest.skipIf(VERSION < (1, 4), "categories are codes")
    def test_texts_are_categories(self) -> None:
        frame = FRAME.astype({c: "category" for c in TEXTS})
        for model, table in (
            (ensemble.HistGradientBoostingClassifier(max_iter=15, categorical_features=TEXTS), FRAME),
            (
                ensemble.HistGradientBoostingClassifier(
                    max_iter=15, categorical_features="from_dtype"
                ),
                frame,
            ),
        ):
            model.fit(table[COLUMNS], FATES)
            connection = connect_sqlite3()
            hbscore.register(connection, "m", model, sample=table)
            got = [self.answer(connection, *row) for row in ROWS]
            self.assertEqual(got, model.predict(table[COLUMNS]).tolist())
            for sex, port in (("other", "S"), (None, None), ("", "12")):
                row = [3, sex, 30.0, 0, 0, 8.0, port]
                asked = pandas.DataFrame([row], columns=COLUMNS)
                asked[TEXTS] = asked[TEXTS].astype(object).where(asked[TEXTS].notna(), numpy.nan)
                self.assertEqual(self.answer(connection, *row), model.predict(asked)[0])

    def test_categories_that_are_numbers(self) -> None:
        x = FRAME[NUMBERS].to_numpy()
        model = ensemble.HistGradientBoostingClassifier(max_iter=15, categorical_features=[2, 3])
        connection = self.same(model.fit(x, FATES), x)
        for v in (-1.0, -0.5, 0.5, 77.0, 255.0):
            row = [30.0, 10.0, v, 0.0]
            self.assertEqual(self.answer(connection, *row), model.predict([row])[0])

    def test_a_search_and_early_stopping(self) -> None:
        model = ensemble.HistGradientBoostingRegressor(max_iter=60, early_stopping=True)
        search = GridSearchCV(model, {"max_leaf_nodes": [4, 8]}, cv=2).fit(X, Y)
        self.same(search, X)
        self.same(make_pipeline(SimpleImputer(), model).fit(X, Y), X)


class Outliers(Ensembles):
    def test_labels_are_those_of_the_library(self) -> None:
        for options in (
            {},
            {"contamination": 0.1, "max_samples": 50},
            {"max_features": 2, "bootstrap": True},
            {"max_samples": 1},
        ):
            model = ensemble.IsolationForest(n_estimators=20, random_state=1, **options).fit(FULL)
            connection = self.register(model, FULL)
            got = scored(connection, "predict", "m", FULL)
            self.assertEqual(got, model.predict(FULL).tolist())
            raw = numpy.ravel(scored(connection, "decision_function", "m", FULL))
            numpy.testing.assert_allclose(raw, model.decision_function(FULL), rtol=0, atol=1e-15)
            samples = model.score_samples(FULL)
            numpy.testing.assert_allclose(raw + model.offset_, samples, rtol=1e-14)

    def test_every_row_on_the_border(self) -> None:
        """The offset is a row's own score: that row is inside, to the last bit."""
        model = ensemble.IsolationForest(n_estimators=10, max_samples=16, random_state=1).fit(FULL)
        scores = model.score_samples(FULL)
        for i in range(0, 60, 4):
            model.offset_ = scores[i]
            connection = self.register(model, FULL)
            self.assertEqual(scored(connection, "predict", "m", FULL), model.predict(FULL).tolist())
            self.assertEqual(self.answer(connection, *FULL[i]), 1)

    def test_in_a_pipeline(self) -> None:
        forest = ensemble.IsolationForest(n_estimators=10, random_state=1)
        self.register(make_pipeline(SimpleImputer(), forest).fit(X), X)

    def test_missing_values(self) -> None:
        model = ensemble.IsolationForest(n_estimators=10, random_state=1)
        row = (None, 1.0, 1.0, 9e999)
        if VERSION < (1, 6):
            self.assertIsNone(self.answer(self.register(model.fit(FULL), FULL), *row))
            return
        x = numpy.array([[numpy.nan, 1.0, 1.0, numpy.inf]])
        connection = self.register(model.fit(X), X)
        self.assertEqual(self.answer(connection, *row), model.predict(x)[0])


class SparseMatrices(Ensembles):
    """What the library answers, and what it refuses, where a step before hands on a sparse matrix."""

    def pipeline(self, model: Any, threshold: float) -> Any:
        steps = [("word", OneHotEncoder(handle_unknown="ignore"), ["word"])]
        columns = ColumnTransformer(steps, remainder="passthrough", sparse_threshold=threshold)
        return make_pipeline(columns, model)

    def frame(self, x: Any) -> Any:
        frame = pandas.DataFrame(x[:, :3], columns=["a", "b", "c"])
        return frame.assign(word=numpy.array(["x", "y", "zz", "w"])[numpy.arange(len(x)) % 4])

    def answers(self, model: Any, rows: Any) -> List[Any]:
        """The library's, row by row; None where it refuses the row."""
        found: List[Any] = []
        for i in range(len(rows)):
            try:
                found.append(model.predict(rows.iloc[[i]]).tolist()[0])
            except ValueError:
                found.append(None)
        return found

    def test_missing_and_infinite_numbers(self) -> None:
        odd = numpy.array([numpy.nan, numpy.inf, -numpy.inf, 1e300, 0.0])
        x = FULL[:120].copy()
        for i in range(60):
            x[i, i % 3] = odd[i % 5]
        rows = self.frame(x)
        models = [
            (ensemble.IsolationForest, {"max_features": 1.0}),
            (ensemble.IsolationForest, {"max_features": 3}),
            (ensemble.RandomForestClassifier, {}),
            (ensemble.ExtraTreesClassifier, {}),
            (ensemble.BaggingClassifier, {}),
            (ensemble.AdaBoostClassifier, {"estimator": tree.DecisionTreeClassifier(max_depth=4)}),
            (ensemble.GradientBoostingClassifier, {}),
            (tree.DecisionTreeClassifier, {}),
            (tree.ExtraTreeClassifier, {}),
            (linear_model.LogisticRegression, {}),
        ]
        for kind, options in models:
            for missing in (True, False):  # in training
                train = self.frame(X if missing else FULL)
                for threshold in (0.0, 1.0):
                    model = kind(**options)
                    for name, value in (("random_state", 1), ("n_estimators", 6)):
                        if name in model.get_params():
                            model.set_params(**{name: value})
                    model = self.pipeline(model, threshold)
                    try:
                        model.fit(train, THREE)
                    except ValueError:
                        continue  # it takes no NaN
                    with self.subTest(kind.__name__, missing=missing, sparse=threshold):
                        connection = self.register(model, train)
                        got = scored(connection, "predict", "m", rows)
                        self.assertEqual(got, self.answers(model, rows))


class AdaBoost(Ensembles):
    def algorithms(self) -> List[Any]:
        return [{"algorithm": a} for a in ("SAMME", "SAMME.R")] if VERSION < (1, 6) else [{}]

    def test_classifiers(self) -> None:
        for options in self.algorithms():
            for target in (THREE, THREE > 1):
                for base in (None, tree.DecisionTreeClassifier(max_depth=3)):
                    model = ensemble.AdaBoostClassifier(base, n_estimators=12, **options)
                    self.same(model.fit(FULL, target), FULL)

    def test_regressors(self) -> None:
        for loss in ("linear", "square", "exponential"):
            model = ensemble.AdaBoostRegressor(n_estimators=30, loss=loss, random_state=1)
            connection = self.same(model.fit(FULL, Y), FULL)
        self.assertIsNone(self.answer(connection, None, 1, 1, 1))
        self.assertIsNone(self.answer(connection, 9e999, 1, 1, 1))

    def test_the_median_of_many(self) -> None:
        """More than have room on a stack."""
        model = ensemble.AdaBoostRegressor(tree.DecisionTreeRegressor(max_depth=1), n_estimators=40, random_state=1).fit(FULL, Y)
        order = numpy.random.RandomState(1).randint(0, len(model.estimators_), size=1500)
        model.estimators_ = [model.estimators_[i] for i in order]
        model.estimator_weights_ = numpy.random.RandomState(2).rand(1500)
        self.same(model, FULL)

    def test_weights_that_are_not_finite(self) -> None:
        model = ensemble.AdaBoostRegressor(n_estimators=4, random_state=1).fit(FULL, Y)
        for weights in ([0.5, numpy.inf, 1.0, numpy.inf], [1.7e308, numpy.inf, 1.7e308, 1.0], [1.0, 1.0, numpy.nan, 1.0]):
            model.estimator_weights_ = numpy.array(weights)
            self.same(model, FULL)


class Starts(Ensembles):
    def test_boosting_that_starts_from_another_model(self) -> None:
        model = ensemble.GradientBoostingRegressor
        forest = ensemble.RandomForestRegressor(5, random_state=1)
        histogram = ensemble.HistGradientBoostingRegressor(max_iter=5)
        for init in (forest, histogram, make_pipeline(SimpleImputer(), forest)):
            connection = self.same(model(init=init, n_estimators=10).fit(FULL, Y), FULL)
            self.assertIsNone(self.answer(connection, None, 1, 1, 1))  # boosting itself takes no NaN
            self.assertIsNone(self.answer(connection, 1e39, 1, 1, 1))
        init = linear_model.LinearRegression()
        self.same(model(init=init, n_estimators=10).fit(FULL, Y), FULL, 1e-5)


class Refusals(Ensembles):
    def refused(self, model: Any, *words: str) -> None:
        with self.assertRaises(hbscore.UnsupportedModel) as caught:
            hbscore.export(model)
        for word in words:
            self.assertIn(word, str(caught.exception))

    def test_spoiled_attributes(self) -> None:
        model = ensemble.AdaBoostClassifier(n_estimators=2).fit(FULL, THREE)
        for weights, words in (
            (numpy.zeros(2), "sum to 0.0"),
            (numpy.ones(1), "fewer than its trees"),
            (numpy.array([1.0, -0.5]), "negative"),
            (numpy.array([1.0, numpy.nan]), "sum to nan"),
        ):
            model.estimator_weights_ = weights
            if getattr(model, "algorithm", "") == "SAMME.R" and words != "sum to 0.0":
                continue
            self.refused(model, "AdaBoostClassifier", words)
        model = ensemble.HistGradientBoostingRegressor(max_iter=2).fit(X, Y)
        model._loss = object()
        self.refused(model, "HistGradientBoostingRegressor with the link NoneType is not supported")
        classifier = ensemble.HistGradientBoostingClassifier(max_iter=2).fit(X, THREE)
        classifier._loss = object()
        self.refused(classifier, "HistGradientBoostingClassifier with the loss object")
        classifier = ensemble.HistGradientBoostingClassifier(max_iter=2).fit(X, THREE)
        classifier._predictors[1].pop()
        self.refused(classifier, "has 2 trees a round, expected 3")
        self.refused(ensemble.IsolationForest(), "IsolationForest", "is it fitted?")

    def test_texts_that_are_no_category(self) -> None:
        model = ensemble.HistGradientBoostingClassifier(max_iter=2).fit(FRAME[NUMBERS], FATES)
        spoiled = FRAME[NUMBERS].assign(age="old")
        with self.assertRaisesRegex(hbscore.UnsupportedModel, "not among its categorical_features"):
            hbscore.export(model, spoiled)


if __name__ == "__main__":
    unittest.main()
