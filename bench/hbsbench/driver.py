"""driver.py - cells: a model on a system in a scenario. Each run of a cell is a process with a deadline (child.py); its
records come to the results whole, or not at all."""

import contextlib
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

from . import accuracy, alternate, case, logs, manifest, pools, records, systems, walked
from .errors import BenchError, Refused
from .manifest import HERE
from .profiles import MULTI, OFFLINE, PROFILES, SCENARIOS, SERVER, SINGLE, TRUSTED_TARGET

START_SECONDS, ROW_SECONDS, SEARCH_STEPS = 2.0, 0.0005, 12
TRIES = 1.4  # of a rate: how many runs it takes
SERVER_DEFAULTS = {"target_latency_ms": 10, "connections": 4}


class Cell:
    def __init__(self, model, system_name, scenario, targets, samples_per_query=None, sink=None):
        self.model, self.system_name, self.scenario, self.targets = model, system_name, scenario, targets
        self.samples_per_query, self.sink, self.timed, self.threads = samples_per_query, sink, None, None

    @property
    def alternates(self):
        return "alternate" in self.targets

    @property
    def title(self):
        """With what was varied. A cell of some steps alone ends with their names."""
        return self.titled(f"{self.threads}-threads" if self.threads else None)

    @property
    def floor_title(self):
        """The floor's cell: what does nothing has one thread."""
        return self.titled(None)

    def titled(self, threads):
        varied = [self.samples_per_query, self.sink, threads, "writes" if "writes_per_second" in self.targets else None,
                  "alternating" if self.alternates else None, *(self.timed or [])]
        return "-".join([self.scenario, *(str(part) for part in varied if part)])

    def __str__(self):
        return f"{self.model.name}, {self.system_name}, {self.title}"


def cells_of(model, system_name, system, scenarios, writes=None, others=(), batches=()):
    """The cells of a model on a system that takes it. `writes`: a second, beside a server, where the manifest has no such rate.
    `others`: models that take turns with it in streams, where the manifest names none. `batches`: rows of a query of multi-stream,
    in the place of the manifest's."""
    found = []
    for scenario, targets in model["scenarios"].items():
        if scenario not in scenarios or scenario not in getattr(system, "scenarios", SCENARIOS):
            continue
        if scenario in (SINGLE, MULTI):
            targets = dict(targets)
            in_turn = targets.pop("alternate", list(others))
            for changed in ({}, {"alternate": in_turn}) if in_turn else ({},):
                found += [Cell(model, system_name, scenario, {**targets, **changed}, samples_per_query=n)
                          for n in (batches or targets.get("samples_per_query", [8]) if scenario == MULTI else [None])]
        elif scenario == OFFLINE:
            found += [Cell(model, system_name, scenario, targets, sink=sink) for sink in targets.get("sink", ["client"])
                      if sink in system.sinks]
        elif scenario == SERVER:
            targets = {**SERVER_DEFAULTS, **targets}
            rate = targets.pop("writes_per_second", writes)
            found.append(Cell(model, system_name, scenario, targets))
            if rate and getattr(system, "writer", None):
                found.append(Cell(model, system_name, scenario, {**targets, "writes_per_second": rate}))
    return found


def untrustworthy(cell):
    """The reason; None: there is none."""
    if cell.scenario == SERVER and cell.targets["target_latency_ms"] < TRUSTED_TARGET:
        return f"a target under {TRUSTED_TARGET} ms, of which the generator takes a part"
    return None


class Progress:
    """How long the rest takes: what is expected of it, by how much the past took longer than that."""

    def __init__(self, expected):
        self.expected, self.at, self.skipped = expected, 0, 0.0

    def next(self, elapsed, skipped):
        """A run begins, or is skipped; the seconds that are left with it."""
        self.at += 1
        past = sum(self.expected[:self.at - 1]) - self.skipped
        left = self.left() + self.expected[self.at - 1]
        if skipped:
            self.skipped += self.expected[self.at - 1]
        return left * elapsed / past if past else left

    def left(self):
        return sum(self.expected[self.at:])


def tail(path, most=10_000):
    with open(path, "rb") as file:
        file.seek(max(0, path.stat().st_size - most))
        return file.read().decode(errors="replace")


