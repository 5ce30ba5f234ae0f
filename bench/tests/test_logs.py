"""LoadGen's files: what they say, and what is no such file."""

import json
import struct
import unittest

from hbsbench import logs
from hbsbench.errors import BenchError

ENTRY = ':::MLLOG {"key": "%s", "value": %s, "time_ms": 0.1, "namespace": "mlperf::logging", "event_type": "POINT_IN_TIME", "metadata": {"is_error": %s, "is_warning": %s, "file": "x.cc", "line_no": 1, "pid": 1, "tid": 1}}'


def entry(key, value, error=False, warning=False):
    return ENTRY % (key, json.dumps(value), json.dumps(error), json.dumps(warning))


def answers(*pairs):
    return json.dumps([{"seq_id": n, "qsl_idx": sample, "data": struct.pack(f"<{len(row)}d", *row).hex().upper()}
                       for n, (sample, row) in enumerate(pairs)])


class Detail(unittest.TestCase):
    def test_values_errors_and_warnings(self):
        text = "\n".join(["noise", entry("effective_min_query_count", 64), entry("result_validity", "INVALID"),
                          entry("result_validity", "VALID"), entry("generic_message", "late", warning=True),
                          entry("error_runtime", "bad", error=True)])
        detail = logs.Detail(text)
        self.assertTrue(detail.valid)
        self.assertEqual(detail.settings(), {"effective_min_query_count": 64})
        self.assertEqual(detail.results(), {"result_validity": "VALID"})
        self.assertEqual(detail.warnings, ["generic_message: late"])
        self.assertEqual(detail.errors, ["error_runtime: bad"])

    def test_a_line_that_was_cut(self):
        with self.assertRaisesRegex(BenchError, "line 2 is no entry"):
            logs.Detail(entry("a", 1) + "\n" + entry("b", 2)[:40])

    def test_no_file(self):
        with self.assertRaisesRegex(BenchError, "No such file"):
            logs.read_detail("/nowhere")


class Accuracy(unittest.TestCase):
    def test_rows_by_sample(self):
        found = logs.accuracy_rows(answers((1, [3.0, 4.0]), (0, [1.0, 2.0])), 2)
        self.assertEqual(found[0].tolist(), [[1, 2]])
        self.assertEqual(found[1].tolist(), [[3, 4]])

    def test_a_padded_repeat_counts_once(self):
        self.assertEqual(len(logs.accuracy_rows(answers((0, [1.0]), (1, [2.0]), (0, [1.0])), 1)), 2)

    def test_a_repeat_with_another_answer(self):
        with self.assertRaisesRegex(BenchError, "sample 0 has two answers"):
            logs.accuracy_rows(answers((0, [1.0]), (0, [1.0000001])), 1)

    def test_a_block_of_rows(self):
        self.assertEqual(logs.accuracy_rows(answers((0, [1.0, 2.0, 3.0, 4.0])), 2)[0].tolist(), [[1, 2], [3, 4]])

    def test_half_a_row(self):
        with self.assertRaisesRegex(BenchError, "sample 0 has 3 numbers"):
            logs.accuracy_rows(answers((0, [1.0, 2.0, 3.0])), 2)

    def test_a_file_that_was_cut(self):
        with self.assertRaisesRegex(BenchError, "no accuracy log"):
            logs.accuracy_rows(answers((0, [1.0]))[:20], 1)
