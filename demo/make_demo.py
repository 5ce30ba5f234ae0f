"""Writes what `make demo` runs: tables (data/), models (models/), the library's scores (expected/).

Only needed to make these files again; `make demo` itself needs no Python. From the repository root:

    python3 -m venv build/demo-venv
    build/demo-venv/bin/pip install -r demo/requirements.txt
    build/demo-venv/bin/python demo/make_demo.py

Nothing is downloaded: the three tables come with scikit-learn's package. Seeds and the number of
threads are fixed, so that a second run writes the same files. XGBoost has a model for each table,
LightGBM one for the wines, CatBoost one for the passengers, and scikit-learn a pipeline for them,
once as it is and once as an ONNX file.

Three rules keep the comparison in SQL honest. The libraries train on and score the CSV files as
written, read back, so that they see the numbers that SQL sees. Probabilities are written with more
digits than a double needs, rounded from the exact value: repr's shortest form may lie almost half
way to a neighbour, and SQLite's conversion of text to numbers promises 15 digits only. And raw
scores, which must be equal to the last bit, are written as the JSON text of decision_function:
repr's shortest form is one text for each double, and texts are compared without any conversion.
"""

import csv
import gzip
import json
import pathlib
import sys

import catboost
import lightgbm
import numpy as np
import pandas as pd
import sklearn.datasets
from sklearn.compose import make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from skl2onnx import to_onnx
from skl2onnx.common.data_types import FloatTensorType, StringTensorType
from xgboost import XGBClassifier

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "python" / "src"))
import hbscore  # noqa: E402  (its exporter: from this source tree)

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
    write_csv(table, HERE / "data" / f"{name}.csv")


def read_data(name, answer, classes):
    """The table as written, its features, the answers' codes, and which rows are for training."""
    table = pd.read_csv(HERE / "data" / f"{name}.csv", float_precision="round_trip",
                        keep_default_na=False, na_values=[""])
    features = table.drop(columns=["id", "split", answer])
    target = table[answer].map({label: code for code, label in enumerate(classes)})
    return table, features, target, table.split == "train"


def model_path(model_file):
    path = HERE / "models" / model_file
    path.parent.mkdir(exist_ok=True)
    return path


def raw_text(raw):
    """Each row's raw scores as decision_function gives them."""
    return [json.dumps(row, separators=(",", ":")) for row in raw.tolist()]


def write_expected(model_file, table, answer, classes, labels, probabilities, digits, raw=None):
    expected = pd.DataFrame({"id": table.id, "label": labels})
    for code, label in enumerate(classes):
        expected[f"p_{label}"] = [format(float(p), digits) for p in probabilities[:, code]]
    if raw is not None:
        expected["raw"] = raw_text(raw)
    path = model_path(model_file)
    write_csv(expected, HERE / "expected" / f"{path.stem}.csv")

    right = expected.label == table[answer]
    train = table.split == "train"
    print(f"{path.stem}: {len(table)} rows, {path.stat().st_size} bytes, "
          f"accuracy train {right[train].mean():.4f}, test {right[~train].mean():.4f}")


def make_xgboost(name, answer, classes, model_file, **params):
    table, features, target, train = read_data(name, answer, classes)
    for column in features.select_dtypes("object"):
        features[column] = features[column].astype("category")
    model = XGBClassifier(
        tree_method="hist", enable_categorical=True, random_state=SEED, n_jobs=1, **params)
    model.fit(features[train], target[train])
    model.save_model(model_path(model_file))

    # The file is the reference, so the scores are those of the file loaded again.
    loaded = XGBClassifier(n_jobs=1)
    loaded.load_model(model_path(model_file))
    codes, probabilities = loaded.predict(features), loaded.predict_proba(features)
    assert probabilities.dtype == np.float32
    write_expected(model_file, table, answer, classes, [classes[code] for code in codes],
                   probabilities, ".17g")


def make_lightgbm(name, answer, classes, model_file, **params):
    table, features, target, train = read_data(name, answer, classes)
    model = lightgbm.LGBMClassifier(
        deterministic=True, force_row_wise=True, random_state=SEED, n_jobs=1, verbose=-1, **params)
    model.fit(features[train], target[train])
    model.booster_.save_model(model_path(model_file))

    loaded = lightgbm.Booster(model_file=model_path(model_file))
    probabilities = loaded.predict(features, num_threads=1)
    raw = loaded.predict(features, num_threads=1, raw_score=True)
    labels = [classes[code] for code in probabilities.argmax(axis=1)]
    write_expected(model_file, table, answer, classes, labels, probabilities, ".19g", raw)


