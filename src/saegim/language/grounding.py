"""Whether a clause of a fact says what a clause of its source says, of the same one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from saegim.language.amounts import amounts, foreign
from saegim.language.en.lexicon import DEVICES as ENGLISH_DEVICES
from saegim.language.en.lexicon import PETS as ENGLISH_PETS
from saegim.language.en.lexicon import VEHICLES
from saegim.language.ko.lexicon import DEVICES, PETS
from saegim.language.ko.verbs import melted_stems
from saegim.language.meanings import CLASSES, EMPTY, key_of
from saegim.language.meanings__clause import ME, Clause, Subject
from saegim.language.meanings__reading import Word, stems_of
from saegim.memory.late import late

# A noun says more about what a clause is about than a verb.
_NOUN, _VERB = 2, 1
_MOODS: Final = {"asked": "question", "if": "condition"}
PRONOUNS: Final = frozenset(
    ("he", "she", "they", "someone", "걔", "그", "그녀", "그분", "얘", "쟤", "누군가")
)
# Verbs that say little beside a noun, and yet not nothing.
_LIGHT: Final = frozenset(("보", "가", "오", "주", "내", "나", "두"))
# Of these one may say "I am" as well as "mine is".
_TRAITS: Final = frozenset(
    map(
        key_of,
        str.split("""mbti 혈액형 전공 고향 별명 성격 국적 종교 직급 직책 hometown major nickname
        nationality religion title position role type favourite favorite"""),
    )
)
_OWNS: Final = late(r"^I (?:has|have|owns)\b|있다$|(?:키우|기르|가지)\S*$", re.IGNORECASE)
_OWNED: Final = late(
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


def misread(fact: Sequence[Clause], source: Sequence[Clause]) -> str:
    """Return why the clauses of a fact are not what the source says, "" if they are."""
    for clause in fact:
        if _left_out(clause, source):
            return "negation"
        best = _nearest(clause, source)
        reasons = [_difference(clause, source, at) for at in best]
        if reasons and all(reasons):
            return reasons[0]
    return ""


def _left_out(fact: Clause, source: Sequence[Clause]) -> bool:
    """Say whether the fact takes in what the source names only to leave it out."""
    for word in fact.said.words:
        if fact.denied or not fact.without.isdisjoint(word.keys):
            continue
        holding = [each for each in source if each.said.holds(word)]
        if holding and all(not each.without.isdisjoint(word.keys) for each in holding):
            return True
    return False


def _nearest(clause: Clause, source: Sequence[Clause]) -> list[int]:
    """Return which clauses of the source share most with a clause of the fact."""
    about = [word for word in clause.said.words if not _names_person(clause, word)]
    if not about and not amounts(clause.said.written):
        about = list(clause.said.words)
    scores = [_shared(about, clause, each) for each in source]
    most = max(scores, default=0)
    return [at for at, score in enumerate(scores) if score == most] if most else []


def _is(names: Sequence[str], word: Word) -> bool:
    return any(same(name, key) for name in names for key in word.keys)


def _names_person(clause: Clause, word: Word) -> bool:
    """Say whether the word only names whom the clause is about."""
    people = [each.name for each in clause.subjects if each.person and not each.loose]
    return _is(people, word)


def _shared(about: Sequence[Word], fact: Clause, source: Clause) -> int:
    score = 0
    for word in about:
        if source.said.holds(word):
            score += _VERB if word.is_verb else _NOUN
        elif source.said.holds_alike(word):
            score += _VERB
    counted = amounts(source.said.written)
    return score + sum(_NOUN for each in amounts(fact.said.written) if not foreign([each], counted))


def _difference(fact: Clause, told: Sequence[Clause], at: int) -> str:
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


def _another_time(fact: Clause, source: Clause) -> bool:
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


def _verb(clause: Clause) -> Word | None:
    return next((word for word in reversed(clause.said.words) if word.is_verb), None)


def _scattered(fact: Clause, told: Sequence[Clause], at: int) -> bool:
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


def _other_light_verb(fact: Clause, told: Sequence[Clause]) -> bool:
    """Say whether the fact ends in a common verb that the source does not have: 수능을 봤다."""
    *before, last = fact.text.split()
    if before and melted_stems(before[-1]):
        return False  # 써 줬다: it helps the verb before it
    verbs = [f"~{stem}" for stem in stems_of(last) if stem in _LIGHT]
    word = Word("", tuple(verbs), 0)
    return bool(verbs) and not any(each.said.holds_alike(word) for each in told)


def _not_owned(fact: Clause, told: Sequence[Clause]) -> bool:
    """Say whether the fact makes a possession of what the source only speaks of: fear of dogs."""
    if not _OWNS.search(fact.text) or _OWNABLE.isdisjoint(fact.said.keys):
        return False
    return not any(_OWNED.search(each.text) for each in told)


def _swapped(fact: Clause, source: Clause, told: Sequence[Clause]) -> bool:
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


def _only_mine(subject: Subject) -> bool:
    """Say whether the subject is only a property of the speaker: 내 직업."""
    return subject.owner == ME and not subject.person


def _turned(fact: Clause, source: Clause) -> bool:
    """Say whether a way is told the other way round: 대전에서 수원으로."""
    back = {"from": "to", "to": "from"}
    return any(
        same(noun, other) and way == back[kind] and noun.lower() not in PRONOUNS
        for noun, kind in fact.ways
        for other, way in source.ways
    )


def _other_owner(fact: Clause, source: Clause) -> bool:
    """Say whether something changes hands: 민수 동생 is not 내 동생."""
    for noun, owner in fact.owned:
        if owner in THEIRS:
            continue
        others = {each for other, each in source.owned if same(noun, other)}
        if others and owner not in others and not any(same(owner, each) for each in others):
            return ME in (owner, *others)
    return False


def _taken_over(fact: Clause, source: Clause) -> bool:
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


def _given_away(own: Sequence[Subject], source: Clause, told: Sequence[Clause]) -> bool:
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


def _is_called(one: str, other: str, told: Sequence[Clause]) -> bool:
    """Say whether two names stand side by side: 동생 준호, 애 이름 도윤, "my daughter Priya"."""
    side = re.compile(
        rf"{re.escape(one)}(?:의|'s)? (?:이름은? |is |named |called )?{re.escape(other)}", re.I
    )
    return any(side.search(each.text) for each in told)


def _mentions(fact: Clause, name: str) -> bool:
    if name.casefold() in fact.text.casefold().replace(" ", ""):
        return True
    own = CLASSES.get(key_of(name.lower()), frozenset())
    return any(not own.isdisjoint(CLASSES.get(key, ())) for key in fact.said.keys)


def _has(fact: Clause) -> bool:
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
