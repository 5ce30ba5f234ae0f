#!/usr/bin/env python3
"""Some node tests of ONNX through SQL: test_sql.py EXTENSION FOLDER. The last test of each operator is one of them."""

import json
import math
import pathlib
import re
import sqlite3
import struct
import sys

NUMBERS = {1: ("float32", "f"), 6: ("int32", "i"), 7: ("int64", "q"), 9: ("bool", "?"), 11: ("float64", "d")}


def fields(data):
    """The fields of a protobuf message: number and value."""
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(data):
        tag = varint()
        if tag & 7 == 0:
            yield tag >> 3, varint()
        else:
            size = varint() if tag & 7 == 2 else {1: 8, 5: 4}[tag & 7]
            yield tag >> 3, data[at : at + size]
            at += size


def tensor(data):
    """The type, the dimensions and the numbers of a TensorProto whose data are raw; None of another one."""
    dims, kind, raw = [], None, b""
    for number, value in fields(data):
        if number == 1:
            dims += [value] if isinstance(value, int) else list(value)
        elif number == 2:
            kind = value
        elif number == 9:
            raw = value
        elif number not in (8,):
            return None
    if kind not in NUMBERS or any(d > 127 for d in dims):
        return None
    name, code = NUMBERS[kind]
    return name, dims, list(struct.unpack("<%d%s" % (math.prod(dims), code), raw))


def near(found, expected):
    found = float(found) if isinstance(found, str) else found
    if math.isnan(expected):
        return math.isnan(found)
    return found == expected or abs(found - expected) <= 1e-7 + 1e-3 * abs(expected)


def check(connection, folder):
    data = folder / "test_data_set_0"
    inputs = [p.read_bytes() for p in sorted(data.glob("input_*.pb"))]
    expected = [tensor(p.read_bytes()) for p in sorted(data.glob("output_*.pb"))]
    marks = ", ".join("?" for _ in range(1 + len(inputs)))
    rows = connection.execute(
        "SELECT type, dims, numbers FROM hbscore_test_run(%s) ORDER BY position" % marks,
        [(folder / "model.onnx").read_bytes(), *inputs],
    ).fetchall()
    assert len(rows) == len(expected), "%d outputs" % len(rows)
    for (kind, dims, numbers), (name, shape, wanted) in zip(rows, expected):
        found = json.loads(numbers)
        assert (kind, json.loads(dims)) == (name, shape), "%s %s, expected %s %s" % (kind, dims, name, shape)
        assert len(found) == len(wanted) and all(map(near, found, wanted)), "%s, expected %s" % (found, wanted)


def sample(root, refused):
    """The last test of each operator that is not refused, with few inputs and numbers alone."""
    last = {}
    for folder in sorted(root.iterdir()):
        data = sorted((folder / "test_data_set_0").glob("*.pb"))
        inputs = [p for p in data if p.name.startswith("input")]
        if folder.name in refused or "expanded" in folder.name or not 0 < len(inputs) <= 8:
            continue
        if all(tensor(p.read_bytes()) for p in data):
            last[re.match(r"test_([a-z]+)", folder.name)[1]] = folder
    return list(last.values())


def main():
    extension, root = sys.argv[1], pathlib.Path(sys.argv[2])
    listed = pathlib.Path(__file__).with_name("refused.txt").read_text(encoding="utf-8")
    refused = {line.strip() for line in listed.splitlines() if line.startswith("    ")}
    connection = sqlite3.connect(":memory:")
    connection.enable_load_extension(True)
    connection.load_extension(extension)
    passed = failed = 0
    for folder in sample(root, refused):
        try:
            check(connection, folder)
            passed += 1
        except (AssertionError, sqlite3.Error) as error:
            failed += 1
            print("FAILED %s in SQL: %s" % (folder.name, error))
    try:
        connection.execute("SELECT * FROM hbscore_test_run(x'00')").fetchall()
        failed += 1
    except sqlite3.OperationalError:
        passed += 1
    print("node tests of ONNX in SQL: %d" % passed)
    print("%d passed, %d failed" % (passed, failed))
    return failed > 0 or passed < 40


sys.exit(main())
