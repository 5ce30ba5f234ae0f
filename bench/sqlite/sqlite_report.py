"""sqlite_report.py - what the benchmark's measurements say: sqlite.txt, sqlite.md, sqlite.json (with each
measurement) and sqlite.png in its folder, and the text on the terminal.
"""

import hashlib
import json
import os
import pathlib
import platform
import sqlite3
import statistics
import subprocess
import time

import lightgbm
import matplotlib
import numpy
import sklearn
import xgboost

from sqlite_data import FEATURES, MODELS
from sqlite_ways import WAYS

matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402

# What a way may take at most, as a multiple of another one in the same round. With the model that costs nothing it
# is the price of the way itself, against the bare scan of the same columns.
GOALS = {
    ("single_leaf", "scalar"): [("bare", 1.10)],
    ("single_leaf", "scan"): [("bare", 1.10)],
    ("xgboost_100x6", "scalar"): [("bare", 1.50)],
    ("xgboost_100x6", "scan"): [("bare", 1.15)],
    ("xgboost_500x8", "scan"): [("bare", 1.40), ("scalar", 1 / 2)],
    **{(model, "write_scan"): [("fetch", 1 / 10)] for model in MODELS if model != "single_leaf"},
}
AGAINST = {"bare": "the bare scan", "scalar": "scalar", "fetch": "fetching"}
# Okabe and Ito's colours, which all kinds of colour vision tell apart; they differ in lightness too.
COLOURS = {"bare": ("#999999", "SQLite alone"), "hbscore": ("#0072B2", "hbscore, in the database"),
           "library": ("#E69F00", "the model's own library, in Python")}
HEAD = ("way", "ns a row", "x bare scan", "lowest to highest", "x fetch", "goals")


def cpu():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()


def commit():
    answer = subprocess.run(["git", "describe", "--always", "--dirty"], capture_output=True, text=True, check=False)
    return answer.stdout.strip() or None


def machine():
    return {"cpu": cpu(), "cpus": os.cpu_count(), "system": f"{platform.system()} {platform.release()}",
            "sqlite": sqlite3.sqlite_version, "python": platform.python_version(), "xgboost": xgboost.__version__,
            "lightgbm": lightgbm.__version__, "sklearn": sklearn.__version__, "numpy": numpy.__version__, "hbscore": commit(),
            "date": time.strftime("%Y-%m-%d")}


def ratio(by_round, way, other):
    """Of two ways: the median over the rounds, the lowest, the highest."""
    values = [times[way] / times[other] for times in by_round]
    return [statistics.median(values), min(values), max(values)]


def results_of(model, ways, measurements):
    """One dictionary a way, from the measurements of one model."""
    by_round = {}
    for m in measurements:
        if m["model"] == model.name:
            by_round.setdefault(m["round"], {})[m["way"]] = m["ns"] / m["rows"]
    by_round = list(by_round.values())
    results = []
    for way in ways:
        result = {"model": model.name, "way": way, "rounds": len(by_round),
                  "ns_a_row": statistics.median(times[way] for times in by_round),
                  "to_bare": ratio(by_round, way, "bare"),
                  "to_fetch": ratio(by_round, way, "fetch") if "fetch" in ways else None}
        result["goals"] = [{"against": other, "at_most": most, "met": ratio(by_round, way, other)[0] <= most}
                           for other, most in GOALS.get((model.name, way), ()) if other in ways]
        results.append(result)
    return results


# ---------------------------------------------------------------------- words


def times(value):
    """A ratio with about three digits, in plain notation."""
    decimals = 0 if value >= 100 else 1 if value >= 10 else 2 if value >= 0.1 else 3
    return f"{value:,.{decimals}f}"


def goal_in_words(goal):
    most, other = goal["at_most"], AGAINST[goal["against"]]
    wanted = f"at most {most:.2f} x {other}" if most >= 1 else f"{1 / most:.0f} times as fast as {other}"
    return f"{wanted}: {'pass' if goal['met'] else 'MISS'}"


def cells_of(result):
    median, low, high = result["to_bare"]
    return (WAYS[result["way"]][1], f"{result['ns_a_row']:,.0f}", times(median), f"{times(low)} to {times(high)}",
            times(result["to_fetch"][0]) if result["to_fetch"] else "",
            "; ".join(map(goal_in_words, result["goals"])))


def facts(o, about):
    lines = [f"{o.rows:,} rows, {FEATURES} REAL columns, no row twice; one thread; SQLite's default settings.",
             f"{about['cpu']}, {about['cpus']} CPUs; {about['system']}; SQLite {about['sqlite']}, "
             f"Python {about['python']}, XGBoost {about['xgboost']}, LightGBM {about['lightgbm']}, "
             f"scikit-learn {about['sklearn']}, NumPy {about['numpy']}; hbscore {about['hbscore'] or 'of no known commit'}; {about['date']}.",
             "Medians; ratios are those of the same round. \"x bare scan\" and \"x fetch\": the time as a multiple of "
             "the bare scan's, and of fetching, predicting and writing back in Python, of which \"written to a table\" "
             "are the counterparts."]
    absent = [WAYS[way][1] for way in WAYS if way not in o.ways]
    return lines + ([f"Not measured: {'; '.join(absent)}."] if absent else [])


