"""`Care`: what keeps a memory sound: backups, fresh indexes, a ledger that verifies."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from saegim.errors import BadInput
from saegim.memory.changes import Change
from saegim.memory.memory import Memory
from saegim.memory.scope import Scope
from saegim.mind import Mind
from saegim.night_settings import BACKUPS
from saegim.plugins import Late
from saegim.store.backup import Backup
from saegim.store.desk.hearing import Listener, Subscription

if TYPE_CHECKING:
    from saegim.examination import audit
    from saegim.importers import events, intake, legacy
    from saegim.perceive import again, later
    from saegim.projects import projects
else:
    audit = Late("saegim.examination.audit")
    legacy = Late("saegim.importers.legacy")
    events = Late("saegim.importers.events")
    again = Late("saegim.perceive.again")
    later = Late("saegim.perceive.later")
    projects = Late("saegim.projects.projects")


@dataclass(frozen=True, slots=True)
class Care:
    """The upkeep of one open memory."""

    mind: Mind
    scope: Scope
    home: Path
    # Closes what is in mind of sessions that nobody closed.
    tend: Callable[[Mind], object] = lambda _: None

    def close_idle_sessions(self) -> None:
        """Close the sessions of this process in which nothing was said for long (seed B gc)."""
        self.tend(self.mind)

    def backup(self, folder: str | os.PathLike[str] | None = None) -> Backup:
        """Make one verified backup file while others write; `backup_path` unless told where."""
        settings = self.mind.settings
        place = Path(folder) if folder else settings.backup_folder(self.home)
        return self.mind.store.back_up(place, self.mind.now(), keep=settings.backups_kept)

    def restore_backup(self, path: str | os.PathLike[str]) -> tuple[Backup, Backup]:
        """Put a backup in place; return what was restored and what was kept aside."""
        return self.mind.store.restore_backup(Path(path), self.home / BACKUPS, self.mind.now())

    def rebuild(self) -> Iterator[tuple[int, int]]:
        """Write the word index and the vectors anew from the text; yields (done, total)."""
        return self.mind.store.rebuild(self.mind.embedder, self.mind.now)

    def derive(self) -> Iterator[tuple[Memory, int]]:
        """Read the facts out of kept turns again; yields each turn and how many it lacked."""
        return again.derive_again(self.scope, self.mind)

    def verify(self) -> tuple[int, str]:
        """Walk the ledger and every digest; return its length and its head."""
        return self.mind.store.verify(self.scope)

    def work(self, *, parked: bool = False) -> Iterator[later.Done]:
        """Do now what waits for the language model; `parked` tries what was given up."""
        if parked:
            self.mind.store.desk.again(self.scope, self.mind.now())
        return later.work(self.mind)

    def migrate(self, path: str | os.PathLike[str] | None = None) -> intake.Report | None:
        """Take over an old bara database, the one that is set if none is named (seed E, phase 6).

        Once: nothing is done, and nothing returned, where this very file was taken over before.
        """
        file = self.old_database(path)
        if legacy.is_current(file, self.scope, self.mind):
            return None
        return legacy.migrate(file, scope=self.scope, mind=self.mind)

    def migration(self, path: str | os.PathLike[str] | None = None) -> legacy.Migrated | None:
        """Return how taking over an old database ended, if it was tried."""
        return legacy.last(self.old_database(path), self.scope, self.mind)

    def old_database(self, path: str | os.PathLike[str] | None = None) -> Path:
        """Return the old database that is meant: the one named, or the one that is set."""
        named = os.fspath(path) if path else self.mind.settings.legacy_path
        if not named:
            raise BadInput("import.no_old_database_is_named")
        return Path(named).expanduser().absolute() if path else legacy.place_of(named, self.home)

    @property
    def resonance(self) -> events.ResonanceLedger:
        """What an orchestrator of seed A logs: `log_event`, the latest, the files of past years."""
        return events.ResonanceLedger(self.mind, self.scope)

    @property
    def projects(self) -> projects.Projects:
        """What each project holds; moving memories between projects, merging two into one."""
        return projects.Projects(self.scope, self.mind)

    def subscribe(self, listener: Listener, *kinds: type[Change]) -> Subscription:
        """Call the listener after each commit with what it made true for this user, and no other.

        It is called on a quiet thread of its own, in the order of the commits; close the
        subscription to hear no more.
        """
        return self.mind.store.subscribe(listener, *kinds, owner=self.scope.user)

    def audit(self, *, samples: int = 5) -> audit.Audit:
        """Count what deserves a look: duplicates, orphans, unverified, secret-like (U4.5)."""
        return audit.audit(self.scope, self.mind, samples=samples)
