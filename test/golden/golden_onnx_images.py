"""A network of images and a forest of what it makes of them, in one graph: features of convolutions by seeded weights, trees
that scikit-learn trained on them."""

from __future__ import annotations

from typing import Any, List

import numpy as np
import onnxruntime
from onnx import TensorProto, compose, helper, numpy_helper
from skl2onnx import to_onnx
from sklearn.datasets import load_digits
from sklearn.ensemble import RandomForestClassifier

from golden_onnx_cases import Trained, case
from golden_tables import Column, Table

OPSETS = {"": 18, "ai.onnx.ml": 3}


def network(random: np.random.RandomState) -> Any:
    """[N, 64] to [N, 8]."""
    weights: List[Any] = []

    def constant(name: str, values: Any) -> str:
        weights.append(numpy_helper.from_array(values, name))
        return name

    def drawn(name: str, *shape: int) -> str:
        return constant(name, (random.randn(*shape) / np.sqrt(np.prod(shape[1:]))).astype(np.float32))

    nodes = [
        helper.make_node("Reshape", ["image", constant("shape", np.array([-1, 1, 8, 8]))], ["x0"]),
        helper.make_node("Conv", ["x0", drawn("w1", 6, 1, 3, 3), drawn("b1", 6)], ["x1"], auto_pad="SAME_UPPER"),
        helper.make_node("Relu", ["x1"], ["x2"]),
        helper.make_node("MaxPool", ["x2"], ["x3"], kernel_shape=[2, 2], strides=[2, 2]),
        helper.make_node("Conv", ["x3", drawn("w2", 8, 3, 3, 3)], ["x4"], group=2, pads=[1, 0, 1, 0]),
        helper.make_node("Relu", ["x4"], ["x5"]),
        helper.make_node("GlobalAveragePool", ["x5"], ["x6"]),
        helper.make_node("Flatten", ["x6"], ["features"]),
    ]
    ends = [helper.make_tensor_value_info(n, TensorProto.FLOAT, [None, w]) for n, w in (("image", 64), ("features", 8))]
    graph = helper.make_graph(nodes, "network", ends[:1], ends[1:], weights)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSETS[""])], ir_version=8)


@case
def network_and_forest() -> Trained:
    digits = load_digits(n_class=4)
    x, y = (digits.data[:240] / 16).astype(np.float32), digits.target[:240]
    cnn = network(np.random.RandomState(51))
    session = onnxruntime.InferenceSession(cnn.SerializeToString(), providers=["CPUExecutionProvider"])
    features = session.run(None, {"image": x})[0]
    forest = RandomForestClassifier(8, max_depth=5, random_state=1).fit(features, y)
    trees = to_onnx(forest, features[:1], options={id(forest): {"zipmap": False}}, target_opset=OPSETS)
    trees.ir_version = cnn.ir_version
    for model in (cnn, trees):
        del model.graph.value_info[:]
    whole = compose.merge_models(
        compose.add_prefix(cnn, "cnn_"), compose.add_prefix(trees, "forest_"), io_map=[("cnn_features", "forest_X")]
    )
    columns = [Column("f%d" % j, "real", x[:, j].astype(np.float64), cell="s") for j in range(64)]
    return Trained(None, Table(columns, y.astype(np.float64), named=False, rng=np.random.RandomState(52)), graph=whole, every=2)
