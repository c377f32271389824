"""Build a memory: coordinates, feelings and facts, links to what is known, and its commit."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from saegim.engines.embedder import Vector
from saegim.engines.tokens import estimate
from saegim.errors import EngineError, Refused
from saegim.guard.guard import MaskTally
from saegim.guard.injection import suspicion
from saegim.language import language
from saegim.language.claims import Named, claims, compared, is_dated, is_negative, opposed
from saegim.language.quoting import quotation
from saegim.language.times import Span, comes_back, event_of
from saegim.memory.changes import Change, Linked, Met, Portrayed, Saved, Superseded
from saegim.memory.clock import iso, parse_instant
from saegim.memory.entities import (
    CONTRADICTS,
    DERIVED_FROM,
    MERGED_FROM,
    PROMOTED_FROM,
    REFERS_TO,
    SIMILAR_TO,
    SUPERSEDES,
    Entity,
    Link,
    label_of,
)
from saegim.memory.memory import (
    BY_NIGHT,
    EXPLICIT_START,
    FINDABLE,
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
    least_trusted,
    said_after,
)
from saegim.memory.text import normalise
from saegim.mind import Mind
from saegim.perceive.corrected import (
    elsewhere,
    made_to_stay,
    may_replace,
    names_more,
    of_one_thing,
)
from saegim.perceive.moment import Kept, Moment
from saegim.perceive.turn import Turn
from saegim.store.commit import Batch, Committed, IdempotencyKey
from saegim.store.rows import Where
from saegim.store.tables.job_table import Job

if TYPE_CHECKING:
    from saegim.language.extract import Extracted
    from saegim.language.features import Signs

# The person whose memory this is, in ties between entities.
SELF = Entity(name="me", type="self")
_SELF_NAMES = frozenset(("사용자", "user", "me", "나", "저", "i"))
_MOST_TWINS = 3
_LONGEST_NAME = 60
# A turn this little longer than the fact in it says nothing else: a greeting, a sigh.
_LITTLE_MORE = 24


@dataclass(slots=True)
class Joined:
    """What joining the new to the known comes to: Changes, and ids to tell the caller."""

    changes: list[Change] = field(default_factory=list)
    supersedes: dict[str, list[str]] = field(default_factory=dict)
    contradicts: dict[str, list[str]] = field(default_factory=dict)
    similar_to: dict[str, list[str]] = field(default_factory=dict)
    # What gives way in these Changes, each once.
    ended: set[str] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class Fresh:
    """A memory about to be kept, with the names found in it and its vector."""

    memory: Memory
    named: tuple[Named, ...] = ()
    vector: Vector | None = None


def connect(fresh: Sequence[Fresh], mind: Mind) -> Joined:
    """Join new memories to what is known; the quarantined and the imagined touch nothing."""
    joined = Joined()
    welcome = [each for each in fresh if each.memory.is_told]
    for each in welcome:
        _twins(each, mind, joined)
        _outdated(each.memory, mind, joined)
    _meetings(welcome, mind, joined)
    return joined


def met(fresh: Fresh, mind: Mind) -> list[Change]:
    """Return the ties of a memory that is here to those whom it names."""
    joined = Joined()
    _meetings([fresh], mind, joined)
    return joined.changes


# -- twins ----------------------------------------------------------------------------------------


def _twins(fresh: Fresh, mind: Mind, joined: Joined) -> None:
    """Tie a memory to those that nearly say the same; never merge them (U5.2)."""
    memory = fresh.memory
    if fresh.vector is None:
        return
    scope = Scope(memory.scope.user, memory.scope.agent, memory.scope.project)
    where = Where(scope=scope)
    near = mind.store.vectors.near(
        fresh.vector, mind.embedder.identity, where, limit=_MOST_TWINS + 1
    )
    close = {hit.number: hit.cosine for hit in near if hit.cosine >= mind.settings.similar_from}
    for number, other in mind.store.memories.by_numbers(scope, close).items():
        if other.canonical_key == memory.canonical_key:
            continue
        weight = round(float(close[number]), 4)
        link = Link(source=memory.id, type=SIMILAR_TO, target=other.id, weight=weight)
        joined.changes.append(Linked(link))
        joined.similar_to.setdefault(memory.id, []).append(other.id)


# -- what no longer holds -------------------------------------------------------------------------


def _outdated(memory: Memory, mind: Mind, joined: Joined) -> None:
    """Find what the memory's claims make outdated, or contradict without settling it."""
    made = {claim.slot: claim for claim in claims(memory.content.triples)}
    if not made:
        return
    seen, now = {memory.id}, mind.now()
    for held in mind.store.memories.claimed(memory.scope, made):
        if held.memory in seen:
            continue
        other = mind.store.memories.get(memory.scope, held.memory)
        weeks = _weeks(other, memory, mind) if other else 0
        if not opposed(made[held.slot], held, weeks=weeks):
            continue
        if other is None or elsewhere(held.slot, memory, other):
            continue
        if not of_one_thing(memory, other, mind):
            continue
        claim = made[held.slot]
        close = compared(claim.value, held.value, mind.alike)
        if close == "same":
            continue
        seen.add(held.memory)
        settled = close != "unsure" and may_replace(memory, other, made, held)
        if said_after(other, memory, now=now):
            leaves_out = names_more(memory, other, claim, held, mind)
        else:
            leaves_out = names_more(other, memory, held, claim, mind)
        if not settled or leaves_out:
            _contradiction(memory, other, joined)
        elif said_after(memory, other, now=now):
            _replace(memory, other, joined, mind)
        elif said_after(other, memory, now=now):
            # Heard later, but said earlier: what is known already holds in its place.
            _replace(other, memory, joined, mind)
            return
        else:
            _contradiction(memory, other, joined)


