#!/usr/bin/env python3
"""make_speed_picture.py [--check] - docs/images/speed.svg, the picture of the README, from the headline results of
docs/benchmarks.md. With --check: whether the committed picture is that, and the README's words too; the status is 1 if not."""

from __future__ import annotations

import pathlib
import re
import sys
from typing import Dict, List, Tuple

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "benchmarks.md"
README = ROOT / "README.md"
PICTURE = ROOT / "docs" / "images" / "speed.svg"

MODEL, SCENARIO = "fraud-xgboost", "offline, client, rows/s"
# The system of the table, the words of the picture, whether it is hbscore's.
BARS = [
    ("hbscore-pg", "PostgreSQL: SELECT predict_probability(...)", True),
    ("sklearn-fetch-pg", "a client of PostgreSQL: fetch, then XGBoost", False),
    ("hbscore-sqlite", "SQLite: SELECT predict_probability(...)", True),
    ("sklearn-fetch-sqlite", "a client of SQLite: fetch, then XGBoost", False),
]

WIDTH, LEFT, TOP, ROW, BAR = 800, 360, 52, 34, 22
STYLE = """text { font: 14px system-ui, sans-serif; fill: #1f2328 } .title { font-weight: 600 } .ours { fill: #0072b2 }
.other { fill: #e69f00 } @media (prefers-color-scheme: dark) { text { fill: #e6edf3 } }"""


def cells(line: str) -> List[str]:
    return [cell.strip().strip("*") for cell in line.strip().strip("|").split("|")]


def rows_a_second() -> Dict[str, int]:
    """The column of SCENARIO in the table of MODEL: by system. A cell that is INVALID or has wrong answers is no number."""
    lines = PAGE.read_text(encoding="utf-8").split("**`%s`**" % MODEL, 1)[1].splitlines()
    head = next(i for i, line in enumerate(lines) if line.startswith("| System"))
    column = cells(lines[head]).index(SCENARIO)
    found = {}
    for line in lines[head + 2 :]:
        if not line.startswith("|"):
            break
        row = cells(line)
        number = re.fullmatch(r"([0-9,]+)( \(at the floor\))?", row[column])
        if number:
            found[row[0].strip("`")] = int(number.group(1).replace(",", ""))
    return found


def svg(bars: List[Tuple[str, int, bool]]) -> str:
    most = max(rows for _, rows, _ in bars)
    height = TOP + ROW * len(bars) + 8
    lines = [
        '<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" role="img">' % (WIDTH, height),
        "<style>%s</style>" % STYLE,
        '<text class="title" x="8" y="24">Rows of a table that a client has the scores of, a second</text>',
    ]
    for i, (words, rows, ours) in enumerate(bars):
        y = TOP + ROW * i
        length = (WIDTH - LEFT - 80) * rows / most
        lines += [
            '<text x="%d" y="%d" text-anchor="end">%s</text>' % (LEFT - 10, y + 16, words),
            '<rect class="%s" x="%d" y="%d" width="%.1f" height="%d"/>'
            % ("ours" if ours else "other", LEFT, y, length, BAR),
            '<text x="%.1f" y="%d">%s</text>' % (LEFT + length + 8, y + 16, format(rows, ",")),
        ]
    return "\n".join(lines + ["</svg>"]) + "\n"


def claims(rows: Dict[str, int]) -> List[str]:
    """Words of the README: its sentence, and those that stand for the picture."""
    ours, theirs = rows["hbscore-pg"], rows["sklearn-fetch-pg"]
    words = "%s in PostgreSQL and %s by its client, %s in SQLite and %s by its client"
    return [
        "%.2f million rows a second, %.0f times as many as a client" % (ours / 1e6, ours / theirs),
        words % tuple(format(rows[system], ",") for system, _, _ in BARS),
    ]


def main() -> int:
    rows = rows_a_second()
    missing = [system for system, _, _ in BARS if system not in rows]
    if missing:
        print("docs/benchmarks.md has no number of %s in %s that may be claimed" % (", ".join(missing), MODEL))
        return 1
    made = svg([(words, rows[system], ours) for system, words, ours in BARS])
    if "--check" not in sys.argv:
        PICTURE.write_text(made, encoding="utf-8")
        return 0
    text = " ".join(README.read_text(encoding="utf-8").split())
    for words in claims(rows):
        if words not in text:
            print('README.md does not say "%s", as docs/benchmarks.md does' % words)
            return 1
    if PICTURE.read_text(encoding="utf-8") == made:
        return 0
    print("docs/images/speed.svg is not of docs/benchmarks.md: tools/make_speed_picture.py makes it")
    return 1


if __name__ == "__main__":
    sys.exit(main())
