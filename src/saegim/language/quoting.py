"""Which words of a turn are someone else's: pasted blocks, texts to work on, speech that is told.

What is pasted is cut out of the turn. Speech inside a sentence of the person's own stays in it, as
what somebody said; a name, a title or a word in marks is the person's. Where it cannot be told, a
block belongs to the stranger: the person can say it again, a stranger's wish cannot be unsaid.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from saegim.language.word_lists import WordLists, read_lists
from saegim.language.words import borders
from saegim.memory.text import lazy_pattern

Place = tuple[int, int]

_BOTH: Final = read_lists("both/quoting")
_KO: Final = read_lists("ko/quoting")
_EN: Final = read_lists("en/quoting")
# What nobody sees may stand before a mark.
_UNSEEN: Final = " \t\r\u00ad\u200b\u200c\u200d\u200e\u200f\u2060\ufeff"
# A mark stands at the beginning of its line; what was said about a quotation, near it.
_MARGIN: Final = 240
# A fence or a rule of three and more; a rule may bear a title.
_FENCE: Final = lazy_pattern(r"(```+|~~~+)[^`~\n]*$")
_RULE: Final = lazy_pattern(
    r"(?:[-=*_─━—]{3,}|[-=*─━—]{3,}\s?[^-=*─━—\n]{1,40}\s?[-=*─━—]{3,})\s*$"
)
_CITED: Final = lazy_pattern(r"[>＞](?!\s?=)")


def _any_of(name: str, behind: str = "") -> re.Pattern[str]:
    return lazy_pattern(rf"(?i)(?:{'|'.join(_BOTH.lines(name))}){behind}")


_HEADER: Final = _any_of("headers", r"\s?[:：]")
_FORWARDED: Final = _any_of("forwarded", r"\s*$")
_BY_MACHINE: Final = _any_of("sent_by_machine")
_CHAT: Final = _any_of("chat_lines")
_CHAT_HEAD: Final = _any_of("chat_heads", r"\s*$")
_COMMENT: Final = lazy_pattern(
    rf"(?i)\s*(?:{'|'.join((*_KO.row('comment'), *_EN.row('comment')))})"
)
_ANYTHING: Final = lazy_pattern(".")

_MARKS: Final = (
    r"\"(?P<a>[^\"\n]{1,400})\"|“(?P<b>[^“”\n]{1,400})”|「(?P<c>[^「」\n]{1,400})」"
    r"|『(?P<d>[^『』\n]{1,400})』|«(?P<e>[^«»\n]{1,400})»|‘(?P<f>[^‘’\n]{1,400})’"
    r"|(?<![\w'])'(?P<g>[^'\s](?:[^'\n]|'(?=\w)){0,399})'(?![A-Za-z0-9])"
)
_QUOTE: Final = lazy_pattern(_MARKS)
# A paragraph that is nothing but a quotation, over several lines if need be.
_PARAGRAPH: Final = lazy_pattern(
    r"(?m)^[ \t]*[\"“「『]([^\"“”「」『』]{12,4000})[\"”」』][ \t]*[.~…ㅋㅎㅠㅜ]*[ \t]*$"
)
# So many words are a sentence that someone said, not a name, a title or a word stressed.
_SAID_WORDS, _LINE_WORDS = 2, 4
# Words need no spaces between them, and may be written in letters that nobody sees.
_LONGEST_NAME: Final = 40


def _joined(lists: WordLists, name: str) -> str:
    return "|".join(lists.row(name))


def _korean_task() -> str:
    give = _KO.text("give")
    do = _KO.text("do").replace("{give}", give)
    tasks = "|".join(_KO.lines("tasks"))
    return tasks.replace("{do}", do).replace("{give}", give)


_KO_TASK: Final = lazy_pattern(
    rf"(?:{_korean_task()})(?=[요용염]?\s*[\s~!?.…ㅎㅋㅠㅜ^)]*(?:$|[\n:：\"“‘'「『]|[-–—]\s|[A-Za-z]"
    r"|(?<=[.!?~…\n])\s*))"
)
_EN_TASK: Final = lazy_pattern(
    rf"(?i)^\W*(?:(?:{'|'.join(_EN.lines('asking'))})[\s,]+)*(?:{'|'.join(_EN.lines('tasks'))})"
    r"(?![\w,])"
)
_STANDING: Final = lazy_pattern(
    rf"(?i)(?:{_joined(_KO, 'standing')})|\b(?:{_joined(_EN, 'standing')})\b"
)
_FOLLOWS: Final = lazy_pattern(
    rf"(?i)(?<![가-힣])(?:{_joined(_KO, 'follows')})|\b(?:{_joined(_EN, 'follows')})\b"
)
_BEFORE: Final = lazy_pattern(
    rf"(?i)(?<![가-힣])(?:{_joined(_KO, 'before')})\s|\b(?:{_joined(_EN, 'before')})\b"
)
_HERE: Final = lazy_pattern(
    rf"(?i)(?<![가-힣])(?:{_joined(_KO, 'here')})|\b(?:{_joined(_EN, 'here')})\b"
)
_COLON: Final = lazy_pattern(r"[:：](?!//)|\s[-–—]\s")
_ME: Final = lazy_pattern(
    rf"(?i)(?<![\w가-힣])(?:{_joined(_KO, 'me')}|{_joined(_EN, 'me')})(?![\w가-힣])"
)
_KO_TOLD: Final = lazy_pattern("|".join(_KO.lines("told_after")))
_SAYS: Final = _joined(_EN, "says")
_EN_TOLD: Final = lazy_pattern(
    rf"(?i)\b(?:{_SAYS})(?:\s+(?:{_joined(_EN, 'to_whom')}|[A-Z]\w+))?\s*[,:]?\s*$"
    rf"|\baccording\s+to\s+[^.!?\n]{{1,60}}[,:]\s*$"
)
_EN_TOLD_AFTER: Final = lazy_pattern(
    rf"(?i),?\s*(?:(?:{_SAYS})\s+\w|(?:is|was)\s+what\s+\w|(?:\w[\w']*\s+){{1,4}}(?:{_SAYS})\b)"
)
_OWN_LABEL: Final = lazy_pattern(
    rf"(?i)(?:^|[\s,])(?:{'|'.join((*_KO.lines('own_label'), *_EN.lines('own_label')))})[:：]\s*$"
)
# Without one of these nothing is quoted, and nothing is asked for that could be.
_MAY_QUOTE: Final = lazy_pattern(
    rf"(?im)[\n\"“”「『«‘]|(?<![\w])'|^[^\w]*>|{_joined(_BOTH, 'sent_by_machine')}"
    rf"|^[\s\[]*\d{{1,4}}[./:년-]|\b(?:{'|'.join(_EN.lines('tasks'))})|{_korean_task()}"
    r"|^\[[^\]\n]{1,40}\]\s?\["
)
_HANGUL: Final = lazy_pattern("[가-힣]")
_LATIN_WORDS: Final = lazy_pattern(r"[A-Za-z][A-Za-z']*")
_OTHER_WORDS: Final = 3
_NAMED_BEHIND: Final = 40
_NAMED_NEAR: Final = 80


@dataclass(frozen=True, slots=True)
class Quotation:
    """A text with the places of what is someone else's in it."""

    text: str
    # Blocks and texts to work on: no words of the person's.
    pasted: tuple[Place, ...] = ()
    # What somebody said, told in a sentence of the person's own.
    reported: tuple[Place, ...] = ()
    # Those of the pasted that are only worked on or cited: nothing in them says whose they are.
    nobodys: tuple[Place, ...] = ()
    # Whether all that the person says is a request to work on what is pasted.
    only_works: bool = False

    @property
    def own(self) -> str:
        """Return the person's own words; where something stood inside a line, three dots do."""
        return _without(self.text, self.pasted)

    @property
    def spoken(self) -> str:
        """Return what the person says by themselves: no pasted words, no speech of others."""
        return _without(self.text, tuple(sorted((*self.pasted, *self.reported))))

    @property
    def sentences(self) -> list[str]:
        """Return the sentences of the text; speech that is told in one belongs to it."""
        edges = [0, *(at for at in borders(self.text) if not _inside(at, self.reported))]
        found = (self.text[one:two].strip() for one, two in pairwise([*edges, len(self.text)]))
        return [sentence for sentence in found if sentence]

    @property
    def others(self) -> tuple[str, ...]:
        """Return what was pasted, piece by piece."""
        return tuple(self.text[start:end].strip() for start, end in self.pasted)


