"""operators_vectors.py - what is benchmarked of kernels, neighbours, clusters, mixtures and discriminants: estimators that
compare a row with stored ones, or with centres."""

from __future__ import annotations

import numpy as np
from sklearn.cluster import KMeans
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.gaussian_process import GaussianProcessClassifier, GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel
from sklearn.mixture import GaussianMixture
from sklearn.naive_bayes import GaussianNB, MultinomialNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC

from operators_tasks import FEWER, TRAINED_ON, Task, family, noisy, spec, widened_iris

# Kernels and neighbours -----------------------------------------------------------------------


@spec("SVC")
def svc(name: str, rows: int) -> Task:
    x, y = noisy(rows, 20)
    model = SVC().fit(x[:1_100], y[:1_100] > 0)
    title = "SVC, rbf, %d support vectors of 20 columns" % len(model.support_vectors_)
    return Task(name, title, "predict", model, x, in_batches=2, by_row_of_sklearn=20)


@spec("GaussianProcessRegressor")
def gaussian_process(name: str, rows: int) -> Task:
    x, y = noisy(rows, 10)
    kernel = ConstantKernel(1.0) * RBF(2.0) + WhiteKernel(0.4)
    model = GaussianProcessRegressor(kernel, optimizer=None).fit(x[:500], y[:500])
    title = "GaussianProcessRegressor, 500 rows of 10 columns"
    return Task(name, title, "predict", model, x, by_row_of_sklearn=20)


@spec("GaussianProcessClassifier")
def gaussian_process_classifier(name: str, rows: int) -> Task:
    x, y = noisy(rows, 10)
    model = GaussianProcessClassifier(1.0 * RBF(2.0), optimizer=None).fit(x[:200], y[:200] > 0)
    title = "GaussianProcessClassifier, 200 rows of 10 columns"
    return Task(name, title, "predict_proba", model, x, by_row_of_sklearn=20, most=1_000)


@spec("KNeighborsClassifier")
def neighbours(name: str, rows: int) -> Task:
    """Brute force over 10,000 rows of 20 columns."""
    rng = np.random.RandomState(16)
    x = rng.randn(min(rows, FEWER), 20).astype(np.float32)
    y = (x[:, 0] > 0) * 1 + (x[:, 1] + x[:, 2] > 0.5)
    model = KNeighborsClassifier(algorithm="brute").fit(x[:TRAINED_ON], y[:TRAINED_ON])
    title = "KNeighborsClassifier, brute force over 10,000 rows of 20 columns"
    return Task(name, title, "predict", model, x, by_row=20, most=1_000)


# Centres and densities ------------------------------------------------------------------------

family("KMeans", "KMeans, 100 centres", KMeans(100, n_init=1, random_state=1))
family("GaussianMixture", "GaussianMixture, 5 components", GaussianMixture(5, random_state=1), "predict_proba")
family("LinearDiscriminantAnalysis", "LinearDiscriminantAnalysis", LinearDiscriminantAnalysis(), "predict_proba")
family("QuadraticDiscriminantAnalysis", "QuadraticDiscriminantAnalysis", QuadraticDiscriminantAnalysis(), "predict_proba")
family("GaussianNB", "GaussianNB", GaussianNB(), "predict_proba")


@spec("MultinomialNB")
def multinomial(name: str, rows: int) -> Task:
    x, y = widened_iris(min(rows, FEWER))
    x = np.round(np.abs(x) * 3)
    model = MultinomialNB().fit(x[:TRAINED_ON], y[:TRAINED_ON])
    return Task(name, "MultinomialNB", "predict_proba", model, x, by_row_of_sklearn=20)
