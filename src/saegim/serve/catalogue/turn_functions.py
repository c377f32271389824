"""What decides about a turn: how the judge stands, and how it would judge."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any, Literal

from annotated_types import Ge, Le, MaxLen

from saegim.guard.guard import MaskTally, masked
from saegim.language.words import sentences
from saegim.learn.parts import IN_CHARGE, OFF
from saegim.learn.policy import ACTIONS
from saegim.memory.clock import from_micros, iso
from saegim.messages import Message
from saegim.perceive import agent_extraction, learned
from saegim.perceive.build import hear
from saegim.perceive.turn import turn_of
from saegim.perceive.turn_context import judged
from saegim.serve.catalogue import shapes
from saegim.serve.catalogue.entry import (
    CallContext,
    Door,
    Effect,
    Id,
    Limit,
    Name,
    Profile,
    Text,
    catalogued,
)
from saegim.store.tables.experience_table import TURN

if TYPE_CHECKING:
    from saegim import Saegim

Role = Literal["user", "assistant", "system", "tool"]


@catalogued(Profile.DEFAULT, Effect.READS, "GET /policy", command="status")
def policy_status(at: CallContext) -> shapes.PolicyAnswer:
    """Tell what decides whether a turn is saved, skipped or looked up, and how it stands."""
    mind, owner = at.memory.mind, at.memory.scope.user
    told = learned.standing(owner, mind)
    decides = told["standing"] == IN_CHARGE
    return {
        "policy": told["kind"] if decides else "rules",
        "learned": decides,
        # In the shadow nothing explores.
        "epsilon": told["epsilon"] if decides else 0.0,
        "updates": told.get("updates", 0),
        "actions": _actions(told.get("decided_by", {}), mind.recently.counts(owner)),
        "thresholds": {"save_from": mind.settings.save_from, "skip_to": mind.settings.skip_to},
        "why": str(_why(told, mind.settings.learned_from)),
        "learning": told,
        "scope": shapes.scope(at.memory.scope),
    }


def learning_of(memory: Saegim) -> dict[str, str]:
    """Return in short who decides and orders, for whoever looks at the whole."""
    told = learned.standing(memory.scope.user, memory.mind)
    return {
        "policy": told["standing"],
        "reranker": told.get("reranker", told)["standing"],
        "why": str(_why(told, memory.mind.settings.learned_from)),
    }


def _actions(ever: Mapping[str, Mapping[str, int]], lately: Mapping[str, int]) -> dict[str, int]:
    """Return how often each action was decided: what was written, and what is about to be."""
    counts = {action: sum(by.values()) for action, by in ever.items()}
    known = sorted({*counts, *lately})
    return {each: max(counts.get(each, 0), lately.get(each, 0)) for each in known}


def _why(told: Mapping[str, Any], least: int) -> Message:
    """Say who decides, and what speaks for it."""
    if told["standing"] == OFF:
        return Message("learn.policy_off")
    held = told["held_out"]
    values = {name: held[name] for name in ("count", "rule", "learned")}
    if told["standing"] == IN_CHARGE:
        return Message("learn.policy_in_charge", **values)
    return Message("learn.policy_shadow", least=least, **values)


@catalogued(Profile.DEFAULT, Effect.READS, "POST /policy/decide", command="observe")
def policy_decide(at: CallContext, text: Text, role: Role = "user") -> shapes.Decided:
    """Show what would be done with a message (save, skip, retrieve) and why; keeps nothing."""
    mind = at.memory.mind
    tally = MaskTally()
    turn = masked(turn_of(at.memory.scope, text, {"role": role}), tally)
    judge_by = None if tally.held else learned.judge_for(turn, mind, lives=False)
    heard = [hear(each, mind) for each in sentences(turn.text)]
    decision = judged(turn, heard, 1, mind, judge_by=judge_by)
    return {
        "action": decision.action.value,
        "phase": decision.phase,
        "salience": round(decision.salience, 4),
        "reason": decision.words("en"),
        "why": list(decision.why),
        "asks": decision.asks,
        "state": asdict(decision.state),
        "policy": {
            "asked": bool(decision.scores),
            "decided": decision.decided,
            "rule": decision.ruled,
            "suggests": decision.suggested,
            "scores": dict(zip(ACTIONS, decision.scores, strict=False)),
            "features": list(decision.state.vector()),
        },
        "scope": shapes.scope(at.memory.scope),
    }


@catalogued(Profile.PEOPLE, Effect.READS, "GET /policy/rewards", command="status")
def policy_rewards(at: CallContext, limit: Limit = 100) -> shapes.StateAnswer:
    """List what was decided lately and the reward that followed, the oldest first; no words."""
    rows = at.memory.mind.store.experience.latest(at.memory.scope.user, TURN, limit)
    decisions = [
        {
            "at": iso(from_micros(row.at)),
            "action": row.action,
            "rule": row.ruled,
            "decided": row.decided,
            "reward": row.reward,
        }
        for row in reversed(rows)
    ]
    return {"told": {"decisions": decisions}, "scope": shapes.scope(at.memory.scope)}


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
        "perhaps": [each.id for each in seen.perhaps],
        "used": list(seen.used),
        "feedback": seen.feedback,
        "reward": seen.reward,
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
