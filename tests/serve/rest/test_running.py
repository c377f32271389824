"""The server as a process: one for each home, ended by a signal, and never slowed by one caller."""

from __future__ import annotations

import http.client
import json
import signal
import socket
import ssl
import stat
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import apsw
import pytest
from child_server import ended, process, seen
from doorbell import PATIENCE, Front, front
from saying import Say

import servers
from engines.embedding_server import EmbeddingServer
from engines.llm_server import untrusted
from saegim import Saegim
from saegim.errors import SettingsError, StoreBusy
from saegim.serve.backend import LocalBackend
from saegim.serve.rest import run_server
from saegim.serve.rest.routes import Desk
from saegim.serve.rest.run_server import ServePlan
from saegim.serve.server_file import Served, ServerFile, read
from saegim.settings import Settings
from saegim.store.rows import Where
from stand_ins import wait_until

# Broken on purpose: it says that a text is kept before it is.
_HASTY = """
import threading, time
from saegim.serve.backend import LocalBackend
real = LocalBackend.call
def later(house, wish):
    time.sleep(600)
    real(house, wish)
def call(house, wish):
    threading.Thread(target=later, args=(house, wish), daemon=True).start()
    return {"id": "soon"}
LocalBackend.call = call
"""


# -- the end --------------------------------------------------------------------------------------


def ended_while_writing(home: Path, before: str = "") -> tuple[set[str], set[str], int | None]:
    """Let eight clients write, end the server in the middle; return what was acked and what is."""
    acked: set[str] = set()
    stopped = threading.Event()
    with process(home, before=before) as (started, told):
        served = seen(told)

        def write(name: int) -> None:
            turn = 0
            while not stopped.is_set():
                text = f"Mark{name}n{turn}end was written while the end was near."
                turn += 1
                try:
                    body = {"text": text, "source": "user"}
                    heard = served.ask("POST", "/v1/memories", body)
                except (OSError, http.client.HTTPException):
                    return
                if heard.status == 200:
                    acked.add(text)
                elif heard.status in (503, 500):
                    return

        threads = [threading.Thread(target=write, args=(name,)) for name in range(8)]
        for each in threads:
            each.start()
        wait_until(lambda: len(acked) >= 30, PATIENCE)
        code = ended(started, signal.SIGTERM)
        stopped.set()
        for each in threads:
            each.join(PATIENCE)
    with Saegim.open(home / "saegim.db", embedder="hashed") as memory:
        where = Where(scope=memory.scope)
        held = {each.text for _, each in memory.mind.store.memories.walk(where)}
    return acked, held, code


def test_what_was_confirmed_outlives_the_end(tmp_path: Path) -> None:
    """R-32: SIGTERM in the middle of writes: it ends with 0, nothing confirmed is lost."""
    home = tmp_path / "served"
    acked, held, code = ended_while_writing(home)
    assert code == 0
    assert len(acked) >= 30
    assert acked <= held
    assert not (home / "server.json").exists()


def test_a_server_that_confirms_too_early_is_caught(tmp_path: Path) -> None:
    """Control: where words are confirmed before they are kept, the test above sees the loss."""
    acked, held, _ = ended_while_writing(tmp_path / "served", before=_HASTY)
    assert acked - held


@pytest.mark.nightly
def test_a_hanging_request_does_not_hold_up_the_end(tmp_path: Path) -> None:
    """R-32: a request that would wait ten minutes for a lock is left; the process ends."""
    home = tmp_path / "served"
    home.mkdir()
    (home / "settings.toml").write_text("busy_seconds = 600.0\n", encoding="utf-8")
    with process(home) as (started, told):
        served = seen(told)
        served.save("The first one is quick.")
        raw = apsw.Connection(str(home / "saegim.db"))
        raw.execute("BEGIN IMMEDIATE")
        with ThreadPoolExecutor(1) as threads:
            asked = threads.submit(served.ask, "POST", "/v1/memories", {"text": "It waits."})
            assert not wait([asked], 1.0).done
            assert ended(started, signal.SIGINT) == 0
            # Cut off or told that it failed, but never told that it is kept.
            left = asked.exception() or asked.result()
            assert isinstance(left, OSError) or left.status >= 500
        raw.close()
    assert not (home / "server.json").exists()


# -- one server -----------------------------------------------------------------------------------


def test_a_server_says_where_it_is_and_there_is_only_one(tmp_path: Path, say: Say) -> None:
    """U11.3: others find it by its file (0600); a second one says who is there and ends with 4."""
    with process(tmp_path / "home") as (started, told):
        server_file = tmp_path / "home" / "server.json"
        assert stat.S_IMODE(server_file.stat().st_mode) == 0o600
        said = json.loads(server_file.read_text(encoding="utf-8"))
        assert said == {name: told[name] for name in said}
        assert said["pid"] == started.pid
        assert said["store"] == str(tmp_path / "home" / "saegim.db")
        assert told["mcp"] == f"{told['url']}/mcp"
        assert Path(said["token_file"]).read_text().strip() not in json.dumps(told)
        assert seen(told).ask("GET", "/health").json["ready"] is True
        second = say("serve", "--port", "0")
        assert second.code == 4
        assert f"process {started.pid}" in second.err
        assert ended(started, signal.SIGTERM) == 0
    assert read(tmp_path / "home") == {}


