"""Shows how far long work has come: by a bar on a terminal, or by calls of the caller's own function."""

from __future__ import annotations

import shutil
import sys
import time
from contextlib import contextmanager
from typing import Any, Callable, Iterator, Union

from . import errors

#: How much is done, from 0 to 1, and what is being done. Numbers do not fall.
Told = Callable[[float, str], None]
Choice = Union[None, bool, Told]

WIDTH = 24  # of the bar
DELAY = 0.5  # seconds before a bar appears
REDRAW = 0.1  # seconds between two drawings, at least
LARGE = 8_000_000  # bytes that take the database long


class Bar:
    """One line of a terminal, drawn over and over, and erased at the end. Short work draws nothing."""

    def __init__(self, stream: Any, title: str, delay: float) -> None:
        self.stream, self.title = stream, printable(title)
        self.due = time.monotonic() + delay
        self.step = ""
        self.drawn = 0  # characters on the line

    def __call__(self, done: float, what: str) -> None:
        now, step = time.monotonic(), what.partition(" ")[0]
        if now < self.due and (step == self.step or not self.drawn):
            return
        self.due, self.step = now + REDRAW, step
        filled = int(done * WIDTH)
        self._write(f"{self.title} [{'#' * filled}{'.' * (WIDTH - filled)}] {printable(what)}")

    def close(self) -> None:
        if self.drawn:
            self._write("")
            self._write("")

    def _write(self, line: str) -> None:
        """A line that is too long would go on in a second one, which nothing erases."""
        line = line[: shutil.get_terminal_size().columns - 1]
        try:
            self.stream.write("\r" + line.ljust(self.drawn))
            self.stream.flush()
        except (OSError, ValueError):  # nobody reads it any more: the work goes on
            return
        self.drawn = len(line)


def printable(text: str) -> str:
    return "".join(c if c.isprintable() else "?" for c in text)


def is_terminal(stream: Any) -> bool:
    """sys.stderr may be None, closed, or an object without isatty."""
    try:
        return bool(stream.isatty())
    except (AttributeError, ValueError):
        return False


def rising(told: Told) -> Told:
    """A Told whose numbers stay between 0 and 1 and do not fall: some work is done in several rounds."""
    most = 0.0

    def tell(done: float, what: str) -> None:
        nonlocal most
        most = min(max(most, done), 1.0)
        told(most, what)

    return tell


def part(told: Told, low: float, high: float) -> Told:
    """A Told for one step: its 0 to 1 become `low` to `high` of the whole."""
    return lambda done, what: told(low + (high - low) * done, what)


def nothing(done: float, what: str) -> None:
    """The Told that shows nothing."""


@contextmanager
def shown(progress: Choice, title: str, at_once: bool = False) -> Iterator[Told]:
    """The Told that `progress` asks for. None: a bar if standard error is a terminal; True: a bar in any case;
    False: nothing; a function: itself. at_once: the bar does not wait to see whether the work is short."""
    if callable(progress):
        yield rising(progress)
    elif not (progress is None or isinstance(progress, bool)):
        raise errors.InvalidValue(
            f"progress takes None, True, False or a function, not {errors.shown(progress)}"
        )
    elif progress or (progress is None and is_terminal(sys.stderr)):
        bar = Bar(sys.stderr, title, 0.0 if at_once else DELAY)
        try:
            yield rising(bar)
        finally:
            bar.close()
    else:
        yield nothing


def size(data: bytes) -> str:
    n = len(data)
    return f"{n / 1e6:.1f} MB" if n >= 1_000_000 else f"{(n + 999) // 1000} kB"
