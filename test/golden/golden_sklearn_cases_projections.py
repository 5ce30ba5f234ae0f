"""Projections that are products of matrices: discriminant analysis, partial least squares, factors, and groups of
columns or leaves."""

from __future__ import annotations

import numpy as np
from sklearn.cluster import FeatureAgglomeration
from sklearn.cross_decomposition import CCA, PLSSVD, PLSCanonical, PLSRegression
from sklearn.decomposition import DictionaryLearning, FactorAnalysis, MiniBatchDictionaryLearning, MiniBatchSparsePCA
from sklearn.decomposition import SparseCoder, SparsePCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import RandomTreesEmbedding
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import NeighborhoodComponentsAnalysis
from sklearn.pipeline import make_pipeline

from golden_sklearn_cases_estimators import WORDS
from golden_sklearn_models import BOTH, Trained, case, clean, fitted, small
from golden_tables import Table

MOST = 40


def model_of(model: object, t: Table, y: object, *covers: str, **more: object) -> Trained:
    more = {"most": MOST, **more}
    return fitted(model, t, y, covers=["option=" + c for c in covers], count=MOST, **more)


def probe_of(model: object, t: Table, y: object, *covers: str, **more: object) -> Trained:
    return model_of(model, t, y, *covers, probed=True, **more)


# Discriminant analysis ----------------------------------------------------------------------


@case(BOTH)
def discriminant_three() -> Trained:
    t = clean(2001, named=True)
    return model_of(LinearDiscriminantAnalysis(), t, WORDS[t.y_class(3)], transform=True)


@case(BOTH)
def discriminant_two() -> Trained:
    t = small(2002)
    return model_of(LinearDiscriminantAnalysis(solver="lsqr"), t, WORDS[t.y_binary().astype(int)], "LDA.lsqr")


@case()
def discriminant_eigen() -> Trained:
    t = small(2003)
    model = LinearDiscriminantAnalysis(solver="eigen", shrinkage="auto", priors=[0.2, 0.5, 0.3])
    return model_of(model, t, t.y_class(3), "LDA.eigen", transform=True)


@case()
def discriminant_step() -> Trained:
    """As a step it projects, to one column here."""
    t = small(2004)
    model = make_pipeline(LinearDiscriminantAnalysis(n_components=1), GaussianNB())
    return model_of(model, t, t.y_class(3), "LDA.n_components")


@case()
def discriminant_float32() -> Trained:
    """Since 1.2 float32 columns have coefficients of float32."""
    t = small(2005)
    model = LinearDiscriminantAnalysis()
    return model_of(model, t, t.y_class(3), "LDA.float32", narrow=True, transform=True)


# Partial least squares ----------------------------------------------------------------------


@case(BOTH)
def pls_regression() -> Trained:
    t = clean(2006, named=True)
    return model_of(PLSRegression(n_components=2), t, t.y_many(2), transform=True)


@case(BOTH)
def pls_regression_one() -> Trained:
    t = small(2007)
    return model_of(PLSRegression(n_components=3, scale=False), t, t.y_real(), "PLS.no-scale", transform=True)


@case(BOTH)
def pls_regression_float32() -> Trained:
    t = small(2008)
    return model_of(PLSRegression(), t, t.y_real(), "PLS.float32", narrow=True, transform=True)


@case(BOTH)
def pls_canonical() -> Trained:
    t = small(2009)
    return model_of(PLSCanonical(n_components=2), t, t.y_many(2), transform=True)


@case(BOTH)
def pls_cca() -> Trained:
    t = small(2010)
    return model_of(CCA(n_components=1), t, t.y_many(2), transform=True)


@case(BOTH)
def pls_singular_values() -> Trained:
    t = clean(2012, named=True)
    return model_of(PLSSVD(n_components=2), t, t.y_many(2))


@case()
def pls_singular_values_float32() -> Trained:
    t = small(2013)
    return model_of(PLSSVD(n_components=1, scale=False), t, t.y_real(), "PLSSVD.float32", narrow=True)


# Factors and groups -------------------------------------------------------------------------


