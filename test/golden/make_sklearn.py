#!/usr/bin/env python3
"""Golden files of scikit-learn's models, as hbscore.export writes them.

  make_sklearn.py train WORK OUT      trains the cases of the installed version; for each writes the
                                      model and its golden into OUT, and WORK/NAME.spec.json
  make_sklearn.py predict WORK OUT    does nothing: a fitted model answers in the version that
                                      trained it, in the same process

make_golden.sh runs it for each version. Goldens are written only where the plain evaluator of
python/tests gives scikit-learn's answers too."""

from __future__ import annotations

import argparse
import json
import os
import sys
import traceback
import warnings
import zlib
from typing import Any, Dict, List

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "../../python", part) for part in ("src", "tests")]

import numpy as np
import sklearn

import golden_sklearn_cases_clusters  # noqa: F401  (registers its cases)
import golden_sklearn_cases_combinators  # noqa: F401
import golden_sklearn_cases_combined  # noqa: F401
import golden_sklearn_cases_degenerate  # noqa: F401
import golden_sklearn_cases_dictionaries  # noqa: F401
import golden_sklearn_cases_encoders  # noqa: F401
import golden_sklearn_cases_ensembles  # noqa: F401
import golden_sklearn_cases_estimators  # noqa: F401
import golden_sklearn_cases_features  # noqa: F401
import golden_sklearn_cases_functions  # noqa: F401
import golden_sklearn_cases_kernels  # noqa: F401
import golden_sklearn_cases_imputers  # noqa: F401
import golden_sklearn_cases_linear  # noqa: F401
import golden_sklearn_cases_neighbours  # noqa: F401
import golden_sklearn_cases_pipelines  # noqa: F401
import golden_sklearn_cases_projections  # noqa: F401
import golden_sklearn_cases_several  # noqa: F401
import golden_sklearn_cases_solved  # noqa: F401
import golden_sklearn_cases_splines  # noqa: F401
import golden_sklearn_cases_text_columns  # noqa: F401
import golden_sklearn_cases_texts  # noqa: F401
import golden_sklearn_cases_transform  # noqa: F401
import golden_sklearn_cases_trees  # noqa: F401
import golden_sklearn_cases_vectors  # noqa: F401
import golden_sklearn_cases_wrappers  # noqa: F401
from golden_cells import encode_row, write_golden
from golden_sklearn_models import CASES, NEW, Case, Trained, rows_of
from golden_sklearn_predict import Asked, kinds
from hbscore.export import export, registry
from own_format_forests import in_columns, unpacked
from own_format_reference import decode, parse

VERSION = sklearn.__version__
DEFAULT_PATTERN = r"(?u)\b\w\w+\b"


def classes_of(t: Trained) -> List[str]:
    """The names of all estimators that are exported, the parts of a pipeline too."""
    found: List[str] = []
    find = registry.find

    def note(model: Any, *transforms: bool) -> Any:
        package = "category_encoders." if registry.is_of_encoders(model) else ""  # whose classes have other's names
        found.append(package + type(model).__name__)
        return find(model, *transforms)

    registry.find = note
    try:
        export(t.model, t.sample)
    finally:
        registry.find = find
    return found


def thresholds(document: Dict[str, Any]) -> Dict[int, List[float]]:
    """Of a forest that reads the table itself."""
    found: Dict[int, set] = {}
    for op in document["ops"]:
        if op["op"] == "forest" and op["in"] == [0]:
            columns = unpacked(op)
            for feature, cut in zip(decode(columns["feature"]), decode(columns["threshold"])):
                if feature >= 0 and np.isfinite(cut):
                    found.setdefault(int(feature), set()).add(float(cut))
    return {f: sorted(t) for f, t in sorted(found.items())}


def encoder_covers(op: Dict[str, Any]) -> List[str]:
    covers = []
    for column in op["columns"]:
        unknown = column["unknown"]
        rule = unknown if isinstance(unknown, str) else "output"
        covers.append("%s=%s" % (op["op"], rule))
        covers.append("%s=%s" % (op["op"], column["values"]["dtype"]))
        marks = ["", "missing", "missing-refused"]
        covers += ["%s=%s" % (op["op"], marks[column["missing"]])] if column["missing"] else []
        targets = decode(column["map"])
        covers += ["onehot=dropped"] if op["op"] == "onehot" and -1 in targets else []
        covers += ["%s=grouped" % op["op"]] if len(set(targets.tolist())) < len(targets) else []
    return covers


