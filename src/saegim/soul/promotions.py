"""What rose: from which tier to which, and why (seed D §9-6, the notice of a promotion).

Each rise is a page beside the memory that it made, written in the same step. It holds ids, tiers
and the reason, never words. A rise that was taken back, or whose memory is gone, is not told.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from saegim.memory.changes import Written
from saegim.memory.clock import iso, parse_instant
from saegim.memory.entities import Page
from saegim.memory.memory import DEPTH, FINDABLE, Memory, Scope, Tier
from saegim.mind import Mind
from saegim.store.commit import Batch

KIND: Final = "promotion"
# Someone said yes to a core memory: told until a session was, in case it was not its person.
APPROVED: Final = "approved"
_TOLD, _TOLD_KEY = "promotions_told", "promotions:told"
# News is told while it is news.
_NEWS: Final = timedelta(days=30)


@dataclass(frozen=True, slots=True, kw_only=True)
class Promotion:
    """One rise: what it made, out of what, from where to where, why and when."""

    memory: str
    source_tier: Tier
    tier: Tier
    why: str
    sources: tuple[str, ...]
    at: datetime
    night: str = ""


def noted(
    made: Memory, sources: Sequence[Memory], *, why: str, at: datetime, night: str
) -> Written:
    """Return the Change that writes down a rise."""
    page = Page(
        key=f"{KIND}:{made.id}",
        kind=KIND,
        data={
            "memory": made.id,
            "from": sources[0].life.tier.value,
            "to": made.life.tier.value,
            "why": why,
            "sources": [each.id for each in sources],
            "at": iso(at),
            "night": night,
        },
        derived_from=(made.id,),
    )
    return Written(page)


def promotions(scope: Scope, mind: Mind, *, since: datetime | None = None) -> list[Promotion]:
    """Return what rose and is still here, the latest first."""
    newest = {page.key: page for page in mind.store.pages.of(scope, kind=KIND)}
    # Of an erased memory only the name of its page is left.
    found = [_read(page) for page in newest.values() if page.data]
    here = [
        each for each in found if (since is None or each.at > since) and _is_here(each, scope, mind)
    ]
    return sorted(here, key=lambda each: (each.at, each.memory), reverse=True)


def _read(page: Page) -> Promotion:
    data = page.data
    return Promotion(
        memory=str(data["memory"]),
        source_tier=Tier(data["from"]),
        tier=Tier(data["to"]),
        why=str(data["why"]),
        sources=tuple(data["sources"]),
        at=parse_instant(data["at"], "at"),
        night=str(data["night"]),
    )


def _is_here(rise: Promotion, scope: Scope, mind: Mind) -> bool:
    """Say whether a memory is here, and as deep as it rose: that may have been taken back."""
    memory = mind.store.memories.get(scope, rise.memory)
    if memory is None or memory.life.state not in FINDABLE or not memory.text:
        return False
    return DEPTH.index(memory.life.tier) >= DEPTH.index(rise.tier)


# -- told once ------------------------------------------------------------------------------------


def untold(scope: Scope, mind: Mind, session: str) -> list[Promotion]:
    """Return the news that no other session was told; the latest first.

    The session that was told may ask again: a session that lost its beginning gets the same one.
    """
    told = _told(scope, mind)
    return [each for each in _news(scope, mind) if told.get(each.memory, session) == session]


def _news(scope: Scope, mind: Mind) -> list[Promotion]:
    """Return what rose in the last month, and every core memory however old."""
    since = mind.now() - _NEWS
    return [each for each in promotions(scope, mind) if each.at > since or each.why == APPROVED]


def told_to(session: str, news: Iterable[Promotion], *, scope: Scope, mind: Mind) -> None:
    """Write down that a session was told; nothing is written where nothing is new."""
    told, ids = _told(scope, mind), [each.memory for each in news]
    if all(told.get(id) == session for id in ids):
        return
    kept = {each.memory for each in _news(scope, mind)}
    held = {id: name for id, name in told.items() if id in kept} | dict.fromkeys(ids, session)
    page = Page(key=_TOLD_KEY, kind=_TOLD, data={"told": held})
    mind.store.commit(Batch(scope.user, [Written(page)], actor="notice", at=mind.now()))


def _told(scope: Scope, mind: Mind) -> dict[str, str]:
    """Return which session was told of which rise."""
    versions = mind.store.pages.of(scope, key=_TOLD_KEY)
    return dict(versions[-1].data["told"]) if versions else {}
