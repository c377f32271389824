"""The command line without a parser: the commands of every day, written plainly.

Who asks for one answer should not wait for a parser to be loaded that knows seventy commands. A
line whose every word is understood here is carried out here, by the same functions; any other
(help, a slip of the pen, another command) goes to `app`, which also says what is wrong with it.
"""

from __future__ import annotations

import contextlib
import inspect
import os
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, get_args

from saegim.errors import BadInput, SaegimError
from saegim.serve.cli.talk import Argument, Ended, Option, Talk, Unwilling, unwritten
from saegim.serve.terminal import OTHER, chosen_settings, is_whole, speak_utf8

_APP = "saegim.serve.cli.app"
# The commands that are carried out here, and the module whose function of that name each is.
_PLAIN = {
    "remember": "daily_commands",
    "search": "daily_commands",
    "get": "daily_commands",
    "recent": "daily_commands",
    "recall": "recall_commands",
    "context": "recall_commands",
}
# Options of the front that people write where they think of them.
_JSON, _LANGUAGE, _IDS = "--json", "--language", "--ids"
# Those of them that take a value.
_VALUED = (_LANGUAGE, "--path", "--store", "--user", "--agent")
_FRONT = {
    **{name: name[2:] for name in (*_VALUED, "--project")},
    "--store": "path",
    _JSON: "as_json",
    _IDS: "ids",
}
_NUMBERS = {int: int, float: float, str: str}


def run(arguments: Sequence[str]) -> int:
    """Carry out one command line of this process; return its exit code."""
    if "_SAEGIM_COMPLETE" in os.environ:
        return int(import_module(_APP).run(arguments))
    speak_utf8()
    return carried_out(arguments, Talk())


def carried_out(arguments: Sequence[str], talk: Talk) -> int:
    """Carry out one command line in an exchange; return its exit code."""
    if (plain := _read(arguments)) is None:
        return int(import_module(_APP).carried_out(arguments, talk))
    name, front, values = plain

    def act() -> None:
        talk.hear(name, front.pop("language"), **front)
        function = _function(name)
        for each, (way, _) in _ways(function).items():
            if way.read is not None and values.get(each) is not None:
                values[each] = way.read(talk, values[each])
        function(talk, **values)

    return exchanged(arguments, talk, act)


def exchanged(arguments: Sequence[str], talk: Talk, act: Callable[[], object]) -> int:
    """Let a command answer, say what goes wrong, and let go of what is open."""
    talk.as_json = _JSON in options_in(arguments)
    talk.speak(_asked_language(arguments) or chosen_settings(talk.home).language)
    try:
        _refuse_halves(arguments)
        ended = act()
        # What goes wrong while closing is told like everything else.
        talk.open.close()
    except Ended as end:
        return end.code
    except SaegimError as error:
        return talk.complain(error)
    except BrokenPipeError as error:
        return unwritten(error)
    except Unwilling:
        talk.tell("nothing changed")
        return OTHER
    finally:
        with contextlib.suppress(SaegimError):
            talk.open.close()
    return ended if isinstance(ended, int) else 0


def _read(arguments: Sequence[str]) -> tuple[str, dict[str, Any], dict[str, Any]] | None:
    """Return the command, what holds for every command, and its own values; nothing if unsure."""
    try:
        words = front_first(in_plain_names(arguments))
    except BadInput:
        return None
    front: dict[str, Any] = dict.fromkeys(_FRONT.values())
    front |= {"as_json": False, "ids": False}
    while words and (name := words[0].partition("=")[0]) in _FRONT:
        word = words.pop(0)
        if name in (_JSON, _IDS):
            front[_FRONT[name]] = True
        elif "=" in word:
            front[_FRONT[name]] = word.partition("=")[2]
        elif words:
            front[_FRONT[name]] = words.pop(0)
    if not words or words[0] not in _PLAIN:
        return None
    values = _values(_ways(_function(words[0])), words[1:])
    return None if values is None else (words[0], front, values)


def _function(name: str) -> Callable[..., None]:
    module = import_module(f"saegim.serve.cli.{_PLAIN[name]}")
    function: Callable[..., None] = getattr(module, name)
    return function


def _ways(function: Callable[..., None]) -> dict[str, tuple[Argument, Any]]:
    """Return how each value of a command is written, and as what."""
    held = list(inspect.signature(function, eval_str=True).parameters.values())[1:]
    return {
        each.name: (each.annotation.__metadata__[0], each.annotation.__origin__) for each in held
    }


