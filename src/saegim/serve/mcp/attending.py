"""`saegim mcp` as clients start it: who asks, from where, and who carries it out; no parser."""

from __future__ import annotations

import os
import secrets
import sys
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, NoReturn

from saegim.errors import SaegimError
from saegim.logs import begin, logger
from saegim.plugins import Late
from saegim.serve.commands.talk import Talk, chosen_settings, speak_utf8, standing_in
from saegim.serve.hooks import quick
from saegim.serve.house import AtHome
from saegim.serve.mcp import stdio
from saegim.serve.mcp.guest import PROFILES, Guest
from saegim.serve.nextdoor import Nearby
from saegim.serve.words.speech import Speech
from saegim.settings import STORE, data_directory

if TYPE_CHECKING:
    import saegim
    from saegim.sleep import watch
else:
    # It loads the night, which a client's first question does without.
    watch = Late("saegim.sleep.watch")


def knows(arguments: Sequence[str]) -> bool:
    """Say whether these are the usual words of `saegim mcp`, so that no parser is needed."""
    return tuple(arguments) in {("mcp",), *(("mcp", "--profile", each) for each in PROFILES)}


def leave(arguments: Sequence[str]) -> NoReturn:
    """Serve one client as it asked for with the usual words, and end the process."""
    speak_utf8()
    talk = Talk()
    try:
        attend(talk, arguments[2] if len(arguments) > 1 else "default")
    except SaegimError as error:
        talk.speech = Speech.of(chosen_settings(data_directory()).language)
        sys.exit(talk.complain(error))


def attend(talk: Talk, profile: str, *, alone: bool = False) -> NoReturn:
    """Serve one client on standard input and output until it leaves, and end the process."""
    file = talk.file or talk.home / STORE
    own = AtHome(talk.file, user=talk.user, agent=talk.agent, heartbeat=partial(_tend, talk))
    settings = chosen_settings(talk.home)
    begin(settings.log_level)
    user = settings.user if talk.user is None else talk.user
    house = own if alone else Nearby(talk.home, file, own, user)
    named = talk.project if talk.project is not None else os.environ.get("SAEGIM_PROJECT")
    folder = os.environ.get("CLAUDE_PROJECT_DIR") or str(standing_in() or "")
    agent = talk.agent if talk.agent is not None else os.environ.get("SAEGIM_AGENT")
    guest = Guest(
        profile,
        project=named,
        folder=folder or None,
        agent=agent,
        session=f"mcp-{secrets.token_hex(8)}",
    )
    logger("serve").info("a client came over MCP, with the profile %s", profile)
    stdio.run(house, guest, 60 * settings.rest_after_minutes)


def _tend(talk: Talk, memory: saegim.Saegim) -> None:
    """Let a process in the background sleep what is due: a client may keep this one for a month."""
    if watch.is_due(memory.mind):
        quick.tend_later(str(talk.home), [f"--path={talk.file}"] if talk.file else [])
