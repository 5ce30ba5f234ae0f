"""operators_report.py - what the measurements say: operators.txt, operators.md, operators.json, operators.png
and operators_page.md, the tables of docs/performance.md, in the folder, and the text on the terminal.

Targets of the core: at no batch size slower than the faster of scikit-learn and ONNX
Runtime; products of matrices (MLP, PCA) at most twice their time, as their sums have a fixed order, and with dense = blas not
slower either; the mixed
pipeline 4 times as fast in batches and 20 times for one row; an SVC twice as fast in batches; a text of 23 words in 3
microseconds; of all that is no linear model, tree or scaler one row 20 times as fast as scikit-learn. Of the same model imported from its ONNX file, beside ONNX
Runtime: in batches not slower, one row 10 times as fast; and at most 1.2 times the exported one's time."""

from __future__ import annotations

import json
import os
import pathlib
import platform
import re
import sqlite3
import statistics
import subprocess
import time
from typing import Any, Dict, List, Sequence

import matplotlib
import numpy
import onnxruntime
import sklearn

matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402

# Okabe and Ito's colours, which all kinds of colour vision tell apart.
WAYS = {"core": ("hbscore", "#0072B2"), "sqlite": ("hbscore in SQLite", "#56B4E9"), "scan": ("hbscore_scan", "#009E73"),
        "sklearn": ("scikit-learn", "#E69F00"), "onnx": ("ONNX Runtime", "#999999")}
PEERS = ("sklearn", "onnx")
IMPORTED = ", from its ONNX file"
PAGE_BATCHES = (1, 1_000, 100_000)
HEAD = ("rows at once", "hbscore", "SQLite call", "SQLite scan", "scikit-learn", "ONNX Runtime", "x the faster", "target")


def target(task: Any, batch: int, way: str) -> float:
    """The core's time as a multiple of the faster peer's: at most."""
    if way == "imported":
        return 0.1 if batch == 1 else 1.0
    if task.dense:
        return 1.0 if way == "blas" else 2.0
    return 1 / (task.by_row if batch == 1 else task.in_batches)


def rounds_of(task: Any, batch: int, found: List[Dict[str, Any]]) -> List[Dict[str, float]]:
    """Of each round the nanoseconds of each way."""
    rounds: Dict[int, Dict[str, float]] = {}
    for f in found:
        if f["task"] == task.name and f["batch"] == batch:
            rounds.setdefault(f["round"], {})[f["way"]] = f["ns"]
    return list(rounds.values())


def by_row(task: Any, rounds: List[Dict[str, float]]) -> bool:
    """True if a row by itself is as many times as fast as scikit-learn as it must be."""
    return statistics.median(r["sklearn"] / r["core"] for r in rounds) >= task.by_row_of_sklearn


def meets(task: Any, batch: int, way: str, ns: float, ratio: float, rounds: List[Dict[str, float]]) -> bool:
    """True if it keeps each of its targets."""
    if ratio > target(task, batch, way):
        return False
    if way != "core":
        return True
    return by_row(task, rounds) if batch == 1 else not task.most_ns or ns <= task.most_ns


def rows_of(tasks: List[Any], found: List[Dict[str, Any]]) -> List[Dict[str, Any]]:
    """For each task and batch one; a task that was measured with dense = blas, or from its ONNX file too, comes again,
    with that as core."""
    rows = []
    for task in tasks:
        for core in ("core", "blas", "imported"):
            for batch in sorted({f["batch"] for f in found if f["task"] == task.name and f["way"] == core}):
                rounds = rounds_of(task, batch, found)
                ns = {way: statistics.median(r[core if way == "core" else way] for r in rounds)
                      for way in WAYS if way in rounds[0]}
                if core != "core":
                    ns.pop("sqlite", None)
                    ns.pop("scan", None)
                if core == "imported":
                    ns.pop("sklearn")
                ratio = statistics.median(r[core] / min(r[p] for p in PEERS if p in ns) for r in rounds)
                limit = target(task, batch, core)
                more = {"core": "", "blas": ", dense = blas", "imported": IMPORTED}[core]
                if core == "imported":
                    more += " (%.2f times the exported one)" % statistics.median(r[core] / r["core"] for r in rounds)
                rows.append({"task": task.name, "title": task.title + more,
                             "function": task.function, "batch": batch, "ns": ns, "ratio": ratio, "limit": limit,
                             "most_ns": task.most_ns if core == "core" and batch > 1 else 0.0,
                             "met": meets(task, batch, core, ns["core"], ratio, rounds)})
    return rows


