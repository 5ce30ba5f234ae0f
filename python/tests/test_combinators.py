"""Estimators around others, and isotonic regression: SQL gives scikit-learn's own answers, and what is not supported is
named."""

from __future__ import annotations

import functools
import json
import sqlite3
import sys
import types
import unittest
import warnings
from typing import Any

import numpy
import pandas
from scipy.special import expit
from sklearn import dummy, ensemble, isotonic, linear_model, multiclass, multioutput, naive_bayes, neighbors, neural_network
from sklearn import semi_supervised, tree
from sklearn import preprocessing as pp
from sklearn.base import BaseEstimator
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer, TransformedTargetRegressor
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.neighbors import KNeighborsRegressor, RadiusNeighborsRegressor
from sklearn.pipeline import Pipeline, make_pipeline

import hbscore
from support import connect_sqlite3, scored
from test_ensembles import FULL, THREE

X = FULL[:, :1]
Y = FULL[:, 0] + FULL[:, 1]


class Combinators(unittest.TestCase):
    def setUp(self) -> None:
        warnings.simplefilter("ignore")

    def registered(self, model: Any) -> sqlite3.Connection:
        connection = connect_sqlite3()
        hbscore.register(connection, "m", model)
        return connection

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


class OneClass(Combinators):
    """Training has seen one label: alone, in a bag, or of one target of several."""

    def test_alone(self) -> None:
        y = numpy.full(len(FULL), "only")
        plain = tree.DecisionTreeClassifier(max_depth=2)
        for model in (
            linear_model.RidgeClassifier(),
            linear_model.RidgeClassifierCV(),
            neighbors.RadiusNeighborsClassifier(50.0),
            neighbors.KNeighborsClassifier(2),
            semi_supervised.LabelPropagation(),
            ensemble.AdaBoostClassifier(),
            ensemble.AdaBoostClassifier(naive_bayes.GaussianNB()),
            ensemble.BaggingClassifier(naive_bayes.GaussianNB(), 2),
            ensemble.VotingClassifier([("a", plain), ("b", naive_bayes.GaussianNB())], voting="soft"),
            ensemble.VotingClassifier([("a", plain), ("b", linear_model.RidgeClassifier())]),
            ensemble.StackingClassifier([("a", plain), ("b", naive_bayes.GaussianNB())], plain, cv=2),
            multiclass.OutputCodeClassifier(plain, random_state=0),
        ):
            with self.subTest(model=model):
                self.same(model.fit(FULL, y), FULL)

    def test_in_bags(self) -> None:
        """A bag may have rows of one class, where its estimator takes no weights of rows."""
        y = numpy.arange(len(FULL)) % 3
        inner = neighbors.KNeighborsClassifier(1)
        model = ensemble.BaggingClassifier(inner, 8, max_samples=2, random_state=1).fit(FULL, y)
        self.assertIn(1, [len(one.classes_) for one in model.estimators_])
        self.same(model, FULL)

    def test_of_a_target(self) -> None:
        y = numpy.stack([numpy.full(len(FULL), 7), numpy.arange(len(FULL)) % 3], axis=1)
        for inner in (tree.DecisionTreeClassifier(max_depth=3, random_state=0), linear_model.RidgeClassifier(), naive_bayes.GaussianNB()):
            for model in (multioutput.MultiOutputClassifier(inner), multioutput.ClassifierChain(inner)):
                with self.subTest(model=model):
                    model.fit(FULL, y)
                    connection = self.registered(model)
                    want = model.predict(FULL)
                    self.assertEqual(scored(connection, "predict_values", "m", FULL), want.tolist())

    def test_what_has_two_answers_is_refused(self) -> None:
        y = numpy.full(len(FULL), "only")
        for model in (ensemble.HistGradientBoostingClassifier(max_iter=2), neural_network.MLPClassifier((2,), max_iter=2)):
            self.refused(model.fit(FULL, y), "has one class, of which predict_proba makes two or fails: not supported")
        rest = multiclass.OneVsRestClassifier(tree.DecisionTreeClassifier()).fit(FULL, y)
        self.refused(rest, "has one class: its predict_proba is of two")


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

    def folds(self, *gone: int) -> Any:
        rows = numpy.arange(len(FULL))
        return [(rows[(THREE != label) & (rows % 3 > 0)], rows) for label in gone]

    def test_folds_without_a_class(self) -> None:
        for base in (naive_bayes.GaussianNB(), linear_model.RidgeClassifier(), tree.DecisionTreeClassifier(max_depth=2)):
            for method in ("sigmoid", "isotonic"):
                model = CalibratedClassifierCV(base, method=method, cv=self.folds(0, 2, 9))
                self.same(model.fit(FULL, WORDS[THREE]), FULL)

    def test_a_temperature_of_some_classes(self) -> None:
        """Since 1.8. The probabilities of two classes fit no table of three."""
        model = CalibratedClassifierCV(naive_bayes.GaussianNB(), cv=self.folds(0)).fit(FULL, THREE)
        part = model.calibrated_classifiers_[0]
        part.method, part.calibrators = "temperature", [types.SimpleNamespace(beta_=numpy.float64(1.5))]
        self.refused(model, "CalibratedClassifierCV with method=temperature has an estimator that does not know all classes")


