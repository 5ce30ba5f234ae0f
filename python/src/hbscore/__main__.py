"""The command line: python -m hbscore models|inspect|register|score.

The status is 0 when all is done, 1 when something was refused, which is said on stderr, and 2 when the
command itself is wrong."""

from __future__ import annotations

import argparse
import contextlib
import csv
import itertools
import signal
import sys
from typing import Any, Iterator, List, Optional, Sequence

from . import __version__
from .catalog import models
from .database import Line, deploy_version, inspect, inspect_text, read_model, register_text
from .errors import Error, InvalidValue
from .loading import open_database
from .progress import LARGE, shown, size
from .scoring import scored_query
from .target import target_of


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


_DATABASE = "a file of SQLite, which is only read"
_REFERENCE = "of a stored model: churn, churn@2, churn@champion"
_FILE = "of XGBoost, LightGBM or CatBoost, or what hbscore.export has written"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m hbscore", description="Trained models in a database."
    )
    parser.add_argument("--version", action="version", version=__version__)
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")

    command = commands.add_parser("models", help="the models of a database")
    command.add_argument("database", metavar="DATABASE", help=_DATABASE)
    command.set_defaults(run=_models)

    command = commands.add_parser(
        "inspect", help="what a model takes and gives, or why its file is refused"
    )
    command.add_argument("file", metavar="FILE", help=f"{_FILE}; or with MODEL a database of SQLite")
    command.add_argument("model", metavar="MODEL", nargs="?", help=_REFERENCE)
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

    command = commands.add_parser("score", help="a query's rows with their scores, as CSV")
    command.add_argument("database", metavar="DATABASE", help=_DATABASE)
    command.add_argument("model", metavar="MODEL", help=_REFERENCE)
    command.add_argument(
        "query",
        metavar="QUERY",
        help="a SELECT whose columns have the names of the model's features; - reads it from standard input",
    )
    command.set_defaults(run=_score)
    return parser


def _add_options(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--options",
        metavar="JSON",
        default="{}",
        help="""as in SQL: '{"classes": ["no", "yes"]}'""",
    )


@contextlib.contextmanager
def _reading(path: str) -> Iterator[Any]:
    connection = open_database(path, read_only=True)
    try:
        yield connection
    finally:
        connection.close()


def _models(given: argparse.Namespace) -> None:
    with _reading(given.database) as connection:
        found = models(connection)
    rows = []
    for model in found:
        aliases = ", ".join(f"{alias}={version}" for alias, version in model.aliases.items())
        numbers = ", ".join(str(version) for version in model.versions)
        created = f"{model.created_at:%Y-%m-%d %H:%M:%S}"
        current = "-" if model.version is None else model.version
        rows.append((model.name, current, numbers, aliases, model.format, created, model.description or ""))
    fields = ("name", "version", "versions", "aliases", "format", "created_at", "description")
    print("\n".join(table(fields, rows)))


def _inspect(given: argparse.Namespace) -> None:
    if given.model is not None:
        if given.options != "{}":
            raise InvalidValue("a stored model has options of its own: --options goes with a FILE alone")
        with _reading(given.file) as connection:
            lines = inspect(connection, given.model)
    else:
        data = read_model(given.file)
        with contextlib.closing(open_database(":memory:")) as connection:
            lines = inspect_text(connection, data, given.options)
    print("\n".join(table(Line._fields, lines)))


def _score(given: argparse.Namespace) -> None:
    """Row by row, so that memory does not grow with the query."""
    query = sys.stdin.read() if given.query == "-" else given.query
    with _reading(given.database) as connection:
        scored = scored_query(connection, target_of(connection, given.model), query, None)
        with contextlib.closing(scored.rows):
            first = next(scored.rows, None)  # what is wrong with the query comes before any output
            writer = csv.writer(sys.stdout, lineterminator="\n")
            writer.writerow(scored.columns)
            for row in itertools.chain([first] if first else [], scored.rows):
                if any(isinstance(cell, bytes) for cell in row):
                    raise InvalidValue(
                        "the query has a column of bytes, which CSV cannot hold: leave it out or use hex()"
                    )
                writer.writerow(row)


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


def table(fields: Sequence[str], lines: Sequence[Sequence[Any]]) -> List[str]:
    """Lines of text in columns, the last one as long as it is."""
    rows = [tuple(fields), *[tuple(str(field) for field in line) for line in lines]]
    widths = [max(len(row[i]) for row in rows) for i in range(len(fields) - 1)] + [0]
    return [
        "  ".join(text.ljust(width) for text, width in zip(row, widths)).rstrip() for row in rows
    ]


if __name__ == "__main__":
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # `.. | head` ends it without a word
    sys.exit(main())
