"""Estimators of sums and exponentials: naive Bayes, perceptrons, projections, and encoders of a target.

    python -m unittest discover python/tests       in an environment with scikit-learn 1.2 or newer
"""

from __future__ import annotations

import json
import os
import sys
import unittest
from typing import Any, List, Optional

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "../src"), HERE]

try:
    import numpy as np
    import sklearn
except ImportError as e:
    raise unittest.SkipTest("needs numpy and scikit-learn: %s" % e) from e

from export_case import ExportCase
from own_format_reference import decode, evaluate, parse
from sklearn.decomposition import PCA, TruncatedSVD
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.naive_bayes import BernoulliNB, CategoricalNB, ComplementNB, GaussianNB, MultinomialNB
from sklearn.neural_network import MLPClassifier, MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import LabelBinarizer, LabelEncoder, StandardScaler

from hbscore.export import export

VERSION = tuple(int(part) for part in sklearn.__version__.split(".")[:2])
SMALLEST = 2.0**-1074


def data(seed: int = 0, n: int = 150, f: int = 4) -> np.ndarray:
    return np.random.RandomState(seed).randn(n, f)


def classes(x: np.ndarray, k: int = 2) -> np.ndarray:
    score = x[:, 0] - 0.6 * x[:, 1]
    return np.searchsorted(np.quantile(score, np.linspace(0, 1, k + 1)[1:-1]), score)


def counts(seed: int = 0) -> np.ndarray:
    return np.round(np.abs(data(seed)) * 3)


def document(model: Any, sample: Any = None) -> Any:
    return parse(export(model, sample))


class Case(ExportCase):
    def same(self, model: Any, x: np.ndarray, tolerance: float = 1e-12, sample: Any = None) -> Any:
        """tolerance: of probabilities, and of other numbers relative to the largest."""
        answers = evaluate(export(model, sample), x.astype(np.float64))
        self.assertFalse(answers.null.any())
        if answers.label is None:
            want = np.asarray(model.predict(x)).reshape(len(x), -1)
            self.near(answers.predict, want, tolerance)
            return answers
        self.assertEqual(list(answers.predict), list(model.predict(x)))
        self.near(answers.probabilities, model.predict_proba(x), tolerance)
        if hasattr(model, "predict_joint_log_proba"):
            self.near(answers.raw, model.predict_joint_log_proba(x), tolerance)
        return answers

    def near(self, got: np.ndarray, want: np.ndarray, tolerance: float) -> None:
        finite = np.isfinite(want)
        np.testing.assert_array_equal(got[~finite], want[~finite])
        size = np.abs(want[finite]).max()
        np.testing.assert_allclose(got[finite], want[finite], rtol=0, atol=tolerance * max(size, 1))


