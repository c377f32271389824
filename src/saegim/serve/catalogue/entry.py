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
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError, create_model

import saegim
from saegim.errors import BadInput, SaegimError
from saegim.memory.coordinate import Origin
from saegim.plugins import Late
from saegim.serve.errands import Errand, Errands

if typing.TYPE_CHECKING:
    from saegim.session import turns
else:
    turns = Late("saegim.session.turns")

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
class Place:
    """Where a function is carried out: the memory seen from the caller's scope, and the door."""

    memory: saegim.Saegim
    door: Door = Door.REST
    tell: Tell = lambda *_: None
    errands: Errands = field(default_factory=Errands)
    # The session of the client itself, where it has one.
    session: str = ""

    def ask_in(self, session: str | None, question: str) -> None:
        """Keep in mind what a model asks in its session: no hook hears its user's turns.

        Nothing is written for it, and what goes wrong here is no reason not to answer.
        """
        if session and question.strip() and self.door is Door.MCP:
            with contextlib.suppress(SaegimError):
                turns.asked_for(question, session, self.memory.working, Origin.AGENT_INFERRED)

    def within(self, project: str | None) -> Place:
        """Return the place seen from another project, if one is named."""
        if project is None:
            return self
        return replace(self, memory=self.memory.within(project=project))

    def errand(self, name: str, work: Callable[[], Result]) -> Errand[Result]:
        """Begin long work, or come back to it; return it when it is over or patience is."""
        return self.errands.sent((self.memory.scope, name), work)


class Arguments(BaseModel):
    """What a function may be given; a name that is not known is refused."""

    model_config = ConfigDict(extra="forbid", str_strip_whitespace=False, frozen=True)


@dataclass(frozen=True)
class Entry:
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

    @property
    def operation(self) -> str:
        """Return what traces call it."""
        return _OPERATIONS[self.effect]

    @property
    def description(self) -> str:
        """Return what it does and when to call it."""
        return " ".join((self.call.__doc__ or "").split())

    @cached_property
    def arguments(self) -> type[Arguments]:
        """Return the model of its arguments, made from its signature."""
        known = typing.get_type_hints(self.call, include_extras=True)
        fields: dict[str, Any] = {}
        for name, each in list(inspect.signature(self.call).parameters.items())[1:]:
            default = ... if each.default is inspect.Parameter.empty else each.default
            fields[name] = (known[name], default)
        return create_model(self.name, __base__=Arguments, **fields)

    @cached_property
    def answer(self) -> TypeAdapter[Any]:
        """Return what it answers with, as a type that has a schema."""
        return TypeAdapter(typing.get_type_hints(self.call)["return"])

    def read(self, arguments: Mapping[str, Any]) -> Json:
        """Return the arguments checked; refuse them in words that say which one and why."""
        try:
            given = self.arguments.model_validate(dict(arguments))
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
) -> Callable[[Callable[..., Any]], Entry]:
    """Turn a function into an entry of the catalogue."""
    method, _, path = route.partition(" ")

    def made(call: Callable[..., Any]) -> Entry:
        again = effect is Effect.READS if repeatable is None else repeatable
        name = getattr(call, "__name__", "")
        return Entry(name, call, profile, effect, (method, path), command, again)

    return made
