"""data.py - data sets: read or made once, split, and kept in the cache as arrays.

The rows that are scored are the evaluation rows; their keys are 0, 1, 2, ... in the table of every database. Where the data
set has no split, all rows are both trained on and scored."""

import contextlib
import hashlib
import io
import json
import pathlib
import re
import shutil
import tempfile

import numpy

from .errors import BenchError
from .manifest import canonical, sha256

NAME = re.compile("[A-Za-z_][A-Za-z0-9_]*")


class Data:
    """Columns of float64 (float32 where the manifest says so) or of texts, by their names, and the target. Labels that are texts
    are `classes`, in their order, and the target holds their places. `groups`: of each row the number of those that it is ranked among;
    the rows of a group stand together."""

    def __init__(self, names, columns, target, classes=None, groups=None):
        self.names, self.columns, self.classes = list(names), list(columns), classes
        self.groups = None if groups is None else numpy.asarray(groups)
        target = numpy.asarray(target)
        if classes is None and target.dtype.kind in "OUS":
            self.classes = sorted(set(target.tolist()))
            target = [self.classes.index(label) for label in target.tolist()]
        self.target = numpy.asarray(target, float)
        self.rows = len(self.target)

    def take(self, places):
        return Data(self.names, [column[places] for column in self.columns], self.target[places], self.classes,
                    None if self.groups is None else self.groups[places])

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
        if self.groups is not None:
            sums.update(self.groups.astype("<i8").tobytes())
        return sums.hexdigest()


def of_rows(names, rows, data):
    """Data of these rows side by side, with the target of `data`."""
    def column(values):
        whole = values.dtype != object or all(value is None or isinstance(value, str) for value in values)
        return values if whole else values.astype(float)

    return Data(names, [column(rows[:, place]) for place in range(len(names))], data.target, data.classes, data.groups)


def _from_sklearn(manifest):
    from sklearn import datasets

    bunch = getattr(datasets, manifest["source"]["sklearn"])()
    return Data([f"f{i}" for i in range(bunch.data.shape[1])], bunch.data.T, bunch.target)


def _from_generator(manifest):
    source = manifest["source"]
    made = manifest.call(source["generator"], **manifest.seeded(source))
    try:
        names, columns, target, *groups = made
        if len(groups) > 1:
            raise ValueError
        return Data(names, [_column(column) for column in columns], target, groups=numpy.asarray(groups[0]).astype(numpy.int64) if groups else None)
    except (TypeError, ValueError):
        raise BenchError(f"{manifest.path}: {source['generator']} gives no (names, columns, target), and no groups behind them") from None


def _column(values):
    values = numpy.asarray(values)
    if values.dtype.kind == "c":
        raise ValueError
    return values if values.dtype == object else values.astype(float)


def _from_file(manifest):
    import csv

    source = manifest["source"]
    path, content = file_of(manifest, "source.file", source["file"])
    if sha256(content) != source["sha256"]:
        raise BenchError(f"{manifest.path}: source.sha256: {path} has {sha256(content)}, not {source['sha256']}")
    try:
        # A line end within quotes belongs to its text.
        lines = [line for line in csv.reader(io.StringIO(content.decode("utf-8-sig"), newline=""), strict=True) if line]
    except (csv.Error, UnicodeDecodeError) as error:
        raise BenchError(f"{manifest.path}: source.file: {path}: this is no CSV in UTF-8: {error}") from None
    names, rows = lines[0] if lines else [], lines[1:]
    for number, row in enumerate(rows, 1):
        if len(row) != len(names):
            raise BenchError(f"{manifest.path}: source.file: {path}: row {number} has {len(row)} values of {len(names)}")
    texts = source.get("texts", [])
    group = source.get("group")
    if group == source["target"]:
        raise BenchError(f'{manifest.path}: source.group: "{group}" is the target')
    for field, name in [("target", source["target"]), *([("group", group)] if group else []), *(("texts", text) for text in texts)]:
        if names.count(name) != 1:
            raise BenchError(f'{manifest.path}: source.{field}: {path} has {names.count(name) or "no"} column{"s" * (name in names)} "{name}"')
    if len(set(names)) < len(names):
        raise BenchError(f"{manifest.path}: source.file: {path}: a column stands there twice: {', '.join(names)}")
    columns = {}
    groups = None
    for place, name in enumerate(names):
        values = [row[place] for row in rows]
        if name == group:
            known = {value: number for number, value in enumerate(dict.fromkeys(values))}
            groups = [known[value] for value in values]
        elif name in texts and name == source["target"]:
            columns[name] = numpy.array(values, object)
        elif name in texts:
            columns[name] = numpy.array([value or None for value in values], object)
        else:
            try:
                columns[name] = numpy.array([float(value) if value else numpy.nan for value in values])
            except ValueError:
                raise BenchError(f'{manifest.path}: {path}: column "{name}" is no numbers: name it in source.texts') from None
    target = columns.pop(source["target"])
    return Data(columns, columns.values(), target, groups=groups)


def file_of(manifest, field, name):
    """(path, content) of a file that a manifest names."""
    path = manifest.folder / name
    try:
        if path.exists() and not path.is_file():
            raise BenchError(f"{manifest.path}: {field}: {path} is no file")
        return path, path.read_bytes()
    except OSError as error:
        raise BenchError(f"{manifest.path}: {field}: {path}: {error.strerror}") from None


