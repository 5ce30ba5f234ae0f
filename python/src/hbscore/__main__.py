"""The command line: python -m hbscore inspect FILE, python -m hbscore register DATABASE NAME FILE.

The status is 0 when all is done, 1 when something was refused, which is said on stderr, and 2 when the
command itself is wrong."""

from __future__ import annotations

import argparse
import signal
import sys
from typing import List, Optional, Sequence

from . import __version__
from .database import Line, deploy_version, inspect_text, read_model, register_text
from .errors import Error
from .loading import open_database
from .progress import LARGE, shown, size


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """Runs one command; gives the exit status."""
    given = _parser().parse_args(arguments)
    try:
        given.run(given)
    except (Error, OSError) as error:
        return _refused(error)
    except Exception as error:  # an error of a database: hbscore's refusals are among them
        if type(error).__module__.partition(".")[0] not in ("sqlite3", "apsw", "pysqlite3"):
            raise
        return _refused(error)
    return 0


def _refused(error: Exception) -> int:
    print(f"hbscore: {error}", file=sys.stderr)
    return 1


_FILE = "of XGBoost, LightGBM or CatBoost, or what hbscore.export has written"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m hbscore", description="Trained models in a database."
    )
    parser.add_argument("--version", action="version", version=__version__)
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")

    command = commands.add_parser(
        "inspect", help="what a model's file takes and gives, or why it is refused"
    )
    command.add_argument("file", metavar="FILE", help=_FILE)
    _add_options(command)
    command.set_defaults(run=_inspect)

    command = commands.add_parser(
        "register", help="store a model's file as the next version of a name"
    )
    command.add_argument(
        "database", metavar="DATABASE", help="a file of SQLite; made if it is not there"
    )
    command.add_argument("name", metavar="NAME", help="of the model")
    command.add_argument("file", metavar="FILE", help=_FILE)
    command.add_argument(
        "--deploy", metavar="ALIAS", nargs="?", const="default", help="deploy the new version too"
    )
    _add_options(command)
    command.set_defaults(run=_register)
    return parser


def _add_options(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--options",
        metavar="JSON",
        default="{}",
        help="""as in SQL: '{"classes": ["no", "yes"]}'""",
    )


def _inspect(given: argparse.Namespace) -> None:
    data = read_model(given.file)
    connection = open_database(":memory:")
    try:
        lines = inspect_text(connection, data, given.options)
    finally:
        connection.close()
    print("\n".join(table(lines)))


def _register(given: argparse.Namespace) -> None:
    data = read_model(given.file)
    connection = open_database(given.database)
    try:
        cursor = connection.cursor()
        cursor.execute("BEGIN IMMEDIATE")  # with nothing committed, closing takes it all back
        with shown(None, f"hbscore: {given.name}", at_once=len(data) >= LARGE) as told:
            told(0.0, f"storing {size(data)}")
            version = register_text(connection, given.name, data, given.options)
        if given.deploy is not None:
            deploy_version(connection, given.name, version, given.deploy)
        cursor.execute("COMMIT")
    finally:
        connection.close()
    print(f"{given.name}@{version}")


def table(lines: Sequence[Line]) -> List[str]:
    """Lines of text in columns, the last one as long as it is."""
    rows = [Line._fields, *[tuple(str(field) for field in line) for line in lines]]
    widths = [max(len(row[i]) for row in rows) for i in range(len(Line._fields) - 1)] + [0]
    return [
        "  ".join(text.ljust(width) for text, width in zip(row, widths)).rstrip() for row in rows
    ]


if __name__ == "__main__":
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # `.. | head` ends it without a word
    sys.exit(main())
