"""Taking over the memory of an old system (seed E, phase 6): once, recorded, then skipped.

Where the host names the old database (`legacy_path`), it is read in the background when the memory
is opened; at a terminal a person is asked first. The old file is only ever read. The ids of what it
holds are made from its words, so a migration that was cut off goes on where it was the next time,
and two that run at once come to the same.
"""

from __future__ import annotations

import contextlib
import hashlib
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from saegim.errors import BadInput, NotFound, SaegimError
from saegim.importers.formats import chosen
from saegim.importers.intake import Intake, Report
from saegim.importers.source import old_tables
from saegim.importers.source.source import reading
from saegim.memory.changes import Written
from saegim.memory.clock import iso, parse_instant
from saegim.memory.entities import Page
from saegim.memory.memory import Scope
from saegim.mind import Mind
from saegim.store.commit import Batch
from saegim.store.tables.other_sqlite import MAGIC, OtherSqlite

KIND: Final = "legacy"
FORM: Final = "bara"
DONE, FAILED = "done", "failed"
_COUNTS: Final = ("read", "added", "known", "entities", "masked", "quarantined")
# Where an old system keeps its file, seen from the folder one stands in.
_PLACES: Final = ("", "data", "backend", "backend/data", "backend/app", "db")
_SUFFIXES: Final = (".db", ".sqlite", ".sqlite3")
_MOST_FILES: Final = 50
_PATIENCE_SECONDS: Final = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Migrated:
    """How taking over one old database ended: when, what came, or what is in the way."""

    state: str
    at: datetime
    digest: str = ""
    counts: dict[str, int]
    problems: int = 0
    trouble: str = ""


def place_of(name: str, home: Path) -> Path:
    """Return the file that a setting names; a short name lies in the data directory."""
    path = Path(name).expanduser()
    return path if path.is_absolute() else home / path


def last(path: Path, scope: Scope, mind: Mind) -> Migrated | None:
    """Return how taking over this database ended, if it was tried."""
    versions = mind.store.pages.of(scope, key=_key(path))
    if not versions:
        return None
    data = versions[-1].data
    return Migrated(
        state=str(data["state"]),
        at=parse_instant(data["at"], "at"),
        digest=str(data["sha256"]),
        counts={name: int(data.get(name, 0)) for name in _COUNTS},
        problems=int(data.get("problems", 0)),
        trouble=str(data.get("trouble", "")),
    )


def is_current(path: Path, scope: Scope, mind: Mind) -> bool:
    """Say whether this very database was taken over, as it is now."""
    held = last(path, scope, mind)
    return held is not None and held.state == DONE and held.digest == _digest(path)


def migrate(
    path: Path, *, scope: Scope, mind: Mind, stopped: Callable[[], bool] = lambda: False
) -> Report | None:
    """Take over an old database and write down that it was; nothing if it was stopped on the way.

    What came in before a stop or a fault stays, and is known the next time.
    """
    try:
        before = _digest(path)
        report = _taken(path, scope, mind, stopped)
        if report is None:
            return None
        if _digest(path) != before:
            raise BadInput("import.written_while_was_read", path=path)
    except SaegimError as error:
        _write(path, {"state": FAILED, "sha256": "", "trouble": error.message}, scope, mind)
        raise
    counts = {name: getattr(report, name) for name in _COUNTS}
    told = {"state": DONE, "sha256": before, "problems": len(report.problems), **counts}
    _write(path, told, scope, mind)
    return report


def _taken(path: Path, scope: Scope, mind: Mind, stopped: Callable[[], bool]) -> Report | None:
    form = chosen(path, FORM)
    source = reading(path, form.name, scope, mind.store, mind.now())
    intake = Intake(scope, mind, form.name, False)
    try:
        for found in form.read(path, source):
            if stopped():
                return None
            intake.take(found)
    except OSError as error:
        raise BadInput(
            "import.cannot_be_read_2", path=path, reason=error.strerror or error
        ) from error
    return intake.finish()


def _write(path: Path, told: dict[str, Any], scope: Scope, mind: Mind) -> None:
    """Write down how it ended, unless it ended the same way before."""
    held = last(path, scope, mind)
    same = held is not None and (held.state, held.digest, held.trouble) == (
        told["state"],
        told["sha256"],
        told.get("trouble", ""),
    )
    if same and not told.get("added"):
        return
    page = Page(key=_key(path), kind=KIND, data={**told, "at": iso(mind.now())})
    mind.store.commit(Batch(scope.user, [Written(page)], actor="import", at=mind.now()))


def _key(path: Path) -> str:
    """Return the page of a database; a path may tell a name, and stands in no key."""
    named = str(path.expanduser().absolute()).encode("utf-8", "surrogatepass")
    return f"{KIND}:{hashlib.blake2b(named, digest_size=8).hexdigest()}"


def _digest(path: Path) -> str:
    if not path.is_file():
        raise NotFound("import.no_file", path=path)
    with OtherSqlite(path) as foreign:
        return foreign.digest


# -- found by itself ------------------------------------------------------------------------------


def around(folder: Path) -> list[Path]:
    """Return the old databases that lie in a folder or where such systems keep them."""
    return [path for path in _files(folder) if _is_old(path)]


def _files(folder: Path) -> Iterator[Path]:
    count = 0
    for place in _PLACES:
        with contextlib.suppress(OSError):
            for path in sorted((folder / place).iterdir()):
                if path.suffix.lower() in _SUFFIXES and path.is_file():
                    count += 1
                    if count > _MOST_FILES:
                        return
                    yield path


def _is_old(path: Path) -> bool:
    """Say whether a file is the database of an old system, and not ours."""
    try:
        with path.open("rb") as file:
            if file.read(len(MAGIC)) != MAGIC:
                return False
        with OtherSqlite(path) as foreign:
            return not foreign.is_ours and bool(set(old_tables.TABLES) & set(foreign.tables))
    except (OSError, SaegimError):
        return False


# -- in the background ----------------------------------------------------------------------------


class LegacyMigration:
    """One quiet thread that takes over the database a host names, if it was not taken over yet."""

    def __init__(self, path: Path, scope: Scope, mind: Mind) -> None:
        self._path, self._scope, self.mind = path, scope, mind
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="saegim-legacy", daemon=True)
        self.trouble = ""

    def start(self) -> None:
        """Begin, unless it was done before; without a thread to spare the next opening does it."""
        held = last(self._path, self._scope, self.mind)
        if (held is None or held.state != DONE) and not self.mind.store.readonly:
            with contextlib.suppress(RuntimeError):
                self._thread.start()

    def _run(self) -> None:
        try:
            migrate(self._path, scope=self._scope, mind=self.mind, stopped=self._stop.is_set)
        except SaegimError as error:
            # It is written down, and tried again the next time; status says why.
            self.trouble = error.message

    def join(self, seconds: float | None = None) -> None:
        """Wait until it is over, or so long."""
        if self._thread.is_alive():
            self._thread.join(seconds)

    def close(self) -> None:
        """Stop after the piece in hand; what came in stays, the rest comes the next time."""
        self._stop.set()
        self.join(_PATIENCE_SECONDS)
