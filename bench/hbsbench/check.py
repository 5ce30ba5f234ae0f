"""check.py - which records may not be compared, or may not stand in a table: each breach is one line."""

import json
import math
import pathlib

import numpy

from . import logs, passes, rules, schedule, share, stats, walked
from .errors import BenchError
from .profiles import MULTI, OFFLINE, PROFILES, SERVER

REPEATS = 5
ENOUGH_WRITES = 0.9
SAME = {"sample_set": "the rows that are scored", "recipe": "the recipe of the model", "data": "the data set", "profile": "the profile"}


def cell_of(record):
    return record["model"], record["system"], record["cell"]


def named(key):
    return ", ".join(key)


def breaches(records, claims=False):
    """`claims`: the records are to stand in a table or a plot."""
    performance = [r for r in records if r["mode"] == "performance"]
    found = ["there is no record"] if not performance else []
    found += environments(records) + twice(performance) + no_accuracy(records, performance) + no_floor(performance)
    found += unequal(records)
    for record in performance:
        found += one(record)
    return found + (claimed(performance) if claims else [])


def environments(records):
    ids = sorted({record["environment"] for record in records})
    commits = sorted({str(record["commit"]) for record in records})
    return ([f"the records are of {len(ids)} environments: {', '.join(ids)}"] if len(ids) > 1 else []) + \
           ([f"the records are of {len(commits)} commits: {', '.join(c[:12] for c in commits)}"] if len(commits) > 1 else [])


def twice(performance):
    runs = [(*cell_of(r), f"run {r['repeat']}") for r in performance]
    return [f"{named(run)}: there are {runs.count(run)} records of it" for run in sorted(set(runs)) if runs.count(run) > 1]


def no_accuracy(records, performance):
    judged = {cell_of(r): r["accuracy"] for r in records if r["mode"] == "accuracy"}
    found = []
    for key in sorted({cell_of(r) for r in performance if r["kind"] != "floor"}):
        if key not in judged:
            found.append(f"{named(key)}: there is no accuracy record")
        elif not judged[key]["passed"] or judged[key]["reasons"]:
            found.append(f"{named(key)}: its accuracy record failed: {'; '.join(judged[key]['reasons'])}")
    return found


def no_floor(performance):
    there = {cell_of(r) for r in performance}
    return [f"{named(key)}: its floor, {floor}, was not measured" for key, floor, cell in
            sorted({(cell_of(r), r["floor"], floor_cell(r)) for r in performance if r["floor"]})
            if (key[0], floor, cell) not in there and not (cell.startswith("offline") and (key[0], floor, "offline-client") in there)]


def floor_cell(record):
    """The name of the floor's cell, which has one thread; older records have its own."""
    return record.get("floor_cell") or record["cell"]


def unequal(records):
    found = []
    for model in sorted({r["model"] for r in records}):
        for field, words in SAME.items():
            values = {r[field] for r in records if r["model"] == model}
            if len(values) > 1:
                found.append(f"{model}: {words} ({field}) is not the same in all records")
        turns = {}
        for r in records:
            if r["model"] == model:
                turns.setdefault(r["cell"], set()).add(json.dumps(r.get("alternate")))
        found += [f"{model}, {cell}: the models that take turns are not the same in all records" for cell, others in sorted(turns.items()) if len(others) > 1]
        digests = {r["model_digest"] for r in records if r["model"] == model and r["kind"] != "floor"}
        if len(digests) > 1:
            found.append(f"{model}: the systems did not score one model: {len(digests)} digests")
    return found


def one(record):
    """Compares a record with LoadGen's log and the times of its queries beside it."""
    where, profile, found = f"{named(cell_of(record))}, run {record.get('repeat')}", PROFILES[record["profile"]], []
    for seed, value in profile.seeds.items():
        if record["changed_settings"].get(seed) != value:
            found.append(f"{where}: {seed} is {record['changed_settings'].get(seed)}, and the profile {profile.name} has {value}")
    if record.get("duration_ms") is not None:
        found.append(f"{where}: it has a duration of its own, {record['duration_ms']} ms, not that of the profile {profile.name}")
    folder = pathlib.Path(record["path"])
    try:
        detail = logs.read_detail(folder)
        times = numpy.fromfile(folder / "lat.bin", "<i8").reshape(2, -1)
    except (BenchError, OSError, ValueError) as error:
        return found + [f"{where}: {error}"]
    found += [f"{where}: LoadGen's log has an error: {text}" for text in detail.errors]
    found += [f"{where}: {field} is {said!r}, and LoadGen's log has {logged!r}" for field, said, logged in by_log(record, profile, detail.values)
              if logged is None or not math.isclose(said, logged, rel_tol=1e-3)]
    if detail.valid != record["valid"] and "passes" not in record:
        found.append(f"{where}: the record says {'VALID' if record['valid'] else 'INVALID'}, and LoadGen's log does not")
    apart = rules.breaches(record["scenario"], detail.settings(), -(-record["rows"] // record["rows_per_sample"])) if record.get("rules_compliant") else []
    found += [f"{where}: it says that it complies with the rules: {reason}" for reason in apart]
    if stats.percentiles(times[0]) != record.get("latency"):
        found.append(f"{where}: the percentiles are not those of lat.bin")
    writes = record.get("writes")
    if writes and writes["per_second"] < ENOUGH_WRITES * writes["wanted_per_second"]:
        found.append(f"{where}: {writes['per_second']:.3g} rows a second were written beside it, not {writes['wanted_per_second']:g}")
    queries = times.shape[1]
    found += walked.breaches(where, record, queries) if record["scenario"] == MULTI else []
    return found + passes.breaches(where, record, detail, queries) + own_share(where, record, detail.values, times) + schedule.breaches(where, record, queries)


def own_share(where, record, values, times):
    """Records that are older than the harness's share have none."""
    try:
        found = share.read(record, values, times)
    except BenchError as error:
        return [f"{where}: {error}"]
    said = record.get("harness")
    if found is not None and not (isinstance(said, dict) and math.isclose(said.get("share", -1), found["share"], rel_tol=1e-6, abs_tol=1e-9)):
        return [f"{where}: the harness's share is not that of {share.FILE}"]
    return []


def by_log(record, profile, values):
    """(field, what it must be by the record, what the log has) of those that a number rests on."""
    offline = record["scenario"] == OFFLINE and not profile.by_rules
    found = [("min_duration_ms", 0 if offline else profile.min_duration_ms, values.get("effective_min_duration_ms")),
             ("rows", -(-record["rows"] // record["rows_per_sample"]), values.get("qsl_reported_total_count"))]
    if record["scenario"] == SERVER:
        found.append(("target_qps", record["target_qps"] or 0.0, values.get("effective_target_qps")))
    if record["scenario"] == MULTI:
        found.append(("samples_per_query", record["samples_per_query"], values.get("effective_samples_per_query")))
    return found


def claimed(performance):
    found, counts = [], {}
    for record in performance:
        if record["kind"] != "floor":
            counts.setdefault(cell_of(record), set()).add(record.get("repeat"))
        if not PROFILES[record["profile"]].claims:
            found.append(f"{named(cell_of(record))}: the profile {record['profile']} is no measurement")
    found = sorted(set(found))
    return found + [f"{named(key)}: {len(runs)} repeats, and a claim needs {REPEATS}" for key, runs in sorted(counts.items()) if len(runs) < REPEATS]
