"""Our hooks in the settings of Claude Code; the hooks of others are not looked into."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from saegim.errors import SaegimError
from saegim.serve.clients.entries import Was, brought_up, put_last, taken_out, value_at
from saegim.serve.clients.jsonc import JsonNode, parse, plain, removed
from saegim.serve.clients.roster import is_ours, words_of

# What Claude Code calls the moment, what we call it, and the seconds it may take. The two that
# stand before a prompt keep a person waiting; the last is cut off at 1.5 s where none is named.
EVENTS: tuple[tuple[str, str, int], ...] = (
    ("SessionStart", "session-start", 15),
    ("UserPromptSubmit", "user-prompt-submit", 10),
    ("PreCompact", "pre-compact", 30),
    ("Stop", "stop", 30),
    ("SessionEnd", "session-end", 30),
)
# What our plugin is called, before the name of its marketplace.
_PLUGIN = "saegim"
# Where a hook of ours stands: the event, the group in it, the hook in that.
_Place = tuple[str, int, int]


def hook(words: tuple[str, ...], event: str, seconds: int) -> dict[str, Any]:
    """Return one hook: the program and its arguments apart, so that no shell reads them."""
    return {
        "type": "command",
        "command": words[0],
        "args": [*words[1:], "hook", event],
        "timeout": seconds,
    }


def hooked(text: str, words: tuple[str, ...], name: str, was: Was) -> str:
    """Return the settings with exactly one hook of ours at every event, up to date."""
    for event, ours, seconds in EVENTS:
        wanted = hook(words, ours, seconds)
        places = [each for each in _places(text, name) if each[0] == event]
        for extra in reversed(places[1:]):
            text = _without(text, extra, name, was)
        if places:
            # How long it may take is for the person to change.
            del wanted["timeout"]
            text = brought_up(text, partial(_at, place=places[0]), wanted, name)
        else:
            text = put_last(text, ("hooks", event), {"hooks": [wanted]}, name, was)
    return text


def unhooked(text: str, name: str, was: Mapping[str, str | None]) -> str:
    """Return the settings without any hook of ours, at whatever event."""
    while places := _places(text, name):
        text = _without(text, places[-1], name, was)
    return text


def found(text: str, name: str) -> list[tuple[str, tuple[str, ...]]]:
    """Return the events we are hooked to and the command of each."""
    root = parse(text, name)
    if root is None:
        return []
    nodes = [(place[0], _at(root, place)) for place in _places(text, name)]
    return [(event, words_of(plain(text, node))) for event, node in nodes if node is not None]


def in_force(settings: Path) -> bool:
    """Say whether a settings file runs our hooks now: its own, or those of our plugin."""
    name = str(settings)
    try:
        text = settings.read_text(encoding="utf-8-sig")
        if value_at(text, ("disableAllHooks",), name) is True:
            return False
        plugins = value_at(text, ("enabledPlugins",), name)
        held = plugins if isinstance(plugins, dict) else {}
        ours = any(str(key).partition("@")[0] == _PLUGIN and on for key, on in held.items())
        return ours or bool(found(text, name))
    except (OSError, ValueError, SaegimError):
        # What cannot be read gives nobody leave to read more.
        return False


def _places(text: str, name: str) -> list[_Place]:
    root = parse(text, name)
    hooks = None if root is None else root.at("hooks")
    return [] if hooks is None else list(_walk(text, hooks))


def _walk(text: str, hooks: JsonNode) -> Iterator[_Place]:
    for event in hooks.children:
        for at, group in enumerate(event.value.children):
            inner = group.value.at("hooks")
            for index, each in enumerate(() if inner is None else inner.children):
                held = plain(text, each.value)
                words = words_of(held) if isinstance(held, dict) else ()
                if is_ours(words) and "hook" in words:
                    yield str(event.key), at, index


def _at(root: JsonNode, place: _Place) -> JsonNode | None:
    event, group, index = place
    groups = root.at("hooks", event)
    inner = None if groups is None else groups.children[group].value.at("hooks")
    return None if inner is None else inner.children[index].value


def _without(text: str, place: _Place, name: str, was: Mapping[str, str | None]) -> str:
    """Take one hook out, with its group if nothing else is in that."""
    event, group, index = place
    root = parse(text, name)
    groups = None if root is None else root.at("hooks", event)
    inner = None if groups is None else groups.children[group].value.at("hooks")
    assert inner is not None, "the place was just found"
    if len(inner.children) == 1:
        return taken_out(text, ("hooks", event), group, name, was)
    return removed(text, inner, index)
