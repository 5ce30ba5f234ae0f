#!/usr/bin/env python3
"""Makes core/base/case_tables.h: which character towlower and towupper give for each other one, in the C library's
locale C.UTF-8. ONNX Runtime's StringNormalizer asks them. With --check: says whether the file is what this machine's
library gives, if it has the version that the file names."""
import ctypes
import locale
import sys

PATH = "core/base/case_tables.h"


def changes(function):
    """(code, other) for each code point that the function changes."""
    return [(code, function(code)) for code in range(0x110000)
            if not 0xD800 <= code < 0xE000 and function(code) != code]


def rows(pairs):
    """(first, last, step, every): the codes first, first + every, .. last become code + step."""
    made = []
    for code, other in pairs:
        step = other - code
        if made and made[-1][2] == step:
            first, last, _, every = made[-1]
            if code - last == every or (first == last and code - last in (1, 2)):
                made[-1] = (first, code, step, code - last)
                continue
        made.append((code, code, step, 1))
    return made


def table(name, items):
    lines, line = [], "   "
    for first, last, step, every in items:
        text = f" {{0x{first:X}, 0x{last:X}, {step}, {every}}},"
        if len(line) + len(text) > 118:
            lines.append(line)
            line = "   "
        line += text
    lines.append(line)
    return f"static const case_row {name}[{len(items)}] = {{\n" + "\n".join(lines) + "\n};\n"


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
        table("lower_rows", rows(changes(library.towlower))),
        table("upper_rows", rows(changes(library.towupper))),
        "#endif",
        "",
    ])


def main():
    if "--check" not in sys.argv:
        with open(PATH, "w", encoding="ascii") as file:
            file.write(header())
        return 0
    written, made = open(PATH, encoding="ascii").read(), header()
    if written.split("\n")[2] != made.split("\n")[2]:
        print(f"{PATH}: skipped, the C library is another version\n0 passed, 0 failed")
        return 0
    right = written == made
    print("1 passed, 0 failed" if right else f"{PATH} is not what tools/make_case_tables.py makes\n0 passed, 1 failed")
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