def operator_covers(op: Dict[str, Any]) -> List[str]:
    covers = ["op=" + op["op"]]
    covers += ["%s=%s" % (op["op"], op[k]) for k in ("kind", "rule", "norm", "function", "metric") if k in op]
    if op["op"] in ("affine", "normalize", "poly"):
        covers.append("%s=%s" % (op["op"], op["dtype"]))
    if op["op"] in ("impute", "indicator"):
        covers.append("%s=%s" % (op["op"], "nan" if op["missing"] == "nan" else "number"))
    if op["op"] == "impute":
        covers += ["impute=text"] if op["fill"]["dtype"] == "str" else []
    if op["op"] in ("onehot", "ordinal"):
        covers += encoder_covers(op)
    if op["op"] in ("text_counts", "text_hashes"):
        covers += ["text=" + op[name] for name in ("analyzer", "accents")]
        covers += ["text=" + name for name in ("lowercase", "binary") if op[name]]
        covers += ["text=stop-words"] if op.get("stop_words", {}).get("data") else []
        covers += ["text=sequences"] if op["most"] > 1 else []
        covers += ["text=pattern"] if op.get("pattern", DEFAULT_PATTERN) != DEFAULT_PATTERN else []
    if op["op"] == "tf_idf":
        covers += ["tf-idf=sublinear"] if op["sublinear"] else []
        covers += ["tf-idf=weights"] if "idf" in op else []
    if op["op"] == "cast":
        covers.append("cast=" + op["to"])
    if op["op"] == "forest":
        covers.append("forest=missing-%d" % op["missing"])
        covers += ["forest=f8"] if op["input"] == "f8" else []
        covers += ["forest=sets"] if "set_node" in op else []
        covers.append("forest=columns" if "start" in op else "forest=preorder")
        covers += ["forest=shared-leaves"] if "leaf" in op else []
        covers += ["forest=" + op[name]["dtype"] for name in ("node", "cover", "leaf") if name in op]
        covers.append("forest=groups" if max(decode(op["group"])) > 0 else "forest=together")
        covers += ["forest=vectors"] if op["value"]["shape"][1] > 1 else []
        covers += ["forest=infinite-threshold"] if np.isinf(decode(op["threshold"])).any() else []
    return covers


def find_covers(t: Trained, document: Dict[str, Any]) -> List[str]:
    covers = ["version=" + ".".join(VERSION.split(".")[:2]), "task=" + document["task"]]
    covers += ["estimator=" + name for name in classes_of(t)]
    for op in document["ops"]:
        covers += operator_covers(op)
    covers += ["feature=" + f["type"] for f in document["features"]]
    covers.append("feature=" + ("names" if "name" in document["features"][0] else "no-names"))
    if "classes" in document:
        covers.append("classes=" + document["classes"]["dtype"])
    covers += ["document=transform"] if "transform" in document else []
    return covers + t.covers


def make(case: Case, work: str, out: str) -> None:
    t = case.train()
    version = "".join(VERSION.split(".")[:2])
    name = "%s_%s" % (case.name, version)
    data = export(t.model, t.sample)
    assert data == export(t.model, t.sample)
    data = in_columns(data) if t.in_columns else data
    document = parse(data)
    forests = any(op["op"] == "forest" for op in document["ops"])
    rows = rows_of(t, thresholds(document), forests, zlib.crc32(name.encode()) & 0x7FFFFFFF)
    if VERSION != NEW and NEW in case.versions:
        rows = rows[::2]  # the newest is asked for all: files stay small
    with open(os.path.join(out, name + ".json"), "wb") as f:
        f.write(data)
    if document["task"] != "transformer":
        write(name, name, t, document, Asked(t, data, rows), work, out)
    if document["task"] == "transformer" or t.transform:
        other = "%s_transform_%s" % (case.name, version)
        golden = name if document["task"] == "transformer" else other
        write(golden, name, t, document, Asked(t, data, rows, transform=True), work, out)


def write(
    name: str, model: str, t: Trained, document: Dict[str, Any], asked: Asked, work: str, out: str
) -> None:
    covers = find_covers(t, document) + ["output=" + o[0] for o in asked.results]
    spec = {
        "trained": VERSION,
        "model": model + ".json",
        "options": {},
        "columns": [
            {
                "name": f.get("name", "f%d" % j),
                "kind": "text" if f["type"] == "str" else "real",
            }
            for j, f in enumerate(document["features"])
        ],
        "rows": [encode_row(row) for row in asked.rows],
    }
    covers += kinds(asked.rows, asked.fate)
    text = write_golden("scikit-learn", VERSION, spec, covers, asked.results, asked.fate)
    with open(os.path.join(out, name + ".golden"), "w", encoding="utf-8", newline="\n") as g:
        g.write(text)
    with open(os.path.join(work, name + ".spec.json"), "w", encoding="utf-8") as g:
        json.dump({"dropped": asked.dropped}, g)


def train(work: str, out: str, only: str) -> int:
    failed = 0
    for case in CASES:
        if VERSION not in case.versions or (only and only not in case.name):
            continue
        try:
            make(case, work, out)
        except Exception as e:  # reported, not hidden
            print(
                "NOT TRAINED %s: %s: %s" % (case.name, type(e).__name__, str(e)[:300]), flush=True
            )
            if only:
                traceback.print_exc()
            failed = 1
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
    return train(args.work, args.out, args.only) if args.step == "train" else 0


if __name__ == "__main__":
    sys.exit(main())
