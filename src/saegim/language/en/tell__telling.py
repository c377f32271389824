"""A core said in English, in one sentence, or as a short note."""

from __future__ import annotations

import re
from typing import Final

from saegim.language.deeds import ME, Core, Part
from saegim.language.en.verbs import past, third
from saegim.memory.late import late

_ORDER: Final = ("how", "thing", "with", "place", "for")
_LONGEST_NAME: Final = 24
_MOST_PARTS: Final = 2
_MINE: Final = late(r"\b(?:my|our|mine)\b", re.IGNORECASE)


def said(core: Core, me: str, *, brief: bool) -> str:
    """Return a core as a sentence; `brief` asks for a note, where that is safe."""
    who = _capital(me if core.who.key == ME else core.who.text)
    whole = core.says == core.of
    after = _after(core)
    if brief and whole and len(who) <= _LONGEST_NAME and (note := _note(core, after)):
        return f"{who}: {note}"
    return f"{who} {_verb(core, after, 'often' if whole else 'mostly')}"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _after(core: Core) -> str:
    words = []
    for role in _ORDER:
        same = [each for each in core.parts if each.role == role][:_MOST_PARTS]
        words += [_written(each, core) for each in same[:1]]
        words += [f"and {each.text}" for each in same[1:]]
    if core.nouns:
        words.append(f"when {core.nouns[0]} comes up")
    return " ".join(words)


def _written(part: Part, core: Core) -> str:
    """Return a part with its preposition; what is mine is the user's when told of another."""
    text = _MINE.sub("their" if core.who.key == ME else "the user's", part.text)
    if core.how == "goes":
        return f"to {text}"
    if core.how == "together":
        return f"with {text}"
    if core.how == "there":
        return f"{part.mark if part.mark in ('at', 'in', 'by', 'near') else 'at'} {text}"
    return f"{part.mark} {text}".strip()


def _verb(core: Core, after: str, often: str) -> str:
    match core.how:
        case "likes" | "dislikes":
            return f"mostly {core.how} {after}" if often == "mostly" else f"{core.how} {after}"
        case "goes":
            return f"{often} goes {after}"
        case "there" | "together":
            return f"{often} spends time {after}"
        case "wish":
            return f"{'does not want' if core.denied else 'wants'} to {core.verb} {after}".strip()
        case "past":
            return _was(core, after)
        case "state":
            no = "is not" if core.verb == "be" else f"{_does(core)} {core.verb}"
            held = no if core.denied else third(core.verb)
            return f"{held} {after}".strip()
    if core.verb == "be":
        return f"is {often} {'not ' if core.denied else ''}{after}".strip()
    if core.denied:
        return f"{often} {_does(core)} {core.verb} {after}".strip()
    return f"{often} {third(core.verb)} {after}".strip()


def _does(core: Core) -> str:
    return "cannot" if core.denied == "cannot" else "does not"


def _was(core: Core, after: str) -> str:
    if core.denied:
        no = "was not" if core.verb == "be" else f"did not {core.verb}"
        return f"{no} {after}".strip()
    return f"{past(core.verb)} {after}".strip()


def _note(core: Core, after: str) -> str:
    """Return the core as one writes a note, "" where that could be misread."""
    if core.denied or core.nouns:
        return ""
    match core.how:
        case "likes" | "dislikes":
            return f"{core.how} {after}"
        case "goes":
            return f"often at {after.removeprefix('to ')}"
        case "wish":
            return f"wants to {core.verb} {after}".strip()
        case "habit" if core.verb == "be":
            return f"often {after}"
        case "habit":
            return f"often {third(core.verb)} {after}".strip()
        case _:
            return ""
