"""What a person only quotes: cut out of the turn and kept as a stranger's words, or apart."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from saegim.guard.injection import suspicion
from saegim.language.quoting import Quotation, quotation
from saegim.language.words import parts
from saegim.memory.memory import (
    QUOTED,
    Emotion,
    Kind,
    Lifetime,
    Memory,
    Origin,
    Source,
    Time,
    least_trusted,
    observed_start,
)
from saegim.mind import Mind
from saegim.perceive.build import (
    HeardSentence,
    hear,
    kept_apart,
    kept_for,
    overheard,
    placed_in_time,
    quarantined,
    understood,
    weighed,
)
from saegim.perceive.decide_turn import USER, Action, Decision, TurnFeatures, lifetime_of
from saegim.perceive.moment import Moment
from saegim.perceive.turn import Turn

# Nothing says where quoted words came from, so they are trusted as the least of all are.
NOBODY_KNOWN: Final = Origin.WEB
# Fewer letters beside a pasted text are a label of it, or the bare wish to keep it, and no
# statement of the person's.
_LABEL, _BARE_WISH = 12, 24
_HANGUL: Final = re.compile("[가-힣]")
# Reasons for which nothing of a turn is kept, whoever said it.
_UNWANTED: Final = frozenset(("refusal", "forget"))


@dataclass(frozen=True, slots=True)
class Divided:
    """A turn with the person's own words alone, and what they only quoted in it."""

    own: Turn
    sentences: tuple[str, ...]
    # Each with whether something in it says whose it is.
    others: tuple[tuple[str, bool], ...] = ()
    only_works: bool = False


def divided(turn: Turn) -> Divided:
    """Divide a person's turn; what anyone else says is taken as it is."""
    if turn.role != USER:
        return Divided(turn, tuple(Quotation(turn.text).sentences))
    said = quotation(turn.text)
    # Told or not, what reads like an order does not stand among the person's own words.
    orders = [place for place in said.reported if suspicion(turn.text[slice(*place)])]
    said = replace(said, pasted=tuple(sorted((*said.pasted, *orders))))
    own = quotation(said.own, asked_for=True)
    others = tuple(
        (text, place not in said.nobodys)
        for text, place in zip(said.others, said.pasted, strict=True)
    )
    own_turn = replace(turn, text=said.own)
    return Divided(own_turn, tuple(own.sentences), others, said.only_works and bool(others))


def unspoken(said: Divided, heard: Sequence[HeardSentence]) -> Decision | None:
    """Decide about a turn in which the person says nothing of their own beside a quotation.

    They ask for work on it, or to keep it, or say nothing at all.
    """
    signs = [each.signs for each in heard]
    wishes = any(each.wish for each in signs) and not any(each.refusal for each in signs)
    if not said.others:
        return None
    if wishes and _weight(said.own.text) < _BARE_WISH:
        action, why = Action.SAVE, "wish"
    elif not heard or said.only_works:
        action, why = Action.SKIP, "chatter" if heard else "pasted"
    else:
        return None
    return Decision(action=action, phase=1, salience=0.0, why=(why,), state=TurnFeatures())


def _weight(own: str) -> int:
    """Return how much a person says, in letters; a Korean one says as much as two others."""
    return sum(map(str.isalnum, own)) + len(_HANGUL.findall(own))


def strangers(
    turn: Turn, texts: Sequence[tuple[str, bool]], decision: Decision, time: Time, mind: Mind
) -> Iterator[Memory]:
    """Yield what is worth keeping of quoted texts: a stranger's, about nobody, wishing nothing.

    What the person asks to keep is kept whatever it is, and what they ask not to keep is not; of
    the rest, what bears a sign of whose it is. What reads like an order is kept apart.
    """
    if not _UNWANTED.isdisjoint(decision.why):
        return
    origin = least_trusted(turn.origin, NOBODY_KNOWN)
    theirs = replace(
        turn, role=QUOTED, speaker="", origin=origin, source=Source.OBSERVATION, parent=None
    )
    said_at = mind.here(mind.now()) if turn.said_at is None else turn.said_at
    for text, is_someones in texts:
        memory = overheard(theirs, text, time, mind)
        if quarantined(memory):
            for part in parts(text, mind.settings.turn_limit):
                yield kept_apart(overheard(theirs, part, time, mind))
            continue
        lifetime = _lifetime(text, decision, mind) if is_someones or _is_wished(decision) else None
        if lifetime is None:
            continue
        for part in parts(text, mind.settings.turn_limit):
            memory = placed_in_time(overheard(theirs, part, time, mind), said_at, fixed=False)
            memory, _ = understood(memory, hear(part, mind), mind, kind=Kind.FACT, voice=QUOTED)
            # Whom "I" means in it, and who feels so, nobody can say.
            content = replace(memory.content, triples=())
            memory = weighed(memory.evolve(content=content, emotion=Emotion()), observed_start(0.0))
            yield kept_for(memory, lifetime, said_at, mind)


def _is_wished(decision: Decision) -> bool:
    return "wish" in decision.why


def _lifetime(text: str, decision: Decision, mind: Mind) -> Lifetime | None:
    """Return what a quoted text is kept for; None where it is not worth keeping."""
    if _is_wished(decision):
        return Lifetime.LASTING
    reading = mind.read_turn(text)
    if reading is None:
        return Lifetime.PASSING if decision.keeps else None
    return lifetime_of(reading) if reading.keep >= mind.settings.keep_from else None


def as_quoted(moment: Moment) -> Moment:
    """Return what a person asks to keep; as a stranger's where it is nothing but a pasted text.

    It is one memory, word for word: so it is a stranger's too where the pasted part reads like an
    order, however much the person says beside it.
    """
    said = quotation(moment.text, asked_for=True)
    if not said.pasted:
        return moment
    if _weight(said.own) >= _LABEL and not any(map(suspicion, said.others)):
        return moment
    provenance = moment.provenance
    lowered = replace(provenance, origin=least_trusted(provenance.origin, NOBODY_KNOWN))
    agent = replace(moment.agent, role=moment.agent.role or QUOTED)
    return replace(moment, provenance=lowered, agent=agent)
