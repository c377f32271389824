"""The logs: on standard error, as loud as asked for, and without a word of anybody."""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from saying import Say

from saegim import Saegim, logs
from saegim.errors import EngineError, NotFound, SettingsError, StoreError
from saegim.serve.backend import Call, LocalBackend
from saegim.serve.hooks import journal
from saegim.serve.rest.asgi_app import build
from saegim.serve.rest.security import Security
from saegim.settings import read_settings
from saegim.sleep import flow

# Invented; it must stand in no log.
SECRET = "sk-proj-FICTIONALplanted0123456789abcdefGHIJ"
WORDS = f"the lighthouse keeper hides {SECRET} under the stairs"


@pytest.fixture(autouse=True)
def _quiet_afterwards() -> Iterator[None]:
    """What one test turns on is off for the next."""
    yield
    logs.begin("WARNING")


@pytest.mark.parametrize(
    ("variables", "level"),
    [
        ({}, "WARNING"),
        ({"SAEGIM_LOG_LEVEL": "debug"}, "debug"),
        ({"AIMEMORY_LOG_LEVEL": "INFO"}, "INFO"),
        ({"AIMEMORY_LOG_LEVEL": "INFO", "SAEGIM_LOG_LEVEL": "ERROR"}, "ERROR"),
    ],
)
def test_the_level_is_a_setting_and_the_seeds_name_is_heard(
    variables: dict[str, str], level: str, tmp_path: Path
) -> None:
    """Seed C: `AIMEMORY_LOG_LEVEL`; ours goes before it."""
    assert read_settings(tmp_path, variables).log_level == level


def test_a_level_that_is_none_is_refused(tmp_path: Path) -> None:
    """A misspelt level is said, with those there are."""
    with pytest.raises(SettingsError, match="log_level") as told:
        read_settings(tmp_path, {"SAEGIM_LOG_LEVEL": "loud"})
    assert "DEBUG or INFO or WARNING or ERROR" in told.value.next_step


def test_as_delivered_a_command_says_nothing_beside_its_answer(say: Say) -> None:
    """The usual level is WARNING, and nothing went wrong."""
    for words in (("remember", "the ferry leaves at 7"), ("recall", "ferry"), ("sleep",)):
        assert say(*words).err == ""


