"""errors.py - what ends a command in one clear line and status 1, and what makes a cell empty with a reason."""


def one_line(text):
    """A text of whatever origin as one line without control characters."""
    line = " ".join(str(text).split())
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in line)


class BenchError(Exception):
    """The text names the manifest or the cell, the field, what came and what is expected."""

    def __init__(self, text):
        super().__init__(one_line(text))


class Refused(Exception):
    """This system cannot take this model or scenario: the reason for an empty cell, no failure."""

    def __init__(self, text):
        super().__init__(one_line(text))
