"""kernels_models.py FOLDER GRID [--only NAME,..] - the models of the benchmark, trained once into the folder on tables
of kernels_data.py. GRID: smoke (tiny ones), quick, full. Each model leaves

    NAME.model    what hbscore reads
    NAME.native   what its own library reads (another file for CatBoost and scikit-learn only)
    NAME.npz      its own library's raw scores and labels of the first ANSWERS rows
    NAME.json     facts: trees, nodes, deepest leaf
"""

from __future__ import annotations

import json
import os
import pathlib
import sys
import time
from dataclasses import dataclass
from typing import Any, Callable, Dict, List, Tuple

import numpy as np

import kernels_data

ANSWERS = 16_384
THREADS = os.cpu_count() or 1


@dataclass
class Spec:
    name: str
    title: str
    library: str  # xgboost, lightgbm, catboost, forest, hist
    size: Tuple[int, int]  # trees (rounds), depth or leaves
    table: str = "plain"
    classes: int = 2
    rows: int = 100_000  # that it is trained on
    grid: str = "quick"
    what: str = "models"  # or depths: of the table of strategies only

    @property
    def features(self) -> int:
        return kernels_data.TABLES[self.table]


SPECS: List[Spec] = [
    Spec("xgboost_100x6", "XGBoost, 100 trees of depth 6", "xgboost", (100, 6)),
    Spec("xgboost_500x8", "XGBoost, 500 trees of depth 8", "xgboost", (500, 8)),
    Spec("xgboost_missing", "XGBoost, 100 x depth 6, values missing", "xgboost", (100, 6), "missing"),
    Spec("xgboost_categories", "XGBoost, 100 x depth 6, categories", "xgboost", (100, 6), "categories"),
    Spec("xgboost_7_classes", "XGBoost, 7 classes, 100 x depth 6 each", "xgboost", (100, 6), classes=7),
    Spec("lightgbm_100x31", "LightGBM, 100 trees of 31 leaves", "lightgbm", (100, 31)),
    Spec("lightgbm_500x31", "LightGBM, 500 trees of 31 leaves", "lightgbm", (500, 31)),
    Spec("lightgbm_500x255", "LightGBM, 500 trees of 255 leaves", "lightgbm", (500, 255)),
    Spec("lightgbm_1000_depth10", "LightGBM, 1,000 trees, leaf-wise to depth 10", "lightgbm", (1000, 1023)),
    Spec("lightgbm_missing", "LightGBM, 100 x 31 leaves, values missing", "lightgbm", (100, 31), "missing"),
    Spec("lightgbm_categories", "LightGBM, 100 x 31 leaves, categories", "lightgbm", (100, 31), "categories"),
    Spec("catboost_1000x6", "CatBoost, 1,000 trees of depth 6", "catboost", (1000, 6)),
    Spec("forest_100", "Random forest, 100 trees of full depth", "forest", (100, 0), rows=45_000),
    Spec("hist_100x31", "HistGradientBoosting, 100 x 31 leaves", "hist", (100, 31)),
    Spec("xgboost_100x6_90", "XGBoost, 100 x depth 6, 90 features", "xgboost", (100, 6), "wide90", grid="full"),
    Spec("xgboost_100x6_2000", "XGBoost, 100 x depth 6, 2,000 features", "xgboost", (100, 6), "wide2000",
         rows=20_000, grid="full"),
    Spec("lightgbm_500x31_90", "LightGBM, 500 x 31 leaves, 90 features", "lightgbm", (500, 31), "wide90", grid="full"),
    Spec("lightgbm_100x31_2000", "LightGBM, 100 x 31 leaves, 2,000 features", "lightgbm", (100, 31), "wide2000",
         rows=20_000, grid="full"),
] + [
    Spec("depth_%d" % depth, "XGBoost, 100 trees of depth %d" % depth, "xgboost", (100, depth), what="depths",
         grid="quick" if depth in (3, 8, 10) else "full")
    for depth in (1, 2, 3, 4, 8, 10, 12)
]


