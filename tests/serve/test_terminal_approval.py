"""Who may say yes at a terminal: a person there, and neither an agent nor a terminal it made."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import apsw
import pytest
from saying import Say
from terminals import on_a_terminal, plain, plain_environment, words

from saegim import Saegim
from saegim.memory.memory import Tier
from saegim.serve import terminal
from saegim.serve.terminal import ProcessAbove, agent_here, told_on_desktop

TEA = "I drink barley tea in the evening"
# A program of this name makes a terminal and types what it was given, as `script` does.
PLAYER = f"""#!{sys.executable}
import os, pty, sys
status = pty.spawn(sys.argv[1:])
sys.exit(os.waitstatus_to_exitcode(status))
"""
NOBODY_LOOKS = "terminal.AGENTS = terminal.PLAYERS = frozenset()"


@pytest.fixture
def proposed(opened: Callable[..., Saegim]) -> str:
    """The id of a proposal that waits for an answer."""
    with opened() as memory:
        return memory.proposals.propose(memory.remember(TEA).id).id


@pytest.fixture
def cores(opened: Callable[..., Saegim]) -> Callable[[], list[str]]:
    """The words of what is kept for ever."""

    def read() -> list[str]:
        with opened() as memory:
            held = memory.recent(100).memories
            return [each.text for each in held if each.life.tier is Tier.M0]

    return read


def program(folder: Path, name: str, text: str) -> str:
    """Write a program that can be started by its name."""
    folder.mkdir(exist_ok=True)
    made = folder / name
    made.write_text(text)
    made.chmod(0o755)
    return str(made)


# -- an agent around ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", ["CLAUDECODE", "CURSOR_AGENT", "CODEX_SANDBOX", "GEMINI_CLI", "AIDER_CHAT", "AI_AGENT"]
)
def test_an_environment_of_an_agent_is_seen(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What an agent sets for the programs it runs shows that it is there."""
    monkeypatch.setattr(terminal, "above", lambda: iter(()))
    assert agent_here({"HOME": "/home/jun", name: "1"}) == name
    # Control: without it there is nothing to see; nor are settings people export for themselves.
    own = {"HOME": "/home/jun", "CODEX_HOME": "x", "CURSOR_API_KEY": "x", "AIDER_MODEL": "x"}
    assert agent_here(own) == ""


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("claude", ["claude"]),
        ("node", ["node", "/usr/lib/node_modules/@anthropic-ai/claude-code/cli.js"]),
        ("node", ["/usr/bin/node", "--no-warnings", "/opt/bin/codex.js", "exec"]),
        ("python3.12", ["/usr/bin/python3.12", "-m", "aider"]),
        ("Cursor", ["/opt/Cursor/Cursor", "--type=zygote"]),
        ("script", ["script", "-qec", "saegim accept x", "/dev/null"]),
    ],
)
def test_a_process_above_that_is_an_agent_is_seen(
    name: str, line: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """An agent is known by its name, also where node or python only carries it out."""
    shell = ProcessAbove(7, "bash", ("bash",))
    monkeypatch.setattr(
        terminal, "above", lambda: iter([shell, ProcessAbove(5, name, tuple(line))])
    )
    assert agent_here({}).endswith("(5)")


@pytest.mark.parametrize(
    "line",
    [
        ["-bash"],
        ["/usr/bin/python3", "-m", "pytest", "tests/claude"],
        ["node", "/home/jun/codex/server.js"],
        ["tmux", "new", "-s", "gemini"],
        ["vim", "script"],
        [],
    ],
)
def test_a_persons_own_processes_are_no_agent(
    line: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Control: a word on a line, or a folder of that name, makes nobody an agent."""
    mine = ProcessAbove(5, os.path.basename(line[0]) if line else "", tuple(line))
    monkeypatch.setattr(terminal, "above", lambda: iter([mine]))
    assert agent_here({}) == ""


def test_the_processes_above_are_read_from_the_system() -> None:
    """The chain begins with who started this process, and each is above the one before."""
    child = "from saegim.serve.terminal import above; print(*(each.pid for each in above()))"
    said = subprocess.run(
        [sys.executable, "-c", child], capture_output=True, text=True, check=True
    ).stdout.split()
    assert said[0] == str(os.getpid())
    assert len(set(said)) == len(said)


def test_where_there_is_no_proc_ps_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """On macOS the same chain comes from `ps`."""
    told = " 10 1 /sbin/launchd\n 20 10 node /usr/local/bin/claude\n 30 20 /bin/zsh -l\n"
    made = subprocess.CompletedProcess([], 0, stdout=told)
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: made)
    monkeypatch.setattr(os.path, "isdir", lambda _: False)
    monkeypatch.setattr(os, "getppid", lambda: 30)
    assert [each.pid for each in terminal.above()] == [30, 20, 10]
    assert agent_here({}) == "claude (20)"


def test_no_agent_says_yes_on_a_real_terminal(
    proposed: str, cores: Callable[[], list[str]], tmp_path: Path, say: Say
) -> None:
    """Neither with its environment nor as a parent is an agent taken for its person."""
    claude = program(tmp_path / "bin", "claude", '#!/bin/sh\n"$@"\n')
    line = ("accept", proposed)
    code, seen = on_a_terminal(*line, answer="yes", after=": ", environment={"CLAUDECODE": "1"})
    assert (code, "made terminal is seen here: CLAUDECODE" in plain(seen)) == (1, True)
    line = ("--language", "ko", "refuse", proposed)
    code, seen = on_a_terminal(*line, answer="네", after=": ", under=[claude])
    assert (code, "만들어진 터미널이 보입니다: claude" in plain(seen)) == (1, True)
    assert (cores(), len(say("--json", "proposals").json["proposals"])) == ([], 1)
    # Control: with the look at processes taken away, the same agent approves.
    code, _ = on_a_terminal(
        "accept", proposed, answer="yes", after="for ever: ", under=[claude], before=NOBODY_LOOKS
    )
    assert (code, cores()) == (0, [TEA])


def test_only_a_person_takes_a_changed_file_for_the_truth(proposed: str, say: Say) -> None:
    """FAULTS 81: what was changed from outside is told until someone at a terminal accepts it."""
    store = Path(say("--json", "status").json["path"])
    with apsw.Connection(str(store)) as raw:
        raw.execute("UPDATE memory SET importance = 0.123")
    assert say("verify").code != 0
    assert say("verify", "--accept", stdin=b"y\n").code == 1
    code, seen = on_a_terminal("verify", "--accept", answer="y", environment={"CLAUDECODE": "1"})
    assert (code, "CLAUDECODE" in plain(seen)) == (1, True)
    assert say("verify").code != 0
    code, _ = on_a_terminal("verify", "--accept", answer="y")
    assert (code, say("verify").code) == (0, 0)


def players(folder: Path) -> list[list[str]]:
    """Return what makes a terminal: a program of ours, and the real one where it is installed."""
    own = [program(folder, "script", PLAYER)]
    return [own, *([["script"]] if shutil.which("script") else [])]


def test_a_faked_terminal_approves_nothing(
    proposed: str, cores: Callable[[], list[str]], tmp_path: Path
) -> None:
    """`script -qec` gives a program a terminal to type into: that is no person."""

    def played(player: list[str], before: str = "") -> subprocess.CompletedProcess[str]:
        line = words("accept", proposed, before=before)
        if player == ["script"]:
            line = ["-qec", shlex.join(line), "/dev/null"]
        return subprocess.run(
            [*player, *line],
            input="yes\n",
            capture_output=True,
            text=True,
            env=plain_environment(),
            check=False,
            timeout=240,
        )

    for player in players(tmp_path / "bin"):
        done = played(player)
        assert "an agent or a made terminal is seen here: script" in done.stdout
        assert (done.returncode, cores()) == (1, [])
    # Control: with the look at processes taken away, the typed word is taken for a person's.
    done = played(players(tmp_path / "bin")[0], NOBODY_LOOKS)
    assert (done.returncode, cores()) == (0, [TEA])


def test_no_agent_lets_a_core_memory_go(
    proposed: str, cores: Callable[[], list[str]], opened: Callable[..., Saegim]
) -> None:
    """What a person approved leaves only by their hand (control: without the agent it does)."""
    with opened() as memory:
        core = memory.proposals.accept(proposed, by="me").id
    line = ("forget", core)
    code, seen = on_a_terminal(
        *line, answer="forget", after="let go: ", environment={"CLAUDECODE": "1"}
    )
    assert (code, "CLAUDECODE" in seen, cores()) == (1, True, [TEA])
    code, _ = on_a_terminal(*line, answer="forget", after="let go: ")
    assert (code, cores()) == (0, [])


# -- a second channel -----------------------------------------------------------------------------


@pytest.fixture
def desktop(tmp_path: Path) -> tuple[str, Path]:
    """A notifier that keeps what it was told, and where it keeps it."""
    shown = tmp_path / "shown"
    line = f'#!/bin/sh\nprintf "%s\\n" "$@" > {shlex.quote(str(shown))}\n'
    return program(tmp_path / "desk", "notify-send", line), shown


def test_where_there_is_a_desktop_its_code_is_asked_for(
    proposed: str,
    cores: Callable[[], list[str]],
    desktop: tuple[str, Path],
    opened: Callable[..., Saegim],
) -> None:
    """A yes typed here is not enough: the code is shown beside the terminal, once for each try."""
    notifier, shown = desktop

    def tried(answer: str | Callable[[], str]) -> tuple[int, str]:
        return on_a_terminal(
            "accept",
            proposed,
            answer=answer,
            after="say yes: ",
            before=f"terminal.NOTIFIERS = ({notifier!r},)",
            environment={"DISPLAY": ":9"},
        )

    def code() -> str:
        found = re.search(r"code (\d{6}) ", shown.read_text())
        assert found is not None
        return found[1]

    ended, seen = tried("yes")
    assert (ended, "Nothing was changed." in seen, cores()) == (1, True, [])
    first = code()
    assert (first in seen, TEA in shown.read_text()) == (False, True)
    ended, _ = tried(lambda: f"{(int(code()) + 1) % 10**6:06}")
    assert (ended, cores()) == (1, [])
    ended, _ = tried(code)
    assert (ended, cores()) == (0, [TEA])
    with opened() as memory:
        (held,) = memory.proposals.all()
        assert (held.state, held.answered_by, held.channel) == ("accepted", "me", "terminal")
        assert len(held.version) == 32


def test_without_a_second_channel_it_is_said(
    proposed: str, cores: Callable[[], list[str]], desktop: tuple[str, Path]
) -> None:
    """Control: nobody pretends; where only the terminal vouches, a typed yes counts and is told."""
    notifier, shown = desktop
    # Without a screen there is nobody to show it to.
    code, seen = on_a_terminal(
        "accept",
        proposed,
        answer="yes",
        after="it for ever: ",
        before=f"terminal.NOTIFIERS = ({notifier!r},)",
        environment={"DISPLAY": "", "WAYLAND_DISPLAY": ""},
    )
    assert "There is no second channel here" in plain(seen)
    assert (code, cores(), shown.exists()) == (0, [TEA], False)


def test_a_notice_is_no_markup_and_one_that_fails_is_none(
    tmp_path: Path, desktop: tuple[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Words of a stranger steer no desktop; a notifier that fails has shown nothing."""
    notifier, shown = desktop
    screen = {"WAYLAND_DISPLAY": "w"}
    monkeypatch.setattr(terminal, "NOTIFIERS", (notifier,))
    assert told_on_desktop("code", '-x <a href="e">tea</a>\x1b[1m', screen)
    assert "-x &lt;a href=&quot;e&quot;&gt;tea&lt;/a&gt;\\x1b[1m" in shown.read_text()
    failing = program(tmp_path / "bad", "notify-send", "#!/bin/sh\nexit 1\n")
    monkeypatch.setattr(terminal, "NOTIFIERS", (str(tmp_path / "none"), failing))
    assert not told_on_desktop("code", "tea", screen)
