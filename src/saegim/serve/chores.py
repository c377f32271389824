"""What is done while nobody asks: what hooks had no time for is heard, and what is due is slept.

A server does it in a thread. Without a server, hooks start a process in the background (`tend`).
"""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import saegim
from saegim.errors import SaegimError
from saegim.logs import logger
from saegim.plugins import Late
from saegim.serve.hooks import journal, slip, standing
from saegim.serve.hooks.quick import TEND, TENDING
from saegim.serve.hooks.spool import Spool
from saegim.serve.house import AtHome

if TYPE_CHECKING:
    from saegim.sleep import watch as watching
else:
    watching = Late("saegim.sleep.watch")

LOOK_SECONDS = 30.0
_log = logger("serve")
# So much of a look may go into the spool before others are let in again.
_AT_ONCE_SECONDS = 10.0
# Whoever uses the machine now comes first.
_NICE = 10


@contextmanager
def doing_chores(house: AtHome, home: Path, *, every: float = LOOK_SECONDS) -> Iterator[None]:
    """Do the chores in a quiet thread as long as this lasts."""
    stop = threading.Event()
    worker = threading.Thread(
        target=_work, args=(house, home, every, stop), name="saegim-chores", daemon=True
    )
    worker.start()
    try:
        yield
    finally:
        stop.set()
        house.stirred.set()


def _work(house: AtHome, home: Path, every: float, stop: threading.Event) -> None:
    while not stop.is_set():
        # What is wrong with the store is told to whoever asks, and by doctor.
        try:
            house.stirred.clear()
            if house.is_open:
                standing.worked_off(home, house.memory, _AT_ONCE_SECONDS)
        except (SaegimError, OSError) as error:
            _log.warning("what hooks left could not be heard: %s", type(error).__name__)
        house.stirred.wait(every)


# -- without a server -----------------------------------------------------------------------------


def tend(home: Path, memory: saegim.Saegim) -> bool:
    """Catch up, work off the spool and sleep what is due; say whether this process did it.

    One process at a time: whoever comes while another is at it has nothing to do.
    """
    with Spool(home).held(TENDING) as alone:
        if not alone:
            return False
        standing.worked_off(home, memory)
        look = watching.Watch.once(memory.mind)
        if look.trouble:
            journal.note(home, TEND, "failed: a night could not be slept; saegim doctor says why")
        # What came in the meantime has nobody else to hear it.
        if slip.slips(str(home)) or Spool(home).waiting():
            standing.worked_off(home, memory)
    return True


def apart() -> None:
    """Let this process be nobody's: no terminal, no folder held, and behind everyone else."""
    with contextlib.suppress(OSError, AttributeError):
        os.setsid()
    with contextlib.suppress(OSError, AttributeError):
        os.nice(_NICE)
    with contextlib.suppress(OSError):
        os.chdir(os.path.abspath(os.sep))
