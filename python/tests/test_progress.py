"""How registration tells how far it has come: a bar on a terminal, or calls of a function."""

from __future__ import annotations

import contextlib
import io
import unittest
from typing import Any, List, Tuple
from unittest import mock

import numpy
from sklearn.ensemble import RandomForestClassifier
from xgboost import XGBRegressor

import hbscore
from hbscore import progress
from hbscore.__main__ import main
from support import DEMO, ask, connect_sqlite3

TITANIC = DEMO / "titanic.json"


class Terminal(io.StringIO):
    """What a terminal shows of what is written to it: one line."""

    def __init__(self, is_terminal: bool = True) -> None:
        super().__init__()
        self.is_terminal = is_terminal

    def isatty(self) -> bool:
        return self.is_terminal

    def lines(self) -> List[str]:
        """One after the other, each over the one before."""
        line, found = "", []
        for piece in self.getvalue().split("\r"):
            line = piece + line[len(piece) :]
            found.append(line.rstrip())
        return found


class Broken(Terminal):
    def write(self, text: str) -> int:
        raise OSError("the terminal is gone")


def forest() -> Any:
    rng = numpy.random.RandomState(1)
    x = rng.randn(200, 4)
    return RandomForestClassifier(12, random_state=1).fit(x, x[:, 0] > 0), x


