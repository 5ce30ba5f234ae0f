"""The processors that a run is bound to."""

import os
import threading
import types
import unittest
from unittest import mock

from hbsbench import binding


class Planned(unittest.TestCase):
    def test_where_each_part_runs(self):
        for (processors, apart, *more), wanted in (
                (([0, 1], True), ([0], [1])), (([0, 1], False), ([1], [1])), (([2, 3, 5, 7], True), ([2], [3, 5, 7])),
                (([2, 3, 5, 7], False, 3), ([3, 5, 7], [3, 5, 7])), (([0, 1], False, 2), ([0, 1], [0, 1])), (([0, 1, 2], True, 2), ([0], [1, 2]))):
            self.assertEqual(binding.planned(processors, apart, *more), dict(zip(("generator", "system"), wanted)), (processors, apart, more))

    def test_where_nothing_is_bound(self):
        for arguments, why in ((([0], True), "there is one processor"), (([0, 1], True, 2), "as many threads as there are processors"),
                               (([0, 1], True, 1, 2), "parallel workers")):
            self.assertRegex(binding.planned(*arguments)[binding.NOT_BOUND], why)


def session(process):
    return types.SimpleNamespace(process=lambda: process)


class Bound(unittest.TestCase):
    def bound(self, *sessions, apart=False):
        """(the answer of binding.bound in a thread, the processors of that thread behind it)"""
        found = []

        def work():
            with mock.patch.object(binding, "processors", lambda: sorted(os.sched_getaffinity(0))[:2]):
                found.append(binding.bound(sessions, apart, 1, 0))
            found.append(sorted(os.sched_getaffinity(0)))

        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        return found

    @unittest.skipIf(len(binding.processors()) < 2, "there is one processor")
    def test_the_thread_is(self):
        first, second = binding.processors()[:2]
        self.assertEqual(self.bound(session(os.getpid())), [{"generator": [second], "system": [second]}, [second]])
        self.assertEqual(self.bound(session(os.getpid()), apart=True), [{"generator": [first], "system": [second]}, [first]])

    @unittest.skipIf(len(binding.processors()) < 2, "there is one processor")
    def test_a_server_elsewhere(self):
        """Its number may be that of another process here, which is left alone."""
        told, left = self.bound(session(os.getppid()))
        self.assertEqual(told, {binding.NOT_BOUND: "the server is on another machine"})
        self.assertEqual(left, binding.processors())

    @unittest.skipIf(len(binding.processors()) < 2, "there is one processor")
    def test_a_server_of_another_user(self):
        with mock.patch.object(binding, "is_server", lambda process: True), mock.patch.object(os, "sched_setaffinity", side_effect=PermissionError):
            told, _ = self.bound(session(os.getppid()))
        self.assertEqual(told, {binding.NOT_BOUND: "the server belongs to another user"})
