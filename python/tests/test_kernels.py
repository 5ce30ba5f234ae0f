"""Kernel ridge, Gaussian processes and transformers by kernels: what the exporter refuses by name, and kernels that the
golden files leave out."""

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
from own_format_reference import evaluate
from sklearn.decomposition import KernelPCA
from sklearn.gaussian_process import GaussianProcessClassifier, GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, DotProduct, Matern, PairwiseKernel, WhiteKernel
from sklearn.kernel_approximation import AdditiveChi2Sampler, Nystroem, SkewedChi2Sampler
from sklearn.kernel_ridge import KernelRidge

from hbscore.export import export

RANDOM = np.random.RandomState(0)
X = RANDOM.randn(40, 3)
Y = X[:, 0] * X[:, 1] + 0.5 * X[:, 2]
ASKED = RANDOM.randn(60, 3)


class Kernels(ExportCase):
    def test_what_is_refused(self):
        self.refused(KernelRidge(kernel=lambda a, b: 1.0 + a @ b).fit(X, Y), "KernelRidge with a kernel that is a function")
        model = GaussianProcessRegressor(Matern(nu=0.7), optimizer=None).fit(X, Y)
        model.kernel_.nu = 172.0
        self.refused(model, "GaussianProcessRegressor with a Matern kernel of nu=")

    def test_a_kernel_that_is_computed_before(self):
        ridge = KernelRidge(kernel="precomputed").fit(X @ X.T, Y)
        np.testing.assert_allclose(evaluate(export(ridge), ASKED @ X.T).predict[:, 0], ridge.predict(ASKED @ X.T), rtol=1e-9)
        model = KernelPCA(2, kernel="precomputed").fit(X @ X.T)
        np.testing.assert_allclose(evaluate(export(model), ASKED @ X.T).transform, model.transform(ASKED @ X.T), atol=1e-9)

    def test_a_kernel_of_ones_own_is_refused(self):
        class Own(RBF):
            pass

        self.refused(GaussianProcessRegressor(Own(), optimizer=None).fit(X, Y), "with the kernel 'Own' is not supported")

    def test_sums_and_products_of_constants(self):
        kernel = (ConstantKernel(2.0) + ConstantKernel(0.5)) * DotProduct(1.0) + WhiteKernel(0.5) ** 2
        model = GaussianProcessRegressor(kernel, optimizer=None).fit(X, Y)
        np.testing.assert_allclose(evaluate(export(model), ASKED).predict[:, 0], model.predict(ASKED), rtol=1e-9)

    def test_matern_kernels_of_any_order(self):
        """At a row of training too, where the distance is 0."""
        for nu in (0.01, 0.3, 0.7, 1.0, 3.3, 7.0):
            for scale in (0.1, [0.5, 1.0, 30.0]):
                with self.subTest(nu=nu, scale=scale):
                    kernel = Matern(scale, nu=nu) + WhiteKernel(0.1)
                    model = GaussianProcessRegressor(kernel, optimizer=None).fit(X, Y)
                    asked = np.vstack([ASKED, X[:3], ASKED[:2] * 1e4])
                    np.testing.assert_allclose(evaluate(export(model), asked).predict[:, 0], model.predict(asked), rtol=1e-9, atol=1e-9)
        model = GaussianProcessClassifier(Matern(nu=0.7), optimizer=None).fit(X, Y > 0)
        made = evaluate(export(model), ASKED).probabilities
        np.testing.assert_allclose(made, model.predict_proba(ASKED), rtol=1e-7)

    def test_options_of_a_kernel_by_name(self):
        for options in ({"kernel": "poly"}, {"kernel": "poly", "degree": 2, "coef0": 0.5}, {"kernel": "sigmoid"}):
            model = Nystroem(n_components=5, random_state=0, **options).fit(X)
            made = evaluate(export(model), ASKED).transform
            np.testing.assert_allclose(made, model.transform(ASKED), rtol=1e-9, atol=1e-9)

    def test_kernels_by_name_of_a_row_with_itself(self):
        """The variance of a classifier's score takes them."""
        for metric in ("rbf", "laplacian", "linear", "poly", "polynomial", "cosine", "chi2"):
            with self.subTest(metric):
                x, asked = (abs(X), abs(ASKED)) if "chi2" in metric else (X, ASKED)
                kernel = PairwiseKernel(metric=metric, gamma=0.5) + WhiteKernel(0.5)
                model = GaussianProcessClassifier(kernel, optimizer=None).fit(x, Y > 0)
                made = evaluate(export(model), asked).probabilities
                np.testing.assert_allclose(made, model.predict_proba(asked), rtol=1e-7)

    def test_far_from_all_rows_the_classes_are_equally_likely(self):
        """Which label a row has there depends on the version of scikit-learn."""
        model = GaussianProcessClassifier(RBF(1.0), optimizer=None).fit(X, np.arange(40) % 3)
        far = np.vstack([ASKED, np.full((2, 3), 1e6)])
        found = evaluate(export(model), far)
        np.testing.assert_allclose(found.probabilities[-2:], 1.0 / 3.0, rtol=1e-9)
        self.assertEqual(found.predict.tolist(), model.predict(far).tolist())

    def test_numbers_that_samplers_refuse(self):
        chi2 = Nystroem("chi2", n_components=2, random_state=0)
        for model in (SkewedChi2Sampler(skewedness=0.5, random_state=0), AdditiveChi2Sampler(), chi2):
            answers = evaluate(export(model.fit(abs(X))), np.array([[1.0, 2.0, 3.0], [1.0, -0.6, 3.0]]))
            self.assertEqual(answers.transform_null.tolist(), [False, True])


if __name__ == "__main__":
    unittest.main()
