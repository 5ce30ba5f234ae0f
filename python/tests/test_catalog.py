"""What a database holds: models, versions, get_model, inspect of a stored model, verify, get and set."""

from __future__ import annotations

import datetime
import hashlib
import sqlite3
import unittest
from pathlib import Path

import apsw

import hbscore
from support import CONNECTIONS, DEMO, connect_sqlite3

TITANIC = DEMO / "titanic.json"
CLASSES = ["died", "survived"]
ERRORS = (sqlite3.Error, apsw.Error)
GOLDEN = {"rows": [[3, "male", 22, 1, 0, 7.25, "S"]], "prediction": ["died"]}


def stocked(connect):
    connection = connect()
    hbscore.register(connection, "titanic", TITANIC, classes=CLASSES, description="all rounds", golden=GOLDEN)
    hbscore.register(connection, "titanic", TITANIC, classes=CLASSES, rounds=10)
    hbscore.register(connection, "wine", DEMO / "wine.ubj")
    return connection


class Catalog(unittest.TestCase):
    def connections(self):
        for kind, connect in CONNECTIONS.items():
            with self.subTest(kind):
                connection = stocked(connect)
                yield connection
                connection.close()

    def test_a_database_without_models(self):
        for connect in CONNECTIONS.values():
            connection = connect()
            self.assertEqual(hbscore.models(connection), [])
            with self.assertRaisesRegex(ERRORS, 'unknown model "titanic"'):
                hbscore.versions(connection, "titanic")

    def test_models(self):
        for connection in self.connections():
            titanic, wine = hbscore.models(connection)
            self.assertEqual(
                (titanic.name, titanic.version, titanic.versions, titanic.aliases), ("titanic", 2, (1, 2), {})
            )
            self.assertEqual((titanic.description, wine.format), (None, "xgboost-ubjson"))
            age = datetime.datetime.now(datetime.timezone.utc) - wine.created_at
            self.assertLess(abs(age.total_seconds()), 3600)
            hbscore.deploy(connection, "titanic", 1)
            hbscore.deploy(connection, "titanic", 2, "challenger")
            titanic = hbscore.models(connection)[0]
            self.assertEqual((titanic.version, titanic.description), (1, "all rounds"))
            self.assertEqual(titanic.aliases, {"challenger": 2, "default": 1})

    def test_versions_that_wait(self):
        for connection in self.connections():
            hbscore.register(connection, "titanic", TITANIC, deploy=False)
            self.assertEqual([v.waits for v in hbscore.versions(connection, "titanic")], [False, False, True])
            self.assertEqual(hbscore.models(connection)[0].version, 2)
            self.assertEqual(hbscore.inspect(connection, "titanic")[4].note, "10 of 80")
            hbscore.register(connection, "all wait", TITANIC, deploy=False)
            model = hbscore.models(connection)[0]
            self.assertEqual((model.name, model.version, model.format), ("all wait", None, "xgboost-json"))
            hbscore.deploy(connection, "all wait", 1)
            self.assertEqual(hbscore.models(connection)[0].version, 1)

    def test_texts_that_the_application_reads_as_bytes(self):
        connection = stocked(connect_sqlite3)
        connection.text_factory = bytes
        self.assertEqual([model.name for model in hbscore.models(connection)], ["titanic", "wine"])
        self.assertEqual(connection.execute("SELECT 'a'").fetchone(), (b"a",))

    def test_a_row_that_somebody_has_damaged(self):
        connection = stocked(connect_sqlite3)
        connection.execute("UPDATE hbscore_models SET options = '{' WHERE version = 2")
        self.assertEqual([v.options for v in hbscore.versions(connection, "titanic")][1], {})

    def test_a_dropped_model_is_none_and_its_versions_stay(self):
        for connection in self.connections():
            hbscore.drop(connection, "titanic", 2)
            self.assertEqual(hbscore.models(connection)[0].versions, (1,))
            self.assertEqual(hbscore.models(connection)[0].version, 1)
            hbscore.drop(connection, "titanic")
            self.assertEqual([model.name for model in hbscore.models(connection)], ["wine"])
            self.assertEqual([v.size for v in hbscore.versions(connection, "titanic")], [None, None])

    def test_versions(self):
        data = TITANIC.read_bytes()
        for connection in self.connections():
            hbscore.deploy(connection, "titanic", 1)
            first, second = hbscore.versions(connection, "titanic")
            self.assertEqual((first.version, first.aliases, second.aliases), (1, ("default",), ()))
            self.assertEqual((first.size, first.sha256), (len(data), hashlib.sha256(data).hexdigest()))
            self.assertEqual(first.options, {"classes": CLASSES, "description": "all rounds"})
            self.assertEqual((second.options["rounds"], second.created_by), (10, None))
            with self.assertRaisesRegex(ERRORS, 'the nearest name is: "titanic"'):
                hbscore.versions(connection, "titanc")
            with self.assertRaisesRegex(hbscore.InvalidValue, "takes the name alone"):
                hbscore.versions(connection, "titanic@1")

    def test_plain_sql_without_the_extension(self):
        connection = sqlite3.connect(":memory:")
        self.assertEqual(hbscore.models(connection), [])
        for line in stocked(connect_sqlite3).iterdump():
            connection.execute(line)
        self.assertEqual([model.name for model in hbscore.models(connection)], ["titanic", "wine"])
        self.assertEqual(len(hbscore.versions(connection, "titanic")), 2)

    def test_a_file_from_before_aliases(self):
        for connection in self.connections():
            connection.execute("DROP TABLE hbscore_aliases")
            self.assertEqual(hbscore.models(connection)[0].aliases, {})
            self.assertEqual(hbscore.versions(connection, "wine")[0].aliases, ())

    def test_get_model(self):
        for connection in self.connections():
            for reference in ("titanic", "titanic@1"):
                self.assertEqual(hbscore.get_model(connection, reference), TITANIC.read_bytes())
            hbscore.deploy(connection, "titanic", 1, "champion")
            data = hbscore.get_model(connection, "titanic@champion")
            self.assertEqual(hbscore.register(connection, "copy", data), 1)
            with self.assertRaisesRegex(ERRORS, 'unknown model "nothing"'):
                hbscore.get_model(connection, "nothing")
            hbscore.drop(connection, "titanic", 2)
            with self.assertRaisesRegex(ERRORS, "was dropped"):
                hbscore.get_model(connection, "titanic@2")

    def test_get_model_of_damaged_bytes(self):
        connection = stocked(connect_sqlite3)
        connection.execute("UPDATE hbscore_models SET model = x'00' WHERE name = 'wine'")
        with self.assertRaisesRegex(hbscore.Error, '"wine@1" are damaged'):
            hbscore.get_model(connection, "wine")

    def test_inspect_of_a_stored_model(self):
        for connection in self.connections():
            lines = hbscore.inspect(connection, "titanic@1")
            self.assertEqual(lines, hbscore.inspect(connection, TITANIC, classes=CLASSES))
            self.assertIn(("model", 5, "rounds", "", "10 of 80"), hbscore.inspect(connection, "titanic"))
            with self.assertRaisesRegex(hbscore.InvalidValue, "options of its own"):
                hbscore.inspect(connection, "titanic", rounds=3)
            with self.assertRaisesRegex(ERRORS, 'the nearest name is: "titanic"'):
                hbscore.inspect(connection, "titanc")

    def test_inspect_of_a_path_that_is_a_text(self):
        connection = stocked(connect_sqlite3)
        with self.assertRaisesRegex(hbscore.InvalidValue, "give a file as pathlib.Path"):
            hbscore.inspect(connection, str(TITANIC))
        self.assertEqual(hbscore.inspect(connection, Path(str(TITANIC)))[0].note, "xgboost-json")

    def test_verify(self):
        for connection in self.connections():
            self.assertEqual(
                hbscore.verify(connection, "titanic"), [(1, 1, 0.0, True, ""), (2, 0, None, None, "")]
            )
            self.assertIs(hbscore.verify(connection, "titanic@1")[0].ok, True)
            connection.execute("UPDATE hbscore_models SET golden = replace(golden, 'died', 'survived')")
            wrong = hbscore.verify(connection, "titanic@1")[0]
            self.assertIs(wrong.ok, False)
            self.assertIn('prediction is "died", golden has "survived"', wrong.note)
            with self.assertRaisesRegex(ERRORS, "unknown model"):
                hbscore.verify(connection, "nothing")


