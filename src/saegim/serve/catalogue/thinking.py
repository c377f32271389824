"""The calling agent thinks where no language model is configured: work lent, and handed in."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from saegim.perceive import lent
from saegim.serve.catalogue import shapes
from saegim.serve.catalogue.asked import Id
from saegim.serve.catalogue.entry import Effect, Place, Profile, catalogued

Facts = Annotated[list[dict[str, Any]], Field(max_length=50)]


@catalogued(Profile.FULL, Effect.CHANGES, "POST /distil", command="distil")
def distil_next(at: Place, limit: Annotated[int, Field(ge=1, le=10)] = 3) -> shapes.Lent:
    """Get kept turns whose facts nobody has read yet, with instructions and an answer schema.

    Call it when there is time, think as told, and answer each job with distil_submit.
    """
    jobs = lent.lend(at.memory.scope, at.memory.mind, limit=limit)
    return {
        "jobs": [each.as_dict() for each in jobs],
        "next_step": jobs.why or "Answer each with distil_submit.",
        "scope": shapes.scope(at.memory.scope),
    }


@catalogued(Profile.FULL, Effect.ADDS, "POST /distil/{job}", command="distil", repeatable=True)
def distil_submit(at: Place, job: Id, facts: Facts) -> shapes.HandedIn:
    """Hand in the facts you read for a job; what its source does not bear is not kept."""
    done = lent.hand_in(at.memory.scope, at.memory.mind, job, facts)
    return {**done.as_dict(), "scope": shapes.scope(at.memory.scope)}  # type: ignore[typeddict-item]