class Progress(unittest.TestCase):
    def setUp(self) -> None:
        self.connection = connect_sqlite3()
        # Everything is long work here.
        delay = mock.patch.object(progress, "DELAY", 0.0)
        redraw = mock.patch.object(progress, "REDRAW", 0.0)
        for patch in (delay, redraw):
            patch.start()
            self.addCleanup(patch.stop)

    def register(self, model: Any, terminal: Any, **more: Any) -> int:
        with contextlib.redirect_stderr(terminal):
            return hbscore.register(self.connection, "m", model, **more)

    def told(self, model: Any, **more: Any) -> List[Tuple[float, str]]:
        calls: List[Tuple[float, str]] = []
        terminal = Terminal()
        self.register(model, terminal, progress=lambda done, what: calls.append((done, what)), **more)
        self.assertEqual(terminal.getvalue(), "")
        return calls

    def test_a_bar_on_a_terminal_that_is_erased(self) -> None:
        model, x = forest()
        terminal = Terminal()
        self.assertEqual(self.register(model, terminal, sample=x), 1)
        lines = terminal.lines()
        for words in ("tree 1 of 12", "tree 12 of 12", "asking the model", "storing"):
            self.assertTrue(any(words in line for line in lines), words)
        bars = [line.count("#") for line in lines if "[" in line]
        self.assertEqual(bars, sorted(bars))
        self.assertTrue(all(line.startswith("hbscore: m [") for line in lines if line))
        self.assertEqual(lines[-1], "")
        self.assertTrue(terminal.getvalue().endswith("\r"))

    def test_nothing_elsewhere(self) -> None:
        model, x = forest()
        for terminal in (Terminal(is_terminal=False), io.StringIO()):
            self.register(model, terminal, sample=x)
            self.assertEqual(terminal.getvalue(), "")
        closed = Terminal()
        closed.close()
        self.register(model, closed)
        self.register(model, None)

    def test_true_shows_and_false_does_not(self) -> None:
        shown, hidden = Terminal(is_terminal=False), Terminal()
        self.register(TITANIC, shown, progress=True)
        self.register(TITANIC, hidden, progress=False)
        self.assertIn("storing 139 kB", shown.getvalue())
        self.assertEqual(hidden.getvalue(), "")

    def test_a_function_is_told_from_0_to_1(self) -> None:
        model, x = forest()
        for calls in (self.told(model), self.told(model, sample=x), self.told(TITANIC.read_bytes())):
            done = [number for number, _ in calls]
            self.assertEqual((done[0], done[-1]), (0.0, 1.0))
            self.assertEqual(done, sorted(done))
            self.assertEqual(calls[-1][1], "stored")

    def test_other_libraries_have_no_trees_to_tell_of(self) -> None:
        rng = numpy.random.RandomState(1)
        x = rng.randn(100, 3)
        model = XGBRegressor(n_estimators=3).fit(x, x[:, 0])
        steps = [what for _, what in self.told(model, sample=x)]
        self.assertEqual(steps[0], "writing the file")
        self.assertEqual(steps[-1], "stored")

    def test_what_a_function_raises_stops_the_registration(self) -> None:
        model, _ = forest()

        def stop(done: float, what: str) -> None:
            if what.startswith("tree 3"):
                raise KeyboardInterrupt

        with self.assertRaises(KeyboardInterrupt):
            hbscore.register(self.connection, "m", model, progress=stop)
        self.assertEqual(ask(self.connection, "SELECT count(*) FROM sqlite_schema"), 0)

    def test_the_bar_goes_where_a_registration_fails(self) -> None:
        terminal = Terminal()
        with self.assertRaises(Exception):
            self.register(b'{"learner": 1}', terminal, progress=True)
        self.assertEqual(terminal.lines()[-1], "")
        self.assertIn("storing", terminal.getvalue())

    def test_a_terminal_that_is_gone_stops_nothing(self) -> None:
        self.assertEqual(self.register(TITANIC, Broken()), 1)

    def test_short_work_draws_nothing(self) -> None:
        terminal = Terminal()
        with mock.patch.object(progress, "DELAY", 60.0):
            self.register(TITANIC, terminal)
            self.assertEqual(terminal.getvalue(), "")
            with mock.patch("hbscore.database.LARGE", 1000):  # a large file is known to take long
                self.register(TITANIC, terminal)
        self.assertIn("storing", terminal.getvalue())

    def test_a_bar_is_drawn_now_and_then_but_at_once_for_a_new_step(self) -> None:
        terminal = Terminal()
        with mock.patch.object(progress, "REDRAW", 60.0):
            bar = progress.Bar(terminal, "title", 0.0)
            for i in range(1000):
                bar(i / 1000, "tree %d" % i)
            bar(1.0, "storing")
        self.assertEqual([line[-7:] for line in terminal.lines() if line], [" tree 0", "storing"])

    def test_a_line_is_as_wide_as_the_terminal_and_has_no_control_characters(self) -> None:
        terminal = Terminal()
        with mock.patch.dict("os.environ", {"COLUMNS": "40"}):
            bar = progress.Bar(terminal, "m\x1b[31m\n" + 60 * "x", 0.0)
            bar(0.5, "storing\x07")
            bar.close()
        self.assertEqual(max(len(line) for line in terminal.lines()), 39)
        self.assertEqual(terminal.lines()[-1], "")
        self.assertTrue(terminal.getvalue().replace("\r", "").isprintable())

    def test_other_values_are_refused(self) -> None:
        with self.assertRaisesRegex(hbscore.InvalidValue, "progress takes None, True, False or a function, not 'yes'"):
            hbscore.register(self.connection, "m", TITANIC, progress="yes")
        with self.assertRaisesRegex(hbscore.InvalidValue, "not an object of the type list$"):
            hbscore.register(self.connection, "m", TITANIC, progress=["row"])

    def test_export(self) -> None:
        model, _ = forest()
        calls: List[str] = []
        data = hbscore.export(model, progress=lambda done, what: calls.append(what))
        self.assertEqual(calls, ["tree %d of 12" % i for i in range(1, 13)])
        self.assertEqual(data, hbscore.export(model))
        terminal = Terminal()
        with contextlib.redirect_stderr(terminal):
            hbscore.export(model)
        self.assertIn("hbscore: RandomForestClassifier [", terminal.getvalue())

    def test_the_command(self) -> None:
        terminal = Terminal()
        with contextlib.redirect_stderr(terminal), contextlib.redirect_stdout(io.StringIO()):
            self.assertFalse(main(["register", ":memory:", "m", str(TITANIC)]))
        self.assertIn("hbscore: m [", terminal.getvalue())
        self.assertEqual(terminal.lines()[-1], "")


if __name__ == "__main__":
    unittest.main()
