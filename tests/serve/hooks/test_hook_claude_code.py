"""The real Claude Code with our hooks and a model that never calls a tool (at night).

Set CLAUDE_FOR_TESTS to the program, or it is fetched from npm into a temporary folder.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from attending import PATIENCE, journal
from messages_endpoint import Messages

from saegim import Saegim
from saegim.serve.hooks.event import EVENTS

pytestmark = pytest.mark.nightly

PLUGIN = Path(__file__).parents[3] / "plugin"
PACKAGE = "@anthropic-ai/claude-code"
FACTS = {
    "My sister Mina works as a nurse in Busan.": "Where does my sister Mina work?",
    "우리 강아지 이름은 보리야.": "우리 강아지 이름이 뭐였지?",
}


@pytest.fixture(scope="session")
def claude(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program itself."""
    # Read before the tests are given an environment of their own.
    if named := os.environ.get("CLAUDE_FOR_TESTS") or shutil.which("claude"):
        return Path(named)
    folder = tmp_path_factory.mktemp("npm")
    npm = shutil.which("npm")
    assert npm, "this test needs claude, or npm to fetch it"
    options = ["--no-audit", "--no-fund", "--prefix", str(folder)]
    subprocess.run([npm, "install", *options, PACKAGE], check=True, capture_output=True)
    return folder / "node_modules" / ".bin" / "claude"


@pytest.fixture
def model() -> Iterator[Messages]:
    """A model that only ever says thank you."""
    with Messages() as running:
        yield running


@pytest.fixture
def say_to(claude: Path, model: Messages, tmp_path: Path) -> Callable[..., None]:
    """Say one thing to Claude Code in a session of its own."""
    program = Path(sys.executable).with_name("saegim")
    # What the plugin would fetch is this very program.
    fetched = tmp_path / "bin" / "uvx"
    fetched.parent.mkdir()
    fetched.write_text(f'#!/bin/sh\nshift\nexec "{program}" "$@"\n')
    fetched.chmod(0o755)
    hooks = {
        called: [{"hooks": [{"type": "command", "command": f'"{program}" hook {name}'}]}]
        for name, called in EVENTS.items()
    }
    settings = tmp_path / "settings.json"
    settings.write_text(json.dumps({"hooks": hooks}))
    for each in ("work", "person", "config"):
        (tmp_path / each).mkdir()
    environment = {
        **os.environ,
        "PATH": f"{fetched.parent}{os.pathsep}{os.environ['PATH']}",
        "HOME": str(tmp_path / "person"),
        "CLAUDE_CONFIG_DIR": str(tmp_path / "config"),
        "ANTHROPIC_BASE_URL": model.url,
        "ANTHROPIC_API_KEY": "none",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
        "SAEGIM_HOME": str(tmp_path / "home"),
        "SAEGIM_HOOK_MS": str(int(1000 * PATIENCE)),
    }

    def said(prompt: str, *options: str, door: str = "settings") -> None:
        ways = {"settings": ["--settings", settings], "plugin": ["--plugin-dir", PLUGIN]}
        ended = subprocess.run(
            [claude, "-p", prompt, *ways[door], *options],
            cwd=tmp_path / "work",
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=4 * PATIENCE,
            check=False,
        )
        assert ended.returncode == 0, (ended.stdout, ended.stderr)

    return said


@pytest.mark.parametrize("door", ["settings", "plugin"])
@pytest.mark.parametrize(("fact", "question"), FACTS.items())
def test_what_one_session_was_told_is_in_the_request_of_the_next(
    say_to: Callable[..., None],
    model: Messages,
    tmp_path: Path,
    fact: str,
    question: str,
    door: str,
) -> None:
    """U31.2: the words of session one reach the model in session two; it called nothing."""
    say_to(fact, door=door)
    model.sent.clear()
    say_to(question, door=door)
    assert "saegim-memory boundary=" in model.heard
    assert fact in model.heard
    assert journal(tmp_path / "home") == ""


def test_a_branch_of_a_session_brings_nothing_twice(
    say_to: Callable[..., None], model: Messages, tmp_path: Path
) -> None:
    """Taken up again and branched off, each thing said is kept once."""
    fact, other = FACTS
    say_to(fact)
    (transcript,) = (tmp_path / "config" / "projects").rglob("*.jsonl")
    say_to(other, "--resume", transcript.stem)
    say_to("I keep bees.", "--resume", transcript.stem, "--fork-session")
    with Saegim.open(tmp_path / "home" / "saegim.db", background=False) as memory:
        texts = [each.text for each in memory.recent(50).memories if each.agent.role == "user"]
    for each in (fact, other, "I keep bees."):
        assert texts.count(each) == 1, texts
