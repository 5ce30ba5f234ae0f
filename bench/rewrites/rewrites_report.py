"""rewrites_report.py - what the measurements say: rewrites.txt, rewrites.md, rewrites.json, rewrites.png (Figures 9 and 10)
and rewrites_ablation.png in the folder, and the text on the terminal.

Targets: a configuration is at least so many times as fast as "off" as rewrites_models.py says, and as the "off" of the
task whose model needs all columns; and never slower than 1.02 times "off"; "on" is never slower than 1.02 times the same
without one pass; no label differs."""

from __future__ import annotations

import json
import pathlib
import sqlite3
import statistics
from typing import Any, Dict, List

import matplotlib
import numpy
import sklearn

matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402

from rewrites_models import DTYPE, SPARSE  # noqa: E402
from scan_report import in_columns, machine, times, wrapped  # noqa: E402

NOT_SLOWER = 1.02
WAYS = {"core": "core, 1,000 rows at once", "scan": "SQLite, hbscore_scan", "scalar": "SQLite, predict", "node": "PostgreSQL, in blocks"}
HEAD = ("configuration", "ns a row", "x off", "x faster than scikit-learn", "differ", "target")
# Okabe and Ito's colours, which all kinds of colour vision tell apart.
COLOURS = {"sklearn": "#999999", "off": "#E69F00", "on": "#0072B2", "dtype": "#56B4E9", "sparse": "#009E73", "both": "#0072B2",
           "auto": "#CC79A7"}


def by_round(result: Dict[str, Any], way: str) -> List[Dict[str, float]]:
    """Gives the nanoseconds of each configuration for each round; scikit-learn's as "sklearn"."""
    rounds: Dict[int, Dict[str, float]] = {}
    for m in result["measurements"]:
        if m["way"] == way:
            rounds.setdefault(m["round"], {})[m["configuration"]] = m["ns"]
        elif m["way"] == "sklearn":
            rounds.setdefault(m["round"], {})["sklearn"] = m["ns"]
    return list(rounds.values())


def ratio(rounds: List[Dict[str, float]], one: str, other: str) -> float:
    return statistics.median(r[one] / r[other] for r in rounds)


def needed(task: Any, configuration: str) -> List[str]:
    return list(task.only.get(configuration, ()))


def median_of(results: List[Dict[str, Any]], task: str, way: str, name: str) -> float:
    """Nanoseconds of a configuration of a task; 0: it was not measured."""
    for result in results:
        if result["task"].name == task:
            return statistics.median(r[name] for r in by_round(result, way))
    return 0


def goals_of(results: List[Dict[str, Any]], result: Dict[str, Any], way: str, name: str, rounds: List[Dict[str, float]],
             known: List[str]) -> List[Any]:
    """(words, met) of each goal."""
    task = result["task"]
    goals = []
    if name.startswith("no "):
        found = ratio(rounds, "on", name)
        goals.append(("on takes at most %.2f x of it: %.3f" % (NOT_SLOWER, found), found <= NOT_SLOWER))
    elif name != "off":
        wanted, found = task.faster.get((name, way)), ratio(rounds, name, "off")
        if wanted:
            goals.append(("%g times as fast as off: %.2f" % (wanted, 1 / found), 1 / found >= wanted))
            everything = median_of(results, task.of_all_columns, way, "off")
            if everything:
                found = everything / statistics.median(r[name] for r in rounds)
                goals.append(("%g times as fast as %s, off: %.2f" % (wanted, task.of_all_columns, found), found >= wanted))
        else:
            goals.append(("at most %.2f x off: %.3f" % (NOT_SLOWER, found), found <= NOT_SLOWER))
    for missing in set(needed(task, name)) - set(known):
        goals.append(("there is no pass %s yet" % missing, False))
    if result["differ"]["%s/%s" % (name, way)]:
        goals.append(("labels differ", False))
    return goals


def rows_of(results: List[Dict[str, Any]], result: Dict[str, Any], way: str, known: List[str]) -> List[Dict[str, Any]]:
    rounds = by_round(result, way)
    rows = []
    for name in result["configurations"]:
        rows.append({"figure": result["task"].figure, "task": result["task"].name, "way": way, "configuration": name,
                     "ns": statistics.median(r[name] for r in rounds), "to_off": ratio(rounds, name, "off"),
                     "to_sklearn": ratio(rounds, "sklearn", name), "differ": result["differ"]["%s/%s" % (name, way)],
                     "goals": goals_of(results, result, way, name, rounds, known)})
    return rows


def cells(row: Dict[str, Any]) -> List[str]:
    goals = "; ".join("%s: %s" % (words, "pass" if met else "MISS") for words, met in row["goals"])
    return [row["configuration"], "{:,.0f}".format(row["ns"]), times(row["to_off"]), times(row["to_sklearn"]),
            "%d" % row["differ"], goals]


def facts(o: Any, known: List[str]) -> List[str]:
    about = machine()
    return [
        "Nanoseconds of CPU time a row, medians of %d rounds in which all take turns; %s rows of made data. Ratios are those "
        "of one round. on: all passes (%s); off: none; no PASS: all but this one, of those that change the model. \"differ\": "
        "labels that are not scikit-learn's, of all rows." % (o.rounds, "{:,}".format(o.rows), ", ".join(known)),
        "%s, %d CPUs; SQLite %s, Python %s, scikit-learn %s, NumPy %s; hbscore %s; %s."
        % (about["cpu"], about["cpus"], sqlite3.sqlite_version, about["python"], sklearn.__version__, numpy.__version__,
           about["hbscore"] or "of no known commit", about["date"]),
    ]