def test_a_server_file_left_by_a_dead_server_stops_nobody(tmp_path: Path) -> None:
    """A process that was killed leaves its server file, but not its lock."""
    served = Served(1, 1, "http://127.0.0.1:1", "token", "0", "saegim.db")
    with ServerFile(tmp_path) as server_file:
        server_file.write(served)
        with pytest.raises(StoreBusy, match="process 1"), ServerFile(tmp_path):
            pass
        assert read(tmp_path)["pid"] == 1
    (tmp_path / "server.json").write_text('{"pid": 1, "url": "x"}', encoding="utf-8")
    with ServerFile(tmp_path):
        pass
    assert read(tmp_path) == {}


def test_a_port_that_is_taken_names_its_holder(tmp_path: Path, say: Say, shared: Front) -> None:
    """A second home on the same port learns that a Saegim server has it; another program too."""
    heard = say("serve", "--port", str(shared.port))
    assert heard.code == 3
    assert f"Port {shared.port} is held by a Saegim server" in heard.err
    assert "--port 0" in heard.err
    with socket.create_server(("127.0.0.1", 0)) as other:
        other.settimeout(0)
        heard = say("--json", "serve", "--port", str(other.getsockname()[1]))
    assert (heard.code, heard.json["error"]["kind"]) == (3, "StoreBusy")
    assert "another program" in heard.json["error"]["message"]


def test_an_open_address_is_refused_before_anything_is_made(tmp_path: Path, say: Say) -> None:
    """U16.2: 0.0.0.0 without a certificate ends at once and says what to set."""
    heard = say("serve", "--host", "0.0.0.0", "--port", "0")
    assert heard.code == 1
    assert "--certificate and --key" in heard.err
    assert not (tmp_path / "home").exists()


def test_a_certificate_that_is_none_is_said_so(tmp_path: Path, say: Say) -> None:
    """A PEM file that holds no certificate is told as a setting to correct."""
    pem = tmp_path / "any.pem"
    pem.write_text("nothing", encoding="ascii")
    pem.chmod(0o600)
    heard = say("serve", "--port", "0", "--certificate", str(pem), "--key", str(pem))
    assert heard.code == 1
    assert "cannot be used" in heard.err


def test_with_a_certificate_it_is_encrypted(tmp_path: Path) -> None:
    """U16.2: with a certificate it speaks TLS, and nothing else on that port."""
    untrusted(tmp_path)
    (tmp_path / "untrusted.pem").chmod(0o600)
    with front(tmp_path / "served", certificate=str(tmp_path / "untrusted.pem")) as served:
        anyone = ssl._create_unverified_context()
        asking = http.client.HTTPSConnection("127.0.0.1", served.port, context=anyone)
        asking.request("GET", "/v1/stats", headers={"Authorization": f"Bearer {served.token}"})
        assert asking.getresponse().status == 200
        asking.close()
        with pytest.raises((OSError, http.client.HTTPException)):
            served.ask("GET", "/health")


def test_a_damaged_store_is_not_healthy(tmp_path: Path) -> None:
    """R-20: once a broken page was met, health says 503 and nothing is written; before, 200."""
    with front(tmp_path / "served") as served:
        store = tmp_path / "served" / "saegim.db"
        served.save("kept while the store was whole")
        assert served.ask("GET", "/health").status == 200
        served.house.memory.mind.store.database.latch("page 7 is broken")
        health = served.ask("GET", "/health")
        assert (health.status, health.json["ready"], health.json["status"]) == (
            503,
            False,
            "damaged",
        )
        assert str(store) not in json.dumps(health.json)
        refused = served.ask("POST", "/v1/memories", {"text": "on broken ground"})
        assert refused.status == 503
        assert "page 7" in refused.json["detail"]


def test_a_store_whose_server_is_away_is_degraded_and_comes_back(tmp_path: Path) -> None:
    """Ready, degraded and ready again: questions are refused clearly meanwhile."""
    with servers.apart(15) as database:
        with front(tmp_path / "served", server_store=database.fresh()) as served:
            served.save("kept on the server")
            assert served.ask("GET", "/health").json["status"] == "ok"
            database.kill()
            health = served.ask("GET", "/health")
            assert (health.status, health.json["ready"], health.json["status"]) == (
                503,
                False,
                "degraded",
            )
            refused = served.ask("POST", "/v1/memories", {"text": "nobody can keep this"})
            assert refused.status == 503
            database.start()
            assert served.ask("GET", "/health").json["status"] == "ok"
            assert served.ask("POST", "/v1/search", {"query": "server"}).json["hits"]


