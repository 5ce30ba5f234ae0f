"""Which models and versions a database holds, and their bytes."""

from __future__ import annotations

import datetime
import hashlib
import json
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

from .dialects import dialect_of
from .errors import Error, InvalidValue


class Model(NamedTuple):
    """One model, as `models` lists it.

    name         what SQL calls it
    version      the version that the name alone means: the deployed one, else the newest that does not wait to be
                 deployed (option deploy); None where all versions wait
    versions     the numbers of all versions that were not dropped
    aliases      the version that each alias names; "default" is the deployed one
    format       what that version's bytes were read as; where all wait, the newest one's
    description  of the same version, for people
    created_at   when the same version was registered, in UTC"""

    name: str
    version: Optional[int]
    versions: Tuple[int, ...]
    aliases: Dict[str, int]
    format: str
    description: Optional[str]
    created_at: datetime.datetime


class Version(NamedTuple):
    """One version of a model, as `versions` lists it.

    version      its number
    aliases      those that name it; "default": it is what the name alone means
    format       what its bytes were read as
    sha256       of its bytes, 64 hexadecimal digits; None where the database does not keep it
    size         bytes of the model; None where the version was dropped
    description  for people
    options      as registered, without golden rows; empty where somebody has damaged the row
    created_at   when it was registered, in UTC
    created_by   the role; None in SQLite, which has no users"""

    version: int
    aliases: Tuple[str, ...]
    format: str
    sha256: Optional[str]
    size: Optional[int]
    description: Optional[str]
    options: Dict[str, Any]
    created_at: datetime.datetime
    created_by: Optional[str]

    @property
    def waits(self) -> bool:
        """Whether the name alone can mean it only by a deployment: it was registered with deploy=False."""
        return self.options.get("deploy") is False


def models(connection: Any) -> List[Model]:
    """The models of a database, by name; empty where nothing is registered. A model whose versions were all
    dropped is none. The tables are read by plain SQL, so SQLite needs no extension for it."""
    aliases = _aliases(connection)
    found = []
    for name, rows in _versions(connection).items():
        kept = {row.version: row for row in rows if row.size is not None}
        if not kept:
            continue
        named = aliases.get(name, {})
        current = named.get("default", max((row.version for row in kept.values() if not row.waits), default=None))
        shown = kept.get(current or 0, kept[max(kept)])
        found.append(
            Model(name, current, tuple(kept), named, shown.format, shown.description, shown.created_at)
        )
    return found


def versions(connection: Any, name: str) -> List[Version]:
    """All versions of a model, the oldest first; of those that were dropped `size` is None. An unknown name is an
    error of the database, which says the nearest one."""
    if "@" in name:
        raise InvalidValue(f'"{name}" is a reference to one version: versions takes the name alone')
    rows = _versions(connection).get(name)
    if rows is None:
        pinned(connection, name)
        raise Error(f'model "{name}" was registered just now: ask again')
    return rows


def get_model(connection: Any, name: str) -> bytes:
    """The bytes of a stored model, as they were registered. `name` is any reference: "churn", "churn@2". Errors of
    the database pass through; bytes without the digest that was stored with them are an Error."""
    pin = pinned(connection, name)
    model, _, version = pin.partition("#")[0].rpartition("@")
    dialect = dialect_of(connection)
    rows = dialect.rows(connection, dialect.model, (model, int(version)))
    if not rows or rows[0][0] is None:
        raise Error(f'version {version} of model "{model}" was dropped just now')
    data = bytes(rows[0][0])
    if hashlib.sha256(data).hexdigest() != rows[0][1]:
        raise Error(f'the bytes of model "{model}@{version}" are damaged: their SHA-256 is not the stored one')
    return data


def pinned(connection: Any, reference: str) -> str:
    """The version that a reference means now, with the beginning of its digest: "churn@2#d3b3f4ba50e69ca7"."""
    dialect = dialect_of(connection)
    return str(dialect.rows(connection, dialect.pin, (reference,))[0][0])


def _tables(connection: Any) -> List[str]:
    dialect = dialect_of(connection)
    return [row[0] for row in dialect.rows(connection, dialect.tables, ())]


def _aliases(connection: Any) -> Dict[str, Dict[str, int]]:
    """For each model, the version that each alias names. SQLite has the table from the first registration on."""
    if "hbscore_aliases" not in _tables(connection):
        return {}
    dialect = dialect_of(connection)
    found: Dict[str, Dict[str, int]] = {}
    for name, alias, version in dialect.rows(connection, dialect.aliases, ()):
        found.setdefault(name, {})[alias] = version
    return found


def _versions(connection: Any) -> Dict[str, List[Version]]:
    """For each model, its versions, dropped ones too."""
    if "hbscore_models" not in _tables(connection):
        return {}
    dialect = dialect_of(connection)
    aliases = _aliases(connection)
    found: Dict[str, List[Version]] = {}
    for name, version, format, sha256, size, description, options, created_at, by in dialect.rows(
        connection, dialect.versions, ()
    ):
        named = tuple(alias for alias, of in aliases.get(name, {}).items() if of == version)
        row = Version(
            version, named, format, sha256, size, description, _options(options), _time(created_at), by
        )
        found.setdefault(name, []).append(row)
    return found


def _options(text: Any) -> Dict[str, Any]:
    try:
        options = json.loads(text)
    except (TypeError, ValueError):
        return {}
    return options if isinstance(options, dict) else {}


def _time(text: str) -> datetime.datetime:
    """A time of the tables, which is UTC."""
    return datetime.datetime.strptime(text, "%Y-%m-%d %H:%M:%S").replace(tzinfo=datetime.timezone.utc)
