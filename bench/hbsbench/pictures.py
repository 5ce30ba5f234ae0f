"""pictures.py - the plots of a report, as PNG files and as SVG elements of its page."""

import collections
import io
import re

import numpy

from . import crossover, split
from .profiles import OFFLINE, SERVER, SINGLE
from .summary import by_themselves, ordered


Picture = collections.namedtuple("Picture", "png svg")  # bytes, and a text to be put into a page


def draw(cells):
    """{name: Picture}"""
    found = {}
    for model in sorted({s.model for s in cells.values()}):
        mine = {key: s for key, s in cells.items() if s.model == model}
        for name, make in (("ecdf", draw_ecdf), ("server", draw_server), ("batches", draw_batches), ("offline", draw_offline), ("split", draw_split)):
            picture = make(mine)
            if picture:
                found[f"{name}-{model}"] = Picture(picture.png, inline(picture.svg, f"{name}-{model}"))
    return found


def inline(svg, name):
    """An SVG file as an element of a page: without what belongs to a file, and with ids that no other picture of the page has."""
    svg = re.sub(r"<metadata>.*?</metadata>\s*", "", svg[svg.index("<svg "):], flags=re.S)
    prefix = re.sub("[^A-Za-z0-9-]", "-", name)
    svg = re.sub(r'\bid="([^"]*)"', rf'id="{prefix}.\1"', svg)
    svg = re.sub(r'\b(?:xlink:)?href="#([^"]*)"', rf'href="#{prefix}.\1"', svg)
    svg = re.sub(r"url\(#([^)]*)\)", rf"url(#{prefix}.\1)", svg)
    return svg.replace("<svg ", f'<svg role="img" aria-label="{prefix}" ', 1)


def figure(title, across, up):
    import matplotlib

    matplotlib.use("Agg")
    # Texts stay texts, and the same numbers give the same file.
    matplotlib.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "hbsbench"})
    from matplotlib import pyplot

    made, axes = pyplot.subplots(figsize=(8, 4.5), dpi=100)
    axes.set_title(f"{title} (LoadGen, unofficial)")
    axes.set_xlabel(across)
    axes.set_ylabel(up)
    axes.grid(True, which="both", alpha=0.3)
    return made, axes


def finished(made, axes, **legend):
    from matplotlib import pyplot

    if axes.get_legend_handles_labels()[1]:
        axes.legend(fontsize=8, **legend)
    png, svg = io.BytesIO(), io.StringIO()
    made.savefig(png, format="png", bbox_inches="tight", metadata={"Software": None})
    made.savefig(svg, format="svg", bbox_inches="tight", metadata={"Date": None, "Creator": None})
    pyplot.close(made)
    return Picture(png.getvalue(), svg.getvalue())


def draw_ecdf(cells):
    chosen = ordered(by_themselves(cells), (SINGLE,))
    if not chosen:
        return None
    made, axes = figure(f"{chosen[0].model}: latency of single rows", "microseconds", "share of queries that are slower")
    for s in chosen:
        times = numpy.sort(numpy.concatenate([t[0] for t in s.times])) / 1000
        places = curve(len(times))
        axes.plot(times[places], 1 - places / len(times), label=s.system, linestyle=":" if s.kind == "floor" else "-")
    axes.set_xscale("log")
    axes.set_yscale("log")
    return finished(made, axes)


def curve(n, points=1000):
    """Places of a sorted list of n that a curve is drawn through: dense towards its end, for the axis of the share beyond is
    logarithmic. A curve of millions of points takes a minute to draw."""
    return n - numpy.unique(numpy.geomspace(1, n, min(n, points)).astype(int))[::-1]


def draw_server(cells):
    chosen = [s for s in ordered(cells, (SERVER,)) if s.record.get("search")]
    if not chosen:
        return None
    made, axes = figure(f"{chosen[0].model}: server", "queries a second", "99th percentile, microseconds")
    curves = []
    for s in chosen:
        steps = sorted(s.record["search"], key=lambda step: step["qps"])
        (line,) = axes.plot([step["qps"] for step in steps], [step["p99_us"] for step in steps], marker="o", linestyle=":" if s.kind == "floor" else "-",
                            label=s.system if s.cell == SERVER else f"{s.system}, {s.cell}")
        curves.append((line, [step for step in steps if "issue_p99_us" in step]))
    axes.axhline(chosen[0].record["targets"]["target_latency_ms"] * 1000, color="black", linestyle="--", label="target")
    axes.set_xscale("log")
    axes.set_yscale("log")
    draw_issue_delay(axes, curves)
    return finished(made, axes)


