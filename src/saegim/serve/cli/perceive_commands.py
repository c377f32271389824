"""The commands around perceiving: overhear a turn, who is known, what is kept apart, what waits."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

from saegim.errors import BadInput
from saegim.serve.catalogue import answers
from saegim.serve.cli import render_memories, render_perceiving
from saegim.serve.cli.talk import Name, Number, Parent, Talk, Text, When, Yes, given_text
from saegim.serve.terminal import put

if TYPE_CHECKING:
    from saegim.perceive.quarantine import Separated
    from saegim.perceive.turn import TurnDetails

Ids = Annotated[list[str] | None, typer.Argument(metavar="ID...")]
Files = Annotated[list[str] | None, typer.Option("--file", metavar="PATH")]


def observe(
    talk: Talk,
    text: Text = None,
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
    words = given_text(text)
    about: TurnDetails = {
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
        {**answers.observed(seen, talk.speech), "scope": answers.scope(scope)},
        lambda: [
            *render_perceiving.told(seen, talk.speech),
            *render_memories.kept_where([each.memory for each in seen.kept], scope, talk.speech),
        ],
    )


def about(
    talk: Talk,
    name: Annotated[str | None, typer.Argument(metavar="[NAME]")] = None,
) -> None:
    """Tell what is known of you, or of someone you speak of, and which memory says so."""
    with talk.memory() as memory:
        found = memory.entities.about(name)
    talk.answer(answers.portrait(found), lambda: render_perceiving.portrayed(found, talk.speech))


def people(
    talk: Talk,
    name: Annotated[str | None, typer.Argument(metavar="[NAME]")] = None,
    limit: Number = 20,
    same_as: Annotated[str | None, typer.Option("--same-as", metavar="NAME")] = None,
    apart: Annotated[bool, typer.Option("--apart")] = False,
    about: Annotated[list[str] | None, typer.Option("--about", metavar="ID")] = None,
    named: Annotated[str, typer.Option("--named", metavar="NAME")] = "",
) -> None:
    """List whom and what memories speak about, or show one of them."""
    if name is not None and (same_as is not None or apart or about):
        _one_or_two(talk, name, same_as=same_as, apart=apart, about=about or [], named=named)
        return
    with talk.memory() as memory:
        if name is None:
            found = memory.entities.all()[:limit]
            talk.answer(
                {"entities": [answers.entity(each) for each in found]},
                lambda: render_perceiving.acquaintances(found, talk.speech),
            )
            return
        points = memory.entities.trajectory(name)
        known = memory.entities.named(name)[0]
        held = memory.entities.standing(name)
    talk.answer(
        {
            **answers.entity(known),
            "trust_rests_on": answers.standing(held),
            "history": [answers.point(each) for each in points],
        },
        lambda: render_perceiving.profile(known, points, held, talk.speech),
    )


def _one_or_two(
    talk: Talk, name: str, *, same_as: str | None, apart: bool, about: list[str], named: str
) -> None:
    """Make two names one, or one name two."""
    with talk.memory() as memory:
        people = memory.entities
        key = people.key_of(name)
        if same_as is not None:
            maker = people.merge(key, people.key_of(same_as))
            told = {"name": name, "other": same_as, "maker": maker}
            talk.answer(told, lambda: [talk.speech("were made one", **told)])
        elif apart:
            told = {"name": name, "maker": people.unmerge(key)}
            talk.answer(told, lambda: [talk.speech("is apart", **told)])
        else:
            made = people.split(key, [memory.get(id, counts=False).id for id in about], named)
            told = {"name": made.name, "other": name, "count": str(made.interactions)}
            talk.answer(told, lambda: [talk.speech("were split", **told)])


def quarantine(
    talk: Talk,
    author: Name = None,
    origin: Name = None,
    session: Name = None,
    domain: Name = None,
    limit: Number = 10,
    yes: Yes = False,
) -> None:
    """Show what is kept apart, or keep apart everything that a source brought."""
    given = {"author": author, "origin": origin, "session": session, "domain": domain}
    source: dict[str, Any] = {what: value for what, value in given.items() if value is not None}
    with talk.memory() as memory:
        if not source:
            page = memory.recent(limit, states=["quarantined"], everywhere=True)
            talk.answer(answers.page(page), lambda: render_perceiving.apart(page, talk.speech))
            return
        seen = memory.sources.quarantine(**source)
        if seen.memories and not yes:
            _agreed(talk, len(seen.memories))
        done = memory.sources.quarantine(confirm=True, **source)
    talk.answer(
        {"done": done.done, "memories": [answers.memory(each) for each in done.memories]},
        lambda: render_perceiving.separated(done.memories, talk.speech),
    )


def release(
    talk: Talk,
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
    narrow = {"author": author, "origin": origin, "session": session, "domain": domain}
    about: dict[str, Any] = {what: value for what, value in narrow.items() if value is not None}
    about |= {"source": source, "suspects": suspects}
    with talk.memory() as memory:
        done = memory.sources.release(*(ids or ()), **about)
        if not done.done and done.memories:
            if not yes:
                _let_out(talk, done)
            done = memory.sources.release(confirm=True, **about)
    talk.answer(answers.let_out(done), lambda: render_perceiving.released(done, talk.speech))


def work(
    talk: Talk,
    again: Annotated[bool, typer.Option("--again")] = False,
    show: Annotated[bool, typer.Option("--list")] = False,
) -> None:
    """Do now what waits for the language model."""
    with talk.memory() as memory:
        ended = [] if show else list(memory.maintenance.work(parked=again))
        model = memory.status()["model"]
    talk.answer(
        {
            "done": [answers.work_done(each) for each in ended],
            "model": model,
        },
        lambda: render_perceiving.worked(ended, model, talk.speech),
    )


def derive(talk: Talk) -> None:
    """Read the facts out of kept turns again."""
    with talk.memory() as memory:
        found = [count for _, count in memory.maintenance.derive()]
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
    for part in render_perceiving.released(found, talk.speech):
        put(part, error=True)
    if not talk.agreed("let out all", memories=talk.speech.memories(len(found.memories))):
        raise typer.Abort


def distil(
    talk: Talk,
    job: Annotated[str | None, typer.Argument(metavar="[JOB]")] = None,
    facts: Annotated[str | None, typer.Argument(metavar="[FACTS]")] = None,
    limit: Annotated[int, typer.Option("--limit", "-n", metavar="N")] = 3,
) -> None:
    """Show turns whose facts nobody has read yet, or hand in the facts of one."""
    from saegim.serve.catalogue import entry, turn_functions

    with talk.memory(here=True) as memory:
        at = entry.CallContext(memory)
        if job is None:
            lent = turn_functions.distil_next.call(at, limit=limit)
            talk.answer(lent, lambda: render_perceiving.lent(lent, talk.speech))
            return
        done = turn_functions.distil_submit.call(
            at, job=job, facts=_facts(given_text(facts or "-"))
        )
    talk.answer(done, lambda: render_perceiving.handed_in(done, talk.speech))


def _facts(text: str) -> list[dict[str, Any]]:
    """Read facts as JSON: a list of them, or an object that holds one."""
    try:
        told = json.loads(text)
    except ValueError as error:
        raise BadInput("command.facts_are_not_json", error=error) from error
    held = told.get("facts") if isinstance(told, dict) else told
    if not isinstance(held, list) or not all(isinstance(each, dict) for each in held):
        raise BadInput("command.facts_are_no_list")
    return held