class NaiveBayes(Case):
    def test_every_kind_and_option(self) -> None:
        x, n = data(1), counts(1)
        for model, rows, k in (
            (GaussianNB(), x, 3),
            (GaussianNB(priors=[0.0, 0.25, 0.75], var_smoothing=0.01), x, 3),
            (GaussianNB(), np.where(x > 0, 1, 0), 2),
            (BernoulliNB(), x, 3),
            (BernoulliNB(binarize=0.7, fit_prior=False, alpha=2.0), x, 2),
            (BernoulliNB(binarize=None, class_prior=[0.0, 1.0]), (x > 0).astype(float), 2),
            (MultinomialNB(), n, 3),
            (MultinomialNB(class_prior=[1.0, 0.0]), n, 2),
            (ComplementNB(), n, 3),
            (ComplementNB(norm=True), n, 2),
        ):
            with self.subTest(str(model)):
                self.same(model.fit(rows, classes(x, k)), rows)

    def test_partial_fits_and_weights(self) -> None:
        x = data(2)
        y = classes(x, 3)
        model = GaussianNB().partial_fit(x[:70], y[:70], classes=[0, 1, 2])
        self.same(model.partial_fit(x[70:], y[70:]), x)
        self.same(BernoulliNB().fit(x, y, sample_weight=np.abs(x[:, 0])), x)

    def test_labels_of_any_type(self) -> None:
        x = data(3)
        for labels in (["no", "yes"], [False, True], [-1.0, 2.0]):
            self.same(GaussianNB().fit(x, np.array(labels)[classes(x)]), x)

    def test_counts_below_zero_are_only_refused_by_fit(self) -> None:
        model = MultinomialNB().fit(counts(4), classes(data(4)))
        self.same(model, -counts(5) - 0.5)

    def test_a_threshold_is_a_number_of_its_columns(self) -> None:
        """0.1 in float32 is above 0.1 in float64."""
        x = np.where(data(5) > 0, 0.1, -0.3).astype(np.float32)
        model = BernoulliNB(binarize=0.1).fit(x, classes(data(5)))
        self.same(model, x, sample=x)
        thresholds = decode(document(model, x)["ops"][1]["threshold"])
        self.assertEqual(list(thresholds), [float(np.float32(0.1))])
        wide = BernoulliNB(binarize=0.1).fit(x.astype(np.float64), classes(data(5)))
        at = np.full((1, 4), 0.1)
        above = np.full((1, 4), np.nextafter(0.1, 1))
        for rows in (at, above, np.full((1, 4), SMALLEST), np.full((1, 4), -SMALLEST)):
            self.same(wide, rows)

    def test_what_overflows_has_no_likelihood(self) -> None:
        x = data(6)
        model = GaussianNB().fit(x, classes(x))
        answers = evaluate(export(model), np.full((1, 4), 1e200))
        np.testing.assert_array_equal(answers.raw, [[-np.inf, -np.inf]])
        self.assertEqual(answers.predict[0], model.predict(np.full((1, 4), 1e200))[0])

    def test_float32(self) -> None:
        x = data(7).astype(np.float32)
        for model in (GaussianNB(), BernoulliNB()):
            self.same(model.fit(x, classes(x, 3)), x, 1e-6, sample=x)
        yes = (x > 0).astype(np.float32)
        model = BernoulliNB(binarize=None).fit(yes, classes(x, 3))
        self.same(model, yes, 1e-6, sample=yes)
        n = counts(7).astype(np.float32)
        self.same(MultinomialNB().fit(n, classes(x, 3)), n, 1e-6, sample=n)

    def test_what_never_comes(self) -> None:
        """A class of minus infinity, or all of them: a row of all has no probabilities in scikit-learn."""
        n = np.array([[0, 0], [0, 1], [1, 1], [1, 0], [2, 1], [2, 2], [0, 2]] * 4)
        model = CategoricalNB(alpha=0.0, force_alpha=True).fit(n, [0, 0, 1, 1, 2, 2, 2] * 4)
        answers = evaluate(export(model), n.astype(np.float64))
        self.assertFalse(answers.null.any())
        self.assertEqual(list(answers.predict), list(model.predict(n)))
        np.testing.assert_allclose(answers.raw, model.predict_joint_log_proba(n), atol=1e-12)
        self.assertTrue(np.isinf(answers.raw).any())
        found = ["a b", "b c", "c c d", "a d"]
        model = make_pipeline(CountVectorizer(token_pattern="[a-d]"), MultinomialNB(alpha=0.0, force_alpha=True)).fit(found, [0, 1, 1, 0])
        answers = evaluate(export(model), np.array(found + ["b", "a c", ""], dtype=object)[:, np.newaxis])
        want = model[1].predict_joint_log_proba(model[0].transform(found + ["b", "a c", ""]))
        np.testing.assert_allclose(answers.raw, want, atol=1e-12)

    def test_what_is_refused(self) -> None:
        x, n = data(8), counts(8)
        constant = x.copy()
        constant[:, 1] = 3.0
        model = GaussianNB(var_smoothing=0.0).fit(constant, classes(x))
        self.refused(model, "GaussianNB has a variance of 0")
        never = n.copy()
        never[:, 1] = 0.0
        exact = {"alpha": 0.0, "force_alpha": True}
        self.refused(
            MultinomialNB(**exact).fit(never, classes(x)), "feature_log_prob_ that is not finite"
        )
        self.refused(BernoulliNB(**exact).fit(never, classes(x)), "feature_log_prob_", "not finite")
        spoiled = GaussianNB().fit(x, classes(x))
        spoiled.theta_ = spoiled.theta_[:, :3]
        self.refused(spoiled, "GaussianNB has a theta_ of shape")


