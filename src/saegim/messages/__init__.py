"""Every message of the house by key, in English and Korean: `en/*.toml` and `ko/*.toml`.

A key is `topic.name`; the topic is the name of the file, which is read when the first message of it
is needed. An entry is a text, or a table with `message` and, where there is one, `next_step`:

    [no_such_file]
    message = "There is no file {path}."
    next_step = "Check the path."

Sentences of the command line have names of plain words, such as `kept stored`; the first word tells
the file: `help.toml`, `night.toml`, `word.toml`, and `cli.toml` for all others.

Places are filled as `str.format` does it, by name alone: `{path}`, `{count:,}`, `{value!r:.60}`.
A value may itself be a `Message` or an error of ours and is then said in the reader's language.
In Korean `{은/는}` stands for the particle that fits what was written before it: `{path}{을/를}`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from pathlib import Path, PurePath
from string import Formatter
from typing import Final, NamedTuple

from saegim.korean_particles import choose_particle

LANGUAGES: Final = ("en", "ko")
_HOME: Final = Path(__file__).parent
_KEY: Final = re.compile(r"[a-z_]+(?:\.[a-z0-9_:-]+)+")
# Sentences of the command line stand in several files, told apart by the first word of the name.
_FILES: Final = {
    **dict.fromkeys(("help", "option", "panel"), "help"),
    **dict.fromkeys(("did", "would", "short", "stage", "detail"), "night"),
    **dict.fromkeys(
        str.split(
            "audit change check column entity error feeling field kin kind label language leaves "
            "origin path reason slot source state tie type why"
        ),
        "word",
    ),
}
SENTENCES: Final = ("cli", "word", "help", "night")
# Files that no error and no reason comes from.
_NEVER_TRANSLATED: Final = frozenset((*SENTENCES, "doctor", "scene", "surroundings", "web"))
# Less of our own words than this could be anybody's sentence.
_FEWEST_LETTERS: Final = 8


class Sayable:
    """Something that can be said in either language."""

    __slots__ = ()

    def said_in(self, language: str) -> str:
        """Return it in a language."""
        raise NotImplementedError


class MessageEntry(NamedTuple):
    """One message as it is written down: templates of what happened and of what to do."""

    message: str
    next_step: str = ""


class _Frozen:
    """A value as it was when the message was made: it may change later, or not be picklable."""

    def __init__(self, text: str, shown: str) -> None:
        self.text, self.shown = text, shown

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return self.shown


class _Captured(str):
    """A value read back from a finished sentence: it has its form already."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)

    def __format__(self, how: str) -> str:
        return str(self)


class Message(Sayable):
    """A key and its values; said in English unless another language is asked for."""

    __slots__ = ("key", "values")

    def __init__(self, key: str, /, **values: object) -> None:
        self.key, self.values = key, frozen(values)

    def said_in(self, language: str) -> str:
        """Return the message in a language."""
        return said(self.key, self.values, language)

    def __str__(self) -> str:
        return self.said_in("en")


class HeardMessage(Sayable):
    """A sentence of ours that came back as finished English, from the store or another process."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text

    def said_in(self, language: str) -> str:
        """Return the sentence in a language, where it is known."""
        return translated(self.text, language)


def has(key: str) -> bool:
    """Say whether there is a message of this key or name."""
    try:
        entry(key)
    except KeyError:
        return False
    return True


def is_key(text: str) -> bool:
    """Say whether a text has the form of a key and not of a sentence."""
    return _KEY.fullmatch(text) is not None


def frozen(values: Mapping[str, object]) -> dict[str, object]:
    """Return values that stay as they are now."""
    return {name: _unchanging(value) for name, value in values.items()}


def _unchanging(value: object) -> object:
    if isinstance(value, str | int | float | PurePath | Sayable | None):
        return value
    return _Frozen(str(value), repr(value))


def entry(key: str, language: str = "en") -> MessageEntry:
    """Return the entry of a key or of a sentence's name; raise KeyError where there is none."""
    file, _, name = key.partition(".")
    if not name or " " in file:
        file, name = _FILES.get(key.partition(" ")[0], "cli"), key
    return entries(file, language)[name]


