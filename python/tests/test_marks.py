"""Texts that mark missing ones, numbers among them, and pandas.NA: imputers and indicators of columns of texts."""

from __future__ import annotations

import os
import sys
import unittest
from typing import Any, List

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "../src"), HERE]

try:
    import numpy as np
    import pandas as pd
except ImportError as e:
    raise unittest.SkipTest("needs numpy, pandas and scikit-learn: %s" % e) from e

from export_case import ExportCase
from own_format_reference import evaluate
from sklearn import preprocessing as pp
from sklearn.compose import ColumnTransformer
from sklearn.impute import MissingIndicator, SimpleImputer
from sklearn.linear_model import Ridge
from sklearn.pipeline import FeatureUnion, make_pipeline

from hbscore.export import export

MARK = "?"


def frame() -> pd.DataFrame:
    random = np.random.RandomState(1)
    plan = random.choice(["gold", "silver", "été", MARK], 60).astype(object)
    zone = random.choice(["a", "b", MARK], 60).astype(object)
    return pd.DataFrame({"plan": plan, "zone": zone, "age": np.round(random.randn(60), 2)})


class MarkTest(ExportCase):
    def same(self, model: Any, sample: pd.DataFrame, asked: pd.DataFrame) -> None:
        """Row by row; NULL, or an error of a category, where scikit-learn raises."""
        cells = [[None if pd.isna(v) else v for v in row] for row in asked.to_numpy(dtype=object)]
        got = evaluate(export(model, sample), np.array(cells, dtype=object))
        for i in range(len(asked)):
            try:
                want = np.asarray(model.transform(asked.iloc[[i]]), dtype=np.float64)
            except ValueError:
                self.assertTrue(got.transform_null[i] or got.transform_error[i], asked.iloc[i])
                continue
            self.assertFalse(got.transform_null[i] or got.transform_error[i], asked.iloc[i])
            np.testing.assert_array_equal(got.transform[i], want[0])


class Imputers(MarkTest):
    def encoders(self) -> List[Any]:
        return [
            pp.OneHotEncoder(sparse_output=False),
            pp.OneHotEncoder(sparse_output=False, handle_unknown="ignore", drop="first"),
            pp.OneHotEncoder(sparse_output=False, handle_unknown="infrequent_if_exist", min_frequency=25),
            pp.OrdinalEncoder(),
            pp.OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1),
        ]

    def asked(self) -> pd.DataFrame:
        rows = [["gold", MARK], [MARK, "a"], [MARK, MARK], ["new", "b"], ["been", "a"], [None, "a"], ["", "b"]]
        return pd.DataFrame(rows, columns=["plan", "zone"], dtype=object)

    def test_every_encoder(self) -> None:
        words = frame()[["plan", "zone"]]
        for options in ({"strategy": "most_frequent"}, {"strategy": "constant", "fill_value": "silver"}):
            for encoder in self.encoders():
                with self.subTest(options=options, encoder=encoder):
                    imputer = SimpleImputer(missing_values=MARK, **options)
                    self.same(make_pipeline(imputer, encoder).fit(words, words), words, self.asked())

    def test_with_marks_behind(self) -> None:
        words = frame()[["plan", "zone"]]
        imputer = SimpleImputer(missing_values=MARK, strategy="most_frequent", add_indicator=True)
        model = make_pipeline(imputer, pp.OneHotEncoder(sparse_output=False, handle_unknown="ignore"))
        self.same(model.fit(words), words, self.asked())

    def test_no_text(self) -> None:
        words = frame()[["plan", "zone"]].replace(MARK, "")
        model = make_pipeline(SimpleImputer(missing_values="", strategy="most_frequent"), pp.OrdinalEncoder())
        self.same(model.fit(words), words, self.asked().replace(MARK, ""))

    def test_a_text_that_training_has_not(self) -> None:
        """The encoder of a column that had no mark knows neither the mark nor its replacement."""
        words = frame()[["plan", "zone"]]
        words["zone"] = words["zone"].replace(MARK, "c")
        imputer = SimpleImputer(missing_values=MARK, strategy="constant", fill_value="nothing")
        for encoder in self.encoders():
            self.same(make_pipeline(imputer, encoder).fit(words), words, self.asked())
        listed = pp.OneHotEncoder(categories=[[MARK, "gold", "nothing", "silver", "été"], [MARK, "a", "b", "c"]], sparse_output=False)
        self.same(make_pipeline(imputer, listed).fit(words), words, self.asked())

    def test_one_behind_the_other(self) -> None:
        words = frame()[["plan", "zone"]]
        first = SimpleImputer(missing_values=MARK, strategy="constant", fill_value="been")
        second = SimpleImputer(missing_values="been", strategy="constant", fill_value="gold")
        third = SimpleImputer(missing_values=None, strategy="constant", fill_value="silver")
        for steps in ((first, second), (second, first), (first, third), (third, first)):
            model = make_pipeline(*steps, pp.OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1))
            self.same(model.fit(words), words, self.asked())
        back = SimpleImputer(missing_values=None, strategy="constant", fill_value=MARK)
        model = make_pipeline(first, back, pp.OrdinalEncoder()).fit(words)
        self.refused(model, "fills in a text that an imputer before it replaces")

    def test_a_column_of_marks_alone_is_dropped(self) -> None:
        words = frame()[["plan", "zone"]]
        words["zone"] = MARK
        model = make_pipeline(SimpleImputer(missing_values=MARK, strategy="most_frequent"), pp.OrdinalEncoder())
        self.same(model.fit(words), words, self.asked()[:1])

    def test_what_is_refused(self) -> None:
        words = frame()[["plan", "zone"]]
        model = SimpleImputer(missing_values=MARK, strategy="most_frequent").fit(words)
        self.refused(model, "SimpleImputer gives texts")
        for mark, why in (("a\0b", "it is no text in UTF-8"), (7, "of texts with missing_values=7 is not supported")):
            model = make_pipeline(SimpleImputer(missing_values=MARK, strategy="most_frequent"), pp.OrdinalEncoder()).fit(words)
            model[0].set_params(missing_values=mark)
            self.refused(model, why)


