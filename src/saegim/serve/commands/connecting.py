"""The commands for agents and shells: memory over MCP, work lent to an agent, completion."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer
from typer.completion import get_completion_script  # type: ignore[attr-defined]

from saegim import serve
from saegim.errors import BadInput
from saegim.serve.commands.talk import Talk, given_text

_SHELLS = ("bash", "zsh", "fish", "powershell")
Profiles = Annotated[str, typer.Option("--profile", metavar="core|default|full")]


def mcp(
    ctx: typer.Context,
    profile: Profiles = "default",
    alone: Annotated[bool, typer.Option("--alone")] = False,
) -> None:
    """Serve one client over MCP on standard input and output."""
    serve.attending.attend(ctx.obj, profile, alone=alone)


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
        raise BadInput("command.no_shell", shell=shell, known=", ".join(_SHELLS))
    script = get_completion_script(prog_name="saegim", complete_var="_SAEGIM_COMPLETE", shell=shell)
    talk.answer({"shell": shell, "script": script}, lambda: [script])


def _read(text: str) -> list[dict[str, Any]]:
    """Read facts as JSON: a list of them, or an object that holds one."""
    try:
        told = json.loads(text)
    except ValueError as error:
        raise BadInput("command.facts_are_not_json", error=error) from error
    held = told.get("facts") if isinstance(told, dict) else told
    if not isinstance(held, list) or not all(isinstance(each, dict) for each in held):
        raise BadInput("command.facts_are_no_list")
    return held
