"""Estimators around one other, or several of one kind; selectors and projections without a case elsewhere."""

from __future__ import annotations

import numpy as np
from sklearn.calibration import CalibratedClassifierCV
from sklearn.decomposition import FastICA, IncrementalPCA
from sklearn.ensemble import BaggingClassifier, BaggingRegressor
from sklearn.feature_selection import RFE, RFECV, GenericUnivariateSelect, SelectFdr, SelectFpr, SelectFwe
from sklearn.feature_selection import SequentialFeatureSelector
from sklearn.linear_model import LogisticRegression, Ridge, RidgeClassifier
from sklearn.multioutput import MultiOutputRegressor, RegressorChain
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.random_projection import GaussianRandomProjection, SparseRandomProjection
from sklearn.semi_supervised import SelfTrainingClassifier
from sklearn.svm import LinearSVC

from golden_sklearn_cases_estimators import WORDS, model_of
from golden_sklearn_models import ALL, BOTH, LATE, Trained, case, small


@case(ALL)
def calibrated_three() -> Trained:
    t = small(1401, named=True)
    return model_of(CalibratedClassifierCV(LinearSVC(dual=True, random_state=0), cv=2), t, WORDS[t.y_class(3)], "Calibrated.decision_function")


@case(ALL)
def calibrated_two() -> Trained:
    t = small(1402)
    return model_of(CalibratedClassifierCV(GaussianNB(), cv=2, ensemble=False), t, t.y_binary(), "Calibrated.ensemble")


@case(LATE)
def threshold_fixed() -> Trained:
    from sklearn.model_selection import FixedThresholdClassifier

    t = small(1403)
    model = FixedThresholdClassifier(LogisticRegression(), threshold=0.3)
    return model_of(model, t, WORDS[t.y_binary().astype(int)], "FixedThreshold.probability")


@case()
def threshold_margin() -> Trained:
    from sklearn.model_selection import FixedThresholdClassifier

    t = small(1404)
    return model_of(FixedThresholdClassifier(RidgeClassifier(), threshold=-0.2), t, t.y_binary(), "FixedThreshold.margin")


@case(LATE)
def threshold_tuned() -> Trained:
    from sklearn.model_selection import TunedThresholdClassifierCV

    t = small(1405)
    return model_of(TunedThresholdClassifierCV(GaussianNB(), cv=2), t, t.y_binary())


@case()
def threshold_frozen() -> Trained:
    from sklearn.frozen import FrozenEstimator
    from sklearn.model_selection import FixedThresholdClassifier

    t = small(1406)
    model = FrozenEstimator(LogisticRegression().fit(t.matrix(), t.y_binary()))
    return model_of(FixedThresholdClassifier(model, threshold=0.6), t, t.y_binary())


@case(ALL)
def self_training() -> Trained:
    t = small(1407)
    y = np.where(np.arange(160) % 3 == 0, -1, t.y_class(3))
    return model_of(SelfTrainingClassifier(LogisticRegression()), t, y)


@case(BOTH)
def bagging_linear() -> Trained:
    t = small(1408)
    model = BaggingClassifier(LogisticRegression(), n_estimators=3, max_features=0.5, random_state=0)
    return model_of(model, t, WORDS[t.y_class(3)], "Bagging.scores")


@case()
def bagging_linear_votes() -> Trained:
    t = small(1409)
    return model_of(BaggingClassifier(RidgeClassifier(), n_estimators=3, random_state=0), t, t.y_class(3), "Bagging.votes")


@case(BOTH)
def bagging_linear_regressor() -> Trained:
    t = small(1410)
    return model_of(BaggingRegressor(Ridge(), n_estimators=3, random_state=0), t, t.y_real())


@case(BOTH)
def multi_output_regressor() -> Trained:
    t = small(1411)
    return model_of(MultiOutputRegressor(Ridge()), t, t.y_many(3))


@case(ALL)
def regressor_chain() -> Trained:
    t = small(1412)
    return model_of(RegressorChain(Ridge(), order=[2, 0, 1]), t, t.y_many(3), "RegressorChain.order")


def selecting(selector: object, seed: int) -> Trained:
    t = small(seed, f=6)
    return model_of(make_pipeline(selector, LogisticRegression()), t, t.y_binary())


@case(BOTH)
def select_rfe() -> Trained:
    return selecting(RFE(LogisticRegression(), n_features_to_select=2), 1421)


@case()
def select_rfecv() -> Trained:
    return selecting(RFECV(LogisticRegression(), cv=2), 1422)


@case()
def select_sequential() -> Trained:
    return selecting(SequentialFeatureSelector(LogisticRegression(), n_features_to_select=2, cv=2), 1423)


@case()
def select_fpr() -> Trained:
    return selecting(SelectFpr(), 1424)


@case()
def select_fdr() -> Trained:
    return selecting(SelectFdr(), 1425)


@case()
def select_fwe() -> Trained:
    return selecting(SelectFwe(), 1426)


@case()
def select_univariate() -> Trained:
    return selecting(GenericUnivariateSelect(mode="k_best", param=3), 1427)


def projecting(projection: object, seed: int) -> Trained:
    t = small(seed, f=6)
    model = make_pipeline(projection, Ridge())
    return model_of(model, t, t.y_real(), transform=True)


@case(BOTH)
def project_incremental() -> Trained:
    return projecting(IncrementalPCA(3, whiten=True), 1431)


@case(BOTH)
def project_ica() -> Trained:
    return projecting(FastICA(3, random_state=0, whiten="unit-variance"), 1432)


@case()
def project_random() -> Trained:
    return projecting(GaussianRandomProjection(3, random_state=0), 1433)


@case()
def project_random_sparse() -> Trained:
    return projecting(SparseRandomProjection(3, random_state=0), 1434)
