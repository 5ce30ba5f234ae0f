"""logs.py - LoadGen's files: mlperf_log_detail.txt and mlperf_log_accuracy.json."""

import json
import pathlib

import numpy

from .errors import BenchError

MARK = ":::MLLOG "


class Detail:
    """The values of a detail log by their keys (the last one counts), and its errors and warnings."""

    def __init__(self, text, name="mlperf_log_detail.txt"):
        self.values, self.errors, self.warnings = {}, [], []
        for number, line in enumerate(text.splitlines(), 1):
            if not line.startswith(MARK):
                continue
            try:
                entry = json.loads(line[len(MARK):])
                key, value, about = entry["key"], entry["value"], entry.get("metadata", {})
            except (ValueError, KeyError, TypeError):
                raise BenchError(f"{name}: line {number} is no entry of LoadGen's log") from None
            self.values[key] = value
            if about.get("is_error"):
                self.errors.append(f"{key}: {value}")
            if about.get("is_warning"):
                self.warnings.append(f"{key}: {value}")

    def settings(self):
        return {key: value for key, value in self.values.items() if key.startswith("effective_")}

    def results(self):
        return {key: value for key, value in self.values.items() if key.startswith(("result_", "early_stopping_"))}

    @property
    def valid(self):
        return self.values.get("result_validity") == "VALID"


def read_detail(folder):
    path = pathlib.Path(folder) / "mlperf_log_detail.txt"
    try:
        return Detail(path.read_text(), str(path))
    except OSError as error:
        raise BenchError(f"{path}: {error.strerror}") from None


def accuracy_rows(text, width, name="mlperf_log_accuracy.json"):
    """The answers by sample: {sample: array of [rows][width]}. A sample that was repeated to fill a query must have one
    answer, bit by bit."""
    found = {}
    try:
        entries = json.loads(text)
        for entry in entries:
            data = numpy.frombuffer(bytes.fromhex(entry["data"]), "<f8")
            if len(data) % width:
                raise BenchError(f"{name}: sample {entry['qsl_idx']} has {len(data)} numbers, which are no rows of {width}")
            rows = data.reshape(-1, width)
            known = found.setdefault(entry["qsl_idx"], rows)
            if known.tobytes() != rows.tobytes():
                raise BenchError(f"{name}: sample {entry['qsl_idx']} has two answers")
    except (ValueError, KeyError, TypeError):
        raise BenchError(f"{name}: this is no accuracy log of LoadGen") from None
    return found
