"""environment.py - what a number depends on beside the code: the machine, the compiler and its flags, the versions, the settings of the
databases, the commit."""

import os
import pathlib
import platform
import re
import subprocess
import sys

from . import binding
from .manifest import canonical, sha256

LIBRARIES = ("mlcommons-loadgen", "numpy", "scikit-learn", "xgboost-cpu", "lightgbm", "catboost", "onnxruntime", "psycopg", "treelite",
             "tl2cgen", "lleaves", "llvmlite")
CPU_FLAGS = ("avx", "sse", "ssse", "fma", "bmi", "f16c", "gfni", "amx", "vaes", "popcnt", "abm")
# Settings of a server that say where it is, and nothing of how fast.
PLACES = ("config_file", "data_directory", "external_pid_file", "hba_file", "ident_file", "listen_addresses", "port", "unix_socket_directories",
          "unix_socket_group", "log_directory", "log_filename", "cluster_name")


def _cpu():
    found = {}
    try:
        for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
            name, _, value = line.partition(":")
            found.setdefault(name.strip(), value.strip())
    except OSError:
        pass
    flags = [flag for flag in found.get("flags", "").split() if flag.startswith(CPU_FLAGS)]
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


def _compiler():
    """The compiler that hbscore was made with and its flags, as make noted them (its folder's flags; compiler and version by the library itself)."""
    library = pathlib.Path(os.environ.get("HBSCORE_SO", "build/hbscore.so"))
    try:
        made_by = re.search(rb"(?:GCC: |clang version )[^\0]{1,100}", library.read_bytes())
    except OSError:
        return None
    flags = _read(library.parent / "release" / "flags")
    return {"version": made_by.group().decode(errors="replace") if made_by else None, "flags": " ".join(flags.split()) if flags else None}


def _postgres_settings():
    """Those of the server that are not its defaults, and those of the harness's connections; None: there is no server."""
    if "PGHOST" not in os.environ:
        return None
    import psycopg

    from suts import postgres

    try:
        with postgres.connect() as connection:
            found = connection.execute("SELECT name, setting, unit FROM pg_settings WHERE source NOT IN ('default', 'override', 'client', 'session')").fetchall()
    except psycopg.Error:
        return None
    server = {name: setting + (f" x {unit}" if unit and unit[0].isdigit() else f" {unit}" if unit else "") for name, setting, unit in found if name not in PLACES}
    return {"server": server, "connections": postgres.SETTINGS}


def _sqlite_options():
    import sqlite3

    connection = sqlite3.connect(":memory:")
    try:
        return [option for (option,) in connection.execute("PRAGMA compile_options")]
    finally:
        connection.close()


def environment():
    """`id` names all of it but the commit."""
    import sqlite3

    here = {"cpu": _cpu(), "kernel": platform.release(), "python": sys.version.split()[0], "libraries": _versions(),
            "sqlite": sqlite3.sqlite_version, "postgres": _postgres(), "compiler": _compiler(),
            "postgres_settings": _postgres_settings(), "sqlite_options": _sqlite_options(), "governor": _read("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
            "instruction_set": os.environ.get("HBSCORE_INSTRUCTION_SET", ""),
            "binding": {"system apart": binding.planned(binding.processors(), True), "system in LoadGen's thread": binding.planned(binding.processors(), False)}}
    found = {"id": sha256(canonical(here))[:12], **here, "commit": _git("rev-parse", "HEAD"),
             "changed_files": bool(_git("status", "--porcelain"))}
    return found
