"""What decides about a turn: how the judge stands, and how it would judge."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any, Literal

from annotated_types import Ge, Le, MaxLen

from saegim.language.words import sentences
from saegim.perceive import agent_extraction
from saegim.perceive.build import hear
from saegim.perceive.turn import turn_of
from saegim.perceive.turn_context import judged
from saegim.serve.catalogue import shapes
from saegim.serve.catalogue.entry import (
    CallContext,
    Door,
    Effect,
    Id,
    Name,
    Profile,
    Text,
    catalogued,
)

Role = Literal["user", "assistant", "system", "tool"]


@catalogued(Profile.DEFAULT, Effect.READS, "GET /policy", command="status")
def policy_status(at: CallContext) -> shapes.PolicyAnswer:
    """Tell what decides whether a turn is saved, skipped or looked up, and how it stands."""
    mind = at.memory.mind
    return {
        "policy": "rules",
        "learned": False,
        "epsilon": 0.0,
        "updates": 0,
        "actions": mind.recently.counts(at.memory.scope.user),
        "thresholds": {"save_from": mind.settings.save_from, "skip_to": mind.settings.skip_to},
        "why": "Nothing is learned yet: the rules of salience decide, and never explore.",
        "scope": shapes.scope(at.memory.scope),
    }


@catalogued(Profile.DEFAULT, Effect.READS, "POST /policy/decide", command="observe")
def policy_decide(at: CallContext, text: Text, role: Role = "user") -> shapes.Decided:
    """Show what would be done with a message (save, skip, retrieve) and why; keeps nothing."""
    mind = at.memory.mind
    turn = turn_of(at.memory.scope, text, {"role": role})
    decision = judged(turn, [hear(each, mind) for each in sentences(turn.text)], 1, mind)
    return {
        "action": decision.action.value,
        "phase": decision.phase,
        "salience": round(decision.salience, 4),
        "reason": decision.words("en"),
        "why": list(decision.why),
        "asks": decision.asks,
        "state": asdict(decision.state),
        "scope": shapes.scope(at.memory.scope),
    }


@catalogued(Profile.FULL, Effect.ADDS, "POST /turns", command="observe")
def memory_observe(
    at: CallContext,
    text: Text,
    role: Role = "user",
    session: Name | None = None,
    parent: Id | None = None,
) -> shapes.HeardAnswer:
    """Let a turn of the conversation be judged and kept if it is worth it.

    Call it with the user's own words where no hook does.
    """
    # Through a model the user's words are what it says they are; a hook hears them itself.
    origin = "agent_inferred" if at.door is Door.MCP and role == "user" else None
    seen = at.memory.observe(
        text, role=role, session=session or at.session or None, origin=origin, parent=parent
    )
    return {
        "action": seen.decision.action.value,
        "phase": seen.decision.phase,
        "salience": round(seen.decision.salience, 4),
        "reason": seen.decision.words("en"),
        "why": list(seen.decision.why),
        "asks": seen.decision.asks,
        "kept": [each.id for each in (*seen.kept, *seen.quoted)],
        "facts": [each.id for each in seen.facts],
        "masked": seen.masked,
        "needs_confirmation": seen.needs_confirmation,
        "quarantined": seen.quarantined or seen.suspect,
        "also": seen.decision.also.value if seen.decision.also else None,
        "forgotten": [each.id for each in seen.forgotten],
        "restored": [each.id for each in seen.restored],
        "used": list(seen.used),
        "query": seen.query,
        "unheard": seen.unheard,
        "scope": shapes.scope(at.memory.scope),
    }


Facts = Annotated[list[dict[str, Any]], MaxLen(50)]


@catalogued(Profile.FULL, Effect.CHANGES, "POST /distil", command="distil")
def distil_next(at: CallContext, limit: Annotated[int, Ge(1), Le(10)] = 3) -> shapes.LentAnswer:
    """Get kept turns whose facts nobody has read yet, with instructions and an answer schema.

    Call it when there is time, think as told, and answer each job with distil_submit.
    """
    jobs = agent_extraction.lend(at.memory.scope, at.memory.mind, limit=limit)
    return {
        "jobs": [each.as_dict() for each in jobs],
        "next_step": jobs.why or "Answer each with distil_submit.",
        "scope": shapes.scope(at.memory.scope),
    }


@catalogued(Profile.FULL, Effect.ADDS, "POST /distil/{job}", command="distil", repeatable=True)
def distil_submit(at: CallContext, job: Id, facts: Facts) -> shapes.HandedInAnswer:
    """Hand in the facts you read for a job; what its source does not bear is not kept."""
    done = agent_extraction.hand_in(at.memory.scope, at.memory.mind, job, facts)
    return {**done.as_dict(), "scope": shapes.scope(at.memory.scope)}  # type: ignore[typeddict-item]
