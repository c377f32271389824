"""A proposal as a person is asked about it: what, why, from which memories, and what changes.

The terminal and the dialogue of a client show the same lines; nothing in them is cut off, because
nobody can say yes to words that they were not shown.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from saegim.serve.catalogue import night_answers
from saegim.serve.terminal import one_line, visible
from saegim.soul.beliefs import ADD, REMOVE
from saegim.soul.proposals import (
    BELIEF,
    CORE,
    CORE_CHANGE,
    CORE_LETTING_GO,
    ISLAND,
    LETTING_GO,
    SOUL_FILE,
    Proposal,
)

if TYPE_CHECKING:
    from saegim.saegim import Saegim
    from saegim.serve.catalogue.night_answers import KnownMemory, Living
    from saegim.serve.speech import Speech


def kind_of(each: Proposal) -> str:
    """Return by which name a proposal is asked: of a belief, what would become of it."""
    change = str(each.details.get("change") or ADD)
    return f"{BELIEF} {change}" if each.about == BELIEF else each.about


def question(each: Proposal, memory: Saegim, speech: Speech) -> list[str]:
    """Return the question, and under it all that a person must read before they answer."""
    why = ", ".join(speech.word("reason", reason) for reason in each.reasons)
    asked = speech(f"proposed {kind_of(each)}", reasons=why)
    ids = (each.memory, each.replaces, *each.sources)
    known = night_answers.living(filter(None, ids), scope=memory.scope, mind=memory.mind)
    about = {
        CORE: _candidate,
        CORE_CHANGE: _core,
        CORE_LETTING_GO: _core,
        BELIEF: _belief,
        ISLAND: _island,
        SOUL_FILE: _file,
    }
    told = about.get(each.about, _words)(each, known, memory, speech)
    return [asked, *told]


def _called(held: KnownMemory) -> str:
    return f"{held.handle}  {one_line(held.memory.text)}"


def _words(each: Proposal, known: Living, _: Saegim, speech: Speech) -> Iterator[str]:
    """Tell the words it is about, those that would stand in their place, and whose they are."""
    held = known.get(each.memory)
    if held is None:
        yield speech("memory gone")
        return
    old = known.get(each.replaces)
    if old is not None:
        yield _called(old)
    yield f"→ {_called(held)}" if old is not None else _called(held)
    whose = held.memory.provenance
    origin, author = speech.word("origin", whose.origin.value), visible(whose.author) or "-"
    yield speech("proposed from", origin=origin, trust=whose.trust, author=author)


def _candidate(each: Proposal, known: Living, memory: Saegim, speech: Speech) -> Iterator[str]:
    """Tell what could be kept for ever with its story, and the island it would hold up."""
    yield from _words(each, known, memory, speech)
    if (held := known.get(each.memory)) is None:
        return
    story, soul = memory.soul.story(held.memory), memory.soul
    rose = " → ".join(f"{tier} ({speech.date(since)})" for tier, since in story.rose)
    said = speech.date(story.said_at)
    yield speech("proposed story", said=said, rose=rose, used=story.used, recalled=story.recalled)
    home = soul.home_of(held.memory)
    joins = any(home.id == one.id for one in soul.islands())
    name = f"{home.emoji} {visible(home.name)}"
    yield speech("proposed home joins" if joins else "proposed home new", island=name)


def _core(each: Proposal, known: Living, memory: Saegim, speech: Speech) -> Iterator[str]:
    """Tell what becomes of a core memory, and what stands on it."""
    held = known.get(each.memory)
    yield _called(held) if held else speech("memory gone")
    if each.text:
        yield f"→ {one_line(each.text)}"
    soul = memory.soul
    shaken = {one.id for one in soul.shaken_by(each.memory)} if not each.text else set()
    for one in soul.held_up_by(each.memory):
        sentence = "island warning" if one.id in shaken else "island rests"
        yield speech(sentence, island=f"{one.emoji} {visible(one.name)}")
    for belief in soul.now().beliefs:
        if each.memory in belief.supporting:
            yield speech("belief rests", belief=visible(belief.statement))


def _belief(each: Proposal, known: Living, memory: Saegim, speech: Speech) -> Iterator[str]:
    """Tell a belief as it is and as it would be, how sure it is, and what it rests on."""
    change, sure = str(each.details.get("change") or ADD), float(each.details["confidence"])
    before = next((one for one in memory.soul.now().beliefs if one.id == each.target), None)
    if change == ADD:
        yield speech("belief add", belief=visible(each.text))
    elif before is None or normal(before.statement) == normal(each.text):
        yield visible(each.text)
    else:
        yield visible(before.statement)
        yield f"→ {visible(each.text)}"
    if change != REMOVE:
        was = before.confidence if before else sure
        yield speech("belief sure" if was == sure else "belief surer", sure=sure, was=was)
    rests = [known[id] for id in each.sources if id in known]
    yield speech("belief from") if rests else speech("belief from nothing")
    yield from map(_called, rests)


def normal(text: str) -> str:
    """Return words without what only their spelling differs in."""
    return " ".join(text.split())


def _island(each: Proposal, _: Living, memory: Saegim, __: Speech) -> Iterator[str]:
    """Tell what an island is called, and what it would be called."""
    before = next((one for one in memory.soul.islands() if one.id == each.target), None)
    if before is not None:
        yield f"{before.emoji} {visible(before.name)}: {visible(before.description)}"
    meaning = each.details.get("description") or (before.description if before else "")
    yield f"→ {visible(each.text)}: {visible(str(meaning))}"


def _file(each: Proposal, _: Living, __: Saegim, ___: Speech) -> Iterator[str]:
    """Tell what would change in SOUL.md, line by line."""
    told = str(each.details.get("difference") or each.text)
    yield from (visible(line) for line in told.splitlines())


def refusal(each: Proposal) -> str:
    """Return the name of the sentence that says what a no to this did."""
    if each.about in (LETTING_GO, CORE_LETTING_GO, CORE_CHANGE, ISLAND, SOUL_FILE):
        return "declined as it was"
    return f"declined {kind_of(each)}"
