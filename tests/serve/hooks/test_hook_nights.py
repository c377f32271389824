"""With hooks or stdio alone, nights that are due are slept: in the background, each once."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from attending import Answered, event, journal, run, user, written

from saegim import FixedClock, Saegim
from saegim.serve.backend import LocalBackend
from saegim.serve.hooks import flow, hook_main, spool_worker
from saegim.serve.hooks.deadlines import Deadline
from saegim.serve.hooks.memory_access import HookCall
from saegim.serve.hooks.spool import Spool
from saegim.serve.mcp import stdio as stdio
from saegim.sleep.scheduler import is_due
from saegim.store.tables.night_table import NightRow
from stand_ins import rounds, wait_until

DAYS = rounds(56, 15)
BEGAN = datetime(2026, 1, 5, 0, 0, tzinfo=UTC)
FACT = "My sister Mina works as a nurse in Busan."


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home whose clock is the one of Greenwich."""
    made = tmp_path / "home"
    made.mkdir(mode=0o700)
    (made / "settings.toml").write_text('timezone = "UTC"\n')
    return made


def nights(home: Path) -> list[NightRow]:
    """Return the nights that were slept to their end."""
    with Saegim.open(home / "saegim.db", background=False) as memory:
        return [each for each in memory.nights.latest(1000) if each.ended_at is not None]


def due(home: Path) -> None:
    """Let a night be due: everything was planned three days ago, and nobody has slept since."""
    clock = FixedClock(datetime.now(UTC) - timedelta(days=3))
    with Saegim.open(home / "saegim.db", background=False, clock=clock) as memory:
        memory.remember(FACT)
        assert not is_due(memory.mind)
    with Saegim.open(home / "saegim.db", background=False) as memory:
        assert is_due(memory.mind)


# -- eight weeks ----------------------------------------------------------------------------------


class Weeks:
    """A client whose only door to the memory are its hooks, and a clock that is moved."""

    def __init__(self, home: Path, folder: Path) -> None:
        self.home, self.folder = home, folder
        self.clock = FixedClock(BEGAN)
        self.tended = 0

    def hook(self, name: str, told: dict[str, Any]) -> Answered:
        """Attend an event as the executable does, and what it leaves to the background."""
        said: list[bytes] = []
        file = self.home / "saegim.db"
        given = HookCall(home=self.home, file=file, project="kettle", clock=self.clock)
        reply = flow.HookReply()
        pace = Deadline(time.monotonic() + 60)
        data = json.dumps(told).encode()
        ended = flow.attended(name, lambda: data, said.append, given, pace, reply)
        if reply.left_over:
            self.tended += 1
            # Started twice, as by two sessions that begin at once.
            for _ in range(2):
                with Saegim.open(file, background=False, clock=self.clock) as memory:
                    assert spool_worker.tend(self.home, memory)
        return Answered(said[0], ended)

    def day(self, number: int) -> None:
        """Live one day: a session at nine, in which one thing is said, and which ends at ten."""
        session = UUID(int=number + 1)
        self.clock.at = BEGAN + timedelta(days=number, hours=9)
        file = self.folder / f"{session}.jsonl"
        told = event(self.folder, file, session_id=str(session), source="startup")
        assert self.hook("session-start", told).ended
        at = self.clock.at.isoformat(timespec="milliseconds")
        text = f"On day {number} my sister Mina worked as a nurse in ward {number}."
        written(file, user(text, number, timestamp=at))
        self.clock.at += timedelta(hours=1)
        assert self.hook("session-end", told).ended


