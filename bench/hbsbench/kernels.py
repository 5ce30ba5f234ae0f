"""kernels.py - level 4 of a profile: where the processor is while a scan runs, function by function, below the functions that called it.
perf samples the process that scores, by the clock and in user space, so it needs no counters and no rights over other users. Compiled code
has no frame pointers, so each sample has a copy of the stack, and perf finds the callers by the tables that libraries have for
exceptions. Where perf cannot, functions stand below their libraries, and the tree says why."""

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
STACK_BYTES = 16_384  # that are copied of a stack
FUNCTIONS = 20      # that stand below one; the rest is one span
MOST_DEPTH = 60     # of callers
THE_WAY = 0.95      # of the samples: frames that so many begin with lead to the scan, and are left out
NO_CALLERS = "no callers"
ATTACHED = 5.0      # seconds within which perf must have begun
PLACE = re.compile(r"^\s*[0-9a-f]+ (.+) \((.+)\)$")


def why_not():
    """Why this level cannot be measured here, or None."""
    return None if shutil.which("perf") else "perf is not installed (Debian: linux-perf)"


def sampled(process, run, seconds=SECONDS):
    """(nanoseconds of one run, {stack: samples}, why stacks have no callers, or None) of `run`, which is called again and again, in the
    process. A stack is of frames (library, function), the outermost one first."""
    reason = why_not()
    if reason:
        raise Refused(reason)
    try:
        ns, text = recorded(process, run, seconds, ("--call-graph", f"dwarf,{STACK_BYTES}"))
        stacks, why = stacks_of(text), "perf finds no callers: it was built without a library that unwinds stacks"
        if not stacks or any(len(stack) > 1 for stack in stacks):
            return ns, inside(stacks), None
    except Refused as error:
        why = str(error)
    ns, text = recorded(process, run, seconds)
    return ns, by_library(text), why


def recorded(process, run, seconds, options=()):
    """(nanoseconds of one run, what perf script says of the samples)"""
    with tempfile.TemporaryDirectory(prefix="hbsbench-") as folder:
        data = pathlib.Path(folder) / "perf.data"
        with recording(process, data, options):
            begun, used, runs = time.perf_counter_ns(), processor_seconds(process), 0
            while runs == 0 or processor_seconds(process) - used < seconds and time.perf_counter_ns() - begun < PATIENCE * seconds * 1e9:
                run()
                runs += 1
            ns = (time.perf_counter_ns() - begun) / runs
        # Functions that are inlined would be asked for one by one.
        done = subprocess.run(["perf", "script", "--no-inline", "--input", str(data), "--fields", "ip,sym,dso"], capture_output=True, text=True, check=False)
        if done.returncode:
            raise Refused(f"perf script: {first_line(done.stderr)}")
        return ns, done.stdout


def processor_seconds(process):
    """The processor's time of the process. By the clock, a process on a busy machine may wait for most of a second."""
    used = pathlib.Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(used[11]) + int(used[12])) / os.sysconf("SC_CLK_TCK")


@contextlib.contextmanager
def recording(process, data, options):
    command = ["perf", "record", "--quiet", "--event", "cpu-clock:u", "--freq", str(SAMPLES_A_SECOND), *options, "--pid", str(process), "--output", str(data)]
    recorder = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    try:
        end = time.monotonic() + ATTACHED
        while not (data.exists() and data.stat().st_size) and recorder.poll() is None and time.monotonic() < end:
            time.sleep(0.01)
        if recorder.poll() is not None:
            raise Refused(f"perf record: {first_line(recorder.communicate()[1])}")
        yield
        recorder.send_signal(signal.SIGTERM)  # A job behind nohup ignores SIGINT, and so may what it starts.
        said = recorder.communicate(timeout=30)[1]
        # perf ends by the signal that it was sent.
        if recorder.returncode not in (0, -signal.SIGTERM, 128 + signal.SIGTERM):
            raise Refused(f"perf record: {first_line(said)}")
    finally:
        if recorder.poll() is None:
            recorder.kill()
            recorder.communicate()


def first_line(text):
    return next((line.strip() for line in text.splitlines() if line.strip()), "it failed without a word")


def frame_of(line):
    """(library, function) of a line of perf script; None: it is none."""
    place = PLACE.match(line)
    if not place:
        return None
    function, library = re.sub(r"\+0x[0-9a-f]+$", "", place[1]), pathlib.PurePath(place[2]).name
    return library, f"[{library.strip('[]')}]" if function == "[unknown]" else function


def stacks_of(text):
    """The blocks of perf script, a sample each, the innermost frame first. A function that calls itself is one frame."""
    found, stack = collections.Counter(), []
    for line in [*text.splitlines(), ""]:
        frame = frame_of(line)
        if frame is None and stack:
            found[tuple(reversed(stack))] += 1
            stack = []
        elif frame and stack[-1:] != [frame]:
            stack.append(frame)
    return found


def by_library(text):
    """The lines of perf script, a sample each: stacks of a library and a function."""
    frames = filter(None, map(frame_of, text.splitlines()))
    return collections.Counter(((library, library), (library, function)) for library, function in frames)


def inside(stacks):
    """Stacks without the frames that lead to the scan."""
    total, way = sum(stacks.values()), ()
    while True:
        below = collections.Counter()
        for stack, count in stacks.items():
            if stack[:len(way)] == way and len(stack) > len(way) + 1:
                below[stack[len(way)]] += count
        frame, count = below.most_common(1)[0] if below else (None, 0)
        if not count or count < THE_WAY * total:
            break
        way += (frame,)
    found = collections.Counter()
    for stack, count in stacks.items():
        found[stack[len(way):] if stack[:len(way)] == way and len(stack) > len(way) else stack] += count
    return found


def tree(ns, stacks, why, span):
    """The span of one run, and below it those of functions, by their shares of the samples. `why`: of sampled()."""
    total = sum(stacks.values())
    if not total:
        raise Refused("perf took no sample: the scan is too short")

    def made(stacks, depth=0):
        frames = collections.defaultdict(collections.Counter)
        for stack, count in stacks.items():
            if stack and depth < MOST_DEPTH:
                frames[stack[0]][stack[1:]] += count
        most = sorted(frames.items(), key=lambda item: -sum(item[1].values()))
        spans = [span(function, ns * sum(rest.values()) / total, {"samples": sum(rest.values()), "library": library}, made(rest, depth + 1))
                 for (library, function), rest in most[:FUNCTIONS]]
        others = sum(sum(rest.values()) for _, rest in most[FUNCTIONS:])
        return spans + ([span("others", ns * others / total, {"samples": others})] if others else [])

    return span("scan", ns, {"samples": total, **({NO_CALLERS: why} if why else {})}, made(stacks))


def own_times(tree):
    """{"library: function": nanoseconds} of functions without those that they call."""
    found, waiting = collections.Counter(), [tree]
    while waiting:
        node = waiting.pop()
        waiting += node["children"]
        if "library" in node["args"]:
            own = node["args"]["samples"] - sum(child["args"]["samples"] for child in node["children"])
            found[node["name"] if node["name"].startswith("[") else f"{node['args']['library']}: {node['name']}"] += node["ns"] * own / node["args"]["samples"]
    return +found
