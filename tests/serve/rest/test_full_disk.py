"""The disk of a running server is full: it says 507, and with room it goes on by itself."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from doorbell import Front, front

from faults.disks import FailingDisk, everything_on


@pytest.fixture
def disk() -> FailingDisk:
    """A disk that is full when it is told so."""
    return FailingDisk("served")


@pytest.fixture
def served(tmp_path: Path, disk: FailingDisk) -> Iterator[Front]:
    """A server whose store lies on that disk."""
    with everything_on(disk), front(tmp_path / "served") as made:
        yield made
        disk.full_from = None


def test_a_server_on_a_full_disk_says_so_and_goes_on_when_there_is_room(
    served: Front, disk: FailingDisk
) -> None:
    """R-07: 507 with what helps; reading goes on, and after it no restart is needed."""
    first = served.save("the letter of the harbour")
    disk.full_from = 0
    refused = served.ask("POST", "/v1/memories", {"text": "words without room", "source": "user"})
    assert (refused.status, refused.headers["content-type"]) == (507, "application/problem+json")
    assert "No room left" in refused.json["detail"]
    assert served.ask("GET", f"/v1/memories/{first}").status == 200
    disk.full_from = None
    assert served.save("words without room") != first
    listed = served.ask("GET", "/v1/memories").json
    assert {each["text"] for each in listed["memories"]} == {
        "the letter of the harbour",
        "words without room",
    }


def test_a_server_on_a_disk_with_room_refuses_nobody(served: Front) -> None:
    """R-07 control: the same words on the same disk, not full, are taken."""
    assert served.save("words without room")
