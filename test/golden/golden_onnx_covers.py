"""What a golden of an ONNX file covers: operators, versions, kinds of rows."""

from __future__ import annotations

from typing import Any, Dict, List, Tuple

import numpy as np
import onnx

from golden_cells import Value, encode
from golden_tables import FLT_MAX


def attributes(node: Any) -> Dict[str, Any]:
    return {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}


def trees(graph: Any) -> List[Any]:
    return [n for n in graph.node if n.op_type.startswith("TreeEnsemble")]


MODES = ["BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT", "BRANCH_EQ", "BRANCH_NEQ", "BRANCH_MEMBER"]


def modes_and_values(node: Any) -> Tuple[List[str], List[float]]:
    """Of an ensemble's nodes, in words; version 5 has tensors of them."""
    a = attributes(node)
    if node.op_type == "TreeEnsemble":
        to_array = onnx.numpy_helper.to_array
        return [MODES[m] for m in to_array(a["nodes_modes"])], list(to_array(a["nodes_splits"]))
    return [m.decode() for m in a["nodes_modes"]], a["nodes_values"]


def find_covers(model: Any, rows: List[List[Value]], answers: Dict[str, np.ndarray]) -> List[str]:
    graph = model.graph
    opsets = [o.version for o in model.opset_import if o.domain in ("", "ai.onnx")]
    covers = ["opset=%s" % max(opsets, default="none")]
    for node in graph.node:
        covers.append("operator=" + node.op_type)
        post = attributes(node).get("post_transform")
        aggregate = attributes(node).get("aggregate_function")
        covers += ["post_transform=" + post.decode()] if isinstance(post, bytes) else []
        covers += ["aggregate=" + aggregate.decode()] if isinstance(aggregate, bytes) else []
        if "base_values" in attributes(node):
            covers.append("base_values")
        if any(attributes(node).get("nodes_missing_value_tracks_true", [])):
            covers.append("missing=true-branch")
        if node in trees(graph):
            covers += ["mode=" + m for m in set(modes_and_values(node)[0]) - {"LEAF", "BRANCH_LEQ"}]
    covers.append("inputs=" + ("one" if len(graph.input) == 1 else "named"))
    covers += ["output=" + name for name in answers]
    for row in rows:
        for v in row:
            covers.append("cell=" + encode(v)[0].replace("-", "null"))
            if isinstance(v, float):
                covers += ["row=nan"] if v != v else []
                covers += ["row=infinity"] if abs(v) == np.inf else []
                covers += ["row=beyond-float32"] if FLT_MAX * 1.001 < abs(v) < np.inf else []
                covers += ["row=denormal"] if 0 < abs(v) < 1e-38 else []
                covers += ["row=negative-zero"] if v == 0 and np.signbit(v) else []
    return sorted(set(covers))
