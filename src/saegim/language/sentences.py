"""Sentences of a Korean or English text, and the parts of one that is too long to keep whole."""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import pairwise
from typing import Final

from saegim.errors import BadInput
from saegim.language.word_lists import read_lists
from saegim.memory.lazy_patterns import lazy_pattern

_LISTS: Final = read_lists("both/sentences")

# Last syllables of Korean sentences: with laughter, tears or three dots behind them they end one.
_ENDINGS: Final = "다요죠까네음함임됨지야어아해라자래게걸군데니냐나봐줘퍼파커써와워켜려쳐져겨여돼"
# Laughter, tears, emoticons and pictures belong to the sentence before them.
_PICTURES: Final = "\u2600-\u27bf\U0001f300-\U0001faff"
_MOOD: Final = f"ㅋㅎㅠㅜ~^♥♡☆★;{_PICTURES}\u2b00-\u2bff\ufe0f\u200d\U0001f1e6-\U0001f1ff"
_CLOSERS: Final = "\"'”’)\\]}」』》〉"
_END: Final = lazy_pattern(
    rf"(?P<stop>[.!?。！？]+[.!?…。！？]*)[{_CLOSERS}]*[ \t]*(?:[{_MOOD}]+(?=\s|$))?(?=\s|$)"
    r"|(?<=[가-힣])(?P<tight>[.!?]+)(?=[가-힣])"
    rf"|(?P<trail>…+|[{_MOOD}]{{2,}}|[{_PICTURES}])[{_MOOD}]*(?=\s|$)"
    r"|(?P<line>[\r\n\v\f\x85\u2028\u2029])"
)
_SHORT: Final = _LISTS.words("short")
_BLANK: Final = lazy_pattern(r"\s*")
_WORD: Final = lazy_pattern(r"[A-Za-z.]+$|\d+$")
_DATE: Final = lazy_pattern(r"\d{4}\. ?\d{1,2}\. ?\d{1,2}$")
_SPEECH: Final = lazy_pattern(r"(?:이?라고|하고|이?라며|이?라는|고|며)(?![가-힣])|[a-z]")
_PARAGRAPH: Final = lazy_pattern(r"\n[ \t\r]*(?:\n[ \t\r]*)+")
# Marks that are drawn together with the character before them.
_JOINED: Final = lazy_pattern(
    "[\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u064b-\u065f\u1160-\u11ff\u1ab0-\u1aff\u1dc0-\u1dff"
    "\u200d\u20d0-\u20ff\u3099\u309a\ufe00-\ufe0f\ufe20-\ufe2f\ud7b0-\ud7ff\udc00-\udfff"
    "\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f\U000e0100-\U000e01ef]"
)
# A drawn character longer than this is an attack on the reader, not a letter.
_LONGEST_LETTER: Final = 32


def sentences(text: str) -> list[str]:
    """Return the sentences of a text in order; nothing is lost but the white space around them."""
    starts = [0, *borders(text), len(text)]
    found = (text[one:two].strip() for one, two in pairwise(starts))
    return [sentence for sentence in found if sentence]


def borders(text: str) -> list[int]:
    """Return the places where a sentence after the first one begins."""
    found = []
    last = 0
    for end in _END.finditer(text):
        if end.start() < last or not _closes(text, end, last):
            continue
        blank = _BLANK.match(text, end.end())
        start = blank.end() if blank else end.end()
        if start == len(text):
            break
        if last < start:
            found.append(start)
            last = start
    return found


def _closes(text: str, end: re.Match[str], last: int) -> bool:
    """Say whether the mark that was found closes a sentence."""
    at = end.start()
    if end["line"]:
        return True
    if end["tight"]:
        return text[at - 1] in _ENDINGS
    after = _BLANK.match(text, end.end())
    following = after.end() if after else end.end()
    if end["trail"] or (end["stop"].startswith("..") and not set(end["stop"]) & set("!?")):
        before = text[last:at].rstrip()
        said = len(before) > 1 and before[-1] in _ENDINGS and "가" <= before[-2] <= "힣"
        return said or text[following : following + 1].isupper()
    if any(mark in end[0] for mark in "\"'”’") and _SPEECH.match(text, following):
        return False
    return not (end["stop"] == "." and _abbreviates(text, at, last, following))


def _abbreviates(text: str, at: int, last: int, following: int) -> bool:
    """Say whether the dot at a place shortens a word (Dr.) or counts (1. or 2024. 3. 5.)."""
    word = _WORD.search(text, max(last, at - 12), at)
    if word is None:
        return False
    if word[0].isdigit():
        counts = word.start() == last or text[following : following + 1].isdigit()
        return counts or _DATE.search(text, max(last, at - 12), at) is not None
    letters = word[0].lower().rstrip(".")
    if letters in ("a.m", "p.m", "etc", "u.s", "u.k"):
        return not text[following : following + 1].isupper()
    return letters in _SHORT or (len(letters) == 1 and letters != "i" and word[0].isupper())


def parts(text: str, limit: int) -> list[str]:
    """Cut a long text into parts of at most `limit` characters; joined they are the text again.

    A part ends where a paragraph ends if it can, else where a sentence, else where a word ends.
    """
    if limit < 1:
        raise BadInput("perceive.part_cannot_hold_characters", limit=limit)
    if len(text) <= limit:
        return [text] if text else []
    paragraphs = [border.end() for border in _PARAGRAPH.finditer(text)]
    starts = borders(text)
    found, at = [], 0
    while len(text) - at > limit:
        cut = _cut(text, at, at + limit, paragraphs, starts)
        found.append(text[at:cut])
        at = cut
    return [*found, text[at:]]


def _cut(text: str, at: int, most: int, paragraphs: list[int], starts: list[int]) -> int:
    for places in (paragraphs, starts):
        if (found := bisect_right(places, most)) and places[found - 1] > at:
            return places[found - 1]
    for place in range(most, at, -1):
        if text[place - 1].isspace() and not text[place].isspace():
            return place
    for place in range(most, max(at, most - _LONGEST_LETTER), -1):
        if not _drawn_together(text, place):
            return place
    return most


def _drawn_together(text: str, place: int) -> bool:
    """Say whether the characters around a place are drawn as one (letters, flags, line ends)."""
    before, after = text[place - 1], text[place]
    if _JOINED.match(after) or before == "\u200d" or (before == "\r" and after == "\n"):
        return True
    if "\u1100" <= before <= "\u115f" and "\u1100" <= after <= "\u115f":
        return True
    if not (_is_flag(before) and _is_flag(after)):
        return False
    first = place - 1
    while first > 0 and place - first < _LONGEST_LETTER and _is_flag(text[first - 1]):
        first -= 1
    return (place - first) % 2 == 1


def _is_flag(letter: str) -> bool:
    return "\U0001f1e6" <= letter <= "\U0001f1ff"
