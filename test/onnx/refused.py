#!/usr/bin/env python3
"""Which node tests of ONNX hbscore refuses, and why: refused.py LIST FOUND.. [--update]

LIST is what run_node_tests writes: a test and the reader's words a line; each FOUND is a file that ends with how many tests have passed and failed. The tests are grouped by reason and compared with
test/onnx/refused.txt, and the table that is made of them with docs/onnx.md. A test that is refused and was not, or the
other way round, is a failure: --update writes both anew.
"""

import pathlib
import re
import sys

HERE = pathlib.Path(__file__).parent
GROUPED = HERE / "refused.txt"
PAGE = HERE.parent.parent / "docs" / "onnx.md"
BEGIN, END = "<!-- node tests -->\n", "<!-- end of node tests -->\n"


def reason_of(words):
    """The reader's words without what differs from file to file."""
    words = re.sub(r" \(byte \d+\)", "", words)
    words = re.sub(r"it makes \d+ columns, hbscore reads", "it makes more columns than hbscore reads:", words)
    words = re.sub(r": (register the fitted object|convert the model).*", "", words)
    node = re.match(r'node \d+ \("[^"]*", (\w+)\): (.*)', words)
    if node and "does not read this operator" in node[2]:
        return f"the operator {node[1]} is not read"
    if node and "reads operators of ai.onnx" in node[2]:
        domain = re.search(r'not of "([^"]*)"', node[2])[1]
        return f"operators of {domain} are not read"
    if node:
        return f"{node[1]}: {node[2]}"
    words = re.sub(r'^tensor "[^"]*": ', "", words)
    words = re.sub(r"^hbscore reads no tensors of", "tensors of", words)
    words = re.sub(r"^(tensors of .*)", r"\1 are not read", words)
    return re.sub(r"^input \"[^\"]*\": ", "", words)


def group(lines):
    groups = {}
    for line in lines:
        test, words = line.rstrip("\n").split("\t")
        groups.setdefault(reason_of(words), []).append(test)
    return dict(sorted(groups.items(), key=lambda item: item[0].lower()))


def text_of(groups):
    parts = ["# Node tests of ONNX that hbscore refuses, by reason. test/onnx/refused.py --update makes this list.\n"]
    for reason, tests in groups.items():
        parts.append(f"\n{reason}\n")
        parts.extend(f"    {test}\n" for test in sorted(tests))
    return "".join(parts)


def table_of(groups):
    """The reasons and how many tests each has; those of one kind in one row."""
    kinds = [
        (r"the operator (\w+) is not read", "an operator that hbscore does not read"),
        (r"operators of (\S+) are not read", "an operator of another domain"),
        (r"tensors of (\S+) are not read", "tensors of a type that hbscore does not read"),
        (r"(\w+): hbscore does not compute with \w+", "computing with uint8, int16 or uint32"),
    ]
    rows, rest = [], []
    for pattern, title in kinds:
        found = {}
        for reason, tests in groups.items():
            if match := re.fullmatch(pattern, reason):
                found[match[1]] = found.get(match[1], 0) + len(tests)
        names = ", ".join(f"{name} {count}" for name, count in found.items())
        if found:
            rows.append((sum(found.values()), title, names))
    for reason, tests in groups.items():
        if not any(re.fullmatch(pattern, reason) for pattern, _ in kinds):
            rest.append((len(tests), reason, ""))
    lines = ["| tests | reason | which |\n", "|---|---|---|\n"]
    for count, title, names in rows + sorted(rest, key=lambda row: (-row[0], row[1])):
        lines.append(f"| {count} | {title} | {names} |\n")
    return "".join(lines)


def with_table(page, table):
    begin, end = page.index(BEGIN) + len(BEGIN), page.index(END)
    return page[:begin] + "\n" + table + "\n" + page[end:]


def main():
    groups = group(open(sys.argv[1], encoding="utf-8"))
    page = PAGE.read_text(encoding="utf-8")
    wanted = {GROUPED: text_of(groups), PAGE: with_table(page, table_of(groups))}
    if "--update" in sys.argv:
        for path, text in wanted.items():
            path.write_text(text, encoding="utf-8")
        return 0
    passed = failed = 0
    for name in sys.argv[2:]:
        if name != "--update":
            counts = re.search(r"(\d+) passed, (\d+) failed\s*$", open(name, encoding="utf-8").read())
            passed += int(counts[1]) if counts else 0
            failed += int(counts[2]) if counts else 1
    for path, text in wanted.items():
        found = path.read_text(encoding="utf-8") if path.exists() else ""
        if found == text:
            passed += 1
            continue
        failed += 1
        before, now = set(found.splitlines()), set(text.splitlines())
        print(f"FAILED {path.name} is not what the node tests say (UPDATE=1 test/onnx/run.sh):")
        for sign, lines in (("-", before - now), ("+", now - before)):
            for line in sorted(lines)[:20]:
                print(f"  {sign} {line.strip()}")
    print(f"out of scope: {sum(len(tests) for tests in groups.values())} node tests")
    print(f"{passed} passed, {failed} failed")
    return failed > 0


sys.exit(main())
