"""Erasing: everything of a memory, now, in every file that can be reached, with a receipt (U26.3).

It is not forgetting: nothing waits, and nothing can be called back.
"""

from __future__ import annotations

import contextlib
import hashlib
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from saegim.errors import BadInput, NotFound, Refused, StoreError, StoreReadOnly
from saegim.importers.events import ResonanceLedger, files_naming
from saegim.memory.changes import Change, Erased, Leaving
from saegim.memory.clock import checked_id, iso
from saegim.memory.coordinate import BY_NIGHT
from saegim.memory.keys import normalise
from saegim.memory.links import REFERS_TO, Link
from saegim.memory.memory import Memory
from saegim.memory.scope import Scope
from saegim.memory.tiers import FINDABLE, Reason, Tier
from saegim.mind import Mind
from saegim.night_settings import BACKUPS
from saegim.perceive.connect import followers
from saegim.sleep.erasure.lineage import MADE_FROM, is_there, made_of_them_alone, versions
from saegim.sleep.erasure.sweeping import Cleaned, Swept, Words, sweep
from saegim.sleep.proposals import WITHDRAWN, Proposal, a_person, answered, proposals
from saegim.store.commit import Batch
from saegim.store.log import log_of, size

if TYPE_CHECKING:
    from saegim.session.working import WorkingMemory

# FAULTS 34: everything of a busy user, in one transaction.
MOST_AT_ONCE = 10_000
_SESSIONS = "sessions"
# So many stores that were set aside by a restore are kept.
_ASIDE, _ASIDE_KEPT = "before-restore", 5
# A reader, a merge or another checkpoint may hold the log for a moment.
_TRIES, _PAUSE = 30, 0.05
BACKUP, UNFINISHED, SESSION, FILE = "backup", "unfinished_backup", "session", "session_file"
LEDGER_FILE = "ledger_file"


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
class Receipt:
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
class _Plan:
    named: tuple[Memory, ...]
    versions: tuple[Memory, ...]
    derived: tuple[Memory, ...]
    leaving: tuple[Memory, ...]
    sources_left: tuple[str, ...]
    proposals: tuple[Proposal, ...]
    # The words of those that lie in the archive.
    archived: Mapping[str, str]
    links: int
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
) -> Receipt:
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
    swept, folder = Swept(), home / _SESSIONS / mind.store.path.stem
    # Outside first: once the store has forgotten the words, nobody could look for them.
    sweep(swept, _words(plan), folder, scope, mind, running)
    # A night may have made something of them meanwhile.
    plan = _planned(wanted, scope, mind)
    receipt = _preview(plan, now, person)
    _refuse_unasked(plan, person, mind)
    held = _counted(scope, mind)
    actor = person or scope.agent or scope.user
    changes: list[Change] = [answered(each, WITHDRAWN, by=actor) for each in plan.proposals]
    changes += [Erased(each.id) for each in plan.all]
    until = now + timedelta(days=mind.settings.forgetting_days)
    changes += [Leaving(each.id, Reason.MANUAL, now, until) for each in plan.leaving]
    mind.store.commit(Batch(scope.user, changes, actor=actor, at=now))
    sweep(swept, _unnamed(plan.names, scope, mind), folder, scope, mind, running)
    emptied = _emptied(mind)
    counts = {
        **receipt.counts,
        **{what: max(0, held[what] - left) for what, left in _counted(scope, mind).items()},
        "session_files": len(swept.files),
        "sessions": len(swept.sessions),
    }
    return replace(
        receipt,
        done=True,
        counts=counts,
        files=tuple(swept.files.values()),
        unreachable=tuple(_out_of_reach(plan, swept, scope, mind, home)),
        log_emptied=emptied,
        digest=hashlib.sha256("\n".join((*receipt.ids, iso(now))).encode()).hexdigest(),
    )


def _preview(plan: _Plan, now: datetime, person: str) -> Receipt:
    return Receipt(
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
        },
    )


def _refuse_unasked(plan: _Plan, person: str, mind: Mind) -> None:
    """Refuse what only a person may erase, and a store that cannot be written."""
    for each in plan.protected if not person else ():
        key = "sleep.erase_immutable" if each.life.immutable else "sleep.erase_core"
        raise Refused(key, id=each.id)
    if mind.store.readonly:
        raise StoreReadOnly("sleep.cannot_be_written", path=mind.store.path)


# -- what goes ------------------------------------------------------------------------------------


def _planned(ids: Iterable[str], scope: Scope, mind: Mind) -> _Plan:
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
    links = mind.store.links(scope, every)
    sources = {each.target for each in links if each.source in every and each.type in MADE_FROM}
    met = {each.target for each in links if each.source in every and each.type == REFERS_TO}
    return _Plan(
        named=_memories(wanted, scope, mind),
        versions=_memories(others, scope, mind),
        derived=_memories(derived, scope, mind),
        leaving=_partly_made_of(every, links, scope, mind),
        sources_left=tuple(sorted(id for id in sources - every if is_there(id, scope, mind))),
        proposals=tuple(each for each in proposals(scope, mind) if each.memory in every),
        archived=_archived(every, scope, mind),
        links=len(links),
        names=frozenset(
            name for key in met for each in mind.store.entities(scope, key) for name in each.names
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
    found = (mind.store.memory(scope, id) for id in ids)
    return tuple(each for each in found if each is not None)


def _archived(ids: set[str], scope: Scope, mind: Mind) -> dict[str, str]:
    """Return the words of those of these memories that lie in the archive."""
    held = mind.store.rounds
    if not any(held.in_archive(scope, id) for id in ids):
        return {}
    every = held.archive(scope, limit=-1)
    return {id: text for id, _, text in every if id in ids}


def _counted(scope: Scope, mind: Mind) -> dict[str, int]:
    """Count what cannot be counted memory by memory."""
    vectors = mind.store.coverage(mind.embedder.identity).ready
    return {"vectors": vectors, "entities": len(mind.store.entities(scope))}


def _words(plan: _Plan) -> Words:
    said = (*(each.text for each in plan.all), *plan.archived.values())
    briefs = (each.content.brief or "" for each in plan.all)
    texts = dict.fromkeys(filter(None, map(normalise, (*said, *briefs))))
    return Words(tuple(texts), ids=tuple(normalise(each.id) for each in plan.all))


def _unnamed(names: frozenset[str], scope: Scope, mind: Mind) -> Words:
    """Return the names that nobody goes by any more."""
    return Words(names=names - mind.store.named(scope, names).keys())


# -- what is left ---------------------------------------------------------------------------------


def _emptied(mind: Mind) -> bool:
    """Empty the log into the file; say whether no older page is left in it."""
    for attempt in range(_TRIES):
        if attempt:
            time.sleep(_PAUSE)
        with contextlib.suppress(StoreError):
            mind.store.rounds.copy_back()
        if not size(log_of(mind.store.path)):
            return True
    return False


def _out_of_reach(
    plan: _Plan, swept: Swept, scope: Scope, mind: Mind, home: Path
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
    for name in sorted(swept.failed):
        yield Unreachable(what=FILE, name=name)
    held = {(each.scope.agent, each.scope.project, each.scope.session) for each in plan.all}
    for agent, project, session in sorted(held):
        whose = Scope(scope.user, agent, project)
        found = mind.store.session_book.one(whose, session) if session else None
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
