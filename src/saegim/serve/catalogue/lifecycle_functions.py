"""What becomes of memories: held fast, leaving, called back, judged, tied to one another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

from annotated_types import Ge, Le

from saegim.recall.related import DEEPEST
from saegim.serve.catalogue import answers, night_answers, shapes
from saegim.serve.catalogue.entry import (
    CallContext,
    Cursor,
    Date,
    Effect,
    Id,
    Ids,
    Limit,
    Name,
    Profile,
    Project,
    Text,
    catalogued,
    given,
    listed,
)
from saegim.serve.speech import Speech

Depth = Annotated[int, Ge(1), Le(DEEPEST)]


@catalogued(Profile.DEFAULT, Effect.READS, "GET /memories/{id}/related", command="related")
def memory_get_related(
    at: CallContext, id: Id, depth: Depth = 1, limit: Limit = 20
) -> shapes.Related:
    """Walk from a memory or an entity key to what it is tied to.

    Call it after a search, to see what surrounds a hit.
    """
    found = at.memory.related(id, depth=depth, limit=limit)
    known = answers.handles_along(found, scope=at.memory.scope, mind=at.memory.mind)
    return {
        "relations": [answers.relation(each, known) for each in found],
        "scope": shapes.scope(at.memory.scope),
    }


@catalogued(Profile.DEFAULT, Effect.CHANGES, "POST /memories/pin", command="pin", repeatable=True)
def memory_pin(at: CallContext, ids: Ids) -> shapes.HeldAnswer:
    """Protect memories from fading. Call it when the user says something must not be forgotten."""
    return _held(at.memory.forgetting.pin(*ids), at)


@catalogued(
    Profile.DEFAULT,
    Effect.CHANGES,
    "POST /memories/unpin",
    command="unpin",
    repeatable=True,
)
def memory_unpin(at: CallContext, ids: Ids) -> shapes.HeldAnswer:
    """Take that protection back: the memories age again."""
    return _held(at.memory.forgetting.unpin(*ids), at)


@catalogued(Profile.FULL, Effect.CHANGES, "POST /memories/keep", command="keep", repeatable=True)
def memory_keep(
    at: CallContext,
    ids: Ids,
    days: Annotated[int, Ge(1), Le(36_500)] | None = None,
    until: Date | None = None,
    passing: bool = False,
) -> shapes.HeldAnswer:
    """Keep memories for good; with days or until, that long and 30 days more.

    Call it when the user says how long something matters. passing gives back the tier's own time.
    """
    return _held(at.memory.forgetting.keep(*ids, days=days, until=until, passing=passing), at)


@catalogued(Profile.FULL, Effect.CHANGES, "POST /memories/move", command="move")
def memory_move(at: CallContext, ids: Ids, to: Project) -> shapes.MovedAnswer:
    """Let memories belong to another project; "*" is every project. It can be undone.

    Call it when the user says that something belongs elsewhere than it was kept.
    """
    done = at.memory.maintenance.projects.move(*ids, to="" if to == "*" else to)
    return {
        "to": done.to or "*",
        "count": done.count,
        "undo": done.id,
        "scope": shapes.scope(at.memory.scope),
    }


@catalogued(
    Profile.FULL,
    Effect.CHANGES,
    "POST /memories/restore",
    command="restore",
    repeatable=True,
)
def memory_restore(at: CallContext, ids: Ids) -> shapes.HeldAnswer:
    """Call back memories that are leaving or lie in the archive."""
    return _held(at.memory.restore(*ids), at)


@catalogued(
    Profile.PEOPLE,
    Effect.CHANGES,
    "POST /quarantine/release",
    command="release",
)
def quarantine_release(
    at: CallContext,
    ids: Ids | None = None,
    source: Name | None = None,
    session: Name | None = None,
    domain: Name | None = None,
    suspects: bool = False,
    confirm: bool = False,
) -> shapes.LetOut:
    """Let memories out of quarantine: these ids, or together all that a source brought.

    A source is previewed until confirm; what still reads like an order stays unless suspects.
    """
    narrow = given(source=source, session=session, domain=domain)
    done = at.memory.sources.release(*(ids or ()), confirm=confirm, suspects=suspects, **narrow)
    told = answers.let_out(done)
    return {**told, "scope": shapes.scope(at.memory.scope)}  # type: ignore[typeddict-item]


@catalogued(Profile.FULL, Effect.READS, "GET /forgetting", command="queue")
def forgetting_queue(
    at: CallContext, limit: Limit = 20, cursor: Cursor | None = None
) -> shapes.QueueAnswer:
    """Show what is about to be forgotten: why, and how long it can be called back."""
    forgetting = at.memory.forgetting
    # Who goes on from a place reads up to it; the first part needs no more than itself.
    found = forgetting.queue(limit + 1 if cursor is None else None)
    part = listed(
        at, found, limit, cursor, key=lambda each: each.memory.id, show=night_answers.queued
    )
    part["total"] = forgetting.queued()
    settings = at.memory.mind.settings
    law = answers.forgetting(settings.forgetting, Speech.of(settings.language))
    return {**part, "forgetting": law}


@catalogued(Profile.FULL, Effect.CHANGES, "POST /memories/{id}/feedback", command="feedback")
def memory_feedback(
    at: CallContext,
    id: Id,
    label: Literal["up", "down", "retry", "used", "wrong", "changed_behaviour"],
    rating: Annotated[int, Ge(1), Le(5)] | None = None,
    note: Text = "",
) -> shapes.JudgedAnswer:
    """Tell whether a memory helped. Call it after an answer that used one, or was misled by it."""
    done = at.memory.feedback(id, label, rating=rating, note=note)
    judged = answers.judged(done)
    return {**judged, "scope": shapes.scope(at.memory.scope)}  # type: ignore[typeddict-item]


def _held(found: Sequence[object], at: CallContext) -> shapes.HeldAnswer:
    return {
        "memories": [shapes.memory(each) for each in found],
        "scope": shapes.scope(at.memory.scope),
    }