def specs_of(grid: str, only: str = "") -> List[Spec]:
    """Those of a grid, of a smoke run the quick ones, but small; or those that `only` names."""
    if only:
        return [s for s in SPECS if s.name in only.split(",")]
    return [s for s in SPECS if grid == "full" or s.grid == "quick"]


def specs_asked() -> List[Spec]:
    """By the words after the program's name: FOLDER GRID .. --only NAME,.. .."""
    words = sys.argv[2:]
    return specs_of(words[0], words[words.index("--only") + 1] if "--only" in words[:-1] else "")


# Training: each gives the object and facts about its trees -----------------------------------


def category_types(spec: Spec) -> List[str]:
    return ["c" if spec.table == "categories" and j in kernels_data.CATEGORIES else "q" for j in range(spec.features)]


def train_xgboost(spec: Spec, x: np.ndarray, y: np.ndarray) -> Any:
    import xgboost

    parameters = {"max_depth": spec.size[1], "eta": 0.1, "tree_method": "hist", "seed": 1, "nthread": THREADS,
                  "objective": "binary:logistic" if spec.classes == 2 else "multi:softprob"}
    if spec.classes > 2:
        parameters["num_class"] = spec.classes
    if spec.table == "categories":
        parameters["max_cat_to_onehot"] = 8
    data = xgboost.DMatrix(x, y, feature_types=category_types(spec), enable_categorical=True)
    return xgboost.train(parameters, data, num_boost_round=spec.size[0])


def train_lightgbm(spec: Spec, x: np.ndarray, y: np.ndarray) -> Any:
    import lightgbm

    leaves = spec.size[1]
    parameters = {"num_leaves": leaves, "learning_rate": 0.1 if leaves < 1000 else 0.03, "seed": 1, "verbose": -1,
                  "deterministic": True, "force_col_wise": True, "objective": "binary", "num_threads": THREADS}
    if leaves > 1000:
        parameters["max_depth"] = 10
        parameters["min_data_in_leaf"] = 10
    categories = [j for j, kind in enumerate(category_types(spec)) if kind == "c"]
    data = lightgbm.Dataset(x, y, params={"verbose": -1}, categorical_feature=categories or "auto")
    return lightgbm.train(parameters, data, num_boost_round=spec.size[0])


def train_catboost(spec: Spec, x: np.ndarray, y: np.ndarray) -> Any:
    import catboost

    model = catboost.CatBoostClassifier(iterations=spec.size[0], depth=spec.size[1], thread_count=THREADS,
                                        random_seed=1, learning_rate=0.05, verbose=False, allow_writing_files=False)
    return model.fit(x, y)


def train_forest(spec: Spec, x: np.ndarray, y: np.ndarray) -> Any:
    from sklearn.ensemble import RandomForestClassifier

    model = RandomForestClassifier(spec.size[0], n_jobs=THREADS, random_state=1).fit(x, y)
    model.n_jobs = 1
    return model


def train_hist(spec: Spec, x: np.ndarray, y: np.ndarray) -> Any:
    from sklearn.ensemble import HistGradientBoostingClassifier

    model = HistGradientBoostingClassifier(max_iter=spec.size[0], max_leaf_nodes=spec.size[1], early_stopping=False,
                                           random_state=1)
    return model.fit(x, y)


# What is kept of a trained model -------------------------------------------------------------


def sigmoid_label(raw: np.ndarray) -> np.ndarray:
    return (1 / (1 + np.exp(-raw)) > 0.5).astype(np.int32)


def keep_xgboost(spec: Spec, model: Any, x: np.ndarray, stem: str) -> Dict[str, Any]:
    import xgboost

    model.set_param({"nthread": 1})
    model.save_model(stem + ".ubj")
    os.replace(stem + ".ubj", stem + ".model")
    data = xgboost.DMatrix(x, feature_types=category_types(spec), enable_categorical=True)
    probabilities = model.predict(data)
    label = np.argmax(probabilities, axis=1) if spec.classes > 2 else probabilities > 0.5
    np.savez(stem + ".npz", raw=model.predict(data, output_margin=True).astype(np.float64), label=label)
    trees = model.get_dump(dump_format="json")
    leaves = [tree.count('"leaf"') for tree in trees]
    return {"trees": len(trees), "leaves": sum(leaves) / len(leaves)}


