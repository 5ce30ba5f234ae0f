"""Clusters, mixtures, quadratic discriminants, envelopes and labels that spread."""

from __future__ import annotations

import numpy as np
from sklearn.cluster import AffinityPropagation, Birch, BisectingKMeans, KMeans, MeanShift, MiniBatchKMeans
from sklearn.covariance import EllipticEnvelope
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression
from sklearn.mixture import BayesianGaussianMixture, GaussianMixture
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.semi_supervised import LabelPropagation, LabelSpreading

from golden_sklearn_cases_estimators import WORDS
from golden_sklearn_cases_projections import model_of as probed
from golden_sklearn_models import BOTH, Trained, case, clean, small
from golden_tables import Table


def model_of(model: object, t: Table, y: object, *covers: str, **more: object) -> Trained:
    return probed(model, t, y, *covers, probed=True, **more)


def groups(seed: int, n: int = 90, f: int = 4) -> Table:
    """Three clouds."""
    t = small(seed, f=f, n=n)
    for j, c in enumerate(t.columns):
        c.values = np.round(np.asarray(c.values) + np.repeat([-3.0, 0.5, 4.0], n // 3) * (1 if j % 2 else -1), 3)
    return t


def of_groups(seed: int, model: object, *covers: str, **more: object) -> Trained:
    return model_of(model, groups(seed), None, *covers, **more)


@case(BOTH)
def kmeans() -> Trained:
    return of_groups(2201, KMeans(3, n_init=2, random_state=1), transform=True)


@case()
def kmeans_scaled() -> Trained:
    t = clean(2202, named=True)
    return model_of(make_pipeline(StandardScaler(), KMeans(5, n_init=1, random_state=1)), t, None, transform=True)


@case()
def kmeans_float32() -> Trained:
    return of_groups(2203, KMeans(4, n_init=1, random_state=1), "KMeans.float32", narrow=True, transform=True)


@case(BOTH)
def kmeans_step() -> Trained:
    t = groups(2204)
    model = make_pipeline(KMeans(4, n_init=1, random_state=1), LogisticRegression())
    return model_of(model, t, WORDS[t.y_class(3)], "KMeans.step")


@case()
def kmeans_batches() -> Trained:
    return of_groups(2205, MiniBatchKMeans(3, n_init=1, random_state=1), transform=True)


@case(BOTH)
def kmeans_bisecting() -> Trained:
    return of_groups(2206, BisectingKMeans(5, random_state=1), transform=True)


@case(BOTH)
def birch() -> Trained:
    return of_groups(2207, Birch(n_clusters=3, threshold=1.5), transform=True)


@case()
def birch_alone() -> Trained:
    return of_groups(2208, Birch(n_clusters=None, threshold=2.0), "Birch.n_clusters")


@case()
def affinity_propagation() -> Trained:
    return of_groups(2209, AffinityPropagation(random_state=1))


@case()
def mean_shift() -> Trained:
    return of_groups(2210, MeanShift(bandwidth=3.0))


@case(BOTH)
def mixture_full() -> Trained:
    return of_groups(2211, GaussianMixture(3, random_state=1))


@case(BOTH)
def mixture_tied() -> Trained:
    return of_groups(2212, GaussianMixture(3, covariance_type="tied", random_state=1), "Mixture.tied")


@case(BOTH)
def mixture_diag() -> Trained:
    return of_groups(2213, GaussianMixture(2, covariance_type="diag", random_state=1), "Mixture.diag")


@case()
def mixture_spherical() -> Trained:
    return of_groups(2214, GaussianMixture(3, covariance_type="spherical", random_state=1), "Mixture.spherical")


@case(BOTH)
def mixture_bayesian() -> Trained:
    return of_groups(2215, BayesianGaussianMixture(n_components=4, random_state=1))


@case()
def mixture_bayesian_distribution() -> Trained:
    model = BayesianGaussianMixture(
        n_components=3,
        covariance_type="diag",
        weight_concentration_prior_type="dirichlet_distribution",
        random_state=1,
    )
    return of_groups(2216, model, "Mixture.dirichlet_distribution")


@case()
def mixture_bayesian_tied() -> Trained:
    model = BayesianGaussianMixture(n_components=3, covariance_type="tied", random_state=1)
    return of_groups(2217, model, "Mixture.bayesian.tied")


@case()
def mixture_bayesian_spherical() -> Trained:
    model = BayesianGaussianMixture(n_components=2, covariance_type="spherical", random_state=1)
    return of_groups(2218, make_pipeline(StandardScaler(), model), "Mixture.bayesian.spherical")


@case(BOTH)
def quadratic_three() -> Trained:
    t = clean(2219, named=True)
    return model_of(make_pipeline(StandardScaler(), QuadraticDiscriminantAnalysis()), t, WORDS[t.y_class(3)])


@case(BOTH)
def quadratic_two() -> Trained:
    t = small(2220)
    model = QuadraticDiscriminantAnalysis(reg_param=0.2, priors=[0.3, 0.7])
    return model_of(model, t, t.y_binary(), "QDA.reg_param")


@case()
def quadratic_eigen() -> Trained:
    t = small(2221)
    return model_of(QuadraticDiscriminantAnalysis(solver="eigen", shrinkage=0.3), t, t.y_class(3), "QDA.eigen")


@case(BOTH)
def elliptic_envelope() -> Trained:
    t = small(2222)
    return model_of(EllipticEnvelope(random_state=1, contamination=0.15), t, None)


@case(BOTH)
def label_propagation() -> Trained:
    t = groups(2223)
    y = np.where(np.arange(90) % 4, -1, t.y_class(3))
    return model_of(LabelPropagation(gamma=0.3), t, y)


@case(BOTH)
def label_spreading() -> Trained:
    t = groups(2224)
    y = np.where(np.arange(90) % 5, -1, t.y_class(3))
    return model_of(LabelSpreading(kernel="knn", n_neighbors=5), t, y, "LabelSpreading.knn")