def summary(results):
    """Writing scores in the database against doing it in Python, in a sentence; None where one is not measured."""
    by_way = {result["way"]: result for result in results}
    written = [by_way[way]["to_fetch"][0] for way in ("write", "write_scan") if way in by_way and "fetch" in by_way]
    if not written:
        return None
    return f"Scores of all rows in a table: {times(1 / min(written))} times as fast as by Python."


def wrapped(text, width=110):
    lines = [""]
    for word in text.split():
        if len(lines[-1]) + 1 + len(word) > width:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return lines


def text_of(sections, notes):
    lines = [line for note in notes for line in wrapped(note)]
    for title, rounds, results in sections:
        rows = [(f"{title} ({rounds} round{'s' * (rounds > 1)})",) + HEAD[1:]] + [cells_of(result) for result in results]
        lines.append("")
        for row in rows:
            lines.append(f"{row[0]:<45} {row[1]:>9} {row[2]:>12} {row[3]:>18} {row[4]:>9}  {row[5]}".rstrip())
        if summary(results):
            lines.append(summary(results))
    return "\n".join(lines) + "\n"


def markdown_of(sections, notes):
    lines = ["# Scoring a table in SQLite", ""] + [line for note in notes for line in wrapped(note) + [""]]
    for title, rounds, results in sections:
        lines += [f"## {title}", "", f"{rounds} rounds.", "", "| " + " | ".join(HEAD) + " |", "|---|---:|---:|---:|---:|---|"]
        lines += ["| " + " | ".join(cells_of(result)) + " |" for result in results] + [""]
        if summary(results):
            lines += [summary(results), ""]
    return "\n".join(lines + ["![time a row, by model and way](sqlite.png)"]) + "\n"


# ---------------------------------------------------------------------- picture


def picture(path, o, about, sections):
    heights = [len(results) for _, _, results in sections]
    figure, axes = pyplot.subplots(len(sections), 1, sharex=True, squeeze=False, figsize=(10, 1.6 + 0.42 * sum(heights)),
                                   gridspec_kw={"height_ratios": heights}, layout="constrained")
    for axis, (title, _, results) in zip(axes[:, 0], sections):
        values = [result["ns_a_row"] for result in results]
        bars = axis.barh([WAYS[result["way"]][1] for result in results], values,
                         color=[COLOURS[WAYS[result["way"]][2]][0] for result in results])
        labels = [f" {value:,.0f} ns, {times(result['to_bare'][0])} x" for value, result in zip(values, results)]
        axis.bar_label(bars, labels, fontsize=9)
        axis.invert_yaxis()
        axis.set_xscale("log")
        axis.set_title(title, loc="left", fontsize=11, fontweight="bold")
        axis.spines[["top", "right"]].set_visible(False)
    low, high = axes[0, 0].get_xlim()
    axes[0, 0].set_xlim(low / 2, high * 6)  # room for the numbers
    axes[-1, 0].set_xlabel("nanoseconds a row, logarithmic; behind it, times the bare scan")
    figure.suptitle(f"Scoring {o.rows:,} rows of {FEATURES} columns in SQLite, one thread: time a row\n"
                    f"{about['cpu']}, SQLite {about['sqlite']}, XGBoost {about['xgboost']}, LightGBM {about['lightgbm']}",
                    fontsize=11)
    used = {WAYS[way][2] for way in o.ways}
    figure.legend([pyplot.Rectangle((0, 0), 1, 1, color=COLOURS[kind][0]) for kind in COLOURS if kind in used],
                  [COLOURS[kind][1] for kind in COLOURS if kind in used], loc="outside lower center", ncols=3, frameon=False)
    figure.savefig(path, dpi=130)


# ---------------------------------------------------------------------- all of it


def report(o, models, measurements):
    """Writes the four files, prints the text; 1 where a goal was missed, else 0."""
    about = machine()
    sections = []
    for model in models:
        results = results_of(model, o.ways, measurements)
        sections.append((model.title, results[0]["rounds"], results))
    results = [result for _, _, results in sections for result in results]
    missed = sum(not goal["met"] for result in results for goal in result["goals"])
    notes = facts(o, about)
    text = text_of(sections, notes) + ("\n" + (f"goals missed: {missed}" if missed else "all goals met") + "\n")

    everything = {"machine": about, "rows": o.rows, "columns": FEATURES,
                  "models": {model.name: {"title": model.title, "bytes": model.path.stat().st_size,
                                          "sha256": hashlib.sha256(model.path.read_bytes()).hexdigest()} for model in models},
                  "results": results, "measurements": measurements}
    (o.folder / "sqlite.txt").write_text(text)
    (o.folder / "sqlite.md").write_text(markdown_of(sections, notes))
    (o.folder / "sqlite.json").write_text(json.dumps(everything, indent=1) + "\n")
    picture(o.folder / "sqlite.png", o, about, sections)
    print("\n" + text + f"\nwritten: {o.folder}/sqlite.txt, .md, .json, .png")
    return 1 if missed else 0