def quotation(text: str, *, asked_for: bool = False) -> Quotation:
    """Find what is someone else's in a text.

    Whoever asks outright to keep a text (`asked_for`) means its quotations too, and what looks
    like a request in it: only pasted messages and speech that is told are then another's.
    """
    if not _MAY_QUOTE.search(text):
        return Quotation(text)
    blocks = _merged(text, _blocks(text, open_ended=not asked_for))
    work, requests = ([], []) if asked_for else _work(text, blocks)
    pasted = _merged(text, [*blocks, *work])
    lines, reported = _speech(text, pasted, requests)
    if asked_for:
        return Quotation(text, pasted, tuple(reported))
    nobodys = _merged(text, [*work, *lines])
    apart = [place for place in blocks if not _inside(place[0], nobodys)]
    found = tuple(sorted((*apart, *nobodys)))
    rest = _without(text, tuple(sorted((*found, *_outside(requests, found)))))
    only_works = bool(requests) and not any(map(str.isalnum, rest))
    return Quotation(text, found, tuple(reported), nobodys, only_works)


# -- blocks: whole lines that came from elsewhere -------------------------------------------------


class _Lines:
    """The lines of a text: where each begins and ends, and what it begins with."""

    def __init__(self, text: str) -> None:
        self.places = [found.span() for found in re.finditer(r"[^\n]*(?:\n|\Z)", text) if found[0]]
        heads = (text[start : min(end, start + _MARGIN)] for start, end in self.places)
        self.heads = [head.strip("\n").lstrip(_UNSEEN) for head in heads]
        self.size = len(text)

    def run(self, at: int, mark: re.Pattern[str]) -> int:
        """Return behind which line the run of marked lines ends."""
        while at < len(self.heads) and mark.match(self.heads[at]):
            at += 1
        return at

    def closed(self, at: int, mark: re.Pattern[str]) -> int:
        """Return behind which line stands the next mark, or the end."""
        later = range(at + 1, len(self.heads))
        return next((n + 1 for n in later if mark.match(self.heads[n])), len(self.heads))

    def to_the_comment(self, at: int, *, apart: bool) -> int:
        """Return where the person's remark on a message begins, if the turn ends with one.

        Below a mail it is a paragraph of its own (`apart`), below a short message a line.
        """
        for n in range(at + 1, len(self.heads)):
            below = not apart or not self.heads[n - 1]
            is_short = self.size - self.places[n][0] <= _MARGIN
            if below and is_short and _COMMENT.match(self.heads[n]):
                return n
        return len(self.heads)


