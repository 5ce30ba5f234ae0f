"""postgres_data.py - what the PostgreSQL benchmark scores: the table t of 28 float4 columns, for scan_models.py's models,
and the table p of 8 numbers and 4 texts, for a pipeline of scikit-learn's; and how their rows come and go by COPY.
"""

import itertools
import json
import pathlib

import hbscore
import joblib
import numpy
import pandas
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import scan_models

CHUNK = 10_000
COPY_HEADER = b"PGCOPY\n\xff\r\n\0" + bytes(8)
COPY_END = b"\xff\xff"

NUMBERS = [f"n{i}" for i in range(8)]
TEXTS = {"region": ["north", "south", "east", "west", "overseas"],
         "plan": ["basic", "standard", "premium"],
         "device": ["phone", "tablet", "desktop", "television", "console", "other"],
         "channel": ["web", "shop", "partner", "telephone"]}
PIPELINE_ROWS = 50_000


class Numbers:
    """The table t."""

    name = "t"
    columns = scan_models.COLUMNS
    types = ["float4"] * scan_models.FEATURES
    total = " + ".join(scan_models.COLUMNS)
    cells = numpy.dtype([("length", ">i4"), ("value", ">f4")])
    row = numpy.dtype([("columns", ">i2"), ("id_length", ">i4"), ("id", ">i4"), ("cells", cells, scan_models.FEATURES)])

    def load(self, copy, rows):
        copy.write(COPY_HEADER)
        first = 1
        for x in scan_models.table_blocks(rows):
            records = numpy.zeros(len(x), self.row)
            records["columns"], records["id_length"] = 1 + scan_models.FEATURES, 4
            records["id"] = numpy.arange(first, first + len(x))
            records["cells"]["length"], records["cells"]["value"] = 4, x
            copy.write(records.tobytes())
            first += len(x)
        copy.write(COPY_END)

    def from_copy(self, copy):
        """Chunks of ids and rows. A message is a row, the first with the header before it; no column is NULL."""
        messages, skipped = iter(copy), len(COPY_HEADER)
        while chunk := list(itertools.islice(messages, CHUNK)):
            data = b"".join(chunk)
            count = (len(data) - skipped) // self.row.itemsize
            records = numpy.frombuffer(data, self.row, count, skipped)
            skipped = 0
            if count:
                yield records["id"].astype(numpy.int32), records["cells"]["value"].astype(numpy.float32)

    @staticmethod
    def from_tuples(tuples):
        width = 1 + scan_models.FEATURES
        cells = numpy.fromiter(itertools.chain.from_iterable(tuples), float, len(tuples) * width).reshape(-1, width)
        return cells[:, 0].astype(numpy.int32), cells[:, 1:].astype(numpy.float32)


class Mixed:
    """The table p."""

    name = "p"
    columns = [*NUMBERS, *TEXTS]
    types = ["float8"] * len(NUMBERS) + ["text"] * len(TEXTS)
    total = " + ".join(NUMBERS + [f"length({name})" for name in TEXTS])

    @staticmethod
    def frames(stream, rows):
        for number, start in enumerate(range(0, rows, scan_models.BLOCK)):
            n = min(scan_models.BLOCK, rows - start)
            random = numpy.random.default_rng([scan_models.SEED, 10 + stream, number])
            x = random.normal(size=(n, len(NUMBERS)))
            texts = {name: numpy.array(values, object)[random.integers(len(values), size=n)] for name, values in TEXTS.items()}
            yield pandas.DataFrame({**{name: x[:, i] for i, name in enumerate(NUMBERS)}, **texts})

    def load(self, copy, rows):
        copy.set_types(["int4", *self.types])
        first = itertools.count(1)
        for frame in self.frames(0, rows):
            for row in zip(*(frame[name].tolist() for name in self.columns)):
                copy.write_row((next(first), *row))

    def from_copy(self, copy):
        copy.set_types(["int4", *self.types])
        rows = copy.rows()
        while chunk := list(itertools.islice(rows, CHUNK)):
            yield self.from_tuples(chunk)

    def from_tuples(self, tuples):
        ids, *columns = zip(*tuples)
        return numpy.array(ids, numpy.int32), pandas.DataFrame(dict(zip(self.columns, columns)))


class Booster(scan_models.Model):
    table = Numbers()


class Pipeline:
    """Scaled numbers and texts as columns of 0 and 1, into 100 boosted trees."""

    name, title = "pipeline", "scikit-learn, a pipeline with 4 columns of texts"
    table = Mixed()

    def __init__(self, folder):
        self.path = folder / "pipeline.json"
        self.library_path = self.path.with_suffix(".joblib")
        made_by, this = folder / "pipeline_made_by.py", pathlib.Path(__file__).read_bytes()
        if not made_by.exists() or made_by.read_bytes() != this:
            print(f"training: {self.title}", flush=True)
            self.train()
            made_by.write_bytes(this)
        self.predict = joblib.load(self.library_path).predict

    def predict_row(self, *values):
        return float(self.predict(pandas.DataFrame([values], columns=self.table.columns))[0])

    @staticmethod
    def target(frame):
        x = frame[NUMBERS].to_numpy()
        codes = {name: frame[name].map({value: i for i, value in enumerate(values)}) for name, values in TEXTS.items()}
        return (100 + x[:, 0] * (codes["region"] - 2) + 2 * numpy.abs(x[:, 1]) * (codes["plan"] == 2) + x[:, 2] * x[:, 3]
                + numpy.sin(codes["device"] + x[:, 4]) + (codes["channel"] == 1) * x[:, 5])

    def train(self):
        frame = pandas.concat(self.table.frames(1, PIPELINE_ROWS))
        pipeline = make_pipeline(
            make_column_transformer((StandardScaler(), NUMBERS), (OneHotEncoder(sparse_output=False), list(TEXTS))),
            HistGradientBoostingRegressor(max_iter=100, max_leaf_nodes=31, early_stopping=False, random_state=1))
        pipeline.fit(frame, self.target(frame))
        joblib.dump(pipeline, self.library_path)
        self.path.write_bytes(hbscore.export(pipeline, frame.head(10)))


def case_expression(booster):
    """An XGBoost model in SQL, in float4 as the library computes: the base score, and the trees in their order."""
    document = json.loads(booster.save_raw("json"))["learner"]
    base = json.loads(document["learner_model_param"]["base_score"])
    trees = document["gradient_booster"]["model"]["trees"]
    return " + ".join([literal(base[0] if isinstance(base, list) else base), *map(case_of_tree, trees)])


def literal(number):
    return f"'{numpy.float32(number)!s}'::float4"


def case_of_tree(tree):
    """Children stand behind their parents, so from the last node on each finds its own ready."""
    words = [None] * len(tree["left_children"])
    for node in reversed(range(len(words))):
        left, right, value = tree["left_children"][node], tree["right_children"][node], literal(tree["split_conditions"][node])
        if left < 0:
            words[node] = value
        else:
            words[node] = f"CASE WHEN f{tree['split_indices'][node]} < {value} THEN {words[left]} ELSE {words[right]} END"
    return f"({words[0]})"


def make_models(folder, names):
    """In the order of NAMES; what is not there yet is trained."""
    scan_models.train(folder, [name for name in names if name != Pipeline.name])
    return [Pipeline(folder) if name == Pipeline.name else Booster(folder, name) for name in names]


NAMES = ["xgboost_100x6", "xgboost_500x8", "pipeline", "xgboost_10x4"]
