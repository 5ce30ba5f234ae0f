"""hbscore.load: which file, into which connection, and what it leaves behind."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import tempfile
import threading
import unittest
from pathlib import Path
from unittest import mock

import apsw

import hbscore
from hbscore import loading
from support import CHANCE, CONNECTIONS, COPY, DEMO, PASSENGER, ROOT, ask, connect_sqlite3


class Without(sqlite3.Connection):
    """A connection as a Python has it whose sqlite3 was built without extension loading."""

    def __getattribute__(self, name):
        if name in ("enable_load_extension", "load_extension"):
            raise AttributeError(name)
        return super().__getattribute__(name)


class Load(unittest.TestCase):
    def test_twice_and_in_both(self):
        for kind, connect in CONNECTIONS.items():
            with self.subTest(kind):
                connection = connect()
                hbscore.load(connection, COPY if kind == "apsw" else None)
                self.assertEqual(hbscore.register(connection, "titanic", DEMO / "titanic.json"), 1)
                sql = "SELECT predict_probability('titanic', 1, ?, ?, ?, ?, ?, ?, ?)"
                self.assertEqual(ask(connection, sql, *PASSENGER), CHANCE)

    def test_loading_is_off_afterwards(self):
        for kind, connect in CONNECTIONS.items():
            with self.subTest(kind):
                connection = connect()
                with self.assertRaisesRegex(
                    (sqlite3.OperationalError, apsw.Error), "not authorized"
                ):
                    connection.execute("SELECT load_extension('nothing')").fetchall()
                with self.assertRaisesRegex(
                    (sqlite3.OperationalError, apsw.Error), "not authorized"
                ):
                    connection.load_extension(COPY)

    def test_loading_is_off_after_a_failure(self):
        connection = sqlite3.connect(":memory:")
        with self.assertRaises(sqlite3.OperationalError):
            hbscore.load(connection, "/nonexistent/hbscore.so")
        with self.assertRaisesRegex(sqlite3.OperationalError, "not authorized"):
            connection.load_extension(COPY)

    def test_two_libraries_need_two_files(self):
        """Python's sqlite3 and apsw's wheel have a SQLite each: one file for both would crash, so it is
        refused, and each goes on working."""
        first = connect_sqlite3()
        with self.assertRaisesRegex(
            apsw.Error,
            "in use by another SQLite library of this process: load a copy of it, as hbscore2.so",
        ):
            hbscore.load(apsw.Connection(":memory:"))
        self.assertEqual(hbscore.register(first, "titanic", DEMO / "titanic.json"), 1)

    def test_threads_take_their_turn(self):
        """Each of many threads, of both libraries, gets a connection that works or the error."""
        code = (
            "import sqlite3, threading, apsw, hbscore\n"
            "good = []\n"
            "def use(connect):\n"
            "    try:\n"
            "        c = connect(':memory:'); hbscore.load(c)\n"
            "        good.append(hbscore.register(c, 'm', 'titanic.json'))\n"
            "    except (sqlite3.OperationalError, apsw.SQLError, apsw.ExtensionLoadingError) as error:\n"
            "        assert 'load a copy' in str(error), error\n"
            "all = [threading.Thread(target=use, args=(c,)) for c in (sqlite3.connect, apsw.Connection) * 8]\n"
            "[t.start() for t in all]; [t.join() for t in all]\n"
            "print(len(good), set(good))\n"
        )
        done = subprocess.run(
            [sys.executable, "-c", code], cwd=DEMO, capture_output=True, text=True
        )
        self.assertEqual((done.stdout, done.returncode), ("8 {1}\n", 0), done.stderr)

    def test_python_without_extension_loading(self):
        with self.assertRaises(hbscore.LoadError) as caught:
            hbscore.load(sqlite3.connect(":memory:", factory=Without))
        for way in ("/usr/bin/python3", "apsw", "pysqlite3-binary"):
            self.assertIn(way, str(caught.exception))

    def test_other_connections(self):
        with self.assertRaisesRegex(
            hbscore.LoadError, "sqlite3 and apsw, not into a threading.Thread"
        ):
            hbscore.load(threading.Thread())


class File(unittest.TestCase):
    def test_environment(self):
        with mock.patch.dict(os.environ, HBSCORE_SO=COPY):
            self.assertEqual(loading.extension_path(), COPY)
        with mock.patch.dict(os.environ, HBSCORE_SO="/nonexistent.so"):
            with self.assertRaisesRegex(
                hbscore.LoadError, "HBSCORE_SO names /nonexistent.so, which is not there"
            ):
                loading.extension_path()

    def test_package_then_source_tree(self):
        with tempfile.TemporaryDirectory() as folder, mock.patch.dict(os.environ):
            os.environ.pop("HBSCORE_SO", None)
            here = Path(folder) / "python" / "src" / "hbscore"
            with mock.patch.object(loading, "HERE", here):
                with self.assertRaisesRegex(hbscore.LoadError, "make wheel"):
                    loading.extension_path()
                for path in (Path(folder) / "build" / "hbscore.so", here / "lib" / "hbscore.so"):
                    path.parent.mkdir(parents=True)
                    path.touch()
                    self.assertEqual(loading.extension_path(), str(path))

    def test_version(self):
        header = (ROOT / "core" / "hbscore.h").read_text()
        self.assertIn(f'#define HBS_VERSION "{hbscore.__version__}"', header)


class OpenDatabase(unittest.TestCase):
    def test_sqlite3_first(self):
        self.assertIsInstance(loading.open_database(":memory:"), sqlite3.Connection)

    def test_apsw_where_sqlite3_cannot(self):
        code = (
            "import sqlite3\n"
            "class Without: close = lambda self: None\n"
            "sqlite3.connect = lambda path, uri: Without()\n"
            "from hbscore import loading\n"
            "print(type(loading.open_database(':memory:')).__module__)\n"
        )
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        self.assertEqual(done.stdout, "apsw\n", done.stderr)


if __name__ == "__main__":
    unittest.main()
