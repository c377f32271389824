"""Erasing: everything of a memory, now, in every file that can be reached, with a receipt (U26.3).

It is not forgetting: nothing waits, and nothing can be called back.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from saegim.errors import (
    BadInput,
    NotFound,
    Refused,
    SettingsError,
    StoreError,
    StoreReadOnly,
)
from saegim.filesystem import held_alone
from saegim.importers.resonance_ledger import ResonanceLedger, files_naming
from saegim.memory.changes import Change, Erased, Leaving
from saegim.memory.clock import checked_id, iso
from saegim.memory.entities import (
    DERIVED_FROM,
    MERGED_FROM,
    PROMOTED_FROM,
    REFERS_TO,
    SUPERSEDES,
    Link,
)
from saegim.memory.memory import BY_NIGHT, FINDABLE, Kind, Memory, Reason, Scope, Tier
from saegim.memory.text import normalise
from saegim.mind import Mind
from saegim.perceive.build import followers
from saegim.session.graph import file_of
from saegim.session.nodes import ANSWER, ENTITY, FEEDBACK
from saegim.session.open_sessions import folder_of
from saegim.session.snapshot import read_json, write_whole, written
from saegim.settings import BACKUPS, STORE, read_settings
from saegim.soul import beliefs, islands, soul_file
from saegim.soul.proposals import WITHDRAWN, Proposal, a_person, answered, proposals
from saegim.store.commit import Batch
from saegim.store.database import log_of, size
from saegim.store.erase_rows import says

if TYPE_CHECKING:
    from saegim.session.working import WorkingMemory

VERSIONS = (SUPERSEDES, MERGED_FROM)
MADE_FROM = (DERIVED_FROM, PROMOTED_FROM)


def is_there(id: str, scope: Scope, mind: Mind) -> bool:
    """Say whether a memory has its words, here or in the archive."""
    memory = mind.store.memories.get(scope, id)
    return memory is not None and (bool(memory.text) or mind.store.memories.in_archive(scope, id))


def versions(ids: Sequence[str], scope: Scope, mind: Mind) -> list[str]:
    """Return what holds in the place of these memories, and what they held in the place of."""
    newer = _along(ids, scope, mind, forward=False)
    older = _along((*ids, *newer), scope, mind, forward=True)
    found = dict.fromkeys((*newer, *older))
    return [id for id in found if is_there(id, scope, mind)]


def _along(ids: Sequence[str], scope: Scope, mind: Mind, *, forward: bool) -> list[str]:
    """Follow the ties of versions and merged twins to their end, in one direction."""
    seen = dict.fromkeys(ids)
    fresh = list(seen)
    while fresh:
        ends = [
            (link.source, link.target) if forward else (link.target, link.source)
            for link in mind.store.links.of(scope, fresh, VERSIONS)
        ]
        asked = set(fresh)
        fresh = list(dict.fromkeys(b for a, b in ends if a in asked and b not in seen))
        seen |= dict.fromkeys(fresh)
    return list(seen)[len(set(ids)) :]


def made_of_them_alone(ids: Iterable[str], scope: Scope, mind: Mind) -> list[str]:
    """Return the memories that were made of these and of nothing else that is still there."""
    gone = dict.fromkeys(ids)
    start, fresh = len(gone), list(gone)
    while fresh:
        asked = set(fresh)
        ties = mind.store.links.of(scope, fresh, MADE_FROM)
        made = {tie.source for tie in ties if tie.target in asked} - gone.keys()
        sources: dict[str, set[str]] = {}
        for tie in mind.store.links.of(scope, made, MADE_FROM) if made else ():
            sources.setdefault(tie.source, set()).add(tie.target)
        fresh = [
            id
            for id in sorted(made)
            if is_there(id, scope, mind)
            and (
                _is_imagined(id, scope, mind)
                or not any(is_there(each, scope, mind) for each in sources[id] - gone.keys())
            )
        ]
        gone |= dict.fromkeys(fresh)
    return list(gone)[start:]


def _is_imagined(id: str, scope: Scope, mind: Mind) -> bool:
    """Say whether it quotes each memory it was imagined from: then it goes with any of them."""
    memory = mind.store.memories.get(scope, id)
    return memory is not None and memory.kind is Kind.IMAGINED


# -- What sessions hold of erased memories, in mind and on paper, goes too

REWRITTEN, REMOVED = "rewritten", "removed"
# Shorter texts are part of too many others to say anything when they are found inside one.
_TELLING = 8
_LISTS = ("topQueries", "nodes")


@dataclass(frozen=True, slots=True, kw_only=True)
class Cleaned:
    """A file of a session that held words: rewritten without them, or removed."""

    name: str
    how: str


@dataclass(frozen=True, slots=True)
class Words:
    """What must not stay in a session, normalised: whole texts, names, ids."""

    texts: tuple[str, ...] = ()
    names: frozenset[str] = frozenset()
    ids: tuple[str, ...] = ()

    def in_node(self, type: str, text: str, aliases: Iterable[str] = ()) -> bool:
        """Say whether something in mind says or names what is erased."""
        if type == ENTITY:
            return not self.names.isdisjoint(normalise(each) for each in (text, *aliases))
        plain = normalise(text)
        return bool(plain) and (
            any(plain == each or says(each, plain) for each in self.texts) or self.in_raw(plain)
        )

    def in_turn(self, text: str) -> bool:
        """Say whether something that was said is what is erased, holds it, or is a piece of it."""
        plain = normalise(text)
        piece = len(plain) >= _TELLING and any(plain in each for each in self.texts)
        return piece or plain in self.texts or self.in_raw(plain)

    def in_raw(self, plain: str) -> bool:
        """Say whether a normalised text holds a whole erased one, or its id."""
        return any(len(each) >= _TELLING and each in plain for each in self.texts) or any(
            each in plain for each in self.ids
        )


@dataclass(slots=True)
class Swept:
    """What was done outside the store: files, those that could not be written, sessions in mind."""

    files: dict[str, Cleaned] = field(default_factory=dict)
    soul: Cleaned | None = None
    # SOUL.md where a person edited it: what they wrote is not written over.
    by_hand: set[str] = field(default_factory=set)
    failed: set[str] = field(default_factory=set)
    sessions: set[str] = field(default_factory=set)
    # Every session that this process has in mind: none of them holds the words any more.
    here: set[str] = field(default_factory=set)
    # Whether nobody worked off the spool meanwhile, who could have had the words in hand.
    alone: bool = True


def sweep(
    swept: Swept,
    words: Words,
    folder: Path,
    scope: Scope,
    mind: Mind,
    running: Sequence[WorkingMemory],
) -> None:
    """Take words out of sessions, first those in mind, which would be written down again."""
    if not (words.texts or words.names):
        return
    for working in running:
        for session in working.active_sessions():
            swept.here.add(session)
            held = working.graph(session).held().nodes
            if any(words.in_node(each.type, each.text, each.aliases) for each in held):
                working.forget(session)
                swept.sessions.add(session)
    if not folder.is_dir():
        return
    others = _files_of_others(folder, scope, mind)
    for file in sorted(folder.iterdir()):
        if file.is_file() and not file.is_symlink() and file not in others:
            try:
                if (how := _clean(file, words)) is not None:
                    swept.files[file.name] = Cleaned(name=file.name, how=how)
            except (BadInput, OSError):
                swept.failed.add(file.name)


def sweep_for_night(ids: Iterable[str], scope: Scope, mind: Mind) -> Swept:
    """Take words that a night is about to take out of the store out of sessions on paper."""
    wanted, swept = set(ids), Swept()
    if wanted:
        said = (each.text for each in _memories(wanted, scope, mind))
        words = Words(_plain((*said, *_archived(wanted, scope, mind).values())))
        sweep(swept, words, folder_of(mind.store.path), scope, mind, ())
    return swept


def _files_of_others(folder: Path, scope: Scope, mind: Mind) -> set[Path]:
    """Return the checkpoints of other users' sessions; a name given by hand tells no owner."""
    found = set()
    for user in mind.store.nights.owners():
        for held in mind.store.sessions.recent(Scope(user), -1) if user != scope.user else ():
            whose = Scope(user, held.agent, held.project)
            found.add(file_of(folder, whose, held.id))
    return found


