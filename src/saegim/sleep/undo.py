"""Taking back: a whole night, or one Change of it, as long as its way back is open.

What a person did meanwhile stays: counts are taken back as counts, and what is gone for good is
said to be gone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

from saegim.errors import NotFound
from saegim.memory import changes as change_kinds
from saegim.memory.changes import Change
from saegim.memory.clock import from_micros
from saegim.memory.entities import MERGED_FROM, SUPERSEDES, WEIGHTS, Link, Page
from saegim.memory.memory import (
    FINDABLE,
    Lifetime,
    Memory,
    Reason,
    Scope,
    State,
    Tier,
    clamp,
    expiry,
)
from saegim.mind import Mind
from saegim.sleep import proposals
from saegim.store.commit import Batch
from saegim.store.ledger import UndoImage
from saegim.store.tables.project_table import is_place

_AT_ONCE = 200


@dataclass(frozen=True, slots=True)
class Undone:
    """What was taken back, by the kind of Change, and how many could not be."""

    name: str
    taken_back: Mapping[str, int]
    left: int
    # Under this name the taking back can itself be taken back.
    maker: str


def undo(name: str, *, scope: Scope, mind: Mind) -> Undone:
    """Take back everything a night did, or one line of the ledger by its number."""
    owner, images = scope.user, mind.store.undo.images
    line = int(name) if name.isdecimal() else None
    lines = images(owner, maker=name) if line is None else images(owner, seq=line)
    if not lines:
        raise NotFound("sleep.nothing_of_to_take_back", name=name[:60])
    made = {each.target for each in lines if each.change == "Saved"}
    maker = mind.new_id("undo")
    done: Counter[str] = Counter()
    left = 0
    for part in _parts(lines):
        changes: list[Change] = []
        for each in part:
            if _stays(each, made):
                continue
            taken = list(_inverse(each, scope, mind))
            changes += taken
            if taken:
                done[each.change] += 1
            elif _is_gone(each, scope, mind):
                left += 1
        _commit(changes, [each.seq for each in part], maker, scope, mind)
    return Undone(name, dict(done), left, maker)


def _parts(lines: Sequence[UndoImage]) -> Iterator[list[UndoImage]]:
    """Return the lines in parts, ties first: what is superseded is read from them."""
    ties = [each for each in lines if each.change in _TIES]
    others = [each for each in lines if each.change not in _TIES]
    for part in (ties, others):
        for start in range(0, len(part), _AT_ONCE):
            yield part[start : start + _AT_ONCE]


def _commit(
    changes: Sequence[Change], seqs: Sequence[int], maker: str, scope: Scope, mind: Mind
) -> None:
    now = mind.now()
    mind.store.commit(
        Batch(
            owner=scope.user,
            changes=changes,
            actor=scope.agent or scope.user,
            at=now,
            maker=maker,
            until=now + timedelta(days=mind.settings.forgetting_days),
            undoes=seqs,
        )
    )


_TIES: Final = ("Linked", "Unlinked")


def _is_gone(line: UndoImage, scope: Scope, mind: Mind) -> bool:
    """Say whether a line is about a memory whose words are gone for good."""
    if line.change not in _OF_A_MEMORY and line.change != "Erased":
        return False
    memory = mind.store.memories.get(scope, line.target)
    kept = memory is not None and (
        bool(memory.text) or mind.store.memories.in_archive(scope, memory.id)
    )
    return not kept


def _stays(line: UndoImage, made: set[str]) -> bool:
    """Say whether a tie is kept: those of a memory that leaves belong to it, should it come back.

    That two were merged, or one distilled, stays known, so that the next night does not do again
    what a person has taken back.
    """
    return line.change == "Linked" and (
        line.held["source"] in made or line.held["type"] == MERGED_FROM
    )


def _inverse(line: UndoImage, scope: Scope, mind: Mind) -> Iterator[Change]:
    """Return the Changes that take one line back; none where that is no longer possible."""
    if line.change in _TIES:
        yield _untied(line)
    elif line.change == "Portrayed":
        held = line.held
        # A newer portrait stays.
        if any(each.summary == held["to"] for each in mind.store.entities.of(scope, line.target)):
            yield change_kinds.Portrayed(line.target, held["summary"], held["personality_notes"])
    elif line.change == "Trusted":
        held = line.held
        # Where it moved on since, it stays.
        known = mind.store.entities.of(scope, line.target)
        if held["trust"] is not None and any(each.trust == held["to"] for each in known):
            yield change_kinds.Trusted(line.target, held["trust"])
    elif line.change == "Written":
        yield from _unproposed(line, scope, mind)
    elif is_place(line.target):
        # A place that was pointed elsewhere since stays there.
        if mind.store.projects.seen_as(scope.user, line.target) == line.held["to"]:
            yield change_kinds.Rehomed(line.target, line.held["project"])
    elif line.change in _OF_A_MEMORY:
        memory = mind.store.memories.get(scope, line.target)
        if memory is not None and not _decided_since(line, scope, mind):
            yield from _OF_A_MEMORY[line.change](line.held, memory, mind)


def _decided_since(line: UndoImage, scope: Scope, mind: Mind) -> bool:
    """Say whether what was let go has since been called back or let go anew: that stands."""
    if line.change not in ("Leaving", "Superseded"):
        return False
    later = mind.store.ledger.entries(scope, since=line.seq, subject=line.target)
    return any(entry.change in ("Leaving", "Superseded", "Restored") for entry in later)


def _untied(line: UndoImage) -> Change:
    held = line.held
    there = "weight" in held
    link = Link(
        source=held["source"],
        type=held["type"],
        target=held["to"],
        weight=-held["added"] if line.change == "Linked" else held.get("weight", 1.0),
        negative=bool(held.get("negative", False)),
    )
    if line.change == "Linked" and not there:
        return change_kinds.Unlinked(link)
    return change_kinds.Linked(link)


def _unproposed(line: UndoImage, scope: Scope, mind: Mind) -> Iterator[Change]:
    """Withdraw a proposal that still waits for its answer; write older weights again."""
    if line.held.get("kind") == WEIGHTS:
        yield from _unlearned(line, scope, mind)
    if line.held.get("kind") == proposals.KIND:
        proposal = proposals.one(line.target.partition(":")[2], scope, mind)
        if proposal.state == proposals.OPEN:
            yield proposals.answered(proposal, proposals.WITHDRAWN, by=scope.user)


def _unlearned(line: UndoImage, scope: Scope, mind: Mind) -> Iterator[Change]:
    """Go back to the weights before, unless a later night has learned on."""
    before = int(line.held.get("version", 0))
    versions = {each.version: each for each in mind.store.pages.of(scope, key=line.target)}
    if max(versions, default=0) == before + 1:
        data = versions[before].data if before in versions else {}
        yield change_kinds.Written(Page(key=line.target, kind=WEIGHTS, data=data))


Held = Mapping[str, Any]


def _unsaved(_: Held, memory: Memory, mind: Mind) -> Iterator[Change]:
    """What was made leaves as everything leaves: with seven days to change one's mind."""
    held_fast = memory.life.immutable or memory.life.tier is Tier.M0
    if memory.life.state in FINDABLE and not held_fast:
        now = mind.now()
        until = now + timedelta(days=mind.settings.forgetting_days)
        yield change_kinds.Leaving(memory.id, Reason.MANUAL, now, until)


