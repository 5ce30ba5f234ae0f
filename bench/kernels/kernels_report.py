"""kernels_report.py - what the measurements say: kernels.txt, kernels.md, kernels.json (with each measurement),
kernels_table.md (the table of docs/performance.md), kernels.png and kernels_strategies.png in the folder, and the text
on the terminal."""

from __future__ import annotations

import json
import os
import pathlib
import platform
import statistics
import subprocess
import time
from importlib import metadata
from typing import Any, Dict, List, Optional, Tuple

import kernels_strategies
from kernels_models import ANSWERS, Spec
from kernels_picture import picture, strategies_picture
from kernels_ways import IN_C, OWN, WAYS

PACKAGES = ("xgboost-cpu", "lightgbm", "catboost", "scikit-learn", "onnxruntime", "lleaves", "tl2cgen", "treelite",
            "numpy")
SHORT = {"xgboost": "XGB place", "xgboost_matrix": "XGB DMatrix", "lightgbm": "LightGBM", "catboost": "CatB NumPy",
         "catboost_pool": "CatB Pool", "sklearn": "scikit-learn", "onnx": "ORT", "lleaves": "lleaves",
         "tl2cgen": "TL2cgen"}

# Absolute guides in nanoseconds a row, for an AMD Zen 5 and for a recent Intel core: no targets.
GUIDES = {("xgboost_100x6", 16_384): (30, 50), ("xgboost_500x8", 16_384): (180, 280),
          ("lightgbm_500x31", 16_384): (150, 250), ("lightgbm_500x255", 16_384): (700, 1_200),
          ("xgboost_100x6", 1): (200, 340)}


# The machine -------------------------------------------------------------------------------


def cpu_line(name: str) -> str:
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith(name):
            return line.split(":", 1)[1].strip()
    return ""


SETS = {"portable": set(), "avx2": {"avx2"}, "avx512": {"avx512f", "avx512dq", "avx512vl", "avx512bw"},
        "avx512vbmi": {"avx512vbmi"}}


def instruction_set() -> str:
    """The one that the core takes: the best that the CPU has, at most what HBSCORE_INSTRUCTION_SET names."""
    has, best = set(cpu_line("flags").split()), "portable"
    for name, flags in SETS.items():
        if best == os.environ.get("HBSCORE_INSTRUCTION_SET") or not flags <= has:
            break
        best = name
    return best


def commit() -> str:
    answer = subprocess.run(["git", "describe", "--always", "--dirty"], capture_output=True, text=True, check=False)
    return answer.stdout.strip() or "of no known commit"


def notes_of(o: Any) -> List[str]:
    forced = ", forced" if os.environ.get("HBSCORE_INSTRUCTION_SET") else ""
    versions = ", ".join("%s %s" % (name, metadata.version(name)) for name in PACKAGES)
    return [
        "%s, %d CPUs; instruction set %s%s; hbscore %s; Python %s; %s; %s."
        % (cpu_line("model name") or platform.machine(), os.cpu_count() or 0, instruction_set(), forced, commit(),
           platform.python_version(), versions, time.strftime("%Y-%m-%d")),
        "Nanoseconds of CPU time a row: medians of %d rounds in which the ways take turns, one thread each, raw scores "
        "(of the random forest probabilities), over at least %s distinct rows of float32. With *: a slow library, on "
        "fewer rows a round, other ones in each (how many: kernels.json); with **: in smaller batches too."
        % (o.rounds, "{:,}".format(ANSWERS)),
        "hbscore takes columns (one row: hbs_score_row). Called in C: %s. One row is LightGBM's SingleRowFast. "
        "scikit-learn and CatBoost are called in Python, as their packages have no other call."
        % ", ".join(WAYS[way] for way in IN_C if way != "core"),
        "\"x fastest\": how many times as fast as the fastest of the others in the same round hbscore is. Never "
        "slower than another is a target everywhere.",
    ]


# Models ------------------------------------------------------------------------------------


