"""`Saegim`: the one place where the house is put together, and a thin list of its verbs.

A verb imports what it needs when it is called: a question does not wait for everything that
listening, importing and healing would load.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import wraps
from inspect import CO_VARKEYWORDS, isfunction
from pathlib import Path
from types import FunctionType
from typing import TYPE_CHECKING, Any, Self, TypeVar, Unpack

from saegim.errors import BadInput, hint
from saegim.filesystem import named_path
from saegim.memory.clock import SystemClock
from saegim.memory.memory import Rooms, Scope, checked_name, narrowed
from saegim.memory.text import plain_names
from saegim.mind import Mind, MovedStore, move_store, open_mind
from saegim.placement import Placement
from saegim.recall import flow as recalling
from saegim.recall import listing
from saegim.recall.handle import named_id
from saegim.recall.understand import Query
from saegim.settings import BACKUPS, read_settings, store_named
from saegim.store.rows import where_of

if TYPE_CHECKING:
    from saegim.doctor.audit import Audit
    from saegim.doctor.health import Finding
    from saegim.engines.embedder import Embedder
    from saegim.engines.llm.models import LanguageModel
    from saegim.imagine.imaginations import Imaginations
    from saegim.importers import flow as importing
    from saegim.importers import intake, legacy
    from saegim.importers.resonance_ledger import ResonanceLedger
    from saegim.memory.changes import Change
    from saegim.memory.clock import Clock
    from saegim.memory.memory import Memory, Origin
    from saegim.perceive import model_worker
    from saegim.perceive.known_entities import KnownEntities
    from saegim.perceive.moment import Kept, MomentDetails
    from saegim.perceive.turn import Observed, TurnDetails
    from saegim.personas.debates import Debates
    from saegim.project_memories import Projects
    from saegim.recall.compose import compose as composing
    from saegim.recall.feedback import Judgement
    from saegim.recall.mood import Mood
    from saegim.recall.related import Relation
    from saegim.session.sessions import Sessions
    from saegim.session.working import WorkingMemories, WorkingMemory
    from saegim.settings import SettingsGiven
    from saegim.sleep.change_requests import Proposals
    from saegim.sleep.flow import Tell
    from saegim.sleep.forget import Farewell, Forgetting
    from saegim.sleep.nights import Nights
    from saegim.sleep.sources import Sources
    from saegim.soul.soul import Soul
    from saegim.store.backup import Backup
    from saegim.store.rows import Filters, Where
    from saegim.store.store import Store
    from saegim.store.subscriptions import Listener, Subscription
    from saegim.store.tables.memory_table import Slice
    from saegim.store.tables.night_table import NightRow

Namespace = TypeVar("Namespace")


def _spelled(kind: type[Namespace]) -> type[Namespace]:
    """Let every verb of a class name a misspelt argument, and the known one nearest to it."""
    for name, verb in list(vars(kind).items()):
        if not name.startswith("_") and isfunction(verb):
            setattr(kind, name, _checked(verb))
    return kind


def _checked(verb: FunctionType) -> Callable[..., Any]:
    # Not its signature: making one for every verb takes as long as opening a store.
    code = verb.__code__
    if code.co_flags & CO_VARKEYWORDS:
        # These hand their names on to where the details are read, which refuses as clearly.
        return verb
    known = dict.fromkeys(code.co_varnames[: code.co_argcount + code.co_kwonlyargcount])

    @wraps(verb)
    def called(*given: Any, **named: Any) -> Any:
        if not named.keys() <= known.keys():
            unknown = next(each for each in named if each not in known)
            names = [each for each in known if each != "self"]
            raise BadInput(
                "memory.verb_takes_no",
                verb=verb.__name__,
                unknown=unknown,
                hint=hint(unknown, names),
                names=", ".join(names) or "-",
            )
        return verb(*given, **named)

    return called


@dataclass(slots=True)
class _Shared:
    """What one open memory runs in this process; all its views share it."""

    # Those of each store of the installation.
    workers: dict[Store, model_worker.Worker] = field(default_factory=dict)
    # None where nobody said where a memory lies: then it is the one at hand.
    placement: Placement | None = None
    migration: legacy.LegacyMigration | None = None
    # Whether work may be done behind the verbs.
    background: bool = False
    # Empty while nobody has asked for what is in mind.
    working: dict[Store, WorkingMemories] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def working_memories(self, mind: Mind, home: Path) -> WorkingMemories:
        """Return what is in mind in this process, opening that room on first use."""
        from saegim.session.working import WorkingMemories

        with self.lock:
            if mind.store not in self.working:
                self.working[mind.store] = WorkingMemories(mind, home)
            return self.working[mind.store]

    def mind_for(self, scope: Scope, memory: Saegim) -> Mind:
        """Return the mind over the store in which the memories of somebody lie."""
        if self.placement is None or scope.user == memory.scope.user:
            return memory.mind
        return self.placement.mind_of(scope.user)

    def placement_of(self, memory: Saegim) -> Placement:
        """Return where everybody's memories lie; where nobody said, in the store at hand."""
        if self.placement is None:
            file = memory.mind.store.path
            self.placement = Placement(memory.mind, file, self.begin, self.put_down)
        return self.placement

    def put_down(self, user: str) -> None:
        """Have nothing in mind of a user any more: what they do next, they do elsewhere."""
        for each in list(self.working.values()):
            each.put_down(user)

    def begin(self, mind: Mind) -> None:
        """Let a model do what waits in a store, behind the verbs."""
        if self.background and mind.model is not None and mind.store not in self.workers:
            from saegim.perceive import model_worker

            self.workers[mind.store] = model_worker.Worker(mind)

    def close_idle_sessions(self) -> None:
        """Close the sessions of this process in which nothing was said for long (seed B gc)."""
        for each in list(self.working.values()):
            each.close_idle()

    def close(self, memory: Saegim) -> None:
        """Write down what is in mind, let what runs behind it end, and let go of every store."""
        home = self.placement_of(memory).home
        try:
            self._close()
        finally:
            home.close()

    def _close(self) -> None:
        try:
            for each in self.working.values():
                each.close()
        finally:
            if self.migration is not None:
                self.migration.close()
            for worker in self.workers.values():
                worker.close()
            if self.placement is not None:
                self.placement.close()


