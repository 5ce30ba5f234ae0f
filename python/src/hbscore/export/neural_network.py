"""Multi-layer perceptrons: linear operators with a link between them."""

from __future__ import annotations

import numpy as np

from hbscore.export.document import array
from hbscore.export.fitted import Fitted
from hbscore.export.graph import Graph, Result, Value
from hbscore.export.heads import flags
from hbscore.export.registry import exporter

#: By scikit-learn's name of an activation: the link's.
HIDDEN = {"identity": "", "logistic": "sigmoid", "tanh": "tanh", "relu": "relu"}
OUTPUTS = {"identity": "", "exp": "exp", "logistic": "sigmoid", "softmax": "softmax"}


def activate(graph: Graph, x: Value, link: str) -> Value:
    return graph.floats("link", x, x.width, kind=link) if link else x


def layer(f: Fitted, graph: Graph, x: Value, coef: np.ndarray, intercept: np.ndarray) -> Value:
    weights = f.checked("coefs_", coef, [x.width, -1])
    bias = f.checked("intercepts_", intercept, [weights.shape[1]])
    fields = {"coef": array(weights.T, "f8"), "intercept": array(bias, "f8")}
    return graph.floats("linear", x, weights.shape[1], **fields)


def forward(f: Fitted, graph: Graph, x: Value) -> Value:
    """All layers, and the output's activation."""
    coefs, intercepts = f.children("coefs_"), f.children("intercepts_")
    hidden = HIDDEN[f.one_of("activation", *HIDDEN)]
    output = OUTPUTS[f.one_of("out_activation_", *OUTPUTS)]
    if len(coefs) != len(intercepts):
        raise f.error("has %d layers and intercepts of %d" % (len(coefs), len(intercepts)))
    for k, (coef, intercept) in enumerate(zip(coefs, intercepts)):
        last = k == len(coefs) - 1
        x = activate(graph, layer(f, graph, x, coef, intercept), output if last else hidden)
    return x


@exporter("neural_network", "MLPRegressor")
def regressor(f: Fitted, graph: Graph, x: Value) -> Result:
    return Result("regressor", forward(f, graph, x))


@exporter("neural_network", "MLPClassifier")
def classifier(f: Fitted, graph: Graph, x: Value) -> Result:
    """It has no raw scores. Labels are made back of the outputs: above a half, or the largest."""
    kind = getattr(f.get("_label_binarizer"), "y_type_", None)
    if kind not in ("binary", "multiclass", "multilabel-indicator"):
        raise f.error("with labels of the kind %s is not supported" % kind)
    proba = forward(f, graph, x)
    if kind == "multilabel-indicator":
        return flags(graph, None, proba, proba, 0.5)
    classes = f.classes(max(2, proba.width))
    rule = "half" if kind == "binary" else "argmax_proba"
    return Result("classifier", graph.add("head", [proba], [], rule=rule), classes)


@exporter("neural_network", "BernoulliRBM")
def boltzmann(f: Fitted, graph: Graph, x: Value) -> Result:
    """How likely each hidden unit is."""
    weights = f.numbers("components_", -1, x.width)
    hidden = layer(f, graph, x, weights.T, f.get("intercept_hidden_"))
    return Result("transformer", activate(graph, hidden, "sigmoid"))
