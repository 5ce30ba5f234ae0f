"""Helpers that the tests of the exporter share."""

from __future__ import annotations

import unittest
import warnings
from typing import Any

from hbscore.export import ExportError, export


class ExportCase(unittest.TestCase):
    def setUp(self) -> None:
        warnings.simplefilter("ignore")

    def refused(self, model: Any, *words: str, sample: Any = None) -> None:
        with self.assertRaises(ExportError) as caught:
            export(model, sample)
        for word in words:
            self.assertIn(word, str(caught.exception))
