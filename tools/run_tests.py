"""run_tests.py SUITE FOLDER [TEST..] - runs Python's tests of a folder, or those that are named, and ends with their count as
`make check` reads it. SUITE is the word before each test that is skipped."""

import sys
import unittest
import warnings
from pathlib import Path


def main() -> int:
    suite, folder, *names = sys.argv[1:]
    folder = str(Path(folder).resolve())
    sys.path[0] = folder
    loader = unittest.defaultTestLoader
    tests = loader.loadTestsFromNames(names) if names else loader.discover(folder)
    warnings.simplefilter("ignore")  # of the libraries, about each other
    result = unittest.TextTestRunner(stream=sys.stdout, verbosity=2, warnings="ignore").run(tests)
    for test, why in result.skipped:
        print(f"{suite}: skipped, {test.id()}: {why}")
    failed = len({test.id().split(" ")[0] for test, _ in result.failures + result.errors})
    print(f"{result.testsRun - failed - len(result.skipped)} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