def facts_of(o: Any, spec: Spec, core: List[str], absent: Dict[str, str], answers: Dict[str, Any]) -> Dict[str, Any]:
    trained = json.loads((o.folder / (spec.name + ".json")).read_text())
    return {"name": spec.name, "title": spec.title, "library": spec.library, "features": spec.features,
            "trees": trained["trees"], "leaves": trained["leaves"], "load_ms": int(core[0]) / 1e6,
            "compile_ms": int(core[1]) / 1e6, "plan_bytes": int(core[2]), "strategy": core[3],
            "note": " ".join(core[4:]), "absent": absent, "small": o.smoke, **answers}


def facts_line(facts: Dict[str, Any]) -> str:
    off = ", ".join("%s %d" % (WAYS[way], rows) for way, rows in facts["off"].items() if rows)
    return ("%d features, %d trees of %.0f leaves; strategy %s (%s), %s bytes of plan, compiled in %.1f ms (loaded "
            "in %.1f); of %s rows other bits than the library's: %d, other labels: %d%s"
            % (facts["features"], facts["trees"], facts["leaves"], facts["strategy"], facts["note"],
               "{:,}".format(facts["plan_bytes"]), facts["compile_ms"], facts["load_ms"], "{:,}".format(ANSWERS),
               facts["bits"], facts["labels"], "; off by more than 1e-4: " + off if off else ""))


def targets_of(facts: Dict[str, Any], batch: int) -> List[Tuple[str, float]]:
    """("fastest" or "own" library, times as fast at least); none of tiny models."""
    if facts["small"]:
        return []
    if facts["features"] != 28:
        return [("fastest", 1)]
    if batch == 1:
        return [("fastest", 8)]
    if batch == 64:
        return [("fastest", 10)]
    if batch == 16_384 and facts["library"] in ("xgboost", "lightgbm"):
        return [("fastest", {"avx512vbmi": 10, "avx512": 7, "avx2": 7}.get(instruction_set(), 1))]
    if batch == 16_384:
        return [("own", {"catboost": 4, "forest": 4, "hist": 10}[facts["library"]]), ("fastest", 1)]
    return [("fastest", 1)]


def ratio(rounds: List[Dict[str, float]], others: Tuple[str, ...]) -> float:
    return statistics.median(min(r[way] for way in others) / r["core"] for r in rounds)


def row_of(facts: Dict[str, Any], batch: int, found: List[Dict[str, Any]]) -> Dict[str, Any]:
    rounds: Dict[int, Dict[str, float]] = {}
    for f in found:
        rounds.setdefault(f["round"], {})[f["way"]] = f["ns"]
    times = list(rounds.values())
    ns = {way: statistics.median(r[way] for r in times) for way in times[0]}
    peers = tuple(way for way in ns if way != "core")
    # The library itself; with what it needs given where it can be.
    own = tuple(way for way in OWN[facts["library"]][-1:] if way in peers)
    fastest = min(peers, key=ns.get)
    ratios = {"fastest": ratio(times, peers), "own": ratio(times, own) if own else None}
    of = {"fastest": ns[fastest], "own": ns[own[0]] if own else 0.0}
    goals = [{"who": who, "least": least, "times": ratios[who], "met": (ratios[who] or 0) >= least,
              "ns": of[who] / least} for who, least in targets_of(facts, batch)]
    marks = {f["way"]: "**" if f["at_once"] < batch else "*" if f["rows"] < ANSWERS else "" for f in found}
    return {"model": facts["name"], "batch": batch, "ns": ns, "marks": marks, "fastest": fastest, "ratios": ratios,
            "a_tree": ns["core"] / facts["trees"], "goals": goals}


def rows_of(models: List[Dict[str, Any]], found: List[Dict[str, Any]]) -> List[Dict[str, Any]]:
    rows = []
    for facts in models:
        mine = [f for f in found if f["model"] == facts["name"]]
        for batch in sorted({f["batch"] for f in mine}):
            rows.append(row_of(facts, batch, [f for f in mine if f["batch"] == batch]))
    return rows


