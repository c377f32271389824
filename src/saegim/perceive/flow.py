"""A moment in, or a turn overheard; a memory out, durable and findable before anyone is told so.

Guard, place, feel, decide, extract, connect, keep. `remember` is a person's wish and always
keeps; `observe` is judged, and says why.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from saegim.errors import BadInput, NotFound
from saegim.guard.echo import without_echo
from saegim.guard.guard import MaskTally, masked
from saegim.language.claims import Named
from saegim.memory.changes import Linked, Saved
from saegim.memory.entities import PARENT, RELATED, Link
from saegim.memory.memory import (
    EXPLICIT_START,
    PERSON,
    Kind,
    Lifetime,
    Memory,
    Scope,
    Source,
    Space,
    checked_text,
)
from saegim.mind import Mind
from saegim.perceive.build import (
    FACTS,
    Joined,
    KeepTerms,
    NewMemories,
    as_first_heard,
    hear,
    keep,
    kept_apart,
    kept_for,
    last_day_ahead,
    living_for,
    no_lifetimes,
    outcome_of,
    overheard,
    placed,
    placed_in_time,
    quarantined,
    understood,
    wanted_of_a_model,
    weighed,
    when,
)
from saegim.perceive.decide_turn import PERSONS, lifetime_of, whose_of
from saegim.perceive.keep_turn import alone, aside, at_both_ends, verbatim
from saegim.perceive.learned import judge_for, note_decision
from saegim.perceive.moment import Kept, Moment
from saegim.perceive.quoted import as_quoted, divided, strangers, unspoken
from saegim.perceive.turn import Observed, Turn
from saegim.perceive.turn_context import heard_before, judged, nothing_left
from saegim.store.commit import Batch, IdempotencyKey

# The work of reading what was kept without waiting; in the second the kind was told, and stays.
UNDERSTAND, AS_TOLD = "understand", "understand:kind"
# A day or a deed that is so little of the project's is the person's, whatever folder they stand in.
_SURELY_A_PERSONS = 0.1
# A key names one act; a longer one is a text passed in the wrong place.
MAX_KEY = 500


def remember(
    moment: Moment,
    *,
    mind: Mind,
    key: str | None = None,
    keep_private: bool = False,
    wait: bool = True,
) -> Kept:
    """Keep what a person asked to keep: word for word, once, at once.

    Without `wait`, it is durable and found by its words when this returns; what it says is read
    behind it (`understand_later.py`). Secrets and what belongs apart are never left for later.
    """
    receipt_key = None if key is None else _receipt_of(checked_text(key, "key", MAX_KEY))
    tally = MaskTally()
    related = _belongs_with(moment, receipt_key, mind)
    # An id is no word of anybody's: its digits are not a number to be masked.
    moment = _of_its_owner(replace(moment, related=(), parent=None), mind)
    moment = as_quoted(masked(moment, tally, keep_private=keep_private))
    memory, said_at = _in_time(placed(moment, mind), moment, mind)
    named: tuple[Named, ...] = ()
    apart = quarantined(memory)
    waits = wait or bool(apart) or _is_told_much(moment)
    if waits:
        memory, named = _read(memory, moment, said_at, mind)
    if apart:
        memory, named = kept_apart(memory), ()
    ties = [Linked(Link(source=memory.id, type=type, target=id)) for type, id in related]
    terms = KeepTerms(
        # The same words at another time are another event, not the same memory.
        collapse=moment.happened_at is None,
        count_turns=moment.sequence is None,
        receipt=IdempotencyKey(receipt_key, memory.id) if receipt_key else None,
        wishes=wanted_of_a_model([memory], mind),
    )
    if not waits:
        return keep_unread(memory, ties, terms, mind, tally, told_kind=moment.kind is not None)
    new = NewMemories([memory], {memory.id: named}, ties)
    (kept,) = keep(new, mind=mind, terms=terms, tally=tally)
    return kept


def observe(turn: Turn, *, mind: Mind) -> Observed:
    """Judge a turn; keep it word for word if it is worth it, and what it says beside it.

    A turn with a key is judged once, however often it is told: what is kept of it and the receipt
    for its key are written together.
    """
    once = turn.receipt
    if once is None:
        return _noted(turn, _judged(turn, mind), mind)
    if mind.store.carried_out(turn.scope, once.key) is not None:
        return Observed(decision=heard_before())
    seen = _judged(turn, mind)
    if any(each.status == "repeated" for each in (*seen.kept, *seen.quoted)):
        # Another process was quicker.
        return Observed(decision=heard_before())
    if not seen.kept and not seen.quoted:
        actor = turn.scope.agent or turn.scope.user
        batch = Batch(owner=turn.scope.user, changes=[], actor=actor, at=mind.now())
        mind.store.commit(batch, receipt=once)
    return _noted(turn, seen, mind)


def _noted(turn: Turn, seen: Observed, mind: Mind) -> Observed:
    """Note what was decided, behind the answer."""
    note_decision(turn, seen, mind)
    return seen


def _judged(turn: Turn, mind: Mind) -> Observed:
    """Judge a turn that was not told before, and keep what is worth it."""
    parent = _there(turn.parent, turn.scope, mind) if turn.parent else None
    heard_again = without_echo(turn.text, lambda keys: _ours(turn, keys, mind))
    now, tally = mind.now(), MaskTally()
    # A secret is told in halves, too, or as the answer to a question.
    before = mind.recently.said(turn.session, now) if turn.role == "user" else ""
    text = masked(heard_again.text, tally, before=before)
    turn = replace(masked(replace(turn, text="", parent=None), tally), text=text)
    mind.recently.note_said(turn.session, text, now)
    if not turn.text.strip():
        return Observed(decision=nothing_left(), tally=tally, echoes=heard_again.removed)
    time = when(turn.scope, turn.said_at or now, now, turn.sequence, mind)
    apart = quarantined(overheard(turn, turn.text, time, mind))
    said = divided(turn)
    whole, turn = turn, said.own
    near = at_both_ends(said.sentences, mind.settings.read_at_once)
    heard = [hear(each, mind) for each in near]
    beside = unspoken(said, heard)
    # What is held back or kept apart is no policy's matter.
    judge_by = None if apart or tally.held else judge_for(turn, mind)
    decision = beside or judged(turn, heard, time.sequence or 1, mind, judge_by=judge_by)
    if len(near) < len(said.sentences) and not decision.keeps:
        # What is let pass is not there to be read later: it is judged to its end.
        near = list(said.sentences)
        heard = [hear(each, mind) for each in near]
        beside = unspoken(said, heard)
        decision = beside or judged(turn, heard, time.sequence or 1, mind, judge_by=judge_by)
    mind.recently.note(turn.session, (now, decision.action, decision.why))
    seen = Observed(
        decision=decision,
        tally=tally,
        echoes=heard_again.removed,
        quarantined=apart,
        heard=turn.text,
    )
    if apart:
        return replace(seen, kept=aside(whole, time, tally, mind))
    others = said.others
    if decision.pasted and decision.keeps and not others:
        # The reader sees a paste where no mark does: nothing in it is surely the person's own.
        others, beside = ((turn.text, True),), decision
    quoted = list(strangers(turn, others, decision, time, mind))
    suspect = next((why for each in quoted if (why := quarantined(each))), "")
    seen = replace(seen, suspect=suspect)
    if beside or not decision.keeps:
        return replace(seen, quoted=alone(turn, quoted, tally, mind))
    turn = replace(turn, parent=parent)
    if decision.whose == PERSONS:
        turn = replace(turn, **at_home(turn.scope, turn.space))
    late = len(near) < len(said.sentences)
    kept, facts, theirs, unread = verbatim(
        turn, heard, decision, time, tally, mind, quoted, late=late
    )
    return replace(seen, kept=kept, facts=facts, quoted=theirs, unread=unread)


def keep_unread(
    memory: Memory,
    ties: Sequence[Linked],
    terms: KeepTerms,
    mind: Mind,
    tally: MaskTally,
    *,
    told_kind: bool,
) -> Kept:
    """Make the words durable and findable now, and write down that they are still to be read."""
    memory = as_first_heard(memory, mind)
    wishes = [(FACTS, id) for id in terms.wishes]
    batch = Batch(
        owner=memory.scope.user,
        changes=[Saved(memory), *ties],
        actor=memory.scope.agent or memory.scope.user,
        at=mind.now(),
        collapse=terms.collapse and not tally.masked and not tally.held,
        count_turns=terms.count_turns,
        wishes=[*wishes, (AS_TOLD if told_kind else UNDERSTAND, memory.id)],
    )
    committed = mind.store.commit(batch, receipt=terms.receipt)
    kept = outcome_of(memory, committed, False, Joined(), tally, mind)
    return replace(kept, understood="pending") if kept.status == "stored" else kept


def read_words(memory: Memory, kind: Kind | None, mind: Mind) -> tuple[Memory, tuple[Named, ...]]:
    """Read what a memory says; return it with that, and whom it names."""
    heard = hear(memory.text, mind)
    # "I" is whoever said it; without an author, the person whose memory this is.
    voice = memory.provenance.author
    memory, said = understood(memory, heard, mind, kind=kind, voice=voice)
    return memory, said.named


def asked_lifetime(memory: Memory, mind: Mind) -> Lifetime:
    """Return what it is kept for: what a person asks to keep lasts; of the rest the words decide.

    What only came by in a conversation was not asked for, though a person said it.
    """
    said_by, came_by = memory.provenance.origin, memory.provenance.source
    if said_by in PERSON and came_by is Source.USER:
        return Lifetime.LASTING
    reading = mind.read_turn(memory.text, whole=False)
    return Lifetime.LASTING if reading is None else lifetime_of(reading)


def _in_time(memory: Memory, moment: Moment, mind: Mind) -> tuple[Memory, datetime]:
    """Read the times in the words, which tell two events of the same words apart."""
    said_at = memory.time.happened_at if moment.happened_at else mind.here(memory.time.happened_at)
    memory = placed_in_time(memory, said_at, fixed=moment.happened_at is not None)
    return memory.evolve(time=replace(memory.time, valid_from=moment.valid_from)), said_at


def _is_told_much(moment: Moment) -> bool:
    """Say whether so much was told of a moment that it is read at once, beside what was told."""
    return any(each is not None for each in (moment.importance, moment.lifetime, moment.last_date))


def _read(
    memory: Memory, moment: Moment, said_at: datetime, mind: Mind
) -> tuple[Memory, tuple[Named, ...]]:
    """Read in the words what the person did not say about them."""
    memory, named = read_words(memory, moment.kind, mind)
    if moment.importance is None:
        memory = weighed(memory, EXPLICIT_START)
    if moment.lifetime is not None or moment.last_date is not None:
        return _kept_as_told(memory, moment, said_at, mind), named
    return kept_for(memory, asked_lifetime(memory, mind), said_at, mind), named


def _of_its_owner(moment: Moment, mind: Mind) -> Moment:
    """Let what is about the person belong to the person, unless the caller named the project.

    What was put into a project on purpose leaves it only where the words say plainly that they
    are about the person, or tell what they do and nothing technical; what is overheard there goes
    by the reader alone.
    """
    if not moment.scope.project or moment.project_named or mind.settings.capture == "seed":
        return moment
    reading, signs = mind.read_turn(moment.text, whole=False), hear(moment.text, mind).signs
    if reading is not None and signs.personal and whose_of(reading) != PERSONS:
        # "저는 서버 개발자예요": the quick reader hears the server, the other one who says it.
        reading = mind.read_turn(moment.text)
    if reading is None or whose_of(reading) != PERSONS:
        return moment
    lived = (signs.plan or signs.experience) and not signs.technical
    if signs.personal or signs.preference or (lived and reading.project < _SURELY_A_PERSONS):
        return replace(moment, **at_home(moment.scope, moment.space))
    return moment


def at_home(scope: Scope, space: Space) -> dict[str, Any]:
    """Return the scope and the space of what is found in every project; where it was said stays."""
    return {
        "scope": replace(scope, project=""),
        "space": replace(space, project=scope.project) if scope.project else space,
    }


def _kept_as_told(memory: Memory, moment: Moment, said_at: datetime, mind: Mind) -> Memory:
    """Give a memory the lifetime that was asked for, with the last day of it where it has one."""
    if not mind.settings.is_gentle:
        raise no_lifetimes()
    lifetime = moment.lifetime or Lifetime.UNTIL
    if lifetime is not Lifetime.UNTIL:
        return living_for(memory, lifetime, None)
    given = moment.last_date
    last_date = last_day_ahead(memory, said_at) if given is None else mind.end_of(given)
    if last_date is None:
        raise BadInput("perceive.nothing_says_until_which_day")
    return living_for(memory, lifetime, last_date)


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
    now = mind.store.memories.current(scope, id)
    memory = mind.store.memories.get(scope, now)
    if memory is None or not memory.text:
        raise NotFound("perceive.no_memory", id=id)
    return now


def _receipt_of(key: str) -> str:
    """Return the name of the receipt for a caller's key: no name of ours, and no word of theirs."""
    return f"key:{hashlib.sha256(key.encode('utf-8', 'replace')).hexdigest()}"


def _ours(turn: Turn, keys: Sequence[str], mind: Mind) -> set[str]:
    """Return which lines we have said before; a person who repeats himself means it."""
    return set() if turn.role == "user" else mind.store.memories.known_keys(turn.scope, keys)
