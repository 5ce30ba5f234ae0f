"""Vectorizers of texts: what is exported, what is refused by name, and the extension's own answers."""

from __future__ import annotations

import json
import unittest
from typing import Any, List

import numpy as np
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer, TfidfTransformer, TfidfVectorizer
from sklearn.linear_model import LogisticRegression, Ridge, RidgeClassifier
from sklearn.pipeline import make_pipeline, make_union
from sklearn.preprocessing import MaxAbsScaler, Normalizer, StandardScaler
from sklearn.tree import DecisionTreeClassifier

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
        self.refused(CountVectorizer(dtype=np.int16), "dtype=int16")
        self.refused(CountVectorizer(analyzer="char", ngram_range=(1, 257)), "ngram_range")
        signs = make_pipeline(HashingVectorizer(n_features=8), TfidfTransformer(sublinear_tf=True))
        self.refused(signs, "sublinear_tf after alternating signs", texts=["cat", "cat cat"])  # whose hash is above 0
        self.refused(HashingVectorizer(n_features=1 << 23), "n_features=8388608")

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