class Harness:
    """`results`, `cache`: folders. `told`: takes lines of progress. `writes`, `alternate`: as of cells_of, which
    leaves out a model itself. `threads`: numbers of threads that libraries get, each in cells of its own; systems without a pool of
    threads have one. `duration_ms`: in the place of the profile's; such a run is refused by check.py. `find_peak`: the
    rate of server is searched by LoadGen's own mode. `batches`: as of cells_of."""

    def __init__(self, results, cache, profile, environment, date, told=print, deadline=None, writes=None, alternate=(), threads=(1,), duration_ms=None,
                 find_peak=False, batches=()):
        self.results, self.cache = pathlib.Path(results), pathlib.Path(cache)
        self.profile, self.environment, self.date = PROFILES[profile], environment, date
        self.told, self.deadline, self.writes, self.alternate, self.views = told, deadline, writes, list(alternate), {}
        self.threads, self.duration_ms, self.find_peak = tuple(dict.fromkeys(threads)), duration_ms, find_peak
        self.batches, self.empty = tuple(dict.fromkeys(batches)), []  # (model, system, reason)
        self.digests = {}

    def plan(self, models, system_names, scenarios):
        """The cells of all models and systems; a system that cannot take a model leaves a reason."""
        cells, known = [], {}
        system_names = list(dict.fromkeys(system_names))
        for model in models:
            if known.setdefault(model.name, model.digest) != model.digest:
                raise BenchError(f'{model.path}: name: another model has the name "{model.name}" too: their records would lie in one place')
        for model in {model.name: model for model in models}.values():
            locked = case.check_lock(model, self.cache, self.told)
            opened = case.Case(model, self.cache, self.profile.most_rows)
            for name in system_names:
                for view in opened.views():
                    for place, threads in enumerate(self.threads):
                        cells += self.planned(model, name, view, locked, scenarios, known, threads, first=place == 0)
        return cells

    def planned(self, model, name, view, locked, scenarios, known, threads, first):
        """The cells of a model, or of some of its steps, on a system. `first`: one without a pool of threads has its cells now."""
        timed = model["timed"] if view.manifest is not model else None
        try:
            about, system = systems.load(name, view, beside=model.folder)
            systems.telling(about, system.prepare)
        except Refused as reason:
            if (model.name, name, str(reason)) not in self.empty:
                self.empty.append((model.name, name, f"{', '.join(timed)}: {reason}" if timed else str(reason)))
            return []
        if not system.threaded and not first:
            return []
        if known.setdefault(("system", about.name), about.digest) != about.digest:
            raise BenchError(f'{about.path}: name: another system has the name "{about.name}" too: their records would lie in one place')
        found = self.small_enough(cells_of(model, about.name, system, scenarios, self.writes, self.others(model), self.batches), view.rows)
        for cell in found:
            cell.manifest, cell.case, cell.locked, cell.timed = about, view, locked, timed
            cell.scores, cell.in_sql = system.scores, hasattr(system, "dialect")
            cell.threads = threads if system.threaded and threads > 1 else None
            cell.pool = cell.threads or about.get("options", {}).get("threads", 1)
        return [cell for cell in found if not cell.alternates or (not timed and self.takes_turns(cell, view))]

    def small_enough(self, cells, rows):
        """Those whose queries have no more rows than there are; the others leave a reason."""
        for cell in cells:
            if (cell.samples_per_query or 1) > rows:
                self.empty.append((cell.model.name, cell.system_name, f"{cell.title}: there are {rows} rows"))
        return [cell for cell in cells if (cell.samples_per_query or 1) <= rows]

    def others(self, model):
        """The names of the models that are to take turns with this one."""
        return [name for name in self.alternate if manifest.find("model", name, beside=model.folder).name != model.name]

    def takes_turns(self, cell, view):
        """Prepares the system for all models of the cell; a system that cannot take one of them leaves a reason."""
        try:
            cell.case = self.in_turn(cell.model, cell.targets["alternate"], view)
            for other in cell.case.others:
                systems.load(self.system_path(cell), other)
            about, system = systems.load(self.system_path(cell), cell.case)
            systems.telling(about, system.prepare)
        except Refused as reason:
            empty = (cell.model.name, cell.system_name, f"in turn with {', '.join(cell.targets['alternate'])}: {reason}")
            if empty not in self.empty:
                self.empty.append(empty)
            return False
        return True

    def in_turn(self, model, names, view):
        key = (model.name, *names)
        if key not in self.views:
            others = [manifest.find("model", name, beside=model.folder) for name in names]
            for other in others:
                case.check_lock(other, self.cache, self.told)
            self.views[key] = view.beside([case.Case(other, self.cache, self.profile.most_rows) for other in others])
        return self.views[key]

    # ------------------------------------------------------------------ one process

    def spec(self, cell, modes, target_qps):
        return {"model": str(cell.model.path.resolve()), "system": self.system_path(cell), "scenario": cell.scenario,
                "targets": cell.targets, "samples_per_query": cell.samples_per_query or 1, "sink": cell.sink,
                "rows_per_sample": self.block(cell), "connections": cell.targets.get("connections", 1), "modes": modes,
                "timed": cell.timed, "alternate": [str(other.manifest.path.resolve()) for other in cell.case.others], "writes_per_second": cell.targets.get("writes_per_second"),
                "threads": cell.threads, "duration_ms": self.duration_ms, "find_peak": self.find_peak,
                "profile": self.profile.name, "most_rows": self.profile.most_rows, "cache": str(self.cache.resolve()),
                "target_qps": target_qps, "parent": os.getpid(), "manifests": self.manifests(cell)}

    @staticmethod
    def manifests(cell):
        """Those that the process of a cell needs."""
        whole = getattr(cell.case, "whole", cell.case)
        return manifest.given([cell.model, whole.dataset, cell.manifest, *(part for other in cell.case.others for part in (other.manifest, other.dataset))])

    @staticmethod
    def system_path(cell):
        return str(cell.manifest.path.resolve())

    @staticmethod
    def block(cell):
        return cell.targets.get("rows_per_sample", 512) if cell.scenario == OFFLINE else 1

    def seconds(self, cell):
        """The deadline of a process: many times what it should take."""
        if self.deadline:
            return self.deadline
        least = 600 + 6 * self.profile.min_duration_ms / 1000
        return least * (3 if cell.scenario == SERVER else 1)

    def child(self, cell, modes, folder, target_qps=None):
        """Runs a cell in a process of its own; gives its answer."""
        spec = folder / "spec.json"
        records.write_json(spec, self.spec(cell, modes, target_qps))
        environment = dict(os.environ)
        environment["PYTHONPATH"] = os.pathsep.join([str(HERE.parent), str(HERE.parent.parent / "python" / "src"),
                                                     environment.get("PYTHONPATH", "")])
        for name, default in (("HBSBENCH_NATIVE", "build/bench/native.so"), ("HBSCORE_SO", "build/hbscore.so")):
            environment[name] = os.path.abspath(environment.get(name, default))
        environment.update(pools.environment(cell.pool))
        limit = self.seconds(cell)
        with open(folder / "output.txt", "wb") as output:
            process = subprocess.Popen([sys.executable, "-W", "ignore", "-m", "hbsbench.child", str(spec)], cwd=folder,
                                       env=environment, stdin=subprocess.DEVNULL, stdout=output, stderr=output,
                                       start_new_session=True)
            try:
                process.wait(limit)
            except subprocess.TimeoutExpired:
                raise BenchError(f"{cell}: no answer within {limit:g} seconds; the process was ended") from None
            finally:
                # The group, for a process that has ended may have left others, which would run beside the next cell.
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        return self.answer(cell, folder, process.returncode)

    @staticmethod
    def answer(cell, folder, status):
        try:
            answer = json.loads((folder / "answer.json").read_text())
        except (OSError, ValueError):
            lines = tail(folder / "output.txt").split("\n")
            last = next((line for line in reversed(lines) if line.strip()), "")
            raise BenchError(f"{cell}: the process ended with status {status} and no answer{': ' + last.strip() if last else ''}") from None
        if "refused" in answer:
            raise Refused(answer["refused"])
        if "error" in answer:
            raise BenchError(f"{cell}: {answer['error']}")
        return answer

    # ------------------------------------------------------------------ records

    @contextlib.contextmanager
    def making(self):
        """A folder on the file system of the results, so that what is made in it can be moved there in one step. No record is
        read from it, and the next run clears away what a run that was killed has left."""
        self.results.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=records.MAKING, dir=self.results) as folder:
            try:
                yield pathlib.Path(folder).resolve()
            except BenchError as error:
                full = records.no_space(self.results)
                raise full or error from None

    def record(self, cell, mode, answer, **more):
        about = cell.manifest
        run = answer["runs"][mode]
        return {"schema": records.SCHEMA, "label": records.LABEL, "profile": self.profile.name, "mode": mode, "model": cell.model.name,
                "model_version": cell.model["version"], "dataset": cell.model["dataset"]["ref"], "system": about.name,
                "kind": about["kind"], "division": about["division"], "floor": about.get("floor"),
                "scenario": cell.scenario, "cell": cell.title, "floor_cell": cell.floor_title, "threads": cell.pool, "duration_ms": self.duration_ms, "timed": cell.timed, "alternate": alternate.stated(cell.case), "writes": answer.get("writes"), "samples_per_query": cell.samples_per_query, "sink": cell.sink,
                "rows_per_sample": self.block(cell), "targets": cell.targets, "date": self.date,
                "environment": self.environment["id"], "commit": self.environment["commit"],
                "changed_files": self.environment["changed_files"], "manifest_digest": cell.model.digest,
                "system_digest": about.digest, "recipe": cell.locked["recipe"], "data": cell.locked["data"],
                "model_digest": cell.case.facts["formats"].get("hbscore", {}).get("sha256"), "rows": answer["rows"],
                "sample_set": answer["sample_set"], "facts": answer["facts"], "usage": answer["usage"],
                "statement": answer.get("statement"), "parts": answer.get("parts"), "files": cell.case.files(), "target_qps": answer.get("target_qps"), "search": answer.get("search"), "peak": answer.get("peak"), "untrustworthy": untrustworthy(cell), "rules_compliant": self.rules_compliant(run), **run, **more}

    @staticmethod
    def rules_compliant(run):
        """By LoadGen's own words: a run with its rules' settings (rules.py) that is VALID."""
        return run["valid"] and run.get("rules_breaches") == []

    def run_cell(self, cell, number, with_accuracy, target_qps=None):
        """A run of a cell, with its accuracy before it where that is asked for: records in the results."""
        home = records.place(self.results, self.date, self.environment, cell)
        modes = (["accuracy"] if with_accuracy and cell.scores else []) + ["performance"]
        with self.making() as folder:
            answer = self.child(cell, modes, folder, target_qps)
            judged = None
            if "accuracy" in modes:
                judged = self.judge(cell, answer, folder / "accuracy")
                records.write_json(folder / "accuracy" / "result.json", self.record(cell, "accuracy", answer, accuracy=judged))
            records.write_json(folder / "performance" / "result.json", self.record(cell, "performance", answer, repeat=number))
            if judged:
                records.put(home / "accuracy", folder / "accuracy")
            records.put(home / "performance" / f"run_{number}", folder / "performance")
        return answer, judged

    @staticmethod
    def judge(cell, answer, folder):
        opened = cell.case
        run = answer["runs"]["accuracy"]
        if "sums" in run:
            return accuracy.judge_sums(opened.expected(), run["sums"])
        path = folder / "mlperf_log_accuracy.json"
        samples = logs.accuracy_rows(path.read_text(), opened.width, path.name)
        rows = run.pop("rows_of_samples", None)  # of multi-stream
        if rows:
            samples = {rows[sample]: outputs for sample, outputs in samples.items()}
        found = opened.judged(accuracy.outputs_of(samples, answer["rows"], Harness.block(cell)))
        # A database computes preprocess by its own functions, whose last bits may be others.
        own_rows = not (cell.in_sql and opened.manifest.get("preprocess"))
        tolerances = opened.tolerances() if cell.manifest["kind"] == "ours" and own_rows else None
        return accuracy.judge(cell.model, found, opened.reference(), opened.data.target[:opened.rows], opened.rows == opened.data.rows, tolerances, opened.groups())

    # ------------------------------------------------------------------ all cells

    def expected_seconds(self, number, cell):
        """Roughly the seconds of a run, of its process and pilot; before the first run also accuracy and the search for a rate."""
        p = self.profile
        seconds = START_SECONDS + p.pilot_seconds + self.measured_seconds(cell)
        if number == 1 and cell.scores and cell.scenario != OFFLINE:
            seconds += cell.case.rows * ROW_SECONDS
        if number == 1 and cell.scenario == SERVER:
            seconds += SEARCH_STEPS * p.search_seconds
        return seconds

    def measured_seconds(self, cell):
        whole = (self.profile.min_duration_ms if self.duration_ms is None else self.duration_ms) / 1000
        if cell.scenario == OFFLINE and not self.profile.by_rules:
            return self.profile.pass_seconds(self.duration_ms)
        return max(whole * (TRIES if cell.scenario == SERVER else 1), 0.5)

    def run(self, cells):
        """Repeats are the outer loop, so that all systems meet the same state of the machine. The number of cells that
        failed."""
        with records.alone(self.results):
            return self._run(cells)

    def _run(self, cells):
        records.write_environment(self.results, self.date, self.environment)
        failed, rates, begun = {}, {}, time.monotonic()
        # A floor is there to be looked at beside a system, so one run of it is enough.
        turns = [(number, cell) for number in range(1, self.profile.repeats + 1) for cell in cells
                 if number == 1 or cell.manifest["kind"] != "floor"]
        progress = Progress([self.expected_seconds(number, cell) for number, cell in turns])
        if self.profile.min_duration_ms:
            self.told(f"{len(cells)} cells, {len(turns)} runs: about {progress.left() / 60:.0f} minutes")
        for number, cell in turns:
            left = progress.next(time.monotonic() - begun, cell in failed)
            if cell in failed:
                continue
            try:
                answer, judged = self.run_cell(cell, number, number == 1, rates.get(cell))
            except Refused as reason:
                self.empty.append((cell.model.name, cell.system_name, f"{cell.title}: {reason}"))
                failed[cell] = None
                continue
            except BenchError as error:
                self.told(f"FAILED  {error}")
                failed[cell] = str(error)
                continue
            if "target_qps" in answer:  # the highest rate that held in any repeat, which the next one begins at
                rates[cell] = max(rates.get(cell) or 0.0, answer["target_qps"])
            self.told(self.line(cell, number, answer, judged, left))
            if judged and not judged["passed"]:
                self.told(f"FAILED  {cell}: accuracy: {'; '.join(judged['reasons'])}")
                failed[cell] = "accuracy"
        records.write_empty(self.results, self.date, self.environment, self.empty)
        for model, system, reason in self.empty:
            self.told(f"empty   {model}, {system}: {reason}")
        return sum(reason is not None for reason in failed.values())

    def line(self, cell, number, answer, judged, left):
        run = answer["runs"]["performance"]
        latency = run.get("latency", {})
        text = f"{str(cell) + ',':<60} run {number}: {'VALID  ' if run['valid'] else 'INVALID'}"
        if cell.scenario == OFFLINE:
            text += f" {latency.get('p50', 0) / 1e6:10.3f} ms a pass"
        else:
            text += f" p50 {latency.get('p50', 0) / 1e3:10.1f} us  p99 {latency.get('p99', 0) / 1e3:10.1f} us"
        if cell.scenario == SERVER:
            text += f" at {answer['target_qps']:.0f} queries/s{', untrustworthy' if untrustworthy(cell) else ''}"
        if walked.FIELD in run and answer["rows"] < walked.WANTED:
            text += f"  of {run[walked.FIELD]} rows alone"
        if answer.get("writes"):
            text += f" beside {answer['writes']['per_second']:.0f} writes/s"
        if "harness" in run:
            text += f"  harness {run['harness']['share']:.0%}"
        if judged:
            text += f"; {judged['metric']} {judged['value'] if not isinstance(judged['value'], list) else 'equal'}" + \
                    ("" if judged["bits_differ"] is None else f", {judged['labels_differ']} labels and {judged['bits_differ']} bits differ")
        if number == 1:
            text += f"; {settings_told(run['changed_settings'])}"
        if left is not None and self.profile.min_duration_ms:
            text += f"  ({left / 60:.0f} min left)"
        return text


def settings_told(changed):
    """Every setting that is not LoadGen's default, but for those of the rules' other tests."""
    return ", ".join(f"{name} {value:g}" if isinstance(value, float) else f"{name} {value}" for name, value in sorted(changed.items())
                     if value and not name.startswith("test05_")) or "LoadGen's own settings"