def _weeks(old: Memory, new: Memory, mind: Mind) -> int:
    """Count the Mondays from one saying to the other: next week is this week in a week."""
    first, last = (mind.here(each.time.said).date() for each in (old, new))
    first, last = (day - timedelta(days=day.weekday()) for day in (first, last))
    return (last - first).days // 7


def _replace(new: Memory, old: Memory, joined: Joined, mind: Mind) -> None:
    # "I moved last week" ends what was said before, but not before that was said.
    at = max(new.time.valid_from or new.time.happened_at, old.time.said)
    outdated = {each.id: each for each in (old, *_only_sources(old, mind))}
    made = {each.id: each for one in outdated.values() for each in followers(one, mind)}
    for id in [id for id in outdated | made if id not in joined.ended]:
        joined.ended.add(id)
        joined.changes.append(Linked(Link(source=new.id, type=SUPERSEDES, target=id)))
        joined.changes.append(Superseded(id, by=new.id, at=at))
    joined.supersedes.setdefault(new.id, []).extend(outdated)
    joined.changes += blanked([*outdated], old.scope, mind)


def _only_sources(old: Memory, mind: Mind) -> Iterable[Memory]:
    """Return the turns that said nothing but what is outdated now (U19.1)."""
    for up in mind.store.links.of(old.scope, [old.id], [DERIVED_FROM]):
        if up.source != old.id or (source := mind.store.memories.get(old.scope, up.target)) is None:
            continue
        siblings = mind.store.links.of(old.scope, [source.id], [DERIVED_FROM])
        others = {each.source for each in siblings} - {old.id, source.id}
        more = len(normalise(source.text)) - len(normalise(old.text))
        told = len(language.deeds(source.text)), max(1, len(language.deeds(old.text)))
        little = more < _LITTLE_MORE and told[0] <= told[1]
        if source.life.state is State.ACTIVE and not others and little:
            yield source


def followers(memory: Memory, mind: Mind, *, states: Sequence[State] = FINDABLE) -> list[Memory]:
    """Return what stands and falls with a memory: what nights made of it, at any distance.

    What was distilled from one memory alone is that memory told again: its source goes along. What
    was made to stay is not among them.
    """
    found: dict[str, Memory] = {}
    seen, fresh = {memory.id}, {memory.id: memory}
    while fresh:
        near = _made_with(fresh, mind) - seen
        seen |= near
        held = {id: mind.store.memories.get(memory.scope, id) for id in sorted(near)}
        fresh = {
            id: each
            for id, each in held.items()
            if each is not None
            and not made_to_stay(each)
            # A merged twin is gone itself; what was made of it goes on from here.
            and each.life.state in (*states, State.SUPERSEDED)
        }
        found |= {id: each for id, each in fresh.items() if each.life.state in states}
    return list(found.values())


