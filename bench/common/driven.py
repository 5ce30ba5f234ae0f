"""driven.py - the programs of bench/common/driven.h as ways of a benchmark, and the file of rows that they read."""

from __future__ import annotations

import pathlib
import subprocess
from typing import Any, List, Tuple

import numpy as np

MISSING = np.uint64(1 << 63)


def columns_of(data: Any) -> List[Tuple[str, np.ndarray]]:
    if isinstance(data, np.ndarray):
        return [("f%d" % j, data[:, j]) for j in range(data.shape[1])]
    return [(str(name), data[name].to_numpy()) for name in data.columns]


def write_rows(path: pathlib.Path, data: Any) -> None:
    """The file of rows.h."""
    columns = columns_of(data)
    with open(path, "wb") as file:
        np.array([len(data), len(columns)], dtype="<u8").tofile(file)
        for _, column in columns:
            if column.dtype == object:
                texts = [None if not isinstance(v, str) else v.encode() for v in column]
                ends = np.cumsum([len(t or b"") for t in texts]).astype("<u8")
                ends[[t is None for t in texts]] |= MISSING
                file.write(b"t")
                ends.tofile(file)
                file.write(b"".join(t or b"" for t in texts))
            else:
                file.write(b"f" if column.dtype == np.float32 else b"d")
                np.ascontiguousarray(column).tofile(file)


class Driven:
    """A program that scores when it is told to. `folder` takes its results."""

    def __init__(self, folder: pathlib.Path, command: List[Any]) -> None:
        self.path, self.name = folder / "results", str(command[0])
        self.process = subprocess.Popen([str(word) for word in command], stdin=-1, stdout=-1, text=True)

    def ask(self, line: str) -> str:
        try:
            self.process.stdin.write(line + "\n")
            self.process.stdin.flush()
            answer = self.process.stdout.readline().strip()
        except BrokenPipeError:
            answer = ""
        if not answer:
            raise RuntimeError("%s has stopped" % self.name)
        return answer

    def time(self, batch: int, count: int) -> Tuple[int, int]:
        """Nanoseconds for about `count` rows, and how many those were."""
        turns = max(1, count // batch)
        return int(self.ask("%d %d" % (batch, turns * batch))), turns * batch

    def results(self, count: int) -> np.ndarray:
        self.ask("write %s %d" % (self.path, count))
        return np.fromfile(self.path).reshape(count, -1)

    def facts(self) -> List[str]:
        return self.ask("facts").split()

    def close(self) -> None:
        self.process.stdin.close()
        self.process.wait()
