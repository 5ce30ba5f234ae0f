#!/usr/bin/env python3
"""Golden files of XGBoost models, in two steps that run under different versions of the library.

  make_xgboost.py train WORK OUT      trains the cases of the installed version, writes model files
                                      into OUT and, for each, WORK/NAME.spec.json with its rows
  make_xgboost.py predict WORK OUT    loads each model without a golden and writes OUT/NAME.golden

make_golden.sh trains with every version and predicts with the newest first, so a golden holds the
answers of the newest version that loads the file."""

from __future__ import annotations

import argparse
import json
import os
import sys
import warnings
import zlib
from typing import Any, Dict, List

import numpy as np
import xgboost as xgb

import golden_cases_core  # noqa: F401  (registers its cases)
import golden_cases_features  # noqa: F401
import golden_cases_trees  # noqa: F401
from golden_cells import encode_row
from golden_models import CASES, Case, Library, Trained
from golden_predict import golden_text
from golden_tables import edge_rows

#: The feature of a node that pruning deleted; its parent has become a leaf.
DELETED = 2**31 - 1


def is_estimator(model: Any) -> bool:
    return hasattr(model, "get_booster")


def booster_of(model: Any) -> Any:
    return model.get_booster() if is_estimator(model) else model


def json_of(booster: Any, work: str) -> Dict[str, Any]:
    path = os.path.join(work, "scratch.json")
    booster.save_model(path)
    with open(path, encoding="utf-8", errors="replace") as f:
        model = json.load(f)
    os.remove(path)
    return model


def has_damaged_words(model: Dict[str, Any], t: Trained) -> bool:
    """Whether the categories of a text column are others than those of training: 3.1 to 3.3 cut names
    outside ASCII wrongly."""
    gb = model["learner"]["gradient_booster"]
    encodings = gb.get("gbtree", gb).get("model", {}).get("cats", {}).get("enc", [])
    for column, e in zip(t.table.columns, encodings):
        if column.kind == "text" and e.get("offsets"):
            data = bytes(v & 255 for v in e["values"])
            words = [data[a:b] for a, b in zip(e["offsets"], e["offsets"][1:])]
            if words != [word.encode() for word in column.categories]:
                return True
    return False


def trees_of(model: Dict[str, Any]) -> List[Dict[str, Any]]:
    gb = model["learner"]["gradient_booster"]
    inner = gb.get("gbtree", gb).get("model", {})
    return inner.get("trees", [])


def thresholds_of(model: Dict[str, Any]) -> Dict[int, List[float]]:
    """The distinct thresholds of each feature, only used to place rows next to them."""
    found: Dict[int, set] = {}
    for tree in trees_of(model):
        kinds = tree.get("split_type") or [0] * len(tree["left_children"])
        for node, left in enumerate(tree["left_children"]):
            if left != -1 and not kinds[node]:
                f = int(tree["split_indices"][node])
                found.setdefault(f, set()).add(float(np.float32(tree["split_conditions"][node])))
    return {f: sorted(t) for f, t in sorted(found.items())}


def short(version: str) -> str:
    return "".join(version.split(".")[:2])


def write_model(case: Case, t: Trained, version: str, out: str) -> str:
    file = "%s_%s.%s" % (case.name, short(version), case.extension(version))
    path = os.path.join(out, file)
    t.model.save_model(path)
    return file


def twin_of(work: str, name: str) -> str:
    """The same model in the binary format: 1.0 refuses its own JSON files with pruned nodes."""
    return os.path.join(work, name + ".binary-model")


def find_covers(
    task: str, t: Trained, model: Dict[str, Any], file: str, version: str
) -> List[str]:
    """What can be read from the file itself; a case adds what only it knows."""
    learner = model["learner"]
    gb = learner["gradient_booster"]
    inner = gb.get("gbtree", gb).get("model", {})
    places = {
        "sibling": "gbtree" in gb,
        "booster": "gbtree" not in gb and "weight_drop" in gb,
        "model": "weight_drop" in inner,
    }
    dart = [p for p, found in places.items() if found]
    covers = [
        "objective=" + learner["objective"]["name"],
        "booster=" + ("dart" if dart else gb["name"]),
        "version=" + ".".join(version.split(".")[:2]),
        "format=" + file.rsplit(".", 1)[1],
        "task=" + task,
    ]
    covers += ["weight_drop=" + p for p in dart]
    covers += ["option=" + k for k in t.options]
    if "on_unseen" in t.options:
        covers.append("on_unseen=" + t.options["on_unseen"])
    trees = inner.get("trees", [])
    if any(DELETED in tree["split_indices"] for tree in trees):
        covers.append("tree=deleted-nodes")
    if any(1 in tree.get("split_type", []) for tree in trees):
        covers.append("tree=categorical-split")
    conditions = [v for tree in trees for v in tree["split_conditions"]]
    if any(np.isnan(v) for v in conditions):
        covers.append("feature=nan-in-body")  # categorical nodes, and leaves of vector-leaf trees
    if any(np.isinf(v) for v in conditions):
        covers.append("feature=threshold-infinite")
    if trees and int(trees[0]["tree_param"]["size_leaf_vector"]) > 1:
        covers.append("leaf=" + ("leaf_weights" if "leaf_weights" in trees[0] else "base_weights"))
    return list(dict.fromkeys(covers + t.covers))