class Perceptrons(Case):
    def test_every_activation(self) -> None:
        x = data(20)
        for activation in ("relu", "tanh", "logistic", "identity"):
            for layers in ((7,), (5, 3), (4, 3, 2)):
                for k in (2, 3):
                    model = MLPClassifier(layers, activation=activation, max_iter=40)
                    self.same(model.fit(x, classes(x, k)), x)

    def test_the_usual_solvers_and_labels(self) -> None:
        x = data(21)
        for solver in ("lbfgs", "sgd", "adam"):
            model = MLPClassifier((5,), solver=solver, max_iter=40)
            self.same(model.fit(x, np.array(["b", "a"])[classes(x)]), x)

    def test_regressors(self) -> None:
        x = data(22)
        for y in (x[:, 0] ** 2, x[:, :1], x[:, :3]):
            for activation in ("relu", "tanh"):
                model = MLPRegressor(
                    hidden_layer_sizes=(6, 2), activation=activation, max_iter=40
                ).fit(x, y)
                answers = self.same(model, x)
                self.assertEqual(answers.predict.shape[1], model.n_outputs_)
        if VERSION >= (1, 7):
            model = MLPRegressor(hidden_layer_sizes=(4,), loss="poisson", max_iter=40)
            self.same(model.fit(x, np.round(np.abs(x[:, 0]) * 3)), x)

    def test_one_probability_stands_for_two_classes(self) -> None:
        x = data(23)
        ops = document(MLPClassifier((3,), max_iter=20).fit(x, classes(x)))["ops"]
        kinds = [(op["op"], op.get("kind", op.get("rule"))) for op in ops]
        linear = ("linear", None)
        expected = [linear, ("link", "relu"), linear, ("link", "sigmoid"), ("head", "half")]
        self.assertEqual(kinds, expected)
        self.assertEqual(ops[-1]["in"], [4])

    def test_float32(self) -> None:
        x = data(24).astype(np.float32)
        for activation in ("relu", "tanh", "logistic"):
            model = MLPClassifier((6, 4), activation=activation, max_iter=40)
            self.same(model.fit(x, classes(x, 3)), x, 2e-6, sample=x)

    def test_what_is_refused(self) -> None:
        x = data(25)
        for name, value, words in (
            ("activation", "gelu", "with activation='gelu'"),
            ("out_activation_", "tanh", "with out_activation_='tanh'"),
            ("coefs_", [np.ones((4, 3))], "1 layers and intercepts of 2"),
            ("coefs_", [np.ones((3, 3)), np.ones((3, 1))], "coefs_ of shape (3, 3)"),
            ("intercepts_", [np.ones(3), np.array([np.nan])], "intercepts_ that is not finite"),
        ):
            model = MLPClassifier((3,), max_iter=10).fit(x, classes(x))
            setattr(model, name, value)
            self.refused(make_pipeline(StandardScaler().fit(x), model), "'mlpclassifier'", words)
        self.refused(MLPRegressor(), "MLPRegressor", "is it fitted?")


