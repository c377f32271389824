"""The wire between houses: who is not on the roster, or lacks the swarm's key, gets nothing."""

from __future__ import annotations

import contextlib
import secrets
import socket
import threading
from collections.abc import Iterator

import pytest

from saegim.federation.envelope import MOST_BYTES
from saegim.federation.keys import KeyPair
from saegim.federation.tcp_transport import (
    HandshakeFailed,
    SecureLink,
    TcpTransport,
    handshake,
)
from saegim.federation.transport import RateLimit
from stand_ins import PATIENCE, rounds, wait_until

SWARM, PSK = "ab" * 16, secrets.token_bytes(32)
HERE = "127.0.0.1:0"


@contextlib.contextmanager
def open_transport(
    key: KeyPair, members: dict[str, str], **other: object
) -> Iterator[TcpTransport]:
    """Listen at any free port, for these members."""
    given = {"psk": PSK, "swarm": SWARM, "listen": HERE, **other}
    made = TcpTransport(key, members=members, **given)  # type: ignore[arg-type]
    try:
        yield made
    finally:
        made.close()


@contextlib.contextmanager
def pair(**other: object) -> Iterator[tuple[TcpTransport, TcpTransport, KeyPair, KeyPair]]:
    """Two houses; the first calls the second."""
    one, two = KeyPair.new(), KeyPair.new()
    with open_transport(two, {one.public: ""}) as answers:
        at = {two.public: f"127.0.0.1:{answers.port}"}
        with open_transport(one, at, **{"listen": "", **other}) as calls:
            yield calls, answers, one, two


def test_bytes_arrive_both_ways_and_name_their_sender() -> None:
    """One calls, and the other, which knows no address, answers over the same connection."""
    with pair() as (calls, answers, one, two):
        calls.publish(b"from one")
        assert answers.receive(PATIENCE) == (one.public, b"from one")
        answers.publish(b"from two")
        assert calls.receive(PATIENCE) == (two.public, b"from two")
        assert (calls.peers(), answers.peers()) == ([two.public], [one.public])


def test_the_largest_envelope_arrives_whole() -> None:
    """And in order, many of them."""
    with pair() as (calls, answers, one, _):
        sent = [secrets.token_bytes(MOST_BYTES) for _ in range(5)]
        for each in sent:
            calls.publish(each)
        assert [answers.receive(PATIENCE) for _ in sent] == [(one.public, each) for each in sent]


@pytest.mark.parametrize("wrong", ["psk", "swarm"])
def test_another_swarm_s_key_opens_nothing(wrong: str) -> None:
    """Who has the address and a key of their own, but not the swarm's, is a stranger."""
    other = {"psk": secrets.token_bytes(32)} if wrong == "psk" else {"swarm": "cd" * 16}
    with pair(**other) as (calls, answers, _, __):
        calls.publish(b"let me in")
        wait_until(lambda: answers.refused["strangers"] > 0)
        assert answers.receive(0.05) is None
        assert answers.peers() == []


def test_the_swarm_s_key_without_a_place_on_the_roster_opens_nothing() -> None:
    """F-16: fifty made-up identities that hold the shared key are turned away, each of them."""
    owner = KeyPair.new()
    with open_transport(owner, {KeyPair.new().public: ""}) as answers:
        for _ in range(rounds(50, 10)):
            with socket.create_connection(("127.0.0.1", answers.port)) as wire:
                with pytest.raises((HandshakeFailed, OSError)):
                    handshake(wire, KeyPair.new(), PSK, SWARM, {owner.public: ""}, calls=True)
        assert answers.peers() == []


def test_whoever_answers_must_be_who_was_called() -> None:
    """A member cannot stand in for another: the caller names whom it wants."""
    one, two, third = (KeyPair.new() for _ in range(3))
    everybody = {each.public: "" for each in (one, two, third)}
    with open_transport(third, everybody) as wrong:
        at = {two.public: f"127.0.0.1:{wrong.port}"}
        with open_transport(one, at, listen="") as calls:
            calls.publish(b"for two alone")
            wait_until(lambda: calls.refused["strangers"] > 0)
            assert wrong.receive(0.05) is None


