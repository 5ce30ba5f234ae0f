"""traced.py - a short run of LoadGen with its own trace, merged with the harness's clocks and with the levels of a profile into one
file of Chrome's trace format. LoadGen's trace is off in every other run: it writes hundreds of megabytes in two seconds.

LoadGen's times are microseconds from an origin by the system's clock (`otherData.ts`); the harness's are those of a clock that begins
when the machine does. The run notes both clocks at one moment, which tells the difference. An event's parent is the one of its thread
that contains it; where two clocks disagree by a part of a microsecond, the child ends with its parent.

    process LEVELS        a thread for each level of the profile
    process of a run      LoadGen's threads with the harness's queries within them; of server the queries that overlap, and how many"""

import decimal
import json
import re
import time

from . import records
from .errors import BenchError
from .profiles import OFFLINE, SERVER, SINGLE

MODE, FILE, TRACE = "traced", "queries.json", "mlperf_log_trace.json"
QUERIES, RATE = 200, 2000.0
SCENARIOS = (SINGLE, SERVER, OFFLINE)
MOST_EVENTS = 100_000
LANES = 1 << 30  # threads of a trace that stand for connections: above those of the system


# ---------------------------------------------------------------------- in the process of the run


def settings(scenario):
    """The settings of the short run."""
    return {"min_duration_ms": 0, **({} if scenario == OFFLINE else {"min_query_count": QUERIES})}


