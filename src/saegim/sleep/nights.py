"""`Nights`: what a person may ask of the nights: what one would do, what they did, take it back."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from saegim.errors import BadInput, NotFound
from saegim.memory.memory import Scope
from saegim.mind import Mind
from saegim.sleep import flow, schedule, undo
from saegim.sleep.night import NightStep, Stage
from saegim.sleep.scheduler import Scheduler
from saegim.sleep.stages.year_report import Year, report_of, years
from saegim.soul.promotions import Promotion, promotions
from saegim.store.tables.night_table import NightRow

_MOST = 1000


@dataclass(frozen=True, slots=True)
class Nights:
    """The nights of one user."""

    scope: Scope
    mind: Mind

    def rehearse(self, *stages: str) -> Iterator[tuple[Stage, NightStep]]:
        """Show what a night would do and why; nothing is changed."""
        return flow.rehearse(self.scope, self.mind, stages=stages)

    def latest(self, n: int = 10) -> list[NightRow]:
        """Return the latest nights, the last one first, each with what it did."""
        if isinstance(n, bool) or not isinstance(n, int) or not 1 <= n <= _MOST:
            raise BadInput("sleep.n_cannot_be", n=n, most=_MOST)
        return self.mind.store.nights.latest(self.scope, n)

    def one(self, id: str) -> NightRow:
        """Return one night by its id."""
        if (night := self.mind.store.nights.get(self.scope, id)) is None:
            raise NotFound("sleep.no_night", id=str(id)[:60])
        return night

    def promotions(self, n: int = 20, *, night: str = "") -> list[Promotion]:
        """Return what rose lately, from which tier to which and why (seed D §9-6)."""
        if isinstance(n, bool) or not isinstance(n, int) or not 1 <= n <= _MOST:
            raise BadInput("sleep.n_cannot_be", n=n, most=_MOST)
        found = promotions(self.scope, self.mind)
        return [each for each in found if not night or each.night == night][:n]

    def years(self) -> list[Year]:
        """Return the years that were summed up, the latest first (seed D §3, yearly)."""
        return years(self.scope, self.mind)

    def year(self, name: int | str | None = None) -> Year:
        """Return the report of one year, or the latest."""
        return report_of(name, self.scope, self.mind)

    def undo(self, name: str) -> undo.Undone:
        """Take back a night by its id, or one Change by its line in the ledger."""
        return undo.undo(str(name), scope=self.scope, mind=self.mind)

    def apply_retention_policy(self) -> NightRow | None:
        """Let go of what has no room or no time left (seed A §6.1), and of nothing else."""
        return flow.sleep(self.scope, self.mind, stages=("leave",))

    def due(self) -> dict[str, datetime]:
        """Return when each stage of the night is due next."""
        turns, _ = schedule.planned(self.scope.user, flow.NIGHT, self.mind)
        return {stage.name: turns[stage.name].due_at for stage in flow.NIGHT}

    def pause(self) -> None:
        """Sleep only when asked to, until `resume`."""
        self.mind.store.nights.pause(self.scope.user, True)

    def resume(self) -> None:
        """Sleep by the rota again."""
        self.mind.store.nights.pause(self.scope.user, False)

    @property
    def paused(self) -> bool:
        """Say whether nights happen only when asked for."""
        return self.mind.store.nights.vigil(self.scope.user).paused

    def watch(self) -> Scheduler:
        """Keep watch in this process: sleep whenever something is due, until it is closed."""
        return Scheduler(self.mind)