def short(number: float) -> str:
    return "%.0f" % number if number >= 100 else "%.1f" % number


def cells(row: Dict[str, Any]) -> List[str]:
    ns = [short(row["ns"][way]) if way in row["ns"] else "" for way in WAYS]
    also = " and {:,.0f} ns".format(row["most_ns"]) if row["most_ns"] else ""
    limit = "at most %.3g%s: %s" % (row["limit"], also, "pass" if row["met"] else "MISS")
    return ["{:,}".format(row["batch"])] + ns + ["%.3f" % row["ratio"], limit]


def cpu() -> str:
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()


def facts(o: Any) -> List[str]:
    commit = subprocess.run(["git", "describe", "--always", "--dirty"], capture_output=True, text=True, check=False)
    return [
        "Nanoseconds of CPU time a row, one thread each, medians of %d rounds in which the ways take turns (3 of all rows at once); "
        "%s distinct rows (%s in SQLite, by the plain call and by hbscore_scan, which has no transform). "
        "\"x the faster\": the core's time as a multiple of the faster one of scikit-learn and ONNX Runtime in the same "
        "round." % (o.rounds, "{:,}".format(o.rows), "{:,}".format(min(o.rows, o.sql_rows))),
        "%s, %d CPUs; SQLite %s, Python %s, scikit-learn %s, ONNX Runtime %s, NumPy %s; hbscore %s; %s."
        % (cpu(), os.cpu_count() or 0, sqlite3.sqlite_version, platform.python_version(), sklearn.__version__,
           onnxruntime.__version__, numpy.__version__, commit.stdout.strip() or "of no known commit",
           time.strftime("%Y-%m-%d")),
    ]


def text_of(rows: List[Dict[str, Any]], notes: List[str]) -> str:
    lines = list(notes)
    for row in rows:
        if row["batch"] == 1:
            lines += ["", "%s (%s)" % (row["title"], row["function"]),
                      "  %13s %10s %12s %12s %13s %13s %13s  %s" % HEAD]
        lines.append("  %13s %10s %12s %12s %13s %13s %13s  %s" % tuple(cells(row)))
    missed = sum(not row["met"] for row in rows)
    return "\n".join(lines + ["", "targets missed: %d" % missed if missed else "all targets met"]) + "\n"


def markdown_of(rows: List[Dict[str, Any]], notes: List[str]) -> str:
    lines = ["# scikit-learn's operators and pipelines", ""] + [n + "\n" for n in notes]
    for row in rows:
        if row["batch"] == 1:
            lines += ["", "## %s" % row["title"], "", "`%s`" % row["function"], "",
                      "| " + " | ".join(HEAD) + " |", "|" + "---:|" * 7 + "---|"]
        lines.append("| " + " | ".join(cells(row)) + " |")
    return "\n".join(lines + ["", "![times as fast as the faster peer](operators.png)"]) + "\n"


def time_of(ns: float) -> str:
    return "%s ns" % short(ns) if ns < 1_000 else "%s us" % short(ns / 1_000)


def times(ns: float, ours: float) -> str:
    """As many times as fast, of two digits at least."""
    return "{:,.0f}".format(ns / ours) if ns / ours >= 20 else "%.1f" % (ns / ours)


def brief(row: Dict[str, Any], peers: Sequence[str]) -> str:
    """The core's time, how many times as fast that is as each peer, and a miss."""
    as_fast = [times(row["ns"][p], row["ns"]["core"]) if p in row["ns"] else "-" for p in peers]
    most = " at {:,}".format(row["batch"]) if row["batch"] not in PAGE_BATCHES else ""
    return ", ".join([time_of(row["ns"]["core"]) + most] + as_fast) + ("" if row["met"] else " **miss**")


