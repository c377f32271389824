"""When each stage is due: cron text, caught up once, never twice in one period, whatever the clock.

A stage that was missed while the machine was off runs once when it is looked at next. A clock that
was set back does not run a period again, and one that was far ahead does not stop the rota.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta, tzinfo
from functools import lru_cache

from cronsim import CronSim, CronSimError

from saegim.errors import SettingsError
from saegim.mind import Mind
from saegim.sleep.night import Stage
from saegim.store.tables.night_table import ScheduleState, StageTurn

# A clock that is set right moves by hours, or a day with its zone; not by more.
_SET_BACK = timedelta(days=2)


def following(cron: str, after: datetime, mind: Mind, setting: str = "cron text") -> datetime:
    """Return the next instant of a cron text, on the person's own clock."""
    here = mind.here(after)
    try:
        coming = _coming(cron, here.replace(tzinfo=None), here.tzinfo, here.fold)
    except (CronSimError, StopIteration) as error:
        raise SettingsError("sleep.cannot_be", setting=setting, cron=cron, error=error) from error
    return coming.astimezone(after.tzinfo)


@lru_cache(maxsize=256)
def _coming(cron: str, shown: datetime, zone: tzinfo | None, fold: int) -> datetime:
    """Return what comes after what a clock shows; equal instants may stand on two clocks."""
    return next(CronSim(cron, shown.replace(tzinfo=zone, fold=fold)))


def due(owner: str, stages: Iterable[Stage], mind: Mind) -> list[Stage]:
    """Return the stages whose time has come, in the order of the night; plan what is unplanned."""
    every = list(stages)
    turns, mended = planned(owner, every, mind)
    if mended:
        mind.store.nights.plan(owner, mended)
    now = mind.now()
    return [stage for stage in every if turns[stage.name].due_at <= now]


def planned(
    owner: str, stages: Iterable[Stage], mind: Mind
) -> tuple[dict[str, StageTurn], dict[str, StageTurn]]:
    """Return when each stage is due, and which of that is not written down yet."""
    now = mind.now()
    turns = mind.store.nights.turns(owner)
    mended: dict[str, StageTurn] = {}
    for stage in stages:
        cron = getattr(mind.settings, stage.cadence)
        if right := _mended(turns.get(stage.name), cron, now, mind, stage.cadence):
            mended[stage.name] = right
    return turns | mended, mended


def _mended(
    turn: StageTurn | None, cron: str, now: datetime, mind: Mind, setting: str
) -> StageTurn | None:
    """Return the turn as it should be, if it was never planned, or by a wrong clock or cadence."""
    coming = following(cron, now, mind, setting)
    if turn is None:
        return StageTurn(coming, now, "")
    period = following(cron, coming, mind, setting) - coming
    # What was covered is not run again when the clock is set back; unless it lies so far ahead
    # that no right clock can have covered it.
    if turn.covered - now > period + _SET_BACK:
        return StageTurn(coming, now, turn.place)
    right = following(cron, turn.covered, mind, setting)
    return None if right == turn.due_at else StageTurn(right, turn.covered, turn.place)


def refuse_unreadable(stages: Iterable[Stage], mind: Mind) -> None:
    """Refuse a cron text that cannot be read before a night begins, not in the middle of it."""
    for stage in stages:
        next_due(stage, mind.now(), mind)


def next_due(stage: Stage, after: datetime, mind: Mind) -> datetime:
    """Return when a stage is due that covers everything up to an instant."""
    return following(getattr(mind.settings, stage.cadence), after, mind, stage.cadence)


def watched(vigil: ScheduleState, now: datetime, mind: Mind) -> ScheduleState:
    """Return what the watch knows after this look: a leap of the clock lets nothing leave.

    Ten years in one step are a broken clock, or a person who was away: either way nothing they
    cared for may be gone before they have had time to look (FAULTS R-15).
    """
    longest = now + timedelta(days=mind.settings.forgetting_days)
    if vigil.seen_at is None or now - vigil.seen_at <= timedelta(days=mind.settings.away_days):
        # Set back far enough, the end of the quiet time is a date of the wrong clock.
        return ScheduleState(now, min(vigil.quiet_until, longest), vigil.paused)
    return ScheduleState(now, longest, vigil.paused)
