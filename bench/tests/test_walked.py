"""How many rows a run of multi-stream walks."""

import unittest

import made
import numpy
from hbsbench import check, records, report, summary, walked
from support import InFolder


class Walked(unittest.TestCase):
    def test_distinct_rows(self):
        random = numpy.random.default_rng(1)
        for rows, n, queries in ((10, 1, 3), (10, 4, 2), (10, 10, 1), (10, 12, 1), (50, 8, 0), (200, 7, 9), (1000, 64, 5)):
            firsts = random.integers(0, rows, queries).tolist()
            wanted = {(first + place) % rows for first in firsts for place in range(n)}
            self.assertEqual(walked.distinct(firsts, n, rows), len(wanted), (rows, n, firsts))

    def test_enough_queries_walk_enough_rows(self):
        """As LoadGen draws them, whose seeds are other ones."""
        for rows in (16_000, 16_384, 30_000, 100_000):
            for n in (1, 8, 64, 1000):
                queries = max(662, walked.least_queries(rows, n))
                for seed in range(5):
                    firsts = numpy.random.default_rng(seed).integers(0, rows, queries)
                    self.assertGreaterEqual(walked.distinct(firsts, n, rows), walked.WANTED, (rows, n, seed))
        self.assertEqual(walked.least_queries(15_999, 8), 1)
        self.assertLess(walked.least_queries(16_384, 8), 10_000)


class Told(InFolder):
    def test_the_fewest_of_the_repeats(self):
        for system, rows in (("mine", 20_000), ("theirs", 300)):
            for repeat, found in enumerate((250, 200, 220), 1):
                made.write(self.results, system, repeat, cell="multi_stream-8", rows=rows, rows_walked=found)
        cells = summary.summaries(records.read_all(self.results))
        self.assertEqual([cells["model", name, "multi_stream-8"].rows_walked for name in ("mine", "theirs")], ["200", "200 of a small set"])
        self.assertEqual([row[-1] for row in report.batches(cells)[1]], ["200", "200 of a small set"])


class Check(InFolder):
    def breaches(self, **changed):
        folder = made.write(self.results, "floor-mine", cell="multi_stream-8", latencies=[1000] * 9_000, **changed)
        found = check.breaches([r for r in records.read_all(self.results) if "rows" in r])
        folder.rename(self.folder / str(len(list(self.folder.iterdir()))))
        return [line.partition("run 1: ")[2] for line in found if "LoadGen's log has" not in line]

    def test_refusals(self):
        for changed, words in (({"rows_walked": 16_000}, []), ({"rows_walked": 15_999}, ["it walked 15,999 of 20,000 rows, and a batch needs 16,000"]),
                               ({}, ["it does not say how many rows it walked"]), ({"rows_walked": 20_001}, ["it walked 20,001 rows, and its 9,000 queries have fewer"])):
            self.assertEqual(self.breaches(rows=20_000, **changed), words)

    def test_a_small_set_is_exempt(self):
        self.assertEqual(self.breaches(rows=15_999, rows_walked=20), [])
