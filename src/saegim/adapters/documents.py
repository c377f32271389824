"""`Documents`: exact documents that are memories, each kept under a name of its own.

A document's words are the text of a memory and its name is the domain, so that it is recalled,
exported, forgotten and erased like any other; a new text is a new version. It is pinned: what a
program has put down under a name does not fade. Older versions age as everything does.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from itertools import chain, count
from pathlib import Path
from typing import Any

import xxhash

from saegim.adapters.value_text import as_json
from saegim.errors import BadInput, MissingExtra, Refused
from saegim.filesystem import replacing, unwritable
from saegim.guard.guard import SecretFinding, screen
from saegim.guard.injection import suspicion
from saegim.memory.changes import Change, LifetimeSet, Pinned, Tiered
from saegim.memory.clock import micros
from saegim.memory.entities import SUPERSEDES
from saegim.memory.memory import FINDABLE, MAX_TEXT, Lifetime, Memory, Origin, State, expiry
from saegim.memory.record import storable
from saegim.memory.text import normalise
from saegim.perceive.moment import Kept
from saegim.saegim import Saegim
from saegim.sleep import forget as farewell
from saegim.store.commit import Batch
from saegim.store.rows import ALL_STATES, Where

MARK = "saegim:exact "
# Replacing one value can bring others close together (guard looks again for the same reason).
_LOOKS = 6


def worded(text: str) -> str:
    """Return a text as a memory can hold it."""
    plain = storable(text) and not text.startswith(MARK) and normalise(text)
    return text if plain else MARK + as_json(text)


def exact(held: str) -> str:
    """Return the text that `worded` was given."""
    if not held.startswith(MARK):
        return held
    try:
        text = json.loads(held.removeprefix(MARK))
    except ValueError:
        # Someone corrected the memory by hand: what they wrote is the text.
        return held
    return text if isinstance(text, str) else held


def json_text(value: Any, what: str = "value") -> str:
    """Write a value as JSON; refuse what JSON cannot hold."""
    try:
        return as_json(value)
    except (TypeError, ValueError, RecursionError) as error:
        raise BadInput("adapter.cannot_be_written_as_json", what=what, error=error) from error


@dataclass(frozen=True, slots=True)
class ScreenedValue:
    """A JSON value that may be kept, and how many of its parts were replaced."""

    value: Any
    masked: int


def screened(
    value: Any, *, keep_private: bool = False, spared: frozenset[str] = frozenset()
) -> ScreenedValue:
    """Return the value with every part replaced that holds a secret; the rest is untouched.

    `spared` names keys whose values are sealed by a machine and must stay as they are.
    """
    value, masked = json.loads(json_text(value)), 0
    for _ in range(_LOOKS):
        found = screen(json.dumps(value, ensure_ascii=False), keep_private=keep_private).findings
        walk = _Walk(found, spared, keep_private)
        if found:
            value = walk.replaced(value)
        if not walk.count:
            return ScreenedValue(value, masked)
        masked += walk.count
    raise BadInput("adapter.value_holds_what_looks_like")


class _Walk:
    """One walk through a value beside its JSON text, replacing what the findings touch."""

    def __init__(
        self, findings: Sequence[SecretFinding], spared: frozenset[str], keep_private: bool
    ) -> None:
        # How many parts were replaced.
        self.count = 0
        self._findings, self._spared, self._keep_private = findings, spared, keep_private
        self._at = 0

    def replaced(self, value: Any, spare: bool = False) -> Any:
        """Return a value, and move on by as much text as it takes."""
        if isinstance(value, dict) and value:
            made: dict[str, Any] = {}
            for key, held in value.items():
                self._at += 2 if made else 1
                name = _unlike(self._scalar(key, spare), made)
                self._at += 2
                made[name] = self.replaced(held, spare or key in self._spared)
            self._at += 1
            return made
        if isinstance(value, list) and value:
            parts: list[Any] = []
            for held in value:
                self._at += 2 if parts else 1
                parts.append(self.replaced(held, spare))
            self._at += 1
            return parts
        return self._scalar(value, spare)

    def _scalar(self, value: Any, spare: bool) -> Any:
        start = self._at
        self._at += len(json.dumps(value, ensure_ascii=False))
        touching = [each for each in self._findings if each.start < self._at and each.end > start]
        if not touching or spare:
            return value
        self.count += 1
        masked = value
        if isinstance(value, str):
            masked = screen(value, keep_private=self._keep_private).text
        return masked if masked != value else f"[{touching[0].tier}:{touching[0].kind}#1]"


def _unlike(name: str, taken: dict[str, Any]) -> str:
    """Return a name that is not taken: two masked names may have become the same."""
    others = (f"{name}#{more}" for more in count(2))
    return next(each for each in chain([name], others) if each not in taken)


# -- `Documents`: exact documents that are memories, each kept under a name of its own

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

    @property
    def may_change(self) -> bool:
        """Say whether it can get a next version."""
        return self.memory.life.state is State.ACTIVE


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
            act, held = self._act(name), self.one(name)
            try:
                kept = self._written(name, worded(text), held, [self.kind, *tags], about, act)
            except Refused:
                if not left or held is None or not held.may_change:
                    raise
                continue
            # Someone else has made it in the same moment: ours is its next version.
            if kept.status == "stored" or not left:
                break
        self._settle(kept, until)
        return kept

    def made(self, name: str, text: str, *, tags: Sequence[str] = (), **about: Any) -> Document:
        """Return the document of that name; if there is none, make it, once, whoever else does."""
        act = self._act(name)
        if (held := self.one(name)) is not None:
            return held
        self._refuse_secret((name,))
        kept = self._written(name, worded(text), None, [self.kind, *tags], about, act)
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
        self.commit([Tiered(document.memory.id, document.memory.life.tier, until)])

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
            for _, each in self.mind.store.memories.walk(where)
            if each.scope.project == scope.project
            and each.scope.agent == scope.agent
            and each.space.domain.startswith(start)
        ]

    def _where(self, states: tuple[State, ...], domain: str | None, tag: str | None) -> Where:
        tags = () if tag is None else (tag,)
        scope = self.memory.scope
        return Where(scope=scope, states=states, domain=domain, tags=tags, bookkeeping=True)

    def _holds(self, memory: Memory) -> bool:
        """Say whether a document is there, also if what it says is outdated by another memory."""
        if memory.life.state in _LIVE:
            return True
        if memory.life.state is not State.SUPERSEDED:
            return False
        newer = [
            self.mind.store.memories.get(self.memory.scope, link.source)
            for link in self.mind.store.links.of(self.memory.scope, [memory.id], (SUPERSEDES,))
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
        numbers = store.memories.latest(where, limit=_MOST_VERSIONS)
        ids = store.memories.ids_of(scope, numbers)
        ours = {*ids.values(), *(each.id for each in newest.values())}
        replaced = {
            link.target
            for link in store.links.of(scope, ids.values(), (SUPERSEDES,))
            if link.source not in ours
        }
        held = store.memories.by_numbers(
            scope, sorted(n for n, id in ids.items() if id in replaced)
        )
        found = {each.space.domain: each for _, each in sorted(held.items())}
        return [
            each
            for domain, each in found.items()
            if domain.startswith(self._domain(""))
            and (each.scope.project, each.scope.agent) == (scope.project, scope.agent)
            and self._holds(each)
        ]

    def _written(
        self,
        name: str,
        text: str,
        held: Document | None,
        tags: list[str],
        about: dict[str, Any],
        act: str,
    ) -> Kept:
        # An update is not looked at for orders; what reads like one is kept as something new.
        if held is not None and held.may_change and not suspicion(text):
            return self.memory.update(held.memory.id, text, keep_private=self._keep_private)
        # With its instant it is never taken for another document of the same words.
        kept = self.memory.remember(
            text,
            key=act,
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
        """Name the act of making a document after what was there, so that it is made once.

        Named before anyone looks: what another makes in between then bears the same name.
        """
        scope = self.memory.scope
        where = self._where(ALL_STATES, self._domain(name), None)
        last = max(self.mind.store.memories.latest(where, limit=_MOST_VERSIONS), default=0)
        whole = json.dumps([scope.agent, scope.project, name, last])
        return f"{self.kind} {xxhash.xxh3_128_hexdigest(whole.encode())}"

    def _settle(self, kept: Kept, until: datetime | None) -> None:
        """Let the version before age from now on, and note when the time of this one is over."""
        older = (self.mind.store.memories.get(self.memory.scope, id) for id in kept.supersedes)
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
        self.commit(changes)

    def _leave(self, memories: Sequence[Memory]) -> None:
        # Not `forget`: it follows an outdated document to the memory that made it so.
        scope = self.memory.scope
        farewell.leave(memories, scope=scope, mind=self.mind, confirm=True)

    def commit(self, changes: Sequence[Change]) -> None:
        """Write changes to this room down, all of them or none."""
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
        memory = store.memories.get(scope, id)
        assert memory is not None
        while True:
            older = [
                link.target
                for link in store.links.of(scope, [id], (SUPERSEDES,))
                if link.source == id and link.target not in seen
            ]
            found = [each for at in older if (each := store.memories.get(scope, at)) is not None]
            same = [each for each in found if each.space.domain == memory.space.domain]
            if not same:
                return memory.id, memory.time.recorded_at
            memory = same[0]
            id = memory.id
            seen.add(id)


# -- `Mirror`: a folder kept in step with documents

# Only the person whose memory this is reads it, whatever the umask says.
_FOLDER = 0o700
# A file that is being written; see `replacing`.
_UNFINISHED = ".saegim-"


@dataclass(frozen=True, slots=True)
class Touched:
    """A file that does not show the version it should: its text, or None where there is no file.

    `older` says that it is older than that version: it may show one before.
    """

    name: str
    text: str | None
    older: bool = False


class Mirror:
    """A folder that shows documents as files."""

    def __init__(self, root: Path) -> None:
        place = root.expanduser().absolute()
        self._make(place)
        # Where it really lies, so that a link changed later leads nowhere else.
        self.root = place.resolve()

    def place(self, name: str) -> Path:
        """Return where a document lies; refuse a way that leads out of the folder."""
        place = (self.root / name).resolve()
        if not place.is_relative_to(self.root):
            raise BadInput("adapter.path_memories_would_escape_memories", name=name)
        return place

    def write(self, name: str, text: str, at: datetime) -> None:
        """Show a version of a document."""
        place = self.place(name)
        self._make(place.parent)
        with replacing(place) as file:
            file.write(text.encode("utf-8", "replace").decode())
        self.stamp(name, at)

    def stamp(self, name: str, at: datetime) -> None:
        """Note which version a file shows."""
        os.utime(self.place(name), ns=(micros(at) * 1000, micros(at) * 1000))

    def remove(self, name: str) -> None:
        """Show a document no longer, nor a folder that is empty without it."""
        place = self.place(name)
        place.unlink(missing_ok=True)
        for folder in place.parents:
            if folder == self.root or not folder.is_relative_to(self.root):
                return
            try:
                folder.rmdir()
            except OSError:
                return

    def touched(self, versions: Mapping[str, datetime]) -> Iterator[Touched]:
        """Return which files do not show these versions, and which show nothing we know.

        What is no text, or longer than a memory can be, is left alone.
        """
        for name, at in versions.items():
            place = self.place(name)
            if not place.is_file():
                yield Touched(name, None)
                continue
            written = place.stat().st_mtime_ns // 1000
            if written != micros(at) and (text := _read(place)) is not None:
                yield Touched(name, text, older=written < micros(at))
        for folder, _, files in os.walk(self.root):
            for file in sorted(files):
                place = Path(folder, file)
                name = place.relative_to(self.root).as_posix()
                if name in versions or file.startswith(_UNFINISHED):
                    continue
                if (text := _read(place)) is not None:
                    yield Touched(name, text)

    def _make(self, folder: Path) -> None:
        try:
            lacking = [each for each in (folder, *folder.parents) if not each.exists()]
            for each in reversed(lacking):
                each.mkdir(mode=_FOLDER, exist_ok=True)
                each.chmod(_FOLDER)
        except OSError as error:
            raise unwritable(folder, error) from error


def _read(place: Path) -> str | None:
    """Read a file that could be a memory."""
    if place.is_symlink() or not place.is_file() or place.stat().st_size > 4 * MAX_TEXT:
        return None
    try:
        text = place.read_bytes().decode("utf-8")
    except UnicodeDecodeError:
        return None
    return text if len(text) <= MAX_TEXT else None


# -- What is said when the framework of an adapter is not installed


def missing(package: str, extra: str) -> MissingExtra:
    """Return the error for an adapter whose framework is not there, or is too old."""
    return MissingExtra("adapter.adapter_needs_which", package=package, extra=extra)
