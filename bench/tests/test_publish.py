"""The tables and pictures that bench-publish writes into a page."""

import pathlib
import shutil

import made
from hbsbench import publish
from hbsbench.errors import BenchError
from support import InFolder

PAGE = "# A page\n\n<!-- headline: begin -->\nold\n<!-- headline: end -->\n\nThe rest.\n"


class Publish(InFolder):
    def setUp(self):
        super().setUp()
        self.page = self.folder / "docs" / "page.md"
        self.page.parent.mkdir()
        self.page.write_text(PAGE)

    def test_the_part_is_replaced(self):
        made.write_all(self.results)
        pictures = publish.write(self.results, self.page)
        text = self.page.read_text()
        self.assertTrue(text.startswith("# A page\n\n<!-- headline: begin -->\nMeasured 2026-01-01, profile standard, commit cccccccccccc"))
        self.assertTrue(text.endswith("\n<!-- headline: end -->\n\nThe rest.\n"))
        self.assertIn("| `mine` | library | 5.03 | 0 |", text)
        self.assertIn("| `floor-mine` | floor | 1.03 |  |", text)
        self.assertIn("a CPU", text)
        self.assertIn("mine is 1.99 times faster than theirs", text)
        self.assertEqual(pictures, ["bench-ecdf-model.png"])
        self.assertIn("![ecdf-model](images/bench-ecdf-model.png)", text)
        self.assertTrue((self.page.parent / "images" / pictures[0]).read_bytes().startswith(b"\x89PNG"))
        publish.write(self.results, self.page)
        self.assertEqual(self.page.read_text(), text)

    def test_what_may_not_be_published_changes_nothing(self):
        for changed, words in (({"profile": "smoke"}, "nothing but the profile smoke"), ({"repeats": 2}, "2 repeats, and a claim needs 5")):
            made.write_all(self.results, **changed)
            with self.assertRaisesRegex(BenchError, words):
                publish.write(self.results, self.page)
            self.assertEqual(self.page.read_text(), PAGE)
            shutil.rmtree(self.results)

    def test_breaches_are_named_when_it_is_published_all_the_same(self):
        made.write_all(self.results, repeats=2)
        publish.write(self.results, self.page, everything=True)
        self.assertIn("- model, mine, single_stream: 2 repeats, and a claim needs 5", self.page.read_text())

    def test_a_page_without_the_comments(self):
        made.write_all(self.results)
        self.page.write_text("# A page\n")
        with self.assertRaisesRegex(BenchError, "it needs the lines <!-- headline: begin -->"):
            publish.write(self.results, self.page)

    def test_tables_that_are_not_measured_yet(self):
        """Each table that is published leaves the list."""
        parts = "".join(f"<!-- paper {name}: begin -->\n<!-- paper {name}: end -->\n" for name in ("a-1", "b-figure-2"))
        self.page.write_text(f"<!-- papers not measured: begin -->\n<!-- papers not measured: end -->\n{parts}")
        publish.paper(self.page, "a-1", "a table", self.folder / "none.png")
        self.assertIn("Not measured yet, though `make bench-paper` can: `b-figure-2`.\n<!-- papers", self.page.read_text())
        publish.paper(self.page, "b-figure-2", f"a table: {pathlib.Path.cwd()}/build/own.yaml is wrong", self.folder / "none.png")
        self.assertIn("a table: build/own.yaml is wrong", self.page.read_text())
        self.assertIn("Each of these tables was measured.\n<!-- papers", self.page.read_text())

    def test_numbers(self):
        self.assertEqual([publish.number(v) for v in (None, 0.01234, 5.0, 123.4, 999.6, 1234.0, 1234567.0)],
                         ["-", "0.0123", "5", "123", "1,000", "1,230", "1,230,000"])
