"""What is registered in a transaction that sqlite3 began by itself is gone after close(): a warning says so."""

from __future__ import annotations

import os
import sqlite3
import tempfile
import unittest
import warnings
from types import SimpleNamespace
from typing import Any, Callable, List

import hbscore
from hbscore.__main__ import main
from hbscore.transactions import warn_if_open
from support import DEMO, connect_apsw, connect_sqlite3

TITANIC = DEMO / "titanic.json"


def warned(call: Callable[[], Any]) -> List[warnings.WarningMessage]:
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        call()
    return [warning for warning in found if warning.category is hbscore.OpenTransaction]


class Transactions(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "data.db")

    def connect(self, **settings: Any) -> sqlite3.Connection:
        connection = sqlite3.connect(self.path, **settings)
        self.addCleanup(connection.close)
        hbscore.load(connection)
        connection.execute("CREATE TABLE IF NOT EXISTS t (x)")
        return connection

    def count(self) -> int:
        """How many models another connection sees."""
        sql = "SELECT count(*) FROM sqlite_master WHERE name = 'hbscore_models'"
        other = sqlite3.connect(self.path)
        self.addCleanup(other.close)
        if not other.execute(sql).fetchone()[0]:
            return 0
        return int(other.execute("SELECT count(*) FROM hbscore_models").fetchone()[0])

    def test_after_an_insert_it_warns_and_close_takes_it_back(self):
        connection = self.connect()
        connection.execute("INSERT INTO t VALUES (1)")
        (warning,) = warned(lambda: hbscore.register(connection, "m", TITANIC))
        self.assertRegex(str(warning.message), r"^model \"m@1\" is registered, .*connection\.commit\(\)")
        self.assertEqual(warning.filename, __file__)
        connection.close()
        self.assertEqual(self.count(), 0)

    def test_committed_it_stays(self):
        connection = self.connect()
        connection.execute("INSERT INTO t VALUES (1)")
        hbscore.register(connection, "m", TITANIC)
        connection.commit()
        connection.close()
        self.assertEqual(self.count(), 1)

    def test_without_an_open_transaction_it_lasts_at_once(self):
        connection = self.connect()
        connection.execute("INSERT INTO t VALUES (1)")
        connection.commit()
        self.assertEqual(warned(lambda: hbscore.register(connection, "m", TITANIC)), [])
        connection.close()
        self.assertEqual(self.count(), 1)

    def test_deploy_and_drop_warn_too(self):
        connection = self.connect()
        hbscore.register(connection, "m", TITANIC)
        connection.execute("INSERT INTO t VALUES (1)")
        (warning,) = warned(lambda: hbscore.deploy(connection, "m", 1))
        self.assertRegex(str(warning.message), r"^model \"m@1\" is deployed, but")
        (warning,) = warned(lambda: hbscore.drop(connection, "m"))
        self.assertRegex(str(warning.message), r"^model \"m\" is dropped, but")

    def test_what_changes_nothing_is_silent(self):
        connection = self.connect()
        connection.execute("INSERT INTO t VALUES (1)")
        self.assertEqual(warned(lambda: hbscore.inspect(connection, TITANIC)), [])

    def test_an_application_that_rules_its_transactions_is_not_told(self):
        connection = self.connect(isolation_level=None)
        connection.execute("BEGIN")
        connection.execute("INSERT INTO t VALUES (1)")
        self.assertEqual(warned(lambda: hbscore.register(connection, "m", TITANIC)), [])
        connection.execute("COMMIT")
        connection = connect_apsw()
        connection.execute("BEGIN")
        self.assertEqual(warned(lambda: hbscore.register(connection, "m", TITANIC)), [])

    def test_the_autocommit_of_newer_pythons(self):
        """From Python 3.12 on connections have it; -1 is the old rule."""
        for autocommit, expected in ((-1, 1), (False, 0), (True, 0)):
            connection = SimpleNamespace(
                isolation_level="", autocommit=autocommit, in_transaction=True
            )
            self.assertEqual(len(warned(lambda: warn_if_open(connection, "done"))), expected)

    def test_it_can_be_silenced(self):
        connection = connect_sqlite3()
        connection.execute("CREATE TABLE t (x)")
        connection.execute("INSERT INTO t VALUES (1)")
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            warnings.filterwarnings("ignore", category=hbscore.OpenTransaction)
            hbscore.register(connection, "m", TITANIC)

    def test_the_command_commits_and_is_silent(self):
        arguments = ["register", self.path, "m", str(TITANIC), "--deploy"]
        self.assertEqual(warned(lambda: self.assertEqual(main(arguments), 0)), [])
        self.assertEqual(self.count(), 1)


if __name__ == "__main__":
    unittest.main()
