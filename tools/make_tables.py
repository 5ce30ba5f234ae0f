#!/usr/bin/env python3
"""Writes core/base/elementary64_tables.h: the constants of hb_exp and hb_log, from 60-digit decimals."""

from decimal import Decimal, getcontext

getcontext().prec = 60
LN2 = Decimal(2).ln()


def pair(value: Decimal) -> str:
    """`value` as the nearest double and what that leaves out."""
    high = float(value)
    return f"{{{high.hex()}, {float(value - Decimal(high)).hex()}}}"


def chopped(value: Decimal, bits: int) -> float:
    """`value` cut to so many significant bits, so that products with small integers are exact."""
    mantissa, exponent = float(value).hex().split("p")
    whole, fraction = mantissa.split(".")
    number = int(whole + fraction, 16)
    drop = 53 - bits
    return float.fromhex(f"{number >> drop << drop:x}".join(["0x", ""]) + f"p{int(exponent) - 52}")


def rows(name: str, comment: str, items: list[str]) -> str:
    body = ",\n".join(f"    {item}" for item in items)
    return f"/* {comment} */\nstatic const double {name}[{len(items)}][2] = {{\n{body},\n}};\n"


def main() -> None:
    ln2_128 = LN2 / 128
    high = chopped(ln2_128, 32)
    ln2_high = chopped(LN2, 41)
    print("/* elementary64_tables.h - made by tools/make_tables.py; do not edit. */")
    print("#ifndef HB_KERNEL_ELEMENTARY64_TABLES_H\n#define HB_KERNEL_ELEMENTARY64_TABLES_H\n")
    print("/* ln 2 / 128 in two parts; the first has 32 bits, so that its product with an int is exact. */")
    print(f"static const double ln2_128_high = {high.hex()};")
    print(f"static const double ln2_128_low = {float(ln2_128 - Decimal(high)).hex()};")
    print("/* ln 2 in two parts; the first has 41 bits. */")
    print(f"static const double ln2_high = {ln2_high.hex()};")
    print(f"static const double ln2_low = {float(LN2 - Decimal(ln2_high)).hex()};\n")
    powers = [(Decimal(2) ** (Decimal(i) / 128)) for i in range(128)]
    exps = []
    for value in powers:
        nearest = float(value)
        exps.append(f"{{{nearest.hex()}, {float((value - Decimal(nearest)) / value).hex()}}}")
    print(rows("exp_table", "2^(i / 128), and the part that this leaves out, relative to it", exps))
    logs = [pair((1 + Decimal(i) / 128).ln()) for i in range(129)]
    print(rows("log_table", "ln(1 + i / 128) in two parts", logs))
    print("#endif")


if __name__ == "__main__":
    main()
