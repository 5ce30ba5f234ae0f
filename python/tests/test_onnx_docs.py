"""The Python of docs/onnx.md: from scikit-learn, LightGBM and PyTorch to SQL. That of PyTorch is run where it is
installed."""

from __future__ import annotations

import os
import tempfile
import unittest
import warnings
from typing import Any, Dict

import lightgbm
import numpy
import pandas
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import hbscore
from support import ROOT, connect_sqlite3

PAGE = (ROOT / "docs" / "onnx.md").read_text(encoding="utf-8")


def blocks() -> Dict[str, str]:
    """The first block of Python of each section."""
    found = {}
    for section in PAGE.split("\n## ")[1:]:
        title, _, body = section.partition("\n")
        _, begin, code = body.partition("```python\n")
        if begin:
            found[title] = code.partition("```")[0]
    return found


BLOCKS = blocks()


def customers() -> pandas.DataFrame:
    random = numpy.random.default_rng(1)
    numbers = numpy.round(random.normal(size=(200, 2)), 3).astype("float32")
    return pandas.DataFrame({"tenure": numbers[:, 0], "fee": numbers[:, 1]})


class Page(unittest.TestCase):
    def setUp(self) -> None:
        self.table = customers()
        self.connection = connect_sqlite3()
        self.connection.execute("CREATE TABLE customers (tenure REAL, fee REAL)")
        self.connection.executemany(
            "INSERT INTO customers VALUES (?, ?)", [tuple(map(float, row)) for row in self.table.to_numpy()]
        )
        self.y = (self.table["tenure"] + self.table["fee"] > 0).to_numpy().astype(int)
        self.X = self.table.to_numpy()

    def run_block(self, title: str, **names: Any) -> Dict[str, Any]:
        names.update(connection=self.connection, X=self.X, hbscore=hbscore)
        before = os.getcwd()
        with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            os.chdir(folder)
            try:
                exec(compile(BLOCKS[title], title, "exec"), names)
            finally:
                os.chdir(before)
        return names

    def answers(self, sql: str) -> Any:
        return [row[0] for row in self.connection.execute(sql)]

    def test_scikit_learn(self) -> None:
        pipeline = make_pipeline(StandardScaler(), LogisticRegression()).fit(self.X, self.y)
        self.run_block("From scikit-learn to SQL", pipeline=pipeline)
        found = self.answers("SELECT predict('churn', tenure, fee) FROM customers")
        self.assertEqual(found, pipeline.predict(self.X).tolist())

    def test_texts(self) -> None:
        frame = pandas.DataFrame(
            {
                "age": self.X[:, 0],
                "fee": self.X[:, 1],
                "plan": numpy.where(self.y == 1, "gold", "café"),
                "city": numpy.where(self.X[:, 1] > 0, "x", "y"),
            }
        )
        encoder = OneHotEncoder(handle_unknown="ignore")
        columns = make_column_transformer((StandardScaler(), ["age", "fee"]), (encoder, ["plan", "city"]))
        pipeline = make_pipeline(columns, LogisticRegression()).fit(frame, self.y)
        names = self.run_block("From a pipeline with texts to SQL", pipeline=pipeline)
        hbscore.register(self.connection, "plans", names["onnx"].SerializeToString())
        rows = frame.astype(object).to_numpy().tolist()
        found = [self.connection.execute("SELECT predict('plans', ?, ?, ?, ?)", row).fetchone()[0] for row in rows]
        self.assertEqual(found, pipeline.predict(frame).tolist())

    def test_lightgbm(self) -> None:
        booster = lightgbm.LGBMClassifier(n_estimators=5, verbosity=-1).fit(self.X, self.y)
        self.run_block("From LightGBM to SQL", booster=booster)
        found = self.answers("SELECT predict('boosted', tenure, fee) FROM customers")
        self.assertEqual(found, booster.predict(self.X).tolist())

    def test_pytorch(self) -> None:
        try:
            import torch
        except ImportError:
            self.skipTest("PyTorch is not installed")
        torch.manual_seed(1)
        net = torch.nn.Sequential(torch.nn.Linear(2, 5), torch.nn.ReLU(), torch.nn.Linear(5, 3), torch.nn.Softmax(1))
        self.run_block("From PyTorch to SQL", net=net)
        found = self.answers("SELECT predict_values('net', tenure, fee) FROM customers")
        wanted = net(torch.tensor(self.X)).detach().numpy()
        for text, row in zip(found, wanted):
            numpy.testing.assert_allclose([float(v) for v in text.strip("[]").split(",")], row, rtol=1e-5)


if __name__ == "__main__":
    unittest.main()
