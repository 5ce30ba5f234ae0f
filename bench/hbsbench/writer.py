"""writer.py - somebody who writes while a system serves: rows that come and go in the table that it reads, at a steady rate, a
transaction each. They have keys behind those that are scored, so no answer changes."""

import threading
import time

import numpy

from . import stats

KEYS = 1000  # that come and go: the table grows by as many rows, and by no more


class Writer(threading.Thread):
    """`connection`: what a system's writer() gives. A write that comes too late is not made up for."""

    def __init__(self, connection, per_second, failure):
        super().__init__(daemon=True)
        self.connection, self.gap, self.failure = connection, 1 / per_second, failure
        self.wanted, self.times, self.seconds, self.stopped = per_second, [], 0.0, threading.Event()

    def run(self):
        begun = due = time.monotonic()
        try:
            while not self.stopped.wait(max(0.0, due - time.monotonic())):
                at = time.perf_counter_ns()
                self.connection.write(len(self.times))
                self.times.append(time.perf_counter_ns() - at)
                due = max(due + self.gap, time.monotonic())
        except BaseException as error:  # the run must not go on as if somebody wrote
            self.failure(error)
        self.seconds = time.monotonic() - begun

    def stop(self):
        self.stopped.set()
        self.join()

    def told(self):
        """After the end."""
        return {"wanted_per_second": self.wanted, "per_second": len(self.times) / self.seconds, "transactions": len(self.times),
                "latency": stats.percentiles(numpy.array(self.times, "<i8"))}


def statements(case, parameters):
    """(insert, delete): the copy of a scored row under another key, and all of those."""
    table, key = case.dataset["table"], case.dataset.get("key", "id")
    columns = ", ".join(case.data.names)
    taken = ", ".join(f"{name} = excluded.{name}" for name in case.data.names)
    return (f"INSERT INTO {table} ({key}, {columns}) SELECT {parameters[0]}, {columns} FROM {table} WHERE {key} = {parameters[1]} "
            f"ON CONFLICT ({key}) DO UPDATE SET {taken}", f"DELETE FROM {table} WHERE {key} >= {case.rows}")


class Connection:
    """`execute`: SQL and parameters to a cursor, each in a transaction of its own."""

    def __init__(self, case, execute, parameters):
        self.rows, self.execute = case.rows, execute
        self.insert, self.delete = statements(case, parameters)
        self.clear()  # what a run that was killed has left

    def write(self, number):
        self.execute(self.insert, (self.rows + number % KEYS, number % self.rows))

    def clear(self):
        self.execute(self.delete)

    def close(self):
        self.clear()
