"""`Documents`: exact documents that are memories, each kept under a name of its own.

A document's words are the text of a memory and its name is the domain, so that it is recalled,
exported, forgotten and erased like any other; a new text is a new version. It is pinned: what a
program has put down under a name does not fade. Older versions age as everything does.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any

import xxhash

from saegim.adapters.exact import exact, worded
from saegim.errors import BadInput, Refused
from saegim.guard.guard import screen
from saegim.guard.instructions import suspicion
from saegim.memory.changes import Change, LifetimeSet, Pinned, Tiered
from saegim.memory.coordinate import Origin
from saegim.memory.links import SUPERSEDES
from saegim.memory.memory import Memory
from saegim.memory.tiers import FINDABLE, Lifetime, State, expiry
from saegim.perceive.moment import Kept
from saegim.saegim import Saegim
from saegim.sleep import farewell
from saegim.store.commit import Batch
from saegim.store.where import ALL_STATES, Where

_LIVE = (*FINDABLE, State.QUARANTINED)
# Someone else may write the same document at the same time; then we look again.
_TRIES = 5
_MOST_VERSIONS = 100_000


@dataclass(frozen=True, slots=True)
class Document:
    """A document as it holds now."""

    name: str
    text: str
    memory: Memory

    @property
    def apart(self) -> bool:
        """Say whether it reads like an order, so that recall does not show it."""
        return self.memory.life.state is State.QUARANTINED


class Documents:
    """The documents of one kind, in one room (user, agent, project) of a memory."""

    def __init__(
        self,
        memory: Saegim,
        kind: str,
        *,
        keep_private: bool = False,
        origin: Origin | str = Origin.AGENT_INFERRED,
    ) -> None:
        self.memory, self.kind = memory, kind
        self.mind = memory.forgetting.mind
        self._keep_private, self._origin = keep_private, origin
        self._first = lru_cache(maxsize=10_000)(self._first_version)

    # -- reading ----------------------------------------------------------------------------------

    def one(self, name: str) -> Document | None:
        """Return the document of that name, if there is one."""
        live = self._found(_LIVE, domain=self._domain(name))
        held = live[-1:] or self._found((State.SUPERSEDED, State.LEAVING), self._domain(name))[-1:]
        if not held or not self._holds(held[0]):
            return None
        return Document(name, exact(held[0].text), held[0])

    def all(self, tag: str | None = None) -> list[Document]:
        """Return every document, or those with a tag, in the order they were last written."""
        newest = {each.space.domain: each for each in self._found(_LIVE, tag=tag or self.kind)}
        for each in self._outdated(tag or self.kind, newest):
            newest.setdefault(each.space.domain, each)
        start = len(self._domain(""))
        return [Document(name[start:], exact(each.text), each) for name, each in newest.items()]

    def first(self, document: Document) -> tuple[str, datetime]:
        """Return the id of the first version of a document, and when it was written down."""
        return self._first(document.memory.id)

    # -- writing ----------------------------------------------------------------------------------

    def put(
        self,
        name: str,
        text: str,
        *,
        tags: Sequence[str] = (),
        until: datetime | None = None,
        **about: Any,
    ) -> Kept:
        """Write a document, or its next version; `until` notes when its time is over."""
        self._refuse_secret((name, *tags))
        for left in reversed(range(_TRIES)):
            held = self.one(name)
            try:
                kept = self._written(name, worded(text), held, [self.kind, *tags], about)
            except Refused:
                if not left or held is None or not _may_change(held.memory):
                    raise
                continue
            # Someone else has made it in the same moment: ours is its next version.
            if kept.status == "stored" or not left:
                break
        self._settle(kept, until)
        return kept

    def made(self, name: str, text: str, **about: Any) -> Document:
        """Return the document of that name; if there is none, make it, once, whoever else does."""
        if (held := self.one(name)) is not None:
            return held
        self._refuse_secret((name,))
        kept = self._written(name, worded(text), None, [self.kind], about)
        return Document(name, exact(kept.memory.text), kept.memory)

    def drop(self, documents: Iterable[Document]) -> int:
        """Let documents go, into the forgetting queue; return how many there were."""
        memories = [
            memory
            for each in documents
            for memory in (each.memory, *self._found(_LIVE, domain=self._domain(each.name)))
        ]
        gone = {each.id: each for each in memories}
        self._leave(list(gone.values()))
        return len({each.space.domain for each in gone.values()})

    def extend(self, document: Document, until: datetime) -> None:
        """Note that the time of a document is over later."""
        tier = document.memory.life.tier
        self._commit([Tiered(document.memory.id, tier, until)])

    # -- how --------------------------------------------------------------------------------------

    def _domain(self, name: str) -> str:
        return f"{self.kind}:{name}"

    def _found(
        self, states: tuple[State, ...], domain: str | None = None, tag: str | None = None
    ) -> list[Memory]:
        """Return the memories of a document, or of all, of this room alone, as written."""
        where = self._where(states, domain, tag)
        scope, start = self.memory.scope, self._domain("")
        return [
            each
            for _, each in self.mind.store.walk(where)
            if each.scope.project == scope.project
            and each.scope.agent == scope.agent
            and each.space.domain.startswith(start)
        ]

    def _where(self, states: tuple[State, ...], domain: str | None, tag: str | None) -> Where:
        tags = () if tag is None else (tag,)
        return Where(scope=self.memory.scope, states=states, domain=domain, tags=tags)

    def _holds(self, memory: Memory) -> bool:
        """Say whether a document is there, also if what it says is outdated by another memory."""
        if memory.life.state in _LIVE:
            return True
        if memory.life.state is not State.SUPERSEDED:
            return False
        newer = [
            self.mind.store.memory(self.memory.scope, link.source)
            for link in self.mind.store.links(self.memory.scope, [memory.id], (SUPERSEDES,))
            if link.target == memory.id
        ]
        # A version whose words are gone was one of ours, or nobody can tell: it is not called back.
        return bool(newer) and all(
            each is not None and each.text and each.space.domain != memory.space.domain
            for each in newer
        )

    def _outdated(self, tag: str, newest: Mapping[str, Memory]) -> list[Memory]:
        """Return the documents that another memory made outdated; few are, so few are read."""
        store, scope = self.mind.store, self.memory.scope
        where = self._where((State.SUPERSEDED,), None, tag)
        numbers = store.latest(where, limit=_MOST_VERSIONS)
        ids = store.ids_of(scope, numbers)
        ours = {*ids.values(), *(each.id for each in newest.values())}
        replaced = {
            link.target
            for link in store.links(scope, ids.values(), (SUPERSEDES,))
            if link.source not in ours
        }
        held = store.by_numbers(scope, sorted(n for n, id in ids.items() if id in replaced))
        found = {each.space.domain: each for _, each in sorted(held.items())}
        return [
            each
            for domain, each in found.items()
            if domain.startswith(self._domain(""))
            and (each.scope.project, each.scope.agent) == (scope.project, scope.agent)
            and self._holds(each)
        ]

    def _written(
        self, name: str, text: str, held: Document | None, tags: list[str], about: dict[str, Any]
    ) -> Kept:
        # An update is not looked at for orders; what reads like one is kept as something new.
        if held is not None and _may_change(held.memory) and not suspicion(text):
            return self.memory.update(held.memory.id, text, keep_private=self._keep_private)
        # With its instant it is never taken for another document of the same words.
        kept = self.memory.remember(
            text,
            key=self._act(name),
            keep_private=self._keep_private,
            domain=self._domain(name),
            tags=tags,
            origin=self._origin,
            pinned=True,
            happened_at=self.mind.now(),
            **about,
        )
        if held is not None and kept.status == "stored":
            self._leave([held.memory])
        return kept

    def _act(self, name: str) -> str:
        """Name the act of making a document after what was there, so that it is made once."""
        scope = self.memory.scope
        where = self._where(ALL_STATES, self._domain(name), None)
        last = max(self.mind.store.latest(where, limit=_MOST_VERSIONS), default=0)
        whole = json.dumps([scope.agent, scope.project, name, last])
        return f"{self.kind} {xxhash.xxh3_128_hexdigest(whole.encode())}"

    def _settle(self, kept: Kept, until: datetime | None) -> None:
        """Let the version before age from now on, and note when the time of this one is over."""
        older = (self.mind.store.memory(self.memory.scope, id) for id in kept.supersedes)
        changes: list[Change] = []
        for each in older:
            if each is None or each.space.domain != kept.memory.space.domain:
                continue
            changes.append(Pinned(each.id, False))
            if self.mind.settings.is_gentle:
                # A document lasts; of the texts it once had, each has its tier's time from now.
                end = expiry(each.life.tier, self.mind.now())
                changes.append(LifetimeSet(each.id, Lifetime.PASSING, None, end))
        if until is not None:
            changes.append(Tiered(kept.id, kept.memory.life.tier, until))
        self._commit(changes)

    def _leave(self, memories: Sequence[Memory]) -> None:
        # Not `forget`: it follows an outdated document to the memory that made it so.
        scope = self.memory.scope
        farewell.leave(memories, scope=scope, mind=self.mind, confirm=True)

    def _commit(self, changes: Sequence[Change]) -> None:
        scope = self.memory.scope
        if changes:
            actor = scope.agent or scope.user
            self.mind.store.commit(Batch(scope.user, changes, actor=actor, at=self.mind.now()))

    def _refuse_secret(self, names: Iterable[str]) -> None:
        """A name cannot carry a placeholder: it would not be found again."""
        for name in names:
            if screen(name, keep_private=self._keep_private).findings:
                raise BadInput("adapter.name_of_document_holds_what")

    def _first_version(self, id: str) -> tuple[str, datetime]:
        store, scope, seen = self.mind.store, self.memory.scope, {id}
        memory = store.memory(scope, id)
        assert memory is not None
        while True:
            older = [
                link.target
                for link in store.links(scope, [id], (SUPERSEDES,))
                if link.source == id and link.target not in seen
            ]
            found = [each for at in older if (each := store.memory(scope, at)) is not None]
            same = [each for each in found if each.space.domain == memory.space.domain]
            if not same:
                return memory.id, memory.time.recorded_at
            memory = same[0]
            id = memory.id
            seen.add(id)


def _may_change(memory: Memory) -> bool:
    """Say whether a document can get a next version."""
    return memory.life.state is State.ACTIVE
