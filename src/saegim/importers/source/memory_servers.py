"""Other memory servers: mem0's JSON, and the file of the MCP reference server.

mem0 writes a list of memories, or an object that holds one, with their history if it is there. What
a history says was there before is kept as superseded; what was deleted there does not come.

Each line of the reference server is `{"type":"entity","name":…,"entityType":…,"observations":[…]}`
or `{"type":"relation","from":…,"to":…,"relationType":…}`. It knows no times.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from saegim.errors import BadInput
from saegim.guard.guard import screen
from saegim.importers.jsonl import Acquaintance, JsonlRecord, Problem, json_lines
from saegim.importers.source.archive import elements
from saegim.importers.source.source import (
    Entries,
    ImportedItem,
    ImportRun,
    entity_name,
    first_moment,
    found,
    identified,
    kept,
    moment,
    name,
    relation,
    session,
)
from saegim.memory.entities import REFERS_TO, SUPERSEDES, Entity, Link
from saegim.memory.memory import Kind, Space, State
from saegim.memory.text import normalise

TYPES = ("entity", "relation")
# The words others use for the types that connect and recall know.
_KINDS = {
    "organization": "organisation",
    "company": "organisation",
    "회사": "organisation",
    "user": "person",
    "사람": "person",
    "인물": "person",
    "location": "place",
    "장소": "place",
    "concept": "topic",
    "주제": "topic",
}


def read_server_memory(path: Path, source: ImportRun) -> Entries:
    """Yield the entities, one memory for each observation, and the relations."""
    for number, entry in json_lines(path):
        where = f"line {number}"
        try:
            if isinstance(entry, BadInput):
                raise entry
            match entry:
                case {"type": "entity"}:
                    yield from _entity(where, entry, source)
                case {"type": "relation"}:
                    ends = (entry.get(each) for each in ("from", "relationType", "to"))
                    yield JsonlRecord(where, relation(*ends))
                case _:
                    raise BadInput("import.neither_entity_nor_relation")
        except BadInput as error:
            yield Problem(where, error.message)


def _entity(
    where: str, entry: Mapping[str, Any], source: ImportRun
) -> Iterator[JsonlRecord | Problem]:
    observations = entry.get("observations", [])
    if not isinstance(observations, list):
        raise BadInput("import.observations_of_entity_must_be")
    kind = normalise(name(entry.get("entityType"))) or "thing"
    entity = None
    try:
        called = entity_name(entry.get("name"))
        entity = Entity(name=called, type=_KINDS.get(kind, kind))
        yield JsonlRecord(where, Acquaintance(entity))
    except BadInput as error:
        # What was observed is still worth having, though not of whom.
        yield Problem(where, error.message)
    for number, observation in enumerate(observations, 1):
        told = ImportedItem(
            where=f"{where} observation {number}",
            key=entity.key if entity else "",
            text=observation,
            # An observation does not say of whom it speaks; by this name it is found.
            keywords=(entity.name,) if entity else (),
            space=Space(domain="server-memory"),
            ties=((REFERS_TO, entity.key),) if entity else (),
        )
        yield kept(told, source)


LISTS = ("results", "memories")
WORDS = ("memory", "text", "data", "content")
OWNERS = ("user_id", "agent_id", "run_id", "hash", "metadata", "categories")
_HISTORY, _RELATIONS = "history", "relations"
# A longer value of the metadata is content, not a label.
_LONGEST_LABEL = 100


def read_mem0(path: Path, source: ImportRun) -> Entries:
    """Yield the memories, what they were before, and the relations between what they name."""
    deleted: set[str] | None = None
    with path.open("rb") as file:
        for where, item in elements(file, (*LISTS, _HISTORY, _RELATIONS)):
            try:
                if isinstance(item, BadInput):
                    raise item
                if not isinstance(item, Mapping):
                    raise BadInput("import.not_object")
                if where.startswith(_HISTORY):
                    deleted = _deleted(path) if deleted is None else deleted
                    if item.get("memory_id") not in deleted:
                        yield from _before(where, item.get("memory_id"), item, source)
                elif where.startswith(_RELATIONS):
                    yield JsonlRecord(where, _relation(item))
                elif not item.get("deleted_at"):
                    yield from _memory(where, item, source)
            except BadInput as error:
                yield Problem(where, error.message)


def _deleted(path: Path) -> set[str]:
    """Return the memories that the history says were deleted: nothing of them is to come back."""
    with path.open("rb") as file:
        return {
            event["memory_id"]
            for _, event in elements(file, (_HISTORY,))
            if isinstance(event, Mapping)
            and _event(event) == "DELETE"
            and isinstance(event.get("memory_id"), str)
        }


def _event(event: Mapping[str, Any]) -> str:
    return str(event.get("event")).upper()


def _relation(item: Mapping[str, Any]) -> Link:
    predicate = item.get("relationship") or item.get("relation")
    return relation(item.get("source"), predicate, item.get("target") or item.get("destination"))


def _memory(
    where: str, item: Mapping[str, Any], source: ImportRun
) -> Iterator[JsonlRecord | Problem]:
    more = item.get("metadata")
    labels = more if isinstance(more, Mapping) else {}
    text = next((item[each] for each in WORDS if item.get(each)), labels.get("data"))
    if text is None:
        raise BadInput("import.holds_none", words=", ".join(WORDS))
    names = (name(item.get(each)) for each in ("actor_id", "user_id", "agent_id"))
    told = ImportedItem(
        where=where,
        key=_key(item.get("id")),
        text=text,
        at=moment(item.get("created_at")),
        kind=_kind(labels),
        author=next(filter(None, names), ""),
        role=name(item.get("role")),
        session=session("mem0", item.get("run_id")),
        tags=_tags(item.get("categories"), labels),
        space=Space(domain="mem0"),
    )
    yield kept(told, source)
    past = item.get(_HISTORY)
    for number, event in enumerate(past if isinstance(past, list) else (), 1):
        yield from _before(f"{where} {_HISTORY} {number}", item.get("id"), event, source)


def _before(where: str, id: Any, event: Any, source: ImportRun) -> Iterator[JsonlRecord | Problem]:
    """Yield what a memory was before it was changed, superseded by what it was changed into."""
    if not isinstance(event, Mapping) or not isinstance(id, str):
        yield Problem(where, "It is not an event of a memory.")
        return
    old, new = event.get("old_memory"), event.get("new_memory")
    if _event(event) != "UPDATE" or not isinstance(new, str) or not old or old == new:
        return
    at = moment(event.get("created_at"))
    told = ImportedItem(
        where=where,
        key=id,
        text=old,
        at=at,
        state=State.SUPERSEDED,
        valid_to=first_moment(event.get("updated_at"), event.get("created_at")),
        space=Space(domain="mem0"),
    )
    try:
        made = found(told, source)
    except BadInput as error:
        yield Problem(where, error.message)
        return
    newer, older = (identified(source.form, id, screen(each).text, at) for each in (new, old))
    yield replace(made, ties=(Link(source=newer, type=SUPERSEDES, target=older),))


def _key(id: Any) -> str:
    return id if isinstance(id, str) else ""


def _kind(labels: Mapping[str, Any]) -> Kind:
    said = labels.get("category") or labels.get("type")
    return Kind(said) if said in list(Kind) else Kind.FACT


def _tags(categories: Any, labels: Mapping[str, Any]) -> list[Any]:
    """Return the categories, and short values of the metadata as name:value."""
    made = list(categories) if isinstance(categories, list) else [categories]
    for label, value in labels.items():
        if isinstance(value, str | int | float | bool) and len(str(value)) <= _LONGEST_LABEL:
            made.append(f"{label}:{value}")
    return made
