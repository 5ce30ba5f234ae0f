"""data.py - data sets: read or made once, split, and kept in the cache as arrays.

The rows that are scored are the evaluation rows; their keys are 0, 1, 2, ... in the table of every database. Where the data
set has no split, all rows are both trained on and scored."""

import hashlib
import json
import pathlib
import shutil

import numpy

from .errors import BenchError
from .manifest import canonical, sha256


class Data:
    """Columns of float64 (float32 where the manifest says so) or of texts, by their names, and the target. Labels that are texts
    are `classes`, in their order, and the target holds their places."""

    def __init__(self, names, columns, target, classes=None):
        self.names, self.columns, self.classes = list(names), list(columns), classes
        target = numpy.asarray(target)
        if classes is None and target.dtype.kind in "OUS":
            self.classes = sorted(set(target.tolist()))
            target = [self.classes.index(label) for label in target.tolist()]
        self.target = numpy.asarray(target, float)
        self.rows = len(self.target)

    def take(self, places):
        return Data(self.names, [column[places] for column in self.columns], self.target[places], self.classes)

    def labels(self):
        """The target as a model is trained on it."""
        return self.target if self.classes is None else numpy.array(self.classes)[self.target.astype(int)]

    @property
    def texts(self):
        return [column.dtype == object for column in self.columns]

    def matrix(self):
        """All columns side by side: of float64, or of objects if there are texts."""
        if any(self.texts):
            rows = numpy.empty((self.rows, len(self.names)), object)
            for place, column in enumerate(self.columns):
                rows[:, place] = column
            return rows
        return numpy.column_stack(self.columns).astype(float) if self.columns else numpy.empty((self.rows, 0))

    def digest(self):
        sums = hashlib.sha256(canonical(self.names if self.classes is None else [self.names, self.classes]).encode())
        for column in [*self.columns, self.target]:
            sums.update(canonical(column.tolist()).encode() if column.dtype == object else column.astype("<f8").tobytes())
        return sums.hexdigest()


def _from_sklearn(manifest):
    from sklearn import datasets

    bunch = getattr(datasets, manifest["source"]["sklearn"])()
    return Data([f"f{i}" for i in range(bunch.data.shape[1])], bunch.data.T, bunch.target)


def _from_generator(manifest):
    source = manifest["source"]
    made = manifest.call(source["generator"], seed=source["seed"], **source.get("args", {}))
    try:
        names, columns, target = made
        return Data(names, [_column(column) for column in columns], target)
    except (TypeError, ValueError):
        raise BenchError(f"{manifest.path}: {source['generator']} gives no (names, columns, target)") from None


def _column(values):
    values = numpy.asarray(values)
    return values if values.dtype == object else values.astype(float)


def _from_file(manifest):
    import csv

    source = manifest["source"]
    path = manifest.folder / source["file"]
    try:
        content = path.read_bytes()
    except OSError as error:
        raise BenchError(f"{manifest.path}: source.file: {path}: {error.strerror}") from None
    if sha256(content) != source["sha256"]:
        raise BenchError(f"{manifest.path}: source.sha256: {path} has {sha256(content)}, not {source['sha256']}")
    lines = list(csv.reader(content.decode().splitlines()))
    names, rows = lines[0], lines[1:]
    if source["target"] not in names:
        raise BenchError(f'{manifest.path}: source.target: {path} has no column "{source["target"]}"')
    texts = source.get("texts", [])
    columns = {}
    for place, name in enumerate(names):
        values = [row[place] for row in rows]
        if name in texts and name == source["target"]:
            columns[name] = numpy.array(values, object)
        elif name in texts:
            columns[name] = numpy.array([value or None for value in values], object)
        else:
            try:
                columns[name] = numpy.array([float(value) if value else numpy.nan for value in values])
            except ValueError:
                raise BenchError(f'{manifest.path}: {path}: column "{name}" is no numbers: name it in source.texts') from None
    target = columns.pop(source["target"])
    return Data(columns, columns.values(), target)


def make(manifest):
    """(training rows, evaluation rows)"""
    source = manifest["source"]
    data = (_from_sklearn if "sklearn" in source else _from_generator if "generator" in source else _from_file)(manifest)
    if manifest.get("float32"):
        data.columns = [c if c.dtype == object else c.astype(numpy.float32).astype(float) for c in data.columns]
    split = manifest.get("split")
    if not split:
        return data, data
    from sklearn.model_selection import train_test_split

    train, test = train_test_split(numpy.arange(data.rows), test_size=split["test_size"], train_size=split.get("train_size"),
                                   random_state=split["random_state"],
                                   stratify=data.target if split.get("stratify") else None)
    return data.take(train), data.take(test)


def save(folder, data):
    folder.mkdir(parents=True)
    numbers = [column for column in data.columns if column.dtype != object]
    numpy.save(folder / "numbers.npy", numpy.array(numbers, float).reshape(len(numbers), data.rows))
    numpy.save(folder / "target.npy", data.target)
    texts = {name: column.tolist() for name, column in zip(data.names, data.columns) if column.dtype == object}
    (folder / "columns.json").write_text(json.dumps({"names": data.names, "texts": texts, "classes": data.classes}))


def load(folder):
    about = json.loads((folder / "columns.json").read_text())
    numbers = iter(numpy.load(folder / "numbers.npy", mmap_mode="r"))
    columns = [numpy.array(about["texts"][name], object) if name in about["texts"] else next(numbers) for name in about["names"]]
    return Data(about["names"], columns, numpy.load(folder / "target.npy"), about.get("classes"))


def put(folder, write):
    """Makes a folder whole or not at all."""
    making = pathlib.Path(f"{folder}.making")
    shutil.rmtree(making, ignore_errors=True)
    making.mkdir(parents=True)
    try:
        write(making)
        making.rename(folder)
    finally:
        shutil.rmtree(making, ignore_errors=True)
    return folder


def cached(cache, manifest):
    """The folder of the data set in the cache, made if it is not there: train/, test/, digest."""
    folder = cache / "datasets" / f"{manifest.name}-{recipe_digest(manifest)[:16]}"
    if not folder.exists():
        train, test = make(manifest)

        def write(making):
            save(making / "train", train)
            save(making / "test", test)
            (making / "digest").write_text(sha256(train.digest() + test.digest()))

        put(folder, write)
    return folder


def recipe_digest(manifest):
    """The digest of everything that the rows follow from."""
    source = manifest["source"]
    return sha256(canonical([manifest.digest, manifest.source_digest(source["generator"]) if "generator" in source else ""]))
