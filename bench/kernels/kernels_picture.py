"""kernels_picture.py - the picture: a panel for each model, time a row over rows at once."""

from __future__ import annotations

import pathlib
from typing import Any, Dict, List

import matplotlib

from kernels_ways import WAYS

matplotlib.use("Agg")
from matplotlib import pyplot, ticker  # noqa: E402

# Okabe and Ito's colours, which all kinds of colour vision tell apart; ways of one library differ in their lines.
LOOKS = {"core": ("#0072B2", "-", "o"), "xgboost": ("#D55E00", "-", "s"), "xgboost_matrix": ("#D55E00", "--", "s"),
         "lightgbm": ("#009E73", "-", "s"), "catboost": ("#CC79A7", "-", "s"), "catboost_pool": ("#CC79A7", "--", "s"),
         "sklearn": ("#E69F00", "-", "s"), "onnx": ("#999999", "-", "^"), "lleaves": ("#56B4E9", "-", "^"),
         "tl2cgen": ("#000000", ":", "^")}
TARGET = {"color": "#0072B2", "marker": "_", "linestyle": "", "markersize": 13, "markeredgewidth": 2, "alpha": 0.6}
COLUMNS = 4
BATCHES = {1: "1", 10: "10", 64: "64", 1_000: "1k", 16_384: "16k", 1 << 20: "1M"}


def time_words(ns: float, _: Any = None) -> str:
    return "%g ns" % ns if ns < 1e3 else "%g µs" % (ns / 1e3) if ns < 1e6 else "%g ms" % (ns / 1e6)


def panel(axis: Any, facts: Dict[str, Any], rows: List[Dict[str, Any]]) -> None:
    for way, (colour, line, mark) in LOOKS.items():
        mine = [row for row in rows if way in row["ns"]]
        if mine:
            axis.plot([row["batch"] for row in mine], [row["ns"][way] for row in mine], line, marker=mark, markersize=4,
                      color=colour, linewidth=2.2 if way == "core" else 1.2, zorder=3 if way == "core" else 2)
    for row in rows:
        if row["goals"]:
            axis.plot(row["batch"], min(goal["ns"] for goal in row["goals"]), **TARGET)
    axis.set_xscale("log")
    axis.set_yscale("log")
    batches = [row["batch"] for row in rows]
    axis.set_xticks(batches, [BATCHES.get(batch, str(batch)) for batch in batches])
    axis.xaxis.set_minor_locator(ticker.NullLocator())
    axis.yaxis.set_major_formatter(time_words)
    axis.yaxis.set_minor_formatter(ticker.NullFormatter())
    axis.set_title(facts["title"], fontsize=9, loc="left")
    axis.grid(True, which="major", color="#dddddd", linewidth=0.6)
    axis.spines[["top", "right"]].set_visible(False)
    axis.tick_params(labelsize=8)


def handle(way: str) -> Any:
    colour, line, mark = LOOKS[way]
    return pyplot.Line2D([], [], color=colour, linestyle=line, marker=mark, markersize=4,
                         linewidth=2.2 if way == "core" else 1.2)


def picture(path: pathlib.Path, models: List[Dict[str, Any]], rows: List[Dict[str, Any]], machine: str) -> None:
    lines = (len(models) + COLUMNS - 1) // COLUMNS
    columns = min(COLUMNS, len(models))
    figure, axes = pyplot.subplots(lines, columns, figsize=(max(4.0 * columns, 8), 2.9 * lines + 1.4), squeeze=False,
                                   layout="constrained")
    for axis, facts in zip(axes.flat, models):
        panel(axis, facts, [row for row in rows if row["model"] == facts["name"]])
    for axis in list(axes.flat)[len(models) :]:
        axis.set_visible(False)
    used = [way for way in LOOKS if any(way in row["ns"] for row in rows)]
    figure.legend([handle(way) for way in used] + [pyplot.Line2D([], [], **TARGET)],
                  [WAYS[way] for way in used] + ["hbscore's target: at most"], loc="outside lower center", ncols=6,
                  frameon=False, fontsize=9)
    for axis in axes[:, 0]:
        axis.set_ylabel("time a row", fontsize=9)
    for axis in list(axes.flat)[max(len(models) - columns, 0) : len(models)]:
        axis.set_xlabel("rows at once", fontsize=9)
    figure.suptitle("Tree ensembles, one thread: time a row by rows at once (both logarithmic; lower is faster)\n"
                    + "; ".join(machine.split("; ")[:3]), fontsize=11)
    figure.savefig(path, dpi=120)
