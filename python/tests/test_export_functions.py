"""FunctionTransformer and PowerTransformer: what they make of a row is the library's own, or they are refused."""

from __future__ import annotations

import os
import sys
import unittest
from functools import partial
from typing import Any

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "../src"), HERE]

try:
    import numpy as np
    import pandas as pd
    import scipy.special
    import sklearn
except ImportError as e:
    raise unittest.SkipTest("needs numpy, pandas and scikit-learn: %s" % e) from e

from export_case import ExportCase
from own_format_reference import evaluate
from sklearn import preprocessing as pp
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline

from hbscore.export import export
from hbscore.export.functions import FACTORS, MAPS, SPECIAL, TESTS

NUMBERS = np.array([[0.5, -2.5, np.nan], [np.inf, -np.inf, -0.0], [1.5, 3.0, 1e-9], [2.5, 700.0, -0.25]])


class FunctionTest(ExportCase):
    def setUp(self) -> None:
        super().setUp()
        self.enterContext(np.errstate(all="ignore")) if hasattr(self, "enterContext") else np.seterr(all="ignore")

    def same(self, model: Any, x: np.ndarray, sample: Any = None, rtol: float = 1e-15) -> None:
        got = evaluate(export(model, sample), np.asarray(x, dtype=np.float64))
        want = np.asarray(model.transform(x), dtype=np.float64)
        np.testing.assert_allclose(got.transform, want, rtol=rtol, atol=0.0)


