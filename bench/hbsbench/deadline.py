"""deadline.py - an end for what others have written and the harness calls in its own process: recipes, generators, steps,
prepare() of systems. (A run has a process of its own, with a deadline there.) The signal is handled between two steps of the
interpreter, so C code that never returns is not ended."""

import contextlib
import contextvars
import signal
import threading
import time

from .errors import BenchError

SECONDS = contextvars.ContextVar("seconds", default=3600.0)


class Late(BaseException):
    """No Exception, which the called code may catch."""


@contextlib.contextmanager
def of(seconds):
    """Calls within have other seconds than an hour; None: an hour."""
    token = SECONDS.set(seconds or SECONDS.get())
    try:
        yield
    finally:
        SECONDS.reset(token)


@contextlib.contextmanager
def within(what):
    """Ends the block with one line that begins with `what`. Signals come to the main thread only: elsewhere there is no end, and none
    in a program that handles SIGALRM itself, as PostgreSQL's server does around PL/Python. The time of a block within another one
    counts for both."""
    if threading.current_thread() is not threading.main_thread() or signal.getsignal(signal.SIGALRM) is None:
        yield
        return
    seconds = SECONDS.get()

    def late(number, frame):
        raise Late

    before, (outer, _), begun = signal.signal(signal.SIGALRM, late), signal.setitimer(signal.ITIMER_REAL, seconds), time.monotonic()
    try:
        yield
    except Late:
        raise BenchError(f"{what}: no end within {seconds:g} seconds") from None
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        if outer:
            signal.setitimer(signal.ITIMER_REAL, max(0.001, outer - (time.monotonic() - begun)))
