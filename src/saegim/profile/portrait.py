"""A portrait of the person, and of everyone they speak of, in the person's own words.

A trait is a sentence that somebody said, and what it tells of whom. What holds stands first; what
ended is kept beside it. A claim ends another only where both are of one person and one slot and
the later one says so: it denies the same value, or it reads as a change and the slot has one value
at a time. Otherwise both stand. Nothing that was said is hidden by it. A plan whose day is over is
past, though nobody said so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from typing import Final

from saegim.errors import BadInput, StoreError
from saegim.language import language
from saegim.language.kin import relation_of
from saegim.language.names import called, is_given_name
from saegim.language.times import comes_back
from saegim.language.words import sentences
from saegim.memory.clock import day_ended_by
from saegim.memory.entities import PARTED_FROM, REFERS_TO, Entity
from saegim.memory.memory import Memory, Scope, State
from saegim.memory.text import normalise
from saegim.mind import Mind
from saegim.profile.read_claims import KIN, ME, batched, catch_up
from saegim.store.rows import Where
from saegim.store.tables.profile_table import ProfileClaim

# The order in which a person is told of; what merely happened is no trait.
SLOTS: Final = (
    "name", "age", "birthday", "home", "work", "role", "school", "partner", "family", "pet",
    "health", "diet", "likes", "dislikes", "skill", "language", "answer", "possession", "habit",
    "goal", "belief", "plan",
)  # fmt: skip
# One value at a time: the last one said is what holds.
_ONE: Final = frozenset(("name", "age", "birthday", "home", "work", "partner", "school"))
# What is denied here is a trait of its own: what is not eaten, what one cannot do.
_NOT: Final = frozenset(("diet", "skill", "language", "answer", "likes", "belief"))
# Where one is somebody's, the somebody is also theirs.
_TIES: Final = frozenset(("partner", "family", "pet"))
# How sure the reader must be. On hands it had not seen, three in four of such sentences stand
# where they belong.
SURE: Final = 0.7
# How much a claim must read like a change of what was said before to end it: on hands it had not
# seen three in four that read so are one; from 0.5 on it would be fewer than half.
ENDS: Final = 0.9
_STATES: Final = (State.ACTIVE, State.DORMANT, State.SUPERSEDED)
_LONGEST: Final = 160
# So many are read while somebody waits, some two seconds; the nights read the rest.
AT_ONCE: Final = 400
# Of a long life the latest so many claims make a portrait.
_MOST: Final = 1000
_AT_A_TIME: Final = 500


@dataclass(frozen=True, slots=True)
class Trait:
    """One thing that is known of someone, with the words and the memory that say it."""

    slot: str
    value: str
    text: str
    denied: bool
    unsure: bool
    since: datetime
    memory: str
    number: int
    # When it stopped to hold, and by which memory, if it did.
    until: datetime | None = None
    ended_by: str = ""
    # The end of the last day that a plan names.
    ends: datetime | None = None

    @property
    def last_date(self) -> date | None:
        """Return the last day of a plan that names one."""
        return self.ends and day_ended_by(self.ends)


@dataclass(frozen=True, slots=True)
class PersonProfile:
    """Someone, the names they go by, and what is known of them."""

    name: str
    is_self: bool
    names: tuple[str, ...]
    traits: tuple[Trait, ...]
    # How many memories the reader has not read yet.
    unread: int = 0

    @property
    def current(self) -> Mapping[str, tuple[Trait, ...]]:
        """Return what holds, slot by slot, the latest words first."""
        held = [each for each in reversed(self.traits) if each.until is None]
        found = {slot: tuple(each for each in held if each.slot == slot) for slot in SLOTS}
        return {slot: traits for slot, traits in found.items() if traits}

    @property
    def past(self) -> tuple[Trait, ...]:
        """Return what held once, the latest first."""
        return tuple(each for each in reversed(self.traits) if each.until is not None)


def portrait(scope: Scope, mind: Mind, name: str | None = None) -> PersonProfile | None:
    """Return what is known of the person, or of someone by name; None if nobody goes by it."""
    if name is not None and not normalise(name).strip():
        raise BadInput("profile.no_name")
    try:
        waiting = catch_up(mind, AT_ONCE, scope.user)
    except StoreError:
        # Somebody writes, or nothing may be written: told from what was read before, and said so.
        reader = mind.claim_reader
        waiting = mind.store.profiles.waiting(reader.name, scope.user) if reader else 0
    asked = called(name) if name else (None,)
    found = next(filter(None, (drawn(scope, mind, each) for each in asked)), None)
    return found and replace(found, unread=waiting)


def drawn(scope: Scope, mind: Mind, name: str | None = None) -> PersonProfile | None:
    """Return the portrait from what has been read so far."""
    where = Where(scope=scope, states=_STATES)
    if name is None:
        claims = mind.store.profiles.of(where, [ME], SLOTS, least=SURE, most=_MOST)
        traits = _folded(_told(claims, mind, scope), mind)
        own = [each.value for each in traits if each.slot == "name" and each.until is None]
        return PersonProfile(own[-1] if own else "", True, (), tuple(traits))
    known = mind.store.entities.named(scope, [name]).get(normalise(name), [])
    names = _names(name, known)
    is_theirs, taken_for = _parted(known, scope, mind)
    for each in taken_for:
        names |= _names(each.name, [each])
    claims = mind.store.profiles.of(where, names, SLOTS, least=SURE, most=_MOST)
    tied = mind.store.profiles.of(where, [ME], _TIES, least=SURE, most=_MOST)
    ties = [each for each in tied if normalise(each.value) in names]
    if not known and not claims and not ties:
        return None
    shown = known[0].display_name or known[0].name if known else name
    others = (*(each.name for each in known[1:]), *(known[0].aliases if known else ()))
    told = _told([*ties, *claims], mind, scope)
    traits = _folded([each for each in told if is_theirs(each[0].id)], mind)
    return PersonProfile(shown, False, others, tuple(traits))


def _parted(
    known: Sequence[Entity], scope: Scope, mind: Mind
) -> tuple[Callable[[str], bool], list[Entity]]:
    """Return which memories speak of these and not of a namesake, and whom they were taken for."""
    links, keys = mind.store.links, {each.key for each in known}
    ties = links.of(scope, keys, (PARTED_FROM,)) if keys else []
    if not ties:
        return lambda _: True, []
    others = {end for tie in ties for end in (tie.source, tie.target)} - keys
    ours, theirs = (
        {tie.source for tie in links.of(scope, some, (REFERS_TO,))} for some in (keys, others)
    )
    taken_for = {tie.target for tie in ties if tie.source in keys} - keys
    own = [each for key in sorted(taken_for) for each in mind.store.entities.of(scope, key)]
    # Whoever was parted has only what was given to them; the other has all the rest.
    return (ours.__contains__ if own else lambda id: id in ours or id not in theirs), own


def _names(name: str, known: Sequence[Entity]) -> set[str]:
    """Return under which subjects someone may have been spoken of."""
    names = {normalise(name)}
    for each in known:
        names |= {normalise(other) for other in (each.name, *each.aliases)}
    # 한지우 and 지우 are one person; "mum" is the mother.
    names |= {each[1:] for each in names if is_given_name(each) and len(each) == 3}
    return names | {KIN + found for each in (*names,) if (found := relation_of(each))}


Told = tuple[Memory, ProfileClaim]


def _told(claims: Sequence[ProfileClaim], mind: Mind, scope: Scope) -> list[Told]:
    """Return claims with the memories that make them, the first said first."""
    held: dict[int, Memory] = {}
    for some in batched(list({each.number for each in claims}), _AT_A_TIME):
        held |= mind.store.memories.by_numbers(scope, some)
    told = [(held[each.number], each) for each in claims if each.number in held]
    return sorted(told, key=lambda each: each[0].time.said)


def _folded(told: Iterable[Told], mind: Mind) -> list[Trait]:
    return traits_of(told, here=mind.here, now=mind.now())


def _in_utc(at: datetime) -> datetime:
    return at.astimezone(UTC)


def traits_of(
    told: Iterable[Told],
    *,
    here: Callable[[datetime], datetime] = _in_utc,
    now: datetime | None = None,
) -> list[Trait]:
    """Fold claims, the first said first, into what holds and what held; `here` is one's clock."""
    held: list[Trait] = []
    # Of each slot the places of what holds so far.
    holding: dict[str, list[int]] = {}
    plain: dict[int, str] = {}
    for memory, claim in told:
        if claim.sure < SURE or claim.slot not in SLOTS:
            continue
        at, slot = memory.time.said, claim.slot
        fresh = Trait(
            slot=slot,
            value=claim.value,
            text=_sentence(memory.text, claim.value, claim.place),
            denied=claim.denied,
            unsure=claim.unsure,
            since=at,
            memory=memory.id,
            number=claim.number,
        )
        if slot == "plan":
            fresh = replace(fresh, ends=_end_of(memory, fresh.text, here))
        if claim.outdated:
            # What was corrected says what was, and ends nothing.
            held.append(replace(fresh, until=memory.time.valid_to or at))
            continue
        open_ones = holding.setdefault(slot, [])
        value = normalise(claim.value)
        same = [each for each in open_ones if _is_same(plain[each], value)]
        # The same appointment on another day is another plan.
        same = [each for each in same if not _on_other_days(held[each], fresh)]
        ends = [each for each in same if held[each].denied != claim.denied]
        ended_itself = claim.denied and slot not in _NOT
        if ended_itself:
            ends = same
        elif slot in _ONE and claim.changes >= ENDS and not claim.unsure and not claim.denied:
            others = (each for each in open_ones if each not in same)
            ends += [each for each in others if held[each].memory != memory.id]
        for each in ends:
            held[each] = replace(held[each], until=at, ended_by=memory.id)
            open_ones.remove(each)
        if not ended_itself and not any(each not in ends for each in same):
            open_ones.append(len(held))
            plain[len(held)] = value
            held.append(fresh)
    return [_ended_by_its_day(each, now) if now else each for each in held]


