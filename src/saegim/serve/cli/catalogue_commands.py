"""Commands made from the catalogue: an entry's signature gives the arguments, its answer the JSON.

A command names its entry, how each argument is written on the command line, and how people read
the answer. Types and defaults come from the entry.
"""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable, Iterable
from typing import Annotated, Any

from saegim.serve.catalogue.entry import CallContext, CatalogueEntry
from saegim.serve.cli.talk import Talk
from saegim.serve.speech import Speech

Json = dict[str, Any]
Show = Callable[[Any, Speech], Iterable[Any]]


def made_from(
    entry: CatalogueEntry,
    show: Show,
    *,
    tells: str = "",
    names: dict[str, str] | None = None,
    **hints: Any,
) -> Callable[..., None]:
    """Return the command of an entry.

    `hints` say for each argument that is offered how it is written; `names` what the command line
    calls it where that differs. `tells` names the part of the answer that holds all of it.
    """
    called = {each: (names or {}).get(each, each) for each in hints}
    signature = inspect.signature(entry.call)
    types = typing.get_type_hints(entry.call)
    parameters = [inspect.Parameter("talk", inspect.Parameter.POSITIONAL_OR_KEYWORD)]
    parameters += [
        inspect.Parameter(
            called[each],
            inspect.Parameter.KEYWORD_ONLY,
            default=signature.parameters[each].default,
            annotation=Annotated[types[each], hint],
        )
        for each, hint in hints.items()
    ]

    def command(talk: Talk, **given: Any) -> None:
        with talk.memory() as memory:
            told = entry.call(CallContext(memory), **{each: given[called[each]] for each in hints})
        document = told[tells] if tells else _without_scope(told)
        talk.answer(document, lambda: show(document, talk.speech))

    command.__doc__ = entry.call.__doc__
    command.__signature__ = signature.replace(parameters=parameters, return_annotation=None)  # type: ignore[attr-defined]
    return command


def _without_scope(told: Json) -> Json:
    """Return the answer without whose it is: the reader is that person."""
    return {name: value for name, value in told.items() if name != "scope"}
