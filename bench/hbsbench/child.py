"""child.py - one cell in a process of its own: hbsbench.child SPEC.json

LoadGen ends the whole process on an exception in a callback, and waits for ever for a sample that is never completed. So a
run is a process with a deadline (driver.py), and callbacks catch everything, complete the query and remember the failure.
The answer is the file answer.json beside SPEC: facts and results, or {"error": ..}, or {"refused": ..}."""

import json
import os
import pathlib
import queue
import re
import resource
import shutil
import sys
import threading
import time

import numpy

from . import alternate, binding, logs, models, orphans, passes, pools, rules, schedule, share, stats, systems, traced, walked
from .case import Case
from .errors import BenchError, Refused
from .manifest import GIVEN, python_of, read
from .profiles import LEAST_QUERIES, MULTI, OFFLINE, PROFILES, SERVER, SINGLE
from .pythons import free_memory
from .writer import Writer

MOST_SAMPLES = 4096
BELOW_THE_LIMIT, SLOWEST = 0.9, 20.0
PREPARED = 2  # times a stream's duration: so many queries LoadGen makes before it starts
BYTES_A_QUERY, BYTES_A_SAMPLE = 272, 48  # of LoadGen 6.0.17, measured
FREE_SHARE = 0.75  # of the free memory, which they may take: answers are recorded too
REACH = 5  # times a profile's duration: so long may a run take for its number of queries
MOST_TRIES, LOWER = 3, 0.8  # of a rate that a whole run does not hold
MOST_SAMPLES_A_SECOND = 16_384  # that LoadGen is asked for by the rules: it writes all of a query down before
# Modes of audit.py beside "accuracy" and "performance": what they change.
AUDITS = {"audit_sampled": {"accuracy_log_sampling_target": 64}, "audit_same": {"performance_issue_same": True, "performance_issue_same_index": 3}}


class Failure:
    """The first one of any thread."""

    def __init__(self):
        self.text = None

    def __call__(self, error):
        if self.text is None:
            self.text = f"{type(error).__name__}: {error}" if not isinstance(error, BenchError) else str(error)


class Times:
    """Nanoseconds of each query: from its issue to its completion, by the shim's own clock, and within the system; and when it was
    answered. Threads append; a list takes that."""

    def __init__(self):
        self.queries = []

    def add(self, ns, inner, system, answered):
        self.queries.append((ns, inner, system, answered))

    def array(self):
        """[4][queries]"""
        return numpy.array(self.queries, "<i8").reshape(-1, 4).T


class Inline:
    """Answers within LoadGen's own thread: single-stream, and each worker of server."""

    def __init__(self, lg, session, width, failure, others=()):
        self.lg, self.session, self.failure, self.times = lg, session, failure, Times()
        self.others, self.out = others, numpy.zeros((MOST_SAMPLES, width))
        self.at, self.row_bytes = self.out.ctypes.data, 8 * width

    def issue(self, ids, samples):
        begun = time.perf_counter_ns()
        try:
            self.session.score(samples, self.out)
        except BaseException as error:  # the query is completed whatever happens
            self.failure(error)
        scored = time.perf_counter_ns()
        lg, at, size = self.lg, self.at, self.row_bytes
        self.lg.QuerySamplesComplete([lg.QuerySampleResponse(id_, at + size * place, size) for place, id_ in enumerate(ids)])
        self.times.add(time.perf_counter_ns() - begun, self.session.inner, scored - begun, scored)
        if self.others:
            self.turn(samples)

    def turn(self, samples):
        """The other models score the same rows. The query is answered, and LoadGen takes the time of the next one when this returns."""
        try:
            for other in self.others:
                other.score(samples)
        except BaseException as error:
            self.failure(error)

    def flush(self):
        pass

    def close(self):
        pass