def plain(title: str) -> str:
    """Without what was measured beside the times, which is in parentheses."""
    return re.sub(r" \([^)]*\)", "", title)


def table_of(rows: List[Dict[str, Any]], peers: Sequence[str]) -> List[str]:
    """A model a line. The last column has the most rows at once up to 100,000."""
    models: Dict[str, Dict[int, Any]] = {}
    for row in rows:
        models.setdefault(plain(row["title"]), {})[row["batch"]] = row
    lines = ["| | one row | 1,000 rows at once | 100,000 at once |", "|---|---:|---:|---:|"]
    for title, batches in models.items():
        most = max(b for b in batches if b <= max(PAGE_BATCHES))
        shown = [batches.get(1), batches.get(1_000), batches[most] if most > 1_000 else None]
        lines.append("| %s | %s |" % (title, " | ".join(brief(row, peers) if row else "-" for row in shown)))
    return lines


def page_of(rows: List[Dict[str, Any]], notes: List[str]) -> str:
    """The tables of docs/performance.md: the exported models, and those from their ONNX files beside ONNX Runtime alone."""
    imported = [row for row in rows if IMPORTED in row["title"]]
    exported = [row for row in rows if IMPORTED not in row["title"]]
    lines = [notes[1], "", *table_of(exported, PEERS)]
    shown = [dict(row, title=row["title"].replace(IMPORTED, "")) for row in imported]
    return "\n".join(lines + (["", *table_of(shown, ("onnx",))] if shown else [])) + "\n"


def picture(path: pathlib.Path, rows: List[Dict[str, Any]]) -> None:
    sizes = [row["batch"] for row in rows]
    batches = sorted({b for b in sizes if 3 * sizes.count(b) >= sizes.count(1)})
    titles = [row["title"] for row in rows if row["batch"] == batches[0]]
    figure, axes = pyplot.subplots(1, len(batches), sharey=True, figsize=(4 + 3.4 * len(batches), 1.5 + 0.4 * len(titles)),
                                   layout="constrained", squeeze=False)
    for axis, batch in zip(axes[0], batches):
        names = [row["title"] for row in rows if row["batch"] == batch]
        values = [1 / row["ratio"] for row in rows if row["batch"] == batch]
        limits = [1 / row["limit"] for row in rows if row["batch"] == batch]
        bars = axis.barh(names, values, color=WAYS["core"][1])
        axis.bar_label(bars, [" %.2g x" % v for v in values], fontsize=9)
        axis.plot(limits, names, "|", color="black", markersize=16, label="target")
        axis.set_xscale("log")
        axis.set_xlim(min(0.3, *values, *limits) / 1.5, max(values) * 6)
        axis.set_title("{:,} rows at once".format(batch), fontsize=11)
        axis.spines[["top", "right"]].set_visible(False)
    axes[0][0].invert_yaxis()
    axes[0][0].legend(loc="lower right")
    figure.suptitle("hbscore's core: times as fast as the faster of scikit-learn and ONNX Runtime, one thread")
    figure.savefig(path, dpi=130)


def report(o: Any, tasks: List[Any], found: List[Dict[str, Any]]) -> int:
    rows, notes = rows_of(tasks, found), facts(o)
    text = text_of(rows, notes)
    (o.folder / "operators.txt").write_text(text)
    (o.folder / "operators.md").write_text(markdown_of(rows, notes))
    (o.folder / "operators_page.md").write_text(page_of(rows, notes))
    (o.folder / "operators.json").write_text(json.dumps({"facts": notes, "rows": rows, "measurements": found}, indent=1))
    picture(o.folder / "operators.png", rows)
    print("\n" + text + "\nwritten: %s/operators.txt, .md, .json, .png and operators_page.md" % o.folder)
    return 0 if all(row["met"] for row in rows) else 1
