"""Manifests that are wrong: each ends in one line that names the file, the field and what is expected."""

import os
import re
import signal
import time
from unittest import mock

import numpy

from hbsbench import case, deadline, manifest, models
from hbsbench import data as datasets
from hbsbench.errors import BenchError
from support import CACHE, InFolder, command, model

SHIPPED = manifest.SHIPPED / "models" / "breast-cancer-logreg.yaml"


class Bad(InFolder):
    def changed(self, old, new):
        text = SHIPPED.read_text()
        self.assertIn(old, text)
        path = self.folder / "breast-cancer-logreg.yaml"
        path.write_text(text.replace(old, new))
        return path

    def refused(self, old, new, expected):
        path = self.changed(old, new)
        with self.assertRaisesRegex(BenchError, expected) as caught:
            model(path)
        self.assertIn(str(path), str(caught.exception))
        status, out, err = command("lock", path)
        self.assertEqual((status, out, err.count("\n")), (1, "", 1))

    def test_an_unknown_field(self):
        self.refused("task: binary", "task: binary\ncolour: red", "'colour' was unexpected")

    def test_an_unknown_field_inside(self):
        self.refused("percentile: 0.90", "percentage: 0.90", "scenarios.single_stream: .*'percentage' was unexpected")

    def test_a_field_that_is_missing(self):
        self.refused("task: binary\n", "", "'task' is a required property")

    def test_a_version(self):
        self.refused("version: 1.0.0", "version: one", "version: 'one' does not match")

    def test_another_percentile(self):
        self.refused("percentile: 0.90", "percentile: 0.5", "percentile: 0.9 was expected")

    def test_sql_after_the_end(self):
        self.refused("task: binary", "task: binary\nafter_preprocess: {sql: {common: ANALYZE}}", "after_preprocess: it has a Python form only")

    def test_no_yaml(self):
        self.refused("task: binary", "task: [binary", "this is no YAML, line")

    def test_a_class_for_predict(self):
        self.refused("function: predict_probability, class: 1", "function: predict, class: 1", "a class belongs to predict_probability")

    def test_columns_of_a_transform(self):
        self.refused("function: predict_probability, class: 1", "function: predict_probability, class: 1, column: 2", "a column belongs to transform")
        self.refused("function: predict_probability, class: 1", "function: transform", "a column belongs to transform")
        self.refused("function: predict_probability, class: 1}", "function: transform, column: 0}, {name: q, function: predict}",
                     "transform gives all of it, or nothing")

    def test_outputs_without_postprocess(self):
        text = SHIPPED.read_text()
        self.refused(text[text.index("postprocess:"):text.index("outputs:")], "", "without postprocess they are those of predict")

    def test_a_name_twice(self):
        self.refused("{name: label, role: label, type: int}", "{name: p, role: label, type: int}", 'the name "p" stands there twice')

    def test_a_metric_without_its_output(self):
        self.refused("role: label", "role: score", 'metric accuracy needs an output with the role "label"')


