"""paper_harness.py - MLHarness' Tables 1, 2, 5 and 6. Each is a table of its own shape: a function gives its head, its rows, and
what it says below. The paper's own rows stand below ours."""

import pathlib
import time

import numpy

from . import case, driver, manifest, records, stats, summary, systems
from .errors import BenchError, Refused
from .paper_cases import open_case
from .paper_figures import told_environment
from .paper_timing import differing, opened, passes
from .profiles import MULTI, OFFLINE, SCENARIOS, SERVER, SINGLE
from .publish import markdown, number


def made(table, size, o, environment, told):
    """(text, {"head": .., "rows": ..})"""
    head, rows, notes = TABLES[table["kind"]](table, size, o, environment, told)
    theirs = [[f"paper: {row[0]}", *row[1:]] for row in table.get("figures", {}).get("rows", [])]
    for row in theirs:
        if len(row) != len(head):
            raise BenchError(f"{table['name']}: figures: a row of {len(row)} cells in a table of {len(head)}")
    note = " ".join(table.get("note", "").split())
    about = ". ".join(part[:1].upper() + part[1:] for part in (note, told_environment(environment)) if part)
    text = "\n\n".join([f"**{table['paper']}, {table['title']}** ({table['unit']}). {about}.",
                        markdown(head, [*rows, *theirs]), *([". ".join(notes) + "."] if notes else [])])
    return text, {"head": head, "rows": rows}


# ---------------------------------------------------------------------- Table 1


def all_systems(table, size, o, environment, told):
    """The systems that the harness ships, with the libraries that are installed."""
    libraries = environment.get("libraries", {})
    rows = [[f"`{found.name}`", found["division"], found["description"], environment["cpu"]["model"], "None"] for found in manifest.shipped("system")]
    versions = ", ".join(f"{name} {version}" for name, version in sorted(libraries.items()))
    return ["System", "Framework", "What it does", "Processor", "Accelerator"], rows, [versions] if versions else []


# ---------------------------------------------------------------------- Table 2


def scenarios(table, size, o, environment, told):
    """Each system by LoadGen, and by a bare loop over the same session."""
    head = ["System and way", "Offline, rows/s", "Single-stream, rows/s", "90th percentile, us", "Server, queries/s", "99th percentile, us",
            "Multi-stream, rows a query", "99th percentile, us "]
    rows, notes = [], []
    model = manifest.find("model", table["settings"]["model"])
    case.check_lock(model, o.cache, told)
    for name in table["systems"]:
        try:
            rows.append([f"{name}, harness", *by_harness(model, name, table["settings"]["profile"], o, environment, told)])
            rows.append([f"{name}, bare loop", *by_loop(model, name, table["settings"], size, o)])
        except (BenchError, Refused) as reason:
            notes.append(f"{name}: {' '.join(str(reason).split())}")
        told(f"{table['name']}: {name}")
    return head, rows, notes


def by_harness(model, name, profile, o, environment, told):
    """LoadGen's own numbers of the four scenarios: offline with the client as its sink."""
    results = pathlib.Path(o.to) / "table-2-results" / name
    harness = driver.Harness(results, o.cache, profile, environment, "paper", told)
    cells = [cell for cell in harness.plan([model], [name], SCENARIOS) if cell.scenario != OFFLINE or cell.sink == "client"]
    if not cells:
        raise Refused("; ".join(reason for _, _, reason in harness.empty) or "no scenario of the model")
    if harness.run(cells):
        raise BenchError("a run of the harness has failed")
    found = {s.scenario: s for s in summary.summaries(records.read_all(results)).values() if s.system == name}

    def of(scenario, value):
        return number(value(found[scenario])) + ("" if found[scenario].valid else " (INVALID)") if scenario in found else "-"

    return [of(OFFLINE, lambda s: s.median), of(SINGLE, lambda s: 1e9 / numpy.concatenate([times[0] for times in s.times]).mean()), of(SINGLE, lambda s: s.median),
            of(SERVER, lambda s: s.median), of(SERVER, lambda s: s.latency["p99"] / 1000),
            str(found[MULTI].record["samples_per_query"]) if MULTI in found else "-", of(MULTI, lambda s: s.median)]


def by_loop(model, name, settings, size, o):
    """The same session without LoadGen. A loop has no arrivals, hence no server."""
    opened_case = case.Case(model, o.cache)
    system, session = opened(opened_case, name, size)
    try:
        out, rows = numpy.zeros((opened_case.rows, opened_case.width)), opened_case.rows
        seconds = passes(size, lambda: (session.before_scan("client"), session.scan("client", out)))
        single, many = settings["queries"], 8
        one = latencies(session, [[key % rows] for key in range(single)], out)
        some = latencies(session, [list(range(first, first + many)) for first in range(0, max(rows - many, 1), many)][:single], out)
        return [number(rows / seconds), number(1e9 / one.mean()), number(percentile(one, 0.9) / 1000), "-", "-", str(many),
                number(percentile(some, 0.99) / 1000)]
    finally:
        session.close()
        system.close()