def make_catboost(name, answer, classes, model_file, **params):
    """A category that is not known is the text unknown: CatBoost takes no missing categories."""
    table, features, _, train = read_data(name, answer, classes)
    texts = list(features.select_dtypes("object"))
    features[texts] = features[texts].fillna("unknown")
    model = catboost.CatBoostClassifier(
        cat_features=texts, random_seed=SEED, thread_count=1, verbose=False,
        allow_writing_files=False, **params)
    model.fit(features[train], table[answer][train])
    assert list(model.classes_) == classes
    # What CatBoost makes anew each time, and logs of the training that nobody scores by.
    metadata = model.get_metadata()
    metadata["model_guid"] = "00000000-00000000-00000000-00000000"
    metadata["train_finish_time"] = "no time"
    for log in ["training", "output_options", "catboost_version_info"]:
        del metadata[log]
    model.save_model(str(model_path(model_file)), format="json")

    # The model in memory is the reference: CatBoost's own reader of JSON changes last bits.
    pool = catboost.Pool(features, cat_features=texts)
    raw = model.predict(pool, prediction_type="RawFormulaVal", thread_count=1)
    write_expected(model_file, table, answer, classes, model.predict(pool).ravel(),
                   model.predict_proba(pool, thread_count=1), ".19g", raw.reshape(-1, 1))


def make_scikit_learn(name, answer, classes, model_file, model):
    """The pipeline travels in hbscore's own format. A dense product is no sum in one fixed order in
    scikit-learn, so that raw scores are not compared by their texts."""
    table, features, _, train = read_data(name, answer, classes)
    model.fit(features[train], table[answer][train])
    assert list(model.classes_) == classes
    model_path(model_file).write_bytes(hbscore.export(model, features))
    write_expected(model_file, table, answer, classes, model.predict(features),
                   model.predict_proba(features), ".19g")


def make_onnx(name, answer, classes, model_file, model):
    """The same pipeline by the other route: an ONNX file. ONNX has no missing text, so a port that is not known is the
    most frequent one in training, and the option missing_text says so in SQL. Its labels are compared with those of the
    pipeline, so it has no scores of its own here."""
    table, features, _, train = read_data(name, answer, classes)
    texts = list(features.select_dtypes("object"))
    features[texts] = features[texts].fillna("S")
    model.fit(features[train], table[answer][train])
    types = [(c, StringTensorType([None, 1]) if c in texts else FloatTensorType([None, 1])) for c in features.columns]
    file = to_onnx(model, initial_types=types)
    del file.graph.value_info[:]
    model_path(model_file).write_bytes(file.SerializeToString())


FATES = ["died", "survived"]
TUMOURS = ["malignant", "benign"]
WINES = ["barolo", "grignolino", "barbera"]

write_data("cancer", cancer(), "diagnosis")
write_data("wine", wine(), "cultivar")
write_data("titanic", titanic(), "fate")

make_xgboost("cancer", "diagnosis", TUMOURS, "cancer.json",
             objective="binary:logistic", n_estimators=60, max_depth=3, learning_rate=0.2)
make_xgboost("wine", "cultivar", WINES, "wine.ubj",
             objective="multi:softprob", n_estimators=50, max_depth=3, learning_rate=0.2)
make_xgboost("titanic", "fate", FATES, "titanic.json",
             objective="binary:logistic", n_estimators=80, max_depth=4, learning_rate=0.08)
make_lightgbm("wine", "cultivar", WINES, "wine_lightgbm.txt",
              n_estimators=30, num_leaves=7, min_child_samples=10, learning_rate=0.15)
make_catboost("titanic", "fate", FATES, "titanic_catboost.json",
              iterations=50, depth=4, learning_rate=0.12)
make_scikit_learn(
    "titanic", "fate", FATES, "titanic_pipeline.json",
    make_pipeline(
        make_column_transformer(
            (make_pipeline(SimpleImputer(strategy="median"), StandardScaler()),
             ["pclass", "age", "sibsp", "parch", "fare"]),
            (make_pipeline(SimpleImputer(strategy="most_frequent"),
                           OneHotEncoder(handle_unknown="ignore")),
             ["sex", "embarked"])),
        LogisticRegression()))
make_onnx(
    "titanic", "fate", FATES, "titanic.onnx",
    make_pipeline(
        make_column_transformer(
            (make_pipeline(SimpleImputer(strategy="median"), StandardScaler()),
             ["pclass", "age", "sibsp", "parch", "fare"]),
            (OneHotEncoder(handle_unknown="ignore"), ["sex", "embarked"])),
        LogisticRegression()))
