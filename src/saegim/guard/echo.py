"""Our own words coming back: recalled memories that somebody pasted or a hook captured again."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from saegim.memory.text import canonical_key, lazy_pattern

# ---- The marks around what we put into a prompt, so that it is quoted data and known again later.

# The word before the boundary is ours alone; the boundary makes a block impossible to close from
# inside. Whoever captures a conversation finds our own words by these marks.
NAME = "saegim-memory"
OPEN = f"<{NAME}"
CLOSE = f"</{NAME}"
BLOCK = lazy_pattern(
    rf"<{NAME}(?:\s+boundary=\"?(?P<boundary>[\w-]+)\"?)?[^>]*>.*?</{NAME}(?(boundary)\s+(?P=boun"
    rf"dary))\s*>",
    re.DOTALL | re.IGNORECASE,
)


def opening(boundary: str) -> str:
    """Return the mark that opens a block."""
    return f'{OPEN} boundary="{boundary}">'


def closing(boundary: str) -> str:
    """Return the mark that closes the block of this boundary."""
    return f"{CLOSE} {boundary}>"


# ---- Our own words coming back: recalled memories that somebody pasted or a hook captured again.

# Shorter lines are said by everyone, and nobody is quoted by them.
LEAST_LETTERS: Final = 8
# A memory may be some sentences or lines long; longer ones come back inside our fence.
_TOGETHER: Final = 3

_OPENING: Final = lazy_pattern(
    rf"<{NAME}(?:\s+boundary=\"?(?P<boundary>[\w-]+)\"?)?[^<>]*>", re.IGNORECASE
)
_CLOSING: Final = lazy_pattern(rf"</{NAME}(?:\s+(?P<boundary>[\w-]+))?\s*>", re.IGNORECASE)
_SENTENCE: Final = lazy_pattern(r"[^\s].*?(?:[.!?。…]+[\"')\]”’」]*(?=\s)|$)", re.DOTALL)
# What a quotation adds: marks, bullets, numbers or a date in front, a source behind.
_BEFORE: Final = lazy_pattern(
    r"(?:\s*(?:>+|[-*+•‣▪◦·–—#]+(?=\s)|\(?[0-9]{1,3}[.)](?=\s)|\[[^\[\]\n]{1,60}\]|[①-⑳]))*\s*"
)
_BEHIND: Final = lazy_pattern(
    r"\s*(?:\[[^\[\]\n]{1,120}\]|\([^()\n]{1,120}\)|\{[^{}\n]{1,120}\})\s*$"
)
_UNADORNED: Final = lazy_pattern(r"(?:[^\W\d_①-⑳][^\n]*\n)*[^\W\d_①-⑳][^\n]*[\w.!?。…]")
_QUOTES: Final = "\"'“”‘’「」『』`*"


@dataclass(frozen=True, slots=True)
class Echoless:
    """A text without our own words, and how many pieces of them were taken out."""

    text: str
    removed: int


def without_echo(text: str, known: Callable[[Sequence[str]], Collection[str]]) -> Echoless:
    """Take out blocks inside our fence, and lines or sentences that are memories already.

    `known` is asked once, with canonical keys, and answers which of them are stored.
    """
    unfenced, blocks = _unfenced(text)
    pieces = list(_pieces(unfenced))
    keys = {key: None for _, _, found in pieces for key in found}
    stored = set(known(list(keys))) if keys else set()
    echoes = [(start, end) for start, end, found in pieces if not stored.isdisjoint(found)]
    if not blocks and not echoes:
        return Echoless(text, 0)
    rest, taken = _without(unfenced, echoes)
    return Echoless(rest.strip(), blocks + taken)


def _unfenced(text: str) -> tuple[str, int]:
    """Cut out every fenced block; each mark is looked at once, however many there are."""
    if CLOSE not in text.lower():
        return text, 0
    closings: dict[str, list[int]] = {}
    ends: dict[int, int] = {}
    for mark in _CLOSING.finditer(text):
        closings.setdefault((mark["boundary"] or "").lower(), []).append(mark.start())
        ends[mark.start()] = mark.end()
    kept, at, blocks = [], 0, 0
    for mark in _OPENING.finditer(text):
        if mark.start() < at:
            continue
        for boundary in dict.fromkeys(((mark["boundary"] or "").lower(), "")):
            places = closings.get(boundary, [])
            nearest = bisect_left(places, mark.end())
            if nearest < len(places):
                kept.append(text[at : mark.start()])
                at = ends[places[nearest]]
                blocks += 1
                break
    return "".join([*kept, text[at:]]), blocks


def _pieces(text: str) -> Iterator[tuple[int, int, list[str]]]:
    """Yield every stretch that may be a memory, with the keys it may have; long ones first."""
    lines = [line.span() for line in re.finditer(r"[^\n]+", text)]
    for start, end in _windows(lines):
        yield start, end, _keys(text[start:end])
    for first, last in lines:
        sentences = [found.span() for found in _SENTENCE.finditer(text, first, last)]
        if len(sentences) > 1:
            for start, end in _windows(sentences):
                yield start, end, _keys(text[start:end])


def _windows(spans: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yield each run of up to three neighbours, the long runs first."""
    for size in range(min(_TOGETHER, len(spans)), 0, -1):
        for at in range(len(spans) - size + 1):
            yield spans[at][0], spans[at + size - 1][1]


def _keys(piece: str) -> list[str]:
    """Return the keys of a stretch as it is, and without what a quotation adds to it."""
    whole = piece.strip()
    if sum(map(str.isalnum, whole)) < LEAST_LETTERS:
        return []
    if _UNADORNED.fullmatch(whole):
        return [canonical_key(whole)]
    bare = "\n".join(_BEFORE.sub("", line, count=1) for line in whole.splitlines())
    forms = [whole, bare, bare.strip(_QUOTES)]
    while (shorter := _BEHIND.sub("", bare)) != bare and len(forms) < 8:
        bare = shorter
        forms += [bare, bare.strip(_QUOTES)]
    long = (form for form in forms if sum(map(str.isalnum, form)) >= LEAST_LETTERS)
    return list(dict.fromkeys(map(canonical_key, long)))


def _without(text: str, echoes: list[tuple[int, int]]) -> tuple[str, int]:
    """Cut the stretches out, and with them what is left of a line when nothing is said in it."""
    taken: list[tuple[int, int]] = []
    for start, end in sorted(echoes, key=lambda span: (span[0], -span[1])):
        if not taken or start >= taken[-1][1]:
            taken.append((start, end))
    kept, at = [], 0
    for start, end in taken:
        kept.append(text[at:start])
        at = end
        while text[at : at + 1] == " " and text[start - 1 : start].isspace():
            at += 1
    rest = "".join([*kept, text[at:]])
    lines = rest.split("\n")
    said = set(text.split("\n"))
    spoken = [line for line in lines if line in said or any(map(str.isalnum, line))]
    return "\n".join(spoken), len(taken)