class Projections(Case):
    def transforms(self, model: Any, x: np.ndarray, part: float, sample: Any = None) -> Any:
        answers = evaluate(export(model, sample), x.astype(np.float64))
        want = model.transform(x)
        size = np.abs(want).max() + np.abs(x).sum(axis=1).max()
        np.testing.assert_allclose(answers.transform, want, rtol=0, atol=part * size)
        return answers

    def test_pca(self) -> None:
        x = data(40, f=6) * [1, 10, 100, 1e-3, 1, 1] + [0, 5, 1e3, 0, -7, 0]
        for model in (
            PCA(),
            PCA(3),
            PCA(0.8),
            PCA(2, whiten=True),
            PCA(2, svd_solver="randomized", random_state=1),
            PCA("mle", svd_solver="full"),
        ):
            self.transforms(model.fit(x), x, 1e-12)

    def test_truncated_svd(self) -> None:
        x = data(41, f=6)
        for algorithm in ("randomized", "arpack"):
            model = TruncatedSVD(3, algorithm=algorithm, random_state=1)
            self.transforms(model.fit(x), x, 1e-12)

    def test_whitening_keeps_above_the_smallest_number(self) -> None:
        """Of columns that are multiples of others: since 1.5 what is below is not divided by."""
        x = data(42)
        x[:, 2:] = x[:, :2] * 2.0
        model = PCA(whiten=True).fit(x)
        model.explained_variance_ = np.array([2.0, 1.0, 1e-40, 1e-60])
        scale = decode(document(model)["ops"][-1]["b"])
        least = [2.0**-52] * 2 if VERSION >= (1, 5) else np.sqrt([1e-40, 1e-60])
        np.testing.assert_array_equal(scale, np.append(np.sqrt([2.0, 1.0]), least))

    def test_what_follows_them(self) -> None:
        x = data(43, f=5)
        for first in (PCA(3), PCA(2, whiten=True), TruncatedSVD(3)):
            self.same(make_pipeline(first, LogisticRegression()).fit(x, classes(x, 3)), x)
            self.same(make_pipeline(StandardScaler(), first, Ridge()).fit(x, x[:, 0]), x)
            self.same(make_pipeline(first, GaussianNB()).fit(x, classes(x)), x)
        both = make_pipeline(PCA(4), PCA(2), Ridge()).fit(x, x[:, 0])
        self.same(both, x)

    def test_float32_is_rounded_where_all_is(self) -> None:
        x = data(44)
        narrow = x.astype(np.float32)
        for model in (PCA(2), PCA(2, whiten=True), TruncatedSVD(2)):
            self.transforms(model.fit(narrow), narrow, 1e-6, sample=narrow)
            ops = document(make_pipeline(model, StandardScaler()).fit(narrow), narrow)["ops"]
            self.assertEqual(ops[-1]["dtype"], "f4")
            # trained on float64, it makes float64 of float32
            self.transforms(model.fit(x), narrow, 1e-12, sample=narrow)
            casts = [op for op in document(model, narrow)["ops"] if op["op"] == "cast"]
            self.assertEqual(len(casts), 1)

    def test_rows_that_they_refuse(self) -> None:
        x = data(45)
        model = make_pipeline(PCA(2), Ridge()).fit(x, x[:, 0])
        rows = np.array([[0, 0, 0, np.nan], [np.inf, 0, 0, 0], [1, 2, 3, 4.0]])
        self.assertEqual(list(evaluate(export(model), rows).null), [True, True, False])

    def test_what_is_refused(self) -> None:
        x = data(46)
        model = make_pipeline(PCA(0), Ridge())
        model.steps[0] = ("pca", PCA(0).fit(x))
        self.refused(model, "pipeline step 'pca': PCA keeps no component")
        model = make_pipeline(StandardScaler().fit(x), PCA(2))
        self.refused(model, "pipeline step 'pca': PCA has no mean_: is it fitted?")
        pca = PCA(2).fit(x)
        pca.components_ = np.full((2, 4), np.nan)
        self.refused(pca, "PCA has a components_ that is not finite")
        svd = TruncatedSVD(2).fit(x)
        svd.components_ = svd.components_[:, :3]
        self.refused(svd, "TruncatedSVD has a components_ of shape (2, 3), expected (-1, 4)")


