"""hbscore.profile, and the names of pipeline steps in the files that hbscore.export writes."""

from __future__ import annotations

import json
import unittest
from typing import Any, Dict, List

import numpy
import pandas
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import FeatureUnion, Pipeline, make_pipeline
from sklearn.preprocessing import MinMaxScaler, OneHotEncoder, StandardScaler

import hbscore
from support import connect_sqlite3

NUMBERS = pandas.DataFrame({"a": numpy.arange(40) % 7 - 1.5, "b": numpy.arange(40) % 5 + 0.25})
TABLE = NUMBERS.assign(c=["x", "y", "z", "x"] * 10)
LABELS = numpy.arange(40) % 2


def operators(model: Any) -> List[Dict[str, Any]]:
    return json.loads(hbscore.export(model))["ops"]


def steps(model: Any) -> List[Any]:
    """The steps that operators name, each once, in their order."""
    return list(dict.fromkeys(op.get("step") for op in operators(model)))


def columns(classifier: Any) -> Pipeline:
    numbers = Pipeline([("fill", SimpleImputer()), ("scale", StandardScaler())])
    parts = ColumnTransformer([("num", numbers, ["a", "b"]), ("cat", OneHotEncoder(), ["c"])])
    return Pipeline([("columns", parts), ("clf", classifier)]).fit(TABLE, LABELS)


class Steps(unittest.TestCase):
    def test_an_estimator_alone_has_none(self) -> None:
        self.assertEqual(steps(StandardScaler().fit(NUMBERS)), [None])

    def test_those_of_a_pipeline(self) -> None:
        model = make_pipeline(StandardScaler(), LogisticRegression()).fit(NUMBERS, LABELS)
        self.assertEqual(steps(model), ["standardscaler", "logisticregression"])

    def test_one_inside_the_other(self) -> None:
        found = steps(columns(RandomForestClassifier(3, max_depth=2)))
        for step in ("columns/num/fill", "columns/num/scale", "columns/cat", "columns", "clf"):
            self.assertIn(step, found)
        self.assertEqual(found[-1], "clf")

    def test_those_of_a_union(self) -> None:
        union = FeatureUnion([("one", StandardScaler()), ("two", MinMaxScaler())])
        found = steps(union.fit(NUMBERS))
        self.assertEqual([s for s in found if s], ["one", "two"])
        self.assertEqual(found[-1], None)  # the union puts them together

    def test_passed_through_columns_have_none_of_their_own(self) -> None:
        parts = ColumnTransformer([("keep", "passthrough", ["b"]), ("drop", "drop", ["a"])])
        model = Pipeline([("columns", parts), ("clf", LogisticRegression())]).fit(NUMBERS, LABELS)
        self.assertEqual(steps(model)[-1], "clf")

    def test_names_of_any_kind(self) -> None:
        for name, expected in (
            ("a/b c", "a/b c"),
            ("größe", "größe"),
            ("", "?"),
            ("a\0b", "a?b"),
            ("\ud800", "?"),
            ("x" * 300, "x" * 255),
            ("é" * 200, "é" * 127),  # never a part of a character
        ):
            model = Pipeline([(name, StandardScaler())]).fit(NUMBERS)
            self.assertEqual(steps(model)[0], expected)
            hbscore.register(connect_sqlite3(), "m", model)

    def test_they_change_no_answer(self) -> None:
        model = make_pipeline(StandardScaler(), LogisticRegression()).fit(NUMBERS, LABELS)
        document = json.loads(hbscore.export(model))
        for op in document["ops"]:
            del op["step"]
        connection = connect_sqlite3()
        hbscore.register(connection, "named", model)
        hbscore.register(
            connection, "plain", json.dumps(document, separators=(",", ":")).encode()
        )
        for row in NUMBERS.to_numpy().tolist():
            got = connection.execute(
                "SELECT decision_function('named', ?1, ?2), decision_function('plain', ?1, ?2)", row
            ).fetchone()
            self.assertEqual(got[0], got[1])


class Profile(unittest.TestCase):
    def connection(self, model: Any) -> Any:
        connection = connect_sqlite3()
        hbscore.register(connection, "m", model)
        connection.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, a, b, c)")
        rows = TABLE.to_numpy().tolist()
        connection.executemany("INSERT INTO t (a, b, c) VALUES (?, ?, ?)", rows)
        return connection

    def test_each_operator_names_its_step(self) -> None:
        connection = self.connection(columns(RandomForestClassifier(20, random_state=1)))
        lines = hbscore.profile(connection, "m", "SELECT * FROM t")
        self.assertEqual([lines[0].operator, lines[1].operator], ["fetch", "encode"])
        self.assertEqual([lines[-2].operator, lines[-1].operator], ["store", "all"])
        self.assertEqual([line.position for line in lines], sorted(l.position for l in lines))
        self.assertEqual({lines[0].rows, lines[1].rows, lines[-1].rows}, {40})
        called = {line.source for line in lines if line.calls and line.source}
        self.assertLessEqual({"columns/num/scale", "columns/cat", "clf"}, called)
        trees = [line for line in lines if line.operator == "tree_ensemble"]
        self.assertEqual([line.source for line in trees], ["clf"])
        self.assertTrue(all(line.ns >= 0 for line in lines))
        self.assertLessEqual(sum(line.ns for line in lines[:-1]), lines[-1].ns)

    def test_two_models_of_one_pipeline(self) -> None:
        model = columns(LogisticRegression())
        connection = self.connection(model)
        hbscore.register(connection, "m", columns(RandomForestClassifier(3, max_depth=2)))
        sources = [
            [line.source for line in hbscore.profile(connection, name, "SELECT * FROM t")]
            for name in ("m@1", "m@2")
        ]
        same = {"columns/num/scale", "columns/num/fill", "columns/cat", "clf"}
        self.assertLessEqual(same, set(sources[0]))
        self.assertLessEqual(same, set(sources[1]))

    def test_the_function_says_what_is_computed(self) -> None:
        connection = self.connection(columns(LogisticRegression()))
        query = "SELECT * FROM t"
        done = {
            function: {l.source for l in hbscore.profile(connection, "m", query, function) if l.calls}
            for function in ("predict_proba", "transform")
        }
        self.assertIn("clf", done["predict_proba"])
        self.assertNotIn("clf", done["transform"])
        with self.assertRaisesRegex(Exception, 'no scoring function "x"'):
            hbscore.profile(connection, "m", query, "x")
        with self.assertRaisesRegex(Exception, "unknown model"):
            hbscore.profile(connection, "n", query)


if __name__ == "__main__":
    unittest.main()
