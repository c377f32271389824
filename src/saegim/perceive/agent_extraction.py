"""The calling agent thinks where no model is configured: kept turns are lent to it to read.

What it hands in is an answer like a model's: held against the turn, and trusted no more. Where a
model is turned on, the turns are the worker's and none is lent.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from saegim.engines.llm.json_repair import items
from saegim.errors import BadInput, BadReply, NotFound, Refused
from saegim.guard.guard import MaskTally, masked
from saegim.language.language import script_of
from saegim.memory.clock import iso
from saegim.memory.entities import DERIVED_FROM
from saegim.memory.memory import Memory, Scope, State
from saegim.mind import Mind
from saegim.perceive.build import KeepTerms, keep
from saegim.perceive.model_extraction import (
    MOST_FACTS,
    MOST_PARTS,
    SCHEMA,
    ModelFacts,
    facts_by_agent,
    request_for,
    shown,
)
from saegim.perceive.model_worker import Worthy, refused, worth_keeping
from saegim.store.commit import Batch, IdempotencyKey
from saegim.store.rows import ALL_STATES, Where
from saegim.store.tables.job_table import LEASE, Job, job_of, receipt_of

MOST: Final = 10
# Twice what a text of the most parts can hold; what follows is a runaway answer.
_MOST_READ: Final = 2 * MOST_FACTS * MOST_PARTS
# A row number has at most eighteen digits: more than any store has, and still one SQLite knows.
_JOB: Final = re.compile(r"lent_([1-9][0-9]{0,17})", re.ASCII)
_HOW: Final = {
    "ko": "원문이 여럿이면 모두 읽고, 사실을 한 목록으로 모아 {job}의 답으로 낸다.",
    "en": "If there are several sources, read all of them and hand in one list of facts as the "
    "answer to {job}.",
}
_TURNED_ON: Final = "A language model is turned on: it reads what was kept."
_TURNED_OFF: Final = "Reading facts is turned off (extraction)."
_NOTHING: Final = "Every turn was read, or is being read by someone."


@dataclass(frozen=True, slots=True, kw_only=True)
class LentTurn:
    """One turn to read: what to do, the turn as quoted data, and the form of the answer.

    A long turn is quoted in parts; `unread` counts the characters at its end that are not shown.
    """

    job: str
    instructions: str
    quoted: tuple[str, ...]
    schema: Mapping[str, Any]
    until: datetime
    unread: int = 0

    def as_dict(self) -> dict[str, Any]:
        """Return the piece as plain JSON."""
        return {
            "job": self.job,
            "instructions": self.instructions,
            "quoted": list(self.quoted),
            "schema": self.schema,
            "until": iso(self.until),
            "unread": self.unread,
        }


@dataclass(frozen=True, slots=True)
class LentWork:
    """What was lent, and where nothing was, why."""

    pieces: tuple[LentTurn, ...] = ()
    why: str = ""

    def __iter__(self) -> Iterator[LentTurn]:
        return iter(self.pieces)

    def __len__(self) -> int:
        return len(self.pieces)


@dataclass(frozen=True, slots=True)
class AgentResult:
    """What became of an answer: the facts that were kept, and the others with their reasons.

    `state` is `done`, `done before` (then only what was kept is told), `gone` (the turn no longer
    holds, and nothing is kept) or `open` (nothing could be read or kept: hand it in again).
    """

    job: str
    state: str
    kept: tuple[str, ...] = ()
    rejected: tuple[tuple[str, str], ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """Return the outcome as plain JSON."""
        return {
            "job": self.job,
            "state": self.state,
            "kept": list(self.kept),
            "rejected": [{"fact": fact, "reason": reason} for fact, reason in self.rejected],
        }


# -- lending --------------------------------------------------------------------------------------


def lend(scope: Scope, mind: Mind, *, limit: int = 3) -> LentWork:
    """Lend kept turns that nobody has read yet, the newest first; to nobody else meanwhile."""
    if isinstance(limit, bool) or not isinstance(limit, int) or not 1 <= limit <= MOST:
        raise BadInput("perceive.limit_cannot_be", limit=limit, most=MOST)
    if not mind.settings.extraction:
        return LentWork(why=_TURNED_OFF)
    if mind.model is not None:
        return LentWork(why=_TURNED_ON)
    now = mind.now()
    numbers = mind.store.agent_jobs.lend(Where(scope=scope), now, limit=limit)
    found = mind.store.memories.by_numbers(scope, numbers)
    pieces = [_piece(number, found[number], now) for number in numbers if number in found]
    return LentWork(tuple(pieces), "" if pieces else _NOTHING)


def _piece(number: int, source: Memory, now: datetime) -> LentTurn:
    parts, unread = _parts(source)
    asked = [request_for(each, role=_role(source)) for each in parts]
    how = _HOW["ko" if script_of(parts[0]) == "ko" else "en"].format(job=job_of(number))
    return LentTurn(
        job=job_of(number),
        instructions=f"{asked[0].system}\n{how}",
        quoted=tuple(each.prompt for each in asked),
        schema=SCHEMA,
        until=now + LEASE,
        unread=unread,
    )


def _parts(source: Memory) -> tuple[list[str], int]:
    """Return what an agent sees of a turn; what a person keeps private is not lent."""
    return shown(masked(source.text, MaskTally()).strip())


def _role(source: Memory) -> str:
    return source.agent.role or "user"


# -- handing in -----------------------------------------------------------------------------------


def hand_in(scope: Scope, mind: Mind, job: str, facts: list[dict[str, Any]]) -> AgentResult:
    """Keep of an agent's answer what the turn bears; late is as good as soon, twice is once."""
    if not isinstance(facts, list | tuple):
        raise BadInput("perceive.facts_cannot_be", facts=facts)
    number, source = _lent(scope, mind, job)
    # First the job, then the receipt: both change in one commit, perhaps in this very moment.
    leased = mind.store.jobs.get(scope, job)
    if mind.store.carried_out(scope, receipt_of(number)) is not None:
        return _told_again(job, number, source, mind)
    if leased is None:
        raise _unknown(job)
    if not source.text or source.life.state is not State.ACTIVE:
        mind.store.jobs.finish(leased)
        return AgentResult(job, "gone")
    read, unreadable = _read(facts)
    if unreadable and not read:
        return AgentResult(job, "open", rejected=tuple(unreadable))
    found = _held_against(source, read)
    worth = worth_keeping(found, source, mind)
    rejected = (*unreadable, *found.rejected, *worth.left_out)
    try:
        done = _kept(leased, number, source, worth, rejected, mind)
    except Refused:
        # It was lent anew or corrected in this moment: the next try sees how it stands.
        return AgentResult(job, "open")
    refused(done.rejected, mind)
    return done


