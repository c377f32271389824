"""Servers that are killed, left behind or sent away in the middle of their work."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from stdio_client import PATIENCE, Peer, is_alive, notice, request
from warm_servers import Servers

from saegim import Saegim
from saegim.errors import NotFound
from saegim.serve.mcp import direct_calls, stdio
from saegim.serve.mcp.handshake import Handshake
from stand_ins import rounds, wait_until

HERE = Path(__file__).parent
# U11.1, R-32: whoever is told to end, or left alone, waits for nothing longer than so many seconds.
SOON = 5.0


def opened(home: Path) -> Saegim:
    """The store of a home."""
    return Saegim.open(home / "saegim.db", background=False)


def gone(pids: list[int]) -> None:
    """Wait until these processes are gone; fail if they stay."""
    wait_until(lambda: not any(map(is_alive, pids)), PATIENCE)


def save(peer: Peer, text: str, id: int, **more: Any) -> None:
    """Ask for a save without waiting for the answer."""
    arguments = {"text": text, **more}
    peer.send(request("tools/call", {"name": "memory_save", "arguments": arguments}, id))


def acks(peer: Peer, acked: dict[str, str]) -> None:
    """Note everything that is still confirmed until the server ends: id and text."""
    while (told := line_or_end(peer)) is not None:
        result = told.get("result", {})
        if not result.get("isError") and "structuredContent" in result:
            acked[result["structuredContent"]["id"]] = f"{peer.pid} {told['id']}"


def line_or_end(peer: Peer) -> dict[str, Any] | None:
    """The next line; a killed server may leave half of one, which confirms nothing."""
    try:
        return peer.line()
    except AssertionError as error:
        assert "half a line" in str(error)  # noqa: PT017 - anything else is a fault
        return None


def missing(home: Path, acked: dict[str, str]) -> list[str]:
    """The ids that were confirmed and are not there, or not with their words; all is whole."""
    with opened(home) as memory:
        assert memory.mind.store.check() == []
        memory.maintenance.verify()
        lost = []
        for id, text in acked.items():
            try:
                if memory.get(id).text != f"words of {text}":
                    lost.append(id)
            except NotFound:
                lost.append(id)
        return lost


# -- left alone -----------------------------------------------------------------------------------


def test_a_server_ends_when_its_client_hangs_up(servers: Servers, tmp_path: Path) -> None:
    """U11.1: with standard input closed, the server is gone, in whatever state it was."""
    for turn in range(rounds(100, 5)):
        peer = servers.start(tmp_path / "home")
        if turn % 5:
            peer.open()
        if turn % 5 > 1:
            peer.told("memory_save", text=f"kept {turn}")
        if turn % 5 > 2:
            save(peer, f"words of {turn}", 7)
        peer.hang_up()
        assert peer.gone(), f"alive after {turn}"
        peer.close()


@pytest.mark.parametrize("pipes", ["drop", "keep"])
def test_a_server_ends_when_its_client_is_killed(tmp_path: Path, pipes: str) -> None:
    """U11.1: killed clients leave no server behind, even where someone else holds the pipes."""
    # The control is a server that does not look after its parent: it stays where pipes are held.
    count = rounds(5, 2)
    for turn in range(rounds(20, 1)):
        words = [sys.executable, str(HERE / "abandoning.py"), str(tmp_path / f"home{turn}")]
        with subprocess.Popen(
            [*words, str(count), pipes], stdout=subprocess.PIPE, text=True
        ) as client:
            assert client.stdout is not None
            told = [int(each) for each in client.stdout.readline().split()]
            started_well = len(told) > count and all(map(is_alive, told))
            client.kill()
        try:
            assert started_well
            alone, careless, holder = told[:count], told[count], told[count + 1 :]
            gone(alone)
            if holder:
                assert is_alive(careless)
            else:
                gone([careless])
        finally:
            for pid in told:
                if is_alive(pid):
                    os.kill(pid, signal.SIGKILL)


# -- sent away ------------------------------------------------------------------------------------


@pytest.mark.parametrize("how", ["SIGTERM", "SIGINT", "SIGHUP", "closed"])
def test_a_server_that_is_sent_away_while_it_writes_loses_nothing(
    servers: Servers, tmp_path: Path, how: str
) -> None:
    """R-32: in the middle of writes it ends soon, and every confirmed memory is there."""
    peer = servers.start(tmp_path / "home")
    peer.open()
    acked: dict[str, str] = {}
    for at in range(1, 41):
        save(peer, f"words of {peer.pid} {at}", at)
    while len(acked) < 5:
        told = peer.line()
        assert told is not None
        acked[told["result"]["structuredContent"]["id"]] = f"{peer.pid} {told['id']}"
    if how == "closed":
        peer.hang_up()
    else:
        peer.signal(getattr(signal, how))
    assert peer.gone()
    acks(peer, acked)
    assert 5 <= len(acked) <= 40
    assert missing(tmp_path / "home", acked) == []
    peer.close()


# What makes a call one for the SDK: a client that wants to hear how far it is, or says more of it.
METAS = [{}, {"progressToken": 1}, {"claudecode/toolUseId": "toolu_1"}]


def called(name: str, meta: dict[str, Any], id: int = 7, **arguments: Any) -> dict[str, Any]:
    """A call as a client writes it who says this of it."""
    params = {"name": name, "arguments": arguments}
    return request("tools/call", {**params, "_meta": meta} if meta else params, id)


@pytest.mark.parametrize("meta", METAS)
def test_a_save_is_kept_whose_client_hangs_up_at_once(
    servers: Servers, tmp_path: Path, meta: dict[str, Any]
) -> None:
    """R-32: whoever carries it out; the control is a call that is no one's but ours."""
    peer = servers.start(tmp_path / "home")
    peer.open()
    peer.told("memory_save", text="kept before")
    peer.send(called("memory_save", meta, text="kept under way"))
    peer.hang_up()
    assert peer.gone()
    with opened(tmp_path / "home") as memory:
        assert "kept under way" in {each.text for each in memory.recent(2).memories}
    peer.close()


