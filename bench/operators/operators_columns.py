"""operators_columns.py - what is benchmarked of transformers: encoders, functions of a column, projections, imputers; and
of rows that are wide."""

from __future__ import annotations

import numpy as np
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.decomposition import FactorAnalysis, FastICA, KernelPCA, TruncatedSVD
from sklearn.experimental import enable_iterative_imputer  # noqa: F401
from sklearn.impute import IterativeImputer, KNNImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    OrdinalEncoder,
    PowerTransformer,
    QuantileTransformer,
    SplineTransformer,
    StandardScaler,
    TargetEncoder,
)

from operators_tasks import FEWER, TRAINED_ON, Task, family, spec, widened_iris

# Encoders -------------------------------------------------------------------------------------


def encoder(name: str, made: object) -> None:
    @spec(name)
    def make(_: str, rows: int) -> Task:
        """Three columns of texts, with 4, 20 and 200 values."""
        rng = np.random.RandomState(17)
        frame = pd.DataFrame()
        for j, count in enumerate((4, 20, 200)):
            words = np.array(["kind %03d of %d" % (k, count) for k in range(count)], dtype=object)
            frame["t%d" % j] = words[rng.randint(count, size=min(rows, FEWER))]
        y = (frame["t1"] < "kind 010 of 20") ^ (rng.rand(len(frame)) < 0.2)
        model = make_pipeline(make_column_transformer((made, list(frame))))
        model.fit(frame[:TRAINED_ON], y[:TRAINED_ON])
        return Task(name, name + ", 3 texts of 4, 20, 200 values", "transform", model, frame, by_row_of_sklearn=20)


encoder("OrdinalEncoder", OrdinalEncoder())
encoder("TargetEncoder", TargetEncoder(random_state=1))

# Functions of a column, and projections -------------------------------------------------------

family("PowerTransformer", "PowerTransformer", PowerTransformer(), "transform")
family("QuantileTransformer", "QuantileTransformer, to normal", QuantileTransformer(output_distribution="normal"), "transform")
family("SplineTransformer", "SplineTransformer", SplineTransformer(), "transform")
family("TruncatedSVD", "TruncatedSVD, 10 of 20 columns", TruncatedSVD(10, random_state=1), "transform", dense=True)
family("FastICA", "FastICA, 10 of 20 columns", FastICA(10, random_state=1, max_iter=500), "transform", dense=True)
family("FactorAnalysis", "FactorAnalysis, 10 of 20 columns", FactorAnalysis(10, random_state=1), "transform", dense=True)
family("KernelPCA", "KernelPCA, rbf, 500 rows, 5 columns", KernelPCA(5, kernel="rbf"), "transform", trained_on=500, most=1_000)

# Imputers -------------------------------------------------------------------------------------


def imputer(name: str, title: str, made: object, trained_on: int) -> None:
    @spec(name)
    def make(_: str, rows: int) -> Task:
        """One number of twenty is missing. In float64: which of two rows is nearer turns on the last bits of float32."""
        x, _ = widened_iris(min(rows, FEWER))
        x = x.astype(np.float64)
        x[np.random.RandomState(18).rand(*x.shape) < 0.05] = np.nan
        return Task(name, title, "transform", made.fit(x[:trained_on]), x, by_row_of_sklearn=20, most=1_000)


imputer("KNNImputer", "KNNImputer, 1,000 rows of 20 columns", KNNImputer(), 1_000)
imputer("IterativeImputer", "IterativeImputer, 3 rounds over 20 columns", IterativeImputer(max_iter=3, random_state=1), 2_000)

# Wide rows ------------------------------------------------------------------------------------


@spec("wide_columns")
def wide_columns(name: str, rows: int) -> Task:
    """More than a table of SQLite or PostgreSQL may have; a row is an array there."""
    rng = np.random.RandomState(19)
    x = rng.randn(min(rows, 1_000), 20_000).astype(np.float32)
    y = x[:, :50].sum(axis=1) > 0
    model = make_pipeline(StandardScaler(), LogisticRegression()).fit(x[:200], y[:200])
    title = "StandardScaler + LogisticRegression, 20,000 columns"
    return Task(name, title, "predict_proba", model, x, by_row_of_sklearn=20, in_sql=False)
