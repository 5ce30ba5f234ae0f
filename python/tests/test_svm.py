"""Support vector machines: what the exporter refuses by name, and answers of kinds that the golden files leave out."""

import os
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "../src"), HERE]

try:
    import numpy as np
    import sklearn  # noqa: F401
except ImportError as e:
    raise unittest.SkipTest("needs numpy and scikit-learn: %s" % e) from e

from export_case import ExportCase
from own_format_reference import evaluate, parse
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, SVR, NuSVC, OneClassSVM

from hbscore.export import export

RANDOM = np.random.RandomState(0)
X = RANDOM.randn(90, 3)
SCORE = X[:, 0] * X[:, 1] + 0.5 * X[:, 2]
ASKED = RANDOM.randn(200, 3)


def classes(k):
    return np.searchsorted(np.quantile(SCORE, np.linspace(0, 1, k + 1)[1:-1]), SCORE)


class Machines(ExportCase):
    def test_what_is_refused(self):
        model = make_pipeline(StandardScaler(), SVC(kernel=lambda a, b: a @ b.T))
        self.refused(model.fit(X, classes(2)), "SVC with a kernel that is a function is not supported")
        model = SVC(break_ties=True, decision_function_shape="ovo").fit(X, classes(3))
        self.refused(model, "SVC with break_ties=True and decision_function_shape='ovo' predicts nothing")
        self.refused(SVC(), "SVC does not say how many columns it takes")
        model = SVC().fit(X, classes(2))
        model.support_vectors_ = model.support_vectors_[:-1]
        self.refused(model, "SVC has a support_vectors_ of shape")
        model = SVC().fit(X, classes(3))
        model._dual_coef_ = model._dual_coef_ * np.nan
        self.refused(model, "SVC has a _dual_coef_ that is not finite")

    def test_a_kernel_that_is_computed_before(self):
        for model, y in ((SVR(kernel="precomputed"), SCORE), (SVC(kernel="precomputed"), classes(3))):
            model.fit(X @ X.T, y)
            found = np.ravel(evaluate(export(model), ASKED @ X.T).predict)
            np.testing.assert_allclose(found, model.predict(ASKED @ X.T), rtol=1e-10, err_msg=str(model))

    def test_every_kernel_and_shape(self):
        for kernel in ("linear", "poly", "rbf", "sigmoid"):
            for count in (2, 3, 6):
                for shape in ("ovr", "ovo"):
                    with self.subTest(kernel, count=count, shape=shape):
                        model = SVC(kernel=kernel, decision_function_shape=shape).fit(X, classes(count))
                        answers = evaluate(export(model), ASKED)
                        raw = model.decision_function(ASKED).reshape(len(ASKED), -1)
                        np.testing.assert_allclose(answers.raw, raw, rtol=1e-9, atol=1e-11)
                        np.testing.assert_array_equal(answers.predict, model.predict(ASKED))
                        self.assertIsNone(answers.probabilities)

    def test_powers_that_overflow(self):
        """A decision of NaN is for the second class, as libsvm votes; one of infinities by their sign."""
        x = np.vstack([X, [[1e120, -1e120, 1e119]], [[-1e160, 1e160, -1e150]], [[1e150, 1e150, 1e150]]])[:, : X.shape[1]]
        for probability in (False, True):
            model = SVC(kernel="poly", degree=3, coef0=0.5, probability=probability, random_state=0).fit(X, classes(2))
            labels = evaluate(export(model), x).label
            np.testing.assert_array_equal(labels, model.predict(x).astype(int))

    def test_a_degree_of_0(self):
        model = SVR(kernel="poly", degree=0).fit(X, SCORE)
        np.testing.assert_allclose(evaluate(export(model), ASKED).predict[:, 0], model.predict(ASKED), rtol=1e-12)

    def test_outliers(self):
        model = OneClassSVM(kernel="poly", nu=0.3, coef0=1.0).fit(X)
        answers = evaluate(export(model), ASKED)
        np.testing.assert_array_equal(answers.predict, model.predict(ASKED))

    def test_a_linear_kernel_is_a_linear_model(self):
        model = NuSVC(kernel="linear", nu=0.2).fit(X, classes(2))
        self.assertEqual([op["op"] for op in parse(export(model))["ops"]], ["check", "linear", "head"])

    def test_support_vectors_of_float32_take_half_the_room(self):
        wide, narrow = (SVC().fit(x, classes(2)) for x in (X, X.astype(np.float32)))
        dtypes = [op["rows"]["dtype"] for m in (wide, narrow) for op in parse(export(m))["ops"] if op["op"] == "pairwise"]
        self.assertEqual(dtypes, ["f8", "f4"])


if __name__ == "__main__":
    unittest.main()
