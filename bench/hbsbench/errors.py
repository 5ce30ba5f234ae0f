"""errors.py - what ends a command in one clear line and status 1, and what makes a cell empty with a reason."""


class BenchError(Exception):
    """The text names the manifest or the cell, the field, what came and what is expected."""


class Refused(Exception):
    """This system cannot take this model or scenario: the reason for an empty cell, no failure."""