def _placed(mind: Mind, scope: Scope, file: Path) -> tuple[Mind, Scope, Path, _Shared]:
    """Return what a memory is made of: the mind over the store in which its user's lie."""
    shared = _Shared()
    shared.placement = Placement(mind, file, shared.begin, shared.put_down)
    with ExitStack() as undo:
        undo.callback(mind.close)
        found = shared.placement.mind_of(scope.user)
        undo.pop_all()
    return found, scope, file.parent, shared


@_spelled
class Saegim:
    """A memory: open it, remember, recall. One object serves all threads of a process.

    `mind` holds the parts a verb uses: the store, the engines, the clock and the settings.
    """

    def __init__(
        self, mind: Mind, scope: Scope, home: Path, _shared: _Shared | None = None
    ) -> None:
        self.mind, self.scope, self.home = mind, scope, home
        self._shared = _shared or _Shared()

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
        **settings: Unpack[SettingsGiven],
    ) -> Saegim:
        """Open the memory of this machine, or the one at `path`, making it if it is new.

        `path` is a file, or the address of a PostgreSQL server: `postgresql://…`.
        Without `background`, what waits to be read waits until `work` is called, or a night.
        """
        given: dict[str, Any] = {"user": user, "agent": agent, "project": project, **settings}
        file = store_named(path, given)
        for name, part in (("embedder", embedder), ("model", model)):
            given[name] = part if isinstance(part, str) else None
        read = read_settings(file.parent, **given)
        scope = Scope(user=read.user, agent=read.agent, project=read.project)
        embeds = None if isinstance(embedder, str) else embedder
        asks = None if isinstance(model, str) else model
        mind = open_mind(file, read, clock or SystemClock(), embeds, asks)
        opened = cls(*_placed(mind, scope, file))
        if background:
            opened._start()
        return opened

    def _start(self) -> None:
        """Begin what goes on behind the verbs: work for the model, taking over an old database."""
        self._shared.background = True
        if self.mind.store.jobs.due(self.mind.now()):
            self._read_behind()
        for mind in (self.mind, self._shared.placement_of(self).home):
            self._shared.begin(mind)
        if old := self.mind.settings.legacy_path:
            from saegim.importers import legacy

            place = legacy.place_of(old, self.home)
            self._shared.migration = legacy.LegacyMigration(place, self.scope, self.mind)
            self._shared.migration.start()

    def within(self, **scope: Unpack[Rooms]) -> Saegim:
        """Return the same memory seen from another user, agent, project or session."""
        seen = narrowed(self.scope, scope)
        return Saegim(self._shared.mind_for(seen, self), seen, self.home, self._shared)

    # -- by day -----------------------------------------------------------------------------------

    def remember(
        self,
        text: str | None = None,
        *,
        key: str | None = None,
        keep_private: bool = False,
        wait: bool = True,
        **about: Unpack[MomentDetails],
    ) -> Kept:
        """Keep a text word for word; `about` may say kind, tags, related, happened_at and more.

        Secrets are masked; `keep_private` keeps phone numbers and password-like words, not keys.
        Without `wait` it is durable and found by word at once, and read behind the answer.
        """
        from saegim.language.same import difference
        from saegim.perceive import flow as perceiving
        from saegim.perceive.moment import moment_of
        from saegim.recall.usage import said_again

        said = moment_of(self.scope, text, about, self._id, self.mind.zone)
        kept = perceiving.remember(
            said, mind=self.mind, key=key, keep_private=keep_private, wait=wait
        )
        said_again([kept], mind=self.mind, differs=difference)
        self._wake(unread=kept.understood == "pending")
        return kept

    def observe(self, text: str | None = None, **about: Unpack[TurnDetails]) -> Observed:
        """Judge a turn and keep it if it is worth it; what it uses, or asks to forget, is done."""
        from saegim.language.same import difference
        from saegim.perceive import flow as perceiving
        from saegim.perceive.turn import turn_of
        from saegim.recall import rewards
        from saegim.sleep.forget import as_told

        said = turn_of(self.scope, text, about, self._id, self.mind.zone)
        seen = rewards.observe(
            said, mind=self.mind, perceive=perceiving.observe, differs=difference
        )
        seen = as_told(said, seen, mind=self.mind)
        self._wake(unread=seen.unread > 0)
        return self._working_memories.overheard(said, seen) if said.scope.session else seen

    def update(
        self,
        id: str,
        text: str | None = None,
        *,
        tags: Sequence[str] | None = None,
        content: str | None = None,
        keywords: Sequence[str] | None = None,
        keep_private: bool = False,
        by: str = "",
        origin: Origin | None = None,
    ) -> Kept:
        """Correct a memory's words, its tags, or both: a new version holds, the old is kept.

        `origin` says whose the new words are, where they are not of who said the old ones.
        """
        from saegim.perceive.revise import Correction, revise

        new = plain_names({"text": text, "tags": tags, "content": content, "keywords": keywords})
        said = Correction(**new, keep_private=keep_private, by=by, origin=origin)
        return revise(self._id(id), said, scope=self.scope, mind=self.mind)

    def recall(
        self,
        question: str,
        *,
        limit: int | None = None,
        near_misses: bool = False,
        **filters: Unpack[Filters],
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
        **filters: Unpack[Filters],
    ) -> composing.Context:
        """Return what belongs into a prompt for this question: quoted, within a token budget."""
        from saegim.recall.compose.compose import compose

        room = self.mind.settings.context_budget if budget is None else budget
        first, where = self._asked(question, filters)
        return compose(question, where, mind=self.mind, budget=room, recipe=recipe, first=first)

    def feedback(
        self, id: str, label: str, *, rating: int | None = None, note: str = ""
    ) -> Judgement:
        """Judge a memory: up, down, retry, used, wrong, changed_behaviour, or a rating of 1-5."""
        from saegim.recall import feedback as judging

        known, scope = self._readable(id)
        mind = self._shared.mind_for(scope, self)
        done = judging.feedback(known, label, scope=scope, mind=mind, rating=rating, note=note)
        if done.memory.kind == "imagined" and "imagination" in done.memory.content.tags:
            self.imagination.feedback(judging.liked(label, rating), known)
        return done

    def related(self, *ids: str, depth: int = 1, limit: int = 50) -> list[Relation]:
        """Return what is tied to memories or entities, 1 to 3 ties away, each with its path."""
        from saegim.recall.related import connected, is_entity

        known = [each if is_entity(each) else self._id(each) for each in ids]
        return connected(known, scope=self.scope, mind=self.mind, hops=depth, limit=limit)

    def search(
        self, query: str | None = None, *, limit: int = 10, **filters: Unpack[Filters]
    ) -> list[Memory]:
        """Return what holds every word of the query, or its letters, newest first (seed A §5)."""
        where = where_of(self.scope, filters, self.mind.zone)
        asked = Query(text=query or "", where=where, limit=limit)
        return listing.newest_matching(asked, mind=self.mind)

    def get(self, id: str, *, exact: bool = False, counts: bool = True) -> Memory:
        """Return a memory as it holds now; opened, it counts as used, once a day."""
        id, scope = self._readable(id)
        mind = self._shared.mind_for(scope, self)
        found = listing.one(id, scope=scope, mind=mind, exact=exact)
        return mind.opened(scope, found) if counts else found

    def recent(
        self, n: int = 10, *, cursor: str | None = None, **filters: Unpack[Filters]
    ) -> Slice:
        """Return the newest memories with the true total; `next` goes on from there."""
        where = where_of(self.scope, filters, self.mind.zone)
        return listing.newest(where, limit=n, cursor=cursor, mind=self.mind)

    def by_session(self, session: str) -> list[Memory]:
        """Return everything a session holds, in its order (seed A §5)."""
        return listing.of_session(session, scope=self.scope, mind=self.mind)

    def history(self, id: str) -> listing.History:
        """Return every version of a memory, what the ledger saw of it, and every use and why."""
        return listing.history(self._id(id), scope=self.scope, mind=self.mind)

    # -- in mind ----------------------------------------------------------------------------------

    @property
    def sessions(self) -> Sessions:
        """The sessions that were held: begin, count, end (which promotes its hotspots), list."""
        from saegim.session.sessions import Sessions

        return Sessions(self.mind, self.scope, self.working.finalize_session)

    @property
    def working(self) -> WorkingMemory:
        """What is in mind now: the graphs of the running sessions (seed B)."""
        return self._working_memories.of(self.scope)

    # -- who, what and where from -----------------------------------------------------------------

    @property
    def entities(self) -> KnownEntities:
        """Whom and what memories speak about: by name, by how often, how the feeling moved."""
        from saegim.perceive.known_entities import KnownEntities

        return KnownEntities(self.scope, self.mind)

    @property
    def sources(self) -> Sources:
        """Where memories came from: keep a source apart, let it out, take it back."""
        from saegim.sleep.sources import Sources

        return Sources(self.scope, self.mind)

    # -- what it could become ---------------------------------------------------------------------

    @property
    def imagination(self) -> Imaginations:
        """What is imagined from memories: ask for one, list them, answer, listen."""
        from saegim.imagine.imaginations import Imaginations

        return Imaginations(self.scope, self.mind)

    def mood(self) -> Mood | None:
        """Return the mood that what was heard and recalled lately leaves, if there is one."""
        from saegim.recall.mood import mood

        return mood(self.scope, self.mind)

    # -- by night ---------------------------------------------------------------------------------

    def sleep(self, *stages: str, tell: Tell = lambda *_: None) -> NightRow | None:
        """Sleep now: settle, rise, fade, leave; nothing if another process is sleeping here."""
        from saegim.sleep import flow as sleeping

        self._shared.close_idle_sessions()
        return sleeping.sleep(self.scope, self.mind, stages=stages, tell=tell)

    @property
    def nights(self) -> Nights:
        """What a night would do, what the nights did, and how to take it back."""
        from saegim.sleep.nights import Nights

        return Nights(self.scope, self.mind)

    @property
    def proposals(self) -> Proposals:
        """What waits for a person's yes."""
        from saegim.sleep.change_requests import Proposals

        return Proposals(self.scope, self.mind)

    @property
    def soul(self) -> Soul:
        """Who the memories make of us: the approved self, its islands, SOUL.md."""
        from saegim.soul.soul import Soul

        return Soul(self.scope, self.mind)

    # -- voices -----------------------------------------------------------------------------------

    @property
    def debates(self) -> Debates:
        """Voices that debate a question, each with its own role and model (seed A §7)."""
        from saegim.personas.debates import Debates

        return Debates(self.mind, self.scope)

    # -- letting go -------------------------------------------------------------------------------

    def forget(self, *ids: str, by: str = "") -> Farewell:
        """Let memories go: seven days in the forgetting queue, then away (delete_by_id)."""
        from saegim.sleep.forget import leave, named

        memories = named(map(self._id, ids), scope=self.scope, mind=self.mind)
        return leave(memories, scope=self.scope, mind=self.mind, confirm=True, by=by)

    def restore(self, *ids: str) -> list[Memory]:
        """Call memories back: active again, their tier kept, their time reset."""
        from saegim.sleep.forget import restore

        return restore(map(self._id, ids), scope=self.scope, mind=self.mind)

    @property
    def forgetting(self) -> Forgetting:
        """What is leaving, what lies in the archive, and letting go of more than one thing."""
        from saegim.sleep.forget import Forgetting

        held = self._shared.working.get(self.mind.store)
        running = held.of_user(self.scope.user) if held else ()
        return Forgetting(self.scope, self.mind, self.home, running)

    # -- maintenance ------------------------------------------------------------------------------

    @property
    def maintenance(self) -> Maintenance:
        """What keeps a memory sound: backups, fresh indexes, a ledger that verifies."""
        placed, close_idle = self._shared.placement_of(self), self._shared.close_idle_sessions
        return Maintenance(self.mind, self.scope, self.home, placed, close_idle)

    def export_to(self, path: str | os.PathLike[str], *, form: str = "jsonl") -> int:
        """Write what this user has: our JSONL, seed A's folder, seed D's orbs; return the count."""
        from saegim.importers import flow as importing

        return importing.write_out(named_path(path), form, scope=self.scope, mind=self.mind)

    def import_from(
        self, path: str | os.PathLike[str], *, form: str = "auto", dry_run: bool = False
    ) -> importing.Report:
        """Read memories from a file or folder; what is here already is left alone."""
        from saegim.importers import flow as importing

        return importing.read_in(
            named_path(path), form, scope=self.scope, mind=self.mind, dry_run=dry_run
        )

    def status(self) -> dict[str, Any]:
        """Return what there is, where it lies, and what is not as it should be."""
        from saegim.doctor.health import state_of

        return state_of(self.mind, self.scope, self.home)

    def doctor(self) -> list[Finding]:
        """Try everything on this very store and say what does not work, and what would help."""
        from saegim.doctor.health import examine, of_stores

        found = examine(self.mind, self.scope, self.home)
        return [*found, *of_stores(self.maintenance.placement.all)]

    def close(self) -> None:
        """Write down what is in mind; let go of the store and the model."""
        self._shared.close(self)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def _working_memories(self) -> WorkingMemories:
        return self._shared.working_memories(self.mind, self.home)

    def _read_behind(self) -> None:
        from saegim.recall.read_unread import read_unread

        if self._shared.background:
            self.mind.store.work_behind("unread", lambda: read_unread(self.mind))

    def _wake(self, *, unread: bool) -> None:
        if unread:
            self._read_behind()
        if (worker := self._shared.workers.get(self.mind.store)) is not None:
            worker.wake()

    def _asked(self, question: str, filters: Filters) -> tuple[composing.First, Where]:
        """Return what puts the session at hand before an answer, and what to look among.

        A session among the filters names the one at hand; it leaves nothing out.
        """
        scope = self.scope
        if (named := filters.pop("session", None)) is not None:
            scope = replace(scope, session=checked_name("session", named))
        where = where_of(scope, filters, self.mind.zone)
        if not scope.session:
            return lambda found: found, where
        narrowed = any(value for name, value in filters.items() if name != "everywhere")
        return self._working_memories.first(question, scope, narrowed=narrowed), where

    def _id(self, name: str) -> str:
        return named_id(name, scope=self.scope, store=self.mind.store)

    def _readable(self, name: str) -> tuple[str, Scope]:
        return listing.readable(name, scope=self.scope, store=self.mind.store)


