"""Envelopes: whatever is not exactly what a member signed for this round is refused and counted."""

from __future__ import annotations

import hashlib
import json
import struct
from pathlib import Path

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from federation.network import SIZE, START, letter, swarm_of
from saegim.federation.envelope import (
    MOST_BYTES,
    EnvelopeRefused,
    Expected,
    Refusal,
    canonical,
    opened,
    rule_hash,
)
from saegim.federation.keys import SIGNATURE, KeyPair
from saegim.federation.rounds import Rounds
from saegim.federation.swarm import Membership, Rules
from stand_ins import rounds

NOW = 100.0
VECTOR = np.arange(SIZE, dtype=np.float32)


@pytest.fixture(scope="module")
def members(tmp_path_factory: pytest.TempPathFactory) -> list[Membership]:
    """Three houses of one swarm."""
    return swarm_of(tmp_path_factory.mktemp("swarm"), 3)


def reason(raw: bytes, member: Membership, now: float = NOW) -> Refusal | None:
    """Return why bytes are refused, or nothing."""
    try:
        opened(raw, member.rules.expected, member.roster.addresses, now)
    except EnvelopeRefused as refused:
        return refused.reason
    return None


def test_what_a_member_signed_is_opened(members: list[Membership]) -> None:
    """The way there and back keeps every number."""
    one, other, _ = members
    held = opened(letter(one, VECTOR), other.rules.expected, other.roster.addresses, NOW)
    assert np.array_equal(held.weights, VECTOR)
    assert held.header.peer == one.key.public


def test_each_field_that_is_not_ours_is_refused_by_its_reason(members: list[Membership]) -> None:
    """FAULTS 85, F-09, F-10, F-11: signed correctly, and still not taken."""
    one, other, _ = members
    wrong = {
        Refusal.SWARM: letter(one, VECTOR, swarm="0" * 32),
        Refusal.RULES: letter(one, VECTOR, rules="0" * 64),
        Refusal.SHAPE: letter(one, VECTOR[:-1]),
        Refusal.EXPIRED: letter(one, VECTOR, expires=50),
        Refusal.STRANGER: letter(one, VECTOR, key=KeyPair.new()),
        Refusal.NUMBERS: letter(one, np.full(SIZE, np.nan, dtype=np.float32)),
        Refusal.OVERSIZED: b"x" * (MOST_BYTES + 1),
        Refusal.MALFORMED: b"not an envelope at all" * 10,
        Refusal.SIGNATURE: letter(one, VECTOR)[:-SIGNATURE] + bytes(SIGNATURE),
    }
    assert {each: reason(raw, other) for each, raw in wrong.items()} == {
        each: each for each in wrong
    }
    assert reason(letter(one, VECTOR, schema="turn-11/1"), other) is Refusal.SHAPE
    assert reason(letter(one, np.full(SIZE, np.inf, dtype=np.float32)), other) is Refusal.NUMBERS


def test_no_bit_can_be_changed(members: list[Membership]) -> None:
    """F-11: every byte of the envelope, one bit at a time, is under the signature."""
    one, other, _ = members
    raw = letter(one, VECTOR)
    assert reason(raw, other) is None
    for at in range(len(raw)):
        bent = bytearray(raw)
        bent[at] ^= 1 << (at % 8)
        assert reason(bytes(bent), other) is not None, at


def test_a_signature_has_one_spelling(members: list[Membership]) -> None:
    """F-11: adding the group's order to a signature makes another one that is not taken."""
    one, other, _ = members
    raw = letter(one, VECTOR)
    order = 2**252 + 27742317777372353535851937790883648493
    number = int.from_bytes(raw[-32:], "little") + order
    bent = raw[:-32] + number.to_bytes(32, "little")
    assert reason(bent, other) is Refusal.SIGNATURE
    assert reason(raw[:-SIGNATURE], other) is not None


