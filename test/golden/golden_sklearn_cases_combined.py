"""Estimators that are made of others: votes and stacks."""

from __future__ import annotations

import numpy as np
from sklearn.cluster import KMeans
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import StackingClassifier, StackingRegressor, VotingClassifier, VotingRegressor
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge, RidgeClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from golden_sklearn_cases_estimators import WORDS, model_of
from golden_sklearn_models import ALL, BOTH, Trained, case, fitted, small


def classifiers() -> list:
    return [
        ("line", make_pipeline(StandardScaler(), LogisticRegression())),
        ("tree", DecisionTreeClassifier(max_depth=3, random_state=0)),
        ("bayes", GaussianNB()),
    ]


def regressors() -> list:
    return [
        ("line", make_pipeline(StandardScaler(), Ridge())),
        ("tree", DecisionTreeRegressor(max_depth=3, random_state=0)),
    ]


# Votes --------------------------------------------------------------------------------------


@case(ALL)
def voting_soft() -> Trained:
    t = small(1301, named=True)
    model = VotingClassifier(classifiers(), voting="soft", weights=[2, 1, 0.5])
    return model_of(model, t, WORDS[t.y_class(3)], "VotingClassifier.soft", "VotingClassifier.weights")


@case()
def voting_soft_two() -> Trained:
    t = small(1302)
    return model_of(VotingClassifier(classifiers(), voting="soft"), t, t.y_binary())


@case(BOTH)
def voting_hard() -> Trained:
    """Two of two votes can tie; the first class wins then."""
    t = small(1303)
    model = VotingClassifier([*classifiers()[:2], ("gone", "drop")])
    return model_of(model, t, WORDS[t.y_class(3)], "VotingClassifier.hard", "VotingClassifier.drop")


@case()
def voting_hard_two() -> Trained:
    t = small(1304)
    model = VotingClassifier([*classifiers(), ("ridge", RidgeClassifier())], weights=[1, 2, 1.5, 0.5])
    return model_of(model, t, t.y_binary(), "VotingClassifier.hard")


@case(BOTH)
def voting_regressor() -> Trained:
    t = small(1305)
    return model_of(VotingRegressor(regressors(), weights=[3, 1]), t, t.y_real(), "VotingRegressor.weights")


# As steps -----------------------------------------------------------------------------------


@case()
def combined_steps() -> Trained:
    """Estimators that predict, as branches of a union: their transforms; so does a pipeline that ends in one."""
    t = small(1321)
    parts = [classifiers()[0], classifiers()[2]]
    union = FeatureUnion(
        [
            ("soft", VotingClassifier(parts, voting="soft")),
            ("hard", VotingClassifier(parts)),
            ("stack", StackingClassifier(parts, LogisticRegression())),
            ("means", make_pipeline(StandardScaler(), KMeans(2, n_init=1, random_state=0))),
        ]
    )
    covers = ["option=%s.transform" % name for name in ("VotingClassifier", "StackingClassifier", "Pipeline")]
    model = make_pipeline(union, LogisticRegression())
    return fitted(model, t, WORDS[t.y_class(3)], covers=covers, transform=True, most=32, probed=True, modest=True)


@case()
def combined_steps_numbers() -> Trained:
    t = small(1322, named=True)
    parts = [
        ("votes", VotingRegressor(regressors()), ["f0", "f1", "f2"]),
        ("stack", StackingRegressor(regressors(), Ridge()), ["f1", "f3"]),
        ("line", IsotonicRegression(out_of_bounds="clip"), ["f0"]),
    ]
    columns = ColumnTransformer(parts, remainder="passthrough").set_output(transform="pandas")
    covers = ["option=%s.transform" % name for name in ("VotingRegressor", "StackingRegressor", "IsotonicRegression")]
    return fitted(make_pipeline(columns, Ridge()), t, t.y_real(), covers=covers, most=32, probed=True, modest=True)


# Stacks -------------------------------------------------------------------------------------


@case(ALL)
def stacking_classifier() -> Trained:
    t = small(1311, named=True)
    model = StackingClassifier([*classifiers(), ("ridge", RidgeClassifier())], LogisticRegression())
    return model_of(model, t, WORDS[t.y_class(3)], "StackingClassifier.decision_function")


@case()
def stacking_classifier_passthrough() -> Trained:
    t = small(1312)
    final = make_pipeline(StandardScaler(), LogisticRegression())
    model = StackingClassifier(classifiers(), final, passthrough=True)
    return model_of(model, t, t.y_binary(), "StackingClassifier.passthrough")


@case()
def stacking_classifier_predict() -> Trained:
    t = small(1313)
    final = DecisionTreeClassifier(max_depth=4, random_state=0)
    model = StackingClassifier(classifiers(), final, stack_method="predict")
    return model_of(model, t, WORDS[t.y_class(3)], "StackingClassifier.predict")


@case()
def stacking_classifier_prefit() -> Trained:
    """What is fitted before knows the labels themselves."""
    t = small(1314)
    y = t.y_class(3) * 2 + 3
    parts = [(name, model.fit(t.matrix(), y)) for name, model in classifiers()]
    model = StackingClassifier(parts, LogisticRegression(max_iter=1000), cv="prefit", stack_method="predict")
    return model_of(model, t, y, "StackingClassifier.prefit", most=60)


@case(BOTH)
def stacking_classifier_labels() -> Trained:
    """Texts that what is fitted before predicts, encoded."""
    t = small(1340)
    y = WORDS[t.y_class(3)]
    parts = [(name, model.fit(t.matrix(), y)) for name, model in classifiers()[1:]]
    final = make_pipeline(OneHotEncoder(), DecisionTreeClassifier(max_depth=3, random_state=0))
    model = StackingClassifier(parts, final, cv="prefit", stack_method="predict")
    return model_of(model, t, y, "StackingClassifier.labels", most=32)


@case(BOTH)
def stacking_regressor() -> Trained:
    t = small(1315)
    return model_of(StackingRegressor(regressors(), LinearRegression()), t, t.y_real())


@case()
def stacking_regressor_passthrough() -> Trained:
    t = small(1316)
    model = StackingRegressor(regressors(), LinearRegression(), passthrough=True)
    return model_of(model, t, t.y_real(), "StackingRegressor.passthrough")
