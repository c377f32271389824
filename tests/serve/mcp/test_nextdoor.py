"""One server for all clients of a machine: asked first, and done without where it is gone."""

from __future__ import annotations

import json
import os
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any, Self

import pytest
from stdio_client import MODERN, Peer, Started
from warm_servers import Servers

from engines.loopback import Loopback
from saegim import Saegim
from saegim.errors import BadInput, NotFound, SaegimError, Unavailable
from saegim.serve.backend import (
    SERVER_FILE,
    Call,
    LocalBackend,
    RunningServer,
    ServerBackend,
    ServerGone,
    is_harmless_twice,
)
from saegim.serve.catalogue.catalogue import shown_to
from saegim.serve.server_file import Served, ServerFile
from saegim.serve.token import proof_of
from stand_ins import rounds, wait_until

SEEING = Path(__file__).parent / "seeing"
TOKEN = "a-token-of-this-test-" + "x" * 30


# -- a neighbour that can be told to fail ----------------------------------------------------------


class _Answering(BaseHTTPRequestHandler):
    server_of: Next
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        """Be well, and show that we know the token."""
        nonce, end = self.path.partition("nonce=")[2], f"127.0.0.1:{self.server_of.port}"
        self._say(200, {"status": "ok", "proof": proof_of(TOKEN, nonce, end)})

    def do_POST(self) -> None:
        """Carry out a call, as a server does; or fail as it was told to."""
        next_door, name = self.server_of, self.path.rpartition("/")[2]
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        next_door.heard.append((name, body, self.headers["Saegim-Door"]))
        fault = next_door.faults.pop(0) if next_door.faults else ""
        if fault == "before":
            self.close_connection = True
            return
        if fault.isdecimal():
            self._say(int(fault), {"detail": "busy"})
            return
        rooms = {key: body.get(key) for key in ("project", "folder", "agent")}
        wish = Call(name=name, arguments=body["arguments"], door="mcp", **rooms)
        try:
            status, told = 200, next_door.house.call(wish)
        except SaegimError as error:
            told = {"detail": error.message, "kind": type(error).__name__}
            status, told = 422, {**told, "next_step": error.next_step}
        if fault == "after":
            self.connection.shutdown(socket.SHUT_RDWR)
            return
        self._say(status, told)

    def _say(self, status: int, told: dict[str, Any]) -> None:
        data = json.dumps(told).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


class Next(Loopback):
    """The smallest neighbour: /health and /v1/call on a house of its own."""

    answering = _Answering

    def __init__(self, house: LocalBackend, home: Path) -> None:
        self.house, self.home = house, home
        self.released = threading.Event()
        self.faults: list[str] = []
        self.heard: list[tuple[str, Any, str]] = []

    def __enter__(self) -> Self:
        self._server_file = ServerFile(self.home).__enter__()
        (self.home / "token").touch(0o600)
        (self.home / "token").write_text(TOKEN, encoding="ascii")
        super().__enter__()
        self.announce()
        return self

    def __exit__(self, *_: object) -> None:
        self._server_file.__exit__()
        super().__exit__()

    def announce(self, **other: Any) -> None:
        """Write what a server writes about itself."""
        told = {"pid": os.getpid(), "port": self.port, "url": self.url, "version": "0"}
        told |= {"token_file": str(self.home / "token"), "store": str(self.home / "saegim.db")}
        self._server_file.write(Served(**{**told, **other}))


@pytest.fixture
def next_door(tmp_path: Path) -> Iterator[Next]:
    """A neighbour that serves the home of this test."""
    house = LocalBackend(tmp_path / "saegim.db")
    with Next(house, tmp_path) as server:
        yield server
    house.close()


@pytest.fixture
def near(tmp_path: Path) -> Iterator[ServerBackend]:
    """A house that asks the neighbour first."""
    own = LocalBackend(tmp_path / "saegim.db")
    made = ServerBackend(tmp_path, tmp_path / "saegim.db", own)
    yield made
    made.close()


def kept(near: ServerBackend, text: str) -> dict[str, Any]:
    """Save a text."""
    return near.call(Call(name="memory_save", arguments={"text": text}, door="mcp"))


def times(near: ServerBackend, text: str) -> int:
    """How often the ledger saw these words being said."""
    memory = near._own.memory
    held = [each.id for each in memory.recent(200).memories if each.text == text]
    return sum(len(memory.history(each).entries) for each in held)


def test_a_call_is_carried_out_next_door(next_door: Next, near: ServerBackend) -> None:
    """U11.3: with a server at hand, nothing is opened here; scope and door go with the call."""
    given = {"arguments": {"text": "보리차"}, "project": "p", "agent": "a", "door": "mcp"}
    told = near.call(Call(name="memory_save", **given))
    assert (told["status"], told["scope"]["project"], told["scope"]["agent"]) == (
        "stored",
        "p",
        "a",
    )
    assert not near._own.is_open
    name, body, door = next_door.heard[0]
    assert (name, body["project"], body["agent"], door) == ("memory_save", "p", "a", "mcp")


