"""kernels_picture.py - the pictures: of each model time a row over rows at once; of each number of rows at once time
a row over depth, by strategy."""

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


def plain(axis: Any, title: str) -> None:
    axis.set_xscale("log")
    axis.set_yscale("log")
    axis.xaxis.set_minor_locator(ticker.NullLocator())
    axis.yaxis.set_major_formatter(time_words)
    axis.yaxis.set_minor_formatter(ticker.NullFormatter())
    axis.set_title(title, fontsize=9, loc="left")
    axis.grid(True, which="major", color="#dddddd", linewidth=0.6)
    axis.spines[["top", "right"]].set_visible(False)
    axis.tick_params(labelsize=8)


def panel(axis: Any, facts: Dict[str, Any], rows: List[Dict[str, Any]]) -> None:
    for way, (colour, line, mark) in LOOKS.items():
        mine = [row for row in rows if way in row["ns"]]
        if mine:
            axis.plot([row["batch"] for row in mine], [row["ns"][way] for row in mine], line, marker=mark, markersize=4,
                      color=colour, linewidth=2.2 if way == "core" else 1.2, zorder=3 if way == "core" else 2)
    for row in rows:
        if row["goals"]:
            axis.plot(row["batch"], min(goal["ns"] for goal in row["goals"]), **TARGET)
    plain(axis, facts["title"])
    batches = [row["batch"] for row in rows]
    axis.set_xticks(batches, [BATCHES.get(batch, str(batch)) for batch in batches])


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


# Strategies --------------------------------------------------------------------------------

STRATEGIES = {"auto": ("#000000", ":", "o"), "bits": ("#0072B2", "-", "s"), "tt": ("#E69F00", "-", "^"),
              "ptt": ("#009E73", "-", "v"), "gemm": ("#CC79A7", "-", "D")}


def fill_of(name: str) -> str:
    return "none" if name == "auto" else "full"


def strategies_panel(axis: Any, batch: int, rows: List[Dict[str, Any]]) -> None:
    """What auto took has a ring."""
    for name, (colour, line, mark) in STRATEGIES.items():
        mine = [row for row in rows if name in row["ns"]]
        axis.plot([row["depth"] for row in mine], [row["ns"][name] for row in mine], line, marker=mark, color=colour,
                  fillstyle=fill_of(name), markersize=11 if name == "auto" else 5)
    plain(axis, "{:,} row{} at once".format(batch, "s" * (batch > 1)))
    depths = sorted({row["depth"] for row in rows})
    axis.set_xticks(depths, depths)
    axis.set_xlabel("depth", fontsize=9)


def strategies_picture(path: pathlib.Path, forced: List[Dict[str, Any]], machine: str) -> None:
    rows = [row for row in forced if row["depth"] and row["trees"] == 100]
    batches = sorted({row["batch"] for row in rows})
    figure, axes = pyplot.subplots(1, max(len(batches), 1), figsize=(3.4 * max(len(batches), 2), 4.2), squeeze=False,
                                   layout="constrained", sharey=True)
    for axis, batch in zip(axes[0], batches):
        strategies_panel(axis, batch, [row for row in rows if row["batch"] == batch])
    axes[0][0].set_ylabel("time a row", fontsize=9)
    used = [name for name in STRATEGIES if any(name in row["ns"] for row in rows)]
    handles = [pyplot.Line2D([], [], color=colour, linestyle=line, marker=mark, fillstyle=fill_of(name))
               for name, (colour, line, mark) in STRATEGIES.items() if name in used]
    figure.legend(handles, used, loc="outside lower center", ncols=5, frameon=False, fontsize=9)
    figure.suptitle("XGBoost, 100 trees: time a row by depth, each strategy forced (both logarithmic)\n"
                    + "; ".join(machine.split("; ")[:3]), fontsize=10)
    figure.savefig(path, dpi=120)
