"""What a golden of an ONNX file covers: operators, versions, kinds of rows."""

from __future__ import annotations

from typing import Any, Dict, List

import numpy as np
import onnx

from golden_cells import Value, encode
from golden_tables import FLT_MAX


def attributes(node: Any) -> Dict[str, Any]:
    return {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}


def find_covers(model: Any, rows: List[List[Value]], answers: Dict[str, np.ndarray]) -> List[str]:
    graph = model.graph
    covers = ["version=1.20", "opset=%d" % max(o.version for o in model.opset_import if o.domain in ("", "ai.onnx"))]
    for node in graph.node:
        covers.append("operator=" + node.op_type)
        post = attributes(node).get("post_transform")
        covers += ["post_transform=" + post.decode()] if post else []
        if "base_values" in attributes(node):
            covers.append("base_values")
        if any(attributes(node).get("nodes_missing_value_tracks_true", [])):
            covers.append("missing=true-branch")
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
