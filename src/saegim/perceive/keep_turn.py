"""Keep a turn word for word with the facts it states; derive facts again from kept texts."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import accumulate

from saegim.errors import Refused
from saegim.guard.guard import MaskTally
from saegim.language.claims import Named
from saegim.language.names import confirmed
from saegim.language.words import parts, sentences
from saegim.memory.changes import Change, Linked, Retold
from saegim.memory.entities import DERIVED_FROM, PARENT, Link
from saegim.memory.memory import (
    EXPLICIT_START,
    Memory,
    Scope,
    Source,
    State,
    Tier,
    Time,
    expiry,
    observed_start,
)
from saegim.mind import Mind
from saegim.perceive.build import (
    FACTS,
    READ,
    Fresh,
    HeardSentence,
    KeepTerms,
    NewMemories,
    hear,
    keep,
    kept_apart,
    kept_for,
    met,
    overheard,
    understood,
    wanted_of_a_model,
    weighed,
)
from saegim.perceive.decide_turn import USER, Decision
from saegim.perceive.moment import Kept
from saegim.perceive.turn import Turn
from saegim.perceive.turn_context import judged, placed_in_talk
from saegim.store.commit import Batch
from saegim.store.rows import Where
from saegim.store.tables.job_table import Job

# Attack 76 of the fault catalogue: no text, however long, becomes more facts than this.
MOST_FACTS = 20


def facts_in(
    turn: Turn,
    heard: Sequence[HeardSentence],
    memories: Sequence[Memory],
    said_at: datetime,
    mind: Mind,
) -> tuple[list[Memory], dict[str, tuple[Named, ...]]]:
    """Return the facts of a turn of several sentences; a single sentence is its own fact."""
    facts: list[Memory] = []
    named: dict[str, tuple[Named, ...]] = {}
    if len(heard) < 2:
        return facts, named
    for each in heard:
        if len(facts) >= MOST_FACTS:
            break
        made = fact(turn, each, _holding(each.text, memories), said_at, mind)
        if made is not None:
            facts.append(made[0])
            named[made[0].id] = made[1]
    return facts, named


def fact(
    turn: Turn, heard: HeardSentence, source: Memory, said_at: datetime, mind: Mind
) -> tuple[Memory, tuple[Named, ...]] | None:
    """Return the fact that one sentence states, in its own words, if it states one."""
    # No session: it is no turn of the conversation, it was said in one.
    time = Time(happened_at=said_at, recorded_at=mind.now())
    memory = overheard(turn, heard.text, time, mind)
    memory, said = understood(memory, heard, mind, kind=None, voice=turn.voice)
    if not said.triples:
        return None
    before = source.text.partition(heard.text)[0]
    memory = placed_in_talk(memory, said_at, mind, before=before)
    return memory.evolve(
        scope=replace(memory.scope, session=""),
        provenance=replace(memory.provenance, source=Source.OBSERVATION, turn=source.id),
    ), _named(said.named, heard.text, turn, mind)


def _holding(sentence: str, memories: Sequence[Memory]) -> Memory:
    """Return the part of the turn in which a sentence stands."""
    return next((each for each in memories if sentence in each.text), memories[0])


# -- Facts read anew from the texts that are kept: what was derived can be derived again

# A fact in one of these states is there; one that was let go is derived again on request.
_THERE = (State.ACTIVE, State.DORMANT, State.SUPERSEDED, State.QUARANTINED)


def derive_again(scope: Scope, mind: Mind) -> Iterator[tuple[Memory, int]]:
    """Read every overheard turn again; yield it with how many facts it was missing."""
    turns = Where(scope=scope, everywhere=True)
    for _, memory in mind.store.memories.walk(turns):
        if memory.provenance.source is Source.CONVERSATION and not memory.provenance.turn:
            yield memory, _missing(memory, mind)


def _turn_of(memory: Memory) -> tuple[Turn, datetime]:
    """Return a kept turn as it was heard, and when it was said."""
    said_at = memory.time.said_at or memory.time.happened_at
    turn = Turn(
        scope=memory.scope,
        text=memory.text,
        role=memory.agent.role or "user",
        speaker=memory.provenance.author,
        addressee=memory.provenance.addressee,
        said_at=said_at,
        origin=memory.provenance.origin,
        source=memory.provenance.source,
        space=memory.space,
    )
    return turn, said_at


def _lacking(memory: Memory, mind: Mind) -> tuple[list[Memory], dict[str, tuple[Named, ...]]]:
    """Read a kept turn; return the facts that it states and does not have."""
    turn, said_at = _turn_of(memory)
    heard = [hear(each, mind) for each in sentences(memory.text)]
    facts, named = facts_in(turn, heard, [memory], said_at, mind)
    there = _there(memory, mind)
    start = observed_start(judged(turn, heard, memory.time.sequence or 1, mind).salience)
    return [weighed(each, start) for each in facts if each.canonical_key not in there], named


def _derived(facts: Sequence[Memory], memory: Memory) -> list[Change]:
    return [Linked(Link(source=each.id, type=DERIVED_FROM, target=memory.id)) for each in facts]


def _missing(memory: Memory, mind: Mind) -> int:
    missing, named = _lacking(memory, mind)
    if missing:
        ties = _derived(missing, memory)
        terms = KeepTerms(collapse=False, count_turns=False)
        keep(NewMemories(missing, named, ties), mind=mind, terms=terms)
    if wishes := wanted_of_a_model([memory], mind):
        asked = [(FACTS, id) for id in wishes]
        actor = memory.scope.agent or memory.scope.user
        mind.store.commit(Batch(memory.scope.user, [], actor, mind.now(), wishes=asked))
    return len(missing)


def _there(memory: Memory, mind: Mind) -> set[str]:
    """Return the keys of the facts that this memory already has."""
    links = mind.store.links.of(memory.scope, [memory.id], [DERIVED_FROM])
    found = (mind.store.memories.get(memory.scope, each.source) for each in links)
    return {each.canonical_key for each in found if each and each.life.state in _THERE}


# -- A turn kept word for word: in parts where it is long, with the facts its sentences state


def aside(turn: Turn, time: Time, tally: MaskTally, mind: Mind) -> tuple[Kept, ...]:
    """Keep what reads like an order from a stranger where recall does not look."""
    texts = parts(turn.text, mind.settings.turn_limit)
    memories = [kept_apart(overheard(turn, each, time, mind)) for each in texts]
    terms = KeepTerms(count_turns=turn.sequence is None, receipt=turn.receipt)
    return tuple(keep(NewMemories(memories), mind=mind, terms=terms, tally=tally))


def alone(turn: Turn, quoted: Sequence[Memory], tally: MaskTally, mind: Mind) -> tuple[Kept, ...]:
    """Keep what a turn only quotes where nothing of the person's own is kept of it."""
    if not quoted:
        return ()
    terms = KeepTerms(
        collapse=turn.says_again, count_turns=turn.sequence is None, receipt=turn.receipt
    )
    return tuple(keep(NewMemories(quoted), mind=mind, terms=terms, tally=tally))


