"""The one table of exporters: what a fitted scikit-learn estimator is written by.

A key is a class by its full name, as scikit-learn's documentation has it ("sklearn.svm.SVC"); the
value writes the fitted object in hbscore's own format. The table has no row yet: scikit-learn's
estimators come with that format."""

from __future__ import annotations

from typing import Any, Callable, Dict, Optional, Sequence

Exporter = Callable[[Any, Optional[Sequence[str]]], bytes]

EXPORTERS: Dict[str, Exporter] = {}
