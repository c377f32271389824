"""`Saegim`: the one place where the house is put together, and a thin list of its verbs."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from saegim.engines.embedder import Embedder
from saegim.engines.llm.llm import LanguageModel
from saegim.errors import BadInput, NotFound
from saegim.memory.clock import Clock, SystemClock, checked_id
from saegim.memory.memory import Memory
from saegim.memory.scope import Scope, checked_name
from saegim.mind import Mind
from saegim.opening import STORE, open_mind
from saegim.plugins import Late
from saegim.recall import flow as recalling
from saegim.recall import listing
from saegim.recall.query import Query
from saegim.settings import data_directory, read_settings
from saegim.sleep import leave
from saegim.store.backup import Backup
from saegim.store.read import Slice
from saegim.store.where import Where, where_of

if TYPE_CHECKING:
    import saegim.health as health
    from saegim.importers import flow as importing
    from saegim.perceive import acquaintance, again, later, moment, revise, turn
    from saegim.perceive import flow as perceiving
    from saegim.perceive import quarantine as separating
else:
    health = Late("saegim.health")
    importing = Late("saegim.importers.flow")
    acquaintance = Late("saegim.perceive.acquaintance")
    again = Late("saegim.perceive.again")
    later = Late("saegim.perceive.later")
    moment = Late("saegim.perceive.moment")
    perceiving = Late("saegim.perceive.flow")
    revise = Late("saegim.perceive.revise")
    separating = Late("saegim.perceive.quarantine")
    turn = Late("saegim.perceive.turn")


class Saegim:
    """A memory: open it, remember, recall. One object serves all threads of a process."""

    def __init__(
        self, mind: Mind, scope: Scope, home: Path, worker: later.Worker | None = None
    ) -> None:
        self._mind = mind
        self.scope = scope
        self.home = home
        self._worker = worker

    @classmethod
    def open(
        cls,
        path: str | os.PathLike[str] | None = None,
        *,
        user: str | None = None,
        agent: str | None = None,
        project: str | None = None,
        clock: Clock | None = None,
        embedder: Embedder | str | None = None,
        model: LanguageModel | str | None = None,
        background: bool = True,
        **settings: Any,
    ) -> Saegim:
        """Open the memory of this machine, or the one at `path`, making it if it is new.

        Without `background`, what waits for a language model waits until `work` is called.
        """
        home = Path(path).expanduser().absolute().parent if path else data_directory().absolute()
        if isinstance(embedder, str):
            embedder, settings["embedder"] = None, embedder
        if isinstance(model, str):
            model, settings["model"] = None, model
        read = read_settings(home, user=user, agent=agent, project=project, **settings)
        scope = Scope(user=read.user, agent=read.agent, project=read.project)
        file = Path(path).expanduser().absolute() if path else home / STORE
        mind = open_mind(file, read, clock or SystemClock(), embedder, model)
        working = background and mind.model is not None
        return cls(mind, scope, home, later.Worker(mind) if working else None)

    def within(self, **scope: str) -> Saegim:
        """Return the same memory seen from another user, agent, project or session."""
        held = {name: getattr(self.scope, name) for name in ("user", "agent", "project", "session")}
        return Saegim(self._mind, Scope(**{**held, **scope}), self.home, self._worker)

    # -- by day -----------------------------------------------------------------------------------

    def remember(
        self, text: str, *, key: str | None = None, keep_private: bool = False, **about: Any
    ) -> moment.Kept:
        """Keep a text word for word; `about` may say kind, tags, session, happened_at and more.

        Secrets are masked; `keep_private` keeps phone numbers and password-like words, not keys.
        """
        said = moment.moment_of(self.scope, text, about)
        kept = perceiving.remember(said, mind=self._mind, key=key, keep_private=keep_private)
        self._wake()
        return kept

    def observe(self, text: str, **about: Any) -> turn.Observed:
        """Judge a turn of conversation and keep it if it is worth it; `about` may say role, …"""
        seen = perceiving.observe(turn.turn_of(self.scope, text, about), mind=self._mind)
        self._wake()
        return seen

    def update(self, id: str, text: str, *, keep_private: bool = False) -> moment.Kept:
        """Correct a memory: a new version holds, the old one is kept."""
        return revise.revise(
            checked_id(id), text, scope=self.scope, mind=self._mind, keep_private=keep_private
        )

    def recall(
        self, question: str, *, limit: int | None = None, **filters: Any
    ) -> recalling.Recollection:
        """Answer a question, best first; `filters` may name kinds, tags, since, until and more."""
        most = self._mind.settings.recall_limit if limit is None else limit
        query = Query(text=question, where=self._where(filters), limit=most)
        return recalling.recall(query, mind=self._mind)

    def search(self, query: str | None = None, *, limit: int = 10, **filters: Any) -> list[Memory]:
        """Return what holds every word of the query, newest first (seed A §5)."""
        asked = Query(text=query or "", where=self._where(filters), limit=limit)
        return listing.newest_matching(asked, mind=self._mind)

    def get(self, id: str, *, exact: bool = False) -> Memory:
        """Return a memory by id; an id that was corrected leads to what holds now."""
        store = self._mind.store
        found = store.memory(
            self.scope, checked_id(id) if exact else store.current(self.scope, checked_id(id))
        )
        if found is None or not found.text:
            raise NotFound(f"There is no memory {id}.", next_step="`saegim recent` lists them.")
        return found

    def recent(self, n: int = 10, *, cursor: str | None = None, **filters: Any) -> Slice:
        """Return the newest memories with the true total; `next` goes on from there."""
        return listing.newest(self._where(filters), limit=n, cursor=cursor, mind=self._mind)

    def by_session(self, session: str) -> list[Memory]:
        """Return everything a session holds, in its order (seed A §5)."""
        where = Where(scope=self.scope, session=checked_name("session", session), everywhere=True)
        found = (memory for _, memory in self._mind.store.walk(where))
        return sorted(found, key=lambda each: (each.time.sequence or 0, each.time.happened_at))

    def session_ids(self) -> list[str]:
        """Return the sessions that hold living memories, the latest first."""
        return self._mind.store.sessions(self.scope)

    def history(self, id: str) -> listing.History:
        """Return every version of a memory and everything the ledger saw of it."""
        return listing.history(checked_id(id), scope=self.scope, mind=self._mind)

    # -- people and things ------------------------------------------------------------------------

    @property
    def people(self) -> acquaintance.Acquaintances:
        """Whom and what memories speak about: by name, by how often, how the feeling moved."""
        return acquaintance.Acquaintances(self.scope, self._mind)

    # -- later, with a model ----------------------------------------------------------------------

    def work(self, *, parked: bool = False) -> Iterator[later.Done]:
        """Do now what waits for the language model; `parked` tries what was given up."""
        if parked:
            self._mind.store.desk.again(self.scope, self._mind.now())
        return later.work(self._mind)

    def derive(self) -> Iterator[tuple[Memory, int]]:
        """Read the facts out of kept turns again; yields each turn and how many it lacked."""
        return again.derive_again(self.scope, self._mind)

    # -- keeping apart ----------------------------------------------------------------------------

    def quarantine(self, *, confirm: bool = False, **filters: Any) -> separating.Separated:
        """Keep apart what a source brought (author=, origin=, session=, domain=); preview first."""
        return separating.quarantine(self._where(filters), mind=self._mind, confirm=confirm)

    def release(self, *ids: str) -> separating.Separated:
        """Let memories out of quarantine: a person has looked at them."""
        return separating.release(map(checked_id, ids), scope=self.scope, mind=self._mind)

    # -- letting go -------------------------------------------------------------------------------

    def forget(self, *ids: str) -> leave.Farewell:
        """Let memories go: seven days in the forgetting queue, then away (delete_by_id)."""
        memories = leave.named(ids, scope=self.scope, mind=self._mind)
        return leave.leave(memories, scope=self.scope, mind=self._mind, confirm=True)

    def forget_session(self, session: str, *, confirm: bool = False) -> leave.Farewell:
        """Let a whole session go; without `confirm`, only show what would leave."""
        return leave.leave(
            self.by_session(session), scope=self.scope, mind=self._mind, confirm=confirm
        )

    def forget_matching(
        self, query: str | None = None, *, confirm: bool = False, **filters: Any
    ) -> leave.Farewell:
        """Let go of what a search finds; without `confirm`, only show it (delete_by_query)."""
        asked = Query(text=query or "", where=self._where(filters), limit=leave.MOST_AT_ONCE)
        if not asked.meaning and all(value is None for value in filters.values()):
            raise BadInput(
                "Nothing says what to forget.", next_step="Give words or a filter such as tags."
            )
        found = listing.newest_matching(asked, mind=self._mind)
        return leave.leave(found, scope=self.scope, mind=self._mind, confirm=confirm)

    def restore(self, *ids: str) -> list[Memory]:
        """Call memories back: active again, their tier kept, their time reset."""
        return leave.restore(ids, scope=self.scope, mind=self._mind)

    # -- care -------------------------------------------------------------------------------------

    def backup(self, folder: str | os.PathLike[str] | None = None) -> Backup:
        """Make one verified backup file while others write."""
        place = Path(folder) if folder else self.home / "backups"
        return self._mind.store.back_up(
            place, self._mind.now(), keep=self._mind.settings.backups_kept
        )

    def restore_backup(self, path: str | os.PathLike[str]) -> tuple[Backup, Backup]:
        """Put a backup in place; return what was restored and what was kept aside."""
        return self._mind.store.restore_backup(Path(path), self.home / "backups", self._mind.now())

    def rebuild(self) -> Iterator[tuple[int, int]]:
        """Write the word index and the vectors anew from the text; yields (done, total)."""
        return self._mind.store.rebuild(self._mind.embedder, self._mind.now)

    def export_to(self, path: str | os.PathLike[str], *, form: str = "jsonl") -> int:
        """Write everything this user has, as our JSONL or as seed A's folder; return the count."""
        return importing.write_out(Path(path), form, scope=self.scope, mind=self._mind)

    def import_from(
        self, path: str | os.PathLike[str], *, form: str = "auto", dry_run: bool = False
    ) -> importing.Report:
        """Read memories from a file or folder; what is here already is left alone."""
        return importing.read_in(
            Path(path), form, scope=self.scope, mind=self._mind, dry_run=dry_run
        )

    def verify(self) -> tuple[int, str]:
        """Walk the ledger and every digest; return its length and its head."""
        return self._mind.store.verify(self.scope)

    def status(self) -> dict[str, Any]:
        """Return what there is, where it lies, and what is not as it should be."""
        return health.state_of(self._mind, self.scope, self.home)

    def doctor(self) -> list[health.Finding]:
        """Try everything on this very store and say what does not work, and what would help."""
        return health.examine(self._mind, self.scope, self.home)

    def close(self) -> None:
        """Let go of the store and the model."""
        if self._worker is not None:
            self._worker.close()
        if self._mind.model is not None:
            self._mind.model.close()
        self._mind.store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _wake(self) -> None:
        if self._worker is not None:
            self._worker.wake()

    def _where(self, filters: dict[str, Any]) -> Where:
        return where_of(self.scope, filters)