def verbatim(
    turn: Turn,
    heard: Sequence[HeardSentence],
    decision: Decision,
    time: Time,
    tally: MaskTally,
    mind: Mind,
    quoted: Sequence[Memory] = (),
    *,
    late: bool = False,
) -> tuple[tuple[Kept, ...], tuple[Kept, ...], tuple[Kept, ...], int]:
    """Keep the turn word for word, long ones in parts, and the facts its sentences state.

    What it only quotes is kept with it in one act, and hangs on its first part. With `late`, only
    the beginning is read; return also how many parts are left to be read.
    """
    said_at = mind.here(mind.now()) if turn.said_at is None else turn.said_at
    wish = "wish" in decision.why
    start = EXPLICIT_START if wish else observed_start(decision.salience)
    memories: list[Memory] = []
    named: dict[str, tuple[Named, ...]] = {}
    unread: list[str] = []
    letters = 0
    for text in parts(turn.text, mind.settings.turn_limit):
        memory = placed_in_talk(overheard(turn, text, time, mind), said_at, mind)
        letters += len(text)
        if late and memories and letters > mind.settings.read_at_once:
            unread.append(memory.id)
            # Of one turn, so of one language; the night takes what has none for never read.
            spoken = memories[0].content.language
            memory = memory.evolve(content=replace(memory.content, language=spoken))
        else:
            memory, named[memory.id] = _understood(memory, heard, turn, mind)
        memory = _born(weighed(memory, start), wish)
        memories.append(kept_for(memory, decision.lifetime, said_at, mind))
    facts, named_in_facts = facts_in(turn, heard, memories, said_at, mind)
    facts = [_born(weighed(each, start), wish) for each in facts]
    facts = [kept_for(each, decision.lifetime, said_at, mind) for each in facts]
    ties: list[Change] = [
        Linked(Link(source=each.id, type=PARENT, target=memories[0].id))
        for each in (*memories[1:], *quoted)
        if each.life.state is State.ACTIVE
    ]
    if turn.parent is not None:
        ties.append(Linked(Link(source=memories[0].id, type=PARENT, target=turn.parent)))
    ties += [
        Linked(Link(source=each.id, type=DERIVED_FROM, target=each.provenance.turn))
        for each in facts
    ]
    terms = KeepTerms(
        collapse=turn.says_again,
        count_turns=turn.sequence is None,
        receipt=turn.receipt,
        wishes=wanted_of_a_model(memories, mind),
        unread=unread,
    )
    new = NewMemories([*memories, *facts, *quoted], {**named, **named_in_facts}, ties)
    kept = tuple(keep(new, mind=mind, terms=terms, tally=tally))
    first, last = len(memories), len(memories) + len(facts)
    return kept[:first], kept[first:last], kept[last:], len(unread)