def test_errors_of_a_neighbour_are_errors_of_ours(next_door: Next, near: ServerBackend) -> None:
    """U1.3: what the server refuses is refused here with the same kind, words and next step."""
    with pytest.raises(BadInput, match="The text is empty") as refused:
        kept(near, " ")
    assert refused.value.next_step
    with pytest.raises(NotFound):
        near.call(Call(name="memory_get", arguments={"id": "mem_none"}))
    assert not near._own.is_open


@pytest.mark.parametrize("fault", ["before", "after", "500", "503", "429", "401"])
def test_a_save_in_flight_is_stored_exactly_once(
    next_door: Next, near: ServerBackend, fault: str
) -> None:
    """U11.3: whether the server went before or after it saved, the memory is there once."""
    kept(near, "before the fault")
    next_door.faults.append(fault)
    text = f"in flight while {fault}"
    told = kept(near, text)
    assert told["id"]
    assert times(near, text) == 1
    assert near._own.is_open


def test_without_a_key_it_would_be_there_twice(
    next_door: Next, near: ServerBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    """U11.3 control: a save that carries no key is said twice when the answer is lost."""
    monkeypatch.setattr("saegim.serve.backend._KEYED", ())
    monkeypatch.setattr("saegim.serve.backend.is_harmless_twice", lambda _: True)
    next_door.faults.append("after")
    kept(near, "said twice")
    assert times(near, "said twice") == 2


@pytest.mark.parametrize("fault", ["after", "500"])
def test_what_cannot_be_repeated_safely_is_said_to_be_unknown(
    next_door: Next, near: ServerBackend, fault: str
) -> None:
    """U11.3: nothing is done twice: where nobody knows whether it was done, the caller is told."""
    id = kept(near, "judged once")["id"]
    next_door.faults.append(fault)
    judged = Call(name="memory_feedback", arguments={"id": id, "label": "up"}, door="mcp")
    with pytest.raises(Unavailable, match="may be done or not"):
        near.call(judged)
    # Refused before it was done, it is done here.
    next_door.faults.append("503")
    near._looked_at = -100.0
    assert near.call(judged)["memory"]["id"] == id


def test_the_menu_says_what_is_harmless_twice() -> None:
    """U11.3: what a client is told about a tool decides whether it may be asked again."""
    for each in shown_to("full"):
        assert is_harmless_twice(each.name) is (each.repeatable or each.name == "memory_save")
    assert not is_harmless_twice("undo")


def test_a_neighbour_that_is_gone_is_done_without(next_door: Next, near: ServerBackend) -> None:
    """U11.3: when the server stops, the same client goes on; when one comes, it is asked again."""
    kept(near, "while it is there")
    next_door.__exit__()
    assert kept(near, "while it is gone")["status"] == "stored"
    assert near.call(Call(name="memory_stats"))["total"] == 2
    next_door.released.clear()
    next_door.__enter__()
    near._looked_at = -100.0
    before = len(next_door.heard)
    assert near.call(Call(name="memory_stats"))["total"] == 2
    assert len(next_door.heard) == before + 1


@pytest.mark.parametrize(
    "other",
    [{"pid": 2**22 + 5}, {"pid": 2**70}, {"port": 9}, {"port": 70_000}, {"store": "/else.db"}],
)
def test_a_server_file_that_is_not_true_is_not_believed(
    next_door: Next, tmp_path: Path, other: dict[str, Any]
) -> None:
    """U11.3: a server that is dead, silent, of another store or unknown is no neighbour."""
    assert RunningServer.find(tmp_path, tmp_path / "saegim.db") is not None
    next_door.announce(**other)
    assert RunningServer.find(tmp_path, tmp_path / "saegim.db") is None


@pytest.mark.parametrize("text", ["", "{", "[]", "5", '{"pid": 1}', '{"pid": "x", "port": null}'])
def test_a_server_file_that_cannot_be_read_is_none(tmp_path: Path, text: str) -> None:
    """U11.3: whatever lies there, looking for a neighbour never fails."""
    with ServerFile(tmp_path):
        (tmp_path / SERVER_FILE).touch(0o600)
        (tmp_path / SERVER_FILE).write_text(text, encoding="utf-8")
        assert RunningServer.find(tmp_path) is None
        assert RunningServer.find(tmp_path / "nowhere") is None


def test_a_server_of_someone_else_is_no_neighbour(next_door: Next, tmp_path: Path) -> None:
    """Two people of one machine: neither asks, nor is told by, the other's server."""
    next_door.announce(user="alice")
    for user, found in (("alice", True), ("bob", False), ("me", False)):
        neighbour = RunningServer.find(tmp_path, tmp_path / "saegim.db", user)
        assert (neighbour is not None) is found
    with LocalBackend(tmp_path / "saegim.db", user="bob").memory as memory:
        memory.remember("Bob keeps the key under the mat")
    own = LocalBackend(tmp_path / "saegim.db", user="bob")
    near = ServerBackend(tmp_path, tmp_path / "saegim.db", own, "bob")
    told = near.call(Call(name="memory_search", arguments={"query": "the key"}, door="mcp"))
    assert told["scope"]["user"] == "bob"
    assert next_door.heard == []
    near.close()


def test_a_port_where_nobody_listens_is_gone_before_anything_was_done() -> None:
    """U11.3: a refused connection has done nothing; a lost answer may have."""
    with pytest.raises(ServerGone) as gone:
        RunningServer(9, "x").call("memory_stats", {})
    assert not gone.value.perhaps


# -- the real one ---------------------------------------------------------------------------------


@pytest.fixture
def serving(servers: Servers, tmp_path: Path) -> Iterator[Peer]:
    """`saegim serve` on the home of this test."""
    peer = servers.start(tmp_path / "home", "serve", "--port", "0")
    wait_until((tmp_path / "home" / SERVER_FILE).exists)
    yield peer
    if peer.lives:
        peer.signal(signal.SIGTERM)
    peer.close()


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Callable[..., Started]]:
    """Start `saegim mcp` in processes of their own, noting what they load."""
    peers: list[Started] = []

    def made(*words: str) -> Started:
        notes = str(tmp_path / f"notes{len(peers)}")
        peers.append(Started(tmp_path / "home", *words, PYTHONPATH=str(SEEING), LOADED=notes))
        return peers[-1]

    yield made
    for peer in peers:
        peer.close()


