"""The commands of projects: what each holds, moving memories, merging two into one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from saegim import serve
from saegim.errors import BadInput
from saegim.serve.commands.daily import Yes
from saegim.serve.commands.talk import Talk

if TYPE_CHECKING:
    from saegim.projects.projects import Moved

Ids = Annotated[list[str], typer.Argument(metavar="ID...")]
To = Annotated[str, typer.Option("--to", metavar="PROJECT")]
Source = Annotated[str, typer.Argument(metavar="SOURCE")]
Into = Annotated[str, typer.Option("--into", metavar="PROJECT")]
DryRun = Annotated[bool, typer.Option("--dry-run")]


def projects(ctx: typer.Context) -> None:
    """List the projects and what each holds."""
    talk: Talk = ctx.obj
    with talk.memory(here=True) as memory:
        held, here = memory.care.projects.all(), memory.scope.project
    talk.answer(
        {
            "projects": [serve.housed.project(each, here) for each in held],
            "scope": serve.plain.scope(memory.scope),
        },
        lambda: serve.housed.projects(held, here, talk.speech),
    )


def move(ctx: typer.Context, ids: Ids, to: To, dry_run: DryRun = False) -> None:
    """Move memories to another project."""
    talk: Talk = ctx.obj
    with talk.memory() as memory:
        done = memory.care.projects.move(*ids, to=to, dry_run=dry_run)
    talk.answer(serve.housed.moved(done), lambda: serve.housed.went(done, talk.speech))


def merge(
    ctx: typer.Context, source: Source, into: Into, dry_run: DryRun = False, yes: Yes = False
) -> None:
    """Merge a project into another."""
    talk: Talk = ctx.obj
    with talk.memory() as memory:
        done = memory.care.projects.merge(source, into, dry_run=True)
        if not dry_run:
            if not yes:
                _ask_first(talk, source, done)
            done = memory.care.projects.merge(source, into)
    talk.answer(serve.housed.moved(done), lambda: serve.housed.went(done, talk.speech))


def _ask_first(talk: Talk, source: str, would: Moved) -> None:
    """Show what would move and go on only with a person's yes."""
    if not talk.asks:
        error = BadInput("command.nothing_was_merged_needs_yes")
        if not talk.as_json:
            talk.answer(None, lambda: serve.housed.went(would, talk.speech))
        raise typer.Exit(talk.complain(error, **serve.housed.moved(would)))
    talk.answer(None, lambda: serve.housed.went(would, talk.speech))
    if not talk.agreed("merge these", source=source, to=would.to or talk.speech("all projects")):
        raise typer.Abort
