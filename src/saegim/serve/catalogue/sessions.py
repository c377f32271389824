"""Sessions: ended, judged, and written out and read in as seed B's JSON."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from saegim import serve
from saegim.serve.catalogue import shapes
from saegim.serve.catalogue.asked import Id, Name, Text
from saegim.serve.catalogue.entry import Effect, Place, Profile, catalogued

# `session_list` stands beside the people: it only reads.


@catalogued(
    Profile.FULL,
    Effect.CHANGES,
    "POST /sessions/{id}/end",
    command="session",
    repeatable=True,
)
def session_end(at: Place, id: Name) -> shapes.Ended:
    """Let a session end: what came up in it again and again is remembered."""
    done = at.memory.working.finalize_session(id)
    return {**serve.plain.finalized(done), "scope": shapes.scope(at.memory.scope)}  # type: ignore[typeddict-item]


@catalogued(Profile.FULL, Effect.CHANGES, "POST /sessions/{id}/feedback", command="session")
def session_feedback(
    at: Place,
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
    at: Place,
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
    at: Place,
    record: Annotated[dict[str, Any], Field()],
    session: Name | None = None,
) -> shapes.InSession:
    """Read a snapshot or a checkpoint in, in the place of what is in mind of that session."""
    name = at.memory.working.import_from(record, session)
    return {"session": name, "id": name, "scope": shapes.scope(at.memory.scope)}
