"""Operators of hbscore's own format that compute with numbers one by one, or find stored rows: documents made by the
exporter's helpers, scored by the database and by the plain evaluator."""

import json
import os
import sys
import unittest

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "../src"), HERE]

import own_format_arithmetic as plain
from own_format_reference import evaluate
from support import connect_sqlite3

from hbscore.export.arithmetic import chosen, combined, look_up, mapped, pairwise, reduced, top_k
from hbscore.export.document import array
from hbscore.export.graph import Graph

MAPS = "abs negative sqrt exp log reciprocal floor ceil rint trunc sign sigmoid tanh softplus erf not truth isnan"
MAPS += " isfinite log1p expm1 log2 log10 exp2 square cbrt sin cos tan arcsin arccos arctan sinh cosh arcsinh arccosh arctanh ndtri half"
COMBINES = "add subtract multiply divide power mod fmod maximum minimum eq lt le gt ge and or xor"
REDUCES = "sum mean product max min sum_abs sum_squares length logsumexp argmax argmin argmax_last"
METRICS = "dot sqeuclidean cityblock chebyshev minkowski canberra hamming braycurtis cosine jaccard chi2 nan_euclidean"

ROWS = np.array([[0.5, 2.0, -1.25, 3.0], [1.0, 1.0, 2.0, 0.25], [4.0, -0.5, 0.0, 1e-9], [-2.0, 3.0, 7.0, 0.75]])


def document(graph, value):
    """A regressor of the value's numbers."""
    root = {"hbscore": 1, "writer": {}, "task": "regressor", "features": [{"type": "f8"}] * graph.table.width}
    ops = graph.ops + [{"op": "select", "in": [value.number], "cols": list(range(value.width))}]
    return json.dumps({**root, "ops": ops}, separators=(",", ":")).encode()


