"""Offline in passes: how many there are, and their logs."""

import gzip
import time

import made
import numpy
from hbsbench import check, passes, profiles, records, summary
from support import InFolder
from test_logs import entry

VERSION = entry("loadgen_version", "6.0.17")


class FakeCell:
    """Each pass takes as many seconds; one of them is INVALID."""

    def __init__(self, profile, seconds=0.0, invalid=None):
        self.profile, self.seconds, self.invalid, self.runs, self.spec = profile, seconds, invalid, 0, {}

    def run(self, lg, folder, accuracy, hint_ns):
        time.sleep(self.seconds)
        folder.mkdir()
        self.runs += 1
        numpy.array([[1000 * self.runs], [10 * self.runs]], "<i8").tofile(folder / "lat.bin")
        numpy.array([900 * self.runs], "<i8").tofile(folder / "system.bin")
        (folder / passes.LOG).write_text(f"{VERSION}\n{entry('result_validity', 'VALID')}\n")
        return {"valid": self.runs != self.invalid, "own_clock": "harness", "warnings": [f"w{self.runs % 2}"], "latency": {}}, [self.runs]


def profile(seconds, repeats=5):
    return profiles.Profile("made", round(seconds * 1000), {}, repeats, 0, "")


class Passes(InFolder):
    def run_passes(self, cell):
        folder = self.folder / "performance"
        record, sums = passes.run(cell, None, folder, 0)
        self.assertFalse((self.folder / "pass").exists())
        return folder, record, sums

    def test_at_least_five_over_all_repeats(self):
        self.assertEqual([profiles.PROFILES[name].least_passes for name in ("smoke", "standard", "extended")], [5, 1, 1])
        folder, record, sums = self.run_passes(FakeCell(profile(0, repeats=1)))
        self.assertEqual((record["passes"], record["valid"], sums, record["warnings"]), (5, True, [5], ["w1", "w0"]))
        numpy.testing.assert_array_equal(numpy.fromfile(folder / "lat.bin", "<i8"), [1000, 2000, 3000, 4000, 5000, 10, 20, 30, 40, 50])
        self.assertEqual((record["latency"]["p50"], record["inner"]["p50"], record["harness"]["system_ns"]), (3000, 30, 2700.0))
        self.assertEqual([log.valid for log in passes.read(folder / passes.FILE)], [True] * 4)

    def test_all_repeats_fill_the_duration(self):
        self.assertEqual([profiles.PROFILES[name].pass_seconds() for name in ("smoke", "standard", "extended")], [0, 2, 12])
        _, record, _ = self.run_passes(FakeCell(profile(0.5), seconds=0.02))
        self.assertTrue(3 <= record["passes"] <= 5, record["passes"])

    def test_one_that_is_invalid(self):
        self.assertFalse(self.run_passes(FakeCell(profile(0, repeats=1), invalid=3))[1]["valid"])


class Check(InFolder):
    def made(self, logs, **changed):
        folder = made.write(self.results, "floor-mine", cell="offline-client", latencies=[1000, 2000, 3000], **{"passes": 3, **changed})
        (folder / passes.FILE).write_bytes(gzip.compress("\n".join(logs).encode()))
        return folder

    def breaches(self, *logs, damage=None, **changed):
        folder = self.made(logs, **changed)
        if damage is not None:
            (folder / passes.FILE).write_bytes(damage)
        return check.breaches(records.read_all(self.results))

    def test_a_good_one(self):
        self.assertEqual(self.breaches(*[VERSION, entry("result_validity", "VALID")] * 2), [])

    def test_a_log_that_is_missing(self):
        (found,) = self.breaches(VERSION, entry("result_validity", "VALID"))
        self.assertTrue(found.endswith("it has 3 passes, LoadGen's logs 2, and lat.bin 3"), found)

    def test_a_pass_that_is_invalid(self):
        (found,) = self.breaches(VERSION, entry("result_validity", "INVALID"), VERSION, entry("result_validity", "VALID"))
        self.assertTrue(found.endswith("the record says VALID, and LoadGen's log of a pass does not"), found)

    def test_a_pass_with_an_error(self):
        (found,) = self.breaches(VERSION, entry("result_validity", "VALID"), VERSION, entry("lost", "a sample", error=True), entry("result_validity", "VALID"))
        self.assertTrue(found.endswith("LoadGen's log of a pass has an error: lost: a sample"), found)

    def test_a_damaged_file(self):
        for damage in (b"", b"text", gzip.compress(b"x" * 1000)[:-9]):
            (found,) = self.breaches(damage=damage)
            self.assertRegex(found, "passes.gz: (this is no file of logs|it has)|it has 3 passes, LoadGen's logs 1")
            (self.results / "2026-01-01" / "env" / "set" / "model" / "floor-mine").rename(self.folder / f"old{len(damage)}")

    def test_an_older_record(self):
        made.write(self.results, "floor-mine", cell="offline-client", latencies=[1000])
        self.assertEqual(check.breaches(records.read_all(self.results)), [])


class Rows(InFolder):
    def test_the_rate_is_of_all_passes(self):
        made.write(self.results, "mine", cell="offline-client", latencies=[1_000_000, 3_000_000])
        (cell,) = summary.summaries(records.read_all(self.results)).values()
        self.assertEqual(cell.median, 1000 / 0.002)
