"""`Sources`: what a source brought, kept apart, let out, or taken back with all that came of it."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Unpack

from saegim.errors import BadInput, Refused
from saegim.memory.changes import Change, Leaving, Linked, Restored, Unlinked
from saegim.memory.clock import aware, instant_of
from saegim.memory.entities import (
    CONTRADICTS,
    DERIVED_FROM,
    MERGED_FROM,
    PROMOTED_FROM,
    SUPERSEDES,
    Link,
)
from saegim.memory.memory import Memory, Origin, Reason, Scope, State, Tier, expiry
from saegim.mind import Mind
from saegim.perceive import quarantine as separating
from saegim.perceive.build import blanked
from saegim.recall.handle import named_id
from saegim.store.commit import Batch
from saegim.store.rows import ALL_STATES, Filters, Where, where_of

MOST_AT_ONCE = 10_000
# What still stands somewhere; the rest is on its way out or gone.
_STANDING = (State.ACTIVE, State.DORMANT, State.SUPERSEDED, State.QUARANTINED)
# So many are read, or changed in one commit: a fifth to half of a second on a small machine.
_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class Reverted:
    """What leaves with a source, or in a preview would: each memory as it stood before."""

    memories: tuple[Memory, ...]
    derived: tuple[Memory, ...]
    # What the source had superseded and nothing else supersedes: it holds again.
    returned: tuple[Memory, ...]
    # Immutable and core memories stay until a person decides about each.
    kept_back: tuple[Memory, ...]
    until: datetime
    done: bool
    # The name under which all of it can be taken back; "" if nothing was changed.
    maker: str = ""


@dataclass(frozen=True, slots=True)
class _Aside:
    """What the source had pushed aside: ties that end, ties that take their place, who returns."""

    ended: tuple[Link, ...]
    instead: tuple[Link, ...]
    returned: tuple[Memory, ...]


@dataclass(frozen=True, slots=True)
class _RevertPlan:
    """What taking back a source comes to, as the store stood at one line of the ledger."""

    seen: int
    memories: tuple[Memory, ...]
    derived: tuple[Memory, ...]
    kept_back: tuple[Memory, ...]
    aside: _Aside

    def acts(self, now: datetime, until: datetime) -> Iterator[list[Change]]:
        """Return what must happen together; ties end before what they held down returns."""
        for memory in (*self.memories, *self.derived):
            yield [Leaving(memory.id, Reason.MANUAL, now, until)]
        about: dict[str, list[Change]] = {}
        for link in self.aside.ended:
            about.setdefault(link.target, []).append(Unlinked(link))
        for link in self.aside.instead:
            about[link.target].append(Linked(link))
        for memory in self.aside.returned:
            about[memory.id].append(Restored(memory.id, expiry(memory.life.tier, now)))
        yield from about.values()


def revert(where: Where, *, since: datetime | None, mind: Mind, confirm: bool) -> Reverted:
    """Take back what a source brought, recorded from `since` on; without `confirm`, only say what.

    Where someone else changes one of the memories meanwhile it stops, and can be asked for again.
    """
    if not where.origins and not any(map(_names, (where.author, where.session, where.domain))):
        raise BadInput("sleep.nothing_says_which_source")
    if since is not None:
        aware("since", since)
    now = mind.now()
    until = now + timedelta(days=mind.settings.forgetting_days)
    plan = _planned(where, since, mind)
    maker = mind.new_id("revert")
    acts = (*plan.acts(now, until), *_unportrayed(plan, where.scope, mind))
    parts = list(_parts(acts)) if confirm else []
    for done, changes in enumerate(parts):
        batch = Batch(
            owner=where.scope.user,
            changes=changes,
            actor=where.scope.agent or where.scope.user,
            at=now,
            seen=plan.seen,
            maker=maker,
            until=until,
        )
        try:
            mind.store.commit(batch)
        except Refused as error:
            step = "sleep.ask_again_or_undo" if done else "sleep.ask_again"
            raise error.advised(step, maker=maker) from error
    return Reverted(
        plan.memories,
        plan.derived,
        plan.aside.returned,
        plan.kept_back,
        until,
        confirm,
        maker if parts else "",
    )


def _unportrayed(plan: _RevertPlan, scope: Scope, mind: Mind) -> Iterator[list[Change]]:
    """Empty the portraits of whom the leaving memories speak of; the next night draws them anew."""
    ids = [memory.id for memory in (*plan.memories, *plan.derived)]
    emptied: set[str] = set()
    for start in range(0, len(ids), _AT_ONCE):
        for change in blanked(ids[start : start + _AT_ONCE], scope, mind):
            if change.entity not in emptied:
                emptied.add(change.entity)
                yield [change]


def _parts(acts: Iterable[list[Change]]) -> Iterator[list[Change]]:
    """Gather what happens together into commits that others can wait for."""
    part: list[Change] = []
    for act in acts:
        if part and len(part) + len(act) > _AT_ONCE:
            yield part
            part = []
        part += act
    if part:
        yield part


def _names(value: str | None) -> bool:
    """Say whether a value names someone; no name never means everyone without one."""
    return value is not None and bool(value.strip())


def _planned(where: Where, since: datetime | None, mind: Mind) -> _RevertPlan:
    seen = mind.store.ledger.length(where.scope.user)
    # What was made of a source may belong to another project: lineage knows only the user.
    scope = Scope(where.scope.user)
    roots, own = _of_the_source(where, since, mind)
    lineage = _lineage(roots, scope, mind)
    later = _memories((id for id in lineage if id not in roots), scope, mind)
    derived = [each for each in later if each.life.state in _STANDING]
    _refuse_too_many(len(own) + len(derived))
    kept_back = tuple(each for each in (*own, *derived) if _stays(each))
    held = {each.id for each in kept_back}
    return _RevertPlan(
        seen,
        tuple(each for each in own if each.id not in held),
        tuple(each for each in derived if each.id not in held),
        kept_back,
        _aside(lineage, held, scope, mind),
    )


def _stays(memory: Memory) -> bool:
    return memory.life.immutable or memory.life.tier is Tier.M0


def _refuse_too_many(count: int) -> None:
    if count > MOST_AT_ONCE:
        raise Refused("sleep.more_than_memories_are_too", most_at_once=MOST_AT_ONCE)


# -- what it brought, and what came of it ---------------------------------------------------------


def _of_the_source(
    where: Where, since: datetime | None, mind: Mind
) -> tuple[dict[str, None], list[Memory]]:
    """Return the ids of everything the source brought, and what of it still stands."""
    roots: dict[str, None] = {}
    standing = []
    for _, memory in mind.store.memories.walk(replace(where, states=ALL_STATES)):
        if since is not None and memory.time.recorded_at < since:
            continue
        roots[memory.id] = None
        if memory.life.state in _STANDING:
            standing.append(memory)
            _refuse_too_many(len(standing))
    return roots, standing


def _lineage(roots: Iterable[str], scope: Scope, mind: Mind) -> dict[str, None]:
    """Return these ids and every id that was made from them, at any distance, nearest first."""
    known = dict.fromkeys(roots)
    fresh = list(known)
    said_in = _said_in(scope, mind) if fresh else {}
    while fresh:
        made = [id for turn in fresh for id in said_in.get(turn, ())]
        sources = set(fresh)
        for link in _links(fresh, (DERIVED_FROM, PROMOTED_FROM), scope, mind):
            if link.target in sources:
                made.append(link.source)
        fresh = [id for id in dict.fromkeys(made) if id not in known]
        known |= dict.fromkeys(fresh)
    return known


def _said_in(scope: Scope, mind: Mind) -> dict[str, list[str]]:
    """Return which memories say that they were said in which turn, tied to it or not."""
    found: dict[str, list[str]] = {}
    for _, memory in mind.store.memories.walk(
        Where(scope=scope, states=ALL_STATES, bookkeeping=True, imagined=True)
    ):
        if memory.provenance.turn:
            found.setdefault(memory.provenance.turn, []).append(memory.id)
    return found


# -- what it had pushed aside ---------------------------------------------------------------------


def _aside(lineage: Collection[str], held: Collection[str], scope: Scope, mind: Mind) -> _Aside:
    """Return what becomes of the ties of what leaves; what is kept back goes on holding."""
    gone = [id for id in lineage if id not in held]
    leaving = set(gone)
    ties = list(_links(gone, (SUPERSEDES, MERGED_FROM, CONTRADICTS), scope, mind))
    # A tie between two that both leave stays: called back, they stand as they stood.
    ended = [
        each
        for each in ties
        if each.source in leaving and (each.type == CONTRADICTS or each.target not in lineage)
    ]
    below = list(dict.fromkeys(each.target for each in ended if each.type == SUPERSEDES))
    replaced = [each for each in ties if each.type == SUPERSEDES]
    replaced += _links(below, (SUPERSEDES,), scope, mind)
    heirs = _heirs(replaced, leaving)
    tied = {(each.source, each.target) for each in replaced}
    instead = [
        Link(source=heirs[id], type=SUPERSEDES, target=id)
        for id in below
        if id in heirs and (heirs[id], id) not in tied
    ]
    free = _memories((id for id in below if id not in heirs), scope, mind)
    returned = tuple(each for each in free if each.life.state is State.SUPERSEDED and each.text)
    return _Aside(tuple(ended), tuple(instead), returned)


def _heirs(replaced: Iterable[Link], leaving: Collection[str]) -> dict[str, str]:
    """Return what stays and holds in the place of others, also over versions that leave."""
    older: dict[str, list[str]] = {}
    for link in replaced:
        older.setdefault(link.source, []).append(link.target)
    waiting = deque((id, id) for id in older if id not in leaving)
    heirs: dict[str, str] = {}
    while waiting:
        id, heir = waiting.popleft()
        for target in older.get(id, ()):
            if target not in heirs:
                heirs[target] = heir
                if target in leaving:
                    waiting.append((target, heir))
    return heirs


# -- reading in parts -----------------------------------------------------------------------------


def _links(keys: Sequence[str], types: Sequence[str], scope: Scope, mind: Mind) -> Iterator[Link]:
    """Return the ties that touch these keys, each once."""
    seen: set[str] = set()
    for start in range(0, len(keys), _AT_ONCE):
        for link in mind.store.links.of(scope, keys[start : start + _AT_ONCE], types):
            if link.key not in seen:
                seen.add(link.key)
                yield link


def _memories(ids: Iterable[str], scope: Scope, mind: Mind) -> list[Memory]:
    """Return the memories of these ids, in their order; what is not here is left out."""
    wanted = list(ids)
    where = Where(scope=scope, states=ALL_STATES, bookkeeping=True, imagined=True)
    found: list[Memory] = []
    for start in range(0, len(wanted), _AT_ONCE):
        rows = mind.store.memories.rows_of(where, wanted[start : start + _AT_ONCE])
        held = mind.store.memories.by_numbers(scope, rows.values())
        found += [
            held[rows[id]]
            for id in wanted[start : start + _AT_ONCE]
            if id in rows and rows[id] in held
        ]
    return found


# -- `Sources`: what a source brought, kept apart, let out


@dataclass(frozen=True, slots=True)
class Sources:
    """Where one user's memories came from."""

    scope: Scope
    mind: Mind

    def quarantine(
        self, *, confirm: bool = False, **filters: Unpack[Filters]
    ) -> separating.Separated:
        """Keep apart what a source brought (author=, origin=, session=, domain=); preview first."""
        where = where_of(self.scope, filters, self.mind.zone)
        return separating.quarantine(where, mind=self.mind, confirm=confirm)

    def release(
        self,
        *ids: str,
        source: str | None = None,
        confirm: bool = False,
        suspects: bool = False,
        **filters: Unpack[Filters],
    ) -> separating.Separated:
        """Let memories out of quarantine: these ids, or together all that a source brought.

        `source` is an origin such as "import", or an author; session=, domain= and the others
        narrow as for `quarantine`. A source is previewed until `confirm`, and what still reads like
        an order stays apart unless `suspects`.
        """
        if bool(ids) == (source is not None or bool(filters)):
            raise BadInput("sleep.say_what_to_let_out")
        if not ids:
            where = where_of(self.scope, {**filters, **_brought_by(source)}, self.mind.zone)
            return separating.release_source(
                where, mind=self.mind, confirm=confirm, suspects=suspects
            )
        known = [named_id(each, scope=self.scope, store=self.mind.store) for each in ids]
        return separating.release(known, scope=self.scope, mind=self.mind)

    def revert(self, *, confirm: bool = False, **filters: Unpack[Filters]) -> Reverted:
        """Take back what a source brought since an instant, and all that was made of it (M7)."""
        since = filters.pop("since", None)
        where = where_of(self.scope, filters, self.mind.zone)
        begin = None if since is None else instant_of(since, "since", self.mind.zone)
        return revert(where, since=begin, mind=self.mind, confirm=confirm)


def _brought_by(source: str | None) -> dict[str, Any]:
    """Read the name of a source: an origin if there is one of that name, else an author."""
    if source is None:
        return {}
    if not isinstance(source, str) or not source.strip():
        raise BadInput("sleep.source_cannot_be", source=source, origin=", ".join(Origin))
    name = source.strip()
    return {"origin": name} if name in set(Origin) else {"author": name}
