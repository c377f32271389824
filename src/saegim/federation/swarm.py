"""`Membership`: which swarm this house belongs to, by which rules, with whom.

Nobody finds a swarm: its owner gives an invitation, which holds the key that all members share and
the rules, signed. Whoever takes it answers with an introduction, and counts once the owner admits
it. The roster is signed by the owner too, so that no member can bring in others: that liars are
few holds only where nobody can invent members.
"""

from __future__ import annotations

import base64
import math
import os
import secrets
import shutil
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, TypeVar

import msgspec
import numpy as np

from saegim.errors import BadInput, NotFound, Refused
from saegim.federation.aggregate import DEFAULT_RULE, RULES, least_members
from saegim.federation.envelope import MOST_NUMBERS, Expected, canonical, rule_hash
from saegim.federation.keys import (
    KEY_BYTES,
    KeyPair,
    is_signed,
    read_own,
    refuse_missing_extra,
    written,
)
from saegim.federation.transport import NATS, TCP, TRANSPORTS, refuse_missing

_MEMBER, _ROSTER = "member.json", "roster.json"
_INVITATION, _INTRODUCTION = "saegim-swarm-1:", "saegim-member-1:"
_RULES_SIGNED: Final = b"saegim federation rules\x00"
_ROSTER_SIGNED: Final = b"saegim federation roster\x00"
_INTRODUCED: Final = b"saegim federation introduction\x00"
MOST_MEMBERS: Final = 64
_MOST_LETTER = 16 * 1024
_HEX = 2 * KEY_BYTES

Letter = TypeVar("Letter")


