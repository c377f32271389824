"""The report of the year (seed D, yearly workers): how many memories rose, left and stayed.

It is written once a year, as counts; whoever reads it gets it by the number of the year.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from saegim.errors import BadInput, NotFound
from saegim.memory.changes import Written
from saegim.memory.clock import iso, parse_instant
from saegim.memory.entities import Page
from saegim.memory.memory import Scope
from saegim.mind import Mind
from saegim.sleep.night import Night, NightStep
from saegim.soul.promotions import promotions

KIND = "year_report"
_HALF_A_YEAR = timedelta(days=183)
# Who began today has no year to read about.
_TOO_YOUNG = timedelta(days=1)


def year(night: Night) -> Iterator[NightStep]:
    """Count what the last year brought and took, from the ledger and from what is here."""
    if night.rehearsed:
        return
    store = night.mind.store
    key = f"year:{night.mind.here(night.at):%Y}"
    if store.pages.of(night.scope, key=key):
        return
    new = sum(count for *_, count in store.ledger.happened(night.owner, night.at - _TOO_YOUNG))
    if night.whole and new >= store.ledger.length(night.owner):
        return
    since = a_year_before(night.at)
    happened: Counter[str] = Counter()
    for change, reason, count in store.ledger.happened(night.owner, since):
        happened[f"{change}:{reason}" if reason else change] += count
    rose = Counter(each.tier.value for each in promotions(night.scope, night.mind, since=since))
    page = Page(
        key=key,
        kind=KIND,
        title=iso(night.at),
        data={
            "until": iso(night.at),
            "happened": dict(happened),
            "rose": dict(sorted(rose.items())),
            "now": store.memories.tally(night.scope),
        },
    )
    yield NightStep(changes=(Written(page),), why="year")


def a_year_before(at: datetime) -> datetime:
    """Return the same instant of the year before; of a leap day, the day before it."""
    last = at - timedelta(days=1) if (at.month, at.day) == (2, 29) else at
    return last.replace(year=last.year - 1)


# -- reading it ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Year:
    """Twelve months of one memory, as the ledger counted them; `name` is the year most lie in."""

    name: int
    since: datetime
    until: datetime
    # By tier: what was kept, and into what it rose.
    kept: Mapping[str, int]
    rose: Mapping[str, int]
    # By reason: why it left.
    left: Mapping[str, int]
    restored: int
    forgotten: int
    erased: int
    replaced: int
    # Everything there was at the end, by state; what is active, by tier.
    now: Mapping[str, int]
    tiers: Mapping[str, int]


def years(scope: Scope, mind: Mind) -> list[Year]:
    """Return the years that were summed up, the latest first; of one year, the latest report."""
    found: dict[int, Year] = {}
    for page in mind.store.pages.of(scope, kind=KIND):
        each = _read(page)
        if each.name not in found or each.until > found[each.name].until:
            found[each.name] = each
    return [found[name] for name in sorted(found, reverse=True)]


def report_of(name: int | str | None, scope: Scope, mind: Mind) -> Year:
    """Return one year by its number, or the latest."""
    every = years(scope, mind)
    if name in (None, "", "latest"):
        if not every:
            raise NotFound("sleep.no_year_has_been_summed")
        return every[0]
    text = str(name).strip()
    if isinstance(name, bool) or not text.isdecimal() or len(text) > 4:
        raise BadInput("sleep.no_year", name=name)
    for each in every:
        if each.name == int(text):
            return each
    known = ", ".join(str(each.name) for each in every)
    step = "" if known else "sleep.no_reports"
    raise NotFound("sleep.no_report", next_step=step, year=text, known=known)


def _read(page: Page) -> Year:
    data = page.data
    until = parse_instant(data["until"], "until")
    happened: Mapping[str, int] = data["happened"]
    now: Mapping[str, Mapping[str, int]] = data["now"]
    return Year(
        name=(until - _HALF_A_YEAR).year,
        since=a_year_before(until),
        until=until,
        kept=_of(happened, "Saved"),
        rose=dict(data.get("rose", {})),
        left=_of(happened, "Leaving"),
        restored=happened.get("Restored", 0),
        forgotten=happened.get("Archived", 0),
        erased=happened.get("Erased", 0),
        replaced=happened.get("Superseded", 0),
        now=dict(now.get("state", {})),
        tiers=dict(now.get("tier", {})),
    )


def _of(happened: Mapping[str, int], change: str) -> dict[str, int]:
    """Return the counts of one Change by what stands behind its name."""
    return {
        what.partition(":")[2]: count
        for what, count in happened.items()
        if what.partition(":")[0] == change
    }