class Missing(InFolder):
    def test_no_file(self):
        status, _, err = command("lock", self.folder / "none.yaml")
        self.assertEqual((status, err), (1, f"hbsbench: {self.folder}/none.yaml: No such file or directory\n"))

    def test_no_such_name(self):
        status, _, err = command("run", "breast-cancer")
        self.assertEqual(status, 1)
        self.assertRegex(err, 'there is no model "breast-cancer"; shipped are .*breast-cancer-logreg')

    def test_no_such_scenario(self):
        status, _, err = command("run", "breast-cancer-logreg", "--scenarios", "interactive")
        self.assertEqual((status, err), (1, 'hbsbench: there is no scenario "interactive"; there are single_stream, multi_stream, server, offline\n'))

    def test_no_such_system(self):
        status, _, err = command("run", "breast-cancer-logreg", "--systems", "oracle")
        self.assertEqual(status, 1)
        self.assertIn('there is no system "oracle"; shipped are ', err)

    def shipped_with(self, old, new):
        path = self.folder / "own.yaml"
        path.write_text(SHIPPED.read_text().replace("name: breast-cancer-logreg", "name: own").replace(old, new))
        return path

    def test_no_such_function(self):
        path = self.shipped_with("hbsbench.train:scaled_logistic", "hbsbench.train:nothing")
        status, _, err = command("lock", path)
        self.assertEqual((status, err.count("\n")), (1, 1))
        self.assertRegex(err, "hbsbench.train:nothing: .*train.py has no function nothing")

    def own_functions(self, text, *options):
        (self.folder / "mine.py").write_text(text)
        path = self.shipped_with("hbsbench.train:scaled_logistic", "mine:train")
        status, _, err = command("lock", path, *options)
        self.assertEqual((status, err.count("\n")), (1, 1), err)
        self.assertFalse(path.with_suffix(".lock").exists())
        return err

    def test_a_recipe_that_raises(self):
        err = self.own_functions("def train(x, y, seed):\n    raise KeyError('no such column')\n")
        self.assertIn("own.yaml: mine:train: KeyError: 'no such column'", err)

    def test_a_recipe_without_an_end(self):
        """Neither the recipe nor what it calls can catch the end."""
        loop = "    while True:\n        try:\n            time.sleep(10)\n        except Exception:\n            pass\n"
        err = self.own_functions(f"import time\n\n\ndef train(x, y, seed):\n{loop}", "--deadline", "0.2")
        self.assertIn("own.yaml: mine:train: no end within 0.2 seconds", err)
        self.assertEqual(signal.getitimer(signal.ITIMER_REAL), (0.0, 0.0))
        self.assertIn("own.yaml: mine:train: no end within 0.2 seconds", self.own_functions("import time\ntime.sleep(10)\n", "--deadline", "0.2"))

    def test_one_end_within_another(self):
        with self.assertRaisesRegex(BenchError, "outer: no end within 0.2 seconds"), deadline.of(0.2), deadline.within("outer"):
            with deadline.of(5), deadline.within("inner"):
                pass
            time.sleep(10)

    def test_the_timer_of_a_server_around_python_stays(self):
        """A handler that Python did not set cannot be set again."""
        before = signal.getsignal(signal.SIGALRM)
        with mock.patch("signal.getsignal", return_value=None), deadline.of(5), deadline.within("inside a server"):
            self.assertEqual(signal.getitimer(signal.ITIMER_REAL), (0.0, 0.0))
        self.assertEqual(signal.getsignal(signal.SIGALRM), before)

    def test_a_module_that_cannot_be_loaded(self):
        self.assertIn("the module mine cannot be loaded", self.own_functions("def train(:\n"))

    def test_a_step_that_raises(self):
        (self.folder / "steps.py").write_text("def half(ctx, data):\n    return data / 'two'\n")
        path = self.shipped_with('python: "hbsbench.steps:threshold"', 'python: "steps:half"')
        status, _, err = command("lock", path)
        self.assertEqual((status, err.count("\n")), (1, 1), err)
        self.assertIn("own.yaml: steps:half: ", err)

    def test_a_step_of_another_shape(self):
        (self.folder / "steps.py").write_text("def half(ctx, data):\n    return data\n")
        path = self.shipped_with('python: "hbsbench.steps:threshold"', 'python: "steps:half"')
        status, _, err = command("lock", path)
        self.assertEqual((status, err.count("\n")), (1, 1), err)
        self.assertIn("postprocess gives (114, 1) of 114 rows with 2 outputs", err)

    def test_no_such_class(self):
        path = self.shipped_with("class: 1", "class: 7")
        status, _, err = command("lock", path)
        self.assertEqual((status, err.count("\n")), (1, 1))
        self.assertIn("the model has no class 7; it has [0.0, 1.0]", err)

    def test_another_version_of_the_framework(self):
        status, _, err = command("lock", self.shipped_with('">=1.2,<2"', '"<1.0"'))
        self.assertEqual(status, 1)
        self.assertRegex(err, "framework: scikit-learn is 1[.0-9]+, and the manifest wants <1.0")

    def test_the_checksum_of_a_data_file(self):
        (self.folder / "rows.csv").write_text("a,y\n1,2\n")
        (self.folder / "rows.yaml").write_text("schema: hbsbench/dataset/1\nname: rows\nversion: 1.0.0\ndescription: rows\n"
                                               f"source: {{file: rows.csv, sha256: {'a' * 64}, target: y}}\ntable: rows\n")
        path = self.shipped_with("ref: breast-cancer", "ref: rows")
        status, _, err = command("--results", self.results, "lock", path)
        self.assertEqual((status, err.count("\n")), (1, 1))
        self.assertRegex(err, "source.sha256: .*rows.csv has [0-9a-f]{64}, not a{64}")
        self.assertFalse(self.results.exists())


