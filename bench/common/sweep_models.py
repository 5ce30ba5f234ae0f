"""sweep_models.py - the models and rows of the sweeps: how the time a row depends on a model's features, classes and trees,
and on the form in which its rows come.

Each axis changes one size and keeps the others. Models are trained by XGBoost on rows of the same distribution as those
that are scored; they are made once and kept. A cell of a sweep is one model with one form of rows.
"""

import dataclasses
import pathlib

import numpy
import xgboost

SEED, TRAINING_ROWS, CLASS_ROWS = 20250102, 10_000, 20
USUAL_FEATURES, USUAL_TREES = 10, 20
FEATURES, CLASSES, TREES = (10, 100, 1_000, 2_000), (2, 10, 100, 1_000), (10, 100, 1_000, 10_000)


@dataclasses.dataclass(frozen=True)
class Size:
    """A model: one tree for each class, or `trees` for a number."""

    features: int = USUAL_FEATURES
    classes: int = 0
    trees: int = USUAL_TREES

    @property
    def name(self):
        return f"sweep_{self.features}f_{self.classes}c_{self.trees}t"


WITH_FEATURES = {n: Size(features=n) for n in FEATURES}
WITH_CLASSES = {n: Size(classes=n, trees=n if n > 2 else 1) for n in CLASSES}
WITH_TREES = {n: Size(trees=n) for n in TREES}


def sizes():
    """All of them, once."""
    return dict.fromkeys([*WITH_FEATURES.values(), *WITH_CLASSES.values(), *WITH_TREES.values()])


def rows_of(size, stream, rows):
    """Rows by number of features; `stream` tells those to train on from those to score."""
    return numpy.random.default_rng([SEED, stream, size.features]).normal(size=(rows, size.features))


def target(x):
    """Depends on all columns, on some of them not as a sum; noise, so that trees grow as they do on real data."""
    random = numpy.random.default_rng([SEED, 2, x.shape[1]])
    y = x @ random.normal(size=x.shape[1]) / numpy.sqrt(x.shape[1]) + numpy.sin(3 * x[:, 2]) * x[:, 3] + numpy.abs(x[:, 4]) * x[:, 5]
    return y + random.normal(size=len(x)) + 10


def classes_of(y, count):
    """As many rows in each class."""
    return numpy.argsort(numpy.argsort(y)) * count // len(y)


def train(size, path):
    parameters = {"tree_method": "hist", "seed": 1, "eta": 0.05, "max_depth": 6, "max_bin": 64, "nthread": 2}
    rounds = size.trees
    x = rows_of(size, 1, max(TRAINING_ROWS, CLASS_ROWS * size.classes))
    y = target(x)
    if size.classes:
        y, rounds = classes_of(y, size.classes), 1
        parameters |= {"max_depth": 3, "eta": 0.3, "objective": "binary:logistic"}
    if size.classes > 2:
        parameters |= {"objective": "multi:softprob", "num_class": size.classes}
    xgboost.train(parameters, xgboost.DMatrix(x, y), num_boost_round=rounds).save_model(path)


class Model:
    """Made if it is not there; `predict` has what predict() gives in SQL, by the library on one thread."""

    def __init__(self, folder, size):
        self.size, self.name, self.path = size, size.name, folder / f"{size.name}.ubj"
        if not self.path.exists():
            print(f"training {size.name}", flush=True)
            making = folder / f"making_{size.name}.ubj"
            train(size, making)
            making.rename(self.path)
        self.booster = xgboost.Booster({"nthread": 1}, model_file=self.path)

    def predict(self, x):
        found = self.booster.inplace_predict(x)
        if self.size.classes > 2:
            found = found.argmax(axis=1)
        elif self.size.classes:
            found = found > 0.5
        return numpy.asarray(found, float)


def make_models(folder, sizes):
    """By size. What another version of this file has made is made anew."""
    folder.mkdir(parents=True, exist_ok=True)
    made_by, this = folder / "sweep_made_by.py", pathlib.Path(__file__).read_bytes()
    if not made_by.exists() or made_by.read_bytes() != this:
        for path in folder.glob("sweep_*.ubj"):
            path.unlink()
        made_by.write_bytes(this)
    return {size: Model(folder, size) for size in sizes}
