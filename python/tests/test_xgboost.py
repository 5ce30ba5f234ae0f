"""XGBoost's objects in the database, equal to the last bit."""

from __future__ import annotations

import json
import sqlite3
import unittest
from types import SimpleNamespace

import numpy
import pandas
import xgboost

import hbscore
from hbscore.libraries.xgboost_categories import repaired
from support import (
    ROOT,
    ModelCase,
    ask,
    cells,
    chosen,
    connect_sqlite3,
    scored,
    stored_options,
    table,
    truth,
)

PLANS = ("gold", "silver", "plus")  # XGBoost 3.2 damages names that are not ASCII
SMALL = {"n_estimators": 8, "max_depth": 3, "n_jobs": 1}


def margins(model, data, rounds=(0, 0)):
    booster = model.get_booster() if hasattr(model, "get_booster") else model
    names = None if hasattr(data, "columns") else booster.feature_names
    matrix = xgboost.DMatrix(
        data, enable_categorical=True, feature_names=names, missing=getattr(model, "missing", None)
    )
    return booster.predict(matrix, output_margin=True, iteration_range=rounds)


class Estimators(ModelCase):
    def setUp(self):
        self.data = table(plans=PLANS)

    def test_binary(self):
        model = xgboost.XGBClassifier(**SMALL, enable_categorical=True).fit(
            self.data, chosen(self.data, [0, 1])
        )
        self.agrees(
            model,
            self.data,
            model.predict(self.data),
            model.predict_proba(self.data),
            decision=margins(model, self.data),
        )

    def test_labels_of_your_own(self):
        """XGBoost's labels are 0, 1, ..; the ones that SQL shows can be others, also in golden rows."""
        model = xgboost.XGBClassifier(**SMALL, enable_categorical=True).fit(
            self.data, chosen(self.data, [0, 1])
        )
        named = numpy.array(["no", "yes"], dtype=object)[model.predict(self.data)]
        self.agrees(model, self.data, named, model.predict_proba(self.data), classes=["no", "yes"])

    def test_multiclass(self):
        for objective in ("multi:softprob", "multi:softmax"):
            model = xgboost.XGBClassifier(**SMALL, objective=objective, enable_categorical=True)
            model.fit(self.data, chosen(self.data, [0, 1, 2]))
            proba = model.predict_proba(self.data) if objective == "multi:softprob" else None
            self.agrees(
                model,
                self.data,
                model.predict(self.data),
                proba,
                decision=margins(model, self.data),
            )

    def test_the_best_classes(self):
        """predict_top has the order of numpy's stable argsort and the library's own numbers."""
        model = xgboost.XGBClassifier(**SMALL, enable_categorical=True)
        model.fit(self.data, chosen(self.data, [0, 1, 2]))
        proba = model.predict_proba(self.data)
        order = numpy.argsort(-proba, axis=1, kind="stable")
        connection = connect_sqlite3()
        hbscore.register(connection, "m", model, sample=self.data)
        rows = cells(self.data)
        places = ", ".join("?" * len(rows[0]))
        for row, own, best in zip(rows, proba, order):
            for k in (1, 2, 4):
                found = json.loads(ask(connection, f"SELECT predict_top('m', {k}, {places})", *row))
                want = [{"class": int(c), "probability": float(own[c])} for c in best[:k]]
                self.assertEqual(found, want)
            named = json.loads(ask(connection, f"SELECT predict_probabilities('m', {places})", *row))
            self.assertEqual(named, {str(c): float(p) for c, p in enumerate(own)})
        connection.close()

    def test_other_objectives_of_a_classifier(self):
        for objective in ("binary:logitraw", "binary:hinge"):
            model = xgboost.XGBClassifier(**SMALL, objective=objective, enable_categorical=True)
            model.fit(self.data, chosen(self.data, [0, 1]))
            self.agrees(
                model, self.data, model.predict(self.data), decision=margins(model, self.data)
            )

    def test_a_function_as_objective(self):
        def objective(label, score):
            p = 1 / (1 + numpy.exp(-score))
            return p - label, p * (1 - p)

        model = xgboost.XGBClassifier(**SMALL, objective=objective, enable_categorical=True)
        model.fit(self.data, chosen(self.data, [0, 1]))
        self.agrees(model, self.data, model.predict(self.data), decision=margins(model, self.data))

    def test_regression(self):
        for objective in ("reg:squarederror", "reg:tweedie", "reg:absoluteerror"):
            model = xgboost.XGBRegressor(**SMALL, objective=objective, enable_categorical=True)
            model.fit(self.data, numpy.abs(truth(self.data)))
            self.agrees(
                model, self.data, model.predict(self.data), decision=margins(model, self.data)
            )

    def test_a_regressor_that_classifies(self):
        """Its file is that of a classifier, and SQL gives the label; the probability has its own function."""
        model = xgboost.XGBRegressor(**SMALL, objective="binary:logistic", enable_categorical=True)
        model.fit(self.data, chosen(self.data, [0, 1]))
        own = model.predict(self.data)
        self.agrees(
            model,
            self.data,
            (own > 0.5).astype(int),
            numpy.stack([1 - own, own], axis=1),
            decision=margins(model, self.data),
        )

    def test_ranking(self):
        model = xgboost.XGBRanker(**SMALL, enable_categorical=True)
        model.fit(self.data, chosen(self.data, [0, 1, 2]), qid=numpy.arange(len(self.data)) // 20)
        self.agrees(model, self.data, model.predict(self.data), decision=margins(model, self.data))

    def test_random_forests(self):
        model = xgboost.XGBRFClassifier(
            n_estimators=9, max_depth=3, subsample=0.8, n_jobs=1, enable_categorical=True
        )
        model.fit(self.data, chosen(self.data, [0, 1]))
        self.agrees(model, self.data, model.predict(self.data), model.predict_proba(self.data))
        model = xgboost.XGBRFRegressor(
            n_estimators=9, max_depth=3, subsample=0.8, n_jobs=1, enable_categorical=True
        )
        model.fit(self.data, truth(self.data))
        self.agrees(model, self.data, model.predict(self.data))

    def test_dart_and_linear(self):
        numbers = self.data.drop(columns="plan").fillna(0)
        for booster in ("dart", "gblinear"):
            model = xgboost.XGBRegressor(
                n_estimators=8,
                booster=booster,
                n_jobs=1,
                **({"rate_drop": 0.5} if booster == "dart" else {}),
            )
            model.fit(numbers, truth(self.data))
            self.agrees(model, numbers, margins(model, numbers), decision=margins(model, numbers))

    def test_several_outputs(self):
        targets = numpy.stack([truth(self.data), self.data["calls"]], axis=1)
        model = xgboost.XGBRegressor(**SMALL, enable_categorical=True).fit(self.data, targets)
        self.agrees(
            model, self.data, values=model.predict(self.data), decision=margins(model, self.data)
        )
        labels = (targets > targets.mean(axis=0)).astype(int)
        model = xgboost.XGBClassifier(**SMALL, enable_categorical=True).fit(self.data, labels)
        self.agrees(
            model,
            self.data,
            values=model.predict(self.data),
            probabilities=model.predict_proba(self.data),
        )
        model = xgboost.XGBRegressor(
            **SMALL,
            objective="reg:quantileerror",
            quantile_alpha=[0.1, 0.9],
            enable_categorical=True,
        )
        model.fit(self.data, truth(self.data))
        self.agrees(model, self.data, decision=margins(model, self.data))

    def test_early_stopping(self):
        labels = numpy.random.default_rng(3).integers(
            0, 2, len(self.data)
        )  # nothing to learn: it stops at once
        model = xgboost.XGBClassifier(
            n_estimators=40, max_depth=4, n_jobs=1, early_stopping_rounds=3, enable_categorical=True
        )
        model.fit(
            self.data[:300], labels[:300], eval_set=[(self.data[300:], labels[300:])], verbose=False
        )
        used, all_rounds = model.best_iteration + 1, model.get_booster().num_boosted_rounds()
        self.assertLess(used, all_rounds)
        self.agrees(
            model,
            self.data,
            model.predict(self.data),
            model.predict_proba(self.data),
            decision=margins(model, self.data, (0, used)),
        )
        connection = connect_sqlite3()
        hbscore.register(connection, "m", model)
        self.assertEqual(stored_options(connection)["rounds"], used)
        hbscore.register(connection, "all", model, rounds=all_rounds)
        self.assertEqual(
            scored(connection, "decision_function", "all", self.data),
            margins(model, self.data).reshape(-1, 1).tolist(),
        )

    def test_missing(self):
        data = self.data.drop(columns="plan").fillna(-1)
        model = xgboost.XGBRegressor(**SMALL, missing=-1).fit(data, truth(self.data))
        self.agrees(model, data, model.predict(data))
        connection = connect_sqlite3()
        hbscore.register(connection, "m", model)
        self.assertEqual(stored_options(connection), {"missing": -1})
        with_nan = data.replace(-1, numpy.nan)
        self.assertEqual(
            scored(connection, "predict", "m", with_nan), scored(connection, "predict", "m", data)
        )
        hbscore.register(connection, "nan", model, missing=float("nan"))
        self.assertEqual(stored_options(connection, "nan"), {"missing": None})

    def test_names_of_a_frame(self):
        model = xgboost.XGBRegressor(**SMALL, enable_categorical=True).fit(
            self.data, truth(self.data)
        )
        connection = connect_sqlite3()
        lines = hbscore.inspect(connection, model)
        self.assertEqual(
            [line.name for line in lines if line.role == "feature"], list(self.data.columns)
        )
        extra = self.data[::-1].assign(other="not a feature")[
            ["other", *reversed(self.data.columns)]
        ]
        sample = hbscore.sample.Sample(extra, hbscore.libraries.fitted(model))
        self.assertEqual(list(sample.data.columns), list(self.data.columns))

    def test_arrays(self):
        data = self.data.drop(columns="plan").to_numpy(dtype=numpy.float32)
        model = xgboost.XGBClassifier(**SMALL).fit(data, chosen(self.data, [0, 1]))
        self.agrees(model, data, model.predict(data), model.predict_proba(data))

    def test_a_class_of_your_own(self):
        class Mine(xgboost.XGBRegressor):
            pass

        model = Mine(**SMALL, enable_categorical=True).fit(self.data, truth(self.data))
        self.agrees(model, self.data, model.predict(self.data))

    def test_integer_categories(self):
        data = pandas.DataFrame(
            {"x": self.data["age"], "code": pandas.Categorical(self.data["calls"] % 5 + 100)}
        )
        model = xgboost.XGBRegressor(**SMALL, enable_categorical=True).fit(data, truth(self.data))
        self.agrees(model, data, model.predict(data))


class DamagedNames(ModelCase):
    """XGBoost 3.2 damages the names of categories that are not ASCII; the sample's types know them."""

    PLANS = ("Zürich", "naïve", "gold", "日本", "x")

    def setUp(self):
        self.data = table(plans=self.PLANS)
        self.data["code"] = pandas.Categorical(self.data["calls"] % 5 + 100)
        towns = numpy.array(["Ωmega", "b", "c"])
        self.data["town"] = pandas.Categorical(towns[self.data["calls"] % 3])
        self.settings = {**SMALL, "enable_categorical": True, "max_cat_to_onehot": 1}

    def test_repaired(self):
        model = xgboost.XGBClassifier(**self.settings).fit(self.data, chosen(self.data, [0, 1]))
        self.agrees(model, self.data, model.predict(self.data), decision=margins(model, self.data))

    def test_other_boosters(self):
        model = xgboost.XGBRegressor(**self.settings, booster="dart", rate_drop=0.5)
        model.fit(self.data, truth(self.data))
        self.agrees(model, self.data, margins(model, self.data))
        matrix = xgboost.DMatrix(self.data, truth(self.data), enable_categorical=True)
        booster = xgboost.train({"max_depth": 3, "nthread": 1}, matrix, 8)
        self.agrees(booster, self.data, booster.predict(matrix))

    def test_every_category_has_its_own_name(self):
        model = xgboost.XGBRegressor(**self.settings).fit(self.data, truth(self.data))
        connection = connect_sqlite3()
        hbscore.register(connection, "m", model, sample=self.data)
        bytes_ = connection.execute("SELECT model FROM hbscore_models").fetchone()[0]
        notes = {line.name: line.note for line in hbscore.inspect(connection, bytes_)}
        known = self.data["plan"].cat.categories
        self.assertEqual(notes["plan"], "5 categories: " + ", ".join(known))
        self.assertEqual(notes["town"], "3 categories: b, c, Ωmega")

    def test_without_a_sample_it_is_refused_with_the_way_out(self):
        model = xgboost.XGBRegressor(**self.settings).fit(self.data, truth(self.data))
        words = r"feature 3 \(\"plan\"\).*hbscore\.register.*sample=frame"
        with self.assertRaisesRegex(sqlite3.Error, words):
            hbscore.register(connect_sqlite3(), "m", model)

    def test_other_categories_than_those_of_training(self):
        model = xgboost.XGBRegressor(**self.settings).fit(self.data, truth(self.data))
        plans = self.data["plan"].cat
        reversed_plans = plans.reorder_categories(list(reversed(plans.categories)))
        for plan in (reversed_plans, plans.codes):
            other = self.data.assign(plan=plan)
            with self.assertRaisesRegex(hbscore.InvalidValue, "'plan': .*not those of the training"):
                hbscore.register(connect_sqlite3(), "m", model, sample=other)

    def test_as_a_version_without_the_fault_writes_them(self):
        folder = ROOT / "test" / "golden" / "xgboost"
        good, bad = (
            json.loads((folder / f"cats_accents_{version}.json").read_bytes())
            for version in (34, 33)
        )
        place = good["learner"]["gradient_booster"]["model"]["cats"]
        columns = [
            [
                bytes(byte & 255 for byte in encoding["values"][begin:end]).decode()
                for begin, end in zip(encoding["offsets"], encoding["offsets"][1:])
            ]
            for encoding in place["enc"]
        ]
        types = [SimpleNamespace(categories=names or None) for names in columns]
        sample = SimpleNamespace(dtypes=types, columns=good["learner"]["feature_names"])
        mended = json.loads(repaired(sample, b"", lambda: json.dumps(bad).encode()))
        self.assertEqual(mended["learner"]["gradient_booster"]["model"]["cats"], place)
        mended["learner"]["gradient_booster"]["model"]["cats"] = None
        del mended["learner"]["attributes"]["hbscore_category_names"]
        bad["learner"]["gradient_booster"]["model"]["cats"] = None
        self.assertEqual(mended, bad)


class Boosters(ModelCase):
    def test_booster(self):
        data = table(plans=PLANS)
        matrix = xgboost.DMatrix(data, chosen(data, [0, 1]), enable_categorical=True)
        model = xgboost.train(
            {"objective": "binary:logistic", "max_depth": 3, "nthread": 1}, matrix, 8
        )
        own = model.predict(matrix)
        self.agrees(
            model,
            data,
            (own > 0.5).astype(int),
            numpy.stack([1 - own, own], axis=1),
            decision=model.predict(matrix, output_margin=True),
        )

    def test_booster_of_an_array(self):
        data = table(plans=PLANS).drop(columns="plan").to_numpy()
        matrix = xgboost.DMatrix(
            data, truth(table(plans=PLANS)), feature_names=["age", "fee", "calls"]
        )
        model = xgboost.train({"max_depth": 3, "nthread": 1}, matrix, 8)
        self.agrees(model, data, model.predict(matrix), decision=model.predict(matrix))

    def test_what_is_no_model(self):
        with self.assertRaisesRegex(hbscore.UnsupportedModel, "DMatrix is no fitted model"):
            hbscore.export(xgboost.DMatrix(numpy.zeros((2, 2))))
        with self.assertRaises(Exception):
            hbscore.export(xgboost.XGBClassifier())


if __name__ == "__main__":
    unittest.main()