def both_clocks(tries=20):
    """(nanoseconds of the system's clock, of the harness's) at one moment: the closest of some pairs."""
    pairs = []
    for _ in range(tries):
        before, system, after = time.perf_counter_ns(), time.time_ns(), time.perf_counter_ns()
        pairs.append((after - before, system, (before + after) // 2))
    return min(pairs)[1:]


def note(folder, user):
    """The times of all queries by the harness's clock: begin, end, within the system, within C; and when they arrived, where they wait."""
    system, own = both_clocks()
    queries = [(answered - within, answered - within + ns, within, inner) for ns, inner, within, answered in user.times.queries]
    (folder / FILE).write_text(json.dumps({"system_clock": system, "own_clock": own, "queries": queries, "arrivals": getattr(user, "arrivals", [])}))


# ---------------------------------------------------------------------- reading


def loadgen(text, name=TRACE):
    """(events, nanoseconds of the origin) of LoadGen's file, which writes texts within two pairs of quotation marks, and ends with an event
    that is none."""
    try:
        found = json.loads(re.sub(r'""([^"\n]*)""', r'"\1"', text))
        events = [event for event in found["traceEvents"] if "ph" in event]
        # A float has not all of its digits.
        origin = re.search(r'"ts"\s*:\s*([0-9.]+)\s*,\s*"version"', text).group(1)
        return events, int(decimal.Decimal(origin) * 1000)
    except (ValueError, KeyError, TypeError, AttributeError):
        raise BenchError(f"{name}: this is no trace of LoadGen") from None


class Run:
    """A traced run: LoadGen's events, and the harness's queries by LoadGen's clock, in microseconds."""

    def __init__(self, scenario, trace, noted):
        self.scenario = scenario
        self.events, self.origin = loadgen(trace)
        shift = noted["system_clock"] - noted["own_clock"] - self.origin
        self.queries = [(begin + shift, end + shift, system, inner) for begin, end, system, inner in sorted(noted["queries"])]
        self.arrivals = [arrival + shift for arrival in noted["arrivals"]]

    def thread(self):
        """LoadGen's thread that issues queries."""
        return next((event["tid"] for event in self.events if event.get("name") in ("IssueQuery", "SampleLoop", "GenerateQueries")), 1)


def read(scenario, folder):
    return Run(scenario, (folder / TRACE).read_text(), records.read_json(folder / FILE))


# ---------------------------------------------------------------------- events


def complete(name, begin, end, process, thread, args=None):
    """An X event from nanoseconds."""
    return {"name": name, "ph": "X", "ts": round(begin / 1000, 3), "dur": round(max(0, end - begin) / 1000, 3), "pid": process, "tid": thread, "args": args or {}}


def named(kind, name, process, thread=0):
    return {"name": kind, "ph": "M", "pid": process, "tid": thread, "args": {"name": name}}


def query_events(number, query, process, thread, levels=()):
    """A query of the harness, within it the system, within that the C code, whose clock tells how long and not when; it ends last."""
    begin, end, system, inner = query
    found = [complete("query", begin, end, process, thread, {"number": number}), complete("system", begin, begin + system, process, thread)]
    if inner:
        found.append(complete("within C", begin + system - min(inner, system), begin + system, process, thread))
    return found + [{**event, "pid": process, "tid": thread} for event in levels]


def lanes(queries):
    """The lane of each query, in the order of their begins: one that is free, so that none overlaps another."""
    ends, found = [], []
    for begin, end, *_ in queries:
        lane = next((place for place, busy in enumerate(ends) if busy <= begin), len(ends))
        ends[lane:lane + 1] = [end]
        found.append(lane)
    return found


def waiting(run, process):
    """The events of server: each query from its arrival to its answer, with its time in the queue (b and e with an id), and how many there are at a time
    (C). The queue gives first what came first."""
    found, changes = [], []
    for number, (arrival, (begin, end, *_)) in enumerate(zip(sorted(run.arrivals), run.queries)):
        for name, first, last in (("in the harness", arrival, end), ("in the queue", arrival, max(arrival, begin))):
            ends = {"cat": "harness", "id": f"harness-{number}", "pid": process, "tid": 0}
            found += [{"name": name, "ph": "b", "ts": round(first / 1000, 3), **ends, "args": {}}, {"name": name, "ph": "e", "ts": round(last / 1000, 3), **ends, "args": {}}]
        changes += [(arrival, 1), (end, -1)]
    there = 0
    for moment, change in sorted(changes):
        there += change
        found.append({"name": "queries in the harness", "ph": "C", "ts": round(moment / 1000, 3), "pid": process, "tid": 0, "args": {"queries": there}})
    return found


def scaled(tree, begin, ns, events):
    """The events of a level's tree, measured in another pass, within `ns` nanoseconds from `begin` on."""
    share = ns / max(tree["ns"], 1)

    def shorter(node):
        return {**node, "ns": int(node["ns"] * share), "args": {**node["args"], "measured": "in a pass of its own"}, "children": [shorter(child) for child in node["children"]]}

    return [event for child in at_begin(shorter(tree), begin) for event in events(child[0], begin=child[1])]


def at_begin(tree, begin):
    """[(child, its begin)]: children stand one behind the other."""
    found = []
    for child in tree["children"]:
        found.append((child, begin))
        begin += child["ns"]
    return found


def of_run(run, process, title, tree=None, events=None):
    """All events of a run, whose origin is 0. `tree`: the deepest level of the profile, for the scan of offline."""
    thread = run.thread()
    found = [named("process_name", f"LoadGen, {title}", process), named("thread_name", "LoadGen's queries, and the harness within them", process, thread)]
    found += [{"args": {}, "tid": 0, **event, "pid": process} for event in run.events]
    own = []
    if run.scenario == SERVER:
        for number, (query, lane) in enumerate(zip(run.queries, lanes(run.queries))):
            own += query_events(number, query, process, LANES + lane)
        found += [named("thread_name", f"a connection of the harness ({lane + 1})", process, LANES + lane) for lane in sorted(set(lanes(run.queries)))]
        found += waiting(run, process)
    else:
        for number, query in enumerate(run.queries):
            inside = scaled(tree, query[0], query[2], events) if tree and run.scenario == OFFLINE else ()
            own += query_events(number, query, process, thread, inside)
    return nested(found + own)


def nested(found):
    """Complete events, each within the smallest one of its thread that contains its begin: it ends with that at the latest."""
    threads, rest = {}, []
    for event in found:
        threads.setdefault((event["pid"], event["tid"]), []).append(event) if event["ph"] == "X" else rest.append(event)
    for events in threads.values():
        above = []
        for event in sorted(events, key=lambda e: (e["ts"], -e["dur"])):
            while above and above[-1] <= event["ts"]:
                above.pop()
            end = min(round(event["ts"] + event["dur"], 3), *above[-1:] or [float("inf")])
            rest.append({**event, "dur": round(max(0.0, end - event["ts"]), 3)})
            above.append(end)
    return rest


def within(found, most=MOST_EVENTS):
    """At most so many events: those of the begin, in pairs that are whole."""
    names = [event for event in found if event["ph"] == "M"]
    timed = sorted((event for event in found if event["ph"] != "M"), key=lambda e: e["ts"])
    room = max(0, most - len(names))
    if len(timed) <= room:
        return names + timed
    kept = timed[:room]
    counts = {}
    for event in kept:
        if event["ph"] in "be":
            key = event["pid"], event.get("cat"), str(event.get("id")), event["name"]
            counts[key] = counts.get(key, 0) + (1 if event["ph"] == "b" else -1)
    return names + [event for event in kept if event["ph"] not in "be" or not counts[event["pid"], event.get("cat"), str(event.get("id")), event["name"]]]


def merged(runs, levels, tree=None, events=None):
    """The events of the levels and of all runs, one run behind the other by the system's clock, the levels before them. `levels` are events
    whose clock begins at 0."""
    found = list(levels)
    begin = max((event["ts"] + event.get("dur", 0) for event in levels if "ts" in event), default=0.0)
    first = min((run.origin for run in runs), default=0)
    for place, run in enumerate(runs):
        shift = begin + (run.origin - first) / 1000
        found += [{**event, "ts": round(event["ts"] + shift, 3)} if "ts" in event else event for event in of_run(run, place + 2, run.scenario, tree, events)]
    return within(found)


# ---------------------------------------------------------------------- a run


def cells_of(harness, model, system, scenarios):
    """The plainest cell of each scenario: all steps, one thread, no model in turn, no writer; of offline the aggregate where there is one."""
    found = {}
    for cell in harness.plan([model], [system], [name for name in scenarios if name in model["scenarios"]]):
        plain = not (cell.timed or cell.threads or cell.alternates or "writes_per_second" in cell.targets)
        if plain and (cell.scenario not in found or cell.sink == "aggregate"):
            found[cell.scenario] = cell
    return [found[name] for name in scenarios if name in found]


def measure(harness, model, system, scenarios):
    """The traced runs of a model on a system."""
    found = []
    for cell in cells_of(harness, model, system, scenarios):
        with harness.making() as folder:
            harness.child(cell, [MODE], folder, RATE if cell.scenario == SERVER else None)
            found.append(read(cell.scenario, folder / MODE))
    return found
