"""Estimators of XGBoost, LightGBM and CatBoost as the last step of a scikit-learn pipeline: SQL gives what
the pipeline's own predict and predict_proba give, and the margins of its last step, to the last bit."""

from __future__ import annotations

import json
import math
import sqlite3
import unittest
from typing import Any, List

import numpy
import pandas
from catboost import CatBoost, CatBoostClassifier, CatBoostRanker, CatBoostRegressor
from lightgbm import LGBMClassifier, LGBMRanker, LGBMRegressor
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer, TransformedTargetRegressor, make_column_transformer
from sklearn.ensemble import (
    AdaBoostClassifier,
    AdaBoostRegressor,
    BaggingClassifier,
    BaggingRegressor,
    StackingClassifier,
    StackingRegressor,
    VotingClassifier,
    VotingRegressor,
)
from sklearn.experimental import enable_iterative_imputer  # noqa: F401
from sklearn.feature_selection import SelectKBest, VarianceThreshold, f_classif
from sklearn.impute import IterativeImputer, SimpleImputer
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import GridSearchCV
from sklearn.multiclass import OneVsRestClassifier
from sklearn.multioutput import MultiOutputRegressor, RegressorChain
from sklearn.pipeline import FeatureUnion, Pipeline, make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    MaxAbsScaler,
    OneHotEncoder,
    OrdinalEncoder,
    StandardScaler,
)
from xgboost import XGBClassifier, XGBRanker, XGBRegressor, XGBRFClassifier

import hbscore
from own_format_reference import evaluate
from support import connect_sqlite3

NUMBERS, TEXTS = ["age", "fee"], ["plan", "city"]
CATBOOST = {"verbose": 0, "allow_writing_files": False, "thread_count": 1}
LIGHTGBM = {"verbose": -1, "n_jobs": 1}


def table(rows: int = 300) -> Any:
    """Numbers with missing ones and many zeros, two texts."""
    random = numpy.random.default_rng(3)
    frame = pandas.DataFrame(
        {
            "age": random.normal(40, 10, rows),
            "fee": random.choice([0.0, -0.0, 1.5, 1e-50, -3.25], rows),
            "plan": random.choice(["gold", "silver", "café"], rows),
            "city": random.choice(["a", "b", "c", "d", "e", "f"], rows),
        }
    )
    frame.loc[frame.index % 7 == 0, "age"] = numpy.nan
    return frame


FRAME = table()
SCORE = (
    FRAME["age"].fillna(30) / 10
    + FRAME["fee"]
    + (FRAME["plan"] == "gold") * 2
    + numpy.random.default_rng(4).normal(size=len(FRAME))
).to_numpy()
ORDER = SCORE.argsort().argsort()
TWO = ORDER * 2 // len(FRAME)
THREE = ORDER * 3 // len(FRAME)
WORDS = numpy.array(["high", "low", "mid"])[THREE]


def prepared(**options: Any) -> Any:
    """Scaled numbers and encoded texts."""
    return make_column_transformer(
        (StandardScaler(), NUMBERS), (OneHotEncoder(handle_unknown="ignore"), TEXTS), **options
    )


def sql_rows(data: Any) -> List[List[Any]]:
    cells = data.values.tolist() if hasattr(data, "columns") else data.tolist()
    return [[None if c != c else c for c in row] for row in cells]


def registered(model: Any, data: Any = None, **options: Any) -> sqlite3.Connection:
    connection = connect_sqlite3()
    hbscore.register(connection, "m", model, sample=data, **options)
    return connection


def answers(connection: sqlite3.Connection, function: str, data: Any) -> List[Any]:
    rows = sql_rows(data)
    marks = ", ".join("?" * len(rows[0]))
    found = [
        connection.execute(f"SELECT {function}('m', {marks})", row).fetchone()[0] for row in rows
    ]
    if function in ("predict", "predict_label") or found[0] is None:
        return found
    return [json.loads(text) for text in found]


