"""A portrait of the person, and of everyone they speak of, from what memories claim.

What is current is told first; what ended is kept beside it as what was. A claim ends another only
where both are of one person and one slot and the later one says so: it denies the value, or the
slot holds one value at a time. Nothing that was said is hidden by it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from saegim.language.kin import relation_of
from saegim.language.language import language_of
from saegim.memory.entities import Entity
from saegim.memory.memory import Scope, State
from saegim.memory.text import normalise
from saegim.messages import said
from saegim.mind import Mind
from saegim.profile.read_claims import KIN, ME, catch_up
from saegim.store.rows import Where
from saegim.store.tables.profile_table import ProfileClaim

# The order in which a person is told of.
SLOTS: Final = (
    "name", "age", "birthday", "home", "work", "role", "school", "partner", "family", "pet",
    "health", "diet", "likes", "dislikes", "skill", "language", "answer", "possession", "habit",
    "goal", "belief", "plan",
)  # fmt: skip
# One value at a time: the last one said is what holds.
_ONE: Final = frozenset(("name", "age", "birthday", "home", "work", "partner", "school"))
# What is denied here is a fact of its own: what is not eaten, what one cannot do.
_NOT: Final = frozenset(("diet", "skill", "language", "answer", "likes", "belief"))
# Where one is somebody's, the somebody is also theirs.
_TIES: Final = frozenset(("partner", "family", "pet"))
_TIED: Final = frozenset(f"my_{each}" for each in _TIES)
# How sure the reader must be: of what stands in a portrait, and of what ends something.
SURE, ENDS = 0.5, 0.7
_STATES: Final = (State.ACTIVE, State.DORMANT, State.SUPERSEDED)
_MOST_VALUES: Final = 12


@dataclass(frozen=True, slots=True)
class Trait:
    """One thing that is known of someone, with the memory that says it."""

    slot: str
    value: str
    denied: bool
    unsure: bool
    since: datetime
    memory: str
    number: int
    # When it stopped to hold and by which memory, if it did.
    until: datetime | None = None
    ended_by: str = ""


@dataclass(frozen=True, slots=True)
class Portrait:
    """Someone, the names they go by, and what is known of them."""

    name: str
    is_self: bool
    names: tuple[str, ...]
    traits: tuple[Trait, ...]
    # The language in which most of it was said.
    language: str = "en"

    @property
    def current(self) -> tuple[Trait, ...]:
        """Return what holds."""
        return tuple(each for each in self.traits if each.until is None)

    @property
    def past(self) -> tuple[Trait, ...]:
        """Return what held once."""
        return tuple(each for each in self.traits if each.until is not None)

    def sentences(self, language: str) -> list[tuple[str, list[Trait]]]:
        """Return what holds in sentences of one language, slot by slot, with what each rests on."""
        made: list[tuple[str, list[Trait]]] = []
        for slot in dict.fromkeys(each.slot for each in self.current if each.slot in _TIED):
            tied = [each for each in self.current if each.slot == slot]
            made.append((said(f"profile.{slot}", {}, language), tied))
        for slot in SLOTS:
            for denied in (False, True):
                some = [
                    each for each in self.current if each.slot == slot and each.denied == denied
                ]
                if some:
                    values = ", ".join(_shown(each, language) for each in some[-_MOST_VALUES:])
                    key = f"profile.{'not_' if denied else ''}{slot}"
                    made.append((said(key, {"values": values}, language), some))
        return made


def _shown(trait: Trait, language: str) -> str:
    if not trait.unsure:
        return trait.value
    return said("profile.perhaps", {"value": trait.value}, language)


def portrait(scope: Scope, mind: Mind, name: str | None = None) -> Portrait | None:
    """Return what is known of the person, or of someone by name; None if nobody goes by it."""
    for _ in catch_up(mind):
        pass
    return drawn(scope, mind, name)


def drawn(scope: Scope, mind: Mind, name: str | None = None) -> Portrait | None:
    """Return the portrait from what has been read so far."""
    where = Where(scope=scope, states=_STATES)
    if name is None:
        told = _told(mind.store.profiles.of(where, [ME]), mind, scope)
        traits = tuple(traits_of(told))
        own = [each.value for each in traits if each.slot == "name" and each.until is None]
        return Portrait(own[-1] if own else "", True, (), traits, _language(told))
    known = mind.store.entities.named(scope, [name]).get(normalise(name), [])
    names = _names(name, known)
    claims = mind.store.profiles.of(where, names)
    tied = mind.store.profiles.of(where, [ME], _TIES)
    ties = [each for each in tied if normalise(each.value) in names]
    if not known and not claims and not ties:
        return None
    shown = known[0].display_name or known[0].name if known else name
    others = tuple(each.name for each in known[1:]) + (known[0].aliases if known else ())
    mine = [replace(each, slot=f"my_{each.slot}") for each in ties]
    told = _told([*mine, *claims], mind, scope)
    return Portrait(shown, False, others, tuple(traits_of(told)), _language(told))


def _names(name: str, known: Sequence[Entity]) -> set[str]:
    """Return under which subjects someone may have been spoken of."""
    names = {normalise(name)}
    for each in known:
        names |= {normalise(other) for other in (each.name, *each.aliases)}
    # 한지우, 지우 and 지우야 are one person; "mum" is the mother.
    names |= {each[1:] for each in names if len(each) == 3 and "가" <= each[0] <= "힣"}
    return names | {KIN + found for each in (*names,) if (found := relation_of(each))}


def _language(told: Sequence[Told]) -> str:
    """Return the language in which most was said."""
    return language_of(" ".join(each.value for _, each in told[-50:])) if told else "en"


Told = tuple[datetime, ProfileClaim]


def _told(claims: Sequence[ProfileClaim], mind: Mind, scope: Scope) -> list[Told]:
    """Return claims with when they were said, the first said first."""
    numbers = {each.number for each in claims}
    said_at = {
        number: memory.time.said
        for number, memory in mind.store.memories.by_numbers(scope, numbers).items()
    }
    told = [(said_at[each.number], each) for each in claims if each.number in said_at]
    return sorted(told, key=lambda each: each[0])


def traits_of(told: Iterable[Told]) -> list[Trait]:
    """Fold claims, the first said first, into what holds and what held."""
    held: list[Trait] = []
    for at, claim in told:
        if claim.sure < SURE:
            continue
        slot, by = claim.slot.removeprefix("my_"), claim.memory
        open_ones = [each for each in held if each.slot == claim.slot and each.until is None]
        same = [each for each in open_ones if _is_same(each.value, claim.value)]
        fresh = Trait(
            slot=claim.slot,
            value=claim.value,
            denied=claim.denied,
            unsure=claim.unsure,
            since=at,
            memory=by,
            number=claim.number,
            until=at if claim.outdated else None,
        )
        ends: list[Trait] = []
        if claim.denied and slot not in _NOT:
            ends = same
            if not same:
                continue  # what never was said to hold has nothing to end
        elif any(each.denied == claim.denied for each in same):
            # Said again: the later words, since the first.
            again = next(each for each in same if each.denied == claim.denied)
            held[held.index(again)] = replace(
                again,
                value=max(again.value, claim.value, key=len),
                unsure=claim.unsure and again.unsure,
            )
            continue
        elif same:
            ends = same
        elif slot in _ONE and not claim.unsure and not claim.denied:
            ends = [each for each in open_ones if not each.denied and each.memory != by]
        for each in ends:
            held[held.index(each)] = replace(each, until=at, ended_by=by)
        if not (claim.denied and slot not in _NOT):
            held.append(fresh)
    return held


def _is_same(one: str, other: str) -> bool:
    """Say whether two values name one thing: the same words, or one within the other."""
    a, b = normalise(one), normalise(other)
    short, long = sorted((a, b), key=len)
    return a == b or (len(short) > 1 and short in long)
