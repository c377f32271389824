"""Commands that a running server carries out: the same answers, from next to nothing loaded."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from saying import Answer

from saegim.serve import front
from saegim.serve.cli.app import run
from saegim.serve.cli.guest import carried_out_for
from saegim.serve.hooks import ask_server
from serve.rest import doorbell
from serve.rest.doorbell import Front

FACTS = ("배포는 화요일에만 한다.", "Jane lives in Oslo.", "The spare key is with the neighbour.")
TELLING = """
import sys
sys.argv = ["saegim", *sys.argv[1:]]
from saegim.serve.main import main
try:
    main()
finally:
    sys.stderr.write("\\n".join(sys.modules))
"""
TRACE = r"rec_\w+"
ANSWERED: list[tuple[str, ...]] = [
    ("recall", "when do we deploy?"),
    ("recall", "배포하는 요일", "--explain", "--language", "ko"),
    ("recall", "--limit", "0", "x"),
    ("recall",),
    ("recall", "Oslo", "--no-such-option"),
    ("search", "key", "--language=ko"),
    ("search", "nothing of the kind", "--json"),
    ("recent", "--limit", "2"),
    ("recent", "--since", "yesterday", "--json"),
    ("context", "Where does Jane live?"),
    ("get", "mem_20200101_000000_00000000"),
    ("remember", "   "),
    ("--project", "kettle", "search", "key"),
]
DECLINED: list[tuple[str, ...]] = [
    ("erase", "m1"),
    ("recall", "--user", "someone", "x"),
    ("recall", "--help"),
    ("--path", "postgresql://x/y", "recall", "x"),
    ("--path", "elsewhere.db", "recall", "x"),
    ("serve",),
    (),
]
Ask = Callable[..., Answer]


@pytest.fixture
def served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Front]:
    """A server of this test's home that knows a few facts and carries out commands."""
    home = tmp_path / "served"
    home.mkdir(mode=0o700)
    monkeypatch.setenv("SAEGIM_HOME", str(home))
    # What the tests set for a process would be its own.
    for name in ("SAEGIM_EMBEDDER", "SAEGIM_SEMANTIC_PATIENCE", "SAEGIM_NIGHTLY"):
        monkeypatch.delenv(name, raising=False)
    (home / "settings.toml").write_text('embedder = "static"\n', encoding="utf-8")
    with doorbell.front(home, commands=carried_out_for, embedder="static") as door:
        for each in FACTS:
            door.house.memory.remember(each)
        yield door