def train(work: str, out: str, only: str) -> int:
    failed = 0
    lib = Library(xgb, xgb.__version__)
    os.makedirs(work, exist_ok=True)
    os.makedirs(out, exist_ok=True)
    for case in CASES:
        if lib.version not in case.versions or (only and only not in case.name):
            continue
        try:
            t = case.train(lib)
        except Exception as e:  # a version without the feature is reported, not hidden
            print(
                "NOT TRAINED %s %s: %s" % (case.name, lib.version, str(e)[:300].replace("\n", " "))
            )
            failed = 1
            continue
        booster = booster_of(t.model)
        model = json_of(booster, work)
        task = "refused" if has_damaged_words(model, t) else case.task
        if task == "refused":
            t.covers.append("refused=cats-damaged")
        file = write_model(case, t, lib.version, out)
        name = file.rsplit(".", 1)[0]
        if lib.number == (1, 0):
            booster.save_model(twin_of(work, name))
        seed = zlib.crc32(name.encode()) & 0x7FFFFFFF
        rows = [] if task == "refused" else list(t.rows)
        if t.edges and task != "refused":
            rows += edge_rows(
                t.table,
                thresholds_of(model),
                seed,
                missing=t.options.get("missing") or case_missing(t),
                infinities=t.infinities,
            )
        names = t.options.get("features") or t.feature_names or [c.name for c in t.table.columns]
        spec = {
            "name": name,
            "model": file,
            "task": task,
            "trained": lib.version,
            "answered_below": t.answered_below,
            "options": t.options,
            "missing": case_missing(t),
            "covers": find_covers(task, t, model, file, lib.version),
            "columns": [
                {
                    "name": n,
                    "kind": c.kind,
                    "dtype": c.dtype,
                    "categories": c.categories if c.kind != "real" else None,
                }
                for n, c in zip(names, t.table.columns)
            ],
            "rows": [encode_row(row) for row in rows],
        }
        with open(os.path.join(work, name + ".spec.json"), "w", encoding="utf-8") as f:
            json.dump(spec, f, ensure_ascii=False, indent=0)
    return failed


def case_missing(t: Trained) -> Any:
    """The estimator's own `missing`, where the model is one."""
    m = t.options.get(
        "missing", getattr(t.model, "missing", None) if is_estimator(t.model) else None
    )
    return None if m is None or np.isnan(m) else float(m)


def predict(work: str, out: str, only: str) -> int:
    """Never fails: what this version cannot load is left to the next older one."""
    for file in sorted(os.listdir(work)):
        if not file.endswith(".spec.json") or (only and only not in file):
            continue
        with open(os.path.join(work, file), encoding="utf-8") as f:
            spec = json.load(f)
        target = os.path.join(out, spec["name"] + ".golden")
        if os.path.exists(target) or not may_answer(spec):
            continue
        model = twin_of(work, spec["name"])
        if xgb.__version__ != spec["trained"] or not os.path.exists(model):
            model = os.path.join(out, spec["model"])
        # In a process of its own: 3.4.1 crashes on some files that an older version wrote.
        child = os.fork()
        if child == 0:
            os._exit(predict_one(spec, model, target))
        status = os.waitpid(child, 0)[1]
        if os.WIFSIGNALED(status):
            print(
                "CRASHED %s by %s: signal %d" % (spec["name"], xgb.__version__, os.WTERMSIG(status))
            )
    return 0


def may_answer(spec: Dict[str, Any]) -> bool:
    """Whether this version takes the file for what the version that wrote it meant."""
    below = spec["answered_below"]
    return below is None or numbers_of(xgb.__version__) < numbers_of(below)


def numbers_of(version: str) -> List[int]:
    return [int(part) for part in version.split(".")]


def predict_one(spec: Dict[str, Any], model: str, target: str) -> int:
    try:
        text = golden_text(xgb, spec, model)
    except Exception as e:
        what = "%s: %s" % (type(e).__name__, str(e)[:400].replace("\n", " "))
        print("NOT PREDICTED %s by %s: %s" % (spec["name"], xgb.__version__, what), flush=True)
        return 1
    with open(target, "w", encoding="utf-8", newline="\n") as f:
        f.write(text)
    return 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("step", choices=["train", "predict"])
    parser.add_argument("work")
    parser.add_argument("out")
    parser.add_argument("--only", default="", help="part of a case's name")
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    return {"train": train, "predict": predict}[args.step](args.work, args.out, args.only)


if __name__ == "__main__":
    sys.exit(main())
