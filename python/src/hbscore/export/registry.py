"""The table of exporters: which function writes which class of scikit-learn.

An exporter is a function of the fitted estimator, the graph and the value that the estimator gets;
it adds operators and says what comes out. A new one is such a function under @exporter, with the
class by its public name."""

from __future__ import annotations

import sys
from typing import Any, Callable, Dict, Optional

from hbscore.export.fitted import Fitted, in_words
from hbscore.export.graph import Graph, Result, Value

Exporter = Callable[[Fitted, Graph, Value], Result]

#: By public name without `sklearn.`: "preprocessing.StandardScaler".
EXPORTERS: Dict[str, Exporter] = {}


#: Estimators that may get columns of texts: what encodes or fills them, and what holds others.
TAKES_TEXTS = {
    "ColumnTransformer",
    "FeatureUnion",
    "FunctionTransformer",
    "GridSearchCV",
    "OneHotEncoder",
    "OrdinalEncoder",
    "Pipeline",
    "RandomizedSearchCV",
    "SimpleImputer",
}


def exporter(module: str, *names: str) -> Callable[[Exporter], Exporter]:
    def add(function: Exporter) -> Exporter:
        for name in names:
            EXPORTERS["%s.%s" % (module, name)] = function
        return function

    return add


def find(model: Any) -> Optional[Exporter]:
    """By the exact class: a subclass may do anything."""
    kind = type(model)
    for name, function in EXPORTERS.items():
        module, _, attribute = name.rpartition(".")
        if attribute == kind.__name__:
            if getattr(sys.modules.get("sklearn." + module), attribute, None) is kind:
                return function
    return None


def check_estimator(model: Any, path: str) -> None:
    if isinstance(model, type) or not hasattr(model, "get_params"):
        raise in_words(path, "%r is not a fitted model that hbscore knows" % (model,))


def run(model: Any, path: str, graph: Graph, x: Value) -> Result:
    """Exports one estimator, whatever it is."""
    fitted = Fitted(model, path)
    function = find(model)
    check_estimator(model, path)
    if function is None:
        raise fitted.error("of %s is not supported" % type(model).__module__)
    if x.width == 0:
        raise fitted.error("gets no columns")
    if type(model).__name__ not in TAKES_TEXTS and any(graph.is_text(x, j) for j in range(x.width)):
        raise fitted.error("gets texts, which only an encoder or an imputer takes")
    width = getattr(model, "n_features_in_", x.width)
    if width != x.width:
        raise fitted.error("was fitted with %s columns and gets %d" % (width, x.width))
    return function(fitted, graph, x)


def transform(model: Any, path: str, graph: Graph, x: Value) -> Value:
    """Exports an estimator whose transform() is followed by others."""
    result = run(model, path, graph, x)
    if result.task != "transformer":
        raise Fitted(model, path).error("has no transform")
    return result.value