@pytest.fixture
def ask(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Ask:
    """Ask the server as a process of its own does; it must answer."""

    def asked(*words: str, stdin: bytes = b"") -> Answer:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        capsys.readouterr()
        code = front.answered(list(words))
        assert isinstance(code, int), f"the server declined {words}"
        heard = capsys.readouterr()
        return Answer(code, heard.out, heard.err)

    return asked


def test_a_server_answers_as_the_command_does_itself(served: Front, ask: Ask, say: Ask) -> None:
    """Words, tables, reasons, errors and exit codes are the same whoever carries it out."""
    assert served.house.is_open
    for words in ANSWERED:
        by_server, by_itself = ask(*words), say(*words)
        # Each answer has a trace of its own.
        assert re.sub(TRACE, "rec", by_server.out) == re.sub(TRACE, "rec", by_itself.out), words
        assert (by_server.code, by_server.err) == (by_itself.code, by_itself.err), words


def test_what_is_piped_in_is_kept_by_the_server(served: Front, ask: Ask) -> None:
    """The server asks for it; a text that was given leaves the pipe alone."""
    told = ask("--json", "remember", stdin="수요일엔 요가를 한다.\n".encode())
    assert served.house.memory.get(told.json["id"]).text == "수요일엔 요가를 한다."
    assert ask("recall", "-", stdin=b"\xff").code == 2


def test_a_command_is_seen_from_the_folder_of_who_asks(
    served: Front, ask: Ask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not from where the server stands."""
    place = tmp_path / "kettle"
    (place / ".git").mkdir(parents=True)
    monkeypatch.chdir(place)
    told = ask("--json", "remember", "The kettle team meets at noon.").json
    assert served.house.memory.get(told["id"]).scope.project == "kettle"


def test_an_answer_that_is_not_heard_is_carried_out_once(
    served: Front, say: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was done, and the answer was lost: done here again, it is the same memory."""
    really = ask_server._exchanged

    def lost(line: Any, request: bytes) -> Any:
        told = really(line, request)
        if request.startswith(b"POST"):
            raise OSError("the line broke")
        return told

    monkeypatch.setattr(ask_server, "_exchanged", lost)
    again = front.answered(["--json", "remember", "We meet at nine."])
    assert isinstance(again, list)
    assert say(*again).json["status"] == "repeated"
    assert len(served.house.memory.search("nine")) == 1
    # The control: without the key, it would count as said twice.
    assert say("--json", "remember", "We meet at nine.").json["status"] == "duplicate"


def test_what_needs_its_own_process_is_not_asked_for(served: Front) -> None:
    """Someone else's memory, another store, help, and everything that is not of every day."""
    before = served.asked()
    for words in DECLINED:
        assert front.answered(list(words)) == list(words), words
    assert served.asked() == before


def test_settings_of_one_process_are_its_own(
    served: Front, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server was started with others."""
    assert served.house.is_open
    for name in ("SAEGIM_EMBEDDER", "SAEGIM_USER", "AIMEMORY_LOG_LEVEL"):
        with monkeypatch.context() as around:
            around.setenv(name, "x")
            assert front.answered(["recall", "x"]) == ["recall", "x"]


def test_the_route_carries_out_no_other_command(served: Front) -> None:
    """Whatever is written there: only the commands of every day, in one form."""
    told: dict[str, Any] = {
        "words": ["--json", "recall", "Oslo"],
        "folder": "/",
        "environment": {},
        "program": ["saegim", sys.executable],
        "terminals": [True, False, False],
        "size": None,
        "input": None,
    }
    if "TZ" in os.environ:
        told["environment"] = {"TZ": os.environ["TZ"]}
    heard = served.ask("POST", front.ADDRESS, told)
    assert (heard.status, heard.json["code"]) == (200, 0)
    for words in (["forget", "m1"], ["serve"], ["--language", "en", "erase", "recall"], []):
        declined = served.ask("POST", front.ADDRESS, {**told, "words": words})
        assert (declined.status, declined.json) == (200, {"declined": True}), words
    odd: list[dict[str, Any]] = [
        {"words": [1]},
        {"words": "recall"},
        {"environment": {"SAEGIM_USER": "x"}},
        {"environment": {"TZ": "Mars/Olympus"}},
        {"environment": []},
        {"program": ["saegim"]},
        {"terminals": 3},
        {"size": [80]},
        {"folder": 1},
        {"input": ["x"]},
        {"more": 1},
    ]
    for wrong in odd:
        assert served.ask("POST", front.ADDRESS, {**told, **wrong}).status == 422, wrong
    assert served.ask("POST", front.ADDRESS, told, Authorization=None).status == 401


def loaded(*words: str) -> tuple[str, set[str]]:
    """Run a command as the executable does; return its answer and what it had loaded at its end."""
    ended = subprocess.run(
        [sys.executable, "-c", TELLING, *words],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    return ended.stdout, set(ended.stderr.split())


def test_with_a_server_a_command_loads_next_to_nothing(served: Front) -> None:
    """Six small modules of ours and no package of others."""
    assert served.house.is_open
    said, modules = loaded("--json", "recall", "where does Jane live?")
    assert "Oslo" in said
    ours = {each for each in modules if each.split(".")[0] == "saegim"}
    assert ours == {
        "saegim",
        "saegim.serve",
        "saegim.serve.main",
        "saegim.serve.front",
        "saegim.serve.hooks",
        "saegim.serve.hooks.ask_server",
        "saegim.serve.hooks.event_note",
    }
    assert not modules & {"apsw", "numpy", "typer", "rich", "pydantic", "dataclasses", "msgspec"}


def test_without_a_server_the_command_answers_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The control: the same words, and all that is needed is loaded."""
    monkeypatch.setenv("SAEGIM_HOME", str(tmp_path / "alone"))
    assert run(["remember", "Jane lives in Oslo."]) == 0
    said, modules = loaded("--json", "recall", "where does Jane live?")
    assert "Oslo" in said
    assert {"apsw", "numpy"} <= modules
