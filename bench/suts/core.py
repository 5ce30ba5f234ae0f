"""core.py - hbscore's core in C, over rows in memory."""

import ctypes

import numpy

from hbsbench import models, native, parts
from hbsbench.errors import BenchError
from hbsbench.systems import Session, System, consecutive

KINDS = {"predict": 0, "predict_probability": 1, "transform": 2}


class Core(System):
    sinks = ("aggregate", "client")

    def check(self):
        self.case.file("hbscore")
        self.case.steps()
        self.case.features()

    def open(self):
        self.steps = self.case.steps()
        self.rows = self.case.raw_rows() if self.steps[0] else None
        self.columns = numpy.ascontiguousarray(self.case.features().T)
        first = CoreSession(self)
        facts = {"load_ns": first.facts[0] + first.facts[1], "model_bytes": first.facts[2], "tolerances": first.tolerances}
        first.close()
        return facts

    def session(self):
        return CoreSession(self)


class CoreSession(Session):
    def __init__(self, system):
        case = system.case
        self.library, self.rows, self.raw = native.library(), case.rows, system.rows
        self.preprocess, self.postprocess = system.steps
        self.python_steps = any(system.steps)
        # Each session writes what preprocess gives to columns of its own.
        self.columns = system.columns.copy() if self.preprocess else system.columns
        predict = case.manifest["predict"]
        self.width = len(predict)
        kinds = numpy.array([KINDS[item["function"]] for item in predict], numpy.int32)
        classes = case.facts["classes"]
        places = numpy.array([_place(item, classes, case.manifest) for item in predict], numpy.int32)
        facts, tolerances = numpy.zeros(3, numpy.int64), numpy.zeros(len(predict))
        error = ctypes.create_string_buffer(native.ERROR_SIZE)
        self.handle = self.library.core_open(
            str(case.file("hbscore")).encode(), case.options().encode(), native.address(self.columns), self.columns.shape[1],
            self.columns.shape[0], native.address(kinds), native.address(places), len(predict), native.address(facts),
            native.address(tolerances), error)
        if not self.handle:
            raise BenchError(error.value.decode(errors="replace"))
        self.facts, self.tolerances = facts.tolist(), tolerances.tolist()
        self.keys = native.Keys(max(case.rows, 4096))
        self.all = numpy.arange(case.rows)
        self.predicted = numpy.empty((max(case.rows, 4096), self.width))

    def call(self, n, out):
        if self.library.core_run(self.handle, self.keys.at, n, native.address(out), self.keys.inner_at) != n:
            raise BenchError(self.library.core_error(self.handle).decode(errors="replace"))

    def prepared(self, keys):
        """The rows as the model takes them, made of those of the data set as libraries do it, which is timed."""
        places = slice(keys[0], keys[-1] + 1) if consecutive(keys) else list(keys)
        self.columns[:, places] = self.preprocess(self.raw[places]).T

    def score(self, keys, out):
        n = len(keys)
        if self.preprocess:
            self.prepared(keys)
        self.keys.array[:n] = keys
        if self.postprocess is None:
            self.call(n, out)
        else:
            self.call(n, self.predicted)
            out[:n] = self.postprocess(self.predicted[:n])

    def score_all(self, out):
        """All rows, by the parts of a scan."""
        clock, n = self.clock, len(self.all)
        if self.preprocess:
            with clock("featurise"):
                self.prepared(self.all)
        with clock("run"):
            self.keys.array[:n] = self.all
            self.call(n, out if self.postprocess is None else self.predicted)
        if self.postprocess is not None:
            with clock("post"):
                out[:n] = self.postprocess(self.predicted[:n])

    @property
    def inner(self):
        return int(self.keys.inner[0])

    def scan(self, sink, out):
        self.clock = parts.Clock()
        if sink == "client":
            self.score_all(out)
        else:
            self.score_all(self.scanned(out))
            with self.clock("post"):
                self.sums = self.kept.sum(axis=0)
        return self.rows

    def parts(self, sink):
        return self.clock.told()

    def scanned(self, out):
        self.kept = numpy.empty((self.rows, out.shape[1]))
        return self.kept

    def read_back(self, sink, out):
        out[0] = self.sums

    def close(self):
        self.library.core_close(self.handle)


def _place(item, classes, manifest):
    if item["function"] != "predict_probability":
        return item.get("column", 0)
    return models.class_place(classes, item["class"], manifest) if classes else int(item["class"])
