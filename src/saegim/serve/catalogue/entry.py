"""`Entry`: one function of the catalogue, and what every door must know of it.

A function takes a `Place` and what was asked for, and returns plain data. Its signature is its
contract: MCP reads its input schema from it, REST its body and its query, and its docstring tells
a model when to call it.
"""

from __future__ import annotations

import contextlib
import inspect
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property
from typing import Annotated, Any, Literal, TypeVar

from annotated_types import Ge, Le, MaxLen, MinLen

import saegim
from saegim.errors import BadInput, SaegimError
from saegim.memory.memory import Origin
from saegim.memory.text import plain_names
from saegim.serve.catalogue import shapes
from saegim.serve.long_calls import LongCall, LongCalls

if typing.TYPE_CHECKING:
    from pydantic import BaseModel, TypeAdapter, ValidationError

Json = dict[str, Any]
Result = TypeVar("Result")
# Called while long work goes on: how far it is, how far it goes (0: nobody knows), what it does.
Tell = Callable[[float, float, str], None]


class Profile(StrEnum):
    """How large a part of the catalogue a client is shown; each holds those before it."""

    CORE = "core"
    DEFAULT = "default"
    FULL = "full"
    # For people and their programs: REST and the command line, never a model.
    PEOPLE = "people"


class Effect(StrEnum):
    """What a function does to the memory."""

    READS = "reads"
    ADDS = "adds"
    CHANGES = "changes"
    LETS_GO = "lets_go"


# What OpenTelemetry's conventions call each of them (gen_ai.operation.name).
_OPERATIONS = {
    Effect.READS: "search_memory",
    Effect.ADDS: "create_memory",
    Effect.CHANGES: "update_memory",
    Effect.LETS_GO: "delete_memory",
}


class Door(StrEnum):
    """Which way a call came in; who stands there decides how far words are trusted."""

    MCP = "mcp"
    REST = "rest"
    HOOK = "hook"


@dataclass(frozen=True, slots=True)
class CallContext:
    """Where a function is carried out: the memory seen from the caller's scope, and the door."""

    memory: saegim.Saegim
    door: Door = Door.REST
    tell: Tell = lambda *_: None
    long_calls: LongCalls = field(default_factory=LongCalls)
    # The session of the client itself, where it has one, and the folder it stands in.
    session: str = ""
    folder: str | None = None
    # The project that folder names the origin of without having its history.
    claims: str = ""
    # The path outside of the project that a person let be read.
    allowed: str = ""
    # The sessions that were told what is new.
    greeted: set[str] = field(default_factory=set)
    # Whether whose machine it is asks, or one of the people who share it.
    is_own: bool = True

    def ask_in(self, session: str | None, question: str) -> None:
        """Keep in mind what a model asks in its session: no hook hears its user's turns.

        Nothing is written for it, and what goes wrong here is no reason not to answer.
        """
        from saegim.session import turns

        if session and question.strip() and self.door is Door.MCP:
            with contextlib.suppress(SaegimError):
                turns.asked_for(question, session, self.memory.working, Origin.AGENT_INFERRED)

    def within(self, project: str | None) -> CallContext:
        """Return the place seen from another project, if one is named."""
        if project is None:
            return self
        return replace(self, memory=self.memory.within(project=project))

    def long_call(
        self, name: str, work: Callable[[], Result], *, wait: bool = True
    ) -> LongCall[Result]:
        """Begin long work, or come back to it; return it when it is over or patience is."""
        return self.long_calls.sent((self.memory.scope, name), work, wait=wait)

    def known_call(self, name: str) -> LongCall[Any] | None:
        """Return long work of this name that goes on, or ended lately and was not told."""
        return self.long_calls.known((self.memory.scope, name))


