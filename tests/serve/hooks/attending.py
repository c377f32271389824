"""What the tests of the hooks share: events and transcripts as a client makes them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from saegim import Saegim
from saegim.memory.memory import Memory
from saegim.serve.hooks import flow
from saegim.serve.hooks.deadlines import Deadline
from saegim.serve.hooks.memory_access import HookCall

# A hang guard: what is looked at is what a hook says, not how long it takes to say it.
PATIENCE = 60.0
SESSION = "0b3f6a52-7c1d-4e7a-9f05-2f4f4a1d7c11"
OTHER = "5d7c8e90-1a2b-4c3d-8e4f-5a6b7c8d9e0f"
# Now, or what stands in a transcript would be taken for a copy of an earlier one.
BEGAN = datetime.now(UTC).replace(microsecond=0)


@dataclass(frozen=True, slots=True)
class Answered:
    """What a hook said, and whether all of its work was done."""

    said: bytes
    ended: bool

    @property
    def told(self) -> Any:
        """The one JSON document."""
        return json.loads(self.said)

    @property
    def context(self) -> str:
        """What is put into the prompt."""
        told = self.told
        return str(told.get("hookSpecificOutput", {}).get("additionalContext", ""))


def event(folder: Path, transcript: Path | str = "", **more: Any) -> dict[str, Any]:
    """An event as Claude Code sends it."""
    told = {"session_id": SESSION, "cwd": str(folder), "transcript_path": str(transcript)}
    return {**told, **more}


def attend(
    name: str, told: Any, home: Path, *, seconds: float = PATIENCE, **given: Any
) -> Answered:
    """Attend an event in this process."""
    said: list[bytes] = []
    data = told if isinstance(told, bytes) else json.dumps(told).encode()
    made = HookCall(home=home, **{"file": home / "saegim.db", **given})
    pace = Deadline(time.monotonic() + seconds)
    ended = flow.attended(name, lambda: data, said.append, made, pace)
    assert len(said) == 1
    return Answered(said[0], ended)


def run(
    name: str, told: Any, home: Path, environment: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[bytes]:
    """Let the executable attend an event, as a client does."""
    data = told if isinstance(told, bytes) else json.dumps(told).encode()
    executable = Path(sys.executable).with_name("saegim")
    own = {"SAEGIM_HOME": str(home), "SAEGIM_HOOK_MS": str(int(1000 * PATIENCE))}
    return subprocess.run(
        [executable, "hook", name],
        input=data,
        capture_output=True,
        env={**os.environ, **own, **(environment or {})},
        timeout=2 * PATIENCE,
        check=False,
    )


def line(role: str, content: Any, number: int = 0, **more: Any) -> dict[str, Any]:
    """One line of a transcript."""
    at = BEGAN + timedelta(seconds=number)
    return {
        "type": role,
        "message": {"role": role, "content": content},
        "uuid": str(uuid5(NAMESPACE_URL, f"{role}-{number}")),
        "timestamp": at.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        "isSidechain": False,
        "sessionId": SESSION,
        **more,
    }


def user(text: Any, number: int = 0, **more: Any) -> dict[str, Any]:
    """What the person said."""
    return line("user", text, number, **more)


def assistant(text: str, number: int = 0, **more: Any) -> dict[str, Any]:
    """What the agent said."""
    return line("assistant", [{"type": "text", "text": text}], number, **more)


def written(file: Path, *lines: Any) -> Path:
    """Write more lines to a transcript."""
    with file.open("ab") as whole:
        for each in lines:
            whole.write(each if isinstance(each, bytes) else json.dumps(each).encode())
            whole.write(b"\n")
    return file


def heard(
    home: Path, session: str = SESSION, *, user: str | None = None, store: str = "saegim.db"
) -> list[Memory]:
    """Return what was kept of a session: the turns, not what was read in them."""
    with Saegim.open(home / store, user=user, background=False) as memory:
        return memory.by_session(session)


def journal(home: Path) -> str:
    """Return what the journal of the hooks says."""
    file = home / "hooks.log"
    return file.read_text(encoding="ascii") if file.exists() else ""


def spooled(home: Path) -> list[Path]:
    """Return what waits on the spool."""
    return sorted((home / "spool").glob("*.json"))


def slips(home: Path) -> list[str]:
    """Return how the slips that lie there end: one of a hook, or one that a server has taken."""
    found = (home / "spool").glob("[0-9]*-*-*.*")
    return sorted(each.suffix for each in found if each.suffix in (".slip", ".taken"))


def hooked(settings: Path, **more: Any) -> None:
    """Put our hooks into the settings of Claude Code."""
    settings.parent.mkdir(parents=True, exist_ok=True)
    command = {"type": "command", "command": "saegim", "args": ["hook", "stop"]}
    held = {"hooks": {"Stop": [{"hooks": [command]}]}, **more}
    settings.write_text(json.dumps(held), encoding="utf-8")
