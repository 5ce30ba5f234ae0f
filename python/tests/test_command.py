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

    def stock(self):
        self.prints("titanic@1\n", "register", self.database, "titanic", TITANIC, "--options", '{"rounds": 10}')
        classes = '{"classes": ["died", "survived"], "description": "all rounds"}'
        self.prints("titanic@2\n", "register", self.database, "titanic", TITANIC, "--options", classes, "--deploy")
        connection = sqlite3.connect(self.database)
        names = ["pclass", "sex", "age", "sibsp", "parch", "fare", "embarked"]
        cells = ", ".join(f"{cell!r} AS {name}" for cell, name in zip(PASSENGER, names))
        second = "2, 3, 'male', NULL, 1, 0, 7.25, 'S'"
        connection.execute(f"CREATE TABLE p AS SELECT 1 AS id, {cells} UNION ALL SELECT {second}")
        connection.commit()
        connection.close()

    def test_models(self):
        sqlite3.connect(self.database).execute("VACUUM")
        head = "name  version  versions  aliases  format  created_at  description\n"
        self.prints(head, "models", self.database)
        self.stock()
        done = self.run_command("models", self.database)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertRegex(
            done.stdout.splitlines()[1], r"^titanic  2        1, 2      default=2  xgboost-json  2\S+ \S+  all rounds$"
        )

    def test_inspect_of_a_stored_model(self):
        self.stock()
        done = self.run_command("inspect", self.database, "titanic@1")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("model     5         rounds                        10 of 80", done.stdout)
        self.refuses(1, 'hbscore: unknown model "wine"', "inspect", self.database, "wine")
        self.refuses(1, "options of its own", "inspect", self.database, "titanic", "--options", '{"rounds": 1}')

    def test_score(self):
        self.stock()
        query = "SELECT id, age, pclass, sex, sibsp, parch, fare, embarked FROM p ORDER BY id DESC"
        wanted = (
            "id,age,pclass,sex,sibsp,parch,fare,embarked,prediction,probability\n"
            "2,,3,male,1,0,7.25,S,died,0.9284188747406006\n"
            f"1,29.0,1,female,0,0,211.3375,S,survived,{CHANCE!r}\n"
        )
        before = open(self.database, "rb").read()
        os.chmod(self.database, 0o400)
        self.prints(wanted, "score", self.database, "titanic", query)
        command = [sys.executable, "-m", "hbscore", "score", self.database, "titanic", "-"]
        done = subprocess.run(command, input=query, capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr, done.stdout), (0, "", wanted))
        self.assertEqual(open(self.database, "rb").read(), before)
        self.assertEqual(os.listdir(self.folder), ["data.db"])

    def test_score_of_many_rows(self):
        self.stock()
        rows = "WITH n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 5000) SELECT i, p.* FROM n, p"
        done = self.run_command("score", self.database, "titanic", rows)
        self.assertEqual((done.returncode, done.stderr, len(done.stdout.splitlines())), (0, "", 10001))
        self.assertEqual(done.stdout.count(f",{CHANCE!r}\n"), 5000)

    def test_score_is_refused(self):
        self.stock()
        score = ("score", self.database)
        self.refuses(1, 'hbscore: unknown model "titan"', *score, "titan", "SELECT * FROM p")
        self.refuses(1, "hbscore: no such table: q", *score, "titanic", "SELECT * FROM q")
        self.refuses(1, "is not among the columns", *score, "titanic", "SELECT sex FROM p")
        self.refuses(1, "syntax error", *score, "titanic", "DELETE FROM p")
        self.refuses(2, "usage:", *score, "titanic")
        nowhere = os.path.join(self.folder, "nowhere.db")
        self.refuses(1, "No such file or directory", "score", nowhere, "titanic", "SELECT 1")
        self.refuses(1, "No such file or directory", "models", nowhere)
        self.assertFalse(os.path.exists(nowhere))
        done = self.run_command(*score, "titanic", "SELECT *, x'00' AS b FROM p")
        self.assertEqual(done.returncode, 1)
        self.assertIn("column of bytes", done.stderr)

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