def _made_with(memories: Mapping[str, Memory], mind: Mind) -> set[str]:
    """Return the ids of what nights made of these, of their twins, and of their only sources."""
    scope = next(iter(memories.values())).scope
    links = mind.store.links.of(scope, memories, (DERIVED_FROM, PROMOTED_FROM, MERGED_FROM))
    down = {each.source for each in links if each.type != MERGED_FROM and each.target in memories}
    made = (mind.store.memories.get(scope, id) for id in sorted(down))
    found = {each.id for each in made if each and each.provenance.source in BY_NIGHT}
    risen: dict[str, set[str]] = {}
    for link in links:
        if link.type == MERGED_FROM and link.source in memories:
            found.add(link.target)
        elif link.type == PROMOTED_FROM and link.source in memories:
            risen.setdefault(link.source, set()).add(link.target)
    return found.union(*(each for each in risen.values() if len(each) == 1))


def blanked(ids: Sequence[str], scope: Scope, mind: Mind) -> Iterator[Portrayed]:
    """Empty the portraits of whom these memories speak of; a later night draws them anew."""
    for key in sorted({link.target for link in mind.store.links.of(scope, ids, (REFERS_TO,))}):
        for entity in mind.store.entities.of(scope, key):
            if entity.summary or entity.personality_notes:
                yield Portrayed(key, "", "")


def _contradiction(memory: Memory, other: Memory, joined: Joined) -> None:
    joined.changes.append(Linked(Link(source=memory.id, type=CONTRADICTS, target=other.id)))
    joined.contradicts.setdefault(memory.id, []).append(other.id)


# -- people and things ----------------------------------------------------------------------------


def _meetings(fresh: Sequence[Fresh], mind: Mind, joined: Joined) -> None:
    """Meet everyone who is named, under the name they are known by; tie the memory to them."""
    said = [name for each in fresh for found in _everyone(each) for name in _names(found)]
    if not said:
        return
    known = mind.store.entities.named(fresh[0].memory.scope, said)
    met: set[str] = set()
    for each in fresh:
        keys = {normalise(name): SELF.key for name in _SELF_NAMES}
        for found in _everyone(each):
            entity = _recognised(found, known)
            known.setdefault(normalise(entity.name), [entity])
            keys |= {normalise(name): entity.key for name in _names(found)}
            # A fact is part of the turn it was said in: nobody is met twice in one turn.
            if entity.key not in met and not (each.memory.provenance.turn and entity.interactions):
                joined.changes.append(_met(entity, each.memory))
            met.add(entity.key)
            link = Link(source=each.memory.id, type=REFERS_TO, target=entity.key)
            joined.changes.append(Linked(link))
        joined.changes += _ties(each.memory, keys)


def _everyone(fresh: Fresh) -> list[Named]:
    """Return who and what is named, and the things the ties are about, each once."""
    found = {normalise(each.name): each for each in fresh.named if each.type != "self"}
    for triple in fresh.memory.content.triples:
        for name in triple[:1] if is_dated(triple) else (triple[0], triple[2]):
            if _is_name(name) and normalise(name) not in found:
                found[normalise(name)] = Named(name=name, type="topic")
    return list(found.values())


def _is_name(text: str) -> bool:
    plain = normalise(text)
    return (
        bool(plain)
        and plain not in _SELF_NAMES
        and len(text) <= _LONGEST_NAME
        and not any(letter.isdigit() for letter in plain)
    )


def _names(found: Named) -> tuple[str, ...]:
    return found.name, *found.aliases


def _recognised(found: Named, known: Mapping[str, list[Entity]]) -> Entity:
    """Return the entity that is known by this name or alias, or a new one."""
    for name in _names(found):
        for entity in known.get(normalise(name), ()):
            return entity
    return Entity(name=found.name, type=found.type, aliases=found.aliases)


