"""`saegim federate`: a person reads what is shared before anything is, in both languages."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from saying import Say

from ports import free_port
from stand_ins import wait_until


def made(say: Say, *more: str) -> dict[str, str]:
    """Make a swarm."""
    answer = say("--json", "federate", "init", "--yes", *more)
    assert answer.code == 0, answer.err
    return dict(answer.json)


def test_nothing_is_shared_until_a_person_says_so(say: Say, tmp_path: Path) -> None:
    """Without a yes nothing is made; status says in both languages that nothing is shared."""
    refused = say("federate", "init")
    assert refused.code != 0
    assert "needs a yes" in refused.err
    assert not list((tmp_path / "home").glob("*.federation"))
    assert "shares nothing" in say("federate", "status").out
    assert "아무것도 나누지 않습니다" in say("--language", "ko", "federate", "status").out


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("en", ("899 numbers", "Never shared: memories", "epsilon 8.0", "cannot be taken back")),
        ("ko", ("숫자 899개", "절대 나누지 않는 것: 기억", "엡실론 8.0", "되돌릴 수 없습니다")),
    ],
)
def test_what_is_shared_and_what_is_not_is_said_first(
    say: Say, language: str, words: tuple[str, ...]
) -> None:
    """What privacy is given, and that it costs the benefit, stands there before the yes."""
    told = say("--language", language, "federate", "init", "--yes").err
    for each in words:
        assert each in told


def test_a_swarm_without_noise_promises_nothing_and_says_so(say: Say) -> None:
    """The sentence about noise is not said where there is none."""
    told = say("federate", "init", "--yes", "--no-noise").err
    assert "other houses cannot reach this one" in told
    assert "nothing is promised" in told
    assert "takes part without sharing" in told
    assert "noise is added" not in told
    assert say("--json", "federate", "status").json["rules"]["noise"] == 0


def test_houses_are_invited_introduced_and_let_in(say: Say, tmp_path: Path) -> None:
    """The way of a person: init, join elsewhere, admit, expel, leave; every answer is JSON too."""
    letter = made(say, "--no-noise", "--faulty", "1")["invitation"]
    other = ("--path", str(tmp_path / "elsewhere" / "o.db"), "--json", "federate")
    joined = say(*other, "join", "--yes", "-", stdin=letter.encode()).json
    assert say("--json", "federate", "invite").json["invitation"] == letter
    members = say("--json", "federate", "admit", joined["introduction"]).json["members"]
    assert len(members) == 2
    status = say("--json", "federate", "status").json
    assert (status["owner"], status["needed"], status["running"]) == (True, 5, False)
    assert "secret" not in str(status)
    assert len(say("--json", "federate", "expel", members[1][:10]).json["members"]) == 1
    refused = say(*other, "leave")
    assert (refused.code, "--yes" in refused.json["error"]["next_step"]) == (2, True)
    assert say(*other, "status").json["member"]
    assert say(*other, "leave", "--yes").json == {"left": True}
    assert say(*other, "leave").json == {"left": False}
    assert say("federate", "moved").code == 0


def test_what_cannot_be_is_refused_with_a_next_step(say: Say) -> None:
    """An action that is none, a missing text, a swarm that is none, an agent at the keyboard."""
    assert "Known: init" in say("federate", "dance").err
    assert "needs a text" in say("federate", "join").err
    assert "belongs to no swarm" in say("federate", "invite").err
    assert "belongs to no swarm" in say("federate", "run").err
    assert "saegim-swarm-1" in say("federate", "join", "x", "--yes").err
    assert "속하지" in (said := say("--language", "ko", "federate", "run").err) or "무리" in said


def test_an_agent_cannot_take_part_for_a_person(
    say: Say, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Who shares, and with whom, is never answered by a program that acts for a person."""
    monkeypatch.setenv("CLAUDECODE", "1")
    assert say("federate", "init", "--yes").code != 0
    assert not list((tmp_path / "home").glob("*.federation"))


def test_two_houses_run_and_find_each_other(say: Say, tmp_path: Path) -> None:
    """The command as people use it, in processes of its own; it ends when it is told to."""
    paths = [str(tmp_path / name / "m.db") for name in ("one", "two")]
    at = [f"127.0.0.1:{free_port()}" for _ in paths]
    first, second = (("--path", each, "--json", "federate") for each in paths)
    letter = say(*first, "init", "--yes", "--no-noise", "--address", at[0]).json["invitation"]
    joined = say(*second, "join", letter, "--yes", "--address", at[1]).json
    say(*first, "admit", joined["introduction"])
    held = {**os.environ, "SAEGIM_FEDERATION_MINUTES": "0.01"}
    words = [sys.executable, "-m", "saegim", "--path"]
    running = [
        subprocess.Popen([*words, each, "federate", "run"], env=held, stdout=subprocess.DEVNULL)
        for each in paths
    ]
    try:
        wait_until(lambda: len(say(*first, "status").json.get("connected", ())) == 1, 240)
        assert say(*first, "status").json["running"]
    finally:
        for each in running:
            each.send_signal(signal.SIGTERM)
        assert [each.wait(240) for each in running] == [0, 0]
