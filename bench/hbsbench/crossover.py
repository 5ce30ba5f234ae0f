"""crossover.py - the sweep of rows a query: from how many rows on a system in a database is faster than a client that fetches them.

A curve has the median microseconds a row of single rows, of multi-stream's queries, and of offline's pass to the client, which is one
query for all rows. Between two sizes both curves are straight lines on logarithmic axes."""

import collections
import math

from . import check
from .profiles import MULTI, OFFLINE, SINGLE
from .summary import by_themselves, ordered

# `crossings`: [(rows a query, microseconds a row)]; `sizes`: [(rows a query, how many times as fast ours is)] of both.
Pair = collections.namedtuple("Pair", "model ours peer sizes crossings")


def rows_of(s):
    """Rows of a query; None: it is no query of the sweep."""
    if s.scenario in (SINGLE, MULTI):
        return s.record["samples_per_query"] or 1
    return s.record["rows"] if s.scenario == OFFLINE and s.record["sink"] == "client" else None


def curves(cells):
    """{(model, system): [(rows a query, microseconds a row)]}, without floors and cells of some steps alone or of several threads."""
    found = {}
    for s in ordered(by_themselves(cells)):
        n = rows_of(s)
        if n and s.kind != "floor" and not s.record.get("timed") and s.cell == check.floor_cell(s.record):
            found.setdefault((s.model, s.system), {})[n] = s.latency["p50"] / 1000 / n
    return {key: sorted(points.items()) for key, points in found.items()}


def database(system):
    return next((name for name in ("sqlite", "pg") if name in system.split("-")), None)


def pairs(cells):
    """Each of our systems in a database beside the clients that fetch from the same one."""
    found, kinds = [], {(s.model, s.system): (s.kind, s.division) for s in cells.values()}
    sweep = curves(cells)
    for model, ours in sorted(key for key in sweep if kinds[key] == ("ours", "in-db")):
        for other, peer in sorted(sweep):
            if other == model and "fetch" in peer.split("-") and database(peer) == database(ours):
                found.append(Pair(model, ours, peer, *compared(sweep[model, ours], sweep[model, peer])))
    return found


def compared(one, other):
    """(sizes, crossings) of two curves."""
    one, other = dict(one), dict(other)
    both = sorted(set(one) & set(other))
    sizes = [(n, other[n] / one[n]) for n in both]
    found = [(float(n), one[n]) for n, ratio in sizes if ratio == 1]
    for (n, before), (m, after) in zip(sizes, sizes[1:]):
        if (before - 1) * (after - 1) < 0:
            share = math.log(before) / (math.log(before) - math.log(after))
            found.append((n * (m / n) ** share, one[n] * (one[m] / one[n]) ** share))
    return sizes, sorted(found)


def words(pair):
    """Where the faster one changes, or that it does not."""
    if not pair.sizes:
        return "no size was measured of both"
    first = pair.ours if pair.sizes[0][1] > 1 else pair.peer
    if not pair.crossings:
        ratios = [max(ratio, 1 / ratio) for _, ratio in pair.sizes]
        if len(pair.sizes) == 1:
            return f"none at {pair.sizes[0][0]:,} rows: {first} is faster, {ratios[0]:.3g} times"
        return f"none from {pair.sizes[0][0]:,} to {pair.sizes[-1][0]:,} rows: {first} is faster, {min(ratios):.3g} to {max(ratios):.3g} times"
    second = pair.peer if first == pair.ours else pair.ours
    faster = [first if place % 2 == 0 else second for place in range(len(pair.crossings) + 1)]
    places = ", ".join(f"at {n:.3g} rows" for n, _ in pair.crossings)
    return f"{places}: {' below, then '.join(faster[:2])}{' above' if len(pair.crossings) == 1 else ' and so on'}"


def table(cells):
    head = ["model", "in the database", "fetching", "rows a query where both take as long", "faster"]
    return head, [[pair.model, pair.ours, pair.peer, ", ".join(f"{n:.3g}" for n, _ in pair.crossings), words(pair)] for pair in pairs(cells)]
