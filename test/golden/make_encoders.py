#!/usr/bin/env python3
"""Golden files of the encoders of category_encoders beside scikit-learn, as make_sklearn.py makes those of
scikit-learn itself: with the same steps and arguments, in an environment of its own."""

from __future__ import annotations

import sys

import make_sklearn
from golden_sklearn_models import CASES

CASES.clear()

import golden_encoders_cases  # noqa: E402, F401  (registers its cases)

if __name__ == "__main__":
    sys.exit(make_sklearn.main())
