"""The wheel: what is in it, and that it is all that an empty environment without a compiler needs."""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
import unittest
import venv
import zipfile
from pathlib import Path

from support import CHANCE, DEMO, PASSENGER, ROOT

BUILD = Path(os.environ.get("BUILD", "build"))
WHEELS = ROOT / BUILD / "python-wheels"  # numpy's, put there by run.sh

SCORE = f"""
import sqlite3, hbscore
connection = sqlite3.connect(":memory:")
hbscore.load(connection)
hbscore.register(connection, "titanic", {str(DEMO / "titanic.json")!r})
sql = "SELECT predict_probability('titanic', 1, ?, ?, ?, ?, ?, ?, ?)"
row = connection.execute(sql, {PASSENGER!r}).fetchone()
print(row[0] == {CHANCE!r}, hbscore.__file__.startswith({{folder!r}}))
"""


class Wheel(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        subprocess.run(
            [str(ROOT / "tools" / "make_wheel.sh"), str(BUILD)],
            cwd=ROOT,
            check=True,
            capture_output=True,
        )
        (cls.wheel,) = (ROOT / BUILD / "wheel").glob("*.whl")

    def test_contents(self):
        with zipfile.ZipFile(self.wheel) as archive:
            names = {name for name in archive.namelist() if ".dist-info/" not in name}
        source = ROOT / "python" / "src"
        modules = {str(path.relative_to(source)) for path in source.rglob("*.py")}
        self.assertEqual(names, modules | {"hbscore/py.typed", "hbscore/lib/hbscore.so"})

    def test_metadata(self):
        with zipfile.ZipFile(self.wheel) as archive:
            (name,) = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
            text = archive.read(name).decode()
        readme = (ROOT / "python" / "README.md").read_text()
        self.assertTrue(text.endswith(readme))
        for line in ("Description-Content-Type: text/markdown", "Requires-Python: >=3.9", "Provides-Extra: pandas"):
            self.assertIn(f"\n{line}\n", text)

    def test_the_tag_is_true(self):
        """The C library that the tag names has every symbol, and nothing else is needed."""
        tag = re.fullmatch(
            r"hbscore-[\d.]+-py3-none-manylinux_(\d+)_(\d+)_x86_64\.whl", self.wheel.name
        )
        self.assertIsNotNone(tag, self.wheel.name)
        with tempfile.TemporaryDirectory() as folder:
            with zipfile.ZipFile(self.wheel) as archive:
                library = archive.extract("hbscore/lib/hbscore.so", folder)
            dump = subprocess.run(
                ["objdump", "-p", library], capture_output=True, text=True, check=True
            ).stdout
        versions = {(int(a), int(b)) for a, b in re.findall(r"GLIBC_(\d+)\.(\d+)", dump)}
        self.assertEqual(max(versions), (int(tag[1]), int(tag[2])))
        self.assertLessEqual(set(re.findall(r"NEEDED\s+(\S+)", dump)), {"libc.so.6", "libm.so.6"})

    def test_the_same_bytes_again(self):
        before = self.wheel.read_bytes()
        self.setUpClass()
        self.assertEqual(self.wheel.read_bytes(), before)

    def test_in_an_empty_environment(self):
        with tempfile.TemporaryDirectory() as folder:
            venv.create(folder, with_pip=True)
            environment = {"PATH": f"{folder}/bin", "HOME": folder}
            python = f"{folder}/bin/python"
            install = [
                python,
                "-m",
                "pip",
                "install",
                "--quiet",
                "--no-index",
                f"--find-links={WHEELS}",
                str(self.wheel),
            ]
            done = subprocess.run(
                install, env=environment, cwd=folder, capture_output=True, text=True
            )
            self.assertEqual(done.returncode, 0, done.stderr)
            done = subprocess.run(
                [python, "-c", SCORE.format(folder=folder)],
                env=environment,
                cwd=folder,
                capture_output=True,
                text=True,
            )
            self.assertEqual(done.stdout, "True True\n", done.stderr)
            inspect = [python, "-m", "hbscore", "inspect", str(DEMO / "wine.ubj")]
            done = subprocess.run(
                inspect, env=environment, cwd=folder, capture_output=True, text=True
            )
            self.assertEqual(done.returncode, 0, done.stderr)


class SourceTree(unittest.TestCase):
    def test_a_wheel_without_the_extension_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            command = ["cp", "-R", str(ROOT / "python"), f"{folder}/source"]
            subprocess.run(command, check=True)
            build = [
                os.environ.get("PYTHON", "/usr/bin/python3"),
                "-m",
                "pip",
                "wheel",
                "--no-index",
                "--no-deps",
            ]
            build += ["--no-build-isolation", "-w", folder, f"{folder}/source"]
            done = subprocess.run(build, capture_output=True, text=True)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn("make wheel", done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
