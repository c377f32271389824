"""The commands of projects: what each holds, moving memories, merging two into one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from saegim.errors import BadInput
from saegim.serve.catalogue import answers
from saegim.serve.cli import render_memories
from saegim.serve.cli.talk import Talk, Yes

if TYPE_CHECKING:
    from saegim.project_memories import ProjectMove

Ids = Annotated[list[str], typer.Argument(metavar="ID...")]
To = Annotated[str, typer.Option("--to", metavar="PROJECT")]
Source = Annotated[str, typer.Argument(metavar="SOURCE")]
Into = Annotated[str, typer.Option("--into", metavar="PROJECT")]
DryRun = Annotated[bool, typer.Option("--dry-run")]


def projects(talk: Talk) -> None:
    """List the projects and what each holds."""
    with talk.memory(here=True) as memory:
        held, here = memory.maintenance.projects.all(), memory.scope.project
    talk.answer(
        {
            "projects": [answers.project(each, here) for each in held],
            "scope": answers.scope(memory.scope),
        },
        lambda: render_memories.projects(held, here, talk.speech),
    )


def move(talk: Talk, ids: Ids, to: To, dry_run: DryRun = False) -> None:
    """Move memories to another project."""
    with talk.memory() as memory:
        done = memory.maintenance.projects.move(*ids, to=to, dry_run=dry_run)
    talk.answer(answers.moved(done), lambda: render_memories.went(done, talk.speech))


def merge(
    talk: Talk, source: Source, into: Into, dry_run: DryRun = False, yes: Yes = False
) -> None:
    """Merge a project into another."""
    with talk.memory() as memory:
        done = memory.maintenance.projects.merge(source, into, dry_run=True)
        if not dry_run:
            if not yes:
                _ask_first(talk, source, done)
            done = memory.maintenance.projects.merge(source, into)
    talk.answer(answers.moved(done), lambda: render_memories.went(done, talk.speech))


def _ask_first(talk: Talk, source: str, would: ProjectMove) -> None:
    """Show what would move and go on only with a person's yes."""
    if not talk.asks:
        error = BadInput("command.nothing_was_merged_needs_yes")
        if not talk.as_json:
            talk.answer(None, lambda: render_memories.went(would, talk.speech))
        raise typer.Exit(talk.complain(error, **answers.moved(would)))
    talk.answer(None, lambda: render_memories.went(would, talk.speech))
    if not talk.agreed("merge these", source=source, to=would.to or talk.speech("all projects")):
        raise typer.Abort
