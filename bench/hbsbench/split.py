"""split.py - a pass of `offline` by its parts: scan, transfer, featurise, run, post, write (parts.py), and what cannot be told apart.

A client that fetches tells them by its clocks; the statement's own execution is the scan within its transfer. Of a system in a database
the transfer is what `client` takes beyond `aggregate`, and the writing what `table` does; hbscore's profile splits the rest, by another
pass, whose parts are made shorter where they are longer than this one."""

import numpy

from .parts import NAMES, SCAN, TRANSFER, WRITE

REST = "not told apart"
BEYOND = {"client": TRANSFER, "table": WRITE}


def pass_ns(s):
    return s.record["rows"] / s.median * 1e9


def own(s):
    """The parts that the system told, as medians of the repeats."""
    told = [r["parts"] for r in s.repeats if r.get("parts")]
    return {name: float(numpy.median([parts.get(name, 0) for parts in told])) for name in NAMES if any(name in parts for parts in told)}


def of(cells, s):
    """{part: nanoseconds}, whose sum is the pass."""
    total, parts = pass_ns(s), own(s)
    if TRANSFER in parts:
        scan = min(parts[TRANSFER], s.statement["execution_ns"] if s.statement else 0.0)
        parts = {**parts, SCAN: scan, TRANSFER: parts[TRANSFER] - scan}
        return whole(parts, total, {})
    return whole(parts, total, beyond(cells, s, total))


def beyond(cells, s, total):
    """The transfer or the writing of a system in a database, by the aggregate of the same rows."""
    aggregate = cells.get((s.model, s.system, s.cell.replace(s.record["sink"] or "", "aggregate", 1)))
    part = BEYOND.get(s.record["sink"])
    if not by_sinks(s) or aggregate is None or part is None:
        return {}
    return {part: max(0.0, total - pass_ns(aggregate))}


def whole(parts, total, outside):
    """Parts within what is left of the pass, the outside ones as they are, and the rest."""
    room, known = total - sum(outside.values()), sum(parts.values())
    share = min(1.0, room / known) if known else 0.0
    found = {name: ns * share for name, ns in parts.items()}
    for name, ns in outside.items():
        found[name] = found.get(name, 0.0) + ns
    rest = total - sum(found.values())
    ordered = {name: found[name] for name in NAMES if found.get(name)}
    return {**ordered, **({REST: rest} if rest > 1e-3 * total else {})}


def by_sinks(s):
    """True where scores go elsewhere by the sink alone; a client that fetches has them all in any case."""
    return s.division == "in-db" and "fetch" not in s.system.split("-")


def told_by(s):
    if not own(s):
        return "the difference of sinks alone" if by_sinks(s) else "nothing"
    return "the client's clocks" if TRANSFER in own(s) else "hbscore_profile" if SCAN in own(s) else "the system's clocks"


def table(cells, ordered):
    head = ["model", "sink", "system", "ms a pass", *(f"{name} ms" for name in (*NAMES, REST)), "told by"]
    rows = []
    for s in ordered:
        parts = of(cells, s)
        rows.append([s.model, s.cell.partition("-")[2], s.system, f"{pass_ns(s) / 1e6:.4g}", *(f"{parts[name] / 1e6:.4g}" if name in parts else "" for name in (*NAMES, REST)),
                     told_by(s)])
    return head, rows
