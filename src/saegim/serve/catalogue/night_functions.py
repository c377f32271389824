"""By night: sleep, what the nights did, what waits for a person's yes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Annotated

from annotated_types import MaxLen

from saegim.errors import Refused
from saegim.serve.catalogue import night_answers, shapes
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
from saegim.serve.catalogue.proposal_questions import question
from saegim.serve.speech import Speech
from saegim.sleep.flow import NIGHT
from saegim.soul.consent import Channel, PersonAnswer
from saegim.soul.proposals import (
    BELIEF,
    CORE,
    CORE_CHANGE,
    CORRECTION,
    ISLAND,
    SOUL_FILE,
    Proposal,
    is_proposal,
    one,
)
from saegim.store.tables.night_table import NightRow

Stages = Annotated[list[str], MaxLen(16)]
_MOST_STEPS = 100


@catalogued(Profile.DEFAULT, Effect.CHANGES, "POST /nights", command="sleep")
def sleep_cycle_run(
    at: CallContext,
    stages: Stages | None = None,
    dry_run: bool = False,
) -> shapes.Slept:
    """Consolidate now: merge, promote, distil, fade, let go; it can be undone.

    Call it only when the user asks; nights that are due are slept by themselves.
    """
    wanted = stages or []
    if dry_run:
        taken = list(at.memory.nights.rehearse(*wanted))
        steps = night_answers.night_steps(taken)[:_MOST_STEPS]
        return _slept(at, "rehearsed", None, steps, "Nothing was changed.")
    count = len(wanted) or len(NIGHT)
    night = at.long_call(
        f"sleep {' '.join(wanted)}", lambda: at.memory.sleep(*wanted, tell=_Telling(at, count))
    )
    if not night.over:
        return _slept(at, "running", None, [], "It goes on; night_report tells how it ended.")
    row = night.result()
    if row is None:
        return _slept(at, "asleep", None, [], "Another process is sleeping here; ask again later.")
    return _slept(at, "done", row, [], f"`saegim undo {row.id}` takes it back.")


@dataclass(slots=True)
class _Telling:
    """Turns the steps of a night into how far it is."""

    at: CallContext
    stages: int
    begun: int = 0
    last: str = ""

    def __call__(self, stage: str, steps: int) -> None:
        if stage != self.last:
            self.last, self.begun = stage, self.begun + 1
        self.at.tell(self.begun, max(self.stages, self.begun), f"{stage} {steps}")


def _slept(
    at: CallContext, status: str, row: NightRow | None, steps: list[shapes.Json], next_step: str
) -> shapes.Slept:
    return {
        "status": status,
        "night": _night(at, row) if row else None,
        "steps": steps,
        "next_step": next_step,
        "scope": shapes.scope(at.memory.scope),
    }


def _night(at: CallContext, row: NightRow) -> shapes.Json:
    rose = at.memory.nights.promotions(night=row.id)
    ids = [*night_answers.samples(row), *(each.memory for each in rose)]
    known = night_answers.living(ids, scope=at.memory.scope, mind=at.memory.mind)
    return night_answers.night(row, known, [night_answers.promotion(each, known) for each in rose])


@catalogued(Profile.FULL, Effect.READS, "GET /nights", command="nights")
def night_list(at: CallContext, limit: Limit = 10, cursor: Cursor | None = None) -> shapes.Items:
    """List the nights that were slept, the last one first."""
    found = at.memory.nights.latest(1000)
    return listed(at, found, limit, cursor, key=lambda row: row.id, show=night_answers.night)


@catalogued(Profile.FULL, Effect.READS, "GET /nights/{id}", command="night")
def night_report(at: CallContext, id: Id = "latest") -> shapes.Slept:
    """Tell what a night did, to which memories: by id, or the latest one."""
    nights = at.memory.nights
    latest = nights.latest(1) if id == "latest" else []
    if id == "latest" and not latest:
        return _slept(at, "none", None, [], "No night was slept yet.")
    row = latest[0] if latest else nights.one(id)
    status = "running" if row.ended_at is None else "done"
    return _slept(at, status, row, [], f"`saegim undo {row.id}` takes it back.")


@catalogued(Profile.FULL, Effect.READS, "GET /promotions", command="promotions")
def promotion_list(
    at: CallContext, limit: Limit = 20, cursor: Cursor | None = None
) -> shapes.Items:
    """List what rose lately: from which tier to which, and why."""
    found = at.memory.nights.promotions(1000)
    mind = at.memory.mind
    known = night_answers.living([each.memory for each in found], scope=at.memory.scope, mind=mind)
    show = partial(night_answers.promotion, known=known)
    return listed(at, found, limit, cursor, key=lambda each: each.memory, show=show)


@catalogued(Profile.FULL, Effect.READS, "GET /years/{year}", command="year")
def year_report(at: CallContext, year: Id = "latest") -> shapes.StateAnswer:
    """Tell what a year came to, in numbers: by its number, or the latest one."""
    nights = at.memory.nights
    known = nights.years()
    told: shapes.Json = {"year": None, "years": [], "next_step": "It is written on 1 January."}
    if known or year != "latest":
        told = night_answers.year(nights.year(year), known)
    return {"told": told, "scope": shapes.scope(at.memory.scope)}


@catalogued(Profile.PEOPLE, Effect.CHANGES, "POST /undo/{id}", command="undo", repeatable=True)
def undo(at: CallContext, id: Id) -> shapes.StateAnswer:
    """Take back a night, a move or a merge by its id, or one line of the ledger."""
    done = at.memory.nights.undo(id.strip())
    return {"told": night_answers.undone(done), "scope": shapes.scope(at.memory.scope)}


@catalogued(Profile.FULL, Effect.READS, "GET /proposals", command="proposals")
def proposals_list(
    at: CallContext,
    answered: bool = False,
    limit: Limit = 20,
    cursor: Cursor | None = None,
) -> shapes.Items:
    """List what waits for the user's yes; only the user answers it."""
    found = at.memory.proposals.all() if answered else at.memory.proposals.open()
    show = partial(_proposal, at)
    return listed(at, found, limit, cursor, key=lambda each: each.id, show=show)


