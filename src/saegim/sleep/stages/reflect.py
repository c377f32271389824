"""Reflecting (seed E 4-2): after enough new memories, what they mean is kept with its sources."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from saegim.engines.tokens import estimate
from saegim.language import language
from saegim.language.tell import is_count
from saegim.memory.changes import Change, Leaving, Linked, Portrayed, Saved
from saegim.memory.entities import DERIVED_FROM, REFERS_TO, Link
from saegim.memory.memory import (
    BY_NIGHT,
    Content,
    Kind,
    Life,
    Memory,
    Origin,
    Provenance,
    Reason,
    Source,
    Tier,
    Time,
    Worth,
    expiry,
    least_trusted,
)
from saegim.perceive.build import embedded
from saegim.sleep.night import Night, NightStep
from saegim.sleep.reflect import flow as reflecting
from saegim.sleep.reflect.insight import Insight, Portrait
from saegim.store.rows import Where

# After a large import only the newest are thought about: a window, not a history.
_MOST = 400


def reflect(night: Night) -> Iterator[NightStep]:
    """Think about what is new, if it is enough; otherwise wait for more."""
    settings, queries = night.mind.settings, night.mind.store.night_queries
    last = int(night.places.get("reflect") or 0)
    numbers = queries.since(night.owner, last, most=1_000_000)
    window = max(_MOST, 2 * settings.reflection_threshold)
    new = [memory for _, memory in night.memories(numbers[-window:]) if _is_news(memory, night)]
    if not settings.reflection or len(new) < settings.reflection_threshold:
        return
    thought = reflecting.reflect(new, scope=night.scope, mind=night.mind, at=night.at)
    for trouble in thought.troubles:
        yield NightStep(why="model_failed", details={"trouble": trouble})
    yield from _counts(night)
    for insight in thought.insights:
        yield _kept(insight, night)
    for portrait in thought.portraits:
        yield _portrayed(portrait)
    yield NightStep(why="reflected", place=str(numbers[-1]))


def _is_news(memory: Memory, night: Night) -> bool:
    """Say whether a memory came from outside: the night does not think about its own thoughts."""
    return (
        memory.provenance.source not in BY_NIGHT
        and memory.kind not in (Kind.INSIGHT, Kind.IMAGINED)
        and memory.id not in night.gone
    )


def _counts(night: Night) -> Iterator[NightStep]:
    """Let go of what nights of an earlier version counted: how often something came up."""
    made = Where(scope=night.scope, origins=(Origin.AGENT_INFERRED,), tiers=(Tier.M90, Tier.M365))
    for _, memory in night.mind.store.memories.walk(made):
        if is_count(memory) and not memory.life.pinned and memory.id not in night.gone:
            yield NightStep(
                changes=(Leaving(memory.id, Reason.PRUNED, night.at, night.until),),
                why=Reason.PRUNED.value,
                about=(memory.id,),
            )


def _kept(insight: Insight, night: Night) -> NightStep:
    memory = _memory(insight, night)
    changes: list[Change] = [Saved(memory)]
    changes += [
        Linked(Link(source=memory.id, type=DERIVED_FROM, target=source.id))
        for source in insight.sources
    ]
    changes += [
        Linked(Link(source=memory.id, type=REFERS_TO, target=key))
        for key in insight.about
        if key.startswith("entity:")
    ]
    return NightStep(
        changes=tuple(changes),
        why="insight",
        about=(memory.id, *(each.id for each in insight.sources)),
        details={"text": insight.text},
        vectors=embedded([memory], night.mind),
    )


def _memory(insight: Insight, night: Night) -> Memory:
    sources = insight.sources
    origins = (each.provenance.origin for each in sources)
    return Memory(
        id=night.new_id(insight.key, insight.text),
        scope=replace(sources[0].scope, session=""),
        text=insight.text,
        kind=Kind.INSIGHT,
        # What was seen in something private is private.
        visibility=min(each.visibility for each in sources),
        time=Time(happened_at=night.at, recorded_at=night.at),
        provenance=Provenance(
            origin=least_trusted(Origin.AGENT_INFERRED, *origins), source=Source.REFLECTION
        ),
        emotion=language.feelings(insight.text, night.mind.heads),
        content=Content(
            type="system_event",
            language=insight.language,
            tags=(insight.tag,),
            token_count=estimate(insight.text),
        ),
        worth=Worth(
            importance=max(each.worth.importance for each in sources),
            confidence=min(each.worth.confidence for each in sources),
        ),
        life=Life(tier=Tier.M90, expires_at=expiry(Tier.M90, night.at)),
    )


def _portrayed(portrait: Portrait) -> NightStep:
    entity = portrait.entity
    change = Portrayed(
        entity.key, entity.summary, entity.personality_notes, sources=len(portrait.sources)
    )
    return NightStep(
        changes=(change,), why="portrayed", about=tuple(s.id for s in portrait.sources)
    )
