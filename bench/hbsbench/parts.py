"""parts.py - the parts of a pass of `offline`: what the scan, the transfer to the client, the features, the model, postprocess and the
writing take. Each system tells those that it knows (systems.py, session.parts); what nobody knows is not split."""

import contextlib
import time

SCAN, TRANSFER, FEATURISE, RUN, POST, WRITE = NAMES = ("scan", "transfer", "featurise", "run", "post", "write")


class Clock:
    """with clock("run"): .. adds the nanoseconds of a block to a part."""

    def __init__(self):
        self.ns = {}

    @contextlib.contextmanager
    def __call__(self, name):
        begun = time.perf_counter_ns()
        try:
            yield
        finally:
            self.ns[name] = self.ns.get(name, 0) + time.perf_counter_ns() - begun

    def told(self):
        return dict(self.ns)


class NoClock:
    """For queries of some rows, whose times two reads of a clock would show in."""

    def __call__(self, name):
        return contextlib.nullcontext()


NONE = NoClock()


def well_formed(parts):
    return isinstance(parts, dict) and all(name in NAMES and type(ns) is int and ns >= 0 for name, ns in parts.items())
