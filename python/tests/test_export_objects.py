"""Objects that are not what their class says are refused; types of columns are those of the library, step by step."""

from __future__ import annotations

import json
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
from sklearn import tree
from sklearn.compose import ColumnTransformer, make_column_transformer
from sklearn.dummy import DummyRegressor
from sklearn.ensemble import AdaBoostClassifier, BaggingClassifier, GradientBoostingRegressor, VotingClassifier
from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer, TfidfVectorizer
from sklearn.feature_selection import VarianceThreshold
from sklearn.experimental import enable_iterative_imputer  # noqa: F401
from sklearn.impute import IterativeImputer, KNNImputer, SimpleImputer
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.pipeline import make_pipeline

from hbscore.export import export

X = np.random.RandomState(0).randn(40, 2)
Y = (X[:, 0] > 0).astype(int)


class DecisionTreeClassifier(tree.DecisionTreeClassifier):
    """A class of the same name, and yet another one."""

    def predict_proba(self, x: Any, check_input: bool = True) -> Any:
        return np.tile([0.9, 0.1], (len(x), 1))


class OwnDummy(DummyRegressor):
    def predict(self, x: Any, return_std: bool = False) -> Any:
        return np.asarray(x)[:, 0].astype(float)


OwnDummy.__name__ = "DummyRegressor"


class Methods(ExportCase):
    def test_a_method_of_the_object_itself(self) -> None:
        model = LogisticRegression().fit(X, Y)
        model.predict = lambda x: np.ones(len(x))
        self.refused(model, "LogisticRegression has a 'predict' of its own")
        model = make_pipeline(pp.StandardScaler(), Ridge()).fit(X, Y)
        model[0].transform = lambda x: x
        self.refused(model, "pipeline step 'standardscaler': StandardScaler has a 'transform' of its own")
        words = CountVectorizer().fit(["a text"])
        words.build_analyzer = lambda: str.split
        self.refused(words, "CountVectorizer has a 'build_analyzer' of its own")

    def test_a_class_of_the_same_name(self) -> None:
        DecisionTreeClassifier.__module__ = "mysklearn.tree"
        own = DecisionTreeClassifier(max_depth=2)
        for model in (BaggingClassifier(own, 2), AdaBoostClassifier(own, n_estimators=2), VotingClassifier([("a", own)])):
            self.refused(model.fit(X, Y), "DecisionTreeClassifier of mysklearn.tree is not supported")
        model = GradientBoostingRegressor(init=OwnDummy(), n_estimators=2).fit(X, X[:, 0])
        self.refused(model, "init: DummyRegressor of")

    def test_texts_from_files(self) -> None:
        for model in (CountVectorizer(), TfidfVectorizer(), HashingVectorizer(n_features=8)):
            model.fit(["a text"]).set_params(input="filename")
            self.refused(model, "with input='filename' is not supported")

    def test_options_that_were_set_after_the_fit(self) -> None:
        """scikit-learn weighs by those of the fit."""
        texts = ["a text", "another text text", ""]
        model = TfidfVectorizer(sublinear_tf=True).fit(texts).set_params(norm="l1", use_idf=False, sublinear_tf=False)
        found = evaluate(export(model), np.array(texts, dtype=object)[:, np.newaxis]).transform
        np.testing.assert_allclose(found, model.transform(texts).toarray(), rtol=1e-14)


