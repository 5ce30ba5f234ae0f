"""The error of an export."""

from __future__ import annotations

from ..errors import UnsupportedModel


class ExportError(UnsupportedModel):
    """The pipeline cannot be exported. The text names the estimator and its place in it."""
