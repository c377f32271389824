"""Whether a fact is in its source: every number, date, name and quotation, and who did what.

Strict on purpose: a fact that is left out costs little, because the source itself is always kept; a
fact that is invented is worse than none. It knows no world: what the source says may be untrue.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from datetime import datetime
from typing import Final

from saegim.language.amounts import amounts, foreign
from saegim.language.claims import is_negative
from saegim.language.en import ground as english
from saegim.language.en.lexicon import DEVICES as ENGLISH_DEVICES
from saegim.language.en.lexicon import PETS as ENGLISH_PETS
from saegim.language.en.lexicon import VEHICLES
from saegim.language.en.tell import deeds as english_deeds
from saegim.language.en.words import stem
from saegim.language.ko import ground as korean
from saegim.language.ko.ground import is_person
from saegim.language.ko.lexicon import DEVICES, PETS
from saegim.language.ko.tell import deeds as korean_deeds
from saegim.language.ko.verbs import melted_stems
from saegim.language.ko.word_forms import ADVERBS
from saegim.language.language import script_of
from saegim.language.meanings import (
    CLASSES,
    EMPTY,
    ME,
    TIMES,
    ClauseSubject,
    GroundClause,
    GroundText,
    GroundWord,
    inherit,
    key_of,
    said,
    stems_of,
    words_of,
)
from saegim.language.times import spans
from saegim.language.word_lists import read_lists
from saegim.language.words import sentences
from saegim.memory.text import fold, normalise

_LISTS: Final = read_lists("both/grounding")

# A noun says more about what a clause is about than a verb.
_NOUN, _VERB = 2, 1
_MOODS: Final = {"asked": "question", "if": "condition"}
PRONOUNS: Final = _LISTS.words("pronouns")
# Verbs that say little beside a noun, and yet not nothing.
_LIGHT: Final = frozenset(("보", "가", "오", "주", "내", "나", "두"))
# Of these one may say "I am" as well as "mine is".
_TRAITS: Final = frozenset(map(key_of, _LISTS.row("traits")))
_OWNS: Final = re.compile(r"^I (?:has|have|owns)\b|있다$|(?:키우|기르|가지)\S*$", re.IGNORECASE)
_OWNED: Final = re.compile(
    r"\b(?:have|has|had|got|own|owns|owned|keep|my|our|with|adopt\w*|bought|buy|named|called)\b|'ve\b"
    r"|있|키우|키워|기르|길러|가지|입양|분양|[내제]\s|우리|샀|사서|이름",
    re.IGNORECASE,
)
_OWNABLE: Final = frozenset(
    map(key_of, (*PETS, *DEVICES, *ENGLISH_PETS, *ENGLISH_DEVICES, *VEHICLES))
)
# In a fact these may well be the speaker's: "The user broke their wrist".
THEIRS: Final = frozenset(("his", "her", "their"))
# English verbs that make the source's subject the fact's object without turning anything round.
_HAS: Final = ("has", "have", "had", "from", "by", "with")


def misread(fact: Sequence[GroundClause], source: Sequence[GroundClause]) -> str:
    """Return why the clauses of a fact are not what the source says, "" if they are."""
    for clause in fact:
        if _left_out(clause, source):
            return "negation"
        best = _nearest(clause, source)
        reasons = [_difference(clause, source, at) for at in best]
        if reasons and all(reasons):
            return reasons[0]
    return ""


def _left_out(fact: GroundClause, source: Sequence[GroundClause]) -> bool:
    """Say whether the fact takes in what the source names only to leave it out."""
    for word in fact.said.words:
        if fact.denied or not fact.without.isdisjoint(word.keys):
            continue
        holding = [each for each in source if each.said.holds(word)]
        if holding and all(not each.without.isdisjoint(word.keys) for each in holding):
            return True
    return False


def _nearest(clause: GroundClause, source: Sequence[GroundClause]) -> list[int]:
    """Return which clauses of the source share most with a clause of the fact."""
    about = [word for word in clause.said.words if not _names_person(clause, word)]
    if not about and not amounts(clause.said.written):
        about = list(clause.said.words)
    scores = [_shared(about, clause, each) for each in source]
    most = max(scores, default=0)
    return [at for at, score in enumerate(scores) if score == most] if most else []


def _is(names: Sequence[str], word: GroundWord) -> bool:
    return any(same(name, key) for name in names for key in word.keys)


def _names_person(clause: GroundClause, word: GroundWord) -> bool:
    """Say whether the word only names whom the clause is about."""
    people = [each.name for each in clause.subjects if each.person and not each.loose]
    return _is(people, word)


def _shared(about: Sequence[GroundWord], fact: GroundClause, source: GroundClause) -> int:
    score = 0
    for word in about:
        if source.said.holds(word):
            score += _VERB if word.is_verb else _NOUN
        elif source.said.holds_alike(word):
            score += _VERB
    counted = amounts(source.said.written)
    return score + sum(_NOUN for each in amounts(fact.said.written) if not foreign([each], counted))


def _difference(fact: GroundClause, told: Sequence[GroundClause], at: int) -> str:
    """Return in what a clause of the fact differs from one of the source."""
    source = told[at]
    if source.mood in _MOODS and fact.mood != source.mood:
        return _MOODS[source.mood]
    if fact.denied != source.denied:
        return "negation"
    if _another_time(fact, source):
        return "tense"
    if _swapped(fact, source, told) or _turned(fact, source):
        return "subject"
    return "invented" if _scattered(fact, told, at) else ""


def _another_time(fact: GroundClause, source: GroundClause) -> bool:
    """Say whether a wish is told as done, what was as what is, or what is as a wish."""
    if source.mood == "wish" and fact.mood not in ("wish", "plan"):
        return not fact.denied
    if fact.mood == "wish":
        return source.mood == "told" and not source.asks_for
    if fact.mood != "told":
        return False
    if source.mood == "plan":
        return bool(fact.past) and not source.past
    if fact.past is None or source.past is None or fact.past == source.past:
        return False
    verb = _verb(fact)
    if verb:
        return source.said.holds(verb)
    return source.was != fact.was or (fact.past and fact.text.isascii())


def _verb(clause: GroundClause) -> GroundWord | None:
    return next((word for word in reversed(clause.said.words) if word.is_verb), None)


def _scattered(fact: GroundClause, told: Sequence[GroundClause], at: int) -> bool:
    """Say whether the fact puts together what clauses say apart: 커피를 좋아하고 녹차를 팔아.

    A neighbour that says nothing the fact does not say belongs to the clause itself.
    """
    source = told[at]
    near = [
        each
        for each in (*told[max(0, at - 1) : at], *told[at + 1 : at + 2])
        if (each.me, each.denied) == (source.me, source.denied)
        and each.mood in (source.mood, "told")
        and all(map(fact.said.holds_alike, each.said.words))
    ]
    if _other_light_verb(fact, [source, *near]) or _not_owned(fact, [source, *near]):
        return True
    counted = [each for one in (source, *near) for each in amounts(one.said.written)]
    if foreign(amounts(fact.said.written), counted):
        return True
    carried = any(each.name in PRONOUNS for each in source.subjects) or source.inherited
    for word in fact.said.words:
        if source.said.holds_alike(word) or any(each.said.holds_alike(word) for each in near):
            continue
        if not (_names_person(fact, word) and carried) and not _is([source.about], word):
            return True
    return False


def _other_light_verb(fact: GroundClause, told: Sequence[GroundClause]) -> bool:
    """Say whether the fact ends in a common verb that the source does not have: 수능을 봤다."""
    *before, last = fact.text.split()
    if before and melted_stems(before[-1]):
        return False  # 써 줬다: it helps the verb before it
    verbs = [f"~{stem}" for stem in stems_of(last) if stem in _LIGHT]
    word = GroundWord("", tuple(verbs), 0)
    return bool(verbs) and not any(each.said.holds_alike(word) for each in told)


def _not_owned(fact: GroundClause, told: Sequence[GroundClause]) -> bool:
    """Say whether the fact makes a possession of what the source only speaks of: fear of dogs."""
    if not _OWNS.search(fact.text) or _OWNABLE.isdisjoint(fact.said.keys):
        return False
    return not any(_OWNED.search(each.text) for each in told)


def _swapped(fact: GroundClause, source: GroundClause, told: Sequence[GroundClause]) -> bool:
    """Say whether what is said of one is said of another here."""
    if _other_owner(fact, source):
        return True
    own = [each for each in fact.subjects if not each.loose]
    if any(each.name in PRONOUNS for each in source.subjects) and not fact.me:
        return bool(source.me and any(each.person for each in own))
    met = any(same(mine.name, each.name) for mine in own for each in source.subjects)
    if met and not fact.me:
        return False
    if fact.me or not own or all(_only_mine(each) for each in own):
        return _taken_over(fact, source)
    return _given_away(own, source, told)


def _only_mine(subject: ClauseSubject) -> bool:
    """Say whether the subject is only a property of the speaker: 내 직업."""
    return subject.owner == ME and not subject.person


def _turned(fact: GroundClause, source: GroundClause) -> bool:
    """Say whether a way is told the other way round: 대전에서 수원으로."""
    back = {"from": "to", "to": "from"}
    return any(
        same(noun, other) and way == back[kind] and noun.lower() not in PRONOUNS
        for noun, kind in fact.ways
        for other, way in source.ways
    )


def _other_owner(fact: GroundClause, source: GroundClause) -> bool:
    """Say whether something changes hands: 민수 동생 is not 내 동생."""
    for noun, owner in fact.owned:
        if owner in THEIRS:
            continue
        others = {each for other, each in source.owned if same(noun, other)}
        if others and owner not in others and not any(same(owner, each) for each in others):
            return ME in (owner, *others)
    return False


def _taken_over(fact: GroundClause, source: GroundClause) -> bool:
    """Say whether the speaker is given what the source says of someone else."""
    if source.me or not source.subjects:
        return False
    for each in source.subjects:
        held = _mentions(fact, each.name)
        if each.owner not in ("", ME) and not _mentions(fact, each.owner):
            return True
        marked = any(same(each.name, other.name) for other in fact.subjects)
        if marked or (held and (each.loose or _has(fact))):
            continue
        # English says by the order of words who does it.
        if each.person or source.to_me or (held and fact.text.isascii()):
            return True
        trait = each.owner == ME and key_of(each.name.lower()) in _TRAITS
        if not held and not trait and key_of(each.name.lower()) not in EMPTY:
            return True
    return False


def _given_away(
    own: Sequence[ClauseSubject], source: GroundClause, told: Sequence[GroundClause]
) -> bool:
    """Say whether someone is given what the source says of the speaker or of a third one."""
    mine = next((each for each in own if each.person), None)
    if mine is None or any(same(partner, mine.name) for partner in source.partners):
        return False
    if mine.owner not in ("", ME) and any(same(mine.owner, each.name) for each in source.subjects):
        return False
    if any(_is_called(each.name, mine.name, told) for each in source.subjects):
        return False
    if source.me or any(each.person and not each.loose for each in source.subjects):
        return True
    return bool(source.subjects) and not any(same(mine.name, key) for key in source.said.keys)


def _is_called(one: str, other: str, told: Sequence[GroundClause]) -> bool:
    """Say whether two names stand side by side: 동생 준호, 애 이름 도윤, "my daughter Priya"."""
    side = re.compile(
        rf"{re.escape(one)}(?:의|'s)? (?:이름은? |is |named |called )?{re.escape(other)}", re.I
    )
    return any(side.search(each.text) for each in told)


def _mentions(fact: GroundClause, name: str) -> bool:
    if name.casefold() in fact.text.casefold().replace(" ", ""):
        return True
    own = CLASSES.get(key_of(name.lower()), frozenset())
    return any(not own.isdisjoint(CLASSES.get(key, ())) for key in fact.said.keys)


def _has(fact: GroundClause) -> bool:
    return any(f" {word} " in f" {fact.text.lower()} " for word in _HAS)


def same(one: str, other: str) -> bool:
    """Say whether two names may be of one person or thing: 지영이 and 지영, 엄마 and 어머니."""
    one, other = _bare(one), _bare(other)
    if not one or not other:
        return False
    if one == other or (min(len(one), len(other)) > 1 and (one in other or other in one)):
        return True
    classes = CLASSES.get(key_of(one), frozenset())
    return not classes.isdisjoint(CLASSES.get(key_of(other), ()))


def _bare(name: str) -> str:
    plain = name.casefold().removesuffix("'s")
    for ending in ("님", "씨", "들", "네"):
        plain = plain.removesuffix(ending) if len(plain) > 2 else plain
    return plain.removesuffix("이") if len(plain) > 2 else plain


# ---- A text as its speaker tells it: the speaker's names become "I", and the text becomes clauses.

# What a model calls the speaker; in a source these may be anyone.
USERS: Final = ("사용자", "유저", "이용자", "화자", "the user", "user", "the speaker", "speaker")
_HANGUL: Final = re.compile("[가-힣]")
# Particles after a name, by the form of 나 that stands for both.
_AS_ME: Final = (
    ("께서는|님은|씨는|이는|은|는", "나는"),
    ("께서|님이|씨가|이가|이|가", "내가"),
    ("님의|씨의|이의|의", "내"),
    ("님을|씨를|이를|을|를", "나를"),
    ("님에게|에게|한테|께", "나에게"),
    ("님도|이도|도", "나도"),
    ("님|씨|", "나"),
)


def first_person(text: str, names: Collection[str]) -> str:
    """Return the folded text with every name of the speaker put into the first person."""
    text = fold(text)
    for name in sorted({fold(each).strip() for each in names}, key=len, reverse=True):
        if len(name) > 1:
            text = _renamed(text, re.escape(name))
    return text


def _renamed(text: str, name: str) -> str:
    if _HANGUL.search(text):
        for particles, pronoun in _AS_ME:
            pattern = rf"(?<!\w){name} ?(?:{particles})(?!\w)"
            text = re.sub(pattern, pronoun, text, flags=re.IGNORECASE)
    text = re.sub(rf"(?<!\w){name}['’]s(?!\w)", "my", text, flags=re.IGNORECASE)
    return re.sub(rf"(?<!\w){name}(?!\w)", "I", text, flags=re.IGNORECASE)


def clauses(text: str) -> list[GroundClause]:
    """Return the clauses of a text; one that names no one is about whom the one before was."""
    found: list[GroundClause] = []
    topic: ClauseSubject | None = None
    for sentence in sentences(text):
        hangul = bool(_HANGUL.search(sentence))
        language = korean if hangul else english
        told, topic = inherit(
            language.clauses(sentence),
            topic,
            starts_open=language.starts_open(sentence),
            things=not hangul,
        )
        found += told
    return found


# ---- Whether a fact is in its source: every number, date, name and quotation, and who did what.

_LATIN_WORD: Final = re.compile(r"[A-Za-zÀ-ɏ][\w'’.+#-]*")
_KOREAN_RUN: Final = re.compile("[가-힣ㄱ-ㅣ]+")
_QUOTED: Final = re.compile(
    r"[\"“「『]([^\"”」』\n]{2,200})[\"”」』]|(?<![\w'])'([^'\n]{2,200})'(?![A-Za-z0-9])"
)
_MAY: Final = re.compile(r"\bMay\b(?= [0-9]| 20|,|\.|$)")
_TURNED: Final = re.compile(
    r"\b(?:this|last|next|past|coming|every) (?:week|month|year|weekend|summer|winter|spring|fall"
    r"|autumn|morning|night|evening|(?:mon|tues|wednes|thurs|fri|satur|sun)day)s?\b"
)
# Words as they are joined or split: only a blank or a hyphen stands between them.
_SPELT: Final = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_RUN: Final = re.compile(rf"{_SPELT.pattern}(?:[ -]{_SPELT.pattern})*")
_ALONE: Final = frozenset(str.split("i a an 나 난 전 저 내 제 너 넌 네 니 그 이"))
_BARE_NOT: Final = re.compile(r"\b(do|does|did|is|are|was|were|ca|wo|has|have)nt\b", re.I)
_NOUNS: Final = re.compile(r"\b(?:at|the|an?|my|our|his|her|their|of|from|this|no) ([a-z]+)")
_DATES: Final = frozenset(("year", "월", "day", "clock", "week"))


def same_language(fact: str, source: str) -> bool:
    """Say whether a fact is in the language of its source; words it takes from there count not."""
    of_source = script_of(source)
    taken = {normalise(word) for word in _LATIN_WORD.findall(fold(source))}
    own = _LATIN_WORD.sub(lambda word: "" if normalise(word[0]) in taken else word[0], fold(fact))
    if of_source == "ko" and not _HANGUL.search(fact):
        return False
    rest = own if _letters(own) else fact
    if of_source == "latin":
        known = set(_KOREAN_RUN.findall(fold(source)))
        rest = _KOREAN_RUN.sub(lambda run: "" if run[0] in known else run[0], rest)
        return not _letters(rest) or script_of(rest) == "latin"
    return script_of(rest) == of_source


def _letters(text: str) -> bool:
    return any(letter.isalpha() for letter in text)


def _foreign_quote(fact: str, source: str) -> str:
    held = "".join(normalise(source).split())
    for match in _QUOTED.finditer(fact):
        quoted = match[1] or match[2]
        if "".join(normalise(quoted).strip(" .,!?").split()) not in held:
            return "quote"
    return ""


def as_spelt_in(source: str, text: str) -> str:
    """Return a text that joins and splits words as the source does: any more, 한강 공원."""
    plain, source = (_BARE_NOT.sub(r"\1n't", each) for each in (text, source))
    known = {re.sub("[ -]", "", run).casefold(): run for _, run in reversed([*_runs(source)])}
    made, at = "", 0
    for start, run in sorted(_runs(plain), key=lambda each: (each[0], -len(each[1]))):
        as_there = known.get(re.sub("[ -]", "", run).casefold(), run)
        if start >= at and as_there.casefold() != run.casefold():
            made, at = made + plain[at:start] + as_there, start + len(run)
    return made + plain[at:]


def _runs(text: str) -> Iterator[tuple[int, str]]:
    """Yield where up to three words stand and how they are written; a pronoun joins nothing."""
    found = list(_SPELT.finditer(text))
    for at, first in enumerate(found):
        for last in found[at : at + 3]:
            run = text[first.start() : last.end()]
            if _RUN.fullmatch(run) and (last is first or first[0].lower() not in _ALONE):
                yield first.start(), run


def _in_words_of_source(fact: str, source: str, said_at: datetime | None) -> str:
    """Return the fact with each date that means a day of the source in the source's words."""
    if said_at is None:
        return fact
    known = {(span.start, span.end): span.words for span in spans(source, said_at, ahead=True)}
    held = normalise(source)
    for span in reversed(spans(fact, said_at, ahead=True)):
        words = known.get((span.start, span.end))
        if words and normalise(span.words) not in held:
            fact = fact[: span.at] + words + fact[span.at + len(span.words) :]
    return fact


