"""`saegim hook EVENT`: JSON in, JSON out, in time, and never an error to the person.

The work is done in a thread while this one watches the clock: when the time is up it answers with
what there is and leaves. Standard output carries the one document and nothing else.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Sequence
from typing import Final, NoReturn

from saegim.errors import SaegimError
from saegim.serve.hooks import flow, journal
from saegim.serve.hooks.doors import Given
from saegim.serve.hooks.event import EVENTS, MOST_BYTES, read_event
from saegim.serve.hooks.pace import Pace, pace_of
from saegim.settings import data_directory

_NOTHING: Final = b"{}\n"
_IN, _OUT, _ERR = 0, 1, 2
_WORKER: Final = "saegim-hook"


def knows(arguments: Sequence[str]) -> bool:
    """Say whether these are the words of a hook, so that no parser is needed for them."""
    return len(arguments) == 2 and arguments[0] == "hook" and arguments[1] in EVENTS


def leave(event: str) -> NoReturn:
    """Carry out a hook of this process and end it, without waiting for any thread."""
    # What it took to get here counts too: whoever waits has waited for that as well.
    began = time.monotonic() - time.process_time()
    out = _Output(_kept_apart())
    # An agent that is interrupted ends its hooks; that is no error.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.excepthook = lambda *_: out.give_up()
    given = Given(home=data_directory().absolute(), environment=dict(os.environ))
    reply = flow.Reply()

    def failed(how: threading.ExceptHookArgs) -> None:
        # What nobody has thought of is no error to the person either.
        journal.note(given.home, event, f"failed: {journal.named(how.exc_type)}")
        if how.thread is not None and how.thread.name == _WORKER:
            reply.end()

    threading.excepthook = failed
    pace = pace_of(event, os.environ, began)
    attended(event, _everything, out.write, given, pace, reply)
    os._exit(0)


def attended(
    event: str,
    read: Callable[[], bytes],
    write: Callable[[bytes], None],
    given: Given,
    pace: Pace,
    reply: flow.Reply | None = None,
) -> bool:
    """Answer one event in time; say whether all of its work was done."""
    reply = reply or flow.Reply()
    threading.Thread(
        target=_work, args=(event, read, given, pace, reply), name=_WORKER, daemon=True
    ).start()
    in_time = reply.is_said_within(pace.left)
    write(answer_of(event, reply.text if in_time else ""))
    if not in_time:
        journal.note(given.home, event, "cut short: nothing could be told in time")
        with contextlib.suppress(SaegimError, OSError, ValueError):
            if reply.event is not None:
                flow.hand_over(reply.event, given)
    return reply.has_ended_within(pace.left)


def answer_of(event: str, text: str) -> bytes:
    """Write the answer as one JSON document, in plain ASCII whatever the locale is."""
    if not text:
        return _NOTHING
    told = {"hookEventName": EVENTS[event], "additionalContext": text}
    return json.dumps({"hookSpecificOutput": told}).encode("ascii") + b"\n"


def _work(
    event: str, read: Callable[[], bytes], given: Given, pace: Pace, reply: flow.Reply
) -> None:
    try:
        flow.attend(read_event(event, read()), given, pace, reply)
    except (SaegimError, OSError, ValueError) as error:
        journal.note(given.home, event, f"failed: {journal.named(error)}")
    reply.end()


def _kept_apart() -> int:
    """Return a way to standard output that nobody else in this process has."""
    try:
        ours = os.dup(_OUT)
        os.dup2(_ERR, _OUT)
    except OSError:
        return -1  # nobody listens there
    return ours


def _everything() -> bytes:
    """Read standard input to its end, or as far as makes sense."""
    parts, size = [], 0
    while size <= MOST_BYTES:
        try:
            part = os.read(_IN, 1 << 16)
        except OSError:
            break
        if not part:
            break
        parts.append(part)
        size += len(part)
    return b"".join(parts)


class _Output:
    """The way to whoever waits for the answer: one document, and no second."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._open = True

    def write(self, data: bytes) -> None:
        """Send the document, if someone listens and none was sent."""
        if not self._open:
            return
        self._open = False
        with contextlib.suppress(OSError):
            while data:
                data = data[os.write(self._descriptor, data) :]
            os.close(self._descriptor)

    def give_up(self) -> None:
        """End this process well, where not even the work could begin."""
        self.write(_NOTHING)
        os._exit(0)
