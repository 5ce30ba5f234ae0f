"""What the exporter knows of operators is what the core's tables say."""

import pathlib
import re
import unittest

from hbscore.export.graph import MAKES_FINITE, MOVES

CORE = pathlib.Path(__file__).parents[2] / "core"


def rows(path, macro):
    """The columns of each row of a .def file, split at commas."""
    text = re.sub(r"/\*.*?\*/", "", (CORE / path).read_text(), flags=re.S)
    return [[c.strip() for c in row.split(",")] for row in re.findall(r"^%s\((.*?)\)$" % macro, text, flags=re.S | re.M)]


class Tables(unittest.TestCase):
    def setUp(self):
        self.core = {row[1]: row for row in rows("ir/operators.def", "HB_OPERATOR")}
        self.own = {row[0] for row in rows("format/own_operators.def", "HB_OWN_(?:OPERATOR|FIT)")}

    def test_the_tables_are_found(self):
        self.assertGreater(len(self.core), 60)
        self.assertGreater(len(self.own), 20)

    def test_operators_that_make_finite_numbers(self):
        finite = {name for name in self.own & set(self.core) if self.core[name][8] == "FINITE"}
        self.assertLessEqual(MAKES_FINITE, self.own)
        # A head's answer is the last: nothing reads it. Some of the format's are several of the core.
        self.assertEqual(finite - {"head"}, MAKES_FINITE & set(self.core))

    def test_operators_that_move_numbers_are_in_the_format(self):
        self.assertLessEqual(MOVES, self.own)
        moved = {name for name in self.own & set(self.core) if self.core[name][8] == "INPUTS"}
        self.assertLessEqual(moved, MOVES)


if __name__ == "__main__":
    unittest.main()
