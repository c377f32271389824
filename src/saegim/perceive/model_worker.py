"""What a language model adds later: facts read from kept texts, never on the way in.

One job per text, leased, tried again with growing pauses, parked with its reason. The text itself
is kept and findable whatever happens here.
"""

from __future__ import annotations

import contextlib
import threading
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime, time, timedelta

from saegim.engines.tokens import estimate
from saegim.errors import BadReply, EngineError, Refused, StoreError, Unavailable
from saegim.guard.guard import MaskTally, masked
from saegim.language import language
from saegim.language.claims import Named, Triple
from saegim.logs import logger
from saegim.memory.changes import Linked
from saegim.memory.entities import DERIVED_FROM, Link
from saegim.memory.memory import (
    Content,
    Life,
    Memory,
    Origin,
    Source,
    State,
    Tier,
    Worth,
    expiry,
    least_trusted,
)
from saegim.mind import Mind
from saegim.perceive.build import (
    FACTS,
    KeepTerms,
    NewMemories,
    embedded,
    hear,
    keep,
    placed_in_time,
    weighed,
)
from saegim.perceive.model_extraction import ModelFact, ModelFacts, facts_by_model
from saegim.store.rows import Where
from saegim.store.tables.job_table import Job

_log = logger("perceive")
# A server that does not answer is asked again after 5 s, 20 s, 80 s, 320 s; then the job is parked.
MOST_TRIES = 5
_PAUSE = timedelta(seconds=5)
# An answer that cannot be read twice will not be read the third time (U14.2).
_MOST_UNREADABLE = 2
_IDLE_SECONDS = 5.0
_PATIENCE_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class Done:
    """How one piece of work ended: `done`, `put off`, `parked` or `gone`."""

    job: Job
    outcome: str
    facts: tuple[str, ...] = ()
    # What was not taken of the answer, each with its reason code.
    rejected: tuple[tuple[str, str], ...] = ()
    why: str = ""
    # Characters at the end of a very long text that the model was not shown.
    unread: int = 0


@dataclass(frozen=True, slots=True)
class Worthy:
    """What is to be kept of what was read, and what is not: (text, `weak` or `known`)."""

    new: NewMemories
    left_out: list[tuple[str, str]]


def work(mind: Mind) -> Iterator[Done]:
    """Do what is due, one piece at a time; stop anywhere, and the rest waits for the next."""
    while mind.model is not None and (job := mind.store.jobs.take(mind.now(), (FACTS,))):
        done = _do(job, mind)
        refused(done.rejected, mind)
        yield done


def refused(rejected: Iterable[tuple[str, str]], mind: Mind) -> None:
    """Count by reason what was not taken of an answer, in the store and in the log."""
    if reasons := Counter(reason for _, reason in rejected):
        mind.store.usage.leave_out(reasons)
        told = ", ".join(f"{reason} {count}" for reason, count in sorted(reasons.items()))
        _log.info("left out of what was read: %s", told)


def _do(job: Job, mind: Mind) -> Done:
    desk = mind.store.jobs
    source = mind.store.memories.get(job.scope, job.subject)
    if source is None or not source.text or source.life.state is not State.ACTIVE:
        desk.finish(job)
        return Done(job, "gone")
    try:
        return _read_with_model(job, source, mind)
    except Refused as error:
        # The calls of this day are spent: no fault of the work, so the try does not count.
        desk.put_off(job, _tomorrow(mind.now()), error.message, counted=False)
        return Done(job, "put off", why=error.message)
    except Unavailable as error:
        if job.attempts < MOST_TRIES:
            pause = _PAUSE * 4 ** (job.attempts - 1)
            asked = timedelta(seconds=min(error.retry_after or 0.0, 86_400.0))
            desk.put_off(job, mind.now() + max(pause, asked), error.message)
            return Done(job, "put off", why=error.message)
        return _parked(job, error, mind)
    except BadReply as error:
        if job.attempts < _MOST_UNREADABLE:
            desk.put_off(job, mind.now() + _PAUSE, error.message)
            return Done(job, "put off", why=error.message)
        return _parked(job, error, mind)
    except EngineError as error:
        return _parked(job, error, mind)


def _parked(job: Job, error: EngineError, mind: Mind) -> Done:
    mind.store.jobs.park(job, str(error))
    return Done(job, "parked", why=str(error))


def _tomorrow(now: datetime) -> datetime:
    return datetime.combine(now.date() + timedelta(days=1), time(), now.tzinfo)


def _read_with_model(job: Job, source: Memory, mind: Mind) -> Done:
    """Ask, keep what is grounded and worth it, and finish the work in the same transaction."""
    found = facts_by_model(
        source.text,
        ask=lambda request: mind.ask(FACTS, request, owner=job.scope.user),
        speaker=source.provenance.author,
        role=source.agent.role or "user",
        said_at=source.time.said_at or source.time.happened_at,
        max_tokens=mind.settings.model_max_tokens,
        who=str(mind.model),
    )
    worth = worth_keeping(found, source, mind)
    rejected = (*found.rejected, *worth.left_out)
    if not worth.new.memories:
        mind.store.jobs.finish(job)
        return Done(job, "done", rejected=rejected, unread=found.left)
    try:
        kept = keep(worth.new, mind=mind, terms=KeepTerms(count_turns=False, finishes=job))
    except Refused as error:
        # Someone took the work over, or corrected the same memory: theirs holds.
        return Done(job, "gone", why=error.message)
    rejected += tuple((each.memory.text, "known") for each in kept if each.duplicate_of)
    return Done(job, "done", tuple(each.id for each in kept), rejected, unread=found.left)


