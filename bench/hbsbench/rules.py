"""rules.py - a run by the rules of MLCommons: LoadGen takes its settings from its own mlperf.conf.

FromConfig reads the file that is built into LoadGen on its first call in a process, and on no later one: then seeds stay 0. So a
process calls it once, and keeps what it made. A file of the user's cannot set seeds, and here it is empty."""

from .profiles import MULTI, OFFLINE, PROFILES, RULES_SEEDS, SERVER, SINGLE

SCENARIOS = {SINGLE: "SingleStream", MULTI: "MultiStream", SERVER: "Server", OFFLINE: "Offline"}
# No model of mlperf.conf has this name, so what it says of all models counts.
MODEL = "hbsbench"
LEAST_SAMPLES = 24_576  # of offline, or all samples of a smaller set
PERCENTILES = {SINGLE: 0.90, MULTI: 0.99, SERVER: 0.99}
TARGET_NS, SAMPLES_PER_QUERY, LEAST_QUERIES = 10_000_000, 8, 662


def settings(lg, scenario, folder):
    """TestSettings as the rules have them."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "user.conf"
    path.write_text("")
    made = lg.TestSettings()
    if made.FromConfig(str(path), MODEL, SCENARIOS[scenario]):
        raise RuntimeError("LoadGen cannot read its own mlperf.conf")
    return made


def least_samples(samples):
    return min(LEAST_SAMPLES, samples)


def changed(lg, made):
    """The settings that differ from the library's defaults."""
    plain = lg.TestSettings()
    names = [name for name in dir(made) if isinstance(getattr(made, name), (bool, int, float)) and not name.startswith("_")]
    return {name: getattr(made, name) for name in names if getattr(made, name) != getattr(plain, name, None)}


def breaches(scenario, effective, samples):
    """The reasons why a run does not comply with the rules, by the settings that LoadGen itself logged ("effective_..."). The data and the hardware are
    not ours to judge."""
    wanted = {"min_duration_ms": PROFILES["rules"].min_duration_ms, "max_duration_ms": 0, "max_query_count": 0, **RULES_SEEDS,
              "performance_issue_unique": False, "performance_issue_same": False, "performance_sample_count": samples}
    least = {}
    if scenario in PERCENTILES:
        wanted["target_latency_percentile"] = PERCENTILES[scenario]
    if scenario == MULTI:
        wanted["samples_per_query"], least["min_query_count"] = SAMPLES_PER_QUERY, LEAST_QUERIES
    elif scenario == SERVER:
        wanted["target_latency_ns"] = TARGET_NS
    elif scenario == OFFLINE:
        least["min_sample_count"] = least_samples(samples)
    have = {name.removeprefix("effective_"): value for name, value in effective.items()}
    return [f"{name} is {have.get(name)}, and the rules have {value}" for name, value in wanted.items() if have.get(name) != value] + \
           [f"{name} is {have.get(name)}, and the rules have at least {value}" for name, value in least.items()
            if not isinstance(have.get(name), (int, float)) or have[name] < value]
