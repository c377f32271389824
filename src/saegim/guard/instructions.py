"""Orders hidden in what strangers wrote: text of non-user origin that speaks to the assistant.

A second line of defence. It says what a text looks like; it never decides what may instruct.
"""

from __future__ import annotations

import base64
import binascii
import re
import sys
from collections.abc import Iterator
from typing import Final

from saegim.guard.order import FORMS, Rule
from saegim.guard.orders_english import ENGLISH
from saegim.guard.orders_english import OVERRIDE as OVERRIDE_ENGLISH
from saegim.guard.orders_korean import KOREAN
from saegim.guard.score import weight
from saegim.guard.seen import see
from saegim.memory.late import late

# Letters of other alphabets that look like Latin ones.
_LOOKS_LIKE: Final = {
    ord(other): latin
    for others, latins in (
        ("асеһіјӏокрԛѕтухԁԝвнмгзѵпɑցո", "acehijlokpqstuxdwbhmr3vnagn"),
        ("αβεικνορτυχγωηζ", "abeiknoptuxywnz"),
        ("АВСЕНІЈКМОРЅТХУ", "abcehijkmopstxy"),
        ("ΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "abezhikmnoptyx"),
        ("áàâäãåāąçćčéèêëēęíìîïīñńóòôöõøōúùûüūýÿžźż", "aaaaaaaaccceeeeeeiiiiinnooooooouuuuuyyzzz"),
    )
    for other, latin in zip(others, latins, strict=True)
}
_LEET: Final = str.maketrans("013457@$!|", "oieastasil")
_ROT13: Final = str.maketrans("abcdefghijklmnopqrstuvwxyz", "nopqrstuvwxyzabcdefghijklm")
_ROTATED: Final = tuple(
    verb.translate(_ROT13) for verb in ("ignore", "disregard", "forget", "override", "bypass")
)
_HANGUL: Final = late("[가-힣]")
_LATIN: Final = late("[a-z]{3}")
_TAGS: Final = late("[\U000e0020-\U000e007e]+")
_FLAG: Final = late("\U0001f3f4[\U000e0061-\U000e007a]{2,6}\U000e007f")
_SPACED: Final = late(r"(?<!\w)\w(?:[ .\-_*]{1,2}\w(?!\w)){5,}")
_SPACED_GAP: Final = late(r"[ .\-_*]+")
_MIXED: Final = late(r"(?<=[a-z])[013457@$!|]|[013457@$!|](?=[a-z])")
_BLOB: Final = late(r"(?<![A-Za-z0-9+/_\-])[A-Za-z0-9+/_\-]{24,}={0,2}")
_HEX: Final = late(r"(?<![0-9a-f])(?:[0-9a-f]{2}[ :]?){16,}(?![0-9a-f])")
_LONG_BLOB: Final = late(r"[A-Za-z0-9+/]{240}|(?:[A-Za-z0-9+/]{60,80}\s){4}")
# Without the spaces between its words an order is still an order.
_SQUEEZED: Final = late(
    r"(?:ignore|disregard|forget|override|bypass)(?:all|any|the|of|your|my)*(?:previous|prior"
    r"|earlier|above|preceding|system|your)\w{0,12}(?:instruction|prompt|rule|guideline"
    r"|direction|command)|revealthe?systemprompt|(?:이전|앞선|앞의|위의|기존|지금까지의?"
    r"|모든)(?:의|에받은|모든)*(?:지시|지침|명령|규칙|프롬프트)\w{0,6}(?:무시|잊|따르지)"
)
_MARKS: Final = (". ", "! ", "? ", "\n", "。")
_SENTENCES: Final = late(r"(?<=[.!?。])\s+|\n+")
# Number of sentences, and the least weight of an order among them: a page of instructions for
# people has many sentences that weigh a little.
_LEAST: Final = ((2, 2.5), (6, 3.0), (20, 4.0), (sys.maxsize, 5.0))
# How far around its first feature the others of a rule may stand.
_AROUND: Final = 240


def suspicion(text: str) -> str:
    """Return what a text of non-user origin looks like when it gives orders, else nothing."""
    hidden = _hidden(text)
    if hidden is not None:
        return _judge(hidden) or "hidden"
    return _judge(text)


def _judge(text: str) -> str:
    """Check the text, and then its disguises."""
    seen = see(text)
    plain = seen.low.translate(_LOOKS_LIKE)
    name = _named(plain)
    if name:
        return name
    if _sounds_like_an_order(plain):
        return "order"
    if any(OVERRIDE_ENGLISH.search(form) for form in _disguises(text, plain)):
        return "override"
    if _SPACED.search(plain) and _SQUEEZED.search(re.sub(r"[\W_]+", "", plain)):
        return "override"
    return _encoded(seen.text)


def _named(plain: str) -> str:
    """Return the name of the first rule that some sentence of the text fulfils."""
    rules: tuple[Rule, ...] = FORMS
    if _HANGUL.search(plain):
        rules += KOREAN
    if _LATIN.search(plain):
        rules += ENGLISH
    there: dict[str, bool] = {}
    for rule in rules:
        if _signs(rule, plain, there) and _fulfilled(rule, plain):
            return rule.name
    return ""


def _sounds_like_an_order(plain: str) -> bool:
    """Weigh each sentence; the more there are, the more one of them must weigh."""
    sentences = _SENTENCES.split(plain)
    least = next(least for most, least in _LEAST if len(sentences) <= most)
    return any(weight(sentence) >= least for sentence in sentences)


def _signs(rule: Rule, plain: str, there: dict[str, bool]) -> bool:
    """Say whether a quick sign of the rule is in the text; rules share their signs."""
    for sign in rule.signs:
        if sign not in there:
            there[sign] = sign in plain
        if there[sign]:
            return True
    return False


def _fulfilled(rule: Rule, plain: str) -> bool:
    """Say whether one sentence has every feature of the rule."""
    first, *others = rule.needs
    at = 0
    while found := first.search(plain, at):
        start, end = _sentence(plain, found.start(), found.end())
        if all(need.search(plain, start, end) for need in others) and not (
            rule.unless and rule.unless.search(plain, start, end)
        ):
            return True
        at = max(found.end(), min(end, found.start() + _AROUND))
    return False


def _sentence(plain: str, start: int, end: int) -> tuple[int, int]:
    """Return the sentence around a range, cut where it is too long."""
    low, high = max(0, start - _AROUND), min(len(plain), end + _AROUND)
    first = max(
        (at + 1 for mark in _MARKS if (at := plain.rfind(mark, low, start)) >= 0), default=low
    )
    ends = [at for mark in _MARKS if (at := plain.find(mark, end, high)) >= 0]
    return first, min(ends, default=high - 1) + 1


def _disguises(text: str, plain: str) -> Iterator[str]:
    """Yield the text with digits read as letters, turned by thirteen, or read from its end."""
    if _MIXED.search(plain):
        yield _MIXED.sub(lambda match: match[0].translate(_LEET), plain)
    if any(verb in plain for verb in _ROTATED):
        yield plain.translate(_ROT13)
    if "\u202e" in text:
        yield plain[::-1]


def _hidden(text: str) -> str | None:
    """Return what is written in invisible tag characters, if anything is."""
    if text.isascii() or not _TAGS.search(text):
        return None
    runs = _TAGS.findall(_FLAG.sub("", text))
    written = "".join(chr(ord(sign) - 0xE0000) for run in runs for sign in run)
    return f"{text}\n{written}" if written else None


def _encoded(text: str) -> str:
    """Say "encoded" when a blob holds an order, or is too long to be anything one reads."""
    if _LONG_BLOB.search(text):
        return "encoded"
    for match in _BLOB.finditer(text):
        if _named(_decoded(match[0])):
            return "encoded"
    for match in _HEX.finditer(text.lower()):
        raw = bytes.fromhex(re.sub("[ :]", "", match[0]))
        if _named(raw.decode("utf-8", "ignore").lower()):
            return "encoded"
    return ""


def _decoded(blob: str) -> str:
    plain = blob.replace("-", "+").replace("_", "/").rstrip("=")
    try:
        raw = base64.b64decode(plain + "=" * (-len(plain) % 4))
    except binascii.Error:
        return ""
    return raw.decode("utf-8", "ignore").lower()