class Neighbours(Inline):
    """Multi-stream. LoadGen shuffles the samples when it loads them, and a query is of neighbours in that order. So a sample's
    row is its place in the order, and a query is of neighbouring rows; at the end of the order it goes on at its begin. The
    order ends with some samples that were there before, which fill the last query."""

    def load(self, samples):
        self.row_of, self.firsts = {}, []
        for row, sample in enumerate(samples):
            self.row_of.setdefault(sample, row)

    def issue(self, ids, samples):
        super().issue(ids, [self.row_of[sample] for sample in samples])
        self.firsts.append(self.row_of[samples[0]])


class Pool:
    """Puts queries into a queue, from which threads take them, each with a session of its own: server."""

    def __init__(self, lg, sessions, width, failure, processors=None):
        """`processors`: those of the threads; None: they are not bound."""
        self.times, self.arrivals, self.waiting, self.processors = Times(), [], queue.SimpleQueue(), processors
        self.workers = [Inline(lg, session, width, failure) for session in sessions]
        self.threads = [threading.Thread(target=self.work, args=(worker,), daemon=True) for worker in self.workers]
        for worker in self.workers:
            worker.times = self.times
        for thread in self.threads:
            thread.start()

    def issue(self, ids, samples):
        self.arrivals.append(time.perf_counter_ns())
        self.waiting.put((ids, samples))

    def work(self, worker):
        if self.processors:
            os.sched_setaffinity(0, self.processors)
        while (query := self.waiting.get()) is not None:
            worker.issue(*query)

    def flush(self):
        pass

    def close(self):
        for _ in self.threads:
            self.waiting.put(None)
        for thread in self.threads:
            thread.join()


