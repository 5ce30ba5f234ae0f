"""load_train.py FOLDER - trains the model of the cold-start benchmark and saves it as JSON and as UBJSON.

500 trees of depth 8 over 200,000 synthetic rows of 28 features. The label depends on many features and
carries noise, so that the trees grow to their full depth, as large models do.
"""

import pathlib
import sys

import numpy
import xgboost

ROWS, FEATURES, TREES, DEPTH = 200_000, 28, 500, 8


def table():
    random = numpy.random.default_rng(20250101)
    x = random.normal(size=(ROWS, FEATURES)).astype(numpy.float32)
    score = x @ random.normal(size=FEATURES)
    score += 2 * x[:, 0] * x[:, 1] + numpy.sin(3 * x[:, 2]) * x[:, 3] + numpy.abs(x[:, 4]) * x[:, 5]
    return x, (score + 2 * random.normal(size=ROWS) > 0).astype(numpy.float32)


def main():
    folder = pathlib.Path(sys.argv[1])
    x, y = table()
    booster = xgboost.train(
        {"objective": "binary:logistic", "max_depth": DEPTH, "eta": 0.05, "tree_method": "hist", "seed": 1},
        xgboost.DMatrix(x, y),
        num_boost_round=TREES,
    )
    booster.save_model(folder / "model.json")
    booster.save_model(folder / "model.ubj")


if __name__ == "__main__":
    main()
