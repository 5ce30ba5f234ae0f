#!/usr/bin/env python3
"""check_links.py - whether the links of all pages lead somewhere: every relative link of README.md, CHANGELOG.md, CONTRIBUTING.md and
docs/*.md names a file, and its #anchor a heading of that page; every docs/NAME.md in a source or script exists. Prints "N passed,
M failed"."""

from __future__ import annotations

import collections
import pathlib
import re
import sys
from typing import Dict, Iterator, List, Set, Tuple

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDERS = ("core", "host", "sqlite", "postgres", "python", "test", "sql", "demo", "bench", "tools")
SOURCES = (".c", ".h", ".def", ".inc", ".sql", ".sh", ".py", ".mk")
LINK = re.compile(r"\[(?:[^\[\]]|\[[^\]]*\])*\]\(\s*([^()\s]+)\s*\)")


def lines_outside_code(page: pathlib.Path) -> Iterator[Tuple[int, str]]:
    inside = False
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
        if line.lstrip().startswith("```"):
            inside = not inside
        elif not inside:
            yield number, line


def anchors(page: pathlib.Path) -> Set[str]:
    """Those that GitHub gives the headings: small letters, hyphens for spaces, no punctuation; a number behind a second one."""
    found: Set[str] = set()
    seen: Dict[str, int] = collections.Counter()
    for _, line in lines_outside_code(page):
        heading = re.match(r"#{1,6} +(.*?) *#*$", line)
        if heading:
            text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading.group(1)).lower()
            slug = re.sub(r"[^\w\- ]", "", text).replace(" ", "-")
            found.add("%s-%d" % (slug, seen[slug]) if seen[slug] else slug)
            seen[slug] += 1
    return found


def links(page: pathlib.Path) -> Iterator[Tuple[int, str]]:
    """A link's text may go over the end of a line, so paragraphs are read as a whole."""
    lines = list(lines_outside_code(page))
    text = "\n".join(line for _, line in lines)
    for match in LINK.finditer(re.sub(r"`[^`\n]*`", lambda code: "x" * len(code.group()), text)):
        target = match.group(1)
        if not re.match(r"[a-z]+:", target):
            yield lines[text.count("\n", 0, match.start(1))][0], target


def fault(page: pathlib.Path, target: str, known: Dict[pathlib.Path, Set[str]]) -> str:
    path, _, anchor = target.partition("#")
    file = (page.parent / path).resolve() if path else page
    if not file.exists():
        return "there is no %s" % path
    if not anchor:
        return ""
    if file not in known:
        known[file] = anchors(file)
    return "" if anchor in known[file] else "%s has no heading for #%s" % (file.name, anchor)


def mentions() -> Iterator[Tuple[pathlib.Path, str]]:
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in SOURCES and path.is_file():
                for name in re.findall(r"\bdocs/[a-z-]+\.md\b", path.read_text(encoding="utf-8", errors="replace")):
                    yield path, name


def main() -> int:
    pages = [ROOT / name for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md")] + sorted((ROOT / "docs").glob("*.md"))
    known: Dict[pathlib.Path, Set[str]] = {}
    faults: List[str] = []
    good = 0
    for page in pages:
        for number, target in links(page):
            wrong = fault(page, target, known)
            if wrong:
                faults.append("%s:%d: %s: %s" % (page.relative_to(ROOT), number, target, wrong))
            else:
                good += 1
    for path, name in mentions():
        if (ROOT / name).exists():
            good += 1
        else:
            faults.append("%s: there is no %s" % (path.relative_to(ROOT), name))
    print("\n".join(faults + ["%d passed, %d failed" % (good, len(faults))]))
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
