"""Secrets that are told in passing: what stands around a span, its shape, and a small model.

The model is a logistic regression over hashed features, taught by training/soft_secrets.py on lines
that several hands wrote for it. What it finds is held for a person to confirm.
"""

from __future__ import annotations

import json
import re
import zlib
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache
from itertools import accumulate
from pathlib import Path
from typing import Final, NamedTuple

import xxhash

from saegim.errors import EngineError
from saegim.guard.passwords import UNIT, passwords
from saegim.guard.secret_spans import (
    CATEGORIES,
    FAMILY,
    FOURS,
    FUNCTION,
    KINDS,
    STRANGE,
    SecretSpan,
    TalkWord,
    candidates,
    strangeness,
    subjects_of,
    word_subjects,
    words_of,
)
from saegim.guard.visible_text import FILLER, Seen, Spot
from saegim.memory.text import lazy_pattern
from saegim.messages import Message

SHIPPED: Final = Path(__file__).with_name("soft-secrets-ko-en-1.safetensors")
ROWS: Final = 1 << 16
# Of a longer text the beginning and the end are read; the rules read all of it.
_HEAD, _TAIL = 6_000, 2_000
_KIND: Final = {name: at for at, name in enumerate(KINDS)}
_SENTENCE: Final = lazy_pattern(r"[.!?…]+(?=\s)|\n|\x1e")
_RANDOM: Final = lazy_pattern(r"[bcdfghjklmnpqrstvwxz]{3}|q(?!u)|[0-9][A-Za-z]|[A-Za-z][0-9]")
_YEAR: Final = lazy_pattern(r"(?:19[3-9]|20[0-4])[0-9]")
_HEX: Final = lazy_pattern(r"[0-9a-f\-]{7,}", re.I)
_BASE32: Final = lazy_pattern(r"[A-Z2-7]{16,}|[a-z2-7]{16,}")
_MODEL: Final = lazy_pattern(r"[A-Z]{1,5}-?[0-9]{1,5}[A-Z]{0,3}[0-9]{0,4}")
_SIGNS: Final = frozenset("!@#$%^&*?+=~_")
_64_BITS: Final = (1 << 64) - 1
_SHIFT: Final = 65 - ROWS.bit_length()
# Which kind a feature belongs to: one, a family of kinds, or any.
_FAMILIES, _ANY = 50, 99
# How many words on either side are read one by one.
_NEAREST: Final = 4
_LIKELIER: Final = 3.0
_MIX: Final = (0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9)


# -- What stands around a span, as numbers


def _number_of(word: str) -> int:
    return zlib.crc32(word.encode("utf-8", "surrogatepass"))


