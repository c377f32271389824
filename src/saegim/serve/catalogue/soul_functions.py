"""The self, as its person approved it: read it, and propose to it. Nothing here says yes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import timedelta
from functools import partial
from typing import Annotated

from annotated_types import MaxLen

from saegim.memory.clock import iso
from saegim.memory.memory import Memory
from saegim.serve.catalogue import night_answers, shapes
from saegim.serve.catalogue.browse_functions import orb
from saegim.serve.catalogue.entry import (
    CallContext,
    Cursor,
    Effect,
    Id,
    Limit,
    Profile,
    catalogued,
    listed,
)
from saegim.soul.beliefs import LONGEST, Belief, SelfVersion
from saegim.soul.core_memories import Story
from saegim.soul.islands import LONGEST_DESCRIPTION, LONGEST_NAME, Island, Status
from saegim.soul.proposals import CORE, CORE_LETTING_GO, Proposal
from saegim.soul.soul_file import SoulFile

Statement = Annotated[str, MaxLen(LONGEST)]
IslandName = Annotated[str, MaxLen(LONGEST_NAME)]
Meaning = Annotated[str, MaxLen(LONGEST_DESCRIPTION)]
_MOST_CORE = 200


@catalogued(Profile.FULL, Effect.READS, "GET /soul", command="soul")
def soul_read(at: CallContext) -> shapes.Self:
    """Read who you are as the user approved it: beliefs, islands, core memories."""
    soul = at.memory.soul
    return {
        "text": soul.text(),
        "beliefs": [belief(each) for each in soul.now().beliefs],
        "islands": [island(each) for each in soul.islands()],
        "memories": [shapes.memory(each) for each in [*soul.cores().values()][:_MOST_CORE]],
        "proposals": len(at.memory.proposals.open()),
        "scope": shapes.scope(at.memory.scope),
    }


def belief(each: Belief) -> shapes.Json:
    """Return a belief by the names of seed D §5."""
    return {
        "id": each.id,
        "statement": each.statement,
        "confidence": each.confidence,
        "supporting_memories": list(each.supporting),
        "personality_island": each.island,
        "formed_at": iso(each.formed_at) if each.formed_at else None,
    }


def island(each: Island) -> shapes.Json:
    """Return an island by the names of seed D §4."""
    return {
        "id": each.id,
        "name": each.name,
        "emoji": each.emoji,
        "description": each.description,
        "founding_memories": list(each.founders),
        "lost_memories": list(each.lost),
        "status": each.status.value,
        "strength": each.strength,
        "since": iso(each.since),
    }


def version(each: SelfVersion) -> shapes.Json:
    """Return one version of the self: what changed, by whom and why."""
    return {
        "version": each.version,
        "change": each.change,
        "belief": each.belief,
        "by": each.by,
        "why": each.why,
        "at": iso(each.at) if each.at else None,
        "emptied": each.emptied,
        "beliefs": [belief(held) for held in each.beliefs],
    }


@catalogued(Profile.FULL, Effect.READS, "GET /islands", command="islands")
def island_list(at: CallContext, limit: Limit = 20, cursor: Cursor | None = None) -> shapes.Items:
    """List the islands of personality: what founded each, how strong it is and how it stands."""
    found = at.memory.soul.islands()
    return listed(at, found, limit, cursor, key=lambda each: each.id, show=island)


@catalogued(Profile.FULL, Effect.READS, "GET /soul/history", command="soul")
def self_history(at: CallContext, limit: Limit = 20, cursor: Cursor | None = None) -> shapes.Items:
    """List the versions of the self, the latest first: what changed, who approved it, why."""
    found = at.memory.soul.history()[::-1]
    return listed(at, found, limit, cursor, key=lambda each: str(each.version), show=version)


@catalogued(Profile.FULL, Effect.ADDS, "POST /soul/beliefs", command="soul", repeatable=True)
def belief_propose(
    at: CallContext, statement: Statement, instead_of: Id | None = None
) -> shapes.StateAnswer:
    """Propose that you believe something of yourself ("I am …"); only the user says yes.

    `instead_of` names a belief that would be said so from then on.
    """
    made = at.memory.soul.propose_belief(statement, instead_of=instead_of or "")
    return laid(at, made)


def laid(at: CallContext, made: Proposal | None) -> shapes.StateAnswer:
    """Say what waits for a person now; nothing where it is so already, or waits already."""
    told = {"proposal": made.id if made else None, "state": made.state if made else "known"}
    return {"told": told, "scope": shapes.scope(at.memory.scope)}


@catalogued(Profile.PEOPLE, Effect.READS, "GET /soul/file", command="soul")
def soul_check(at: CallContext) -> shapes.StateAnswer:
    """Compare SOUL.md with the self: is it current, out of date, or changed by hand."""
    return {"told": checked(at.memory.soul.check()), "scope": shapes.scope(at.memory.scope)}


def checked(found: SoulFile) -> shapes.Json:
    """Return how the file stands beside the self."""
    return {
        "status": found.status.value,
        "path": found.path or None,
        "difference": found.difference,
    }


@catalogued(Profile.PEOPLE, Effect.ADDS, "POST /soul/file", command="soul", repeatable=True)
def soul_write(at: CallContext) -> shapes.StateAnswer:
    """Propose to write SOUL.md as the self is now; it is written once a person says yes."""
    return laid(at, at.memory.soul.propose_file())


# -- what a person should see before they answer ---------------------------------------------------


@catalogued(Profile.PEOPLE, Effect.READS, "GET /soul/whole", command="soul")
def self_whole(at: CallContext) -> shapes.StateAnswer:
    """Show the self with the words it rests on: beliefs, islands and their founders, SOUL.md."""
    soul, mind = at.memory.soul, at.memory.mind
    now, found = soul.now(), soul.islands()
    known = _words(
        at,
        (
            *(id for each in now.beliefs for id in each.supporting),
            *(id for each in found for id in (*each.founders, *each.lost)),
        ),
    )
    shakes = timedelta(days=mind.settings.island_days)
    told = {
        "version": now.version,
        "text": soul.text(),
        "file": checked(soul.check()),
        "beliefs": [
            {**belief(each), "memories": [known[id] for id in each.supporting if id in known]}
            for each in now.beliefs
        ],
        "islands": [
            {
                **island(each),
                "founders": [known[id] for id in each.founders if id in known],
                "lost": [known[id] for id in each.lost if id in known],
                # Of one that shakes: when it collapses, if nothing holds it up again.
                "ends_at": iso(each.since + shakes) if each.status is Status.SHAKING else None,
                "needed": mind.settings.island_founders,
            }
            for each in found
        ],
    }
    return {"told": told, "scope": shapes.scope(at.memory.scope)}


def _words(at: CallContext, ids: Iterable[str]) -> dict[str, shapes.Json]:
    """Return memories as they are drawn by their ids: those that have their words."""
    store, scope = at.memory.mind.store.memories, at.memory.scope
    held = {id: store.get(scope, id) for id in dict.fromkeys(ids)}
    return {id: orb(each) for id, each in held.items() if each is not None and each.text}


@catalogued(Profile.PEOPLE, Effect.READS, "GET /proposals/whole", command="proposals")
def proposals_whole(
    at: CallContext, limit: Limit = 40, cursor: Cursor | None = None
) -> shapes.Items:
    """List what waits for the user's yes, each with the words, what would change and its story."""
    soul = at.memory.soul
    show = partial(_whole, at, soul.now().beliefs, soul.islands())
    found = at.memory.proposals.open()
    return listed(at, found, limit, cursor, key=lambda each: each.id, show=show)


