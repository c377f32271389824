"""Distilling (seed D §3): what rises is not lifted as it is; its essence becomes a new memory.

A pattern of several happenings drops their days; one memory is carried whole, its days written
out. The sources stay and age on. The new memory is no more trusted than the least trusted of them,
and tied to all of them: corrected, let go or erased, they take it along.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import replace
from statistics import fmean
from typing import TypeVar

from saegim.engines.tokens import estimate
from saegim.errors import EngineError, Refused
from saegim.language.tell import Distilled, distilled_by_rule, is_count, whole
from saegim.memory.changes import Change, Linked, Reweighed, Saved, Tiered
from saegim.memory.entities import CONTRADICTS, DERIVED_FROM, PROMOTED_FROM, REFERS_TO, Link
from saegim.memory.memory import (
    FINDABLE,
    QUOTED,
    Content,
    Emotion,
    Life,
    Memory,
    Origin,
    Provenance,
    Source,
    Tier,
    Time,
    Worth,
    expiry,
    least_trusted,
)
from saegim.perceive.build import embedded
from saegim.sleep import candidates
from saegim.sleep.candidates import RisingCandidate
from saegim.sleep.distil.distil_by_model import distilled_by_model
from saegim.sleep.distil.promotions import noted
from saegim.sleep.night import Night, NightStep

PURPOSE = "distil"
Item = TypeVar("Item", bound=Hashable)
_WHY = "rose"


def distil(night: Night) -> Iterator[NightStep]:
    """Distil what was marked in M30 into M90."""
    return _distilled(Tier.M90, night)


def deepen(night: Night) -> Iterator[NightStep]:
    """Distil what was marked in M90 into M365."""
    return _distilled(Tier.M365, night)


def _distilled(to: Tier, night: Night) -> Iterator[NightStep]:
    risen = night.mind.store.night_queries.risen(night.owner)
    for each in candidates.read(night.places.get("promote", "")).rising:
        if each.to is not to:
            continue
        sources = _sources(each, risen, night)
        if len(sources) < (night.mind.settings.theme_least if each.why == candidates.THEME else 1):
            continue
        yield from (_pattern if len(sources) > 1 else _single)(sources, each, night)
        risen |= {source.id for source in sources}


def _pattern(sources: Sequence[Memory], each: RisingCandidate, night: Night) -> Iterator[NightStep]:
    """Distil several memories into what all of them tell; nothing, where that is nothing."""
    essence, trouble = _by_model(sources, each.to, night)
    if trouble:
        yield NightStep(why="model_failed", details={"trouble": trouble})
    essence = essence or _by_rule(sources, each.to, night)
    if essence is not None:
        yield _risen(essence, sources, each, night, quoted=False)


def _single(sources: Sequence[Memory], each: RisingCandidate, night: Night) -> Iterator[NightStep]:
    """Distil one memory whole, its days written out; what cannot be told so rises itself.

    It is never cut: only a model may say a long one in fewer words.
    """
    (source,) = sources
    essence = _by_rule(sources, each.to, night)
    quoted = essence is not None
    told = whole(source, here=night.mind.here)
    if essence is None and told:
        essence, trouble = _by_model([source.evolve(text=told)], each.to, night)
        if trouble:
            yield NightStep(why="model_failed", details={"trouble": trouble})
    if essence is not None:
        yield _risen(essence, sources, each, night, quoted=quoted)
    elif not is_count(source):
        end = expiry(each.to, night.at, source.life.last_date)
        deeper = source.evolve(life=replace(source.life, tier=each.to, expires_at=end))
        notice = noted(deeper, sources, why=each.why, at=night.at, night=night.id)
        yield NightStep(
            changes=(Tiered(source.id, each.to, end), notice),
            why="lifted",
            about=(source.id,),
            details={"to": each.to.value, "because": each.why},
        )


def _by_rule(sources: Sequence[Memory], to: Tier, night: Night) -> Distilled | None:
    mind = night.mind
    return distilled_by_rule(sources, to=to, analyser=mind.store.words.analyser(), here=mind.here)


def _sources(candidate: RisingCandidate, risen: set[str], night: Night) -> list[Memory]:
    """Return what still lives of the marked, undisputed and not risen yet; the oldest first."""
    found = (night.mind.store.memories.get(night.scope, id) for id in candidate.sources)
    living = [
        each
        for each in found
        if each is not None
        and each.life.state in FINDABLE
        and each.id not in risen
        and each.id not in night.gone
        # However often it is used, a quotation has no essence of the person's.
        and each.agent.role != QUOTED
    ]
    disputed = _disputed([each.id for each in living], night)
    return [each for each in living if each.id not in disputed]


def _disputed(ids: Sequence[str], night: Night) -> set[str]:
    """Return which of these something living speaks against."""
    store = night.mind.store
    ties = store.links.of(night.scope, ids, (CONTRADICTS,)) if ids else ()
    found = {tie.target: store.memories.get(night.scope, tie.source) for tie in ties}
    return {id for id, each in found.items() if each and each.life.state in FINDABLE}


def _by_model(sources: Sequence[Memory], to: Tier, night: Night) -> tuple[Distilled | None, str]:
    """Return the essence as a model reads it, where one is turned on; or why there is none."""
    mind = night.mind
    if mind.model is None:
        return None, ""
    try:
        made = distilled_by_model(
            sources,
            ask=lambda request: mind.ask(PURPOSE, request),
            to=to,
            max_tokens=mind.settings.model_max_tokens,
            who=str(mind.model),
        )
    except (EngineError, Refused) as error:
        return None, error.message
    return made, ""


def _risen(
    essence: Distilled,
    sources: Sequence[Memory],
    candidate: RisingCandidate,
    night: Night,
    *,
    quoted: bool,
) -> NightStep:
    """Return the step that keeps an essence, or strengthens the same one that is here."""
    memory = _memory(essence, sources, candidate.to, night, quoted=quoted)
    details = {"to": candidate.to.value, "because": candidate.why, "sources": len(sources)}
    about = tuple(each.id for each in sources)
    if (known := _known(memory, night)) is not None:
        changes: list[Change] = [
            *_ties(known.id, sources),
            Reweighed(memory=known.id, at=night.at, repeat=1.0),
            Tiered(
                known.id,
                known.life.tier,
                expiry(known.life.tier, night.at, known.life.last_date),
            ),
        ]
        return NightStep(
            changes=tuple(changes), why="rose_again", about=(known.id, *about), details=details
        )
    notice = noted(memory, sources, why=candidate.why, at=night.at, night=night.id)
    return NightStep(
        changes=(
            Saved(memory),
            *_ties(memory.id, sources),
            *_names(memory, sources, night),
            notice,
        ),
        why=_WHY,
        about=(memory.id, *about),
        details={**details, "text": essence.text},
        vectors=embedded([memory], night.mind),
    )


def _known(memory: Memory, night: Night) -> Memory | None:
    """Return the same essence, if it was distilled before and lives."""
    numbers = night.mind.store.memories.same_words(night.owner, memory.canonical_key)
    for _, known in night.memories(numbers):
        if (
            known.provenance.source is Source.DISTILLATION
            and known.provenance.origin is memory.provenance.origin
            and known.scope == memory.scope
            and known.life.tier is memory.life.tier
        ):
            return known
    return None


def _ties(id: str, sources: Sequence[Memory]) -> Iterator[Change]:
    for source in sources:
        yield Linked(Link(source=id, type=DERIVED_FROM, target=source.id))
        yield Linked(Link(source=id, type=PROMOTED_FROM, target=source.id))


def _names(memory: Memory, sources: Sequence[Memory], night: Night) -> Iterator[Change]:
    """Tie the essence to whom most of its sources speak of; nobody is met by it."""
    counts: dict[str, int] = {}
    for link in night.mind.store.links.of(night.scope, [each.id for each in sources], (REFERS_TO,)):
        counts[link.target] = counts.get(link.target, 0) + 1
    for key, count in sorted(counts.items()):
        if 2 * count > len(sources):
            yield Linked(Link(source=memory.id, type=REFERS_TO, target=key))


def _memory(
    essence: Distilled, sources: Sequence[Memory], to: Tier, night: Night, *, quoted: bool
) -> Memory:
    first = sources[0]
    origins = [each.provenance.origin for each in sources]
    inferred = [] if quoted else [Origin.AGENT_INFERRED]
    authors = {each.provenance.author for each in sources}
    return Memory(
        id=night.new_id(to.value, *(each.id for each in sources)),
        scope=replace(first.scope, session=""),
        text=essence.text,
        kind=essence.kind,
        visibility=first.visibility,
        time=_when(sources, night),
        provenance=Provenance(
            origin=least_trusted(*origins, *inferred),
            source=Source.DISTILLATION,
            author=authors.pop() if len(authors) == 1 else "",
        ),
        space=first.space,
        emotion=_feeling(sources),
        content=Content(
            type="system_event",
            language=essence.language,
            triples=essence.triples,
            keywords=_shared([each.content.keywords for each in sources]),
            tags=_shared([each.content.tags for each in sources]),
            token_count=estimate(essence.text),
        ),
        worth=Worth(
            importance=max(each.worth.importance for each in sources),
            confidence=min(each.worth.confidence for each in sources),
        ),
        life=_life(sources, to, night),
    )


def _when(sources: Sequence[Memory], night: Night) -> Time:
    """Return the time of an essence: one memory keeps its days, a pattern only its last one."""
    last = sources[-1].time
    if len(sources) == 1:
        return replace(last, recorded_at=night.at, sequence=None, minutes_into_session=None)
    return Time(happened_at=last.happened_at, recorded_at=night.at)


def _life(sources: Sequence[Memory], to: Tier, night: Night) -> Life:
    """Return the life of an essence: one memory that rises is kept for what it was kept for."""
    held = sources[0].life if len(sources) == 1 else Life()
    return Life(
        tier=to,
        expires_at=expiry(to, night.at, held.last_date),
        promoted_from=sources[0].id,
        lifetime=held.lifetime,
        last_date=held.last_date,
    )


def _feeling(sources: Sequence[Memory]) -> Emotion:
    """Return what the sources feel like together: what most of them share, as strong on average."""
    if len(sources) == 1:
        return sources[0].emotion
    return Emotion(
        feelings=_shared([each.emotion.feelings for each in sources]),
        intensity=fmean(each.emotion.intensity for each in sources),
        sentiment=fmean(each.emotion.sentiment for each in sources),
    )


def _shared(lists: Sequence[tuple[Item, ...]]) -> tuple[Item, ...]:
    """Return what stands in more than half of the lists, in order of first appearance."""
    counts: dict[Item, int] = {}
    for each in lists:
        for item in dict.fromkeys(each):
            counts[item] = counts.get(item, 0) + 1
    return tuple(item for item, count in counts.items() if 2 * count > len(lists))