FLAGS = (FULL[:, :3] > [0.0, 0.5, -0.5]).astype(int)
WORDS = numpy.array(["no", "yes", "perhaps"])


class Several(Combinators):
    """Several outputs, and several labels a row."""

    def register(self, model: Any) -> sqlite3.Connection:
        connection = connect_sqlite3()
        hbscore.register(connection, "m", model, sample=FULL)
        return connection

    def test_zeros_and_ones(self) -> None:
        logistic = linear_model.LogisticRegression()
        for model in (
            multiclass.OneVsRestClassifier(logistic),
            multioutput.ClassifierChain(logistic, order=[2, 0, 1]),
            multioutput.MultiOutputClassifier(logistic),
            tree.DecisionTreeClassifier(max_depth=4),
            ensemble.RandomForestClassifier(4, max_depth=4),
            neural_network.MLPClassifier((4,), max_iter=20),
            linear_model.RidgeClassifier(),
            multiclass.OneVsRestClassifier(linear_model.Ridge()),
        ):
            with self.subTest(model):
                connection = self.register(model.fit(FULL, FLAGS))
                got = scored(connection, "predict_values", "m", FULL)
                self.assertEqual(got, model.predict(FULL).astype(float).tolist())
                if hasattr(model, "predict_proba"):
                    want = model.predict_proba(FULL)
                    want = numpy.stack([p[:, 1] for p in want], axis=1) if isinstance(want, list) else want
                    numpy.testing.assert_allclose(scored(connection, "predict_proba", "m", FULL), want, rtol=1e-9)

    def test_labels_of_their_own(self) -> None:
        numbers = numpy.stack([THREE, FLAGS[:, 0] + 5], axis=1)
        model: Any = multioutput.MultiOutputClassifier(naive_bayes.GaussianNB()).fit(FULL, numbers)
        got = scored(self.register(model), "predict_values", "m", FULL)
        self.assertEqual(got, model.predict(FULL).astype(float).tolist())
        chain = multioutput.ClassifierChain(naive_bayes.GaussianNB(), order=[1, 0]).fit(FULL, numbers)
        connection = self.register(chain)
        self.assertEqual(scored(connection, "predict_values", "m", FULL), chain.predict(FULL).astype(float).tolist())
        first = chain.estimators_[0].predict_proba(FULL)
        found = numpy.array(scored(connection, "predict_proba", "m", FULL))
        numpy.testing.assert_allclose(found[:, 3:], first, rtol=1e-9, atol=1e-12)
        texts = numpy.stack([WORDS[THREE], WORDS[FLAGS[:, 0]]], axis=1)
        for model in (tree.DecisionTreeClassifier(max_depth=3), dummy.DummyClassifier()):
            connection = self.register(model.fit(FULL, texts))
            for row in FULL[:9]:
                sql = "SELECT predict_json('m', ?, ?, ?, ?) ->> 'prediction'"
                found = json.loads(connection.execute(sql, row.tolist()).fetchone()[0])
                self.assertEqual(found, model.predict([row])[0].tolist())

    def test_what_is_refused(self) -> None:
        model: Any = ensemble.RandomForestClassifier(2).fit(FULL, numpy.stack([THREE, FLAGS[:, 0]], axis=1))
        voting = ensemble.VotingClassifier([("a", model)])
        voting.estimators_, voting.le_, voting.classes_ = [model], None, numpy.array([0, 1])
        self.refused(voting, "it has several outputs")
        model = dummy.DummyClassifier(strategy="uniform").fit(FULL, THREE)
        with self.assertRaisesRegex(hbscore.UnsupportedModel, "with strategy='uniform' is not supported"):
            hbscore.export(model, list("abcd"))