def _whole(
    at: CallContext, held: Sequence[Belief], found: Sequence[Island], each: Proposal
) -> shapes.Json:
    known = _words(at, filter(None, (each.memory, each.replaces, *each.sources)))
    living = night_answers.living([each.memory], scope=at.memory.scope, mind=at.memory.mind)
    before = [belief(one) for one in held if one.id == each.target]
    before += [island(one) for one in found if one.id == each.target]
    told = night_answers.proposal(each, living) | {
        "before": before[0] if before else None,
        "memories": [known[id] for id in (each.memory, each.replaces) if id in known],
        "supports": [known[id] for id in each.sources if id in known],
        "story": None,
        "home": None,
        # Which islands would begin to shake, as they stand now.
        "shakes": [],
    }
    if each.about == CORE_LETTING_GO:
        shaken = at.memory.soul.shaken_by(each.memory)
        told["shakes"] = [f"{one.emoji} {one.name}" for one in shaken]
    memory = living[each.memory].memory if each.memory in living else None
    if each.about == CORE and memory is not None:
        told |= _candidate(at, memory, found)
    return told


def _candidate(at: CallContext, memory: Memory, found: Sequence[Island]) -> shapes.Json:
    """Return the story of what could be kept for ever, and the island it would hold up."""
    home = at.memory.soul.home_of(memory)
    is_new = all(each.id != home.id for each in found)
    return {
        "story": _story(at.memory.soul.story(memory)),
        "home": {"name": home.name, "emoji": home.emoji, "is_new": is_new},
    }


def _story(each: Story) -> shapes.Json:
    return {
        "said_at": iso(each.said_at),
        "author": each.author,
        "origin": each.origin,
        "rose": [{"tier": tier, "at": iso(since)} for tier, since in each.rose],
        "used": each.used,
        "recalled": each.recalled,
    }


@catalogued(Profile.PEOPLE, Effect.ADDS, "POST /islands/propose", command="islands")
def island_propose(
    at: CallContext,
    id: Id,
    name: IslandName = "",
    emoji: IslandName = "",
    description: Meaning = "",
) -> shapes.StateAnswer:
    """Propose to call an island something else; it is called so once a person says yes."""
    soul = at.memory.soul
    return laid(at, soul.propose_island(id, name=name, emoji=emoji, description=description))


@catalogued(Profile.PEOPLE, Effect.ADDS, "POST /soul/unbelief", command="soul")
def belief_remove(at: CallContext, id: Id) -> shapes.StateAnswer:
    """Propose to believe something of oneself no longer; only a person says yes."""
    return laid(at, at.memory.soul.propose_unbelief(id))


@catalogued(Profile.PEOPLE, Effect.ADDS, "POST /soul/file/edits", command="soul")
def soul_edits(at: CallContext) -> shapes.StateAnswer:
    """Propose to the self what a person changed in SOUL.md by hand; each waits for a yes."""
    made = at.memory.soul.offer_edits()
    told = {"proposals": [each.id for each in made]}
    return {"told": told, "scope": shapes.scope(at.memory.scope)}
