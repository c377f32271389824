"""The executable: two sessions without a model's help, any locale, one document, exit 0."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from attending import OTHER, SESSION, assistant, event, heard, journal, run, user, written
from saying import Say

KOREAN = "우리 강아지 이름은 보리야."
ENGLISH = "My sister Mina works as a nurse in Busan."


def context(ended: subprocess.CompletedProcess[bytes]) -> str:
    """Return what a hook put into the prompt; it said nothing else, and ended well."""
    assert (ended.returncode, ended.stderr) == (0, b"")
    told = json.loads(ended.stdout)
    return str(told["hookSpecificOutput"]["additionalContext"]) if told else ""


def test_a_fact_of_one_session_is_in_the_context_of_the_next(tmp_path: Path) -> None:
    """U31.2: no model called any tool; both languages are there, at the start and in a prompt."""
    home, folder = tmp_path / "집 (home)", tmp_path / "작업 (work)"
    folder.mkdir()
    file = written(tmp_path / "t.jsonl", user(KOREAN, 1), user(ENGLISH, 2), assistant("Noted.", 3))
    assert context(run("user-prompt-submit", event(folder, file, prompt=ENGLISH), home)) == ""
    assert context(run("session-end", event(folder, file, reason="exit"), home)) == ""
    file.unlink()
    second = event(folder, tmp_path / "u.jsonl", session_id=OTHER)
    begun = context(run("session-start", {**second, "source": "startup"}, home))
    asked = context(run("user-prompt-submit", {**second, "prompt": "강아지 이름이 뭐였지?"}, home))
    assert KOREAN in begun
    assert ENGLISH in begun
    assert KOREAN in asked
    assert journal(home) == ""


def test_the_locale_of_the_client_does_not_matter(tmp_path: Path) -> None:
    """U15.1: LC_ALL=C without UTF-8 mode; Hangul paths, emoji and half characters go through."""
    home, folder = tmp_path / "새김", tmp_path / "작업 🐶"
    folder.mkdir()
    file = written(folder / "대화.jsonl", user(f"{KOREAN} 🐶 \ud83d", 1))
    environment = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    assert context(run("stop", event(folder, file), home, environment)) == ""
    assert [each.text for each in heard(home)] == [f"{KOREAN} 🐶 \ufffd"]
    told = event(folder, file, prompt="\ud83d 강아지 이름이 뭐였지? 🐶", session_id=OTHER)
    ended = run("user-prompt-submit", told, home, environment)
    assert "보리야. 🐶" in context(ended)
    ended.stdout.decode("ascii")


NOISE = """
import os, sys
from saegim.serve.hooks import flow, hook_main as quick
def attend(event, given, pace, reply, paper):
    print("noise"); os.write(1, b"noise"); os.system("echo noise")
    reply.say("words") if sys.argv[1] == "noise" else 1 / 0
flow.attend = attend
quick.leave(("session-start", {}))
"""


@pytest.mark.parametrize(("act", "said"), [("noise", "words"), ("fail", "")])
def test_nothing_but_the_answer_is_on_standard_output(tmp_path: Path, act: str, said: str) -> None:
    """Whatever prints, from any depth, prints elsewhere; a fault nobody thought of too."""
    ended = subprocess.run(
        [sys.executable, "-c", NOISE, act], input=b"{}", capture_output=True, check=False
    )
    assert ended.returncode == 0
    told = json.loads(ended.stdout)
    assert (told["hookSpecificOutput"]["additionalContext"] if told else "") == said
    assert b"noise" in ended.stderr
    failed = "failed: ZeroDivisionError" in journal(tmp_path / "home")
    assert failed == (act == "fail")


def test_a_closed_output_and_a_missing_input_are_no_error(tmp_path: Path) -> None:
    """A client that is gone already does not get an error either."""
    command = f'"{sys.executable}" -m saegim hook session-start <&- >&-'
    ended = subprocess.run(["/bin/sh", "-c", command], capture_output=True, check=False)
    assert (ended.returncode, ended.stdout) == (0, b"")


def test_a_home_that_cannot_be_named_is_no_error(tmp_path: Path) -> None:
    """Not even the beginning of a hook fails where a client sees it."""
    ended = run("stop", {}, tmp_path, {"SAEGIM_HOME": "~nobody-of-that-name/x"})
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, b"{}\n", b"")


# -- the command ----------------------------------------------------------------------------------


def test_the_command_line_attends_works_off_and_tells(say: Say, tmp_path: Path) -> None:
    """With options, an event goes through the parser; drain and status are for people."""
    data = json.dumps(event(tmp_path, prompt="I live in Busan.")).encode()
    attended = say("--project", "kettle", "hook", "user-prompt-submit", stdin=data)
    assert (attended.code, attended.json) == (0, {})
    quiet = say("hook", "status").out
    assert "Nothing went wrong." in quiet
    assert say("--json", "hook", "drain").json == {"heard": 0, "waiting": 0, "elsewhere": False}
    assert say("hook", "stop", "--json", stdin=b"garbage").json == {}
    state: dict[str, Any] = say("--json", "hook", "status").json
    assert state["waiting"] == 0
    assert state["events"]["stop"] == {"called": "Stop", "ms": 3000}
    assert "the event is not JSON" in state["journal"][-1]
    assert "실패했거나 시간이 모자라 중단된 작업" in say("--language", "ko", "hook", "status").out


def test_an_event_that_there_is_not_is_refused_to_a_person(say: Say) -> None:
    """A slip in the name is told, in the language of the person."""
    answer = say("hook", "session-stop")
    assert answer.code == 2
    assert "no event 'session-stop'" in answer.err
    assert "session-end" in answer.err
    assert "이벤트는 없습니다" in say("--language", "ko", "hook", "x").err


def test_the_session_of_the_command_line_is_the_one_of_the_event(say: Say, tmp_path: Path) -> None:
    """What the command heard lies where the hooks of the same session look."""
    data = json.dumps(event(tmp_path, prompt="I live in Busan.")).encode()
    say("hook", "user-prompt-submit", stdin=data)
    assert [each.text for each in heard(tmp_path / "home", SESSION)] == ["I live in Busan."]
