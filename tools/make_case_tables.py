#!/usr/bin/env python3
"""Makes core/base/case_tables.h: which character towlower and towupper give for each other one, in the C library's
locale C.UTF-8. ONNX Runtime's StringNormalizer asks them. With --check: says whether the file is what this machine's
library gives, if it has the version that the file names."""
import ctypes
import locale
import sys

from character_tables import check, rows, table, write

PATH = "core/base/case_tables.h"


def changes(function):
    """((code, other), None) for each code point that the function changes."""
    return [((code, function(code)), None) for code in range(0x110000)
            if not 0xD800 <= code < 0xE000 and function(code) != code]


def case_table(name, function):
    items = [(f"0x{first:X}", f"0x{last:X}", str(step), str(every)) for first, last, step, every, _ in rows(changes(function))]
    return table("", "case_row", name, items)


def header():
    locale.setlocale(locale.LC_CTYPE, "C.UTF-8")
    library = ctypes.CDLL(None)
    version = library.gnu_get_libc_version
    version.restype = ctypes.c_char_p
    return "\n".join([
        "/* case_tables.h - made by tools/make_case_tables.py; do not edit.",
        " *",
        f" * towlower and towupper of glibc {version().decode()}. The codes first, first + every, .. last become code + step. */",
        "#ifndef HB_BASE_CASE_TABLES_H",
        "#define HB_BASE_CASE_TABLES_H",
        "",
        "#include <stdint.h>",
        "",
        "typedef struct case_row {",
        "    uint32_t first, last;",
        "    int32_t step;",
        "    uint32_t every;",
        "} case_row;",
        "",
        "/* clang-format off */",
        case_table("lower_rows", library.towlower),
        case_table("upper_rows", library.towupper),
        "#endif",
        "",
    ])


def main():
    made = {PATH: header()}
    if "--check" not in sys.argv:
        write(made)
        return 0
    with open(PATH, encoding="ascii") as file:
        written = file.read()
    if written.split("\n")[2] != made[PATH].split("\n")[2]:
        print(f"{PATH}: skipped, the C library is another version\n0 passed, 0 failed")
        return 0
    return check(made, "make_case_tables.py")


if __name__ == "__main__":
    sys.exit(main())