class BoosterCase(unittest.TestCase):
    def same(
        self, model: Any, data: Any = FRAME, relative: float = 0.0, sample: bool = True
    ) -> sqlite3.Connection:
        """Labels and numbers of the pipeline itself; margins and numbers without an exp are compared by the
        database too, with the golden rows of `sample`."""
        connection = registered(model, data if sample else None)
        own = numpy.asarray(model.predict(data))
        own = own[:, 0] if own.ndim == 2 and own.shape[1] == 1 else own
        function = "predict" if own.ndim == 1 else "predict_values"
        self.near(answers(connection, function, data), own.tolist(), relative)
        if hasattr(model, "predict_proba") and hasattr(model, "classes_"):
            chances = model.predict_proba(data).tolist()
            self.near(answers(connection, "predict_proba", data), chances, relative)
        return connection

    def near(self, found: Any, wanted: Any, relative: float) -> None:
        if isinstance(wanted[0], str) or not relative:
            self.assertEqual(found, wanted)
        else:
            numpy.testing.assert_allclose(found, wanted, rtol=relative)

    def refused(self, model: Any, words: str, error: Any = hbscore.UnsupportedModel) -> None:
        with self.assertRaisesRegex(error, words):
            registered(model)


class Libraries(BoosterCase):
    def test_xgboost(self) -> None:
        for target, model in [
            (TWO, XGBClassifier(n_estimators=12)),
            (THREE, XGBClassifier(n_estimators=5)),
            (SCORE, XGBRegressor(n_estimators=12)),
            (abs(SCORE), XGBRegressor(n_estimators=12, objective="count:poisson")),
            (TWO, XGBClassifier(n_estimators=5, booster="gblinear")),
            (TWO, XGBRFClassifier(n_estimators=7)),
            (numpy.stack([SCORE, -SCORE], 1), XGBRegressor(n_estimators=4)),
        ]:
            with self.subTest(model):
                self.same(Pipeline([("prep", prepared()), ("clf", model)]).fit(FRAME, target))

    def test_lightgbm(self) -> None:
        for target, model in [
            (TWO, LGBMClassifier(n_estimators=12, **LIGHTGBM)),
            (WORDS, LGBMClassifier(n_estimators=5, **LIGHTGBM)),
            (SCORE, LGBMRegressor(n_estimators=12, **LIGHTGBM)),
            (SCORE, LGBMRegressor(n_estimators=5, linear_tree=True, **LIGHTGBM)),
            (
                SCORE,
                LGBMRegressor(
                    n_estimators=5, boosting_type="rf", subsample=0.5, subsample_freq=1, **LIGHTGBM
                ),
            ),
        ]:
            with self.subTest(model):
                fitted = Pipeline([("prep", prepared()), ("clf", model)]).fit(FRAME, target)
                self.same(fitted, relative=1e-15)

    def test_catboost(self) -> None:
        for target, model in [
            (TWO, CatBoostClassifier(n_estimators=12, **CATBOOST)),
            (WORDS, CatBoostClassifier(n_estimators=5, **CATBOOST)),
            (SCORE, CatBoostRegressor(n_estimators=12, **CATBOOST)),
            (SCORE, CatBoostRegressor(n_estimators=3, loss_function="RMSEWithUncertainty", **CATBOOST)),
        ]:
            with self.subTest(model):
                fitted = Pipeline([("prep", prepared()), ("clf", model)]).fit(FRAME, target)
                self.same(fitted, relative=1e-12)

    def test_rankers(self) -> None:
        group = numpy.arange(len(FRAME)) // 20
        for model, more in [
            (XGBRanker(n_estimators=5), {"clf__qid": group}),
            (LGBMRanker(n_estimators=5, **LIGHTGBM), {"clf__group": [20] * 15}),
            (CatBoostRanker(n_estimators=5, **CATBOOST), {"clf__group_id": group}),
        ]:
            with self.subTest(model):
                fitted = Pipeline([("prep", prepared()), ("clf", model)])
                self.same(fitted.fit(FRAME, THREE, **more))

    def test_margins(self) -> None:
        """decision_function is the library's raw score, which the pipeline has no method for."""
        model = Pipeline([("prep", prepared()), ("clf", XGBClassifier(n_estimators=9))])
        model.fit(FRAME, TWO)
        margins = model["clf"].predict(model["prep"].transform(FRAME), output_margin=True)
        connection = registered(model)
        self.assertEqual(
            [float(m[0]) for m in answers(connection, "decision_function", FRAME)],
            [float(m) for m in margins],
        )

    def test_transform(self) -> None:
        """What the last step gets, also of a sparse matrix: zeros are zeros in it."""
        for threshold in (0, 1):
            columns = prepared(sparse_threshold=threshold)
            model = Pipeline([("prep", columns), ("clf", XGBClassifier(n_estimators=3))])
            model.fit(FRAME, TWO)
            wanted = model["prep"].transform(FRAME)
            wanted = wanted.toarray() if threshold else wanted
            found = answers(registered(model), "transform", FRAME)
            numpy.testing.assert_array_equal(
                numpy.array([[math.nan if n == "NaN" else n for n in row] for row in found], float),
                wanted,
            )

    def test_numbers_of_both_types(self) -> None:
        """Trees that split next to each other: XGBoost rounds to float32 what LightGBM compares."""
        x = numpy.array([[0.1 + i * 2.0**-56] for i in range(64)] + [[1.0 + i] for i in range(64)])
        y = numpy.arange(128) % 128 > 40
        for model in (
            XGBClassifier(n_estimators=3),
            LGBMClassifier(n_estimators=3, min_child_samples=1, min_data_in_bin=1, **LIGHTGBM),
            CatBoostClassifier(n_estimators=3, **CATBOOST),
        ):
            with self.subTest(model):
                fitted = make_pipeline(StandardScaler(), model).fit(x, y.astype(int))
                self.same(fitted, x, relative=1e-12)


