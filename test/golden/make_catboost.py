#!/usr/bin/env python3
"""Golden files of CatBoost models, in two steps that run under different versions of the library.

  make_catboost.py train WORK OUT     trains the cases of the installed version, writes model files
                                      into OUT and, for each, WORK/NAME.spec.json with its rows and
                                      WORK/NAME.cbm, the same model as its own library loads it
  make_catboost.py predict WORK OUT   answers with each .cbm without a golden: OUT/NAME.golden

make_golden.sh trains with every version; the newest, 1.2.10, loads every .cbm."""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
import warnings
import zlib
from typing import Any, Dict, Iterator, List

import catboost as cb

import golden_catboost_cases_core  # noqa: F401  (registers its cases)
import golden_catboost_cases_features  # noqa: F401
import golden_catboost_cases_targets  # noqa: F401
from golden_catboost_models import CASES, Case, Library, Trained, rows_of
from golden_catboost_predict import golden_text
from golden_cells import encode_row

#: The library makes these anew each time; a second run shall give the same bytes.
FIXED = {"model_guid": "00000000-00000000-00000000-00000000", "train_finish_time": "no time"}

#: Members of model_info without use to anybody who scores; taken out unless a case keeps them.
LOGS = ["training", "output_options", "catboost_version_info"]

#: What stays of the training parameters unless a case keeps them.
PARAMS = ["loss_function", "flat_params", "task_type"]

#: Deeper trees have a leaf index of more than one byte in the library.
WIDE_TREE = 8


def compact(text: str) -> str:
    """JSON without the white space between its tokens; every token as it was."""
    return re.sub(r'("(?:[^"\\]|\\.)*")|\s+', lambda m: m.group(1) or "", text)


class ModelFile:
    """A model file, only used to place rows and to say what is covered."""

    def __init__(self, path: str) -> None:
        with open(path, encoding="utf-8") as f:
            self.json = json.load(f)
        info = self.json["features_info"]
        self.floats = info.get("float_features") or []
        self.cats = info.get("categorical_features") or []
        self.ctrs = info.get("ctrs") or []
        self.symmetric = "oblivious_trees" in self.json
        self.trees = self.json["oblivious_trees" if self.symmetric else "trees"] or []

    def name(self, index: int) -> str:
        for f in self.floats + self.cats:
            if f["flat_feature_index"] == index:
                return f.get("feature_name") or f.get("feature_id") or str(index)
        return str(index)

    def thresholds(self) -> Dict[int, List[float]]:
        """The borders of each float feature, by its place among all features."""
        return {f["flat_feature_index"]: f["borders"] or [] for f in self.floats}

    def nodes(self) -> Iterator[Dict[str, Any]]:
        """All splits of all trees."""
        if self.symmetric:
            for tree in self.trees:
                yield from tree["splits"] or []
            return
        stack = list(self.trees)
        while stack:
            node = stack.pop()
            if "split" in node:
                yield node["split"]
                stack += [node["left"], node["right"]]

    def unused_cats(self) -> List[int]:
        used = {e.get("cat_feature_index") for c in self.ctrs for e in c["elements"]}
        return [
            c["flat_feature_index"]
            for c in self.cats
            if c["feature_index"] not in used and not c.get("values")
        ]

    def reloads(self) -> bool:
        """CatBoost can read the file again."""
        tables = (self.json.get("ctr_data") or {}).values()
        fractions = any(isinstance(v, float) for t in tables for v in t["hash_map"])
        return isinstance(self.json["scale_and_bias"][1], list) and not fractions


def feature_covers(model: ModelFile) -> List[str]:
    covers = []
    for f in model.floats:
        nans = "with" if f["has_nans"] else "without"
        covers += ["nan=%s-%s-nans" % (f["nan_value_treatment"], nans)] if f["borders"] else []
        covers += ["borders=null"] if f["borders"] is None else []
        covers += ["borders=empty"] if f["borders"] == [] else []
        covers += ["borders=more-than-255"] if len(f["borders"] or []) > 255 else []
        covers += ["borders=lowest-float"] if min(f["borders"] or [0]) < -3.4e38 else []
        covers += ["names=feature_name"] if "feature_name" in f else []
        if "feature_id" not in f:
            covers.append("names=no-feature_id")
        else:
            covers.append("names=feature_id" if f["feature_id"] else "names=empty-feature_id")
    for c in model.ctrs:
        covers.append("ctr=" + c["ctr_type"])
        kinds = [e["combination_element"] for e in c["elements"]]
        covers += ["ctr_element=" + k for k in kinds]
        covers.append("ctr_length=%d" % len(kinds))
        covers.append("ctr_prior=%g" % c["prior_numerator"])
        covers += ["ctr_shift=other"] if c["shift"] != 0 else []
        covers += ["ctr_scale=fraction"] if c["scale"] != int(c["scale"]) else []
        table = model.json["ctr_data"][c["identifier"]]
        covers.append("ctr_stride=%d" % table["hash_stride"])
        covers += ["ctr_target_border=later"] if c["target_border_idx"] > 0 else []
    covers += ["feature=cat_features_hash"] if "cat_features_hash" in str(model.json) else []
    covers += ["feature=unused-category"] if model.unused_cats() else []
    return covers


