"""DictVectorizer and FeatureHasher: the extension reads a JSON text as Python's json.loads does, and counts as they do."""

from __future__ import annotations

import json
import random
import unittest
from typing import Any, List, Optional

import numpy as np
from sklearn.feature_extraction import DictVectorizer, FeatureHasher

import hbscore
import support
from hbscore.export import ExportError, export

NAMES = ['"a"', '"b"', '"city"', '"\\u0061"', '"\\ud83d\\ude00"', '"\\ud83d"', '"\u6771"', '"x\\n\\/"', '""']
VALUES = ['"Rome"', '"R\\u006fme"', '"a=b"', "1", "-0", "2.5e-3", "1e400", "123456789012345678901", "true", "false", "0.0", "-0.0"]
ODD = ["null", '["x","y","x"]', "[]", "[ ]", "NaN", "-Infinity", "{}", "[1]", "01", "1.", ".5", "+1", "tru", '"\\x"', '"\t"', "9" * 400]
FIT = [{"a": 1, "city": "Rome", "b": ["x", "z"]}, {"\U0001f600": 2, "\u6771": "a=b", "": 3, "x\n/": 4, "a": "a=b"}]


def is_replaced(text: str) -> bool:
    """A name may come twice: the replaced member must be right too."""
    seen: List[int] = []
    json.loads(text, object_pairs_hook=lambda pairs: seen.append(len(pairs) - len(dict(pairs))))
    return any(seen)


def space(rng: random.Random) -> str:
    return rng.choice(["", "", "", " ", "\n\t", "\r"])


def changed(rng: random.Random, text: str) -> str:
    """Mostly as it is; else a character is left out, comes twice or becomes another."""
    if rng.random() < 0.7:
        return text
    i = rng.randrange(len(text))
    return text[:i] + rng.choice(["", text[i] * 2, rng.choice('{}[],:"\\ 0-')]) + text[i + 1 :]


def listed(rng: random.Random, begin: str, items: List[str], end: str) -> str:
    return space(rng) + begin + space(rng) + (space(rng) + "," + space(rng)).join(items) + space(rng) + end + space(rng)


class Dictionaries(unittest.TestCase):
    def setUp(self) -> None:
        self.rng = random.Random(11)
        self.values, self.ordinary = VALUES, 0.85
        self.connection = support.connect_sqlite3()

    def tearDown(self) -> None:
        self.connection.close()

    def value(self) -> str:
        return self.rng.choice(self.values if self.rng.random() < self.ordinary else ODD)

    def members(self, between: str) -> List[str]:
        names = self.rng.choices(NAMES, k=self.rng.randrange(6))
        return [name + space(self.rng) + between + space(self.rng) + self.value() for name in names]

    def wanted(self, model: Any, text: str) -> Optional[np.ndarray]:
        row = json.loads(text)
        try:
            made = model.transform([row])
        except OverflowError:  # a whole number that no double is near
            return None
        made = np.ravel(made.toarray())
        return made if np.isfinite(made).all() else None

    def compare(self, model: Any, text: str) -> int:
        """1: it is a row."""
        try:
            want = self.wanted(model, text)
        except (ValueError, TypeError, AttributeError):
            with self.assertRaises(Exception, msg=text):
                support.ask(self.connection, "SELECT transform('m', ?)", text)
            return 0
        try:
            found = support.ask(self.connection, "SELECT transform('m', ?)", text)
        except Exception as e:
            if is_replaced(text) or "half of a surrogate pair" in str(e):  # also of a number that is 0
                return 0
            raise AssertionError("%s: %s" % (text, e)) from e
        self.assertEqual(found is None, want is None, text)
        if want is not None:
            self.assertEqual(json.loads(found), want.tolist(), text)
        return 1

    def test_objects_of_a_vectorizer(self) -> None:
        model = DictVectorizer().fit(FIT)
        hbscore.register(self.connection, "m", model)
        texts = [changed(self.rng, listed(self.rng, "{", self.members(":"), "}")) for _ in range(1500)]
        self.assertGreater(sum(self.compare(model, text) for text in texts), 500)

    def test_types_of_numbers(self) -> None:
        for dtype in (np.float32, np.int64):
            if dtype == np.int64:  # numpy gives any whole number for one that 64 bits do not hold
                self.values, self.ordinary = ["-2.9", "0.9", "1e15", *(v for v in VALUES if len(v) < 20 and v != "1e400")], 1.0
            for model in (DictVectorizer(dtype=dtype).fit(FIT), FeatureHasher(5, dtype=dtype)):
                hbscore.register(self.connection, "m", model)
                texts = [listed(self.rng, "{", self.members(":"), "}") for _ in range(300)]
                self.assertGreater(sum(self.compare(model, text) for text in texts), 100)

    def numbers(self, text: str) -> Any:
        found = support.ask(self.connection, "SELECT transform('m', ?)", text)
        return found and json.loads(found)

    def test_small_integers(self) -> None:
        """Sums wrap round. A number that they do not hold is refused by numpy 2; numpy 1 wraps it round."""
        for kind in (np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32):
            least, most = int(np.iinfo(kind).min), int(np.iinfo(kind).max)
            hashed = FeatureHasher(1, dtype=kind, alternate_sign=least < 0)
            for model in (DictVectorizer(dtype=kind).fit(FIT), hashed):
                hbscore.register(self.connection, "m", model)
                for number in ("-0.5", "0", "7.9", "true", str(most - 1), str(least + 1)):
                    self.compare(model, '{"a":%s}' % number)
                for number in (str(least - 2), str(most + 2), "1e30", "-1e400", "NaN"):
                    self.assertIsNone(self.numbers('{"a":%s}' % number))
                if model is hashed:
                    self.compare(model, '{"a":100,"c":20,"d":%d,"e":%d}' % (most - 1, most - 2))
                for count in (100, 127, 128, 200, 255, 256, 300) if model is not hashed else ():
                    self.compare(model, json.dumps({"b": ["x"] * count}))
            hbscore.register(self.connection, "m", FeatureHasher(1, dtype=kind, alternate_sign=False))
            self.assertEqual([2 * most - (most - least + 1)], self.numbers('{"a":%d.5,"b":%d}' % (most, most)))

    def test_what_is_hashed(self) -> None:
        def pair(member: str) -> str:
            return "[" + member + "]"

        for form in ("dict", "pair", "string"):
            model = FeatureHasher(11, input_type=form)
            hbscore.register(self.connection, "m", model)
            count = 0
            for _ in range(500):
                if form == "dict":
                    text = listed(self.rng, "{", self.members(":"), "}")
                elif form == "pair":
                    text = listed(self.rng, "[", [pair(m) for m in self.members(",")], "]")
                else:
                    text = listed(self.rng, "[", self.rng.choices(NAMES, k=self.rng.randrange(6)), "]")
                count += self.compare(model, text)
            self.assertGreater(count, 100)

    def test_what_is_not_supported(self) -> None:
        for model, words in (
            (DictVectorizer(dtype=np.float16).fit(FIT), "dtype=float16"),
            (DictVectorizer().fit([{"a\0": 1}]), "no text"),
            (FeatureHasher(dtype=np.uint64), "dtype=uint64"),
            (FeatureHasher(dtype=np.uint8), "alternate_sign and dtype=uint8"),
            (FeatureHasher(1 << 23), "n_features"),
        ):
            with self.assertRaisesRegex(ExportError, words):
                export(model)


if __name__ == "__main__":
    unittest.main()
