"""What hbscore wants to know of a fitted model, whichever library it is of."""

from __future__ import annotations

import os
import tempfile
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, Callable, Dict, List, Optional

Array = Any  # numpy.ndarray: this package is annotated for numpy with and without type stubs


@dataclass
class Answers:
    """What the model itself says of n rows. None: it has no such answer, or one that is not hbscore's.

    own            what `predict` gives: shape (n,), or (n, outputs)
    probabilities  shape (n, classes)
    decision       raw scores: shape (n,) or (n, outputs)
    transform      what the last step of a pipeline gets, or a transformer gives: shape (n, numbers)"""

    own: Optional[Array] = None
    probabilities: Optional[Array] = None
    decision: Optional[Array] = None
    transform: Optional[Array] = None


class FittedModel(ABC):
    """A fitted object of a library."""

    def __init__(self, model: Any) -> None:
        self.model = model

    @abstractmethod
    def file(self) -> bytes:
        """The model in the library's own format, by the library's own writer."""

    @abstractmethod
    def names(self) -> Optional[List[str]]:
        """The features' names in order; None where training had none."""

    @abstractmethod
    def classes(self) -> Optional[List[Any]]:
        """The labels in the order of the class numbers; None where `predict` gives no labels."""

    @abstractmethod
    def answers(self, data: Any) -> Answers:
        """What the model says of the rows of a DataFrame or an array."""

    def options(self) -> Dict[str, Any]:
        """What the file does not say: options of hbscore_register."""
        return {}

    def name_of(self, column: Any) -> str:
        """The name that the library gives a DataFrame's column."""
        return str(column)


def file_from(write: Callable[[str], Any], name: str) -> bytes:
    """The bytes of the file that `write` makes at a path of this name."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, name)
        write(path)
        with open(path, "rb") as file:
            return file.read()


def version_of(library: Any) -> List[int]:
    """[3, 2] of "3.2.0"."""
    return [int(part) for part in library.__version__.split(".")[:2]]