def _foreign_time(fact: str, source: str) -> str:
    """Check numbers, and English time phrases whose words alone would be too common."""
    plain, held = normalise(fact), normalise(source)
    if odd := foreign(amounts(plain), amounts(held)):
        return "date" if odd.unit in _DATES else "number"
    if _MAY.search(fact) and not re.search(r"\bmay\b", held):
        return "date"
    if any(found[0] not in held for found in _TURNED.finditer(plain)):
        return "date"
    return ""


def _foreign_word(fact: str, source: GroundText) -> str:
    """Check that the source says each word, or one that says the same."""
    found = list(words_of(fact))
    literal = sum(source.holds(word) for word in found)
    for word in found:
        if source.holds(word):
            continue
        if any(key in TIMES for key in word.keys):
            return "date"
        if not source.holds_alike(word):
            return "name" if _is_name(word) else "invented"
    # Of a sentence in other words alone nobody knows whether it is the same.
    return "" if literal * 3 >= len(found) and (found or amounts(normalise(fact))) else "invented"


def _incomplete(fact: str, source: str) -> str:
    """Return "incomplete" where the fact has a verb of the source without what belongs to it.

    "The user does not drink" is not what "I don't drink coffee" says.
    """
    deeds = korean_deeds if _HANGUL.search(source) else english_deeds
    for clause in clauses(fact):
        more = [word for word in clause.said.words if not _names_person(clause, word)]
        if sum(TIMES.isdisjoint(each.keys) and each.text not in ADVERBS for each in more) > 1:
            continue
        for verb in (deed.verb for deed in deeds(clause.text) if not deed.parts):
            told = [deed.parts for deed in deeds(source) if deed.verb == verb]
            own = verb.endswith("하") and len(verb) > 2  # 결혼하, 이사하
            if told and all(any(not own or p.role == "thing" for p in parts) for parts in told):
                return "incomplete"
    return ""