def _blocks(text: str, *, open_ended: bool) -> Iterator[Place]:
    """Yield the pasted blocks, from the first line to the last."""
    lines = _Lines(text)
    at = 0
    while at < len(lines.heads):
        until = _block_end(lines, at, open_ended=open_ended) if lines.heads[at] else at
        if until > at:
            yield lines.places[at][0], lines.places[until - 1][1]
        at = max(until, at + 1)


def _block_end(lines: _Lines, at: int, *, open_ended: bool) -> int:
    """Return behind which line the block ends that begins at a line; the line itself if none."""
    head, last = lines.heads[at], len(lines.heads) - 1
    below = lines.heads[at + 1] if at < last else ""
    if fence := _FENCE.match(head):
        return lines.closed(at, re.compile(fence[1][:3]))
    if _CITED.match(head):
        return lines.run(at, _CITED)
    if _FORWARDED.match(head):
        cited = at + 1 if below or at == last else at + 2
        under = lines.run(cited, _CITED)
        return under if under > cited else lines.to_the_comment(at, apart=True)
    if _HEADER.match(head) and _HEADER.match(below):
        return lines.to_the_comment(at, apart=True)
    if _BY_MACHINE.match(head):
        return lines.to_the_comment(at, apart=False)
    if _CHAT.match(head):
        return max(n for n in range(at, last + 1) if _CHAT.match(lines.heads[n])) + 1
    if _CHAT_HEAD.match(head) and below:
        return lines.run(at, _ANYTHING)
    # A rule below everything else divides nothing, nor does a single one in what is to be kept.
    if _RULE.match(head) and at < last:
        until = lines.closed(at, _RULE)
        return until if open_ended or _RULE.match(lines.heads[until - 1]) else at
    return at


