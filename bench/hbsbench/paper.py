"""paper.py - the tables of the papers, one by one: a table is data (bench/manifests/papers/NAME.yaml), and a kind of measurement
makes it. The data says the workloads, the systems, the paper's own figures, and what is smaller here.

Each cell is a number, or the reason why there is none. Seconds are the truncated mean of five passes (of fewer, if one takes
long), as in Hummingbird's paper. A number whose answers are not those of the library that trained the model says so."""

import dataclasses
import json
import os
import pathlib
import subprocess
import sys
import textwrap

import numpy

from . import manifest, orphans, paper_adding, paper_figures, paper_harness, pythons, stats, systems
from .case import Case
from .errors import BenchError, Refused
from .paper_cases import MOST_EPSILON, expanded, made_rows, open_case
from .paper_timing import Value, differing, metric, opened, passes
from .publish import markdown, number

FOLDER = manifest.SHIPPED / "papers"
# Loaded by both processes whose memory is compared, so that a library itself does not count; those that the system requires, too.
LIBRARIES = ("sklearn", "xgboost", "lightgbm", "onnxruntime")
FIELDS = {"name", "paper", "title", "kind", "unit", "note", "systems", "workloads", "figures", "ratio", "settings", "command", "grids", "summary", "plot"}


@dataclasses.dataclass
class Size:
    """The settings that a table is measured with; those that are not the paper's are told beside it."""

    rows: int = 100_000      # to train on, and as many to score
    trees: int = 500
    depth: int = 8
    singles: int = 1_000     # rows that are scored one by one
    passes: int = 5
    seconds: float = 30.0    # after which a cell makes no further pass
    cpu: bool = False        # processor time of the process in the place of time

    def told(self, table):
        """The sizes that are smaller than in the paper."""
        if any(w["data"] == "iris" for w in table["workloads"]):
            return f"{self.rows:,} made rows"
        if "grids" in table:
            return "Data sets that scikit-learn ships, and made ones; a fifth of each is scored"
        epsilon = f" (Epsilon {min(self.rows, MOST_EPSILON):,})" if any(w["data"] == "epsilon" for w in table["workloads"]) else ""
        own = all({"trees", "steps", "network"} & set(w) for w in table["workloads"])
        return (f"Made rows of the data sets' shapes: {self.rows:,} to train on and as many to score{epsilon}"
                + (", or as many as stand there at a time" if any("score" in w for w in table["workloads"]) else "")
                + ("" if own else f"; {self.trees} trees of depth {self.depth}"))


def all_tables():
    return [read(path) for path in sorted(FOLDER.glob("*.yaml"), key=lambda path: order(path.stem))]


def order(name):
    paper, _, rest = name.partition("-")
    return paper, rest.isdigit(), int(rest) if rest.isdigit() else 0, rest


def find(name):
    path = FOLDER / f"{name}.yaml"
    if path.parent != FOLDER or not path.exists():
        raise BenchError(f'there is no table "{name}"; there are {", ".join(table["name"] for table in all_tables())}')
    return read(path)


def read(path):
    import yaml

    table = yaml.safe_load(path.read_text())
    unknown = sorted(set(table) - FIELDS)
    if unknown or table.get("name") != path.stem or table.get("kind") not in {**KINDS, **paper_harness.TABLES}:
        raise BenchError(f"{path}: unknown fields {unknown}, a name that is not the file's, or a kind that is none of {', '.join({**KINDS, **paper_harness.TABLES})}")
    return expanded(table)


# ---------------------------------------------------------------------- measurements


