"""operators_ways.py - the ways that are compared: hbscore's core, hbscore in SQLite, scikit-learn, ONNX Runtime.
A way is an object with `time(batch, count)`: nanoseconds of CPU time for about `count` rows in batches of `batch`
distinct rows, and how many rows that were. What is not the way's own work (slicing, conversion) is done before."""

from __future__ import annotations

import json
import pathlib
import sqlite3
import time
from typing import Any, Dict, List, Optional, Tuple

import numpy as np
import onnxruntime
from skl2onnx import to_onnx
from skl2onnx.common.data_types import FloatTensorType, StringTensorType
from sklearn.svm import LinearSVC

import hbscore
from driven import Driven, columns_of, write_rows

MOST_SLICES = 64  # distinct batches of a Python way


def slices_of(data: Any, batch: int) -> List[Any]:
    count = max(1, min(MOST_SLICES, len(data) // batch))
    picked = [slice(i * batch, (i + 1) * batch) for i in range(count)]
    return [data[s] if isinstance(data, np.ndarray) else data.iloc[s] for s in picked]


def timed(function: Any, inputs: List[Any], batch: int, count: int) -> Tuple[int, int]:
    turns = max(1, count // batch)
    begin = time.process_time_ns()
    for i in range(turns):
        function(inputs[i % len(inputs)])
    return time.process_time_ns() - begin, turns * batch


# hbscore ------------------------------------------------------------------------------------


class Core(Driven):
    """`blas`: the library that takes large products, as under dense = blas."""

    def __init__(self, program: str, folder: pathlib.Path, task: Any, blas: str = "") -> None:
        model, rows = folder / (task.name + ".json"), folder / (task.name + ".rows")
        model.write_bytes(hbscore.export(task.model, task.data[:10]))
        if not rows.exists():
            write_rows(rows, task.data)
        self.files = rows.stat().st_size, model.stat().st_size
        super().__init__(folder, [program, model, "{}", rows, task.function] + (["blas=" + blas] if blas else []))

    def memory(self) -> str:
        """The most that the process had at once, in which its rows and the model's file are."""
        status = pathlib.Path("/proc/%d/status" % self.process.pid).read_text()
        most = int(status.split("VmHWM:")[1].split()[0]) * 1024
        return "%.0f MB of memory at most, the file of rows has %.0f MB, the model %.0f MB" % tuple(
            size / 1e6 for size in (most, *self.files)
        )


class Imported(Driven):
    """The core with the file that ONNX Runtime has, of the rows that `Core` has written."""

    def __init__(self, program: str, folder: pathlib.Path, task: Any, file: bytes) -> None:
        model = folder / (task.name + ".onnx")
        model.write_bytes(file)
        function = "predict_values" if task.function == "transform" else task.function
        super().__init__(folder, [program, model, "{}", folder / (task.name + ".rows"), function])


INSERTED = 50_000  # rows at once
SQL_TYPES = {"f": "REAL", "O": "TEXT"}


class Table:
    """The rows in SQLite, in memory, with the model registered beside them."""

    def __init__(self, extension: str, folder: pathlib.Path, task: Any, rows: int) -> None:
        self.rows = min(rows, len(task.data))
        self.function = task.function
        self.connection = sqlite3.connect(":memory:", isolation_level=None)
        self.connection.enable_load_extension(True)
        self.connection.load_extension(extension)
        columns = columns_of(task.data[: self.rows])
        self.names = ", ".join(name for name, _ in columns)
        types = ", ".join("%s %s" % (name, SQL_TYPES[c.dtype.kind]) for name, c in columns)
        self.connection.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, %s)" % types)
        self.connection.execute("BEGIN")
        for first in range(0, self.rows, INSERTED):
            self.insert([c[first : first + INSERTED].tolist() for _, c in columns])
        self.connection.execute("COMMIT")
        self.connection.execute(
            "SELECT hbscore_register('m', ?)", ((folder / (task.name + ".json")).read_bytes(),)
        )

    def insert(self, columns: List[List[Any]]) -> None:
        plain = [[None if v != v else v for v in column] for column in columns]
        marks = ", ".join("?" for _ in columns)
        self.connection.executemany("INSERT INTO t (%s) VALUES (%s)" % (self.names, marks), zip(*plain))

    def run(self, query: str, batch: int, count: int) -> Tuple[int, int]:
        turns = max(1, min(count, 4 * self.rows) // batch)
        begin = time.process_time_ns()
        for i in range(turns):
            first = 1 + i * batch % (self.rows - batch + 1)
            self.connection.execute(query % (first, first + batch - 1)).fetchone()
        return time.process_time_ns() - begin, turns * batch

    def close(self) -> None:
        self.connection.close()


class Call:
    """The plain call over the table. What a list of numbers costs as text is part of it."""

    def __init__(self, table: Table) -> None:
        self.table = table
        call = "%s('m', %s)" % (table.function, table.names)
        self.query = "SELECT count(%s) FROM t WHERE id BETWEEN %%d AND %%d" % call

    def time(self, batch: int, count: int) -> Tuple[int, int]:
        return self.table.run(self.query, batch, count)

    def close(self) -> None:
        self.table.close()


class Scan:
    """hbscore_scan over the same rows: the prediction, or the probability of the predicted class."""

    def __init__(self, table: Table) -> None:
        self.table = table
        answer = "probability" if table.function == "predict_proba" else "prediction"
        rows = "SELECT id, %s FROM t WHERE id BETWEEN %%d AND %%d" % table.names
        self.query = "SELECT count(%s) FROM hbscore_scan('m', '%s')" % (answer, rows)

    def time(self, batch: int, count: int) -> Tuple[int, int]:
        return self.table.run(self.query, batch, count)

    def close(self) -> None:
        pass


# The others ---------------------------------------------------------------------------------


class Sklearn:
    def __init__(self, task: Any) -> None:
        self.task = task
        self.function = getattr(task.model, task.method)
        self.slices: Dict[int, List[Any]] = {}

    def time(self, batch: int, count: int) -> Tuple[int, int]:
        if batch not in self.slices:
            self.slices[batch] = slices_of(self.task.data, batch)
        return timed(self.function, self.slices[batch], batch, count)

    def results(self, count: int) -> np.ndarray:
        made = self.function(self.task.data[:count])
        if self.task.function == "predict" and hasattr(self.task.model, "classes_"):
            made = np.searchsorted(self.task.model.classes_, made)
        made = made.toarray() if hasattr(made, "toarray") else np.asarray(made)
        return made.astype(np.float64).reshape(count, -1)

    def close(self) -> None:
        pass


def onnx_inputs(data: Any) -> List[Tuple[str, Any]]:
    """Numbers are float32: some of the converter's operators exist in no other type."""
    if isinstance(data, np.ndarray):
        return [("x", FloatTensorType([None, data.shape[1]]))]
    kinds = {"f": FloatTensorType, "O": StringTensorType}
    return [(n, kinds[c.dtype.kind]([None, 1])) for n, c in columns_of(data)]


def onnx_column(column: np.ndarray) -> np.ndarray:
    column = column if column.dtype == object else column.astype(np.float32)
    return np.ascontiguousarray(column).reshape(-1, 1)


def vectorizers(model: Any) -> List[Any]:
    """Those of texts in a pipeline, also inside a ColumnTransformer."""
    parts = [p for step in getattr(model, "steps", []) for p in [step[1]] + [t[1] for t in getattr(step[1], "transformers_", [])]]
    return [p for p in parts if type(p).__name__ == "TfidfVectorizer"]


def onnx_graph(model: Any, inputs: List[Tuple[str, Any]]) -> Any:
    """Probabilities as an array, where the converter of a classifier has the choice: LinearSVC's has not."""
    texts = {id(v): {"locale": "C.UTF-8"} for v in vectorizers(model)}  # which any machine has
    choice = hasattr(model, "classes_") and not isinstance(model, LinearSVC)
    arrays = {id(model): {"zipmap": False}} if choice else {}
    return to_onnx(model, initial_types=inputs, options={**arrays, **texts} or None)


class Onnx:
    """The converter's graph, of which only the output is asked for that is compared."""

    def __init__(self, task: Any) -> None:
        self.task = task
        inputs = onnx_inputs(task.data)
        graph = onnx_graph(task.model, inputs)
        settings = onnxruntime.SessionOptions()
        settings.intra_op_num_threads = settings.inter_op_num_threads = 1
        settings.log_severity_level = 4
        self.file = graph.SerializeToString()
        self.session = onnxruntime.InferenceSession(self.file, settings)
        self.inputs = [name for name, _ in inputs]
        outputs = [o.name for o in self.session.get_outputs()]
        self.output = outputs[1 if task.function == "predict_proba" else 0]
        self.feeds: Dict[int, List[Any]] = {}

    def feed(self, part: Any) -> Dict[str, np.ndarray]:
        if isinstance(part, np.ndarray):
            return {"x": np.ascontiguousarray(part, np.float32)}
        return {n: onnx_column(c) for n, c in columns_of(part)}

    def time(self, batch: int, count: int) -> Tuple[int, int]:
        batch = min(batch, self.task.onnx_most or batch)
        if batch not in self.feeds:
            self.feeds[batch] = [self.feed(part) for part in slices_of(self.task.data, batch)]
        return timed(lambda f: self.session.run([self.output], f), self.feeds[batch], batch, count)

    def close(self) -> None:
        pass


def onnx_or_none(task: Any) -> Optional[Onnx]:
    try:
        way = Onnx(task)
        way.time(1, 1)
        return way
    except Exception as e:  # the converter or the runtime cannot do it: said in the table
        print("  ONNX: not possible: %s" % json.dumps(str(e)[:200]))
        return None
