"""models.py - models: trained by their recipe, or a file; the files that systems read; and the answers of their own library.

All of it is kept in the cache, in a folder keyed by the digest of the manifest, of the recipe and of the data:

    estimator.joblib             the fitted object (of a recipe)
    model.FORMAT                 a file of hbscore, xgboost, lightgbm, catboost, onnx; or REFUSED.FORMAT: why there is none
    features.npy                 the evaluation rows as the model takes them, column by column (of numbers)
    predicted.npy, expected.npy  [rows][..]: what predict gives of them, and after postprocess
    facts.json                   versions, digests, seconds, options of registration, tolerances

A Python other than the harness's own (pythons.py) has estimators of its own there, and no files."""

import contextlib
import json
import time

import numpy

from . import data as datasets
from . import pythons
from .errors import BenchError, Refused
from .manifest import canonical, find, sha256

FORMATS = ("hbscore", "xgboost", "lightgbm", "catboost", "onnx")


def dataset_of(manifest):
    return find("dataset", manifest["dataset"]["ref"], beside=manifest.folder)


def recipe_digest(manifest):
    """The digest of everything that the model follows from, but the data."""
    model = manifest["model"]
    # The model is the same, whichever of its steps are timed.
    parts = [sha256(canonical({key: value for key, value in manifest.content.items() if key != "timed"}))]
    if "train" in model:
        parts.append(manifest.source_digest(model["train"]["function"]))
    else:
        parts.append(model["sha256"])
    for step in ("preprocess", "postprocess"):
        text = manifest.get(step, {}).get("python")
        parts.append(manifest.source_digest(text) if text else "")
    return sha256(canonical(parts))


def inputs(manifest, names):
    """The names of the features: those of inputs, where a shape counts one name out; else all columns of the data set."""
    if not manifest.get("inputs"):
        return list(names)
    found = []
    for item in manifest["inputs"]:
        shape = item.get("shape")
        found += [f"{item['name']}{i}" for i in range(shape[0])] if shape else [item["name"]]
    return found


def context(manifest, names):
    return {"manifest": manifest.content, "columns": list(names)}


def preprocessed(manifest, data):
    """The rows as the model takes them: by the Python form, else by SQLite."""
    from . import by_sql

    text = manifest.get("preprocess", {}).get("python")
    rows = data.matrix() if text or not manifest.get("preprocess") else by_sql.preprocessed(manifest, data)
    if text:
        rows = numpy.asarray(manifest.call(text, context(manifest, data.names), rows))
        if rows.dtype.kind not in "biufO":
            raise BenchError(f"{manifest.path}: preprocess gives an array of {rows.dtype}: numbers are float64, texts are objects")
    wanted = len(inputs(manifest, data.names))
    if not text and not manifest.get("preprocess"):
        unknown = [name for name in inputs(manifest, data.names) if name not in data.names]
        if unknown:
            raise BenchError(f"{manifest.path}: inputs: the data set has no column {', '.join(unknown)}; it has {', '.join(data.names)}")
    if rows.shape != (data.rows, wanted):
        raise BenchError(f"{manifest.path}: preprocess gives {rows.shape} of {data.rows} rows with {wanted} inputs")
    return rows


def check_inputs(manifest, rows):
    """The rows are as inputs say: nothing is missing where nullable is false, and texts are among the categories."""
    place = 0
    for item in manifest.get("inputs", []):
        width = item.get("shape", [1])[0]
        columns = rows[:, place:place + width]
        place += width
        if item.get("nullable", True) and "categories" not in item:
            continue
        missing = numpy.array([[value is None or value != value for value in row] for row in columns.tolist()])
        if not item.get("nullable", True) and missing.any():
            raise BenchError(f'{manifest.path}: inputs: "{item["name"]}" is not nullable, and {int(missing.sum())} of its values are missing')
        others = set(columns[~missing].tolist()) - set(item.get("categories", [])) if "categories" in item else ()
        if others:
            raise BenchError(f'{manifest.path}: inputs: "{item["name"]}" has {sorted(others, key=str)[0]!r}, which is none of its categories')


