"""Golden rows: which rows are taken, what stands in them, and that the database refuses a model whose
answers differ."""

from __future__ import annotations

import json
import unittest

import lightgbm
import numpy
import pandas
import xgboost

import hbscore
from hbscore.libraries import fitted
from hbscore.sample import MAX_CELLS, Sample, evenly, golden
from support import ask, chosen, connect_sqlite3, table, truth

SMALL = {"n_estimators": 4, "max_depth": 3, "n_jobs": 1, "verbose": -1, "min_child_samples": 5}


def classifier(data, labels=("no", "yes")):
    return lightgbm.LGBMClassifier(**SMALL).fit(data, chosen(data, list(labels)))


def outputs(model):
    lines = hbscore.inspect(connect_sqlite3(), model)
    return {line.name: line.type for line in lines if line.role == "output"}


class Rows(unittest.TestCase):
    def test_evenly(self):
        self.assertEqual(evenly(5, 100), [0, 1, 2, 3, 4])
        self.assertEqual(evenly(1, 100), [0])
        self.assertEqual(evenly(11, 3), [0, 5, 10])
        for count in (100, 101, 150, 199, 200, 12345):
            rows = evenly(count, 100)
            self.assertEqual((len(rows), rows[0], rows[-1]), (100, 0, count - 1))

    def test_wide_tables_give_fewer_rows(self):
        wide = numpy.zeros((300, 20_000))
        model = fitted(lightgbm.LGBMRegressor(**SMALL).fit(numpy.zeros((30, 2)), numpy.arange(30)))
        self.assertEqual(Sample(wide, model).data.shape[0], MAX_CELLS // 20_000)

    def test_columns_are_found_by_name(self):
        data = table()
        mixed = data[["plan", "calls", "age", "monthly fee"]].assign(target=1)
        sample = Sample(mixed, fitted(classifier(data)))
        self.assertEqual(sample.columns, list(data.columns))
        self.assertEqual(sample.rows(), Sample(data, fitted(classifier(data))).rows())

    def test_a_frame_for_a_model_without_names(self):
        frame = table().drop(columns="plan")
        model = xgboost.XGBRegressor(n_estimators=2, n_jobs=1).fit(frame.to_numpy(), truth(table()))
        hbscore.register(connect_sqlite3(), "m", model, sample=frame)
        self.assertIsNone(model.get_booster().feature_names)

    def test_cells(self):
        data = table()
        rows = Sample(data, fitted(classifier(data))).rows()
        self.assertEqual(len(rows), 100)
        self.assertIsNone(rows[0][0])
        first = data.iloc[0]
        self.assertEqual(
            rows[0], [None, float(first["monthly fee"]), int(first["calls"]), first["plan"]]
        )

    def test_what_is_refused(self):
        data = table()
        model = fitted(classifier(data))
        dates = data.assign(calls=pandas.Timestamp("2024-01-02"))
        cases = [
            (
                data.drop(columns="plan"),
                "sample has no column 'plan', which is a feature of the model",
            ),
            (pandas.concat([data, data[["age"]]], axis=1), "sample has two columns 'age'"),
            (data.iloc[:0], "sample has no rows or no columns"),
            ([[1, 2, 3, 4]], "sample takes a pandas DataFrame or a two-dimensional numpy array"),
            (numpy.zeros(4), "sample takes a pandas DataFrame or a two-dimensional numpy array"),
        ]
        for sample, message in cases:
            with self.assertRaisesRegex(hbscore.InvalidValue, message):
                Sample(sample, model)
        with self.assertRaisesRegex(
            hbscore.InvalidValue, "sample, column calls: 2024-01-02 .* is a date"
        ):
            Sample(dates, model).rows()


class Golden(unittest.TestCase):
    def test_classifier(self):
        data = table()
        model = classifier(data)
        option = golden(Sample(data, fitted(model)), fitted(model), outputs(model), ["nein", "ja"])
        json.dumps(option, allow_nan=False)
        taken = data.iloc[evenly(len(data), 100)]
        self.assertEqual(set(option), {"rows", "prediction", "probabilities", "decision"})
        self.assertEqual(
            option["prediction"],
            [{"no": "nein", "yes": "ja"}[label] for label in model.predict(taken)],
        )
        self.assertEqual(option["probabilities"], model.predict_proba(taken).tolist())
        self.assertEqual(
            option["decision"], model.predict(taken, raw_score=True).reshape(-1, 1).tolist()
        )

    def test_regression(self):
        data = table()
        model = lightgbm.LGBMRegressor(**SMALL).fit(data, truth(data))
        option = golden(Sample(data, fitted(model)), fitted(model), outputs(model), None)
        self.assertEqual(set(option), {"rows", "prediction", "decision"})
        self.assertEqual(
            option["prediction"], model.predict(data.iloc[evenly(len(data), 100)]).tolist()
        )

    def test_a_booster_gives_raw_scores_only(self):
        data = table(plans=("a", "b"))
        model = xgboost.train(
            {"nthread": 1}, xgboost.DMatrix(data, chosen(data, [0, 1]), enable_categorical=True), 2
        )
        self.assertEqual(
            set(golden(Sample(data, fitted(model)), fitted(model), outputs(model), None)),
            {"rows", "decision"},
        )

    def test_a_file_cannot_predict(self):
        with self.assertRaisesRegex(hbscore.InvalidValue, "sample needs the fitted object itself"):
            hbscore.register(connect_sqlite3(), "m", b"tree", sample=table())

    def test_labels_that_are_given(self):
        data = table()
        connection = connect_sqlite3()
        for labels in (numpy.array([-1, 1]), pandas.Index(["nein", "ja"]), (False, True)):
            hbscore.register(connection, "m", classifier(data), sample=data, classes=labels)
        with self.assertRaisesRegex(
            hbscore.InvalidValue, "option classes has 3 labels, the model 2 classes"
        ):
            hbscore.register(
                connection, "m", classifier(data), sample=data, classes=["a", "b", "c"]
            )

    def test_sample_or_golden(self):
        data = table()
        with self.assertRaisesRegex(hbscore.InvalidValue, "sample and the option golden"):
            hbscore.register(
                connect_sqlite3(), "m", classifier(data), sample=data, golden={"rows": []}
            )


class InTheDatabase(unittest.TestCase):
    def test_stored_and_verified(self):
        data = table()
        connection = connect_sqlite3()
        hbscore.register(connection, "m", classifier(data), sample=data)
        verified = connection.execute(
            "SELECT version, rows, ok FROM hbscore_verify('m')"
        ).fetchall()
        self.assertEqual(verified, [(1, 100, 1)])

    def test_a_difference_is_refused(self):
        data = table()
        connection = connect_sqlite3()
        with self.assertRaisesRegex(Exception, 'model "m" does not give its golden rows: row 1'):
            hbscore.register(connection, "m", classifier(data), sample=data, rounds=1)
        self.assertEqual(ask(connection, "SELECT count(*) FROM sqlite_schema"), 0)


if __name__ == "__main__":
    unittest.main()