class Shapes(BoosterCase):
    """What may stand around the estimator."""

    def test_searches_and_pipelines_in_pipelines(self) -> None:
        inner = Pipeline([("prep", prepared()), ("clf", XGBClassifier(n_estimators=4))])
        search = GridSearchCV(inner, {"clf__max_depth": [2, 3]}, cv=2).fit(FRAME, TWO)
        self.same(search)
        self.same(make_pipeline(FunctionTransformer(), inner).fit(FRAME, TWO))
        numbers = FRAME[NUMBERS]
        self.same(GridSearchCV(XGBClassifier(n_estimators=4), {"max_depth": [2]}, cv=2).fit(numbers, TWO),
                  numbers)
        self.same(Pipeline([("clf", LGBMRegressor(n_estimators=4, **LIGHTGBM))]).fit(numbers.values, SCORE),
                  numbers.values)

    def test_frames_between_the_steps(self) -> None:
        dense = make_column_transformer(
            (StandardScaler(), NUMBERS),
            (OneHotEncoder(sparse_output=False), TEXTS),
        ).set_output(transform="pandas")
        for model in (
            XGBClassifier(n_estimators=4),
            LGBMClassifier(n_estimators=4, **LIGHTGBM),
            CatBoostClassifier(n_estimators=4, **CATBOOST),
        ):
            with self.subTest(model):
                self.same(make_pipeline(dense, model).fit(FRAME, TWO), relative=1e-12)

    def test_constant_columns(self) -> None:
        frame = FRAME.assign(fee=1.0)
        for model in (
            XGBRegressor(n_estimators=4),
            LGBMRegressor(n_estimators=4, **LIGHTGBM),
            CatBoostRegressor(n_estimators=4, **CATBOOST),
        ):
            with self.subTest(model):
                self.same(make_pipeline(prepared(), model).fit(frame, SCORE), frame)

    def test_float32_columns(self) -> None:
        numbers = FRAME[NUMBERS].astype(numpy.float32)
        self.same(make_pipeline(StandardScaler(), XGBRegressor(n_estimators=4)).fit(numbers, SCORE),
                  numbers)

    def test_early_stopping(self) -> None:
        model = make_pipeline(prepared(), XGBClassifier(n_estimators=60, early_stopping_rounds=2))
        data = model[:-1].fit_transform(FRAME)
        model[-1].fit(data, TWO, eval_set=[(data[:50], 1 - TWO[:50])], verbose=False)
        self.assertLess(model[-1].best_iteration, 59)
        self.same(model)

    def test_codes_of_categories(self) -> None:
        """An encoder before it makes codes, which the file tests as such."""
        codes = ColumnTransformer(
            [
                ("codes", OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1), TEXTS),
                ("numbers", "passthrough", NUMBERS),
            ]
        )
        lightgbm = LGBMClassifier(
            n_estimators=5, categorical_feature=[0, 1], min_child_samples=5, cat_smooth=1, **LIGHTGBM
        )
        xgboost = XGBClassifier(
            n_estimators=5, feature_types=["c", "c", "q", "q"], enable_categorical=True, max_cat_to_onehot=1
        )
        for model in (lightgbm, xgboost):
            with self.subTest(model):
                connection = self.same(make_pipeline(codes, model).fit(FRAME, TWO))
                row = (30.0, 1.5, "none of them", "a")
                frame = pandas.DataFrame([row], columns=FRAME.columns)
                fitted = make_pipeline(codes, model).fit(FRAME, TWO)
                if model is lightgbm:
                    own = fitted.predict_proba(frame)
                    self.assertEqual(answers(connection, "predict_proba", frame), own.tolist())


