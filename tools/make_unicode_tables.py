#!/usr/bin/env python3
"""make_unicode_tables.py [--check] - core/base/unicode_tables.h: which characters Python's `re` takes for the
same without regard to case, as the running Python answers for each code point. With --check: whether the committed file
is that, where the running Python is the one it is made with; the status is 1 if not. Python 3.11 has Unicode 14.0, whose cases are those of 15.0 and 15.1 too."""

import re
import sys
import unicodedata

from character_tables import check, table, write

PATH = "core/base/unicode_tables.h"
CHARACTERS = [chr(code) for code in range(0x110000) if not 0xD800 <= code < 0xE000]  # what UTF-8 can encode


def case_classes():
    """For each character that (?i) takes for others, too: all of its class in ascending order."""
    cased = [c for c in CHARACTERS if not c.lower() == c.upper() == c.title() == c.casefold() == c]
    text = "".join(cased)
    classes = {}
    for c in cased:
        same = tuple(sorted(set(map(ord, re.findall("(?i)" + re.escape(c), text)))))
        if same != (ord(c),):
            classes[ord(c)] = same
    for code, same in classes.items():
        assert code in same and all(classes[other] == same for other in same), f"U+{code:04X}: not symmetric"
    return classes


def case_rows(classes):
    """(first, last, step): `code + step` is the next of the class of each code from first to last. Step 0: they are pairs, first
    with first + 1 and so on."""
    following = {code: same[(same.index(code) + 1) % len(same)] - code for code, same in classes.items()}
    rows, code = [], 0

    def begins_pair(code):
        return following.get(code) == 1 and following.get(code + 1) == -1

    last = max(following)
    while code <= last:
        first = code
        if begins_pair(code):
            while begins_pair(code):
                code += 2
            rows.append((first, code - 1, 0))
        elif code in following:
            while following.get(code) == following[first] and not begins_pair(code):
                code += 1
            rows.append((first, code - 1, following[first]))
        else:
            code += 1
    return rows


def header():
    version = unicodedata.unidata_version
    name = "unicode_" + "_".join(version.split(".")[:2])

    rows = [(f"0x{first:X}", f"0x{last:X}", str(step)) for first, last, step in case_rows(case_classes())]
    return "\n".join([
        "/* unicode_tables.h - made by tools/make_unicode_tables.py; do not edit.",
        " *",
        f" * Unicode {version}, as Python's `re` has it. */",
        "#ifndef HB_BASE_UNICODE_TABLES_H",
        "#define HB_BASE_UNICODE_TABLES_H",
        "",
        '#include "base/code_set.h"',
        "",
        f'#define HB_UNICODE_VERSION "{version}"',
        "",
        "/* clang-format off */",
        table("The next character of each one's class, which is a ring: see hb_case_row.",
              "hb_case_row", f"{name}_case", rows),
        "#endif",
        "",
    ])


def main():
    if "--check" not in sys.argv:
        write({PATH: header()})
        return 0
    if unicodedata.unidata_version != "14.0.0":
        print(f"{PATH}: skipped, Python {sys.version.split()[0]} has Unicode {unicodedata.unidata_version}\n0 passed, 0 failed")
        return 0
    return check({PATH: header()}, "make_unicode_tables.py")


if __name__ == "__main__":
    sys.exit(main())