@pytest.mark.parametrize("meta", METAS[:2])
@pytest.mark.parametrize("end", ["closed", "SIGTERM"])
def test_a_server_that_hangs_in_a_call_is_gone_all_the_same(
    started: Callable[..., Peer], tmp_path: Path, end: str, meta: dict[str, Any]
) -> None:
    """R-32, U11.1: a call that never ends keeps no server alive."""
    peer = started(act="with_a_call_that_hangs")
    peer.open()
    peer.send(called("memory_stats", meta))
    wait_until((tmp_path / "hanging").exists)
    if end == "closed":
        peer.hang_up()
    else:
        peer.signal(signal.SIGTERM)
    assert peer.gone()


def test_all_that_is_under_way_shares_one_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """R-32: a call of the SDK counts until it is answered or given up; who waits again, waits less.

    The control is what is no call: nobody waits for it.
    """
    waits: list[tuple[int, float]] = []
    monkeypatch.setattr(
        direct_calls, "wait", lambda all, seconds: waits.append((len(all), seconds))
    )
    guest: Any = None
    calls = direct_calls.DirectCalls(Handshake("core"), guest, guest, lambda _: None)
    assert calls.waited == 0.0
    for at in (1, "1"):
        calls.passed_on(json.dumps(called("memory_save", {"progressToken": 1}, at)))
    calls.passed_on(json.dumps(request("tools/list", {}, 2)))
    calls.passed_on("no JSON")
    calls.end()
    calls.told(json.dumps({"jsonrpc": "2.0", "id": 1, "result": {}}))
    calls.end()
    calls.passed_on(json.dumps(notice("notifications/cancelled", {"requestId": "1"})))
    calls.end()
    assert [many for many, _ in waits] == [2, 1, 0]
    seconds = [each for _, each in waits]
    assert seconds == sorted(seconds, reverse=True)
    assert seconds[0] <= direct_calls.FAREWELL_SECONDS
    assert calls.waited >= seconds[0] - seconds[-1]


class Endless:
    """A store that does not close; it notes for how long it is waited for."""

    def __init__(self) -> None:
        self.waited = 0.0

    def join(self, seconds: float) -> None:
        """Stay."""
        self.waited += seconds


