"""LightGBM's objects in the database: raw scores and labels equal to the last bit, what is behind an
exp within 1e-15."""

from __future__ import annotations

import unittest

import lightgbm
import numpy
import pandas

import hbscore
from support import ModelCase, ask, chosen, connect_sqlite3, scored, stored_options, table, truth

SMALL = {"n_estimators": 8, "max_depth": 3, "n_jobs": 1, "verbose": -1, "min_child_samples": 5}
EXP = 1e-15


class Estimators(ModelCase):
    def setUp(self):
        self.data = table()

    def raw(self, model):
        return model.predict(self.data, raw_score=True)

    def test_labels_of_every_type(self):
        for labels in (
            ["no", "yes"],
            [0, 1],
            [10, 20],
            [-1.0, 2.0],
            [0.0, 1.0],
            [False, True],
            ["a", "b", "ç"],
            [3, 1, 2],
        ):
            with self.subTest(str(labels)):
                model = lightgbm.LGBMClassifier(**SMALL).fit(self.data, chosen(self.data, labels))
                own = model.predict(self.data)
                shown = own.astype(int) if own.dtype == bool else own  # SQLite has no booleans
                self.agrees(
                    model,
                    self.data,
                    shown,
                    model.predict_proba(self.data),
                    decision=self.raw(model),
                    relative=EXP,
                )

    def test_labels_of_numpy_and_pandas_types(self):
        text = pandas.Series(pandas.Categorical(chosen(self.data, ["no", "yes"])))
        for labels in (
            text,
            text.astype("string"),
            pandas.Series(chosen(self.data, [1, 2])).astype("int8"),
            chosen(self.data, [1.0, 3.0]).astype("float32"),
        ):
            with self.subTest(str(labels.dtype)):
                model = lightgbm.LGBMClassifier(**SMALL).fit(self.data, labels)
                self.agrees(model, self.data, model.predict(self.data).astype(object), relative=EXP)

    def test_dates_are_no_labels(self):
        labels = numpy.array(["2024-01-01", "2024-01-02"], dtype="datetime64[D]")[
            chosen(self.data, [0, 1])
        ]
        model = lightgbm.LGBMClassifier(**SMALL).fit(self.data, labels)
        with self.assertRaisesRegex(hbscore.InvalidValue, "class label: 2024-01-01.* is a date"):
            hbscore.register(connect_sqlite3(), "m", model)

    def test_regression(self):
        for objective in ("regression", "huber", "poisson"):
            model = lightgbm.LGBMRegressor(**SMALL, objective=objective).fit(
                self.data, numpy.abs(truth(self.data))
            )
            self.agrees(
                model, self.data, model.predict(self.data), decision=self.raw(model), relative=EXP
            )

    def test_ranking(self):
        model = lightgbm.LGBMRanker(**SMALL).fit(
            self.data, chosen(self.data, [0, 1, 2]), group=[20] * 20
        )
        self.agrees(model, self.data, model.predict(self.data), decision=self.raw(model))

    def test_random_forest(self):
        model = lightgbm.LGBMClassifier(
            **SMALL, boosting_type="rf", subsample=0.7, subsample_freq=1
        )
        model.fit(self.data, chosen(self.data, ["no", "yes"]))
        self.agrees(
            model,
            self.data,
            model.predict(self.data),
            model.predict_proba(self.data),
            decision=self.raw(model),
            relative=EXP,
        )

    def test_early_stopping(self):
        labels = numpy.random.default_rng(3).integers(0, 2, len(self.data))
        model = lightgbm.LGBMClassifier(**{**SMALL, "n_estimators": 40})
        model.fit(
            self.data[:300],
            labels[:300],
            eval_set=[(self.data[300:], labels[300:])],
            callbacks=[lightgbm.early_stopping(3, verbose=False)],
        )
        self.assertLess(model.best_iteration_, 40)
        self.agrees(
            model, self.data, model.predict(self.data), decision=self.raw(model), relative=EXP
        )

    def test_objectives_of_your_own(self):
        model = lightgbm.LGBMClassifier(**SMALL, objective=lambda y, p: (p - y, numpy.ones_like(p)))
        model.fit(self.data, chosen(self.data, [0, 1]))
        self.agrees(model, self.data, model.predict(self.data), decision=self.raw(model))

    def test_a_classifier_whose_file_is_a_regression(self):
        model = lightgbm.LGBMClassifier(**SMALL, objective="cross_entropy").fit(
            self.data, chosen(self.data, [0, 1])
        )
        with self.assertRaisesRegex(
            hbscore.UnsupportedModel, "LGBMClassifier predicts labels, and its file"
        ):
            hbscore.register(connect_sqlite3(), "m", model)

    def test_names(self):
        """LightGBM writes "monthly_fee"; a sample brings the DataFrame's own name back."""
        model = lightgbm.LGBMRegressor(**SMALL).fit(self.data, truth(self.data))
        connection = connect_sqlite3()
        hbscore.register(connection, "m", model)
        self.assertNotIn("features", stored_options(connection))
        names = [line.name for line in hbscore.inspect(connection, model) if line.role == "feature"]
        self.assertEqual(names, ["age", "monthly_fee", "calls", "plan"])
        hbscore.register(connection, "sampled", model, sample=self.data)
        self.assertEqual(
            stored_options(connection, "sampled"), {"features": list(self.data.columns)}
        )
        row = '{"age": 30, "monthly fee": 1, "calls": 2, "plan": "gold"}'
        by_position = ask(connection, "SELECT predict('m', 30, 1, 2, 'gold')")
        self.assertEqual(ask(connection, "SELECT predict('sampled', ?)", row), by_position)

    def test_options_of_your_own_go_first(self):
        model = lightgbm.LGBMClassifier(**SMALL).fit(self.data, chosen(self.data, ["no", "yes"]))
        connection = connect_sqlite3()
        hbscore.register(
            connection,
            "m",
            model,
            classes=["nein", "ja"],
            features=["a", "b", "c", "d"],
            description="mine",
        )
        self.assertEqual(
            stored_options(connection),
            {"classes": ["nein", "ja"], "features": ["a", "b", "c", "d"], "description": "mine"},
        )
        hbscore.register(connection, "numbers", model, classes=None)
        self.assertEqual(set(scored(connection, "predict", "numbers", self.data)), {0, 1})


class Boosters(ModelCase):
    def test_booster(self):
        data = table()
        model = lightgbm.train(
            {"objective": "multiclass", "num_class": 3, "verbose": -1, "num_threads": 1},
            lightgbm.Dataset(data, chosen(data, [0, 1, 2])),
            5,
        )
        proba = model.predict(data)
        self.agrees(
            model,
            data,
            proba.argmax(axis=1),
            proba,
            decision=model.predict(data, raw_score=True),
            relative=EXP,
        )

    def test_array(self):
        data = table().drop(columns="plan").to_numpy()
        model = lightgbm.LGBMRegressor(**SMALL).fit(data, truth(table()))
        self.agrees(model, data, model.predict(data))

    def test_what_is_no_model(self):
        with self.assertRaisesRegex(hbscore.UnsupportedModel, "Dataset is no fitted model"):
            hbscore.export(lightgbm.Dataset(numpy.zeros((2, 2))))
        with self.assertRaises(ValueError):
            hbscore.export(lightgbm.LGBMClassifier())


if __name__ == "__main__":
    unittest.main()
