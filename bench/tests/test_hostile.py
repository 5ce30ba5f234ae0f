"""Manifests, data, folders and records that nobody would write in good faith: one clear line each, and nothing is lost."""

import json
import os
import re

import made
import numpy
from hbsbench import data, manifest, records
from hbsbench.errors import BenchError
from support import InFolder, command, model

SHIPPED = manifest.SHIPPED / "models" / "breast-cancer-logreg.yaml"


class Yaml(InFolder):
    def refused(self, old, new, expected):
        text = SHIPPED.read_text()
        self.assertIn(old, text)
        path = self.folder / "own.yaml"
        path.write_text(text.replace(old, new))
        with self.assertRaisesRegex(BenchError, expected) as caught:
            model(path)
        self.assertTrue(str(caught.exception).startswith(f"{path}: "))

    def args(self, value, expected):
        self.refused("seed: ", f"args: {{a: {value}}}, seed: ", expected)

    def test_values_that_are_none(self):
        for value, expected in ((".nan", "args.a: nan is no text, finite number"), ("2020-01-01", "datetime.date.2020, 1, 1. is no text"),
                                ("!!binary aGk=", "b'hi' is no text"), ("{1: 2}", "the key 1 is no text"), ("2020-13-45", "month must be in 1..12"),
                                ("&a [*a]", "its anchors make more than"), ("[" * 60 + "]" * 60, "nested more than 50 levels"),
                                ("{b: 1, b: 2}", 'the key "b" stands there twice')):
            with self.subTest(value):
                self.args(value, expected)

    def test_anchors_that_multiply(self):
        steps = ", ".join(f"x{i}: &x{i} [{', '.join([f'*x{i - 1}' if i else '1'] * 10)}]" for i in range(9))
        self.args(f"{{{steps}}}", "its anchors make more than 100000 values")

    def test_a_line_end_and_a_number_that_is_no_integer(self):
        self.refused("name: breast-cancer-logreg", 'name: "own\\n"', "name: 'own.n' does not match")
        self.refused("single_stream:", "multi_stream: {samples_per_query: [8.0]}\n  single_stream:", "8.0 is not of type 'integer'|stands there twice")

    def test_what_is_no_file(self):
        os.mkfifo(self.folder / "pipe.yaml")
        (self.folder / "zero.yaml").symlink_to("/dev/zero")
        for name in ("pipe", "zero"):
            with self.assertRaisesRegex(BenchError, "this is no file"):
                model(self.folder / f"{name}.yaml")


class Rows(InFolder):
    def made(self, text, source="rows.csv"):
        raw = text if isinstance(text, bytes) else text.encode()
        (self.folder / "rows.csv").write_bytes(raw)
        path = self.folder / "rows.yaml"
        path.write_text("schema: hbsbench/dataset/1\nname: rows\nversion: 1.0.0\ndescription: rows\ntable: rows_\n"
                        f"source: {{file: {source}, sha256: {manifest.sha256(raw)}, target: y}}\n")
        return data.make(manifest.read(path, "dataset"))

    def test_files(self):
        for text, expected in (("", "has no column"), ("a,y\n", "there are no rows"), ("a,y\n1,2\n1\n", "row 2 has 1 values of 2"),
                               ("a,a,y\n1,2,3\n", "a column stands there twice"), (b"\xff\xfe", "this is no CSV in UTF-8"),
                               ("a b,y\n1,2\n", "has the name 'a b'"), ("id,y\n1,2\n", "one name in SQL: id"), ("a,A,y\n1,2,3\n", "one name in SQL: a"),
                               ("a,y\n1,nan\n", "the target has values that are missing")):
            with self.subTest(text), self.assertRaisesRegex(BenchError, expected):
                self.made(text)
        with self.assertRaisesRegex(BenchError, "/dev/zero is no file"):
            self.made("", "/dev/zero")

    def test_generators(self):
        class Named:
            path = "rows.yaml"
            get = {}.get

        y = numpy.zeros(3)
        for names, columns, target, expected in ((["a"], [y, y], y, "1 names of 2 columns"), (["a"], [y[:2]], y, "has the shape"),
                                                 (["a"], [y], y.reshape(3, 1), "no rows"), (["a"], [numpy.array([1, None, "x"], object)], y, "objects that are no texts")):
            with self.subTest(expected), self.assertRaisesRegex(BenchError, expected):
                data.checked(Named, data.Data(names, columns, target))


class Cache(InFolder):
    def test_a_server_of_another_user_reads_the_cache(self):
        """A function in PL/Python loads rows and models from it."""
        around = self.folder / "cache"
        around.mkdir(mode=0o755)
        made_whole = data.put(around / "rows", lambda folder: (folder / "digest").write_text("x"))
        self.assertEqual(made_whole.stat().st_mode, around.stat().st_mode)
        self.assertEqual([entry.name for entry in around.iterdir()], ["rows"])

    def test_files_that_are_damaged(self):
        """Each is named, with what to do."""
        rows = data.Data(["a", "b"], [numpy.arange(3.0), numpy.array(["x", None, "y"], object)], numpy.zeros(3))
        folder = self.folder / "datasets" / "rows-0" / "test"
        data.save(folder, rows)
        self.assertEqual(data.load(folder).digest(), rows.digest())
        (self.folder / "datasets" / "rows-0" / "digest").write_text("none")
        for path in sorted(folder.iterdir()):
            whole = path.read_bytes()
            for part in (b"", whole[:-8], b"[]", b'{"names": ["a", "b", "c"], "texts": {}}'):
                path.write_bytes(part)
                with self.subTest(path.name, part=part), self.assertRaisesRegex(BenchError, f"({path.name}|numbers.npy): this file of the cache is damaged .*: remove .*rows-0, and"):
                    data.load(folder)
            path.write_bytes(whole)
        with self.assertRaisesRegex(BenchError, "digest: this file of the cache is damaged"):
            data.digest_of(folder.parent)


