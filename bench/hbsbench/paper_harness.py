"""paper_harness.py - MLHarness' Tables 1, 2, 5 and 6, Figures 5 and 6, and CMLCompiler's input and output. Each is a table of its own shape: a function gives its head, its rows, and
what it says below. The paper's own rows stand below ours."""

import collections
import pathlib
import time

import numpy

from . import case, driver, kernels, manifest, paper_figures, parts, profile, records, stats, summary, systems
from .errors import BenchError, Refused
from .paper_cases import open_case
from .paper_timing import differing, metric, opened, passes
from .profiles import MULTI, OFFLINE, SCENARIOS, SERVER, SINGLE
from .publish import markdown, number


def made(table, size, o, environment, told):
    """(text, {"head": .., "rows": ..}, picture or None)"""
    head, rows, notes = TABLES[table["kind"]](table, size, o, environment, told)
    theirs = [[f"paper: {row[0]}", *row[1:]] for row in table.get("figures", {}).get("rows", [])]
    for row in theirs:
        if len(row) != len(head):
            raise BenchError(f"{table['name']}: figures: a row of {len(row)} cells in a table of {len(head)}")
    note = " ".join(table.get("note", "").split())
    about = ". ".join(part[:1].upper() + part[1:] for part in (note, paper_figures.told_environment(environment)) if part)
    text = "\n\n".join([f"**{table['paper']}, {table['title']}** ({table['unit']}). {about}.",
                        markdown(head, [*rows, *theirs]), *([". ".join(notes) + "."] if notes else [])])
    return text, {"head": head, "rows": rows}, paper_figures.stacked(table, head, rows) if table.get("plot") == "stacked" else None


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
    found = measured(model, name, profile, SCENARIOS, pathlib.Path(o.to) / "table-2-results" / name, o, environment, told)

    def of(scenario, value):
        return number(value(found[scenario])) + ("" if found[scenario].valid else " (INVALID)") if scenario in found else "-"

    return [of(OFFLINE, lambda s: s.median), of(SINGLE, lambda s: 1e9 / numpy.concatenate([times[0] for times in s.times]).mean()), of(SINGLE, lambda s: s.median),
            of(SERVER, lambda s: s.median), of(SERVER, lambda s: s.latency["p99"] / 1000),
            str(found[MULTI].record["samples_per_query"]) if MULTI in found else "-", of(MULTI, lambda s: s.median)]


def measured(model, name, profile, scenarios_, results, o, environment, told):
    """{scenario: its summary} of one system, by the harness."""
    harness = driver.Harness(results, o.cache, profile, environment, "paper", told)
    cells = [cell for cell in harness.plan([model], [name], scenarios_) if cell.scenario != OFFLINE or cell.sink == "client"]
    if not cells:
        raise Refused("; ".join(reason for _, _, reason in harness.empty) or "no scenario of the model")
    if harness.run(cells):
        raise BenchError("a run of the harness has failed")
    return {s.scenario: s for s in summary.summaries(records.read_all(results)).values() if s.system == name}


def by_loop(model, name, settings, size, o):
    """The same session without LoadGen. A loop has no arrivals, hence no server."""
    opened_case = case.Case(model, o.cache)
    system, session = opened(opened_case, name, size)
    try:
        out, rows = numpy.zeros((opened_case.rows, opened_case.width)), opened_case.rows
        seconds = passes(size, lambda: (session.before_scan("client"), session.scan("client", out)))
        single, many = settings["queries"], 8
        one, _ = latencies(session, [[key % rows] for key in range(single)], out)
        some, _ = latencies(session, [list(range(first, first + many)) for first in range(0, max(rows - many, 1), many)][:single], out)
        return [number(rows / seconds), number(1e9 / one.mean()), number(percentile(one, 0.9) / 1000), "-", "-", str(many),
                number(percentile(some, 0.99) / 1000)]
    finally:
        session.close()
        system.close()


def latencies(session, queries, out):
    """Nanoseconds of each query, and those by the clock within the C code, after a few that warm up."""
    for keys in queries[:10]:
        session.score(keys, out)
    times, inner = numpy.zeros((2, len(queries)))
    for place, keys in enumerate(queries):
        begun = time.perf_counter_ns()
        session.score(keys, out)
        times[place] = time.perf_counter_ns() - begun
        inner[place] = session.inner
    return times, inner


def percentile(times, p):
    return float(stats.percentile(numpy.sort(times), p))


# ---------------------------------------------------------------------- Figure 5