def batch(case, name, size, settings):
    """Seconds for all rows, or microseconds a row where the settings say so: `batch` at a time; in a database one statement that gives the
    sums."""
    system, session = opened(case, name, size)
    try:
        rows, n = case.rows, settings.get("batch", 10_000)
        unit = 1e6 / rows if settings.get("a_row") else 1
        out = numpy.zeros((rows, case.width))
        if hasattr(system, "dialect"):
            session.before_scan("client")
            session.scan("client", out)
            wrong = differing(case, out, settings)
            session.before_scan("aggregate")
            return Value(passes(size, lambda: session.scan("aggregate", out)) * unit, wrong=wrong)
        keys = [numpy.arange(first, min(first + n, rows)) for first in range(0, rows, n)]

        def one_pass():
            for part in keys:
                session.score(part, out[part[0]:part[-1] + 1])

        session.score(keys[0][:100], out)
        seconds = passes(size, one_pass)
        return Value(seconds * unit, wrong=differing(case, out, settings))
    finally:
        session.close()
        system.close()


def single(case, name, size, settings):
    """Microseconds a row, one by one."""
    system, session = opened(case, name, size)
    try:
        rows = min(case.rows, size.singles)
        out, keys = numpy.zeros((rows, case.width)), [[key] for key in range(rows)]

        def one_pass():
            for key in keys:
                session.score(key, out[key[0]:key[0] + 1])

        session.score([0], out)
        return Value(passes(size, one_pass) / rows * 1e6, wrong=differing(case, out, settings))
    finally:
        session.close()
        system.close()


def memory(case, name, size, settings):
    """MiB that a process has at its peak beyond one that has the rows and the libraries, but no model."""
    peaks = []
    for scoring in (False, True):
        spec = {"model": str(case.manifest.path), "cache": str(case.cache), "system": name, "score": scoring, "batch": settings.get("batch", 1000),
                "parent": os.getpid(), "libraries": [*LIBRARIES, *manifest.find("system", name).get("requires", [])]}
        done = subprocess.run([sys.executable, "-W", "ignore", "-m", "hbsbench.paper", json.dumps(spec)], capture_output=True, text=True,
                              env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}, timeout=900, check=False)
        if done.returncode:
            last = done.stderr.strip().splitlines()[-1:] or ["no answer"]
            raise Refused(last[0].removeprefix("hbsbench.errors.Refused: "))
        peaks.append(json.loads(done.stdout)["peak_kib"])
    return Value(max(0.0, (peaks[1] - peaks[0]) / 1024))


def memory_child(spec):
    orphans.die_with(spec["parent"])
    case = Case.open(spec["model"], pathlib.Path(spec["cache"]))
    _, system = systems.load(spec["system"], case)
    case.raw_rows()
    out = numpy.zeros((case.rows, case.width))
    for library in filter(systems.there, spec["libraries"]):
        __import__(library)
    if spec["score"]:
        system.prepare()
        system.open()
        session = system.session()
        for first in range(0, case.rows, spec["batch"]):
            session.score(numpy.arange(first, min(first + spec["batch"], case.rows)), out[first:])
    status = pathlib.Path("/proc/self/status").read_text()
    peak = next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM"))
    print(json.dumps({"peak_kib": peak}))


