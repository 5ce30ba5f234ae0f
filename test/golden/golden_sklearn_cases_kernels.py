"""Kernel ridge, Gaussian processes, and transformers by kernels."""

from __future__ import annotations

import numpy as np
from sklearn.decomposition import KernelPCA
from sklearn.gaussian_process import GaussianProcessClassifier, GaussianProcessRegressor
from sklearn.gaussian_process.kernels import (
    RBF,
    ConstantKernel,
    DotProduct,
    ExpSineSquared,
    Matern,
    PairwiseKernel,
    RationalQuadratic,
    WhiteKernel,
)
from sklearn.kernel_approximation import AdditiveChi2Sampler, Nystroem, PolynomialCountSketch, RBFSampler, SkewedChi2Sampler
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import SGDClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import KBinsDiscretizer, KernelCenterer, StandardScaler

from golden_sklearn_cases_estimators import WORDS, model_of
from golden_sklearn_models import BOTH, Trained, case, fitted, small
from golden_tables import Table

ROWS = 50


def few(seed: int, named: bool = False) -> Table:
    return small(seed, n=ROWS, f=3, named=named)


def fewer(seed: int) -> Table:
    return small(seed, n=18, f=3)


def of_classes(kernel: object, t: Table, y: object, *covers: str, optimizer: object = None, **more: object) -> Trained:
    """A Gaussian process of classes has a number for each two rows of training, which are few."""
    rng = np.random.RandomState(len(covers))
    rows = [[float(v) for v in row] for row in np.round(1.5 * rng.randn(30, 3), 3)]
    rows += [[None, 0.5, 0.5], [0.5, float("nan"), 0.5], [0.5, 0.5, float("inf")], [0.0, -0.0, 0], [True, 5e-324, np.float32(0.1)]]
    model = GaussianProcessClassifier(kernel, optimizer=optimizer)
    words = ["option=GaussianProcessClassifier." + cover for cover in covers]
    return fitted(model.set_params(**more.pop("options", {})), t, y, covers=words, rows=rows, count=0, **more)


def positive(seed: int) -> Table:
    """Numbers from 0 on, some of them 0; it is asked for negative ones too."""
    t = few(seed)
    for c in t.columns:
        c.values = np.round(np.abs(np.asarray(c.values)), 1)
    return t


# Kernel ridge ---------------------------------------------------------------------------------


def ridge_of(seed: int, cover: str, **options: object) -> Trained:
    t = few(seed)
    return model_of(KernelRidge(**options), t, t.y_real(), "KernelRidge." + cover)


@case(BOTH)
def kernel_ridge_rbf() -> Trained:
    return ridge_of(1801, "rbf", kernel="rbf")


@case()
def kernel_ridge_linear() -> Trained:
    return ridge_of(1802, "linear")


@case()
def kernel_ridge_poly() -> Trained:
    return ridge_of(1803, "poly", kernel="poly", degree=2.5, coef0=30.0)


@case()
def kernel_ridge_sigmoid() -> Trained:
    return ridge_of(1804, "sigmoid", kernel="sigmoid", gamma=0.1)


@case()
def kernel_ridge_laplacian() -> Trained:
    return ridge_of(1805, "laplacian", kernel="laplacian", gamma=0.4)


@case()
def kernel_ridge_cosine() -> Trained:
    return ridge_of(1806, "cosine", kernel="cosine")


@case()
def kernel_ridge_targets() -> Trained:
    t = few(1807)
    y = np.stack([t.y_real(), -2.0 * t.y_real() + 1.0], axis=1)
    return model_of(KernelRidge(kernel="rbf", gamma=0.2), t, y, "KernelRidge.targets")


@case()
def kernel_ridge_float32() -> Trained:
    t = few(1808)
    return model_of(KernelRidge(kernel="rbf"), t, t.y_real(), "KernelRidge.float32", narrow=True)


def ridge_of_chi2(seed: int, kernel: str, **options: object) -> Trained:
    """A negative number is refused."""
    t = positive(seed)
    return model_of(KernelRidge(kernel=kernel, **options), t, t.y_real(), "KernelRidge." + kernel, most=30)


