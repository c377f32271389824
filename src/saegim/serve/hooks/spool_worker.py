"""Working off the spool, and how the hooks fare: what waits, what was cut off or caught up.

A server does it in a thread. Without a server, hooks start a process in the background (`tend`).
"""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import saegim
from saegim.errors import SaegimError
from saegim.logs import logger
from saegim.memory.clock import from_micros, iso
from saegim.messages import translated
from saegim.serve.backend import LocalBackend
from saegim.serve.hooks import event_note, journal
from saegim.serve.hooks.deadlines import HOOK_TIME_LIMITS_MS, Deadline
from saegim.serve.hooks.event import EVENTS
from saegim.serve.hooks.hook_main import TEND, TENDING
from saegim.serve.hooks.journal import CUT_OFF
from saegim.serve.hooks.spool import Spool
from saegim.serve.hooks.transcript_position import roots
from saegim.serve.speech import Speech

if TYPE_CHECKING:
    from saegim.saegim import Saegim
    from saegim.serve.hooks import drain as draining

_LINES: Final = 10
_LOOKED_AT: Final = 2000
# Whoever asks for it by hand, waits.
_BY_HAND: Final = 600.0


def worked_off(home: Path, memory: Saegim, seconds: float = _BY_HAND) -> draining.Drained:
    """Hear what no hook could, and work off the spool of a home into an open memory."""
    from saegim.serve.hooks import catchup
    from saegim.serve.hooks import drain as draining

    pace = Deadline(time.monotonic() + seconds)
    catchup.catch_up(home, memory, pace, memory.mind.now())
    return draining.drain(home, lambda: memory, pace)


def state_of(home: Path) -> dict[str, Any]:
    """Return what the hooks of a home have left behind, ready for JSON."""
    spool = Spool(home)
    slips = event_note.slips(str(home))
    return {
        "events": {
            name: {"called": EVENTS[name], "ms": HOOK_TIME_LIMITS_MS[name]} for name in EVENTS
        },
        "waiting": len(spool.waiting()),
        "cut": [_shown(each) for each in slips if not each.taken and not each.is_running()],
        "with_server": sum(each.taken for each in slips),
        "caught_up": [line for line in journal.last(home, _LOOKED_AT) if CUT_OFF in line][-_LINES:],
        "watched": [{"folder": each.folder, "since": each.since} for each in roots(home)],
        "apart": [str(each) for each in spool.apart()],
        "journal": journal.last(home, _LINES),
        "file": str(home / journal.FILE),
    }


def _shown(paper: event_note.EventNote) -> dict[str, Any]:
    """Return one event that began and did not end; its session by the beginning of its name."""
    return {
        "event": paper.event,
        "at": iso(from_micros(paper.at)),
        "session": paper.session[:8],
        "transcript": bool(paper.transcript),
    }


def told(state: dict[str, Any], speech: Speech) -> Iterator[str]:
    """Say the same to a person."""
    yield speech("hook waiting", count=state["waiting"])
    if state["apart"]:
        yield speech("hook apart", count=len(state["apart"]), file=state["apart"][0])
    if state["cut"]:
        yield speech("hook cut", count=len(state["cut"]))
        yield from (f"  {each['at']} {each['event']} {each['session']}" for each in state["cut"])
    if state["caught_up"]:
        yield speech("hook caught up")
        yield from (_line(each, speech) for each in state["caught_up"])
    if not state["journal"]:
        yield speech("hook quiet")
        return
    yield speech("hook journal", file=state["file"])
    yield from (_line(each, speech) for each in state["journal"])


def _line(noted: str, speech: Speech) -> str:
    """Say a line of the journal: when and at which event as noted, what in the language."""
    at, event, what = (*noted.split(" ", 2), "", "")[:3]
    return f"  {at} {event} {translated(what, speech.language)}"


LOOK_SECONDS = 30.0
_log = logger("serve")
# So much of a look may go into the spool before others are let in again.
_AT_ONCE_SECONDS = 10.0
# Whoever uses the machine now comes first.
_NICE = 10


@contextmanager
def working_off_spool(
    backend: LocalBackend, home: Path, *, every: float = LOOK_SECONDS
) -> Iterator[None]:
    """Work off the spool in a quiet thread as long as this lasts."""
    stop = threading.Event()
    worker = threading.Thread(
        target=_work, args=(backend, home, every, stop), name="saegim-spool-worker", daemon=True
    )
    worker.start()
    try:
        yield
    finally:
        stop.set()
        backend.stirred.set()


def _work(backend: LocalBackend, home: Path, every: float, stop: threading.Event) -> None:
    while not stop.is_set():
        # What is wrong with the store is told to whoever asks, and by doctor.
        try:
            backend.stirred.clear()
            if backend.is_open:
                worked_off(home, backend.memory, _AT_ONCE_SECONDS)
        except (SaegimError, OSError) as error:
            _log.warning("what hooks left could not be heard: %s", type(error).__name__)
        backend.stirred.wait(every)


# -- without a server -----------------------------------------------------------------------------


def tend(home: Path, memory: saegim.Saegim) -> bool:
    """Catch up, work off the spool and sleep what is due; say whether this process did it.

    One process at a time: whoever comes while another is at it has nothing to do.
    """
    from saegim.sleep import scheduler

    with Spool(home).held(TENDING) as alone:
        if not alone:
            return False
        worked_off(home, memory)
        look = scheduler.Scheduler.once(memory.mind)
        if look.trouble:
            journal.note(home, TEND, "failed: a night could not be slept; saegim doctor says why")
        # What came in the meantime has nobody else to hear it.
        if event_note.slips(str(home)) or Spool(home).waiting():
            worked_off(home, memory)
    return True


def apart() -> None:
    """Let this process be nobody's: no terminal, no folder held, and behind everyone else."""
    with contextlib.suppress(OSError, AttributeError):
        os.setsid()
    with contextlib.suppress(OSError, AttributeError):
        os.nice(_NICE)
    with contextlib.suppress(OSError):
        os.chdir(os.path.abspath(os.sep))
