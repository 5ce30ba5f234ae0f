"""load_compare.py FOLDER LOAD - cold start: hbscore beside XGBoost, on the same file, taking turns.

XGBoost: Booster().load_model(path), by all cores (it loads the trees in parallel, whatever nthread says), and by one
(OMP_NUM_THREADS). hbscore: LOAD (bench/load/load.c) reads the file, takes its digest, parses, validates and compiles
it, by one. The file is in the page cache for all. Medians of the rounds are compared, and the goals are for XGBoost by
all cores; the means of hbscore's phases are shown. Beside a PostgreSQL server (tools/postgres_server.sh) the first
call in a new connection is measured too, as psql sees it: the extension is loaded, the model found, read from the
table, checked, compiled, and one row scored. The status is 1 where a goal is missed.
"""

import os
import pathlib
import platform
import re
import shutil
import statistics
import subprocess
import sys
import time

import xgboost

ROUNDS, WARM_UP = 15, 2
PHASES = ("read", "digest", "load", "compile")
# Time against XGBoost's own load, by format.
GOALS = {"json": 0.2, "ubj": 1.2}
FIRST_CALL_GOAL = 1.5


def xgboost_rounds(path):
    """For each line of the input a load, and how many nanoseconds it took."""
    for _ in sys.stdin:
        begun = time.perf_counter_ns()
        booster = xgboost.Booster({"nthread": 1})
        booster.load_model(path)
        print(time.perf_counter_ns() - begun, flush=True)


class Rounds:
    """A program that does one round for each line."""

    def __init__(self, command, **environment):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                        env=os.environ | environment)

    def round(self):
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit("the benchmark program stopped")
        return [int(word) for word in line.split()]


def xgboost_by(path, **environment):
    return Rounds([sys.executable, __file__, "--xgboost", str(path)], **environment)


def take_turns(*ways):
    """What each way gave, round by round."""
    rounds = [[way() for way in ways] for _ in range(WARM_UP + ROUNDS)][WARM_UP:]
    return list(zip(*rounds))


def measure(path, program):
    """Nanoseconds of XGBoost by all cores and by one; the rows of LOAD."""
    all_cores, one_core, hbscore = xgboost_by(path), xgboost_by(path, OMP_NUM_THREADS="1"), Rounds([program, path])
    theirs, alone, ours = take_turns(all_cores.round, one_core.round, hbscore.round)
    return [row[0] for row in theirs], [row[0] for row in alone], ours


class FirstCall:
    """A new connection to PostgreSQL for each round, whose first call scores a row of the stored model."""

    def __init__(self, path):
        copy = pathlib.Path(os.environ["HBSCORE_SERVER"]) / path.name
        shutil.copy(path, copy)
        copy.chmod(0o644)
        self.psql("CREATE EXTENSION IF NOT EXISTS hbscore",
                  f"SELECT hbscore.register('cold', pg_read_binary_file('{copy}'))")
        features = self.psql("SELECT count(*) FROM hbscore.models AS m, hbscore.inspect(m.model) AS i"
                             " WHERE i.role = 'feature'")
        self.call = f"SELECT predict('cold', {', '.join(['0.5'] * int(features))})"

    @staticmethod
    def psql(*statements):
        given = [word for statement in statements for word in ("-c", statement)]
        done = subprocess.run(["psql", "-X", "-At", *given], capture_output=True, text=True, check=True)
        return done.stdout.split("\n")[-2]

    def round(self):
        """Nanoseconds."""
        said = self.psql("SELECT 1", "\\timing on", self.call)
        return int(float(re.fullmatch(r"Time: ([0-9.]+) ms.*", said)[1]) * 1e6)


def milliseconds(nanoseconds):
    return statistics.median(nanoseconds) / 1e6


def measure_first_call(path):
    all_cores, one_core, first_call = xgboost_by(path), xgboost_by(path, OMP_NUM_THREADS="1"), FirstCall(path)
    theirs, alone, ours = take_turns(all_cores.round, one_core.round, first_call.round)
    return (milliseconds(row[0] for row in theirs), milliseconds(row[0] for row in alone), milliseconds(ours))


def cpu():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()


def main():
    folder, program = pathlib.Path(sys.argv[1]), sys.argv[2]
    lines, missed = [], 0

    def goal(what, value, limit, text):
        nonlocal missed
        met = value <= limit
        missed += not met
        lines.append(f"{what:<34} {text:<42} {'pass' if met else 'MISS'}")

    lines.append(f"Cold start of a 500-tree depth-8 model; medians of {ROUNDS} rounds, taking turns")
    lines.append(f"{cpu()}, {os.cpu_count()} cores; XGBoost {xgboost.__version__} by all of them")
    for suffix in ("json", "ubj"):
        path = folder / f"model.{suffix}"
        theirs, alone, ours = measure(str(path), program)
        size, load_peak, peak, plan = ours[-1][4:]
        a, c = milliseconds(theirs), milliseconds(alone)
        b = milliseconds(sum(row[:4]) for row in ours)
        lines.append("")
        lines.append(f"{path.name}: {size:,} bytes")
        goal(f"  time <= {GOALS[suffix]} x XGBoost's", b / a, GOALS[suffix],
             f"{b:.1f} ms against {a:.1f} ms: {b / a:.2f} x")
        lines.append(f"    XGBoost by one core: {c:.1f} ms: {b / c:.2f} x")
        best = min(sum(row[:4]) for row in ours) / 1e6
        quickest = min(theirs) / 1e6
        lines.append(f"    best rounds: {best:.1f} ms against {quickest:.1f} ms: {best / quickest:.2f} x")
        means = [statistics.mean(row[i] for row in ours) / 1e6 for i in range(4)]
        lines.append("    means: " + ", ".join(f"{name} {mean:.2f} ms" for name, mean in zip(PHASES, means)))
        goal("  peak memory < 4 x file + 1 MiB", max(load_peak, peak), 4 * size + 2**20 - 1,
             f"{max(load_peak, peak):,} bytes: {max(load_peak, peak) / size:.2f} x")
        lines.append(f"    while loading {load_peak:,} bytes, over loading and compiling {peak:,} bytes")
        goal("  plan <= 2 x file", plan, 2 * size, f"{plan:,} bytes: {plan / size:.2f} x")
    if os.environ.get("HBSCORE_SERVER"):
        a, c, b = measure_first_call(folder / "model.ubj")
        lines.append("")
        lines.append("the first call in a new connection to PostgreSQL, model.ubj")
        goal(f"  time <= {FIRST_CALL_GOAL} x XGBoost's load", b / a, FIRST_CALL_GOAL,
             f"{b:.1f} ms against {a:.1f} ms: {b / a:.2f} x")
        lines.append(f"    XGBoost by one core: {c:.1f} ms: {b / c:.2f} x")
    lines.append("")
    lines.append("all goals met" if not missed else f"{missed} goals missed")
    text = "\n".join(lines) + "\n"
    (folder / "load.txt").write_text(text)
    print(text, end="")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(xgboost_rounds(sys.argv[2]) if sys.argv[1] == "--xgboost" else main())
