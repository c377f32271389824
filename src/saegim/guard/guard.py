"""Mask secrets: credentials and personal numbers are masked, password-like values held back."""

from __future__ import annotations

import hashlib
from bisect import bisect_right
from collections import Counter, OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, fields, is_dataclass, replace
from datetime import datetime
from enum import StrEnum
from functools import cache
from typing import Any, Final, Literal, TypeVar

from saegim.errors import BadInput
from saegim.guard.secrets import private_numbers, secrets
from saegim.guard.told_secrets import told_secrets
from saegim.guard.visible_text import FILLER, PLACEHOLDER, Spot, see
from saegim.memory.memory import Scope

Tier = Literal["secret", "private", "held"]

_HARDNESS: Final[dict[Tier, int]] = {"secret": 0, "private": 1, "held": 2}
# A mask is shorter or longer than its value and so moves words closer together; looking again finds
# what that brings near. Twice is the rule, and more than this has not been seen.
_LOOKS: Final = 6
# Several sessions' worth of turns that are just being taken in.
_REMEMBERED: Final = 256


@dataclass(frozen=True, slots=True)
class SecretFinding:
    """A range of the original text that must not be kept as it is."""

    kind: str
    tier: Tier
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Screened:
    """A text that may be kept, and what was taken out of it."""

    text: str
    findings: tuple[SecretFinding, ...]

    @property
    def masked(self) -> int:
        """Count the credentials and personal numbers that were masked."""
        return sum(finding.tier != "held" for finding in self.findings)

    @property
    def held(self) -> int:
        """Count the password-like values that wait for a person to confirm."""
        return sum(finding.tier == "held" for finding in self.findings)

    @property
    def kinds(self) -> dict[str, int]:
        """Count the findings of each kind."""
        return dict(Counter(finding.kind for finding in self.findings))


def screen(
    text: str, *, keep_private: bool = False, told: bool = True, before: str = ""
) -> Screened:
    """Return the text with placeholders where its secrets stood; the same text, the same result.

    `keep_private` is a person's explicit wish: only credentials are masked then. Of a name, which
    tells nothing, only what is certain is asked (`told`). What was said `before`, masked, is read
    along: the other half of a secret, or the question that this answers.
    """
    if (key := _key(text, keep_private, told, before)) in _CLEAN:
        return Screened(text, ())
    findings: tuple[SecretFinding, ...] = ()
    masked, places = text, list[tuple[int, int]]()
    for _ in range(_LOOKS):
        found = list(_look(masked, keep_private=keep_private, told=told, before=before))
        if not found:
            break
        findings = _apart((*findings, *_moved_back(found, findings, places)))
        masked, places = _mask(text, findings)
    if not findings:
        _CLEAN[key] = None
        with suppress(KeyError):  # another thread was quicker
            while len(_CLEAN) > _REMEMBERED:
                _CLEAN.popitem(last=False)
    return Screened(masked, findings)


# Digests of the latest texts in which nothing was found. One turn passes here several times: every
# reader of a text asks for itself, so that none relies on another having asked.
_CLEAN: Final[OrderedDict[bytes, None]] = OrderedDict()


def _key(text: str, keep_private: bool, told: bool, before: str) -> bytes:
    """Return what stands for a text, and for how closely it was looked at."""
    said = (f"{before}\x00{text}" if before else text).encode("utf-8", "surrogatepass")
    return hashlib.blake2b(said, digest_size=16, key=bytes((keep_private, told))).digest()


def _look(text: str, *, keep_private: bool, told: bool, before: str) -> Iterator[SecretFinding]:
    """Find everything once, in offsets of the given text."""
    seen = see(text)
    tiers: list[tuple[Tier, Iterable[Spot]]] = [("secret", sure := list(secrets(seen)))]
    if not keep_private:
        tiers.append(("private", own := list(private_numbers(seen))))
        if told:
            tiers.append(("held", told_secrets(seen, [*sure, *own], before)))
    for tier, spots in tiers:
        for kind, start, end in spots:
            if FILLER in seen.text[start:end] and kind != "pem":
                continue  # it stands where a value was masked before
            yield SecretFinding(kind, tier, *seen.origin(start, end))


