"""The plots of a report show where two systems cross, the parts of a pass, the trend over commits; and plots within a page."""

import subprocess
from xml.etree import ElementTree

import made
from hbsbench import crossover, pictures, publish, records, split, summary, trend
from support import InFolder

IN_DB = {"hbscore-pg": ("ours", "floor-mine"), "sklearn-fetch-pg": ("peer", "floor-mine"), "sklearn-fetch-sqlite": ("peer", "floor-mine"),
         "plpython-pg": ("peer", "floor-mine")}


class Drawn(InFolder):
    def setUp(self):
        super().setUp()
        made.KINDS.update(IN_DB)
        self.addCleanup(lambda: [made.KINDS.pop(name) for name in IN_DB])

    def write(self, system, cell, us, **more):
        """A cell of one run, whose queries take so many microseconds."""
        made.write(self.results, system, cell=cell, latencies=[round(us * 1000)] * (1 if cell.startswith("offline") else 100), division="in-db", **more)

    def cells(self):
        return summary.summaries(records.read_all(self.results))


class Crossover(Drawn):
    def sweep(self, system, *us_a_row):
        for n, us in zip((1, 8, 64), us_a_row):
            self.write(system, "single_stream" if n == 1 else f"multi_stream-{n}", us * n)

    def test_it_lies_on_the_straight_lines(self):
        self.sweep("hbscore-pg", 40, 20, 1)
        self.sweep("sklearn-fetch-pg", 10, 5, 4)
        self.sweep("sklearn-fetch-sqlite", 1, 1, 1)
        self.write("hbscore-pg", "offline-client", 1000)
        (pair,) = crossover.pairs(self.cells())
        self.assertEqual((pair.ours, pair.peer, pair.sizes), ("hbscore-pg", "sklearn-fetch-pg", [(1, 0.25), (8, 0.25), (64, 4.0)]))
        ((n, us),) = pair.crossings
        self.assertAlmostEqual(n, 8 * 8 ** 0.5)  # as far from 8, where it is four times slower, as from 64, where it is four times faster
        self.assertAlmostEqual(us, 20 * 0.05 ** 0.5)
        self.assertEqual(crossover.table(self.cells())[1], [["model", "hbscore-pg", "sklearn-fetch-pg", "22.6", "at 22.6 rows: sklearn-fetch-pg below, then hbscore-pg above"]])
        self.assertIn("| `hbscore-pg` | `sklearn-fetch-pg` | at 22.6 rows", "\n".join(publish.crossings(self.cells(), "model")))

    def test_none(self):
        self.sweep("hbscore-pg", 10, 5, 4)
        self.sweep("sklearn-fetch-pg", 40, 20, 8)
        (pair,) = crossover.pairs(self.cells())
        self.assertEqual((pair.crossings, crossover.words(pair)), ([], "none from 1 to 64 rows: hbscore-pg is faster, 2 to 4 times"))
        self.sweep("sklearn-fetch-sqlite")
        self.assertEqual(crossover.words(crossover.Pair("m", "a", "b", [], [])), "no size was measured of both")
        self.assertEqual(crossover.words(crossover.Pair("m", "a", "b", [(16384, 30.0)], [])), "none at 16,384 rows: a is faster, 30 times")

    def test_twice_and_at_a_size(self):
        sizes, crossings = crossover.compared([(1, 1.0), (10, 4.0), (100, 1.0)], [(1, 2.0), (10, 2.0), (100, 2.0)])
        self.assertEqual([ratio for _, ratio in sizes], [2.0, 0.5, 2.0])
        self.assertEqual([round(n, 3) for n, _ in crossings], [3.162, 31.623])
        self.assertEqual(crossover.words(crossover.Pair("m", "a", "b", sizes, crossings)), "at 3.16 rows, at 31.6 rows: a below, then b and so on")
        self.assertEqual(crossover.compared([(8, 2.0), (64, 1.0)], [(8, 2.0), (64, 3.0)])[1], [(8.0, 2.0)])

    def test_it_is_marked(self):
        self.sweep("hbscore-pg", 40, 20, 1)
        self.sweep("sklearn-fetch-pg", 10, 5, 4)
        self.assertIn("hbscore-pg and sklearn-fetch-pg: 22.6 rows", pictures.draw_batches(self.cells()).svg)