def loads_the_store(tmp_path: Path, peer: int) -> bool:
    """Say whether a client had loaded the store when it last wrote."""
    names = (tmp_path / f"notes{peer}").read_text(encoding="utf-8").splitlines()[-1].split()
    return bool({"saegim.store", "saegim.saegim", "apsw", "numpy"} & set(names))


def test_clients_share_the_server_and_survive_it(
    serving: Peer, client: Callable[..., Started], tmp_path: Path
) -> None:
    """U11.3: a thin client loads no store while a server runs, and goes on when it is killed."""
    peer = client("--profile", "full")
    peer.open(MODERN)
    kept = peer.told("memory_save", text="보리차를 좋아해")["id"]
    assert peer.told("memory_search", query="보리차")["hits"][0]["id"] == kept
    assert "보리차" in peer.told("auto_search", query="보리차")["context"]
    assert peer.trouble("memory_get", id="mem_none")["kind"] == "NotFound"
    assert peer.told("memory_observe", text="내 이름은 하준이야. 기억해 줘")["kept"]
    assert not loads_the_store(tmp_path, 0)
    serving.signal(signal.SIGKILL)
    assert serving.gone()
    again = peer.told("memory_save", text="서버가 없어도 기억해")
    assert again["status"] == "stored"
    assert peer.told("memory_search", query="보리차")["hits"][0]["id"] == kept
    assert loads_the_store(tmp_path, 0)
    with Saegim.open(tmp_path / "home" / "saegim.db", background=False) as memory:
        assert memory.mind.store.check() == []
        origins = {each.provenance.origin.value for each in memory.recent(20).memories}
        assert origins == {"agent_inferred"}


if sys.platform == "linux":

    def test_many_clients_cost_one_model(
        serving: Peer, client: Callable[..., Started], tmp_path: Path
    ) -> None:
        """U11.3: eight clients hold less than 80 MB each; the server is killed, they all go on.

        Control: without it each loads a model of its own, and holds more.
        """
        peers = [client() for _ in range(rounds(8, 1))]
        for peer in peers:
            peer.open(MODERN)
        kept = peers[0].told("memory_save", text="보리차를 좋아해")["id"]
        for served in (True, False):
            for peer in peers:
                assert peer.told("memory_search", query="보리차")["hits"][0]["id"] == kept
            assert (sum(map(_resident, peers)) < 80_000_000 * len(peers)) is served
            if served:
                serving.signal(signal.SIGKILL)
                assert serving.gone()


def _resident(peer: Peer) -> int:
    pages = Path(f"/proc/{peer.pid}/statm").read_text(encoding="ascii").split()[1]
    return int(pages) * os.sysconf("SC_PAGE_SIZE")


def test_who_is_someone_else_goes_in_alone(
    serving: Peer, client: Callable[..., Started], tmp_path: Path
) -> None:
    """U11.3: the server serves the person of its settings; another user is not taken for them."""
    peer = client("--user", "dana", "mcp")
    peer.open()
    told = peer.told("memory_save", text="these are the words of someone else")
    assert told["scope"]["user"] == "dana"
    assert loads_the_store(tmp_path, 0)
