"""What an argument is called: one vocabulary at every door, and the seed's words for it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from saegim.errors import BadInput

# Seed C's names for what is called `text`, `kind` and `tags` at every door.
ALIASES: Final = {"content": "text", "category": "kind", "keywords": "tags"}


def plain_names(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return arguments under their plain names; refuse both names of one thing if they differ."""
    held = {name: value for name, value in given.items() if name not in ALIASES}
    for alias, name in ALIASES.items():
        if (value := given.get(alias)) is None:
            continue
        if held.get(name) is not None and not _is_same(held[name], value):
            raise BadInput(
                f"{name} and {alias} are two names of one thing and were given different values.",
                next_step=f"Give only {name}.",
            )
        held[name] = value
    return held


def _is_same(one: object, other: object) -> bool:
    lists = isinstance(one, list | tuple) and isinstance(other, list | tuple)
    return list(one) == list(other) if lists else one == other  # type: ignore[call-overload]
