"""environment.py - what a number depends on beside the code: the machine, the versions, the commit."""

import os
import pathlib
import platform
import subprocess
import sys

from .manifest import canonical, sha256

LIBRARIES = ("mlcommons-loadgen", "numpy", "scikit-learn", "xgboost-cpu", "lightgbm", "catboost", "onnxruntime", "psycopg")


def _cpu():
    found = {}
    try:
        for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
            name, _, value = line.partition(":")
            found.setdefault(name.strip(), value.strip())
    except OSError:
        pass
    flags = [flag for flag in found.get("flags", "").split() if flag.startswith(("avx", "sse4", "fma", "bmi"))]
    return {"model": found.get("model name", platform.machine()), "flags": flags, "cpus": os.cpu_count()}


def _read(path):
    try:
        return pathlib.Path(path).read_text().strip()
    except OSError:
        return None


def _git(*arguments):
    try:
        done = subprocess.run(["git", *arguments], capture_output=True, text=True, check=False)
    except OSError:
        return None
    return done.stdout.strip() if done.returncode == 0 else None


def _versions():
    from importlib import metadata

    found = {}
    for name in LIBRARIES:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            pass
    return found


def _postgres():
    """The version of the server that runs beside the harness, or None."""
    done = subprocess.run(["pg_config", "--version"], capture_output=True, text=True, check=False) if "PGHOST" in os.environ else None
    return done.stdout.split()[1] if done and done.returncode == 0 else None


def environment():
    """`id` names all of it but the commit."""
    import sqlite3

    here = {"cpu": _cpu(), "kernel": platform.release(), "python": sys.version.split()[0], "libraries": _versions(),
            "sqlite": sqlite3.sqlite_version, "postgres": _postgres(), "governor": _read("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
            "instruction_set": os.environ.get("HBSCORE_INSTRUCTION_SET", "")}
    found = {"id": sha256(canonical(here))[:12], **here, "commit": _git("rev-parse", "HEAD"),
             "changed_files": bool(_git("status", "--porcelain"))}
    return found