@_spelled
@dataclass(frozen=True, slots=True)
class Maintenance:
    """What keeps one open memory sound: backups, fresh indexes, a ledger that verifies."""

    mind: Mind
    scope: Scope
    home: Path
    # In which store each owner's memories lie, where an installation has several.
    placement: Placement
    # Closes what is in mind of sessions that nobody closed.
    _close_idle: Callable[[], object] = lambda: None

    def close_idle_sessions(self) -> None:
        """Close the sessions of this process in which nothing was said for long (seed B gc)."""
        self._close_idle()

    def backup(self, folder: str | os.PathLike[str] | None = None) -> Backup:
        """Make one verified backup file while others write; `backup_path` unless told where."""
        settings = self.mind.settings
        place = settings.backup_folder(self.home) if folder is None else named_path(folder)
        return self.mind.store.back_up(place, self.mind.now(), keep=settings.backups_kept)

    def move(self, to: str, *, dry_run: bool = False) -> MovedStore:
        """Carry the whole store into an empty database, or into a new file, while others write.

        Verified by its ledgers; interrupted, it goes on. The old one is only read from then on. A
        dry run only counts.
        """
        return move_store(self.mind, to, dry_run=dry_run)

    def reopen(self) -> bool:
        """Let a store that was moved elsewhere be written again; say whether it was closed."""
        from saegim.store.transfer import reopen

        return reopen(self.mind.store.database)

    def restore_backup(self, path: str | os.PathLike[str]) -> tuple[Backup, Backup]:
        """Put a backup in place; return what was restored and what was kept aside."""
        source, aside = named_path(path, database=True), self.home / BACKUPS
        return self.mind.store.restore_backup(source, aside, self.mind.now())

    def rebuild(self) -> Iterator[tuple[int, int]]:
        """Write the word index and the vectors anew from the text; yields (done, total)."""
        return self.mind.store.rebuild(self.mind.embedder, self.mind.now)

    def index(self) -> Iterator[tuple[int, int]]:
        """Make the vectors that are still missing, here and now; yields (done, total)."""
        waiting = self.mind.store.vectors.waiting(self.mind.embedder.identity)
        done = 0
        for made in self.mind.store.fill(self.mind.embedder, self.mind.now) if waiting else ():
            done += made
            yield done, max(waiting, done)

    def derive(self) -> Iterator[tuple[Memory, int]]:
        """Read the facts out of kept turns again; yields each turn and how many it lacked."""
        from saegim.perceive.keep_turn import derive_again

        return derive_again(self.scope, self.mind)

    def verify(self) -> tuple[int, str]:
        """Walk the ledger and compare every row with it; return its length and its head."""
        return self.mind.store.ledger.verify(self.scope)

    def accept_file(self) -> None:
        """Take the file as it is now for the truth: an older one was put here on purpose.

        Lines that were changed stay broken; only a backup mends those.
        """
        self.mind.store.accept_file()

    def work(self, *, parked: bool = False) -> Iterator[model_worker.Done]:
        """Do now what waits to be read; `parked` tries what was given up."""
        from saegim.perceive import model_worker
        from saegim.recall.read_unread import read_unread

        if parked:
            self.mind.store.jobs.again(self.scope, self.mind.now())
        for _ in read_unread(self.mind):
            pass
        return model_worker.work(self.mind)

    def migrate(self, path: str | os.PathLike[str] | None = None) -> intake.Report | None:
        """Take over an old bara database, the one that is set if none is named (seed E, phase 6).

        Once: nothing is done, and nothing returned, where this very file was taken over before.
        """
        from saegim.importers import legacy

        file = self.old_database(path)
        if legacy.is_current(file, self.scope, self.mind):
            return None
        return legacy.migrate(file, scope=self.scope, mind=self.mind)

    def migration(self, path: str | os.PathLike[str] | None = None) -> legacy.Migrated | None:
        """Return how taking over an old database ended, if it was tried."""
        from saegim.importers import legacy

        return legacy.last(self.old_database(path), self.scope, self.mind)

    def old_database(self, path: str | os.PathLike[str] | None = None) -> Path:
        """Return the old database that is meant: the one named, or the one that is set."""
        from saegim.importers import legacy

        named = os.fspath(path) if path else self.mind.settings.legacy_path
        if not named:
            raise BadInput("import.no_old_database_is_named")
        place = named_path(named, expand=True, database=True)
        return place.absolute() if path else legacy.place_of(named, self.home)

    @property
    def resonance(self) -> ResonanceLedger:
        """What an orchestrator of seed A logs: `log_event`, the latest, the files of past years."""
        from saegim.importers.resonance_ledger import ResonanceLedger

        return ResonanceLedger(self.mind, self.scope)

    @property
    def projects(self) -> Projects:
        """What each project holds; moving memories between projects, merging two into one."""
        from saegim.project_memories import Projects

        return Projects(self.scope, self.mind)

    def subscribe(self, listener: Listener, *kinds: type[Change]) -> Subscription:
        """Call the listener after each commit with what it made true for this user, and no other.

        It is called on a quiet thread of its own, in the order of the commits; close the
        subscription to hear no more.
        """
        return self.mind.store.subscribe(listener, *kinds, owner=self.scope.user)

    def audit(self, *, samples: int = 5) -> Audit:
        """Count what deserves a look: duplicates, orphans, unverified, secret-like (U4.5)."""
        from saegim.doctor.audit import audit

        return audit(self.scope, self.mind, samples=samples)
