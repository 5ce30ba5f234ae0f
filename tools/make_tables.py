#!/usr/bin/env python3
"""Writes core/base/elementary64_tables.h: the constants of hb_exp64, hb_log64 and hb_erf64, from 60-digit decimals."""

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
    return f"/* {comment} */\nstatic const double {name}[{len(items)}][{items[0].count(',') + 1}] = {{\n{body},\n}};\n"


def in_lines(numbers: list[str]) -> str:
    """Four a line: all would be longer than a line may be."""
    return ",\n     ".join(", ".join(numbers[i : i + 4]) for i in range(0, len(numbers), 4))


def erf_at(x: Decimal) -> list[Decimal]:
    """Factors of 1, d, d^2 and so on up to d^10, whose sum is erf(x + d)."""
    root = Decimal("3.14159265358979323846264338327950288419716939937510582097494459").sqrt()
    term, value, n = 2 * x / root, Decimal(0), 0
    while abs(term) > Decimal(10) ** -50:
        value += term / (2 * n + 1)
        n += 1
        term *= -x * x / n
    found, slope = [value], [Decimal(0), 2 / root * (-x * x).exp()]  # of exp(-(x + d)^2), by its own differential equation
    for n in range(10):
        found.append(slope[-1] / (n + 1))
        slope.append((-2 * x * slope[-1] - 2 * slope[-2]) / (n + 1))
    return found


def main() -> None:
    ln2_128 = LN2 / 128
    high = chopped(ln2_128, 32)
    ln2_high = chopped(LN2, 41)
    print("/* elementary64_tables.h - made by tools/make_tables.py; do not edit. */")
    print("#ifndef HB_BASE_ELEMENTARY64_TABLES_H\n#define HB_BASE_ELEMENTARY64_TABLES_H\n")
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
    erfs = [f"{{{in_lines([float(value + 0).hex() for value in erf_at(Decimal(i) / 16)])}}}" for i in range(97)]
    print("/* clang-format off */")
    print(rows("erf_table", "factors of 1, d, d^2 and so on, whose sum is erf(i / 16 + d)", erfs))
    print("/* clang-format on */\n#endif")


if __name__ == "__main__":
    main()
