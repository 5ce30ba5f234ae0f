"""paper_adding.py - systems that are added to a table of which the others were measured before: by the same machine, with the same
settings and over the same workloads. The table says who came later, and with which commit."""

import dataclasses
import json

from .errors import BenchError
from .paper_timing import Value

MACHINE = ("cpu", "kernel", "python", "sqlite", "postgres", "governor", "instruction_set")


def written(size, environment, runs, found):
    """The content of a table's JSON file."""
    cells = {workload: {name: dataclasses.asdict(value) for name, value in row.items()} for workload, row in found.items()}
    return {"size": dataclasses.asdict(size), "machine": machine(environment), "libraries": environment["libraries"], "runs": runs, "cells": cells}


def machine(environment):
    return {part: environment.get(part) for part in MACHINE}


def read(table, size, environment, folder):
    """The cells and the runs of the last measurement; refused where it cannot stand beside what is measured now."""
    path = folder / f"{table['name']}.json"
    try:
        before = json.loads(path.read_text())
        found = {workload: {name: Value(**value) for name, value in row.items()} for workload, row in before["cells"].items()}
        # Libraries that came later, with the systems that are added, do not count.
        libraries = {name: environment["libraries"].get(name) for name in before["libraries"]}
        unlike = [what for what, was, now in (("settings", before["size"], dataclasses.asdict(size)), ("machine", before["machine"], machine(environment)),
                                              ("libraries", before["libraries"], libraries),
                                              ("workloads", list(found), [workload["name"] for workload in table["workloads"]])) if was != now]
        runs = list(before["runs"])
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        raise BenchError(f"{path}: there is no measurement that systems can be added to: measure the table whole") from None
    if unlike:
        raise BenchError(f"{path}: systems cannot be added: it was measured with other {' and '.join(unlike)}")
    return found, runs


def joined(found, runs, before):
    """(cells, runs) of both; what is measured now replaces what was there."""
    cells, earlier = before
    again = {name for run in runs for name in run["systems"]}
    kept = [{**run, "systems": [name for name in run["systems"] if name not in again]} for run in earlier]
    return {workload: {**cells[workload], **row} for workload, row in found.items()}, [*(run for run in kept if run["systems"]), *runs]


def in_order(shipped, found):
    """The systems of the cells: in the table's order, others last."""
    names = list(next(iter(found.values())))
    return sorted(names, key=lambda name: shipped.index(name) if name in shipped else len(shipped))


def told(runs):
    """The machine and the commit of each run; the systems of all but the first."""
    first, *later = runs
    return [first["environment"], *(f"{', '.join(run['systems'])}: measured later, on {run['environment']}" for run in later)]
