"""The package's annotations: mypy --strict finds nothing in them, and users get types from them."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from support import ROOT

USE = """
import sqlite3
from typing import Dict, List
import hbscore

c = sqlite3.connect(":memory:")
names: List[str] = [model.name for model in hbscore.models(c)]
aliases: Dict[str, int] = hbscore.models(c)[0].aliases
data: bytes = hbscore.get_model(c, "m")
ok: bool = hbscore.verify(c, "m")[0].ok
"""


class Types(unittest.TestCase):
    def check(self, *arguments: str) -> str:
        command = [sys.executable, "-m", "mypy", "--config-file", str(ROOT / "python" / "pyproject.toml")]
        cache = str(ROOT / os.environ.get("BUILD", "build") / "mypy-cache")
        done = subprocess.run(
            [*command, "--cache-dir", cache, *arguments], cwd=ROOT / "python" / "src", capture_output=True, text=True
        )
        return done.stdout + done.stderr

    def test_the_package_and_its_use(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            use = Path(folder) / "use.py"
            use.write_text(USE)
            found = self.check("hbscore", str(use))
        self.assertRegex(found, r"use.py:10: error: Incompatible types in assignment")
        self.assertRegex(found, r"Found 1 error in 1 file")


if __name__ == "__main__":
    unittest.main()
