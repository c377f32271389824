"""A life through the hooks of Claude Code: are the memories the same as through the library?

    python bench/lives_hooks.py [--only ko_a,en_a] [--turns 40] [--busy 4] [--server] [--json FILE]

The row `hooks` of `bench/lives.py`. Each session is written into a transcript, and the hooks that
Claude Code runs are run as it runs them: real processes with the limits they have. Whatever the
limits cut off is caught up with once at the end (`saegim hook drain`). Beside it the same turns are
told to `observe`. Printed is what one has and the other has not; both must be nothing.

`--busy N` keeps N processes counting, so that hooks are cut off; `--server` lets a server attend
them. Only the open lives are read.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, timedelta
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from hooks import SAEGIM, busy, served
from life import Life, Turn, read
from lives import live, lives_of
from saegim import Saegim
from saegim.serve.hooks import spool_worker
from saegim.serve.hooks.memory_access import HookCall
from saegim.serve.hooks.transcript_position import watch
from saegim.store.rows import ALL_STATES, Where

# What a memory is known by here: who spoke, in which project, and the words.
Known = tuple[str, str, str]


@dataclass(slots=True)
class Client:
    """Claude Code, as far as its hooks can see: transcripts, events, and nothing else."""

    life: Life
    folder: Path
    environment: dict[str, str]
    events: Counter[str] = field(default_factory=Counter)

    def live(self) -> None:
        """Live through every session: start, each prompt, each reply, end."""
        for session in dict.fromkeys(turn.session for turn in self.life.turns):
            turns = [turn for turn in self.life.turns if turn.session == session]
            self._hook("session-start", turns[0], source="startup")
            for turn in turns:
                self._write(turn)
                if turn.role == "user":
                    self._hook("user-prompt-submit", turn, prompt=turn.text)
                else:
                    self._hook("stop", turn)
            self._hook("session-end", turns[-1])

    def _hook(self, name: str, turn: Turn, **more: str) -> None:
        told = {
            "session_id": self._session(turn),
            "transcript_path": str(self._file(turn)),
            "cwd": str(self._cwd(turn)),
            **more,
        }
        subprocess.run(
            [SAEGIM, "hook", name],
            input=json.dumps(told).encode(),
            env=self.environment,
            capture_output=True,
            check=True,
        )
        self.events[name] += 1

    def _write(self, turn: Turn) -> None:
        """Write one line of a transcript, as the client does before it runs the hook."""
        at = turn.at.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        line = {
            "type": turn.role,
            "message": {"role": turn.role, "content": turn.text},
            "uuid": str(uuid5(NAMESPACE_URL, f"{self.life.name}/{turn.id}")),
            "timestamp": at,
            "sessionId": self._session(turn),
            "cwd": str(self._cwd(turn)),
        }
        with self._file(turn).open("a", encoding="utf-8") as file:
            file.write(json.dumps(line, ensure_ascii=False) + "\n")

    def _session(self, turn: Turn) -> str:
        return str(uuid5(NAMESPACE_URL, f"{self.life.name}/{turn.session}"))

    def _file(self, turn: Turn) -> Path:
        file = self.folder / "claude" / "projects" / "-all" / f"{self._session(turn)}.jsonl"
        file.parent.mkdir(parents=True, exist_ok=True)
        return file

    def _cwd(self, turn: Turn) -> Path:
        """Return a folder that is the project of a turn, or one that is none."""
        folder = self.folder / "work" / (turn.project or "nowhere in particular")
        (folder / ".git" if turn.project else folder).mkdir(parents=True, exist_ok=True)
        return folder


def kept(memory: Saegim) -> Counter[Known]:
    """Return every memory of a store by what it is known by."""
    where = Where(scope=memory.scope, states=ALL_STATES, everywhere=True)
    rows = memory.mind.store.memories.walk(where)
    return Counter((each.agent.role, each.scope.project, each.text) for _, each in rows)


def installed(folder: Path, home: Path, life: Life) -> None:
    """Set the home up as `saegim install` does, before the life began."""
    home.mkdir(mode=0o700)
    (home / "settings.toml").write_text(f'timezone = "{life.zone}"\n', encoding="utf-8")
    command = {"type": "command", "command": "saegim", "args": ["hook", "stop"]}
    settings = {"hooks": {"Stop": [{"hooks": [command]}]}}
    (folder / "claude" / "projects").mkdir(parents=True)
    (folder / "claude" / "settings.json").write_text(json.dumps(settings), encoding="utf-8")
    since = life.turns[0].at - timedelta(hours=1)
    watch(home, str(folder / "claude" / "projects"), HookCall(home=home).owner, since)


def through_hooks(life: Life, folder: Path, *, server: bool) -> tuple[Counter[Known], Any]:
    """Return what is kept of a life that is lived through hooks, and how they fared."""
    home = folder / "home"
    installed(folder, home, life)
    # As it is installed: with its bytecode.
    bytecode = {"PYTHONPYCACHEPREFIX": str(folder / "bytecode"), "PYTHONDONTWRITEBYTECODE": ""}
    environment = {**os.environ, **bytecode, "SAEGIM_HOME": str(home)}
    client = Client(life, folder, environment)
    began = time.monotonic()
    with served(environment, home) if server else contextlib.nullcontext():
        client.live()
    _wait(home)
    with Saegim.open(home / "saegim.db", background=False) as memory:
        before = sum(kept(memory).values())
        caught = spool_worker.worked_off(home, memory).heard
        found = kept(memory)
    journal = home / "hooks.log"
    noted = journal.read_text(encoding="ascii").splitlines() if journal.exists() else []
    fared = {
        "events": sum(client.events.values()),
        "answered with nothing, for want of time": sum("cut short: nothing" in e for e in noted),
        "cut off and caught up with": sum("was cut off" in each for each in noted),
        "failed": sum(" failed: " in each for each in noted),
        "kept before the last catch-up": before,
        "judged by the last catch-up": caught,
        "seconds": round(time.monotonic() - began),
    }
    return found, fared


def _wait(home: Path) -> None:
    """Let a process in the background come to its end: it is no part of what is measured."""
    command = [sys.executable, "-m", "saegim", "--path", str(home / "saegim.db"), "--json"]
    for _ in range(600):
        told = subprocess.run([*command, "hook", "tend"], capture_output=True, check=True)
        if json.loads(told.stdout)["tended"]:
            return
        time.sleep(0.5)


def through_the_library(life: Life, folder: Path) -> Counter[Known]:
    """Return what is kept of the same turns when each is told to `observe` at its time."""
    home = folder / "library"
    home.mkdir()
    lived = live(life, home, "judged")
    try:
        return kept(lived.memory)
    finally:
        lived.memory.close()


def compared(ours: Counter[Known], theirs: Counter[Known]) -> dict[str, list[Known]]:
    """Return what only one of them has."""
    return {
        "missing": sorted(set(theirs) - set(ours)),
        "more": sorted(set(ours) - set(theirs)),
        "twice": sorted(each for each, count in ours.items() if count > theirs[each] > 0),
    }


def measure(life: Life, *, server: bool) -> dict[str, Any]:
    """Measure one life."""
    with tempfile.TemporaryDirectory(prefix="saegim-life-") as name:
        folder = Path(name)
        theirs = through_the_library(life, folder)
        ours, fared = through_hooks(life, folder, server=server)
    return {"kept": sum(theirs.values()), "fared": fared, **compared(ours, theirs)}


def show(name: str, found: dict[str, Any]) -> None:
    """Print what came out, and what differs."""
    same = not (found["missing"] or found["more"] or found["twice"])
    print(f"\n== hooks  {name}: {'the same memories' if same else 'NOT the same memories'}")
    print(f"   kept through the library: {found['kept']}")
    for what, value in found["fared"].items():
        print(f"   {what}: {value}")
    for what in ("missing", "more", "twice"):
        print(f"   {what}: {len(found[what])}")
        for role, project, text in found[what][:10]:
            print(f"      {role} [{project}] {text[:90]!r}")


def chosen(only: Sequence[str], turns: int) -> Iterator[Life]:
    """Yield the open lives that are asked for, cut to so many turns."""
    for path, _ in lives_of("open", only):
        life = read(path)
        yield replace(life, turns=life.turns[:turns] if turns else life.turns)


def main() -> None:
    """Live the chosen lives through the hooks and through the library; exit 1 if they differ."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="ko_a,en_a")
    parser.add_argument("--turns", type=int, default=0, help="so many turns of each; 0: all")
    parser.add_argument("--busy", type=int, default=0, metavar="N")
    parser.add_argument("--server", action="store_true")
    parser.add_argument("--json", default="")
    options = parser.parse_args()
    results = {}
    with busy(options.busy):
        for life in chosen(options.only.split(","), options.turns):
            results[life.name] = measure(life, server=options.server)
            show(life.name, results[life.name])
    if options.json:
        Path(options.json).write_text(json.dumps(results, ensure_ascii=False), encoding="utf-8")
    sys.exit(any(found["missing"] or found["more"] or found["twice"] for found in results.values()))


if __name__ == "__main__":
    main()
