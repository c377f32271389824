"""A correction is a new memory that holds in the place of the old one; both are kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from saegim.engines.embedder import Vector
from saegim.engines.tokens import estimate
from saegim.errors import BadInput, NotFound, Refused
from saegim.guard.guard import MaskTally, masked
from saegim.language import language
from saegim.memory.changes import Change, Linked, Met, Saved, Superseded
from saegim.memory.entities import (
    CONTRADICTS,
    DERIVED_FROM,
    HAS_FEEDBACK,
    MERGED_FROM,
    PARENT,
    PROMOTED_FROM,
    RELATED,
    RESPONDED_WITH,
    SUPERSEDES,
    Link,
)
from saegim.memory.memory import (
    DEPTH,
    PERSON,
    Life,
    Lifetime,
    Memory,
    Origin,
    Scope,
    Source,
    State,
    Tier,
    Time,
    Worth,
    checked_tags,
    checked_text,
    expiry,
    least_trusted,
)
from saegim.mind import Mind
from saegim.perceive.build import (
    Fresh,
    Joined,
    blanked,
    connect,
    embedded,
    followers,
    hear,
    last_day_ahead,
    living_for,
    placed_in_time,
    quarantined,
    understood,
)
from saegim.perceive.moment import Kept
from saegim.store.commit import Batch

if TYPE_CHECKING:
    from saegim.language.extract import Extracted

# How far into a text its time words are looked for.
_GLANCE = 4000
# Ties that hold for the same words under other tags; what they name and resemble is found anew.
_STAY = (
    PARENT,
    RELATED,
    RESPONDED_WITH,
    HAS_FEEDBACK,
    DERIVED_FROM,
    MERGED_FROM,
    PROMOTED_FROM,
)


@dataclass(frozen=True, slots=True)
class Correction:
    """What a person wants changed of a memory; what is None stays as it is.

    A core memory is corrected only if `by` names the person who wants it.
    """

    text: str | None = None
    tags: Sequence[str] | None = None
    keep_private: bool = False
    by: str = ""
    # Who says the new words, where it is not who said the old ones.
    origin: Origin | None = None


# What is written together with a new memory, once its id is known.
Also = Callable[[Memory], Sequence[Change]]


def revise(
    id: str,
    wanted: Correction,
    *,
    scope: Scope,
    mind: Mind,
    also: Also = lambda _: (),
    maker: str = "",
) -> Kept:
    """Write the new version of a memory; the old id leads to it from now on.

    Under the name of a `maker` it can be taken back.
    """
    if wanted.text is None and wanted.tags is None:
        raise BadInput("perceive.neither_text_nor_tags_were")
    tally = MaskTally()
    text, tags = _screened(wanted, tally)
    old = changeable(mind.store.memories.current(scope, id), scope=scope, mind=mind)
    if old.life.tier is Tier.M0 and not wanted.by:
        raise Refused("perceive.core_memory_m0", id=old.id)
    new, said = _version(old, text, tags, wanted.origin, mind)
    if quarantined(new):
        raise Refused("perceive.new_words_read_like_order")
    # The same words under other tags end nothing that was made of them.
    made = [] if text is None else followers(old, mind)
    new = _as_deep(new, made, mind)
    vectors = embedded([new], mind)
    joined = connect([Fresh(new, said.named, vectors.get(new.id))], mind)
    around = _around(new, old, joined, made, mind, same_words=text is None)
    changes = [Saved(new), *_in_its_place(new, old), *around, *also(new)]
    _commit(changes, vectors, wanted.by, maker, scope, mind)
    return _kept(new, vectors, tally, supersedes=(old.id,))


def contradict(id: str, wanted: Correction, *, scope: Scope, mind: Mind, also: Also) -> Kept:
    """Write the new words beside a memory that goes on holding; both say that they disagree."""
    if wanted.text is None:
        raise BadInput("perceive.neither_text_nor_tags_were")
    tally = MaskTally()
    text, tags = _screened(wanted, tally)
    old = changeable(mind.store.memories.current(scope, id), scope=scope, mind=mind)
    new, said = _version(old, text, tags, wanted.origin, mind)
    if quarantined(new):
        raise Refused("perceive.new_words_read_like_order")
    # It is no turn of the session that the old words were said in, nobody held it fast, and if
    # nobody answers, its time is over some day.
    new = new.evolve(
        scope=replace(new.scope, session=""),
        time=replace(new.time, sequence=None, minutes_into_session=None),
        life=replace(new.life, pinned=False, lifetime=Lifetime.PASSING, last_date=None),
    )
    vectors = embedded([new], mind)
    joined = connect([Fresh(new, said.named, vectors.get(new.id))], mind)
    against = Linked(Link(source=new.id, type=CONTRADICTS, target=old.id))
    others = [each for each in joined.changes if not _about(each, {old.id})]
    _commit([Saved(new), against, *others, *also(new)], vectors, wanted.by, "", scope, mind)
    return _kept(new, vectors, tally, contradicts=(old.id,))


def _commit(
    changes: Sequence[Change],
    vectors: dict[str, Vector],
    by: str,
    maker: str,
    scope: Scope,
    mind: Mind,
) -> None:
    now = mind.now()
    until = now + timedelta(days=mind.settings.forgetting_days) if maker else None
    mind.store.commit(
        Batch(
            scope.user,
            changes,
            actor=by or scope.agent or scope.user,
            at=now,
            vectors=vectors,
            identity=mind.embedder.identity if vectors else None,
            maker=maker,
            until=until,
        )
    )
    if not vectors:
        mind.store.keep_indexed(mind.embedder, mind.now)


def _kept(
    new: Memory,
    vectors: dict[str, Vector],
    tally: MaskTally,
    *,
    supersedes: tuple[str, ...] = (),
    contradicts: tuple[str, ...] = (),
) -> Kept:
    return Kept(
        new,
        "stored",
        indexed="ready" if vectors else "pending",
        masked=tally.masked,
        held=tally.held,
        supersedes=supersedes,
        contradicts=contradicts,
    )


def _version(
    old: Memory,
    text: str | None,
    tags: tuple[str, ...] | None,
    origin: Origin | None,
    mind: Mind,
) -> tuple[Memory, Extracted]:
    """Return the new version and what its words say; the same words are not understood anew."""
    bare = _retold(old, mind) if text is None else version_of(old, text, mind)
    if text is not None and origin is not None:
        # New words do not inherit the trust that the old ones earned.
        was = old.provenance
        origin = least_trusted(origin, was.origin)
        # Said by the person, corrected by another: reported, and found as well as before.
        source = Source.REPORTED if was.origin in PERSON and origin not in PERSON else was.source
        bare = bare.evolve(provenance=replace(bare.provenance, origin=origin, source=source))
    if tags is not None:
        bare = bare.evolve(content=replace(bare.content, tags=tags))
    voice = old.provenance.author
    new, said = understood(bare, hear(bare.text, mind), mind, kind=old.kind, voice=voice)
    if text is None:
        return bare, said
    said_at = _reckoned_from(new, old, mind)
    new = placed_in_time(new, said_at, fixed=False)
    if old.life.lifetime is Lifetime.UNTIL and mind.settings.is_gentle:
        # A plan is kept until the day it names now, or as long as before.
        ahead = last_day_ahead(new, said_at)
        new = living_for(new, Lifetime.UNTIL, ahead or old.life.last_date)
    return new, said


def _reckoned_from(new: Memory, old: Memory, mind: Mind) -> datetime:
    """Return from when the time words of a correction are reckoned.

    "어제" that stood there before still means the day before it was said; a day that is new in the
    words is meant from now on.
    """
    said = mind.here(old.time.said)
    was, is_now = (
        {(each.start, each.end) for each in language.times(one.text[:_GLANCE], said)}
        for one in (old, new)
    )
    return said if was == is_now else mind.here(new.time.recorded_at)


def _in_its_place(new: Memory, old: Memory) -> tuple[Change, ...]:
    return (
        Linked(Link(source=new.id, type=SUPERSEDES, target=old.id)),
        Superseded(old.id, by=new.id, at=new.time.recorded_at),
    )


def _as_deep(new: Memory, also: Sequence[Memory], mind: Mind) -> Memory:
    """Let the new version settle as deep as the old one had risen: it is told in its place."""
    ids = [each.id for each in also]
    risen: dict[str, set[str]] = {}
    for link in mind.store.links.of(new.scope, ids, (PROMOTED_FROM,)) if ids else ():
        risen.setdefault(link.source, set()).add(link.target)
    told_again = [each.life.tier for each in also if len(risen.get(each.id, ())) == 1]
    tier = max((new.life.tier, *told_again), key=DEPTH.index)
    if tier is new.life.tier:
        return new
    end = expiry(tier, new.time.recorded_at, new.life.last_date)
    return new.evolve(life=replace(new.life, tier=tier, expires_at=end))


def _around(
    new: Memory,
    old: Memory,
    joined: Joined,
    also: Sequence[Memory],
    mind: Mind,
    *,
    same_words: bool,
) -> Iterator[Change]:
    """Yield what ties the new version to others, and ends what was made of the old one."""
    yield from _carried_over(old, new.id, _STAY if same_words else (PARENT, RELATED), mind)
    # What it names and whom it meets; that it resembles its older self says nothing.
    itself = {old.id, *(each.id for each in also)}
    for change in joined.changes:
        if not _about(change, itself) and not (same_words and _news(change)):
            yield change
    for each in also:
        yield from _in_its_place(new, each)
    if not same_words:
        yield from blanked([old.id, *(each.id for each in also)], old.scope, mind)


def _screened(wanted: Correction, tally: MaskTally) -> tuple[str | None, tuple[str, ...] | None]:
    """Return the new words and tags without secrets."""
    text = None if wanted.text is None else checked_text(wanted.text)
    tags = None if wanted.tags is None else checked_tags(wanted.tags)
    keep_private = wanted.keep_private
    return (
        masked(text, tally, keep_private=keep_private),
        masked(tags, tally, keep_private=keep_private),
    )


def _carried_over(old: Memory, new: str, types: Sequence[str], mind: Mind) -> Iterator[Change]:
    """Yield the ties of the old version that are the new one's too."""
    for link in mind.store.links.of(old.scope, [old.id], types):
        if link.source == old.id:
            yield Linked(replace(link, source=new))
        else:
            yield Linked(replace(link, target=new))


