"""kernels_data.py - the made tables that models are trained on and asked about: a seeded generator with the structure
of real tables (correlated measurements, amounts, counts, codes, flags), so that trees have the cuts, the shapes and the
uneven branches of trained ones. float32, no row twice."""

from __future__ import annotations

import pathlib
from typing import Any, Tuple

import numpy as np

SEED = 20260101
BLOCK = 16_384  # rows that are made at once, so that a longer table begins with the shorter one
CLASSES = 7
CATEGORIES = {20: 60, 23: 24, 24: 7}  # of the table "categories": feature and how many codes it has
TABLES = {"plain": 28, "missing": 28, "categories": 28, "wide90": 90, "wide2000": 2000}


def generator(*key: int) -> np.random.Generator:
    return np.random.default_rng([SEED, *key])


def mixed_block(random: np.random.Generator, rows: int) -> np.ndarray:
    """12 correlated measurements, 5 amounts, 4 counts, 2 shares, hour, weekday, flag, age, a heavy tail."""
    weights = generator(1).normal(size=(6, 12))
    hidden = random.normal(size=(rows, 6))
    level = np.exp(0.4 * hidden[:, :1])
    return np.concatenate(
        [
            hidden @ weights + random.normal(size=(rows, 12)),
            np.round(np.exp(random.normal(3, 1, (rows, 5)) + 0.3 * hidden[:, 1:2]), 2),
            random.poisson(np.array([1, 3, 10, 40]) * level),
            random.beta(2, 5, (rows, 2)),
            random.integers(0, 24, (rows, 1)),
            random.integers(0, 7, (rows, 1)),
            random.random((rows, 1)) < 0.1,
            random.integers(18, 91, (rows, 1)),
            random.standard_t(3, (rows, 1)),
        ],
        axis=1,
    )


def wide_block(random: np.random.Generator, rows: int, features: int) -> np.ndarray:
    """Measurements that hang together; of 2,000, rows of length 1, as in the table Epsilon."""
    weights = generator(2, features).normal(size=(20, features))
    x = random.normal(size=(rows, 20)) @ weights * 0.3 + random.normal(size=(rows, features))
    return x / np.linalg.norm(x, axis=1, keepdims=True) if features == 2000 else x * np.exp(weights[0])


def block(table: str, stream: int, number: int) -> np.ndarray:
    random = generator(3, stream, number)
    features, rows = TABLES[table], BLOCK
    x = mixed_block(random, rows) if features == 28 else wide_block(random, rows, features)
    if table == "categories":
        for j, codes in CATEGORIES.items():
            if j == 20:  # some codes are frequent, most are rare
                x[:, j] = np.minimum(random.zipf(1.4, rows) - 1, 1e6) % codes
            else:
                x[:, j] = random.integers(0, codes, rows)
    if table == "missing":
        holes = random.random((rows, 10)) < 0.05 + 0.3 * (x[:, :1] > 1)
        x[:, 5:15][holes] = np.nan
    return x.astype(np.float32)


def rows_of(table: str, stream: int, rows: int) -> np.ndarray:
    """Stream 0 is trained on, stream 1 is scored."""
    parts = [block(table, stream, i)[: rows - i * BLOCK] for i in range((rows + BLOCK - 1) // BLOCK)]
    return np.concatenate(parts)


def score_of(x: np.ndarray, key: int) -> np.ndarray:
    """What the target hangs on: many features, not only as a sum."""
    random = generator(4, key)
    z = np.nan_to_num((x - np.nanmean(x, axis=0)) / (np.nanstd(x, axis=0) + 1e-9), nan=0.7)
    z = np.clip(z, -3, 3)
    y = z @ (random.normal(size=z.shape[1]) / np.sqrt(z.shape[1] / 28))
    y += 2 * z[:, 0] * z[:, 1] + np.sin(3 * z[:, 2]) * z[:, 3] * 2 + np.abs(z[:, 4]) * z[:, 5]
    y += 2 * (z[:, 13] > 0.5) * z[:, 6] - 3 * (z[:, 20] > 0.2) * (z[:, 24] < 0) + np.cos(z[:, 23] * 2) * z[:, 7]
    return y


def trained_on(table: str, rows: int, classes: int) -> Tuple[np.ndarray, np.ndarray]:
    """Rows and their labels, with noise."""
    x = rows_of(table, 0, rows)
    noise = generator(5)
    if classes == 2:
        y = score_of(x, 0)
        return x, (y + np.std(y) * 0.5 * noise.normal(size=rows) > np.median(y)).astype(np.int32)
    scores = np.stack([score_of(x, k) for k in range(classes)], axis=1)
    return x, np.argmax(scores + 2 * noise.gumbel(size=scores.shape), axis=1).astype(np.int32)


def scored(folder: pathlib.Path, table: str, rows: int) -> Any:
    """The rows that are asked about, made once: a file that is mapped."""
    path = folder / ("%s_%d.npy" % (table, rows))
    if not path.exists():
        made = folder / "made.npy"
        np.save(made, rows_of(table, 1, rows))
        made.rename(path)
    return np.load(path, mmap_mode="r")