@dataclass(frozen=True)
class CatalogueEntry:
    """One function and where it is found: by model, by address, by command."""

    name: str
    call: Callable[..., Json]
    profile: Profile
    effect: Effect
    # Method and path under /v1.
    route: tuple[str, str]
    command: str
    # Whether asking twice does no more than asking once.
    repeatable: bool = False
    # Whether it tells of the whole machine, or reads its disk: no other person is answered.
    of_machine: bool = False

    @property
    def operation(self) -> str:
        """Return what traces call it."""
        return _OPERATIONS[self.effect]

    @property
    def description(self) -> str:
        """Return what it does and when to call it."""
        return " ".join((self.call.__doc__ or "").split())

    @cached_property
    def arguments(self) -> type[BaseModel]:
        """Return the model of its arguments, made from its signature; unknown names are refused."""
        # Loaded here: the command line reads the signature without it.
        from pydantic import ConfigDict, create_model

        known = typing.get_type_hints(self.call, include_extras=True)
        fields: dict[str, Any] = {}
        for name, each in list(inspect.signature(self.call).parameters.items())[1:]:
            default = ... if each.default is inspect.Parameter.empty else each.default
            fields[name] = (known[name], default)
        strict = ConfigDict(extra="forbid", str_strip_whitespace=False, frozen=True)
        return create_model(self.name, __config__=strict, **fields)

    @cached_property
    def answer(self) -> TypeAdapter[Any]:
        """Return what it answers with, as a type that has a schema."""
        from pydantic import TypeAdapter

        return TypeAdapter(typing.get_type_hints(self.call)["return"])

    def read(self, arguments: Mapping[str, Any]) -> Json:
        """Return the arguments checked; refuse them in words that say which one and why.

        The seed's `content`, `category` and `keywords` are read as `text`, `kind` and `tags`.
        """
        from pydantic import ValidationError

        try:
            plain = plain_names(arguments, self.arguments.model_fields)
            given = self.arguments.model_validate(plain)
        except ValidationError as error:
            raise refused(self.name, error) from error
        return {name: getattr(given, name) for name in type(given).model_fields}


def refused(name: str, error: ValidationError) -> BadInput:
    """Say what is wrong with arguments as an error of ours."""
    first = error.errors(include_url=False, include_context=False)[0]
    where = ".".join(str(each) for each in first["loc"]) or "arguments"
    if first["type"] == "extra_forbidden":
        return BadInput("catalogue.takes_no", name=name, where=where)
    if first["type"] == "missing":
        return BadInput("catalogue.needs", name=name, where=where)
    said = first["msg"][:1].lower() + first["msg"][1:]
    return BadInput("catalogue.cannot_be_used", name=name, where=where, said=said)


def catalogued(
    profile: Profile,
    effect: Effect,
    route: str,
    *,
    command: str,
    repeatable: bool | None = None,
    of_machine: bool = False,
) -> Callable[[Callable[..., Any]], CatalogueEntry]:
    """Turn a function into an entry of the catalogue."""
    method, _, path = route.partition(" ")

    def made(call: Callable[..., Any]) -> CatalogueEntry:
        again = effect is Effect.READS if repeatable is None else repeatable
        name = getattr(call, "__name__", "")
        where = (method, path)
        return CatalogueEntry(name, call, profile, effect, where, command, again, of_machine)

    return made


# FAULTS M10: no text longer than this comes through a door; every message may be asked with.
MOST_TEXT = 32_768
# A list of ids longer than this is not a wish about these memories (U5.4).
MOST_IDS = 20
MOST_LISTED = 200
MOST_TOKENS = 20_000
ALL_PROJECTS = "*"

Text = Annotated[str, MaxLen(MOST_TEXT)]
Question = Annotated[str, MaxLen(MOST_TEXT)]
Id = Annotated[str, MaxLen(200)]
Ids = Annotated[list[Id], MinLen(1), MaxLen(MOST_IDS)]
Words = Annotated[list[Annotated[str, MaxLen(200)]], MaxLen(32)]
Name = Annotated[str, MaxLen(200)]
KindName = Literal[
    "fact", "preference", "experience", "emotion", "technical", "principle", "insight", "episode"
]
Limit = Annotated[int, Ge(1), Le(MOST_LISTED)]
Budget = Annotated[int, Ge(0), Le(MOST_TOKENS)]
Cursor = Annotated[str, MaxLen(500)]
Date = Annotated[str, MaxLen(40)]
Project = Annotated[str, MaxLen(200)]

Item = TypeVar("Item")


def seen_from(at: CallContext, project: str | None) -> tuple[CallContext, bool]:
    """Return the place seen from a project, and whether all projects are meant."""
    if project == ALL_PROJECTS:
        return at, True
    return at.within(project), False


def given(**values: Any) -> dict[str, Any]:
    """Return what was asked for, without what was left out."""
    return {name: value for name, value in values.items() if value is not None and value != []}


def listed(
    at: CallContext,
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
