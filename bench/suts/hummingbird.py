"""hummingbird.py - Hummingbird: the fitted estimator as PyTorch's tensors, over an array in memory."""

import numpy

from hbsbench import models
from hbsbench.errors import Refused
from suts.library import Library

# With scikit-learn 1.9.1 its probabilities are off by up to 0.49.
SKLEARN = "1.2."


class Hummingbird(Library):
    """`backend` of the options: torch, torch.jit."""

    def check(self):
        import sklearn

        super().check()
        self.case.estimator_path()
        if not sklearn.__version__.startswith(SKLEARN):
            raise Refused(f"Hummingbird fits scikit-learn {SKLEARN}x, and here is {sklearn.__version__}")

    def load(self):
        import hummingbird.ml
        import joblib
        import torch

        torch.set_num_threads(self.threads)
        estimator = joblib.load(self.case.estimator_path())
        model = hummingbird.ml.convert(estimator, self.options["backend"], numpy.ascontiguousarray(self.case.features()[:1], numpy.float32))
        manifest = self.case.manifest

        def outputs(rows):
            rows = numpy.ascontiguousarray(rows, numpy.float32)
            if models.transforms(manifest):
                return models.transformed(model.transform(rows), manifest)
            columns = []
            for item in manifest["predict"]:
                if item["function"] == "predict_probability":
                    place = models.class_place(estimator.classes_.tolist(), item["class"], manifest)
                    columns.append(model.predict_proba(rows)[:, place])
                else:
                    columns.append(numpy.asarray(model.predict(rows)).reshape(len(rows)))
            return numpy.column_stack(columns).astype(float)

        return outputs