# Words -------------------------------------------------------------------------------------


def short(number: float) -> str:
    return "{:,.0f}".format(number) if number >= 100 else "%.1f" % number if number >= 10 else "%.2f" % number


def goal_words(row: Dict[str, Any]) -> str:
    """The "own" figure stands with its target, as the column before is that of the fastest."""
    words = []
    for goal in row["goals"]:
        met = "pass" if goal["met"] else "MISS"
        own = "own library %.2f x, " % goal["times"] if goal["who"] == "own" and goal["times"] else ""
        words.append("%sat least %g: %s" % (own, goal["least"], met))
    guide = GUIDES.get((row["model"], row["batch"]))
    if guide and row["goals"]:
        words.append("guide %d ns" % guide["AMD" not in cpu_line("vendor_id")])
    return "; ".join(words)


def cells(row: Dict[str, Any], peers: List[str]) -> List[str]:
    ns = [short(row["ns"][way]) + row["marks"][way] if way in row["ns"] else "" for way in peers]
    return (["{:,}".format(row["batch"]), short(row["ns"]["core"]), "%.3f" % row["a_tree"]] + ns
            + ["%.2f %s" % (row["ratios"]["fastest"], SHORT[row["fastest"]]), goal_words(row)])


def heads(peers: List[str]) -> List[str]:
    return ["rows at once", "hbscore", "a tree"] + [SHORT[way] for way in peers] + ["x fastest", "target"]


def peers_of(rows: List[Dict[str, Any]]) -> List[str]:
    return [way for way in WAYS if way != "core" and any(way in row["ns"] for row in rows)]


def wrapped(text: str, width: int = 118, indent: str = "") -> List[str]:
    lines = [indent]
    for word in text.split():
        if len(lines[-1]) + 1 + len(word) > width:
            lines.append(indent)
        lines[-1] = lines[-1] + word if lines[-1] == indent else lines[-1] + " " + word
    return lines


def absent_words(facts: Dict[str, Any]) -> List[str]:
    return ["%s: %s" % (WAYS[way], why) for way, why in facts["absent"].items()]


def counts(models: List[Dict[str, Any]], rows: List[Dict[str, Any]], forced: List[Dict[str, Any]]) -> str:
    goals = [goal["met"] for row in rows for goal in row["goals"]]
    wrong = sum(facts["bits"] + facts["labels"] for facts in models)
    met = "targets met: %d of %d" % (sum(goals), len(goals)) if goals else "tiny models: no targets"
    near = sum(kernels_strategies.met(row) for row in forced)
    return ("%s; auto within 10 %% of the best strategy: %d of %d; rows with other bits or labels than the library's: "
            "%d" % (met, near, len(forced), wrong))


def text_of(models: List[Dict[str, Any]], rows: List[Dict[str, Any]], forced: List[Dict[str, Any]],
            notes: List[str], small: bool) -> str:
    lines = [line for note in notes for line in wrapped(note)]
    for facts in models:
        mine = [row for row in rows if row["model"] == facts["name"]]
        peers = peers_of(mine)
        form = "  %12s %9s %8s " + " %12s" * len(peers) + "  %18s  %s"
        lines += ["", facts["title"]] + wrapped(facts_line(facts), indent="  ")
        lines += [line for words in absent_words(facts) for line in wrapped(words, indent="  ")]
        lines += [form % tuple(heads(peers))] + [(form % tuple(cells(row, peers))).rstrip() for row in mine]
    lines += ["", "Strategies"] + wrapped(kernels_strategies.ABOUT, indent="  ")
    for title, head, cells_of in kernels_strategies.tables(forced, short, small):
        form = "  %12s" + " %10s" * (len(head) - 4) + "  %10s %12s  %s"
        lines += ["", title] + [(form % tuple(row)).rstrip() for row in [head] + cells_of]
    return "\n".join(lines + ["", counts(models, rows, forced)]) + "\n"


