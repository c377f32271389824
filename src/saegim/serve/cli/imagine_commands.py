"""The commands of imagination: imagine, list, answer; and the mood of now."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Final

import typer

from saegim.errors import BadInput
from saegim.serve.catalogue import imagination_functions as entries
from saegim.serve.catalogue.entry import CallContext
from saegim.serve.cli.catalogue_commands import made_from
from saegim.serve.cli.talk import Talk
from saegim.serve.speech import Speech

_LIST: Final = "list"
_ANSWERS: Final = ("liked", "ignored", "refused")


def imagine(
    talk: Talk,
    what: Annotated[str | None, typer.Argument(metavar="[list|liked|ignored|refused]")] = None,
    id: Annotated[str, typer.Argument(metavar="[ID]")] = "",
    context: Annotated[str, typer.Option("--context", metavar="TEXT")] = "",
) -> None:
    """Imagine something that could be done now; or list, or answer to one."""
    if what not in (None, _LIST, *_ANSWERS):
        known = ", ".join((_LIST, *_ANSWERS))
        raise BadInput("imagine.no_answer", label=what, known=known)
    with talk.memory(here=True) as memory:
        at = CallContext(memory)
        told: Mapping[str, Any]
        if what is None:
            told = entries.imagine.call(at, context=context)
        elif what == _LIST:
            told = entries.imagination_list.call(at)
        else:
            told = entries.imagination_feedback.call(at, label=what, id=id)
    show = _made if what is None else _listed if what == _LIST else _answered
    document = {name: value for name, value in told.items() if name != "scope"}
    talk.answer(document, lambda: list(show(document, talk.speech)))


def _made(told: Mapping[str, Any], speech: Speech) -> Iterator[str]:
    each = told["imagination"]
    yield from _one(each, speech)
    if each["trouble"]:
        yield speech("imagined by rule", why=speech.translated(each["trouble"]))
    yield speech("imagined left", left=told["left"])


def _listed(told: Mapping[str, Any], speech: Speech) -> Iterator[str]:
    for each in told["imaginations"]:
        yield from _one(each, speech)
    if not told["imaginations"]:
        yield speech("imagined none")
    yield speech("imagined left", left=told["left"])


def _one(each: Mapping[str, Any], speech: Speech) -> Iterator[str]:
    yield each["scenario"]
    if each["action"]:
        yield f"  → {each['action']}"
    yield f"  {each['felt']} · {speech.handle(each['id'])}"


def _answered(told: Mapping[str, Any], speech: Speech) -> Iterator[str]:
    yield speech("imagined answered", pattern=told["pattern"], weight=told["weight"])


def _mood(told: Mapping[str, Any], speech: Speech) -> Iterator[str]:
    felt = told["mood"]
    if felt is None:
        yield speech("mood none")
    else:
        named = speech.word("feeling", felt["feeling"])
        yield speech("mood felt", mood=f"{named} ({felt['intensity']:.0%})")


mood = made_from(entries.mood, _mood)