def _apart(findings: Iterable[SecretFinding]) -> tuple[SecretFinding, ...]:
    """Join findings that overlap: the harder tier names the whole, then the longer range."""
    joined: list[SecretFinding] = []
    for finding in sorted(findings, key=lambda each: (each.start, -each.end)):
        if joined and finding.start < joined[-1].end:
            other = joined.pop()
            name = min(other, finding, key=lambda e: (_HARDNESS[e.tier], e.start - e.end))
            end = max(other.end, finding.end)
            finding = SecretFinding(name.kind, name.tier, other.start, end)
        joined.append(finding)
    return tuple(joined)


def _masks(text: str, findings: Iterable[SecretFinding]) -> Iterator[tuple[SecretFinding, str]]:
    """Pair each finding with its placeholder; equal values of a kind bear the same number."""
    taken: dict[tuple[str, str], int] = {}
    last: Counter[str] = Counter()
    for kind, number in PLACEHOLDER.findall(text) if "[" in text else ():
        last[kind] = max(last[kind], int(number))
    for finding in findings:
        value = (finding.kind, text[finding.start : finding.end])
        if value not in taken:
            last[finding.kind] += 1
            taken[value] = last[finding.kind]
        yield finding, f"[{finding.tier}:{finding.kind}#{taken[value]}]"


def _mask(text: str, findings: tuple[SecretFinding, ...]) -> tuple[str, list[tuple[int, int]]]:
    """Return the masked text, and where each placeholder stands in it."""
    pieces: list[str] = []
    places: list[tuple[int, int]] = []
    at = length = 0
    for finding, mask in _masks(text, findings):
        pieces += (text[at : finding.start], mask)
        length += finding.start - at
        places.append((length, length + len(mask)))
        length += len(mask)
        at = finding.end
    pieces.append(text[at:])
    return "".join(pieces), places


def _moved_back(
    found: Iterable[SecretFinding],
    findings: tuple[SecretFinding, ...],
    places: list[tuple[int, int]],
) -> Iterator[SecretFinding]:
    """Give findings in a masked text the offsets they have in the original."""
    ends = [end for _, end in places]
    for each in found:
        before = bisect_right(ends, each.start)
        start = _original(each.start, before, findings, places)
        before = bisect_right(ends, each.end)
        yield replace(each, start=start, end=_original(each.end, before, findings, places))


def _original(
    offset: int, before: int, findings: tuple[SecretFinding, ...], places: list[tuple[int, int]]
) -> int:
    if before < len(places) and places[before][0] < offset:
        return findings[before].end
    return offset - places[before - 1][1] + findings[before - 1].end if before else offset


# -- No secret gets past here

T = TypeVar("T")


@dataclass(slots=True)
class MaskTally:
    """How many were replaced on the way in, and how many held back."""

    masked: int = 0
    held: int = 0


def masked(value: T, tally: MaskTally, *, keep_private: bool = False, before: str = "") -> T:
    """Return the value with every secret in it replaced, at any depth; count them.

    A name of a room cannot carry a placeholder, so a secret there is refused. Words alone are read
    behind what was said `before` them.
    """
    made: T = _masked(value, tally, keep_private, before)
    return made


# What holds no words: most fields of what is kept, so they are told apart first.
_WORDLESS: Final = frozenset({int, float, bool, datetime, type(None)})


@cache
def _names(kind: type) -> tuple[str, ...]:
    """Return the fields of a class of ours; nothing for any other class."""
    return tuple(each.name for each in fields(kind)) if is_dataclass(kind) else ()


def _masked(value: Any, tally: MaskTally, keep_private: bool, before: str = "") -> Any:
    if value.__class__ in _WORDLESS or not value or isinstance(value, StrEnum):
        return value
    if isinstance(value, str):
        found = screen(value, keep_private=keep_private, before=before)
        tally.masked += found.masked
        tally.held += found.held
        return found.text
    if isinstance(value, Scope):
        return _checked(value)
    if names := _names(value.__class__):
        changed = {
            name: new
            for name in names
            if (old := getattr(value, name)) is not (new := _masked(old, tally, keep_private))
        }
        return replace(value, **changed) if changed else value
    if isinstance(value, tuple | list):
        made = [_masked(each, tally, keep_private) for each in value]
        return value if all(a is b for a, b in zip(made, value, strict=True)) else type(value)(made)
    if isinstance(value, Mapping):
        return {
            _masked(key, tally, keep_private): _masked(held, tally, keep_private)
            for key, held in value.items()
        }
    return value


def _checked(scope: Scope) -> Scope:
    for what in ("user", "agent", "project", "session"):
        if screen(getattr(scope, what), told=False).masked:
            raise BadInput("perceive.name_of_holds_what_looks", what=what)
    return scope
