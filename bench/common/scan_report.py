"""scan_report.py - what measurements of scans that score say, for any database: ratios of ways in one round, their
medians, goals; as text, Markdown, JSON and a picture. A Spec says what is of the database.
"""

import dataclasses
import hashlib
import json
import os
import pathlib
import platform
import statistics
import subprocess
import time
import typing

import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402


@dataclasses.dataclass
class Spec:
    name: str  # of the files
    title: str
    picture_title: str
    ways: dict  # name: (.., title, kind), in the order of a round
    # What a way may take at most, as a multiple of another one in the same round: (model, way): [(other, most)].
    goals: dict
    against: dict  # how goals call the other way
    colours: dict  # kind: (colour, words)
    fetch: tuple  # ways by a client; the table has the multiple of the fastest of them in a round
    notes: list
    head: tuple = ()  # columns between the ratios and the goals..
    cells: typing.Callable = lambda model, way: ()  # ..and what they have
    excuse: typing.Callable = lambda model, way, other: None  # why a goal is not judged here


# ---------------------------------------------------------------------- where


def cpu():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()


def commit():
    answer = subprocess.run(["git", "describe", "--always", "--dirty"], capture_output=True, text=True, check=False)
    return answer.stdout.strip() or None


def machine(**versions):
    """With the versions of what takes part."""
    return {"cpu": cpu(), "cpus": os.cpu_count(), "system": f"{platform.system()} {platform.release()}",
            "python": platform.python_version(), **versions, "hbscore": commit(), "date": time.strftime("%Y-%m-%d")}


# ---------------------------------------------------------------------- numbers


def time_of(times, way, fetch):
    """`fetch` stands for the fastest of the ways of a client."""
    return times[way] if way != "fetch" else min(times[f] for f in fetch if f in times)


def ratio(by_round, way, other, fetch=("fetch",)):
    """Of two ways: the median over the rounds, the lowest, the highest."""
    values = [time_of(times, way, fetch) / time_of(times, other, fetch) for times in by_round]
    return [statistics.median(values), min(values), max(values)]


def goals_of(spec, model, way, ways, by_round):
    goals = []
    for other, most in spec.goals.get((model.name, way), ()):
        if other in ways or (other == "fetch" and set(ways) & set(spec.fetch)):
            found, excuse = ratio(by_round, way, other, spec.fetch)[0], spec.excuse(model, way, other)
            goals.append({"against": other, "at_most": most, "ratio": found, "met": found <= most, "excuse": excuse})
    return goals


def results_of(spec, model, ways, measurements):
    """One dictionary a way, from the measurements of one model."""
    by_round = {}
    for m in measurements:
        if m["model"] == model.name:
            by_round.setdefault(m["round"], {})[m["way"]] = m["ns"] / m["rows"]
    by_round = list(by_round.values())
    fetched = bool(set(ways) & set(spec.fetch))
    return [{"model": model.name, "way": way, "rounds": len(by_round),
             "ns_a_row": statistics.median(times[way] for times in by_round),
             "to_bare": ratio(by_round, way, "bare"),
             "to_fetch": ratio(by_round, way, "fetch", spec.fetch) if fetched else None,
             "cells": list(spec.cells(model, way)),
             "goals": goals_of(spec, model, way, ways, by_round)} for way in ways]


# ---------------------------------------------------------------------- words


def times(value):
    """A ratio with about three digits, in plain notation."""
    decimals = 0 if value >= 100 else 1 if value >= 10 else 2 if value >= 0.1 else 3
    return f"{value:,.{decimals}f}"


def goal_in_words(spec, goal):
    most, other = goal["at_most"], spec.against[goal["against"]]
    factor = f"{1 / most:.1f}".removesuffix(".0")
    wanted = f"at most {most:.2f} x {other}" if most >= 1 else f"{factor} times as fast as {other}"
    if goal["excuse"]:
        return f"{wanted}: {goal['excuse']}"
    found = "" if most >= 1 else f" ({times(1 / goal['ratio'])})"
    return f"{wanted}{found}: {'pass' if goal['met'] else 'MISS'}"


def head_of(spec):
    return ("way", "ns a row", "x bare scan", "lowest to highest", "x fetch", *spec.head, "goals")


def cells_of(spec, result):
    median, low, high = result["to_bare"]
    return (spec.ways[result["way"]][1], f"{result['ns_a_row']:,.0f}", times(median), f"{times(low)} to {times(high)}",
            times(result["to_fetch"][0]) if result["to_fetch"] else "", *result["cells"],
            "; ".join(goal_in_words(spec, goal) for goal in result["goals"]))


def written_in_words(spec, results):
    """Writing scores in the database against doing it by a client, in a sentence; None where one is not measured."""
    written = [result["to_fetch"][0] for result in results if "written" in spec.ways[result["way"]][1] and result["to_fetch"]
               and result["way"] not in spec.fetch]
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


