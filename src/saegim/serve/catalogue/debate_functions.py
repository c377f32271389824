"""Voices: let them debate a question, read what they said, rate it.

A run spends calls of language models under the person's daily cap, and a rating is a person's
judgement: both are for people. A model may read what was said.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

from annotated_types import Ge, Le, MaxLen

from saegim.errors import Refused
from saegim.serve.catalogue import shapes
from saegim.serve.catalogue.entry import (
    CallContext,
    Cursor,
    Effect,
    Id,
    Limit,
    Name,
    Profile,
    catalogued,
    listed,
)

if TYPE_CHECKING:
    from saegim.personas.debate import Debate, DebateRecord
    from saegim.personas.debates import AskedPrompt

# What voices debate is read whole, by each of them (personas.debates).
Topic = Annotated[str, MaxLen(4_000)]
Depth = Annotated[int, Ge(1), Le(6)]
Personas = Annotated[list[Name], MaxLen(12)]
Rating = Annotated[int, Ge(1), Le(5)]
NO_MODEL, OPEN = "personas.no_model", "open"


@catalogued(Profile.PEOPLE, Effect.ADDS, "POST /debates", command="debate")
def debate_run(
    at: CallContext,
    question: Topic,
    depth: Depth | None = None,
    personas: Personas | None = None,
    wait: bool = True,
) -> shapes.DebateAnswer:
    """Let voices debate a question round after round; every answer is kept as a memory.

    It calls the language models of the voices; without one it shows what they would be asked. Who
    does not wait reads along with debate_get.
    """
    debates, chosen = at.memory.debates, personas or ()
    try:
        begun = debates.begin(question, depth=depth, personas=chosen)
    except Refused as error:
        if error.key != NO_MODEL:
            raise
        asked = debates.rehearse(question, depth=depth, personas=chosen)
        told = _told(at, "no_model", None, str(error))
        return {**told, "prompts": [asked_prompt(each) for each in asked]}
    return _going_on(at, begun, wait)


@catalogued(Profile.PEOPLE, Effect.ADDS, "POST /debates/{id}/resume", command="debate")
def debate_resume(at: CallContext, id: Id, wait: bool = True) -> shapes.DebateAnswer:
    """Go on with a debate that was broken off; each answer is given once."""
    return _going_on(at, at.memory.debates.get(id).debate, wait)


def _going_on(at: CallContext, debate: Debate, wait: bool) -> shapes.DebateAnswer:
    count, most = len(debate.steps), len(debate.order) * debate.depth

    def tell(entry: Mapping[str, Any]) -> None:
        nonlocal count
        count += 1
        at.tell(count, most, f"{entry['name']} ({entry['role']})")

    work = partial(at.memory.debates.resume, debate.id, tell=tell)
    call = at.long_call(f"debate {debate.id}", work, wait=wait)
    if not (wait and call.over):
        record = at.memory.debates.get(debate.id)
        return _told(at, "running", record, f"It goes on; debate_get {debate.id} tells how far.")
    return _told(
        at, "done", call.result(), f"`saegim debate show {debate.id} --rate 1-5` rates it."
    )


@catalogued(Profile.FULL, Effect.READS, "GET /debates", command="debates")
def debate_list(at: CallContext, limit: Limit = 20, cursor: Cursor | None = None) -> shapes.Items:
    """List the debates that voices held, the latest first."""
    found = at.memory.debates.all()
    return listed(at, found, limit, cursor, key=lambda each: each[0].id, show=in_short)


@catalogued(Profile.FULL, Effect.READS, "GET /debates/{id}", command="debate")
def debate_get(at: CallContext, id: Id = "latest") -> shapes.DebateAnswer:
    """Read a debate: the question, every voice's answer as a view and no fact, and its events."""
    record = at.memory.debates.get(id)
    call = at.known_call(f"debate {record.debate.id}")
    if call is not None and not call.over:
        return _told(at, "running", record, "")
    broke = call.trouble if call is not None and record.debate.state == OPEN else None
    return _told(at, record.debate.state, record, str(broke) if broke else "")


@catalogued(Profile.PEOPLE, Effect.CHANGES, "POST /debates/{id}/rating", command="debate")
def debate_rate(
    at: CallContext, id: Id, rating: Rating, answer: Annotated[int, Ge(1)] | None = None
) -> shapes.DebateAnswer:
    """Rate what a debate came to, or one answer by its number, from 1 to 5."""
    at.memory.debates.rate(id, rating, answer=answer)
    record = at.memory.debates.get(id)
    return _told(at, record.debate.state, record, "")


def _told(
    at: CallContext, status: str, held: DebateRecord | None, next_step: str
) -> shapes.DebateAnswer:
    return {
        "status": status,
        "debate": record(held) if held else None,
        "prompts": [],
        "next_step": next_step,
        "scope": shapes.scope(at.memory.scope),
    }


def record(held: DebateRecord) -> shapes.Json:
    """Return a debate with its words, by seed A's names."""
    run = held.debate
    return {
        **in_short((run, held.question)),
        "answer": held.answer,
        "final": run.final or None,
        "history": [
            dict(each) | {"rating": held.ratings.get(each["memory_id"])} for each in held.history
        ],
        "rounds": [asdict(each) for each in run.rounds],
        "log_entries": [dict(each) for each in held.log_entries],
    }


def in_short(each: tuple[Debate, str]) -> shapes.Json:
    """Return a debate as it stands in a list."""
    run, question = each
    return {
        "id": run.id,
        "question": question,
        "state": run.state,
        "began": run.began.isoformat(),
        "session": run.session,
        "depth": run.depth,
        "order": list(run.order),
        "answers": len(run.steps),
        "errors": sum(step.error_occurred for step in run.steps),
    }


def asked_prompt(each: AskedPrompt) -> shapes.Json:
    """Return what one voice would be asked."""
    return asdict(each) | {"examples": list(each.examples)}


def personas_named(given: str | None) -> Sequence[str]:
    """Read names of voices with commas between them."""
    return [each.strip() for each in (given or "").split(",") if each.strip()]
