"""Percentiles and early stopping, with the vectors of LoadGen."""

import unittest

from hbsbench import stats

LEAST = {0.90: (44, 64, 81, 127, 197), 0.95: (90, 130, 165, 259, 398), 0.97: (152, 219, 277, 433, 667),
         0.99: (459, 662, 838, 1307, 2010), 0.999: (4603, 6636, 8403, 13105, 20140)}


class Stats(unittest.TestCase):
    def test_least_queries(self):
        for p, wanted in LEAST.items():
            self.assertEqual(tuple(stats.least_queries(p, t) for t in (0, 1, 2, 5, 10)), wanted, p)

    def test_percentile_is_the_element_at_the_floor(self):
        ordered = list(range(100))
        self.assertEqual(stats.percentile(ordered, 0.9), 90)
        self.assertEqual(stats.percentile(ordered, 0.999), 99)
        self.assertEqual(stats.percentile(ordered, 1.0), 99)
        self.assertEqual(stats.percentile([7], 0.5), 7)

    def test_percentiles_sort(self):
        self.assertEqual(stats.percentiles([3, 1, 2])["p50"], 2)
        self.assertEqual(stats.percentiles([]), {})

    def test_the_estimate_leaves_out_as_many_as_the_queries_allow(self):
        self.assertIsNone(stats.early_stopping_estimate(range(63), 0.9))
        self.assertEqual(stats.early_stopping_estimate(range(64), 0.9), 63)
        self.assertEqual(stats.early_stopping_estimate(range(80), 0.9), 79)
        self.assertEqual(stats.early_stopping_estimate(range(81), 0.9), 79)
        self.assertEqual(stats.early_stopping_estimate(range(127), 0.9), 122)

    def test_server(self):
        self.assertTrue(stats.server_valid(459, 0, 0.99))
        self.assertFalse(stats.server_valid(458, 0, 0.99))
        self.assertFalse(stats.server_valid(661, 1, 0.99))
        self.assertTrue(stats.server_valid(662, 1, 0.99))

    def test_truncated_mean(self):
        self.assertEqual(stats.truncated_mean([5, 1, 2, 3, 100]), 10 / 3)
        self.assertEqual(stats.truncated_mean([4]), 4)

    def test_the_interval_of_a_ratio(self):
        median, low, high = stats.ratio_interval([1, 1, 1, 1, 1], [3, 3, 3, 3, 3])
        self.assertEqual((median, low, high), (3, 3, 3))
        median, low, high = stats.ratio_interval([10, 11, 9, 10, 12], [10, 9, 11, 12, 10])
        self.assertTrue(low < 1 < high)

    def test_outliers(self):
        self.assertEqual(stats.outliers([10, 11, 9, 10, 1000]), [4])
        self.assertEqual(stats.outliers([1, 1, 1, 5]), [])