def postprocessed(manifest, predicted):
    from . import by_sql

    text = manifest.get("postprocess", {}).get("python")
    if manifest.get("postprocess") and not text:
        predicted = by_sql.postprocessed(manifest, predicted)
    names = [item["name"] for item in manifest["predict"]]
    try:
        rows = numpy.asarray(manifest.call(text, context(manifest, names), predicted), float) if text else predicted
    except (TypeError, ValueError):
        raise BenchError(f"{manifest.path}: postprocess gives no numbers") from None
    if rows.shape != (len(predicted), len(manifest["outputs"])):
        raise BenchError(f"{manifest.path}: postprocess gives {rows.shape} of {len(predicted)} rows with "
                         f"{len(manifest['outputs'])} outputs")
    return rows


def estimator_outputs(estimator, manifest, rows):
    """The answers of the library that trained it: [rows][predict], as numbers."""
    if transforms(manifest):
        return transformed(estimator.transform(rows), manifest)
    columns = []
    for item in manifest["predict"]:
        if item["function"] == "predict_probability":
            columns.append(estimator.predict_proba(rows)[:, class_place(estimator.classes_.tolist(), item["class"], manifest)])
        else:
            columns.append(_numbers(estimator.predict(rows), item, manifest, getattr(estimator, "classes_", None)))
    return numpy.column_stack(columns).astype(float)


def transforms(manifest):
    """True where the numbers of a transformer are asked for."""
    return manifest["predict"][0]["function"] == "transform"


def transformed(found, manifest):
    """The columns that are asked for of what a transformer gives."""
    found = found.toarray() if hasattr(found, "toarray") else numpy.asarray(found)
    columns = [item["column"] for item in manifest["predict"]]
    if max(columns) >= found.shape[1]:
        raise BenchError(f"{manifest.path}: predict: the model gives {found.shape[1]} columns, and column {max(columns)} is asked for")
    return (found if columns == list(range(found.shape[1])) else found[:, columns]).astype(float, copy=False)


def numbers_of(labels, classes):
    """Labels as numbers: those that are texts as their places among the classes."""
    labels = numpy.asarray(labels)
    if labels.dtype.kind not in "OUS":
        return labels.astype(float)
    places = {name: place for place, name in enumerate(classes)}
    return numpy.array([places[label] if isinstance(label, str) else float(label) for label in labels.ravel().tolist()], float)


def _numbers(values, item, manifest, classes=None):
    try:
        return numbers_of(values, [] if classes is None else numpy.asarray(classes).tolist())
    except (KeyError, TypeError, ValueError):
        raise BenchError(f'{manifest.path}: predict: "{item["name"]}" gives {values[0]!r}: outputs that are no numbers are not '
                         "supported") from None


def class_place(classes, wanted, manifest):
    if wanted not in classes:
        raise BenchError(f"{manifest.path}: predict: the model has no class {wanted!r}; it has {classes}")
    return classes.index(wanted)


# ---------------------------------------------------------------------- making


def cached(cache, manifest, told=lambda text: None):
    """The folder of the model in the cache, made if it is not there."""
    dataset = dataset_of(manifest)
    data_folder = datasets.cached(cache, dataset)
    key = sha256(canonical([recipe_digest(manifest), datasets.digest_of(data_folder), _made_by(manifest)]))
    folder = cache / "models" / f"{manifest.name}-{key[:16]}"
    if not folder.exists():
        datasets.put(folder, lambda making: _make(making, manifest, data_folder, told))
    return folder, data_folder


def installed(manifest):
    """The framework's version, or None."""
    from importlib import metadata

    name = manifest["framework"]["name"]
    for distribution in (name, f"{name}-cpu"):
        try:
            return metadata.version(distribution)
        except metadata.PackageNotFoundError:
            continue
    return None


def _versions(manifest):
    """The framework's version, which must be one that the manifest allows."""
    from packaging.specifiers import InvalidSpecifier, SpecifierSet

    name, allowed = manifest["framework"]["name"], manifest["framework"]["version"]
    version = installed(manifest)
    if version is None:
        if "train" not in manifest["model"]:
            return {}
        raise BenchError(f"{manifest.path}: framework: {name} is not installed: requirements-peers.txt of bench/hbsbench, or "
                         "requirements-optional.txt, has it")
    try:
        fits = SpecifierSet(allowed).contains(version)
    except InvalidSpecifier:
        raise BenchError(f'{manifest.path}: framework.version: "{allowed}" is no constraint such as ">=1.2,<2"') from None
    if not fits:
        raise BenchError(f"{manifest.path}: framework: {name} is {version}, and the manifest wants {allowed}")
    return {name: version}