def _clean(file: Path, words: Words) -> str | None:
    """Rewrite a file without the words, or remove it where it is nothing else; None: not in it."""
    try:
        record = read_json(file)
    except (BadInput, NotFound):
        record = None
    if not isinstance(record, dict):
        if not words.in_raw(normalise(file.read_text(encoding="utf-8", errors="replace"))):
            return None
        file.unlink(missing_ok=True)
        return REMOVED
    left, dropped = _without(record, words)
    if not dropped:
        return None
    if not any(left.get(name) for name in _LISTS):
        file.unlink(missing_ok=True)
        return REMOVED
    pretty = file.read_text(encoding="utf-8-sig").startswith("{\n")
    write_whole(file, written(left, pretty=pretty))
    return REWRITTEN


def _without(record: dict[str, Any], words: Words) -> tuple[dict[str, Any], int]:
    """Return a snapshot or a checkpoint without what holds the words, and how much that was."""
    edges = [each for each in record.get("edges") or () if isinstance(each, dict)]
    lists = {name: _dicts(record[name]) for name in _LISTS if name in record}
    nodes = [*(each["node"] for each in edges if isinstance(each.get("node"), dict))]
    nodes += [each for held in lists.values() for each in held]
    gone = {
        str(each.get("id"))
        for each in nodes
        if words.in_node(
            str(each.get("type")),
            str(each.get("text", "")),
            [name for name in each.get("aliases") or () if isinstance(name, str)],
        )
    }
    # What was answered to a question, and how it was judged, goes with the question.
    hanging = {str(e.get("to")) for e in edges if str(e.get("from")) in gone} - gone
    hanging -= {str(e.get("to")) for e in edges if str(e.get("from")) not in gone}
    gone |= {str(n.get("id")) for n in nodes if n.get("type") in (ANSWER, FEEDBACK)} & hanging
    kept = [each for each in edges if gone.isdisjoint((str(each.get("from")), str(each.get("to"))))]
    left = {
        name: [each for each in held if str(each.get("id")) not in gone]
        for name, held in lists.items()
    }
    return {**record, **left, "edges": kept}, len(gone)


