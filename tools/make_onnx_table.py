#!/usr/bin/env python3
"""Writes the table of scikit-learn's estimators into docs/onnx.md, from test/golden/onnx/ESTIMATORS, which
test/golden/make_onnx.py makes: make_onnx_table.py [--check]"""

import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "onnx.md"
BEGIN, END = "<!-- estimators -->\n", "<!-- end of estimators -->\n"


def in_words(outcome):
    if outcome.startswith("not converted: "):
        error = outcome.split(": ")[1]
        if error in ("Fail", "InvalidGraph", "NotImplemented"):
            return "ONNX Runtime does not take the file"
        return "skl2onnx does not convert it"
    return {"equal": "equal", "as ONNX Runtime, not as scikit-learn": "as ONNX Runtime; scikit-learn differs"}[outcome]


def table():
    rows = {}
    for line in (ROOT / "test/golden/onnx/ESTIMATORS").read_text(encoding="utf-8").splitlines():
        name, kind, outcome = line.split("\t")
        rows.setdefault(name, {})[kind] = in_words(outcome)
    lines = ["| | float32 | float64 |\n", "|---|---|---|\n"]
    for name in sorted(rows, key=str.lower):
        estimator, _, option = name.partition("_")
        title = f"`{estimator}`" + (f", {option.replace('_', ' ')}" if option else "")
        cells = [rows[name].get(kind, "near") for kind in ("float32", "float64")]
        lines.append(f"| {title} | {cells[0]} | {cells[1]} |\n")
    return "".join(lines)


def main():
    page = PAGE.read_text(encoding="utf-8")
    begin, end = page.index(BEGIN) + len(BEGIN), page.index(END)
    wanted = page[:begin] + "\n" + table() + "\n" + page[end:]
    if "--check" not in sys.argv:
        PAGE.write_text(wanted, encoding="utf-8")
    elif wanted != page:
        print("FAILED docs/onnx.md has another table of estimators than tools/make_onnx_table.py writes")
        return 1
    return 0


sys.exit(main())