def _proposal(at: CallContext, each: Proposal) -> shapes.Json:
    known = night_answers.living([each.memory], scope=at.memory.scope, mind=at.memory.mind)
    return night_answers.proposal(each, known)


@catalogued(
    Profile.FULL,
    Effect.CHANGES,
    "POST /proposals/{id}/ask",
    command="propose",
    repeatable=True,
)
def proposal_ask(at: CallContext, id: Id) -> shapes.AskedAnswer:
    """Lay a proposal (or a memory by id, to be kept for ever) before the user.

    A memory becomes a proposal; call again with the proposal's id to have the user asked. Without
    a client that can ask, it waits for them elsewhere.
    """
    return asked(at, id, answer=None)


def asked(
    at: CallContext,
    id: str,
    *,
    answer: bool | None,
    version: str = "",
    channel: Channel = Channel.CLIENT,
    text: str = "",
) -> shapes.AskedAnswer:
    """Carry out a person's answer to a proposal, or say where it waits for one.

    `answer` comes from a person whom the client or a page asked, never from the arguments of a
    call; `version` names the words they were shown, `text` their own in the place of those.
    """
    scope, mind = at.memory.scope, at.memory.mind
    waits = is_proposal(id)
    if answer is not None and not waits:
        raise Refused("catalogue.person_answers_proposal_not_memory")
    proposal = one(id, scope, mind) if waits else at.memory.proposals.propose(id)
    next_step = f"Only a person answers: `saegim accept {proposal.id}` or `saegim refuse …`."
    if not waits:
        next_step = f"proposal_ask {proposal.id} asks the user, if your client can. {next_step}"
    if answer is not None:
        said = PersonAnswer(answer, scope.user, channel, version, text=text)
        at.memory.proposals.answer(proposal.id, said)
        next_step = _answered(proposal, answer, _speech(at))
    held = one(proposal.id, scope, mind)
    return {
        "status": held.state,
        "proposal": _proposal(at, held),
        # What a person reads before they answer; a client shows it as it is.
        "question": "\n".join(question(held, at.memory, _speech(at))),
        "next_step": next_step,
        "scope": shapes.scope(scope),
    }


def _speech(at: CallContext) -> Speech:
    return Speech.of(at.memory.mind.settings.language)


def _answered(proposal: Proposal, yes: bool, speech: Speech) -> str:
    """Say what a person's answer did to their own words, and how it is taken back."""
    if proposal.about in (CORE, BELIEF, ISLAND, SOUL_FILE):
        return ""
    if not yes:
        return speech("change refused")
    if proposal.about in (CORRECTION, CORE_CHANGE):
        return speech("change accepted", undo=proposal.id)
    return speech("let go", ids=proposal.memory)