def tree_covers(model: ModelFile) -> List[str]:
    covers = ["split=" + s["split_type"] for s in model.nodes()]
    if not model.symmetric:
        return covers + (["tree=one-leaf"] if any("value" in t for t in model.trees) else [])
    for tree in model.trees:
        depth = len(tree["splits"] or [])
        covers.append("tree=depth-%d" % depth)
        covers += ["tree=splits-null"] if tree["splits"] is None else []
        covers += ["tree=wide"] if depth > WIDE_TREE else []
    return covers


def find_covers(case: Case, t: Trained, model: ModelFile, version: str) -> List[str]:
    """What can be read from the file itself; a case adds what only it knows."""
    info = model.json["model_info"]
    params = info.get("params")  # absent after sum_models
    scale, bias = model.json["scale_and_bias"]
    biases = bias if isinstance(bias, list) else [bias]
    covers = [
        "version=" + ".".join(version.split(".")[:2]),
        "format=json",
        "format=as-written" if t.as_written else "format=compact",
        "loss=" + (params["loss_function"]["type"] if params else "absent"),
        "task=" + case.task,
        "scale=" + ("one" if scale == 1 else "other"),
        "bias=" + ("list" if isinstance(bias, list) else "number"),
        "bias=" + ("other" if any(biases) else "zero"),
    ]
    if params:
        policy = params["tree_learner_options"].get("grow_policy", "SymmetricTree")
        covers.append("policy=" + policy)
    covers += ["bias=several"] if len(biases) > 1 and any(biases) else []
    covers += ["trees=60"] if len(model.trees) >= 60 else []
    if "class_params" in info:
        covers.append("classes=" + info["class_params"]["class_label_type"])
        covers += ["classes=count"] if info["class_params"]["classes_count"] else []
    if "binclass_probability_threshold" in info:
        covers.append("threshold=" + info["binclass_probability_threshold"])
    return list(dict.fromkeys(covers + feature_covers(model) + tree_covers(model) + t.covers))


def save(t: Trained, lib: Library, path: str, binary: str) -> None:
    """The JSON file and the same model in CatBoost's own format, without what changes each time."""
    metadata = t.model.get_metadata()
    # A sum of models holds what its parts held, under model0:KEY and so on.
    keys = [(k, k.split(":")[-1]) for k in metadata.keys()]
    for key, kind in keys:
        if kind in FIXED:
            metadata[key] = FIXED[kind]
        elif kind in LOGS and not t.as_written:
            del metadata[key]
    t.model.save_model(binary)
    for key, kind in keys:
        if kind == "params" and not t.as_written:
            params = json.loads(metadata[key])
            policy = params["tree_learner_options"].get("grow_policy", "SymmetricTree")
            few = {k: params[k] for k in PARAMS}
            few["tree_learner_options"] = {"grow_policy": policy}
            metadata[key] = json.dumps(few)
    t.model.save_model(path, format="json", pool=lib.pool(t.table, None) if t.pool else None)
    with open(path, encoding="utf-8", newline="") as f:
        text = f.read()
    with open(path, "w", encoding="utf-8", newline="") as f:
        f.write(text if t.as_written else compact(text))


def train(work: str, out: str, only: str) -> int:
    failed = 0
    lib = Library(cb, cb.__version__)
    for case in CASES:
        if lib.version not in case.versions or (only and only not in case.name):
            continue
        name = "%s_%s" % (case.name, "".join(lib.version.split(".")[:2]))
        path = os.path.join(out, name + ".json")
        try:
            t = case.train(lib)
            save(t, lib, path, os.path.join(work, name + ".cbm"))
        except Exception as e:  # a version without the feature is reported, not hidden
            print("NOT TRAINED %s: %s" % (name, str(e)[:300].replace("\n", " ")), flush=True)
            failed = 1
            continue
        model = ModelFile(path)
        rows: List[List[Any]] = []
        if case.task != "refused":
            seed = zlib.crc32(name.encode()) & 0x7FFFFFFF
            rows = t.rows + rows_of(t.table, model.thresholds(), seed, model.unused_cats())
        spec = {
            "name": name,
            "model": name + ".json",
            "task": case.task,
            "trained": lib.version,
            "options": {},
            "reloads": model.reloads(),
            "covers": find_covers(case, t, model, lib.version),
            "columns": [
                {
                    "name": model.name(j),
                    "kind": "text" if c.stored else "real",
                    "dtype": "",
                    "categories": c.categories if c.stored else None,
                }
                for j, c in enumerate(t.table.columns)
            ],
            "rows": [encode_row(row) for row in rows],
        }
        with open(os.path.join(work, name + ".spec.json"), "w", encoding="utf-8") as f:
            json.dump(spec, f, ensure_ascii=False, indent=0)
    return failed


def predict(work: str, out: str, only: str) -> int:
    failed = 0
    for file in sorted(os.listdir(work)):
        if not file.endswith(".spec.json") or (only and only not in file):
            continue
        with open(os.path.join(work, file), encoding="utf-8") as f:
            spec = json.load(f)
        binary = os.path.join(work, spec["name"] + ".cbm")
        try:
            text = golden_text(cb, spec, os.path.join(out, spec["model"]), binary)
        except Exception as e:
            what = "%s: %s" % (type(e).__name__, str(e)[:400].replace("\n", " "))
            print("NOT PREDICTED %s: %s" % (spec["name"], what), flush=True)
            failed = 1
            continue
        target = os.path.join(out, spec["name"] + ".golden")
        with open(target, "w", encoding="utf-8", newline="\n") as f:
            f.write(text)
    return failed


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