@case(BOTH)
def kernel_ridge_chi2() -> Trained:
    return ridge_of_chi2(1809, "chi2", gamma=0.5)


@case()
def kernel_ridge_additive_chi2() -> Trained:
    return ridge_of_chi2(1810, "additive_chi2")


# Gaussian processes ---------------------------------------------------------------------------


def process_of(seed: int, cover: str, kernel: object, **options: object) -> Trained:
    t = few(seed)
    model = GaussianProcessRegressor(kernel, optimizer=None, **options)
    return model_of(model, t, t.y_real(), "GaussianProcessRegressor." + cover)


@case(BOTH)
def process_rbf() -> Trained:
    """Its parameters are fitted."""
    t = few(1811, named=True)
    kernel = ConstantKernel(2.0) * RBF([1.0, 2.0, 0.5]) + WhiteKernel(0.1)
    model = GaussianProcessRegressor(kernel, normalize_y=True, random_state=0)
    return model_of(model, t, t.y_real(), "GaussianProcessRegressor.normalize_y")


@case()
def process_matern_half() -> Trained:
    return process_of(1812, "matern=0.5", Matern(nu=0.5) + WhiteKernel(0.1))


@case(BOTH)
def process_matern_three_halves() -> Trained:
    return process_of(1813, "matern=1.5", Matern([1.0, 2.0, 3.0], nu=1.5), alpha=0.1)


@case()
def process_matern_five_halves() -> Trained:
    return process_of(1814, "matern=2.5", Matern(nu=2.5) + WhiteKernel(0.1))


@case()
def process_matern_infinite() -> Trained:
    """And one that is made of Bessel functions, whose arguments are on both sides of 2."""
    t = few(1815)
    kernel = Matern(2.0, nu=np.inf) * Matern([1.0, 0.5, 3.0], nu=0.7) + WhiteKernel(0.5)
    model = GaussianProcessRegressor(kernel, optimizer=None)
    words = ("GaussianProcessRegressor.matern=inf", "GaussianProcessRegressor.matern=any")
    return model_of(model, t, t.y_real(), *words, probed=True)


@case()
def process_quadratic() -> Trained:
    return process_of(1816, "RationalQuadratic", RationalQuadratic(alpha=0.7) + WhiteKernel(0.2))


@case()
def process_periodic() -> Trained:
    kernel = ExpSineSquared(1.5, 3.0) * RBF(2.0) + WhiteKernel(3.0)
    return process_of(1817, "ExpSineSquared", kernel)


@case()
def process_dot_product() -> Trained:
    kernel = (DotProduct(0.5) + ConstantKernel(1.0)) ** 2 + WhiteKernel(0.5)
    return process_of(1818, "DotProduct", kernel)


@case()
def process_pairwise() -> Trained:
    kernel = PairwiseKernel(metric="laplacian", gamma=0.5) + WhiteKernel(0.2)
    return process_of(1819, "PairwiseKernel", kernel)


@case()
def process_targets() -> Trained:
    t = few(1820)
    y = np.stack([t.y_real(), t.y_real() ** 2], axis=1)
    model = GaussianProcessRegressor(RBF() + WhiteKernel(0.1), normalize_y=True, optimizer=None)
    return model_of(model, t, y, "GaussianProcessRegressor.targets")


@case(BOTH)
def process_classes() -> Trained:
    t = fewer(1821)
    return of_classes(1.0 * RBF(1.0), t, WORDS[t.y_binary()], optimizer="fmin_l_bfgs_b", probed=True)


@case()
def process_classes_dot_product() -> Trained:
    t = fewer(1822)
    return of_classes(DotProduct(1.0) + WhiteKernel(0.3), t, t.y_binary(), "diagonal", probed=True)


@case(BOTH)
def process_against_rest() -> Trained:
    t = small(1823, n=12, f=3)
    return of_classes(RBF(0.7), t, t.y_class(3), "one_vs_rest", probed=True)


