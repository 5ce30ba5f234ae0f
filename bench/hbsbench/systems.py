"""systems.py - the contract of a system under test. A system is a class of bench/suts, or of a file beside its manifest.

    system = System(case, options)   cheap: no model is loaded
    system.check()                   raises Refused with the reason if it cannot take the case
    system.prepare()                 in the harness's own process, once and untimed: tables, registration
    system.open()                    in a run's process: loads the model; gives {"load_ns": ..}
    system.session()                 one connection, or one user of the model; a thread has its own
    system.beside(case, session)     a session of another model of the same data set, which takes turns with the first one: in the same
                                     process, and in a database by the same connection. prepare() has seen case.others
    system.threaded                  true if its library has a pool of threads, of which it may use system.threads: pools.py
    system.scenarios                 those that it is for
    system.writer()                  of a system that reads a table, and of no other: a connection that writes beside sessions, with
                                     write(number) and close()
    system.close()

    session.score(keys, out)         rows of these keys, in this order, into out[:len(keys)], [outputs] numbers each
    session.inner                    nanoseconds of the last call by the shim's own clock; 0: it has none
    session.python_steps             true if pre- and postprocess run in Python around what the shim's clock measures
    session.before_scan(sink)        untimed
    session.scan(sink, out)          all rows in one go; sinks: "aggregate", "table", "client". Where the sink is the client
                                     out gets the outputs, in the order of the keys. Gives the number of rows
    session.read_back(sink, out)     what the scan left: the table into out; of the aggregate the sums, out[0]
    session.figures(sink, keys)      of a system in a database, what figures.py says of the statement of a query with these keys, or of
                                     a scan (keys is None); else None
    session.parts(sink)              the nanoseconds of the parts of the last scan (parts.py), or of another one that is taken apart; None: nobody
                                     knows them
    session.process()                the process that scores: this one, or the server's for this connection
    session.stats()                  what is known at the end: {"server_peak_kib": ..}
    session.close()
"""

import importlib.util
import os
import sys

import numpy

from . import deadline, pythons
from .errors import BenchError, Refused
from .manifest import HERE, find
from .profiles import SCENARIOS


class System:
    sinks = ("client",)
    scores = True  # a null system does not: there is nothing to be compared
    threaded = False
    scenarios = SCENARIOS

    def __init__(self, case, options):
        self.case, self.options = case, options

    def check(self):
        pass

    def prepare(self):
        pass

    def open(self):
        return {}

    def session(self):
        raise NotImplementedError

    def beside(self, case, session):
        other = type(self)(case, self.options)
        other.open()
        return other.session()

    def close(self):
        pass


class Session:
    inner = 0
    python_steps = False

    def before_scan(self, sink):
        pass

    def read_back(self, sink, out):
        raise NotImplementedError

    def figures(self, sink, keys):
        return None

    def parts(self, sink):
        return None

    def process(self):
        return os.getpid()

    def stats(self):
        return {}

    def close(self):
        pass


def load(name, case, beside=None, threads=None):
    """A system by its manifest's name, for a case; Refused if something that it needs is not there. `threads`: in the place of its
    options'."""
    manifest = find("system", name, beside=beside)
    if pythons.needed(manifest):
        raise Refused("it has a Python of its own, where other models are trained: it is measured by bench-paper alone")
    for module in manifest.get("requires", []):
        if not there(module):
            raise Refused(f"{module} is not installed")
    if str(HERE.parent) not in sys.path:
        sys.path.insert(0, str(HERE.parent))
    options = {**manifest.get("options", {}), **({"threads": threads} if threads else {})}
    system = telling(manifest, manifest.function(manifest["class"]), case, options)
    if not isinstance(system, System):
        raise BenchError(f"{manifest.path}: class: {manifest['class']} is no hbsbench.systems.System")
    telling(manifest, system.check)
    return manifest, system


def there(module):
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:  # its package
        return False


def telling(manifest, call, *arguments):
    """A call of a system; what its author did not catch becomes one line, and so does a call without an end."""
    with deadline.within(f"{manifest.path}: {manifest['class']}"):
        try:
            return call(*arguments)
        except (BenchError, Refused):
            raise
        except (Exception, SystemExit) as error:
            raise BenchError(f"{manifest.path}: {manifest['class']}: {type(error).__name__}: {error}") from error


def consecutive(keys):
    """True where each key follows the one before it."""
    if isinstance(keys, numpy.ndarray):
        return bool((numpy.diff(keys) == 1).all())
    return keys[-1] - keys[0] == len(keys) - 1 and all(b - a == 1 for a, b in zip(keys, keys[1:]))


def runs_of(keys):
    """[(first place, number)] of the parts of the keys that follow each other."""
    found, first = [], 0
    for place in range(1, len(keys) + 1):
        if place == len(keys) or keys[place] != keys[place - 1] + 1:
            found.append((first, place - first))
            first = place
    return found
