"""docs/estimators.md says what the table of exporters says, and every exporter has its facts."""

from __future__ import annotations

import importlib
import importlib.util
import sys
import unittest

from sklearn.experimental import enable_halving_search_cv, enable_iterative_imputer  # noqa: F401
from support import ROOT

sys.path.insert(0, str(ROOT / "tools"))

import make_estimators
from sklearn.cluster import DBSCAN
from sklearn.utils import all_estimators

from hbscore.errors import UnsupportedModel
from hbscore.export import EXPORTERS, export
from hbscore.export.facts import EXACTNESS, FACTS, Facts
from hbscore.export.refused import REFUSED
from hbscore.export.registry import ENCODERS, full_name


class Page(unittest.TestCase):
    def test_nothing_is_missing_or_stale(self) -> None:
        self.assertEqual(make_estimators.problems(), [])

    def test_a_line_for_every_exporter(self) -> None:
        page = make_estimators.PAGE.read_text(encoding="utf-8")
        for name in EXPORTERS:
            self.assertEqual(page.count("| `%s` |" % make_estimators.shown(name)), 1, name)
        for word in EXACTNESS:
            self.assertEqual(page.count("\n| %s | " % word), 1)

    def test_every_name_is_of_scikit_learn(self) -> None:
        for name in FACTS:
            module, _, attribute = name.rpartition(".")
            if module == ENCODERS and importlib.util.find_spec(ENCODERS) is None:
                continue
            found = importlib.import_module(full_name(module))
            self.assertTrue(hasattr(found, attribute), name)


class Walk(unittest.TestCase):
    """scikit-learn's own list of its estimators."""

    def test_each_is_taken_or_refused_with_a_reason(self) -> None:
        for name, kind in all_estimators():
            module = kind.__module__.split("._")[0].removeprefix("sklearn.")
            known = [n for n in (*EXPORTERS, *REFUSED) if make_estimators.shown(n) == name]
            self.assertEqual(len(known), 1, "%s of %s: %s" % (name, module, known))

    def test_no_name_is_in_both_tables(self) -> None:
        self.assertEqual(sorted(set(EXPORTERS) & set(REFUSED)), [])

    def test_the_refusal_says_why(self) -> None:
        model = DBSCAN().fit([[0.0], [1.0]])
        with self.assertRaisesRegex(UnsupportedModel, "DBSCAN of .* is not supported: it labels the rows that it was fitted"):
            export(model)


class Problems(unittest.TestCase):
    def test_what_is_missing_is_named(self) -> None:
        EXPORTERS["svm.Other"] = EXPORTERS["svm.LinearSVC"]
        FACTS["svm.Another"] = Facts("roughly")
        try:
            found = make_estimators.problems()
        finally:
            del EXPORTERS["svm.Other"], FACTS["svm.Another"]
        self.assertEqual(
            found,
            [
                "svm.Other has no facts in python/src/hbscore/export/facts.py",
                "svm.Another has facts and no exporter",
                "svm.Another: exactness 'roughly' is explained nowhere",
            ],
        )

    def test_a_stale_page_is_noticed(self) -> None:
        kept = FACTS["svm.LinearSVC"]
        FACTS["svm.LinearSVC"] = Facts("bits")
        try:
            found = make_estimators.problems()
        finally:
            FACTS["svm.LinearSVC"] = kept
        self.assertEqual(found, ["docs/estimators.md is stale: run tools/make_estimators.py"])


if __name__ == "__main__":
    unittest.main()
