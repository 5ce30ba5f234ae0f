"""Support vector machines, by themselves and inside other estimators."""

from __future__ import annotations

import numpy as np
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import BaggingClassifier, StackingClassifier, VotingClassifier
from sklearn.linear_model import LogisticRegression, SGDOneClassSVM
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC, SVR, NuSVC, NuSVR, OneClassSVM

from golden_sklearn_cases_estimators import WORDS, model_of
from golden_sklearn_models import BOTH, Trained, case, fitted, small
from golden_tables import Table

ROWS = 90


def few(seed: int, named: bool = False) -> Table:
    return small(seed, n=ROWS, f=3, named=named)


# Classes --------------------------------------------------------------------------------------


@case(BOTH)
def svc_two() -> Trained:
    t = few(1701, named=True)
    return model_of(SVC(probability=True, random_state=0), t, WORDS[t.y_binary()], "SVC.probability")


@case(BOTH)
def svc_three() -> Trained:
    """Labels are those of votes; probabilities may say otherwise."""
    t = few(1702)
    return model_of(SVC(probability=True, random_state=0, C=0.3), t, WORDS[t.y_class(3)], "SVC.ovr")


@case()
def svc_five_ovo() -> Trained:
    t = few(1703)
    model = SVC(kernel="poly", degree=2, coef0=1.0, decision_function_shape="ovo")
    return model_of(model, t, t.y_class(5), "SVC.ovo", "SVC.poly", most=32)


@case()
def svc_break_ties() -> Trained:
    t = few(1704)
    return model_of(SVC(break_ties=True, gamma=0.7), t, t.y_class(4), "SVC.break_ties", "SVC.gamma")


@case()
def svc_linear() -> Trained:
    t = few(1705)
    return model_of(SVC(kernel="linear"), t, t.y_class(3) * 10, "SVC.linear")


@case()
def svc_sigmoid() -> Trained:
    t = few(1706)
    return model_of(SVC(kernel="sigmoid", coef0=-0.5, gamma="auto"), t, t.y_class(3), "SVC.sigmoid")


@case()
def svc_cubic() -> Trained:
    t = few(1707)
    return model_of(SVC(kernel="poly", class_weight="balanced"), t, t.y_binary() > 0, "SVC.poly")


@case()
def svc_sparse() -> Trained:
    """Trained on a sparse matrix, whose coefficients are sparse too."""
    t = few(1708)
    for c in t.columns:
        c.values = np.round(np.asarray(c.values))
    x = np.vstack([t.matrix(), np.arange(9.0)[:, np.newaxis] + np.zeros(3) - 4.0])
    y = np.concatenate([t.y_class(3), np.arange(9) % 3])
    pipe = make_pipeline(OneHotEncoder(handle_unknown="ignore"), SVC(probability=True, random_state=0))
    return Trained(pipe.fit(x, y), t, covers=["option=SVC.sparse"], count=32, most=32)


@case()
def svc_float32() -> Trained:
    t = few(1709)
    return model_of(SVC(), t, t.y_class(3), "SVC.float32", narrow=True, doubles=True)


@case(BOTH)
def nu_svc() -> Trained:
    t = few(1710)
    return model_of(NuSVC(nu=0.3, probability=True, random_state=0), t, t.y_class(3))


@case()
def nu_svc_two() -> Trained:
    t = few(1711)
    return model_of(make_pipeline(StandardScaler(), NuSVC(nu=0.4)), t, t.y_binary())


# Numbers and outliers -------------------------------------------------------------------------


@case(BOTH)
def svr() -> Trained:
    t = few(1721, named=True)
    return model_of(SVR(C=2.0), t, t.y_real())


@case()
def svr_poly() -> Trained:
    t = few(1722)
    return model_of(SVR(kernel="poly", degree=3, coef0=0.5), t, t.y_real(), "SVR.poly")


@case()
def svr_without_vectors() -> Trained:
    """All answers are within epsilon: the intercept is the answer."""
    t = few(1723)
    return model_of(SVR(epsilon=1e3), t, t.y_real(), "SVR.empty")


@case()
def svr_linear() -> Trained:
    t = few(1724)
    return model_of(SVR(kernel="linear"), t, t.y_real(), "SVR.linear")


@case(BOTH)
def nu_svr() -> Trained:
    t = few(1725)
    return model_of(NuSVR(nu=0.4, kernel="sigmoid", gamma=0.1), t, t.y_real())


@case(BOTH)
def one_class_svm() -> Trained:
    t = few(1726)
    return model_of(OneClassSVM(nu=0.2), t, None)


@case()
def one_class_svm_linear() -> Trained:
    t = few(1727)
    for c in t.columns:  # far from 0, so that the weights of the columns are no rest of what cancels
        c.values = np.asarray(c.values) + 3.0
    return model_of(OneClassSVM(kernel="linear", nu=0.3), t, None, "OneClassSVM.linear")


@case(BOTH)
def sgd_one_class_svm() -> Trained:
    t = few(1728)
    return model_of(SGDOneClassSVM(random_state=0, nu=0.3), t, None)


# Inside other estimators ----------------------------------------------------------------------


@case()
def vectors_in_a_hard_vote() -> Trained:
    t = few(1731)
    parts = [("svc", SVC()), ("nu", NuSVC(nu=0.3)), ("bayes", GaussianNB())]
    return model_of(VotingClassifier(parts), t, WORDS[t.y_class(3)], "VotingClassifier.votes-of-SVC")


@case()
def vectors_in_a_soft_vote() -> Trained:
    t = few(1732)
    parts = [("svc", SVC(probability=True, random_state=0)), ("bayes", GaussianNB())]
    return model_of(VotingClassifier(parts, voting="soft"), t, t.y_class(3), "VotingClassifier.soft-of-SVC")


@case()
def vectors_in_a_stack() -> Trained:
    t = few(1733)
    parts = [("svc", SVC(probability=True, random_state=0)), ("scores", SVC(C=0.5)), ("bayes", GaussianNB())]
    return model_of(StackingClassifier(parts, LogisticRegression(), cv=2), t, t.y_class(3), "StackingClassifier.SVC")


@case()
def vectors_in_a_stack_of_labels() -> Trained:
    t = few(1734)
    parts = [("svc", SVC()), ("two", SVC(kernel="linear", C=0.1))]
    model = StackingClassifier(parts, LogisticRegression(), cv=2, stack_method="predict")
    return model_of(model, t, t.y_binary(), "StackingClassifier.labels-of-SVC")


@case()
def vectors_calibrated() -> Trained:
    t = few(1735)
    return model_of(CalibratedClassifierCV(SVC(), cv=2), t, t.y_class(3), "CalibratedClassifierCV.SVC")


@case()
def vectors_in_bags() -> Trained:
    t = few(1736)
    model = BaggingClassifier(SVC(), n_estimators=3, max_samples=0.4, random_state=0)
    return model_of(model, t, t.y_class(3), "BaggingClassifier.SVC")


@case()
def vectors_of_a_kernel() -> Trained:
    """A column for each row of training."""
    t = small(1737, f=14, n=14)
    products = t.matrix() @ t.matrix().T
    for column, values in zip(t.columns, products.T):
        column.values = np.round(values, 3)
    rows = [[float(v) for v in row] for row in small(1738, f=14, n=20).matrix()]
    rows += [[0.5] * 13 + [v] for v in (None, float("inf"), -0.0, 2)]
    covers = ["option=SVC.precomputed"]
    return fitted(SVC(kernel="precomputed"), t, t.y_class(3), covers=covers, rows=rows, count=0)