class FunctionTransformer(FunctionTest):
    def made(self, function: Any, x: Any = NUMBERS, **more: Any) -> Any:
        return pp.FunctionTransformer(function, **more).fit(x)

    def test_numpy_by_its_objects(self) -> None:
        for name in [*MAPS, *FACTORS, *TESTS]:
            with self.subTest(name=name):
                self.same(self.made(getattr(np, name)), NUMBERS)

    def test_scipy_by_its_objects(self) -> None:
        for name in SPECIAL:
            with self.subTest(name=name):
                self.same(self.made(getattr(scipy.special, name)), NUMBERS)

    def test_logit(self) -> None:
        x = np.concatenate([np.linspace(0.0, 1.0, 41), 0.5 + 2.0 ** -np.arange(1.0, 53.0), [1e-300, 0.3, 0.65, -0.5, 2.0, np.nan]])
        self.same(self.made(scipy.special.logit, x[:, np.newaxis]), x[:, np.newaxis], rtol=4e-15)
        narrow = x[:, np.newaxis].astype(np.float32)
        got = evaluate(export(self.made(scipy.special.logit, narrow), narrow), narrow.astype(np.float64)).transform
        np.testing.assert_allclose(got, scipy.special.logit(narrow).astype(np.float64), rtol=1e-6, atol=1e-7)

    def test_float32_is_rounded_after_each_step(self) -> None:
        x = np.array([[0.1, -7.3], [2.7, 1e-3]], dtype=np.float32)
        for function in (np.square, np.sqrt, np.reciprocal, np.deg2rad):
            self.same(self.made(function, x), x, sample=x)
        clip = self.made(np.clip, x, kw_args={"a_min": 0.1, "a_max": 0.3})
        self.same(clip, x, sample=x)

    def test_columns_of_several_types(self) -> None:
        frame = pd.DataFrame({"a": np.float32([0.1, 0.7]), "b": [0.1, 0.7], "c": np.float32([5, 6])})
        model = self.made(np.square, frame)
        got = evaluate(export(model, frame), frame.to_numpy(dtype=np.float64)).transform
        np.testing.assert_array_equal(got, np.square(frame).to_numpy(dtype=np.float64))

    def test_integers_begin_again_at_the_other_end(self) -> None:
        """As numpy's own, in their own type, whatever follows."""
        for kind in (np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64):
            info = np.iinfo(kind)
            ends = [info.max, info.min, info.max // 2, 15, 16, 17, 181, 182, 46340, 46341, 3037000500, 2**53, 2**53 - 1, -1, 0, 1]
            x = np.array([v for v in ends if max(info.min, -(2**53)) <= v <= min(info.max, 2**53)], dtype=kind)[:, np.newaxis]
            for function in (np.square, np.negative, np.absolute, np.sign, np.reciprocal):
                with self.subTest(kind=kind.__name__, function=function.__name__):
                    asked = x[x[:, 0] != 0] if function is np.reciprocal else x
                    self.same(self.made(function, asked), asked, sample=asked, rtol=0.0)
            twice = make_pipeline(self.made(np.square, x), self.made(np.negative, x), pp.FunctionTransformer(np.abs)).fit(x)
            few = x[np.abs(x[:, 0].astype(np.float64)) < 1e7]
            self.same(twice, few, sample=few, rtol=0.0)

    def test_integers_that_float64_rounds_have_no_result(self) -> None:
        x = np.array([[3, 1], [4, 1]], dtype=np.int64)
        asked = np.array([[2.0**53, 1.0], [2.0**53 + 2.0, 1.0], [2.5, 1.0], [np.nan, 1.0], [np.inf, 1.0], [1.0, -(2.0**60)]])
        got = evaluate(export(self.made(np.square, x), x), asked)
        self.assertEqual(got.transform_null.tolist(), [False, True, False, False, True, True])
        self.assertEqual(got.transform[0].tolist(), [0.0, 1.0])
        self.assertEqual(got.transform[2].tolist(), [6.25, 1.0])
        mixed = pd.DataFrame({"a": x[:, 0], "b": [0.5, 1.5]})
        got = evaluate(export(self.made(np.square, mixed), mixed), np.array([[5.0, np.inf], [2.0**54, 1.0]]))
        self.assertEqual(got.transform_null.tolist(), [False, True])

    def test_small_integers_become_float32(self) -> None:
        x = np.array([[3, -7], [1000, 5]], dtype=np.int16)
        for function in (np.sin, np.cbrt, np.degrees, np.rint, np.floor, scipy.special.expit, scipy.special.ndtri):
            model = self.made(function, x)
            self.same(model, x, sample=x, rtol=2e-7)
        self.same(make_pipeline(self.made(np.degrees, x), self.made(np.square, x)), x, sample=x, rtol=0.0)
        self.same(self.made(np.clip, x, kw_args={"a_min": 0, "a_max": 9}), x, sample=x)
        for decimals in (-1, -2, 0, 3):
            whole = np.array([[15, -3], [25, 2**53 - 1]])
            self.same(self.made(np.round, whole, kw_args={"decimals": decimals}), whole, sample=whole, rtol=0.0)

    def test_tens_of_small_integers(self) -> None:
        """Those of 8 and 16 bits wrap round; what becomes of those of 32 bits depends on the processor."""
        for kind in (np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32):
            least, most = int(np.iinfo(kind).min), int(np.iinfo(kind).max)
            x = np.array([[15, 25], [least, most], [44, least // 2]], dtype=kind)
            whole = x if x.itemsize < 4 else x[::2]
            for decimals in (-1, -2, -3, 0, 2):
                model = self.made(np.round, x, kw_args={"decimals": decimals})
                self.same(model, whole if decimals < 0 else x, sample=x, rtol=0.0)
        got = evaluate(export(self.made(np.round, x, kw_args={"decimals": -1}), x), x.astype(np.float64))
        self.assertEqual(got.transform_null.tolist(), [False, True, False])

    def test_options(self) -> None:
        for options in ({"a_min": 0.25, "a_max": None}, {"a_min": None, "a_max": 1.0}, {"a_min": -1, "a_max": 2}):
            self.same(self.made(np.clip, kw_args=options), NUMBERS)
        for options in ({}, {"nan": 3.0}, {"posinf": 1.0, "neginf": -1.0, "copy": True}):
            self.same(self.made(np.nan_to_num, kw_args=options), NUMBERS)
        for options in ({}, {"decimals": 1}, {"decimals": -2}):
            self.same(self.made(np.round, kw_args=options), NUMBERS)

    def test_a_partial_function(self) -> None:
        self.same(self.made(partial(np.clip, a_min=0.0, a_max=1.0)), NUMBERS)
        self.same(self.made(partial(partial(np.round, decimals=3), decimals=1)), NUMBERS)

    def test_validate_refuses_what_it_checks(self) -> None:
        got = evaluate(export(self.made(np.square, NUMBERS[2:], validate=True)), NUMBERS)
        self.assertEqual(got.transform_null.tolist(), [True, True, False, False])
        got = evaluate(export(self.made(np.square)), NUMBERS)
        self.assertFalse(got.transform_null.any())

    def test_the_next_step_refuses_what_a_logarithm_makes(self) -> None:
        x = np.abs(np.random.RandomState(1).randn(30, 2)) + 0.1
        model = make_pipeline(pp.FunctionTransformer(np.log), Ridge()).fit(x, x[:, 0])
        got = evaluate(export(model), np.array([[1.0, 2.0], [0.0, 1.0], [1.0, -1.0]]))
        self.assertEqual(got.null.tolist(), [False, True, True])

    def test_what_is_refused(self) -> None:
        def log1p(x: Any) -> Any:
            return x

        self.refused(self.made(log1p), "with the function log1p of test_export_functions is not")
        self.refused(self.made(np.cumsum), "with the function cumsum of numpy is not supported")
        self.refused(self.made(partial(np.power, 2.0)), "with the function an object of the type partial of functools")
        bounds = {"a_min": [0.0, 1.0, 2.0], "a_max": None}
        self.refused(self.made(np.clip, kw_args=bounds), "has a kw_args of shape (3,)")
        self.refused(self.made(np.exp, kw_args={"where": True}), "with where in kw_args of exp is not supported")
        x = np.array([[1], [2]], dtype=np.int8)
        self.refused(self.made(np.exp, x), "with exp of int8 columns is not supported: numpy computes it in float16", sample=x)
        self.refused(self.made(np.round, x > 1, kw_args={"decimals": -1}), "with round of bool columns", sample=x > 1)
        self.refused(self.made(np.negative, x > 1), "with negative of bool columns is not supported", sample=x > 1)
        texts = pd.DataFrame({"a": ["x", "y"]})
        self.refused(self.made(np.isnan, texts[[]].assign(a=1.0)), "with isnan gets texts", sample=texts)


class PowerTransformer(FunctionTest):
    LAMBDAS = (0.0, 1e-17, 2.0, 1.0, 0.5, -1.5, 3.5, 2.0 + 1e-16)

    def data(self, least: float) -> np.ndarray:
        x = np.random.RandomState(1).randn(40, len(self.LAMBDAS))
        return np.abs(x) + least if least > 0 else x

    def test_lambdas(self) -> None:
        for method, least in (("yeo-johnson", 0.0), ("box-cox", 0.1)):
            x = self.data(least)
            for standardize in (True, False):
                with self.subTest(method=method, standardize=standardize):
                    model = pp.PowerTransformer(method=method, standardize=standardize).fit(x)
                    self.same(model, x, rtol=1e-11)
                    model.lambdas_[:] = self.LAMBDAS
                    asked = np.vstack([x, np.full(x.shape[1], np.nan), np.full(x.shape[1], 3e5)])
                    self.same(model, asked, rtol=1e-11)

    def test_numbers_that_box_cox_refuses(self) -> None:
        model = pp.PowerTransformer(method="box-cox").fit(self.data(0.1)[:, :2])
        got = evaluate(export(model), np.array([[1.0, 2.0], [0.0, 1.0], [-1.0, 1.0], [np.nan, 1.0], [np.inf, 1.0]]))
        self.assertEqual(got.transform_null.tolist(), [False, True, True, False, True])

    def test_what_is_refused(self) -> None:
        model = pp.PowerTransformer().fit(self.data(0.0))
        model.lambdas_ = model.lambdas_[:2]
        self.refused(model, "PowerTransformer has a lambdas_ of shape (2,), expected (8,)")
        self.refused(pp.PowerTransformer(), "is it fitted?")


if __name__ == "__main__":
    unittest.main()