def _news(change: Change) -> bool:
    """Say whether a Change would come of words that are said for the first time."""
    match change:
        case Met() | Superseded():
            return True
        case Linked(link=link):
            return link.type == SUPERSEDES
        case _:
            return False


def _about(change: Change, ids: set[str]) -> bool:
    """Say whether a Change speaks of these memories."""
    match change:
        case Linked(link=link):
            return bool(ids & {link.source, link.target})
        case Superseded(memory=memory):
            return memory in ids
        case _:
            return False


def changeable(id: str, *, scope: Scope, mind: Mind) -> Memory:
    """Return the memory if it may be revised; say why not otherwise."""
    memory = mind.store.memories.get(scope, id)
    if memory is None or not memory.text:
        raise NotFound("perceive.no_memory_saegim_recent", id=id)
    if memory.life.immutable:
        raise Refused("perceive.immutable_words_were_made", id=id)
    if memory.life.state is not State.ACTIVE:
        raise Refused("perceive.cannot_be_revised", id=id, state=memory.life.state.value)
    return memory


def _retold(old: Memory, mind: Mind) -> Memory:
    """Return a new version with the same words: it happened when it happened."""
    now = mind.now()
    return old.evolve(
        id=mind.new_id(),
        time=replace(old.time, recorded_at=now, valid_from=now),
        life=replace(old.life, expires_at=expiry(old.life.tier, now, old.life.last_date)),
    )


def version_of(old: Memory, text: str, mind: Mind) -> Memory:
    """Return the new version: the old coordinates, the new words, a life of its own.

    What happened on a day of its own still did; what was only said is said anew.
    """
    now, was = mind.now(), old.time
    dated = was.happened_at != was.recorded_at
    return old.evolve(
        id=mind.new_id(),
        text=text,
        time=Time(
            happened_at=was.happened_at if dated else now,
            said_at=was.said_at,
            recorded_at=now,
            valid_from=now,
            sequence=was.sequence,
            minutes_into_session=was.minutes_into_session,
        ),
        content=replace(
            old.content, brief=None, triples=(), keywords=(), token_count=estimate(text)
        ),
        worth=Worth(
            importance=old.worth.importance,
            confidence=old.worth.confidence,
            rating=old.worth.rating,
        ),
        life=Life(
            tier=old.life.tier,
            expires_at=expiry(old.life.tier, now),
            pinned=old.life.pinned,
            island=old.life.island,
            # Whoever takes the trouble to correct it wants to have it right.
            lifetime=Lifetime.LASTING if mind.settings.is_gentle else old.life.lifetime,
        ),
    )
