"""Files that belong to others: read exactly, kept aside, written whole or not at all."""

from __future__ import annotations

import difflib
import itertools
import os
import re
import stat
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from saegim.errors import BadInput, Refused
from saegim.filesystem import replacing, unwritable
from saegim.guard.guard import screen
from saegim.serve.terminal import visible

# A line longer than this is a file without line breaks, of which only the change is of interest.
_LONG = 300
_AROUND = 40
# The words of a line of JSON or TOML: texts in quotes, and whatever else no mark or space divides.
_WORD = re.compile(r"""\"(?:\\.|[^"\\])*\"|'[^']*'|[^\s"'{}\[\],:=]+""")
# Of our own commands: they say nothing about anyone.
_PLAIN = frozenset({"-P", "-m", "saegim", "mcp", "hook"})
# The names we write, whose values may be shown when they leave.
_NAMES = frozenset({"args", "command", "timeout", "type"})
# What stands after a word that is a name and no value; in TOML only the first word is one.
_NAME_ENDS = re.compile(r"\s*:")
_FIRST_NAME = re.compile(r"\s*(?:[\w.-]+)\s*=")


@dataclass(frozen=True, slots=True)
class Edit:
    """What becomes of one file; no bytes before or after mean that there is no file."""

    path: Path
    before: bytes | None
    after: bytes | None
    was: dict[str, str | None] = field(default_factory=dict)

    @property
    def changes(self) -> bool:
        """Say whether there is anything to write."""
        return self.before != self.after

    def diff(self) -> str:
        """Return the change as a unified diff that shows nothing of the neighbours."""
        old, new = (_lines(each) for each in (self.before, self.after))
        name = visible(str(self.path)).replace("\n", "\\n")
        # No line around the change: it may hold the password of another server.
        lines = difflib.unified_diff(
            old,
            new,
            os.devnull if self.before is None else name,
            os.devnull if self.after is None else name,
            n=0,
            lineterm="",
        )
        head = list(itertools.islice(lines, 2))
        return "\n".join((*head, *_shortened(_discreet(list(lines), old, new))))


