"""The same key and the same request: carried out once, answered the same every time."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import anyio
import pytest
from doorbell import Front, Heard, front
from starlette.responses import Response

from saegim import FixedClock, Saegim
from saegim.errors import BadInput
from saegim.serve.rest.idempotency import DurableReplays, Replays, checked_key, print_of
from saegim.store.tables.replay_table import KeptAnswer

SAVE = {"text": "The parcel arrived.", "source": "user"}


def test_a_repeated_request_is_carried_out_once(door: Front) -> None:
    """The same key and request get the same answer; without a key it is asked anew."""
    first = door.ask("POST", "/v1/memories", SAVE, Idempotency_Key="wish-1")
    again = door.ask("POST", "/v1/memories", SAVE, Idempotency_Key="wish-1")
    assert first.json == again.json
    assert first.json["status"] == "stored"
    assert again.headers["idempotent-replayed"] == "true"
    assert "idempotent-replayed" not in first.headers
    assert door.house.tally.calls["memory_save"] == 1
    plain = door.ask("POST", "/v1/memories", SAVE)
    assert plain.json["status"] == "duplicate"


@pytest.mark.parametrize(
    ("method", "path", "body", "headers"),
    [
        ("POST", "/v1/memories", {**SAVE, "text": "Another parcel."}, {}),
        ("POST", "/v1/memories", SAVE, {"Saegim_Project": "attic"}),
        ("POST", "/v1/memories", SAVE, {"Saegim_Door": "mcp"}),
        ("POST", "/v1/search", {"query": "parcel"}, {}),
    ],
)
def test_a_key_that_named_another_request_is_refused(
    method: str, path: str, body: Any, headers: dict[str, str], door: Front
) -> None:
    """A key is not a way to hear someone else's answer."""
    assert door.ask("POST", "/v1/memories", SAVE, Idempotency_Key="wish-1").status == 200
    before = door.asked()
    heard = door.ask(method, path, body, Idempotency_Key="wish-1", **headers)
    assert (heard.status, heard.json["kind"]) == (422, "BadInput")
    assert door.asked() == before


def test_requests_at_once_under_one_key_are_one(
    door: Front, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Twenty at the same moment: one is carried out, all hear how it went."""
    house, went = type(door.house), threading.Event()
    real = house.call

    def held(self: Any, wish: Any) -> Any:
        went.wait(30)
        return real(self, wish)

    monkeypatch.setattr(house, "call", held)
    with ThreadPoolExecutor(20) as threads:
        asked = [
            threads.submit(door.ask, "POST", "/v1/turns", {"text": "I like rain."},
                           Idempotency_Key="at once")
            for _ in range(20)
        ]  # fmt: skip
        went.set()
        heard = [each.result() for each in asked]
    assert {each.status for each in heard} == {200}
    assert len({each.body for each in heard}) == 1
    assert door.house.tally.calls["memory_observe"] == 1


def test_failures_of_the_caller_are_replayed_and_ours_are_not(
    door: Front, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A refusal stays one; after a fault of the server the same key tries again."""
    gone = "/v1/memories/mem_none"
    assert door.ask("DELETE", gone, Idempotency_Key="k1").status == 404
    assert door.ask("DELETE", gone, Idempotency_Key="k1").status == 404
    assert door.house.tally.calls["memory_delete"] == 1
    real = type(door.house).call

    def broken(*_: Any) -> Any:
        raise RuntimeError("once")

    monkeypatch.setattr(type(door.house), "call", broken)
    assert door.ask("POST", "/v1/memories", SAVE, Idempotency_Key="k2").status == 500
    monkeypatch.setattr(type(door.house), "call", real)
    heard = door.ask("POST", "/v1/memories", SAVE, Idempotency_Key="k2")
    assert (heard.status, heard.json["status"]) == (200, "stored")


def test_a_key_outlives_the_server(tmp_path: Path) -> None:
    """What was saved under a key is saved once, and answered the same after a restart."""
    with front(tmp_path / "served") as served:
        first = served.ask("POST", "/v1/memories", SAVE, Idempotency_Key="lasting")
    with front(tmp_path / "served") as served:
        again = served.ask("POST", "/v1/memories", SAVE, Idempotency_Key="lasting")
        assert (again.status, again.json) == (200, first.json)
        assert again.headers["idempotent-replayed"] == "true"
        other = {**SAVE, "happened_at": "2024-05-01T00:00:00Z"}
        refused = served.ask("POST", "/v1/memories", other, Idempotency_Key="lasting")
        assert (refused.status, refused.json["kind"]) == (422, "BadInput")
        assert served.asked() == 0
        assert served.ask("POST", "/v1/memories", other).json["status"] == "stored"


def worth(served: Front, id: str) -> float:
    """Return how a memory was taken so far."""
    memory = served.house.memory
    return memory.get(id, counts=False).worth.feedback


def judged(served: Front, id: str, key: str = "praise") -> Heard:
    """Praise a memory under a key."""
    return served.ask("POST", f"/v1/memories/{id}/feedback", {"label": "up"}, Idempotency_Key=key)


@pytest.mark.parametrize("durable", [True, False])
def test_every_writing_call_is_carried_out_once_across_a_restart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, durable: bool
) -> None:
    """A judgement, a correction and a letting go count once; without the store they count twice."""
    if not durable:
        monkeypatch.setattr(DurableReplays, "begin", lambda *_: None)
        monkeypatch.setattr(DurableReplays, "end", lambda *_: None)
    with front(tmp_path / "served") as served:
        id = served.save("The parcel arrived.")
        first = judged(served, id)
        gone = served.save("A slip of paper.")
        left = served.ask("DELETE", f"/v1/memories/{gone}", Idempotency_Key="go")
        assert (first.status, left.status) == (200, 200)
    with front(tmp_path / "served") as served:
        served.house.memory.restore(gone)
        again = judged(served, id)
        away = served.ask("DELETE", f"/v1/memories/{gone}", Idempotency_Key="go")
        assert worth(served, id) == (1.0 if durable else 2.0)
        assert (served.house.memory.forgetting.queue() == []) is durable
        if durable:
            assert (again.json, away.json) == (first.json, left.json)
            assert judged(served, id, "another").status == 200
            assert worth(served, id) == 2.0