def _dicts(value: object) -> list[dict[str, Any]]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


# -- What hooks heard and nobody has worked off goes too: it would be kept anew

_SPOOL, _SPOOL_LOCK = "spool", ".lock"
_ESCAPED = re.compile(r"\\u([0-9a-fA-F]{4})")


@contextlib.contextmanager
def _spool_held(home: Path) -> Iterator[bool]:
    """Let nobody work off the spool meanwhile; say whether somebody is at it and does not end."""
    lock = home / _SPOOL / _SPOOL_LOCK
    if not lock.parent.is_dir():
        yield True
        return
    for attempt in range(_TRIES):
        if attempt:
            time.sleep(_PAUSE)
        with held_alone(lock) as alone:
            if alone or attempt == _TRIES - 1:
                yield alone
                return


def sweep_spool(swept: Swept, words: Words, home: Path, scope: Scope, mind: Mind) -> None:
    """Take what says the words off the spool, also where it was set apart or is half written."""
    folder = home / _SPOOL
    for pattern in ("*.json", "apart/*.json", ".saegim-*.new"):
        for file in sorted(folder.glob(pattern)):
            name = f"{_SPOOL}/{file.relative_to(folder)}"
            try:
                if (how := _clean_sheet(file, words, home, scope, mind)) is not None:
                    swept.files[name] = Cleaned(name=name, how=how)
            except FileNotFoundError:
                continue
            except (BadInput, OSError):
                swept.failed.add(name)


