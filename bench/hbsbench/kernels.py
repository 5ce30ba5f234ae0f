"""kernels.py - level 4 of a profile: where the processor is while a scan runs, library by library and function by function. perf
samples the process that scores, by the clock and in user space, so it needs no counters and no rights over other users."""

import collections
import contextlib
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import time

from .errors import Refused

SECONDS = 2.0       # of the processor, for the samples
PATIENCE = 10       # times as many by the clock
SAMPLES_A_SECOND = 999
FUNCTIONS = 20      # of a library; the rest is one span
ATTACHED = 5.0      # seconds within which perf must have begun
PLACE = re.compile(r"^\s*[0-9a-f]+ (.+) \((.+)\)$")


def why_not():
    """Why this level cannot be measured here, or None."""
    return None if shutil.which("perf") else "perf is not installed (Debian: linux-perf)"


def sampled(process, run, seconds=SECONDS):
    """(nanoseconds of one run, {(library, function): samples}) of `run`, which is called again and again, in the process."""
    reason = why_not()
    if reason:
        raise Refused(reason)
    with tempfile.TemporaryDirectory(prefix="hbsbench-") as folder:
        data = pathlib.Path(folder) / "perf.data"
        with recording(process, data):
            begun, used, runs = time.perf_counter_ns(), processor_seconds(process), 0
            while runs == 0 or processor_seconds(process) - used < seconds and time.perf_counter_ns() - begun < PATIENCE * seconds * 1e9:
                run()
                runs += 1
            ns = (time.perf_counter_ns() - begun) / runs
        done = subprocess.run(["perf", "script", "--input", str(data), "--fields", "ip,sym,dso"], capture_output=True, text=True, check=False)
        if done.returncode:
            raise Refused(f"perf script: {first_line(done.stderr)}")
        return ns, counted(done.stdout)


def processor_seconds(process):
    """The processor's time of the process. By the clock, a process on a busy machine may wait for most of a second."""
    used = pathlib.Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(used[11]) + int(used[12])) / os.sysconf("SC_CLK_TCK")


@contextlib.contextmanager
def recording(process, data):
    command = ["perf", "record", "--quiet", "--event", "cpu-clock:u", "--freq", str(SAMPLES_A_SECOND), "--pid", str(process), "--output", str(data)]
    recorder = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    try:
        end = time.monotonic() + ATTACHED
        while not (data.exists() and data.stat().st_size) and recorder.poll() is None and time.monotonic() < end:
            time.sleep(0.01)
        if recorder.poll() is not None:
            raise Refused(f"perf record: {first_line(recorder.communicate()[1])}")
        yield
        recorder.send_signal(signal.SIGINT)
        said = recorder.communicate(timeout=30)[1]
        # perf ends by the signal that it was sent.
        if recorder.returncode not in (0, -signal.SIGINT, 128 + signal.SIGINT):
            raise Refused(f"perf record: {first_line(said)}")
    finally:
        if recorder.poll() is None:
            recorder.kill()
            recorder.communicate()


def first_line(text):
    return next((line.strip() for line in text.splitlines() if line.strip()), "it failed without a word")


def counted(text):
    """The lines of perf script, an address each: {(library, function): samples}."""
    found = collections.Counter()
    for line in text.splitlines():
        place = PLACE.match(line)
        if place:
            function, library = place.groups()
            found[pathlib.PurePath(library).name, re.sub(r"\+0x[0-9a-f]+$", "", function)] += 1
    return found


def tree(ns, samples, span):
    """The span of one run, of its libraries, and of their functions, by their shares of the samples."""
    total = sum(samples.values())
    if not total:
        raise Refused("perf took no sample: the scan is too short")
    libraries = collections.defaultdict(collections.Counter)
    for (library, function), count in samples.items():
        libraries[library][function] += count

    def made(name, count, children=()):
        return span(name, ns * count / total, {"samples": count}, children)

    parts = []
    for library, functions in sorted(libraries.items(), key=lambda item: -sum(item[1].values())):
        most = functions.most_common(FUNCTIONS)
        rest = sum(functions.values()) - sum(count for _, count in most)
        parts.append(made(library, sum(functions.values()), [made(*pair) for pair in most] + ([made("others", rest)] if rest else [])))
    return span("scan", ns, {"samples": total}, parts)