def test_a_header_has_one_spelling(members: list[Membership]) -> None:
    """Blanks, another order and another field are refused, even under a good signature."""
    one, other, _ = members
    raw = letter(one, VECTOR)
    length = struct.unpack_from(">4sI", raw)[1]
    header = json.loads(raw[8 : 8 + length])
    for text in (
        json.dumps(header),
        json.dumps(dict(reversed(header.items())), separators=(",", ":")),
        json.dumps({**header, "more": 1}, separators=(",", ":"), sort_keys=True),
        json.dumps({**header, "round": -1}, separators=(",", ":"), sort_keys=True),
        json.dumps({**header, "round": "0"}, separators=(",", ":"), sort_keys=True),
    ):
        signed = struct.pack(">4sI", b"SGF1", len(text)) + text.encode() + VECTOR.tobytes()
        full = signed + one.key.sign(b"saegim federation envelope\x00" + signed)
        assert reason(full, other) is Refusal.MALFORMED
    # Control: the same way of signing, with the one spelling, is taken.
    text = json.dumps(header, separators=(",", ":"), sort_keys=True)
    signed = struct.pack(">4sI", b"SGF1", len(text)) + text.encode() + VECTOR.tobytes()
    full = signed + one.key.sign(b"saegim federation envelope\x00" + signed)
    assert reason(full, other) is None


@given(st.binary(max_size=400))
def test_any_bytes_are_refused_and_nothing_else_happens(raw: bytes) -> None:
    """F-12: no bytes make anything but a refusal with a reason."""
    expected = Expected("s", "r", "t", (SIZE,))
    for prefix in (b"", b"SGF1", b"SGF1\x00\x00\x00\x10"):
        with pytest.raises(EnvelopeRefused):
            opened(prefix + raw, expected, {}, NOW)


def test_malformed_frames_by_the_thousand_leave_no_trace(members: list[Membership]) -> None:
    """F-12: they are counted, and nothing of them is kept."""
    one, other, _ = members
    node = Rounds(other.rules, other.key.public, START)
    drawn = np.random.default_rng(12)
    raw = letter(one, VECTOR)
    for _ in range(rounds(10_000, 1000)):
        bent = bytearray(raw[: int(drawn.integers(0, len(raw)))])
        bent += drawn.bytes(int(drawn.integers(0, 64)))
        with pytest.raises(EnvelopeRefused):
            node.take(bytes(bent), other.roster.addresses, NOW)
    assert (node.tally.taken, node.came, node.round) == (0, [], 0)
    assert sum(node.tally.refused.values()) == rounds(10_000, 1000)


def test_the_rules_hash_pins_every_field(members: list[Membership]) -> None:
    """F-09: each field of the rules, changed by the least, is another hash, and is refused."""
    rules = members[0].rules
    held = msgspec.to_builtins(rules)
    for name, value in held.items():
        if isinstance(value, str):
            other: object = value[:-1] + ("x" if value[-1] != "x" else "y")
        else:
            other = (value[0] + 1,) if isinstance(value, tuple | list) else value + 1
        changed = msgspec.convert({**held, name: other}, Rules)
        assert changed.hash != rules.hash, name
        bent = letter(members[0], VECTOR, rules=changed.hash)
        assert reason(bent, members[1]) is Refusal.RULES
    assert rules.hash == hashlib.sha256(canonical(held)).hexdigest() == rule_hash(held)


def node_of(member: Membership) -> Rounds:
    """Return the rounds of a member."""
    return Rounds(member.rules, member.key.public, START)


