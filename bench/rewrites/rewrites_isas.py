"""rewrites_isas.py FOLDER CORE [--rounds N]

The pass replace_sparse for each instruction set: linear models of 3, 10 and 100 outputs over 30 and 300 columns, of which a
part of the weights is not 0, in the core. A cell has how many times as fast a model is with the pass as without it, in
blocks of 64 rows and row by row. Both take turns; a ratio is of one round, and its median counts. The status is 1 where
a cell is slower than 1.02 times.
"""

from __future__ import annotations

import argparse
import os
import pathlib
import statistics
import sys
from typing import Any, List

import numpy as np
from sklearn.linear_model import LinearRegression

import hbscore
from driven import Driven, write_rows
from scan_report import in_columns

ISAS = ("portable", "avx2", "avx512")
OUTPUTS, COLUMNS, DENSITIES = (3, 10, 100), (30, 300), (0.1, 0.3, 0.4)
ROWS, BLOCK = 640, 64
NUMBERS = {BLOCK: 40_000_000, 1: 4_000_000}  # weights times rows of one measurement
NOT_SLOWER = 1.02


def model_of(columns: int, outputs: int, density: float) -> LinearRegression:
    """Each column has a weight in one output at least."""
    rng = np.random.RandomState(columns + outputs)
    model = LinearRegression().fit(rng.randn(4, columns), rng.randn(4, outputs))
    there = rng.rand(outputs, columns) < max(0.0, density - 1 / outputs)
    there[rng.randint(outputs, size=columns), np.arange(columns)] = True
    model.coef_ = np.where(there, rng.randn(outputs, columns), 0.0)
    return model


def ratio(o: Any, command: List[Any], batch: int, weights: int) -> float:
    """Without the pass by with it."""
    programs = [Driven(o.folder, command + more) for more in ([], ["passes_off=replace_sparse"])]
    count = max(batch, NUMBERS[batch] // weights)
    found = []
    for _ in range(o.rounds):
        ns = [program.time(batch, count)[0] for program in programs]
        found.append(ns[1] / ns[0])
    for program in programs:
        program.close()
    return statistics.median(found)


def line(o: Any, columns: int, outputs: int, batch: int, isa: str) -> List[float]:
    os.environ["HBSCORE_INSTRUCTION_SET"] = isa
    found = []
    for density in DENSITIES:
        (o.folder / "model.json").write_bytes(hbscore.export(model_of(columns, outputs, density)))
        command = [o.core, o.folder / "model.json", "{}", o.folder / "rows", "predict_values"]
        found.append(ratio(o, command, batch, columns * outputs))
    return found


def main() -> int:
    parser = argparse.ArgumentParser(prog="bench-rewrites --isas")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("core")
    parser.add_argument("--rounds", type=int, default=15)
    o = parser.parse_args()
    head = ["columns x outputs", "rows"] + ["%s, %.0f %%" % (isa, 100 * d) for isa in ISAS for d in DENSITIES]
    rows, slow = [], 0
    for columns in COLUMNS:
        write_rows(o.folder / "rows", np.random.RandomState(1).randn(ROWS, columns))
        for outputs in OUTPUTS:
            for batch in (BLOCK, 1):
                found = [x for isa in ISAS for x in line(o, columns, outputs, batch, isa)]
                slow += sum(x < 1 / NOT_SLOWER for x in found)
                rows.append(["%d x %d" % (columns, outputs), "%d" % batch] + ["%.2f" % x for x in found])
    print("\n".join(in_columns([head, *rows])))
    print("cells slower than %.2f times: %d" % (NOT_SLOWER, slow))
    return 1 if slow else 0


if __name__ == "__main__":
    sys.exit(main())
