"""CatBoost's objects in the database: raw values and labels equal to the last bit, what is behind an
exp within 1e-12."""

from __future__ import annotations

import unittest

import catboost
import numpy

import hbscore
from support import ModelCase, chosen, connect_sqlite3, stored_options, table, truth

SMALL = {"iterations": 8, "depth": 3, "verbose": 0, "thread_count": 1, "allow_writing_files": False}
EXP = 1e-12


class Estimators(ModelCase):
    def setUp(self):
        self.data = table()
        self.settings = {**SMALL, "cat_features": ["plan"]}

    def raw(self, model):
        return catboost.CatBoost.predict(model, self.data, prediction_type="RawFormulaVal")

    def test_labels_of_every_type(self):
        for labels in (
            ["no", "yes"],
            [0, 1],
            [10, 20],
            [-1.5, 2.5],
            [False, True],
            ["a", "b", "ç"],
            [1, 2, 3],
        ):
            with self.subTest(str(labels)):
                model = catboost.CatBoostClassifier(**self.settings).fit(
                    self.data, chosen(self.data, labels)
                )
                own = model.predict(self.data).reshape(-1)
                shown = own.astype(int) if own.dtype == bool else own
                self.agrees(
                    model,
                    self.data,
                    shown,
                    model.predict_proba(self.data),
                    decision=self.raw(model),
                    relative=EXP,
                )

    def test_regression(self):
        for loss in ("RMSE", "MAE", "Poisson"):
            model = catboost.CatBoostRegressor(**self.settings, loss_function=loss).fit(
                self.data, numpy.abs(truth(self.data))
            )
            self.agrees(
                model, self.data, model.predict(self.data), decision=self.raw(model), relative=EXP
            )

    def test_several_outputs(self):
        wanted = truth(self.data)
        self.data = self.data.drop(columns="plan")
        model = catboost.CatBoostRegressor(**SMALL, loss_function="RMSEWithUncertainty").fit(
            self.data, wanted
        )
        self.agrees(
            model,
            self.data,
            values=model.predict(self.data),
            decision=self.raw(model),
            relative=EXP,
        )
        labels = numpy.stack([wanted > wanted.mean(), self.data["calls"] % 2], axis=1).astype(int)
        model = catboost.CatBoostClassifier(**SMALL, loss_function="MultiLogloss").fit(
            self.data, labels
        )
        self.agrees(
            model,
            self.data,
            values=model.predict(self.data),
            probabilities=model.predict_proba(self.data),
            decision=self.raw(model),
            relative=EXP,
        )

    def test_ranking(self):
        model = catboost.CatBoostRanker(**self.settings).fit(
            self.data, chosen(self.data, [0, 1, 2]), group_id=numpy.arange(len(self.data)) // 20
        )
        self.agrees(model, self.data, model.predict(self.data), decision=self.raw(model))

    def test_the_plain_class(self):
        model = catboost.CatBoost({**self.settings, "loss_function": "Logloss"}).fit(
            self.data, chosen(self.data, [0, 1])
        )
        self.agrees(model, self.data, (self.raw(model) > 0).astype(int), decision=self.raw(model))

    def test_best_model_and_threshold(self):
        labels = numpy.random.default_rng(3).integers(0, 2, len(self.data))
        model = catboost.CatBoostClassifier(
            **{**self.settings, "iterations": 60}, early_stopping_rounds=3
        )
        model.fit(self.data[:300], labels[:300], eval_set=(self.data[300:], labels[300:]))
        self.assertLess(model.tree_count_, 60)
        model.set_probability_threshold(0.55)
        self.agrees(model, self.data, model.predict(self.data), decision=self.raw(model))

    def test_names_and_arrays(self):
        model = catboost.CatBoostRegressor(**self.settings).fit(self.data, truth(self.data))
        names = [
            line.name
            for line in hbscore.inspect(connect_sqlite3(), model)
            if line.role == "feature"
        ]
        self.assertEqual(names, list(self.data.columns))
        array = self.data.astype(object).to_numpy()
        model = catboost.CatBoostRegressor(**SMALL, cat_features=[3]).fit(array, truth(self.data))
        self.agrees(model, array, model.predict(array))

    def test_nothing_is_said_twice(self):
        """CatBoost's files have their labels and names."""
        model = catboost.CatBoostClassifier(**self.settings).fit(
            self.data, chosen(self.data, ["no", "yes"])
        )
        connection = connect_sqlite3()
        hbscore.register(connection, "m", model)
        self.assertEqual(stored_options(connection), {})

    def test_a_loss_of_your_own(self):
        class Loss:
            def calc_ders_range(self, scores, labels, weights):
                return [(y - 1 / (1 + numpy.exp(-s)), -0.25) for s, y in zip(scores, labels)]

        model = catboost.CatBoostClassifier(**SMALL, loss_function=Loss(), eval_metric="Logloss")
        model.fit(self.data[["calls"]], chosen(self.data, [0, 1]))
        with self.assertRaisesRegex(
            hbscore.UnsupportedModel, "CatBoostClassifier predicts labels, and its file"
        ):
            hbscore.register(connect_sqlite3(), "m", model)

    def test_what_is_no_model(self):
        with self.assertRaisesRegex(hbscore.UnsupportedModel, "Pool is no fitted model"):
            hbscore.export(catboost.Pool([[1.0]], [1.0]))
        with self.assertRaises(catboost.CatBoostError):
            hbscore.export(catboost.CatBoostRegressor())


if __name__ == "__main__":
    unittest.main()
