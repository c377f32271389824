"""Killed anywhere on a busy machine, again and again: after one catch-up all is judged once."""

from __future__ import annotations

import contextlib
import hashlib
import json
import random
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID

import apsw
import pytest
from attending import assistant, hooked, user, written
from dying import warm

from faults.processes import Warm
from saegim import Saegim
from saegim.serve.hooks import capture, catchup, spool_worker
from saegim.serve.hooks.transcript import read_on
from stand_ins import rounds, wait_until

__all__ = ["warm"]

KILLS = rounds(1000, 30)
TURNS_OF_A_SESSION = 8
# Half a second covers the work of a hook on a machine that has something else to do.
LONGEST = 0.5


@pytest.fixture
def busy() -> Iterator[None]:
    """A machine that has something else to do; by day it has the other tests as well."""
    command = [sys.executable, "-c", "while True: pass"]
    burning = [subprocess.Popen(command) for _ in range(rounds(2, 1))]
    try:
        yield
    finally:
        for each in burning:
            each.kill()
            each.wait()


@dataclass
class Client:
    """A client like Claude Code: a transcript for each session, a hook for each event."""

    warm: Warm
    folder: Path
    broken: str = ""
    chance: random.Random = field(default_factory=lambda: random.Random(14))
    count: int = 0
    died: int = 0

    @property
    def home(self) -> Path:
        """Where the memory is."""
        return self.folder / "home"

    @property
    def transcripts(self) -> list[Path]:
        """Every transcript there is."""
        return sorted((self.folder / "projects").rglob("*.jsonl"))

    def say(self, session: UUID, role: str, text: str) -> None:
        """Write a turn into the transcript of a session, as the client does."""
        self.count += 1
        now = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        about = {"timestamp": now, "cwd": str(self.folder / "kettle"), "sessionId": str(session)}
        made = user if role == "user" else assistant
        written(self._file(session), made(text, self.count, **about))

    def hook(self, name: str, session: UUID, prompt: str = "", *, kill: bool = True) -> None:
        """Run a hook, and kill it somewhere on its way."""
        told = {
            "session_id": str(session),
            "transcript_path": str(self._file(session)),
            "cwd": str(self.folder / "kettle"),
            "prompt": prompt,
            "source": "startup",
        }
        child = self.warm.start("hook", home=str(self.home), name=name, told=told,
                                broken=self.broken)  # fmt: skip
        assert child.hear() == json.dumps("begun")
        if not kill:
            assert child.rest() == ["done"]
            return
        # Most of them early: what is short must be hit as well as what is long.
        child._end.settimeout(LONGEST * self.chance.random() ** 3 + 1e-4)
        ended = None
        with contextlib.suppress(TimeoutError):
            ended = child.hear()
        child.kill()
        child.close()
        self.died += ended is None

    def _file(self, session: UUID) -> Path:
        file = self.folder / "projects" / "-kettle" / f"{session}.jsonl"
        file.parent.mkdir(parents=True, exist_ok=True)
        return file