def _made_by(manifest):
    """The versions that the key of a model tells: in another Python than the harness's own scikit-learn's too, which a booster's
    estimator is made of."""
    from importlib import metadata

    versions = _versions(manifest)
    return {**versions, "scikit-learn": metadata.version("scikit-learn")} if pythons.own() else versions


def _make(folder, manifest, data_folder, told):
    train, test = datasets.load(data_folder / "train"), datasets.load(data_folder / "test")
    facts = {"versions": _versions(manifest), "formats": {}, "options": {}}
    rows = preprocessed(manifest, test)
    check_inputs(manifest, rows)
    if "train" in manifest["model"]:
        predicted = _train(folder, manifest, preprocessed(manifest, train), train, rows, facts, told)
    else:
        with telling(manifest, "model.source: its library"):
            predicted = _from_file(folder, manifest, rows, facts)
    if predicted.shape != (test.rows, len(manifest["predict"])):
        raise BenchError(f"{manifest.path}: the model's own library gives {predicted.shape} for {test.rows} rows with "
                         f"{len(manifest['predict'])} outputs of predict")
    if rows.dtype != object:
        numpy.save(folder / "features.npy", numpy.ascontiguousarray(rows.T.astype(float)))
    numpy.save(folder / "predicted.npy", predicted)
    numpy.save(folder / "expected.npy", postprocessed(manifest, predicted))
    for format_ in FORMATS:
        path = folder / f"model.{format_}"
        if path.exists():
            facts["formats"][format_] = {"sha256": sha256(path.read_bytes()), "bytes": path.stat().st_size}
    (folder / "facts.json").write_text(json.dumps(facts, indent=1, sort_keys=True))


@contextlib.contextmanager
def telling(manifest, what):
    """Turns an exception of a library over the author's model into one line."""
    try:
        yield
    except (BenchError, Refused, OSError):
        raise
    except Exception as error:
        raise BenchError(f"{manifest.path}: {what}: {type(error).__name__}: {error}") from error


def _train(folder, manifest, rows, train, test_rows, facts, told):
    import joblib

    recipe = manifest["model"]["train"]
    told(f"training {manifest.name}: {train.rows:,} rows")
    begun = time.monotonic()
    groups = {} if train.groups is None else {"groups": train.groups}
    estimator = manifest.call(recipe["function"], rows, labels_of(manifest, train), **manifest.seeded(recipe), **groups)
    facts["train_seconds"] = round(time.monotonic() - begun, 3)
    with telling(manifest, f"what {recipe['function']} gives, {type(estimator).__name__}"):
        predicted = estimator_outputs(estimator, manifest, test_rows)
        facts["classes"] = numpy.asarray(getattr(estimator, "classes_", [])).tolist()
        joblib.dump(estimator, folder / "estimator.joblib")
        if not pythons.own():
            _write_files(folder, estimator, rows[:100], facts)
    return predicted


def labels_of(manifest, data):
    """The target as a model is trained on it. Classes that are whole numbers are integers in another Python than the harness's own:
    Hummingbird takes no others."""
    labels = data.labels()
    whole = pythons.own() and manifest["task"] in ("binary", "multiclass") and labels.dtype.kind == "f" and (labels % 1 == 0).all()
    return labels.astype(int) if whole else labels


