"""plain_yaml.py - YAML of manifests: texts, numbers, lists and objects. A manifest may come from anywhere, so a small file stays
small (anchors that multiply, nesting without an end), and a key that stands there twice is an error."""

import math
import pathlib

import yaml

from .errors import BenchError

MOST_BYTES, MOST_VALUES, MOST_DEPTH = 1 << 20, 100_000, 50


class _Loader(yaml.SafeLoader):
    depth = 0

    def compose_node(self, parent, index):
        self.depth += 1
        if self.depth > MOST_DEPTH:
            raise yaml.composer.ComposerError(None, None, f"it is nested more than {MOST_DEPTH} levels deep", self.peek_event().start_mark)
        node = super().compose_node(parent, index)
        self.depth -= 1
        return node

    def construct_mapping(self, node, deep=False):
        keys = [key.value for key, _ in node.value]
        for place, (key, _) in enumerate(node.value):
            if key.value in keys[:place]:
                raise yaml.constructor.ConstructorError(None, None, f'the key "{key.value}" stands there twice', key.start_mark)
        return super().construct_mapping(node, deep)


def read(path):
    """The content of a file; a BenchError names the file and the line."""
    path = pathlib.Path(path)
    try:
        if path.exists() and not path.is_file():
            raise BenchError(f"{path}: this is no file")
        if path.exists() and path.stat().st_size > MOST_BYTES:
            raise BenchError(f"{path}: {path.stat().st_size} bytes; a manifest has at most {MOST_BYTES}")
        content = yaml.load(path.read_text(), _Loader)
    except OSError as error:
        raise BenchError(f"{path}: {error.strerror}") from None
    except (yaml.YAMLError, ValueError) as error:
        mark = getattr(error, "problem_mark", None)
        where = f", line {mark.line + 1}" if mark else ""
        raise BenchError(f"{path}: this is no YAML{where}: {getattr(error, 'problem', error)}") from None
    _count(path, content, "", 0, 0)
    return content


def _count(path, value, place, depth, count):
    """The number of values with those of this one."""
    count += 1
    if count > MOST_VALUES or depth > MOST_DEPTH:
        raise BenchError(f"{path}: its anchors make more than {MOST_VALUES} values of it, or more than {MOST_DEPTH} levels")
    if isinstance(value, (list, dict)):
        for key, part in value.items() if isinstance(value, dict) else enumerate(value):
            if isinstance(value, dict) and not isinstance(key, str):
                raise BenchError(f"{path}: {place or 'the manifest'}: the key {key!r} is no text")
            count = _count(path, part, f"{place}.{key}" if place else str(key), depth + 1, count)
    elif isinstance(value, float) and not math.isfinite(value) or not isinstance(value, (str, int, float, type(None))):
        raise BenchError(f"{path}: {place}: {value!r} is no text, finite number, list or object: a text stands in quotes")
    return count