def _clean_sheet(file: Path, words: Words, home: Path, scope: Scope, mind: Mind) -> str | None:
    """Rewrite a sheet without the turns that say the words, or remove it; None: not in it."""
    text = file.read_text(encoding="utf-8", errors="replace")
    try:
        held = json.loads(text)
        turns = [each for each in held["entries"] if isinstance(each, dict)]
    except (ValueError, TypeError, KeyError):
        # Plain ASCII: letters of other scripts are written as numbers.
        plain = _ESCAPED.sub(lambda number: chr(int(number[1], 16)), text)
        if not words.in_raw(normalise(plain)):
            return None
        file.unlink()
        return REMOVED
    left = [each for each in turns if not words.in_turn(str(each.get("text", "")))]
    if len(left) == len(turns) or not _is_sheet_of(held, home, scope, mind):
        return None
    if not left:
        file.unlink()
        return REMOVED
    write_whole(file, json.dumps({**held, "entries": left}) + "\n")
    return REWRITTEN


def _is_sheet_of(held: dict[str, Any], home: Path, scope: Scope, mind: Mind) -> bool:
    """Say whether a sheet belongs to this user and into this store; nobody's counts as theirs."""
    user = held.get("user")
    if not user:
        with contextlib.suppress(SettingsError, OSError):
            # As whoever works it off does: the environment tells who asks now, not who spoke.
            user = read_settings(home, {}).user
    store = home / str(held.get("store") or STORE)
    here = os.path.realpath(store) == os.path.realpath(mind.store.path)
    return here and user in (None, "", scope.user)


# -- Erasing: everything of a memory, now, in every file that can be reached

# FAULTS 34: everything of a busy user, in one transaction.
MOST_AT_ONCE = 10_000
# So many stores that were set aside by a restore are kept.
_ASIDE, _ASIDE_KEPT = "before-restore", 5
# A reader, a merge or another checkpoint may hold the log for a moment.
_TRIES, _PAUSE = 30, 0.05
BACKUP, UNFINISHED, SESSION, FILE = "backup", "unfinished_backup", "session", "session_file"
LEDGER_FILE, SPOOL_FILE, SOUL_FILE = "ledger_file", "spool_file", "soul_file"
SERVER_LOG = "server_log"


@dataclass(frozen=True, slots=True, kw_only=True)
class Unreachable:
    """Where words may still be: a backup, a session open elsewhere, a file that cannot be written.

    `leaves_after` counts the backups after which this one makes room; None: it does not by itself.
    """

    what: str
    name: str
    at: datetime | None = None
    leaves_after: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EraseReceipt:
    """What was erased, or in a preview would be: ids and numbers, none of the words."""

    done: bool
    at: datetime
    by: str
    # Everything that goes: what was named, its other versions, and what was made of nothing else.
    ids: tuple[str, ...]
    named: tuple[str, ...]
    versions: tuple[str, ...]
    derived: tuple[str, ...]
    # Core and immutable memories among them: only a person erases those.
    protected: tuple[str, ...]
    # What erased memories were made from, and stays: the same may be said there.
    sources_left: tuple[str, ...]
    counts: Mapping[str, int]
    # What nights made of these and of others together: into the forgetting queue.
    leaving: tuple[str, ...] = ()
    files: tuple[Cleaned, ...] = ()
    unreachable: tuple[Unreachable, ...] = ()
    # False: someone is reading; the words stay in the log until the next night or close.
    log_emptied: bool = False
    # SHA-256 over the ids and the instant, to be filed; the ledger has a line for each id.
    digest: str = ""


@dataclass(frozen=True, slots=True)
class _ErasePlan:
    named: tuple[Memory, ...]
    versions: tuple[Memory, ...]
    derived: tuple[Memory, ...]
    leaving: tuple[Memory, ...]
    sources_left: tuple[str, ...]
    proposals: tuple[Proposal, ...]
    # The words of those that lie in the archive.
    archived: Mapping[str, str]
    links: int
    # How many versions of pages were written from them, also from others: they are emptied.
    pages: int
    # Every name of those they refer to.
    names: frozenset[str]

    @property
    def all(self) -> tuple[Memory, ...]:
        return (*self.named, *self.versions, *self.derived)

    @property
    def protected(self) -> list[Memory]:
        return [each for each in self.all if each.life.immutable or each.life.tier is Tier.M0]


