"""kernels_convert.py FOLDER GRID [--only NAME,..] - the models of the folder in the forms that other libraries take
(made once):

    NAME.onnx         ONNX Runtime, by onnxmltools, CatBoost itself, or skl2onnx; no function after the sums
    NAME.lleaves.so   LightGBM's, compiled by lleaves
    NAME.tl2cgen.so   XGBoost's, compiled by Treelite and TL2cgen with gcc

NAME.forms.json says of each form how many seconds it took, or why there is none."""

from __future__ import annotations

import contextlib
import json
import os
import pathlib
import subprocess
import sys
import time
from typing import Any, Callable, Dict, Iterator

from kernels_models import Spec, specs_asked

# Compiling if/else takes minutes for large models: in the quick grid for those of at most so many leaves.
MOST_COMPILED = {"smoke": 16_000, "quick": 16_000, "full": 130_000}


# ONNX ---------------------------------------------------------------------------------------


def without_functions(graph: Any) -> Any:
    """Raw scores: the trees' own function is taken off, and what turns scores into tables of classes."""
    for node in graph.graph.node:
        for attribute in node.attribute:
            if attribute.name == "post_transform":
                attribute.s = b"NONE"
    return graph


def onnx_xgboost(spec: Spec, stem: str) -> Any:
    import onnxmltools
    import xgboost
    from onnxmltools.convert.common.data_types import FloatTensorType

    booster = xgboost.Booster()
    booster.load_model(bytearray(pathlib.Path(stem + ".model").read_bytes()))
    booster.feature_names = None
    types = [("x", FloatTensorType([None, spec.features]))]
    return without_functions(onnxmltools.convert_xgboost(booster, initial_types=types))


def onnx_lightgbm(spec: Spec, stem: str) -> Any:
    import lightgbm
    import onnxmltools
    from onnxmltools.convert.common.data_types import FloatTensorType

    booster = lightgbm.Booster(model_file=stem + ".model")
    types = [("x", FloatTensorType([None, spec.features]))]
    return without_functions(onnxmltools.convert_lightgbm(booster, initial_types=types, zipmap=False))


def onnx_catboost(spec: Spec, stem: str) -> Any:
    import catboost
    import onnx

    model = catboost.CatBoostClassifier()
    model.load_model(stem + ".native")
    model.save_model(stem + ".made", format="onnx")
    return without_functions(without_tables(onnx.load(stem + ".made")))


def without_tables(graph: Any) -> Any:
    """The last node, which makes a dictionary of each row's scores, is taken off."""
    import onnx

    kept = [node for node in graph.graph.node if node.op_type != "ZipMap"]
    name = next(node.input[0] for node in graph.graph.node if node.op_type == "ZipMap")
    del graph.graph.node[:]
    graph.graph.node.extend(kept)
    del graph.graph.output[-1]
    graph.graph.output.append(onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [None, None]))
    return graph


def onnx_sklearn(spec: Spec, stem: str) -> Any:
    import joblib
    from skl2onnx import to_onnx
    from skl2onnx.common import tree_ensemble
    from skl2onnx.common.data_types import FloatTensorType

    # skl2onnx 1.20 hands a bool where the newer protobuf takes integers only.
    add_node = tree_ensemble.add_node
    tree_ensemble.add_node = lambda *a, nodes_missing_value_tracks_true=0, **k: add_node(
        *a, nodes_missing_value_tracks_true=int(nodes_missing_value_tracks_true), **k)
    types = [("x", FloatTensorType([None, spec.features]))]
    graph = to_onnx(joblib.load(stem + ".native"), initial_types=types, options={"zipmap": False})
    return graph if spec.library == "forest" else without_functions(graph)


ONNX: Dict[str, Callable] = {"xgboost": onnx_xgboost, "lightgbm": onnx_lightgbm, "catboost": onnx_catboost,
                             "forest": onnx_sklearn, "hist": onnx_sklearn}


def make_onnx(spec: Spec, stem: str) -> None:
    pathlib.Path(stem + ".onnx").write_bytes(ONNX[spec.library](spec, stem).SerializeToString())


# Compiled ------------------------------------------------------------------------------------


def make_lleaves(spec: Spec, stem: str) -> None:
    import lleaves

    made = stem + ".made"
    pathlib.Path(made).unlink(missing_ok=True)
    lleaves.Model(stem + ".model").compile(cache=made, raw_score=True)
    subprocess.run(["gcc", "-shared", "-o", stem + ".lleaves.so", made, "-lm"], check=True)


def make_tl2cgen(spec: Spec, stem: str) -> None:
    import tl2cgen
    import treelite

    loaded = treelite.frontend.load_xgboost_model(stem + ".model", format_choice="ubjson")
    tl2cgen.export_lib(loaded, toolchain="gcc", libpath=stem + ".tl2cgen.so", params={"parallel_comp": 8})


FORMS: Dict[str, Callable] = {"onnx": make_onnx, "lleaves": make_lleaves, "tl2cgen": make_tl2cgen}
FORMS_OF = {"xgboost": ("onnx", "tl2cgen"), "lightgbm": ("onnx", "lleaves"), "catboost": ("onnx",), "forest": ("onnx",),
            "hist": ("onnx",)}


@contextlib.contextmanager
def silence() -> Iterator[None]:
    """What converters print, also from C++."""
    kept = [(file, os.dup(file)) for file in (1, 2)]
    nothing = os.open(os.devnull, os.O_WRONLY)
    try:
        for file, _ in kept:
            os.dup2(nothing, file)
        yield
    finally:
        for file, copy in kept:
            os.dup2(copy, file)
            os.close(copy)
        os.close(nothing)


def form_of(make: Callable, spec: Spec, stem: str) -> Dict[str, Any]:
    begin = time.time()
    try:
        with silence():
            make(spec, stem)
    except Exception as e:  # a converter that cannot do it: said in the table
        return {"no": "%s: %s" % (type(e).__name__, " ".join(str(e).split())[:160])}
    return {"seconds": time.time() - begin}


def convert(spec: Spec, folder: pathlib.Path, grid: str) -> None:
    stem = str(folder / spec.name)
    path = pathlib.Path(stem + ".forms.json")
    forms = json.loads(path.read_text()) if path.exists() else {}
    facts = json.loads(pathlib.Path(stem + ".json").read_text())
    for name in FORMS_OF[spec.library]:
        large = name != "onnx" and facts["trees"] * facts["leaves"] > MOST_COMPILED[grid]
        if name in forms or large:
            continue
        print("  %s: %s" % (spec.title, name), end="", flush=True)
        forms[name] = form_of(FORMS[name], spec, stem)
        print(": " + (forms[name].get("no") or "%.0f s" % forms[name]["seconds"]), flush=True)
        path.write_text(json.dumps(forms))
    for left in pathlib.Path(folder).glob("*.made"):
        os.remove(left)


def main() -> None:
    folder, grid = pathlib.Path(sys.argv[1]), sys.argv[2]
    for spec in specs_asked():
        if spec.what == "models":
            convert(spec, folder, grid)


if __name__ == "__main__":
    main()
