#!/usr/bin/env python3
"""check_errors.py - whether the code can say the messages of docs/errors.md: users search that page for a message's words.

In each table whose first head is "Message", every `message` of the first column is cut at "..."; each part must stand in a
literal of the sources, where %s and its like are "..." too."""

from __future__ import annotations

import pathlib
import re
import sys
from typing import Iterator, List, Tuple

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "errors.md"
FOLDERS = ("core", "host", "sqlite", "postgres")
LITERAL = r'"(?:[^"\\\n]|\\.)*"'
NEIGHBOURS = re.compile(LITERAL + r"(?:\s+(?:PRI\w+\s+)?" + LITERAL + ")*")
SHORTEST = 6  # characters of a part that says anything


def literals() -> str:
    """Those of all sources, neighbours joined; what printf fills in and the ends are line ends."""
    texts: List[str] = []
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*.[ch]")):
            code = re.sub(r"/\*.*?\*/", "", path.read_text(encoding="utf-8"), flags=re.S)
            code = re.sub(r"'(?:[^'\\\n]|\\.)'", "0", code)  # a character such as '"' begins no literal
            for row in NEIGHBOURS.findall(code):
                texts.append("".join(literal[1:-1] for literal in re.findall(LITERAL, row)))
    text = "\n".join(texts).replace('\\"', '"').replace("\\\\", "\\").replace("\\n", "\n")
    return re.sub(r"%[-+ #0-9.*]*(?:ll|z|h|l)?[a-zA-Z]", "\n", text).replace("%%", "%")


def messages() -> Iterator[Tuple[int, str]]:
    inside = False
    for number, line in enumerate(PAGE.read_text(encoding="utf-8").splitlines(), 1):
        cells = line.split(" | ")
        if not line.startswith("|"):
            inside = False
        elif cells[0].strip("| ") == "Message":
            inside = True
        elif inside:
            for message in re.findall(r"`([^`]+)`", cells[0]):
                yield number, message


def main() -> int:
    said = literals()
    good = bad = 0
    for line, message in messages():
        parts = [part.strip() for part in message.split("...")]
        parts = [part.strip(';:,"() ') for part in parts]
        missing = [part for part in parts if len(part) >= SHORTEST and part not in said]
        if missing or not any(len(part) >= SHORTEST for part in parts):
            print("docs/errors.md:%d: no source says %s" % (line, missing or message))
            bad += 1
        else:
            good += 1
    print("%d passed, %d failed" % (good, bad))
    return 1 if bad or not good else 0


if __name__ == "__main__":
    sys.exit(main())
