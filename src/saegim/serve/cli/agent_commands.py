"""The commands for agents and shells: MCP, hooks, the server and its token, completion."""

from __future__ import annotations

import os
import shlex
import sys
import time
import webbrowser
from collections.abc import Iterable
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.completion import get_completion_script  # type: ignore[attr-defined]

from saegim.errors import BadInput, Refused, Unavailable
from saegim.serve.access import new_link
from saegim.serve.backend import LocalBackend, RunningServer
from saegim.serve.cli.talk import Talk
from saegim.serve.hooks import flow, spool_worker
from saegim.serve.hooks.deadlines import pace_of
from saegim.serve.hooks.event import EVENTS
from saegim.serve.hooks.hook_main import TEND
from saegim.serve.hooks.memory_access import HookCall
from saegim.serve.server_file import believed
from saegim.serve.speech import Speech
from saegim.serve.terminal import agent_here
from saegim.serve.web.door import new_code
from saegim.settings import STORE, read_settings

if TYPE_CHECKING:
    from saegim.serve import server_file

_SHELLS = ("bash", "zsh", "fish", "powershell")
Profiles = Annotated[str, typer.Option("--profile", metavar="core|default|full")]


def mcp(
    talk: Talk,
    profile: Profiles = "default",
    alone: Annotated[bool, typer.Option("--alone")] = False,
) -> None:
    """Serve one client over MCP on standard input and output."""
    from saegim.serve.mcp import stdio

    stdio.attend(
        profile,
        store=talk.file,
        user=talk.user,
        agent=talk.agent,
        project=talk.project,
        alone=alone,
    )


def completion(
    talk: Talk,
    shell: Annotated[str, typer.Argument(metavar="bash|zsh|fish|powershell")],
) -> None:
    """Print what a shell needs to complete commands and options."""
    if shell not in _SHELLS:
        raise BadInput("command.no_shell", shell=shell, known=", ".join(_SHELLS))
    script = get_completion_script(prog_name="saegim", complete_var="_SAEGIM_COMPLETE", shell=shell)
    talk.answer({"shell": shell, "script": script}, lambda: [script])


_DRAIN, _STATUS = "drain", "status"


def hook(
    talk: Talk,
    event: Annotated[str, typer.Argument(metavar="EVENT|drain|status|tend")],
) -> None:
    """Attend an event of an agent, work off what waits, or say how the hooks fare."""
    if event == _DRAIN:
        with talk.memory(new=True) as memory:
            done = spool_worker.worked_off(talk.home, memory)
        told = {"heard": done.heard, "waiting": done.waiting, "elsewhere": done.elsewhere}
        sentence = "hook busy" if done.elsewhere else "hook drained"
        talk.answer(told, lambda: [talk.speech(sentence, **told)])
    elif event == _STATUS:
        state = spool_worker.state_of(talk.home)
        talk.answer(state, lambda: spool_worker.told(state, talk.speech))
    elif event == TEND:
        spool_worker.apart()
        with talk.memory(new=True) as memory:
            told = {"tended": spool_worker.tend(talk.home, memory)}
        talk.answer(told, list)
    elif event in EVENTS:
        _attend(event, talk)
    else:
        raise BadInput(
            "command.no_event", event=event, known=", ".join((*EVENTS, _DRAIN, _STATUS, TEND))
        )


def _attend(event: str, talk: Talk) -> None:
    """Attend an event where a store or anything else was named on the command line."""
    given = HookCall(
        home=talk.home,
        file=talk.file,
        user=talk.user,
        agent=talk.agent,
        project=talk.project,
        environment=dict(os.environ),
    )
    pace = pace_of(event, os.environ, time.monotonic())
    flow.attended(event, _everything, _write, given, pace)


def _everything() -> bytes:
    return b"" if sys.stdin is None else sys.stdin.buffer.read()


def _write(data: bytes) -> None:
    sys.stdout.write(data.decode("ascii"))
    sys.stdout.flush()