def _lent(scope: Scope, mind: Mind, job: str) -> tuple[int, Memory]:
    """Return the row and the turn of a job, if they can be seen from here."""
    found = _JOB.fullmatch(job) if isinstance(job, str) else None
    number = int(found[1]) if found else 0
    source = mind.store.memories.by_numbers(scope, [number]).get(number)
    if source is None or not mind.store.memories.rows_of(
        Where(scope=scope, states=ALL_STATES), [source.id]
    ):
        raise _unknown(job)
    return number, source


def _unknown(job: object) -> NotFound:
    return NotFound("perceive.no_work", job=str(job)[:60])


def _told_again(job: str, number: int, source: Memory, mind: Mind) -> AgentResult:
    """Tell again what the first answer came to: its ties were made in that very commit."""
    at = mind.store.carried_out(source.scope, receipt_of(number))
    links = mind.store.links.of(source.scope, [source.id], [DERIVED_FROM])
    kept = [link.source for link in links if link.target == source.id and link.created_at == at]
    return AgentResult(job, "done before", tuple(sorted(kept)))


def _read(facts: Sequence[Any]) -> tuple[list[dict[str, Any]], list[tuple[str, str]]]:
    """Return the items of an answer, and what in it is none."""
    read: list[dict[str, Any]] = []
    unreadable: list[tuple[str, str]] = []
    for place, each in enumerate(facts[:_MOST_READ], 1):
        try:
            read += items(json.dumps({"facts": [each]}))
        except (BadReply, TypeError, ValueError, RecursionError):
            unreadable.append((f"item {place}", "unreadable"))
    if len(facts) > _MOST_READ:
        unreadable.append((f"{len(facts)} items", "too_many"))
    return read, unreadable


def _held_against(source: Memory, read: list[dict[str, Any]]) -> ModelFacts:
    parts, _ = _parts(source)
    return facts_by_agent(
        read,
        parts,
        speaker=source.provenance.author,
        role=_role(source),
        said_at=source.time.said_at or source.time.happened_at,
        system=request_for(parts[0], role=_role(source)).system,
    )


def _kept(
    leased: Job,
    number: int,
    source: Memory,
    worth: Worthy,
    rejected: tuple[tuple[str, str], ...],
    mind: Mind,
) -> AgentResult:
    """Keep the facts, finish the work and write its receipt in one transaction."""
    receipt = IdempotencyKey(receipt_of(number), source.id)
    if not worth.new.memories:
        actor = source.scope.agent or source.scope.user
        batch = Batch(source.scope.user, [], actor, mind.now(), finishes=leased)
        if mind.store.commit(batch, receipt=receipt).repeated:
            return _told_again(leased.id, number, source, mind)
        return AgentResult(leased.id, "done", rejected=rejected)
    terms = KeepTerms(count_turns=False, receipt=receipt, finishes=leased)
    kept = keep(worth.new, mind=mind, terms=terms)
    if kept[0].status == "repeated":
        return _told_again(leased.id, number, source, mind)
    return AgentResult(
        leased.id,
        "done",
        tuple(sorted(each.id for each in kept if each.status == "stored")),
        rejected + tuple((each.memory.text, "known") for each in kept if each.duplicate_of),
    )
