"""Estimators that predict and transform, and what projections refuse."""

from __future__ import annotations

import json
import unittest
from typing import Any

import numpy
import pandas
from sklearn.cluster import FeatureAgglomeration
from sklearn.cross_decomposition import PLSRegression
from sklearn.decomposition import NMF, DictionaryLearning, LatentDirichletAllocation, SparseCoder
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.feature_extraction.text import HashingVectorizer, TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from support import ask, connect_sqlite3

import hbscore

RANDOM = numpy.random.default_rng(7)
NUMBERS = pandas.DataFrame(RANDOM.normal(size=(90, 4)), columns=["a", "b", "c", "d"])
CLASSES = numpy.array(["low", "middle", "high"])[(NUMBERS.a + NUMBERS.b > 0).astype(int) + (NUMBERS.c > 0.5)]


class BothMethods(unittest.TestCase):
    def answers(self, model: Any) -> Any:
        """Registers the model; its own answers are checked by hbscore_verify."""
        connection = connect_sqlite3()
        hbscore.register(connection, "m", model, sample=NUMBERS)
        self.assertEqual(ask(connection, "SELECT min(ok) FROM hbscore_verify('m')"), 1)
        row = NUMBERS.iloc[0].tolist()
        return connection, json.loads(ask(connection, "SELECT transform('m', ?, ?, ?, ?)", *row)), row

    def near(self, got: Any, want: Any) -> None:
        numpy.testing.assert_allclose(got, want, rtol=1e-9, atol=1e-12)

    def test_the_transform_is_that_of_the_last_step(self) -> None:
        model = make_pipeline(StandardScaler(), LinearDiscriminantAnalysis()).fit(NUMBERS, CLASSES)
        connection, transform, row = self.answers(model)
        self.near(transform, model.transform(NUMBERS.head(1))[0])
        self.assertEqual(ask(connection, "SELECT predict('m', ?, ?, ?, ?)", *row), model.predict(NUMBERS.head(1))[0])

    def test_a_last_step_without_one_leaves_that_of_the_steps_before_it(self) -> None:
        model = make_pipeline(StandardScaler(), LinearDiscriminantAnalysis(solver="lsqr")).fit(NUMBERS, CLASSES)
        _, transform, _ = self.answers(model)
        self.near(transform, model[:-1].transform(NUMBERS.head(1))[0])

    def test_a_regressor_by_itself(self) -> None:
        model = PLSRegression(n_components=2).fit(NUMBERS, NUMBERS.a * 2 - NUMBERS.d)
        _, transform, _ = self.answers(model)
        self.near(transform, model.transform(NUMBERS.head(1))[0])

    def test_a_document_without_words_and_a_prior_of_0(self) -> None:
        """Its topics are NaN in scikit-learn; a negative count is refused."""
        counts = RANDOM.poisson(1.5, size=(40, 4)).astype(float)
        model = LatentDirichletAllocation(3, doc_topic_prior=0.0, max_iter=3, random_state=0).fit(counts)
        connection = connect_sqlite3()
        hbscore.register(connection, "topics", model)
        question = "SELECT transform('topics', ?, ?, ?, ?)"
        self.assertEqual(json.loads(ask(connection, question, 0, 0, 0, 0)), [None] * 3)
        self.near(json.loads(ask(connection, question, 1, 0, 2, 0)), model.transform([[1, 0, 2, 0]])[0])
        self.assertIsNone(ask(connection, question, -1, 0, 2, 0))

    def test_paths_of_codes(self) -> None:
        for options in (
            {"transform_algorithm": "lars", "transform_n_nonzero_coefs": 2},
            {"transform_algorithm": "lars", "transform_n_nonzero_coefs": 9},
            {"transform_algorithm": "lasso_lars", "transform_alpha": 0.0},
            {"transform_algorithm": "lasso_lars", "transform_alpha": 0.1, "positive_code": True},
        ):
            with self.subTest(**options):
                atoms = numpy.random.RandomState(1).randn(4, 4)
                _, transform, row = self.answers(SparseCoder(atoms, **options).fit(NUMBERS))
                self.near(transform, SparseCoder(atoms, **options).transform([row])[0])

    def test_how_far_columns_are_apart(self) -> None:
        for pooling in (numpy.std, numpy.var, numpy.ptp):
            model = FeatureAgglomeration(n_clusters=2, pooling_func=pooling).fit(NUMBERS)
            _, transform, row = self.answers(model)
            self.near(transform, model.transform([row])[0])

    def test_clusters_of_float32(self) -> None:
        """Each step is rounded, as numpy does: a variance around a large mean shows it."""
        narrow = (NUMBERS + 100).astype("float32")
        for pooling in (numpy.sum, numpy.prod, numpy.var, numpy.std):
            model = FeatureAgglomeration(n_clusters=2, pooling_func=pooling).fit(narrow)
            with connect_sqlite3() as connection:
                hbscore.register(connection, "m", model, sample=narrow)
                self.assertEqual(ask(connection, "SELECT min(ok) FROM hbscore_verify('m')"), 1)
                for row in narrow.to_numpy()[:20]:
                    got = json.loads(ask(connection, "SELECT transform('m', ?, ?, ?, ?)", *row.tolist()))
                    numpy.testing.assert_allclose(got, model.transform([row])[0], rtol=3e-7, atol=0)

    def test_as_a_step_it_transforms(self) -> None:
        model = make_pipeline(LinearDiscriminantAnalysis(n_components=1), LogisticRegression()).fit(NUMBERS, CLASSES)
        _, transform, _ = self.answers(model)
        self.assertEqual(len(transform), 1)