class Operators(unittest.TestCase):
    def setUp(self):
        self.connection = connect_sqlite3()
        self.graph = Graph([np.dtype(np.float64)] * ROWS.shape[1])
        self.x = self.graph.table

    def tearDown(self):
        self.connection.close()

    def agrees(self, value, relative=0.0):
        """The database gives the numbers of the plain evaluator."""
        model = document(self.graph, value)
        self.connection.execute("DELETE FROM hbscore_models WHERE 1") if self.registered() else None
        self.connection.execute("SELECT hbscore_register('m', ?)", (model,)).fetchall()
        want = evaluate(model, ROWS).predict
        for row, expected in zip(ROWS, want):
            sql = "SELECT predict_values('m', %s)" if value.width > 1 else "SELECT json_array(predict('m', %s))"
            answer = self.connection.execute(sql % ", ".join("?" * len(row)), row.tolist()).fetchone()[0]
            got = np.array([np.nan if v is None else float(v) for v in json.loads(answer)])
            with np.errstate(invalid="ignore"):
                close = np.abs(got - expected) <= relative * np.abs(expected)
            same = (got == expected) | close | (np.isnan(got) & ~np.isfinite(expected)) | (np.isnan(expected) & np.isnan(got))
            self.assertTrue(same.all(), (self.graph.ops[-1], got, expected))

    def registered(self):
        found = self.connection.execute("SELECT count(*) FROM sqlite_master WHERE name = 'hbscore_models'")
        return found.fetchone()[0]

    def test_functions_of_one_number(self):
        for name in MAPS.split():
            for dtype in ("f8", "f4"):
                with self.subTest(name, dtype=dtype):
                    self.agrees(mapped(self.graph, name, self.x, dtype), 2e-7 if dtype == "f4" else 4e-15)

    def test_functions_of_two_numbers(self):
        column = self.graph.select(self.x, [2])
        for name in COMBINES.split():
            with self.subTest(name):
                self.agrees(combined(self.graph, name, self.x, [2.0, -3.0, 0.5, 0.0]), 1e-14)
                self.agrees(combined(self.graph, name, 2.5, self.x), 1e-14)
                self.agrees(combined(self.graph, name, self.x, column), 1e-14)
                self.agrees(combined(self.graph, name, column, [1.0, 2.0, 3.0]), 1e-14)

    def test_one_of_two_numbers(self):
        condition = combined(self.graph, "gt", self.x, 0.5)
        self.agrees(chosen(self.graph, condition, self.x, 7.0))
        self.agrees(chosen(self.graph, condition, [1.0, 2.0, 3.0, 4.0], self.x))
        self.agrees(chosen(self.graph, self.graph.select(condition, [1]), self.x, self.graph.select(self.x, [0])))
        self.agrees(chosen(self.graph, condition, 1.0, -1.0))

    def test_functions_of_a_row(self):
        for name in REDUCES.split():
            with self.subTest(name):
                self.agrees(reduced(self.graph, name, self.x), 1e-14)
                self.agrees(reduced(self.graph, name, self.x, 2), 1e-14)

    def test_distances(self):
        for name in METRICS.split():
            with self.subTest(name):
                power = 3.5 if name == "minkowski" else None
                self.agrees(pairwise(self.graph, name, self.x, ROWS[::-1] + 0.5, power), 1e-14)
        self.agrees(pairwise(self.graph, "dot", self.x, ROWS.astype(np.float32)), 1e-14)

    def test_the_nearest_and_what_is_there(self):
        distances = pairwise(self.graph, "sqeuclidean", self.x, ROWS)
        numbers, places = top_k(self.graph, distances, 3, largest=False)
        self.agrees(numbers)
        self.agrees(places)
        self.agrees(look_up(self.graph, places, np.array([10.0, 20.0, 30.0, np.inf])))
        self.agrees(look_up(self.graph, places, np.arange(12.0).reshape(4, 3)))
        self.agrees(look_up(self.graph, places, self.x))
        self.agrees(top_k(self.graph, self.x, 1, largest=True, terms=2)[1])

    def test_coupled_pairs(self):
        pairs = mapped(self.graph, "sigmoid", self.graph.select(self.x, [0, 1, 2]))
        self.agrees(self.graph.floats("coupling", pairs, 3, classes=3), 1e-12)

    def test_topics(self):
        counts = mapped(self.graph, "abs", self.x)
        weights = np.abs(ROWS[:3]) / 8.0 + 0.01
        for dtype, rounds, relative in (("f8", 40, 1e-11), ("f8", 0, 0.0), ("f4", 40, 1e-4)):
            numbers = {"prior": array([0.25], "f8"), "tolerance": array([1e-4], "f8"), "rounds": rounds}
            fields = {"dtype": dtype, **numbers, "weights": array(weights, dtype)}
            self.agrees(self.graph.floats("topics", counts, 3, **fields), relative)
            self.agrees(self.graph.floats("topics", self.x, 3, **fields), relative)  # of counts below 0 none

    def test_factors(self):
        counts, weights = mapped(self.graph, "abs", self.x), array(np.abs(ROWS[:3]) / 8.0 + 0.01, "f8")
        for rule, beta, tolerance in (("error", 2.0, 1e-4), ("error", 1.0, 0.0), ("change", 1.0, 1e-3), ("error", 0.0, 1e-4),
                                      ("error", 0.5, 1e-4), ("change", 1.5, 1e-3), ("change", 3.0, 0.0)):  # fmt: skip
            numbers = {"beta": array([beta], "f8"), "penalty": array([0.1, 0.2], "f8"), "least": array([1e-7], "f8")}
            numbers = {"rule": rule, "dtype": "f8", **numbers, "tolerance": array([tolerance], "f8"), "rounds": 30}
            self.agrees(self.graph.floats("factors", counts, 3, **numbers, weights=weights), 1e-10)

    def test_pursuit(self):
        gram = array(ROWS @ ROWS.T, "f8")
        products = pairwise(self.graph, "dot", self.x, ROWS)
        for k in (1, 2):
            self.agrees(self.graph.floats("pursuit", products, 4, k=k, least=array([1e-12], "f8"), gram=gram), 1e-9)

    def test_descent(self):
        gram = ROWS @ ROWS.T
        products = pairwise(self.graph, "dot", self.x, ROWS)
        square = reduced(self.graph, "sum_squares", self.x)
        numbers = {"penalty": array([0.5], "f8"), "tolerance": array([1e-9], "f8"), "rounds": 5000, "gram": array(gram, "f8")}
        for rule, inputs in (("slope", [products]), ("still", [products]), ("gap", [products, square]), ("screened", [products, square])):
            for positive in (0, 1):
                self.agrees(self.graph.add("descent", inputs, [np.dtype(float)] * 4, rule=rule, positive=positive, **numbers), 1e-7)

    def test_least_angle(self):
        products = pairwise(self.graph, "dot", self.x, ROWS)
        gram = array(ROWS @ ROWS.T, "f8")
        for path, positive, penalty, rounds in (("angle", 0, 0.0, 2), ("lasso", 0, 0.1, 99), ("lasso", 1, 0.05, 99), ("lasso", 1, 0.0, 2)):
            numbers = {"penalty": array([penalty], "f8"), "terms": 3, "rounds": rounds}
            fields = {"path": path, "dtype": "f8", "positive": positive, **numbers, "gram": gram}
            self.agrees(self.graph.floats("least_angle", products, 4, **fields), 1e-9)

    def test_bessel_functions(self):
        size = mapped(self.graph, "abs", self.x)
        for order in (0.0, 0.3, 2.75, 40.5):
            self.agrees(combined(self.graph, "bessel_k", size, order), 1e-12)

    def test_whole_numbers(self):
        whole = mapped(self.graph, "rint", combined(self.graph, "multiply", self.x, 1e5))
        for function in ("square", "negative", "abs", "reciprocal"):
            for dtype in ("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"):
                self.agrees(mapped(self.graph, function, whole, dtype))

    def test_barycentre(self):
        places = top_k(self.graph, pairwise(self.graph, "sqeuclidean", self.x, ROWS), 3, largest=False)[1]
        fields = {"part": array([0.01], "f8"), "rows": array(ROWS + 0.25, "f8")}
        self.agrees(self.graph.add("barycentre", [self.x, places], [np.dtype(float)] * 3, **fields), 1e-9)

    def test_every_function_is_named_here(self):
        self.assertLessEqual(set(plain.MAPS), set(MAPS.split()))
        self.assertLessEqual(set(plain.REDUCES), set(REDUCES.split()))
        self.assertEqual(array([1.0], "f8")["shape"], [1])


if __name__ == "__main__":
    unittest.main()
