"""profile.py - where the time of a scan goes, level by level, as XSP does it: each level is a run of its own, and the times of
a level come from the run in which it is the deepest one. The overhead of each level against the plain scan is printed.

    0 off        the scan by itself
    1 sql        the statement: in PostgreSQL EXPLAIN (ANALYZE, BUFFERS), in SQLite the time of a step
    2 model      fetching rows, and scoring them
    3 operator   the model's operators: calls, rows, bytes, kernel
    4 kernel     functions below their callers, sampled by perf

A system gives a tree of spans for a level: {"name", "ns", "args", "children"}. It becomes a file of Chrome's trace format, and
a flame graph."""

import html
import json
import statistics
import time

import numpy

from . import kernels, traced
from .errors import BenchError, Refused

LEVELS = {0: "off", 1: "sql", 2: "model", 3: "operator", 4: "kernel"}
KERNEL = 4


def span(name, ns, args=None, children=()):
    return {"name": name, "ns": int(ns), "args": args or {}, "children": list(children)}


def plain(session, out, repeats=5):
    """Level 0: the median of some scans."""
    times = []
    for _ in range(repeats):
        session.before_scan("aggregate")
        begun = time.perf_counter_ns()
        session.scan("aggregate", out)
        times.append(time.perf_counter_ns() - begun)
    return span("scan", statistics.median(times))


def measure(system, levels, told=print):
    """{level: tree}. Refused by a system that has no levels. Where perf is missing, or may not sample, level 4 is left out."""
    if not hasattr(system, "spans"):
        raise Refused("the system has no levels: its inside is not ours")
    for level in levels:
        if level not in LEVELS:
            raise BenchError(f"there is no level {level}; there are 0 to {max(LEVELS)}")
    system.open()
    session = system.session()
    try:
        out = numpy.zeros((system.case.rows, system.case.width))
        session.before_scan("aggregate")
        session.scan("aggregate", out)  # warm
        found = {0: plain(session, out)}
    finally:
        session.close()
    for level in levels:
        try:
            found[level] = system.spans(level) if level else found[0]
            if why := without_callers(found[level]):
                told(f"level {level} has no callers of functions: {why}")
        except Refused as reason:
            if level != KERNEL:
                raise
            told(f"level {level} is left out: {reason}")
    return found


def kernel_spans(system):
    """Level 4 of a system in a database: the process of its connection is sampled."""
    session = system.session()
    try:
        out = numpy.zeros((system.case.rows, system.case.width))
        session.before_scan("aggregate")
        session.scan("aggregate", out)
        return kernels.tree(*kernels.sampled(session.process(), lambda: session.scan("aggregate", out)), span)
    finally:
        session.close()


def without_callers(tree):
    """Why level 4 has no callers of functions; None: it has, or the level is another one."""
    return tree["args"].get(kernels.NO_CALLERS)


def overhead(trees):
    return {level: tree["ns"] / max(trees[0]["ns"], 1) - 1 for level, tree in trees.items() if level}


# ---------------------------------------------------------------------- traces


def events(tree, thread=1, process=1, begin=0):
    """Complete events ("X"), each within its parent; children stand one behind the other. Times in microseconds."""
    found = [{"name": tree["name"], "ph": "X", "ts": round(begin / 1000, 3), "dur": round(tree["ns"] / 1000, 3), "pid": process,
              "tid": thread, "args": tree["args"]}]
    at, end = begin, begin + tree["ns"]
    for child in tree["children"]:
        # Clocks of two levels may differ by some nanoseconds: a child never ends behind its parent.
        ns = min(child["ns"], end - at)
        found += events({**child, "ns": ns}, thread, process, at)
        at += ns
    return found


def trace(title, trees, runs=()):
    """The object form of Chrome's trace format: a thread for each level, and the traced runs of LoadGen (traced.py), in whose scans the
    operators stand."""
    found = [{"name": "process_name", "ph": "M", "pid": 1, "tid": 0, "args": {"name": title}}]
    for level, tree in sorted(trees.items()):
        found.append({"name": "thread_name", "ph": "M", "pid": 1, "tid": level + 1, "args": {"name": f"level {level}: {LEVELS[level]}"}})
        found += events(tree, thread=level + 1)
    deepest = next((trees[level] for level in (3, 2) if level in trees), None)
    found = traced.merged(runs, found, deepest, events)
    return {"traceEvents": found, "displayTimeUnit": "ns", "otherData": {"label": title, "ts": [run.origin / 1000 for run in runs]}}


