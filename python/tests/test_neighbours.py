"""Nearest neighbours, clusters and mixtures: as parts of others, in a database, and what is refused by name."""

from __future__ import annotations

import json
import unittest
from typing import Any

import numpy
import pandas
from sklearn.cluster import KMeans
from sklearn.ensemble import BaggingClassifier, StackingClassifier, VotingClassifier
from sklearn.experimental import enable_iterative_imputer  # noqa: F401
from sklearn.impute import IterativeImputer, KNNImputer
from sklearn.linear_model import LogisticRegression
from sklearn.manifold import Isomap
from sklearn.mixture import GaussianMixture
from sklearn.neighbors import KernelDensity, KNeighborsClassifier, KNeighborsRegressor, LocalOutlierFactor
from sklearn.neighbors import KNeighborsTransformer, RadiusNeighborsClassifier, RadiusNeighborsRegressor
from sklearn.neighbors import RadiusNeighborsTransformer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from support import ask, connect_sqlite3

import hbscore

RANDOM = numpy.random.default_rng(11)
NUMBERS = pandas.DataFrame(RANDOM.normal(size=(120, 3)), columns=["a", "b", "c"])
CLASSES = numpy.array(["low", "middle", "high"])[(NUMBERS.a + NUMBERS.b > 0).astype(int) + (NUMBERS.c > 0.5)]


