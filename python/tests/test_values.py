"""Values of Python, numpy and pandas as JSON: every bit is kept, and what has no meaning is refused."""

from __future__ import annotations

import datetime
import decimal
import json
import unittest

import numpy
import pandas

from hbscore import InvalidValue, values


class Scalars(unittest.TestCase):
    def test_numbers_keep_their_bits(self):
        for value in (0.1, 1e-320, -0.0, 2.0**53 + 2, 16777217):
            self.assertEqual(json.loads(json.dumps(values.cell(value, "x"))), value)
        single = numpy.float32(0.1)
        self.assertEqual(values.cell(single, "x"), 0.10000000149011612)
        self.assertEqual(numpy.float32(values.cell(single, "x")), single)

    def test_types(self):
        cases = [
            (numpy.int8(-3), -3),
            (numpy.uint64(7), 7),
            (numpy.bool_(True), True),
            (True, True),
            (numpy.str_("a"), "a"),
            ("ç", "ç"),
            (numpy.float64(1), 1.0),
            (None, None),
            (pandas.NA, None),
            (pandas.NaT, None),
        ]
        for given, want in cases:
            got = values.scalar(given, "x")
            self.assertEqual((got, type(got)), (want, type(want)), repr(given))

    def test_what_is_refused(self):
        moment = datetime.datetime(2024, 1, 2)
        for given in (
            moment,
            moment.date(),
            moment.time(),
            pandas.Timestamp(moment),
            numpy.datetime64("2024-01-02"),
            moment - moment,
        ):
            with self.assertRaisesRegex(InvalidValue, "x: .* is a date or a time"):
                values.scalar(given, "x")
        for given in (b"a", 1j, decimal.Decimal(1), pandas.Period("2024"), object(), [1]):
            with self.assertRaisesRegex(
                InvalidValue, "x: a value of the type .* is no number and no text"
            ):
                values.scalar(given, "x")
        for given in (2**63, -(2**63) - 1, numpy.uint64(2**63)):
            with self.assertRaisesRegex(InvalidValue, "x: .* does not fit into 64 bits"):
                values.scalar(given, "x")
        with self.assertRaisesRegex(InvalidValue, "is not valid Unicode"):
            values.scalar("\ud800", "x")

    def test_cells(self):
        cases = [
            (float("nan"), None),
            (pandas.NA, None),
            (True, 1),
            (numpy.bool_(False), 0),
            (float("inf"), "Infinity"),
            (-numpy.inf, "-Infinity"),
        ]
        for given, want in cases:
            self.assertEqual(values.cell(given, "x"), want)

    def test_labels(self):
        for good in ("a", 1, 1.5, True):
            self.assertIs(values.label(good), good)
        for bad in (None, float("nan"), float("inf"), pandas.NA):
            with self.assertRaisesRegex(InvalidValue, "class label: .* cannot be one"):
                values.label(bad)


class Options(unittest.TestCase):
    def text(self, **options):
        return json.loads(values.options_text(options))

    def test_lists_of_every_kind(self):
        names = ["a", "b"]
        for given in (
            names,
            tuple(names),
            numpy.array(names),
            pandas.Index(names),
            pandas.Series(names),
            pandas.Categorical(names),
        ):
            self.assertEqual(
                self.text(features=given, classes=given), {"features": names, "classes": names}
            )
        self.assertEqual(self.text(classes=numpy.array([False, True])), {"classes": [False, True]})

    def test_none_is_not_given(self):
        self.assertEqual(self.text(classes=None, missing=None, rounds=3), {"rounds": 3})

    def test_missing(self):
        self.assertEqual(self.text(missing=float("nan")), {"missing": None})
        self.assertEqual(self.text(missing=numpy.float32("nan")), {"missing": None})
        self.assertEqual(self.text(missing=numpy.float32(-1)), {"missing": -1})

    def test_nested(self):
        self.assertEqual(
            self.text(baseline={"a": numpy.arange(2), "b": {"c": None}}),
            {"baseline": {"a": [0, 1], "b": {"c": None}}},
        )

    def test_refused(self):
        with self.assertRaisesRegex(InvalidValue, "option rounds: inf is no number of JSON"):
            self.text(rounds=float("inf"))
        with self.assertRaisesRegex(InvalidValue, "option description: .* is a date"):
            self.text(description=datetime.date(2024, 1, 2))
        with self.assertRaisesRegex(InvalidValue, "class label: 2024-01-02.* is a date"):
            self.text(classes=numpy.array(["2024-01-02", "2024-01-03"], dtype="datetime64[ns]"))


if __name__ == "__main__":
    unittest.main()
