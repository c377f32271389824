"""What a question asks about: its times, its quoted phrases and the names it knows; no model.

Who asks looks back: a weekday or a month without a year is the last one, unless the question looks
ahead. What is vague or impossible is no time, and stays among the words to look for.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache
from itertools import islice
from typing import Final

from saegim.errors import BadInput
from saegim.language import times as when
from saegim.language.days import ENGLISH, KOREAN, either
from saegim.language.en import words as english
from saegim.language.ko import words as korean
from saegim.language.ko.verbs import closing, known_stems
from saegim.language.questions import (
    may_name_stretch,
    months,
    only_asks,
    requests_blanked,
    stretches,
    topic_of,
    vague_blanked,
    widened,
    with_vague,
)
from saegim.language.times import Span
from saegim.language.word_lists import read_lists
from saegim.memory.memory import Scope
from saegim.memory.text import fold, lazy_pattern, normalise
from saegim.store.rows import Where
from saegim.store.search.resident_tables import Tables

_LISTS: Final = read_lists("both/questions")

# The beginning of a question says that it asks, not what it asks about.
_ASKING = re.compile(
    r"^\s*(?:what|when|where|who|whom|whose|which|why|how(?: many| much| long| often| old)?|"
    r"did|does|do|is|are|was|were|has|have|can|could|would|will)\b[\s']*"
    r"(?:did|does|do|is|are|was|were|has|have|can|could|would|will|'s)?\s*",
    re.IGNORECASE,
)
MOST = 1000
# A question longer than this is a document: what it asks stands at its beginning or its end.
MAX_QUESTION = 4000


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """A question, the memories that count, and how many are wanted.

    A `steady` one is answered in the same order at any time: how recently something was in hand
    does not count, and no trace is left (what is put into a prompt must not change by itself).
    With `near_misses`, what lies just below the floor of the embedder is shown too.
    """

    text: str
    where: Where
    limit: int = 10
    steady: bool = False
    near_misses: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.text, str):
            raise BadInput("recall.question_must_be_string", type=type(self.text).__name__)
        if isinstance(self.limit, bool) or not isinstance(self.limit, int) or self.limit < 1:
            raise BadInput("recall.limit_cannot_be", limit=self.limit, most=MOST)
        if self.limit > MOST:
            raise BadInput("recall.limit_is_too_large", limit=self.limit, most=MOST)

    @property
    def asked(self) -> str:
        """Return the text to search with: folded, both ends, nothing SQLite stumbles over."""
        return _searchable(self.text)

    @property
    def meaning(self) -> str:
        """Return the text to embed: the question without the words that only ask."""
        stripped = _ASKING.sub("", self.asked).rstrip("?？ \t\n")
        return stripped.strip() or self.asked.strip()


@lru_cache(maxsize=64)
def _searchable(text: str) -> str:
    whole = both_ends(text, 4 * MAX_QUESTION).encode("utf-8", "replace").decode()
    return both_ends(fold(whole.replace("\x00", " ")))


def both_ends(text: str, most: int = MAX_QUESTION) -> str:
    """Return what is read of a question: all of it, or its first words and its last."""
    if len(text) <= most:
        return text
    half = most // 2
    first, last = text[:half], text[1 - half :]
    # Half a word is another word; where no space parts them, they are cut all the same.
    if not text[half].isspace():
        first = next(iter(first.rsplit(None, 1)), "")
    if not text[-half].isspace():
        last = next(reversed(last.split(None, 1)), "")
    return f"{first} {last}"


# -- What a question asks about: its times, its quoted phrases and the names it knows

# Of a question that is a document, so many words at its beginning and its end may be names, and
# so many characters there may name its times.
_FIRST_WORDS, _LAST_WORDS = 64, 32
_ENDS: Final = 600
_LONGEST_NAME: Final = 40
_MOST_TIMES: Final = 16
_PARTICLE: Final = 2

_QUOTED: Final = lazy_pattern(
    r"[\"“”]([^\"“”\n]{1,300})[\"“”]|‘((?:[^‘’\n]|(?<=\w)’(?=[A-Za-z])){1,300})’(?![A-Za-z0-9_])"
    r"|(?<![A-Za-z0-9_])'((?:[^'\n]|(?<=\w)'(?=[A-Za-z])){1,300})'(?![A-Za-z0-9_])"
    r"|「([^「」\n]{1,300})」|『([^『』\n]{1,300})』|《([^《》\n]{1,300})》|〈([^〈〉\n]{1,300})〉"
)
_ALNUM: Final = lazy_pattern(r"\w")
_ONLY_TIME: Final = lazy_pattern(
    r"(?i)[가-힣]요일|지난|다음|이번|저번|오늘|어제|그제|그저께|내일|모레|작년|올해|내년|재작년|주말|달$|주$|년$"
    r"|day$|week|month$|year|today|yesterday|tomorrow|tonight"
)
_GAP: Final = lazy_pattern(r" ([?!.,])")

_MONTH: Final = (
    "jan(?:uary)?|feb(?:ruary)?|march|april|may|june?|july?|aug(?:ust)?|sep(?:t(?:ember)?)?"
    "|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?"
)
_TITLE_MONTHS: Final = (
    "January|February|March|April|June|July|August|September|October|November|December"
)
# What a tense decides, and what when.py leaves out where a sentence shows none.
_BARE: Final = lazy_pattern(
    r"(?<![가-힣])(?:[월화수목금토일](?:요일|욜)|(?<!\d)\d{1,2}월(?!요일|호|급|간)(?:\s?\d{1,2}일(?!간|째|치))?"
    rf"|(?:{either(KOREAN)})|설(?=\s?연휴))"
    r"|\b(?:(?i:(?:mon|tues|wednes|thurs|fri|satur|sun)day)\b(?!s)"
    rf"|(?i:(?<=in )(?:{_MONTH})\b)|(?:{_TITLE_MONTHS})\b(?= [a-z]|[?.!,]|$)"
    rf"|(?:the )?\d{{1,2}}(?:st|nd|rd|th)?(?: of)? (?:{_TITLE_MONTHS})\b(?! \d)"
    rf"|(?:{_TITLE_MONTHS}) \d{{1,2}}(?:st|nd|rd|th)?\b(?!,? \d)"
    rf"|(?i:{either(ENGLISH)})\b)"
)
_FEAST: Final = lazy_pattern(
    rf"(?i){either([*KOREAN, *ENGLISH])}|봄|여름|가을|겨울|spring|summer|autumn|fall|winter"
)
_ANSWER: Final = lazy_pattern(
    r"(?:이?[야냐지]|인가요?|인지|이?었나요?|였나요?|이?었지|였지|일까요?|맞[아지나])"
    r"(?:[\s?!.ㅋㅎ]*$|,? ?(?:아니면 )?[0-9월화수목금토일]{1,3}(?:월|일|요일|년))"
)
_EVERY: Final = lazy_pattern(r"(?i)(?:매주|매달|매년|격주|\b(?:every|each|most|every other))\s*$")
_AHEAD: Final = lazy_pattern(_LISTS.pattern("looks_ahead"))
_AGENDA: Final = lazy_pattern(_LISTS.pattern("agenda"))
# What goes away with a time word: the preposition before it, the particle behind it.
_LEADS: Final = lazy_pattern(
    r"(?i)(?:\b(?:(?:in|(?<!what's )(?<!what’s )(?<!whats )(?<!what is )on|at|during|over|for|from"
    r"|since|before|after|until|till|by|of|around|between|"
    r"back in|prior to)(?: the| last)?|the) |[(,] ?)$"
)
_TRAILS: Final = lazy_pattern(
    r"['’]s\b|[ ]?(?:이후|이전|이래|동안)(?:에는|에|로|의)?|전에(?![가-힣])"
    r"|[ ]들어서?(?![가-힣])|부터 지금까지"
    r"|(?:에는|에도|에만|에|엔|의|쯤|경|날|부터|까지|간|내내|은|는|이|에서)(?:는|의)?(?![가-힣])"
)
_WORD: Final = lazy_pattern(
    r"(?:[^\s,;:!?()\[\]{}\"“”‘’'「」『』《》〈〉<>…~`*|/=]|(?<=[A-Za-z])['’](?=[A-Za-z]))+"
)
_TAILED: Final = lazy_pattern(r"(.*[A-Za-z0-9+#])([가-힣]+)")
_POSSESSIVE: Final = lazy_pattern(r"(?i)['’]s$")
_TITLE: Final = tuple(sorted(korean.TITLES, key=len, reverse=True))
# After these, a modal at the beginning of a question is no name: "May I", "Will it".
_SUBJECTS: Final = frozenset(
    str.split("i you we he she it they there the this that my our your a an anyone someone")
)
_MAKES_VERBS: Final = frozenset(str.split("하 되 시키 당하 받"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Understanding:
    """What a question asks about.

    `spans` are the stretches of time it names, `only_time` marks one that asks for nothing else,
    `phrases` are what it quotes, `names` the keys of entities it names, and `rest` is the question
    without its time words, which is never empty where the question is not. `topic` is what a
    question for the whole of something, its summary or its course, is about; mostly empty. An
    `agenda` asks what lies ahead in its spans.
    """

    spans: tuple[Span, ...] = ()
    only_time: bool = False
    phrases: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    rest: str = ""
    topic: str = ""
    agenda: bool = False


def understand(asked: str, *, now: datetime, scope: Scope, store: Tables) -> Understanding:
    """Read a question as it is asked at `now`, on the clock of the one who asks."""
    # A lone surrogate cannot be looked up; it is one character wide, and so is its stand-in.
    text = fold(asked.encode("utf-8", "replace").decode().replace("\x00", " "))
    quoted = [
        (found.start(), found.end(), (found[found.lastindex or 0] or "").strip())
        for found in _QUOTED.finditer(text)
    ]
    quoted = [each for each in quoted if _ALNUM.search(each[2])]
    named = names_in(text, scope, store)
    times = times_in(_unquoted(text, quoted), now)
    times = [span for span in times if not _is_name(span, text, named)][:_MOST_TIMES]
    # "In May" is the month, whoever is called May.
    names = tuple(key for key, place in named.items() if not _is_within(place, times))
    timeless = _without(text, [span for span in times if not _tells(span)])
    rest = _tidy(timeless, quoted) or text.strip()
    alone = bool(times) and not (quoted or names)
    left = _without(text, times) if alone else ""
    agenda = alone and all(span.end > now for span in times) and _AGENDA.search(left) is not None
    agenda = agenda and only_asks(_AGENDA.sub(" ", left))
    return Understanding(
        spans=tuple(times),
        only_time=agenda or (alone and only_asks(left)),
        agenda=agenda,
        phrases=tuple(dict.fromkeys(each[2] for each in quoted)),
        names=names,
        rest=rest,
        topic=topic_of(rest),
    )


def _unquoted(text: str, quoted: Sequence[tuple[int, int, str]]) -> str:
    """Return the text with spaces where it quotes (or where a document is not read for times)."""
    if len(text) > 2 * _ENDS:
        text = text[:_ENDS] + " " * (len(text) - 2 * _ENDS) + text[-_ENDS:]
    for start, end, _ in quoted:
        text = text[:start] + " " * (end - start) + text[end:]
    return text


def times_in(text: str, now: datetime) -> list[Span]:
    """Return the stretches of time that a folded question asks about, in their order."""
    if not may_name_stretch(text.lower()):
        return when.spans(text, now)
    plain = vague_blanked(requests_blanked(text))
    ahead = _AHEAD.search(plain) is not None
    found = list(stretches(plain, now, ahead=ahead))
    found += [span for span in when.spans(plain, now) if _is_free(span.at, found)]
    for bare in islice(_BARE.finditer(plain), _MOST_TIMES):
        if _is_free(bare.start(), found) and not _recurs(plain, *bare.span()):
            found += _lone(bare[0], bare.start(), now, ahead=ahead)
    wider = (widened(_turned(span, now, ahead=ahead), plain, now) for span in found)
    ordered = sorted(wider, key=lambda span: span.at)
    ordered = [span for span in ordered if not _is_answer(plain, span)]
    times = list({(span.start, span.end): span for span in reversed(ordered)}.values())[::-1]
    return times if plain == text else [_in_full(span, text) for span in times]


def _in_full(span: Span, text: str) -> Span:
    start, end = with_vague(text, span.at, span.at + len(span.words))
    return replace(span, words=text[start:end], at=start)


def _is_free(at: int, found: Sequence[Span]) -> bool:
    return not any(span.at <= at < span.at + len(span.words) for span in found)


def _is_answer(text: str, span: Span) -> bool:
    """Say whether a time is what is asked for, not when: 생일이 3월인가 4월인가?"""
    return _ANSWER.match(text, span.at + len(span.words)) is not None


def _recurs(text: str, start: int, end: int) -> bool:
    """Say whether every such day is meant, and none in particular."""
    return text.startswith("마다", end) or bool(_EVERY.search(text, max(0, start - 12), start))


def _lone(words: str, at: int, now: datetime, *, ahead: bool) -> list[Span]:
    """Read a weekday, month or holiday beside which no verb shows a tense."""
    carrier = f"in {words}에 {'할 예정' if ahead else '했지'}"
    found = when.spans(carrier, now)
    if not found:  # "in March", asked in March, means this one
        found = [span for span in _later(carrier, now) if span.start <= now < span.end]
    return [replace(span, words=words, at=at) for span in found[:1]]


def _later(carrier: str, now: datetime) -> list[Span]:
    """Read the words as one would a month later."""
    try:
        return when.spans(carrier, months(now, now.year, now.month + 1, 1)[0])
    except (ValueError, OverflowError):  # outside the calendar
        return []


def _turned(span: Span, now: datetime, *, ahead: bool) -> Span:
    """Turn a bare weekday or month to the future where the question looks ahead."""
    if not ahead or span.start > now or not _BARE.fullmatch(span.words):
        return span
    return (_lone(span.words, span.at, now, ahead=True) or [span])[0]


def _is_name(span: Span, text: str, named: Mapping[str, tuple[int, int]]) -> bool:
    """Say whether a time word is the name of someone: May, 하루; "in May" is the month.

    A word that can only be a time is one, even where a memory was once taken to speak of it.
    """
    end = span.at + len(span.words)
    if text[max(0, span.at - 3) : span.at].lower() == "in " or not span.words.isalpha():
        return False
    if _ONLY_TIME.search(span.words):
        return False
    return any(one <= span.at and end <= two for one, two in named.values())


def _is_within(place: tuple[int, int], times: Sequence[Span]) -> bool:
    return any(
        span.at <= place[0] and place[1] <= span.at + len(span.words) + _PARTICLE for span in times
    )


def _tells(span: Span) -> bool:
    """Say whether a time word is also a thing that memories speak of: a holiday, a season."""
    return _FEAST.search(span.words) is not None


def _without(text: str, times: Sequence[Span]) -> str:
    """Return the question without its time words and what hangs on them."""
    for span in reversed(times):
        start, end = span.at, span.at + len(span.words)
        lead = _LEADS.search(text, max(0, start - 24), start)
        if lead and not span.words.endswith(" ago"):  # "what went on two days ago"
            start = lead.start()
        if trail := _TRAILS.match(text, end):
            end = trail.end()
        text = f"{text[:start]} {text[end:]}"
    return text


def _tidy(text: str, quoted: Sequence[tuple[int, int, str]]) -> str:
    """Return the text without quotation marks, one space between words; "" if no word is left."""
    if quoted:
        text = _QUOTED.sub(lambda found: f"{found[found.lastindex or 0]}", text)
    return _GAP.sub(r"\1", " ".join(text.split())).strip(" ,") if _ALNUM.search(text) else ""


def names_in(text: str, scope: Scope, store: Tables) -> dict[str, tuple[int, int]]:
    """Return the keys of the entities that a folded question names, each with its place."""
    words = [(found.start(), found[0]) for found in _WORD.finditer(text)]
    if len(words) > _FIRST_WORDS + _LAST_WORDS:
        words = words[:_FIRST_WORDS] + words[-_LAST_WORDS:]
    candidates = list(_candidates(words))
    if not candidates:
        return {}
    known = store.entities.keys_named(scope, {name for name, _, _ in candidates})
    places: dict[str, tuple[int, int]] = {}
    taken: set[int] = set()
    # The longest name wins: who asks for New York does not ask for York.
    for name, first, last in sorted(candidates, key=lambda each: each[1] - each[2]):
        if name in known and taken.isdisjoint(range(first, last + 1)):
            taken.update(range(first, last + 1))
            place = (words[first][0], words[last][0] + len(words[last][1]))
            for key in known[name]:
                places.setdefault(key, place)
    return dict(sorted(places.items(), key=lambda each: each[1]))


def _candidates(words: Sequence[tuple[int, str]]) -> Iterator[tuple[str, int, int]]:
    """Give what could be a name, normalised, with the first and the last of its words."""
    loud = all(word.upper() == word for _, word in words)
    plain: list[str] = []
    for at, (_, word) in enumerate(words):
        forms = _forms(word)
        after = words[at + 1][1] if at + 1 < len(words) else ""
        alone = _may_be_name(word, after, first=at == 0, loud=loud)
        plain.append(normalise(word) if alone else "")
        if not alone:  # nor does a name end or begin with such a word
            continue
        for form in forms:
            yield form, at, at
        for size in (1, 2):
            if at >= size and plain[at - size]:
                before = " ".join([plain[each] or words[each][1] for each in range(at - size, at)])
                for form in forms:
                    yield f"{before} {form}", at - size, at


def _may_be_name(word: str, after: str, *, first: bool, loud: bool) -> bool:
    """Say whether a word can be a name alone; Will and May only where they look like one."""
    plain = word.lower()
    if plain not in english.STOP and plain not in english.QUESTION:
        return word not in korean.STOP and word not in korean.QUESTION
    if loud or not word[0].isupper() or len(word) == 1:
        return False
    return not first or (bool(after) and after.lower() not in _SUBJECTS)


@lru_cache(maxsize=4096)
def _forms(word: str) -> tuple[str, ...]:
    """Return the names that a word can be, the longest first: 민수한테 is 민수, Anna's is Anna."""
    if len(word) > _LONGEST_NAME:
        return ()
    whole = word.rstrip(".-_")
    forms = {whole, _POSSESSIVE.sub("", whole)}
    tailed = _TAILED.fullmatch(whole)
    if tailed and korean.is_particle(tailed[2]):
        forms.add(_POSSESSIVE.sub("", tailed[1]))
    elif whole and "가" <= whole[-1] <= "힣":
        forms |= _bare_nouns(whole)
    plain = {normalise(form): None for form in forms}
    long = [form for form in plain if len(form) > 1 or (form.isascii() and form.isalnum())]
    names = [form for form in long if form not in korean.STOP and form not in korean.QUESTION]
    return tuple(sorted(names, key=lambda form: (-len(form), form)))


def _bare_nouns(word: str) -> set[str]:
    """Return a Korean word without its particle, its title, and the 이 that eases speech."""
    nouns = {word}
    for cut in range(max(1, len(word) - 5), len(word)):
        if _hangs(word[cut:]):
            nouns.add(word[:cut])
    for noun in list(nouns):
        if noun.endswith("이") and len(noun) > 2 and closing(noun[-2]):
            nouns.add(noun[:-1])
        polite = noun.removesuffix("님")
        title = next((each for each in _TITLE if polite.endswith(each)), "")
        if polite != noun:
            nouns.add(polite)
        if title and len(polite) > len(title):
            name = polite.removesuffix(title)
            nouns |= {name, f"{name} {title}"} if len(name) > 1 else {f"{name} {title}"}
    return nouns


def _hangs(tail: str) -> bool:
    """Say whether the end of a word is a particle or 이다; 수영했던 holds a verb, no name."""
    if tail.startswith("하고"):
        return korean.is_particle(tail)
    return korean.is_particle(tail) and _MAKES_VERBS.isdisjoint(known_stems(tail))