def test_eight_weeks_with_hooks_alone_have_a_night_for_every_day(
    home: Path, tmp_path: Path
) -> None:
    """Hooks keep the time, two weeks by day: each day's night once, the weekly ones weekly."""
    weeks = Weeks(home, tmp_path)
    for number in range(DAYS):
        weeks.day(number)
    slept = nights(home)
    days = Counter(each.at.date() for each in slept for stage in each.stages if stage == "fade")
    # The first day plans the first night, which is due the morning after.
    wanted = [(BEGAN + timedelta(days=number)).date() for number in range(1, DAYS)]
    assert days == Counter(wanted)
    weekly = Counter(each.at.date() for each in slept if "distil" in each.stages)
    assert len(weekly) in (DAYS // 7 - 1, DAYS // 7)
    assert set(weekly.values()) == {1}
    assert weeks.tended == DAYS - 1
    assert journal(home) == ""


def test_without_the_heartbeat_nobody_sleeps(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The control: hooks that do not look at the time leave every night undone."""
    monkeypatch.setattr(flow, "HEARTBEATS", ())
    weeks = Weeks(home, tmp_path)
    for number in range(3):
        weeks.day(number)
    assert (nights(home), weeks.tended) == ([], 0)


# -- in the background ----------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["session-start", "session-end"])
def test_a_hook_starts_the_night_and_does_not_wait_for_it(
    home: Path, tmp_path: Path, name: str
) -> None:
    """The real program: its answer comes first, the night is slept by another process."""
    due(home)
    ended = run(name, event(tmp_path, source="startup"), home)
    assert (ended.returncode, ended.stderr) == (0, b"")
    wait_until(lambda: len(nights(home)) == 1, 240, pause=0.3)


def test_a_prompt_starts_no_night(home: Path, tmp_path: Path) -> None:
    """Only the beginning and the end of a session look at the time."""
    due(home)
    assert run("user-prompt-submit", event(tmp_path, prompt="Hm?"), home).returncode == 0
    assert not (home / "spool" / hook_main.TENDING).exists()
    assert nights(home) == []


def test_several_in_the_background_sleep_one_night(home: Path) -> None:
    """Whoever comes while another is at it ends; whoever comes later finds nothing due."""
    due(home)
    program = Path(sys.executable).with_name("saegim")
    command = [program, "--path", str(home / "saegim.db"), "--json", "hook", "tend"]
    started = [subprocess.Popen(command, stdout=subprocess.PIPE) for _ in range(3)]
    told = [json.loads(each.communicate(timeout=120)[0]) for each in started]
    assert {"tended": True} in told
    assert [each.returncode for each in started] == [0, 0, 0]
    assert len(nights(home)) == 1


def test_while_one_tends_no_second_is_started(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A session that begins every second does not fill the machine with processes."""
    started: list[list[str]] = []
    monkeypatch.setattr(hook_main, "_spawned", started.append)
    with Spool(home).held(hook_main.TENDING) as alone:
        assert alone
        assert not hook_main.tend_later(str(home))
    assert hook_main.tend_later(str(home), ["--user=mina"])
    assert [each[3:] for each in started] == [["saegim", "--user=mina", "hook", "tend"]]


def test_a_hook_that_was_cut_leaves_the_rest_to_the_background(home: Path, tmp_path: Path) -> None:
    """Where every hook is cut off, a process that nobody waits for hears what was said."""
    file = written(tmp_path / "t.jsonl", user(FACT, 1))
    told = event(tmp_path, file)
    ended = run("stop", told, home, {"SAEGIM_HOOK_MS": "1"})
    assert (ended.returncode, ended.stdout) == (0, b"{}\n")

    def kept() -> bool:
        with Saegim.open(home / "saegim.db", background=False) as memory:
            return [each.text for each in memory.by_session(told["session_id"])] == [FACT]

    wait_until(kept, 240, pause=0.5)


def test_nights_that_are_paused_are_not_due(home: Path) -> None:
    """`saegim sleep --pause` holds for hooks as well."""
    due(home)
    with Saegim.open(home / "saegim.db", background=False) as memory:
        memory.nights.pause()
        assert not is_due(memory.mind)
        assert spool_worker.tend(home, memory)
    assert nights(home) == []


def test_a_night_that_fails_is_noted(home: Path) -> None:
    """What goes wrong where nobody looks stands in the journal, and doctor is asked."""
    due(home)
    (home / "settings.toml").write_text('timezone = "UTC"\ncron_daily = "never"\n')
    with Saegim.open(home / "saegim.db", background=False) as memory:
        assert spool_worker.tend(home, memory)
    assert "tend failed: a night could not be slept" in journal(home)


# -- stdio alone ----------------------------------------------------------------------------------


def test_stdio_alone_lets_a_due_night_be_slept(home: Path) -> None:
    """`saegim mcp` keeps no watch: once its memory is open, another process sleeps what is due."""
    due(home)
    file = home / "saegim.db"
    house = LocalBackend(file, heartbeat=lambda memory: stdio._tend(home, file, memory))
    assert house.memory.scope.user == "me"
    wait_until(lambda: len(nights(home)) == 1, 240, pause=0.3)
    house.close()
    assert len(nights(home)) == 1


def test_a_house_beats_when_it_opens_and_when_it_closes(home: Path) -> None:
    """The same beginning and end that hooks have; a server, which keeps watch, has none."""
    beats: list[str] = []
    house = LocalBackend(
        home / "saegim.db", heartbeat=lambda memory: beats.append(memory.scope.user)
    )
    assert house.memory
    wait_until(lambda: len(beats) == 1)
    house.close()
    assert beats == ["me", "me"]
    quiet = LocalBackend(home / "saegim.db")
    assert quiet.memory
    quiet.close()
    assert len(beats) == 2


def test_who_tends_is_nobodys_child(home: Path) -> None:
    """It has a session of its own, so that a client that ends its group does not end a night."""
    code = (
        "import os; from saegim.serve.hooks import spool_worker; "
        "spool_worker.apart(); "
        "print(os.getsid(0) == os.getpid(), os.getcwd() == os.sep, os.nice(0) > 0)"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, cwd=home, text=True, check=True
    )
    assert ended.stdout.split() == ["True", "True", "True"]