def checked(manifest, data):
    """The data, if tables and models can be made of them."""
    def wrong(text):
        raise BenchError(f"{manifest.path}: source: {text}")

    for name in data.names:
        if not isinstance(name, str) or not NAME.fullmatch(name):
            wrong(f"a column has the name {name!r}: a name is of letters, digits and _")
    known = [name.lower() for name in [*data.names, manifest.get("key", "id")]]
    twice = sorted({name for name in known if known.count(name) > 1})
    if twice:
        wrong(f"columns and the key have one name in SQL: {', '.join(twice)}")
    if len(data.names) != len(data.columns):
        wrong(f"{len(data.names)} names of {len(data.columns)} columns")
    if data.target.ndim != 1 or not data.rows:
        wrong(f"there are no rows: the target has the shape {data.target.shape}")
    if manifest.get("rows", data.rows) != data.rows:
        raise BenchError(f"{manifest.path}: rows: there are {data.rows:,}, not {manifest['rows']:,}")
    if data.groups is not None:
        if data.groups.shape != data.target.shape:
            wrong(f"the groups have the shape {data.groups.shape}, and the target {data.target.shape}")
        if len(set(data.groups.tolist())) != 1 + int((data.groups[1:] != data.groups[:-1]).sum()):
            wrong("the rows of a group do not stand together")
    if not numpy.isfinite(data.target).all():
        wrong("the target has values that are missing or infinite")
    for name, column in zip(data.names, data.columns):
        if column.shape != data.target.shape:
            wrong(f'the column "{name}" has the shape {column.shape}, and the target {data.target.shape}')
        if column.dtype == object and not all(value is None or isinstance(value, str) for value in column.tolist()):
            wrong(f'the column "{name}" has objects that are no texts; numbers are an array of numbers')
    return data


def make(manifest):
    """(training rows, evaluation rows)"""
    source = manifest["source"]
    data = checked(manifest, (_from_sklearn if "sklearn" in source else _from_generator if "generator" in source else _from_file)(manifest))
    if manifest.get("float32"):
        data.columns = [c if c.dtype == object else c.astype(numpy.float32).astype(float) for c in data.columns]
    split = manifest.get("split")
    if not split:
        return data, data
    from sklearn.model_selection import train_test_split

    # A group of rows that are ranked is whole, on one side.
    units = numpy.arange(data.rows) if data.groups is None else numpy.unique(data.groups)
    try:
        if split.get("stratify") and data.groups is not None:
            raise ValueError("stratify: groups have no class")
        train, test = train_test_split(units, test_size=split["test_size"], train_size=split.get("train_size"), random_state=split["random_state"],
                                       stratify=data.target if split.get("stratify") else None)
    except ValueError as error:
        raise BenchError(f"{manifest.path}: split: {error}") from None
    if data.groups is not None:
        train, test = (numpy.flatnonzero(numpy.isin(data.groups, side)) for side in (train, test))
    return data.take(train), data.take(test)


def save(folder, data):
    folder.mkdir(parents=True)
    numbers = [column for column in data.columns if column.dtype != object]
    numpy.save(folder / "numbers.npy", numpy.array(numbers, float).reshape(len(numbers), data.rows))
    numpy.save(folder / "target.npy", data.target)
    if data.groups is not None:
        numpy.save(folder / "groups.npy", data.groups)
    texts = {name: column.tolist() for name, column in zip(data.names, data.columns) if column.dtype == object}
    (folder / "columns.json").write_text(json.dumps({"names": data.names, "texts": texts, "classes": data.classes}))


def load(folder):
    with kept(folder / "columns.json") as path:
        about = json.loads(path.read_text())
        names, texts, classes = list(about["names"]), dict(about["texts"]), about.get("classes")
    with kept(folder / "numbers.npy") as path:
        numbers = dict(zip((name for name in names if name not in texts), numpy.load(path, mmap_mode="r"), strict=True))
    groups = None
    if (folder / "groups.npy").exists():
        with kept(folder / "groups.npy") as path:
            groups = numpy.load(path)
    with kept(folder / "target.npy") as path:
        return Data(names, [numpy.array(texts[name], object) if name in texts else numbers[name] for name in names], numpy.load(path), classes, groups)


@contextlib.contextmanager
def kept(path):
    """Reads a file of the cache. One that is damaged is named, with what to do: nobody else can have made it."""
    try:
        yield path
    except (OSError, ValueError, EOFError, LookupError, TypeError, AttributeError, RecursionError) as error:
        entry = next((folder for folder in path.parents if folder.parent.name in ("datasets", "models")), path.parent)
        raise BenchError(f"{path}: this file of the cache is damaged ({type(error).__name__}): remove {entry}, and it is made anew") from None


def digest_of(folder):
    """The digest of the rows of a data set in the cache."""
    with kept(folder / "digest") as path:
        text = path.read_text()
        if not re.fullmatch("[0-9a-f]{64}", text):
            raise ValueError
        return text


def put(folder, write):
    """Makes a folder whole or not at all, which all may read that may read the folder around it: PostgreSQL's server does. Another
    process may make the same one: the first that is whole stays."""
    folder = pathlib.Path(folder)
    folder.parent.mkdir(parents=True, exist_ok=True)
    making = pathlib.Path(tempfile.mkdtemp(prefix=f"{folder.name}.", suffix=".making", dir=folder.parent))
    making.chmod(folder.parent.stat().st_mode & 0o777)
    try:
        write(making)
        try:
            making.rename(folder)
        except OSError:
            if not folder.is_dir():
                raise
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