class Inputs(InFolder):
    """Rows that are not as the manifest says of its inputs are refused."""

    def test_missing_values_and_categories(self):
        path = self.folder / SHIPPED.name
        path.write_text(SHIPPED.read_text())
        made, rows = model(path), numpy.array([[1.0, "a"], [2.0, None]], object)
        for second, first, words in (({}, {}, None), ({"nullable": True}, {"nullable": False}, None), ({"nullable": False}, {}, '"kind" is not nullable, and 1 of its values are missing'),
                                     ({"categories": ["a"]}, {"categories": [1, 2]}, None), ({"categories": ["b"]}, {}, "\"kind\" has 'a', which is none of its categories")):
            made.content["inputs"] = [{"name": "size", "type": "real", **first}, {"name": "kind", "type": "text", **second}]
            if words is None:
                models.check_inputs(made, rows)
            else:
                with self.assertRaisesRegex(BenchError, words):
                    models.check_inputs(made, rows)

    def test_they_are_checked_when_the_model_is_made(self):
        path = self.folder / SHIPPED.name
        text = SHIPPED.read_text()
        self.assertIn("shape: [30]}", text)
        path.write_text(text.replace("shape: [30]}", "shape: [30], categories: [1]}"))
        with self.assertRaisesRegex(BenchError, 'inputs: "f" has .*, which is none of its categories'):
            case.write_lock(model(path), self.folder / "cache")


class Lock(InFolder):
    def test_shipped_manifests_are_locked(self):
        """And their rows are those that were locked. Large models are trained in `make check-long`."""
        for found in manifest.shipped("model"):
            locked = case.read_lock(found)
            if not models.installed(found):
                continue
            if found["dataset"]["ref"] == "fraud-shaped" and "HBSBENCH_LONG" not in os.environ:
                self.assertEqual(datasets.digest_of(datasets.cached(CACHE, models.dataset_of(found))), locked["data"])
            else:
                case.check_lock(found, CACHE)

    def test_a_manifest_that_has_changed(self):
        path = self.folder / SHIPPED.name
        path.write_text(re.sub("version: 1.0.0", "version: 1.0.1", SHIPPED.read_text()))
        path.with_suffix(".lock").write_text(SHIPPED.with_suffix(".lock").read_text())
        with self.assertRaisesRegex(BenchError, "the manifest has changed since it was locked"):
            case.check_lock(model(path), CACHE)

    def test_comments_do_not_count(self):
        path = self.folder / SHIPPED.name
        path.write_text("# a comment\n" + SHIPPED.read_text())
        self.assertEqual(model(path).digest, model(SHIPPED).digest)

    def test_a_lock_is_the_same_again(self):
        found = model(SHIPPED)
        self.assertEqual(case.lock_text(found, CACHE), found.lock_path.read_text())

    def test_a_manifest_that_was_checked_elsewhere(self):
        """As the process of a cell gets it: it is not read again."""
        path = self.folder / SHIPPED.name
        path.write_text(SHIPPED.read_text())
        found = model(path)
        path.write_text("[")
        with mock.patch.dict(manifest.GIVEN, manifest.given([found])):
            again = model(path)
            with self.assertRaises(BenchError):
                manifest.read(path, "system")
        self.assertEqual((again.content, again.digest, again.path), (found.content, found.digest, path))
        with self.assertRaises(BenchError):
            model(path)

    def test_every_shipped_system_is_well_formed(self):
        for found in manifest.shipped("system"):
            self.assertEqual(found.name, found.path.stem)
            if found["kind"] != "floor":
                self.assertEqual(manifest.find("system", found["floor"])["kind"], "floor")
