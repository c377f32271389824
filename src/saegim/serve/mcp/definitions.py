"""How the catalogue is told to a model: names, when to call, what to give; in few tokens."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from saegim.serve.catalogue.catalogue import shown_to
from saegim.serve.catalogue.entry import MOST_TEXT, CatalogueEntry, Effect

Json = dict[str, Any]


def tools_of(profile: str) -> list[Json]:
    """Return the definitions of every tool that a profile shows."""
    return [definition(each) for each in shown_to(profile)]


def definition(entry: CatalogueEntry) -> Json:
    """Return one tool as `tools/list` tells it."""
    return {
        "name": entry.name,
        "description": entry.description,
        "inputSchema": lean(entry.arguments.model_json_schema()),
        "outputSchema": outline(entry.answer.json_schema()),
        "annotations": hints(entry),
    }


def hints(entry: CatalogueEntry) -> Json:
    """Return what a client may rely on before it lets a model call this."""
    # What the protocol assumes anyway is left unsaid.
    told: Json = {"openWorldHint": False}
    if entry.effect is Effect.READS:
        return {"readOnlyHint": True, **told}
    if entry.effect is not Effect.LETS_GO:
        told["destructiveHint"] = False
    if entry.repeatable:
        told["idempotentHint"] = True
    return told


def lean(schema: Mapping[str, Any]) -> Json:
    """Return a schema without what only costs tokens: titles, nulls, defaults that say nothing.

    How long a text may be is told, since a message may well be longer; of names nobody asks.
    """
    defs = schema.get("$defs", {})
    return _lean(schema, defs, top=True)


def _lean(schema: Mapping[str, Any], defs: Mapping[str, Any], *, top: bool = False) -> Json:
    if "$ref" in schema:
        return _lean(defs[schema["$ref"].rpartition("/")[2]], defs)
    if "anyOf" in schema:
        real = [each for each in schema["anyOf"] if each.get("type") != "null"]
        if len(real) == 1:
            return _lean(real[0], defs)
    kept: Json = {}
    for name, value in schema.items():
        if name in ("title", "$defs", "description") or (
            (name == "default" and value in (None, [], "", False))
            or (name == "maxLength" and value < MOST_TEXT)
        ):
            continue
        if name == "properties":
            kept[name] = {each: _lean(inner, defs) for each, inner in value.items()}
        elif name == "items":
            kept[name] = _lean(value, defs)
        elif name == "additionalProperties" and not top:
            continue
        else:
            kept[name] = value
    return kept


def outline(schema: Mapping[str, Any]) -> Json:
    """Return what an answer holds at its top: names and types; the rest is in the REST schema."""
    defs = schema.get("$defs", {})
    whole = schema
    if "$ref" in whole:
        whole = defs[whole["$ref"].rpartition("/")[2]]
    return {
        "type": "object",
        "properties": {
            name: _outlined(each, defs) for name, each in whole.get("properties", {}).items()
        },
    }


def _outlined(schema: Mapping[str, Any], defs: Mapping[str, Any]) -> Json:
    if "$ref" in schema:
        schema = defs[schema["$ref"].rpartition("/")[2]]
    if "anyOf" in schema:
        return {"anyOf": [_outlined(each, defs) for each in schema["anyOf"]]}
    return {"type": schema["type"]} if "type" in schema else {}
