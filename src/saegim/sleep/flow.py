"""The night: one tuple of stages; interrupted, run twice or by two processes, done exactly once.

A stage is carried out under a lease: small commits, and its end noted with the last of them.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from types import TracebackType
from typing import Any, Self

from saegim.errors import (
    BadInput,
    NotFound,
    Refused,
    SaegimError,
    StoreError,
    TakenOver,
    hint,
)
from saegim.logs import logger
from saegim.memory.changes import Portrayed
from saegim.memory.memory import Scope
from saegim.mind import Mind
from saegim.sleep import schedule
from saegim.sleep.night import Night, NightStep, Stage
from saegim.sleep.schedule import next_due
from saegim.sleep.stages import (
    deduplicate,
    distil,
    housekeeping,
    leave,
    promote,
    reflect,
    relearn,
    reweigh,
    self_upkeep,
    year_report,
)
from saegim.store.commit import Batch
from saegim.store.tables.night_table import LEASE, NightRow, Shift

NIGHT: tuple[Stage, ...] = (
    # First, so that what a session leaves behind is settled in the same night.
    Stage("sessions", "cron_sessions", housekeeping.sessions),
    Stage("merge", "cron_evolver", deduplicate.merge),
    Stage("renew", "cron_daily", housekeeping.renew),
    Stage("importance", "cron_midnight", reweigh.reckon),
    # Before the rise: what belongs to an island rises with it.
    Stage("self", "cron_daily", self_upkeep.self_upkeep),
    # Before each leaving: what has had its full year is asked about, not let go.
    Stage("promote", "cron_evolver", promote.promote),
    Stage("distil", "cron_weekly", distil.distil),
    Stage("deepen", "cron_monthly", distil.deepen),
    Stage("fade", "cron_daily", reweigh.fade),
    Stage("leave", "cron_evolver", leave.leave),
    Stage("forget", "cron_daily", leave.forget),
    Stage("reflect", "cron_evolver", reflect.reflect),
    Stage("propose", "cron_monthly", promote.propose),
    Stage("believe", "cron_monthly", self_upkeep.propose_self),
    Stage("relearn", "cron_daily", relearn.relearn),
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
        near, night = hint(unknown[0], known), ", ".join(each.name for each in NIGHT)
        raise BadInput("sleep.no_stage", unknown=unknown[0], hint=near, night=night)
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
        whole=len(row.stages) == len(NIGHT),
    )


# -- The lease of a night, held while it is slept

_BEATS = 4
_PATIENCE_SECONDS = 5.0


class NightLease:
    """Keeps a night ours while it is slept, and names it to every commit."""

    def __init__(self, row: NightRow, mind: Mind) -> None:
        self.row = row
        self.mind = mind
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._beat, name="saegim-night", daemon=True)

    def shift(self, stage: str, **progress: Any) -> Shift:
        """Return what the next commit of a stage proves and moves on."""
        return Shift(
            night=self.row.id, fence=self.row.fence, stage=stage, until=self._until(), **progress
        )

    def _until(self) -> datetime:
        return self.mind.now() + LEASE

    def _beat(self) -> None:
        while not self._stop.wait(LEASE.total_seconds() / _BEATS):
            # A busy store is tried again at the next beat; one that took the night over shows
            # itself at the next commit.
            with suppress(StoreError):
                self.mind.store.nights.renew(self.row.owner, self.shift(""))

    def __enter__(self) -> Self:
        # Without a thread to spare the commits alone renew the lease.
        with suppress(RuntimeError):
            self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join(_PATIENCE_SECONDS)
        if error is not None:
            with suppress(StoreError):
                self.mind.store.nights.release(self.row.owner, self.shift(""), self.mind.now())


# -- One stage of the night is carried out: its steps committed in small parts

# Small enough that a write of someone else waits a few milliseconds, not more.
_MOST_CHANGES = 48
# Steps that waited for a model are not kept waiting for more.
_LONGEST_WAIT = 1.0
# Between two commits as long a breath as the last one took, so that others get the write lock: they
# look for it in steps of up to a tenth of a second.
_LEAST_BREATH, _LONGEST_BREATH = 0.002, 0.1
_SAMPLES = 5


def run(
    stage: Stage,
    night: Night,
    holding: NightLease,
    tell: Callable[[str, int], None],
    *,
    show: Callable[[NightStep], None] = lambda _: None,
) -> None:
    """Carry out a stage; one that fails ends itself, not the night, and the report says so."""
    tell(stage.name, 0)
    taken, trouble = 0, ""
    held: Sequence[NightStep] = ()
    # Steps that change nothing are told once, with the end: cut off, they are looked at again.
    still: list[NightStep] = []
    seen = night.mind.store.ledger.length(night.owner)
    try:
        for steps in _portions(_noted(stage, night, still, show)):
            if held:
                taken += _commit(held, stage, night, holding, seen)
                tell(stage.name, taken)
            held = steps
    except TakenOver:
        raise
    except SaegimError as error:
        trouble = error.message
        # Its words may be someone's; the report of the night has them.
        _log.warning("%s: the stage %s failed: %s", night.id, stage.name, type(error).__name__)
    _log.debug("%s: the stage %s took %d steps", night.id, stage.name, taken + len(held))
    _end(held, still, trouble, stage, night, holding, seen)


def _noted(
    stage: Stage, night: Night, still: list[NightStep], show: Callable[[NightStep], None]
) -> Iterator[NightStep]:
    """Yield the steps that change something; the others are kept for the end."""
    for step in stage.run(night):
        show(step)
        night.note(stage.name, step)
        if step.changes:
            yield step
        else:
            still.append(step)


def _end(
    held: Sequence[NightStep],
    still: Sequence[NightStep],
    trouble: str,
    stage: Stage,
    night: Night,
    holding: NightLease,
    seen: int,
) -> None:
    """Commit the last steps together with the end of the stage."""
    places = [step.place for step in (*held, *still) if step.place is not None]
    now = night.mind.now()
    ends = {
        "ends": True,
        "place": None if trouble or not places else night.places.get(stage.name),
        "due_at": next_due(stage, now, night.mind),
        "covered": now,
    }
    told = _did(still) | ({"trouble": trouble} if trouble else {})
    try:
        _write(held, stage, night, holding, seen, did=_did(held) | told, **ends)
    except TakenOver:
        raise
    except (Refused, NotFound):
        for step in held:
            _alone(step, stage, night, holding, seen)
        _write((), stage, night, holding, seen, did=told, **ends)


def _portions(steps: Iterator[NightStep]) -> Iterator[list[NightStep]]:
    """Gather steps until they are worth a commit, or have waited long enough."""
    held: list[NightStep] = []
    count = 0
    since = time.monotonic()
    for step in steps:
        held.append(step)
        count += len(step.changes)
        if count >= _MOST_CHANGES or time.monotonic() - since > _LONGEST_WAIT:
            yield held
            held, count, since = [], 0, time.monotonic()
    if held:
        yield held


def _commit(
    steps: Sequence[NightStep], stage: Stage, night: Night, holding: NightLease, seen: int
) -> int:
    """Commit steps together; where someone has changed one of them meanwhile, the others alone."""
    since = time.monotonic()
    try:
        _write(steps, stage, night, holding, seen, did=_did(steps))
        done = len(steps)
    except TakenOver:
        raise
    except (Refused, NotFound):
        done = sum(_alone(step, stage, night, holding, seen) for step in steps)
    time.sleep(min(_LONGEST_BREATH, max(_LEAST_BREATH, time.monotonic() - since)))
    return done


def _alone(step: NightStep, stage: Stage, night: Night, holding: NightLease, seen: int) -> bool:
    """Commit one step, unless what it is about has changed since it was thought out."""
    try:
        _write((step,), stage, night, holding, seen, did=_did((step,)))
    except TakenOver:
        raise
    except (Refused, NotFound):
        _write((), stage, night, holding, seen, did={"overtaken": 1})
        return False
    return True


def _did(steps: Sequence[NightStep]) -> dict[str, Any]:
    """Return what steps come to: a count for each reason, and the first ids as samples."""
    counts = Counter(step.why for step in steps)
    samples: dict[str, list[str]] = {}
    for step in steps:
        held = samples.setdefault(f"{step.why}:ids", [])
        if len(held) < _SAMPLES:
            held += step.about[:1]
    troubles = [str(step.details["trouble"]) for step in steps if "trouble" in step.details]
    told = {**counts, **{what: ids for what, ids in samples.items() if ids}}
    return {**told, "trouble": troubles[0]} if troubles else told


def _write(
    steps: Sequence[NightStep],
    stage: Stage,
    night: Night,
    holding: NightLease,
    seen: int,
    *,
    did: Mapping[str, Any],
    **ends: Any,
) -> None:
    mind = night.mind
    vectors = {id: vector for step in steps for id, vector in step.vectors.items()}
    mind.store.commit(
        Batch(
            owner=night.owner,
            changes=[change for step in steps for change in step.changes],
            actor=night.id,
            at=mind.now(),
            vectors=vectors,
            identity=mind.embedder.identity if vectors else None,
            shift=holding.shift(stage.name, did=did, **ends),
            seen=seen,
            leans_on=[id for step in steps if _is_portrait(step) for id in step.about],
            maker=night.id,
            until=night.until,
        )
    )


def _is_portrait(step: NightStep) -> bool:
    return any(isinstance(change, Portrayed) for change in step.changes)
