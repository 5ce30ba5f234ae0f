"""Systems that do what a system must never do."""

import time

from hbsbench.systems import Session, System


class OneSession(Session):
    def __init__(self, do):
        self.calls, self.do = 0, do

    def score(self, keys, out):
        self.calls += 1
        if self.calls > 10:
            self.do()
        out[:len(keys)] = 0


def fail():
    raise RuntimeError("the model has gone")


def hang():
    time.sleep(1000)


def crash():
    import os

    os.abort()


class Raises(System):
    def session(self):
        return OneSession(fail)


class Hangs(System):
    def session(self):
        return OneSession(hang)


class Crashes(System):
    def session(self):
        return OneSession(crash)


class Wrong(System):
    def session(self):
        return OneSession(lambda: None)


class RefusesLate(System):
    def open(self):
        from hbsbench.errors import Refused

        raise Refused("this machine has no such device")


class NoSystem:
    def __init__(self, case, options):
        pass