def conversion(case, name, size, settings):
    """Seconds from the fitted estimator to a model that scores."""
    if name == "hbscore-core":
        import hbscore
        import joblib

        estimator = joblib.load(case.estimator_path())
        written = passes(size, lambda: hbscore.export(estimator))
        loads = []
        for _ in range(size.passes):
            _, core = systems.load(name, case)
            loads.append(core.open()["load_ns"] / 1e9)
        return Value(written + stats.truncated_mean(loads))
    if name == "onnxruntime":
        import onnxruntime

        path = case.file("onnx")
        loaded = passes(size, lambda: onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"]))
        seconds = case.facts.get("onnx_seconds")
        if seconds is None:
            raise Refused("the model was made before conversions were timed: empty the cache")
        return Value(seconds + loaded)
    _, system = systems.load(name, case)
    if hasattr(system, "converted"):
        return Value(passes(size, system.converted))
    raise Refused("nothing is converted: the estimator scores")


def accuracy(case, name, size, settings):
    """The metric of the answers to all rows."""
    system, session = opened(case, name, size)
    try:
        out = numpy.zeros((case.rows, case.width))
        session.before_scan("client")
        session.scan("client", out)
        return Value(float(metric(case, out)), wrong=differing(case, out))
    finally:
        session.close()
        system.close()


def program(case, name, size, settings):
    raise Refused("another program measures it")


# Kinds of a cell; those of paper_harness make a whole table.
KINDS = {"batch": batch, "single": single, "memory": memory, "conversion": conversion, "accuracy": accuracy, "program": program}


# ---------------------------------------------------------------------- a table


def measure(table, size, cache, told=print):
    """{workload: {system: Value}}"""
    found = {}
    with pythons.Pythons() as others:
        measure_with(others, table, size, cache, told, found)
    return found


def measure_with(others, table, size, cache, told, found):
    for workload in table["workloads"]:
        told(f"{table['name']}: {workload['name']}")
        cells, case = found.setdefault(workload["name"], {}), Opened(workload, size, cache)
        settings = {**table.get("settings", {}), **workload.get("settings", {})}
        for name in table["systems"]:
            cells[name] = cell(table["kind"], case, name, size, settings, others)
            told(f"    {name:<24} {cells[name].text()}")


class Opened:
    """The case of a workload, opened when the first system needs it. What is raised then is raised for each of them."""

    def __init__(self, workload, size, cache):
        self.workload, self.size, self.cache, self.case, self.error = workload, size, cache, None, None

    def __call__(self):
        if self.error:
            raise self.error
        if self.case is None:
            try:
                self.case = open_case(self.workload, self.size, self.cache)
            except (BenchError, Refused) as error:
                self.error = error
                raise
        return self.case


def cell(kind, case, name, size, settings, others=None):
    """A cell, or the reason why it is empty: measured here, or by one of the other Pythons."""
    try:
        python = others.of(name) if others else None
        if python:
            # The rows are made here, and are the same for all.
            made_rows(case.workload, size, case.cache)
            return Value(**python.cell(kind, case.workload, name, size, settings, case.cache))
        value = KINDS[kind](case(), name, size, settings)
        return dataclasses.replace(value, by=pythons.told(manifest.find("system", name.partition("/")[0]), case().facts))
    except Exception as error:  # of whichever library: a table has a reason in each empty cell
        return Value(reason=reason_of(error))


def reason_of(error):
    text = " ".join(str(error).split()).rstrip(".")
    if not isinstance(error, (BenchError, Refused)):
        text = f"{type(error).__name__}: {textwrap.shorten(text, 200, placeholder=' ...')}"
    return text


def reasons_of(found):
    """Each reason once, with a number."""
    numbers = {}
    for cells in found.values():
        for value in cells.values():
            if value.reason:
                numbers.setdefault(value.reason, len(numbers) + 1)
    return numbers


def render(table, found, told):
    """The table as Markdown: ours, then the paper's own, then how many times as fast ours and theirs are as the base."""
    names, figures, ratio = table["systems"], table.get("figures", {}), table.get("ratio")
    columns = figures.get("columns", [])
    head = ["", *(f"{name}" for name in names), *(f"paper: {column}" for column in columns)]
    if ratio:
        head += [f"{ratio['ours']} / {ratio['base']}"] + ([f"paper: {ratio['paper'][0]} / {ratio['paper'][1]}"] if columns else [])
    numbers, rows = reasons_of(found), []
    for workload, cells in found.items():
        theirs = figures.get("rows", {}).get(workload, [None] * len(columns))
        row = [workload, *(f"- [{numbers[cells[name].reason]}]" if cells[name].reason else cells[name].text() for name in names),
               *("-" if value is None else str(value) for value in theirs)]
        if ratio:
            row.append(times(cells[ratio["base"]].value, cells[ratio["ours"]].value))
            if columns:
                known = dict(zip(columns, theirs))
                row.append(times(known.get(ratio["paper"][1]), known.get(ratio["paper"][0])))
        rows.append(row)
    notes = [f"[{place}] {reason}" for reason, place in numbers.items()]
    return "\n\n".join([f"**{table['paper']}, {table['title']}** ({table['unit']}). {told}".strip(), markdown(head, rows),
                        *([". ".join(notes) + "."] if notes else [])])


def times(base, ours):
    """How many times as fast: a ratio of two figures that are numbers."""
    if not isinstance(base, (int, float)) or not isinstance(ours, (int, float)) or not ours:
        return "-"
    return f"{number(base / ours)} x"


def listed():
    """The list of all tables, as Markdown."""
    rows = [[f"`{table['name']}`", f"{table['paper']}, {table['title']}", f"`{table['command']}`" if "command" in table else "here"]
            for table in all_tables()]
    return markdown(["TABLE", "Of the paper", "Measured by"], rows)


def run(table, size, o, environment, told=print):
    """Measures a table and writes it, with its picture; gives its text."""
    shipped = table["systems"]
    if o.systems:
        table = {**table, "systems": list(dict.fromkeys(name for name in o.systems.split(",") if name))}
        for name in table["systems"]:
            manifest.find("system", name.partition("/")[0])
    if table["workloads"]:
        table = {**table, "workloads": [w for w in table["workloads"] if o.workloads in w["name"]]}
        if not table["workloads"]:
            raise BenchError(f"{table['name']}: no workload has \"{o.workloads}\" in its name")
    size = dataclasses.replace(size, **table.get("settings", {}).get("size", {}))
    if table["kind"] in paper_harness.TABLES:
        if o.add:
            raise BenchError(f"{table['name']}: --add is for tables that have a column for each system: measure this one whole")
        text, cells, picture = paper_harness.made(table, size, o, environment, told)
        return write(table, text, {"cells": cells}, picture, o.to)
    before = paper_adding.read(table, size, environment, o.to) if o.add else None
    found = measure(table, size, o.cache, told)
    runs = [{"systems": table["systems"], "environment": paper_figures.told_environment(environment)}]
    if before:
        found, runs = paper_adding.joined(found, runs, before)
        table = {**table, "systems": paper_adding.in_order(shipped, found)}
    if table.get("ratio") and not {table["ratio"]["ours"], table["ratio"]["base"]} <= set(table["systems"]):
        table = {**table, "ratio": None}
    clock = "Processor time, for other programs ran beside; systems of several processes have none" if size.cpu else ""
    about = [size.told(table), clock, told_note(table), told_pythons(table, found), *paper_adding.told(runs)]
    shown = paper_figures.summary if "summary" in table else render
    text = shown(table, found, " ".join(f"{part.rstrip('.')}." for part in about if part))
    return write(table, text, paper_adding.written(size, environment, runs, found), paper_figures.picture(table, found), o.to)


def told_pythons(table, found):
    """The systems that have a Python of their own, with its versions."""
    names = [name for name in table["systems"] if any(cells[name].by for cells in found.values())]
    versions = dict.fromkeys(part for name in names for cells in found.values() for part in cells[name].by)
    return f"{' and '.join(names)}: by a Python with libraries of its own, which trained the models too: {', '.join(versions)}" if names else ""


def told_note(table):
    note = " ".join(table.get("note", "").split())
    return note[:1].upper() + note[1:]


def write(table, text, content, picture, folder):
    """The table's text, what it is made of, and its picture if it has one, as files; gives the text."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{table['name']}.png"
    path.unlink(missing_ok=True)
    if picture:
        path.write_bytes(picture)
    (folder / f"{table['name']}.md").write_text(text + "\n")
    (folder / f"{table['name']}.json").write_text(json.dumps({"table": table["name"], **content}, indent=1))
    return text


if __name__ == "__main__":
    memory_child(json.loads(sys.argv[1]))