def _called_back(held: Held, memory: Memory, mind: Mind) -> Iterator[Change]:
    """What was let go stands where it stood, with its own time if that is not over."""
    if "by" in held:
        tie = Link(source=held["by"], type=SUPERSEDES, target=memory.id)
        if any(each.key == tie.key for each in mind.store.links.of(memory.scope, [memory.id])):
            yield change_kinds.Unlinked(tie)
    if memory.life.state not in (State.SUPERSEDED, State.LEAVING, State.FORGOTTEN):
        return
    if memory.life.state is State.FORGOTTEN and not mind.store.memories.in_archive(
        memory.scope, memory.id
    ):
        return
    now = mind.now()
    end = from_micros(held["expires_at"]) if held["expires_at"] is not None else None
    fresh = expiry(memory.life.tier, now, memory.life.last_date)
    yield change_kinds.Restored(memory.id, end if end is not None and end > now else fresh)


def _unrestored(held: Held, memory: Memory, mind: Mind) -> Iterator[Change]:
    """What was called back stands again where it stood: on its way out, archived, superseded."""
    now, stood = mind.now(), held["state"]
    if memory.life.state in (State.LEAVING, State.FORGOTTEN):
        return
    if held["shrunk"]:
        yield change_kinds.Shrunk(memory.id, True)
    if stood == State.SUPERSEDED.value:
        newer = mind.store.memories.current(memory.scope, memory.id)
        ended = now if held["valid_to"] is None else from_micros(held["valid_to"])
        if newer != memory.id and memory.life.state is not State.SUPERSEDED:
            yield change_kinds.Superseded(memory.id, by=newer, at=ended)
    elif stood == State.LEAVING.value:
        until = now + timedelta(days=mind.settings.forgetting_days)
        yield change_kinds.Leaving(memory.id, Reason(held["leaving_reason"]), now, until)
    elif stood == State.FORGOTTEN.value:
        yield change_kinds.Archived(memory.id, now)


