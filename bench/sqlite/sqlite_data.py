"""sqlite_data.py FOLDER - what the SQLite benchmark scores: trains its models into FOLDER, once.

The table has 28 REAL columns of normal numbers, a block of rows at a time from a seeded generator, and no row
twice. The target depends on many columns, not only as a sum, and carries noise, so that the trees grow as
they do on real data: random trees have other cuts and other shapes. Models see 100,000 rows of the same
distribution that are not in the table.
"""

import pathlib
import sqlite3
import sys

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
    "xgboost_100x6": ("XGBoost, 100 trees of depth 6", "xgboost", {**XGBOOST, "max_depth": 6}, 100),
    "lightgbm_500x31": ("LightGBM, 500 trees of 31 leaves", "lightgbm", LIGHTGBM, 500),
    "xgboost_500x8": ("XGBoost, 500 trees of depth 8", "xgboost", {**XGBOOST, "max_depth": 8, "eta": 0.05}, 500),
    "lightgbm_500x255": ("LightGBM, 500 trees of 255 leaves", "lightgbm", {**LIGHTGBM, "num_leaves": 255}, 500),
    "random_forest": ("scikit-learn, random forest of 100 deep trees", "sklearn", FOREST, 100),
}
FILES = {"xgboost": "ubj", "lightgbm": "txt", "sklearn": "json"}


def block(stream, number, rows):
    return numpy.random.default_rng([SEED, stream, number]).normal(size=(rows, FEATURES))


def target(x):
    random = numpy.random.default_rng([SEED, 2])
    y = x @ random.normal(size=FEATURES)
    y += 2 * x[:, 0] * x[:, 1] + numpy.sin(3 * x[:, 2]) * x[:, 3] + numpy.abs(x[:, 4]) * x[:, 5]
    # Far from 0, so that the sum over a table says whether all rows were scored.
    return y + 2 * random.normal(size=len(x)) + 100


def write_table(path, rows):
    """A file with the table t, of numbers that all differ, so that no row is another's copy."""
    path.unlink(missing_ok=True)
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA synchronous = off")
    connection.execute(f"CREATE TABLE t (id INTEGER PRIMARY KEY, {', '.join(c + ' REAL' for c in COLUMNS)})")
    insert = f"INSERT INTO t ({', '.join(COLUMNS)}) VALUES ({', '.join('?' * FEATURES)})"
    first = []
    for number, start in enumerate(range(0, rows, BLOCK)):
        x = block(0, number, min(BLOCK, rows - start))
        connection.executemany(insert, x.tolist())
        first.append(x[:, 0])
    if len(numpy.unique(numpy.concatenate(first))) != rows:
        raise SystemExit("two rows of the table are alike")
    connection.commit()
    connection.close()


def train_one(path, library, parameters, trees, x, y):
    if library == "xgboost":
        xgboost.train(parameters, xgboost.DMatrix(x, y), num_boost_round=trees).save_model(path)
    elif library == "lightgbm":
        data = lightgbm.Dataset(x, y, params={"verbose": -1})
        lightgbm.train(parameters, data, num_boost_round=trees).save_model(path)
    else:
        model = sklearn.ensemble.RandomForestRegressor(trees, **parameters).fit(x[:FOREST_ROWS], y[:FOREST_ROWS])
        path.write_bytes(hbscore.export(model, x[:10]))
        joblib.dump(model, path.with_suffix(".joblib"))


def train(folder):
    x = block(1, 0, TRAINING_ROWS)
    y = target(x)
    for name, (title, library, parameters, trees) in MODELS.items():
        print(f"  {title}", flush=True)
        train_one(folder / f"{name}.{FILES[library]}", library, parameters, trees, x, y)


if __name__ == "__main__":
    train(pathlib.Path(sys.argv[1]))