def draw_issue_delay(axes, curves):
    """A small panel below the axes, of the same rates: [(line above, steps)]. What the generator itself is late by."""
    if not any(steps for _, steps in curves):
        return
    small = axes.inset_axes([0, -0.55, 1, 0.35], sharex=axes)
    for line, steps in curves:
        small.plot([step["qps"] for step in steps], [max(step["issue_p99_us"], 1.0) for step in steps], marker=".", color=line.get_color(),
                   linestyle=line.get_linestyle())
    small.set_yscale("log")
    small.set_xlabel("queries a second")
    small.set_ylabel("issue delay, p99, us")
    small.grid(True, which="both", alpha=0.3)


def draw_batches(cells):
    """Microseconds a row by rows a query, with the sizes at which fetching and scoring in the database take as long."""
    curves = crossover.curves(cells)
    if len({n for points in curves.values() for n, _ in points}) < 2:
        return None
    made, axes = figure(f"{next(iter(curves))[0]}: rows a query", "rows a query", "microseconds a row, median")
    for (_, system), points in sorted(curves.items()):
        axes.plot(*zip(*points), marker="o", label=system)
    for pair in crossover.pairs(cells):
        for n, us in pair.crossings:
            axes.plot([n], [us], marker="X", markersize=11, color="black", linestyle="none", zorder=5)
            axes.annotate(f"{pair.ours} and {pair.peer}: {n:.3g} rows", (n, us), xytext=(6, 8), textcoords="offset points", fontsize=7)
    axes.set_xscale("log")
    axes.set_yscale("log")
    return finished(made, axes)


def name_of(s):
    """The axis of bars, where names are places."""
    return f"{s.system}, {s.cell.removeprefix(OFFLINE + '-')}"


def draw_offline(cells):
    chosen = [s for s in ordered(cells, (OFFLINE,)) if s.kind != "floor"]
    if not chosen:
        return None
    made, axes = figure(f"{chosen[0].model}: offline", "rows a second", "")
    names = [name_of(s) for s in chosen]
    axes.barh(names, [s.median for s in chosen], label="rows a second",
              color=["#888888" if not (s.valid and s.passed) else "#2a6f97" if s.kind == "ours" else "#c9a227" for s in chosen])
    axes.set_xscale("log")
    return finished(made, axes)


COLOURS = {"scan": "#2a6f97", "transfer": "#61a5c2", "featurise": "#c9a227", "run": "#bc4749", "post": "#a98467", "write": "#6a994e", split.REST: "#bbbbbb"}


def draw_split(cells):
    """Each pass as a whole of its parts, beside it its milliseconds."""
    chosen = sorted((s for s in ordered(cells, (OFFLINE,)) if s.kind != "floor"), key=lambda s: (s.division, s.system))
    bars = [(s, split.of(cells, s)) for s in chosen]
    if not any(set(parts) - {split.REST} for _, parts in bars):
        return None
    made, axes = figure(f"{chosen[0].model}: parts of a pass", "share of a pass", "")
    made.set_size_inches(8, 1.5 + 0.3 * len(bars))
    names, left = [name_of(s) for s, _ in bars], [0.0] * len(bars)
    for part in COLOURS:
        widths = [parts.get(part, 0) / max(sum(parts.values()), 1) for _, parts in bars]
        if any(widths):
            axes.barh(names, widths, left=left, color=COLOURS[part], label=part)
            left = [a + b for a, b in zip(left, widths)]
    for place, (_, parts) in enumerate(bars):
        axes.text(1.01, place, f"{sum(parts.values()) / 1e6:.3g} ms", va="center", fontsize=8)
    axes.set_xlim(0, 1.12)
    axes.invert_yaxis()
    return finished(made, axes, loc="upper center", bbox_to_anchor=(0.5, -1.0 / made.get_figheight()), ncols=len(COLOURS))


def draw_trend(found):
    """The bounds of instructions a row, commit by commit. `found`: as trend.of gives it."""
    if len(found) < 2:
        return None
    made, axes = figure("instructions a row, by callgrind", "commits that changed a bound", "at most so many instructions")
    axes.set_title("instructions a row, by callgrind (no measurement of LoadGen)")
    for case in sorted({case for _, _, bounds in found for case in bounds}):
        points = [(place, bounds[case]) for place, (_, _, bounds) in enumerate(found) if case in bounds]
        axes.plot(*zip(*points), marker="o", drawstyle="steps-post", label=case)
    axes.set_xticks(range(len(found)), [commit[:8] for commit, _, _ in found], rotation=30, fontsize=7)
    axes.set_yscale("log")
    picture = finished(made, axes)
    return Picture(picture.png, inline(picture.svg, "trend"))
