"""nulls.py - systems that do nothing: what LoadGen, Python and ctypes cost by themselves."""

from hbsbench import native
from hbsbench.systems import Session, System


class Callback(System):
    """The callback alone."""

    sinks = ("client",)
    scores = False

    def session(self):
        return CallbackSession(self.case.rows)


class CallbackSession(Session):
    def __init__(self, rows):
        self.rows = rows

    def score(self, keys, out):
        pass

    def scan(self, sink, out):
        return self.rows


class Ctypes(System):
    """And one empty call through ctypes."""

    scores = False

    def session(self):
        return CtypesSession(self.case.rows)


class CtypesSession(CallbackSession):
    def __init__(self, rows):
        super().__init__(rows)
        self.keys, self.call = native.Keys(4096), native.library().native_nothing

    def score(self, keys, out):
        self.keys.array[:len(keys)] = keys
        self.call(self.keys.at, len(keys), None, self.keys.inner_at)

    def scan(self, sink, out):
        self.score((0,), out)
        return self.rows
