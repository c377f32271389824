"""The arguments that several functions of the catalogue share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Literal, TypeVar

from pydantic import Field

from saegim.errors import BadInput
from saegim.serve.catalogue import shapes
from saegim.serve.catalogue.entry import Place

# FAULTS M10: no text longer than this comes through a door.
MOST_TEXT = 32_768
MOST_QUERY = 4_000
# A list of ids longer than this is not a wish about these memories (U5.4).
MOST_IDS = 20
MOST_LISTED = 200
MOST_TOKENS = 20_000
ALL_PROJECTS = "*"

Content = Annotated[str, Field(max_length=MOST_TEXT)]
Question = Annotated[str, Field(max_length=MOST_QUERY)]
Id = Annotated[str, Field(max_length=200)]
Ids = Annotated[list[Id], Field(min_length=1, max_length=MOST_IDS)]
Words = Annotated[list[Annotated[str, Field(max_length=200)]], Field(max_length=32)]
Name = Annotated[str, Field(max_length=200)]
Category = Literal[
    "fact", "preference", "experience", "emotion", "technical", "principle", "insight", "episode"
]
Limit = Annotated[int, Field(ge=1, le=MOST_LISTED)]
Budget = Annotated[int, Field(ge=0, le=MOST_TOKENS)]
Cursor = Annotated[str, Field(max_length=500)]
Date = Annotated[str, Field(max_length=40)]
Project = Annotated[str, Field(max_length=200)]

Item = TypeVar("Item")


def seen_from(at: Place, project: str | None) -> tuple[Place, bool]:
    """Return the place seen from a project, and whether all projects are meant."""
    if project == ALL_PROJECTS:
        return at, True
    return at.within(project), False


def given(**values: Any) -> dict[str, Any]:
    """Return what was asked for, without what was left out."""
    return {name: value for name, value in values.items() if value is not None and value != []}


def listed(
    at: Place,
    items: list[Item],
    limit: int,
    cursor: str | None,
    *,
    key: Callable[[Item], str],
    show: Callable[[Item], shapes.Json],
) -> shapes.Items:
    """Return a part of a whole list as an answer."""
    page = part(items, limit, cursor, key)
    return {
        "items": [show(each) for each in page["items"]],
        "total": page["total"],
        "next": page["next"],
        "scope": shapes.scope(at.memory.scope),
    }


def part(
    items: list[Item], limit: int, cursor: str | None, key: Callable[[Item], str]
) -> dict[str, Any]:
    """Return a part of a whole list, its true total and where to go on.

    The cursor is the key of the last one that was shown: what is added meanwhile moves nothing.
    """
    start = 0
    if cursor is not None:
        places = [place for place, each in enumerate(items, 1) if key(each) == cursor]
        if not places:
            raise BadInput("catalogue.no_place_in_list", cursor=cursor)
        start = places[0]
    shown = items[start : start + limit]
    more = start + limit < len(items)
    return {"items": shown, "total": len(items), "next": key(shown[-1]) if more else None}
