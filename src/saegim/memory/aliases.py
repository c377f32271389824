"""What an argument is called: one vocabulary at every door, and the seed's words for it."""

from __future__ import annotations

from collections.abc import Container, Mapping
from typing import Any, Final

from saegim.errors import BadInput

# Seed C's names for what is called `text`, `kind` and `tags` at every door.
ALIASES: Final = {"content": "text", "category": "kind", "keywords": "tags"}


def plain_names(
    given: Mapping[str, Any], known: Container[str] = ALIASES.values()
) -> dict[str, Any]:
    """Return arguments under their plain names; refuse both names of one thing if they differ.

    An alias of what is not among the `known` names stays as it is: nothing of that name is taken.
    """
    aliases = {alias: name for alias, name in ALIASES.items() if name in known}
    held = {name: value for name, value in given.items() if name not in aliases}
    for alias, name in aliases.items():
        if (value := given.get(alias)) is None:
            continue
        if held.get(name) is not None and not _is_same(held[name], value):
            raise BadInput("memory.two_names_of_one_thing", name=name, alias=alias)
        held[name] = value
    if held.get("kind") == "core_principle":
        # What seed C calls a principle.
        held["kind"] = "principle"
    return held


def _is_same(one: object, other: object) -> bool:
    lists = isinstance(one, list | tuple) and isinstance(other, list | tuple)
    return list(one) == list(other) if lists else one == other  # type: ignore[call-overload]