class MissingNumbers(BoosterCase):
    def test_a_number_that_means_missing(self) -> None:
        numbers = FRAME[NUMBERS].fillna(-999.9)
        for filled in (numbers, numbers.replace(-999.9, numpy.nan).fillna(1.5)):
            for missing in (-999.9, 0.0, 1.5):
                with self.subTest(missing):
                    model = XGBClassifier(n_estimators=6, missing=missing)
                    self.same(make_pipeline(FunctionTransformer(), model).fit(filled, TWO), filled)

    def test_sparse_matrices(self) -> None:
        """What is not stored in them is missing to XGBoost, and zero to the others."""
        for threshold in (0, 1):
            for steps in ([], [VarianceThreshold()], [SelectKBest(f_classif, k=5)]):
                filled = make_pipeline(
                    make_column_transformer(
                        (make_pipeline(SimpleImputer(), StandardScaler()), ["age"]),
                        ("passthrough", ["fee"]),
                        (OneHotEncoder(), TEXTS),
                        sparse_threshold=threshold,
                    ),
                    *steps,
                )
                for model in (
                    XGBClassifier(n_estimators=6),
                    XGBClassifier(n_estimators=6, missing=1.5),
                    LGBMClassifier(n_estimators=6, **LIGHTGBM),
                    CatBoostClassifier(n_estimators=6, **CATBOOST),
                ):
                    with self.subTest(model=model, threshold=threshold, steps=steps):
                        self.same(make_pipeline(filled, model).fit(FRAME, TWO), relative=1e-12)

    def test_an_encoder_alone_and_a_union(self) -> None:
        for encoder in (
            OneHotEncoder(),
            OneHotEncoder(sparse_output=False),
            FeatureUnion([("all", OneHotEncoder()), ("rare", OneHotEncoder(min_frequency=80))]),
        ):
            with self.subTest(encoder):
                model = make_pipeline(encoder, XGBClassifier(n_estimators=6))
                self.same(model.fit(FRAME[TEXTS], TWO), FRAME[TEXTS])

    def test_a_sparse_matrix_that_a_step_has_changed(self) -> None:
        model = make_pipeline(OneHotEncoder(), MaxAbsScaler(), XGBClassifier(n_estimators=2))
        self.refused(
            model.fit(FRAME[TEXTS], TWO),
            "pipeline step 'xgbclassifier': XGBClassifier gets a sparse matrix that a step has",
        )
        model = make_pipeline(OneHotEncoder(), MaxAbsScaler(), LGBMClassifier(n_estimators=2, **LIGHTGBM))
        self.same(model.fit(FRAME[TEXTS], TWO), FRAME[TEXTS])

    def test_infinities(self) -> None:
        """They are compared, as the libraries' own predict does; gblinear refuses them."""
        numbers = FRAME[NUMBERS]
        bad = numbers.head(6).copy()
        bad["age"] = [numpy.inf, -numpy.inf, 1e39, -1e39, 3.5e38, 1e308]
        for model in (
            XGBClassifier(n_estimators=6),
            LGBMClassifier(n_estimators=6, **LIGHTGBM),
            CatBoostClassifier(n_estimators=6, **CATBOOST),
        ):
            with self.subTest(model):
                fitted = make_pipeline(FunctionTransformer(), model).fit(numbers, TWO)
                found = answers(registered(fitted), "predict_proba", bad)
                numpy.testing.assert_allclose(found, fitted.predict_proba(bad), rtol=1e-12)
        linear = make_pipeline(FunctionTransformer(), XGBClassifier(n_estimators=3, booster="gblinear"))
        linear.fit(numbers, TWO)
        self.assertEqual(answers(registered(linear), "predict", bad), [None] * 6)
        with self.assertRaisesRegex(Exception, "Input data contains `inf`"):
            linear.predict(bad)
        strict = registered(linear, on_missing="error")
        with self.assertRaisesRegex(sqlite3.OperationalError, 'feature "age" is infinite'):
            answers(strict, "predict", bad)

    def test_what_a_step_before_it_refuses(self) -> None:
        selected = make_pipeline(
            make_column_transformer((SimpleImputer(), ["age"]), ("passthrough", ["fee"])),
            SelectKBest(f_classif, k=2),
            XGBClassifier(n_estimators=3),
        ).fit(FRAME[NUMBERS], TWO)
        bad = pandas.DataFrame({"age": [math.nan, 1.0], "fee": [1.0, math.nan]})
        connection = registered(selected)
        self.assertEqual(
            answers(connection, "predict", bad), [int(selected.predict(bad[:1])[0]), None]
        )
        with self.assertRaisesRegex(ValueError, "NaN"):
            selected.predict(bad)