@case(BOTH)
def factor_analysis() -> Trained:
    t = clean(2014, f=5, named=True)
    model = FactorAnalysis(n_components=2, random_state=1)
    return model_of(make_pipeline(model, LogisticRegression()), t, t.y_binary(), transform=True)


@case()
def factor_analysis_rotated() -> Trained:
    t = small(2015, f=5)
    model = FactorAnalysis(n_components=3, rotation="varimax", svd_method="lapack")
    return model_of(model, t, None, "FactorAnalysis.rotation", narrow=True)


@case(BOTH)
def sparse_pca() -> Trained:
    t = small(2016, f=5)
    return model_of(SparsePCA(n_components=3, alpha=0.3, random_state=1), t, None)


@case()
def sparse_pca_batches() -> Trained:
    t = small(2017, f=5)
    model = MiniBatchSparsePCA(n_components=2, alpha=0.2, ridge_alpha=0.5, random_state=1)
    return model_of(model, t, None, "SparsePCA.ridge_alpha", narrow=True)


def coded(seed: int, model: object, *covers: str) -> Trained:
    return model_of(model, small(seed, f=5), None, *covers, most=30)


@case(BOTH)
def dictionary_learning() -> Trained:
    return coded(2025, DictionaryLearning(4, alpha=0.4, max_iter=20, transform_algorithm="threshold", random_state=1))


@case()
def dictionary_learning_batches() -> Trained:
    model = MiniBatchDictionaryLearning(
        3, max_iter=20, fit_algorithm="cd", transform_algorithm="threshold", transform_alpha=0.2, positive_code=True, random_state=1
    )
    return coded(2026, model, "DictionaryLearning.positive_code")


@case()
def sparse_coder() -> Trained:
    atoms = np.array([[1.0, 0.0, 0.5, 0.0, -1.0], [0.0, 1.0, -0.5, 0.25, 0.0], [0.6, 0.0, 0.0, 0.8, 0.0]])
    return coded(2027, SparseCoder(atoms, transform_algorithm="threshold", split_sign=True), "SparseCoder.split_sign")


@case(BOTH)
def feature_agglomeration() -> Trained:
    t = small(2018, f=7)
    model = make_pipeline(FeatureAgglomeration(n_clusters=3), Ridge())
    return model_of(model, t, t.y_real(), transform=True)


@case()
def feature_agglomeration_float32() -> Trained:
    t = small(2019, f=5)
    return model_of(FeatureAgglomeration(n_clusters=2), t, None, "FeatureAgglomeration.float32", narrow=True)


@case(BOTH)
def random_trees_embedding() -> Trained:
    t = small(2020)
    model = RandomTreesEmbedding(n_estimators=3, max_depth=3, random_state=1)
    return model_of(make_pipeline(model, Ridge()), t, t.y_real(), transform=True)


@case()
def random_trees_embedding_dense() -> Trained:
    t = clean(2021, named=True)
    model = RandomTreesEmbedding(n_estimators=2, max_depth=2, sparse_output=False, random_state=1)
    return model_of(model, t, None, "RandomTreesEmbedding.dense")


@case()
def feature_agglomeration_max() -> Trained:
    t = small(2022, f=5)
    return probe_of(FeatureAgglomeration(n_clusters=2, pooling_func=np.max), t, None, "FeatureAgglomeration.max", narrow=True)


@case(BOTH)
def feature_agglomeration_median() -> Trained:
    t = small(2028, f=7)
    return probe_of(FeatureAgglomeration(n_clusters=2, pooling_func=np.median), t, None, "FeatureAgglomeration.median", narrow=True)


@case()
def feature_agglomeration_sum() -> Trained:
    t = small(2023, f=5)
    return probe_of(FeatureAgglomeration(n_clusters=3, pooling_func=np.sum), t, None, "FeatureAgglomeration.sum")


@case(BOTH)
def neighborhood_components() -> Trained:
    t = small(2024)
    model = NeighborhoodComponentsAnalysis(n_components=2, random_state=1, max_iter=30)
    return model_of(make_pipeline(model, LogisticRegression()), t, t.y_class(3), transform=True)
