"""The commands around perceiving: overhear a turn, who is known, what is kept apart, what waits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from saegim import serve
from saegim.errors import BadInput
from saegim.serve.commands.daily import Name, Number, Parent, Text, When, Yes
from saegim.serve.commands.talk import Talk, given_text
from saegim.serve.terminal import put

if TYPE_CHECKING:
    from saegim.perceive.quarantine import Separated

Ids = Annotated[list[str] | None, typer.Argument(metavar="ID...")]
Files = Annotated[list[str] | None, typer.Option("--file", metavar="PATH")]


def observe(
    ctx: typer.Context,
    text: Text,
    role: Annotated[str, typer.Option("--role", metavar="ROLE")] = "user",
    speaker: Name = None,
    addressee: Annotated[str | None, typer.Option("--to", metavar="NAME")] = None,
    session: Name = None,
    when: When = None,
    origin: Name = None,
    domain: Name = None,
    files: Files = None,
    parent: Parent = None,
) -> None:
    """Judge a turn of conversation and keep it if it is worth it."""
    talk: Talk = ctx.obj
    words = given_text(text)
    about = {
        "role": role,
        "speaker": speaker,
        "addressee": addressee,
        "session": session,
        "said_at": when,
        "origin": origin,
        "domain": domain,
        "files": files or None,
        "parent": parent,
    }
    with talk.memory(new=True, here=True) as memory:
        seen, scope = memory.observe(words, **about), memory.scope
    talk.answer(
        {**serve.heard.observed(seen), "scope": serve.plain.scope(scope)},
        lambda: [
            *serve.heard.told(seen, talk.speech),
            *serve.housed.kept_where([each.memory for each in seen.kept], scope, talk.speech),
        ],
    )


def people(
    ctx: typer.Context,
    name: Annotated[str | None, typer.Argument(metavar="[NAME]")] = None,
    limit: Number = 20,
) -> None:
    """List whom and what memories speak about, or show one of them."""
    talk: Talk = ctx.obj
    with talk.memory() as memory:
        if name is None:
            found = memory.people.all()[:limit]
            talk.answer(
                {"entities": [serve.heard.entity(each) for each in found]},
                lambda: serve.heard.acquaintances(found, talk.speech),
            )
            return
        points = memory.people.trajectory(name)
        known = memory.people.named(name)[0]
        held = memory.people.standing(name)
    talk.answer(
        {
            **serve.heard.entity(known),
            "trust_rests_on": serve.heard.standing(held),
            "history": [serve.heard.point(each) for each in points],
        },
        lambda: serve.heard.profile(known, points, held, talk.speech),
    )


def quarantine(
    ctx: typer.Context,
    author: Name = None,
    origin: Name = None,
    session: Name = None,
    domain: Name = None,
    limit: Number = 10,
    yes: Yes = False,
) -> None:
    """Show what is kept apart, or keep apart everything that a source brought."""
    talk: Talk = ctx.obj
    given = {"author": author, "origin": origin, "session": session, "domain": domain}
    source: dict[str, Any] = {what: value for what, value in given.items() if value is not None}
    with talk.memory() as memory:
        if not source:
            page = memory.recent(limit, states=["quarantined"], everywhere=True)
            talk.answer(serve.plain.page(page), lambda: serve.heard.apart(page, talk.speech))
            return
        seen = memory.sources.quarantine(**source)
        if seen.memories and not yes:
            _agreed(talk, len(seen.memories))
        done = memory.sources.quarantine(confirm=True, **source)
    talk.answer(
        {"done": done.done, "memories": [serve.plain.memory(each) for each in done.memories]},
        lambda: serve.heard.separated(done.memories, talk.speech),
    )


def release(
    ctx: typer.Context,
    ids: Ids = None,
    source: Name = None,
    author: Name = None,
    origin: Name = None,
    session: Name = None,
    domain: Name = None,
    suspects: Annotated[bool, typer.Option("--suspects")] = False,
    yes: Yes = False,
) -> None:
    """Let memories out of quarantine: by id, or together all that a source brought."""
    talk: Talk = ctx.obj
    narrow = {"author": author, "origin": origin, "session": session, "domain": domain}
    about: dict[str, Any] = {what: value for what, value in narrow.items() if value is not None}
    about |= {"source": source, "suspects": suspects}
    with talk.memory() as memory:
        done = memory.sources.release(*(ids or ()), **about)
        if not done.done and done.memories:
            if not yes:
                _let_out(talk, done)
            done = memory.sources.release(confirm=True, **about)
    talk.answer(serve.heard.let_out(done), lambda: serve.heard.released(done, talk.speech))


def work(
    ctx: typer.Context,
    again: Annotated[bool, typer.Option("--again")] = False,
    show: Annotated[bool, typer.Option("--list")] = False,
) -> None:
    """Do now what waits for the language model."""
    talk: Talk = ctx.obj
    with talk.memory() as memory:
        ended = [] if show else list(memory.care.work(parked=again))
        model = memory.status()["model"]
    talk.answer(
        {
            "done": [serve.heard.done(each) for each in ended],
            "model": model,
        },
        lambda: serve.heard.worked(ended, model, talk.speech),
    )


def derive(ctx: typer.Context) -> None:
    """Read the facts out of kept turns again."""
    talk: Talk = ctx.obj
    with talk.memory() as memory:
        found = [count for _, count in memory.care.derive()]
    talk.answer(
        {"turns": len(found), "facts": sum(found)},
        lambda: [talk.speech("derived", turns=len(found), facts=sum(found))],
    )


def _agreed(talk: Talk, count: int) -> None:
    if talk.as_json or not talk.asks:
        raise BadInput("command.nothing_was_kept_apart_needs")
    if not talk.agreed("keep apart", memories=talk.speech.memories(count)):
        raise typer.Abort


def _let_out(talk: Talk, found: Separated) -> None:
    """Show what would be let out, and go on only with a yes."""
    if talk.as_json or not talk.asks:
        raise BadInput("command.nothing_was_let_out_needs")
    for part in serve.heard.released(found, talk.speech):
        put(part, error=True)
    if not talk.agreed("let out all", memories=talk.speech.memories(len(found.memories))):
        raise typer.Abort