def _values(ways: dict[str, tuple[Argument, Any]], words: list[str]) -> dict[str, Any] | None:
    """Return the values that words say; nothing where a parser should look at them."""
    named = {
        written: name
        for name, (way, _) in ways.items()
        if isinstance(way, Option)
        for written in way.names or (f"--{name.replace('_', '-')}",)
    }
    places = [name for name, (way, _) in ways.items() if not isinstance(way, Option)]
    ends = words.index("--") if "--" in words else len(words)
    loose, values = words[ends + 1 :], dict[str, Any]()
    rest = iter(words[:ends])
    for word in rest:
        if word == "-" or not word.startswith("-"):
            loose.insert(len(loose) - len(words[ends + 1 :]), word)
            continue
        name, equals, value = word.partition("=")
        if name not in named or (equals and not name.startswith("--")):
            return None
        sort = ways[named[name]][1]
        if sort is bool:
            if equals:
                return None
            values[named[name]] = True
            continue
        value = value if equals else next(rest, "-")
        if not _add(values, named[name], sort, value):
            return None
    # What is missing or too much, a parser says.
    needed = [name for name in places if type(None) not in get_args(ways[name][1])]
    if not len(needed) <= len(loose) <= len(places):
        return None
    return values | dict(zip(places, loose, strict=False))


def _add(values: dict[str, Any], name: str, sort: Any, text: str) -> bool:
    """Add the value of an option; say whether it is one."""
    if text.startswith("-"):
        return False
    kinds = [each for each in get_args(sort) or (sort,) if each is not type(None)]
    if kinds == [list[str]]:
        values.setdefault(name, []).append(text)
        return True
    try:
        values[name] = _NUMBERS[kinds[0]](text)
    except (KeyError, ValueError):
        return False
    return True


def options_in(arguments: Sequence[str]) -> list[str]:
    """Return the arguments that may be options: all before a bare `--`."""
    held = list(arguments)
    return held[: held.index("--")] if "--" in held else held


def front_first(arguments: Sequence[str]) -> list[str]:
    """Let what holds for every command stand anywhere: people write it where they think of it."""
    head = options_in(arguments)
    rest = list(arguments)[len(head) :]
    front: list[str] = []
    own: list[str] = []
    # A connection has a project of its own to name.
    valued = _VALUED if "install" in head else (*_VALUED, "--project")
    words = iter(head)
    for each in words:
        if each in (_JSON, _IDS) or (each.partition("=")[0] in valued and "=" in each):
            front.append(each)
        elif each in valued:
            front += [each, *[value for value in [next(words, None)] if value is not None]]
        else:
            own.append(each)
    return [*front, *own, *rest]


# What other doors and seed C call the options --kind and --tag, and the text of a command.
_ALIASES = {"--category": "--kind", "--keywords": "--tag", "--tags": "--tag", "--content": ""}


def in_plain_names(arguments: Sequence[str]) -> list[str]:
    """Read other names of options; refuse two names of one thing if they say different things."""
    head = options_in(arguments)
    if not any(each.partition("=")[0] in _ALIASES for each in head):
        return list(arguments)
    plain: list[str] = []
    texts: list[str] = []
    said: dict[str, dict[str, set[str]]] = {}
    words = iter(head)
    for each in words:
        name, equals, value = each.partition("=")
        meant = _ALIASES.get(name, name)
        if meant not in _ALIASES.values():
            plain.append(each)
            continue
        value = value if equals else next(words, "")
        said.setdefault(meant, {}).setdefault(name, set()).add(value)
        if meant:
            plain += [meant, value]
        else:
            texts.append(value)
    for meant, names in said.items():
        for alias in names:
            if meant in names and names[meant] != names[alias]:
                raise BadInput("memory.two_names_of_one_thing", name=meant, alias=alias)
    return [*plain, *texts, *list(arguments)[len(head) :]]


def _asked_language(arguments: Sequence[str]) -> str | None:
    """Find the language that help is asked for in, before anything is parsed."""
    head = options_in(arguments)
    for at, each in enumerate(head):
        name, _, value = each.partition("=")
        if name == _LANGUAGE:
            return value or (head[at + 1] if at + 1 < len(head) else None)
    return None


def _refuse_halves(arguments: Sequence[str]) -> None:
    for at, each in enumerate(arguments, 1):
        if not is_whole(each):
            raise BadInput("command.argument_is_not_utf_8", at=at, each=each[:60])
