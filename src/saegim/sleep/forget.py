"""Letting go on purpose: a preview first, then seven days in which it can be called back."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Final, Unpack

from saegim.errors import BadInput, NotFound, Refused
from saegim.memory.changes import Change, Leaving, LifetimeSet, Pinned, Restored, Woken
from saegim.memory.clock import checked_id, day_ended_by, parse_day
from saegim.memory.memory import (
    FINDABLE,
    GRACE,
    Lifetime,
    Memory,
    Reason,
    Scope,
    State,
    Tier,
    checked_name,
    expiry,
)
from saegim.mind import Mind
from saegim.perceive.build import blanked, followers, no_lifetimes
from saegim.perceive.turn import Observed, Turn
from saegim.recall.handle import named_id
from saegim.recall.listing import newest_matching
from saegim.recall.understand import Query
from saegim.recall.usage import said_in
from saegim.sleep import erase as erasing
from saegim.sleep.meant import meant
from saegim.soul import beliefs, islands
from saegim.store.commit import Batch
from saegim.store.rows import Filters, Where, where_of

if TYPE_CHECKING:
    from saegim.session.working import WorkingMemory

# A wish that names more than this is a query, not a list of memories.
MOST_AT_ONCE = 1000
# Nobody plans further ahead in days; who does, means for good.
_MOST = 36_500


@dataclass(frozen=True, slots=True)
class Farewell:
    """Which memories leave, or would leave, and until when they can be called back."""

    memories: tuple[Memory, ...]
    until: datetime
    done: bool


def leave(
    memories: Sequence[Memory],
    *,
    scope: Scope,
    mind: Mind,
    confirm: bool,
    by: str = "",
    also: Sequence[Change] = (),
    exact: bool = False,
) -> Farewell:
    """Put memories into the forgetting queue; without `confirm`, only say which.

    A core memory leaves only if `by` names the person who wants it. `also` is written with it.
    What was corrected since it was read leaves as it reads now, or is refused if the wish was for
    those words alone (`exact`).
    """
    now = mind.now()
    until = now + timedelta(days=mind.settings.forgetting_days)
    if not confirm or not memories:
        return Farewell(tuple(_with_followers(memories, mind)), until, confirm)
    left: list[Memory] = []

    def parting() -> Batch:
        left[:] = _with_followers(_standing(memories, scope, mind, exact=exact), mind)
        refuse_protected(left, by=by)
        changes: list[Change] = [Leaving(each.id, Reason.MANUAL, now, until) for each in left]
        changes += blanked([each.id for each in left], scope, mind)
        changes += [*_shaken(left, scope, mind), *also]
        return Batch(scope.user, changes, actor=by or scope.agent or scope.user, at=now)

    # Thought out while nobody else writes: who corrects at this moment comes before it or after.
    mind.store.commit(parting, owner=scope.user)
    return Farewell(tuple(left), until, confirm)


def _with_followers(memories: Sequence[Memory], mind: Mind) -> list[Memory]:
    """Return memories with what nights made of them, or recall would still tell it.

    What left with one that is let go once more goes on with it, to be called back with it.
    """
    whole = {each.id: each for each in memories}
    for each in memories:
        gone = (made for made in _gone_with(each, mind) if made.text)
        whole |= {made.id: made for made in (*followers(each, mind), *gone)}
    return list(whole.values())


def _standing(memories: Sequence[Memory], scope: Scope, mind: Mind, *, exact: bool) -> list[Memory]:
    """Return memories as they stand now; what was corrected since they were read, as corrected."""
    found = []
    for each in memories:
        now = mind.store.memories.get(scope, each.id)
        if now and now.life.state is State.SUPERSEDED and each.life.state is not State.SUPERSEDED:
            if exact:
                raise Refused("store.corrected_by_someone_else", memory=each.id)
            now = mind.store.memories.get(scope, mind.store.memories.current(scope, each.id))
        # What was erased meanwhile has left already.
        if now and now.text:
            found.append(now)
    return found


def _shaken(memories: Sequence[Memory], scope: Scope, mind: Mind) -> Iterator[Change]:
    """Yield what becomes of the self when core memories go: islands shake, beliefs are asked."""
    core = [each.id for each in memories if each.life.tier is Tier.M0]
    if not core:
        return
    moved = islands.without(core, scope, mind)
    yield from map(islands.written, moved)
    yield from beliefs.recomputed(core, scope, mind)
    yield beliefs.after_islands(moved, scope, mind)


def matching(query: str, where: Where, *, named: bool, mind: Mind, confirm: bool) -> Farewell:
    """Let go of what holds every word; `named` says that a filter was given.

    Whole words only: who lets go of 차 does not mean 자동차.
    """
    asked = Query(text=query, where=where, limit=MOST_AT_ONCE)
    if not asked.meaning and not named:
        raise BadInput("sleep.nothing_says_what_to_forget")
    found = newest_matching(asked, mind=mind, within=False)
    return leave(found, scope=where.scope, mind=mind, confirm=confirm)


def as_told(turn: Turn, seen: Observed, *, mind: Mind) -> Observed:
    """Carry out what a turn asks to forget; the turn after may say that another thing was meant."""
    if turn.role != "user":
        return seen
    before = _still_here(mind.recently.forgotten(turn.session), turn.scope, mind)
    mind.recently.note_forgotten(turn.session, ())
    forgets = seen.decision.forgets
    if before and _takes_back(seen, [each.text for each in before]):
        # "Not that one, the bicycle" names what was meant; what tells something new names nothing.
        forgets = forgets or not _tells_anew(seen)
        ids = [each.id for each in before]
        seen = replace(seen, restored=tuple(restore(ids, scope=turn.scope, mind=mind)))
    if not forgets:
        return seen
    spared = [*(each.id for each in before), *(each.id for each in (*seen.kept, *seen.facts))]
    # What is only quoted in the turn names nothing that the person wants gone.
    found = meant(seen.heard, scope=turn.scope, mind=mind, spared=spared)
    if not found.surely:
        return replace(seen, perhaps=found.perhaps)
    far = replace(turn.scope, session="")
    gone = leave(found.surely, scope=far, mind=mind, confirm=True)
    mind.recently.note_forgotten(turn.session, tuple(each.id for each in gone.memories))
    return replace(seen, forgotten=gone.memories)


def _still_here(ids: Iterable[str], scope: Scope, mind: Mind) -> list[Memory]:
    """Return what can be called back of what was let go: not what was erased meanwhile."""
    found = (mind.store.memories.get(scope, id) for id in ids)
    archived = mind.store.memories.in_archive
    return [each for each in found if each and (each.text or archived(scope, each.id))]


# Who adds to a wish takes nothing back: "that one too", 그거 말고도. A word may end in 도 (제주도);
# right before the wish it is "too".
_ALSO: Final = re.compile(
    r"(?i)\b(?:also|as well|besides|not (?:only|just))\b"
    r"|\btoo\b(?=\W*(?:$|[.,;:!?]|and\b|please\b))|말고(?:도|\s?또)"
    r"|(?<=[가-힣])도\s?(?:(?:다|좀|같이|함께|그냥|제발|전부|이제|기억에서)\s)*"
    r"(?:잊|지[워우]|삭제|빼|없던|못\s?들은)"
)
# Words of surprise and apology with which a person begins who said what they did not mean.
_SORRY: Final = (
    r"^\W*(?:(?:no|nope|nah|sorry|oops|wait|oh|hm+|actually|i said"
    r"|아니[야요]?|아냐|앗|어라?|잠깐만?|근데|미안|아)(?![A-Za-z가-힣])\W*)"
)
_REGRETS: Final = re.compile(rf"(?i){_SORRY}")
# By which they say outright that what was just let go was not it.
_NOT_THAT: Final = re.compile(
    rf"(?i){_SORRY}*(?:"
    r"not (?:that|this|it|her|him|them)\b"
    r"(?: (?:one|thing)\b|(?=\s*(?:$|[.,;:!?–—-]|(?:forget|but)\b)))"
    r"|(?:that(?:['’]s| is| was) )?(?:the )?wrong (?:one|thing)\b"
    r"|that(?:(?:['’]s| is| was) not| isn['’]t| wasn['’]t) (?:it|the one|what i (?:meant|said))\b"
    r"|i meant\b(?! (?:to|that|it|well)\b)"
    r"|[그이저]\s?(?:거|게|건|것|걸|얘기|이야기|말)\s?(?:말고(?!는)|아니(?!면)))"
    rf"|{_SORRY}+(?:the other one\b|다른\s?(?:거|것|얘기)"
    r"|\S{1,20}(?:\s?(?:얘기|이야기)[를을은]?)?\s(?:말이[야에]|말한\s?거))"
    r"|\bforget\b[^,.;:]{0,80}\binstead\W*$"
)
# And by which they name it: "not Anna", 민수 얘기 말고.
_NOT_NAMED: Final = re.compile(
    rf"(?i){_SORRY}*(?:not (?P<en>[^.,;:!?]{{2,40}})"
    r"|(?P<ko>[가-힣][^.,!?]{0,20}?)(?:\s?(?:얘기|이야기|거|것|건))?\s?말고(?!는))"
)
# A correction of so few words names nothing else.
_NAMES_LITTLE: Final = 4


def _takes_back(seen: Observed, forgotten: Sequence[str]) -> bool:
    """Say whether a turn takes back what the one before let go of: the texts `forgotten`.

    Who says outright that it was not meant does, in however many words; who adds to it does not.
    Nor does another wish, nor a correction of something else: nobody wants back what they wished
    away.
    """
    text, decision = seen.heard, seen.decision
    if _ALSO.search(text):
        return False
    if _NOT_THAT.search(text):
        return True
    if not (decision.corrects or decision.forgets):
        return False
    named = _NOT_NAMED.search(text)
    if named and any(said_in(named["en"] or named["ko"], forgotten)):
        return True
    if decision.forgets or _tells_anew(seen) or not _REGRETS.search(text):
        return False
    return any(said_in(text, forgotten)) or len(text.split()) <= _NAMES_LITTLE


def _tells_anew(seen: Observed) -> bool:
    """Say whether something is kept of a turn."""
    return bool(seen.kept or seen.facts or seen.quoted)


def refuse_protected(memories: Iterable[Memory], *, by: str = "") -> None:
    """Refuse to let go of what was made to stay."""
    for each in memories:
        if each.life.immutable:
            raise Refused("sleep.immutable_and_cannot_be_forgotten", id=each.id)
        if each.life.tier is Tier.M0 and not by:
            raise Refused("sleep.core_memory_m0", id=each.id)


def named(ids: Iterable[str], *, scope: Scope, mind: Mind) -> list[Memory]:
    """Return what holds now for each of these ids; name the first that is not there."""
    wanted = list(dict.fromkeys(checked_id(each) for each in ids))
    if not wanted or len(wanted) > MOST_AT_ONCE:
        raise BadInput("sleep.ids_were_given", count=len(wanted), most_at_once=MOST_AT_ONCE)
    found = {}
    for id in wanted:
        memory = mind.store.memories.get(scope, mind.store.memories.current(scope, id))
        if memory is None or not memory.text:
            raise NotFound("sleep.no_memory", id=id)
        found[memory.id] = memory
    return list(found.values())


def pin(ids: Iterable[str], *, scope: Scope, mind: Mind, pinned: bool) -> list[Memory]:
    """Hold memories fast, so that nothing lets them go by itself; or let them loose again."""
    held = named(ids, scope=scope, mind=mind)
    changes: list[Change] = []
    for each in held:
        if each.life.state not in FINDABLE:
            raise Refused("sleep.is_in_state", id=each.id, state=each.life.state.value)
        if each.life.pinned is not pinned:
            changes.append(Pinned(each.id, pinned))
        if pinned and each.life.state is State.DORMANT:
            changes.append(Woken(each.id))
    if changes:
        actor = scope.agent or scope.user
        mind.store.commit(Batch(scope.user, changes, actor=actor, at=mind.now()))
    return named([each.id for each in held], scope=scope, mind=mind)


def keep(
    ids: Iterable[str],
    *,
    scope: Scope,
    mind: Mind,
    days: float | None = None,
    until: object = None,
    passing: bool = False,
) -> list[Memory]:
    """Keep memories for good, until a day and a month more, or for their tier's time again.

    What is leaving, asleep or in the archive is called back by it.
    """
    last_date = _last_date(days, until, passing, mind)
    if not mind.settings.is_gentle:
        raise no_lifetimes()
    lifetime = Lifetime.PASSING if passing else Lifetime.UNTIL if last_date else Lifetime.LASTING
    changes: dict[str, list[Change]] = {}
    for id in dict.fromkeys(checked_id(each) for each in ids):
        memory = _callable(id, scope, mind)
        changes[memory.id] = list(_kept(memory, lifetime, last_date, mind))
    if not changes:
        raise BadInput("sleep.no_ids_were_given")
    whole = [each for made in changes.values() for each in made]
    if whole:
        actor = scope.agent or scope.user
        mind.store.commit(Batch(scope.user, whole, actor=actor, at=mind.now()))
    return named(changes, scope=scope, mind=mind)


def _last_date(days: float | None, until: object, passing: bool, mind: Mind) -> datetime | None:
    """Return the end of the last day that was asked for, if one was."""
    if sum((days is not None, until is not None, passing)) > 1:
        raise BadInput("sleep.only_one_of_days_until")
    today = mind.here(mind.now()).date()
    if days is not None:
        if isinstance(days, bool) or not isinstance(days, int | float) or not 1 <= days <= _MOST:
            raise BadInput("sleep.days_cannot_be", days=days, most=_MOST)
        return mind.end_of(today + timedelta(days=days))
    if until is None:
        return None
    end = mind.end_of(parse_day(until, "until"))
    if end <= mind.now():
        raise BadInput("sleep.day_is_over", day=day_ended_by(end).isoformat())
    return end


def _callable(id: str, scope: Scope, mind: Mind) -> Memory:
    """Return the memory of that id as it is now, also from the queue or the archive."""
    memory = mind.store.memories.get(scope, id)
    if memory is not None and memory.life.state is State.SUPERSEDED:
        memory = mind.store.memories.get(scope, mind.store.memories.current(scope, id))
    gone = memory is not None and memory.life.state is State.FORGOTTEN
    if memory is None or (gone and not mind.store.memories.in_archive(scope, memory.id)):
        raise NotFound("sleep.no_memory", id=id)
    if memory.life.state is State.QUARANTINED:
        raise Refused("sleep.is_in_quarantine", id=id)
    return memory


def _kept(
    memory: Memory, lifetime: Lifetime, last_date: datetime | None, mind: Mind
) -> Iterator[Change]:
    """Yield what lets a memory live so long, awake."""
    held_fast = memory.life.immutable or memory.life.tier is Tier.M0
    if held_fast and lifetime is not Lifetime.LASTING:
        raise Refused("sleep.made_to_stay", id=memory.id)
    now = mind.now()
    end = expiry(memory.life.tier, now) if last_date is None else last_date + GRACE
    if memory.life.state in (State.LEAVING, State.FORGOTTEN):
        yield Restored(memory.id, end)
    elif memory.life.state is State.DORMANT:
        yield Woken(memory.id)
    if not held_fast:
        yield LifetimeSet(memory.id, lifetime, last_date, end)


def restore(ids: Iterable[str], *, scope: Scope, mind: Mind) -> list[Memory]:
    """Call memories back: active again, their tier kept, their time reset."""
    now = mind.now()
    changes: dict[str, Change] = {}
    for id in dict.fromkeys(checked_id(each) for each in ids):
        memory = mind.store.memories.get(scope, id)
        if memory is not None and memory.life.state is State.SUPERSEDED:
            memory = mind.store.memories.get(scope, mind.store.memories.current(scope, id))
        if memory is None:
            raise NotFound("sleep.no_memory_saegim_recent", id=id)
        if memory.life.state is State.QUARANTINED:
            raise Refused("sleep.quarantine_not_in_queue", id=id)
        for each in (memory, *_gone_with(memory, mind)):
            end = expiry(each.life.tier, now, each.life.last_date)
            changes[each.id] = Restored(each.id, end)
    if not changes:
        raise BadInput("sleep.no_ids_were_given_give_ids")
    actor = scope.agent or scope.user
    mind.store.commit(Batch(scope.user, list(changes.values()), actor=actor, at=now))
    _held_up(changes, actor, scope, mind)
    return [back for id in changes if (back := mind.store.memories.get(scope, id)) is not None]


def _held_up(back: Iterable[str], actor: str, scope: Scope, mind: Mind) -> None:
    """Let islands stand again on what was called back, and doubt no belief that it bears."""
    here = set(back)
    moved = [
        islands.stood(each, scope, mind)
        for each in islands.islands(scope, mind)
        if here & set(each.lost)
    ]
    if moved:
        told = beliefs.after_islands(moved, scope, mind)
        changes = [*map(islands.written, moved), told, *beliefs.borne_again(scope, mind)]
        mind.store.commit(Batch(scope.user, changes, actor=actor, at=mind.now()))


def _gone_with(memory: Memory, mind: Mind) -> list[Memory]:
    """Return what nights made of a memory and what left together with it, by the same wish."""
    gone = (State.LEAVING, State.FORGOTTEN)
    if memory.life.state not in gone or memory.life.leaving_reason is not Reason.MANUAL:
        return []
    return [
        each
        for each in followers(memory, mind, states=gone)
        if each.life.leaving_since == memory.life.leaving_since
        and each.life.leaving_reason is Reason.MANUAL
        and (bool(each.text) or mind.store.memories.in_archive(each.scope, each.id))
    ]


# -- `Forgetting`: the queue of what is leaving, the archive behind it

_MOST_ROWS = 1000


@dataclass(frozen=True, slots=True)
class Queued:
    """A memory on its way out: why, since when, and how long it can still be called back."""

    memory: Memory
    reason: str
    since: datetime
    left: timedelta


@dataclass(frozen=True, slots=True)
class ArchivedWords:
    """Words that lie in the archive: since when, and until when they can be called back."""

    id: str
    text: str
    since: datetime
    until: datetime


@dataclass(frozen=True, slots=True)
class Forgetting:
    """What one user is letting go of."""

    scope: Scope
    mind: Mind
    home: Path
    # What of this user is in mind in this process.
    running: tuple[WorkingMemory, ...] = ()

    def queue(self, n: int | None = None) -> list[Queued]:
        """Return what is leaving, what goes first first (seed D §6): all of it, or the first."""
        now = self.mind.now()
        found = []
        for memory in self.mind.store.memories.leaving(self._leaving, limit=n):
            life = memory.life
            if life.leaving_until is None or life.leaving_since is None:
                continue
            left = max(timedelta(0), life.leaving_until - now)
            reason = life.leaving_reason.value if life.leaving_reason else ""
            found.append(Queued(memory, reason, life.leaving_since, left))
        return found

    @property
    def _leaving(self) -> Where:
        return Where(scope=self.scope, states=(State.LEAVING,), bookkeeping=True)

    def queued(self, within: timedelta | None = None) -> int:
        """Count what is leaving, or what does within that time."""
        by = None if within is None else self.mind.now() + within
        return self.mind.store.memories.leaving_by(self._leaving, by)

    def archive(self, n: int = 20) -> list[ArchivedWords]:
        """Return what lies in the archive, the latest first; `restore` calls it back."""
        if isinstance(n, bool) or not isinstance(n, int) or not 1 <= n <= _MOST_ROWS:
            raise BadInput("sleep.n_cannot_be", n=n, most=_MOST_ROWS)
        kept = timedelta(days=self.mind.settings.archive_days)
        rows = self.mind.store.memories.archive(self.scope, limit=n)
        return [ArchivedWords(id, text, since, since + kept) for id, since, text in rows]

    def pin(self, *ids: str) -> list[Memory]:
        """Hold memories fast: nothing lets them fade or go by itself (seed C `memory_pin`)."""
        return pin(self._known(ids), scope=self.scope, mind=self.mind, pinned=True)

    def unpin(self, *ids: str) -> list[Memory]:
        """Let memories age again (seed C `memory_unpin`)."""
        return pin(self._known(ids), scope=self.scope, mind=self.mind, pinned=False)

    def keep(
        self,
        *ids: str,
        days: float | None = None,
        until: date | str | None = None,
        passing: bool = False,
    ) -> list[Memory]:
        """Keep memories for good, whatever their age; what was leaving or asleep is called back.

        With `days` or `until` they are kept until that day and a month more; `passing` gives them
        the time of their tier again.
        """
        wanted = self._known(ids)
        return keep(
            wanted, scope=self.scope, mind=self.mind, days=days, until=until, passing=passing
        )

    def session(self, session: str, *, confirm: bool = False) -> Farewell:
        """Let a whole session go; without `confirm`, only show what would leave."""
        name = checked_name("session", session)
        where = Where(
            scope=self.scope, session=name, everywhere=True, bookkeeping=True, imagined=True
        )
        found = [memory for _, memory in self.mind.store.memories.walk(where)]
        return leave(found, scope=self.scope, mind=self.mind, confirm=confirm)

    def matching(
        self, query: str | None = None, *, confirm: bool = False, **filters: Unpack[Filters]
    ) -> Farewell:
        """Let go of what a search finds; without `confirm`, only show it (delete_by_query)."""
        named = any(value is not None for value in filters.values())
        where = where_of(self.scope, filters, self.mind.zone)
        return matching(query or "", where, named=named, mind=self.mind, confirm=confirm)

    def erase(self, *ids: str, confirm: bool = False, by: str = "") -> erasing.EraseReceipt:
        """Leave nothing of memories, now and everywhere; preview first (U26.3)."""
        return erasing.erase(
            self._known(ids),
            scope=self.scope,
            mind=self.mind,
            confirm=confirm,
            home=self.home,
            by=by,
            running=self.running,
        )

    def _known(self, ids: Iterable[str]) -> list[str]:
        return [named_id(each, scope=self.scope, store=self.mind.store) for each in ids]
