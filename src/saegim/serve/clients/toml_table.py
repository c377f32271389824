"""Our table in a TOML text: put in, brought up to date, taken out, every other byte as it was.

tomlkit writes our table and changes its values, but it is given nothing else to write: of a whole
file it moves arrays of tables that stand apart, drops the comment between our table and the next,
and puts a new key below that comment. So a text is cut into its statements here, which tells where
our lines lie, and only they pass through the library.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from saegim.errors import BadInput, Refused
from saegim.serve.clients.jsonc import line_end

# What a value can hide an end of line, a bracket or a # in; the long strings come first.
_PIECE = re.compile(
    r'"""(?:\\.|[^\\])*?"{3,5}|\'\'\'.*?\'{3,5}|"(?:\\.|[^"\\\n])*"|\'[^\'\n]*\'|#[^\n]*|[\[\]{}\n=]',
    re.DOTALL,
)


_EMPTY = re.compile(r"(?<=\n)\r?\n\Z")
_GAP = re.compile(r"[ \t\r\n]*")


@dataclass(frozen=True, slots=True)
class Statement:
    """One header or one key with its value: its full path and where it lies in the text."""

    path: tuple[str, ...]
    start: int
    end: int
    header: bool


def read(text: str, name: str) -> dict[str, Any]:
    """Return what a TOML text says."""
    try:
        return tomllib.loads(_bare(text))
    except tomllib.TOMLDecodeError as error:
        raise BadInput("client.cannot_be_read_correct_line", name=name, error=error) from None


def put_in(text: str, path: tuple[str, ...], value: Mapping[str, Any], name: str) -> str:
    """Return the text with a new table at its end, after one empty line."""
    eol = line_end(text)
    body = _new_table(path, value).replace("\n", eol)
    if not _bare(text):
        return _checked(f"{text}{body}{eol}", path, value, name)
    if text.endswith("\n"):
        return _checked(f"{text}{eol}{body}{eol}", path, value, name)
    return _checked(f"{text}{eol}{eol}{body}", path, value, name)


def brought_up(text: str, path: tuple[str, ...], wanted: Mapping[str, Any], name: str) -> str:
    """Return the text with the wanted keys in our table; its other keys stay."""
    held = _at(read(text, name), path)
    changed = {key: each for key, each in wanted.items() if held.get(key) != each}
    if changed:
        start, end = _keys_of(text, path, name)
        text = text[:start] + _changed(text[start:end], path, changed) + text[end:]
    return _checked(text, path, wanted, name)


def _new_table(path: tuple[str, ...], value: Mapping[str, Any]) -> str:
    """Write our table as a text of its own, without the end of its last line."""
    # Loaded only where a client with a TOML file is connected: it takes longer than the rest.
    import tomlkit

    table: Any = tomlkit.table()
    table.update(value)
    for step in reversed(path[1:]):
        outer: Any = tomlkit.table(is_super_table=True)
        outer.append(step, table)
        table = outer
    document = tomlkit.document()
    document.append(path[0], table)
    return tomlkit.dumps(document).rstrip("\n")


def _changed(lines: str, path: tuple[str, ...], wanted: Mapping[str, Any]) -> str:
    """Return the lines of our table with other values; what stands around a value stays."""
    import tomlkit

    eol = line_end(lines)
    document: Any = tomlkit.parse(f"{lines}{eol}")
    table = document
    for step in path:
        table = table[step]
    table.update(wanted)
    written = tomlkit.dumps(document).removesuffix("\n").removesuffix("\r")
    return written if eol == "\n" else re.sub(r"(?<!\r)\n", eol, written)


def _keys_of(text: str, path: tuple[str, ...], name: str) -> tuple[int, int]:
    """Return where our header and the keys below it lie, to the end of their last line."""
    found = statements(text)
    heads = [at for at, each in enumerate(found) if each.header and each.path == path]
    if not heads:
        raise _by_hand(name, path)
    last = head = heads[0]
    while last + 1 < len(found) and not found[last + 1].header:
        last += 1
    stop = text.find("\n", found[last].end)
    end = len(text) if stop < 0 else stop
    return found[head].start, end - text[:end].endswith("\r")


def taken_out(text: str, path: tuple[str, ...], name: str) -> str:
    """Return the text without our table, its sub-tables and the empty line before it."""
    before = read(text, name)
    for start, end in reversed(_blocks(statements(text), path)):
        text = _cut(text, start, end)
    after = read(text, name)
    if _at(after, path) or _without(before, path) != _without(after, path):
        raise _by_hand(name, path)
    return text


def _blocks(all_of_it: list[Statement], path: tuple[str, ...]) -> list[tuple[int, int]]:
    """Return the stretches to cut: what is ours and follows on each other is one."""
    found: list[tuple[int, int]] = []
    follows = False
    for each in all_of_it:
        ours = each.path[: len(path)] == path
        if ours and follows and not each.header:
            found[-1] = (found[-1][0], each.end)
        elif ours:
            found.append((each.start, each.end))
        follows = ours
    return found


def _cut(text: str, start: int, end: int) -> str:
    """Cut whole lines, the empty line before them, and the end of line that the last one lacks."""
    line = max(text.rfind("\n", 0, start) + 1, len(text) - len(_bare(text)))
    empty = _EMPTY.search(text[:line])
    head = text[: line if empty is None else empty.start()]
    stop = text.find("\n", end)
    return head + text[stop + 1 :] if stop >= 0 else head.removesuffix("\n").removesuffix("\r")


def statements(text: str) -> list[Statement]:
    """Cut a text that is known to be TOML into its headers and keys."""
    found: list[Statement] = []
    table: tuple[str, ...] = ()
    at = len(text) - len(_bare(text))
    while at < len(text):
        at = _skipped(text, at)
        end, equals = _reach(text, at)
        written = text[at:end].rstrip()
        if written.startswith("["):
            table = _path(written)
            found.append(Statement(table, at, at + len(written), True))
        elif written and not written.startswith("#"):
            key = _path(f"{text[at:equals]}= 0")
            found.append(Statement((*table, *key), at, at + len(written), False))
        at = end
    return found


def _skipped(text: str, at: int) -> int:
    gap = _GAP.match(text, at)
    return at if gap is None else gap.end()


def _reach(text: str, at: int) -> tuple[int, int]:
    """Return where the statement that begins here ends, before its comment, and its first `=`."""
    depth, equals = 0, -1
    place = at
    while (found := _PIECE.search(text, place)) is not None:
        piece = found[0]
        if piece == "=" and equals < 0:
            equals = found.start()
        elif piece in ("[", "{"):
            depth += 1
        elif piece in ("]", "}"):
            depth -= 1
        elif piece == "\n" and depth == 0:
            return found.start(), equals
        elif piece.startswith("#") and depth == 0:
            return (found.end() if found.start() == at else found.start()), equals
        place = found.end()
    return len(text), equals


def _path(written: str) -> tuple[str, ...]:
    """Return the path that a header or a key stands for, as the reader of TOML understands it."""
    here: Any = tomllib.loads(written)
    steps: list[str] = []
    while here and isinstance(here, dict | list):
        if isinstance(here, list):
            here = here[0]
            continue
        ((step, here),) = here.items()
        steps.append(step)
    return tuple(steps)


def _bare(text: str) -> str:
    return text.removeprefix("\ufeff")


def _at(held: Any, path: tuple[str, ...]) -> dict[str, Any]:
    for step in path:
        held = held.get(step, {}) if isinstance(held, dict) else {}
    return held if isinstance(held, dict) else {}


def _without(held: dict[str, Any], path: tuple[str, ...]) -> dict[str, Any]:
    """Return everything but what lies at a path, and but what holds nothing else."""
    first, *rest = path
    kept = {key: each for key, each in held.items() if key != first}
    inner = held.get(first)
    if rest and isinstance(inner, dict):
        below = _without(inner, tuple(rest))
        if below:
            kept[first] = below
    return kept


def _checked(text: str, path: tuple[str, ...], wanted: Mapping[str, Any], name: str) -> str:
    """Return the text if it says what it should; some ways to write a table cannot be added to."""
    try:
        held = _at(tomllib.loads(_bare(text)), path)
    except tomllib.TOMLDecodeError:
        raise _by_hand(name, path) from None
    if any(held.get(key) != value for key, value in wanted.items()):
        raise _by_hand(name, path)
    return text


def _by_hand(name: str, path: tuple[str, ...]) -> Refused:
    return Refused("client.writes_in_way", name=name, path=".".join(path))