class Types(ExportCase):
    """The steps behind a step compute in the type that it gives."""

    def frame(self) -> pd.DataFrame:
        random = np.random.RandomState(1)
        made = pd.DataFrame({"zone": random.choice(["a", "b", "c"], 50)}, dtype=object)
        made["small"] = random.randint(0, 100, 50).astype(np.int8)
        made["fee"] = (random.randn(50) * 1000).astype(np.float32)
        made["age"] = random.randn(50)
        return made

    def same(self, model: Any, frame: pd.DataFrame) -> None:
        got = evaluate(export(model, frame), frame.to_numpy(dtype=object))
        want = np.asarray(model.transform(frame), dtype=np.float64)
        np.testing.assert_array_equal(got.transform, want, err_msg=str(model))

    def test_behind_encoders(self) -> None:
        frame = self.frame()
        for kind in (np.int8, np.uint8, bool, np.int64, np.float32, np.float64):
            for encoder in (pp.OneHotEncoder(dtype=kind), pp.OrdinalEncoder(dtype=kind)):
                columns = make_column_transformer((encoder, ["zone"]), ("passthrough", ["fee"]), sparse_threshold=0)
                self.same(make_pipeline(columns, pp.StandardScaler()).fit(frame), frame)
        self.refused(pp.OneHotEncoder(dtype=np.float16).fit(frame[["zone"]]), "with dtype=float16 is not supported")
        model = make_pipeline(pp.OneHotEncoder(dtype=np.uint8), pp.FunctionTransformer(np.sqrt)).fit(frame[["zone"]])
        self.refused(model, "with sqrt of uint8 columns is not supported")

    def test_codes_that_a_type_does_not_hold(self) -> None:
        many = pd.DataFrame({"zone": ["z%d" % i for i in range(300)]}, dtype=object)
        for kind in (np.int8, np.uint8, bool, np.int16):
            self.same(pp.OrdinalEncoder(dtype=kind).fit(many), many)
        rule = {"handle_unknown": "use_encoded_value", "unknown_value": 400}
        model = pp.OrdinalEncoder(dtype=np.uint8, **rule).fit(many[:9])
        self.refused(model, "with unknown_value=400 is not supported: uint8 does not hold it")

    def test_behind_steps_of_small_integers(self) -> None:
        frame = self.frame()[["small", "fee"]]
        for step in (
            SimpleImputer(),
            SimpleImputer(strategy="most_frequent"),
            KNNImputer(),
            IterativeImputer(max_iter=1),
            pp.Binarizer(threshold=50),
            pp.FunctionTransformer(),
            pp.FunctionTransformer(np.sign),
            VarianceThreshold(),
            pp.MaxAbsScaler(),
        ):
            columns = make_column_transformer((step, ["small"]), ("passthrough", ["fee"]))
            self.same(make_pipeline(columns, pp.StandardScaler()).fit(frame), frame)

    def test_columns_of_several_types(self) -> None:
        """A matrix has one type, and a DataFrame one for each column."""
        frame = self.frame()[["fee", "age"]]
        for step in (SimpleImputer(), VarianceThreshold(), pp.Binarizer(), pp.FunctionTransformer(validate=True)):
            for output in ("default", "pandas"):
                last = ColumnTransformer([("scale", pp.StandardScaler(), [0])])
                model = make_pipeline(step, last).set_output(transform=output).fit(frame)
                self.same(model, frame)

    def test_the_configuration_of_the_process(self) -> None:
        frame = self.frame()[["fee", "age"]]
        with sklearn.config_context(transform_output="pandas"):
            first = ColumnTransformer([("all", "passthrough", ["fee", "age"])])
            model = make_pipeline(first, ColumnTransformer([("scale", pp.StandardScaler(), [0])])).fit(frame)
            self.same(model, frame)

    def test_texts_that_an_imputer_leaves(self) -> None:
        """None is not NaN there, and both are NULL."""
        frame = pd.DataFrame({"zone": ["a", "b", None] * 5}, dtype=object)
        for encoder in (pp.OneHotEncoder(sparse_output=False), pp.OrdinalEncoder()):
            imputer = SimpleImputer(strategy="constant", fill_value="zz")
            model = make_pipeline(imputer, encoder).fit(frame)
            self.refused(model, "has a missing category in column 0, behind an imputer: None and NaN are both NULL")
            imputer.set_params(missing_values=None)
            self.same(make_pipeline(imputer, encoder).fit(frame), frame)

    def test_categories_out_of_order(self) -> None:
        model = pp.OrdinalEncoder().fit(np.array([[1.0], [2.0], [3.0]]))
        model.categories_ = [model.categories_[0][::-1]]
        self.refused(model, "OrdinalEncoder has categories of column 0 that do not rise")

    def test_sparse_columns_that_are_taken_often(self) -> None:
        frame = pd.DataFrame({"note": ["a cat", "dog cat", "", "dog"] * 5}, dtype=object)
        words = make_column_transformer((CountVectorizer(), "note"), sparse_threshold=0)
        model = make_pipeline(words, pp.SplineTransformer(degree=1, n_knots=3)).fit(frame)
        self.same(model, frame)
        for op in [op for op in json.loads(export(model, frame))["ops"] if op["op"] == "select" and op["in"] == [1]]:
            self.assertEqual(op["cols"], sorted(set(op["cols"])))

    def test_integers_that_overflow(self) -> None:
        """They wrap around, as numpy's do."""
        for kind, function in ((np.int64, np.square), (np.int8, np.negative), (np.uint64, np.negative), (np.int8, np.abs)):
            least = np.iinfo(kind).min if kind == np.int8 else 2**32 - 5 if kind == np.int64 else 1
            x = pd.DataFrame({"number": np.array([least, 100, 0], dtype=kind)})
            self.same(pp.FunctionTransformer(function).fit(x), x)


if __name__ == "__main__":
    unittest.main()
