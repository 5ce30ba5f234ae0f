"""manifest.py - manifests: read, checked by their schema, and locked.

A manifest is a YAML file: of a model, a data set or a system. `lock` writes beside a model's manifest a file NAME.lock: one
canonical JSON text with the digests of the manifest, of its data set's manifest and numbers, of its recipe or file, and the
versions. `run` takes nothing whose lock does not fit."""

import functools
import hashlib
import importlib
import importlib.util
import json
import pathlib
import re

from . import deadline
from .errors import BenchError

HERE = pathlib.Path(__file__).resolve().parent
SHIPPED = HERE.parent / "manifests"
KINDS = ("model", "dataset", "system")
# Metrics that fit a task, the first one what is usual; and what comes out of it.
METRICS = {"binary": ("roc_auc", "accuracy", "log_loss"), "multiclass": ("accuracy",), "regression": ("r2", "rmse"), "outlier": ("accuracy", "roc_auc"),
           "transform": ("r2", "rmse"), "ranking": ("ndcg",)}
GIVES = {"binary": "one of two classes", "multiclass": "one of several classes", "regression": "a number", "outlier": "an outlier or none",
         "transform": "columns", "ranking": "an order within each group"}


def canonical(value):
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)


def sha256(data):
    return hashlib.sha256(data.encode() if isinstance(data, str) else data).hexdigest()


class Manifest:
    """The content of a file. `digest` is that of the canonical text: comments and layout do not count."""

    def __init__(self, path, kind, content):
        self.path, self.kind, self.content = pathlib.Path(path), kind, content
        self.name = content["name"]
        self.digest = sha256(canonical(content))

    def __getitem__(self, key):
        return self.content[key]

    def get(self, key, default=None):
        return self.content.get(key, default)

    @property
    def folder(self):
        return self.path.parent

    @property
    def lock_path(self):
        return self.path.with_suffix(".lock")

    def function(self, text):
        """The function "module:name": the module is a file beside the manifest, or one that can be imported."""
        module, _, name = text.partition(":")
        beside = self.folder / (module.replace(".", "/") + ".py")
        try:
            with deadline.within(f"{self.path}: {text}"):
                found = _load(beside) if beside.exists() else importlib.import_module(module)
        except BenchError:
            raise
        except (Exception, SystemExit) as error:
            raise BenchError(f"{self.path}: {text}: the module {module} cannot be loaded: {type(error).__name__}: {error}") from None
        if not callable(getattr(found, name, None)):
            raise BenchError(f"{self.path}: {text}: {getattr(found, '__file__', module)} has no function {name}")
        return getattr(found, name)

    def call(self, text, /, *arguments, **named):
        """Calls a function of the manifest's author; what it raises becomes one line, and so does a call without an end."""
        function = self.function(text)
        with deadline.within(f"{self.path}: {text}"):
            try:
                return function(*arguments, **named)
            except BenchError:
                raise
            except (Exception, SystemExit) as error:
                raise BenchError(f"{self.path}: {text}: {type(error).__name__}: {error}") from error

    def seeded(self, recipe):
        """The named arguments of a recipe: its args and its seed."""
        if "seed" in recipe.get("args", {}):
            raise BenchError(f"{self.path}: args: the seed stands beside args, not among them")
        return {**recipe.get("args", {}), "seed": recipe["seed"]}

    def source_digest(self, text):
        """The digest of the file that holds the function."""
        module = text.partition(":")[0]
        beside = self.folder / (module.replace(".", "/") + ".py")
        self.function(text)
        path = beside if beside.exists() else getattr(importlib.import_module(module), "__file__", None)
        if path is None:
            raise BenchError(f"{self.path}: {text}: the module {module} is no file whose digest can be locked")
        return sha256(pathlib.Path(path).read_bytes())


