"""records.py - the folder of results:

    DATE/ENVIRONMENT/DATASET/MODEL/SYSTEM/SCENARIO/{performance/run_k, accuracy}/    LoadGen's logs, lat.bin, result.json

SCENARIO is the scenario's name, with what was varied: multi_stream-8, offline-table. A folder is made whole elsewhere and
then moved here, so nothing in it is half-written."""

import json
import os
import pathlib
import shutil

from .errors import BenchError

SCHEMA = "hbsbench/result/1"
LABEL = "LoadGen, unofficial"


def place(results, date, environment, cell):
    return results / date / environment["id"] / cell.model["dataset"]["ref"] / cell.model.name / cell.system_name / cell.title


def write_environment(results, date, environment):
    folder = results / date / environment["id"]
    folder.mkdir(parents=True, exist_ok=True)
    making = folder / f"environment.{os.getpid()}.making"
    making.write_text(json.dumps(environment, indent=1, sort_keys=True))
    making.rename(folder / "environment.json")


def write_empty(results, date, environment, empty):
    """Cells without a measurement, with their reasons; those of earlier runs of the day stay."""
    path = results / date / environment["id"] / "empty.json"
    known = json.loads(path.read_text()) if path.exists() else []
    making = path.with_name(f"empty.{os.getpid()}.making")
    making.write_text(json.dumps(sorted({tuple(cell) for cell in [*known, *empty]}), indent=1))
    making.rename(path)


def read_empty(results):
    return [cell for path in sorted(pathlib.Path(results).rglob("empty.json")) for cell in json.loads(path.read_text())]


def put(folder, made):
    """Moves a whole folder to its place; what was there before goes."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    old = folder.with_name(folder.name + ".old")
    shutil.rmtree(old, ignore_errors=True)
    if folder.exists():
        folder.rename(old)
    shutil.move(made, folder)
    shutil.rmtree(old, ignore_errors=True)


def write_json(path, value):
    path.write_text(json.dumps(value, indent=1, sort_keys=True))


def read_all(results):
    """Every record below a folder, with its path."""
    found = []
    for path in sorted(pathlib.Path(results).rglob("result.json")):
        try:
            record = json.loads(path.read_text())
        except (OSError, ValueError):
            raise BenchError(f"{path}: this is no record") from None
        if record.get("schema") != SCHEMA:
            raise BenchError(f'{path}: its schema is {record.get("schema")!r}, not {SCHEMA!r}')
        found.append({**record, "path": str(path.parent)})
    return found


def read_profiles(results):
    """The levels that bench-profile left: [{"title", "levels", "overhead", "flames": {level: SVG}}]"""
    found = []
    for path in sorted(pathlib.Path(results).rglob("profile/profile.json")):
        profile = json.loads(path.read_text())
        profile["flames"] = {level: (path.parent / f"{level}.svg").read_text() for level in profile["levels"]}
        found.append(profile)
    return found


def environments(results):
    return {path.parent.name: json.loads(path.read_text()) for path in sorted(pathlib.Path(results).rglob("environment.json"))}
