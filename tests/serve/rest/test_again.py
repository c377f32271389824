"""The same key and the same request: carried out once, answered the same every time."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import anyio
import pytest
from doorbell import Front, front
from starlette.responses import Response

from saegim.errors import BadInput
from saegim.serve.rest.idempotency import Replays, checked_key, print_of

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
    """What was saved under a key is saved once, also when the answer was lost in a restart."""
    with front(tmp_path / "served") as served:
        first = served.ask("POST", "/v1/memories", SAVE, Idempotency_Key="lasting").json
    with front(tmp_path / "served") as served:
        other = {**SAVE, "happened_at": "2024-05-01T00:00:00Z"}
        again = served.ask("POST", "/v1/memories", other, Idempotency_Key="lasting").json
        assert (again["status"], again["id"]) == ("repeated", first["id"])
        assert served.ask("POST", "/v1/memories", other).json["status"] == "stored"


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

        found = [await replays.once(key, print_of(key), carry) for key in keys]
        return ["idempotent-replayed" in each.headers for each in found]

    few = Replays(most=3)
    assert anyio.run(asked, few, ["a", "b", "c", "c", "d", "e", "a", "e"], 1) == [
        False, False, False, True, False, False, False, True,
    ]  # fmt: skip
    small = Replays(most_bytes=100)
    assert anyio.run(asked, small, ["a", "b", "c", "a"], 60) == [False, False, False, False]
    roomy = Replays()
    assert anyio.run(asked, roomy, ["a", "b", "a", "b"], 60) == [False, False, True, True]
