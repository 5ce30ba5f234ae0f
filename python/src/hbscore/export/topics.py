"""Latent Dirichlet allocation: how much of each topic a document has."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from hbscore.export.arithmetic import chosen, combined, reduced
from hbscore.export.document import array
from hbscore.export.expand import MOST_COLUMNS, transformed
from hbscore.export.fitted import Fitted
from hbscore.export.graph import FLOAT32, FLOAT64, Graph, Result, Value
from hbscore.export.registry import exporter

MOST_TOPICS = 4096


@exporter("decomposition", "LatentDirichletAllocation")
def latent_dirichlet_allocation(f: Fitted, graph: Graph, x: Value) -> Result:
    """Negative numbers, which the library refuses, have no topics: the guard refuses them."""
    narrow = np.asarray(f.get("components_")).dtype == FLOAT32
    weights = f.numbers("exp_dirichlet_component_", -1, x.width)
    if len(weights) > MOST_TOPICS:
        raise f.error("with %d topics is not supported: at most %d are" % (len(weights), MOST_TOPICS))
    prior = f.number("doc_topic_prior_")
    kind = "f4" if narrow else "f8"
    made = graph.add(
        "topics",
        [graph.check(x, missing=False)],
        [FLOAT32 if narrow else FLOAT64] * len(weights),
        dtype=kind,
        prior=array([np.float32(prior) if narrow else prior], "f8"),
        tolerance=array([f.number("mean_change_tol")], "f8"),
        rounds=int(f.number("max_doc_update_iter")),
        weights=array(weights, kind),
    )
    if prior > 0.0 or x.width > MOST_COLUMNS:
        return transformed(graph.check(graph.guard(made, missing=False), missing=False))
    below = combined(graph, "lt", reduced(graph, "min", x), 0.0)  # a document without words has topics of NaN
    made = replace(chosen(graph, below, np.inf, made), types=made.types)
    return transformed(graph.check(graph.guard(made, missing=True), missing=True))
