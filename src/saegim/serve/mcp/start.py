"""`saegim mcp` as clients start it: who asks, from where, and who carries it out; no parser."""

from __future__ import annotations

import os
import secrets
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from saegim.errors import SaegimError
from saegim.logs import begin, logger
from saegim.serve.backend import LocalBackend, ServerBackend
from saegim.serve.hooks import hook_main
from saegim.serve.mcp import stdio
from saegim.serve.mcp.client_info import PROFILES, ClientInfo
from saegim.serve.speech import Speech
from saegim.serve.terminal import chosen_settings, complain, exit_code, speak_utf8, standing_in
from saegim.settings import STORE, data_directory

if TYPE_CHECKING:
    import saegim


def knows(arguments: Sequence[str]) -> bool:
    """Say whether these are the usual words of `saegim mcp`, so that no parser is needed."""
    return tuple(arguments) in {("mcp",), *(("mcp", "--profile", each) for each in PROFILES)}


def leave(arguments: Sequence[str]) -> NoReturn:
    """Serve one client as it asked for with the usual words, and end the process."""
    speak_utf8()
    try:
        attend(arguments[2] if len(arguments) > 1 else "default")
    except SaegimError as error:
        speech = Speech.of(chosen_settings(data_directory()).language)
        complain(speech("error"), *speech.trouble(error))
        sys.exit(exit_code(error))


def attend(
    profile: str,
    *,
    store: Path | None = None,
    user: str | None = None,
    agent: str | None = None,
    project: str | None = None,
    alone: bool = False,
) -> NoReturn:
    """Serve one client on standard input and output until it leaves, and end the process."""
    home = data_directory().absolute() if store is None else store.parent
    own = LocalBackend(store, user=user, agent=agent, heartbeat=partial(_tend, home, store))
    settings = chosen_settings(home)
    begin(settings.log_level)
    person = settings.user if user is None else user
    backend = own if alone else ServerBackend(home, store or home / STORE, own, person)
    folder = os.environ.get("CLAUDE_PROJECT_DIR") or str(standing_in() or "")
    guest = ClientInfo(
        profile,
        project=project if project is not None else os.environ.get("SAEGIM_PROJECT"),
        folder=folder or None,
        agent=agent if agent is not None else os.environ.get("SAEGIM_AGENT"),
        session=f"mcp-{secrets.token_hex(8)}",
    )
    logger("serve").info("a client came over MCP, with the profile %s", profile)
    stdio.run(backend, guest, 60 * settings.rest_after_minutes)


def _tend(home: Path, store: Path | None, memory: saegim.Saegim) -> None:
    """Let a process in the background sleep what is due: a client may keep this one for a month."""
    # It loads the night, which a client's first question does without.
    from saegim.sleep import scheduler

    if scheduler.is_due(memory.mind):
        hook_main.tend_later(str(home), [f"--path={store}"] if store else [])
