"""ONNX files by their path: tensors in a file beside the model are put into it."""

from __future__ import annotations

import os
import sqlite3
import tempfile
import unittest
from pathlib import Path
from typing import Any

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper

import hbscore
from support import ask, connect_sqlite3

WEIGHTS = numpy.arange(8, dtype=numpy.float32).reshape(4, 2)


def linear() -> onnx.ModelProto:
    graph = helper.make_graph(
        [helper.make_node("MatMul", ["X", "W"], ["Y"], name="dense")],
        "net",
        [helper.make_tensor_value_info("X", TensorProto.FLOAT, [None, 4])],
        [helper.make_tensor_value_info("Y", TensorProto.FLOAT, [None, 2])],
        [numpy_helper.from_array(WEIGHTS, "W")],
    )
    return helper.make_model(graph, ir_version=10, opset_imports=[helper.make_opsetid("", 18)])


def save(folder: str, location: str = "net.onnx.data") -> Path:
    path = Path(folder) / "net.onnx"
    onnx.save_model(linear(), path, save_as_external_data=True, location=location, size_threshold=0)
    return path


def scores(connection: Any, name: str) -> Any:
    return ask(connection, "SELECT predict_values(?, 1, 2, 3, 4)", name)


class DataBeside(unittest.TestCase):
    def test_path(self):
        connection = connect_sqlite3()
        with tempfile.TemporaryDirectory() as folder:
            path = save(folder)
            self.assertLess(path.stat().st_size, len(linear().SerializeToString()) + 200)
            hbscore.register(connection, "beside", path)
            lines = hbscore.inspect(connection, path)
        hbscore.register(connection, "inside", linear().SerializeToString())
        self.assertEqual(scores(connection, "beside"), "[40.0,50.0]")
        self.assertEqual(scores(connection, "inside"), "[40.0,50.0]")
        self.assertTrue(any("MatMul" in str(line) for line in lines))

    def test_bytes_alone_are_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            data = save(folder).read_bytes()
        with self.assertRaisesRegex(sqlite3.OperationalError, "external_data=False"):
            hbscore.register(connect_sqlite3(), "net", data)

    def test_data_that_are_not_there(self):
        with tempfile.TemporaryDirectory() as folder:
            path = save(folder)
            os.unlink(path.with_name("net.onnx.data"))
            with self.assertRaisesRegex(hbscore.InvalidValue, "which is not beside the model"):
                hbscore.register(connect_sqlite3(), "net", path)

    def test_data_of_elsewhere_are_not_read(self):
        with tempfile.TemporaryDirectory() as folder:
            secret = Path(folder) / "secret"
            secret.write_bytes(WEIGHTS.tobytes())
            inner = Path(folder) / "inner"
            inner.mkdir()
            path = save(str(inner))
            (inner / "link").symlink_to(secret)
            for location in ("../secret", str(secret), "link", "..", ""):
                with self.subTest(location):
                    model = onnx.load_model(path, load_external_data=False)
                    for entry in model.graph.initializer[0].external_data:
                        if entry.key == "location":
                            entry.value = location
                    path.write_bytes(model.SerializeToString())
                    with self.assertRaisesRegex(hbscore.InvalidValue, "right beside the model"):
                        hbscore.register(connect_sqlite3(), "net", path)

    def test_other_files_stay_as_they_are(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "odd.onnx"
            path.write_bytes(b"\x08location")
            with self.assertRaises(sqlite3.OperationalError):
                hbscore.register(connect_sqlite3(), "odd", path)

    def test_objects_that_are_no_files_are_told_how_to_become_one(self):
        class Network:
            __module__ = "torch.nn.modules.module"

        for model, way in ((linear(), r"register its SerializeToString\(\)"), (Network(), "torch.onnx.export")):
            with self.subTest(way), self.assertRaisesRegex(hbscore.UnsupportedModel, way):
                hbscore.register(connect_sqlite3(), "net", model)


if __name__ == "__main__":
    unittest.main()