def test_what_an_end_waits_for_adds_up_to_less_than_five_seconds(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """R-32, U11.1: whatever hangs, calls and the store share one time; a busy machine may add."""
    ended: list[int] = []
    monkeypatch.setattr("saegim.serve.mcp.stdio.os._exit", ended.append)
    for calls in (0.0, 0.5, direct_calls.FAREWELL_SECONDS):
        closing = Endless()
        stdio._gone(closing, 7, calls)  # type: ignore[arg-type]
        assert stdio._LOOK_SECONDS < calls + closing.waited < SOON - stdio._LOOK_SECONDS / 2
    assert ended == [7, 7, 7]


# -- killed ---------------------------------------------------------------------------------------


def killed(servers: Servers, home: Path, dice: random.Random, many: int, act: str = "") -> Any:
    """Let some servers save at once, kill each at a random instant; return what they confirmed."""
    acked: dict[str, str] = {}
    peers = [servers.start(home, "--profile", "core", act=act) for _ in range(many)]
    for peer in peers:
        peer.open()
        for at in range(1, 31):
            save(peer, f"words of {peer.pid} {at}", at)
    for peer in peers:
        # It must have begun to save; then it dies at any instant of it.
        told = peer.line()
        assert told is not None
        acked[told["result"]["structuredContent"]["id"]] = f"{peer.pid} {told['id']}"
    dice.shuffle(peers)
    for peer in peers:
        time.sleep(dice.uniform(0.0, 0.01))
        peer.signal(signal.SIGKILL)
    for peer in peers:
        assert peer.gone()
        acks(peer, acked)
        peer.close()
    return acked


def test_kill_9_over_stdio_loses_nothing_that_was_confirmed(
    servers: Servers, tmp_path: Path
) -> None:
    """R-03: twenty servers killed while they save (a thousand by night): 0 confirmed are lost."""
    home, dice, acked = tmp_path / "home", random.Random(3), {}
    turns = rounds(200, 4)
    for _ in range(turns):
        acked |= killed(servers, home, dice, 5)
    assert len(acked) >= 5 * turns
    assert missing(home, acked) == []


def test_a_server_that_confirms_too_early_is_seen_to_lose(servers: Servers, tmp_path: Path) -> None:
    """R-03 control: confirmed before it is committed, something is lost, and this test sees it."""
    home, dice = tmp_path / "home", random.Random(4)
    acked = killed(servers, home, dice, 2, act="confirming_too_early")
    with opened(home) as memory:
        kept = {each.text for each in memory.recent(200).memories}
    assert [text for text in acked.values() if f"words of {text}" not in kept]


# -- many at once ---------------------------------------------------------------------------------


def test_servers_and_commands_share_one_file(servers: Servers, tmp_path: Path) -> None:
    """R-12: three servers and the command line save at once: counts exact, nobody sees BUSY."""
    home = tmp_path / "home"
    each, shared, said = 30, 15, 4
    peers = [servers.start(home) for _ in range(3)]
    for peer in peers:
        peer.open()
    commands = [
        servers.start(home, "remember", f"said on the command line {at}", "--json")
        for at in range(said)
    ]
    for peer in peers:
        numbers = count(1)
        for at in range(each):
            save(peer, f"own {peer.pid} {at}", next(numbers), key=f"own-{peer.pid}-{at}")
            if at < shared:
                save(peer, f"shared {at}", next(numbers), key=f"shared-{at}")
    statuses: list[str] = []
    for peer in peers:
        for _ in range(each + shared):
            told = peer.line()
            assert told is not None
            assert not told["result"].get("isError"), told
            statuses.append(told["result"]["structuredContent"]["status"])
    for command in commands:
        assert json.loads(command.said())["status"] == "stored"
    assert statuses.count("stored") == 3 * each + shared
    assert statuses.count("repeated") == 2 * shared
    for peer in peers:
        assert peer.told("memory_stats")["total"] == 3 * each + shared + said
        peer.close()
    assert missing(home, {}) == []
