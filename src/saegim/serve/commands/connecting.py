"""The commands for agents and shells: memory over MCP, work lent to an agent, completion."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer
from typer.completion import get_completion_script  # type: ignore[attr-defined]

from saegim import serve
from saegim.errors import BadInput, SaegimError, SettingsError
from saegim.serve.commands.talk import (
    Talk,
    chosen_language,
    given_text,
    speak_utf8,
    standing_in,
)
from saegim.serve.mcp.guest import PROFILES
from saegim.serve.words.speech import Speech
from saegim.settings import STORE, Settings, data_directory, read_settings

_SHELLS = ("bash", "zsh", "fish", "powershell")
Profiles = Annotated[str, typer.Option("--profile", metavar="core|default|full")]


def mcp(
    ctx: typer.Context,
    profile: Profiles = "default",
    alone: Annotated[bool, typer.Option("--alone")] = False,
) -> None:
    """Serve one client over MCP on standard input and output."""
    _attend(ctx.obj, profile, alone=alone)


def knows(arguments: Sequence[str]) -> bool:
    """Say whether these are the usual words of `saegim mcp`, so that no parser is needed."""
    return tuple(arguments) in {("mcp",), *(("mcp", "--profile", each) for each in PROFILES)}


def leave(arguments: Sequence[str]) -> NoReturn:
    """Serve one client as it asked for with the usual words, and end the process."""
    speak_utf8()
    talk = Talk()
    try:
        _attend(talk, arguments[2] if len(arguments) > 1 else "default")
    except SaegimError as error:
        talk.speech = Speech.of(chosen_language(data_directory()))
        sys.exit(talk.complain(error))


def _attend(talk: Talk, profile: str, *, alone: bool = False) -> NoReturn:
    file = talk.file or talk.home / STORE
    own = serve.house.AtHome(talk.file, user=talk.user, agent=talk.agent)
    # A server serves the person of its settings; who is someone else here goes in alone.
    other = talk.user is not None or "SAEGIM_USER" in os.environ
    house = own if alone or other else serve.nextdoor.Nearby(talk.home, file, own)
    named = talk.project if talk.project is not None else os.environ.get("SAEGIM_PROJECT")
    folder = os.environ.get("CLAUDE_PROJECT_DIR") or str(standing_in() or "")
    agent = talk.agent if talk.agent is not None else os.environ.get("SAEGIM_AGENT")
    guest = serve.guest.Guest(profile, project=named, folder=folder or None, agent=agent)
    serve.stdio.run(house, guest, 60 * _idle_minutes(talk.home))


def _idle_minutes(home: Path) -> float:
    try:
        return read_settings(home).rest_after_minutes
    except (SettingsError, OSError):
        # The first call says what is wrong with them.
        return Settings().rest_after_minutes


def distil(
    ctx: typer.Context,
    job: Annotated[str | None, typer.Argument(metavar="[JOB]")] = None,
    facts: Annotated[str | None, typer.Argument(metavar="[FACTS]")] = None,
    limit: Annotated[int, typer.Option("--limit", "-n", metavar="N")] = 3,
) -> None:
    """Show turns whose facts nobody has read yet, or hand in the facts of one."""
    talk: Talk = ctx.obj
    with talk.memory(here=True) as memory:
        at = serve.entry.Place(memory)
        if job is None:
            lent = serve.thinking.distil_next.call(at, limit=limit)
            talk.answer(lent, lambda: serve.handed.lent(lent, talk.speech))
            return
        done = serve.thinking.distil_submit.call(at, job=job, facts=_read(given_text(facts or "-")))
    talk.answer(done, lambda: serve.handed.handed_in(done, talk.speech))


def completion(
    ctx: typer.Context,
    shell: Annotated[str, typer.Argument(metavar="bash|zsh|fish|powershell")],
) -> None:
    """Print what a shell needs to complete commands and options."""
    talk: Talk = ctx.obj
    if shell not in _SHELLS:
        raise BadInput(f"There is no shell {shell!r:.40}.", next_step=f"Use {', '.join(_SHELLS)}.")
    script = get_completion_script(prog_name="saegim", complete_var="_SAEGIM_COMPLETE", shell=shell)
    talk.answer({"shell": shell, "script": script}, lambda: [script])


def _read(text: str) -> list[dict[str, Any]]:
    """Read facts as JSON: a list of them, or an object that holds one."""
    try:
        told = json.loads(text)
    except ValueError as error:
        raise BadInput(
            f"The facts are not JSON: {error}.", next_step="Give a list as the job's schema says."
        ) from error
    held = told.get("facts") if isinstance(told, dict) else told
    if not isinstance(held, list) or not all(isinstance(each, dict) for each in held):
        raise BadInput("The facts are no list.", next_step="Give a list as the job's schema says.")
    return held
