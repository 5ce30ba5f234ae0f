"""case.py - a locked model with all that a system needs of it: manifests, arrays, files."""

import copy
import json
import os
import pathlib

import numpy

from . import accuracy
from . import data as datasets
from . import models
from .errors import BenchError, Refused
from .manifest import Manifest, canonical, left_out, read, sha256, sql_of


def lock_text(manifest, cache, told=lambda text: None):
    """A lock holds the digests and versions of everything that numbers follow from."""
    dataset = models.dataset_of(manifest)
    folder, data_folder = models.cached(cache, manifest, told)
    with datasets.kept(folder / "facts.json") as path:
        versions = json.loads(path.read_text())["versions"]
    return canonical({"schema": "hbsbench/lock/1", "model": manifest.name, "version": manifest["version"],
                      "manifest": manifest.digest, "recipe": models.recipe_digest(manifest), "dataset": dataset.digest,
                      "data": datasets.digest_of(data_folder), "versions": versions}) + "\n"


def write_lock(manifest, cache, told=lambda text: None):
    from . import equal_rows

    text = lock_text(manifest, cache, told)
    made = Case(manifest, cache)
    equal_rows.in_sqlite(made)
    check_metric(made)
    making = manifest.lock_path.with_suffix(f".lock.{os.getpid()}.making")
    try:
        making.write_text(text)
        making.rename(manifest.lock_path)
    finally:
        making.unlink(missing_ok=True)


def check_metric(made):
    """The metric must say something of the library's own answers to the evaluation rows."""
    m = made.manifest
    with numpy.errstate(all="ignore"):
        value = accuracy.metric_of(m["accuracy"]["metric"], made.data.target, made.expected()[:, accuracy.scored_column(m)], made.groups())
    if not numpy.isfinite(value):
        raise BenchError(f"{m.path}: accuracy: {m['accuracy']['metric']} of the library's own answers is {value}")


def read_lock(manifest):
    """The lock of a model; refuses what is not locked, and names what has changed. Needs neither the data nor the library."""
    try:
        locked = json.loads(manifest.lock_path.read_text())
        if not isinstance(locked, dict):
            raise ValueError
    except (OSError, ValueError, RecursionError):
        raise BenchError(f"{manifest.path} is not locked: run `hbsbench lock {manifest.path}`") from None
    now = {"manifest": manifest.digest, "recipe": models.recipe_digest(manifest), "dataset": models.dataset_of(manifest).digest}
    for key, digest in now.items():
        if locked.get(key) != digest:
            raise BenchError(f"{manifest.path}: the {key} has changed since it was locked: run `hbsbench lock {manifest.path}`")
    return locked


def check_lock(manifest, cache, told=lambda text: None):
    """The same, and the rows of the data set too, which are made."""
    locked = read_lock(manifest)
    full = json.loads(lock_text(manifest, cache, told))
    if locked.get("data") != full["data"]:
        raise BenchError(f"{manifest.path}: the data set's rows are not those that were locked: "
                         f"{full['data'][:16]}, not {str(locked.get('data'))[:16]}")
    return full