def _reweighed(held: Held, memory: Memory, _: Mind) -> Iterator[Change]:
    to = held.get("to")
    after = None
    if to is not None:
        after = clamp(memory.worth.importance + held["importance"] - to)
    yield change_kinds.Reweighed(
        memory=memory.id,
        at=memory.worth.recalled_at or memory.time.recorded_at,
        importance=after,
        **{name: -held[name] for name in ("recalled", "used", "repeat", "feedback")},
    )


def _retold(held: Held, memory: Memory, _: Mind) -> Iterator[Change]:
    if memory.text:
        triples = tuple((each[0], each[1], each[2]) for each in held["triples"])
        yield change_kinds.Retold(memory.id, held["brief"], triples)


def _tiered(held: Held, memory: Memory, _: Mind) -> Iterator[Change]:
    end = held["expires_at"]
    yield change_kinds.Tiered(
        memory.id, Tier(held["tier"]), None if end is None else from_micros(end)
    )


def _lifetime(held: Held, memory: Memory, _: Mind) -> Iterator[Change]:
    end, last = held["expires_at"], held.get("last_date")
    yield change_kinds.LifetimeSet(
        memory.id,
        Lifetime(held.get("lifetime", Lifetime.PASSING)),
        None if last is None else from_micros(last),
        None if end is None else from_micros(end),
    )


def _woken(_: Held, memory: Memory, __: Mind) -> Iterator[Change]:
    if memory.life.state is State.DORMANT:
        yield change_kinds.Woken(memory.id)


def _dozed(held: Held, memory: Memory, _: Mind) -> Iterator[Change]:
    if memory.life.state is State.ACTIVE and held["state"] == State.DORMANT.value:
        yield change_kinds.Dozed(memory.id)
    elif held["shrunk"]:
        yield change_kinds.Shrunk(memory.id, True)


def _shrunk(held: Held, memory: Memory, _: Mind) -> Iterator[Change]:
    """What was shrunk is whole and young again, or the next night would shrink it again."""
    if held["shrunk"]:
        yield change_kinds.Shrunk(memory.id, True)
    elif memory.life.state in FINDABLE:
        yield change_kinds.Woken(memory.id)


def _rehomed(held: Held, memory: Memory, _: Mind) -> Iterator[Change]:
    """What has moved on to a third project since stays there."""
    if memory.scope.project == held["to"]:
        yield change_kinds.Rehomed(memory.id, held["project"])


def _pinned(held: Held, memory: Memory, _: Mind) -> Iterator[Change]:
    yield change_kinds.Pinned(memory.id, bool(held["pinned"]))


_OF_A_MEMORY: Final[dict[str, Callable[[Held, Memory, Mind], Iterator[Change]]]] = {
    "Saved": _unsaved,
    "Superseded": _called_back,
    "Leaving": _called_back,
    "Archived": _called_back,
    "Restored": _unrestored,
    "Reweighed": _reweighed,
    "Retold": _retold,
    "Tiered": _tiered,
    "LifetimeSet": _lifetime,
    "Dozed": _woken,
    "Woken": _dozed,
    "Shrunk": _shrunk,
    "Pinned": _pinned,
    "Rehomed": _rehomed,
}
