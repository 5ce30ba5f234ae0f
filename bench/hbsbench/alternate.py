"""alternate.py - several models in turn, A, B, A, B, ..., over the rows of one table: each finds the caches as the others left them.
The queries of one of them are measured. The others score the same rows behind each answer, where LoadGen's clock stands still."""

import numpy

from .errors import BenchError

MOST_SAMPLES, CHECKED = 4096, 64


class Other:
    """A model that takes turns with the one that is measured: by the same system, in a database by the same connection."""

    def __init__(self, system, case, session):
        self.case, self.session = case, system.beside(case, session)
        self.out = numpy.zeros((MOST_SAMPLES, case.width))
        if system.scores:
            self.check()

    def score(self, keys):
        self.session.score(keys, self.out)

    def check(self):
        """A model that answers wrongly is not the one that should fill the caches."""
        rows, about = min(CHECKED, self.case.rows), self.case.manifest["accuracy"]["per_row"]
        self.score(list(range(rows)))
        expected = self.case.expected()[:rows]
        labels = [output["role"] == "label" for output in self.case.manifest["outputs"]]
        allowed = numpy.where(labels, 0.0, about["atol"] + about["rtol"] * numpy.abs(expected))
        right = (numpy.abs(self.out[:rows] - expected) <= allowed) | (numpy.isnan(self.out[:rows]) & numpy.isnan(expected))
        if not right.all():
            raise BenchError(f"{self.case.manifest.name}, in turn: its answers to {int((~right).any(axis=1).sum())} of {rows} rows are not the library's")


def opened(system, case, session):
    return [Other(system, other, session) for other in case.others]


def stated(case):
    """For a record; None: nobody takes turns."""
    return [{"model": other.manifest.name, "recipe": other.recipe} for other in case.others] or None
