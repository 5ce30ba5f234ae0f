"""The command line: what it prints, and its exit status."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import tempfile
import unittest

import hbscore
from support import CHANCE, DEMO, PASSENGER, ROOT, ask

TITANIC = str(DEMO / "titanic.json")


class Command(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.database = os.path.join(folder.name, "data.db")

    def run_command(self, *arguments):
        command = [sys.executable, "-m", "hbscore", *arguments]
        return subprocess.run(command, cwd=self.folder, capture_output=True, text=True)

    def prints(self, output, *arguments):
        done = self.run_command(*arguments)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(done.stdout, output)

    def refuses(self, status, message, *arguments):
        done = self.run_command(*arguments)
        self.assertEqual((done.returncode, done.stdout), (status, ""))
        self.assertIn(message, done.stderr)
        self.assertNotIn("Traceback", done.stderr)

    def test_inspect(self):
        done = self.run_command(
            "inspect", TITANIC, "--options", '{"classes": ["died", "survived"]}'
        )
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        lines = done.stdout.splitlines()
        self.assertEqual(lines[0].split(), ["role", "position", "name", "type", "note"])
        self.assertIn(
            "feature   2         sex                  text     2 categories: female, male", lines
        )
        self.assertIn("class     2         survived             text", lines)

    def test_inspect_of_a_transformer(self):
        path = str(ROOT / "test" / "fuzz" / "fuzz_own" / "transformer.json")
        done = self.run_command("inspect", path)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        outputs = [line for line in done.stdout.splitlines() if line.startswith("output")]
        self.assertEqual(outputs, ["output    1         transform     numbers  5 numbers"])

    def test_inspect_says_what_is_not_supported(self):
        path = os.path.join(self.folder, "fancy.json")
        with open(TITANIC) as model, open(path, "w") as changed:
            changed.write(model.read().replace("binary:logistic", "binary:fancy"))
        self.refuses(1, 'hbscore: unknown objective "binary:fancy"', "inspect", path)

    def test_register(self):
        self.prints("titanic@1\n", "register", self.database, "titanic", TITANIC)
        self.prints("titanic@2\n", "register", self.database, "titanic", TITANIC, "--deploy")
        self.prints(
            "titanic@3\n", "register", self.database, "titanic", TITANIC, "--deploy", "challenger"
        )
        connection = sqlite3.connect(self.database)
        hbscore.load(connection)
        self.assertEqual(
            ask(
                connection,
                "SELECT predict_probability('titanic', 1, ?, ?, ?, ?, ?, ?, ?)",
                *PASSENGER,
            ),
            CHANCE,
        )
        aliases = connection.execute(
            "SELECT alias, version FROM hbscore_aliases ORDER BY 1"
        ).fetchall()
        self.assertEqual(aliases, [("challenger", 3), ("default", 2)])

    def test_what_is_refused_changes_nothing(self):
        self.prints("titanic@1\n", "register", self.database, "titanic", TITANIC)
        self.refuses(1, "hbscore: ", "register", self.database, "titanic", TITANIC, "--deploy", "7")
        self.refuses(
            1, "hbscore: options: ", "register", self.database, "titanic", TITANIC, "--options", "{"
        )
        self.assertEqual(
            ask(sqlite3.connect(self.database), "SELECT count(*) FROM hbscore_models"), 1
        )

    def test_errors_of_files(self):
        self.refuses(1, "No such file", "inspect", "nowhere.json")
        self.refuses(
            1,
            "hbscore: unable to open database file",
            "register",
            "no/folder/data.db",
            "m",
            TITANIC,
        )
        with open(self.database, "w") as file:
            file.write("no database " * 100)
        self.refuses(1, "hbscore: file is not a database", "register", self.database, "m", TITANIC)

    def test_a_reader_that_goes_away(self):
        command = f"{sys.executable} -m hbscore inspect {TITANIC} | true"
        for _ in range(5):
            done = subprocess.run(
                ["sh", "-c", command], cwd=self.folder, capture_output=True, text=True
            )
            self.assertEqual(done.stderr, "")

    def test_usage(self):
        self.refuses(2, "usage: python -m hbscore", "inspect")
        self.refuses(2, "usage: python -m hbscore")
        self.refuses(2, "invalid choice", "predict")
        self.prints(hbscore.__version__ + "\n", "--version")


if __name__ == "__main__":
    unittest.main()
