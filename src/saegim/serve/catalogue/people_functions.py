"""Whom memories speak of, who the agent is, and which projects there are."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from annotated_types import MaxLen

from saegim.errors import NotFound
from saegim.memory.entities import Entity
from saegim.serve.catalogue import answers, shapes
from saegim.serve.catalogue.entry import (
    CallContext,
    Cursor,
    Effect,
    Id,
    Ids,
    Limit,
    Name,
    Profile,
    Text,
    catalogued,
    listed,
)

Key = Annotated[str, MaxLen(500)]


@catalogued(Profile.FULL, Effect.READS, "GET /entities", command="people")
def entity_list(at: CallContext, limit: Limit = 20, cursor: Cursor | None = None) -> shapes.Items:
    """List the people and things that memories speak of, the most met first."""
    entities = at.memory.entities
    found = entities.all(limit + 1 if cursor is None else None)
    part = listed(at, found, limit, cursor, key=lambda each: each.key, show=_entity)
    part["total"] = entities.count()
    return part


def _entity(each: Entity) -> shapes.Json:
    return {"key": each.key, **answers.entity(each)}


@catalogued(Profile.FULL, Effect.READS, "GET /entities/profile", command="people")
def entity_profile(at: CallContext, name: Name, limit: Limit = 10) -> shapes.KnownAnswer:
    """Show what is known of a person or thing by name: profile, feeling over time, memories."""
    known = at.memory.entities.named(name)
    if not known:
        raise NotFound("catalogue.nobody_is_known", name=name)
    points = at.memory.entities.trajectory(name)
    others = at.memory.entities.known_as(known[0].key)
    keys = [known[0].key, *(each.key for each in others)]
    near = at.memory.related(*keys, depth=1, limit=limit)
    return {
        "entity": {
            **_entity(known[0]),
            "same_as": [{"key": each.key, "name": each.name} for each in others],
            "trust_rests_on": answers.standing(at.memory.entities.standing(name)),
        },
        "history": [answers.point(each) for each in points],
        "memories": [shapes.memory(each.memory) for each in near if each.memory],
        "scope": shapes.scope(at.memory.scope),
    }


@catalogued(Profile.PEOPLE, Effect.CHANGES, "POST /entities/merge", command="people")
def entity_merge(at: CallContext, key: Key, into: Key) -> shapes.StateAnswer:
    """Let two people or things be one, told under the second's name; `undo` takes it back."""
    told = {"key": into, "undo": at.memory.entities.merge(key, into)}
    return {"told": told, "scope": shapes.scope(at.memory.scope)}


@catalogued(Profile.PEOPLE, Effect.CHANGES, "POST /entities/unmerge", command="people")
def entity_unmerge(at: CallContext, key: Key) -> shapes.StateAnswer:
    """Let who was said to be somebody else be themselves again."""
    told = {"key": key, "undo": at.memory.entities.unmerge(key)}
    return {"told": told, "scope": shapes.scope(at.memory.scope)}


@catalogued(Profile.PEOPLE, Effect.CHANGES, "POST /entities/split", command="people")
def entity_split(at: CallContext, key: Key, ids: Ids, name: Name) -> shapes.StateAnswer:
    """Let memories speak of somebody else of the same name, who gets a name of their own."""
    known = [at.memory.get(id, counts=False).id for id in ids]
    made = at.memory.entities.split(key, known, name)
    return {"told": {"entity": _entity(made)}, "scope": shapes.scope(at.memory.scope)}


@catalogued(Profile.FULL, Effect.READS, "GET /about", command="about")
def about(at: CallContext, name: Name | None = None) -> shapes.PortraitAnswer:
    """Tell what is known of the user, or of someone they speak of, and since when it holds."""
    found = at.memory.entities.about(name)
    return {**answers.portrait(found), "scope": shapes.scope(at.memory.scope)}  # type: ignore[typeddict-item]


@catalogued(Profile.FULL, Effect.READS, "GET /projects", command="projects")
def project_list(at: CallContext, limit: Limit = 50, cursor: Cursor | None = None) -> shapes.Items:
    """List the projects that hold memories, with how many."""
    found = sorted(at.memory.maintenance.projects.active().items())
    return listed(at, found, limit, cursor, key=lambda each: each[0], show=_held)


def _held(each: tuple[str, int]) -> shapes.Json:
    return {"project": each[0], "memories": each[1]}


@catalogued(Profile.FULL, Effect.READS, "GET /sessions", command="sessions")
def session_list(at: CallContext, limit: Limit = 20, cursor: Cursor | None = None) -> shapes.Items:
    """List the sessions that were held, the latest first."""
    found = at.memory.sessions.recent(1000)
    return listed(at, found, limit, cursor, key=lambda each: each.id, show=answers.session)


# `session_list` stands beside the people: it only reads.


@catalogued(
    Profile.FULL,
    Effect.CHANGES,
    "POST /sessions/{id}/end",
    command="session",
    repeatable=True,
)
def session_end(at: CallContext, id: Name) -> shapes.EndedAnswer:
    """Let a session end: what came up in it again and again is remembered."""
    done = at.memory.working.finalize_session(id)
    return {**answers.finalized(done), "scope": shapes.scope(at.memory.scope)}  # type: ignore[typeddict-item]


@catalogued(Profile.FULL, Effect.CHANGES, "POST /sessions/{id}/feedback", command="session")
def session_feedback(
    at: CallContext,
    id: Name,
    label: Literal["up", "down", "retry"],
    query: Id | None = None,
    note: Text = "",
) -> shapes.InSession:
    """Tell how an answer of this session was taken; without a query, the last one is meant."""
    made = at.memory.working.record_feedback(id, query, label, note)
    return {"session": id, "id": made, "scope": shapes.scope(at.memory.scope)}


@catalogued(Profile.PEOPLE, Effect.READS, "GET /sessions/{id}/export", command="session")
def session_export(
    at: CallContext,
    id: Name,
    form: Literal["snapshot", "checkpoint"] = "snapshot",
    vectors: bool = True,
) -> shapes.SessionRecord:
    """Write a session out as seed B's JSON: its whole graph, or the checkpoint of its main part."""
    record = at.memory.working.export(id, form, vectors=vectors)
    return {"session": id, "record": record, "scope": shapes.scope(at.memory.scope)}


@catalogued(
    Profile.PEOPLE,
    Effect.CHANGES,
    "POST /sessions/import",
    command="session",
    repeatable=True,
)
def session_import(
    at: CallContext,
    record: dict[str, Any],
    session: Name | None = None,
) -> shapes.InSession:
    """Read a snapshot or a checkpoint in, in the place of what is in mind of that session."""
    name = at.memory.working.import_from(record, session)
    return {"session": name, "id": name, "scope": shapes.scope(at.memory.scope)}
