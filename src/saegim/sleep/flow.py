"""The night: one tuple of stages; interrupted, run twice or by two processes, done exactly once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from saegim.errors import BadInput
from saegim.memory.scope import Scope
from saegim.mind import Mind
from saegim.sleep import rota
from saegim.sleep.lease import Holding
from saegim.sleep.night import Night, Stage, Step
from saegim.sleep.running import run
from saegim.sleep.stages import (
    backup,
    checkpoint,
    distil,
    fade,
    forget,
    leave,
    merge,
    promote,
    propose,
    reckon,
    reflect,
    relearn,
    renew,
    report,
    year,
)
from saegim.store.desk.nights import NightRow

NIGHT: tuple[Stage, ...] = (
    Stage("merge", "cron_evolver", merge.merge),
    Stage("renew", "cron_daily", renew.renew),
    Stage("importance", "cron_midnight", reckon.reckon),
    # Before each leaving: what has had its full year is asked about, not let go.
    Stage("promote", "cron_evolver", promote.promote),
    Stage("distil", "cron_weekly", distil.distil),
    Stage("deepen", "cron_monthly", distil.deepen),
    Stage("fade", "cron_daily", fade.fade),
    Stage("leave", "cron_evolver", leave.leave),
    Stage("forget", "cron_daily", forget.forget),
    Stage("reflect", "cron_evolver", reflect.reflect),
    Stage("propose", "cron_monthly", propose.propose),
    Stage("relearn", "cron_daily", relearn.relearn),
    Stage("checkpoint", "cron_daily", checkpoint.checkpoint),
    Stage("backup", "cron_daily", backup.backup),
    Stage("year", "cron_yearly", year.year),
    Stage("report", "cron_daily", report.report),
)
# Called as a stage begins and as it goes: the stage, and how many steps it has taken.
Tell = Callable[[str, int], None]


def sleep(
    scope: Scope, mind: Mind, *, stages: Sequence[str] = (), tell: Tell = lambda *_: None
) -> NightRow | None:
    """Sleep now: every stage, or those named; nothing if another process is sleeping here."""
    wanted = chosen(stages)
    while (row := begun(scope, mind, wanted)) is not None:
        night = _night(row, scope, mind)
        with Holding(row, mind) as holding:
            for stage in [each for each in NIGHT if each.name in row.stages]:
                if stage.name not in row.done:
                    run(stage, night, holding, tell)
        ended = mind.store.nights.end(row, mind.now())
        # A night that was left half done was finished first: what it did need not be done again.
        wanted = [each for each in wanted if each.name not in row.stages] if row.done else []
        if not wanted:
            return ended
    return None


def sleep_if_due(scope: Scope, mind: Mind, *, tell: Tell = lambda *_: None) -> NightRow | None:
    """Sleep what the rota asks for now; nothing while it is paused or nothing is due."""
    if mind.store.nights.vigil(scope.user).paused:
        return None
    ready = rota.due(scope.user, NIGHT, mind)
    left = mind.store.nights.running(scope)
    if not ready and left is None:
        return None
    names = [each.name for each in ready] or list(left.stages if left else ())
    return sleep(scope, mind, stages=[*names, "report"], tell=tell)


def rehearse(
    scope: Scope, mind: Mind, *, stages: Sequence[str] = ()
) -> Iterator[tuple[Stage, Step]]:
    """Show what a night would do and why; nothing is changed, and no model is asked."""
    now = mind.now()
    vigil = rota.watched(mind.store.nights.vigil(scope.user), now, mind)
    turns = mind.store.nights.turns(scope.user)
    night = Night(
        scope=Scope(scope.user),
        # No model is asked for a rehearsal: it would cost, and answer differently the next time.
        mind=replace(mind, model=None),
        id="night_rehearsed",
        at=now,
        lets_go=now >= vigil.quiet_until,
        places={name: turn.place for name, turn in turns.items()},
        rehearsed=True,
    )
    for stage in chosen(stages):
        for step in stage.run(night):
            night.note(stage.name, step)
            yield stage, step


def chosen(names: Sequence[str]) -> list[Stage]:
    """Return the stages of these names, in the order of the night; all of them for none."""
    known = {each.name for each in NIGHT}
    if unknown := sorted(set(names) - known):
        raise BadInput(
            f"There is no stage {unknown[0]!r:.40}.",
            next_step=f"The stages are: {', '.join(each.name for each in NIGHT)}.",
        )
    return [each for each in NIGHT if not names or each.name in names]


def begun(scope: Scope, mind: Mind, stages: Sequence[Stage]) -> NightRow | None:
    """Begin a night of these stages, or take up one whose holder is gone."""
    now = mind.now()
    vigil = rota.watched(mind.store.nights.vigil(scope.user), now, mind)
    names = [each.name for each in stages]
    return mind.store.nights.begin(scope, mind.new_id("night"), names, now, vigil=vigil)


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