# -- texts to work on: translate, summarise, proofread --------------------------------------------


def _work(text: str, blocks: Sequence[Place]) -> tuple[list[Place], list[Place]]:
    """Return what is to be translated or the like, and the sentences that ask for it."""
    found: list[Place] = []
    asked: list[Place] = []
    edges = [0, *borders(text), len(text)]
    for start, end in pairwise(edges):
        if found and start < found[-1][1]:
            continue
        if _inside(start, blocks) or (task := _task(text[start:end])) is None:
            continue
        asked.append((start, end))
        found += _worked_on(text, start, start + task, end, bool(blocks))
    return found, asked


def _task(sentence: str) -> int | None:
    """Return where the request in a sentence ends, if it asks for work on a text that is here."""
    english = _EN_TASK.search(sentence)
    task = english or _KO_TASK.search(sentence)
    if task is None:
        return None
    # An English request names its text behind the verb, a Korean one before it.
    request = sentence[: task.end() + (_NAMED_BEHIND if english else 0)]
    colon = _COLON.search(request, task.end())
    is_standing = _STANDING.search(request[: colon.start() if colon else None])
    return None if is_standing else task.end()


def _worked_on(text: str, start: int, behind: int, end: int, blocks: bool) -> Iterator[Place]:
    """Yield the text that the request between `start` and `behind` is about."""
    colon = _COLON.search(text, behind, min(end, behind + 80))
    if colon and text[colon.end() :].strip() and not (blocks and text[colon.end()] == "\n"):
        yield colon.end(), len(text)
        return
    inner = [_inner(each) for each in _QUOTE.finditer(text, start, end)]
    if inner:
        yield from inner
        return
    rest, request = text[behind:end], text[start:end]
    if _HANGUL.search(text, start, behind) and _is_latin(rest):
        yield behind, len(text)
        return
    if blocks:
        return
    after, ahead = text[end:], text[start:behind]
    if after.strip() and not _BEFORE.search(request):
        lines = "\n" in text[behind:end] or "\n" in text[end - 1 : end]
        if lines or _FOLLOWS.search(request) or _HERE.search(request) or _is_other(ahead, after):
            yield end, len(text)
        return
    points = _BEFORE.search(request) or _HERE.search(request)
    # "… 이거 요약해줘": the request may begin inside a sentence, with what it points to.
    begins = points.start() if points and points.start() < behind - start else 0
    before = text[: start + begins] if _HANGUL.search(ahead) else text[:start]
    if before.strip() and (points or _is_other(ahead, before)):
        yield 0, len(before)


def _is_latin(text: str) -> bool:
    return not _HANGUL.search(text) and len(_LATIN_WORDS.findall(text)) >= _OTHER_WORDS


def _is_other(request: str, text: str) -> bool:
    """Say whether a text is in another language than the request that stands beside it."""
    if _HANGUL.search(request):
        return _is_latin(text)
    return len(_HANGUL.findall(text)) > len(_LATIN_WORDS.findall(text))


# -- marks: what somebody said --------------------------------------------------------------------