def _load(path):
    spec = importlib.util.spec_from_file_location("hbsbench_beside_" + sha256(str(path.resolve()))[:12], path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


# Those that this process was given, checked already: {kind and path: content}. The process of a cell gets its manifests from the harness,
# as checking them takes longer than a short run.
GIVEN = {}


def given(manifests):
    """The GIVEN of another process."""
    return {_key(found.path, found.kind): found.content for found in manifests}


def _key(path, kind):
    return f"{kind} {path.resolve()}"


def read(path, kind):
    """A checked manifest; a BenchError names the file, the field and the fix."""
    path = pathlib.Path(path)
    if _key(path, kind) in GIVEN:
        return Manifest(path, kind, GIVEN[_key(path, kind)])

    import jsonschema

    from . import plain_yaml

    content = plain_yaml.read(path)
    schema = json.loads((HERE / "schema" / f"{kind}.json").read_text())
    error = jsonschema.exceptions.best_match(_validator()(schema).iter_errors(content))
    if error:
        place = ".".join(str(part) for part in error.absolute_path)
        raise BenchError(f"{path}: {place + ': ' if place else ''}{_short(error.message)}")
    found = Manifest(path, kind, content)
    CHECKS[kind](found)
    return found


@functools.lru_cache(maxsize=None)
def _validator():
    """Stricter than the standard: 8.0 is no integer, and a pattern fits all of a text (its $ would let a line end pass)."""
    import jsonschema

    def pattern(validator, wanted, text, schema):
        if validator.is_type(text, "string") and not re.fullmatch(wanted, text):
            yield jsonschema.ValidationError(f"{text!r} does not match {wanted!r}")

    base = jsonschema.Draft202012Validator
    whole = base.TYPE_CHECKER.redefine("integer", lambda checker, value: isinstance(value, int) and not isinstance(value, bool))
    return jsonschema.validators.extend(base, {"pattern": pattern}, type_checker=whole)


def _short(text, most=300):
    return text if len(text) <= most else text[:most] + "..."


def _check_model(m):
    def wrong(text):
        raise BenchError(f"{m.path}: {text}")

    names_ = [item["name"] for item in m.get("inputs", [])]
    if len(set(names_)) < len(names_):
        wrong(f"inputs: a name stands there twice: {', '.join(names_)}")
    outputs = [output["name"] for output in m["outputs"]]
    predicted = [item["name"] for item in m["predict"]]
    for names, field in ((outputs, "outputs"), (predicted, "predict")):
        for name in names:
            if names.count(name) > 1:
                wrong(f'{field}: the name "{name}" stands there twice')
    for item in m["predict"]:
        if (item["function"] == "predict_probability") != ("class" in item):
            wrong(f'predict: "{item["name"]}": a class belongs to predict_probability, and to nothing else')
        if (item["function"] == "transform") != ("column" in item):
            wrong(f'predict: "{item["name"]}": a column belongs to transform, and to nothing else')
    if len({item["function"] == "transform" for item in m["predict"]}) > 1:
        wrong("predict: transform gives all of it, or nothing")
    if not m.get("postprocess") and outputs != predicted:
        wrong("outputs: without postprocess they are those of predict, in the same order")
    for step in ("after_preprocess", "after_postprocess"):
        if m.get(step, {}).get("sql"):
            wrong(f"{step}: it has a Python form only")
    if "timed" in m.content and not left_out(m):
        wrong("timed: it leaves out no step of this model, and without it all are timed")
    if any(m.name in targets.get("alternate", []) for targets in m["scenarios"].values()):
        wrong("scenarios: alternate: a model takes turns with others, not with itself")
    metric, scored = m["accuracy"]["metric"], m["accuracy"].get("output")
    if scored is not None and scored not in outputs:
        wrong(f'accuracy: output: "{scored}" is none of outputs')
    # Postprocess may make something else of what the task gives.
    if metric not in METRICS[m["task"]] and not m.get("postprocess") or (metric == "ndcg") != (m["task"] == "ranking"):
        wrong(f"accuracy: metric {metric} does not fit the task {m['task']}, which has {', '.join(METRICS[m['task']])}")
    role = "label" if metric == "accuracy" else "score"
    if not any(output["role"] == role for output in m["outputs"]):
        wrong(f'accuracy: metric {metric} needs an output with the role "{role}"')


def modalities(m):
    """(input, output): what goes into the model, as its inputs say, and what comes out, as its task says."""
    kinds = {item["type"] for item in m.get("inputs", [])}
    return "numbers and texts" if "text" in kinds else "numbers", GIVES[m["task"]]


def left_out(m):
    """The steps that the model has and its manifest does not time."""
    return [step for step in ("preprocess", "postprocess") if m.get(step) and step not in m.get("timed", [step])]


def _check_nothing(m):
    pass


CHECKS = {"model": _check_model, "dataset": _check_nothing, "system": _check_nothing}


def find(kind, name, beside=None):
    """A manifest by its name: beside another one, then among those shipped; or by the path of a file."""
    if str(name).endswith((".yaml", ".yml")):
        return read(name, kind)
    for folder in ([beside] if beside else []) + [SHIPPED / f"{kind}s"]:
        path = pathlib.Path(folder) / f"{name}.yaml"
        if path.exists():
            found = read(path, kind)
            if found.name != name:
                raise BenchError(f'{path}: name: the file is {name}.yaml, so the name is "{name}", not "{found.name}"')
            return found
    known = ", ".join(sorted(path.stem for path in (SHIPPED / f"{kind}s").glob("*.yaml")))
    raise BenchError(f'there is no {kind} "{name}"; shipped are {known}; or give the path of a .yaml file')


def shipped(kind):
    return [read(path, kind) for path in sorted((SHIPPED / f"{kind}s").glob("*.yaml"))]


def sql_of(manifest, step, dialect):
    """The SQL of a step for "sqlite" or "postgres"; None: the step has none."""
    return form_of(manifest.get(step, {}).get("sql", {}), dialect)


def form_of(sql, dialect):
    return sql.get(dialect, sql.get("common"))


def python_of(manifest, step):
    text = manifest.get(step, {}).get("python")
    return manifest.function(text) if text else None