class Labels(Combinators):
    """The labels of estimators that were fitted before are texts, which the last one encodes."""

    def test_stacks(self) -> None:
        y = WORDS[THREE]
        parts = [("a", tree.DecisionTreeClassifier(max_depth=2).fit(FULL, y)), ("b", naive_bayes.GaussianNB().fit(FULL, y))]
        one_hot = make_pipeline(pp.OneHotEncoder(handle_unknown="ignore"), linear_model.LogisticRegression())
        columns = ColumnTransformer([("first", pp.OrdinalEncoder(), [1]), ("second", pp.OneHotEncoder(), [0])])
        for last in (one_hot, make_pipeline(columns, tree.DecisionTreeClassifier(max_depth=3))):
            model = ensemble.StackingClassifier(parts, last, cv="prefit", stack_method="predict").fit(FULL, y)
            self.same(model, FULL)

    def test_what_is_refused(self) -> None:
        y = WORDS[THREE]
        parts = [("a", tree.DecisionTreeClassifier(max_depth=2).fit(FULL, y))]
        last = make_pipeline(pp.OneHotEncoder(handle_unknown="ignore"), linear_model.LogisticRegression())
        model = ensemble.StackingClassifier(parts, last, cv="prefit", stack_method="predict", passthrough=True).fit(FULL, y)
        self.refused(model, "puts labels that are texts beside numbers, of which numpy makes texts")


class Chains(Combinators):
    def test_of_float32(self) -> None:
        """A chain makes float64 of its columns, and nothing in it rounds to float32."""
        narrow = FULL.astype(numpy.float32) * numpy.float32(1.1)
        links = make_pipeline(pp.StandardScaler(), linear_model.LogisticRegression())
        for model, y in (
            (multioutput.ClassifierChain(links, chain_method="decision_function"), FLAGS),
            (multioutput.RegressorChain(make_pipeline(pp.MinMaxScaler(), linear_model.Ridge())), FULL),
        ):
            document = json.loads(hbscore.export(model.fit(narrow, y), narrow))
            steps = [op for op in document["ops"] if op["op"] != "cast"]
            self.assertEqual({op["dtype"] for op in steps if op["op"] == "affine"}, {"f8"})
            self.assertEqual([op["op"] for op in steps if op.get("dtype") == "f4"], [])
        connection = connect_sqlite3()
        hbscore.register(connection, "m", model, sample=narrow)
        numpy.testing.assert_allclose(scored(connection, "predict_values", "m", narrow), model.predict(narrow), rtol=1e-12)


class BesideTexts(Combinators):
    """A dummy reads no column, so it takes texts."""

    def asked(self, model: Any, x: Any) -> None:
        connection = self.registered(model)
        numpy.testing.assert_allclose(scored(connection, "predict", "m", x), model.predict(x), rtol=1e-12)
        self.assertEqual(scored(connection, "predict", "m", x[:1].assign(plan="unseen")), scored(connection, "predict", "m", x[:1]))

    def test_dummies(self) -> None:
        frame = pandas.DataFrame({"plan": WORDS[THREE], "age": FULL[:, 0]})
        guess = dummy.DummyRegressor()
        self.asked(guess.fit(frame, Y), frame)
        self.asked(dummy.DummyClassifier().fit(frame, THREE), frame)
        ages = make_pipeline(ColumnTransformer([("age", "passthrough", ["age"])]), linear_model.Ridge())
        for parts in ([("a", ages), ("b", guess)], [("b", guess), ("a", ages)]):
            self.asked(ensemble.VotingRegressor(parts).fit(frame, Y), frame)
        plans = make_pipeline(pp.OneHotEncoder(handle_unknown="ignore"), linear_model.Ridge())
        voting = ensemble.VotingRegressor([("a", plans), ("b", guess)]).fit(frame[["plan"]], Y)
        found = scored(self.registered(voting), "predict", "m", frame[["plan"]])
        numpy.testing.assert_allclose(found, voting.predict(frame[["plan"]]), rtol=1e-12)
        self.asked(guess.fit(frame[["plan"]], Y), frame[["plan"]])

    def test_a_label_of_all_rows(self) -> None:
        """The same answer to any text."""
        texts = pandas.Series(WORDS[THREE])
        flags = numpy.stack([FLAGS[:, 0], numpy.ones(len(FLAGS), int), numpy.zeros(len(FLAGS), int)], axis=1)
        model = multiclass.OneVsRestClassifier(make_pipeline(CountVectorizer(), linear_model.LogisticRegression())).fit(texts, flags)
        connection = connect_sqlite3()
        hbscore.register(connection, "m", model, sample=texts)
        rows = [[text] for text in texts]
        self.assertEqual(scored(connection, "predict_values", "m", rows), model.predict(texts).tolist())
        numpy.testing.assert_allclose(scored(connection, "predict_proba", "m", rows), model.predict_proba(texts), rtol=1e-12)


