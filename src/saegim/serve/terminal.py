"""The terminal: what could steer it or reorder a line is shown, not obeyed."""

from __future__ import annotations

import io
import json
import os
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from saegim.errors import BadInput, LedgerBroken, NotFound, SaegimError, SettingsError, StoreError
from saegim.settings import Settings, read_settings

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

# Control characters but tab and newline, the marks that turn the reading direction, the
# separators that some terminals break lines at, the byte-order mark, halves of characters.
_UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]"
)


# How a process ends: something else, a wrong input, a store that does not open.
OTHER, INPUT, STORE = 1, 2, 3
# Without a terminal there is no width to fit, and a path must not be broken.
_PIPED_WIDTH = 10_000


def visible(text: str) -> str:
    """Return the text with everything a terminal would obey written as an escape."""
    return _UNSAFE.sub(lambda found: _written(found[0]), text.replace("\r\n", "\n"))


def one_line(text: str) -> str:
    """Return the text on one line, its line breaks marked."""
    lines = (" ".join(line.split()) for line in visible(text).split("\n"))
    return " ⏎ ".join(line for line in lines if line)


def json_text(document: Any, *, indent: int | None = None) -> str:
    """Write one JSON document in UTF-8 that is safe to look at in a terminal."""
    written = json.dumps(document, ensure_ascii=False, indent=indent, default=str)
    return _UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", written)


def is_whole(text: str) -> bool:
    """Say whether the text holds whole characters only, so that it can be written as UTF-8."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def console(*, error: bool = False) -> Console:
    """Return where to print: plain text when piped, and no markup read in anyone's words."""
    from rich.console import Console

    stream = sys.stderr if error else sys.stdout
    fixed = None if stream.isatty() or os.environ.get("COLUMNS") else _PIPED_WIDTH
    return Console(file=stream, width=fixed, markup=False, emoji=False, highlight=False)


def put(part: RenderableType, *, error: bool = False) -> None:
    """Print one part; a sentence is made safe and left to the terminal to wrap."""
    stream = sys.stderr if error else sys.stdout
    if isinstance(part, str):
        stream.write(f"{visible(part)}\n")
        return
    where = console(error=error)
    if where.is_terminal:
        where.print(part)
        return
    # A table fills its last column with spaces, which only a terminal does not show.
    with where.capture() as held:
        where.print(part)
    stream.write("".join(f"{line.rstrip()}\n" for line in held.get().splitlines()))


def complain(word: str, message: str, next_step: str) -> None:
    """Print what went wrong and what to do about it on standard error."""
    coloured = sys.stderr.isatty() and not os.environ.get("NO_COLOR")
    sys.stderr.write(f"\x1b[1;31m{word}\x1b[0m " if coloured else f"{word} ")
    put(message, error=True)
    if next_step:
        put(f"  → {next_step}", error=True)


def exit_code(error: SaegimError) -> int:
    """Return the exit code that tells a script what sort of error this is."""
    if isinstance(error, BadInput | NotFound):
        return INPUT
    # A broken chain is a finding: the store itself still answers.
    if isinstance(error, StoreError) and not isinstance(error, LedgerBroken):
        return STORE
    return OTHER


def speak_utf8() -> None:
    """Write and read UTF-8 whatever the locale says, and never fail on half a character."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(encoding="utf-8", errors="surrogateescape")


def chosen_settings(home: Path) -> Settings:
    """Return the settings; broken ones are told of elsewhere, and count as none."""
    try:
        return read_settings(home)
    except (SettingsError, OSError):
        return Settings()


def standing_in() -> Path | None:
    """Return the folder of this process, if it is still there."""
    try:
        return Path.cwd()
    except OSError:
        return None


def _written(character: str) -> str:
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
