#!/usr/bin/env python3
"""Runs the recipes of docs/recipes.md in other languages, as their readers would: test/clients/run.py [LANGUAGE..]

A block such as ```perl or ```perl postgresql is a program. It runs in an empty folder that has demo/ and build/hbscore.so of the
repository, and must print what the ```text block behind it shows. Those for PostgreSQL run in a database of their own,
beside the server that the environment names (tools/postgres_server.sh).

Only Perl's packages are installed by tools/setup.sh. A program whose package is absent is not run; the suite says so and
counts nothing."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Dict, List, NamedTuple, Optional

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "recipes.md"
BLOCK = re.compile(r"^```([a-z]+(?: postgresql)?)\n(.*?)^```\n\n```text\n(.*?)^```$", re.M | re.S)
DATABASE = "hbscore_clients"


class Client(NamedTuple):
    """package  Debian's name
    there    a command that succeeds if it is installed
    file     the program's name
    run      the command that runs it"""

    package: str
    there: str
    file: str
    run: str


SQLITE_JAR = "/usr/share/java/sqlite-jdbc.jar"
GO = "/usr/share/gocode/src/github.com/mattn/go-sqlite3"
CLIENTS: Dict[str, Client] = {
    "perl": Client("libdbd-sqlite3-perl", "perl -MDBD::SQLite -e 1", "recipe.pl", "perl recipe.pl"),
    "perl postgresql": Client("libdbd-pg-perl", "perl -MDBD::Pg -e 1", "recipe.pl", "perl recipe.pl"),
    "r": Client("r-cran-rsqlite", "Rscript -e 'library(RSQLite)'", "recipe.R", "Rscript recipe.R"),
    "js": Client("node-sqlite3", "node -e 'require(\"sqlite3\")'", "recipe.js", "node recipe.js"),
    "go": Client(
        "golang-github-mattn-go-sqlite3-dev",
        f"go version && test -d {GO}",
        "recipe.go",
        "GO111MODULE=off GOPATH=/usr/share/gocode GOCACHE=$PWD/cache go run recipe.go",
    ),
    "java": Client(
        "libxerial-sqlite-jdbc-java",
        f"javac -version && test -e {SQLITE_JAR}",
        "Recipe.java",
        f"java -cp {SQLITE_JAR} Recipe.java",
    ),
    "php": Client(
        "php-sqlite3",
        "php -r 'exit(class_exists(\"SQLite3\") ? 0 : 1);'",
        "recipe.php",
        "php -d sqlite3.extension_dir=$PWD/build recipe.php",
    ),
    "php postgresql": Client(
        "php-pgsql", "php -r 'exit(function_exists(\"pg_connect\") ? 0 : 1);'", "recipe.php", "php recipe.php"
    ),
}
NEVER = {"java postgresql": "it needs a server that listens on TCP"}


def why_not(name: str) -> Optional[str]:
    """Why a recipe is not run; None if it is."""
    if name in NEVER:
        return NEVER[name]
    client = CLIENTS[name]
    if name.endswith("postgresql") and not os.environ.get("HBSCORE_SERVER"):
        return "there is no server beside the tests"
    if subprocess.run(["sh", "-c", client.there], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode:
        return f"package {client.package} is absent"
    return None


def printed(name: str, program: str, extension: str) -> str:
    """What the program prints; where it ends badly, its errors and its status too."""
    client = CLIENTS[name]
    environment = dict(os.environ, LC_ALL="C.UTF-8")
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "demo").symlink_to(ROOT / "demo")
        (Path(folder) / "build").mkdir()
        shutil.copy(extension, Path(folder) / "build" / "hbscore.so")
        (Path(folder) / client.file).write_text(program)
        if name.endswith("postgresql"):
            subprocess.run(["createdb", DATABASE], check=True)
            environment["PGDATABASE"] = DATABASE
        try:
            command = ["sh", "-c", client.run]
            done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
        finally:
            if name.endswith("postgresql"):
                subprocess.run(["dropdb", DATABASE], check=True)
    return done.stdout + (f"{done.stderr}status {done.returncode}\n" if done.returncode else "")


def main(wanted: List[str]) -> int:
    extension = os.environ.get("HBSCORE_SO", str(ROOT / "build" / "hbscore.so"))
    passed = failed = 0
    found = [block for block in BLOCK.findall(PAGE.read_text()) if block[0] in CLIENTS or block[0] in NEVER]
    for name in (*CLIENTS, *NEVER):
        if name not in [block[0] for block in found]:
            print(f"FAILED  {PAGE.name} has no recipe ```{name}")
            failed += 1
    for name, program, shown in found:
        if wanted and name not in wanted:
            continue
        reason = why_not(name)
        if reason is not None:
            print(f"clients: {name}: not run: {reason}")
            continue
        got = printed(name, program, extension)
        passed, failed = passed + (got == shown), failed + (got != shown)
        print(f"clients: {name}: ok" if got == shown else f"FAILED  {name}: shown\n{shown}printed\n{got}")
    print(f"{passed} passed, {failed} failed")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
