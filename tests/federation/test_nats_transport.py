"""Envelopes by way of a real NATS server: sealed, signed, borne when the hub is away."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import secrets
import time
import warnings
from collections.abc import Iterator
from pathlib import Path

import nats
import pytest

from federation.hub import Hub, running_hub
from saegim.errors import BadInput, MissingExtra
from saegim.federation import swarm, transport
from saegim.federation.envelope import MOST_BYTES
from saegim.federation.keys import KeyPair, written
from saegim.federation.nats_transport import HUB_FILE, NatsTransport
from saegim.federation.swarm import checked_address
from saegim.federation.transport import BURST, RATE, opened
from stand_ins import PATIENCE, rounds, wait_until

SWARM, PSK = "ab" * 16, secrets.token_bytes(32)


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[Hub]:
    """A server of our own; sockets that the client forgets when it is refused are its own."""
    with running_hub(tmp_path) as made:
        yield made
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        gc.collect()


@contextlib.contextmanager
def open_transport(
    hub: Hub, key: KeyPair, *others: KeyPair, psk: bytes = PSK, token: str = ""
) -> Iterator[NatsTransport]:
    """Connect with the hub and hear these."""
    members = {each.public: "" for each in others}
    made = NatsTransport(key, psk, SWARM, hub.address, members, token=token)
    try:
        yield made
    finally:
        made.close()


def arrives(sender: NatsTransport, taker: NatsTransport, raw: bytes = b"a word") -> bool:
    """Say whether bytes arrive; until both have found the hub, they are sent again."""
    got: list[tuple[str, bytes]] = []

    def tried() -> bool:
        sender.publish(raw)
        while (came := taker.receive(0.1)) is not None:
            got.append(came)
        return any(each[1] == raw for each in got)

    wait_until(tried)
    return True


def spoken(hub: Hub, *frames: bytes, token: str = "") -> list[bytes]:
    """Speak to the subject as anybody who reaches the hub can; return what was heard there."""

    async def speak() -> list[bytes]:
        client = await nats.connect(hub.address, token=token or None)
        heard: list[bytes] = []

        async def took(message: object) -> None:
            heard.append(message.data)  # type: ignore[attr-defined]

        await client.subscribe(f"saegim.{SWARM}", cb=took)
        for each in frames:
            await client.publish(f"saegim.{SWARM}", each)
        await client.flush()
        await asyncio.sleep(0.3)
        await client.close()
        return heard

    return asyncio.run(speak())


def test_bytes_arrive_both_ways_name_their_sender_and_members_are_seen(hub: Hub) -> None:
    """Also the largest envelope; and who was heard of is there."""
    one, two = KeyPair.new(), KeyPair.new()
    with open_transport(hub, one, two) as first, open_transport(hub, two, one) as second:
        assert arrives(first, second)
        assert arrives(second, first)
        assert (first.peers(), second.peers()) == ([two.public], [one.public])
        largest = secrets.token_bytes(MOST_BYTES)
        first.publish(largest)
        came = None
        while came is None or came[1] != largest:
            came = second.receive(PATIENCE)
            assert came is not None
        assert came[0] == one.public


def test_the_hub_reads_nothing_and_nobody_speaks_for_a_member(hub: Hub) -> None:
    """Frames of another key, bent, cut, or of somebody who is no member are dropped and counted."""
    one, two, stranger = KeyPair.new(), KeyPair.new(), KeyPair.new()
    needle = b"a needle that must not be seen"
    with open_transport(hub, one, two) as first, open_transport(hub, two, one) as second:
        assert arrives(first, second)
        frames = [first._sealed(needle)]
        assert all(needle not in each for each in frames)
        before = second.refused["strangers"]
        with (
            open_transport(hub, stranger, two, psk=secrets.token_bytes(32)) as outside,
            open_transport(hub, stranger, two) as expelled,
        ):
            bad = [
                outside._sealed(b"x"),
                expelled._sealed(b"x"),
                bytes([frames[0][0] ^ 1]) + frames[0][1:],
                frames[0][:-1],
                b"",
                secrets.token_bytes(200_000),
                *(secrets.token_bytes(each % 400) for each in range(rounds(1000, 100))),
            ]
            heard = spoken(hub, *bad)
        assert len(heard) >= len(bad)
        wait_until(lambda: second.refused["strangers"] >= before + len(bad))
        assert second.receive(0.1) is None
        # Control: the same way, what a member sealed is taken.
        spoken(hub, frames[0])
        assert second.receive(PATIENCE) == (one.public, needle)


def test_a_hub_that_is_away_is_called_again(hub: Hub) -> None:
    """The server ends and comes back, or comes late: nobody has to do anything."""
    one, two = KeyPair.new(), KeyPair.new()
    with open_transport(hub, one, two) as first:
        hub.stop()
        first.publish(b"while it is away")
        with open_transport(hub, two, one) as second:
            assert second.receive(0.3) is None
            hub.start()
            assert arrives(first, second, b"back again")
            assert arrives(second, first, b"and back")


@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_a_hub_that_lets_nobody_in_for_a_while_is_found_again(hub: Hub) -> None:
    """The client gives up for good where it is refused twice; the house does not."""
    one, two = KeyPair.new(), KeyPair.new()
    with open_transport(hub, one, two) as first, open_transport(hub, two, one) as second:
        assert arrives(first, second)
        hub.stop()
        hub.token = "nobody knows"
        hub.start()
        before = sum(first.refused.values())
        wait_until(lambda: sum(first.refused.values()) > before + 3)
        hub.stop()
        hub.token = ""
        hub.start()
        assert arrives(first, second, b"let in again")


def test_a_flood_is_dropped_and_others_are_heard(hub: Hub) -> None:
    """F-13: of one member so many are taken; the words of another arrive."""
    one, two, three = KeyPair.new(), KeyPair.new(), KeyPair.new()
    with (
        open_transport(hub, one, two, three) as taker,
        open_transport(hub, two, one) as loud,
        open_transport(hub, three, one) as quiet,
    ):
        assert arrives(loud, taker)
        flood = [loud._sealed(b"again and again") for _ in range(rounds(5000, 500))]
        begun = time.monotonic()
        spoken(hub, *flood)
        assert arrives(quiet, taker)
        wait_until(lambda: taker.refused["too_many"] > 0)
        # While they are looked at, some more are let through every second.
        taken = 2 * BURST + RATE * (time.monotonic() - begun)
        assert taker.refused["too_many"] >= len(flood) - taken


def test_who_leaves_the_roster_is_not_heard_any_more(hub: Hub) -> None:
    """F-11: from then on its frames are those of a stranger."""
    one, two = KeyPair.new(), KeyPair.new()
    with open_transport(hub, one, two) as first, open_transport(hub, two, one) as second:
        assert arrives(second, first)
        first.allow({})
        assert first.peers() == []
        while first.receive(0.1) is not None:
            continue
        before = first.refused["strangers"]
        wait_until(lambda: (second.publish(b"still me"), first.refused["strangers"] > before)[1])
        assert first.receive(0.1) is None
        first.allow({two.public: ""})
        assert arrives(second, first)


@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_a_hub_that_asks_for_a_word_gets_it_from_a_file(tmp_path: Path) -> None:
    """The word lies beside the key, for its owner alone; without it nobody is let in."""
    with running_hub(tmp_path, "a word for the hub") as hub:
        about = {"schema": "turn-10/1", "shape": (12,), "start": "0" * 64}
        owner = swarm.init(tmp_path / "0", hub.address, transport="nats", **about)
        other = swarm.join(tmp_path / "1", owner.invitation(), "")
        # A hub is the same for all: who is invited is told where it is.
        assert other.address == hub.address
        owner = owner.admit(other.introduction())
        other = other.with_roster(owner.roster)
        with contextlib.closing(opened(owner)) as locked_out:
            assert isinstance(locked_out, NatsTransport)
            wait_until(lambda: sum(locked_out.refused.values()) > 0)
        for each in (owner, other):
            written(each.folder / HUB_FILE, "a word for the hub\n")
        with contextlib.closing(opened(owner)) as one, contextlib.closing(opened(other)) as two:
            assert isinstance(one, NatsTransport)
            assert isinstance(two, NatsTransport)
            assert arrives(one, two)


@pytest.mark.parametrize(
    "address",
    ["", "127.0.0.1:4222", "nats://me:secret@hub:4222", "http://hub:4222", "nats://hub/x:4222",
     "nats://hub", "nats://:4222", "nats://hub:0"],
)  # fmt: skip
def test_an_address_that_is_no_hub_is_refused(address: str) -> None:
    """Neither another scheme nor a password in it: an address is told to every member."""
    with pytest.raises(BadInput):
        checked_address(address, "nats")
    assert checked_address("tls://hub.example.org:4222", "nats")
    with pytest.raises(BadInput):
        checked_address("nats://127.0.0.1:4222")


def test_a_way_that_is_not_installed_is_said_before_anything_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The error names the extra, and no swarm lies half made."""
    monkeypatch.setattr(transport, "find_spec", lambda _: None)
    with pytest.raises(MissingExtra, match="nats"):
        swarm.init(
            tmp_path / "s", "nats://h:1", transport="nats", schema="s", shape=(1,), start="0" * 64
        )
    assert not (tmp_path / "s").exists()