def links() -> tuple[SecureLink, SecureLink]:
    """Return both ends of a connection after its handshake."""
    one, two = KeyPair.new(), KeyPair.new()
    here, there = socket.socketpair()
    found: list[SecureLink] = []
    members = {one.public: "", two.public: ""}
    caller = threading.Thread(
        target=lambda: found.append(handshake(here, one, PSK, SWARM, members, calls=True))
    )
    caller.start()
    answered = handshake(there, two, PSK, SWARM, members, calls=False)
    caller.join()
    return found[0], answered


def test_nothing_readable_is_on_the_wire_and_nothing_can_be_bent_or_sent_again() -> None:
    """The words are not in the bytes; a changed, doubled or swapped frame ends the connection."""
    for bend in ("bit", "twice", "swap", "none"):
        one, two = links()
        tap, far = socket.socketpair()
        real, one.wire = one.wire, tap
        one.send(b"secret weights")
        one.send(b"more of them")
        raw = far.recv(10_000)
        assert b"secret" not in raw
        first, second = raw[: 4 + 14 + 16], raw[4 + 14 + 16 :]
        sent = {
            "bit": first[:10] + bytes([first[10] ^ 1]) + first[11:],
            "twice": first + first,
            "swap": second + first,
            "none": first + second,
        }[bend]
        real.sendall(sent)
        if bend == "none":
            assert (two.read(), two.read()) == (b"secret weights", b"more of them")
        else:
            with pytest.raises(HandshakeFailed):
                assert two.read() + two.read() == b""
        for each in (tap, far, real):
            each.close()
        two.close()


def test_a_low_order_key_and_a_length_without_end_are_refused() -> None:
    """A key that would make the secret nought; a frame of four gigabytes is not waited for."""
    here, there = socket.socketpair()
    here.sendall(b"SGFTCP1\x00" + bytes(32))
    with pytest.raises(HandshakeFailed):
        handshake(there, KeyPair.new(), PSK, SWARM, {}, calls=False)
    one, two = links()
    one.wire.sendall(b"\xff\xff\xff\xff" + b"x" * 100)
    with pytest.raises(HandshakeFailed):
        two.read()
    for each in (here, there, one.wire, two.wire):
        each.close()


def test_hostile_bytes_end_no_listener() -> None:
    """F-12, FAULTS 86: hundreds of malformed beginnings, and a member is still heard."""
    with pair() as (calls, answers, one, _):
        for at in range(rounds(1000, 60)):
            with socket.create_connection(("127.0.0.1", answers.port)) as wire:
                with contextlib.suppress(OSError):
                    wire.sendall((b"SGFTCP1\x00" if at % 2 else b"") + secrets.token_bytes(at % 97))
        calls.publish(b"still there")
        assert answers.receive(PATIENCE) == (one.public, b"still there")


def test_a_flood_is_dropped_and_others_are_heard() -> None:
    """F-13: of one who sends without end a burst is taken; another's words arrive all the same."""
    one, two, three = (KeyPair.new() for _ in range(3))
    with open_transport(three, {one.public: "", two.public: ""}) as answers:
        at = {three.public: f"127.0.0.1:{answers.port}"}
        with (
            open_transport(one, at, listen="") as loud,
            open_transport(two, at, listen="") as quiet,
        ):
            for number in range(rounds(10_000, 2000)):
                loud.publish(b"%d" % number)
                if number % 50 == 0:
                    wait_until(lambda: all(each.empty() for each in loud._queues.values()))
            quiet.publish(b"a word")
            heard: list[bytes] = []
            while (came := answers.receive(PATIENCE)) is not None:
                heard.append(came[1])
                if came[0] == two.public:
                    break
            assert heard[-1] == b"a word"
            assert answers.refused["too_many"] > 0
            assert len(heard) < rounds(10_000, 2000)
    # Control: without the limit all of it would have been taken.
    free = RateLimit(1e9, 1e9)
    assert all(free.allows(0.0) for _ in range(10_000))


def test_who_leaves_the_roster_is_cut_off() -> None:
    """F-11: the connection of an expelled member ends, and a new one is refused."""
    with pair() as (calls, answers, one, _):
        calls.publish(b"hello")
        assert answers.receive(PATIENCE) is not None
        answers.allow({})
        wait_until(lambda: not calls.peers())
        calls.publish(b"still me")
        wait_until(lambda: answers.refused["strangers"] > 0)
        assert answers.receive(0.05) is None
        answers.allow({one.public: ""})
        wait_until(lambda: (calls.publish(b"back"), answers.receive(0.2) is not None)[1])
