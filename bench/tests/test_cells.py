"""Which system takes which model, and the reason of each empty cell: cells.txt. UPDATE=1 writes it anew, beside a PostgreSQL
server; read every line that changes. Large models are made with few trees, of few rows: their cells are the same."""

import os
import pathlib
import re
import tempfile
import unittest

from hbsbench import manifest, models, systems
from hbsbench.case import Case, check_lock, write_lock
from hbsbench.errors import Refused
from support import CACHE, HERE

GOLDEN = HERE / "cells.txt"
OPTIONAL = {"catboost", "treelite", "treelite-gtil", "lleaves"}  # of requirements-optional.txt


SMALLER = {"fraud-shaped": ("seed: 77}\nfloat32: true\nsplit: {train_size: 100000, test_size: 16384,",
                            "seed: 77, args: {rows: 4000}}\nfloat32: true\nsplit: {train_size: 2000, test_size: 2000,"),
           "fraud-xgboost": ("trees: 500, depth: 8", "trees: 5, depth: 3"), "fraud-catboost": ("trees: 500, depth: 6", "trees: 5, depth: 3"), "fraud-lightgbm": ("trees: 500, leaves: 31", "trees: 5, leaves: 7")}


def smaller(folder):
    """Copies of the large manifests, made small."""
    for name, (before, after) in SMALLER.items():
        path = next(manifest.SHIPPED.glob(f"*s/{name}.yaml"))
        text = path.read_text()
        assert before in text, path
        (folder / path.name).write_text(text.replace(before, after))


def cases():
    with tempfile.TemporaryDirectory(prefix="hbsbench-test-") as folder:
        folder = pathlib.Path(folder)
        smaller(folder)
        for model in manifest.shipped("model"):
            if not models.installed(model):
                continue
            if model.name in SMALLER:
                model = manifest.find("model", model.name, beside=folder)
                write_lock(model, folder / "cache")
            cache = folder / "cache" if model.folder == folder else CACHE
            check_lock(model, cache)
            yield model, Case(model, cache)


def cells():
    for model, case in cases():
        for found in manifest.shipped("system"):
            try:
                systems.load(found.name, case)
                yield model.name, found.name, "yes"
            except Refused as reason:
                yield model.name, found.name, f"no: {reason}"


class Cells(unittest.TestCase):
    def test_the_table(self):
        server = "PGHOST" in os.environ
        optional = {found.name for found in manifest.shipped("system") if not all(map(systems.there, found.get("requires", []))) and found.name in OPTIONAL}
        got = [
            f"{model:<24} {system:<24} {answer}"
            for model, system, answer in cells()
            if system not in optional and (server or "PostgreSQL server" not in answer)
        ]
        if os.environ.get("UPDATE") and server:
            GOLDEN.write_text("\n".join(got) + "\n")
        there = {model.name for model in manifest.shipped("model") if models.installed(model)}
        wanted = [
            line
            for line in GOLDEN.read_text().splitlines()
            if (server or not re.search("-pg[- ]", line)) and line.split()[0] in there and line.split()[1] not in optional
        ]
        self.assertEqual(got, wanted)
