"""Vectorizers of texts: what is exported, what is refused by name, and the extension's own answers."""

from __future__ import annotations

import itertools
import json
import unittest
from functools import partial
from operator import itemgetter, methodcaller
from typing import Any, List
from unittest import mock

import numpy as np
import pandas as pd
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import TransformedTargetRegressor, make_column_transformer
from sklearn.decomposition import KernelPCA, TruncatedSVD
from sklearn.ensemble import StackingClassifier, VotingClassifier
from sklearn.feature_extraction import DictVectorizer
from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer, TfidfTransformer, TfidfVectorizer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, Ridge, RidgeClassifier
from sklearn.model_selection import FixedThresholdClassifier
from sklearn.multiclass import OneVsRestClassifier, OutputCodeClassifier
from sklearn.multioutput import MultiOutputClassifier, MultiOutputRegressor
from sklearn.naive_bayes import BernoulliNB, MultinomialNB
from sklearn.pipeline import make_pipeline, make_union
from sklearn.preprocessing import FunctionTransformer, MaxAbsScaler, Normalizer, OneHotEncoder, OrdinalEncoder
from sklearn.preprocessing import PolynomialFeatures, PowerTransformer, StandardScaler
from sklearn.random_projection import GaussianRandomProjection, SparseRandomProjection
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import hbscore
import support
from hbscore.export import ExportError, export
from own_format_reference import evaluate, parse

TEXTS = ["The cat", "a DOG \u0130 and the cat", "", "Stra\u00dfe \u0391\u03a3", "dog dog", "cafe\u0301 na\u00efve \U0001f600"] * 6
ROWS = np.array([[text] for text in TEXTS], dtype=object)


def labels() -> np.ndarray:
    return np.arange(len(TEXTS)) % 3


