"""compiled.py - trees as programs: Treelite, whose tl2cgen writes C for gcc, Treelite's own interpreter (GTIL), and lleaves, which
compiles LightGBM's files with LLVM. A program is made once, before anything is timed, and kept beside the model."""

import pathlib
import tempfile
from importlib import metadata

import numpy

from hbsbench import models
from hbsbench.data import put
from hbsbench.errors import Refused
from hbsbench.manifest import sha256
from suts.library import Library

SKLEARN = ("sklearn.ensemble", "sklearn.tree")
FILES = 8  # of the C code: one for all trees takes gcc minutes


class Compiled(Library):
    """`packages`: whose versions a program depends on. `file`: its name."""

    packages, file = (), "program.so"

    def check(self):
        super().check()
        if models.transforms(self.case.manifest):
            raise Refused("trees do not transform")
        if any(self.case.data.texts) and not self.case.manifest.get("preprocess"):
            raise Refused("texts among the features")
        self.source()

    def path(self):
        versions = [f"{name} {metadata.version(name)}" for name in self.packages]
        return self.case.folder / f"{type(self).__name__.lower()}-{sha256(' '.join(versions))[:12]}"

    def prepare(self):
        if not self.path().exists():
            put(self.path(), self.make)

    def converted(self):
        """From the model to a program, for the paper's table of conversions."""
        with tempfile.TemporaryDirectory(prefix="hbsbench-") as folder:
            self.make(pathlib.Path(folder))

    def load(self):
        predict, case = self.predictor(), self.case

        def outputs(rows):
            found = numpy.asarray(predict(rows), float).reshape(len(rows), -1)
            return models.columns_of(found[:, 0] if found.shape[1] == 1 else found, case.manifest["predict"], case.facts["classes"], case.manifest)

        return outputs


class Treelite(Compiled):
    packages = ("treelite", "tl2cgen")

    def source(self):
        """The trees, as Treelite has them."""
        import treelite

        for format_ in ("xgboost", "lightgbm"):
            try:
                path = self.case.file(format_)
            except Refused:
                continue
            frontend = treelite.frontend
            return frontend.load_lightgbm_model(str(path)) if format_ == "lightgbm" else frontend.load_xgboost_model(str(path), format_choice="inspect")
        import joblib

        estimator = joblib.load(self.case.estimator_path())
        if not type(estimator).__module__.startswith(SKLEARN):
            raise Refused(f"Treelite takes trees, and no {type(estimator).__name__}")
        try:
            return treelite.sklearn.import_model(estimator)
        except (treelite.TreeliteError, NotImplementedError) as error:
            raise Refused(f"Treelite: {error}") from None

    def make(self, folder):
        import tl2cgen

        tl2cgen.export_lib(self.source(), toolchain="gcc", libpath=str(folder / self.file), params={"parallel_comp": FILES}, nthread=2)

    def predictor(self):
        import tl2cgen

        made = tl2cgen.Predictor(str(self.path() / self.file), nthread=self.threads)
        type_ = numpy.dtype(made.threshold_type)
        return lambda rows: made.predict(tl2cgen.DMatrix(numpy.ascontiguousarray(rows, type_), dtype=type_.name))


class TreeliteGtil(Treelite):
    packages = ("treelite",)

    def prepare(self):
        pass

    def make(self, folder):
        self.source()

    def predictor(self):
        import treelite

        model = self.source()
        type_ = numpy.dtype(model.input_type)
        return lambda rows: treelite.gtil.predict(model, numpy.ascontiguousarray(rows, type_), nthread=self.threads)


class Lleaves(Compiled):
    packages, file = ("lleaves", "llvmlite"), "program.o"

    def source(self):
        return str(self.case.file("lightgbm"))

    def model(self, folder):
        import lleaves

        made = lleaves.Model(model_file=self.source())
        made.compile(cache=str(folder / self.file))
        return made

    def make(self, folder):
        self.model(folder)

    def predictor(self):
        made = self.model(self.path())
        return lambda rows: made.predict(numpy.ascontiguousarray(rows, float), n_jobs=self.threads)