def _from_noun(fact: str, source: str) -> str:
    """Return "invented" where an English verb is only a noun in the source: "at work"."""
    words = [stem(each) for each in re.findall(r"[a-z]+", source.lower())]
    nouns = Counter(stem(each) for each in _NOUNS.findall(source.lower()))
    made = (stem(deed.verb) for deed in english_deeds(fact))
    return "invented" if any(0 < words.count(each) == nouns[each] for each in made) else ""


def _is_name(word: GroundWord) -> bool:
    return word.text[0].isupper() or any(map(is_person, word.keys))


class Ground:
    """A source that is read once, to hold many facts against it.

    `order_in` says which order a text gives, "" if none. `allowed` are names of the speaker beside
    "user"; with `said_at`, a day may be named by its date where the source names it by a word.
    """

    def __init__(
        self,
        source: str,
        *,
        order_in: Callable[[str], str],
        allowed: Collection[str] = (),
        said_at: datetime | None = None,
    ) -> None:
        self._source = fold(source)
        self._order_in = order_in
        self._allowed = tuple(allowed)
        self._said_at = said_at
        self._heard = first_person(self._source, self._allowed)
        self._said = said(self._heard)
        self._clauses: list[GroundClause] | None = None

    def wrong_with(self, fact: str) -> str:
        """Return what is wrong with a fact, "" if the source says it.

        Reasons: language, instruction, quote, date, number, name, invented, negation, question,
        condition, tense, subject, incomplete.
        """
        fact = fold(fact)
        if not same_language(fact, self._source):
            return "language"
        spoken = first_person(fact, (*USERS, *self._allowed))
        if spoken.startswith("I "):
            spoken = re.sub(r"\bthey\b", "I", spoken)
        # That someone does not tell is no order to keep a secret, if it is told of someone.
        if (order := self._order_in(fact)) and (order != "secrecy" or spoken == fact):
            return "instruction"
        spoken = as_spelt_in(self._heard, spoken)
        spoken = _in_words_of_source(spoken, self._heard, self._said_at)
        return (
            _foreign_quote(fact, self._source)
            or _foreign_time(spoken, self._heard)
            or _foreign_word(spoken, self._said)
            or self._misread(spoken)
            or _incomplete(spoken, self._heard)
            or _from_noun(spoken, self._heard)
        )

    def _misread(self, fact: str) -> str:
        if self._clauses is None:
            self._clauses = clauses(self._heard)
        return misread(clauses(fact), self._clauses)


