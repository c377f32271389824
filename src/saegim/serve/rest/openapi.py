"""How the catalogue is told in OpenAPI: parameters, bodies, answers, and every way to fail."""

from __future__ import annotations

import re
from typing import Any

from pydantic import TypeAdapter

from saegim.importers.intake import ORBS, OWN
from saegim.serve.catalogue.catalogue import CATALOGUE
from saegim.serve.catalogue.entry import CatalogueEntry
from saegim.serve.rest.caller import AGENT, DOOR, FOLDER, PROJECT
from saegim.serve.rest.idempotency import HEADER as KEY
from saegim.serve.rest.problems import DOCUMENTED, MEDIA_TYPE, SCHEMA, phrase_of

Json = dict[str, Any]
# Addresses that are no functions of their own.
ONE, CALLED, EXPORT = "memory_delete_one", "call", "export"
# What can be sent as one file, and what kind of file it is.
MEDIA = {OWN: "application/x-ndjson", ORBS: "application/json"}
_NAMES = re.compile(r"{(\w+)}")
_HEADERS: tuple[tuple[str, str, Json], ...] = (
    (PROJECT, "The project it is asked from; empty: none.", {"type": "string", "maxLength": 200}),
    (FOLDER, "A folder whose project it is asked from.", {"type": "string", "maxLength": 4096}),
    (AGENT, "The agent that asks.", {"type": "string", "maxLength": 200}),
    (DOOR, "Which way the call came in.", {"type": "string", "enum": ["mcp", "rest", "hook"]}),
)
_KEY = (KEY, "The same key and request are carried out once.", {"type": "string", "maxLength": 200})
# What a call by name may say; the body goes before the headers.
CALL: Json = {
    "type": "object",
    "properties": {
        "arguments": {"type": "object"},
        "project": {"type": ["string", "null"], "maxLength": 200},
        "folder": {"type": ["string", "null"], "maxLength": 4096},
        "agent": {"type": ["string", "null"], "maxLength": 200},
        "session": {"type": ["string", "null"], "maxLength": 200},
    },
    "additionalProperties": False,
}
_PROBLEMS: Json = {
    str(status): {
        "description": phrase_of(status),
        "content": {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}},
    }
    for status in DOCUMENTED
}


def completed(document: Json) -> Json:
    """Return an OpenAPI document with all that the catalogue knows, the token and the problems.

    It is made when somebody asks for it: a server need not wait for it to begin.
    """
    answers, shapes = TypeAdapter.json_schemas(
        [(name, "serialization", each.answer) for name, each in CATALOGUE.items()],
        ref_template="#/components/schemas/{model}",
    )
    for methods in document["paths"].values():
        for operation in methods.values():
            name = operation["operationId"]
            entry = CATALOGUE.get("memory_delete" if name == ONE else name)
            shape: Json = answers[entry.name, "serialization"] if entry else {"type": "object"}
            content = {"application/json": {"schema": shape}}
            if name == EXPORT:
                # Of many lines, or one object.
                content[MEDIA[OWN]] = {"schema": {"type": "string"}}
            done = {"description": "Done.", "content": content}
            operation["summary"] = name.replace("_", " ")
            operation["responses"] = {"200": done, **_PROBLEMS}
            operation.update(told(entry) if entry and name != ONE else _beside(name))
    document["components"] = {
        "schemas": {**shapes.get("$defs", {}), "Problem": SCHEMA},
        "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
    }
    document["security"] = [{"token": []}]
    return document


def _beside(name: str) -> Json:
    """Return what OpenAPI needs to know about a request that is no function of its own."""
    if name == EXPORT:
        forms: Json = {"type": "string", "enum": [*MEDIA], "default": next(iter(MEDIA))}
        return {
            "parameters": [
                _parameter("form", "query", forms, needed=False),
                *headers(keyed=False),
            ]
        }
    if name == ONE:
        id = _parameter("id", "path", {"type": "string", "maxLength": 200}, needed=True)
        return {"parameters": [id, *headers(keyed=True)]}
    which = _parameter("name", "path", {"type": "string", "enum": [*CATALOGUE]}, needed=True)
    return {
        "parameters": [which, *headers(keyed=True)],
        "requestBody": {"content": {"application/json": {"schema": CALL}}},
    }


def in_path(entry: CatalogueEntry) -> list[str]:
    """Return the arguments that are part of the address."""
    return _NAMES.findall(entry.route[1])


def told(entry: CatalogueEntry) -> Json:
    """Return what OpenAPI needs to know about the request of a function."""
    schema = entry.arguments.model_json_schema()
    fields, needed = schema.get("properties", {}), set(schema.get("required", ()))
    path = in_path(entry)
    rest = {name: each for name, each in fields.items() if name not in path}
    parameters = [_parameter(name, "path", fields[name], needed=True) for name in path]
    if entry.route[0] == "GET":
        parameters += [
            _parameter(name, "query", _not_null(each), needed=name in needed)
            for name, each in rest.items()
        ]
        return {"parameters": [*parameters, *headers(keyed=False)]}
    needed -= set(path)
    body = {
        "type": "object",
        "properties": rest,
        "required": sorted(needed),
        "additionalProperties": False,
    }
    described: Json = {"parameters": [*parameters, *headers(keyed=True)]}
    if rest:
        described["requestBody"] = {
            "required": bool(needed),
            "content": {"application/json": {"schema": body}},
        }
    return described


def headers(*, keyed: bool) -> list[Json]:
    """Return the headers that every function hears."""
    shown = (*_HEADERS, _KEY) if keyed else _HEADERS
    return [
        {"name": name, "in": "header", "required": False, "description": words, "schema": schema}
        for name, words, schema in shown
    ]


def _parameter(name: str, where: str, schema: Json, *, needed: bool) -> Json:
    held = {key: value for key, value in schema.items() if key != "title"}
    if where == "path":
        # An empty one would be another address.
        held = {key: value for key, value in held.items() if key != "default"} | {"minLength": 1}
    return {"name": name, "in": where, "required": needed, "schema": held}


def _not_null(schema: Json) -> Json:
    """Return the schema without null: in a query a thing is left out, not null."""
    real = [each for each in schema.get("anyOf", ()) if each.get("type") != "null"]
    return real[0] if len(real) == 1 else schema
