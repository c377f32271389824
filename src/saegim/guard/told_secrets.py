"""Secrets that are told in passing: by a shape that is nothing else, and by a reader that learned.

A text is cut into runs of letters, digits and signs. Of each run are seen its shape, its place and
what a list says it is about; a small net glances at them, and where it is not sure that nothing is
told, the text is read as the encoder reads (`engines/brain/secret_reader.py`). Both were taught on
lines that several hands wrote for it. What is found is held for a person to confirm.

The reader and numpy behind it are loaded with the first text of two words, not before.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Final, NamedTuple

from saegim.guard.passwords import UNIT, passwords
from saegim.guard.visible_text import FILLER, Seen, Spot, see
from saegim.language.word_lists import read_lists
from saegim.memory.text import lazy_pattern
from saegim.one_thread import ALONE

if TYPE_CHECKING:
    from saegim.engines.brain.secret_reader import SecretReader

# -- What words are about

SUBJECTS: Final = (
    "password phrase pin lock opens typing account wifi disk wallet two_factor app_password backup "
    "answer part direction national keep_in_mind recalled share spelling changed thing about code "
    "unit function"
).split()
_AT: Final = {name: at for at, name in enumerate(SUBJECTS)}
# Without a word about one of these, or a value that is no word, there is nothing to look for.
_TELLING: Final = frozenset(
    _AT[name]
    for name in (
        "password phrase pin lock opens typing account wifi disk wallet two_factor app_password "
        "backup answer share national"
    ).split()
)
_VALUE: Final = lazy_pattern(r"[0-9]{2}|[a-z][0-9]|[0-9][a-z]|[a-z][_#@$!&*][a-z0-9]")
_WORD: Final = lazy_pattern(r"[가-힣]+|[a-z]+(?:['\-][a-z]+)*")


@cache
def _subjects() -> dict[str, tuple[int, ...]]:
    """Return what each listed word is about."""
    lists = read_lists("both/told_secret_words")
    found: dict[str, tuple[int, ...]] = {}
    for at, name in enumerate(SUBJECTS):
        for word in lists.row(name):
            found[word] = (*found.get(word, ()), at)
    return found


def subjects_of(word: str, before: str = "") -> set[int]:
    """Return what a word is about, by itself and together with the one before it."""
    known = _subjects()
    found = set(known.get(f"{before}_{word}", ()))
    if "가" <= word[0] <= "힣":
        size = len(word)
        if size <= 3:
            found.update(known.get(word[0], ()))
        for start in range(size - 1):
            for end in range(start + 2, min(start + 5, size) + 1):
                found.update(known.get(word[start:end], ()))
        return found
    if direct := known.get(word) or known.get(word.removesuffix("'s")):
        return found.union(direct)
    return found.union(*(known.get(part, ()) for part in word.split("-"))) if "-" in word else found


def may_tell(low: str) -> int:
    """Say whether a text speaks of opening things (2), has a value that is no word (1), or not."""
    before = ""
    for match in _WORD.finditer(low):
        # A number by itself is that of an order as well as that of a lock.
        if match[0] != "number" and _TELLING & subjects_of(match[0], before):
            return 2
        before = match[0]
    return 1 if _VALUE.search(low) else 0


# -- What is seen of each run

# A run of one sort of letters, or what is glued together by signs: "c4b7e", "3-0-8", "gil#51".
_RUN: Final = lazy_pattern(
    r"\x00+|[가-힣]+|[ㄱ-ㅎㅏ-ㅣ]+|[a-z]+'[a-z]{1,2}(?![a-z0-9])"
    r"|[a-z0-9]+(?:[!#$%&*+.?@^_~\-]{1,3}[a-z0-9]+)*|[^\W\d_가-힣ㄱ-ㅎㅏ-ㅣ]+|\S"
)
_CHUNK: Final = lazy_pattern(r"\S+")
_LETTERS: Final = lazy_pattern(r"[a-z]+")
_QUOTED: Final = lazy_pattern(
    r"(?<![a-z0-9가-힣])(?P<mark>[\"'`])(?P<value>[^\"`\n]{1,80}?)(?P=mark)(?![a-z])"
)
# Fenced code, and what a line quotes from code. A fence that nothing closes is no fence.
# The id of a memory, which people and agents name to each other, looks like a key.
_OWN_ID: Final = lazy_pattern(r"\bmem_\d{8}_\d{6}_[0-9a-f]{20}\b")
_CODE: Final = lazy_pattern(
    r"(?s:(?m:^)[ ]{0,3}```.*?\n[ ]{0,3}```)|`[^`\n]{0,200}[({;\[=][^`\n]{0,200}`"
)
_ADDRESS: Final = lazy_pattern(r"https?://|www\.|[\w.+\-]+@[\w\-]+\.[a-z]|(?:[\w\-]*/){2}")
_FIGURE: Final = lazy_pattern(
    r"[0-9]+(?:[.,][0-9]+)+[a-z%]{0,3}|v?[0-9]+(?:\.[0-9]+)+\S*|[0-9]+(?:\.[0-9]+)?(?:%|[a-z]{1,3})"
)
_STRANGE: Final = lazy_pattern(
    r"[bcdfghjklmnpqrstvwxz]{4}|q(?!u)|[aeiou]{4}|\b[bcdfghjklmnpqrtvwxz]{3}"
)
# A day, pages from one to another, a name in code.
_PLAIN_FORM: Final = lazy_pattern(
    r"(?:19|20)[0-9]{2}[.\-/][01]?[0-9](?:[.\-/][0-3]?[0-9])?|[0-9]{1,2}[.\-][0-9]{1,2}"
    r"|[a-z]{2,}_[a-z0-9]{1,2}|(?:mon|tues|wednes|thurs|fri|satur|sun)days?"
)
_YEAR: Final = lazy_pattern(r"(?:19[3-9]|20[0-4])[0-9]")
# Digits in words.
_SPOKEN: Final = lazy_pattern(
    r"(?:(?:zero|oh|one|two|three|four|five|six|seven|eight|nine)(?:-|$))+"
    r"|[공영일이삼사오육륙칠팔구](?:$|[공영일이삼사오육륙칠팔구]{2,}.{0,3})"
)
_ONE_DIGIT: Final = lazy_pattern(
    "zero|one|two|three|four|five|six|seven|eight|nine|ten"
    "|하나|둘|셋|넷|다섯|여섯|일곱|여덟|아홉|열"
)
_HEX: Final = lazy_pattern(r"[0-9a-f\-]{7,}")
_BASE32: Final = lazy_pattern(r"[a-z2-7\-]{16,}")
_NAMES: Final = (
    "hangul latin digits glued jamo sign masked "
    "size1 size2 size3 size4 size6 size9 size13 size20 size99 "
    "digits1 digits2 digits3 digits4 digits5 digits6 digits7 digits8 digits9 "
    "lower title upper mixed spaced_before spaced_after line_start line_end "
    "quoted short_quote code glued_letters glued_digits glued_signs dashed dotted two_parts "
    "spoken hangul_beside address figure unit year money unknown strange hex base32 echo_length "
    "one_piece"
).split()
SHAPES: Final = {name: at for at, name in enumerate(_NAMES)}
SIGHTS: Final = len(SHAPES) + len(SUBJECTS)
_SIZES: Final = (1, 2, 3, 4, 6, 9, 13, 20, 99)


class Run(NamedTuple):
    """A run: where it stands, its first and last piece for the glance, what is seen of it."""

    start: int
    end: int
    first: int
    last: int
    sights: tuple[int, ...]


def _kind(run: str) -> str:
    sign = run[0]
    if sign == FILLER:
        return "masked"
    if "가" <= sign <= "힣":
        return "hangul"
    if "ㄱ" <= sign <= "ㅣ":
        return "jamo"
    if run.isdigit():
        return "digits"
    if not sign.isalnum():
        return "sign"
    return "latin" if run.replace("'", "").isalpha() else "glued"


def pieces_of(run: str, known: Mapping[str, int], *, latin: bool) -> list[int]:
    """Return the pieces of a run, the longest that is known first; what is unknown is left out."""
    word = f" {run}" if latin else run
    found: list[int] = []
    at = 0
    while at < len(word) and at < 40:
        for end in range(min(len(word), at + 14), at, -1):
            if (piece := known.get(word[at:end])) is not None:
                found.append(piece)
                at = end
                break
        else:
            at += 1
    return found


def runs_of(seen: Seen, known: Mapping[str, int]) -> list[Run]:
    """Return the runs of a text with what is seen of each."""
    text, low = seen.text, seen.low
    quotes = [
        (*match.span("value"), match["value"].count(" ") < 7) for match in _QUOTED.finditer(low)
    ]
    code = [match.span() for match in _CODE.finditer(low)] if "`" in low else []
    found: list[Run] = []
    size, before = 0, ""
    for chunk in _CHUNK.finditer(low):
        address = _ADDRESS.search(chunk[0]) is not None
        for match in _RUN.finditer(low, chunk.start(), chunk.end()):
            start, end = match.span()
            kind = _kind(match[0])
            names = {kind, *_shape(text[start:end], match[0], kind)}
            names.update(_place(low, start, end, kind))
            if address:
                names.add("address")
            for first, last, short in quotes:
                if first <= start < last:
                    names |= {"quoted", "short_quote"} if short else {"quoted"}
            if any(first <= start < last for first, last in code):
                names.add("code")
            if end - start == size and size > 2:
                names.add("echo_length")
            size = size if kind == "sign" else end - start
            pieces: list[int] = []
            if kind == "glued":
                for word in _LETTERS.findall(match[0]):
                    pieces += pieces_of(word, known, latin=True)
            elif kind not in ("digits", "masked"):
                word = match[0].partition("'")[0] or match[0]
                pieces = pieces_of(word, known, latin=kind == "latin")
            if len(pieces) == 1:
                names.add("one_piece")
            elif kind == "latin" or not pieces:
                names.add("unknown")
            ends = (pieces[0], pieces[-1]) if pieces else (0, 0)
            sights = [SHAPES[name] for name in names]
            if match[0][0].isalpha():
                sights += [len(SHAPES) + each for each in subjects_of(match[0], before)]
                before = match[0]
            found.append(Run(start, end, *ends, tuple(sights)))
    return found


def _shape(text: str, run: str, kind: str) -> Iterator[str]:
    """Say what is seen of a run by itself."""
    if kind in ("hangul", "latin", "glued"):
        yield f"size{next(size for size in (*_SIZES, len(run)) if len(run) <= size or size == 99)}"
    digits = sum(map(str.isdigit, run))
    if digits:
        yield f"digits{min(digits, 9)}"
    if kind == "digits" and _YEAR.fullmatch(run):
        yield "year"
    if _SPOKEN.fullmatch(run):
        yield "spoken"
    letters = _LETTERS.findall(run)
    if letters:
        yield (
            "lower" if text == run else "upper" if text.isupper() and len(text) > 1
            else "title" if text[1:] == run[1:] else "mixed"
        )  # fmt: skip
        if _STRANGE.search(run):
            yield "strange"
    if kind != "glued":
        return
    if letters:
        yield "glued_letters"
    if digits:
        yield "glued_digits"
    if signs := set(run).intersection("!#$%&*+?@^_~"):
        yield "glued_signs"
    if "-" in run:
        yield "dashed"
    if "." in run:
        yield "dotted"
    if len(letters) + (digits > 0) == 2 and not signs:
        yield "two_parts"
    if _FIGURE.fullmatch(run):
        yield "figure"
    if digits and _HEX.fullmatch(run):
        yield "hex"
    if _BASE32.fullmatch(run):
        yield "base32"


def _place(low: str, start: int, end: int, kind: str) -> Iterator[str]:
    """Say what is seen of the place where a run stands."""
    before, behind = low[start - 1 : start], low[end : end + 1]
    if not before or before.isspace():
        yield "spaced_before"
        if not before or before == "\n":
            yield "line_start"
    elif "가" <= before <= "힣":
        yield "hangul_beside"
    if not behind or behind.isspace():
        yield "spaced_after"
        if not behind or behind == "\n":
            yield "line_end"
    elif "가" <= behind <= "힣":
        yield "hangul_beside"
    if kind in ("digits", "glued"):
        if UNIT.match(low, end):
            yield "unit"
        if before and before in "$₩€£":
            yield "money"
        if before and before in ".,:/" and low[start - 2 : start - 1].isdigit():
            yield "figure"
        if behind and (behind == "%" or (behind in ".,:/" and low[end + 1 : end + 2].isdigit())):
            yield "figure"


# -- What is told in a text

# How far a text is read at once, in characters, and how much of what stands before it is read
# along: in more, what is told once is lost among all that is only talk.
_STRETCH: Final = 240
_BEHIND: Final = 110
_CUT: Final = lazy_pattern(r"\n+|(?<=[.!?…])\s+|\s+")
_MOST_RUNS: Final = 160
_OTHER_SCRIPT: Final = lazy_pattern(r"[\u0370-\u052f\u3040-\u30ff\u4e00-\u9fff]")


@cache
def reader() -> SecretReader:
    """Return the reader that ships."""
    from saegim.engines.brain.secret_reader import SecretReader

    return SecretReader()


def _stretches(low: str) -> Iterator[tuple[int, int]]:
    """Cut a text where lines, sentences or words end, so that each part is read at once."""
    at = 0
    while len(low) - at > _STRETCH:
        cuts = [match.end() for match in _CUT.finditer(low, at + _STRETCH // 3, at + _STRETCH)]
        lines = (cut for cut in reversed(cuts) if low[cut - 1] == "\n")
        ends = (
            cut for cut in reversed(cuts) if low[max(at, cut - 3) : cut].rstrip()[-1:] in ".!?…"
        )
        end = next(lines, 0) or next(ends, 0) or max(cuts, default=at + _STRETCH)
        yield at, end
        at = end
    if at < len(low):
        yield at, len(low)


class ReadPart(NamedTuple):
    """A part of a text with the end of what stands before it."""

    seen: Seen
    own: int  # from where on it is the part itself
    moved: int  # what is added to a place in `seen` for the place in the text


def parts_of(seen: Seen, before: str = "") -> Iterator[ReadPart]:
    """Yield the parts of a text, each behind what precedes it: in it, or the message before."""
    head = see(before) if before else None
    for first, last in _stretches(seen.low):
        if first:
            start = _word_before(seen.low, first)
            part = Seen(seen.text[start:last], seen.low[start:last])
            yield ReadPart(part, first - start, start)
        elif head:
            start = _word_before(head.low, len(head.low))
            text, low = (f"{of[start:]}\n\n" for of in (head.text, head.low))
            part = Seen(text + seen.text[:last], low + seen.low[:last])
            yield ReadPart(part, len(text), -len(text))
        else:
            yield ReadPart(Seen(seen.text[:last], seen.low[:last]), 0, 0)


def _word_before(low: str, end: int) -> int:
    """Return where the first whole word within reach of a place begins."""
    if end <= _BEHIND:
        return 0
    gap = _CUT.search(low, end - _BEHIND, end)
    return gap.end() if gap else end - _BEHIND


def read_secrets(seen: Seen, before: str = "") -> Iterator[Spot]:
    """Find what the reader takes for a secret; the message before is read along, not searched."""
    read: dict[str, list[tuple[int, int]]] = {}  # a long text may say the same again and again
    for part, own, moved in parts_of(seen, before):
        low = part.low
        # One word alone, as an id or a name is, tells nothing, nor do two that speak of opening
        # nothing; other scripts were never learned.
        words = len(low.split(maxsplit=2))
        if words < 2 or _OTHER_SCRIPT.search(low):
            continue
        if words == 2 and not own and may_tell(low) < 2:
            continue
        if (found := read.get(part.text)) is None:
            runs = runs_of(part, reader().known)
            groups = (runs[at : at + _MOST_RUNS] for at in range(0, len(runs), _MOST_RUNS))
            found = read[part.text] = [spot for some in groups for spot in _found(some, low)]
        for start, end in found:
            start = max(start, own)
            # Assigned as in code: secrets.py knows which of these count.
            if start >= end or "=" in low[max(own, start - 1) : end + 1]:
                continue
            value = low[start:end]
            # One digit, also in words, opens nothing.
            if sum(map(str.isalnum, value)) < 2 or _ONE_DIGIT.fullmatch(value):
                continue
            kind = "pin" if value.strip("*#").replace(" ", "").isdigit() else "password"
            yield Spot(kind, start + moved, end + moved)


def told_scores(runs: Sequence[Run], low: str) -> Sequence[float] | None:
    """Return how likely each run belongs to a secret, or None where a glance is enough."""
    learned = reader()
    bounds, tells = learned.bounds, may_tell(low)
    with ALONE:
        glanced = learned.glance(runs, SIGHTS)
        if glanced.max() < bounds.gate:
            return None
        said = (1 - bounds.share) * learned.look(low, runs, SIGHTS) + bounds.share * glanced
    # Where no word speaks of opening anything it must be surer.
    surer = bounds.plain if not tells else bounds.odd if tells == 1 else 0.0
    scores: list[float] = (said - surer).tolist()
    return scores


def _found(runs: Sequence[Run], low: str) -> Iterator[tuple[int, int]]:
    """Join neighbours of which one is surely secret and the others probably are."""
    said = told_scores(runs, low) if runs else None
    if said is None:
        return
    bounds, at = reader().bounds, 0
    while at < len(runs):
        end = at
        while end < len(runs) and said[end] > bounds.beside:
            end += 1
        sure = (
            said[place] > (bounds.word if _is_word(runs[place].sights) else bounds.least)
            for place in range(at, end)
            if _holds(runs[place], low)
        )
        if any(sure):
            first, last = at, end - 1
            while not _holds(runs[first], low):
                first += 1
            while not _holds(runs[last], low):
                last -= 1
            yield runs[first].start, runs[last].end
        at = max(end, at + 1)


_NEVER: Final = frozenset(SHAPES[name] for name in ("sign", "masked", "code", "address"))


_WORDS: Final = frozenset(SHAPES[name] for name in ("latin", "hangul"))


def _is_word(sights: Sequence[int]) -> bool:
    return not _WORDS.isdisjoint(sights) and SHAPES["spoken"] not in sights


_COUNTING: Final = frozenset(SHAPES[name] for name in ("unit", "figure", "money"))


def _holds(run: Run, low: str) -> bool:
    """Say whether a run can hold a value: no sign, mask, code, address, sum, day, name in code."""
    counts = SHAPES["digits"] in run.sights and not _COUNTING.isdisjoint(run.sights)
    plain = counts or _PLAIN_FORM.fullmatch(low, run.start, run.end)
    return not plain and _NEVER.isdisjoint(run.sights)


# -- What a shape gives away, alone or with one word anywhere in the text

_SEED_WORDS: Final = lazy_pattern(
    r"wallet|(?<![a-z])seed(?!s|ling)|ledger|trezor|metamask|mnemonic|recover|restor|crypto"
    r"|bitcoin|지갑|시드|니모닉|메타마스크|렛저|복구|복원|코인|구문"
)
_SECOND_FACTOR: Final = lazy_pattern(
    r"authenticat|2fa|mfa|otp|two.factor|totp|setup key|secret|seed|manual|qr|인증|오티피|큐알"
    r"|수동|설정|시크릿|비밀키|시드"
)
_MAIL: Final = lazy_pattern(
    r"app|mail|imap|smtp|outlook|google|apple|icloud|yahoo|password|앱|메일|아웃룩|구글|애플|야후"
    r"|암호|비번"
)
_LIST: Final = lazy_pattern(
    r"(?<![a-z'\-])[a-z]{3,8}(?:(?:,[ ]|[ ]|\n)[a-z]{3,8}){11,23}(?![a-z'\-])"
    r"|(?<![가-힣])[가-힣]{1,5}(?:(?:,[ ]|[ ])[가-힣]{1,5}){11,23}(?![가-힣])"
)
_FOURS: Final = lazy_pattern(
    r"(?<![0-9a-z\-])(?=([a-z]{4}(?:(?:[ ][a-z]{4}){3}|(?:-[a-z]{4}){3}))(?![0-9a-z\-]))"
)
_KEYS: Final = lazy_pattern(
    r"(?<![0-9A-Za-z])(?:[A-Z2-7]{16,64}|(?:[A-Z2-7]{4}[ \-]){3,15}[A-Z2-7]{4})(?![0-9A-Za-z])"
)
_SIXTEEN: Final = lazy_pattern(r"(?<![0-9a-z])[a-z]{16}(?![0-9a-z])")
# Groups of six digits, eight of them, open an encrypted disk and nothing else.
_DISK: Final = lazy_pattern(r"(?<![0-9\-])[0-9]{6}(?:[ \-][0-9]{6}){7}(?![0-9\-])")
# A Korean word of a sentence, not of a list.
_ENDED: Final = lazy_pattern(r"(?:은|는|을|를|에|요|고|면|서|게|건|나|죠|데|지|도|로|어|야|다)$")
# How unlike English letters follow each other before nobody wrote them, in nats for a letter.
_UNLIKELY: Final = 3.6


@cache
def _letter_pairs() -> str:
    return "".join(read_lists("both/told_secret_words").lines("letter_pairs"))


def strangeness(word: str) -> float:
    """Return how unlike English the letters of a word follow each other, in nats for a letter."""
    letters = [ord(each) - 97 for each in word.lower() if "a" <= each.lower() <= "z"]
    if len(letters) < 2:
        return 0.0
    known = _letter_pairs()
    tenths = sum(ord(known[26 * one + two]) - 48 for one, two in pairwise(letters))
    return tenths / (len(letters) - 1) / 10


def shaped_secrets(seen: Seen) -> Iterator[Spot]:
    """Find what its shape gives away."""
    text, low, last = seen.text, seen.low, 0
    for match in _FOURS.finditer(low):
        if match.start() >= last and strangeness(match[1]) >= _UNLIKELY + 0.3:
            last = match.end(1)
            yield Spot("password", *match.span(1))
    for match in _DISK.finditer(low):
        yield Spot("password", *match.span())
    if _MAIL.search(low):
        for match in _SIXTEEN.finditer(low):
            if strangeness(match[0]) >= _UNLIKELY + 0.6:
                yield Spot("password", *match.span())
    if _SECOND_FACTOR.search(low):
        for match in _KEYS.finditer(text):
            value = re.sub("[ -]", "", match[0])
            mixes = any(map(str.isdigit, value)) and sum(map(str.isalpha, value)) >= 8
            if len(value) >= 16 and (mixes or strangeness(value) >= _UNLIKELY):
                yield Spot("password", *match.span())
    if _SEED_WORDS.search(low):
        for match in _LIST.finditer(low):
            pieces = re.split("[, \n]+", match[0])
            plain = sum(_AT["function"] in subjects_of(each) for each in pieces)
            spoken = sum(_ENDED.search(each) is not None for each in pieces)
            if not plain and spoken <= len(pieces) // 4:
                yield Spot("password", *match.span())


def told_secrets(seen: Seen, taken: Sequence[Spot], before: str = "") -> Iterator[Spot]:
    """Find what looks like a secret that somebody tells; in code only known forms of keys are.

    `before` is what was said last: the first half of a secret, or the question. What was `taken`
    already, or is known by a rule, is not widened by what is less sure of it.
    """
    code = [match.span() for match in _CODE.finditer(seen.low)] if "`" in seen.low else []
    known = Spans([*code, *((spot.start, spot.end) for spot in taken)])
    found = [spot for spot in (*passwords(seen), *shaped_secrets(seen)) if not known.meet(spot)]
    yield from found
    ids = [match.span() for match in _OWN_ID.finditer(seen.low)] if "mem_" in seen.low else []
    known = Spans([*known.spans, *ids, *((spot.start, spot.end) for spot in found)])
    yield from (spot for spot in read_secrets(seen, before) if not known.meet(spot))


class Spans:
    """Stretches of a text, asked whether a spot overlaps any of them."""

    def __init__(self, spans: Sequence[tuple[int, int]]) -> None:
        self.spans = sorted(spans)
        self._reach = list(accumulate((end for _, end in self.spans), max))

    def meet(self, spot: Spot) -> bool:
        """Say whether a spot overlaps one."""
        at = bisect_right(self._reach, spot.start)
        return at < len(self.spans) and self.spans[at][0] < spot.end