@cache
def entries(file: str, language: str) -> Mapping[str, MessageEntry]:
    """Return all entries of one file; none where there is no such file."""
    place = _HOME / language / f"{file}.toml"
    if not place.is_file():
        return {}
    # Loaded here: most processes never say a message.
    held = import_module("tomllib").loads(place.read_text(encoding="utf-8"))
    return {
        name: MessageEntry(**told) if isinstance(told, dict) else MessageEntry(told)
        for name, told in held.items()
    }


def files(language: str = "en") -> list[str]:
    """Return the names of all files of a language."""
    return sorted(each.stem for each in (_HOME / language).glob("*.toml"))


def both(key: str, language: str, /, **values: object) -> tuple[str, str]:
    """Return the message of a key and its next step, with their places filled."""
    held = entry(key, language)
    return filled(held.message, values, language), filled(held.next_step, values, language)


def said(key: str, values: Mapping[str, object], language: str = "en") -> str:
    """Return the message of a key with its places filled."""
    return filled(entry(key, language).message, values, language)


def filled(template: str, values: Mapping[str, object], language: str = "en") -> str:
    """Return a template with its places filled and its particles chosen."""
    text = ""
    for literal, name, how, conversion in _parts(template):
        text += literal
        if name is None:
            continue
        text += (
            choose_particle(text, name)
            if "/" in name
            else _shown(_told(name, values[name], language), how, conversion, language)
        )
    return text


def _told(name: str, value: object, language: str) -> object:
    """Return a value as it is told: what the system says is wrong is said in the language too."""
    return translated(value, language) if name == "reason" and isinstance(value, str) else value


@cache
def _parts(template: str) -> tuple[tuple[str, str | None, str, str], ...]:
    return tuple(
        (literal, name, how or "", conversion or "")
        for literal, name, how, conversion in Formatter().parse(template)
    )


def _shown(value: object, how: str, conversion: str, language: str) -> str:
    if isinstance(value, Sayable):
        value = value.said_in(language)
    if conversion == "r":
        value = repr(value)
    elif conversion == "a":
        value = ascii(value)
    elif conversion == "s" or isinstance(value, _Frozen):
        value = str(value)
    return format(value, how)


def places(template: str) -> set[str]:
    """Return the names of the values that a template needs."""
    return {name for _, name, _, _ in _parts(template) if name and "/" not in name}


def translated(text: str, language: str) -> str:
    """Return a finished English sentence of ours in a language, or as it is if it is not ours.

    For what comes back from the store or from another process as text: reasons, troubles of past
    nights, answers of a server.
    """
    if language == "en" or not text:
        return text
    # Reasons are asked for most, and the other files need not be read for them.
    others = (each for each in files() if each != "reason" and each not in _NEVER_TRANSLATED)
    for known in (("reason",), tuple(others)):
        for pattern, key, part in _patterns(known):
            if found := pattern.fullmatch(text):
                values = {name: _Captured(held) for name, held in found.groupdict().items()}
                return filled(entry(key, language)[part], values, language)
    return text


@cache
def _patterns(known: tuple[str, ...]) -> list[tuple[re.Pattern[str], str, int]]:
    """Return the forms of the English sentences of some files, those with the most words first."""
    found = []
    for file in known:
        for name, told in entries(file, "en").items():
            for part, template in enumerate(told):
                letters = sum(len(literal) for literal, *_ in _parts(template))
                if letters >= _FEWEST_LETTERS:
                    found.append((letters, _pattern(template), f"{file}.{name}", part))
    found.sort(key=lambda each: -each[0])
    return [each[1:] for each in found]


def _pattern(template: str) -> re.Pattern[str]:
    held, seen = "", set[str]()
    for literal, name, _, _ in _parts(template):
        held += re.escape(literal)
        if name:
            held += f"(?P={name})" if name in seen else f"(?P<{name}>.+)"
            seen.add(name)
    return re.compile(held, re.DOTALL)