def folded(tree, above=()):
    """Stacks with the nanoseconds that are their own: "scan;predict;forest 123"."""
    names = (*above, tree["name"])
    own = max(0, tree["ns"] - sum(child["ns"] for child in tree["children"]))
    found = [(";".join(names), own)] if own or not tree["children"] else []
    for child in tree["children"]:
        found += folded(child, names)
    return found


def depth(tree):
    return 1 + max(map(depth, tree["children"]), default=0)


def flame(tree, title, width=1000, line=20):
    """A flame graph as SVG: widths are times, the root at the bottom."""
    levels = depth(tree)
    height = (levels + 2) * line
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif" font-size="11">',
             f'<text x="4" y="14">{html.escape(title)}</text>']

    def draw(node, x, scale, up):
        wide = node["ns"] * scale
        y = height - (up + 1) * line
        words = f'{node["name"]}: {node["ns"] / 1e6:.3f} ms'
        colour = f"hsl({sum(map(ord, node['name'])) * 37 % 60}, 80%, {70 - 5 * (up % 3)}%)"
        parts.append(f'<g><title>{html.escape(words)}</title><rect x="{x:.2f}" y="{y}" width="{max(wide, 0.5):.2f}" height="{line - 1}" fill="{colour}"/>')
        if wide > 60:
            parts.append(f'<text x="{x + 3:.2f}" y="{y + 14}">{html.escape(node["name"][:int(wide / 7)])}</text>')
        parts.append("</g>")
        at = x
        for child in node["children"]:
            draw(child, at, scale, up + 1)
            at += child["ns"] * scale

    draw(tree, 0, width / max(tree["ns"], 1), 0)
    return "\n".join([*parts, "</svg>"]) + "\n"


def write(folder, title, trees, runs=()):
    """trace.json, LEVEL.folded, LEVEL.svg and profile.json in a folder that is there."""
    (folder / "trace.json").write_text(json.dumps(trace(title, trees, runs)))
    for level, tree in trees.items():
        (folder / f"{LEVELS[level]}.folded").write_text("".join(f"{stack} {ns}\n" for stack, ns in folded(tree)))
        (folder / f"{LEVELS[level]}.svg").write_text(flame(tree, f"{title}, level {level}: {LEVELS[level]}"))
    (folder / "profile.json").write_text(json.dumps({"title": title, "levels": {LEVELS[l]: tree for l, tree in trees.items()},
                                                     "overhead": {LEVELS[l]: share for l, share in overhead(trees).items()}}, indent=1))


# ---------------------------------------------------------------------- what hbscore says


def scoring_function(manifest):
    """The function whose operators are measured."""
    return "transform" if manifest["predict"][0]["function"] == "transform" else "predict_proba" if any(item["function"] == "predict_probability" for item in manifest["predict"]) else "predict"


def operator_spans(rows, level):
    """The rows of hbscore_profile as a tree. Level 2 has the query and the model, level 3 the operators too."""
    lines = [dict(zip(("operator", "source", "kernel", "calls", "rows", "ns", "bytes"), row)) for row in rows]
    total = next(line["ns"] for line in lines if line["operator"] == "all")
    fetch = next(line["ns"] for line in lines if line["operator"] == "fetch")
    operators = [span(f"{line['operator']}{' (' + line['source'] + ')' if line['source'] else ''}", line["ns"],
                      {name: line[name] for name in ("kernel", "calls", "rows", "bytes")})
                 for line in lines if line["operator"] not in ("all", "fetch") and line["calls"]]
    model = span("predict", max(total - fetch, sum(o["ns"] for o in operators)), {}, operators if level >= 3 else [])
    return span("scan", max(total, fetch + model["ns"]), {}, [span("fetch", fetch), model])


def parts_of(rows):
    """The rows of hbscore_profile as the parts of a scan (parts.py)."""
    found = dict.fromkeys(("scan", "featurise", "run", "post"), 0)
    for operator, *_, ns, _ in rows:
        if operator != "all":
            found[{"fetch": "scan", "encode": "featurise", "store": "post"}.get(operator, "run")] += int(ns)
    return found


def explain_spans(plan):
    """The tree of EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON): of each node the buffers that were hit and read, too."""

    def node(n):
        ns = n.get("Actual Total Time", 0.0) * n.get("Actual Loops", 1) * 1e6
        args = {name: n[name] for name in n if name not in ("Plans", "Output") and isinstance(n[name], (int, float, str))}
        return span(n.get("Custom Plan Provider") or n["Node Type"], ns, args, [node(child) for child in n.get("Plans", [])])

    top = plan[0]
    return span("statement", top["Execution Time"] * 1e6, {"planning_ms": top.get("Planning Time")}, [node(top["Plan"])])
