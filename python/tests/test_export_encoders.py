"""Encoders of categories by numbers that training found: what they make of a row is the library's own."""

from __future__ import annotations

import os
import sys
import unittest
from typing import Any

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "../src"), HERE]

try:
    import numpy as np
    import pandas as pd
    import sklearn
except ImportError as e:
    raise unittest.SkipTest("needs numpy, pandas and scikit-learn: %s" % e) from e

from export_case import ExportCase
from own_format_reference import evaluate
from sklearn import preprocessing as pp
from sklearn.compose import ColumnTransformer
from sklearn.feature_selection import SelectKBest
from sklearn.impute import SimpleImputer
from sklearn.linear_model import Lasso, LogisticRegression, Ridge
from sklearn.naive_bayes import BernoulliNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier

from hbscore.export import export

VERSION = tuple(int(part) for part in sklearn.__version__.split(".")[:2])


def cells(frame: pd.DataFrame) -> np.ndarray:
    return np.array([[None if pd.isna(v) else v for v in row] for row in frame.to_numpy(dtype=object)], dtype=object)


class EncoderTest(ExportCase):
    def same(self, model: Any, sample: pd.DataFrame, asked: pd.DataFrame) -> None:
        got = evaluate(export(model, sample), cells(asked))
        want = np.asarray(model.transform(asked), dtype=np.float64)
        self.assertFalse(got.transform_null.any() or got.transform_error.any())
        np.testing.assert_array_equal(got.transform, want)


class Halves(EncoderTest):
    """Codes of float16: rounded from 2,049 categories on, and so is what scalers make of them."""

    def frame(self, count: int) -> pd.DataFrame:
        return pd.DataFrame({"a": ["c%05d" % i for i in range(count)], "b": [float(i % 3) for i in range(count)]})

    def steps(self) -> Any:
        yield from (pp.StandardScaler(), pp.StandardScaler(with_mean=False), pp.MinMaxScaler((-1, 3), clip=True))
        yield from (pp.MaxAbsScaler(), pp.RobustScaler(), SimpleImputer(), SelectKBest(k=1))

    def test_scalers_round_to_it(self) -> None:
        for count in (7, 2100):
            frame = self.frame(count)
            for step in self.steps():
                model = make_pipeline(pp.OrdinalEncoder(dtype=np.float16), step).fit(frame, np.arange(count) % 2)
                self.same(model, frame, frame[-40:])

    def test_beside_float64_they_are_float64(self) -> None:
        frame = self.frame(2100)
        encoder = ColumnTransformer([("a", pp.OrdinalEncoder(dtype=np.float16), ["a"])], remainder="passthrough")
        self.same(make_pipeline(encoder, pp.StandardScaler()).fit(frame), frame, frame[-40:])

    def test_most_estimators_widen_them(self) -> None:
        frame = self.frame(60)
        y = np.arange(60) % 3
        for last in (LogisticRegression(), DecisionTreeClassifier(), Ridge(), KNeighborsClassifier(), BernoulliNB(), Lasso(0.01)):
            model = make_pipeline(pp.OrdinalEncoder(dtype=np.float16), last).fit(frame, y)
            want = np.asarray(model.predict(frame), dtype=np.float64)
            np.testing.assert_allclose(np.ravel(evaluate(export(model, frame), cells(frame)).predict), want, rtol=1e-9)

    def test_those_that_compute_in_it_are_refused(self) -> None:
        frame = self.frame(60)
        for last in (pp.PolynomialFeatures(), pp.Normalizer(), pp.FunctionTransformer(np.log1p)):
            model = make_pipeline(pp.OrdinalEncoder(dtype=np.float16), last).fit(frame)
            self.refused(model, type(last).__name__, "gets columns of float16, in which it computes", sample=frame)


@unittest.skipIf(VERSION < (1, 3), "TargetEncoder is of 1.3")
class TargetEncoder(EncoderTest):
    def frame(self) -> pd.DataFrame:
        random = np.random.RandomState(1)
        plans = random.choice(["gold", "silver", "été", ""], 90).astype(object)
        plans[::9] = None
        zones = random.choice([1.0, 2.5, np.nan], 90)
        return pd.DataFrame({"plan": pd.Series(plans, dtype=object), "zone": zones})

    def targets(self) -> Any:
        random = np.random.RandomState(2)
        yield "continuous", random.randn(90)
        yield "binary", random.choice(["no", "yes"], 90)
        yield "multiclass", random.choice([3, 5, 9, 11], 90)

    def test_every_target(self) -> None:
        frame = self.frame()
        asked = pd.DataFrame({"plan": ["gold", "new", None, ""], "zone": [2.5, 7.0, np.nan, 1.0]}, dtype=object)
        asked["zone"] = asked["zone"].astype(float)
        for kind, y in self.targets():
            for smooth in ("auto", 0.0, 7.5):
                with self.subTest(kind=kind, smooth=smooth):
                    model = pp.TargetEncoder(target_type=kind, smooth=smooth).fit(frame, y)
                    self.same(model, frame, asked)

    def test_a_missing_number_that_training_had_not_is_unseen(self) -> None:
        frame = pd.DataFrame({"zone": [1.0, 2.0] * 20})
        model = pp.TargetEncoder().fit(frame, np.arange(40) + 0.5)
        self.same(model, frame, pd.DataFrame({"zone": [np.nan, 3.0, 2.0]}))

    def test_what_is_refused(self) -> None:
        frame = self.frame()
        frame.loc[3, "plan"] = np.nan
        both = pp.TargetEncoder().fit(frame, np.arange(90) + 0.5)
        if len(both.categories_[0]) == 6:
            self.refused(both, "TargetEncoder has None and NaN as categories of column 0, which are both NULL")
        model = pp.TargetEncoder().fit(frame[["zone"]], np.arange(90) + 0.5)
        model.encodings_ = model.encodings_ * 2
        self.refused(model, "TargetEncoder has encodings_ of 2 columns, expected 1")
        self.refused(pp.TargetEncoder(), "is it fitted?")


if __name__ == "__main__":
    unittest.main()
