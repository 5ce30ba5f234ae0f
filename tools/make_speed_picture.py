#!/usr/bin/env python3
"""make_speed_picture.py [--check] - docs/images/speed.svg, the picture of the README, from "Nanoseconds a row"
of docs/performance.md, "In PostgreSQL". With --check: whether the committed picture is that; the status is 1 if not."""

from __future__ import annotations

import pathlib
import sys
from typing import Dict, List, Tuple

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "performance.md"
PICTURE = ROOT / "docs" / "images" / "speed.svg"

MODEL = "XGBoost, 100 trees of depth 6"
# The row of the table, the words of the picture, whether it is hbscore's.
BARS = [
    ("scores written to a table", "hbscore: CREATE TABLE ... AS SELECT predict(...)", True),
    ("client: fetch by SELECT, library, write back", "client: SELECT, XGBoost, COPY back", False),
    ("client: fetch by binary COPY, library, write back", "client: binary COPY, XGBoost, COPY back", False),
]

WIDTH, LEFT, TOP, ROW, BAR = 800, 360, 52, 34, 22
STYLE = """text { font: 14px system-ui, sans-serif; fill: #1f2328 } .title { font-weight: 600 } .ours { fill: #0072b2 }
.other { fill: #e69f00 } @media (prefers-color-scheme: dark) { text { fill: #e6edf3 } }"""


def cells(line: str) -> List[str]:
    return [cell.strip().strip("*") for cell in line.strip().strip("|").split("|")]


def nanoseconds() -> Dict[str, float]:
    """The column of MODEL: by the row's first cell."""
    lines = PAGE.read_text(encoding="utf-8").split("### In PostgreSQL", 1)[1].splitlines()
    head = next(i for i, line in enumerate(lines) if line.startswith("| Nanoseconds a row"))
    column = cells(lines[head]).index(MODEL)
    found = {}
    for line in lines[head + 2 :]:
        if not line.startswith("|"):
            break
        row = cells(line)
        if row[column] != "-":
            found[row[0]] = float(row[column].replace(",", ""))
    return found


def svg(bars: List[Tuple[str, float, bool]]) -> str:
    most = max(ns for _, ns, _ in bars)
    height = TOP + ROW * len(bars) + 8
    lines = [
        '<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" role="img">' % (WIDTH, height),
        "<style>%s</style>" % STYLE,
        '<text class="title" x="8" y="24">Seconds to score a million rows in PostgreSQL and store the scores</text>',
    ]
    for i, (words, ns, ours) in enumerate(bars):
        y = TOP + ROW * i
        length = (WIDTH - LEFT - 80) * ns / most
        lines += [
            '<text x="%d" y="%d" text-anchor="end">%s</text>' % (LEFT - 10, y + 16, words),
            '<rect class="%s" x="%d" y="%d" width="%.1f" height="%d"/>'
            % ("ours" if ours else "other", LEFT, y, length, BAR),
            '<text x="%.1f" y="%d">%.2f s</text>' % (LEFT + length + 8, y + 16, ns / 1000),
        ]
    return "\n".join(lines + ["</svg>"]) + "\n"


def main() -> int:
    ns = nanoseconds()
    made = svg([(words, ns[row], ours) for row, words, ours in BARS])
    if "--check" not in sys.argv:
        PICTURE.write_text(made, encoding="utf-8")
        return 0
    if PICTURE.read_text(encoding="utf-8") == made:
        return 0
    print("docs/images/speed.svg is not of docs/performance.md: tools/make_speed_picture.py makes it")
    return 1


if __name__ == "__main__":
    sys.exit(main())