def test_replays_old_rounds_and_wrong_orders_never_count(members: list[Membership]) -> None:
    """F-10: a thousand of them, from here and elsewhere, and none is applied twice."""
    one, other, third = members
    node, roster = node_of(other), other.roster.addresses
    for at, each in enumerate(members):
        if each is other:
            node.note_sent(0, hashlib.sha256(VECTOR.tobytes()).hexdigest())
        node.take(letter(each, VECTOR if each is other else VECTOR + at), roster, NOW)
    for _ in range(rounds(1000, 100)):
        with pytest.raises(EnvelopeRefused, match="replayed"):
            node.take(letter(one, VECTOR), roster, NOW)
    model = node.close().copy()
    for _ in range(rounds(1000, 100)):
        with pytest.raises(EnvelopeRefused, match="stale_round"):
            node.take(letter(one, VECTOR), roster, NOW)
    # The number of an earlier share under a later round, and a later one under an earlier round.
    with pytest.raises(EnvelopeRefused, match="replayed"):
        node.take(letter(one, VECTOR, round=1, sequence=1), roster, NOW)
    node.take(letter(third, VECTOR, round=3, sequence=4), roster, NOW)
    with pytest.raises(EnvelopeRefused, match="reordered"):
        node.take(letter(third, VECTOR, round=1, sequence=9), roster, NOW)
    with pytest.raises(EnvelopeRefused, match="round_too_far"):
        node.take(letter(one, VECTOR, round=10**6, sequence=10**6), roster, NOW)
    assert np.array_equal(node.model, model)
    # Control: the next share of the same peer does count.
    node.take(letter(one, VECTOR, round=1, sequence=2), roster, NOW)
    assert node.came == [one.key.public]


def test_a_replay_is_known_after_a_restart(members: list[Membership]) -> None:
    """F-10: what counted is written down with the round."""
    one, other, third = members
    node, roster = node_of(other), other.roster.addresses
    for each in (one, third):
        node.take(letter(each, VECTOR, sequence=7), roster, NOW)
    third_voice = swarm_key(other)
    node.note_sent(0, third_voice)
    node.take(letter(other, VECTOR, sequence=7), roster, NOW)
    node.close()
    again = node_of(other)
    again.resume(node.packed())
    assert again.round == 1
    assert np.array_equal(again.model, node.model)
    with pytest.raises(EnvelopeRefused, match="replayed"):
        again.take(letter(one, VECTOR, round=1, sequence=7), roster, NOW)
    torn = node_of(other)
    torn.resume(node.packed()[:-9])
    assert torn.round == 0


def swarm_key(member: Membership) -> str:
    """Return the digest of the vector that all send here."""
    return hashlib.sha256(VECTOR.tobytes()).hexdigest()


def test_one_key_on_two_machines_is_seen_by_others_and_by_itself(
    members: list[Membership],
) -> None:
    """F-15: two different envelopes of one key in one round count for nothing, and both stop."""
    one, other, third = members
    node, roster = node_of(other), other.roster.addresses
    node.take(letter(one, VECTOR), roster, NOW)
    with pytest.raises(EnvelopeRefused, match="two_of_one_key"):
        node.take(letter(one, VECTOR + 1), roster, NOW)
    assert node.came == []
    with pytest.raises(EnvelopeRefused, match="two_of_one_key"):
        node.take(letter(one, VECTOR, round=1), roster, NOW)
    itself = node_of(one)
    with pytest.raises(EnvelopeRefused, match="own_key_elsewhere"):
        itself.take(letter(one, VECTOR + 1), roster, NOW)
    assert itself.state.stopped
    # Control: our own old envelope, sent back to us by anyone, stops nothing.
    calm = node_of(one)
    calm.note_sent(0, swarm_key(one))
    for each in members:
        calm.take(letter(each, VECTOR), roster, NOW)
    calm.close()
    with pytest.raises(EnvelopeRefused, match="stale_round"):
        calm.take(letter(one, VECTOR), roster, NOW)
    assert not calm.state.stopped
    assert third is members[2]


def test_keys_are_files_for_their_owner_alone(members: list[Membership]) -> None:
    """Whatever lies in the folder of a swarm is of mode 0600, the folder of 0700."""
    folder: Path = members[1].folder
    assert folder.stat().st_mode & 0o777 == 0o700
    assert {each.stat().st_mode & 0o777 for each in folder.iterdir()} == {0o600}
