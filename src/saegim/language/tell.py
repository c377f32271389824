"""A group of memories, or a single one, distilled into one or two sentences without a model.

A group yields the core that its sources share; a single memory its own words, days written out.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from saegim.language.claims import predicate
from saegim.language.core import ENGLISH, KOREAN, common
from saegim.language.deeds import ME, Core, Deed, SourceTelling, Who, in_korean, speaker
from saegim.language.en import lexicon as lex
from saegim.language.en import tell as english
from saegim.language.en.tell import deeds as english_deeds
from saegim.language.en.verbs import is_irregular
from saegim.language.en.word_forms import DETERMINERS
from saegim.language.feelings import feel
from saegim.language.ko import tell as korean
from saegim.language.ko.tell import deeds as korean_deeds
from saegim.language.ko.verbs import known_stems, noun_form, present
from saegim.language.ko.word_forms import ADVERBS, mood_of, noun_and_part, time_word
from saegim.language.meanings import words_of
from saegim.language.occasions import DatedText, dated, without_occasion, without_wish
from saegim.language.word_lists import read_lists
from saegim.language.words import Analyser, Term, sentences
from saegim.memory.memory import Kind, Memory, Source, Tier
from saegim.memory.text import fold

_LISTS: Final = read_lists("both/tell")

# ---- A single memory distilled: its own words, whole, with their days written out.

Here = Callable[[datetime], datetime]

# One or two sentences fit in here; what is longer is not cut, it rises itself.
LONGEST: Final = 200
# Kinds that tell of an occasion.
OCCASIONAL: Final = frozenset((Kind.EXPERIENCE, Kind.EPISODE, Kind.EMOTION))
# Kinds in which a day of the week means every one.
_RECURRING: Final = frozenset((Kind.PREFERENCE, Kind.PRINCIPLE))
_KOREAN_OFTEN: Final = re.compile(
    r"(?P<who>\S{1,12}?)(?:은|는) (?P<rest>(?:\S+ ){0,6}?)자주 (?P<verb>[가-힣]+다)\.?"
)
_KOREAN_LIKES: Final = re.compile(
    r"(?P<who>\S{1,12}?)(?:은|는) (?P<thing>(?:\S+ ){0,4}?\S+[을를]) (?P<verb>좋아|싫어)한다\.?"
)
_ENGLISH_GOES: Final = re.compile(
    r"(?P<who>\w[\w'’ -]{0,23}) often goes to (?P<rest>[^.]{1,60})\.?"
)
_ENGLISH_OFTEN: Final = re.compile(
    r"(?P<who>\w[\w'’ -]{0,23}) (?P<rest>(?:often \w+s|likes|dislikes) [^.]{1,80})\.?"
)
_COUNTED: Final = re.compile(r" \((?:\S+ ?번 중 \S+ ?번|\w+ of \w+ times)\)")
_SPEAKS: Final = re.compile(r"\b(?:i|he|she|it|we|they|who|that|is|are|was|has)\b", re.IGNORECASE)
# What stands between the words of a list.
SEPARATES: Final = re.compile(r"[,;:/|·•#、]|\s-\s")
_MOSTLY: Final = re.compile(r"(?:은|는) 대체로 |\bmostly\b")
# What earlier versions of this house made of memories that only had a word in common.
_COUNT: Final = re.compile(
    r".{1,80} 이야기가 (?:\S+|여러) ?번 나왔다\.?"
    r"|.{1,80}최근 기억 \d+개 중 \d+개(?:에|가|는) .{1,60}"
    r"|.{1,80}(?:늘었다|줄었다|밝아졌다|어두워졌다): .{1,40}\d+개.{1,60}"
    r"|.{1,80}: in \d+ of the first \d+ and .{1,80}|\d+ of the \d+ recent memories.{1,120}"
    r"|The tone around .{1,80}: [-+]\d.{1,80}"
    r"|.{1,80} came up (?:\w+|several) times\.?|.{1,80} came up in \d+ (?:of|recent) .{1,80}"
)


def is_count(memory: Memory) -> bool:
    """Say whether a night once wrote down how often something came up, and nothing else."""
    made = memory.provenance.source in (Source.DISTILLATION, Source.REFLECTION)
    return made and _COUNT.fullmatch(memory.text) is not None


def alone(memory: Memory, *, to: Tier, here: Here) -> str:
    """Return one memory told whole and true on any day, "" where that cannot be done."""
    text = whole(memory, here=here)
    if to is Tier.M365 and memory.provenance.source is Source.DISTILLATION:
        text = _noted(text)
    return text if len(text) <= LONGEST else ""


def whole(memory: Memory, *, here: Here) -> str:
    """Return all words of a memory with their days written out, "" where one cannot be told."""
    if is_count(memory):
        return ""
    at = here(memory.time.said_at or memory.time.happened_at)
    text = dated(without_wish(memory.text), DatedText(at, recurs=memory.kind in _RECURRING)) or ""
    # Nothing to write out: its own lines and spaces, too.
    return memory.text if text.split() == memory.text.split() else text


def _noted(text: str) -> str:
    """Return a sentence that was distilled before as a note, where that cannot be misread."""
    if _MOSTLY.search(text):
        return text
    if found := _KOREAN_OFTEN.fullmatch(text):
        stems = [stem for stem in known_stems(found["verb"]) if present(stem) == found["verb"]]
        stem = stems[0] if stems else _made(found["verb"])
        if stem:
            return f"{found['who']}: {found['rest']}자주 {noun_form(stem)}"
    if found := _KOREAN_LIKES.fullmatch(text):
        return f"{found['who']}: {found['thing']} {found['verb']}함"
    if found := _ENGLISH_GOES.fullmatch(text):
        return f"{found['who']}: often at {found['rest']}"
    if found := _ENGLISH_OFTEN.fullmatch(text):
        return f"{found['who']}: {found['rest']}"
    plain = _COUNTED.sub("", text)
    return _mostly(plain) if plain != text else text


def _mostly(text: str) -> str:
    """Return a sentence of the majority, which stays told as that."""
    head, often, rest = text.partition(" 자주 ")
    if often:
        return f"{head} 대체로 {rest}"
    return text.replace(" often ", " mostly ", 1)


def _made(verb: str) -> str:
    return verb[:-2] + "하" if verb.endswith("한다") and len(verb) > 2 else ""


# ---- The nouns of a source, by which sources are said to speak of the same thing.

PALE: Final = _LISTS.words("pale")
_ENGLISH: Final = re.compile(r"[A-Za-z][\w'’-]*")
_LATIN: Final = re.compile("[A-Za-z]")
_ARTICLES: Final = {
    **dict.fromkeys(("the", "this", "that", "these", "those"), "the "),
    **dict.fromkeys(("my", "our"), "the user's "),
    **dict.fromkeys(("a", "an"), "a "),
}
_BEFORE_NOUN: Final = DETERMINERS | lex.PREPOSITIONS | frozenset(("another", "some", "no", "any"))


def nouns(text: str, language: str, analyser: Analyser) -> dict[str, str]:
    """Return key -> how it is shown, for each noun that tells what a text is about."""
    folded = " ".join([each for each in sentences(fold(text)) if not _asks(each)])
    written = _in_english(folded) if language != "ko" else {}
    found: dict[str, str] = {}
    for term in analyser.query(folded):
        key = shown(term)
        if not key or is_pale(key, term.surface):
            continue
        if language == "ko":
            found.setdefault(_bare(key), key)
        elif (noun := written.get(term.surface.lower())) is not None:
            found.setdefault("".join(term.tokens), noun)
    return found


def _asks(sentence: str) -> bool:
    """Say whether a sentence asks; what one asks about, one does not tell."""
    last = sentence.rstrip(" .!~…").split()[-1:] or [""]
    return sentence.rstrip().endswith(("?", "？")) or (
        "가" <= last[0][-1:] <= "힣" and mood_of(last[0]) == "asked"
    )


def shown(term: Term) -> str:
    """Return a noun as one reads it, without particles; "" for verbs, sighs and faces."""
    first, surface = term.tokens[0], term.surface
    if not first[0].isalnum() or "ㄱ" <= first[0] <= "ㆎ":
        return ""
    if "가" <= surface[0] <= "힣":
        return first + "".join([token[-1] for token in term.tokens[1:]])
    return first if surface[0].isdigit() else surface


def is_pale(noun: str, surface: str) -> bool:
    """Say whether a noun says only when, or nothing in particular."""
    low = noun.lower()
    if low in PALE or low in ADVERBS or surface.lower() in PALE or noun[0].isdigit():
        return True
    if _LATIN.match(noun):
        return low in lex.TIME_WORDS or low in lex.ADVERBS
    return time_word(noun) is not None or time_word(surface) is not None


def _bare(noun: str) -> str:
    """Return a name without the 이 of 서연이; the same for any noun."""
    name, _ = noun_and_part(noun + "가") if len(noun) > 2 and noun.endswith("이") else (noun, "")
    return noun[:-1] if name == noun and len(noun) > 2 and noun.endswith("이") else noun


def _in_english(text: str) -> dict[str, str]:
    """Return the words that stand where nouns stand, and how each is shown."""
    return dict(_noun_places(text))


def _noun_places(text: str) -> Iterator[tuple[str, str]]:
    words = _ENGLISH.findall(text)
    for at, word in enumerate(words):
        low, before = word.lower(), words[at - 1].lower() if at else ""
        named = word[0].isupper() and (at > 0 or low in lex.FIRST_NAMES)
        if named and low not in lex.COMMON:
            yield low, re.sub(r"['’]s$", "", word)
        elif before in _BEFORE_NOUN and not (before == "to" and _is_verb(low)):
            yield low, _ARTICLES.get(before, "") + low
        elif _is_verb(low) or low in lex.COMMON or low.endswith(("ly", "ed")):
            continue
        elif not at or before in lex.VERBS or (at > 1 and words[at - 2].lower() in _BEFORE_NOUN):
            yield low, low


def _is_verb(word: str) -> bool:
    return word in lex.VERBS or is_irregular(word)


# ---- A memory read for what it tells, its occasion and the wish to keep it taken off.

# Of a longer source only the beginning is read for what it shares with others.
_GLANCE: Final = 1000


def told_by(memory: Memory, language: str, analyser: Analyser) -> SourceTelling:
    """Return what one memory tells, as a source in the language of its group."""
    plain = without_wish(memory.text[:_GLANCE])
    bare = without_occasion(plain, language)
    author = memory.provenance.author
    return SourceTelling(
        deeds=tuple(_by_author(deed, author) for deed in deeds_in(bare, language)),
        nouns=nouns(bare, language, analyser),
        felt=feel(bare, None).sentiment,
        day=memory.time.happened_at.date().isoformat(),
        dated=bare != plain,
        text=bare.lower(),
    )


def deeds_in(text: str, language: str) -> list[Deed]:
    """Return the deeds of a text, read as Korean or English."""
    return korean_deeds(text) if language == "ko" else english_deeds(text)


def tells(text: str, language: str) -> bool:
    """Say whether a text tells something: it has a verb, and is more than words in a row."""
    if language == "ko":
        has_verb = any(word.is_verb for word in words_of(fold(text))) or bool(korean_deeds(text))
        return has_verb and not text.rstrip(" .!").endswith("기")
    forms = [lex.VERBS.get(word.strip(".,").lower()) for word in text.split()]
    first = forms[0].kind if forms and forms[0] else ""
    led = len(forms) > 2 and first in ("s", "past")
    spoken = _SPEAKS.search(text) is not None and any(forms)
    told = bool(english_deeds(text)) and first != "ing"
    return told or ((led or spoken) and not SEPARATES.search(text))


def _by_author(deed: Deed, author: str) -> Deed:
    """Tell the deeds of one who speaks from those of another who says "I" as well."""
    own = speaker(author, "en")
    if deed.who.key != ME or own == "The user":
        return deed
    return replace(deed, who=Who(own.lower(), own))


# ---- A group of memories, or a single one, distilled into one or two sentences without a model.

_PREDICATES: Final = _LISTS.pairs("predicates")
_KEPT_KINDS: Final = frozenset((Kind.TECHNICAL, Kind.PRINCIPLE, Kind.PREFERENCE, Kind.EMOTION))


def _as_it_is(at: datetime) -> datetime:
    return at


@dataclass(frozen=True, slots=True)
class Distilled:
    """What is left when the occasion is gone: one or two sentences, their kind and language."""

    text: str
    kind: Kind
    language: str
    triples: tuple[tuple[str, str, str], ...] = ()


def distilled_by_rule(
    sources: Sequence[Memory], *, to: Tier, analyser: Analyser, here: Here = _as_it_is
) -> Distilled | None:
    """Return the essence of the sources, None where they have none that is honest.

    `here` gives the local time of an instant: "tomorrow" is a day of the one who said it.
    """
    if not sources:
        return None
    language = language_of_all(sources)
    if len(sources) == 1:
        return _alone(sources[0], to=to, language=language, here=here)
    told = [told_by(each, language, analyser) for each in sources]
    core = common(told, KOREAN if language == "ko" else ENGLISH)
    if core is None:
        return None
    me = _speaker(sources, language)
    said = korean.said if language == "ko" else english.said
    text = said(core, me, brief=to is Tier.M365)
    if not me or len(text) > LONGEST:
        return None
    return Distilled(text, kind_of(sources, core), language, tuple(_triples(core, language)))


def language_of_all(sources: Sequence[Memory]) -> str:
    """Return the language of most sources: "ko" where they are written in Hangul, else "en"."""
    spoken = Counter(
        each.content.language or ("ko" if in_korean(each.text) else "en") for each in sources
    )
    return max(spoken, key=lambda each: (spoken[each], each)) if spoken else "en"


def kind_of(sources: Sequence[Memory], core: Core | None = None) -> Kind:
    """Return what sort of thing the essence is: a taste, a fact, or what its sources are."""
    if core is not None and core.how in ("likes", "dislikes"):
        return Kind.PREFERENCE
    kinds = Counter(each.kind for each in sources)
    most = max(kinds, key=lambda each: (kinds[each], each.value))
    if most in _KEPT_KINDS:
        return most
    return Kind.FACT


def _alone(memory: Memory, *, to: Tier, language: str, here: Here) -> Distilled | None:
    text = alone(memory, to=to, here=here)
    if not text:
        return None
    return Distilled(text, memory.kind, language, memory.content.triples)


def _speaker(sources: Sequence[Memory], language: str) -> str:
    names = {speaker(each.provenance.author, language) for each in sources}
    return names.pop() if len(names) == 1 else speaker("", language)


def _bare_phrase(noun: str) -> str:
    first, _, rest = noun.partition(" ")
    return rest if rest and first.lower() in DETERMINERS else noun


def _triples(core: Core, language: str) -> Iterator[tuple[str, str, str]]:
    """Yield what a core claims in the words of the predicate table, where it has words for it."""
    if core.says < core.of or not core.parts:
        return
    who = core.who.text if core.who.key != ME else ("사용자" if language == "ko" else "user")
    thing = next((_bare_phrase(each.text) for each in core.parts if each.role == "thing"), "")
    if core.how in ("likes", "dislikes"):
        denied = core.how == "dislikes"
        yield who, predicate("likes", language, denied=denied), _bare_phrase(core.parts[0].text)
    elif core.how == "goes":
        yield who, predicate("attends", language), _bare_phrase(core.parts[0].text)
    elif core.how == "habit" and not core.denied and thing and core.verb in _PREDICATES:
        yield who, predicate(_PREDICATES[core.verb], language), thing
