"""A memory is born: the coordinates that are given, before anything is read in its words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from saegim.engines.embedder import Vector
from saegim.engines.tokens import estimate
from saegim.errors import EngineError, Refused
from saegim.guard.guard import Tally
from saegim.guard.injection import suspicion
from saegim.language import language
from saegim.language.claims import Named
from saegim.language.times import event_of
from saegim.memory.changes import Change, Saved
from saegim.memory.clock import iso, parse_instant
from saegim.memory.memory import (
    EXPLICIT_START,
    PERSON,
    Agent,
    Content,
    Emotion,
    Kind,
    Life,
    Lifetime,
    Memory,
    Origin,
    Provenance,
    Scope,
    Source,
    State,
    Tier,
    Time,
    Worth,
    checked_tags,
    checked_text,
    expiry,
    importance,
)
from saegim.mind import Mind
from saegim.perceive.connect import Fresh, Joined, connect
from saegim.perceive.moment import Kept, Moment
from saegim.perceive.turn import Turn
from saegim.store.commit import Batch, Committed, Receipt
from saegim.store.tables.job_table import Job

if TYPE_CHECKING:
    from saegim.language.extract import Extracted
    from saegim.language.features import Signs

# Seed A's content types, by who speaks.
_TYPES = {"user": "user_input", "assistant": "persona_response"}


def placed(moment: Moment, mind: Mind) -> Memory:
    """Give a moment its coordinates; refuse what cannot be kept word for word."""
    text = checked_text(moment.text)
    now = mind.now()
    content = moment.content
    return Memory(
        id=mind.new_id(),
        scope=moment.scope,
        text=text,
        kind=moment.kind or Kind.FACT,
        visibility=moment.visibility,
        time=when(moment.scope, moment.happened_at or now, now, moment.sequence, mind),
        provenance=moment.provenance,
        space=moment.space,
        agent=moment.agent,
        emotion=moment.emotion,
        content=replace(
            content,
            tags=checked_tags(content.tags),
            token_count=estimate(text) if content.token_count is None else content.token_count,
        ),
        worth=Worth(
            importance=importance(
                start=EXPLICIT_START, rating=moment.rating, sentiment=moment.emotion.sentiment
            )
            if moment.importance is None
            else moment.importance,
            confidence=moment.confidence,
            rating=moment.rating,
        ),
        life=Life(
            tier=moment.tier,
            expires_at=expiry(moment.tier, now),
            pinned=moment.pinned,
            immutable=moment.immutable,
        ),
        rhythm=moment.rhythm,
    )


def overheard(turn: Turn, text: str, time: Time, mind: Mind) -> Memory:
    """Give part of a turn its coordinates: who spoke, to whom, in which conversation."""
    return Memory(
        id=mind.new_id(),
        scope=turn.scope,
        text=text,
        time=time,
        provenance=Provenance(
            origin=turn.origin,
            source=turn.source,
            author=turn.speaker,
            addressee=turn.addressee,
        ),
        space=turn.space,
        agent=Agent(role=turn.role),
        content=Content(type=_TYPES.get(turn.role, "system_event"), token_count=estimate(text)),
        life=Life(tier=Tier.M30, expires_at=expiry(Tier.M30, time.recorded_at)),
        rhythm=turn.rhythm,
    )


def when(scope: Scope, said_at: datetime, now: datetime, sequence: int | None, mind: Mind) -> Time:
    """Place a moment in time; in a session, number it and count the minutes since the first."""
    minutes = None
    if scope.session:
        last, began = mind.store.memories.session_so_far(scope)
        sequence = last + 1 if sequence is None else sequence
        minutes = round((said_at - (began or said_at)).total_seconds() / 60, 3)
    return Time(
        happened_at=said_at, recorded_at=now, sequence=sequence, minutes_into_session=minutes
    )


def quarantined(memory: Memory) -> str:
    """Say why a memory must be kept apart, if it must: an order that no person gave."""
    return "" if memory.provenance.origin in PERSON else suspicion(memory.text)


def asked_by_its_own(memory: Memory) -> bool:
    """Say whether the prompt beside the words was the agent's own, as in a folder of seed A.

    A prompt gives orders by its nature: what the agent told its own voices is no order in disguise.
    """
    provenance = memory.provenance
    return provenance.origin is Origin.IMPORT and provenance.source is Source.CONVERSATION


def reads_like_an_order(memory: Memory) -> bool:
    """Say whether a memory reads like an order, in its words or in what stands around them."""
    content = memory.content
    around = (
        "" if asked_by_its_own(memory) else content.prompt_digest,
        content.brief or "",
        *content.tags,
        *content.keywords,
        memory.provenance.author,
        memory.space.domain,
    )
    return bool(quarantined(memory) or suspicion("\n".join(filter(None, around))))


def kept_apart(memory: Memory) -> Memory:
    """Return the memory in quarantine, where recall will not show it."""
    return memory.evolve(life=replace(memory.life, state=State.QUARANTINED))


# -- The last step in: vectors, ties and words in one transaction, or nothing at all

# The work of reading facts with a language model.
FACTS = "facts"
# Someone else may correct the same memory at the same time; then we look again.
_TRIES = 3


@dataclass(frozen=True, slots=True)
class NewMemories:
    """What is to be kept together: the memories, whom each names, and what ties them."""

    memories: Sequence[Memory]
    named: Mapping[str, tuple[Named, ...]] = field(default_factory=dict)
    ties: Sequence[Change] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class KeepTerms:
    """How memories are kept, and what is written in the same transaction."""

    # Whether words that are here already make the known memory stronger instead of a new one.
    collapse: bool = True
    # Whether the store gives each its number in its session.
    count_turns: bool = True
    receipt: Receipt | None = None
    finishes: Job | None = None
    # Memories that a language model should read later.
    wishes: Sequence[str] = ()


def keep(
    new: NewMemories, *, mind: Mind, terms: KeepTerms = KeepTerms(), tally: Tally | None = None
) -> list[Kept]:
    """Keep memories with their ties and say what became of each; all of them, or none."""
    memories = new.memories
    vectors = embedded(memories, mind)
    fresh = [Fresh(each, new.named.get(each.id, ()), vectors.get(each.id)) for each in memories]
    for left in reversed(range(_TRIES)):
        joined = connect(fresh, mind)
        first = memories[0].scope
        batch = Batch(
            owner=first.user,
            changes=[*map(Saved, memories), *new.ties, *joined.changes],
            actor=first.agent or first.user,
            at=mind.now(),
            vectors=vectors,
            identity=mind.embedder.identity if vectors else None,
            collapse=terms.collapse,
            count_turns=terms.count_turns,
            wishes=[(FACTS, id) for id in terms.wishes],
            finishes=terms.finishes,
        )
        try:
            committed = mind.store.commit(batch, receipt=terms.receipt)
            break
        except Refused:
            if not left or terms.finishes is not None or not joined.supersedes:
                raise
    if len(vectors) < len(memories):
        mind.store.keep_indexed(mind.embedder, mind.now)
    return [_told(each, committed, bool(vectors), joined, tally, mind) for each in memories]


def embedded(memories: Sequence[Memory], mind: Mind) -> dict[str, Vector]:
    """Return the vectors of memories if they can be had without leaving the process."""
    if not memories or not mind.embedder.local:
        return {}
    try:
        made = mind.embedder.embed([memory.text for memory in memories], "document")
    except EngineError:
        # A damaged model file must not cost a memory: it is kept and found by its words, its
        # vector is made once the model is whole again, and doctor says what is wrong.
        return {}
    return dict(zip((memory.id for memory in memories), made, strict=True))


def wanted_of_a_model(memories: Sequence[Memory], mind: Mind) -> list[str]:
    """Return which memories a language model should read later, if one is turned on."""
    if mind.model is None or not mind.settings.extraction:
        return []
    return [each.id for each in memories if each.life.state is State.ACTIVE]


def _told(
    memory: Memory,
    committed: Committed,
    indexed: bool,
    joined: Joined,
    tally: Tally | None,
    mind: Mind,
) -> Kept:
    """Say what became of it: new, the same as one that is here, or done before."""
    known = committed.repeated or committed.same.get(memory.id)
    status = "repeated" if committed.repeated else "duplicate" if known else "stored"
    # In a session the store has given it its number.
    found = mind.store.memories.get(memory.scope, known or memory.id)
    return Kept(
        found or memory,
        status,
        duplicate_of=known,
        indexed="ready" if indexed else "pending",
        masked=tally.masked if tally else 0,
        held=tally.held if tally else 0,
        supersedes=tuple(joined.supersedes.get(memory.id, ())) if not known else (),
        contradicts=tuple(joined.contradicts.get(memory.id, ())) if not known else (),
        similar_to=tuple(joined.similar_to.get(memory.id, ())) if not known else (),
    )


# -- A memory gains its coordinates: when it happened, what it feels like, what it says

# A text longer than this is a document: its beginning says enough about feeling and kind.
_GLANCE = 4000
_MOST_MENTIONS = 16
# What is over within the day it was said is no plan; beyond two years a date is a misreading.
_SOON, _FAR = timedelta(hours=24), timedelta(days=731)


@dataclass(frozen=True, slots=True)
class Heard:
    """One sentence, or one short text, with what was read in it."""

    text: str
    emotion: Emotion
    signs: Signs


def hear(text: str, mind: Mind) -> Heard:
    """Read the feeling and the signs of one text."""
    glance = text[:_GLANCE]
    reading = mind.read(glance)
    emotion = language.feelings(glance, mind.heads if reading else None)
    signs = language.features(
        glance, emotion=emotion, reading=reading, analyser=mind.store.words.analyser()
    )
    return Heard(text, emotion, signs)


def placed_in_time(memory: Memory, said_at: datetime, *, fixed: bool) -> Memory:
    """Resolve time words against the moment they were said; what is unclear stays unknown."""
    found = language.times(memory.text[:_GLANCE], said_at)[:_MOST_MENTIONS]
    if not found:
        return memory
    event = None if fixed else event_of(found, said_at)
    return memory.evolve(
        time=replace(
            memory.time,
            happened_at=event.start if event else memory.time.happened_at,
            said_at=said_at if event else None,
            mentions=tuple(f"{iso(each.start)}/{iso(each.end)}" for each in found),
        )
    )


def understood(
    memory: Memory, heard: Heard, mind: Mind, *, kind: Kind | None, voice: str = ""
) -> tuple[Memory, Extracted]:
    """Fill in what nobody said: kind, feeling, ties, keywords, the short form, the language."""
    analyser = mind.store.words.analyser()
    said = language.facts(
        memory.text[:_GLANCE], analyser=analyser, signs=heard.signs, speaker=voice
    )
    content = memory.content
    emotion = heard.emotion if memory.emotion == Emotion() else memory.emotion
    return memory.evolve(
        kind=kind or said.kind,
        emotion=emotion,
        content=replace(
            content,
            brief=content.brief or said.brief,
            triples=content.triples or said.triples,
            keywords=content.keywords or said.keywords,
            language=content.language or said.language,
        ),
    ), said


def kept_for(memory: Memory, lifetime: Lifetime, said_at: datetime, mind: Mind) -> Memory:
    """Give a memory its lifetime; what speaks of a day ahead is kept at least until that day.

    A plan without a day that can be told has no end that could have come: it lasts. The seeds know
    no lifetimes: under their law everything passes in its tier's time.
    """
    if not mind.settings.is_gentle:
        return memory
    ahead = last_day_ahead(memory, said_at)
    if lifetime is Lifetime.PASSING and ahead is not None:
        lifetime = Lifetime.UNTIL
    elif lifetime is Lifetime.UNTIL and ahead is None:
        lifetime = Lifetime.LASTING
    return living_for(memory, lifetime, ahead if lifetime is Lifetime.UNTIL else None)


def living_for(memory: Memory, lifetime: Lifetime, last_date: datetime | None) -> Memory:
    """Return a memory with just this lifetime, and the end of its time that follows from it."""
    end = expiry(memory.life.tier, memory.time.recorded_at, last_date)
    life = replace(memory.life, lifetime=lifetime, last_date=last_date, expires_at=end)
    return memory.evolve(life=life)


def no_lifetimes() -> Refused:
    """Return the refusal to keep anything for longer where the bare clocks of the seeds hold."""
    return Refused("perceive.forgetting_is_seed_every_memory")


def last_day_ahead(memory: Memory, said_at: datetime) -> datetime | None:
    """Return the end of the last day the words speak of, if it was still to come when said."""
    ends = [parse_instant(each.partition("/")[2]) for each in memory.time.mentions]
    later = [end for end in ends if said_at + _SOON < end < said_at + _FAR]
    if not later:
        return None
    # Its hours may be over at noon; the day is over at midnight.
    day = (max(later) - timedelta(microseconds=1)).replace(hour=0, minute=0, second=0)
    return day.replace(microsecond=0) + timedelta(days=1)


def weighed(memory: Memory, start: float) -> Memory:
    """Give a memory its importance by seed A's formula, from what is known at its birth."""
    worth = replace(
        memory.worth,
        importance=importance(
            start=start, rating=memory.worth.rating, sentiment=memory.emotion.sentiment
        ),
    )
    return memory.evolve(worth=worth)