# ---- Whether a triple says of whom, what and how the same as the fact it belongs to.

Triple = tuple[str, str, str]
_I: Final = frozenset(("i", "me", "my", "나", "저", "내", "제"))


def fits(triple: Triple, fact: str, names: Collection[str] = ()) -> bool:
    """Say whether a fact holds a triple; `names` are the speaker's beside "user"."""
    selves = {normalise(name) for name in (*USERS, *names)} | _I
    told = clauses(first_person(fact, (*USERS, *names)))
    subject, predicate, value = map(normalise, triple)
    held = said(fact)
    if value in selves or not _says(held, value):
        return False
    if not all(map(held.holds_alike, words_of(predicate.replace("_", " ")))):
        return False
    if is_negative(predicate) != any(each.denied for each in told):
        return False
    if subject in selves:
        return any(each.me or _mine(each, predicate) for each in told)
    return _says(held, subject) and any(_is_about(each, subject) for each in told)


def _says(held: GroundText, part: str) -> bool:
    """Say whether the fact says one end of the triple."""
    if foreign(amounts(part), amounts(held.written)):
        return False
    found = list(words_of(part))
    return all(map(held.holds, found)) if found else part in normalise(held.written)


def _mine(clause: GroundClause, predicate: str) -> bool:
    """Say whether the predicate names what of the speaker's the clause is about: 이름."""
    return any(each.owner == ME and each.name.lower() in predicate for each in clause.subjects)


def _is_about(clause: GroundClause, subject: str) -> bool:
    names = [each.name for each in clause.subjects]
    words = subject.split()
    return any(same(name, word) for name in names for word in words)
