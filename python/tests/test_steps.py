"""Estimators that predict, as steps in the middle of a pipeline and as branches of a union: what they transform."""

from __future__ import annotations

import os
import sys
import unittest
from typing import Any

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "../src"), HERE]

try:
    import numpy as np
    import pandas as pd
    import sklearn
except ImportError as e:
    raise unittest.SkipTest("needs numpy, pandas and scikit-learn: %s" % e) from e

from export_case import ExportCase
from own_format_reference import evaluate, parse
from sklearn import linear_model, tree
from sklearn.cluster import KMeans
from sklearn.compose import ColumnTransformer, make_column_transformer
from sklearn.decomposition import PCA, KernelPCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.ensemble import BaggingClassifier, RandomTreesEmbedding, StackingClassifier, StackingRegressor, VotingClassifier, VotingRegressor
from sklearn.isotonic import IsotonicRegression
from sklearn.manifold import Isomap
from sklearn.model_selection import GridSearchCV
from sklearn.multioutput import ClassifierChain
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, PolynomialFeatures, SplineTransformer, StandardScaler

from hbscore.export import export

VERSION = tuple(int(part) for part in sklearn.__version__.split(".")[:2])
X = np.random.RandomState(3).randn(80, 4)
CLASSES = np.digitize(X[:, 0] + 0.5 * X[:, 1], [-0.5, 0.5])
Y = X[:, 0] - X[:, 2]
WORDS = np.array(["no", "yes", "perhaps"])[CLASSES]


def classifiers() -> Any:
    return [("bayes", GaussianNB()), ("tree", tree.DecisionTreeClassifier(max_depth=3, random_state=0))]


def regressors() -> Any:
    return [("line", linear_model.Ridge()), ("tree", tree.DecisionTreeRegressor(max_depth=3, random_state=0))]


class StepTest(ExportCase):
    def same(self, model: Any, y: Any, x: Any = X) -> Any:
        """The step before another one, which says what it gets."""
        whole = make_pipeline(model, FunctionTransformer()).fit(x, y)
        answers = evaluate(export(whole, x), np.asarray(x))
        self.assertFalse(answers.transform_null.any())
        want = np.asarray(whole.transform(x), dtype=np.float64).reshape(len(x), -1)
        np.testing.assert_allclose(answers.transform, want, rtol=1e-12, atol=1e-12)
        return answers


class Votes(StepTest):
    def test_probabilities_side_by_side(self) -> None:
        for y in (CLASSES, WORDS, CLASSES > 0):
            for weights in (None, [2, 1]):
                self.same(VotingClassifier(classifiers(), voting="soft", weights=weights), y)

    def test_labels(self) -> None:
        """Their numbers, also where they are texts."""
        for y in (CLASSES, WORDS, CLASSES * 2 + 3):
            self.same(VotingClassifier([*classifiers(), ("ridge", linear_model.RidgeClassifier())]), y)

    def test_regressors(self) -> None:
        self.same(VotingRegressor([*regressors(), ("gone", "drop")]), Y)

    def test_three_dimensions(self) -> None:
        model = VotingClassifier(classifiers(), voting="soft").fit(X, CLASSES)
        whole = make_pipeline(model, StandardScaler())
        whole[-1].fit(model.transform(X))
        export(whole)
        model.set_params(flatten_transform=False)
        self.refused(whole, "with flatten_transform=False gives a table of three dimensions")

    def test_the_model_itself_predicts(self) -> None:
        for model, y in ((VotingClassifier(classifiers()), CLASSES), (StackingRegressor(regressors()), Y)):
            self.assertNotIn("transform", parse(export(model.fit(X, y))))