class InDatabases(unittest.TestCase):
    def verified(self, model: Any) -> Any:
        connection = connect_sqlite3()
        hbscore.register(connection, "m", model, sample=NUMBERS)
        self.assertEqual(ask(connection, "SELECT min(ok) FROM hbscore_verify('m')"), 1)
        return connection

    def test_a_classifier_alone_and_inside_others(self) -> None:
        near = KNeighborsClassifier(4, weights="distance")
        parts = [("near", near), ("line", LogisticRegression())]
        for model in (
            make_pipeline(StandardScaler(), near),
            VotingClassifier(parts, voting="soft"),
            VotingClassifier(parts),
            StackingClassifier(parts),
            BaggingClassifier(near, n_estimators=3, max_features=2, random_state=1),
        ):
            with self.subTest(type(model).__name__):
                self.verified(model.fit(NUMBERS, CLASSES))

    def test_clusters_are_numbers_and_distances(self) -> None:
        model = KMeans(3, n_init=1, random_state=1).fit(NUMBERS.to_numpy())
        connection = connect_sqlite3()
        hbscore.register(connection, "m", model, sample=NUMBERS.to_numpy())
        row = NUMBERS.iloc[5].tolist()
        label = model.predict(NUMBERS.to_numpy())[5]
        self.assertEqual(ask(connection, "SELECT predict('m', ?, ?, ?)", *row), label)
        self.assertEqual(ask(connection, "SELECT json_array_length(transform('m', ?, ?, ?))", *row), 3)

    def test_without_neighbours_a_number_is_missing(self) -> None:
        far = pandas.DataFrame([[99.0, 99.0, 99.0]], columns=NUMBERS.columns)
        model = RadiusNeighborsRegressor(0.5).fit(NUMBERS, NUMBERS.a)
        self.assertTrue(numpy.isnan(model.predict(far)[0]))
        self.assertIsNone(ask(self.verified(model), "SELECT predict('m', 99, 99, 99)"))
        model.fit(NUMBERS, (9 * NUMBERS.a).astype("int64"))
        with self.assertWarnsRegex(RuntimeWarning, "invalid value encountered in cast"):
            model.predict(far)
        self.assertIsNone(ask(self.verified(model), "SELECT predict('m', 99, 99, 99)"))

    def test_components_are_classes(self) -> None:
        connection = self.verified(GaussianMixture(2, random_state=1).fit(NUMBERS))
        row = NUMBERS.iloc[0].tolist()
        self.assertIn(ask(connection, "SELECT predict('m', ?, ?, ?)", *row), (0, 1))

    def test_several_outputs(self) -> None:
        targets = numpy.column_stack([CLASSES, numpy.where(NUMBERS.a > 0, "yes", "no")])
        for model in (
            KNeighborsClassifier(4),
            KNeighborsClassifier(4, weights="distance"),
            RadiusNeighborsClassifier(1.2, outlier_label=["low", "no"]),
        ):
            model.fit(NUMBERS, targets)
            connection = self.verified(model)
            for row in NUMBERS.iloc[:9].to_numpy() + 0.01:
                found = json.loads(ask(connection, "SELECT predict_json('m', ?, ?, ?)", *row.tolist()))
                self.assertEqual(found["prediction"], model.predict([row])[0].tolist())

    def test_graphs_of_neighbours(self) -> None:
        """Also of more rows than a transform has columns."""
        many = pandas.DataFrame(RANDOM.normal(size=(20000, 2)), columns=["a", "b"])
        near = make_pipeline(KNeighborsTransformer(n_neighbors=5), KNeighborsRegressor(3, metric="precomputed"))
        near.fit(many, many.a)
        connection = connect_sqlite3()
        hbscore.register(connection, "many", near)
        found = [ask(connection, "SELECT predict('many', ?, ?)", *row) for row in NUMBERS.iloc[:9, :2].values.tolist()]
        self.assertEqual(found, near.predict(NUMBERS.iloc[:9, :2]).tolist())
        for transformer, model in (
            (KNeighborsTransformer(n_neighbors=6), KNeighborsClassifier(4, weights="distance", metric="precomputed")),
            (KNeighborsTransformer(n_neighbors=6), RadiusNeighborsClassifier(2.5, metric="precomputed")),
            (RadiusNeighborsTransformer(radius=9), KNeighborsClassifier(4, metric="precomputed")),
        ):
            with self.subTest(type(transformer).__name__ + type(model).__name__):
                self.verified(make_pipeline(transformer, model).fit(NUMBERS, CLASSES))

    def test_outliers(self) -> None:
        self.verified(LocalOutlierFactor(novelty=True).fit(NUMBERS))

    def test_metrics(self) -> None:
        """By all rows, so that no chance decides between equal distances."""
        count, marks = len(NUMBERS), NUMBERS.where(NUMBERS.abs() > 0.5, 0.0).assign(c=NUMBERS.c)
        for metric in ("yule", "russellrao", "jaccard", "dice", "sokalsneath", "cosine", "braycurtis"):
            for model in (
                KNeighborsRegressor(count, metric=metric, weights="distance"),
                RadiusNeighborsRegressor(1.5, metric=metric, weights="distance"),
            ):
                with self.subTest(metric, model=type(model).__name__):
                    self.verified(model.fit(marks, NUMBERS.a))

    def test_places_on_a_sphere(self) -> None:
        """Also of more rows than distances in columns may have."""
        many = pandas.DataFrame(RANDOM.uniform(-1.5, 1.5, size=(25000, 2)), columns=["a", "b"])
        near = KNeighborsRegressor(3, metric="haversine", weights="distance").fit(many, many.a)
        connection = connect_sqlite3()
        hbscore.register(connection, "many", near)
        for row in numpy.vstack([many.to_numpy()[:3], NUMBERS.to_numpy()[:9, :2]]):
            found = ask(connection, "SELECT predict('many', ?, ?)", *row.tolist())
            self.assertAlmostEqual(found, near.predict(pandas.DataFrame([row], columns=many.columns))[0], 12)
        within = RadiusNeighborsRegressor(0.1, metric="haversine").fit(many, many.a)
        with self.assertRaisesRegex(hbscore.UnsupportedModel, "more than 20000 rows and metric=haversine"):
            hbscore.export(within)

    def test_missing_numbers_near_others(self) -> None:
        gaps = NUMBERS.mask(RANDOM.random(NUMBERS.shape) < 0.2)
        near = KNeighborsRegressor(4, metric="nan_euclidean", weights="distance").fit(gaps, NUMBERS.a)
        connection = connect_sqlite3()
        hbscore.register(connection, "m", near)
        row = pandas.DataFrame([[numpy.nan, 0.25, numpy.nan]], columns=NUMBERS.columns)
        self.assertAlmostEqual(ask(connection, "SELECT predict('m', NULL, 0.25, NULL)"), near.predict(row)[0], 9)
        self.assertIsNone(ask(connection, "SELECT predict('m', NULL, NULL, NULL)"))
        self.assertIsNone(ask(connection, "SELECT predict('m', NULL, 9e999, NULL)"))

    def test_isomap(self) -> None:
        model = make_pipeline(Isomap(n_neighbors=6), LogisticRegression()).fit(NUMBERS, CLASSES)
        self.verified(model)
        self.verified(make_pipeline(Isomap(n_neighbors=None, radius=9), LogisticRegression()).fit(NUMBERS, CLASSES))


