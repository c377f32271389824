"""The commands of every day: remember, look through, correct, let go."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import saegim
from saegim.errors import BadInput
from saegim.serve.catalogue import answers
from saegim.serve.cli.talk import (
    Argument,
    End,
    Ended,
    Id,
    Ids,
    Kinds,
    Name,
    Number,
    Option,
    Parent,
    Private,
    Share,
    States,
    Tags,
    Talk,
    Text,
    Tiers,
    Unwilling,
    When,
    Words,
    Yes,
    filtered,
    given,
    given_text,
    said_words,
)
from saegim.serve.terminal import visible

# So much is repeated of what was taken for the name of a memory.
_MOST_NAMED = 60


def remember(
    talk: Talk,
    text: Text = None,
    kind: Annotated[str | None, Option("--kind", metavar="KIND", read=said_words("kind"))] = None,
    tags: Tags = None,
    session: Name = None,
    author: Name = None,
    when: When = None,
    importance: Share = None,
    tier: Annotated[str | None, Option("--tier", metavar="TIER")] = None,
    pin: Annotated[bool, Option("--pin")] = False,
    parent: Parent = None,
    key: Words = None,
    keep_private: Private = False,
) -> None:
    """Keep a text word for word."""
    about = given(
        kind=kind,
        tags=tags or None,
        session=session,
        author=author,
        happened_at=when,
        importance=importance,
        tier=tier,
        pinned=pin or None,
        parent=parent,
    )
    words = given_text(text)
    with talk.memory(new=True, here=True) as memory:
        kept = memory.remember(words, key=key, keep_private=keep_private, **about)
        # Said once, when there is nothing else yet: by which law it will be forgotten.
        mind, scope = memory.mind, kept.memory.scope
        if kept.indexed != "ready" and mind.embedder.local:
            # This process ends: what would be made right behind the answer is made before it.
            next(memory.maintenance.index(), None)
            if not mind.store.vectors.waiting(mind.embedder.identity):
                kept = replace(kept, indexed="ready")
        is_first = kept.status == "stored" and mind.store.memories.count_up_to(scope, 2) <= 1
        here = memory.scope

    def shown() -> Iterable[Any]:
        # Who reads JSON waits for no tables.
        from saegim.serve.cli import render_memories, render_perceiving

        yield from render_perceiving.kept(kept, talk.speech)
        yield from render_memories.kept_where([kept.memory], here, talk.speech)
        if is_first:
            yield talk.speech.law(mind.settings.forgetting)

    talk.answer({**answers.kept(kept, talk.speech), "scope": answers.scope(scope)}, shown)


def search(
    talk: Talk,
    query: Annotated[str | None, Argument(metavar="[WORDS]")] = None,
    limit: Number = 10,
    kinds: Kinds = None,
    tags: Tags = None,
    tiers: Tiers = None,
    states: States = None,
    since: When = None,
    until: End = None,
    session: Name = None,
    author: Name = None,
    everywhere: Annotated[bool, Option("--everywhere")] = False,
) -> None:
    """Find what holds every word."""
    from saegim.recall.compose.card import holding
    from saegim.serve.cli import render_memories

    filters = filtered(kinds, tags, tiers, states, since, until, session=session, author=author)
    filters["everywhere"] = everywhere
    with talk.memory(here=True) as memory:
        found = memory.search(query, limit=limit, **filters)
        others = {} if found else answers.others_hold(memory, query, filters)
        scope = answers.looked_in(memory.scope, everywhere=everywhere)
        near = holding([query], memory.mind.store.words.analyser()) if query else None
    talk.answer(
        {
            "memories": [answers.memory(each) for each in found],
            "scope": answers.scope(scope),
            "elsewhere": answers.elsewhere(others),
        },
        lambda: [
            *render_memories.memories(found, talk.speech, "none holds the words", near),
            *render_memories.others(others, talk.speech),
            *render_memories.at_hand(scope, talk.speech),
        ],
    )


def get(talk: Talk, id: Id, exact: Annotated[bool, Option("--exact")] = False) -> None:
    """Show one memory, whole."""
    from saegim.recall.usage import uses_of
    from saegim.serve.cli import render_memories

    with talk.memory() as memory:
        found = memory.get(id, exact=exact)
        uses = uses_of(found, scope=memory.scope, store=memory.mind.store)
    talk.answer(
        answers.opened(found, uses), lambda: render_memories.memory(found, talk.speech, uses)
    )


def recent(
    talk: Talk,
    limit: Number = 10,
    cursor: Words = None,
    kinds: Kinds = None,
    tags: Tags = None,
    tiers: Tiers = None,
    states: States = None,
    since: When = None,
    until: End = None,
    session: Name = None,
    author: Name = None,
    everywhere: Annotated[bool, Option("--everywhere")] = False,
) -> None:
    """List the newest memories."""
    from saegim.serve.cli import render_memories

    filters = filtered(kinds, tags, tiers, states, since, until, session=session, author=author)
    with talk.memory(here=True) as memory:
        page = memory.recent(limit, cursor=cursor, everywhere=everywhere, **filters)
        scope = answers.looked_in(memory.scope, everywhere=everywhere)
    talk.answer(
        {**answers.page(page), "scope": answers.scope(scope)},
        lambda: [
            *render_memories.page(page, talk.speech),
            *render_memories.at_hand(scope, talk.speech),
        ],
    )


_MOST_SESSIONS = 1000
# A core memory leaves only if its person writes this out.
_FORGET = frozenset({"forget", "잊기"})


def sessions(
    talk: Talk,
    session: Annotated[str | None, Argument(metavar="[SESSION]")] = None,
) -> None:
    """List the sessions, or what one of them holds."""
    from saegim.serve.cli import render_memories

    with talk.memory() as memory:
        if session is None:
            held = {each.id: each for each in memory.sessions.recent(_MOST_SESSIONS)}
            names = list(dict.fromkeys((*memory.sessions.ids(), *held)))
            talk.answer(
                {"sessions": names, "held": [answers.session(each) for each in held.values()]},
                lambda: render_memories.names(names, talk.speech, held),
            )
            return
        found = memory.by_session(session)
    talk.answer(
        {"session": session, "memories": [answers.memory(each) for each in found]},
        lambda: render_memories.memories(found, talk.speech, none="session empty"),
    )


_SESSION_ACTS = ("end", "feedback", "export", "import")


def session(
    talk: Talk,
    action: Annotated[str, Argument(metavar="ACTION")],
    name: Annotated[str, Argument(metavar="SESSION|FILE")],
    more: Annotated[str | None, Argument(metavar="[FILE|LABEL]")] = None,
    form: Annotated[str, Option("--form", metavar="FORM")] = "snapshot",
    to: Annotated[str | None, Option("--to", metavar="SESSION")] = None,
    vectors: Annotated[bool, Option("--no-vectors")] = False,
    note: Annotated[str | None, Option("--note", metavar="TEXT")] = None,
) -> None:
    """End a session, judge it, write it out or read it in."""
    from saegim.session import snapshot

    if action not in _SESSION_ACTS:
        raise BadInput("command.no_action", action=action, known=", ".join(_SESSION_ACTS))
    with talk.memory(here=True, new=action == "import") as memory:
        if action == "end":
            told, said = _ended(memory, name, talk)
        elif action == "feedback":
            made = memory.working.record_feedback(name, None, more or "", note or "")
            told, said = {"session": name, "id": made}, talk.speech("session judged", session=name)
        elif action == "export":
            record = memory.working.export(name, form, vectors=not vectors)
            told, said = _written(record, name, more, talk)
        else:
            read = (
                snapshot.parsed(given_text(name))
                if name == "-"
                else snapshot.read_json(_path(name))
            )
            told = {"session": memory.working.import_from(read, to)}
            said = talk.speech("session read", session=told["session"])
    talk.answer(told, lambda: [said])


def _ended(memory: saegim.Saegim, name: str, talk: Talk) -> tuple[dict[str, Any], str]:
    memory.sessions.one(name)
    done = memory.working.finalize_session(name)
    count = len(done.promoted)
    return answers.finalized(done), talk.speech("session ended", session=name, count=count)


def _written(
    record: dict[str, Any], name: str, file: str | None, talk: Talk
) -> tuple[dict[str, Any], str]:
    """Write a session into a file, or say it where no file is named."""
    from saegim.session import snapshot

    text = snapshot.written(record)
    if file is None:
        return record, text.rstrip("\n")
    snapshot.write_whole(_path(file), text)
    return {"session": name, "file": file}, talk.speech("session written", session=name, file=file)


def _path(name: str) -> Path:
    return Path(name).expanduser().absolute()


def update(
    talk: Talk,
    id: Id,
    text: Annotated[str | None, Argument(metavar="[TEXT]")] = None,
    tags: Tags = None,
    keep_private: Private = False,
) -> None:
    """Correct a memory: its words, its tags, or both."""
    from saegim.serve.cli import render_perceiving

    piped = text is None and not tags and sys.stdin is not None and not sys.stdin.isatty()
    words = given_text(text) if piped or text is not None else None
    with talk.memory() as memory:
        kept = memory.update(id, words, tags=tags or None, keep_private=keep_private)
    talk.answer(
        {**answers.kept(kept, talk.speech), "corrects": id},
        lambda: render_perceiving.corrected(kept, id, talk.speech),
    )


def history(talk: Talk, id: Id) -> None:
    """Show every version of a memory."""
    from saegim.serve.cli import render_memories

    with talk.memory() as memory:
        told = memory.history(id)
    talk.answer(answers.history(told), lambda: render_memories.history(told, talk.speech))


def forget(
    talk: Talk,
    ids: Ids = None,
    session: Name = None,
    matching: Annotated[str | None, Option("--matching", metavar="WORDS")] = None,
    yes: Yes = False,
) -> None:
    """Let memories go."""
    from saegim.serve.cli import render_memories

    if sum(map(bool, (ids, session, matching and matching.strip()))) != 1:
        raise BadInput("command.say_what_to_forget")
    with talk.memory(here=True) as memory:
        leaving = _chosen(memory, ids or [], session, matching)
        by = _by_hand(talk, memory, leaving)
        if leaving and not (yes or by):
            _ask_first(talk, leaving)
        if session and not by:
            gone = memory.forgetting.session(session, confirm=True)
        elif leaving:
            gone = memory.forget(*(each.id for each in leaving), by=by)
        else:
            gone = memory.forgetting.matching(matching, confirm=True)
    talk.answer(answers.farewell(gone), lambda: render_memories.farewell(gone, talk.speech))


def _chosen(
    memory: saegim.Saegim, ids: list[str], session: str | None, matching: str | None
) -> Sequence[saegim.Memory]:
    """Return the memories a wish to forget names; changes nothing."""
    if session:
        return memory.forgetting.session(session).memories
    if matching:
        return memory.forgetting.matching(matching).memories
    # Of an older version the one that stands now leaves, and is what must be shown.
    return [_called(memory, id) for id in dict.fromkeys(ids)]


def _called(memory: saegim.Saegim, name: str) -> saegim.Memory:
    """Return the memory of an id or a short name; say to whom gives words how words are given."""
    try:
        return memory.get(name, counts=False)
    except BadInput as error:
        words = visible(name)[:_MOST_NAMED]
        raise BadInput("command.words_in_place_of_id", words=words) from error


def _by_hand(talk: Talk, memory: saegim.Saegim, leaving: Sequence[saegim.Memory]) -> str:
    """Return who lets a core memory go: a person who types a word for it, or nobody."""
    from saegim.serve.cli import render_memories

    if not talk.asks or not any(each.life.tier == "M0" for each in leaving):
        return ""
    talk.refuse_agents(f"saegim forget {' '.join(each.id for each in leaving)}")
    ids = [each.id for each in leaving]
    shaken = {each.id for each in memory.soul.shaken_by(*ids)}
    warned = [
        talk.speech(
            "island warning" if each.id in shaken else "island rests",
            island=f"{each.emoji} {visible(each.name)}",
        )
        for each in memory.soul.held_up_by(*ids)
    ]
    talk.answer(None, lambda: [*render_memories.memories(leaving, talk.speech), *warned])
    if not talk.typed("type forget", _FORGET):
        raise Unwilling
    return memory.scope.user


def _ask_first(talk: Talk, leaving: Sequence[saegim.Memory]) -> None:
    """Show what would leave and go on only with a person's yes."""
    from saegim.serve.cli import render_memories

    if talk.as_json or not talk.asks:
        error = BadInput("command.nothing_was_forgotten_needs_yes")
        seen = {"done": False, "memories": [answers.memory(each) for each in leaving]}
        if not talk.as_json:
            talk.answer(seen, lambda: render_memories.memories(leaving, talk.speech))
        raise Ended(talk.complain(error, **seen))
    talk.answer(None, lambda: render_memories.memories(leaving, talk.speech))
    if not talk.agreed("forget these", memories=talk.speech.memories(len(leaving))):
        raise Unwilling