class TextsAndNumbers(MarkTest):
    """A DataFrame of both is one table of objects there."""

    def encoded(self, imputer: Any) -> Any:
        columns = ColumnTransformer([("words", pp.OneHotEncoder(), [0, 1]), ("age", pp.StandardScaler(), [2])])
        return make_pipeline(imputer, columns)

    def test_most_frequent(self) -> None:
        table = frame().replace(MARK, np.nan)
        table.loc[3:9, "age"] = np.nan
        model = self.encoded(SimpleImputer(strategy="most_frequent")).fit(table)
        asked = pd.DataFrame([["gold", np.nan, 1.5], [np.nan, "a", np.nan]], columns=list(table), dtype=object)
        self.same(model, table, asked.astype({"age": float}))

    def test_a_mark(self) -> None:
        """NaN in the column of numbers is refused then."""
        table = frame()
        imputer = SimpleImputer(missing_values=MARK, strategy="most_frequent", add_indicator=True)
        columns = ColumnTransformer([("words", pp.OneHotEncoder(), [0, 1, 3, 4]), ("age", pp.StandardScaler(), [2])])
        model = make_pipeline(imputer, columns).fit(table)
        asked = pd.DataFrame([["gold", MARK, 1.5], [MARK, "a", np.nan]], columns=list(table), dtype=object)
        self.same(model, table, asked.astype({"age": float}))


class Indicators(MarkTest):
    def test_texts(self) -> None:
        words = frame()[["plan", "zone"]]
        words["fine"] = "x"
        asked = pd.DataFrame([[MARK, "a", "x"], ["b", MARK, "y"], ["b", "a", MARK], [None, "a", "x"]], columns=list(words), dtype=object)
        for options in ({}, {"error_on_new": False}, {"features": "all"}):
            model = MissingIndicator(missing_values=MARK, **options).fit(words)
            self.same(model, words, asked)
        self.same(MissingIndicator(missing_values=MARK, features="all").fit(frame()), frame(), frame())

    def test_numbers(self) -> None:
        table = pd.DataFrame({"a": [1.0, -1.0, 2.0], "b": [1.0, 2.0, 3.0], "c": [4.0, -1.0, 3.0]})
        asked = pd.DataFrame([[1.0, 2.0, -1.0], [1.0, -1.0, 2.0], [np.nan, 1.0, 1.0]], columns=list("abc"))
        model = MissingIndicator(missing_values=-1).fit(table)
        self.same(model, table, asked)
        union = FeatureUnion([("same", "passthrough"), ("marks", model)])
        with_model = make_pipeline(union, Ridge()).fit(table, [1.0, 2.0, 0.5])
        self.assertEqual(evaluate(export(with_model), asked.to_numpy()).null.tolist(), [False, True, True])


class PandasNA(MarkTest):
    def test_texts_and_numbers(self) -> None:
        words = pd.DataFrame({"plan": pd.array(["a", "b", pd.NA, "b"], dtype="string")}).astype(object)
        model = make_pipeline(SimpleImputer(missing_values=pd.NA, strategy="most_frequent"), pp.OrdinalEncoder()).fit(words)
        self.same(model, words, pd.DataFrame({"plan": ["a", pd.NA, "b"]}, dtype=object))
        table = pd.DataFrame({"age": [1.0, 2.0, np.nan, 5.0]})
        model = SimpleImputer(missing_values=pd.NA, strategy="median").fit(table)
        self.same(model, table, table)


if __name__ == "__main__":
    unittest.main()
