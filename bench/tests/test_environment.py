"""The environment of a record: what made hbscore, and how the databases are set."""

import os
import re
import unittest
from unittest import mock

from hbsbench import environment
from support import InFolder


class Environment(InFolder):
    def test_the_compiler_and_its_flags(self):
        (self.folder / "release").mkdir()
        (self.folder / "release" / "flags").write_text("gcc -O2 -g  -ffp-contract=off\n")
        for content, version in ((b"\0GCC: (Debian 12.2.0-14) 12.2.0\0more", "GCC: (Debian 12.2.0-14) 12.2.0"), (b"\0clang version 14.0.6\0", "clang version 14.0.6"),
                                 (b"nothing", None)):
            (self.folder / "hbscore.so").write_bytes(content)
            with mock.patch.dict(os.environ, {"HBSCORE_SO": str(self.folder / "hbscore.so")}):
                self.assertEqual(environment.environment()["compiler"], {"version": version, "flags": "gcc -O2 -g -ffp-contract=off"})
        with mock.patch.dict(os.environ, {"HBSCORE_SO": str(self.folder / "none.so")}):
            self.assertIsNone(environment.environment()["compiler"])

    def test_the_library_under_test(self):
        made = environment.environment()["compiler"]
        self.assertRegex(made["version"], "GCC|clang")
        self.assertIn("-ffp-contract=off", made["flags"])

    def test_the_flags_count_for_the_environment(self):
        """Records of differently compiled libraries are not compared."""
        first = environment.environment()["id"]
        with mock.patch.object(environment, "_compiler", lambda: {"version": "another", "flags": "-O3"}):
            self.assertNotEqual(environment.environment()["id"], first)

    def test_sqlite(self):
        options = environment.environment()["sqlite_options"]
        self.assertTrue(any(option.startswith("THREADSAFE=") for option in options), options)

    @unittest.skipUnless("PGHOST" in os.environ, "there is no PostgreSQL server")
    def test_postgres(self):
        found = environment.environment()["postgres_settings"]
        self.assertEqual(found["server"]["fsync"], "off")
        self.assertRegex(found["server"]["shared_buffers"], "^[0-9]+ x 8kB$")
        self.assertIn("force_generic_plan", found["connections"])
        self.assertFalse(any(re.search("directory|_file$|^port$", name) for name in found["server"]), found)

    def test_without_a_server(self):
        with mock.patch.dict(os.environ):
            os.environ.pop("PGHOST", None)
            self.assertIsNone(environment.environment()["postgres_settings"])
