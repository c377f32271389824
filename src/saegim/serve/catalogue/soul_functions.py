"""The self, as its person approved it: read it, and propose to it. Nothing here says yes."""

from __future__ import annotations

from typing import Annotated

from annotated_types import MaxLen

from saegim.memory.clock import iso
from saegim.serve.catalogue import shapes
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
from saegim.soul.islands import Island
from saegim.soul.proposals import Proposal
from saegim.soul.soul_file import SoulFile

Statement = Annotated[str, MaxLen(LONGEST)]
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