def latencies(session, queries, out):
    """Nanoseconds of each query, after a few that warm up."""
    for keys in queries[:10]:
        session.score(keys, out)
    times = numpy.zeros(len(queries))
    for place, keys in enumerate(queries):
        begun = time.perf_counter_ns()
        session.score(keys, out)
        times[place] = time.perf_counter_ns() - begun
    return times


def percentile(times, p):
    return float(stats.percentile(numpy.sort(times), p))


# ---------------------------------------------------------------------- Table 5


class OtherFile(case.Case):
    """A case whose model hbscore reads from another file."""

    def use(self, path, options):
        self.other, self.other_options = path, options
        return self

    def file(self, format_):
        return self.other if format_ == "hbscore" else super().file(format_)

    def options(self):
        return self.other_options


def file_of(opened_case, format_):
    """The model's file in the format; XGBoost writes its UBJSON here."""
    if format_ != "xgboost-ubjson":
        return opened_case.file("xgboost" if format_ == "xgboost-json" else format_)
    import xgboost

    source, path = opened_case.file("xgboost"), opened_case.folder / "other.ubj"
    if not path.exists():
        booster = xgboost.Booster()
        booster.load_model(bytearray(source.read_bytes()))
        making = opened_case.folder / "making.ubj"
        booster.save_model(making)
        making.rename(path)
    return path


def formats(table, size, o, environment, told):
    """One model from several files."""
    head = ["Model, file", "Accuracy", "Rows that differ", "Offline, rows/s", "Single-stream, rows/s", "90th percentile, us"]
    rows, notes = [], []
    for workload in table["workloads"]:
        for format_ in workload["formats"]:
            name = f"{workload['name']}, {format_}"
            told(f"{table['name']}: {name}")
            try:
                rows.append([name, *by_file(open_case(workload, size, o.cache), format_, size)])
            except (BenchError, Refused) as reason:
                notes.append(f"{name}: {' '.join(str(reason).split())}")
    return head, rows, notes


def by_file(plain, format_, size):
    # Classes stand in an ONNX file; other files have them as options.
    options = "" if format_ == "onnx" else plain.options()
    this = OtherFile(plain.manifest, plain.cache).use(file_of(plain, format_), options)
    system, session = opened(this, "hbscore-core", size)
    try:
        out = numpy.zeros((this.rows, this.width))
        seconds = passes(size, lambda: session.scan("client", out))
        wrong, right = differing(this, out), metric_of(this, out)
        one = latencies(session, [[key] for key in range(min(this.rows, size.singles))], numpy.zeros((1, this.width)))
        return [right, f"{wrong:,}", number(this.rows / seconds), number(1e9 / one.mean()), number(percentile(one, 0.9) / 1000)]
    finally:
        session.close()
        system.close()


def metric_of(this, out):
    from . import accuracy

    name = this.manifest["accuracy"]["metric"]
    return f"{name} {accuracy.metric_of(name, this.data.target[:this.rows], out[:, accuracy.scored_column(this.manifest)]):.4f}"


# ---------------------------------------------------------------------- Table 6


def layers(table, size, o, environment, told):
    """The operators of each model that take most, by its profile of level 3."""
    columns, notes, most = [], [], table["settings"]["most"]
    for workload in table["workloads"]:
        told(f"{table['name']}: {workload['name']}")
        try:
            columns.append((workload["name"], top_of(open_case(workload, size, o.cache), table["systems"][0], most)))
        except (BenchError, Refused) as reason:
            notes.append(f"{workload['name']}: {' '.join(str(reason).split())}")
    head = [part for name, _ in columns for part in (name, "ms")]
    rows = [[part for _, top in columns for part in (top[place] if place < len(top) else ("-", "-"))] for place in range(most)]
    return head, rows, notes


def top_of(opened_case, name, most):
    """[(operator and kernel, milliseconds)]"""
    _, system = systems.load(name, opened_case)
    system.prepare()
    found, waiting = [], [system.spans(3)]
    while waiting:
        node = waiting.pop()
        waiting += node["children"]
        if "kernel" in node["args"]:
            kernel = node["args"]["kernel"]
            found.append((node["ns"], f"{node['name']}{', ' + kernel if kernel else ''}"))
    return [(what, number(ns / 1e6)) for ns, what in sorted(found, reverse=True)[:most]]


TABLES = {"systems": all_systems, "scenarios": scenarios, "formats": formats, "layers": layers}
