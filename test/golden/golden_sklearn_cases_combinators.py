"""Isotonic regression, and estimators around others that it, or several of which, answer."""

from __future__ import annotations

import numpy as np
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import RandomForestClassifier, VotingRegressor
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

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


# An estimator of a fold that some class is not in ---------------------------------------------


LETTERS = np.array(["a", "b", "c", "d", "e"])


def folds(y: np.ndarray, *gone: str) -> list:
    """One for each of `gone`: it trains without these letters, and calibrates with every other row."""
    rows = np.arange(len(y))
    return [(rows[~np.isin(y, list(letters)) & (rows % 3 > 0)], rows[rows % 2 == 0]) for letters in gone]


@case(BOTH)
def calibrated_some_likely() -> Trained:
    """Three, two and all of four classes. Of two the second one's probability counts for the first, but in 1.2."""
    t = small(1514, named=True)
    y = LETTERS[t.y_class(4)]
    model = CalibratedClassifierCV(GaussianNB(), cv=folds(y, "b", "ad", ""))
    return model_of(model, t, y, "Calibrated.some-classes", most=34, probed=True, modest=True)


@case(BOTH)
def calibrated_some_scores() -> Trained:
    t = small(1515)
    y = LETTERS[t.y_class(4)]
    model = CalibratedClassifierCV(LinearSVC(dual=True, random_state=0), method="isotonic", cv=folds(y, "d", "bc"))
    return model_of(model, t, y, "Calibrated.some-classes", most=34, probed=True, modest=True)


@case()
def calibrated_some_none() -> Trained:
    """All calibrated scores of the first fold are 0, since it is calibrated without the first class that it knows: then all
    classes are equally likely."""
    t = small(1516)
    y = LETTERS[t.y_class(3)]
    (train, rows), whole = folds(y, "a", "")
    tree = DecisionTreeClassifier(max_depth=2, random_state=0)
    model = CalibratedClassifierCV(tree, method="isotonic", cv=[(train, rows[y[rows] != "b"]), whole])
    return model_of(model, t, y, "Calibrated.some-classes", most=34)


@case()
def calibrated_some_pairs() -> Trained:
    """Four classes have six scores of pairs, of which the first four are calibrated."""
    t = small(1517, n=100)
    y = LETTERS[t.y_class(5)]
    model = CalibratedClassifierCV(SVC(decision_function_shape="ovo"), cv=folds(y, "c", "ace"))
    return model_of(model, t, y, "Calibrated.some-classes", most=34, probed=True, modest=True)
