"""scan_models.py - the models of the benchmarks that score a table in a database, and the rows of that table.

28 columns of normal numbers, a block of rows at a time from a seeded generator, and no row twice. The target
depends on many columns, not only as a sum, and carries noise, so that the trees grow as they do on real data:
random trees have other cuts and other shapes. Models see 100,000 rows of the same distribution that are not in
the table.
"""

import pathlib

import hbscore
import joblib
import lightgbm
import numpy
import sklearn.ensemble
import xgboost

FEATURES, TRAINING_ROWS, BLOCK = 28, 100_000, 50_000
# A random forest grows with its rows, to one leaf for two of them.
FOREST_ROWS = 10_000
SEED = 20250101
COLUMNS = [f"f{i}" for i in range(FEATURES)]

# Name, title, what makes it. The first one has one tree of one leaf: all that it costs is the way to it.
XGBOOST = {"objective": "reg:squarederror", "tree_method": "hist", "grow_policy": "depthwise", "eta": 0.1, "seed": 1}
LIGHTGBM = {"objective": "regression", "num_leaves": 31, "learning_rate": 0.1, "seed": 1, "deterministic": True,
            "force_row_wise": True, "verbose": -1}
FOREST = {"max_features": 1 / 3, "min_samples_leaf": 2, "random_state": 1, "n_jobs": 2}
MODELS = {
    "single_leaf": ("XGBoost, a single leaf", "xgboost", {**XGBOOST, "gamma": 1e30}, 1),
    "xgboost_10x4": ("XGBoost, 10 trees of depth 4", "xgboost", {**XGBOOST, "max_depth": 4}, 10),
    "xgboost_100x6": ("XGBoost, 100 trees of depth 6", "xgboost", {**XGBOOST, "max_depth": 6}, 100),
    "lightgbm_500x31": ("LightGBM, 500 trees of 31 leaves", "lightgbm", LIGHTGBM, 500),
    "xgboost_500x8": ("XGBoost, 500 trees of depth 8", "xgboost", {**XGBOOST, "max_depth": 8, "eta": 0.05}, 500),
    "lightgbm_500x255": ("LightGBM, 500 trees of 255 leaves", "lightgbm", {**LIGHTGBM, "num_leaves": 255}, 500),
    "random_forest": ("scikit-learn, random forest of 100 deep trees", "sklearn", FOREST, 100),
}
FILES = {"xgboost": "ubj", "lightgbm": "txt", "sklearn": "json"}


def block(stream, number, rows):
    return numpy.random.default_rng([SEED, stream, number]).normal(size=(rows, FEATURES))


def table_blocks(rows):
    """The rows of the table; numbers of the first column that all differ, so that no row is another's copy."""
    first = []
    for number, start in enumerate(range(0, rows, BLOCK)):
        x = block(0, number, min(BLOCK, rows - start))
        yield x
        first.append(x[:, 0])
    if len(numpy.unique(numpy.concatenate(first))) != rows:
        raise SystemExit("two rows of the table are alike")


def target(x):
    random = numpy.random.default_rng([SEED, 2])
    y = x @ random.normal(size=FEATURES)
    y += 2 * x[:, 0] * x[:, 1] + numpy.sin(3 * x[:, 2]) * x[:, 3] + numpy.abs(x[:, 4]) * x[:, 5]
    # Far from 0, so that the sum over a table says whether all rows were scored.
    return y + 2 * random.normal(size=len(x)) + 100


def path_of(folder, name):
    return folder / f"{name}.{FILES[MODELS[name][1]]}"


def train_one(path, library, parameters, trees, x, y):
    if library == "xgboost":
        xgboost.train(parameters, xgboost.DMatrix(x, y), num_boost_round=trees).save_model(path)
    elif library == "lightgbm":
        data = lightgbm.Dataset(x, y, params={"verbose": -1})
        lightgbm.train(parameters, data, num_boost_round=trees).save_model(path)
    else:
        model = sklearn.ensemble.RandomForestRegressor(trees, **parameters).fit(x[:FOREST_ROWS], y[:FOREST_ROWS])
        joblib.dump(model, path.with_suffix(".joblib"))
        path.write_bytes(hbscore.export(model, x[:10]))


def train(folder, names):
    """Those that are not in the folder yet. What another version of this file has made is made anew."""
    folder.mkdir(parents=True, exist_ok=True)
    made_by, this = folder / "made_by.py", pathlib.Path(__file__).read_bytes()
    if not made_by.exists() or made_by.read_bytes() != this:
        for name in MODELS:
            path_of(folder, name).unlink(missing_ok=True)
        made_by.write_bytes(this)
    missing = [name for name in names if not path_of(folder, name).exists()]
    if not missing:
        return
    print("training the models (some minutes, once)", flush=True)
    x = block(1, 0, TRAINING_ROWS)
    y = target(x)
    for name in missing:
        title, library, parameters, trees = MODELS[name]
        print(f"  {title}", flush=True)
        path = path_of(folder, name)
        making = path.with_name(f"making-{path.name}")
        train_one(making, library, parameters, trees, x, y)
        for made in folder.glob(f"{making.stem}.*"):
            made.rename(folder / made.name.removeprefix("making-"))


class Model:
    """A model of MODELS, loaded by its own library, on one thread."""

    def __init__(self, folder, name):
        self.name = name
        self.title, library, _, _ = MODELS[name]
        self.path = path_of(folder, name)
        if library == "xgboost":
            # The faster one of its two ways to predict: it takes the array as it is.
            booster = xgboost.Booster({"nthread": 1}, model_file=self.path)
            booster.set_param({"nthread": 1})
            self.booster = booster
            self.predict = lambda x: booster.inplace_predict(x).astype(float)
        elif library == "lightgbm":
            booster = lightgbm.Booster(model_file=self.path)
            self.predict = lambda x: booster.predict(x, num_threads=1)
        else:
            forest = joblib.load(self.path.with_suffix(".joblib")).set_params(n_jobs=1)
            self.predict = forest.predict

    def predict_row(self, *values):
        return float(self.predict(numpy.array([values]))[0])