class Results(InFolder):
    def setUp(self):
        super().setUp()
        made.write_all(self.results)
        self.record = next(self.results.rglob("mine/single_stream/performance/run_1/result.json"))

    def change(self, **changed):
        self.record.write_text(json.dumps({**json.loads(self.record.read_text()), **changed}))

    def refused(self, expected, *arguments):
        status, out, err = command("--results", self.results, *arguments)
        self.assertEqual((status, err.count("\n")), (1, 1), out + err)
        self.assertRegex(err, expected)

    def test_records_that_were_edited(self):
        for changed, field in (({"rows": "many"}, "rows"), ({"rows_per_sample": 0}, "rows_per_sample"), ({"profile": "mine"}, "profile"),
                               ({"targets": None}, "targets"), ({"repeat": None}, "repeat")):
            before = self.record.read_text()
            self.change(**changed)
            for name in ("check", "report"):
                self.refused(f"result.json: this is no record: {field} is missing or is something else", name, *(["--to", self.folder / "to"] * (name == "report")))
            self.record.write_text(before)
        self.record.write_text("[]")
        self.refused(r"its schema is \[\], not", "check")

    def test_numbers_that_the_log_does_not_have(self):
        self.change(rows=1_000_000)
        status, out, _ = command("--results", self.results, "check")
        self.assertEqual(status, 1)
        self.assertIn("run 1: rows is 1000000, and LoadGen's log has 1000", out)

    def test_smoke_numbers_that_call_themselves_standard(self):
        log = self.record.with_name("mlperf_log_detail.txt")
        log.write_text(re.sub("(effective_min_duration_ms.*?)10000", r"\g<1>0", log.read_text()))
        status, out, _ = command("--results", self.results, "check", "--claims")
        self.assertEqual(status, 1)
        self.assertIn("run 1: min_duration_ms is 10000, and LoadGen's log has 0", out)

    def test_a_record_that_stands_there_twice(self):
        copy = self.record.parent.with_name("run_1.old")
        copy.mkdir()
        for path in self.record.parent.iterdir():
            (copy / path.name).write_bytes(path.read_bytes())
        status, out, _ = command("--results", self.results, "check")
        self.assertEqual(status, 1)
        self.assertIn("model, mine, single_stream, run 1: there are 2 records of it", out)

    def test_files_beside_the_records(self):
        for name in ("environment.json", "empty.json"):
            path = self.results / "2026-01-01" / "env" / name
            path.write_text("{")
            self.refused(f"{name}: this is no record", "report", "--to", self.folder / "to")
            path.write_text("[]" if name == "empty.json" else "{}")

    def test_times_that_are_gone(self):
        self.record.with_name("lat.bin").unlink()
        self.refused("lat.bin: these are no times of queries", "compare", self.results, self.results)

    def test_a_comparison_of_what_is_unlike(self):
        other = self.folder / "other"
        made.write_all(other, environment="elsewhere", sample_set="other")
        status, out, _ = command("compare", self.results, other)
        self.assertEqual(status, 1)
        self.assertIn("may not be compared: not the same are the rows that are scored, the environment", out)
        self.refused("none: there is no such folder", "compare", self.results, self.folder / "none")

    def test_a_report_does_not_replace_other_things(self):
        (self.folder / "home").mkdir()
        (self.folder / "home" / "letter.odt").write_text("dear")
        for to in (self.folder / "home", self.folder):
            self.refused("this holds something else than a report", "report", "--to", to)
        self.assertEqual((self.folder / "home" / "letter.odt").read_text(), "dear")

    def test_a_page_that_is_not_there(self):
        self.refused("none.md: No such file or directory", "publish", "--page", self.folder / "none.md")
        self.assertFalse((self.folder / "images").exists())
        self.refused("none.md: No such file or directory", "paper", "hummingbird-7", "--publish", "--page", self.folder / "none.md")

    def test_two_runs_at_once(self):
        left = self.results / f"{records.MAKING}left"
        (left / "performance").mkdir(parents=True)
        (left / "performance" / "result.json").write_text("{")
        records.read_all(self.results)
        with records.alone(self.results):
            self.assertFalse(left.exists())
            with self.assertRaisesRegex(BenchError, "another run writes results there"), records.alone(self.results):
                pass

    def test_folders_that_are_files(self):
        (self.folder / "file").write_text("")
        for option in ("--cache", "--results"):
            status, _, err = command(option, self.folder / "file", "run", "breast-cancer-logreg", "--systems", "null-callback")
            self.assertEqual((status, err.count("\n")), (1, 1), err)

    def test_names_of_nothing(self):
        for option, expected in (("--systems", '"," names no system'), ("--scenarios", '"," names no scenario')):
            self.refused(expected, "run", "breast-cancer-logreg", option, ",")
        self.refused("there is no table", "paper", "../models/fraud-xgboost")
