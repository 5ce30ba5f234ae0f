"""Several targets with target statistics (ctr), and sums of models with them.

Training counts categories for each target, but a JSON file names tables by their features and type
of ctr alone: of several tables of one name it holds the last."""

from __future__ import annotations

import json
import tempfile
from typing import Any, Callable, Dict, List, Tuple

import numpy as np

from golden_catboost_cases_features import ctr
from golden_catboost_models import SINCE_1, Library, Trained, case, mixed
from golden_tables import ACCENTS, WORDS, Column, Table

# Scored -------------------------------------------------------------------------------------


def halves(t: Table) -> np.ndarray:
    """Two labels, each of half of the rows."""
    y = t.y_many(2)
    return (y > np.median(y, axis=0)).astype(int)


def tables_read(m: Any) -> List[int]:
    """How many ctrs read each table of the model's file."""
    ctrs = in_file(m)["features_info"]["ctrs"]
    names = [c["identifier"] for c in ctrs]
    return [names.count(n) for n in dict.fromkeys(names)]


def in_file(m: Any) -> Dict[str, Any]:
    with tempfile.NamedTemporaryFile(suffix=".json") as f:
        m.save_model(f.name, format="json")
        with open(f.name, encoding="utf-8") as text:
            return json.load(text)


@case("values", SINCE_1)
def multi_ctr_once(lib: Library) -> Trained:
    """Each target has counts of its own: the file is whole if each table is that of one ctr."""
    t = mixed(502, [WORDS, ACCENTS], reals=0)
    y = t.y_many(2)
    params = {"loss_function": "MultiRMSE", "iterations": 1, "depth": 2}
    m = ctr(lib, t, y, "Borders:Prior=0.5", "regressor", **params)
    assert tables_read(m) == [1, 1], tables_read(m)
    return Trained(m, t, covers=["ctr=several-targets-once"])


@case("values", SINCE_1)
def multi_ctr_counter(lib: Library) -> Trained:
    """Counters do not look at the targets, so several ctrs may share one."""
    t = mixed(460, [WORDS], reals=1)
    known = t.columns[1].values
    t.columns[1].values = [v if i % 3 else WORDS[i % 2] for i, v in enumerate(known)]
    y = t.y_many(2) + np.array([[t.columns[1].values.count(v) / 40] for v in t.columns[1].values])
    kinds = "Counter:Prior=0.5:Prior=1"
    m = ctr(lib, t, y, kinds, "regressor", loss_function="MultiRMSE", iterations=8)
    assert tables_read(m) == [2], tables_read(m)
    return Trained(m, t, covers=["ctr=several-targets-counter"])


@case("multilabel")
def multi_ctr_one_hot(lib: Library) -> Trained:
    """What the refusal of ctrs of several targets advises."""
    t = mixed(461, [WORDS], reals=0)
    y = halves(t)
    return Trained(lib.classifier(t, y, loss_function="MultiLogloss", one_hot_max_size=10), t)


def summed(lib: Library, seed: int, **more: Any) -> Tuple[Table, Any]:
    t = mixed(seed, [WORDS], reals=0)
    c = t.columns[0]
    few = Column(c.name, c.kind, c.values[:90], categories=c.categories)
    half = Table([few], t.score[:90], named=True, rng=np.random.RandomState(seed))
    parts = [ctr(lib, rows, rows.y_real(), "Borders", "regressor", **more) for rows in (t, half)]
    return t, lib.cb.sum_models(parts)


# Refused ------------------------------------------------------------------------------------

def loses_a_table(lib: Library, m: Any, t: Table) -> None:
    """CatBoost itself gives other answers from the JSON file."""
    pool = lib.pool(t, None)
    with tempfile.NamedTemporaryFile(suffix=".json") as f:
        m.save_model(f.name, format="json")
        read = lib.cb.CatBoost().load_model(f.name, format="json")
    raw = {"prediction_type": "RawFormulaVal"}
    assert np.abs(read.predict(pool, **raw) - m.predict(pool, **raw)).max() > 1e-3


def several_targets(lib: Library, seed: int, loss: str, y: Callable[[Table], np.ndarray]) -> Trained:
    """A table for each target under one name: the file holds that of one target."""
    t = mixed(seed, [WORDS], reals=0)
    m = lib.cb.CatBoost(lib.params(loss_function=loss, one_hot_max_size=1, iterations=2))
    m = lib.fit(m, t, y(t))
    loses_a_table(lib, m, t)
    return Trained(m, t, covers=["refused=ctr-several-targets"])


@case("refused", SINCE_1)
def multi_ctr_rmse(lib: Library) -> Trained:
    return several_targets(lib, 473, "MultiRMSE", lambda t: t.y_many(2))


@case("refused", SINCE_1)
def multi_ctr_logloss(lib: Library) -> Trained:
    return several_targets(lib, 474, "MultiLogloss", halves)


@case("refused", SINCE_1)
def multi_ctr_cross_entropy(lib: Library) -> Trained:
    return several_targets(lib, 475, "MultiCrossEntropy", lambda t: 1 / (1 + np.exp(-t.y_many(2))))


@case("refused")
def multi_ctr_missing(lib: Library) -> Trained:
    return several_targets(lib, 476, "MultiRMSEWithMissingValues", lambda t: t.y_many(2))


@case("refused", SINCE_1)
def multi_ctr_survival(lib: Library) -> Trained:
    """The two ends of an interval are two targets."""

    def ends(t: Table) -> np.ndarray:
        low = t.y_positive()
        return np.stack([low, np.where(t.score > 0, -1.0, low * (1 + (t.score - 1) ** 2))], axis=1)

    return several_targets(lib, 477, "SurvivalAft", ends)


@case("refused")
def summed_ctr(lib: Library) -> Trained:
    """Tables of different models that were merged, or kept apart under one name: the file does not
    say. KeepAllTables makes models that 1.2.10 cannot save as .cbm, so these were merged."""
    t, m = summed(lib, 478, iterations=1)
    return Trained(m, t, covers=["refused=ctr-summed"])


@case("value")
def summed_ctr_merged(lib: Library) -> Trained:
    """A ctr of the trees of both models: their tables were merged."""
    t, m = summed(lib, 480, iterations=4)
    m._estimator_type = "regressor"
    return Trained(m, t, covers=["ctr=summed"], as_written=True)
