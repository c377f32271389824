"""The night: one tuple of stages; interrupted, run twice or by two processes, done exactly once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from saegim.errors import BadInput
from saegim.logs import logger
from saegim.memory.memory import Scope
from saegim.mind import Mind
from saegim.sleep import schedule
from saegim.sleep.night import Night, NightStep, Stage
from saegim.sleep.run_stage import NightLease, run
from saegim.sleep.stages import (
    deduplicate,
    distil,
    expire,
    fade,
    housekeeping,
    leave,
    promote,
    reflect,
    reweigh,
    year_report,
)
from saegim.store.tables.night_table import NightRow

NIGHT: tuple[Stage, ...] = (
    # First, so that what a session leaves behind is settled in the same night.
    Stage("sessions", "cron_sessions", housekeeping.sessions),
    Stage("merge", "cron_evolver", deduplicate.merge),
    Stage("renew", "cron_daily", housekeeping.renew),
    Stage("importance", "cron_midnight", reweigh.reckon),
    # Before each leaving: what has had its full year is asked about, not let go.
    Stage("promote", "cron_evolver", promote.promote),
    Stage("distil", "cron_weekly", distil.distil),
    Stage("deepen", "cron_monthly", distil.deepen),
    Stage("fade", "cron_daily", fade.fade),
    Stage("leave", "cron_evolver", leave.leave),
    Stage("forget", "cron_daily", expire.forget),
    Stage("reflect", "cron_evolver", reflect.reflect),
    Stage("propose", "cron_monthly", promote.propose),
    Stage("relearn", "cron_daily", housekeeping.relearn),
    Stage("checkpoint", "cron_daily", housekeeping.checkpoint),
    Stage("backup", "cron_daily", housekeeping.backup),
    Stage("ledgers", "cron_yearly", housekeeping.ledgers),
    Stage("year", "cron_yearly", year_report.year),
    Stage("report", "cron_daily", housekeeping.report),
)
# Called as a stage begins and as it goes: the stage, and how many steps it has taken.
Tell = Callable[[str, int], None]
_log = logger("sleep")


def sleep(
    scope: Scope, mind: Mind, *, stages: Sequence[str] = (), tell: Tell = lambda *_: None
) -> NightRow | None:
    """Sleep now: every stage, or those named; nothing if another process is sleeping here."""
    return _slept(scope, mind, chosen(stages), tell, due=False)


def sleep_if_due(scope: Scope, mind: Mind, *, tell: Tell = lambda *_: None) -> NightRow | None:
    """Sleep what the rota asks for now; nothing while it is paused or nothing is due."""
    if mind.store.nights.vigil(scope.user).paused:
        return None
    ready = schedule.due(scope.user, NIGHT, mind)
    if not ready and mind.store.nights.running(scope) is None:
        return None
    return _slept(scope, mind, ready, tell, due=True)


def _slept(
    scope: Scope, mind: Mind, wanted: Sequence[Stage], tell: Tell, *, due: bool
) -> NightRow | None:
    """Finish the night that was left half done, if there is one, then sleep what is wanted."""
    last = None
    schedule.refuse_unreadable(NIGHT, mind)
    while (row := begun(scope, mind, wanted, due=due)) is not None:
        night = _night(row, scope, mind)
        _log.info("%s begins: %d of %d stages", row.id, len(row.stages), len(NIGHT))
        with NightLease(row, mind) as holding:
            for stage in NIGHT:
                if stage.name in row.stages and stage.name not in row.done:
                    run(stage, night, holding, tell)
        last = mind.store.nights.end(row, mind.now())
        _log.info("%s ended", row.id)
        # A night that was taken up is not the one asked for; what it did is not done again.
        taken_up = row.fence > 1
        wanted = [each for each in wanted if taken_up and each.name not in row.stages]
        if not wanted:
            return last
    return last


def rehearse(
    scope: Scope, mind: Mind, *, stages: Sequence[str] = ()
) -> Iterator[tuple[Stage, NightStep]]:
    """Show what a night would do and why: it is slept in a copy of the store and thrown away.

    No model is asked: it would cost, and answer differently the next time.
    """
    wanted = chosen(stages)
    with mind.store.copy() as copied:
        there = replace(mind, store=copied, model=None, traces=None)
        copied.nights.close_running(scope.user)
        row = begun(scope, there, wanted)
        assert row is not None
        night = replace(_night(row, scope, there), rehearsed=True)
        with NightLease(row, there) as holding:
            for stage in wanted:
                shown: list[NightStep] = []
                run(stage, night, holding, lambda *_: None, show=shown.append)
                yield from ((stage, step) for step in shown)


def chosen(names: Sequence[str]) -> list[Stage]:
    """Return the stages of these names, in the order of the night; all of them for none."""
    known = {each.name for each in NIGHT}
    if unknown := sorted(set(names) - known):
        raise BadInput(
            "sleep.no_stage", unknown=unknown[0], night=", ".join(each.name for each in NIGHT)
        )
    return [each for each in NIGHT if not names or each.name in names]


def begun(
    scope: Scope, mind: Mind, stages: Sequence[Stage], *, due: bool = False
) -> NightRow | None:
    """Begin a night of these stages, or take up one whose holder is gone."""
    now = mind.now()
    vigil = schedule.watched(mind.store.nights.vigil(scope.user), now, mind)
    names = [each.name for each in stages]
    return mind.store.nights.begin(scope, mind.new_id("night"), names, now, vigil=vigil, due=due)


def _night(row: NightRow, scope: Scope, mind: Mind) -> Night:
    turns = mind.store.nights.turns(scope.user)
    return Night(
        scope=Scope(scope.user),
        mind=mind,
        id=row.id,
        at=row.at,
        lets_go=row.lets_go,
        places={name: turn.place for name, turn in turns.items()},
    )