class Settings(unittest.TestCase):
    def test_get_and_set(self):
        for connect in CONNECTIONS.values():
            connection = connect()
            self.assertEqual(hbscore.get(connection, "strategy"), "auto")
            self.assertEqual(hbscore.set(connection, "strategy", "tt"), "tt")
            self.assertEqual(hbscore.get(connection, "passes_off"), "")
            self.assertEqual(hbscore.set(connection, "passes_off", "fold_constants"), "fold_constants")
            self.assertEqual(hbscore.set(connection, "passes_off", "all"), "all")
            self.assertEqual(hbscore.set(connection, "max_model_size", "1MB"), 1 << 20)
            self.assertEqual(hbscore.set(connection, "plan_cache_size", 5_000_000), 5_000_000)
            self.assertEqual(hbscore.get(connection, "plan_cache_size"), 5_000_000)

    def test_what_is_no_setting(self):
        for connect in CONNECTIONS.values():
            connection = connect()
            with self.assertRaisesRegex(ERRORS, 'unknown setting "cache"; there are: plan_cache_size'):
                hbscore.get(connection, "cache")
            with self.assertRaisesRegex(ERRORS, 'unknown setting "cache"'):
                hbscore.set(connection, "cache", 1)
            with self.assertRaises(ERRORS):
                hbscore.set(connection, "strategy", "fast")
            with self.assertRaisesRegex(ERRORS, 'no pass "fold"; .* fold_constants'):
                hbscore.set(connection, "passes_off", "fold")


if __name__ == "__main__":
    unittest.main()