def test_what_is_wrong_with_the_store_is_said_before_anyone_is_told(
    tmp_path: Path, say: Say
) -> None:
    """A store that does not open ends the command with 3, and leaves no server file behind."""
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "saegim.db").write_bytes(b"no database, but long enough to be read as one")
    assert say("serve", "--port", "0").code == 3
    assert read(tmp_path / "home") == {}


def test_the_plan_follows_the_settings_and_what_is_given(tmp_path: Path) -> None:
    """Settings say where to listen; the command line overrides them; names are added to ours."""
    held = Settings(serve_port=9000, serve_hosts="memory.example, memory.lan", serve_rate=7.0)
    plan = ServePlan.of(tmp_path / "saegim.db", held, port=0, host=None, hosts=())
    assert (plan.port, plan.host, plan.rate) == (0, "127.0.0.1", 7.0)
    assert {"memory.example", "memory.lan", "localhost"} <= plan.security().hosts
    with pytest.raises(SettingsError, match="serve_port"):
        Settings(serve_port=70_000)


def test_the_nights_happen_by_themselves(tmp_path: Path) -> None:
    """A served memory is watched over: what is due is slept without anyone asking."""
    house = LocalBackend(tmp_path / "saegim.db", watch=True, embedder="hashed")
    plan = ServePlan(user="me", home=tmp_path, store=tmp_path / "saegim.db", port=0)
    told: list[Served] = []
    thread = threading.Thread(target=run_server.serve, args=(house, plan, told.append), daemon=True)
    with _ending(monkey := []) as end:
        thread.start()
        wait_until(lambda: bool(told) and bool(monkey), PATIENCE)
        assert house._watch is not None
        end()
        thread.join(PATIENCE)
    assert not thread.is_alive()
    assert not house.is_open


@contextmanager
def _ending(made: list[Any]) -> Iterator[Callable[[], None]]:
    """Catch the server that `serve` makes, so that it can be ended from another thread."""
    real = run_server.listener

    def caught(*given: Any) -> Any:
        made.append(real(*given))
        return made[0]

    run_server.listener = caught
    try:
        yield lambda: setattr(made[0], "should_exit", True)
    finally:
        run_server.listener = real


# -- nobody waits for somebody else ---------------------------------------------------------------


@contextmanager
def hanging(home: Path) -> Iterator[tuple[Front, EmbeddingServer]]:
    """Serve a memory whose embedder answers at first and then falls silent."""
    with (
        EmbeddingServer() as embedder,
        front(
            home,
            embedder="ollama:bge-m3",
            embedder_url=embedder.url,
            semantic_patience=60.0,
        ) as served,
    ):
        served.save("The lighthouse is white.")
        wait_until(lambda: served.ask("GET", "/v1/stats").json["waiting"] == 0, PATIENCE)
        assert served.ask("POST", "/v1/search", {"query": "white lighthouse"}).json["hits"]
        embedder.fail("silence")
        yield served, embedder


def test_a_slow_request_holds_up_nobody(tmp_path: Path) -> None:
    """U10.4: while one question waits for its embedder, fifty lists are answered."""
    with hanging(tmp_path / "served") as (served, embedder), ThreadPoolExecutor(51) as threads:
        slow = threads.submit(served.ask, "POST", "/v1/search", {"query": "a tower by the sea"})
        wait_until(lambda: not embedder.faults, PATIENCE)
        others = [threads.submit(served.ask, "GET", "/v1/memories") for _ in range(50)]
        assert {each.result().status for each in others} == {200}
        assert not slow.done()
        embedder.released.set()
        assert slow.result().status == 200


def test_on_the_loop_a_slow_request_would_hold_up_everybody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Control: carried out where requests are received, one silence is everybody's."""

    async def in_line(self: Desk, work: Callable[[], Any]) -> Any:
        return work()

    with hanging(tmp_path / "served") as (served, embedder), ThreadPoolExecutor(2) as threads:
        monkeypatch.setattr(Desk, "in_thread", in_line)
        slow = threads.submit(served.ask, "POST", "/v1/search", {"query": "a tower by the sea"})
        wait_until(lambda: not embedder.faults, PATIENCE)
        other = threads.submit(served.ask, "GET", "/v1/memories")
        assert not wait([other], 0.5).done
        embedder.released.set()
        assert other.result().status == slow.result().status == 200


# -- the token ------------------------------------------------------------------------------------


def test_the_command_names_the_file_and_not_the_token(tmp_path: Path, say: Say) -> None:
    """U16.1: a token is read from its file; it is shown only to a person, and renewed on wish."""
    first = say("token")
    file = tmp_path / "home" / "token"
    held = file.read_text(encoding="ascii").strip()
    assert (first.code, first.out) == (0, f"{file}\n")
    shown = say("token", "--show")
    assert (shown.code, held in shown.out + shown.err) == (1, False)
    renewed = say("--json", "token", "--new").json
    assert renewed == {"token_file": str(file), "new": True}
    assert file.read_text(encoding="ascii").strip() != held