def read(path: Path) -> bytes | None:
    """Return the bytes of a file, or nothing where there is none."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise BadInput(
            "client.cannot_be_read", path=path, reason=error.strerror or error
        ) from error


def text_of(held: bytes | None, path: Path) -> str:
    """Return the text of a file exactly, its byte-order mark and line ends included."""
    try:
        return (held or b"").decode("utf-8")
    except UnicodeDecodeError as error:
        line = (held or b"").count(b"\n", 0, error.start) + 1
        raise BadInput("client.cannot_be_read_line", path=path, line=line) from error


def refuse_unwritable(edit: Edit) -> None:
    """Refuse a file that its owner made read-only, though it could be replaced."""
    if edit.before is None:
        return
    real = Path(os.path.realpath(edit.path))
    if not real.stat().st_mode & stat.S_IWUSR or not os.access(real, os.W_OK):
        raise Refused("client.read_only", path=edit.path)


def carried_out(edits: list[Edit], now: datetime) -> list[Path | None]:
    """Write every file, or none if one of them cannot be; return where each lies as it was."""
    done: list[Edit] = []
    copies: list[Path | None] = []
    try:
        for edit in edits:
            refuse_unwritable(edit)
        for edit in edits:
            copies.append(_kept_aside(edit, now))
            if read(edit.path) != edit.before:
                raise BadInput("client.changed_by_another_program", path=edit.path)
            _write(edit.path, edit.after, made=edit.before is None)
            done.append(edit)
    except (BadInput, Refused):
        for edit in reversed(done):
            _write(edit.path, edit.before, made=False)
        for copy in copies:
            if copy is not None:
                copy.unlink(missing_ok=True)
        raise
    return copies


def missing_folders(path: Path) -> list[Path]:
    """Return the folders that a file still needs, the innermost first."""
    parent = Path(os.path.realpath(path)).parent
    found: list[Path] = []
    while not parent.exists():
        found.append(parent)
        parent = parent.parent
    return found


def remove_folders(folders: list[str]) -> None:
    """Remove folders that we made, as far as nothing lies in them."""
    for each in folders:
        try:
            Path(each).rmdir()
        except OSError:
            return


def _write(path: Path, held: bytes | None, *, made: bool) -> None:
    # A link stays a link: what it points to is replaced.
    real = Path(os.path.realpath(path))
    try:
        if held is None:
            real.unlink(missing_ok=True)
            return
        mode = None if made or not real.exists() else stat.S_IMODE(real.stat().st_mode)
        real.parent.mkdir(parents=True, exist_ok=True)
        with replacing(real) as file:
            file.write(held.decode("utf-8"))
        if mode is not None:
            real.chmod(mode)
    except OSError as error:
        raise unwritable(path, error) from error


def _kept_aside(edit: Edit, now: datetime) -> Path | None:
    """Copy a file beside itself, under a name with the date that no other file has."""
    if edit.before is None or edit.after is None:
        return None
    mode = stat.S_IMODE(edit.path.stat().st_mode)
    for name in _names(edit.path, now):
        try:
            handle = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        except FileExistsError:
            continue
        except OSError as error:
            raise unwritable(name, error) from error
        with os.fdopen(handle, "wb") as file:
            file.write(edit.before)
        return name
    raise BadInput("client.too_many_backups_of_second", path=edit.path)


def _names(path: Path, now: datetime) -> Iterator[Path]:
    """Yield names for a copy, the plain one first."""
    stamp = f"{path.name}.before-saegim-{now:%Y%m%d-%H%M%S}"
    yield path.with_name(stamp)
    yield from (path.with_name(f"{stamp}-{count}") for count in range(2, 1000))


def _lines(held: bytes | None) -> list[str]:
    # Not where Python sees the end of a line: a text of JSON may hold such characters.
    lines = [each.removesuffix("\r") for each in (held or b"").decode("utf-8").split("\n")]
    return lines if lines[-1] else lines[:-1]


# -- what is shown of a change --------------------------------------------------------------------


def _discreet(lines: list[str], old: list[str], new: list[str]) -> list[str]:
    """Leave out of changed lines what is not ours: a line is also changed by a comma behind it.

    What the file has as often as before was there before, and belongs to somebody else.
    """
    before, after = (Counter(itertools.chain(*map(_WORD.findall, each))) for each in (old, new))
    more = {"+": after - before, "-": before - after}
    return [
        line[0] + _less(line[1:], more[line[0]], written=line[0] == "+")
        if line[0] in more
        else line
        for line in lines
    ]


def _less(line: str, ours: Counter[str], *, written: bool) -> str:
    first = _FIRST_NAME.match(line)
    name, at, parts = "", 0, []
    for found in _WORD.finditer(line):
        bare = found[0].strip("\"'")
        is_name = _NAME_ENDS.match(line, found.end()) or (first and found.end() <= first.end())
        name = bare if is_name else name
        # What leaves with our entry may be what a person wrote into it.
        mine = found[0] in ours and (written or not name or name in _NAMES)
        shown = found[0] if is_name or mine or bare in _PLAIN else "…"
        parts += [line[at : found.start()], shown]
        at = found.end()
    text = re.sub(r"…(?:[ \t]*…)+", "…", "".join(parts) + line[at:])
    if not written or any(each not in ours for each in _WORD.findall(line)):
        # Names stay, and those of others may be anything.
        text = screen(text).text
    return visible(text)


def _shortened(lines: list[str]) -> list[str]:
    """Cut long lines down to what changed in them, by the line of the other side beside it."""
    short: list[str] = []
    for at, line in enumerate(lines):
        sides = [each for each in lines[max(at - 1, 0) : at + 2] if each[:1] in ("+", "-")]
        other = next((each for each in sides if each[0] != line[:1]), line)
        short.append(line if len(line) <= _LONG else line[0] + _cut(line[1:], other[1:]))
    return short


def _cut(line: str, other: str) -> str:
    """Return the part of a line that the other does not have, with a little around it."""
    same = _alike(line, other)
    tail = _alike(line[same:][::-1], other[same:][::-1])
    begin, end = max(same - _AROUND, 0), min(len(line) - tail + _AROUND, len(line))
    return f"{'…' if begin else ''}{line[begin:end]}{'…' if end < len(line) else ''}"


def _alike(one: str, other: str) -> int:
    """Return how many letters two texts have in common from their beginning."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))