def breakdown(table, size, o, environment, told):
    """A query of one row: what it takes within the system, and around it, by LoadGen and by a bare loop."""
    head = ["System and way", "within C, us", "around it, us", "around it, of all"]
    rows, notes, settings = [], [], table["settings"]
    model = manifest.find("model", settings["model"])
    case.check_lock(model, o.cache, told)
    for name in table["systems"]:
        told(f"{table['name']}: {name}")
        try:
            results = pathlib.Path(o.to) / "figure-5-results" / name
            found = measured(model, name, settings["profile"], [SINGLE], results, o, environment, told)[SINGLE]
            rows.append([f"{name}, harness", *parts_of(*numpy.concatenate(found.times, axis=1))])
            rows.append([f"{name}, bare loop", *parts_of(*one_by_one(case.Case(model, o.cache), name, settings["queries"], size))])
        except (BenchError, Refused) as reason:
            notes.append(f"{name}: {' '.join(str(reason).split())}")
    return head, rows, notes


def one_by_one(opened_case, name, queries, size):
    system, session = opened(opened_case, name, size)
    try:
        return latencies(session, [[key % opened_case.rows] for key in range(queries)], numpy.zeros((1, opened_case.width)))
    finally:
        session.close()
        system.close()


def parts_of(times, inner):
    whole, within = float(numpy.mean(times)), float(numpy.mean(inner))
    return [number(within / 1000), number((whole - within) / 1000), f"{1 - within / whole:.0%}"]


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
        one, _ = latencies(session, [[key] for key in range(min(this.rows, size.singles))], numpy.zeros((1, this.width)))
        return [right, f"{wrong:,}", number(this.rows / seconds), number(1e9 / one.mean()), number(percentile(one, 0.9) / 1000)]
    finally:
        session.close()
        system.close()


def metric_of(this, out):
    return f"{this.manifest['accuracy']['metric']} {metric(this, out):.4f}"


# ---------------------------------------------------------------------- Table 6, Figure 6


def layers(table, size, o, environment, told):
    """The operators of each model that take most, by its profile of level 3, or the functions, by that of level 4."""
    columns, notes, most, level = [], [], table["settings"]["most"], table["settings"]["level"]
    for workload in table["workloads"]:
        told(f"{table['name']}: {workload['name']}")
        try:
            columns.append((workload["name"], top_of(open_case(workload, size, o.cache), table["systems"][0], level)[:most]))
        except (BenchError, Refused) as reason:
            notes.append(f"{workload['name']}: {' '.join(str(reason).split())}")
    head = [part for name, _ in columns for part in (name, "ms")]
    rows = [[part for _, top in columns for part in (top[place] if place < len(top) else ("-", "-"))] for place in range(most)]
    return head, rows, notes


def top_of(opened_case, name, level):
    """[(operator and kernel, or library and function, milliseconds)], descending"""
    _, system = systems.load(name, opened_case)
    system.prepare()
    tree = system.spans(level)
    found = kernels.own_times(tree) if level == profile.KERNEL else operators(tree)
    return [(what, number(ns / 1e6)) for what, ns in found.most_common()]


def operators(tree):
    """{operator and kernel: nanoseconds}"""
    found, waiting = collections.Counter(), [tree]
    while waiting:
        node = waiting.pop()
        waiting += node["children"]
        if "kernel" in node["args"]:
            kernel = node["args"]["kernel"]
            found[f"{node['name']}{', ' + kernel if kernel else ''}"] += node["ns"]
    return found


# ---------------------------------------------------------------------- CMLCompiler: input and output against computation


def input_output(table, size, o, environment, told):
    """A row for each model on each system: what reading and conversion take of a scan, and the operators."""
    head, rows, notes = ["Model and system", "input and output, ms", "computation, ms", "input and output, of all"], [], []
    for workload in table["workloads"]:
        opened_case = open_case(workload, size, o.cache)
        for name in table["systems"]:
            told(f"{table['name']}: {workload['name']}, {name}")
            try:
                _, system = systems.load(name, opened_case)
                system.prepare()
                found = profile.parts_of(system.profiled())
            except Refused as reason:
                notes.append(f"{workload['name']}, {name}: {reason}")
                continue
            outside = sum(ns for part, ns in found.items() if part != parts.RUN)
            rows.append([f"{workload['name']}, {name}", number(outside / 1e6), number(found[parts.RUN] / 1e6), f"{outside / sum(found.values()):.0%}"])
    return head, rows, list(dict.fromkeys(notes))


TABLES = {"systems": all_systems, "scenarios": scenarios, "breakdown": breakdown, "formats": formats, "layers": layers, "input_output": input_output}