class Imputers(unittest.TestCase):
    """What is missing in a row comes from the nearest rows, or from a chain of regressors."""

    def setUp(self) -> None:
        self.gaps = NUMBERS.mask(RANDOM.random(NUMBERS.shape) < 0.2)

    def test_in_a_pipeline(self) -> None:
        for imputer in (KNNImputer(n_neighbors=3, weights="distance"), IterativeImputer(max_iter=2, random_state=1)):
            with self.subTest(type(imputer).__name__):
                model = make_pipeline(imputer, LogisticRegression()).fit(self.gaps, CLASSES)
                connection = connect_sqlite3()
                hbscore.register(connection, "m", model, sample=self.gaps[self.gaps.notna().any(axis=1)])
                self.assertEqual(ask(connection, "SELECT min(ok) FROM hbscore_verify('m')"), 1)
                label = ask(connection, "SELECT predict('m', NULL, 0.5, NULL)")
                row = pandas.DataFrame([[numpy.nan, 0.5, numpy.nan]], columns=NUMBERS.columns)
                self.assertEqual(label, model.predict(row)[0])

    def test_what_is_refused(self) -> None:
        for imputer, words in (
            (IterativeImputer(sample_posterior=True, max_iter=1), "draws random numbers"),
            (KNNImputer(metric=lambda a, b, **more: 1.0), "a function as metric or weights"),
            (KNNImputer(n_neighbors=201), "n_neighbors=201 is not supported: it may be 1 to 200"),
        ):
            with self.subTest(words), self.assertRaisesRegex(hbscore.UnsupportedModel, words):
                hbscore.export(imputer.fit(self.gaps))


class Refusals(unittest.TestCase):
    def refused(self, model: Any, words: str) -> None:
        with self.assertRaisesRegex(hbscore.UnsupportedModel, words):
            hbscore.export(model)

    def test_metrics_and_weights(self) -> None:
        for options, words in (
            ({"metric": lambda a, b: abs(a - b).sum()}, "a function as metric"),
            ({"weights": lambda d: 1 / (1 + d)}, "a function as weights"),
        ):
            with self.subTest(words):
                self.refused(KNeighborsClassifier(**options).fit(NUMBERS, CLASSES), words)

    def test_precomputed_distances(self) -> None:
        near, links = KNeighborsTransformer(n_neighbors=6), RadiusNeighborsTransformer(radius=9, mode="connectivity")
        model = KNeighborsClassifier(4, metric="precomputed")
        for steps, words in (
            ((near, StandardScaler(with_mean=False), model), "a sparse matrix that is no step's graph of neighbours"),
            ((links, model), "all neighbours are equally far"),
        ):
            with self.subTest(words):
                self.refused(make_pipeline(*steps).fit(NUMBERS, CLASSES), words)
        with self.assertRaisesRegex(hbscore.UnsupportedModel, "takes 4 neighbours and gets 3"):
            fitted = make_pipeline(near, model).fit(NUMBERS, CLASSES)
            fitted[0].set_params(n_neighbors=2)
            hbscore.export(fitted)

    def test_labels(self) -> None:
        model = RadiusNeighborsClassifier(outlier_label="none").fit(NUMBERS, CLASSES)
        self.refused(model, "outlier_label='none', which is none of the classes")

    def test_too_many_neighbours(self) -> None:
        model = KNeighborsRegressor(200).fit(NUMBERS, NUMBERS.a)
        self.refused(model, "n_neighbors=200 is not supported: of 120 rows it may be 1 to 120")

    def test_what_predicts_nothing(self) -> None:
        self.refused(LocalOutlierFactor().fit(NUMBERS), "novelty=False predicts nothing of other rows")
        self.refused(KernelDensity().fit(NUMBERS), "KernelDensity of sklearn.neighbors.* is not supported")


if __name__ == "__main__":
    unittest.main()
