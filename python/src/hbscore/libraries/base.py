"""What hbscore wants to know of a fitted model, whichever library it is of."""

from __future__ import annotations

import os
import tempfile
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, Callable, Collection, Dict, List, Optional

from ..errors import UnsupportedModel
from ..progress import Told, nothing

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


@dataclass
class Embedded:
    """A model's file as a part of a pipeline's.

    format           as the option `format` names it
    task             what the estimator is: classifier, regressor or ranker
    zero_is_missing  of a sparse matrix the library takes what is not stored as missing
    probabilities    whether a classifier has any"""

    format: str
    task: str
    zero_is_missing: bool = False
    probabilities: bool = True


class FittedModel(ABC):
    """A fitted object of a library."""

    def __init__(self, model: Any) -> None:
        self.model = model
        self.told: Told = nothing  # how far the file is written

    @abstractmethod
    def file(self) -> bytes:
        """The model in the library's own format, by the library's own writer."""

    def file_for(self, sample: Any) -> bytes:
        """The same, where rows in the model's order of features are given (a DataFrame or an array): what the
        library's writer damages is put right from the types of their columns."""
        return self.file()

    @abstractmethod
    def names(self) -> Optional[List[str]]:
        """The features' names in order; None where training had none."""

    @abstractmethod
    def classes(self) -> Optional[List[Any]]:
        """The labels in the order of the class numbers; None where `predict` gives no labels."""

    @abstractmethod
    def answers(self, data: Any) -> Answers:
        """What the model says of the rows of a DataFrame or an array."""

    def embedded(self) -> Embedded:
        """For an estimator that is the last step of a pipeline. Raises UnsupportedModel, whose text follows
        the estimator's name."""
        raise UnsupportedModel("is no estimator: a pipeline cannot hold it")

    def options(self) -> Dict[str, Any]:
        """What the file does not say: options of hbscore_register."""
        return {}

    def takes_one_text(self) -> bool:
        """True where a row is one text, and rows are no table."""
        return False

    def unread(self, sample: Any) -> Collection[int]:
        """Places of columns that no answer depends on, and whose values no database has."""
        return ()

    def name_of(self, column: Any) -> str:
        """The name that the library gives a DataFrame's column."""
        return str(column)


def check_task(estimator: str, objective: str, of_objective: str) -> None:
    """The file is scored as what its objective says, which must be what the estimator predicts."""
    if estimator != of_objective:
        raise UnsupportedModel(
            f"with the objective {objective} is not supported in a pipeline: its file is a "
            f"{of_objective}'s, and it predicts as a {estimator}"
        )


LABELS = "predicts several labels a row: only one is supported in a pipeline"
CATEGORIES = "was trained on categories: inside a pipeline a step before it must encode them"


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
