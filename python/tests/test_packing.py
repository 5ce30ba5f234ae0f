"""Forests are small in a document of hbscore's own format, and score as before."""

from __future__ import annotations

import json
import unittest
from typing import Any, Dict
from unittest import mock

import numpy as np
from own_format_forests import unpacked
from own_format_reference import decode, evaluate, parse
from sklearn import ensemble

import hbscore
from hbscore.export import ExportError, export, packing
from hbscore.export.packing import distinct, preorder, rounded_down, whole
from support import ask, connect_sqlite3


def data(seed: int = 0, n: int = 120, f: int = 4) -> np.ndarray:
    return np.random.RandomState(seed).randn(n, f)


def classes(x: np.ndarray, k: int = 2) -> np.ndarray:
    score = x[:, 0] - 0.6 * x[:, 1]
    return np.searchsorted(np.quantile(score, np.linspace(0, 1, k + 1)[1:-1]), score)


def forest_of(model: Any) -> Dict[str, Any]:
    return next(op for op in parse(export(model))["ops"] if op["op"] == "forest")


class Packed(unittest.TestCase):
    """Forests are small in a document, and no decision and no number of theirs changes."""

    def same(self, model: Any, x: np.ndarray) -> None:
        """To the last bit, by the plain evaluator and by SQL."""
        data = export(model)
        answers = evaluate(data, x)
        connection = connect_sqlite3()
        hbscore.register(connection, "m", data)
        self.assertFalse(answers.null.any())
        if answers.label is None:
            want = np.asarray(model.predict(x), dtype=float)
            np.testing.assert_array_equal(answers.predict.ravel(), want)
            sql = "SELECT predict('m', ?, ?, ?, ?)"
            np.testing.assert_array_equal([ask(connection, sql, *row) for row in x.tolist()], want)
            return
        want = model.predict_proba(x)
        np.testing.assert_array_equal(answers.probabilities, want)
        sql = "SELECT predict_proba('m', ?, ?, ?, ?)"
        scores = [json.loads(ask(connection, sql, *row)) for row in x.tolist()]
        np.testing.assert_array_equal([list(s.values()) if isinstance(s, dict) else s for s in scores], want)

    def test_a_random_forest_takes_few_bytes_a_node(self) -> None:
        x = data(1)
        for k, most in ((2, 8.0), (10, 8.0)):
            y = classes(x, k)
            model = ensemble.RandomForestClassifier(50, random_state=1).fit(x, y)
            op = forest_of(model)
            forest_bytes = sum(len(a["data"]) for a in op.values() if type(a) is dict)
            self.assertLess(forest_bytes / op["node"]["shape"][0], most)
            self.same(model, x)

    def test_thresholds_go_down_to_float32(self) -> None:
        at = np.array([0.1, -0.1, 1e300, -1e300, np.inf, -np.inf, 1e-320, -1e-320, 0.5, 0.0])
        down = rounded_down(at)
        self.assertEqual(down.dtype, np.float32)
        near = np.concatenate([down, np.nextafter(down, np.float32(np.inf)), np.nextafter(down, np.float32(-np.inf))])
        near = np.concatenate([near, np.float32([np.inf, -np.inf, 0.0, -0.0])])
        for t, d in zip(at, down):
            np.testing.assert_array_equal(near.astype(np.float64) <= t, near <= d, str(t))

    def test_rows_at_every_threshold(self) -> None:
        x = data(4)
        model = ensemble.ExtraTreesClassifier(5, random_state=1).fit(x, classes(x, 3))
        cuts = np.concatenate([e.tree_.threshold for e in model.estimators_]).astype(np.float32)
        rows = [np.nextafter(cuts, np.float32(to)) for to in (-np.inf, np.inf)] + [cuts]
        self.same(model, np.repeat(np.concatenate(rows), 4).reshape(-1, 4).astype(np.float64))

    def test_trees_grown_best_first_are_put_in_preorder(self) -> None:
        x = data(5)
        for model in (
            ensemble.RandomForestRegressor(4, max_leaf_nodes=20, random_state=1).fit(x, x[:, 0]),
            ensemble.RandomForestClassifier(4, max_leaf_nodes=9, random_state=1).fit(x, classes(x, 3)),
            ensemble.HistGradientBoostingRegressor(max_iter=5).fit(x, x[:, 0]),
        ):
            self.same(model, data(6))

    def test_weights_that_are_no_counts(self) -> None:
        x = data(7)
        y = classes(x, 3)
        weights = {"class_weight": {0: 0.3, 1: 1.7, 2: 1.0}, "random_state": 1}
        model = ensemble.RandomForestClassifier(5, max_depth=4, **weights).fit(x, y)
        self.assertEqual(forest_of(model)["cover"]["dtype"], "f4")
        self.same(model, data(8))

    def test_leaves_that_all_differ_have_no_column_of_their_own(self) -> None:
        x = data(9)
        model = ensemble.GradientBoostingRegressor(n_estimators=3).fit(x, x[:, 0])
        self.assertNotIn("leaf", forest_of(model))
        self.same(model, data(10))

    def test_integers_take_the_least_type(self) -> None:
        for most, dtype in ((0, "u1"), (255, "u1"), (256, "u2"), (65535, "u2"), (65536, "i4")):
            self.assertEqual(whole(np.array([0, most]))["dtype"], dtype)
        self.assertEqual(whole(np.array([], dtype=np.int64))["dtype"], "u1")

    def test_rows_are_told_once_by_their_bits(self) -> None:
        rows = np.array([[0.0, 1.0], [-0.0, 1.0], [0.0, 1.0], [np.inf, 1.0]])
        different, places = distinct(rows)
        self.assertEqual(len(different), 3)
        self.assertEqual(different[places].tobytes(), rows.tobytes())

    def test_rows_of_one_key_that_differ_are_told_apart(self) -> None:
        rows = np.round(np.random.RandomState(1).randn(300, 3))
        want = distinct(rows)
        with mock.patch.object(packing, "keys_of", lambda bits: np.zeros(len(bits), np.uint64)):
            found = distinct(rows)
        for a, b in zip(want, found):
            np.testing.assert_array_equal(a, b)

    def test_nodes_that_are_no_tree(self) -> None:
        for left, right in (([1, 0], [0, -1]), ([1, -1, -1], [1, -1, -1]), ([-1, -1], [-1, -1]), ([1, 2, -1], [2, 1, -1])):
            with self.assertRaisesRegex(ExportError, "no tree"):
                preorder(np.array(left), np.array(right))

    def test_a_forest_s_arrays(self) -> None:
        x = data()
        model = ensemble.RandomForestRegressor(3, max_depth=2, random_state=1).fit(x, x[:, 0])
        packed = forest_of(model)
        dtypes = {name: array["dtype"] for name, array in packed.items() if type(array) is dict}
        self.assertEqual(dtypes["node"], "u1")
        self.assertEqual(dtypes["threshold"], "f4")
        self.assertEqual(dtypes["missing_left"], "bit")
        self.assertEqual(dtypes["cover"], "u1")
        op = unpacked(packed)
        trees = [e.tree_ for e in model.estimators_]
        nodes = [t.node_count for t in trees]
        self.assertEqual(list(decode(op["start"])), [0] + list(np.cumsum(nodes)))
        self.assertEqual(list(decode(op["group"])), [-1] * 3)
        self.assertEqual(list(decode(op["divide"])), [3.0])
        for name, field in (("left", "children_left"), ("right", "children_right")):
            own = np.concatenate([getattr(t, field) for t in trees])
            np.testing.assert_array_equal(decode(op[name]), own)  # built depth first, so in preorder
        cover = np.concatenate([t.weighted_n_node_samples for t in trees])
        np.testing.assert_array_equal(decode(op["cover"]), cover)
        leaf = decode(op["left"]) == -1
        value = np.concatenate([t.value[:, :, 0] for t in trees])
        np.testing.assert_array_equal(decode(op["value"]), value[leaf])


if __name__ == "__main__":
    unittest.main()
