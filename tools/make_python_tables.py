#!/usr/bin/env python3
"""make_python_tables.py [--check] - core/base/python_tables.h and python_accents.h: what Python's `str` and `re` say of
characters, as each Python answers that has one of the versions of Unicode below. With --check: whether the committed
files are that; the status is 1 if not.

A Python is taken from PYTHON39, PYTHON311, .. or from PATH as python3.9, python3.11, .."""

import json
import os
import subprocess
import sys

from character_tables import check, rows, table, write

PATHS = ("core/base/python_tables.h", "core/base/python_accents.h")

#: Unicode and a Python that has it, in the order of hb_unicode.
VERSIONS = [("13.0", "3.9"), ("14.0", "3.11"), ("15.0", "3.12"), ("15.1", "3.13")]
CODES = [code for code in range(0x110000) if not 0xD800 <= code < 0xE000]
HANGUL = range(0xAC00, 0xD7A4)  # decomposed by rule


def ask():
    """What the running Python says, as JSON."""
    import re
    import unicodedata

    def having(pattern):
        return [ord(c) for c in re.findall(pattern, "".join(map(chr, CODES)))]

    def is_final(text):
        return text.lower().endswith("\u03c2")

    cased, ignorable, lower, plain = [], [], [], []
    for code in CODES:
        c = chr(code)
        if is_final(c + "\u03a3"):
            cased.append(code)
        elif is_final("a" + c + "\u03a3"):
            ignorable.append(code)
        if c.lower() != c and code not in (0x130, 0x3A3):  # which lower() treats by themselves
            assert len(c.lower()) == 1
            lower.append((code, ord(c.lower())))
        without = "".join(d for d in unicodedata.normalize("NFKD", c) if not unicodedata.combining(d))
        if without != c and code not in HANGUL:
            plain.append((code, without))
    space = having(r"\s")
    assert space == [code for code in CODES if chr(code).isspace()]
    assert "\u0130".lower() == "i\u0307"
    json.dump({"unicode": unicodedata.unidata_version, "word": having(r"\w"), "digit": having(r"\d"), "space": space, "cased": cased,
               "ignorable": ignorable, "lower": lower, "plain": plain}, sys.stdout)


def asked(version, python):
    command = os.environ.get("PYTHON" + python.replace(".", ""), "python" + python)
    told = json.loads(subprocess.run([command, __file__, "--ask"], stdout=subprocess.PIPE, check=True).stdout)
    assert told["unicode"].startswith(version + "."), told["unicode"]
    return told


def masks(told, name):
    """{code: versions} of a list of codes, {(code, what): versions} of pairs; bit v is the one of VERSIONS[v]."""
    found = {}
    for v, facts in enumerate(told):
        for item in facts[name]:
            key = tuple(item) if isinstance(item, list) else item
            found[key] = found.get(key, 0) | 1 << v
    return found


def ranges(found):
    """(first, last, versions). Surrogates are in no text, and may lie in a range."""
    runs = []
    for code, versions in sorted(found.items()):
        if runs and runs[-1][2] == versions and (runs[-1][1] == code - 1 or (runs[-1][1], code) == (0xD7FF, 0xE000)):
            runs[-1][1] = code
        else:
            runs.append([code, code, versions])
    return runs


def range_table(comment, name, found):
    return table(comment, "python_range", name, [(f"0x{a:X}", f"0x{b:X}", str(v)) for a, b, v in ranges(found)])


def row_table(comment, name, found):
    items = [(f"0x{a:X}", f"0x{b:X}", str(step), str(every), str(v)) for a, b, step, every, v in rows(sorted(found.items()))]
    return table(comment, "python_row", name, items)


def head(path, about):
    name = os.path.basename(path)
    guard = "HB_BASE_" + name.upper().replace(".", "_")
    return ["/* %s - made by tools/make_python_tables.py; do not edit." % name, " *", *about, "#ifndef " + guard,
            "#define " + guard, ""]


def characters(told):
    about = [" * Characters as Python's `str` and `re` have them. `versions`: bit v for the version number v of hb_unicode.",
             " * Ranges ascend. */"]
    return "\n".join(head(PATHS[0], about) + [
        "#include <stdint.h>", "",
        "typedef struct python_range {", "    uint32_t first, last;", "    uint8_t versions;", "} python_range;", "",
        "typedef struct python_row {", "    uint32_t first, last;", "    int32_t step;", "    uint8_t every, versions;",
        "} python_row;", "", "/* clang-format off */",
        range_table("\\w of `re`.", "word_ranges", masks(told, "word")),
        range_table("\\d of `re`.", "digit_ranges", masks(told, "digit")),
        range_table("\\s of `re`, which is also what split() splits at.", "space_ranges", masks(told, "space")),
        range_table("Characters with a case, but for those that follow.", "cased_ranges", masks(told, "cased")),
        range_table("Characters that lower() looks past when it looks for one with a case.", "ignorable_ranges",
                    masks(told, "ignorable")),
        row_table("lower(), but for the dotted I and the sigma: the codes first, first + every, .. last become code + step.",
                  "lower_rows", masks(told, "lower")),
        "#endif", ""])


def quoted(text):
    """Each byte as an octal escape: three digits, so that none runs into the next."""
    return "".join("\\%03o" % byte for byte in text.encode())


def accents(told):
    plain = masks(told, "plain")
    nothing = {code: v for (code, text), v in plain.items() if text == ""}
    single = {(code, ord(text)): v for (code, text), v in plain.items() if len(text) == 1}
    longer = sorted((code, text, v) for (code, text), v in plain.items() if len(text) > 1)
    pool, places = "", {}
    for text in sorted({text for _, text, _ in longer}, key=lambda t: (-len(t), t)):
        at = pool.find(text)
        if at < 0:
            at = len(pool)
            pool += text
        places[text] = len(pool[:at].encode())
    lines, line = [], ""
    for c in pool:
        if len(line) + len(quoted(c)) > 112:
            lines.append('    "' + line + '"')
            line = ""
        line += quoted(c)
    lines.append('    "' + line + '";')
    items = [(f"0x{code:X}", str(places[text]), str(len(text.encode())), str(v)) for code, text, v in longer]
    about = [" * Characters without accents: NFKD of unicodedata without what combines. */"]
    return "\n".join(head(PATHS[1], about) + [
        '#include "base/python_tables.h"', "",
        "typedef struct python_text {", "    uint32_t code;", "    uint16_t at; /* in plain_bytes */",
        "    uint8_t size, versions;", "} python_text;", "", "/* clang-format off */",
        range_table("These are nothing without accents.", "accent_ranges", nothing),
        row_table("These are one other character.", "plain_rows", single),
        table("These are several.", "python_text", "plain_texts", items),
        "static const char plain_bytes[] =", *lines, "", "#endif", ""])


def main():
    if "--ask" in sys.argv:
        return ask()
    told = [asked(version, python) for version, python in VERSIONS]
    made = dict(zip(PATHS, (characters(told), accents(told))))
    if "--check" in sys.argv:
        return check(made, "make_python_tables.py")
    write(made)
    return 0


if __name__ == "__main__":
    sys.exit(main())
