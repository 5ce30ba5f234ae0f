"""Runs the tests beside it, or those that are named, and ends with their count as `make check` reads it."""

import sys
import unittest
import warnings
from pathlib import Path

HERE = str(Path(__file__).resolve().parent)


def main():
    sys.path.insert(0, HERE)
    loader = unittest.defaultTestLoader
    tests = loader.loadTestsFromNames(sys.argv[1:]) if sys.argv[1:] else loader.discover(HERE)
    warnings.simplefilter("ignore")  # of the libraries, about each other
    result = unittest.TextTestRunner(stream=sys.stdout, verbosity=2, warnings="ignore").run(tests)
    for test, why in result.skipped:
        print(f"bench: skipped, {test.id()}: {why}")
    failed = len({test.id().split(" ")[0] for test, _ in result.failures + result.errors})
    print(f"{result.testsRun - failed - len(result.skipped)} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