def erase(
    ids: Iterable[str],
    *,
    scope: Scope,
    mind: Mind,
    confirm: bool,
    home: Path,
    by: str = "",
    running: Sequence[WorkingMemory] = (),
) -> EraseReceipt:
    """Leave nothing of memories but their ids in the ledger; without `confirm`, only say which.

    `running` are this user's working memories in this process: sessions in mind that hold the
    words are forgotten, with their checkpoints.
    """
    person = a_person(by) if by else ""
    wanted, now = tuple(ids), mind.now()
    plan = _planned(wanted, scope, mind)
    receipt = _preview(plan, now, person)
    if not confirm:
        return replace(receipt, unreachable=tuple(_out_of_reach(plan, Swept(), scope, mind, home)))
    _refuse_unasked(plan, person, mind)
    swept, held = Swept(), _counted(scope, mind)
    with _spool_held(home) as swept.alone:
        plan = _carry_out(wanted, swept, scope, mind, home, now, person, running)
    receipt = _preview(plan, now, person)
    emptied = _emptied(mind)
    waiting = sum(name.startswith(_SPOOL) for name in swept.files)
    counts = {
        **receipt.counts,
        **{what: max(0, held[what] - left) for what, left in _counted(scope, mind).items()},
        "session_files": len(swept.files) - waiting,
        "spool_files": waiting,
        "soul_files": int(swept.soul is not None),
        "sessions": len(swept.sessions),
    }
    return replace(
        receipt,
        done=True,
        counts=counts,
        files=(*swept.files.values(), *([swept.soul] if swept.soul else [])),
        unreachable=tuple(_out_of_reach(plan, swept, scope, mind, home)),
        log_emptied=emptied,
        digest=hashlib.sha256("\n".join((*receipt.ids, iso(now))).encode()).hexdigest(),
    )


def _carry_out(
    wanted: Sequence[str],
    swept: Swept,
    scope: Scope,
    mind: Mind,
    home: Path,
    now: datetime,
    person: str,
    running: Sequence[WorkingMemory],
) -> _ErasePlan:
    """Take the words out of every file, and then out of the store; return what went."""
    folder = folder_of(home / mind.store.path.name)
    words = _words(_planned(wanted, scope, mind))
    # Outside first: once the store has forgotten the words, nobody could look for them.
    sweep(swept, words, folder, scope, mind, running)
    sweep_spool(swept, words, home, scope, mind)
    # A night may have made something of them meanwhile.
    plan = _planned(wanted, scope, mind)
    _refuse_unasked(plan, person, mind)
    actor = person or scope.agent or scope.user
    changes: list[Change] = [answered(each, WITHDRAWN, by=actor) for each in plan.proposals]
    changes += [Erased(each.id) for each in plan.all]
    until = now + timedelta(days=mind.settings.forgetting_days)
    changes += [Leaving(each.id, Reason.MANUAL, now, until) for each in plan.leaving]
    gone = [each.id for each in plan.all]
    file, before = soul_file.holds(gone, scope, mind), soul_file.told_of(scope, mind)
    moved = islands.unsaid(gone, scope, mind)
    changes += [*map(islands.written, moved), *beliefs.unsaid(gone, moved, scope, mind)]
    mind.store.commit(Batch(scope.user, changes, actor=actor, at=now))
    if file is not None:
        if soul_file.unsay(file, plan.all, before, scope, mind, actor):
            swept.soul = Cleaned(name=file.path, how=REWRITTEN)
        else:
            swept.by_hand.add(file.path)
    sweep(swept, _unnamed(plan.names, scope, mind), folder, scope, mind, running)
    # A hook may have heard it once more.
    sweep_spool(swept, _words(plan), home, scope, mind)
    return plan


