"""Who belongs: invited, introduced, admitted; and nobody else, whatever they hold."""

from __future__ import annotations

import base64
import json
from pathlib import Path

import numpy as np
import pytest

from federation.network import START, letter, swarm_of
from saegim.errors import BadInput, NotFound, Refused, SettingsError
from saegim.federation import swarm
from saegim.federation.envelope import EnvelopeRefused
from saegim.federation.keys import KeyPair
from saegim.federation.rounds import Rounds
from stand_ins import rounds

ABOUT = {"schema": "turn-10/1", "shape": (12,), "start": "0" * 64, "noise": 0.0}


def test_a_swarm_is_made_joined_and_left(tmp_path: Path) -> None:
    """What one makes and the other joins is read back from the disk, and leaving forgets it."""
    owner, other = swarm_of(tmp_path, 2)
    assert owner.is_owner
    assert not other.is_owner
    found = swarm.membership_in(other.folder)
    assert found == other
    assert set(found.roster.addresses) == {owner.key.public, other.key.public}
    assert swarm.leave(other.folder)
    assert not swarm.leave(other.folder)
    assert swarm.membership_in(other.folder) is None
    assert not other.folder.exists()


def test_a_house_belongs_to_one_swarm(tmp_path: Path) -> None:
    """A second one is refused, and the first stays."""
    (owner,) = swarm_of(tmp_path, 1)
    with pytest.raises(Refused, match="already"):
        swarm.init(owner.folder, "", **ABOUT)
    with pytest.raises(Refused, match="already"):
        swarm.join(owner.folder, owner.invitation(), "")
    assert swarm.membership_in(owner.folder) == owner


def test_only_the_owner_invites_admits_and_expels(tmp_path: Path) -> None:
    """A member can bring in nobody; an expelled one is gone from the roster."""
    owner, other, third = swarm_of(tmp_path, 3)
    stranger = swarm.join(tmp_path / "x", owner.invitation(), "")
    for act in (
        other.invitation,
        lambda: other.admit(stranger.introduction()),
        lambda: other.expel(third.key.public),
    ):
        with pytest.raises(Refused, match="Only the house"):
            act()
    left = owner.expel(third.key.public[:12])
    assert third.key.public not in left.roster.addresses
    for key in ("", "zz", owner.key.public):
        with pytest.raises(NotFound):
            left.expel(key)


def test_fifty_identities_without_an_invitation_count_for_nothing(tmp_path: Path) -> None:
    """F-16: keys of one's own, even with the swarm's key, are on no roster."""
    owner, other, _ = swarm_of(tmp_path, 3)
    node = Rounds(other.rules, other.key.public, START)
    for _ in range(50):
        with pytest.raises(EnvelopeRefused, match="not_a_member"):
            node.take(letter(owner, START, key=KeyPair.new()), other.roster.addresses, 1.0)
    forged = swarm.Roster(
        other.rules.swarm, 99, tuple(swarm.Member(f"{n:064x}") for n in range(50))
    )
    for signer in (other.key, KeyPair.new()):
        signed = swarm.Roster(
            forged.swarm, 99, forged.members, signer.sign(forged.signed_part).hex()
        )
        with pytest.raises(Refused):
            other.with_roster(signed)
    # Control: the same roster, signed by the owner, would be taken.
    good = owner.key.sign(forged.signed_part).hex()
    assert other.with_roster(swarm.Roster(forged.swarm, 99, forged.members, good))


def test_an_old_roster_brings_nobody_back(tmp_path: Path) -> None:
    """F-11: the signed roster from before somebody was expelled is not taken any more."""
    owner, other, third = swarm_of(tmp_path, 3)
    before = owner.roster
    after = other.with_roster(owner.expel(third.key.public).roster)
    with pytest.raises(Refused):
        after.with_roster(before)
    node = Rounds(after.rules, after.key.public, START)
    with pytest.raises(EnvelopeRefused, match="not_a_member"):
        node.take(letter(third, START), after.roster.addresses, 1.0)


def test_changed_rules_are_refused_wherever_they_lie(tmp_path: Path) -> None:
    """F-09: one field in an invitation or on the disk, and the signature of the owner is gone."""
    (owner,) = swarm_of(tmp_path, 1)
    kind, _, body = owner.invitation().partition(":")
    held = json.loads(base64.urlsafe_b64decode(body + "=" * (-len(body) % 4)))
    for name, value in (("clip", 2.0), ("noise", 0.5), ("faulty", 1), ("schema", "x/1")):
        bent = {**held, "rules": {**held["rules"], name: value}}
        text = base64.urlsafe_b64encode(json.dumps(bent).encode()).decode()
        with pytest.raises(Refused, match="signed"):
            swarm.join(tmp_path / name, f"{kind}:{text}", "")
        assert not (tmp_path / name).exists()
    file = owner.folder / "member.json"
    file.write_text(file.read_text().replace('"clip":1.0', '"clip":1.5'))
    with pytest.raises(Refused, match="signed"):
        swarm.membership_in(owner.folder)


def test_letters_that_are_damaged_or_of_another_kind_are_refused(tmp_path: Path) -> None:
    """Half an invitation, an introduction in its place and any bytes say what to do."""
    owner, other = swarm_of(tmp_path, 2)
    whole = owner.invitation()
    drawn = np.random.default_rng(3)
    for text in (
        "",
        "saegim-swarm-1:",
        whole[: len(whole) // 2],
        other.introduction(),
        "x" * 50_000,
    ):
        with pytest.raises(BadInput):
            swarm.join(tmp_path / "y", text, "")
    for _ in range(rounds(1000, 60)):
        at = int(drawn.integers(15, len(whole)))
        bent = whole[:at] + chr(int(drawn.integers(33, 127))) + whole[at + 1 :]
        if bent.rstrip("=") != whole:
            with pytest.raises((BadInput, Refused)):
                swarm.join(tmp_path / "y", bent + "!", "")
    elsewhere = swarm_of(tmp_path / "other", 1)[0]
    with pytest.raises(Refused, match="another swarm"):
        elsewhere.admit(other.introduction())
    assert swarm.join(tmp_path / "y", f"  {whole[:40]}\n{whole[40:]} ", "")


@pytest.mark.parametrize(
    "odd",
    [{"clip": 0.0}, {"noise": -1.0}, {"aggregator": "mean"}, {"faulty": 40}, {"shape": (10**6,)}],
)
def test_rules_no_swarm_can_live_by_are_refused(tmp_path: Path, odd: dict[str, object]) -> None:
    """A swarm that averages plainly, clips to nothing or bears more liars than members."""
    with pytest.raises(Refused, match="rules"):
        swarm_of(tmp_path, 1, **odd)  # type: ignore[arg-type]


def test_a_key_that_others_can_read_is_refused(tmp_path: Path) -> None:
    """FAULTS 63: the key of a member is a file for its owner alone."""
    (owner,) = swarm_of(tmp_path, 1)
    (owner.folder / "member.json").chmod(0o644)
    with pytest.raises(SettingsError, match="chmod 600"):
        swarm.membership_in(owner.folder)
    (owner.folder / "member.json").chmod(0o600)
    assert swarm.membership_in(owner.folder)
    for address in ("nowhere", ":1", "host:", "host:99999", "host:x"):
        with pytest.raises(BadInput):
            swarm.checked_address(address)