class Texts(unittest.TestCase):
    def refused(self, vectorizer: Any, *words: str, texts: List[str] = TEXTS) -> None:
        model = make_pipeline(vectorizer, Ridge()).fit(texts, np.arange(len(texts)))
        with self.assertRaises(ExportError) as caught:
            export(model)
        for word in words:
            self.assertIn(word, str(caught.exception))

    def test_transforms_are_the_librarys(self) -> None:
        for model in (
            CountVectorizer(),
            CountVectorizer(dtype=np.int64, ngram_range=(1, 3), stop_words=["the"]),
            TfidfVectorizer(strip_accents="unicode", sublinear_tf=True),
            TfidfVectorizer(analyzer="char", ngram_range=(2, 2)),
            CountVectorizer(analyzer="char_wb", ngram_range=(4, 9)),
            HashingVectorizer(n_features=32, norm="l1"),
            CountVectorizer(tokenizer=str.split, token_pattern=None, preprocessor=str.lower, ngram_range=(1, 2)),
            HashingVectorizer(n_features=32, analyzer=str.split),
            make_pipeline(CountVectorizer(token_pattern=r"\w"), TfidfTransformer()),
            make_union(CountVectorizer(lowercase=False), TfidfVectorizer()),
        ):
            model.fit(TEXTS)
            found = evaluate(export(model), ROWS).transform
            np.testing.assert_allclose(found, model.transform(TEXTS).toarray(), rtol=1e-14, atol=0, err_msg=str(model))

    def transforms(self, model: Any, given: List[str], want: Any) -> None:
        with support.connect_sqlite3() as connection:
            hbscore.register(connection, "m", model)
            for text, row in zip(given, want):
                (got,) = connection.execute("SELECT transform('m', ?)", (text,)).fetchone()
                np.testing.assert_array_equal(json.loads(got), row)

    def test_small_integers_wrap_round(self) -> None:
        """Whatever stands behind them: a weight, a norm, a float32 beside them, in which scipy then stacks both."""
        often = ["a b " * 300 + "a", "b a b " * 200, "c " * 70000, "a " + "b " * 128, "b a c", ""]
        rows = np.array([[text] for text in often], dtype=object)
        for kind in (np.int8, np.uint8, np.int16, np.uint16, bool):
            words = partial(CountVectorizer, token_pattern=r"\w", dtype=kind)
            hashed = partial(HashingVectorizer, token_pattern=r"\w", n_features=4, dtype=kind, alternate_sign=kind in (np.int8, bool))
            for model in (
                words(),
                words(binary=True),
                TfidfVectorizer(token_pattern=r"\w", dtype=kind),
                hashed(norm=None),
                hashed(),
                make_union(words(), TfidfVectorizer(token_pattern=r"\w", dtype=np.float32)),
                make_pipeline(words(), MaxAbsScaler()),
            ):
                with self.subTest(model=model):
                    model.fit(often)
                    found = evaluate(export(model), rows).transform
                    want = model.transform(often).toarray().astype(np.float64)
                    np.testing.assert_array_equal(found, want)
                    self.transforms(model, often, want)
            model = make_pipeline(words(), MultinomialNB()) if np.dtype(kind).kind in "ub" else make_pipeline(words(), Ridge())
            model.fit(often, [0, 1, 0, 1, 0, 1])
            np.testing.assert_allclose(np.ravel(evaluate(export(model), rows).predict), model.predict(often), rtol=1e-9, atol=1e-9)

    def test_float32_is_the_librarys(self) -> None:
        """Raw scores too, since it adds sparse rows in their order."""
        narrow = np.float32
        for model in (
            make_pipeline(TfidfVectorizer(dtype=narrow), RidgeClassifier()),
            make_pipeline(CountVectorizer(dtype=narrow), TfidfTransformer(norm="l1"), RidgeClassifier()),
            make_pipeline(HashingVectorizer(n_features=32, dtype=narrow), MaxAbsScaler(), Normalizer("max"), RidgeClassifier()),
            make_pipeline(CountVectorizer(dtype=narrow), StandardScaler(with_mean=False), Normalizer(), RidgeClassifier()),
        ):
            model.fit(TEXTS, labels())
            found = evaluate(export(model), ROWS)
            want = model.decision_function(TEXTS)
            self.assertEqual(want.dtype, narrow)
            np.testing.assert_array_equal(found.raw, want, err_msg=str(model))
            np.testing.assert_array_equal(found.transform, model[:-1].transform(TEXTS).toarray(), err_msg=str(model))

    def test_a_projection_is_dense(self) -> None:
        """So a scaler subtracts the mean, and other steps take it. A sparse projection is not dense."""
        for projection in (TruncatedSVD(3), GaussianRandomProjection(3), SparseRandomProjection(3, dense_output=True)):
            for step in (StandardScaler(), PowerTransformer(), Normalizer("l1")):
                projection.random_state = 0
                model = make_pipeline(TfidfVectorizer(), projection, step, Ridge()).fit(TEXTS, labels())
                found = evaluate(export(model), ROWS)
                want = model[:-1].transform(TEXTS)
                np.testing.assert_allclose(found.transform, want, rtol=1e-9, atol=1e-9, err_msg=str(model))
                np.testing.assert_allclose(found.predict[:, 0], model.predict(TEXTS), rtol=1e-9, err_msg=str(model))
        sparse = SparseRandomProjection(3, random_state=0)
        model = make_pipeline(TfidfVectorizer(), sparse, StandardScaler(with_mean=False)).fit(TEXTS)
        np.testing.assert_allclose(evaluate(export(model), ROWS).transform, model.transform(TEXTS).toarray(), atol=1e-12)

    def test_stacked_answers_are_dense(self) -> None:
        final = make_pipeline(StandardScaler(), LogisticRegression())
        stack = StackingClassifier([("a", LogisticRegression()), ("b", MultinomialNB())], final, cv=2)
        model = make_pipeline(CountVectorizer(), stack).fit(TEXTS, labels())
        want = model.predict_proba(TEXTS)
        np.testing.assert_allclose(evaluate(export(model), ROWS).probabilities, want, rtol=1e-9)

    def test_estimators_around_texts(self) -> None:
        counted, weighed = make_pipeline(CountVectorizer(), MultinomialNB()), make_pipeline(TfidfVectorizer(), LogisticRegression())
        regressor = make_pipeline(TfidfVectorizer(), Ridge())
        several = np.stack([labels(), labels()[::-1] * 0.5], axis=1)
        flags = np.stack([labels() == k for k in range(3)], axis=1).astype(int)
        for model, y in (
            (CalibratedClassifierCV(weighed, cv=2), labels()),
            (FixedThresholdClassifier(weighed, threshold=0.3), labels() > 0),
            (MultiOutputClassifier(weighed), flags),
            (MultiOutputRegressor(regressor), several),
            (OneVsRestClassifier(weighed), labels()),
            (OneVsRestClassifier(weighed), flags),
            (OutputCodeClassifier(weighed, code_size=3, random_state=1), labels()),
            (StackingClassifier([("a", counted), ("b", weighed)], cv=2), labels()),
            (TransformedTargetRegressor(regressor, transformer=StandardScaler()), labels()),
            (VotingClassifier([("a", counted), ("b", weighed)], voting="soft"), labels()),
        ):
            with self.subTest(type(model).__name__):
                model.fit(TEXTS, y)
                found = evaluate(export(model), ROWS)
                want = np.asarray(model.predict(TEXTS), dtype=np.float64).reshape(len(TEXTS), -1)
                np.testing.assert_allclose(np.asarray(found.predict, dtype=np.float64).reshape(want.shape), want, rtol=1e-12)

    def test_the_names_of_files_are_refused(self) -> None:
        for vectorizer in (TfidfVectorizer(), HashingVectorizer(n_features=8)):
            vectorizer.fit(TEXTS).set_params(input="filename")
            with self.assertRaisesRegex(ExportError, "with input='filename' is not supported"):
                export(vectorizer)

    def test_a_text_is_one_feature(self) -> None:
        model = make_pipeline(TfidfVectorizer(), LogisticRegression()).fit(TEXTS, labels())
        self.assertEqual(parse(export(model))["features"], [{"type": "str"}])
        self.assertEqual(parse(export(model, ["note"]))["features"], [{"name": "note", "type": "str"}])
        with self.assertRaises(ExportError):
            export(model, ["one", "two"])

    def test_functions_are_refused_by_name(self) -> None:
        self.refused(CountVectorizer(analyzer=str.splitlines), "CountVectorizer", "analyzer", "it is a function")
        self.refused(CountVectorizer(tokenizer=str.splitlines, token_pattern=None), "tokenizer", "it is a function")
        self.refused(TfidfVectorizer(preprocessor=str.casefold), "preprocessor", "it is a function")
        self.refused(TfidfVectorizer(strip_accents=str.lower), "strip_accents", "it is a function")

    def test_what_cannot_be_the_same_is_refused(self) -> None:
        self.refused(CountVectorizer(dtype=np.longdouble), "dtype=float128")
        self.refused(CountVectorizer(analyzer="char", ngram_range=(1, 257)), "ngram_range")
        signs = make_pipeline(HashingVectorizer(n_features=8), TfidfTransformer(sublinear_tf=True))
        self.refused(signs, "sublinear_tf of counts that may be 0 or less", texts=["cat", "cat cat"])  # whose hash is above 0
        self.refused(HashingVectorizer(n_features=1 << 23), "n_features=8388608")

    def test_products_of_rows_out_of_order_are_refused(self) -> None:
        """Before 1.4 scipy's product with the weights left each row of a TF-IDF in another order."""
        for vectorizer in (TfidfVectorizer(), make_union(CountVectorizer(), make_pipeline(TfidfVectorizer(), Normalizer()))):
            model = make_pipeline(vectorizer, MaxAbsScaler(), PolynomialFeatures(2), Ridge()).fit(TEXTS, labels())
            self.assertEqual(len(evaluate(export(model), ROWS).predict), len(TEXTS))
            with mock.patch("hbscore.export.expand.library_version", return_value=(1, 3)):
                with self.assertRaisesRegex(ExportError, "a sparse matrix, whose rows a TF-IDF turned round"):
                    export(model)
        model = make_pipeline(TfidfVectorizer(use_idf=False), PolynomialFeatures(2), Ridge()).fit(TEXTS, labels())
        with mock.patch("hbscore.export.expand.library_version", return_value=(1, 3)):
            self.assertEqual(len(evaluate(export(model), ROWS).predict), len(TEXTS))

    def test_stored_rows_with_two_numbers_in_one_place_are_refused(self) -> None:
        """PolynomialFeatures makes such rows in training: TfidfVectorizer.fit_transform() leaves them out of order."""
        texts = ["d c b a e", "c b", "a c b", "d a", "b d c"]
        words = TfidfVectorizer(token_pattern=r"\w+")
        model = make_pipeline(words, PolynomialFeatures(2), KernelPCA(2, kernel="rbf")).fit(texts)
        with self.assertRaisesRegex(ExportError, "KernelPCA has a sparse matrix X_fit_ with several numbers in one place"):
            export(model)
        model = make_pipeline(words, KernelPCA(2, kernel="rbf")).fit(texts)
        self.assertFalse(model[-1].X_fit_.has_sorted_indices)
        made = evaluate(export(model), np.array(texts, dtype=object)[:, np.newaxis]).transform
        np.testing.assert_allclose(made, model.transform(texts), rtol=1e-9, atol=1e-12)

    def test_a_wide_transform_stays_inside(self) -> None:
        model = make_pipeline(HashingVectorizer(n_features=1 << 17), Ridge()).fit(TEXTS, labels())
        self.assertNotIn("transform", parse(export(model)))
        with self.assertRaisesRegex(ExportError, "transform\\(\\) gives at most 65536"):
            export(HashingVectorizer(n_features=1 << 17))

    def test_trees_of_many_columns(self) -> None:
        model = make_pipeline(HashingVectorizer(n_features=1 << 17, norm=None), DecisionTreeClassifier(random_state=0))
        model.fit(TEXTS, labels())
        connection = support.connect_sqlite3()
        hbscore.register(connection, "tree", model)
        for text, want in zip(TEXTS, model.predict(TEXTS)):
            self.assertEqual(support.ask(connection, "SELECT predict('tree', ?)", text), want)
        connection.close()

    def test_naive_bayes_of_many_columns(self) -> None:
        """It asks whether a number is above 0, and a union weighs its parts: rows stay sparse."""
        wide = HashingVectorizer(n_features=1 << 17, norm=None)
        union = make_union(wide, CountVectorizer())
        union.set_params(transformer_weights={"countvectorizer": -2.0})
        connection = support.connect_sqlite3()
        for first in (wide, union):
            model = make_pipeline(first, BernoulliNB()).fit(TEXTS, labels())
            hbscore.register(connection, "bayes", model)
            for text, want in zip(TEXTS[:6], model.predict_proba(TEXTS[:6])):
                found = json.loads(support.ask(connection, "SELECT predict_proba('bayes', ?)", text))
                np.testing.assert_allclose(found, want, rtol=1e-9)
        connection.close()

    def test_very_many_short_texts(self) -> None:
        """Each takes more memory than it has bytes in the file."""
        letters = "abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGH"
        terms = ["".join(word) for word in itertools.product(letters, repeat=3)]
        terms = terms[:60000]
        connection = support.connect_sqlite3()
        model = make_pipeline(CountVectorizer(analyzer="char", ngram_range=(3, 3), vocabulary=terms, lowercase=False), DecisionTreeRegressor())
        hbscore.register(connection, "words", model.fit(["aaa", "ab", "abc abc"], [1.0, 2.0, 3.0]))
        self.assertEqual(support.ask(connection, "SELECT predict('words', 'abc abc')"), 3.0)
        codes = np.array(terms, dtype=object)[:, np.newaxis]
        hbscore.register(connection, "codes", make_pipeline(OrdinalEncoder(), DecisionTreeRegressor(max_depth=2)).fit(codes, np.arange(60000)))
        self.assertEqual(support.ask(connection, "SELECT predict('codes', 'aaa') < predict('codes', 'zzz')"), 1)

    def test_a_text_is_filled_in_before_it_is_split(self) -> None:
        """Each way to make a list of the imputer's one column."""
        frame = pd.DataFrame({"note": [np.nan, "n/a"] + TEXTS, "fee": np.linspace(-1, 1, 2 + len(TEXTS))})
        rows = np.array([[None if note != note else note, fee] for note, fee in zip(frame["note"], frame["fee"])], dtype=object)
        connection = support.connect_sqlite3()
        for flat in (
            FunctionTransformer(np.ravel),
            FunctionTransformer(np.ravel, kw_args={"order": "F"}),
            FunctionTransformer(partial(np.squeeze, axis=1)),
            FunctionTransformer(np.reshape, kw_args={"newshape" if np.__version__ < "2.1" else "shape": -1}),
            FunctionTransformer(np.ndarray.flatten),
            FunctionTransformer(methodcaller("ravel")),
            FunctionTransformer(methodcaller("reshape", -1)),
            FunctionTransformer(methodcaller("squeeze", axis=-1)),
        ):
            with self.subTest(flat.func):
                words = make_pipeline(SimpleImputer(strategy="constant", fill_value="a missing cat"), flat, TfidfVectorizer())
                model = make_pipeline(make_column_transformer((words, ["note"]), ("passthrough", ["fee"])), Ridge())
                model.fit(frame, np.arange(len(frame)))
                np.testing.assert_allclose(evaluate(export(model, frame), rows).predict[:, 0], model.predict(frame), rtol=1e-9)
                hbscore.register(connection, "filled", model)
                for row, want in zip(rows[:4], model.predict(frame)):
                    self.assertAlmostEqual(support.ask(connection, "SELECT predict('filled', ?, ?)", *row), want, delta=1e-9)
        connection.close()

    def test_functions_that_compute_nothing(self) -> None:
        frame = pd.DataFrame({"note": TEXTS, "fee": np.linspace(-1, 1, len(TEXTS)), "age": np.arange(len(TEXTS)) % 5})
        connection = support.connect_sqlite3()
        dense = make_pipeline(TfidfVectorizer(), FunctionTransformer(methodcaller("toarray")), StandardScaler())
        numbers = make_pipeline(FunctionTransformer(itemgetter(["age", "fee"])), FunctionTransformer(np.asarray), StandardScaler())
        for words in (make_pipeline(FunctionTransformer(itemgetter("note")), dense), make_pipeline(FunctionTransformer(itemgetter("note")), TfidfVectorizer())):
            model = make_pipeline(make_union(words, numbers), Ridge()).fit(frame, labels())
            hbscore.register(connection, "m", model, sample=frame)
            for row, want in zip(frame.to_numpy(dtype=object), model.predict(frame)):
                self.assertAlmostEqual(support.ask(connection, "SELECT predict('m', ?, ?, ?)", *row), want, delta=1e-9)
        for other in (itemgetter(slice(3)), itemgetter("note", "fee")):
            with self.assertRaisesRegex(ExportError, "takes no columns of a DataFrame by their names"):
                export(FunctionTransformer(other).fit(frame), frame)
        connection.close()

    def test_what_was_missing_stands_beside_it(self) -> None:
        """True and False of the imputer are numbers in the golden rows."""
        frame = pd.DataFrame({"note": [np.nan, "cat"] + TEXTS})
        filled = SimpleImputer(strategy="constant", fill_value="missing", add_indicator=True)
        parts = make_column_transformer((TfidfVectorizer(), 0), ("passthrough", [1]), sparse_threshold=0)
        model = make_pipeline(filled, parts, Ridge()).fit(frame, np.arange(len(frame)))
        connection = support.connect_sqlite3()
        hbscore.register(connection, "marked", model, sample=frame)
        want = np.asarray(model[:-1].transform(frame), dtype=np.float64)
        for note, row in zip([None, "cat"], want):
            found = json.loads(support.ask(connection, "SELECT transform('marked', ?)", note))
            np.testing.assert_allclose(found, row, rtol=1e-12)
        connection.close()

    def test_functions_that_change_rows_are_refused(self) -> None:
        for function, options, word in (
            (np.ravel, {"order": "Q"}, "order='Q'"),
            (np.squeeze, {"axis": 0}, "axis=0"),
            (np.reshape, {"shape": (1, -1)}, "shape"),
            (methodcaller("reshape", 1, -1), {}, "shape"),
            (methodcaller("strip"), {}, "function"),
        ):
            words = make_pipeline(FunctionTransformer(np.ravel), CountVectorizer()).fit(ROWS)
            words[0].set_params(func=function, kw_args=options)
            with self.assertRaisesRegex(ExportError, word):
                export(words)
        both = make_pipeline(FunctionTransformer(), StandardScaler()).fit(np.ones((4, 2)))
        both[0].set_params(func=np.ravel)
        with self.assertRaisesRegex(ExportError, "ravel of more than one column"):
            export(both)

    def test_dictionaries_are_not_filled_in(self) -> None:
        model = make_pipeline(SimpleImputer(strategy="most_frequent"), FunctionTransformer(np.ravel), CountVectorizer()).fit(ROWS)
        model.steps[-1] = ("json", DictVectorizer().fit([{"a": 1}]))
        with self.assertRaisesRegex(ExportError, "DictVectorizer gets what an imputer has filled in"):
            export(model)

    def test_a_text_is_split_and_a_category(self) -> None:
        frame = pd.DataFrame({"note": TEXTS, "place": (["x", "y"] * len(TEXTS))[: len(TEXTS)]})
        rows = np.array([*frame.values.tolist(), ["fish", "z"], ["the cat", None]], dtype=object)
        parts = make_column_transformer((TfidfVectorizer(), "note"), (OneHotEncoder(handle_unknown="ignore"), ["note", "place"]))
        model = make_pipeline(parts, LogisticRegression()).fit(frame, labels())
        want = model.predict_proba(pd.DataFrame(rows, columns=frame.columns))
        np.testing.assert_allclose(evaluate(export(model), rows).probabilities, want, rtol=1e-9)
        connection = support.connect_sqlite3()
        hbscore.register(connection, "both", model)
        for row, chances in zip(rows, want):
            found = support.ask(connection, "SELECT predict_proba('both', ?, ?)", *row)
            np.testing.assert_allclose(json.loads(found), chances, rtol=1e-9)
        self.assertIsNone(support.ask(connection, "SELECT predict('both', NULL, 'x')"))
        found = json.loads(support.ask(connection, "SELECT predict_json('both', 'fish', 'z')"))
        self.assertEqual(found["prediction"], model.predict(pd.DataFrame([["fish", "z"]], columns=frame.columns))[0])
        connection.close()

    def test_the_extension_gives_the_librarys_answers(self) -> None:
        frame = pd.DataFrame({"note": TEXTS, "fee": np.linspace(-1, 1, len(TEXTS))})
        parts = make_column_transformer((TfidfVectorizer(ngram_range=(1, 2)), "note"), (StandardScaler(), ["fee"]))
        model = make_pipeline(parts, LogisticRegression()).fit(frame, labels())
        connection = support.connect_sqlite3()
        hbscore.register(connection, "notes", model)
        for note, fee, want in zip(TEXTS, frame["fee"], model.predict_proba(frame)):
            found = support.ask(connection, "SELECT predict_proba('notes', ?, ?)", note, fee)
            np.testing.assert_allclose(json.loads(found), want, rtol=1e-12)
        self.assertIsNone(support.ask(connection, "SELECT predict_proba('notes', NULL, 1)"))
        connection.close()


if __name__ == "__main__":
    unittest.main()
