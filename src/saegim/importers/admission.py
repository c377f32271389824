"""What may come in, and as what: secrets masked, orders in disguise kept apart, all of it whole.

Our own export is the user's own backup: only credentials are masked in it, and it brings its own
quarantine. What comes from another system is screened in full. Names cannot carry a placeholder,
so a name that holds a secret is refused; a profile that reads like an order is refused as well.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from saegim.errors import BadInput
from saegim.guard.instructions import suspicion
from saegim.guard.masking import Tally, masked
from saegim.importers.jsonl import Acquaintance, Found
from saegim.memory.entities import Entity
from saegim.memory.fields import checked_fields
from saegim.memory.links import Link
from saegim.memory.memory import Memory, checked, checked_tags
from saegim.memory.pages import Page
from saegim.memory.record import to_record
from saegim.memory.shapes import to_coordinate, to_orb
from saegim.memory.tiers import State
from saegim.perceive.birth import kept_apart, reads_like_an_order
from saegim.store.rows import COLUMNS, from_row, to_row

OWN, COORDINATES, ORBS = "jsonl", "coordinates", "orbs"
# What goes on changing while a memory lives; a difference here is no other memory.
_LIVED = ("life", "worth", "brief", "triples", "valid_to", "importance", "user_rating")
_LIVED_COORDINATE = ("relations", "response_summary", *_LIVED)
_LIVED_ORB = tuple(
    "tier expiresAt promotedFrom referenceCount lastReferencedAt personalityIsland".split()
)
# What one more meeting changes of an entity, beside the names and interests that it adds.
_MET = "type display_name first_seen_at last_seen_at interactions sentiment sentiment_score".split()


def admitted(found: Found, form: str) -> Found:
    """Return what was found as it may be kept; refuse what may not."""
    tally = Tally()
    clean = _masked(found.value, tally, form)
    count = found.masked + tally.masked + tally.held
    if isinstance(clean, Memory):
        clean = settled(clean)
        ties = tuple(tie for tie in found.ties if masked(tie, Tally()) == tie)
        if form != OWN and reads_like_an_order(clean):
            clean, ties = kept_apart(clean), ()
        return replace(found, value=clean, ties=ties, masked=count)
    if _key(clean) != _key(found.value):
        raise BadInput("import.name_holds_what_looks_like")
    if form != OWN:
        checked_fields(clean)
        if suspicion("\n".join(_said_in(clean))):
            raise BadInput("import.reads_like_order_only_memory")
    return replace(found, value=clean, masked=count)


def _masked(value: Any, tally: Tally, form: str) -> Any:
    """Mask secrets; the prompt of seed A's folder is the agent's own, so only its keys."""
    if form != COORDINATES or not isinstance(value, Memory):
        return masked(value, tally, keep_private=form == OWN)
    prompt = masked(value.content.prompt_digest, tally, keep_private=True)
    bare = value.evolve(content=replace(value.content, prompt_digest=""))
    clean = masked(bare, tally)
    return clean.evolve(content=replace(clean.content, prompt_digest=prompt))


def _key(value: Memory | Link | Acquaintance | Page) -> str:
    match value:
        case Memory(id=key):
            return key
        case Acquaintance(entity=entity):
            return entity.key
        case _:
            return value.key


def _said_in(value: Link | Acquaintance | Page) -> Iterable[str]:
    """Return the words of what cannot be kept apart; a page is a line of a log, shown to none."""
    match value:
        case Link(source=source, type=type, target=target):
            return source, type, target
        case Acquaintance(entity=entity):
            about = (entity.name, entity.display_name, entity.summary, entity.personality_notes)
            return filter(None, (*about, *entity.aliases, *entity.interests))
        case _:
            return ()


def settled(memory: Memory) -> Memory:
    """Return the memory as the store will give it back; refuse what it could not."""
    tags = checked_tags(memory.content.tags)
    memory = memory.evolve(content=replace(memory.content, tags=tags))
    if memory.life.state is State.FORGOTTEN:
        raise BadInput("import.forgotten_memory_has_no_words")
    try:
        row = to_row(checked(memory))
        return from_row([0, *(row[name] for name in COLUMNS)])
    except BadInput:
        raise
    except (TypeError, ValueError, OverflowError, AttributeError) as error:
        raise BadInput("import.cannot_be_kept", error=error) from error


def differences(here: Memory, there: Memory, form: str) -> list[str]:
    """Name where two memories of one id differ, apart from what living changes.

    The id of what another system told is made from its words: it is the same if they are.
    """
    if form == COORDINATES:
        pairs = to_coordinate(here), to_coordinate(there)
        return list(_differing(*pairs, _LIVED_COORDINATE))
    if form == ORBS:
        return list(_differing(to_orb(here), to_orb(there), _LIVED_ORB))
    if form != OWN:
        return ["text"] if here.text != there.text else []
    differing = list(_differing(to_record(here), to_record(there), _LIVED))
    if here.life.state is not there.life.state:
        differing.append(f"state ({there.life.state} there, {here.life.state} here)")
    return differing


def same_entity(here: Entity, there: Entity, form: str) -> bool:
    """Say whether a profile is the one that is here, which may have been met again since."""
    # Times that the file leaves open were filled in when it was read the first time.
    first, last = there.first_seen_at or here.first_seen_at, there.last_seen_at or here.last_seen_at
    if here == replace(there, first_seen_at=first, last_seen_at=last):
        return True
    if form in (OWN, COORDINATES) or here.interactions <= there.interactions:
        return False
    grown = ("aliases", "interests")
    if any(set(getattr(there, each)) - set(getattr(here, each)) for each in grown):
        return False
    lived: dict[str, Any] = {each: getattr(here, each) for each in (*_MET, *grown)}
    return here == replace(there, **lived)


def fingerprint(memory: Memory, form: str) -> int:
    """Return what tells two memories of one id apart without holding them, in a rehearsal."""
    return hash(repr(memory) if form in (OWN, COORDINATES, ORBS) else memory.text)


def _differing(here: Any, there: Any, lived: tuple[str, ...]) -> Iterator[str]:
    for name in dict.fromkeys((*here, *there)):
        if name in lived:
            continue
        one, other = here.get(name), there.get(name)
        if isinstance(one, dict) and isinstance(other, dict) and name != "snapshot":
            yield from (f"{name}.{inner}" for inner in _differing(one, other, lived))
        elif one != other:
            yield name
