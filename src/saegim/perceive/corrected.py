"""Whether one memory may take the place of another: all that it told must be answered.

What the newer one leaves out would vanish from recall with what is outdated; then both stand.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from saegim.errors import EngineError
from saegim.language import language
from saegim.language.amounts import amounts, foreign
from saegim.language.claims import Claim, claims
from saegim.language.words import sentences
from saegim.memory.entities import REFERS_TO
from saegim.memory.memory import TRUST, Memory, Source, Tier
from saegim.memory.text import normalise
from saegim.mind import Mind
from saegim.store.tables.memory_table import Claimed

# Slots that hold inside one project; where someone lives holds everywhere.
_OF_A_PROJECT = frozenset(("version", "uses", "schedule", "deadline"))
_OF_WORK = frozenset(("job", "works_at"))
_PART_OF_TIME = {"time": "hour", "half": "hour", "rhythm": "", "moved": ""}
# Of 50 labelled changes, all of them brief, 46 are nearer than the first. Of rambling turns rules
# read claims that nobody made: seven of seven were wrong, none of them nearer than the second.
_IN_COMMON, _MUCH_IN_COMMON = 0.25, 0.5
_BRIEF = 40


def of_one_thing(memory: Memory, other: Memory, mind: Mind) -> bool:
    """Say whether two overheard sentences share more than a claim; explicit words need not."""
    if memory.provenance.source is Source.USER:
        return True
    near = _cosine(memory.text, other.text, mind)
    brief = max(len(memory.text), len(other.text)) <= _BRIEF
    return near is None or near >= (_IN_COMMON if brief else _MUCH_IN_COMMON)


def _cosine(one: str, other: str, mind: Mind) -> float | None:
    """Return how near two texts are; None where no embedder can tell it here and now."""
    try:
        made = mind.embedder.embed([one, other], "document") if mind.embedder.local else ()
    except EngineError:
        return None
    dense = [each for each in made if isinstance(each, np.ndarray)]
    return float(np.dot(*dense)) if len(dense) == 2 else None


def elsewhere(slot: str, memory: Memory, other: Memory) -> bool:
    """Say whether a slot means another thing there: the version of another project's database."""
    bound = slot.partition(":")[0] in _OF_A_PROJECT
    return bound and memory.scope.project != other.scope.project


def may_replace(memory: Memory, other: Memory, made: Mapping[str, Claim], held: Claimed) -> bool:
    """Say whether one may take the other's place: trusted as much, and all of it is answered.

    What else a text tells or claims must be answered too, or be the same thing said another way:
    otherwise it would vanish from recall with what is outdated. Two readings of the same words,
    by rule and by a model, are two candidates: neither corrects the other.
    """
    triples = other.content.triples
    # A verb tells one thing: with more of them than ties a text tells what it does not claim.
    if len(sentences(other.text)) > 1 or len(language.deeds(other.text)) > max(1, len(triples)):
        return False
    if len({each.provenance.turn or each.id for each in (memory, other)}) == 1:
        return False
    trusted = TRUST[memory.provenance.origin] >= TRUST[other.provenance.origin]
    answered = (claim.slot in made or _same_thing(claim, held) for claim in claims(triples))
    return trusted and all(answered) and not made_to_stay(other)


def names_more(
    old: Memory, new: Memory, held: Claim | Claimed, claim: Claim | Claimed, mind: Mind
) -> bool:
    """Say whether a plan names an hour, place, person or number that its correction leaves out.

    Where only the day is another, the rest still holds. A plan that was called off leaves whole,
    and a job with the town that it was in.
    """
    if "=" not in held.value or claim.negative != held.negative:
        return False
    if _parts_of_time(held.value) - _parts_of_time(claim.value):
        return True
    tied = normalise(" ".join(part for triple in old.content.triples for part in triple))
    again = normalise(new.text)
    counted = {each.unit for each in amounts(again)}
    numbers = [each for each in amounts(normalise(old.text)) if each.unit not in counted]
    if foreign(numbers, amounts(tied)):
        return True
    parts = (part for deed in language.deeds(old.text) for part in deed.parts)
    named = [{normalise(part.text)} for part in parts if part.role in ("place", "with")]
    for link in mind.store.links.of(old.scope, [old.id], [REFERS_TO]):
        known = mind.store.entities.of(old.scope, link.target)
        named += [{*each.names} for each in known if each.type != "self"]
    return any(not any(name in f"{tied} {again}" for name in names) for names in named)


def _parts_of_time(value: str) -> set[str]:
    """Return which parts of a time a claim names: the day, however it is said, the hour."""
    names = (part.partition("=")[0] for part in value.split())
    return {_PART_OF_TIME.get(name, "day") for name in names} - {""}


def _same_thing(claim: Claim, held: Claimed) -> bool:
    """Say whether two claims of one memory speak of one thing: who uses it, what it is used for."""
    families = {claim.slot.partition(":")[0], held.slot.partition(":")[0]}
    return families <= _OF_WORK or bool(_about(claim) & _about(held))


def _about(claim: Claim | Claimed) -> set[str]:
    return {*claim.slot.split(":")[1:], claim.value} - {"me", ""}


def made_to_stay(memory: Memory) -> bool:
    """Say whether nothing that is said later may end it."""
    return memory.life.immutable or memory.life.tier is Tier.M0