class Parts(Drawn):
    STATEMENT = {"statements": 1, "planning_ns": 1, "execution_ns": 2_000_000, "client_bytes": 1}

    def of(self, system, sink):
        cells = self.cells()
        return {name: round(ns / 1e6, 6) for name, ns in split.of(cells, cells["model", system, f"offline-{sink}"]).items()}

    def test_a_client_that_fetches(self):
        """The statement's execution is the scan; the rest of the transfer is the way to the client."""
        self.write("sklearn-fetch-pg", "offline-table", 20_000, statement=self.STATEMENT,
                   parts={"transfer": 5_000_000, "featurise": 1_000_000, "run": 8_000_000, "post": 500_000, "write": 4_500_000})
        self.assertEqual(self.of("sklearn-fetch-pg", "table"), {"scan": 2, "transfer": 3, "featurise": 1, "run": 8, "post": 0.5, "write": 4.5, "not told apart": 1})

    def test_a_database(self):
        """The time that client and table take beyond the aggregate; the parts of another pass, made shorter where they are longer."""
        parts = {"scan": 4_000_000, "featurise": 1_000_000, "run": 3_000_000, "post": 0}
        self.write("hbscore-pg", "offline-aggregate", 10_000, parts=parts)
        self.write("hbscore-pg", "offline-client", 16_000, parts=parts)
        self.write("hbscore-pg", "offline-table", 12_000, parts={name: 4 * ns for name, ns in parts.items()})
        self.assertEqual(self.of("hbscore-pg", "aggregate"), {"scan": 4, "featurise": 1, "run": 3, "not told apart": 2})
        self.assertEqual(self.of("hbscore-pg", "client"), {"scan": 4, "transfer": 6, "featurise": 1, "run": 3, "not told apart": 2})
        self.assertEqual(self.of("hbscore-pg", "table"), {"scan": 5, "featurise": 1.25, "run": 3.75, "write": 2})

    def test_nobody_knows(self):
        self.write("plpython-pg", "offline-client", 9_000)
        self.assertEqual(self.of("plpython-pg", "client"), {"not told apart": 9})
        self.write("plpython-pg", "offline-aggregate", 8_000)
        self.assertEqual(self.of("plpython-pg", "client"), {"transfer": 1, "not told apart": 8})
        for sink, us in (("aggregate", 8_000), ("client", 9_000)):
            self.write("sklearn-fetch-pg", f"offline-{sink}", us)
        self.assertEqual(self.of("sklearn-fetch-pg", "client"), {"not told apart": 9})
        made.write(self.results, "mine", cell="offline-client", latencies=[5_000_000], parts={"run": 4_000_000})
        self.assertEqual(self.of("mine", "client"), {"run": 4, "not told apart": 1})
        cells = self.cells()
        self.assertEqual([row[-1] for row in split.table(cells, summary.ordered(cells))[1]], ["the difference of sinks alone", "nothing", "the difference of sinks alone", "nothing", "the system's clocks"])

    def test_the_bars(self):
        self.assertIsNone(pictures.draw_split(self.cells()))
        self.write("plpython-pg", "offline-client", 9_000)
        self.assertIsNone(pictures.draw_split(self.cells()))
        self.write("hbscore-pg", "offline-client", 16_000, parts={"run": 8_000_000})
        drawn = pictures.draw(self.cells())
        for text in ("hbscore-pg, client", "16 ms", "not told apart", "run"):
            self.assertIn(text, drawn["split-model"].svg)


class Trend(InFolder):
    def commit(self, text):
        (self.folder / "tools").mkdir(exist_ok=True)
        (self.folder / trend.FILE).write_text(text)
        for command in (["init", "-q"], ["add", "."], ["-c", "user.name=a", "-c", "user.email=a@b.c", "commit", "-qm", "x"]):
            subprocess.run(["git", "-C", str(self.folder), *command], check=True)

    def test_the_history(self):
        self.commit("# a comment 12\nscalar 1000\nscan 500\n")
        self.commit("scalar 900\nscan 500\ntable 70\n")
        found = trend.of(self.folder)
        self.assertEqual([bounds for _, _, bounds in found], [{"scalar": 1000, "scan": 500}, {"scalar": 900, "scan": 500, "table": 70}])
        head, rows = trend.table(found)
        self.assertEqual([row[2:] for row in rows], [["scalar", 1000, "", ""], ["scan", 500, "", ""], ["scalar", 900, 1000, "-10.0%"], ["table", 70, "", ""]])
        self.assertIn("instructions a row", pictures.draw_trend(found).svg)
        self.assertIsNone(pictures.draw_trend(found[:1]))

    def test_without_a_history(self):
        self.assertEqual(trend.of(self.folder / "none"), [])
        self.assertEqual(trend.table([])[1], [])


class Inline(InFolder):
    def test_ids_are_the_pictures_own(self):
        svg = pictures.inline('<?xml version="1.0"?>\n<!DOCTYPE svg>\n<svg width="1"><metadata>when</metadata><defs><path id="m1"/></defs><use xlink:href="#m1"/>'
                              '<g clip-path="url(#p2)" id="a_id"/></svg>', "ecdf-a.b")
        self.assertEqual(svg, '<svg role="img" aria-label="ecdf-a-b" width="1"><defs><path id="ecdf-a-b.m1"/></defs><use href="#ecdf-a-b.m1"/>'
                              '<g clip-path="url(#ecdf-a-b.p2)" id="ecdf-a-b.a_id"/></svg>')

    def test_plots_are_elements(self):
        made.write_all(self.results)
        cells = summary.summaries(records.read_all(self.results))
        first, second = pictures.draw(cells), pictures.draw(cells)
        self.assertEqual(first["ecdf-model"].svg, second["ecdf-model"].svg)
        root = ElementTree.fromstring(first["ecdf-model"].svg)
        self.assertIn("theirs", {text.text for text in root.iter("{http://www.w3.org/2000/svg}text")})