def at_both_ends(said: Sequence[str], most: int) -> list[str]:
    """Return the sentences that are read at once: the beginning, and the end, where one asks."""
    if sum(map(len, said)) <= most:
        return list(said)
    first = _within(said, most * 3 // 4)
    last = _within(said[:first:-1], most // 4)
    return [*said[:first], *said[len(said) - last :]]


def _within(said: Sequence[str], most: int) -> int:
    """Count the sentences that fit, at least one."""
    lengths = accumulate(map(len, said))
    return max(1, sum(length <= most for length in lengths))


# -- The rest of a long turn, read after it was kept: one leased job for each part, done once

# A part over which processes died so often is left as it is; its words can be found.
_MOST_TRIES = 5


def read_rest(mind: Mind) -> Iterator[int]:
    """Read what long turns left unread, part by part; stop anywhere, and the rest waits."""
    while job := mind.store.jobs.take(mind.now(), (READ,)):
        yield _read_part(job, mind)


def _read_part(job: Job, mind: Mind) -> int:
    """Read one part and finish its work in the same transaction; return how many facts it had."""
    memory = mind.store.memories.get(job.scope, job.subject)
    if memory is None or not memory.text or memory.life.state is not State.ACTIVE:
        mind.store.jobs.finish(job)
        return 0
    if job.attempts > _MOST_TRIES:
        mind.store.jobs.park(job, "it was begun too often and never ended")
        return 0
    facts, named = _lacking(memory, mind)
    facts = facts[: max(0, MOST_FACTS - _known_facts(memory, mind))]
    _, said_at = _turn_of(memory)
    facts = [kept_for(each, memory.life.lifetime, said_at, mind) for each in facts]
    whole, said = understood(memory, hear(memory.text, mind), mind, kind=None)
    changes: list[Change] = [Retold(memory.id, whole.content.brief, ())]
    changes += [*met(Fresh(whole, said.named), mind), *_derived(facts, memory)]
    try:
        if facts:
            terms = KeepTerms(count_turns=False, finishes=job)
            keep(NewMemories(facts, named, changes), mind=mind, terms=terms)
        else:
            actor = memory.scope.agent or memory.scope.user
            batch = Batch(memory.scope.user, changes, actor, mind.now(), finishes=job)
            mind.store.commit(batch)
    except Refused:
        # Another process took the work over, or corrected the same memory: theirs holds.
        return 0
    return len(facts)


def _known_facts(memory: Memory, mind: Mind) -> int:
    """Count the facts of the whole turn that a part belongs to."""
    links = mind.store.links
    up = links.of(memory.scope, [memory.id], [PARENT])
    first = next((each.target for each in up if each.source == memory.id), memory.id)
    others = (each.source for each in links.of(memory.scope, [first], [PARENT]))
    turn = {first, memory.id, *others}
    found = links.of(memory.scope, turn, [DERIVED_FROM])
    return len({each.source for each in found if each.target in turn})


def _understood(
    memory: Memory, heard: Sequence[HeardSentence], turn: Turn, mind: Mind
) -> tuple[Memory, tuple[Named, ...]]:
    """Read one part of a turn; of several sentences each states its own, and can end alone."""
    whole = heard[0] if len(heard) == 1 else hear(memory.text, mind)
    memory, said = understood(memory, whole, mind, kind=None, voice=turn.voice)
    if len(heard) > 1:
        memory = memory.evolve(content=replace(memory.content, triples=()))
    return memory, _named(said.named, memory.text, turn, mind)


def _named(by_rule: tuple[Named, ...], text: str, turn: Turn, mind: Mind) -> tuple[Named, ...]:
    """Return who is named in a part of a turn: the reader reads the turn, once."""
    if turn.role != USER or (read := mind.names_in(turn.text)) is None:
        return by_rule
    plain = unicodedata.normalize("NFC", text)
    return confirmed(by_rule, [each for each in read if each[0] in plain], plain)


def _born(memory: Memory, wish: bool) -> Memory:
    """Overheard, it starts in M30; "remember this" puts it into M90 (seed D §3)."""
    if not wish:
        return memory
    life = replace(memory.life, tier=Tier.M90, expires_at=expiry(Tier.M90, memory.time.recorded_at))
    return memory.evolve(life=life)