def in_columns(rows):
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    for row in rows:
        cells = [row[0].ljust(widths[0])] + [cell.rjust(width) for cell, width in zip(row[1:-1], widths[1:-1])]
        yield "  ".join([*cells, row[-1]]).rstrip()


def text_of(spec, sections, after):
    lines = [line for note in spec.notes for line in wrapped(note)]
    for title, count, results in sections:
        head = (f"{title} ({count} round{'s' * (count > 1)})", *head_of(spec)[1:])
        lines += ["", *in_columns([head] + [cells_of(spec, result) for result in results])]
        if written_in_words(spec, results):
            lines.append(written_in_words(spec, results))
    return "\n".join(lines + [""] * bool(after) + after) + "\n"


def markdown_of(spec, sections, after):
    lines = [f"# {spec.title}", ""] + [line for note in spec.notes for line in wrapped(note) + [""]]
    head = head_of(spec)
    for title, count, results in sections:
        lines += [f"## {title}", "", f"{count} rounds.", "", "| " + " | ".join(head) + " |",
                  "|---" + "|---:" * (len(head) - 2) + "|---|"]
        lines += ["| " + " | ".join(cells_of(spec, result)) + " |" for result in results] + [""]
        if written_in_words(spec, results):
            lines += [written_in_words(spec, results), ""]
    for sentence in after:
        lines += [sentence, ""]
    return "\n".join(lines + [f"![time a row, by model and way]({spec.name}.png)"]) + "\n"


# ---------------------------------------------------------------------- picture


def picture(path, spec, sections):
    heights = [len(results) for _, _, results in sections]
    figure, axes = pyplot.subplots(len(sections), 1, sharex=True, squeeze=False, figsize=(10, 1.6 + 0.42 * sum(heights)),
                                   gridspec_kw={"height_ratios": heights}, layout="constrained")
    for axis, (title, _, results) in zip(axes[:, 0], sections):
        values = [result["ns_a_row"] for result in results]
        bars = axis.barh([spec.ways[result["way"]][1] for result in results], values,
                         color=[spec.colours[spec.ways[result["way"]][2]][0] for result in results])
        labels = [f" {value:,.0f} ns, {times(result['to_bare'][0])} x" for value, result in zip(values, results)]
        axis.bar_label(bars, labels, fontsize=9)
        axis.invert_yaxis()
        axis.set_xscale("log")
        axis.set_title(title, loc="left", fontsize=11, fontweight="bold")
        axis.spines[["top", "right"]].set_visible(False)
    low, high = axes[0, 0].get_xlim()
    axes[0, 0].set_xlim(low / 2, high * 6)  # room for the numbers
    axes[-1, 0].set_xlabel("nanoseconds a row, logarithmic; behind it, times the bare scan")
    figure.suptitle(spec.picture_title, fontsize=11)
    used = {spec.ways[result["way"]][2] for _, _, results in sections for result in results}
    kinds = [kind for kind in spec.colours if kind in used]
    figure.legend([pyplot.Rectangle((0, 0), 1, 1, color=spec.colours[kind][0]) for kind in kinds],
                  [spec.colours[kind][1] for kind in kinds], loc="outside lower center", ncols=3, frameon=False)
    figure.savefig(path, dpi=130)


# ---------------------------------------------------------------------- all of it


def report(folder, spec, models, ways_of, measurements, about, after=(), missed=0):
    """Writes the four files, prints the text; 1 where a goal was missed, else 0. `after`: sentences behind the tables, of
    which `missed` say a miss."""
    sections = []
    for model in models:
        results = results_of(spec, model, ways_of(model), measurements)
        sections.append((model.title, results[0]["rounds"], results))
    results = [result for _, _, results in sections for result in results]
    missed += sum(not goal["met"] and not goal["excuse"] for result in results for goal in result["goals"])
    text = text_of(spec, sections, list(after)) + ("\n" + (f"goals missed: {missed}" if missed else "all goals met") + "\n")

    files = {model.name: {"title": model.title, "bytes": model.path.stat().st_size,
                          "sha256": hashlib.sha256(model.path.read_bytes()).hexdigest()} for model in models}
    everything = {"machine": about, "models": files, "results": results, "after": list(after), "measurements": measurements}
    (folder / f"{spec.name}.txt").write_text(text)
    (folder / f"{spec.name}.md").write_text(markdown_of(spec, sections, list(after)))
    (folder / f"{spec.name}.json").write_text(json.dumps(everything, indent=1) + "\n")
    picture(folder / f"{spec.name}.png", spec, sections)
    print("\n" + text + f"\nwritten: {folder}/{spec.name}.txt, .md, .json, .png")
    return 1 if missed else 0