def _ids(word: str) -> tuple[int, ...]:
    """Return what a word is known by: itself, and for Korean its beginning and its end."""
    if word[0].isdigit():
        return (_number_of(f"0{min(len(word), 9)}"),)
    if word[0] == FILLER:
        return (_number_of("\0"),)
    if "가" <= word[0] <= "힣":
        if len(word) <= 2:
            return (_number_of(word),)
        return (_number_of(word), _number_of(f"^{word[:2]}"), _number_of(f"{word[-2:]}$"))
    for ending in ("'s", "ing", "ed", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return (_number_of(word), _number_of(word[: -len(ending)]), _number_of(f"{word[:4]}-"))
    return (_number_of(word), _number_of(f"{word[:4]}-")) if len(word) > 4 else (_number_of(word),)


class SpanRows(NamedTuple):
    """Which rows of the table speak of a span: its own, and those of all spans of its kind."""

    own: list[int]
    shared: list[int]


def features(
    seen: Seen, words: Sequence[TalkWord], spans: Sequence[SecretSpan]
) -> Iterator[SpanRows]:
    """Yield for each span which rows of the table speak of it."""
    around = _Around(seen, words)
    shared: dict[str, list[int]] = {}
    for span in spans:
        if span.kind not in shared:
            shared[span.kind] = _shared_rows(around, span.kind)
        yield SpanRows(_own_rows(around, span), shared[span.kind])


class _Around:
    """A turn with what each place in it has before and behind it in its sentence."""

    def __init__(self, seen: Seen, words: Sequence[TalkWord]) -> None:
        self.seen, self.words = seen, words
        self.starts = [word.start for word in words]
        self.ends = [word.end for word in words]
        self.ids = [_ids(word.text) for word in words]
        masks = [_mask(word.about) for word in words]
        borders = [match.end() for match in _SENTENCE.finditer(seen.low)]
        self.whole = 0
        # What was said in the sentence before each word, and from each word on.
        self.left, self.right, self.first = [0] * (len(words) + 1), [0] * (len(words) + 1), [0]
        sentence = before = 0
        for at, word in enumerate(words):
            self.whole |= masks[at]
            now = bisect_right(borders, word.start)
            if now != sentence:
                sentence, before = now, at
                self.left[at] = 0
            self.first.append(before)
            self.left[at + 1] = self.left[at] | masks[at]
        last = len(borders) + 1
        for at in range(len(words) - 1, -1, -1):
            now = bisect_right(borders, words[at].start)
            self.right[at] = masks[at] | (self.right[at + 1] if now == last else 0)
            last = now
        self.masks = masks


def _mask(about: Iterable[int]) -> int:
    found = 0
    for each in about:
        found |= 1 << each
    return found


def _row(slot: int, what: int, group: int) -> int:
    one, two, three = _MIX
    return (((slot * 131 + group) * one ^ what * two) * three & _64_BITS) >> _SHIFT


@lru_cache(maxsize=8192)
def _shape_row(what: int, kind: int) -> int:
    return _row(1, what, kind)


@lru_cache(maxsize=8192)
def _mask_rows(slot: int, mask: int, group: int) -> tuple[int, ...]:
    """Return the rows of what some words are about."""
    return tuple(_row(slot, at, group) for at in range(len(CATEGORIES)) if mask >> at & 1)


def _shared_rows(around: _Around, kind: str) -> list[int]:
    """Return what the whole turn says to every span of a kind."""
    low, family = around.seen.low, _FAMILIES + FAMILY[kind]
    pairs = zip(around.words, around.ids, strict=True)
    told = {ids[-1] for word, ids in pairs if low[word.start].isalpha()}
    return [
        *_mask_rows(52, around.whole, _KIND[kind]),
        *_mask_rows(57, around.whole, family),
        *(_row(60, each, family) for each in sorted(told)),
    ]


def _own_rows(around: _Around, span: SecretSpan) -> list[int]:
    """Return what a span shows by itself and what stands next to it."""
    seen, words = around.seen, around.words
    kind, family = _KIND[span.kind], _FAMILIES + FAMILY[span.kind]
    before = bisect_right(around.ends, span.start)
    after = bisect_left(around.starts, span.end)
    low = seen.low
    found = [_shape_row(0, kind)]
    found += [_shape_row(each, kind) for each in _shape(seen, span)]
    # What is attached behind it.
    if after and (tail := low[span.end : words[after - 1].end]):
        named = _number_of(tail)
        found += (_row(2, named, kind), _row(2, named, _ANY))
    sign = low[span.start - 1 : span.start]
    found.append(_row(3, _number_of(f" {sign}" if sign.isspace() or not sign else sign), kind))
    found.append(_row(4, _number_of(low[span.end : span.end + 1]), kind))
    near = 0
    for distance in range(1, 7):
        at = before - distance
        if at >= around.first[min(before, len(around.first) - 1)]:
            near |= around.masks[at]
        if distance > _NEAREST:
            continue
        for slot, place in ((10, at), (30, after + distance - 1)):
            if 0 <= place < len(words):
                found += [_row(slot + distance, each, _ANY) for each in around.ids[place]]
                found += _mask_rows(slot + 10 + distance, around.masks[place], kind)
            else:
                found.append(_row(slot + distance, 0, kind))
    left, right = around.left[before], around.right[after]
    found += _mask_rows(50, left, kind)
    found += _mask_rows(51, right, kind)
    found += _mask_rows(53, near, kind)
    found += _mask_rows(54, left, family)
    found += _mask_rows(55, right, family)
    return found


def _shape(seen: Seen, span: SecretSpan) -> Iterator[int]:
    """Yield what is seen of the span itself."""
    value = seen.text[span.start : span.end]
    letters = sum(map(str.isalpha, value))
    digits = sum(map(str.isdigit, value))
    signs = len(_SIGNS.intersection(value))
    pieces = value.split()
    yield 100 + min(len(value), 40) // 2
    yield 200 + min(digits, 12)
    yield 300 + min(len(pieces), 30)
    yield 400 + min(letters, 20) // 2
    yield 500 + min(signs, 3)
    yield 510 + ("-" in value)
    yield 530 + bool(_YEAR.fullmatch(value))
    yield 540 + bool(_RANDOM.search(value.lower()))
    yield 550 + bool(_HEX.fullmatch(value))
    yield 560 + bool(_BASE32.fullmatch(value.replace(" ", "")))
    yield 570 + bool(_MODEL.fullmatch(value))
    yield 580 + value.islower() + 2 * value.isupper()
    yield 590 + (letters > 0) + 2 * (digits > 0) + 4 * (signs > 0)
    ending = re.search(r"[0-9]{1,6}[!~]*$", value)
    yield 600 + (min(len(ending[0]), 6) if ending else 0)
    yield 620 + (sum(map(str.isupper, value[1:])) > 0)
    lexicon = word_subjects()
    lowered = [each.strip(".,'\"") for each in seen.low[span.start : span.end].split()]
    plain = sum(FUNCTION in lexicon.get(each, ()) for each in lowered)
    yield 640 + min(plain, 5)
    known = {each for word in lowered if word for each in subjects_of(word, lexicon)} - {FUNCTION}
    yield 660 + min(len(known), 4)
    yield from (700 + each for each in known)
    if len(set(map(len, lowered))) == 1 and len(lowered) > 1:
        yield 800 + len(lowered[0])
    yield 860 + bool(digits and UNIT.match(seen.low, span.end))
    yield 840 + int(2 * strangeness(value.lower()))
    yield 820 + (span.start == 0 or seen.text[span.start - 2 : span.start] in (". ", "? ", "! "))


# -- What shape alone says, near a word that fits

_SEED_WORDS: Final = lazy_pattern(
    r"wallet|(?<![a-z])seed(?!s|ling)|ledger|trezor|metamask|mnemonic|recover|restor|crypto|bitcoin|지갑"
    r"|시드|니모닉|메타마스크|렛저|복구|복원|코인|구문"
)
_SECOND_FACTOR: Final = lazy_pattern(
    r"authenticat|2fa|mfa|otp|two.factor|totp|setup key|secret|seed|manual|qr|인증|오티피|큐알|수동"
    r"|설정|시크릿|비밀키|시드"
)
_MAIL: Final = lazy_pattern(
    r"app|mail|imap|smtp|outlook|google|apple|icloud|yahoo|password|앱|메일|아웃룩|구글|애플|야후|암호|비번"
)
_LIST: Final = lazy_pattern(
    r"(?<![a-z'\-])[a-z]{3,8}(?:(?:,[ ]|[ ]|\n)[a-z]{3,8}){11,23}(?![a-z'\-])"
    r"|(?<![가-힣])[가-힣]{1,5}(?:(?:,[ ]|[ ])[가-힣]{1,5}){11,23}(?![가-힣])"
)
_KEYS: Final = lazy_pattern(
    r"(?<![0-9A-Za-z])(?:[A-Z2-7]{16,64}|(?:[A-Z2-7]{4}[ \-]){3,15}[A-Z2-7]{4})(?![0-9A-Za-z])"
)
_SIXTEEN: Final = lazy_pattern(r"(?<![0-9a-z])[a-z]{16}(?![0-9a-z])")
# Groups of six digits, eight of them, open an encrypted disk and nothing else.
_DISK: Final = lazy_pattern(r"(?<![0-9\-])[0-9]{6}(?:[ \-][0-9]{6}){7}(?![0-9\-])")


def shaped_secrets(seen: Seen) -> Iterator[Spot]:
    """Find what its shape gives away, alone or with one word anywhere in the turn."""
    text, low = seen.text, seen.low
    last = 0
    for match in FOURS.finditer(low):
        if match.start() >= last and strangeness(match[1]) >= STRANGE + 0.3:
            last = match.end(1)
            yield Spot("password", *match.span(1))
    for match in _DISK.finditer(low):
        yield Spot("password", *match.span())
    if _MAIL.search(low):
        for match in _SIXTEEN.finditer(low):
            if strangeness(match[0]) >= STRANGE + 0.6:
                yield Spot("password", *match.span())
    if _SECOND_FACTOR.search(low):
        for match in _KEYS.finditer(text):
            value = re.sub("[ -]", "", match[0])
            if len(value) >= 16 and (strangeness(value.lower()) >= STRANGE or _mixes(value)):
                yield Spot("password", *match.span())
    if _SEED_WORDS.search(low):
        lexicon = word_subjects()
        for match in _LIST.finditer(low):
            pieces = re.split("[, \\n]+", match[0])
            if not any(FUNCTION in lexicon.get(each, ()) for each in pieces):
                yield Spot("password", *match.span())


def _mixes(value: str) -> bool:
    return sum(map(str.isdigit, value)) >= 1 and sum(map(str.isalpha, value)) >= 8


# -- The model


class SoftScores(NamedTuple):
    """The numbers of the file."""

    scores: memoryview
    step: float
    bias: float
    # From which score on each family of spans is held.
    least: tuple[float, ...]


@cache
def table(path: Path = SHIPPED) -> SoftScores:
    """Read the file and check every byte of it against its checksum."""
    try:
        raw = path.read_bytes()
        size = int.from_bytes(raw[:8], "little")
        notes = json.loads(raw[8 : 8 + size])["__metadata__"]
        body = memoryview(raw)[8 + size :]
        whole = xxhash.xxh3_128_hexdigest(body) == notes["checksum"] and len(body) == ROWS
        found = SoftScores(
            body.cast("b"),
            float(notes["step"]),
            float(notes["bias"]),
            tuple(map(float, notes["least"].split())),
        )
    except FileNotFoundError as error:
        raise EngineError("engine.model_file", name=path.name) from error
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise _damaged(path, "engine.file_its_header_cannot_be_read") from error
    if not whole:
        raise _damaged(path, "engine.file_its_numbers_do_not_match")
    return found


def _damaged(path: Path, why: str) -> EngineError:
    return EngineError("engine.model_file_is_damaged", name=path.name, why=Message(why))


def scored(seen: Seen, learned: SoftScores) -> Iterator[tuple[SecretSpan, float]]:
    """Yield every span that might be a secret, and how sure the model is of it, in logits."""
    words = words_of(seen.low)
    spans = candidates(seen, words)
    scores, shared = learned.scores, dict[str, int]()
    for span, rows in zip(spans, features(seen, words, spans), strict=True):
        if span.kind not in shared:
            shared[span.kind] = sum([scores[row] for row in rows.shared])
        own = sum([scores[row] for row in rows.own])
        yield span, learned.bias + learned.step * (own + shared[span.kind])


# Fenced code, and what a line quotes from code. A fence that nothing closes is no fence.
_CODE: Final = lazy_pattern(
    r"(?s:(?m:^)[ ]{0,3}```.*?\n[ ]{0,3}```)|`[^`\n]{0,200}[({;\[][^`\n]{0,200}`"
)


def told_secrets(seen: Seen, taken: Sequence[Spot], *, soft: bool) -> list[Spot]:
    """Find what looks like a secret that somebody tells, by rules, by shape and by the model.

    What is `taken` already and what stands in code is none; without `soft` the model is not asked.
    """
    found = _apart_from(list(passwords(seen)), list(shaped_secrets(seen)))
    if soft:
        found = _apart_from(found, soft_secrets(seen))
    code = (
        [Spot("", *match.span()) for match in _CODE.finditer(seen.text)] if "`" in seen.text else []
    )
    known = sorted([*taken, *code], key=lambda spot: spot.start)
    reach = _reach(known)
    return [spot for spot in found if next(_met(spot, known, reach), None) is None]


def _apart_from(found: list[Spot], more: list[Spot]) -> list[Spot]:
    """Add what is new: a longer spot is the whole of those inside it, an overlapping one is not."""
    if not more:
        return found
    found = sorted(found, key=lambda spot: spot.start)
    reach, gone, added = _reach(found), set[int](), list[Spot]()
    for spot in more:
        met = list(_met(spot, found, reach))
        inside = [at for at in met if spot.start <= found[at].start and found[at].end <= spot.end]
        if len(inside) == len(met) and all(found[at][1:] != spot[1:] for at in inside):
            gone.update(inside)
            added.append(spot)
    return [*(spot for at, spot in enumerate(found) if at not in gone), *added]


def _reach(spots: Sequence[Spot]) -> list[int]:
    """Return how far the spots up to each one reach, so that overlaps are found by halving."""
    return list(accumulate((spot.end for spot in spots), max))


def _met(spot: Spot, others: Sequence[Spot], reach: Sequence[int]) -> Iterator[int]:
    """Yield the places of the others that a spot overlaps."""
    at = bisect_right(reach, spot.start)
    while at < len(others) and others[at].start < spot.end:
        if others[at].end > spot.start:
            yield at
        at += 1


def begun(seen: Seen, stretches: Sequence[tuple[int, int]]) -> list[Spot]:
    """Return what in each stretch is likeliest the beginning of a secret that goes on behind it."""
    learned, best = table(), dict[int, tuple[float, Spot]]()
    for span, score in scored(seen, learned):
        family = FAMILY[span.kind]
        # That it goes on makes it likelier that it began; for runs of words that is too little.
        sure = score - learned.least[family] + (_LIKELIER if family < 3 else 0.0)
        for at, (start, end) in enumerate(stretches):
            if start <= span.start and span.end <= end and sure > best.get(at, (0.0,))[0]:
                best[at] = (sure, Spot("password" if family else "pin", span.start, span.end))
    return [spot for _, spot in best.values()]


def soft_secrets(seen: Seen) -> list[Spot]:
    """Find secrets that are told in passing; of a very long text, in its beginning and end."""
    text, low = seen.text, seen.low
    if len(text) <= _HEAD + _TAIL:
        return _found(seen, 0)
    parts = ((0, _HEAD), (len(text) - _TAIL, len(text)))
    return [
        spot
        for start, end in parts
        for spot in _found(Seen(text[start:end], low[start:end]), start)
    ]


def _found(seen: Seen, offset: int) -> list[Spot]:
    found: list[Spot] = []
    learned = table()
    told = [
        (score, span)
        for span, score in scored(seen, learned)
        if score > learned.least[FAMILY[span.kind]]
    ]
    for _, span in sorted(told, key=lambda each: (-each[0], each[1].start)):
        if all(span.end <= spot.start or spot.end <= span.start for spot in found):
            found.append(Spot("password" if FAMILY[span.kind] else "pin", span.start, span.end))
    return [Spot(kind, start + offset, end + offset) for kind, start, end in sorted(found)]