def test_logs_go_to_standard_error_and_the_answer_stays_one_document(
    say: Say, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A program reads the answer, a person the log."""
    say("remember", "the ferry leaves at 7")
    monkeypatch.setenv("SAEGIM_LOG_LEVEL", "DEBUG")
    told = say("--json", "sleep")
    assert json.loads(told.out)["night"]["state"] == "done"
    assert " DEBUG saegim.serve: the command sleep begins\n" in told.err
    assert " INFO saegim.sleep: night_" in told.err
    assert " DEBUG saegim.sleep: night_" in told.err


def test_what_this_machine_must_repair_is_louder_than_what_a_caller_can(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """At the usual level only trouble of the machine is told."""
    logs.begin("WARNING")
    house = LocalBackend(tmp_path / "s.db")
    with pytest.raises(NotFound):
        house.call(Call(name="memory_get", arguments={"id": "nothing"}))
    house.close()
    assert capfd.readouterr().err == ""
    (tmp_path / "broken.db").write_bytes(b"no store at all" * 1000)
    with pytest.raises(StoreError):
        LocalBackend(tmp_path / "broken.db").call(Call(name="memory_stats", arguments={}))
    assert " WARNING saegim.serve: memory_stats (rest) failed: Store" in capfd.readouterr().err


# -- no word of anybody ----------------------------------------------------------------------------


def through_the_command_line(tmp_path: Path, say: Say) -> str:
    """Keep, ask, fail and sleep on the command line."""
    told = [
        say("remember", WORDS).err,
        say("recall", WORDS).err,
        say("observe", WORDS, "--session", "s1").err,
        say("sleep").err,
    ]
    return "".join(told)


def through_the_house(tmp_path: Path, say: Say) -> str:
    """Call functions as every door does, with words in what succeeds and in what fails."""
    house = LocalBackend(tmp_path / "house.db")
    house.call(Call(name="memory_save", arguments={"content": WORDS}, session=SECRET))
    house.call(Call(name="auto_search", arguments={"query": WORDS}))
    for arguments in ({"id": SECRET}, {"id": 7, SECRET: WORDS}):
        with pytest.raises((NotFound, ValueError)):
            house.call(Call(name="memory_get", arguments=arguments))
    house.close()
    return ""


def through_a_fault_of_rest(tmp_path: Path, say: Say) -> str:
    """Break off in the middle of a request, with words in the error."""
    house = LocalBackend(tmp_path / "rest.db")

    def broken(_: Call) -> Any:
        raise RuntimeError(WORDS)

    house.call = broken  # type: ignore[method-assign]
    security = Security(token=SECRET, hosts=frozenset({"testserver"}))
    client = TestClient(build(house, security), raise_server_exceptions=False)
    headers = {"Authorization": f"Bearer {SECRET}"}
    assert client.get("/v1/stats", headers=headers).status_code == 500
    return ""


def through_a_night_that_fails(tmp_path: Path, say: Say) -> str:
    """Fail in a stage, with words in the error."""

    def broken(_: Any) -> Any:
        raise EngineError(WORDS, next_step="None.")

    with Saegim.open(tmp_path / "night.db", background=False) as memory:
        memory.remember(WORDS)
        held = flow.NIGHT
        try:
            flow.NIGHT = (flow.Stage("merge", "cron_daily", broken), *held[1:])
            memory.sleep("merge")
        finally:
            flow.NIGHT = held
    return ""


def through_the_hooks(tmp_path: Path, say: Say) -> str:
    """Note an error of a hook, whose words are someone's."""
    journal.note(tmp_path, "stop", f"failed: {journal.named(ValueError(WORDS))}")
    return ""


def through_a_package_of_others(tmp_path: Path, say: Say) -> str:
    """Let a package that we use log what a client sent."""
    try:
        raise ValueError(WORDS)
    except ValueError:
        logging.getLogger("mcp.server").exception("cannot read %s", WORDS)
        logging.getLogger("uvicorn.error").error(WORDS)
    return ""


@pytest.mark.parametrize(
    ("act", "seen"),
    [
        (through_the_command_line, "saegim.serve: the command remember begins"),
        (through_the_house, "saegim.serve: memory_get (rest) failed: NotFound"),
        (through_a_fault_of_rest, "saegim.serve: a request broke off: RuntimeError"),
        (through_a_night_that_fails, "the stage merge failed: EngineError"),
        (through_the_hooks, "saegim.hooks: stop: failed: ValueError"),
        (through_a_package_of_others, "mcp.server: "),
    ],
)
def test_no_log_holds_what_anyone_said(
    act: Callable[[Path, Say], str],
    seen: str,
    tmp_path: Path,
    say: Say,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """FAULTS 28: at the loudest level a planted secret and its words stand in no record."""
    monkeypatch.setenv("SAEGIM_LOG_LEVEL", "DEBUG")
    logs.begin("DEBUG")
    told = act(tmp_path, say) + capsys.readouterr().err
    assert seen in told
    assert SECRET not in told
    assert "lighthouse" not in told


def test_a_secret_in_a_record_would_be_seen(capsys: pytest.CaptureFixture[str]) -> None:
    """The control: one careless record, and the check above fails."""
    logs.begin("DEBUG")
    logs.logger("serve").debug("asked: %s", WORDS)
    assert SECRET in capsys.readouterr().err


def test_a_library_that_nobody_asked_is_silent(tmp_path: Path) -> None:
    """Who uses the library decides about its logs; until then not even a warning is written."""
    code = "from saegim import logs; logs.logger('sleep').warning('x')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("", "")


def test_standard_output_of_mcp_carries_nothing_but_the_protocol(tmp_path: Path) -> None:
    """U28.1: at the loudest level every line of standard output is a message of the protocol."""
    client = {"name": "reader", "version": "1"}
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client}
    save = {"name": "memory_save", "arguments": {"content": WORDS}}
    asked = [("initialize", hello), ("tools/call", save)]
    lines = [
        json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        for number, (method, params) in enumerate(asked)
    ]
    environment = {**os.environ, "SAEGIM_LOG_LEVEL": "DEBUG", "SAEGIM_HOME": str(tmp_path / "h")}
    process = subprocess.Popen(
        [sys.executable, "-m", "saegim", "mcp"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    heard = []
    for line in lines:
        process.stdin.write(line + "\n")
        process.stdin.flush()
        heard.append(json.loads(process.stdout.readline()))
    rest, told = process.communicate(timeout=240)
    assert [each["id"] for each in heard] == [0, 1]
    assert rest == ""
    assert " INFO saegim.serve: memory_save (mcp) took " in told
    assert SECRET not in told
    assert "lighthouse" not in told
