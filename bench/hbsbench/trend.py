"""trend.py - the trend over commits: the bounds of instructions a row (tools/instructions.txt, a twentieth above what callgrind counted
when a commit changed them), as the history of the repository has them. No clock is read, so machines do not matter."""

import pathlib
import re
import subprocess

from .manifest import HERE

FILE = "tools/instructions.txt"
LINE = re.compile(r"^([a-z][a-z0-9_]*) +([0-9]+)$", re.M)


def git(folder, *arguments):
    """The answer of git; None: there is no git, no repository, or no such file."""
    try:
        done = subprocess.run(["git", "-C", str(folder), *arguments], capture_output=True, text=True, check=False)
    except OSError:
        return None
    return done.stdout if done.returncode == 0 else None


def of(folder=HERE.parent.parent):
    """[(commit, date, {case: bound})], the oldest first; empty where there is no history."""
    found = []
    for line in reversed((git(folder, "log", "--format=%H %cs", "--", FILE) or "").splitlines()):
        commit, date = line.split()
        text = git(pathlib.Path(folder), "show", f"{commit}:{FILE}")
        bounds = {case: int(bound) for case, bound in LINE.findall(text or "")}
        if bounds:
            found.append((commit, date, bounds))
    return found


def table(found):
    """A row for each bound that a commit changed."""
    head, rows, known = ["commit", "date", "case", "instructions a row, at most", "before", "changed by"], [], {}
    for commit, date, bounds in found:
        for case, bound in sorted(bounds.items()):
            before = known.get(case)
            if bound != before:
                rows.append([commit[:12], date, case, bound, "" if before is None else before, "" if before is None else f"{bound / before - 1:+.1%}"])
        known = bounds
    return head, rows
