"""ONNX files whose tensors lie in another file, as PyTorch's exporter writes them: `net.onnx` and `net.onnx.data`.

A model in the database is one value, so the tensors must be inside it. The package `onnx` puts them there.
"""

from __future__ import annotations

import os
from typing import Any, Iterator, Union

from .errors import InvalidValue

# The key that each reference to another file has, in the bytes of the file.
LOCATION = b"location"


def with_data(path: "Union[str, os.PathLike[str]]", data: bytes) -> bytes:
    """The bytes of the file at `path`, which are `data`, with all tensors inside.

    Without the package `onnx` they stay as they are: the database then refuses the model, and says how to
    save it. Raises InvalidValue for data that are not in a file right beside the model."""
    if not data.startswith(b"\x08") or LOCATION not in data:
        return data
    try:
        import onnx
        from onnx import external_data_helper as helper
    except ImportError:
        return data
    try:
        model = onnx.load_model_from_string(data)
    except Exception:  # no ONNX file: the database says what it is
        return data
    outside = [tensor for tensor in _tensors(model.graph) if helper.uses_external_data(tensor)]
    if not outside:
        return data
    folder = os.path.dirname(os.path.abspath(path))
    for tensor in outside:
        _check_location(tensor, folder)
        helper.load_external_data_for_tensor(tensor, folder)
        tensor.data_location = onnx.TensorProto.DEFAULT
        del tensor.external_data[:]
    return bytes(model.SerializeToString())


def _tensors(graph: Any) -> Iterator[Any]:
    yield from graph.initializer
    for node in graph.node:
        for attribute in node.attribute:
            yield attribute.t
            yield from attribute.tensors
            for inner in [attribute.g, *attribute.graphs]:
                yield from _tensors(inner) if inner.node else ()


def _check_location(tensor: Any, folder: str) -> None:
    """A model from elsewhere must not name any file of this machine."""
    location = next((entry.value for entry in tensor.external_data if entry.key == "location"), "")
    path = os.path.join(folder, location)
    if location in ("", ".", "..") or os.path.basename(location) != location or os.path.islink(path):
        raise InvalidValue(
            f'tensor "{tensor.name}" has its data in "{location}": hbscore takes data from a file right beside the model'
        )
    if not os.path.isfile(path):
        raise InvalidValue(f'tensor "{tensor.name}" has its data in "{location}", which is not beside the model')