def test_what_was_begun_and_cut_off_is_not_done_a_second_time_unseen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server that dies over a judgement leaves its key behind: the caller is told to look."""
    with front(tmp_path / "served") as served, monkeypatch.context() as patch:
        id = served.save("The parcel arrived.")
        patch.setattr(DurableReplays, "end", lambda *_: None)
        assert judged(served, id).status == 200
        served.ask("POST", "/v1/memories", SAVE | {"text": "Rain."}, Idempotency_Key="rain")
    with front(tmp_path / "served") as served:
        heard = judged(served, id)
        assert (heard.status, heard.json["kind"]) == (409, "Refused")
        assert "new key" in heard.json["next_step"]
        assert worth(served, id) == 1.0
        # What is saved under a key is saved once by the store itself.
        again = served.ask("POST", "/v1/memories", SAVE | {"text": "Rain."}, Idempotency_Key="rain")
        assert again.json["status"] == "repeated"


def test_a_kept_answer_says_nothing_that_was_erased(tmp_path: Path) -> None:
    """U26.3: neither the key nor an answer is a place where words stay."""
    with front(tmp_path / "served") as served:
        id = served.save("The lanternmoth sleeps.")
        path = f"/v1/memories/{id}"
        new = {"text": "The lanternmoth sleeps under the oak."}
        told = served.ask("PATCH", path, new, Idempotency_Key="quillfeather")
        assert told.status == 200
        judged(served, id, "quillfeather-2")
        served.house.memory.forgetting.erase(id, confirm=True)
        store = served.house.memory.mind.store
        held = store.database.rows("SELECT key || outcome FROM receipt WHERE key LIKE 'replay:%'")
        assert len(held) == 2
        assert not any("lanternmoth" in each or "quillfeather" in each for (each,) in held)
    with front(tmp_path / "served") as served:
        again = judged(served, id, "quillfeather-2")
        assert (again.status, again.json) == (200, {"repeated": True})
    raw = b"".join(each.read_bytes() for each in (tmp_path / "served").glob("*.db*"))
    assert b"lanternmoth" not in raw


def test_kept_answers_leave_after_a_day(tmp_path: Path) -> None:
    """A key is free again after a day; a thousand of them are the most that are kept."""
    with Saegim.open(tmp_path / "memory.db", clock=(clock := FixedClock())) as memory:
        replays, owner = memory.mind.store.replays, memory.scope.user
        for number in range(1005):
            assert replays.begin(owner, f"k{number:04d}", "print", clock.now()) is None
            clock.forward(seconds=1)
        assert replays.begin(owner, "k1004", "print", clock.now()) == KeptAnswer("print")
        replays.end(owner, "k1004", KeptAnswer("print", 200, {}, "x" * 100_000), clock.now())
        assert replays.begin(owner, "k1004", "print", clock.now()) == KeptAnswer("print", 200)
        count = "SELECT count(*) FROM receipt"
        assert memory.mind.store.database.rows(count)[0][0] <= 1001
        clock.forward(days=1.1)
        assert replays.begin(owner, "k1004", "print", clock.now()) is None
        assert memory.mind.store.database.rows(count)[0][0] == 1


@pytest.mark.parametrize("key", ["", " ", "x" * 201, "two\tparts"])
def test_a_key_must_be_a_name(key: str) -> None:
    """An empty or endless key would name nothing."""
    with pytest.raises(BadInput):
        checked_key(key)


def test_replays_are_bounded() -> None:
    """A thousand keys do not become a leak: the oldest go first, by number and by size."""

    async def asked(replays: Replays, keys: list[str], size: int) -> list[bool]:
        async def carry() -> Response:
            return Response(b"x" * size)

        found = [await replays.once(key, print_of(key, key), carry) for key in keys]
        return ["idempotent-replayed" in each.headers for each in found]

    few = Replays(most=3)
    assert anyio.run(asked, few, ["a", "b", "c", "c", "d", "e", "a", "e"], 1) == [
        False, False, False, True, False, False, False, True,
    ]  # fmt: skip
    small = Replays(most_bytes=100)
    assert anyio.run(asked, small, ["a", "b", "c", "a"], 60) == [False, False, False, False]
    roomy = Replays()
    assert anyio.run(asked, roomy, ["a", "b", "a", "b"], 60) == [False, False, True, True]
