"""A moment in, or a turn overheard; a memory out, durable and findable before anyone is told so.

Guard, place, feel, decide, extract, connect, keep. `remember` is a person's wish and always
keeps; `observe` is judged, and says why.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace

from saegim.errors import NotFound
from saegim.memory.changes import Linked
from saegim.memory.coordinate import PERSON
from saegim.memory.links import PARENT, RELATED, Link
from saegim.memory.memory import Memory, checked_text
from saegim.memory.scope import Scope
from saegim.memory.tiers import Lifetime
from saegim.memory.weighing import EXPLICIT_START
from saegim.mind import Mind
from saegim.perceive.birth import kept_apart, overheard, placed, quarantined, when
from saegim.perceive.decide.decide import lifetime_of
from saegim.perceive.decide.judge import judged, nothing_left
from saegim.perceive.extract.extract import Named
from saegim.perceive.guard.echo import without_echo
from saegim.perceive.keep import keep, wanted_of_a_model
from saegim.perceive.masking import Tally, masked
from saegim.perceive.moment import Kept, Moment
from saegim.perceive.place.sentences import sentences
from saegim.perceive.turn import Observed, Turn
from saegim.perceive.understand import hear, kept_for, placed_in_time, understood, weighed
from saegim.perceive.verbatim import aside, verbatim
from saegim.store.store import Receipt

# A key names one act; a longer one is a text passed in the wrong place.
MAX_KEY = 500


def remember(
    moment: Moment, *, mind: Mind, key: str | None = None, keep_private: bool = False
) -> Kept:
    """Keep what a person asked to keep: word for word, once, at once."""
    receipt_key = None if key is None else _receipt_of(checked_text(key, "key", MAX_KEY))
    tally = Tally()
    related = _belongs_with(moment, receipt_key, mind)
    # An id is no word of anybody's: its digits are not a number to be masked.
    bare = replace(moment, related=(), parent=None)
    moment = masked(bare, tally, keep_private=keep_private)
    memory, named = _read(placed(moment, mind), moment, mind)
    if quarantined(memory):
        memory, named = kept_apart(memory), ()
    (kept,) = keep(
        [memory],
        {memory.id: named},
        mind=mind,
        ties=[Linked(Link(source=memory.id, type=type, target=id)) for type, id in related],
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
    parent = _there(turn.parent, turn.scope, mind) if turn.parent else None
    heard_again = without_echo(turn.text, lambda keys: _ours(turn, keys, mind))
    tally = Tally()
    turn = masked(replace(turn, text=heard_again.text, parent=None), tally)
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
        return replace(seen, kept=aside(turn, time, tally, mind))
    if not decision.keeps:
        return seen
    turn = replace(turn, parent=parent)
    kept, facts = verbatim(turn, heard, decision, time, tally, mind)
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
    return kept_for(memory, _lifetime(moment, mind), said_at, mind), said.named


def _lifetime(moment: Moment, mind: Mind) -> Lifetime:
    """Return what it is kept for: what a person asks to keep lasts, unless they say otherwise."""
    if moment.lifetime is not None:
        return moment.lifetime
    reading = None
    if moment.provenance.origin not in PERSON:
        reading = mind.read_turn(moment.text)
    return Lifetime.LASTING if reading is None else lifetime_of(reading)


def _belongs_with(moment: Moment, key: str | None, mind: Mind) -> list[tuple[str, str]]:
    """Return the type and end of each tie that was asked for; refuse ends that are not there."""
    asked = [(RELATED, id) for id in moment.related]
    asked += [(PARENT, moment.parent)] if moment.parent else []
    if asked and key and mind.store.carried_out(moment.scope, key):
        # It is not done again, so it may name what is gone since.
        return []
    found = [(type, _there(id, moment.scope, mind)) for type, id in asked]
    return list(dict.fromkeys(found))


def _there(id: str, scope: Scope, mind: Mind) -> str:
    """Return the id that holds now for a memory that something is to be tied to."""
    now = mind.store.current(scope, id)
    memory = mind.store.memory(scope, now)
    if memory is None or not memory.text:
        raise NotFound(
            f"There is no memory {id}.",
            next_step="`saegim recent` lists what there is; nothing was kept.",
        )
    return now


def _receipt_of(key: str) -> str:
    """Return the name of the receipt for a caller's key: no name of ours, and no word of theirs."""
    return f"key:{hashlib.sha256(key.encode('utf-8', 'replace')).hexdigest()}"


def _ours(turn: Turn, keys: Sequence[str], mind: Mind) -> set[str]:
    """Return which lines we have said before; a person who repeats himself means it."""
    return set() if turn.role == "user" else mind.store.known_keys(turn.scope, keys)