def sections_of(o: Any, results: List[Dict[str, Any]], known: List[str]) -> Any:
    """(title, notes, [(way, rows)]) of each task."""
    for result in results:
        task = result["task"]
        peer = statistics.median(m["ns"] for m in result["measurements"] if m["way"] == "sklearn")
        notes = ["%s; scikit-learn %s ns a row." % (task.note, "{:,.0f}".format(peer))]
        notes += ["%s: %s" % report for report in result["reports"].items()]
        yield "%s: %s" % (task.figure, task.title), notes, [(way, rows_of(results, result, way, known)) for way in o.ways]


def text_of(sections: List[Any], notes: List[str], last: str) -> str:
    lines = [line for note in notes for line in wrapped(note)]
    for title, about, ways in sections:
        lines += ["", title] + ["  " + line for line in about]
        for way, rows in ways:
            lines += ["", *in_columns([(WAYS[way], *HEAD[1:])] + [cells(row) for row in rows])]
    return "\n".join(lines + ["", last]) + "\n"


def markdown_of(sections: List[Any], notes: List[str], last: str) -> str:
    lines = ["# Passes of the optimizer", ""] + [line for note in notes for line in wrapped(note) + [""]]
    for title, about, ways in sections:
        lines += ["## %s" % title, ""] + ["- %s" % line for line in about] + [""]
        for way, rows in ways:
            lines += ["| " + " | ".join((WAYS[way], *HEAD[1:])) + " |", "|---|---:|---:|---:|---:|---|"]
            lines += ["| " + " | ".join(cells(row)) + " |" for row in rows] + [""]
    return "\n".join(lines + [last]) + "\n"


# Pictures ---------------------------------------------------------------------------------------


def bars(axis: Any, groups: List[str], series: Dict[str, List[float]], title: str) -> None:
    width = 0.8 / len(series)
    for i, (name, values) in enumerate(series.items()):
        places = [g + (i - (len(series) - 1) / 2) * width for g in range(len(groups))]
        drawn = axis.bar(places, values, width, color=COLOURS[name], label={"sklearn": "scikit-learn"}.get(name, name))
        axis.bar_label(drawn, [" {:,.0f}".format(v) for v in values], fontsize=7, rotation=90 if len(series) > 3 else 0)
    axis.set_xticks(range(len(groups)), groups, fontsize=8)
    axis.set_yscale("log")
    axis.set_title(title, fontsize=10)
    axis.spines[["top", "right"]].set_visible(False)


def series_of(results: List[Dict[str, Any]], way: str, names: List[str]) -> Dict[str, List[float]]:
    return {name: [statistics.median(r[name] for r in by_round(result, way)) for result in results] for name in names}


def picture(path: pathlib.Path, o: Any, figures: Dict[str, List[Any]], names: List[str], words: str) -> None:
    if not figures:
        return
    figure, axes = pyplot.subplots(len(figures), len(o.ways), sharey="row", squeeze=False, layout="constrained",
                                   figsize=(1 + 3.6 * len(o.ways), 0.8 + 2.8 * len(figures)))
    for line, (title, results) in zip(axes, figures.items()):
        groups = [result["task"].name.replace("Classifier", "").replace("select_", "").replace("l1_", "").replace("sparse_", "") for result in results]
        for axis, way in zip(line, o.ways):
            bars(axis, groups, series_of(results, way, names), "%s: %s" % (title, WAYS[way]))
        line[0].set_ylabel("ns a row")
        line[0].set_ylim(top=line[0].get_ylim()[1] * (3 if len(names) > 3 else 1.3))  # room for the numbers above bars
    axes[0][0].legend(fontsize=8)
    figure.suptitle(words, fontsize=11)
    figure.savefig(path, dpi=110)


def pictures(o: Any, results: List[Dict[str, Any]]) -> None:
    figures: Dict[str, List[Any]] = {}
    for result in results:
        figures.setdefault(result["task"].figure, []).append(result)
    ablation = {title: figures.pop(title) for title in list(figures) if title == "Ablation"}
    picture(o.folder / "rewrites.png", o, figures, ["sklearn", "off", "on"],
            "Selection pushed to the inputs (Figure 9: % selected) and injected (Figure 10: L1), and weights of 0 skipped: passes on and off")
    picture(o.folder / "rewrites_ablation.png", o, ablation, ["sklearn", "off", "dtype", "sparse", "both", "auto"],
            "Trees of depth 4 as products of matrices (gemm): passes %s, %s, both; and auto" % (DTYPE, SPARSE))


def report(o: Any, results: List[Dict[str, Any]], known: List[str]) -> int:
    sections, notes = list(sections_of(o, results, known)), facts(o, known)
    rows = [row for _, _, ways in sections for _, rows in ways for row in rows]
    missed = sum(not met for row in rows for _, met in row["goals"])
    last = "targets missed: %d" % missed if missed else "all targets met"
    text = text_of(sections, notes, last)
    everything = [{**result, "task": result["task"].name} for result in results]
    (o.folder / "rewrites.txt").write_text(text)
    (o.folder / "rewrites.md").write_text(markdown_of(sections, notes, last))
    (o.folder / "rewrites.json").write_text(json.dumps({"facts": notes, "rows": rows, "results": everything}, indent=1))
    pictures(o, results)
    print("\n" + text + "\nwritten: %s/rewrites.txt, .md, .json and pictures" % o.folder)
    return 1 if missed else 0
