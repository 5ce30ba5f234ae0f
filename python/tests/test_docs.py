"""The examples of docs/python.md, run one after the other in one Python: what they print must be what
stands there. A block of shell commands is run where its output stands there."""

from __future__ import annotations

import contextlib
import io
import os
import re
import subprocess
import sys
import tempfile
import unittest
import warnings

from support import ROOT

PAGE = ROOT / "docs" / "python.md"
BLOCK = re.compile(r"^```(python|sh)\n(.*?)^```\n(?:\n```text\n(.*?)^```\n)?", re.M | re.S)


def run_shell(commands: str) -> str:
    commands = re.sub(r"^python3 ", f"{sys.executable} ", commands, flags=re.M)
    return subprocess.run(
        ["sh", "-e", "-c", commands], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ).stdout


def run_python(code: str, names: dict) -> str:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(compile(code, str(PAGE), "exec"), names)
    return printed.getvalue()


class Page(unittest.TestCase):
    def test_examples(self):
        blocks = BLOCK.findall(PAGE.read_text())
        self.assertGreater(len(blocks), 5)
        names: dict = {"__name__": "page"}
        before = os.getcwd()
        with tempfile.TemporaryDirectory() as folder:
            os.symlink(ROOT / "demo", os.path.join(folder, "demo"))
            os.chdir(folder)
            try:
                for language, code, wanted in blocks:
                    if language == "python":
                        self.assertEqual(run_python(code, names), wanted, code)
                    elif wanted:
                        self.assertEqual(run_shell(code), wanted, code)
            finally:
                os.chdir(before)


if __name__ == "__main__":
    unittest.main()
