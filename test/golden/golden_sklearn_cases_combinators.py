"""Isotonic regression, and estimators around others that it, or several of which, answer."""

from __future__ import annotations

import numpy as np
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import RandomForestClassifier, VotingRegressor
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeRegressor

from golden_sklearn_cases_estimators import WORDS, model_of
from golden_sklearn_models import BOTH, Trained, case, clean, small


def few_trees() -> RandomForestClassifier:
    return RandomForestClassifier(3, max_depth=3, random_state=0)


# Isotonic regression --------------------------------------------------------------------------


@case(BOTH)
def isotonic() -> Trained:
    t = clean(1501, f=1)
    return model_of(IsotonicRegression(), t, t.y_real(), "IsotonicRegression.nan", nan=True)


@case(BOTH)
def isotonic_clip() -> Trained:
    t = clean(1502, f=1)
    model = IsotonicRegression(out_of_bounds="clip", increasing=False, y_min=-1.0, y_max=1.5)
    return model_of(model, t, -t.y_real(), "IsotonicRegression.clip")


@case(BOTH)
def isotonic_raise() -> Trained:
    t = clean(1503, f=1)
    return model_of(IsotonicRegression(out_of_bounds="raise"), t, t.y_real(), "IsotonicRegression.raise")


@case(BOTH)
def isotonic_narrow() -> Trained:
    t = small(1504, f=1)
    model = IsotonicRegression(out_of_bounds="clip")
    return model_of(model, t, t.y_real(), "IsotonicRegression.float32", narrow=True)


@case()
def isotonic_constant() -> Trained:
    t = small(1505, f=1)
    t.columns[0].values = np.full(160, 0.25)
    return model_of(IsotonicRegression(out_of_bounds="raise"), t, t.y_real(), "IsotonicRegression.one-point")


@case()
def isotonic_voting() -> Trained:
    t = small(1506, f=1)
    model = VotingRegressor([("t", DecisionTreeRegressor(max_depth=3)), ("i", IsotonicRegression(out_of_bounds="clip"))])
    return model_of(model, t, t.y_real())


# Calibration ----------------------------------------------------------------------------------


@case(BOTH)
def calibrated_isotonic() -> Trained:
    t = small(1511, named=True)
    model = CalibratedClassifierCV(few_trees(), method="isotonic", cv=2)
    return model_of(model, t, WORDS[t.y_class(3)], "Calibrated.isotonic")


@case(BOTH)
def calibrated_isotonic_two() -> Trained:
    t = small(1512)
    model = CalibratedClassifierCV(LinearSVC(dual=True), method="isotonic", cv=2)
    return model_of(model, t, t.y_binary(), "Calibrated.isotonic")


@case()
def calibrated_isotonic_narrow() -> Trained:
    t = small(1513)
    model = CalibratedClassifierCV(LogisticRegression(), method="isotonic", cv=2)
    return model_of(model, t, t.y_binary(), "Calibrated.float32", narrow=True)
