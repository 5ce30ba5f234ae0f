"""operators_combined.py - what is benchmarked of estimators that are made of others."""

from __future__ import annotations

import numpy as np
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import StackingClassifier, VotingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.multioutput import MultiOutputRegressor
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from operators_tasks import FEWER, TRAINED_ON, Task, family, spec, widened_iris

PARTS = [
    ("logistic", LogisticRegression(max_iter=500)),
    ("tree", DecisionTreeClassifier(max_depth=8, random_state=1)),
    ("bayes", GaussianNB()),
]
OF = " of LogisticRegression, DecisionTreeClassifier, GaussianNB"

family("VotingClassifier", "VotingClassifier, soft," + OF, VotingClassifier(PARTS, voting="soft", flatten_transform=False), "predict_proba")
family("StackingClassifier", "StackingClassifier" + OF, StackingClassifier(PARTS, cv=3), "predict_proba")
for method in ("sigmoid", "isotonic"):
    family("Calibrated_" + method, "CalibratedClassifierCV of LinearSVC, 3 folds, " + method,
           CalibratedClassifierCV(LinearSVC(), method=method, cv=3), "predict_proba")


@spec("MultiOutputRegressor")
def several_outputs(name: str, rows: int) -> Task:
    x, _ = widened_iris(min(rows, FEWER))
    y = np.stack([x[:, 0] * x[:, 5], x[:, 1] + x[:, 2], np.sin(x[:, 3])], axis=1)
    model = MultiOutputRegressor(DecisionTreeRegressor(max_depth=8, random_state=1)).fit(x[:TRAINED_ON], y[:TRAINED_ON])
    title = "MultiOutputRegressor of DecisionTreeRegressor, 3 outputs"
    return Task(name, title, "predict_values", model, x, by_row_of_sklearn=20)
