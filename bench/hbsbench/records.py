"""records.py - the folder of results:

    DATE/ENVIRONMENT/DATASET/MODEL/SYSTEM/SCENARIO/{performance/run_k, accuracy}/    LoadGen's logs, lat.bin, result.json

SCENARIO is the scenario's name, with what was varied: multi_stream-8, offline-table. A folder is made whole elsewhere and
then moved here, so nothing in it is half-written."""

import contextlib
import errno
import fcntl
import json
import os
import pathlib
import shutil

from . import figures, parts
from .errors import BenchError
from .profiles import PROFILES, SCENARIOS

SCHEMA = "hbsbench/result/1"
LABEL = "LoadGen, unofficial"
MAKING = ".hbsbench-"
LEAST_SPACE = 4096  # bytes: a file system that has no page left is full


def place(results, date, environment, cell):
    return results / date / environment["id"] / cell.model["dataset"]["ref"] / cell.model.name / cell.system_name / cell.title


def write_environment(results, date, environment):
    folder = results / date / environment["id"]
    folder.mkdir(parents=True, exist_ok=True)
    write_whole(folder / "environment.json", json.dumps(environment, indent=1, sort_keys=True))


def write_empty(results, date, environment, empty):
    """Cells without a measurement, with their reasons; those of earlier runs of the day stay."""
    path = results / date / environment["id"] / "empty.json"
    known = empty_of(path) if path.exists() else []
    write_whole(path, json.dumps(sorted({tuple(cell) for cell in [*known, *empty]}), indent=1))


def write_whole(path, text):
    """All of it or nothing, on a full disk too."""
    making = path.with_name(f"{path.stem}.{os.getpid()}.making")
    try:
        making.write_text(text)
        making.rename(path)
    finally:
        making.unlink(missing_ok=True)


def no_space(folder):
    """The error where the disk of a folder is full: whatever failed there, this is why. None: there is space."""
    free = os.statvfs(folder)
    return OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(folder)) if free.f_bavail * free.f_frsize < LEAST_SPACE else None


def read_empty(results):
    return [cell for path in files(results, "empty.json") for cell in empty_of(path)]


def empty_of(path):
    found = read_json(path)
    if not isinstance(found, list) or not all(isinstance(cell, list) and [type(part) for part in cell] == [str] * 3 for cell in found):
        raise BenchError(f"{path}: this is no list of [model, system, reason]")
    return found


def read_json(path):
    try:
        return json.loads(path.read_text())
    except (OSError, ValueError, RecursionError):
        raise BenchError(f"{path}: this is no record") from None


# The fields of a record that the report and the checks read.
FIELDS = {"profile": str, "mode": str, "model": str, "dataset": str, "system": str, "kind": str, "division": str, "scenario": str, "cell": str,
          "date": str, "environment": str, "changed_files": bool, "recipe": str, "data": str, "rows": int, "rows_per_sample": int,
          "sample_set": str, "targets": dict, "facts": dict, "usage": dict, "valid": bool, "changed_settings": dict, "settings": dict}


def check_fields(path, record):
    if not isinstance(record, dict) or record.get("schema") != SCHEMA:
        found = record.get("schema") if isinstance(record, dict) else record
        raise BenchError(f"{path}: its schema is {found!r}, not {SCHEMA!r}"[:300])
    wrong = [name for name, kind in FIELDS.items() if not isinstance(record.get(name), kind)]
    wrong += [name for name in ("commit", "floor", "model_digest", "target_qps", "search") if name not in record]
    wrong += ["rows"] * (not wrong and record["rows"] < 1) + ["rows_per_sample"] * (not wrong and record["rows_per_sample"] < 1)
    if record.get("mode") == "performance" and not isinstance(record.get("repeat"), int):
        wrong.append("repeat")
    about = record.get("accuracy")
    if record.get("mode") == "accuracy" and not (isinstance(about, dict) and isinstance(about.get("passed"), bool) and
                                                 isinstance(about.get("reasons"), list)):
        wrong.append("accuracy")
    if not alternate_is_well_formed(record.get("alternate")):
        wrong.append("alternate")
    if record.get("statement") is not None and not figures.well_formed(record["statement"]):
        wrong.append("statement")
    if record.get("parts") is not None and not parts.well_formed(record["parts"]):
        wrong.append("parts")
    if record.get("scenario") not in SCENARIOS:
        wrong.append("scenario")
    if record.get("profile") not in PROFILES:
        wrong.append("profile")
    if wrong:
        raise BenchError(f"{path}: this is no record: {', '.join(dict.fromkeys(wrong))} is missing or is something else")


def alternate_is_well_formed(value):
    return value is None or (isinstance(value, list) and value and
                             all(isinstance(other, dict) and isinstance(other.get("model"), str) and isinstance(other.get("recipe"), str) for other in value))


def put(folder, made):
    """Moves a whole folder to its place; what was there before goes. `made` is on the same file system, so that each step is
    done or not: a folder that has been replaced is never among the results."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    old = made.with_name(made.name + ".old")
    if folder.exists():
        folder.rename(old)
    made.rename(folder)
    shutil.rmtree(old, ignore_errors=True)


@contextlib.contextmanager
def alone(results):
    """One run at a time writes results: two would disturb each other's numbers. The lock goes with its process."""
    results = pathlib.Path(results)
    results.mkdir(parents=True, exist_ok=True)
    with open(results / ".lock", "w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise BenchError(f"{results}: another run writes results there: wait for its end, or give --results") from None
        for left in results.glob(f"{MAKING}*"):
            shutil.rmtree(left, ignore_errors=True)
        yield


def files(results, pattern):
    """Those of the results, without what a run is making."""
    results = pathlib.Path(results)
    return sorted(path for path in results.rglob(pattern) if not any(part.startswith(MAKING) for part in path.relative_to(results).parts))


def write_json(path, value):
    path.write_text(json.dumps(value, indent=1, sort_keys=True))


def read_all(results):
    """Every record below a folder, with its path."""
    found = []
    for path in files(results, "result.json"):
        record = read_json(path)
        check_fields(path, record)
        found.append({**record, "path": str(path.parent)})
    return found


def read_profiles(results):
    """The levels that bench-profile left: [{"title", "levels", "overhead", "flames": {level: SVG}}]"""
    found = []
    for path in files(results, "profile/profile.json"):
        profile = read_json(path)
        try:
            profile["flames"] = {level: (path.parent / f"{level}.svg").read_text() for level in profile["levels"]}
            trace = path.parent / "trace.json"
            profile["trace"] = trace.read_text() if trace.exists() else None
        except (OSError, KeyError, TypeError, ValueError):
            raise BenchError(f"{path}: this is no profile, or a flame graph beside it is missing") from None
        found.append(profile)
    return found


def environments(results):
    return {path.parent.name: read_json(path) for path in files(results, "environment.json")}
