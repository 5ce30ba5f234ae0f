"""SplineTransformer: the file gives what transform() gives, by the plain evaluator, for every rule and degree."""

from __future__ import annotations

import os
import sys
import unittest
import warnings
from typing import Any, Optional

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "../src"), HERE]

try:
    import numpy as np
    import sklearn  # noqa: F401
except ImportError as e:
    raise unittest.SkipTest("needs numpy and scikit-learn: %s" % e) from e

from own_format_reference import evaluate
from sklearn.preprocessing import SplineTransformer

from hbscore.export import ExportError, export

RULES = ("error", "constant", "linear", "continue", "periodic")
MISSING = "handle_missing" in SplineTransformer().get_params()


def table(kind: Any = np.float64) -> np.ndarray:
    return np.round(np.random.RandomState(3).randn(40, 3), 2).astype(kind)


def asked(x: np.ndarray) -> np.ndarray:
    far = [[1e9, -1e9, 0.0], [1e30, 1e20, -1e25], [-0.0, 0.0, 1e-40]]
    return np.vstack([x[:6], x[:6] * 3, far, x.min(axis=0)[np.newaxis], x.max(axis=0)[np.newaxis]]).astype(x.dtype)


def answer(model: Any, row: np.ndarray) -> Optional[np.ndarray]:
    try:
        made = model.transform(row[np.newaxis])
    except ValueError:
        return None
    return np.ravel(made.toarray() if hasattr(made, "toarray") else made).astype(np.float64)


class Splines(unittest.TestCase):
    def setUp(self) -> None:
        warnings.simplefilter("ignore")

    def same(self, model: Any, rows: np.ndarray, sample: Any) -> None:
        with np.errstate(all="ignore"):
            got = evaluate(export(model, sample), rows.astype(np.float64))
            for i, row in enumerate(rows):
                want = answer(model, row)
                self.assertEqual(got.transform_null[i], want is None, (model, row))
                if want is not None:
                    np.testing.assert_array_equal(got.transform[i], want, str((model, row)))

    def test_every_rule_and_degree(self) -> None:
        for kind in (np.float64, np.float32):
            x = table(kind)
            for rule in RULES:
                for degree in (0, 1, 2, 3, 5):
                    if rule == "linear" and degree < 2 and kind == np.float32:
                        continue  # older versions of numpy compare with rounded knots
                    knots = "uniform" if degree % 2 else "quantile"
                    options = {"n_knots": 6, "knots": knots, "include_bias": degree != 2}
                    model = SplineTransformer(degree=degree, extrapolation=rule, **options).fit(x)
                    self.same(model, asked(x), x)

    @unittest.skipIf(not MISSING, "this version refuses missing numbers")
    def test_missing_and_infinite_numbers_and_sparse_output(self) -> None:
        x = table()
        odd = np.array([[np.nan, 0.5, 1.0], [np.inf, 0.0, -np.inf], [np.nan] * 3])
        for rule in RULES:
            for sparse in (False, True):
                if sparse and rule in ("error", "continue", "periodic"):
                    continue
                for degree in (1, 3):
                    options = {"handle_missing": "zeros", "sparse_output": sparse}
                    model = SplineTransformer(4, degree=degree, extrapolation=rule, **options).fit(x)
                    self.same(model, np.vstack([asked(x), odd]), x)

    def test_columns_of_one_number_and_repeated_knots(self) -> None:
        x = table()
        x[:, 1] = 2.5
        x[:30, 2] = 0.25
        for rule in RULES:
            if rule == "periodic" and not MISSING:
                continue
            self.same(SplineTransformer(5, degree=2, knots="quantile", extrapolation=rule).fit(x), asked(x), x)

    def refused(self, words: str, **options: Any) -> None:
        model = SplineTransformer(**options).fit(table())
        with self.assertRaisesRegex(ExportError, words):
            export(model)

    def test_what_is_not_supported(self) -> None:
        self.refused("makes no column", n_knots=2, degree=0, include_bias=False)
        self.refused("so few knots", n_knots=2, degree=1, extrapolation="linear")
        if MISSING:
            options = {"handle_missing": "zeros", "sparse_output": True}
            self.refused("other rows", extrapolation="continue", **options)
            self.refused("fails in scikit-learn", degree=0, extrapolation="periodic", sparse_output=True)


if __name__ == "__main__":
    unittest.main()