def markdown_of(models: List[Dict[str, Any]], rows: List[Dict[str, Any]], forced: List[Dict[str, Any]],
                notes: List[str], small: bool) -> str:
    lines = ["# Tree ensembles: hbscore's core beside other libraries", ""] + [note + "\n" for note in notes]
    for facts in models:
        mine = [row for row in rows if row["model"] == facts["name"]]
        peers = peers_of(mine)
        lines += ["", "## %s" % facts["title"], "", facts_line(facts) + ".", ""]
        lines += [words + ".\n" for words in absent_words(facts)]
        lines += ["| " + " | ".join(heads(peers)) + " |", "|" + "---:|" * (len(peers) + 4) + "---|"]
        lines += ["| " + " | ".join(cells(row, peers)).replace("*", "\\*") + " |" for row in mine]
    lines += ["", "![time a row](kernels.png)", "", "## Strategies", "", kernels_strategies.ABOUT]
    for title, head, cells_of in kernels_strategies.tables(forced, short, small):
        lines += ["", "### %s" % title, "", "| " + " | ".join(head) + " |", "|" + "---:|" * (len(head) - 1) + "---|"]
        lines += ["| " + " | ".join(row) + " |" for row in cells_of]
    lines += ["", "![time a row, by strategy](kernels_strategies.png)"] if forced else []
    return "\n".join(lines + ["", counts(models, rows, forced) + "."]) + "\n"


# The page's table ----------------------------------------------------------------------------

PAGE_BATCHES = {1: "1 row", 64: "64 rows", 16_384: "16,384 rows"}


def page_cell(row: Dict[str, Any]) -> str:
    """hbscore's time, how many times as fast that is as the fastest other way, which one, and its time."""
    missed = any(not goal["met"] for goal in row["goals"])
    return "%s ns, %.3g x %s (%s)%s" % (short(row["ns"]["core"]), row["ratios"]["fastest"], WAYS[row["fastest"]],
                                        short(row["ns"][row["fastest"]]), " (miss)" * missed)


def page_table(models: List[Dict[str, Any]], rows: List[Dict[str, Any]]) -> str:
    lines = ["| Model | " + " | ".join(PAGE_BATCHES.values()) + " |", "|---|" + "---:|" * len(PAGE_BATCHES)]
    for facts in models:
        mine = {row["batch"]: row for row in rows if row["model"] == facts["name"] and row["batch"] in PAGE_BATCHES}
        cell = [page_cell(mine[batch]) if batch in mine else "" for batch in PAGE_BATCHES]
        lines.append("| " + " | ".join([facts["title"]] + cell) + " |")
    return "\n".join(lines) + "\n"


# All of it ---------------------------------------------------------------------------------


def report(o: Any, models: List[Dict[str, Any]], found: List[Dict[str, Any]], forced: List[Dict[str, Any]]) -> int:
    """Writes the files and prints the text; 1 where a target was missed or an answer was another, else 0."""
    rows, notes = rows_of(models, found), notes_of(o)
    text = text_of(models, rows, forced, notes, o.smoke)
    (o.folder / "kernels.txt").write_text(text)
    (o.folder / "kernels.md").write_text(markdown_of(models, rows, forced, notes, o.smoke))
    (o.folder / "kernels_table.md").write_text("%s\n\n%s" % (notes[0], page_table(models, rows)))
    everything = {"facts": notes, "models": models, "rows": rows, "strategies": forced, "measurements": found}
    (o.folder / "kernels.json").write_text(json.dumps(everything, indent=1))
    if models:
        picture(o.folder / "kernels.png", models, rows, notes[0])
    if forced:
        strategies_picture(o.folder / "kernels_strategies.png", forced, notes[0])
    print("\n" + text + "\nwritten: %s/kernels.txt, .md, .json, .png, kernels_table.md, kernels_strategies.png" % o.folder)
    good = [goal["met"] for row in rows for goal in row["goals"]] + [kernels_strategies.met(row) for row in forced]
    wrong = any(facts["bits"] + facts["labels"] for facts in models)
    return 0 if (all(good) or o.smoke) and not wrong else 1
