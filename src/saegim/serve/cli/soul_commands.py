"""The commands of the self: who it is, what it was, SOUL.md; what it imagines, and its mood."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

import saegim
from saegim.errors import BadInput
from saegim.serve.catalogue import imagination_functions, soul_functions
from saegim.serve.catalogue.entry import CallContext
from saegim.serve.cli.catalogue_commands import made_from
from saegim.serve.cli.forget_commands import YES, refuse_without_a_person
from saegim.serve.cli.render_memories import grid
from saegim.serve.cli.talk import Talk
from saegim.serve.speech import Speech
from saegim.serve.terminal import visible
from saegim.soul.beliefs import SelfVersion

if TYPE_CHECKING:
    from saegim.soul.proposals import Proposal

ACTIONS = ("show", "beliefs", "history", "rollback", "write", "check", "propose", "remove")
# What a program is told, and what a person reads.
Told = tuple[Any, list[Any]]
Words = Annotated[str | None, typer.Argument(metavar="[VERSION|ID|TEXT]")]


def soul(
    talk: Talk,
    action: Annotated[str, typer.Argument(metavar="[" + "|".join(ACTIONS) + "]")] = "show",
    value: Words = None,
    instead_of: Annotated[str | None, typer.Option("--instead-of", metavar="ID")] = None,
) -> None:
    """Show who the memories make of us, and change it."""
    if action not in ACTIONS:
        raise BadInput("command.no_soul_action", action=action, known=", ".join(ACTIONS))
    if action in ("rollback", "propose", "remove") and not value:
        raise BadInput("command.soul_needs_value", action=action)
    if action == "rollback":
        _roll_back(talk, value or "")
        return
    with talk.memory(new=action == "propose") as memory:
        told, shown = _DOES[action](memory, value or "", instead_of or "", talk.speech)
    talk.answer(told, lambda: shown)


def _show(memory: saegim.Saegim, _: str, __: str, speech: Speech) -> Told:
    text = memory.soul.text()
    lines = [visible(line) for line in text.splitlines()]
    # Nothing is approved: a person is told what comes first.
    return {"text": text}, lines if "\n## " in text else [speech("no beliefs")]


def _beliefs(memory: saegim.Saegim, _: str, __: str, speech: Speech) -> Told:
    held = memory.soul.now().beliefs
    table = grid(header=False)
    for style in ("cyan", "bold", ""):
        table.add_column("", style=style, overflow="fold")
    for each in held:
        table.add_row(speech.handle(each.id), f"{each.confidence:.2f}", visible(each.statement))
    told = {"beliefs": [soul_functions.belief(each) for each in held]}
    return told, [table] if held else [speech("no beliefs")]


def _history(memory: saegim.Saegim, _: str, __: str, speech: Speech) -> Told:
    every = memory.soul.history()
    lines = []
    for before, each in zip([SelfVersion(), *every], every, strict=False):
        # What a version took away stands in the one before it.
        words = {held.id: held.statement for held in (*before.beliefs, *each.beliefs)}
        whole = speech("self whole", count=len(each.beliefs))
        lines.append(
            speech(
                "self version",
                version=each.version,
                at=speech.moment(each.at) if each.at else "-",
                change=speech(f"self {each.change or 'erase'}"),
                by=visible(each.by) or "-",
                what=visible(words.get(each.belief, "")) or whole,
            )
        )
    told = {"versions": [soul_functions.version(each) for each in every]}
    return told, lines or [speech("no beliefs")]


def _write(memory: saegim.Saegim, _: str, __: str, speech: Speech) -> Told:
    return _laid([memory.soul.propose_file()], speech)


def _check(memory: saegim.Saegim, _: str, __: str, speech: Speech) -> Told:
    found = memory.soul.check()
    offered = memory.soul.offer_edits()
    told = soul_functions.checked(found) | {"proposals": [each.id for each in offered]}
    lines = [speech(f"soul file {found.status.value}", path=found.path)]
    lines += [visible(line) for line in found.difference.splitlines()]
    return told, lines + [speech("soul laid", id=each.id) for each in offered]


def _propose(memory: saegim.Saegim, value: str, instead: str, speech: Speech) -> Told:
    return _laid([memory.soul.propose_belief(value, instead_of=instead)], speech)


def _remove(memory: saegim.Saegim, value: str, _: str, speech: Speech) -> Told:
    return _laid([memory.soul.propose_unbelief(value)], speech)


_DOES: dict[str, Callable[[saegim.Saegim, str, str, Speech], Told]] = {
    "show": _show,
    "beliefs": _beliefs,
    "history": _history,
    "write": _write,
    "check": _check,
    "propose": _propose,
    "remove": _remove,
}


def _laid(made: list[Proposal | None], speech: Speech) -> Told:
    ids = [each.id for each in made if each is not None]
    lines = [speech("soul laid", id=id) for id in ids] or [speech("soul known")]
    return {"proposals": ids}, lines


def _roll_back(talk: Talk, value: str) -> None:
    """Go back to an earlier self, at the word of a person at this terminal."""
    refuse_without_a_person(talk, f"saegim soul rollback {value}")
    if not value.isdecimal():
        raise BadInput("command.soul_needs_value", action="rollback")
    if not talk.typed("type yes to roll back", YES):
        raise typer.Abort
    with talk.memory() as memory:
        now = memory.soul.roll_back(int(value), by=memory.scope.user)
    talk.answer(
        soul_functions.version(now), lambda: [talk.speech("self was rolled back", version=value)]
    )


def islands(
    talk: Talk,
    rename: Annotated[str | None, typer.Option("--rename", metavar="ID")] = None,
    name: Annotated[str | None, typer.Option("--name", metavar="NAME")] = None,
    emoji: Annotated[str | None, typer.Option("--emoji", metavar="EMOJI")] = None,
    description: Annotated[str | None, typer.Option("--description", metavar="TEXT")] = None,
) -> None:
    """Show the islands of personality, or propose another name for one."""
    with talk.memory() as memory:
        if rename is not None:
            wanted = {"name": name or "", "emoji": emoji or "", "description": description or ""}
            told, shown = _laid([memory.soul.propose_island(rename, **wanted)], talk.speech)
        else:
            found = memory.soul.islands()
            told = {"islands": [soul_functions.island(each) for each in found]}
            shown = list(_islands(told["islands"], talk.speech)) or [talk.speech("no islands")]
    talk.answer(told, lambda: shown)


def _islands(found: list[dict[str, Any]], speech: Speech) -> Iterator[str]:
    """Yield a line for each island, and the seed's own warning where one shakes."""
    for each in found:
        yield speech(
            "island line",
            id=each["id"],
            emoji=each["emoji"],
            name=visible(each["name"]),
            status=speech(f"island {each['status']}"),
            strength=each["strength"],
            count=len(each["founding_memories"]),
        )
        if each["status"] == "shaking":
            yield speech("island is shaking", name=visible(each["name"]))


# -- imagination: imagine, list, answer; and the mood of now

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
            told = imagination_functions.imagine.call(at, context=context)
        elif what == _LIST:
            told = imagination_functions.imagination_list.call(at)
        else:
            told = imagination_functions.imagination_feedback.call(at, label=what, id=id)
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


mood = made_from(imagination_functions.mood, _mood)
