"""The commands of the HTTP door: serve REST and MCP on one port, and the token that opens it."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterable
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from saegim import serve as rooms
from saegim.errors import Refused
from saegim.plugins import Late
from saegim.serve.commands.connecting import Profiles
from saegim.serve.commands.talk import Talk
from saegim.serve.rest import token as tokens
from saegim.serve.words.speech import Speech
from saegim.settings import STORE, read_settings

if TYPE_CHECKING:
    from saegim.serve.rest import nameplate, running
else:
    running = Late("saegim.serve.rest.running")


def serve(
    ctx: typer.Context,
    host: Annotated[str | None, typer.Option("--host", metavar="ADDRESS")] = None,
    port: Annotated[int | None, typer.Option("--port", metavar="N", min=0, max=65_535)] = None,
    profile: Profiles = "default",
    certificate: Annotated[str | None, typer.Option("--certificate", metavar="FILE")] = None,
    key: Annotated[str | None, typer.Option("--key", metavar="FILE")] = None,
    allow_host: Annotated[list[str] | None, typer.Option("--allow-host", metavar="NAME")] = None,
) -> None:
    """Serve REST and MCP over HTTP until Ctrl+C."""
    talk: Talk = ctx.obj
    plan = running.Plan.of(
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
    house = rooms.house.AtHome(
        talk.file, user=talk.user, agent=talk.agent, project=talk.project, watch=True
    )

    def announce(served: nameplate.Served) -> None:
        law = house.memory.mind.settings.forgetting
        told = {**asdict(served), "mcp": f"{served.url}/mcp", "forgetting": law}
        talk.answer(told, lambda: _shown(told, talk.speech))

    running.serve(house, plan, announce)


def _shown(told: dict[str, Any], speech: Speech) -> Iterable[str]:
    yield speech("serving", url=told["url"])
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


def token(
    ctx: typer.Context,
    new: Annotated[bool, typer.Option("--new")] = False,
    show: Annotated[bool, typer.Option("--show")] = False,
) -> None:
    """Say where the token is; make a new one; show it to a person."""
    talk: Talk = ctx.obj
    if show and not (talk.person and sys.stdout.isatty()):
        raise Refused("command.token_is_shown_only")
    if new:
        tokens.renewed(talk.home)
    held = tokens.token_at(talk.home)
    told: dict[str, Any] = {"token_file": str(talk.home / tokens.FILE), "new": new}
    if show:
        told["token"] = held

    def shown() -> Iterable[str]:
        yield told["token_file"]
        if show:
            yield held
        if new:
            yield talk.speech("token renewed")

    talk.answer(told, shown)
