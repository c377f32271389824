"""The command for an agent's hooks: one event, what waits on the spool, or how they fare."""

from __future__ import annotations

import os
import sys
import time
from typing import Annotated

import typer

from saegim.errors import BadInput
from saegim.serve import chores
from saegim.serve.commands.talk import Talk
from saegim.serve.hooks import entry, standing
from saegim.serve.hooks.doors import Given
from saegim.serve.hooks.event import EVENTS
from saegim.serve.hooks.pace import pace_of
from saegim.serve.hooks.quick import TEND

_DRAIN, _STATUS = "drain", "status"


def hook(
    ctx: typer.Context,
    event: Annotated[str, typer.Argument(metavar="EVENT|drain|status|tend")],
) -> None:
    """Attend an event of an agent, work off what waits, or say how the hooks fare."""
    talk: Talk = ctx.obj
    if event == _DRAIN:
        with talk.memory(new=True) as memory:
            done = standing.worked_off(talk.home, memory)
        told = {"heard": done.heard, "waiting": done.waiting, "elsewhere": done.elsewhere}
        sentence = "hook busy" if done.elsewhere else "hook drained"
        talk.answer(told, lambda: [talk.speech(sentence, **told)])
    elif event == _STATUS:
        state = standing.state_of(talk.home)
        talk.answer(state, lambda: standing.told(state, talk.speech))
    elif event == TEND:
        chores.apart()
        with talk.memory(new=True) as memory:
            told = {"tended": chores.tend(talk.home, memory)}
        talk.answer(told, list)
    elif event in EVENTS:
        _attend(event, talk)
    else:
        raise BadInput(
            "command.no_event", event=event, known=", ".join((*EVENTS, _DRAIN, _STATUS, TEND))
        )


def _attend(event: str, talk: Talk) -> None:
    """Attend an event where a store or anything else was named on the command line."""
    given = Given(
        home=talk.home,
        file=talk.file,
        user=talk.user,
        agent=talk.agent,
        project=talk.project,
        environment=dict(os.environ),
    )
    pace = pace_of(event, os.environ, time.monotonic())
    entry.attended(event, _everything, _write, given, pace)


def _everything() -> bytes:
    return b"" if sys.stdin is None else sys.stdin.buffer.read()


def _write(data: bytes) -> None:
    sys.stdout.write(data.decode("ascii"))
    sys.stdout.flush()