class Parts(BoosterCase):
    """Inside other estimators, whose answers are within those estimators' tolerance."""

    CLASSIFIERS = [
        ("x", XGBClassifier(n_estimators=3, max_depth=2)),
        ("l", LGBMClassifier(n_estimators=3, **LIGHTGBM)),
        ("c", CatBoostClassifier(n_estimators=3, **CATBOOST)),
    ]
    REGRESSORS = [
        ("x", XGBRegressor(n_estimators=3, max_depth=2)),
        ("l", LGBMRegressor(n_estimators=3, **LIGHTGBM)),
        ("c", CatBoostRegressor(n_estimators=3, **CATBOOST)),
    ]
    DATA = FRAME[NUMBERS].fillna(1).to_numpy()

    def test_classifiers(self) -> None:
        for target in (TWO, THREE):
            for model in (
                VotingClassifier(self.CLASSIFIERS, voting="soft"),
                VotingClassifier(self.CLASSIFIERS[:1], voting="soft"),
                VotingClassifier(self.CLASSIFIERS[:2], voting="hard", weights=[1, 2]),
                StackingClassifier(self.CLASSIFIERS, cv=2, passthrough=True),
                StackingClassifier(self.CLASSIFIERS[:1], self.CLASSIFIERS[1][1], cv=2),
            ):
                with self.subTest(model):
                    self.same(model.fit(self.DATA, target), self.DATA, 1e-6)
            for _, part in self.CLASSIFIERS:
                for model in (
                    BaggingClassifier(make_pipeline(StandardScaler(), part), 2, random_state=0),
                    CalibratedClassifierCV(part, cv=2),
                    OneVsRestClassifier(part),
                ):
                    with self.subTest(model):
                        self.same(model.fit(self.DATA, target), self.DATA, 1e-12)
                        found = evaluate(hbscore.export(model), numpy.asarray(self.DATA, dtype=float))
                        numpy.testing.assert_allclose(found.probabilities, model.predict_proba(self.DATA), rtol=1e-11)

    def test_weights_of_rows(self) -> None:
        for _, part in self.CLASSIFIERS[:2]:  # CatBoost refuses the weights of a boost without error
            for target in (TWO, THREE):
                with self.subTest(part):
                    model = AdaBoostClassifier(part, n_estimators=2, random_state=0)
                    self.same(model.fit(self.DATA, target), self.DATA, 1e-6)

    def test_regressors(self) -> None:
        self.same(VotingRegressor(self.REGRESSORS).fit(self.DATA, SCORE), self.DATA, 1e-9)
        self.same(StackingRegressor(self.REGRESSORS, cv=2).fit(self.DATA, SCORE), self.DATA, 1e-9)
        for _, part in self.REGRESSORS:
            for model in (
                BaggingRegressor(part, 3, random_state=0),
                TransformedTargetRegressor(part, transformer=StandardScaler()),
                AdaBoostRegressor(part, n_estimators=3, random_state=0),
            ):
                with self.subTest(model):
                    self.same(model.fit(self.DATA, SCORE), self.DATA, 1e-9)
            for chain in (MultiOutputRegressor(part), RegressorChain(part)):
                with self.subTest(chain):
                    self.same(chain.fit(self.DATA, numpy.stack([SCORE, -SCORE], 1)), self.DATA, 1e-9)

    def test_imputers(self) -> None:
        holes = FRAME[NUMBERS].to_numpy()
        for _, part in self.REGRESSORS:
            model = make_pipeline(IterativeImputer(part, max_iter=2, random_state=0), LinearRegression())
            with self.subTest(model):
                self.same(model.fit(holes, SCORE), holes, 1e-9)

    def test_what_is_no_part(self) -> None:
        hinge = XGBClassifier(n_estimators=2, objective="binary:hinge")
        self.refused(
            VotingClassifier([("x", hinge)]).fit(self.DATA, TWO), "XGBClassifier gives no probabilities"
        )


