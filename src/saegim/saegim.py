"""`Saegim`: the one place where the house is put together, and a thin list of its verbs."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from saegim.care import Care
from saegim.engines.embedder import Embedder
from saegim.engines.llm.llm import LanguageModel
from saegim.memory.clock import Clock, SystemClock
from saegim.memory.memory import Memory
from saegim.memory.scope import Scope, narrowed
from saegim.mind import Mind
from saegim.minds import Minds
from saegim.opening import open_mind
from saegim.plugins import Late
from saegim.recall import flow as recalling
from saegim.recall import listing
from saegim.recall.handle import named_id
from saegim.recall.query import Query
from saegim.settings import STORE, data_directory, read_settings
from saegim.sleep import farewell
from saegim.store.read import Slice
from saegim.store.where import Where, where_of

if TYPE_CHECKING:
    import saegim.health as health
    from saegim.importers import flow as importing
    from saegim.importers import legacy
    from saegim.language import same as differ
    from saegim.perceive import acquaintance, later, moment, revise, turn
    from saegim.perceive import flow as perceiving
    from saegim.recall import feedback as judging
    from saegim.recall import related as relating
    from saegim.recall.compose import compose as composing
    from saegim.recall.used import used as using
    from saegim.session import remembered, working
    from saegim.sleep import answer, forgetting, nights, sources
    from saegim.sleep import flow as sleeping
    from saegim.store.desk.nights import NightRow
else:
    health = Late("saegim.health")
    importing = Late("saegim.importers.flow")
    legacy = Late("saegim.importers.legacy")
    acquaintance = Late("saegim.perceive.acquaintance")
    later = Late("saegim.perceive.later")
    moment = Late("saegim.perceive.moment")
    perceiving = Late("saegim.perceive.flow")
    revise = Late("saegim.perceive.revise")
    turn = Late("saegim.perceive.turn")
    judging = Late("saegim.recall.feedback")
    relating = Late("saegim.recall.related")
    composing = Late("saegim.recall.compose.compose")
    using = Late("saegim.recall.used.used")
    remembered = Late("saegim.session.remembered")
    answer = Late("saegim.sleep.answer")
    forgetting = Late("saegim.sleep.forgetting")
    nights = Late("saegim.sleep.nights")
    sleeping = Late("saegim.sleep.flow")
    sources = Late("saegim.sleep.sources")
    differ = Late("saegim.language.same")


class Saegim:
    """A memory: open it, remember, recall. One object serves all threads of a process."""

    def __init__(
        self,
        mind: Mind,
        scope: Scope,
        home: Path,
        worker: later.Worker | None = None,
        minds: Minds | None = None,
    ) -> None:
        self.scope, self.home = scope, home
        self.mind, self._worker = mind, worker
        self._minds = minds or Minds()
        self._legacy: legacy.Migration | None = None

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
        opened = cls(mind, scope, home, later.Worker(mind) if working else None)
        if background and read.legacy_path:
            opened._legacy = legacy.Migration(legacy.place_of(read.legacy_path, home), scope, mind)
            opened._legacy.start()
        return opened

    def within(self, **scope: str) -> Saegim:
        """Return the same memory seen from another user, agent, project or session."""
        return Saegim(self.mind, narrowed(self.scope, scope), self.home, self._worker, self._minds)

    # -- by day -----------------------------------------------------------------------------------

    def remember(
        self, text: str, *, key: str | None = None, keep_private: bool = False, **about: Any
    ) -> moment.Kept:
        """Keep a text word for word; `about` may say kind, tags, related, happened_at and more.

        Secrets are masked; `keep_private` keeps phone numbers and password-like words, not keys.
        """
        said = moment.moment_of(self.scope, text, about, self._id, self.mind.zone)
        kept = perceiving.remember(said, mind=self.mind, key=key, keep_private=keep_private)
        using.said_again([kept], mind=self.mind, differs=differ.difference)
        self._wake()
        return kept

    def observe(self, text: str, **about: Any) -> turn.Observed:
        """Judge a turn and keep it if it is worth it; what it uses, or asks to forget, is done."""
        said = turn.turn_of(self.scope, text, about, self._id, self.mind.zone)
        seen = using.observe(said, mind=self.mind, differs=differ.difference)
        seen = farewell.as_told(said, seen, mind=self.mind)
        self._wake()
        return self._minds.overheard(said, seen, self.mind, self.home)

    def update(
        self,
        id: str,
        text: str | None = None,
        *,
        tags: Sequence[str] | None = None,
        keep_private: bool = False,
        by: str = "",
    ) -> moment.Kept:
        """Correct a memory's words, its tags, or both: a new version holds, the old is kept."""
        said = revise.Correction(text, tags, keep_private=keep_private, by=by)
        return revise.revise(self._id(id), said, scope=self.scope, mind=self.mind)

    def recall(
        self, question: str, *, limit: int | None = None, near_misses: bool = False, **filters: Any
    ) -> recalling.Recollection:
        """Answer a question, best first, a `session` before the rest; `filters` may narrow it."""
        most = self.mind.settings.recall_limit if limit is None else limit
        first, where = self._asked(question, filters)
        asked = Query(text=question, where=where, limit=most, near_misses=near_misses)
        return first(recalling.recall(asked, mind=self.mind))

    def context(
        self,
        question: str,
        *,
        budget: int | None = None,
        recipe: str = "auto_search",
        **filters: Any,
    ) -> composing.Context:
        """Return what belongs into a prompt for this question: quoted, within a token budget."""
        room = self.mind.settings.context_budget if budget is None else budget
        first, where = self._asked(question, filters)
        return composing.compose(
            question, where, mind=self.mind, budget=room, recipe=recipe, first=first
        )

    def feedback(
        self, id: str, label: str, *, rating: int | None = None, note: str = ""
    ) -> judging.Judged:
        """Judge a memory: up, down, retry, used, wrong, changed_behaviour, or a rating of 1-5."""
        known, scope = self._readable(id)
        return judging.feedback(known, label, scope=scope, mind=self.mind, rating=rating, note=note)

    def related(self, *ids: str, depth: int = 1, limit: int = 50) -> list[relating.Relation]:
        """Return what is tied to memories or entities, 1 to 3 ties away, each with its path."""
        known = [each if relating.is_entity(each) else self._id(each) for each in ids]
        return relating.connected(known, scope=self.scope, mind=self.mind, hops=depth, limit=limit)

    def search(self, query: str | None = None, *, limit: int = 10, **filters: Any) -> list[Memory]:
        """Return what holds every word of the query, or its letters, newest first (seed A §5)."""
        asked = Query(text=query or "", where=self._where(filters), limit=limit)
        return listing.newest_matching(asked, mind=self.mind)

    def get(self, id: str, *, exact: bool = False, counts: bool = True) -> Memory:
        """Return a memory as it holds now; opened, it counts as used, once a day."""
        id, scope = self._readable(id)
        found = listing.one(id, scope=scope, mind=self.mind, exact=exact)
        return self.mind.opened(scope, found) if counts else found

    def recent(self, n: int = 10, *, cursor: str | None = None, **filters: Any) -> Slice:
        """Return the newest memories with the true total; `next` goes on from there."""
        return listing.newest(self._where(filters), limit=n, cursor=cursor, mind=self.mind)

    def by_session(self, session: str) -> list[Memory]:
        """Return everything a session holds, in its order (seed A §5)."""
        return listing.of_session(session, scope=self.scope, mind=self.mind)

    def history(self, id: str) -> listing.History:
        """Return every version of a memory, what the ledger saw of it, and every use and why."""
        return listing.history(self._id(id), scope=self.scope, mind=self.mind)

    # -- in mind ----------------------------------------------------------------------------------

    @property
    def sessions(self) -> remembered.Sessions:
        """The sessions that were held: begin, count, end (which promotes its hotspots), list."""
        return remembered.Sessions(self.mind, self.scope, self.working.finalize_session)

    @property
    def working(self) -> working.WorkingMemory:
        """What is in mind now: the graphs of the running sessions (seed B)."""
        return self._minds.of(self.scope, self.mind, self.home)

    # -- people and things ------------------------------------------------------------------------

    @property
    def people(self) -> acquaintance.Acquaintances:
        """Whom and what memories speak about: by name, by how often, how the feeling moved."""
        return acquaintance.Acquaintances(self.scope, self.mind)

    @property
    def sources(self) -> sources.Sources:
        """Where memories came from: keep a source apart, let it out, take it back."""
        return sources.Sources(self.scope, self.mind)

    # -- by night ---------------------------------------------------------------------------------

    def sleep(self, *stages: str, tell: sleeping.Tell = lambda *_: None) -> NightRow | None:
        """Sleep now: settle, rise, fade, leave; nothing if another process is sleeping here."""
        self._minds.tend(self.mind)
        return sleeping.sleep(self.scope, self.mind, stages=stages, tell=tell)

    @property
    def nights(self) -> nights.Nights:
        """What a night would do, what the nights did, and how to take it back."""
        return nights.Nights(self.scope, self.mind)

    @property
    def proposals(self) -> answer.Proposals:
        """What waits for a person's yes."""
        return answer.Proposals(self.scope, self.mind)

    # -- letting go -------------------------------------------------------------------------------

    def forget(self, *ids: str, by: str = "") -> farewell.Farewell:
        """Let memories go: seven days in the forgetting queue, then away (delete_by_id)."""
        memories = farewell.named(map(self._id, ids), scope=self.scope, mind=self.mind)
        return farewell.leave(memories, scope=self.scope, mind=self.mind, confirm=True, by=by)

    def restore(self, *ids: str) -> list[Memory]:
        """Call memories back: active again, their tier kept, their time reset."""
        return farewell.restore(map(self._id, ids), scope=self.scope, mind=self.mind)

    @property
    def forgetting(self) -> forgetting.Forgetting:
        """What is leaving, what lies in the archive, and letting go of more than one thing."""
        running = self._minds.of_user(self.scope.user)
        return forgetting.Forgetting(self.scope, self.mind, self.home, running)

    # -- care -------------------------------------------------------------------------------------

    @property
    def care(self) -> Care:
        """What keeps a memory sound: backups, fresh indexes, a ledger that verifies."""
        return Care(self.mind, self.scope, self.home, self._minds.tend)

    def export_to(self, path: str | os.PathLike[str], *, form: str = "jsonl") -> int:
        """Write what this user has: our JSONL, seed A's folder, seed D's orbs; return the count."""
        return importing.write_out(Path(path), form, scope=self.scope, mind=self.mind)

    def import_from(
        self, path: str | os.PathLike[str], *, form: str = "auto", dry_run: bool = False
    ) -> importing.Report:
        """Read memories from a file or folder; what is here already is left alone."""
        return importing.read_in(
            Path(path), form, scope=self.scope, mind=self.mind, dry_run=dry_run
        )

    def status(self) -> dict[str, Any]:
        """Return what there is, where it lies, and what is not as it should be."""
        return health.state_of(self.mind, self.scope, self.home)

    def doctor(self) -> list[health.Finding]:
        """Try everything on this very store and say what does not work, and what would help."""
        return health.examine(self.mind, self.scope, self.home)

    def close(self) -> None:
        """Write down what is in mind; let go of the store and the model."""
        try:
            self._minds.close()
        finally:
            if self._legacy is not None:
                self._legacy.close()
            if self._worker is not None:
                self._worker.close()
            self.mind.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _wake(self) -> None:
        if self._worker is not None:
            self._worker.wake()

    def _asked(self, question: str, filters: dict[str, Any]) -> tuple[composing.First, Where]:
        return self._minds.asked(question, filters, self.scope, self.mind, self.home)

    def _id(self, name: str) -> str:
        return named_id(name, scope=self.scope, store=self.mind.store)

    def _readable(self, name: str) -> tuple[str, Scope]:
        return listing.readable(name, scope=self.scope, store=self.mind.store)

    def _where(self, filters: dict[str, Any]) -> Where:
        return where_of(self.scope, filters, self.mind.zone)