def keep_lightgbm(spec: Spec, model: Any, x: np.ndarray, stem: str) -> Dict[str, Any]:
    model.save_model(stem + ".model")
    raw = model.predict(x, raw_score=True, num_threads=1)
    np.savez(stem + ".npz", raw=raw, label=model.predict(x, num_threads=1) > 0.5)
    leaves = [tree["num_leaves"] for tree in model.dump_model()["tree_info"]]
    return {"trees": len(leaves), "leaves": sum(leaves) / len(leaves)}


def keep_catboost(spec: Spec, model: Any, x: np.ndarray, stem: str) -> Dict[str, Any]:
    model.save_model(stem + ".model", format="json")
    model.save_model(stem + ".native", format="cbm")
    np.savez(stem + ".npz", raw=model.predict(x, prediction_type="RawFormulaVal", thread_count=1),
             label=model.predict(x, thread_count=1).astype(np.int32))
    return {"trees": model.tree_count_, "leaves": float(np.mean(model.get_tree_leaf_counts()))}


def keep_sklearn(model: Any, x: np.ndarray, stem: str, raw: np.ndarray) -> None:
    import joblib

    import hbscore

    pathlib.Path(stem + ".model").write_bytes(hbscore.export(model, x[:10]))
    joblib.dump(model, stem + ".native")
    np.savez(stem + ".npz", raw=raw, label=model.predict(x))


def keep_forest(spec: Spec, model: Any, x: np.ndarray, stem: str) -> Dict[str, Any]:
    keep_sklearn(model, x, stem, model.predict_proba(x))
    trees = [e.tree_ for e in model.estimators_]
    return {"trees": len(trees), "leaves": float(np.mean([t.n_leaves for t in trees])),
            "deepest": max(t.max_depth for t in trees)}


def keep_hist(spec: Spec, model: Any, x: np.ndarray, stem: str) -> Dict[str, Any]:
    keep_sklearn(model, x, stem, model.decision_function(x))
    trees = [t for step in model._predictors for t in step]
    return {"trees": len(trees), "leaves": float(np.mean([t.get_n_leaf_nodes() for t in trees]))}


TRAIN: Dict[str, Callable] = {"xgboost": train_xgboost, "lightgbm": train_lightgbm, "catboost": train_catboost,
                              "forest": train_forest, "hist": train_hist}
KEEP: Dict[str, Callable] = {"xgboost": keep_xgboost, "lightgbm": keep_lightgbm, "catboost": keep_catboost,
                             "forest": keep_forest, "hist": keep_hist}


def make(spec: Spec, folder: pathlib.Path, small: bool) -> None:
    trees, depth = spec.size
    if small:
        spec = Spec(**{**spec.__dict__, "size": (max(3, trees // 50), min(depth, 31)), "rows": 2_000})
    x, y = kernels_data.trained_on(spec.table, spec.rows, spec.classes)
    begin = time.time()
    model = TRAIN[spec.library](spec, x, y)
    asked = np.ascontiguousarray(kernels_data.scored(folder, spec.table, ANSWERS))
    facts = KEEP[spec.library](spec, model, asked, str(folder / spec.name))
    facts["seconds"] = time.time() - begin
    (folder / (spec.name + ".json")).write_text(json.dumps(facts))
    print("  %s: %.0f s, %d trees, %.0f leaves each"
          % (spec.title, facts["seconds"], facts["trees"], facts["leaves"]), flush=True)


def main() -> None:
    folder, grid = pathlib.Path(sys.argv[1]), sys.argv[2]
    missing = [s for s in specs_asked() if not (folder / (s.name + ".json")).exists()]
    for i, spec in enumerate(missing):
        print("[%d of %d]" % (i + 1, len(missing)), end="", flush=True)
        make(spec, folder, grid == "smoke")


if __name__ == "__main__":
    main()
