"""Models of 20,000 numeric features: more than either database has columns or arguments, so rows come as arrays and
JSON. Every label equals the library's."""

from __future__ import annotations

import functools
import json
import unittest
from typing import Any, List

import numpy
import pandas
from lightgbm import LGBMClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import hbscore
import test_postgresql
from support import ask, connect_sqlite3, same_numbers

WIDE = 20_000
MOST_FEATURES = 262_144
NAMES = [f"c{i}" for i in range(WIDE)]


def rows_of_numbers() -> numpy.ndarray:
    """Eight rows of numbers with all their digits; some are missing."""
    random = numpy.random.default_rng(26)
    data = random.normal(size=(8, WIDE))
    data[random.random(data.shape) < 0.01] = numpy.nan
    return data


DATA = rows_of_numbers()
LABELS = numpy.where(numpy.nan_to_num(DATA[:, :50]).sum(axis=1) > 0, "high", "low")
FRAME = pandas.DataFrame(DATA, columns=NAMES)
LISTS: List[List[Any]] = [[None if v != v else v for v in row] for row in DATA.tolist()]
ARRAYS = [json.dumps(row) for row in LISTS]
OBJECTS = [json.dumps(dict(zip(NAMES, row))) for row in LISTS]


@functools.lru_cache(maxsize=None)
def fitted() -> List[Any]:
    """Each with the greatest difference of a probability: sums of many products, and trees."""
    return [
        (make_pipeline(SimpleImputer(), StandardScaler(), LogisticRegression()).fit(FRAME, LABELS), 1e-12),
        (LGBMClassifier(n_estimators=5, min_child_samples=2, n_jobs=1, verbose=-1).fit(FRAME, LABELS), 1e-15),
    ]


def too_wide() -> LinearRegression:
    """A model of one feature more than the limit."""
    model = LinearRegression()
    model.coef_, model.intercept_ = numpy.ones(MOST_FEATURES + 1), 0.0
    model.n_features_in_ = MOST_FEATURES + 1
    return model


class WideSQLite(unittest.TestCase):
    def test_20000_features(self) -> None:
        connection = connect_sqlite3()
        for model, relative in fitted():
            name = type(model).__name__
            hbscore.register(connection, name, model)
            for rows in (ARRAYS, OBJECTS):
                found = [ask(connection, "SELECT predict(?, ?)", name, row) for row in rows]
                self.assertEqual(found, list(model.predict(FRAME)))
                found = [json.loads(ask(connection, "SELECT predict_proba(?, ?)", name, row)) for row in rows]
                self.assertTrue(same_numbers(found, model.predict_proba(FRAME), relative))
            self.refusals(connection, name)
        connection.close()

    def refusals(self, connection: Any, name: str) -> None:
        for row, words in (
            (json.dumps(LISTS[0] + [1]), "takes 20000 features .*got 20001"),
            (json.dumps(dict(zip(NAMES[1:], LISTS[0]))), '"c0"'),
            ("[" + "0.25, " * 200_000 + "1]", "a JSON row of 1200003 bytes is over the limit of 1048576"),
        ):
            with self.assertRaisesRegex(Exception, words):
                ask(connection, "SELECT predict(?, ?)", name, row)

    def test_beyond_the_limit(self) -> None:
        connection = connect_sqlite3()
        with self.assertRaisesRegex(Exception, "more than 262144 features"):
            hbscore.register(connection, "m", too_wide())
        connection.close()


@unittest.skipUnless(test_postgresql.SERVER, "no PostgreSQL server beside the tests, or no psycopg")
class WidePostgreSQL(unittest.TestCase):
    def test_20000_features(self) -> None:
        connection = test_postgresql.connect(test_postgresql.psycopg)
        connection.execute("CREATE TEMP TABLE wide (id int, a float8[], j jsonb, o json)")
        for i, row in enumerate(LISTS):
            connection.execute("INSERT INTO wide VALUES (%s, %s, %s, %s)", (i, row, ARRAYS[i], OBJECTS[i]))
        for model, relative in fitted():
            name = type(model).__name__
            hbscore.register(connection, name, model)
            for column, batch in (("a", "on"), ("a", "off"), ("j", "on"), ("o", "off")):
                connection.execute(f"SET hbscore.batch = {batch}")
                sql = f"SELECT predict_label('{name}', {column}), predict_proba('{name}', {column}) FROM wide ORDER BY id"
                labels, chances = zip(*connection.execute(sql).fetchall())
                self.assertEqual(list(labels), list(model.predict(FRAME)))
                self.assertTrue(same_numbers(chances, model.predict_proba(FRAME), relative))
            self.refusals(connection, name)
        connection.close()

    def refusals(self, connection: Any, name: str) -> None:
        for row, words in (
            ("a || 1.0::float8", "takes 20000 features .*got 20001"),
            ("ARRAY[a, a]", "takes an array of one dimension, got one of 2"),
            ("('[' || repeat('0.25, ', 200000) || '1]')::json", "a JSON row of 1200003 bytes is over the limit of 1048576"),
        ):
            with self.assertRaisesRegex(Exception, words):
                connection.execute(f"SELECT predict_label('{name}', {row}) FROM wide")

    def test_beyond_the_limit(self) -> None:
        connection = test_postgresql.connect(test_postgresql.psycopg)
        with self.assertRaisesRegex(Exception, "more than 262144 features"):
            hbscore.register(connection, "m", too_wide())
        connection.close()