class Case:
    """A model with its data set. Arrays are read when they are asked for. `registered`: its name in a database. `others`: cases of
    models that take turns with it."""

    registered, others = "model", ()

    def __init__(self, manifest, cache, most_rows=None):
        self.manifest, self.dataset = manifest, models.dataset_of(manifest)
        self.folder, self.data_folder = models.cached(pathlib.Path(cache), manifest)
        self.cache = pathlib.Path(cache)
        self.data = datasets.load(self.data_folder / "test")
        with datasets.kept(self.folder / "facts.json") as path:
            self.facts = dict(json.loads(path.read_text()))
        self.rows = min(self.data.rows, most_rows or self.data.rows)
        self.inputs = models.inputs(manifest, self.data.names)
        self.width = len(manifest["outputs"])
        self.data_digest = datasets.digest_of(self.data_folder)

    @classmethod
    def open(cls, path, cache, most_rows=None):
        return cls(read(path, "model"), cache, most_rows)

    def array(self, name):
        with datasets.kept(self.folder / f"{name}.npy") as path:
            return numpy.load(path, mmap_mode="r")

    def expected(self):
        """The rows that a scan must give."""
        return numpy.asarray(self.array("expected"))[:self.rows]

    def reference(self):
        """The outputs of the model, which answers are judged by."""
        return numpy.asarray(self.array("expected"))[:self.rows]

    def judged(self, found):
        """The outputs of the model, from a system's answers."""
        return found

    def views(self):
        """The case, and, where its manifest narrows what is timed, the case without the other steps."""
        return [self, *([Narrowed(self)] if left_out(self.manifest) else [])]

    def beside(self, others):
        """The case, in turn with those of other models of its data set."""
        found = copy.copy(self)
        found.others = tuple(others)
        for place, other in enumerate(found.others, 1):
            if (other.dataset.digest, other.sample_set()) != (self.dataset.digest, self.sample_set()):
                raise BenchError(f"{self.manifest.path}: alternate: {other.manifest.name} is a model of other rows, those of {other.dataset.name}")
            other.registered, other.recipe = f"model_{place}", models.recipe_digest(other.manifest)
        return found

    def groups(self):
        """The group of each evaluation row, whose rows are ranked among each other; None: nothing is ranked."""
        return None if self.data.groups is None else self.data.groups[:self.rows]

    def raw_rows(self):
        """The evaluation rows before preprocess."""
        return self.data.matrix()[:self.rows]

    def features(self):
        """The evaluation rows as the model takes them; of numbers only: [rows][features]."""
        if not (self.folder / "features.npy").exists():
            raise Refused("texts among the features")
        return numpy.asarray(self.array("features")).T[:self.rows]

    def file(self, format_):
        path = self.folder / f"model.{format_}"
        if path.exists():
            return path
        refused = self.folder / f"REFUSED.{format_}"
        why = f": {refused.read_text()}" if refused.exists() else ""
        raise Refused(f"there is no {format_} file of this model{why}")

    def files(self):
        """The sizes of the model's files by their formats, and the seconds that it took to train it and to write them."""
        return {"bytes": {name: about["bytes"] for name, about in self.facts["formats"].items()},
                **{name: self.facts[name] for name in ("train_seconds", "export_seconds", "onnx_seconds") if name in self.facts}}

    def estimator_path(self):
        path = self.folder / "estimator.joblib"
        if not path.exists():
            raise Refused("the model is a file: there is no estimator")
        return path

    def options(self):
        return json.dumps(self.facts["options"]) if self.facts["options"] else ""

    def steps(self):
        """The two steps in Python, as functions of rows; None where rows stay as they are."""
        m = self.manifest
        for step in ("preprocess", "postprocess"):
            if m.get(step) and not m[step].get("python"):
                raise Refused(f"{step} has no Python form")
        from .manifest import python_of

        def step(name, columns):
            function = python_of(m, name)
            about = models.context(m, columns)
            return (lambda rows: function(about, rows)) if function else None

        return step("preprocess", self.data.names), step("postprocess", [item["name"] for item in m["predict"]])

    def sql(self, step, dialect):
        """The SQL of a step; Refused where it has a Python form only."""
        text = sql_of(self.manifest, step, dialect)
        if text is None and self.manifest.get(step):
            raise Refused(f"{step} has no SQL form for {dialect}")
        return text

    def sample_set(self):
        return sha256(canonical([self.data_digest, self.rows]))

    def tolerances(self):
        """How far hbscore says that each output of predict may be from the library's: from the core, once."""
        path = self.folder / "tolerances.json"
        if not path.exists():
            from . import systems

            _, core = systems.load("hbscore-core", self)
            making = path.with_suffix(".making")
            making.write_text(json.dumps(core.open()["tolerances"]))
            making.rename(path)
        with datasets.kept(path):
            return [float(tolerance) for tolerance in json.loads(path.read_text())]


class Narrowed(Case):
    """A case of the steps that its manifest times. The table has what preprocess gives, and a system answers with what predict gives:
    the steps that are left out are done before and after a run, and so are the steps around them."""

    def __init__(self, whole):
        vars(self).update(vars(whole))
        self.whole, m, steps = whole, whole.manifest, left_out(whole.manifest)
        content = {key: value for key, value in m.content.items() if key.removeprefix("before_").removeprefix("after_") not in steps}
        if "postprocess" in steps:
            content["outputs"] = [{"name": item["name"], "role": "score"} for item in m["predict"]]
        self.manifest, self.width = Manifest(m.path, m.kind, content), len(content["outputs"])
        if "preprocess" in steps:
            rows = models.preprocessed(m, whole.data)
            self.data = datasets.of_rows(self.inputs, rows, whole.data)
            # Features are float64, whatever the columns are that they are made of; DDL is of those columns.
            about = self.dataset
            self.dataset = Manifest(about.path, about.kind, {key: value for key, value in about.content.items() if key not in ("float32", "ddl", "load_sql")})

    def expected(self):
        return numpy.asarray(self.array("predicted"))[:self.rows] if self.post() else super().expected()

    def judged(self, found):
        return models.postprocessed(self.whole.manifest, found) if self.post() else found

    def post(self):
        return "postprocess" in left_out(self.whole.manifest)

    def views(self):
        return [self]
