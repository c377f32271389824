"""Count use without being asked: what comes back in a reply, is named, said again, followed.

Numbers, names and rare words speak; what everybody says does not. The verdict names its words by
their place in the memory, so that it can be kept without a word of them and read while they live.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

from saegim.errors import NotFound, Refused
from saegim.guard.echo import without_echo
from saegim.language.ko import words as korean
from saegim.language.ko.words import Weight
from saegim.language.words import Basic, read, runs, sentences
from saegim.memory.changes import Change, Linked, Reweighed, Woken, session_mark
from saegim.memory.clock import iso
from saegim.memory.entities import HAS_FEEDBACK, Link
from saegim.memory.memory import (
    AGAIN,
    BACK,
    FINDABLE,
    FOLLOWED,
    NAMED,
    PERSON,
    Memory,
    Scope,
    State,
    Use,
)
from saegim.memory.text import fold, lazy_pattern, normalise
from saegim.mind import Mind
from saegim.recall.handle import handle_of, number_of
from saegim.recall.related import CHANGED_BEHAVIOUR, LABELLED
from saegim.store.commit import Batch, IdempotencyKey
from saegim.store.recall_traces import ShownTrace
from saegim.store.rows import Where
from saegim.store.store import Store

if TYPE_CHECKING:
    from saegim.perceive.moment import Kept
    from saegim.perceive.turn import Observed, Turn

Surprise = Callable[[str], float]

# A reply leans on what stands first; what stands further down it has perhaps not even read.
FIRST: Final = 3
# Beyond this a reply is a document: what it leans on stands in its first screens.
MOST_LETTERS: Final = 20_000
# What is told about one thing stands together; words a page apart are a coincidence.
_TOGETHER: Final = 3
# Nats: friend, coffee and work lie at 8.5, Boston at 10.6, peanuts at 11.9.
_COMMON, _RARE = 8.0, 11.0
# A word may be common and still be what the memory is about, so it is not quite nothing.
_LEAST: Final = 0.1
# Figures tell by their length: 3 is everywhere, 1,250 is one rent.
_NAME, _LONG_FIGURE, _FIGURE, _DIGIT = 1.0, 1.0, 0.8, 0.4
# A verb is bent too many ways, and one syllable means too many things, to tell much.
_VERB: Final = 0.3
# Common words alone are nothing, however many: one of them must tell something.
_TELLING: Final = 0.5
# So much must come back, and so large a share of what the prompt did not say itself; where the
# prompt speaks of the same thing, less of it is an answer.
_ENOUGH: Final = 0.55
_SHARE, _ASKED_SHARE = 0.5, 0.3
# Of a long memory so much alone is enough, if it is more than a passing word of it.
_PLENTY, _PART = 1.6, 0.15
_FIGURES: Final = ("number", "measure")
# "This year" stands in half of all replies and means another year in each.
_SOMETIME: Final = frozenset(
    str.split("""오늘 어제 그제 내일 모레 올해 작년 내년 재작년 이번 지난 다음 지난달 지난주 다음주
    이번주 주말 요즘 최근 아침 점심 저녁 오전 오후 today yesterday tomorrow tonight morning
    afternoon evening week weekend month year recently lately am pm""")
)
_BASIC: Final = Basic()


@dataclass(frozen=True, slots=True)
class MemoryWord:
    """A word of a memory: where it stands among its words, and how much it tells."""

    place: int
    surface: str
    tokens: tuple[str, ...]
    weight: float


@dataclass(frozen=True, slots=True)
class UseEvidence:
    """What came back: the places of the words in the memory, and how much they tell together."""

    places: tuple[int, ...]
    weight: float
    share: float


NONE: Final = UseEvidence((), 0.0, 0.0)


def words_of(text: str, surprise: Surprise) -> list[MemoryWord]:
    """Return the words of a memory that say something, each once, with what they tell."""
    folded = fold(text)
    found = []
    for place, kind, run, start, tokens in _telling(folded):
        first = not folded[:start].strip() or folded[:start].rstrip()[-1:] in ".!?\n"
        weight = _weight(kind, run, tokens, surprise, first=first)
        found.append(MemoryWord(place, run, tokens, weight))
    return found


def said_in(question: str, texts: Iterable[str]) -> list[tuple[int, ...]]:
    """Return for each text the places of those of its words that a question says itself."""
    asked = _line(question)
    return [
        tuple(
            dict.fromkeys(
                place
                for place, _, _, _, tokens in _telling(fold(text[:MOST_LETTERS]))
                if _is_in(tokens, asked)
            )
        )
        for text in texts
    ]


def _telling(folded: str) -> Iterator[tuple[int, str, str, int, tuple[str, ...]]]:
    """Yield each word that says something once: its place, script, form, start and tokens."""
    seen: set[tuple[str, ...]] = set()
    for place, (kind, run, start) in enumerate(runs(folded)):
        reading = read(kind, run)
        if reading.weight is not Weight.MUCH:
            continue
        for tokens in reading.asked:
            if tokens not in seen:
                seen.add(tokens)
                yield place, kind, run, start, tokens


def surfaces(text: str, places: Sequence[int]) -> list[str]:
    """Return the words at these places of a text, as they are written, without particles."""
    held = {place: _spelled(kind, run) for place, (kind, run, _) in enumerate(runs(fold(text)))}
    return [held[place] for place in places if place in held]


def came_back(
    memory: str, prompt: str, reply: str, surprise: Surprise, said: Collection[int] = ()
) -> UseEvidence | None:
    """Return what of a memory stands in a reply beyond the prompt; None if it is not enough.

    `said` are the places of words that were asked for when the memory was shown.
    """
    words = words_of(memory[:MOST_LETTERS], surprise)
    asked = _line(prompt)
    fresh = [word for word in words if word.place not in said and not _stands(word, asked)]
    topical = len(fresh) < len(words)
    best = NONE
    for part in _windows(reply[:MOST_LETTERS]):
        best = max(best, _held(fresh, _line(part)), key=lambda each: each.weight)
    needed = _ASKED_SHARE if topical else _SHARE
    enough = best.weight >= _ENOUGH and best.share >= needed
    plenty = best.weight >= _PLENTY and best.share >= _PART
    return best if enough or plenty else None


def _windows(reply: str) -> list[str]:
    said = sentences(reply)
    return [" ".join(said[at : at + _TOGETHER]) for at in range(max(len(said) - _TOGETHER + 1, 1))]


def _held(fresh: Sequence[MemoryWord], line: str) -> UseEvidence:
    hit = [word for word in fresh if _stands(word, line)]
    if not any(word.weight >= _TELLING for word in hit):
        return NONE
    weight = sum(word.weight for word in hit)
    total = sum(word.weight for word in fresh)
    return UseEvidence(tuple(word.place for word in hit), weight, weight / total if total else 0.0)


def _line(text: str) -> str:
    return f" {' '.join(_BASIC.index(text))} "


def _stands(word: MemoryWord, line: str) -> bool:
    return _is_in(word.tokens, line)


def _is_in(tokens: tuple[str, ...], line: str) -> bool:
    return f" {' '.join(tokens)} " in line


def _weight(
    kind: str, run: str, tokens: tuple[str, ...], surprise: Surprise, *, first: bool
) -> float:
    """Return how much a word tells: a figure, a name, or by how rarely it is said."""
    if kind in _FIGURES:
        digits = sum(map(str.isdigit, run))
        return _DIGIT if len(run) == 1 else _LONG_FIGURE if digits > 2 else _FIGURE
    told = (surprise(_bare(kind, run)) - _COMMON) / (_RARE - _COMMON)
    weight = min(max(told, _LEAST), 1.0)
    if _bare(kind, run).lower() in _SOMETIME:
        return _LEAST
    if tokens[0].startswith("~") or (kind == "hangul" and len(run) <= 2 and len(tokens[0]) == 1):
        return min(weight, _VERB)
    if kind == "latin" and not first and run[:1].isupper():
        return max(weight, _NAME if told > 0 else _LEAST)
    return weight


def _spelled(kind: str, run: str) -> str:
    """Return a word as it was looked for: of Hangul the noun, put together from its pairs."""
    asked = read(kind, run).asked if kind in ("hangul", "tail") else ()
    noun = asked[0][0] + "".join(pair[-1] for pair in asked[0][1:]) if asked else ""
    return noun if noun and run.startswith(noun) else run


def _bare(kind: str, run: str) -> str:
    return korean.without_particle(run) if kind in ("hangul", "tail") else run


# -- Why something counts as used: the ledger's lines about it

# Someone said so through `feedback`, and nothing was seen of it.
REPORTED: Final = "reported"


@dataclass(frozen=True, slots=True)
class Used:
    """One use: when it was counted, why, after which trace, by which reply, by which words."""

    memory: str
    at: datetime
    because: str
    trace: str = ""
    reply: str = ""
    words: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """Return the use ready for JSON."""
        return {
            "memory": self.memory,
            "at": iso(self.at),
            "because": self.because,
            "trace": self.trace,
            "reply": self.reply,
            "words": list(self.words),
        }


def uses_of(memory: Memory, *, scope: Scope, store: Store) -> list[Used]:
    """Return every use of a memory that the ledger saw, the oldest first."""
    found = []
    for entry in store.ledger.entries(scope, subject=memory.id):
        facts = entry.facts
        if entry.change != Reweighed.__name__ or not facts.get("used"):
            continue
        places = [int(each) for each in str(facts.get("places", "")).split()]
        found.append(
            Used(
                memory=memory.id,
                at=entry.at,
                because=str(facts.get("because", REPORTED)),
                trace=str(facts.get("trace", "")),
                reply=str(facts.get("reply", "")),
                words=tuple(surfaces(memory.text, places)) if memory.text else (),
            )
        )
    return found


def uses_after(trace: str, memories: Iterable[Memory], *, scope: Scope, store: Store) -> list[Used]:
    """Return how the memories that an answer showed were used because of it."""
    return [
        use
        for memory in memories
        for use in uses_of(memory, scope=scope, store=store)
        if use.trace == trace
    ]


# -- Wishes about how to be answered that can be checked on a reply: few kinds, each honestly

Check = Callable[[str], bool]

_NUMBERS: Final = {
    "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "ten": 10,
    "한": 1, "두": 2, "세": 3, "네": 4, "다섯": 5, "여섯": 6, "일곱": 7, "열": 10, "하나": 1,
}  # fmt: skip
_N: Final = rf"(\d{{1,2}}|{'|'.join(_NUMBERS)})"
# What is said of others is no wish to us: "my boss always answers in English".
_OF_OTHERS: Final = lazy_pattern(
    r"^\s*(?:(?:my|our|his|her|their) (?!answers?|replies)|(?:he|she|they|we|it)\b)|"
    r"(?:이|가|은|는|께서)\s.*(?:말한대|쓴대|답한대|했대|했어|하셔|더라)[.!~]*\s*$",
    re.IGNORECASE,
)
# A wish speaks of answering, or to the one who answers.
_ANSWERING: Final = lazy_pattern(
    r"\b(?:answer|answers|reply|replies|respond|responses?|explain|explanations?|talk|speak|write|"
    r"use|using|give|tell|keep|avoid|want|prefer|like|please|always|never|don'?t|do not|no)\b|"
    r"답|대답|말해|말하|말투|설명|얘기|이야기|써\s?줘|써줘|쓰지|쓰|알려|해\s?줘|해라|하지\s?마|줘|마|로\s?해",
    re.IGNORECASE,
)
# A letter may be in English too, and an essay in three points: these must be of answers.
_ANSWERS: Final = lazy_pattern(
    r"\b(?:answer|answers|reply|replies|respond|responses?|explain|explanations?|talk|speak|"
    r"summari[sz]e|tell me|give me|keep it)\b|답|대답|말해|말하|설명|얘기|이야기|알려|정리",
    re.IGNORECASE,
)
_NO: Final = lazy_pattern(
    r"\b(?:no|never|don'?t|do not|without|avoid|stop|hate|dislike)\b|"
    r"없이|말고|쓰지|하지|빼|싫|금지|마\b",
    re.IGNORECASE,
)
_EMOJI: Final = lazy_pattern(r"[\u2600-\u27bf\U0001f1e6-\U0001f1ff\U0001f300-\U0001faff]")
_EMOJI_WISH: Final = lazy_pattern(r"\bemojis?\b|\bemoticons?\b|이모지|이모티콘", re.IGNORECASE)
_SHORT_WISH: Final = lazy_pattern(
    r"\b(?:short|brief|concise|terse)\b[\w ,]*\b(?:answers?|repl(?:y|ies)|responses?)|"
    r"\b(?:answers?|repl(?:y|ies)|responses?|respond|explain)\b[\w ,]*\b(?:short|brief(?:ly)?|"
    r"concise(?:ly)?|shortly)\b|(?:짧게|간단(?:히|하게)|간결(?:히|하게))[^.!?]*(?:답|대답|말해|설명|알려)|"
    r"(?:답|대답|설명)[은는을를]?\s?(?:항상|늘|좀)?\s?(?:짧게|간단|간결)",
    re.IGNORECASE,
)
_SENTENCES_WISH: Final = lazy_pattern(
    rf"\bin (?:at most |no more than )?{_N} sentences?\b|{_N}\s?문장(?:으로|만|이내)", re.IGNORECASE
)
_POINTS_WISH: Final = lazy_pattern(
    rf"\bin {_N} (?:bullet )?(?:points?|bullets?|items?|steps?)\b|"
    rf"{_N}\s?(?:가지|개)(?:\s?(?:항목|포인트|요점))?(?:으로|로)|{_N}\s?줄로",
    re.IGNORECASE,
)
_KOREAN_WISH: Final = lazy_pattern(r"\bin korean\b|한국어로|한국말로|우리말로", re.IGNORECASE)
_ENGLISH_WISH: Final = lazy_pattern(r"\bin english\b|영어로", re.IGNORECASE)
_POLITE_WISH: Final = lazy_pattern(
    r"존댓말|존대말|높임말|경어|\bhonorifics?\b|\bpolite korean\b", re.IGNORECASE
)
_PLAIN_WISH: Final = lazy_pattern(r"반말|말\s?(?:놓|편하게)|\bbanmal\b", re.IGNORECASE)
_METRIC_WISH: Final = lazy_pattern(
    r"\bmetric\b|\bcelsius\b|\bkilomet(?:er|re)s\b|미터법|섭씨|킬로미터", re.IGNORECASE
)
_IMPERIAL_WISH: Final = lazy_pattern(
    r"\bimperial units\b|\bfahrenheit\b|화씨|야드파운드", re.IGNORECASE
)
_METRIC: Final = lazy_pattern(
    r"\d\s?(?:km|cm|mm|kg|g|ml|l|m|°\s?c|℃)\b|\d\s?(?:kilomet|met(?:er|re)s?|kilogram|grams?|"
    r"lit(?:er|re)s?|degrees celsius|celsius|킬로|미터|센티|그램|리터|도\b)|℃|섭씨",
    re.IGNORECASE,
)
_IMPERIAL: Final = lazy_pattern(
    r"\d\s?(?:miles?|mi|feet|foot|ft|inch(?:es)?|pounds?|lbs?|ounces?|oz|gallons?|°\s?f|"
    r"fahrenheit|마일|피트|인치|파운드|온스|갤런)\b|화씨|℉",
    re.IGNORECASE,
)
_ITEM: Final = lazy_pattern(r"^\s*(?:[-*•‣]|\(?\d{1,2}[.)]|[①-⑳])\s+\S", re.MULTILINE)
_CODE: Final = lazy_pattern(r"```.*?(?:```|$)", re.DOTALL)
_HANGUL, _LATIN = lazy_pattern(r"[가-힣]"), lazy_pattern(r"[A-Za-z]")
_POLITE_END: Final = lazy_pattern(
    r"(?:요|니다|니까|시오|세요|죠|까요|습니다|ㅂ니다)[.!?~…\s\"'”’)]*$"
)
_SHORT_SENTENCES, _SHORT_LETTERS = 3, 300


@dataclass(frozen=True, slots=True)
class Wish:
    """One checkable wish: its kind, and whether a reply follows it."""

    kind: str
    is_followed: Check


def wishes(text: str) -> list[Wish]:
    """Return the wishes about answering that a memory states and that can be checked."""
    return [
        wish
        for sentence in sentences(text)
        if _ANSWERING.search(sentence) and not _OF_OTHERS.search(sentence)
        for wish in (*_forms(sentence), *_manners(sentence))
    ]


def follows(memory: str, reply: str) -> bool:
    """Say whether a reply follows every checkable wish of a memory; without one it follows none."""
    told = _CODE.sub(" ", reply).strip()
    found = wishes(memory)
    return bool(found and told) and all(wish.is_followed(told) for wish in found)


def _forms(sentence: str) -> Iterator[Wish]:
    """Yield wishes about the shape of a reply."""
    if _EMOJI_WISH.search(sentence):
        unwanted = bool(_NO.search(sentence))
        yield Wish("emoji", lambda reply: bool(_EMOJI.search(reply)) is not unwanted)
    if not _ANSWERS.search(sentence):
        return
    if found := _SENTENCES_WISH.search(sentence):
        most = _count(found)
        yield Wish("length", lambda reply: len(sentences(reply)) <= most)
    elif _SHORT_WISH.search(sentence) and not _NO.search(sentence):
        yield Wish("length", _is_short)
    if found := _POINTS_WISH.search(sentence):
        wanted = _count(found)
        yield Wish("points", lambda reply: len(_ITEM.findall(reply)) == wanted)


def _manners(sentence: str) -> Iterator[Wish]:
    """Yield wishes about the tongue of a reply."""
    denied = bool(_NO.search(sentence))
    if _POLITE_WISH.search(sentence):
        yield Wish("politeness", lambda reply: _is_polite(reply) is (not denied))
    elif _PLAIN_WISH.search(sentence):
        yield Wish("politeness", lambda reply: _is_polite(reply) is denied)
    korean, english = _KOREAN_WISH.search(sentence), _ENGLISH_WISH.search(sentence)
    if _ANSWERS.search(sentence) and bool(korean) is not bool(english) and not denied:
        yield Wish("language", lambda reply: _is_korean(reply) is bool(korean))
    metric, imperial = _METRIC_WISH.search(sentence), _IMPERIAL_WISH.search(sentence)
    if bool(metric) is not bool(imperial) and not denied:
        wanted, other = (_METRIC, _IMPERIAL) if metric else (_IMPERIAL, _METRIC)
        yield Wish("units", lambda reply: bool(wanted.search(reply)) and not other.search(reply))


def _count(found: re.Match[str]) -> int:
    said = next(each for each in found.groups() if each)
    return int(said) if said.isdigit() else _NUMBERS[said.lower()]


def _is_short(reply: str) -> bool:
    return len(reply) <= _SHORT_LETTERS and len(sentences(reply)) <= _SHORT_SENTENCES


def _is_korean(reply: str) -> bool:
    return 2 * len(_HANGUL.findall(reply)) > len(_LATIN.findall(reply))


def _is_polite(reply: str) -> bool | None:
    """Say how the Korean sentences of a reply end; None where none is Korean or they differ."""
    ends = [
        bool(_POLITE_END.search(each))
        for each in sentences(reply)
        if _HANGUL.search(each) and not _ITEM.match(each)
    ]
    return ends[0] if ends and len(set(ends)) == 1 else None


# -- A turn is heard: which of the memories that were shown, named or known does it use?

# A reply follows its prompt within minutes; in a session of its own, also after a day's work.
MINUTES: Final = timedelta(minutes=15)
A_DAY: Final = timedelta(days=1)
# The same words heard again within this are the same turn: a hook that was told twice.
_RETRY: Final = timedelta(hours=1)
_MOST_NAMED: Final = 8
_MOST_TURNS: Final = 8
_NAMED: Final = lazy_pattern(
    r"(?<![\w-])(?:m[0-9a-z]{4,15}|mem_\d{8}_\d{6}_[0-9a-f]+)(?![\w-])", re.IGNORECASE | re.ASCII
)

Differs = Callable[..., str]
# Handed in, so that a question does not load what only listening needs.
Perceives = Callable[..., "Observed"]


def observe(turn: Turn, *, mind: Mind, perceive: Perceives, differs: Differs) -> Observed:
    """Count what a turn uses, let it be judged and kept, and count what it says again."""
    used = count(turn, mind=mind)
    seen = perceive(turn, mind=mind)
    again = said_again((*seen.kept, *seen.facts), mind=mind, differs=differs)
    return replace(seen, used=tuple(dict.fromkeys((*used, *again))))


def count(turn: Turn, *, mind: Mind) -> tuple[str, ...]:
    """Count what a turn uses, once however often it is heard; return the ids."""
    if turn.role not in ("user", "assistant"):
        return ()
    at = turn.said_at or mind.now()
    text = without_echo(turn.text, lambda _: ()).text
    used: dict[str, tuple[Memory, Use]] = {}
    if turn.role == "user":
        mind.recently.ask(turn.session, text, at)
    shown = shown_before(turn, at, mind) if turn.role == "assistant" else []
    if shown and text.strip():
        used = _given_back(text, shown, _prompt(turn, at, mind), turn.scope, mind)
    for memory in _named(text, turn.scope, mind):
        trace = next((each.trace for each in shown if memory.id in each.ids), "")
        used.setdefault(memory.id, (memory, Use(NAMED, trace, _digest(memory, text))))
    if turn.role == "assistant":
        mind.recently.answer(rooms_of(turn))
    fresh = [pair for pair in used.values() if not _is_counted(*pair, mind)]
    return _counted(fresh, turn.scope, mind, key=text)


def said_again(kept: Sequence[Kept], *, mind: Mind, differs: Differs) -> tuple[str, ...]:
    """Count what the person says again, in the same words or nearly; once a day. Return the ids."""
    new = {each.id for each in kept if each.status == "stored"}
    found: dict[str, tuple[Memory, Use]] = {}
    for each in kept:
        if each.status == "repeated" or each.memory.provenance.origin not in PERSON:
            continue
        for other in _told_before(each, mind, differs):
            if other.id not in new:
                found.setdefault(other.id, (other, Use(AGAIN)))
    fresh = [pair for pair in found.values() if not _is_counted(*pair, mind)]
    return _counted(fresh, kept[0].memory.scope, mind) if fresh else ()


# -- a reply --------------------------------------------------------------------------------------


def shown_before(turn: Turn, at: datetime, mind: Mind) -> list[ShownTrace]:
    """Return what the reply may lean on, the latest first.

    What was shown for its session; where none is known of it, what was shown for nobody in
    particular in the last minutes.
    """
    recent = mind.store.traces.lately(turn.scope, mind.traces, since=at - A_DAY, until=at)
    mine = session_mark(turn.scope.session)
    own = [each for each in recent if mine and each.session == mine]
    few = mind.store.traces.lately(turn.scope, mind.traces, since=at - MINUTES, until=at)
    traces = {each.trace for each in few}
    if own:
        return [each for each in own if each.trace in traces] or own[:1]
    return [each for each in few if not mine or not each.session]


def _given_back(
    text: str, shown: Sequence[ShownTrace], prompt: str, scope: Scope, mind: Mind
) -> dict[str, tuple[Memory, Use]]:
    """Return which of the shown memories a reply follows or gives back, each with its trace."""
    found: dict[str, tuple[Memory, Use]] = {}
    looked: set[str] = set()
    for each in shown:
        said = dict(zip(each.ids, each.said, strict=False))
        for rank, id in enumerate(each.ids):
            memory = None if id in looked else mind.store.memories.get(scope, id)
            if memory is None or not memory.text or memory.life.state not in FINDABLE:
                continue
            digest = _digest(memory, text)
            if memory.provenance.origin in PERSON and follows(memory.text, text):
                found[id] = memory, Use(FOLLOWED, each.trace, digest)
                looked.add(id)
            elif rank < FIRST:
                looked.add(id)
                told = came_back(memory.text, prompt, text, mind.surprise, said.get(id, ()))
                if told is not None:
                    found[id] = memory, Use(BACK, each.trace, digest, told.places)
    return found


def _prompt(turn: Turn, at: datetime, mind: Mind) -> str:
    """Return what the person said in the turn that is answered: from mind, or from the store."""
    session = turn.scope.session
    asked = mind.recently.asked(rooms_of(turn), at - A_DAY if session else at - MINUTES)
    if asked or not session:
        return "\n".join(asked)
    until = at + timedelta(microseconds=1)
    where = Where(scope=turn.scope, session=session, until=until, everywhere=True)
    rows = mind.store.memories.latest(where, limit=_MOST_TURNS)
    held = mind.store.memories.by_numbers(turn.scope, rows)
    said = (held[row].text for row in rows if row in held and held[row].agent.role == "user")
    return next(said, "")


def rooms_of(turn: Turn) -> list[tuple[str, ...]]:
    """Return where the prompt may have been heard: not everyone who asks names the session."""
    user, agent, project, session = turn.session
    rooms = [(user, agent, project, session), (user, agent, project, ""), (user, agent, "", "")]
    return list(dict.fromkeys(rooms))


def _named(text: str, scope: Scope, mind: Mind) -> Iterator[Memory]:
    """Yield the memories that a text calls by their handle or their id."""
    names = dict.fromkeys(found[0].lower() for found in _NAMED.finditer(text))
    for name in list(names)[:_MOST_NAMED]:
        number = number_of(name)
        if number is not None:
            memory = mind.store.memories.by_numbers(scope, [number]).get(number)
            if memory is None or handle_of(number, memory.id) != name:
                continue
        else:
            memory = mind.store.memories.get(scope, name)
        if memory is not None and memory.text and memory.life.state in FINDABLE:
            yield memory


# -- said again -----------------------------------------------------------------------------------


def _told_before(kept: Kept, mind: Mind, differs: Differs) -> Iterator[Memory]:
    """Yield the memories that say what was said now, from an earlier time."""
    memory, scope = kept.memory, kept.memory.scope
    if kept.status == "duplicate":
        yield memory
        return
    rows = mind.store.memories.same_words(scope.user, memory.canonical_key)
    yield from (
        each
        for each in mind.store.memories.by_numbers(scope, rows).values()
        if _is_earlier(each, memory) and each.scope.agent == scope.agent
    )
    for id in set(kept.similar_to) - {*kept.supersedes, *kept.contradicts}:
        other = mind.store.memories.get(scope, id)
        if other is None or not _is_earlier(other, memory):
            continue
        # No other number, date, name, negation or word: it may be put in another way.
        if differs(other, memory, analyser=mind.store.words.analyser()) in ("", "form"):
            yield other


def _is_earlier(other: Memory, memory: Memory) -> bool:
    """Say whether the person said it at another time; the same turn heard twice is one turn."""
    lives = other.life.state in FINDABLE and other.provenance.origin in PERSON
    return other.id != memory.id and lives and _said(other) < _said(memory)


def _said(memory: Memory) -> datetime:
    return memory.time.said_at or memory.time.happened_at


# -- counting -------------------------------------------------------------------------------------


def _digest(memory: Memory, text: str) -> str:
    """Return what stands for a text in the lines of a memory: nobody can read it back."""
    said = f"{memory.id}\x1f{normalise(text)}".encode("utf-8", "surrogatepass")
    return hashlib.sha256(said).hexdigest()[:16]


def _is_counted(memory: Memory, use: Use, mind: Mind) -> bool:
    """Say whether this use is known: of this trace, of the same words just now, or of this day."""
    now = mind.now()
    return any(
        (use.trace and known.trace == use.trace)
        or (use.reply and known.reply == use.reply and abs(now - known.at) < _RETRY)
        or (
            use.because in (AGAIN, FOLLOWED)
            and known.because == use.because
            and mind.here(known.at).date() == mind.here(now).date()
        )
        for known in uses_of(memory, scope=memory.scope, store=mind.store)
    )


def _counted(
    used: Sequence[tuple[Memory, Use]], scope: Scope, mind: Mind, *, key: str = ""
) -> tuple[str, ...]:
    """Write the uses in one commit; the same reply to the same showing writes nothing twice."""
    if not used:
        return ()
    changes = [each for memory, use in used for each in _changes(memory, use, mind.now())]
    batch = Batch(scope.user, changes, actor=scope.agent or scope.user, at=mind.now())
    receipt = (
        IdempotencyKey(_key(used, key), used[0][0].id)
        if any(use.trace for _, use in used)
        else None
    )
    try:
        done = mind.store.commit(batch, receipt=receipt)
    except (NotFound, Refused):
        # One of them was let go or replaced this very moment: then it is not used either.
        return ()
    return () if done.repeated else tuple(memory.id for memory, _ in used)


def _changes(memory: Memory, use: Use, at: datetime) -> Iterable[Change]:
    yield Reweighed(memory=memory.id, at=at, used=1, use=use)
    if use.because == FOLLOWED:
        target = f"{LABELLED}{CHANGED_BEHAVIOUR}"
        yield Linked(Link(source=memory.id, type=HAS_FEEDBACK, target=target))
    if memory.life.state is State.DORMANT:
        yield Woken(memory.id)


def _key(used: Sequence[tuple[Memory, Use]], text: str) -> str:
    said = "\x1f".join([normalise(text), *(f"{memory.id} {use.trace}" for memory, use in used)])
    return f"use:{hashlib.sha256(said.encode('utf-8', 'surrogatepass')).hexdigest()}"
