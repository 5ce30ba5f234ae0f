"""Records that may not be compared, or not be published: each refusal alone."""

import json
import shutil

import made
from hbsbench import check, records
from hbsbench.errors import BenchError
from support import InFolder, command
from test_logs import entry


class Check(InFolder):
    def setUp(self):
        super().setUp()
        made.write_all(self.results)
        self.home = self.results / "2026-01-01" / "env" / "set" / "model"

    def breaches(self, claims=True):
        return check.breaches(records.read_all(self.results), claims)

    def change(self, path, **changed):
        path = self.home / path / "result.json"
        path.write_text(json.dumps({**json.loads(path.read_text()), **changed}))

    def expect(self, *expected):
        found = self.breaches()
        self.assertEqual(len(found), len(expected), found)
        for one, words in zip(found, expected):
            self.assertRegex(one, words)

    def test_good_records(self):
        self.expect()
        status, out, _ = command("--results", self.results, "check", "--claims")
        self.assertEqual(status, 0)
        self.assertIn("0 breaches", out)

    def test_no_records(self):
        shutil.rmtree(self.home)
        self.expect("there is no record")

    def test_a_missing_accuracy_record(self):
        shutil.rmtree(self.home / "mine" / "single_stream" / "accuracy")
        self.expect("model, mine, single_stream: there is no accuracy record")
        status, out, _ = command("--results", self.results, "check")
        self.assertEqual(status, 1)
        self.assertIn("1 breaches", out)

    def test_a_failed_accuracy_record(self):
        self.change("mine/single_stream/accuracy", accuracy={**made.ACCURATE, "passed": False, "reasons": ["3 labels differ"]})
        self.expect("its accuracy record failed: 3 labels differ")

    def test_an_error_of_loadgen(self):
        path = self.home / "mine/single_stream/performance/run_2/mlperf_log_detail.txt"
        path.write_text(path.read_text() + "\n" + entry("error_runtime", "lost a sample", error=True))
        self.expect("run 2: LoadGen's log has an error: error_runtime: lost a sample")

    def test_what_must_be_the_same(self):
        """In each record of a model, of accuracy too."""
        for path in ("theirs/single_stream/performance/run_1", "mine/single_stream/accuracy"):
            for field, words in (("sample_set", "the rows that are scored .sample_set. is not the same"), ("recipe", "the recipe of the model .recipe."),
                                 ("data", "the data set .data."), ("model_digest", "the systems did not score one model: 2 digests")):
                kept = (self.home / path / "result.json").read_text()
                self.change(path, **{field: "other"})
                self.expect(words)
                (self.home / path / "result.json").write_text(kept)

    def test_a_record_that_says_it_complies_with_the_rules(self):
        self.change("mine/single_stream/performance/run_1", rules_compliant=True)
        found = self.breaches()
        self.assertIn("model, mine, single_stream, run 1: it says that it complies with the rules: min_duration_ms is 10000, and the rules have 600000", found)
        self.assertEqual(len(found), sum("complies with the rules" in line for line in found))

    def test_a_duration_of_its_own(self):
        self.change("mine/single_stream/performance/run_1", duration_ms=50)
        self.expect("it has a duration of its own, 50 ms, not that of the profile standard")

    def test_two_profiles(self):
        self.change("mine/single_stream/accuracy", profile="extended")
        self.expect("model: the profile .profile. is not the same")
        self.change("mine/single_stream/performance/run_1", profile="fast")
        with self.assertRaisesRegex(BenchError, "this is no record: profile is missing or is something else"):
            self.breaches()

    def test_wrong_seeds(self):
        self.change("mine/single_stream/performance/run_1", changed_settings={"qsl_rng_seed": 7, "sample_index_rng_seed": 0, "schedule_rng_seed": 0})
        self.expect("qsl_rng_seed is 7, and the profile standard has 0")

    def test_smoke_numbers(self):
        shutil.rmtree(self.results)
        made.write_all(self.results, profile="smoke")
        self.assertEqual(self.breaches(claims=False), [])
        self.expect(*["the profile smoke is no measurement"] * 3)

    def test_mixed_environments(self):
        self.change("mine/single_stream/performance/run_1", environment="other")
        self.expect("the records are of 2 environments: env, other")

    def test_mixed_commits(self):
        self.change("mine/single_stream/performance/run_1", commit="d" * 40)
        self.expect("the records are of 2 commits: cccccccccccc, dddddddddddd")

    def test_a_record_without_its_floor(self):
        shutil.rmtree(self.home / "floor-mine")
        self.expect("model, mine, single_stream: its floor, floor-mine, was not measured", "model, theirs, single_stream: its floor")

    def test_few_repeats(self):
        shutil.rmtree(self.home / "theirs/single_stream/performance/run_5")
        self.assertEqual(self.breaches(claims=False), [])
        self.expect("model, theirs, single_stream: 4 repeats, and a claim needs 5")

    def test_a_writer_that_came_too_late(self):
        for rate, breaches in ((95.0, ()), (89.0, ["run 1: 89 rows a second were written beside it, not 100"])):
            self.change("mine/single_stream/performance/run_1", writes={"wanted_per_second": 100, "per_second": rate})
            self.expect(*breaches)

    def test_a_record_that_was_changed(self):
        self.change("mine/single_stream/performance/run_1", latency={"p50": 1})
        self.expect("the percentiles are not those of lat.bin")

    def test_a_verdict_that_was_changed(self):
        path = self.home / "mine/single_stream/performance/run_1/mlperf_log_detail.txt"
        path.write_text(path.read_text().replace('"VALID"', '"INVALID"'))
        self.expect("the record says VALID, and LoadGen's log does not")

    def test_times_that_were_cut(self):
        path = self.home / "mine/single_stream/performance/run_1/lat.bin"
        path.write_bytes(path.read_bytes()[:12])
        self.assertEqual(len(self.breaches()), 1)

    def test_a_file_that_is_no_record(self):
        (self.home / "mine/single_stream/performance/run_1/result.json").write_text("{")
        status, _, err = command("--results", self.results, "check")
        self.assertEqual((status, err.count("\n")), (1, 1))
        self.assertIn("this is no record", err)
