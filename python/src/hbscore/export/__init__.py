"""hbscore.export: a fitted model as the bytes of a file that hbscore reads.

Models of XGBoost, LightGBM and CatBoost travel as their library's own file; scikit-learn's estimators and
pipelines are written in hbscore's own format: every double exact, but for thresholds of trees that compare
float32, which are rounded so that no decision changes. No library is imported here: the object brings its own."""

from __future__ import annotations

from typing import Any

from ..errors import InvalidValue
from ..libraries import fitted as library_model
from ..progress import Choice, Told, shown
from . import (  # noqa: F401  (they fill the table)
    adaboost,
    boosting,
    category_encoders,
    clusters,
    compose,
    cross_decomposition,
    decomposition,
    dictionaries,
    discriminant,
    dummy,
    embedding,
    encoders,
    expand,
    gaussian_process,
    hist_boosting,
    imputers,
    isotonic,
    kernel_maps,
    labels,
    linear,
    manifold,
    mixtures,
    multiclass,
    multioutput,
    naive_bayes,
    neighbors,
    neural_network,
    nmf,
    numeric,
    outliers,
    powers,
    propagation,
    quantiles,
    sparse_coding,
    splines,
    svm,
    target,
    target_encoders,
    text,
    topics,
    trees,
    voting,
    wrappers,
)
from .compose import MOST_TRANSFORMED
from .document import encode
from .errors import ExportError
from .features import entries, read_features
from .graph import Graph
from .registry import EXPORTERS, check_estimator, run

__all__ = ["EXPORTERS", "ExportError", "export"]


def export(model: Any, feature_names: Any = None, progress: Choice = None) -> bytes:
    """The bytes of a model file.

    model: a fitted object of XGBoost, LightGBM or CatBoost, or any fitted estimator of scikit-learn in
    the table EXPORTERS, or a Pipeline of them. The labels of a classifier of the boosting libraries may
    not be in these bytes (LightGBM's never are): `hbscore.register` takes the object itself and hands
    them over as an option.
    feature_names: of a scikit-learn model its names in their order, if it was not fitted on a DataFrame;
    or the DataFrame or matrix that it was fitted on (or a part of it), whose types count too. Without
    them numbers are float64.
    progress: as of `hbscore.register`. Forests of many trees take long.

    The answers of the file are those of the library that holds the model. Raises ExportError (an
    UnsupportedModel), which names the estimator and its place in the pipeline, for what hbscore cannot
    score; InvalidValue where `feature_names` are given for a file that is the library's own."""
    own = library_model(model)
    if own is not None:
        if feature_names is not None:
            raise InvalidValue(
                "a library's own file has its own feature names: give others by the option `features`"
            )
        return own.file()
    with shown(progress, f"hbscore: {type(model).__name__}") as told:
        return _own_format(model, feature_names, told)


def _own_format(model: Any, feature_names: Any, told: Told) -> bytes:
    check_estimator(model, "")
    names, columns = read_features(model, feature_names)
    graph = Graph([c.type for c in columns], told, columns)
    result = run(model, "", graph, graph.table)
    transform = graph.transform
    graph.refuse_unread(result.value)
    if result.task == "transformer":
        if graph.has_text(result.value):
            raise ExportError("%s gives texts: transform() gives numbers" % type(model).__name__)
        if result.value.width > MOST_TRANSFORMED:
            raise ExportError(
                "%s gives %d columns: transform() gives at most %d"
                % (type(model).__name__, result.value.width, MOST_TRANSFORMED)
            )
        transform = (result.value if graph.ops else graph.same(result.value)).number
    return encode(result.task, entries(names, columns, graph.texts), result.classes, result.outputs, transform, graph.ops)
