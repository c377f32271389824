"""`ended`: another program is run in a throw-away home, for a while, and what it said is returned.

Nothing of the person's is in its reach: no setting, no store, no project.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Final

_HOME: Final = "home"
# More of what a program says is not looked at.
_MOST_BYTES: Final = 64 * 1024
_WORDS: Final = 200


@dataclass(frozen=True, slots=True)
class Ended:
    """How a program ended: its code, or none if its time was up or it could not be started."""

    code: int | None
    out: str
    said: str
    seconds: float
    why: str = ""


@contextmanager
def throwaway() -> Iterator[Path]:
    """Yield a folder that is gone afterwards, whatever a program left in it."""
    prefix = "saegim-doctor-"
    with tempfile.TemporaryDirectory(prefix=prefix, ignore_cleanup_errors=True) as folder:
        yield Path(folder)


def home_in(folder: Path) -> Path:
    """Return the home that a program has there."""
    return folder / _HOME


def alone(folder: Path, **more: str) -> dict[str, str]:
    """Return the environment without anything that is about this person's memory."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if "SAEGIM" not in name.upper() and name != "CLAUDE_PROJECT_DIR"
    }
    return {**kept, "SAEGIM_HOME": str(home_in(folder)), **more}


def started(words: Sequence[str], folder: Path, **more: Any) -> subprocess.Popen[bytes]:
    """Start a program in the folder, in a group of its own, so that it can be ended whole."""
    # Only what a person's own configuration, or we ourselves, run.
    return subprocess.Popen(list(words), cwd=folder, start_new_session=True, **more)  # noqa: S603


def put_an_end(process: subprocess.Popen[bytes]) -> None:
    """End a program that still runs, with whatever it has started."""
    if process.poll() is None:
        with contextlib.suppress(OSError):
            if os.name == "posix":
                os.killpg(process.pid, signal.SIGKILL)
            else:
                process.kill()
        process.wait()


def ended(
    words: Sequence[str], folder: Path, given: bytes, seconds: float, **environment: str
) -> Ended:
    """Run a program to its end, or put an end to it when the time is up."""
    began = time.monotonic()
    # Files, not pipes: what a program leaves running keeps nobody waiting.
    with (
        tempfile.TemporaryFile(dir=folder) as inward,
        tempfile.TemporaryFile(dir=folder) as outward,
        tempfile.TemporaryFile(dir=folder) as errors,
    ):
        inward.write(given)
        inward.seek(0)
        streams = {"stdin": inward, "stdout": outward, "stderr": errors}
        try:
            process = started(words, folder, env=alone(folder, **environment), **streams)
        except (OSError, ValueError) as error:
            return Ended(None, "", "", 0.0, str(error))
        try:
            code: int | None = process.wait(seconds)
        except subprocess.TimeoutExpired:
            code = None
        finally:
            put_an_end(process)
        return Ended(code, _text(outward), last_words(_text(errors)), time.monotonic() - began)


def last_words(text: str) -> str:
    """Return the last line that says something, cut to a length that a person reads."""
    lines = [each.strip() for each in text.splitlines() if each.strip()]
    return lines[-1][:_WORDS] if lines else ""


def _text(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read(_MOST_BYTES).decode("utf-8", "replace")