def _write_files(folder, estimator, rows, facts):
    """The model in every format that it has."""
    import hbscore

    begun = time.monotonic()
    if hasattr(estimator, "onnx"):  # its own ONNX file, which hbscore reads too
        (folder / "model.onnx").write_bytes(estimator.onnx())
        (folder / "model.hbscore").write_bytes((folder / "model.onnx").read_bytes())
        facts["export_seconds"] = facts["onnx_seconds"] = round(time.monotonic() - begun, 3)
        return
    try:
        (folder / "model.hbscore").write_bytes(hbscore.export(estimator))
    except hbscore.Error as error:
        (folder / "REFUSED.hbscore").write_text(str(error))
    facts["export_seconds"] = round(time.monotonic() - begun, 3)
    library = type(estimator).__module__.partition(".")[0]
    if library == "xgboost":
        estimator.save_model(folder / "model.json")
        (folder / "model.json").rename(folder / "model.xgboost")
    if library == "lightgbm":
        estimator.booster_.save_model(folder / "model.lightgbm")
    if library == "catboost":
        estimator.save_model(folder / "model.catboost", format="json")
    if library in ("xgboost", "lightgbm") and facts["classes"]:
        facts["options"] = {"classes": [int(c) if isinstance(c, float) and c.is_integer() else c for c in facts["classes"]]}
    begun = time.monotonic()
    _write_onnx(folder, estimator, rows, library)
    facts["onnx_seconds"] = round(time.monotonic() - begun, 3)


def _write_onnx(folder, estimator, rows, library):
    try:
        from skl2onnx.common.data_types import DoubleTensorType, FloatTensorType

        if rows.dtype == object:
            raise Refused("texts among the features: one input of numbers is what the harness converts")
        if library in ("xgboost", "lightgbm"):
            import onnxmltools
            from onnxmltools.convert.common.data_types import FloatTensorType as Float32

            convert = getattr(onnxmltools, f"convert_{library}")
            model = convert(estimator, initial_types=[("rows", Float32([None, rows.shape[1]]))],
                            **({"zipmap": False} if library == "lightgbm" else {}))
        else:
            model = _loadable(lambda numbers: _skl2onnx(estimator, numbers([None, rows.shape[1]])), DoubleTensorType, FloatTensorType)
        (folder / "model.onnx").write_bytes(model.SerializeToString())
    except Exception as error:  # a converter may raise anything; the cell says what
        name = "skl2onnx is not installed" if isinstance(error, ImportError) else f"{type(error).__name__}: {error}"
        (folder / "REFUSED.onnx").write_text(" ".join(name.split())[:200])


def _skl2onnx(estimator, type_):
    """Without maps of probabilities. A pipeline that ends with LinearSVC has none, and no option for them, which skl2onnx looks for where
    no option is given."""
    import skl2onnx

    options = {"zipmap": False} if hasattr(estimator, "predict_proba") else None
    try:
        return skl2onnx.to_onnx(estimator, initial_types=[("rows", type_)], options=options and {id(estimator): options})
    except NameError:
        return skl2onnx.to_onnx(estimator, initial_types=[("rows", type_)], options={id(estimator): {"nocl": True}})


def _loadable(convert, *types):
    """The model with inputs of the first of the types with which ONNX Runtime takes it; else of the last one."""
    import onnxruntime

    for numbers in types[:-1]:
        try:
            model = convert(numbers)
            onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
            return model
        except Exception:  # of the converter or of ONNX Runtime
            continue
    return convert(types[-1])


def _from_file(folder, manifest, rows, facts):
    """A file by itself: its answers are those of the library that reads it."""
    model = manifest["model"]
    path, content = datasets.file_of(manifest, "model.source", model["source"])
    if sha256(content) != model["sha256"]:
        raise BenchError(f"{manifest.path}: model.sha256: {path} has {sha256(content)}, not {model['sha256']}")
    (folder / f"model.{model['format']}").write_bytes(content)
    if model["format"] != "hbscore":
        (folder / "model.hbscore").write_bytes(content)  # hbscore reads the library's own file
    facts["options"] = model.get("options", {})
    facts["classes"] = facts["options"].get("classes", [])
    if model.get("reference_outputs"):
        path = manifest.folder / model["reference_outputs"]
        try:
            return numpy.loadtxt(path, delimiter=",", ndmin=2)
        except (OSError, ValueError) as error:
            raise BenchError(f"{manifest.path}: model.reference_outputs: {path}: {error}") from None
    if model["format"] not in FILE_READERS:
        raise BenchError(f"{manifest.path}: model.reference_outputs: a file of format {model['format']} has no library of its "
                         "own here: give its answers, a line for each evaluation row")
    return FILE_READERS[model["format"]](folder / f"model.{model['format']}", manifest, facts["classes"])(rows)


