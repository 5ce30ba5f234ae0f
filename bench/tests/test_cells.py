"""Which system takes which model, and the reason of each empty cell: cells.txt. UPDATE=1 writes it anew, beside a PostgreSQL
server; read every line that changes."""

import os
import unittest

from hbsbench import manifest, systems
from hbsbench.case import Case, check_lock
from hbsbench.errors import Refused
from support import CACHE, HERE

GOLDEN = HERE / "cells.txt"


def cells():
    for model in manifest.shipped("model"):
        check_lock(model, CACHE)
        case = Case(model, CACHE)
        for found in manifest.shipped("system"):
            try:
                systems.load(found.name, case)
                yield model.name, found.name, "yes"
            except Refused as reason:
                yield model.name, found.name, f"no: {reason}"


class Cells(unittest.TestCase):
    def test_the_table(self):
        server = "PGHOST" in os.environ
        got = [f"{model:<24} {system:<24} {answer}" for model, system, answer in cells() if server or "PostgreSQL server" not in answer]
        if os.environ.get("UPDATE") and server:
            GOLDEN.write_text("\n".join(got) + "\n")
        wanted = [line for line in GOLDEN.read_text().splitlines() if server or "-pg " not in line]
        self.assertEqual(got, wanted)
