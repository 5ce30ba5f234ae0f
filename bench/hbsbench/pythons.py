"""pythons.py - systems with a Python of their own, for libraries that do not fit those of the harness. The manifest says which:

    python: {environment: hummingbird, versions: [distributions to be told], install: "what to do where it is not there"}

It is BUILD/bench-ENVIRONMENT-venv. One process of it measures all its cells of a paper's table: a line of JSON goes in for each
cell, and a line comes out. The models are trained there anew, over the same rows, and answers are compared with those models."""

import contextlib
import dataclasses
import json
import os
import pathlib
import platform
import resource
import select
import subprocess
import sys
import tempfile

from . import manifest, orphans
from .errors import BenchError, Refused

# Set in such a process: the name of its environment.
HERE = "HBSBENCH_PYTHON"
CELL_SECONDS = 3600  # training counts


def own():
    """The environment of this process; None: the harness's."""
    return os.environ.get(HERE)


def needed(system):
    """The environment that a system's manifest asks for, and this process is not of; None: it runs here."""
    wanted = system.get("python")
    return wanted if wanted and wanted["environment"] != own() else None


def told(system, facts):
    """The versions that a cell depends on, in a process of such a Python; else none."""
    if not own():
        return []
    from importlib import metadata

    versions = {name: metadata.version(name).partition("+")[0] for name in system["python"]["versions"]}
    return [f"Python {platform.python_version()}", *(f"{name} {version}" for name, version in {**versions, **facts["versions"]}.items())]


class Pythons:
    """The processes of a table. Each starts with its first cell, and all end with the block."""

    def __init__(self):
        self.running = {}

    def __enter__(self):
        return self

    def __exit__(self, *error):
        for python in self.running.values():
            python.end()

    def of(self, name):
        """The process for a system; None: this one."""
        system = manifest.find("system", name.partition("/")[0])
        wanted = needed(system)
        if wanted is None:
            return None
        path = pathlib.Path(os.environ.get("BUILD", "build")).absolute() / f"bench-{wanted['environment']}-venv" / "bin" / "python"
        if not path.exists():
            raise Refused(f"{system.name} has a Python of its own, which is not there: install {wanted['install']}")
        return self.running.setdefault(wanted["environment"], Python(wanted["environment"], path))


class Python:
    def __init__(self, environment, path):
        self.environment, self.path, self.process = environment, path, None

    def start(self):
        folder = manifest.HERE.parent
        paths = [str(folder), str(folder.parent / "python" / "src"), os.environ.get("PYTHONPATH", "")]
        self.errors = tempfile.TemporaryFile()
        self.process = subprocess.Popen(
            [str(self.path), "-W", "ignore", "-m", "hbsbench.pythons", str(os.getpid())], text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=self.errors, env={**os.environ, HERE: self.environment, "PYTHONPATH": os.pathsep.join(paths)})

    def cell(self, kind, workload, name, size, settings, cache):
        """The result of paper.cell there, as a dictionary."""
        if self.process is None:
            self.start()
        wanted = {"kind": kind, "workload": workload, "name": name, "size": dataclasses.asdict(size), "settings": settings,
                  "cache": str(pathlib.Path(cache).absolute())}
        with contextlib.suppress(BrokenPipeError):  # it has ended, and gives no line either
            self.process.stdin.write(json.dumps(wanted) + "\n")
            self.process.stdin.flush()
        if not select.select([self.process.stdout], [], [], CELL_SECONDS)[0]:
            self.end()
            raise BenchError(f"no answer within {CELL_SECONDS:g} seconds; the process was ended")
        line = self.process.stdout.readline()
        if not line:
            status, words = self.process.wait(), self.last_words()
            self.end()
            raise BenchError(f"the process ended with status {status}{words}")
        return json.loads(line)

    def last_words(self):
        """The last line that it wrote to standard error."""
        self.errors.seek(0)
        lines = self.errors.read().decode(errors="replace").strip().splitlines()
        return f": {lines[-1].strip()}" if lines else ""

    def end(self):
        """The next cell starts another one."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            for file in (self.process.stdin, self.process.stdout, self.errors):
                with contextlib.suppress(BrokenPipeError):  # what was not sent is not wanted any more
                    file.close()
            self.process = None


def free_memory():
    lines = pathlib.Path("/proc/meminfo").read_text().splitlines()
    return 1024 * next(int(line.split()[1]) for line in lines if line.startswith("MemAvailable:"))


def limit_memory(share=0.75):
    """A library that asks for more than this share of the free memory gets an error, which is the reason of its cell, and the machine goes on."""
    resource.setrlimit(resource.RLIMIT_DATA, (int(share * free_memory()), resource.RLIM_INFINITY))


def main():
    orphans.die_with(int(sys.argv[1]))
    limit_memory()
    # Libraries print to stdout too, which is kept for the answer.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    from . import paper

    for line in sys.stdin:
        wanted = json.loads(line)
        size, cache = paper.Size(**wanted.pop("size")), pathlib.Path(wanted.pop("cache"))
        value = paper.cell(case=paper.Opened(wanted.pop("workload"), size, cache), size=size, **wanted)
        print(json.dumps(dataclasses.asdict(value)), file=answers, flush=True)


if __name__ == "__main__":
    main()