def worth_keeping(found: ModelFacts, source: Memory, mind: Mind) -> Worthy:
    """Return the read facts as memories tied to their source, and why the others are none."""
    left_out: list[tuple[str, str]] = []
    memories: list[Memory] = []
    named: dict[str, tuple[Named, ...]] = {}
    for each in found.facts:
        if (
            each.importance < mind.settings.extraction_min_importance
            or each.confidence < mind.settings.extraction_min_confidence
        ):
            left_out.append((each.text, "weak"))
            continue
        memory = _fact(each, source, mind)
        memories.append(memory)
        named[memory.id] = each.named
    fresh = _unknown(memories, source, mind)
    left_out += [(each.text, "known") for each in memories if each not in fresh]
    ties = [Linked(Link(source=each.id, type=DERIVED_FROM, target=source.id)) for each in fresh]
    return Worthy(NewMemories(fresh, named, ties), left_out)


def _fact(fact: ModelFact, source: Memory, mind: Mind) -> Memory:
    """Return a fact as a memory: no more trusted than its source, and never than an inference."""
    now = mind.now()
    fact = masked(fact, MaskTally())
    memory = Memory(
        id=mind.new_id(),
        scope=replace(source.scope, session=""),
        text=fact.text,
        kind=fact.kind,
        visibility=source.visibility,
        time=replace(
            source.time, recorded_at=now, sequence=None, minutes_into_session=None, valid_to=None
        ),
        provenance=replace(
            source.provenance,
            origin=least_trusted(source.provenance.origin, Origin.AGENT_INFERRED),
            source=Source.OBSERVATION,
            turn=source.id,
        ),
        space=source.space,
        agent=source.agent,
        emotion=language.feelings(fact.text, mind.heads),
        content=Content(
            type=source.content.type,
            triples=fact.triples or _by_rule(fact.text, mind),
            language=source.content.language,
            token_count=estimate(fact.text),
        ),
        worth=Worth(confidence=fact.confidence),
        life=Life(
            tier=Tier.M30,
            expires_at=expiry(Tier.M30, now, source.life.last_date),
            lifetime=source.life.lifetime,
            last_date=source.life.last_date,
        ),
    )
    said_at = source.time.said_at or source.time.happened_at
    return weighed(placed_in_time(memory, said_at, fixed=False), fact.importance)


def _by_rule(text: str, mind: Mind) -> tuple[Triple, ...]:
    """Return the ties that rules read in a fact: what a model says adds to them, never less."""
    heard = hear(text, mind)
    analyser = mind.store.words.analyser()
    return language.facts(text, analyser=analyser, signs=heard.signs).triples


def _unknown(memories: list[Memory], source: Memory, mind: Mind) -> list[Memory]:
    """Leave out what is known in nearly the same words (seed E: duplicates by embedding).

    What is nearly the same but differs in a number, a name or a denial is another candidate.
    """
    vectors, analyser = embedded(memories, mind), mind.store.words.analyser()
    where = Where(scope=replace(source.scope, session=""))
    kept = []
    for memory in memories:
        if memory.canonical_key == source.canonical_key:
            continue
        if (vector := vectors.get(memory.id)) is not None:
            near = mind.store.vectors.near(vector, mind.embedder.identity, where, limit=1)
            close = [hit.number for hit in near if hit.cosine >= mind.settings.same_from]
            held = mind.store.memories.by_numbers(where.scope, close).values()
            if any(not language.same(each, memory, analyser=analyser) for each in held):
                continue
        kept.append(memory)
    return kept


class Worker:
    """One quiet thread that does what is due while a model is turned on."""

    def __init__(self, mind: Mind) -> None:
        self.mind = mind
        self._wake = threading.Event()
        self._stop = threading.Event()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self.trouble = ""
        if mind.store.jobs.due(mind.now()):
            self.wake()

    def wake(self) -> None:
        """Say that there may be something to do."""
        with self._lock:
            if self._thread is None and not self._stop.is_set():
                thread = threading.Thread(target=self._run, name="saegim-later", daemon=True)
                # What is durable must not fail because the system has no thread to spare.
                with contextlib.suppress(RuntimeError):
                    thread.start()
                    self._thread = thread
        self._wake.set()

    def _run(self) -> None:
        while not self._stop.is_set():
            self._wake.wait(_IDLE_SECONDS)
            self._wake.clear()
            try:
                for _ in work(self.mind):
                    if self._stop.is_set():
                        return
                self.trouble = ""
            except StoreError as error:
                # The work waits where it is; the next look tries again, and status says why.
                self.trouble = error.message

    def close(self) -> None:
        """Stop after the piece of work in hand; a model that hangs is left to its own time."""
        self._stop.set()
        self._wake.set()
        if self._thread is not None:
            self._thread.join(_PATIENCE_SECONDS)
