"""The encoders of category_encoders: what they make of a row, of unseen and of missing values is the package's own."""

from __future__ import annotations

import contextlib
import io
import os
import sys
import unittest
import warnings
from typing import Any, Optional

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "../src"), HERE]

try:
    import category_encoders
    import numpy as np
    import pandas as pd
except ImportError as e:
    raise unittest.SkipTest("needs category_encoders: %s" % e) from e

from own_format_reference import evaluate
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline

from hbscore.export import EXPORTERS, ExportError, export
from hbscore.export.category_encoders import NAMES

COLUMNS = ["plan", "zone"]


def table() -> pd.DataFrame:
    random = np.random.RandomState(1)
    plans = random.choice(["gold", "été", "", "plus"], 60).astype(object)
    plans[::7] = np.nan
    zones = random.choice([1, 5, 9], 60)
    return pd.DataFrame({"age": np.round(random.randn(60), 2), "plan": pd.Series(plans, dtype=object), "zone": zones})


def asked(frame: pd.DataFrame) -> pd.DataFrame:
    """Rows of training, and some with unseen and missing values."""
    rows = pd.concat([frame.iloc[:6], frame.iloc[:5]], ignore_index=True).astype({"zone": object})
    for row, column, value in ((6, "plan", "new"), (7, "plan", np.nan), (8, "zone", 7), (9, "zone", np.nan)):
        rows.loc[row, column] = value
    rows.loc[10, "age"] = np.nan
    return rows


class EncoderTest(unittest.TestCase):
    def setUp(self) -> None:
        warnings.simplefilter("ignore")

    def own(self, encoder: Any, row: pd.DataFrame) -> Optional[np.ndarray]:
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                return np.asarray(encoder.transform(row), dtype=np.float64)[0]
        except (ValueError, KeyError):
            return None

    def same(self, encoder: Any, frame: pd.DataFrame) -> None:
        document = export(encoder, frame)
        for _, one in asked(frame).iterrows():
            row = one.to_frame().T.astype({"age": float})
            want = self.own(encoder, row)
            cells = [None if pd.isna(v) else v for v in one.tolist()]
            got = evaluate(document, np.array([cells], dtype=object))
            refused = bool(got.transform_null[0] or got.transform_error[0])
            self.assertEqual(refused, want is None, cells)
            if want is not None:
                np.testing.assert_array_equal(got.transform[0], want, str(cells))

    def fitted(self, name: str, **options: Any) -> Any:
        frame = table()
        y = pd.Series((np.arange(60) * 7 % 11 < 5).astype(int))
        options.setdefault("cols", list(COLUMNS))  # which the package lengthens
        return getattr(category_encoders, name)(**options).fit(frame, y)

    def test_every_encoder(self) -> None:
        for name in NAMES:
            for rule in ("value", "return_nan"):
                with self.subTest(name=name, rule=rule):
                    quantiles = {"quantiles": (0.1, 0.9)} if name == "SummaryEncoder" else {}
                    self.same(self.fitted(name, handle_unknown=rule, handle_missing=rule, **quantiles), table())

    def test_rules(self) -> None:
        for name in ("OneHotEncoder", "BinaryEncoder", "SumEncoder", "HelmertEncoder"):
            for unknown, missing in (("error", "value"), ("indicator", "indicator"), ("value", "return_nan")):
                with self.subTest(name=name, unknown=unknown, missing=missing):
                    self.same(self.fitted(name, handle_unknown=unknown, handle_missing=missing), table())

    def test_combinations_of_columns(self) -> None:
        names = "TargetEncoder CatBoostEncoder JamesSteinEncoder LeaveOneOutEncoder MEstimateEncoder QuantileEncoder WOEEncoder"
        for name in names.split():
            for keep in (False, True):
                for rule in ("value", "return_nan"):
                    with self.subTest(name=name, keep=keep, rule=rule):
                        options = {"handle_unknown": rule, "handle_missing": rule, "composite_cols": [("plan", "zone")]}
                        self.same(self.fitted(name, keep_components=keep, **options), table())
        self.same(self.fitted("TargetEncoder", cols=["plan"], composite_cols=[("zone", "plan")]), table())
        self.same(self.fitted("TargetEncoder", cols=["zone"], composite_cols=[("age", "zone"), ("plan", "zone")]), table())
        bars = table().assign(plan="a|b")
        model = category_encoders.TargetEncoder(cols=["plan"], composite_cols=[("plan", "zone")]).fit(bars, pd.Series(range(60)))
        with self.assertRaisesRegex(ExportError, "combines columns 'plan|zone' with '|' in a value"):
            export(model, bars)

    def test_functions_say_what_becomes_of_others(self) -> None:
        """Training calls them, once for each column; OrdinalEncoder does so for each missing value."""

        def count(value: Any, mapping: Any) -> float:
            return -float(len(mapping))

        for name in ("TargetEncoder", "CatBoostEncoder", "CountTargetEncoder", "QuantileEncoder"):
            with self.subTest(name=name):
                self.same(self.fitted(name, handle_unknown=count, handle_missing=count), table())
        self.same(self.fitted("OrdinalEncoder", handle_missing=count), table())

    def test_texts_that_are_not_encoded_pass(self) -> None:
        frame = table().assign(plan="x")
        encoder = category_encoders.OrdinalEncoder(cols=["zone"]).fit(frame)
        inner = category_encoders.OrdinalEncoder(cols=["plan"]).fit(encoder.transform(frame))
        steps = make_pipeline(encoder, inner)
        row = [0.5, "x", 5]
        got = evaluate(export(steps, frame), np.array([row], dtype=object)).transform
        want = steps.transform(pd.DataFrame([row], columns=list(frame)))
        np.testing.assert_array_equal(got, np.asarray(want, dtype=float))

    def test_before_a_model(self) -> None:
        frame = table()
        y = pd.Series(np.arange(60.0))
        model = make_pipeline(category_encoders.TargetEncoder(cols=COLUMNS), Ridge()).fit(frame, y)
        rows = np.array([[0.5, "gold", 5], [0.5, "new", 77], [None, "gold", 5]], dtype=object)
        got = evaluate(export(model, frame), rows)
        self.assertEqual(got.null.tolist(), [False, False, True])

    def test_a_matrix_without_names(self) -> None:
        x = np.array([[1.0, 5.0], [2.0, 5.0], [1.0, 7.0]] * 4)
        encoder = category_encoders.CountEncoder(cols=[1]).fit(x)
        got = evaluate(export(encoder), np.array([[3.0, 7.0], [np.nan, 8.0]]))
        np.testing.assert_array_equal(got.transform, [[3.0, 4.0], [np.nan, 0.0]])

    def test_classes_of_the_package_only(self) -> None:
        for name in NAMES:
            self.assertIn("category_encoders.%s" % name, EXPORTERS)
            self.assertTrue(hasattr(category_encoders, name), name)

    def test_what_is_refused(self) -> None:
        def most(value: Any, mapping: Any) -> float:
            return -5.0

        for model, words in (
            (self.fitted("OrdinalEncoder", handle_unknown=most), "a function as handle_unknown is not supported: it is called with the category"),
            (category_encoders.HashingEncoder().fit(table()), "HashingEncoder of category_encoders.hashing is not"),
            (category_encoders.OneHotEncoder(), "is it fitted?"),
        ):
            with self.subTest(words=words), self.assertRaises(ExportError) as caught:
                export(model, table())
            self.assertIn(words, str(caught.exception))


if __name__ == "__main__":
    unittest.main()