def _end_of(memory: Memory, text: str, here: Callable[[datetime], datetime]) -> datetime | None:
    """Return the end of the last day that a plan's own words name, else of its memory's last."""
    said_at = here(memory.time.said)
    ends = [each.end for each in language.times(text, said_at) if each.end > said_at]
    if not ends or comes_back(text):
        return memory.life.last_date
    day = (max(ends) - timedelta(microseconds=1)).replace(hour=0, minute=0, second=0)
    return _in_utc(day.replace(microsecond=0) + timedelta(days=1))


def _on_other_days(one: Trait, other: Trait) -> bool:
    return None not in (one.ends, other.ends) and one.ends != other.ends


def _ended_by_its_day(trait: Trait, now: datetime) -> Trait:
    over = trait.until is None and trait.ends is not None and trait.ends <= now
    return replace(trait, until=trait.ends) if over else trait


def _sentence(text: str, value: str, place: int) -> str:
    """Return the sentence in which a value stands, or as much around it as one line holds."""
    found, end = text, 0
    for each in sentences(text):
        begin = text.find(each, end)
        end = begin + len(each) if begin >= 0 else end
        if begin <= place < end:
            found, place = each, place - begin
            break
    found = found.strip()
    if len(found) <= _LONGEST:
        return " ".join(found.split())
    at = max(place - (_LONGEST - len(value)) // 2, 0)
    cut = " ".join(found[at : at + _LONGEST].split())
    return f"{'…' if at else ''}{cut}{'…' if at + _LONGEST < len(found) else ''}"


def _is_same(one: str, other: str) -> bool:
    """Say whether two values name one thing: the same words, or one within the other."""
    short, long = (one, other) if len(one) <= len(other) else (other, one)
    return short == long or (len(short) > 1 and short in long)
