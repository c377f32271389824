"""What decides about a turn: how the judge stands, and how it would judge."""

from __future__ import annotations

from dataclasses import asdict
from typing import Literal

from saegim.language.sentences import sentences
from saegim.perceive.decide.judge import judged
from saegim.perceive.turn import turn_of
from saegim.perceive.understand import hear
from saegim.serve.catalogue import shapes
from saegim.serve.catalogue.asked import Content, Id, Name
from saegim.serve.catalogue.entry import Door, Effect, Place, Profile, catalogued

Role = Literal["user", "assistant", "system", "tool"]


@catalogued(Profile.DEFAULT, Effect.READS, "GET /policy", command="status")
def policy_status(at: Place) -> shapes.Policy:
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
def policy_decide(at: Place, content: Content, role: Role = "user") -> shapes.Decided:
    """Show what would be done with a message (save, skip, retrieve) and why; keeps nothing."""
    mind = at.memory.mind
    turn = turn_of(at.memory.scope, content, {"role": role})
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
    at: Place,
    content: Content,
    role: Role = "user",
    session: Name | None = None,
    parent: Id | None = None,
) -> shapes.Heard:
    """Let a turn of the conversation be judged and kept if it is worth it.

    Call it with the user's own words where no hook does.
    """
    # Through a model the user's words are what it says they are; a hook hears them itself.
    origin = "agent_inferred" if at.door is Door.MCP and role == "user" else None
    about = {
        "role": role,
        "session": session or at.session,
        "origin": origin,
        "parent": parent,
    }
    seen = at.memory.observe(content, **{name: each for name, each in about.items() if each})
    return {
        "action": seen.decision.action.value,
        "phase": seen.decision.phase,
        "salience": round(seen.decision.salience, 4),
        "reason": seen.decision.words("en"),
        "why": list(seen.decision.why),
        "asks": seen.decision.asks,
        "kept": [each.id for each in seen.kept],
        "facts": [each.id for each in seen.facts],
        "masked": seen.masked,
        "needs_confirmation": seen.needs_confirmation,
        "quarantined": seen.quarantined,
        "also": seen.decision.also.value if seen.decision.also else None,
        "forgotten": [each.id for each in seen.forgotten],
        "restored": [each.id for each in seen.restored],
        "used": list(seen.used),
        "query": seen.query,
        "unheard": seen.unheard,
        "scope": shapes.scope(at.memory.scope),
    }
