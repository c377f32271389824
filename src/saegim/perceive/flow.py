"""A moment in, or a turn overheard; a memory out, durable and findable before anyone is told so.

Guard, place, feel, decide, extract, connect, keep. `remember` is a person's wish and always
keeps; `observe` is judged, and says why.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from saegim.memory.changes import Change, Linked
from saegim.memory.coordinate import Time
from saegim.memory.links import DERIVED_FROM, PARENT, Link
from saegim.memory.memory import Memory, checked_text
from saegim.memory.tiers import Tier, expiry
from saegim.memory.weighing import EXPLICIT_START, observed_start
from saegim.mind import Mind
from saegim.perceive.birth import kept_apart, overheard, placed, quarantined, when
from saegim.perceive.decide.decide import Action, Decision
from saegim.perceive.decide.judge import judged, nothing_left
from saegim.perceive.extract.extract import Named
from saegim.perceive.facts import facts_in
from saegim.perceive.guard.echo import without_echo
from saegim.perceive.keep import keep, wanted_of_a_model
from saegim.perceive.masking import Tally, masked
from saegim.perceive.moment import Kept, Moment
from saegim.perceive.place.sentences import parts, sentences
from saegim.perceive.turn import Observed, Turn
from saegim.perceive.understand import Heard, hear, placed_in_time, understood, weighed
from saegim.store.store import Receipt

# A key names one act; a longer one is a text passed in the wrong place.
MAX_KEY = 500


def remember(
    moment: Moment, *, mind: Mind, key: str | None = None, keep_private: bool = False
) -> Kept:
    """Keep what a person asked to keep: word for word, once, at once."""
    receipt_key = None if key is None else checked_text(key, "key", MAX_KEY)
    tally = Tally()
    moment = masked(moment, tally, keep_private=keep_private)
    memory, named = _read(placed(moment, mind), moment, mind)
    if quarantined(memory):
        memory, named = kept_apart(memory), ()
    (kept,) = keep(
        [memory],
        {memory.id: named},
        mind=mind,
        tally=tally,
        # The same words at another time are another event, not the same memory.
        collapse=moment.happened_at is None,
        count_turns=moment.sequence is None,
        receipt=Receipt(receipt_key, memory.id) if receipt_key else None,
        wishes=wanted_of_a_model([memory], mind),
    )
    return kept


def observe(turn: Turn, *, mind: Mind) -> Observed:
    """Judge a turn; keep it word for word if it is worth it, and what it says beside it."""
    heard_again = without_echo(turn.text, lambda keys: _ours(turn, keys, mind))
    tally = Tally()
    turn = masked(replace(turn, text=heard_again.text), tally)
    if not turn.text.strip():
        return Observed(decision=nothing_left(), tally=tally, echoes=heard_again.removed)
    now = mind.now()
    time = when(turn.scope, turn.said_at or now, now, turn.sequence, mind)
    apart = quarantined(overheard(turn, turn.text, time, mind))
    heard = [hear(each, mind) for each in sentences(turn.text)]
    decision = judged(turn, heard, time.sequence or 1, mind)
    mind.recently.note(turn.session, decision.action)
    seen = Observed(decision=decision, tally=tally, echoes=heard_again.removed, quarantined=apart)
    if apart:
        return replace(seen, kept=_kept_apart(turn, time, tally, mind))
    if decision.action is not Action.SAVE:
        return seen
    kept, facts = _kept(turn, heard, decision, time, tally, mind)
    return replace(seen, kept=kept, facts=facts)


def _read(memory: Memory, moment: Moment, mind: Mind) -> tuple[Memory, tuple[Named, ...]]:
    """Read in the words what the person did not say about them."""
    said_at = memory.time.happened_at if moment.happened_at else mind.here(memory.time.happened_at)
    memory = placed_in_time(memory, said_at, fixed=moment.happened_at is not None)
    memory = memory.evolve(time=replace(memory.time, valid_from=moment.valid_from))
    heard = hear(memory.text, mind)
    # "I" is whoever said it; without an author, the person whose memory this is.
    voice = memory.provenance.author
    memory, said = understood(memory, heard, mind, kind=moment.kind, voice=voice)
    if moment.importance is None:
        memory = weighed(memory, EXPLICIT_START)
    return memory, said.named


def _ours(turn: Turn, keys: Sequence[str], mind: Mind) -> set[str]:
    """Return which lines we have said before; a person who repeats himself means it."""
    return set() if turn.role == "user" else mind.store.known_keys(turn.scope, keys)


def _kept_apart(turn: Turn, time: Time, tally: Tally, mind: Mind) -> tuple[Kept, ...]:
    """Keep what reads like an order from a stranger where recall does not look."""
    texts = parts(turn.text, mind.settings.turn_limit)
    memories = [kept_apart(overheard(turn, each, time, mind)) for each in texts]
    return tuple(keep(memories, {}, mind=mind, tally=tally, count_turns=turn.sequence is None))


def _kept(
    turn: Turn,
    heard: Sequence[Heard],
    decision: Decision,
    time: Time,
    tally: Tally,
    mind: Mind,
) -> tuple[tuple[Kept, ...], tuple[Kept, ...]]:
    """Keep the turn word for word, long ones in parts, and the facts its sentences state."""
    said_at = mind.here(mind.now()) if turn.said_at is None else turn.said_at
    wish = any(each.signs.wish for each in heard)
    start = EXPLICIT_START if wish else observed_start(decision.salience)
    memories, named = [], {}
    for text in parts(turn.text, mind.settings.turn_limit):
        memory = placed_in_time(overheard(turn, text, time, mind), said_at, fixed=False)
        one = heard[0] if len(heard) == 1 else hear(text, mind)
        memory, said = understood(memory, one, mind, kind=None, voice=turn.voice)
        if len(heard) > 1:
            # Each sentence states its own; what one of them says must be able to end alone.
            memory = memory.evolve(content=replace(memory.content, triples=()))
        memories.append(_born(weighed(memory, start), wish))
        named[memory.id] = said.named
    facts, named_in_facts = facts_in(turn, heard, memories, said_at, mind)
    facts = [_born(weighed(each, start), wish) for each in facts]
    ties: list[Change] = [
        Linked(Link(source=each.id, type=PARENT, target=memories[0].id)) for each in memories[1:]
    ]
    ties += [
        Linked(Link(source=each.id, type=DERIVED_FROM, target=each.provenance.turn))
        for each in facts
    ]
    kept = keep(
        [*memories, *facts],
        {**named, **named_in_facts},
        mind=mind,
        ties=ties,
        tally=tally,
        collapse=turn.said_at is None,
        count_turns=turn.sequence is None,
        wishes=wanted_of_a_model(memories, mind),
    )
    return tuple(kept[: len(memories)]), tuple(kept[len(memories) :])


def _born(memory: Memory, wish: bool) -> Memory:
    """Overheard, it starts in M30; "remember this" puts it into M90 (seed D §3)."""
    if not wish:
        return memory
    life = replace(memory.life, tier=Tier.M90, expires_at=expiry(Tier.M90, memory.time.recorded_at))
    return memory.evolve(life=life)