class Refusals(unittest.TestCase):
    def refused(self, model: Any, words: str) -> None:
        with self.assertRaisesRegex(hbscore.UnsupportedModel, words):
            hbscore.export(model)

    def test_a_step_without_a_transform(self) -> None:
        step = LinearDiscriminantAnalysis(solver="lsqr").fit(NUMBERS, CLASSES)
        model = make_pipeline(LinearDiscriminantAnalysis(), LogisticRegression()).fit(NUMBERS, CLASSES)
        model.steps[0] = ("first", step)
        self.refused(model, "step 'first': LinearDiscriminantAnalysis with solver=lsqr has no transform")

    def test_a_function_of_clusters_of_columns(self) -> None:
        model = FeatureAgglomeration(n_clusters=2, pooling_func=numpy.nanmean).fit(NUMBERS)
        self.refused(model, "FeatureAgglomeration with pooling_func=.*nanmean.* is not supported")

    def test_factors_that_depend_on_a_table_or_on_chance(self) -> None:
        counts = numpy.abs(numpy.asarray(NUMBERS))
        logs = make_pipeline(TfidfVectorizer(), NMF(2, solver="mu", beta_loss=-1, max_iter=5))
        logs[-1].fit(logs[0].fit_transform(["a bc", "def bc", "bc", "ghi"]).toarray() + 0.1)
        self.refused(logs, "NMF gets a sparse matrix, whose zeros beta_loss=-1 refuses")
        self.refused(NMF(2, shuffle=True, max_iter=5).fit(counts), "NMF with shuffle=True draws random numbers")
        hashes = HashingVectorizer(n_features=8, alternate_sign=False)
        hashed = make_pipeline(hashes, NMF(2, max_iter=5)).fit(["a bc", "def bc", "bc", "ghi"])
        hashes.alternate_sign = True
        self.refused(hashed, "NMF gets a sparse matrix, in which numbers may be negative")

    def test_codes_that_scikit_learn_refuses(self) -> None:
        model = DictionaryLearning(2, max_iter=2, positive_code=True, fit_algorithm="cd").fit(NUMBERS)
        self.refused(model, "positive_code=True has no answer from scikit-learn")
        model.transform_algorithm = "lars"
        self.refused(model, "positive_code=True has no answer from scikit-learn, whose lars takes no such constraint")
        atoms = numpy.random.RandomState(1).randn(300, NUMBERS.shape[1])
        many = SparseCoder(atoms, transform_algorithm="lasso_lars", transform_alpha=0.0).fit(NUMBERS)
        self.refused(many, "SparseCoder with 300 atoms that may have a weight is not supported: at most 256 are")
        model = DictionaryLearning(2, max_iter=2, transform_n_nonzero_coefs=3).fit(NUMBERS)
        self.refused(model, "asks for 3 of 2 atoms: scikit-learn cannot transform a row")


if __name__ == "__main__":
    unittest.main()
