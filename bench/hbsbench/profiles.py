"""profiles.py - how long a run lasts and what its numbers may be used for.

A run is made shorter by its minima alone (duration, queries): never by a maximum, another percentile or no warm-up. The
least counts of queries are those that LoadGen's early stopping asks for."""

import dataclasses

SINGLE, MULTI, SERVER, OFFLINE = "single_stream", "multi_stream", "server", "offline"
SCENARIOS = (SINGLE, MULTI, SERVER, OFFLINE)

# mlperf.conf of LoadGen 6.0.
RULES_SEEDS = {"qsl_rng_seed": 2085463073848966840, "sample_index_rng_seed": 2747215439041700203,
               "schedule_rng_seed": 16159082839903944936}
PLAIN_SEEDS = dict.fromkeys(RULES_SEEDS, 0)
LEAST_PASSES = 5  # of offline, over all repeats
# Milliseconds: the generator shares the processors with what it measures, and takes a part of a shorter target.
TRUSTED_TARGET = 5


@dataclasses.dataclass(frozen=True)
class Profile:
    name: str
    min_duration_ms: int
    queries: dict
    repeats: int
    pilot_seconds: float
    use: str
    most_rows: int = None     # of the evaluation set that are loaded
    claims: bool = True       # its numbers may stand in tables and plots
    seeds: dict = dataclasses.field(default_factory=lambda: PLAIN_SEEDS)
    by_rules: bool = False    # its settings are those of mlperf.conf: rules.py
    search_seconds: float = 1.0  # of a step of the search for the highest rate of queries

    @property
    def least_passes(self):
        """The least number of passes of offline in a repeat."""
        return -(-LEAST_PASSES // self.repeats)

    def pass_seconds(self, duration_ms=None):
        """How long the passes of a repeat take: those of all repeats fill the duration, which is the profile's if no other one is asked for."""
        return (self.min_duration_ms if duration_ms is None else duration_ms) / 1000 / self.repeats


def _queries(single, multi, server):
    return {SINGLE: single, MULTI: multi, SERVER: server, OFFLINE: 1}


LEAST_QUERIES = _queries(64, 662, 459)

PROFILES = {profile.name: profile for profile in (
    Profile("smoke", 0, LEAST_QUERIES, 1, 0.02, "shows that everything works; never in a table or a plot",
            most_rows=2000, claims=False, search_seconds=0),
    Profile("standard", 10_000, _queries(100, 662, 459), 5, 0.5, "comparison from day to day"),
    Profile("extended", 60_000, _queries(24_576, 270_336, 270_336), 5, 1.0, "the tables of a release"),
    Profile("rules", 600_000, _queries(100, 662, 100), 1, 1.0, "a few headline cells, by the rules of MLCommons", seeds=RULES_SEEDS,
            by_rules=True),
)}