class Stacks(StepTest):
    def test_answers_side_by_side(self) -> None:
        final = linear_model.LogisticRegression()
        for passthrough in (False, True):
            for y in (WORDS, CLASSES > 0):
                self.same(StackingClassifier(classifiers(), final, passthrough=passthrough), y)
            self.same(StackingRegressor(regressors(), passthrough=passthrough), Y)

    def test_in_front_of_a_model(self) -> None:
        union = FeatureUnion([("same", "passthrough"), ("stack", StackingClassifier(classifiers(), GaussianNB()))])
        model = make_pipeline(union, tree.DecisionTreeClassifier(max_depth=4, random_state=0)).fit(X, WORDS)
        answers = evaluate(export(model), X)
        self.assertEqual(answers.predict.tolist(), model.predict(X).tolist())


    def test_texts_pass(self) -> None:
        """Behind the answers, in one table of objects."""
        frame = pd.DataFrame({"age": X[:, 0], "plan": WORDS.astype(object)})
        words = make_column_transformer((OneHotEncoder(), ["plan"]), ("passthrough", ["age"]))
        final = make_pipeline(make_column_transformer((OneHotEncoder(), [2]), ("passthrough", [0, 1])), GaussianNB())
        parts = [("words", make_pipeline(words, linear_model.LogisticRegression()))]
        model = StackingClassifier(parts, final, passthrough=True).fit(frame, CLASSES > 0)
        cells = frame.to_numpy(dtype=object)
        for sample in (None, frame):
            answers = evaluate(export(model, sample), cells)
            np.testing.assert_allclose(answers.probabilities, model.predict_proba(frame), rtol=1e-9, atol=1e-12)


class Lines(StepTest):
    @unittest.skipIf(VERSION < (1, 3), "its names are of 1.3")
    def test_isotonic(self) -> None:
        """It gives one dimension, which scikit-learn's steps take as a DataFrame only."""
        frame = pd.DataFrame(X, columns=list("abcd"))
        parts = [("line", IsotonicRegression(out_of_bounds="clip"), ["a"])]
        columns = ColumnTransformer(parts, remainder="passthrough").set_output(transform="pandas")
        self.same(columns, Y, frame)


class Last(StepTest):
    """A pipeline, a search or a frozen estimator transforms as its last step does."""

    def test_of_a_pipeline(self) -> None:
        for last in (KMeans(3, n_init=1, random_state=0), LinearDiscriminantAnalysis(), VotingClassifier(classifiers())):
            nested = make_pipeline(StandardScaler(), last)
            self.same(FeatureUnion([("same", "passthrough"), ("nested", nested)]), CLASSES)
            self.same(ColumnTransformer([("nested", nested, [0, 2])]), CLASSES)
        self.same(make_pipeline(StandardScaler(), "passthrough"), CLASSES)

    def test_of_a_search(self) -> None:
        self.same(GridSearchCV(KMeans(2, n_init=1, random_state=0), {"n_clusters": [2, 3]}, cv=2), CLASSES)

    @unittest.skipIf(VERSION < (1, 6), "FrozenEstimator is of 1.6")
    def test_of_a_frozen_one(self) -> None:
        from sklearn.frozen import FrozenEstimator

        self.same(FrozenEstimator(KMeans(2, n_init=1, random_state=0).fit(X)), CLASSES)

    def test_what_has_no_transform(self) -> None:
        model = make_pipeline(make_pipeline(StandardScaler(), linear_model.Ridge()), StandardScaler())
        model[0].fit(X, Y)
        self.refused(model, "pipeline step 'pipeline', pipeline step 'ridge': Ridge has no transform")


class Chains(ExportCase):
    def test_of_more_than_two_classes(self) -> None:
        y = np.stack([CLASSES * 2 + 3, (X[:, 2] > 0).astype(int), (CLASSES + 1) % 3], axis=1)
        for base in (GaussianNB(), linear_model.RidgeClassifier(), tree.DecisionTreeClassifier(max_depth=3)):
            model = ClassifierChain(base, order=[1, 2, 0]).fit(X, y)
            answers = evaluate(export(model), X)
            np.testing.assert_array_equal(answers.predict, model.predict(X))
            if hasattr(base, "predict_proba"):
                first = model.estimators_[0].predict_proba(X)
                np.testing.assert_allclose(answers.probabilities[:, 3:5], first, rtol=1e-9, atol=1e-12)
                np.testing.assert_allclose(answers.probabilities.sum(axis=1), 3.0)

    @unittest.skipIf(VERSION < (1, 5), "chain_method is of 1.5")
    def test_by_logarithms(self) -> None:
        y = np.stack([X[:, 0] > 0, X[:, 1] + X[:, 2] > 0, X[:, 3] > 0], axis=1).astype(int)
        searched = GridSearchCV(GaussianNB(), {"var_smoothing": [0.1]}, cv=2)
        for base in (
            GaussianNB(),
            linear_model.LogisticRegression(),
            LinearDiscriminantAnalysis(),
            QuadraticDiscriminantAnalysis(),
            make_pipeline(StandardScaler(), searched),
            BaggingClassifier(linear_model.LogisticRegression(), n_estimators=3, random_state=0),
        ):
            model = ClassifierChain(base, order=[1, 2, 0], chain_method="predict_log_proba").fit(X, y)
            answers = evaluate(export(model), X)
            np.testing.assert_allclose(answers.probabilities, model.predict_proba(X), rtol=1e-9, atol=1e-12)
        model = ClassifierChain(BaggingClassifier(GaussianNB()), chain_method="predict_log_proba").fit(X, y)
        self.refused(model, "with chain_method=predict_log_proba of a BaggingClassifier is not supported")

    def test_what_is_refused(self) -> None:
        model = ClassifierChain(GaussianNB()).fit(X, np.stack([CLASSES, CLASSES], axis=1))
        model.chain_method_ = "predict_proba"
        self.refused(model, "with chain_method=predict_proba of a target of 3 classes predicts nothing")