# ---------------------------------------------------------------------- files of libraries, as functions of rows


def _place(item, classes, width, manifest):
    classes = classes or list(range(width))
    return class_place(classes, item["class"], manifest)


def xgboost_file(path, manifest, classes, threads=1):
    import xgboost

    booster = xgboost.Booster()
    booster.load_model(bytearray(path.read_bytes()))
    booster.set_param({"nthread": threads})
    wanted = manifest["predict"]

    def outputs(rows):
        found = booster.inplace_predict(numpy.ascontiguousarray(rows, numpy.float32), validate_features=False)
        return columns_of(found, wanted, classes, manifest)

    return outputs


def lightgbm_file(path, manifest, classes, threads=1):
    import lightgbm

    booster = lightgbm.Booster(model_file=str(path))
    wanted = manifest["predict"]

    def outputs(rows):
        return columns_of(booster.predict(rows, num_threads=threads), wanted, classes, manifest)

    return outputs


def catboost_file(path, manifest, classes, threads=1):
    import catboost

    model, wanted = catboost.CatBoost().load_model(str(path), format="json"), manifest["predict"]
    labelled = bool(classes) or any(item["function"] == "predict_probability" for item in wanted)

    def outputs(rows):
        found = model.predict(numpy.ascontiguousarray(rows, numpy.float32), thread_count=threads,
                              prediction_type="Probability" if labelled else "RawFormulaVal")
        return columns_of(found, wanted, classes, manifest)

    return outputs


def columns_of(found, wanted, classes, manifest):
    """The columns that are wanted of a booster's answer: a number a row, or a probability for each class."""
    if transforms(manifest):
        raise Refused("a booster does not transform")
    labelled = bool(classes) or any(item["function"] == "predict_probability" for item in wanted)
    if labelled and found.ndim == 1:
        found = numpy.column_stack([1 - found, found])
    columns = []
    for item in wanted:
        if item["function"] == "predict_probability":
            columns.append(found[:, _place(item, classes, found.shape[1], manifest)])
        elif labelled:
            columns.append(numbers_of(classes or range(found.shape[1]), classes)[found.argmax(axis=1)])
        else:
            columns.append(found)
    return numpy.column_stack(columns).astype(float)


def onnx_session(model, threads=1):
    """ONNX Runtime's session of a file, or of its bytes."""
    import onnxruntime

    settings = onnxruntime.SessionOptions()
    settings.intra_op_num_threads = threads
    settings.inter_op_num_threads = 1
    settings.log_severity_level = 3  # errors: it warns at each call of shapes that converters have written
    return onnxruntime.InferenceSession(model if isinstance(model, bytes) else str(model), settings, providers=["CPUExecutionProvider"])


def onnx_inputs(session, rows):
    """The columns of the rows for each input of a graph, in their order."""
    types = {"tensor(double)": numpy.float64, "tensor(int64)": numpy.int64}
    found, at = {}, 0
    inputs = session.get_inputs()
    for port in inputs:
        width = rows.shape[1] if len(inputs) == 1 else port.shape[1]
        found[port.name] = numpy.ascontiguousarray(rows[:, at:at + width], types.get(port.type, numpy.float32))
        at += width
    return found


def onnx_file(path, manifest, classes, threads=1):
    session = onnx_session(path, threads)
    wanted = manifest["predict"]
    labelled = len(session.get_outputs()) > 1

    def outputs(rows):
        found = session.run(None, onnx_inputs(session, rows))
        if transforms(manifest):
            return transformed(found[0], manifest)
        columns = []
        for item in wanted:
            if item["function"] == "predict_probability":
                columns.append(found[1][:, _place(item, classes, found[1].shape[1], manifest)])
            else:
                columns.append(numbers_of(found[0], classes).reshape(len(rows)))
        return numpy.column_stack(columns).astype(float)

    if not labelled and any(item["function"] == "predict_probability" for item in wanted):
        raise Refused("the ONNX file gives no probabilities")
    return outputs


FILE_READERS = {"xgboost": xgboost_file, "lightgbm": lightgbm_file, "catboost": catboost_file, "onnx": onnx_file}
