"""The profile rules: LoadGen's own mlperf.conf, read by LoadGen, and what LoadGen then says of its settings."""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

from hbsbench import child, logs, profiles, rules

ROWS, BLOCK = 5000, 512


def shortened(scenario, folder):
    """A run of LoadGen by the rules, but for its duration, over a system that answers at once; in a process of its own."""
    import mlperf_loadgen as lg

    cell = {"scenario": scenario, "targets": {"target_latency_ms": 10}, "samples_per_query": 8, "rows_per_sample": BLOCK if scenario == profiles.OFFLINE else 1,
            "duration_ms": 0}
    made, changed = child.settings_of(lg, cell, profiles.PROFILES["rules"], False, 1_000_000, 2000.0, by_rules=rules.settings(lg, scenario, folder), rows=ROWS)
    asked = []

    class Answers:
        def issue(self, ids, samples):
            asked.append(len(ids))
            lg.QuerySamplesComplete([lg.QuerySampleResponse(id_, 0, 0) for id_ in ids])

        def flush(self):
            pass

    child.start(lg, Answers(), -(-ROWS // cell["rows_per_sample"]), made, folder)
    return {"asked": asked, "changed": changed}


class Shortened(unittest.TestCase):
    """Only the duration is not that of the rules."""

    def run_one(self, scenario):
        with tempfile.TemporaryDirectory(prefix="hbsbench-test-") as folder:
            done = subprocess.run([sys.executable, "-W", "ignore", __file__, scenario, folder], capture_output=True, text=True, check=True)
            detail = logs.read_detail(folder)
        self.assertEqual(detail.errors, [])
        return json.loads(done.stdout.splitlines()[-1]), detail.settings()

    def test_each_scenario(self):
        for scenario in profiles.SCENARIOS:
            with self.subTest(scenario):
                told, settings = self.run_one(scenario)
                samples = -(-ROWS // BLOCK) if scenario == profiles.OFFLINE else ROWS
                self.assertEqual(rules.breaches(scenario, settings, samples), ["min_duration_ms is 0, and the rules have 600000"])
                self.assertEqual([settings[f"effective_{seed}"] for seed in profiles.RULES_SEEDS], list(profiles.RULES_SEEDS.values()))
                self.assertEqual({seed: told["changed"][seed] for seed in profiles.RULES_SEEDS}, profiles.RULES_SEEDS)
                self.assertEqual(told["changed"]["min_duration_ms"], 0)
                whole = {**settings, "effective_min_duration_ms": 600_000}
                self.assertEqual(rules.breaches(scenario, whole, samples), [])
                for name, value in self.others(scenario).items():
                    self.assertEqual(len(rules.breaches(scenario, {**whole, f"effective_{name}": value}, samples)), 1, name)
                if scenario == profiles.OFFLINE:
                    self.assertEqual(told["asked"], [samples])

    @staticmethod
    def others(scenario):
        """Runs that do not comply with the rules."""
        found = {"qsl_rng_seed": 0, "max_duration_ms": 10, "performance_sample_count": 3}
        more = {profiles.SINGLE: {"target_latency_percentile": 0.5}, profiles.MULTI: {"samples_per_query": 16, "min_query_count": 661},
                profiles.SERVER: {"target_latency_ns": 20_000_000}, profiles.OFFLINE: {"min_sample_count": 9, "performance_issue_unique": True}}
        return {**found, **more[scenario]}

    def test_samples_of_offline(self):
        self.assertEqual([rules.least_samples(samples) for samples in (32, 24_576, 100_000)], [32, 24_576, 24_576])


if __name__ == "__main__":
    print(json.dumps(shortened(sys.argv[1], pathlib.Path(sys.argv[2]))))