class Overflows(ExportCase):
    """Numbers that steps make infinite, or NaN."""

    HUGE = np.array([[1e300, 0.0, 1e300, 1e300], [1e300, 0.0, -1e300, 1.0], [0.5, 0.25, 0.0, 1.0]])

    def test_a_kernel(self) -> None:
        for kernel, nulls in (("poly", [True, True, False]), ("rbf", [False, False, False])):
            model = KernelPCA(2, kernel=kernel, gamma=0.1).fit(X)
            self.assertEqual(evaluate(export(model), self.HUGE).transform_null.tolist(), nulls)
            for row, null in zip(self.HUGE, nulls):
                if null:
                    with self.assertRaises(ValueError):
                        model.transform([row])

    @unittest.skipIf(VERSION < (1, 6), "trees of a random splitter take NaN since 1.6")
    def test_number_by_number(self) -> None:
        """NaN of products and splines goes on to what takes it; infinities do not, but to histograms."""
        for first in (PolynomialFeatures(3), SplineTransformer(3, degree=2, extrapolation="continue")):
            model = make_pipeline(first, RandomTreesEmbedding(2, max_depth=3, random_state=0), linear_model.Ridge()).fit(X, Y)
            answers = evaluate(export(model), self.HUGE)
            for row, null, answer in zip(self.HUGE, answers.null, answers.predict):
                if not null:
                    np.testing.assert_allclose(model.predict([row]), answer)
            self.assertFalse(answers.null.all())

    def test_sums(self) -> None:
        """Their NaN depends on an order: the row has no result."""
        model = make_pipeline(PCA(2), tree.DecisionTreeRegressor(max_depth=3)).fit(X, Y)
        huge = np.full((1, 4), 1.7e308) * [1, -1, 1, -1]
        self.assertEqual(evaluate(export(model), huge).null.tolist(), [True])


class Ways(ExportCase):
    """Isomap by radius."""

    def test_shortest_ways(self) -> None:
        for options in ({}, {"metric": "manhattan"}, {"metric": "minkowski", "p": 3}, {"metric": "cosine", "radius": 0.4}):
            model = Isomap(**{"n_neighbors": None, "radius": 1.7, **options}).fit(X)
            answers = evaluate(export(model), X)
            self.assertFalse(answers.transform_null.any())
            np.testing.assert_allclose(answers.transform, model.transform(X), rtol=1e-8, atol=1e-9)

    def test_precomputed(self) -> None:
        apart = np.abs(X[:, :1] - X[:, 0])
        model = Isomap(n_neighbors=None, radius=0.5, metric="precomputed").fit(apart)
        np.testing.assert_allclose(evaluate(export(model), apart).transform, model.transform(apart), rtol=1e-8, atol=1e-9)

    def test_far_from_all(self) -> None:
        model = Isomap(n_neighbors=None, radius=1.7).fit(X)
        self.assertEqual(evaluate(export(model), np.array([X[0], X[0] + 99.0])).transform_null.tolist(), [False, True])
        with self.assertRaises(ValueError):
            model.transform(X[:1] + 99.0)


if __name__ == "__main__":
    unittest.main()
