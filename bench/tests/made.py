"""made.py - records as the harness writes them, without a run."""

import json

import numpy

from hbsbench import profiles, records, stats
from test_logs import entry

ACCURATE = {"metric": "accuracy", "value": 0.9, "reference": 0.9, "rows": 10, "labels_differ": 0, "bits_differ": 0, "max_abs_error": 0.0,
            "max_rel_error": 0.0, "passed": True, "reasons": []}
KINDS = {"mine": ("ours", "floor-mine"), "theirs": ("peer", "floor-mine"), "floor-mine": ("floor", None)}


def write(results, system, repeat=1, cell="single_stream", latencies=None, mode="performance", log=(), valid=True, **changed):
    """One record with its logs; gives its folder."""
    folder = results / "2026-01-01" / "env" / "set" / "model" / system / cell / ("accuracy" if mode == "accuracy" else f"performance/run_{repeat}")
    folder.mkdir(parents=True)
    times = numpy.array([latencies or [1000] * 100, [0] * len(latencies or [1000] * 100)], "<i8")
    times.tofile(folder / "lat.bin")
    scenario = cell.partition("-")[0]
    lines = [entry("result_validity", "VALID" if valid else "INVALID"), entry("effective_min_duration_ms", 0 if scenario == "offline" else profiles.PROFILES[changed.get("profile", "standard")].min_duration_ms),
             entry("qsl_reported_total_count", 1000), entry("effective_target_qps", 500), entry("effective_samples_per_query", int((cell.partition("-")[2] if scenario == "multi_stream" else "") or 1)), *log]
    (folder / "mlperf_log_detail.txt").write_text("\n".join(lines))
    kind, floor = KINDS[system]
    record = {"schema": records.SCHEMA, "label": records.LABEL, "profile": "standard", "mode": mode, "model": "model", "model_version": "1.0.0",
              "dataset": "set", "system": system, "kind": kind, "division": "library", "floor": floor, "scenario": scenario, "cell": cell,
              "samples_per_query": int(cell.partition("-")[2]) if scenario == "multi_stream" else None,
              "sink": cell.partition("-")[2] if scenario == "offline" else None, "rows_per_sample": 1, "targets": {"target_latency_ms": 10},
              "environment": "env", "commit": "c" * 40, "date": "2026-01-01", "changed_files": False, "recipe": "r", "data": "d", "model_digest": "m", "rows": 1000, "sample_set": "s",
              "facts": {"cold_open_ns": 1, "cold_first_ns": 2}, "usage": {"peak_kib": 1024, "user_seconds": 1.0, "system_seconds": 0.5},
              "target_qps": 500.0 if scenario == "server" else None, "search": None, "valid": valid,
              "changed_settings": dict(profiles.PLAIN_SEEDS), "settings": {"effective_min_query_count": 64},
              "latency": stats.percentiles(times[0]), "inner": stats.percentiles(times[1]), "repeat": repeat}
    if mode == "accuracy":
        record["accuracy"] = ACCURATE
    record.update(changed)
    (folder / "result.json").write_text(json.dumps(record))
    return folder


def write_all(results, repeats=5, **changed):
    """Three systems, five repeats each, mine twice as fast."""
    for system in KINDS:
        if KINDS[system][0] != "floor":
            write(results, system, mode="accuracy", **changed)
        for repeat in range(1, repeats + 1):
            ns = {"mine": 5000, "theirs": 10000, "floor-mine": 1000}[system] + 10 * repeat
            write(results, system, repeat, latencies=[ns] * 100, **changed)
    (results / "2026-01-01" / "env" / "environment.json").write_text(json.dumps({"id": "env", "cpu": {"model": "a CPU"}}))