class OneOfEach(Combinators):
    def test_estimators_of_pairs_and_classes(self) -> None:
        logistic = linear_model.LogisticRegression()
        for y in (THREE, WORDS[THREE], FLAGS[:, 0]):
            for base in (logistic, naive_bayes.GaussianNB(), tree.DecisionTreeClassifier(max_depth=2)):
                self.same(multiclass.OneVsRestClassifier(base).fit(FULL, y), FULL)
                self.same(multiclass.OneVsOneClassifier(base).fit(FULL, y), FULL)
            self.same(multiclass.OutputCodeClassifier(logistic, random_state=0).fit(FULL, y), FULL)

    def test_boosting(self) -> None:
        for y in (THREE, FLAGS[:, 0]):
            self.same(ensemble.AdaBoostClassifier(naive_bayes.GaussianNB(), n_estimators=3).fit(FULL, y), FULL)
            init = tree.DecisionTreeClassifier(max_depth=2)
            self.same(ensemble.GradientBoostingClassifier(init=init, n_estimators=3).fit(FULL, y), FULL)

    def test_hard_votes_have_no_scores(self) -> None:
        parts = [("a", linear_model.LogisticRegression()), ("b", linear_model.RidgeClassifier())]
        connection = self.same(ensemble.VotingClassifier(parts).fit(FULL, THREE), FULL)
        with self.assertRaisesRegex(sqlite3.OperationalError, "without raw scores"):
            scored(connection, "decision_function", "m", FULL)


class Targets(Combinators):
    def near(self, model: Any, x: Any) -> None:
        connection = connect_sqlite3()
        hbscore.register(connection, "m", model, sample=x)
        got = scored(connection, "predict", "m", x)
        numpy.testing.assert_allclose(got, model.predict(x), rtol=1e-12, atol=1e-12)

    def test_inverses(self) -> None:
        base, y = tree.DecisionTreeRegressor(max_depth=3), numpy.exp(Y)
        for transformer in (pp.StandardScaler(), pp.MinMaxScaler(), pp.MaxAbsScaler(), pp.RobustScaler()):
            self.near(TransformedTargetRegressor(base, transformer=transformer).fit(FULL, y), FULL)
        least = functools.partial(numpy.clip, a_min=0.5, a_max=None)
        for func, inverse in (
            (numpy.log1p, numpy.expm1), (numpy.log, numpy.exp), (numpy.sqrt, numpy.square), (numpy.log, expit), (numpy.abs, least),
        ):
            self.near(TransformedTargetRegressor(base, func=func, inverse_func=inverse).fit(FULL, y), FULL)

    def test_float32_targets_are_computed_in_float32(self) -> None:
        y = Y.astype(numpy.float32)
        for transformer in (pp.StandardScaler(), pp.MinMaxScaler(), pp.MaxAbsScaler(), pp.RobustScaler()):
            self.same(TransformedTargetRegressor(KNeighborsRegressor(3), transformer=transformer).fit(FULL, y), FULL)
        for k in (1, 7):
            self.same(KNeighborsRegressor(k).fit(FULL, y), FULL)
        many, near = KNeighborsRegressor(9).fit(FULL, y), RadiusNeighborsRegressor(1.0).fit(FULL, y)
        for model in (many, near):
            found = scored(self.registered(model), "predict", "m", FULL)
            numpy.testing.assert_allclose(found, model.predict(FULL), rtol=1e-6, atol=1e-6)

    def test_what_is_refused(self) -> None:
        base = tree.DecisionTreeRegressor(max_depth=3)
        model = TransformedTargetRegressor(base, func=numpy.log1p, inverse_func=lambda x: x)
        self.refused(model.fit(FULL, numpy.exp(Y)), "FunctionTransformer with the function")
        model = TransformedTargetRegressor(base, transformer=pp.StandardScaler()).fit(FULL, Y)
        model.transformer_ = pp.Normalizer()
        self.refused(model, "Normalizer as the transformer of a target is not supported")


class Sampler(BaseEstimator):
    """Stands for one of imbalanced-learn: it chooses rows to train with."""

    def fit_resample(self, x: Any, y: Any) -> Any:
        self.n_features_in_ = x.shape[1]
        return x[::2], y[::2]


class Imbalanced(Combinators):
    """imbalanced-learn itself is not among the packages of these tests: its pipeline is a subclass that knows samplers."""

    def setUp(self) -> None:
        super().setUp()
        self.module = types.ModuleType("imblearn.pipeline")
        self.module.Pipeline = type("Pipeline", (Pipeline,), {"__module__": "imblearn.pipeline"})  # type: ignore[attr-defined]
        self.addCleanup(sys.modules.pop, "imblearn.pipeline")
        sys.modules["imblearn.pipeline"] = self.module

    def test_samplers_do_nothing_to_new_rows(self) -> None:
        plain = make_pipeline(pp.StandardScaler(), linear_model.LogisticRegression()).fit(FULL[::2], THREE[::2])
        sampler = Sampler()
        sampler.fit_resample(FULL, THREE)
        steps = [("sample", sampler), *plain.steps[:1], ("again", sampler), *plain.steps[1:]]
        self.assertEqual(hbscore.export(self.module.Pipeline(steps)), hbscore.export(plain))
        self.refused(self.module.Pipeline([("sample", sampler)]), "has no step that predicts or transforms")


if __name__ == "__main__":
    unittest.main()
