#!/usr/bin/env python3
"""Golden files of LightGBM models, in two steps that run under different versions of the library.

  make_lightgbm.py train WORK OUT     trains the cases of the installed version, writes model files
                                      into OUT and, for each, WORK/NAME.spec.json with its rows
  make_lightgbm.py predict WORK OUT   loads each model without a golden and writes OUT/NAME.golden

make_golden.sh trains with every version and predicts with the newest first, as for XGBoost; 4.7.0
loads all files."""

from __future__ import annotations

import argparse
import json
import os
import sys
import warnings
import zlib
from typing import Any, Dict, List

import lightgbm as lgb
import numpy as np

import golden_lightgbm_cases_core  # noqa: F401  (registers its cases)
import golden_lightgbm_cases_features  # noqa: F401
from golden_cells import encode_row
from golden_lightgbm_models import CASES, HIGHEST, Case, Library, Trained, rows_of
from golden_lightgbm_predict import canonical, golden_text, same_bits

MISSING = ["none", "zero", "nan"]


class ModelText:
    """The lines of a model file, only used to place rows and to say what is covered."""

    def __init__(self, path: str) -> None:
        with open(path, encoding="utf-8", newline="") as f:
            text = f.read()
        head, _, rest = text.partition("\nTree=0\n")
        body, _, self.tail = rest.partition("end of trees\n")
        if not rest:
            head, _, self.tail = text.partition("end of trees\n")
        self.head = self.keys(head)
        self.trees = [self.keys(b) for b in body.split("\nTree=")] if rest else []

    @staticmethod
    def keys(block: str) -> Dict[str, str]:
        return dict(line.partition("=")[::2] for line in block.split("\n"))

    def numbers(self, key: str, kind: Any = int) -> List[List[Any]]:
        return [[kind(v) for v in t.get(key, "").split()] for t in self.trees]

    def parameter(self, key: str) -> str:
        mark = "\n[%s: " % key
        return self.tail.partition(mark)[2].partition("]\n")[0] if mark in self.tail else ""

    def thresholds(self) -> Dict[int, List[float]]:
        """The distinct thresholds of each feature's numerical splits."""
        found: Dict[int, set] = {}
        for features, kinds, cuts in zip(
            self.numbers("split_feature"),
            self.numbers("decision_type"),
            self.numbers("threshold", float),
        ):
            for f, k, t in zip(features, kinds, cuts):
                if not k & 1:
                    found.setdefault(f, set()).add(t)
        return {f: sorted(t) for f, t in sorted(found.items())}


def tree_covers(model: ModelText) -> List[str]:
    covers = []
    for kind in sorted({k for kinds in model.numbers("decision_type") for k in kinds}):
        covers.append("decision_type=%d" % kind)
        covers.append("missing=" + MISSING[kind >> 2 & 3])
    for tree, bounds in zip(model.trees, model.numbers("cat_boundaries")):
        words = np.diff(bounds) if len(bounds) else []
        covers += ["cat_words=" + ("1" if w == 1 else "2" if w == 2 else "many") for w in words]
        covers += ["tree=one-leaf"] if tree["num_leaves"] == "1" else []
        covers += ["tree=deep"] if int(tree["num_leaves"]) > 200 else []
        covers += ["tree=no-is_linear"] if "is_linear" not in tree else []
        covers += ["tree=no-leaf_count"] if not tree["leaf_count"].strip() else []
        if tree.get("is_linear") == "1":
            covers.append("tree=linear")
            counts = tree["num_features"].split()
            covers += ["tree=linear-leaf-without-features"] if "0" in counts else []
    cuts = [abs(t) for cuts in model.numbers("threshold", float) for t in cuts]
    covers += ["threshold=1e300"] if any(HIGHEST <= t < np.inf for t in cuts) else []
    covers += ["threshold=infinity"] if np.inf in cuts else []
    covers += ["threshold=zero-bin"] if any(0 < t < 2e-35 for t in cuts) else []
    return covers if model.trees else ["tree=none"]


