"""hummingbird.py - Hummingbird: the fitted estimator as PyTorch's tensors, over an array in memory."""

import os

import numpy

from hbsbench import models
from hbsbench.errors import Refused
from suts.library import Library

# With scikit-learn 1.9.1 its probabilities are off by up to 0.49.
SKLEARN = "1.2."
# The names of strategies in tables ("hummingbird/tt"), and Hummingbird's own.
STRATEGIES = {"gemm": "gemm", "tt": "tree_trav", "ptt": "perf_tree_trav"}


def answers(found, rows):
    """One for each row; its TorchScript of a support vector machine has none but that of the row it was traced with."""
    found = numpy.asarray(found).reshape(-1)
    if len(found) != rows:
        raise Refused(f"Hummingbird gives {len(found)} answers for {rows:,} rows")
    return found


class Hummingbird(Library):
    """`backend` of the options: torch, torch.jit."""

    def check(self):
        from importlib import metadata

        super().check()
        self.case.estimator_path()
        version = metadata.version("scikit-learn")
        if not version.startswith(SKLEARN):
            raise Refused(f"Hummingbird fits scikit-learn {SKLEARN}x, and here is {version}")

    def converted(self):
        """The estimator as a model of PyTorch; TorchScript's is traced with one row. Its file has been read before."""
        import hummingbird.ml
        import joblib

        if not hasattr(self, "estimator"):
            self.estimator = joblib.load(self.case.estimator_path())
        strategy, row = os.environ.get("HBSBENCH_STRATEGY"), numpy.ascontiguousarray(self.case.features()[:1], numpy.float32)
        # It sets PyTorch's threads, to all cores where nothing is said.
        about = {"n_threads": self.options.get("threads", 1), **({"tree_implementation": STRATEGIES[strategy]} if strategy else {})}
        return hummingbird.ml.convert(self.estimator, self.options["backend"], row, extra_config=about)

    def load(self):
        model, manifest = self.converted(), self.case.manifest

        def outputs(rows):
            rows = numpy.ascontiguousarray(rows, numpy.float32)
            if models.transforms(manifest):
                return models.transformed(model.transform(rows), manifest)
            columns = []
            for item in manifest["predict"]:
                if item["function"] == "predict_probability":
                    place = models.class_place(self.estimator.classes_.tolist(), item["class"], manifest)
                    columns.append(model.predict_proba(rows)[:, place])
                else:
                    columns.append(answers(model.predict(rows), len(rows)))
            return numpy.column_stack(columns).astype(float)

        return outputs