def serve(
    talk: Talk,
    host: Annotated[str | None, typer.Option("--host", metavar="ADDRESS")] = None,
    port: Annotated[int | None, typer.Option("--port", metavar="N", min=0, max=65_535)] = None,
    profile: Profiles = "default",
    certificate: Annotated[str | None, typer.Option("--certificate", metavar="FILE")] = None,
    key: Annotated[str | None, typer.Option("--key", metavar="FILE")] = None,
    allow_host: Annotated[list[str] | None, typer.Option("--allow-host", metavar="NAME")] = None,
    browser: Annotated[bool, typer.Option("--browser/--no-browser")] = True,
) -> None:
    """Serve REST, MCP and the pages over HTTP until Ctrl+C."""
    from saegim.serve.cli.guest import carried_out_for
    from saegim.serve.rest import run_server

    plan = run_server.ServePlan.of(
        talk.file or talk.home / STORE,
        read_settings(talk.home),
        host=host,
        port=port,
        profile=profile,
        certificate=certificate,
        key=key,
        hosts=tuple(allow_host or ()),
        user=talk.user,
        project=talk.project,
        agent=talk.agent,
    )
    backend = LocalBackend(
        talk.file,
        user=talk.user,
        agent=talk.agent,
        project=talk.project,
        watch=True,
        commands=carried_out_for,
    )

    def announce(served: server_file.Served) -> None:
        law = backend.memory.mind.settings.forgetting
        told = {**asdict(served), "mcp": f"{served.url}/mcp", "forgetting": law}
        # Only a person gets the link, never a program that reads what is printed.
        link = _link(talk, served.url) if talk.asks and not agent_here(os.environ) else ""
        talk.answer(told, lambda: _served(told, link, talk.speech))
        if link and browser:
            _show(link)

    run_server.serve(backend, plan, announce)


def open_(
    talk: Talk, browser: Annotated[bool, typer.Option("--browser/--no-browser")] = True
) -> None:
    """Give a link to the pages that works once, and open it on a desktop."""
    if not talk.asks:
        raise Refused("command.link_is_given_to_person")
    talk.refuse_agents("saegim open")
    user = talk.user or read_settings(talk.home).user
    told = believed(talk.home)
    # One of the people who share the store comes to the server of whose machine it is.
    person = talk.user if talk.user and told.get("user") != talk.user else None
    server = None if person else user
    if RunningServer.find(talk.home, talk.file or talk.home / STORE, server) is None:
        raise Unavailable("command.no_server_for_pages")
    link = _link(talk, str(told["url"]), person)
    talk.answer({}, lambda: [talk.speech("pages link", link=link)])
    if browser:
        _show(link)


def _link(talk: Talk, url: str, person: str | None = None) -> str:
    if person is None:
        return f"{url}/in?code={new_code(talk.home)}"
    talk.user = None
    with talk.memory() as memory:
        return f"{url}/in?code={new_link(memory, person)}"


def _show(link: str) -> None:
    """Open a link where there is a desktop to open it on."""
    at_desk = sys.platform in ("darwin", "win32") or any(
        os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY")
    )
    if at_desk:
        webbrowser.open(link)


def _served(told: dict[str, Any], link: str, speech: Speech) -> Iterable[str]:
    yield speech("serving", url=told["url"])
    yield speech("pages link", link=link) if link else speech("pages how")
    yield speech("serving mcp", url=told["mcp"])
    yield speech("serving token", file=told["token_file"])
    yield speech("serving client")
    yield speech("serving curl", command=_curl(told["token_file"], f"{told['url']}/v1/stats"))
    yield speech.law(told["forgetting"])
    yield speech("serving end")


def _curl(file: str, url: str) -> str:
    """Return a line for a shell that asks with the token; no list of processes shows it."""
    held = f'"$(cat {shlex.quote(file)})"'
    return f"printf 'Authorization: Bearer %s' {held} | curl -H @- {shlex.quote(url)}"