def _speech(
    text: str, pasted: tuple[Place, ...], asked: list[Place]
) -> tuple[list[Place], list[Place]]:
    """Return quotations that stand by themselves, and speech told in the person's own sentences."""
    whole = [
        found.span(1)
        for found in _PARAGRAPH.finditer(text)
        if not _inside(found.start(1), pasted) and _is_a_sentence(found[1], _LINE_WORDS)
    ]
    alone: list[Place] = []
    told: list[Place] = []
    for found in _QUOTE.finditer(text):
        place = _inner(found)
        if any(_inside(place[0], each) for each in (pasted, whole, asked)):
            continue
        inner = text[slice(*place)]
        near = max(0, found.start() - _MARGIN)
        before = text[near : found.start()].rpartition("\n")[2]
        after = text[found.end() : found.end() + _MARGIN].partition("\n")[0]
        if _is_told(before, after) and _is_a_sentence(inner, _SAID_WORDS):
            if not _is_mine(before, after):
                told.append(place)
        elif _stands_alone(before, after) and _is_a_sentence(inner, _LINE_WORDS):
            alone.append(place)
    return [*whole, *alone], told


def _is_a_sentence(words: str, least: int) -> bool:
    return len(words.split()) >= least or len(words) > _LONGEST_NAME


def _is_told(before: str, after: str) -> bool:
    before = before[-_NAMED_NEAR:]
    return bool(_KO_TOLD.match(after) or _EN_TOLD.search(before) or _EN_TOLD_AFTER.match(after))


def _is_mine(before: str, after: str) -> bool:
    """Say whether the person tells of what they said themselves."""
    clause = re.split(r"[.!?…]\s|\b(?:and|but|so)\b", before)[-1]
    if _ME.search(clause):
        return True
    spoken = _EN_TOLD_AFTER.match(after)
    return spoken is not None and _ME.search(spoken[0]) is not None


def _stands_alone(before: str, after: str) -> bool:
    """Say whether a quotation is a line's end of its own, under no label of the person's."""
    if re.search(r"\w", after):
        return False
    head = before.rstrip()
    return (not head or head[-1] in ".:：!?…~") and not _OWN_LABEL.search(before)


def _inner(found: re.Match[str]) -> Place:
    return next(found.span(name) for name in "abcdefg" if found[name] is not None)


def unmarked(text: str) -> str:
    """Return a text without the marks around names and single words: said aloud, they are none."""
    if not _MAY_QUOTE.search(text):
        return text
    return _QUOTE.sub(lambda found: _bare(found, text), text)


def _bare(found: re.Match[str], text: str) -> str:
    inner = text[slice(*_inner(found))]
    return found[0] if _is_a_sentence(inner, _LINE_WORDS) else inner


# -- places ---------------------------------------------------------------------------------------


def _inside(at: int, places: Sequence[Place]) -> bool:
    """Say whether a place lies in one of these, which are in order and apart."""
    found = bisect_right(places, at, key=lambda place: place[0])
    return found > 0 and at < places[found - 1][1]


def _merged(text: str, places: Iterable[Place]) -> tuple[Place, ...]:
    """Return the places in order, joined where nothing but white space stands between them."""
    made: list[Place] = []
    for start, end in sorted(places):
        if not text[start:end].strip():
            continue
        if made and not text[made[-1][1] : start].strip():
            made[-1] = made[-1][0], max(made[-1][1], end)
        else:
            made.append((start, end))
    return tuple(made)


def _outside(places: Iterable[Place], others: Sequence[Place]) -> Iterator[Place]:
    """Yield what of these places lies in none of the others, which are in order and apart."""
    for start, end in places:
        at = start
        for one, two in others:
            if at < one < end:
                yield at, one
            if one < end:
                at = max(at, two)
        if at < end:
            yield at, end


def _without(text: str, places: tuple[Place, ...]) -> str:
    kept, at = [], 0
    for start, end in places:
        kept.append(text[at:start])
        line = text[text.rfind("\n", 0, start) + 1 : start].strip()
        kept.append("…" if line else "")
        at = end
    return "".join((*kept, text[at:])).strip()