class Refused(BoosterCase):
    def test_objectives_of_another_kind(self) -> None:
        numbers = FRAME[NUMBERS]
        self.refused(
            make_pipeline(StandardScaler(), XGBRegressor(n_estimators=2, objective="binary:logistic")).fit(
                numbers, TWO
            ),
            "pipeline step 'xgbregressor': XGBRegressor with the objective binary:logistic is not",
        )
        self.refused(
            make_pipeline(
                StandardScaler(), LGBMRegressor(n_estimators=2, objective="binary", **LIGHTGBM)
            ).fit(numbers, TWO),
            "LGBMRegressor with the objective binary is not supported in a pipeline",
        )
        self.refused(
            make_pipeline(StandardScaler(), CatBoost({"iterations": 2, **CATBOOST})).fit(numbers, TWO),
            "CatBoost predicts raw values in a pipeline",
        )

    def test_categories_that_the_file_looks_up(self) -> None:
        frame = FRAME.assign(**{name: FRAME[name].astype("category") for name in TEXTS})
        keep = FunctionTransformer().set_output(transform="pandas")
        for model in (
            XGBClassifier(n_estimators=2, enable_categorical=True),
            LGBMClassifier(n_estimators=2, **LIGHTGBM),
            CatBoostClassifier(n_estimators=2, cat_features=TEXTS, **CATBOOST),
        ):
            with self.subTest(model):
                self.refused(
                    make_pipeline(keep, model).fit(frame, TWO),
                    "%s was trained on categories: inside a pipeline" % type(model).__name__,
                )

    def test_what_is_no_last_step(self) -> None:
        numbers = FRAME[NUMBERS]
        unfitted = make_pipeline(StandardScaler(), LGBMClassifier(**LIGHTGBM))
        unfitted[0].fit(numbers)
        self.refused(unfitted, "LGBMClassifier gives no file: is it fitted")
        last = make_pipeline(
            make_pipeline(StandardScaler(), XGBClassifier(n_estimators=2)), FunctionTransformer()
        )
        last.steps[0][1].fit(numbers, TWO)
        self.refused(last, "pipeline step 'pipeline', pipeline step 'xgbclassifier': XGBClassifier has no transform")

    def test_several_labels_a_row(self) -> None:
        for model in (
            XGBClassifier(n_estimators=2),
            CatBoostClassifier(n_estimators=2, loss_function="MultiLogloss", **CATBOOST),
        ):
            with self.subTest(model):
                several = make_pipeline(StandardScaler(), model)
                several.fit(FRAME[NUMBERS], numpy.stack([TWO, 1 - TWO], 1))
                self.refused(several, "%s predicts several labels a row" % type(model).__name__)

    def test_texts_that_nothing_has_encoded(self) -> None:
        texts = FRAME[TEXTS].astype("category")
        model = make_pipeline(
            FunctionTransformer(), XGBClassifier(n_estimators=2, enable_categorical=True)
        ).fit(texts, TWO)
        with self.assertRaisesRegex(hbscore.UnsupportedModel, "categories|texts"):
            registered(model, texts)


class Inspections(unittest.TestCase):
    def test_facts_of_the_file(self) -> None:
        model = make_pipeline(prepared(sparse_threshold=1), XGBClassifier(n_estimators=3))
        lines = hbscore.inspect(connect_sqlite3(), model.fit(FRAME, TWO))
        facts = {line.name: line.note for line in lines if line.role == "model"}
        self.assertEqual(facts["format"], "hbscore")
        self.assertRegex(facts["embedded"], r"^xgboost-ubjson, \d+ bytes$")
        self.assertEqual(facts["objective"], "binary:logistic")
        self.assertEqual(facts["rounds"], "3 of 3")
        self.assertEqual(facts["missing"], "zeros, as in a sparse matrix")
        self.assertIn("narrow", [line.name for line in lines if line.role == "operator"])

    def test_the_same_model_is_the_same_bytes(self) -> None:
        model = make_pipeline(prepared(), XGBClassifier(n_estimators=3)).fit(FRAME, TWO)
        self.assertEqual(hbscore.export(model), hbscore.export(model))


if __name__ == "__main__":
    unittest.main()
