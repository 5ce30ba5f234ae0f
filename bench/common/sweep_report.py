"""sweep_report.py - what a sweep's measurements say: NAME.txt, NAME.md, NAME.json (with each round) and NAME.png in its
folder, and the text on the terminal.
"""

import json

import matplotlib
import numpy
import xgboost

import scan_report
import sweep

matplotlib.use("Agg")
from matplotlib import pyplot, ticker  # noqa: E402

# Ways differ in line and mark as well as in colour (Okabe and Ito's).
WAYS = {"bare": ("bare scan", "#7f7f7f", ":", "^"), "row": ("hbscore, by row", "#D55E00", "--", "o"),
        "block": ("hbscore, in blocks", "#0072B2", "-", "s")}
COLUMNS = 3


def facts(database, about):
    return [f"{about['cpu']}, {about['cpus']} CPUs; {about['system']}; {database} {about['database']}, "
            f"XGBoost {about['xgboost']}, NumPy {about['numpy']}; hbscore {about['hbscore'] or 'of no known commit'}; "
            f"{about['date']}.",
            "Nanoseconds of CPU time a row, medians. Ratios are those of the same round, in which the ways take turns. "
            "Over features: 20 trees of depth 6. Over classes: 10 features, a tree of depth 3 for each class. Over trees: 10 "
            f"features, trees of depth 6. The target: in blocks at most {sweep.MOST:.2f} times by row."]


# ---------------------------------------------------------------------- words


def number(result, way):
    return f"{result['ns'][way]:,.0f}" if way in result["ns"] else "-"


def verdict(result):
    if not result["judged"]:
        return "-"
    most = "" if result["most_ns"] is None else f"at most {result['most_ns']:,} by row: "
    return most + ("pass" if result["met"] else "miss")


def cells_of(result):
    ratio = "-" if result["ratio"] is None else f"{result['ratio']:.2f}"
    return (f"{result['x']:,} {result['axis']}", result["form"], *(number(result, way) for way in WAYS), ratio, verdict(result))


HEAD = ("model", "rows or function", "bare scan", "by row", "in blocks", "blocks / row", "target")


def text_of(lines, results):
    rows = [HEAD, *map(cells_of, results)]
    widths = [max(len(row[i]) for row in rows) for i in range(len(HEAD))]
    texts = ("  ".join(cell.ljust(width) if i < 2 else cell.rjust(width) for i, (cell, width) in enumerate(zip(row, widths)))
             for row in rows)
    return "\n".join([*lines, "", *texts]) + "\n"


def markdown_of(name, lines, results):
    table = ["| " + " | ".join(HEAD) + " |", "|---|---|---:|---:|---:|---:|---|"]
    table += ["| " + " | ".join(cells_of(result)) + " |" for result in results]
    return "\n\n".join([*lines, "\n".join(table), f"![time a row over features, classes and trees]({name}.png)"]) + "\n"


# ---------------------------------------------------------------------- picture


def panel(axis, axis_name, form, results):
    for way, (_, colour, line, mark) in WAYS.items():
        mine = [result for result in results if way in result["ns"]]
        axis.plot([result["x"] for result in mine], [result["ns"][way] for result in mine], line, marker=mark, markersize=5,
                  color=colour, linewidth=2.2 if way == "block" else 1.4)
    axis.set_xscale("log")
    axis.set_yscale("log")
    axis.margins(x=0.12, y=0.1)
    axis.set_xticks([result["x"] for result in results], [tick_words(result) for result in results])
    axis.xaxis.set_minor_locator(ticker.NullLocator())
    axis.yaxis.set_major_formatter(time_words)
    axis.yaxis.set_minor_formatter(ticker.NullFormatter())
    axis.set_title(f"{axis_name}: {form}", fontsize=10, loc="left")
    axis.grid(True, which="major", color="#dddddd", linewidth=0.6)
    axis.spines[["top", "right"]].set_visible(False)
    axis.tick_params(labelsize=8)


def tick_words(result):
    """The size; below it in blocks / by row."""
    size = f"{result['x'] // 1000}k" if result["x"] >= 1_000 else str(result["x"])
    ratio = "" if result["ratio"] is None else f"{result['ratio']:.2f}"
    return f"{size}\n{ratio}" + ("" if result["met"] else "\nmiss")


def time_words(ns, _=None):
    return f"{ns:g} ns" if ns < 1e3 else f"{ns / 1e3:g} µs" if ns < 1e6 else f"{ns / 1e6:g} ms"


def picture(path, database, about, results):
    panels = list(dict.fromkeys((result["axis"], result["form"]) for result in results))
    lines = (len(panels) + COLUMNS - 1) // COLUMNS
    figure, axes = pyplot.subplots(lines, COLUMNS, figsize=(11, 3.1 * lines + 1.2), squeeze=False, layout="constrained")
    for axis, (axis_name, form) in zip(axes.flat, panels):
        panel(axis, axis_name, form, [r for r in results if (r["axis"], r["form"]) == (axis_name, form)])
    for axis in list(axes.flat)[len(panels):]:
        axis.set_visible(False)
    for axis in axes[:, 0]:
        axis.set_ylabel("time a row", fontsize=9)
    handles = [pyplot.Line2D([], [], color=colour, linestyle=line, marker=mark) for _, colour, line, mark in WAYS.values()]
    figure.legend(handles, [words for words, *_ in WAYS.values()], loc="outside lower center", ncols=len(WAYS), frameon=False)
    figure.suptitle(f"{database}: time a row over features, classes and trees (both logarithmic; lower is faster)\n"
                    f"below each size: in blocks / by row; {about['cpu']}, hbscore {about['hbscore']}", fontsize=11)
    figure.savefig(path, dpi=120)
    pyplot.close(figure)


# ---------------------------------------------------------------------- all of it


def report(folder, name, database, results, versions):
    """1 where a cell misses its target."""
    about = scan_report.machine(**versions, xgboost=xgboost.__version__, numpy=numpy.__version__)
    lines = facts(database, about)
    missed = sum(not result["met"] for result in results)
    text = text_of([line for fact in lines for line in scan_report.wrapped(fact)], results)
    text += f"targets missed: {missed}\n" if missed else "all targets met\n"
    (folder / f"{name}.txt").write_text(text)
    (folder / f"{name}.md").write_text(markdown_of(name, lines, results))
    (folder / f"{name}.json").write_text(json.dumps({"machine": about, "cells": results}, indent=1) + "\n")
    picture(folder / f"{name}.png", database, about, results)
    print(f"\n{text}\nwritten: {folder}/{name}.txt, .md, .json, .png")
    return 1 if missed else 0
