"""Metrics, and when a system's answers pass."""

import unittest

import numpy

from hbsbench import accuracy
from hbsbench.errors import BenchError

MANIFEST = {"predict": [{"name": "p", "function": "predict_probability", "class": 1}],
            "outputs": [{"name": "label", "role": "label"}, {"name": "p", "role": "score"}],
            "accuracy": {"metric": "accuracy", "tolerance": 1e-9, "reference": 0.75, "per_row": {"rtol": 1e-5, "atol": 1e-6}}}
TARGET = numpy.array([0.0, 1.0, 1.0, 0.0])
EXPECTED = numpy.array([[0, 0.1], [1, 0.9], [1, 0.6], [1, 0.7]])


def judge(found, whole=True, tolerances=None, **changed):
    manifest = {**MANIFEST, "accuracy": {**MANIFEST["accuracy"], **changed}}
    return accuracy.judge(manifest, found, EXPECTED, TARGET, whole, tolerances)


class Metrics(unittest.TestCase):
    def test_as_scikit_learn_has_them(self):
        from sklearn import metrics

        random = numpy.random.default_rng(1)
        target, values = random.integers(0, 2, 500).astype(float), numpy.round(random.random(500), 2)
        for name, function in (("roc_auc", metrics.roc_auc_score), ("log_loss", metrics.log_loss), ("r2", metrics.r2_score)):
            self.assertAlmostEqual(accuracy.metric_of(name, target, values), function(target, values), 12, name)
        self.assertAlmostEqual(accuracy.metric_of("rmse", target, values), metrics.mean_squared_error(target, values) ** 0.5, 12)
        self.assertAlmostEqual(accuracy.metric_of("accuracy", target, numpy.round(values)), metrics.accuracy_score(target, numpy.round(values)), 12)

    def test_one_class(self):
        with self.assertRaisesRegex(BenchError, "one class"):
            accuracy.metric_of("roc_auc", numpy.ones(3), numpy.ones(3))


class Judge(unittest.TestCase):
    def test_equal(self):
        record = judge(EXPECTED.copy())
        self.assertTrue(record["passed"])
        self.assertEqual((record["labels_differ"], record["bits_differ"], record["max_abs_error"]), (0, 0, 0))

    def test_within_the_tolerance(self):
        record = judge(EXPECTED + [[0, 1e-7]])
        self.assertTrue(record["passed"])
        self.assertEqual(record["bits_differ"], 4)

    def test_a_score_that_is_off(self):
        record = judge(EXPECTED + [[0, 1e-4]])
        self.assertFalse(record["passed"])
        self.assertIn('4 rows of "p"', record["reasons"][0])

    def test_hbscore_has_its_own_tolerance(self):
        self.assertFalse(judge(EXPECTED + [[0, 1e-7]], tolerances=[0.0])["passed"])
        self.assertTrue(judge(EXPECTED.copy(), tolerances=[0.0])["passed"])

    def test_a_label(self):
        found = EXPECTED.copy()
        found[0, 0] = 1
        record = judge(found)
        self.assertEqual(record["labels_differ"], 1)
        self.assertIn("1 labels differ", record["reasons"])

    def test_the_reference_of_the_manifest(self):
        self.assertFalse(judge(EXPECTED.copy(), reference=0.8)["passed"])
        self.assertTrue(judge(EXPECTED.copy(), whole=False, reference=0.8)["passed"])

    def test_missing_answers(self):
        expected = EXPECTED.copy()
        found = EXPECTED.copy()
        found[0, 1] = numpy.nan
        self.assertFalse(accuracy.judge(MANIFEST, found, expected, TARGET, True)["passed"])
        expected[0, 1] = numpy.nan
        self.assertTrue(accuracy.judge(MANIFEST, found, expected, TARGET, True)["passed"])

    def test_sums(self):
        self.assertTrue(accuracy.judge_sums(EXPECTED, [3, 2.3])["passed"])
        self.assertFalse(accuracy.judge_sums(EXPECTED, [3, 2.4])["passed"])

    def test_samples_in_order(self):
        found = accuracy.outputs_of({1: numpy.array([[2.0]]), 0: numpy.array([[0.0], [1.0]])}, 3, 2)
        self.assertEqual(found[:, 0].tolist(), [0, 1, 2])
        with self.assertRaisesRegex(BenchError, "1 of 2 samples"):
            accuracy.outputs_of({0: numpy.array([[0.0], [1.0]])}, 3, 2)