def _preview(plan: _ErasePlan, now: datetime, person: str) -> EraseReceipt:
    return EraseReceipt(
        done=False,
        at=now,
        by=person,
        ids=tuple(each.id for each in plan.all),
        named=tuple(each.id for each in plan.named),
        versions=tuple(each.id for each in plan.versions),
        derived=tuple(each.id for each in plan.derived),
        protected=tuple(each.id for each in plan.protected),
        sources_left=plan.sources_left,
        leaving=tuple(each.id for each in plan.leaving),
        counts={
            "words": len(plan.all) - len(plan.archived),
            "archive": len(plan.archived),
            "links": plan.links,
            "proposals": len(plan.proposals),
            "pages": plan.pages,
        },
    )


def _refuse_unasked(plan: _ErasePlan, person: str, mind: Mind) -> None:
    """Refuse what only a person may erase, and a store that cannot be written."""
    for each in plan.protected if not person else ():
        key = "sleep.erase_immutable" if each.life.immutable else "sleep.erase_core"
        raise Refused(key, id=each.id)
    if mind.store.readonly:
        raise StoreReadOnly("sleep.cannot_be_written", path=mind.store.path)


# -- what goes ------------------------------------------------------------------------------------


def _planned(ids: Iterable[str], scope: Scope, mind: Mind) -> _ErasePlan:
    """Work out everything that goes with these memories."""
    wanted = list(dict.fromkeys(checked_id(each) for each in ids))
    if not wanted or len(wanted) > MOST_AT_ONCE:
        raise BadInput("sleep.ids_were_given", count=len(wanted), most_at_once=MOST_AT_ONCE)
    for id in wanted:
        if not is_there(id, scope, mind):
            raise NotFound("sleep.no_memory", id=id)
    others = versions(wanted, scope, mind)
    derived = made_of_them_alone((*wanted, *others), scope, mind)
    every = {*wanted, *others, *derived}
    links = mind.store.links.of(scope, every)
    sources = {each.target for each in links if each.source in every and each.type in MADE_FROM}
    met = {each.target for each in links if each.source in every and each.type == REFERS_TO}
    return _ErasePlan(
        named=_memories(wanted, scope, mind),
        versions=_memories(others, scope, mind),
        derived=_memories(derived, scope, mind),
        leaving=_partly_made_of(every, links, scope, mind),
        sources_left=tuple(sorted(id for id in sources - every if is_there(id, scope, mind))),
        proposals=tuple(
            each
            for each in proposals(scope, mind)
            if every & {each.memory, each.replaces, *each.sources}
        ),
        archived=_archived(every, scope, mind),
        links=len(links),
        pages=mind.store.pages.made_of(scope, every),
        names=frozenset(
            name
            for key in met
            for each in mind.store.entities.of(scope, key)
            for name in each.names
        ),
    )


def _partly_made_of(
    every: set[str], links: Iterable[Link], scope: Scope, mind: Mind
) -> tuple[Memory, ...]:
    """Return what nights made of these together with others, and what was made of that."""
    made = {each.source for each in links if each.target in every and each.type in MADE_FROM}
    found: dict[str, Memory] = {}
    for each in _memories(sorted(made - every), scope, mind):
        stays = each.life.immutable or each.life.tier is Tier.M0
        if each.provenance.source in BY_NIGHT and each.life.state in FINDABLE and not stays:
            found |= {one.id: one for one in (each, *followers(each, mind))}
    return tuple(each for id, each in found.items() if id not in every)


def _memories(ids: Iterable[str], scope: Scope, mind: Mind) -> tuple[Memory, ...]:
    found = (mind.store.memories.get(scope, id) for id in ids)
    return tuple(each for each in found if each is not None)


def _archived(ids: set[str], scope: Scope, mind: Mind) -> dict[str, str]:
    """Return the words of those of these memories that lie in the archive."""
    held = mind.store.memories
    if not any(held.in_archive(scope, id) for id in ids):
        return {}
    every = held.archive(scope, limit=-1)
    return {id: text for id, _, text in every if id in ids}