@case()
def process_in_pairs() -> Trained:
    """No probabilities, and the scores have no method of their own."""
    t = small(1824, n=16, f=3)
    return of_classes(Matern(nu=1.5), t, t.y_class(3), "one_vs_one", options={"multi_class": "one_vs_one"})


@case()
def process_classes_by_name() -> Trained:
    t = fewer(1825)
    kernel = PairwiseKernel(metric="poly", gamma=0.5, pairwise_kernels_kwargs={"degree": 2})
    return of_classes(kernel, t, t.y_binary(), "PairwiseKernel")


# Transformers ---------------------------------------------------------------------------------


@case(BOTH)
def kernel_pca_rbf() -> Trained:
    t = few(1831)
    return model_of(KernelPCA(n_components=3, kernel="rbf"), t, None, "KernelPCA.rbf")


@case()
def kernel_pca_poly() -> Trained:
    t = few(1832)
    return model_of(KernelPCA(n_components=2, kernel="poly", gamma=0.2), t, None, "KernelPCA.poly")


@case()
def kernel_pca_cosine() -> Trained:
    t = few(1833)
    return model_of(KernelPCA(n_components=2, kernel="cosine"), t, None, "KernelPCA.cosine")


@case()
def kernel_pca_zero() -> Trained:
    """More components than there are columns: their eigenvalues are 0."""
    t = few(1834)
    return model_of(KernelPCA(n_components=5, remove_zero_eig=False), t, None, "KernelPCA.zero")


@case(BOTH)
def kernel_centerer() -> Trained:
    """Its columns are the kernels with the rows of training."""
    t = small(1835, f=5)
    return Trained(KernelCenterer().fit(t.matrix()[:5]), t, count=32)


@case(BOTH)
def nystroem() -> Trained:
    t = few(1836)
    model = make_pipeline(StandardScaler(), Nystroem(n_components=12, random_state=0), SGDClassifier(random_state=0))
    return model_of(model, t, t.y_class(3), transform=True, most=32)


@case()
def nystroem_laplacian() -> Trained:
    t = few(1837)
    model = Nystroem("laplacian", n_components=6, random_state=0, kernel_params={"gamma": 0.3})
    return model_of(model, t, None, "Nystroem.kernel_params", most=32)


@case(BOTH)
def nystroem_chi2() -> Trained:
    return model_of(Nystroem("chi2", n_components=6, random_state=0), positive(1845), None, "Nystroem.chi2", most=30)


@case()
def additive_chi2_sampler_sparse() -> Trained:
    """Behind an encoder, whose zeros are not stored."""
    t = positive(1846)
    model = make_pipeline(KBinsDiscretizer(3, strategy="uniform"), AdditiveChi2Sampler())
    return model_of(model, t, None, "AdditiveChi2Sampler.sparse", most=20)


@case(BOTH)
def rbf_sampler() -> Trained:
    t = few(1838)
    return model_of(RBFSampler(gamma=0.5, n_components=9, random_state=0), t, None)


@case()
def rbf_sampler_float32() -> Trained:
    t = few(1839)
    return model_of(RBFSampler(n_components=5, random_state=0), t, None, "RBFSampler.float32", narrow=True)


@case(BOTH)
def skewed_chi2_sampler() -> Trained:
    t = positive(1840)
    return model_of(SkewedChi2Sampler(skewedness=0.5, n_components=5, random_state=0), t, None)


@case(BOTH)
def additive_chi2_sampler() -> Trained:
    return model_of(AdditiveChi2Sampler(), positive(1841), None)


@case()
def additive_chi2_sampler_steps() -> Trained:
    model = AdditiveChi2Sampler(sample_steps=4, sample_interval=0.3)
    return model_of(model, positive(1842), None, "AdditiveChi2Sampler.steps")


@case(BOTH)
def count_sketch() -> Trained:
    t = few(1843)
    return model_of(PolynomialCountSketch(n_components=6, random_state=0), t, None)


@case()
def count_sketch_cubic() -> Trained:
    t = few(1844)
    model = PolynomialCountSketch(degree=3, gamma=0.5, coef0=2.0, n_components=7, random_state=0)
    return model_of(model, t, None, "PolynomialCountSketch.coef0")
