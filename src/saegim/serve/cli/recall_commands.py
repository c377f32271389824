"""The commands around a question: recall, a block for a prompt, feedback, ties, traces."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Annotated, Any

import saegim
from saegim.errors import BadInput, NotFound
from saegim.serve.catalogue import answers
from saegim.serve.cli.talk import (
    Argument,
    End,
    Ended,
    Id,
    Kinds,
    Name,
    Number,
    Option,
    Share,
    States,
    Tags,
    Talk,
    Tiers,
    When,
    filtered,
    given,
    given_text,
    said_day,
)
from saegim.serve.speech import LABELS
from saegim.serve.terminal import OTHER, put

Question = Annotated[str | None, Argument(metavar="[QUESTION]")]
AsOf = Annotated[str | None, Option("--as-of", metavar="DATE", read=said_day)]
History = Annotated[bool, Option("--history")]
Feelings = Annotated[list[str] | None, Option("--emotion", metavar="WORD")]
Phase = Annotated[str | None, Option("--phase", metavar="NAME")]
Everywhere = Annotated[bool, Option("--everywhere")]


def recall(
    talk: Talk,
    question: Question = None,
    limit: Annotated[int | None, Option("--limit", "-n", metavar="N")] = None,
    kinds: Kinds = None,
    tags: Tags = None,
    tiers: Tiers = None,
    states: States = None,
    since: When = None,
    until: End = None,
    as_of: AsOf = None,
    history: History = False,
    emotion: Feelings = None,
    phase: Phase = None,
    session: Name = None,
    domain: Name = None,
    persona: Name = None,
    author: Name = None,
    min_importance: Share = None,
    everywhere: Everywhere = False,
    near_misses: Annotated[bool, Option("--near-misses")] = False,
    explain: Annotated[bool, Option("--explain")] = False,
    features: Annotated[bool, Option("--features")] = False,
) -> None:
    """Answer a question, best first."""
    filters = filtered(kinds, tags, tiers, states, since, until, session=session, domain=domain)
    filters |= given(persona=persona, author=author, min_importance=min_importance)
    filters |= _then(as_of, emotion, phase, history=history)
    asked = _asked(given_text(question))
    with talk.memory(here=True) as memory:
        filters["everywhere"] = everywhere
        found = memory.recall(asked, limit=limit, near_misses=near_misses, **filters)
        rows: answers.Features = []
        if features:
            from saegim.recall.explain import features_of

            rows = features_of(found, asked, mind=memory.mind)
        scope = answers.looked_in(found.scope, everywhere=everywhere)
        found = replace(found, scope=scope)
        others = {}
        if all(hit.weak for hit in found.hits):
            others = answers.others_recall(memory, asked, filters)

        def shown() -> Iterable[Any]:
            # Who reads JSON waits for no tables.
            from saegim.serve.cli import render_memories, render_recall

            cut = memory.mind.store.words.analyser()
            yield from render_recall.told(found, talk.speech, cut, explain=explain, features=rows)
            yield from render_memories.others(others, talk.speech)
            # An explanation, and an answer that found nothing, say where was looked.
            if found.hits and not explain:
                yield from render_memories.at_hand(scope, talk.speech)

        # What was shown is written when the memory is closed: nobody waits for that.
        elsewhere = {"elsewhere": answers.elsewhere(others)}
        talk.answer(answers.recollection(found, rows) | elsewhere, shown)
    if not found.searched:
        raise Ended(OTHER)


def context(
    talk: Talk,
    question: Question = None,
    budget: Annotated[int | None, Option("--budget", metavar="N")] = None,
    recipe: Annotated[str, Option("--recipe", metavar="NAME")] = "auto_search",
    why: Annotated[bool, Option("--why")] = False,
    kinds: Kinds = None,
    tags: Tags = None,
    tiers: Tiers = None,
    states: States = None,
    since: When = None,
    until: End = None,
    as_of: AsOf = None,
    history: History = False,
    emotion: Feelings = None,
    phase: Phase = None,
    session: Name = None,
    domain: Name = None,
    persona: Name = None,
    author: Name = None,
    min_importance: Share = None,
    everywhere: Everywhere = False,
) -> None:
    """Print what belongs into a prompt."""
    filters = filtered(kinds, tags, tiers, states, since, until, session=session, domain=domain)
    filters |= given(persona=persona, author=author, min_importance=min_importance)
    filters |= _then(as_of, emotion, phase, history=history)
    asked = _asked(given_text(question))
    from saegim.serve.cli import render_memories, render_recall

    with talk.memory(here=True) as memory:
        made = memory.context(asked, budget=budget, recipe=recipe, everywhere=everywhere, **filters)
        scope = answers.looked_in(memory.scope, everywhere=everywhere)
        document = {**made.as_dict(), "scope": answers.scope(scope)}
        talk.answer(document, lambda: [made.text] if made.text else [])
        beside = render_memories.at_hand(scope, talk.speech)
        if why:
            beside = [*render_recall.left_out(made, talk.speech), *beside]
        # Beside the answer: what a prompt is given is the block alone.
        for said in () if talk.as_json else beside:
            put(said, error=True)


def feedback(
    talk: Talk,
    id: Id,
    label: Annotated[str | None, Argument(metavar="[LABEL]")] = None,
    rating: Annotated[int | None, Option("--rating", metavar="1..5")] = None,
    note: Annotated[str | None, Option("--note", metavar="TEXT")] = None,
) -> None:
    """Say how a memory was taken."""
    from saegim.serve.cli import render_recall

    named = label.strip().lower().replace("-", "_") if label else "rating"
    if not label and rating is None:
        raise BadInput("command.nothing_says_how_was_taken")
    with talk.memory() as memory:
        done = memory.feedback(id, LABELS.get(named, named), rating=rating, note=note or "")
    talk.answer(answers.judged(done), lambda: render_recall.judged_told(done, talk.speech))


def related(
    talk: Talk,
    id: Id,
    depth: Annotated[int, Option("--depth", metavar="1..3")] = 1,
    limit: Number = 20,
) -> None:
    """Show what something is tied to."""
    from saegim.serve.cli import render_recall

    with talk.memory() as memory:
        starts = _starts(memory, id)
        found = memory.related(*starts, depth=depth, limit=limit)
        known = answers.handles_along(found, scope=memory.scope, mind=memory.mind)
    talk.answer(
        {
            "of": starts,
            "relations": [answers.relation(each, known) for each in found],
        },
        lambda: render_recall.relations(found, known, talk.speech),
    )


def trace(talk: Talk, id: Annotated[str, Argument(metavar="TRACE")]) -> None:
    """Show again what an answer showed."""
    from saegim.recall.explain import handles, replayed
    from saegim.serve.cli import render_recall

    with talk.memory() as memory:
        store = memory.mind.store
        told = replayed(id.strip(), scope=memory.scope, store=store)
        ids = [each for each, _ in told.shown]
        known = handles(ids, scope=memory.scope, store=store)
    talk.answer(answers.replay(told), lambda: render_recall.again(told, known, talk.speech))


def _asked(question: str) -> str:
    if not question.strip():
        raise BadInput("command.question_is_empty")
    return question


def _then(
    as_of: str | None, emotion: list[str] | None, phase: str | None, *, history: bool
) -> dict[str, Any]:
    """Gather what asks about another time or mood."""
    return given(
        as_of=as_of,
        history=history or None,
        emotion=emotion or None,
        rhythm_phase=phase,
    )


def _starts(memory: saegim.Saegim, name: str) -> list[str]:
    """Return the memory that is called so, or everyone who goes by that name."""
    if name.startswith("entity:"):
        return [name]
    try:
        return [memory.get(name, counts=False).id]
    except (BadInput, NotFound):
        known = memory.entities.named(name)
        if known:
            return [each.key for each in known]
        if name.startswith("mem_"):
            raise
        raise NotFound("command.no_memory_and_nobody_called", name=name[:60]) from None