def _counted(scope: Scope, mind: Mind) -> dict[str, int]:
    """Count what cannot be counted memory by memory."""
    vectors = mind.store.vectors.coverage(mind.embedder.identity).ready
    return {"vectors": vectors, "entities": len(mind.store.entities.of(scope))}


def _words(plan: _ErasePlan) -> Words:
    said = (*(each.text for each in plan.all), *plan.archived.values())
    briefs = (each.content.brief or "" for each in plan.all)
    return Words(_plain((*said, *briefs)), ids=tuple(normalise(each.id) for each in plan.all))


def _plain(said: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(filter(None, map(normalise, said))))


def _unnamed(names: frozenset[str], scope: Scope, mind: Mind) -> Words:
    """Return the names that nobody goes by any more."""
    return Words(names=names - mind.store.entities.named(scope, names).keys())


# -- what is left ---------------------------------------------------------------------------------


def _emptied(mind: Mind) -> bool:
    """Empty the log into the file; say whether no older page is left in it."""
    if mind.store.database.is_server:
        # Rows that are gone are swept now; the server's log is named as out of reach.
        with contextlib.suppress(StoreError):
            mind.store.database.shrink()
        return True
    for attempt in range(_TRIES):
        if attempt:
            time.sleep(_PAUSE)
        with contextlib.suppress(StoreError):
            mind.store.database.empty_log()
        if not size(log_of(mind.store.path)):
            return True
    return False


def _out_of_reach(
    plan: _ErasePlan, swept: Swept, scope: Scope, mind: Mind, home: Path
) -> Iterator[Unreachable]:
    """Name every place that may still hold the words, or in which they may be in mind."""
    settings, beside = mind.settings, home / BACKUPS
    places = [(each, settings.backups_kept) for each in settings.backup_folders(home)]
    for folder, keep in (*places, (beside / _ASIDE, _ASIDE_KEPT)):
        made = sorted(folder.glob("saegim-*.db"))
        for at, file in enumerate(made):
            after = max(1, at + 1 + keep - len(made))
            name = _named_from(beside, file)
            yield Unreachable(what=BACKUP, name=name, at=_made_at(file), leaves_after=after)
        for file in sorted(folder.glob("saegim-*.db.unfinished")):
            name = _named_from(beside, file)
            yield Unreachable(what=UNFINISHED, name=name, at=_made_at(file))
    if (ledger := ResonanceLedger(mind, scope).folder) is not None:
        for file in files_naming(ledger, frozenset(each.id for each in plan.all)):
            yield Unreachable(what=LEDGER_FILE, name=str(file))
    if mind.store.database.is_server:
        yield Unreachable(what=SERVER_LOG, name=mind.store.place)
    for name in sorted(swept.failed):
        yield Unreachable(what=FILE, name=name)
    for name in sorted({*swept.by_hand, *map(str, soul_file.kept_aside(plan.all, scope, mind))}):
        yield Unreachable(what=SOUL_FILE, name=name)
    for name in sorted(swept.files) if not swept.alone else ():
        if name.startswith(_SPOOL):
            yield Unreachable(what=SPOOL_FILE, name=name)
    held = {(each.scope.agent, each.scope.project, each.scope.session) for each in plan.all}
    for agent, project, session in sorted(held):
        whose = Scope(scope.user, agent, project)
        found = mind.store.sessions.get(whose, session) if session else None
        if found is not None and found.ended_at is None and session not in swept.here:
            yield Unreachable(what=SESSION, name=session, at=found.started_at)


def _named_from(folder: Path, file: Path) -> str:
    """Name a file from a folder, or in whole where it lies elsewhere."""
    return str(file.relative_to(folder) if file.is_relative_to(folder) else file)


def _made_at(file: Path) -> datetime:
    """Read the instant of a backup in its name, or on the file."""
    stamp = file.name.partition(".")[0].removeprefix("saegim-")
    try:
        return datetime.strptime(stamp, "%Y%m%d-%H%M%S-%f").replace(tzinfo=UTC)
    except ValueError:
        return datetime.fromtimestamp(file.stat().st_mtime, UTC)