def coded(parsed: Any, value: Any) -> Optional[List[float]]:
    """What an encoder of a target makes of one value: by its operators, one by one. None: no result."""
    first, *rest = parsed["ops"]
    (column,) = first["columns"]
    known = list(decode(column["values"]))
    numbers = decode(column["map"])
    if value is None:
        if column["missing"] != 1:
            return None
        place = len(known)
    elif value in known:
        place = known.index(value)
    elif column["unknown"] == "error":
        return None
    else:
        place = -1
    if first["op"] == "ordinal":
        out = np.array([numbers[place]])
    else:
        out = np.zeros(column["width"])
        if place >= 0 and numbers[place] >= 0:
            out[numbers[place]] = 1.0
    for op in rest:
        assert op["op"] == "affine" and op["kind"] == "mul_add"
        out = out * decode(op["a"]) + decode(op["b"])
    return out.tolist()


class Targets(Case):
    LABELS = (
        (["b", "a", "é", "a"], "str"),
        (np.array(["b", "a"], dtype=object), "str"),
        ([3, -1, 2**40], "f8"),
        ([True, False], "f8"),
        ([1.0, -7.0, 20.0], "f8"),
    )

    def test_label_encoder(self) -> None:
        for labels, kind in self.LABELS:
            model = LabelEncoder().fit(labels)
            parsed = document(model)
            self.assertEqual(parsed["task"], "transformer")
            self.assertEqual(parsed["features"], [{"type": kind}])
            self.assertEqual(parsed["transform"], 1)
            for value in model.classes_.tolist():
                self.assertEqual(coded(parsed, value), model.transform([value]).tolist())
            self.assertIsNone(coded(parsed, "z" if kind == "str" else 77))
            self.assertIsNone(coded(parsed, None))

    def test_a_missing_number_may_be_a_class(self) -> None:
        model = LabelEncoder().fit([2.0, np.nan, 1.0])
        parsed = document(model)
        self.assertEqual(coded(parsed, None), [2.0])
        self.assertEqual(model.transform([np.nan])[0], 2)

    def test_label_binarizer(self) -> None:
        for labels, kind in self.LABELS:
            for low, high in ((0, 1), (-1, 1), (-2, 0), (3, 7)):
                model = LabelBinarizer(neg_label=low, pos_label=high).fit(labels)
                parsed = document(model)
                for value in model.classes_.tolist():
                    self.assertEqual(coded(parsed, value), model.transform([value])[0].tolist())
                unknown = "z" if kind == "str" else 77
                if kind == "str" or len(model.classes_) > 2:
                    want = model.transform([unknown])[0].tolist()
                    self.assertEqual(want, [low] * len(want))
                    self.assertEqual(coded(parsed, unknown), want)
                self.assertIsNone(coded(parsed, None))

    def test_one_class_is_a_column_of_one_number(self) -> None:
        model = LabelBinarizer(neg_label=-1).fit(["a", "a"])
        parsed = document(model)
        for value in ("a", "z"):
            self.assertEqual(coded(parsed, value), model.transform([value])[0].tolist())

    def test_names_are_given(self) -> None:
        model = LabelEncoder().fit(["a", "b"])
        named = parse(export(model, ["plan"]))
        self.assertEqual(named["features"], [{"name": "plan", "type": "str"}])

    def test_what_is_refused(self) -> None:
        self.refused(LabelEncoder(), "LabelEncoder", "is it fitted?")
        x = data(60)
        wide = make_pipeline(StandardScaler().fit(x), LabelEncoder().fit([1, 2]))
        self.refused(wide, "pipeline step 'labelencoder': LabelEncoder takes one column and gets 4")
        self.refused(LabelEncoder().fit([2**60 + 1, 3]), "that a double does not hold")
        odd = LabelEncoder().fit([1, 2])
        odd.classes_ = np.array([1, "a"], dtype=object)
        self.refused(odd, "neither all texts nor all numbers")

    def test_the_document_is_json(self) -> None:
        model = LabelEncoder().fit(["a\"b", "\u2028"])
        self.assertEqual(json.loads(export(model))["ops"][0]["op"], "ordinal")


if __name__ == "__main__":
    unittest.main()
