"""The command that a client runs: one executable and its arguments, without a shell between."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from saegim.errors import BadInput
from saegim.serve.terminal import is_whole

# uvx unpacks what it runs into its cache, from where it may be swept away.
_CACHED = re.compile(r"archive-v\d+")
# A version may be named, an address may not: whatever lies there would be run.
_PACKAGE = re.compile(r"saegim(?:(?:@|==)(?:latest|\d[\w.+!-]*))?")
_PYTHON = re.compile(r"py(?:thon[\d.]*)?w?")
# -P, or the folder one stands in comes first: its own `saegim` would be run, whoever wrote it.
_MODULE = ("-P", "-m", "saegim")


def running(
    program: str | None = None,
    environment: Mapping[str, str] | None = None,
    python: str | None = None,
) -> tuple[str, ...]:
    """Return the words that start this very Saegim again from anywhere."""
    python = python or sys.executable
    env = os.environ if environment is None else environment
    if any(_CACHED.fullmatch(part) for part in Path(python).parts):
        words: tuple[str, ...] = (_uvx(env), "saegim")
    else:
        words = _installed(Path(os.path.abspath(program or sys.argv[0])), Path(python))
    if not all(is_whole(word) for word in words):
        raise BadInput("client.path_of_program")
    return words


def _installed(program: Path, python: Path) -> tuple[str, ...]:
    # A link such as ~/.local/bin/saegim outlives what it points to, so it is not followed.
    beside = [python.with_name("saegim.exe"), python.with_name("saegim")]
    candidates = [program, *beside] if program.stem.lower() == "saegim" else beside
    for each in candidates:
        if each.is_file() and os.access(each, os.X_OK):
            return (str(each),)
    return (str(python), *_MODULE)


def _uvx(environment: Mapping[str, str]) -> str:
    """Return the uvx beside the uv that started us, or the first one on the path."""
    if uv := environment.get("UV"):
        beside = Path(uv).with_name("uvx" + Path(uv).suffix)
        if beside.is_file():
            return str(beside)
    return shutil.which("uvx", path=environment.get("PATH")) or "uvx"


def words_of(entry: Mapping[str, object]) -> tuple[str, ...]:
    """Return the command line that an entry of a client's configuration runs, as words."""
    command, arguments = entry.get("command"), entry.get("args")
    head = command if isinstance(command, list) else [command] if isinstance(command, str) else []
    rest = arguments if isinstance(arguments, list) else []
    words = [each for each in (*head, *rest) if isinstance(each, str)]
    if len(words) == 1 and not os.path.isfile(words[0]):
        try:
            # Not as a POSIX shell does it: backslashes are part of a path of Windows.
            return tuple(each.strip("\"'") for each in shlex.split(words[0], posix=False))
        except ValueError:
            return tuple(words)
    return tuple(words)


def program_of(words: Sequence[str]) -> tuple[str, ...]:
    """Return the words that start Saegim, without what is asked of it; none if they do not.

    Only what we write ourselves counts: any other word in between could run anything.
    """
    stem = re.split(r"[\\/]", words[0])[-1].lower().removesuffix(".exe") if words else ""
    if stem == "saegim":
        return tuple(words[:1])
    if stem == "uvx" and len(words) > 1 and _PACKAGE.fullmatch(words[1]):
        return tuple(words[:2])
    if _PYTHON.fullmatch(stem):
        # Without -P as we wrote it once, so that it is brought up to date and taken out.
        for form in (_MODULE, _MODULE[1:]):
            if tuple(words[1 : len(form) + 1]) == form:
                return tuple(words[: len(form) + 1])
    return ()


def is_ours(words: Sequence[str]) -> bool:
    """Say whether these words run Saegim, whatever they ask of it."""
    return bool(program_of(words))


def missing(words: Sequence[str]) -> bool:
    """Say whether the program that these words begin with is not on this machine."""
    return not words or shutil.which(words[0]) is None
