"""The file of the MCP reference memory server: entities with observations, and their relations.

Each line is `{"type":"entity","name":…,"entityType":…,"observations":[…]}` or
`{"type":"relation","from":…,"to":…,"relationType":…}`. It knows no times.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from saegim.errors import BadInput
from saegim.importers.jsonl import Acquaintance, JsonlRecord, Problem, json_lines
from saegim.importers.source.source import (
    Entries,
    ImportedItem,
    ImportRun,
    entity_name,
    kept,
    name,
    relation,
)
from saegim.memory.entities import REFERS_TO, Entity
from saegim.memory.memory import Space
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


def read(path: Path, source: ImportRun) -> Entries:
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
