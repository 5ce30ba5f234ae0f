"""Scalars of numpy as parameters of sqlite3."""

from __future__ import annotations

import subprocess
import sys
import unittest

import numpy

import hbscore
from support import DEMO, connect_sqlite3

INTEGERS = "int8 int16 int32 int64 uint8 uint16 uint32 uint64 longlong ulonglong intc bool_".split()


class Adapters(unittest.TestCase):
    def test_numbers_keep_every_bit(self):
        connection = connect_sqlite3()
        for name in INTEGERS:
            kind = getattr(numpy, name)
            most = 1 if name == "bool_" else min(int(numpy.iinfo(kind).max), 2**63 - 1)
            found = connection.execute("SELECT typeof(?1), ?1", (kind(most),)).fetchone()
            self.assertEqual(found, ("integer", most), name)
        for value in (numpy.float16(0.1), numpy.float32(0.1), numpy.float64(0.1)):
            found = connection.execute("SELECT typeof(?1), ?1", (value,)).fetchone()
            self.assertEqual(found, ("real", float(value)))
        self.assertEqual(connection.execute("SELECT ?", (numpy.float32("nan"),)).fetchone(), (None,))

    def test_a_row_of_an_array(self):
        connection = connect_sqlite3()
        hbscore.register(connection, "wine", DEMO / "wine.ubj")
        row = numpy.arange(13, dtype="float32")
        marks = ", ".join("?" * len(row))
        found = connection.execute(f"SELECT predict_proba('wine', {marks})", tuple(row)).fetchone()
        plain = connection.execute(f"SELECT predict_proba('wine', {marks})", row.tolist()).fetchone()
        self.assertEqual(found, plain)

    def test_beyond_64_bits(self):
        with self.assertRaises(OverflowError):
            connect_sqlite3().execute("SELECT ?", (numpy.uint64(2**64 - 1),))

    def test_only_load_changes_sqlite3(self):
        """Without it sqlite3 takes a numpy.int64 for bytes. An adapter of the application's own stays."""
        code = (
            "import sqlite3, numpy, hbscore\n"
            "c = sqlite3.connect(':memory:')\n"
            "kind = lambda value: c.execute('SELECT typeof(?)', (value,)).fetchone()[0]\n"
            "print(kind(numpy.int64(1)))\n"
            "sqlite3.register_adapter(numpy.int32, str)\n"
            "hbscore.load(c)\n"
            "print(kind(numpy.int64(1)), kind(numpy.int32(1)))\n"
        )
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        self.assertEqual(done.stdout, "blob\ninteger text\n", done.stderr)


if __name__ == "__main__":
    unittest.main()