class Offline:
    """One query with all samples, which are blocks of rows: one scan. A query of the rules has the set many times, and then some of
    it: as many scans as it has its most frequent sample."""

    def __init__(self, lg, session, width, failure, rows, block, sink, read_back):
        self.lg, self.session, self.failure, self.times = lg, session, failure, Times()
        self.rows, self.block, self.sink, self.reading = rows, block, sink, read_back
        self.out = numpy.zeros((rows, width))
        self.sums = None

    def issue(self, ids, samples):
        for number in range(1 if len(samples) <= -(-self.rows // self.block) else int(numpy.bincount(samples).max())):
            begun = time.perf_counter_ns()
            try:
                if number:
                    self.session.before_scan(self.sink)
                self.scan()
                ended = time.perf_counter_ns()
                if self.reading and self.sink != "client":
                    self.read_back()
            except BaseException as error:
                ended = time.perf_counter_ns()
                self.failure(error)
            self.times.add(ended - begun, self.session.inner, ended - begun, ended)
            if self.failure.text:
                break
        for first in range(0, len(ids), MOST_SAMPLES):
            last = first + MOST_SAMPLES
            self.lg.QuerySamplesComplete([self.response(id_, sample) for id_, sample in zip(ids[first:last], samples[first:last])])

    def scan(self):
        rows = self.session.scan(self.sink, self.out)
        if rows != self.rows:
            raise BenchError(f"the scan gave {rows} rows of {self.rows}")

    def read_back(self):
        if self.sink == "aggregate":
            sums = numpy.zeros((1, self.out.shape[1]))
            self.session.read_back(self.sink, sums)
            self.sums = sums[0].tolist()
        else:
            self.session.read_back(self.sink, self.out)

    def response(self, id_, sample):
        if self.sink == "aggregate":
            return self.lg.QuerySampleResponse(id_, 0, 0)
        part = self.out[sample * self.block:(sample + 1) * self.block]
        return self.lg.QuerySampleResponse(id_, part.ctypes.data, part.nbytes)

    def flush(self):
        pass

    def close(self):
        pass


# ---------------------------------------------------------------------- one run of LoadGen


def settings_of(lg, cell, profile, accuracy, hint_ns, target_qps, shorter=None, by_rules=None, rows=0):
    """The settings of a run, and those that were changed from the library's defaults. `by_rules`: the settings that rules.py made,
    which are completed. `rows`: of the data set."""
    s = by_rules or lg.TestSettings()
    scenario, about = cell["scenario"], cell["targets"]
    changed = {} if by_rules else {**profile.seeds, "min_duration_ms": duration_ms(cell, profile), "min_query_count": profile.queries[scenario]}
    if scenario in (SINGLE, MULTI) and not by_rules:
        changed["min_query_count"] = reachable(profile, scenario, hint_ns)
    if scenario == SINGLE:
        changed["single_stream_expected_latency_ns"] = hint_ns
    elif scenario == MULTI:
        changed.update(multi_stream_expected_latency_ns=hint_ns, multi_stream_samples_per_query=cell["samples_per_query"])
        if not by_rules and profile.min_duration_ms:
            changed["min_query_count"] = max(changed["min_query_count"], walked.least_queries(rows, cell["samples_per_query"]))
    elif scenario == SERVER:
        if target_qps and not by_rules:
            changed["min_query_count"] = reachable(profile, scenario, 1e9 / target_qps)
        changed.update(server_target_qps=target_qps, server_target_latency_ns=int(about["target_latency_ms"] * 1e6))
    elif by_rules:
        samples = -(-rows // cell["rows_per_sample"])
        changed.update(min_query_count=rules.least_samples(samples), offline_expected_qps=min(MOST_SAMPLES_A_SECOND, samples * 1e9 / hint_ns))
    else:
        changed.update(min_duration_ms=0, performance_issue_unique=True, offline_expected_qps=1)
    if by_rules and cell.get("duration_ms") is not None:
        changed["min_duration_ms"] = cell["duration_ms"]
    changed.update(shorter or {})
    for name, value in changed.items():
        setattr(s, name, value)
    if by_rules:
        changed = {**rules.changed(lg, s), **changed}
    s.scenario = {SINGLE: lg.TestScenario.SingleStream, MULTI: lg.TestScenario.MultiStream, SERVER: lg.TestScenario.Server,
                  OFFLINE: lg.TestScenario.Offline}[scenario]
    s.mode = lg.TestMode.AccuracyOnly if accuracy else lg.TestMode.PerformanceOnly
    return s, changed


def check_memory(settings, changed, free):
    """Refuses a stream whose queries, which LoadGen makes all before it starts, need more than the free bytes of memory."""
    expected = changed.get("single_stream_expected_latency_ns") or changed.get("multi_stream_expected_latency_ns")
    if not expected:
        return
    queries = PREPARED * settings.min_duration_ms * 1e6 / expected
    needed = queries * (BYTES_A_QUERY + BYTES_A_SAMPLE * changed.get("multi_stream_samples_per_query", 1))
    if needed > FREE_SHARE * free:
        raise Refused(f"{settings.min_duration_ms / 1000:g} seconds of queries that take {expected / 1000:.3g} us: LoadGen makes {queries:,.0f} before it starts, "
                      f"in {needed / 1e9:.3g} GB of memory, and {free / 1e9:.3g} GB are free: a shorter --duration fits")


def reachable(profile, scenario, ns):
    """The profile's number of queries, each of which takes so long, as far as REACH times its duration allows them; never fewer than
    early stopping asks for."""
    return min(profile.queries[scenario], max(LEAST_QUERIES[scenario], int(REACH * profile.min_duration_ms * 1e6 / ns)))


def duration_ms(cell, profile):
    """The least duration of a run: the specification's, else the profile's."""
    return profile.min_duration_ms if cell.get("duration_ms") is None else cell["duration_ms"]


def start(lg, user, samples, settings, folder, trace=False):
    """Runs LoadGen until it ends; its files are then in the folder. `trace`: with its own trace, of a short run alone."""
    folder.mkdir(parents=True, exist_ok=True)
    log = lg.LogSettings()
    log.log_output.outdir = str(folder)
    log.log_output.copy_summary_to_stdout = False
    log.enable_trace = trace  # hundreds of MB in two seconds
    sut = lg.ConstructFastSUT(user.issue, user.flush)
    qsl = lg.ConstructQSL(samples, samples, getattr(user, "load", lambda places: None), lambda places: None)
    try:
        lg.StartTestWithLogSettings(sut, qsl, settings, log, "")
    finally:
        lg.DestroyQSL(qsl)
        lg.DestroyFastSUT(sut)
    trace = folder / "mlperf_log_trace.json"
    if trace.exists() and not trace.stat().st_size:
        trace.unlink()


def timed(call, *arguments):
    """The nanoseconds of a call."""
    begun = time.perf_counter_ns()
    call(*arguments)
    return time.perf_counter_ns() - begun


class Cell:
    """The system and what was measured of it before LoadGen starts."""

    def __init__(self, spec):
        self.spec, self.profile = spec, PROFILES[spec["profile"]]
        self.scenario = spec["scenario"]
        manifest = read(spec["model"], "model")
        whole = Case(manifest, spec["cache"], spec.get("most_rows"))
        self.case = whole.views()[-1] if spec.get("timed") else whole
        if spec.get("alternate"):
            self.case = self.case.beside([Case(read(path, "model"), spec["cache"], spec.get("most_rows")) for path in spec["alternate"]])
        self.system_manifest, self.system = systems.load(spec["system"], self.case, beside=manifest.folder, threads=spec.get("threads"))
        self.failure, self.facts, self.others, self.by_rules = Failure(), {}, [], None

    def hooks(self, *steps):
        """The functions in Python that a manifest has before and after: (ctx, None)."""
        for case in (self.case, *self.case.others):
            for step in steps:
                function = python_of(case.manifest, step)
                if function:
                    function({**models.context(case.manifest, case.data.names), "system": self.spec["system"]}, None)

    def user(self, lg, accuracy=False):
        width = self.case.width
        if self.scenario == SERVER:
            return Pool(lg, self.sessions, width, self.failure, self.facts.get("bound", {}).get("system"))
        if self.scenario == OFFLINE:
            return Offline(lg, self.sessions[0], width, self.failure, self.case.rows, self.spec["rows_per_sample"],
                           self.spec["sink"], accuracy)
        return (Neighbours if self.scenario == MULTI else Inline)(lg, self.sessions[0], width, self.failure, self.others)

    def samples(self):
        if self.scenario == OFFLINE:
            return -(-self.case.rows // self.spec["rows_per_sample"])
        return self.case.rows

    def open(self):
        self.hooks("before_preprocess", "before_postprocess")
        begun = time.perf_counter_ns()
        self.facts.update({f"cold_{name}" if name.endswith("_ns") else name: value for name, value in self.system.open().items()})
        self.sessions = [self.system.session() for _ in range(self.spec.get("connections", 1))]
        self.facts["cold_open_ns"] = time.perf_counter_ns() - begun
        if self.system.threaded:
            self.facts["thread_pools"] = pools.set_to(self.system.threads)
        if self.scenario != OFFLINE:
            self.facts["cold_first_ns"] = timed(self.sessions[0].score, [0], numpy.zeros((MOST_SAMPLES, self.case.width)))
        self.others = alternate.opened(self.system, self.case, self.sessions[0])

    def bind(self):
        """This thread, which is LoadGen's, and the processes that serve; threads that serve bind themselves."""
        threads = self.system.threads if self.system.threaded else 1
        self.facts["bound"] = binding.bound(self.sessions, self.scenario == SERVER, threads, self.system.options.get("workers", 0))

    def first_pass(self):
        """The first use of the model in this process is the scan."""
        session, sink = self.sessions[0], self.spec["sink"]
        self.facts["cold_prepare_ns"] = timed(session.before_scan, sink)
        self.facts["cold_pass_ns"] = timed(session.scan, sink, numpy.zeros((self.case.rows, self.case.width)))

    def pilot(self):
        """Warms up; gives the nanoseconds of a query."""
        if self.scenario == OFFLINE:
            self.first_pass()
            self.sessions[0].before_scan(self.spec["sink"])
            return max(1, timed(self.sessions[0].scan, self.spec["sink"], numpy.zeros((self.case.rows, self.case.width))))
        n = self.spec.get("samples_per_query", 1) if self.scenario == MULTI else 1
        out = numpy.zeros((max(MOST_SAMPLES, self.case.rows), self.case.width))
        random, count = numpy.random.default_rng(0), 0
        begun = time.perf_counter_ns()
        while time.perf_counter_ns() - begun < self.profile.pilot_seconds * 1e9 or count < 3:
            first = int(random.integers(0, max(1, self.case.rows - n + 1)))
            keys = list(range(first, min(first + n, self.case.rows)))
            self.sessions[count % len(self.sessions)].score(keys, out)
            for other in self.others:
                other.score(keys)
            count += 1
        return max(1, (time.perf_counter_ns() - begun) // count)

    def figures(self):
        """The figures of a query's statement, taken behind the run."""
        if self.scenario == OFFLINE:
            return self.sessions[0].figures(self.spec["sink"], None)
        n = self.spec.get("samples_per_query", 1) if self.scenario == MULTI else 1
        return self.sessions[0].figures(None, list(range(min(n, self.case.rows))))

    def settings_by_rules(self, lg, folder):
        """Those of the process: mlperf.conf is read once."""
        if self.by_rules is None:
            self.by_rules = rules.settings(lg, self.scenario, folder)
        return self.by_rules

    def started(self, lg, folder, accuracy, settings):
        """LoadGen from begin to end: (who answered, its log)"""
        user = self.user(lg, accuracy)
        try:
            start(lg, user, self.samples(), settings, folder, folder.name == traced.MODE)
        finally:
            user.close()
        if self.failure.text:
            raise BenchError(self.failure.text)
        return user, logs.read_detail(folder)

    def run(self, lg, folder, accuracy, hint_ns, target_qps=None, shorter=None, measured=False):
        """One run: (its record, the sums of an aggregate). `measured`: its numbers count, so it is by the rules where the profile is."""
        if self.scenario == OFFLINE:
            self.sessions[0].before_scan(self.spec["sink"])
        by_rules = self.settings_by_rules(lg, folder) if measured and self.profile.by_rules else None
        settings, changed = settings_of(lg, self.spec, self.profile, accuracy, hint_ns, target_qps, shorter, by_rules, self.case.rows)
        if not accuracy:
            check_memory(settings, changed, free_memory())
        user, detail = self.started(lg, folder, accuracy, settings)
        if detail.errors:
            raise BenchError(f"LoadGen's log has errors: {detail.errors[0]}")
        if not accuracy and "result_validity" not in detail.values:
            raise BenchError("LoadGen's log has no verdict: it was cut")
        record = {"valid": detail.valid, "changed_settings": changed, "settings": detail.settings(),
                  "results": detail.results(), "warnings": detail.warnings, "loadgen": detail.values.get("loadgen_version")}
        if self.scenario == MULTI:
            if accuracy:
                record["rows_of_samples"] = [user.row_of[sample] for sample in range(self.samples())]
            else:
                record[walked.FIELD] = walked.distinct(user.firsts, self.spec["samples_per_query"], self.case.rows)
        if by_rules:
            record["rules_breaches"] = rules.breaches(self.scenario, record["settings"], self.samples())
        *times, system, answered = user.times.array()
        times = numpy.array(times)
        # Not by tofile, which may lose what a full disk does not take.
        (folder / "lat.bin").write_bytes(times.tobytes())
        (folder / share.FILE).write_bytes(system.tobytes())
        if folder.name == traced.MODE:
            traced.note(folder, user)
        if self.scenario == SERVER:
            late = schedule.delays(user.arrivals, answered, detail.values, changed["server_target_qps"], changed["schedule_rng_seed"])
            if late is not None:
                (folder / schedule.FILE).write_bytes(late.tobytes())
                record["issue_delay"] = stats.percentiles(late)
        if len(system):
            record["latency"], record["inner"] = stats.percentiles(times[0]), stats.percentiles(times[1])
            record["own_clock"] = share.own_clock(self.sessions[0], times[1])
            record["harness"] = share.of({**record, "scenario": self.scenario}, detail.values, times, system)
        return record, getattr(user, "sums", None)


def easy_rate(hint_ns):
    return min(2000.0, max(SLOWEST, 0.2e9 / hint_ns))


def short(profile):
    """The settings of a step of a search."""
    return {"min_duration_ms": int(profile.search_seconds * 1000), "min_query_count": 459}


def peak(cell, lg, folder, hint_ns):
    """The same by LoadGen's own mode FindPeakPerformance: from a rate that holds on it doubles, and then halves the distance, to a
    query a second. It judges by the percentile alone, without early stopping. Gives the rate, and what it took."""
    qps, begun = easy_rate(hint_ns), time.monotonic()
    for number in range(4):
        settings, _ = settings_of(lg, cell.spec, cell.profile, False, hint_ns, qps, {**short(cell.profile), "server_find_peak_qps_decimals_of_precision": 0})
        settings.mode = lg.TestMode.FindPeakPerformance
        here = folder / f"peak-{number}"
        _, detail = cell.started(lg, here, False, settings)
        found = re.search("Found peak performance field: ([0-9.]+)", str(detail.values.get("generic_message")))
        if found:
            runs = len(re.findall("FindBoundaries: Checking|Testing the mid value", (here / passes.LOG).read_text())) + 1
            return BELOW_THE_LIMIT * float(found[1]), {"qps": float(found[1]), "runs": runs, "seconds": time.monotonic() - begun}
        qps /= 4  # not even this one held
    raise BenchError("LoadGen's FindPeakPerformance found no rate that holds")


def search(cell, lg, folder, hint_ns):
    """Nine tenths of the highest rate of queries at which LoadGen says VALID, by doubling and bisection. A search's run is shorter
    than the run that follows, which would miss the target at the very limit; and where the machine halts for a moment it is INVALID
    at any rate, so a rate is too high if two runs at it are INVALID. A smoke run asks for one rate alone, which the pilot says is an
    easy one."""
    easy = easy_rate(hint_ns)
    if not cell.profile.search_seconds:
        return easy, []
    steps = []

    def holds(qps):
        for _ in range(2):
            record, _ = cell.run(lg, folder / f"search-{len(steps)}", False, hint_ns, qps, short(cell.profile))
            # LoadGen's own percentile, by which it judges: from the scheduled arrival on.
            p99 = record.get("results", {}).get(schedule.P99, record["latency"]["p99"])
            steps.append({"qps": qps, "p99_us": p99 / 1000, "valid": record["valid"],
                          **({"issue_p99_us": record["issue_delay"]["p99"] / 1000} if "issue_delay" in record else {})})
            if record["valid"]:
                return True
        return False

    low, high = bounds(holds, easy)
    for _ in range(4 if low else 0):
        middle = (low + high) / 2
        if holds(middle):
            low = middle
        else:
            high = middle
    return BELOW_THE_LIMIT * (low or high), steps


def bounds(holds, qps):
    """(a rate that holds, one that does not). No rate, which is 0, where not even SLOWEST holds."""
    if holds(qps):
        for _ in range(12):
            if not holds(2 * qps):
                break
            qps *= 2
        return qps, 2 * qps
    while qps > SLOWEST:
        high, qps = qps, max(SLOWEST, qps / 4)
        if holds(qps):
            return qps, high
    return 0.0, qps


def measure(spec, folder):
    cell = Cell(spec)
    import mlperf_loadgen as lg

    cell.open()
    cell.bind()
    answer = {"facts": cell.facts, "rows": cell.case.rows, "sample_set": cell.case.sample_set(), "runs": {}}
    writer = Writer(cell.system.writer(), spec["writes_per_second"], cell.failure) if spec.get("writes_per_second") else None
    if writer:
        writer.start()
    run_modes(cell, lg, folder, answer)
    if writer:
        writer.stop()
        if cell.failure.text:
            raise BenchError(f"the writer: {cell.failure.text}")
        answer["writes"] = writer.told()
    usage = resource.getrusage(resource.RUSAGE_SELF)
    answer["usage"] = {"user_seconds": usage.ru_utime, "system_seconds": usage.ru_stime, "peak_kib": usage.ru_maxrss,
                       **cell.sessions[0].stats()}
    answer["parts"] = cell.sessions[0].parts(spec["sink"]) if cell.scenario == OFFLINE else None
    answer["statement"] = cell.figures()
    for session in [*(other.session for other in cell.others), *cell.sessions]:
        session.close()
    if writer:
        writer.connection.close()
    cell.system.close()
    cell.hooks("after_preprocess", "after_postprocess")
    return answer


def shorter_of(mode, scenario):
    """The settings that a mode beside accuracy and performance changes."""
    return dict(traced.settings(scenario) if mode == traced.MODE else AUDITS.get(mode, {}))


def run_modes(cell, lg, folder, answer):
    """The pilot, the search for a rate where there is none yet, and a run of each mode: all into the answer."""
    hint_ns, spec = cell.pilot(), cell.spec
    target_qps = spec.get("target_qps")
    if cell.scenario == SERVER and target_qps is None:
        if spec.get("find_peak") and cell.profile.search_seconds:
            target_qps, answer["peak"] = peak(cell, lg, folder, hint_ns)
        else:
            target_qps, answer["search"] = search(cell, lg, folder, hint_ns)
    for mode in spec["modes"]:
        accuracy = mode == "accuracy"
        fast = {"server_target_qps": max(target_qps, 5000.0)} if accuracy and target_qps else shorter_of(mode, cell.scenario)
        if mode == "performance" and cell.scenario == SERVER:
            record, target_qps = held(cell, lg, folder / mode, hint_ns, target_qps)
        elif mode == "performance" and cell.scenario == OFFLINE and not cell.profile.by_rules:
            record, sums = passes.run(cell, lg, folder / mode, hint_ns)
        else:
            record, sums = cell.run(lg, folder / mode, accuracy, hint_ns, target_qps, fast, measured=mode == "performance")
            if sums is not None:
                record["sums"] = sums
        answer["runs"][mode] = record
    if target_qps is not None:
        answer["target_qps"] = target_qps


def held(cell, lg, folder, hint_ns, qps):
    """A run at a rate that the system holds for all of its duration, and that rate: what a short search found is lowered until LoadGen
    says VALID. Each try is in the record. A smoke run has one, at an easy rate."""
    tries = []
    while True:
        record, _ = cell.run(lg, folder, False, hint_ns, qps, measured=True)
        tries.append({"qps": qps, "p99_us": record["results"].get(schedule.P99, record["latency"]["p99"]) / 1000, "valid": record["valid"]})
        lower = LOWER * min(qps, record["results"].get("result_completed_samples_per_sec", qps))
        if record["valid"] or len(tries) == MOST_TRIES or lower < SLOWEST / 2 or not cell.profile.search_seconds:
            return {**record, "tries": tries}, qps
        qps = lower
        shutil.rmtree(folder)


def main():
    path = pathlib.Path(sys.argv[1])
    spec = json.loads(path.read_text())
    orphans.die_with(spec["parent"])
    GIVEN.update(spec["manifests"])
    try:
        answer = measure(spec, path.parent)
    except Refused as error:
        answer = {"refused": str(error)}
    except BenchError as error:
        answer = {"error": str(error)}
    except Exception as error:
        import traceback

        traceback.print_exc()
        answer = {"error": f"{type(error).__name__}: {error}"}
    making = path.with_name("answer.making")
    making.write_text(json.dumps(answer))
    making.rename(path.with_name("answer.json"))
    # Without the interpreter's own end: a thread of a library, or LoadGen's, may still be there.
    sys.stdout.flush()
    os._exit(0 if "error" not in answer else 1)


if __name__ == "__main__":
    main()
