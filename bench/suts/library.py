"""library.py - the libraries over an array that is in memory already: the upper bound of what is done today."""

import numpy

from hbsbench import models, parts
from hbsbench.systems import Session, System, consecutive


class Library(System):
    """One library in Python. `threads` of the options: how many it may use."""

    sinks = ("client",)
    threaded = True

    def check(self):
        self.case.steps()

    def open(self):
        self.threads = self.options.get("threads", 1)
        self.steps = self.case.steps()
        self.rows = self.case.raw_rows()
        self.outputs = self.load()
        return {}

    def load(self):
        """The function from rows of features to outputs of predict."""
        raise NotImplementedError

    def session(self):
        return LibrarySession(self)

    def scored(self, rows, clock=parts.NONE):
        preprocess, postprocess = self.steps
        if clock is not parts.NONE:
            return self.clocked(rows, clock)
        if preprocess:
            rows = preprocess(rows)
        found = self.outputs(rows)
        return postprocess(found) if postprocess else found

    def clocked(self, rows, clock):
        """The same, by the parts of a scan."""
        preprocess, postprocess = self.steps
        if preprocess:
            with clock("featurise"):
                rows = preprocess(rows)
        with clock("run"):
            found = self.outputs(rows)
        if postprocess:
            with clock("post"):
                found = postprocess(found)
        return found


class LibrarySession(Session):
    def __init__(self, system):
        self.system = system

    def score(self, keys, out):
        first, n = keys[0], len(keys)
        rows = self.system.rows
        part = rows[first:first + n] if consecutive(keys) else rows[list(keys)]
        out[:n] = self.system.scored(part)

    def scan(self, sink, out):
        self.clock = parts.Clock()
        found = self.system.scored(self.system.rows, self.clock)
        with self.clock("post"):
            out[:] = found
        return len(self.system.rows)

    def parts(self, sink):
        return self.clock.told()


class Sklearn(Library):
    """The fitted estimator itself, of whichever library."""

    def check(self):
        super().check()
        self.case.estimator_path()

    def load(self):
        import joblib

        estimator = joblib.load(self.case.estimator_path())
        _set_threads(estimator, self.threads)
        # CatBoost takes them with each call, else all cores.
        called = {"thread_count": self.threads} if type(estimator).__module__.startswith("catboost") else {}
        manifest = self.case.manifest
        if models.transforms(manifest):
            return lambda rows: models.transformed(estimator.transform(rows), manifest)
        wanted = manifest["predict"]
        classes = numpy.asarray(getattr(estimator, "classes_", [])).tolist()
        functions = {item["function"] for item in wanted}
        places = [models.class_place(estimator.classes_.tolist(), item["class"], manifest)
                  if item["function"] == "predict_probability" else None for item in wanted]

        def outputs(rows):
            probabilities = estimator.predict_proba(rows, **called) if "predict_probability" in functions else None
            predicted = models.numbers_of(estimator.predict(rows, **called), classes) if "predict" in functions else None
            return numpy.column_stack([predicted if place is None else probabilities[:, place] for place in places])

        return outputs


def _set_threads(estimator, threads):
    """For every estimator within that has the parameter."""
    for name in estimator.get_params():
        if name == "n_jobs" or name.endswith("__n_jobs"):
            estimator.set_params(**{name: threads})