def _met(entity: Entity, memory: Memory) -> Met:
    now = Entity(
        name=entity.name,
        platform=entity.platform,
        type=entity.type,
        aliases=entity.aliases,
        interests=_liked_by(entity, memory),
        first_seen_at=memory.time.happened_at,
        last_seen_at=memory.time.happened_at,
        sentiment_score=memory.emotion.sentiment,
        sentiment=label_of(memory.emotion.sentiment),
        trust=entity.trust,
    )
    return Met(now, memory.id, again=True)


def _liked_by(entity: Entity, memory: Memory) -> tuple[str, ...]:
    """Return what the memory says that someone likes (seed E, interests)."""
    return tuple(
        object
        for subject, predicate, object in memory.content.triples
        if normalise(subject) in entity.names
        and any(
            claim.slot.startswith("likes:") and not claim.negative
            for claim in claims([(subject, predicate, object)])
        )
    )


def _ties(memory: Memory, keys: Mapping[str, str]) -> list[Change]:
    """Return the triples of a memory as ties between entities, negative ones marked."""
    made: list[Change] = []
    for subject, predicate, object in memory.content.triples:
        source, target = keys.get(normalise(subject)), keys.get(normalise(object))
        kind = normalise(predicate).replace(":", " ").strip()
        if source and target and source != target and kind:
            link = Link(source=source, type=kind, target=target, negative=is_negative(predicate))
            made.append(Linked(link))
    return made


# -- A memory is born: the coordinates that are given, before anything is read in its words

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
    """Say whether the prompt beside the words was the agent's own (seed A), and so is no order."""
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
# The work of reading a part of a long turn that was kept before it was read.
READ = "read"
# Someone else may correct the same memory at the same time; then we look again.
_TRIES = 3


@dataclass(frozen=True, slots=True)
class NewMemories:
    """What is to be kept together: the memories, whom each names, and what ties them."""

    memories: Sequence[Memory]
    named: Mapping[str, tuple[Named, ...]] = field(default_factory=dict)
    # As a function where they hang on what is read: it is called inside the transaction.
    ties: Sequence[Change] | Callable[[], Sequence[Change]] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class KeepTerms:
    """How memories are kept, and what is written in the same transaction."""

    # Whether words that are here already make the known memory stronger instead of a new one.
    collapse: bool = True
    # Whether the store gives each its number in its session.
    count_turns: bool = True
    receipt: IdempotencyKey | None = None
    finishes: Job | None = None
    # Memories that a language model should read later, and those that rules still have to read.
    wishes: Sequence[str] = ()
    unread: Sequence[str] = ()


def keep(
    new: NewMemories, *, mind: Mind, terms: KeepTerms = KeepTerms(), tally: MaskTally | None = None
) -> list[Kept]:
    """Keep memories with their ties and say what became of each; all of them, or none."""
    memories = [as_first_heard(each, mind) for each in new.memories]
    vectors = embedded(memories, mind)
    fresh = [Fresh(each, new.named.get(each.id, ()), vectors.get(each.id)) for each in memories]
    for left in reversed(range(_TRIES)):
        joined = connect(fresh, mind)
        first = memories[0].scope
        batch = Batch(
            owner=first.user,
            changes=[*map(Saved, memories), *joined.changes],
            actor=first.agent or first.user,
            at=mind.now(),
            vectors=vectors,
            identity=mind.embedder.identity if vectors else None,
            # Two secrets leave the same mask: what differs is not there to be compared.
            collapse=terms.collapse and not (tally and (tally.masked or tally.held)),
            count_turns=terms.count_turns,
            wishes=[(FACTS, id) for id in terms.wishes] + [(READ, id) for id in terms.unread],
            finishes=terms.finishes,
        )
        try:
            committed = mind.store.commit(_with_ties(batch, new), terms.receipt, owner=batch.owner)
            break
        except Refused:
            if not left or terms.finishes is not None or not joined.supersedes:
                raise
    if len(vectors) < len(memories):
        mind.store.keep_indexed(mind.embedder, mind.now)
    return [outcome_of(each, committed, bool(vectors), joined, tally, mind) for each in memories]


def _with_ties(batch: Batch, new: NewMemories) -> Batch | Callable[[], Batch]:
    """Put the ties behind the memories that they lead to, now or once the store is held."""
    ties, count = new.ties, len(new.memories)
    saved, joined = batch.changes[:count], batch.changes[count:]
    if callable(ties):
        return lambda: replace(batch, changes=[*saved, *ties(), *joined])
    return replace(batch, changes=[*saved, *ties, *joined])