def find_covers(case: Case, t: Trained, model: ModelText, version: str) -> List[str]:
    """What can be read from the file itself; a case adds what only it knows."""
    head = model.head
    covers = [
        "version=" + ".".join(version.split(".")[:2]),
        "format=" + head["version"],
        "objective=" + head.get("objective", "absent").split(" ")[0],
        "boosting=" + (model.parameter("boosting") or "unknown"),
        "task=" + case.task,
    ]
    covers += ["option=" + k for k in t.options]
    if "on_unseen" in t.options:
        covers.append("on_unseen=" + t.options["on_unseen"])
    covers += ["header=" + k for k in ("average_output", "monotone_constraints") if k in head]
    if head["feature_names"].startswith("Column_0"):
        covers.append("feature=default-names")
    if "none" in head["feature_infos"].split(" "):
        covers.append("feature=info-none")
    pandas = model.tail.partition("\npandas_categorical:")[2].strip()
    covers.append("pandas=" + {"": "absent", "null": "null", "[]": "empty"}.get(pandas, "lists"))
    return list(dict.fromkeys(covers + tree_covers(model) + t.covers))


def check_file(t: Trained, path: str) -> None:
    """The file gives the trained model's raw scores, unless only a part of it was written."""
    if t.save is not None or any(c.kind in ("text", "numcat") for c in t.table.columns):
        return
    x = t.table.matrix()
    trained = canonical(t.model.predict(x, raw_score=True))
    same_bits(lgb.Booster(model_file=path).predict(x, raw_score=True), trained, "file and training")


def train(work: str, out: str, only: str) -> int:
    failed = 0
    lib = Library(lgb, lgb.__version__)
    for case in CASES:
        if lib.version not in case.versions or (only and only not in case.name):
            continue
        name = "%s_%s" % (case.name, "".join(lib.version.split(".")[:2]))
        path = os.path.join(out, name + ".txt")
        try:
            t = case.train(lib)
            booster = getattr(t.model, "booster_", t.model)
            (t.save or booster.save_model)(path)
            check_file(t, path)
        except Exception as e:  # a version without the feature is reported, not hidden
            print("NOT TRAINED %s: %s" % (name, str(e)[:300].replace("\n", " ")), flush=True)
            failed = 1
            continue
        model = ModelText(path)
        rows = t.rows + rows_of(t.table, model.thresholds(), zlib.crc32(name.encode()) & 0x7FFFFFFF)
        names = model.head["feature_names"].split(" ")
        spec = {
            "name": name,
            "model": name + ".txt",
            "task": case.task,
            "objective": model.head.get("objective", ""),
            "trained": lib.version,
            "options": t.options,
            "covers": find_covers(case, t, model, lib.version),
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
        assert len(names) == len(t.table.columns), name
        with open(os.path.join(work, name + ".spec.json"), "w", encoding="utf-8") as f:
            json.dump(spec, f, ensure_ascii=False, indent=0)
    return failed


def predict(work: str, out: str, only: str) -> int:
    """Never fails: what this version cannot load is left to the next older one."""
    for file in sorted(os.listdir(work)):
        if not file.endswith(".spec.json") or (only and only not in file):
            continue
        with open(os.path.join(work, file), encoding="utf-8") as f:
            spec = json.load(f)
        target = os.path.join(out, spec["name"] + ".golden")
        if os.path.exists(target):
            continue
        try:
            text = golden_text(lgb, spec, os.path.join(out, spec["model"]))
        except Exception as e:
            what = "%s: %s" % (type(e).__name__, str(e)[:400].replace("\n", " "))
            print("NOT PREDICTED %s by %s: %s" % (spec["name"], lgb.__version__, what), flush=True)
            continue
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
    os.makedirs(args.work, exist_ok=True)
    os.makedirs(args.out, exist_ok=True)
    return {"train": train, "predict": predict}[args.step](args.work, args.out, args.only)


if __name__ == "__main__":
    sys.exit(main())
