"""Estimators around others, and isotonic regression: SQL gives scikit-learn's own answers, and what is not supported is
named."""

from __future__ import annotations

import sqlite3
import unittest
import warnings
from typing import Any

import numpy
from sklearn import ensemble, isotonic
from sklearn.calibration import CalibratedClassifierCV

import hbscore
from support import connect_sqlite3, scored
from test_ensembles import FULL, THREE

X = FULL[:, :1]
Y = FULL[:, 0] + FULL[:, 1]


class Combinators(unittest.TestCase):
    def setUp(self) -> None:
        warnings.simplefilter("ignore")

    def same(self, model: Any, x: Any) -> sqlite3.Connection:
        """Of each answer that the model has."""
        connection = connect_sqlite3()
        hbscore.register(connection, "m", model, sample=x)
        self.assertEqual(scored(connection, "predict", "m", x), numpy.asarray(model.predict(x)).tolist())
        for function, method in (("predict_proba", "predict_proba"), ("decision_function", "decision_function")):
            if hasattr(model, method):
                want = getattr(model, method)(x)
                want = want.reshape(len(x), -1) if want.ndim == 1 else want
                numpy.testing.assert_allclose(scored(connection, function, "m", x), want, rtol=1e-12, atol=1e-12)
        return connection

    def refused(self, model: Any, text: str) -> None:
        with self.assertRaises(hbscore.UnsupportedModel) as caught:
            hbscore.export(model)
        self.assertIn(text, str(caught.exception))


class Isotonic(Combinators):
    def test_points_and_lines(self) -> None:
        for rising in (True, False, "auto"):
            self.same(isotonic.IsotonicRegression(increasing=rising).fit(X, Y), X)
        self.same(isotonic.IsotonicRegression().fit(X.astype(numpy.float32), Y), X.astype(numpy.float32))

    def test_beside_the_points(self) -> None:
        wide = numpy.array([[-99.0], [0.0], [99.0]])
        self.same(isotonic.IsotonicRegression(out_of_bounds="clip").fit(X, Y), wide)
        model = isotonic.IsotonicRegression(out_of_bounds="raise").fit(X, Y)
        connection = self.same(model, wide[1:2])
        self.assertEqual([a is None for a in scored(connection, "predict", "m", wide)], [True, False, True])
        model = isotonic.IsotonicRegression().fit(X, Y)
        connection = self.same(model, wide[1:2])
        self.assertEqual([a is None for a in scored(connection, "predict", "m", wide)], [True, False, True])

    def test_what_is_wrong_is_named(self) -> None:
        model = isotonic.IsotonicRegression().fit(X, Y)
        model.X_thresholds_ = model.X_thresholds_[::-1]
        self.refused(model, "IsotonicRegression has X_thresholds_ that do not rise")
        model.X_thresholds_ = model.X_thresholds_[:0]
        model.y_thresholds_ = model.y_thresholds_[:0]
        self.refused(model, "IsotonicRegression has X_thresholds_ that do not rise")


class Calibrated(Combinators):
    def test_by_lines(self) -> None:
        trees = ensemble.RandomForestClassifier(5, max_depth=3, random_state=0)
        for y in (THREE, THREE > 0):
            for whole in (True, False):
                model = CalibratedClassifierCV(trees, method="isotonic", cv=2, ensemble=whole)
                self.same(model.fit(FULL, y), FULL)


if __name__ == "__main__":
    unittest.main()