def as_first_heard(memory: Memory, mind: Mind) -> Memory:
    """Give known words no more trust than they came with, unless a person says them."""
    provenance = memory.provenance
    if provenance.origin in PERSON:
        return memory
    rows = mind.store.memories.same_words(memory.scope.user, memory.canonical_key)
    known = mind.store.memories.by_numbers(memory.scope, rows).values() if rows else ()
    origin = least_trusted(provenance.origin, *(each.provenance.origin for each in known))
    if origin is provenance.origin:
        return memory
    return memory.evolve(provenance=replace(provenance, origin=origin))


def embedded(memories: Sequence[Memory], mind: Mind) -> dict[str, Vector]:
    """Return the vectors of memories if they can be had here and without anybody waiting."""
    if not memories or not mind.embedder.local:
        return {}
    if sum(len(memory.text) for memory in memories) > mind.embedder.at_once:
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


def outcome_of(
    memory: Memory,
    committed: Committed,
    indexed: bool,
    joined: Joined,
    tally: MaskTally | None,
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
        added_tags=committed.tagged.get(known, ()) if known else (),
        supersedes=tuple(joined.supersedes.get(memory.id, ())) if not known else (),
        contradicts=tuple(joined.contradicts.get(memory.id, ())) if not known else (),
        similar_to=tuple(joined.similar_to.get(memory.id, ())) if not known else (),
    )


# -- A memory gains its coordinates: when it happened, what it feels like, what it says

# A text longer than this is a document: its beginning says enough about feeling and kind.
_GLANCE, _MOST_MENTIONS = 4000, 16
# What is left of a text in which the person says nothing themselves.
_UNSPOKEN = "…"
# What is over within the day it was said is no plan; beyond two years a date is a misreading.
_SOON, _FAR = timedelta(hours=24), timedelta(days=731)


@dataclass(frozen=True, slots=True)
class HeardSentence:
    """One sentence, or one short text, with what was read in it."""

    text: str
    emotion: Emotion
    signs: Signs


def hear(text: str, mind: Mind) -> HeardSentence:
    """Read the feeling and the signs of one text."""
    # Speech that is told and what was pasted are nobody's feeling, wish or taste here.
    glance = quotation(text[:_GLANCE], asked_for=True).spoken or _UNSPOKEN
    reading = mind.read(glance)
    emotion = language.feelings(glance, mind.heads if reading else None)
    signs = language.features(
        glance, emotion=emotion, reading=reading, analyser=mind.store.words.analyser()
    )
    return HeardSentence(text, emotion, signs)


def placed_in_time(
    memory: Memory, said_at: datetime, *, fixed: bool, last: Span | None = None
) -> Memory:
    """Resolve time words against the moment they were said; what is unclear stays unknown."""
    found = language.times(memory.text[:_GLANCE], said_at, last)[:_MOST_MENTIONS]
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
    memory: Memory, heard: HeardSentence, mind: Mind, *, kind: Kind | None, voice: str = ""
) -> tuple[Memory, Extracted]:
    """Fill in what nobody said: kind, feeling, ties, keywords, the short form, the language."""
    analyser = mind.store.words.analyser()
    quoting = quotation(memory.text[:_GLANCE], asked_for=True)
    said = language.facts(quoting.text, analyser=analyser, signs=heard.signs, speaker=voice)
    if (spoken := quoting.spoken) != quoting.text.strip():
        own = language.facts(spoken, analyser=analyser, signs=heard.signs, speaker=voice)
        # A wish that is shown must be theirs to the last word.
        kind = Kind.FACT if own.kind is Kind.PREFERENCE else own.kind
        said = replace(said, kind=kind, triples=own.triples)
    elif kind is None and heard.signs.chatter and memory.provenance.origin in PERSON:
        kind = Kind.PREFERENCE if mind.wishes(memory.text) else None
    content = memory.content
    return memory.evolve(
        kind=kind or said.kind,
        emotion=heard.emotion if memory.emotion == Emotion() else memory.emotion,
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
    if not later or comes_back(memory.text):
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