def live(client: Client, kills: int) -> None:
    """Live through sessions in which every hook is killed, until it were so many."""
    hooked(client.folder / "settings.json")
    client.hook("session-start", UUID(int=1), kill=False)
    hooks = 0
    for number in range(2, 10_000):
        session = UUID(int=number)
        client.hook("session-start", session)
        for turn in range(TURNS_OF_A_SESSION // 2):
            text = f"My cousin Mina {number}-{turn} works as a nurse in Busan."
            # Small talk too, and the same again: what is let pass is judged as well.
            text = "ㅋㅋㅋ" if turn % 2 else text
            client.say(session, "user", text)
            client.hook("user-prompt-submit", session, text)
            client.say(session, "assistant", f"I noted {number}-{turn}.")
            client.hook("stop", session)
        client.hook("session-end", session)
        hooks += 2 + TURNS_OF_A_SESSION
        if hooks >= kills:
            return


def expected(client: Client) -> Counter[str]:
    """Name each turn of each transcript as its receipt does."""
    found: Counter[str] = Counter()
    for file in client.transcripts:
        said = read_on(str(file), 0, datetime.now(UTC)).said
        for each in capture._entries(said, datetime.now(UTC), file.stem, {}).entries:
            found[f"turn:{hashlib.sha256(each.key.encode()).hexdigest()}"] += 1
    return found


def judged(client: Client) -> Counter[str]:
    """Return the receipts of the turns that were judged."""
    with contextlib.closing(apsw.Connection(str(client.home / "saegim.db"))) as store:
        rows = store.execute("SELECT key FROM receipt WHERE key LIKE 'turn:%'").fetchall()
    return Counter(str(row[0]) for row in rows)


def kept(client: Client) -> Counter[tuple[str, str]]:
    """Count how often each turn of a person is kept, by its session and its words."""
    found: Counter[tuple[str, str]] = Counter()
    with Saegim.open(client.home / "saegim.db", background=False) as memory:
        for file in client.transcripts:
            mine = [each for each in memory.by_session(file.stem) if each.agent.role == "user"]
            found.update((file.stem, each.text) for each in mine if "Mina" in each.text)
    return found


def caught_up(client: Client) -> None:
    """Catch up, as `saegim hook drain` does; what a worker of a killed hook still holds is its."""

    def done(memory: Saegim) -> bool:
        drained = spool_worker.worked_off(client.home, memory)
        assert drained.elsewhere or drained.waiting == 0
        return drained.waiting == 0

    with Saegim.open(client.home / "saegim.db", background=False) as memory:
        wait_until(lambda: done(memory))


def test_killed_anywhere_every_turn_is_judged_once(warm: Warm, tmp_path: Path, busy: None) -> None:
    """Hooks lose nothing: each turn has one judgement, and what is kept is kept once."""
    client = Client(warm, tmp_path)
    live(client, KILLS)
    assert client.died > KILLS / 3
    caught_up(client)
    assert judged(client) == expected(client)
    twice = kept(client)
    assert twice
    assert set(twice.values()) == {1}
    # A second time there is nothing left to do.
    with Saegim.open(client.home / "saegim.db", background=False) as memory:
        assert spool_worker.worked_off(client.home, memory).heard == 0


def test_without_catching_up_turns_are_missing(warm: Warm, tmp_path: Path) -> None:
    """The control: what the killed hooks did themselves is not everything."""
    client = Client(warm, tmp_path, broken="no slip")
    live(client, 40)
    assert judged(client) < expected(client)


def test_without_slips_and_looking_around_turns_are_missing(
    warm: Warm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The control: who leaves no slip and does not look at the transcripts loses whole sessions."""
    monkeypatch.setattr(catchup, "_look_around", lambda *_: 0)
    client = Client(warm, tmp_path, broken="no slip")
    hooked(client.folder / "settings.json")
    client.hook("session-start", UUID(int=1), kill=False)
    client.say(UUID(int=2), "user", "I live in Busan.")
    client._file(UUID(int=2))
    client.chance.random = lambda: 0.0  # type: ignore[method-assign]
    client.hook("stop", UUID(int=2))
    caught_up(client)
    assert judged(client) < expected(client)
    monkeypatch.undo()
    caught_up(client)
    assert judged(client) == expected(client)


def test_a_killed_executable_is_caught_up_with(tmp_path: Path) -> None:
    """The real program, killed at moments from before its first line on: nothing is lost."""
    client = Client(None, tmp_path)  # type: ignore[arg-type]
    hooked(client.folder / "settings.json")
    program = Path(sys.executable).with_name("saegim")
    ended = []
    for number in range(rounds(10, 6)):
        session = UUID(int=number + 1)
        client.say(session, "user", f"My cousin Mina {number} works as a nurse in Busan.")
        told = {"session_id": str(session), "transcript_path": str(client._file(session)),
                "cwd": str(tmp_path)}  # fmt: skip
        command = [program, "--path", client.home / "saegim.db", "hook", "stop"]
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert process.stdin
        if number == 1:
            # Before it was told anything: it cannot have ended by itself.
            process.kill()
        with contextlib.suppress(BrokenPipeError):
            process.stdin.write(json.dumps(told).encode())
            process.stdin.close()
        if number:
            time.sleep(0.03 * number)
            process.kill()
        process.wait()
        process.stdout and process.stdout.close()
        ended.append(process.returncode)
    assert ended[0] == 0
    assert ended[1] == -9
    caught_up(client)
    assert judged(client) == expected(client)
    with Saegim.open(client.home / "saegim.db", background=False) as memory:
        found = Counter(each.text for each in memory.recent(100).memories if "Mina" in each.text)
    assert max(found.values()) == 1
