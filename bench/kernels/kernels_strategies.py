"""kernels_strategies.py - the core alone, each strategy forced, over depth and rows at once: which is the fastest
where, and whether auto picks it (the question of figure 8 of Hummingbird's paper)."""

from __future__ import annotations

import re
import statistics
from typing import Any, Callable, Dict, List

from driven import Driven
from kernels_models import ANSWERS, Spec
from kernels_ways import core_way, output_of

# A new one is a row of score.c's table too.
STRATEGIES = ("auto", "bits", "tt", "ptt", "gemm")
BATCHES = {"full": (1, 10, 64, 1_000, 16_384), "quick": (1, 64, 1_000, 16_384), "smoke": (1, 64)}
SHAPES = ("xgboost_100x6", "xgboost_500x8", "lightgbm_500x31", "lightgbm_500x255", "catboost_1000x6", "forest_100")
WITHIN = 1.10  # auto's time as a multiple of the best one's: at most
HOPELESS = 30  # times as slow as auto: not measured further than once


def specs_in(o: Any) -> List[Spec]:
    """XGBoost's depths, the shallowest first, then other shapes."""
    depths = sorted((s for s in o.asked if s.what == "depths" or s.name == "xgboost_100x6"), key=lambda s: s.size[1])
    return depths + [s for s in o.asked if s.name in SHAPES and s not in depths]


def programs_of(o: Any, spec: Spec) -> Dict[str, Driven]:
    """The core with each strategy; one that cannot hold the model would be another's double and is left out."""
    programs = {}
    for strategy in STRATEGIES:
        program = core_way(o, spec, ANSWERS, output_of(spec), "strategy=" + strategy)
        if strategy == "auto" or program.facts()[3] == strategy:
            programs[strategy] = program
        else:
            program.close()
    return programs


def choice_of(program: Driven, batch: int) -> str:
    """The plan's strategy, or what it takes for so few rows: its note says from how many on they are enough."""
    facts = program.facts()
    notes = " ".join(facts[4:])
    many = re.search(r"from (\d+) on", notes)
    return "one by one" if many and batch < int(many.group(1)) else facts[3]


def first_times(programs: Dict[str, Driven], batch: int) -> Dict[str, float]:
    first = {}
    for name, program in programs.items():
        program.time(batch, batch)
        ns, rows = program.time(batch, max(batch, 256))
        first[name] = max(ns / rows, 0.1)
    return first


def measure_batch(o: Any, spec: Spec, programs: Dict[str, Driven], batch: int) -> Dict[str, Any]:
    first = first_times(programs, batch)
    measured = [name for name in programs if first[name] <= HOPELESS * first["auto"]]
    rounds = []
    for _ in range(o.rounds):
        times = {}
        for name in measured:
            wanted = min(max(o.seconds * 1e9 / first[name], ANSWERS), o.most * 1e9 / first[name])
            ns, rows = programs[name].time(batch, max(int(wanted), batch))
            times[name] = ns / rows
        rounds.append(times)
    ns = {**first, **{name: statistics.median(r[name] for r in rounds) for name in measured}}
    best = min((name for name in measured if name != "auto"), key=lambda name: ns[name], default="auto")
    choice = choice_of(programs["auto"], batch)
    return {"model": spec.name, "title": spec.title, "depth": spec.size[1] if spec.library == "xgboost" else None,
            "trees": spec.size[0], "batch": batch, "ns": ns, "best": best, "auto": choice,
            "same": choice == choice_of(programs[best], batch),
            "ratio": statistics.median(r["auto"] / r[best] for r in rounds)}


def measure(o: Any) -> List[Dict[str, Any]]:
    found = []
    for spec in specs_in(o):
        print("strategies: %s" % spec.title, flush=True)
        programs = programs_of(o, spec)
        found += [measure_batch(o, spec, programs, batch) for batch in BATCHES[o.grid]]
        for program in programs.values():
            program.close()
    return found


# Words -------------------------------------------------------------------------------------

ABOUT = ("Each strategy forced, nanoseconds a row; - where it cannot hold the model, + the fastest of them. "
         "\"auto / best\": the time of the core's own choice as a multiple of that one's in the same round; where both "
         "do the same, which they do in two processes, it says what such a ratio is worth, and auto has picked it.")


def names_of(forced: List[Dict[str, Any]]) -> List[str]:
    return [name for name in STRATEGIES if any(name in row["ns"] for row in forced)]


def heads(names: List[str]) -> List[str]:
    return ["rows at once"] + names + ["auto picks", "auto / best", "target"]


def met(row: Dict[str, Any]) -> bool:
    return row["same"] or row["ratio"] <= WITHIN


def cells(row: Dict[str, Any], names: List[str], short: Callable, small: bool) -> List[str]:
    ns = [short(row["ns"][name]) + "+" * (name == row["best"]) if name in row["ns"] else "-" for name in names]
    asked = "the same" if row["same"] else "at most %.2f" % WITHIN
    goal = "" if small else "%s: %s" % (asked, "pass" if met(row) else "MISS")
    return ["{:,}".format(row["batch"])] + ns + [row["auto"], "%.2f" % row["ratio"], goal]


def tables(forced: List[Dict[str, Any]], short: Callable, small: bool) -> List[Any]:
    """(title, heads, rows of cells) of each model."""
    names, found = names_of(forced), []
    for title in dict.fromkeys(row["title"] for row in forced):
        rows = [cells(row, names, short, small) for row in forced if row["title"] == title]
        found.append((title, heads(names), rows))
    return found
