"""`Scheduler`: one quiet thread that looks at the schedule, sleeps and imagines what is due."""

from __future__ import annotations

import contextlib
import secrets
import threading
from collections.abc import Callable, Sequence

from saegim.errors import SaegimError
from saegim.imagine.flow import imagine_if_due
from saegim.logs import logger
from saegim.memory.memory import Scope
from saegim.mind import Mind
from saegim.sleep import schedule
from saegim.sleep.flow import NIGHT, sleep_if_due

# How often the rota is looked at; cron text counts in minutes.
LOOK_SECONDS = 30.0
_PATIENCE_SECONDS = 5.0
_log = logger("sleep")
# What looks for the stores of an installation, and tells of each that does not answer.
Minds = Callable[[Callable[[SaegimError], None]], Sequence[Mind]]


def is_due(mind: Mind) -> bool:
    """Say whether a night is due for anyone, or was left half done; plans what is unplanned."""
    nights = mind.store.nights
    for owner in nights.owners():
        if nights.vigil(owner).paused:
            continue
        if schedule.due(owner, NIGHT, mind) or nights.running(Scope(owner)) is not None:
            return True
    return False


def _in_turn(mind: Mind) -> list[str]:
    """Return everyone; replicas on a server begin anywhere, and do not queue for the same first."""
    owners = mind.store.nights.owners()
    start = secrets.randbelow(len(owners)) if owners and mind.store.database.is_server else 0
    return [*owners[start:], *owners[:start]]


class Scheduler:
    """Keeps watch over every owner of a store until it is closed."""

    def __init__(
        self,
        mind: Mind,
        *,
        every: float = LOOK_SECONDS,
        keep: bool = True,
        beside: Callable[[], None] = lambda: None,
        minds: Minds | None = None,
    ) -> None:
        self.mind = mind
        # Of an installation with several stores, those over each; one that is away comes later.
        self._minds: Minds = minds or (lambda _: (mind,))
        # What this process does for itself at each look: it has sessions in mind.
        self._beside = beside
        self._every = every
        self._stop = threading.Event()
        # Why the last look failed; the next one tries again.
        self.trouble = ""
        self._thread = threading.Thread(target=self._run, name="saegim-watch", daemon=True)
        with contextlib.suppress(RuntimeError):
            if keep:
                self._thread.start()

    @classmethod
    def once(cls, mind: Mind) -> Scheduler:
        """Look once, here and now, and keep no watch; what went wrong is its `trouble`."""
        looked = cls(mind, keep=False)
        looked.look()
        return looked

    def _run(self) -> None:
        while True:
            self.look()
            if self._stop.wait(self._every):
                return

    def look(self) -> int:
        """Sleep and imagine what is due now, for everyone; return how many nights were slept."""
        try:
            self._beside()
        except SaegimError as error:
            self._failed(error)
            return 0
        self.trouble = ""
        return sum(self._look_at(mind) for mind in self._minds(self._passed))

    def _failed(self, error: SaegimError) -> None:
        self.trouble = error.message
        _log.warning("looking for what is due failed: %s", type(error).__name__)

    def _passed(self, error: SaegimError) -> None:
        self.trouble = error.message
        _log.warning("a store was passed over, nobody there sleeps: %s", error.values.get("name"))

    def _look_at(self, mind: Mind) -> int:
        slept = 0
        try:
            owners = _in_turn(mind)
        except SaegimError as error:
            self._failed(error)
            return 0
        for owner in owners:
            if self._stop.is_set() or self._enough_sleep(mind):
                break
            try:
                slept += sleep_if_due(Scope(owner), mind) is not None
                imagine_if_due(Scope(owner), mind)
            except SaegimError as error:
                # One owner's trouble keeps nobody else awake.
                self.trouble = error.message
                _log.warning("a night could not be slept: %s", type(error).__name__)
        return slept

    def _enough_sleep(self, mind: Mind) -> bool:
        """Say whether as many nights run as may: those who are due have their turn at a later look.

        Nights that other processes begin at this very moment are not seen yet.
        """
        nights, most = mind.store.nights, mind.settings.nights_at_once
        try:
            return nights.under_way(mind.now()) >= most
        except SaegimError as error:
            self.trouble = error.message
            return True

    def close(self) -> None:
        """Stop after the night in hand; one that hangs on a model is left to its own time."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join(_PATIENCE_SECONDS)
