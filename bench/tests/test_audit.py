"""When an audit fails, and a run of it over systems that cheat."""

import unittest

from hbsbench import audit


def modes(**changed):
    whole = {0: b"a", 1: b"b", 2: b"c"}
    return {"accuracy": {"p50": 100, "answers": whole}, "performance": {"p50": 100, "answers": {}},
            "audit_sampled": {"p50": 102, "answers": {1: b"b"}}, "audit_same": {"p50": 95, "answers": {}}, **changed}


class Audit(unittest.TestCase):
    def test_an_honest_system(self):
        self.assertEqual(audit.judge(modes(), True), [])
        self.assertEqual(audit.judge_same(audit.gain(modes()), 1.0, True), [])

    def test_other_answers_in_performance_mode(self):
        found = audit.judge(modes(audit_sampled={"p50": 102, "answers": {1: b"x", 2: b"y"}}), True)
        self.assertEqual(found, ["TEST01: 2 of 2 sampled answers are not those of accuracy mode, the first of row 1"])

    def test_no_sampled_answers(self):
        self.assertIn("logged no answer", audit.judge(modes(audit_sampled={"p50": 102, "answers": {}}), True)[0])

    def test_another_speed(self):
        slow = modes(audit_sampled={"p50": 150, "answers": {1: b"b"}})
        self.assertIn("the median is 150 ns", audit.judge(slow, True)[0])
        self.assertEqual(audit.judge(slow, False), [])

    def test_kept_answers(self):
        kept = audit.gain(modes(audit_same={"p50": 20, "answers": {}}))
        self.assertEqual(audit.judge_same(kept, 1.1, True), ["TEST04: one row again and again is 5.00 times as fast as all rows; without the model it is 1.10 times"])
        self.assertEqual(audit.judge_same(kept, 1.1, False), [])

    def test_what_the_floor_gains_too_is_fair(self):
        self.assertEqual(audit.judge_same(1.9, 1.8, True), [])