class Rules(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What every member does alike; its hash is pinned, and nobody changes one field of it."""

    version: int = 1
    swarm: str
    owner: str
    # What the weights were learned on, how many they are, and the digest of those all begin with.
    schema: str
    shape: tuple[int, ...]
    start: str
    # How far one house may move the model in a round (L2).
    clip: float = 1.0
    # Deviation of the noise in parts of twice the clip; 0 promises no privacy.
    noise: float = 0.0
    aggregator: str = DEFAULT_RULE
    # How many members may lie.
    faulty: int = 0
    # By which way envelopes travel.
    transport: str = TCP

    @property
    def size(self) -> int:
        """Return how many numbers travel."""
        return int(np.prod(self.shape))

    @property
    def reach(self) -> float:
        """Return how long an honest update can be: what is clipped, and the noise upon it."""
        return self.clip * (1.0 + 2.0 * self.noise * (math.sqrt(self.size) + 4.0))

    @property
    def hash(self) -> str:
        """Return what pins these rules."""
        return rule_hash(self)

    @property
    def expected(self) -> Expected:
        """Return what every envelope must say under these rules."""
        return Expected(self.swarm, self.hash, self.schema, self.shape)


class Member(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One house of a swarm: its key, and where it listens, if others can reach it."""

    key: str
    address: str = ""


class Roster(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Who belongs to a swarm, as its owner signed it; a later version replaces an earlier one."""

    swarm: str
    version: int
    members: tuple[Member, ...]
    signature: str = ""

    @property
    def signed_part(self) -> bytes:
        """Return the bytes that the owner signs."""
        return _ROSTER_SIGNED + canonical(msgspec.structs.replace(self, signature=""))

    @property
    def addresses(self) -> dict[str, str]:
        """Return where each member listens, by its key."""
        return {each.key: each.address for each in self.members}


class _Invitation(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    psk: str
    rules: Rules
    signature: str
    address: str


class _Introduction(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    swarm: str
    key: str
    address: str
    signature: str = ""

    @property
    def signed_part(self) -> bytes:
        return _INTRODUCED + canonical(msgspec.structs.replace(self, signature=""))


class _KeptMembership(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a member keeps in a file for itself."""

    secret: str
    psk: str
    rules: Rules
    signature: str
    address: str


@dataclass(frozen=True, slots=True)
class Membership:
    """This house in its swarm."""

    folder: Path
    key: KeyPair
    psk: bytes
    rules: Rules
    signature: str
    address: str
    roster: Roster

    @property
    def is_owner(self) -> bool:
        """Say whether this house made the swarm."""
        return self.key.public == self.rules.owner

    @property
    def others(self) -> dict[str, str]:
        """Return where the other members listen, by key."""
        return {k: at for k, at in self.roster.addresses.items() if k != self.key.public}

    def roster_stamp(self) -> int:
        """Return a number that changes when the roster on the disk does."""
        try:
            return os.stat(self.folder / _ROSTER).st_mtime_ns
        except OSError:
            return 0

    def invitation(self) -> str:
        """Return what lets another house join; it holds the swarm's key and is a secret."""
        self._refuse_unless_owner()
        held = _Invitation(self.psk.hex(), self.rules, self.signature, self.address)
        return _lettered(_INVITATION, held)

    def introduction(self) -> str:
        """Return what the owner needs to admit this house; it holds no secret."""
        said = _Introduction(self.rules.swarm, self.key.public, self.address)
        signature = self.key.sign(said.signed_part).hex()
        return _lettered(_INTRODUCTION, msgspec.structs.replace(said, signature=signature))

    def admit(self, introduction: str) -> Membership:
        """Let a house in whose introduction came by a way its owner trusts."""
        self._refuse_unless_owner()
        said = _letter(introduction, _INTRODUCTION, _Introduction)
        signature = _hex(said.signature, _HEX * 2)
        if said.swarm != self.rules.swarm or not is_signed(said.key, said.signed_part, signature):
            raise Refused("federation.introduction_is_not_for_us")
        members = {each.key: each for each in self.roster.members}
        members[said.key] = Member(said.key, said.address)
        if len(members) > MOST_MEMBERS:
            raise Refused("federation.swarm_is_full", most=MOST_MEMBERS)
        return self._renewed(tuple(members.values()))

    def expel(self, key: str) -> Membership:
        """Take a house off the roster; a beginning of its key is enough, if only one has it."""
        self._refuse_unless_owner()
        found = [each for each in self.roster.members if each.key.startswith(key) and key]
        if len(found) != 1 or found[0].key == self.rules.owner:
            raise NotFound("federation.no_such_member", key=key)
        return self._renewed(tuple(each for each in self.roster.members if each != found[0]))

    def with_roster(self, roster: Roster) -> Membership:
        """Return the same house with a newer roster of its owner; refuse any other."""
        signature = _hex(roster.signature, _HEX * 2)
        if (
            roster.swarm != self.rules.swarm
            or roster.version <= self.roster.version
            or len(roster.members) > MOST_MEMBERS
            or len({each.key for each in roster.members}) != len(roster.members)
            or not is_signed(self.rules.owner, roster.signed_part, signature)
        ):
            raise Refused("federation.roster_is_not_newer")
        held = replace(self, roster=roster)
        written(self.folder / _ROSTER, canonical(roster).decode())
        return held

    def _renewed(self, members: tuple[Member, ...]) -> Membership:
        roster = Roster(self.rules.swarm, self.roster.version + 1, members)
        signature = self.key.sign(roster.signed_part).hex()
        return self.with_roster(msgspec.structs.replace(roster, signature=signature))

    def _refuse_unless_owner(self) -> None:
        if not self.is_owner:
            raise Refused("federation.only_the_owner", owner=self.rules.owner[:16])

    def _write(self) -> None:
        secret, psk = self.key.secret.hex(), self.psk.hex()
        held = _KeptMembership(secret, psk, self.rules, self.signature, self.address)
        written(self.folder / _MEMBER, canonical(held).decode())
        written(self.folder / _ROSTER, canonical(self.roster).decode())


def init(folder: Path, address: str, **about: Any) -> Membership:
    """Make a swarm whose owner this house is; `about` are the rules that it chooses."""
    refuse_missing_extra()
    _refuse_second(folder)
    key = KeyPair.new()
    rules = Rules(swarm=secrets.token_hex(16), owner=key.public, **about)
    _refuse_odd(rules)
    refuse_missing(rules.transport)
    signature = key.sign(_RULES_SIGNED + bytes.fromhex(rules.hash)).hex()
    empty = Roster(rules.swarm, 0, ())
    psk = secrets.token_bytes(KEY_BYTES)
    at = checked_address(address, rules.transport)
    made = Membership(folder, key, psk, rules, signature, at, empty)
    made._write()
    return made._renewed((Member(key.public, made.address),))


def join(folder: Path, invitation: str, address: str) -> Membership:
    """Take an invitation: a key of our own, the owner's rules, and nobody else known yet."""
    _refuse_second(folder)
    given = _invited(invitation)
    rules, key = given.rules, KeyPair.new()
    refuse_missing(rules.transport)
    if rules.transport == NATS:
        # A hub is the same for all, unless a house reaches it by another name.
        address = address or given.address
    own = Member(key.public, checked_address(address, rules.transport))
    roster = Roster(rules.swarm, 0, (Member(rules.owner, given.address), own))
    psk = _hex(given.psk, _HEX)
    made = Membership(folder, key, psk, rules, given.signature, own.address, roster)
    made._write()
    return made


def invited_to(invitation: str) -> Rules:
    """Return the rules of the swarm that an invitation is for, before one takes it."""
    return _invited(invitation).rules


def _invited(invitation: str) -> _Invitation:
    refuse_missing_extra()
    given = _letter(invitation, _INVITATION, _Invitation)
    _refuse_odd(given.rules)
    signed = _RULES_SIGNED + bytes.fromhex(given.rules.hash)
    if not is_signed(given.rules.owner, signed, _hex(given.signature, _HEX * 2)):
        raise Refused("federation.rules_are_not_signed")
    return given


def membership_in(folder: Path) -> Membership | None:
    """Return the membership that lies in a folder, or nothing where there is none."""
    text = read_own(folder / _MEMBER)
    if text is None:
        return None
    try:
        held = msgspec.json.decode(text, type=_KeptMembership)
        roster = msgspec.json.decode(read_own(folder / _ROSTER) or "", type=Roster)
        key, psk = KeyPair.of(bytes.fromhex(held.secret)), bytes.fromhex(held.psk)
    except (msgspec.DecodeError, ValueError) as error:
        raise Refused("federation.membership_is_damaged", folder=folder) from error
    signed = _RULES_SIGNED + bytes.fromhex(held.rules.hash)
    # Rules that were changed on the disk are not the ones that the swarm goes by.
    if not is_signed(held.rules.owner, signed, _hex(held.signature, _HEX * 2)):
        raise Refused("federation.rules_are_not_signed")
    unsigned = not roster.version and not roster.signature
    if not unsigned and not is_signed(
        held.rules.owner, roster.signed_part, _hex(roster.signature, _HEX * 2)
    ):
        raise Refused("federation.membership_is_damaged", folder=folder)
    return Membership(folder, key, psk, held.rules, held.signature, held.address, roster)


def leave(folder: Path) -> bool:
    """Forget the keys and the swarm; what was shared cannot be taken back. Say whether it was."""
    if not (folder / _MEMBER).exists():
        return False
    shutil.rmtree(folder)
    return True


def checked_address(address: str, transport: str = TCP) -> str:
    """Return an address as host:port, a hub's as nats:// or tls:// and that; refuse any other.

    Empty: others cannot call us. A hub must be named.
    """
    scheme, slashes, rest = address.rpartition("://")
    if not address and transport != NATS:
        return ""
    host, colon, port = rest.rpartition(":")
    fits = scheme in ("nats", "tls") if transport == NATS else not slashes
    plain = bool(host) and not set(host) & set("@/")
    if not (fits and colon and plain and port.isdigit() and 0 < int(port) < 65_536):
        kind = "federation.no_hub" if transport == NATS else "federation.no_address"
        raise BadInput(kind, address=address)
    return address


def _refuse_second(folder: Path) -> None:
    if (folder / _MEMBER).exists():
        raise Refused("federation.member_already", folder=folder)


def _refuse_odd(rules: Rules) -> None:
    """Refuse rules that no swarm can live by, whoever signed them."""
    sound = (
        rules.version == 1
        and rules.aggregator in RULES
        and rules.transport in TRANSPORTS
        and 0 < rules.size <= MOST_NUMBERS
        and all(each > 0 for each in rules.shape)
        and 0.0 < rules.clip <= 1000.0
        and 0.0 <= rules.noise <= 1000.0
        and rules.faulty >= 0
        and least_members(rules.faulty) <= MOST_MEMBERS
    )
    if not sound:
        raise Refused("federation.rules_are_odd")


def _lettered(kind: str, said: object) -> str:
    return kind + base64.urlsafe_b64encode(canonical(said)).decode().rstrip("=")


def _letter(text: str, kind: str, form: type[Letter]) -> Letter:
    """Read a letter of one kind; refuse what is damaged, too long or of another kind."""
    text = "".join(text.split())
    if not text.startswith(kind) or len(text) > _MOST_LETTER:
        raise BadInput("federation.no_such_letter", kind=kind.rstrip(":"))
    body = text.removeprefix(kind)
    try:
        raw = base64.b64decode(body + "=" * (-len(body) % 4), altchars=b"-_", validate=True)
        return msgspec.json.decode(raw, type=form)
    except (ValueError, msgspec.DecodeError, RecursionError) as error:
        raise BadInput("federation.no_such_letter", kind=kind.rstrip(":")) from error


def _hex(text: str, length: int) -> bytes:
    """Return bytes spelled as so many hexadecimal letters, or none."""
    try:
        return bytes.fromhex(text) if len(text) == length else b""
    except ValueError:
        return b""
