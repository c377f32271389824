"""A hook's work: JSON in, JSON out, in time, and never an error to the person.

The work is done in a thread while this one watches the clock: when the time is up it answers with
what there is and leaves. Standard output carries the one document and nothing else. A server does
the same for the hooks that ask it (`for_neighbour`).
"""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from saegim.errors import BadInput, Refused, SaegimError, SettingsError
from saegim.logs import begin, logger
from saegim.serve.hooks import event_note, flow, hook_main, journal
from saegim.serve.hooks.deadlines import Deadline
from saegim.serve.hooks.event import EVENTS, event_of, read_event
from saegim.serve.hooks.hook_main import answer_of
from saegim.serve.hooks.memory_access import HookCall, Housed
from saegim.settings import Settings, read_settings

if TYPE_CHECKING:
    from saegim.saegim import Saegim

_WORKER: Final = "saegim-hook"
_log = logger("hooks")
_ASKED: Final = frozenset({"event", "told", "slip", "project", "started_in", "ms"})


def go_on(
    asked: hook_main.Given, data: bytes, paper: str, out: hook_main.Output, end: float
) -> None:
    """Attend an event in this process, after its slip was written and no server answered."""
    given = HookCall(
        home=Path(asked.home),
        file=Path(asked.path) if asked.path else None,
        user=asked.user,
        agent=asked.agent,
        project=asked.project,
        environment=dict(os.environ),
    )
    _begin_logs(given.home)
    reply = flow.HookReply()

    def failed(how: threading.ExceptHookArgs) -> None:
        # What nobody has thought of is no error to the person either.
        journal.note(given.home, asked.event, f"failed: {journal.named(how.exc_type)}")
        if how.thread is not None and how.thread.name == _WORKER:
            reply.end()

    threading.excepthook = failed
    ended = attended(asked.event, lambda: data, out.write, given, Deadline(end), reply, paper)
    if not ended or reply.left_over:
        hook_main.tend_later(asked.home, asked.words)


def _begin_logs(home: Path) -> None:
    try:
        level = read_settings(home).log_level
    except (SettingsError, OSError):
        # What is wrong with them is said elsewhere.
        level = Settings().log_level
    begin(level)


def attended(
    event: str,
    read: Callable[[], bytes],
    write: Callable[[bytes], None],
    given: HookCall,
    pace: Deadline,
    reply: flow.HookReply | None = None,
    paper: str = "",
) -> bool:
    """Answer one event in time; say whether all of its work was done."""
    reply = reply or flow.HookReply()
    threading.Thread(
        target=_work, args=(event, read, given, pace, reply, paper), name=_WORKER, daemon=True
    ).start()
    in_time = reply.is_said_within(pace.left)
    write(answer_of(event, reply.text if in_time else ""))
    if not in_time:
        journal.note(given.home, event, "cut short: nothing could be told in time")
        with contextlib.suppress(SaegimError, OSError, ValueError):
            if reply.event is not None:
                flow.hand_over(reply.event, given, reply)
    return reply.has_ended_within(pace.left)


def _work(
    event: str,
    read: Callable[[], bytes],
    given: HookCall,
    pace: Deadline,
    reply: flow.HookReply,
    paper: str,
) -> None:
    try:
        told = read_event(event, read(), given.clock.now() if given.clock else None)
        flow.attend(told, given, pace, reply, paper)
        _log.debug("%s was attended", event)
    except (SaegimError, OSError, ValueError) as error:
        journal.note(given.home, event, f"failed: {journal.named(error)}")
    reply.end()


# -- for a hook that asks the server --------------------------------------------------------------


def for_neighbour(body: Mapping[str, Any], memory: Saegim) -> dict[str, Any]:
    """Answer the event of a hook next door; its slip says that the rest is ours to do.

    A prompt lies on the spool when this returns. Transcripts are read afterwards: nobody waits.
    """
    event, texts, paper = _checked(body)
    environment = {event_note.STARTED_IN: body["started_in"]} if body.get("started_in") else {}
    given = HookCall(
        home=memory.home,
        file=memory.mind.store.path,
        project=body.get("project"),
        environment=environment,
    )
    if given.owner.user != memory.scope.user:
        raise Refused("hook.server_serves_someone_else")
    told = event_of(event, texts)
    reply = flow.HookReply()
    flow.answer(told, given, Housed(memory, given), reply)
    event_note.take(str(memory.home), paper)
    return {"text": reply.text}


def _checked(body: Mapping[str, Any]) -> tuple[str, dict[str, str], str]:
    """Return what a hook asks for; refuse what is no event of ours."""
    if unknown := sorted(set(body) - _ASKED):
        raise BadInput("hook.hook_takes_no", unknown=unknown[0])
    event, texts, paper = body.get("event"), body.get("told"), body.get("slip", "")
    if event not in EVENTS:
        raise BadInput("hook.no_event", event=event, events=", ".join(EVENTS))
    rooms = (body.get("project") or "", body.get("started_in") or "", paper)
    held = texts if isinstance(texts, dict) else {"": None}
    if not all(isinstance(each, str) for each in (*held.values(), *rooms)):
        raise BadInput("hook.event_is_not_made")
    return str(event), dict(held), str(paper)
