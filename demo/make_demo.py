"""Writes what `make demo` runs: tables (data/), models (models/), the library's scores (expected/).

Only needed to make these files again; `make demo` itself needs no Python. From the repository root:

    python3 -m venv build/demo-venv
    build/demo-venv/bin/pip install -r demo/requirements.txt
    build/demo-venv/bin/python demo/make_demo.py

Nothing is downloaded: the three tables come with scikit-learn's package. Seeds and the number of
threads are fixed, so that a second run writes the same files.

Two rules keep the comparison in SQL honest. The library trains on and scores the CSV files as
written, read back, so that it sees the numbers that SQL sees. And its float32 probabilities are
written as doubles with 17 digits rounded from the exact value: repr's shortest form may lie almost
half way to a neighbour, and SQLite's conversion of text to numbers promises 15 digits only.
"""

import csv
import gzip
import pathlib

import numpy as np
import pandas as pd
import sklearn.datasets
from sklearn.model_selection import train_test_split
from xgboost import XGBClassifier

HERE = pathlib.Path(__file__).resolve().parent
SEED = 20240607
TEST_SHARE = 0.25


def snake(name):
    return name.replace("/", "_").replace(" ", "_").lower()


def bundled(load, answer, class_names):
    """A table that scikit-learn loads itself: its columns under SQL names, the answer as text."""
    bunch = load(as_frame=True)
    table = bunch.data.rename(columns=snake)
    table.insert(0, answer, [class_names[i] for i in bunch.target])
    return table


def cancer():
    names = list(sklearn.datasets.load_breast_cancer().target_names)
    assert names == ["malignant", "benign"]
    return bundled(sklearn.datasets.load_breast_cancer, "diagnosis", names)


def wine():
    """scikit-learn says class_0 to class_2: the three wines of Piedmont in the study that the table
    comes from (Forina and others)."""
    return bundled(sklearn.datasets.load_wine, "cultivar", ["barolo", "grignolino", "barbera"])


def titanic():
    """The full passenger list, from the ARFF file in scikit-learn's tests.

    Left out: name and ticket, which only identify a passenger; boat, body and home.dest, which tell
    who survived or were found out later; cabin, which is missing for three passengers of four, and
    more often for the dead.
    """
    arff = "tests/data/openml/id_40945/data-v1-dl-16826755.arff.gz"
    arff = pathlib.Path(sklearn.datasets.__file__).parent / arff
    with gzip.open(arff, "rt", encoding="utf-8") as lines:
        names = []
        for line in lines:
            if line.startswith("@attribute"):
                names.append(line.split("'")[1])
            if line.startswith("@data"):
                break
        rows = list(csv.reader(lines, quotechar='"', escapechar="\\", doublequote=False))
    table = pd.DataFrame(rows, columns=names).replace("?", np.nan)
    assert len(table) == 1309
    numeric = {"pclass": int, "age": float, "sibsp": int, "parch": int, "fare": float}
    table = table.astype({"survived": int, **numeric})
    table.insert(0, "fate", ["survived" if s else "died" for s in table.survived])
    return table[["fate", "pclass", "sex", "age", "sibsp", "parch", "fare", "embarked"]]


def write_csv(table, path):
    path.parent.mkdir(exist_ok=True)
    table.to_csv(path, index=False, lineterminator="\n")


def write_data(name, table, answer):
    """id, split, answer, features. Train and test rows hold the classes in equal shares."""
    rows = np.arange(len(table))
    _, test = train_test_split(
        rows, test_size=TEST_SHARE, random_state=SEED, stratify=table[answer])
    table.insert(0, "split", np.where(np.isin(rows, test), "test", "train"))
    table.insert(0, "id", rows + 1)
    path = HERE / "data" / f"{name}.csv"
    write_csv(table, path)
    return pd.read_csv(path, float_precision="round_trip", keep_default_na=False, na_values=[""])


def make(name, table, answer, classes, model_file, **params):
    table = write_data(name, table, answer)
    features = table.drop(columns=["id", "split", answer])
    for column in features.select_dtypes("object"):
        features[column] = features[column].astype("category")
    target = table[answer].map({label: code for code, label in enumerate(classes)})
    train = table.split == "train"

    model = XGBClassifier(
        tree_method="hist", enable_categorical=True, random_state=SEED, n_jobs=1, **params)
    model.fit(features[train], target[train])
    path = HERE / "models" / model_file
    path.parent.mkdir(exist_ok=True)
    model.save_model(path)

    # The file is the reference, so the scores are those of the file loaded again.
    loaded = XGBClassifier(n_jobs=1)
    loaded.load_model(path)
    codes, probabilities = loaded.predict(features), loaded.predict_proba(features)
    assert probabilities.dtype == np.float32
    expected = pd.DataFrame({"id": table.id, "label": [classes[code] for code in codes]})
    for code, label in enumerate(classes):
        expected[f"p_{label}"] = [format(float(p), ".17g") for p in probabilities[:, code]]
    write_csv(expected, HERE / "expected" / f"{name}.csv")

    right = expected.label == table[answer]
    print(f"{name}: {len(table)} rows, {features.shape[1]} features, {path.stat().st_size} bytes, "
          f"accuracy train {right[train].mean():.4f}, test {right[~train].mean():.4f}")


make("cancer", cancer(), "diagnosis", ["malignant", "benign"], "cancer.json",
     objective="binary:logistic", n_estimators=60, max_depth=3, learning_rate=0.2)
make("wine", wine(), "cultivar", ["barolo", "grignolino", "barbera"], "wine.ubj",
     objective="multi:softprob", n_estimators=50, max_depth=3, learning_rate=0.2)
make("titanic", titanic(), "fate", ["died", "survived"], "titanic.json",
     objective="binary:logistic", n_estimators=80, max_depth=4, learning_rate=0.08)
