"""The example of docs/benchmarks.md is a model that runs."""

import pathlib
import re

from hbsbench import case, profiles, publish
from support import HERE, InFolder, model

PAGE = HERE.parent.parent / "docs" / "benchmarks.md"
FILE = re.compile(r"`([a-z.]+)`:\n\n```(?:yaml|python)\n(.*?)```", re.S)


class Page(InFolder):
    def test_the_example(self):
        files = dict(FILE.findall(PAGE.read_text()))
        self.assertEqual(set(files), {"heights.yaml", "tall.yaml", "heights.py"})
        for name, text in files.items():
            (self.folder / name).write_text(text)
        found, cache = model(self.folder / "tall.yaml"), self.folder / "cache"
        case.write_lock(found, cache)
        self.assertTrue((self.folder / "tall.lock").exists())
        for systems, scenarios in ((["hbscore-core", "hbscore-sqlite"], profiles.SCENARIOS), (["sklearn"], [profiles.SINGLE])):
            failed, lines, written, empty = self.run_cells(found, systems, scenarios, cache=cache)
            self.assertEqual((failed, empty), (0, []), lines)
        self.assertEqual(len([r for r in written if r["mode"] == "performance"]), 5 + 6 + 1)

    def test_tables_name_everything(self):
        text = PAGE.read_text()
        for path in pathlib.Path(HERE.parent / "manifests" / "systems").glob("*.yaml"):
            self.assertIn(f"`{path.stem}`", text)
        begin, end = publish.marks(publish.NOT_MEASURED)
        for name in publish.empty_parts(text):
            self.assertIn(f"`{name}`", text.split(begin)[1].split(end)[0])
        for name in [*profiles.PROFILES, *profiles.SCENARIOS]:
            self.assertIn(f"| `{name}` |", text)
